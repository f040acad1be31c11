/* SPDX-License-Identifier: Apache-2.0 */
/* Half is computed in float and rounded after each operation: float has more than twice half's
 * digits and two, so that no sum, product, quotient or root is rounded differently for it. */
#include <math.h>

#include "half.h"
#include "lanes.h"

#define HALF_BINARY(name, expression)                                                                       \
    static inline u16 name##_half(u16 x, u16 y)                                                             \
    {                                                                                                       \
        const f32 a = half_to_float(x), b = half_to_float(y);                                               \
        return float_to_half(expression);                                                                   \
    }                                                                                                       \
    LANE_BINARY(name##_16, u16, name##_half(a, b))
#define FLOAT_BINARY(name, expression)                                                                      \
    HALF_BINARY(name, expression)                                                                           \
    LANE_BINARY(name##_32, f32, expression)                                                                 \
    LANE_BINARY(name##_64, f64, expression)

FLOAT_BINARY(fadd, a + b)
FLOAT_BINARY(fsub, a - b)
FLOAT_BINARY(fmul, a *b)
FLOAT_BINARY(fdiv, a / b)

/* fmod is exact, so the C library's is the same everywhere. */
static inline f32 frem_32(f32 a, f32 b) { return fmodf(a, b); }
static inline f64 frem_64(f64 a, f64 b) { return fmod(a, b); }

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

/* b != b: b is NaN, and loses; so does a, since it is not less. */
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

/* Two roundings: -ffp-contract=off keeps the product apart. */
#define FLOAT_TERNARY(name, expression, half_expression)                                                    \
    LANE_TERNARY(name##_16, u16, half_expression)                                                           \
    LANE_TERNARY(name##_32, f32, expression)                                                                \
    LANE_TERNARY(name##_64, f64, expression)

FLOAT_TERNARY(mad, a *b + c, fadd_half(fmul_half(a, b), c))
FLOAT_TERNARY(msub, a *b - c, fsub_half(fmul_half(a, b), c))
FLOAT_TERNARY(nmad, c - a * b, fsub_half(c, fmul_half(a, b)))
