/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks that the host passes on between kernels: by its atomics in shared memory, by waits, enqueues and
 * user events, and by its functions that commands run (OpenCL 2.2 API, 3.3.6; R31).
 */
#include "orrery/limits.h"
#include "tests/support/inter_launch_fixture.h"

/*
 * The command that the host waited for before it set the event happens before the kernel that releases,
 * though it was enqueued after that; and before the other kernel by the release alone.
 */
static size_t races_after_the_gate(const char *reader)
{
    const struct kernels kernels = build(FIRST "RELEASE(flag);", reader, "");
    const cl_event gate = new_gate(), first = new_gate();
    const cl_int one = 1;
    cl_event filled;
    run(queue, kernels.one, 1, &gate);
    run(second, kernels.next, 1, &first);
    open_gate(first);
    cl_ok(clEnqueueFillBuffer(third, data, &one, sizeof one, 0, 16, 0, NULL, &filled));
    cl_ok(clWaitForEvents(1, &filled));
    cl_ok(clReleaseEvent(filled));
    open_gate(gate);
    finish();
    drop(&kernels);
    return findings_of("race-commands");
}

START_TEST(R31_12_command_enqueued_later)
{
    ck_assert_uint_eq(races_after_the_gate(WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];"), 0);
    ck_assert_uint_eq(races_after_the_gate(READ_EARLY("ACQUIRE(flag)")), 1);
}
END_TEST

#define SHARED "(global int *data, global int *out, global atomic_int *shared) "

/* The kernels of a program, and memory with atomics that they share with the host. late: the kernel ends
 * when the flag is set, and acquires nothing. */
struct shared {
    cl_program program;
    cl_kernel one, next, late;
    int *flags;
};

static struct shared share(const char *released_for, const char *reader)
{
    struct shared shared;
    char source[2048];
    snprintf(source, sizeof source,
             HEAD
             "kernel void one" SHARED "{ " FIRST
             "{ data[0] = 1; atomic_store_explicit(shared, 1, memory_order_release, %s); } }\n"
             "kernel void next" SHARED "{ %s }\n"
             "kernel void late" SHARED "{ " WAIT_FOR(
                 "atomic_load_explicit(shared, memory_order_relaxed, memory_scope_all_svm_devices)") "}\n",
             released_for, reader);
    shared.program = cl_program_of(context, source, "-cl-std=CL2.0");
    shared.one = take(shared.program, "one");
    shared.next = take(shared.program, "next");
    shared.late = take(shared.program, "late");
    shared.flags =
        clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
    ck_assert_ptr_nonnull(shared.flags);
    memset(shared.flags, 0, 64);
    cl_ok(clSetKernelArgSVMPointer(shared.one, 2, shared.flags));
    cl_ok(clSetKernelArgSVMPointer(shared.next, 2, shared.flags));
    cl_ok(clSetKernelArgSVMPointer(shared.late, 2, shared.flags));
    return shared;
}

static void spin_on_flag(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        ;
}

static size_t races_of_shared(struct shared *shared)
{
    finish();
    clSVMFree(context, shared->flags);
    cl_ok(clReleaseKernel(shared->one));
    cl_ok(clReleaseKernel(shared->next));
    cl_ok(clReleaseKernel(shared->late));
    cl_ok(clReleaseProgram(shared->program));
    return findings_of("race-commands");
}

/* A command enqueued after the host's read in shared memory is ordered after the release there; b: to another
 * flag of its own. */
static size_t races_by_way_of_the_host(const char *released_for, const char *reader, bool by_read)
{
    struct shared shared = share(released_for, reader);
    cl_int got;
    run(queue, shared.one, 0, NULL);
    spin_on_flag(shared.flags);
    if (by_read)
        cl_ok(clEnqueueReadBuffer(second, data, CL_FALSE, 0, 4, &got, 0, NULL, NULL));
    else
        run(second, shared.next, 0, NULL);
    return races_of_shared(&shared);
}

#define FOR_ALL "memory_scope_all_svm_devices"

/* Kernels that acquire nothing of the host or of the kernel that released, and how many races they have
 * with it. */
static const struct {
    const char *source;
    size_t races;
} readers[] = {
    {FIRST "out[0] = data[0];", 1},
    {FIRST
     "{ atomic_load_explicit(shared + 4, memory_order_acquire, memory_scope_device); out[0] = data[0]; }",
     1},
    {FIRST "{ atomic_load_explicit(shared, memory_order_relaxed, " FOR_ALL "); out[0] = data[0]; }", 1},
    /* races on the flag itself, too */
    {FIRST "{ atomic_load_explicit(shared, memory_order_acquire, memory_scope_device); out[0] = data[0]; }",
     2}};
enum { READERS = sizeof readers / sizeof *readers, READERS_RIGHT = 3 };

START_TEST(R31_1_host_passes_on_its_reads)
{
    ck_assert_uint_eq(races_by_way_of_the_host(FOR_ALL, readers[_i].source, false), 0);
}
END_TEST

START_TEST(R31_1_host_reads_ordered_bytes)
{
    ck_assert_uint_eq(races_by_way_of_the_host(FOR_ALL, "", true), 0);
}
END_TEST

START_TEST(R31_1_bytes_not_ordered_for_the_host)
{
    ck_assert_uint_eq(races_by_way_of_the_host("memory_scope_device", FIRST "out[0] = data[0];", false), 1);
}
END_TEST

/* The host does not order a kernel that was enqueued and released before its read of the flag. */
START_TEST(R31_1_host_released_it_before)
{
    struct shared shared = share(FOR_ALL, readers[_i].source);
    const cl_event gate = new_gate();
    run(queue, shared.one, 1, &gate);
    run(second, shared.next, 1, &gate);
    open_gate(gate);
    spin_on_flag(shared.flags);
    ck_assert_uint_eq(races_of_shared(&shared), readers[_i].races);
}
END_TEST

/* Such a kernel is ordered by its own acquire, with any scope that both have. */
START_TEST(R31_1_released_before_and_acquires)
{
    struct shared shared =
        share(FOR_ALL, WAIT_FOR("atomic_load_explicit(shared, memory_order_acquire, " FOR_ALL
                                ")") "out[0] = data[0];");
    const cl_event gate = new_gate();
    run(queue, shared.one, 1, &gate);
    run(second, shared.next, 1, &gate);
    open_gate(gate);
    ck_assert_uint_eq(races_of_shared(&shared), 0);
}
END_TEST

/* The kernel, or one before it in order, waits for a user event that the host sets when it has read the
 * flag. */
START_TEST(R31_12_host_releases_it_after_reading)
{
    struct shared shared = share(FOR_ALL, readers[_i / 3].source);
    const cl_event gate = new_gate(), later = new_gate();
    cl_event last = later;
    run(queue, shared.one, 1, &gate);
    if (_i % 3) {
        cl_ok(clEnqueueMarkerWithWaitList(_i % 3 == 1 ? third : second, 1, &later, &last));
        cl_ok(clFlush(third));
    }
    run(second, shared.next, _i % 3 != 2, &last);
    open_gate(gate);
    spin_on_flag(shared.flags);
    open_gate(later);
    ck_assert_uint_eq(races_of_shared(&shared), 0);
}
END_TEST

/* The host may have read a value before the event that announces it arrives. */
START_TEST(R31_12_the_host_reads_at_once)
{
    enum { ROUNDS = HOSTILE(16, 4) }; /* a hostile build checks eight launches at a time */
    struct shared shared = share(FOR_ALL, FIRST "out[0] = data[0];");
    const cl_program program = cl_program_of(
        context,
        "kernel void flags(global int *data, global int *out, global atomic_int *shared) {" FIRST
        "for (int i = 0; i < 16; i++) { data[i] = i; atomic_store_explicit(&shared[i], 1, "
        "memory_order_release, " FOR_ALL "); } }\n"
        "kernel void reads(global int *data, global int *out, int i) {" FIRST "out[i] = data[i]; }",
        "-cl-std=CL2.0");
    const cl_kernel flags = take(program, "flags"), reads = take(program, "reads");
    const cl_command_queue any = cl_new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gates[ROUNDS];
    cl_ok(clSetKernelArgSVMPointer(flags, 2, shared.flags));
    for (cl_int i = 0; i < ROUNDS; i++) {
        gates[i] = new_gate();
        cl_ok(clSetKernelArg(reads, 2, sizeof i, &i));
        run(any, reads, 1, &gates[i]);
    }
    run(queue, flags, 0, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        spin_on_flag(&shared.flags[i]);
        open_gate(gates[i]);
    }
    cl_ok(clFinish(any));
    cl_ok(clReleaseCommandQueue(any));
    cl_ok(clReleaseKernel(flags));
    cl_ok(clReleaseKernel(reads));
    cl_ok(clReleaseProgram(program));
    ck_assert_uint_eq(races_of_shared(&shared), 0);
}
END_TEST

static void CL_CALLBACK read_flag(void *flag)
{
    spin_on_flag(*(int **)flag);
}

/* A native kernel acts for the host: it reads the flag, and commands that wait for it are ordered after
 * that. */
START_TEST(R31_2_native_kernel_passes_on_its_reads)
{
    struct shared shared = share(FOR_ALL, readers[_i].source);
    const cl_event gate = new_gate();
    cl_event native;
    run(queue, shared.one, 1, &gate);
    run(third, shared.late, 1, &gate);
    cl_ok(clEnqueueNativeKernel(third, read_flag, &shared.flags, sizeof shared.flags, 0, NULL, NULL, 0, NULL,
                                &native));
    cl_ok(clFlush(third));
    run(second, shared.next, 1, &native);
    open_gate(gate);
    ck_assert_uint_eq(races_of_shared(&shared), 0);
}
END_TEST

static cl_event fill_data(void)
{
    const cl_int one = 1;
    cl_event event;
    cl_ok(clEnqueueFillBuffer(third, data, &one, sizeof one, 0, 16, 0, NULL, &event));
    cl_ok(clFlush(third));
    return event;
}

/* 0: fills; 1: a kernel without atomics; 2: one with atomics */
static cl_event change_data(const struct shared *shared, const struct kernels *plain, int how)
{
    return how == 0 ? fill_data() : run(third, how == 1 ? plain->one : shared->one, 0, NULL);
}

/*
 * The host waits for a command and releases to the kernel that runs meanwhile (rule (4), and its release);
 * early: the other way round. queries: before the command ends, another one begins that is ordered after it.
 */
static size_t races_of_what_the_host_waited_for(const char *reader, int how, bool queries, bool early)
{
    struct shared shared = share("memory_scope_device", reader);
    const struct kernels plain = build(FIRST "data[0] = 1;", "", "");
    cl_event changed, late;
    run(second, shared.next, 0, NULL);
    changed = change_data(&shared, &plain, how);
    while (early && cl_status(changed) != CL_COMPLETE) /* its query orders nothing (5.11) */
        ;
    if (!early)
        cl_ok(clWaitForEvents(1, &changed));
    __atomic_store_n(&shared.flags[1], 1, __ATOMIC_RELEASE);
    spin_on_flag(&shared.flags[2]);
    cl_ok(clWaitForEvents(1, &changed));
    __atomic_store_n(&shared.flags[0], 0, __ATOMIC_RELEASE);
    if (queries)
        late = run(third, shared.late, 0, NULL);
    while (queries && cl_status(late) != CL_RUNNING)
        ;
    __atomic_store_n(&shared.flags[0], 1, __ATOMIC_RELEASE);
    __atomic_store_n(&shared.flags[3], 1, __ATOMIC_RELEASE);
    finish();
    drop(&plain);
    return races_of_shared(&shared);
}

#define SET_AND_WAIT                                                            \
    " atomic_store_explicit(shared + 2, 1, memory_order_relaxed, " FOR_ALL ");" \
    " while (!atomic_load_explicit(shared + 3, memory_order_relaxed, " FOR_ALL ")) ;"
#define RELEASED "atomic_load_explicit(shared + 1, memory_order_acquire, memory_scope_all_svm_devices)"

START_TEST(R31_4_host_passes_on_the_waited_command)
{
    ck_assert_uint_eq(races_of_what_the_host_waited_for(WAIT_FOR(RELEASED) "out[0] = data[0];" SET_AND_WAIT,
                                                        _i / 2, _i % 2, false),
                      0);
}
END_TEST

START_TEST(R31_4_command_before_the_hosts_access)
{
    ck_assert_uint_eq(
        races_of_what_the_host_waited_for(READ_EARLY(RELEASED) SET_AND_WAIT, _i / 2, _i % 2, false), 1);
}
END_TEST

/* Whenever that is: also if a third kernel ordered after the command begins only then. */
START_TEST(R31_4_host_released_it_before_it_waited)
{
    ck_assert_uint_eq(races_of_what_the_host_waited_for(WAIT_FOR(RELEASED) "out[0] = data[0];" SET_AND_WAIT,
                                                        _i / 2, _i % 2, true),
                      1);
}
END_TEST

static void CL_CALLBACK store_flag(void *flag)
{
    __atomic_store_n(*(int **)flag, 1, __ATOMIC_RELEASE);
}

/*
 * A native kernel is ordered after the command, and its function is the host's that releases to the other
 * kernel.
 */
START_TEST(R31_2_native_kernel_passes_on_its_predecessors)
{
    struct shared shared = share("memory_scope_device", WAIT_FOR(RELEASED) "out[0] = data[0];");
    const struct kernels plain = build(FIRST "data[0] = 1;", "", "");
    int *let_go = shared.flags + 1;
    run(second, shared.next, 0, NULL);
    cl_ok(clReleaseEvent(change_data(&shared, &plain, _i)));
    cl_ok(clEnqueueNativeKernel(third, store_flag, &let_go, sizeof let_go, 0, NULL, NULL, 0, NULL, NULL));
    cl_ok(clFlush(third));
    finish();
    drop(&plain);
    ck_assert_uint_eq(races_of_shared(&shared), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inter_launch_host");
    TCase *rules = tcase_create("rules");
    tcase_add_checked_fixture(rules, set_up, tear_down);
    tcase_set_timeout(rules, 120);
    tcase_add_loop_test(rules, R31_1_host_passes_on_its_reads, 0, READERS_RIGHT);
    tcase_add_loop_test(rules, R31_1_host_released_it_before, 0, READERS);
    tcase_add_test(rules, R31_1_released_before_and_acquires);
    tcase_add_loop_test(rules, R31_12_host_releases_it_after_reading, 0, 3 * READERS_RIGHT);
    tcase_add_loop_test(rules, R31_12_the_host_reads_at_once, 0, 8);
    tcase_add_loop_test(rules, R31_2_native_kernel_passes_on_its_reads, 0, READERS_RIGHT);
    tcase_add_test(rules, R31_1_host_reads_ordered_bytes);
    tcase_add_test(rules, R31_1_bytes_not_ordered_for_the_host);
    tcase_add_loop_test(rules, R31_4_host_passes_on_the_waited_command, 0, 6);
    tcase_add_loop_test(rules, R31_4_command_before_the_hosts_access, 0, 6);
    tcase_add_loop_test(rules, R31_2_native_kernel_passes_on_its_predecessors, 0, 3);
    tcase_add_loop_test(rules, R31_4_host_released_it_before_it_waited, 0, 6);
    tcase_add_test(rules, R31_12_command_enqueued_later);
    suite_add_tcase(suite, rules);
    return cl_run_suite(suite);
}
