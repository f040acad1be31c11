/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of different sub-devices at the same time: in what order their work-groups begin, by an observer,
 * and that kernels which wait for each other make progress. The library is linked in; the calls are the
 * exported ones.
 */
#include "tests/support/cl_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/api_runtime.h"

/* ---- the observed events ------------------------------------------------------------------- */

enum { GROUPS = 8, EVENTS_MAX = 4096 };
static struct {
    uint32_t launch;
    uint64_t group;
} events[EVENTS_MAX];
static size_t event_count;
static uint32_t running, most_running;

static void *freed_at_begin; /* shared memory that another thread frees while the launch runs; NULL: none */

static void *free_shared(void *pointer)
{
    clSVMFree(context, pointer);
    return NULL;
}

static void on_launch(void *self, const struct launch_event *event)
{
    pthread_t other;
    (void)self;
    if (event->phase == LAUNCH_BEGIN && freed_at_begin) {
        ck_assert_int_eq(pthread_create(&other, NULL, free_shared, freed_at_begin), 0);
        pthread_join(other, NULL);
        freed_at_begin = NULL;
    }
    running += event->phase == LAUNCH_BEGIN;
    running -= event->phase == LAUNCH_END;
    most_running = running > most_running ? running : most_running;
    if (event->phase != GROUP_BEGIN)
        return;
    ck_assert_uint_lt(event_count, EVENTS_MAX);
    events[event_count].launch = event->launch->launch;
    events[event_count++].group = event->group_linear;
}

/* How often the launch whose groups begin changes. */
static size_t switches(void)
{
    size_t count = 0;
    for (size_t i = 1; i < event_count; i++)
        count += events[i].launch != events[i - 1].launch;
    return count;
}

/* ---- two halves of a device ------------------------------------------------------------- */

static const char source[] =
    "kernel void count(global int *a) { a[get_global_id(0)] += (int)get_group_id(0); }\n"
    "kernel void await(global volatile atomic_int *flags, int mine, int theirs) {\n"
    "    atomic_store_explicit(&flags[mine], 1, memory_order_release, memory_scope_all_svm_devices);\n"
    "    while (!atomic_load_explicit(&flags[theirs], memory_order_acquire, memory_scope_all_svm_devices));\n"
    "    atomic_store_explicit(&flags[mine], 2, memory_order_release, memory_scope_all_svm_devices); }\n"
    "kernel void set(global volatile atomic_int *flags, int mine) {\n"
    "    atomic_store_explicit(&flags[mine], 1, memory_order_release, memory_scope_all_svm_devices); }\n"
    "kernel void poll(global volatile atomic_int *flags, int theirs) {\n"
    "    while (!atomic_load_explicit(&flags[theirs], memory_order_acquire, memory_scope_all_svm_devices)); "
    "}\n"
    "kernel void copy(global const int *from, global int *to) {\n"
    "    to[get_global_id(0)] = from[get_global_id(0)]; }\n"
    "kernel void racy(global int *a) { a[0] = (int)get_global_id(0); }\n"
    "kernel void store(global int *a) { if (get_global_id(0) == 0) a[0] = 3; if (get_global_id(0) == 1) a[0] "
    "= 4; }\n"
    "kernel void store_too(global int *a) { if (get_global_id(0) == 0) a[0] = 3; if (get_global_id(0) == 1) "
    "a[0] = 4; }\n";

static char roots_file[] = "/tmp/check_concurrent.XXXXXX";
static cl_device_id half[2];
static cl_command_queue on[2];
static cl_mem memory[2];
static cl_program program;

/* slice: of a tile, by its index; -1: no such thing. */
static cl_command_queue queue_of(cl_device_id id, int slice)
{
    cl_int err;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_PROFILING_ENABLE,
                                        slice < 0 ? 0 : CL_QUEUE_FAMILY_INTEL,
                                        0,
                                        CL_QUEUE_INDEX_INTEL,
                                        (cl_queue_properties)slice,
                                        0};
    cl_command_queue made = clCreateCommandQueueWithProperties(context, id, list, &err);
    cl_ok(err);
    return made;
}

static cl_command_queue queue_on(cl_device_id id)
{
    return queue_of(id, -1);
}

/* Devices with compute units of their own. */
enum pair { HALVES, ROOTS, SLICES, PAIR_COUNT };

static void find_pair(enum pair pair)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    const cl_device_partition_property tiles[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                  CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    if (pair != ROOTS)
        setenv("ORRERY_TOPOLOGY", pair == SLICES ? "intel-pvc" : "cu:4", 1);
    if (pair == ROOTS)
        setenv("ORRERY_SCENARIO", roots_file, 1);
    cl_find_device();
    if (pair == ROOTS)
        cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, half, NULL));
    else
        cl_ok(clCreateSubDevices(device, pair == SLICES ? tiles : halves, 2, half, NULL));
    if (pair == SLICES)
        half[1] = half[0]; /* two queues of one tile */
}

static void start_with(enum pair pair, const char *policy, const char *seed)
{
    static const struct observer observer = {.launch = on_launch};
    const char *text = source;
    cl_int err;
    setenv("ORRERY_SCHEDULE", policy, 1);
    setenv("ORRERY_SEED", seed, 1);
    find_pair(pair);
    device_add_observer(runtime_device(), &observer);
    context = clCreateContext(NULL, pair == SLICES ? 1 : 2, half, NULL, NULL, &err);
    cl_ok(err);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL));
    for (int i = 0; i < 2; i++) {
        on[i] = queue_of(half[i], pair == SLICES ? 1 + i : -1);
        memory[i] = cl_buffer(context, 0, GROUPS * sizeof(cl_int), NULL);
        cl_ok(clEnqueueFillBuffer(on[i], memory[i], &(cl_int){0}, sizeof(cl_int), 0, GROUPS * sizeof(cl_int),
                                  0, NULL, NULL));
        cl_ok(clFinish(on[i]));
    }
    event_count = 0;
}

static void start(const char *policy, const char *seed)
{
    start_with(HALVES, policy, seed);
}

static cl_event enqueue(cl_command_queue where, const char *name, cl_mem buffer, const int *values,
                        cl_uint count, size_t groups)
{
    cl_int err;
    cl_event event;
    const size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clSetKernelArg(kernel, i + 1, sizeof values[i], &values[i]));
    cl_ok(clEnqueueNDRangeKernel(where, kernel, 1, NULL, &groups, &one, 0, NULL, &event));
    cl_ok(clReleaseKernel(kernel));
    return event;
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    cl_ok(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

static void check_counted(void)
{
    for (int i = 0; i < 2; i++) {
        cl_int result[GROUPS];
        cl_ok(clEnqueueReadBuffer(on[i], memory[i], CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
        for (int g = 0; g < GROUPS; g++)
            ck_assert_int_eq(result[g], g);
    }
}

static const char *const policies[] = {"lockstep", "serial", "reverse", "round-robin", "random", "pct"};
enum { POLICY_COUNT = sizeof policies / sizeof *policies };

/* ---- tests -------------------------------------------------------------------------------- */

START_TEST(halves_alternate)
{
    start_with(_i / POLICY_COUNT, policies[_i % POLICY_COUNT], "7");
    cl_event first = enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    cl_event second = enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clFlush(on[0]));
    cl_ok(clFlush(on[1]));
    ck_assert_uint_eq(event_count, 0);
    cl_ok(clFinish(on[0]));
    ck_assert_uint_eq(most_running, 2);
    ck_assert_uint_eq(event_count, 2 * GROUPS);
    const char *policy = policies[_i % POLICY_COUNT];
    /* a unit for each group */
    bool all_at_once = strcmp(policy, "random") == 0 && _i / POLICY_COUNT == SLICES;
    if (strcmp(policy, "pct") != 0 && !all_at_once) /* pct: the wave with priority may keep it */
        ck_assert_uint_ge(switches(), 3);
    cl_ok(clFinish(on[1]));
    ck_assert(time_of(first, CL_PROFILING_COMMAND_START) < time_of(second, CL_PROFILING_COMMAND_END));
    ck_assert(time_of(second, CL_PROFILING_COMMAND_START) < time_of(first, CL_PROFILING_COMMAND_END));
    check_counted();
}
END_TEST

/* Strictly one group each, since groups cost the same. */
START_TEST(lockstep_alternates)
{
    start("lockstep", "0");
    enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clFlush(on[0]));
    cl_ok(clFinish(on[1]));
    for (size_t i = 0; i < 2 * GROUPS; i++)
        ck_assert_uint_eq(events[i].launch, events[i % 2].launch);
}
END_TEST

START_TEST(one_that_is_not_flushed_does_not_run)
{
    start("lockstep", "0");
    enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clFinish(on[0]));
    ck_assert_uint_eq(event_count, GROUPS);
    ck_assert_uint_eq(most_running, 1);
}
END_TEST

/* Two queues on one half: its compute units belong to one kernel at a time. */
START_TEST(units_are_not_shared)
{
    start(policies[_i], "3");
    cl_command_queue other = queue_on(half[0]);
    enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    enqueue(other, "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clFlush(on[0]));
    cl_ok(clFinish(other));
    ck_assert_uint_eq(most_running, 1);
    ck_assert_uint_eq(event_count, 2 * GROUPS);
}
END_TEST

START_TEST(the_same_seed_is_the_same_order)
{
    static const char *const seeds[] = {"11", "11", "12"};
    char text[3][8 * GROUPS];
    int pipes[2];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pipe(pipes), 0);
        if (fork() == 0) {
            start("random", seeds[i]);
            enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
            enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
            cl_ok(clFlush(on[0]));
            cl_ok(clFinish(on[1]));
            for (size_t k = 0; k < event_count; k++)
                dprintf(pipes[1], "%u%u ", events[k].launch, (unsigned)events[k].group);
            _exit(0);
        }
        close(pipes[1]);
        size_t used = 0;
        for (ssize_t got = 1; got > 0; used += (size_t)got)
            got = read(pipes[0], text[i] + used, sizeof text[i] - 1 - used);
        text[i][used] = '\0';
        close(pipes[0]);
    }
    ck_assert_str_ne(text[0], "");
    ck_assert_str_eq(text[0], text[1]);
    ck_assert_str_ne(text[0], text[2]);
}
END_TEST

/* Each waits until the other has begun: impossible one after the other. */
START_TEST(kernels_that_wait_for_each_other_end)
{
    start(policies[_i], "5");
    cl_int flags[2];
    enqueue(on[0], "await", memory[0], (const int[]){0, 1}, 2, 1);
    enqueue(on[1], "await", memory[0], (const int[]){1, 0}, 2, 1);
    cl_ok(clFlush(on[0]));
    cl_ok(clFlush(on[1]));
    cl_ok(clFinish(on[0]));
    cl_ok(clEnqueueReadBuffer(on[1], memory[0], CL_TRUE, 0, sizeof flags, flags, 0, NULL, NULL));
    ck_assert_int_eq(flags[0], 2);
    ck_assert_int_eq(flags[1], 2);
}
END_TEST

/* On one half the one that waits lets the other in, and that is a finding: no device promises it. */
START_TEST(a_wait_within_a_device_is_reported)
{
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    start(policies[_i], "5");
    cl_command_queue other = queue_on(half[0]);
    cl_event waits = enqueue(on[0], "poll", memory[0], (const int[]){1}, 1, 1);
    enqueue(other, "set", memory[0], (const int[]){1}, 1, 1);
    cl_ok(clFlush(on[0]));
    cl_ok(clFlush(other));
    cl_ok(clFinish(on[0]));
    ck_assert_int_eq(cl_status(waits), CL_COMPLETE);
    size_t reported = 0;
    for (size_t i = 0; i < report_count(runtime_get()->report); i++) {
        const struct finding *finding = report_get(runtime_get()->report, i);
        reported += finding->kind == FINDING_PROGRESS_ASSUMPTION && strstr(finding->why, "another command");
    }
    if (strcmp(policies[_i], "lockstep") == 0 || strcmp(policies[_i], "serial") == 0)
        ck_assert_uint_eq(reported, 1);
    ck_assert_uint_le(reported, 1);
}
END_TEST

/* Both wait for a store that never happens: proved, not waited for. */
START_TEST(both_in_a_livelock)
{
    start(policies[_i], "5");
    enqueue(on[0], "poll", memory[0], (const int[]){1}, 1, 2);
    enqueue(on[1], "poll", memory[0], (const int[]){2}, 1, 2);
    cl_ok(clFlush(on[0]));
    clFinish(on[1]);
}
END_TEST

/* The host looks without waiting: what was flushed must get on by itself. */
static _Atomic int called;
static void CL_CALLBACK on_complete(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    atomic_store(&called, 1);
}

START_TEST(a_callback_needs_no_wait)
{
    start("lockstep", "0");
    cl_event event = enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    if (_i == 0)
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL));
    cl_ok(clFlush(on[0]));
    if (_i == 1)
        cl_ok(clSetEventCallback(event, CL_COMPLETE, on_complete, NULL));
    for (int i = 0; i < 5000 && !atomic_load(&called); i++)
        usleep(1000);
    ck_assert_int_eq(atomic_load(&called), 1);
}
END_TEST

START_TEST(polling_lets_run)
{
    start("lockstep", "0");
    cl_event event = enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    cl_ok(clFlush(on[0]));
    ck_assert_int_eq(cl_status(event), CL_COMPLETE);
}
END_TEST

/* The checker follows each of them. */
START_TEST(races_are_found_in_both)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    start(policies[_i], "9");
    enqueue(on[0], "racy", memory[0], NULL, 0, 4);
    enqueue(on[1], "racy", memory[1], NULL, 0, 4);
    cl_ok(clFlush(on[0]));
    cl_ok(clFinish(on[1]));
    ck_assert_uint_eq(most_running, 2);
    uint32_t launches[2] = {0};
    size_t races = report_count(runtime_get()->report);
    for (size_t i = 0; i < races; i++) {
        const struct finding *finding = report_get(runtime_get()->report, i);
        ck_assert_int_eq(finding->kind, FINDING_RACE_GLOBAL);
        launches[0] = i == 0 ? (uint32_t)finding->count : launches[0];
    }
    ck_assert_uint_eq(races, 1);       /* one pair of places */
    ck_assert_uint_ge(launches[0], 2); /* in both launches */
}
END_TEST

static const struct finding *race_of(const char *kernel)
{
    const struct report *report = runtime_get()->report;
    const struct finding *found = NULL;
    for (size_t i = 0; i < report_count(report); i++)
        if (strcmp(report_get(report, i)->kernel, kernel) == 0)
            found = report_get(report, i);
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(found->kind, FINDING_RACE_GLOBAL);
    return found;
}

/*
 * Memory may have lost the first access's value if another launch has run since; the second one's value is
 * certain.
 */
START_TEST(first_value_is_reported_if_no_other_launch_ran)
{
    const bool alone = _i == 0;
    setenv("ORRERY_DATA_RACES", "warning", 1);
    start("lockstep", "9");
    enqueue(on[0], "store", memory[0], NULL, 0, 4);
    if (alone)
        cl_ok(clFinish(on[0]));
    enqueue(on[1], "store_too", memory[1], NULL, 0, 4);
    cl_ok(clFlush(on[0]));
    cl_ok(clFinish(on[1]));
    ck_assert_uint_eq(most_running, alone ? 1 : 2);
    for (int i = 0; i < 2; i++) {
        const struct finding_access *access = race_of(i ? "store_too" : "store")->access;
        ck_assert_int_eq(access[0].has_value, alone);
        ck_assert_uint_eq(access[0].value, alone ? 3 : 0);
        ck_assert(access[1].has_value && access[1].value == 4);
    }
}
END_TEST

START_TEST(kernels_of_different_buffers_do_not_race)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    start(policies[_i], "9");
    enqueue(on[0], "count", memory[0], NULL, 0, GROUPS);
    enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clFlush(on[0]));
    cl_ok(clFinish(on[1]));
    cl_ok(clFinish(on[0]));
    ck_assert_uint_eq(report_count(runtime_get()->report), 0);
    check_counted();
}
END_TEST

/* ---- kernels that wait for what the host does later ------------------------------------------ */

static bool livelock_reported(void)
{
    for (size_t i = 0; i < report_count(runtime_get()->report); i++)
        if (report_get(runtime_get()->report, i)->kind == FINDING_LIVELOCK)
            return true;
    return false;
}

/* A callback is due, so it runs as soon as it is flushed. */
static cl_event spin_at_once(bool races)
{
    if (races)
        setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_KEEP_EXIT_CODE", "1", 1);
    start("lockstep", "5");
    cl_event spins = enqueue(on[0], "poll", memory[0], (const int[]){1}, 1, 1);
    cl_ok(clSetEventCallback(spins, CL_COMPLETE, on_complete, NULL));
    cl_ok(clFlush(on[0]));
    return spins;
}

START_TEST(kernel_waits_for_a_later_enqueue)
{
    cl_event spins = spin_at_once(_i);
    usleep(20000);
    cl_command_queue other = queue_on(half[0]);
    enqueue(other, "set", memory[0], (const int[]){1}, 1, 1);
    cl_ok(clFlush(other));
    cl_ok(clFinish(on[0]));
    ck_assert_int_eq(cl_status(spins), CL_COMPLETE);
    ck_assert(!livelock_reported());
}
END_TEST

/* The host waits for another one, and for a transfer, before it enqueues that. */
START_TEST(others_are_complete_while_one_spins)
{
    cl_int got[2] = {0};
    cl_event spins = spin_at_once(_i), counted = enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clWaitForEvents(1, &counted));
    ck_assert_int_ne(cl_status(spins), CL_COMPLETE);
    cl_ok(clEnqueueReadBuffer(on[1], memory[1], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    enqueue(on[1], "set", memory[0], (const int[]){1}, 1, 1);
    cl_ok(clFinish(on[1]));
    cl_ok(clFinish(on[0]));
    ck_assert_int_eq(cl_status(spins), CL_COMPLETE);
    ck_assert(!livelock_reported());
}
END_TEST

static void set_flag(void)
{
    enqueue(on[1], "set", memory[0], (const int[]){1}, 1, 1);
    cl_ok(clFlush(on[1]));
}

static void *set_later(void *unused)
{
    usleep(200000);
    set_flag();
    return unused;
}

START_TEST(another_thread_may_enqueue_it)
{
    pthread_t thread;
    cl_event spins = spin_at_once(_i);
    ck_assert_int_eq(pthread_create(&thread, NULL, set_later, NULL), 0);
    cl_ok(clWaitForEvents(1, &spins));
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!livelock_reported());
}
END_TEST

static void CL_CALLBACK set_now(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    usleep(20000);
    set_flag();
}

START_TEST(a_callback_may_enqueue_it)
{
    cl_event spins = spin_at_once(_i), counted = enqueue(on[1], "count", memory[1], NULL, 0, GROUPS);
    cl_ok(clSetEventCallback(counted, CL_COMPLETE, set_now, NULL));
    cl_ok(clFlush(on[1]));
    cl_ok(clWaitForEvents(1, &spins));
    ck_assert(!livelock_reported());
}
END_TEST

START_TEST(a_livelock_while_the_host_waits)
{
    cl_event spins = spin_at_once(_i);
    clWaitForEvents(1, &spins);
}
END_TEST

START_TEST(a_livelock_while_the_host_polls)
{
    cl_event spins = spin_at_once(_i);
    while (cl_status(spins) != CL_COMPLETE)
        ;
}
END_TEST

START_TEST(a_livelock_while_the_host_sleeps)
{
    spin_at_once(_i);
    sleep(50);
}
END_TEST

/* 5.6.1 leaves it undefined; the kernel that runs keeps the memory to its end, and it is released then. */
START_TEST(memory_freed_while_a_kernel_runs_stays_until_its_end)
{
    start("lockstep", "0");
    const uint64_t used = device_memory_used(runtime_device());
    const size_t global = GROUPS, local = 1;
    int *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, GROUPS * sizeof *shared, 0), got[GROUPS];
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "copy", &err);
    cl_ok(err);
    cl_ok(clEnqueueSVMMemFill(on[0], shared, &(cl_int){7}, sizeof(cl_int), sizeof got, 0, NULL, NULL));
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    cl_ok(clSetKernelArg(kernel, 1, sizeof *memory, &memory[0]));
    cl_ok(clEnqueueNDRangeKernel(on[0], kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    freed_at_begin = shared;
    cl_ok(clFinish(on[0]));
    ck_assert_ptr_null(freed_at_begin);
    cl_ok(clEnqueueReadBuffer(on[0], memory[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < GROUPS; i++)
        ck_assert_int_eq(got[i], 7);
    ck_assert_uint_eq(device_memory_used(runtime_device()), used);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("concurrent kernels");
    TCase *tests = tcase_create("sub-devices");
    static const char roots[] = "orrery: 1\ndevices: [{topology: \"cu:2\"}, {topology: \"cu:3\"}]\n";
    int file = mkstemp(roots_file);
    if (file < 0 || write(file, roots, sizeof roots - 1) != sizeof roots - 1)
        return EXIT_FAILURE;
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, halves_alternate, 0, PAIR_COUNT * POLICY_COUNT);
    tcase_add_test(tests, lockstep_alternates);
    tcase_add_test(tests, one_that_is_not_flushed_does_not_run);
    tcase_add_loop_test(tests, units_are_not_shared, 0, POLICY_COUNT);
    tcase_add_test(tests, the_same_seed_is_the_same_order);
    tcase_add_loop_test(tests, kernels_that_wait_for_each_other_end, 0, POLICY_COUNT);
    tcase_add_loop_test(tests, a_wait_within_a_device_is_reported, 0, POLICY_COUNT);
    tcase_add_loop_exit_test(tests, both_in_a_livelock, 124, 0, POLICY_COUNT);
    tcase_add_loop_test(tests, a_callback_needs_no_wait, 0, 2);
    tcase_add_test(tests, polling_lets_run);
    tcase_add_loop_test(tests, races_are_found_in_both, 0, POLICY_COUNT);
    tcase_add_loop_test(tests, first_value_is_reported_if_no_other_launch_ran, 0, 2);
    tcase_add_loop_test(tests, kernels_of_different_buffers_do_not_race, 0, POLICY_COUNT);
    tcase_add_loop_test(tests, kernel_waits_for_a_later_enqueue, 0, 2);
    tcase_add_loop_test(tests, others_are_complete_while_one_spins, 0, 2);
    tcase_add_loop_test(tests, another_thread_may_enqueue_it, 0, 2);
    tcase_add_loop_test(tests, a_callback_may_enqueue_it, 0, 2);
    tcase_add_loop_exit_test(tests, a_livelock_while_the_host_waits, 124, 0, 2);
    tcase_add_loop_exit_test(tests, a_livelock_while_the_host_polls, 124, 0, 2);
    tcase_add_loop_exit_test(tests, a_livelock_while_the_host_sleeps, 124, 0, 2);
    tcase_add_test(tests, memory_freed_while_a_kernel_runs_stays_until_its_end);
    suite_add_tcase(suite, tests);
    int status = cl_run_suite(suite);
    unlink(roots_file);
    return status;
}
