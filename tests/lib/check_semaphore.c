/* SPDX-License-Identifier: Apache-2.0 */
/* cl_khr_semaphore: its text, each query, each error. */
#include "tests/support/extension_fixture.h"
#include "orrery/orrery.h"

/* ---- cl_khr_semaphore ------------------------------------------------------------------------ */

static clCreateSemaphoreWithPropertiesKHR_fn create_semaphore;
static clRetainSemaphoreKHR_fn retain_semaphore;
static clReleaseSemaphoreKHR_fn release_semaphore;
static clGetSemaphoreInfoKHR_fn semaphore_info;
static clEnqueueWaitSemaphoresKHR_fn enqueue_wait;
static clEnqueueSignalSemaphoresKHR_fn enqueue_signal;

static void semaphore_set_up(void)
{
    cl_set_up();
    ck_assert(has_extension("cl_khr_semaphore"));
    create_semaphore = NAMED(clCreateSemaphoreWithPropertiesKHR);
    retain_semaphore = NAMED(clRetainSemaphoreKHR);
    release_semaphore = NAMED(clReleaseSemaphoreKHR);
    semaphore_info = NAMED(clGetSemaphoreInfoKHR);
    enqueue_wait = NAMED(clEnqueueWaitSemaphoresKHR);
    enqueue_signal = NAMED(clEnqueueSignalSemaphoresKHR);
}

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_semaphore_khr new_semaphore(cl_context owner)
{
    cl_int err;
    cl_semaphore_khr made = create_semaphore(owner, binary, &err);
    cl_ok(err);
    return made;
}

static cl_int creates(cl_context owner, const cl_semaphore_properties_khr *list)
{
    cl_int err;
    cl_semaphore_khr made = create_semaphore(owner, list, &err);
    ck_assert((made != NULL) == (err == CL_SUCCESS));
    if (made)
        cl_ok(release_semaphore(made));
    return err;
}

static orrery_finding_count_of_fn *findings_of;

static void find_misuse(void)
{
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_CHECK_MISUSE", "warning", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    semaphore_set_up();
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count_of");
    memcpy(&findings_of, &function, sizeof function);
}

static cl_semaphore_payload_khr payload(cl_semaphore_khr semaphore)
{
    cl_semaphore_payload_khr value = 7;
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_PAYLOAD_KHR, sizeof value, &value, NULL));
    return value;
}

START_TEST(semaphores_are_created_as_specified)
{
    enum { DEVICES = 0x2053 };
    semaphore_set_up();
    const cl_semaphore_properties_khr self = (cl_semaphore_properties_khr)(uintptr_t)device;
    const cl_semaphore_properties_khr untyped[] = {0}, strange[] = {CL_SEMAPHORE_TYPE_KHR, 9, 0},
                                      unknown[] = {0x1234, 1, 0};
    const cl_semaphore_properties_khr twice[] = {CL_SEMAPHORE_TYPE_KHR, 1, CL_SEMAPHORE_TYPE_KHR, 1, 0};
    const cl_semaphore_properties_khr one[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, self, 0, 0};
    const cl_semaphore_properties_khr two[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, self, self, 0, 0};
    const cl_semaphore_properties_khr empty_list[] = {CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, 0, 0};
    const cl_semaphore_properties_khr no_device[] = {
        CL_SEMAPHORE_TYPE_KHR, 1, DEVICES, (cl_semaphore_properties_khr)(uintptr_t)queue, 0, 0};
    cl_ok(creates(context, binary));
    cl_ok(creates(context, one));
    cl_is(creates((cl_context)queue, binary), CL_INVALID_CONTEXT);
    cl_is(creates(context, NULL), CL_INVALID_VALUE);
    cl_is(creates(context, untyped), CL_INVALID_VALUE);
    cl_is(creates(context, strange), CL_INVALID_PROPERTY);
    cl_is(creates(context, unknown), CL_INVALID_PROPERTY);
    cl_is(creates(context, twice), CL_INVALID_PROPERTY);
    cl_is(creates(context, two), CL_INVALID_DEVICE);
    cl_is(creates(context, empty_list), CL_INVALID_DEVICE);
    cl_is(creates(context, no_device), CL_INVALID_DEVICE);
    cl_tear_down();
}
END_TEST

START_TEST(semaphore_queries_return)
{
    cl_context owner = NULL;
    cl_device_id of = NULL;
    cl_uint count = 0;
    cl_semaphore_type_khr type = 0;
    cl_semaphore_properties_khr kept[3];
    size_t size = 0;
    semaphore_set_up();
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_ok(clGetPlatformInfo(platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_CONTEXT_KHR, sizeof owner, &owner, NULL));
    ck_assert_ptr_eq(owner, context);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_PROPERTIES_KHR, sizeof kept, kept, &size));
    ck_assert(size == sizeof binary && memcmp(kept, binary, size) == 0);
    cl_ok(semaphore_info(semaphore, 0x2053, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, device);
    cl_ok(retain_semaphore(semaphore));
    cl_ok(semaphore_info(semaphore, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_is(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &type, NULL), CL_INVALID_VALUE);
    cl_is(semaphore_info(semaphore, 0x1234, sizeof type, &type, NULL), CL_INVALID_VALUE);
    cl_ok(release_semaphore(semaphore));
    cl_ok(release_semaphore(semaphore));
    cl_is(release_semaphore(semaphore), CL_INVALID_SEMAPHORE_KHR);
    cl_is(retain_semaphore(semaphore), CL_INVALID_SEMAPHORE_KHR);
    cl_is(semaphore_info(semaphore, CL_SEMAPHORE_TYPE_KHR, sizeof type, &type, NULL),
          CL_INVALID_SEMAPHORE_KHR);
    cl_tear_down();
}
END_TEST

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

/*
 * Commands before the signal in one queue run before those after the wait in the other, whichever is called
 * first (_i & 1) and whichever queue is flushed first (_i & 2); repeatedly with the same semaphore.
 */
/* S: a signal; W: a wait; F: a signal that fails. */
START_TEST(binary_semaphore_alternates_signal_and_wait)
{
    static const struct {
        const char *calls;
        size_t findings;
    } rows[] = {{"SWSWS", 0}, {"WSWSW", 0}, {"SS", 1}, {"SWW", 1}, {"WWS", 1}, {"FS", 0}, {"SWSS", 1}};
    cl_int err;
    find_misuse();
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_command_queue second = cl_new_queue(context, 0);
    cl_event gate = clCreateUserEvent(context, &err);
    for (const char *call = rows[_i].calls; *call; call++) {
        if (*call == 'W')
            cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, NULL));
        else
            cl_ok(
                enqueue_signal(queue, 1, &semaphore, NULL, *call == 'F', *call == 'F' ? &gate : NULL, NULL));
        if (*call == 'F') {
            cl_ok(clSetUserEventStatus(gate, -5));
            clFinish(queue);
        }
    }
    ck_assert_uint_eq(findings_of("semaphore-misuse"), rows[_i].findings);
    cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, NULL)); /* ends a last wait */
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(release_semaphore(semaphore));
    cl_tear_down();
}
END_TEST

START_TEST(a_semaphore_orders_queues)
{
    semaphore_set_up();
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_command_queue second = cl_new_queue(context, 0);
    for (int round = 0; round < 3; round++) {
        cl_event signalled = NULL, waited = NULL, before = NULL, past = NULL;
        for (int step = 0; step < 2; step++)
            if (step == (_i & 1)) {
                before = cl_trace(queue, 2 * round, 0, NULL);
                cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, &signalled));
            } else {
                cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
                past = cl_trace(second, 2 * round + 1, 0, NULL);
            }
        ck_assert_uint_eq(type_of(signalled), CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
        ck_assert_uint_eq(type_of(waited), CL_COMMAND_SEMAPHORE_WAIT_KHR);
        if (_i & 2) {
            cl_ok(clFlush(second));
            cl_ok(clFinish(queue));
        } else {
            cl_ok(clFlush(queue));
        }
        cl_ok(clFinish(second));
        ck_assert_int_eq(trace.count, 2 * round + 2);
        ck_assert_int_eq(trace.number[2 * round], 2 * round);
        ck_assert_int_eq(trace.number[2 * round + 1], 2 * round + 1);
        ck_assert_uint_eq(payload(semaphore), 0);
        cl_ok(clReleaseEvent(signalled));
        cl_ok(clReleaseEvent(waited));
        cl_ok(clReleaseEvent(before));
        cl_ok(clReleaseEvent(past));
    }
    cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(payload(semaphore), 1);
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(release_semaphore(semaphore));
    cl_tear_down();
}
END_TEST

START_TEST(a_signal_that_fails_fails_the_wait)
{
    cl_event signalled, waited;
    semaphore_set_up();
    cl_event user = cl_user_event(context);
    cl_semaphore_khr semaphore = new_semaphore(context);
    cl_command_queue second = cl_new_queue(context, 0);
    if (_i)
        cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
    cl_ok(enqueue_signal(queue, 1, &semaphore, NULL, 1, &user, &signalled));
    if (!_i)
        cl_ok(enqueue_wait(second, 1, &semaphore, NULL, 0, NULL, &waited));
    cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    cl_ok(clSetUserEventStatus(user, -5));
    clFinish(second);
    ck_assert_int_lt(cl_status(signalled), 0);
    ck_assert_int_lt(cl_status(waited), 0);
    ck_assert_uint_eq(payload(semaphore), 0);
    cl_is(enqueue_wait(second, 1, &semaphore, NULL, 1, &user, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_is(enqueue_signal(second, 1, &semaphore, NULL, 1, &user, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(signalled));
    cl_ok(clReleaseEvent(waited));
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(release_semaphore(semaphore));
    cl_tear_down();
}
END_TEST

START_TEST(semaphore_commands_have_the_errors_of_their_text)
{
    semaphore_set_up();
    clEnqueueWaitSemaphoresKHR_fn enqueue = _i ? enqueue_wait : enqueue_signal;
    cl_semaphore_khr semaphore = new_semaphore(context), other = new_semaphore(other_context),
                     none = (cl_semaphore_khr)queue;
    cl_event user = cl_user_event(other_context), bad = (cl_event)queue;
    cl_is(enqueue((cl_command_queue)context, 1, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(enqueue(queue, 0, &semaphore, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue(queue, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue(queue, 1, &none, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
    cl_is(enqueue(queue, 1, &other, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, &user, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue(queue, 1, &semaphore, NULL, 1, &bad, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clReleaseEvent(user));
    cl_ok(release_semaphore(semaphore));
    cl_ok(release_semaphore(other));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("semaphore");
    TCase *tests = tcase_create("host");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, semaphores_are_created_as_specified);
    tcase_add_test(tests, semaphore_queries_return);
    tcase_add_loop_test(tests, binary_semaphore_alternates_signal_and_wait, 0, 7);
    tcase_add_loop_test(tests, a_semaphore_orders_queues, 0, 4);
    tcase_add_loop_test(tests, a_signal_that_fails_fails_the_wait, 0, 2);
    tcase_add_loop_test(tests, semaphore_commands_have_the_errors_of_their_text, 0, 2);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
