/* SPDX-License-Identifier: Apache-2.0 */
/* Command-buffers of cl_khr_command_buffer 0.9.4: the pending state, shared memory, and what --data-races
 * makes of them. How they are made and replayed is in check_recording.c. */
#include "tests/support/finding_fixture.h"
#include "tests/support/recorder_fixture.h"

static const cl_command_buffer_properties_khr simultaneous[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                                CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
static cl_mem buffer;

static void set_up(void)
{
    finding_set_up();
    buffer = cl_buffer(context, 0, 64, NULL);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}

static cl_command_buffer_state_khr state_of(cl_command_buffer_khr recorder)
{
    cl_command_buffer_state_khr state = 77;
    cl_ok(
        NAMED(clGetCommandBufferInfoKHR)(recorder, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    return state;
}

/* One that fills the buffer, ready. */
static cl_command_buffer_khr filler(const cl_command_buffer_properties_khr *properties)
{
    const cl_uint one = 1;
    cl_command_buffer_khr recorder = recorder_new(queue, properties);
    cl_ok(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 64, NO_POINTS));
    ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    return recorder;
}

/* From the enqueue to the end of every command, also when these fail: _i. */
START_TEST(it_is_pending_until_it_has_run)
{
    cl_command_buffer_khr recorder = filler(NULL);
    for (int round = 0; round < 2; round++) {
        cl_event user = cl_user_event(context), done;
        cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 1, &user, &done));
        ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_PENDING_KHR);
        cl_is(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL), CL_INVALID_OPERATION);
        ck_assert_str_eq(finding_last("api-error").access[0].what,
                         "clEnqueueCommandBufferKHR returned CL_INVALID_OPERATION");
        cl_ok(clFlush(queue));
        ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_PENDING_KHR);
        cl_ok(clSetUserEventStatus(user, _i ? -5 : CL_COMPLETE));
        clFinish(queue);
        ck_assert_int_eq(cl_status(done) < 0, _i);
        ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
        cl_ok(clReleaseEvent(user));
        cl_ok(clReleaseEvent(done));
    }
    recorder_free(recorder);
}
END_TEST

START_TEST(simultaneous_use_needs_its_flag)
{
    cl_command_buffer_khr recorder = filler(simultaneous);
    cl_event user = cl_user_event(context), other = cl_user_event(context);
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 1, &user, NULL));
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(1, &unordered, recorder, 1, &other, NULL));
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_PENDING_KHR);
    cl_ok(clSetUserEventStatus(other, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    ck_assert_uint_eq(state_of(recorder), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(other));
    recorder_free(recorder);
}
END_TEST

/* It lives on as long as it is pending. */
START_TEST(pending_buffer_may_be_released)
{
    cl_uint words[16] = {0};
    cl_command_buffer_khr recorder = filler(NULL);
    cl_event user = cl_user_event(context);
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 1, &user, NULL));
    recorder_free(recorder);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    ck_assert_uint_eq(words[15], 1);
    cl_ok(clReleaseEvent(user));
}
END_TEST

/* A program that releases a queue once too often takes the reference that the buffer has for it. */
START_TEST(a_queue_released_too_often_lives_on_in_its_buffer)
{
    cl_int err;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    cl_command_buffer_khr recorder = NAMED(clCreateCommandBufferKHR)(1, &own, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseCommandQueue(own));
    cl_ok(clReleaseCommandQueue(own));
    cl_is(clReleaseCommandQueue(own), CL_INVALID_COMMAND_QUEUE);
    cl_forget_destroyed();
    cl_context of_context = NULL;
    cl_ok(NAMED(clGetCommandBufferInfoKHR)(recorder, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof of_context,
                                           &of_context, NULL));
    ck_assert_ptr_eq(of_context, context);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    cl_is(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_ok(NAMED(clReleaseCommandBufferKHR)(recorder));
}
END_TEST

START_TEST(recorder_query_returns_its_context)
{
    cl_context owner = NULL;
    cl_command_queue_properties supported = 0;
    cl_command_buffer_khr recorder = recorder_new(queue, NULL);
    cl_ok(NAMED(clGetCommandBufferInfoKHR)(recorder, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof owner, &owner,
                                           NULL));
    ck_assert_ptr_eq(owner, context);
    cl_ok(clGetDeviceInfo(device, 0x129A, sizeof supported, &supported, NULL));
    ck_assert_uint_eq(supported, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    recorder_free(recorder);
}
END_TEST

/* The pattern is that of the recording, what is copied that of the time. */
START_TEST(shared_memory_is_filled_and_copied)
{
    cl_uint pattern = 7;
    cl_sync_point_khr filled;
    cl_uint *a = clSVMAlloc(context, 0, 64, 0), *b = clSVMAlloc(context, 0, 64, 0), words[32];
    cl_command_buffer_khr recorder = recorder_new(unordered, NULL);
    ck_assert(a && b);
    cl_ok(NAMED(clCommandSVMMemFillKHR)(recorder, NULL, a, &pattern, 4, 32, 0, NULL, &filled, NULL));
    cl_ok(NAMED(clCommandSVMMemcpyKHR)(recorder, NULL, b, a, 64, 1, &filled, NULL, NULL));
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    pattern = 9;
    cl_ok(clEnqueueSVMMemFill(unordered, a, &pattern, 4, 64, 0, NULL, NULL));
    cl_ok(clFinish(unordered));
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL));
    cl_ok(clFinish(unordered));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, words, b, 64, 0, NULL, NULL));
    for (cl_uint i = 0; i < 16; i++)
        ck_assert_uint_eq(words[i], i < 8 ? 7 : 9);
    recorder_free(recorder);
    clSVMFree(context, a);
    clSVMFree(context, b);
}
END_TEST

/* ---- races ---------------------------------------------------------------------------------- */

static void set_up_races(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    set_up();
}

/* Barriers of a command-buffer wait for what is recorded before them, which here is nothing: what is outside
 * is not ordered, but by the buffer's own wait list. Of an in-order queue, too, when it runs on another. */
START_TEST(a_barrier_that_waits_for_nothing)
{
    static const struct {
        bool in_order, two, waits;
    } cases[] = {{false, false, false},
                 {false, true, false},
                 {true, false, false},
                 {true, true, false},
                 {false, true, true}};
    const cl_uint one = 1;
    cl_sync_point_khr first;
    cl_event filled;
    cl_command_buffer_khr recorder = recorder_new(cases[_i].in_order ? queue : unordered, NULL);
    cl_ok(NAMED(clCommandBarrierWithWaitListKHR)(recorder, NULL, 0, NULL, &first, NULL));
    if (cases[_i].two)
        cl_ok(NAMED(clCommandBarrierWithWaitListKHR)(recorder, NULL, 1, &first, NULL, NULL));
    cl_ok(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 64, 1, &first, NULL, NULL));
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    cl_ok(clEnqueueFillBuffer(unordered, buffer, &one, 4, 0, 64, 0, NULL, &filled));
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(1, &unordered, recorder, cases[_i].waits,
                                           cases[_i].waits ? &filled : NULL, NULL));
    cl_ok(clFinish(unordered));
    ck_assert_uint_eq(findings_of("race-commands"), !cases[_i].waits);
    cl_ok(clReleaseEvent(filled));
    recorder_free(recorder);
}
END_TEST

/* But what it has before it, and after it, is. */
START_TEST(a_barrier_between)
{
    const cl_uint one = 1;
    cl_command_buffer_khr recorder = recorder_new(unordered, NULL);
    cl_ok(NAMED(clCommandBarrierWithWaitListKHR)(recorder, NULL, NO_POINTS));
    cl_ok(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 64, NO_POINTS));
    if (_i)
        cl_ok(NAMED(clCommandBarrierWithWaitListKHR)(recorder, NULL, NO_POINTS));
    cl_ok(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 64, NO_POINTS));
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL));
    cl_ok(clFinish(unordered));
    ck_assert_uint_eq(findings_of("race-commands"), !_i);
    if (!_i) { /* reported as it was recorded */
        const struct orrery_finding finding = finding_last("race-commands");
        ck_assert_ptr_nonnull(strstr(finding.fix, "add the sync point of command"));
        ck_assert_ptr_nonnull(strstr(finding.access[0].by, "clCommandFillBufferKHR"));
    }
    recorder_free(recorder);
}
END_TEST

/* Of two executions the events are those of the calls that began them. */
START_TEST(two_executions)
{
    const cl_uint one = 1;
    cl_command_buffer_khr recorders[2];
    for (int i = 0; i < 2; i++) {
        recorders[i] = recorder_new(unordered, NULL);
        cl_ok(NAMED(clCommandFillBufferKHR)(recorders[i], NULL, buffer, &one, 4, 0, 64, NO_POINTS));
        cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorders[i]));
        cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorders[i], 0, NULL, NULL));
    }
    cl_ok(clFinish(unordered));
    ck_assert_ptr_nonnull(strstr(finding_last("race-commands").fix,
                                 "add the event of the clEnqueueCommandBufferKHR of command"));
    recorder_free(recorders[0]);
    recorder_free(recorders[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("command buffers");
    TCase *usual = tcase_create("usual");
    tcase_add_checked_fixture(usual, set_up, tear_down);
    tcase_add_loop_test(usual, it_is_pending_until_it_has_run, 0, 2);
    tcase_add_test(usual, simultaneous_use_needs_its_flag);
    tcase_add_test(usual, pending_buffer_may_be_released);
    tcase_add_test(usual, a_queue_released_too_often_lives_on_in_its_buffer);
    tcase_add_test(usual, recorder_query_returns_its_context);
    tcase_add_test(usual, shared_memory_is_filled_and_copied);
    suite_add_tcase(suite, usual);
    TCase *races = tcase_create("races");
    tcase_add_checked_fixture(races, set_up_races, tear_down);
    tcase_add_loop_test(races, a_barrier_that_waits_for_nothing, 0, 5);
    tcase_add_loop_test(races, a_barrier_between, 0, 2);
    tcase_add_test(races, two_executions);
    suite_add_tcase(suite, races);
    return cl_run_suite(suite);
}
