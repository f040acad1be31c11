/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the host that is unmapped (munmap) before the command that uses it runs: for each command that
 * takes a pointer, and for each use of a buffer made with CL_MEM_USE_HOST_PTR. There is one finding, and the
 * program continues; there is none if the memory stays.
 */
#include "tests/support/finding_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 16 };
static const char source[] = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }";
static char *memory;
static cl_mem buffer, image, hosted;
static cl_event gate;

static void in_read(void)
{
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 1, &gate, NULL));
}
static void in_write(void)
{
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, memory, 1, &gate, NULL));
}
static const size_t zero[3] = {0, 0, 0}, box[3] = {64, 64, 4}, texels[3] = {64, 64, 1};
static void in_read_rect(void)
{
    cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, zero, zero, box, 128, 0, 128, 0, memory, 1, &gate,
                                  NULL));
}
static void in_write_rect(void)
{
    cl_ok(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, zero, zero, box, 128, 0, 128, 0, memory, 1, &gate,
                                   NULL));
}
static void in_read_image(void)
{
    cl_ok(clEnqueueReadImage(queue, image, CL_FALSE, zero, texels, 0, 0, memory, 1, &gate, NULL));
}
static void in_write_image(void)
{
    cl_ok(clEnqueueWriteImage(queue, image, CL_FALSE, zero, texels, 0, 0, memory, 1, &gate, NULL));
}
static void in_map(void)
{
    cl_int err;
    clEnqueueMapBuffer(queue, hosted, CL_FALSE, CL_MAP_READ, 0, BYTES, 1, &gate, NULL, &err);
    cl_ok(err);
}
static void in_unmap(void)
{
    cl_int err;
    void *at = clEnqueueMapBuffer(queue, hosted, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, hosted, at, 1, &gate, NULL));
}
static void in_fill(void)
{
    cl_ok(clEnqueueFillBuffer(queue, hosted, "x", 1, 0, BYTES, 1, &gate, NULL));
}
static void in_copy(void)
{
    cl_ok(clEnqueueCopyBuffer(queue, hosted, buffer, 0, 0, BYTES, 1, &gate, NULL));
}
static void in_kernel(void)
{
    const size_t items = 4;
    cl_kernel kernel = cl_kernel_of(context, source, "");
    cl_ok(clSetKernelArg(kernel, 0, sizeof hosted, &hosted));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 1, &gate, NULL));
}

static const struct {
    const char *call;
    void (*enqueue)(void);
    bool of_hosted;
} uses[] = {
    {"clEnqueueReadBuffer", in_read, false},
    {"clEnqueueWriteBuffer", in_write, false},
    {"clEnqueueReadBufferRect", in_read_rect, false},
    {"clEnqueueWriteBufferRect", in_write_rect, false},
    {"clEnqueueReadImage", in_read_image, false},
    {"clEnqueueWriteImage", in_write_image, false},
    {"clEnqueueMapBuffer", in_map, true},
    {"clEnqueueUnmapMemObject", in_unmap, true},
    {"clEnqueueFillBuffer", in_fill, true},
    {"clEnqueueCopyBuffer", in_copy, true},
    {"clEnqueueNDRangeKernel", in_kernel, true},
};
enum { USES = sizeof uses / sizeof *uses, FIRST_OF_HOSTED = 6 };

static void set_up(bool of_hosted)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
    cl_int err;
    finding_set_up();
    /* far from where the system places new mappings, so that none takes its place once it is gone */
    memory = mmap((void *)0x500000000000, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(memory != MAP_FAILED);
    buffer = cl_buffer(context, 0, BYTES, NULL);
    if (of_hosted)
        hosted = cl_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, memory);
    image = clCreateImage(context, 0, &format, &desc, NULL, &err);
    cl_ok(err);
    gate = cl_user_event(context);
}

static void run(int use)
{
    set_up(uses[use].of_hosted);
    cl_ok(clEnqueueFillBuffer(queue, buffer, "x", 1, 0, BYTES, 0, NULL, NULL));
    uses[use].enqueue();
}

static void continue_run(void)
{
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
}

START_TEST(unmapped_memory_is_found)
{
    run(_i);
    munmap(memory, BYTES);
    continue_run();
    ck_assert_uint_ge(findings_of("use-after-free"), 1);
    const struct orrery_finding finding = finding_last("use-after-free");
    const char *const sort = strstr(uses[_i].call, "Image") ? "image" : "buffer";
    ck_assert_msg(strstr(finding.object, sort) != NULL, "%s", finding.object);
    ck_assert_ptr_nonnull(strstr(finding.why, uses[_i].call));
    ck_assert_ptr_nonnull(strstr(finding.why, "host"));
}
END_TEST

/* Whether the command has run is the executor's affair: the host has not learned that it has. */
START_TEST(memory_unmapped_before_the_wait_is_found_at_the_next_call)
{
    setenv("ORRERY_CHECK_RACES", "error", 1); /* then it is known what the host waited for */
    set_up(true);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    uses[_i / 2].enqueue();
    cl_ok(clFlush(queue));
    if (_i % 4 < 2)
        usleep(20000); /* it has run, most likely */
    munmap(memory, BYTES);
    if (_i & 1)
        cl_ok(clReleaseMemObject(hosted));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("use-after-free"), 1);
    const struct orrery_finding finding = finding_last("use-after-free");
    ck_assert_ptr_nonnull(strstr(finding.why, uses[_i / 2].call));
}
END_TEST

static void CL_CALLBACK give_back(cl_mem memobj, void *data)
{
    (void)memobj, (void)data;
    munmap(memory, BYTES);
}

/* 5.5.2: the callback says that the memory may be freed, also to a host that waited for nothing. */
START_TEST(memory_that_the_destructor_frees_is_no_finding)
{
    setenv("ORRERY_CHECK_RACES", "error", 1); /* then it is known what the host waited for */
    set_up(true);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clSetMemObjectDestructorCallback(hosted, give_back, NULL));
    in_fill();
    cl_ok(clFlush(queue));
    cl_ok(clReleaseMemObject(hosted));
    cl_ok(clEnqueueFillBuffer(queue, buffer, "x", 1, 0, BYTES, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
}
END_TEST

START_TEST(memory_unmapped_after_the_wait_is_no_finding)
{
    run(_i);
    continue_run();
    munmap(memory, BYTES);
    cl_ok(clReleaseMemObject(uses[_i].of_hosted ? hosted : buffer));
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
}
END_TEST

START_TEST(a_hole_of_one_page_is_found)
{
    run(_i);
    munmap(memory + BYTES / 8, 4096);
    continue_run();
    ck_assert_uint_ge(findings_of("use-after-free"), 1);
}
END_TEST

/* As an array of half the elements: nothing was freed. */
START_TEST(memory_that_is_too_short_is_found_and_said)
{
    char text[80];
    set_up(false);
    munmap(memory + BYTES / 2, BYTES / 2);
    cl_ok(clEnqueueFillBuffer(queue, buffer, "x", 1, 0, BYTES, 0, NULL, NULL));
    if (_i)
        cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES - 8, memory + 8, 0, NULL, NULL));
    else
        cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES - 8, memory + 8, 0, NULL, NULL));
    snprintf(text, sizeof text, "those from byte %d on are not mapped: the memory is shorter", BYTES / 2 - 8);
    const struct orrery_finding finding = finding_last("use-after-free");
    ck_assert_msg(strstr(finding.why, text) != NULL, "%s", finding.why);
    ck_assert_ptr_nonnull(strstr(finding.fix, "no more bytes than the memory has"));
}
END_TEST

START_TEST(memory_that_stays_is_no_finding)
{
    run(_i);
    continue_run();
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
    munmap(memory, BYTES);
}
END_TEST

/* Each way to make a memory object with host_ptr: refused, with the reason, where a page is not mapped. */
START_TEST(creation_with_unmapped_memory_is_refused)
{
    const cl_mem_flags flags[] = {CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                  CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
                                  CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY};
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 128, .image_height = 128};
    cl_int err = 1;
    set_up(false);
    munmap(memory + (_i & 1 ? BYTES - 4096 : 0), 4096);
    ck_assert_ptr_null(clCreateBuffer(context, flags[_i / 2], BYTES, memory, &err));
    cl_is(err, CL_INVALID_HOST_PTR);
    ck_assert_ptr_null(clCreateBufferWithProperties(context, NULL, flags[_i / 2], BYTES, memory, &err));
    cl_is(err, CL_INVALID_HOST_PTR);
    ck_assert_ptr_null(clCreateImage(context, flags[_i / 2], &format, &desc, memory, &err));
    cl_is(err, CL_INVALID_HOST_PTR);
    munmap(memory, BYTES);
}
END_TEST

/* ---- memory on the stack of a function that has returned ---- */

static __attribute__((noinline)) void read_to_a_stack(int how)
{
    char own[BYTES / 16];
    const size_t region[3] = {16, 4, 1};
    memset(own, 1, sizeof own);
    if (how == 0)
        cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof own, own, 1, &gate, NULL));
    else if (how == 1)
        cl_ok(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, zero, zero, region, 0, 0, 0, 0, own, 1, &gate,
                                      NULL));
    else
        cl_ok(clEnqueueReadImage(queue, image, CL_FALSE, zero, region, 0, 0, own, 1, &gate, NULL));
}

START_TEST(a_read_to_the_stack_of_a_function_that_has_returned_is_found)
{
    static const char *const objects[] = {"buffer ", "buffer ", "image "};
    set_up(false);
    read_to_a_stack(_i);
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    const struct orrery_finding finding = finding_last("use-after-free");
    ck_assert_uint_eq(findings_of("use-after-free"), 1);
    ck_assert_ptr_nonnull(strstr(finding.why, "were on the stack of a function that has returned"));
    ck_assert_int_eq(strncmp(finding.object, objects[_i], strlen(objects[_i])), 0);
}
END_TEST

START_TEST(a_read_to_the_stack_of_the_caller_is_no_finding)
{
    char own[BYTES];
    set_up(false);
    memset(own, 1, sizeof own);
    cl_ok(clEnqueueFillBuffer(queue, buffer, "x", 1, 0, BYTES, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, own, 1, &gate, NULL));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    ck_assert_int_eq(own[BYTES - 1], 'x');
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
}
END_TEST

/* The function of orrery.h runs the command, and is no call of OpenCL. */
START_TEST(a_read_to_the_stack_of_the_caller_is_no_finding_if_orrery_time_runs_it)
{
    char own[BYTES];
    orrery_time_fn *now;
    set_up(false);
    void *const function = clGetExtensionFunctionAddressForPlatform(platform, "orrery_time");
    memcpy(&now, &function, sizeof function);
    memset(own, 1, sizeof own);
    cl_ok(clEnqueueFillBuffer(queue, buffer, "x", 1, 0, BYTES, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, BYTES, own, 0, NULL, NULL));
    cl_ok(clFlush(queue));
    now();
    ck_assert_int_eq(own[BYTES - 1], 'x');
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
}
END_TEST

/* A table of constants is such memory: commands that only read the buffer store nothing there. */
START_TEST(read_only_memory_can_back_a_buffer)
{
    const cl_map_flags flags[] = {CL_MAP_READ, CL_MAP_WRITE};
    cl_int err = 1;
    set_up(false);
    memset(memory, 'm', BYTES);
    ck_assert_int_eq(mprotect(memory, BYTES, PROT_READ), 0);
    hosted = cl_buffer(context, CL_MEM_USE_HOST_PTR, BYTES, memory);
    cl_ok(clEnqueueCopyBuffer(queue, hosted, buffer, 0, 0, BYTES, 0, NULL, NULL));
    const char *at = clEnqueueMapBuffer(queue, hosted, CL_TRUE, flags[_i], 0, BYTES, 0, NULL, NULL, &err);
    cl_ok(err);
    ck_assert(at == memory && at[0] == 'm' && at[BYTES - 1] == 'm');
    cl_ok(clEnqueueUnmapMemObject(queue, hosted, (void *)(uintptr_t)at, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(hosted));
    ck_assert_uint_eq(findings_of("use-after-free"), 0);
    munmap(memory, BYTES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("host_unmapped");
    TCase *tcase = tcase_create("gone");
    tcase_add_loop_test(tcase, unmapped_memory_is_found, 0, USES);
    tcase_add_loop_test(tcase, memory_unmapped_before_the_wait_is_found_at_the_next_call, 2 * FIRST_OF_HOSTED,
                        2 * USES);
    tcase_add_test(tcase, memory_that_the_destructor_frees_is_no_finding);
    tcase_add_loop_test(tcase, memory_unmapped_after_the_wait_is_no_finding, 0, USES);
    tcase_add_loop_test(tcase, a_hole_of_one_page_is_found, 0, USES);
    tcase_add_loop_test(tcase, memory_that_is_too_short_is_found_and_said, 0, 2);
    tcase_add_loop_test(tcase, memory_that_stays_is_no_finding, 0, USES);
    tcase_add_loop_test(tcase, creation_with_unmapped_memory_is_refused, 0, 8);
    tcase_add_loop_test(tcase, read_only_memory_can_back_a_buffer, 0, 2);
    tcase_add_loop_test(tcase, a_read_to_the_stack_of_a_function_that_has_returned_is_found, 0, 3);
    tcase_add_test(tcase, a_read_to_the_stack_of_the_caller_is_no_finding);
    tcase_add_test(tcase, a_read_to_the_stack_of_the_caller_is_no_finding_if_orrery_time_runs_it);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
