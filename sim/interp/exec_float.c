/* SPDX-License-Identifier: Apache-2.0 */
/* Half is computed in float, and each operation is rounded to half. Lemma: float has more than twice half's
 * digits plus two, so no sum, product, quotient or root is rounded differently by the double rounding. */
#include <math.h>

#include "half.h"
#include "lanes.h"

#define HALF_BINARY(name, expression)                         \
    static inline u16 name##_half(u16 x, u16 y)               \
    {                                                         \
        const f32 a = half_to_float(x), b = half_to_float(y); \
        return float_to_half(expression);                     \
    }                                                         \
    LANE_BINARY(name##_16, u16, name##_half(a, b))
#define FLOAT_BINARY(name, expression)      \
    HALF_BINARY(name, expression)           \
    LANE_BINARY(name##_32, f32, expression) \
    LANE_BINARY(name##_64, f64, expression)

/* ---- sums and products ------------------------------------------------------------------ */

/* Of two NaN operands x86 returns the first. A compiler may exchange the operands of a sum or product, and
 * does so differently for each instruction set. So these two operations are written as instructions, one
 * register at a time. */
#if defined __x86_64__ && ORRERY_ISA > 0
#define PINNED(name, operator, instruction, suffix, V)                            \
    static inline V name(V a, V b)                                                \
    {                                                                             \
        V d;                                                                      \
        __asm__("v" instruction suffix " %2, %1, %0" : "=v"(d) : "v"(a), "v"(b)); \
        return d;                                                                 \
    }
#elif defined __x86_64__
#define PINNED(name, operator, instruction, suffix, V)            \
    static inline V name(V a, V b)                                \
    {                                                             \
        __asm__(instruction suffix " %1, %0" : "+x"(a) : "x"(b)); \
        return a;                                                 \
    }
#else
#define PINNED(name, operator, instruction, suffix, V) \
    static inline V name(V a, V b)                     \
    {                                                  \
        return a operator b;                           \
    }
#endif
PINNED(add_32, +, "add", "ps", vec_f32)
PINNED(mul_32, *, "mul", "ps", vec_f32)
PINNED(add_64, +, "add", "pd", vec_f64)
PINNED(mul_64, *, "mul", "pd", vec_f64)

#define V_POINTER(T, x) const T *const x##_ = AT(T, insn->x);
#define U_POINTER(T, x) const vec_##T x = VECTOR_SPLAT(T, *AT(T, insn->x));
#define V_REGISTER(T, x) const vec_##T x = VECTOR_LOAD(T, x##_ + i);
#define U_REGISTER(T, x)
#define EACH_REGISTER(T, i, n) for (size_t i = 0; i < (n); i += VECTOR_LANES(T))

#define REGISTER_BINARY(name, T, A, B, ...)                                               \
    HANDLER(name)                                                                         \
    {                                                                                     \
        const size_t n = LANES_OF(wave);                                                  \
        T *const d_ = AT(T, insn->d);                                                     \
        A##_POINTER(T, a) B##_POINTER(T, b) EACH_REGISTER(T, i, n)                        \
        {                                                                                 \
            A##_REGISTER(T, a) B##_REGISTER(T, b) VECTOR_STORE(T, d_ + i, (__VA_ARGS__)); \
        }                                                                                 \
        NEXT;                                                                             \
    }
#define REGISTER_TERNARY(name, T, A, B, C, ...)                                                              \
    HANDLER(name)                                                                                            \
    {                                                                                                        \
        const size_t n = LANES_OF(wave);                                                                     \
        T *const d_ = AT(T, insn->d);                                                                        \
        A##_POINTER(T, a) B##_POINTER(T, b) C##_POINTER(T, c) EACH_REGISTER(T, i, n)                         \
        {                                                                                                    \
            A##_REGISTER(T, a) B##_REGISTER(T, b) C##_REGISTER(T, c) VECTOR_STORE(T, d_ + i, (__VA_ARGS__)); \
        }                                                                                                    \
        NEXT;                                                                                                \
    }
#define PINNED_BINARY(name, T, ...)                                          \
    REGISTER_BINARY(name##_vv, T, V, V, __VA_ARGS__)                         \
    REGISTER_BINARY(name##_vu, T, V, U, __VA_ARGS__)                         \
    REGISTER_BINARY(name##_uv, T, U, V, __VA_ARGS__)                         \
    HANDLER(name##_uu)                                                       \
    {                                                                        \
        U_POINTER(T, a) U_POINTER(T, b) * AT(T, insn->d) = (__VA_ARGS__)[0]; \
        NEXT;                                                                \
    }
#define PINNED_TERNARY(name, T, ...)                                                         \
    REGISTER_TERNARY(name##_vvv, T, V, V, V, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_vvu, T, V, V, U, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_vuv, T, V, U, V, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_vuu, T, V, U, U, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_uvv, T, U, V, V, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_uvu, T, U, V, U, __VA_ARGS__)                                    \
    REGISTER_TERNARY(name##_uuv, T, U, U, V, __VA_ARGS__)                                    \
    HANDLER(name##_uuu)                                                                      \
    {                                                                                        \
        U_POINTER(T, a) U_POINTER(T, b) U_POINTER(T, c) * AT(T, insn->d) = (__VA_ARGS__)[0]; \
        NEXT;                                                                                \
    }

HALF_BINARY(fadd, a + b)
PINNED_BINARY(fadd_32, f32, add_32(a, b))
PINNED_BINARY(fadd_64, f64, add_64(a, b))
HALF_BINARY(fmul, a *b)
PINNED_BINARY(fmul_32, f32, mul_32(a, b))
PINNED_BINARY(fmul_64, f64, mul_64(a, b))
FLOAT_BINARY(fsub, a - b)
FLOAT_BINARY(fdiv, a / b)

/* Two roundings: -ffp-contract=off keeps the product separate. */
LANE_TERNARY(mad_16, u16, fadd_half(fmul_half(a, b), c))
PINNED_TERNARY(mad_32, f32, add_32(mul_32(a, b), c))
PINNED_TERNARY(mad_64, f64, add_64(mul_64(a, b), c))
LANE_TERNARY(msub_16, u16, fsub_half(fmul_half(a, b), c))
PINNED_TERNARY(msub_32, f32, mul_32(a, b) - c)
PINNED_TERNARY(msub_64, f64, mul_64(a, b) - c)
LANE_TERNARY(nmad_16, u16, fsub_half(c, fmul_half(a, b)))
PINNED_TERNARY(nmad_32, f32, c - mul_32(a, b))
PINNED_TERNARY(nmad_64, f64, c - mul_64(a, b))

/* ---- the rest ------------------------------------------------------------------------------ */

/* fmod is exact, so every C library gives the same result. */
static inline f32 frem_32(f32 a, f32 b)
{
    return fmodf(a, b);
}
static inline f64 frem_64(f64 a, f64 b)
{
    return fmod(a, b);
}

static inline f32 fmod_32(f32 a, f32 b)
{
    const f32 r = fmodf(a, b);
    if (r == 0)
        return copysignf(0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

static inline f64 fmod_64(f64 a, f64 b)
{
    const f64 r = fmod(a, b);
    if (r == 0)
        return copysign(0, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

HALF_BINARY(frem, frem_32(a, b))
LANE_BINARY(frem_32, f32, frem_32(a, b))
LANE_BINARY(frem_64, f64, frem_64(a, b))
HALF_BINARY(fmod, fmod_32(a, b))
LANE_BINARY(fmod_32, f32, fmod_32(a, b))
LANE_BINARY(fmod_64, f64, fmod_64(a, b))

/* b != b: if b is NaN, the result is a. If a is NaN, it is not less, so the result is b. */
FLOAT_BINARY(fmin, ((a < b) | (b != b)) ? a : b)
FLOAT_BINARY(fmax, ((a > b) | (b != b)) ? a : b)

LANE_UNARY(fneg_16, u16, u16, a ^ 0x8000)
LANE_UNARY(fneg_32, u32, u32, a ^ 0x80000000u)
LANE_UNARY(fneg_64, u64, u64, a ^ 0x8000000000000000u)
LANE_UNARY(fabs_16, u16, u16, a & 0x7fff)
LANE_UNARY(fabs_32, u32, u32, a & 0x7fffffffu)
LANE_UNARY(fabs_64, u64, u64, a & 0x7fffffffffffffffu)

LANE_UNARY(sqrt_16, u16, u16, float_to_half(__builtin_sqrtf(half_to_float(a))))
LANE_UNARY(sqrt_32, f32, f32, __builtin_sqrtf(a))
LANE_UNARY(sqrt_64, f64, f64, __builtin_sqrt(a))
