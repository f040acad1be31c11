/* SPDX-License-Identifier: Apache-2.0 */
/* Images and samplers as objects: creation, queries, every error of the calls. */
#include <float.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/image_fixture.h"

static void refused(cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host,
                    cl_int error)
{
    cl_int err = 1;
    ck_assert_ptr_null(clCreateImage(context, flags, format, desc, host, &err));
    cl_is(err, error);
}

/* ---- formats ----------------------------------------------------------------------------------- */

static bool listed(cl_mem_flags flags, cl_mem_object_type type, cl_channel_order order, cl_channel_type data)
{
    cl_image_format formats[512];
    cl_uint count = 0;
    cl_ok(clGetSupportedImageFormats(context, flags, type, 512, formats, &count));
    ck_assert_uint_le(count, 512);
    for (cl_uint i = 0; i < count; i++)
        if (formats[i].image_channel_order == order && formats[i].image_channel_data_type == data)
            return true;
    return false;
}

static const cl_mem_object_type all_types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                               CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
enum { TYPES = sizeof all_types / sizeof *all_types };

/* The tables of 5.3.2.1: OpenCL 2.x for reading or writing, for both in one kernel, OpenCL 3.0. */
START_TEST(minimum_formats_are_listed)
{
    static const cl_channel_type each[] = {CL_UNORM_INT8,     CL_UNORM_INT16,   CL_SNORM_INT8,
                                           CL_SNORM_INT16,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                           CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                           CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
    static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
    static const cl_mem_flags uses[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                        CL_MEM_KERNEL_READ_AND_WRITE};
    for (int u = 0; u < 4; u++)
        for (int t = 0; t < TYPES; t++) {
            for (int o = 0; o < 3; o++)
                for (int d = 0; d < 12; d++)
                    ck_assert(listed(uses[u], all_types[t], orders[o], each[d]));
            ck_assert(listed(uses[u], all_types[t], CL_BGRA, CL_UNORM_INT8));
        }
    ck_assert(listed(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_sRGBA, CL_UNORM_INT8));
    ck_assert(listed(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, CL_DEPTH, CL_UNORM_INT16));
    ck_assert(listed(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_DEPTH, CL_FLOAT));
}
END_TEST

/* Bits of the element are a power of two, packed types have the orders that the table of types names;
 * other exclusions of the text are not tested here. Orders with x have the types of those without. */
START_TEST(optional_orders_take_the_types_of_the_text)
{
    static const struct {
        cl_channel_order order;
        unsigned channels;
    } orders[] = {{CL_R, 1},   {CL_A, 1},   {CL_RG, 2},   {CL_RA, 2},  {CL_Rx, 2},
                  {CL_RGx, 3}, {CL_RGB, 3}, {CL_RGBA, 4}, {CL_RGBx, 4}};
    static const struct {
        cl_channel_type type;
        unsigned bits;
        bool packed;
    } types[] = {{CL_SNORM_INT8, 8, 0},       {CL_SNORM_INT16, 16, 0},     {CL_UNORM_INT8, 8, 0},
                 {CL_UNORM_INT16, 16, 0},     {CL_SIGNED_INT8, 8, 0},      {CL_SIGNED_INT16, 16, 0},
                 {CL_SIGNED_INT32, 32, 0},    {CL_UNSIGNED_INT8, 8, 0},    {CL_UNSIGNED_INT16, 16, 0},
                 {CL_UNSIGNED_INT32, 32, 0},  {CL_HALF_FLOAT, 16, 0},      {CL_FLOAT, 32, 0},
                 {CL_UNORM_SHORT_565, 16, 1}, {CL_UNORM_SHORT_555, 16, 1}, {CL_UNORM_INT_101010, 32, 1}};
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            const cl_image_format format = {orders[o].order, types[t].type};
            const bool named = format.image_channel_order == CL_RGB || format.image_channel_order == CL_RGBx;
            const bool valid = types[t].packed ? named : orders[o].channels != 3;
            size_t size = 0;
            ck_assert_int_eq(
                listed(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, format.image_channel_order, types[t].type),
                valid);
            if (!valid) {
                refused(CL_MEM_READ_WRITE, &format, &desc, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
                continue;
            }
            cl_mem image = new_image(CL_MEM_READ_WRITE, &format, &desc, NULL);
            cl_ok(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
            ck_assert_uint_eq(size * 8, types[t].packed ? types[t].bits : types[t].bits * orders[o].channels);
            cl_ok(clReleaseMemObject(image));
        }
}
END_TEST

START_TEST(formats_depend_on_type_and_use)
{
    for (cl_channel_order order = CL_sRGBx; order <= CL_sBGRA; order++)
        ck_assert(listed(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, order, CL_UNORM_INT8) &&
                  listed(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, order, CL_UNORM_INT8) &&
                  listed(CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D_ARRAY, order, CL_UNORM_INT8));
    ck_assert(!listed(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, CL_DEPTH, CL_FLOAT));
    ck_assert(!listed(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D, CL_DEPTH, CL_FLOAT));
}
END_TEST

/* Each listed format makes an image, whose texel has the size that its channels have. */
START_TEST(every_listed_format_makes_an_image)
{
    cl_image_format formats[512];
    cl_uint count = 0;
    cl_ok(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
    ck_assert_uint_gt(count, 80);
    for (cl_uint i = 0; i < count; i++) {
        cl_image_format format;
        size_t size = 0, pitch = 0;
        cl_mem image = new_2d(CL_MEM_READ_ONLY, &formats[i], 5, 3, NULL);
        cl_ok(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
        ck_assert_mem_eq(&format, &formats[i], sizeof format);
        cl_ok(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
        ck_assert(size == 1 || size == 2 || size == 4 || size == 8 || size == 16);
        cl_ok(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof pitch, &pitch, NULL));
        ck_assert_uint_eq(pitch, 5 * size);
        cl_ok(clReleaseMemObject(image));
    }
}
END_TEST

START_TEST(format_queries_check_their_arguments)
{
    cl_image_format format[2] = {{0}};
    cl_uint count = 0, all = 0;
    cl_is(clGetSupportedImageFormats((cl_context)device, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
          CL_INVALID_CONTEXT);
    cl_is(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_PIPE, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0,
                                     NULL, &count),
          CL_INVALID_VALUE);
    cl_is(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, format, &count), CL_INVALID_VALUE);
    cl_ok(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &all));
    cl_ok(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, format, &count));
    ck_assert_uint_eq(count, all);
    ck_assert_uint_ne(format[0].image_channel_order, 0);
    ck_assert_uint_eq(format[1].image_channel_order, 0);
    cl_ok(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, format, NULL));
}
END_TEST

START_TEST(formats_are_checked)
{
    static const struct {
        cl_image_format format;
        cl_int error;
    } rows[] = {{{CL_RGB, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGBA, CL_UNORM_SHORT_565}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGBA, CL_UNORM_INT_101010}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_R, CL_UNORM_INT_101010_2}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_INTENSITY, CL_SIGNED_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_LUMINANCE, CL_UNSIGNED_INT32}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_BGRA, CL_FLOAT}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_sRGBA, CL_UNORM_INT16}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_DEPTH, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{0, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGBA, 0}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGBA, CL_UNORM_INT8 + 0x1000}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_DEPTH_STENCIL, CL_UNORM_INT24}, CL_IMAGE_FORMAT_NOT_SUPPORTED},
                {{CL_DEPTH_STENCIL, CL_FLOAT}, CL_IMAGE_FORMAT_NOT_SUPPORTED},
                {{CL_sRGB, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGx, CL_UNORM_INT8}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
                {{CL_RGBx, CL_UNORM_INT_101010_2}, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR}};
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0),
                        volume = image_desc(CL_MEM_OBJECT_IMAGE3D, 4, 4, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(CL_MEM_READ_WRITE, &rows[i].format, &desc, NULL, rows[i].error);
    refused(0, NULL, &desc, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    refused(CL_MEM_READ_ONLY, &(cl_image_format){CL_DEPTH, CL_FLOAT}, &volume, NULL,
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
}
END_TEST

/* The least that a full profile device with images has (device queries table). */
START_TEST(limits_are_at_least_the_least)
{
    static const struct {
        cl_device_info query;
        size_t size, least;
    } rows[] = {{CL_DEVICE_IMAGE_SUPPORT, 4, 1},           {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 128},
                {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 64},   {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4, 64},
                {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 16384},   {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 16384},
                {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 2048},    {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8, 2048},
                {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 2048},    {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 65536},
                {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 2048}, {CL_DEVICE_MAX_SAMPLERS, 4, 16},
                {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4, 1},   {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t value = 0, size = 0;
        cl_ok(clGetDeviceInfo(device, rows[i].query, sizeof value, &value, &size));
        ck_assert_uint_eq(size, rows[i].size);
        ck_assert_msg(value >= rows[i].least, "query 0x%x", rows[i].query);
    }
}
END_TEST

/* ---- creation ---------------------------------------------------------------------------------- */

START_TEST(image_queries_return_the_descriptor)
{
    static const struct {
        cl_mem_object_type type;
        size_t width, height, depth, layers, slice;
    } rows[] = {{CL_MEM_OBJECT_IMAGE1D, 5, 0, 0, 0, 0},
                {CL_MEM_OBJECT_IMAGE1D_ARRAY, 5, 0, 0, 3, 20},
                {CL_MEM_OBJECT_IMAGE2D, 5, 4, 0, 0, 0},
                {CL_MEM_OBJECT_IMAGE2D_ARRAY, 5, 4, 0, 3, 80},
                {CL_MEM_OBJECT_IMAGE3D, 5, 4, 3, 0, 80}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cl_image_desc desc = image_desc(rows[i].type, 5, 4, 3);
        cl_mem image = new_image(0, &rgba8, &desc, NULL), buffer = (cl_mem)1;
        cl_mem_object_type type = 0;
        cl_mem_flags flags = 0;
        cl_uint levels = 9, samples = 9;
        size_t value = 0, total = 0;
#define SIZE_IS(query, expected)                                       \
    cl_ok(clGetImageInfo(image, query, sizeof value, &value, &total)); \
    ck_assert_uint_eq(value, expected);                                \
    ck_assert_uint_eq(total, sizeof value)
        SIZE_IS(CL_IMAGE_WIDTH, rows[i].width);
        SIZE_IS(CL_IMAGE_HEIGHT, rows[i].height);
        SIZE_IS(CL_IMAGE_DEPTH, rows[i].depth);
        SIZE_IS(CL_IMAGE_ARRAY_SIZE, rows[i].layers);
        SIZE_IS(CL_IMAGE_ROW_PITCH, 20);
        SIZE_IS(CL_IMAGE_SLICE_PITCH, rows[i].slice);
        SIZE_IS(CL_IMAGE_ELEMENT_SIZE, 4);
        cl_ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof buffer, &buffer, NULL));
        ck_assert_ptr_null(buffer);
        cl_ok(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL));
        cl_ok(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof samples, &samples, NULL));
        ck_assert_uint_eq(levels + samples, 0);
        cl_is(clGetImageInfo(image, CL_IMAGE_WIDTH, 2, &value, NULL), CL_INVALID_VALUE);
        cl_is(clGetImageInfo(image, CL_MEM_TYPE, sizeof value, &value, NULL), CL_INVALID_VALUE);
        cl_ok(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, rows[i].type);
        cl_ok(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
        ck_assert_uint_eq(flags, CL_MEM_READ_WRITE);
        size_t texels = rows[i].width * (rows[i].height ? rows[i].height : 1) *
                        (rows[i].depth ? rows[i].depth : 1) * (rows[i].layers ? rows[i].layers : 1);
        cl_ok(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof value, &value, NULL));
        ck_assert_uint_eq(value, 4 * texels);
        cl_ok(clReleaseMemObject(image));
    }
    cl_mem buffer = cl_buffer(context, 0, 64, NULL);
    cl_is(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clGetImageInfo((cl_mem)context, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(sizes_are_checked)
{
    size_t width = 0, layers = 0, volume = 0, texels = 0;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof width, &width, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof layers, &layers, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof volume, &volume, NULL));
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof texels, &texels, NULL));
    ck_assert(width >= 8192 && layers >= 2048 && volume >= 2048 && texels >= 65536);
    const cl_image_desc bad[] = {image_desc(CL_MEM_OBJECT_IMAGE2D, 0, 4, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 0, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE2D, width + 1, 1, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE1D, width + 1, 0, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, 4, 4, layers + 1),
                                 image_desc(CL_MEM_OBJECT_IMAGE3D, 4, 4, 0),
                                 image_desc(CL_MEM_OBJECT_IMAGE3D, 1, 1, volume + 1),
                                 image_desc(CL_MEM_OBJECT_IMAGE3D, 2048, 2048, 2048)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(0, &rgba8, &bad[i], NULL, CL_INVALID_IMAGE_SIZE);
}
END_TEST

START_TEST(descriptors_are_checked)
{
    uint8_t bytes[256] = {0};
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    refused(0, &rgba8, NULL, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_type = CL_MEM_OBJECT_BUFFER;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    desc.num_samples = 2;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    desc.image_row_pitch = 16; /* and no host pointer */
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_row_pitch = 12;
    refused(CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_row_pitch = 18;
    refused(CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE3D, 4, 4, 2);
    desc.image_slice_pitch = 60;
    refused(CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.image_slice_pitch = 72;
    refused(CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, 4, 0, 0); /* of no buffer */
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_mem buffer = cl_buffer(context, 0, 64, NULL), stranger = cl_buffer(other_context, 0, 64, NULL);
    desc.buffer = stranger;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE3D, 2, 2, 2);
    desc.buffer = buffer;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    desc.buffer = (cl_mem)context;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(stranger));
}
END_TEST

START_TEST(mipmapped_images_are_checked)
{
    static const cl_image_format depth = {CL_DEPTH, CL_FLOAT};
    uint8_t bytes[256] = {0};
    size_t size = 0;
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 5, 3, 0);
    desc.num_mip_levels = 3;
    cl_mem image = new_image(0, &rgba8, &desc, NULL);
    cl_ok(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, 4 * (15 + 2 + 1)); /* 5 x 3, 2 x 1, 1 x 1 */
    cl_ok(clReleaseMemObject(image));
    refused(0, &depth, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    refused(CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    refused(CL_MEM_USE_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_IMAGE_DESCRIPTOR);
    desc.num_mip_levels = 4;
    refused(0, &rgba8, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
}
END_TEST

START_TEST(creation_checks_flags_and_pointer)
{
    uint8_t bytes[64] = {0};
    cl_int err = 1;
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    refused(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &desc, NULL, CL_INVALID_VALUE);
    refused(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &rgba8, &desc, bytes, CL_INVALID_VALUE);
    refused(CL_MEM_USE_HOST_PTR, &rgba8, &desc, NULL, CL_INVALID_HOST_PTR);
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, bytes, CL_INVALID_HOST_PTR);
    ck_assert_ptr_null(clCreateImage((cl_context)device, 0, &rgba8, &desc, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    const cl_mem_properties none[] = {0}, some[] = {1, 2, 0};
    ck_assert_ptr_null(clCreateImageWithProperties(context, some, 0, &rgba8, &desc, NULL, &err));
    cl_is(err, CL_INVALID_PROPERTY);
    cl_mem image = clCreateImageWithProperties(context, none, 0, &rgba8, &desc, NULL, &err);
    cl_ok(err);
    cl_mem_properties kept = 7;
    size_t size = 0;
    cl_ok(clGetMemObjectInfo(image, CL_MEM_PROPERTIES, sizeof kept, &kept, &size));
    ck_assert(size == sizeof kept && kept == 0);
    cl_ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(images_of_1_1_are_made)
{
    cl_int err = 1;
    uint8_t bytes[256] = {0};
    size_t value = 0;
    cl_mem image = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 32, bytes, &err);
    cl_ok(err);
    cl_ok(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof value, &value, NULL));
    ck_assert_uint_eq(value, 32);
    cl_ok(clReleaseMemObject(image));
    image = clCreateImage3D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 2, 0, 0, bytes, &err);
    cl_ok(err);
    cl_ok(clGetImageInfo(image, CL_IMAGE_DEPTH, sizeof value, &value, NULL));
    ck_assert_uint_eq(value, 2);
    cl_ok(clReleaseMemObject(image));
    ck_assert_ptr_null(clCreateImage2D(context, 0, &rgba8, 0, 4, 0, NULL, &err));
    cl_is(err, CL_INVALID_IMAGE_SIZE);
    ck_assert_ptr_null(clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, 12, bytes, &err));
    cl_is(err, CL_INVALID_IMAGE_SIZE);
    ck_assert_ptr_null(clCreateImage3D(context, 0, &rgba8, 4, 4, 1, 0, 0, NULL, &err));
    cl_is(err, CL_INVALID_IMAGE_SIZE);
    ck_assert_ptr_null(clCreateImage3D(context, 0, NULL, 4, 4, 2, 0, 0, NULL, &err));
    cl_is(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
}
END_TEST

/* ---- images of other objects ------------------------------------------------------------------- */

START_TEST(images_share_the_bytes_of_a_buffer)
{
    uint8_t bytes[256];
    cl_mem found = NULL;
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY,
                              sizeof bytes, bytes);
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 3, 4, 0);
    desc.image_row_pitch = 64;
    desc.buffer = buffer;
    cl_mem image = new_image(0, &rgba8, &desc, NULL);
    cl_mem_flags flags = 0;
    cl_ok(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    ck_assert_uint_eq(flags, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY);
    cl_ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof found, &found, NULL));
    ck_assert_ptr_eq(found, buffer);
    cl_ok(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL));
    ck_assert_ptr_eq(found, buffer);
    const size_t origin[3] = {1, 2, 0}, region[3] = {2, 1, 1};
    uint8_t texels[8];
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    ck_assert_mem_eq(texels, bytes + 132, 8);
    refused(CL_MEM_READ_WRITE, &rgba8, &desc, NULL, CL_INVALID_VALUE);
    refused(CL_MEM_HOST_WRITE_ONLY, &rgba8, &desc, NULL, CL_INVALID_VALUE);
    refused(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, &rgba8, &desc, NULL, CL_INVALID_VALUE);
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, bytes, CL_INVALID_HOST_PTR);
    desc.image_row_pitch = 10;
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_row_pitch = 0;
    desc.image_height = 22; /* 22 * 12 > 256 */
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, NULL, CL_INVALID_IMAGE_SIZE);
    desc = image_desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, 64, 0, 0);
    desc.buffer = buffer;
    cl_mem line = new_image(CL_MEM_READ_ONLY, &rgba8, &desc, NULL);
    desc.image_width = 65;
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, NULL, CL_INVALID_IMAGE_SIZE);
    cl_ok(clReleaseMemObject(buffer)); /* the images hold it */
    cl_ok(clEnqueueReadImage(queue, line, CL_TRUE, (size_t[]){63, 0, 0}, (size_t[]){1, 1, 1}, 0, 0, texels, 0,
                             NULL, NULL));
    ck_assert_mem_eq(texels, bytes + 252, 4);
    cl_ok(clReleaseMemObject(line));
    cl_ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(images_view_other_images)
{
    uint8_t bytes[64] = {9};
    cl_mem image = new_2d(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &rgba8, 4, 4, bytes), found = NULL;
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    desc.mem_object = image;
    const cl_image_format srgb = {CL_sRGBA, CL_UNORM_INT8}, half = {CL_RGBA, CL_HALF_FLOAT};
    cl_mem view = new_image(CL_MEM_READ_ONLY, &srgb, &desc, NULL);
    uint8_t texel[4] = {0};
    cl_ok(clEnqueueReadImage(queue, view, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){1, 1, 1}, 0, 0, texel, 0,
                             NULL, NULL));
    ck_assert_uint_eq(texel[0], 9);
    cl_ok(clGetMemObjectInfo(view, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof found, &found, NULL));
    ck_assert_ptr_eq(found, image);
    cl_ok(clGetImageInfo(view, CL_IMAGE_BUFFER, sizeof found, &found, NULL));
    ck_assert_ptr_null(found);
    refused(CL_MEM_READ_ONLY, &rgba8, &desc, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    refused(CL_MEM_READ_ONLY, &half, &desc, NULL, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_width = 3;
    refused(CL_MEM_READ_ONLY, &srgb, &desc, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_ok(clReleaseMemObject(view));
    cl_ok(clReleaseMemObject(image));
}
END_TEST

/* ---- samplers ---------------------------------------------------------------------------------- */

START_TEST(sampler_queries_return_the_properties)
{
    cl_int err;
    cl_bool normalized = 9;
    cl_addressing_mode mode = 0;
    cl_filter_mode filter = 0;
    cl_uint refs = 0;
    cl_context owner = NULL;
    size_t size = 9;
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_LINEAR, &err);
    cl_ok(err);
    cl_ok(clRetainSampler(sampler));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof owner, &owner, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, NULL, &size));
    ck_assert(refs == 2 && owner == context && !normalized && size == 0);
    ck_assert_uint_eq(mode, CL_ADDRESS_NONE);
    ck_assert_uint_eq(filter, CL_FILTER_LINEAR);
    cl_is(clGetSamplerInfo(sampler, CL_MEM_TYPE, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, 1, &filter, NULL), CL_INVALID_VALUE);
    cl_ok(clReleaseSampler(sampler));
    cl_ok(clReleaseSampler(sampler));
    cl_is(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    cl_is(clRetainSampler((cl_sampler)context), CL_INVALID_SAMPLER);
    cl_is(clGetSamplerInfo((cl_sampler)context, CL_SAMPLER_CONTEXT, 0, NULL, &size), CL_INVALID_SAMPLER);
}
END_TEST

START_TEST(samplers_have_properties)
{
    cl_int err;
    cl_bool normalized = 9;
    cl_addressing_mode mode = 0;
    cl_filter_mode filter = 0;
    float lod = -1, high = 2.5f;
    cl_uint bits;
    cl_sampler sampler = clCreateSamplerWithProperties(context, NULL, &err);
    cl_ok(err);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
    ck_assert(normalized == CL_TRUE && mode == CL_ADDRESS_CLAMP && filter == CL_FILTER_NEAREST);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof lod, &lod, NULL));
    ck_assert(lod == FLT_MAX);
    cl_ok(clReleaseSampler(sampler));
    memcpy(&bits, &high, sizeof bits);
    const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE,
                                          CL_FILTER_LINEAR,
                                          CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                          CL_FILTER_LINEAR,
                                          CL_SAMPLER_LOD_MAX_KHR,
                                          bits,
                                          0};
    cl_sampler_properties kept[8] = {0};
    size_t size = 0;
    sampler = clCreateSamplerWithProperties(context, list, &err);
    cl_ok(err);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof kept, kept, &size));
    ck_assert_uint_eq(size, sizeof list);
    ck_assert_mem_eq(kept, list, sizeof list);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof filter, &filter, NULL));
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MAX_KHR, sizeof lod, &lod, NULL));
    ck_assert(filter == CL_FILTER_LINEAR && lod == 2.5f);
    cl_ok(clGetSamplerInfo(sampler, CL_SAMPLER_LOD_MIN_KHR, sizeof lod, &lod, NULL));
    ck_assert(lod == 0.0f);
    cl_ok(clReleaseSampler(sampler));
}
END_TEST

START_TEST(sampler_creation_checks_its_arguments)
{
    static const cl_sampler_properties bad[][5] = {
        {CL_SAMPLER_CONTEXT, 1, 0},
        {CL_SAMPLER_NORMALIZED_COORDS, 2, 0},
        {CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_NEAREST, 0},
        {CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP, 0},
        {CL_SAMPLER_MIP_FILTER_MODE_KHR, 0, 0},
        {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}};
    cl_int err = 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_ptr_null(clCreateSamplerWithProperties(context, bad[i], &err));
        cl_is(err, CL_INVALID_VALUE);
    }
    ck_assert_ptr_null(clCreateSampler(context, 2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSampler(context, CL_FALSE, 0, CL_FILTER_NEAREST, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR, &err));
    cl_is(err, CL_INVALID_VALUE);
    ck_assert_ptr_null(
        clCreateSampler((cl_context)device, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    cl_is(err, CL_INVALID_CONTEXT);
}
END_TEST

/* ---- as arguments ------------------------------------------------------------------------------ */

static const char takes_images[] =
    "kernel void takes(read_only image2d_t in, write_only image2d_t out, sampler_t s, read_only image3d_t "
    "volume,\n"
    "                  read_only image2d_depth_t depth, read_only image1d_buffer_t line)\n"
    "{ write_imagef(out, (int2)(0), read_imagef(in, s, (int2)(0)) + read_imagef(depth, s, (int2)(0)) +\n"
    "               read_imagef(volume, s, (int4)(0)) + read_imagef(line, 0)); }\n";

START_TEST(arguments_are_checked)
{
    cl_program program = build_program(takes_images, "-cl-std=CL2.0 -cl-kernel-arg-info");
    cl_kernel kernel = new_kernel(program, "takes");
    cl_int err;
    cl_mem readable = new_2d(CL_MEM_READ_ONLY, &rgba8, 4, 4, NULL),
           writable = new_2d(CL_MEM_WRITE_ONLY, &rgba8, 4, 4, NULL);
    cl_mem buffer = cl_buffer(context, 0, 64, NULL), none = NULL;
    const cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 4, 4, 0);
    cl_mem stranger = clCreateImage(other_context, 0, &rgba8, &desc, NULL, &err);
    cl_ok(err);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err),
               other = clCreateSampler(other_context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err);
    cl_ok(err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof readable, &readable));
    cl_ok(clSetKernelArg(kernel, 1, sizeof writable, &writable));
    cl_ok(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    cl_is(clSetKernelArg(kernel, 0, sizeof writable, &writable), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArg(kernel, 1, sizeof readable, &readable), CL_INVALID_ARG_VALUE);
    cl_is(clSetKernelArg(kernel, 0, 4, &readable), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(kernel, 0, sizeof readable, NULL), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 0, sizeof sampler, &sampler), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 0, sizeof stranger, &stranger), CL_INVALID_CONTEXT);
    cl_is(clSetKernelArg(kernel, 3, sizeof readable, &readable), CL_INVALID_MEM_OBJECT); /* not 3D */
    cl_is(clSetKernelArg(kernel, 4, sizeof readable, &readable), CL_INVALID_MEM_OBJECT); /* no depth */
    cl_is(clSetKernelArg(kernel, 5, sizeof readable, &readable), CL_INVALID_MEM_OBJECT);
    cl_is(clSetKernelArg(kernel, 2, 4, &sampler), CL_INVALID_ARG_SIZE);
    cl_is(clSetKernelArg(kernel, 2, sizeof sampler, NULL), CL_INVALID_SAMPLER);
    cl_is(clSetKernelArg(kernel, 2, sizeof readable, &readable), CL_INVALID_SAMPLER);
    cl_is(clSetKernelArg(kernel, 2, sizeof other, &other), CL_INVALID_CONTEXT);
    char name[64] = "";
    cl_kernel_arg_access_qualifier access = 0;
    cl_ok(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    ck_assert_str_eq(name, "image2d_t");
    cl_ok(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    ck_assert_uint_eq(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    cl_ok(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    ck_assert_uint_eq(access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
    const cl_mem images[] = {readable, writable, buffer, stranger};
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(images[i]));
    cl_ok(clReleaseSampler(sampler));
    cl_ok(clReleaseSampler(other));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- a device without -------------------------------------------------------------------------------- */

static void without_images(void)
{
    char path[] = "/tmp/orrery-images-off-XXXXXX";
    static const char text[] = "orrery: 1\ndevice: {features: {images: off}}\n";
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    setenv("ORRERY_SCENARIO", path, 1);
    cl_set_up();
    unlink(path);
}

START_TEST(images_are_refused)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    size_t pitch = 0, slice = 0;
    float pixel[4] = {0};
    cl_uint count = 5;
    cl_int err = 1;
    cl_mem buffer = cl_buffer(context, 0, 256, NULL);
    ck_assert_ptr_null(clCreateImage(context, 0, &format, &desc, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateImageWithProperties(context, NULL, 0, &format, &desc, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateImage2D(context, 0, &format, 4, 4, 0, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateImage3D(context, 0, &format, 4, 4, 4, 0, 0, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateImage((cl_context)device, 0, &format, &desc, NULL, &err));
    cl_is(err, CL_INVALID_CONTEXT);
    cl_ok(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    ck_assert_uint_eq(count, 0);
    cl_is(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clGetSupportedImageFormats((cl_context)device, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
          CL_INVALID_CONTEXT);
    cl_is(clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, &pitch), CL_INVALID_MEM_OBJECT);
    cl_is(clEnqueueReadImage(queue, buffer, CL_TRUE, origin, region, 0, 0, pixel, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueWriteImage(queue, buffer, CL_TRUE, origin, region, 0, 0, pixel, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueCopyImage(queue, buffer, buffer, origin, origin, region, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueCopyImageToBuffer(queue, buffer, buffer, origin, region, 0, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueCopyBufferToImage(queue, buffer, buffer, 0, origin, region, 0, NULL, NULL),
          CL_INVALID_OPERATION);
    cl_is(clEnqueueFillImage(queue, buffer, pixel, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    ck_assert_ptr_null(clEnqueueMapImage(queue, buffer, CL_TRUE, CL_MAP_READ, origin, region, &pitch, &slice,
                                         0, NULL, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    cl_is(clEnqueueReadImage((cl_command_queue)context, buffer, CL_TRUE, origin, region, 0, 0, pixel, 0, NULL,
                             NULL),
          CL_INVALID_COMMAND_QUEUE);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

START_TEST(image_queries_fail_without_image_support)
{
    static const cl_device_info zeros[] = {
        CL_DEVICE_IMAGE_SUPPORT,        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        CL_DEVICE_IMAGE2D_MAX_WIDTH,    CL_DEVICE_MAX_SAMPLERS};
    char extensions[2048] = "";
    cl_int err = 1;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        size_t value = 0;
        cl_ok(clGetDeviceInfo(device, zeros[i], sizeof value, &value, NULL));
        ck_assert_uint_eq(value, 0);
    }
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    ck_assert_ptr_null(strstr(extensions, "image"));
    ck_assert_ptr_null(clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &err));
    cl_is(err, CL_INVALID_OPERATION);
    ck_assert_ptr_null(clCreateSamplerWithProperties(context, NULL, &err));
    cl_is(err, CL_INVALID_OPERATION);
    const char *source = takes_images;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    cl_is(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_ok(clReleaseProgram(program));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("images as objects");
    TCase *with = tcase_create("with images"), *without = tcase_create("without");
    tcase_add_checked_fixture(with, cl_set_up, cl_tear_down);
    tcase_add_test(with, minimum_formats_are_listed);
    tcase_add_test(with, formats_depend_on_type_and_use);
    tcase_add_test(with, optional_orders_take_the_types_of_the_text);
    tcase_add_test(with, every_listed_format_makes_an_image);
    tcase_add_test(with, format_queries_check_their_arguments);
    tcase_add_test(with, formats_are_checked);
    tcase_add_test(with, limits_are_at_least_the_least);
    tcase_add_test(with, image_queries_return_the_descriptor);
    tcase_add_test(with, sizes_are_checked);
    tcase_add_test(with, descriptors_are_checked);
    tcase_add_test(with, mipmapped_images_are_checked);
    tcase_add_test(with, creation_checks_flags_and_pointer);
    tcase_add_test(with, images_of_1_1_are_made);
    tcase_add_test(with, images_share_the_bytes_of_a_buffer);
    tcase_add_test(with, images_view_other_images);
    tcase_add_test(with, sampler_queries_return_the_properties);
    tcase_add_test(with, samplers_have_properties);
    tcase_add_test(with, sampler_creation_checks_its_arguments);
    tcase_add_test(with, arguments_are_checked);
    suite_add_tcase(suite, with);
    tcase_add_checked_fixture(without, without_images, cl_tear_down);
    tcase_add_test(without, images_are_refused);
    tcase_add_test(without, image_queries_fail_without_image_support);
    suite_add_tcase(suite, without);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
