/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the program that commands use, with its pages closed (checks.shared_pages): the memory of
 * non-blocking reads and writes (OpenCL 2.2 API, 5.2.2), and of buffers and images (5.2.1, 5.2.4). An access
 * that no synchronisation and no map allows is reported, with its line, and nothing else; and the program
 * runs as it would.
 */
#include "tests/support/host_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 6, BYTES = PAGES * PAGE, COUNT = BYTES / 4, PER_PAGE = PAGE / 4 };

static const char source[] =
    "kernel void take(global const int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0)]; }\n"
    "kernel void give(global int *a, global int *b) { a[get_global_id(0)] = 7; }\n"
    "kernel void scatter(global int *a, global int *b) { a[get_global_id(0) * 7 % 6144] = 7; }\n"
    "kernel void count(global int *a, global int *b) { atomic_inc(a + get_global_id(0)); }\n"
    "kernel void look(read_only image2d_t a, global int *b) {\n"
    "    b[get_global_id(0)] = (int)read_imagef(a, (int2)(get_global_id(0) % 64, get_global_id(0) / 64)).x; "
    "}\n"
    "kernel void paint(write_only image2d_t a, global int *b) {\n"
    "    write_imagef(a, (int2)(get_global_id(0) % 64, get_global_id(0) / 64), (float4)(1)); }\n";
static cl_mem buffer, other;
static cl_int *memory, *target;
static volatile cl_int sink;

static cl_int *pages(void)
{
    cl_int *made = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(made != MAP_FAILED);
    return made;
}

static void set_up_with(const char *closed, cl_mem_flags flags)
{
    host_set_up("warning", closed, source);
    memory = pages();
    target = pages();
    buffer = cl_buffer(context, flags, BYTES, flags & CL_MEM_USE_HOST_PTR ? memory : NULL);
    other = cl_buffer(context, 0, BYTES, NULL);
}

static void set_up(void)
{
    set_up_with("true", 0);
}
static void set_up_after(void)
{
    set_up_with("true", CL_MEM_USE_HOST_PTR);
}

static void run_on(const char *name, cl_mem on, size_t items)
{
    cl_kernel kernel = host_kernel(name);
    cl_ok(clSetKernelArg(kernel, 0, sizeof on, &on));
    cl_ok(clSetKernelArg(kernel, 1, sizeof other, &other));
    host_launch(queue, kernel, items, NULL);
}

static void run(const char *name)
{
    run_on(name, buffer, COUNT);
}

/* Its bytes are the device's, and the device has used them. */
static void set_up_given(void)
{
    set_up_after();
    run("give");
    cl_ok(clFinish(queue));
}

/* The first finding, with its line. */
static struct orrery_finding reported_first(const char *what)
{
    struct orrery_finding finding;
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_ptr_nonnull(strstr(finding.access[0].what, what));
    ck_assert_ptr_nonnull(finding.access[0].file);
    return finding;
}

static cl_event read_into(cl_int *pointer, const cl_event *after)
{
    cl_event event;
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, pointer, after != NULL, after, &event));
    return event;
}

static cl_event write_from(const cl_int *pointer, const cl_event *after)
{
    cl_event event;
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, pointer, after != NULL, after, &event));
    return event;
}

/* ---- reads and writes that do not block ------------------------------------------------------ */

enum time { BEFORE_IT_RUNS, WHEN_IT_IS_COMPLETE };

static void let_run(int time)
{
    if (time == WHEN_IT_IS_COMPLETE)
        cl_ok(clFlush(queue)); /* nothing runs beside the host: it is over */
}

START_TEST(load_of_bytes_that_a_command_reads)
{
    set_up();
    read_into(target, NULL);
    let_run(_i);
    sink = target[_i * 100 + 3];
    host_reported(1);
    const struct orrery_finding finding = reported_first("load");
    ck_assert_ptr_nonnull(strstr(finding.spec, "5.2.2"));
    sink = target[3];
    host_reported(1);
}
END_TEST

START_TEST(store_into_bytes_that_a_command_reads_or_writes)
{
    set_up();
    if (_i / 2)
        read_into(target, NULL);
    else
        write_from(target, NULL);
    let_run(_i % 2);
    target[5] = 1;
    host_reported(1);
}
END_TEST

START_TEST(load_of_bytes_that_a_command_writes)
{
    set_up();
    write_from(target, NULL);
    sink = target[5];
    let_run(_i);
    sink = target[6];
    host_reported(0);
}
END_TEST

static cl_mem make_image(cl_mem_flags flags, void *pointer)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = COUNT / 64};
    cl_int err;
    cl_mem image = clCreateImage(context, flags, &format, &desc, pointer, &err);
    cl_ok(err);
    return image;
}

/* Rows of one page each, every second one of them; then an image; then shared memory and none. */
START_TEST(pieces)
{
    const size_t origin[3] = {0}, rows[3] = {PAGE, PAGES / 2, 1}, texels[3] = {64, COUNT / 64, 1};
    set_up();
    switch (_i) {
    case 0:
        cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, origin, origin, rows, PAGE, 0, 2 * PAGE, 0,
                                      target, 0, NULL, NULL));
        sink = target[PER_PAGE];
        target[3 * PER_PAGE] = 1;
        host_reported(0);
        cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, origin, origin, rows, PAGE, 0, 2 * PAGE, 0,
                                      target, 0, NULL, NULL));
        sink = target[2 * PER_PAGE];
        break;
    case 1:
        cl_ok(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, origin, origin, rows, PAGE, 0, 2 * PAGE, 0,
                                       target, 0, NULL, NULL));
        sink = target[2 * PER_PAGE];
        target[PER_PAGE] = 1;
        target[2 * PER_PAGE] = 1;
        break;
    case 2:
        cl_ok(clEnqueueReadImage(queue, make_image(0, NULL), CL_FALSE, origin, texels, 0, 0, target, 0, NULL,
                                 NULL));
        sink = target[COUNT - 1];
        break;
    case 3:
        cl_ok(clEnqueueWriteImage(queue, make_image(0, NULL), CL_FALSE, origin, texels, 0, 0, target, 0, NULL,
                                  NULL));
        sink = target[COUNT - 1];
        target[COUNT - 1] = 1;
        break;
    case 4:
    case 5: {
        void *shared = clSVMAlloc(context, 0, BYTES, 0);
        ck_assert_ptr_nonnull(shared);
        if (_i == 4)
            cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, target, shared, BYTES, 0, NULL, NULL));
        else
            cl_ok(clEnqueueSVMMemcpy(queue, CL_FALSE, shared, target, BYTES, 0, NULL, NULL));
        target[9] = 1;
        break;
    }
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

static void CL_CALLBACK native(void *arguments)
{
    cl_int *pointer;
    memcpy(&pointer, arguments, sizeof pointer);
    sink = *pointer;
}

/* 5.2.2: "can be used to query the execution status": that is enough for the program's own memory. */
START_TEST(access_ordered_after_completion)
{
    cl_ulong when;
    cl_event event;
    set_up();
    pthread_barrier_init(&called, NULL, 2);
    event = _i % 2 ? read_into(target, NULL) : write_from(target, NULL);
    switch (_i / 2) {
    case 0: cl_ok(clWaitForEvents(1, &event)); break;
    case 1: cl_ok(clFinish(queue)); break;
    case 2: host_poll(event, CL_COMPLETE); break;
    case 3: cl_ok(clFinish(queue)); break;
    case 4: cl_ok(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 4, &(cl_int){0}, 0, NULL, NULL)); break;
    case 5:
        cl_ok(clFlush(queue));
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof when, &when, NULL));
        break;
    case 6:
        cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
        host_poll(event, CL_COMPLETE);
        break;
    case 7:
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, target + 100));
        cl_ok(clFlush(queue));
        pthread_barrier_wait(&called);
        break;
    case 8:
        cl_ok(clEnqueueNativeKernel(queue, native, &target, sizeof target, 0, NULL, NULL, 0, NULL, NULL));
        cl_ok(clFlush(queue));
        break;
    }
    sink = target[5];
    target[5] = 1;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], target, 100), 100); /* it is open */
    ck_assert_int_eq(read(ends[0], target, 100), 100);
    host_reported(0);
}
END_TEST

/* The user event that it waits for is set after the access. */
START_TEST(around_the_user_event)
{
    set_up();
    cl_event go = cl_user_event(context);
    if (_i / 2)
        read_into(target, &go);
    else
        write_from(target, &go);
    if (_i % 2 == 0)
        target[5] = 1;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    if (_i % 2 == 1)
        target[5] = 1;
    host_reported(_i % 2 == 1);
    cl_ok(clReleaseEvent(go));
}
END_TEST

/* No call waits for the user event. */
START_TEST(beside_a_user_event)
{
    set_up();
    cl_event go = cl_user_event(context);
    if (_i)
        read_into(target, NULL);
    else
        write_from(target, NULL);
    target[5] = 1;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    host_reported(1);
    cl_ok(clReleaseEvent(go));
}
END_TEST

/* Accesses to the same pages as the ends, and to others, are not reported. */
START_TEST(neighbours)
{
    set_up();
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 3 * PAGE, target + 8, 0, NULL, NULL));
    target[0] = target[8] = 1; /* the second is in use, its page is not all of it */
    target[3 * PER_PAGE + 1] = 1;
    sink = target[4 * PER_PAGE];
    char *small = malloc(100);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 100, small, 0, NULL, NULL));
    small[5] = 1;
    cl_int local[3 * PER_PAGE];
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof local, local, 0, NULL, NULL));
    local[PER_PAGE] = 1;
    host_reported(0);
    free(small);
}
END_TEST

START_TEST(a_command_that_fails)
{
    set_up();
    cl_event go = cl_user_event(context);
    read_into(target, &go);
    cl_ok(clSetUserEventStatus(go, -5));
    clFinish(queue);
    target[5] = 1;
    host_reported(0);
}
END_TEST

static void *store_from_thread(void *at)
{
    for (int i = 0; i < COUNT; i += PER_PAGE / 2)
        ((volatile cl_int *)at)[i] = i;
    return NULL;
}

/* More threads than one, more pages than notes. The command may be forgotten between a fault and its
 * handler. */
static void threads_store(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    read_into(target, NULL);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, store_from_thread, target), 0);
    for (int i = 0; i < 20; i++) {
        cl_int value = i;
        cl_ok(clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cl_ok(clFinish(queue));
}

START_TEST(threads_at_closed_pages)
{
    set_up();
    for (int rounds = 20; rounds; rounds--)
        threads_store();
    ck_assert_uint_le(orrery_finding_count(), 1);
    ck_assert_int_eq(target[1], 0);
}
END_TEST

START_TEST(many_pages)
{
    enum { MANY = 300 };
    set_up();
    char *large = malloc((size_t)MANY * PAGE);
    cl_mem whole = cl_buffer(context, 0, (size_t)MANY * PAGE, NULL);
    cl_ok(clEnqueueReadBuffer(queue, whole, CL_FALSE, 0, (size_t)MANY * PAGE, large, 0, NULL, NULL));
    memset(large, 1, (size_t)MANY * PAGE);
    host_reported(1);
    ck_assert_int_eq(large[1000], 0);
    free(large);
}
END_TEST

/* Freed while it is in use is a mistake of the program's, which must not become another one. */
START_TEST(unmapped_memory)
{
    set_up();
    char *large = malloc(100 * PAGE), *small = malloc(3 * PAGE);
    write_from(target, NULL);
    cl_ok(clEnqueueWriteBuffer(queue, other, CL_FALSE, 0, 3 * PAGE, small, 0, NULL, NULL));
    cl_ok(clFlush(queue));
    ck_assert_int_eq(munmap(target, BYTES), 0);
    small = realloc(small, 200 * PAGE);
    ck_assert_ptr_nonnull(small);
    small[3 * PAGE - 1] = 1;
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, large, 0, NULL, NULL));
    cl_ok(clFlush(queue));
    free(large);
    for (int i = 0; i < 50; i++)
        free(memset(malloc((size_t)(i + 1) * 1000), 1, 1000));
    cl_ok(clFinish(queue));
    free(small);
}
END_TEST

static void *free_in_use(void *unused)
{
    cl_command_queue mine = cl_new_queue(context, 0);
    for (int i = 0; i < 60; i++) {
        char *piece = malloc(BYTES), *small[20];
        cl_ok(clEnqueueReadBuffer(mine, buffer, CL_FALSE, 0, BYTES, piece, 0, NULL, NULL));
        cl_ok(clFlush(mine));
        free(piece);
        for (int k = 0; k < 20; k++)
            small[k] = memset(malloc((size_t)(k + 1) * 800), 1, 100);
        for (int k = 0; k < 20; k++)
            free(small[k]);
        const pid_t child = i % 30 == 0 ? fork() : -1;
        if (child == 0)
            _exit(0);
        if (child > 0)
            ck_assert_int_eq(waitpid(child, NULL, 0), child);
        if (i % 7 == 0)
            cl_ok(clFinish(mine));
    }
    cl_ok(clFinish(mine));
    cl_ok(clReleaseCommandQueue(mine));
    return unused;
}

/* Then the faulting thread holds malloc's lock, which others, and fork, wait for. */
START_TEST(faults_inside_malloc)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    set_up();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, free_in_use, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

void __register_frame(void *frames), __deregister_frame(void *frames);

/* As memory that was freed in use and given to the C library would be: the handler's stack trace reads it. The
 * first four bytes are read when it is registered, and are in a page that is open. */
START_TEST(fault_inside_the_handler)
{
    static const uint32_t no_frames[5] = {12, 0, 0x78010001, 16, 0}; /* a CIE, no FDE, the end */
    set_up();
    cl_int *frames = target + PER_PAGE - 1;
    memcpy(frames, no_frames, sizeof no_frames);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES - PAGE, target + PER_PAGE, 0, NULL, NULL));
    __register_frame(frames);
    target[3 * PER_PAGE] = 1;
    host_reported(1);
    cl_ok(clFinish(queue));
    __deregister_frame(frames);
}
END_TEST

START_TEST(memory_that_was_moved)
{
    set_up();
    read_into(target, NULL);
    cl_ok(clFlush(queue));
    cl_int *moved = mremap(target, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, memory);
    ck_assert(moved == memory);
    moved[5] = moved[COUNT - 1] = 1;
    cl_ok(clFinish(queue));
    moved[7] = 1;
}
END_TEST

/* Pages that two commands use, and a buffer. */
START_TEST(pages_of_several)
{
    cl_event events[2];
    set_up_after();
    events[0] = write_from(target, NULL);
    cl_ok(clEnqueueReadBuffer(queue, other, CL_FALSE, 0, BYTES / 2, target, 0, NULL, &events[1]));
    sink = target[COUNT - 1];
    cl_ok(clWaitForEvents(1, &events[_i % 2]));
    if (_i == 0)
        sink = target[5]; /* the second may yet write it */
    else if (_i == 1)
        target[5] = target[COUNT - 1] = 1;
    else
        sink = memory[5];
    host_reported(_i != 1);
}
END_TEST

/* The page is closed for the second, which runs after the store; a query reported the end of the first. */
START_TEST(store_between_a_complete_and_a_waiting_command)
{
    set_up();
    cl_event go = cl_user_event(context), first = write_from(target, NULL);
    cl_ok(clEnqueueWriteBuffer(unordered, other, CL_FALSE, 0, BYTES, target, 1, &go, NULL));
    if (_i)
        host_poll(first, CL_COMPLETE);
    else
        cl_ok(clFlush(queue));
    target[5] = 1;
    cl_ok(clSetUserEventStatus(go, CL_COMPLETE));
    cl_ok(clFinish(unordered));
    host_reported(!_i);
    cl_ok(clReleaseEvent(go));
}
END_TEST

START_TEST(a_child_has_all_its_memory)
{
    set_up_given();
    read_into(target, NULL);
    const pid_t child = fork();
    if (child == 0) {
        int ends[2];
        const bool fine =
            pipe(ends) == 0 && write(ends[1], target, PAGE) == PAGE && read(ends[0], memory, PAGE) == PAGE;
        target[5] = memory[5] = 1;
        _exit(fine ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    host_reported(0);
    read_into(target, NULL);
    sink = target[5];
    host_reported(1);
}
END_TEST

static volatile sig_atomic_t faults;

static void on_fault(int number)
{
    (void)number;
    faults++;
    mprotect(memory, PAGE, PROT_READ | PROT_WRITE);
}

/* Its own faults still reach the program's handler, whether it was there before or not. */
START_TEST(handlers_of_the_program)
{
    const struct sigaction action = {.sa_handler = on_fault};
    if (_i == 0)
        sigaction(SIGSEGV, &action, NULL);
    set_up();
    read_into(target, NULL);
    if (_i == 1) {
        sigaction(SIGSEGV, &action, NULL);
        read_into(target, NULL);
    }
    mprotect(memory, PAGE, PROT_NONE);
    *(volatile cl_int *)memory = 1;
    ck_assert_int_eq(faults, 1);
    *(volatile cl_int *)target = 1;
    ck_assert_int_eq(faults, 1);
    host_reported(1);
}
END_TEST

START_TEST(system_calls_fail)
{
    int ends[2];
    set_up();
    ck_assert_int_eq(pipe(ends), 0);
    read_into(target, NULL);
    ck_assert_int_eq(write(ends[1], target, 100), -1);
    ck_assert_int_eq(errno, EFAULT);
    host_reported(0);
    ck_assert_int_eq(write(ends[1], target, 100), 100);
}
END_TEST

/* ---- memory after buffers ---------------------------------------------------------------------- */

static cl_int *map(cl_bool blocking, cl_map_flags flags, size_t first, size_t count, cl_event *event)
{
    return host_map(buffer, blocking, flags, first, count, event);
}

static void unmap(void *pointer)
{
    host_unmap(buffer, pointer);
}

static const char *const writers[] = {"give", "scatter", "count"};

START_TEST(a_load_without_a_map)
{
    set_up_after();
    run(writers[_i % 3]);
    if (_i / 3 == 1)
        cl_ok(clFlush(queue));
    if (_i / 3 == 2)
        cl_ok(clFinish(queue));
    sink = memory[7];
    host_reported(1);
    const struct orrery_finding finding = reported_first("load");
    ck_assert_ptr_nonnull(strstr(finding.spec, "CL_MEM_USE_HOST_PTR"));
    ck_assert_uint_eq(finding.offset_bytes, 28);
}
END_TEST

START_TEST(a_load_before_the_map_is_complete)
{
    cl_event mapped;
    set_up_given();
    cl_int *pointer = map(CL_FALSE, CL_MAP_READ, 0, COUNT, &mapped);
    if (_i == 1)
        cl_ok(clFlush(queue));
    if (_i == 2)
        cl_ok(clWaitForEvents(1, &mapped));
    if (_i == 3)
        host_poll(mapped, CL_COMPLETE);
    sink = pointer[7];
    host_reported(_i < 2);
}
END_TEST

START_TEST(bytes_that_no_command_wrote)
{
    set_up_after();
    run_on("give", buffer, COUNT / 2);
    run_on("take", buffer, COUNT);
    sink = memory[COUNT / 2];
    cl_ok(clFinish(queue));
    sink = memory[COUNT - 1];
    host_reported(0);
    sink = memory[COUNT / 2 - 1];
    host_reported(1);
}
END_TEST

START_TEST(bytes_of_maps_and_reads)
{
    cl_int *pointer;
    set_up_after();
    for (int i = 0; i < 3; i++) {
        run(writers[i]);
        switch (_i) {
        case 0:
            pointer = map(CL_TRUE, CL_MAP_READ, 0, COUNT, NULL);
            sink = pointer[7];
            unmap(pointer);
            break;
        case 1:
            pointer = map(CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, COUNT, NULL);
            pointer[7] = i;
            sink = pointer[7];
            unmap(pointer);
            break;
        case 2:
            pointer = map(CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 100, COUNT - 100, NULL);
            pointer[7]++;
            unmap(pointer);
            break;
        case 3:
            cl_ok(clFinish(queue));
            cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
            break;
        case 4:
            cl_ok(clFinish(queue));
            cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 0, NULL, NULL));
            cl_ok(clFinish(queue));
            break;
        case 5:
            pointer = map(CL_FALSE, CL_MAP_READ, 0, COUNT, NULL);
            cl_ok(clFinish(queue));
            sink = pointer[7];
            unmap(pointer);
            break;
        }
        sink = memory[COUNT - 1];
        int ends[2];
        ck_assert_int_eq(pipe(ends), 0);
        cl_ok(clFinish(queue));
        if (_i != 2) /* of which the first bytes are not handed over: none is open */
            ck_assert_int_eq(write(ends[1], memory + PER_PAGE, 100), 100);
    }
    host_reported(0);
}
END_TEST

START_TEST(a_store_without_a_map_has_its_line)
{
    set_up_after();
    memory[7] = 9;
    if (_i)
        cl_ok(clFinish(queue));
    run("take");
    host_reported(1);
    const struct orrery_finding finding = reported_first("store");
    ck_assert_ptr_nonnull(strstr(finding.why, "CL_MEM_USE_HOST_PTR"));
    ck_assert_uint_eq(finding.offset_bytes, 28);
}
END_TEST

START_TEST(a_store_while_a_command_is_under_way)
{
    static const char *const kernels[] = {"take", "give"};
    set_up_after();
    run(kernels[_i % 2]);
    if (_i / 2)
        cl_ok(clFlush(queue));
    memory[7] = 9;
    host_reported(1);
}
END_TEST

/* What it finds there is its own, whatever the device has. */
START_TEST(loads_of_the_hosts_own_stores)
{
    set_up_given();
    memory[7] = 9;
    run_on("take", other, COUNT);
    cl_ok(clFinish(queue));
    sink = memory[7];
    host_reported(0);
    sink = memory[2 * PER_PAGE];
    host_reported(1);
}
END_TEST

START_TEST(a_store_before_the_map_is_complete)
{
    set_up_after();
    cl_int *pointer = map(CL_FALSE, CL_MAP_WRITE, 0, COUNT, NULL);
    pointer[7] = 9;
    unmap(pointer);
    host_reported(1);
}
END_TEST

START_TEST(stores_that_are_passed_over)
{
    set_up_after();
    for (int i = 0; i < 4; i++) {
        cl_int *pointer = map(CL_TRUE, CL_MAP_WRITE, 0, COUNT, NULL);
        pointer[7] = i;
        unmap(pointer);
        run("take");
        cl_ok(clFinish(queue));
        memory[7] = -i - 1;
        cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, memory, 0, NULL, NULL));
        run("take");
    }
    host_reported(0);
}
END_TEST

START_TEST(an_image)
{
    set_up();
    cl_mem image = make_image(CL_MEM_USE_HOST_PTR, memory);
    const size_t origin[3] = {0}, region[3] = {64, COUNT / 64, 1};
    size_t pitch;
    cl_int err;
    run_on("paint", image, COUNT);
    cl_ok(clFinish(queue));
    if (_i) {
        cl_int *pointer = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL,
                                            0, NULL, NULL, &err);
        cl_ok(err);
        sink = pointer[7];
        cl_ok(clEnqueueUnmapMemObject(queue, image, pointer, 0, NULL, NULL));
    }
    sink = memory[7];
    host_reported(!_i);
}
END_TEST

START_TEST(a_store_after_an_image)
{
    set_up_with(_i % 2 ? "true" : "false", 0);
    cl_mem image = make_image(CL_MEM_USE_HOST_PTR, memory);
    const size_t origin[3] = {0}, region[3] = {64, COUNT / 64, 1};
    const cl_float colour[4] = {1};
    memory[7] = 9;
    if (_i / 2 == 1)
        cl_ok(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    if (_i / 2 == 2)
        cl_ok(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, memory, 0, NULL, NULL));
    if (_i / 2 == 3)
        run_on("paint", image, COUNT);
    run_on("look", image, _i / 2 == 4 ? 7 : COUNT);
    host_reported(_i / 2 == 0);
}
END_TEST

START_TEST(when_the_buffer_is_destroyed)
{
    set_up_given();
    cl_ok(clReleaseMemObject(buffer));
    sink = memory[7];
    memory[7] = 1;
    host_reported(0);
    ck_assert_int_eq(munmap(memory, BYTES), 0);
}
END_TEST

/* 5.2.1: what several buffers of one memory hold is undefined. */
START_TEST(two_buffers_of_one_memory)
{
    set_up_after();
    cl_mem second = cl_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, memory);
    run("give");
    cl_ok(clFinish(queue));
    sink = memory[7];
    host_reported(0);
    cl_ok(clReleaseMemObject(second));
}
END_TEST

START_TEST(without_the_option)
{
    set_up_with("false", CL_MEM_USE_HOST_PTR);
    run("give");
    cl_ok(clFinish(queue));
    sink = memory[7];
    read_into(target, NULL);
    sink = target[7];
    host_reported(0);
}
END_TEST

/* Everything that is allowed, in any order, of two buffers and the memory between. */
START_TEST(a_long_run_that_is_right)
{
    uint64_t state = (uint64_t)_i + 1;
    cl_event last = NULL;
    bool reading = false;
    set_up_after();
    for (int i = 0; i < 150; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        switch ((state >> 33) % 7) {
        case 0: run(writers[(state >> 40) % 3]); break;
        case 1: run("take"); break;
        case 2: {
            const size_t first = (state >> 40) % (COUNT - 1);
            cl_int *pointer = map(CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, first, COUNT - first, NULL);
            sink = pointer[0];
            pointer[(state >> 20) % (COUNT - first)] = i;
            unmap(pointer);
            last = NULL; /* the map came after it, and blocked */
            break;
        }
        case 3:
            if (!last) {
                reading = state >> 63;
                last = reading ? read_into(target, NULL) : write_from(target, NULL);
            }
            break;
        case 4:
            if (last)
                cl_ok(clWaitForEvents(1, &last));
            last = NULL;
            break;
        case 5: cl_ok(clFlush(queue)); break;
        default:
            if (last && !reading)
                sink = target[(state >> 20) % COUNT];
            if (!last)
                target[(state >> 20) % COUNT] = sink = target[(state >> 40) % COUNT];
        }
    }
    host_reported(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of the host with its pages closed");
    TCase *used = tcase_create("used"), *past = tcase_create("after");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(used, 60);
    tcase_set_timeout(past, 60);
    tcase_add_loop_test(used, load_of_bytes_that_a_command_reads, 0, 2);
    tcase_add_loop_test(used, store_into_bytes_that_a_command_reads_or_writes, 0, 4);
    tcase_add_loop_test(used, load_of_bytes_that_a_command_writes, 0, 2);
    tcase_add_loop_test(used, pieces, 0, 6);
    tcase_add_loop_test(used, access_ordered_after_completion, 0, 18);
    tcase_add_loop_test(used, around_the_user_event, 0, 4);
    tcase_add_loop_test(used, beside_a_user_event, 0, 2);
    tcase_add_test(used, neighbours);
    tcase_add_test(used, a_command_that_fails);
    tcase_add_test(used, threads_at_closed_pages);
    tcase_add_test(used, many_pages);
    tcase_add_test(used, unmapped_memory);
    tcase_add_test(used, faults_inside_malloc);
    tcase_add_test(used, fault_inside_the_handler);
    tcase_add_test(used, memory_that_was_moved);
    tcase_add_loop_test(used, pages_of_several, 0, 3);
    tcase_add_loop_test(used, store_between_a_complete_and_a_waiting_command, 0, 2);
    tcase_add_test(used, a_child_has_all_its_memory);
    tcase_add_loop_test(used, handlers_of_the_program, 0, 2);
    tcase_add_test(used, system_calls_fail);
    tcase_add_loop_test(past, a_load_without_a_map, 0, 9);
    tcase_add_loop_test(past, a_load_before_the_map_is_complete, 0, 4);
    tcase_add_test(past, bytes_that_no_command_wrote);
    tcase_add_loop_test(past, bytes_of_maps_and_reads, 0, 6);
    tcase_add_loop_test(past, a_store_without_a_map_has_its_line, 0, 2);
    tcase_add_loop_test(past, a_store_while_a_command_is_under_way, 0, 4);
    tcase_add_test(past, loads_of_the_hosts_own_stores);
    tcase_add_test(past, a_store_before_the_map_is_complete);
    tcase_add_test(past, stores_that_are_passed_over);
    tcase_add_loop_test(past, an_image, 0, 2);
    tcase_add_loop_test(past, a_store_after_an_image, 0, 10);
    tcase_add_test(past, when_the_buffer_is_destroyed);
    tcase_add_test(past, two_buffers_of_one_memory);
    tcase_add_test(past, without_the_option);
    tcase_add_loop_test(past, a_long_run_that_is_right, 0, 20);
    suite_add_tcase(suite, used);
    suite_add_tcase(suite, past);
    return cl_run_suite(suite);
}
