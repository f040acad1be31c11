/* SPDX-License-Identifier: Apache-2.0 */
/* Races between commands, and what the host's calls order: a program as a user writes it, with race checking on.
 * Rules: OpenCL 2.2 API, 3.3.6 (1) to (12). */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "cl_fixture.h"
#include "orrery/orrery.h"

static size_t (*finding_count_of)(const char *id);
static cl_command_queue second;
static cl_mem buffer;
static const cl_uint one = 1, two = 2;

static void set_up(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    cl_set_up();
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_count_of");
    memcpy(&finding_count_of, &function, sizeof function);
    second = cl_new_queue(context, 0);
    buffer = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
}

static void tear_down(void)
{
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(unordered));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseCommandQueue(second));
    cl_tear_down();
}

static cl_event fill(cl_command_queue on, cl_uint count, const cl_event *waits)
{
    cl_event event;
    cl_ok(clEnqueueFillBuffer(on, buffer, &one, sizeof one, 0, 64, count, waits, &event));
    return event;
}

static size_t races(void)
{
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(unordered));
    return finding_count_of("race-commands");
}

static bool race(void)
{
    return races() > 0;
}

/* ---- ordered or not --------------------------------------------------------------------- */

START_TEST(two_queues_without_an_event)
{
    fill(queue, 0, NULL);
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(it_does_not_matter_that_the_first_is_complete)
{
    cl_event event = fill(queue, 0, NULL);
    clFlush(queue);
    while (cl_status(event) != CL_COMPLETE) /* no synchronization point */
        ;
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_2_with_the_event)
{
    cl_event event = fill(queue, 0, NULL);
    fill(second, 1, &event);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_2_with_the_event_of_a_complete_command)
{
    cl_event event = fill(queue, 0, NULL);
    clFlush(queue);
    while (cl_status(event) != CL_COMPLETE)
        ;
    fill(second, 1, &event);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_with_clWaitForEvents)
{
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clWaitForEvents(1, &event));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_with_a_blocking_call)
{
    cl_uint out;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_4_not_with_a_call_that_does_not_block)
{
    cl_uint out;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &out, 0, NULL, NULL));
    fill(second, 0, NULL);
    ck_assert_uint_eq(races(), 2); /* with the fill and with the read */
}
END_TEST

START_TEST(R31_5_an_in_order_queue)
{
    fill(queue, 0, NULL);
    fill(queue, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_5_not_an_out_of_order_queue)
{
    fill(unordered, 0, NULL);
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_6_a_marker_waits_for_all)
{
    cl_event marker;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    fill(second, 1, &marker);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_6_a_second_marker_waits_for_all)
{
    cl_event marker;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, NULL));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, &marker));
    fill(second, 1, &marker);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_6_nobody_waits_for_a_marker_unasked)
{
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 0, NULL, NULL));
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_6_a_marker_with_a_list_waits_for_that)
{
    cl_event other, marker;
    cl_mem apart = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueFillBuffer(unordered, apart, &two, sizeof two, 0, 64, 0, NULL, &other));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &other, &marker));
    fill(second, 1, &marker);
    ck_assert(race());
}
END_TEST

START_TEST(R31_7_a_barrier)
{
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    fill(unordered, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_7_a_barrier_with_a_list_holds_up_what_follows)
{
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 1, &event, NULL));
    fill(unordered, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_7_a_barrier_with_a_list_knows_no_more)
{
    cl_mem apart = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_event other;
    fill(unordered, 0, NULL);
    cl_ok(clEnqueueFillBuffer(unordered, apart, &two, sizeof two, 0, 64, 0, NULL, &other));
    cl_ok(clEnqueueBarrierWithWaitList(unordered, 1, &other, NULL));
    fill(unordered, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_8_clFinish)
{
    fill(unordered, 0, NULL);
    fill(second, 0, NULL);
    cl_ok(clFinish(unordered));
    size_t before = races();
    ck_assert_uint_eq(before, 1);
    fill(unordered, 0, NULL);
    ck_assert_uint_eq(races(), before);
}
END_TEST

START_TEST(R31_8_clFinish_before_another_queue)
{
    fill(unordered, 0, NULL);
    cl_ok(clFinish(unordered));
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_8_clFinish_of_another_queue)
{
    fill(queue, 0, NULL);
    cl_ok(clFinish(second));
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called_back = PTHREAD_COND_INITIALIZER;
static bool called;

static void CL_CALLBACK note_call(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    pthread_mutex_lock(&lock);
    called = true;
    pthread_cond_signal(&called_back);
    pthread_mutex_unlock(&lock);
}

START_TEST(R31_11_a_callback)
{
    called = false;
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, note_call, NULL));
    clFlush(queue);
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&called_back, &lock);
    pthread_mutex_unlock(&lock);
    fill(second, 0, NULL);
    ck_assert(!race());
}
END_TEST

START_TEST(R31_11_not_a_callback_for_the_start)
{
    called = false;
    cl_event event = fill(queue, 0, NULL);
    cl_ok(clSetEventCallback(event, CL_RUNNING, note_call, NULL));
    clFlush(queue);
    pthread_mutex_lock(&lock);
    while (!called)
        pthread_cond_wait(&called_back, &lock);
    pthread_mutex_unlock(&lock);
    fill(second, 0, NULL);
    ck_assert(race());
}
END_TEST

START_TEST(R31_12_a_user_event)
{
    cl_event gate = cl_user_event(context), event = fill(queue, 0, NULL);
    fill(second, 1, &gate);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ck_assert(!race());
}
END_TEST

START_TEST(R31_12_a_user_event_set_too_early)
{
    cl_event gate = cl_user_event(context), event = fill(queue, 0, NULL);
    fill(second, 1, &gate);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clWaitForEvents(1, &event));
    ck_assert(race());
}
END_TEST

/* ---- what is touched -------------------------------------------------------------------- */

/* ---- semaphores: a signal before its wait (_i = 0), or the wait before its signal ------------------------- */

static cl_semaphore_khr new_semaphore(void)
{
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_int err;
    cl_semaphore_khr made = NAMED(clCreateSemaphoreWithPropertiesKHR)(context, binary, &err);
    cl_ok(err);
    return made;
}

static void signal_on(cl_command_queue on, cl_semaphore_khr semaphore)
{
    cl_ok(NAMED(clEnqueueSignalSemaphoresKHR)(on, 1, &semaphore, NULL, 0, NULL, NULL));
}

static void wait_on(cl_command_queue on, cl_semaphore_khr semaphore)
{
    cl_ok(NAMED(clEnqueueWaitSemaphoresKHR)(on, 1, &semaphore, NULL, 0, NULL, NULL));
}

START_TEST(a_semaphore)
{
    cl_semaphore_khr semaphore = new_semaphore();
    for (int step = 0; step < 2; step++)
        if (step == _i) {
            fill(queue, 0, NULL);
            signal_on(queue, semaphore);
        } else {
            wait_on(second, semaphore);
            fill(second, 0, NULL);
            cl_ok(clFlush(second));
        }
    for (int step = 0; step < 2; step++) /* and back */
        if (step == _i) {
            signal_on(second, semaphore);
        } else {
            wait_on(queue, semaphore);
            fill(queue, 0, NULL);
        }
    cl_ok(clFlush(queue));
    cl_ok(clFlush(second));
    ck_assert(!race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(not_before_the_wait_nor_behind_the_signal)
{
    cl_semaphore_khr semaphore = new_semaphore();
    if (_i)
        wait_on(second, semaphore);
    signal_on(queue, semaphore);
    if (!_i)
        wait_on(second, semaphore);
    fill(queue, 0, NULL);
    fill(second, 0, NULL);
    ck_assert(race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(what_the_host_learns_later_is_no_order)
{
    cl_semaphore_khr semaphore = new_semaphore();
    wait_on(second, semaphore);
    cl_event other = fill(unordered, 0, NULL);
    fill(second, 0, NULL);
    signal_on(queue, semaphore);
    cl_ok(clWaitForEvents(1, &other));
    ck_assert(race());
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(sub_buffers_that_overlap)
{
    cl_int err;
    cl_mem whole = cl_buffer(context, CL_MEM_READ_WRITE, 4096, NULL);
    cl_buffer_region low = {0, 2048}, high = {1024, 2048}, apart = {3072, 1024};
    cl_mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &err);
    cl_mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &err);
    cl_mem c = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &apart, &err);
    cl_ok(err);
    cl_ok(clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, c, &one, sizeof one, 0, 1024, 0, NULL, NULL));
    ck_assert(!race());
    cl_ok(clEnqueueFillBuffer(queue, a, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, b, &one, sizeof one, 0, 2048, 0, NULL, NULL));
    ck_assert(race());
}
END_TEST

static void migrate(cl_command_queue on, cl_mem_migration_flags flags, cl_uint count, const cl_event *waits)
{
    cl_ok(clEnqueueMigrateMemObjects(on, 1, &buffer, flags, count, waits, NULL));
}

/* 5.5.4: the program has to avoid that others access it meanwhile. */
START_TEST(memory_that_is_migrated)
{
    cl_event event = fill(queue, 0, NULL);
    migrate(second, 0, 1, &event);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL); /* two that only move it */
    ck_assert(!race());
    fill(second, 0, NULL);
    migrate(queue, 0, 0, NULL);
    ck_assert_uint_eq(races(), 1);
    migrate(second, 0, 0, NULL);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL);
    ck_assert_uint_eq(races(), 2);
    cl_int err;
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    migrate(queue, 0, 0, NULL);
    ck_assert_uint_eq(races() + finding_count_of("mapped-access"), 2);
    migrate(queue, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL);
    ck_assert_uint_eq(races() + finding_count_of("mapped-access"), 3);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
}
END_TEST

static void set_up_uninitialized(void)
{
    setenv("ORRERY_UNINITIALIZED", "warning", 1);
    set_up();
}

START_TEST(contents_that_a_migration_discards)
{
    const size_t items = 1;
    for (cl_mem_migration_flags discards = 0; discards <= CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED; discards += CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) {
        cl_kernel kernel = cl_kernel_of(context, "kernel void k(global uint *p) { if (p[0] == 7) p[1] = 3; }", "");
        cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        fill(queue, 0, NULL);
        migrate(queue, discards, 0, NULL);
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        ck_assert(!race());
        ck_assert_uint_eq(finding_count_of("uninitialised-branch"), discards != 0);
        cl_ok(clReleaseKernel(kernel));
    }
}
END_TEST

START_TEST(shared_memory_that_is_migrated)
{
    char *words = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    const void *behind = words + 32;
    const size_t sizes[] = {16, 0};
    for (size_t i = 0; i < 2; i++) { /* a part, and all of it */
        cl_ok(clEnqueueSVMMemFill(queue, words + 48, &one, sizeof one, 16, 0, NULL, NULL));
        cl_ok(clEnqueueSVMMigrateMem(second, 1, &behind, &sizes[i], 0, 0, NULL, NULL));
        ck_assert_uint_eq(races(), i);
    }
    clSVMFree(context, words);
}
END_TEST

static cl_event run_on(cl_command_queue on, cl_kernel kernel, const cl_event *waits)
{
    const size_t items = 4;
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, waits != NULL, waits, &event));
    return event;
}

/* Glossary, Pipe: at any one time one kernel instance may write into it, and one may read. */
START_TEST(sides_of_a_pipe)
{
    cl_int err;
    const char *text = _i ? "kernel void k(read_only pipe uint p) { uint x; read_pipe(p, &x); }"
                          : "kernel void k(write_only pipe uint p) { uint x = 3; write_pipe(p, &x); }";
    const char *other_text = _i ? "kernel void k(write_only pipe uint p) { uint x = 3; write_pipe(p, &x); }"
                                : "kernel void k(read_only pipe uint p) { uint x; read_pipe(p, &x); }";
    cl_kernel kernel = cl_kernel_of(context, text, "-cl-std=CL2.0"), other = cl_kernel_of(context, other_text, "-cl-std=CL2.0");
    cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_uint), 64, NULL, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    cl_ok(clSetKernelArg(other, 0, sizeof pipe, &pipe));
    cl_event event = run_on(queue, kernel, NULL);
    run_on(second, other, NULL); /* the other side */
    run_on(unordered, kernel, &event);
    ck_assert(!race());
    run_on(queue, kernel, NULL);
    run_on(unordered, kernel, NULL);
    ck_assert_uint_eq(races(), 1);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(other));
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

START_TEST(host_memory_that_two_commands_share)
{
    cl_uint bytes[16];
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(second, other, CL_FALSE, 0, 64, bytes, 0, NULL, NULL));
    ck_assert(race());
}
END_TEST

START_TEST(a_map_nobody_waited_for)
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

static const char put_source[] = "kernel void put(global int *out) { out[get_global_id(0)] = 1; }\n"
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
    ck_assert_uint_eq(finding_count_of("mapped-access"), 0);
    put(queue, adds, 7, 1);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(finding_count_of("mapped-access"), 1);
    put(queue, stores, 0, 16);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(finding_count_of("mapped-access"), 2);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL));
    put(queue, stores, 0, 16);
    put(queue, adds, 0, 16);
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(finding_count_of("mapped-access"), 2);
    cl_ok(clReleaseKernel(stores));
    cl_ok(clReleaseKernel(adds));
    cl_ok(clReleaseKernel(loads));
}
END_TEST

/* ---- the host itself ------------------------------------------------------------------------- */

static size_t host_races(void)
{
    return finding_count_of("race-host-device");
}

static int *shared_memory(void)
{
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 3 * 4096, 0);
    ck_assert_ptr_nonnull(shared);
    return shared;
}

START_TEST(shared_memory_that_is_not_mapped)
{
    volatile int *shared = shared_memory();
    ck_assert_uint_eq(host_races(), 0);
    shared[0] = 1;
    ck_assert_uint_eq(host_races(), 1);
    ck_assert_int_eq(shared[0], 1); /* it went ahead */
    clSVMFree(context, (void *)(uintptr_t)shared);
}
END_TEST

START_TEST(shared_memory_that_is_mapped)
{
    volatile int *shared = shared_memory();
    void *pointer = (void *)(uintptr_t)shared;
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, pointer, 3 * 4096, 0, NULL, NULL));
    for (int i = 0; i < 3 * 1024; i++)
        shared[i] = i;
    ck_assert_uint_eq(host_races(), 0);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    ck_assert_uint_eq(host_races(), 0);
    ck_assert_int_eq(shared[5], 5);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clFinish(queue));
    cl_ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, 3 * 4096, 0, NULL, NULL));
    ck_assert_int_eq(shared[2048], 2048);
    cl_ok(clEnqueueSVMUnmap(queue, pointer, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(host_races(), 1);
    clSVMFree(context, pointer);
}
END_TEST

START_TEST(a_map_that_is_not_waited_for)
{
    cl_int err;
    cl_event mapped;
    fill(queue, 0, NULL);
    volatile cl_uint *bytes =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, &mapped, &err);
    cl_ok(err);
    clFlush(queue);
    while (cl_status(mapped) != CL_COMPLETE)
        ;
    ck_assert_uint_eq(bytes[0], one);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clWaitForEvents(1, &mapped));
    ck_assert_uint_eq(bytes[1], one);
    ck_assert_uint_eq(host_races(), 1);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, (void *)(uintptr_t)bytes, 0, NULL, NULL));
    ck_assert_uint_eq(bytes[2], one);
    ck_assert_uint_eq(host_races(), 2);
}
END_TEST

START_TEST(a_map_that_a_later_wait_covers)
{
    cl_int err;
    cl_event filled;
    volatile cl_uint *bytes =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_mem other = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_ok(clEnqueueFillBuffer(queue, other, &one, sizeof one, 0, 64, 0, NULL, &filled));
    cl_ok(clWaitForEvents(1, &filled)); /* of the same in-order queue, after the map */
    ck_assert_uint_eq(bytes[0], 0);
    ck_assert_uint_eq(host_races(), 0);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, (void *)(uintptr_t)bytes, 0, NULL, NULL));
}
END_TEST

/* A fault of the program's own goes where it would have gone. */
static volatile sig_atomic_t own_faults;
static sigjmp_buf after_fault;
static void own_handler(int number)
{
    (void)number;
    own_faults++;
    siglongjmp(after_fault, 1);
}

static void provoke_own_fault(void)
{
    int *volatile nowhere = (int *)(uintptr_t)8;
    if (sigsetjmp(after_fault, 1) == 0)
        *nowhere = 1;
}

START_TEST(faults_of_the_program_itself)
{
    signal(SIGSEGV, own_handler); /* before ours */
    volatile int *shared = shared_memory();
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 1);
    shared[0] = 1;
    ck_assert_int_eq(own_faults, 1);
    ck_assert_uint_eq(host_races(), 1);
    signal(SIGSEGV, own_handler); /* after ours */
    cl_ok(clEnqueueSVMMemFill(queue, (void *)(uintptr_t)shared, &two, sizeof two, 4096, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 2);
    shared[1] = 1;
    ck_assert_int_eq(own_faults, 2);
    clSVMFree(context, (void *)(uintptr_t)shared);
    provoke_own_fault();
    ck_assert_int_eq(own_faults, 3);
}
END_TEST

/* ---- memory that goes -------------------------------------------------------------------- */

/* Freed by a command that nothing orders, whichever runs first; a free that ran first once was told alone. */
START_TEST(shared_memory_that_a_command_frees)
{
    const bool kernel_first = _i & 1, ordered = _i & 2;
    const cl_command_queue on = _i & 4 ? unordered : queue, frees = _i & 4 ? unordered : second;
    const size_t items = 16;
    cl_event event = NULL;
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", "");
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    if (kernel_first || ordered) {
        cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
        while (cl_status(event) != CL_COMPLETE) /* that is no synchronization point */
            ;
    }
    cl_ok(clEnqueueSVMFree(frees, 1, &shared, NULL, NULL, ordered, ordered ? &event : NULL, NULL));
    cl_ok(clFlush(frees));
    if (!kernel_first && !ordered)
        cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    const size_t told = races() + finding_count_of("use-after-free");
    ck_assert_uint_eq(told, !ordered);
    ck_assert_uint_eq(races(), kernel_first && !ordered);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* ---- who ran it ------------------------------------------------------------------------ */

static char log_name[] = "check_api_order.XXXXXX";

static void set_up_logged(void)
{
    close(mkstemp(log_name));
    setenv("ORRERY_LOG", log_name, 1);
    set_up();
}

static bool log_says(const char *text)
{
    static char log[20000];
    FILE *stream = fopen(log_name, "r");
    log[fread(log, 1, sizeof log - 1, stream)] = '\0';
    fclose(stream);
    return strstr(log, text) != NULL;
}

START_TEST(of_two_sub_devices_each_is_named)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    cl_queue_properties none[] = {0};
    cl_int err;
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    cl_device_id *all = calloc(units, sizeof(cl_device_id));
    cl_ok(clCreateSubDevices(device, halves, units, all, NULL));
    parts[0] = all[0], parts[1] = all[1];
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_ok(err);
    cl_mem shared = cl_buffer(both, CL_MEM_READ_WRITE, 64, NULL);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueueWithProperties(both, parts[i], none, &err);
        cl_ok(err);
        cl_ok(clEnqueueFillBuffer(queues[i], shared, &one, sizeof one, 0, 64, 0, NULL, NULL));
    }
    for (int i = 0; i < 2; i++) {
        cl_ok(clFinish(queues[i]));
        cl_ok(clReleaseCommandQueue(queues[i]));
    }
    ck_assert(log_says(", sub-device 0 of device 0 '"));
    ck_assert(log_says(", sub-device 1 of device 0 '"));
    cl_ok(clReleaseMemObject(shared));
    cl_ok(clReleaseContext(both));
    for (cl_uint i = 0; i < units; i++)
        cl_ok(clReleaseDevice(all[i]));
    free(all);
}
END_TEST

/* The map, which comes first, is to wait for the fill, and what it hands over is waited for. */
START_TEST(a_map_behind_a_queue_that_was_not_flushed)
{
    cl_int err;
    fill(queue, 0, NULL);
    void *mapped = clEnqueueMapBuffer(second, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(second, buffer, mapped, 0, NULL, NULL));
    ck_assert_uint_eq(races(), 1);
    ck_assert(log_says("clEnqueueMapBuffer (command 2, queue"));
    ck_assert(!log_says("clEnqueueUnmapMemObject (command"));
}
END_TEST

/* ---- where ------------------------------------------------------------------------------ */

static void run_kernel(cl_command_queue on, const char *source, cl_mem on_buffer, size_t items)
{
    cl_kernel kernel = cl_kernel_of(context, source, "");
    const size_t local = 4;
    cl_ok(clSetKernelArg(kernel, 0, sizeof on_buffer, &on_buffer));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &local, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
}

static void read_word(cl_mem from, size_t word)
{
    static cl_uint out[64];
    cl_ok(clEnqueueReadBuffer(second, from, CL_FALSE, 4 * word, 4, &out[word], 0, NULL, NULL));
}

/* A footprint once kept one instruction of all that wrote an allocation, and any of them was told. */
static const char lines[] = "kernel void k(global uint *p) {\n"
                            "  size_t i = get_global_id(0);\n"
                            "  p[i] = 1;\n"
                            "  p[(i * 7 + 3) % 16 + 16] = 2;\n"
                            "  p[(i * 5 + 1) % 16 + 32] = 3;\n"
                            "  if (i == 3) p[50] = 4;\n"
                            "  if (i == 3) p[49] = 4;\n"
                            "  if (i == 7) atomic_inc(p + 60);\n"
                            "}\n";
static const struct { size_t word; const char *line; } writes[] = {{5, "program.cl:3:"},  {20, "program.cl:4:"}, {33, "program.cl:5:"},
                                                                   {50, "program.cl:6:"}, {49, "program.cl:7:"}, {60, "program.cl:8:"}};
enum { WRITES = 6 };

/* Whether atomics send all of it to the shadow, or not. */
static const char *lines_of(int variant)
{
    static char without[sizeof lines];
    snprintf(without, sizeof without, "%.*s}\n", (int)(strstr(lines, "  if (i == 7)") - lines), lines);
    return variant ? lines : without;
}

START_TEST(the_line_that_touched_the_bytes)
{
    const int variant = _i / WRITES, which = _i % WRITES;
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, lines_of(variant), words, 16);
    read_word(words, writes[which].word);
    const bool touched = variant || which < WRITES - 1;
    ck_assert_uint_eq(races(), touched);
    for (int i = 0; i < WRITES; i++)
        ck_assert_msg(log_says(writes[i].line) == (touched && i == which), "%s is %s", writes[i].line, i == which ? "not told" : "told");
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* The other one ran first. */
START_TEST(the_line_that_touched_the_bytes_later)
{
    const int variant = _i / WRITES, which = _i % WRITES;
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    cl_ok(clEnqueueFillBuffer(second, words, &one, sizeof one, 4 * writes[which].word, 4, 0, NULL, NULL));
    cl_ok(clFlush(second));
    run_kernel(queue, lines_of(variant), words, 16);
    const bool touched = variant || which < WRITES - 1;
    ck_assert_uint_eq(race(), touched);
    for (int i = 0; i < WRITES; i++)
        ck_assert_msg(log_says(writes[i].line) == (touched && i == which), "%s is %s", writes[i].line, i == which ? "not told" : "told");
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* Two lines that race are two findings. */
START_TEST(lines_are_told_apart)
{
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, lines_of(_i), words, 16);
    run_kernel(second, "kernel void k(global uint *p) { if (get_global_id(0) == 0) p[63] = p[5] + p[20] + p[33]; }", words, 4);
    ck_assert_uint_eq(races(), 3);
    for (int i = 0; i < WRITES; i++)
        ck_assert_int_eq(log_says(writes[i].line), i < 3);
    cl_ok(clReleaseMemObject(words));
}
END_TEST

/* Of commands that are no kernels it is where they were enqueued, be calls checked or not; if there is debug information, and
 * libdw. */
START_TEST(the_line_that_enqueued_the_command)
{
    struct { orrery_finding_get_fn *get; } api;
    void *function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_finding_get");
    memcpy(&api.get, &function, sizeof function);
    struct orrery_finding finding[3];
    const int line = __LINE__ + 1;
    fill(queue, 0, NULL);
    cl_ok(clEnqueueFillBuffer(second, buffer, &two, sizeof two, 0, 16, 0, NULL, NULL));
    cl_ok(clEnqueueFillBuffer(second, buffer, &two, sizeof two, 32, 16, 0, NULL, NULL));
    ck_assert_uint_ge(races(), 1);
    ck_assert_int_eq(api.get(0, &finding[0]), 0);
    if (finding[0].access[1].line == 0)
        return;
    ck_assert_uint_eq(races(), 2);
    ck_assert_int_eq(api.get(1, &finding[1]), 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(strstr(finding[i].access[0].text, "clEnqueueFillBuffer(on, buffer, &one"));
        ck_assert_ptr_nonnull(strstr(finding[i].access[1].file, "check_api_order.c"));
        ck_assert_uint_eq(finding[i].access[1].line, line + 1 + i);
        ck_assert_uint_eq(finding[i].offset_bytes, 32 * i);
    }
    run_kernel(queue, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", buffer, 16);
    ck_assert_uint_eq(races(), 2);
    void *mapped = clEnqueueMapBuffer(second, buffer, CL_FALSE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, NULL);
    run_kernel(queue, "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }", buffer, 16);
    ck_assert_uint_eq(races(), 3);
    ck_assert_int_eq(api.get(2, &finding[2]), 0);
    ck_assert_ptr_nonnull(strstr(finding[2].access[0].text, "CL_MAP_WRITE"));
    ck_assert_ptr_nonnull(strstr(finding[2].access[1].text, "kernel void k("));
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
}
END_TEST

/* Of more lines than are kept apart none is told for what others did. */
START_TEST(one_of_many_lines)
{
    char source[2000] = "kernel void k(global uint *p) {\n";
    for (int line = 2; line < 14; line++)
        snprintf(source + strlen(source), sizeof source - strlen(source), "  p[(get_global_id(0) * 3 + %d) %% 4 + %d] = 1;\n", line, 4 * line);
    strcat(source, "}\n");
    cl_mem words = cl_buffer(context, CL_MEM_READ_WRITE, 256, NULL);
    run_kernel(queue, source, words, 4);
    read_word(words, 4 * (2 + _i));
    ck_assert_uint_eq(races(), 1);
    char place[40];
    snprintf(place, sizeof place, "program.cl:%d:", 2 + _i);
    ck_assert(log_says(place) != log_says("one of the writes by a kernel"));
    ck_assert(log_says(place) == log_says("program.cl:"));
    ck_assert_int_eq(log_says(place), _i < 8);
    cl_ok(clReleaseMemObject(words));
}
END_TEST

static void tear_down_logged(void)
{
    tear_down();
    unlink(log_name);
}

int main(void)
{
    Suite *suite = suite_create("order of commands");
    TCase *cases = tcase_create("calls");
    tcase_add_checked_fixture(cases, set_up, tear_down);
#define ADD(test) tcase_add_test(cases, test)
    ADD(two_queues_without_an_event);
    ADD(it_does_not_matter_that_the_first_is_complete);
    ADD(R31_2_with_the_event);
    ADD(R31_2_with_the_event_of_a_complete_command);
    ADD(R31_4_with_clWaitForEvents);
    ADD(R31_4_with_a_blocking_call);
    ADD(R31_4_not_with_a_call_that_does_not_block);
    ADD(R31_5_an_in_order_queue);
    ADD(R31_5_not_an_out_of_order_queue);
    ADD(R31_6_a_marker_waits_for_all);
    ADD(R31_6_a_second_marker_waits_for_all);
    ADD(R31_6_nobody_waits_for_a_marker_unasked);
    ADD(R31_6_a_marker_with_a_list_waits_for_that);
    ADD(R31_7_a_barrier);
    ADD(R31_7_a_barrier_with_a_list_holds_up_what_follows);
    ADD(R31_7_a_barrier_with_a_list_knows_no_more);
    ADD(R31_8_clFinish);
    ADD(R31_8_clFinish_before_another_queue);
    ADD(R31_8_clFinish_of_another_queue);
    ADD(R31_11_a_callback);
    ADD(R31_11_not_a_callback_for_the_start);
    ADD(R31_12_a_user_event);
    ADD(R31_12_a_user_event_set_too_early);
    tcase_add_loop_test(cases, a_semaphore, 0, 2);
    tcase_add_loop_test(cases, not_before_the_wait_nor_behind_the_signal, 0, 2);
    ADD(what_the_host_learns_later_is_no_order);
    ADD(sub_buffers_that_overlap);
    ADD(memory_that_is_migrated);
    ADD(shared_memory_that_is_migrated);
    tcase_add_loop_test(cases, sides_of_a_pipe, 0, 2);
    ADD(host_memory_that_two_commands_share);
    ADD(a_map_nobody_waited_for);
    ADD(map_and_unmap_in_order);
    ADD(a_kernel_and_a_part_that_is_mapped);
    ADD(shared_memory_that_is_not_mapped);
    ADD(shared_memory_that_is_mapped);
    ADD(a_map_that_is_not_waited_for);
    ADD(a_map_that_a_later_wait_covers);
    ADD(faults_of_the_program_itself);
    tcase_add_loop_test(cases, shared_memory_that_a_command_frees, 0, 8);
#undef ADD
    TCase *logged = tcase_create("logged");
    tcase_add_checked_fixture(logged, set_up_logged, tear_down_logged);
    tcase_add_test(logged, of_two_sub_devices_each_is_named);
    tcase_add_test(logged, a_map_behind_a_queue_that_was_not_flushed);
    tcase_add_loop_test(logged, the_line_that_touched_the_bytes, 0, 2 * WRITES);
    tcase_add_loop_test(logged, the_line_that_touched_the_bytes_later, 0, 2 * WRITES);
    tcase_add_loop_test(logged, lines_are_told_apart, 0, 2);
    tcase_add_loop_test(logged, one_of_many_lines, 0, 12);
    tcase_add_test(logged, the_line_that_enqueued_the_command);
    TCase *uninitialized = tcase_create("uninitialized");
    tcase_add_checked_fixture(uninitialized, set_up_uninitialized, tear_down);
    tcase_add_test(uninitialized, contents_that_a_migration_discards);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, logged);
    suite_add_tcase(suite, uninitialized);
    return cl_run_suite(suite);
}
