/* SPDX-License-Identifier: Apache-2.0 */
/* What the finding of a refused call says: the argument, what was given and what is allowed. */
#include <stdio.h>

#include "tests/support/recorder_fixture.h"
#include "tests/support/usage_fixture.h"

/* The sentence has the text, and does not list other reasons of the same error. */
static void refused_with(const char *text)
{
    const struct orrery_finding finding = finding_last("api-error");
    ck_assert_msg(strstr(finding.why, text) != NULL, "'%s' is not in: %s", text, finding.why);
    ck_assert_msg(strstr(finding.why, "; or ") == NULL, "%s", finding.why);
}

START_TEST(a_wrong_size_of_an_argument)
{
    static const char source[] =
        "typedef struct { int a; char b; } S;\n"
        "kernel void k(global int *o, S s, ulong n, sampler_t m, local int *l) { o[0] = s.a + n; }";
    static const struct {
        cl_uint index;
        size_t size;
        bool local;
        const char *text;
    } wrong[] = {
        {0, 4, false,
         "argument 0 'o' of kernel k is a memory object of type int* and needs 8 bytes, arg_size is 4"},
        {1, 5, false, "argument 1 's' of kernel k is a value of type S and needs 8 bytes, arg_size is 5"},
        {2, 4, false, "argument 2 'n' of kernel k is a value of type ulong and needs 8 bytes, arg_size is 4"},
        {3, 4, false,
         "argument 3 'm' of kernel k is a sampler of type sampler_t and needs 8 bytes, arg_size is 4"},
        {4, 0, true,
         "argument 4 'l' of kernel k is local memory of type int* and needs more than 0 bytes, arg_size is "
         "0"},
    };
    const char bytes[16] = "";
    cl_kernel kernel = cl_kernel_of(context, source, "-cl-kernel-arg-info");
    cl_is(clSetKernelArg(kernel, wrong[_i].index, wrong[_i].size, wrong[_i].local ? NULL : bytes),
          CL_INVALID_ARG_SIZE);
    refused_with(wrong[_i].text);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(a_wrong_value_of_an_argument)
{
    static const char source[] =
        "kernel void k(global int *o, int n, local int *l, sampler_t s, read_only image2d_t i) { o[0] = n; }";
    cl_kernel kernel = cl_kernel_of(context, source, "-cl-kernel-arg-info");
    cl_mem buffer = cl_buffer(context, 0, 16, NULL), none = NULL;
    cl_int error;
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error);
    cl_ok(error);
    uint64_t noise = 0x0102030405060708;
    const struct {
        cl_uint index;
        size_t size;
        const void *value;
        cl_int error;
        const char *text;
    } wrong[] = {
        {0, 8, &sampler, CL_INVALID_MEM_OBJECT,
         "argument 0 'o' of kernel k is a memory object of type int*, and arg_value points to a sampler"},
        {0, 8, &noise, CL_INVALID_MEM_OBJECT, "and arg_value points to no object that exists"},
        {1, 4, NULL, CL_INVALID_ARG_VALUE,
         "argument 1 'n' of kernel k is a value of type int, and arg_value is NULL"},
        {2, 64, &noise, CL_INVALID_ARG_VALUE,
         "argument 2 'l' of kernel k is local memory of type int*, and arg_value is not NULL"},
        {3, 8, &buffer, CL_INVALID_SAMPLER,
         "argument 3 's' of kernel k is a sampler of type sampler_t, and arg_value points to a buffer"},
        {3, 8, NULL, CL_INVALID_SAMPLER, "and arg_value is NULL"},
        {4, 8, &buffer, CL_INVALID_MEM_OBJECT,
         "argument 4 'i' of kernel k is an image of type image2d_t, and arg_value points to a buffer"},
        {4, 8, &none, CL_INVALID_MEM_OBJECT, "is an image of type image2d_t, and arg_value points to NULL"},
        {5, 4, &noise, CL_INVALID_ARG_INDEX, "kernel k has 5 arguments, counted from 0; arg_index is 5"},
    };
    if (_i < 9) {
        cl_is(clSetKernelArg(kernel, wrong[_i].index, wrong[_i].size, wrong[_i].value), wrong[_i].error);
        refused_with(wrong[_i].text);
    } else {
        cl_is(clSetKernelArgSVMPointer(kernel, 1, &noise), CL_INVALID_ARG_VALUE);
        refused_with("argument 1 'n' of kernel k is a value of type int, and takes no pointer");
    }
    cl_ok(clReleaseSampler(sampler));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Of another kind, cut short, too long or damaged: the finding says which, and the sizes. */
START_TEST(a_program_binary_that_cannot_be_loaded)
{
    static const char source[] = "kernel void k(void) {}";
    const char *text = source;
    cl_int error;
    size_t size;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = calloc(1, size + 8);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    char cut[96], more[96], damaged[96];
    snprintf(cut, sizeof cut, "binaries[0] has %zu bytes, and by its header %zu: it is cut short", size / 2,
             size);
    snprintf(more, sizeof more, "binaries[0] has %zu bytes, and by its header only %zu", size + 8, size);
    snprintf(damaged, sizeof damaged, "binaries[0] has %zu bytes and is damaged", size);
    const struct {
        const void *bytes;
        size_t size;
        const char *text;
    } rows[] = {
        {bytes, size / 2, cut},
        {bytes, size + 8, more},
        {bytes, 12, "binaries[0] has 12 bytes, and its header alone 48: it is cut short"},
        {source, sizeof source - 1, "has 22 bytes and is text, which clCreateProgramWithSource takes"},
        {"\x03\x02\x23\x07 and so on", 16, "is SPIR-V, which clCreateProgramWithIL takes"},
        {"\x7f"
         "ELF and so on",
         16, "is an ELF file, of another platform's device"},
        {"\0\1\2\3\4", 5, "does not begin as a binary of this platform"},
        {bytes, size, damaged},
    };
    if (rows[_i].text == damaged)
        bytes[size - 1] ^= 1;
    const unsigned char *given = rows[_i].bytes;
    ck_assert_ptr_null(clCreateProgramWithBinary(context, 1, &device, &rows[_i].size, &given, NULL, &error));
    cl_is(error, CL_INVALID_BINARY);
    refused_with(rows[_i].text);
    free(bytes);
    cl_ok(clReleaseProgram(program));
}
END_TEST

static cl_int sub_buffer_at(cl_mem buffer, size_t origin, size_t size)
{
    const cl_buffer_region region = {origin, size};
    cl_int error;
    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    return error;
}

START_TEST(a_range_outside_a_buffer)
{
    cl_mem buffer = cl_buffer(context, 0, 1024, NULL);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    const size_t origin[3] = {0, 2, 0}, region[3] = {8, 3, 1};
    char bytes[2048] = "";
    cl_int error;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    cl_ok(error);
    switch (_i) {
    case 0:
        cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 1020, 8, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
        refused_with("offset 1020 and size 8 leave buffer");
        break;
    case 1:
        cl_is(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 2048, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
        refused_with(", which has 1024 bytes");
        break;
    case 2:
        cl_is(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 1000, 100, 0, NULL, NULL), CL_INVALID_VALUE);
        refused_with("offset 1000 and size 100 leave");
        break;
    case 3:
        cl_is(clEnqueueFillBuffer(queue, buffer, bytes, 3, 0, 12, 0, NULL, NULL), CL_INVALID_VALUE);
        refused_with("pattern_size 3 is not a power of two up to 128");
        break;
    case 4:
        cl_is(clEnqueueFillBuffer(queue, buffer, bytes, 8, 4, 16, 0, NULL, NULL), CL_INVALID_VALUE);
        refused_with("offset 4 is not a multiple of pattern_size 8");
        break;
    case 5:
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 512, 1024, 0, NULL, NULL, &error);
        cl_is(error, CL_INVALID_VALUE);
        refused_with("offset 512 and size 1024 leave");
        break;
    case 6:
        cl_is(sub_buffer_at(buffer, 896, 256), CL_INVALID_VALUE);
        refused_with("offset 896 and size 256 leave");
        break;
    case 7:
        cl_is(sub_buffer_at(buffer, 4, 16), CL_MISALIGNED_SUB_BUFFER_OFFSET);
        refused_with("origin is 4, and not a multiple of the 128 bytes");
        break;
    case 8:
        clCreateBuffer(context, 0, 0, NULL, &error);
        cl_is(error, CL_INVALID_BUFFER_SIZE);
        refused_with("size is 0");
        break;
    default:
        cl_is(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL),
              CL_INVALID_VALUE);
        refused_with("origin[1] 2 and region[1] 3 leave the image, which has 4 there");
        break;
    }
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(a_wrong_size_of_a_work_group)
{
    static const char
        source[] = "kernel void k(global int *o) { o[0] = 1; }",
        fixed[] = "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *o) { o[0] = 1; }";
    static const struct {
        const char *source;
        size_t local[2];
        cl_int error;
        const char *text;
    } wrong[] = {
        {source,
         {1 << 20, 1},
         CL_INVALID_WORK_ITEM_SIZE,
         "local_work_size[0] is 1048576; CL_DEVICE_MAX_WORK_ITEM_SIZES allows "},
        {source,
         {256, 256},
         CL_INVALID_WORK_GROUP_SIZE,
         "a work-group are 65536; CL_DEVICE_MAX_WORK_GROUP_SIZE is "},
        {fixed,
         {8, 1},
         CL_INVALID_WORK_GROUP_SIZE,
         "local_work_size[0] is 8; reqd_work_group_size of the kernel is 4"},
    };
    const size_t range[2] = {1 << 20, 256};
    cl_kernel kernel = cl_kernel_of(context, wrong[_i].source, "");
    cl_is(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, range, wrong[_i].local, 0, NULL, NULL),
          wrong[_i].error);
    refused_with(wrong[_i].text);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static cl_int image_of(const cl_image_desc *desc, const void *bytes, cl_channel_type type)
{
    const cl_image_format format = {CL_R, type};
    const cl_mem_flags flags = bytes ? CL_MEM_COPY_HOST_PTR : 0;
    cl_int error;
    clCreateImage(context, flags, &format, desc, (void *)(uintptr_t)bytes, &error);
    return error;
}

static void refuses_pitches(const cl_image_desc *desc, size_t row, size_t slice)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 4, desc->image_depth ? 2 : 1};
    char bytes[1024] = "";
    cl_int error;
    cl_mem image = clCreateImage(context, 0, &format, desc, NULL, &error);
    cl_ok(error);
    cl_is(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, row, slice, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_is(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, bytes, 0, NULL, NULL),
          CL_INVALID_VALUE);
    cl_ok(clReleaseMemObject(image));
}

START_TEST(an_image_and_its_pitches)
{
    const char bytes[1024] = "";
    const cl_image_format single = {CL_R, CL_FLOAT};
    cl_int error;
    cl_mem buffer = cl_buffer(context, 0, 32, NULL);
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4},
                        tight = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = 8,
                                 .image_height = 4,
                                 .image_row_pitch = 28},
                        deep = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = 8,
                                .image_height = 4,
                                .image_depth = 2},
                        thin = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = 8,
                                .image_height = 4,
                                .image_depth = 2,
                                .image_slice_pitch = 100},
                        wide = {
                            .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 9, .buffer = buffer};
    switch (_i) {
    case 0:
        cl_is(image_of(&tight, bytes, CL_FLOAT), CL_INVALID_IMAGE_DESCRIPTOR);
        refused_with("image_row_pitch is 28; a row has 32 bytes, and the pitch is a multiple of 4");
        break;
    case 1:
        cl_is(image_of(&thin, bytes, CL_FLOAT), CL_INVALID_IMAGE_DESCRIPTOR);
        refused_with("image_slice_pitch is 100; a slice has 128 bytes, and the pitch is a multiple of 32");
        break;
    case 2:
        cl_is(image_of(&tight, NULL, CL_SIGNED_INT8), CL_INVALID_IMAGE_DESCRIPTOR);
        refused_with("image_row_pitch and image_slice_pitch must be 0 where host_ptr is NULL");
        break;
    case 3:
        clCreateImage(context, 0, &single, &wide, NULL, &error);
        cl_is(error, CL_INVALID_IMAGE_SIZE);
        refused_with("the image needs 36 bytes, and its buffer has 32");
        clCreateImageWithProperties(context, NULL, 0, &single, &wide, NULL, &error);
        cl_is(error, CL_INVALID_IMAGE_SIZE);
        refused_with("the image needs 36 bytes, and its buffer has 32");
        break;
    case 4:
        refuses_pitches(&flat, 31, 0);
        refused_with("row pitch is 31, and a row of the region has 32 bytes");
        break;
    case 5:
        refuses_pitches(&deep, 0, 127);
        refused_with("slice pitch is 127, and a slice of the region has 128 bytes");
        break;
    default:
        refuses_pitches(&flat, 0, 128);
        refused_with("the slice pitch must be 0 for an image that has no slices");
        break;
    }
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

static cl_int sampler_of(cl_addressing_mode mode)
{
    cl_int error;
    clCreateSampler(context, CL_FALSE, mode, CL_FILTER_NEAREST, &error);
    return error;
}

static cl_int kernel_named(const char *source, const char *name)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_ok(error);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    clCreateKernel(program, name, &error);
    cl_ok(clReleaseProgram(program));
    return error;
}

START_TEST(a_sampler_or_the_name_of_a_kernel)
{
    switch (_i) {
    case 0:
        cl_is(sampler_of(CL_ADDRESS_REPEAT), CL_INVALID_VALUE);
        refused_with("CL_ADDRESS_REPEAT is for normalised coordinates only");
        break;
    case 1:
        cl_is(sampler_of(CL_ADDRESS_MIRRORED_REPEAT), CL_INVALID_VALUE);
        refused_with("CL_ADDRESS_MIRRORED_REPEAT is for normalised coordinates only");
        break;
    case 2:
        cl_is(kernel_named("kernel void sum(global int *o) { o[0] = 1; }", "Sum"), CL_INVALID_KERNEL_NAME);
        refused_with("'Sum' is not one of its kernels 'sum'");
        break;
    default:
        cl_is(kernel_named("kernel void a(void) {} kernel void b(void) {} kernel void c(void) {}"
                           "kernel void d(void) {} kernel void e(void) {} kernel void f(void) {}",
                           "g"),
              CL_INVALID_KERNEL_NAME);
        refused_with("'g' is not one of its kernels 'a', 'b', 'c', 'd' and 2 more");
        break;
    }
}
END_TEST

START_TEST(a_partition_of_the_device)
{
    cl_uint units;
    char text[160];
    cl_device_id made[2];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    const cl_device_partition_property all = (cl_device_partition_property)units;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, all + 1, 0},
                                       ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
                                       counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, all, 0, 0},
                                       below[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0};
    switch (_i) {
    case 0:
        ck_assert_int_ne(clCreateSubDevices(device, equally, 0, NULL, NULL), CL_SUCCESS);
        snprintf(text, sizeof text, "sub-devices of %u compute units, and in_device has %u", units + 1,
                 units);
        break;
    case 1:
        cl_is(clCreateSubDevices(device, counts, 0, NULL, NULL), CL_INVALID_DEVICE_PARTITION_COUNT);
        snprintf(text, sizeof text, "count 1 of the list is %u, and of the %u compute units", units, units);
        break;
    case 2:
        cl_is(clCreateSubDevices(device, below, 0, NULL, NULL), CL_INVALID_DEVICE_PARTITION_COUNT);
        snprintf(text, sizeof text, "count 0 of the list is -1, and of the %u compute units", units);
        break;
    default:
        cl_is(clCreateSubDevices(device, ones, 1, made, NULL), CL_INVALID_VALUE);
        snprintf(text, sizeof text, "out_devices has room for 1, and the partition makes %u", units);
        break;
    }
    refused_with(text);
}
END_TEST

START_TEST(a_command_buffer)
{
    const cl_sync_point_khr points[2] = {1, 7};
    cl_command_buffer_khr recorder = recorder_new(queue, NULL);
    cl_mem buffer = cl_buffer(context, 0, 64, NULL);
    cl_ok(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 16, NO_POINTS));
    switch (_i) {
    case 0:
        cl_is(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 3, 0, 12, NO_POINTS),
              CL_INVALID_VALUE);
        refused_with("pattern_size 3 is not a power of two up to 128");
        break;
    case 1:
        cl_is(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 0, 0, 12, NO_POINTS),
              CL_INVALID_VALUE);
        refused_with("pattern_size 0 is not a power of two up to 128");
        break;
    case 2:
        cl_is(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, NULL, 4, 0, 12, NO_POINTS),
              CL_INVALID_VALUE);
        refused_with("pattern is NULL");
        break;
    case 3:
        cl_is(NAMED(clCommandFillBufferKHR)(recorder, NULL, buffer, &one, 4, 0, 16, 2, points, NULL, NULL),
              CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
        refused_with("sync_point_wait_list[1] is 7, which is no sync point of the command-buffer");
        break;
    case 4:
        cl_is(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL), CL_INVALID_OPERATION);
        refused_with("clFinalizeCommandBufferKHR ends that");
        break;
    default:
        cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
        cl_ok(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL));
        cl_is(NAMED(clEnqueueCommandBufferKHR)(0, NULL, recorder, 0, NULL, NULL), CL_INVALID_OPERATION);
        refused_with("command_buffer is pending from an earlier call");
        break;
    }
    cl_ok(clReleaseMemObject(buffer));
    recorder_free(recorder);
}
END_TEST

/* Flags and ranges of buffers. Here as below, each row is one wrong value of a call that is right otherwise. */
START_TEST(flags_and_boxes_of_a_buffer)
{
    const size_t none[3] = {0, 0, 0}, box[3] = {8, 8, 1}, flat[3] = {8, 0, 1};
    cl_mem buffer = cl_buffer(context, 0, 256, NULL),
           closed = cl_buffer(context, CL_MEM_HOST_NO_ACCESS, 256, NULL);
    char bytes[256] = "";
    cl_int error = CL_SUCCESS;
    const char *text = NULL;
    switch (_i) {
    case 0:
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, &error);
        text = "flags has CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY, which exclude each other";
        break;
    case 1:
        clCreateBuffer(context, 1 << 20, 64, NULL, &error);
        text = "flags has the bits 0x100000, which mean nothing here";
        break;
    case 2:
        error = clEnqueueReadBuffer(queue, closed, CL_TRUE, 0, 4, bytes, 0, NULL, NULL);
        text = "buffer 2 was made with CL_MEM_HOST_NO_ACCESS";
        break;
    case 3:
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, 0x6, 0, 4, 0, NULL, NULL, &error);
        text = "map_flags is 0x6: ";
        break;
    case 4:
        error = clEnqueueCopyBuffer(queue, buffer, buffer, 0, 64, 128, 0, NULL, NULL);
        text = "the 128 bytes from src_offset 0 and those from dst_offset 64 share bytes of one buffer";
        break;
    case 5:
        error = clEnqueueReadBufferRect(queue, buffer, CL_TRUE, none, none, box, 4, 0, 0, 0, bytes, 0, NULL,
                                        NULL);
        text = "the row pitch of the buffer or source is 4, and a row of the region has 8 bytes";
        break;
    case 6:
        error = clEnqueueReadBufferRect(queue, buffer, CL_TRUE, none, none, box, 64, 0, 0, 0, bytes, 0, NULL,
                                        NULL);
        text = "the box ends at byte 456 of buffer 1, which has 256 bytes";
        break;
    case 7:
        error = clEnqueueReadBufferRect(queue, buffer, CL_TRUE, none, none, flat, 0, 0, 0, 0, bytes, 0, NULL,
                                        NULL);
        text = "region is 8 x 0 x 1: no side may be 0";
        break;
    default:
        error = clEnqueueMigrateMemObjects(queue, 1, &buffer, 8, 0, NULL, NULL);
        text = "flags has the bits 0x8, which mean nothing";
    }
    ck_assert_int_lt(error, 0);
    refused_with(text);
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(closed));
}
END_TEST

START_TEST(the_description_of_an_image)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8}, odd = {CL_RGB, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_int error = CL_SUCCESS;
    const char *text = NULL;
    switch (_i) {
    case 0:
        desc.image_width = 0;
        clCreateImage(context, 0, &format, &desc, NULL, &error);
        text = "image_width is 0, and 1 to 16384 are allowed";
        break;
    case 1:
        desc.image_type = CL_MEM_OBJECT_BUFFER;
        clCreateImage(context, 0, &format, &desc, NULL, &error);
        text = "image_type is 0x10f0, which is no type of image";
        break;
    case 2:
        clCreateImage(context, 0, &odd, &desc, NULL, &error);
        text = "image_channel_order 0x10b4 and image_channel_data_type 0x10de do not exist, or do not go "
               "together";
        break;
    default:
        desc.num_mip_levels = 99;
        clCreateImage(context, 0, &format, &desc, NULL, &error);
        text = "num_mip_levels is 99, and this size has 4 levels";
    }
    ck_assert_int_lt(error, 0);
    refused_with(text);
}
END_TEST

START_TEST(what_makes_a_queue_program_or_pipe)
{
    const cl_queue_properties bits[] = {CL_QUEUE_PROPERTIES, 1 << 9, 0}, sized[] = {CL_QUEUE_SIZE, 100, 0};
    const char *missing = NULL;
    cl_int error = CL_SUCCESS;
    const char *text = NULL;
    switch (_i) {
    case 0:
        clCreateCommandQueueWithProperties(context, device, bits, &error);
        text = "CL_QUEUE_PROPERTIES has the bits 0x200, which mean nothing";
        break;
    case 1:
        clCreateCommandQueueWithProperties(context, device, sized, &error);
        text = "CL_QUEUE_SIZE is given, and CL_QUEUE_PROPERTIES lacks CL_QUEUE_ON_DEVICE";
        break;
    case 2:
        clCreateProgramWithSource(context, 1, &missing, NULL, &error);
        text = "one of the strings is NULL: the file may not have been read";
        break;
    case 3:
        clCreateProgramWithIL(context, "these are no words of SPIR-V", 28, &error);
        text = "il begins with 0x73656874, and SPIR-V with 0x07230203";
        break;
    case 4:
        clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &error);
        text = "input_programs is NULL";
        break;
    case 5:
        clCreatePipe(context, 0, 0, 4, NULL, &error);
        text = "pipe_packet_size is 0 and pipe_max_packets 4; packets have 1 to 1024 bytes";
        break;
    default: {
        cl_kernel kernel = cl_kernel_of(context, "kernel void k(global int *o) { o[0] = 1; }", "");
        cl_program program;
        cl_ok(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL));
        error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        text = "program 1 has 1 kernel object, which must be released before";
        cl_ok(clReleaseKernel(kernel));
    }
    }
    ck_assert_int_lt(error, 0);
    refused_with(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusal_texts");
    TCase *tcase = tcase_create("refusal_texts");
    tcase_add_checked_fixture(tcase, finding_set_up, tear_down);
    tcase_add_loop_test(tcase, a_wrong_size_of_an_argument, 0, 5);
    tcase_add_loop_test(tcase, a_wrong_value_of_an_argument, 0, 10);
    tcase_add_loop_test(tcase, a_program_binary_that_cannot_be_loaded, 0, 8);
    tcase_add_loop_test(tcase, flags_and_boxes_of_a_buffer, 0, 9);
    tcase_add_loop_test(tcase, the_description_of_an_image, 0, 4);
    tcase_add_loop_test(tcase, what_makes_a_queue_program_or_pipe, 0, 7);
    tcase_add_loop_test(tcase, a_range_outside_a_buffer, 0, 10);
    tcase_add_loop_test(tcase, a_wrong_size_of_a_work_group, 0, 3);
    tcase_add_loop_test(tcase, an_image_and_its_pitches, 0, 7);
    tcase_add_loop_test(tcase, a_sampler_or_the_name_of_a_kernel, 0, 4);
    tcase_add_loop_test(tcase, a_partition_of_the_device, 0, 4);
    tcase_add_loop_test(tcase, a_command_buffer, 0, 6);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
