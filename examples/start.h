/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The set-up that all examples share: the first device, a queue, and one kernel of a file.
 *
 * Interface
 *   need    ends the program with status 2 when a call failed
 *   start   everything up to the kernel
 *   new_argument   a buffer, set as an argument
 *   run     the kernel on so many work-items, then its buffer is read; returns when that is done
 *   stop    releases it all
 */
#ifndef ORRERY_EXAMPLES_START_H
#define ORRERY_EXAMPLES_START_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

struct start {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
};

static void need(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed with %d\n", call, error);
    exit(2);
}

static char *read_file(const char *path)
{
    enum { MOST = 1 << 16 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MOST);
    if (!file || !text || fread(text, 1, MOST - 1, file) == 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    return text;
}

static cl_program build(const struct start *start, const char *path, const char *options)
{
    cl_int error;
    char log[4096] = "", *text = read_file(path);
    cl_program program = clCreateProgramWithSource(start->context, 1, (const char **)&text, NULL, &error);
    need(error, "clCreateProgramWithSource");
    free(text);
    error = clBuildProgram(program, 1, &start->device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        clGetProgramBuildInfo(program, start->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
    }
    need(error, "clBuildProgram");
    return program;
}

/* The path is the program's only argument. */
static void start(struct start *out_start, int argc, char **argv, const char *options, const char *kernel)
{
    cl_int error;
    cl_platform_id platform;
    if (argc != 2) {
        fprintf(stderr, "usage: %s KERNEL.cl\n", argv[0]);
        exit(2);
    }
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &out_start->device, NULL), "clGetDeviceIDs");
    out_start->context = clCreateContext(NULL, 1, &out_start->device, NULL, NULL, &error);
    need(error, "clCreateContext");
    out_start->queue = clCreateCommandQueue(out_start->context, out_start->device, 0, &error);
    need(error, "clCreateCommandQueue");
    out_start->program = build(out_start, argv[1], options);
    out_start->kernel = clCreateKernel(out_start->program, kernel, &error);
    need(error, "clCreateKernel");
}

/* data: what it begins with; NULL: nothing. */
static cl_mem new_argument(const struct start *start, cl_uint index, cl_mem_flags flags, size_t size, void *data)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(start->context, flags | (data ? CL_MEM_COPY_HOST_PTR : 0), size, data, &error);
    need(error, "clCreateBuffer");
    need(clSetKernelArg(start->kernel, index, sizeof buffer, &buffer), "clSetKernelArg");
    return buffer;
}

static void run(const struct start *start, size_t global, size_t local, cl_mem result, size_t size, void *out_data)
{
    need(clEnqueueNDRangeKernel(start->queue, start->kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(start->queue, result, CL_TRUE, 0, size, out_data, 0, NULL, NULL), "clEnqueueReadBuffer");
}

static void stop(struct start *start)
{
    clReleaseKernel(start->kernel);
    clReleaseProgram(start->program);
    clReleaseCommandQueue(start->queue);
    clReleaseContext(start->context);
}

#endif
