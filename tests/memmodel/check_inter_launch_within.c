/* SPDX-License-Identifier: Apache-2.0 */
/* Two work-groups of one launch that are ordered by another kernel, by a kernel that one of them enqueued,
 * or by the host: what that orders, and what it does not (OpenCL 2.2 API, 3.3.6; R11, R21, R31, R32). */
#include <stdio.h>

#include "tests/support/finding_fixture.h"

static cl_command_queue second;
static cl_mem data;

static void set_up(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    finding_set_up();
    second = cl_new_queue(context, 0);
    data = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
}

static void tear_down(void)
{
    cl_ok(clReleaseMemObject(data));
    cl_ok(clReleaseCommandQueue(second));
    cl_tear_down();
}

#define STORE(x, how, scope) \
    " atomic_store_explicit(" x ", 1, memory_order_" how ", memory_scope_" scope "); "
#define LOAD(x, how, scope) "atomic_load_explicit(" x ", memory_order_" how ", memory_scope_" scope ")"
#define RELEASE(x) STORE(x, "release", "device")
#define SET(x) STORE(x, "relaxed", "device")
#define UNTIL(x) " while (!" LOAD(x, "relaxed", "device") ") ; "
#define ADD(x) " atomic_fetch_add_explicit(&" x ", 1, memory_order_relaxed, memory_scope_device); "
#define AWAIT(x) " while (!" LOAD(x, "acquire", "device") ") ; "
/* LATER: by a work-item of the first work-group; FIRST: by one of the second, which acts before it. */
#define LATER "if (get_global_id(0) == 0) "
#define FIRST "if (get_global_id(0) == 2) "
#define RUN_ON "for (int i = 0; i < 100; i++) {" RELEASE("&own") "}"

static cl_kernel take(cl_program program, const char *name)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof data, &data));
    if (strcmp(name, "one") == 0)
        cl_ok(clSetKernelArg(kernel, 1, sizeof data, &data));
    return kernel;
}

static cl_program build(const char *one, const char *other)
{
    char source[4096];
    snprintf(
        source, sizeof source,
        "global atomic_int flag = ATOMIC_VAR_INIT(0), other = ATOMIC_VAR_INIT(0), own = ATOMIC_VAR_INIT(0);\n"
        "kernel void one(global int *data, global atomic_int *shared) { %s }\n"
        "kernel void next(global int *data) { %s }\n",
        one, other);
    return cl_program_of(context, source, "-cl-std=CL2.0");
}

static void run(cl_command_queue on, cl_kernel kernel, size_t groups)
{
    const size_t local = 2, global = groups * local;
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    cl_ok(clFlush(on));
}

/* Runs both kernels side by side, to the end. */
static void run_both(const char *one, const char *other)
{
    const cl_program program = build(one, other);
    const cl_kernel first = take(program, "one"), next = take(program, "next");
    run(queue, first, 2);
    run(second, next, 1);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clReleaseKernel(first));
    cl_ok(clReleaseKernel(next));
    cl_ok(clReleaseProgram(program));
}

static cl_command_queue queue_of_children(void)
{
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err;
    const cl_command_queue made = clCreateCommandQueueWithProperties(context, device, on_device, &err);
    cl_ok(err);
    return made;
}

static int *share(cl_kernel kernel)
{
    int *const shared =
        clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0);
    ck_assert_ptr_nonnull(shared);
    memset(shared, 0, 64);
    cl_ok(clSetKernelArgSVMPointer(kernel, 1, shared));
    return shared;
}

/* ---- ordered by another kernel ---------------------------------------------------------------- */

#define PASSES_ON "if (get_global_id(0) == 0) {" AWAIT("&flag") RELEASE("&other") "}"

static const struct {
    const char *name, *one, *other;
    size_t races;
} passed[] = {
    {"handed on", FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 0},
    {"read before",
     FIRST "{ data[1] = data[0];" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }", PASSES_ON,
     0},
    {"not acquired by the unit that hands it on",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     LATER "{ while (!" LOAD("&flag", "relaxed", "device") ") ;" RELEASE("&other") "}", 1},
    {"not released by the unit that hands it on",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     LATER "{" AWAIT("&flag") STORE("&other", "relaxed", "device") "}", 1},
    {"not acquired from the unit that hands it on",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{ while (!" LOAD("&other", "relaxed",
                                                                          "device") ") ; data[0] = 2; }",
     PASSES_ON, 1},
    {"written after the release",
     FIRST "{" RELEASE("&flag") "data[0] = 1; } " LATER "{" AWAIT("&other") "data[0] = 2; }", PASSES_ON, 1},
    {"written between releases",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "data[1] = 1;" RELEASE("&own") "} " LATER "{" AWAIT(
         "&other") "data[0] = 2; data[1] = 2; }",
     PASSES_ON, 1},
    {"after many releases",
     FIRST "{" RUN_ON "data[0] = 1;" RELEASE("&flag") RUN_ON "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 0},
    {"between many releases",
     FIRST "{" RUN_ON RELEASE("&flag") "data[0] = 1;" RUN_ON "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 1},
    {"while all continue",
     FIRST "{" RUN_ON "data[0] = 1;" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     LATER "{" RUN_ON AWAIT("&flag") RUN_ON RELEASE("&other") "}", 0},
    {"after the release while all continue",
     FIRST "{" RUN_ON RELEASE("&flag") "data[0] = 1;" RUN_ON "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     LATER "{" RUN_ON AWAIT("&flag") RUN_ON RELEASE("&other") "}", 1},
    {"after a barrier",
     "if (get_global_id(0) == 3) data[0] = 1; barrier(CLK_GLOBAL_MEM_FENCE); " FIRST RELEASE("&flag")
         LATER AWAIT("&other") "barrier(CLK_GLOBAL_MEM_FENCE); if (get_global_id(0) == 1) data[0] = 2;",
     PASSES_ON, 0},
    {"after a barrier of local memory",
     "if (get_global_id(0) == 3) data[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); " FIRST RELEASE("&flag")
         LATER AWAIT("&other") "barrier(CLK_GLOBAL_MEM_FENCE); if (get_global_id(0) == 1) data[0] = 2;",
     PASSES_ON, 1},
    {"for its work-group alone",
     FIRST "{ data[0] = 1;" STORE("&flag", "release", "work_group") "} " LATER
                                                                    "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 1},
    {"a copy that is waited for",
     "local int lines[2]; if (get_group_id(0)) { event_t copy = async_work_group_copy(data, lines, 2, 0); "
     "wait_group_events(1, &copy); } " FIRST RELEASE("&flag") LATER "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 0},
    {"a copy that is not",
     "local int lines[2]; event_t copy; if (get_group_id(0)) copy = async_work_group_copy(data, lines, 2, "
     "0); " FIRST RELEASE("&flag") LATER
     "{" AWAIT("&other") "data[0] = 2; } if (get_group_id(0)) wait_group_events(1, &copy);",
     PASSES_ON, 1},
    {"a copy of what was written",
     "local int lines[2]; " FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER AWAIT(
         "&other") "barrier(CLK_GLOBAL_MEM_FENCE); if (get_group_id(0) == 0) { event_t copy = "
                   "async_work_group_copy(lines, data, 2, 0); wait_group_events(1, &copy); }",
     PASSES_ON, 0},
    {"a copy that one work-item acquired for",
     "local int lines[2]; " FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER AWAIT(
         "&other") "if (get_group_id(0) == 0) { event_t copy = async_work_group_copy(lines, data, 2, 0); "
                   "wait_group_events(1, &copy); }",
     PASSES_ON, 1},
    {"the second copy",
     "local int lines[2]; if (get_group_id(0)) { event_t copy = async_work_group_copy(lines, data + 4, 2, "
     "0); "
     "copy = async_work_group_copy(data, lines, 2, copy); wait_group_events(1, &copy); } " FIRST RELEASE(
         "&flag") LATER "{" AWAIT("&other") "data[0] = 2; }",
     PASSES_ON, 0},
    {"a store that ends what was released",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" UNTIL("&other")
         LOAD("&flag", "acquire", "device") "; data[0] = 2; }",
     LATER "{" UNTIL("&flag") SET("&flag") SET("&other") "}", 1},
    {"an update that continues the release sequence",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" UNTIL("&other")
         LOAD("&flag", "acquire", "device") "; data[0] = 2; }",
     LATER "{" UNTIL("&flag") ADD("flag") SET("&other") "}", 0},
    {"an exchange that fails",
     FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" UNTIL("&other")
         LOAD("&flag", "acquire", "device") "; data[0] = 2; }",
     LATER
     "{" UNTIL("&flag") "int seven = 7; atomic_compare_exchange_strong_explicit(&flag, &seven, 8, "
                        "memory_order_relaxed, memory_order_relaxed, memory_scope_device);" SET("&other") "}",
     0},
    {"local memory of both",
     "local atomic_int ready; if (get_local_id(0) == 0) atomic_init(&ready, 0); "
     "barrier(CLK_LOCAL_MEM_FENCE); " FIRST
     "{ data[0] = 1; atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, "
     "memory_order_release, memory_scope_work_group); "
     "atomic_store_explicit(&ready, 1, memory_order_relaxed, memory_scope_work_group);" SET(
         "&flag") "} "
                  "if (get_global_id(0) == 3) {" UNTIL(
                      "&other") "while (!atomic_load_explicit(&ready, memory_order_relaxed, "
                                "memory_scope_work_group)) ; "
                                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, "
                                "memory_order_acquire, memory_scope_work_group); data[0] = 2; }",
     "local atomic_int own; " LATER
     "{" UNTIL("&flag") "for (int i = 0; i < 4; i++) atomic_store_explicit(&own, i, memory_order_relaxed, "
                        "memory_scope_work_group);" SET("&other") "}",
     0},
    {"updates of a work-group",
     FIRST "{ atomic_fetch_add_explicit((global atomic_int *)data, 1, memory_order_relaxed, "
           "memory_scope_work_group);" RELEASE("&flag") "} " LATER "{" AWAIT(
               "&other") "atomic_fetch_add_explicit((global atomic_int *)data, 1, memory_order_relaxed, "
                         "memory_scope_work_group); }",
     PASSES_ON, 0},
};

START_TEST(R21_by_another_kernel)
{
    run_both(passed[_i].one, passed[_i].other);
    ck_assert_msg(findings_of("race-global") == passed[_i].races, "%s: %zu races", passed[_i].name,
                  findings_of("race-global"));
}
END_TEST

/* A clock that was passed on for one launch does not hold for the next. */
START_TEST(R21_of_one_launch_after_another)
{
    for (int i = 0; i < 3; i++) {
        run_both(
            i == 1 ? FIRST "{" RELEASE("&flag") "data[0] = 1; } " LATER "{" AWAIT("&other") "data[0] = 2; }"
                   : FIRST "{ data[0] = 1;" RELEASE("&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
            PASSES_ON);
        ck_assert_uint_eq(findings_of("race-global"), i > 0);
    }
}
END_TEST

/*
 * A launch that is too large is outside the detector: it may have passed on its clock, until the host is
 * ordered after its end.
 */
START_TEST(too_many_work_groups)
{
    const size_t groups = 4200000, one = 1;
    const char *const racy =
        FIRST "{" RELEASE("&flag") "data[0] = 1; } " LATER "{" AWAIT("&flag") "data[0] = 2; }";
    const cl_command_queue third = cl_new_queue(context, 0);
    const cl_program program = build("", "if (get_group_id(0) == 1)" LOAD("&flag", "acquire", "device") ";");
    const cl_kernel large = take(program, "next");
    cl_ok(clEnqueueNDRangeKernel(third, large, 1, NULL, &groups, &one, 0, NULL, NULL));
    cl_ok(clFlush(third));
    run_both(racy, "");
    ck_assert_uint_eq(findings_of("race-global"), 0);
    cl_ok(clFinish(third));
    run_both(racy, "");
    ck_assert_uint_eq(findings_of("race-global"), 1);
    cl_ok(clReleaseKernel(large));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(third));
}
END_TEST

/* ---- ordered by a kernel that one of them enqueued -------------------------------------------- */

#define ENQUEUE(flag, what) \
    "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_" flag ", ndrange_1D(1), ^{ " what " }); "

static const struct {
    const char *name, *one;
    size_t races, with_children;
} children[] = {
    {"it waits for the work-group",
     FIRST "{ data[0] = 1; " ENQUEUE("WAIT_WORK_GROUP",
                                     RELEASE("&other")) "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     0, 0},
    {"it waits for nothing",
     FIRST "{ data[0] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER
                                                                   "{" AWAIT("&other") "data[0] = 2; }",
     1, 0},
    {"it waits for nothing, and acquires",
     FIRST "{ data[0] = 1;" RELEASE("&flag")
         ENQUEUE("NO_WAIT", AWAIT("&flag") RELEASE("&other")) "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     0, 0},
    {"it waits for nothing, and acquires, written later",
     FIRST "{" RELEASE("&flag") "data[0] = 1; " ENQUEUE(
         "NO_WAIT", AWAIT("&flag") RELEASE("&other")) "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     1, 0},
    /* in fine-grained memory the call releases it */
    {"released by the call",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{" AWAIT(
         "&other") "((global int *)shared)[8] = 2; }",
     0, 0},
    {"after the call",
     FIRST "{ " ENQUEUE("NO_WAIT", RELEASE("&other")) "((global int *)shared)[8] = 1; } " LATER
                                                      "{" AWAIT("&other") "((global int *)shared)[8] = 2; }",
     1, 0},
    {"between calls",
     FIRST "{ " ENQUEUE("NO_WAIT", RELEASE("&other")) "((global int *)shared)[8] = 1; " ENQUEUE(
         "NO_WAIT", RELEASE("&own")) "} " LATER "{" AWAIT("&other") "((global int *)shared)[8] = 2; }",
     1, 0},
    {"before the later call",
     FIRST "{ " ENQUEUE("NO_WAIT", RELEASE("&own")) "((global int *)shared)[8] = 1; " ENQUEUE(
         "NO_WAIT", RELEASE("&other")) "} " LATER "{" AWAIT("&other") "((global int *)shared)[8] = 2; }",
     0, 0},
    {"released by the call, never acquired",
     FIRST
     "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{ while (!" LOAD(
         "&other", "relaxed", "device") ") ; ((global int *)shared)[8] = 2;" LOAD("&own", "acquire",
                                                                                  "device") "; }",
     1, 0},
    {"a child of the child",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE(
         "NO_WAIT",
         "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ " RELEASE(
             "&other") " });") "} " LATER "{" AWAIT("&other") "((global int *)shared)[8] = 2; }",
     0, 0},
    {"of relaxed updates, by a kernel between that has none",
     FIRST "{ " ADD("own") "data[0] = 1; ((global int *)shared)[8] = 1; " ENQUEUE(
         "WAIT_KERNEL",
         "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ " ADD(
             "own") " data[0] = 2; ((global int *)shared)[8] = 2; }); ") "}",
     0, 0},
    {"of relaxed updates, beside one that races",
     FIRST "{ " ADD("own") "data[0] = 1; " ENQUEUE(
         "WAIT_KERNEL",
         "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ " ADD(
             "own") " data[0] = 2; }); ") "} " LATER ENQUEUE("NO_WAIT", ADD("own") "data[0] = 3;"),
     0, 2},
    {"called before it writes and releases",
     FIRST "{ " ENQUEUE("NO_WAIT", AWAIT("&flag") RELEASE("&other")) "data[0] = 1; " RELEASE(
         "&flag") "} " LATER "{" AWAIT("&other") "data[0] = 2; }",
     0, 0},
    {"to another child, which acquires it",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{ " ENQUEUE(
         "NO_WAIT", AWAIT("&other") "((global int *)shared)[8] = 2;") "}",
     0, 0},
    {"to another child, which acquires something else",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{ " ENQUEUE(
         "NO_WAIT", LOAD("&own", "acquire", "device") "; ((global int *)shared)[8] = 2;") "}",
     0, 1},
    {"to another child, by one that acquires",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{" AWAIT(
         "&other") ENQUEUE("NO_WAIT", "((global int *)shared)[8] = 2;") "}",
     0, 0},
    {"to another child, by one that acquires later",
     FIRST "{ ((global int *)shared)[8] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other")) "} " LATER "{ " ENQUEUE(
         "NO_WAIT", "((global int *)shared)[8] = 2;") AWAIT("&other") "}",
     0, 1},
};

START_TEST(R31_by_a_kernel_of_its_own)
{
    const cl_command_queue own = queue_of_children();
    const cl_program program = build(children[_i].one, "");
    const cl_kernel one = take(program, "one");
    int *const shared = share(one);
    run(queue, one, 2);
    cl_ok(clFinish(queue));
    ck_assert_msg(findings_of("race-global") == children[_i].races, "%s: %zu races", children[_i].name,
                  findings_of("race-global"));
    ck_assert_msg(findings_of("race-commands") == children[_i].with_children, "%s: %zu races with children",
                  children[_i].name, findings_of("race-commands"));
    clSVMFree(context, shared);
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(own));
}
END_TEST

/* ---- a child that outlives its parent --------------------------------------------------------- */

/* Another command acquires from a kernel's child, which waits for that command meanwhile. */
static const struct {
    const char *name, *one, *other;
    size_t races;
} goes_on[] = {
    {"it waits for its parent",
     FIRST "{ data[0] = 1; " ENQUEUE("WAIT_KERNEL", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{" AWAIT("&other") "data[0] = 2;" SET("&flag") "}", 0},
    {"it waits for a work-group",
     FIRST "{ data[0] = 1; " ENQUEUE("WAIT_WORK_GROUP", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{" AWAIT("&other") "data[0] = 2;" SET("&flag") "}", 0},
    {"it waits for another work-group",
     "if (get_global_id(0) == 0) data[0] = 1; " FIRST
     "{ " ENQUEUE("WAIT_WORK_GROUP", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{" AWAIT("&other") "data[0] = 2;" SET("&flag") "}", 1},
    {"it does not wait", FIRST "{ data[0] = 1; " ENQUEUE("NO_WAIT", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{" AWAIT("&other") "data[0] = 2;" SET("&flag") "}", 1},
    {"before the acquire",
     FIRST "{ data[0] = 1; " ENQUEUE("WAIT_KERNEL", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{ data[0] = 2;" AWAIT("&other") SET("&flag") "}", 1},
    {"by the child, after its release",
     FIRST ENQUEUE("WAIT_KERNEL", RELEASE("&other") "data[0] = 1; " UNTIL("&flag")),
     LATER "{" AWAIT("&other") "data[0] = 2;" SET("&flag") "}", 1},
    {"not acquired", FIRST "{ data[0] = 1; " ENQUEUE("WAIT_KERNEL", RELEASE("&other") UNTIL("&flag")) "}",
     LATER "{" UNTIL("&other") "data[0] = 2;" SET("&flag") "}", 1},
};

START_TEST(R31_13_child_runs_past_its_parent)
{
    const cl_command_queue own = queue_of_children();
    run_both(goes_on[_i].one, goes_on[_i].other);
    ck_assert_msg(findings_of("race-commands") == goes_on[_i].races, "%s: %zu races", goes_on[_i].name,
                  findings_of("race-commands"));
    cl_ok(clReleaseCommandQueue(own));
}
END_TEST

/* Two other kernels execute one instruction; one of them acquires. */
START_TEST(R31_13_two_others)
{
    const cl_command_queue own = queue_of_children(), third = cl_new_queue(context, 0);
    const cl_program program = build(
        FIRST "{ data[0] = 1; " ENQUEUE("WAIT_KERNEL", RELEASE("&other") UNTIL("&flag")) "}", LATER
        "{ if (atomic_fetch_add_explicit(&own, 1, memory_order_relaxed, memory_scope_device) == 0) {" AWAIT(
            "&other") "}"
                      "data[0] = 2;" SET("&flag") "}");
    const cl_kernel one = take(program, "one"), next = take(program, "next");
    run(queue, one, 2);
    run(second, next, 1);
    run(third, next, 1);
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    cl_ok(clFinish(third));
    ck_assert_uint_eq(findings_of("race-commands"), 2); /* and with each other */
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseKernel(next));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseCommandQueue(third));
    cl_ok(clReleaseCommandQueue(own));
}
END_TEST

/* The clocks of other launches are kept current while a launch tree with relaxed atomics runs. */
START_TEST(R32_beside_a_launch_tree)
{
    const cl_command_queue own = queue_of_children(), third = cl_new_queue(context, 0);
    const cl_program family =
        build(FIRST "{ " ADD("own") ENQUEUE(
                  "WAIT_KERNEL",
                  "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ " ADD(
                      "own") " }); ") "}",
              "");
    const cl_program pair =
        build(FIRST "{" RELEASE("&flag") "data[1] = 1; }", LATER "{" AWAIT("&flag") "data[1] = 2; }");
    const cl_kernel parent = take(family, "one"), one = take(pair, "one"), next = take(pair, "next");
    run(third, parent, 2);
    run(queue, one, 2);
    run(second, next, 1);
    cl_ok(clFinish(third));
    cl_ok(clFinish(queue));
    cl_ok(clFinish(second));
    ck_assert_uint_eq(findings_of("race-commands"), 1);
    cl_ok(clReleaseKernel(parent));
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseKernel(next));
    cl_ok(clReleaseProgram(family));
    cl_ok(clReleaseProgram(pair));
    cl_ok(clReleaseCommandQueue(third));
    cl_ok(clReleaseCommandQueue(own));
}
END_TEST

/* ---- ordered by the host ---------------------------------------------------------------------- */

#define FOR_HOST(x) STORE(x, "release", "all_svm_devices")
#define FROM_HOST(x) " while (!" LOAD(x, "acquire", "all_svm_devices") ") ; "

static const struct {
    const char *name, *one;
    size_t races;
} by_host[] = {
    {"handed on",
     FIRST "{ data[0] = 1;" FOR_HOST("shared") "} " LATER "{" FROM_HOST("shared + 1") "data[0] = 2; }", 0},
    {"written after the release",
     FIRST "{" FOR_HOST("shared") "data[0] = 1; } " LATER "{" FROM_HOST("shared + 1") "data[0] = 2; }", 1},
    {"not released for the host",
     FIRST "{ data[0] = 1;" STORE("shared", "release", "device")
         STORE("shared + 2", "release", "all_svm_devices") "data[1] = 1; } " LATER
                                                           "{" FROM_HOST("shared + 1") "data[1] = 2; }",
     1},
    {"not acquired",
     FIRST "{ data[0] = 1;" FOR_HOST("shared") "} " LATER "{ while (!" LOAD(
         "shared + 1", "relaxed", "all_svm_devices") ") ; data[0] = 2;" FROM_HOST("shared + 1") "}",
     1},
};
enum { BY_HOST = sizeof by_host / sizeof *by_host };

/* A context with only one queue ever. */
static cl_command_queue queue_alone(void)
{
    cl_int err;
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseCommandQueue(second));
    cl_ok(clReleaseMemObject(data));
    cl_ok(clReleaseContext(context));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_ok(err);
    data = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    return cl_new_queue(context, 0);
}

/* Beside another queue, or alone. */
START_TEST(R31_by_the_host)
{
    if (_i >= BY_HOST)
        queue = queue_alone();
    const cl_program program = build(by_host[_i % BY_HOST].one, "");
    const cl_kernel one = take(program, "one");
    int *const shared = share(one);
    run(queue, one, 2);
    while (!__atomic_load_n(shared, __ATOMIC_ACQUIRE))
        ;
    __atomic_store_n(shared + 1, 1, __ATOMIC_RELEASE);
    cl_ok(clFinish(queue));
    ck_assert_msg(findings_of("race-global") == by_host[_i % BY_HOST].races, "%s: %zu races",
                  by_host[_i % BY_HOST].name, findings_of("race-global"));
    clSVMFree(context, shared);
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseProgram(program));
    if (_i >= BY_HOST)
        second = cl_new_queue(context, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inter_launch_within");
    TCase *rules = tcase_create("rules");
    tcase_add_checked_fixture(rules, set_up, tear_down);
    tcase_set_timeout(rules, 120);
    tcase_add_loop_test(rules, R21_by_another_kernel, 0, (int)(sizeof passed / sizeof *passed));
    tcase_add_test(rules, R21_of_one_launch_after_another);
    tcase_add_test(rules, too_many_work_groups);
    tcase_add_loop_test(rules, R31_by_a_kernel_of_its_own, 0, (int)(sizeof children / sizeof *children));
    tcase_add_loop_test(rules, R31_13_child_runs_past_its_parent, 0, (int)(sizeof goes_on / sizeof *goes_on));
    tcase_add_test(rules, R31_13_two_others);
    tcase_add_test(rules, R32_beside_a_launch_tree);
    tcase_add_loop_test(rules, R31_by_the_host, 0, 2 * BY_HOST);
    suite_add_tcase(suite, rules);
    return cl_run_suite(suite);
}
