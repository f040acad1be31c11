/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The math functions against MPFR, in ULP, with the limits of the full profile; edge cases of the
 * specification as a table; integers against 128-bit arithmetic; and every instruction set's build against
 * the baseline, to the bit.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/many_asserts.h"
#include "sim/interp/math.h"

/* A sanitizer looks at memory, for which fewer will do. */
#ifdef ORRERY_LOOPING
enum { SAMPLES = 1024 };
#else
enum { SAMPLES = 8192 };
#endif
enum { HALVES = 65536, ISAS = 3, MOST = HALVES };

/* ---- formats ---- */

struct format {
    const char *name;
    enum math_type type, integer;
    size_t bytes;
    int precision;
    mpfr_exp_t emin, emax;
};

static const struct format formats[] = {
    {"half", MATH_F16, MATH_I16, 2, 11, -23, 16},
    {"float", MATH_F32, MATH_I32, 4, 24, -148, 128},
    {"double", MATH_F64, MATH_I64, 8, 53, -1073, 1024},
};

static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double value_of(const struct format *f, const void *array, size_t i)
{
    if (f->bytes == 8)
        return ((const double *)array)[i];
    if (f->bytes == 4)
        return (double)((const float *)array)[i];
    const uint16_t h = ((const uint16_t *)array)[i];
    const int e = h >> 10 & 31, m = h & 1023;
    const double v = e == 31 ? (m ? (double)NAN : (double)INFINITY)
                     : e     ? ldexp(m + 1024, e - 25)
                             : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

/* v must be a value of the format, or is rounded to it. */
static void put(const struct format *f, void *array, size_t i, double v)
{
    if (f->bytes == 8) {
        ((double *)array)[i] = v;
        return;
    }
    if (f->bytes == 4) {
        ((float *)array)[i] = (float)v;
        return;
    }
    uint16_t h = 0;
    const double m = fabs(v);
    if (isnan(v))
        h = 0x7e00;
    else if (m >= 65520)
        h = 0x7c00;
    else if (m < 0x1p-14)
        h = (uint16_t)rint(m * 0x1p24);
    else {
        int e;
        const double s = frexp(m, &e);
        h = (uint16_t)((e + 14) * 1024 + (int)rint(s * 2048) - 1024);
    }
    ((uint16_t *)array)[i] = (uint16_t)(h | (signbit(v) ? 0x8000 : 0));
}

static double rounded(const struct format *f, double v)
{
    uint64_t room[1] = {0};
    put(f, room, 0, v);
    return value_of(f, room, 0);
}

static void put_bits(const struct format *f, void *array, size_t i, uint64_t bits)
{
    memcpy((char *)array + i * f->bytes, &bits, f->bytes);
}

/* ---- inputs ---- */

static const double edges[] = {0,
                               0x1p-1074,
                               0x1p-149,
                               0x1p-24,
                               0x1p-126,
                               0x1.fffffcp-127,
                               0x1p-1022,
                               0x1.ffcp-15,
                               0x1p-14,
                               1e-10,
                               1e-5,
                               0.1,
                               0.25,
                               0.5,
                               0.75,
                               1,
                               1.5,
                               2,
                               2.5,
                               3,
                               3.5,
                               4,
                               5,
                               7,
                               8,
                               9.5,
                               10,
                               10.5,
                               17,
                               33.5,
                               176,
                               88,
                               88.5,
                               89,
                               100,
                               104,
                               127,
                               128,
                               150,
                               171.5,
                               308,
                               700,
                               709,
                               710,
                               744,
                               745.5,
                               1000,
                               1023,
                               1024,
                               2047,
                               2048,
                               2049,
                               65504,
                               1e10,
                               0x1p22,
                               0x1p23,
                               8388609,
                               0x1p24,
                               0x1p31,
                               0x1p52,
                               0x1p53,
                               1e18,
                               1e19,
                               2e19,
                               1e30,
                               1.7e38,
                               FLT_MAX,
                               1e100,
                               1e154,
                               2e154,
                               1e300,
                               DBL_MAX,
                               0x1.921fb54442d18p+1,
                               0x1.921fb54442d18p+0,
                               0x1.921fb54442d18p-1,
                               0x1.62e42fefa39efp-1,
                               0x1.5bf0a8b145769p+1,
                               88.722839,
                               103.972077,
                               38.531839,
                               45.154499,
                               149.5,
                               709.782712893384,
                               745.13321910194122,
                               308.25471555991674,
                               323.60724533877976,
                               1074.5,
                               710.4758600739439,
                               89.415986,
                               INFINITY,
                               NAN};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

/*
 * A quarter each: any bits, a moderate size, near one, near an edge (where exp and similar functions
 * overflow, say).
 */
static void put_sample(const struct format *f, void *array, size_t i)
{
    const uint64_t r = random_bits();
    const double m = (double)(r >> 11) * 0x1p-53, sign = r & 1 ? -1 : 1;
    switch (random_bits() % 4) {
    case 0: put_bits(f, array, i, r); break;
    case 1: put(f, array, i, sign * ldexp(m + 0.5, (int)(random_bits() % 24) - 12)); break;
    case 2:
        put(f, array, i,
            sign * edges[random_bits() % EDGES] * (1 + ldexp(m - 0.5, -(int)(random_bits() % 30))));
        break;
    default: put(f, array, i, sign * ldexp(m + 0.5, (int)(random_bits() % 3))); break;
    }
}

static void put_edge(const struct format *f, void *array, size_t i, size_t which)
{
    const double e = edges[which % EDGES];
    put(f, array, i, which / EDGES % 2 ? -e : e);
}

static void fill_unary(const struct format *f, void *array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (f->bytes == 2)
            put_bits(f, array, i, i);
        else if (i < 2 * EDGES)
            put_edge(f, array, i, i);
        else
            put_sample(f, array, i);
}

/* The first operands pair edges at random, the others are samples. */
static void fill_many(const struct format *f, void *array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i < n / 3)
            put_edge(f, array, i, random_bits());
        else
            put_sample(f, array, i);
}

static void fill_integers(int32_t *array, size_t n)
{
    static const int32_t few[] = {0,   1,   2,   3,   4,   5,   7,    8,    10,       24,       25,     31,
                                  100, 126, 127, 149, 150, 255, 1023, 1074, 16777217, 16777219, INT_MAX};
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = random_bits();
        const int32_t v = r % 4 == 0   ? (int32_t)(r >> 32)
                          : r % 4 == 1 ? (int32_t)(r >> 32) % 300
                                       : few[(r >> 32) % 23];
        array[i] = r & 4 ? (v == INT_MIN ? v : -v) : v;
    }
}

/* ---- comparison with MPFR ---- */

typedef void reference(mpfr_t r, const mpfr_t x, const mpfr_t y, const mpfr_t z);

struct row {
    const char *name;
    uint32_t entry;
    reference *expected;
    int operands;
    bool integer; /* the second operand is an int */
    double limit[3];
};

#define RND MPFR_RNDN
#define REFERENCE(name, call)                                                  \
    static void name(mpfr_t r, const mpfr_t x, const mpfr_t y, const mpfr_t z) \
    {                                                                          \
        (void)y;                                                               \
        (void)z;                                                               \
        call;                                                                  \
    }
#define SAME_1(name) REFERENCE(ref_##name, mpfr_##name(r, x, RND))
#define SAME_2(name) REFERENCE(ref_##name, mpfr_##name(r, x, y, RND))

SAME_1(acos)
SAME_1(acosh)
SAME_1(acospi) SAME_1(asin) SAME_1(asinh) SAME_1(asinpi) SAME_1(atan) SAME_1(atanh) SAME_1(atanpi)
    SAME_1(cbrt) SAME_1(cos) SAME_1(cosh) SAME_1(cospi) SAME_1(erfc) SAME_1(erf) SAME_1(exp) SAME_1(exp2)
        SAME_1(exp10) SAME_1(expm1) SAME_1(log) SAME_1(log2) SAME_1(log10) SAME_1(log1p) SAME_1(sin)
            SAME_1(sinh) SAME_1(sinpi) SAME_1(sqrt) SAME_1(tan) SAME_1(tanh) SAME_1(tanpi) SAME_1(gamma)
                SAME_1(abs) SAME_2(atan2) SAME_2(atan2pi) SAME_2(pow) SAME_2(hypot) SAME_2(fmod)
                    SAME_2(remainder) REFERENCE(ref_ceil, mpfr_ceil(r, x))
                        REFERENCE(ref_floor, mpfr_floor(r, x)) REFERENCE(ref_trunc, mpfr_trunc(r, x))
                            REFERENCE(ref_round, mpfr_round(r, x)) REFERENCE(ref_rint, mpfr_roundeven(r, x))
    /* OpenCL: powr(1, NaN) is a NaN. */
    REFERENCE(ref_powr, mpfr_powr(r, x, y, RND); if (mpfr_nan_p(y)) mpfr_set_nan(r))
    /* IEEE 754 gives the infinity the sign of the zero, MPFR does not. */
    REFERENCE(ref_rsqrt, mpfr_rec_sqrt(r, x, RND); if (mpfr_zero_p(x))
                  mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1)) REFERENCE(ref_fma, mpfr_fma(r, x, y, z, RND))
        REFERENCE(ref_divide, mpfr_div(r, x, y, RND)) REFERENCE(ref_recip, mpfr_ui_div(r, 1, x, RND))
            REFERENCE(ref_pown, mpfr_pow_si(r, x, mpfr_get_si(y, RND), RND))
                REFERENCE(ref_rootn, mpfr_rootn_si(r, x, mpfr_get_si(y, RND), RND))
                    REFERENCE(ref_ldexp, mpfr_mul_2si(r, x, mpfr_get_si(y, RND), RND))
                        REFERENCE(ref_fdim, mpfr_dim(r, x, y, RND))
                            REFERENCE(ref_fmax, mpfr_max(r, x, y, RND))
                                REFERENCE(ref_fmin, mpfr_min(r, x, y, RND))

                                    REFERENCE(ref_lgamma, int sign; mpfr_lgamma(r, &sign, x, RND))

                                        static void ref_degrees(mpfr_t r, const mpfr_t x, const mpfr_t y,
                                                                const mpfr_t z)
{
    (void)y;
    (void)z;
    mpfr_t pi;
    mpfr_init2(pi, 128);
    mpfr_const_pi(pi, RND);
    mpfr_mul_ui(r, x, 180, RND);
    mpfr_div(r, r, pi, RND);
    mpfr_clear(pi);
}

static void ref_radians(mpfr_t r, const mpfr_t x, const mpfr_t y, const mpfr_t z)
{
    (void)y;
    (void)z;
    mpfr_t pi;
    mpfr_init2(pi, 128);
    mpfr_const_pi(pi, RND);
    mpfr_mul(r, x, pi, RND);
    mpfr_div_ui(r, r, 180, RND);
    mpfr_clear(pi);
}

static void ref_logb(mpfr_t r, const mpfr_t x, const mpfr_t y, const mpfr_t z)
{
    (void)y;
    (void)z;
    if (mpfr_regular_p(x))
        mpfr_set_si(r, mpfr_get_exp(x) - 1, RND);
    else if (mpfr_zero_p(x))
        mpfr_set_inf(r, -1);
    else
        mpfr_abs(r, x, RND);
}

/* lgamma has no required limit: within 16 ulp here, except where it crosses zero (see gamma_near_zero). */
enum { EXACT = 0 };
#define ROW(name, entry, operands, half, single, wide)         \
    {                                                          \
#name, OpenCLstd_##entry, ref_##name, operands, false, \
        {                                                      \
            half, single, wide                                 \
        }                                                      \
    }
#define ROW_INT(name, entry, half, single, wide)       \
    {                                                  \
#name, OpenCLstd_##entry, ref_##name, 2, true, \
        {                                              \
            half, single, wide                         \
        }                                              \
    }

static const struct row rows[] = {
    ROW(acos, Acos, 1, 2, 4, 4),
    ROW(acosh, Acosh, 1, 2, 4, 4),
    ROW(acospi, Acospi, 1, 2, 5, 5),
    ROW(asin, Asin, 1, 2, 4, 4),
    ROW(asinh, Asinh, 1, 2, 4, 4),
    ROW(asinpi, Asinpi, 1, 2, 5, 5),
    ROW(atan, Atan, 1, 2, 5, 5),
    ROW(atanh, Atanh, 1, 2, 5, 5),
    ROW(atanpi, Atanpi, 1, 2, 5, 5),
    ROW(cbrt, Cbrt, 1, 2, 2, 2),
    ROW(cos, Cos, 1, 2, 4, 4),
    ROW(cosh, Cosh, 1, 2, 4, 4),
    ROW(cospi, Cospi, 1, 2, 4, 4),
    ROW(erf, Erf, 1, 4, 16, 16),
    ROW(erfc, Erfc, 1, 4, 16, 16),
    ROW(exp, Exp, 1, 2, 3, 3),
    ROW(exp2, Exp2, 1, 2, 3, 3),
    ROW(exp10, Exp10, 1, 2, 3, 3),
    ROW(expm1, Expm1, 1, 2, 3, 3),
    ROW(log, Log, 1, 2, 3, 3),
    ROW(log2, Log2, 1, 2, 3, 3),
    ROW(log10, Log10, 1, 2, 3, 3),
    ROW(log1p, Log1p, 1, 2, 2, 2),
    ROW(rsqrt, Rsqrt, 1, 1, 2, 2),
    ROW(sin, Sin, 1, 2, 4, 4),
    ROW(sinh, Sinh, 1, 2, 4, 4),
    ROW(sinpi, Sinpi, 1, 2, 4, 4),
    ROW(tan, Tan, 1, 2.5, 5, 5),
    ROW(tanh, Tanh, 1, 2, 5, 5),
    ROW(tanpi, Tanpi, 1, 2, 6, 6),
    ROW(gamma, Tgamma, 1, 4, 16, 16),
    ROW(lgamma, Lgamma, 1, 16, 16, 16),
    ROW(degrees, Degrees, 1, 2, 2, 2),
    ROW(radians, Radians, 1, 2, 2, 2),
    ROW(atan2, Atan2, 2, 2, 6, 6),
    ROW(atan2pi, Atan2pi, 2, 2, 6, 6),
    ROW(hypot, Hypot, 2, 2, 4, 4),
    ROW(pow, Pow, 2, 4, 16, 16),
    ROW(powr, Powr, 2, 4, 16, 16),
    ROW_INT(pown, Pown, 4, 16, 16),
    ROW_INT(rootn, Rootn, 4, 16, 16),
    ROW(abs, Fabs, 1, EXACT, EXACT, EXACT),
    ROW(ceil, Ceil, 1, EXACT, EXACT, EXACT),
    ROW(floor, Floor, 1, EXACT, EXACT, EXACT),
    ROW(trunc, Trunc, 1, EXACT, EXACT, EXACT),
    ROW(round, Round, 1, EXACT, EXACT, EXACT),
    ROW(rint, Rint, 1, EXACT, EXACT, EXACT),
    ROW(sqrt, Sqrt, 1, EXACT, EXACT, EXACT),
    ROW(logb, Logb, 1, EXACT, EXACT, EXACT),
    ROW(fdim, Fdim, 2, EXACT, EXACT, EXACT),
    ROW(fmax, Fmax, 2, EXACT, EXACT, EXACT),
    ROW(fmin, Fmin, 2, EXACT, EXACT, EXACT),
    ROW(fmod, Fmod, 2, EXACT, EXACT, EXACT),
    ROW(remainder, Remainder, 2, EXACT, EXACT, EXACT),
    ROW(fma, Fma, 3, EXACT, EXACT, EXACT),
    ROW_INT(ldexp, Ldexp, EXACT, EXACT, EXACT),
};

/* half_ entries: 8192 ulp for float; native_ ones are ours to choose, held to the same. */
static const struct row loose_rows[] = {
    ROW(cos, Half_cos, 1, 0, 8192, 0),       ROW(divide, Half_divide, 2, 0, 8192, 0),
    ROW(exp, Half_exp, 1, 0, 8192, 0),       ROW(exp2, Half_exp2, 1, 0, 8192, 0),
    ROW(exp10, Half_exp10, 1, 0, 8192, 0),   ROW(log, Half_log, 1, 0, 8192, 0),
    ROW(log2, Half_log2, 1, 0, 8192, 0),     ROW(log10, Half_log10, 1, 0, 8192, 0),
    ROW(powr, Half_powr, 2, 0, 8192, 0),     ROW(recip, Half_recip, 1, 0, 8192, 0),
    ROW(rsqrt, Half_rsqrt, 1, 0, 8192, 0),   ROW(sin, Half_sin, 1, 0, 8192, 0),
    ROW(sqrt, Half_sqrt, 1, 0, 8192, 0),     ROW(tan, Half_tan, 1, 0, 8192, 0),
    ROW(cos, Native_cos, 1, 0, 8192, 0),     ROW(divide, Native_divide, 2, 0, 8192, 0),
    ROW(exp, Native_exp, 1, 0, 8192, 0),     ROW(exp2, Native_exp2, 1, 0, 8192, 0),
    ROW(exp10, Native_exp10, 1, 0, 8192, 0), ROW(log, Native_log, 1, 0, 8192, 0),
    ROW(log2, Native_log2, 1, 0, 8192, 0),   ROW(log10, Native_log10, 1, 0, 8192, 0),
    ROW(powr, Native_powr, 2, 0, 8192, 0),   ROW(recip, Native_recip, 1, 0, 8192, 0),
    ROW(rsqrt, Native_rsqrt, 1, 0, 8192, 0), ROW(sin, Native_sin, 1, 0, 8192, 0),
    ROW(sqrt, Native_sqrt, 1, 0, 8192, 0),   ROW(tan, Native_tan, 1, 0, 8192, 0),
};

/* MPFR variables of one comparison: operands, reference, difference. */
static mpfr_t operand[3], expected, difference;

static void reference_value(const struct row *row, const struct format *f)
{
    if (row->limit[0] != EXACT || row->limit[1] != EXACT) {
        mpfr_set_prec(expected, 120);
        row->expected(expected, operand[0], operand[1], operand[2]);
        return;
    }
    /* correctly rounded: let MPFR round in the format itself */
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_prec(expected, 2300);
    row->expected(expected, operand[0], operand[1], operand[2]);
    mpfr_set_emin(f->emin);
    mpfr_set_emax(f->emax);
    int inexact = mpfr_prec_round(expected, f->precision, RND);
    inexact = mpfr_check_range(expected, inexact, RND);
    mpfr_subnormalize(expected, inexact, RND);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
}

/* Error in ulp of the reference; infinite for a wrong special value or sign. */
static double error_of(const struct format *f, double got)
{
    if (mpfr_nan_p(expected))
        return isnan(got) ? 0 : (double)INFINITY;
    if (isnan(got) || !!signbit(got) != !!mpfr_signbit(expected))
        return INFINITY;
    if (mpfr_inf_p(expected))
        return isinf(got) ? 0 : (double)INFINITY;
    if (mpfr_zero_p(expected))
        return got == 0 ? 0 : (double)INFINITY;
    mpfr_exp_t e = mpfr_get_exp(expected);
    if (isinf(got) && e > f->emax)
        return 0;
    if (isinf(got)) { /* stands for the next value after the greatest */
        mpfr_set_ui_2exp(difference, 1, f->emax, RND);
        mpfr_setsign(difference, difference, signbit(got), RND);
    } else
        mpfr_set_d(difference, got, RND);
    mpfr_sub(difference, difference, expected, RND);
    e = e > f->emax ? f->emax : e;
    const mpfr_exp_t unit = e - f->precision < f->emin - 1 ? f->emin - 1 : e - f->precision;
    mpfr_div_2si(difference, difference, unit, RND);
    return fabs(mpfr_get_d(difference, RND));
}

static void *inputs[3], *results[ISAS][2];

static void run(const struct format *f, uint32_t entry, enum math_type type, int isa, size_t n)
{
    (void)f;
    math_fn *fn = math_find_isa(entry, type, isa);
    ck_assert_msg(fn != NULL, "entry %u type %d isa %d", entry, type, isa);
    fn(n, results[isa], (const void *const *)inputs);
}

static bool same_lane(const void *a, const void *b, size_t bytes, size_t i)
{
    return memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) == 0;
}

/* Runs every build the CPU has and demands the baseline's bits. */
static void run_all(const char *name, const struct format *f, uint32_t entry, enum math_type type, size_t n,
                    size_t bytes0, size_t bytes1)
{
    run(f, entry, type, 0, n);
    for (int isa = 1; isa < ISAS; isa++) {
        if (!math_find_isa(entry, type, isa))
            continue;
        run(f, entry, type, isa, n);
        for (size_t i = 0; i < n; i++) {
            const bool same = same_lane(results[0][0], results[isa][0], bytes0, i) &&
                              (bytes1 == 0 || same_lane(results[0][1], results[isa][1], bytes1, i));
            ck_assert_msg(same, "%s type %d: build %d differs from the baseline at lane %zu (%a, %a)", name,
                          type, isa, i, f ? value_of(f, inputs[0], i) : 0, f ? value_of(f, inputs[1], i) : 0);
        }
    }
}

/* lgamma near its zeros on the negative axis loses relative, not absolute, accuracy. */
static bool lgamma_crosses_zero(const struct row *row, double x)
{
    return row->entry == OpenCLstd_Lgamma && x < 0 && x > -40 && mpfr_cmpabs_ui(expected, 1) < 0;
}

static bool too_slow_for_reference(const struct row *row, double x)
{
    const bool gamma = row->entry == OpenCLstd_Tgamma || row->entry == OpenCLstd_Lgamma;
    return gamma && isfinite(x) && (x < -1e6 || fabs(x) > 1e20);
}

static int failures;

/* fmax(-0, +0) may be either zero. */
static bool either_zero(const struct row *row, double x, double y)
{
    return (row->entry == OpenCLstd_Fmax || row->entry == OpenCLstd_Fmin) && x == 0 && y == 0;
}

static void compare(const struct row *row, const struct format *f, size_t n)
{
    const double limit = row->limit[f - formats];
    double worst = 0;
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double x[3] = {0, 0, 0};
        for (int k = 0; k < row->operands; k++) {
            x[k] = row->integer && k == 1 ? (double)((int32_t *)inputs[1])[i] : value_of(f, inputs[k], i);
            mpfr_set_d(operand[k], x[k], RND);
        }
        if (too_slow_for_reference(row, x[0]) || either_zero(row, x[0], x[1]))
            continue;
        reference_value(row, f);
        if (lgamma_crosses_zero(row, x[0]))
            continue;
        const double got = value_of(f, results[0][0], i);
        const double error = error_of(f, got);
        worst = error > worst ? error : worst;
        if (error > limit && wrong++ < 3) {
            fprintf(stderr, "%s %s(%a, %a, %a) = %a, expected %a: %g ulp\n", f->name, row->name, x[0], x[1],
                    x[2], got, mpfr_get_d(expected, RND), error);
        }
    }
    if (getenv("ORRERY_TEST_VERBOSE"))
        fprintf(stderr, "%-6s %-10s %9.3f ulp of %g\n", f->name, row->name, worst, limit);
    failures += wrong;
}

/* A quarter of the powers: about the greatest or the smallest value of the format. */
static void fill_near_limits(const struct format *f, size_t n)
{
    for (size_t i = 0; i < n / 4; i++) {
        const double m = (double)(random_bits() >> 11) * 0x1p-53,
                     limit = random_bits() & 1 ? (double)f->emax : (double)f->emin;
        const double x = rounded(f, ldexp(m + 0.5, (int)(random_bits() % 9) - 4));
        put(f, inputs[0], i, x);
        put(f, inputs[1], i, limit * (1 + (m - 0.5) * ldexp(1, -(int)(random_bits() % 40))) / log2(x));
    }
}

/* The greatest value, the value before it, the least normal one, that before it, the least: exponents of
 * the format's range. */
static double limit_value(const struct format *f, uint64_t which)
{
    const double last = ldexp(1, -f->precision), most = ldexp(1 - last, (int)f->emax);
    const double least = ldexp(1, (int)f->emin + f->precision - 2),
                 values[] = {most, ldexp(1 - 2 * last, (int)f->emax), least,
                             least - ldexp(1, (int)f->emin - 1), ldexp(1, (int)f->emin - 1)};
    return values[which % 5];
}

/* A quarter of the integer powers and roots: the result of a power, or what a root is taken of, is about a
 * limit of the format; of those some have exponents of 1 and -1, and some are the limits themselves. */
static void fill_integer_limits(const struct row *row, const struct format *f, size_t n)
{
    for (size_t i = 0; i < n / 4; i++) {
        const int32_t most = i % 3 == 0 ? 1 : i % 3 == 1 ? 70 : INT32_MAX;
        int32_t e = 1 + (int32_t)(random_bits() % (uint64_t)most);
        e = random_bits() & 1 ? e : -e;
        const double m = (double)(random_bits() >> 11) * 0x1p-53, limit = limit_value(f, random_bits());
        double x = random_bits() & 1 ? limit : limit * (1 - m * ldexp(1, -(int)(random_bits() % 50)));
        if (row->expected == ref_pown)
            x = pow(x, 1.0 / e) * (1 + (m - 0.5) * ldexp(1, -(int)(random_bits() % 52)));
        put(f, inputs[0], i, random_bits() & 1 ? x : -x);
        ((int32_t *)inputs[1])[i] = e;
    }
}

/* An eighth of the powers: limits to a power about 1 or -1, or to a small integer, of either sign. */
static void fill_powers_of_limits(const struct format *f, size_t n)
{
    static const double exponents[] = {1, -1, 0.5, -0.5, 1.0 / 3, 2, -2, 3};
    for (size_t i = n / 4; i < n / 4 + n / 8; i++) {
        const double x = limit_value(f, random_bits()), y = exponents[random_bits() % 8];
        put(f, inputs[0], i, random_bits() & 1 ? x : -x);
        put(f, inputs[1], i, random_bits() & 1 ? y : y * (1 + ldexp(1, -(int)(random_bits() % 53))));
    }
}

static void fill(const struct row *row, const struct format *f, size_t n)
{
    random_state = row->entry * 31 + f->type;
    if (row->operands == 1) {
        fill_unary(f, inputs[0], n);
        return;
    }
    for (int k = 0; k < row->operands; k++)
        fill_many(f, inputs[k], n);
    if (row->integer)
        fill_integers(inputs[1], n);
    if (row->expected == ref_pown || row->expected == ref_rootn)
        fill_integer_limits(row, f, n);
    if (row->expected == ref_pow || row->expected == ref_powr) {
        fill_near_limits(f, n);
        fill_powers_of_limits(f, n);
    }
}

static size_t sample_count(const struct row *row, const struct format *f)
{
    return row->operands == 1 && f->bytes == 2 ? HALVES : SAMPLES;
}

static void check_row(const struct row *row, const struct format *f)
{
    const size_t n = sample_count(row, f);
    fill(row, f, n);
    run_all(row->name, f, row->entry, f->type, n, f->bytes, 0);
    compare(row, f, n);
}

static void set_up(void)
{
    for (int k = 0; k < 3; k++)
        inputs[k] = aligned_alloc(64, MOST * 8);
    for (int isa = 0; isa < ISAS; isa++)
        for (int k = 0; k < 2; k++)
            results[isa][k] = aligned_alloc(64, MOST * 8);
    for (int k = 0; k < 3; k++)
        memset(inputs[k], 0, MOST * 8);
    for (int k = 0; k < 3; k++)
        mpfr_init2(operand[k], 64);
    mpfr_init2(expected, 120);
    mpfr_init2(difference, 200);
    failures = 0;
}

static void tear_down(void)
{
    for (int k = 0; k < 3; k++)
        free(inputs[k]);
    for (int isa = 0; isa < ISAS; isa++)
        for (int k = 0; k < 2; k++)
            free(results[isa][k]);
    for (int k = 0; k < 3; k++)
        mpfr_clear(operand[k]);
    mpfr_clears(expected, difference, (mpfr_ptr)0);
    mpfr_free_cache();
}

START_TEST(accuracy)
{
    const struct row *row = &rows[_i];
    for (size_t k = 0; k < 3; k++)
        check_row(row, &formats[k]);
    ck_assert_msg(failures == 0, "%s: %d results out of limits", row->name, failures);
}
END_TEST

START_TEST(native_and_half_accuracy)
{
    check_row(&loose_rows[_i], &formats[1]);
    ck_assert_msg(failures == 0, "%s: %d results out of limits", loose_rows[_i].name, failures);
}
END_TEST

/* ---- edge cases of the specification ---- */

#define INF ((double)INFINITY)
#define BAD ((double)NAN)

struct edge {
    uint32_t entry;
    double x, y, z, expected;
};
#define EDGE1(entry, x, expected)            \
    {                                        \
        OpenCLstd_##entry, x, 0, 0, expected \
    }
#define EDGE2(entry, x, y, expected)         \
    {                                        \
        OpenCLstd_##entry, x, y, 0, expected \
    }
#define EDGE3(entry, x, y, z, expected)      \
    {                                        \
        OpenCLstd_##entry, x, y, z, expected \
    }

static const struct edge edge_rows[] = {
    EDGE1(Acospi, 1, 0.0),
    EDGE1(Acospi, 1.5, BAD),
    EDGE1(Acospi, -1, 1),
    EDGE1(Acos, 1, 0.0),
    EDGE1(Asinpi, 0.0, 0.0),
    EDGE1(Asinpi, -0.0, -0.0),
    EDGE1(Asinpi, -2, BAD),
    EDGE1(Asinpi, 1, 0.5),
    EDGE1(Atanpi, -0.0, -0.0),
    EDGE1(Atanpi, INF, 0.5),
    EDGE1(Atanpi, -INF, -0.5),
    EDGE1(Atanpi, 1, 0.25),
    EDGE1(Asin, -0.0, -0.0),
    EDGE1(Sin, -0.0, -0.0),
    EDGE1(Tan, -0.0, -0.0),
    EDGE1(Sinh, -0.0, -0.0),
    EDGE1(Sin, INF, BAD),
    EDGE1(Cos, -INF, BAD),
    EDGE1(Tan, INF, BAD),
    EDGE1(Cos, 0, 1),
    EDGE1(Cosh, -INF, INF),
    EDGE1(Tanh, INF, 1),
    EDGE1(Tanh, -INF, -1),
    EDGE1(Tanh, -0.0, -0.0),
    EDGE1(Acosh, 1, 0.0),
    EDGE1(Acosh, 0.5, BAD),
    EDGE1(Asinh, -INF, -INF),
    EDGE1(Asinh, -0.0, -0.0),
    EDGE1(Atanh, 1, INF),
    EDGE1(Atanh, -1, -INF),
    EDGE1(Atanh, 2, BAD),
    EDGE2(Atan2pi, 0.0, -0.0, 1),
    EDGE2(Atan2pi, -0.0, -0.0, -1),
    EDGE2(Atan2pi, 0.0, 0.0, 0.0),
    EDGE2(Atan2pi, -0.0, 0.0, -0.0),
    EDGE2(Atan2pi, 0.0, -3, 1),
    EDGE2(Atan2pi, -0.0, -3, -1),
    EDGE2(Atan2pi, -0.0, 3, -0.0),
    EDGE2(Atan2pi, -2, 0.0, -0.5),
    EDGE2(Atan2pi, 2, -0.0, 0.5),
    EDGE2(Atan2pi, 2, -INF, 1),
    EDGE2(Atan2pi, -2, -INF, -1),
    EDGE2(Atan2pi, 2, INF, 0.0),
    EDGE2(Atan2pi, -2, INF, -0.0),
    EDGE2(Atan2pi, INF, 4, 0.5),
    EDGE2(Atan2pi, -INF, 4, -0.5),
    EDGE2(Atan2pi, INF, -INF, 0.75),
    EDGE2(Atan2pi, -INF, -INF, -0.75),
    EDGE2(Atan2pi, INF, INF, 0.25),
    EDGE2(Atan2pi, -INF, INF, -0.25),
    EDGE2(Atan2pi, BAD, 1, BAD),
    EDGE2(Atan2, 0.0, 0.0, 0.0),
    EDGE2(Atan2, -0.0, 1, -0.0),
    EDGE1(Ceil, -0.5, -0.0),
    EDGE1(Ceil, INF, INF),
    EDGE1(Trunc, -0.5, -0.0),
    EDGE1(Round, -0.25, -0.0),
    EDGE1(Round, -0.5, -1),
    EDGE1(Round, 2.5, 3),
    EDGE1(Rint, -0.5, -0.0),
    EDGE1(Rint, 2.5, 2),
    EDGE1(Rint, 3.5, 4),
    EDGE1(Floor, -0.0, -0.0),
    EDGE1(Floor, -0.25, -1),
    EDGE1(Floor, -INF, -INF),
    EDGE1(Cospi, 0.0, 1),
    EDGE1(Cospi, -0.0, 1),
    EDGE1(Cospi, 0.5, 0.0),
    EDGE1(Cospi, -0.5, 0.0),
    EDGE1(Cospi, 7.5, 0.0),
    EDGE1(Cospi, -8.5, 0.0),
    EDGE1(Cospi, INF, BAD),
    EDGE1(Cospi, 3, -1),
    EDGE1(Cospi, 2048, 1),
    EDGE1(Sinpi, -0.0, -0.0),
    EDGE1(Sinpi, 5, 0.0),
    EDGE1(Sinpi, 4, 0.0),
    EDGE1(Sinpi, -5, -0.0),
    EDGE1(Sinpi, -4, -0.0),
    EDGE1(Sinpi, INF, BAD),
    EDGE1(Sinpi, 0.5, 1),
    EDGE1(Sinpi, 1.5, -1),
    EDGE1(Sinpi, 65504, 0.0),
    EDGE1(Tanpi, -0.0, -0.0),
    EDGE1(Tanpi, INF, BAD),
    EDGE1(Tanpi, 2, 0.0),
    EDGE1(Tanpi, -2, -0.0),
    EDGE1(Tanpi, 3, -0.0),
    EDGE1(Tanpi, -3, 0.0),
    EDGE1(Tanpi, 2.5, INF),
    EDGE1(Tanpi, 1.5, -INF),
    EDGE1(Tanpi, -0.5, -INF),
    EDGE1(Tanpi, -1.5, INF),
    EDGE1(Exp10, 0.0, 1),
    EDGE1(Exp10, -0.0, 1),
    EDGE1(Exp10, -INF, 0.0),
    EDGE1(Exp10, INF, INF),
    EDGE1(Exp, -INF, 0.0),
    EDGE1(Exp2, 3, 8),
    EDGE1(Expm1, -INF, -1),
    EDGE1(Expm1, -0.0, -0.0),
    EDGE1(Log, 0.0, -INF),
    EDGE1(Log, -1, BAD),
    EDGE1(Log, 1, 0.0),
    EDGE1(Log2, 8, 3),
    EDGE1(Log10, 1000, 3),
    EDGE1(Log1p, -1, -INF),
    EDGE1(Log1p, -0.0, -0.0),
    EDGE1(Log1p, -2, BAD),
    EDGE1(Cbrt, -27, -3),
    EDGE1(Cbrt, -0.0, -0.0),
    EDGE1(Erf, -INF, -1),
    EDGE1(Erfc, INF, 0.0),
    EDGE1(Erfc, -INF, 2),
    EDGE1(Tgamma, 0.0, INF),
    EDGE1(Tgamma, -0.0, -INF),
    EDGE1(Tgamma, -3, BAD),
    EDGE1(Tgamma, -INF, BAD),
    EDGE1(Tgamma, 5, 24),
    EDGE1(Lgamma, 1, 0.0),
    EDGE1(Lgamma, 2, 0.0),
    EDGE1(Lgamma, -2, INF),
    EDGE1(Lgamma, -INF, INF),
    EDGE2(Fdim, 1, BAD, BAD),
    EDGE2(Fdim, BAD, 1, BAD),
    EDGE2(Fdim, 1, 2, 0.0),
    EDGE2(Fdim, 3, 1, 2),
    EDGE2(Fdim, INF, INF, 0.0),
    EDGE2(Fmod, 0.0, BAD, BAD),
    EDGE2(Fmod, -0.0, 2, -0.0),
    EDGE2(Fmod, INF, 1, BAD),
    EDGE2(Fmod, 1, 0, BAD),
    EDGE2(Fmod, -3, INF, -3),
    EDGE2(Fmod, -7, 2, -1),
    EDGE2(Remainder, 7, 2, -1),
    EDGE2(Remainder, 5, 2, 1),
    EDGE2(Remainder, -6, 2, -0.0),
    EDGE2(Remainder, 1, 0, BAD),
    EDGE2(Remainder, 3, INF, 3),
    EDGE2(Fmax, BAD, 1, 1),
    EDGE2(Fmax, 1, BAD, 1),
    EDGE2(Fmin, BAD, 1, 1),
    EDGE2(Fmin, 1, BAD, 1),
    EDGE2(Fmin, BAD, BAD, BAD),
    EDGE2(Maxmag, -3, 2, -3),
    EDGE2(Maxmag, -2, 2, 2),
    EDGE2(Maxmag, BAD, 1, 1),
    EDGE2(Maxmag, 1, BAD, 1),
    EDGE2(Minmag, -3, 2, 2),
    EDGE2(Minmag, -2, 2, -2),
    EDGE2(Minmag, BAD, 1, 1),
    EDGE2(Minmag, 1, BAD, 1),
    EDGE2(Hypot, INF, BAD, INF),
    EDGE2(Hypot, BAD, -INF, INF),
    EDGE2(Hypot, 3, 4, 5),
    EDGE2(Hypot, BAD, 1, BAD),
    EDGE2(Pow, 0.0, -INF, INF),
    EDGE2(Pow, -0.0, -INF, INF),
    EDGE2(Pow, -1, INF, 1),
    EDGE2(Pow, 1, BAD, 1),
    EDGE2(Pow, BAD, 0, 1),
    EDGE2(Pow, -0.0, -3, -INF),
    EDGE2(Pow, -0.0, 3, -0.0),
    EDGE2(Pow, -8, 0.5, BAD),
    EDGE2(Pow, -INF, 3, -INF),
    EDGE2(Pow, -INF, -3, -0.0),
    EDGE2(Pow, -2, 3, -8),
    EDGE2(Pow, 0.5, INF, 0.0),
    EDGE2(Pown, BAD, 0, 1),
    EDGE2(Pown, 0.0, 0, 1),
    EDGE2(Pown, INF, 0, 1),
    EDGE2(Pown, 0.0, -3, INF),
    EDGE2(Pown, -0.0, -3, -INF),
    EDGE2(Pown, -0.0, -2, INF),
    EDGE2(Pown, -0.0, 2, 0.0),
    EDGE2(Pown, -0.0, 3, -0.0),
    EDGE2(Pown, -2, 5, -32),
    EDGE2(Pown, -1, 16777217, -1),
    EDGE2(Pown, -1, -2147483647, -1),
    EDGE2(Pown, 2, INT_MIN, 0.0),
    EDGE2(Powr, 5, 0.0, 1),
    EDGE2(Powr, 0.0, -3, INF),
    EDGE2(Powr, -0.0, -3, INF),
    EDGE2(Powr, -0.0, -INF, INF),
    EDGE2(Powr, -0.0, 3, 0.0),
    EDGE2(Powr, 1, 7, 1),
    EDGE2(Powr, -2, 2, BAD),
    EDGE2(Powr, 0.0, -0.0, BAD),
    EDGE2(Powr, INF, 0.0, BAD),
    EDGE2(Powr, 1, INF, BAD),
    EDGE2(Powr, 1, BAD, BAD),
    EDGE2(Powr, BAD, 0.0, BAD),
    EDGE2(Rootn, 0.0, -3, INF),
    EDGE2(Rootn, -0.0, -3, -INF),
    EDGE2(Rootn, -0.0, -2, INF),
    EDGE2(Rootn, -0.0, 2, 0.0),
    EDGE2(Rootn, -0.0, 3, -0.0),
    EDGE2(Rootn, -4, 2, BAD),
    EDGE2(Rootn, 4, 0, BAD),
    EDGE2(Rootn, -27, 3, -3),
    EDGE2(Rootn, -INF, 3, -INF),
    EDGE2(Rootn, INF, -2, 0.0),
    EDGE2(Rootn, 7, 1, 7),
    EDGE2(Ldexp, 1, 2147483647, INF),
    EDGE2(Ldexp, -1, INT_MIN, -0.0),
    EDGE2(Ldexp, 3, 2, 12),
    EDGE2(Ldexp, -INF, -9, -INF),
    EDGE2(Ldexp, -0.0, 9, -0.0),
    EDGE2(Ldexp, BAD, 9, BAD),
    EDGE1(Logb, 0.0, -INF),
    EDGE1(Logb, -INF, INF),
    EDGE1(Logb, 12, 3),
    EDGE1(Rsqrt, 0.0, INF),
    EDGE1(Rsqrt, INF, 0.0),
    EDGE1(Rsqrt, -1, BAD),
    EDGE1(Rsqrt, 4, 0.5),
    EDGE1(Sqrt, -0.0, -0.0),
    EDGE1(Sqrt, -1, BAD),
    EDGE1(Fabs, -0.0, 0.0),
    EDGE2(Copysign, 3, -0.0, -3),
    EDGE2(Copysign, BAD, 1, BAD),
    EDGE2(Step, 1, 0.5, 0.0),
    EDGE2(Step, 1, 1, 1),
    EDGE1(Sign, -7, -1),
    EDGE1(Sign, -0.0, -0.0),
    EDGE1(Sign, 0.0, 0.0),
    EDGE1(Sign, BAD, 0.0),
    EDGE1(Sign, INF, 1),
    EDGE3(FClamp, 5, 1, 3, 3),
    EDGE3(FClamp, 0, 1, 3, 1),
    EDGE3(FClamp, 2, 1, 3, 2),
    EDGE3(Mix, 2, 6, 0.25, 3),
    EDGE3(Smoothstep, 0, 2, 1, 0.5),
    EDGE3(Smoothstep, 0, 2, 3, 1),
    EDGE3(Smoothstep, 0, 2, -1, 0.0),
    EDGE3(Mad, 3, 5, -15, 0.0),
    EDGE3(Mad, 3, 5, 2, 17),
    EDGE3(Fma, INF, 0, 1, BAD),
    EDGE3(Fma, INF, 1, -INF, BAD),
    EDGE3(Fma, 2, 3, -INF, -INF),
    EDGE3(Fma, -0.0, 1, -0.0, -0.0),
    EDGE3(Fma, 1, -1, 1, 0.0),
    EDGE2(Nextafter, 3, 3, 3),
    EDGE2(Nextafter, 0.0, -0.0, -0.0),
    EDGE2(Nextafter, BAD, 1, BAD),
    EDGE2(Nextafter, 1, BAD, BAD),
    EDGE2(FMax_common, 1, 2, 2),
    EDGE2(FMin_common, 1, 2, 1),
};

static bool takes_integer(uint32_t entry)
{
    return entry == OpenCLstd_Pown || entry == OpenCLstd_Rootn || entry == OpenCLstd_Ldexp;
}

/* Small results are exact in these rows: all must be exact to the bit. */
static void check_edge(const struct edge *edge, const struct format *f)
{
    for (size_t i = 0; i < 16; i++) {
        put(f, inputs[0], i, edge->x);
        if (takes_integer(edge->entry))
            ((int32_t *)inputs[1])[i] = (int32_t)edge->y;
        else
            put(f, inputs[1], i, edge->y);
        put(f, inputs[2], i, edge->z);
    }
    run_all("edge", f, edge->entry, f->type, 16, f->bytes, 0);
    const double got = value_of(f, results[0][0], 15), want = edge->expected;
    const bool same = isnan(want) ? isnan(got) : got == want && !!signbit(got) == !!signbit(want);
    ck_assert_msg(same, "%s entry %u(%a, %a, %a) = %a, expected %a", f->name, edge->entry, edge->x, edge->y,
                  edge->z, got, want);
}

START_TEST(edge_cases)
{
    for (size_t i = 0; i < sizeof(edge_rows) / sizeof(edge_rows[0]); i++)
        for (size_t k = 0; k < 3; k++)
            check_edge(&edge_rows[i], &formats[k]);
}
END_TEST

/* ---- two results, neighbours, bits ---- */

static bool same_value(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !!signbit(a) == !!signbit(b);
}

#define SAME(f, what, i, got, want) \
    ck_assert_msg(same_value(got, want), "%s " what " lane %zu: %a, expected %a", (f)->name, i, got, want)

static size_t fill_and_run(const struct format *f, uint32_t entry, size_t second_bytes, size_t first_bytes)
{
    const size_t n = f->bytes == 2 ? HALVES : SAMPLES;
    random_state = entry;
    fill_unary(f, inputs[0], n);
    run_all("two results", f, entry, f->type, n, first_bytes ? first_bytes : f->bytes, second_bytes);
    return n;
}

/* The largest value below one. */
static double below_one(const struct format *f)
{
    return 1 - ldexp(1, -f->precision);
}

START_TEST(fract_modf_frexp_ilogb)
{
    const struct format *f = &formats[_i];
    size_t n = fill_and_run(f, OpenCLstd_Fract, f->bytes, 0);
    for (size_t i = 0; i < n; i++) {
        const double x = value_of(f, inputs[0], i), r = value_of(f, results[0][0], i);
        const double want = isinf(x) || x == 0 ? copysign(0, x)
                            : isnan(x)         ? x
                                               : fmin(rounded(f, x - floor(x)), below_one(f));
        SAME(f, "fract", i, r, want);
        ck_assert(isnan(r) || (r >= 0 && r < 1));
        SAME(f, "fract floor", i, value_of(f, results[0][1], i), floor(x));
    }
    n = fill_and_run(f, OpenCLstd_Modf, f->bytes, 0);
    for (size_t i = 0; i < n; i++) {
        double whole;
        const double x = value_of(f, inputs[0], i), want = modf(x, &whole);
        SAME(f, "modf", i, value_of(f, results[0][0], i), want);
        SAME(f, "modf whole", i, value_of(f, results[0][1], i), whole);
    }
    n = fill_and_run(f, OpenCLstd_Frexp, 4, 0);
    for (size_t i = 0; i < n; i++) {
        int e = 0;
        const double x = value_of(f, inputs[0], i), want = frexp(x, &e);
        SAME(f, "frexp", i, value_of(f, results[0][0], i), want);
        ck_assert_int_eq(((int32_t *)results[0][1])[i], isfinite(x) ? e : 0);
    }
    n = fill_and_run(f, OpenCLstd_Ilogb, 0, 4);
    for (size_t i = 0; i < n; i++) {
        const double x = value_of(f, inputs[0], i);
        const int want = x == 0 ? INT_MIN : isfinite(x) ? ilogb(x) : INT_MAX;
        ck_assert_int_eq(((int32_t *)results[0][0])[i], want);
    }
}
END_TEST

START_TEST(sincos_is_sin_and_cos)
{
    const struct format *f = &formats[_i];
    const size_t n = fill_and_run(f, OpenCLstd_Sincos, f->bytes, 0);
    memcpy(results[1][0], results[0][0], n * f->bytes);
    run(f, OpenCLstd_Sin, f->type, 0, n);
    ck_assert_mem_eq(results[0][0], results[1][0], n * f->bytes);
    memcpy(results[1][0], results[0][1], n * f->bytes);
    run(f, OpenCLstd_Cos, f->type, 0, n);
    ck_assert_mem_eq(results[0][0], results[1][0], n * f->bytes);
}
END_TEST

START_TEST(lgamma_r_gives_the_sign)
{
    const struct format *f = &formats[_i];
    const size_t n = fill_and_run(f, OpenCLstd_Lgamma_r, 4, 0);
    for (size_t i = 0; i < n; i++) {
        const double x = value_of(f, inputs[0], i);
        if (isnan(x))
            continue;
        const int want = x == 0 || (x < 0 && floor(x) == x) ? 0 : x < 0 && fmod(floor(x), 2) != 0 ? -1 : 1;
        ck_assert_msg(((int32_t *)results[0][1])[i] == want, "%s lgamma_r(%a): sign %d", f->name, x,
                      ((int32_t *)results[0][1])[i]);
    }
    memcpy(results[1][0], results[0][0], n * f->bytes);
    run(f, OpenCLstd_Lgamma, f->type, 0, n);
    ck_assert_mem_eq(results[0][0], results[1][0], n * f->bytes);
}
END_TEST

START_TEST(remquo_quotient)
{
    const struct format *f = &formats[_i];
    random_state = 52;
    fill_many(f, inputs[0], SAMPLES);
    fill_many(f, inputs[1], SAMPLES);
    run_all("remquo", f, OpenCLstd_Remquo, f->type, SAMPLES, f->bytes, 4);
    mpfr_set_prec(expected, 2300);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double x = value_of(f, inputs[0], i), y = value_of(f, inputs[1], i);
        const int32_t got = ((int32_t *)results[0][1])[i];
        SAME(f, "remquo", i, value_of(f, results[0][0], i), remainder(x, y));
        if (!isfinite(x) || isnan(y) || y == 0) {
            ck_assert_int_eq(got, 0);
            continue;
        }
        long quotient;
        mpfr_set_d(operand[0], x, RND);
        mpfr_set_d(operand[1], y, RND);
        mpfr_remquo(expected, &quotient, operand[0], operand[1], RND);
        ck_assert_msg((labs(quotient) & 127) == (abs(got) & 127), "%s remquo(%a, %a): %d, expected %ld",
                      f->name, x, y, got, quotient);
        ck_assert(got == 0 || (got < 0) == (signbit(x) != signbit(y)));
    }
}
END_TEST

static int64_t order_of(const struct format *f, const void *array, size_t i)
{
    int64_t bits = 0;
    memcpy(&bits, (const char *)array + i * f->bytes, f->bytes);
    const int64_t sign = (int64_t)((uint64_t)1 << (f->bytes * 8 - 1)), m = bits & ~sign;
    return bits & sign ? -m : m;
}

START_TEST(nextafter_is_the_neighbour)
{
    const struct format *f = &formats[_i];
    random_state = 47;
    fill_many(f, inputs[0], SAMPLES);
    fill_many(f, inputs[1], SAMPLES);
    run_all("nextafter", f, OpenCLstd_Nextafter, f->type, SAMPLES, f->bytes, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double x = value_of(f, inputs[0], i), y = value_of(f, inputs[1], i),
                     r = value_of(f, results[0][0], i);
        if (isnan(x) || isnan(y)) {
            ck_assert(isnan(r));
            continue;
        }
        const int64_t from = order_of(f, inputs[0], i), want = from + (x < y) - (x > y);
        ck_assert_msg(order_of(f, results[0][0], i) == want, "%s nextafter(%a, %a) = %a", f->name, x, y, r);
    }
}
END_TEST

START_TEST(nan_and_bit_choices)
{
    const struct format *f = &formats[_i];
    const uint64_t all = f->bytes == 8 ? UINT64_MAX : ((uint64_t)1 << (f->bytes * 8)) - 1;
    random_state = 46;
    for (size_t i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 3; k++)
            put_bits(f, inputs[k], i, k < 2 ? random_bits() : i % 2 ? 0 : random_bits() | 1);
    run_all("nan", f, OpenCLstd_Nan, f->integer, SAMPLES, f->bytes, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t payload = 0, got = 0;
        memcpy(&payload, (char *)inputs[0] + i * f->bytes, f->bytes);
        memcpy(&got, (char *)results[0][0] + i * f->bytes, f->bytes);
        const uint64_t fraction = ((uint64_t)1 << (f->precision - 2)) - 1;
        ck_assert(isnan(value_of(f, results[0][0], i)));
        ck_assert_uint_eq(got & fraction, payload & fraction);
    }
    run_all("bitselect", f, OpenCLstd_Bitselect, f->type, SAMPLES, f->bytes, 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t v[3] = {0, 0, 0}, got = 0;
        for (int k = 0; k < 3; k++)
            memcpy(&v[k], (char *)inputs[k] + i * f->bytes, f->bytes);
        memcpy(&got, (char *)results[0][0] + i * f->bytes, f->bytes);
        ck_assert_uint_eq(got, ((v[0] & ~v[2]) | (v[1] & v[2])) & all);
    }
    run_all("select", f, OpenCLstd_Select, f->type, SAMPLES, f->bytes, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert(same_lane(results[0][0], inputs[i % 2 ? 0 : 1], f->bytes, i));
}
END_TEST

/* For every input NaN, arithmetic gives the canonical one. */
START_TEST(arithmetic_nan_is_canonical)
{
    const struct format *f = &formats[_i];
    const uint64_t canonical = f->bytes == 2 ? 0x7e00 : f->bytes == 4 ? 0x7fc00000 : 0x7ff8000000000000;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        const uint32_t entry = rows[k].entry;
        if (entry == OpenCLstd_Fabs || entry == OpenCLstd_Fmax || entry == OpenCLstd_Fmin)
            continue;
        fill(&rows[k], f, SAMPLES);
        run(f, entry, f->type, 0, SAMPLES);
        for (size_t i = 0; i < SAMPLES; i++) {
            uint64_t bits = 0;
            memcpy(&bits, (char *)results[0][0] + i * f->bytes, f->bytes);
            if (isnan(value_of(f, results[0][0], i)))
                ck_assert_msg(bits == canonical, "%s %s: %llx", f->name, rows[k].name,
                              (unsigned long long)bits);
        }
    }
}
END_TEST

/* out == in, as the contract allows. */
START_TEST(results_may_replace_operands)
{
    static const uint32_t entries[] = {OpenCLstd_Sin,  OpenCLstd_Fract, OpenCLstd_Sincos,
                                       OpenCLstd_Fma,  OpenCLstd_Pow,   OpenCLstd_Remquo,
                                       OpenCLstd_Modf, OpenCLstd_Log1p, OpenCLstd_Rsqrt};
    const struct format *f = &formats[_i];
    for (size_t e = 0; e < sizeof(entries) / sizeof(entries[0]); e++) {
        enum { LANES = 48 };
        random_state = e;
        for (int k = 0; k < 3; k++)
            fill_many(f, inputs[k], LANES);
        for (int isa = 0; isa < ISAS && math_find_isa(entries[e], f->type, isa); isa++) {
            run(f, entries[e], f->type, isa, LANES);
            memcpy(results[isa][1], inputs[0], LANES * f->bytes);
            math_find_isa(entries[e], f->type, isa)(LANES, (void *[2]){results[isa][1], inputs[2]},
                                                    (const void *[3]){results[isa][1], inputs[1], inputs[2]});
            ck_assert_mem_eq(results[isa][0], results[isa][1], LANES * f->bytes);
            fill_many(f, inputs[2], LANES); /* the second result went there */
        }
    }
}
END_TEST

/* ---- integers ---- */

typedef __int128 wide;
typedef wide integer_reference(wide x, wide y, wide z, int width);

static wide least(int width, bool is_signed)
{
    return is_signed ? -((wide)1 << (width - 1)) : 0;
}

static wide greatest(int width, bool is_signed)
{
    return is_signed ? ((wide)1 << (width - 1)) - 1 : ((wide)1 << width) - 1;
}

static wide saturate(wide v, int width, bool is_signed)
{
    const wide low = least(width, is_signed), high = greatest(width, is_signed);
    return v < low ? low : v > high ? high : v;
}

static int count_leading(wide x, int width)
{
    int n = 0;
    while (n < width && !(x >> (width - 1 - n) & 1))
        n++;
    return n;
}

static int count_trailing(wide x, int width)
{
    int n = 0;
    while (n < width && !(x >> n & 1))
        n++;
    return n;
}

static int count_ones(wide x, int width)
{
    int n = 0;
    for (int i = 0; i < width; i++)
        n += (int)(x >> i & 1);
    return n;
}

/* The 128-bit product of two unsigned 64-bit values plus one more may pass 2^127: compare before adding. */
static wide umad_sat(wide x, wide y, wide z, int width)
{
    const unsigned __int128 p = (unsigned __int128)x * (unsigned __int128)y,
                            high = (unsigned __int128)greatest(width, false);
    return p > high - (unsigned __int128)z ? greatest(width, false) : (wide)(p + (unsigned __int128)z);
}

#define INTEGER(name, expr)                                   \
    static wide int_##name(wide x, wide y, wide z, int width) \
    {                                                         \
        (void)y;                                              \
        (void)z;                                              \
        (void)width;                                          \
        return (wide)(expr);                                  \
    }
INTEGER(abs, x < 0 ? -x : x)
INTEGER(abs_diff, x > y ? x - y : y - x)
INTEGER(s_add_sat, saturate(x + y, width, true))
INTEGER(u_add_sat, saturate(x + y, width, false))
INTEGER(s_sub_sat, saturate(x - y, width, true))
INTEGER(u_sub_sat, saturate(x - y, width, false))
INTEGER(hadd, (x + y) >> 1)
INTEGER(rhadd, (x + y + 1) >> 1)
INTEGER(clamp, x<y ? (y > z ? z : y) : x> z ? z : x)
INTEGER(max, x > y ? x : y)
INTEGER(min, x < y ? x : y)
INTEGER(clz, count_leading(x, width))
INTEGER(ctz, count_trailing(x, width))
INTEGER(popcount, count_ones(x, width))
INTEGER(rotate,
        (unsigned __int128)x << (y & (width - 1)) | (unsigned __int128)x >> (width - (y & (width - 1))))
INTEGER(s_mul_hi, (x * y) >> width)
INTEGER(u_mul_hi, (unsigned __int128)x *(unsigned __int128)y >> width)
INTEGER(s_mad_hi, ((x * y) >> width) + z)
INTEGER(u_mad_hi, ((unsigned __int128)x * (unsigned __int128)y >> width) + (unsigned __int128)z)
INTEGER(s_mad_sat, saturate(x *y + z, width, true))
INTEGER(u_mad_sat, umad_sat(x, y, z, width))
INTEGER(bitselect, (x & ~z) | (y & z))
INTEGER(select, z ? y : x)

struct integer_row {
    const char *name;
    uint32_t entry;
    bool is_signed;
    integer_reference *expected;
};
#define INT_ROW(entry, is_signed, name)                  \
    {                                                    \
#entry, OpenCLstd_##entry, is_signed, int_##name \
    }

static const struct integer_row integer_rows[] = {
    INT_ROW(SAbs, true, abs),
    INT_ROW(UAbs, false, abs),
    INT_ROW(SAbs_diff, true, abs_diff),
    INT_ROW(UAbs_diff, false, abs_diff),
    INT_ROW(SAdd_sat, true, s_add_sat),
    INT_ROW(UAdd_sat, false, u_add_sat),
    INT_ROW(SSub_sat, true, s_sub_sat),
    INT_ROW(USub_sat, false, u_sub_sat),
    INT_ROW(SHadd, true, hadd),
    INT_ROW(UHadd, false, hadd),
    INT_ROW(SRhadd, true, rhadd),
    INT_ROW(URhadd, false, rhadd),
    INT_ROW(SClamp, true, clamp),
    INT_ROW(UClamp, false, clamp),
    INT_ROW(SMax, true, max),
    INT_ROW(UMax, false, max),
    INT_ROW(SMin, true, min),
    INT_ROW(UMin, false, min),
    INT_ROW(Clz, false, clz),
    INT_ROW(Ctz, false, ctz),
    INT_ROW(Popcount, false, popcount),
    INT_ROW(Rotate, false, rotate),
    INT_ROW(SMul_hi, true, s_mul_hi),
    INT_ROW(UMul_hi, false, u_mul_hi),
    INT_ROW(SMad_hi, true, s_mad_hi),
    INT_ROW(UMad_hi, false, u_mad_hi),
    INT_ROW(SMad_sat, true, s_mad_sat),
    INT_ROW(UMad_sat, false, u_mad_sat),
    INT_ROW(Bitselect, false, bitselect),
    INT_ROW(Select, false, select),
};

static wide integer_at(const void *array, size_t i, int width, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)array + i * (size_t)width / 8, (size_t)width / 8);
    if (is_signed && bits >> (width - 1) & 1)
        return (wide)bits - ((wide)1 << width);
    return (wide)bits;
}

static void fill_integer_lanes(void *array, int width, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = random_bits(), top = (uint64_t)1 << (width - 1);
        const uint64_t few[] = {0, 1, 2, top, top - 1, top + 1, UINT64_MAX, 3};
        const uint64_t v = r % 3 == 0   ? few[r >> 8 & 7]
                           : r % 3 == 1 ? random_bits() >> (r >> 8 & 63)
                                        : random_bits();
        memcpy((char *)array + i * (size_t)width / 8, &v, (size_t)width / 8);
    }
}

START_TEST(integers)
{
    static const enum math_type types[] = {MATH_I8, MATH_I16, MATH_I32, MATH_I64};
    const struct integer_row *row = &integer_rows[_i];
    for (int t = 0, width = 8; t < 4; t++, width *= 2) {
        const wide mask = ((wide)1 << width) - 1;
        random_state = row->entry + (uint32_t)width;
        for (int k = 0; k < 3; k++)
            fill_integer_lanes(inputs[k], width, SAMPLES);
        run_all(row->name, NULL, row->entry, types[t], SAMPLES, (size_t)width / 8, 0);
        for (size_t i = 0; i < SAMPLES; i++) {
            wide v[3];
            for (int k = 0; k < 3; k++)
                v[k] = integer_at(inputs[k], i, width, row->is_signed);
            const wide want = row->expected(v[0], v[1], v[2], width) & mask,
                       got = integer_at(results[0][0], i, width, false);
            ck_assert_msg(got == want, "%s %d bits (%lld, %lld, %lld) = %llx, expected %llx", row->name,
                          width, (long long)v[0], (long long)v[1], (long long)v[2], (long long)got,
                          (long long)want);
        }
    }
}
END_TEST

START_TEST(upsample_and_24_bits)
{
    random_state = 24;
    for (int t = 0, width = 8; t < 3; t++, width *= 2) {
        for (int k = 0; k < 2; k++)
            fill_integer_lanes(inputs[k], width, SAMPLES);
        for (uint32_t entry = OpenCLstd_U_Upsample; entry <= OpenCLstd_S_Upsample; entry++) {
            run_all("upsample", NULL, entry, (enum math_type)(MATH_I8 + t), SAMPLES, (size_t)width / 4, 0);
            for (size_t i = 0; i < SAMPLES; i++)
                ck_assert(integer_at(results[0][0], i, 2 * width, false) ==
                          (integer_at(inputs[0], i, width, false) << width |
                           integer_at(inputs[1], i, width, false)));
        }
    }
    int32_t *x = inputs[0], *y = inputs[1], *z = inputs[2];
    for (size_t i = 0; i < SAMPLES; i++) {
        x[i] = (int32_t)(random_bits() & 0xffffff) - 0x800000;
        y[i] = (int32_t)(random_bits() & 0xffffff) - 0x800000;
        z[i] = (int32_t)random_bits();
    }
    run_all("mul24", NULL, OpenCLstd_SMul24, MATH_I32, SAMPLES, 4, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_int_eq(((int32_t *)results[0][0])[i], (int32_t)((int64_t)x[i] * y[i]));
    run_all("mad24", NULL, OpenCLstd_UMad24, MATH_I32, SAMPLES, 4, 0);
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_int_eq(((int32_t *)results[0][0])[i], (int32_t)((int64_t)x[i] * y[i] + z[i]));
}
END_TEST

/* ---- the table ---- */

static bool lowered_elsewhere(uint32_t entry)
{
    return (entry >= OpenCLstd_Cross && entry <= OpenCLstd_Fast_normalize) ||
           (entry >= OpenCLstd_Vloadn && entry <= OpenCLstd_Prefetch);
}

static bool is_entry(uint32_t n)
{
    return n <= 110 || (n >= 141 && n <= 187) || (n >= 201 && n <= 204);
}

START_TEST(table_is_complete)
{
    for (uint32_t entry = 0; entry < 300; entry++) {
        bool found = false;
        for (int type = 0; type < MATH_TYPES; type++)
            found |= math_find(entry, (enum math_type)type) != NULL;
        ck_assert_msg(found == (is_entry(entry) && !lowered_elsewhere(entry)), "entry %u", entry);
    }
    ck_assert_ptr_null(math_find(OpenCLstd_Sin, MATH_I32));
    ck_assert_ptr_null(math_find(OpenCLstd_SAbs, MATH_F32));
    ck_assert_ptr_null(math_find(OpenCLstd_SMul24, MATH_I64));
    ck_assert_ptr_null(math_find(OpenCLstd_U_Upsample, MATH_I64));
    ck_assert_ptr_null(math_find_isa(OpenCLstd_Sin, MATH_F32, 3));
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static Suite *math_suite(void)
{
    Suite *suite = suite_create("math");
    TCase *single = tcase_create("math");
    tcase_add_checked_fixture(single, set_up, tear_down);
    tcase_set_timeout(single, 60);
    tcase_add_test(single, table_is_complete);
    tcase_add_test(single, edge_cases);
    tcase_add_loop_test(single, fract_modf_frexp_ilogb, 0, 3);
    tcase_add_loop_test(single, sincos_is_sin_and_cos, 0, 3);
    tcase_add_loop_test(single, lgamma_r_gives_the_sign, 0, 3);
    tcase_add_loop_test(single, remquo_quotient, 0, 3);
    tcase_add_loop_test(single, nextafter_is_the_neighbour, 0, 3);
    tcase_add_loop_test(single, nan_and_bit_choices, 0, 3);
    tcase_add_loop_test(single, arithmetic_nan_is_canonical, 0, 3);
    tcase_add_loop_test(single, results_may_replace_operands, 0, 3);
    tcase_add_loop_test(single, integers, 0, COUNT(integer_rows));
    tcase_add_test(single, upsample_and_24_bits);
    tcase_add_loop_test(single, accuracy, 0, COUNT(rows));
    tcase_add_loop_test(single, native_and_half_accuracy, 0, COUNT(loose_rows));
    suite_add_tcase(suite, single);
    return suite;
}

int main(void)
{
    SRunner *runner = srunner_create(math_suite());
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
