/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers: every addressing mode and filter against a plain reading of the specification (OpenCL 3.0
 * environment, image addressing and filtering) in double; borders; levels of mipmaps. */
#include <math.h>
#include <stdio.h>

#include "tests/support/image_kernels.h"

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

static Suite *suite(void)
{
    Suite *suite = suite_create("samplers in kernels");
    TCase *tests = tcase_create("images in kernels");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, every_sampler_reads_the_specified_texels, 0, KINDS);
    tcase_add_loop_test(tests, integer_coordinates_are_exact, 0, KINDS);
    tcase_add_test(tests, batches_and_lanes_give_the_same_bits);
    tcase_add_test(tests, borders_have_the_alpha_of_their_order);
    tcase_add_test(tests, levels_are_chosen_as_requested);
    tcase_add_test(tests, levels_are_written_by_kernels);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
