/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run by check_host_threads.sh: four threads push a digit each onto the end of one buffer, on queues of their
 * own, with a user event and a callback between; the program prints their order. Chance decides, unless it is
 * replayed.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 6, PLACES = THREADS * ROUNDS + ROUNDS };

static const char source[] = "kernel void push(global int *a, int who) { a[1 + a[0]++] = who; }";
static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_mem buffer;
static _Atomic int called;
static int early; /* the last thread ends the program half-way */

static void check(cl_int err, const char *what)
{
    if (err == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

/* Its length is chance. */
static void dawdle(unsigned *state)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *state = *state * 1103515245u + (unsigned)now.tv_nsec;
    struct timespec pause = {0, (long)(*state >> 8) % 300000};
    nanosleep(&pause, NULL);
}

static void push(cl_command_queue queue, cl_kernel kernel, cl_int number, cl_uint waits, const cl_event *wait,
                 cl_event *event)
{
    const size_t one = 1;
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof number, &number), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, waits, wait, event),
          "clEnqueueNDRangeKernel");
}

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    cl_int err;
    (void)event;
    (void)status;
    cl_command_queue queue = data;
    cl_kernel kernel = clCreateKernel(program, "push", &err);
    check(err, "clCreateKernel");
    push(queue, kernel, 9, 0, NULL, NULL);
    clReleaseKernel(kernel);
    atomic_fetch_add(&called, 1);
}

static void *work(void *data)
{
    cl_int err, number = (cl_int)(size_t)data;
    unsigned state = (unsigned)number;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(err, "clCreateCommandQueueWithProperties");
    cl_kernel kernel = clCreateKernel(program, "push", &err);
    check(err, "clCreateKernel");
    for (int i = 0; i < ROUNDS; i++) {
        if (early && number == THREADS - 1 && i == ROUNDS / 2)
            _exit(5);
        cl_event gate = clCreateUserEvent(context, &err), event;
        dawdle(&state);
        push(queue, kernel, number, 1, &gate, &event);
        if (number == 1)
            check(clSetEventCallback(event, CL_COMPLETE, on_complete, queue), "clSetEventCallback");
        dawdle(&state);
        check(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
        check(i % 2 ? clFinish(queue) : clWaitForEvents(1, &event), "wait");
        clReleaseEvent(gate);
        clReleaseEvent(event);
    }
    while (number == 1 && atomic_load(&called) < ROUNDS)
        dawdle(&state);
    check(clFinish(queue), "clFinish");
    clReleaseKernel(kernel);
    clReleaseCommandQueue(queue);
    return NULL;
}

int main(int argc, char **argv)
{
    cl_int err, result[1 + PLACES] = {0};
    cl_platform_id platform;
    const char *text = source;
    pthread_t threads[THREADS];
    if (!getenv("ORRERY_WATCH")) /* by itself, as a test */
        setenv("ORRERY_CHECKS", "fast", 0); /* some of its user events are never set */
    early = argc > 1 && strcmp(argv[1], "early") == 0;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    check(err, "clCreateContext");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    check(err, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof result, result, &err);
    check(err, "clCreateBuffer");
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 1; i <= result[0]; i++)
        printf("%d", result[i]);
    printf("\n");
    clReleaseCommandQueue(queue);
    clReleaseMemObject(buffer);
    clReleaseProgram(program);
    clReleaseContext(context);
    return 0;
}
