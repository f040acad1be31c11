/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what clEnqueueNDRangeKernel refuses, what it hands to the device; native kernels. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cl_fixture.h"

static const char source[] =
    "kernel void store_value(global uint *out, uint value) { out[get_global_id(0)] = value; }\n"
    "kernel void nothing(void) {}\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void sized_8(global uint *out)\n"
    "{ out[get_global_id(0)] = get_local_size(0); }\n"
    "kernel void with_local(global uint *out, local uint *scratch)\n"
    "{ local uint own[4]; own[0] = scratch[0] = 1; out[get_global_id(0)] = get_local_size(0); }\n"
    "kernel void increment(global uint *out) { out[get_global_id(0)]++; }\n"
    "kernel void ids(global uint *out)\n"
    "{ out[(get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0) +\n"
    "      (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - "
    "get_global_offset(0)] =\n"
    "  get_global_id(0) + 1000 * get_global_id(1) + 1000000 * get_global_id(2); }\n";

enum { ITEMS = 256 };
static cl_program program;
static cl_kernel store, nothing, sized, with_local, increment, ids;
static cl_mem out, foreign;
static size_t group_max;
static cl_event foreign_event;

static cl_program build(const char *options)
{
    const char *text = source;
    cl_int err;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(made, 1, &device, options, NULL, NULL));
    return made;
}

static cl_kernel kernel_of(cl_program of, const char *name)
{
    cl_int err;
    cl_kernel made = clCreateKernel(of, name, &err);
    cl_ok(err);
    return made;
}

static void set_up(void)
{
    cl_set_up();
    program = build("");
    store = kernel_of(program, "store_value");
    nothing = kernel_of(program, "nothing");
    sized = kernel_of(program, "sized_8");
    with_local = kernel_of(program, "with_local");
    increment = kernel_of(program, "increment");
    ids = kernel_of(program, "ids");
    out = cl_buffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(cl_uint), NULL);
    foreign = cl_buffer(other_context, CL_MEM_READ_WRITE, 4, NULL);
    foreign_event = cl_user_event(other_context);
    cl_kernel kernels[] = {sized, increment, ids, with_local, store};
    for (int i = 0; i < 5; i++)
        cl_ok(clSetKernelArg(kernels[i], 0, sizeof out, &out));
    cl_ok(clSetKernelArg(store, 1, sizeof(cl_uint), &(cl_uint){7}));
    cl_ok(clSetKernelArg(with_local, 1, 64, NULL));
    cl_ok(clEnqueueFillBuffer(queue, out, &(cl_uint){0}, sizeof(cl_uint), 0, ITEMS * sizeof(cl_uint), 0, NULL,
                              NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group_max, &group_max, NULL));
}

static void tear_down(void)
{
    cl_kernel kernels[] = {store, nothing, sized, with_local, increment, ids};
    for (int i = 0; i < 6; i++)
        cl_ok(clReleaseKernel(kernels[i]));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(foreign));
    cl_ok(clReleaseEvent(foreign_event));
    cl_tear_down();
}

static cl_int launch(cl_kernel kernel, size_t global, size_t local)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL);
}

static void expect_out(size_t first, size_t count, cl_uint value)
{
    cl_uint back[ITEMS];
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    for (size_t i = 0; i < ITEMS; i++)
        ck_assert_msg(back[i] == (i >= first && i < first + count ? value : 0), "element %zu is %u", i,
                      back[i]);
}

START_TEST(clEnqueueNDRangeKernel_judges_its_arguments)
{
    const size_t eight = 8, zero = 0;
    cl_event one = cl_user_event(context), none = NULL;
    cl_is(clEnqueueNDRangeKernel(NULL, nothing, 1, NULL, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueNDRangeKernel(queue, NULL, 1, NULL, &eight, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    cl_is(clEnqueueNDRangeKernel(queue, (cl_kernel)program, 1, NULL, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_KERNEL);
    cl_is(clEnqueueNDRangeKernel(other_queue, nothing, 1, NULL, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, &eight, NULL, 1, &foreign_event, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 0, NULL, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_WORK_DIMENSION);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 4, NULL, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_WORK_DIMENSION);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, (size_t[]){SIZE_MAX - 7}, &eight, NULL, 0, NULL, NULL),
          CL_INVALID_GLOBAL_OFFSET);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, &eight, &zero, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, &eight, NULL, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, &eight, NULL, 0, &one, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, &eight, NULL, 1, &none, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clEnqueueNDRangeKernel(queue, nothing, 1, (size_t[]){SIZE_MAX - 8}, &eight, &eight, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(one));
}
END_TEST

/* OpenCL C 2.0, 6.13.13.1: the output is flushed when the kernel's event is complete, wherever stdout
 * leads. */
START_TEST(printf_output_is_flushed_at_completion)
{
    const char *text = "kernel void say(int n) { printf(\"%d|\", n); }";
    char got[16] = "";
    const cl_int seven = 7;
    const size_t items = 2;
    int ends[2];
    cl_int err;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(made, 1, &device, "", NULL, NULL));
    cl_kernel prints = kernel_of(made, "say");
    cl_ok(clSetKernelArg(prints, 0, sizeof seven, &seven));
    ck_assert_int_eq(pipe(ends), 0);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
    err = clEnqueueNDRangeKernel(queue, prints, 1, NULL, &items, NULL, 0, NULL, NULL);
    err = err ? err : clFinish(queue);
    dup2(kept, STDOUT_FILENO);
    close(ends[1]);
    cl_ok(err);
    ck_assert_int_eq(read(ends[0], got, sizeof got - 1), 4);
    ck_assert_str_eq(got, "7|7|");
    close(ends[0]);
    close(kept);
    cl_ok(clReleaseKernel(prints));
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(work_group_sizes_are_judged)
{
    size_t sizes[3];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
    cl_ok(launch(nothing, group_max, group_max));
    cl_is(launch(nothing, 4 * sizes[0], 2 * sizes[0]), CL_INVALID_WORK_ITEM_SIZE);
    const size_t global[3] = {group_max, 2, 2};
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 2, NULL, global, (size_t[]){group_max, 2}, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 3, NULL, global, (size_t[]){1, 1, 2 * sizes[2]}, 0, NULL,
                                 NULL),
          CL_INVALID_WORK_ITEM_SIZE);
    cl_ok(clEnqueueNDRangeKernel(queue, nothing, 3, NULL, global, (size_t[]){group_max / 4, 2, 2}, 0, NULL,
                                 NULL));
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(a_required_size_is_required)
{
    cl_is(launch(sized, 16, 4), CL_INVALID_WORK_GROUP_SIZE);
    cl_is(launch(sized, 12, 8), CL_INVALID_WORK_GROUP_SIZE);
    cl_is(launch(sized, 12, 0), CL_INVALID_WORK_GROUP_SIZE);
    cl_is(clEnqueueNDRangeKernel(queue, sized, 2, NULL, (size_t[]){8, 2}, (size_t[]){8, 2}, 0, NULL, NULL),
          CL_INVALID_WORK_GROUP_SIZE);
    cl_is(clEnqueueTask(queue, sized, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    cl_ok(launch(sized, 16, 8));
    expect_out(0, 16, 8);
    cl_ok(launch(sized, 24, 0));
    expect_out(0, 24, 8);
}
END_TEST

/* Uniform groups: the default of source programs, and with the option. */
START_TEST(ragged_groups_need_a_program_that_allows_them)
{
    static const struct {
        const char *options;
        cl_int expected;
    } cases[] = {
        {"", CL_INVALID_WORK_GROUP_SIZE},
        {"-cl-std=CL1.2", CL_INVALID_WORK_GROUP_SIZE},
        {"-cl-std=CL2.0", CL_SUCCESS},
        {"-cl-std=CL3.0", CL_SUCCESS},
        {"-cl-std=CL2.0 -cl-uniform-work-group-size", CL_INVALID_WORK_GROUP_SIZE},
    };
    cl_program other = build(cases[_i].options);
    cl_kernel kernel = kernel_of(other, "nothing");
    cl_is(launch(kernel, 10, 4), cases[_i].expected);
    cl_ok(launch(kernel, 12, 4));
    cl_ok(launch(kernel, 10007, 0));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(other));
}
END_TEST

/* A linked program has what its strictest input has; so has the binary made of it. */
START_TEST(objects_of_1_2_keep_groups_uniform_when_linked)
{
    static const char text[] = "kernel void nothing(void) {}\n";
    const char *given = text;
    const bool old = _i;
    cl_int err = 1;
    cl_program object = clCreateProgramWithSource(context, 1, &given, NULL, &err);
    cl_ok(err);
    cl_ok(clCompileProgram(object, 0, NULL, old ? "-cl-std=CL1.2" : "-cl-std=CL2.0", 0, NULL, NULL, NULL,
                           NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = kernel_of(linked, "nothing");
    cl_is(launch(kernel, 10, 4), old ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS);
    cl_ok(launch(kernel, 12, 4));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(object));
}
END_TEST

/* Without a local size there is none to number its work-items by. */
START_TEST(an_empty_range_does_nothing)
{
    const size_t empty[3] = {4, 0, 4};
    cl_event event;
    setenv("ORRERY_DATA_RACES", _i ? "error" : "off", 1);
    set_up();
    cl_ok(launch(store, 0, 0));
    cl_ok(launch(store, 0, 4));
    cl_ok(clEnqueueNDRangeKernel(queue, store, 1, NULL, NULL, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, store, 3, NULL, empty, NULL, 0, NULL, &event));
    cl_ok(clWaitForEvents(1, &event));
    expect_out(0, 0, 0);
    cl_ok(clReleaseEvent(event));
    tear_down();
}
END_TEST

START_TEST(an_empty_range_is_an_error_before_2_1)
{
    setenv("ORRERY_DEVICE_VERSION", "2.0", 1);
    set_up();
    char version[64] = "";
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    ck_assert_int_eq(strncmp(version, "OpenCL 2.0", 10), 0);
    cl_is(launch(nothing, 0, 0), CL_INVALID_GLOBAL_WORK_SIZE);
    cl_is(clEnqueueNDRangeKernel(queue, nothing, 1, NULL, NULL, NULL, 0, NULL, NULL),
          CL_INVALID_GLOBAL_WORK_SIZE);
    tear_down();
}
END_TEST

START_TEST(every_argument_must_be_set)
{
    cl_kernel fresh = kernel_of(program, "store_value");
    cl_is(launch(fresh, 8, 0), CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(fresh, 0, sizeof out, &out));
    cl_is(launch(fresh, 8, 0), CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(fresh, 1, sizeof(cl_uint), &(cl_uint){3}));
    cl_ok(launch(fresh, 8, 0));
    expect_out(0, 8, 3);
    cl_ok(clReleaseKernel(fresh));
}
END_TEST

START_TEST(a_buffer_released_before_the_launch_is_refused)
{
    cl_mem gone = cl_buffer(context, 0, 1024, NULL);
    cl_ok(clSetKernelArg(increment, 0, sizeof gone, &gone));
    cl_ok(clReleaseMemObject(gone));
    cl_is(launch(increment, 8, 0), CL_INVALID_KERNEL_ARGS);
    cl_mem next = cl_buffer(context, 0, 1024, NULL);
    cl_is(launch(increment, 8, 0), CL_INVALID_KERNEL_ARGS);
    cl_ok(clReleaseMemObject(next));
}
END_TEST

START_TEST(arguments_are_those_of_the_call)
{
    cl_event gate = cl_user_event(context);
    cl_mem scratch = cl_buffer(context, 0, ITEMS * sizeof(cl_uint), NULL);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
    cl_ok(launch(store, 16, 0));
    cl_ok(clSetKernelArg(store, 1, sizeof(cl_uint), &(cl_uint){99}));
    cl_ok(clSetKernelArg(store, 0, sizeof scratch, &scratch));
    cl_ok(launch(store, 16, 0));
    cl_ok(clReleaseMemObject(scratch)); /* lives on until the command ends */
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    expect_out(0, 16, 7);
    cl_ok(clReleaseEvent(gate));
}
END_TEST

START_TEST(a_kernel_released_early_still_runs)
{
    cl_program own = build("");
    cl_kernel kernel = kernel_of(own, "increment");
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(launch(kernel, 10, 0));
    cl_ok(launch(kernel, 10, 0));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(own));
    expect_out(0, 10, 2);
}
END_TEST

START_TEST(local_memory_over_the_limit_is_refused)
{
    cl_ulong limit = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof limit, &limit, NULL));
    cl_ok(clSetKernelArg(with_local, 1, (size_t)limit - 16, NULL));
    cl_ok(launch(with_local, 8, 8));
    cl_ok(clSetKernelArg(with_local, 1, (size_t)limit - 15, NULL));
    cl_is(launch(with_local, 8, 8), CL_OUT_OF_RESOURCES);
    cl_ok(clSetKernelArg(with_local, 1, SIZE_MAX, NULL));
    cl_is(launch(with_local, 8, 8), CL_OUT_OF_RESOURCES);
    cl_ok(clFinish(queue));
}
END_TEST

START_TEST(offsets_and_dimensions_reach_the_kernel)
{
    cl_uint back[ITEMS], expected[ITEMS] = {0};
    const size_t global[3] = {4, 3, 2}, offset[3] = {10, 20, 30};
    for (cl_uint z = 0, i = 0; z < 2; z++)
        for (cl_uint y = 0; y < 3; y++)
            for (cl_uint x = 0; x < 4; x++)
                expected[i++] = 10 + x + 1000 * (20 + y) + 1000000 * (30 + z);
    cl_ok(clEnqueueNDRangeKernel(queue, ids, 3, offset, global, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    ck_assert_mem_eq(back, expected, sizeof back);
}
END_TEST

START_TEST(event_of_a_launch_has_its_command_type)
{
    cl_event event;
    cl_command_type type = 0;
    const size_t global = ITEMS;
    cl_ok(clEnqueueNDRangeKernel(queue, increment, 1, NULL, &global, NULL, 0, NULL, &event));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_NDRANGE_KERNEL);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(clEnqueueTask_runs_one_work_item)
{
    cl_event event;
    cl_command_type type = 0;
    cl_is(clEnqueueTask(NULL, increment, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueTask(queue, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    cl_is(clEnqueueTask(queue, increment, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_ok(clEnqueueTask(queue, increment, 0, NULL, &event));
    expect_out(0, 1, 1);
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_COMMAND_TASK);
    cl_ok(clReleaseEvent(event));
}
END_TEST

START_TEST(launches_of_one_queue_see_each_other)
{
    for (int i = 0; i < 50; i++)
        cl_ok(launch(increment, ITEMS, 64));
    expect_out(0, ITEMS, 50);
}
END_TEST

START_TEST(a_sub_buffer_is_an_argument)
{
    cl_int err;
    const cl_buffer_region region = {128 * sizeof(cl_uint), 64 * sizeof(cl_uint)};
    cl_mem part = clCreateSubBuffer(out, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(store, 0, sizeof part, &part));
    cl_ok(launch(store, 64, 0));
    expect_out(128, 64, 7);
    cl_ok(clReleaseMemObject(part));
}
END_TEST

START_TEST(a_launch_that_a_finding_ends_is_complete)
{
    cl_event event, after;
    cl_int status = 1;
    setenv("ORRERY_KEEP_EXIT_CODE", "true", 1);
    setenv("ORRERY_QUIET", "true", 1);
    set_up();
    FILE *muted = freopen("/dev/null", "w", stderr);
    ck_assert_ptr_nonnull(muted);
    cl_ok(clSetKernelArg(store, 0, sizeof(cl_mem), NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, store, 1, NULL, (size_t[]){8}, NULL, 0, NULL, &event));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 1, &event, &after));
    cl_ok(clWaitForEvents(1, &after));
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    cl_is(status, CL_COMPLETE);
    expect_out(0, 0, 0);
    clReleaseEvent(event), clReleaseEvent(after);
    tear_down();
}
END_TEST

static void spin(void)
{
    static const char endless[] =
        "kernel void spin(global volatile uint *out) { while (out[0] == 0) out[1]++; }";
    const char *text = endless;
    setenv("ORRERY_MAX_STEPS", "10000", 1);
    cl_set_up();
    out = cl_buffer(context, CL_MEM_READ_WRITE, 8, NULL);
    program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_ok(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "spin");
    cl_ok(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_ok(clEnqueueFillBuffer(queue, out, &(cl_uint){0}, 4, 0, 8, 0, NULL, NULL));
    if (!freopen("/dev/null", "w", stderr))
        _exit(1);
    cl_ok(launch(kernel, 1, 1));
    cl_ok(clFinish(queue));
}

START_TEST(a_kernel_without_progress_ends_the_process)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        alarm(30);
        spin();
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 124, "wait status %#x", (unsigned)status);
}
END_TEST

/* ---- native kernels ------------------------------------------------------------------------ */

struct native_args {
    uint32_t *first, *second;
    uint32_t value;
};

static void CL_CALLBACK native(void *data)
{
    const struct native_args *args = data;
    args->first[1] = args->value;
    if (args->second)
        abort();
}

START_TEST(clEnqueueNativeKernel_judges_its_arguments)
{
    struct native_args args = {0};
    const void *places[] = {&args.first, &args.second};
    cl_mem list[] = {out, NULL}, bad[] = {(cl_mem)queue, NULL}, strange[] = {foreign, NULL};
    cl_is(clEnqueueNativeKernel(NULL, native, &args, sizeof args, 2, list, places, 0, NULL, NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_is(clEnqueueNativeKernel(queue, NULL, &args, sizeof args, 2, list, places, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, NULL, sizeof args, 0, NULL, NULL, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, NULL, 0, 2, list, places, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, NULL, places, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, list, NULL, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 0, list, NULL, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 0, NULL, places, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, bad, places, 0, NULL, NULL),
          CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, strange, places, 0, NULL, NULL),
          CL_INVALID_CONTEXT);
    cl_is(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, list, places, 1, NULL, NULL),
          CL_INVALID_EVENT_WAIT_LIST);
}
END_TEST

START_TEST(a_native_kernel_gets_pointers_for_buffers)
{
    struct native_args args = {.value = 5};
    const void *places[] = {&args.first, &args.second};
    const cl_mem list[] = {out, NULL};
    args.second = &args.value;
    cl_ok(clEnqueueNativeKernel(queue, native, &args, sizeof args, 2, list, places, 0, NULL, NULL));
    memset(&args, 0, sizeof args);
    expect_out(1, 1, 5);
}
END_TEST

static Suite *kernel_suite(void)
{
    Suite *suite = suite_create("enqueue_kernel");
    TCase *launches = tcase_create("launches"), *natives = tcase_create("native"),
          *versions = tcase_create("versions");
    tcase_add_checked_fixture(launches, set_up, tear_down);
    tcase_set_timeout(launches, 60);
    tcase_add_test(launches, clEnqueueNDRangeKernel_judges_its_arguments);
    tcase_add_test(launches, printf_output_is_flushed_at_completion);
    tcase_add_test(launches, work_group_sizes_are_judged);
    tcase_add_test(launches, a_required_size_is_required);
    tcase_add_loop_test(launches, ragged_groups_need_a_program_that_allows_them, 0, 5);
    tcase_add_loop_test(launches, objects_of_1_2_keep_groups_uniform_when_linked, 0, 2);
    tcase_add_test(launches, every_argument_must_be_set);
    tcase_add_test(launches, a_buffer_released_before_the_launch_is_refused);
    tcase_add_test(launches, arguments_are_those_of_the_call);
    tcase_add_test(launches, a_kernel_released_early_still_runs);
    tcase_add_test(launches, local_memory_over_the_limit_is_refused);
    tcase_add_test(launches, offsets_and_dimensions_reach_the_kernel);
    tcase_add_test(launches, event_of_a_launch_has_its_command_type);
    tcase_add_test(launches, clEnqueueTask_runs_one_work_item);
    tcase_add_test(launches, launches_of_one_queue_see_each_other);
    tcase_add_test(launches, a_sub_buffer_is_an_argument);
    tcase_set_timeout(versions, 60);
    tcase_add_test(versions, a_launch_that_a_finding_ends_is_complete);
    tcase_add_test(versions, a_kernel_without_progress_ends_the_process);
    tcase_add_loop_test(versions, an_empty_range_does_nothing, 0, 2);
    tcase_add_test(versions, an_empty_range_is_an_error_before_2_1);
    tcase_add_checked_fixture(natives, set_up, tear_down);
    tcase_set_timeout(natives, 60);
    tcase_add_test(natives, clEnqueueNativeKernel_judges_its_arguments);
    tcase_add_test(natives, a_native_kernel_gets_pointers_for_buffers);
    suite_add_tcase(suite, launches);
    suite_add_tcase(suite, versions);
    suite_add_tcase(suite, natives);
    return suite;
}

int main(void)
{
    return cl_run_suite(kernel_suite());
}
