/* SPDX-License-Identifier: Apache-2.0 */
/* Command queues: objects, order, waiting, several threads, the end of the process. */
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cl_fixture.h"
#include "tests/support/growth.h"

/* ---- creation and queries --------------------------------------------------------- */

static cl_int create_error(cl_context owner, cl_device_id on, const cl_queue_properties *list)
{
    cl_int err = 1;
    cl_command_queue made = clCreateCommandQueueWithProperties(owner, on, list, &err);
    ck_assert_msg((made != NULL) == (err == CL_SUCCESS), "a queue if and only if it succeeds");
    if (made)
        cl_ok(clReleaseCommandQueue(made));
    return err;
}

START_TEST(clCreateCommandQueueWithProperties_judges_its_arguments)
{
    const cl_queue_properties unknown_name[] = {0x7777, 1, 0};
    const cl_queue_properties unknown_bit[] = {CL_QUEUE_PROPERTIES, 1u << 20, 0};
    const cl_queue_properties twice[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0};
    const cl_queue_properties size_on_host[] = {CL_QUEUE_SIZE, 1024, 0};
    const cl_queue_properties in_order_on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
    const cl_queue_properties default_only[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_queue_properties empty[] = {0};
    cl_is(create_error(NULL, device, NULL), CL_INVALID_CONTEXT);
    cl_is(create_error((cl_context)device, device, NULL), CL_INVALID_CONTEXT);
    cl_is(create_error(context, NULL, NULL), CL_INVALID_DEVICE);
    cl_is(create_error(context, (cl_device_id)context, NULL), CL_INVALID_DEVICE);
    cl_is(create_error(context, device, unknown_name), CL_INVALID_VALUE);
    cl_is(create_error(context, device, unknown_bit), CL_INVALID_VALUE);
    cl_is(create_error(context, device, twice), CL_INVALID_VALUE);
    cl_is(create_error(context, device, size_on_host), CL_INVALID_VALUE);
    cl_is(create_error(context, device, in_order_on_device), CL_INVALID_VALUE);
    cl_is(create_error(context, device, default_only), CL_INVALID_VALUE);
    cl_ok(create_error(context, device, on_device));
    cl_ok(create_error(context, device, NULL));
    cl_ok(create_error(context, device, empty));
    ck_assert_ptr_nonnull(queue = (clReleaseCommandQueue(queue),
                                   clCreateCommandQueueWithProperties(context, device, NULL, NULL)));
}
END_TEST

START_TEST(clCreateCommandQueue_judges_its_arguments)
{
    cl_int err = 1;
    ck_assert_ptr_null(clCreateCommandQueue(NULL, device, 0, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateCommandQueue(context, NULL, 0, &err));
    cl_is(err, CL_INVALID_DEVICE);
    ck_assert_ptr_null(clCreateCommandQueue(context, device, 1u << 20, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateCommandQueue(context, device, CL_QUEUE_ON_DEVICE, &err));
    cl_is(err, CL_INVALID_VALUE);
    cl_command_queue made = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
    cl_ok(err);
    cl_ok(clReleaseCommandQueue(made));
}
END_TEST

START_TEST(clGetCommandQueueInfo_returns_its_values)
{
    cl_context in_context = NULL;
    cl_device_id on_device = NULL;
    cl_command_queue_properties properties = 0;
    cl_queue_properties list[4] = {0};
    cl_command_queue default_queue = queue;
    cl_uint references = 0, size = 0;
    size_t bytes = 0;
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof in_context, &in_context, &bytes));
    ck_assert_ptr_eq(in_context, context);
    ck_assert_uint_eq(bytes, sizeof in_context);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof on_device, &on_device, NULL));
    ck_assert_ptr_eq(on_device, device);
    cl_ok(clGetCommandQueueInfo(unordered, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
    ck_assert_uint_eq(properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    cl_ok(clGetCommandQueueInfo(unordered, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
    ck_assert_uint_eq(bytes, 3 * sizeof *list);
    ck_assert_uint_eq(list[0], CL_QUEUE_PROPERTIES);
    ck_assert_uint_eq(list[1], properties);
    ck_assert_uint_eq(list[2], 0);
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE_DEFAULT, sizeof default_queue, &default_queue, NULL));
    ck_assert_ptr_null(default_queue);
    cl_ok(clRetainCommandQueue(queue));
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 2);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 1);
    cl_is(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clGetCommandQueueInfo(NULL, CL_QUEUE_CONTEXT, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clGetCommandQueueInfo(queue, 0x7777, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, 1, &in_context, NULL), CL_INVALID_VALUE);
}
END_TEST

START_TEST(CL_QUEUE_PROPERTIES_ARRAY_is_empty_without_a_list)
{
    size_t bytes = 99;
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_ok(clGetCommandQueueInfo(plain, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes));
    ck_assert_uint_eq(bytes, 0);
    cl_ok(clReleaseCommandQueue(plain));
}
END_TEST

START_TEST(a_released_queue_is_refused)
{
    cl_command_queue gone = cl_new_queue(context, 0);
    cl_ok(clReleaseCommandQueue(gone));
    cl_is(clReleaseCommandQueue(gone), CL_INVALID_COMMAND_QUEUE);
    cl_is(clRetainCommandQueue(gone), CL_INVALID_COMMAND_QUEUE);
    cl_is(clFinish(gone), CL_INVALID_COMMAND_QUEUE);
    cl_is(clFlush(gone), CL_INVALID_COMMAND_QUEUE);
}
END_TEST

START_TEST(clSetCommandQueueProperty_refuses)
{
    cl_command_queue_properties old = 0;
    cl_is(clSetCommandQueueProperty(NULL, 0, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clSetCommandQueueProperty(queue, 1u << 20, CL_TRUE, NULL), CL_INVALID_VALUE);
    cl_is(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old), CL_INVALID_OPERATION);
    ck_assert_uint_eq(old, CL_QUEUE_PROFILING_ENABLE);
}
END_TEST

START_TEST(clSetDefaultDeviceCommandQueue_refuses)
{
    cl_is(clSetDefaultDeviceCommandQueue(NULL, device, queue), CL_INVALID_CONTEXT);
    cl_is(clSetDefaultDeviceCommandQueue(context, NULL, queue), CL_INVALID_DEVICE);
    cl_is(clSetDefaultDeviceCommandQueue(context, device, queue), CL_INVALID_COMMAND_QUEUE);
    cl_is(clSetDefaultDeviceCommandQueue(context, device, NULL), CL_INVALID_COMMAND_QUEUE);
}
END_TEST

/* ---- order --------------------------------------------------------------------------- */

static int position(int number)
{
    int found = -1;
    for (int i = 0; i < trace.count; i++)
        if (trace.number[i] == number) {
            ck_assert_msg(found < 0, "command %d ran twice", number);
            found = i;
        }
    ck_assert_msg(found >= 0, "command %d never ran", number);
    return found;
}

START_TEST(an_in_order_queue_runs_in_order)
{
    for (int i = 0; i < 100; i++)
        clReleaseEvent(cl_trace(queue, i, 0, NULL));
    ck_assert_int_eq(trace.count, 0);
    cl_ok(clFinish(queue));
    ck_assert_int_eq(trace.count, 100);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(trace.number[i], i);
}
END_TEST

START_TEST(an_in_order_queue_waits_for_a_blocked_command)
{
    cl_event gate = cl_user_event(context);
    cl_event first = cl_trace(queue, 1, 1, &gate), second = cl_trace(queue, 2, 0, NULL);
    cl_ok(clFlush(queue));
    cl_is(cl_status(first), CL_SUBMITTED);
    cl_is(cl_status(second), CL_SUBMITTED);
    ck_assert_int_eq(trace.count, 0);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    ck_assert_int_eq(position(1), 0);
    ck_assert_int_eq(position(2), 1);
    clReleaseEvent(first), clReleaseEvent(second), clReleaseEvent(gate);
}
END_TEST

START_TEST(an_out_of_order_queue_overtakes_a_blocked_command)
{
    cl_event gate = cl_user_event(context);
    cl_event first = cl_trace(unordered, 1, 1, &gate), second = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clWaitForEvents(1, &second));
    ck_assert_int_eq(trace.count, 1);
    ck_assert_int_eq(trace.number[0], 2);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    ck_assert_int_eq(position(1), 1);
    clReleaseEvent(first), clReleaseEvent(second), clReleaseEvent(gate);
}
END_TEST

START_TEST(barrier_delays_later_commands)
{
    cl_event gate = cl_user_event(context);
    cl_event before = cl_trace(unordered, 1, 1, &gate);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    cl_event after = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clFlush(unordered));
    cl_is(cl_status(after), CL_SUBMITTED);
    ck_assert_int_eq(trace.count, 0);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    ck_assert_int_lt(position(1), position(2));
    clReleaseEvent(before), clReleaseEvent(after), clReleaseEvent(gate);
}
END_TEST

START_TEST(a_barrier_with_a_wait_list_waits_for_that_alone)
{
    cl_event gate = cl_user_event(context), barrier_gate = cl_user_event(context), barrier = NULL;
    cl_event before = cl_trace(unordered, 1, 1, &gate);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 1, &barrier_gate, &barrier));
    cl_event after = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clFlush(unordered));
    cl_is(cl_status(after), CL_SUBMITTED);
    cl_ok(clSetUserEventStatus(barrier_gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &after));
    cl_is(cl_status(barrier), CL_COMPLETE);
    cl_is(cl_status(before), CL_SUBMITTED);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    ck_assert_int_lt(position(2), position(1));
    clReleaseEvent(before), clReleaseEvent(after), clReleaseEvent(gate), clReleaseEvent(barrier_gate),
        clReleaseEvent(barrier);
}
END_TEST

START_TEST(a_marker_waits_and_holds_nothing_back)
{
    cl_event gate = cl_user_event(context), marker = NULL;
    cl_event before = cl_trace(unordered, 1, 1, &gate);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    cl_event after = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clWaitForEvents(1, &after));
    cl_is(cl_status(marker), CL_SUBMITTED);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &marker));
    ck_assert_int_eq(position(1), 1);
    clReleaseEvent(before), clReleaseEvent(after), clReleaseEvent(gate), clReleaseEvent(marker);
}
END_TEST

START_TEST(the_old_marker_barrier_and_wait_do_the_same)
{
    cl_event gate = cl_user_event(context), marker = NULL;
    cl_event before = cl_trace(unordered, 1, 1, &gate);
    cl_ok(clEnqueueMarker(unordered, &marker));
    cl_ok(clEnqueueBarrier(unordered));
    cl_event after = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clFlush(unordered));
    cl_is(cl_status(after), CL_SUBMITTED);
    cl_is(cl_status(marker), CL_SUBMITTED);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    cl_is(cl_status(marker), CL_COMPLETE);
    ck_assert_int_lt(position(1), position(2));
    cl_event second_gate = cl_user_event(context);
    cl_ok(clEnqueueWaitForEvents(unordered, 1, &second_gate));
    cl_event last = cl_trace(unordered, 3, 0, NULL);
    cl_ok(clFlush(unordered));
    cl_is(cl_status(last), CL_SUBMITTED);
    cl_ok(clSetUserEventStatus(second_gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    cl_is(clEnqueueMarker(NULL, &marker), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueBarrier(NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueWaitForEvents(NULL, 1, &gate), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueWaitForEvents(queue, 0, &gate), CL_INVALID_VALUE);
    cl_is(clEnqueueWaitForEvents(queue, 1, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueWaitForEvents(queue, 1, &(cl_event){NULL}), CL_INVALID_EVENT);
    cl_is(clEnqueueWaitForEvents(other_queue, 1, &gate), CL_INVALID_CONTEXT);
    clReleaseEvent(before), clReleaseEvent(after), clReleaseEvent(gate), clReleaseEvent(marker),
        clReleaseEvent(second_gate), clReleaseEvent(last);
}
END_TEST

START_TEST(markers_and_barriers_judge_their_wait_lists)
{
    cl_event gate = cl_user_event(context), foreign = cl_user_event(other_context), none = NULL;
    cl_is(clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueMarkerWithWaitList(queue, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueMarkerWithWaitList(queue, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueMarkerWithWaitList(queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueBarrierWithWaitList(queue, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueBarrierWithWaitList(queue, 0, &gate, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueBarrierWithWaitList(queue, 1, (cl_event *)&queue, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueBarrierWithWaitList(queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    clReleaseEvent(gate), clReleaseEvent(foreign);
}
END_TEST

START_TEST(the_oldest_ready_command_is_next)
{
    cl_event first = cl_trace(unordered, 0, 0, NULL), second = cl_trace(unordered, 1, 1, &first);
    cl_event last = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clFinish(unordered));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(trace.number[i], i);
    clReleaseEvent(first), clReleaseEvent(second), clReleaseEvent(last);
}
END_TEST

/* A random graph over two queues, judged by what each command had to follow. */
enum { GRAPH_SIZE = 300, GRAPH_EDGES = 4 };
static uint32_t graph_random;

static uint32_t next_random(uint32_t bound)
{
    graph_random = graph_random * 1664525u + 1013904223u;
    return (graph_random >> 8) % bound;
}

static struct {
    bool in_order, gated;
    int edge[GRAPH_EDGES], edge_count;
    int barrier; /* commands before it in the out-of-order queue run first; -1 none */
} node[GRAPH_SIZE];

static void run_graph(uint32_t seed)
{
    cl_event event[GRAPH_SIZE], gate = cl_user_event(context);
    int barrier = -1;
    graph_random = seed;
    memset(&trace, 0, sizeof trace);
    for (int i = 0; i < GRAPH_SIZE; i++) {
        cl_event waits[GRAPH_EDGES + 1];
        node[i].in_order = next_random(3) == 0;
        node[i].gated = next_random(8) == 0;
        node[i].edge_count = i ? (int)next_random(GRAPH_EDGES) : 0;
        for (int e = 0; e < node[i].edge_count; e++) {
            node[i].edge[e] = (int)next_random((uint32_t)i);
            waits[e] = event[node[i].edge[e]];
        }
        cl_uint count = (cl_uint)node[i].edge_count;
        if (node[i].gated)
            waits[count++] = gate;
        if (next_random(40) == 0) {
            cl_ok(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
            barrier = i;
        }
        node[i].barrier = node[i].in_order ? -1 : barrier;
        event[i] = cl_trace(node[i].in_order ? queue : unordered, i, count, count ? waits : NULL);
        if (next_random(20) == 0)
            cl_ok(clFlush(next_random(2) ? queue : unordered));
        if (i == GRAPH_SIZE / 2)
            cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    }
    cl_ok(clFinish(queue));
    cl_ok(clFinish(unordered));
    for (int i = 0; i < GRAPH_SIZE; i++) {
        cl_is(cl_status(event[i]), CL_COMPLETE);
        clReleaseEvent(event[i]);
    }
    clReleaseEvent(gate);
}

static void judge_graph(void)
{
    int at[GRAPH_SIZE], last_in_order = -1;
    ck_assert_int_eq(trace.count, GRAPH_SIZE);
    for (int i = 0; i < GRAPH_SIZE; i++)
        at[i] = position(i);
    for (int i = 0; i < GRAPH_SIZE; i++) {
        for (int e = 0; e < node[i].edge_count; e++)
            ck_assert_msg(at[node[i].edge[e]] < at[i], "%d ran before %d, which it waits for", i,
                          node[i].edge[e]);
        for (int j = 0; j < node[i].barrier; j++)
            ck_assert_msg(node[j].in_order || at[j] < at[i], "%d passed the barrier after %d", i, j);
        if (node[i].in_order) {
            ck_assert_int_gt(at[i], last_in_order);
            last_in_order = at[i];
        }
    }
}

START_TEST(a_random_graph_runs_in_an_order_it_allows)
{
    run_graph(1000u + (uint32_t)_i);
    judge_graph();
}
END_TEST

START_TEST(the_same_calls_run_in_the_same_order)
{
    static int first[GRAPH_SIZE];
    run_graph(7u + (uint32_t)_i);
    memcpy(first, trace.number, sizeof first);
    for (int again = 0; again < 5; again++) {
        run_graph(7u + (uint32_t)_i);
        ck_assert_mem_eq(trace.number, first, sizeof first);
    }
}
END_TEST

START_TEST(the_policy_orders_ready_commands)
{
    static const char *const policies[] = {"lockstep", "serial", "reverse", "round-robin", "random"};
    setenv("ORRERY_SCHEDULE", policies[_i], 1);
    setenv("ORRERY_SEED", "7", 1);
    cl_set_up();
    cl_event gate = cl_user_event(context), event[20];
    for (int i = 0; i < 20; i++)
        event[i] = cl_trace(unordered, i, 1, &gate);
    cl_ok(clFlush(unordered));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    bool rising = true, falling = true;
    for (int i = 0; i < 20; i++) {
        rising &= position(i) == i;
        falling &= position(i) == 19 - i;
        clReleaseEvent(event[i]);
    }
    ck_assert_int_eq(rising, _i == 0 || _i == 1 || _i == 3);
    ck_assert_int_eq(falling, _i == 2);
    clReleaseEvent(gate);
    cl_tear_down();
}
END_TEST

/* ---- waiting --------------------------------------------------------------------------- */

START_TEST(nothing_runs_before_a_flush)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_is(cl_status(event), CL_QUEUED);
    usleep(20000);
    cl_is(cl_status(event), CL_QUEUED);
    ck_assert_int_eq(trace.count, 0);
    cl_ok(clFlush(queue));
    while (cl_status(event) != CL_COMPLETE)
        ;
    ck_assert_int_eq(trace.count, 1);
    clReleaseEvent(event);
}
END_TEST

START_TEST(flush_alone_executes_commands)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clFlush(queue));
    for (int i = 0; i < 2000 && !__atomic_load_n(&trace.count, __ATOMIC_SEQ_CST); i++)
        usleep(1000);
    ck_assert_int_eq(trace.count, 1);
    clReleaseEvent(event);
}
END_TEST

/* A kernel's printf output is visible outside. */
static off_t printed(void)
{
    struct stat file;
    fflush(stdout);
    ck_assert_int_eq(fstat(STDOUT_FILENO, &file), 0);
    return file.st_size;
}

/*
 * One root: a flush is enough for a kernel to run. Queues of two roots: it is only submitted, so that kernels
 * of both begin together, until a call queries.
 */
START_TEST(a_flush_runs_a_kernel_at_once_unless_another_device_has_queues)
{
    static const char *text = "kernel void k(void) { printf(\"here\\n\"); }";
    const struct timespec short_sleep = {.tv_nsec = 1000000};
    const size_t one = 1;
    char path[] = "/tmp/check_queue.XXXXXX";
    cl_device_id devices[2];
    cl_event event;
    cl_int err;
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    unlink(path);
    dup2(file, STDOUT_FILENO);
    cl_load_scenario(_i ? "devices: [{name: a}, {name: b}]" : "");
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, _i ? 2 : 1, devices, NULL));
    context = clCreateContext(NULL, _i ? 2 : 1, devices, NULL, NULL, &err);
    cl_ok(err);
    queue = clCreateCommandQueueWithProperties(context, devices[0], NULL, &err);
    cl_ok(err);
    cl_command_queue second = clCreateCommandQueueWithProperties(context, devices[_i], NULL, &err);
    cl_ok(err);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
    cl_ok(clFlush(queue));
    for (int i = 0; i < (_i ? 200 : 10000) && !printed(); i++)
        nanosleep(&short_sleep, NULL);
    ck_assert_int_eq(printed(), _i ? 0 : 5);
    cl_status(event);
    for (int i = 0; i < 10000 && !printed(); i++)
        nanosleep(&short_sleep, NULL);
    ck_assert_int_eq(printed(), 5);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
}
END_TEST

START_TEST(a_program_that_only_polls_gets_there)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    for (int i = 0; i < 1000; i++)
        cl_is(cl_status(event), CL_QUEUED);
    cl_is(cl_status(event), CL_COMPLETE);
    clReleaseEvent(event);
}
END_TEST

START_TEST(user_event_alone_executes_commands)
{
    cl_event gate = cl_user_event(context), held = cl_trace(unordered, 1, 1, &gate),
             free_one = cl_trace(unordered, 2, 0, NULL);
    cl_ok(clWaitForEvents(1, &free_one)); /* all are submitted, and no thread was needed */
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    for (int i = 0; i < 2000 && __atomic_load_n(&trace.count, __ATOMIC_SEQ_CST) < 2; i++)
        usleep(1000);
    ck_assert_int_eq(trace.count, 2);
    clReleaseEvent(gate), clReleaseEvent(held), clReleaseEvent(free_one);
}
END_TEST

START_TEST(a_wait_flushes_the_queues_it_depends_on)
{
    cl_command_queue third = cl_new_queue(context, 0);
    cl_event a = cl_trace(third, 1, 0, NULL), b = cl_trace(unordered, 2, 1, &a),
             c = cl_trace(queue, 3, 1, &b);
    cl_ok(clWaitForEvents(1, &c));
    ck_assert_int_eq(trace.count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(trace.number[i], i + 1);
    clReleaseEvent(a), clReleaseEvent(b), clReleaseEvent(c);
    cl_ok(clReleaseCommandQueue(third));
}
END_TEST

START_TEST(released_queue_still_runs_its_commands)
{
    cl_command_queue gone = cl_new_queue(context, 0);
    cl_event event = cl_trace(gone, 1, 0, NULL);
    cl_ok(clReleaseCommandQueue(gone));
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_int_eq(trace.count, 1);
    clReleaseEvent(event);
}
END_TEST

static void CL_CALLBACK call_finish(void *args)
{
    struct {
        cl_command_queue queue;
        cl_int *err;
    } call;
    memcpy(&call, args, sizeof call);
    *call.err = clFinish(call.queue);
}

START_TEST(a_native_kernel_that_waits_is_refused)
{
    cl_int err = 1;
    struct {
        cl_command_queue queue;
        cl_int *err;
    } call = {queue, &err};
    cl_ok(clEnqueueNativeKernel(queue, call_finish, &call, sizeof call, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_is(err, CL_INVALID_OPERATION);
}
END_TEST

START_TEST(queue_finished_and_released_is_destroyed)
{
    for (int i = 0; i < 200; i++) {
        cl_set_up();
        clReleaseEvent(cl_trace(queue, i, 0, NULL));
        cl_ok(clFlush(queue)); /* the device thread may be the one that runs it */
        cl_ok(clFinish(queue));
        cl_tear_down();
        cl_load_scenario(""); /* refused while a context is alive */
    }
}
END_TEST

/* ---- threads ---------------------------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 150 };

static void *work(void *argument)
{
    int self = (int)(intptr_t)argument;
    cl_command_queue own = cl_new_queue(context, self % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL);
    for (int round = 0; round < ROUNDS; round++) {
        int value = self * ROUNDS + round, back = -1;
        cl_event filled, copied;
        cl_ok(clEnqueueFillBuffer(own, buffer, &value, sizeof value, 0, 32 * sizeof(int), 0, NULL, &filled));
        cl_ok(clEnqueueCopyBuffer(own, buffer, buffer, 0, 32 * sizeof(int), 32 * sizeof(int), 1, &filled,
                                  &copied));
        if (round % 5 == 0)
            cl_ok(clFlush(own));
        if (round % 7 == 0)
            cl_status(copied);
        cl_ok(clEnqueueReadBuffer(own, buffer, CL_TRUE, 63 * sizeof(int), sizeof back, &back, 1, &copied,
                                  NULL));
        ck_assert_int_eq(back, value);
        cl_ok(clReleaseEvent(filled));
        cl_ok(clReleaseEvent(copied));
    }
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clFinish(own));
    cl_ok(clReleaseCommandQueue(own));
    return NULL;
}

START_TEST(threads_with_a_queue_each_get_their_own_data)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}
END_TEST

static void *share(void *argument)
{
    cl_command_queue shared = argument;
    for (int round = 0; round < ROUNDS; round++) {
        cl_event event = cl_trace(shared, round, 0, NULL);
        if (round % 3 == 0)
            cl_ok(clWaitForEvents(1, &event));
        else if (round % 3 == 1)
            cl_ok(clFinish(shared));
        cl_ok(clReleaseEvent(event));
    }
    return NULL;
}

START_TEST(threads_share_a_queue)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, share, _i ? unordered : queue), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    cl_ok(clFinish(_i ? unordered : queue));
    ck_assert_int_eq(trace.count, THREADS * ROUNDS);
}
END_TEST

static void *open_gate(void *gate)
{
    usleep(30000);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}

START_TEST(a_thread_waits_for_another_threads_user_event)
{
    pthread_t thread;
    cl_event gate = cl_user_event(context), event = cl_trace(queue, 1, 1, &gate);
    ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, gate), 0);
    cl_ok(clWaitForEvents(1, &event));
    ck_assert_int_eq(trace.count, 1);
    pthread_join(thread, NULL);
    clReleaseEvent(gate), clReleaseEvent(event);
}
END_TEST

/* ---- processes -------------------------------------------------------------------------- */

static int exit_status_of(void (*child)(void))
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(20);
        child();
        exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void leave_everything(void)
{
    cl_set_up();
    cl_event gate = cl_user_event(context);
    cl_trace(queue, 1, 1, &gate);
    cl_trace(queue, 2, 0, NULL);
    cl_trace(unordered, 3, 0, NULL);
    cl_ok(clFlush(queue));
    cl_ok(clFlush(unordered));
    cl_trace(unordered, 4, 0, NULL);
}

static void CL_CALLBACK leave_process(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    exit(5);
}

static void exit_in_a_callback(void)
{
    cl_set_up();
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, leave_process, NULL));
    cl_ok(clFinish(queue));
    for (;;)
        pause();
}

static void CL_CALLBACK leave_from_kernel(void *args)
{
    (void)args;
    exit(6);
}

static void exit_in_a_kernel(void)
{
    cl_set_up();
    cl_ok(clEnqueueNativeKernel(queue, leave_from_kernel, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

static void CL_CALLBACK never_return(void *args)
{
    (void)args;
    for (;;)
        pause();
}

static void leave_a_command_running(void)
{
    cl_set_up();
    cl_ok(clEnqueueNativeKernel(queue, never_return, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFlush(queue));
}

static int ran_at_exit[2];

static void CL_CALLBACK note_call(void *args)
{
    (void)args;
    usleep(50000);
    if (write(ran_at_exit[1], "x", 1) != 1)
        abort();
}

static void leave_without_waiting(void)
{
    cl_set_up();
    cl_ok(clEnqueueNativeKernel(queue, note_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueNativeKernel(queue, note_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFlush(queue));
    cl_ok(clEnqueueNativeKernel(queue, note_call, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
}

static void use_after_fork(void)
{
    cl_command_queue own = cl_new_queue(context, 0); /* the parent's runtime, copied */
    cl_event event = cl_trace(own, 1, 0, NULL);
    cl_ok(clFlush(own));
    for (int i = 0; i < 2000 && !__atomic_load_n(&trace.count, __ATOMIC_SEQ_CST); i++)
        usleep(1000);
    cl_ok(clWaitForEvents(1, &event));
    exit(trace.count == 1 ? 7 : 8);
}

START_TEST(a_process_may_end_without_releasing_anything)
{
    ck_assert_int_eq(exit_status_of(leave_everything), 0);
}
END_TEST

START_TEST(a_command_that_never_ends_does_not_keep_the_process)
{
    ck_assert_int_eq(exit_status_of(leave_a_command_running), 0);
}
END_TEST

START_TEST(flushed_commands_run_before_the_process_ends)
{
    char reported[8];
    ck_assert_int_eq(pipe(ran_at_exit), 0);
    ck_assert_int_eq(exit_status_of(leave_without_waiting), 0);
    close(ran_at_exit[1]);
    ck_assert_int_eq(read(ran_at_exit[0], reported, sizeof reported), 2);
    close(ran_at_exit[0]);
}
END_TEST

START_TEST(a_callback_may_end_the_process)
{
    ck_assert_int_eq(exit_status_of(exit_in_a_callback), 5);
}
END_TEST

START_TEST(a_native_kernel_may_end_the_process)
{
    ck_assert_int_eq(exit_status_of(exit_in_a_kernel), 6);
}
END_TEST

START_TEST(a_forked_child_starts_its_own_threads)
{
    cl_event event = cl_trace(queue, 1, 0, NULL);
    cl_ok(clFlush(queue)); /* the parent has a device thread */
    cl_ok(clWaitForEvents(1, &event));
    trace.count = 0;
    ck_assert_int_eq(exit_status_of(use_after_fork), 7);
    clReleaseEvent(event);
}
END_TEST

/* ---- cost ------------------------------------------------------------------------------- */

/* Their cost: bench/runtime.c. */
static void finish_each(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL));
        cl_ok(clFinish(queue));
    }
}

START_TEST(a_command_and_its_finish_stay_cheap)
{
    growth_is_linear(finish_each, 4000);
}
END_TEST

static void wait_for_a_gate(uint32_t count)
{
    cl_event gate = cl_user_event(context);
    for (uint32_t i = 0; i < count; i++)
        cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &gate, NULL));
    cl_ok(clFlush(unordered));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    clReleaseEvent(gate);
}

START_TEST(long_queues_stay_cheap)
{
    growth_is_linear(wait_for_a_gate, 20000);
}
END_TEST

static Suite *queue_suite(void)
{
    Suite *suite = suite_create("queue");
    TCase *objects = tcase_create("objects"), *order = tcase_create("order"),
          *waiting = tcase_create("waiting"), *printing = tcase_create("printing");
    TCase *threads = tcase_create("threads"), *processes = tcase_create("processes"),
          *policy = tcase_create("policy");
    tcase_add_checked_fixture(objects, cl_set_up, cl_tear_down);
    tcase_add_test(objects, clCreateCommandQueueWithProperties_judges_its_arguments);
    tcase_add_test(objects, clCreateCommandQueue_judges_its_arguments);
    tcase_add_test(objects, clGetCommandQueueInfo_returns_its_values);
    tcase_add_test(objects, CL_QUEUE_PROPERTIES_ARRAY_is_empty_without_a_list);
    tcase_add_test(objects, a_released_queue_is_refused);
    tcase_add_test(objects, clSetCommandQueueProperty_refuses);
    tcase_add_test(objects, clSetDefaultDeviceCommandQueue_refuses);
    tcase_add_checked_fixture(order, cl_set_up, cl_tear_down);
    tcase_add_test(order, an_in_order_queue_runs_in_order);
    tcase_add_test(order, an_in_order_queue_waits_for_a_blocked_command);
    tcase_add_test(order, an_out_of_order_queue_overtakes_a_blocked_command);
    tcase_add_test(order, barrier_delays_later_commands);
    tcase_add_test(order, a_barrier_with_a_wait_list_waits_for_that_alone);
    tcase_add_test(order, a_marker_waits_and_holds_nothing_back);
    tcase_add_test(order, the_old_marker_barrier_and_wait_do_the_same);
    tcase_add_test(order, markers_and_barriers_judge_their_wait_lists);
    tcase_add_test(order, the_oldest_ready_command_is_next);
    tcase_add_loop_test(order, a_random_graph_runs_in_an_order_it_allows, 0, 12);
    tcase_add_loop_test(order, the_same_calls_run_in_the_same_order, 0, 4);
    tcase_add_test(policy, queue_finished_and_released_is_destroyed);
    tcase_add_loop_test(policy, the_policy_orders_ready_commands, 0, 5);
    tcase_add_checked_fixture(waiting, cl_set_up, cl_tear_down);
    tcase_add_test(waiting, nothing_runs_before_a_flush);
    tcase_add_test(waiting, flush_alone_executes_commands);
    tcase_add_test(waiting, a_program_that_only_polls_gets_there);
    tcase_add_loop_test(printing, a_flush_runs_a_kernel_at_once_unless_another_device_has_queues, 0, 2);
    tcase_add_test(waiting, user_event_alone_executes_commands);
    tcase_add_test(waiting, a_wait_flushes_the_queues_it_depends_on);
    tcase_add_test(waiting, released_queue_still_runs_its_commands);
    tcase_add_test(waiting, a_native_kernel_that_waits_is_refused);
    tcase_add_test(waiting, a_command_and_its_finish_stay_cheap);
    tcase_add_test(waiting, long_queues_stay_cheap);
    tcase_add_checked_fixture(threads, cl_set_up, cl_tear_down);
    tcase_set_timeout(threads, 60);
    tcase_add_test(threads, threads_with_a_queue_each_get_their_own_data);
    tcase_add_loop_test(threads, threads_share_a_queue, 0, 2);
    tcase_add_test(threads, a_thread_waits_for_another_threads_user_event);
    tcase_set_timeout(processes, 60);
    tcase_add_test(processes, a_process_may_end_without_releasing_anything);
    tcase_add_test(processes, a_command_that_never_ends_does_not_keep_the_process);
    tcase_add_test(processes, flushed_commands_run_before_the_process_ends);
    tcase_add_test(processes, a_callback_may_end_the_process);
    tcase_add_test(processes, a_native_kernel_may_end_the_process);
    TCase *forks = tcase_create("forks");
    tcase_add_checked_fixture(forks, cl_set_up, cl_tear_down);
    tcase_set_timeout(forks, 60);
    tcase_add_test(forks, a_forked_child_starts_its_own_threads);
    suite_add_tcase(suite, objects);
    suite_add_tcase(suite, order);
    suite_add_tcase(suite, policy);
    suite_add_tcase(suite, waiting);
    suite_add_tcase(suite, printing);
    suite_add_tcase(suite, threads);
    suite_add_tcase(suite, processes);
    suite_add_tcase(suite, forks);
    return suite;
}

int main(void)
{
    return cl_run_suite(queue_suite());
}
