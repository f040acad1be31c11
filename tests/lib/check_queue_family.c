/* SPDX-License-Identifier: Apache-2.0 */
/* cl_intel_command_queue_families over tiles with cslices, and cl_orrery_cslice. */
#include "tests/support/cl_fixture.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CL/cl_orrery_cslice.h"
#include "orrery/orrery.h"

enum { COPY_CAPABILITIES = 0x0300270F }; /* everything but kernels, filling and images */

static void start(const char *topology, const char *errors)
{
    setenv("ORRERY_TOPOLOGY", topology, 1);
    setenv("ORRERY_ERRORS", errors, 1);
    cl_find_device();
}

/* Their device is one tile with four cslices. */
static void start_tile(const char *errors)
{
    cl_int err;
    start("tile:1 cslice:4 cu:2", errors);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_ok(err);
}

static size_t families_of(cl_device_id id, cl_queue_family_properties_intel list[8])
{
    size_t size = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL, 8 * sizeof *list, list, &size));
    ck_assert_uint_eq(size % 88, 0);
    return size / 88;
}

static bool has_extension(const char *name)
{
    char text[8192];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    return strstr(text, name) != NULL;
}

static cl_command_queue make(cl_device_id id, const cl_queue_properties *list, cl_int want)
{
    cl_int err;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, id, list, &err);
    cl_is(err, want);
    ck_assert((made != NULL) == (want == CL_SUCCESS));
    return made;
}

static cl_command_queue make_on(cl_uint family, cl_uint index)
{
    const cl_queue_properties list[] = {CL_QUEUE_FAMILY_INTEL, family, CL_QUEUE_INDEX_INTEL, index, 0};
    return make(device, list, CL_SUCCESS);
}

/* ---- families -------------------------------------------------------------------- */

START_TEST(a_tile_has_an_engine_per_cslice_and_two_that_copy)
{
    static const struct {
        const char *topology;
        cl_uint slices;
    } tiles[] = {{"tile:1 cslice:1 cu:8", 1}, {"tile:1 cslice:2 cu:4", 2}, {"tile:1 cslice:4 cu:2", 4}};
    cl_queue_family_properties_intel list[8];
    cl_command_queue_properties host = 0;
    start(tiles[_i].topology, "cts");
    ck_assert(has_extension("cl_intel_command_queue_families"));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, sizeof host, &host, NULL));
    ck_assert_uint_eq(families_of(device, list), 3);
    ck_assert_str_eq(list[0].name, "ccs");
    ck_assert_uint_eq(list[0].count, tiles[_i].slices);
    ck_assert_uint_eq(list[0].capabilities, CL_QUEUE_DEFAULT_CAPABILITIES_INTEL);
    ck_assert_str_eq(list[1].name, "bcs");
    ck_assert_uint_eq(list[1].count, 1);
    ck_assert_uint_eq(list[1].capabilities, COPY_CAPABILITIES);
    ck_assert_str_eq(list[2].name, "linked bcs");
    ck_assert_uint_eq(list[2].count, 8);
    ck_assert_uint_eq(list[2].capabilities, COPY_CAPABILITIES);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(list[i].properties, host);
}
END_TEST

START_TEST(other_devices_have_no_families)
{
    size_t size;
    cl_uint family;
    const cl_queue_properties list[] = {CL_QUEUE_FAMILY_INTEL, 0, CL_QUEUE_INDEX_INTEL, 0, 0};
    start("dual-socket", "cts");
    ck_assert(!has_extension("cl_intel_command_queue_families"));
    cl_is(clGetDeviceInfo(device, CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL, 0, NULL, &size), CL_INVALID_VALUE);
    context = cl_new_context();
    make(device, list, CL_INVALID_VALUE);
    queue = make(device, NULL, CL_SUCCESS);
    cl_is(clGetCommandQueueInfo(queue, CL_QUEUE_FAMILY_INTEL, sizeof family, &family, NULL),
          CL_INVALID_VALUE);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseContext(context));
}
END_TEST

/* A root of several tiles has one engine; its tiles have them all; half a tile has one again. */
START_TEST(only_whole_tiles_have_them_all)
{
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 224, 0};
    cl_queue_family_properties_intel list[8];
    cl_device_id tiles[2], parts[2];
    start("intel-pvc", "cts");
    ck_assert_uint_eq(families_of(device, list), 1);
    ck_assert_uint_eq(list[0].count, 1);
    ck_assert_uint_eq(list[0].capabilities, CL_QUEUE_DEFAULT_CAPABILITIES_INTEL);
    cl_ok(clCreateSubDevices(device, numa, 2, tiles, NULL));
    ck_assert_uint_eq(families_of(tiles[1], list), 3);
    ck_assert_uint_eq(list[0].count, 4);
    cl_ok(clCreateSubDevices(tiles[1], halves, 2, parts, NULL));
    ck_assert_uint_eq(families_of(parts[0], list), 1);
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseDevice(parts[i]));
        cl_ok(clReleaseDevice(tiles[i]));
    }
}
END_TEST

/* ---- queues ------------------------------------------------------------------------ */

static const char *const sets[] = {"spec", "cts", "pocl", "neo"};
enum { NEO = 3, SET_COUNT };

START_TEST(families_and_indices_are_checked)
{
    const cl_queue_properties family = CL_QUEUE_FAMILY_INTEL, index = CL_QUEUE_INDEX_INTEL;
    const cl_queue_properties wrong[][6] = {
        {family, 0, 0},
        {index, 0, 0},
        {family, 3, index, 0, 0},
        {family, 0, index, 4, 0},
        {index, 1, family, 1, 0},
        {family, 2, index, 8, 0},
        {family, UINT64_C(1) << 32, index, 0, 0},
        {family, 0, index, UINT64_C(1) << 32, 0},
    };
    start_tile(sets[_i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        make(device, wrong[i], _i == NEO ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE);
    const cl_queue_properties unknown[] = {family, 9, 0x7777, 1, 0},
                              twice[] = {family, 0, index, 0, family, 0, 0};
    make(device, unknown, CL_INVALID_VALUE);
    make(device, twice, CL_INVALID_VALUE);
    cl_ok(clReleaseContext(context));
}
END_TEST

START_TEST(queue_info_has_family_and_index)
{
    const cl_queue_properties list[] = {
        CL_QUEUE_INDEX_INTEL, 5, CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_FAMILY_INTEL, 2, 0};
    cl_queue_properties answer[8];
    cl_uint family = 9, index = 9;
    size_t size = 0;
    start_tile("cts");
    queue = make(device, list, CL_SUCCESS);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_FAMILY_INTEL, sizeof family, &family, NULL));
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_INDEX_INTEL, sizeof index, &index, NULL));
    ck_assert(family == 2 && index == 5);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof answer, answer, &size));
    ck_assert_uint_eq(size, sizeof list);
    ck_assert_mem_eq(answer, list, sizeof list);
    cl_command_queue plain = make(device, NULL, CL_SUCCESS);
    cl_ok(clGetCommandQueueInfo(plain, CL_QUEUE_FAMILY_INTEL, sizeof family, &family, NULL));
    cl_ok(clGetCommandQueueInfo(plain, CL_QUEUE_INDEX_INTEL, sizeof index, &index, NULL));
    ck_assert(family == 0 && index == 0);
    cl_ok(clReleaseCommandQueue(plain));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseContext(context));
}
END_TEST

static void CL_CALLBACK native(void *args)
{
    (void)args;
}

/* The commands that copy queues may hold; Intel's driver lets shared virtual memory pass. */
START_TEST(copy_queues_copy)
{
    const size_t zero[3] = {0}, box[3] = {4, 2, 1};
    const char *text = "kernel void k(void) {}";
    cl_event first, second;
    cl_int err, word = 7, host[16] = {0};
    bool neo = _i == NEO;
    start_tile(sets[_i]);
    queue = make_on(1, 0);
    cl_mem a = cl_buffer(context, 0, 64, NULL), b = cl_buffer(context, 0, 64, NULL);
    cl_ok(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 64, host, 0, NULL, &first));
    cl_ok(clEnqueueCopyBuffer(queue, a, b, 0, 0, 64, 1, &first, &second));
    cl_ok(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, 64, host, 1, &second, NULL));
    cl_ok(clEnqueueReadBufferRect(queue, b, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBufferRect(queue, b, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    cl_ok(clEnqueueCopyBufferRect(queue, a, b, zero, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
    void *pointer = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    cl_ok(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    cl_is(clEnqueueFillBuffer(queue, a, &word, 4, 0, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueMigrateMemObjects(queue, 1, &a, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueNativeKernel(queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_is(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, box, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueTask(queue, kernel, 0, NULL, NULL), CL_INVALID_OPERATION);
    void *svm = clSVMAlloc(context, 0, 64, 0);
    ck_assert_ptr_nonnull(svm);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, svm, host, 64, 0, NULL, NULL),
          neo ? CL_SUCCESS : CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, 64, 0, NULL, NULL),
          neo ? CL_SUCCESS : CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMUnmap(queue, svm, 0, NULL, NULL), neo ? CL_SUCCESS : CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMemFill(queue, svm, &word, 4, 64, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMigrateMem(queue, 1, (const void **)&svm, NULL, 0, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2};
    const size_t region[3] = {4, 2, 1};
    const cl_uint colour[4] = {1, 2, 3, 4};
    size_t pitch;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_ok(err);
    cl_is(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, 0, 0, host, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueFillImage(queue, image, colour, zero, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueCopyImageToBuffer(queue, image, a, zero, region, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueCopyBufferToImage(queue, a, image, 0, zero, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    pointer = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, region, &pitch, NULL, 0, NULL, NULL,
                                &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(image));
    /* The engine beside it does everything. */
    cl_command_queue compute = make_on(0, 3);
    cl_ok(clEnqueueFillBuffer(compute, a, &word, 4, 0, 64, 1, &second, NULL));
    cl_ok(clEnqueueNDRangeKernel(compute, kernel, 1, NULL, box, NULL, 0, NULL, NULL));
    cl_ok(clFinish(compute));
    cl_ok(clFinish(queue));
    clSVMFree(context, svm);
    cl_ok(clReleaseEvent(first));
    cl_ok(clReleaseEvent(second));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(compute));
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseContext(context));
}
END_TEST

/* ---- findings ------------------------------------------------------------------------ */

typedef size_t count_function(const char *id);

static size_t findings(const char *id)
{
    count_function *count;
    *(void **)&count = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count_of");
    return count(id);
}

/* The finding names the object and the calls; where they are it is suppressed by. */
static void reports(const char *id, const char *object, const char *call, const char *other)
{
    orrery_finding_get_fn *get;
    orrery_finding_count_fn *count;
    struct orrery_finding finding = {.id = ""};
    *(void **)&get = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_get");
    *(void **)&count = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count");
    for (size_t i = 0; i < count() && strcmp(finding.id, id) != 0; i++)
        ck_assert_int_eq(get(i, &finding), 0);
    ck_assert_str_eq(finding.id, id);
    ck_assert_ptr_nonnull(finding.object);
    ck_assert_ptr_nonnull(finding.fix);
    ck_assert_int_eq(strncmp(finding.object, object, strlen(object)), 0);
    ck_assert_uint_eq(finding.access_count, other ? 2 : 1);
    for (uint32_t i = 0; i < finding.access_count; i++) {
        ck_assert_ptr_nonnull(strstr(finding.access[i].what, i ? other : call));
        ck_assert_ptr_nonnull(finding.access[i].file);
        ck_assert_ptr_nonnull(strstr(finding.access[i].file, "check_queue_family.c"));
    }
}

START_TEST(two_queues_on_a_slice_are_reported_of)
{
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    start_tile("cts");
    cl_command_queue a = make_on(0, 1), b = make_on(0, 2), copy = make_on(1, 0), copy_too = make_on(1, 0);
    ck_assert_uint_eq(findings("units-shared"), 0);
    cl_command_queue again = make_on(0, 1);
    ck_assert_uint_eq(findings("units-shared"), 1);
    reports("units-shared", "command-queue ", "clCreateCommandQueueWithProperties",
            "the other one is made here");
    cl_ok(clReleaseCommandQueue(b));
    b = make_on(0, 2);
    ck_assert_uint_eq(findings("units-shared"), 1);
    cl_ok(clReleaseCommandQueue(a));
    cl_ok(clReleaseCommandQueue(b));
    cl_ok(clReleaseCommandQueue(copy));
    cl_ok(clReleaseCommandQueue(copy_too));
    cl_ok(clReleaseCommandQueue(again));
    cl_ok(clReleaseContext(context));
}
END_TEST

/* Two queues on slice 1 and one on slice 2, a kernel of four work-groups on each; ends the process. */
static void run_on_slices(const char *timeline)
{
    static const char *const text = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
    const size_t items = 16, group = 4;
    cl_int err;
    setenv("ORRERY_TIMELINE", timeline, 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    start_tile("cts");
    cl_command_queue queues[] = {make_on(0, 1), make_on(0, 1), make_on(0, 2)};
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 3; i++)
        cl_ok(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        cl_ok(clFinish(queues[i]));
    exit(0);
}

/*
 * The units of slice k of the tile are 2k and 2k + 1, and on one unit groups of the two queues run one after
 * the other.
 */
START_TEST(timeline_shows_queues_that_share_a_slice)
{
    char path[] = "/tmp/orrery-slices-XXXXXX", line[512];
    int on_slice[4] = {0}, status, file = mkstemp(path);
    double until[8] = {0};
    ck_assert_int_ge(file, 0);
    close(file);
    pid_t child = fork();
    if (child == 0)
        run_on_slices(path);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    FILE *timeline = fopen(path, "r");
    while (fgets(line, sizeof line, timeline)) {
        const char *at = strstr(line, "\"cat\":\"group\"");
        unsigned track;
        double start, length;
        if (!at || sscanf(at, "\"cat\":\"group\",\"pid\":1,\"tid\":%u,\"ts\":%lf,\"dur\":%lf", &track, &start,
                          &length) != 3)
            continue;
        unsigned unit = track / 4096;
        ck_assert_uint_lt(unit, 8);
        ck_assert(start >= until[unit]);
        until[unit] = start + length;
        on_slice[unit / 2]++;
    }
    fclose(timeline);
    unlink(path);
    ck_assert(!on_slice[0] && on_slice[1] == 8 && on_slice[2] == 4 && !on_slice[3]);
}
END_TEST

START_TEST(overlapping_partitions_and_foreign_contexts_are_reported_of)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    const cl_device_partition_property inner[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_id a[2], b[2], within[2];
    cl_int err;
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    start("cu:8", "cts");
    cl_ok(clCreateSubDevices(device, halves, 2, a, NULL));
    cl_ok(clCreateSubDevices(a[0], inner, 2, within, NULL));
    ck_assert_uint_eq(findings("units-shared"), 0);
    cl_ok(clCreateSubDevices(device, halves, 2, b, NULL));
    ck_assert_uint_ge(findings("units-shared"), 1);
    reports("units-shared", "device ", "clCreateSubDevices",
            "clCreateSubDevices: the other one is made here");
    context = cl_new_context();
    queue = clCreateCommandQueue(context, device, 0, &err);
    cl_ok(err);
    ck_assert_uint_eq(findings("sub-device-context"), 0);
    cl_ok(clReleaseCommandQueue(queue));
    queue = clCreateCommandQueue(context, a[0], 0, &err);
    cl_ok(err);
    ck_assert_uint_eq(findings("sub-device-context"), 1);
    reports("sub-device-context", "device ", "clCreateCommandQueue", NULL);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseContext(context));
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseDevice(a[i]));
        cl_ok(clReleaseDevice(b[i]));
        cl_ok(clReleaseDevice(within[i]));
    }
}
END_TEST

/* ---- families that can less ---------------------------------------------------------- */

static void start_with(const char *capabilities, const char *errors)
{
    setenv("ORRERY_COPY_CAPABILITIES", capabilities, 1);
    start_tile(errors);
}

/* One capability each, and the bits of the commands that table X of the extension gives it. */
enum {
    READ = 1,
    RECT = 2,
    MAP = 4,
    UNMAP = 8,
    FILL = 16,
    READ_IMAGE = 32,
    MAP_IMAGE = 64,
    FILL_IMAGE = 128,
    TO_IMAGE = 256,
    FROM_IMAGE = 512,
    MARKER = 1024,
    BARRIER = 2048,
    KERNEL = 4096
};
static const struct {
    const char *word;
    cl_command_queue_capabilities_intel bit;
    int commands;
} capabilities[] = {
    {"single-events", 1 << 0, 0},
    {"single-waits", 1 << 2, 0},
    {"transfer-buffer", 1 << 8, READ},
    {"transfer-rect", 1 << 9, RECT},
    {"map-buffer", 1 << 10, MAP | UNMAP},
    {"fill-buffer", 1 << 11, FILL},
    {"transfer-image", 1 << 12, READ_IMAGE},
    {"map-image", 1 << 13, MAP_IMAGE | UNMAP},
    {"fill-image", 1 << 14, FILL_IMAGE},
    {"buffer-to-image", 1 << 15, TO_IMAGE},
    {"image-to-buffer", 1 << 16, FROM_IMAGE},
    {"marker", 1 << 24, MARKER},
    {"barrier", 1 << 25, BARRIER},
    {"kernel", 1 << 26, KERNEL},
};
enum { CAPABILITY_COUNT = sizeof capabilities / sizeof *capabilities };

#define GRANTED(bit, call) cl_is(call, capabilities[_i].commands &(bit) ? CL_SUCCESS : CL_INVALID_OPERATION)

START_TEST(each_capability_is_for_its_commands)
{
    const size_t zero[3] = {0}, box[3] = {4, 2, 1};
    const char *text = "kernel void k(void) {}";
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 2};
    const cl_uint colour[4] = {1, 2, 3, 4};
    cl_queue_family_properties_intel list[8];
    cl_int err, host[16] = {0};
    size_t pitch;
    cl_event event;
    start_with(capabilities[_i].word, "spec");
    ck_assert_uint_eq(families_of(device, list), 3);
    ck_assert_uint_eq(list[1].capabilities, capabilities[_i].bit);
    ck_assert_uint_eq(list[2].capabilities, capabilities[_i].bit);
    ck_assert_uint_eq(list[0].capabilities, CL_QUEUE_DEFAULT_CAPABILITIES_INTEL);
    cl_command_queue compute = make_on(0, 0);
    queue = make_on(1, 0);
    cl_mem a = cl_buffer(context, 0, 64, NULL), b = cl_buffer(context, 0, 64, NULL);
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_ok(err);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    GRANTED(READ, clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 64, host, 0, NULL, NULL));
    GRANTED(READ, clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, 64, host, 0, NULL, NULL));
    GRANTED(READ, clEnqueueCopyBuffer(queue, a, b, 0, 0, 64, 0, NULL, NULL));
    GRANTED(RECT,
            clEnqueueReadBufferRect(queue, b, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    GRANTED(RECT,
            clEnqueueWriteBufferRect(queue, b, CL_TRUE, zero, zero, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    GRANTED(RECT, clEnqueueCopyBufferRect(queue, a, b, zero, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
    GRANTED(FILL, clEnqueueFillBuffer(queue, a, host, 4, 0, 64, 0, NULL, NULL));
    GRANTED(READ_IMAGE, clEnqueueReadImage(queue, image, CL_TRUE, zero, box, 0, 0, host, 0, NULL, NULL));
    GRANTED(READ_IMAGE, clEnqueueWriteImage(queue, image, CL_TRUE, zero, box, 0, 0, host, 0, NULL, NULL));
    GRANTED(FILL_IMAGE, clEnqueueFillImage(queue, image, colour, zero, box, 0, NULL, NULL));
    GRANTED(TO_IMAGE, clEnqueueCopyBufferToImage(queue, a, image, 0, zero, box, 0, NULL, NULL));
    GRANTED(FROM_IMAGE, clEnqueueCopyImageToBuffer(queue, image, a, zero, box, 0, 0, NULL, NULL));
    GRANTED(MARKER, clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
    GRANTED(BARRIER, clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    GRANTED(BARRIER, clEnqueueBarrier(queue));
    GRANTED(KERNEL, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, box, NULL, 0, NULL, NULL));
    GRANTED(KERNEL, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    GRANTED(0, clEnqueueMigrateMemObjects(queue, 1, &a, 0, 0, NULL, NULL));
    cl_ok(clFinish(queue)); /* before the host has it */
    void *pointer = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    GRANTED(MAP, err);
    if (!pointer)
        pointer = clEnqueueMapBuffer(compute, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    GRANTED(UNMAP, clEnqueueUnmapMemObject(queue, a, pointer, 0, NULL, NULL));
    pointer =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, box, &pitch, NULL, 0, NULL, NULL, &err);
    GRANTED(MAP_IMAGE, err);
    /* The one call that the table leaves out. */
    cl_ok(clEnqueueMarkerWithWaitList(compute, 0, NULL, &event));
    GRANTED(0, clEnqueueWaitForEvents(queue, 1, &event));
    cl_ok(clFinish(queue));
    cl_ok(clFinish(compute));
    cl_ok(clReleaseEvent(event));
}
END_TEST

/*
 * Of a copy queue: whether it gives events, and which queues may wait for which; for a user event it depends
 * on the implementation.
 */
static const struct {
    const char *capabilities;
    bool event, own, of_other, by_other, user;
} synchronisations[] = {
    {"transfer-buffer", false, false, false, false, false},
    {"transfer-buffer,single-events", true, false, false, false, false},
    {"transfer-buffer,single-events,cross-events", true, false, false, true, false},
    {"transfer-buffer,single-waits", false, false, false, false, true},
    {"transfer-buffer,single-waits,cross-waits", false, false, true, false, true},
    {"transfer-buffer,single-events,single-waits", true, true, false, false, true},
    {"transfer-buffer,single-events,cross-events,single-waits", true, true, false, true, true},
    {"transfer-buffer,single-events,single-waits,cross-waits", true, true, true, false, true},
    {"transfer-buffer,single-events,cross-events,single-waits,cross-waits", true, true, true, true, true},
};
enum { SYNCHRONISATION_COUNT = sizeof synchronisations / sizeof *synchronisations };

START_TEST(events_and_waits_are_capabilities)
{
    bool neo = _i % SET_COUNT == NEO;
    cl_int no_wait = neo ? CL_INVALID_OPERATION : CL_INVALID_EVENT_WAIT_LIST, err;
    const int i = _i / SET_COUNT;
    char byte = 0;
    cl_event mine, theirs, user;
    start_with(synchronisations[i].capabilities, sets[_i % SET_COUNT]);
    cl_command_queue compute = make_on(0, 1);
    queue = make_on(1, 0);
    cl_mem a = cl_buffer(context, 0, 64, NULL);
    cl_is(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1, &byte, 0, NULL, &mine), synchronisations[i].event
                                                                                     ? CL_SUCCESS
                                                                                 : neo ? CL_INVALID_OPERATION
                                                                                       : CL_INVALID_EVENT);
    cl_ok(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1, &byte, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(compute, a, CL_FALSE, 0, 1, &byte, 0, NULL, &theirs));
    cl_is(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1, &byte, 1, &theirs, NULL),
          synchronisations[i].of_other ? CL_SUCCESS : no_wait);
    if (synchronisations[i].event) {
        cl_is(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1, &byte, 1, &mine, NULL),
              synchronisations[i].own ? CL_SUCCESS : no_wait);
        cl_is(clEnqueueWriteBuffer(compute, a, CL_FALSE, 0, 1, &byte, 1, &mine, NULL),
              synchronisations[i].by_other ? CL_SUCCESS : no_wait);
        cl_ok(clWaitForEvents(1, &mine)); /* the host may in any case */
        cl_ok(clReleaseEvent(mine));
    }
    user = clCreateUserEvent(context, &err);
    cl_ok(err);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_is(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 1, &byte, 1, &user, NULL),
          synchronisations[i].user || neo ? CL_SUCCESS : no_wait);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(compute));
    cl_ok(clReleaseEvent(theirs));
    cl_ok(clReleaseEvent(user));
}
END_TEST

/* ---- cl_orrery_cslice ------------------------------------------------------------------ */

static const cl_device_partition_property by_cslice[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 0, 0};
static const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                    CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};

static void start_with_extension(const char *topology, const char *errors)
{
    static const char yaml[] = "orrery: 1\ndevice: {features: {cslice_partition: true}}\n";
    char path[] = "/tmp/check_queue_family.XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, yaml, sizeof yaml - 1) == sizeof yaml - 1);
    setenv("ORRERY_SCENARIO", path, 1);
    start(topology, errors);
    close(file);
    unlink(path);
}

static bool offers_cslices(cl_device_id id)
{
    cl_device_partition_property list[8];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i] == CL_DEVICE_PARTITION_BY_CSLICE_ORRERY)
            return true;
    return false;
}

START_TEST(cslices_are_off_by_default)
{
    cl_uint count;
    start("tile:1 cslice:4 cu:2", sets[_i]);
    ck_assert(!has_extension("cl_orrery_cslice"));
    ck_assert(!offers_cslices(device));
    cl_is(clCreateSubDevices(device, by_cslice, 0, NULL, &count),
          _i == NEO ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE);
}
END_TEST

START_TEST(tiles_are_made_of_cslices)
{
    cl_device_id tiles[2], slices[4];
    cl_uint count = 0, units = 0;
    cl_device_partition_property type[8];
    cl_queue_family_properties_intel list[8];
    cl_ulong memory[2];
    size_t size = 0;
    start_with_extension("intel-pvc", sets[_i]);
    ck_assert(has_extension("cl_orrery_cslice"));
    ck_assert(!offers_cslices(device)); /* two tiles: first by NUMA domain */
    cl_is(clCreateSubDevices(device, by_cslice, 0, NULL, &count), CL_INVALID_VALUE);
    if (_i == 2) /* PoCL splits by numbers alone */
        return;
    cl_ok(clCreateSubDevices(device, numa, 2, tiles, NULL));
    ck_assert(offers_cslices(tiles[0]));
    cl_ok(clCreateSubDevices(tiles[0], by_cslice, 0, NULL, &count));
    ck_assert_uint_eq(count, 4);
    cl_ok(clCreateSubDevices(tiles[0], by_cslice, 4, slices, NULL));
    for (int i = 0; i < 4; i++) {
        cl_ok(clGetDeviceInfo(slices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        ck_assert_uint_eq(units, 112);
        cl_ok(clGetDeviceInfo(slices[i], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
        ck_assert_uint_eq(size, sizeof by_cslice);
        ck_assert_mem_eq(type, by_cslice, size);
        ck_assert_uint_eq(families_of(slices[i], list), 1);
        ck_assert(!offers_cslices(slices[i]));
    }
    /* Slices return the tile's value for shared resources; there is no affinity in them. */
    cl_ok(clGetDeviceInfo(tiles[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof *memory, &memory[0], NULL));
    cl_ok(clGetDeviceInfo(slices[0], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof *memory, &memory[1], NULL));
    ck_assert_uint_eq(memory[0], memory[1]);
    const cl_device_partition_property more[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 1, 0};
    cl_is(clCreateSubDevices(tiles[0], more, 0, NULL, &count), CL_INVALID_VALUE);
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseDevice(slices[i]));
    cl_ok(clReleaseDevice(tiles[0]));
    cl_ok(clReleaseDevice(tiles[1]));
}
END_TEST

START_TEST(one_cslice_is_no_partition)
{
    cl_uint count;
    start_with_extension("tile:1 cslice:1 cu:8", "cts");
    ck_assert(!offers_cslices(device));
    cl_is(clCreateSubDevices(device, by_cslice, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clCreateSubDevices(device,
                             (const cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 4, 0}, 0,
                             NULL, &count),
          CL_SUCCESS);
}
END_TEST

/* ---- variables of Intel's driver --------------------------------------------------------- */

static const struct {
    const char *modes;
    cl_uint slices; /* 0: no platform */
} ccs[] = {
    {"0:4", 4}, {"0:2", 2},     {"0:1", 1},  {"", 4},     {"default", 4},
    {"1:2", 4}, {"1:1,0:2", 2}, {"0:8", 4},  {"4", 0},    {"0:0", 0},
    {"0:", 0},  {"0:2,", 0},    {"0:2x", 0}, {"0:-1", 0}, {"0:4294967298", 0},
};

START_TEST(modes_set_the_cslices_of_the_preset)
{
    cl_device_id tiles[2];
    cl_queue_family_properties_intel list[8];
    cl_platform_id found[8];
    cl_uint count = 0;
    setenv("ZEX_NUMBER_OF_CCS", ccs[_i].modes, 1);
    setenv("ORRERY_TOPOLOGY", "intel-pvc", 1);
    if (!ccs[_i].slices) {
        int kept = dup(2);
        ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
        clGetPlatformIDs(8, found, &count);
        dup2(kept, 2);
        for (cl_uint i = 0; i < count; i++) {
            char name[64] = "";
            clGetPlatformInfo(found[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
            ck_assert_str_ne(name, "Orrery");
        }
        return;
    }
    start("intel-pvc", "cts");
    cl_ok(clCreateSubDevices(device, numa, 2, tiles, NULL));
    families_of(tiles[0], list);
    ck_assert_uint_eq(list[0].count, ccs[_i].slices);
    cl_ok(clReleaseDevice(tiles[0]));
    cl_ok(clReleaseDevice(tiles[1]));
}
END_TEST

START_TEST(modes_are_of_no_concern_to_other_machines)
{
    cl_queue_family_properties_intel list[8];
    setenv("ZEX_NUMBER_OF_CCS", "0:2", 1);
    setenv("ZE_FLAT_DEVICE_HIERARCHY", "FLAT", 1);
    start("tile:1 cslice:4 cu:2", "cts");
    families_of(device, list);
    ck_assert_uint_eq(list[0].count, 4);
}
END_TEST

START_TEST(a_flat_hierarchy_lists_tiles)
{
    cl_device_id found[4], parent;
    cl_uint count = 0, units = 0;
    cl_queue_family_properties_intel list[8];
    if (_i == 0)
        setenv("ORRERY_DEVICE_HIERARCHY", "flat", 1);
    else
        setenv("ZE_FLAT_DEVICE_HIERARCHY", _i == 1 ? "FLAT" : "COMBINED", 1);
    start("intel-pvc", "cts");
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 4, found, &count));
    ck_assert_uint_eq(count, 2);
    for (int i = 0; i < 2; i++) {
        cl_ok(clGetDeviceInfo(found[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        ck_assert_uint_eq(units, 448);
        cl_ok(clGetDeviceInfo(found[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        ck_assert_ptr_null(parent);
        ck_assert_uint_eq(families_of(found[i], list), 3);
    }
    cl_is(clCreateSubDevices(found[0], numa, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
}
END_TEST

/* Two cards of two tiles: what the mask leaves of them, and which cards the modes mean then. */
static const struct {
    const char *mask, *modes, *hierarchy;
    const char *want; /* units/slices of what is listed */
} masks[] = {
    {"0.1,1.0", "0:4,1:2", "COMPOSITE", "448/4 448/2"},
    {"1", "0:2", "COMPOSITE", "896/1"},
    {"1.1", "0:2", "COMPOSITE", "448/2"},
    {"0.0,0.1,1.0", "1:1", "COMPOSITE", "896/1 448/1"},
    {"", "", "COMPOSITE", "896/1 896/1"},
    {"1,2", "0:2", "FLAT", "448/2 448/4"},
    {"0,1,2,3", "1:2", "FLAT", "448/4 448/4 448/2 448/2"},
    {"5", "", "COMPOSITE", ""},
    {"0.x", "", "COMPOSITE", ""},
    {"0.1", "", "FLAT", ""},
    {"4294967296", "", "FLAT", ""}, /* more than 32 bits: not tile 0 */
    {"-1", "", "FLAT", ""},
    {"0.-4294967295", "", "COMPOSITE", ""},
};

START_TEST(masks_hide_devices_and_tiles)
{
    static const char yaml[] = "orrery: 1\ndevices: [{topology: intel-pvc}, {topology: intel-pvc}]\n";
    char path[] = "/tmp/check_queue_family.XXXXXX", text[100] = "";
    int file = mkstemp(path), kept = dup(2);
    cl_platform_id found[8];
    cl_device_id devices[8];
    cl_uint count = 0, listed = 0, units;
    cl_queue_family_properties_intel list[8];
    ck_assert(file >= 0 && write(file, yaml, sizeof yaml - 1) == sizeof yaml - 1);
    setenv("ORRERY_SCENARIO", path, 1);
    setenv("ZE_AFFINITY_MASK", masks[_i].mask, 1);
    setenv("ZEX_NUMBER_OF_CCS", masks[_i].modes, 1);
    setenv("ZE_FLAT_DEVICE_HIERARCHY", masks[_i].hierarchy, 1);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    clGetPlatformIDs(8, found, &count);
    dup2(kept, 2);
    unlink(path);
    for (cl_uint i = 0; i < count; i++) {
        char name[64] = "";
        clGetPlatformInfo(found[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strcmp(name, "Orrery"))
            cl_ok(clGetDeviceIDs(found[i], CL_DEVICE_TYPE_ALL, 8, devices, &listed));
    }
    for (cl_uint i = 0; i < listed; i++) {
        cl_ok(clGetDeviceInfo(devices[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
        families_of(devices[i], list);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u/%u", i ? " " : "", units,
                 list[0].count);
    }
    ck_assert_str_eq(text, masks[_i].want);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue families");
    TCase *tests = tcase_create("families"), *slices = tcase_create("cslices");
    tcase_add_loop_test(tests, a_tile_has_an_engine_per_cslice_and_two_that_copy, 0, 3);
    tcase_add_test(tests, other_devices_have_no_families);
    tcase_add_test(tests, only_whole_tiles_have_them_all);
    tcase_add_loop_test(tests, families_and_indices_are_checked, 0, SET_COUNT);
    tcase_add_test(tests, queue_info_has_family_and_index);
    tcase_add_loop_test(tests, copy_queues_copy, 0, SET_COUNT);
    tcase_add_loop_test(tests, each_capability_is_for_its_commands, 0, CAPABILITY_COUNT);
    tcase_add_loop_test(tests, events_and_waits_are_capabilities, 0, SYNCHRONISATION_COUNT * SET_COUNT);
    tcase_add_test(tests, two_queues_on_a_slice_are_reported_of);
    tcase_add_test(tests, timeline_shows_queues_that_share_a_slice);
    tcase_add_test(tests, overlapping_partitions_and_foreign_contexts_are_reported_of);
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(slices, cslices_are_off_by_default, 0, SET_COUNT);
    tcase_add_loop_test(slices, tiles_are_made_of_cslices, 0, SET_COUNT);
    tcase_add_test(slices, one_cslice_is_no_partition);
    tcase_add_loop_test(slices, modes_set_the_cslices_of_the_preset, 0, sizeof ccs / sizeof *ccs);
    tcase_add_test(slices, modes_are_of_no_concern_to_other_machines);
    tcase_add_loop_test(slices, a_flat_hierarchy_lists_tiles, 0, 3);
    tcase_add_loop_test(slices, masks_hide_devices_and_tiles, 0, sizeof masks / sizeof *masks);
    suite_add_tcase(suite, slices);
    return cl_run_suite(suite);
}
