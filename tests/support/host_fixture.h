/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the tests of the host at memory that commands use start from: races are looked for, and two
 *          buffers' worth of kernels is built.
 *
 * Interface
 *   host_set_up(severity, pages, source)   of races; "true": pages are closed. After it: host_program
 *   host_launch            a kernel whose arguments are set; the kernel is released, the event the caller's
 *   host_map, host_unmap   `count` of int from `first`, of a buffer
 *   host_reported(expected)    everything is over, and there are so many findings, all of them about the host
 *   host_poll              until the status is that or less: a status orders nothing
 */
#ifndef ORRERY_TESTS_SUPPORT_HOST_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_HOST_FIXTURE_H

#include "fail_at.h"
#include "cl_fixture.h"

#include <orrery/orrery.h>

static cl_program host_program;

static inline void host_set_up(const char *severity, const char *pages, const char *source)
{
    cl_int err;
    setenv("ORRERY_SHARED_PAGES", pages, 1);
    setenv("ORRERY_DATA_RACES", severity, 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    cl_set_up();
    host_program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(host_program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
}

static inline cl_kernel host_kernel(const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(host_program, name, &err);
    cl_ok(err);
    return kernel;
}

static inline cl_event host_launch(cl_command_queue on, cl_kernel kernel, size_t items, const cl_event *after)
{
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, after != NULL, after, &event));
    cl_ok(clReleaseKernel(kernel));
    return event;
}

static inline cl_int *host_map(cl_mem of, cl_bool blocking, cl_map_flags flags, size_t first, size_t count,
                               cl_event *event)
{
    cl_int err;
    cl_int *mapped = clEnqueueMapBuffer(queue, of, blocking, flags, first * sizeof *mapped,
                                        count * sizeof *mapped, 0, NULL, event, &err);
    cl_ok(err);
    return mapped;
}

static inline void host_unmap(cl_mem of, void *pointer)
{
    cl_ok(clEnqueueUnmapMemObject(queue, of, pointer, 0, NULL, NULL));
}

/* When all is complete there are so many findings, all about the host. */
#define host_reported(expected) host_reported_at(__FILE__, __LINE__, expected)
static inline void host_reported_at(const char *file, int line, size_t expected)
{
    cl_ok(clFinish(queue));
    const size_t of_host = orrery_finding_count_of("race-host-device"), all = orrery_finding_count();
    if (of_host != expected || all != expected)
        fail_at(file, line, "found %zu race-host-device among %zu findings, expected %zu and no other", of_host,
                all, expected);
}

static inline void host_poll(cl_event event, cl_int wanted)
{
    cl_int status;
    do
        cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    while (status > wanted);
}

#endif
