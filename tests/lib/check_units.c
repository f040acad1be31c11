/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compute units that kernels really run on: an observer receives every work-group that begins while host
 * calls make sub-devices and queues. The library is linked in, so that the observer can be attached; the
 * calls are the exported ones.
 */
#include "tests/support/cl_fixture.h"

#include <CL/cl_ext.h>
#include <stdio.h>
#include <unistd.h>

#include "CL/cl_orrery_cslice.h"
#include "lib/api_runtime.h"

enum { UNITS_MAX = 4096 };
static bool used[UNITS_MAX];
static uint32_t device_seen;

static void on_launch(void *self, const struct launch_event *event)
{
    (void)self;
    if (event->phase == LAUNCH_BEGIN)
        device_seen = event->launch->device;
    if (event->phase != GROUP_BEGIN)
        return;
    ck_assert_uint_lt(event->compute_unit, UNITS_MAX);
    used[event->compute_unit] = true;
}

/* Accesses have their unit, too. */
static void on_access(void *self, const struct access_event *event)
{
    (void)self;
    used[event->origin.compute_unit] = true;
}

static void start(const char *topology)
{
    static const struct observer observer = {.launch = on_launch, .access = on_access};
    setenv("ORRERY_TOPOLOGY", topology, 1);
    setenv("ORRERY_SCHEDULE", "serial", 1);
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    device_add_observer(runtime_device(), &observer);
}

static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = get_group_id(0); }";

static cl_kernel make_kernel(cl_context owner)
{
    const char *text = source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(owner, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

/* Twice as many groups as the whole machine has units. */
static void run(cl_command_queue on, cl_kernel kernel, size_t groups)
{
    cl_mem memory = cl_buffer(context, 0, groups * sizeof(cl_int), NULL);
    const size_t one = 1;
    memset(used, 0, sizeof used);
    cl_ok(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &groups, &one, 0, NULL, NULL));
    cl_ok(clFinish(on));
    cl_ok(clReleaseMemObject(memory));
}

static cl_uint units_of(cl_device_id id)
{
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

/* Runs on a device made within the context of the root; leaves what was used in used. */
static cl_uint run_on(cl_device_id id, cl_kernel kernel, size_t groups)
{
    cl_int err;
    cl_uint count = 0;
    cl_command_queue on = clCreateCommandQueue(context, id, 0, &err);
    cl_ok(err);
    run(on, kernel, groups);
    ck_assert_uint_eq(device_seen, ((struct cl_device *)id)->base.id);
    cl_ok(clReleaseCommandQueue(on));
    for (size_t i = 0; i < UNITS_MAX; i++)
        count += used[i];
    return count;
}

static const char *const topologies[] = {"tiny",       "cu:7",      "dual-socket", "four-numa-l4",
                                         "eight-tile", "odd-sizes", "asymmetric"};
static const cl_device_partition_property lists[][8] = {
    {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
    {CL_DEVICE_PARTITION_EQUALLY, 3, 0},
    {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0},
    {CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, 2, 0, 0},
    {CL_DEVICE_PARTITION_BY_NAMES_INTEL, 5, 0, 2, -1, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 0},
    {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0},
};
enum { TOPOLOGY_COUNT = sizeof topologies / sizeof *topologies, LIST_COUNT = sizeof lists / sizeof *lists };

/* Every part uses all of its units, units of its parent, and none of another part; to the depth of two. */
static void check_parts(cl_device_id parent, const bool *of_parent, cl_kernel kernel, size_t groups,
                        int depth)
{
    for (size_t list = 0; list < LIST_COUNT; list++) {
        cl_device_id made[64];
        bool taken[UNITS_MAX] = {false};
        cl_uint count = 0;
        if (clCreateSubDevices(parent, lists[list], 64, made, &count))
            continue;
        for (cl_uint i = 0; i < count; i++) {
            bool own[UNITS_MAX];
            ck_assert_uint_eq(run_on(made[i], kernel, groups), units_of(made[i]));
            for (size_t unit = 0; unit < UNITS_MAX; unit++) {
                ck_assert_msg(!used[unit] || (of_parent[unit] && !taken[unit]), "list %zu, part %u: unit %zu",
                              list, i, unit);
                taken[unit] |= used[unit];
            }
            memcpy(own, used, sizeof own);
            if (depth > 0 && i == count / 2)
                check_parts(made[i], own, kernel, groups, depth - 1);
        }
        for (cl_uint i = 0; i < count; i++)
            cl_ok(clReleaseDevice(made[i]));
    }
}

START_TEST(parts_use_their_own_units)
{
    bool all[UNITS_MAX];
    start(topologies[_i]);
    context = cl_new_context();
    cl_kernel kernel = make_kernel(context);
    size_t groups = 2 * (size_t)units_of(device);
    ck_assert_uint_eq(run_on(device, kernel, groups), units_of(device));
    memcpy(all, used, sizeof all);
    check_parts(device, all, kernel, groups, 1);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
}
END_TEST

static void uses_exactly(const char *what, uint32_t first, uint32_t count)
{
    for (uint32_t unit = 0; unit < UNITS_MAX; unit++)
        ck_assert_msg(used[unit] == (unit >= first && unit < first + count), "%s: unit %u is %sused", what,
                      unit, used[unit] ? "" : "not ");
}

START_TEST(units_are_those_of_the_list)
{
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 2, 5, 1, 0, 0};
    const cl_device_partition_property names[] = {CL_DEVICE_PARTITION_BY_NAMES_INTEL, 4, 1, -1, 0};
    const cl_device_partition_property l2[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0};
    cl_device_id made[5], part;
    start("numa:2 l2:2 cu:4");
    context = cl_new_context();
    cl_kernel kernel = make_kernel(context);
    cl_ok(clCreateSubDevices(device, counts, 3, made, NULL));
    const uint32_t first[] = {0, 2, 7}, size[] = {2, 5, 1};
    for (int i = 0; i < 3; i++) {
        run_on(made[i], kernel, 64);
        uses_exactly("counts", first[i], size[i]);
    }
    /* Names count within the device: 4 and 1 of units 2 to 6. */
    cl_ok(clCreateSubDevices(made[1], names, 1, &part, NULL));
    ck_assert_uint_eq(run_on(part, kernel, 64), 2);
    ck_assert(used[3] && used[6]);
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseDevice(made[i]));
    cl_ok(clReleaseDevice(part));
    cl_ok(clCreateSubDevices(device, l2, 4, made, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        run_on(made[i], kernel, 64);
        uses_exactly("l2", 4 * i, 4);
        cl_ok(clReleaseDevice(made[i]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
}
END_TEST

/* ---- several roots ------------------------------------------------------------------------ */

START_TEST(roots_have_their_own_units)
{
    static const char yaml[] =
        "orrery: 1\ndevices:\n"
        "  - {topology: \"cu:3\"}\n  - {topology: \"numa:2 cu:2\", name: second}\n  - {topology: \"cu:1\"}\n";
    char path[] = "/tmp/check_units.XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, yaml, sizeof yaml - 1) == sizeof yaml - 1);
    setenv("ORRERY_SCENARIO", path, 1);
    static const struct observer observer = {.launch = on_launch};
    setenv("ORRERY_SCHEDULE", "serial", 1);
    cl_device_id roots[4], parts[2];
    cl_uint count = 0;
    cl_int err;
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, roots, &count));
    ck_assert_uint_eq(count, 3);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(device, roots[0]);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, roots, &count));
    ck_assert_uint_eq(count, 3);
    device_add_observer(runtime_device(), &observer);
    context = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = make_kernel(context);
    run_on(roots[0], kernel, 20);
    uses_exactly("first root", 0, 3);
    run_on(roots[1], kernel, 20);
    uses_exactly("second root", 3, 4);
    run_on(roots[2], kernel, 20);
    uses_exactly("third root", 7, 1);
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_ok(clCreateSubDevices(roots[1], numa, 2, parts, NULL));
    run_on(parts[1], kernel, 20);
    uses_exactly("part of the second root", 5, 2);
    cl_ok(clReleaseDevice(parts[0]));
    cl_ok(clReleaseDevice(parts[1]));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
    unlink(path);
}
END_TEST

/* ---- cslices --------------------------------------------------------------------------------- */

static cl_command_queue on_slice(cl_device_id id, cl_uint family, cl_uint index)
{
    const cl_queue_properties list[] = {CL_QUEUE_FAMILY_INTEL, family, CL_QUEUE_INDEX_INTEL, index, 0};
    cl_int err;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, id, list, &err);
    cl_ok(err);
    return made;
}

enum { SLICE = 112, TILE = 448 };
static const cl_device_partition_property numa_list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                         CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};

START_TEST(an_index_is_a_slice)
{
    cl_device_id tiles[2];
    cl_int err;
    start("intel-pvc");
    cl_ok(clCreateSubDevices(device, numa_list, 2, tiles, NULL));
    context = clCreateContext(NULL, 2, tiles, NULL, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = make_kernel(context);
    for (cl_uint index = 0; index < 4; index++) {
        cl_command_queue slice = on_slice(tiles[1], 0, index);
        run(slice, kernel, 1000);
        uses_exactly("slice of tile 1", TILE + index * SLICE, SLICE);
        cl_ok(clReleaseCommandQueue(slice));
    }
    /* A queue that names none gets the first: the others' units are not lent. */
    run_on(tiles[0], kernel, 1000);
    uses_exactly("tile 0", 0, SLICE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
    context = cl_new_context();
    kernel = make_kernel(context);
    ck_assert_uint_eq(run_on(device, kernel, 2000), 2 * SLICE);
    ck_assert(used[0] && used[SLICE - 1] && !used[SLICE] && used[TILE] && !used[TILE + SLICE]);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(tiles[0]));
    cl_ok(clReleaseDevice(tiles[1]));
}
END_TEST

/* Another seed is another process: the same indices, other slices, still one each. */
START_TEST(seeds_permute_slices)
{
    cl_device_id tiles[2], slices[4];
    char seed[20];
    uint32_t where[4], taken = 0;
    cl_int err;
    snprintf(seed, sizeof seed, "%d", _i);
    setenv("ORRERY_CSLICE_SEED", seed, 1);
    start("intel-pvc");
    cl_ok(clCreateSubDevices(device, numa_list, 2, tiles, NULL));
    context = clCreateContext(NULL, 1, tiles, NULL, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = make_kernel(context);
    for (cl_uint index = 0; index < 4; index++) {
        cl_command_queue slice = on_slice(tiles[0], 0, index);
        run(slice, kernel, 1000);
        for (where[index] = 0; !used[where[index] * SLICE]; where[index]++)
            ;
        uses_exactly("permuted", where[index] * SLICE, SLICE);
        taken |= 1u << where[index];
        cl_ok(clReleaseCommandQueue(slice));
    }
    ck_assert_uint_eq(taken, 15);
    if (_i == 0)
        ck_assert(where[0] == 0 && where[1] == 1 && where[2] == 2 && where[3] == 3);
    if (_i == 1) /* not every seed moves something; this one does */
        ck_assert(where[0] != 0 || where[1] != 1 || where[2] != 2);
    /* The sub-devices of the simulator's extension are the same slices. */
    const cl_device_partition_property by_cslice[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 0, 0};
    cl_ok(clCreateSubDevices(tiles[0], by_cslice, 4, slices, NULL));
    for (cl_uint index = 0; index < 4; index++) {
        run_on(slices[index], kernel, 1000);
        uses_exactly("sub-device", where[index] * SLICE, SLICE);
        cl_ok(clReleaseDevice(slices[index]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(tiles[0]));
    cl_ok(clReleaseDevice(tiles[1]));
}
END_TEST

/* ---- the selector ------------------------------------------------------------------------------ */

START_TEST(selected_parts_run_on_their_units)
{
    cl_uint count = 0;
    cl_device_id found[4];
    cl_int err;
    setenv("ORRERY_DEVICE_SELECTOR", "0.1.2,0.0", 1);
    start("intel-pvc");
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, found, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(units_of(found[0]), SLICE);
    ck_assert_uint_eq(units_of(found[1]), TILE);
    context = clCreateContext(NULL, 1, found, NULL, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = make_kernel(context);
    run_on(found[0], kernel, 1000);
    uses_exactly("0.1.2", TILE + 2 * SLICE, SLICE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseContext(context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("compute units");
    TCase *tests = tcase_create("units");
    setenv("ORRERY_QUIET", "1", 0);
    char path[] = "/tmp/check_units.yaml.XXXXXX";
    static const char yaml[] = "orrery: 1\ndevice: {features: {cslice_partition: true}}\n";
    int file = mkstemp(path);
    if (file < 0 || write(file, yaml, sizeof yaml - 1) != sizeof yaml - 1)
        return EXIT_FAILURE;
    setenv("ORRERY_SCENARIO", path, 1);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, parts_use_their_own_units, 0, TOPOLOGY_COUNT);
    tcase_add_test(tests, units_are_those_of_the_list);
    tcase_add_test(tests, roots_have_their_own_units);
    tcase_add_test(tests, an_index_is_a_slice);
    tcase_add_loop_test(tests, seeds_permute_slices, 0, 4);
    tcase_add_test(tests, selected_parts_run_on_their_units);
    suite_add_tcase(suite, tests);
    int status = cl_run_suite(suite);
    unlink(path);
    return status;
}
