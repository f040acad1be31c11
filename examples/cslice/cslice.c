/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partitions a device into compute slices, as sycl_ext_intel_cslice describes it, in OpenCL:
 *
 *   1. A device that offers cslices is split into them. One of several tiles does not: it is
 *      first split by NUMA domain, and each tile then by cslice.
 *   2. Each cslice sub-device gets a queue of its own, so that kernels do not conflict.
 *   3. The same without sub-devices, as the OpenCL driver does it: a queue of the tile with a
 *      queue family and an index, which stands for a cslice.
 *
 *     ORRERY_TOPOLOGY=intel-pvc ZEX_NUMBER_OF_CCS=0:2 ./cslice
 *
 * Part 1 and 2 need cl_orrery_cslice (the scenario has cslice_partition); part 3 does not.
 * Exit status 1: no Orrery; 2: no device of it has cslices.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_orrery_cslice.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 64, ITEMS = 1024 };

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "cslice: %s: error %d\n", what, err);
    exit(1);
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    clGetPlatformIDs(32, platforms, &count);
    for (cl_uint i = 0; i < count && i < 32; i++) {
        char name[64] = "";
        cl_device_id device;
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (!strcmp(name, "Orrery") && !clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL))
            return device;
    }
    fprintf(stderr, "cslice: no platform called Orrery\n");
    exit(1);
}

static cl_uint units_of(cl_device_id device)
{
    cl_uint units = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL), "compute units");
    return units;
}

/* info::device::partition_properties has ext_intel_partition_by_cslice */
static bool offers_cslices(cl_device_id device)
{
    cl_device_partition_property list[16];
    size_t size = 0;
    check(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size),
          "partition properties");
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i] == CL_DEVICE_PARTITION_BY_CSLICE_ORRERY)
            return true;
    return false;
}

/* create_sub_devices<...>(): as many as there are */
static cl_uint split(cl_device_id device, const cl_device_partition_property *list,
                     cl_device_id parts[PARTS_MAX])
{
    cl_uint count = 0;
    if (clCreateSubDevices(device, list, 0, NULL, &count) || count > PARTS_MAX)
        return 0;
    check(clCreateSubDevices(device, list, count, parts, NULL), "clCreateSubDevices");
    return count;
}

static void release(cl_device_id *parts, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        check(clReleaseDevice(parts[i]), "clReleaseDevice");
}

/* ---- work -------------------------------------------------------------------------- */

static const char source[] = "kernel void fill(global int *a, int value)\n"
                             "{\n"
                             "    a[get_global_id(0)] = value + (int)get_global_id(0);\n"
                             "}\n";

static cl_kernel make_kernel(cl_context context)
{
    const char *text = source;
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "fill", &err);
    check(err, "clCreateKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    return kernel;
}

static cl_mem submit(cl_command_queue queue, cl_context context, cl_kernel kernel, cl_int value)
{
    const size_t items = ITEMS;
    cl_int err;
    cl_mem memory = clCreateBuffer(context, CL_MEM_WRITE_ONLY, ITEMS * sizeof(cl_int), NULL, &err);
    check(err, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    return memory;
}

static void collect(cl_command_queue queue, cl_mem memory, cl_int value)
{
    static cl_int result[ITEMS];
    bool right = true;
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (cl_int i = 0; i < ITEMS; i++)
        right &= result[i] == value + i;
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(right ? CL_SUCCESS : CL_INVALID_VALUE, "the result of a kernel");
}

/* Kernels on all queues at once, then their results. */
static void run(cl_context context, cl_command_queue *queues, cl_uint count)
{
    cl_mem memory[PARTS_MAX];
    cl_kernel kernel = make_kernel(context);
    for (cl_uint i = 0; i < count; i++) {
        memory[i] = submit(queues[i], context, kernel, 1000 * (cl_int)i);
        check(clFlush(queues[i]), "clFlush");
    }
    for (cl_uint i = 0; i < count; i++)
        collect(queues[i], memory[i], 1000 * (cl_int)i);
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

/* ---- 2: a queue on each sub-device ---------------------------------------------------- */

static void use_sub_devices(cl_device_id *slices, cl_uint count)
{
    cl_command_queue queues[PARTS_MAX];
    cl_int err;
    cl_context context = clCreateContext(NULL, count, slices, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (cl_uint i = 0; i < count; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, slices[i], NULL, &err);
        check(err, "clCreateCommandQueueWithProperties");
    }
    run(context, queues, count);
    printf("    kernels ran on %u queues, one for each sub-device\n", count);
    for (cl_uint i = 0; i < count; i++)
        check(clReleaseCommandQueue(queues[i]), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
}

/* ---- 3: a queue on each index of the compute family ------------------------------------ */

static cl_uint compute_queues(cl_device_id tile, cl_uint *out_family)
{
    cl_queue_family_properties_intel families[8];
    size_t size = 0;
    if (clGetDeviceInfo(tile, CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL, sizeof families, families, &size))
        return 0;
    for (cl_uint i = 0; i < size / sizeof *families; i++)
        if (families[i].capabilities == CL_QUEUE_DEFAULT_CAPABILITIES_INTEL) {
            *out_family = i;
            return families[i].count;
        }
    return 0;
}

static void use_queue_indices(cl_device_id tile)
{
    cl_command_queue queues[PARTS_MAX];
    cl_uint family = 0, count = compute_queues(tile, &family);
    cl_int err;
    if (!count)
        return;
    cl_context context = clCreateContext(NULL, 1, &tile, NULL, NULL, &err);
    check(err, "clCreateContext");
    for (cl_uint i = 0; i < count; i++) {
        const cl_queue_properties list[] = {CL_QUEUE_FAMILY_INTEL, family, CL_QUEUE_INDEX_INTEL, i, 0};
        queues[i] = clCreateCommandQueueWithProperties(context, tile, list, &err);
        check(err, "clCreateCommandQueueWithProperties");
    }
    run(context, queues, count);
    printf("    kernels ran on %u queues, one for each index of family %u\n", count, family);
    for (cl_uint i = 0; i < count; i++)
        check(clReleaseCommandQueue(queues[i]), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
}

/* ---- 1: tiles, then cslices --------------------------------------------------------------- */

static bool use_tile(cl_device_id tile)
{
    const cl_device_partition_property by_cslice[] = {CL_DEVICE_PARTITION_BY_CSLICE_ORRERY, 0, 0};
    cl_device_id slices[PARTS_MAX];
    cl_uint family, engines = compute_queues(tile, &family);
    cl_uint count = offers_cslices(tile) ? split(tile, by_cslice, slices) : 0;
    if (count) {
        printf("    %u cslices of %u compute units\n", count, units_of(slices[0]));
        use_sub_devices(slices, count);
        release(slices, count);
    }
    use_queue_indices(tile);
    return count || engines > 1;
}

int main(void)
{
    const cl_device_partition_property by_tile[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                    CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_id device = find_device(), tiles[PARTS_MAX];
    bool found = false;
    cl_uint count = offers_cslices(device) ? 0 : split(device, by_tile, tiles);
    printf("device of %u compute units: %s\n", units_of(device), count ? "tiles first" : "one tile");
    for (cl_uint i = 0; i < count; i++) {
        printf("  tile %u of %u compute units\n", i, units_of(tiles[i]));
        found |= use_tile(tiles[i]);
    }
    if (!count)
        found = use_tile(device);
    release(tiles, count);
    if (!found)
        printf("no cslices: errc::feature_not_supported\n");
    return found ? 0 : 2;
}
