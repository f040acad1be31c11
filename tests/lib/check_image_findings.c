/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about images: accesses that are undefined, mapped, not initialised, or race. */
#include <math.h>
#include <stdio.h>

#include "tests/support/image_kernels.h"

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

/* A map for reading alone hands over nothing that the host stores (5.2.4): buffer, shared memory, image. */
START_TEST(stores_through_a_map_for_reading_do_not_count)
{
    static const char hint[] = "a map with CL_MAP_READ alone hands over nothing";
    const char *source = "kernel void k(global const float *in, global float *p) {\n"
                         "  p[get_global_id(0)] = in[get_global_id(0)]; }\n"
                         "kernel void get(read_only image2d_t in, global float *p) {\n"
                         "  p[get_global_id(0)] = read_imagef(in, (int2)(get_global_id(0), 0)).x; }\n";
    const size_t origin[3] = {0, 0, 0}, region[3] = {4, 1, 1};
    size_t pitch;
    cl_int err;
    cl_program program = build_program(source, "-cl-std=CL2.0");
    cl_kernel kernel = new_kernel(program, _i == 2 ? "get" : "k");
    cl_mem in = _i == 2 ? new_2d(0, &rgba8, 4, 1, NULL) : cl_buffer(context, 0, 16, NULL),
           p = cl_buffer(context, 0, 16, NULL);
    float *shared = clSVMAlloc(context, 0, 16, 0);
    set_arg(kernel, 1, p);
    for (cl_map_flags flags = CL_MAP_READ; flags <= CL_MAP_WRITE; flags++) {
        void *map = shared;
        if (_i == 0)
            map = clEnqueueMapBuffer(queue, in, CL_TRUE, flags, 0, 16, 0, NULL, NULL, &err);
        else if (_i == 1)
            err = clEnqueueSVMMap(queue, CL_TRUE, flags, shared, 16, 0, NULL, NULL);
        else
            map = clEnqueueMapImage(queue, in, CL_TRUE, flags, origin, region, &pitch, NULL, 0, NULL, NULL,
                                    &err);
        cl_ok(err);
        memset(map, 1, 16);
        cl_ok(_i == 1 ? clEnqueueSVMUnmap(queue, map, 0, NULL, NULL)
                      : clEnqueueUnmapMemObject(queue, in, map, 0, NULL, NULL));
        if (_i == 1)
            cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
        else
            set_arg(kernel, 0, in);
        run(kernel, 1, 4, 1, 1);
        if (flags == CL_MAP_READ)
            expect_finding("uninitialised-store", hint);
        else
            expect_finding(NULL, NULL);
    }
    clSVMFree(context, shared);
    cl_ok(clReleaseMemObject(in));
    cl_ok(clReleaseMemObject(p));
    cl_ok(clReleaseKernel(kernel));
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
    Suite *suite = suite_create("findings about images");
    TCase *tests = tcase_create("images in kernels");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, undefined_image_access_is_found, 0, 12);
    tcase_add_test(tests, mapped_images_are_found);
    suite_add_tcase(suite, tests);
    TCase *tracked = tcase_create("with the uninitialised check");
    tcase_add_checked_fixture(tracked, track_uninitialised, cl_tear_down);
    tcase_add_test(tracked, unwritten_texels_are_found);
    tcase_add_loop_test(tracked, stores_through_a_map_for_reading_do_not_count, 0, 3);
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
