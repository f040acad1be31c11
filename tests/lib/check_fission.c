/* SPDX-License-Identifier: Apache-2.0 */
/* cl_ext_device_fission: its calls, lists, errors and queries, and how it differs from the core call. */
#include "tests/support/cl_fixture.h"

#include <CL/cl_ext.h>
#include <unistd.h>

typedef cl_device_partition_property_ext property;

static clCreateSubDevicesEXT_fn create;
static clRetainDeviceEXT_fn retain;
static clReleaseDeviceEXT_fn release;

static void start(const char *topology)
{
    setenv("ORRERY_TOPOLOGY", topology, 1);
    cl_find_device();
    create =
        (clCreateSubDevicesEXT_fn)clGetExtensionFunctionAddressForPlatform(platform, "clCreateSubDevicesEXT");
    retain = (clRetainDeviceEXT_fn)clGetExtensionFunctionAddressForPlatform(platform, "clRetainDeviceEXT");
    release = (clReleaseDeviceEXT_fn)clGetExtensionFunctionAddressForPlatform(platform, "clReleaseDeviceEXT");
    ck_assert(create && retain && release);
}

static cl_uint units_of(cl_device_id id)
{
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

static size_t query(cl_device_id id, cl_device_info what, property list[16])
{
    size_t size = 0;
    cl_ok(clGetDeviceInfo(id, what, 16 * sizeof *list, list, &size));
    return size / sizeof *list;
}

static void release_all(cl_device_id *devices, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        cl_ok(release(devices[i]));
}

/* ---- results -------------------------------------------------------------------------- */

static const struct {
    const char *topology;
    property list[8], style[8];
    cl_int err;
    cl_uint count, units[8]; /* of the first eight */
    size_t words;            /* of style */
} calls[] = {
    {"cu:16", {0x4050, 8, 0}, {0x4050, 8, 0}, 0, 2, {8, 8}, 3},
    {"cu:16", {0x4050, 5, 0}, {0x4050, 5, 0}, 0, 3, {5, 5, 5}, 3},
    {"cu:16", {0x4050, 1, 0}, {0x4050, 1, 0}, 0, 16, {1, 1, 1, 1, 1, 1, 1, 1}, 3},
    {"cu:16", {0x4050, 0, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:16", {0x4050, 17, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:16", {0x4050, (property)-1, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:16", {0x4050, 16, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
    {"cu:4", {0x4051, 2, 2, 0, 0}, {0x4051, 2, 2, 0, 0}, 0, 2, {2, 2}, 5},
    {"cu:4", {0x4051, 1, 2, 0, 0}, {0x4051, 1, 2, 0, 0}, 0, 2, {1, 2}, 5},
    {"cu:4", {0x4051, 3, 2, 0, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:4", {0x4051, (property)-1, 0, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:4", {0x4051, 0, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:4", {0x4051, 1, 1, 1, 1, 1, 0, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:4", {0x4051, 1, 0, 0x4050, 1, 0}, {0}, CL_INVALID_PROPERTY, 0, {0}, 0},
    {"cu:4", {0x4052, 0, 1, 3, (property)-1, 0}, {0x4052, 0, 1, 3, (property)-1, 0}, 0, 1, {3}, 6},
    {"cu:4", {0x4052, 3, 0, (property)-1, 0}, {0x4052, 3, 0, (property)-1, 0}, 0, 1, {2}, 5},
    {"cu:4", {0x4052, 4, (property)-1, 0}, {0}, CL_INVALID_PARTITION_NAME_EXT, 0, {0}, 0},
    {"cu:4", {0x4052, (property)-2, (property)-1, 0}, {0}, CL_INVALID_PARTITION_NAME_EXT, 0, {0}, 0},
    {"cu:4", {0x4052, 1, 1, (property)-1, 0}, {0}, CL_INVALID_PARTITION_NAME_EXT, 0, {0}, 0},
    {"cu:4", {0x4052, (property)-1, 0}, {0}, CL_INVALID_PARTITION_COUNT_EXT, 0, {0}, 0},
    {"cu:4", {0x4052, 0, (property)-1, 1, (property)-1, 0}, {0}, CL_INVALID_PROPERTY, 0, {0}, 0},
    {"four-numa-l4", {0x4053, 0x10, 0}, {0x4053, 0x10, 0}, 0, 4, {8, 8, 8, 8}, 3},
    {"four-numa-l4", {0x4053, 4, 0}, {0x4053, 4, 0}, 0, 4, {8, 8, 8, 8}, 3},
    {"four-numa-l4", {0x4053, 3, 0}, {0x4053, 3, 0}, 0, 8, {4, 4, 4, 4, 4, 4, 4, 4}, 3},
    {"four-numa-l4", {0x4053, 2, 0}, {0x4053, 2, 0}, 0, 16, {2, 2, 2, 2, 2, 2, 2, 2}, 3},
    {"four-numa-l4", {0x4053, 1, 0}, {0x4053, 1, 0}, 0, 32, {1, 1, 1, 1, 1, 1, 1, 1}, 3},
    {"four-numa-l4", {0x4053, 0x100, 0}, {0x4053, 0x10, 0}, 0, 4, {8, 8, 8, 8}, 3},
    {"tiny", {0x4053, 0x100, 0}, {0x4053, 1, 0}, 0, 2, {1, 1}, 3},
    {"tiny", {0x4053, 2, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
    {"tiny", {0x4053, 0x10, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
    {"cu:4", {0x4053, 0x100, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
    {"four-numa-l4", {0x4053, 8, 0}, {0}, CL_INVALID_PROPERTY, 0, {0}, 0},
    {"four-numa-l4", {0x4053, 0, 0}, {0}, CL_INVALID_PROPERTY, 0, {0}, 0},
    {"cu:4", {0x4054, 1, 0}, {0}, CL_INVALID_VALUE, 0, {0}, 0},
    {"cu:4", {0x1086, 1, 0}, {0}, CL_INVALID_VALUE, 0, {0}, 0},
    {"cu:4", {0}, {0}, CL_INVALID_VALUE, 0, {0}, 0},
    {"cu:4", {0x4050, 2, 0x4050, 2, 0}, {0}, CL_INVALID_PROPERTY, 0, {0}, 0},
    {"one-unit", {0x4050, 1, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
    {"one-unit", {0x4053, 0x100, 0}, {0}, CL_DEVICE_PARTITION_FAILED_EXT, 0, {0}, 0},
};

START_TEST(each_call_makes_the_specified_devices)
{
    cl_device_id made[32], parent;
    property style[16];
    cl_uint count = 0;
    start(calls[_i].topology);
    cl_is(create(device, calls[_i].list, 0, NULL, &count), calls[_i].err);
    if (calls[_i].err)
        return;
    ck_assert_uint_eq(count, calls[_i].count);
    cl_ok(create(device, calls[_i].list, 32, made, NULL));
    for (cl_uint i = 0; i < count; i++) {
        if (i < 8)
            ck_assert_uint_eq(units_of(made[i]), calls[_i].units[i]);
        cl_ok(clGetDeviceInfo(made[i], CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
        ck_assert_ptr_eq(parent, device);
        ck_assert_uint_eq(query(made[i], CL_DEVICE_PARTITION_STYLE_EXT, style), calls[_i].words);
        ck_assert_mem_eq(style, calls[_i].style, calls[_i].words * sizeof *style);
    }
    release_all(made, count);
}
END_TEST

/* ---- room ----------------------------------------------------------------------------------- */

/* Unlike the core call this one fills what room there is. */
START_TEST(less_room_gets_the_first_ones)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_device_id made[3] = {0};
    cl_uint count = 0;
    start("cu:8");
    cl_ok(create(device, list, 2, made, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert(made[0] && made[1] && !made[2]);
    release_all(made, 2);
    cl_is(create(device, list, 0, made, &count), CL_INVALID_VALUE);
    cl_is(create(device, list, 4, NULL, NULL), CL_INVALID_VALUE);
    cl_is(create(device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(create(NULL, list, 0, NULL, &count), CL_INVALID_DEVICE);
    cl_is(create((cl_device_id)platform, list, 0, NULL, &count), CL_INVALID_DEVICE);
}
END_TEST

/* ---- queries ---------------------------------------------------------------------------------- */

START_TEST(root_queries_of_the_extension_return)
{
    property list[16];
    cl_device_id parent = device;
    cl_uint count = 0;
    char extensions[4096];
    start("four-numa-l4");
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    ck_assert_ptr_nonnull(strstr(extensions, "cl_ext_device_fission"));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
    ck_assert_ptr_null(parent);
    ck_assert_uint_eq(query(device, CL_DEVICE_PARTITION_STYLE_EXT, list), 1);
    ck_assert_uint_eq(list[0], CL_PROPERTIES_LIST_END_EXT);
    ck_assert_uint_eq(query(device, CL_DEVICE_PARTITION_TYPES_EXT, list), 4);
    ck_assert_uint_eq(query(device, CL_DEVICE_AFFINITY_DOMAINS_EXT, list), 5);
    for (cl_uint i = 0; i < 3; i++)
        cl_ok(retain(device));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    for (cl_uint i = 0; i < 5; i++)
        cl_ok(release(device));
    ck_assert_uint_eq(units_of(device), 32);
    cl_is(retain((cl_device_id)platform), CL_INVALID_DEVICE);
    cl_is(release(NULL), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(no_domain_is_an_empty_array)
{
    property list[16];
    start("cu:8");
    ck_assert_uint_eq(query(device, CL_DEVICE_AFFINITY_DOMAINS_EXT, list), 0);
}
END_TEST

START_TEST(domains_shrink_with_the_device)
{
    const property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_AFFINITY_DOMAIN_NUMA_EXT, 0};
    const property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT,
                             CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT, 0};
    cl_device_id nodes[4], parts[2];
    property list[16];
    cl_uint count;
    start("four-numa-l4");
    cl_ok(create(device, numa, 4, nodes, NULL));
    ck_assert_uint_eq(query(nodes[0], CL_DEVICE_AFFINITY_DOMAINS_EXT, list), 3);
    ck_assert_uint_eq(list[0], CL_AFFINITY_DOMAIN_L3_CACHE_EXT);
    cl_is(create(nodes[0], numa, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED_EXT);
    cl_ok(create(nodes[0], next, 2, parts, NULL));
    ck_assert_uint_eq(query(parts[0], CL_DEVICE_PARTITION_STYLE_EXT, list), 3);
    ck_assert_uint_eq(list[1], CL_AFFINITY_DOMAIN_L3_CACHE_EXT);
    release_all(parts, 2);
    release_all(nodes, 4);
}
END_TEST

/* ---- both calls, one kind of device ------------------------------------------------------------ */

START_TEST(either_call_accepts_the_others_devices)
{
    const property ext[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 3, 1, 0, 0};
    const cl_device_partition_property core[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id by_ext[2], by_core[2];
    cl_device_partition_property type[16];
    property style[16];
    size_t size = 0;
    cl_uint count = 0;
    start("dual-socket");
    cl_ok(create(device, ext, 2, by_ext, NULL));
    cl_ok(clGetDeviceInfo(by_ext[0], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    ck_assert_uint_eq(size, 5 * sizeof *type);
    ck_assert(type[0] == CL_DEVICE_PARTITION_BY_COUNTS && type[1] == 3 && type[2] == 1 && !type[3] &&
              !type[4]);
    cl_ok(clCreateSubDevices(device, core, 2, by_core, NULL));
    ck_assert_uint_eq(query(by_core[1], CL_DEVICE_PARTITION_STYLE_EXT, style), 3);
    ck_assert(style[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT &&
              style[1] == CL_AFFINITY_DOMAIN_NUMA_EXT);
    cl_ok(retain(by_core[0]));
    cl_ok(clRetainDevice(by_ext[0]));
    cl_ok(clGetDeviceInfo(by_core[0], CL_DEVICE_REFERENCE_COUNT_EXT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clReleaseDevice(by_core[0]));
    cl_ok(release(by_ext[0]));
    release_all(by_core, 2);
    release_all(by_ext, 2);
    cl_is(retain(by_ext[0]), CL_INVALID_DEVICE);
    cl_is(release(by_core[1]), CL_INVALID_DEVICE);
}
END_TEST

/* ---- contexts, queues, programs ------------------------------------------------------------------ */

static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = get_global_id(0); }";

START_TEST(a_context_of_the_parent_includes_its_parts)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_device_id made[4], devices[8] = {0}, other;
    cl_uint count = 0;
    size_t size = 0;
    cl_int err;
    start("cu:8");
    cl_ok(create(device, list, 4, made, NULL));
    context = cl_new_context();
    cl_ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size));
    ck_assert_uint_eq(size, sizeof *devices);
    cl_command_queue part = clCreateCommandQueue(context, made[1], 0, &err);
    cl_ok(err);
    cl_ok(clGetCommandQueueInfo(part, CL_QUEUE_DEVICE, sizeof other, &other, NULL));
    ck_assert_ptr_eq(other, made[1]);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clBuildProgram(program, 1, &made[1], "", NULL, NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size));
    ck_assert_uint_eq(size, 2 * sizeof *devices);
    ck_assert_ptr_eq(devices[0], device);
    ck_assert_ptr_eq(devices[1], made[1]);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_mem memory = cl_buffer(context, 0, 64 * sizeof(cl_int), NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    const size_t global = 64;
    cl_int result[64] = {0};
    cl_ok(clEnqueueNDRangeKernel(part, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(part, memory, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(result[i], i);
    /* Nothing was built for the parent, nor for another part of it. */
    cl_command_queue whole = clCreateCommandQueue(context, device, 0, &err);
    cl_ok(err);
    cl_is(clEnqueueNDRangeKernel(whole, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          CL_INVALID_PROGRAM_EXECUTABLE);
    cl_command_queue sibling = clCreateCommandQueue(context, made[0], 0, &err);
    cl_ok(err);
    cl_is(clEnqueueNDRangeKernel(sibling, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
          CL_INVALID_PROGRAM_EXECUTABLE);
    cl_build_status status = 9;
    cl_ok(clGetProgramBuildInfo(program, made[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_NONE);
    cl_ok(clGetProgramBuildInfo(program, made[1], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_SUCCESS);
    cl_ok(clReleaseCommandQueue(sibling));
    cl_ok(clReleaseCommandQueue(whole));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(part));
    release_all(made, 4);
    /* The program keeps what it was built for. */
    ck_assert_uint_eq(units_of(made[1]), 2);
    cl_is(retain(made[0]), CL_INVALID_DEVICE);
    cl_ok(clReleaseProgram(program));
    cl_is(retain(made[1]), CL_INVALID_DEVICE);
    cl_ok(clReleaseContext(context));
}
END_TEST

START_TEST(a_context_of_a_part_excludes_the_rest)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 4, 0},
                   smaller[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_device_id made[2], inner[2];
    cl_int err;
    start("cu:8");
    cl_ok(create(device, list, 2, made, NULL));
    cl_ok(create(made[0], smaller, 2, inner, NULL));
    context = clCreateContext(NULL, 1, made, NULL, NULL, &err);
    cl_ok(err);
    clCreateCommandQueue(context, device, 0, &err);
    cl_is(err, CL_INVALID_DEVICE);
    clCreateCommandQueue(context, made[1], 0, &err);
    cl_is(err, CL_INVALID_DEVICE);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_is(clBuildProgram(program, 1, &device, "", NULL, NULL), CL_INVALID_DEVICE);
    cl_is(clBuildProgram(program, 1, &made[1], "", NULL, NULL), CL_INVALID_DEVICE);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    /* A build for a device is valid for its parts. */
    cl_command_queue deep = clCreateCommandQueue(context, inner[1], 0, &err);
    cl_ok(err);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_mem memory = cl_buffer(context, 0, 64 * sizeof(cl_int), NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    const size_t global = 64;
    cl_ok(clEnqueueNDRangeKernel(deep, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    cl_ok(clFinish(deep));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(deep));
    cl_ok(clReleaseContext(context));
    release_all(inner, 2);
    release_all(made, 2);
}
END_TEST

START_TEST(binaries_are_shared)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 4, 0};
    cl_device_id made[2];
    cl_uint vendor[2];
    cl_int err, status[2];
    start("cu:8");
    cl_ok(create(device, list, 2, made, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_VENDOR_ID, sizeof *vendor, &vendor[0], NULL));
    cl_ok(clGetDeviceInfo(made[1], CL_DEVICE_VENDOR_ID, sizeof *vendor, &vendor[1], NULL));
    ck_assert_uint_eq(vendor[0], vendor[1]);
    context = cl_new_context();
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 1, made, "", NULL, NULL));
    size_t sizes[2] = {0};
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    ck_assert_uint_eq(sizes[0], 0); /* the root: nothing was built for it */
    ck_assert_uint_gt(sizes[1], 0);
    unsigned char *bytes = malloc(sizes[1]), *targets[2] = {NULL, bytes};
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof targets, targets, NULL));
    const unsigned char *binaries[] = {bytes};
    cl_program other = clCreateProgramWithBinary(context, 1, &made[1], &sizes[1], binaries, status, &err);
    cl_ok(err);
    cl_is(clBuildProgram(other, 1, &made[0], "", NULL, NULL), CL_INVALID_DEVICE);
    cl_ok(clBuildProgram(other, 1, &made[1], "", NULL, NULL));
    cl_uint count = 0;
    cl_ok(clGetProgramInfo(other, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    free(bytes);
    cl_ok(clReleaseProgram(other));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    release_all(made, 2);
}
END_TEST

/* A binary of `kernel void k(global int *a) { *a = VALUE; }`, compiled only or built, made for one device. */
static unsigned char *binary_of(cl_device_id id, const char *text, const char *options, bool built,
                                size_t *out_size)
{
    cl_int err;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(built ? clBuildProgram(made, 1, &id, options, NULL, NULL)
                : clCompileProgram(made, 1, &id, options, 0, NULL, NULL, NULL, NULL));
    cl_uint count = 0, at = 0;
    cl_device_id devices[8];
    size_t sizes[8];
    unsigned char *targets[8] = {NULL};
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL));
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    while (at < count && devices[at] != id)
        at++;
    ck_assert_uint_lt(at, count);
    targets[at] = malloc(sizes[at]);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof targets, targets, NULL));
    *out_size = sizes[at];
    cl_ok(clReleaseProgram(made));
    return targets[at];
}

/* The result of kernel k of the program on the device. */
static cl_int result_on(cl_program program, cl_device_id id)
{
    cl_int err, value = 0;
    const size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_command_queue on = clCreateCommandQueue(context, id, 0, &err);
    cl_ok(err);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof value, NULL, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseKernel(kernel));
    return value;
}

static const char set_value[] = "kernel void k(global int *a) { *a = VALUE; }";

static void start_four(cl_device_id made[4])
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_int err;
    start("cu:8");
    cl_ok(create(device, list, 4, made, NULL));
    context = clCreateContext(NULL, 4, made, NULL, NULL, &err);
    cl_ok(err);
}

START_TEST(each_device_runs_its_own_binary)
{
    cl_device_id made[4], devices[4];
    cl_int err, status[4] = {1, 1, 1, 1};
    size_t sizes[4], each[4];
    char options[64], source_text[128] = "";
    start_four(made);
    unsigned char *one = binary_of(made[0], set_value, "-DVALUE=1", true, &sizes[0]);
    unsigned char *two = binary_of(made[1], set_value, "-DVALUE=2 -cl-kernel-arg-info", true, &sizes[1]);
    sizes[2] = sizes[0];
    sizes[3] = 9;
    const unsigned char *binaries[4] = {one, two, one, (const unsigned char *)"no binary"};
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 4, made, sizes, binaries, status, &err));
    cl_is(err, CL_INVALID_BINARY);
    ck_assert(status[0] == CL_SUCCESS && status[1] == CL_SUCCESS && status[2] == CL_SUCCESS);
    cl_is(status[3], CL_INVALID_BINARY);
    binaries[3] = binaries[0];
    binaries[0] = (const unsigned char *)"no binary";
    sizes[3] = sizes[0];
    sizes[0] = 9;
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 4, made, sizes, binaries, status, &err));
    cl_is(err, CL_INVALID_BINARY);
    ck_assert(status[0] == CL_INVALID_BINARY && status[3] == CL_SUCCESS);
    binaries[0] = binaries[3];
    sizes[0] = sizes[3];
    cl_program program = clCreateProgramWithBinary(context, 3, made, sizes, binaries, status, &err);
    cl_ok(err);
    ck_assert(!status[0] && !status[1] && !status[2]);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, NULL));
    ck_assert_mem_eq(devices, made, 3 * sizeof *made);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source_text, source_text, NULL));
    ck_assert_str_eq(source_text, set_value);
    cl_is(clBuildProgram(program, 1, &made[3], NULL, NULL, NULL), CL_INVALID_DEVICE);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_ok(clGetProgramBuildInfo(program, made[1], CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    ck_assert_str_eq(options, "-DVALUE=2 -cl-kernel-arg-info");
    cl_ok(clGetProgramBuildInfo(program, made[2], CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    ck_assert_str_eq(options, "-DVALUE=1");
    ck_assert_int_eq(result_on(program, made[0]), 1);
    ck_assert_int_eq(result_on(program, made[1]), 2);
    ck_assert_int_eq(result_on(program, made[2]), 1);
    /* Queries return the properties given at creation. */
    unsigned char *targets[3] = {malloc(sizes[0]), malloc(sizes[1]), malloc(sizes[2])};
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof each, each, NULL));
    ck_assert_mem_eq(each, sizes, 3 * sizeof *sizes);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof targets, targets, NULL));
    for (int i = 0; i < 3; i++) {
        ck_assert_mem_eq(targets[i], binaries[i], sizes[i]);
        free(targets[i]);
    }
    /* One device at a time. */
    cl_ok(clBuildProgram(program, 1, &made[1], "", NULL, NULL));
    ck_assert_int_eq(result_on(program, made[1]), 2);
    cl_ok(clReleaseProgram(program));
    free(one);
    free(two);
    cl_ok(clReleaseContext(context));
    release_all(made, 4);
}
END_TEST

START_TEST(each_device_links_its_own_objects)
{
    cl_device_id made[4];
    cl_program_binary_type type = 0;
    cl_int err;
    size_t sizes[2];
    start_four(made);
    unsigned char *one = binary_of(made[0], set_value, "-DVALUE=11", false, &sizes[0]);
    unsigned char *two = binary_of(made[0], set_value, "-DVALUE=22", false, &sizes[1]);
    const unsigned char *binaries[] = {one, two};
    cl_program object = clCreateProgramWithBinary(context, 2, made, sizes, binaries, NULL, &err);
    cl_ok(err);
    cl_ok(clGetProgramBuildInfo(object, made[1], CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program linked = clLinkProgram(context, 2, made, "", 1, &object, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_int_eq(result_on(linked, made[0]), 11);
    ck_assert_int_eq(result_on(linked, made[1]), 22);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(object));
    free(one);
    free(two);
    cl_ok(clReleaseContext(context));
    release_all(made, 4);
}
END_TEST

START_TEST(events_order_queues_of_siblings)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_device_id made[4];
    cl_command_queue queues[4];
    cl_event last = NULL;
    cl_int err;
    start("cu:8");
    cl_ok(create(device, list, 4, made, NULL));
    context = clCreateContext(NULL, 4, made, NULL, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 4; i++) {
        queues[i] = clCreateCommandQueue(context, made[i], 0, &err);
        cl_ok(err);
    }
    for (int i = 3; i >= 0; i--) { /* each waits for the one before it */
        cl_event next = cl_trace(queues[i], i, last ? 1 : 0, last ? &last : NULL);
        if (last)
            cl_ok(clReleaseEvent(last));
        last = next;
    }
    cl_ok(clWaitForEvents(1, &last));
    ck_assert_int_eq(trace.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(trace.number[i], 3 - i);
    cl_ok(clReleaseEvent(last));
    /* In every order of releases. */
    release_all(made, 4);
    cl_ok(clReleaseContext(context));
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseCommandQueue(queues[i]));
}
END_TEST

/* ---- builds that differ ---------------------------------------------------------------------------- */

static cl_program program_of(const char *text)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    return program;
}

static cl_int run_on(cl_device_id id, cl_kernel kernel)
{
    const size_t one = 1;
    cl_int err, value = -1;
    cl_command_queue on = clCreateCommandQueue(context, id, 0, &err);
    cl_ok(err);
    cl_mem memory = cl_buffer(context, 0, sizeof value, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(on, memory, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseCommandQueue(on));
    return value;
}

START_TEST(each_part_runs_its_own_build)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 2, 0};
    cl_device_id made[4];
    cl_int err;
    char options[64];
    start("cu:8");
    cl_ok(create(device, list, 4, made, NULL));
    context = cl_new_context();
    cl_program program = program_of("kernel void k(global int *a) { *a = VALUE; }");
    cl_ok(clBuildProgram(program, 0, NULL, "-DVALUE=10", NULL, NULL));
    cl_ok(clBuildProgram(program, 1, &made[1], "-DVALUE=20", NULL, NULL));
    cl_ok(clBuildProgram(program, 2, &made[2], "-DVALUE=30", NULL, NULL));
    cl_is(clBuildProgram(program, 1, &made[3], "-DVALUE=", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clGetProgramBuildInfo(program, made[1], CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    ck_assert_str_eq(options, "-DVALUE=20");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    ck_assert_int_eq(run_on(device, kernel), 10);
    ck_assert_int_eq(run_on(made[0], kernel), 10); /* it has none of its own */
    ck_assert_int_eq(run_on(made[1], kernel), 20);
    ck_assert_int_eq(run_on(made[2], kernel), 30);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    release_all(made, 4);
}
END_TEST

START_TEST(kernels_must_have_the_same_arguments)
{
    const property list[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 4, 0};
    cl_device_id made[2];
    cl_int err;
    start("cu:8");
    cl_ok(create(device, list, 2, made, NULL));
    context = cl_new_context();
    cl_program program =
        program_of("kernel void k(global TYPE *a) { *a = 1; } kernel void same(global int *a) { *a = 1; }");
    cl_ok(clBuildProgram(program, 1, &made[0], "-DTYPE=int", NULL, NULL));
    cl_ok(clBuildProgram(program, 1, &made[1], "-DTYPE=float", NULL, NULL));
    ck_assert_ptr_null(clCreateKernel(program, "k", &err));
    cl_is(err, CL_INVALID_KERNEL_DEFINITION);
    cl_kernel kernel = clCreateKernel(program, "same", &err);
    cl_ok(err);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
    release_all(made, 2);
}
END_TEST

/* One call builds for roots that can do different things, each as it needs it. */
START_TEST(roots_that_differ_are_built_for_apart)
{
    static const char yaml[] =
        "orrery: 1\ndevices: [{topology: \"cu:2\"}, {topology: \"cu:2\", features: {fp64: false}}]\n";
    char path[] = "/tmp/check_fission.XXXXXX";
    int file = mkstemp(path);
    cl_device_id roots[2];
    cl_int err;
    ck_assert(file >= 0 && write(file, yaml, sizeof yaml - 1) == sizeof yaml - 1);
    setenv("ORRERY_SCENARIO", path, 1);
    cl_find_device();
    unlink(path);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, roots, NULL));
    context = clCreateContext(NULL, 2, roots, NULL, NULL, &err);
    cl_ok(err);
    cl_program program =
        program_of("#ifdef cl_khr_fp64\n#define ANSWER 64\n#else\n#define ANSWER 32\n#endif\n"
                   "kernel void k(global int *a) { *a = ANSWER; }");
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    ck_assert_int_eq(run_on(roots[0], kernel), 64);
    ck_assert_int_eq(run_on(roots[1], kernel), 32);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device fission");
    TCase *tests = tcase_create("extension");
    tcase_add_loop_test(tests, each_call_makes_the_specified_devices, 0, sizeof calls / sizeof *calls);
    tcase_add_test(tests, less_room_gets_the_first_ones);
    tcase_add_test(tests, root_queries_of_the_extension_return);
    tcase_add_test(tests, no_domain_is_an_empty_array);
    tcase_add_test(tests, domains_shrink_with_the_device);
    tcase_add_test(tests, either_call_accepts_the_others_devices);
    tcase_add_test(tests, a_context_of_the_parent_includes_its_parts);
    tcase_add_test(tests, a_context_of_a_part_excludes_the_rest);
    tcase_add_test(tests, binaries_are_shared);
    tcase_add_test(tests, each_device_runs_its_own_binary);
    tcase_add_test(tests, each_device_links_its_own_objects);
    tcase_add_test(tests, events_order_queues_of_siblings);
    tcase_add_test(tests, each_part_runs_its_own_build);
    tcase_add_test(tests, kernels_must_have_the_same_arguments);
    tcase_add_test(tests, roots_that_differ_are_built_for_apart);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
