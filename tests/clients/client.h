/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What host programs of other people's libraries start from here: a queue on the
 *          device called Orrery, buffers with deterministic contents, a verdict.
 *
 * Interface
 *   client_open, client_close    client_context, client_device, client_queue
 *   client_buffer, client_get    make a buffer from host memory, read one back
 *   client_random                reproducible numbers in [-1, 1)
 *   client_near                  judges one array, prints one line
 *   client_status                what main returns
 */
#ifndef ORRERY_TESTS_CLIENT_H
#define ORRERY_TESTS_CLIENT_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_device_id client_device;
static cl_context client_context;
static cl_command_queue client_queue;
static int client_failures;
static uint32_t client_seed = 7;

#define CLIENT_OK(call) client_demand((call) == CL_SUCCESS, #call)

static inline void client_demand(int holds, const char *what)
{
    if (holds)
        return;
    printf("FAILED  %s\n", what);
    exit(1);
}

static inline void client_open(void)
{
    cl_platform_id platforms[16], chosen = NULL;
    cl_uint count = 0;
    CLIENT_OK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Orrery") == 0)
            chosen = platforms[i];
    }
    client_demand(chosen != NULL, "a platform called Orrery");
    CLIENT_OK(clGetDeviceIDs(chosen, CL_DEVICE_TYPE_ALL, 1, &client_device, NULL));
    client_context = clCreateContext(NULL, 1, &client_device, NULL, NULL, NULL);
    client_demand(client_context != NULL, "a context");
    client_queue = clCreateCommandQueueWithProperties(client_context, client_device, NULL, NULL);
    client_demand(client_queue != NULL, "a queue");
}

static inline void client_close(void)
{
    CLIENT_OK(clReleaseCommandQueue(client_queue));
    CLIENT_OK(clReleaseContext(client_context));
}

static inline cl_mem client_buffer(const void *from, size_t bytes)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem made = clCreateBuffer(client_context, flags, bytes, (void *)(uintptr_t)from, NULL);
    client_demand(made != NULL, "a buffer");
    return made;
}

static inline void client_get(cl_mem buffer, void *to, size_t bytes)
{
    CLIENT_OK(clEnqueueReadBuffer(client_queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static inline double client_random(void)
{
    client_seed = client_seed * 1664525u + 1013904223u;
    return (double)(client_seed >> 8) / (1 << 23) - 1;
}

/* Largest absolute difference; NaN counts as far. */
static inline void client_near(const char *what, const double *found, const double *wanted, size_t count,
                               double tolerance)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fabs(found[i] - wanted[i]);
        if (!(distance <= worst))
            worst = distance;
    }
    const int good = worst <= tolerance;
    client_failures += !good;
    printf("%s  %s: largest difference %.3g, allowed %.3g\n", good ? "ok    " : "FAILED", what, worst,
           tolerance);
}

static inline int client_status(void)
{
    return client_failures ? 1 : 0;
}

#endif
