/* SPDX-License-Identifier: Apache-2.0 */
/* Maps that begin at one byte, and so have one pointer: which of them an unmap gives back is undefined. */
#include "tests/support/order_fixture.h"

enum { PAGE = 4096, PAGES = 4 * PAGE };

static cl_event map_first(cl_command_queue on, cl_mem mem, cl_map_flags flags, size_t size, void **out_bytes)
{
    cl_int err;
    cl_event event;
    *out_bytes = clEnqueueMapBuffer(on, mem, CL_FALSE, flags, 0, size, 0, NULL, &event, &err);
    cl_ok(err);
    return event;
}

/* Which of the two maps each unmap gives back is determined by its wait list alone; the unmap of the small
 * one once was taken for that of the large one, which the fill would have had to wait for. */
START_TEST(two_users_whose_maps_begin_at_one_byte)
{
    void *small, *large;
    cl_event maps[2] = {map_first(queue, buffer, CL_MAP_READ, 32, &small),
                        map_first(second, buffer, CL_MAP_READ, 64, &large)},
             unmaps[2];
    ck_assert_ptr_eq(small, large);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, small, 1, &maps[0], &unmaps[0]));
    cl_ok(clFlush(queue));
    cl_ok(clEnqueueUnmapMemObject(second, buffer, large, 1, &maps[1], &unmaps[1]));
    cl_ok(clFlush(second));
    cl_ok(clEnqueueFillBuffer(unordered, buffer, &one, sizeof one, 32, 32, 1, &unmaps[1], NULL));
    ck_assert_uint_eq(races() + findings_of("mapped-access"), 0);
    cl_ok(clEnqueueFillBuffer(queue, buffer, &one, sizeof one, 0, 32, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 0);
}
END_TEST

static void *map_wholly(cl_mem mem, cl_map_flags flags, size_t size, char *shared)
{
    cl_int err = CL_SUCCESS;
    void *bytes = shared;
    if (shared)
        err = clEnqueueSVMMap(queue, CL_TRUE, flags, shared, size, 0, NULL, NULL);
    else
        bytes = clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, size, 0, NULL, NULL, &err);
    cl_ok(err);
    return bytes;
}

static void unmap_one(cl_mem mem, void *bytes, bool is_shared)
{
    cl_ok(is_shared ? clEnqueueSVMUnmap(queue, bytes, 0, NULL, NULL)
                    : clEnqueueUnmapMemObject(queue, mem, bytes, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

/* The small one is given back: the host has the large one yet. Until both are. */
START_TEST(the_host_has_more_by_another_map)
{
    const bool is_shared = _i & 1, large_first = _i & 2;
    char *shared = is_shared ? clSVMAlloc(context, CL_MEM_READ_WRITE, PAGES, 0) : NULL;
    cl_mem mem = cl_buffer(context, CL_MEM_READ_WRITE, PAGES, NULL);
    for (int round = 0; round < 2; round++) {
        volatile char *bytes = map_wholly(mem, CL_MAP_READ, large_first ? PAGES : PAGE, shared);
        ck_assert_ptr_eq((void *)(uintptr_t)bytes,
                         map_wholly(mem, CL_MAP_READ, large_first ? PAGE : PAGES, shared));
        unmap_one(mem, (void *)(uintptr_t)bytes, is_shared);
        ck_assert_int_eq(bytes[2 * PAGE] + bytes[5], 0);
        ck_assert_uint_eq(findings_of("race-host-device"), (size_t)round);
        unmap_one(mem, (void *)(uintptr_t)bytes, is_shared);
        ck_assert_int_eq(bytes[round ? 5 : 2 * PAGE], 0);
        ck_assert_uint_eq(findings_of("race-host-device"), 1); /* reported once, of one line */
    }
    cl_ok(clReleaseMemObject(mem));
    if (shared)
        clSVMFree(context, shared);
}
END_TEST

static void fill_pages(cl_mem mem, char *shared, size_t from, size_t count)
{
    cl_ok(
        shared
            ? clEnqueueSVMMemFill(queue, shared + from * PAGE, &one, sizeof one, count * PAGE, 0, NULL, NULL)
            : clEnqueueFillBuffer(queue, mem, &one, sizeof one, from * PAGE, count * PAGE, 0, NULL, NULL));
    cl_ok(clFinish(queue));
}

/* The large one is given back, or the one for writing: commands may use what the other one has not. */
START_TEST(commands_may_use_bytes_that_one_of_two_maps_gave_back)
{
    const bool is_shared = _i & 1, large_first = _i & 2;
    const cl_map_flags first = _i & 4 ? CL_MAP_WRITE : CL_MAP_READ,
                       last = _i & 8 ? CL_MAP_WRITE : CL_MAP_READ;
    static char out[PAGES];
    char *shared = is_shared ? clSVMAlloc(context, CL_MEM_READ_WRITE, PAGES, 0) : NULL;
    cl_mem mem = cl_buffer(context, CL_MEM_READ_WRITE, PAGES, NULL);
    if ((_i & 12) == 12)
        return; /* two for writing may not overlap */
    char *bytes = map_wholly(mem, first, large_first ? PAGES : PAGE, shared);
    map_wholly(mem, last, large_first ? PAGE : PAGES, shared);
    unmap_one(mem, bytes, is_shared);
    fill_pages(mem, shared, 2, 1);
    if (shared)
        cl_ok(clEnqueueSVMMemcpy(queue, CL_TRUE, out, shared, PAGES, 0, NULL, NULL));
    else
        cl_ok(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, PAGES, out, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("mapped-access") + races(), 0);
    fill_pages(mem, shared, 0, 4); /* but what both have */
    ck_assert_uint_eq(findings_of("mapped-access"), 1);
    unmap_one(mem, bytes, is_shared);
    fill_pages(mem, shared, 0, 4);
    ck_assert_uint_eq(findings_of("mapped-access") + races(), 1);
    cl_ok(clReleaseMemObject(mem));
    if (shared)
        clSVMFree(context, shared);
}
END_TEST

/* Host stores through one of them have values, whichever the first unmap was of. */
START_TEST(host_stores_have_values)
{
    const size_t items = 1;
    cl_mem mem = cl_buffer(context, CL_MEM_READ_WRITE, PAGES, NULL);
    cl_kernel kernel = cl_kernel_of(
        context, "kernel void k(global const int *p, global int *q) { if (p[0] == 7) q[0] = 3; }", "");
    cl_ok(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    cl_ok(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    int *numbers = map_wholly(mem, _i ? CL_MAP_WRITE : CL_MAP_READ, PAGE, NULL);
    map_wholly(mem, _i ? CL_MAP_READ : CL_MAP_WRITE, PAGES, NULL);
    numbers[0] = 7;
    unmap_one(mem, numbers, false);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    ck_assert_uint_eq(races() + findings_of("mapped-access"), 0);
    ck_assert_uint_eq(findings_of("uninitialised-branch"), 0);
    unmap_one(mem, numbers, false);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

/* A part of a buffer is an object of its own: its unmap is distinguished from the buffer's. */
START_TEST(a_part_of_a_buffer_that_is_mapped_with_it)
{
    cl_int err;
    cl_mem mem = cl_buffer(context, CL_MEM_READ_WRITE, PAGES, NULL);
    cl_buffer_region region = {0, PAGE};
    cl_mem part = clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    volatile char *bytes = map_wholly(part, CL_MAP_READ, PAGE, NULL);
    map_wholly(mem, CL_MAP_READ, PAGES, NULL);
    unmap_one(part, (void *)(uintptr_t)bytes, false);
    ck_assert_int_eq(bytes[2 * PAGE], 0);
    ck_assert_uint_eq(findings_of("race-host-device"), 0);
    map_wholly(part, CL_MAP_READ, PAGE, NULL);
    unmap_one(mem, (void *)(uintptr_t)bytes, false);
    ck_assert_int_eq(bytes[1], 0);
    ck_assert_uint_eq(findings_of("race-host-device"), 0);
    ck_assert_int_eq(bytes[2 * PAGE], 0);
    ck_assert_uint_eq(findings_of("race-host-device"), 1);
    fill_pages(mem, NULL, 2, 1);
    ck_assert_uint_eq(findings_of("mapped-access"), 0);
    unmap_one(part, (void *)(uintptr_t)bytes, false);
    cl_ok(clReleaseMemObject(part));
    cl_ok(clReleaseMemObject(mem));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("maps with one pointer");
    TCase *cases = tcase_create("calls");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, two_users_whose_maps_begin_at_one_byte);
    tcase_add_loop_test(cases, the_host_has_more_by_another_map, 0, 4);
    tcase_add_loop_test(cases, commands_may_use_bytes_that_one_of_two_maps_gave_back, 0, 16);
    tcase_add_test(cases, a_part_of_a_buffer_that_is_mapped_with_it);
    TCase *uninitialized = tcase_create("uninitialized");
    tcase_add_checked_fixture(uninitialized, set_up_uninitialized, tear_down);
    tcase_add_loop_test(uninitialized, host_stores_have_values, 0, 2);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, uninitialized);
    return cl_run_suite(suite);
}
