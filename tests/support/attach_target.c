/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For check_attach.sh: launches a kernel repeatedly until its argument's file exists, and prints whether each
 * launch had the right result.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static const char *source = "int add(int value, int more)\n"
                            "{\n"
                            "    return value + more;\n"
                            "}\n"
                            "kernel void k(global int *data)\n"
                            "{\n"
                            "    int i = get_global_id(0);\n"
                            "    data[i] = add(i + 1, data[i]);\n"
                            "}\n";

enum { ITEMS = 4, PAUSE_US = 20000 };

static bool launch_once(cl_command_queue queue, cl_kernel kernel, cl_mem buffer)
{
    const size_t size = ITEMS;
    const cl_int before[ITEMS] = {1, 2, 3, 4};
    cl_int after[ITEMS] = {0};
    bool right = true;
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof before, before, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof after, after, 0, NULL, NULL);
    for (int i = 0; i < ITEMS; i++)
        right = right && after[i] == 2 * (i + 1);
    return right;
}

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    bool right = true;
    int launches = 0;
    if (count < 2 || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 2;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = clCreateBuffer(context, 0, ITEMS * sizeof(cl_int), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    do {
        right = launch_once(queue, kernel, buffer) && right;
        launches++;
        usleep(PAUSE_US);
    } while (access(words[1], F_OK) != 0);
    printf(right ? "all launches were right\n" : "a launch was wrong\n");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return right && launches ? 0 : 1;
}
