/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A program whose kernel is right under most schedules. It ends with 1 when an update was lost:
 *          `orrery run --seeds 0..99` finds a seed where it is, and the smallest schedule that loses one.
 *
 * Usage    lost_update KERNEL.cl
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { GROUP_COUNT = 4, TEXT_BYTES = 1 << 16 };

static void need(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "lost_update: %s failed with %d\n", call, error);
    exit(2);
}

static cl_program build_program(cl_context context, cl_device_id device, const char *path)
{
    static char text[TEXT_BYTES];
    const char *source = text;
    cl_int error;
    FILE *file = fopen(path, "rb");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
        fprintf(stderr, "lost_update: %s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    need(error, "clCreateProgramWithSource");
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    return program;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: lost_update KERNEL.cl\n");
        return 2;
    }
    cl_int error, total = 0;
    cl_platform_id platform;
    cl_device_id device;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "clCreateCommandQueue");
    cl_program program = build_program(context, device, argv[1]);
    cl_kernel kernel = clCreateKernel(program, "count", &error);
    need(error, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof total, &total, &error);
    need(error, "clCreateBuffer");
    need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");

    const size_t global = GROUP_COUNT, local = 1;
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("counted %d of %d\n", total, GROUP_COUNT);

    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return total == GROUP_COUNT ? 0 : 1;
}
