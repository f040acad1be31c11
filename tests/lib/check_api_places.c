/* SPDX-License-Identifier: Apache-2.0 */
/* Units and places: devices, lines of kernels and calls of the program in reports of commands that race. */
#include <unistd.h>

#include "tests/support/order_fixture.h"

/* ---- the device that ran it ------------------------------------------------------------------------ */

static char log_name[] = "check_api_places.XXXXXX";

static void set_up_logged(void)
{
    close(mkstemp(log_name));
    setenv("ORRERY_LOG", log_name, 1);
    set_up();
}

static bool log_has(const char *text)
{
    static char log[20000];
    FILE *stream = fopen(log_name, "r");
    log[fread(log, 1, sizeof log - 1, stream)] = '\0';
    fclose(stream);
    return strstr(log, text) != NULL;
}

START_TEST(of_two_sub_devices_each_is_named)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    cl_queue_properties none[] = {0};
    cl_int err;
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    cl_device_id *all = calloc(units, sizeof(cl_device_id));
    cl_ok(clCreateSubDevices(device, halves, units, all, NULL));
    parts[0] = all[0], parts[1] = all[1];
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_ok(err);
    cl_mem shared = cl_buffer(both, CL_MEM_READ_WRITE, 64, NULL);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueueWithProperties(both, parts[i], none, &err);
        cl_ok(err);
        cl_ok(clEnqueueFillBuffer(queues[i], shared, &one, sizeof one, 0, 64, 0, NULL, NULL));
    }
    for (int i = 0; i < 2; i++) {
        cl_ok(clFinish(queues[i]));
        cl_ok(clReleaseCommandQueue(queues[i]));
    }
    ck_assert(log_has(", sub-device 0 of device 0 '"));
    ck_assert(log_has(", sub-device 1 of device 0 '"));
    cl_ok(clReleaseMemObject(shared));
    cl_ok(clReleaseContext(both));
    for (cl_uint i = 0; i < units; i++)
        cl_ok(clReleaseDevice(all[i]));
    free(all);
}
END_TEST

/* The map, which is first, is to wait for the fill, and the host waits for the map. */
START_TEST(a_map_after_a_queue_that_was_not_flushed)
{
    cl_int err;
    fill(queue, 0, NULL);
    void *mapped = clEnqueueMapBuffer(second, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(second, buffer, mapped, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    ck_assert(log_has("clEnqueueMapBuffer (command 2, queue"));
    ck_assert(!log_has("clEnqueueUnmapMemObject (command"));
}
END_TEST

/* ---- where ------------------------------------------------------------------------------ */

static void run_kernel(cl_command_queue on, const char *source, cl_mem on_buffer, size_t items)
{
    cl_kernel kernel = cl_kernel_of(context, source, "");
    const size_t local = 4;
    cl_ok(clSetKernelArg(kernel, 0, sizeof on_buffer, &on_buffer));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
}

static void read_word(cl_mem from, size_t word)
{
    static cl_uint out[64];
    cl_ok(clEnqueueReadBuffer(second, from, CL_FALSE, 4 * word, 4, &out[word], 0, NULL, NULL));
}

/* A footprint once kept one instruction of all that wrote an allocation, and any of them was reported. */
static const char lines[] = "kernel void k(global uint *p) {\n"
                            "  size_t i = get_global_id(0);\n"
                            "  p[i] = 1;\n"
                            "  p[(i * 7 + 3) % 16 + 16] = 2;\n"
                            "  p[(i * 5 + 1) % 16 + 32] = 3;\n"
                            "  if (i == 3) p[50] = 4;\n"
                            "  if (i == 3) p[49] = 4;\n"
                            "  if (i == 7) atomic_inc(p + 60);\n"
                            "}\n";
static const struct {
    size_t word;
    const char *line;
} writes[] = {{5, "program.cl:3:"},  {20, "program.cl:4:"}, {33, "program.cl:5:"},
              {50, "program.cl:6:"}, {49, "program.cl:7:"}, {60, "program.cl:8:"}};
enum { WRITES = 6 };

/* Whether atomics send all of it to the shadow, or not. */
static const char *lines_of(int variant)
{
    static char without[sizeof lines];
    snprintf(without, sizeof without, "%.*s}\n", (int)(strstr(lines, "  if (i == 7)") - lines), lines);
    return variant ? lines : without;
}

START_TEST(the_line_that_touched_the_bytes)
{
    const int variant = _i / WRITES, which = _i % WRITES;
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, lines_of(variant), words, 16);
    read_word(words, writes[which].word);
    const bool touched = variant || which < WRITES - 1;
    ck_assert_uint_eq(races(), touched);
    for (int i = 0; i < WRITES; i++)
        ck_assert_msg(log_has(writes[i].line) == (touched && i == which), "%s is %s", writes[i].line,
                      i == which ? "not reported" : "reported");
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* The other one ran first. */
START_TEST(line_of_the_later_access_is_reported)
{
    const int variant = _i / WRITES, which = _i % WRITES;
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    cl_ok(clEnqueueFillBuffer(second, words, &one, sizeof one, 4 * writes[which].word, 4, 0, NULL, NULL));
    cl_ok(clFlush(second));
    run_kernel(queue, lines_of(variant), words, 16);
    const bool touched = variant || which < WRITES - 1;
    ck_assert_uint_eq(race(), touched);
    for (int i = 0; i < WRITES; i++)
        ck_assert_msg(log_has(writes[i].line) == (touched && i == which), "%s is %s", writes[i].line,
                      i == which ? "not reported" : "reported");
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* Two lines that race are two findings. */
START_TEST(lines_are_reported_apart)
{
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, lines_of(_i), words, 16);
    run_kernel(second,
               "kernel void k(global uint *p) { if (get_global_id(0) == 0) p[63] = p[5] + p[20] + p[33]; }",
               words, 4);
    ck_assert_uint_eq(races(), 3);
    for (int i = 0; i < WRITES; i++)
        ck_assert_int_eq(log_has(writes[i].line), i < 3);
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* Of commands that are no kernels it is where they were enqueued, be calls checked or not; if there is debug
 * information, and libdw. */
START_TEST(the_line_that_enqueued_the_command)
{
    struct {
        orrery_finding_get_fn *get;
    } api;
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_get");
    memcpy(&api.get, &function, sizeof function);
    struct orrery_finding finding[3];
    const int line = __LINE__ + 1;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueFillBuffer(second, buffer, &two, sizeof two, 0, 16, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, buffer, &two, sizeof two, 32, 16, 0, NULL, NULL));
    ck_assert_uint_ge(races(), 1);
    ck_assert_int_eq(api.get(0, &finding[0]), 0);
    if (finding[0].access[1].line == 0)
        return;
    ck_assert_uint_eq(races(), 2);
    ck_assert_int_eq(api.get(1, &finding[1]), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(strstr(finding[i].access[0].text, "clEnqueueFillBuffer(on, buffer, &one"));
        ck_assert_ptr_nonnull(strstr(finding[i].access[1].file, "check_api_places.c"));
        ck_assert_uint_eq(finding[i].access[1].line, line + 1 + i);
        ck_assert_uint_eq(finding[i].offset_bytes, 32 * i);
    }
    run_kernel(queue, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", buffer, 16);
    ck_assert_uint_eq(races(), 2);
    void *mapped = clEnqueueMapBuffer(second, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, NULL);
    run_kernel(queue, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", buffer, 16);
    ck_assert_uint_eq(races(), 3);
    ck_assert_int_eq(api.get(2, &finding[2]), 0);
    ck_assert_ptr_nonnull(strstr(finding[2].access[0].text, "CL_MAP_WRITE"));
    ck_assert_ptr_nonnull(strstr(finding[2].access[1].text, "kernel void k("));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
}
END_TEST

/* Of more lines than are kept apart none is reported for what others did. */
START_TEST(one_of_many_lines)
{
    char source[2000] = "kernel void k(global uint *p) {\n";
    for (int line = 2; line < 14; line++)
        snprintf(source + strlen(source), sizeof source - strlen(source),
                 "  p[(get_global_id(0) * 3 + %d) %% 4 + %d] = 1;\n", line, 4 * line);
    strcat(source, "}\n");
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, source, words, 4);
    read_word(words, 4 * (2 + _i));
    ck_assert_uint_eq(races(), 1);
    char place[40];
    snprintf(place, sizeof place, "program.cl:%d:", 2 + _i);
    ck_assert(log_has(place) != log_has("one of the writes by a kernel"));
    ck_assert(log_has(place) == log_has("program.cl:"));
    ck_assert_int_eq(log_has(place), _i < 8);
    cl_ok(clReleaseMemObject(words));
}
END_TEST

static void tear_down_logged(void)
{
    tear_down();
    unlink(log_name);
}

int main(void)
{
    Suite *suite = suite_create("places of commands");
    TCase *logged = tcase_create("logged");
    tcase_add_checked_fixture(logged, set_up_logged, tear_down_logged);
    tcase_add_test(logged, of_two_sub_devices_each_is_named);
    tcase_add_test(logged, a_map_after_a_queue_that_was_not_flushed);
    tcase_add_loop_test(logged, the_line_that_touched_the_bytes, 0, 2 * WRITES);
    tcase_add_loop_test(logged, line_of_the_later_access_is_reported, 0, 2 * WRITES);
    tcase_add_loop_test(logged, lines_are_reported_apart, 0, 2);
    tcase_add_loop_test(logged, one_of_many_lines, 0, 12);
    tcase_add_test(logged, the_line_that_enqueued_the_command);
    suite_add_tcase(suite, logged);
    return cl_run_suite(suite);
}
