/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host stores into fine-grained shared virtual memory: reported when a command that was enqueued before and
 * not waited for touches these bytes (OpenCL 2.2 API, 3.3.6 and 5.6.2), and at no other time.
 */
#include "tests/support/host_fixture.h"

#include <pthread.h>

enum { COUNT = 3000, HALF = COUNT / 2, FINE = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER };

static const char source[] =
    "kernel void take(global const int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void give(global int *a, global int *b) { a[get_global_id(0)] = 7; }\n"
    "kernel void scatter(global int *a, global int *b) { a[get_global_id(0) * 7 % 3000] = 7; }\n"
    "kernel void work(global int *a, global int *b) {\n"
    "    int sum = a[get_global_id(0)];\n"
    "    for (int i = 0; i < 20000; i++) sum = sum * 1103515245 + 12345;\n"
    "    b[get_global_id(0)] = sum; }\n";
static cl_int *data, *other;

static void set_up_with(const char *severity, const char *pages)
{
    host_set_up(severity, pages, source);
    data = clSVMAlloc(context, FINE, COUNT * sizeof *data, 0);
    other = clSVMAlloc(context, FINE, COUNT * sizeof *other, 0);
    ck_assert(data && other);
}

static void set_up(void)
{
    set_up_with("warning", "false");
}
static void set_up_closed(void)
{
    set_up_with("warning", "true");
}

static cl_event enqueue(cl_command_queue on, const char *name, cl_int *first, size_t items,
                        const cl_event *after)
{
    cl_kernel kernel = host_kernel(name);
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, first));
    cl_ok(clSetKernelArgSVMPointer(kernel, 1, other));
    return host_launch(on, kernel, items, after);
}

static cl_event run(const char *name)
{
    return enqueue(queue, name, data, COUNT, NULL);
}

/* ---- reported ---------------------------------------------------------------------------------- */

static const char *const kernels[] = {"take", "give", "scatter", "work"};

START_TEST(before_it_runs)
{
    set_up();
    run(kernels[_i]);
    data[5] = 1;
    host_reported(1);
    data[6] = 1;
    host_reported(1);
}
END_TEST

START_TEST(complete_command_without_a_wait)
{
    set_up();
    const cl_event event = run(kernels[_i]);
    cl_ok(clFlush(queue));
    host_poll(event, CL_COMPLETE);
    data[5] = 1;
    host_reported(1);
}
END_TEST

START_TEST(while_it_runs)
{
    set_up();
    const cl_event event = run("work");
    cl_ok(clFlush(queue));
    host_poll(event, CL_RUNNING);
    data[5] = 1;
    host_reported(1);
}
END_TEST

START_TEST(copies_and_fills)
{
    set_up();
    const cl_int one = 1;
    if (_i == 0)
        cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, other, data, 4 * HALF, 0, NULL, NULL));
    else
        cl_ok(clEnqueueSVMMemFill(queue, data, &one, sizeof one, 4 * HALF, 0, NULL, NULL));
    data[HALF - 1] = 2;
    data[HALF] = 2;
    host_reported(1);
}
END_TEST

START_TEST(of_the_queue_that_was_not_waited_for)
{
    cl_int err;
    set_up();
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    enqueue(queue, "give", data, HALF, NULL);
    enqueue(second, "give", data + HALF, HALF, NULL);
    cl_ok(clFinish(_i ? second : queue));
    data[0] = 1;
    cl_ok(clFinish(second));
    host_reported(_i == 1);
}
END_TEST

START_TEST(after_the_user_event)
{
    cl_int err;
    set_up();
    cl_event go = clCreateUserEvent(context, &err);
    cl_ok(err);
    enqueue(queue, "take", data, COUNT, &go);
    if (_i == 0)
        data[5] = 1;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    if (_i == 1)
        data[5] = 1;
    host_reported(_i == 1);
}
END_TEST

/* Others wait for the events that it sets: this command has not seen what it stored before. */
START_TEST(beside_user_events)
{
    cl_int err;
    set_up_with("warning", _i % 2 ? "true" : "false");
    cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    cl_event go = cl_user_event(context), unused = cl_user_event(context), late = cl_user_event(context);
    cl_ok(clEnqueueMarkerWithWaitList(second, 1, &go, NULL));
    run(kernels[_i / 2]);
    data[5] = 1;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clSetUserEventStatus(unused, CL_COMPLETE));
    host_reported(1);
    cl_ok(clFinish(second));
    enqueue(second, "take", data, COUNT, &late);
    data[7] = 1;
    cl_ok(clSetUserEventStatus(late, CL_COMPLETE));
    cl_ok(clFinish(second));
    host_reported(1);
}
END_TEST

/* ---- with pages closed ------------------------------------------------------------------------- */

static volatile cl_int sink;

START_TEST(load_of_bytes_that_a_command_writes)
{
    set_up_closed();
    const cl_event event = run("give");
    if (_i > 0)
        cl_ok(clFlush(queue));
    if (_i > 1)
        host_poll(event, CL_COMPLETE);
    sink = data[_i * 1000];
    host_reported(1);
    sink = data[1];
    host_reported(1);
}
END_TEST

START_TEST(a_store_has_a_line)
{
    set_up_closed();
    run("take");
    sink = data[7]; /* both read it */
    data[7] = 1;
    host_reported(1);
    struct orrery_finding finding;
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_ptr_nonnull(strstr(finding.access[0].what, "store"));
    ck_assert_ptr_nonnull(finding.access[0].file); /* without debug information the name of the program */
    ck_assert_uint_eq(finding.offset_bytes, 28);
}
END_TEST

START_TEST(loads_that_are_ordered)
{
    set_up_closed();
    for (int i = 0; i < 5; i++) {
        sink = data[i];
        const cl_event event = run(kernels[i % 4]);
        sink = i % 4 == 0 ? data[i] : 0; /* that kernel reads it */
        if (i % 2)
            cl_ok(clWaitForEvents(1, &event));
        else
            cl_ok(clFinish(queue));
        sink = data[i] + other[i];
        data[i] = i;
    }
    host_reported(0);
}
END_TEST

START_TEST(a_load_after_the_user_event)
{
    cl_int err;
    set_up_closed();
    cl_event go = clCreateUserEvent(context, &err);
    cl_ok(err);
    enqueue(queue, "give", data, COUNT, &go);
    if (_i == 0)
        sink = data[5];
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    if (_i == 1)
        sink = data[5];
    host_reported(_i == 1);
}
END_TEST

/* ---- not reported ------------------------------------------------------------------------------- */

START_TEST(before_and_after)
{
    set_up();
    for (int i = 0; i < 4; i++) {
        data[i] = i + 1;
        const cl_event event = run(kernels[i]);
        if (i % 2)
            cl_ok(clWaitForEvents(1, &event));
        else
            cl_ok(clFinish(queue));
        data[i + 1] = other[i] = -i - 1;
    }
    host_reported(0);
}
END_TEST

/* One half is the kernels' while the host fills the other. */
START_TEST(other_bytes)
{
    set_up();
    for (int i = 0; i < 6; i++) {
        cl_int *mine = data + (i % 2 ? 0 : HALF), *theirs = data + (i % 2 ? HALF : 0);
        enqueue(queue, i < 3 ? "give" : "work", theirs, HALF, NULL);
        cl_ok(clFlush(queue));
        for (int k = 0; k < HALF; k++)
            mine[k] = i + k;
        cl_ok(clFinish(queue));
    }
    host_reported(0);
}
END_TEST

START_TEST(store_of_an_equal_value)
{
    set_up();
    data[5] = 1;
    run("take");
    data[5] = 1;
    host_reported(0);
}
END_TEST

static pthread_barrier_t called;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *pointer)
{
    (void)event, (void)status;
    *(cl_int *)pointer = 5;
    pthread_barrier_wait(&called);
}

START_TEST(from_the_callback_on)
{
    set_up();
    pthread_barrier_init(&called, NULL, 2);
    const cl_event event = run("give");
    cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, data));
    cl_ok(clFlush(queue));
    pthread_barrier_wait(&called);
    data[1] = 5;
    host_reported(0);
}
END_TEST

/* Atomics of both may order what is stored elsewhere. */
START_TEST(beside_memory_with_atomics)
{
    set_up();
    ck_assert_ptr_nonnull(clSVMAlloc(context, FINE | CL_MEM_SVM_ATOMICS, 64, 0));
    run("take");
    data[5] = 1;
    host_reported(0);
}
END_TEST

START_TEST(without_the_option)
{
    set_up_with("off", _i ? "true" : "false");
    run("take");
    data[5] = 1;
    host_reported(0);
}
END_TEST

START_TEST(in_memory_that_was_freed)
{
    set_up();
    run("take");
    cl_ok(clFinish(queue));
    clSVMFree(context, data);
    data = other;
    run("give");
    host_reported(0);
}
END_TEST

/* Parts of the memory are passed to kernels of two queues and back to the host, which stores into those that
 * it has. */
START_TEST(parts_released_and_created_again)
{
    enum { PARTS = 6, PART = COUNT / PARTS };
    cl_event under_way[PARTS] = {NULL};
    cl_command_queue queues[2];
    cl_int err;
    uint64_t state = (uint64_t)_i;
    set_up();
    queues[0] = queue;
    queues[1] = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 300; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t at = (uint32_t)(state >> 40) % PARTS, operation = (uint32_t)(state >> 33) % 8;
        if (operation < 3 && !under_way[at])
            under_way[at] = enqueue(queues[operation % 2], operation ? "give" : "work", data + at * PART,
                                    operation ? PART : 8, NULL);
        if (operation == 3)
            cl_ok(clFlush(queues[at % 2]));
        if (operation > 4 && under_way[at]) {
            cl_ok(clWaitForEvents(1, &under_way[at]));
            under_way[at] = NULL;
        }
        for (uint32_t k = 0; k < PARTS; k++)
            if (!under_way[k])
                data[k * PART + (uint32_t)i % PART] = i;
    }
    cl_ok(clFinish(queues[1]));
    host_reported(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("what the host stores into shared memory");
    TCase *tests = tcase_create("stores");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 30);
    tcase_add_loop_test(tests, before_it_runs, 0, 4);
    tcase_add_loop_test(tests, complete_command_without_a_wait, 0, 4);
    tcase_add_test(tests, while_it_runs);
    tcase_add_loop_test(tests, copies_and_fills, 0, 2);
    tcase_add_loop_test(tests, of_the_queue_that_was_not_waited_for, 0, 2);
    tcase_add_loop_test(tests, after_the_user_event, 0, 2);
    tcase_add_loop_test(tests, beside_user_events, 0, 8);
    tcase_add_loop_test(tests, load_of_bytes_that_a_command_writes, 0, 3);
    tcase_add_test(tests, a_store_has_a_line);
    tcase_add_test(tests, loads_that_are_ordered);
    tcase_add_loop_test(tests, a_load_after_the_user_event, 0, 2);
    tcase_add_test(tests, before_and_after);
    tcase_add_test(tests, other_bytes);
    tcase_add_test(tests, store_of_an_equal_value);
    tcase_add_test(tests, from_the_callback_on);
    tcase_add_test(tests, beside_memory_with_atomics);
    tcase_add_loop_test(tests, without_the_option, 0, 2);
    tcase_add_test(tests, in_memory_that_was_freed);
    tcase_add_loop_test(tests, parts_released_and_created_again, 0, 20);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
