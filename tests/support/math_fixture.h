/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of math functions share: formats of numbers, inputs that are hard or look random, and runs of
 * an entry by each build for an instruction set, which must give the baseline's bits.
 */
#ifndef ORRERY_TESTS_SUPPORT_MATH_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_MATH_FIXTURE_H

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

static inline uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static inline double value_of(const struct format *f, const void *array, size_t i)
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
static inline void put(const struct format *f, void *array, size_t i, double v)
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

static inline double rounded(const struct format *f, double v)
{
    uint64_t room[1] = {0};
    put(f, room, 0, v);
    return value_of(f, room, 0);
}

static inline void put_bits(const struct format *f, void *array, size_t i, uint64_t bits)
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
static inline void put_sample(const struct format *f, void *array, size_t i)
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

static inline void put_edge(const struct format *f, void *array, size_t i, size_t which)
{
    const double e = edges[which % EDGES];
    put(f, array, i, which / EDGES % 2 ? -e : e);
}

static inline void fill_unary(const struct format *f, void *array, size_t n)
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
static inline void fill_many(const struct format *f, void *array, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i < n / 3)
            put_edge(f, array, i, random_bits());
        else
            put_sample(f, array, i);
}

static inline void fill_integers(int32_t *array, size_t n)
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

/* ---- runs ---- */

static void *inputs[3], *results[ISAS][2];

static inline void run(const struct format *f, uint32_t entry, enum math_type type, int isa, size_t n)
{
    (void)f;
    math_fn *fn = math_find_isa(entry, type, isa);
    ck_assert_msg(fn != NULL, "entry %u type %d isa %d", entry, type, isa);
    fn(n, results[isa], (const void *const *)inputs);
}

static inline bool same_lane(const void *a, const void *b, size_t bytes, size_t i)
{
    return memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes) == 0;
}

/* Runs every build the CPU has and demands the baseline's bits. */
static inline void run_all(const char *name, const struct format *f, uint32_t entry, enum math_type type,
                           size_t n, size_t bytes0, size_t bytes1)
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

static inline bool same_value(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !!signbit(a) == !!signbit(b);
}

#define SAME(f, what, i, got, want) \
    ck_assert_msg(same_value(got, want), "%s " what " lane %zu: %a, expected %a", (f)->name, i, got, want)

static inline void make_buffers(void)
{
    for (int k = 0; k < 3; k++)
        inputs[k] = aligned_alloc(64, MOST * 8);
    for (int isa = 0; isa < ISAS; isa++)
        for (int k = 0; k < 2; k++)
            results[isa][k] = aligned_alloc(64, MOST * 8);
    for (int k = 0; k < 3; k++)
        memset(inputs[k], 0, MOST * 8);
}

static inline void free_buffers(void)
{
    for (int k = 0; k < 3; k++)
        free(inputs[k]);
    for (int isa = 0; isa < ISAS; isa++)
        for (int k = 0; k < 2; k++)
            free(results[isa][k]);
}

/* The suite's only case. add: adds its tests. */
static inline int run_math(const char *name, void (*set_up)(void), void (*tear_down)(void),
                           void (*add)(TCase *tests))
{
    Suite *suite = suite_create(name);
    TCase *single = tcase_create(name);
    tcase_add_checked_fixture(single, set_up, tear_down);
    tcase_set_timeout(single, 60);
    add(single);
    suite_add_tcase(suite, single);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
