/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds, launches with races and images in threads and coroutines of the program whose stack is small: they
 * end as with a large one.
 */
#include "tests/support/cl_fixture.h"

#include <pthread.h>
#include <ucontext.h>

enum { ITEMS = 64 };

static const char source[] =
    "#include \"value.h\"\n"
    "kernel void k(global int *o, read_only image2d_t i) {\n"
    "    int all[64];\n"
    "    for (int n = 0; n < 64; n++) all[n] = n * VALUE;\n"
    "    o[get_global_id(0)] = all[get_global_id(0)] + read_imagei(i, (int2)(0, 0)).x;\n"
    "    o[64] = 1;\n" /* a race: its report takes a large part of the stack */
    "    printf(\"%d\\n\", o[0]);\n"
    "}\n";

static cl_program build(void)
{
    const char *names[] = {"value.h"}, *text = source, *header = "#define VALUE 3\n";
    cl_int err;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err),
               headers = clCreateProgramWithSource(context, 1, &header, NULL, &err);
    cl_ok(clCompileProgram(program, 0, NULL, "", 1, &headers, names, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseProgram(headers));
    return linked;
}

static void work(void)
{
    const cl_image_format format = {CL_RGBA, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t items = ITEMS, origin[3] = {0}, region[3] = {4, 4, 1};
    const cl_int colour[4] = {7, 7, 7, 7};
    cl_int out[ITEMS + 1], err;
    cl_program program = build();
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(kernel, 1, sizeof image, &image));
    cl_ok(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        ck_assert_int_eq(out[i], 3 * i + 7);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(image));
}

static void *thread_work(void *unused)
{
    (void)unused;
    work();
    return NULL;
}

static const size_t stack_bytes[] = {48 << 10, 64 << 10, 128 << 10, 256 << 10, 600 << 10, 4 << 20};

START_TEST(thread_with_small_stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, stack_bytes[_i]), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, thread_work, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}
END_TEST

START_TEST(coroutine_with_small_stack)
{
    ucontext_t inside, outside;
    void *stack = malloc(stack_bytes[_i]);
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = stack_bytes[_i];
    inside.uc_link = &outside;
    makecontext(&inside, work, 0);
    swapcontext(&outside, &inside);
    free(stack);
}
END_TEST

static void set_up(void)
{
    setenv("ORRERY_DATA_RACES", "warning", 1);
    setenv("ORRERY_QUIET", "1", 0);
    cl_set_up();
}

static Suite *small_stack_suite(void)
{
    enum { SIZES = sizeof stack_bytes / sizeof *stack_bytes };
    Suite *suite = suite_create("small_stack");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, set_up, cl_tear_down);
    tcase_set_timeout(stacks, 30);
    tcase_add_loop_test(stacks, thread_with_small_stack, 0, SIZES);
    tcase_add_loop_test(stacks, coroutine_with_small_stack, 0, SIZES);
    suite_add_tcase(suite, stacks);
    return suite;
}

int main(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return 77; /* their own frames are larger than the small stacks */
#endif
    return cl_run_suite(small_stack_suite());
}
