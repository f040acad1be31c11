/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A program for check_debug.sh: while its first kernel runs, commands of a second queue wait for a
 *          user event.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void add(global int *sum)\n"
                             "{\n"
                             "    sum[get_global_id(0)] += 1;\n"
                             "}\n";

struct host {
    cl_context context;
    cl_command_queue first, second;
    cl_kernel kernel;
    cl_mem buffer;
};

static void need(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed with %d\n", call, error);
    exit(2);
}

static void set_up(struct host *host)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    const char *text = source;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    host->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    host->first = clCreateCommandQueue(host->context, device, 0, &error);
    host->second =
        clCreateCommandQueue(host->context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    need(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(host->context, 1, &text, NULL, &error);
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    host->kernel = clCreateKernel(program, "add", &error);
    need(error, "clCreateKernel");
    clReleaseProgram(program);
    host->buffer = clCreateBuffer(host->context, CL_MEM_READ_WRITE, 4 * sizeof(cl_int), NULL, &error);
    need(clSetKernelArg(host->kernel, 0, sizeof host->buffer, &host->buffer), "clSetKernelArg");
}

static void launch(const struct host *host, cl_command_queue queue, const cl_event *after)
{
    const size_t global = 4, local = 2;
    need(clEnqueueNDRangeKernel(queue, host->kernel, 1, NULL, &global, &local, after != NULL, after, NULL),
         "clEnqueueNDRangeKernel");
}

int main(void)
{
    struct host host;
    cl_event go, filled;
    const cl_int zero = 0, one = 1;
    set_up(&host);
    need(clEnqueueFillBuffer(host.first, host.buffer, &zero, sizeof zero, 0, 4 * sizeof zero, 0, NULL, NULL),
         "clEnqueueFillBuffer");
    go = clCreateUserEvent(host.context, NULL);
    need(clEnqueueFillBuffer(host.second, host.buffer, &one, sizeof one, 0, 4 * sizeof one, 1, &go, &filled),
         "clEnqueueFillBuffer");
    launch(&host, host.second, &filled);
    launch(&host, host.first, NULL);
    need(clFinish(host.first), "clFinish");
    need(clSetUserEventStatus(go, CL_COMPLETE), "clSetUserEventStatus");
    need(clFinish(host.second), "clFinish");
    clReleaseEvent(go);
    clReleaseEvent(filled);
    clReleaseMemObject(host.buffer);
    clReleaseKernel(host.kernel);
    clReleaseCommandQueue(host.second);
    clReleaseCommandQueue(host.first);
    clReleaseContext(host.context);
    return 0;
}
