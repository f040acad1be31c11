/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of integer arithmetic. Divisions are computed in double, or by a reciprocal, and corrected. */
#include "lanes.h"

#define INTEGER_BINARY(name, U8, U16, U32, U64, ...) \
    LANE_BINARY(name##_8, U8, __VA_ARGS__)           \
    LANE_BINARY(name##_16, U16, __VA_ARGS__)         \
    LANE_BINARY(name##_32, U32, __VA_ARGS__)         \
    LANE_BINARY(name##_64, U64, __VA_ARGS__)
#define UNSIGNED(name, ...) INTEGER_BINARY(name, u8, u16, u32, u64, __VA_ARGS__)
#define SIGNED(name, ...) INTEGER_BINARY(name, i8, i16, i32, i64, __VA_ARGS__)
#define BITS(x) (8 * sizeof(x))

UNSIGNED(add, a + b)
UNSIGNED(sub, a - b)
LANE_BINARY(mul_8, u8, a *b)
LANE_BINARY(mul_16, u16, (u32)a *b)
LANE_BINARY(mul_32, u32, a *b)
LANE_BINARY(mul_64, u64, a *b)
UNSIGNED(and, a &b)
UNSIGNED(or, a | b)
UNSIGNED(xor, a ^ b)
UNSIGNED(shl, a << (b & (BITS(a) - 1)))
UNSIGNED(lshr, a >> (b & (BITS(a) - 1)))
SIGNED(ashr, a >> (b & (i8)(BITS(a) - 1)))
SIGNED(smin, a < b ? a : b)
SIGNED(smax, a > b ? a : b)
UNSIGNED(umin, a < b ? a : b)
UNSIGNED(umax, a > b ? a : b)
UNSIGNED(rotl, a << (b & (BITS(a) - 1)) | a >> ((BITS(a) - b) & (BITS(a) - 1)))

LANE_BINARY(smulhi_8, i8, (i32)a *b >> 8)
LANE_BINARY(smulhi_16, i16, (i32)a *b >> 16)
LANE_BINARY(smulhi_32, i32, (i64)a *b >> 32)
LANE_BINARY(smulhi_64, i64, (__int128)a *b >> 64)
LANE_BINARY(umulhi_8, u8, (u32)a *b >> 8)
LANE_BINARY(umulhi_16, u16, (u32)a *b >> 16)
LANE_BINARY(umulhi_32, u32, (u64)a *b >> 32)
LANE_BINARY(umulhi_64, u64, (unsigned __int128)a *b >> 64)

#define INTEGER_UNARY(name, ...)                 \
    LANE_UNARY(name##_8, u8, u8, __VA_ARGS__)    \
    LANE_UNARY(name##_16, u16, u16, __VA_ARGS__) \
    LANE_UNARY(name##_32, u32, u32, __VA_ARGS__) \
    LANE_UNARY(name##_64, u64, u64, __VA_ARGS__)
INTEGER_UNARY(neg, 0 - a)
INTEGER_UNARY(not, ~a)

/* ---- division ---------------------------------------------------------------------------------------- */

/* There is no vector division of integers. The float quotient of 8 and 16 bits and the double
 * quotient of 32 bits cannot round up to the next integer: two such quotients are further
 * apart than half a unit. A zero divisor becomes 1 before, so that dead lanes are harmless. */

static inline u8 udiv_8(u8 a, u8 b)
{
    return (u8)(b ? (i32)((float)a / (float)(b ? b : 1)) : 0);
}
static inline u16 udiv_16(u16 a, u16 b)
{
    return (u16)(b ? (i32)((float)a / (float)(b ? b : 1)) : 0);
}
static inline i8 sdiv_8(i8 a, i8 b)
{
    return (i8)(b ? (i32)((float)a / (float)(b ? b : 1)) : 0);
}
static inline i16 sdiv_16(i16 a, i16 b)
{
    return (i16)(b ? (i32)((float)a / (float)(b ? b : 1)) : 0);
}

static inline double double_of_u32(u32 x)
{
    return (double)(i32)(x ^ 0x80000000u) + 0x1p31;
}

static inline u32 udiv_32(u32 a, u32 b)
{
    const double quotient = double_of_u32(a) / double_of_u32(b ? b : 1);
    /* Adding 2^52 rounds to an integer and leaves it in the low bits of the significand. */
    double whole = (quotient + 0x1p52) - 0x1p52;
    whole = (whole - (whole > quotient ? 1.0 : 0.0)) + 0x1p52;
    u64 bits;
    memcpy(&bits, &whole, sizeof bits);
    return b ? (u32)bits : 0;
}

static inline i32 sdiv_32(i32 a, i32 b)
{
    const bool plain = b != 0 && b != -1;
    const i32 quotient = (i32)((double)a / (double)(plain ? b : 1));
    return plain ? quotient : (i32)((u32)0 - ((u32)a & (u32)b));
}

static inline u64 udiv_64(u64 a, u64 b)
{
    return b ? a / b : 0;
}

static inline i64 sdiv_64(i64 a, i64 b)
{
    if (b == 0 || b == -1)
        return (i64)((u64)0 - ((u64)a & (u64)b));
    return a / b;
}

#define DIVISION(size)                                                       \
    static inline u##size urem_##size(u##size a, u##size b)                  \
    {                                                                        \
        return b ? (u##size)(a - (u##size)((u64)udiv_##size(a, b) * b)) : 0; \
    }                                                                        \
    static inline i##size srem_##size(i##size a, i##size b)                  \
    {                                                                        \
        return b ? (i##size)((u64)a - (u64)sdiv_##size(a, b) * (u64)b) : 0;  \
    }                                                                        \
    static inline i##size smod_##size(i##size a, i##size b)                  \
    {                                                                        \
        const i##size r = srem_##size(a, b);                                 \
        return (i##size)((u64)r + (r != 0 && (r ^ b) < 0 ? (u64)b : 0));     \
    }
DIVISION(8)
DIVISION(16)
DIVISION(64)

static inline u32 urem_32(u32 a, u32 b)
{
    return b ? a - udiv_32(a, b) * b : 0;
}
static inline i32 srem_32(i32 a, i32 b)
{
    return b ? (i32)((u32)a - (u32)sdiv_32(a, b) * (u32)b) : 0;
}
static inline i32 smod_32(i32 a, i32 b)
{
    const i32 r = srem_32(a, b);
    return (i32)((u32)r + (r != 0 && (r ^ b) < 0 ? (u32)b : 0));
}

#define DIVIDE(name, T) LANE_BINARY(name, T, name(a, b))
DIVIDE(udiv_8, u8)
DIVIDE(udiv_16, u16)
DIVIDE(udiv_32, u32)
DIVIDE(sdiv_8, i8)
DIVIDE(sdiv_16, i16)
DIVIDE(sdiv_32, i32)
DIVIDE(urem_8, u8)
DIVIDE(urem_16, u16)
DIVIDE(urem_32, u32)
DIVIDE(srem_8, i8)
DIVIDE(srem_16, i16)
DIVIDE(srem_32, i32)
DIVIDE(smod_8, i8)
DIVIDE(smod_16, i16)
DIVIDE(smod_32, i32)

/* 64-bit division of all lanes by one divisor: a multiplication by its reciprocal, rounded up to 65 bits,
 * whose high bit is implicit (Granlund and Montgomery, Division by Invariant Integers using
 * Multiplication). */
struct reciprocal {
    u64 multiplier;
    uint32_t first, second;
};

static inline struct reciprocal reciprocal_of(u64 b)
{
    if (b <= 1)
        return (struct reciprocal){1, 0, 0};
    const uint32_t bits = 64u - (uint32_t)__builtin_clzll(b - 1);
    const unsigned __int128 power = (unsigned __int128)1 << bits;
    return (struct reciprocal){(u64)(((power - b) << 64) / b) + 1, 1, bits - 1};
}

static inline u64 divide_by(u64 a, struct reciprocal r)
{
    const u64 t = (u64)((unsigned __int128)a * r.multiplier >> 64);
    return (t + ((a - t) >> r.first)) >> r.second;
}

static inline u64 absolute(i64 x)
{
    return x < 0 ? 0 - (u64)x : (u64)x;
}

/* The last argument computes the quotient of the magnitudes, from a and the reciprocal r of |b|. */
#define DIVIDE_64(name, T, magnitude, ...)                              \
    HANDLER(name##_64_vv)                                               \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T *const a_ = AT(T, insn->a), *const b_ = AT(T, insn->b); \
        EACH_LANE(i, n) d_[i] = name##_64(a_[i], b_[i]);                \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_64_uv)                                               \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T a = *AT(T, insn->a), *const b_ = AT(T, insn->b);        \
        EACH_LANE(i, n) d_[i] = name##_64(a, b_[i]);                    \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_64_uu)                                               \
    {                                                                   \
        *AT(T, insn->d) = name##_64(*AT(T, insn->a), *AT(T, insn->b));  \
        NEXT;                                                           \
    }                                                                   \
    HANDLER(name##_64_vu)                                               \
    {                                                                   \
        const size_t n = LANES_OF(wave);                                \
        T *const d_ = AT(T, insn->d);                                   \
        const T *const a_ = AT(T, insn->a), b = *AT(T, insn->b);        \
        const struct reciprocal r = reciprocal_of(magnitude(b));        \
        for (size_t i = 0; i < n; i++) {                                \
            const T a = a_[i];                                          \
            const u64 quotient = b ? divide_by(magnitude(a), r) : 0;    \
            d_[i] = (T)(__VA_ARGS__);                                   \
        }                                                               \
        NEXT;                                                           \
    }
#define SELF(x) (x)
#define SIGNED_QUOTIENT ((a ^ b) < 0 ? 0 - quotient : quotient)
#define SIGNED_REMAINDER (b ? (u64)a - SIGNED_QUOTIENT * (u64)b : 0)
DIVIDE_64(udiv, u64, SELF, quotient)
DIVIDE_64(urem, u64, SELF, b ? a - quotient *b : 0)
DIVIDE_64(sdiv, i64, absolute, SIGNED_QUOTIENT)
DIVIDE_64(srem, i64, absolute, SIGNED_REMAINDER)
DIVIDE_64(smod, i64, absolute,
          SIGNED_REMAINDER + (SIGNED_REMAINDER != 0 && ((i64)SIGNED_REMAINDER ^ b) < 0 ? (u64)b : 0))
