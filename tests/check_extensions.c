/* SPDX-License-Identifier: Apache-2.0 */
/* Extensions of the host API: what their texts say, each query, each error, and that they go when the scenario says so. */
#include "cl_fixture.h"

#include <stdio.h>

enum { SPIRV_SETS = 0x12B9, SPIRV_EXTENSIONS = 0x12BA, SPIRV_CAPABILITIES = 0x12BB }; /* cl_khr_spirv_queries */
enum { KERNEL_CLOCKS = 0x1076 };                                                              /* cl_khr_kernel_clock */
enum { SINGLE_ATOMICS = 0x4231, DOUBLE_ATOMICS, HALF_ATOMICS };                             /* cl_ext_float_atomics */

/* The fixture on a device of another scenario. */
static void start_with(const char *scenario)
{
    int (*load)(const char *, char *, size_t);
    char text[400], error[300] = "";
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    setenv("ORRERY_LOG", "/dev/null", 0);
    cl_find_device();
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_load_scenario_text");
    memcpy(&load, &function, sizeof function);
    snprintf(text, sizeof text, "orrery: 1\n%s\n", scenario);
    ck_assert_msg(load(text, error, sizeof error) == 0, "%s", error);
    cl_set_up();
}

static bool has_extension(const char *name)
{
    cl_name_version list[128];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

static void *named(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    ck_assert_msg(function != NULL, "no %s", name);
    return function;
}

static cl_program build(const char *source, const char *options)
{
    static char log[4096];
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (err)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    ck_assert_msg(err == CL_SUCCESS, "%d: %s", err, log);
    return program;
}

static cl_kernel kernel_of(const char *source, const char *options)
{
    cl_int err;
    cl_program program = build(source, options);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

static cl_int status_of_build(const void *il, size_t size)
{
    cl_int err;
    cl_program program = clCreateProgramWithIL(context, il, size, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    cl_ok(clReleaseProgram(program));
    return err;
}

/* ---- cl_khr_suggested_local_work_size ------------------------------------------------------------ */

static clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;

static void find_suggest(void)
{
    void *function = named("clGetKernelSuggestedLocalWorkSizeKHR");
    memcpy(&suggest, &function, sizeof function);
    ck_assert(has_extension("cl_khr_suggested_local_work_size"));
}

/* The size that a kernel enqueued without one sees must be the suggested one. */
START_TEST(the_suggested_size_is_what_an_enqueue_takes)
{
    static const struct {
        cl_uint dimensions;
        size_t global[3], offset[3];
    } ranges[] = {{1, {64}, {0}}, {1, {1000}, {3}}, {1, {997}, {0}}, {2, {48, 20}, {0}}, {3, {8, 9, 10}, {1, 2, 3}}, {2, {1, 31}, {0}}};
    static const char *const options[] = {"", "-cl-std=CL3.0", "-cl-std=CL3.0 -cl-uniform-work-group-size"};
    cl_set_up();
    find_suggest();
    for (size_t o = 0; o < 3; o++) {
        cl_kernel kernel = kernel_of("kernel void k(global uint *o) { if (get_global_linear_id() == 0) for (uint i = 0; i < 3; i++)"
                                     "o[i] = get_local_size(i); }", o ? options[o] : "-cl-std=CL2.0");
        cl_mem out = cl_buffer(context, 0, 12, NULL);
        cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
            size_t size[3] = {1, 1, 1};
            cl_uint seen[3];
            cl_ok(suggest(queue, kernel, ranges[r].dimensions, ranges[r].offset, ranges[r].global, size));
            cl_ok(clEnqueueNDRangeKernel(queue, kernel, ranges[r].dimensions, ranges[r].offset, ranges[r].global, NULL, 0, NULL, NULL));
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
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){align / 8, 4}, &err);
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
    cl_is(try_queue(name, CL_QUEUE_PRIORITY_LOW_KHR, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
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
    ck_assert(has_extension("cl_khr_device_uuid") && has_extension("cl_khr_expect_assume") && has_extension("cl_intel_subgroups_short"));
    ck_assert(has_extension("cl_khr_byte_addressable_store"));
    cl_tear_down();
    start_with("device: {errors: cts}");
    ck_assert(has_extension("cl_intel_device_partition_by_names"));
    cl_tear_down();
    start_with("device: {errors: neo}");
    ck_assert(!has_extension("cl_intel_device_partition_by_names"));
    cl_tear_down();
}
END_TEST

START_TEST(spirv_is_told)
{
    static const cl_uint required[] = {4 /* Addresses */, 5 /* Linkage */, 6 /* Kernel */, 7 /* Vector16 */,
                                       8 /* Float16Buffer */, 11 /* Int64 */, 22 /* Int16 */, 39 /* Int8 */};
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
    const uint32_t words[] = {0x07230203, 0x00010100, 0, 1, 0, 2u << 16 | 17, 4, 2u << 16 | 17, 5, 2u << 16 | 17, 6,
                              2u << 16 | 17, capability, 3u << 16 | 14, 2, 2};
    return status_of_build(words, sizeof words);
}

/* What is told is what is taken. */
START_TEST(spirv_modules_are_held_to_what_is_told)
{
    static const struct {
        const char *feature;
        uint32_t capability;
    } features[] = {{"fp64", 10}, {"int64_atomics", 12}, {"images", 13}, {"pipes", 17}, {"device_enqueue", 19}, {"kernel_clock", 5055}, {"named_barriers", 59}, {"generic_address_space", 38}};
    char scenario[80];
    for (int on = 0; on < 2; on++) {
        snprintf(scenario, sizeof scenario, "device: {features: {%s: %s}}", features[_i].feature, on ? "true" : "false");
        if (!on)
            start_with(scenario);
        else
            cl_set_up();
        ck_assert(has_capability(features[_i].capability) == on);
        cl_is(build_with_capability(features[_i].capability), on ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
        cl_ok(build_with_capability(11));
        cl_tear_down();
        if (!on) {
            int (*load)(const char *, char *, size_t);
            char error[300];
            void *function = named("orrery_load_scenario_text");
            memcpy(&load, &function, sizeof function);
            ck_assert_int_eq(load("orrery: 1\n", error, sizeof error), 0);
        }
    }
}
END_TEST

START_TEST(without_il_there_is_no_spirv)
{
    const char *list[64];
    start_with("device: {features: {il: false}}");
    ck_assert(!has_extension("cl_khr_spirv_queries"));
    ck_assert_uint_eq(texts(SPIRV_SETS, list) + texts(SPIRV_EXTENSIONS, list), 0);
    ck_assert(!has_capability(6));
    cl_tear_down();
}
END_TEST

/* ---- cl_intel_required_subgroup_size ------------------------------------------------------------------------ */

START_TEST(a_required_sub_group_size_is_told)
{
    enum { SPILL_BYTES = 0x4109, COMPILE_SIZE = 0x410A };
    size_t sizes[8] = {0}, size = 0;
    cl_ulong spilled = 1;
    start_with("device: {sub_group_sizes: [32, 8, 16]}");
    ck_assert(has_extension("cl_intel_required_subgroup_size"));
    cl_ok(clGetDeviceInfo(device, 0x4108, sizeof sizes, sizes, &size));
    ck_assert_uint_eq(size, 3 * sizeof *sizes);
    ck_assert(sizes[0] == 32 && sizes[1] == 8 && sizes[2] == 16);
    cl_kernel with = kernel_of("kernel __attribute__((intel_reqd_sub_group_size(8))) void k(global uint *o) { *o = get_max_sub_group_size(); }", "-cl-std=CL3.0");
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

/* Of the right size, it runs in it; of another, it does not build, and the log says why. */
START_TEST(a_required_sub_group_size_is_one_of_the_devices)
{
    static const char *const sources[] = {"kernel __attribute__((intel_reqd_sub_group_size(16))) void k(global uint *o) { *o = get_max_sub_group_size(); }",
                                          "kernel __attribute__((intel_reqd_sub_group_size(64))) void k(global uint *o) { *o = get_max_sub_group_size(); }"};
    char log[400];
    const size_t one = 1;
    cl_uint seen = 0;
    cl_int err;
    start_with("device: {sub_group_sizes: [32, 8, 16]}");
    cl_kernel kernel = kernel_of(sources[0], "-cl-std=CL3.0");
    cl_mem out = cl_buffer(context, 0, sizeof seen, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
    ck_assert_uint_eq(seen, 16);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&sources[1], NULL, &err);
    cl_ok(err);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_msg(strstr(log, "kernel k requires sub-groups of 64, which the device does not have") != NULL, "%s", log);
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

/* ---- cl_khr_semaphore ---------------------------------------------------------------------------------------- */

static clCreateSemaphoreWithPropertiesKHR_fn create_semaphore;
static clRetainSemaphoreKHR_fn retain_semaphore;
static clReleaseSemaphoreKHR_fn release_semaphore;
static clGetSemaphoreInfoKHR_fn semaphore_info;
static clEnqueueWaitSemaphoresKHR_fn enqueue_wait;
static clEnqueueSignalSemaphoresKHR_fn enqueue_signal;

#define FIND(pointer, name)                      \
    do {                                         \
        void *function_ = named(name);           \
        memcpy(&pointer, &function_, sizeof pointer); \
    } while (0)

static void semaphore_set_up(void)
{
    cl_set_up();
    ck_assert(has_extension("cl_khr_semaphore"));
    FIND(create_semaphore, "clCreateSemaphoreWithPropertiesKHR");
    FIND(retain_semaphore, "clRetainSemaphoreKHR");
    FIND(release_semaphore, "clReleaseSemaphoreKHR");
    FIND(semaphore_info, "clGetSemaphoreInfoKHR");
    FIND(enqueue_wait, "clEnqueueWaitSemaphoresKHR");
    FIND(enqueue_signal, "clEnqueueSignalSemaphoresKHR");
}

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_semaphore_khr new_semaphore(cl_context owner)
{
    cl_int err;
    cl_semaphore_khr made = create_semaphore(owner, binary, &err);
    cl_ok(err);
    return made;
}

static cl_int creates(cl_context owner, const cl_semaphore_properties_khr *list)
{
    cl_int err;
    cl_semaphore_khr made = create_semaphore(owner, list, &err);
    ck_assert((made != NULL) == (err == CL_SUCCESS));
    if (made)
        cl_ok(release_semaphore(made));
    return err;
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore)
{
    cl_semaphore_payload_khr value = 7;
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof value, &value, NULL));
    return value;
}

START_TEST(semaphores_are_made_as_their_text_says)
{
    enum { DEVICES = 0x2053 };
    semaphore_set_up();
    const cl_semaphore_properties_khr self = (cl_semaphore_properties_khr)(uintptr_t)device;
    const cl_semaphore_properties_khr untyped[] = {0}, strange[] = {CL_SEMAPHORE_TYPE_KHR, 9, 0}, unknown[] = {0x1234, 1, 0};
    const cl_semaphore_properties_khr twice[] = {CL_SEMAPHORE_TYPE_KHR, 1, CL_SEMAPHORE_TYPE_KHR, 1, 0};
    const cl_semaphore_properties_khr one[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, self, 0, 0};
    const cl_semaphore_properties_khr two[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, self, self, 0, 0};
    const cl_semaphore_properties_khr nobody[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, 0, 0};
    const cl_semaphore_properties_khr no_device[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, (cl_semaphore_properties_khr)(uintptr_t)queue, 0, 0};
    cl_ok(creates(context, binary));
    cl_ok(creates(context, one));
    cl_is(creates((cl_context)queue, binary), CL_INVALID_CONTEXT);
    cl_is(creates(context, NULL), CL_INVALID_VALUE);
    cl_is(creates(context, untyped), CL_INVALID_VALUE);
    cl_is(creates(context, strange), CL_INVALID_PROPERTY);
    cl_is(creates(context, unknown), CL_INVALID_PROPERTY);
    cl_is(creates(context, twice), CL_INVALID_PROPERTY);
    cl_is(creates(context, two), CL_INVALID_DEVICE);
    cl_is(creates(context, nobody), CL_INVALID_DEVICE);
    cl_is(creates(context, no_device), CL_INVALID_DEVICE);
    cl_tear_down();
}
END_TEST

START_TEST(semaphores_answer)
{
    cl_context owner = NULL;
    cl_device_id of = NULL;
    cl_uint count = 0;
    cl_semaphore_type_khr type = 0;
    cl_semaphore_properties_khr kept[3];
    size_t size = 0;
    semaphore_set_up();
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof owner, &owner, NULL));
    ck_assert_ptr_eq(owner, context);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof kept, kept, &size));
    ck_assert(size == sizeof binary && memcmp(kept, binary, size) == 0);
    cl_ok(semaphore_info(semaphore, 0x2053, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, device);
    cl_ok(retain_semaphore(semaphore));
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_is(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &type, NULL), CL_INVALID_VALUE);
    cl_is(semaphore_info(semaphore, 0x1234, sizeof type, &type, NULL), CL_INVALID_VALUE);
    cl_ok(release_semaphore(semaphore));
    cl_ok(release_semaphore(semaphore));
    cl_is(release_semaphore(semaphore), CL_INVALID_SEMAPHORE_KHR);
    cl_is(retain_semaphore(semaphore), CL_INVALID_SEMAPHORE_KHR);
    cl_is(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL), CL_INVALID_SEMAPHORE_KHR);
    cl_tear_down();
}
END_TEST

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

/* What stands before the signal in one queue runs before what stands behind the wait in the other, whichever is called
 * first (_i & 1) and whichever queue is flushed first (_i & 2); again and again with the same semaphore. */
START_TEST(a_semaphore_orders_queues)
{
    semaphore_set_up();
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_command_queue second = cl_new_queue(context, 0);
    for (int round = 0; round < 3; round++) {
        cl_event signalled = NULL, waited = NULL, before = NULL, behind = NULL;
        for (int step = 0; step < 2; step++)
            if (step == (_i & 1)) {
                before = cl_trace(queue, 2 * round, 0, NULL);
                cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, &signalled));
            } else {
                cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
                behind = cl_trace(second, 2 * round + 1, 0, NULL);
            }
        ck_assert_uint_eq(type_of(signalled), CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        ck_assert_uint_eq(type_of(waited), CL_COMMAND_SEMAPHORE_WAIT_KHR);
        if (_i & 2) {
            cl_ok(clFlush(second));
            cl_ok(clFinish(queue));
        } else {
            cl_ok(clFlush(queue));
        }
        cl_ok(clFinish(second));
        ck_assert_int_eq(trace.count, 2 * round + 2);
        ck_assert_int_eq(trace.number[2 * round], 2 * round);
        ck_assert_int_eq(trace.number[2 * round + 1], 2 * round + 1);
        ck_assert_uint_eq(payload(semaphore), 0);
        cl_ok(clReleaseEvent(signalled));
        cl_ok(clReleaseEvent(waited));
        cl_ok(clReleaseEvent(before));
        cl_ok(clReleaseEvent(behind));
    }
    cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(payload(semaphore), 1);
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(release_semaphore(semaphore));
    cl_tear_down();
}
END_TEST

START_TEST(a_signal_that_fails_fails_the_wait)
{
    cl_event signalled, waited;
    semaphore_set_up();
    cl_event user = cl_user_event(context);
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_command_queue second = cl_new_queue(context, 0);
    if (_i)
        cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
    cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 1, &user, &signalled));
    if (!_i)
        cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
    cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    cl_ok(clSetUserEventStatus(user, -5));
    clFinish(second);
    ck_assert_int_lt(cl_status(signalled), 0);
    ck_assert_int_lt(cl_status(waited), 0);
    ck_assert_uint_eq(payload(semaphore), 0);
    cl_is(enqueue_wait(second, 1, &semaphore, NULL, 1, &user, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(enqueue_signal(second, 1, &semaphore, NULL, 1, &user, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(signalled));
    cl_ok(clReleaseEvent(waited));
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(release_semaphore(semaphore));
    cl_tear_down();
}
END_TEST

START_TEST(semaphore_commands_have_the_errors_of_their_text)
{
    semaphore_set_up();
    clEnqueueWaitSemaphoresKHR_fn enqueue = _i ? enqueue_wait : enqueue_signal;
    cl_semaphore_khr semaphore = new_semaphore(context), other = new_semaphore(other_context), none = (cl_semaphore_khr)queue;
    cl_event user = cl_user_event(other_context), bad = (cl_event)queue;
    cl_is(enqueue((cl_command_queue)context, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(enqueue(queue, 0, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue(queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue(queue, 1, &none, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
    cl_is(enqueue(queue, 1, &other, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, &user, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, &bad, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clReleaseEvent(user));
    cl_ok(release_semaphore(semaphore));
    cl_ok(release_semaphore(other));
    cl_tear_down();
}
END_TEST

/* ---- cl_khr_command_buffer -------------------------------------------------------------------------------------- */

static clCreateCommandBufferKHR_fn create_buffer;
static clRetainCommandBufferKHR_fn retain_buffer;
static clReleaseCommandBufferKHR_fn release_buffer;
static clFinalizeCommandBufferKHR_fn finalize;
static clEnqueueCommandBufferKHR_fn enqueue_buffer;
static clGetCommandBufferInfoKHR_fn buffer_info;
static clCommandBarrierWithWaitListKHR_fn record_barrier;
static clCommandCopyBufferKHR_fn record_copy;
static clCommandCopyBufferRectKHR_fn record_rect;
static clCommandCopyBufferToImageKHR_fn record_to_image;
static clCommandCopyImageKHR_fn record_image;
static clCommandCopyImageToBufferKHR_fn record_to_buffer;
static clCommandFillBufferKHR_fn record_fill;
static clCommandFillImageKHR_fn record_fill_image;
static clCommandNDRangeKernelKHR_fn record_kernel;

static void command_buffer_set_up(void)
{
    cl_set_up();
    ck_assert(has_extension("cl_khr_command_buffer"));
    FIND(create_buffer, "clCreateCommandBufferKHR");
    FIND(retain_buffer, "clRetainCommandBufferKHR");
    FIND(release_buffer, "clReleaseCommandBufferKHR");
    FIND(finalize, "clFinalizeCommandBufferKHR");
    FIND(enqueue_buffer, "clEnqueueCommandBufferKHR");
    FIND(buffer_info, "clGetCommandBufferInfoKHR");
    FIND(record_barrier, "clCommandBarrierWithWaitListKHR");
    FIND(record_copy, "clCommandCopyBufferKHR");
    FIND(record_rect, "clCommandCopyBufferRectKHR");
    FIND(record_to_image, "clCommandCopyBufferToImageKHR");
    FIND(record_image, "clCommandCopyImageKHR");
    FIND(record_to_buffer, "clCommandCopyImageToBufferKHR");
    FIND(record_fill, "clCommandFillBufferKHR");
    FIND(record_fill_image, "clCommandFillImageKHR");
    FIND(record_kernel, "clCommandNDRangeKernelKHR");
}

static cl_command_buffer_khr new_buffer(cl_command_queue to)
{
    cl_int err;
    cl_command_buffer_khr made = create_buffer(1, &to, NULL, &err);
    cl_ok(err);
    return made;
}

#define NO_POINTS 0, NULL, NULL, NULL
#define BEHIND(point) 1, &point, NULL, NULL

START_TEST(command_buffers_are_made_and_answer)
{
    const cl_command_buffer_properties_khr simultaneous[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    const cl_command_buffer_properties_khr strange[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0}, unknown[] = {0x1234, 1, 0};
    const cl_command_buffer_properties_khr twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0, CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
    cl_command_buffer_properties_khr kept[3];
    cl_command_queue queues[2], of = NULL, none;
    cl_command_buffer_state_khr state = 9;
    cl_device_command_buffer_capabilities_khr able = 0;
    cl_command_queue_properties required = 1;
    cl_uint count = 0;
    size_t size = 0;
    cl_int err;
    command_buffer_set_up();
    queues[0] = queue, queues[1] = unordered, none = (cl_command_queue)context;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof able, &able, NULL));
    ck_assert_uint_eq(able, 15);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof required, &required, NULL));
    ck_assert_uint_eq(required, 0);
#define REFUSED(error, ...)                              \
    do {                                                 \
        ck_assert_ptr_null(create_buffer(__VA_ARGS__, &err)); \
        cl_is(err, error);                               \
    } while (0)
    REFUSED(CL_INVALID_VALUE, 0, queues, NULL);
    REFUSED(CL_INVALID_VALUE, 2, queues, NULL);
    REFUSED(CL_INVALID_VALUE, 1, NULL, NULL);
    REFUSED(CL_INVALID_COMMAND_QUEUE, 1, &none, NULL);
    REFUSED(CL_INVALID_VALUE, 1, queues, strange);
    REFUSED(CL_INVALID_VALUE, 1, queues, unknown);
    REFUSED(CL_INVALID_VALUE, 1, queues, twice);
    cl_command_buffer_khr made = create_buffer(1, queues, simultaneous, &err);
    cl_ok(err);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof kept, kept, &size));
    ck_assert(size == sizeof kept && memcmp(kept, simultaneous, size) == 0);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, queue);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    ck_assert_uint_eq(state, CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    cl_ok(finalize(made));
    cl_is(finalize(made), CL_INVALID_OPERATION);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    ck_assert_uint_eq(state, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    cl_ok(retain_buffer(made));
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_is(buffer_info(made, 0x1234, sizeof count, &count, NULL), CL_INVALID_VALUE);
    cl_is(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, 1, &state, NULL), CL_INVALID_VALUE);
    cl_ok(release_buffer(made));
    cl_ok(release_buffer(made));
    cl_is(release_buffer(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(retain_buffer(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(finalize(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(enqueue_buffer(0, NULL, made, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_tear_down();
}
END_TEST

/* A counter that the buffer adds to, with the arguments it had when it was recorded and objects the program let go:
 * in the order of an in-order queue, of sync points, or of a barrier. */
START_TEST(a_command_buffer_is_replayed)
{
    const cl_uint one = 1, hundred = 100;
    const size_t items = 1;
    cl_uint result[2];
    cl_sync_point_khr filled, added;
    cl_event before, all, behind;
    cl_command_queue to;
    command_buffer_set_up();
    to = _i ? unordered : queue;
    cl_kernel kernel = kernel_of("kernel void k(global uint *sum, global uint *step, uint by) { *sum += *step * by; }", "");
    cl_mem sum = cl_buffer(context, 0, 4, NULL), step = cl_buffer(context, 0, 4, NULL), out = cl_buffer(context, 0, 8, NULL);
    cl_ok(clEnqueueFillBuffer(to, sum, &one, 4, 0, 4, 0, NULL, NULL));
    cl_ok(clFinish(to));
    cl_ok(clSetKernelArg(kernel, 0, sizeof sum, &sum));
    cl_ok(clSetKernelArg(kernel, 1, sizeof step, &step));
    cl_ok(clSetKernelArg(kernel, 2, sizeof one, &one));
    cl_command_buffer_khr buffer = new_buffer(to);
    cl_ok(record_fill(buffer, NULL, step, &hundred, 4, 0, 4, 0, NULL, &filled, NULL));
    if (_i == 2)
        cl_ok(record_barrier(buffer, NULL, NO_POINTS));
    cl_ok(record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, _i == 1, _i == 1 ? &filled : NULL, &added, NULL));
    if (_i == 2)
        cl_ok(record_barrier(buffer, NULL, BEHIND(added)));
    cl_ok(record_copy(buffer, NULL, sum, out, 0, 4, 4, _i == 1, _i == 1 ? &added : NULL, NULL, NULL));
    cl_is(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(finalize(buffer));
    cl_is(record_barrier(buffer, NULL, NO_POINTS), CL_INVALID_OPERATION);
    cl_ok(clSetKernelArg(kernel, 2, sizeof hundred, &hundred));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(step));
    cl_ok(clReleaseMemObject(sum));
    for (cl_uint n = 1; n <= 3; n++) {
        cl_event user = cl_user_event(context);
        before = cl_trace(to, 1, 1, &user);
        cl_ok(enqueue_buffer(n == 2, n == 2 ? &to : NULL, buffer, 1, &before, &all));
        ck_assert_uint_eq(type_of(all), CL_COMMAND_COMMAND_BUFFER_KHR);
        behind = cl_trace(to, 2, 1, &all);
        cl_ok(clFlush(to));
        ck_assert_int_gt(cl_status(all), CL_COMPLETE);
        cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
        cl_ok(clWaitForEvents(1, &behind));
        ck_assert_int_eq(cl_status(all), CL_COMPLETE);
        cl_ok(clEnqueueReadBuffer(to, out, CL_TRUE, 0, 8, result, 0, NULL, NULL));
        ck_assert_uint_eq(result[1], 1 + n * hundred);
        cl_ulong start = 0, end = 0, first = 0;
        cl_ok(clGetEventProfilingInfo(all, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        cl_ok(clGetEventProfilingInfo(all, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        cl_ok(clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof first, &first, NULL));
        ck_assert(first <= start && start + 5000 < end); /* the kernel alone takes that long */
        cl_ok(clReleaseEvent(user));
        cl_ok(clReleaseEvent(before));
        cl_ok(clReleaseEvent(all));
        cl_ok(clReleaseEvent(behind));
    }
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(out));
    cl_tear_down();
}
END_TEST

/* Copies of every kind, each behind the one before. */
START_TEST(a_command_buffer_copies_images)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {0, 0, 0}, region[3] = {4, 4, 1}, row[3] = {64, 4, 1}, shifted[3] = {0, 0, 0};
    const cl_uint colour[4] = {1, 2, 3, 4};
    cl_uint result[64];
    cl_int err;
    command_buffer_set_up();
    cl_mem a = clCreateImage(context, 0, &format, &plane, NULL, &err), b = clCreateImage(context, 0, &format, &plane, NULL, &err);
    cl_mem x = cl_buffer(context, 0, 256, NULL), y = cl_buffer(context, 0, 256, NULL);
    cl_command_buffer_khr buffer = new_buffer(queue);
    cl_ok(record_fill_image(buffer, NULL, a, colour, origin, region, NO_POINTS));
    cl_ok(record_to_buffer(buffer, NULL, a, x, origin, region, 0, NO_POINTS));
    cl_ok(record_rect(buffer, NULL, x, y, origin, shifted, row, 64, 0, 64, 0, NO_POINTS));
    cl_ok(record_to_image(buffer, NULL, y, b, 0, origin, region, NO_POINTS));
    cl_ok(record_image(buffer, NULL, b, a, origin, origin, region, NO_POINTS));
    cl_ok(finalize(buffer));
    cl_ok(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL));
    cl_ok(clEnqueueReadImage(queue, a, CL_TRUE, origin, region, 0, 0, result, 0, NULL, NULL));
    for (cl_uint i = 0; i < 64; i++)
        ck_assert_uint_eq(result[i], 1 + i % 4);
    cl_ok(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, 256, result, 0, NULL, NULL));
    ck_assert_uint_eq(result[62], 3);
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(y));
    cl_tear_down();
}
END_TEST

START_TEST(recording_and_enqueuing_have_the_errors_of_their_text)
{
    const cl_uint one = 1;
    const size_t items = 1;
    const cl_ndrange_kernel_command_properties_khr properties[] = {0x1234, 1, 0};
    cl_sync_point_khr point = 0, strange = 77;
    cl_mutable_command_khr handle;
    cl_event user, bad;
    command_buffer_set_up();
    cl_command_buffer_khr buffer = new_buffer(queue);
    cl_mem x = cl_buffer(context, 0, 16, NULL), other = cl_buffer(other_context, 0, 16, NULL);
    cl_kernel kernel = kernel_of("kernel void k(global uint *o) { *o = 1; }", "");
    cl_is(record_barrier((cl_command_buffer_khr)queue, NULL, NO_POINTS), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(record_barrier(buffer, queue, NO_POINTS), CL_INVALID_COMMAND_QUEUE);
    cl_is(record_barrier(buffer, NULL, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    cl_is(record_barrier(buffer, NULL, 1, NULL, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, 0, &strange, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, BEHIND(strange)), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, BEHIND(point)), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_fill(buffer, NULL, other, &one, 4, 0, 16, NO_POINTS), CL_INVALID_CONTEXT);
    cl_is(record_fill(buffer, NULL, (cl_mem)queue, &one, 4, 0, 16, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_fill(buffer, NULL, x, NULL, 4, 0, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill(buffer, NULL, x, &one, 3, 0, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill(buffer, NULL, x, &one, 4, 16, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_copy(buffer, NULL, x, x, 0, 2, 8, NO_POINTS), CL_MEM_COPY_OVERLAP);
    cl_is(record_rect(buffer, NULL, x, x, NULL, NULL, NULL, 0, 0, 0, 0, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill_image(buffer, NULL, x, &one, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_image(buffer, NULL, x, x, NULL, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_to_image(buffer, NULL, x, x, 0, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_to_buffer(buffer, NULL, x, x, NULL, NULL, 0, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, NO_POINTS), CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(kernel, 0, sizeof x, &x));
    cl_is(record_kernel(buffer, NULL, properties, kernel, 1, NULL, &items, NULL, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_kernel(buffer, NULL, NULL, kernel, 4, NULL, &items, NULL, NO_POINTS), CL_INVALID_WORK_DIMENSION);
    cl_is(record_kernel(buffer, NULL, NULL, (cl_kernel)queue, 1, NULL, &items, NULL, NO_POINTS), CL_INVALID_KERNEL);
    cl_ok(finalize(buffer));

    user = cl_user_event(other_context), bad = (cl_event)queue;
    cl_is(enqueue_buffer(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(0, &queue, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(2, &queue, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(1, (cl_command_queue *)&context, buffer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(enqueue_buffer(1, &other_queue, buffer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, &bad, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, &user, NULL), CL_INVALID_CONTEXT);
    cl_ok(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL)); /* an empty one */
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(other));
    cl_tear_down();
}
END_TEST

/* ---- functions of OpenCL C ------------------------------------------------------------------------------ */

enum { ITEMS = 24 };

/* Runs `kernel void k(global T *out, T x...)` on one group; size bytes of out come back. */
static void run(const char *source, const char *options, void *out, size_t size)
{
    const size_t items = ITEMS;
    cl_kernel kernel = kernel_of(source, options);
    cl_mem buffer = cl_buffer(context, CL_MEM_COPY_HOST_PTR, size, out);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, out, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseKernel(kernel));
}

static bool builds(const char *source, const char *options)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    cl_ok(clReleaseProgram(program));
    ck_assert(err == CL_SUCCESS || err == CL_BUILD_PROGRAM_FAILURE);
    return err == CL_SUCCESS;
}

/* Each item adds, subtracts and compares small integers, which are exact in any order. */
#define FLOAT_ATOMICS(T)                                                                                               \
    "kernel void k(global atomic_" T " *g) { local atomic_" T " l[4]; " T " i = get_local_id(0);"                       \
    "if (i == 0) { atomic_init(l, 0); atomic_init(l + 1, 0); atomic_init(l + 2, 100); atomic_init(l + 3, -100); }"      \
    "barrier(CLK_LOCAL_MEM_FENCE);"                                                                                     \
    "atomic_fetch_add(g, i); atomic_fetch_sub(g + 1, i); atomic_fetch_min(g + 2, i); atomic_fetch_max(g + 3, i);"       \
    "atomic_fetch_add_explicit(l, i, memory_order_relaxed); atomic_fetch_sub_explicit(l + 1, i, memory_order_acq_rel);" \
    "atomic_fetch_min_explicit(l + 2, i, memory_order_relaxed, memory_scope_work_group);"                               \
    "atomic_fetch_sub_explicit(g + 8, 1, memory_order_relaxed, memory_scope_device);"                                   \
    "atomic_" T " *any = l + 3; atomic_fetch_sub(any, 1);"                                                              \
    "barrier(CLK_LOCAL_MEM_FENCE);"                                                                                     \
    "if (i == 0) for (int n = 0; n < 4; n++) atomic_store(g + 4 + n, atomic_load(l + n)); }"

START_TEST(floats_are_added_and_subtracted_at_once)
{
    static const double wanted[] = {276, -276, 0, 23, 276, -276, 0, -124, -24};
    float floats[9] = {0, 0, 100, -100};
    double doubles[9] = {0, 0, 100, -100};
    const char *options = _i ? "-cl-std=CL3.0" : "-cl-std=CL2.0";
    cl_bitfield single = 0, twice = 0, half = 1;
    cl_set_up();
    ck_assert(has_extension("cl_ext_float_atomics"));
    cl_ok(clGetDeviceInfo(device, SINGLE_ATOMICS, sizeof single, &single, NULL));
    cl_ok(clGetDeviceInfo(device, DOUBLE_ATOMICS, sizeof twice, &twice, NULL));
    cl_ok(clGetDeviceInfo(device, HALF_ATOMICS, sizeof half, &half, NULL));
    ck_assert_uint_eq(single, 0x70007);
    ck_assert_uint_eq(twice, 0x70007);
    ck_assert_uint_eq(half, 0);
    run(FLOAT_ATOMICS("float"), options, floats, sizeof floats);
    run(FLOAT_ATOMICS("double"), options, doubles, sizeof doubles);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq((double)floats[i], wanted[i]);
        ck_assert_double_eq(doubles[i], wanted[i]);
    }
    cl_tear_down();
}
END_TEST

/* A program of two objects that both subtract, and one of integers: no name is left over. */
START_TEST(subtractions_link)
{
    static const char *parts[] = {
        "void f(global atomic_float *g) { atomic_fetch_sub(g, 2.0f); }",
        "void f(global atomic_float *g); kernel void k(global atomic_float *g, global atomic_int *i) { f(g); atomic_fetch_sub(g, 1.0f); atomic_fetch_sub(i, 1); }"};
    cl_program objects[2], linked;
    cl_int err;
    cl_set_up();
    for (int i = 0; i < 2; i++) {
        objects[i] = clCreateProgramWithSource(context, 1, &parts[i], NULL, &err);
        cl_ok(err);
        cl_ok(clCompileProgram(objects[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    linked = clLinkProgram(context, 0, NULL, "", 2, objects, NULL, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 2; i++)
        cl_ok(clReleaseProgram(objects[i]));
    cl_ok(clReleaseProgram(linked));
    cl_tear_down();
}
END_TEST

static uint32_t byte_product(uint32_t a, uint32_t b, bool a_signed, bool b_signed)
{
    int64_t sum = 0;
    for (int i = 0; i < 32; i += 8) {
        int64_t x = a_signed ? (int8_t)(a >> i) : (uint8_t)(a >> i), y = b_signed ? (int8_t)(b >> i) : (uint8_t)(b >> i);
        sum += x * y;
    }
    return (uint32_t)sum;
}

/* add_sat(product, acc) as the text defines dot_acc_sat. */
static uint32_t saturated(uint32_t product, uint32_t acc, bool is_signed)
{
    int64_t sum = is_signed ? (int64_t)(int32_t)product + (int32_t)acc : (int64_t)product + acc;
    int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    return (uint32_t)(sum < low ? low : sum > high ? high : sum);
}

START_TEST(bytes_are_multiplied_and_added)
{
    static const char source[] =
        "#if !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit) || !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n"
        "#error\n#endif\n"
        "kernel void k(global uint *o) { size_t n = get_global_id(0); global uint *r = o + 20 * n; uint a = r[0], b = r[1], c = r[2];"
        "char4 s = as_char4(a), t = as_char4(b); uchar4 u = as_uchar4(a), v = as_uchar4(b);"
        "r[3] = dot(u, v); r[4] = dot(s, t); r[5] = dot(u, t); r[6] = dot(s, v);"
        "r[7] = dot_acc_sat(u, v, c); r[8] = dot_acc_sat(s, t, (int)c); r[9] = dot_acc_sat(u, t, (int)c); r[10] = dot_acc_sat(s, v, (int)c);"
        "r[11] = dot_4x8packed_uu_uint(a, b); r[12] = dot_4x8packed_ss_int(a, b); r[13] = dot_4x8packed_us_int(a, b); r[14] = dot_4x8packed_su_int(a, b);"
        "r[15] = dot_acc_sat_4x8packed_uu_uint(a, b, c); r[16] = dot_acc_sat_4x8packed_ss_int(a, b, (int)c);"
        "r[17] = dot_acc_sat_4x8packed_us_int(a, b, (int)c); r[18] = dot_acc_sat_4x8packed_su_int(a, b, (int)c);"
        "r[19] = (uint)dot((float2)(1, 2), (float2)(3, 4)); }";
    static const uint32_t edges[] = {0, 0x01020304, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0x807f01ff, 0x7fffffff, 0x80000000};
    uint32_t rows[ITEMS][20];
    cl_device_integer_dot_product_capabilities_khr able = 0;
    cl_device_integer_dot_product_acceleration_properties_khr fast[2];
    cl_set_up();
    ck_assert(has_extension("cl_khr_integer_dot_product"));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, sizeof able, &able, NULL));
    ck_assert_uint_eq(able, 3);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, sizeof *fast, fast, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR, sizeof *fast, fast + 1, NULL));
    for (uint32_t n = 0; n < ITEMS; n++)
        for (int i = 0; i < 3; i++)
            rows[n][i] = edges[(n * (uint32_t)(2 * i + 1) + n / 8 * 3) % 8] ^ (n % 3 == 2 ? n * 0x01030507 : 0);
    run(source, _i ? "-cl-std=CL3.0" : "", rows, sizeof rows);
    for (uint32_t n = 0; n < ITEMS; n++)
        for (int how = 0; how < 4; how++) {
            const bool a_signed = how & 1, b_signed = how == 1 || how == 2;
            const uint32_t product = byte_product(rows[n][0], rows[n][1], a_signed, b_signed);
            const uint32_t added = saturated(product, rows[n][2], how);
            ck_assert_uint_eq(rows[n][3 + how], product);
            ck_assert_uint_eq(rows[n][7 + how], added);
            ck_assert_uint_eq(rows[n][11 + how], product);
            ck_assert_uint_eq(rows[n][15 + how], added);
            ck_assert_uint_eq(rows[n][19], 11);
        }
    cl_tear_down();
}
END_TEST

/* Reduce, inclusive and exclusive scan of each operation, against a loop over the group. */
#define FOLD(name, T, start, expression)                                            \
    static void name(const T *x, T *out)                                            \
    {                                                                               \
        T a = start;                                                                \
        for (int i = 0; i < ITEMS; i++) {                                           \
            T b = x[i];                                                             \
            out[2 * ITEMS + i] = a;                                                 \
            a = (T)(expression);                                                    \
            out[ITEMS + i] = a;                                                     \
        }                                                                           \
        for (int i = 0; i < ITEMS; i++)                                             \
            out[i] = a;                                                             \
    }
FOLD(fold_mul, uint64_t, 1, a * b)
FOLD(fold_and, uint64_t, ~(uint64_t)0, a & b)
FOLD(fold_or, uint64_t, 0, a | b)
FOLD(fold_xor, uint64_t, 0, a ^ b)
FOLD(fold_both, uint64_t, 1, a && b)
FOLD(fold_any, uint64_t, 0, a || b)
FOLD(fold_odd, uint64_t, 0, !a != !b)
FOLD(fold_product, double, 1, a * b)

static void group_source(char *text, size_t size, const char *type, const char *name)
{
    snprintf(text, size,
             "#ifndef cl_khr_work_group_uniform_arithmetic\n#error\n#endif\n"
             "kernel void k(global %s *x) { size_t i = get_local_id(0); %s v = x[i];"
             "x[24 + i] = work_group_reduce_%s(v); x[48 + i] = work_group_scan_inclusive_%s(v); x[72 + i] = work_group_scan_exclusive_%s(v); }",
             type, type, name, name, name);
}

START_TEST(groups_fold)
{
    static const struct {
        const char *name;
        void (*fold)(const uint64_t *, uint64_t *);
        bool truth;
    } rows[] = {{"mul", fold_mul, false}, {"and", fold_and, false}, {"or", fold_or, false}, {"xor", fold_xor, false},
                {"logical_and", fold_both, true}, {"logical_or", fold_any, true}, {"logical_xor", fold_odd, true}};
    static const char *const types[] = {"ulong", "long", "uint", "int"};
    uint64_t x[4 * ITEMS], wanted[3 * ITEMS];
    char source[700];
    cl_set_up();
    ck_assert(has_extension("cl_khr_work_group_uniform_arithmetic"));
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (int t = rows[row].truth ? 3 : 0; t < 4; t++) {
            uint32_t narrow[4 * ITEMS];
            for (int i = 0; i < ITEMS; i++)
                x[i] = rows[row].truth ? (uint64_t)(i % 5 != 3) : ((uint64_t)i * 0x9e3779b97f4a7c15u | 0xf0f0000000000f01u);
            group_source(source, sizeof source, types[t], rows[row].name);
            if (t < 2) {
                run(source, "-cl-std=CL3.0", x, sizeof x);
            } else {
                for (int i = 0; i < ITEMS; i++)
                    narrow[i] = (uint32_t)x[i];
                run(source, "-cl-std=CL2.0", narrow, sizeof narrow);
                for (int i = 0; i < 4 * ITEMS; i++)
                    x[i] = narrow[i];
            }
            rows[row].fold(x, wanted);
            for (int i = 0; i < 3 * ITEMS; i++)
                if (rows[row].truth)
                    ck_assert_msg(!x[ITEMS + i] == !wanted[i], "%s %s %d", rows[row].name, types[t], i);
                else if (t < 2)
                    ck_assert_msg(x[ITEMS + i] == wanted[i], "%s %s %d", rows[row].name, types[t], i);
                else
                    ck_assert_msg(x[ITEMS + i] == (uint32_t)wanted[i], "%s %s %d", rows[row].name, types[t], i);
        }
    cl_tear_down();
}
END_TEST

START_TEST(groups_multiply_floats)
{
    double x[4 * ITEMS], wanted[3 * ITEMS];
    float narrow[4 * ITEMS];
    char source[700];
    cl_set_up();
    for (int i = 0; i < ITEMS; i++)
        narrow[i] = (float)(x[i] = i % 3 ? 2 : -0.5);
    group_source(source, sizeof source, "double", "mul");
    run(source, "-cl-std=CL3.0", x, sizeof x);
    group_source(source, sizeof source, "float", "mul");
    run(source, "-cl-std=CL3.0", narrow, sizeof narrow);
    fold_product(x, wanted);
    for (int i = 0; i < 3 * ITEMS; i++) {
        ck_assert_double_eq(x[ITEMS + i], wanted[i]);
        ck_assert_double_eq((double)narrow[ITEMS + i], wanted[i]);
    }
    strcpy(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    group_source(source + strlen(source), sizeof source - strlen(source), "half", "mul");
    cl_ok(clReleaseProgram(build(source, "-cl-std=CL3.0")));
    cl_tear_down();
}
END_TEST

/* Told, defined and taken, or none of it. */
/* ---- cl_khr_kernel_clock ---------------------------------------------------------------------------- */

enum { CLOCK_ITEMS = 64, CLOCK_READS = 5 };

static void read_clocks(cl_ulong seen[CLOCK_ITEMS][CLOCK_READS], cl_ulong times[2], cl_uint rounds)
{
    static const char *const clocks =
        "kernel void k(global ulong *o, uint rounds, volatile global uint *sink) {"
        "    global ulong *mine = o + get_global_id(0) * 5;"
        "    mine[0] = clock_read_device();"
        "    for (uint i = 0; i < rounds; i++) sink[get_global_id(0)] = i;"
        "    mine[1] = clock_read_work_group();"
        "    uint2 halves = clock_read_hilo_device();"
        "    mine[2] = (ulong)halves.hi << 32 | halves.lo;"
        "    mine[3] = clock_read_sub_group();"
        "    if (get_global_id(0) % 3) mine[4] = clock_read_device(); else mine[4] = mine[3]; }";
    const size_t items = CLOCK_ITEMS, group = 8;
    cl_event event;
    cl_kernel kernel = kernel_of(clocks, "-cl-std=CL3.0");
    cl_mem out = cl_buffer(context, 0, sizeof(cl_ulong[CLOCK_ITEMS][CLOCK_READS]), NULL), sink = cl_buffer(context, 0, 4 * CLOCK_ITEMS, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    cl_ok(clSetKernelArg(kernel, 2, sizeof sink, &sink));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(cl_ulong[CLOCK_ITEMS][CLOCK_READS]), seen, 0, NULL, NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof *times, &times[0], NULL));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof *times, &times[1], NULL));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(sink));
    cl_ok(clReleaseKernel(kernel));
}

/* Between start and end of the command, later each time, and later still when more was done. */
START_TEST(kernels_read_the_clock)
{
    static const char *const policies[] = {"lockstep", "serial", "random"};
    cl_ulong seen[2][CLOCK_ITEMS][CLOCK_READS], times[2];
    char scenario[60];
    snprintf(scenario, sizeof scenario, "schedule: {policy: %s}", policies[_i]);
    start_with(scenario);
    ck_assert(has_extension("cl_khr_kernel_clock"));
    cl_ulong clocks = 0;
    cl_ok(clGetDeviceInfo(device, KERNEL_CLOCKS, sizeof clocks, &clocks, NULL));
    ck_assert_uint_eq(clocks, 7);
    for (cl_uint more = 0; more < 2; more++) {
        read_clocks(seen[more], times, 10 + 1000 * more);
        for (int i = 0; i < CLOCK_ITEMS; i++) {
            const cl_ulong *mine = seen[more][i];
            ck_assert_uint_ge(mine[0], times[0]);
            ck_assert_uint_le(mine[4], times[1]);
            for (int k = 1; k < CLOCK_READS; k++)
                ck_assert_uint_lt(mine[k - 1], mine[k] + (k == 4 && i % 3 == 0));
            if (more)
                ck_assert_uint_ge(mine[1] - mine[0], seen[0][i][1] - seen[0][i][0] + 1000);
        }
    }
    cl_tear_down();
}
END_TEST

START_TEST(a_kernel_may_wait_by_the_clock)
{
    cl_ulong seen[2] = {0, 0};
    cl_set_up();
    run("kernel void k(global ulong *o) { ulong t = clock_read_device(); while (clock_read_device() - t < 100000); *o = clock_read_device() - t; }",
        "-cl-std=CL3.0", seen, sizeof seen);
    ck_assert_uint_ge(seen[0], 100000);
    cl_tear_down();
}
END_TEST

/* ---- cl_khr_subgroup_named_barrier -------------------------------------------------------------------- */

#define NAMED_BARRIERS(scope) \
    "kernel void k(global int *o) { local named_barrier_t *b = named_barrier_init(1); work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE" scope "); }"

/* As many as the device tells of, and no more. */
START_TEST(a_kernel_has_so_many_named_barriers)
{
    char source[8192] = "kernel void k(global int *o) { local named_barrier_t *b;";
    cl_uint most = 0;
    cl_set_up();
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, sizeof most, &most, NULL));
    ck_assert_uint_ge(most, 8);
    for (cl_uint i = 0; i < most; i++)
        strcat(source, " b = named_barrier_init(1);");
    const size_t length = strlen(source);
    strcat(source, " work_group_named_barrier(b, CLK_LOCAL_MEM_FENCE); *o = 7; }");
    cl_int seen = 0;
    run(source, "-cl-std=CL3.0", &seen, sizeof seen);
    ck_assert_int_eq(seen, 7);
    strcpy(source + length, " b = named_barrier_init(1); }");
    ck_assert(!builds(source, "-cl-std=CL3.0"));
    cl_tear_down();
}
END_TEST

START_TEST(an_extension_is_there_or_not)
{
    static const struct {
        const char *device, *options, *extension, *macro, *use;
        bool there;
    } rows[] = {
        {"version: 3.0", "-cl-std=CL3.0", "cl_ext_float_atomics", "__opencl_c_ext_fp64_global_atomic_add", "kernel void k(global atomic_double *g) { atomic_fetch_sub(g, 1.0); }", true},
        {"features: {int64_atomics: false}", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp64_global_atomic_add", "kernel void k(global atomic_double *g) { atomic_fetch_sub(g, 1.0); }", false},
        {"features: {fp64: false}", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp64_local_atomic_min_max", "kernel void k(global atomic_double *g) { atomic_fetch_min(g, 1.0); }", false},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_kernel_clock", "__opencl_c_kernel_clock_scope_work_group", "kernel void k(global ulong *o) { *o = clock_read_work_group(); }", true},
        {"features: {sub_groups: false}", "-cl-std=CL3.0", NULL, "__opencl_c_kernel_clock_scope_sub_group", "kernel void k(global ulong *o) { *o = clock_read_sub_group(); }", false},
        {"version: 2.0", "-cl-std=CL2.0", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(", memory_scope_device"), true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(""), false},
        {"features: {named_barriers: false}", "-cl-std=CL3.0", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(""), false},
        {"features: {sub_groups: false}", "-cl-std=CL3.0", "cl_khr_subgroup_named_barrier", "cl_khr_subgroup_named_barrier", NAMED_BARRIERS(""), false},
        {"features: {kernel_clock: false}", "-cl-std=CL3.0", "cl_khr_kernel_clock", "cl_khr_kernel_clock", "kernel void k(global ulong *o) { *o = clock_read_device(); }", false},
        {"version: 2.0", "-cl-std=CL2.0", "cl_ext_float_atomics", "__opencl_c_ext_fp32_local_atomic_add", "kernel void k(local atomic_float *g) { atomic_fetch_sub(g, 1.0f); }", true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_ext_float_atomics", "cl_ext_float_atomics", "kernel void k(global atomic_float *g) { atomic_fetch_sub(g, 1.0f); }", false},
        {"version: 3.0", "-cl-std=CL3.0", NULL, "__opencl_c_ext_fp16_global_atomic_add", "kernel void k(global atomic_half *g) { atomic_fetch_add(g, 1.0h); }", false},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_integer_dot_product", "cl_khr_integer_dot_product", "kernel void k(global int *o) { *o = dot((char4)1, (uchar4)2); }", true},
        {"version: 2.0", "-cl-std=CL2.0", "cl_khr_work_group_uniform_arithmetic", "cl_khr_work_group_uniform_arithmetic", "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", true},
        {"version: 1.2", "-cl-std=CL1.2", "cl_khr_work_group_uniform_arithmetic", "cl_khr_work_group_uniform_arithmetic", "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", false},
        {"features: {work_group_collectives: false}", "-cl-std=CL3.0", "cl_khr_work_group_uniform_arithmetic", "cl_khr_work_group_uniform_arithmetic", "kernel void k(global int *o) { *o = work_group_reduce_mul(*o); }", false},
    };
    char scenario[120], source[300];
    snprintf(scenario, sizeof scenario, "device: {%s}", rows[_i].device);
    start_with(scenario);
    if (rows[_i].extension)
        ck_assert_int_eq(has_extension(rows[_i].extension), rows[_i].there);
    snprintf(source, sizeof source, "#ifndef %s\n#error\n#endif\nkernel void k(void) {}", rows[_i].macro);
    ck_assert_int_eq(builds(source, rows[_i].options), rows[_i].there);
    ck_assert_int_eq(builds(rows[_i].use, rows[_i].options), rows[_i].there);
    cl_tear_down();
}
END_TEST

static Suite *extensions_suite(void)
{
    Suite *suite = suite_create("extensions");
    TCase *tests = tcase_create("host");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, the_suggested_size_is_what_an_enqueue_takes);
    tcase_add_test(tests, a_required_size_is_suggested);
    tcase_add_test(tests, a_suggestion_has_the_errors_of_its_text);
    tcase_add_loop_test(tests, queues_take_hints, 0, 2);
    tcase_add_test(tests, names_that_no_other_test_has);
    tcase_add_test(tests, spirv_is_told);
    tcase_add_loop_test(tests, spirv_modules_are_held_to_what_is_told, 0, 8);
    tcase_add_test(tests, without_il_there_is_no_spirv);
    tcase_add_test(tests, a_required_sub_group_size_is_told);
    tcase_add_test(tests, a_required_sub_group_size_is_one_of_the_devices);
    tcase_add_test(tests, semaphores_are_made_as_their_text_says);
    tcase_add_test(tests, semaphores_answer);
    tcase_add_loop_test(tests, a_semaphore_orders_queues, 0, 4);
    tcase_add_loop_test(tests, a_signal_that_fails_fails_the_wait, 0, 2);
    tcase_add_loop_test(tests, semaphore_commands_have_the_errors_of_their_text, 0, 2);
    tcase_add_test(tests, command_buffers_are_made_and_answer);
    tcase_add_loop_test(tests, a_command_buffer_is_replayed, 0, 3);
    tcase_add_test(tests, a_command_buffer_copies_images);
    tcase_add_test(tests, recording_and_enqueuing_have_the_errors_of_their_text);
    tcase_add_loop_test(tests, floats_are_added_and_subtracted_at_once, 0, 2);
    tcase_add_test(tests, subtractions_link);
    tcase_add_loop_test(tests, bytes_are_multiplied_and_added, 0, 2);
    tcase_add_test(tests, groups_fold);
    tcase_add_test(tests, groups_multiply_floats);
    tcase_add_loop_test(tests, an_extension_is_there_or_not, 0, 17);
    tcase_add_test(tests, a_kernel_has_so_many_named_barriers);
    tcase_add_loop_test(tests, kernels_read_the_clock, 0, 3);
    tcase_add_test(tests, a_kernel_may_wait_by_the_clock);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return cl_run_suite(extensions_suite());
}
