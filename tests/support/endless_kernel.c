/* SPDX-License-Identifier: Apache-2.0 */
/* For check_interrupt.sh: runs a kernel that does not end; "handler": with a handler of its own for SIGINT.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *source = "kernel void g(global int *o)\n"
                            "{\n"
                            "    for (int i = 0;; i++)\n"
                            "        o[get_global_id(0)] = i;\n"
                            "}\n";

static void own_handler(int signal_number)
{
    (void)signal_number;
    _exit(7);
}

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    const size_t size = 8;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "g", NULL);
    cl_mem buffer = clCreateBuffer(context, 0, size * sizeof(cl_int), NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    if (count > 1 && strcmp(words[1], "handler") == 0)
        signal(SIGINT, own_handler);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    clFinish(queue);
    return 0;
}
