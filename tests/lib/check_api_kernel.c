/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel objects: creating, arguments, queries; through the loader. */
#include "tests/support/cl_fixture.h"

static const char source[] =
    "typedef struct { int a; double b; } pair;\n"
    "kernel void copy(global const float4 *restrict in, global volatile uint *out, constant int *table,\n"
    "                 local char *scratch, int n, float4 v, pair p, uchar b) { out[0] = n + (int)in[0].x; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 4, 2))) void sized(global int *p) { p[0] = 1; }\n"
    "kernel void with_local(local int *extra) { local int own[64]; own[get_local_id(0)] = 1;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); extra[0] = own[0]; }\n"
    "kernel void empty(void) {}\n";

enum { IN, OUT, TABLE, SCRATCH, N, V, P, B, ARGS };

static cl_program program;
static cl_kernel copy;

static cl_kernel kernel_of(cl_program owner, const char *name)
{
    cl_int err = 1;
    cl_kernel made = clCreateKernel(owner, name, &err);
    cl_ok(err);
    return made;
}

static cl_program build(const char *text, const char *options)
{
    cl_int err = 1;
    cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(made, 0, NULL, options, NULL, NULL));
    return made;
}

static void set_up(void)
{
    cl_set_up();
    program = build(source, "-cl-kernel-arg-info");
    copy = kernel_of(program, "copy");
}

static void tear_down(void)
{
    cl_ok(clReleaseKernel(copy));
    cl_ok(clReleaseProgram(program));
    cl_tear_down();
}

/* ---- creating --------------------------------------------------------------------------------- */

START_TEST(clCreateKernel_judges_its_arguments)
{
    const char *text = source;
    cl_int err = 1;
    cl_program unbuilt = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    ck_assert_ptr_null(clCreateKernel((cl_program)context, "copy", &err));
    cl_is(err, CL_INVALID_PROGRAM);
    ck_assert_ptr_null(clCreateKernel(program, "no_such_kernel", &err));
    cl_is(err, CL_INVALID_KERNEL_NAME);
    ck_assert_ptr_null(clCreateKernel(program, NULL, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateKernel(unbuilt, "copy", &err));
    cl_is(err, CL_INVALID_PROGRAM_EXECUTABLE);
    cl_ok(clReleaseProgram(unbuilt));
}
END_TEST

START_TEST(clCreateKernelsInProgram_gives_all_of_them)
{
    const char *text = source;
    cl_kernel made[8];
    cl_uint count = 0;
    cl_program unbuilt = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_ok(clCreateKernelsInProgram(program, 0, NULL, &count));
    ck_assert_uint_eq(count, 4);
    cl_is(clCreateKernelsInProgram(program, 3, made, &count), CL_INVALID_VALUE);
    cl_ok(clCreateKernelsInProgram(program, 8, made, &count));
    ck_assert_uint_eq(count, 4);
    for (cl_uint i = 0; i < count; i++) {
        char name[32];
        static const char *const expected[] = {"copy", "sized", "with_local", "empty"};
        cl_ok(clGetKernelInfo(made[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        ck_assert_str_eq(name, expected[i]);
        cl_ok(clReleaseKernel(made[i]));
    }
    cl_is(clCreateKernelsInProgram(unbuilt, 8, made, &count), CL_INVALID_PROGRAM_EXECUTABLE);
    cl_is(clCreateKernelsInProgram((cl_program)context, 8, made, &count), CL_INVALID_PROGRAM);
    cl_ok(clReleaseProgram(unbuilt));
}
END_TEST

START_TEST(clRetainKernel_and_clReleaseKernel_count)
{
    cl_uint count = 0;
    cl_kernel made = kernel_of(program, "empty");
    cl_ok(clRetainKernel(made));
    cl_ok(clGetKernelInfo(made, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_ok(clReleaseKernel(made));
    cl_ok(clReleaseKernel(made));
    cl_is(clReleaseKernel(made), CL_INVALID_KERNEL);
    cl_is(clRetainKernel((cl_kernel)context), CL_INVALID_KERNEL);
}
END_TEST

START_TEST(a_kernel_keeps_its_program)
{
    cl_program mine = build(source, NULL), found = NULL;
    cl_kernel kernel = kernel_of(mine, "empty");
    cl_ok(clReleaseProgram(mine));
    cl_ok(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof found, &found, NULL));
    ck_assert_ptr_eq(found, mine);
    cl_ok(clRetainProgram(found));
    cl_ok(clReleaseKernel(kernel));
    kernel = kernel_of(found, "empty");
    cl_ok(clReleaseProgram(found));
    cl_ok(clReleaseKernel(kernel));
    cl_is(clReleaseProgram(found), CL_INVALID_PROGRAM);
}
END_TEST

/* ---- arguments ----------------------------------------------------------------------------------- */

START_TEST(clSetKernelArg_takes_good_arguments)
{
    struct {
        cl_int a;
        cl_double b;
    } p = {1, 2};
    cl_mem buffer = cl_buffer(context, 0, 256, NULL), nothing = NULL;
    cl_float4 v = {{1, 2, 3, 4}};
    cl_int n = 5;
    cl_uchar b = 1;
    cl_ok(clSetKernelArg(copy, IN, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(copy, OUT, sizeof buffer, &nothing));
    cl_ok(clSetKernelArg(copy, OUT, sizeof buffer, NULL));
    cl_ok(clSetKernelArg(copy, TABLE, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(copy, SCRATCH, 100, NULL));
    cl_ok(clSetKernelArg(copy, N, sizeof n, &n));
    cl_ok(clSetKernelArg(copy, V, sizeof v, &v));
    cl_ok(clSetKernelArg(copy, P, sizeof p, &p));
    cl_ok(clSetKernelArg(copy, B, sizeof b, &b));
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(clSetKernelArg_judges_index_and_size)
{
    cl_mem buffer = cl_buffer(context, 0, 256, NULL);
    cl_long n = 5;
    cl_is(clSetKernelArg((cl_kernel)context, N, sizeof(cl_int), &n), CL_INVALID_KERNEL);
    cl_is(clSetKernelArg(copy, ARGS, sizeof(cl_int), &n), CL_INVALID_ARG_INDEX);
    cl_is(clSetKernelArg(copy, UINT32_MAX, sizeof(cl_int), &n), CL_INVALID_ARG_INDEX);
    cl_is(clSetKernelArg(copy, N, sizeof(cl_long), &n), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(copy, N, 0, &n), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(copy, N, sizeof(cl_int), NULL), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArg(copy, IN, sizeof(cl_int), &buffer), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(copy, SCRATCH, 0, NULL), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(copy, SCRATCH, 16, &n), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArg(kernel_of(program, "empty"), 0, 4, &n), CL_INVALID_ARG_INDEX);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(clSetKernelArg_judges_memory_objects)
{
    cl_mem foreign = cl_buffer(other_context, 0, 256, NULL), released = cl_buffer(context, 0, 256, NULL);
    void *stranger = context, *wild = (void *)(uintptr_t)0x1234;
    cl_ok(clReleaseMemObject(released));
    cl_is(clSetKernelArg(copy, IN, sizeof foreign, &foreign), CL_INVALID_CONTEXT);
    cl_is(clSetKernelArg(copy, IN, sizeof released, &released), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(copy, IN, sizeof stranger, &stranger), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(copy, IN, sizeof wild, &wild), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(foreign));
}
END_TEST

START_TEST(clSetKernelArg_retains_nothing)
{
    cl_uint count = 0;
    cl_mem buffer = cl_buffer(context, 0, 256, NULL);
    cl_ok(clSetKernelArg(copy, IN, sizeof buffer, &buffer));
    cl_ok(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(clReleaseMemObject(buffer));
    cl_is(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
}
END_TEST

START_TEST(clSetKernelArgSVMPointer_judges_its_arguments)
{
    char *mine = clSVMAlloc(context, 0, 256, 0), *foreign = clSVMAlloc(other_context, 0, 256, 0), plain[8];
    cl_ok(clSetKernelArgSVMPointer(copy, IN, mine));
    cl_ok(clSetKernelArgSVMPointer(copy, OUT, mine + 100));
    cl_ok(clSetKernelArgSVMPointer(copy, OUT, NULL));
    cl_is(clSetKernelArgSVMPointer((cl_kernel)context, IN, mine), CL_INVALID_KERNEL);
    cl_is(clSetKernelArgSVMPointer(copy, ARGS, mine), CL_INVALID_ARG_INDEX);
    cl_is(clSetKernelArgSVMPointer(copy, N, mine), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArgSVMPointer(copy, IN, foreign), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArgSVMPointer(copy, IN, plain), CL_INVALID_ARG_VALUE);
    clSVMFree(context, mine);
    cl_is(clSetKernelArgSVMPointer(copy, IN, mine), CL_INVALID_ARG_VALUE);
    clSVMFree(other_context, foreign);
}
END_TEST

START_TEST(clSetKernelExecInfo_judges_its_arguments)
{
    void *mine = clSVMAlloc(context, 0, 256, 0);
    cl_bool yes = CL_TRUE, no = CL_FALSE;
    cl_ok(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof mine, &mine));
    cl_ok(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    cl_is(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof mine, NULL), CL_INVALID_VALUE);
    cl_is(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof mine - 1, &mine), CL_INVALID_VALUE);
    cl_ok(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
    cl_is(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
          CL_INVALID_OPERATION);
    cl_is(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no), CL_INVALID_VALUE);
    cl_is(clSetKernelExecInfo(copy, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, NULL),
          CL_INVALID_VALUE);
    cl_is(clSetKernelExecInfo(copy, 0x7777, sizeof no, &no), CL_INVALID_VALUE);
    cl_is(clSetKernelExecInfo((cl_kernel)context, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof mine, &mine),
          CL_INVALID_KERNEL);
    clSVMFree(context, mine);
}
END_TEST

START_TEST(clCloneKernel_copies_arguments_which_then_differ)
{
    cl_ulong bytes = 0;
    cl_int err = 1;
    cl_kernel one = kernel_of(program, "with_local");
    cl_ok(clSetKernelArg(one, 0, 1000, NULL));
    cl_kernel two = clCloneKernel(one, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(one, 0, 16, NULL));
    cl_ok(clGetKernelWorkGroupInfo(two, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64 * sizeof(cl_int) + 1000);
    ck_assert_ptr_null(clCloneKernel((cl_kernel)context, &err));
    cl_is(err, CL_INVALID_KERNEL);
    cl_ok(clReleaseKernel(one));
    cl_ok(clReleaseKernel(two));
}
END_TEST

/* ---- queries ----------------------------------------------------------------------------------------- */

START_TEST(clGetKernelInfo_returns_its_values)
{
    char name[64];
    cl_uint count = 0;
    size_t size = 0;
    cl_context owner = NULL;
    cl_ok(clGetKernelInfo(copy, CL_KERNEL_FUNCTION_NAME, sizeof name, name, &size));
    ck_assert_str_eq(name, "copy");
    ck_assert_uint_eq(size, 5);
    cl_ok(clGetKernelInfo(copy, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, ARGS);
    cl_ok(clGetKernelInfo(copy, CL_KERNEL_CONTEXT, sizeof owner, &owner, NULL));
    ck_assert_ptr_eq(owner, context);
    cl_ok(clGetKernelInfo(copy, CL_KERNEL_ATTRIBUTES, sizeof name, name, NULL));
    ck_assert_str_eq(name, "");
    cl_kernel sized = kernel_of(program, "sized");
    cl_ok(clGetKernelInfo(sized, CL_KERNEL_ATTRIBUTES, sizeof name, name, NULL));
    ck_assert_ptr_nonnull(strstr(name, "reqd_work_group_size(8,4,2)"));
    cl_is(clGetKernelInfo(copy, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    cl_is(clGetKernelInfo(copy, CL_KERNEL_NUM_ARGS, 1, &count, NULL), CL_INVALID_VALUE);
    cl_is(clGetKernelInfo((cl_kernel)context, CL_KERNEL_NUM_ARGS, 0, NULL, &size), CL_INVALID_KERNEL);
    cl_ok(clReleaseKernel(sized));
}
END_TEST

/* Every type that a hint may name, spelled in the ways of C. */
START_TEST(vec_type_hint_keeps_sign_and_size)
{
    static const char *const sizes[] = {"", "2", "3", "4", "8", "16"};
    static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                        "long", "ulong", "half",  "float",  "double"};
    static const char *const spelled[][2] = {
        {"unsigned int", "uint"},   {"unsigned", "uint"}, {"unsigned char", "uchar"},
        {"unsigned long", "ulong"}, {"int", "int"},       {"size_t", "ulong"}};
    enum { TYPES = sizeof types / sizeof *types, SIZES = 6, SPELLED = 6, HINTS = TYPES * SIZES + SPELLED };
    static char text[HINTS * 160], want[HINTS][64];
    size_t at = 0;
    for (int i = 0; i < HINTS; i++) {
        const bool plain = i < TYPES * SIZES;
        char type[32];
        snprintf(type, sizeof type, "%s%s", plain ? types[i / SIZES] : spelled[i - TYPES * SIZES][0],
                 plain ? sizes[i % SIZES] : "");
        snprintf(want[i], sizeof want[i], "vec_type_hint(%s)", plain ? type : spelled[i - TYPES * SIZES][1]);
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "kernel __attribute__((%s( %s))) void h%d (global int *o) { *o = 1; }\n",
                               i % 2 ? "vec_type_hint" : "__vec_type_hint__", type, i);
    }
    cl_program hints = cl_program_of(context, text, "-cl-std=CL3.0");
    for (int i = 0; i < HINTS; i++) {
        char name[16], got[64];
        snprintf(name, sizeof name, "h%d", i);
        cl_kernel kernel = kernel_of(hints, name);
        cl_ok(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof got, got, NULL));
        ck_assert_str_eq(got, want[i]);
        cl_ok(clReleaseKernel(kernel));
    }
    cl_ok(clReleaseProgram(hints));
}
END_TEST

START_TEST(clGetKernelArgInfo_returns_its_values)
{
    static const struct {
        const char *name, *type;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier qualifier;
    } rows[ARGS] = {
        {"in", "float4*", CL_KERNEL_ARG_ADDRESS_GLOBAL,
         CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
        {"out", "uint*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_VOLATILE},
        {"table", "int*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST},
        {"scratch", "char*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_NONE},
        {"n", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"v", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"p", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
        {"b", "uchar", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE},
    };
    for (cl_uint i = 0; i < ARGS; i++) {
        char text[64];
        cl_kernel_arg_address_qualifier address = 0;
        cl_kernel_arg_access_qualifier access = 0;
        cl_kernel_arg_type_qualifier qualifier = 0;
        cl_ok(clGetKernelArgInfo(copy, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
        ck_assert_str_eq(text, rows[i].name);
        cl_ok(clGetKernelArgInfo(copy, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
        ck_assert_str_eq(text, rows[i].type);
        cl_ok(clGetKernelArgInfo(copy, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
        ck_assert_uint_eq(address, rows[i].address);
        cl_ok(clGetKernelArgInfo(copy, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
        ck_assert_uint_eq(access, CL_KERNEL_ARG_ACCESS_NONE);
        cl_ok(clGetKernelArgInfo(copy, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
        ck_assert_msg(qualifier == rows[i].qualifier, "argument %u: 0x%x", i, (unsigned)qualifier);
    }
}
END_TEST

START_TEST(clGetKernelArgInfo_judges_its_arguments)
{
    char text[64];
    cl_program silent = build(source, "");
    cl_kernel kernel = kernel_of(silent, "copy");
    cl_is(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
          CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    cl_is(clGetKernelArgInfo(copy, ARGS, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), CL_INVALID_ARG_INDEX);
    cl_is(clGetKernelArgInfo(copy, 0, 0x7777, sizeof text, text, NULL), CL_INVALID_VALUE);
    cl_is(clGetKernelArgInfo(copy, 0, CL_KERNEL_ARG_NAME, 1, text, NULL), CL_INVALID_VALUE);
    cl_is(clGetKernelArgInfo((cl_kernel)context, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL),
          CL_INVALID_KERNEL);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(silent));
}
END_TEST

static cl_ulong local_bytes_of(cl_program owner, const char *name)
{
    cl_kernel kernel = kernel_of(owner, name);
    cl_ulong bytes = 99;
    cl_ok(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    cl_ok(clReleaseKernel(kernel));
    return bytes;
}

/* The cases of the first are numbers in its code, some of them those that the translator gave the
 * variables. */
START_TEST(local_memory_is_that_of_the_kernel_alone)
{
    char text[20000], *at = text;
    at += sprintf(at, "kernel void none(global int *p) { switch (p[0]) {\n");
    for (int i = 0; i < 1000; i++)
        at += sprintf(at, "case %d:%s", i, i % 10 == 9 ? " p[1] = p[2]; break;\n" : "");
    sprintf(at,
            "} }\n"
            "void inner(local int *q, global int *p) { q[0] = p[0]; p[1] = q[0]; }\n"
            "kernel void middle(global int *p) { local int a[16]; inner(&a[3], p); }\n"
            "kernel void both(global int *p) { local int a[8]; local short b[2]; b[1] = 1; inner(a, p); }\n");
    cl_program mine = build(text, "");
    ck_assert_uint_eq(local_bytes_of(mine, "none"), 0);
    ck_assert_uint_eq(local_bytes_of(mine, "middle"), 16 * sizeof(cl_int));
    ck_assert_uint_eq(local_bytes_of(mine, "both"), 8 * sizeof(cl_int) + 2 * sizeof(cl_short));
    cl_ok(clReleaseProgram(mine));
}
END_TEST

START_TEST(clGetKernelWorkGroupInfo_returns_its_values)
{
    cl_kernel sized = kernel_of(program, "sized"), with_local = kernel_of(program, "with_local");
    size_t triple[3] = {9, 9, 9}, value = 0, most = 0;
    cl_ulong bytes = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    cl_ok(clGetKernelWorkGroupInfo(copy, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof value, &value, NULL));
    ck_assert_uint_eq(value, most);
    cl_ok(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof triple, triple,
                                   NULL));
    ck_assert(triple[0] == 0 && triple[1] == 0 && triple[2] == 0);
    cl_ok(clGetKernelWorkGroupInfo(sized, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof triple, triple,
                                   NULL));
    ck_assert(triple[0] == 8 && triple[1] == 4 && triple[2] == 2);
    cl_ok(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof value,
                                   &value, NULL));
    ck_assert_uint_eq(value, 32);
    cl_ok(clGetKernelWorkGroupInfo(with_local, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64 * sizeof(cl_int));
    cl_ok(clSetKernelArg(with_local, 0, 128, NULL));
    cl_ok(clGetKernelWorkGroupInfo(with_local, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    ck_assert_uint_eq(bytes, 64 * sizeof(cl_int) + 128);
    cl_ok(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    cl_is(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof triple, triple, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelWorkGroupInfo(copy, device, 0x7777, sizeof triple, triple, NULL), CL_INVALID_VALUE);
    cl_is(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_WORK_GROUP_SIZE, 1, &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelWorkGroupInfo(copy, (cl_device_id)context, CL_KERNEL_WORK_GROUP_SIZE, sizeof value,
                                   &value, NULL),
          CL_INVALID_DEVICE);
    cl_is(clGetKernelWorkGroupInfo((cl_kernel)context, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof value,
                                   &value, NULL),
          CL_INVALID_KERNEL);
    cl_ok(clReleaseKernel(sized));
    cl_ok(clReleaseKernel(with_local));
}
END_TEST

static size_t sub_group(cl_kernel_sub_group_info name, size_t x, size_t y)
{
    size_t local[2] = {x, y}, value = 0;
    cl_ok(clGetKernelSubGroupInfo(copy, device, name, sizeof local, local, sizeof value, &value, NULL));
    return value;
}

START_TEST(clGetKernelSubGroupInfo_returns_its_values)
{
    size_t value = 0, count = 3, local[3] = {9, 9, 9};
    ck_assert_uint_eq(sub_group(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 64, 2), 32);
    ck_assert_uint_eq(sub_group(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 64, 2), 4);
    ck_assert_uint_eq(sub_group(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 33, 1), 2);
    cl_ok(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                  &count, sizeof local, local, NULL));
    ck_assert(local[0] == 96 && local[1] == 1 && local[2] == 1);
    count = 1000000;
    cl_ok(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof count,
                                  &count, sizeof local, local, NULL));
    ck_assert(local[0] == 0 && local[1] == 0 && local[2] == 0);
    cl_ok(clGetKernelSubGroupInfo(copy, NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof value, &value,
                                  NULL));
    ck_assert_uint_eq(value, 1024 / 32);
    cl_ok(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, sizeof value,
                                  &value, NULL));
    ck_assert_uint_eq(value, 0);
}
END_TEST

START_TEST(clGetKernelSubGroupInfo_judges_its_arguments)
{
    size_t value = 0, local[4] = {8, 8, 1, 1};
    cl_is(clGetKernelSubGroupInfo((cl_kernel)context, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                  sizeof value, &value, NULL),
          CL_INVALID_KERNEL);
    cl_is(clGetKernelSubGroupInfo(copy, (cl_device_id)context, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL,
                                  sizeof value, &value, NULL),
          CL_INVALID_DEVICE);
    cl_is(clGetKernelSubGroupInfo(copy, device, 0x7777, 0, NULL, sizeof value, &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local,
                                  sizeof value, &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 7, local,
                                  sizeof value, &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, NULL, sizeof value,
                                  &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, local,
                                  sizeof value, &value, NULL),
          CL_INVALID_VALUE);
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, &value, NULL),
          CL_INVALID_VALUE);
}
END_TEST

START_TEST(clGetKernelSubGroupInfo_needs_sub_groups)
{
    size_t value = 0;
    setenv("ORRERY_DEVICE_VERSION", "1.2", 1);
    set_up();
    cl_is(clGetKernelSubGroupInfo(copy, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof value, &value,
                                  NULL),
          CL_INVALID_OPERATION);
    ck_assert_ptr_null(clSVMAlloc(context, 0, 64, 0));
    cl_is(clSetKernelArgSVMPointer(copy, IN, NULL), CL_INVALID_OPERATION);
    tear_down();
}
END_TEST

/* "If device is not a custom device and kernel is not a built-in kernel", it is an error: 5.9.4. */
START_TEST(kernels_of_custom_devices_have_a_global_size)
{
    size_t size[3] = {0};
    setenv("ORRERY_DEVICE_TYPE", "custom", 1);
    cl_ok(clGetPlatformIDs(1, &platform, NULL));
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, NULL));
    context = cl_new_context();
    program = build(source, NULL);
    copy = kernel_of(program, "copy");
    cl_ok(clGetKernelWorkGroupInfo(copy, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof size, size, NULL));
    ck_assert(size[0] == SIZE_MAX && size[1] == SIZE_MAX && size[2] == SIZE_MAX);
    cl_kernel sized = kernel_of(program, "sized");
    cl_ok(clGetKernelWorkGroupInfo(sized, device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof size, size, NULL));
    ck_assert(size[0] % 8 == 0 && size[0] > SIZE_MAX - 8 && size[1] % 4 == 0 && size[2] % 2 == 0);
    cl_is(clGetKernelWorkGroupInfo(sized, device, CL_KERNEL_GLOBAL_WORK_SIZE, 2 * sizeof *size, size, NULL),
          CL_INVALID_VALUE);
    cl_ok(clReleaseKernel(sized));
    cl_ok(clReleaseKernel(copy));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseContext(context));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("api kernel");
    TCase *tests = tcase_create("kernels"), *version = tcase_create("a 1.2 device");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, clCreateKernel_judges_its_arguments);
    tcase_add_test(tests, clCreateKernelsInProgram_gives_all_of_them);
    tcase_add_test(tests, clRetainKernel_and_clReleaseKernel_count);
    tcase_add_test(tests, a_kernel_keeps_its_program);
    tcase_add_test(tests, clSetKernelArg_takes_good_arguments);
    tcase_add_test(tests, clSetKernelArg_judges_index_and_size);
    tcase_add_test(tests, clSetKernelArg_judges_memory_objects);
    tcase_add_test(tests, clSetKernelArg_retains_nothing);
    tcase_add_test(tests, clSetKernelArgSVMPointer_judges_its_arguments);
    tcase_add_test(tests, clSetKernelExecInfo_judges_its_arguments);
    tcase_add_test(tests, clCloneKernel_copies_arguments_which_then_differ);
    tcase_add_test(tests, clGetKernelInfo_returns_its_values);
    tcase_add_test(tests, vec_type_hint_keeps_sign_and_size);
    tcase_add_test(tests, clGetKernelArgInfo_returns_its_values);
    tcase_add_test(tests, clGetKernelArgInfo_judges_its_arguments);
    tcase_add_test(tests, local_memory_is_that_of_the_kernel_alone);
    tcase_add_test(tests, clGetKernelWorkGroupInfo_returns_its_values);
    tcase_add_test(tests, clGetKernelSubGroupInfo_returns_its_values);
    tcase_add_test(tests, clGetKernelSubGroupInfo_judges_its_arguments);
    tcase_add_test(version, clGetKernelSubGroupInfo_needs_sub_groups);
    tcase_add_test(version, kernels_of_custom_devices_have_a_global_size);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, version);
    return cl_run_suite(suite);
}
