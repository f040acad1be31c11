/* SPDX-License-Identifier: Apache-2.0 */
/* Races of maps and unmaps with each other and with commands and kernels (OpenCL 2.2 API, 5.2.4, 5.5.3),
 * and their fixes. */
#include "tests/support/order_fixture.h"

START_TEST(map_without_a_wait)
{
    cl_int err;
    fill(queue, 0, NULL);
    void *bytes = clEnqueueMapBuffer(second, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(second, buffer, bytes, 0, NULL, NULL));
    ck_assert(race());
}
END_TEST

START_TEST(map_and_unmap_in_order)
{
    cl_int err;
    cl_event filled = fill(queue, 0, NULL), unmapped;
    void *bytes = clEnqueueMapBuffer(second, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 1, &filled, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(second, buffer, bytes, 0, NULL, &unmapped));
    fill(queue, 1, &unmapped);
    ck_assert(!race());
}
END_TEST

enum { MAP_WRITES, UNMAP, OTHER, THREE };

static cl_event other_command(bool writes, const cl_event *wait)
{
    static cl_uint bytes[16];
    cl_event event;
    if (writes)
        return fill(second, 1, wait);
    cl_ok(clEnqueueReadBuffer(second, buffer, CL_FALSE, 0, 64, bytes, 1, wait, &event));
    return event;
}

/* Where it is among them when they are enqueued, and when they run: a command that ran after the unmap of a
 * map for writing, and was enqueued before the map, once was not reported at all. */
START_TEST(a_map_for_writing_and_a_command)
{
    static const int orders[3][THREE] = {
        {OTHER, MAP_WRITES, UNMAP}, {MAP_WRITES, OTHER, UNMAP}, {MAP_WRITES, UNMAP, OTHER}};
    const int *enqueued = orders[_i % 3], *runs = orders[_i / 3 % 3];
    const bool writes = _i >= 9;
    cl_event goes[THREE], events[THREE];
    void *bytes = NULL;
    cl_int err;
    for (int i = 0; i < THREE; i++) {
        const int command = enqueued[i];
        goes[command] = clCreateUserEvent(context, &err);
        if (command == MAP_WRITES)
            bytes = clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, &goes[command],
                                       &events[command], &err);
        else if (command == UNMAP)
            cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 1, &goes[command], &events[command]));
        else
            events[command] = other_command(writes, &goes[command]);
        cl_ok(err);
    }
    cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    for (int i = 0; i < THREE; i++) {
        cl_ok(clSetUserEventStatus(goes[runs[i]], CL_COMPLETE));
        while (cl_status(events[runs[i]]) != CL_COMPLETE) /* that is no synchronization point */
            ;
    }
    ck_assert_uint_eq(races(), 1);
    for (int i = 0; i < THREE; i++) {
        cl_ok(clReleaseEvent(goes[i]));
        cl_ok(clReleaseEvent(events[i]));
    }
}
END_TEST

static void *map_for_writing(cl_command_queue on, cl_bool blocking, cl_event *event)
{
    cl_int err;
    void *bytes = clEnqueueMapBuffer(on, buffer, blocking, CL_MAP_WRITE, 0, 64, 0, NULL, event, &err);
    cl_ok(err);
    return bytes;
}

static cl_event unmap(cl_command_queue on, void *bytes, cl_uint count, const cl_event *waits)
{
    cl_event event;
    cl_ok(clEnqueueUnmapMemObject(on, buffer, bytes, count, count ? waits : NULL, &event));
    return event;
}

/* After its map or before it: once only the first was reported, and after the other one the buffer counted
 * as mapped for ever. */
START_TEST(a_map_and_its_unmap)
{
    const bool unmap_first = _i & 1, ordered = _i & 2;
    cl_event mapped, unmapped;
    void *bytes = map_for_writing(queue, CL_FALSE, &mapped);
    if (!unmap_first)
        cl_ok(clFlush(queue));
    while (!unmap_first && cl_status(mapped) != CL_COMPLETE)
        ;
    unmapped = unmap(second, bytes, ordered, &mapped);
    if (ordered)
        cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    while (cl_status(unmapped) != CL_COMPLETE)
        ;
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    fill(queue, 0, NULL);
    ck_assert_uint_eq(races(), !ordered);
    ck_assert_uint_eq(findings_of("mapped-access"), 0);
    if (!ordered)
        ck_assert_ptr_nonnull(
            strstr(finding_last("race-commands").access[1].what, "write by clEnqueueUnmapMemObject"));
    cl_ok(clReleaseEvent(mapped));
    cl_ok(clReleaseEvent(unmapped));
}
END_TEST

/* Between the two the command is undefined, so no fix may put it there; once that of the first was to have
 * the unmap wait for it. */
START_TEST(fixes_of_a_race_with_an_unmap)
{
    cl_event waits[2];
    void *bytes = map_for_writing(unordered, CL_TRUE, NULL);
    if (_i) { /* as in the fix */
        waits[0] = unmap(unordered, bytes, 0, NULL);
        fill(unordered, 1, waits);
        ck_assert_uint_eq(races() + findings_of("mapped-access"), 0);
        return;
    }
    waits[0] = clCreateUserEvent(context, NULL);
    waits[1] = fill(unordered, 1, waits);
    cl_event unmapped = unmap(unordered, bytes, 0, NULL);
    while (cl_status(unmapped) != CL_COMPLETE)
        ;
    cl_ok(clSetUserEventStatus(waits[0], CL_COMPLETE));
    expect_fix("which unmaps, with ");
    ck_assert_uint_eq(findings_of("mapped-access"), 0);
}
END_TEST

/* It belongs between the two. Once it was to go after the unmap, or before the map that gives it the
 * pointer. */
START_TEST(fixes_of_a_command_with_the_pointer_of_a_map)
{
    static const char *const expected[] = {
        "add the event of command 2 to the wait list of command 3",
        "add the event of command 1 to the wait list of command 2",
        "enqueue command 3 before command 2, which unmaps, and add its event to the wait list of that"};
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_event mapped, read;
    const cl_command_queue maps = _i == 1 ? queue : unordered;
    void *bytes = map_for_writing(maps, _i != 1, &mapped);
    cl_ok(clFlush(maps));
    if (_i == 2)
        unmap(unordered, bytes, 0, NULL);
    cl_ok(clEnqueueReadBuffer(unordered, other, CL_FALSE, 0, 64, bytes, 0, NULL, &read));
    if (_i < 2)
        unmap(maps, bytes, _i, &read);
    expect_fix(expected[_i]);
    if (_i == 1)
        ck_assert_ptr_nonnull(strstr(finding_last("race-commands").why, "when the map is complete"));
    cl_ok(clReleaseMemObject(other));
}
END_TEST

START_TEST(fixes_of_a_command_that_an_unmap_waits_for)
{
    cl_event waits[2] = {NULL, NULL};
    void *bytes = _i ? NULL : map_for_writing(unordered, CL_FALSE, &waits[0]);
    waits[1] = fill(unordered, 0, NULL);
    if (!_i) {
        unmap(unordered, bytes, 2, waits);
        expect_fix(", which maps, and add its event to the wait list of that");
        return;
    }
    cl_int err;
    bytes =
        clEnqueueMapBuffer(unordered, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 1, &waits[1], &waits[0], &err);
    unmap(unordered, bytes, 2, waits);
    ck_assert_uint_eq(races() + findings_of("mapped-access"), 0);
}
END_TEST

START_TEST(fixes_of_a_command_before_a_map)
{
    cl_event mapped;
    void *bytes = map_for_writing(queue, CL_FALSE, &mapped);
    cl_event unmapped = unmap(queue, bytes, 0, NULL);
    cl_event filled = fill(second, _i != 0, _i ? &unmapped : NULL);
    if (!_i) {
        cl_ok(clFlush(second));
        while (cl_status(filled) != CL_COMPLETE)
            ;
        expect_fix("add the event of command 2 to the wait list of command 3, with clFlush on queue");
    }
    ck_assert_uint_eq(races() + findings_of("mapped-access"), !_i);
}
END_TEST

START_TEST(a_map_of_shared_memory_and_its_unmap)
{
    const bool unmap_first = _i & 1, ordered = _i & 2;
    cl_event mapped, unmapped;
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    cl_ok(clEnqueueSVMMap(queue, CL_FALSE, CL_MAP_WRITE, shared, 64, 0, NULL, &mapped));
    if (!unmap_first)
        cl_ok(clFlush(queue));
    while (!unmap_first && cl_status(mapped) != CL_COMPLETE)
        ;
    cl_ok(clEnqueueSVMUnmap(second, shared, ordered, ordered ? &mapped : NULL, &unmapped));
    if (ordered)
        cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    while (cl_status(unmapped) != CL_COMPLETE)
        ;
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clEnqueueSVMMemFill(queue, shared, &one, sizeof one, 64, 0, NULL, NULL));
    ck_assert_uint_eq(races(), !ordered);
    ck_assert_uint_eq(findings_of("mapped-access"), 0);
    cl_ok(clReleaseEvent(mapped));
    cl_ok(clReleaseEvent(unmapped));
    clSVMFree(context, shared);
}
END_TEST

/* ---- kernels and maps (R33) ----------------------------------------------------------------- */

static cl_kernel kernel_of(const char *source, const char *name)
{
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

static void put(cl_command_queue on, cl_kernel kernel, size_t offset, size_t count)
{
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, &offset, &count, NULL, 0, NULL, NULL));
}

static const char put_source[] =
    "kernel void put(global int *out) { out[get_global_id(0)] = 1; }\n"
    "kernel void add(global int *out) { atomic_inc(out + get_global_id(0)); }\n"
    "kernel void get(global int *out) { if (out[get_global_id(0)] == 77) printf(\"77\"); }\n";

START_TEST(a_kernel_and_a_part_that_is_mapped)
{
    cl_int err;
    cl_kernel stores = kernel_of(put_source, "put"), adds = kernel_of(put_source, "add"),
              loads = kernel_of(put_source, "get");
    void *bytes = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 16, 16, 0, NULL, NULL, &err);
    cl_ok(err);
    put(queue, stores, 0, 4); /* elements 4 to 7 are mapped */
    put(queue, stores, 8, 8);
    put(queue, adds, 0, 4);
    put(queue, loads, 0, 16);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("mapped-access"), 0);
    put(queue, adds, 7, 1);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("mapped-access"), 1);
    put(queue, stores, 0, 16);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("mapped-access"), 2);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
    put(queue, stores, 0, 16);
    put(queue, adds, 0, 16);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("mapped-access"), 2);
    cl_ok(clReleaseKernel(stores));
    cl_ok(clReleaseKernel(adds));
    cl_ok(clReleaseKernel(loads));
}
END_TEST

/* Once it was "a command of the host", of no line, and the map was not shown at all. */
START_TEST(access_to_mapped_bytes_names_the_map)
{
    cl_kernel stores = kernel_of(put_source, "put");
    void *bytes = map_for_writing(queue, CL_TRUE, NULL);
    if (_i)
        put(queue, stores, 0, 1);
    else
        fill(queue, 0, NULL);
    cl_ok(clFinish(queue));
    const struct orrery_finding finding = finding_last("mapped-access");
    ck_assert_uint_eq(finding.access_count, 2);
    if (!_i) {
        ck_assert_str_eq(finding.access[0].what, "write by clEnqueueFillBuffer");
        ck_assert_ptr_nonnull(strstr(finding.access[0].by, "clEnqueueFillBuffer (command "));
    }
    ck_assert_uint_gt(finding.access[0].line, 0);
    ck_assert_str_eq(finding.access[1].what, "mapping for writing by clEnqueueMapBuffer");
    ck_assert_ptr_nonnull(strstr(finding.access[1].by, "clEnqueueMapBuffer (command "));
    ck_assert_uint_gt(finding.access[1].line, 0);
    unmap(queue, bytes, 0, NULL);
    cl_ok(clReleaseKernel(stores));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("maps");
    TCase *cases = tcase_create("calls");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, map_without_a_wait);
    tcase_add_test(cases, map_and_unmap_in_order);
    tcase_add_loop_test(cases, a_map_for_writing_and_a_command, 0, 18);
    tcase_add_loop_test(cases, a_map_and_its_unmap, 0, 4);
    tcase_add_loop_test(cases, a_map_of_shared_memory_and_its_unmap, 0, 4);
    tcase_add_loop_test(cases, fixes_of_a_race_with_an_unmap, 0, 2);
    tcase_add_loop_test(cases, fixes_of_a_command_with_the_pointer_of_a_map, 0, 3);
    tcase_add_loop_test(cases, fixes_of_a_command_that_an_unmap_waits_for, 0, 2);
    tcase_add_loop_test(cases, fixes_of_a_command_before_a_map, 0, 2);
    tcase_add_test(cases, a_kernel_and_a_part_that_is_mapped);
    tcase_add_loop_test(cases, access_to_mapped_bytes_names_the_map, 0, 2);
    suite_add_tcase(suite, cases);
    return cl_run_suite(suite);
}
