/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL.std for double. If the vector library does not cover the full range, the other lanes are corrected
 * here.
 */
#define REAL_BITS 64
#include "math_real.h"

#include <sleef.h>

BLOCK_F64(sin, u10)
BLOCK_F64(cos, u10)
BLOCK_F64(tan, u10)
BLOCK_F64(asin, u10)
BLOCK_F64(acos, u10)
BLOCK_F64(atan, u10)
BLOCK_F64_2(atan2, u10)
BLOCK_F64(sinh, u10)
BLOCK_F64(cosh, u10)
BLOCK_F64(tanh, u10)
BLOCK_F64(asinh, u10)
BLOCK_F64(acosh, u10)
BLOCK_F64(atanh, u10)
BLOCK_F64(sinpi, u05)
BLOCK_F64(cospi, u05)
BLOCK_F64(exp, u10)
BLOCK_F64(exp2, u10)
BLOCK_F64(exp10, u10)
BLOCK_F64(expm1, u10)
BLOCK_F64(log, u10)
BLOCK_F64(log2, u10)
BLOCK_F64(log10, u10)
BLOCK_F64(log1p, u10)
BLOCK_F64(cbrt, u10)
BLOCK_F64(erf, u10)
BLOCK_F64(erfc, u15)
BLOCK_F64(tgamma, u10)
BLOCK_F64(lgamma, u10)
BLOCK_F64_2(pow, u10)
BLOCK_F64_2(hypot, u05)

#define LN2 0.693147180559945309417
#define PI 3.14159265358979323846

/* ---- lanes beyond the library's range: computed only when a block has one, and used only there ---- */

static inline bool any_beyond(const double *x, double limit)
{
    U any = 0;
    EACH_BLOCK_LANE(k) any |= magnitude(x[k]) > limit;
    return any != 0;
}

/* From here on asinh and acosh are log(2x), log1p is log: to the last bit. */
#define LARGE 0x1p500

static inline void large_logarithms(double *r, const double *x, double added)
{
    double m[MATH_BLOCK], l[MATH_BLOCK];
    if (!any_beyond(x, LARGE))
        return;
    EACH_BLOCK_LANE(k) m[k] = magnitude(x[k]);
    f64_log(l, m);
    EACH_BLOCK_LANE(k) r[k] = m[k] > LARGE ? with_sign(l[k] + added, x[k]) : r[k];
}

static inline void block_asinh(double *r, const double *x)
{
    f64_asinh(r, x);
    large_logarithms(r, x, LN2);
    EACH_BLOCK_LANE(k) r[k] = magnitude(x[k]) < 0x1p-30 ? x[k] : r[k];
}

static inline void block_acosh(double *r, const double *x)
{
    f64_acosh(r, x);
    large_logarithms(r, x, LN2);
    EACH_BLOCK_LANE(k) r[k] = x[k] < 1 ? R_NAN : r[k];
}

static inline void block_log1p(double *r, const double *x)
{
    f64_log1p(r, x);
    large_logarithms(r, x, 0);
    EACH_BLOCK_LANE(k)
    {
        const double kept = magnitude(x[k]) < 0x1p-60 ? x[k] : r[k];
        r[k] = x[k] < -1 ? R_NAN : kept;
    }
}

/* The library's exp overflows a little early. Beyond STEEP: exp(m) * scale, with 64 log 2 taken off m and
 * 2^64 put into scale; 64 log 2 is in two parts of which the first is subtracted without rounding. */
#define STEEP 709.0

static inline void large_exponentials(double *r, const double *m, double scale)
{
    const double high = 0x1.62e42fefa39f0p+5, low = -0x1.950d871319ff0p-48;
    double t[MATH_BLOCK];
    U any = 0;
    EACH_BLOCK_LANE(k) any |= m[k] > STEEP;
    if (!any)
        return;
    EACH_BLOCK_LANE(k) t[k] = m[k] - high;
    f64_exp(t, t);
    EACH_BLOCK_LANE(k) r[k] = m[k] > STEEP ? with_sign(t[k] * (1 - low) * scale, r[k]) : r[k];
}

static inline void block_exp(double *r, const double *x)
{
    f64_exp(r, x);
    large_exponentials(r, x, 0x1p64);
}

static inline void block_sinh(double *r, const double *x)
{
    double m[MATH_BLOCK];
    f64_sinh(r, x);
    EACH_BLOCK_LANE(k) m[k] = magnitude(x[k]);
    large_exponentials(r, m, 0x1p63);
}

static inline void block_cosh(double *r, const double *x)
{
    double m[MATH_BLOCK];
    f64_cosh(r, x);
    EACH_BLOCK_LANE(k) m[k] = magnitude(x[k]);
    large_exponentials(r, m, 0x1p63);
}

static inline void block_tan(double *r, const double *x)
{
    f64_tan(r, x);
    EACH_BLOCK_LANE(k) r[k] = magnitude(x[k]) < 0x1p-30 ? x[k] : r[k];
}

/* gamma(x) = gamma(x + 8) / (x (x + 1) ... (x + 7)): the library loses bits where its result is subnormal. */
static inline void small_gammas(double *r, const double *x)
{
    const double from = -165;
    double t[MATH_BLOCK];
    U any = 0;
    EACH_BLOCK_LANE(k) any |= x[k] < from;
    if (!any)
        return;
    EACH_BLOCK_LANE(k) t[k] = x[k] + 8;
    f64_tgamma(t, t);
    EACH_BLOCK_LANE(k)
    {
        double product = x[k];
        for (int step = 1; step < 8; step++)
            product *= x[k] + step;
        r[k] = x[k] < from ? t[k] / product : r[k];
    }
}

/* Underflow keeps the sign. */
static inline void block_tgamma(double *r, const double *x)
{
    f64_tgamma(r, x);
    small_gammas(r, x);
    EACH_BLOCK_LANE(k)
    {
        const double zero = gamma_sign(x[k]) < 0 ? -0.0 : 0.0;
        r[k] = r[k] == 0 ? zero : r[k];
    }
}

/* ---- trigonometric ---- */

static inline void block_sinpi(double *r, const double *x)
{
    double m[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = modulo_two(x[k]);
    f64_sinpi(r, m);
    EACH_BLOCK_LANE(k)
    {
        const bool integer = m[k] == 0 || magnitude(m[k]) == 1;
        r[k] = integer ? with_sign(0, x[k]) : r[k];
    }
}

static inline void block_cospi(double *r, const double *x)
{
    double m[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = modulo_two(x[k]);
    f64_cospi(r, m);
    EACH_BLOCK_LANE(k) r[k] = magnitude(m[k]) == 0.5 ? 0 : r[k];
}

static inline void block_tanpi(double *r, const double *x)
{
    double s[MATH_BLOCK], c[MATH_BLOCK];
    block_sinpi(s, x);
    block_cospi(c, x);
    EACH_BLOCK_LANE(k) r[k] = s[k] / c[k];
}

static inline void block_asinpi(double *r, const double *x)
{
    f64_asin(r, x);
    EACH_BLOCK_LANE(k) r[k] = r[k] / PI;
}

static inline void block_acospi(double *r, const double *x)
{
    f64_acos(r, x);
    EACH_BLOCK_LANE(k) r[k] = r[k] / PI;
}

static inline void block_atanpi(double *r, const double *x)
{
    f64_atan(r, x);
    EACH_BLOCK_LANE(k) r[k] = r[k] / PI;
}

static inline void block_atan2pi(double *r, const double *y, const double *x)
{
    f64_atan2(r, y, x);
    EACH_BLOCK_LANE(k) r[k] = r[k] / PI;
}

/* ---- powers and roots ---- */

/*
 * The square of p, an approximation to one unit of the last place of the root of a number. If that number is
 * finite and half the square is 2^1023 or more, it is less than three units more: the number then is the
 * largest finite one. A number beyond it whose square comes out so is less than six units beyond.
 */
static inline double square_of_root(double p)
{
    const double half = p * 0.5 * p;
    return ((half >= 0x1p1023) & (half <= 0x1.0000000000003p1023)) ? 0x1.fffffffffffffp1023 : p * p;
}

/* The library overflows a little early: there the power is the square of the power of half the exponent. */
static inline void block_pow(double *r, const double *x, const double *y)
{
    double half[MATH_BLOCK], p[MATH_BLOCK];
    U any = 0;
    f64_pow(r, x, y);
    EACH_BLOCK_LANE(k) any |= (U)(magnitude(r[k]) == R_INF) & (U)(magnitude(x[k]) < R_INF);
    if (!any)
        return;
    EACH_BLOCK_LANE(k)
    {
        half[k] = y[k] * 0.5;
        p[k] = magnitude(x[k]);
    }
    f64_pow(p, p, half);
    EACH_BLOCK_LANE(k)
    {
        const double corrected = is_finite_nonzero(x[k]) ? with_sign(square_of_root(p[k]), r[k]) : r[k];
        const double exact = y[k] == 1 ? x[k] : y[k] == -1 ? 1 / x[k] : corrected;
        r[k] = magnitude(r[k]) == R_INF ? exact : r[k];
    }
}

static inline void block_powr(double *r, const double *x, const double *y)
{
    double m[MATH_BLOCK], p[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = magnitude(x[k]);
    block_pow(p, m, y);
    EACH_BLOCK_LANE(k) r[k] = powr_is_nan(x[k], y[k]) ? R_NAN : p[k];
}

static inline void block_pown(double *r, const double *x, const int32_t *y)
{
    double e[MATH_BLOCK];
    EACH_BLOCK_LANE(k) e[k] = y[k];
    block_pow(r, x, e);
}

/* 1/n is rounded to q: the lost part e of the exponent multiplies the power by 1 + e log x. */
static inline double reciprocal_residue(double n, double q)
{
    const double high = from_bits(to_bits(q) & ~(((U)1 << 31) - 1)), low = q - high;
    return ((1 - n * high) - n * low) / n;
}

static inline void block_rootn(double *r, const double *x, const int32_t *y)
{
    double m[MATH_BLOCK], q[MATH_BLOCK], p[MATH_BLOCK], l[MATH_BLOCK];
    EACH_BLOCK_LANE(k)
    {
        m[k] = magnitude(x[k]);
        q[k] = y[k] == 0 ? 1 : 1 / (double)y[k];
    }
    block_pow(p, m, q);
    f64_log(l, m);
    EACH_BLOCK_LANE(k)
    {
        const bool odd = (y[k] & 1) != 0, regular = is_finite_nonzero(m[k]) && is_finite_nonzero(p[k]);
        const double e = reciprocal_residue(y[k], q[k]), corrected = p[k] + p[k] * (e * l[k]);
        const double root = regular ? corrected : p[k];
        const bool undefined = y[k] == 0 || (x[k] < 0 && !odd);
        r[k] = undefined ? R_NAN : odd ? with_sign(root, x[k]) : root;
    }
}

BLOCKS(real_sin, f64_sin)
BLOCKS(real_cos, f64_cos)
BLOCKS(real_tan, block_tan)
BLOCKS(real_asin, f64_asin)
BLOCKS(real_acos, f64_acos)
BLOCKS(real_atan, f64_atan)
BLOCKS_WITH(real_atan2, double, f64_atan2)
BLOCKS(real_sinh, block_sinh)
BLOCKS(real_cosh, block_cosh)
BLOCKS(real_tanh, f64_tanh)
BLOCKS(real_asinh, block_asinh)
BLOCKS(real_acosh, block_acosh)
BLOCKS(real_atanh, f64_atanh)
BLOCKS(real_sinpi, block_sinpi)
BLOCKS(real_cospi, block_cospi)
BLOCKS(real_tanpi, block_tanpi)
BLOCKS(real_asinpi, block_asinpi)
BLOCKS(real_acospi, block_acospi)
BLOCKS(real_atanpi, block_atanpi)
BLOCKS_WITH(real_atan2pi, double, block_atan2pi)
BLOCKS(real_exp, block_exp)
BLOCKS(real_exp2, f64_exp2)
BLOCKS(real_exp10, f64_exp10)
BLOCKS(real_expm1, f64_expm1)
BLOCKS(real_log, f64_log)
BLOCKS(real_log2, f64_log2)
BLOCKS(real_log10, f64_log10)
BLOCKS(real_log1p, block_log1p)
BLOCKS(real_cbrt, f64_cbrt)
BLOCKS(real_erf, f64_erf)
BLOCKS(real_erfc, f64_erfc)
BLOCKS(real_tgamma, block_tgamma)
BLOCKS(real_lgamma, f64_lgamma)
BLOCKS_WITH(real_pow, double, block_pow)
BLOCKS_WITH(real_powr, double, block_powr)
BLOCKS_WITH(real_pown, int32_t, block_pown)
BLOCKS_WITH(real_rootn, int32_t, block_rootn)
BLOCKS_WITH(real_hypot, double, f64_hypot)

MATH_FN(real_sincos)
{
    const double *a = in[0];
    double *s = out[0], *c = out[1];
    for (size_t i = 0; i < n; i += MATH_BLOCK) {
        double x[MATH_BLOCK], t[MATH_BLOCK];
        EACH_BLOCK_LANE(k) x[k] = a[i + k];
        f64_sin(t, x);
        EACH_BLOCK_LANE(k) s[i + k] = quiet(t[k]);
        f64_cos(t, x);
        EACH_BLOCK_LANE(k) c[i + k] = quiet(t[k]);
    }
}

MATH_FN(real_lgamma_r)
{
    const double *a = in[0];
    double *r = out[0];
    int32_t *sign = out[1];
    for (size_t i = 0; i < n; i += MATH_BLOCK) {
        double x[MATH_BLOCK], t[MATH_BLOCK];
        EACH_BLOCK_LANE(k) x[k] = a[i + k];
        f64_lgamma(t, x);
        EACH_BLOCK_LANE(k)
        {
            r[i + k] = quiet(t[k]);
            sign[i + k] = gamma_sign(x[k]);
        }
    }
}

/* ---- fma ---- */

#if defined __x86_64__ && ORRERY_ISA == 0

/* Error of a sum whose rounded value is s. */
static inline double sum_error(double a, double b, double s)
{
    const double part = s - a;
    return (a - (s - part)) + (b - part);
}

/* a + b rounded to odd, so that a later rounding cannot be misled. */
static inline double sum_to_odd(double a, double b)
{
    const double s = a + b, e = sum_error(a, b, s);
    const U step = 1 | -((to_bits(s) ^ to_bits(e)) >> 63), even = ~to_bits(s) & 1;
    return from_bits(to_bits(s) + (magnitude(e) > 0 ? step & -even : 0));
}

static inline double upper_half(double x)
{
    const double c = x * 134217729.0;
    return c - (c - x);
}

/* Exact product and exact sums of its halves with z; valid while nothing leaves the normal range. */
static inline double fma_split(double x, double y, double z)
{
    const double p = x * y, xh = upper_half(x), xl = x - xh, yh = upper_half(y), yl = y - yh;
    const double low = ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
    const double t = z + low, te = sum_error(z, low, t);
    const double v = p + t, ve = sum_error(p, t, v);
    return v + sum_to_odd(te, ve);
}

static inline bool fma_is_split(double x, double y, double z)
{
    const double p = magnitude(x * y), largest = 0x1p900, smallest = 0x1p-900;
    const double xy = magnitude(x) > magnitude(y) ? magnitude(x) : magnitude(y);
    const double all = xy > magnitude(z) ? xy : magnitude(z), product = all > p ? all : p;
    return product < largest && p > smallest; /* a NaN makes p one */
}

static double fma_rare(double x, double y, double z)
{
    const bool plain = x == 0 || y == 0 || !(magnitude(x) < R_INF) || !(magnitude(y) < R_INF);
    return plain ? x * y + z : __builtin_fma(x, y, z);
}

static inline void block_fma(double *r, const double *x, const double *y, const double *z)
{
    U rare[MATH_BLOCK], any = 0;
    double t[MATH_BLOCK];
    EACH_BLOCK_LANE(k)
    {
        t[k] = fma_split(x[k], y[k], z[k]);
        rare[k] = fma_is_split(x[k], y[k], z[k]) ? 0 : 1;
    }
    EACH_BLOCK_LANE(k) any |= rare[k];
    if (any)
        EACH_BLOCK_LANE(k)
    if (rare[k])
        t[k] = fma_rare(x[k], y[k], z[k]);
    EACH_BLOCK_LANE(k) r[k] = quiet(t[k]);
}

MATH_FN(real_fma)
{
    const double *a = in[0], *b = in[1], *c = in[2];
    double *r = out[0];
    for (size_t i = 0; i < n; i += MATH_BLOCK)
        block_fma(r + i, a + i, b + i, c + i);
}

#else
#ifdef __x86_64__
__attribute__((target("fma")))
#endif
TERNARY(real_fma, quiet(__builtin_fma(x, y, z)))
#endif

math_fn *const MATH_TABLE(f64)[MATH_ENTRIES] = {
    REAL_ROWS,
    [OpenCLstd_Fma] = real_fma,
    [OpenCLstd_Sin] = real_sin,
    [OpenCLstd_Cos] = real_cos,
    [OpenCLstd_Sincos] = real_sincos,
    [OpenCLstd_Tan] = real_tan,
    [OpenCLstd_Asin] = real_asin,
    [OpenCLstd_Acos] = real_acos,
    [OpenCLstd_Atan] = real_atan,
    [OpenCLstd_Atan2] = real_atan2,
    [OpenCLstd_Sinpi] = real_sinpi,
    [OpenCLstd_Cospi] = real_cospi,
    [OpenCLstd_Tanpi] = real_tanpi,
    [OpenCLstd_Asinpi] = real_asinpi,
    [OpenCLstd_Acospi] = real_acospi,
    [OpenCLstd_Atanpi] = real_atanpi,
    [OpenCLstd_Atan2pi] = real_atan2pi,
    [OpenCLstd_Sinh] = real_sinh,
    [OpenCLstd_Cosh] = real_cosh,
    [OpenCLstd_Tanh] = real_tanh,
    [OpenCLstd_Asinh] = real_asinh,
    [OpenCLstd_Acosh] = real_acosh,
    [OpenCLstd_Atanh] = real_atanh,
    [OpenCLstd_Exp] = real_exp,
    [OpenCLstd_Exp2] = real_exp2,
    [OpenCLstd_Exp10] = real_exp10,
    [OpenCLstd_Expm1] = real_expm1,
    [OpenCLstd_Log] = real_log,
    [OpenCLstd_Log2] = real_log2,
    [OpenCLstd_Log10] = real_log10,
    [OpenCLstd_Log1p] = real_log1p,
    [OpenCLstd_Cbrt] = real_cbrt,
    [OpenCLstd_Erf] = real_erf,
    [OpenCLstd_Erfc] = real_erfc,
    [OpenCLstd_Tgamma] = real_tgamma,
    [OpenCLstd_Lgamma] = real_lgamma,
    [OpenCLstd_Lgamma_r] = real_lgamma_r,
    [OpenCLstd_Pow] = real_pow,
    [OpenCLstd_Powr] = real_powr,
    [OpenCLstd_Pown] = real_pown,
    [OpenCLstd_Rootn] = real_rootn,
    [OpenCLstd_Hypot] = real_hypot,
};
