/* SPDX-License-Identifier: Apache-2.0 */
/* A read that does not block, and by what the program learns that it is complete: the argument, or "nothing". */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complete;
static void CL_CALLBACK note_complete(cl_event event, cl_int status, void *unused)
{
    (void)event, (void)status, (void)unused;
    __atomic_store_n(&complete, 1, __ATOMIC_RELEASE);
}

static void ok(cl_int err)
{
    if (err)
        exit(3);
}

static void learn(const char *how, cl_command_queue queue, cl_mem buffer, cl_event event)
{
    cl_int status = CL_QUEUED, one;
    if (strcmp(how, "finish") == 0)
        ok(clFinish(queue));
    else if (strcmp(how, "wait") == 0)
        ok(clWaitForEvents(1, &event));
    else if (strcmp(how, "later_read") == 0)
        ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL));
    else if (strcmp(how, "callback") == 0)
        ok(clSetEventCallback(event, CL_COMPLETE, note_complete, NULL));
    ok(clFlush(queue));
    while (strcmp(how, "query") == 0 && status > CL_COMPLETE)
        ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    while (strcmp(how, "callback") == 0 && !__atomic_load_n(&complete, __ATOMIC_ACQUIRE))
        ;
}

int main(int argc, char **argv)
{
    int read[16] = {0}, zero = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_event event;
    cl_int err;
    ok(clGetPlatformIDs(1, &platform, NULL));
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_mem buffer = clCreateBuffer(context, 0, sizeof read, NULL, &err);
    ok(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, sizeof read, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof read, read, 0, NULL, &event));
    learn(argc > 1 ? argv[1] : "nothing", queue, buffer, event);
    printf("%d\n", read[3]);
    ok(clReleaseEvent(event));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    return 0;
}
