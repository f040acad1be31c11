/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test suite for kernels, with Check, on a device that reports their mistakes.
 *
 *     cc test_suite.c $(pkg-config --cflags --libs orrery check) && ./a.out
 *
 * run() is the application's own host code; Orrery adds the rest: state what a test expects or forbids, run,
 * let check() compare. Each test starts with no findings and the options of the scenario.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <check.h>
#include <orrery/orrery.h>
#include <stdlib.h>

static const char source[] =
    "kernel void reverse(global const int *in, global int *out)      \n"
    "{                                                               \n"
    "    size_t i = get_global_id(0), n = get_global_size(0);        \n"
    "    out[n - 1 - i] = in[i];                                     \n"
    "}                                                               \n"
    "kernel void shift(global const int *in, global int *out)        \n"
    "{                                                               \n"
    "    size_t i = get_global_id(0);                                \n"
    "    out[i] = in[i + 1];                                         \n"
    "}                                                               \n"
    "kernel void total(global const int *in, global int *out)        \n"
    "{                                                               \n"
    "    int sum;                                                    \n"
    "    for (size_t i = 0; i < get_global_size(0); i++)             \n"
    "        sum += in[i];                                           \n"
    "    out[get_global_id(0)] = sum;                                \n"
    "}                                                               \n";

enum { COUNT = 16 };

/* ---- the application --------------------------------------------------------------- */

static cl_mem buffer(cl_context context, const int *values)
{
    cl_mem_flags flags = values ? CL_MEM_COPY_HOST_PTR : 0;
    return clCreateBuffer(context, CL_MEM_READ_WRITE | flags, COUNT * sizeof(int), (void *)values, NULL);
}

static void run(const char *name, const int *in, int *out)
{
    const char *strings[] = {source};
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, strings, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    cl_mem memory[2] = {buffer(context, in), buffer(context, NULL)};
    clSetKernelArg(kernel, 0, sizeof memory[0], &memory[0]);
    clSetKernelArg(kernel, 1, sizeof memory[1], &memory[1]);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){COUNT}, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, memory[1], CL_TRUE, 0, COUNT * sizeof(int), out, 0, NULL, NULL);
    clReleaseMemObject(memory[0]);
    clReleaseMemObject(memory[1]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
}

/* ---- its tests ------------------------------------------------------------------------- */

static const int in[COUNT] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static int out[COUNT];

static void check(void)
{
    char unmet[4000];
    ck_assert_msg(orrery_check_expectations(unmet, sizeof unmet) == ORRERY_OK, "\n%s", unmet);
}

static void start_afresh(void)
{
    orrery_reset();
}

START_TEST(reverse_is_right_in_any_order)
{
    orrery_forbid("*");
    orrery_set_option("schedule", "random", NULL, 0);
    orrery_set_seed((uint64_t)_i);
    run("reverse", in, out);
    ck_assert_int_eq(out[0], 16);
    check();
}
END_TEST

START_TEST(shift_reads_behind_its_input)
{
    orrery_expect("out-of-bounds-read", "shift", 9, 1, 1);
    orrery_forbid("*");
    run("shift", in, out);
    check();
}
END_TEST

START_TEST(total_forgets_to_start_with_zero)
{
    struct orrery_finding finding;
    orrery_set_option("uninitialized", "error", NULL, 0);
    orrery_expect("uninitialised-store", "total", 0, 1, 1);
    run("total", in, out);
    check();
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_uint_eq(finding.line, 16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tests = tcase_create("kernels");
    tcase_add_checked_fixture(tests, NULL, start_afresh);
    tcase_add_loop_test(tests, reverse_is_right_in_any_order, 0, 8);
    tcase_add_test(tests, shift_reads_behind_its_input);
    tcase_add_test(tests, total_forgets_to_start_with_zero);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
