/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  For tests of kernels on several queues that share atomics, with what these order found or not:
 *          check_inter_launch.c, check_inter_launch_host.c.
 *
 * Interface
 *   set_up, tear_down, finish   three queues, the buffers data and out; all three have nothing to do
 *   build, drop                 kernels one, next and last, of what is between their braces; HEAD has flags
 *                               and how they are used
 *   run                         two work-items in one work-group
 *   new_gate, open_gate         a user event
 *   await                       until it is complete, with no synchronization point
 */
#ifndef ORRERY_TESTS_SUPPORT_INTER_LAUNCH_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_INTER_LAUNCH_FIXTURE_H

#include <stdio.h>

#include "finding_fixture.h"

static cl_command_queue second, third;
static cl_mem data, out;

static inline void set_up(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_SUB_GROUP_SIZES", "8,16", 1);
    finding_set_up();
    second = cl_new_queue(context, 0);
    third = cl_new_queue(context, 0);
    data = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    out = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
}

static inline void finish(void)
{
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(third));
}

static inline void tear_down(void)
{
    finish();
    cl_ok(clReleaseMemObject(data));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(clReleaseCommandQueue(third));
    cl_tear_down();
}

#define HEAD                                                                                                \
    "global atomic_int flag = ATOMIC_VAR_INIT(0), other = ATOMIC_VAR_INIT(0), done = ATOMIC_VAR_INIT(0);\n" \
    "#define STORE(x, how, scope) atomic_store_explicit(&x, 1, memory_order_##how, memory_scope_##scope)\n" \
    "#define LOAD(x, how, scope) atomic_load_explicit(&x, memory_order_##how, memory_scope_##scope)\n"      \
    "#define PLAIN (global atomic_int *)data\n"                                                             \
    "#define RELEASE(x) STORE(x, release, device)\n"                                                        \
    "#define ACQUIRE(x) LOAD(x, acquire, device)\n"                                                         \
    "#define FENCE(how) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##how, "                  \
    "memory_scope_device)\n"

struct kernels {
    cl_program program;
    cl_kernel one, next, last;
};

static inline cl_kernel take(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof data, &data));
    cl_ok(clSetKernelArg(kernel, 1, sizeof out, &out));
    return kernel;
}

static inline struct kernels build(const char *one, const char *other, const char *last)
{
    char source[4096];
    snprintf(source, sizeof source,
             HEAD "kernel void one(global int *data, global int *out) { %s }\n"
                  "kernel void next(global int *data, global int *out) { %s }\n"
                  "kernel void last(global int *data, global int *out) { %s }\n",
             one, other, last);
    struct kernels kernels = {.program = cl_program_of(context, source, "-cl-std=CL2.0")};
    kernels.one = take(kernels.program, "one");
    kernels.next = take(kernels.program, "next");
    kernels.last = take(kernels.program, "last");
    return kernels;
}

static inline void drop(const struct kernels *kernels)
{
    cl_ok(clReleaseKernel(kernels->one));
    cl_ok(clReleaseKernel(kernels->next));
    cl_ok(clReleaseKernel(kernels->last));
    cl_ok(clReleaseProgram(kernels->program));
}

/* Two work-items in one work-group. */
static inline cl_event run(cl_command_queue on, cl_kernel kernel, cl_uint count, const cl_event *waits)
{
    const size_t size = 2;
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &size, &size, count, count ? waits : NULL, &event));
    cl_ok(clFlush(on));
    return event;
}

/* That is no synchronization point. */
static inline void await(cl_event event)
{
    while (cl_status(event) != CL_COMPLETE)
        ;
}

#define FIRST "if (get_local_id(0) == 0) "
#define COPIED(what) "local int lines[2]; event_t copy = async_work_group_copy(" what ", 2, 0); "
#define WAITED "wait_group_events(1, &copy); "
#define WAIT_FOR(load) "if (get_local_id(0)) return; while (!" load ") ; "
#define READ_EARLY(load) "if (get_local_id(0)) return; out[0] = data[0]; while (!" load ") ; "

static inline cl_event new_gate(void)
{
    cl_int err;
    const cl_event gate = clCreateUserEvent(context, &err);
    cl_ok(err);
    return gate;
}

static inline void open_gate(cl_event gate)
{
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
}

#endif
