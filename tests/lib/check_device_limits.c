/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that the device reports hold: a value at the limit works, one past it is refused with the error
 * of the specification. And results of single calls that depend on the device or on the kind of a binary. The
 * numbers are those of clGetDeviceInfo, so the tests hold for any configuration.
 */
#include "tests/support/cl_fixture.h"

static size_t limit(cl_device_info query)
{
    uint64_t value = 0;
    size_t size = 0;
    cl_ok(clGetDeviceInfo(device, query, sizeof value, &value, &size));
    return (size_t)value;
}

static cl_int launch(cl_kernel kernel)
{
    const size_t one = 1;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
}

static void set_buffer(cl_kernel kernel, cl_uint index, cl_mem buffer)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof buffer, &buffer));
}

/* ---- limits ------------------------------------------------------------------------------------ */

START_TEST(constant_buffer_of_the_limit_runs_and_one_larger_is_refused)
{
    const size_t most = limit(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    cl_kernel kernel =
        cl_kernel_of(context, "kernel void k(global int *o, constant int *c) { o[0] = c[0]; }", "");
    cl_mem out = cl_buffer(context, 0, 64, NULL);
    for (int more = 0; more < 2; more++) {
        cl_mem in = cl_buffer(context, 0, most + (size_t)more * 4, NULL);
        const int zero = 0;
        cl_ok(clEnqueueFillBuffer(queue, in, &zero, sizeof zero, 0, 4, 0, NULL, NULL));
        set_buffer(kernel, 0, out);
        set_buffer(kernel, 1, in);
        cl_is(launch(kernel), more ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        cl_ok(clFinish(queue));
        cl_ok(clReleaseMemObject(in));
    }
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(constant_arguments_of_the_limit_run_and_one_more_is_refused)
{
    const size_t most = limit(CL_DEVICE_MAX_CONSTANT_ARGS);
    cl_mem memory = cl_buffer(context, 0, 64, NULL);
    for (size_t count = most; count <= most + 1; count++) {
        char *source = malloc(64 + count * 32),
             *end = source + sprintf(source, "kernel void k(global int *o");
        for (size_t i = 0; i < count; i++)
            end += sprintf(end, ", constant int *c%zu", i);
        sprintf(end, ") { o[0] = 1; }");
        cl_kernel kernel = cl_kernel_of(context, source, "");
        for (cl_uint i = 0; i <= count; i++)
            set_buffer(kernel, i, memory);
        cl_is(launch(kernel), count > most ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        cl_ok(clFinish(queue));
        cl_ok(clReleaseKernel(kernel));
        free(source);
    }
    cl_ok(clReleaseMemObject(memory));
}
END_TEST

START_TEST(arguments_of_the_limit_run_and_larger_ones_are_refused)
{
    const size_t most = limit(CL_DEVICE_MAX_PARAMETER_SIZE);
    cl_mem memory = cl_buffer(context, 0, 64, NULL);
    for (size_t size = most - 8; size <= most; size += 8) { /* beside a pointer */
        char source[200];
        char *bytes = calloc(1, size);
        snprintf(source, sizeof source,
                 "typedef struct { char c[%zu]; } big; kernel void k(global int *o, big b) { o[0] = b.c[o[1] "
                 "& 7]; }",
                 size);
        cl_kernel kernel = cl_kernel_of(context, source, "");
        const int zero = 0;
        cl_ok(clEnqueueFillBuffer(queue, memory, &zero, sizeof zero, 0, 64, 0, NULL, NULL));
        set_buffer(kernel, 0, memory);
        cl_ok(clSetKernelArg(kernel, 1, size, bytes));
        cl_is(launch(kernel), size + 8 > most ? CL_OUT_OF_RESOURCES : CL_SUCCESS);
        cl_ok(clFinish(queue));
        cl_ok(clReleaseKernel(kernel));
        free(bytes);
    }
    cl_ok(clReleaseMemObject(memory));
}
END_TEST

START_TEST(program_variable_of_the_limit_builds)
{
    char source[200];
    snprintf(source, sizeof source,
             "global uchar v[%zu]; kernel void k(global uchar *o) { v[get_global_id(0)] = *o; }",
             limit(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE));
    cl_ok(clReleaseKernel(cl_kernel_of(context, source, "-cl-std=CL3.0")));
}
END_TEST

/* SPIR-V, 2.17, requires 255; OpenCL C has a limit in bytes only. */
START_TEST(function_of_more_than_255_parameters_builds_and_runs)
{
    enum { COUNT = 300 };
    char source[16000], *end = source + sprintf(source, "int last(int a0");
    int result = 0;
    for (int i = 1; i < COUNT; i++)
        end += sprintf(end, ", int a%d", i);
    end += sprintf(end, ") { return a0 + a%d; }\nkernel void k(global int *o) { *o = last(0", COUNT - 1);
    for (int i = 1; i < COUNT; i++)
        end += sprintf(end, ", %d", i);
    sprintf(end, "); }\n");
    cl_kernel kernel = cl_kernel_of(context, source, "");
    cl_mem out = cl_buffer(context, 0, sizeof result, NULL);
    set_buffer(kernel, 0, out);
    cl_ok(launch(kernel));
    cl_ok(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
    ck_assert_int_eq(result, COUNT - 1);
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* OpenCL 2.2 API, table 27: at least what each work-item uses. */
START_TEST(private_memory_is_computed_before_the_first_launch)
{
    cl_ulong bytes = 0;
    cl_kernel kernel = cl_kernel_of(
        context,
        "kernel void k(global int *o) { int a[100]; for (int i = 0; i < 100; i++) a[i] = i * o[i];"
        "int s = 0; for (int i = 0; i < 100; i++) s += a[o[i] % 100]; o[0] = s; }",
        "-cl-opt-disable");
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_ge(bytes, 400);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static cl_ulong private_bytes_of(const char *source, const char *options)
{
    cl_ulong bytes = 0;
    cl_kernel kernel = cl_kernel_of(context, source, options);
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    cl_ok(clReleaseKernel(kernel));
    return bytes;
}

/* OpenCL 3.0 API, 5.8.6.3: no optimisation, which is on by default. */
START_TEST(variables_stay_in_memory_without_optimisation_only)
{
    static const char source[] = "kernel void k(global int *o) { int a = o[0], b = a * a; o[1] = a + b; }";
    ck_assert_uint_eq(private_bytes_of(source, ""), 0);
    ck_assert_uint_ge(private_bytes_of(source, "-cl-opt-disable"), 2 * sizeof(cl_int));
}
END_TEST

/* ---- binaries ------------------------------------------------------------------------------------- */

static cl_program reload(cl_program program)
{
    size_t size = 0;
    cl_int err;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    cl_program made =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &err);
    cl_ok(err);
    free(bytes);
    return made;
}

START_TEST(build_of_object_and_library_binary_is_refused_and_of_executable_is_not)
{
    cl_int err;
    cl_program object = cl_program_of(context, "int twice(int x) { return 2 * x; }", NULL);
    cl_ok(clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program library = clLinkProgram(context, 0, NULL, "-create-library", 1, &object, NULL, NULL, &err);
    cl_ok(err);
    cl_program executable = cl_program_of(context, "kernel void k(global int *o) { *o = 1; }", "");
    const cl_program programs[] = {object, library, executable};
    for (int i = 0; i < 3; i++) {
        cl_program again = reload(programs[i]);
        cl_is(clBuildProgram(again, 0, NULL, "", NULL, NULL), i < 2 ? CL_INVALID_BINARY : CL_SUCCESS);
        cl_ok(clReleaseProgram(again));
        cl_ok(clReleaseProgram(programs[i]));
    }
}
END_TEST

/* ---- linking for devices that have different parts (OpenCL 3.0 API, clLinkProgram) ----------- */

static cl_device_id halves[2];
static cl_context both;

static cl_program compiled_for(const char *source, cl_uint count, const cl_device_id *devices)
{
    cl_program program = cl_program_of(both, source, NULL);
    cl_ok(clCompileProgram(program, count, devices, "", 0, NULL, NULL, NULL, NULL));
    return program;
}

static void split(void)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    cl_int err;
    cl_set_up_with("device: {topology: \"cu:4\"}");
    cl_ok(clCreateSubDevices(device, list, 2, halves, NULL));
    both = clCreateContext(NULL, 2, halves, NULL, NULL, &err);
    cl_ok(err);
}

static const char calls[] = "int f(void); kernel void k(global int *o) { o[0] = f(); }";
static const char called[] = "int f(void) { return 1; }";

/* devices of each: bit d, device d */
static const struct {
    int first, second;
    cl_int err;
    int executable;
} links[] = {
    {3, 3, CL_SUCCESS, 3},           {1, 1, CL_SUCCESS, 1},           {2, 2, CL_SUCCESS, 2},
    {1, 2, CL_INVALID_OPERATION, 0}, {3, 1, CL_INVALID_OPERATION, 0}, {2, 3, CL_INVALID_OPERATION, 0},
};

static cl_program compiled_by_mask(const char *source, int mask)
{
    return compiled_for(source, mask == 3 ? 2 : 1, mask == 2 ? &halves[1] : halves);
}

START_TEST(link_gives_an_executable_to_the_devices_that_have_all_parts)
{
    cl_int err;
    const cl_program parts[] = {compiled_by_mask(calls, links[_i].first),
                                compiled_by_mask(called, links[_i].second)};
    cl_program linked = clLinkProgram(both, 0, NULL, "", 2, parts, NULL, NULL, &err);
    cl_is(err, links[_i].err);
    for (int d = 0; d < 2 && err == CL_SUCCESS; d++) {
        cl_build_status status;
        cl_ok(
            clGetProgramBuildInfo(linked, halves[d], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        cl_is(status, links[_i].executable >> d & 1 ? CL_BUILD_SUCCESS : CL_BUILD_NONE);
    }
}
END_TEST

/* ---- images ------------------------------------------------------------------------------------------ */

/* The conformance tests compare the fourth channel with what RGBA has. */
START_TEST(fill_writes_the_fourth_channel_of_rgbx_as_of_rgba)
{
    const cl_channel_order orders[] = {CL_RGBx, CL_RGBA};
    const cl_channel_type types[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_FLOAT, CL_HALF_FLOAT};
    const float color[4] = {0.25f, 0.5f, 0.75f, 1};
    const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    unsigned char texel[2][16] = {{0}};
    for (int o = 0; o < 2; o++) {
        cl_int err;
        const cl_image_format format = {orders[o], types[_i]};
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
        cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
        cl_ok(err);
        cl_ok(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
        cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texel[o], 0, NULL, NULL));
        cl_ok(clReleaseMemObject(image));
    }
    ck_assert_mem_eq(texel[0], texel[1], sizeof texel[0]);
}
END_TEST

START_TEST(image_of_a_buffer_takes_its_pitch_or_none_and_no_smaller_one)
{
    static const struct {
        size_t pitch;
        cl_int err;
    } pitches[] = {{0, CL_SUCCESS},
                   {64, CL_SUCCESS},
                   {48, CL_INVALID_IMAGE_DESCRIPTOR},
                   {60, CL_INVALID_IMAGE_DESCRIPTOR}};
    cl_mem buffer = cl_buffer(context, 0, 64, NULL);
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
        cl_int err;
        const cl_image_format format = {CL_RGBA, CL_FLOAT};
        const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                    .image_width = 4,
                                    .image_row_pitch = pitches[i].pitch,
                                    .buffer = buffer};
        cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &err);
        cl_is(err, pitches[i].err);
        if (image)
            cl_ok(clReleaseMemObject(image));
    }
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(formats_that_clang_leaves_out_have_their_names_in_kernels)
{
    static const char *const options[] = {"", "-cl-std=CL3.0", "-cl-std=CLC++2021"};
    static const char with_order[] = "kernel void k(read_only image2d_t i, global int *o) {"
                                     "*o = get_image_channel_data_type(i) == CLK_UNORM_INT_101010_2 &&"
                                     "get_image_channel_order(i) == CLK_sRGBA; }";
    cl_ok(
        clReleaseKernel(cl_kernel_of(context,
                                     _i ? with_order
                                        : "kernel void k(read_only image2d_t i, global int *o) {"
                                          "*o = get_image_channel_data_type(i) == CLK_UNORM_INT_101010_2; }",
                                     options[_i])));
}
END_TEST

/* ---- captured times (OpenCL 3.0 C, capture_event_profiling_info) ----------------------------- */

START_TEST(capture_of_complete_event_writes_before_it_returns)
{
    static const char source[] =
        "void look(clk_event_t e, global ulong *o) {"
        "  capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, o); o[2] = o[0]; o[3] = o[1]; "
        "release_event(e); }"
        "kernel void k(global ulong *o) { clk_event_t e; queue_t q = get_default_queue();"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &e, ^{ o[4] += 1; });"
        "  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &e, NULL, ^{ look(e, o); }); }";
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE |
                                            CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE,
                                        0};
    cl_ulong out[5] = {77, 77, 77, 77, 0};
    cl_int err;
    cl_command_queue own = clCreateCommandQueueWithProperties(context, device, list, &err);
    cl_ok(err);
    cl_kernel kernel = cl_kernel_of(context, source, "-cl-std=CL3.0");
    cl_mem memory = cl_buffer(context, CL_MEM_COPY_HOST_PTR, sizeof out, out);
    set_buffer(kernel, 0, memory);
    cl_ok(launch(kernel));
    cl_ok(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    ck_assert_uint_gt(out[2], 0);
    ck_assert_uint_ne(out[2], 77);
    ck_assert_uint_ge(out[3], out[2]);
    cl_ok(clReleaseMemObject(memory));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(own));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("limits of the device");
    TCase *limits = tcase_create("limits"), *link = tcase_create("link");
    tcase_add_checked_fixture(limits, cl_set_up, cl_tear_down);
    tcase_set_timeout(limits, 20);
    tcase_add_test(limits, constant_buffer_of_the_limit_runs_and_one_larger_is_refused);
    tcase_add_test(limits, constant_arguments_of_the_limit_run_and_one_more_is_refused);
    tcase_add_test(limits, arguments_of_the_limit_run_and_larger_ones_are_refused);
    tcase_add_test(limits, program_variable_of_the_limit_builds);
    tcase_add_test(limits, function_of_more_than_255_parameters_builds_and_runs);
    tcase_add_test(limits, private_memory_is_computed_before_the_first_launch);
    tcase_add_test(limits, variables_stay_in_memory_without_optimisation_only);
    tcase_add_test(limits, build_of_object_and_library_binary_is_refused_and_of_executable_is_not);
    tcase_add_loop_test(limits, fill_writes_the_fourth_channel_of_rgbx_as_of_rgba, 0, 4);
    tcase_add_test(limits, image_of_a_buffer_takes_its_pitch_or_none_and_no_smaller_one);
    tcase_add_loop_test(limits, formats_that_clang_leaves_out_have_their_names_in_kernels, 0, 3);
    tcase_add_test(limits, capture_of_complete_event_writes_before_it_returns);
    tcase_add_checked_fixture(link, split, NULL);
    tcase_add_loop_test(link, link_gives_an_executable_to_the_devices_that_have_all_parts, 0,
                        sizeof links / sizeof *links);
    suite_add_tcase(suite, limits);
    suite_add_tcase(suite, link);
    return cl_run_suite(suite);
}
