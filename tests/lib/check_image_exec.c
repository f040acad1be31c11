/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images in kernels: every format, kind, addressing mode and filter against a plain reading of the
 * specification (OpenCL 3.0 API 5.3.1.1, environment: image addressing and filtering), in double.
 */
#include <math.h>
#include <stdio.h>

#include "tests/support/image_fixture.h"
#include "orrery/orrery.h"

static void run(cl_kernel kernel, cl_uint dimensions, size_t x, size_t y, size_t z)
{
    const size_t global[3] = {x, y, z};
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL));
}

static void set_arg(cl_kernel kernel, cl_uint index, cl_mem object)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof object, &object));
}

static void read_buffer(cl_mem buffer, void *to, size_t size)
{
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static uint32_t state = 1;

static uint32_t next_number(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8 ^ state << 20;
}

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

START_TEST(every_format_takes_the_nearest_number)
{
    cl_image_format formats[512];
    cl_program program = build_program(format_kernels, "-cl-std=CL2.0");
    size_t count = all_formats(CL_MEM_WRITE_ONLY, formats);
    cl_mem from = cl_buffer(context, 0, COUNT * 16, NULL);
    for (size_t k = 0; k < count; k++) {
        uint8_t bytes[COUNT * 16];
        union {
            float f[4];
            int32_t i[4];
            uint32_t u[4];
        } in[COUNT];
        cl_channel_type type = formats[k].image_channel_data_type;
        char name[] = "put_?", sort = sort_of(&formats[k]);
        const char *channels = channels_of(formats[k].image_channel_order);
        double low, high;
        const bool srgb = is_srgb(&formats[k]);
        name[4] = sort;
        channel_range(type, &low, &high);
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
            for (int channel = 0; channels[channel]; channel++) {
                const char *where = strchr("rgba", channels[channel]);
                int c = where ? (int)(where - "rgba") : 0;
                if (channels[channel] == 'x')
                    continue;
                double value = sort == 'i'   ? (double)in[i].i[c]
                               : sort == 'u' ? (double)in[i].u[c]
                                             : in[i].f[c];
                double want = fmin(fmax(value, low), high);
                double step = half_step(type, channel, want);
                if (srgb && channels[channel] != 'a') {
                    /* as the text has it */
                    got[c] = srgb_of_linear(got[c]), want = srgb_of_linear(want), step = 0.6 / 255;
                } else if (normalised_scale(type, channel)) {
                    ck_assert_msg(prefers(normalised_scale(type, channel), low, value, got[c]),
                                  "format %x %x component %d of %.9g: %.9g is not the preferred number",
                                  formats[k].image_channel_order, type, c, value, got[c]);
                    continue;
                }
                ck_assert_msg(fabs(got[c] - want) <= step * 1.000001,
                              "format %x %x component %d of %.9g: %.9g", formats[k].image_channel_order, type,
                              c, value, got[c]);
            }
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

/* ---- sampling: a second opinion ---------------------------------------------------------------- */

static const struct kind {
    cl_mem_object_type type;
    const char *name;
    int dimensions;
    bool array;
    const char *coordinate, *integer; /* from c, a float4 or an int4 */
} kinds[] = {{CL_MEM_OBJECT_IMAGE1D, "image1d_t", 1, false, "c.x", "c.x"},
             {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", 1, true, "c.xy", "c.xy"},
             {CL_MEM_OBJECT_IMAGE2D, "image2d_t", 2, false, "c.xy", "c.xy"},
             {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", 2, true, "c", "c"},
             {CL_MEM_OBJECT_IMAGE3D, "image3d_t", 3, false, "c", "c"}};
enum { KINDS = 5, POINTS = 300 };
static const int extent[3] = {7, 5, 4};
static const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                           CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_NONE};

struct reference {
    const float *texels; /* one channel */
    int size[3], dimensions;
    bool array, normalized, linear;
    cl_addressing_mode mode;
};

static double reference_texel(const struct reference *r, const int at[3])
{
    for (int d = 0; d < 3; d++)
        if (at[d] < 0 || at[d] >= r->size[d])
            return 0; /* the border of CL_R */
    return r->texels[(at[2] * r->size[1] + at[1]) * r->size[0] + at[0]];
}

/* The two texels of an axis and the share of the second; near: how close the choice was. */
static void reference_axis(const struct reference *r, double s, int size, int at[2], double *share,
                           double *near)
{
    double u = r->normalized ? s * size : s;
    if (r->mode == CL_ADDRESS_REPEAT)
        u = (s - floor(s)) * size;
    if (r->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2 * rint(0.5 * s)) * size;
    double from = r->linear ? u - 0.5 : u;
    int i = (int)floor(from);
    *share = r->linear ? from - floor(from) : 0;
    *near = fmin(*near, fmin(from - floor(from), floor(from) + 1 - from));
    for (int k = 0; k < 2; k++) {
        int v = i + k;
        if (r->mode == CL_ADDRESS_REPEAT)
            v = v < 0 ? v + size : v > size - 1 ? v - size : v;
        else if (r->mode == CL_ADDRESS_CLAMP)
            v = v < -1 ? -1 : v > size ? size : v;
        else
            v = v < 0 ? 0 : v > size - 1 ? size - 1 : v;
        at[k] = v;
    }
}

static double reference_sample(const struct reference *r, const float *c, double *near)
{
    int at[3][2] = {{0}};
    double share[3] = {0}, sum = 0;
    for (int d = 0; d < r->dimensions; d++)
        reference_axis(r, c[d], r->size[d], at[d], &share[d], near);
    if (r->array) {
        double layer = fmin(fmax(rint(c[r->dimensions]), 0), r->size[r->dimensions] - 1);
        at[r->dimensions][0] = at[r->dimensions][1] = (int)layer;
        *near = fmin(*near, fabs(fabs(c[r->dimensions] - floor(c[r->dimensions])) - 0.5));
    }
    for (int n = 0; n < 8; n++) {
        int texel[3];
        double weight = 1;
        for (int d = 0; d < 3; d++) {
            int second = n >> d & 1;
            texel[d] = at[d][second];
            weight *= second ? share[d] : 1 - share[d];
        }
        if (weight)
            sum += weight * reference_texel(r, texel);
    }
    return sum;
}

static cl_program sampling_program(const struct kind *kind)
{
    char source[1024];
    snprintf(
        source, sizeof source,
        "kernel void sample(read_only %s in, sampler_t s, global const float4 *at, global float4 *out) {\n"
        "  float4 c = at[get_global_id(0)]; out[get_global_id(0)] = read_imagef(in, s, %s); }\n"
        "kernel void at_integers(read_only %s in, sampler_t s, global const int4 *at, global float4 *out) {\n"
        "  int4 c = at[get_global_id(0)]; out[get_global_id(0)] = read_imagef(in, s, %s); }\n",
        kind->name, kind->coordinate, kind->name, kind->integer);
    return build_program(source, "-cl-std=CL2.0");
}

static struct reference reference_of(const struct kind *kind, const float *texels)
{
    struct reference r = {.texels = texels, .dimensions = kind->dimensions, .array = kind->array};
    int used = kind->dimensions + kind->array;
    for (int d = 0; d < 3; d++)
        r.size[d] = d < used ? extent[d] : 1;
    return r;
}

static cl_mem sampled_image(const struct kind *kind, const cl_image_format *format, void *bytes)
{
    const struct reference r = reference_of(kind, NULL);
    const cl_image_desc desc = image_desc(kind->type, (size_t)r.size[0], (size_t)r.size[1],
                                          (size_t)(kind->array ? r.size[kind->dimensions] : r.size[2]));
    return new_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, &desc, bytes);
}

/* Points around and in the image; NONE gets only those inside. */
static void random_points(const struct reference *r, float (*points)[4])
{
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 4; d++) {
            double t = (double)(next_number() & 0xffff) / 65536, size = d < 3 ? r->size[d] : 1;
            double unit = r->mode == CL_ADDRESS_NONE ? 0.5 / size + t * (1 - 1.0001 / size) : -1.5 + 4 * t;
            bool layer = r->array && d == r->dimensions;
            points[i][d] = (float)(r->normalized && !layer ? unit : unit * size);
        }
}

START_TEST(every_sampler_reads_the_specified_texels)
{
    static const cl_image_format r32 = {CL_R, CL_FLOAT};
    const struct kind *kind = &kinds[_i];
    float texels[7 * 5 * 4], points[POINTS][4], got[POINTS][4];
    for (int i = 0; i < 140; i++)
        texels[i] = (float)(next_number() & 0xffff) / 256.0f;
    cl_program program = sampling_program(kind);
    cl_kernel kernel = new_kernel(program, "sample");
    cl_mem image = sampled_image(kind, &r32, texels), at = cl_buffer(context, 0, sizeof points, NULL),
           out = cl_buffer(context, 0, sizeof got, NULL);
    set_arg(kernel, 0, image), set_arg(kernel, 2, at), set_arg(kernel, 3, out);
    for (int m = 0; m < 5; m++)
        for (int how = 0; how < 4; how++) {
            struct reference r = reference_of(kind, texels);
            cl_int err;
            int judged = 0;
            r.normalized = how & 1, r.linear = how & 2, r.mode = modes[m];
            if (!r.normalized && (r.mode == CL_ADDRESS_REPEAT || r.mode == CL_ADDRESS_MIRRORED_REPEAT))
                continue;
            random_points(&r, points);
            cl_sampler sampler = clCreateSampler(context, r.normalized, r.mode,
                                                 r.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &err);
            cl_ok(err);
            cl_ok(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
            cl_ok(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof points, points, 0, NULL, NULL));
            run(kernel, 1, POINTS, 1, 1);
            read_buffer(out, got, sizeof got);
            for (int i = 0; i < POINTS; i++) {
                double near = 1, want = reference_sample(&r, points[i], &near);
                if (near < 1e-5) /* floats may fall on the other side */
                    continue;
                judged++;
                ck_assert_msg(fabs(got[i][0] - want) <= (r.linear ? 2e-2 : 0),
                              "%s mode %x normalized %d linear %d at %g %g %g: %g, not %g", kind->name,
                              r.mode, r.normalized, r.linear, (double)points[i][0], (double)points[i][1],
                              (double)points[i][2], (double)got[i][0], want);
            }
            ck_assert_int_gt(judged, POINTS / 2);
            cl_ok(clReleaseSampler(sampler));
        }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    const cl_mem objects[] = {image, at, out};
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(objects[i]));
}
END_TEST

/* Nearest at integer coordinates is exact: "computed without any loss of precision". */
START_TEST(integer_coordinates_are_exact)
{
    static const cl_image_format r32 = {CL_R, CL_FLOAT};
    const struct kind *kind = &kinds[_i];
    float texels[7 * 5 * 4], got[POINTS][4];
    int32_t points[POINTS][4];
    for (int i = 0; i < 140; i++)
        texels[i] = (float)(i + 1);
    cl_program program = sampling_program(kind);
    cl_kernel kernel = new_kernel(program, "at_integers");
    cl_mem image = sampled_image(kind, &r32, texels), at = cl_buffer(context, 0, sizeof points, NULL),
           out = cl_buffer(context, 0, sizeof got, NULL);
    set_arg(kernel, 0, image), set_arg(kernel, 2, at), set_arg(kernel, 3, out);
    for (int m = 0; m < 2; m++) {
        struct reference r = reference_of(kind, texels);
        cl_int err;
        r.mode = modes[m];
        for (int i = 0; i < POINTS; i++)
            for (int d = 0; d < 4; d++)
                points[i][d] =
                    i < 8 ? (i & 1 << (d % 3) ? INT32_MAX : INT32_MIN) : (int32_t)(next_number() % 15) - 4;
        cl_sampler sampler = clCreateSampler(context, CL_FALSE, r.mode, CL_FILTER_NEAREST, &err);
        cl_ok(err);
        cl_ok(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
        cl_ok(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof points, points, 0, NULL, NULL));
        run(kernel, 1, POINTS, 1, 1);
        read_buffer(out, got, sizeof got);
        for (int i = 0; i < POINTS; i++) {
            int where[3];
            for (int d = 0; d < 3; d++) {
                int size = r.size[d], last = size - 1, v = points[i][d];
                bool layer = r.array && d == r.dimensions, used = d < r.dimensions + r.array;
                bool clamps = r.mode == CL_ADDRESS_CLAMP && !layer;
                where[d] = !used ? 0 : v < 0 ? (clamps ? -1 : 0) : v > last ? (clamps ? size : last) : v;
            }
            ck_assert(got[i][0] == (float)reference_texel(&r, where));
        }
        cl_ok(clReleaseSampler(sampler));
    }
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    const cl_mem objects[] = {image, at, out};
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseMemObject(objects[i]));
}
END_TEST

/* The batches of common formats and what goes lane by lane are the same: one channel decides which it is. */
START_TEST(batches_and_lanes_give_the_same_bits)
{
    static const cl_image_format one = {CL_R, CL_FLOAT}, other = {CL_RG, CL_FLOAT},
                                 bytes4 = {CL_ABGR, CL_UNORM_INT8}, wide = {CL_RGBA, CL_FLOAT};
    const struct kind *kind = &kinds[2];
    float texels[35], pairs[35][2], quads[35][4], points[POINTS][4], a[POINTS][4], b[POINTS][4];
    uint8_t packed[35][4];
    for (int i = 0; i < 35; i++) {
        for (int c = 0; c < 4; c++)
            packed[i][c] = (uint8_t)next_number(), quads[i][3 - c] = packed[i][c] / 255.0f;
        texels[i] = pairs[i][0] = (float)(int32_t)next_number() / 1000.0f;
        pairs[i][1] = 0;
    }
    cl_program program = sampling_program(kind);
    cl_kernel kernel = new_kernel(program, "sample");
    cl_mem images[4] = {sampled_image(kind, &one, texels), sampled_image(kind, &other, pairs),
                        sampled_image(kind, &bytes4, packed), sampled_image(kind, &wide, quads)};
    cl_mem at = cl_buffer(context, 0, sizeof points, NULL), out = cl_buffer(context, 0, sizeof a, NULL);
    set_arg(kernel, 2, at), set_arg(kernel, 3, out);
    for (int how = 0; how < 8; how++) {
        struct reference r = reference_of(kind, texels);
        cl_int err;
        r.normalized = how & 1, r.mode = how & 4 ? CL_ADDRESS_CLAMP : CL_ADDRESS_CLAMP_TO_EDGE;
        random_points(&r, points);
        cl_ok(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof points, points, 0, NULL, NULL));
        cl_sampler sampler = clCreateSampler(context, r.normalized, r.mode,
                                             how & 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &err);
        cl_ok(err);
        cl_ok(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
        for (int pair = 0; pair < 4; pair += 2) {
            set_arg(kernel, 0, images[pair]);
            run(kernel, 1, POINTS, 1, 1);
            read_buffer(out, a, sizeof a);
            set_arg(kernel, 0, images[pair + 1]);
            run(kernel, 1, POINTS, 1, 1);
            read_buffer(out, b, sizeof b);
            for (int i = 0; i < POINTS; i++)
                for (int c = 0; c < (pair ? 4 : 1); c++)
                    ck_assert_mem_eq(&a[i][c], &b[i][c], 4);
        }
        cl_ok(clReleaseSampler(sampler));
    }
    for (int i = 0; i < 4; i++)
        cl_ok(clReleaseMemObject(images[i]));
    cl_ok(clReleaseMemObject(at));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- the border, constant samplers, queries ---------------------------------------------------- */

START_TEST(borders_have_the_alpha_of_their_order)
{
    static const struct {
        cl_channel_order order;
        float alpha;
    } rows[] = {{CL_R, 1},  {CL_RG, 1}, {CL_LUMINANCE, 1}, {CL_A, 0},   {CL_INTENSITY, 0},
                {CL_Rx, 0}, {CL_RA, 0}, {CL_RGBA, 0},      {CL_BGRA, 0}};
    cl_program program = build_program(
        "constant sampler_t global_one = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | "
        "CLK_FILTER_LINEAR;\n"
        "kernel void edge(read_only image2d_t in, global float4 *out) {\n"
        "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "  out[0] = read_imagef(in, s, (int2)(-1, 0)); out[1] = read_imagef(in, s, (float2)(2.0f, 0.5f));\n"
        "  out[2] = read_imagef(in, global_one, (float2)(-3.0f, 7.0f)); }\n",
        "");
    cl_kernel kernel = new_kernel(program, "edge");
    cl_mem out = cl_buffer(context, 0, 48, NULL);
    set_arg(kernel, 1, out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const cl_image_format format = {rows[k].order, CL_UNORM_INT8};
        uint8_t bytes[16];
        float got[3][4];
        memset(bytes, 0xff, sizeof bytes);
        cl_mem in = new_2d(CL_MEM_COPY_HOST_PTR, &format, 2, 2, bytes);
        set_arg(kernel, 0, in);
        run(kernel, 1, 1, 1, 1);
        read_buffer(out, got, sizeof got);
        for (int i = 0; i < 3; i++)
            ck_assert_msg(got[i][0] == 0 && got[i][1] == 0 && got[i][2] == 0 && got[i][3] == rows[k].alpha,
                          "order %x read %d: alpha %g", rows[k].order, i, (double)got[i][3]);
        cl_ok(clReleaseMemObject(in));
    }
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
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

/* ---- what is found ----------------------------------------------------------------------------- */

static void *extension(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    ck_assert_ptr_nonnull(function);
    return function;
}

/* The last launch has exactly this finding, with these words in its reason. */
static void expect_finding(const char *id, const char *why)
{
    orrery_finding_count_fn *count = (orrery_finding_count_fn *)extension("orrery_finding_count");
    orrery_finding_get_fn *get = (orrery_finding_get_fn *)extension("orrery_finding_get");
    orrery_clear_findings_fn *clear = (orrery_clear_findings_fn *)extension("orrery_clear_findings");
    struct orrery_finding finding;
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(count(), id != NULL);
    if (!id)
        return;
    ck_assert_int_eq(get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, id);
    ck_assert_msg(strstr(finding.why, why) != NULL, "%s", finding.why);
    if (!strcmp(id, "race-image"))
        ck_assert_str_eq(finding.object, "argument 0 'image' (image2d_t, 4 x 1)");
    clear();
}

/* ---- mipmaps ----------------------------------------------------------------------------------- */

enum { LEVELS = 4 };

/* An 8 x 8 image whose level n is filled with 10 * (n + 1). */
static cl_mem new_pyramid(cl_mem_flags flags, const cl_image_format *format)
{
    cl_image_desc desc = image_desc(CL_MEM_OBJECT_IMAGE2D, 8, 8, 0);
    desc.num_mip_levels = LEVELS;
    cl_mem image = new_image(flags, format, &desc, NULL);
    for (size_t n = 0; n < LEVELS; n++) {
        const float color[4] = {10 * (float)(n + 1), 0, 0, 0};
        cl_ok(clEnqueueFillImage(queue, image, color, (size_t[]){0, 0, n}, (size_t[]){8u >> n, 8u >> n, 1}, 0,
                                 NULL, NULL));
    }
    return image;
}

static cl_sampler mip_sampler(cl_filter_mode mip, float low, float high)
{
    cl_int err;
    cl_uint bits[2];
    memcpy(&bits[0], &low, 4);
    memcpy(&bits[1], &high, 4);
    const cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                          mip,
                                          CL_SAMPLER_LOD_MIN_KHR,
                                          bits[0],
                                          CL_SAMPLER_LOD_MAX_KHR,
                                          bits[1],
                                          0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, list, &err);
    cl_ok(err);
    return sampler;
}

START_TEST(levels_are_chosen_as_requested)
{
    static const cl_image_format r32 = {CL_R, CL_FLOAT};
    static const struct {
        cl_filter_mode mip;
        float low, high, lod, want;
    } rows[] = {{CL_FILTER_NEAREST, 0, 99, 0.4f, 10}, {CL_FILTER_NEAREST, 0, 99, 0.6f, 20},
                {CL_FILTER_NEAREST, 0, 99, 9, 40},    {CL_FILTER_NEAREST, 0, 99, -3, 10},
                {CL_FILTER_NEAREST, 2, 99, 0.5f, 30}, {CL_FILTER_NEAREST, 0, 1, 3, 20},
                {CL_FILTER_LINEAR, 0, 99, 0.5f, 15},  {CL_FILTER_LINEAR, 0, 99, 1.25f, 22.5f},
                {CL_FILTER_LINEAR, 0, 99, 7, 40},     {CL_FILTER_LINEAR, 0.75f, 99, 0, 17.5f}};
    cl_program program = build_program(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
        "kernel void at_lod(read_only image2d_t in, sampler_t s, float lod, global float *out) {\n"
        "  out[0] = read_imagef(in, s, (float2)(0.5f, 0.5f), lod).x;\n"
        "  float step = exp2(lod) / 8;\n"
        "  out[1] = read_imagef(in, s, (float2)(0.5f, 0.5f), (float2)(step, 0), (float2)(0, step / 2)).x;\n"
        "  out[2] = read_imagef(in, s, (float2)(0.5f, 0.5f)).x; out[3] = get_image_num_mip_levels(in); }\n"
        "kernel void volume(read_only image3d_t in, sampler_t s, global float *out) {\n"
        "  out[0] = read_imagef(in, s, (float4)(0.5f), (float4)(0.25f), (float4)(0)).x; }\n",
        "-cl-std=CL2.0");
    cl_kernel kernel = new_kernel(program, "at_lod");
    cl_mem image = new_pyramid(0, &r32), out = cl_buffer(context, 0, 16, NULL);
    set_arg(kernel, 0, image);
    set_arg(kernel, 3, out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float got[4];
        cl_sampler sampler = mip_sampler(rows[i].mip, rows[i].low, rows[i].high);
        cl_ok(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
        cl_ok(clSetKernelArg(kernel, 2, sizeof rows[i].lod, &rows[i].lod));
        run(kernel, 1, 1, 1, 1);
        read_buffer(out, got, sizeof got);
        ck_assert_msg(got[0] == rows[i].want, "row %zu: %g, not %g", i, (double)got[0], (double)rows[i].want);
        ck_assert_msg(fabsf(got[1] - rows[i].want) < 1e-2f, "row %zu by gradients: %g", i, (double)got[1]);
        ck_assert(got[2] == 10 && got[3] == LEVELS);
        cl_ok(clReleaseSampler(sampler));
    }
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(levels_are_written_by_kernels)
{
    cl_program program = build_program(
        "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
        "kernel void put(write_only image2d_t out, int level) {\n"
        "  write_imagef(out, (int2)(get_global_id(0), get_global_id(1)), level, (float4)(0.5f + level)); }\n",
        "-cl-std=CL2.0");
    static const cl_image_format r32 = {CL_R, CL_FLOAT};
    const int level = 2, far = 4;
    float texels[4], below[16];
    cl_kernel kernel = new_kernel(program, "put");
    cl_mem image = new_pyramid(0, &r32);
    set_arg(kernel, 0, image);
    cl_ok(clSetKernelArg(kernel, 1, sizeof level, &level));
    run(kernel, 2, 2, 2, 1);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[]){0, 0, 2}, (size_t[]){2, 2, 1}, 0, 0, texels, 0,
                             NULL, NULL));
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, (size_t[]){0, 0, 1}, (size_t[]){4, 4, 1}, 0, 0, below, 0,
                             NULL, NULL));
    for (int i = 0; i < 4; i++)
        ck_assert(texels[i] == 2.5f && below[i] == 20 && below[15 - i] == 20);
    expect_finding(NULL, NULL);
    cl_ok(clSetKernelArg(kernel, 1, sizeof far, &far));
    run(kernel, 1, 1, 1, 1);
    expect_finding("out-of-bounds-write", "of mip level 4");
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- findings ---------------------------------------------------------------------------------- */

START_TEST(undefined_image_access_is_found)
{
    static const struct {
        const char *body, *id, *why;
    } rows[] = {{"write_imagef(out, (int2)(4, get_global_id(0)), (float4)(1));", "out-of-bounds-write",
                 "(4, 0) lies outside argument 1 'out' (image2d_t, 4 x 3)"},
                {"write_imagef(out, (int2)(0, -1), (float4)(1));", "out-of-bounds-write", "(0, -1)"},
                {"p[0] = read_imagef(in, (int2)(0, 3)).x;", "out-of-bounds-read",
                 "(0, 3) lies outside argument 0 'in'"},
                {"p[0] = read_imagef(in, none, (int2)(-1, 0)).x;", "out-of-bounds-read", "(-1, 0)"},
                {"p[0] = read_imagef(in, none, (float2)(1.0f, 3.0f)).x;", "out-of-bounds-read", "(1, 3)"},
                {"p[0] = read_imagef(in, edge, (float2)(NAN, 0.0f)).x;", "image-misuse", "not a number"},
                {"p[0] = read_imagef(in, edge, (float2)(0.0f, INFINITY)).x;", "image-misuse", "infinite"},
                {"p[0] = read_imagei(in, edge, (int2)(0, 0)).x;", "image-misuse", "integers"},
                {"write_imageui(out, (int2)(0, 0), (uint4)(1));", "image-misuse", "integers"},
                {"p[0] = read_imagef(in, smooth, (int2)(1, 1)).x;", "image-misuse", "integer coordinates"},
                {"p[0] = read_imagef(in, tiled, (float2)(1, 1)).x;", "image-misuse", "not normalised"},
                {"p[0] = read_imagef(in, edge, (int2)(-9, 99)).x;", NULL, NULL}};
    char source[1024];
    snprintf(
        source, sizeof source,
        "kernel void f(read_only image2d_t in, write_only image2d_t out, global float *p) {\n"
        "  const sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
        "  const sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
        "CLK_FILTER_LINEAR;\n"
        "  const sampler_t tiled = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
        "  const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
        "CLK_FILTER_NEAREST;\n  %s }\n",
        rows[_i].body);
    uint8_t bytes[48] = {0};
    cl_program program = build_program(source, "-cl-std=CL2.0");
    cl_kernel kernel = new_kernel(program, "f");
    cl_mem in = new_2d(CL_MEM_COPY_HOST_PTR, &rgba8, 4, 3, bytes),
           out = new_2d(CL_MEM_COPY_HOST_PTR, &rgba8, 4, 3, bytes), p = cl_buffer(context, 0, 64, NULL);
    set_arg(kernel, 0, in), set_arg(kernel, 1, out), set_arg(kernel, 2, p);
    run(kernel, 1, 1, 1, 1);
    expect_finding(rows[_i].id, rows[_i].why);
    cl_ok(clReleaseMemObject(in));
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseMemObject(p));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* A mapped image is the host's; an unwritten texel has no writer. */
START_TEST(mapped_images_are_found)
{
    size_t pitch;
    cl_int err;
    cl_program program = build_program(
        "kernel void f(write_only image2d_t out) { write_imagef(out, (int2)(0, 0), (float4)(1)); }", "");
    cl_kernel kernel = new_kernel(program, "f");
    cl_mem out = new_2d(0, &rgba8, 4, 3, NULL);
    set_arg(kernel, 0, out);
    void *map = clEnqueueMapImage(queue, out, CL_TRUE, CL_MAP_WRITE, (size_t[]){0, 0, 0}, (size_t[]){4, 3, 1},
                                  &pitch, NULL, 0, NULL, NULL, &err);
    cl_ok(err);
    run(kernel, 1, 1, 1, 1);
    expect_finding("mapped-access", "mapped argument 0 'out'");
    cl_ok(clEnqueueUnmapMemObject(queue, out, map, 0, NULL, NULL));
    map = clEnqueueMapImage(queue, out, CL_TRUE, CL_MAP_WRITE, (size_t[]){0, 1, 0}, (size_t[]){4, 2, 1},
                            &pitch, NULL, 0, NULL, NULL, &err); /* other rows */
    cl_ok(err);
    run(kernel, 1, 1, 1, 1);
    expect_finding(NULL, NULL);
    cl_ok(clEnqueueUnmapMemObject(queue, out, map, 0, NULL, NULL));
    run(kernel, 1, 1, 1, 1);
    expect_finding(NULL, NULL);
    cl_ok(clReleaseMemObject(out));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

static void track_uninitialised(void)
{
    setenv("ORRERY_UNINITIALIZED", "error", 1);
    cl_set_up();
}

START_TEST(unwritten_texels_are_found)
{
    cl_program program =
        build_program("kernel void get(read_only image2d_t in, global float *p) {\n"
                      "  p[get_global_id(0)] = read_imagef(in, (int2)(get_global_id(0), 0)).x; }\n"
                      "kernel void put(write_only image2d_t out, global float *p) {\n"
                      "  write_imagef(out, (int2)(get_global_id(0), 0), (float4)(p[get_global_id(0)])); }\n",
                      "-cl-std=CL2.0");
    cl_kernel get = new_kernel(program, "get"), put = new_kernel(program, "put");
    cl_mem image = new_2d(0, &rgba8, 4, 1, NULL), p = cl_buffer(context, 0, 16, NULL),
           fresh = cl_buffer(context, 0, 16, NULL);
    const float ones[4] = {1, 1, 1, 1};
    set_arg(get, 0, image), set_arg(get, 1, p), set_arg(put, 0, image), set_arg(put, 1, p);
    run(get, 1, 4, 1, 1);
    expect_finding("uninitialised-store", "derives from");
    cl_ok(clEnqueueWriteBuffer(queue, p, CL_TRUE, 0, sizeof ones, ones, 0, NULL, NULL));
    run(put, 1, 4, 1, 1);
    run(get, 1, 4, 1, 1);
    expect_finding(NULL, NULL);
    set_arg(put, 1, fresh);
    run(put, 1, 4, 1, 1);
    expect_finding("uninitialised-store", "derives from");
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(p));
    cl_ok(clReleaseMemObject(fresh));
    cl_ok(clReleaseKernel(get));
    cl_ok(clReleaseKernel(put));
    cl_ok(clReleaseProgram(program));
}
END_TEST

static void look_for_races(void)
{
    setenv("ORRERY_DATA_RACES", "error", 1);
    setenv("ORRERY_CHECK_BOUNDS", "off", 1); /* one image by two arguments is image-misuse, too */
    cl_set_up();
}

/* Each work-item writes its pixel, and reads that of another one after a barrier with these flags. */
static void swap_pixels(const char *flags, const char *finding, const char *why)
{
    char source[600];
    snprintf(source, sizeof source,
             "kernel void swap(read_write image2d_t image, global float *p) {\n"
             "  int i = get_local_id(0);\n"
             "  write_imagef(image, (int2)(i, 0), (float4)(1));\n"
             "  work_group_barrier(%s);\n"
             "  p[i] = read_imagef(image, (int2)(3 - i, 0)).x; }\n",
             flags);
    cl_program program = build_program(source, "-cl-std=CL2.0");
    cl_kernel kernel = new_kernel(program, "swap");
    cl_mem image = new_2d(0, &rgba8, 4, 1, NULL), p = cl_buffer(context, 0, 16, NULL);
    const size_t four = 4;
    set_arg(kernel, 0, image), set_arg(kernel, 1, p);
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &four, &four, 0, NULL, NULL));
    expect_finding(finding, why);
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(p));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

START_TEST(pixels_race_unless_the_barrier_is_for_images)
{
    swap_pixels("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", "race-image", "CLK_GLOBAL_MEM_FENCE");
    swap_pixels("CLK_IMAGE_MEM_FENCE", NULL, NULL);
}
END_TEST

/* One kernel over four pixels with an image, and perhaps the same one again. */
static void use_pixels(const char *arguments, const char *body, const char *finding, const char *why)
{
    char source[700];
    snprintf(
        source, sizeof source,
        "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "kernel void use(%s, global float *p) { int i = get_global_id(0);\n%s }\n",
        arguments, body);
    cl_program program = build_program(source, "-cl-std=CL2.0");
    cl_kernel kernel = new_kernel(program, "use");
    cl_mem image = new_2d(0, &rgba8, 4, 1, NULL), p = cl_buffer(context, 0, 16, NULL);
    cl_uint last = strchr(arguments, ',') ? 2 : 1;
    for (cl_uint i = 0; i < last; i++)
        set_arg(kernel, i, image);
    set_arg(kernel, last, p);
    run(kernel, 1, 4, 1, 1);
    expect_finding(finding, why);
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(p));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}

#define WRITE "  write_imagef(image, (int2)(i, 0), (float4)(1));\n"
#define READ "  p[i] = read_imagef(image, (int2)(i, 0)).x;"
#define FENCE "  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
START_TEST(reads_see_writes_after_fences_only)
{
    use_pixels("read_write image2d_t image", WRITE READ, "image-read-after-write",
               "after a fence for images");
    use_pixels("read_write image2d_t image", WRITE FENCE READ, NULL, NULL);
    use_pixels("read_write image2d_t image", READ "\n" WRITE, NULL, NULL);
    use_pixels("write_only image2d_t image, read_only image2d_t again",
               WRITE FENCE "  p[i] = read_imagef(again, nearest, (int2)(i, 0)).x;", "image-read-after-write",
               "a read with a sampler does not see");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("images in kernels");
    TCase *tests = tcase_create("images in kernels"), *tracked = tcase_create("with the uninitialised check");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_format_reads_as_its_numbers);
    tcase_add_test(tests, every_format_takes_the_nearest_number);
    tcase_add_test(tests, halves_are_read_and_written);
    tcase_add_loop_test(tests, every_sampler_reads_the_specified_texels, 0, KINDS);
    tcase_add_loop_test(tests, integer_coordinates_are_exact, 0, KINDS);
    tcase_add_test(tests, batches_and_lanes_give_the_same_bits);
    tcase_add_test(tests, borders_have_the_alpha_of_their_order);
    tcase_add_test(tests, kernels_query_images);
    tcase_add_loop_test(tests, every_kind_is_written_and_read, 0, 6);
    tcase_add_test(tests, levels_are_chosen_as_requested);
    tcase_add_test(tests, levels_are_written_by_kernels);
    tcase_add_loop_test(tests, undefined_image_access_is_found, 0, 12);
    tcase_add_test(tests, mapped_images_are_found);
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tracked, track_uninitialised, cl_tear_down);
    tcase_add_test(tracked, unwritten_texels_are_found);
    suite_add_tcase(suite, tracked);
    TCase *races = tcase_create("with the race check");
    tcase_add_checked_fixture(races, look_for_races, cl_tear_down);
    tcase_add_test(races, pixels_race_unless_the_barrier_is_for_images);
    tcase_add_test(races, reads_see_writes_after_fences_only);
    suite_add_tcase(suite, races);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
