/* SPDX-License-Identifier: Apache-2.0 */
/* Platform, device and context, through the loader. */
#include "tests/support/cl_fixture.h"

#include <CL/cl_ext.h>
#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <stdio.h>

/* Queries twice, for the size and for the value, and checks that both agree. */
static size_t query_device(cl_device_info name, void *value, size_t room)
{
    size_t size = 12345, again = 0;
    cl_ok(clGetDeviceInfo(device, name, 0, NULL, &size));
    ck_assert_uint_le(size, room);
    cl_ok(clGetDeviceInfo(device, name, size, value, &again));
    ck_assert_uint_eq(size, again);
    if (size)
        cl_is(clGetDeviceInfo(device, name, size - 1, value, NULL), CL_INVALID_VALUE);
    return size;
}

static uint64_t number(cl_device_info name, size_t size)
{
    uint64_t value = 0;
    ck_assert_uint_eq(query_device(name, &value, sizeof value), size);
    return value;
}

static const char *text(cl_device_info name)
{
    static char value[8192];
    size_t size = query_device(name, value, sizeof value);
    ck_assert_uint_eq(size, strlen(value) + 1);
    return value;
}

/* ---- platform -------------------------------------------------------------------------- */

START_TEST(clGetPlatformInfo_returns_its_values)
{
    char value[4096];
    cl_version version = 0;
    cl_ulong resolution = 0;
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof value, value, NULL));
    ck_assert_str_eq(value, "Orrery");
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_VENDOR, sizeof value, value, NULL));
    ck_assert_str_eq(value, "Orrery");
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_PROFILE, sizeof value, value, NULL));
    ck_assert_str_eq(value, "FULL_PROFILE");
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof value, value, NULL));
    ck_assert_int_eq(strncmp(value, "OpenCL 3.0 Orrery ", 18), 0);
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof value, value, NULL));
    ck_assert_ptr_nonnull(strstr(value, "cl_khr_icd"));
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof value, value, NULL));
    ck_assert_str_eq(value, "ORRERY");
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, NULL));
    ck_assert_uint_eq(version, CL_MAKE_VERSION(3, 0, 0));
    cl_ok(
        clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, NULL));
    ck_assert_uint_eq(resolution, 1);
}
END_TEST

START_TEST(clGetPlatformInfo_judges_its_arguments)
{
    char value[4];
    size_t size = 0;
    cl_is(clGetPlatformInfo((cl_platform_id)device, CL_PLATFORM_NAME, 0, NULL, &size), CL_INVALID_PLATFORM);
    cl_is(clGetPlatformInfo(platform, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof value, value, &size), CL_INVALID_VALUE);
    ck_assert_uint_eq(size, sizeof "Orrery");
}
END_TEST

START_TEST(clGetPlatformIDs_finds_the_platform)
{
    cl_uint count = 0;
    cl_ok(clGetPlatformIDs(0, NULL, &count));
    ck_assert_uint_ge(count, 1);
    cl_is(clGetPlatformIDs(0, &platform, NULL), CL_INVALID_VALUE);
    cl_is(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
}
END_TEST

START_TEST(clUnloadPlatformCompiler_judges_its_platform)
{
    cl_ok(clUnloadPlatformCompiler(platform));
    cl_is(clUnloadPlatformCompiler((cl_platform_id)device), CL_INVALID_PLATFORM);
    cl_ok(clUnloadCompiler());
}
END_TEST

START_TEST(clGetExtensionFunctionAddressForPlatform_returns_the_control_functions)
{
    ck_assert_ptr_nonnull(clGetExtensionFunctionAddressForPlatform(platform, "orrery_set_seed"));
    ck_assert_ptr_nonnull(clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"));
    ck_assert_ptr_null(clGetExtensionFunctionAddressForPlatform(platform, "orrery_no_such_function"));
    ck_assert_ptr_null(clGetExtensionFunctionAddress("orrery_no_such_function"));
}
END_TEST

/* ---- device ------------------------------------------------------------------------------ */

START_TEST(clGetDeviceIDs_matches_types)
{
    const cl_device_type match[] = {CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_GPU,
                                    CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU};
    const cl_device_type no_match[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CUSTOM};
    for (size_t i = 0; i < sizeof match / sizeof *match; i++) {
        cl_device_id found = NULL;
        cl_uint count = 0;
        cl_ok(clGetDeviceIDs(platform, match[i], 1, &found, &count));
        ck_assert_ptr_eq(found, device);
        ck_assert_uint_eq(count, 1);
    }
    for (size_t i = 0; i < sizeof no_match / sizeof *no_match; i++) {
        cl_uint count = 7;
        cl_is(clGetDeviceIDs(platform, no_match[i], 0, NULL, &count), CL_DEVICE_NOT_FOUND);
        ck_assert_uint_eq(count, 0);
    }
}
END_TEST

START_TEST(clGetDeviceIDs_judges_its_arguments)
{
    cl_device_id found;
    cl_uint count;
    cl_is(clGetDeviceIDs((cl_platform_id)device, CL_DEVICE_TYPE_ALL, 1, &found, &count), CL_INVALID_PLATFORM);
    cl_is(clGetDeviceIDs(platform, 0, 1, &found, &count), CL_INVALID_DEVICE_TYPE);
    cl_is(clGetDeviceIDs(platform, 1u << 20, 1, &found, &count), CL_INVALID_DEVICE_TYPE);
    cl_is(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &found, &count), CL_INVALID_VALUE);
    cl_is(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
}
END_TEST

START_TEST(clGetDeviceInfo_identifies_the_device)
{
    ck_assert_str_eq(text(CL_DEVICE_NAME), "Orrery (simulated)");
    ck_assert_str_eq(text(CL_DEVICE_VENDOR), "Orrery");
    ck_assert_str_eq(text(CL_DEVICE_PROFILE), "FULL_PROFILE");
    ck_assert_int_eq(strncmp(text(CL_DEVICE_VERSION), "OpenCL 3.0 Orrery ", 18), 0);
    ck_assert_int_eq(strncmp(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2", 12), 0);
    ck_assert_str_ne(text(CL_DRIVER_VERSION), "");
    ck_assert_uint_eq(number(CL_DEVICE_TYPE, sizeof(cl_device_type)), CL_DEVICE_TYPE_GPU);
    ck_assert_uint_eq(number(CL_DEVICE_NUMERIC_VERSION, sizeof(cl_version)), CL_MAKE_VERSION(3, 0, 0));
    ck_assert_uint_eq(number(CL_DEVICE_PLATFORM, sizeof(cl_platform_id)), (uintptr_t)platform);
    ck_assert_uint_eq(number(CL_DEVICE_AVAILABLE, sizeof(cl_bool)), CL_TRUE);
    ck_assert_uint_eq(number(CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id)), 0);
    ck_assert_uint_eq(number(CL_DEVICE_REFERENCE_COUNT, sizeof(cl_uint)), 1);
}
END_TEST

/* The least values of a full profile device of this version. */
START_TEST(clGetDeviceInfo_meets_the_minimum_of_the_full_profile)
{
    static const struct {
        cl_device_info name;
        size_t size;
        uint64_t least;
    } rows[] = {
        {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 1},
        {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 1},
        {CL_DEVICE_ADDRESS_BITS, 4, 64},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, 128u << 20},
        {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 1024},
        {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 1024},
        {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4, 128},
        {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 64 << 10},
        {CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},
        {CL_DEVICE_LOCAL_MEM_SIZE, 8, 32 << 10},
        {CL_DEVICE_PRINTF_BUFFER_SIZE, 8, 1 << 20},
        {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8, 1},
        {CL_DEVICE_GLOBAL_MEM_SIZE, 8, 128u << 20},
        {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 8, 64 << 10},
        {CL_DEVICE_MAX_NUM_SUB_GROUPS, 4, 1},
        {CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8, 1},
        {CL_DEVICE_VENDOR_ID, 4, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(number(rows[i].name, rows[i].size) >= rows[i].least, "query 0x%x", rows[i].name);
    size_t sizes[3];
    ck_assert_uint_eq(query_device(CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes, sizeof sizes), sizeof sizes);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_ge(sizes[i], 1);
    ck_assert(number(CL_DEVICE_EXECUTION_CAPABILITIES, 8) & CL_EXEC_KERNEL);
    ck_assert(number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8) & CL_QUEUE_PROFILING_ENABLE);
    uint64_t doubles = CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM;
    ck_assert_uint_eq(number(CL_DEVICE_DOUBLE_FP_CONFIG, 8) & doubles, doubles);
    uint64_t singles = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    ck_assert_uint_eq(number(CL_DEVICE_SINGLE_FP_CONFIG, 8) & singles, singles);
}
END_TEST

START_TEST(clGetDeviceInfo_reports_absent_features)
{
    static const struct {
        cl_device_info name;
        size_t size;
    } rows[] = {
        {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(number(rows[i].name, rows[i].size) == 0, "query 0x%x", rows[i].name);
    ck_assert_uint_eq(number(CL_DEVICE_SVM_CAPABILITIES, 8), CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
                                                                 CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
                                                                 CL_DEVICE_SVM_ATOMICS);
    ck_assert_str_eq(text(CL_DEVICE_BUILT_IN_KERNELS), "");
    ck_assert_uint_eq(query_device(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, NULL, 0), 0);
}
END_TEST

/* The string is the list of names with versions, in the same order. */
START_TEST(clGetDeviceInfo_lists_extensions_the_same_way_twice)
{
    static cl_name_version list[64];
    char joined[8192] = "";
    size_t count = query_device(CL_DEVICE_EXTENSIONS_WITH_VERSION, list, sizeof list) / sizeof *list;
    for (size_t i = 0; i < count; i++) {
        strcat(joined, i ? " " : "");
        strcat(joined, list[i].name);
        ck_assert_uint_gt(list[i].version, 0); /* some are provisional: 0.9.0 */
    }
    ck_assert_str_eq(text(CL_DEVICE_EXTENSIONS), joined);
    static const char *const wanted[] = {"cl_khr_icd",
                                         "cl_khr_byte_addressable_store",
                                         "cl_khr_global_int32_base_atomics",
                                         "cl_khr_global_int32_extended_atomics",
                                         "cl_khr_local_int32_base_atomics",
                                         "cl_khr_local_int32_extended_atomics",
                                         "cl_khr_int64_base_atomics",
                                         "cl_khr_int64_extended_atomics",
                                         "cl_khr_fp16",
                                         "cl_khr_fp64",
                                         "cl_khr_il_program",
                                         "cl_khr_extended_versioning",
                                         "cl_khr_subgroups",
                                         "cl_khr_spirv_no_integer_wrap_decoration",
                                         "cl_khr_3d_image_writes",
                                         "cl_khr_depth_images",
                                         "cl_khr_image2d_from_buffer",
                                         "cl_khr_mipmap_image",
                                         "cl_khr_mipmap_image_writes",
                                         "cl_khr_create_command_queue"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(strstr(joined, wanted[i]) != NULL, "%s", wanted[i]);
}
END_TEST

START_TEST(clGetDeviceInfo_lists_versions_and_features)
{
    static cl_name_version list[64];
    size_t count = query_device(CL_DEVICE_OPENCL_C_ALL_VERSIONS, list, sizeof list) / sizeof *list;
    bool has_1_2 = false, has_3_0 = false;
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(list[i].name, "OpenCL C");
        has_1_2 |= list[i].version == CL_MAKE_VERSION(1, 2, 0);
        has_3_0 |= list[i].version == CL_MAKE_VERSION(3, 0, 0);
    }
    ck_assert(has_1_2 && has_3_0);
    count = query_device(CL_DEVICE_OPENCL_C_FEATURES, list, sizeof list) / sizeof *list;
    bool int64 = false, generic = false, pipes = false;
    int images = 0;
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(strncmp(list[i].name, "__opencl_c_", 11), 0);
        int64 |= !strcmp(list[i].name, "__opencl_c_int64");
        generic |= !strcmp(list[i].name, "__opencl_c_generic_address_space");
        images += strstr(list[i].name, "image") != NULL;
        pipes |= !strcmp(list[i].name, "__opencl_c_pipes");
    }
    ck_assert(int64);
    ck_assert_int_eq(pipes, number(CL_DEVICE_PIPE_SUPPORT, 4) != 0);
    ck_assert_int_eq(images, 3); /* images, read_write_images, 3d_image_writes */
    ck_assert_int_eq(generic, number(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 4) != 0);
    count = query_device(CL_DEVICE_ILS_WITH_VERSION, list, sizeof list) / sizeof *list;
    ck_assert_uint_ge(count, 1);
    ck_assert_str_eq(list[0].name, "SPIR-V");
    ck_assert_ptr_nonnull(strstr(text(CL_DEVICE_IL_VERSION), "SPIR-V_1.0"));
}
END_TEST

START_TEST(clGetDeviceInfo_has_consistent_atomics)
{
    uint64_t memory = number(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8);
    uint64_t fence = number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8);
    uint64_t least = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    ck_assert_uint_eq(memory & least, least);
    ck_assert(fence & CL_DEVICE_ATOMIC_ORDER_ACQ_REL);
    ck_assert_uint_eq(memory & fence, memory);
}
END_TEST

START_TEST(clGetDeviceInfo_judges_its_arguments)
{
    size_t size;
    cl_is(clGetDeviceInfo((cl_device_id)platform, CL_DEVICE_NAME, 0, NULL, &size), CL_INVALID_DEVICE);
    cl_is(clGetDeviceInfo(device, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
}
END_TEST

START_TEST(clCreateSubDevices_wants_a_device_and_a_list)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_uint count = 0;
    cl_ok(clCreateSubDevices(device, equally, 0, NULL, &count));
    ck_assert_uint_eq(count, 4);
    cl_is(clCreateSubDevices(device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clCreateSubDevices((cl_device_id)context, equally, 0, NULL, &count), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(clRetainDevice_and_clReleaseDevice_leave_a_root_device_alone)
{
    cl_ok(clRetainDevice(device));
    ck_assert_uint_eq(number(CL_DEVICE_REFERENCE_COUNT, 4), 1);
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseDevice(device));
    ck_assert_str_eq(text(CL_DEVICE_NAME), "Orrery (simulated)");
    cl_is(clRetainDevice((cl_device_id)context), CL_INVALID_DEVICE);
    cl_is(clReleaseDevice((cl_device_id)context), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(clGetDeviceAndHostTimer_and_clGetHostTimer_share_a_clock)
{
    cl_ulong on_device = 1, on_host = 2, later = 0;
    cl_ok(clGetDeviceAndHostTimer(device, &on_device, &on_host));
    ck_assert_uint_eq(on_device, on_host);
    cl_ok(clGetHostTimer(device, &later));
    ck_assert_uint_ge(later, on_host);
    cl_is(clGetDeviceAndHostTimer(device, NULL, &on_host), CL_INVALID_VALUE);
    cl_is(clGetDeviceAndHostTimer(device, &on_device, NULL), CL_INVALID_VALUE);
    cl_is(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
    cl_is(clGetHostTimer((cl_device_id)context, &later), CL_INVALID_DEVICE);
    cl_is(clGetDeviceAndHostTimer((cl_device_id)context, &on_device, &on_host), CL_INVALID_DEVICE);
}
END_TEST

/* ---- context ----------------------------------------------------------------------------- */

static void CL_CALLBACK on_error(const char *message, const void *info, size_t size, void *data)
{
    (void)info, (void)size;
    snprintf(data, 256, "%s", message);
}

static cl_int context_error(const cl_context_properties *properties, cl_uint count,
                            const cl_device_id *devices, bool notify, void *data)
{
    cl_int err = 1;
    cl_context made = clCreateContext(properties, count, devices, notify ? on_error : NULL, data, &err);
    ck_assert_int_eq(made != NULL, err == CL_SUCCESS);
    if (made)
        cl_ok(clReleaseContext(made));
    return err;
}

START_TEST(clCreateContext_judges_its_arguments)
{
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    const cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0x7777, 1,
                                             0};
    const cl_context_properties sync[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                          CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
    cl_device_id twins[] = {device, device}, strangers[] = {device, (cl_device_id)context};
    char reported[256];
    cl_ok(context_error(good, 1, &device, false, NULL));
    cl_ok(context_error(NULL, 2, twins, true, reported));
    cl_is(context_error(good, 0, &device, false, NULL), CL_INVALID_VALUE);
    cl_is(context_error(good, 1, &device, false, reported), CL_INVALID_VALUE);
    cl_is(context_error(twice, 1, &device, false, NULL), CL_INVALID_PROPERTY);
    cl_is(context_error(unknown, 1, &device, false, NULL), CL_INVALID_PROPERTY);
    cl_is(context_error(sync, 1, &device, false, NULL), CL_INVALID_PROPERTY);
    cl_is(context_error(NULL, 2, strangers, false, NULL), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(clCreateContextFromType_judges_its_arguments)
{
    const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_int err = 1;
    cl_context made = clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseContext(made));
    ck_assert_ptr_null(clCreateContextFromType(good, CL_DEVICE_TYPE_CPU, NULL, NULL, &err));
    cl_is(err, CL_DEVICE_NOT_FOUND);
    ck_assert_ptr_null(clCreateContextFromType(good, 1u << 20, NULL, NULL, &err));
    cl_is(err, CL_INVALID_DEVICE_TYPE);
    ck_assert_ptr_null(clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, &err, &err));
    cl_is(err, CL_INVALID_VALUE);
}
END_TEST

START_TEST(clGetContextInfo_returns_its_values)
{
    const cl_context_properties given[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_device_id twins[] = {device, device}, found[2];
    cl_context_properties properties[3];
    cl_uint count = 0;
    size_t size = 0;
    cl_context made = clCreateContext(given, 2, twins, NULL, NULL, NULL);
    cl_ok(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clGetContextInfo(made, CL_CONTEXT_DEVICES, sizeof found, found, &size));
    ck_assert_uint_eq(size, sizeof *found);
    ck_assert_ptr_eq(found[0], device);
    cl_ok(clGetContextInfo(made, CL_CONTEXT_PROPERTIES, sizeof properties, properties, &size));
    ck_assert_uint_eq(size, sizeof given);
    ck_assert_mem_eq(properties, given, sizeof given);
    cl_ok(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
    ck_assert_uint_eq(size, 0);
    cl_ok(clRetainContext(made));
    cl_ok(clGetContextInfo(made, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_is(clGetContextInfo(made, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetContextInfo(made, CL_CONTEXT_NUM_DEVICES, 1, &count, &size), CL_INVALID_VALUE);
    cl_is(clGetContextInfo((cl_context)device, CL_CONTEXT_NUM_DEVICES, 0, NULL, &size), CL_INVALID_CONTEXT);
    cl_ok(clReleaseContext(made));
    cl_ok(clReleaseContext(made));
    cl_is(clReleaseContext(made), CL_INVALID_CONTEXT);
    cl_is(clRetainContext(made), CL_INVALID_CONTEXT);
}
END_TEST

static int destructor_order[4], destructor_count;

static void CL_CALLBACK context_destroyed(cl_context gone, void *data)
{
    (void)gone;
    destructor_order[destructor_count++] = *(int *)data;
}

START_TEST(clSetContextDestructorCallback_calls_in_reverse_order_after_the_last_child)
{
    static int numbers[] = {1, 2};
    cl_context made = cl_new_context();
    cl_ok(clSetContextDestructorCallback(made, context_destroyed, &numbers[0]));
    cl_ok(clSetContextDestructorCallback(made, context_destroyed, &numbers[1]));
    cl_is(clSetContextDestructorCallback(made, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clSetContextDestructorCallback((cl_context)device, context_destroyed, NULL), CL_INVALID_CONTEXT);
    cl_mem child = cl_buffer(made, 0, 64, NULL);
    cl_ok(clReleaseContext(made));
    ck_assert_int_eq(destructor_count, 0);
    cl_ok(clReleaseMemObject(child));
    ck_assert_int_eq(destructor_count, 2);
    ck_assert_int_eq(destructor_order[0], 2);
    ck_assert_int_eq(destructor_order[1], 1);
}
END_TEST

START_TEST(a_context_is_found_through_its_children)
{
    cl_context made = cl_new_context(), found = NULL;
    cl_mem child = cl_buffer(made, 0, 64, NULL);
    cl_ok(clReleaseContext(made));
    cl_ok(clGetMemObjectInfo(child, CL_MEM_CONTEXT, sizeof found, &found, NULL));
    cl_ok(clRetainContext(found));
    cl_ok(clReleaseMemObject(child));
    child = cl_buffer(found, 0, 64, NULL);
    cl_ok(clReleaseMemObject(child));
    cl_ok(clReleaseContext(found));
}
END_TEST

START_TEST(notify_function_is_called_for_refused_calls)
{
    char reported[256] = "";
    cl_int err;
    cl_context made = clCreateContext(NULL, 1, &device, on_error, reported, &err);
    ck_assert_ptr_null(clCreateBuffer(made, 0, 0, NULL, &err));
    cl_is(err, CL_INVALID_BUFFER_SIZE);
    ck_assert_ptr_nonnull(strstr(reported, "clCreateBuffer"));
    ck_assert_ptr_nonnull(strstr(reported, "CL_INVALID_BUFFER_SIZE"));
    cl_ok(clReleaseContext(made));
}
END_TEST

/* ---- what the device does not have ------------------------------------------------------------ */

START_TEST(sharing_with_graphics_is_refused)
{
    cl_int err = 1;
    cl_gl_object_type type;
    cl_mem buffer = cl_buffer(context, 0, 256, NULL);
    ck_assert_ptr_null(clCreateFromGLBuffer(context, 0, 1, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateFromGLTexture(context, 0, 0, 0, 1, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateFromGLRenderbuffer(context, 0, 1, &err));
    cl_is(err, CL_INVALID_OPERATION);
    cl_is(clGetGLObjectInfo(buffer, &type, NULL), CL_INVALID_GL_OBJECT);
    cl_is(clGetGLTextureInfo(buffer, CL_GL_TEXTURE_TARGET, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
    cl_is(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueReleaseGLObjects(queue, 1, &buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

/* ---- other devices ------------------------------------------------------------------------------ */

START_TEST(custom_device_is_found_by_its_type_only)
{
    cl_uint count = 7;
    setenv("ORRERY_DEVICE_TYPE", "custom", 1);
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(number(CL_DEVICE_TYPE, 8), CL_DEVICE_TYPE_CUSTOM);
    cl_is(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
    cl_is(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
    cl_is(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), CL_DEVICE_NOT_FOUND);
}
END_TEST

START_TEST(a_1_2_device_has_nothing_of_later_versions)
{
    setenv("ORRERY_DEVICE_VERSION", "1.2", 1);
    cl_find_device();
    ck_assert_int_eq(strncmp(text(CL_DEVICE_VERSION), "OpenCL 1.2 ", 11), 0);
    ck_assert_int_eq(strncmp(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2 ", 13), 0);
    ck_assert_ptr_null(strstr(text(CL_DEVICE_EXTENSIONS), "cl_khr_subgroups"));
}
END_TEST

START_TEST(a_2_2_device_claims_opencl_c_2_0)
{
    setenv("ORRERY_DEVICE_VERSION", "2.2", 1);
    cl_find_device();
    ck_assert_int_eq(strncmp(text(CL_DEVICE_VERSION), "OpenCL 2.2 ", 11), 0);
    ck_assert_int_eq(strncmp(text(CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 2.0 ", 13), 0);
    ck_assert_uint_eq(number(CL_DEVICE_NUMERIC_VERSION, 4), CL_MAKE_VERSION(2, 2, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api platform");
    TCase *tests = tcase_create("platform, device, context");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_add_test(tests, clGetPlatformInfo_returns_its_values);
    tcase_add_test(tests, clGetPlatformInfo_judges_its_arguments);
    tcase_add_test(tests, clGetPlatformIDs_finds_the_platform);
    tcase_add_test(tests, clUnloadPlatformCompiler_judges_its_platform);
    tcase_add_test(tests, clGetExtensionFunctionAddressForPlatform_returns_the_control_functions);
    tcase_add_test(tests, clGetDeviceIDs_matches_types);
    tcase_add_test(tests, clGetDeviceIDs_judges_its_arguments);
    tcase_add_test(tests, clGetDeviceInfo_identifies_the_device);
    tcase_add_test(tests, clGetDeviceInfo_meets_the_minimum_of_the_full_profile);
    tcase_add_test(tests, clGetDeviceInfo_reports_absent_features);
    tcase_add_test(tests, clGetDeviceInfo_lists_extensions_the_same_way_twice);
    tcase_add_test(tests, clGetDeviceInfo_lists_versions_and_features);
    tcase_add_test(tests, clGetDeviceInfo_has_consistent_atomics);
    tcase_add_test(tests, clGetDeviceInfo_judges_its_arguments);
    tcase_add_test(tests, clCreateSubDevices_wants_a_device_and_a_list);
    tcase_add_test(tests, clRetainDevice_and_clReleaseDevice_leave_a_root_device_alone);
    tcase_add_test(tests, clGetDeviceAndHostTimer_and_clGetHostTimer_share_a_clock);
    tcase_add_test(tests, clCreateContext_judges_its_arguments);
    tcase_add_test(tests, clCreateContextFromType_judges_its_arguments);
    tcase_add_test(tests, clGetContextInfo_returns_its_values);
    tcase_add_test(tests, clSetContextDestructorCallback_calls_in_reverse_order_after_the_last_child);
    tcase_add_test(tests, a_context_is_found_through_its_children);
    tcase_add_test(tests, notify_function_is_called_for_refused_calls);
    tcase_add_test(tests, sharing_with_graphics_is_refused);
    TCase *others = tcase_create("other devices");
    tcase_add_test(others, custom_device_is_found_by_its_type_only);
    tcase_add_test(others, a_1_2_device_has_nothing_of_later_versions);
    tcase_add_test(others, a_2_2_device_claims_opencl_c_2_0);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, others);
    return cl_run_suite(suite);
}
