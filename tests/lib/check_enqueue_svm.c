/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on shared virtual memory. */
#include "tests/support/cl_fixture.h"

enum { SIZE = 1024 };
static char *shared, *foreign;
static char host[SIZE];
static cl_event foreign_event;

static void set_up(void)
{
    cl_set_up();
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    foreign = clSVMAlloc(other_context, CL_MEM_READ_WRITE, SIZE, 0);
    ck_assert_ptr_nonnull(shared);
    ck_assert_ptr_nonnull(foreign);
    foreign_event = cl_user_event(other_context);
    for (int i = 0; i < SIZE; i++)
        host[i] = (char)(3 * i);
}

static void tear_down(void)
{
    clSVMFree(context, shared);
    clSVMFree(other_context, foreign);
    cl_ok(clReleaseEvent(foreign_event));
    cl_tear_down();
}

START_TEST(clEnqueueSVMMemcpy_judges_its_arguments)
{
    cl_event gate = cl_user_event(context);
    cl_is(clEnqueueSVMMemcpy(NULL, CL_TRUE, shared, host, 1, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, 1, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, 1, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, host, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, NULL, 1, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, shared + 8, 9, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared + 8, shared, 9, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, shared + 8, shared, 8, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, 0, 0, NULL, NULL));
    cl_ok(clSetUserEventStatus(gate, -1));
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, host, 1, 1, &gate, NULL),
          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_ok(clReleaseEvent(gate));
}
END_TEST

START_TEST(clEnqueueSVMMemcpy_copies_either_way)
{
    char back[SIZE] = {0};
    char *second = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, host, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, second, shared, SIZE, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, back, second, SIZE, 0, NULL, NULL));
    ck_assert_mem_eq(back, host, SIZE);
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, back, host + 1, SIZE - 1, 0, NULL, NULL));
    ck_assert_mem_eq(back, host + 1, SIZE - 1);
    clSVMFree(context, second);
}
END_TEST

START_TEST(clEnqueueSVMMemFill_judges_its_arguments)
{
    static const char pattern[128];
    cl_is(clEnqueueSVMMemFill(NULL, shared, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 4, 4, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 4, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueSVMMemFill(queue, NULL, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared + 2, pattern, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 12, 12, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 256, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMemFill(queue, shared, pattern, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_ok(clEnqueueSVMMemFill(queue, shared, pattern, 128, 256, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(clEnqueueSVMMemFill_repeats_its_pattern)
{
    static _Alignas(8) char plain[64];
    char back[64];
    cl_ok(clEnqueueSVMMemFill(queue, shared, "abcdefgh", 8, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemFill(queue, plain, "abcdefgh", 8, 64, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, back, shared, 64, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(back[i], 'a' + i % 8);
    ck_assert_mem_eq(plain, back, 64);
}
END_TEST

/* Memory of Orrery that is in no allocation: the program got the address, so a command must not crash there. */
START_TEST(addresses_outside_of_allocations_are_refused)
{
    enum { BYTES = 8192 };
    static char own[BYTES];
    const int four = 4;
    char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0);
    char *freed = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    ck_assert(memory && freed);
    clSVMFree(context, freed);
    char *const wrong[] = {freed, freed + 64, memory + 256 + 44, memory + 256};
    cl_mem buffer = cl_buffer(context, 0, BYTES, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cl_event filled;
        cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, wrong[i], own, BYTES, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, own, wrong[i], BYTES, 0, NULL, NULL), CL_INVALID_VALUE);
        cl_ok(clEnqueueSVMMemFill(queue, wrong[i], &four, sizeof four, BYTES, 0, NULL, &filled));
        cl_is(clWaitForEvents(1, &filled), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, wrong[i], 0, NULL, NULL),
              CL_INVALID_VALUE);
        cl_is(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, wrong[i], 0, NULL, NULL),
              CL_INVALID_VALUE);
        cl_ok(clReleaseEvent(filled));
    }
    cl_ok(clReleaseMemObject(buffer));
    clSVMFree(context, memory);
}
END_TEST

START_TEST(clEnqueueSVMMap_and_Unmap_judge_their_arguments)
{
    cl_is(clEnqueueSVMMap(NULL, CL_TRUE, CL_MAP_READ, shared, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 4, 1, &foreign_event, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 4, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, 1u << 9, shared, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, shared, 4, 0, NULL,
                          NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueSVMUnmap(NULL, shared, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMUnmap(queue, shared, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueSVMUnmap(queue, shared, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
}
END_TEST

START_TEST(mapped_memory_is_shared)
{
    char back[SIZE];
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, shared, SIZE, 0, NULL, NULL));
    memcpy(shared, host, SIZE);
    cl_ok(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, back, shared, SIZE, 0, NULL, NULL));
    ck_assert_mem_eq(back, host, SIZE);
}
END_TEST

static struct {
    cl_command_queue queue;
    cl_uint count;
    void *pointers[4];
    void *data;
} freed;

static void CL_CALLBACK free_them(cl_command_queue of, cl_uint count, void *pointers[], void *data)
{
    freed.queue = of;
    freed.count = count;
    freed.data = data;
    for (cl_uint i = 0; i < count; i++) {
        freed.pointers[i] = pointers[i];
        clSVMFree(context, pointers[i]);
    }
}

START_TEST(clEnqueueSVMFree_frees)
{
    cl_event event;
    cl_command_type type = 0;
    cl_ulong time;
    void *some[2] = {clSVMAlloc(context, 0, 64, 0), clSVMAlloc(context, 0, 64, 0)};
    void *more[1] = {clSVMAlloc(context, 0, 64, 0)};
    void *first = some[0], *second = some[1];
    cl_is(clEnqueueSVMFree(NULL, 2, some, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMFree(queue, 0, some, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMFree(queue, 2, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMFree(queue, 2, some, NULL, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueSVMFree(queue, 2, some, NULL, NULL, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_ok(clEnqueueSVMFree(queue, 2, some, free_them, &time, 0, NULL, &event));
    memset(some, 0, sizeof some); /* may be reused at once */
    ck_assert_uint_eq(freed.count, 0);
    cl_ok(clEnqueueSVMFree(queue, 1, more, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(freed.count, 2);
    ck_assert_ptr_eq(freed.queue, queue);
    ck_assert_ptr_eq(freed.data, &time);
    ck_assert_ptr_eq(freed.pointers[0], first);
    ck_assert_ptr_eq(freed.pointers[1], second);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_SVM_FREE);
    cl_is(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(clEnqueueSVMMigrateMem_judges_its_arguments)
{
    const void *inside[2] = {shared, shared + 100}, *outside[1] = {host}, *theirs[1] = {foreign};
    const size_t fits[2] = {SIZE, SIZE - 100}, late[2] = {SIZE, SIZE - 99}, whole[2] = {0, 0};
    cl_is(clEnqueueSVMMigrateMem(NULL, 2, inside, fits, 0, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 0, inside, fits, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 2, NULL, fits, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 2, inside, late, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 1, outside, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 1, theirs, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 2, inside, fits, 1u << 7, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueSVMMigrateMem(queue, 2, inside, fits, 0, 1, &foreign_event, NULL), CL_INVALID_CONTEXT);
    cl_is(clEnqueueSVMMigrateMem(queue, 2, inside, fits, 0, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clEnqueueSVMMigrateMem(queue, 2, inside, fits, 0, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMigrateMem(queue, 2, inside, whole, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMigrateMem(queue, 2, inside, NULL, 0, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}
END_TEST

/* The command type of one event; then the event is gone. */
static void type_is(cl_int error, cl_event event, cl_command_type expected)
{
    cl_command_type type = 0;
    cl_ok(error);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, expected);
    cl_ok(clReleaseEvent(event));
}

START_TEST(events_return_the_command_type)
{
    cl_event event;
    const void *range[1] = {shared};
    cl_int error = clEnqueueSVMMemcpy(queue, CL_FALSE, shared, host, SIZE, 0, NULL, &event);
    type_is(error, event, CL_COMMAND_SVM_MEMCPY);
    error = clEnqueueSVMMemFill(queue, shared, host, 4, SIZE, 0, NULL, &event);
    type_is(error, event, CL_COMMAND_SVM_MEMFILL);
    error = clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_READ, shared, SIZE, 0, NULL, &event);
    type_is(error, event, CL_COMMAND_SVM_MAP);
    error = clEnqueueSVMUnmap(queue, shared, 0, NULL, &event);
    type_is(error, event, CL_COMMAND_SVM_UNMAP);
    error = clEnqueueSVMMigrateMem(queue, 1, range, NULL, 0, 0, NULL, &event);
    type_is(error, event, CL_COMMAND_SVM_MIGRATE_MEM);
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(a_device_without_svm_refuses)
{
    cl_set_up_with("device: {features: {svm_coarse: false}}");
    char a[8], b[8];
    void *pointers[1] = {a};
    const void *ranges[1] = {a};
    cl_is(clEnqueueSVMMemcpy(queue, CL_TRUE, a, b, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMemFill(queue, a, b, 1, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 8, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMUnmap(queue, a, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMFree(queue, 1, pointers, free_them, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clEnqueueSVMMigrateMem(queue, 1, ranges, NULL, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_tear_down();
}
END_TEST

static Suite *svm_suite(void)
{
    Suite *suite = suite_create("enqueue_svm");
    TCase *commands = tcase_create("commands"), *without = tcase_create("without");
    tcase_add_checked_fixture(commands, set_up, tear_down);
    tcase_add_test(commands, clEnqueueSVMMemcpy_judges_its_arguments);
    tcase_add_test(commands, clEnqueueSVMMemcpy_copies_either_way);
    tcase_add_test(commands, clEnqueueSVMMemFill_judges_its_arguments);
    tcase_add_test(commands, clEnqueueSVMMemFill_repeats_its_pattern);
    tcase_add_test(commands, addresses_outside_of_allocations_are_refused);
    tcase_add_test(commands, clEnqueueSVMMap_and_Unmap_judge_their_arguments);
    tcase_add_test(commands, mapped_memory_is_shared);
    tcase_add_test(commands, clEnqueueSVMFree_frees);
    tcase_add_test(commands, clEnqueueSVMMigrateMem_judges_its_arguments);
    tcase_add_test(commands, events_return_the_command_type);
    tcase_add_test(without, a_device_without_svm_refuses);
    suite_add_tcase(suite, commands);
    suite_add_tcase(suite, without);
    return suite;
}

int main(void)
{
    return cl_run_suite(svm_suite());
}
