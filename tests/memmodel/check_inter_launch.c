/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels on several queues that share atomics: what these order, and what they do not (OpenCL 2.2 API,
 * 3.3.6; R32). */
#include "tests/support/inter_launch_fixture.h"

#define UPDATE \
    "atomic_fetch_add_explicit((global atomic_int *)data, 1, memory_order_relaxed, memory_scope_device);"

static const struct {
    const char *name, *one, *other;
    size_t races;
    const char *why;
} pairs[] = {
    {"message passing", FIRST "{ data[0] = 1; RELEASE(flag); }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0, NULL},
    {"written after the release", FIRST "{ RELEASE(flag); data[0] = 1; }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 1, "acquires nothing"},
    {"read before the acquire", FIRST "{ data[0] = 1; RELEASE(flag); }",
     "if (get_local_id(0)) return; out[0] = data[0]; while (!ACQUIRE(flag)) ;", 1, "acquires nothing"},
    {"another flag, which is relaxed", FIRST "{ data[0] = 1; STORE(other, relaxed, device); RELEASE(flag); }",
     WAIT_FOR("ACQUIRE(other)") "out[0] = data[0]; LOAD(flag, relaxed, device);", 1, "is relaxed"},
    {"a fence before the flag", FIRST "{ data[0] = 1; FENCE(release); STORE(flag, relaxed, device); }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0, NULL},
    {"a fence after the flag", FIRST "{ data[0] = 1; RELEASE(flag); }",
     WAIT_FOR("LOAD(flag, relaxed, device)") "FENCE(acquire); out[0] = data[0];", 0, NULL},
    {"no fence after the flag", FIRST "{ data[0] = 1; RELEASE(flag); }",
     WAIT_FOR("LOAD(flag, relaxed, device)") "out[0] = data[0]; FENCE(acquire);", 1,
     "no acquire fence followed"},
    {"the scope of a work-group", FIRST "{ RELEASE(other); data[0] = 1; STORE(flag, release, work_group); }",
     /* races on the flag itself, too */
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 2, "memory_scope_work_group"},
    {"a barrier before the release",
     "if (get_local_id(0)) data[0] = 1; barrier(CLK_GLOBAL_MEM_FENCE); " FIRST "RELEASE(flag);",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0, NULL},
    {"a barrier of local memory",
     "if (get_local_id(0)) data[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); " FIRST "RELEASE(flag);",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 1, NULL},
    {"a barrier after the acquire", FIRST "{ data[0] = 1; RELEASE(flag); }",
     FIRST "while (!ACQUIRE(flag)) ; barrier(CLK_GLOBAL_MEM_FENCE); if (get_local_id(0)) out[0] = data[0];",
     0, NULL},
    {"a counter", FIRST "{ data[0] = 1; atomic_fetch_add(&flag, 1); }",
     FIRST "if (atomic_fetch_add(&flag, 1)) out[0] = data[0];", 0, NULL},
    {"a counter, and then the data", FIRST "{ atomic_fetch_add(&flag, 1); data[0] = 1; }",
     FIRST "{ atomic_fetch_add(&flag, 1); data[0] = 2; }", 1, NULL},
    {"counters of a work-group",
     FIRST "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);",
     FIRST "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);", 1,
     "memory_scope_work_group"},
    {"counters of the device",
     FIRST "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_device);",
     FIRST "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_device);", 0, NULL},
    {"updates of a buffer", FIRST UPDATE " " FIRST "RELEASE(flag);",
     FIRST UPDATE " " WAIT_FOR("ACQUIRE(flag)"), 1, "is not shared virtual memory"},
    {"a flag in a buffer",
     FIRST "{ out[5] = 1; atomic_store_explicit(PLAIN, 1, memory_order_release, memory_scope_device); "
           "RELEASE(flag); }",
     "if (get_local_id(0)) return; while (!atomic_load_explicit(PLAIN, memory_order_acquire, "
     "memory_scope_device)) ; out[0] = out[5]; ACQUIRE(flag);",
     2, "is not shared virtual memory"},
    {"a flag in a buffer, and fences",
     FIRST "{ out[5] = 1; FENCE(release); atomic_store_explicit(PLAIN, 1, memory_order_relaxed, "
           "memory_scope_device); RELEASE(flag); }",
     "if (get_local_id(0)) return; while (!atomic_load_explicit(PLAIN, memory_order_relaxed, "
     "memory_scope_device)) ; FENCE(acquire); out[0] = out[5]; ACQUIRE(flag);",
     2, "is not shared virtual memory"},
    {"updates of a buffer, one after the acquire", FIRST UPDATE " " FIRST "RELEASE(flag);",
     WAIT_FOR("ACQUIRE(flag)") UPDATE, 0, NULL},
    {"a counter that the last resets, and a race elsewhere",
     FIRST "{ data[1] = 9; atomic_fetch_add(&flag, 1); out[1] = data[2]; }",
     "if (get_local_id(0)) data[2] = 8; else if (atomic_fetch_add(&flag, 1) == 1) { *(volatile global int "
     "*)&flag = 0; data[1] = 8; }",
     1, NULL},
    {"two buffers", FIRST "{ RELEASE(flag); data[0] = 1; out[4] = 1; }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0] + out[4];", 2, NULL},
    {"what is only read", FIRST "{ RELEASE(flag); out[1] = data[0]; }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0, NULL},
    /* asynchronous copies (R37) */
    {"a copy before the release", COPIED("data, lines") WAITED FIRST "RELEASE(flag);",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0, NULL},
    {"a copy that the release does not wait for", COPIED("data, lines") FIRST "RELEASE(flag); " WAITED,
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 1, "acquires nothing"},
    {"a copy from what was written", FIRST "{ data[0] = 1; RELEASE(flag); }",
     FIRST "while (!ACQUIRE(flag)) ; barrier(CLK_GLOBAL_MEM_FENCE); " COPIED("lines, data") WAITED, 0, NULL},
    {"a copy that one of two work-items acquired for", FIRST "{ data[0] = 1; RELEASE(flag); }",
     FIRST "while (!ACQUIRE(flag)) ; " COPIED("lines, data") WAITED, 1, NULL},
    {"a copy before the acquire", FIRST "{ data[0] = 1; RELEASE(flag); }",
     COPIED("lines, data") WAITED FIRST "while (!ACQUIRE(flag)) ;", 1, NULL},
    {"copies of both", COPIED("data, lines") WAITED FIRST "RELEASE(flag);",
     FIRST "while (!ACQUIRE(flag)) ; barrier(CLK_GLOBAL_MEM_FENCE); " COPIED("lines, data") WAITED, 0, NULL},
    {"copies of both, without a wait", COPIED("data, lines") FIRST "RELEASE(flag); " WAITED,
     FIRST "while (!ACQUIRE(flag)) ; barrier(CLK_GLOBAL_MEM_FENCE); " COPIED("lines, data") WAITED, 1,
     "acquires nothing"},
};

static void judge(int i)
{
    finish();
    const size_t races = findings_of("race-commands");
    ck_assert_msg(races == pairs[i].races, "%s: %zu races", pairs[i].name, races);
    ck_assert_uint_eq(findings_of("race-global"), 0);
    if (pairs[i].why)
        ck_assert_msg(strstr(finding_last("race-commands").why, pairs[i].why), "%s: %s", pairs[i].name,
                      finding_last("race-commands").why);
}

static void run_pair(int i, bool in_turn)
{
    const struct kernels kernels = build(pairs[i].one, pairs[i].other, "");
    const cl_event event = run(queue, kernels.one, 0, NULL);
    if (in_turn)
        await(event);
    run(second, kernels.next, 0, NULL);
    judge(i);
    drop(&kernels);
}

START_TEST(R32_side_by_side)
{
    run_pair(_i, false);
}
END_TEST

START_TEST(R32_one_after_the_other)
{
    run_pair(_i, true);
}
END_TEST

/* An event orders what atomics leave unordered. */
START_TEST(R32_with_an_event)
{
    const struct kernels kernels = build(pairs[_i].one, pairs[_i].other, "");
    const cl_event event = run(queue, kernels.one, 0, NULL);
    run(second, kernels.next, 1, &event);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 0);
    drop(&kernels);
}
END_TEST

START_TEST(R32_the_host_waited)
{
    const struct kernels kernels = build(pairs[_i].one, pairs[_i].other, "");
    run(queue, kernels.one, 0, NULL);
    finish();
    run(second, kernels.next, 0, NULL);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 0);
    drop(&kernels);
}
END_TEST

/* The context gets its second queue when the first kernel is already enqueued. */
START_TEST(R32_queue_created_late)
{
    const size_t size = 2;
    cl_int err;
    cl_context late = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_ok(err);
    const cl_command_queue on = clCreateCommandQueueWithProperties(late, device, NULL, &err);
    cl_ok(err);
    char source[1000];
    snprintf(source, sizeof source,
             HEAD "kernel void one(global int *data) { %s }\nkernel void next(global int *data) { %s }\n",
             FIRST "{ RELEASE(flag); data[0] = 1; }", WAIT_FOR("ACQUIRE(flag)") "data[1] = data[0];");
    const cl_program program = cl_program_of(late, source, "-cl-std=CL2.0");
    const cl_kernel one = clCreateKernel(program, "one", NULL), next = clCreateKernel(program, "next", NULL);
    const cl_mem bytes = clCreateBuffer(late, CL_MEM_READ_WRITE, 64, NULL, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(one, 0, sizeof bytes, &bytes));
    cl_ok(clSetKernelArg(next, 0, sizeof bytes, &bytes));
    cl_ok(clEnqueueNDRangeKernel(on, one, 1, NULL, &size, &size, 0, NULL, NULL));
    const cl_command_queue other = clCreateCommandQueueWithProperties(late, device, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueNDRangeKernel(other, next, 1, NULL, &size, &size, 0, NULL, NULL));
    cl_ok(clFlush(on));
    cl_ok(clFinish(other));
    cl_ok(clFinish(on));
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseKernel(next));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(bytes));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseCommandQueue(other));
    cl_ok(clReleaseContext(late));
}
END_TEST

/* Work-item 0 acquires. A kernel that waits for the work-group which enqueued it gets that work-group's
 * clock. */
START_TEST(R31_14_by_way_of_a_work_group)
{
    static const struct {
        int enqueues;
        size_t races;
    } cases[] = {{0, 0}, {1, 0}, {2, 1}, {3, 1}};
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const size_t global = 4, local = 2;
    char parent[500];
    cl_int err;
    const cl_command_queue children = clCreateCommandQueueWithProperties(context, device, on_device, &err);
    cl_ok(err);
    snprintf(parent, sizeof parent,
             "if (get_global_id(0) == 0) while (!ACQUIRE(flag)) ; if (get_global_id(0) == %d) "
             "enqueue_kernel(get_default_queue(), "
             "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ data[0] = 7; });",
             cases[_i].enqueues);
    const struct kernels kernels = build(FIRST "{ data[0] = 1; RELEASE(flag); }", parent, "");
    run(queue, kernels.one, 0, NULL);
    cl_ok(clEnqueueNDRangeKernel(second, kernels.next, 1, NULL, &global, &local, 0, NULL, NULL));
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), cases[_i].races);
    drop(&kernels);
    cl_ok(clReleaseCommandQueue(children));
}
END_TEST

/* Three kernels. The first one writes before and after its release; by_event: the last one waits for the
 * second. */
static size_t races_of_three(const char *second_does, const char *last_does, bool by_event)
{
    const struct kernels kernels =
        build(FIRST "{ data[0] = 1; RELEASE(flag); data[1] = 1; }", second_does, last_does);
    run(queue, kernels.one, 0, NULL);
    const cl_event event = run(second, kernels.next, 0, NULL);
    run(third, kernels.last, by_event, by_event ? &event : NULL);
    finish();
    drop(&kernels);
    return findings_of("race-commands");
}

START_TEST(R21_by_a_third_kernel)
{
    const char *const passed_on = WAIT_FOR("ACQUIRE(flag)") "RELEASE(other);";
    ck_assert_uint_eq(races_of_three(passed_on, WAIT_FOR("ACQUIRE(other)") "out[0] = data[0];", false), 0);
    ck_assert_uint_eq(races_of_three(passed_on, WAIT_FOR("ACQUIRE(other)") "out[0] = data[1];", false), 1);
    ck_assert_str_eq(finding_last("race-commands").kernel, "last");
}
END_TEST

/* A command that waits for the kernel that acquired is ordered after it by its event. */
START_TEST(R21_by_the_event_of_the_acquiring_command)
{
    const char *const acquired = WAIT_FOR("ACQUIRE(flag)") "out[1] = 1;";
    ck_assert_uint_eq(
        races_of_three(acquired, "if (get_local_id(0)) return; ACQUIRE(other); out[0] = data[0];", true), 0);
    ck_assert_uint_eq(
        races_of_three(acquired, "if (get_local_id(0)) return; ACQUIRE(other); out[0] = data[1];", true), 1);
}
END_TEST

/* A command that waits for the kernel that acquired, but not for the one that released. */
static void waits_for_the_second(bool reads_both, size_t races)
{
    const struct kernels kernels =
        build(FIRST "{ data[0] = 1; RELEASE(flag); data[1] = 1; }", WAIT_FOR("ACQUIRE(flag)") "out[1] = 1;",
              "if (get_local_id(0) == 0) out[0] = data[1];");
    cl_int got[2];
    run(queue, kernels.one, 0, NULL);
    const cl_event event = run(second, kernels.next, 0, NULL);
    cl_ok(clEnqueueReadBuffer(third, data, CL_FALSE, 0, reads_both ? 8 : 4, got, 1, &event, NULL));
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), races);
    drop(&kernels);
}

START_TEST(R32_a_read_of_a_buffer)
{
    waits_for_the_second(false, 0);
    waits_for_the_second(true, 1);
    ck_assert_ptr_nonnull(strstr(finding_last("race-commands").access[1].by, "clEnqueueReadBuffer"));
}
END_TEST

START_TEST(R32_a_kernel_without_atomics)
{
    ck_assert_uint_eq(
        races_of_three(WAIT_FOR("ACQUIRE(flag)") "out[1] = 1;", FIRST "out[0] = data[0];", true), 0);
    ck_assert_uint_eq(
        races_of_three(WAIT_FOR("ACQUIRE(flag)") "out[1] = 1;", FIRST "out[0] = data[1];", true), 1);
    ck_assert_str_eq(finding_last("race-commands").kernel, "last");
}
END_TEST

/* A store without a release ends the release sequence of an earlier release. */
START_TEST(R8_a_relaxed_kernel_between)
{
    const char *const reader = WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];";
    const struct kernels kernels =
        build(FIRST "{ data[0] = 1; RELEASE(flag); }", FIRST "STORE(flag, relaxed, device);", reader);
    await(run(queue, kernels.one, 0, NULL));
    await(run(second, kernels.next, 0, NULL));
    run(third, kernels.last, 0, NULL);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    drop(&kernels);
}
END_TEST

/*
 * Accesses of a command without atomics happen before its queue's later release, for a unit that acquires
 * that first.
 */
enum { BY_KERNEL, BY_FILL, BY_COPY, PRIORS };

static void do_before(const struct kernels *kernels, int prior)
{
    const cl_int one = 1;
    if (prior == BY_KERNEL)
        run(queue, kernels->last, 0, NULL);
    else if (prior == BY_FILL)
        cl_ok(clEnqueueFillBuffer(queue, data, &one, sizeof one, 0, 16, 0, NULL, NULL));
    else
        cl_ok(clEnqueueCopyBuffer(queue, out, data, 32, 0, 16, 0, NULL, NULL));
}

static const struct {
    const char *name, *one, *next;
    size_t races;
} past[] = {
    {"read after the acquire", FIRST "RELEASE(flag);", WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0},
    {"read before the acquire", FIRST "RELEASE(flag);", READ_EARLY("ACQUIRE(flag)"), 1},
    {"read without an acquire", FIRST "RELEASE(flag);",
     WAIT_FOR("LOAD(flag, relaxed, device)") "out[0] = data[0]; FENCE(acquire);", 1},
    {"the one that acquired ends first", FIRST "{ RELEASE(flag); while (!ACQUIRE(other)) ; }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0]; RELEASE(other);", 0},
    {"and read before", FIRST "{ RELEASE(flag); while (!ACQUIRE(other)) ; }",
     READ_EARLY("ACQUIRE(flag)") "RELEASE(other);", 1},
    {"the release is for work-groups", FIRST "{ STORE(flag, release, work_group); RELEASE(other); }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 2},
    {"written after the acquire", FIRST "RELEASE(flag);", WAIT_FOR("ACQUIRE(flag)") "data[0] = 2;", 0},
    {"written before the acquire", FIRST "RELEASE(flag);",
     "if (get_local_id(0)) return; data[3] = 2; while (!ACQUIRE(flag)) ;", 1},
    {"also read by the one that releases", FIRST "{ out[1] = data[0]; RELEASE(flag); }",
     WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", 0},
    {"also read by the one that releases, and early", FIRST "{ out[1] = data[0]; RELEASE(flag); }",
     READ_EARLY("ACQUIRE(flag)"), 1},
};

static void judge_after(int i, int prior, bool in_turn)
{
    const struct kernels kernels =
        build(past[i].one, past[i].next, "data[get_local_id(0)] = 1; data[2 + get_local_id(0)] = 1;");
    const bool waits = strstr(past[i].one, "while");
    cl_int err;
    const cl_event gate = clCreateUserEvent(context, &err); /* so that they begin together */
    cl_ok(err);
    do_before(&kernels, prior);
    const cl_event event = run(queue, kernels.one, waits, &gate);
    if (in_turn && !waits)
        await(event);
    run(second, kernels.next, waits, &gate);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseEvent(gate));
    finish();
    ck_assert_msg(findings_of("race-commands") == past[i].races, "%s, %d, %d: %zu races", past[i].name, prior,
                  in_turn, findings_of("race-commands"));
    drop(&kernels);
}

START_TEST(R32_access_before_the_release)
{
    const int i = _i / (2 * PRIORS);
    judge_after(i, _i % PRIORS, _i / PRIORS % 2);
}
END_TEST

/* ---- one side of a pipe, used by kernels that atomics order ----------------------------------- */

#define PUT "{ int packet = 1; write_pipe(p, &packet); }"
#define GET "{ int packet; read_pipe(p, &packet); }"
#define RESERVED(how)                                                                                        \
    "reserve_id_t id = work_group_reserve_write_pipe(p, 2); int packet = 1; if (is_valid_reserve_id(id)) { " \
    "write_pipe(p, id, get_local_id(0), &packet); work_group_commit_write_pipe(p, id); } " how

static const struct {
    const char *name, *one, *next;
    bool reads;
    size_t races;
} sides[] = {
    {"after the acquire", FIRST "{ " PUT " RELEASE(flag); }", WAIT_FOR("ACQUIRE(flag)") PUT, false, 0},
    {"after the acquire, read", FIRST "{ " GET " RELEASE(flag); }", WAIT_FOR("ACQUIRE(flag)") GET, true, 0},
    {"before the acquire", FIRST "{ " PUT " RELEASE(flag); }",
     "if (get_local_id(0)) return; " PUT " while (!ACQUIRE(flag)) ;", false, 1},
    {"after the release", FIRST "{ RELEASE(flag); " PUT " }", WAIT_FOR("ACQUIRE(flag)") PUT, false, 1},
    {"after the release, read", FIRST "{ RELEASE(flag); " GET " }", WAIT_FOR("ACQUIRE(flag)") GET, true, 1},
    {"a relaxed flag", FIRST "{ " PUT " STORE(other, relaxed, device); RELEASE(flag); }",
     WAIT_FOR("ACQUIRE(other)") PUT " LOAD(flag, relaxed, device);", false, 1},
    {"by both work-items", PUT FIRST "RELEASE(flag);", WAIT_FOR("ACQUIRE(flag)") PUT, false, 1},
    {"by both work-items, and a barrier", PUT "barrier(CLK_GLOBAL_MEM_FENCE); " FIRST "RELEASE(flag);",
     WAIT_FOR("ACQUIRE(flag)") PUT, false, 0},
    {"reserved by the work-group", RESERVED("") FIRST "RELEASE(flag);", WAIT_FOR("ACQUIRE(flag)") PUT, false,
     1},
    {"reserved by the work-group, and a barrier",
     RESERVED("barrier(CLK_GLOBAL_MEM_FENCE); ") FIRST "RELEASE(flag);", WAIT_FOR("ACQUIRE(flag)") PUT, false,
     0},
    {"updates", FIRST "{ " PUT " atomic_fetch_add(&flag, 1); }",
     FIRST "{ if (atomic_fetch_add(&flag, 1)) " PUT " }", false, 0},
    {"no atomics", FIRST PUT, FIRST PUT, false, 1}};

static cl_mem new_pipe(void)
{
    cl_int err;
    const cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_int), 64, NULL, &err);
    cl_ok(err);
    return pipe;
}

static struct kernels build_on_pipe(cl_mem pipe, bool reads, const char *one, const char *next,
                                    const char *last)
{
    char source[4096];
    const char *access = reads ? "read_only" : "write_only";
    snprintf(source, sizeof source,
             HEAD "kernel void one(global int *data, global int *out, %s pipe int p) { %s }\n"
                  "kernel void next(global int *data, global int *out, %s pipe int p) { %s }\n"
                  "kernel void last(global int *data, global int *out, %s pipe int p) { %s }\n",
             access, one, access, next, access, last);
    struct kernels kernels = {.program = cl_program_of(context, source, "-cl-std=CL2.0")};
    cl_kernel *const all[] = {&kernels.one, &kernels.next, &kernels.last};
    static const char *const names[] = {"one", "next", "last"};
    for (int i = 0; i < 3; i++) {
        *all[i] = take(kernels.program, names[i]);
        cl_ok(clSetKernelArg(*all[i], 2, sizeof pipe, &pipe));
    }
    return kernels;
}

START_TEST(R32_one_side_of_a_pipe)
{
    const cl_mem pipe = new_pipe();
    const struct kernels kernels = build_on_pipe(pipe, sides[_i].reads, sides[_i].one, sides[_i].next, "");
    run(queue, kernels.one, 0, NULL);
    run(second, kernels.next, 0, NULL);
    finish();
    ck_assert_msg(findings_of("race-commands") == sides[_i].races, "%s: %zu races", sides[_i].name,
                  findings_of("race-commands"));
    if (sides[_i].races) {
        const struct orrery_finding finding = finding_last("race-commands");
        for (int side = 0; side < 2; side++)
            ck_assert_ptr_nonnull(strstr(finding.access[side].what, sides[_i].reads
                                                                        ? "reading of packets by "
                                                                        : "writing of packets by "));
        ck_assert_ptr_nonnull(
            strstr(finding.why, sides[_i].reads
                                    ? "only one of the kernels that read from a pipe may run at a time"
                                    : "only one of the kernels that write into a pipe may run at a time"));
        ck_assert_ptr_null(strstr(finding.why, "atomic operations race"));
    }
    drop(&kernels);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

/* Packets of a kernel without atomics, for which the releasing kernel waited. */
START_TEST(R32_a_side_of_a_pipe_before_the_release)
{
    const cl_mem pipe = new_pipe();
    const struct kernels kernels = build_on_pipe(
        pipe, false, FIRST "RELEASE(flag);",
        _i ? "if (get_local_id(0)) return; " PUT " while (!ACQUIRE(flag)) ;" : WAIT_FOR("ACQUIRE(flag)") PUT,
        FIRST PUT);
    const cl_event gate = new_gate(), before = run(third, kernels.last, 1, &gate);
    run(queue, kernels.one, 1, &before);
    run(second, kernels.next, 1, &gate);
    open_gate(gate);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), _i);
    drop(&kernels);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

/* The kernel that passes the release on ends after both others. */
START_TEST(R32_side_of_a_pipe_that_a_third_passes_on)
{
    const cl_mem pipe = new_pipe();
    const struct kernels kernels =
        build_on_pipe(pipe, false, FIRST "{ " PUT " RELEASE(flag); }",
                      WAIT_FOR("ACQUIRE(other)") PUT " STORE(done, relaxed, device);",
                      WAIT_FOR("ACQUIRE(flag)") "RELEASE(other); while (!LOAD(done, relaxed, device)) ;");
    const cl_event gate = new_gate();
    run(third, kernels.last, 1, &gate);
    run(second, kernels.next, 1, &gate);
    run(queue, kernels.one, 1, &gate);
    open_gate(gate);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 0);
    drop(&kernels);
    cl_ok(clReleaseMemObject(pipe));
}
END_TEST

/* A sub-group's barrier orders as many work-items as sub-groups of its own launch have, whatever the other
 * launch has. */
static size_t races_of_sub_groups(int size, int other_size, int index)
{
    char source[2048];
    snprintf(source, sizeof source,
             HEAD "#define SIZE(n) __attribute__((intel_reqd_sub_group_size(n)))\n"
                  "kernel SIZE(%d) void one(global int *data, global int *out)\n"
                  "{ data[get_local_id(0)] = 1; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); " FIRST
                  "RELEASE(flag); }\n"
                  "kernel SIZE(%d) void next(global int *data, global int *out) { while (!ACQUIRE(flag)) ; "
                  "out[0] = data[%d]; }\n",
             size, other_size, index);
    cl_program program = cl_program_of(context, source, "-cl-std=CL3.0");
    const size_t items[] = {16, 1};
    cl_kernel kernels[] = {take(program, "one"), take(program, "next")};
    const cl_command_queue queues[] = {queue, second};
    for (int i = 0; i < 2; i++) {
        cl_ok(clEnqueueNDRangeKernel(queues[i], kernels[i], 1, NULL, &items[i], &items[i], 0, NULL, NULL));
        cl_ok(clFlush(queues[i]));
        cl_ok(clReleaseKernel(kernels[i]));
    }
    finish();
    cl_ok(clReleaseProgram(program));
    return findings_of("race-commands");
}

START_TEST(R19_sub_groups_of_different_sizes)
{
    ck_assert_uint_eq(races_of_sub_groups(16, 8, 12), 0);
    ck_assert_uint_eq(races_of_sub_groups(8, 16, 4), 0);
    ck_assert_uint_eq(races_of_sub_groups(8, 16, 12), 1);
}
END_TEST

/* The same kernel on two queues: its sites are those of two launches. */
START_TEST(one_kernel_twice)
{
    const struct kernels kernels = build(FIRST "{ atomic_fetch_add(&flag, 1); data[0] += 1; }", "", "");
    run(queue, kernels.one, 0, NULL);
    run(second, kernels.one, 0, NULL);
    finish();
    ck_assert_uint_ge(findings_of("race-commands"), 1);
    const struct orrery_finding finding = finding_last("race-commands");
    ck_assert_str_eq(finding.kernel, "one");
    ck_assert_ptr_nonnull(strstr(finding.object, "64 bytes"));
    ck_assert_uint_eq(finding.offset_bytes, 0);
    drop(&kernels);
}
END_TEST

static cl_event run_groups(cl_command_queue on, cl_kernel kernel, size_t items, size_t local, cl_uint count,
                           const cl_event *waits)
{
    cl_event event;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &items, &local, count, count ? waits : NULL, &event));
    cl_ok(clFlush(on));
    return event;
}

/* The second wave of a launch is not mistaken for one of the launch before, whose memory it may have; it
 * has lanes 256 to 299. */
START_TEST(waves_of_the_next_launch)
{
    const struct kernels kernels = build(
        "if (get_group_id(0) == 1) data[get_local_id(0)] = 1; RELEASE(flag);",
        "if (get_local_id(0) >= 256 && get_local_id(0) < 272) out[get_local_id(0) - 256] = 1; ACQUIRE(flag);",
        FIRST "out[10] = 2; ACQUIRE(flag);");
    const cl_event before = run_groups(queue, kernels.one, 4, 2, 0, NULL);
    await(before);
    await(run_groups(second, kernels.next, 300, 300, 1, &before));
    await(run_groups(third, kernels.last, 2, 2, 0, NULL));
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    ck_assert_uint_eq(finding_last("race-commands").offset_bytes, 40);
    drop(&kernels);
}
END_TEST

/* Earlier launches are forgotten, and the next pair has the same races as the first one. */
START_TEST(repeated_pairs_are_counted)
{
    const struct kernels kernels = build(FIRST "{ atomic_fetch_add(&flag, 1); data[0] = 1; }", "", "");
    for (size_t i = 0; i < 20; i++) {
        run(queue, kernels.one, 0, NULL);
        run(second, kernels.one, 0, NULL);
        finish();
    }
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    ck_assert_uint_eq(finding_last("race-commands").count, 20);
    drop(&kernels);
}
END_TEST

/* ---- whole waves, of several work-groups ------------------------------------------------------- */

enum { WIDE = 20, HIGH = 6 };

/* One kernel on the first queue, the next after it there or on the second, and the last on the third; of 20 x
 * 6 work-items in groups of 8 x 4, which leaves groups of 4 x 4, 8 x 2 and 4 x 2. */
static size_t races_of_grid(const char *one, const char *next, const char *last, bool same_queue)
{
    const size_t global[2] = {WIDE, HIGH}, local[2] = {8, 4};
    const struct kernels kernels = build(one, next, last);
    const cl_kernel in_turn[] = {kernels.one, kernels.next, kernels.last};
    const cl_command_queue on[] = {queue, same_queue ? queue : second, third};
    cl_mem rows = cl_buffer(context, CL_MEM_READ_WRITE, WIDE * HIGH * sizeof(cl_int), NULL),
           sums = cl_buffer(context, CL_MEM_READ_WRITE, WIDE * HIGH * sizeof(cl_int), NULL);
    for (int i = 0; i < 3; i++) {
        cl_ok(clSetKernelArg(in_turn[i], 0, sizeof rows, &rows));
        cl_ok(clSetKernelArg(in_turn[i], 1, sizeof sums, &sums));
        cl_ok(clEnqueueNDRangeKernel(on[i], in_turn[i], 2, NULL, global, local, 0, NULL, NULL));
        cl_ok(clFlush(on[i]));
    }
    finish();
    cl_ok(clReleaseMemObject(rows));
    cl_ok(clReleaseMemObject(sums));
    drop(&kernels);
    return findings_of("race-commands");
}

#define AT "const size_t x = get_global_id(0), y = get_global_id(1), at = 20 * y + x; "
#define ALL_DONE                                                                 \
    "work_group_barrier(CLK_GLOBAL_MEM_FENCE); if (get_local_linear_id() == 0) " \
    "atomic_fetch_add_explicit(&flag, 1, memory_order_release, memory_scope_device);"
#define ADD "atomic_fetch_add_explicit(&flag, 1, memory_order_release, memory_scope_device); "
#define SEEN(n)                                                                \
    "if (get_local_linear_id() == 0) while (LOAD(flag, acquire, device) < " #n \
    ") ; work_group_barrier(CLK_GLOBAL_MEM_FENCE); "

START_TEST(R32_waves_that_a_counter_orders)
{
    ck_assert_uint_eq(races_of_grid(AT "data[at] = 1; " ALL_DONE, AT SEEN(6) "data[at] += 1; " ALL_DONE,
                                    AT SEEN(12) "out[at] = data[(at + 50) % 120];", false),
                      0);
}
END_TEST

START_TEST(R32_waves_in_sequence_and_a_counter)
{
    ck_assert_uint_eq(races_of_grid(AT "data[at] = 1;", AT "data[at] += 1; " ALL_DONE,
                                    AT SEEN(6) "out[at] = data[at];", true),
                      0);
}
END_TEST

/* A race is reported for an access whose launch was not checked when it was done. */
START_TEST(R32_write_after_the_release)
{
    ck_assert_uint_eq(races_of_grid(AT "data[at] = 1; " ALL_DONE " if (x == 18 && y == 5) data[at] = 2;", "",
                                    AT SEEN(6) "out[at] = data[at];", true),
                      1);
    const struct orrery_finding finding = finding_last("race-commands");
    ck_assert_uint_eq(finding.access[0].global_id[0], 18);
    ck_assert_uint_eq(finding.access[0].global_id[1], 5);
    ck_assert_uint_eq(finding.access[0].group_id[0], 2);
    ck_assert_uint_eq(finding.access[0].group_id[1], 1);
    ck_assert_uint_eq(finding.access[1].global_id[0], 18);
    ck_assert_uint_eq(finding.access[1].global_id[1], 5);
    ck_assert_uint_eq(finding.count, 1);
}
END_TEST

/* The second kernel writes after its release. All accesses of the first kernel happen before these, and
 * must not be replaced by them. */
START_TEST(R32_waves_of_which_one_is_not_ordered)
{
    ck_assert_uint_eq(races_of_grid(AT "data[at] = 1; " ALL_DONE, AT ADD "if (x == 3) data[at] = 2;",
                                    AT SEEN(6) "out[at] = data[at];", true),
                      1);
    ck_assert_uint_eq(finding_last("race-commands").count, HIGH);
    ck_assert_uint_eq(finding_last("race-commands").access[0].global_id[0], 3);
}
END_TEST

START_TEST(R32_both_read_and_a_third_writes)
{
    ck_assert_uint_eq(races_of_grid(AT "out[at] = data[at]; " ALL_DONE,
                                    AT "int kept = data[at]; if (kept == 77) RELEASE(other); " ALL_DONE,
                                    AT SEEN(12) "data[at] = 2;", false),
                      0);
    ck_assert_uint_eq(
        races_of_grid(
            AT "out[at] = data[at]; " ALL_DONE,
            AT ALL_DONE
            "work_group_barrier(CLK_GLOBAL_MEM_FENCE); int kept = data[at]; if (kept == 77) RELEASE(other); ",
            AT SEEN(12) "data[at] = 2;", false),
        1);
}
END_TEST

/* Lanes of one instruction, some of which have released since, and others will. */
START_TEST(R32_waves_of_which_some_released)
{
    static const char *const one[] = {AT "if (x >= 10) " ADD "data[at] = 2; if (x < 10) " ADD,
                                      AT "if (x < 10) " ADD "data[at] = 2; if (x >= 10) " ADD};
    ck_assert_uint_eq(races_of_grid(one[_i], "", AT SEEN(120) "out[at] = data[at];", true), 1);
    ck_assert_uint_eq(finding_last("race-commands").count, 60);
    ck_assert_uint_eq(finding_last("race-commands").access[0].global_id[0], _i ? 0 : 10);
}
END_TEST

/* The last access counts, though the same instruction was executed before, with another one between. */
START_TEST(R32_one_instruction_before_and_after_a_release)
{
    ck_assert_uint_eq(
        races_of_grid(AT "volatile global int *each = data + at; for (uint k = 0; k < get_work_dim(); k++) { "
                         "*each = k; if (k == 0) *each = 7; if (k == 0) " ADD "}",
                      "", AT SEEN(120) "out[at] = data[at];", true),
        1);
    ck_assert_uint_eq(finding_last("race-commands").count, WIDE * HIGH);
}
END_TEST

/* It does not matter which of the two has the wider scope, and which is first. */
static const char *const scopes[][2] = {{"work_group", "device"},
                                        {"device", "work_group"},
                                        {"all_svm_devices", "work_group"},
                                        {"work_group", "all_svm_devices"}};

START_TEST(R29_relaxed_updates_of_other_scopes)
{
    char one[200], next[200];
    snprintf(one, sizeof one, "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_%s);",
             scopes[_i][0]);
    snprintf(next, sizeof next, "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed, memory_scope_%s);",
             scopes[_i][1]);
    const struct kernels kernels = build(one, next, "");
    run(queue, kernels.one, 0, NULL);
    run(second, kernels.next, 0, NULL);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    drop(&kernels);
}
END_TEST

/* Two devices share memory that is coarse-grained, or fine-grained with atomics: the report has the scopes
 * as written, and why one does not include the other. */
#define COARSE                                                                                           \
    "outside of fine-grained shared virtual memory with atomics memory_scope_all_svm_devices counts as " \
    "memory_scope_device"
#define WITH_ATOMICS CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS
#define SVM_RELEASE(scope) FIRST "{ data[1] = 1; STORE(*SHARED_FLAG, release, " scope "); }"
#define SVM_ACQUIRE(how, scope) FIRST "if (LOAD(*SHARED_FLAG, " how ", " scope ")) data[2] = data[1];"

static const struct {
    cl_svm_mem_flags memory;
    const char *one, *next;
    size_t races;
    const char *why, *not_why, *fix;
} devices_cases[] = {
    {0, SVM_RELEASE("all_svm_devices"), SVM_ACQUIRE("acquire", "all_svm_devices"), 2,
     "memory_scope_all_svm_devices and memory_scope_all_svm_devices do not include each other on different "
     "devices: " COARSE,
     "memory_scope_device and",
     "fine-grained shared virtual memory with atomics for the atomic object (CL_MEM_SVM_FINE_GRAIN_BUFFER | "
     "CL_MEM_SVM_ATOMICS); or"},
    {0, SVM_RELEASE("device"), SVM_ACQUIRE("acquire", "all_svm_devices"), 2,
     "memory_scope_device and memory_scope_all_svm_devices do not include each other on different "
     "devices: " COARSE,
     NULL, "memory_scope_all_svm_devices for both, in fine-grained shared virtual memory with atomics; or"},
    {0, SVM_RELEASE("device"), SVM_ACQUIRE("acquire", "device"), 2,
     "memory_scope_device and memory_scope_device do not include each other on different devices",
     "counts as",
     "memory_scope_all_svm_devices for both, in fine-grained shared virtual memory with atomics; or"},
    {WITH_ATOMICS, SVM_RELEASE("device"), SVM_ACQUIRE("acquire", "all_svm_devices"), 2,
     "memory_scope_device and memory_scope_all_svm_devices do not include each other on different devices",
     "counts as", "memory_scope_all_svm_devices for both; or"},
    {WITH_ATOMICS, SVM_RELEASE("all_svm_devices"), SVM_ACQUIRE("acquire", "all_svm_devices"), 0, NULL, NULL,
     NULL},
    /* fences */
    {0,
     FIRST "{ data[1] = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, "
           "memory_scope_all_svm_devices); STORE(*SHARED_FLAG, relaxed, all_svm_devices); }",
     SVM_ACQUIRE("acquire", "all_svm_devices"), 2,
     "memory_scope_all_svm_devices and memory_scope_all_svm_devices do not include each other on different "
     "devices: " COARSE,
     NULL, "for the atomic object (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS); or"},
    /* kernels that acquire nothing, or acquire another object */
    {0, SVM_RELEASE("device"), SVM_ACQUIRE("relaxed", "device"), 2, "neither of the commands", NULL,
     "else have these release and acquire, for all SVM devices in fine-grained shared virtual memory with "
     "atomics"},
    {0, SVM_RELEASE("all_svm_devices"), SVM_ACQUIRE("relaxed", "all_svm_devices") " ACQUIRE(other);", 2,
     "with a relaxed operation", NULL,
     "memory_order_acquire, memory_scope_all_svm_devices for the atomic that reads it, or an acquire fence "
     "after that, in fine-grained shared virtual memory with atomics; or"},
    {WITH_ATOMICS, FIRST "{ data[1] = 1; STORE(*SHARED_FLAG, relaxed, all_svm_devices); RELEASE(other); }",
     SVM_ACQUIRE("acquire", "all_svm_devices"), 1, "is relaxed", NULL,
     "memory_order_release, memory_scope_all_svm_devices at "},
    {WITH_ATOMICS,
     FIRST "{ STORE(*SHARED_FLAG, release, all_svm_devices); STORE(*plain, relaxed, all_svm_devices); }",
     FIRST "{ STORE(*plain, relaxed, all_svm_devices); LOAD(*SHARED_FLAG, acquire, all_svm_devices); }", 1,
     "is not shared virtual memory", NULL,
     "fine-grained shared virtual memory with atomics in place of the buffer, and "
     "memory_scope_all_svm_devices for both; or"},
};

START_TEST(R9_between_devices)
{
    const cl_device_partition_property by_two[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    char source[2048];
    cl_device_id halves[2];
    cl_command_queue on[2];
    cl_kernel kernels[2];
    cl_int err, none = 0;
    cl_ok(clCreateSubDevices(device, by_two, 2, halves, NULL));
    cl_context both = clCreateContext(NULL, 2, halves, NULL, NULL, &err);
    cl_ok(err);
    snprintf(source, sizeof source,
             HEAD "#define SHARED_FLAG (global atomic_int *)data\n"
                  "kernel void one(global int *data, global atomic_int *plain) { %s }\nkernel void "
                  "next(global int *data, global atomic_int *plain) { %s }\n",
             devices_cases[_i].one, devices_cases[_i].next);
    const cl_program program = cl_program_of(both, source, "-cl-std=CL2.0");
    const cl_mem plain = clCreateBuffer(both, CL_MEM_READ_WRITE, 64, NULL, &err);
    cl_ok(err);
    int *shared = clSVMAlloc(both, CL_MEM_READ_WRITE | devices_cases[_i].memory, 64, 0);
    ck_assert_ptr_nonnull(shared);
    for (int i = 0; i < 2; i++) {
        on[i] = clCreateCommandQueueWithProperties(both, halves[i], NULL, &err);
        cl_ok(err);
        kernels[i] = clCreateKernel(program, i ? "next" : "one", &err);
        cl_ok(err);
        cl_ok(clSetKernelArgSVMPointer(kernels[i], 0, shared));
        cl_ok(clSetKernelArg(kernels[i], 1, sizeof plain, &plain));
    }
    cl_ok(clEnqueueSVMMemFill(on[0], shared, &none, sizeof none, 64, 0, NULL, NULL));
    cl_ok(clFinish(on[0]));
    await(run(on[0], kernels[0], 0, NULL));
    run(on[1], kernels[1], 0, NULL);
    cl_ok(clFinish(on[0]));
    cl_ok(clFinish(on[1]));
    ck_assert_uint_eq(findings_of("race-commands"), devices_cases[_i].races);
    if (devices_cases[_i].races) {
        const struct orrery_finding last = finding_last("race-commands");
        ck_assert_msg(strstr(last.why, devices_cases[_i].why) &&
                          !(devices_cases[_i].not_why && strstr(last.why, devices_cases[_i].not_why)),
                      "%s", last.why);
        ck_assert_msg(strstr(last.fix, devices_cases[_i].fix), "%s", last.fix);
    }
    clSVMFree(both, shared);
    cl_ok(clReleaseMemObject(plain));
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseKernel(kernels[i]));
        cl_ok(clReleaseCommandQueue(on[i]));
        cl_ok(clReleaseDevice(halves[i]));
    }
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(both));
}
END_TEST

/*
 * More than can be followed: nothing is reported then that a kernel in between may have ordered, and later
 * accesses are judged.
 */
static void run_many(cl_kernel kernel)
{
    const size_t groups = 4200000, one = 1; /* each launch is as large as the limit allows */
    cl_ok(clEnqueueNDRangeKernel(third, kernel, 1, NULL, &groups, &one, 0, NULL, NULL));
    cl_ok(clFlush(third));
}

START_TEST(too_many_work_groups)
{
    const struct kernels kernels = build(FIRST "{ RELEASE(flag); while (!ACQUIRE(other)) ; }",
                                         WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0]; RELEASE(other);",
                                         "if (get_group_id(0) == 1) ACQUIRE(flag);");
    const struct kernels bad =
        build(FIRST "{ RELEASE(flag); data[0] = 1; }", WAIT_FOR("ACQUIRE(flag)") "out[0] = data[0];", "");
    const cl_int value = 1;
    run_many(kernels.last);
    cl_ok(clEnqueueFillBuffer(queue, data, &value, sizeof value, 0, 16, 0, NULL, NULL));
    run(queue, kernels.one, 0, NULL);
    run(second, kernels.next, 0, NULL);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 0);
    run(queue, bad.one, 0, NULL);
    run(second, bad.next, 0, NULL);
    finish();
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    drop(&kernels);
    drop(&bad);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inter_launch");
    TCase *rules = tcase_create("rules");
    const int count = sizeof pairs / sizeof *pairs;
    tcase_add_checked_fixture(rules, set_up, tear_down);
    tcase_set_timeout(rules, 120);
    tcase_add_loop_test(rules, R32_side_by_side, 0, count);
    tcase_add_loop_test(rules, R32_one_after_the_other, 0, count);
    tcase_add_loop_test(rules, R32_with_an_event, 0, count);
    tcase_add_loop_test(rules, R32_the_host_waited, 0, count);
    tcase_add_test(rules, R32_queue_created_late);
    tcase_add_loop_test(rules, R31_14_by_way_of_a_work_group, 0, 4);
    tcase_add_test(rules, R21_by_a_third_kernel);
    tcase_add_test(rules, R21_by_the_event_of_the_acquiring_command);
    tcase_add_test(rules, R8_a_relaxed_kernel_between);
    tcase_add_loop_test(rules, R32_one_side_of_a_pipe, 0, (int)(sizeof sides / sizeof *sides));
    tcase_add_loop_test(rules, R32_a_side_of_a_pipe_before_the_release, 0, 2);
    tcase_add_test(rules, R32_side_of_a_pipe_that_a_third_passes_on);
    tcase_add_test(rules, R19_sub_groups_of_different_sizes);
    tcase_add_loop_test(rules, R32_access_before_the_release, 0,
                        2 * PRIORS * (int)(sizeof past / sizeof *past));
    tcase_add_test(rules, R32_a_read_of_a_buffer);
    tcase_add_test(rules, R32_a_kernel_without_atomics);
    tcase_add_test(rules, R32_waves_that_a_counter_orders);
    tcase_add_test(rules, R32_waves_in_sequence_and_a_counter);
    tcase_add_test(rules, R32_write_after_the_release);
    tcase_add_test(rules, R32_waves_of_which_one_is_not_ordered);
    tcase_add_test(rules, R32_both_read_and_a_third_writes);
    tcase_add_loop_test(rules, R32_waves_of_which_some_released, 0, 2);
    tcase_add_test(rules, R32_one_instruction_before_and_after_a_release);
    tcase_add_loop_test(rules, R29_relaxed_updates_of_other_scopes, 0, (int)(sizeof scopes / sizeof *scopes));
    tcase_add_loop_test(rules, R9_between_devices, 0, (int)(sizeof devices_cases / sizeof *devices_cases));
    tcase_add_test(rules, too_many_work_groups);
    tcase_add_test(rules, one_kernel_twice);
    tcase_add_test(rules, waves_of_the_next_launch);
    tcase_add_test(rules, repeated_pairs_are_counted);
    suite_add_tcase(suite, rules);
    return cl_run_suite(suite);
}
