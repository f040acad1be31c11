/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the runtime costs beside the kernels: CPU time to a ready context and queue, of the first build, of a launch
 * with its finish, of launches finished together, of a small write and read. Printed, not judged: machines differ.
 * The wanted figures stand beside those that have one.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LAUNCHES = 20000 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffer;

static double cpu_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void start(void)
{
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
}

static void build(void)
{
    const char *source = "kernel void nothing(void) {}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    kernel = clCreateKernel(program, "nothing", NULL);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
}

static void launch(void)
{
    const size_t one = 1;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
}

static void launch_and_finish(void)
{
    launch();
    clFinish(queue);
}

static void launch_with_event(void)
{
    const size_t one = 1;
    cl_event event;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event);
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
}

static void write_and_read(void)
{
    char bytes[64] = "x";
    clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
}

static void measure(const char *what, void (*step)(void), int count, const char *wanted)
{
    const double before = cpu_microseconds();
    for (int i = 0; i < count; i++)
        step();
    if (step == launch)
        clFinish(queue);
    printf("%-28s %10.2f us CPU%s\n", what, (cpu_microseconds() - before) / count, wanted);
}

int main(void)
{
    printf("%-28s %10.2f us CPU\n", "the process before", cpu_microseconds());
    measure("to a context and a queue", start, 1, "   wanted: below 5000");
    measure("build", build, 1, "");
    measure("first launch and finish", launch_and_finish, 1, "");
    measure("launch and finish", launch_and_finish, LAUNCHES, "   wanted: below 20");
    measure("launch, wait for its event", launch_with_event, LAUNCHES, "");
    measure("launches finished together", launch, LAUNCHES, "");
    measure("write and read 64 bytes", write_and_read, LAUNCHES, "");
    return 0;
}
