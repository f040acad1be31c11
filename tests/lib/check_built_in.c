/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in kernels, which a scenario gives to its devices: OpenCL 2.2 API 5.8.1, 5.9.4, 3.0 API 4.2. */
#include "tests/support/cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

static const char arithmetic[] = "kernel void add(global int *o, int n) { o[get_global_id(0)] += n; }\n"
                                 "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int "
                                 "*o, int n) { o[get_global_id(0)] = (int)get_local_size(0); }\n"
                                 "kernel void unused(void) {}\n";

static char directory[] = "/tmp/check_built_in.XXXXXX";
static cl_device_id devices[2];
static cl_uint device_count;
static cl_program program;

static void write_file(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* keys: of the scenario, beside its version; its files are beside it, and gone when the test is. */
static void start(const char *keys, cl_device_type type)
{
    char path[100], text[300];
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    write_file("arithmetic.cl", arithmetic);
    write_file("own.cl", "kernel void own(global int *o, int n) { o[get_global_id(0)] -= n; }\n");
    snprintf(text, sizeof text, "orrery: 1\n%s\n", keys);
    write_file("scenario.yaml", text);
    snprintf(path, sizeof path, "%s/scenario.yaml", directory);
    setenv("ORRERY_SCENARIO", path, 1);
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_ok(clGetDeviceIDs(platform, type, 2, devices, &device_count));
    cl_int err;
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &err);
    cl_ok(err);
    device = devices[0];
}

static void stop(void)
{
    static const char *const files[] = {"arithmetic.cl", "own.cl", "scenario.yaml"};
    char path[100];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
    if (context)
        cl_ok(clReleaseContext(context));
}

static cl_program made(cl_uint count, const char *names, cl_int expected)
{
    cl_int err = 1;
    cl_program made = clCreateProgramWithBuiltInKernels(context, count, devices, names, &err);
    cl_is(err, expected);
    ck_assert_int_eq(made != NULL, expected == CL_SUCCESS);
    return made;
}

/* The kernel's result for 1, 2, 3, 4 and the argument 40. */
static void outcome(cl_device_id on, const char *name, cl_int values[4])
{
    const cl_int n = 40;
    const size_t four = 4;
    cl_int err = 1;
    for (cl_int i = 0; i < 4; i++)
        values[i] = i + 1;
    cl_command_queue made_queue = clCreateCommandQueueWithProperties(context, on, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = clCreateKernel(program, name, &err);
    cl_ok(err);
    cl_mem buffer = cl_buffer(context, CL_MEM_COPY_HOST_PTR, 16, values);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(kernel, 1, sizeof n, &n));
    cl_ok(clEnqueueNDRangeKernel(made_queue, kernel, 1, NULL, &four, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(made_queue, buffer, CL_TRUE, 0, 16, values, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseCommandQueue(made_queue));
}

static const char *names_of(cl_device_id of)
{
    static char names[200];
    cl_ok(clGetDeviceInfo(of, CL_DEVICE_BUILT_IN_KERNELS, sizeof names, names, NULL));
    return names;
}

START_TEST(a_device_lists_them)
{
    static const char *const expected[] = {"add", "four", "unused"};
    cl_name_version list[4];
    size_t size;
    start("device: {built_in_kernels: arithmetic.cl}", CL_DEVICE_TYPE_GPU);
    ck_assert_str_eq(names_of(device), "add;four;unused");
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, sizeof list, list, &size));
    ck_assert_uint_eq(size, 3 * sizeof *list);
    for (size_t i = 0; i < 3; i++)
        ck_assert(strcmp(list[i].name, expected[i]) == 0 && list[i].version == CL_MAKE_VERSION(1, 0, 0));
    stop();
}
END_TEST

START_TEST(a_program_has_those_that_are_named)
{
    char names[100] = "-", log[10] = "-";
    cl_build_status status = 7;
    cl_program_binary_type type = 7;
    size_t count = 7;
    cl_int err;
    start("device: {built_in_kernels: arithmetic.cl}", CL_DEVICE_TYPE_GPU);
    program = made(1, "four;add", CL_SUCCESS);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_str_eq(names, "add;four");
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof names, names, NULL));
    ck_assert_str_eq(names, "");
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof names, names, &count));
    ck_assert_uint_eq(count, 0);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 0);
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert(status == CL_BUILD_SUCCESS && type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE && !*log);
    ck_assert_ptr_null(clCreateKernel(program, "unused", &err));
    cl_is(err, CL_INVALID_KERNEL_NAME);
    cl_is(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(clReleaseProgram(program));
    made(1, "four;add;none", CL_INVALID_VALUE);
    made(1, "", CL_INVALID_VALUE);
    made(1, "four;", CL_INVALID_VALUE);
    made(1, "fou", CL_INVALID_VALUE);
    made(0, "four", CL_INVALID_VALUE);
    stop();
}
END_TEST

START_TEST(they_run_and_have_a_global_size)
{
    const char *source = "kernel void k(void) {}";
    size_t sizes[3] = {0};
    cl_int values[4];
    start("device: {built_in_kernels: arithmetic.cl}", CL_DEVICE_TYPE_GPU);
    program = made(1, "add;four", CL_SUCCESS);
    outcome(device, "add", values);
    ck_assert(values[0] == 41 && values[3] == 44);
    outcome(device, "four", values);
    ck_assert(values[0] == 4 && values[3] == 4);
    cl_kernel kernel = clCreateKernel(program, "four", NULL);
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL));
    ck_assert(sizes[0] > SIZE_MAX - 4 && sizes[0] % 4 == 0 && sizes[1] == SIZE_MAX && sizes[2] == SIZE_MAX);
    cl_ok(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, 0, NULL, sizes));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    kernel = clCreateKernel(program, "k", NULL);
    cl_is(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL),
          CL_INVALID_VALUE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    stop();
}
END_TEST

/* "A kernel name that is not supported by any of the devices in device_list." */
START_TEST(each_device_has_its_own)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const size_t one = 1;
    cl_device_id parts[8];
    cl_kernel both[2];
    cl_int values[4], err;
    size_t count;
    char names[20];
    start("devices:\n  - {topology: 'cu:2', built_in_kernels: arithmetic.cl}\n  - {topology: 'cu:2', "
          "built_in_kernels: own.cl}",
          CL_DEVICE_TYPE_GPU);
    ck_assert_uint_eq(device_count, 2);
    ck_assert_str_eq(names_of(devices[1]), "own");
    made(1, "own", CL_INVALID_VALUE);
    program = made(2, "own;add", CL_SUCCESS);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_uint_eq(count, 2);
    ck_assert_msg(!strcmp(names, "own;add"), "%s", names);
    cl_ok(clCreateKernelsInProgram(program, 2, both, NULL));
    cl_ok(clReleaseKernel(both[0]));
    cl_ok(clReleaseKernel(both[1]));
    outcome(devices[0], "add", values);
    ck_assert(values[0] == 41 && values[3] == 44);
    outcome(devices[1], "own", values);
    ck_assert(values[0] == -39 && values[3] == -36);
    cl_ok(clCreateSubDevices(devices[1], halves, 2, parts, NULL));
    ck_assert_str_eq(names_of(parts[1]), "own");
    outcome(parts[1], "own", values);
    ck_assert(values[0] == -39 && values[3] == -36);
    cl_command_queue first = clCreateCommandQueueWithProperties(context, devices[0], NULL, &err);
    cl_kernel kernel = clCreateKernel(program, "own", &err);
    cl_is(clEnqueueNDRangeKernel(first, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
          CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(first));
    cl_ok(clReleaseDevice(parts[0]));
    cl_ok(clReleaseDevice(parts[1]));
    cl_ok(clReleaseProgram(program));
    stop();
}
END_TEST

START_TEST(a_custom_device_needs_no_compiler)
{
    const char *source = "kernel void k(void) {}";
    cl_bool compiler = CL_TRUE;
    cl_int values[4];
    start("device: {type: custom, built_in_kernels: arithmetic.cl, features: {compiler: off}}",
          CL_DEVICE_TYPE_CUSTOM);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL));
    ck_assert_uint_eq(compiler, CL_FALSE);
    program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    cl_is(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_COMPILER_NOT_AVAILABLE);
    cl_ok(clReleaseProgram(program));
    program = made(1, "add", CL_SUCCESS);
    outcome(device, "add", values);
    ck_assert(values[0] == 41 && values[3] == 44);
    cl_ok(clReleaseProgram(program));
    stop();
}
END_TEST

/* With the status of a wrong scenario. */
START_TEST(a_file_that_does_not_build_is_a_mistake_in_the_scenario)
{
    static const char broken[] = "kernel void k(global int *o) { *o = nothing; }\n";
    char path[] = "/tmp/check_built_in.XXXXXX", open_path[40] = "/dev/null/absent.cl";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, broken, sizeof broken - 1) == sizeof broken - 1);
    unlink(path);
    if (_i)
        snprintf(open_path, sizeof open_path, "/proc/self/fd/%d", file);
    setenv("ORRERY_BUILT_IN_KERNELS", open_path, 1);
    cl_find_device();
    names_of(device);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("built-in kernels");
    TCase *tests = tcase_create("built in");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_device_lists_them);
    tcase_add_test(tests, a_program_has_those_that_are_named);
    tcase_add_test(tests, they_run_and_have_a_global_size);
    tcase_add_test(tests, each_device_has_its_own);
    tcase_add_test(tests, a_custom_device_needs_no_compiler);
    tcase_add_loop_exit_test(tests, a_file_that_does_not_build_is_a_mistake_in_the_scenario, 2, 0, 2);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
