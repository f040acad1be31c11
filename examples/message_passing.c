/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Work-group 0 passes a value to work-group 1 through a flag, whose memory scope holds one work-group only. It
 *          prints 42 on most devices; under Orrery it ends with a finding that says what the scope must be.
 *
 * Usage    message_passing KERNEL.cl
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { ITEM_COUNT = 1 };

static void need(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "message_passing: %s failed with %d\n", call, error);
    exit(1);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *text = calloc(1, 1 << 16);
    if (!text || fread(text, 1, (1 << 16) - 1, file) == 0) {
        fprintf(stderr, "message_passing: %s is empty\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static cl_program build_program(cl_context context, cl_device_id device, const char *path)
{
    cl_int error;
    char *text = read_file(path);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    need(error, "clCreateProgramWithSource");
    free(text);
    error = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (error != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
    }
    need(error, "clBuildProgram");
    return program;
}

static cl_mem new_buffer(cl_context context, cl_mem_flags flags, void *data)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, flags, ITEM_COUNT * sizeof(cl_int), data, &error);
    need(error, "clCreateBuffer");
    return buffer;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: message_passing KERNEL.cl\n");
        return 2;
    }
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "clCreateCommandQueue");
    cl_program program = build_program(context, device, argv[1]);
    cl_kernel kernel = clCreateKernel(program, "mp", &error);
    need(error, "clCreateKernel");

    cl_int zero = 0, result = 0;
    cl_mem buffers[3]; /* data, flag, out */
    for (cl_uint i = 0; i < 3; i++) {
        buffers[i] = new_buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &zero);
        need(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]), "clSetKernelArg");
    }
    size_t global = 128, local = 64;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("%d\n", result);

    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
