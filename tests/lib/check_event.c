/* SPDX-License-Identifier: Apache-2.0 */
/* Events: queries, user events, failure, callbacks, profiling. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cl_fixture.h"

/* ---- queries ------------------------------------------------------------------------ */

START_TEST(clGetEventInfo_returns_its_values)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_command_queue of_queue = NULL;
    cl_context of_context = NULL;
    cl_command_type type = 0;
    cl_uint references = 0;
    size_t size = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof of_queue, &of_queue, &size));
    ck_assert_ptr_eq(of_queue, queue);
    ck_assert_uint_eq(size, sizeof of_queue);
    cl_ok(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof of_context, &of_context, NULL));
    ck_assert_ptr_eq(of_context, context);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_NATIVE_KERNEL);
    cl_ok(clRetainEvent(event));
    cl_ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 2);
    cl_ok(clReleaseEvent(event));
    cl_ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 1);
    cl_is(cl_status(event), CL_QUEUED);
    cl_ok(clFinish(queue));
    cl_is(cl_status(event), CL_COMPLETE);
    cl_is(clGetEventInfo(event, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clGetEventInfo(event, CL_EVENT_CONTEXT, 1, &of_context, NULL), CL_INVALID_VALUE);
    cl_is(clGetEventInfo(NULL, CL_EVENT_CONTEXT, 0, NULL, NULL), CL_INVALID_EVENT);
    cl_is(clGetEventInfo((cl_event)queue, CL_EVENT_CONTEXT, 0, NULL, NULL), CL_INVALID_EVENT);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(every_command_has_its_type)
{
    static const cl_command_type expected[] = {
        CL_COMMAND_WRITE_BUFFER,
        CL_COMMAND_READ_BUFFER,
        CL_COMMAND_COPY_BUFFER,
        CL_COMMAND_FILL_BUFFER,
        CL_COMMAND_MAP_BUFFER,
        CL_COMMAND_UNMAP_MEM_OBJECT,
        CL_COMMAND_MIGRATE_MEM_OBJECTS,
        CL_COMMAND_MARKER,
        CL_COMMAND_BARRIER,
        CL_COMMAND_READ_BUFFER_RECT,
        CL_COMMAND_WRITE_BUFFER_RECT,
        CL_COMMAND_COPY_BUFFER_RECT,
    };
    enum { COUNT = sizeof expected / sizeof *expected };
    static const size_t zero[3], one[3] = {1, 1, 1}, far[3] = {32, 0, 0};
    cl_event event[COUNT] = {0};
    char bytes[64] = {0};
    cl_mem a = cl_buffer(context, 0, 64, NULL), b = cl_buffer(context, 0, 64, NULL);
    int i = 0;
    cl_ok(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, 64, bytes, 0, NULL, &event[i++]));
    cl_ok(clEnqueueReadBuffer(queue, a, CL_FALSE, 0, 64, bytes, 0, NULL, &event[i++]));
    cl_ok(clEnqueueCopyBuffer(queue, a, b, 0, 0, 64, 0, NULL, &event[i++]));
    cl_ok(clEnqueueFillBuffer(queue, a, bytes, 1, 0, 64, 0, NULL, &event[i++]));
    void *mapped = clEnqueueMapBuffer(queue, a, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, &event[i++], NULL);
    cl_ok(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, &event[i++]));
    cl_ok(clEnqueueMigrateMemObjects(queue, 1, &a, 0, 0, NULL, &event[i++]));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[i++]));
    cl_ok(clEnqueueBarrierWithWaitList(queue, 0, NULL, &event[i++]));
    cl_ok(clEnqueueReadBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL,
                                  &event[i++]));
    cl_ok(clEnqueueWriteBufferRect(queue, a, CL_FALSE, zero, zero, one, 0, 0, 0, 0, bytes, 0, NULL,
                                   &event[i++]));
    cl_ok(clEnqueueCopyBufferRect(queue, a, a, zero, far, one, 0, 0, 0, 0, 0, NULL, &event[i++]));
    ck_assert_int_eq(i, COUNT);
    cl_ok(clWaitForEvents(COUNT, event));
    for (i = 0; i < COUNT; i++) {
        cl_command_type type = 0;
        cl_ok(clGetEventInfo(event[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, expected[i]);
        cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
}
END_TEST

START_TEST(a_released_event_is_refused)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clReleaseEvent(event));
    cl_is(clReleaseEvent(event), CL_INVALID_EVENT);
    cl_is(clRetainEvent(event), CL_INVALID_EVENT);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(trace.count, 1);
}
END_TEST

START_TEST(an_event_outlives_its_queue)
{
    cl_command_queue own = cl_new_queue(context, 0);
    cl_event event = cl_trace(own, 1, 0, NULL);
    cl_ok(clFinish(own));
    cl_ok(clReleaseCommandQueue(own));
    cl_is(cl_status(event), CL_COMPLETE);
    cl_ok(clReleaseEvent(event));
}
END_TEST

/* ---- waiting ------------------------------------------------------------------------- */

START_TEST(clWaitForEvents_judges_its_arguments)
{
    cl_event pair[2] = {cl_user_event(context), cl_user_event(other_context)};
    cl_is(clWaitForEvents(0, pair), CL_INVALID_VALUE);
    cl_is(clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    cl_is(clWaitForEvents(1, (cl_event *)&queue), CL_INVALID_EVENT);
    cl_is(clWaitForEvents(2, pair), CL_INVALID_CONTEXT);
    cl_ok(clSetUserEventStatus(pair[0], -5));
    cl_is(clWaitForEvents(1, pair), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(pair[0]));
    cl_ok(clReleaseEvent(pair[1]));
}
END_TEST

/* ---- user events ------------------------------------------------------------------------ */

START_TEST(clCreateUserEvent_starts_as_submitted)
{
    cl_int err = 1;
    cl_command_queue of_queue = queue;
    cl_command_type type = 0;
    ck_assert_ptr_null(clCreateUserEvent(NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateUserEvent((cl_context)queue, NULL));
    cl_event event = cl_user_event(context);
    cl_is(cl_status(event), CL_SUBMITTED);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof of_queue, &of_queue, NULL));
    ck_assert_ptr_null(of_queue);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_USER);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(clSetUserEventStatus_judges_its_arguments)
{
    cl_event event = cl_user_event(context), command = cl_trace(queue, 1, 0, NULL);
    cl_is(clSetUserEventStatus(NULL, CL_COMPLETE), CL_INVALID_EVENT);
    cl_is(clSetUserEventStatus(command, CL_COMPLETE), CL_INVALID_EVENT);
    cl_is(clSetUserEventStatus(event, CL_SUBMITTED), CL_INVALID_VALUE);
    cl_is(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
    cl_is(clSetUserEventStatus(event, 77), CL_INVALID_VALUE);
    cl_ok(clSetUserEventStatus(event, CL_COMPLETE));
    cl_is(cl_status(event), CL_COMPLETE);
    cl_is(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_OPERATION);
    cl_is(clSetUserEventStatus(event, -1), CL_INVALID_OPERATION);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(command));
}
END_TEST

START_TEST(failed_event_ends_its_waiters)
{
    cl_event gate = cl_user_event(context);
    cl_event first = cl_trace(unordered, 1, 1, &gate), second = cl_trace(unordered, 2, 1, &first);
    cl_event third = cl_trace(unordered, 3, 0, NULL);
    char byte = 7;
    cl_mem buffer = cl_buffer(context, 0, 1, NULL);
    cl_ok(clFlush(unordered));
    cl_ok(clSetUserEventStatus(gate, -42));
    cl_is(clWaitForEvents(1, &second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(cl_status(gate), -42);
    cl_is(cl_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(cl_status(second), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clWaitForEvents(1, &third));
    ck_assert_int_eq(trace.count, 1);
    ck_assert_int_eq(trace.number[0], 3);
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 1, &gate, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 1, &second, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int err = 0;
    ck_assert_ptr_null(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 1, 1, &gate, NULL, &err));
    cl_is(err, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_int_eq(byte, 7);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(buffer));
    clReleaseEvent(gate), clReleaseEvent(first), clReleaseEvent(second), clReleaseEvent(third);
}
END_TEST

START_TEST(queue_order_does_not_pass_on_failure)
{
    cl_event gate = cl_user_event(context);
    cl_event first = cl_trace(queue, 1, 1, &gate), second = cl_trace(queue, 2, 0, NULL);
    cl_ok(clSetUserEventStatus(gate, -1));
    cl_ok(clFinish(queue));
    cl_is(cl_status(first), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(cl_status(second), CL_COMPLETE);
    clReleaseEvent(gate), clReleaseEvent(first), clReleaseEvent(second);
}
END_TEST

START_TEST(a_user_event_may_be_released_before_it_is_waited_for)
{
    cl_event gate = cl_user_event(context), event = cl_trace(queue, 1, 1, &gate);
    cl_ok(clRetainEvent(gate));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
}
END_TEST

/* ---- callbacks -------------------------------------------------------------------------- */

static struct {
    cl_event event;
    cl_int status;
    int number;
    pthread_t thread;
} calls[TRACE_MAX];
static int callback_count;
static sem_t callback_posted;

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    int at = callback_count++;
    calls[at].event = event;
    calls[at].status = status;
    calls[at].number = (int)(intptr_t)data;
    calls[at].thread = pthread_self();
    sem_post(&callback_posted);
}

static void listen(cl_event event, cl_int state, int number)
{
    cl_ok(clSetEventCallback(event, state, on_event, (void *)(intptr_t)number));
}

static void wait_callbacks(int count)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 10;
    for (int i = 0; i < count; i++)
        ck_assert_msg(sem_timedwait(&callback_posted, &limit) == 0, "only %d of %d callbacks came", i, count);
}

static void callback_set_up(void)
{
    cl_set_up();
    sem_init(&callback_posted, 0, 0);
}

START_TEST(clSetEventCallback_judges_its_arguments)
{
    cl_event event = cl_user_event(context);
    cl_is(clSetEventCallback(NULL, CL_COMPLETE, on_event, NULL), CL_INVALID_EVENT);
    cl_is(clSetEventCallback((cl_event)queue, CL_COMPLETE, on_event, NULL), CL_INVALID_EVENT);
    cl_is(clSetEventCallback(event, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clSetEventCallback(event, CL_QUEUED, on_event, NULL), CL_INVALID_VALUE);
    cl_is(clSetEventCallback(event, -1, on_event, NULL), CL_INVALID_VALUE);
    cl_is(clSetEventCallback(event, 9, on_event, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(callbacks_run_in_order_on_their_own_thread)
{
    cl_event a = cl_trace(queue, 1, 0, NULL), b = cl_trace(queue, 2, 0, NULL);
    listen(b, CL_COMPLETE, 6);
    listen(a, CL_COMPLETE, 4);
    listen(a, CL_RUNNING, 3);
    listen(a, CL_SUBMITTED, 1);
    listen(b, CL_SUBMITTED, 2);
    listen(b, CL_RUNNING, 5);
    cl_ok(clFinish(queue));
    wait_callbacks(6);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(calls[i].number, i + 1);
        ck_assert(!pthread_equal(calls[i].thread, pthread_self()));
        ck_assert(pthread_equal(calls[i].thread, calls[0].thread));
        ck_assert_ptr_eq(calls[i].event, i == 1 || i >= 4 ? b : a);
    }
    cl_is(calls[0].status, CL_SUBMITTED);
    cl_is(calls[2].status, CL_RUNNING);
    cl_is(calls[3].status, CL_COMPLETE);
    clReleaseEvent(a), clReleaseEvent(b);
}
END_TEST

START_TEST(callback_set_late_runs_at_once)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clFinish(queue));
    listen(event, CL_COMPLETE, 1);
    listen(event, CL_RUNNING, 2);
    listen(event, CL_SUBMITTED, 3);
    wait_callbacks(3);
    cl_is(calls[0].status, CL_COMPLETE);
    cl_is(calls[1].status, CL_RUNNING);
    cl_is(calls[2].status, CL_SUBMITTED);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(callbacks_of_user_events_run)
{
    cl_event event = cl_user_event(context);
    listen(event, CL_SUBMITTED, 1);
    wait_callbacks(1);
    listen(event, CL_COMPLETE, 2);
    listen(event, CL_RUNNING, 3);
    ck_assert_int_eq(callback_count, 1);
    cl_ok(clSetUserEventStatus(event, CL_COMPLETE));
    wait_callbacks(2);
    ck_assert_int_eq(calls[1].number, 2);
    cl_is(calls[1].status, CL_COMPLETE);
    ck_assert_int_eq(calls[2].number, 3);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(a_failure_reaches_every_callback)
{
    cl_event gate = cl_user_event(context), event = cl_trace(queue, 1, 1, &gate);
    listen(event, CL_COMPLETE, 1);
    listen(event, CL_RUNNING, 2);
    listen(gate, CL_COMPLETE, 3);
    cl_ok(clFlush(queue));
    cl_ok(clSetUserEventStatus(gate, -17));
    wait_callbacks(3);
    ck_assert_int_eq(calls[0].number, 3);
    cl_is(calls[0].status, -17);
    ck_assert_int_eq(calls[1].number, 1);
    cl_is(calls[1].status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(calls[2].status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clReleaseEvent(gate), clReleaseEvent(event);
}
END_TEST

static void CL_CALLBACK query(cl_event event, cl_int status, void *data)
{
    cl_int seen = 99;
    cl_command_type type = 0;
    (void)status;
    cl_int err = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof seen, &seen, NULL);
    if (!err)
        err = clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    *(cl_int *)data = err ? err : seen == CL_COMPLETE && type == CL_COMMAND_NATIVE_KERNEL ? 1 : 2;
    sem_post(&callback_posted);
}

START_TEST(an_event_is_good_inside_its_callback)
{
    cl_int answer = 99;
    cl_uint references = 0;
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, query, &answer));
    cl_ok(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 1);
    cl_ok(clReleaseEvent(event));
    cl_ok(clFinish(queue));
    wait_callbacks(1);
    ck_assert_int_eq(answer, 1);
}
END_TEST

static void CL_CALLBACK hold(cl_event event, cl_int status, void *until)
{
    (void)event, (void)status;
    sem_wait(until);
    sem_post(&callback_posted);
}

/* The second release is refused: what is left is the reference that Orrery has for the callback. */
START_TEST(an_event_released_too_often_waits_for_its_callback)
{
    sem_t until;
    cl_int answer = 99;
    cl_event first = cl_trace(queue, 1, 0, NULL), event = cl_trace(queue, 2, 0, NULL);
    sem_init(&until, 0, 0);
    cl_ok(clSetEventCallback(first, CL_COMPLETE, hold, &until));
    cl_ok(clSetEventCallback(event, CL_COMPLETE, query, &answer));
    cl_ok(clReleaseEvent(event));
    cl_is(clReleaseEvent(event), CL_INVALID_EVENT);
    cl_ok(clFinish(queue));
    cl_forget_destroyed();
    sem_post(&until);
    wait_callbacks(2);
    ck_assert_int_eq(answer, 1);
    cl_ok(clReleaseEvent(first));
    sem_destroy(&until);
}
END_TEST

static void CL_CALLBACK enqueue_next(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status;
    int left = (int)(intptr_t)data;
    cl_event next = cl_trace(queue, left, 0, NULL);
    if (left > 0)
        clSetEventCallback(next, CL_COMPLETE, enqueue_next, (void *)(intptr_t)(left - 1));
    else
        listen(next, CL_COMPLETE, 0);
    clFlush(queue);
    clReleaseEvent(next);
}

START_TEST(callbacks_may_enqueue_and_flush)
{
    cl_event event = cl_trace(queue, 100, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, enqueue_next, (void *)(intptr_t)20));
    cl_ok(clFlush(queue));
    cl_ok(clReleaseEvent(event));
    wait_callbacks(1);
    ck_assert_int_eq(trace.count, 22);
    for (int i = 1; i < 22; i++)
        ck_assert_int_eq(trace.number[i], 21 - i);
}
END_TEST

static void CL_CALLBACK open_gate(cl_event event, cl_int status, void *gate)
{
    (void)event, (void)status;
    clSetUserEventStatus(gate, CL_COMPLETE);
}

START_TEST(a_callback_may_set_a_user_event)
{
    cl_event gate = cl_user_event(context), first = cl_trace(queue, 1, 0, NULL),
             second = cl_trace(unordered, 2, 1, &gate);
    cl_ok(clSetEventCallback(first, CL_COMPLETE, open_gate, gate));
    cl_ok(clFlush(queue));
    cl_ok(clWaitForEvents(1, &second));
    ck_assert_int_eq(trace.count, 2);
    clReleaseEvent(gate), clReleaseEvent(first), clReleaseEvent(second);
}
END_TEST

START_TEST(many_callbacks_keep_their_order)
{
    enum { COUNT = 500 };
    for (int i = 0; i < COUNT; i++) {
        cl_event event = cl_trace(queue, i, 0, NULL);
        listen(event, CL_COMPLETE, i);
        if (i % 7 == 0)
            cl_ok(clFlush(queue));
        cl_ok(clReleaseEvent(event));
    }
    cl_ok(clFinish(queue));
    wait_callbacks(COUNT);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(calls[i].number, i);
}
END_TEST

/* ---- profiling --------------------------------------------------------------------------- */

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    cl_ok(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

/* The table of orrery-topology(5), and whatever the hardware is. */
START_TEST(times_are_the_costs_of_the_manual)
{
    static const char *const text = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
    static const char bytes[1600] = "";
    const size_t items = 24, group = 8;
    cl_event event[3];
    cl_int err;
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, sizeof bytes, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, &event[0]));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event[1]));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[2]));
    cl_ok(clFinish(queue));
    const cl_ulong work = items * (1 + (1 + sizeof(cl_int)) + 1); /* an address, a store, the end */
    const cl_ulong wanted[] = {500 + 1600 / 16, 5000 + 3 * 100 + work / 16, 1};
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(time_of(event[i], CL_PROFILING_COMMAND_END) -
                              time_of(event[i], CL_PROFILING_COMMAND_START),
                          wanted[i]);
        cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

/* Each has a loop of n iterations. */
static const char *const timed[] = {
    "kernel void k(global int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 3 + i; "
    "a[get_global_id(0)] = s; }",
    "kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) a[get_global_id(0)] += i; }",
    "kernel void k(global int *a, int n) { int g = get_global_id(0); for (int i = 0; i < n; i++) if ((g ^ i) "
    "% 3) a[g] += i; else if (i % 5 == g % 5) break; }",
    "kernel void k(global int *a, int n) { local int l[16]; int g = get_local_id(0); l[g] = g; for (int i = "
    "0; i < n; i++) {"
    " barrier(CLK_LOCAL_MEM_FENCE); int x = l[(g + 1) % 16]; barrier(CLK_LOCAL_MEM_FENCE); l[g] = x; } "
    "a[get_global_id(0)] = l[g]; }",
    "kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) atomic_add(a, i); }",
    "kernel void k(global int *a, int n) { float4 v = (float4)(get_global_id(0)); for (int i = 0; i < n; "
    "i++) v = sin(v) + v.yxwz; a[get_global_id(0)] = (int)v.x; }",
    "kernel void k(global int *a, int n) { int p[8]; for (int i = 0; i < n; i++) p[i % 8] = i + "
    "a[get_global_id(0)]; a[get_global_id(0)] = p[n % 8]; }",
    "kernel void k(global int *a, int n) { for (int i = 0; i < n; i++) switch ((i + get_global_id(0)) % 4) { "
    "case 0: a[get_global_id(0)] = i; break; case 1: i++; break; default: break; } }",
};

static cl_ulong time_taken(const char *text, cl_int n)
{
    const size_t items = 48, group = 16;
    const cl_int zero = 0;
    cl_int err;
    cl_event event;
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, items * sizeof zero, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(kernel, 1, sizeof n, &n));
    cl_ok(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, items * sizeof zero, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &event));
    cl_ok(clFinish(queue));
    const cl_ulong taken =
        time_of(event, CL_PROFILING_COMMAND_END) - time_of(event, CL_PROFILING_COMMAND_START);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(buffer));
    return taken;
}

/* The checks, the number of lanes and their order have no effect on the simulated device. */
START_TEST(launch_time_does_not_depend_on_checks)
{
    static const char *const ways[] = {"checks: {races: off, uninitialised: off}",
                                       "checks: {races: error, uninitialised: error}",
                                       "schedule: {policy: serial}",
                                       "schedule: {policy: round-robin, quantum: 3}\nchecks: {races: error}",
                                       "schedule: {policy: random, seed: 5}\nchecks: {uninitialised: error}",
                                       "checks: {bounds: off, faults: stop}"};
    cl_ulong taken[sizeof ways / sizeof *ways];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        cl_tear_down();
        cl_set_up_with(ways[i]);
        taken[i] = time_taken(timed[_i], 50);
        ck_assert_msg(taken[i] == taken[0], "%s: %lu ns, not %lu", ways[i], (unsigned long)taken[i],
                      (unsigned long)taken[0]);
    }
    const cl_ulong empty = time_taken(timed[_i], 0);
    ck_assert_uint_gt(taken[0], empty);
    if (!strstr(timed[_i], "break; }")) /* those leave early */
        ck_assert_uint_ge(time_taken(timed[_i], 100) - empty, 2 * (taken[0] - empty) - 2);
}
END_TEST

START_TEST(profiling_times_rise)
{
    enum { COUNT = 8 };
    static char bytes[4096];
    cl_event event[COUNT];
    cl_mem buffer = cl_buffer(context, 0, sizeof bytes, NULL);
    cl_ulong last_end = 0;
    for (int i = 0; i < COUNT; i++)
        cl_ok(i % 2 ? clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[i])
                    : clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof bytes, bytes, 0, NULL,
                                           &event[i]));
    cl_ok(clFinish(queue));
    for (int i = 0; i < COUNT; i++) {
        cl_ulong queued = time_of(event[i], CL_PROFILING_COMMAND_QUEUED),
                 submit = time_of(event[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(event[i], CL_PROFILING_COMMAND_START),
                 end = time_of(event[i], CL_PROFILING_COMMAND_END);
        ck_assert_uint_lt(queued, submit);
        ck_assert_uint_lt(submit, start);
        ck_assert_uint_lt(start, end);
        ck_assert_uint_le(end, time_of(event[i], CL_PROFILING_COMMAND_COMPLETE));
        ck_assert_uint_ge(start, last_end);
        last_end = end;
        cl_ok(clReleaseEvent(event[i]));
    }
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

static cl_ulong timer(void)
{
    cl_ulong on_device, on_host;
    cl_ok(clGetDeviceAndHostTimer(device, &on_device, &on_host));
    return on_device;
}

START_TEST(timer_is_earlier_than_all_after_it_and_later_than_all_before)
{
    for (int round = 0; round < 3; round++) {
        cl_event gate = cl_user_event(context);
        const cl_ulong before = timer();
        cl_event event = cl_trace(queue, 1, 1, &gate);
        const cl_ulong between = timer();
        cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        cl_ok(clFinish(queue));
        const cl_ulong after = timer();
        ck_assert_uint_lt(before, time_of(event, CL_PROFILING_COMMAND_QUEUED));
        ck_assert_uint_lt(time_of(event, CL_PROFILING_COMMAND_QUEUED), between);
        ck_assert_uint_lt(between, time_of(event, CL_PROFILING_COMMAND_START));
        ck_assert_uint_lt(time_of(event, CL_PROFILING_COMMAND_END), after);
        clReleaseEvent(gate), clReleaseEvent(event);
    }
}
END_TEST

START_TEST(clGetEventProfilingInfo_judges_its_arguments)
{
    cl_ulong time;
    cl_command_queue plain = cl_new_queue(context, 0);
    cl_event event = cl_trace(queue, 1, 0, NULL), unprofiled = cl_trace(plain, 2, 0, NULL),
             user = cl_user_event(context);
    cl_is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(plain));
    cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    cl_is(clGetEventProfilingInfo(event, 0x7777, sizeof time, &time, NULL), CL_INVALID_VALUE);
    cl_is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 4, &time, NULL), CL_INVALID_VALUE);
    cl_is(clGetEventProfilingInfo(unprofiled, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_is(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_is(clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          CL_INVALID_EVENT);
    clReleaseEvent(event), clReleaseEvent(unprofiled), clReleaseEvent(user);
    cl_ok(clReleaseCommandQueue(plain));
}
END_TEST

START_TEST(the_same_calls_take_the_same_time)
{
    cl_ulong first[3] = {0};
    for (int round = 0; round < 3; round++) {
        cl_event gate = cl_user_event(context), event = cl_trace(queue, 1, 1, &gate);
        cl_ok(clFlush(queue));
        cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
        cl_ok(clFinish(queue));
        cl_ulong queued = time_of(event, CL_PROFILING_COMMAND_QUEUED);
        cl_ulong now[3] = {time_of(event, CL_PROFILING_COMMAND_SUBMIT) - queued,
                           time_of(event, CL_PROFILING_COMMAND_START) - queued,
                           time_of(event, CL_PROFILING_COMMAND_END) - queued};
        if (round)
            ck_assert_mem_eq(now, first, sizeof now);
        memcpy(first, now, sizeof now);
        clReleaseEvent(gate), clReleaseEvent(event);
    }
}
END_TEST

static Suite *event_suite(void)
{
    Suite *suite = suite_create("event");
    TCase *events = tcase_create("events"), *callbacks = tcase_create("callbacks"),
          *profiling = tcase_create("profiling");
    tcase_add_checked_fixture(events, cl_set_up, cl_tear_down);
    tcase_add_test(events, clGetEventInfo_returns_its_values);
    tcase_add_test(events, every_command_has_its_type);
    tcase_add_test(events, a_released_event_is_refused);
    tcase_add_test(events, an_event_outlives_its_queue);
    tcase_add_test(events, clWaitForEvents_judges_its_arguments);
    tcase_add_test(events, clCreateUserEvent_starts_as_submitted);
    tcase_add_test(events, clSetUserEventStatus_judges_its_arguments);
    tcase_add_test(events, failed_event_ends_its_waiters);
    tcase_add_test(events, queue_order_does_not_pass_on_failure);
    tcase_add_test(events, a_user_event_may_be_released_before_it_is_waited_for);
    tcase_add_checked_fixture(callbacks, callback_set_up, cl_tear_down);
    tcase_set_timeout(callbacks, 30);
    tcase_add_test(callbacks, clSetEventCallback_judges_its_arguments);
    tcase_add_test(callbacks, callbacks_run_in_order_on_their_own_thread);
    tcase_add_test(callbacks, callback_set_late_runs_at_once);
    tcase_add_test(callbacks, callbacks_of_user_events_run);
    tcase_add_test(callbacks, a_failure_reaches_every_callback);
    tcase_add_test(callbacks, an_event_is_good_inside_its_callback);
    tcase_add_test(callbacks, an_event_released_too_often_waits_for_its_callback);
    tcase_add_test(callbacks, callbacks_may_enqueue_and_flush);
    tcase_add_test(callbacks, a_callback_may_set_a_user_event);
    tcase_add_test(callbacks, many_callbacks_keep_their_order);
    tcase_add_checked_fixture(profiling, cl_set_up, cl_tear_down);
    tcase_add_test(profiling, profiling_times_rise);
    tcase_add_test(profiling, timer_is_earlier_than_all_after_it_and_later_than_all_before);
    tcase_add_test(profiling, times_are_the_costs_of_the_manual);
    tcase_add_loop_test(profiling, launch_time_does_not_depend_on_checks, 0,
                        (int)(sizeof timed / sizeof *timed));
    tcase_add_test(profiling, clGetEventProfilingInfo_judges_its_arguments);
    tcase_add_test(profiling, the_same_calls_take_the_same_time);
    suite_add_tcase(suite, events);
    suite_add_tcase(suite, callbacks);
    suite_add_tcase(suite, profiling);
    return suite;
}

int main(void)
{
    return cl_run_suite(event_suite());
}
