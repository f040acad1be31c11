/* SPDX-License-Identifier: Apache-2.0 */
/* Math functions: edge cases of the specification as a table, functions with two results, NaNs, and which
 * entries there are. */
#include "tests/support/math_fixture.h"

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

static void add(TCase *single)
{
    tcase_add_test(single, table_is_complete);
    tcase_add_test(single, edge_cases);
    tcase_add_loop_test(single, fract_modf_frexp_ilogb, 0, 3);
    tcase_add_loop_test(single, sincos_is_sin_and_cos, 0, 3);
    tcase_add_loop_test(single, lgamma_r_gives_the_sign, 0, 3);
    tcase_add_loop_test(single, nextafter_is_the_neighbour, 0, 3);
    tcase_add_loop_test(single, nan_and_bit_choices, 0, 3);
}

int main(void)
{
    return run_math("math: edges", make_buffers, free_buffers, add);
}
