/* SPDX-License-Identifier: Apache-2.0 */
/*
 * length, distance, normalize and their fast forms against MPFR, in ULP, with the limits of the full profile
 * for float (those for double are wider): vectors about the limits of the format, components as far apart as
 * it allows, and random ones.
 */
#include <float.h>
#include <math.h>
#include <mpfr.h>

#include "tests/support/cl_fixture.h"
#include "tests/support/dice.h"

enum { VECTORS = 2048, WIDEST = 4, PRECISION = 300 };

struct format {
    const char *name;
    size_t bytes;
    int precision, emin, emax; /* of values 0.5 <= m < 1 times 2^e; emin: of the least one */
};
static const struct format formats[] = {{"float", 4, 24, -148, 128}, {"double", 8, 53, -1073, 1024}};

struct function {
    const char *name;
    double limit, per_component;
    bool of_double;
};
enum { LENGTH, DISTANCE, NORMALIZE };
static const struct function functions[] = {
    {"length", 2.75, 0.5, true},         {"distance", 2.5, 2, true},
    {"normalize", 2, 1, true},           {"fast_length", 8191.5, 0.5, false},
    {"fast_distance", 8191.5, 2, false}, {"fast_normalize", 8192, 1, false},
};

static double a[VECTORS * WIDEST], b[VECTORS * WIDEST], got[VECTORS * WIDEST];

/* ---- inputs -------------------------------------------------------------------------- */

static int exponent_of(const struct format *f)
{
    const int places[] = {f->emin, f->emin + f->precision, f->emax, f->emax - 1, f->emin / 2, f->emax / 2, 0};
    const int at = places[below(7)] + (int)below(7) - 3;
    const int anywhere = f->emin + (int)below((uint32_t)(f->emax - f->emin));
    const int e = below(2) ? at : anywhere;
    return e < f->emin ? f->emin : e > f->emax ? f->emax : e;
}

static double component(const struct format *f, int e)
{
    const double largest = 1 - ldexp(1, -f->precision), m = 0.5 + 0.5 * below(1 << 24) / (1 << 24);
    const double part = below(4) == 0 ? largest : below(4) == 0 ? 0.5 : m;
    const double x = ldexp(part, e < f->emin ? f->emin : e);
    const double rounded = f->bytes == sizeof(float) ? (double)(float)x : x;
    return below(2) ? rounded : -rounded;
}

/* Components as large as the first, a little smaller, or as small as it can be and still show in a quotient.
 */
static void fill(const struct format *f, uint32_t width, double *array)
{
    for (uint32_t i = 0; i < VECTORS; i++) {
        const int e = exponent_of(f);
        const uint32_t first = below(width);
        for (uint32_t k = 0; k < width; k++) {
            const int lower = (int)below(below(2) ? 4 : below(2) ? 60 : (uint32_t)(f->emax - f->emin));
            array[i * width + k] = k == first ? component(f, e) : below(8) == 0 ? 0 : component(f, e - lower);
        }
    }
}

/* ---- what the device gives ----------------------------------------------------------- */

static cl_program geometric_program(void)
{
    static char text[16384];
    size_t at = (size_t)sprintf(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    for (size_t f = 0; f < 2; f++)
        for (size_t n = 0; n < sizeof functions / sizeof *functions; n++)
            for (uint32_t width = 1; width <= WIDEST && (f == 0 || functions[n].of_double); width++) {
                const char *type = formats[f].name, *name = functions[n].name;
                at += (size_t)sprintf(
                    text + at,
                    "kernel void %s_%s%u(global const double *a, global const double *b, global double *out) "
                    "{ size_t i = get_global_id(0) * %u; ",
                    name, type, width, width);
                at += (size_t)sprintf(
                    text + at,
                    "%s p[4], q[4]; for (int k = 0; k < %u; k++) { p[k] = a[i + k]; q[k] = b[i + k]; } ",
                    type, width);
                const char *lists[] = {"", "p[0]", "p[0], p[1]", "p[0], p[1], p[2]",
                                       "p[0], p[1], p[2], p[3]"};
                const char *seconds[] = {"", "q[0]", "q[0], q[1]", "q[0], q[1], q[2]",
                                         "q[0], q[1], q[2], q[3]"};
                char vector[16], second[80] = "", result[16];
                snprintf(vector, sizeof vector, width > 1 ? "%s%u" : "%s", type, width);
                snprintf(result, sizeof result, "%s", n % 3 == NORMALIZE ? vector : type);
                if (n % 3 == DISTANCE)
                    snprintf(second, sizeof second, ", (%s)(%s)", vector, seconds[width]);
                at += (size_t)sprintf(text + at, "%s r = %s((%s)(%s)%s); ", result, name, vector,
                                      lists[width], second);
                for (uint32_t k = 0; k < (n % 3 == NORMALIZE ? width : 1); k++)
                    at += (size_t)sprintf(text + at,
                                          n % 3 == NORMALIZE && width > 1 ? "out[i + %u] = r.s%u; "
                                                                          : "out[i + %u] = r; ",
                                          k, k);
                at += (size_t)sprintf(text + at, "}\n");
                ck_assert_uint_lt(at, sizeof text - 1024);
            }
    return cl_program_of(context, text, "");
}

static void run(cl_program program, const struct function *function, const struct format *f, uint32_t width)
{
    char name[64];
    cl_int err;
    const size_t bytes = VECTORS * width * sizeof(double), items = VECTORS;
    snprintf(name, sizeof name, "%s_%s%u", function->name, f->name, width);
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_mem buffers[3] = {clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, a, NULL),
                         clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, b, NULL),
                         clCreateBuffer(context, 0, bytes, NULL, NULL)};
    for (cl_uint k = 0; k < 3; k++)
        cl_ok(clSetKernelArg(kernel, k, sizeof buffers[k], &buffers[k]));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    memset(got, 0, sizeof got);
    cl_ok(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, bytes, got, 0, NULL, NULL));
    for (cl_uint k = 0; k < 3; k++)
        cl_ok(clReleaseMemObject(buffers[k]));
    cl_ok(clReleaseKernel(kernel));
}

/* ---- what MPFR gives ----------------------------------------------------------------- */

static mpfr_t length, term, expected;

static void find_length(const double *x, const double *y, uint32_t width)
{
    mpfr_set_ui(length, 0, MPFR_RNDN);
    for (uint32_t k = 0; k < width; k++) {
        mpfr_set_d(term, x[k], MPFR_RNDN);
        if (y)
            mpfr_sub_d(term, term, y[k], MPFR_RNDN);
        mpfr_sqr(term, term, MPFR_RNDN);
        mpfr_add(length, length, term, MPFR_RNDN);
    }
    mpfr_sqrt(length, length, MPFR_RNDN);
}

/* In units of the last place of what is expected; an infinity stands for the value after the greatest. */
static double error_of(const struct format *f, double value)
{
    if (mpfr_zero_p(expected) || isnan(value))
        return value == 0 ? 0 : (double)INFINITY;
    mpfr_exp_t e = mpfr_get_exp(expected);
    if (isinf(value) && e > f->emax)
        return 0;
    if (isinf(value))
        mpfr_set_si_2exp(term, value > 0 ? 1 : -1, f->emax, MPFR_RNDN);
    else
        mpfr_set_d(term, value, MPFR_RNDN);
    e = e > f->emax ? f->emax : e;
    const mpfr_exp_t unit = e - f->precision < f->emin - 1 ? f->emin - 1 : e - f->precision;
    mpfr_sub(term, term, expected, MPFR_RNDN);
    mpfr_div_2si(term, term, unit, MPFR_RNDN);
    return fabs(mpfr_get_d(term, MPFR_RNDN));
}

static void judge(uint32_t n, const struct format *f, uint32_t width)
{
    const struct function *function = &functions[n];
    const double limit = function->limit + function->per_component * width;
    double worst = 0;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const double *x = a + i * width;
        find_length(x, n % 3 == DISTANCE ? b + i * width : NULL, width);
        for (uint32_t k = 0; k < (n % 3 == NORMALIZE ? width : 1); k++) {
            mpfr_set(expected, length, MPFR_RNDN);
            if (n % 3 == NORMALIZE)
                mpfr_d_div(expected, x[k], length, MPFR_RNDN);
            const double error = error_of(f, got[i * width + k]);
            worst = error > worst ? error : worst;
            ck_assert_msg(
                error <= limit, "%s of %s%u (%a, %a, %a, %a), component %u: %a, expected %a: %g ulp of %g",
                function->name, f->name, width, x[0], width > 1 ? x[1] : 0, width > 2 ? x[2] : 0,
                width > 3 ? x[3] : 0, k, got[i * width + k], mpfr_get_d(expected, MPFR_RNDN), error, limit);
        }
    }
    if (getenv("VERBOSE"))
        fprintf(stderr, "%-6s%u %-14s %9.3f ulp of %g\n", f->name, width, function->name, worst, limit);
}

START_TEST(geometric_functions_are_within_the_specified_error)
{
    cl_program program = geometric_program();
    mpfr_inits2(PRECISION, length, term, expected, (mpfr_ptr)0);
    for (uint32_t f = 0; f < 2; f++)
        for (uint32_t n = 0; n < sizeof functions / sizeof *functions; n++)
            for (uint32_t width = 1; width <= WIDEST && (f == 0 || functions[n].of_double); width++) {
                dice = 1 + n + 16 * width + 256 * f;
                fill(&formats[f], width, a);
                fill(&formats[f], width, b);
                run(program, &functions[n], &formats[f], width);
                judge(n, &formats[f], width);
            }
    mpfr_clears(length, term, expected, (mpfr_ptr)0);
    cl_ok(clReleaseProgram(program));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometric");
    TCase *tcase = tcase_create("geometric");
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(tcase, cl_set_up, cl_tear_down);
    tcase_add_test(tcase, geometric_functions_are_within_the_specified_error);
    return cl_run_suite(suite);
}
