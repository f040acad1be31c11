/* SPDX-License-Identifier: Apache-2.0 */
/* Device queues and kernels that enqueue kernels: OpenCL 2.2 API 3.2.3, OpenCL C 2.0 6.13.17. */
#include <unistd.h>

#include "tests/support/cl_fixture.h"

enum { WORDS = 64, QUEUE_EVENTS = 1024 };
enum {
    SUCCESS = 0,
    FAILURE = -101,
    INVALID_QUEUE = -102,
    INVALID_NDRANGE = -160,
    INVALID_WAIT_LIST = -57,
    QUEUE_FULL = -161,
    INVALID_ARG_SIZE = -51,
    EVENT_ALLOCATION = -100,
    OUT_OF_RESOURCES = -5
};

static const char source[] =
    "kernel void which(global int *a, queue_t q)\n"
    "{ a[0] = get_default_queue() == q; a[1] = get_default_queue() == CLK_NULL_QUEUE; a[2] = q != "
    "CLK_NULL_QUEUE; }\n"
    "kernel void forms(global int *a, queue_t q)\n"
    "{ clk_event_t e, f; int seven = 7;\n"
    "  a[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ a[8] = seven; });\n"
    "  a[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[9] = seven + 1; });\n"
    "  void (^sums)(local void *, local void *) = ^(local void *p, local void *r)\n"
    "  { local int *x = p, *y = r; int i = get_local_id(0); x[i] = a[8] + i; y[i] = 10 * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); a[16 + get_global_id(0)] = x[3 - i] + y[3 - i]; };\n"
    "  a[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(8, 4), 1, &e, &f, sums, 16, 16);\n"
    "  a[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4, 4),\n"
    "                        ^(local void *p) { local int *x = p; x[get_local_id(0)] = 1; a[24 + "
    "get_global_id(0)] = x[get_local_id(0)]; }, 16);\n"
    "  a[4] = is_valid_event(e); release_event(e); release_event(f); }\n"
    "kernel void ranges(global int *a, queue_t q)\n"
    "{ size_t o[3] = {1, 2, 3}, g[3] = {4, 3, 2}, l[3] = {2, 3, 1}; global int *b = a + 32;\n"
    "  void (^note)(void) = ^{ int i = atomic_inc(&b[0]); if (get_global_id(0) == get_global_offset(0) && "
    "get_global_id(1) == get_global_offset(1) &&\n"
    "    get_global_id(2) == get_global_offset(2)) { b[1] = get_work_dim(); for (int d = 0; d < 3; d++) { "
    "b[2 + d] = get_global_size(d);\n"
    "    b[5 + d] = get_enqueued_local_size(d); b[8 + d] = get_global_offset(d); } } };\n"
    "  switch (a[0]) {\n"
    "  case 0: enqueue_kernel(q, 0, ndrange_1D(5), note); break;\n"
    "  case 1: enqueue_kernel(q, 0, ndrange_1D(6, 3), note); break;\n"
    "  case 2: enqueue_kernel(q, 0, ndrange_1D(7, 8, 4), note); break;\n"
    "  case 3: enqueue_kernel(q, 0, ndrange_2D(g), note); break;\n"
    "  case 4: enqueue_kernel(q, 0, ndrange_2D(g, l), note); break;\n"
    "  case 5: enqueue_kernel(q, 0, ndrange_2D(o, g, l), note); break;\n"
    "  case 6: enqueue_kernel(q, 0, ndrange_3D(g), note); break;\n"
    "  case 7: enqueue_kernel(q, 0, ndrange_3D(g, l), note); break;\n"
    "  case 8: enqueue_kernel(q, 0, ndrange_3D(o, g, l), note); break;\n"
    "  case 9: enqueue_kernel(q, 0, ndrange_1D(0), note); break; } }\n"
    "kernel void nested(global int *a, queue_t q)\n"
    "{ if (get_global_id(0)) return;\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[1] = a[0] + 1;\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), ^{ if (!get_global_id(0)) { a[2] = "
    "a[1] + 1;\n"
    "      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{ a[3] = a[2] + 1; }); } }); "
    "}); }\n"
    /* a parent is complete when its children are: waiters for A run after the kernels that A started */
    "kernel void completion(global int *a, queue_t q)\n"
    "{ clk_event_t e;\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ a[1] = ++a[0];\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[2] = ++a[0];\n"
    "      enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ a[3] = ++a[0]; }); }); });\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, NULL, ^{ a[4] = ++a[0]; }); "
    "release_event(e); }\n"
    "kernel void markers(global int *a, queue_t q)\n"
    "{ clk_event_t e[2], m; int i;\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e[0], ^{ a[1] = 3; });\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e[1], ^{ a[2] = 4; });\n"
    "  a[4] = enqueue_marker(q, 2, e, &m); a[5] = enqueue_marker(q, 2, e, NULL);\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &m, NULL, ^{ a[3] = a[1] + a[2]; });\n"
    "  release_event(e[0]); release_event(e[1]); release_event(m); }\n"
    "kernel void user(global int *a, queue_t q, int status)\n"
    "{ clk_event_t u = create_user_event(), v;\n"
    "  a[1] = is_valid_event(u); a[2] = is_valid_event(CLK_NULL_EVENT); a[3] = u == CLK_NULL_EVENT;\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &u, &v, ^{ a[4] = a[5]; });\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[5] = 6; set_user_event_status(u, "
    "status); release_event(u); });\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &v, NULL, ^{ a[6] = 1; });\n"
    "  retain_event(v); release_event(v); release_event(v); a[7] = is_valid_event(v); }\n"
    "kernel void times(global ulong *t, queue_t q, int n)\n"
    "{ clk_event_t e; global int *a = (global int *)(t + 8);\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ for (int i = 0; i < n; "
    "i++) atomic_inc(a);\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ for (int i = 0; i < n; i++) "
    "atomic_inc(a); }); });\n"
    "  capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, t); release_event(e); }\n"
    "kernel void sizes(global int *a)\n"
    "{ void (^block)(local void *) = ^(local void *p) { ((local int *)p)[0] = a[0]; };\n"
    "  a[0] = get_kernel_work_group_size(block); a[1] = "
    "get_kernel_preferred_work_group_size_multiple(block);\n"
    "  a[2] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(256, 80), block);\n"
    "  a[3] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(256, 80), block);\n"
    "  a[4] = get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(256, 8), block); }\n"
    "kernel void errors(global int *a, queue_t q, queue_t small, int big)\n"
    "{ clk_event_t e = create_user_event(), gone = e; void (^block)(void) = ^{ a[40] = 1; };\n"
    "  void (^locals)(local void *) = ^(local void *p) { a[41] = 1; };\n"
    "  ndrange_t bad = ndrange_1D(4); bad.workDimension = 4; clk_event_t none = CLK_NULL_EVENT;\n"
    "  a[0] = enqueue_kernel(CLK_NULL_QUEUE, 0, ndrange_1D(1), block);\n"
    "  a[1] = enqueue_kernel(q, 0, bad, block);\n"
    "  a[2] = enqueue_kernel(q, 0, ndrange_1D(4, big), block);\n"
    "  a[3] = enqueue_kernel(q, 0, ndrange_1D(1), 1, NULL, NULL, block);\n"
    "  a[4] = enqueue_kernel(q, 0, ndrange_1D(1), 0, &e, NULL, block);\n"
    "  a[5] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &none, NULL, block);\n"
    "  a[6] = enqueue_kernel(q, 0, ndrange_1D(1), locals, a[63]);\n"
    "  a[7] = enqueue_kernel(q, 0, ndrange_1D(1), locals, big * 64);\n"
    "  a[8] = enqueue_kernel(small, 0, ndrange_1D(1), block);\n"
    "  a[9] = enqueue_marker(CLK_NULL_QUEUE, 1, &e, &gone);\n"
    "  a[10] = enqueue_marker(q, 0, NULL, &gone); a[11] = enqueue_marker(q, 0, &e, &gone); a[12] = "
    "enqueue_marker(q, 1, &none, &gone);\n"
    "  a[13] = enqueue_marker(small, 1, &e, &gone);\n"
    "  a[14] = enqueue_kernel(q, 3, ndrange_1D(1), block);\n"
    "  set_user_event_status(e, CL_COMPLETE); release_event(e);\n"
    "  a[15] = enqueue_kernel(q, 0, ndrange_1D(1), 1, &e, NULL, block); }\n"
    "kernel void many(global int *a, queue_t q, int n)\n"
    "{ clk_event_t e, u = create_user_event(); int ok = 0, err = 0;\n"
    "  for (int i = 0; i < n; i++) { int r = enqueue_marker(q, 1, &u, &e); ok += r == CLK_SUCCESS; if (r != "
    "CLK_SUCCESS) err = r; }\n"
    "  a[0] = ok; a[1] = err; ok = 1; while (is_valid_event(create_user_event()) && ok < n) ok++; a[2] = "
    "ok;\n"
    "  set_user_event_status(u, CL_COMPLETE); }\n"
    "kernel void misuse(global int *a, queue_t q, local int *room)\n"
    "{ clk_event_t none = CLK_NULL_EVENT, u = create_user_event(), e, m;\n"
    "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ a[1] = 1; });\n"
    "  set_user_event_status(u, CL_COMPLETE); enqueue_marker(q, 1, &u, &m);\n"
    "  retain_event(none);\n  release_event(none);\n  set_user_event_status(e, CL_COMPLETE);\n  "
    "set_user_event_status(u, CL_RUNNING);\n"
    "  capture_event_profiling_info(m, CLK_PROFILING_COMMAND_EXEC_TIME, a);\n  "
    "capture_event_profiling_info(e, 2, a);\n"
    "  capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, a + 62 + 2);\n"
    "  release_event(u);\n  release_event(u); }\n";

static cl_program program;
static cl_mem words;
static cl_command_queue on_device;

static void *control(const char *name)
{
    return clGetExtensionFunctionAddressForPlatform(platform, name);
}

static cl_command_queue new_device_queue(cl_context owner, cl_command_queue_properties more, cl_uint size,
                                         cl_int *err)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more,
                                        size ? CL_QUEUE_SIZE : 0, size, 0};
    return clCreateCommandQueueWithProperties(owner, device, list, err);
}

static cl_program build(const char *options)
{
    const char *text = source;
    cl_int err = 1;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    err = clBuildProgram(made, 0, NULL, options, NULL, NULL);
    if (err) {
        static char log[20000];
        clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        ck_abort_msg("%s: %s", options, log);
    }
    return made;
}

static void set_up(void)
{
    static const cl_int zeros[WORDS];
    cl_int err = 1;
    cl_set_up();
    program = build("-cl-std=CL2.0 -g -cl-kernel-arg-info");
    words = cl_buffer(context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)(uintptr_t)zeros);
    on_device = new_device_queue(context, 0, 0, &err);
    cl_ok(err);
}

static void tear_down(void)
{
    cl_ok(clReleaseCommandQueue(on_device));
    cl_ok(clReleaseMemObject(words));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}

static cl_kernel kernel_of(const char *name)
{
    cl_int err = 1;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof words, &words));
    return kernel;
}

static cl_event start(cl_kernel kernel, size_t items)
{
    cl_event event = NULL;
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    cl_ok(clReleaseKernel(kernel));
    return event;
}

static const cl_int *read_words(void)
{
    static cl_int values[WORDS];
    cl_ok(clEnqueueReadBuffer(queue, words, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    return values;
}

/* Words, device queue and perhaps a number; returns what the words are then. */
static const cl_int *run(const char *name, size_t items, const cl_int *number)
{
    cl_kernel kernel = kernel_of(name);
    cl_ok(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    if (number)
        cl_ok(clSetKernelArg(kernel, 2, sizeof *number, number));
    cl_event event = start(kernel, items);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    return read_words();
}

static void put_word(int at, cl_int value)
{
    cl_ok(clEnqueueWriteBuffer(queue, words, CL_TRUE, (size_t)at * sizeof value, sizeof value, &value, 0,
                               NULL, NULL));
}

static size_t found(const char *id)
{
    typedef size_t count_of(const char *);
    return ((count_of *)control("orrery_finding_count_of"))(id);
}

/* ---- queues -------------------------------------------------------------------------------- */

static cl_ulong query(cl_device_info name, size_t size)
{
    cl_ulong value = 0;
    cl_ok(clGetDeviceInfo(device, name, size, &value, NULL));
    return value;
}

START_TEST(device_reports_its_queue_properties)
{
    ck_assert_uint_eq(query(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8),
                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    ck_assert_uint_ge(query(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4), 16 << 10);
    ck_assert_uint_ge(query(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4), 256 << 10);
    ck_assert_uint_ge(query(CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4), 1);
    ck_assert_uint_eq(query(CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4), QUEUE_EVENTS);
    ck_assert_uint_eq(query(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 8),
                      CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
}
END_TEST

START_TEST(device_queues_have_a_size)
{
    cl_uint size = 0;
    cl_int err = 1;
    cl_ok(clGetCommandQueueInfo(on_device, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, query(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4));
    cl_command_queue other = new_device_queue(context, CL_QUEUE_PROFILING_ENABLE, 4096, &err);
    cl_ok(err);
    cl_ok(clGetCommandQueueInfo(other, CL_QUEUE_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 4096);
    cl_ok(clReleaseCommandQueue(other));
    ck_assert_ptr_null(
        new_device_queue(context, 0, (cl_uint)query(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4) + 1, &err));
    cl_is(err, CL_INVALID_QUEUE_PROPERTIES);
    cl_is(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, NULL), CL_INVALID_COMMAND_QUEUE);
}
END_TEST

START_TEST(device_queues_over_the_limit_are_refused)
{
    cl_command_queue made[64];
    cl_uint most = (cl_uint)query(CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4), count = 0;
    cl_int err = CL_SUCCESS;
    while (count < 64 && (made[count] = new_device_queue(context, 0, 0, &err)))
        count++;
    cl_is(err, CL_OUT_OF_RESOURCES);
    ck_assert_uint_eq(count + 1, most);
    cl_command_queue elsewhere = new_device_queue(other_context, 0, 0, &err);
    cl_ok(err);
    cl_ok(clReleaseCommandQueue(elsewhere));
    while (count)
        cl_ok(clReleaseCommandQueue(made[--count]));
    cl_ok(clReleaseCommandQueue(new_device_queue(context, 0, 0, &err)));
}
END_TEST

static cl_command_queue default_of(cl_command_queue any)
{
    cl_command_queue answer = any;
    cl_ok(clGetCommandQueueInfo(any, CL_QUEUE_DEVICE_DEFAULT, sizeof answer, &answer, NULL));
    return answer;
}

START_TEST(a_context_has_one_default_queue_for_a_device)
{
    cl_int err = 1;
    cl_uint references = 0;
    ck_assert_ptr_null(default_of(queue));
    cl_command_queue first = new_device_queue(context, CL_QUEUE_ON_DEVICE_DEFAULT, 0, &err), again;
    cl_ok(err);
    ck_assert_ptr_eq(default_of(queue), first);
    ck_assert_ptr_eq(default_of(first), first);
    ck_assert_ptr_null(default_of(other_queue));
    again = new_device_queue(context, CL_QUEUE_ON_DEVICE_DEFAULT, 4096, &err);
    ck_assert_ptr_eq(again, first);
    cl_ok(clGetCommandQueueInfo(first, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL));
    ck_assert_uint_eq(references, 2);
    cl_ok(clReleaseCommandQueue(again));
    cl_ok(clSetDefaultDeviceCommandQueue(context, device, on_device));
    ck_assert_ptr_eq(default_of(queue), on_device);
    cl_ok(clReleaseCommandQueue(first));
    ck_assert_ptr_eq(default_of(queue), on_device);
    first = new_device_queue(other_context, CL_QUEUE_ON_DEVICE_DEFAULT, 0, &err);
    cl_is(clSetDefaultDeviceCommandQueue(context, device, first), CL_INVALID_COMMAND_QUEUE);
    ck_assert_ptr_eq(default_of(other_queue), first);
    cl_ok(clReleaseCommandQueue(first));
    ck_assert_ptr_null(default_of(other_queue));
}
END_TEST

START_TEST(the_host_enqueues_nothing_to_them)
{
    cl_int value = 0;
    cl_is(clEnqueueReadBuffer(on_device, words, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueMarkerWithWaitList(on_device, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clFlush(on_device), CL_INVALID_COMMAND_QUEUE);
    cl_is(clFinish(on_device), CL_INVALID_COMMAND_QUEUE);
}
END_TEST

START_TEST(a_queue_is_an_argument_of_its_own_kind)
{
    cl_int err = 1;
    cl_command_queue elsewhere = new_device_queue(other_context, 0, 0, &err),
                     gone = new_device_queue(context, 0, 0, &err);
    cl_kernel kernel = kernel_of("which");
    const size_t one = 1;
    char type[16];
    cl_is(clSetKernelArg(kernel, 1, sizeof queue, NULL), CL_INVALID_DEVICE_QUEUE);
    cl_is(clSetKernelArg(kernel, 1, sizeof queue, &queue), CL_INVALID_DEVICE_QUEUE);
    cl_is(clSetKernelArg(kernel, 1, sizeof words, &words), CL_INVALID_DEVICE_QUEUE);
    cl_is(clSetKernelArg(kernel, 1, sizeof elsewhere, &elsewhere), CL_INVALID_DEVICE_QUEUE);
    cl_is(clSetKernelArg(kernel, 1, 4, &on_device), CL_INVALID_ARG_SIZE);
    cl_is(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(kernel, 1, sizeof gone, &gone));
    cl_ok(clReleaseCommandQueue(gone));
    cl_is(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    cl_ok(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
    ck_assert_str_eq(type, "queue_t");
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(elsewhere));
}
END_TEST

START_TEST(kernels_see_the_default_queue)
{
    const cl_int *seen = run("which", 1, NULL);
    ck_assert(seen[0] == 0 && seen[1] == 1 && seen[2] == 1);
    cl_ok(clSetDefaultDeviceCommandQueue(context, device, on_device));
    seen = run("which", 1, NULL);
    ck_assert(seen[0] == 1 && seen[1] == 0 && seen[2] == 1);
}
END_TEST

/*
 * Without a default queue get_default_queue() is null. Each function that enqueues to it reports this, once
 * for each place, does nothing, and returns an error; the kernel continues.
 */
START_TEST(a_null_queue_is_found_wherever_it_is_used)
{
    static const char *const calls[] = {
        "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[9] = 1; })",
        "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &e, ^{ "
        "a[9] "
        "= 1; })",
        "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4, 4), ^(local "
        "void *p) "
        "{ a[9] = 1; }, 16)",
        "enqueue_kernel(CLK_NULL_QUEUE, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &u, &e, ^{ a[9] = 1; })",
        "enqueue_marker(get_default_queue(), 1, &u, &e)",
        "enqueue_marker(get_default_queue(), 1, &u, NULL)"};
    const int count = sizeof calls / sizeof *calls;
    for (int i = 0; i < 2 * count; i++) {
        const bool detailed = i >= count;
        char text[600];
        const char *at = text;
        cl_int err = 1;
        snprintf(text, sizeof text,
                 "kernel void k(global int *a, queue_t q) { clk_event_t e, u = create_user_event(); a[0] = "
                 "%s; a[1] = 7; "
                 "set_user_event_status(u, CL_COMPLETE); release_event(u); }\n",
                 calls[i % count]);
        cl_ok(clReleaseProgram(program));
        program = clCreateProgramWithSource(context, 1, &at, NULL, &err);
        cl_ok(clBuildProgram(program, 0, NULL, detailed ? "-cl-std=CL3.0 -g" : "-cl-std=CL3.0", NULL, NULL));
        const cl_int *seen = run("k", 1, NULL);
        ck_assert_msg(seen[0] == (detailed ? INVALID_QUEUE : FAILURE), "%s: %d", text, seen[0]);
        ck_assert_msg(seen[1] == 7 && seen[9] == 0, "%s: %d %d", text, seen[1], seen[9]);
        ck_assert_msg(found("enqueue-misuse") == 1, "%s: %zu findings", text, found("enqueue-misuse"));
        ((void (*)(void))control("orrery_clear_findings"))();
    }
}
END_TEST

START_TEST(blocks_are_no_kernels_of_the_program)
{
    char names[400];
    size_t count = 0;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_ptr_null(strstr(names, "block"));
    ck_assert_uint_eq(count, 12);
}
END_TEST

/* ---- kernels ---------------------------------------------------------------------------------- */

START_TEST(every_form_runs_its_block)
{
    const cl_int *seen = run("forms", 1, NULL);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(seen[i] == SUCCESS, "form %d: %d", i, seen[i]);
    ck_assert_int_eq(seen[4], 1);
    ck_assert_int_eq(seen[8], 7);
    ck_assert_int_eq(seen[9], 8);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(seen[16 + i], 7 + 11 * (3 - i % 4));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(seen[24 + i], 1);
}
END_TEST

START_TEST(ranges_are_those_of_the_descriptor)
{
    static const struct {
        int dimensions, size[3], local[3], offset[3];
    } rows[] = {
        {1, {5, 1, 1}, {0, 1, 1}, {0}}, {1, {6, 1, 1}, {3, 1, 1}, {0}}, {1, {8, 1, 1}, {4, 1, 1}, {7}},
        {2, {4, 3, 1}, {0, 0, 1}, {0}}, {2, {4, 3, 1}, {2, 3, 1}, {0}}, {2, {4, 3, 1}, {2, 3, 1}, {1, 2}},
        {3, {4, 3, 2}, {0}, {0}},       {3, {4, 3, 2}, {2, 3, 1}, {0}}, {3, {4, 3, 2}, {2, 3, 1}, {1, 2, 3}},
    };
    put_word(0, _i);
    const cl_int *seen = run("ranges", 1, NULL) + 32;
    ck_assert_int_eq(seen[0], rows[_i].size[0] * rows[_i].size[1] * rows[_i].size[2]);
    ck_assert_int_eq(seen[1], rows[_i].dimensions);
    for (int d = 0; d < 3; d++) {
        ck_assert_int_eq(seen[2 + d], rows[_i].size[d]);
        ck_assert(seen[5 + d] == rows[_i].local[d] || !rows[_i].local[d]);
        ck_assert_int_eq(seen[8 + d], rows[_i].offset[d]);
    }
}
END_TEST

START_TEST(an_empty_range_runs_nothing)
{
    put_word(0, 9);
    ck_assert_int_eq(run("ranges", 1, NULL)[32], 0);
}
END_TEST

START_TEST(children_have_children)
{
    put_word(0, 5);
    const cl_int *seen = run("nested", 4, NULL);
    for (int i = 1; i < 4; i++)
        ck_assert_int_eq(seen[i], 5 + i);
}
END_TEST

START_TEST(a_parent_is_complete_when_its_children_are)
{
    const cl_int *seen = run("completion", 1, NULL);
    for (int i = 1; i <= 4; i++)
        ck_assert_msg(seen[i] == i, "step %d came as number %d", i, seen[i]);
}
END_TEST

START_TEST(markers_wait_for_their_list)
{
    const cl_int *seen = run("markers", 1, NULL);
    ck_assert_int_eq(seen[3], 7);
    ck_assert_int_eq(seen[4], SUCCESS);
    ck_assert_int_eq(seen[5], SUCCESS);
}
END_TEST

static cl_int run_user(cl_int status, cl_int *out_seen)
{
    cl_kernel kernel = kernel_of("user");
    cl_ok(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    cl_ok(clSetKernelArg(kernel, 2, sizeof status, &status));
    cl_event event = start(kernel, 1);
    cl_ok(clFinish(queue));
    cl_int ended = cl_status(event);
    cl_ok(clReleaseEvent(event));
    memcpy(out_seen, read_words(), 8 * sizeof *out_seen);
    return ended;
}

START_TEST(user_events_delay_their_waiters)
{
    cl_int seen[8];
    cl_ok(run_user(CL_COMPLETE, seen));
    const cl_int expected[] = {0, 1, 0, 0, 6, 6, 1, 0};
    for (int i = 1; i < 8; i++)
        ck_assert_msg(seen[i] == expected[i], "word %d is %d", i, seen[i]);
}
END_TEST

START_TEST(error_of_a_child_is_the_parents)
{
    cl_int seen[8];
    cl_is(run_user(-77, seen), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    ck_assert_int_eq(seen[4], 0);
    ck_assert_int_eq(seen[5], 6);
    ck_assert_int_eq(seen[6], 0);
}
END_TEST

START_TEST(times_of_end_and_completion_differ)
{
    cl_kernel kernel = kernel_of("times");
    const cl_int steps = 100;
    cl_ulong time[3];
    cl_ok(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    cl_ok(clSetKernelArg(kernel, 2, sizeof steps, &steps));
    cl_event event = start(kernel, 1);
    const cl_int *seen = read_words();
    const cl_ulong *captured = (const cl_ulong *)(const void *)seen;
    ck_assert_int_eq(seen[16], 2 * steps);
    ck_assert_uint_gt(captured[0], 0);
    /* the child loops as often, and enqueues nothing */
    ck_assert_uint_ge(10 * (captured[1] - captured[0]), 9 * captured[0]);
    for (cl_profiling_info i = 0; i < 3; i++)
        cl_ok(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START + i, sizeof time[i], &time[i], NULL));
    ck_assert_uint_gt(time[1], time[0]);
    ck_assert_uint_ge(time[2] - time[1], captured[1]);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(block_size_queries_return)
{
    cl_kernel kernel = kernel_of("sizes");
    size_t width = 0, most = 0;
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof width,
                                   &width, NULL));
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    cl_event event = start(kernel, 1);
    const cl_int *seen = read_words();
    ck_assert_int_eq(seen[0], (int)most);
    ck_assert_int_eq(seen[1], (int)width);
    ck_assert_int_eq(seen[2], (int)((80 + width - 1) / width));
    ck_assert_int_eq(seen[3], (int)(width < 80 ? width : 80));
    ck_assert_int_eq(seen[4], (int)(width < 8 ? width : 8));
    cl_ok(clReleaseEvent(event));
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

static const cl_int *run_errors(void)
{
    cl_int err = 1, big = (cl_int)query(CL_DEVICE_MAX_WORK_GROUP_SIZE, 8) + 1;
    cl_command_queue small = new_device_queue(context, 0, 16, &err);
    cl_ok(err);
    cl_kernel kernel = kernel_of("errors");
    cl_ok(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    cl_ok(clSetKernelArg(kernel, 2, sizeof small, &small));
    cl_ok(clSetKernelArg(kernel, 3, sizeof big, &big));
    cl_event event = start(kernel, 1);
    cl_ok(clReleaseCommandQueue(small)); /* the command keeps it */
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    ck_assert_uint_eq(found("enqueue-misuse"), 2); /* the two null queues */
    ((void (*)(void))control("orrery_clear_findings"))();
    return read_words();
}

static const cl_int refusals[] = {INVALID_QUEUE,     INVALID_NDRANGE,   INVALID_NDRANGE,   INVALID_WAIT_LIST,
                                  INVALID_WAIT_LIST, INVALID_WAIT_LIST, INVALID_ARG_SIZE,  OUT_OF_RESOURCES,
                                  QUEUE_FULL,        INVALID_QUEUE,     INVALID_WAIT_LIST, INVALID_WAIT_LIST,
                                  INVALID_WAIT_LIST, QUEUE_FULL,        FAILURE,           INVALID_WAIT_LIST};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

START_TEST(each_refusal_has_its_error)
{
    const cl_int *seen = run_errors();
    for (int i = 0; i < REFUSALS; i++)
        ck_assert_msg(seen[i] == refusals[i], "call %d: %d instead of %d", i, seen[i], refusals[i]);
    ck_assert(!seen[40] && !seen[41]);
}
END_TEST

START_TEST(without_g_every_refusal_is_a_failure)
{
    cl_ok(clReleaseProgram(program));
    program = build("-cl-std=CL2.0");
    const cl_int *seen = run_errors();
    for (int i = 0; i < REFUSALS; i++)
        ck_assert_msg(seen[i] == FAILURE, "call %d: %d", i, seen[i]);
}
END_TEST

START_TEST(groups_must_divide_with_uniform_work_group_size)
{
    static const char text[] =
        "kernel void k(global int *a, queue_t q)\n"
        "{ a[0] = enqueue_kernel(q, 0, ndrange_1D(10, 4), ^{ a[1 + get_global_id(0)] = 1; }); }\n";
    const char *const options[] = {"-cl-std=CL2.0 -g", "-cl-std=CL2.0 -g -cl-uniform-work-group-size"},
                      *at = text;
    cl_int err = 1;
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithSource(context, 1, &at, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, options[_i], NULL, NULL));
    const cl_int *seen = run("k", 1, NULL);
    ck_assert_int_eq(seen[0], _i ? INVALID_NDRANGE : SUCCESS);
    ck_assert_int_eq(seen[10], !_i);
}
END_TEST

START_TEST(events_run_out)
{
    const cl_int more = QUEUE_EVENTS + 100;
    cl_int err = 1;
    cl_ok(clReleaseCommandQueue(on_device));
    on_device = new_device_queue(context, 0, (cl_uint)query(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4), &err);
    const cl_int *seen = run("many", 1, &more);
    ck_assert_int_eq(seen[0], QUEUE_EVENTS);
    ck_assert_int_eq(seen[1], EVENT_ALLOCATION);
    ck_assert_int_eq(seen[2], QUEUE_EVENTS);
    seen = run("many", 1, &more); /* those of the first launch went with it */
    ck_assert_int_eq(seen[0], QUEUE_EVENTS);
}
END_TEST

START_TEST(misused_events_are_found)
{
    cl_kernel kernel = kernel_of("misuse");
    cl_ok(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    cl_ok(clSetKernelArg(kernel, 2, 16, NULL));
    cl_event event = start(kernel, 1);
    cl_ok(clWaitForEvents(1, &event));
    cl_ok(clReleaseEvent(event));
    ck_assert_uint_eq(found("enqueue-misuse"), 8);
    ck_assert_int_eq(read_words()[1], 1);
    ((void (*)(void))control("orrery_clear_findings"))();
}
END_TEST

/* ---- the complete example of OpenCL C, in small ------------------------------------------------------ */

/*
 * Two functions that enqueue each other until all work is done: their space in the queue is free again as
 * they end.
 */
START_TEST(an_iteration_outlives_the_room_of_the_queue)
{
    static const char text[] =
        "void evaluate(queue_t q, global int *a);\n"
        "void step(queue_t q, global int *a)\n"
        "{ a[1 + get_global_id(0)] += 1; if (get_global_id(0) == 0)\n"
        "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ evaluate(q, a); }); }\n"
        "void evaluate(queue_t q, global int *a)\n"
        "{ if (--a[0] > 0) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{ step(q, a); "
        "}); }\n"
        "kernel void first(global int *a, queue_t q) { step(q, a); }\n";
    const char *at = text;
    cl_int err = 1, rounds = 500;
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithSource(context, 1, &at, NULL, &err);
    cl_ok(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    put_word(0, rounds);
    const cl_int *seen = run("first", 4, NULL);
    ck_assert_int_eq(seen[0], 0);
    for (int i = 1; i <= 4; i++)
        ck_assert_int_eq(seen[i], rounds);
}
END_TEST

/* ---- a device without ------------------------------------------------------------------------ */

static void take_scenario(const char *text)
{
    char path[] = "/tmp/orrery-device-queue-XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    setenv("ORRERY_SCENARIO", path, 1);
    cl_find_device();
    unlink(path);
}

START_TEST(a_device_without_has_nothing_of_it)
{
    static const char *const devices[] = {
        "orrery: 1\ndevice: {version: 1.2}\n", "orrery: 1\ndevice: {features: {device_enqueue: off}}\n",
        "orrery: 1\ndevice: {features: {generic_address_space: off}}\n",
        "orrery: 1\ndevice: {version: 2.0, features: {device_enqueue: off}}\n"};
    static const struct {
        cl_device_info name;
        size_t size;
    } sizes[] = {{CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8},
                 {CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4},
                 {CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4},
                 {CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4},
                 {CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4}};
    static const char text[] =
        "kernel void k(queue_t q, global int *a) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ a[0] = 1; }); }\n";
    const char *at = text;
    cl_int err = 1;
    take_scenario(devices[_i]);
    context = cl_new_context();
    cl_ulong capabilities;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && _i; i++)
        ck_assert_uint_eq(query(sizes[i].name, sizes[i].size), 0);
    cl_int answer = clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof capabilities,
                                    &capabilities, NULL);
    cl_is(answer, _i % 3 ? CL_SUCCESS : CL_INVALID_VALUE);
    ck_assert(answer || !capabilities);
    ck_assert_ptr_null(new_device_queue(context, 0, 0, &err));
    cl_is(err, CL_INVALID_QUEUE_PROPERTIES);
    cl_is(clSetDefaultDeviceCommandQueue(context, device, NULL), CL_INVALID_OPERATION);
    program = clCreateProgramWithSource(context, 1, &at, NULL, &err);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-std=CL2.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_is(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device queue");
    TCase *queues = tcase_create("queues"), *kernels = tcase_create("kernels"),
          *errors = tcase_create("errors"), *without = tcase_create("without");
    tcase_add_test(queues, device_reports_its_queue_properties);
    tcase_add_test(queues, device_queues_have_a_size);
    tcase_add_test(queues, device_queues_over_the_limit_are_refused);
    tcase_add_test(queues, a_context_has_one_default_queue_for_a_device);
    tcase_add_test(queues, the_host_enqueues_nothing_to_them);
    tcase_add_test(queues, a_queue_is_an_argument_of_its_own_kind);
    tcase_add_test(queues, kernels_see_the_default_queue);
    tcase_add_test(queues, a_null_queue_is_found_wherever_it_is_used);
    tcase_add_test(queues, blocks_are_no_kernels_of_the_program);
    tcase_add_test(kernels, every_form_runs_its_block);
    tcase_add_loop_test(kernels, ranges_are_those_of_the_descriptor, 0, 9);
    tcase_add_test(kernels, an_empty_range_runs_nothing);
    tcase_add_test(kernels, children_have_children);
    tcase_add_test(kernels, a_parent_is_complete_when_its_children_are);
    tcase_add_test(kernels, markers_wait_for_their_list);
    tcase_add_test(kernels, user_events_delay_their_waiters);
    tcase_add_test(kernels, error_of_a_child_is_the_parents);
    tcase_add_test(kernels, times_of_end_and_completion_differ);
    tcase_add_test(kernels, block_size_queries_return);
    tcase_add_test(kernels, an_iteration_outlives_the_room_of_the_queue);
    tcase_add_test(errors, each_refusal_has_its_error);
    tcase_add_test(errors, without_g_every_refusal_is_a_failure);
    tcase_add_loop_test(errors, groups_must_divide_with_uniform_work_group_size, 0, 2);
    tcase_add_test(errors, events_run_out);
    tcase_add_test(errors, misused_events_are_found);
    TCase *const all[] = {queues, kernels, errors};
    for (size_t i = 0; i < 3; i++) {
        tcase_add_checked_fixture(all[i], set_up, tear_down);
        tcase_set_timeout(all[i], 60);
        suite_add_tcase(suite, all[i]);
    }
    tcase_add_loop_test(without, a_device_without_has_nothing_of_it, 0, 4);
    tcase_set_timeout(without, 60);
    suite_add_tcase(suite, without);
    return cl_run_suite(suite);
}
