/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL.std for float. Frequent functions run in float; those whose float version stops short of the range
 * or the limits run in double, where every float is far from the edges. */
#define REAL_BITS 32
#include "math_real.h"

#include <sleef.h>

BLOCK_F32(sin, u10)
BLOCK_F32(cos, u10)
BLOCK_F32(tan, u10)
BLOCK_F32(asin, u10)
BLOCK_F32(acos, u10)
BLOCK_F32(atan, u10)
BLOCK_F32(tanh, u10)
BLOCK_F32(atanh, u10)
BLOCK_F32(sinpi, u05)
BLOCK_F32(cospi, u05)
BLOCK_F32(exp, u10)
BLOCK_F32(exp2, u10)
BLOCK_F32(exp10, u10)
BLOCK_F32(expm1, u10)
BLOCK_F32(log, u10)
BLOCK_F32(log2, u10)
BLOCK_F32(log10, u10)
BLOCK_F32(cbrt, u10)
BLOCK_F32(erf, u10)
BLOCK_F32_2(pow, u10)
BLOCK_F32(erfc, u15)
BLOCK_F32(log1p, u10)
BLOCK_F32_2(atan2, u10)

/* For the native and half entries, whose accuracy is ours to choose. */
#define BLOCK_FAST(fn) BLOCK_UNARY(f32_fast_##fn, float, vector_f32, F32_LANES, SLEEF_F32(fn, u35))
BLOCK_FAST(sin)
BLOCK_FAST(cos)
BLOCK_FAST(tan)
BLOCK_FAST(exp2)
BLOCK_FAST(exp10)
BLOCK_FAST(log)
BLOCK_FAST(log2)

BLOCK_F64(sinh, u10)
BLOCK_F64(cosh, u10)
BLOCK_F64(asinh, u10)
BLOCK_F64(acosh, u10)
BLOCK_F64(asin, u10)
BLOCK_F64(acos, u10)
BLOCK_F64(atan, u10)
BLOCK_F64_2(atan2, u10)
BLOCK_F64(tgamma, u10)
BLOCK_F64(lgamma, u10)
BLOCK_F64_2(pow, u10)

#define PI 3.14159265358979323846

/* result: an expression of the double v[k]. */
#define BLOCK_IN_DOUBLE(name, block, result)          \
    static inline void name(float *r, const float *x) \
    {                                                 \
        double v[MATH_BLOCK];                         \
        EACH_BLOCK_LANE(k) v[k] = x[k];               \
        block(v, v);                                  \
        EACH_BLOCK_LANE(k) r[k] = (float)(result);    \
    }

#define BLOCK_IN_DOUBLE_2(name, block, Y, result)                 \
    static inline void name(float *r, const float *x, const Y *y) \
    {                                                             \
        double v[MATH_BLOCK], w[MATH_BLOCK];                      \
        EACH_BLOCK_LANE(k)                                        \
        {                                                         \
            v[k] = x[k];                                          \
            w[k] = y[k];                                          \
        }                                                         \
        block(v, v, w);                                           \
        EACH_BLOCK_LANE(k) r[k] = (float)(result);                \
    }

BLOCK_IN_DOUBLE(block_sinh, f64_sinh, v[k])
BLOCK_IN_DOUBLE(block_cosh, f64_cosh, v[k])
BLOCK_IN_DOUBLE(block_asinh, f64_asinh, v[k])
BLOCK_IN_DOUBLE(block_acosh, f64_acosh, v[k])
BLOCK_IN_DOUBLE(block_tgamma, f64_tgamma,
                v[k] == 0 && gamma_sign(x[k]) < 0 ? -0.0 : v[k]) /* underflow keeps the sign */
BLOCK_IN_DOUBLE(block_lgamma, f64_lgamma, v[k])
BLOCK_IN_DOUBLE(block_asinpi, f64_asin, v[k] / PI)
BLOCK_IN_DOUBLE(block_acospi, f64_acos, v[k] / PI)
BLOCK_IN_DOUBLE(block_atanpi, f64_atan, v[k] / PI)
BLOCK_IN_DOUBLE_2(block_atan2pi, f64_atan2, float, v[k] / PI)
BLOCK_IN_DOUBLE_2(block_pown_in_double, f64_pow, int32_t, v[k])

/* ---- trigonometric ---- */

static inline void block_sinpi(float *r, const float *x)
{
    float m[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = modulo_two(x[k]);
    f32_sinpi(r, m);
    EACH_BLOCK_LANE(k)
    {
        const bool integer = m[k] == 0 || magnitude(m[k]) == 1;
        r[k] = integer ? with_sign(0, x[k]) : r[k];
    }
}

static inline void block_cospi(float *r, const float *x)
{
    float m[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = modulo_two(x[k]);
    f32_cospi(r, m);
    EACH_BLOCK_LANE(k) r[k] = magnitude(m[k]) == 0.5f ? 0 : r[k];
}

static inline void block_tanpi(float *r, const float *x)
{
    float s[MATH_BLOCK], c[MATH_BLOCK];
    block_sinpi(s, x);
    block_cospi(c, x);
    EACH_BLOCK_LANE(k) r[k] = s[k] / c[k];
}

/* ---- logarithms, powers and roots ---- */

static inline void block_log1p(float *r, const float *x)
{
    const float large = 0x1p100f;
    float l[MATH_BLOCK];
    uint32_t any = 0;
    f32_log1p(r, x);
    EACH_BLOCK_LANE(k)
    {
        r[k] = magnitude(x[k]) < 0x1p-30f ? x[k] : r[k];
        any |= x[k] > large;
    }
    if (!any) /* the library's log1p ends there */
        return;
    f32_log(l, x);
    EACH_BLOCK_LANE(k) r[k] = x[k] > large ? l[k] : r[k];
}

/* An exponent that float cannot hold is taken to double; which way depends on the lane alone. */
static inline void block_pown(float *r, const float *x, const int32_t *y)
{
    const int32_t exact = 1 << 24;
    float e[MATH_BLOCK], p[MATH_BLOCK];
    uint32_t any = 0;
    EACH_BLOCK_LANE(k)
    {
        e[k] = (float)y[k];
        any |= (y[k] > exact) | (y[k] < -exact);
    }
    f32_pow(r, x, e);
    if (!any)
        return;
    block_pown_in_double(p, x, y);
    EACH_BLOCK_LANE(k)
    {
        const int beyond = (y[k] > exact) | (y[k] < -exact);
        r[k] = beyond ? p[k] : r[k];
    }
}

static inline void block_powr(float *r, const float *x, const float *y)
{
    float m[MATH_BLOCK], p[MATH_BLOCK];
    EACH_BLOCK_LANE(k) m[k] = magnitude(x[k]);
    f32_pow(p, m, y);
    EACH_BLOCK_LANE(k) r[k] = powr_is_nan(x[k], y[k]) ? R_NAN : p[k];
}

static inline void block_rootn(float *r, const float *x, const int32_t *y)
{
    double m[MATH_BLOCK], q[MATH_BLOCK];
    EACH_BLOCK_LANE(k)
    {
        m[k] = magnitude(x[k]);
        q[k] = y[k] == 0 ? 1 : 1 / (double)y[k];
    }
    f64_pow(m, m, q);
    EACH_BLOCK_LANE(k)
    {
        const bool odd = (y[k] & 1) != 0, undefined = y[k] == 0 || (x[k] < 0 && !odd);
        const float root = (float)m[k];
        r[k] = undefined ? R_NAN : odd ? with_sign(root, x[k]) : root;
    }
}

/* Squares of floats are exact in double and cannot overflow there. */
static inline float hypot_of(float x, float y)
{
    const float r = (float)__builtin_sqrt((double)x * x + (double)y * y);
    return magnitude(x) == R_INF || magnitude(y) == R_INF ? R_INF : quiet(r);
}

#if defined __x86_64__ && ORRERY_ISA == 0
union wide {
    double real;
    uint64_t bits;
};

/* The product is exact in double; the sum is rounded to odd there, so that rounding to float cannot be
 * misled. */
static inline float fma_of(float x, float y, float z)
{
    const double p = (double)x * y, c = z, s = p + c, part = s - p;
    const double e = (p - (s - part)) + (c - part);
    union wide odd = {.real = s}, error = {.real = e};
    const uint64_t step = 1 | -((odd.bits ^ error.bits) >> 63), even = ~odd.bits & 1;
    odd.bits += __builtin_fabs(e) > 0 ? step & -even : 0; /* e is a NaN when s is not finite */
    return quiet((float)odd.real);
}

TERNARY(real_fma, fma_of(x, y, z))
#else
#ifdef __x86_64__
__attribute__((target("fma")))
#endif
TERNARY(real_fma, quiet(__builtin_fmaf(x, y, z)))
#endif

BINARY(real_hypot, hypot_of(x, y))
UNARY(real_recip, quiet(1 / x))
BINARY(real_divide, quiet(x / y))

BLOCKS(real_sin, f32_sin)
BLOCKS(real_cos, f32_cos)
BLOCKS(real_tan, f32_tan)
BLOCKS(real_asin, f32_asin)
BLOCKS(real_acos, f32_acos)
BLOCKS(real_atan, f32_atan)
BLOCKS(real_sinh, block_sinh)
BLOCKS(real_cosh, block_cosh)
BLOCKS(real_tanh, f32_tanh)
BLOCKS(real_asinh, block_asinh)
BLOCKS(real_acosh, block_acosh)
BLOCKS(real_atanh, f32_atanh)
BLOCKS(real_sinpi, block_sinpi)
BLOCKS(real_cospi, block_cospi)
BLOCKS(real_tanpi, block_tanpi)
BLOCKS(real_asinpi, block_asinpi)
BLOCKS(real_acospi, block_acospi)
BLOCKS(real_atanpi, block_atanpi)
BLOCKS(real_exp, f32_exp)
BLOCKS(real_exp2, f32_exp2)
BLOCKS(real_exp10, f32_exp10)
BLOCKS(real_expm1, f32_expm1)
BLOCKS(real_log, f32_log)
BLOCKS(real_log2, f32_log2)
BLOCKS(real_log10, f32_log10)
BLOCKS(real_log1p, block_log1p)
BLOCKS(real_cbrt, f32_cbrt)
BLOCKS(real_erf, f32_erf)
BLOCKS(real_erfc, f32_erfc)
BLOCKS(real_tgamma, block_tgamma)
BLOCKS(real_lgamma, block_lgamma)
BLOCKS(fast_sin, f32_fast_sin)
BLOCKS(fast_cos, f32_fast_cos)
BLOCKS(fast_tan, f32_fast_tan)
BLOCKS(fast_exp2, f32_fast_exp2)
BLOCKS(fast_exp10, f32_fast_exp10)
BLOCKS(fast_log, f32_fast_log)
BLOCKS(fast_log2, f32_fast_log2)
BLOCKS_WITH(real_atan2, float, f32_atan2)
BLOCKS_WITH(real_atan2pi, float, block_atan2pi)
BLOCKS_WITH(real_pow, float, f32_pow)
BLOCKS_WITH(real_powr, float, block_powr)
BLOCKS_WITH(real_pown, int32_t, block_pown)
BLOCKS_WITH(real_rootn, int32_t, block_rootn)

MATH_FN(real_sincos)
{
    const float *a = in[0];
    float *s = out[0], *c = out[1];
    for (size_t i = 0; i < n; i += MATH_BLOCK) {
        float x[MATH_BLOCK], t[MATH_BLOCK];
        EACH_BLOCK_LANE(k) x[k] = a[i + k];
        f32_sin(t, x);
        EACH_BLOCK_LANE(k) s[i + k] = quiet(t[k]);
        f32_cos(t, x);
        EACH_BLOCK_LANE(k) c[i + k] = quiet(t[k]);
    }
}

MATH_FN(real_lgamma_r)
{
    const float *a = in[0];
    float *r = out[0];
    int32_t *sign = out[1];
    for (size_t i = 0; i < n; i += MATH_BLOCK) {
        float x[MATH_BLOCK], t[MATH_BLOCK];
        EACH_BLOCK_LANE(k) x[k] = a[i + k];
        block_lgamma(t, x);
        EACH_BLOCK_LANE(k)
        {
            r[i + k] = quiet(t[k]);
            sign[i + k] = gamma_sign(x[k]);
        }
    }
}

math_fn *const MATH_TABLE(f32)[MATH_ENTRIES] = {
    REAL_ROWS,
    [OpenCLstd_Fma] = real_fma,
    [OpenCLstd_Hypot] = real_hypot,
    [OpenCLstd_Sincos] = real_sincos,
    [OpenCLstd_Lgamma_r] = real_lgamma_r,
    [OpenCLstd_Sin] = real_sin,
    [OpenCLstd_Cos] = real_cos,
    [OpenCLstd_Tan] = real_tan,
    [OpenCLstd_Asin] = real_asin,
    [OpenCLstd_Acos] = real_acos,
    [OpenCLstd_Atan] = real_atan,
    [OpenCLstd_Sinh] = real_sinh,
    [OpenCLstd_Cosh] = real_cosh,
    [OpenCLstd_Tanh] = real_tanh,
    [OpenCLstd_Asinh] = real_asinh,
    [OpenCLstd_Acosh] = real_acosh,
    [OpenCLstd_Atanh] = real_atanh,
    [OpenCLstd_Sinpi] = real_sinpi,
    [OpenCLstd_Cospi] = real_cospi,
    [OpenCLstd_Tanpi] = real_tanpi,
    [OpenCLstd_Asinpi] = real_asinpi,
    [OpenCLstd_Acospi] = real_acospi,
    [OpenCLstd_Atanpi] = real_atanpi,
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
    [OpenCLstd_Atan2] = real_atan2,
    [OpenCLstd_Atan2pi] = real_atan2pi,
    [OpenCLstd_Pow] = real_pow,
    [OpenCLstd_Powr] = real_powr,
    [OpenCLstd_Pown] = real_pown,
    [OpenCLstd_Rootn] = real_rootn,
    [OpenCLstd_Half_cos] = fast_cos,
    [OpenCLstd_Half_divide] = real_divide,
    [OpenCLstd_Half_exp] = real_exp,
    [OpenCLstd_Half_exp2] = fast_exp2,
    [OpenCLstd_Half_exp10] = fast_exp10,
    [OpenCLstd_Half_log] = fast_log,
    [OpenCLstd_Half_log2] = fast_log2,
    [OpenCLstd_Half_log10] = real_log10,
    [OpenCLstd_Half_powr] = real_powr,
    [OpenCLstd_Half_recip] = real_recip,
    [OpenCLstd_Half_rsqrt] = real_rsqrt,
    [OpenCLstd_Half_sin] = fast_sin,
    [OpenCLstd_Half_sqrt] = real_sqrt,
    [OpenCLstd_Half_tan] = fast_tan,
    [OpenCLstd_Native_cos] = fast_cos,
    [OpenCLstd_Native_divide] = real_divide,
    [OpenCLstd_Native_exp] = real_exp,
    [OpenCLstd_Native_exp2] = fast_exp2,
    [OpenCLstd_Native_exp10] = fast_exp10,
    [OpenCLstd_Native_log] = fast_log,
    [OpenCLstd_Native_log2] = fast_log2,
    [OpenCLstd_Native_log10] = real_log10,
    [OpenCLstd_Native_powr] = real_powr,
    [OpenCLstd_Native_recip] = real_recip,
    [OpenCLstd_Native_rsqrt] = real_rsqrt,
    [OpenCLstd_Native_sin] = fast_sin,
    [OpenCLstd_Native_sqrt] = real_sqrt,
    [OpenCLstd_Native_tan] = fast_tan,
};
