/* SPDX-License-Identifier: Apache-2.0 */
/* Images in kernels: every format, addressing and filter against a plain reading of the specification. */
#include <math.h>

#include "image_fixture.h"

static void run(cl_kernel kernel, cl_uint dimensions, size_t x, size_t y, size_t z)
{
    const size_t global[3] = {x, y, z};
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL));
}

static void set_arg(cl_kernel kernel, cl_uint index, cl_mem object)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof object, &object));
}

/* ---- a picture copied by a kernel ------------------------------------------------------------ */

START_TEST(a_kernel_copies_a_picture)
{
    uint8_t in[16 * 8 * 4], out[sizeof in];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    cl_program program = build_program(
        "kernel void copy(read_only image2d_t in, write_only image2d_t out) {\n"
        "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "  int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
        "  write_imagef(out, c, read_imagef(in, s, c)); }\n",
        "");
    cl_kernel kernel = new_kernel(program, "copy");
    cl_mem from = new_2d(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &rgba8, 16, 8, in),
           to = new_2d(CL_MEM_WRITE_ONLY, &rgba8, 16, 8, NULL);
    set_arg(kernel, 0, from);
    set_arg(kernel, 1, to);
    run(kernel, 2, 16, 8, 1);
    cl_ok(clEnqueueReadImage(queue, to, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){16, 8, 1}, 0, 0, out, 0,
                             NULL, NULL));
    ck_assert_mem_eq(out, in, sizeof in);
    cl_ok(clReleaseMemObject(from));
    cl_ok(clReleaseMemObject(to));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("images in kernels");
    TCase *tests = tcase_create("images in kernels");
    tcase_add_checked_fixture(tests, cl_set_up, cl_tear_down);
    tcase_add_test(tests, a_kernel_copies_a_picture);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void)
{
    return cl_run_suite(suite());
}
