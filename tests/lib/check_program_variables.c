/* SPDX-License-Identifier: Apache-2.0 */
/* Variables at program scope: constructors, destructors, and release callbacks, which belong to OpenCL
 * 2.2; a variable of each device. */
#include <stdio.h>
#include <unistd.h>

#include "tests/support/program_fixture.h"

static const char good[] = "kernel void first(global int *data) { data[get_global_id(0)] = 1; }\n"
                           "kernel void second(global float *data, float f) { data[0] = f; }\n";

/* ---- release callbacks -------------------------------------------------------------------------------- */

static void CL_CALLBACK program_destroyed(cl_program program, void *data)
{
    (void)program;
    *(int *)data += 1;
}

START_TEST(clSetProgramReleaseCallback_belongs_to_2_2)
{
    int count = 0;
    setenv("ORRERY_DEVICE_VERSION", "2.1", 1);
    cl_set_up();
    cl_program made = from_source(good);
    cl_is(clSetProgramReleaseCallback(made, program_destroyed, &count), CL_INVALID_OPERATION);
    cl_is(clSetProgramReleaseCallback((cl_program)context, program_destroyed, &count), CL_INVALID_PROGRAM);
    cl_ok(clReleaseProgram(made));
    cl_tear_down();
}
END_TEST

START_TEST(clSetProgramReleaseCallback_calls_on_a_2_2_device)
{
    int count = 0;
    setenv("ORRERY_DEVICE_VERSION", "2.2", 1);
    cl_set_up();
    cl_program made = from_source(good);
    cl_is(clSetProgramReleaseCallback(made, NULL, &count), CL_INVALID_VALUE);
    cl_ok(clSetProgramReleaseCallback(made, program_destroyed, &count));
    cl_ok(clReleaseProgram(made));
    ck_assert_int_eq(count, 1);
    cl_tear_down();
}
END_TEST

/* ---- constructors and destructors of program-scope variables ------------------------------------------ */

/* scenarios/clean/constructors.spvasm: the constructor adds constant 7, usually 40, to a variable that begins
 * as 1, each run of count gives it and adds 1, the destructor prints it. */
/* clang-format off */
static const uint32_t constructors[] = {
    0x7230203, 0x10100, 0x70000, 0x25, 0, 0x20011, 4, 0x20011, 6, 0x20011,
    0x27, 0x20011, 0xb, 0x5000b, 1, 0x6e65704f, 0x732e4c43, 0x6474, 0x3000e, 2,
    2, 0x6000f, 6, 2, 0x74736564, 0x74637572, 0, 0x6000f, 6, 3,
    0x736e6f63, 0x63757274, 0x74, 0x5000f, 6, 4, 0x6e756f63, 0x74, 0x30010, 3,
    0x21, 0x30010, 2, 0x22, 0x40047, 5, 1, 7, 0x30047, 6,
    0x16, 0x20013, 7, 0x40015, 8, 8, 0, 0x40015, 9, 0x20,
    0, 0x40015, 0xa, 0x40, 0, 0x4002b, 8, 0xb, 0x25, 0x4002b,
    8, 0xc, 0x75, 0x4002b, 8, 0xd, 0xa, 0x4002b, 8, 0xe,
    0, 0x5002b, 0xa, 0xf, 4, 0, 0x5002b, 0xa, 0x10, 0,
    0, 0x4002b, 9, 0x11, 1, 0x40032, 9, 5, 0x28, 0x4001c,
    0x12, 8, 0xf, 0x7002c, 0x12, 0x13, 0xb, 0xc, 0xd, 0xe,
    0x40020, 0x14, 0, 0x12, 0x40020, 0x15, 0, 8, 0x5003b, 0x14,
    6, 0, 0x13, 0x40020, 0x16, 5, 9, 0x5003b, 0x16, 0x17,
    5, 0x11, 0x30021, 0x18, 7, 0x40021, 0x19, 7, 0x16, 0x50036,
    7, 2, 0, 0x18, 0x200f8, 0x1a, 0x6003d, 9, 0x1b, 0x17,
    2, 4, 0x60046, 0x15, 0x1c, 6, 0x10, 0x10, 0x7000c, 9,
    0x1d, 1, 0xb8, 0x1c, 0x1b, 0x100fd, 0x10038, 0x50036, 7, 3,
    0, 0x18, 0x200f8, 0x1e, 0x6003d, 9, 0x1f, 0x17, 2, 4,
    0x50080, 9, 0x20, 0x1f, 5, 0x5003e, 0x17, 0x20, 2, 4,
    0x100fd, 0x10038, 0x50036, 7, 4, 0, 0x19, 0x30037, 0x16, 0x21,
    0x200f8, 0x22, 0x6003d, 9, 0x23, 0x17, 2, 4, 0x5003e, 0x21,
    0x23, 2, 4, 0x50080, 9, 0x24, 0x23, 0x11, 0x5003e, 0x17,
    0x24, 2, 4, 0x100fd, 0x10038,
};
/* clang-format on */

enum { OUTPUT_ROOM = 100 };
static FILE *printed;

static void take_output(void)
{
    static char path[] = "/tmp/check_api_program.XXXXXX";
    int file = mkstemp(path);
    ck_assert(file >= 0 && freopen(path, "w", stdout));
    printed = fdopen(file, "r");
    unlink(path);
}

static void CL_CALLBACK program_destructed(cl_program program, void *data)
{
    (void)program;
    fflush(stdout);
    rewind(printed);
    ((char *)data)[fread(data, 1, OUTPUT_ROOM - 1, printed)] = '\0';
}

static cl_uint count_once(cl_program program, cl_command_queue on)
{
    const size_t one = 1;
    cl_uint value = 0;
    cl_kernel kernel = clCreateKernel(program, "count", NULL);
    cl_mem buffer = cl_buffer(context, 0, sizeof value, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(on, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clFinish(on));
    cl_ok(clEnqueueReadBuffer(on, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(buffer));
    return value;
}

static void was_reported(cl_program program, cl_bool expected)
{
    cl_bool constructors_are = 7, destructors_are = 7;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof(cl_bool), &constructors_are,
                           NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof(cl_bool), &destructors_are,
                           NULL));
    ck_assert(constructors_are == expected && destructors_are == expected);
}

START_TEST(constructors_and_destructors_run)
{
    static const char *const versions[] = {"2.2", "3.0"};
    char output[OUTPUT_ROOM] = "-", names[16];
    const cl_uint start = 100;
    cl_kernel kernels[2];
    cl_uint kernel_count;
    size_t count;
    cl_int err;
    take_output();
    setenv("ORRERY_DEVICE_VERSION", versions[_i], 1);
    cl_set_up();
    cl_program made = clCreateProgramWithIL(context, constructors, sizeof constructors, &err),
               without = built(good, NULL);
    cl_ok(err);
    cl_is(clGetProgramInfo(made, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof count, &count, NULL),
          CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    was_reported(made, CL_TRUE);
    was_reported(without, CL_FALSE);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert(count == 1 && strcmp(names, "count") == 0);
    ck_assert_ptr_null(clCreateKernel(made, "construct", &err));
    cl_is(err, CL_INVALID_KERNEL_NAME);
    ck_assert_ptr_null(clCreateKernel(made, "destruct", &err));
    cl_is(err, CL_INVALID_KERNEL_NAME);
    cl_ok(clCreateKernelsInProgram(made, 2, kernels, &kernel_count));
    ck_assert_uint_eq(kernel_count, 1);
    cl_ok(clReleaseKernel(kernels[0]));
    cl_ok(clSetProgramSpecializationConstant(made, 7, sizeof start, &start));
    /* nothing was constructed yet, and nothing is destructed */
    cl_ok(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(count_once(made, queue), 101);
    ck_assert_uint_eq(count_once(made, unordered), 102);
    cl_ok(clSetProgramReleaseCallback(made, program_destructed, output));
    cl_ok(clReleaseProgram(without));
    cl_ok(clReleaseProgram(made));
    ck_assert_str_eq(output, "103\n");
    cl_tear_down();
}
END_TEST

/* ---- C++ for OpenCL -------------------------------------------------------------------------- */

static const char cxx[] =
    "class counter { public: int v; counter(int x) : v(x) {} int twice() const { return v * 2; } };\n"
    "template <class T> T sum(T a, T b) { return a + b; }\n"
    "counter fixed(21);\n"
    "int seven() { return 7; }\n"
    "int computed = seven();\n"
    "kernel void count(global int *o) {\n"
    "    auto next = [](int x) { return x + 1; };\n"
    "    *o = fixed.twice() * 1000 + computed * 100 + sum(3, 4) * 10 + next((int)sum(1.5f, 2.5f)) - "
    "(int)get_global_size(0);\n"
    "}\n";

static bool has_extension(const char *name)
{
    static char text[8192];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    return strstr(text, name) != NULL;
}

START_TEST(cxx_for_opencl_runs_with_its_constructors)
{
    static const struct {
        const char *version, *options;
        cl_int err;
    } rows[] = {{"3.0", "-cl-std=CLC++", CL_SUCCESS},
                {"3.0", "-cl-std=CLC++1.0", CL_SUCCESS},
                {"3.0", "-cl-std=CLC++2021", CL_SUCCESS},
                {"2.0", "-cl-std=CLC++", CL_SUCCESS},
                {"2.0", "-cl-std=CLC++2021", CL_BUILD_PROGRAM_FAILURE},
                {"1.2", "-cl-std=CLC++", CL_BUILD_PROGRAM_FAILURE}};
    char log_line[100], names[20];
    setenv("ORRERY_DEVICE_VERSION", rows[_i].version, 1);
    cl_set_up();
    cl_program made = from_source(cxx);
    ck_assert_int_eq(has_extension("cl_ext_cxx_for_opencl"), rows[_i].version[0] > '1');
    cl_is(clBuildProgram(made, 0, NULL, rows[_i].options, NULL, NULL), rows[_i].err);
    if (rows[_i].err) {
        snprintf(log_line, sizeof log_line, "'%s': the device has OpenCL %s", rows[_i].options,
                 rows[_i].version);
        ck_assert_ptr_nonnull(strstr(build_text(made, CL_PROGRAM_BUILD_LOG), log_line));
    } else {
        cl_ok(clGetProgramInfo(made, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
        ck_assert_str_eq(names, "count");
        ck_assert_uint_eq(count_once(made, queue), 42774);
    }
    cl_ok(clReleaseProgram(made));
    cl_tear_down();
}
END_TEST

/* With and without a constructor, of bases and members, in arrays and templates; the second module has
 * what the first one has. */
static const char *const destructed[] = {
    "struct base { int v; base(int x) : v(x) {} ~base() { printf(\"%d \", v); } };\n"
    "struct derived : base { base member; derived(int x) : base(x), member(x + 1) {} ~derived() { "
    "printf(\"%d \", -v); } };\n"
    "template <class T> struct plain { T v; ~plain() { printf(\"<%d> \", (int)v); } };\n"
    "namespace first { plain<int> one = {1}; plain<char> two = {2}; plain<int> three = {3}; }\n"
    "base four(4);\n"
    "static derived five[2] = {derived(50), derived(60)};\n"
    "struct holder { static base member; };\n"
    "base holder::member(7);\n"
    "kernel void count(global int *o) { base local_one(*o = 99); first::three.v = 30; }\n",
    "struct thing { int v; thing(int x) : v(x) {} ~thing() { printf(\"[%d] \", v); } };\n"
    "static thing eight(8);\n"
    "kernel void other(global int *o) { *o = eight.v; }\n"};

START_TEST(cxx_for_opencl_runs_its_destructors)
{
    static const char *const options[] = {"-cl-std=CLC++1.0", "-cl-std=CLC++2021"};
    char output[OUTPUT_ROOM] = "-";
    cl_program parts[2];
    cl_int err;
    take_output();
    cl_set_up();
    for (int i = 0; i < 2; i++) {
        parts[i] = from_source(destructed[i]);
        cl_ok(clCompileProgram(parts[i], 0, NULL, options[_i], 0, NULL, NULL, NULL, NULL));
    }
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err);
    cl_ok(err);
    was_reported(linked, CL_TRUE);
    ck_assert_uint_eq(count_once(linked, queue), 99);
    cl_ok(clSetProgramReleaseCallback(linked, program_destructed, output));
    cl_ok(clReleaseProgram(linked));
    ck_assert_str_eq(output, "99 [8] 7 -60 61 60 -50 51 50 4 <30> <2> <1> ");
    for (int i = 0; i < 2; i++)
        cl_ok(clReleaseProgram(parts[i]));
    cl_tear_down();
}
END_TEST

/* ---- variables at program scope -------------------------------------------------------------- */

static cl_int add_once(cl_program program, cl_device_id on)
{
    const size_t one = 1;
    cl_int value = 0, err;
    cl_command_queue made = clCreateCommandQueueWithProperties(context, on, NULL, &err);
    cl_ok(err);
    cl_kernel kernel = clCreateKernel(program, "add", &err);
    cl_ok(err);
    cl_mem buffer = cl_buffer(context, 0, sizeof value, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(made, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(made, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseCommandQueue(made));
    return value;
}

/* "Per-device coarse-grained SVM" (OpenCL 2.2 API, 3.3.3): of two roots, of two parts of one, of a root
 * and a part. */
START_TEST(variables_are_of_a_device)
{
    static const char yaml[] = "orrery: 1\ndevices: [{topology: 'cu:2'}, {topology: 'cu:2'}]\n";
    static const char text[] = "global int total = 5; kernel void add(global int *o) { *o = ++total; }";
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    char path[] = "/tmp/check_api_program.XXXXXX";
    cl_device_id roots[2], parts[2];
    cl_int err;
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, yaml, sizeof yaml - 1) == sizeof yaml - 1);
    close(file);
    setenv("ORRERY_SCENARIO", path, 1);
    cl_find_device();
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, roots, NULL));
    unlink(path);
    cl_ok(clCreateSubDevices(roots[0], halves, 2, parts, NULL));
    const cl_device_id pairs[][2] = {{roots[0], roots[1]}, {parts[0], parts[1]}, {roots[0], parts[1]}};
    context = clCreateContext(NULL, 2, pairs[_i], NULL, NULL, &err);
    cl_ok(err);
    cl_program made = from_source(text);
    cl_ok(clBuildProgram(made, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    ck_assert_int_eq(add_once(made, pairs[_i][0]), 6);
    ck_assert_int_eq(add_once(made, pairs[_i][0]), 7);
    ck_assert_int_eq(add_once(made, pairs[_i][1]), 6);
    ck_assert_int_eq(add_once(made, pairs[_i][0]), 8);
    cl_ok(clReleaseProgram(made));
    cl_ok(clReleaseContext(context));
    cl_ok(clReleaseDevice(parts[0]));
    cl_ok(clReleaseDevice(parts[1]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("program variables");
    TCase *version = tcase_create("a 2.2 device");
    tcase_set_timeout(version, 60);
    tcase_add_test(version, clSetProgramReleaseCallback_belongs_to_2_2);
    tcase_add_loop_test(version, cxx_for_opencl_runs_with_its_constructors, 0, 6);
    tcase_add_loop_test(version, cxx_for_opencl_runs_its_destructors, 0, 2);
    tcase_add_loop_test(version, constructors_and_destructors_run, 0, 2);
    tcase_add_loop_test(version, variables_are_of_a_device, 0, 3);
    tcase_add_test(version, clSetProgramReleaseCallback_calls_on_a_2_2_device);
    suite_add_tcase(suite, version);
    return cl_run_suite(suite);
}
