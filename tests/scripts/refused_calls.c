/* SPDX-License-Identifier: Apache-2.0 */
/* For check_refused_note.sh: makes the wrong calls that its arguments name, and ignores the results. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a kernel whose arguments are not set, but the first; and of one that needs more local memory than
 * there is. */
static void launch(cl_context context, cl_command_queue queue, cl_mem buffer, int local)
{
    static const char *source = "kernel void f(local float *t, global float *o, int n) { o[0] = t[n]; }";
    const size_t size = 1, bytes = (size_t)1 << 30;
    const cl_int n = 0;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    clSetKernelArg(kernel, 0, local ? bytes : 4, NULL);
    if (local) {
        clSetKernelArg(kernel, 1, sizeof buffer, &buffer);
        clSetKernelArg(kernel, 2, sizeof n, &n);
    }
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* A program that does not build, after a first line that only warns; a handle that is no memory object; a
 * kernel that is enqueued, and nothing after it; and one that is enqueued for no work-items. */
static void mistake(cl_context context, cl_command_queue queue, const char *which)
{
    static const char *wrong = "#warning first\nkernel void f(global int *o)\n{\n    o[0] = nobody;\n}\n",
                      *right = "kernel void f(global int *o) {}";
    const size_t size = 1;
    const int fails = strcmp(which, "build") == 0;
    cl_program program = clCreateProgramWithSource(context, 1, fails ? &wrong : &right, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    if (!fails) {
        cl_kernel kernel = clCreateKernel(program, "f", NULL);
        clSetKernelArg(kernel, 0, sizeof queue, strcmp(which, "object") == 0 ? (void *)&queue : NULL);
        if (strcmp(which, "enqueue") == 0)
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
        if (strcmp(which, "empty") == 0)
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){0}, NULL, 0, NULL, NULL);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

/* Each command waits for three before it, of other queues: the ways from the last one to the user event are more
 * than can be followed. */
static void wait_in_a_web(cl_context context, cl_device_id device, cl_event gate)
{
    enum { COMMANDS = 100, WAITS = 3 };
    cl_event events[COMMANDS] = {gate};
    for (cl_uint i = 1; i < COMMANDS; i++) {
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
        const cl_uint count = i < WAITS ? i : WAITS;
        clEnqueueMarkerWithWaitList(queue, count, &events[i - count], &events[i]);
        clFlush(queue);
    }
    clWaitForEvents(1, &events[COMMANDS - 1]);
}

/* Waits for ever: for a user event that is not set, directly or through a command of another queue; or for a
 * semaphore that is not signalled. */
static void wait_for_ever(cl_context context, cl_device_id device, cl_command_queue queue, const char *which)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_platform_id platform;
    cl_command_queue other = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_event gate = clCreateUserEvent(context, NULL), marker;
    clGetPlatformIDs(1, &platform, NULL);
    if (strcmp(which, "gate") == 0)
        clWaitForEvents(1, &gate);
    if (strcmp(which, "chain") == 0) {
        clEnqueueMarkerWithWaitList(other, 1, &gate, &marker);
        clFlush(other);
        clEnqueueMarkerWithWaitList(queue, 1, &marker, NULL);
        clFinish(queue);
    }
    if (strcmp(which, "web") == 0)
        wait_in_a_web(context, device, gate);
    clCreateSemaphoreWithPropertiesKHR_fn create =
        (clCreateSemaphoreWithPropertiesKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clCreateSemaphoreWithPropertiesKHR");
    clEnqueueWaitSemaphoresKHR_fn wait =
        (clEnqueueWaitSemaphoresKHR_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                                "clEnqueueWaitSemaphoresKHR");
    cl_semaphore_khr semaphore = create(context, properties, NULL);
    wait(queue, 1, &semaphore, NULL, 0, NULL, NULL);
    clFinish(queue);
}

static void ask_times(cl_command_queue queue)
{
    cl_event marker;
    cl_ulong start;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
    clWaitForEvents(1, &marker);
    clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clReleaseEvent(marker);
}

static volatile int called;

static void CL_CALLBACK set_called(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    called = 1;
}

static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *queue)
{
    cl_event more;
    (void)event, (void)status;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &more);
    clSetEventCallback(more, CL_COMPLETE, set_called, NULL);
}

/* Waits for ever for a callback, since nothing flushes the queue: directly, or since another callback does not. */
static void wait_for_callback(cl_command_queue queue, bool nested)
{
    cl_event marker;
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);
    clSetEventCallback(marker, CL_COMPLETE, nested ? enqueue_more : set_called, queue);
    if (nested)
        clFlush(queue);
    while (!called)
        usleep(1000);
}

int main(int count, char **words)
{
    cl_platform_id platform;
    cl_device_id device;
    char text[1];
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "release") == 0)
            clReleaseMemObject((cl_mem)queue);
        else if (strcmp(words[i], "buffer") == 0)
            clCreateBuffer(context, 0, 0, NULL, NULL);
        else if (strcmp(words[i], "local") == 0 || strcmp(words[i], "unset") == 0)
            launch(context, queue, buffer, words[i][0] == 'l');
        else if (strcmp(words[i], "overlap") == 0)
            clEnqueueCopyBuffer(queue, buffer, buffer, 0, 1, 2, 0, NULL, NULL);
        else if (strcmp(words[i], "times") == 0)
            ask_times(queue);
        else if (strcmp(words[i], "native") == 0)
            clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL);
        else if (strcmp(words[i], "read") == 0)
            clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, text, 0, NULL, NULL);
        else if (strcmp(words[i], "build") == 0 || strcmp(words[i], "object") == 0 ||
                 strcmp(words[i], "empty") == 0)
            mistake(context, queue, words[i]);
        else if (strcmp(words[i], "gate") == 0 || strcmp(words[i], "chain") == 0 ||
                 strcmp(words[i], "web") == 0 || strcmp(words[i], "semaphore") == 0)
            wait_for_ever(context, device, queue, words[i]);
        else if (strcmp(words[i], "callback") == 0 || strcmp(words[i], "nested") == 0)
            wait_for_callback(queue, strcmp(words[i], "nested") == 0);
        else if (strcmp(words[i], "enqueue") == 0) {
            mistake(context, queue, words[i]);
            return 0; /* a release would flush */
        } else if (strcmp(words[i], "query") == 0)
            clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
        else if (strcmp(words[i], "abort") == 0)
            abort();
        else if (strcmp(words[i], "_exit") == 0)
            _exit(0);
    }
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
