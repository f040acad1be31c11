/* SPDX-License-Identifier: Apache-2.0 */
/* Images in kernels: every format and kind against a plain reading of the specification (OpenCL 3.0 API
 * 5.3.1.1) in double; queries. */
#include <math.h>
#include <stdio.h>

#include "tests/support/image_kernels.h"

/* ---- formats: a second opinion ----------------------------------------------------------------- */

/* Channels in order of memory; x: unused; I, L: in all of rgba, in rgb. */
static const char *channels_of(cl_channel_order order)
{
    switch (order) {
    case CL_R: return "r";
    case CL_A: return "a";
    case CL_RG: return "rg";
    case CL_RA: return "ra";
    case CL_RGB: return "rgb";
    case CL_RGBA:
    case CL_sRGBA: return "rgba";
    case CL_BGRA:
    case CL_sBGRA: return "bgra";
    case CL_ARGB: return "argb";
    case CL_ABGR: return "abgr";
    case CL_INTENSITY: return "I";
    case CL_LUMINANCE: return "L";
    case CL_Rx: return "rx";
    case CL_RGBx:
    case CL_sRGBx: return "rgbx";
    case CL_DEPTH: return "r";
    default: ck_abort_msg("order 0x%x", order);
    }
}

static bool is_integer(cl_channel_type type)
{
    return type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
}

static size_t channel_bytes(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: return 1;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT: return 4;
    default: return 2;
    }
}

static double half_value(uint16_t bits)
{
    double fraction = bits & 0x3ff;
    int exponent = bits >> 10 & 31;
    double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* One channel as the number a kernel gets; bytes hold it, little-endian. */
static double channel_value(cl_channel_type type, const uint8_t *bytes)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint16_t u16;
    uint32_t u32;
    float f;
    memcpy(&i8, bytes, 1);
    memcpy(&i16, bytes, channel_bytes(type) > 1 ? 2 : 1);
    memcpy(&u16, bytes, channel_bytes(type) > 1 ? 2 : 1);
    memcpy(&i32, bytes, channel_bytes(type) > 2 ? 4 : 1);
    memcpy(&u32, bytes, channel_bytes(type) > 2 ? 4 : 1);
    memcpy(&f, bytes, channel_bytes(type) > 2 ? 4 : 1);
    switch (type) {
    case CL_SNORM_INT8: return fmax(i8 / 127.0, -1);
    case CL_SNORM_INT16: return fmax(i16 / 32767.0, -1);
    case CL_UNORM_INT8: return bytes[0] / 255.0;
    case CL_UNORM_INT16: return u16 / 65535.0;
    case CL_SIGNED_INT8: return i8;
    case CL_SIGNED_INT16: return i16;
    case CL_SIGNED_INT32: return i32;
    case CL_UNSIGNED_INT8: return bytes[0];
    case CL_UNSIGNED_INT16: return u16;
    case CL_UNSIGNED_INT32: return u32;
    case CL_HALF_FLOAT: return half_value(u16);
    default: return f;
    }
}

static double linear_of_srgb(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double srgb_of_linear(double y)
{
    return y < 0.0031308 ? 12.92 * y : 1.055 * pow(y, 1 / 2.4) - 0.055;
}

static bool is_srgb(const cl_image_format *format)
{
    return format->image_channel_order >= CL_sRGBx && format->image_channel_order <= CL_sBGRA;
}

static void give(double rgba[4], char channel, double value)
{
    for (int c = 0; c < 4; c++)
        if (channel == "rgba"[c] || channel == 'I' || (channel == 'L' && c < 3))
            rgba[c] = value;
}

/* Bits of a packed channel, from its lowest. */
static bool packed_field(cl_channel_type type, int channel, int *low, int *width)
{
    static const int fields[4][4][2] = {{{11, 5}, {5, 6}, {0, 5}},
                                        {{10, 5}, {5, 5}, {0, 5}},
                                        {{20, 10}, {10, 10}, {0, 10}},
                                        {{22, 10}, {12, 10}, {2, 10}, {0, 2}}};
    int row = type == CL_UNORM_SHORT_565      ? 0
              : type == CL_UNORM_SHORT_555    ? 1
              : type == CL_UNORM_INT_101010   ? 2
              : type == CL_UNORM_INT_101010_2 ? 3
                                              : -1;
    if (row < 0)
        return false;
    *low = fields[row][channel][0];
    *width = fields[row][channel][1];
    return true;
}

static void reference_fetch(const cl_image_format *format, const uint8_t *texel, double rgba[4])
{
    const char *channels = channels_of(format->image_channel_order);
    bool srgb = is_srgb(format);
    cl_channel_type type = format->image_channel_data_type;
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = 1;
    for (int k = 0; channels[k] && channels[k] != 'x'; k++) { /* always the last */
        int low, width;
        uint32_t word = 0;
        double value;
        if (packed_field(type, k, &low, &width)) {
            memcpy(&word, texel, type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 ? 2 : 4);
            value = (word >> low & ((1u << width) - 1)) / (double)((1u << width) - 1);
        } else {
            value = channel_value(type, texel + (size_t)k * channel_bytes(type));
        }
        give(rgba, channels[k], srgb && channels[k] != 'a' ? linear_of_srgb(value) : value);
    }
    if (format->image_channel_order == CL_A)
        rgba[0] = rgba[1] = rgba[2] = 0;
}

static size_t all_formats(cl_mem_flags flags, cl_image_format formats[512])
{
    cl_uint count = 0;
    cl_ok(clGetSupportedImageFormats(context, flags, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
    return count;
}

static const char format_kernels[] =
    "#define GET(name, image, T, read) kernel void name(read_only image in, global T *out) {\\\n"
    "  size_t i = get_global_id(0); out[i] = read(in, (int2)(i % 16, i / 16)); }\n"
    "GET(get_f, image2d_t, float4, read_imagef) GET(get_i, image2d_t, int4, read_imagei) GET(get_u, "
    "image2d_t, uint4, read_imageui)\n"
    "GET(get_d, image2d_depth_t, float, read_imagef)\n"
    "#define PUT(name, image, T, write) kernel void name(write_only image to, global const T *from) {\\\n"
    "  size_t i = get_global_id(0); write(to, (int2)(i % 16, i / 16), from[i]); }\n"
    "PUT(put_f, image2d_t, float4, write_imagef) PUT(put_i, image2d_t, int4, write_imagei) PUT(put_u, "
    "image2d_t, uint4, write_imageui)\n"
    "PUT(put_d, image2d_depth_t, float, write_imagef)\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "GET(get_h, image2d_t, half4, read_imageh) PUT(put_h, image2d_t, half4, write_imageh)\n"
    "kernel void widen(global const half *in, global float *out) { out[get_global_id(0)] = "
    "in[get_global_id(0)]; }\n";

static char sort_of(const cl_image_format *format)
{
    cl_channel_type type = format->image_channel_data_type;
    if (format->image_channel_order == CL_DEPTH)
        return 'd';
    return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32 ? 'i' : is_integer(type) ? 'u' : 'f';
}

static size_t element_size(cl_mem image)
{
    size_t size = 0;
    cl_ok(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
    return size;
}

enum { SIDE = 16, COUNT = SIDE * SIDE };

/* Random bytes; floats without NaN and infinity, which no formula is about. */
static void random_texels(const cl_image_format *format, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)next_number();
    for (size_t i = 0; format->image_channel_data_type == CL_FLOAT && i < size; i += 4) {
        float value = (float)(int32_t)next_number() / 65536.0f;
        memcpy(bytes + i, &value, 4);
    }
    for (size_t i = 1; format->image_channel_data_type == CL_HALF_FLOAT && i < size; i += 2)
        bytes[i] = (bytes[i] & 0x7c) == 0x7c ? (uint8_t)(bytes[i] & 0x83) : bytes[i];
}

START_TEST(every_format_reads_as_its_numbers)
{
    cl_image_format formats[512];
    cl_program program = build_program(format_kernels, "-cl-std=CL2.0");
    size_t count = all_formats(CL_MEM_READ_ONLY, formats);
    cl_mem out = cl_buffer(context, 0, COUNT * 16, NULL);
    for (size_t k = 0; k < count; k++) {
        uint8_t bytes[COUNT * 16];
        union {
            float f[4];
            int32_t i[4];
            uint32_t u[4];
        } got[COUNT];
        char name[] = "get_?";
        name[4] = sort_of(&formats[k]);
        random_texels(&formats[k], bytes, sizeof bytes);
        cl_mem in = new_2d(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &formats[k], SIDE, SIDE, bytes);
        cl_kernel kernel = new_kernel(program, name);
        size_t size = element_size(in);
        set_arg(kernel, 0, in);
        set_arg(kernel, 1, out);
        run(kernel, 1, COUNT, 1, 1);
        read_buffer(out, got, sizeof got);
        for (size_t i = 0; i < COUNT; i++) {
            double want[4];
            reference_fetch(&formats[k], bytes + i * size, want);
            for (int c = 0; c < (name[4] == 'd' ? 1 : 4); c++) {
                double is = name[4] == 'i'   ? (double)got[i].i[c]
                            : name[4] == 'u' ? (double)got[i].u[c]
                            : name[4] == 'd' ? ((float *)got)[i]
                                             : got[i].f[c];
                ck_assert_msg(fabs(is - want[c]) <= fabs(want[c]) * 1.2e-7,
                              "format %x %x component %d: %.9g, not %.9g", formats[k].image_channel_order,
                              formats[k].image_channel_data_type, c, is, want[c]);
            }
        }
        cl_ok(clReleaseKernel(kernel));
        cl_ok(clReleaseMemObject(in));
    }
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* The least and the greatest value of a channel. */
static void channel_range(cl_channel_type type, double *low, double *high)
{
    *low = type == CL_SNORM_INT8 || type == CL_SNORM_INT16 ? -1 : 0;
    *high = 1;
    switch (type) {
    case CL_SIGNED_INT8: *low = -128, *high = 127; break;
    case CL_SIGNED_INT16: *low = -32768, *high = 32767; break;
    case CL_SIGNED_INT32: *low = INT32_MIN, *high = INT32_MAX; break;
    case CL_UNSIGNED_INT8: *high = 255; break;
    case CL_UNSIGNED_INT16: *high = 65535; break;
    case CL_UNSIGNED_INT32: *high = UINT32_MAX; break;
    case CL_FLOAT:
    case CL_HALF_FLOAT: *low = -1e9, *high = 1e9; break;
    default: break;
    }
}

/* Half of the step between numbers that the channel can hold. */
static double half_step(cl_channel_type type, int channel, double value)
{
    int low, width, exponent;
    if (packed_field(type, channel, &low, &width))
        return 0.5 / ((1 << width) - 1);
    switch (type) {
    case CL_SNORM_INT8: return 0.5 / 127;
    case CL_SNORM_INT16: return 0.5 / 32767;
    case CL_UNORM_INT8: return 0.5 / 255;
    case CL_UNORM_INT16: return 0.5 / 65535;
    case CL_HALF_FLOAT: frexp(value, &exponent); return ldexp(1, exponent < -13 ? -25 : exponent - 12);
    default: return 0;
    }
}

/* The largest integer of a normalised channel; 0: the channel is not one. */
static int normalised_scale(cl_channel_type type, int channel)
{
    int low, width;
    if (packed_field(type, channel, &low, &width))
        return (1 << width) - 1;
    switch (type) {
    case CL_SNORM_INT8: return 127;
    case CL_SNORM_INT16: return 32767;
    case CL_UNORM_INT8: return 255;
    case CL_UNORM_INT16: return 65535;
    default: return 0;
    }
}

/* The preferred conversion, convert_T_sat_rte(value * scale) in float (OpenCL C 3.0, 8.3.1.2): bit by bit. */
static bool prefers(int scale, double low, double value, double got)
{
    const float product = (float)value * (float)scale;
    return got == fmin(fmax(rintf(product), low * scale), scale) / scale;
}

union stored_texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};

/* Does the channel of the texel have the number nearest to what was stored? got: the texel as a kernel reads it */
static void judge_stored(const cl_image_format *format, const uint8_t *texel, size_t size, int channel,
                         const union stored_texel *in, double got[4])
{
    const cl_channel_type type = format->image_channel_data_type;
    const char role = channels_of(format->image_channel_order)[channel], sort = sort_of(format);
    const char *where = strchr("rgba", role);
    int c = where ? (int)(where - "rgba") : 0;
    double low, high;
    channel_range(type, &low, &high);
    if (role == 'x' && size != 4 * channel_bytes(type))
        return;
    if (role == 'x') { /* nothing reads it, but it is stored as in RGBA */
        c = 3;
        got[c] = channel_value(type, texel + 3 * channel_bytes(type));
    }
    const double value = sort == 'i' ? (double)in->i[c] : sort == 'u' ? (double)in->u[c] : in->f[c];
    double want = fmin(fmax(value, low), high), step = half_step(type, channel, want);
    if (is_srgb(format) && c != 3) { /* as the text has it */
        got[c] = srgb_of_linear(got[c]), want = srgb_of_linear(want), step = 0.6 / 255;
    } else if (normalised_scale(type, channel)) {
        ck_assert_msg(prefers(normalised_scale(type, channel), low, value, got[c]),
                      "format %x %x component %d of %.9g: %.9g is not the preferred number",
                      format->image_channel_order, type, c, value, got[c]);
        return;
    }
    ck_assert_msg(fabs(got[c] - want) <= step * 1.000001, "format %x %x component %d of %.9g: %.9g",
                  format->image_channel_order, type, c, value, got[c]);
}

START_TEST(every_format_takes_the_nearest_number)
{
    cl_image_format formats[512];
    cl_program program = build_program(format_kernels, "-cl-std=CL2.0");
    size_t count = all_formats(CL_MEM_WRITE_ONLY, formats);
    cl_mem from = cl_buffer(context, 0, COUNT * 16, NULL);
    for (size_t k = 0; k < count; k++) {
        uint8_t bytes[COUNT * 16];
        union stored_texel in[COUNT];
        cl_channel_type type = formats[k].image_channel_data_type;
        char name[] = "put_?", sort = sort_of(&formats[k]);
        const char *channels = channels_of(formats[k].image_channel_order);
        const bool srgb = is_srgb(&formats[k]);
        name[4] = sort;
        for (size_t i = 0; i < COUNT; i++)
            for (int c = 0; c < 4; c++) {
                if (is_integer(type))
                    in[i].u[c] = next_number() >> (i % 4) * 8;
                else
                    in[i].f[c] = (float)(int32_t)next_number() / (type == CL_HALF_FLOAT ? 65536.0f : 1.6e9f);
                if (srgb && i % 4 == 0)
                    in[i].f[c] /= 256; /* where the curve is a line */
                if (type == CL_SIGNED_INT8 && i % 3)
                    in[i].i[c] = (int32_t)(next_number() % 300) - 150;
            }
        cl_mem to = new_2d(CL_MEM_WRITE_ONLY, &formats[k], SIDE, SIDE, NULL);
        size_t size = element_size(to);
        float one_each[COUNT];
        for (size_t i = 0; i < COUNT; i++)
            one_each[i] = in[i].f[0];
        cl_ok(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sort == 'd' ? sizeof one_each : sizeof in,
                                   sort == 'd' ? (void *)one_each : in, 0, NULL, NULL));
        cl_kernel kernel = new_kernel(program, name);
        set_arg(kernel, 0, to);
        set_arg(kernel, 1, from);
        run(kernel, 1, COUNT, 1, 1);
        cl_ok(clEnqueueReadImage(queue, to, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){SIDE, SIDE, 1}, 0, 0,
                                 bytes, 0, NULL, NULL));
        for (size_t i = 0; i < COUNT; i++) {
            double got[4];
            reference_fetch(&formats[k], bytes + i * size, got);
            for (int channel = 0; channels[channel]; channel++)
                judge_stored(&formats[k], bytes + i * size, size, channel, &in[i], got);
        }
        cl_ok(clReleaseKernel(kernel));
        cl_ok(clReleaseMemObject(to));
    }
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(halves_are_read_and_written)
{
    uint8_t bytes[COUNT * 4];
    float wide[COUNT * 4];
    cl_program program = build_program(format_kernels, "-cl-std=CL2.0");
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next_number();
    cl_mem in = new_2d(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &rgba8, SIDE, SIDE, bytes),
           halves = cl_buffer(context, 0, COUNT * 8, NULL), floats = cl_buffer(context, 0, sizeof wide, NULL),
           to = new_2d(CL_MEM_WRITE_ONLY, &rgba8, SIDE, SIDE, NULL);
    cl_kernel get = new_kernel(program, "get_h"), put = new_kernel(program, "put_h"),
              widen = new_kernel(program, "widen");
    set_arg(get, 0, in), set_arg(get, 1, halves);
    set_arg(widen, 0, halves), set_arg(widen, 1, floats);
    set_arg(put, 0, to), set_arg(put, 1, halves);
    run(get, 1, COUNT, 1, 1);
    run(widen, 1, COUNT * 4, 1, 1);
    run(put, 1, COUNT, 1, 1);
    read_buffer(floats, wide, sizeof wide);
    uint8_t again[sizeof bytes];
    cl_ok(clEnqueueReadImage(queue, to, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){SIDE, SIDE, 1}, 0, 0, again,
                             0, NULL, NULL));
    for (size_t i = 0; i < COUNT * 4; i++)
        ck_assert_msg(fabs(wide[i] - bytes[i] / 255.0) <= ldexp(bytes[i] / 255.0, -11) * 1.01, "%u: %g",
                      bytes[i], (double)wide[i]);
    ck_assert_mem_eq(again, bytes, sizeof bytes); /* 11 bits distinguish 256 values */
    const cl_mem objects[] = {in, halves, floats, to};
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(objects[i]));
    cl_ok(clReleaseKernel(get));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(widen));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(kernels_query_images)
{
    cl_program program = build_program(
        "kernel void ask(read_only image2d_array_t a, read_only image3d_t v, write_only image1d_array_t l, "
        "read_only image1d_buffer_t b,\n"
        "                read_only image2d_depth_t d, global int *out) {\n"
        "  out[0] = get_image_width(a); out[1] = get_image_height(a); out[2] = "
        "(int)get_image_array_size(a);\n"
        "  int2 da = get_image_dim(a); out[3] = da.x * 100 + da.y;\n"
        "  int4 dv = get_image_dim(v); out[4] = dv.x * 100 + dv.y * 10 + dv.z; out[5] = get_image_depth(v);\n"
        "  out[6] = get_image_width(l); out[7] = (int)get_image_array_size(l); out[8] = get_image_width(b);\n"
        "  out[9] = get_image_channel_data_type(a) == CLK_UNORM_INT8; out[10] = get_image_channel_order(a) "
        "== CLK_BGRA;\n"
        "  out[11] = get_image_channel_data_type(v) == CLK_FLOAT; out[12] = get_image_channel_order(v) == "
        "CLK_R;\n"
        "  out[13] = get_image_channel_order(d) == CLK_DEPTH; out[14] = get_image_height(d); }\n",
        "-cl-std=CL2.0");
    static const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8}, r32 = {CL_R, CL_FLOAT},
                                 depth = {CL_DEPTH, CL_FLOAT};
    static const int want[15] = {7, 5, 4, 705, 754, 4, 7, 4, 9, 1, 1, 1, 1, 1, 3};
    int got[15];
    cl_kernel kernel = new_kernel(program, "ask");
    cl_image_desc descs[] = {
        image_desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, 7, 5, 4), image_desc(CL_MEM_OBJECT_IMAGE3D, 7, 5, 4),
        image_desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, 7, 0, 4), image_desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, 9, 0, 0)};
    descs[3].buffer = cl_buffer(context, 0, 64, NULL);
    cl_mem objects[] = {new_image(0, &bgra, &descs[0], NULL),  new_image(0, &r32, &descs[1], NULL),
                        new_image(0, &rgba8, &descs[2], NULL), new_image(0, &rgba8, &descs[3], NULL),
                        new_2d(0, &depth, 2, 3, NULL),         cl_buffer(context, 0, sizeof got, NULL)};
    for (cl_uint i = 0; i < 6; i++)
        set_arg(kernel, i, objects[i]);
    run(kernel, 1, 1, 1, 1);
    read_buffer(objects[5], got, sizeof got);
    for (int i = 0; i < 15; i++)
        ck_assert_msg(got[i] == want[i], "%d: %d, not %d", i, got[i], want[i]);
    for (int i = 0; i < 6; i++)
        cl_ok(clReleaseMemObject(objects[i]));
    cl_ok(clReleaseMemObject(descs[3].buffer));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- kinds: written by coordinates, read without sampler --------------------------------------------- */

START_TEST(every_kind_is_written_and_read)
{
    static const struct {
        cl_mem_object_type type;
        const char *name, *at;
    } rows[] = {{CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x"},
                {CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t", "x"},
                {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "(int2)(x, y)"},
                {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)"},
                {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "(int4)(x, y, z, 0)"},
                {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)"}};
    static const cl_image_format u32 = {CL_R, CL_UNSIGNED_INT32};
    char source[1024];
    uint32_t got[7 * 5 * 4], sums[7 * 5 * 4];
    snprintf(
        source, sizeof source,
        "#define AT int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); uint i = x + 7 * "
        "(y + get_global_size(1) * z);\n"
        "kernel void put(write_only %s to) { AT write_imageui(to, %s, (uint4)(i + 1000)); }\n"
        "kernel void both(read_write %s it) { AT uint v = read_imageui(it, %s).x; write_imageui(it, %s, "
        "(uint4)(v * 2));\n"
        "  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
        "  write_imageui(it, %s, read_imageui(it, %s) + 1); }\n"
        "kernel void get(read_only %s from, global uint *out) { AT out[i] = read_imageui(from, %s).x; }\n",
        rows[_i].name, rows[_i].at, rows[_i].name, rows[_i].at, rows[_i].at, rows[_i].at, rows[_i].at,
        rows[_i].name, rows[_i].at);
    cl_program program = build_program(source, "-cl-std=CL2.0");
    cl_image_desc desc = image_desc(rows[_i].type, 7, 5, 4);
    if (rows[_i].type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        desc.buffer = cl_buffer(context, 0, 28, NULL);
    bool layers = rows[_i].type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t y = layers              ? 4
               : desc.image_height ? 5
                                   : 1,
           z = !layers && (desc.image_depth || desc.image_array_size) ? 4 : 1;
    cl_mem image = new_image(0, &u32, &desc, NULL), out = cl_buffer(context, 0, sizeof sums, NULL);
    cl_kernel put = new_kernel(program, "put"), both = new_kernel(program, "both"),
              get = new_kernel(program, "get");
    set_arg(put, 0, image), set_arg(both, 0, image), set_arg(get, 0, image), set_arg(get, 1, out);
    run(put, 3, 7, y, z);
    run(both, 3, 7, y, z);
    run(get, 3, 7, y, z);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){7, y, z}, 0, 0, got, 0,
                             NULL, NULL));
    read_buffer(out, sums, sizeof sums);
    for (uint32_t i = 0; i < 7 * y * z; i++)
        ck_assert(got[i] == 2 * (i + 1000) + 1 && sums[i] == got[i]);
    if (desc.buffer)
        cl_ok(clReleaseMemObject(desc.buffer));
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseKernel(both));
    cl_ok(clReleaseKernel(get));
    cl_ok(clReleaseProgram(program));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("images in kernels");
    TCase *tests = tcase_create("images in kernels");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_format_reads_as_its_numbers);
    tcase_add_test(tests, every_format_takes_the_nearest_number);
    tcase_add_test(tests, halves_are_read_and_written);
    tcase_add_test(tests, kernels_query_images);
    tcase_add_loop_test(tests, every_kind_is_written_and_read, 0, 6);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
