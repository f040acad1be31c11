/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that recorded commands have in common with those that are enqueued: rows of lib/api_rows.def. */
#include "tests/support/recorder_fixture.h"
#include "tests/support/refusal_fixture.h"

static cl_command_buffer_khr recorder;
static cl_mem image;

/* Four texels of a buffer. */
static cl_mem inside_of(cl_mem memory)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .buffer = memory};
    return refusal_image(context, 0, &rgba, &desc);
}

static void set_up(void)
{
    refusal_set_up();
    recorder = recorder_new(queue, NULL);
    image = refusal_flat(context, 0);
}

static void tear_down(void)
{
    recorder_free(recorder);
    cl_ok(clReleaseMemObject(image));
    refusal_tear_down();
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

START_TEST(copies_of_buffers)
{
    const cl_buffer_region low = {0, 256}, high = {128, 256};
    cl_mem a = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, NULL);
    cl_mem b = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, NULL);
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, two[3] = {2, 1, 0}, region[3] = {4, 4, 2},
                 flat[3] = {4, 0, 1};
    const size_t far[3] = {1000, 100, 9}, middle[3] = {64, 0, 0};
    cl_mem second = cl_buffer(context, 0, 1024, NULL), none = (cl_mem)queue;
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, none, second, 0, 0, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, none, 0, 0, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, 1024, 0, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, 0, 1024, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, buffer, buffer, 0, 2, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, a, b, 128, 0, 4, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, buffer, buffer, 4, 0, 8,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, (cl_mem)queue, second,
                  zero, zero, region, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, (cl_mem)queue,
                  zero, zero, region, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, NULL, zero,
                  region, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, far, zero,
                  region, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, far,
                  region, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  flat, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 3, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 4, 12, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 4, 18, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 0, 0, 3, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 0, 0, 4, 12, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, second, zero, zero,
                  region, 0, 0, 4, 18, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, buffer, zero, middle,
                  region, 8, 32, 16, 64, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, buffer, zero, middle,
                  region, 8, 32, 8, 64, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, buffer, buffer, zero, one,
                  region, 16, 64, 16, 64, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, a, b, middle, zero,
                  (const size_t[3]){128, 1, 1}, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, buffer, buffer, zero, two,
                  region, 16, 64, 16, 64, NO_POINTS);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(second));
}
END_TEST

START_TEST(fills_of_buffers)
{
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, (cl_mem)queue, host, 4, 0, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 4, 1024, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, NULL, 4, 0, 4, NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 0, 0, 4, NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 3, 0, 3, NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 256, 0, 256,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 4, 2, 4, NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 4, 0, 6, NO_POINTS);
}
END_TEST

/* ---- images ---------------------------------------------------------------------------------- */

START_TEST(copies_of_images)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, part[3] = {2, 2, 1},
                 deep[3] = {2, 2, 2};
    const cl_image_format red = {CL_R, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem second = refusal_flat(context, 0), other_kind = refusal_image(context, 0, &red, &desc);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, second, zero, zero,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, image, buffer, zero, zero,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_IMAGE_FORMAT_MISMATCH, recorder, NULL, image, other_kind, zero,
                  zero, region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, NULL, zero, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, zero, NULL, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, zero, zero, NULL,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, one, zero, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, zero, one, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, second, zero, zero, deep,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, image, image, zero, one, part,
                  NO_POINTS);
    cl_ok(clReleaseMemObject(second));
    cl_ok(clReleaseMemObject(other_kind));
}
END_TEST

START_TEST(fills_of_images)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, deep[3] = {4, 4, 2};
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, host, zero, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, NULL, zero, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, host, NULL, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, host, zero, NULL,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, host, one, region,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, host, zero, deep,
                  NO_POINTS);
}
END_TEST

START_TEST(images_and_buffers)
{
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 0, 0}, region[3] = {4, 4, 1}, deep[3] = {4, 4, 2},
                 row[3] = {4, 1, 1};
    cl_mem inside = inside_of(buffer);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, buffer, zero,
                  region, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, image, image, zero,
                  region, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, inside, buffer, zero,
                  row, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, NULL,
                  region, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, zero, NULL,
                  0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, one, region,
                  0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, zero,
                  region, 1000, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, zero, deep,
                  0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, image, image, 0, zero,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, buffer, 0,
                  zero, region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_MEM_OBJECT, recorder, NULL, buffer, inside, 0,
                  zero, row, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 0, NULL,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 0, zero,
                  NULL, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 1000, zero,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 0, one,
                  region, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 0, zero,
                  deep, NO_POINTS);
    cl_ok(clReleaseMemObject(inside));
}
END_TEST

/* ---- shared memory --------------------------------------------------------------------------- */

START_TEST(shared_memory)
{
    char *shared = clSVMAlloc(context, 0, 256, 0);
    ck_assert_ptr_nonnull(shared);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, recorder, NULL, NULL, shared, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, recorder, NULL, shared, NULL, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_MEM_COPY_OVERLAP, recorder, NULL, shared, shared + 2, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, NULL, host, 4, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared + 2, host, 4, 4,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared, NULL, 4, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared, host, 0, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared, host, 3, 3, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared, host, 256, 256,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, shared, host, 4, 6, NO_POINTS);
    clSVMFree(context, shared);
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

static const char *plain = "kernel void k(global int *p) { *p = 1; }";
static const char *sized =
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(global int *p) { *p = 1; }";

START_TEST(kernels)
{
    const size_t eight = 8, four = 4, three = 3, none = 0, many = 1 << 20, most = (size_t)-1;
    cl_kernel kernel = cl_kernel_of(context, plain, "-cl-std=CL1.2"),
              wants = cl_kernel_of(context, sized, "");
    cl_kernel two = restricted_kernel();
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_KERNEL_ARGS, recorder, NULL, NULL, kernel, 1, NULL,
                  &eight, NULL, NO_POINTS);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clSetKernelArg(wants, 0, sizeof buffer, &buffer));
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_KERNEL, recorder, NULL, NULL, (cl_kernel)queue, 1,
                  NULL, &eight, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_DIMENSION, recorder, NULL, NULL, kernel, 4, NULL,
                  &eight, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_GLOBAL_OFFSET, recorder, NULL, NULL, kernel, 1, &most,
                  &eight, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, recorder, NULL, NULL, kernel, 1,
                  NULL, &eight, &three, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, recorder, NULL, NULL, kernel, 1,
                  NULL, &eight, &none, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, recorder, NULL, NULL, kernel, 3,
                  NULL, (const size_t[3]){64, 64, 64}, (const size_t[3]){64, 64, 64}, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, recorder, NULL, NULL, wants, 1, NULL,
                  &eight, &four, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_ITEM_SIZE, recorder, NULL, NULL, kernel, 1, NULL,
                  &many, &many, NO_POINTS);
    cl_mem small = cl_buffer(context, 0, 64, NULL);
    cl_ok(clSetKernelArg(two, 0, sizeof small, &small));
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_WORK_GROUP_SIZE, recorder, NULL, NULL, two, 1, NULL,
                  &four, &four, NO_POINTS);
    cl_ok(clReleaseMemObject(small));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(wants));
    cl_ok(clReleaseKernel(two));
}
END_TEST

/* ---- one of two devices can less ------------------------------------------------------------- */

static void two_devices(const char *scenario)
{
    refusal_pair(scenario);
    recorder = recorder_new(pair.queue[1], NULL);
}

static void without_svm(void)
{
    two_devices("devices: [{features: {svm_coarse: true}}, {features: {svm_coarse: false}}]");
}

static void without_system(void)
{
    two_devices("devices: [{features: {svm_system: true}}, {features: {svm_system: false}}]");
}

static void without_images(void)
{
    two_devices("devices: [{features: {images: true}}, {features: {images: false}}]");
}

static void of_2_0(void)
{
    two_devices("devices: [{version: \"2.0\"}, {version: \"2.0\"}]");
}

static void no_two_devices(void)
{
    recorder_free(recorder);
    refusal_unpair();
}

START_TEST(no_svm)
{
    const size_t one = 1;
    char *shared = clSVMAlloc(pair.context, 0, 64, 0);
    cl_kernel kernel = cl_kernel_of(pair.context, plain, "");
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, shared));
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_OPERATION, recorder, NULL, NULL, kernel, 1, NULL,
                  &one, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_OPERATION, recorder, NULL, shared, host, 4, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_OPERATION, recorder, NULL, shared, host, 4, 4,
                  NO_POINTS);
    cl_ok(clReleaseKernel(kernel));
    clSVMFree(pair.context, shared);
}
END_TEST

START_TEST(no_system)
{
    const size_t one = 1;
    cl_kernel kernel = cl_kernel_of(pair.context, plain, "");
    cl_ok(clSetKernelArgSVMPointer(kernel, 0, host));
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_OPERATION, recorder, NULL, NULL, kernel, 1, NULL,
                  &one, NULL, NO_POINTS);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(no_images)
{
    const size_t zero[3] = {0, 0, 0}, box[3] = {1, 1, 1};
    cl_mem picture = refusal_flat(pair.context, 0), another = refusal_flat(pair.context, 0),
           memory = cl_buffer(pair.context, 0, 64, NULL);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_OPERATION, recorder, NULL, picture, another, zero, zero,
                  box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_OPERATION, recorder, NULL, picture, memory, zero,
                  box, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_OPERATION, recorder, NULL, memory, picture, 0,
                  zero, box, NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_OPERATION, recorder, NULL, picture, host, zero, box,
                  NO_POINTS);
    cl_ok(clReleaseMemObject(picture));
    cl_ok(clReleaseMemObject(another));
    cl_ok(clReleaseMemObject(memory));
}
END_TEST

START_TEST(not_built_and_empty)
{
    const size_t one = 1, none = 0;
    cl_int err;
    cl_program program = cl_program_of(pair.context, "kernel void k(void) {}", NULL);
    cl_ok(clBuildProgram(program, 1, pair.device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err),
              ready = cl_kernel_of(pair.context, "kernel void k(void) {}", "");
    cl_ok(err);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_PROGRAM_EXECUTABLE, recorder, NULL, NULL, kernel, 1,
                  NULL, &one, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_GLOBAL_WORK_SIZE, recorder, NULL, NULL, ready, 1,
                  NULL, NULL, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_GLOBAL_WORK_SIZE, recorder, NULL, NULL, ready, 1,
                  NULL, &none, NULL, NO_POINTS);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(ready));
    cl_ok(clReleaseProgram(program));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusals of recorded commands");
    TCase *usual = tcase_create("usual");
    tcase_add_checked_fixture(usual, set_up, tear_down);
    tcase_add_test(usual, copies_of_buffers);
    tcase_add_test(usual, fills_of_buffers);
    tcase_add_test(usual, copies_of_images);
    tcase_add_test(usual, fills_of_images);
    tcase_add_test(usual, images_and_buffers);
    tcase_add_test(usual, shared_memory);
    tcase_add_test(usual, kernels);
    suite_add_tcase(suite, usual);
    refusal_case(suite, "svm", without_svm, no_two_devices, no_svm);
    refusal_case(suite, "system", without_system, no_two_devices, no_system);
    refusal_case(suite, "images", without_images, no_two_devices, no_images);
    refusal_case(suite, "built", of_2_0, no_two_devices, not_built_and_empty);
    return cl_run_suite(suite);
}
