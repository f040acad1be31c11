/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of source, SPIR-V, binaries and built-in kernels; compiled, linked and built, with the options of
 * a list. Texts are few, so that nearly all of them come from the compiler's cache.
 */
#include <stdlib.h>
#include <string.h>

#include "calls_sequence.h"

/* ---- creation ---- */

void try_source(struct sequence *s)
{
    static const char *const texts[] = {
        "kernel void k(global int *p) { p[0] = N; }\n",
        "#include \"head.h\"\nkernel void k(global int *p) { p[0] = head(1); }\n",
        "int head(int a) { return a + 1; }\n",
        "kernel void k(global int *p) { no such thing }\n",
        "",
        "global int state = 5; kernel void k(global int *p) { p[0] = state++; }\n",
        "#define N 3\nint head(int);\n"};
    const uint8_t way = draw(s);
    const cl_context context = DRAW_CONTEXT(s);
    const char *list[2] = {texts[draw(s) % COUNT_OF(texts)], texts[draw(s) % COUNT_OF(texts)]};
    size_t lengths[2] = {draw(s) % 4 ? 0 : 9, 0};
    lengths[0] = strlen(list[0]) < lengths[0] ? 0 : lengths[0];
    if (way == 255)
        list[1] = NULL;
    cl_int err = CL_SUCCESS;
    cl_program made = clCreateProgramWithSource(context, way >= 250 ? way % 3 : 1 + way % 2,
                                                way == 252 ? NULL : list, way & 2 ? lengths : NULL, &err);
    put(s, PROGRAMS, made, err);
}

/* A kernel k that stores a specialization constant of id 7. */
static const uint32_t module[] = {
    0x07230203, 0x00010000, 0,          14,         0, /* header: version 1.0, 14 ids */
    0x00020011, 4,          0x00020011, 6,             /* OpCapability Addresses, Kernel */
    0x0003000e, 2,          2,                         /* OpMemoryModel Physical64 OpenCL */
    0x0004000f, 6,          8,          0x0000006b,    /* OpEntryPoint Kernel %8 "k" */
    0x00040047, 5,          1,          7,             /* OpDecorate %5 SpecId 7 */
    0x00040015, 1,          32,         0,             /* %1 = OpTypeInt 32 0 */
    0x00020013, 2,                                     /* %2 = OpTypeVoid */
    0x00040020, 3,          5,          1,             /* %3 = OpTypePointer CrossWorkgroup %1 */
    0x00040021, 4,          2,          3,             /* %4 = OpTypeFunction %2 %3 */
    0x00040032, 1,          5,          42,            /* %5 = OpSpecConstant %1 42 */
    0x00050036, 2,          8,          0,          4,
    0x00030037, 3,          9,                         /* %8 = OpFunction, %9 = OpFunctionParameter */
    0x000200f8, 10,                                    /* OpLabel */
    0x0005003e, 9,          5,          2,          4, /* OpStore %9 %5 Aligned 4 */
    0x000100fd, 0x00010038                             /* OpReturn, OpFunctionEnd */
};

void try_il(struct sequence *s)
{
    const uint8_t way = draw(s);
    const cl_context context = DRAW_CONTEXT(s);
    const uint8_t at = draw(s), bit = draw(s);
    uint32_t words[COUNT_OF(module)];
    size_t size = sizeof module;
    memcpy(words, module, sizeof module);
    if (way & 1)
        words[at % COUNT_OF(words)] ^= UINT32_C(1) << bit % 32;
    if (way & 2)
        size = draw(s) % (sizeof module + 1);
    cl_int err = CL_SUCCESS;
    cl_program made = clCreateProgramWithIL(context, way == 252 ? NULL : words, size, &err);
    put(s, PROGRAMS, made, err);
}

void try_constant(struct sequence *s)
{
    const cl_program program = DRAW_PROGRAM(s);
    const uint8_t way = draw(s);
    const uint32_t value = draw(s);
    const cl_uint id = way & 1 ? draw(s) : 7;
    const size_t size = way & 2 ? draw_size(s) % 64 : sizeof value;
    clSetProgramSpecializationConstant(program, id, size,
                                       way == 252 ? NULL
                                       : way & 2  ? (const void *)world.host
                                                  : &value);
}

/* Binaries of a program, whole, shortened or with one byte changed. */
void try_binary(struct sequence *s)
{
    unsigned char *binaries[4] = {NULL};
    size_t sizes[4] = {0};
    cl_uint count = 0;
    cl_int statuses[2] = {7, 7}, err = CL_SUCCESS;
    const cl_program from = DRAW_PROGRAM(s);
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id devices[2] = {DRAW_DEVICE(s), DRAW_DEVICE(s)};
    const uint8_t way = draw(s), wanted = draw(s), at = draw(s), near = draw(s), bit = draw(s);
    clGetProgramInfo(from, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL);
    if (!count || count > COUNT_OF(sizes) ||
        clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL))
        return;
    for (cl_uint i = 0; i < count; i++)
        if (sizes[i] && sizes[i] < HOST_BYTES)
            binaries[i] = malloc(sizes[i]);
    clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL);
    if (way & 1 && binaries[0])
        binaries[0][(at * (sizes[0] / 256) + near) % sizes[0]] ^= (unsigned char)(1 << bit % 8);
    if (way & 2)
        sizes[0] = draw(s) * sizes[0] / 256;
    cl_program made = clCreateProgramWithBinary(
        context, way == 252 ? 0 : 1 + way / 4 % 2, way == 251 ? NULL : devices, way == 248 ? NULL : sizes,
        way == 240 ? NULL : (const unsigned char **)binaries, wanted & 1 ? NULL : statuses, &err);
    put(s, PROGRAMS, made, err);
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
}

void try_built_in(struct sequence *s)
{
    static const char *const names[] = {"", "k", ";", "a;b", NULL};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id device = DRAW_DEVICE(s);
    cl_int err = CL_SUCCESS;
    const char *const name = names[draw(s) % COUNT_OF(names)];
    const uint8_t odd = draw(s);
    cl_program made =
        clCreateProgramWithBuiltInKernels(context, odd & 64 ? 0 : 1, odd & 32 ? NULL : &device, name, &err);
    put(s, PROGRAMS, made, err);
}

/* ---- building ---- */

static const char *draw_options(struct sequence *s)
{
    static const char *const options[] = {"",
                                          "-DN=7",
                                          NULL,
                                          "-cl-std=CL3.0 -DN=7",
                                          "-cl-std=CL1.2 -DN=7",
                                          "-g -DN=7",
                                          "-cl-kernel-arg-info -DN=7",
                                          "-cl-no-such-option",
                                          "-D",
                                          "-cl-std=CL9.9",
                                          "-DN=7 -cl-uniform-work-group-size",
                                          "-x spir -spir-std=1.2"};
    return options[draw(s) % COUNT_OF(options)];
}

/* The devices of a build; count 0 and NULL: all. */
struct build_devices {
    cl_uint count;
    cl_device_id list[2];
    const cl_device_id *devices;
};

static void draw_build_devices(struct sequence *s, struct build_devices *out)
{
    const uint8_t way = draw(s);
    *out = (struct build_devices){.count = way % 3};
    if (out->count || way == 255)
        out->devices = out->list;
    if (way == 254)
        out->devices = NULL;
    for (unsigned i = 0; out->count && i < 2; i++)
        out->list[i] = DRAW_DEVICE(s);
}

void try_build(struct sequence *s)
{
    const cl_program program = DRAW_PROGRAM(s);
    const char *const options = draw_options(s);
    struct build_devices devices;
    draw_build_devices(s, &devices);
    const bool calls = draw_odd(s, 3);
    clBuildProgram(program, devices.count, devices.devices, options, calls ? on_program : NULL,
                   calls || draw_odd(s, 16) ? draw_note(s) : NULL);
}

void try_compile(struct sequence *s)
{
    static const char *const names[] = {"head.h", "other.h", "dir/head.h", ""};
    const cl_program program = DRAW_PROGRAM(s), headers[2] = {DRAW_PROGRAM(s), DRAW_PROGRAM(s)};
    const char *const options = draw_options(s), *paths[2] = {names[draw(s) % 4], names[draw(s) % 4]};
    const uint8_t way = draw(s);
    const cl_uint count = way == 251 ? 1 : way % 3;
    struct build_devices devices;
    draw_build_devices(s, &devices);
    if (way == 250)
        paths[0] = NULL;
    clCompileProgram(program, devices.count, devices.devices, options, count,
                     count && way != 251 ? headers : NULL, count || way == 252 ? paths : NULL,
                     way & 16 ? on_program : NULL, way & 16 ? draw_note(s) : NULL);
}

void try_link(struct sequence *s)
{
    static const char *const options[] = {"",
                                          NULL,
                                          "-create-library",
                                          "-create-library -enable-link-options",
                                          "-no-such",
                                          "-cl-denorms-are-zero"};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_program programs[2] = {DRAW_PROGRAM(s), DRAW_PROGRAM(s)};
    const char *const wanted = options[draw(s) % COUNT_OF(options)];
    const uint8_t way = draw(s);
    struct build_devices devices;
    draw_build_devices(s, &devices);
    cl_int err = CL_SUCCESS;
    cl_program made = clLinkProgram(context, devices.count, devices.devices, wanted,
                                    way == 252 ? 0 : 1 + way % 2, way == 251 ? NULL : programs,
                                    way & 16 ? on_program : NULL, way & 16 ? draw_note(s) : NULL, &err);
    put(s, PROGRAMS, made, made ? CL_SUCCESS : err); /* one that does not link is an object, too */
}

void try_program_callback(struct sequence *s)
{
    const cl_program program = DRAW_PROGRAM(s);
    const uint8_t odd = draw(s);
    if (!is_of_world(PROGRAMS, program))
        clSetProgramReleaseCallback(program, odd & 64 ? NULL : on_program, draw_note(s));
}
