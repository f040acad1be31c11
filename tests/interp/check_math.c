/* SPDX-License-Identifier: Apache-2.0 */
/* The math functions against MPFR, in ULP, with the limits of the full profile. */
#include "tests/support/math_fixture.h"

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
SAME_1(acospi)
SAME_1(asin)
SAME_1(asinh)
SAME_1(asinpi) SAME_1(atan) SAME_1(atanh) SAME_1(atanpi) SAME_1(cbrt) SAME_1(cos) SAME_1(cosh) SAME_1(cospi)
    SAME_1(erfc) SAME_1(erf) SAME_1(exp) SAME_1(exp2) SAME_1(exp10) SAME_1(expm1) SAME_1(log) SAME_1(log2)
        SAME_1(log10) SAME_1(log1p) SAME_1(sin) SAME_1(sinh) SAME_1(sinpi) SAME_1(sqrt) SAME_1(tan)
            SAME_1(tanh) SAME_1(tanpi) SAME_1(gamma) SAME_1(abs) SAME_2(atan2) SAME_2(atan2pi) SAME_2(pow)
                SAME_2(hypot) SAME_2(fmod) SAME_2(remainder) REFERENCE(ref_ceil, mpfr_ceil(r, x))
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
    make_buffers();
    for (int k = 0; k < 3; k++)
        mpfr_init2(operand[k], 64);
    mpfr_init2(expected, 120);
    mpfr_init2(difference, 200);
    failures = 0;
}

static void tear_down(void)
{
    free_buffers();
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

/* ---- more than one value ---- */

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

static void add(TCase *single)
{
    tcase_add_loop_test(single, arithmetic_nan_is_canonical, 0, 3);
    tcase_add_loop_test(single, remquo_quotient, 0, 3);
    tcase_add_loop_test(single, results_may_replace_operands, 0, 3);
    tcase_add_loop_test(single, accuracy, 0, COUNT(rows));
    tcase_add_loop_test(single, native_and_half_accuracy, 0, COUNT(loose_rows));
}

int main(void)
{
    return run_math("math", set_up, tear_down, add);
}
