/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands and the host, ordered and not. Five mistakes, each with its fix:
 *
 *   host_order queues            two kernels on an out-of-order queue, the second reads what the first writes
 *   host_order map               a map that does not block, and its pointer is used at once
 *   host_order polling           the host polls a flag in coarse-grained shared virtual memory
 *   host_order reading           the host looks into its memory while a read that does not block may fill it
 *   host_order after            the host looks into the memory that a buffer was made with, without a map
 *   host_order queues fixed      ... with the event in the wait list, the wait, the map
 *
 *   orrery run -- ./host_order queues
 *   orrery run --shared-pages -- ./host_order reading
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void fill(global int *data) { data[get_global_id(0)] = 1; }\n"
                             "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n";
enum { COUNT = 4096 }; /* of int: pages are closed as wholes */

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel fill, twice;

static void need(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "host_order: %s: error %d\n", what, err);
    exit(1);
}

static void set_up(void)
{
    cl_int err;
    cl_platform_id platform;
    const char *text = source;
    const cl_queue_properties unordered[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    need(clGetPlatformIDs(1, &platform, NULL), "no platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    need(err, "no context");
    queue = clCreateCommandQueueWithProperties(context, device, unordered, &err);
    need(err, "no queue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    need(err, "no program");
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "the program does not build");
    fill = clCreateKernel(program, "fill", &err);
    need(err, "no kernel");
    twice = clCreateKernel(program, "twice", &err);
    need(err, "no kernel");
}

static cl_event run(cl_kernel kernel, cl_uint wait_count, const cl_event *waits)
{
    const size_t count = COUNT;
    cl_event event;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, wait_count, waits, &event), "cannot run");
    return event;
}

static cl_mem buffer_for_both(void *memory)
{
    cl_int err;
    const cl_mem_flags flags = memory ? CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR : CL_MEM_READ_WRITE;
    cl_mem buffer = clCreateBuffer(context, flags, COUNT * sizeof(cl_int), memory, &err);
    need(err, "no buffer");
    need(clSetKernelArg(fill, 0, sizeof buffer, &buffer), "no argument");
    need(clSetKernelArg(twice, 0, sizeof buffer, &buffer), "no argument");
    return buffer;
}

static cl_int queues(bool fixed)
{
    cl_int result;
    cl_mem buffer = buffer_for_both(NULL);
    cl_event filled = run(fill, 0, NULL);
    cl_event doubled = run(twice, fixed ? 1 : 0, fixed ? &filled : NULL);
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 1, &doubled, NULL), "cannot read");
    need(clFinish(queue), "cannot finish");
    return result;
}

static cl_int map(bool fixed)
{
    cl_int err;
    cl_mem buffer = buffer_for_both(NULL);
    cl_event filled = run(fill, 0, NULL), mapped;
    const cl_int *data = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, COUNT * sizeof *data, 1, &filled,
                                            &mapped, &err);
    need(err, "cannot map");
    if (fixed)
        need(clWaitForEvents(1, &mapped), "cannot wait");
    cl_int result = data[0];
    need(clEnqueueUnmapMemObject(queue, buffer, (void *)(size_t)data, 1, &mapped, NULL), "cannot unmap");
    need(clFinish(queue), "cannot finish");
    return result;
}

static cl_int polling(bool fixed)
{
    size_t size = COUNT * sizeof(cl_int);
    cl_int *data = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0), result = 0;
    need(data ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "no shared virtual memory");
    need(clSetKernelArgSVMPointer(fill, 0, data), "no argument");
    cl_event filled = run(fill, 0, NULL), unmapped;
    need(clFlush(queue), "cannot flush");
    if (fixed) {
        need(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, data, size, 1, &filled, NULL), "cannot map");
        result = data[0];
        need(clEnqueueSVMUnmap(queue, data, 0, NULL, &unmapped), "cannot unmap");
    } else {
        while (!result)
            result = *(volatile cl_int *)data;
    }
    need(clFinish(queue), "cannot finish");
    clSVMFree(context, data);
    return result;
}

static cl_int *memory_for_all(void)
{
    cl_int *data = calloc(COUNT, sizeof *data);
    need(data ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "no memory");
    return data;
}

static cl_int reading(bool fixed)
{
    cl_int *data = memory_for_all();
    cl_mem buffer = buffer_for_both(NULL);
    cl_event filled = run(fill, 0, NULL), read;
    need(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, COUNT * sizeof *data, data, 1, &filled, &read), "cannot read");
    if (fixed)
        need(clWaitForEvents(1, &read), "cannot wait");
    cl_int result = data[COUNT / 2];
    need(clFinish(queue), "cannot finish");
    free(data);
    return result;
}

static cl_int after(bool fixed)
{
    cl_int err, result, *data = memory_for_all();
    cl_mem buffer = buffer_for_both(data);
    run(fill, 0, NULL);
    need(clFinish(queue), "cannot finish");
    if (fixed) {
        const cl_int *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, COUNT * sizeof *mapped, 0, NULL, NULL,
                                                  &err);
        need(err, "cannot map");
        result = mapped[COUNT / 2];
        need(clEnqueueUnmapMemObject(queue, buffer, (void *)(size_t)mapped, 0, NULL, NULL), "cannot unmap");
    } else {
        result = data[COUNT / 2];
    }
    need(clFinish(queue), "cannot finish");
    need(clReleaseMemObject(buffer), "cannot release");
    free(data);
    return result;
}

static const struct { const char *name; cl_int (*run)(bool fixed); } mistakes[] = {
    {"queues", queues}, {"map", map}, {"polling", polling}, {"reading", reading}, {"after", after}};

int main(int argc, char **argv)
{
    bool fixed = argc > 2 && !strcmp(argv[2], "fixed");
    const char *which = argc > 1 ? argv[1] : "queues";
    size_t at = 0;
    while (at < sizeof mistakes / sizeof *mistakes && strcmp(mistakes[at].name, which) != 0)
        at++;
    if (at == sizeof mistakes / sizeof *mistakes) {
        fprintf(stderr, "host_order: there is no mistake '%s'\n", which);
        return 2;
    }
    set_up();
    printf("%s: %d\n", which, mistakes[at].run(fixed));
    return 0;
}
