/* SPDX-License-Identifier: Apache-2.0 */
/* The order of commands, and the effects of the host's calls: OpenCL 2.2 API, 3.3.6 (1) to (12). */
#include <pthread.h>

#include "tests/support/order_fixture.h"

/* ---- ordered or not --------------------------------------------------------------------- */

START_TEST(two_queues_without_an_event)
{
    fill(queue, 0, NULL);
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(it_does_not_matter_that_the_first_is_complete)
{
    cl_event event = fill(queue, 0, NULL);
    clFlush(queue);
    while (cl_status(event) != CL_COMPLETE) /* no synchronization point */
        ;
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_2_with_the_event)
{
    cl_event event = fill(queue, 0, NULL);
    fill(second, 1, &event);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_2_with_the_event_of_a_complete_command)
{
    cl_event event = fill(queue, 0, NULL);
    clFlush(queue);
    while (cl_status(event) != CL_COMPLETE)
        ;
    fill(second, 1, &event);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_with_clWaitForEvents)
{
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clWaitForEvents(1, &event));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_with_a_blocking_call)
{
    cl_uint out;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_not_with_a_call_that_does_not_block)
{
    cl_uint out;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &out, 0, NULL, NULL));
    fill(second, 0, NULL);
    ck_assert_uint_eq(races(), 2); /* with the fill and with the read */
}
END_TEST

START_TEST(R31_5_an_in_order_queue)
{
    fill(queue, 0, NULL);
    fill(queue, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_5_not_an_out_of_order_queue)
{
    fill(unordered, 0, NULL);
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_6_a_marker_waits_for_all)
{
    cl_event marker;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    fill(second, 1, &marker);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_6_a_second_marker_waits_for_all)
{
    cl_event marker;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, NULL));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    fill(second, 1, &marker);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_6_no_command_waits_for_a_marker_implicitly)
{
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, NULL));
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_6_a_marker_with_a_list_waits_for_that)
{
    cl_event other, marker;
    cl_mem apart = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueFillBuffer(unordered, apart, &two, sizeof two, 0, 64, 0, NULL, &other));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &other, &marker));
    fill(second, 1, &marker);
    ck_assert(race());
}
END_TEST

START_TEST(R31_7_a_barrier)
{
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    fill(unordered, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_7_barrier_with_a_list_orders_later_commands)
{
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 1, &event, NULL));
    fill(unordered, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_7_barrier_with_a_list_is_ordered_after_the_list_only)
{
    cl_mem apart = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_event other;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueFillBuffer(unordered, apart, &two, sizeof two, 0, 64, 0, NULL, &other));
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 1, &other, NULL));
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_8_clFinish)
{
    fill(unordered, 0, NULL);
    fill(second, 0, NULL);
    cl_ok(clFinish(unordered));
    size_t before = races();
    ck_assert_uint_eq(before, 1);
    fill(unordered, 0, NULL);
    ck_assert_uint_eq(races(), before);
}
END_TEST

START_TEST(R31_8_clFinish_before_another_queue)
{
    fill(unordered, 0, NULL);
    cl_ok(clFinish(unordered));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_8_clFinish_of_another_queue)
{
    fill(queue, 0, NULL);
    cl_ok(clFinish(second));
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called_back = PTHREAD_COND_INITIALIZER;
static bool called;

static void CL_CALLBACK note_call(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(&lock);
    called = true;
    pthread_cond_signal(&called_back);
    pthread_mutex_unlock(&lock);
}

START_TEST(R31_11_a_callback)
{
    called = false;
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, note_call, NULL));
    clFlush(queue);
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&called_back, &lock);
    pthread_mutex_unlock(&lock);
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_11_not_a_callback_for_the_start)
{
    called = false;
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_RUNNING, note_call, NULL));
    clFlush(queue);
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&called_back, &lock);
    pthread_mutex_unlock(&lock);
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_12_a_user_event)
{
    cl_event gate = cl_user_event(context), event = fill(queue, 0, NULL);
    fill(second, 1, &gate);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert(!race());
}
END_TEST

START_TEST(R31_12_a_user_event_set_too_early)
{
    cl_event gate = cl_user_event(context), event = fill(queue, 0, NULL);
    fill(second, 1, &gate);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &event));
    ck_assert(race());
}
END_TEST

/* ---- semaphores: a signal before its wait (_i = 0), or the wait before its signal ------------ */

static cl_semaphore_khr new_semaphore(void)
{
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_int err;
    cl_semaphore_khr made = NAMED(clCreateSemaphoreWithPropertiesKHR)(context, binary, &err);
    cl_ok(err);
    return made;
}

static void signal_on(cl_command_queue on, cl_semaphore_khr semaphore)
{
    cl_ok(NAMED(clEnqueueSignalSemaphoresKHR)(on, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void wait_on(cl_command_queue on, cl_semaphore_khr semaphore)
{
    cl_ok(NAMED(clEnqueueWaitSemaphoresKHR)(on, 1, &semaphore, NULL, 0, NULL, NULL));
}

START_TEST(semaphore_orders_commands)
{
    cl_semaphore_khr semaphore = new_semaphore();
    for (int step = 0; step < 2; step++)
        if (step == _i) {
            fill(queue, 0, NULL);
            signal_on(queue, semaphore);
        } else {
            wait_on(second, semaphore);
            fill(second, 0, NULL);
            cl_ok(clFlush(second));
        }
    for (int step = 0; step < 2; step++) /* and back */
        if (step == _i) {
            signal_on(second, semaphore);
        } else {
            wait_on(queue, semaphore);
            fill(queue, 0, NULL);
        }
    cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    ck_assert(!race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(semaphore_does_not_order_commands_outside_it)
{
    cl_semaphore_khr semaphore = new_semaphore();
    if (_i)
        wait_on(second, semaphore);
    signal_on(queue, semaphore);
    if (!_i)
        wait_on(second, semaphore);
    fill(queue, 0, NULL);
    fill(second, 0, NULL);
    ck_assert(race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(later_wait_of_the_host_is_no_order)
{
    cl_semaphore_khr semaphore = new_semaphore();
    wait_on(second, semaphore);
    cl_event other = fill(unordered, 0, NULL);
    fill(second, 0, NULL);
    signal_on(queue, semaphore);
    cl_ok(clWaitForEvents(1, &other));
    ck_assert(race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

static void CL_CALLBACK fills(cl_event event, cl_int status, void *done)
{
    (void)event, (void)status;
    cl_ok(clReleaseEvent(fill(second, 0, NULL)));
    cl_ok(clFlush(second));
    cl_ok(clSetUserEventStatus(done, CL_COMPLETE));
}

/* 5.11: a call that waits is undefined in a callback, so no fix suggests it. A program itself may. */
START_TEST(no_fix_waits_in_a_callback)
{
    cl_event done = cl_user_event(context), marker;
    cl_ok(clReleaseEvent(fill(unordered, 0, NULL)));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    if (_i)
        cl_ok(clSetEventCallback(marker, CL_COMPLETE, fills, done));
    else
        fills(NULL, CL_COMPLETE, done);
    cl_ok(clFlush(queue));
    cl_ok(clWaitForEvents(1, &done));
    expect_fix("to the wait list of command ");
    ck_assert_int_eq(strstr(finding_last("race-commands").fix, "clFinish") == NULL, _i);
    cl_ok(clReleaseEvent(marker));
    cl_ok(clReleaseEvent(done));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order of commands");
    TCase *cases = tcase_create("calls");
    tcase_add_checked_fixture(cases, set_up, tear_down);
#define ADD(test) tcase_add_test(cases, test)
    ADD(two_queues_without_an_event);
    ADD(it_does_not_matter_that_the_first_is_complete);
    ADD(R31_2_with_the_event);
    ADD(R31_2_with_the_event_of_a_complete_command);
    ADD(R31_4_with_clWaitForEvents);
    ADD(R31_4_with_a_blocking_call);
    ADD(R31_4_not_with_a_call_that_does_not_block);
    ADD(R31_5_an_in_order_queue);
    ADD(R31_5_not_an_out_of_order_queue);
    ADD(R31_6_a_marker_waits_for_all);
    ADD(R31_6_a_second_marker_waits_for_all);
    ADD(R31_6_no_command_waits_for_a_marker_implicitly);
    ADD(R31_6_a_marker_with_a_list_waits_for_that);
    ADD(R31_7_a_barrier);
    ADD(R31_7_barrier_with_a_list_orders_later_commands);
    ADD(R31_7_barrier_with_a_list_is_ordered_after_the_list_only);
    ADD(R31_8_clFinish);
    ADD(R31_8_clFinish_before_another_queue);
    ADD(R31_8_clFinish_of_another_queue);
    ADD(R31_11_a_callback);
    ADD(R31_11_not_a_callback_for_the_start);
    ADD(R31_12_a_user_event);
    ADD(R31_12_a_user_event_set_too_early);
    tcase_add_loop_test(cases, semaphore_orders_commands, 0, 2);
    tcase_add_loop_test(cases, semaphore_does_not_order_commands_outside_it, 0, 2);
    ADD(later_wait_of_the_host_is_no_order);
#undef ADD
    tcase_add_loop_test(cases, no_fix_waits_in_a_callback, 0, 2);
    suite_add_tcase(suite, cases);
    return cl_run_suite(suite);
}
