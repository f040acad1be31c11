/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, sub-buffers and shared virtual memory, through the loader. */
#include "tests/support/cl_fixture.h"

enum { SIZE = 4096, ALIGN = 128 };

static cl_int buffer_error(cl_context owner, const cl_mem_properties *properties, cl_mem_flags flags,
                           size_t size, void *host)
{
    cl_int err = 1, plain = 1;
    cl_mem made = clCreateBufferWithProperties(owner, properties, flags, size, host, &err);
    ck_assert_int_eq(made != NULL, err == CL_SUCCESS);
    if (made)
        cl_ok(clReleaseMemObject(made));
    if (!properties) { /* the older call returns the same */
        made = clCreateBuffer(owner, flags, size, host, &plain);
        cl_is(plain, err);
        if (made)
            cl_ok(clReleaseMemObject(made));
    }
    return err;
}

static uint64_t query(cl_mem memobj, cl_mem_info name, size_t size)
{
    uint64_t value = 0;
    size_t written = 0;
    cl_ok(clGetMemObjectInfo(memobj, name, sizeof value, &value, &written));
    ck_assert_uint_eq(written, size);
    cl_is(clGetMemObjectInfo(memobj, name, size - 1, &value, NULL), CL_INVALID_VALUE);
    return value;
}

/* ---- buffers ----------------------------------------------------------------------------- */

START_TEST(clCreateBuffer_rejects_zero_size)
{
    cl_is(buffer_error(context, NULL, 0, 0, NULL), CL_INVALID_BUFFER_SIZE);
}
END_TEST

START_TEST(clCreateBuffer_rejects_more_than_the_largest_allocation)
{
    cl_ulong most = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    cl_is(buffer_error(context, NULL, 0, most + 1, NULL), CL_INVALID_BUFFER_SIZE);
    cl_is(buffer_error(context, NULL, 0, SIZE_MAX, NULL), CL_INVALID_BUFFER_SIZE);
    cl_ok(buffer_error(context, NULL, 0, most, NULL));
}
END_TEST

START_TEST(clCreateBuffer_rejects_flags_that_exclude_each_other)
{
    char host[SIZE];
    static const cl_mem_flags bad[] = {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                       CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
                                       CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                       CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                       CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                       CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
                                       CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                                       CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
                                       CL_MEM_KERNEL_READ_AND_WRITE,
                                       (cl_mem_flags)1 << 40,
                                       CL_MEM_SVM_FINE_GRAIN_BUFFER};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cl_is(buffer_error(context, NULL, bad[i], SIZE, bad[i] & CL_MEM_USE_HOST_PTR ? host : NULL),
              CL_INVALID_VALUE);
    cl_ok(buffer_error(context, NULL, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, SIZE, host));
}
END_TEST

START_TEST(clCreateBuffer_rejects_a_host_pointer_that_does_not_fit_the_flags)
{
    char host[SIZE];
    cl_is(buffer_error(context, NULL, CL_MEM_USE_HOST_PTR, SIZE, NULL), CL_INVALID_HOST_PTR);
    cl_is(buffer_error(context, NULL, CL_MEM_COPY_HOST_PTR, SIZE, NULL), CL_INVALID_HOST_PTR);
    cl_is(buffer_error(context, NULL, CL_MEM_READ_WRITE, SIZE, host), CL_INVALID_HOST_PTR);
    cl_is(buffer_error(context, NULL, CL_MEM_ALLOC_HOST_PTR, SIZE, host), CL_INVALID_HOST_PTR);
}
END_TEST

START_TEST(clCreateBuffer_rejects_a_bad_context)
{
    cl_is(buffer_error((cl_context)device, NULL, 0, SIZE, NULL), CL_INVALID_CONTEXT);
}
END_TEST

START_TEST(clCreateBufferWithProperties_refuses_every_property)
{
    const cl_mem_properties unknown[] = {0x7777, 1, 0}, empty[] = {0};
    size_t size = 7;
    cl_mem_properties kept = 7;
    cl_is(buffer_error(context, unknown, 0, SIZE, NULL), CL_INVALID_PROPERTY);
    cl_mem made = clCreateBufferWithProperties(context, empty, 0, SIZE, NULL, NULL);
    cl_ok(clGetMemObjectInfo(made, CL_MEM_PROPERTIES, sizeof kept, &kept, &size));
    ck_assert_uint_eq(size, sizeof kept);
    ck_assert_uint_eq(kept, 0);
    cl_ok(clReleaseMemObject(made));
    made = cl_buffer(context, 0, SIZE, NULL);
    cl_ok(clGetMemObjectInfo(made, CL_MEM_PROPERTIES, 0, NULL, &size));
    ck_assert_uint_eq(size, 0);
    cl_ok(clReleaseMemObject(made));
}
END_TEST

START_TEST(clGetMemObjectInfo_of_a_buffer_returns_its_values)
{
    char host[SIZE];
    size_t size;
    cl_mem made = cl_buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, SIZE, host);
    ck_assert_uint_eq(query(made, CL_MEM_TYPE, 4), CL_MEM_OBJECT_BUFFER);
    ck_assert_uint_eq(query(made, CL_MEM_FLAGS, 8), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
    ck_assert_uint_eq(query(made, CL_MEM_SIZE, 8), SIZE);
    ck_assert_uint_eq(query(made, CL_MEM_HOST_PTR, 8), (uintptr_t)host);
    ck_assert_uint_eq(query(made, CL_MEM_MAP_COUNT, 4), 0);
    ck_assert_uint_eq(query(made, CL_MEM_REFERENCE_COUNT, 4), 1);
    ck_assert_uint_eq(query(made, CL_MEM_CONTEXT, 8), (uintptr_t)context);
    ck_assert_uint_eq(query(made, CL_MEM_ASSOCIATED_MEMOBJECT, 8), 0);
    ck_assert_uint_eq(query(made, CL_MEM_OFFSET, 8), 0);
    ck_assert_uint_eq(query(made, CL_MEM_USES_SVM_POINTER, 4), CL_FALSE);
    cl_is(clGetMemObjectInfo(made, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetMemObjectInfo((cl_mem)context, CL_MEM_SIZE, 0, NULL, &size), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(made));
    made = cl_buffer(context, 0, SIZE, NULL);
    ck_assert_uint_eq(query(made, CL_MEM_FLAGS, 8), CL_MEM_READ_WRITE);
    ck_assert_uint_eq(query(made, CL_MEM_HOST_PTR, 8), 0);
    cl_ok(clReleaseMemObject(made));
}
END_TEST

START_TEST(clRetainMemObject_and_clReleaseMemObject_count)
{
    cl_mem made = cl_buffer(context, 0, SIZE, NULL);
    cl_ok(clRetainMemObject(made));
    ck_assert_uint_eq(query(made, CL_MEM_REFERENCE_COUNT, 4), 2);
    cl_ok(clReleaseMemObject(made));
    cl_ok(clReleaseMemObject(made));
    cl_is(clReleaseMemObject(made), CL_INVALID_MEM_OBJECT);
    cl_is(clRetainMemObject(made), CL_INVALID_MEM_OBJECT);
    cl_is(clRetainMemObject((cl_mem)context), CL_INVALID_MEM_OBJECT);
}
END_TEST

START_TEST(clCreateBuffer_copies_the_host_memory)
{
    unsigned char host[SIZE], back[SIZE];
    for (int i = 0; i < SIZE; i++)
        host[i] = (unsigned char)(i * 7);
    for (int use = 0; use < 2; use++) {
        cl_mem made = cl_buffer(context, use ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, SIZE, host);
        memset(back, 0, SIZE);
        cl_ok(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        ck_assert_mem_eq(back, host, SIZE);
        cl_ok(clReleaseMemObject(made));
    }
}
END_TEST

START_TEST(clCreateBuffer_fails_softly_when_the_device_is_full)
{
    cl_ulong most = 0, all = 0;
    cl_int err = CL_SUCCESS;
    cl_mem made[64];
    int count = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    while (count < 64 && (made[count] = clCreateBuffer(context, 0, most, NULL, &err)))
        count++;
    cl_is(err, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    ck_assert_uint_ge(count * most + most, all);
    while (count--)
        cl_ok(clReleaseMemObject(made[count]));
    cl_ok(buffer_error(context, NULL, 0, most, NULL));
}
END_TEST

/* ---- sub-buffers ----------------------------------------------------------------------------- */

static cl_int sub_error(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, size_t origin,
                        size_t size)
{
    const cl_buffer_region region = {origin, size};
    cl_int err = 1;
    cl_mem made = clCreateSubBuffer(parent, flags, type, &region, &err);
    ck_assert_int_eq(made != NULL, err == CL_SUCCESS);
    if (made)
        cl_ok(clReleaseMemObject(made));
    return err;
}

START_TEST(clCreateSubBuffer_judges_its_region)
{
    cl_int err;
    cl_mem parent = cl_buffer(context, 0, SIZE, NULL);
    cl_ok(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, ALIGN, SIZE - ALIGN));
    cl_ok(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 1));
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 0), CL_INVALID_BUFFER_SIZE);
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, SIZE + 1), CL_INVALID_VALUE);
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, SIZE, 1), CL_INVALID_VALUE);
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, ALIGN, SIZE_MAX), CL_INVALID_VALUE);
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, SIZE_MAX & ~(size_t)(ALIGN - 1), ALIGN),
          CL_INVALID_VALUE);
    cl_is(sub_error(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, 4, 16), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    cl_is(sub_error(parent, 0, 0x7777, 0, 16), CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    cl_is(sub_error((cl_mem)context, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 16), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(parent));
}
END_TEST

START_TEST(clCreateSubBuffer_cannot_win_back_access)
{
    static const struct {
        cl_mem_flags parent, sub;
        cl_int err;
    } rows[] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, CL_INVALID_VALUE},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_INVALID_VALUE},
        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_INVALID_VALUE},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE},
        {0, CL_MEM_ALLOC_HOST_PTR, CL_INVALID_VALUE},
        {0, CL_MEM_USE_HOST_PTR, CL_INVALID_VALUE},
        {0, CL_MEM_COPY_HOST_PTR, CL_INVALID_VALUE},
        {0, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
        {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_SUCCESS},
        {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_SUCCESS},
        {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS, CL_SUCCESS},
        {CL_MEM_READ_ONLY, CL_MEM_READ_ONLY, CL_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_mem parent = cl_buffer(context, rows[i].parent, SIZE, NULL);
        ck_assert_msg(sub_error(parent, rows[i].sub, CL_BUFFER_CREATE_TYPE_REGION, 0, 16) == rows[i].err,
                      "row %zu", i);
        cl_ok(clReleaseMemObject(parent));
    }
}
END_TEST

START_TEST(clGetMemObjectInfo_of_a_sub_buffer_returns_its_values)
{
    static char host[SIZE];
    const cl_buffer_region region = {2 * ALIGN, 64};
    cl_int err;
    cl_mem parent =
        cl_buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY, SIZE, host);
    cl_mem sub = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    ck_assert_uint_eq(query(sub, CL_MEM_FLAGS, 8),
                      CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_READ_ONLY);
    ck_assert_uint_eq(query(sub, CL_MEM_SIZE, 8), 64);
    ck_assert_uint_eq(query(sub, CL_MEM_OFFSET, 8), 2 * ALIGN);
    ck_assert_uint_eq(query(sub, CL_MEM_ASSOCIATED_MEMOBJECT, 8), (uintptr_t)parent);
    ck_assert_uint_eq(query(sub, CL_MEM_HOST_PTR, 8), (uintptr_t)(host + 2 * ALIGN));
    ck_assert_uint_eq(query(sub, CL_MEM_CONTEXT, 8), (uintptr_t)context);
    cl_is(sub_error(sub, 0, CL_BUFFER_CREATE_TYPE_REGION, 0, 16), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(parent));
    ck_assert_uint_eq(query(sub, CL_MEM_SIZE, 8), 64);
    cl_ok(clReleaseMemObject(sub));
}
END_TEST

START_TEST(a_sub_buffer_shares_the_bytes_of_its_parent)
{
    const cl_buffer_region region = {ALIGN, 16};
    unsigned char bytes[16], back[SIZE];
    cl_mem parent = cl_buffer(context, 0, SIZE, NULL);
    cl_mem sub = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    memset(bytes, 0xa5, sizeof bytes);
    cl_ok(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, parent, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        ck_assert_uint_eq(back[i], i >= ALIGN && i < ALIGN + 16 ? 0xa5 : 0);
    cl_ok(clReleaseMemObject(sub));
    cl_ok(clReleaseMemObject(parent));
}
END_TEST

/* ---- destructor callbacks ------------------------------------------------------------------------ */

static int gone[8], destroyed_count;

static void CL_CALLBACK memory_destroyed(cl_mem memobj, void *data)
{
    (void)memobj;
    gone[destroyed_count++] = (int)(intptr_t)data;
}

START_TEST(clSetMemObjectDestructorCallback_calls_in_reverse_order)
{
    cl_mem made = cl_buffer(context, 0, SIZE, NULL);
    for (intptr_t i = 1; i <= 3; i++)
        cl_ok(clSetMemObjectDestructorCallback(made, memory_destroyed, (void *)i));
    cl_is(clSetMemObjectDestructorCallback(made, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clSetMemObjectDestructorCallback((cl_mem)context, memory_destroyed, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clRetainMemObject(made));
    cl_ok(clReleaseMemObject(made));
    ck_assert_int_eq(destroyed_count, 0);
    cl_ok(clReleaseMemObject(made));
    ck_assert_int_eq(destroyed_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(gone[i], 3 - i);
}
END_TEST

START_TEST(a_parent_is_destroyed_after_its_sub_buffers)
{
    const cl_buffer_region region = {0, 16};
    cl_mem parent = cl_buffer(context, 0, SIZE, NULL);
    cl_mem sub = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    cl_ok(clSetMemObjectDestructorCallback(parent, memory_destroyed, (void *)1));
    cl_ok(clSetMemObjectDestructorCallback(sub, memory_destroyed, (void *)2));
    cl_ok(clReleaseMemObject(parent));
    ck_assert_int_eq(destroyed_count, 0);
    cl_ok(clReleaseMemObject(sub));
    ck_assert_int_eq(destroyed_count, 2);
    ck_assert_int_eq(gone[0], 2);
    ck_assert_int_eq(gone[1], 1);
}
END_TEST

/* ---- shared virtual memory --------------------------------------------------------------------------- */

START_TEST(clSVMAlloc_judges_its_arguments)
{
    cl_ulong most = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    ck_assert_ptr_null(clSVMAlloc((cl_context)device, CL_MEM_READ_WRITE, SIZE, 0));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE, 0, 0));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE, most + 1, 0));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 3));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 1u << 20));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, SIZE, 0));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, SIZE, 0));
    ck_assert_ptr_null(clSVMAlloc(context, CL_MEM_USE_HOST_PTR, SIZE, 0));
}
END_TEST

START_TEST(clSVMAlloc_aligns_and_keeps_allocations_apart)
{
    enum { COUNT = 64 };
    unsigned char *made[COUNT];
    for (int i = 0; i < COUNT; i++) {
        cl_uint alignment = i % 2 ? 1u << (i / 2 % 8) : 0;
        made[i] = clSVMAlloc(context, 0, 100, alignment);
        ck_assert_ptr_nonnull(made[i]);
        ck_assert_uint_eq((uintptr_t)made[i] % (alignment ? alignment : ALIGN), 0);
        cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, made[i], 100, 0, NULL, NULL));
        memset(made[i], i, 100);
    }
    for (int i = 0; i < COUNT; i++)
        for (int byte = 0; byte < 100; byte++)
            ck_assert_int_eq(made[i][byte], i);
    for (int i = 0; i < COUNT; i++)
        clSVMFree(context, made[(i * 37) % COUNT]);
}
END_TEST

START_TEST(clSVMFree_of_another_pointer_is_ignored)
{
    char *made = clSVMAlloc(context, 0, SIZE, 0);
    clSVMFree(context, NULL);
    clSVMFree(other_context, made);
    clSVMFree(context, made + 16);
    clSVMFree((cl_context)device, made);
    cl_mem over = cl_buffer(context, CL_MEM_USE_HOST_PTR, SIZE, made);
    ck_assert_uint_eq(query(over, CL_MEM_USES_SVM_POINTER, 4), CL_TRUE); /* still there */
    cl_ok(clReleaseMemObject(over));
    clSVMFree(context, made);
}
END_TEST

START_TEST(clCreateBuffer_over_shared_memory_shares_its_bytes)
{
    unsigned char back[16];
    unsigned char *made = clSVMAlloc(context, 0, SIZE, 0);
    cl_mem over = cl_buffer(context, CL_MEM_USE_HOST_PTR, SIZE, made);
    ck_assert_uint_eq(query(over, CL_MEM_USES_SVM_POINTER, 4), CL_TRUE);
    ck_assert_uint_eq(query(over, CL_MEM_HOST_PTR, 8), (uintptr_t)made);
    memset(back, 0x5a, sizeof back);
    cl_ok(clEnqueueWriteBuffer(queue, over, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, made, SIZE, 0, NULL, NULL));
    ck_assert_mem_eq(made, back, sizeof back);
    cl_ok(clEnqueueSVMUnmap(queue, made, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_is(buffer_error(context, NULL, CL_MEM_USE_HOST_PTR, SIZE + 1, made), CL_INVALID_BUFFER_SIZE);
    cl_is(buffer_error(context, NULL, CL_MEM_COPY_HOST_PTR, SIZE + 1, made), CL_INVALID_BUFFER_SIZE);
    cl_ok(clReleaseMemObject(over));
    clSVMFree(context, made);
}
END_TEST

START_TEST(a_context_takes_its_shared_memory_with_it)
{
    cl_context mine = cl_new_context();
    cl_ulong most = 0, all = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    while (clSVMAlloc(mine, 0, most, 0))
        ;
    ck_assert_ptr_null(clSVMAlloc(context, 0, most, 0));
    cl_ok(clReleaseContext(mine));
    void *made = clSVMAlloc(context, 0, most, 0);
    ck_assert_ptr_nonnull(made);
    clSVMFree(context, made);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api memory");
    TCase *tests = tcase_create("buffers, sub-buffers, shared virtual memory");
    tcase_set_timeout(tests, 30);
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_add_test(tests, clCreateBuffer_rejects_zero_size);
    tcase_add_test(tests, clCreateBuffer_rejects_more_than_the_largest_allocation);
    tcase_add_test(tests, clCreateBuffer_rejects_flags_that_exclude_each_other);
    tcase_add_test(tests, clCreateBuffer_rejects_a_host_pointer_that_does_not_fit_the_flags);
    tcase_add_test(tests, clCreateBuffer_rejects_a_bad_context);
    tcase_add_test(tests, clCreateBufferWithProperties_refuses_every_property);
    tcase_add_test(tests, clGetMemObjectInfo_of_a_buffer_returns_its_values);
    tcase_add_test(tests, clRetainMemObject_and_clReleaseMemObject_count);
    tcase_add_test(tests, clCreateBuffer_copies_the_host_memory);
    tcase_add_test(tests, clCreateBuffer_fails_softly_when_the_device_is_full);
    tcase_add_test(tests, clCreateSubBuffer_judges_its_region);
    tcase_add_test(tests, clCreateSubBuffer_cannot_win_back_access);
    tcase_add_test(tests, clGetMemObjectInfo_of_a_sub_buffer_returns_its_values);
    tcase_add_test(tests, a_sub_buffer_shares_the_bytes_of_its_parent);
    tcase_add_test(tests, clSetMemObjectDestructorCallback_calls_in_reverse_order);
    tcase_add_test(tests, a_parent_is_destroyed_after_its_sub_buffers);
    tcase_add_test(tests, clSVMAlloc_judges_its_arguments);
    tcase_add_test(tests, clSVMAlloc_aligns_and_keeps_allocations_apart);
    tcase_add_test(tests, clSVMFree_of_another_pointer_is_ignored);
    tcase_add_test(tests, clCreateBuffer_over_shared_memory_shares_its_bytes);
    tcase_add_test(tests, a_context_takes_its_shared_memory_with_it);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
