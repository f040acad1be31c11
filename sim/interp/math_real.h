/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Template: what float and double share, once per file (math_float.c, math_double.c). Everything
 * here is exact or correctly rounded, so it needs no library: rounding to integers, splitting and scaling,
 *          remainders, comparisons, the common functions.
 *
 * Interface  REAL_BITS (32 or 64) set by the includer. Provides the types R, U, S, bit access, quiet(), the
 * kernel heads UNARY, BINARY, TERNARY, and REAL_ROWS for the includer's table.
 *
 * A NaN result of arithmetic is always the positive quiet NaN without payload: which operand's payload
 * survives in hardware depends on the order the compiler chose. Entries that only move bits (fabs, copysign,
 * fmin of a NaN and a number, modf's and frexp's NaN excepted) keep what they move.
 */
#ifndef ORRERY_INTERP_MATH_REAL_H
#define ORRERY_INTERP_MATH_REAL_H

#include <limits.h>

#include "math_isa.h"

#if REAL_BITS == 32
typedef float R;
typedef uint32_t U;
typedef int32_t S;
typedef uint64_t accumulator;
enum { MANTISSA = 23, BIAS = 127, EXPONENT_ALL = 255, STEP_BITS = 40 };
#define R_BUILTIN(name) __builtin_##name##f
#else
typedef double R;
typedef uint64_t U;
typedef int64_t S;
typedef unsigned __int128 accumulator;
enum { MANTISSA = 52, BIAS = 1023, EXPONENT_ALL = 2047, STEP_BITS = 64 };
#define R_BUILTIN(name) __builtin_##name
#endif

#define R_SIGN ((U)1 << (REAL_BITS - 1))
#define R_INF ((R)__builtin_inf())
#define R_NAN (from_bits((U)(2 * EXPONENT_ALL + 1) << (MANTISSA - 1)))
#define R_INTEGERS ((R)((U)1 << MANTISSA)) /* from here on every value is an integer */

union real_bits {
    R real;
    U bits;
};

static inline U to_bits(R x)
{
    return (union real_bits){.real = x}.bits;
}

static inline R from_bits(U x)
{
    return (union real_bits){.bits = x}.real;
}

static inline R magnitude(R x)
{
    return from_bits(to_bits(x) & ~R_SIGN);
}

static inline R with_sign(R x, R sign)
{
    return from_bits((to_bits(x) & ~R_SIGN) | (to_bits(sign) & R_SIGN));
}

static inline R quiet(R x)
{
    return x == x ? x : R_NAN;
}

static inline R power_of_two(S e)
{
    return from_bits((U)(e + BIAS) << MANTISSA);
}

#define UNARY(name, expr)     \
    MATH_FN(name)             \
    {                         \
        const R *a = in[0];   \
        R *r = out[0];        \
        LANES(i, n)           \
        {                     \
            const R x = a[i]; \
            r[i] = (expr);    \
        }                     \
    }

#define BINARY_WITH(name, Y, expr) \
    MATH_FN(name)                  \
    {                              \
        const R *a = in[0];        \
        const Y *b = in[1];        \
        R *r = out[0];             \
        LANES(i, n)                \
        {                          \
            const R x = a[i];      \
            const Y y = b[i];      \
            r[i] = (expr);         \
        }                          \
    }
#define BINARY(name, expr) BINARY_WITH(name, R, expr)

#define TERNARY(name, expr)                         \
    MATH_FN(name)                                   \
    {                                               \
        const R *a = in[0], *b = in[1], *c = in[2]; \
        R *r = out[0];                              \
        LANES(i, n)                                 \
        {                                           \
            const R x = a[i], y = b[i], z = c[i];   \
            r[i] = (expr);                          \
        }                                           \
    }

/* ---- to integral values ---- */

#if defined __SSE4_1__ || defined __aarch64__

static inline R rint_of(R x)
{
    return quiet(R_BUILTIN(rint)(x));
}

static inline R floor_of(R x)
{
    return quiet(R_BUILTIN(floor)(x));
}

static inline R ceil_of(R x)
{
    return quiet(R_BUILTIN(ceil)(x));
}

static inline R trunc_of(R x)
{
    return quiet(R_BUILTIN(trunc)(x));
}

#else

/* Adding and subtracting 2^MANTISSA rounds to nearest even. */
static inline R rint_of(R x)
{
    const R m = magnitude(x), r = (m + R_INTEGERS) - R_INTEGERS;
    return m < R_INTEGERS ? with_sign(r, x) : quiet(x);
}

static inline R floor_of(R x)
{
    const R r = rint_of(x);
    return r > x ? r - 1 : r;
}

static inline R ceil_of(R x)
{
    const R r = rint_of(x);
    return with_sign(r < x ? r + 1 : r, r);
}

static inline R trunc_of(R x)
{
    const R m = magnitude(x), r = rint_of(m);
    return quiet(with_sign(r > m ? r - 1 : r, x));
}

#endif

static inline R round_of(R x)
{
    const R m = magnitude(x), t = floor_of(m);
    return quiet(with_sign(m - t >= (R)0.5 ? t + 1 : t, x));
}

UNARY(real_rint, rint_of(x))
UNARY(real_floor, floor_of(x))
UNARY(real_ceil, ceil_of(x))
UNARY(real_trunc, trunc_of(x))
UNARY(real_round, round_of(x))

MATH_FN(real_fract)
{
    const R *a = in[0];
    R *r = out[0], *whole = out[1];
    const R below_one = from_bits(to_bits(1) - 1);
    LANES(i, n)
    {
        const R x = a[i], f = floor_of(x), d = x - f, capped = d < below_one ? d : below_one;
        const R kept = magnitude(x) == R_INF || x == 0 ? with_sign(0, x) : capped;
        whole[i] = f;
        r[i] = x == x ? kept : R_NAN;
    }
}

MATH_FN(real_modf)
{
    const R *a = in[0];
    R *r = out[0], *whole = out[1];
    LANES(i, n)
    {
        const R x = a[i], t = trunc_of(x);
        whole[i] = t;
        r[i] = quiet(with_sign(magnitude(x) == R_INF ? 0 : x - t, x));
    }
}

/* ---- splitting and scaling ---- */

/* Exponent of a finite non-zero value as if its significand were in [1, 2). */
static inline S exponent_of(R x)
{
    const R m = magnitude(x), up = m * R_INTEGERS * 2;
    const S direct = (S)(to_bits(m) >> MANTISSA), scaled = (S)(to_bits(up) >> MANTISSA) - (MANTISSA + 1);
    return (direct == 0 ? scaled : direct) - BIAS;
}

/* Significand in [1, 2) with the sign of a finite non-zero value. */
static inline R significand_of(R x)
{
    const R normal = magnitude(x) < power_of_two(1 - BIAS) ? x * (R_INTEGERS * 2) : x;
    return from_bits((to_bits(normal) & ~((U)EXPONENT_ALL << MANTISSA)) | ((U)BIAS << MANTISSA));
}

static inline bool is_finite_nonzero(R x)
{
    return x != 0 && magnitude(x) < R_INF;
}

/* Both steps are exact until the last one, which rounds once. */
static inline R scaled(R x, int32_t by)
{
    const int32_t limit = 4 * BIAS, bounded = by < -limit ? -limit : by > limit ? limit : by;
    const S sum = exponent_of(x) + bounded;
    const S e = sum < -BIAS - 80 ? -BIAS - 80 : sum > BIAS + 80 ? BIAS + 80 : sum;
    const S first = e >> 1;
    const R r = significand_of(x) * power_of_two(first) * power_of_two(e - first);
    return is_finite_nonzero(x) ? r : quiet(x);
}

static inline int32_t ilogb_of(R x)
{
    const int32_t e = (int32_t)exponent_of(x);
    return x == 0 ? INT_MIN : magnitude(x) < R_INF ? e : INT_MAX;
}

static inline R logb_of(R x)
{
    const R e = (R)(int32_t)exponent_of(x);
    return x == 0 ? -R_INF : magnitude(x) < R_INF ? e : quiet(x * x);
}

BINARY_WITH(real_ldexp, int32_t, scaled(x, y))
UNARY(real_logb, logb_of(x))

MATH_FN(real_ilogb)
{
    const R *a = in[0];
    int32_t *r = out[0];
    LANES(i, n)
    {
        const R x = a[i];
        r[i] = ilogb_of(x);
    }
}

MATH_FN(real_frexp)
{
    const R *a = in[0];
    R *r = out[0];
    int32_t *e = out[1];
    LANES(i, n)
    {
        const R x = a[i];
        const bool split = is_finite_nonzero(x);
        const R half = significand_of(x) * (R)0.5;
        const int32_t exponent = (int32_t)exponent_of(x) + 1;
        e[i] = split ? exponent : 0;
        r[i] = split ? half : quiet(x);
    }
}

/* ---- neighbours and remainders ---- */

static inline R nextafter_of(R x, R y)
{
    const R smallest = from_bits((U)1);
    const U away = to_bits(x) + 1, towards = to_bits(x) - 1;
    const R moved = from_bits((x < y) == (x > 0) ? away : towards);
    const R next = x == 0 ? with_sign(smallest, y) : moved;
    return x != x || y != y ? R_NAN : x == y ? y : next;
}

BINARY(real_nextafter, nextafter_of(x, y))

/* Integer significand and exponent of a finite value: x = significand * 2^exponent. */
struct parts {
    U significand;
    int exponent;
};

static struct parts parts_of(R x)
{
    const U bits = to_bits(magnitude(x)), fraction = bits & (((U)1 << MANTISSA) - 1);
    const int e = (int)(bits >> MANTISSA);
    if (e == 0)
        return (struct parts){fraction, 1};
    return (struct parts){fraction | (U)1 << MANTISSA, e};
}

/* significand * 2^exponent back to a value; exact for remainders, which never have more bits than their
 * divisor. */
static R value_of(U significand, int exponent)
{
    if (significand == 0)
        return 0;
    while (significand < (U)1 << MANTISSA && exponent > 1) {
        significand <<= 1;
        exponent--;
    }
    if (significand < (U)1 << MANTISSA)
        return from_bits(significand);
    return from_bits((significand - ((U)1 << MANTISSA)) | (U)exponent << MANTISSA);
}

/* Long division of |x| by |y|, STEP_BITS quotient bits at a time; the quotient is kept modulo 2^32. */
static R divide_exactly(R x, R y, uint32_t *quotient)
{
    const struct parts a = parts_of(x), b = parts_of(y);
    *quotient = 0;
    if (magnitude(x) < magnitude(y))
        return magnitude(x);
    U rest = a.significand % b.significand;
    *quotient = (uint32_t)(a.significand / b.significand);
    for (int left = a.exponent - b.exponent; left > 0 && (rest || *quotient);) {
        const int step = left < STEP_BITS ? left : STEP_BITS;
        const accumulator dividend = (accumulator)rest << step;
        *quotient = (step < 32 ? *quotient << step : 0) + (uint32_t)(dividend / b.significand);
        rest = (U)(dividend % b.significand);
        left -= step;
    }
    return value_of(rest, b.exponent);
}

static bool has_remainder(R x, R y)
{
    return magnitude(x) < R_INF && y == y && y != 0;
}

static R fmod_of(R x, R y)
{
    uint32_t quotient;
    if (!has_remainder(x, y))
        return R_NAN;
    return magnitude(y) == R_INF ? x : with_sign(divide_exactly(x, y, &quotient), x);
}

/* C99 remquo; the quotient is its seven low bits with its sign. */
static R remquo_of(R x, R y, int32_t *quotient)
{
    *quotient = 0;
    if (!has_remainder(x, y))
        return R_NAN;
    if (magnitude(y) == R_INF)
        return x;
    uint32_t q;
    const R m = magnitude(y);
    R rest = divide_exactly(x, y, &q);
    const R other =
        m - rest; /* exact where it decides: rest is then within a factor two of m, or smaller than half */
    if (rest > other || (rest == other && (q & 1))) {
        rest = rest - m;
        q++;
    }
    const int32_t low = (int32_t)(q & 127);
    *quotient = (to_bits(x) ^ to_bits(y)) & R_SIGN ? -low : low;
    return from_bits(to_bits(rest) ^ (to_bits(x) & R_SIGN));
}

static R remainder_of(R x, R y)
{
    int32_t quotient;
    return remquo_of(x, y, &quotient);
}

MATH_FN(real_fmod)
{
    const R *a = in[0], *b = in[1];
    R *r = out[0];
    for (size_t i = 0; i < n; i++)
        r[i] = fmod_of(a[i], b[i]);
}

MATH_FN(real_remainder)
{
    const R *a = in[0], *b = in[1];
    R *r = out[0];
    for (size_t i = 0; i < n; i++)
        r[i] = remainder_of(a[i], b[i]);
}

MATH_FN(real_remquo)
{
    const R *a = in[0], *b = in[1];
    R *r = out[0];
    int32_t *q = out[1];
    for (size_t i = 0; i < n; i++) {
        int32_t quotient;
        const R rest = remquo_of(a[i], b[i], &quotient);
        r[i] = rest;
        q[i] = quotient;
    }
}

/* ---- comparisons and common functions ---- */

static inline R fmax_of(R x, R y)
{
    const int second = (x < y) | (x != x); /* one condition: the loop becomes vector code */
    return second ? y : x;
}

static inline R fmin_of(R x, R y)
{
    const int second = (y < x) | (x != x);
    return second ? y : x;
}

/* Undefined for NaN, hence without fmin's second test, which would keep the loop scalar. */
static inline R clamp_of(R x, R low, R high)
{
    const R r = fmax_of(x, low);
    return high < r ? high : r;
}

static inline R maxmag_of(R x, R y)
{
    const R a = magnitude(x), b = magnitude(y);
    return a > b ? x : b > a ? y : fmax_of(x, y);
}

static inline R minmag_of(R x, R y)
{
    const R a = magnitude(x), b = magnitude(y);
    return a < b ? x : b < a ? y : fmin_of(x, y);
}

static inline R smoothstep_of(R low, R high, R x)
{
    const R t = fmin_of(fmax_of((x - low) / (high - low), 0), 1);
    return quiet(t * t * (3 - 2 * t));
}

UNARY(real_fabs, magnitude(x))
BINARY(real_copysign, with_sign(x, y))
BINARY(real_fmax, fmax_of(x, y))
BINARY(real_fmin, fmin_of(x, y))
BINARY(real_maxmag, maxmag_of(x, y))
BINARY(real_minmag, minmag_of(x, y))
BINARY(real_fdim, x != x || y != y ? R_NAN : x > y ? x - y : 0)
TERNARY(real_clamp, clamp_of(x, y, z))
TERNARY(real_mad, quiet(x *y + z))
TERNARY(real_mix, quiet(x + (y - x) * z))
BINARY(real_step, (R)(y < x ? 0 : 1))
TERNARY(real_smoothstep, smoothstep_of(x, y, z))
UNARY(real_sign, x > 0 ? 1 : x < 0 ? -1 : x == 0 ? x : 0)
UNARY(real_degrees, quiet(x *(R)57.295779513082320876798))
UNARY(real_radians, quiet(x *(R)0.017453292519943295769237))
UNARY(real_sqrt, quiet(R_BUILTIN(sqrt)(x)))
UNARY(real_rsqrt, quiet(1 / R_BUILTIN(sqrt)(x)))

MATH_FN(real_nan)
{
    const U *a = in[0];
    U *r = out[0];
    LANES(i, n)
    {
        r[i] = a[i] | to_bits(R_NAN);
    }
}

#define REAL_ROWS                                                                                           \
    [OpenCLstd_Rint] = real_rint, [OpenCLstd_Floor] = real_floor, [OpenCLstd_Ceil] = real_ceil,             \
    [OpenCLstd_Trunc] = real_trunc, [OpenCLstd_Round] = real_round, [OpenCLstd_Fract] = real_fract,         \
    [OpenCLstd_Modf] = real_modf, [OpenCLstd_Ldexp] = real_ldexp, [OpenCLstd_Logb] = real_logb,             \
    [OpenCLstd_Ilogb] = real_ilogb, [OpenCLstd_Frexp] = real_frexp, [OpenCLstd_Nextafter] = real_nextafter, \
    [OpenCLstd_Fmod] = real_fmod, [OpenCLstd_Remainder] = real_remainder, [OpenCLstd_Remquo] = real_remquo, \
    [OpenCLstd_Fabs] = real_fabs, [OpenCLstd_Copysign] = real_copysign, [OpenCLstd_Fmax] = real_fmax,       \
    [OpenCLstd_Fmin] = real_fmin, [OpenCLstd_FMax_common] = real_fmax, [OpenCLstd_FMin_common] = real_fmin, \
    [OpenCLstd_Maxmag] = real_maxmag, [OpenCLstd_Minmag] = real_minmag, [OpenCLstd_Fdim] = real_fdim,       \
    [OpenCLstd_FClamp] = real_clamp, [OpenCLstd_Mad] = real_mad, [OpenCLstd_Mix] = real_mix,                \
    [OpenCLstd_Step] = real_step, [OpenCLstd_Smoothstep] = real_smoothstep, [OpenCLstd_Sign] = real_sign,   \
    [OpenCLstd_Degrees] = real_degrees, [OpenCLstd_Radians] = real_radians, [OpenCLstd_Sqrt] = real_sqrt,   \
    [OpenCLstd_Rsqrt] = real_rsqrt, [OpenCLstd_Nan] = real_nan

/* ---- around the vector library ---- */

/* A kernel from a block function (or a plain function on MATH_BLOCK lanes) of one or two operands. */
#define BLOCKS(name, block)                          \
    MATH_FN(name)                                    \
    {                                                \
        const R *a = in[0];                          \
        R *r = out[0];                               \
        for (size_t i = 0; i < n; i += MATH_BLOCK) { \
            R t[MATH_BLOCK];                         \
            block(t, a + i);                         \
            for (size_t k = 0; k < MATH_BLOCK; k++)  \
                r[i + k] = quiet(t[k]);              \
        }                                            \
    }

#define BLOCKS_WITH(name, Y, block)                  \
    MATH_FN(name)                                    \
    {                                                \
        const R *a = in[0];                          \
        const Y *b = in[1];                          \
        R *r = out[0];                               \
        for (size_t i = 0; i < n; i += MATH_BLOCK) { \
            R t[MATH_BLOCK];                         \
            block(t, a + i, b + i);                  \
            for (size_t k = 0; k < MATH_BLOCK; k++)  \
                r[i + k] = quiet(t[k]);              \
        }                                            \
    }

#define EACH_BLOCK_LANE(k) for (size_t k = 0; k < MATH_BLOCK; k++)

/* x modulo 2 in [-1, 1], exact: what sinpi, cospi and tanpi depend on. */
static inline R modulo_two(R x)
{
    return x - 2 * rint_of(x * (R)0.5);
}

/* powr's own NaN cases; elsewhere it is pow of the magnitude. */
static inline bool powr_is_nan(R x, R y)
{
    const bool zero_exponent = y == 0 && (x == 0 || x == R_INF), one = x == 1 && magnitude(y) == R_INF;
    return !(x >= 0) || y != y || zero_exponent || one;
}

/* The sign of gamma, 0 where lgamma has a pole. */
static inline int32_t gamma_sign(R x)
{
    const R f = floor_of(x);
    const bool pole = x == 0 || (x < 0 && f == x), odd = f - 2 * floor_of(f * (R)0.5) != 0;
    return pole ? 0 : x < 0 && odd ? -1 : 1;
}

#endif
