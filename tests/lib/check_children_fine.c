/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel that a kernel enqueues is ordered after the call's predecessors, and no more, for fine-grained
 * shared virtual memory (OpenCL 2.2 API, 3.3.6, host-side and device-side commands, rule (1)); for other
 * memory only after the commands that it waits for.
 */
#include "tests/support/host_fixture.h"
#include "orrery/limits.h"

enum { ITEMS = 64, GROUP = 32, WORDS = 1024 };
static const cl_svm_mem_flags NO_SVM = UINT64_MAX; /* a buffer */

#define CHILD(items, operation) "enqueue_kernel(q, FLAGS, ndrange_1D(" #items "), ^{ " operation " });"
#define LATER(operation) \
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ " operation " });"
#define READS CHILD(64, "o[get_global_id(0)] = b[0];")
#define WRITES CHILD(1, "b[0] = 3;")
#define GRANDCHILD                                                                                        \
    CHILD(1, "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(20), ^{ int i = " \
             "get_global_id(0); o[i] = b[1 + i]; });")

/* NO_WAIT and WAIT_WORK_GROUP */
static const struct {
    const char *parent;
    bool races[2], coarse[2];
} cases[] = {
    {"if (g == 0) { b[0] = 2; " READS " }", {false, false}, {true, false}},
    {"if (g == 0) { " READS " b[0] = 2; }", {true, false}, {true, false}},
    {"if (g == 0) { o[0] = b[0]; " WRITES " }", {false, false}, {true, false}},
    {"if (g == 0) { " WRITES " o[0] = b[0]; }", {true, false}, {true, false}},
    /* other work-items */
    {"if (g == 0) { " READS " } if (g == 40) b[0] = 2;", {true, true}, {true, true}},
    {"if (g == 0) { " READS " } if (g == 5) b[0] = 2;", {true, false}, {true, false}},
    {"if (g == 5) b[0] = 2; barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) { " READS " }",
     {false, false},
     {true, false}},
    {"if (g == 5) b[0] = 2; barrier(CLK_LOCAL_MEM_FENCE); if (g == 0) { " READS " }",
     {true, false},
     {true, false}},
    {"if (g == 5) b[0] = 2; sub_group_barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) { " READS " }",
     {false, false},
     {true, false}},
    {"local atomic_int f; if (g % 32 == 0) atomic_init(&f, 0); barrier(CLK_LOCAL_MEM_FENCE);"
     "if (g == 5) { b[0] = 2; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, "
     "memory_order_release, memory_scope_work_group);"
     "              atomic_store_explicit(&f, 1, memory_order_relaxed, memory_scope_work_group); }"
     "if (g == 0) { while (!atomic_load_explicit(&f, memory_order_relaxed, memory_scope_work_group));"
     "              atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acquire, "
     "memory_scope_work_group); " READS " }",
     {false, false},
     {true, false}},
    /* scattered reads, by the parent alone */
    {"if (g < 32) for (int i = 0; i < 4; i++) o[g * 4 + i] = b[((g * 4 + i) * (g * 4 + i) * 37 + g) % 500];"
     "barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) " CHILD(500, "b[get_global_id(0)] = 3;"),
     {false, false},
     {true, false}},
    {"if (g < 32) for (int i = 0; i < 4; i++) o[g * 4 + i] = b[((g * 4 + i) * (g * 4 + i) * 37 + g) % 500];"
     "if (g == 0) " CHILD(500, "b[get_global_id(0)] = 3;"),
     {true, false},
     {true, false}},
    /* children of children, and of one parent */
    {"if (g < 32) { b[g + 1] = 3; barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) " GRANDCHILD " }",
     {false, false},
     {true, false}},
    {"if (g < 32) { if (g == 0) " GRANDCHILD " b[g + 1] = 3; }", {true, false}, {true, false}},
    {"if (g == 0) { " WRITES READS " }", {true, true}, {true, true}},
    /* what is waited for by events */
    {"clk_event_t e; if (g == 0) { b[5] = 1; enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ o[3] = "
     "b[5]; }); b[6] = 2;"
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &e, NULL, ^{ o[3] = b[5] + b[6]; }); }",
     {false, false},
     {true, false}},
    {"clk_event_t e; if (g == 5) b[6] = 2; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, "
     "&e, ^{ o[3] = b[5]; });"
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &e, NULL, ^{ o[3] = b[5] + b[6]; }); }",
     {true, false},
     {true, false}},
    /* a marker's call is ordered after, too */
    {"global clk_event_t *e = (global clk_event_t *)(o + 512); if (g == 5) { b[6] = 2; clk_event_t first; "
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &first, ^{ o[3] = b[5]; }); enqueue_marker(q, 1, "
     "&first, e); }"
     "work_group_barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) { clk_event_t f = *e; enqueue_kernel(q, FLAGS, "
     "ndrange_1D(1), 1, &f, NULL, ^{ o[3] = b[6]; }); }",
     {false, false},
     {true, false}},
    /* a marker stands for the commands that it waits for, and for its call's predecessors */
    {"clk_event_t e, m; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ o[3] = b[5]; "
     "}); " CHILD(1, "b[6] = 2;") "enqueue_marker(q, 1, &e, &m); enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, "
                                  "&m, NULL, ^{ o[3] = b[6]; }); }",
     {true, true},
     {true, true}},
    /*
     * a waiter for an event is ordered after the kernels that that kernel enqueued, too, which alone have
     * atomics
     */
    {"clk_event_t e; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{" LATER(
         "o[3] = b[5]; atomic_fetch_add_explicit((global atomic_int *)&b[600], 1, memory_order_relaxed, "
         "memory_scope_device);") "});"
                                  "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &e, NULL, ^{ b[5] = 1; }); }",
     {false, false},
     {false, false}},
    {"clk_event_t e; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{" LATER(LATER(
         "o[3] = b[5]; atomic_fetch_add_explicit((global atomic_int *)&b[600], 1, memory_order_relaxed, "
         "memory_scope_device);")) "});"
                                   "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &e, NULL, ^{ b[5] = 1; }); }",
     {false, false},
     {false, false}},
    {"clk_event_t e, m; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ b[5] = 1; }); "
     "enqueue_marker(q, 1, &e, &m);"
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &m, NULL, ^{ o[3] = b[5]; }); }",
     {false, false},
     {false, false}},
    {"clk_event_t e, m; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ o[3] = b[5]; "
     "}); enqueue_marker(q, 1, &e, &m); b[6] = 2;"
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &m, NULL, ^{ o[3] = b[6]; }); }",
     {false, false},
     {true, false}},
    {"clk_event_t e, m; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ o[3] = b[5]; "
     "}); enqueue_marker(q, 1, &e, &m);"
     "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &m, NULL, ^{ o[3] = b[6]; }); b[6] = 2; }",
     {true, false},
     {true, false}},
    /* each of many has one, more than are followed */
    {"b[g] = g; " CHILD(1, "o[g] = b[g];"), {false, false}, {true, false}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void run(const char *parent, const char *flags, cl_svm_mem_flags kind)
{
    static char text[4096];
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    const size_t items = ITEMS, group = GROUP;
    const cl_int zero = 0;
    cl_int err;
    snprintf(text, sizeof text,
             "#define FLAGS CLK_ENQUEUE_FLAGS_%s\nkernel void parent(global int *b, global int *o)\n"
             "{ int g = get_global_id(0); queue_t q = get_default_queue(); %s }\n",
             flags, parent);
    host_set_up("warning", "false", text);
    cl_command_queue on_device = clCreateCommandQueueWithProperties(context, device, properties, &err);
    cl_ok(err);
    cl_int *words =
        kind == NO_SVM ? NULL : clSVMAlloc(context, CL_MEM_READ_WRITE | kind, WORDS * sizeof *words, 0);
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, WORDS * sizeof *words, NULL),
           other = cl_buffer(context, CL_MEM_READ_WRITE, WORDS * sizeof *words, NULL);
    cl_kernel kernel = host_kernel("parent");
    cl_ok(words ? clEnqueueSVMMemFill(queue, words, &zero, sizeof zero, WORDS * sizeof *words, 0, NULL, NULL)
                : clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, WORDS * sizeof zero, 0, NULL,
                                      NULL));
    cl_ok(words ? clSetKernelArgSVMPointer(kernel, 0, words)
                : clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(kernel, 1, sizeof other, &other));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(orrery_finding_count(), orrery_finding_count_of("race-commands") +
                                                  orrery_finding_count_of("progress-assumption"));
    (void)on_device;
}

static bool races(int number, const char *flags, cl_svm_mem_flags kind)
{
    run(cases[number].parent, flags, kind);
    const size_t count = orrery_finding_count();
    for (size_t i = 0; i < count; i++) {
        struct orrery_finding finding;
        ck_assert_int_eq(orrery_finding_get(i, &finding), ORRERY_OK);
        if (strncmp(finding.object, "svm", 3) == 0)
            return true;
    }
    return false;
}

static const char *const flags[] = {"NO_WAIT", "WAIT_WORK_GROUP"};

START_TEST(of_fine_grained_memory)
{
    ck_assert_int_eq(races(_i / 2, flags[_i % 2], CL_MEM_SVM_FINE_GRAIN_BUFFER), cases[_i / 2].races[_i % 2]);
}
END_TEST

START_TEST(of_memory_with_atomics)
{
    ck_assert_int_eq(races(_i / 2, flags[_i % 2], CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS),
                     cases[_i / 2].races[_i % 2]);
}
END_TEST

START_TEST(of_coarse_memory)
{
    ck_assert_int_eq(races(_i / 2, flags[_i % 2], 0), cases[_i / 2].coarse[_i % 2]);
}
END_TEST

START_TEST(with_the_parent_s_end)
{
    ck_assert(!races(_i, "WAIT_KERNEL", CL_MEM_SVM_FINE_GRAIN_BUFFER) ||
              (cases[_i].races[0] && cases[_i].races[1]));
}
END_TEST

/* The latest of more than there are places for at first. */
START_TEST(of_many_calls)
{
    run("if (g == 0) { for (int i = 0; i < 120; i++) " CHILD(1, "o[9 + i] = b[5];") " b[6] = 2; " CHILD(
            1, "o[4] = b[6];") " b[6] = 3; }",
        "NO_WAIT", CL_MEM_SVM_FINE_GRAIN_BUFFER);
    ck_assert_uint_eq(orrery_finding_count(), HOSTILE(1, 0));
}
END_TEST

/* Of one allocation, at different bytes. */
START_TEST(each_two_places_are_reported)
{
    run("if (g == 0) { " CHILD(1, "b[1] = 1; o[1] = b[2];") CHILD(1, "b[2] = 4; b[1] = 4;") " }",
        "WAIT_KERNEL", _i ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    ck_assert_uint_eq(orrery_finding_count(), 2);
}
END_TEST

/* A race with a descendant of a child that does not wait is fixed there. */
START_TEST(the_child_between)
{
    struct orrery_finding finding;
    run("if (g < 32) { if (g == 0) " GRANDCHILD " b[g + 1] = 3; }", "NO_WAIT", 0);
    ck_assert_uint_eq(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(
        finding.why,
        "kernel parent_block_2 descends from kernel parent_block, which does not wait for kernel parent");
    ck_assert_str_eq(finding.fix, "enqueue kernel parent_block with CLK_ENQUEUE_FLAGS_WAIT_KERNEL");
}
END_TEST

START_TEST(the_group_between)
{
    struct orrery_finding finding;
    run("if (g < 32) { if (g == 0) " GRANDCHILD " } else if (g < 50) b[g - 31] = 3;", "WAIT_WORK_GROUP", 0);
    ck_assert_uint_eq(orrery_finding_count(), 1);
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(
        finding.why,
        "kernel parent_block_2 descends from kernel parent_block, which waits only for the end of the "
        "work-group that enqueued it (CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP), and another work-group of kernel "
        "parent made the access");
    ck_assert_str_eq(finding.fix, "enqueue kernel parent_block with CLK_ENQUEUE_FLAGS_WAIT_KERNEL");
}
END_TEST

/* A sibling that the marker does not wait for: no atomics, and no other call, order it. */
START_TEST(marker_covers_the_commands_of_its_list)
{
    struct orrery_finding finding;
    char text[1024];
    const int covered = 1 + _i % 2;
    snprintf(text, sizeof text,
             "clk_event_t e[2], m; if (g == 0) { enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e[0], ^{ "
             "b[5] = 1; });"
             "enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e[1], ^{ b[6] = 2; }); enqueue_marker(q, %d, "
             "e, &m);"
             "enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &m, NULL, ^{ o[3] = b[5] + b[6]; }); }",
             covered);
    run(text, flags[_i / 2 % 2], _i / 4 ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    ck_assert_uint_eq(orrery_finding_count(), covered == 1);
    if (covered == 2)
        return;
    ck_assert_int_eq(orrery_finding_get(0, &finding), ORRERY_OK);
    ck_assert_uint_eq(finding.offset_bytes, 24);
    ck_assert_str_eq(finding.why, "neither of the kernels parent_block_2 and parent_block_3 waits for the "
                                  "other: a device queue is out of order");
}
END_TEST

#define ADDS "atomic_fetch_add_explicit((global atomic_int *)o, 1, memory_order_relaxed, SCOPE);"

/* Atomics of kernels of one launch tree, on any memory, do not race if each includes the other's
 * work-item. */
START_TEST(tree_atomics_race_unless_scopes_include_each_other)
{
    static const char *const scopes[] = {"sub_group", "work_group", "device"};
    static const char *const parents[] = {"if (g == 0) { " CHILD(1, ADDS) CHILD(1, ADDS) " }",
                                          "if (g == 0) { " CHILD(1, ADDS) ADDS " }",
                                          "if (g == 0) { " ADDS CHILD(1, ADDS) " }"};
    char text[1024];
    const cl_svm_mem_flags kind = _i < 9 ? 0 : NO_SVM;
    const int scope = _i % 3, parent = _i / 3 % 3;
    snprintf(text, sizeof text, "\n#define SCOPE memory_scope_%s\n%s", scopes[scope], parents[parent]);
    run(text, "NO_WAIT", kind);
    ck_assert_uint_eq(orrery_finding_count(), scope < 2);
    orrery_clear_findings();
    run(text, "WAIT_KERNEL", kind);
    ck_assert_uint_eq(orrery_finding_count(), scope < 2 && parent == 0);
}
END_TEST

#define NARROW(i)                                            \
    "atomic_fetch_add_explicit((global atomic_int *)b + " #i \
    ", 1, memory_order_relaxed, memory_scope_work_group);"
#define RELEASES \
    "atomic_store_explicit((global atomic_int *)b + 8, 1, memory_order_release, memory_scope_device);"
#define ACQUIRES \
    "while (!atomic_load_explicit((global atomic_int *)b + 8, memory_order_acquire, memory_scope_device));"
#define AT_ONCE(operation) \
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ " operation " });"
#define OF_GROUP(operation)                                                                               \
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ " operation \
    " });"
#define PASSES_MARKER(before, past)                                                                      \
    "clk_event_t e, m; enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ " RELEASES " });" before \
    " enqueue_marker(q, 1, &e, &m); handed = m;" past
#define TAKES_MARKER(operation)                                                                     \
    "barrier(CLK_LOCAL_MEM_FENCE); if (g == 0) { clk_event_t m = handed; enqueue_kernel(q, FLAGS, " \
    "ndrange_1D(1), 1, &m, NULL, ^{ " operation " }); }"

/*
 * A call orders earlier accesses to fine-grained memory, and the clocks that atomics of other kernels pass on
 * from there.
 */
static const struct {
    const char *parent;
    size_t fine, coarse;
} reported[] = {
    {"if (g == 0) { " CHILD(1, NARROW(0)) CHILD(1, NARROW(0)) " }", 1, 1},
    {"if (g == 0) { " CHILD(1, NARROW(0)) NARROW(0) " }", 1, 1},
    {"if (g == 0) { " NARROW(0) CHILD(1, NARROW(0)) " }", 0, 1},
    {"if (g == 40) " NARROW(0) " if (g == 0) { " CHILD(1, NARROW(0)) " }", 1, 1},
    {"if (g == 5) " NARROW(0) " barrier(CLK_GLOBAL_MEM_FENCE); if (g == 0) { " CHILD(1, NARROW(0)) " }", 0,
     1},
    {"if (g == 5) " NARROW(0) " barrier(CLK_LOCAL_MEM_FENCE); if (g == 0) { " CHILD(1, NARROW(0)) " }", 1, 1},
    {"clk_event_t e, m; if (g == 0) { " NARROW(
         0) " enqueue_kernel(q, FLAGS, ndrange_1D(1), 0, NULL, &e, ^{ o[0] = 1; }); enqueue_marker(q, 1, &e, "
            "&m);" NARROW(1) " enqueue_kernel(q, FLAGS, ndrange_1D(1), 1, &m, NULL, ^{ " NARROW(0)
                NARROW(1) " }); }",
     0, 2},
    /* by the marker alone, which another work-item enqueued */
    {"local clk_event_t handed; if (g == 5) { " PASSES_MARKER("b[0] = 1;",
                                                             "") " }" TAKES_MARKER("o[0] = b[0];"),
     0, 1},
    {"local clk_event_t handed; if (g == 5) { " PASSES_MARKER("",
                                                             "b[0] = 1;") " }" TAKES_MARKER("o[0] = b[0];"),
     1, 1},
    /* the kernel between does nothing */
    {"if (g == 0) { " NARROW(0)
         CHILD(1, "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ " NARROW(
                      0) " });") " }",
     0, 1},
    {"if (g == 0) { " CHILD(
         1, "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ " NARROW(
                0) " });") NARROW(0) " }",
     1, 1},
    /* it passes on what it acquired */
    {"if (g == 0) { " NARROW(0) CHILD(1, RELEASES) CHILD(1, ACQUIRES NARROW(0)) " }", 0, 1},
    {"if (g == 0) { b[0] = 1; " CHILD(1, RELEASES) CHILD(1, ACQUIRES "o[0] = b[0];") " }", 0, 1},
    {"if (g == 5) b[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); if (g == 0) { " CHILD(1, RELEASES)
         CHILD(1, ACQUIRES "o[0] = b[0];") " }",
     1, 1},
    {"if (g == 0) { " CHILD(1, RELEASES) " b[0] = 1; " CHILD(1, ACQUIRES "o[0] = b[0];") " }", 0, 1},
    {"if (g == 0) { " CHILD(1, RELEASES) CHILD(1, ACQUIRES "o[0] = b[0];") " b[0] = 1; }", 1, 1},
    {"if (g == 0) { " CHILD(1, RELEASES) CHILD(
         1, ACQUIRES "o[0] = b[1] + b[2];") " } if (g < 3) { b[g] = 1; " CHILD(1, "o[9 + g] = b[g];") " }",
     2, 3},
    /* the clock of the work-group that it waited for */
    {"if (g == 0) { b[0] = 1; " OF_GROUP(RELEASES) " } if (g == 40) { " CHILD(1,
                                                                              ACQUIRES "o[0] = b[0];") " }",
     0, 0},
    {"if (g == 0) { b[0] = 1; " OF_GROUP(OF_GROUP(RELEASES)) " } if (g == 40) { " CHILD(
         1, OF_GROUP(ACQUIRES "o[0] = b[0];")) " }",
     0, 0},
    {"if (g == 0) { b[0] = 1; " OF_GROUP(RELEASES) " } if (g == 40) { " CHILD(1,
                                                                              "o[0] = b[0];" ACQUIRES) " }",
     1, 1},
    {"if (g == 50) b[0] = 1; if (g == 0) { " OF_GROUP(RELEASES) " } if (g == 40) { " CHILD(
         1, ACQUIRES "o[0] = b[0];") " }",
     1, 1},
    /* a kernel that began before acquires it */
    {"if (g == 0) { " CHILD(1, "b[0] = 1;" OF_GROUP(RELEASES)) ACQUIRES "o[0] = b[0]; }", 0, 0},
    {"if (g == 0) { " CHILD(1, "b[0] = 1;" OF_GROUP(RELEASES)) "o[0] = b[0];" ACQUIRES " }", 1, 1},
    {"if (g == 0) { " CHILD(1, ACQUIRES "o[0] = b[0];") CHILD(1, "b[0] = 1;" OF_GROUP(RELEASES)) " }", 0, 0},
    {"if (g == 0) { " CHILD(1, "o[0] = b[0];" ACQUIRES) CHILD(1, "b[0] = 1;" OF_GROUP(RELEASES)) " }", 1, 1},
    {"if (g == 0) { " CHILD(1, ACQUIRES "o[0] = b[0];") CHILD(1, "b[0] = 1;" AT_ONCE(RELEASES)) " }", 0, 1},
    {"if (g == 0) { " CHILD(1, ACQUIRES "o[0] = b[0];") CHILD(1, AT_ONCE(RELEASES) "b[0] = 1;") " }", 1, 1},
    {"if (g == 0) { " CHILD(1, "o[0] = b[0];" ACQUIRES) CHILD(1, "b[0] = 1;" AT_ONCE(RELEASES)) " }", 1, 1},
    /* one work-group waits for the other */
    {"if (g == 0) b[0] = 1; if (g == 40) { " OF_GROUP(OF_GROUP("o[0] = b[0];")) " }", 1, 1},
    {"if (g == 0) b[0] = 1; if (g == 5) { " OF_GROUP(OF_GROUP("o[0] = b[0];")) " }", 0, 0},
    {"if (g == 0) b[0] = 1; if (g == 40) { " OF_GROUP(OF_GROUP(OF_GROUP("o[0] = b[0];"))) " }", 1, 1},
};
enum { REPORTED = sizeof reported / sizeof *reported };

START_TEST(enqueue_calls_order_fine_grained_memory)
{
    static const cl_svm_mem_flags kinds[] = {CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                             CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 0, NO_SVM};
    run(reported[_i / 4].parent, "NO_WAIT", kinds[_i % 4]);
    ck_assert_uint_eq(orrery_finding_count_of("race-commands"),
                      _i % 4 < 2 ? reported[_i / 4].fine : reported[_i / 4].coarse);
}
END_TEST

#define MOVES(flags, operation) \
    "enqueue_kernel(q, CLK_ENQUEUE_FLAGS_" #flags ", ndrange_1D(1), ^{ uint x = 0; " operation " });"
#define WRITES_PACKET "write_pipe(in, &x);"
#define READS_PACKET "read_pipe(out, &x);"
#define SETS_FLAG " atomic_store_explicit(f, 1, memory_order_release, memory_scope_device); "
#define SPINS_ON_FLAG " while (!atomic_load_explicit(f, memory_order_acquire, memory_scope_device)); "

/* Glossary, Pipe: at any one time one kernel instance may write into it, and one may read. */
static const struct {
    const char *parent;
    size_t races;
} moves[] = {
    {"if (g == 0) { " MOVES(WAIT_KERNEL, WRITES_PACKET) MOVES(WAIT_KERNEL, WRITES_PACKET) " }", 1},
    {"if (g == 0) { " MOVES(WAIT_KERNEL, READS_PACKET) MOVES(NO_WAIT, READS_PACKET) " }", 1},
    {"if (g == 0) { " MOVES(WAIT_KERNEL, WRITES_PACKET) MOVES(WAIT_KERNEL, READS_PACKET) " }", 0},
    {"if (g == 0) { clk_event_t e; enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, "
     "^{ uint x = 0; " WRITES_PACKET " });"
     "enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, NULL, ^{ uint x = 0; " WRITES_PACKET
     " }); release_event(e); }",
     0},
    {"if (g == 0) { " WRITES_PACKET MOVES(NO_WAIT, WRITES_PACKET) " }", 1},
    {"if (g == 0) { " WRITES_PACKET MOVES(WAIT_KERNEL, WRITES_PACKET) " }", 0},
    {"if (g == 0) { " WRITES_PACKET MOVES(WAIT_KERNEL,
                                          "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, "
                                          "ndrange_1D(1), ^{ uint x = 1; " WRITES_PACKET " });") " }",
     0},
    /* of the parent's work-groups */
    {"if (g == 0) { " MOVES(WAIT_WORK_GROUP, WRITES_PACKET) WRITES_PACKET " }", 0},
    {"if (g == 0) { " MOVES(WAIT_WORK_GROUP, WRITES_PACKET) " } if (g == 40) " WRITES_PACKET, 1},
    {"if (g == 0) { " MOVES(WAIT_WORK_GROUP, WRITES_PACKET) " } " WRITES_PACKET, 1},
    {"if (g == 40) { " MOVES(WAIT_WORK_GROUP, WRITES_PACKET) SPINS_ON_FLAG
     "}"
     "if (g == 0) { " WRITES_PACKET SETS_FLAG "}",
     0},
    {"if (g == 40) { " MOVES(WAIT_WORK_GROUP, WRITES_PACKET) SPINS_ON_FLAG
     "} if (g == 0) { " SETS_FLAG WRITES_PACKET " }",
     1},
    /* of children that atomics order */
    {"if (g == 0) { " MOVES(NO_WAIT, WRITES_PACKET SETS_FLAG)
         MOVES(NO_WAIT, SPINS_ON_FLAG WRITES_PACKET) " }",
     0},
    {"if (g == 0) { " MOVES(NO_WAIT, SETS_FLAG WRITES_PACKET)
         MOVES(NO_WAIT, SPINS_ON_FLAG WRITES_PACKET) " }",
     1},
    {"if (g == 0) { " MOVES(NO_WAIT, READS_PACKET SETS_FLAG) MOVES(NO_WAIT, READS_PACKET SPINS_ON_FLAG) " }",
     1},
    {"if (g == 0) { " MOVES(NO_WAIT, READS_PACKET SETS_FLAG) MOVES(NO_WAIT, WRITES_PACKET SPINS_ON_FLAG) " }",
     0},
};
enum { MOVES_COUNT = sizeof moves / sizeof *moves };

START_TEST(by_one_side_of_a_pipe)
{
    static char text[2048];
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    const size_t items = ITEMS, group = GROUP;
    const cl_int zero = 0;
    cl_int err;
    snprintf(text, sizeof text,
             "kernel void parent(write_only pipe uint in, read_only pipe uint out, global atomic_int *f)\n"
             "{ int g = get_global_id(0); uint x = 0; queue_t q = get_default_queue(); %s }\n",
             moves[_i].parent);
    host_set_up("warning", "false", text);
    clCreateCommandQueueWithProperties(context, device, properties, &err);
    cl_ok(err);
    cl_mem pipe = clCreatePipe(context, 0, sizeof(cl_uint), 2 * ITEMS, NULL, &err),
           flag = cl_buffer(context, CL_MEM_READ_WRITE, sizeof zero, NULL);
    cl_kernel kernel = host_kernel("parent");
    cl_ok(clEnqueueFillBuffer(queue, flag, &zero, sizeof zero, 0, sizeof zero, 0, NULL, NULL));
    cl_ok(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    cl_ok(clSetKernelArg(kernel, 1, sizeof pipe, &pipe));
    cl_ok(clSetKernelArg(kernel, 2, sizeof flag, &flag));
    for (int round = 0; round < 2; round++) { /* of two families in order, each is one by itself */
        orrery_clear_findings();
        cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
        cl_ok(clFinish(queue));
        ck_assert_uint_eq(orrery_finding_count(), moves[_i].races);
        ck_assert_uint_eq(orrery_finding_count_of("race-commands"), moves[_i].races);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("enqueued kernels and fine-grained memory");
    TCase *tests = tcase_create("calls");
    setenv("ORRERY_QUIET", "1", 0);
    tcase_set_timeout(tests, 30);
    tcase_add_loop_test(tests, of_fine_grained_memory, 0, 2 * CASES);
    tcase_add_loop_test(tests, of_memory_with_atomics, 0, 2 * CASES);
    tcase_add_loop_test(tests, of_coarse_memory, 0, 2 * CASES);
    tcase_add_loop_test(tests, with_the_parent_s_end, 0, CASES);
    tcase_add_test(tests, of_many_calls);
    tcase_add_loop_test(tests, each_two_places_are_reported, 0, 2);
    tcase_add_test(tests, the_child_between);
    tcase_add_test(tests, the_group_between);
    tcase_add_loop_test(tests, marker_covers_the_commands_of_its_list, 0, 8);
    tcase_add_loop_test(tests, tree_atomics_race_unless_scopes_include_each_other, 0, 18);
    tcase_add_loop_test(tests, enqueue_calls_order_fine_grained_memory, 0, 4 * REPORTED);
    tcase_add_loop_test(tests, by_one_side_of_a_pipe, 0, MOVES_COUNT);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
