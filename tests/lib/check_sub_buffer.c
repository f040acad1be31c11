/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that leave a sub-buffer (clCreateSubBuffer) and stay in its buffer: reported exactly when some byte is
 * outside, and done all the same. Every place, size and index of a grid is tried, through accesses of several
 * sizes, and beside sub-buffers that overlap. Last, what the flags of a sub-buffer forbid.
 */
#include "tests/support/host_fixture.h"

enum { PARENT = 1024, ALIGNED = 128, ITEMS = 8 };

static const char source[] =
    "kernel void store_int(global int *a, int by) { a[(int)get_global_id(0) + by] = 7; }\n"
    "kernel void store_char(global char *a, int by) { a[(int)get_global_id(0) + by] = 7; }\n"
    "kernel void store_four(global int *a, int by) { vstore4((int4)7, get_global_id(0), a + by); }\n"
    "kernel void load_long(global long *a, int by)\n"
    "{ long x = a[(int)get_global_id(0) + by]; if (x == 123456) printf(\"no\"); }\n"
    "kernel void some(global int *a, int by)\n"
    "{ int i = get_global_id(0); global int *p = a + by; if (i % 3) p[i] = 7; }\n"
    "kernel void count(global int *a, int by) { atomic_inc(a + by); }\n"
    "kernel void copy(global int *a, int by)\n"
    "{\n"
    "    local int l[8];\n"
    "    l[get_local_id(0)] = by;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    event_t e = async_work_group_copy(a, l, 1, 0);\n"
    "    wait_group_events(1, &e);\n"
    "}\n"
    "kernel void two(global int *a, global int *b, int by) { a[(int)get_global_id(0) + by] = 7; }\n";

static cl_mem parent;

static void set_up(void)
{
    const cl_int zero = 0;
    host_set_up("off", "false", source);
    parent = cl_buffer(context, 0, PARENT, NULL);
    cl_ok(clEnqueueFillBuffer(queue, parent, &zero, sizeof zero, 0, PARENT, 0, NULL, NULL));
}

static cl_mem part_of(cl_mem of, size_t origin, size_t size)
{
    const cl_buffer_region region = {origin, size};
    cl_int err;
    cl_mem part = clCreateSubBuffer(of, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    return part;
}

static size_t reported(void)
{
    const size_t count =
        orrery_finding_count_of("out-of-bounds-read") + orrery_finding_count_of("out-of-bounds-write");
    ck_assert_uint_eq(orrery_finding_count(), count);
    orrery_clear_findings();
    return count;
}

static size_t run(const char *name, cl_mem on, cl_int by, size_t items)
{
    cl_kernel kernel = host_kernel(name);
    cl_ok(clSetKernelArg(kernel, 0, sizeof on, &on));
    cl_ok(clSetKernelArg(kernel, 1, sizeof by, &by));
    cl_ok(clReleaseEvent(host_launch(queue, kernel, items, NULL)));
    cl_ok(clFinish(queue));
    return reported();
}

static const struct {
    const char *kernel;
    int step, bytes;
    bool stores;
} kernels[] = {
    {"store_int", 4, 4, true},  {"store_char", 1, 1, true}, {"store_four", 16, 16, true},
    {"load_long", 8, 8, false}, {"some", 4, 4, true},
};

/* In bytes of the sub-buffer; `some` leaves out the first of three. */
static bool leaves(size_t kernel, int by, int size)
{
    const int element = kernels[kernel].step == 16 ? 4 : kernels[kernel].step;
    for (int i = 0; i < ITEMS; i++) {
        const int low = by * element + i * kernels[kernel].step, high = low + kernels[kernel].bytes;
        const bool acts = strcmp(kernels[kernel].kernel, "some") != 0 || i % 3;
        if (acts && (low < 0 || high > size))
            return true;
    }
    return false;
}

static bool stays_in_parent(size_t kernel, int by, int origin)
{
    const int element = kernels[kernel].step == 16 ? 4 : kernels[kernel].step;
    const int low = origin + by * element;
    return low >= 0 && low + ITEMS * kernels[kernel].step <= PARENT;
}

START_TEST(each_place_size_and_index)
{
    static const int sizes[] = {8, 64, 100, 128, 200}, indices[] = {-30, -8, -1, 0, 1, 4, 8, 9, 17, 40};
    int tried = 0, found = 0;
    set_up();
    for (int origin = 0; origin < 3 * ALIGNED; origin += ALIGNED)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            cl_mem part = part_of(parent, (size_t)origin, (size_t)sizes[s]);
            for (size_t k = 0; k < sizeof indices / sizeof *indices; k++) {
                const int by = indices[k];
                const bool expected = leaves((size_t)_i, by, sizes[s]);
                if (!stays_in_parent((size_t)_i, by, origin))
                    continue;
                const size_t count = run(kernels[_i].kernel, part, by, ITEMS);
                ck_assert_msg(count == expected, "%s: origin %d, size %d, by %d: %zu findings",
                              kernels[_i].kernel, origin, sizes[s], by, count);
                tried++;
                found += expected;
            }
            cl_ok(clReleaseMemObject(part));
        }
    ck_assert_int_gt(tried, 40);
    ck_assert_int_gt(found, 10);
    ck_assert_int_lt(found, tried);
}
END_TEST

/* The access is done, and the finding names sub-buffer, place and buffer. */
START_TEST(store_reaches_the_buffer)
{
    struct orrery_finding finding;
    cl_int seen = 0;
    set_up();
    cl_mem part = part_of(parent, ALIGNED, 16);
    cl_kernel kernel = host_kernel("store_int");
    const cl_int by = 4;
    cl_ok(clSetKernelArg(kernel, 0, sizeof part, &part));
    cl_ok(clSetKernelArg(kernel, 1, sizeof by, &by));
    cl_ok(clReleaseEvent(host_launch(queue, kernel, 1, NULL)));
    cl_ok(clEnqueueReadBuffer(queue, parent, CL_TRUE, ALIGNED + 16, sizeof seen, &seen, 0, NULL, NULL));
    ck_assert_int_eq(seen, 7);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_ptr_nonnull(
        strstr(finding.object, "argument 0 'a' (sub-buffer, 16 bytes from byte 128 of buffer"));
    ck_assert_ptr_nonnull(strstr(finding.object, "which has 1024 bytes)"));
    ck_assert_ptr_nonnull(strstr(finding.why, "writes a[4]; 'a' has 4 ints"));
    ck_assert_uint_eq(finding.offset_bytes, 16);
    ck_assert_uint_eq(reported(), 1);
    cl_ok(clReleaseMemObject(part));
}
END_TEST

static size_t run_two(cl_mem a, cl_mem b, cl_int by)
{
    cl_kernel kernel = host_kernel("two");
    cl_ok(clSetKernelArg(kernel, 0, sizeof a, &a));
    cl_ok(clSetKernelArg(kernel, 1, sizeof b, &b));
    cl_ok(clSetKernelArg(kernel, 2, sizeof by, &by));
    cl_ok(clReleaseEvent(host_launch(queue, kernel, 1, NULL)));
    cl_ok(clFinish(queue));
    return reported();
}

/* Bytes that only the other argument's sub-buffer has: not judged if the two overlap, else they are not its own. */
START_TEST(other_sub_buffers)
{
    set_up();
    cl_mem first = part_of(parent, 0, 192), overlapping = part_of(parent, ALIGNED, 128),
           beside = part_of(parent, 2 * ALIGNED, 64);
    ck_assert_uint_eq(run_two(first, overlapping, 50), 0);
    ck_assert_uint_eq(run_two(first, overlapping, 64), 1);
    ck_assert_uint_eq(run_two(overlapping, first, -20), 0);
    ck_assert_uint_eq(run_two(first, beside, 64), 1);
    ck_assert_uint_eq(run_two(first, parent, 64), 1);
    ck_assert_uint_eq(run_two(parent, first, 64), 0);
    ck_assert_uint_eq(run_two(first, first, 48), 1);
    cl_ok(clReleaseMemObject(first));
    cl_ok(clReleaseMemObject(overlapping));
    cl_ok(clReleaseMemObject(beside));
}
END_TEST

/* A sub-buffer of all of its buffer is no less than that. */
START_TEST(whole_buffer)
{
    set_up();
    cl_mem part = part_of(parent, 0, PARENT);
    ck_assert_uint_eq(run("store_int", part, PARENT / 4 - 1, 1), 0);
    ck_assert_uint_eq(run("store_int", part, PARENT / 4, 1), 1);
    cl_ok(clReleaseMemObject(part));
}
END_TEST

/* A buffer of a part of shared virtual memory ends before that does. */
START_TEST(part_of_shared_virtual_memory)
{
    cl_int err;
    set_up();
    char *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, PARENT, 0);
    ck_assert_ptr_nonnull(shared);
    cl_mem part = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, shared + ALIGNED, &err);
    cl_ok(err);
    ck_assert_uint_eq(run("store_int", part, 15, 1), 0);
    ck_assert_uint_eq(run("store_int", part, 16, 1), 1);
    ck_assert_uint_eq(run("store_int", part, -1, 1), 1);
    cl_ok(clReleaseMemObject(part));
    clSVMFree(context, shared);
}
END_TEST

/* What a launch looks at ends with it: the next one with the same kernel may be given a whole buffer. */
START_TEST(a_buffer_after_a_sub_buffer)
{
    set_up();
    cl_mem part = part_of(parent, 0, 256);
    for (int i = 0; i < 8; i++) {
        ck_assert_uint_eq(run("count", part, 0, ITEMS), 0);
        char *blocks[32]; /* where freed memory of the launch was */
        for (size_t k = 0; k < 32; k++)
            ck_assert_ptr_nonnull(blocks[k] = memset(malloc(64 + 16 * k), 0x41, 64 + 16 * k));
        ck_assert_uint_eq(run("count", parent, 0, ITEMS), 0);
        for (size_t k = 0; k < 32; k++)
            free(blocks[k]);
    }
    cl_ok(clReleaseMemObject(part));
}
END_TEST

/* The flags of the handle that is the argument count, also where it is the whole buffer. */
START_TEST(rights_of_the_sub_buffer)
{
    static const struct {
        const char *kernel;
        cl_mem_flags flags;
        const char *id; /* NULL: none */
    } rows[] = {
        {"store_int", CL_MEM_READ_ONLY, "read-only-write"},
        {"store_four", CL_MEM_READ_ONLY, "read-only-write"},
        {"some", CL_MEM_READ_ONLY, "read-only-write"},
        {"count", CL_MEM_READ_ONLY, "read-only-write"},
        {"copy", CL_MEM_READ_ONLY, "read-only-write"},
        {"load_long", CL_MEM_READ_ONLY, NULL},
        {"load_long", CL_MEM_WRITE_ONLY, "write-only-read"},
        {"count", CL_MEM_WRITE_ONLY, "write-only-read"},
        {"store_int", CL_MEM_WRITE_ONLY, NULL},
        {"copy", CL_MEM_WRITE_ONLY, NULL},
        {"count", CL_MEM_READ_WRITE, NULL},
        {"store_int", 0, NULL},
    };
    set_up();
    for (size_t size = 256; size <= PARENT; size += PARENT - 256) {
        const cl_buffer_region region = {0, size};
        cl_int err;
        cl_mem part = clCreateSubBuffer(parent, rows[_i].flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
        cl_ok(err);
        cl_kernel kernel = host_kernel(rows[_i].kernel);
        const cl_int by = 0;
        cl_ok(clSetKernelArg(kernel, 0, sizeof part, &part));
        cl_ok(clSetKernelArg(kernel, 1, sizeof by, &by));
        cl_ok(clReleaseEvent(host_launch(queue, kernel, ITEMS, NULL)));
        cl_ok(clFinish(queue));
        ck_assert_uint_eq(orrery_finding_count(), rows[_i].id != NULL);
        if (rows[_i].id)
            ck_assert_uint_eq(orrery_finding_count_of(rows[_i].id), 1);
        orrery_clear_findings();
        cl_ok(clReleaseMemObject(part));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sub_buffer");
    TCase *tests = tcase_create("kernels");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, each_place_size_and_index, 0, sizeof kernels / sizeof *kernels);
    tcase_add_test(tests, store_reaches_the_buffer);
    tcase_add_test(tests, other_sub_buffers);
    tcase_add_test(tests, whole_buffer);
    tcase_add_test(tests, a_buffer_after_a_sub_buffer);
    tcase_add_loop_test(tests, rights_of_the_sub_buffer, 0, 12);
    tcase_add_test(tests, part_of_shared_virtual_memory);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
