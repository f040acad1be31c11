/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: creating, building, compiling, linking, binaries, queries; through the loader. */
#include <pthread.h>
#include <unistd.h>

#include "tests/support/program_fixture.h"

static const char good[] = "kernel void first(global int *data) { data[get_global_id(0)] = 1; }\n"
                           "kernel void second(global float *data, float f) { data[0] = f; }\n";
static const char bad[] = "kernel void first(global int *data) { data[0] = no_such_name; }\n";

/* ---- from source ---------------------------------------------------------------------------- */

START_TEST(clCreateProgramWithSource_joins_its_strings)
{
    const char *strings[] = {"kernel ", "void kXXX", "(void) {}\n"};
    const size_t lengths[] = {0, 6, 0};
    cl_program made = clCreateProgramWithSource(context, 3, strings, lengths, NULL);
    ck_assert_str_eq(program_text(made, CL_PROGRAM_SOURCE), "kernel void k(void) {}\n");
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clCreateProgramWithSource_judges_its_arguments)
{
    const char *strings[] = {good, NULL};
    cl_int err = 1;
    ck_assert_ptr_null(clCreateProgramWithSource((cl_context)device, 1, strings, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateProgramWithSource(context, 0, strings, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithSource(context, 1, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithSource(context, 2, strings, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
}
END_TEST

START_TEST(clBuildProgram_makes_an_executable)
{
    cl_program made = from_source(good);
    size_t count = 0;
    cl_is(status_of(made), CL_BUILD_NONE);
    ck_assert_uint_eq(type_of(made), CL_PROGRAM_BINARY_TYPE_NONE);
    cl_is(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL),
          CL_INVALID_PROGRAM_EXECUTABLE);
    cl_is(clGetProgramInfo(made, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &count), CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clBuildProgram(made, 1, &device, "-DX=1 -cl-mad-enable", NULL, NULL));
    cl_is(status_of(made), CL_BUILD_SUCCESS);
    ck_assert_uint_eq(type_of(made), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ck_assert_str_eq(build_text(made, CL_PROGRAM_BUILD_OPTIONS), "-DX=1 -cl-mad-enable");
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(program_text(made, CL_PROGRAM_KERNEL_NAMES), "first;second");
    ck_assert_uint_eq(build_info(made, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof(size_t)), 0);
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clBuildProgram_puts_compiler_output_into_the_log)
{
    cl_program made = from_source(bad);
    cl_int err = 1;
    cl_is(clBuildProgram(made, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_is(status_of(made), CL_BUILD_ERROR);
    ck_assert_ptr_nonnull(strstr(build_text(made, CL_PROGRAM_BUILD_LOG), "no_such_name"));
    ck_assert_uint_eq(type_of(made), CL_PROGRAM_BINARY_TYPE_NONE);
    ck_assert_ptr_null(clCreateKernel(made, "first", &err));
    cl_is(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clBuildProgram_judges_its_arguments)
{
    cl_program made = from_source(good);
    cl_device_id stranger = (cl_device_id)context;
    int data;
    cl_is(clBuildProgram((cl_program)context, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    cl_is(clBuildProgram(made, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clBuildProgram(made, 0, &device, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clBuildProgram(made, 0, NULL, NULL, NULL, &data), CL_INVALID_VALUE);
    cl_is(clBuildProgram(made, 1, &stranger, NULL, NULL, NULL), CL_INVALID_DEVICE);
    cl_is(status_of(made), CL_BUILD_NONE);
    cl_is(clBuildProgram(made, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    cl_is(status_of(made), CL_BUILD_ERROR);
    ck_assert_str_eq(build_text(made, CL_PROGRAM_BUILD_LOG), "unknown build option '-no-such-option'\n");
    cl_is(clCompileProgram(made, 0, NULL, "-cl-std=CL7", 0, NULL, NULL, NULL, NULL),
          CL_INVALID_COMPILER_OPTIONS);
    ck_assert_ptr_nonnull(
        strstr(build_text(made, CL_PROGRAM_BUILD_LOG), "'-cl-std=CL7': the versions are CL1.0"));
    cl_ok(clBuildProgram(made, 0, NULL, "", NULL, NULL));
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clBuildProgram_is_refused_while_kernels_are_attached)
{
    cl_program made = built(good, NULL);
    cl_int err;
    cl_kernel kernel = clCreateKernel(made, "first", &err);
    cl_ok(err);
    cl_is(clBuildProgram(made, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_is(status_of(made), CL_BUILD_SUCCESS);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clBuildProgram(made, 0, NULL, "-DAGAIN", NULL, NULL));
    ck_assert_str_eq(build_text(made, CL_PROGRAM_BUILD_OPTIONS), "-DAGAIN");
    cl_ok(clReleaseProgram(made));
}
END_TEST

static pthread_mutex_t reported_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reported_change = PTHREAD_COND_INITIALIZER;
static cl_program reported;
static cl_build_status reported_status;

static void CL_CALLBACK count_call(cl_program program, void *data)
{
    ck_assert_ptr_eq(data, &reported);
    cl_build_status status = status_of(program);
    pthread_mutex_lock(&reported_lock);
    reported = program;
    reported_status = status;
    pthread_cond_signal(&reported_change);
    pthread_mutex_unlock(&reported_lock);
}

static void wait_until_reported(cl_program program)
{
    pthread_mutex_lock(&reported_lock);
    while (reported != program)
        pthread_cond_wait(&reported_change, &reported_lock);
    reported = NULL;
    pthread_mutex_unlock(&reported_lock);
}

START_TEST(build_with_a_callback_calls_it_at_the_end)
{
    cl_int err = 1;
    cl_program made = from_source(good), wrong = from_source(bad);
    cl_ok(clBuildProgram(made, 0, NULL, NULL, count_call, &reported));
    wait_until_reported(made);
    cl_is(reported_status, CL_BUILD_SUCCESS);
    cl_ok(clBuildProgram(wrong, 0, NULL, NULL, count_call, &reported));
    wait_until_reported(wrong);
    cl_is(reported_status, CL_BUILD_ERROR);
    cl_ok(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, count_call, &reported));
    wait_until_reported(made);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &made, count_call, &reported, &err);
    cl_ok(err);
    wait_until_reported(linked);
    cl_is(reported_status, CL_BUILD_SUCCESS);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(made));
    cl_ok(clReleaseProgram(wrong));
    /* The callback thread releases the programs soon after the callback. */
    for (int i = 0; i < 1000 && clRetainProgram(linked) == CL_SUCCESS; i++) {
        cl_ok(clReleaseProgram(linked));
        usleep(1000);
    }
    cl_is(clRetainProgram(linked), CL_INVALID_PROGRAM);
}
END_TEST

static void *build_many(void *data)
{
    for (int i = 0; i < 3; i++) {
        cl_program made = built(good, NULL);
        cl_ok(clReleaseProgram(made));
    }
    return data;
}

START_TEST(programs_build_on_several_threads)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, build_many, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}
END_TEST

/* ---- queries ---------------------------------------------------------------------------------- */

START_TEST(clGetProgramInfo_returns_its_values)
{
    cl_program made = built(good, NULL);
    cl_uint count = 0;
    cl_context owner = NULL;
    cl_device_id devices[2];
    size_t size = 0;
    cl_bool present = CL_TRUE;
    cl_ok(clRetainProgram(made));
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clReleaseProgram(made));
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_CONTEXT, sizeof owner, &owner, NULL));
    ck_assert_ptr_eq(owner, context);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_DEVICES, sizeof devices, devices, &size));
    ck_assert_uint_eq(size, sizeof *devices);
    ck_assert_ptr_eq(devices[0], device);
    ck_assert_str_eq(program_text(made, CL_PROGRAM_SOURCE), good);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_IL, 0, NULL, &size));
    ck_assert_uint_eq(size, 0);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof present, &present, NULL));
    ck_assert_uint_eq(present, CL_FALSE);
    cl_ok(clGetProgramInfo(made, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof present, &present, NULL));
    ck_assert_uint_eq(present, CL_FALSE);
    cl_is(clGetProgramInfo(made, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetProgramInfo(made, CL_PROGRAM_SOURCE, 3, devices, &size), CL_INVALID_VALUE);
    cl_is(clGetProgramInfo((cl_program)context, CL_PROGRAM_SOURCE, 0, NULL, &size), CL_INVALID_PROGRAM);
    cl_is(clGetProgramBuildInfo(made, (cl_device_id)context, CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
          CL_INVALID_DEVICE);
    cl_is(clGetProgramBuildInfo((cl_program)context, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size),
          CL_INVALID_PROGRAM);
    cl_is(clGetProgramBuildInfo(made, device, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_STATUS, 1, devices, &size), CL_INVALID_VALUE);
    cl_ok(clReleaseProgram(made));
    cl_is(clReleaseProgram(made), CL_INVALID_PROGRAM);
    cl_is(clRetainProgram(made), CL_INVALID_PROGRAM);
}
END_TEST

/* ---- binaries ------------------------------------------------------------------------------------ */

START_TEST(clCreateProgramWithBinary_accepts_a_built_binary)
{
    cl_program made = built(good, "-DX=2 -cl-kernel-arg-info");
    struct blob blob = binary_of(made), again;
    cl_int status = 1, err = 1;
    size_t count = 0;
    cl_program loaded = from_binary(blob, &status, &err);
    cl_ok(err);
    cl_ok(status);
    ck_assert_uint_eq(type_of(loaded), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    cl_is(status_of(loaded), CL_BUILD_NONE);
    ck_assert_ptr_null(clCreateKernel(loaded, "second", &err));
    cl_is(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    ck_assert_str_eq(build_text(loaded, CL_PROGRAM_BUILD_OPTIONS), "-DX=2 -cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(loaded, "second", &err);
    cl_ok(err);
    cl_ok(clGetProgramInfo(loaded, CL_PROGRAM_IL, 0, NULL, &count));
    ck_assert_uint_eq(count, 0);
    again = binary_of(loaded);
    ck_assert_uint_eq(again.size, blob.size);
    ck_assert_mem_eq(again.bytes, blob.bytes, blob.size);
    cl_is(clCompileProgram(loaded, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(loaded));
    cl_ok(clReleaseProgram(made));
    free(blob.bytes);
    free(again.bytes);
}
END_TEST

START_TEST(clCreateProgramWithBinary_notices_every_damaged_byte)
{
    cl_program made = built("kernel void k(void) {}", NULL);
    struct blob blob = binary_of(made);
    for (size_t i = 0; i < blob.size; i++) {
        cl_int status = 1, err = 1;
        blob.bytes[i] ^= 0x40;
        ck_assert_msg(!from_binary(blob, &status, &err), "byte %zu", i);
        cl_is(err, CL_INVALID_BINARY);
        cl_is(status, CL_INVALID_BINARY);
        blob.bytes[i] ^= 0x40;
    }
    for (size_t size = 1; size < blob.size; size++) {
        cl_int err = 1;
        ck_assert_ptr_null(from_binary((struct blob){blob.bytes, size}, NULL, &err));
        cl_is(err, CL_INVALID_BINARY);
    }
    cl_ok(clReleaseProgram(made));
    free(blob.bytes);
}
END_TEST

START_TEST(clCreateProgramWithBinary_judges_its_arguments)
{
    const unsigned char bytes[] = "no program", *binary = bytes, *none = NULL;
    size_t length = sizeof bytes, zero = 0;
    cl_device_id stranger = (cl_device_id)context;
    cl_int status = 1, err = 1;
    ck_assert_ptr_null(
        clCreateProgramWithBinary((cl_context)device, 1, &device, &length, &binary, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 0, &device, &length, &binary, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, NULL, &length, &binary, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, NULL, &binary, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, &length, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, &zero, &binary, &status, &err));
    cl_is(err, CL_INVALID_VALUE);
    cl_is(status, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, &length, &none, &status, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &stranger, &length, &binary, NULL, &err));
    cl_is(err, CL_INVALID_DEVICE);
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, &length, &binary, &status, &err));
    cl_is(err, CL_INVALID_BINARY);
    cl_is(status, CL_INVALID_BINARY);
}
END_TEST

START_TEST(clCreateProgramWithBuiltInKernels_has_none_to_give)
{
    cl_device_id stranger = (cl_device_id)context;
    cl_int err = 1;
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels((cl_context)device, 1, &device, "k", &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(context, 0, NULL, "k", &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(context, 1, &device, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(context, 1, &device, "k", &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithBuiltInKernels(context, 1, &stranger, "k", &err));
    cl_is(err, CL_INVALID_DEVICE);
}
END_TEST

/* ---- intermediate language ------------------------------------------------------------------------- */

START_TEST(clCreateProgramWithIL_builds_and_gives_the_module_back)
{
    cl_program made = built(good, NULL);
    struct blob il = il_of(made);
    unsigned char *back = malloc(il.size), *swapped = malloc(il.size);
    cl_int err = 1;
    size_t size = 0;
    cl_program loaded = clCreateProgramWithIL(context, il.bytes, il.size, &err);
    cl_ok(err);
    cl_ok(clGetProgramInfo(loaded, CL_PROGRAM_IL, il.size, back, &size));
    ck_assert_uint_eq(size, il.size);
    ck_assert_mem_eq(back, il.bytes, il.size);
    ck_assert_str_eq(program_text(loaded, CL_PROGRAM_SOURCE), "");
    cl_ok(clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
    ck_assert_str_eq(program_text(loaded, CL_PROGRAM_KERNEL_NAMES), "first;second");
    cl_ok(clReleaseProgram(loaded));
    for (size_t i = 0; i < il.size; i++) /* of the other byte order */
        swapped[i] = il.bytes[i ^ 3];
    loaded = clCreateProgramWithIL(context, swapped, il.size, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    cl_ok(clReleaseProgram(loaded));
    cl_ok(clReleaseProgram(made));
    free(back), free(swapped), free(il.bytes);
}
END_TEST

START_TEST(clCreateProgramWithIL_judges_its_arguments)
{
    uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0};
    cl_int err = 1;
    ck_assert_ptr_null(clCreateProgramWithIL((cl_context)device, words, sizeof words, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clCreateProgramWithIL(context, NULL, sizeof words, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(context, words, 0, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(context, words, sizeof words - 1, &err));
    cl_is(err, CL_INVALID_VALUE);
    words[1] = 0x00090000;
    ck_assert_ptr_null(clCreateProgramWithIL(context, words, sizeof words, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateProgramWithIL(context, good, sizeof good & ~(size_t)3, &err));
    cl_is(err, CL_INVALID_VALUE);
}
END_TEST

START_TEST(clBuildProgram_validates_the_module_first)
{
    cl_program made = built(good, NULL);
    struct blob il = il_of(made);
    cl_int err = 1;
    memset(il.bytes + il.size - 8, 0xff, 8);
    cl_program broken = clCreateProgramWithIL(context, il.bytes, il.size, &err);
    cl_ok(err);
    cl_is(clBuildProgram(broken, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    ck_assert_str_ne(build_text(broken, CL_PROGRAM_BUILD_LOG), "");
    cl_ok(clReleaseProgram(broken));
    cl_ok(clReleaseProgram(made));
    free(il.bytes);
}
END_TEST

/* kernel void k(global uint *p) { *p = C; } where C = OpSpecConstant 5, SpecId 42 */
/* clang-format off */
static const uint32_t specialised[] = {
    0x07230203, 0x00010000, 0, 9, 0,
    0x00020011, 4,                         /* OpCapability Addresses */
    0x00020011, 6,                         /* OpCapability Kernel */
    0x0003000e, 2, 2,                      /* OpMemoryModel Physical64 OpenCL */
    0x0004000f, 6, 5, 0x0000006b,          /* OpEntryPoint Kernel %5 "k" */
    0x00040047, 1, 1, 42,                  /* OpDecorate %1 SpecId 42 */
    0x00040015, 2, 32, 0,                  /* %2 = OpTypeInt 32 0 */
    0x00020013, 3,                         /* %3 = OpTypeVoid */
    0x00040020, 7, 5, 2,                   /* %7 = OpTypePointer CrossWorkgroup %2 */
    0x00040021, 4, 3, 7,                   /* %4 = OpTypeFunction %3 %7 */
    0x00040032, 2, 1, 5,                   /* %1 = OpSpecConstant %2 5 */
    0x00050036, 3, 5, 0, 4,                /* %5 = OpFunction */
    0x00030037, 7, 8,                      /* %8 = OpFunctionParameter */
    0x000200f8, 6,                         /* OpLabel */
    0x0005003e, 8, 1, 2, 4,                /* OpStore %8 %1 Aligned 4 */
    0x000100fd, 0x00010038,                /* OpReturn, OpFunctionEnd */
};
/* clang-format on */

/* The value of kernel k in the first word of a buffer that held 40. */
static cl_uint outcome(cl_program program)
{
    cl_uint value = 40;
    cl_int err = 1;
    const size_t one = 1;
    cl_mem buffer = cl_buffer(context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(buffer));
    return value;
}

START_TEST(specialised_values_reach_the_kernel_and_the_binary)
{
    const cl_uint value = 1234;
    cl_int err = 1;
    cl_program made = clCreateProgramWithIL(context, specialised, sizeof specialised, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(outcome(made), 5);
    cl_ok(clSetProgramSpecializationConstant(made, 42, sizeof value, &value));
    cl_ok(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(outcome(made), 1234);
    struct blob blob = binary_of(made);
    cl_program loaded = from_binary(blob, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(outcome(loaded), 1234);
    cl_ok(clReleaseProgram(loaded));
    cl_ok(clReleaseProgram(made));
    free(blob.bytes);
}
END_TEST

START_TEST(specialised_values_outlive_compiling_and_linking)
{
    const cl_uint value = 99;
    cl_int err = 1;
    cl_program made = clCreateProgramWithIL(context, specialised, sizeof specialised, &err);
    cl_ok(err);
    cl_ok(clSetProgramSpecializationConstant(made, 42, sizeof value, &value));
    cl_ok(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &made, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(outcome(linked), 99);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clSetProgramSpecializationConstant_judges_its_arguments)
{
    const cl_uint value = 7;
    cl_int err = 1;
    cl_program made = clCreateProgramWithIL(context, specialised, sizeof specialised, &err),
               source = from_source(good);
    cl_ok(err);
    cl_ok(clSetProgramSpecializationConstant(made, 42, sizeof value, &value));
    cl_ok(clSetProgramSpecializationConstant(made, 42, sizeof value, &value));
    cl_is(clSetProgramSpecializationConstant(made, 43, sizeof value, &value), CL_INVALID_SPEC_ID);
    cl_is(clSetProgramSpecializationConstant(made, 42, 2, &value), CL_INVALID_VALUE);
    cl_is(clSetProgramSpecializationConstant(made, 42, sizeof value, NULL), CL_INVALID_VALUE);
    cl_is(clSetProgramSpecializationConstant(source, 42, sizeof value, &value), CL_INVALID_PROGRAM);
    cl_is(clSetProgramSpecializationConstant((cl_program)context, 42, sizeof value, &value),
          CL_INVALID_PROGRAM);
    cl_ok(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    cl_ok(clReleaseProgram(made));
    cl_ok(clReleaseProgram(source));
}
END_TEST

/* ---- compile and link ---------------------------------------------------------------------------------- */

static cl_program compiled(const char *source)
{
    cl_program made = from_source(source);
    cl_ok(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(type_of(made), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    return made;
}

static const char callee[] = "int add_two(int x) { return x + 2; }\n";
static const char caller[] = "int add_two(int x);\nkernel void k(global int *p) { *p = add_two(*p); }\n";

START_TEST(clLinkProgram_joins_objects_and_libraries)
{
    cl_int err = 1;
    cl_program parts[] = {compiled(caller), compiled(callee)};
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(type_of(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ck_assert_str_eq(program_text(linked, CL_PROGRAM_KERNEL_NAMES), "k");
    ck_assert_uint_eq(outcome(linked), 42);
    cl_is(clBuildProgram(linked, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_program library =
        clLinkProgram(context, 1, &device, "-create-library", 1, &parts[1], NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(type_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    ck_assert_ptr_null(clCreateKernel(library, "k", &err));
    cl_is(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_program with_library[] = {parts[0], library};
    cl_program second = clLinkProgram(context, 0, NULL, "", 2, with_library, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(outcome(second), 42);
    cl_ok(clReleaseProgram(second));
    cl_ok(clReleaseProgram(library));
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
}
END_TEST

START_TEST(clLinkProgram_reports_an_unresolved_name)
{
    cl_int err = 1;
    cl_program part = compiled(caller);
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, NULL, &err);
    cl_is(err, CL_LINK_PROGRAM_FAILURE);
    ck_assert_ptr_nonnull(linked);
    cl_is(status_of(linked), CL_BUILD_ERROR);
    ck_assert_ptr_nonnull(strstr(build_text(linked, CL_PROGRAM_BUILD_LOG), "add_two"));
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(part));
}
END_TEST

START_TEST(a_compiled_binary_can_be_linked)
{
    cl_int err = 1;
    cl_program parts[] = {compiled(caller), compiled(callee)};
    struct blob blob = binary_of(parts[1]);
    cl_program loaded = from_binary(blob, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(type_of(loaded), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program inputs[] = {parts[0], loaded};
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &err);
    cl_ok(err);
    ck_assert_uint_eq(outcome(linked), 42);
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(loaded));
    cl_ok(clReleaseProgram(parts[0]));
    cl_ok(clReleaseProgram(parts[1]));
    free(blob.bytes);
}
END_TEST

START_TEST(clLinkProgram_judges_its_arguments)
{
    cl_int err = 1;
    cl_program part = compiled(callee), plain = from_source(good), stranger = (cl_program)context;
    cl_program mixed[] = {part, plain};
    cl_device_id no_device = (cl_device_id)context;
    ck_assert_ptr_null(clLinkProgram((cl_context)device, 0, NULL, NULL, 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clLinkProgram(other_context, 0, NULL, NULL, 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    ck_assert_ptr_null(clLinkProgram(context, 1, NULL, NULL, 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, &device, NULL, 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 0, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 1, NULL, NULL, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 1, &part, NULL, &err, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 1, &stranger, NULL, NULL, &err));
    cl_is(err, CL_INVALID_PROGRAM);
    ck_assert_ptr_null(clLinkProgram(context, 1, &no_device, NULL, 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_DEVICE);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, "-no-such-option", 1, &part, NULL, NULL, &err));
    cl_is(err, CL_INVALID_LINKER_OPTIONS);
    ck_assert_ptr_null(clLinkProgram(context, 0, NULL, NULL, 2, mixed, NULL, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    cl_ok(clReleaseProgram(part));
    cl_ok(clReleaseProgram(plain));
}
END_TEST

START_TEST(clCompileProgram_finds_its_headers)
{
    const char *names[] = {"inner/two.h"};
    cl_program header = from_source("#define TWO 2\n");
    cl_program made = from_source("#include \"inner/two.h\"\nkernel void k(global int *p) { *p = TWO; }\n");
    cl_is(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    ck_assert_ptr_nonnull(strstr(build_text(made, CL_PROGRAM_BUILD_LOG), "inner/two.h"));
    cl_ok(clCompileProgram(made, 0, NULL, NULL, 1, &header, names, NULL, NULL));
    cl_is(status_of(made), CL_BUILD_SUCCESS);
    cl_ok(clReleaseProgram(header));
    cl_ok(clReleaseProgram(made));
}
END_TEST

START_TEST(clCompileProgram_judges_its_arguments)
{
    const char *names[] = {"h.h"}, *foreign_source = good;
    cl_device_id stranger = (cl_device_id)context;
    cl_program made = from_source(good), header = from_source(good), bad_header = (cl_program)context;
    cl_program foreign = clCreateProgramWithSource(other_context, 1, &foreign_source, NULL, NULL);
    int data;
    cl_is(clCompileProgram((cl_program)context, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
          CL_INVALID_PROGRAM);
    cl_is(clCompileProgram(made, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 0, &device, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 1, &stranger, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_DEVICE);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 0, &header, names, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 1, NULL, names, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 1, &header, NULL, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, &data), CL_INVALID_VALUE);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 1, &bad_header, names, NULL, NULL), CL_INVALID_PROGRAM);
    cl_is(clCompileProgram(made, 0, NULL, NULL, 1, &foreign, names, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(clCompileProgram(made, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL),
          CL_INVALID_COMPILER_OPTIONS);
    cl_ok(clReleaseProgram(made));
    cl_ok(clReleaseProgram(header));
    cl_ok(clReleaseProgram(foreign));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api program");
    TCase *tests = tcase_create("programs");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_add_test(tests, clCreateProgramWithSource_joins_its_strings);
    tcase_add_test(tests, clCreateProgramWithSource_judges_its_arguments);
    tcase_add_test(tests, clBuildProgram_makes_an_executable);
    tcase_add_test(tests, clBuildProgram_puts_compiler_output_into_the_log);
    tcase_add_test(tests, clBuildProgram_judges_its_arguments);
    tcase_add_test(tests, clBuildProgram_is_refused_while_kernels_are_attached);
    tcase_add_test(tests, build_with_a_callback_calls_it_at_the_end);
    tcase_add_test(tests, programs_build_on_several_threads);
    tcase_add_test(tests, clGetProgramInfo_returns_its_values);
    tcase_add_test(tests, clCreateProgramWithBinary_accepts_a_built_binary);
    tcase_add_test(tests, clCreateProgramWithBinary_notices_every_damaged_byte);
    tcase_add_test(tests, clCreateProgramWithBinary_judges_its_arguments);
    tcase_add_test(tests, clCreateProgramWithBuiltInKernels_has_none_to_give);
    tcase_add_test(tests, clCreateProgramWithIL_builds_and_gives_the_module_back);
    tcase_add_test(tests, clCreateProgramWithIL_judges_its_arguments);
    tcase_add_test(tests, clBuildProgram_validates_the_module_first);
    tcase_add_test(tests, clSetProgramSpecializationConstant_judges_its_arguments);
    tcase_add_test(tests, specialised_values_reach_the_kernel_and_the_binary);
    tcase_add_test(tests, specialised_values_outlive_compiling_and_linking);
    tcase_add_test(tests, clLinkProgram_joins_objects_and_libraries);
    tcase_add_test(tests, clLinkProgram_reports_an_unresolved_name);
    tcase_add_test(tests, a_compiled_binary_can_be_linked);
    tcase_add_test(tests, clLinkProgram_judges_its_arguments);
    tcase_add_test(tests, clCompileProgram_finds_its_headers);
    tcase_add_test(tests, clCompileProgram_judges_its_arguments);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
