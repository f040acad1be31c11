/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches with arguments of every kind that `orrery run --save-launch` saves. The kernel prints all that it
 * gets, so that the saved launch is right when it prints the same. An argument of the program: "binary" makes the
 * program of its own binary; "linked" links it; "pipe" passes a pipe; "part" runs on a sub-device.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "struct pair { char c; float3 f; long l; };\n"
    "global int counter = 3;\n"
    "kernel void fill(global int *b) { b[get_global_id(0)] = 100 + (int)get_global_id(0); }\n"
    "kernel void show(global const int *whole, global int *part, constant float4 *table, global char *none,\n"
    "                 global double *real, read_only image2d_t flat, read_only image1d_array_t rows, "
    "sampler_t s,\n"
    "                 local int *scratch, struct pair pair, float3 v, half h, uchar c, ulong big, float "
    "nan,\n"
    "                 global const uchar *long_one, global int *svm)\n"
    "{\n"
    "    int i = get_global_id(0), sum = 0;\n"
    "    scratch[get_local_id(0)] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < 1000; k++)\n"
    "        sum = sum * 31 + long_one[k];\n"
    "    float4 a = read_imagef(flat, s, (float2)(i % 3 + 0.25f, i % 2));\n"
    "    uint4 b = read_imageui(rows, (int2)(i % 5, i % 2));\n"
    "    printf(\"%d of %d %d: %d %d %v4hlf %d %g | %v4hlf %v4u %d | %d %v3hlf %ld %v3hlf %g %d %lu %x %d %d "
    "%d\\n\", i,\n"
    "           (int)get_global_size(0), (int)get_local_size(0), whole[i], part[i], table[i % 2], none == 0, "
    "real[i],\n"
    "           a, b, scratch[get_local_size(0) - 1 - get_local_id(0)], pair.c, pair.f, pair.l, v, (float)h, "
    "c, big,\n"
    "           as_uint(nan), sum, svm[i], counter);\n"
    "    part[i] += whole[i + 8];\n"
    "}\n"
    "kernel void piped(read_only pipe int p) {}\n";

static cl_context context;
static cl_command_queue queue;

static void ok(cl_int err, const char *what)
{
    if (!err)
        return;
    fprintf(stderr, "%s: %d\n", what, err);
    exit(1);
}

static cl_mem buffer(cl_mem_flags flags, size_t size, const void *bytes)
{
    cl_int err;
    cl_mem made =
        clCreateBuffer(context, flags | (bytes ? CL_MEM_COPY_HOST_PTR : 0), size, (void *)bytes, &err);
    ok(err, "clCreateBuffer");
    return made;
}

static cl_mem image(cl_channel_order order, cl_channel_type type, const cl_image_desc *desc,
                    const void *texels)
{
    cl_int err;
    const cl_image_format format = {order, type};
    cl_mem made =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, desc, (void *)texels, &err);
    ok(err, "clCreateImage");
    return made;
}

static cl_program from_binary(cl_program built)
{
    cl_int err;
    size_t size;
    ok(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "clGetProgramInfo");
    unsigned char *bytes = malloc(size);
    ok(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "clGetProgramInfo");
    cl_device_id device;
    ok(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), "clGetContextInfo");
    cl_program program =
        clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &err);
    ok(err, "clCreateProgramWithBinary");
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "clBuildProgram");
    free(bytes);
    return program;
}

static void launch(cl_kernel kernel, size_t offset, size_t global, size_t local)
{
    ok(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, &local, 0, NULL, NULL),
       "clEnqueueNDRangeKernel");
    ok(clFinish(queue), "clFinish");
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    ok(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void set_pipe(cl_program program)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "piped", &err);
    ok(err, "clCreateKernel");
    cl_mem pipe = clCreatePipe(context, 0, 4, 16, NULL, &err);
    ok(err, "clCreatePipe");
    set(kernel, 0, sizeof pipe, &pipe);
    launch(kernel, 0, 1, 1);
}

enum { ITEMS = 8, WHOLE = 32, PART = 4096 };

/* A buffer that is written in parts, and a sub-buffer of it that a kernel fills: launch 1. */
static void set_buffers(cl_program program, cl_kernel show)
{
    cl_int err;
    int whole[WHOLE];
    for (int i = 0; i < WHOLE; i++)
        whole[i] = i * i - 7;
    cl_mem all = buffer(CL_MEM_READ_WRITE, sizeof whole + PART, NULL);
    ok(clEnqueueWriteBuffer(queue, all, CL_TRUE, 0, sizeof whole, whole, 0, NULL, NULL),
       "clEnqueueWriteBuffer");
    const cl_buffer_region region = {PART, sizeof whole};
    cl_mem part = clCreateSubBuffer(all, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    ok(err, "clCreateSubBuffer");
    cl_kernel fill = clCreateKernel(program, "fill", &err);
    ok(err, "clCreateKernel");
    set(fill, 0, sizeof part, &part);
    launch(fill, 0, ITEMS + 3, 1);
    set(show, 0, sizeof all, &all);
    set(show, 1, sizeof part, &part);
}

static void set_contents(cl_kernel show)
{
    const float table[8] = {1, 2.5f, -3, 0.1f, 1e30f, -0.0f, 5, 1.0f / 3};
    const double real[11] = {0.1, 1.0 / 3, -1e300, 4e-320};
    unsigned char bytes[1000];
    for (int i = 0; i < 1000; i++)
        bytes[i] = (unsigned char)(i * i >> 3);
    cl_mem tables = buffer(CL_MEM_READ_ONLY, sizeof table, table), reals = buffer(0, sizeof real, real),
           long_one = buffer(0, sizeof bytes, bytes);
    set(show, 2, sizeof tables, &tables);
    set(show, 3, sizeof(cl_mem), NULL);
    set(show, 4, sizeof reals, &reals);
    set(show, 15, sizeof long_one, &long_one);
}

static void set_images(cl_kernel show)
{
    cl_int err;
    unsigned char texels[4][8][4];
    unsigned short rows[2][5];
    memset(texels, 0, sizeof texels);
    for (int i = 0; i < 4 * 8; i++)
        texels[i / 8][i % 8][i % 4] = (unsigned char)(i * 7);
    for (int i = 0; i < 10; i++)
        rows[i / 5][i % 5] = (unsigned short)(i * 1000);
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = 5,
                                .image_height = 4,
                                .image_row_pitch = sizeof texels[0]};
    const cl_image_desc array = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 5, .image_array_size = 2};
    const cl_sampler_properties linear[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                            CL_FALSE,
                                            CL_SAMPLER_ADDRESSING_MODE,
                                            CL_ADDRESS_CLAMP_TO_EDGE,
                                            CL_SAMPLER_FILTER_MODE,
                                            CL_FILTER_LINEAR,
                                            0};
    cl_mem flats = image(CL_RGBA, CL_UNORM_INT8, &flat, texels),
           arrays = image(CL_R, CL_UNSIGNED_INT16, &array, rows);
    cl_sampler sampler = clCreateSamplerWithProperties(context, linear, &err);
    ok(err, "clCreateSamplerWithProperties");
    set(show, 5, sizeof flats, &flats);
    set(show, 6, sizeof arrays, &arrays);
    set(show, 7, sizeof sampler, &sampler);
}

static void set_values(cl_kernel show)
{
    const struct {
        cl_char c;
        cl_float3 f;
        cl_long l;
    } pair = {-5, {{1, 2, 3}}, -(1LL << 40)};
    const cl_float3 v = {{0.1f, 0.2f, 0.3f}};
    const cl_half h = 0x3555;
    const cl_uchar c = 250;
    const cl_ulong big = ~0ul - 5;
    const cl_uint nan = 0x7fc12345;
    set(show, 8, 4 * sizeof(cl_int), NULL);
    set(show, 9, sizeof pair, &pair);
    set(show, 10, sizeof v, &v);
    set(show, 11, sizeof h, &h);
    set(show, 12, sizeof c, &c);
    set(show, 13, sizeof big, &big);
    set(show, 14, sizeof nan, &nan);
}

static int *set_shared(cl_kernel show)
{
    enum { COUNT = 64 };
    int *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * sizeof *svm, 0);
    ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, svm, COUNT * sizeof *svm, 0, NULL, NULL),
       "clEnqueueSVMMap");
    for (int i = 0; i < COUNT; i++)
        svm[i] = 1000 - i;
    ok(clEnqueueSVMUnmap(queue, svm, 0, NULL, NULL), "clEnqueueSVMUnmap");
    ok(clSetKernelArgSVMPointer(show, 16, svm + 3), "clSetKernelArgSVMPointer");
    return svm;
}

/* The device, or the part of it that is named. */
static cl_device_id device_of(const char *how)
{
    cl_platform_id platform;
    cl_device_id device, half[8];
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    ok(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    if (strcmp(how, "part") != 0)
        return device;
    ok(clCreateSubDevices(device, equally, 8, half, NULL), "clCreateSubDevices");
    return half[1];
}

static cl_program program_of(cl_device_id device)
{
    cl_int err;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    ok(err, "clCreateProgramWithSource");
    ok(clBuildProgram(program, 1, &device, "-cl-std=CL2.0 -cl-kernel-arg-info", NULL, NULL),
       "clBuildProgram");
    return program;
}

static cl_program linked_program(cl_device_id device)
{
    cl_int err;
    const char *text = source;
    cl_program object = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    ok(err, "clCreateProgramWithSource");
    ok(clCompileProgram(object, 1, &device, "-cl-std=CL2.0 -cl-kernel-arg-info", 0, NULL, NULL, NULL, NULL),
       "clCompileProgram");
    cl_program program = clLinkProgram(context, 1, &device, "", 1, &object, NULL, NULL, &err);
    ok(err, "clLinkProgram");
    clReleaseProgram(object);
    return program;
}

int main(int argc, char **argv)
{
    cl_int err;
    const char *how = argc > 1 ? argv[1] : "";
    setlocale(LC_ALL, "");
    cl_device_id device = device_of(how);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    ok(err, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    ok(err, "clCreateCommandQueueWithProperties");
    cl_program program = !strcmp(how, "linked") ? linked_program(device) : program_of(device);
    if (!strcmp(how, "binary"))
        program = from_binary(program);
    if (!strcmp(how, "pipe"))
        set_pipe(program);
    cl_kernel show = clCreateKernel(program, "show", &err);
    ok(err, "clCreateKernel");
    set_buffers(program, show);
    set_contents(show);
    set_images(show);
    set_values(show);
    int *svm = set_shared(show);
    launch(show, 3, ITEMS, 4);
    clSVMFree(context, svm);
    return 0;
}
