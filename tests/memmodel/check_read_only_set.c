/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel that reads, without a pattern, more bytes than its footprint can list of memory that it does not
 * write. The races of other commands with it (OpenCL 2.2 API, 3.3.6) do not depend on how many it reads.
 */
#include "tests/support/finding_fixture.h"

enum { INTS = 1 << 20, LITTLE = 1 << 8, MUCH = 1 << 21 };

static const char source[] = "kernel void even(global const int *x, global int *y, int m) {\n"
                             "    uint i = get_global_id(0);\n"
                             "    int s = 0;\n"
                             "    for (uint k = 0; k < 10; k++)\n"
                             "        s += x[(i * (17 + k) * 2654435761u) & (m - 2)];\n"
                             "    if (i == 5)\n"
                             "        s += x[0x80001 & (m - 1)];\n"
                             "    y[i] = s;\n"
                             "}\n"
                             "kernel void poke(global int *x, int at) { x[at] = 1; }\n";

static cl_command_queue second;
static cl_program program;
static cl_kernel even, poke;
static cl_mem x, y;

static cl_kernel kernel_of(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    return kernel;
}

static void set_up(void)
{
    const cl_int ints = INTS;
    setenv("ORRERY_DATA_RACES", "warning", 1);
    finding_set_up();
    second = cl_new_queue(context, 0);
    program = cl_program_of(context, source, "");
    even = kernel_of("even");
    poke = kernel_of("poke");
    x = cl_buffer(context, CL_MEM_READ_WRITE, 4 * INTS, NULL);
    y = cl_buffer(context, CL_MEM_READ_WRITE, 4 * MUCH, NULL);
    cl_ok(clSetKernelArg(even, 0, sizeof x, &x));
    cl_ok(clSetKernelArg(even, 1, sizeof y, &y));
    cl_ok(clSetKernelArg(even, 2, sizeof ints, &ints));
    cl_ok(clSetKernelArg(poke, 0, sizeof x, &x));
    cl_ok(clEnqueueFillBuffer(queue, x, &ints, 4, 0, 4 * INTS, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(y));
    cl_ok(clReleaseKernel(even));
    cl_ok(clReleaseKernel(poke));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(second));
    cl_tear_down();
}

/* This many work-items read; the writer waits for none, or once more for the readers. */
static size_t races_with(size_t items, cl_int at, bool read_again)
{
    const size_t one = 1;
    cl_event event;
    cl_ok(clSetKernelArg(poke, 1, sizeof at, &at));
    cl_ok(clEnqueueNDRangeKernel(queue, even, 1, NULL, &items, NULL, 0, NULL, &event));
    cl_ok(clFlush(queue));
    cl_ok(clEnqueueNDRangeKernel(second, poke, 1, NULL, &one, &one, read_again, read_again ? &event : NULL,
                                 NULL));
    cl_ok(clFlush(second));
    if (read_again)
        cl_ok(clEnqueueNDRangeKernel(queue, even, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clReleaseEvent(event));
    return findings_of("race-commands");
}

static const struct {
    size_t items;
    cl_int at;
    bool read_again;
    size_t races;
    uint32_t line;
} rows[] = {
    {LITTLE, 3, false, 0, 0},     {LITTLE, 0, false, 1, 5}, {LITTLE, 0x80001, false, 1, 7},
    {LITTLE, 0, true, 1, 5},      {MUCH, 3, false, 0, 0},   {MUCH, 0, false, 1, 5},
    {MUCH, 0x80001, false, 1, 7}, {MUCH, 0, true, 1, 5},    {MUCH, 3, true, 0, 0},
};

START_TEST(all_read_bytes_are_recorded)
{
    ck_assert_uint_eq(races_with(rows[_i].items, rows[_i].at, rows[_i].read_again), rows[_i].races);
    if (!rows[_i].races)
        return;
    const struct orrery_finding finding = finding_last("race-commands");
    const int reader = finding.access[0].line == 10;
    ck_assert_uint_eq(finding.access[reader].line, rows[_i].line);
    ck_assert_uint_eq(finding.access[!reader].line, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("only read");
    TCase *tests = tcase_create("commands");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, all_read_bytes_are_recorded, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
