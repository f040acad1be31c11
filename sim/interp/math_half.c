/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL.std for half: computed by the float kernels and rounded once. For exact single operations (sqrt,
 * divide, fdim, remainders, scaling) that is correctly rounded, as float has more than twice the bits of half
 * plus two. Functions that would be rounded twice are written out here. */
#include "math_isa.h"

typedef uint16_t H;

enum { HALF_CHUNK = 64, HALF_SIGN = 0x8000, HALF_INF = 0x7c00, HALF_NAN = 0x7e00 };

union float_bits {
    float real;
    uint32_t bits;
};

/* The same as in half.h; in this form gcc 12 makes vector code of the loops below. */
static inline float half_to_float(H h)
{
    const uint32_t m = h & 0x7fffu, sign = (uint32_t)(h & HALF_SIGN) << 16;
    const uint32_t rebiased = (m << 13) + (m >= HALF_INF ? (255u - 31) << 23 : 112u << 23);
    const union float_bits normal = {.bits = rebiased};
    union float_bits small = {.real = (float)(int32_t)m * 0x1p-24f};
    small.bits = (m < 0x400 ? small.bits : normal.bits) | sign;
    return small.real;
}

/*
 * To nearest even. Subnormal results are made by adding the float whose last bit is the last bit of a half.
 */
static inline H float_to_half(float x)
{
    const union float_bits in = {.real = x};
    const uint32_t m = in.bits & 0x7fffffffu, sign = in.bits >> 16 & HALF_SIGN;
    const uint32_t rounded = (m - (112u << 23) + 0xfff + (m >> 13 & 1)) >> 13;
    const union float_bits magnitude = {.bits = m}, small = {.real = magnitude.real + 0.5f};
    const uint32_t finite = m < 113u << 23 ? small.bits - 0x3f000000u : rounded;
    const uint32_t overflow = m >= 0x477ff000u ? HALF_INF : finite;
    return (H)((m > 0x7f800000u ? HALF_NAN : overflow) | sign * (m <= 0x7f800000u));
}

/* ---- through float ---- */

enum operand { NOTHING, HALVES, INTEGERS };

/* Operand k of a chunk: halves widened, integers as they are. */
static const void *chunk_operand(enum operand kind, const void *in, size_t at, size_t count, float *room)
{
    if (kind == INTEGERS)
        return (const int32_t *)in + at;
    const H *halves = (const H *)in + at;
    LANES(i, count)
    {
        room[i] = half_to_float(halves[i]);
    }
    return room;
}

static void narrow(H *to, const float *from, size_t count)
{
    LANES(i, count)
    {
        to[i] = float_to_half(from[i]);
    }
}

static void through_float(math_fn *fn, const enum operand to[2], const enum operand from[3], size_t n,
                          void *const out[2], const void *const in[3])
{
    float inputs[3][HALF_CHUNK], outputs[2][HALF_CHUNK];
    for (size_t at = 0; at < n; at += HALF_CHUNK) {
        const size_t count = n - at < HALF_CHUNK ? n - at : HALF_CHUNK;
        const void *operands[3] = {NULL, NULL, NULL};
        for (int k = 0; k < 3 && from[k]; k++)
            operands[k] = chunk_operand(from[k], in[k], at, count, inputs[k]);
        fn(count, (void *[2]){outputs[0], outputs[1]}, operands);
        for (int k = 0; k < 2 && to[k]; k++) {
            if (to[k] == INTEGERS)
                __builtin_memcpy((int32_t *)out[k] + at, outputs[k], count * sizeof(int32_t));
            else
                narrow((H *)out[k] + at, outputs[k], count);
        }
    }
}

#define THROUGH(name, entry, first, second, ...)                                    \
    MATH_FN(name)                                                                   \
    {                                                                               \
        static const enum operand to[2] = {first, second}, from[3] = {__VA_ARGS__}; \
        through_float(MATH_TABLE(f32)[entry], to, from, n, out, in);                \
    }

#define HALF_UNARY(name, Entry) THROUGH(half_##name, OpenCLstd_##Entry, HALVES, NOTHING, HALVES)
#define HALF_BINARY(name, Entry) THROUGH(half_##name, OpenCLstd_##Entry, HALVES, NOTHING, HALVES, HALVES)
#define HALF_SCALED(name, Entry) THROUGH(half_##name, OpenCLstd_##Entry, HALVES, NOTHING, HALVES, INTEGERS)
#define HALF_TERNARY(name, Entry) \
    THROUGH(half_##name, OpenCLstd_##Entry, HALVES, NOTHING, HALVES, HALVES, HALVES)
HALF_UNARY(acos, Acos)
HALF_UNARY(acosh, Acosh)
HALF_UNARY(acospi, Acospi)
HALF_UNARY(asin, Asin)
HALF_UNARY(asinh, Asinh)
HALF_UNARY(asinpi, Asinpi)
HALF_UNARY(atan, Atan)
HALF_UNARY(atanh, Atanh)
HALF_UNARY(atanpi, Atanpi)
HALF_UNARY(cbrt, Cbrt)
HALF_UNARY(ceil, Ceil)
HALF_UNARY(cos, Cos)
HALF_UNARY(cosh, Cosh)
HALF_UNARY(cospi, Cospi)
HALF_UNARY(erfc, Erfc)
HALF_UNARY(erf, Erf)
HALF_UNARY(exp, Exp)
HALF_UNARY(exp2, Exp2)
HALF_UNARY(exp10, Exp10)
HALF_UNARY(expm1, Expm1)
HALF_UNARY(floor, Floor)
HALF_UNARY(lgamma, Lgamma)
HALF_UNARY(log, Log)
HALF_UNARY(log2, Log2)
HALF_UNARY(log10, Log10)
HALF_UNARY(log1p, Log1p)
HALF_UNARY(logb, Logb)
HALF_UNARY(rint, Rint)
HALF_UNARY(round, Round)
HALF_UNARY(rsqrt, Rsqrt)
HALF_UNARY(sin, Sin)
HALF_UNARY(sinh, Sinh)
HALF_UNARY(sinpi, Sinpi)
HALF_UNARY(sqrt, Sqrt)
HALF_UNARY(tan, Tan)
HALF_UNARY(tanh, Tanh)
HALF_UNARY(tanpi, Tanpi)
HALF_UNARY(tgamma, Tgamma)
HALF_UNARY(trunc, Trunc)
HALF_UNARY(degrees, Degrees)
HALF_UNARY(radians, Radians)
HALF_BINARY(atan2, Atan2)
HALF_BINARY(atan2pi, Atan2pi)
HALF_BINARY(fdim, Fdim)
HALF_BINARY(fmod, Fmod)
HALF_BINARY(hypot, Hypot)
HALF_BINARY(pow, Pow)
HALF_BINARY(powr, Powr)
HALF_BINARY(remainder, Remainder)
HALF_BINARY(step, Step)
HALF_SCALED(ldexp, Ldexp)
HALF_SCALED(pown, Pown)
HALF_SCALED(rootn, Rootn)
HALF_TERNARY(mix, Mix)
HALF_TERNARY(smoothstep, Smoothstep)
THROUGH(half_ilogb, OpenCLstd_Ilogb, INTEGERS, NOTHING, HALVES)
THROUGH(half_frexp, OpenCLstd_Frexp, HALVES, INTEGERS, HALVES)
THROUGH(half_modf, OpenCLstd_Modf, HALVES, HALVES, HALVES)
THROUGH(half_sincos, OpenCLstd_Sincos, HALVES, HALVES, HALVES)
THROUGH(half_lgamma_r, OpenCLstd_Lgamma_r, HALVES, INTEGERS, HALVES)
THROUGH(half_remquo, OpenCLstd_Remquo, HALVES, INTEGERS, HALVES, HALVES)
THROUGH(half_float_fract, OpenCLstd_Fract, HALVES, HALVES, HALVES)

/* ---- written out ---- */

/* Float's largest value below one rounds to one: cap again in half. */
MATH_FN(half_fract)
{
    half_float_fract(n, out, in);
    H *r = out[0];
    LANES(i, n)
    {
        const H x = r[i];
        r[i] = x == 0x3c00 ? 0x3bff : x;
    }
}

/* The product is exact in float; the sum is rounded to odd there and once more to half. */
static inline H fma_of(H x, H y, H z)
{
    const float p = half_to_float(x) * half_to_float(y), c = half_to_float(z), s = p + c, part = s - p;
    const float e = (p - (s - part)) + (c - part);
    union float_bits odd = {.real = s};
    const union float_bits error = {.real = e};
    const uint32_t step = 1 | -((odd.bits ^ error.bits) >> 31), even = ~odd.bits & 1;
    odd.bits += __builtin_fabsf(e) > 0 ? step & -even : 0; /* e is a NaN when s is not finite */
    return float_to_half(odd.real);
}

static inline bool is_nan(H x)
{
    return (x & 0x7fff) > HALF_INF;
}

/* Halves as integers in numeric order, both zeros equal. */
static inline int16_t order_of(H x)
{
    return (int16_t)(x & HALF_SIGN ? -(x & 0x7fff) : x);
}

static inline H fmax_of(H x, H y)
{
    return (!is_nan(y) && order_of(x) < order_of(y)) || is_nan(x) ? y : x;
}

static inline H fmin_of(H x, H y)
{
    return (!is_nan(y) && order_of(y) < order_of(x)) || is_nan(x) ? y : x;
}

static inline H maxmag_of(H x, H y)
{
    const H a = x & 0x7fff, b = y & 0x7fff;
    const bool ordered = !is_nan(x) && !is_nan(y);
    return ordered && a > b ? x : ordered && b > a ? y : fmax_of(x, y);
}

static inline H minmag_of(H x, H y)
{
    const H a = x & 0x7fff, b = y & 0x7fff;
    const bool ordered = !is_nan(x) && !is_nan(y);
    return ordered && a < b ? x : ordered && b < a ? y : fmin_of(x, y);
}

static inline H nextafter_of(H x, H y)
{
    const H moved = (H)((order_of(x) < order_of(y)) == (order_of(x) > 0) ? x + 1 : x - 1);
    const H next = (x & 0x7fff) == 0 ? (H)((y & HALF_SIGN) | 1) : moved;
    return is_nan(x) || is_nan(y) ? HALF_NAN : order_of(x) == order_of(y) ? y : next;
}

static inline H sign_of(H x)
{
    const bool zero = (x & 0x7fff) == 0;
    return is_nan(x) ? 0 : zero ? x : (H)((x & HALF_SIGN) | 0x3c00);
}

#define H_KERNEL(name, expr)  \
    MATH_FN(name)             \
    {                         \
        const H *a = in[0];   \
        H *r = out[0];        \
        LANES(i, n)           \
        {                     \
            const H x = a[i]; \
            r[i] = (H)(expr); \
        }                     \
    }

#define H_KERNEL_2(name, expr)          \
    MATH_FN(name)                       \
    {                                   \
        const H *a = in[0], *b = in[1]; \
        H *r = out[0];                  \
        LANES(i, n)                     \
        {                               \
            const H x = a[i], y = b[i]; \
            r[i] = (H)(expr);           \
        }                               \
    }

#define H_KERNEL_3(name, expr)                      \
    MATH_FN(name)                                   \
    {                                               \
        const H *a = in[0], *b = in[1], *c = in[2]; \
        H *r = out[0];                              \
        LANES(i, n)                                 \
        {                                           \
            const H x = a[i], y = b[i], z = c[i];   \
            r[i] = (H)(expr);                       \
        }                                           \
    }

H_KERNEL(half_fabs, x & 0x7fff)
H_KERNEL(half_sign, sign_of(x))
H_KERNEL(half_nan, x | HALF_NAN)
H_KERNEL_2(half_copysign, (x & 0x7fff) | (y & HALF_SIGN))
H_KERNEL_2(half_fmax, fmax_of(x, y))
H_KERNEL_2(half_fmin, fmin_of(x, y))
H_KERNEL_2(half_maxmag, maxmag_of(x, y))
H_KERNEL_2(half_minmag, minmag_of(x, y))
H_KERNEL_2(half_nextafter, nextafter_of(x, y))
H_KERNEL_3(half_clamp, fmin_of(fmax_of(x, y), z))
H_KERNEL_3(half_fma, fma_of(x, y, z))

math_fn *const MATH_TABLE(f16)[MATH_ENTRIES] = {
    [OpenCLstd_Acos] = half_acos,
    [OpenCLstd_Acosh] = half_acosh,
    [OpenCLstd_Acospi] = half_acospi,
    [OpenCLstd_Asin] = half_asin,
    [OpenCLstd_Asinh] = half_asinh,
    [OpenCLstd_Asinpi] = half_asinpi,
    [OpenCLstd_Atan] = half_atan,
    [OpenCLstd_Atanh] = half_atanh,
    [OpenCLstd_Atanpi] = half_atanpi,
    [OpenCLstd_Cbrt] = half_cbrt,
    [OpenCLstd_Ceil] = half_ceil,
    [OpenCLstd_Cos] = half_cos,
    [OpenCLstd_Cosh] = half_cosh,
    [OpenCLstd_Cospi] = half_cospi,
    [OpenCLstd_Erfc] = half_erfc,
    [OpenCLstd_Erf] = half_erf,
    [OpenCLstd_Exp] = half_exp,
    [OpenCLstd_Exp2] = half_exp2,
    [OpenCLstd_Exp10] = half_exp10,
    [OpenCLstd_Expm1] = half_expm1,
    [OpenCLstd_Floor] = half_floor,
    [OpenCLstd_Lgamma] = half_lgamma,
    [OpenCLstd_Log] = half_log,
    [OpenCLstd_Log2] = half_log2,
    [OpenCLstd_Log10] = half_log10,
    [OpenCLstd_Log1p] = half_log1p,
    [OpenCLstd_Logb] = half_logb,
    [OpenCLstd_Rint] = half_rint,
    [OpenCLstd_Round] = half_round,
    [OpenCLstd_Rsqrt] = half_rsqrt,
    [OpenCLstd_Sin] = half_sin,
    [OpenCLstd_Sinh] = half_sinh,
    [OpenCLstd_Sinpi] = half_sinpi,
    [OpenCLstd_Sqrt] = half_sqrt,
    [OpenCLstd_Tan] = half_tan,
    [OpenCLstd_Tanh] = half_tanh,
    [OpenCLstd_Tanpi] = half_tanpi,
    [OpenCLstd_Tgamma] = half_tgamma,
    [OpenCLstd_Trunc] = half_trunc,
    [OpenCLstd_Degrees] = half_degrees,
    [OpenCLstd_Radians] = half_radians,
    [OpenCLstd_Atan2] = half_atan2,
    [OpenCLstd_Atan2pi] = half_atan2pi,
    [OpenCLstd_Fdim] = half_fdim,
    [OpenCLstd_Fmod] = half_fmod,
    [OpenCLstd_Hypot] = half_hypot,
    [OpenCLstd_Pow] = half_pow,
    [OpenCLstd_Powr] = half_powr,
    [OpenCLstd_Remainder] = half_remainder,
    [OpenCLstd_Step] = half_step,
    [OpenCLstd_Ldexp] = half_ldexp,
    [OpenCLstd_Pown] = half_pown,
    [OpenCLstd_Rootn] = half_rootn,
    [OpenCLstd_Mix] = half_mix,
    [OpenCLstd_Smoothstep] = half_smoothstep,
    [OpenCLstd_Ilogb] = half_ilogb,
    [OpenCLstd_Frexp] = half_frexp,
    [OpenCLstd_Modf] = half_modf,
    [OpenCLstd_Sincos] = half_sincos,
    [OpenCLstd_Lgamma_r] = half_lgamma_r,
    [OpenCLstd_Remquo] = half_remquo,
    [OpenCLstd_Fract] = half_fract,
    [OpenCLstd_Fabs] = half_fabs,
    [OpenCLstd_Sign] = half_sign,
    [OpenCLstd_Nan] = half_nan,
    [OpenCLstd_Copysign] = half_copysign,
    [OpenCLstd_Fmax] = half_fmax,
    [OpenCLstd_Fmin] = half_fmin,
    [OpenCLstd_Maxmag] = half_maxmag,
    [OpenCLstd_Minmag] = half_minmag,
    [OpenCLstd_Nextafter] = half_nextafter,
    [OpenCLstd_Fma] = half_fma,
    [OpenCLstd_Mad] = half_fma,
    [OpenCLstd_FClamp] = half_clamp,
    [OpenCLstd_FMax_common] = half_fmax,
    [OpenCLstd_FMin_common] = half_fmin,
};
