/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extensions of the host API that have no test program of their own: their texts, each query, each error, and
 * their absence when the scenario disables them.
 */
#include "tests/support/extension_fixture.h"

/* cl_khr_spirv_queries */
enum { SPIRV_SETS = 0x12B9, SPIRV_EXTENSIONS = 0x12BA, SPIRV_CAPABILITIES = 0x12BB };

/* ---- cl_khr_suggested_local_work_size ------------------------------------------------------------ */

static clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;

static void find_suggest(void)
{
    void *function = cl_named("clGetKernelSuggestedLocalWorkSizeKHR");
    memcpy(&suggest, &function, sizeof function);
    ck_assert(has_extension("cl_khr_suggested_local_work_size"));
}

/* The size that a kernel enqueued without one sees must be the suggested one. */
START_TEST(suggested_size_is_that_of_an_enqueue)
{
    static const struct {
        cl_uint dimensions;
        size_t global[3], offset[3];
    } ranges[] = {{1, {64}, {0}},     {1, {1000}, {3}},           {1, {997}, {0}},
                  {2, {48, 20}, {0}}, {3, {8, 9, 10}, {1, 2, 3}}, {2, {1, 31}, {0}}};
    static const char *const options[] = {"", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-uniform-work-group-size"};
    cl_set_up();
    find_suggest();
    for (size_t o = 0; o < 3; o++) {
        cl_kernel kernel = kernel_of(
            "kernel void k(global uint *o) { if (get_global_linear_id() == 0) for (uint i = 0; i < 3; i++)"
            "o[i] = get_local_size(i); }",
            o ? options[o] : "-cl-std=CL2.0");
        cl_mem out = cl_buffer(context, 0, 12, NULL);
        cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
            size_t size[3] = {1, 1, 1};
            cl_uint seen[3];
            cl_ok(suggest(queue, kernel, ranges[r].dimensions, ranges[r].offset, ranges[r].global, size));
            cl_ok(clEnqueueNDRangeKernel(queue, kernel, ranges[r].dimensions, ranges[r].offset,
                                         ranges[r].global, NULL, 0, NULL, NULL));
            cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
            for (int d = 0; d < 3; d++)
                ck_assert_uint_eq(seen[d], size[d]);
        }
        cl_ok(clReleaseMemObject(out));
        cl_ok(clReleaseKernel(kernel));
    }
    cl_tear_down();
}
END_TEST

START_TEST(a_required_size_is_suggested)
{
    const size_t global[2] = {40, 40};
    size_t size[2] = {0};
    cl_set_up();
    find_suggest();
    cl_kernel kernel = kernel_of("kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(void) {}", "");
    cl_ok(suggest(queue, kernel, 2, NULL, global, size));
    ck_assert(size[0] == 4 && size[1] == 2);
    cl_ok(clReleaseKernel(kernel));
    cl_tear_down();
}
END_TEST

START_TEST(a_suggestion_has_the_errors_of_its_text)
{
    const size_t global[3] = {16, 16, 16}, none[3] = {16, 0, 16}, far[3] = {SIZE_MAX - 3, 0, 0};
    size_t size[3];
    cl_int err;
    cl_set_up();
    find_suggest();
    cl_kernel kernel = kernel_of("kernel void k(global uint *o) { *o = 1; }", "");
    cl_mem out = cl_buffer(context, 0, 4, NULL);
    cl_is(suggest((cl_command_queue)context, kernel, 1, NULL, global, size), CL_INVALID_COMMAND_QUEUE);
    cl_is(suggest(queue, (cl_kernel)queue, 1, NULL, global, size), CL_INVALID_KERNEL);
    cl_is(suggest(other_queue, kernel, 1, NULL, global, size), CL_INVALID_CONTEXT);
    cl_is(suggest(queue, kernel, 1, NULL, global, size), CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_is(suggest(queue, kernel, 0, NULL, global, size), CL_INVALID_WORK_DIMENSION);
    cl_is(suggest(queue, kernel, 4, NULL, global, size), CL_INVALID_WORK_DIMENSION);
    cl_is(suggest(queue, kernel, 1, far, global, size), CL_INVALID_GLOBAL_OFFSET);
    cl_is(suggest(queue, kernel, 1, NULL, NULL, size), CL_INVALID_GLOBAL_WORK_SIZE);
    cl_is(suggest(queue, kernel, 3, NULL, none, size), CL_INVALID_GLOBAL_WORK_SIZE);
    cl_is(suggest(queue, kernel, 1, NULL, global, NULL), CL_INVALID_VALUE);
    cl_ok(suggest(queue, kernel, 1, NULL, global, size));

    cl_uint align = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    cl_mem whole = cl_buffer(context, 0, 4 * align, NULL);
    cl_mem part =
        clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){align / 8, 4}, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof part, &part));
    cl_ok(suggest(queue, kernel, 1, NULL, global, size));
    cl_ok(clReleaseMemObject(part));
    cl_is(suggest(queue, kernel, 1, NULL, global, size), CL_INVALID_KERNEL_ARGS); /* it is gone */
    cl_ok(clReleaseMemObject(whole));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
    cl_tear_down();
}
END_TEST

/* ---- cl_khr_priority_hints, cl_khr_throttle_hints ------------------------------------------------- */

static cl_int try_queue(cl_queue_properties name, cl_queue_properties value, cl_command_queue_properties how)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, how, name, value, 0};
    cl_queue_properties kept[8];
    size_t size = 0;
    cl_int err;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, device, list, &err);
    if (err)
        return err;
    cl_ok(clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof kept, kept, &size));
    ck_assert(size == sizeof list && memcmp(kept, list, size) == 0);
    cl_ok(clReleaseCommandQueue(made));
    return err;
}

START_TEST(queues_take_hints)
{
    static const cl_queue_properties names[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR};
    const cl_queue_properties name = names[_i];
    cl_set_up();
    ck_assert(has_extension("cl_khr_priority_hints") && has_extension("cl_khr_throttle_hints"));
    cl_ok(try_queue(name, CL_QUEUE_PRIORITY_HIGH_KHR, 0));
    cl_ok(try_queue(name, CL_QUEUE_PRIORITY_MED_KHR, CL_QUEUE_PROFILING_ENABLE));
    cl_ok(try_queue(name, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    cl_is(try_queue(name, 0, 0), CL_INVALID_VALUE);
    cl_is(try_queue(name, CL_QUEUE_PRIORITY_HIGH_KHR | CL_QUEUE_PRIORITY_LOW_KHR, 0), CL_INVALID_VALUE);
    cl_is(try_queue(name, 8, 0), CL_INVALID_VALUE);
    cl_is(try_queue(name, CL_QUEUE_PRIORITY_LOW_KHR,
                    CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
          CL_INVALID_QUEUE_PROPERTIES);
    cl_tear_down();
}
END_TEST

/* ---- cl_khr_spirv_queries ------------------------------------------------------------------------------ */

static size_t texts(cl_device_info query, const char *list[64])
{
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, query, 64 * sizeof *list, list, &size));
    return size / sizeof *list;
}

static bool has_text(cl_device_info query, const char *text)
{
    const char *list[64];
    size_t count = texts(query, list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static bool has_capability(cl_uint capability)
{
    cl_uint list[128];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, SPIRV_CAPABILITIES, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i] == capability)
            return true;
    return false;
}

START_TEST(names_that_no_other_test_has)
{
    cl_set_up();
    ck_assert(has_extension("cl_khr_device_uuid") && has_extension("cl_khr_expect_assume") &&
              has_extension("cl_intel_subgroups_short"));
    ck_assert(has_extension("cl_khr_byte_addressable_store"));
    cl_tear_down();
    cl_set_up_with("device: {errors: cts}");
    ck_assert(has_extension("cl_intel_device_partition_by_names"));
    cl_tear_down();
    cl_set_up_with("device: {errors: neo}");
    ck_assert(!has_extension("cl_intel_device_partition_by_names"));
    cl_tear_down();
}
END_TEST

START_TEST(spirv_is_reported)
{
    static const cl_uint required[] = {
        4 /* Addresses */,     5 /* Linkage */, 6 /* Kernel */, 7 /* Vector16 */,
        8 /* Float16Buffer */, 11 /* Int64 */,  22 /* Int16 */, 39 /* Int8 */};
    const char *list[64];
    cl_set_up();
    ck_assert(has_extension("cl_khr_spirv_queries"));
    ck_assert_uint_eq(texts(SPIRV_SETS, list), 1);
    ck_assert(has_text(SPIRV_SETS, "OpenCL.std"));
    ck_assert(has_text(SPIRV_EXTENSIONS, "SPV_KHR_bit_instructions"));
    ck_assert(has_text(SPIRV_EXTENSIONS, "SPV_KHR_integer_dot_product"));
    ck_assert(!has_text(SPIRV_EXTENSIONS, "SPV_KHR_ray_query"));
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        ck_assert(has_capability(required[i]));
    ck_assert(!has_capability(1)); /* Shader */
    cl_tear_down();
}
END_TEST

/* A module of one capability more than nothing. */
static cl_int build_with_capability(uint32_t capability)
{
    const uint32_t words[] = {0x07230203, 0x00010100,    0, 1,
                              0,          2u << 16 | 17, 4, 2u << 16 | 17,
                              5,          2u << 16 | 17, 6, 2u << 16 | 17,
                              capability, 3u << 16 | 14, 2, 2};
    return status_of_build(words, sizeof words);
}

/* The reported ones are those accepted. */
START_TEST(spirv_module_beyond_reported_capabilities_is_refused)
{
    static const struct {
        const char *feature;
        uint32_t capability;
    } features[] = {{"fp64", 10},           {"int64_atomics", 12},        {"images", 13},
                    {"pipes", 17},          {"device_enqueue", 19},       {"kernel_clock", 5055},
                    {"named_barriers", 59}, {"generic_address_space", 38}};
    char scenario[80];
    for (int on = 0; on < 2; on++) {
        snprintf(scenario, sizeof scenario, "device: {features: {%s: %s}}", features[_i].feature,
                 on ? "true" : "false");
        if (!on)
            cl_set_up_with(scenario);
        else
            cl_set_up();
        ck_assert(has_capability(features[_i].capability) == on);
        cl_is(build_with_capability(features[_i].capability), on ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
        cl_ok(build_with_capability(11));
        cl_tear_down();
        if (!on)
            cl_load_scenario("");
    }
}
END_TEST

START_TEST(without_il_there_is_no_spirv)
{
    const char *list[64];
    cl_set_up_with("device: {features: {il: false}}");
    ck_assert(!has_extension("cl_khr_spirv_queries"));
    ck_assert_uint_eq(texts(SPIRV_SETS, list) + texts(SPIRV_EXTENSIONS, list), 0);
    ck_assert(!has_capability(6));
    cl_tear_down();
}
END_TEST

/* ---- cl_intel_required_subgroup_size --------------------------------------------------------- */

START_TEST(a_required_sub_group_size_is_reported)
{
    enum { SPILL_BYTES = 0x4109, COMPILE_SIZE = 0x410A };
    size_t sizes[8] = {0}, size = 0;
    cl_ulong spilled = 1;
    cl_set_up_with("device: {sub_group_sizes: [32, 8, 16]}");
    ck_assert(has_extension("cl_intel_required_subgroup_size"));
    cl_ok(clGetDeviceInfo(device, 0x4108, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(size, 3 * sizeof *sizes);
    ck_assert(sizes[0] == 32 && sizes[1] == 8 && sizes[2] == 16);
    cl_kernel with = kernel_of("kernel __attribute__((intel_reqd_sub_group_size(8))) void k(global uint *o) "
                               "{ *o = get_max_sub_group_size(); }",
                               "-cl-std=CL3.0");
    cl_kernel without = kernel_of("kernel void k(void) {}", "");
    cl_ok(clGetKernelSubGroupInfo(with, device, COMPILE_SIZE, 0, NULL, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 8);
    cl_ok(clGetKernelSubGroupInfo(without, device, COMPILE_SIZE, 0, NULL, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 0);
    cl_ok(clGetKernelWorkGroupInfo(with, device, SPILL_BYTES, sizeof spilled, &spilled, NULL));
    ck_assert_uint_eq(spilled, 0);
    cl_ok(clReleaseKernel(with));
    cl_ok(clReleaseKernel(without));
    cl_tear_down();
}
END_TEST

/* Of the right size, it runs in it; of another, it does not build, and the log has the reason. */
START_TEST(a_required_sub_group_size_is_one_of_the_devices)
{
    static const char *const sources[] = {"kernel __attribute__((intel_reqd_sub_group_size(16))) void "
                                          "k(global uint *o) { *o = get_max_sub_group_size(); }",
                                          "kernel __attribute__((intel_reqd_sub_group_size(64))) void "
                                          "k(global uint *o) { *o = get_max_sub_group_size(); }"};
    char log[400];
    const size_t one = 1;
    cl_uint seen = 0;
    cl_int err;
    cl_set_up_with("device: {sub_group_sizes: [32, 8, 16]}");
    cl_kernel kernel = kernel_of(sources[0], "-cl-std=CL3.0");
    cl_mem out = cl_buffer(context, 0, sizeof seen, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
    ck_assert_uint_eq(seen, 16);
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&sources[1], NULL, &err);
    cl_ok(err);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_msg(strstr(log, "kernel k requires sub-groups of 64, which the device does not have") != NULL,
                  "%s", log);
    cl_is(clCompileProgram(program, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &err);
    cl_is(err, CL_LINK_PROGRAM_FAILURE);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extensions");
    TCase *tests = tcase_create("host");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, suggested_size_is_that_of_an_enqueue);
    tcase_add_test(tests, a_required_size_is_suggested);
    tcase_add_test(tests, a_suggestion_has_the_errors_of_its_text);
    tcase_add_loop_test(tests, queues_take_hints, 0, 2);
    tcase_add_test(tests, names_that_no_other_test_has);
    tcase_add_test(tests, spirv_is_reported);
    tcase_add_loop_test(tests, spirv_module_beyond_reported_capabilities_is_refused, 0, 8);
    tcase_add_test(tests, without_il_there_is_no_spirv);
    tcase_add_test(tests, a_required_sub_group_size_is_reported);
    tcase_add_test(tests, a_required_sub_group_size_is_one_of_the_devices);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
