/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of misuse share: commands that take a while, and whose memory may be freed too early. */
#ifndef ORRERY_TESTS_SUPPORT_USAGE_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_USAGE_FIXTURE_H

#include "finding_fixture.h"

static const cl_uint one = 1;

static inline void tear_down(void)
{
    cl_ok(clFinish(queue));
    cl_tear_down();
}

static inline void fill(cl_mem buffer)
{
    cl_ok(clEnqueueFillBuffer(queue, buffer, &one, 4, 0, 16, 0, NULL, NULL));
}

static inline void *shared_fill(cl_event *event)
{
    void *shared = clSVMAlloc(context, 0, 64, 0);
    ck_assert_ptr_nonnull(shared);
    cl_ok(clEnqueueSVMMemFill(queue, shared, &one, 4, 64, 0, NULL, event));
    return shared;
}

static inline void CL_CALLBACK free_it(cl_event event, cl_int status, void *shared)
{
    (void)event;
    (void)status;
    clSVMFree(context, shared);
}

static inline cl_kernel kernel_of(const char *source)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

#endif
