/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped regions as the host pointer of reads and writes that do not block, which is how programs overlap
 * copies and kernels. Judged by the OpenCL 2.2 API, 5.2.2: what a read was given must not be used until it is
 * complete, nor what a write was given be changed. Neither depends on whose memory it is, and 5.5.3 has the
 * host use a region while it is mapped. Without checks.shared_pages, too, but where the memory is the
 * program's own (CL_MEM_USE_HOST_PTR).
 */
#include "tests/support/host_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 6, BYTES = PAGES * PAGE, COUNT = BYTES / 4, PER_PAGE = PAGE / 4 };

static const char source[] = "kernel void give(global int *a) { a[get_global_id(0)] = get_global_id(0); }\n";
static cl_mem pinned, other;
static cl_int *mapped;
static cl_event map_event;
static volatile cl_int sink;

enum memory { OF_RUNTIME, OF_DEVICE, PART_OF_BUFFER, SHARED_COARSE, IMAGE, OF_PROGRAM, MEMORIES };

static cl_mem make_image(cl_mem_flags flags)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = PER_PAGE, .image_height = PAGES};
    cl_int err;
    cl_mem image = clCreateImage(context, flags, &format, &desc, NULL, &err);
    cl_ok(err);
    return image;
}

static cl_mem make_part(void)
{
    const cl_buffer_region region = {2 * PAGE, BYTES};
    cl_int err;
    cl_mem part = clCreateSubBuffer(cl_buffer(context, 0, 2 * BYTES, NULL), 0, CL_BUFFER_CREATE_TYPE_REGION,
                                    &region, &err);
    cl_ok(err);
    return part;
}

static void map_image(void)
{
    const size_t origin[3] = {0}, region[3] = {PER_PAGE, PAGES, 1};
    size_t row;
    cl_int err;
    pinned = make_image(0);
    mapped = clEnqueueMapImage(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, NULL,
                               0, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(row, PAGE);
}

static void map_shared(void)
{
    mapped = clSVMAlloc(context, 0, BYTES, 0);
    ck_assert_ptr_nonnull(mapped);
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, mapped, BYTES, 0, NULL, NULL));
}

static void map_buffer(cl_bool blocking, size_t first, size_t count)
{
    mapped = host_map(pinned, blocking, CL_MAP_READ | CL_MAP_WRITE, first, count, &map_event);
}

static void set_up_with(const char *closed, enum memory memory)
{
    host_set_up("warning", closed, source);
    other = cl_buffer(context, 0, BYTES, NULL);
    if (memory == IMAGE)
        map_image();
    else if (memory == SHARED_COARSE)
        map_shared();
    else
        pinned = memory == PART_OF_BUFFER ? make_part()
                 : memory == OF_PROGRAM
                     ? cl_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, aligned_alloc(PAGE, BYTES))
                     : cl_buffer(context, memory == OF_RUNTIME ? CL_MEM_ALLOC_HOST_PTR : 0, BYTES, NULL);
    if (!mapped)
        map_buffer(CL_TRUE, 0, COUNT);
}

static void set_up(void)
{
    set_up_with("false", OF_RUNTIME);
}

static void launch_give(void)
{
    cl_kernel kernel = host_kernel("give");
    cl_ok(clSetKernelArg(kernel, 0, sizeof other, &other));
    host_launch(queue, kernel, COUNT, NULL);
}

static cl_event read_some(size_t first, size_t count, const cl_event *after)
{
    cl_event event;
    cl_ok(clEnqueueReadBuffer(queue, other, CL_FALSE, first * 4, count * 4, mapped + first, after != NULL,
                              after, &event));
    return event;
}

static cl_event read_all(void)
{
    return read_some(0, COUNT, NULL);
}

static cl_event write_some(size_t first, size_t count, const cl_event *after)
{
    cl_event event;
    cl_ok(clEnqueueWriteBuffer(queue, other, CL_FALSE, first * 4, count * 4, mapped + first, after != NULL,
                               after, &event));
    return event;
}

static cl_event write_all(void)
{
    return write_some(0, COUNT, NULL);
}

static struct orrery_finding reported_first(const char *what, const char *by)
{
    struct orrery_finding finding;
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_ptr_nonnull(strstr(finding.access[0].what, what));
    ck_assert_ptr_nonnull(finding.access[0].file);
    ck_assert_ptr_nonnull(strstr(finding.access[1].what, by));
    ck_assert_ptr_nonnull(strstr(finding.spec, "5.2.2"));
    return finding;
}

/*
 * By memory, whether the command has run by then, and whether pages are closed: the program's own memory is
 * reported only then.
 */
struct way {
    enum memory memory;
    bool flushed, closed;
};

static struct way way_of(int i)
{
    return (struct way){i % MEMORIES, i / MEMORIES % 2, i / MEMORIES / 2};
}
enum { WAYS = MEMORIES * 4 };

static size_t begin(const struct way *way, cl_event (*enqueue)(void))
{
    set_up_with(way->closed ? "true" : "false", way->memory);
    launch_give();
    enqueue();
    if (way->flushed)
        cl_ok(clFlush(queue));
    return way->memory != OF_PROGRAM || way->closed;
}

/* A race with a command is what these tests are about. */
__attribute__((no_sanitize("thread"))) static void store_unordered(size_t at, cl_int value)
{
    mapped[at] = value;
}

START_TEST(load_of_bytes_that_a_command_reads)
{
    const struct way way = way_of(_i);
    const size_t expected = begin(&way, read_all);
    sink = mapped[3 * PER_PAGE + 3];
    host_reported(expected);
    if (expected)
        reported_first("load", "clEnqueueReadBuffer");
    if (way.memory == OF_RUNTIME)
        ck_assert_uint_eq(reported_first("load", "clEnqueueReadBuffer").offset_bytes, 3 * PAGE + 12);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(mapped[i], i);
    host_reported(expected);
}
END_TEST

START_TEST(store_into_bytes_that_a_command_reads)
{
    const struct way way = way_of(_i);
    const size_t expected = begin(&way, read_all);
    store_unordered(5, 1);
    host_reported(expected);
}
END_TEST

START_TEST(store_into_bytes_that_a_command_writes)
{
    const struct way way = way_of(_i);
    const size_t expected = begin(&way, write_all);
    store_unordered(5, 1);
    host_reported(expected);
    if (expected)
        reported_first("store", "clEnqueueWriteBuffer");
}
END_TEST

START_TEST(load_of_bytes_that_a_command_writes)
{
    const struct way way = way_of(_i);
    begin(&way, write_all);
    for (int i = 0; i < COUNT; i++)
        sink = mapped[i];
    host_reported(0);
}
END_TEST

/* A store that follows a load: both. */
START_TEST(a_load_and_a_store)
{
    set_up();
    read_all();
    sink = mapped[5];
    *(volatile cl_int *)(mapped + 6) = 1;
    host_reported(2);
}
END_TEST

/* Rows of two pages, so that one is wholly in each wherever the region begins, with one between them; then
 * images. */
START_TEST(pieces)
{
    enum { ROW = 2 * PAGE, PITCH = 3 * PAGE, INSIDE_SECOND = (PITCH + PAGE) / 4, BETWEEN = ROW / 4 + 5 };
    const size_t origin[3] = {0}, rows[3] = {ROW, 2, 1}, texels[3] = {PER_PAGE, PAGES, 1};
    set_up();
    switch (_i) {
    case 0:
        cl_ok(clEnqueueReadBufferRect(queue, other, CL_FALSE, origin, origin, rows, ROW, 0, PITCH, 0, mapped,
                                      0, NULL, NULL));
        mapped[BETWEEN] = sink = mapped[BETWEEN + 1];
        host_reported(0);
        cl_ok(clEnqueueReadBufferRect(queue, other, CL_FALSE, origin, origin, rows, ROW, 0, PITCH, 0, mapped,
                                      0, NULL, NULL));
        sink = mapped[INSIDE_SECOND];
        break;
    case 1:
        cl_ok(clEnqueueWriteBufferRect(queue, other, CL_FALSE, origin, origin, rows, ROW, 0, PITCH, 0, mapped,
                                       0, NULL, NULL));
        sink = mapped[INSIDE_SECOND];
        mapped[BETWEEN] = 1;
        mapped[INSIDE_SECOND] = 1;
        break;
    case 2:
        cl_ok(
            clEnqueueReadImage(queue, make_image(0), CL_FALSE, origin, texels, 0, 0, mapped, 0, NULL, NULL));
        sink = mapped[COUNT - 1];
        break;
    case 3:
        cl_ok(
            clEnqueueWriteImage(queue, make_image(0), CL_FALSE, origin, texels, 0, 0, mapped, 0, NULL, NULL));
        sink = mapped[COUNT - 1];
        mapped[COUNT - 1] = 1;
        break;
    }
    host_reported(1);
}
END_TEST

static pthread_barrier_t called;

static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *pointer)
{
    (void)event, (void)status;
    sink = *(cl_int *)pointer;
    *(cl_int *)pointer = 5;
    pthread_barrier_wait(&called);
}

START_TEST(access_ordered_after_completion)
{
    cl_ulong when;
    int ends[2];
    set_up_with(_i / 2 % 2 ? "true" : "false", OF_RUNTIME);
    pthread_barrier_init(&called, NULL, 2);
    cl_event event = _i % 2 ? read_all() : write_all();
    switch (_i / 4) {
    case 0: cl_ok(clWaitForEvents(1, &event)); break;
    case 1: cl_ok(clFinish(queue)); break;
    case 2: host_poll(event, CL_COMPLETE); break;
    case 3: cl_ok(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 4, &(cl_int){0}, 0, NULL, NULL)); break;
    case 4:
        cl_ok(clFlush(queue));
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof when, &when, NULL));
        break;
    case 5:
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, mapped + 100));
        cl_ok(clFlush(queue));
        pthread_barrier_wait(&called);
        break;
    }
    sink = mapped[5];
    store_unordered(5, 1);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], mapped, 100), 100); /* it is open */
    ck_assert_int_eq(read(ends[0], mapped, 100), 100);
    host_unmap(pinned, mapped);
    host_reported(0);
}
END_TEST

/* The user event that it waits for is set after the access. */
START_TEST(around_the_user_event)
{
    set_up();
    cl_event go = cl_user_event(context);
    if (_i / 2)
        read_some(0, COUNT, &go);
    else
        write_some(0, COUNT, &go);
    if (_i % 2 == 0)
        store_unordered(5, 1);
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    if (_i % 2 == 1)
        store_unordered(5, 1);
    host_reported(_i % 2 == 1);
    cl_ok(clReleaseEvent(go));
}
END_TEST

/* Other bytes of a page that holds an end of what is used are the host's, in system calls, too. */
START_TEST(neighbours)
{
    int ends[2];
    set_up();
    ck_assert_int_eq(pipe(ends), 0);
    read_some(PER_PAGE / 2, 2 * PER_PAGE, NULL);
    ck_assert_int_eq(write(ends[1], mapped, PAGE / 2), PAGE / 2);
    ck_assert_int_eq(read(ends[0], mapped + 5 * PER_PAGE / 2, PAGE / 2), PAGE / 2);
    mapped[0] = sink = mapped[5 * PER_PAGE / 2 + 1];
    mapped[4 * PER_PAGE] = 1;
    host_reported(0);
    read_some(PER_PAGE / 2, 2 * PER_PAGE, NULL);
    sink = mapped[PER_PAGE];
    host_reported(1);
}
END_TEST

/*
 * All that is mapped of its page is in use: the page is closed. Memory after it is unused, and never
 * reported.
 */
START_TEST(less_than_a_page)
{
    const bool beyond = _i % 2;
    host_set_up("warning", "false", source);
    other = cl_buffer(context, 0, BYTES, NULL);
    pinned = cl_buffer(context, 0, _i / 2 ? 64 : BYTES, NULL);
    map_buffer(CL_TRUE, 0, 16);
    read_some(0, 16, NULL);
    sink = ((volatile cl_int *)mapped)[beyond ? 20 : 15];
    host_reported(!beyond);
}
END_TEST

/* Two maps of one page: what one command uses is not all of what the host has there. */
START_TEST(two_maps_of_a_page)
{
    host_set_up("warning", "false", source);
    other = cl_buffer(context, 0, BYTES, NULL);
    pinned = cl_buffer(context, 0, BYTES, NULL);
    map_buffer(CL_TRUE, PER_PAGE / 2, PER_PAGE / 2);
    cl_int *second = mapped;
    map_buffer(CL_TRUE, 0, PER_PAGE / 2);
    read_some(0, PER_PAGE / 2, NULL);
    second[0] = 1;
    host_reported(0);
}
END_TEST

/* 5.5.3: the map has to be complete first, as without the read. */
START_TEST(before_the_map_is_complete)
{
    struct orrery_finding finding;
    host_set_up("warning", _i / 2 ? "true" : "false", source);
    other = cl_buffer(context, 0, BYTES, NULL);
    pinned = cl_buffer(context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL);
    map_buffer(CL_FALSE, 0, COUNT);
    cl_event read = read_all();
    if (_i % 2)
        cl_ok(clWaitForEvents(1, &map_event));
    sink = mapped[5];
    cl_ok(clWaitForEvents(1, &read));
    sink = mapped[5];
    host_reported(1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_ptr_nonnull(
        strstr(finding.access[1].what, _i % 2 ? "clEnqueueReadBuffer" : "clEnqueueMapBuffer"));
}
END_TEST

/* From the unmap on the bytes are the device's, in use or not. Nothing orders an unmap on another queue
 * after the read. */
START_TEST(an_unmap_while_it_runs)
{
    struct orrery_finding finding;
    set_up();
    cl_event read = read_all();
    cl_ok(clEnqueueUnmapMemObject(_i ? unordered : queue, pinned, mapped, 0, NULL, NULL));
    sink = mapped[5];
    cl_ok(clFinish(unordered));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count_of("race-commands"), _i);
    ck_assert_uint_eq(orrery_finding_count_of("race-host-device"), 1);
    for (size_t i = 0; i < orrery_finding_count(); i++) {
        ck_assert_int_eq(orrery_finding_get(i, &finding), ORRERY_OK);
        ck_assert(strcmp(finding.id, "race-host-device") != 0 ||
                  strstr(finding.access[1].what, "clEnqueueUnmapMemObject"));
    }
    (void)read;
}
END_TEST

/* Mapped again while the command that used it is still unknown to be complete: the map waits for it. */
START_TEST(a_map_after_it)
{
    set_up();
    read_all();
    host_unmap(pinned, mapped);
    map_buffer(CL_TRUE, 0, COUNT);
    mapped[5] = sink = mapped[6];
    host_reported(0);
}
END_TEST

START_TEST(when_the_buffer_is_destroyed)
{
    set_up();
    cl_event go = cl_user_event(context);
    read_some(0, COUNT, &go);
    cl_ok(clEnqueueUnmapMemObject(queue, pinned, mapped, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(pinned));
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clFinish(queue));
    pinned = cl_buffer(context, 0, BYTES, NULL);
    map_buffer(CL_TRUE, 0, COUNT);
    store_unordered(5, 1);
    host_reported(0);
}
END_TEST

static void *work_beside(void *unused)
{
    for (int i = 0; i < 2000; i++)
        mapped[4 * PER_PAGE + i % PER_PAGE] += 1;
    return unused;
}

static void *load_once(void *unused)
{
    sink = mapped[PER_PAGE];
    return unused;
}

/* One thread works on unused pages while another has the device copy; a third does what it must not. */
START_TEST(threads)
{
    pthread_t worker, breaker;
    set_up_with(_i / 2 ? "true" : "false", OF_RUNTIME);
    ck_assert_int_eq(pthread_create(&worker, NULL, work_beside, NULL), 0);
    for (int i = 0; i < 50; i++) {
        cl_event read = read_some(0, 3 * PER_PAGE, NULL);
        cl_ok(clFlush(queue));
        if (_i % 2 && i == 25) {
            ck_assert_int_eq(pthread_create(&breaker, NULL, load_once, NULL), 0);
            pthread_join(breaker, NULL);
        }
        cl_ok(clWaitForEvents(1, &read));
        mapped[i] = 1;
    }
    pthread_join(worker, NULL);
    host_reported(_i % 2);
    int sum = 0;
    for (int i = 0; i < PER_PAGE; i++)
        sum += mapped[4 * PER_PAGE + i];
    ck_assert_int_eq(sum, 2000);
}
END_TEST

/* Two halves alternate, as in programs: one is computed with while the other is copied. */
START_TEST(double_buffering)
{
    enum { HALF = COUNT / 2 };
    cl_event last[2];
    set_up_with(_i ? "true" : "false", OF_RUNTIME);
    launch_give();
    last[0] = read_some(0, HALF, NULL);
    for (int i = 0; i < 40; i++) {
        const size_t now = i % 2, next = 1 - now;
        last[next] = i % 3 ? read_some(next * HALF, HALF, NULL) : write_some(next * HALF, HALF, NULL);
        cl_ok(clFlush(queue));
        cl_ok(clWaitForEvents(1, &last[now]));
        for (int k = 0; k < HALF; k++)
            mapped[now * HALF + k]++;
    }
    host_reported(0);
    host_unmap(pinned, mapped);
    host_reported(0);
}
END_TEST

/* The host reads it when it makes the call: while it is mapped, and once the map is complete. */
START_TEST(memory_that_is_copied_when_something_is_made)
{
    const bool shared = _i & 1, early = _i & 2;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = PER_PAGE, .image_height = PAGES};
    cl_int err;
    set_up_with("false", shared ? SHARED_COARSE : OF_RUNTIME);
    if (shared && early)
        cl_ok(clEnqueueSVMUnmap(queue, mapped, 0, NULL, NULL));
    if (!shared) {
        host_unmap(pinned, mapped);
        map_buffer(early ? CL_FALSE : CL_TRUE, 0, COUNT);
    }
    cl_mem made = _i & 4 ? clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, mapped, &err)
                         : clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, mapped, &err);
    cl_ok(err);
    host_reported(early);
    if (early) {
        struct orrery_finding finding;
        ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
        ck_assert_ptr_nonnull(strstr(finding.access[0].what, "load"));
    }
    cl_ok(clReleaseMemObject(made));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mapped regions that reads and writes use");
    TCase *all = tcase_create("all");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, load_of_bytes_that_a_command_reads, 0, WAYS);
    tcase_add_loop_test(all, store_into_bytes_that_a_command_reads, 0, WAYS);
    tcase_add_loop_test(all, store_into_bytes_that_a_command_writes, 0, WAYS);
    tcase_add_loop_test(all, load_of_bytes_that_a_command_writes, 0, WAYS);
    tcase_add_test(all, a_load_and_a_store);
    tcase_add_loop_test(all, pieces, 0, 4);
    tcase_add_loop_test(all, access_ordered_after_completion, 0, 24);
    tcase_add_loop_test(all, around_the_user_event, 0, 4);
    tcase_add_test(all, neighbours);
    tcase_add_loop_test(all, less_than_a_page, 0, 4);
    tcase_add_test(all, two_maps_of_a_page);
    tcase_add_loop_test(all, before_the_map_is_complete, 0, 4);
    tcase_add_loop_test(all, an_unmap_while_it_runs, 0, 2);
    tcase_add_test(all, a_map_after_it);
    tcase_add_test(all, when_the_buffer_is_destroyed);
    tcase_add_loop_test(all, threads, 0, 4);
    tcase_add_loop_test(all, memory_that_is_copied_when_something_is_made, 0, 8);
    tcase_add_loop_test(all, double_buffering, 0, 2);
    suite_add_tcase(suite, all);
    return cl_run_suite(suite);
}
