/* SPDX-License-Identifier: Apache-2.0 */
/* A test that any OpenCL device passes: sums the numbers from 0 to 63 with the kernel of a file, and compares. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static void need(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s failed with %d\n", call, error);
    exit(2);
}

static cl_kernel build(cl_context context, const char *path)
{
    cl_int error;
    static char text[1 << 16];
    const char *strings[] = {text};
    FILE *file = fopen(path, "rb");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    cl_program program = clCreateProgramWithSource(context, 1, strings, NULL, &error);
    need(error, "clCreateProgramWithSource");
    need(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "sum", &error);
    need(error, "clCreateKernel");
    return kernel;
}

int main(int argc, char **argv)
{
    enum { COUNT = 64 };
    const size_t count = COUNT;
    cl_int in[COUNT], out = 0;
    cl_platform_id platform;
    cl_device_id device;
    if (argc != 2) {
        fprintf(stderr, "usage: %s KERNEL.cl\n", argv[0]);
        return 2;
    }
    for (cl_int i = 0; i < COUNT; i++)
        in[i] = i;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_kernel kernel = build(context, argv[1]);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    need(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    need(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    need(clSetKernelArg(kernel, 2, sizeof in, NULL), "clSetKernelArg");
    need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &count, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    need(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL), "clEnqueueReadBuffer");
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("sum %d\n", out);
    return out == COUNT * (COUNT - 1) / 2 ? 0 : 1;
}
