/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host stores into the memory of a buffer made with CL_MEM_USE_HOST_PTR: reported when a command reads bytes
 * that had to be given to the device first (OpenCL 2.2 API, 5.2.1: a device may work on a copy), and at no
 * other time.
 */
#include "tests/support/host_fixture.h"

#include <sys/mman.h>

enum { COUNT = 3000, BYTES = COUNT * sizeof(cl_int) }; /* of several pieces, the last not whole */

static const char source[] =
    "kernel void take(global const int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void give(global int *a, global int *b) { a[get_global_id(0)] = 7; }\n"
    "kernel void both(global int *a, global int *b) { a[get_global_id(0)] = 7; b[get_global_id(0)] = "
    "a[get_global_id(0)]; }\n";
static cl_mem buffer, other;
static cl_int *memory;

static void set_up_with(const char *severity, cl_mem_flags flags)
{
    host_set_up(severity, "false", source);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    buffer = cl_buffer(context, flags, BYTES, memory);
    other = cl_buffer(context, 0, BYTES, NULL);
}

static void set_up(void)
{
    set_up_with("warning", CL_MEM_USE_HOST_PTR);
}

static void run_part(const char *name, cl_mem on, size_t items, const cl_event *after)
{
    cl_kernel kernel = host_kernel(name);
    cl_ok(clSetKernelArg(kernel, 0, sizeof on, &on));
    cl_ok(clSetKernelArg(kernel, 1, sizeof other, &other));
    host_launch(queue, kernel, items, after);
}

static void run(const char *name)
{
    run_part(name, buffer, COUNT, NULL);
}

static cl_int *map(cl_map_flags flags, size_t first, size_t count)
{
    return host_map(buffer, CL_TRUE, flags, first, count, NULL);
}
static void unmap(void *pointer)
{
    host_unmap(buffer, pointer);
}

/* ---- reported ---------------------------------------------------------------------------------- */

static const size_t places[] = {0, 1, COUNT / 2, COUNT - 1};

START_TEST(kernel_reads_stored_bytes)
{
    struct orrery_finding finding;
    set_up();
    memory[places[_i]] = 9;
    run("take");
    host_reported(1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_ptr_nonnull(strstr(finding.why, "CL_MEM_USE_HOST_PTR"));
    ck_assert_uint_eq(finding.offset_bytes, places[_i] * 4);
    run("take");
    host_reported(1);
}
END_TEST

START_TEST(copies_and_reads_do)
{
    cl_int target[COUNT];
    set_up();
    memory[5] = 9;
    if (_i)
        cl_ok(clEnqueueCopyBuffer(queue, buffer, other, 16, 0, 8, 0, NULL, NULL));
    else
        cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, target, 0, NULL, NULL));
    host_reported(1);
}
END_TEST

/* Of an image the finding names the calls for images. */
START_TEST(a_read_of_an_image_has_stored_texels)
{
    static cl_int texels[16], out[16];
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {0, 0, 0}, region[3] = {4, 4, 1};
    struct orrery_finding finding;
    cl_int err;
    set_up();
    cl_mem image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &desc, texels, &err);
    cl_ok(err);
    texels[5] = 9;
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
    host_reported(1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_str_eq(finding.access[0].what, "store through the pointer that the image was made with");
    ck_assert_ptr_nonnull(strstr(finding.fix, "clEnqueueMapImage with CL_MAP_WRITE"));
    ck_assert_ptr_nonnull(strstr(finding.fix, "clEnqueueWriteImage"));
    cl_ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(each_time)
{
    cl_int target[4];
    set_up();
    memory[5] = 9;
    run("take");
    host_reported(1);
    memory[COUNT - 1] = 9;
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, BYTES - 16, 16, target, 0, NULL, NULL));
    host_reported(2);
}
END_TEST

/* Beside a map, and beside what is handed over. */
START_TEST(store_beside_the_bytes_of_a_map_or_command)
{
    const cl_int zero = 0;
    set_up();
    if (_i) {
        memory[5] = memory[50] = 9;
        cl_ok(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 40, 0, NULL, NULL));
    } else {
        cl_int *mapped = map(CL_MAP_WRITE, 0, 10);
        mapped[5] = mapped[50] = 9;
        unmap(mapped);
    }
    run("take");
    host_reported(1);
}
END_TEST

/* The host stores while a kernel waits: later commands race with it. */
START_TEST(store_races_with_commands_enqueued_later)
{
    set_up();
    cl_event go = cl_user_event(context);
    run_part("take", buffer, COUNT, &go);
    memory[5] = 9;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    host_reported(0);
    run("take");
    host_reported(1);
    cl_ok(clReleaseEvent(go));
}
END_TEST

START_TEST(in_a_sub_buffer)
{
    const cl_buffer_region region = {4096, 400};
    cl_int err;
    set_up();
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    memory[5] = 9;
    run_part("take", part, 100, NULL);
    host_reported(0);
    memory[1024 + 50] = 9;
    run_part("take", part, 100, NULL);
    host_reported(1);
    cl_ok(clReleaseMemObject(part));
}
END_TEST

/* By a command, whether it blocks or not: the same as if the host had stored there. */
START_TEST(a_read_stores_there)
{
    struct orrery_finding finding;
    set_up();
    cl_mem third = cl_buffer(context, 0, BYTES, NULL);
    if (_i & 1)
        run("give");
    cl_ok(clEnqueueReadBuffer(queue, third, _i & 2 ? CL_TRUE : CL_FALSE, 0, 40, memory + 10, 0, NULL, NULL));
    run_part("take", buffer, 10, NULL);
    host_reported(0);
    run("take");
    host_reported(1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), 0);
    ck_assert_ptr_nonnull(strstr(finding.why, "CL_MEM_USE_HOST_PTR"));
    ck_assert_str_eq(finding.access[0].what, "write by clEnqueueReadBuffer");
    ck_assert_ptr_nonnull(strstr(finding.access[1].by, "kernel take"));
    ck_assert_uint_eq(finding.offset_bytes, 40);
    ck_assert_uint_eq(finding.access[0].size_bytes, 40);
    run("take");
    host_reported(1);
    cl_ok(clReleaseMemObject(third));
}
END_TEST

/* ---- not reported ------------------------------------------------------------------------------- */

static const cl_int zero = 0;
static cl_mem third;

/* Of `from` into the memory after the buffer. */
static void read_all(cl_mem from, cl_bool blocking)
{
    cl_ok(clEnqueueReadBuffer(queue, from, blocking, 0, BYTES, memory, 0, NULL, NULL));
}

static void nothing_was_stored(void) {}
static void as_it_was(void)
{
    memory[5] = 0;
}

static void mapped_for_writing(void)
{
    cl_int *mapped = map(CL_MAP_WRITE, 0, COUNT);
    mapped[5] = 9;
    unmap(mapped);
}

static void mapped_to_invalidate(void)
{
    cl_int *mapped = map(CL_MAP_WRITE_INVALIDATE_REGION, 5, 1);
    *mapped = 9;
    unmap(mapped);
}

static void written(void)
{
    memory[5] = 9;
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 0, NULL, NULL));
}

static void filled(void)
{
    memory[5] = 9;
    cl_ok(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, BYTES, 0, NULL, NULL));
}

static void stored_by_a_kernel(void)
{
    memory[5] = 9;
    run("give");
}

static void stored_and_read_by_a_kernel(void)
{
    memory[5] = 9;
    run("both");
}

static void mapped_for_reading(void)
{
    memory[5] = 9;
    unmap(map(CL_MAP_READ, 0, COUNT));
}

static void copied_over(void)
{
    memory[5] = 9;
    cl_ok(clEnqueueCopyBuffer(queue, other, buffer, 0, 0, BYTES, 0, NULL, NULL));
}

static void read_to_itself(void)
{
    run("give");
    read_all(buffer, CL_TRUE);
}

static void read_to_itself_without_waiting(void)
{
    run("give");
    read_all(buffer, CL_FALSE);
}

static void mapped_after_a_kernel(void)
{
    run("give");
    cl_int *mapped = map(CL_MAP_READ, 0, COUNT);
    ck_assert_int_eq(mapped[5], 7);
    unmap(mapped);
}

static void read_of_another_and_written(void)
{
    read_all(third, CL_TRUE);
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 0, NULL, NULL));
}

static void read_of_another_into_a_map(void)
{
    cl_int *mapped = map(CL_MAP_WRITE, 0, COUNT);
    read_all(third, CL_FALSE);
    unmap(mapped);
}

static void read_of_another_and_stored(void)
{
    read_all(third, CL_FALSE);
    run("both");
}

static void read_of_another_and_mapped(void)
{
    read_all(third, CL_FALSE);
    unmap(map(CL_MAP_READ, 0, COUNT));
}

static void rows_of_its_own(void)
{
    const size_t row[3] = {8, 2, 0}, rows[3] = {40, 5, 1};
    cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, row, row, rows, 400, 0, 400, 0, memory, 0, NULL,
                                  NULL));
}

static void (*const passed_over[])(void) = {
    nothing_was_stored,
    as_it_was,
    mapped_for_writing,
    mapped_to_invalidate,
    written,
    filled,
    stored_by_a_kernel,
    stored_and_read_by_a_kernel,
    mapped_for_reading,
    copied_over,
    read_to_itself,
    read_to_itself_without_waiting,
    mapped_after_a_kernel,
    read_of_another_and_written,
    read_of_another_into_a_map,
    read_of_another_and_stored,
    read_of_another_and_mapped,
    rows_of_its_own,
};

START_TEST(bytes_given_to_a_command_are_not_reported)
{
    set_up();
    third = cl_buffer(context, 0, BYTES, NULL);
    passed_over[_i]();
    run("take");
    run("take");
    host_reported(0);
}
END_TEST

START_TEST(store_past_the_bytes_that_a_kernel_reads)
{
    set_up();
    memory[COUNT - 1] = 9;
    run_part("take", buffer, COUNT / 2, NULL);
    host_reported(0);
}
END_TEST

/* The map is over for the host when the unmap is enqueued, whenever that runs. */
START_TEST(an_unmap_that_waits)
{
    set_up();
    cl_event go = cl_user_event(context);
    cl_int *mapped = map(CL_MAP_WRITE, 0, COUNT);
    mapped[5] = 9;
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 1, &go, NULL));
    run("take");
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    host_reported(0);
    cl_ok(clReleaseEvent(go));
}
END_TEST

/*
 * Of two maps that begin at one byte the host has the larger one until both are over: which map the first
 * unmap was of is undefined.
 */
START_TEST(in_the_larger_of_two_maps)
{
    const bool large_first = _i & 1, read_between = _i & 2;
    cl_int target[4];
    set_up();
    cl_int *mapped = map(large_first ? CL_MAP_WRITE : CL_MAP_READ, 0, large_first ? COUNT / 2 : 10);
    ck_assert_ptr_eq(mapped, map(large_first ? CL_MAP_READ : CL_MAP_WRITE, 0, large_first ? 10 : COUNT / 2));
    unmap(mapped);
    mapped[50] = 9;
    if (read_between)
        cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, BYTES - 16, 16, target, 0, NULL, NULL));
    unmap(mapped);
    run("take");
    host_reported(0);
}
END_TEST

START_TEST(other_buffers_and_no_check)
{
    set_up_with(_i ? "warning" : "off", _i ? CL_MEM_COPY_HOST_PTR : CL_MEM_USE_HOST_PTR);
    memory[5] = 9;
    run("take");
    host_reported(0);
}
END_TEST

START_TEST(unmapped_memory)
{
    set_up();
    memory[5] = 9;
    ck_assert_int_eq(munmap(memory, BYTES), 0);
    run("take");
    run("take");
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count_of("race-host-device"), 0);
    ck_assert_uint_eq(orrery_finding_count_of("use-after-free"), orrery_finding_count());
    ck_assert_uint_ge(orrery_finding_count(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of the host after buffers");
    TCase *tests = tcase_create("stores");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, kernel_reads_stored_bytes, 0, 4);
    tcase_add_loop_test(tests, copies_and_reads_do, 0, 2);
    tcase_add_test(tests, a_read_of_an_image_has_stored_texels);
    tcase_add_test(tests, each_time);
    tcase_add_loop_test(tests, store_beside_the_bytes_of_a_map_or_command, 0, 2);
    tcase_add_test(tests, store_races_with_commands_enqueued_later);
    tcase_add_test(tests, in_a_sub_buffer);
    tcase_add_loop_test(tests, a_read_stores_there, 0, 4);
    tcase_add_loop_test(tests, bytes_given_to_a_command_are_not_reported, 0,
                        sizeof passed_over / sizeof *passed_over);
    tcase_add_test(tests, store_past_the_bytes_that_a_kernel_reads);
    tcase_add_test(tests, an_unmap_that_waits);
    tcase_add_loop_test(tests, in_the_larger_of_two_maps, 0, 4);
    tcase_add_loop_test(tests, other_buffers_and_no_check, 0, 2);
    tcase_add_test(tests, unmapped_memory);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
