/* SPDX-License-Identifier: Apache-2.0 */
/* cl_khr_command_buffer: how command-buffers are made, recorded and replayed, with each query and error. */
#include "tests/support/extension_fixture.h"

static cl_command_type type_of(cl_event event)
{
    cl_command_type type = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    return type;
}

/* ---- cl_khr_command_buffer ------------------------------------------------------------------- */

static clCreateCommandBufferKHR_fn create_buffer;
static clRetainCommandBufferKHR_fn retain_buffer;
static clReleaseCommandBufferKHR_fn release_buffer;
static clFinalizeCommandBufferKHR_fn finalize;
static clEnqueueCommandBufferKHR_fn enqueue_buffer;
static clGetCommandBufferInfoKHR_fn buffer_info;
static clCommandBarrierWithWaitListKHR_fn record_barrier;
static clCommandCopyBufferKHR_fn record_copy;
static clCommandCopyBufferRectKHR_fn record_rect;
static clCommandCopyBufferToImageKHR_fn record_to_image;
static clCommandCopyImageKHR_fn record_image;
static clCommandCopyImageToBufferKHR_fn record_to_buffer;
static clCommandFillBufferKHR_fn record_fill;
static clCommandFillImageKHR_fn record_fill_image;
static clCommandNDRangeKernelKHR_fn record_kernel;

static void command_buffer_set_up(void)
{
    cl_set_up();
    ck_assert(has_extension("cl_khr_command_buffer"));
    create_buffer = NAMED(clCreateCommandBufferKHR);
    retain_buffer = NAMED(clRetainCommandBufferKHR);
    release_buffer = NAMED(clReleaseCommandBufferKHR);
    finalize = NAMED(clFinalizeCommandBufferKHR);
    enqueue_buffer = NAMED(clEnqueueCommandBufferKHR);
    buffer_info = NAMED(clGetCommandBufferInfoKHR);
    record_barrier = NAMED(clCommandBarrierWithWaitListKHR);
    record_copy = NAMED(clCommandCopyBufferKHR);
    record_rect = NAMED(clCommandCopyBufferRectKHR);
    record_to_image = NAMED(clCommandCopyBufferToImageKHR);
    record_image = NAMED(clCommandCopyImageKHR);
    record_to_buffer = NAMED(clCommandCopyImageToBufferKHR);
    record_fill = NAMED(clCommandFillBufferKHR);
    record_fill_image = NAMED(clCommandFillImageKHR);
    record_kernel = NAMED(clCommandNDRangeKernelKHR);
}

static cl_command_buffer_khr new_buffer(cl_command_queue to)
{
    cl_int err;
    cl_command_buffer_khr made = create_buffer(1, &to, NULL, &err);
    cl_ok(err);
    return made;
}

#define NO_POINTS 0, NULL, NULL, NULL
#define AFTER(point) 1, &point, NULL, NULL

START_TEST(command_buffers_are_created_and_queried)
{
    const cl_command_buffer_properties_khr simultaneous[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                             CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    const cl_command_buffer_properties_khr strange[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0},
                                           unknown[] = {0x1234, 1, 0};
    const cl_command_buffer_properties_khr twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 0,
                                                      CL_COMMAND_BUFFER_FLAGS_KHR, 0, 0};
    cl_command_buffer_properties_khr kept[3];
    cl_command_queue queues[2], of = NULL, none;
    cl_command_buffer_state_khr state = 9;
    cl_device_command_buffer_capabilities_khr able = 0;
    cl_command_queue_properties required = 1;
    cl_uint count = 0;
    size_t size = 0;
    cl_int err;
    command_buffer_set_up();
    queues[0] = queue, queues[1] = unordered, none = (cl_command_queue)context;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof able, &able, NULL));
    ck_assert_uint_eq(able, 15);
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, sizeof required,
                          &required, NULL));
    ck_assert_uint_eq(required, 0);
#define REFUSED(error, ...)                                   \
    do {                                                      \
        ck_assert_ptr_null(create_buffer(__VA_ARGS__, &err)); \
        cl_is(err, error);                                    \
    } while (0)
    REFUSED(CL_INVALID_VALUE, 0, queues, NULL);
    REFUSED(CL_INVALID_VALUE, 2, queues, NULL);
    REFUSED(CL_INVALID_VALUE, 1, NULL, NULL);
    REFUSED(CL_INVALID_COMMAND_QUEUE, 1, &none, NULL);
    REFUSED(CL_INVALID_VALUE, 1, queues, strange);
    REFUSED(CL_INVALID_VALUE, 1, queues, unknown);
    REFUSED(CL_INVALID_VALUE, 1, queues, twice);
    cl_command_buffer_khr made = create_buffer(1, queues, simultaneous, &err);
    cl_ok(err);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof kept, kept, &size));
    ck_assert(size == sizeof kept && memcmp(kept, simultaneous, size) == 0);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof of, &of, NULL));
    ck_assert_ptr_eq(of, queue);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 1);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    ck_assert_uint_eq(state, CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    cl_ok(finalize(made));
    cl_is(finalize(made), CL_INVALID_OPERATION);
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    ck_assert_uint_eq(state, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    cl_ok(retain_buffer(made));
    cl_ok(buffer_info(made, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 2);
    cl_is(buffer_info(made, 0x1234, sizeof count, &count, NULL), CL_INVALID_VALUE);
    cl_is(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, 1, &state, NULL), CL_INVALID_VALUE);
    cl_ok(release_buffer(made));
    cl_ok(release_buffer(made));
    cl_is(release_buffer(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(retain_buffer(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(finalize(made), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(buffer_info(made, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL),
          CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(enqueue_buffer(0, NULL, made, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_tear_down();
}
END_TEST

/* A counter that the buffer adds to, with the arguments it had when it was recorded and objects that
 * the program released: in the order of an in-order queue, of sync points, or of a barrier. */
START_TEST(a_command_buffer_is_replayed)
{
    const cl_uint one = 1, hundred = 100;
    const size_t items = 1;
    cl_uint result[2];
    cl_sync_point_khr filled, added;
    cl_event before, all, past;
    cl_command_queue to;
    command_buffer_set_up();
    to = _i ? unordered : queue;
    cl_kernel kernel =
        kernel_of("kernel void k(global uint *sum, global uint *step, uint by) { *sum += *step * by; }", "");
    cl_mem sum = cl_buffer(context, 0, 4, NULL), step = cl_buffer(context, 0, 4, NULL),
           out = cl_buffer(context, 0, 8, NULL);
    cl_ok(clEnqueueFillBuffer(to, sum, &one, 4, 0, 4, 0, NULL, NULL));
    cl_ok(clFinish(to));
    cl_ok(clSetKernelArg(kernel, 0, sizeof sum, &sum));
    cl_ok(clSetKernelArg(kernel, 1, sizeof step, &step));
    cl_ok(clSetKernelArg(kernel, 2, sizeof one, &one));
    cl_command_buffer_khr buffer = new_buffer(to);
    cl_ok(record_fill(buffer, NULL, step, &hundred, 4, 0, 4, 0, NULL, &filled, NULL));
    if (_i == 2)
        cl_ok(record_barrier(buffer, NULL, NO_POINTS));
    cl_ok(record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, _i == 1, _i == 1 ? &filled : NULL,
                        &added, NULL));
    if (_i == 2)
        cl_ok(record_barrier(buffer, NULL, AFTER(added)));
    cl_ok(record_copy(buffer, NULL, sum, out, 0, 4, 4, _i == 1, _i == 1 ? &added : NULL, NULL, NULL));
    cl_is(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    cl_ok(finalize(buffer));
    cl_is(record_barrier(buffer, NULL, NO_POINTS), CL_INVALID_OPERATION);
    cl_ok(clSetKernelArg(kernel, 2, sizeof hundred, &hundred));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseMemObject(step));
    cl_ok(clReleaseMemObject(sum));
    for (cl_uint n = 1; n <= 3; n++) {
        cl_event user = cl_user_event(context);
        before = cl_trace(to, 1, 1, &user);
        cl_ok(enqueue_buffer(n == 2, n == 2 ? &to : NULL, buffer, 1, &before, &all));
        ck_assert_uint_eq(type_of(all), CL_COMMAND_COMMAND_BUFFER_KHR);
        past = cl_trace(to, 2, 1, &all);
        cl_ok(clFlush(to));
        ck_assert_int_gt(cl_status(all), CL_COMPLETE);
        cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
        cl_ok(clWaitForEvents(1, &past));
        ck_assert_int_eq(cl_status(all), CL_COMPLETE);
        cl_ok(clEnqueueReadBuffer(to, out, CL_TRUE, 0, 8, result, 0, NULL, NULL));
        ck_assert_uint_eq(result[1], 1 + n * hundred);
        cl_ulong start = 0, end = 0, first = 0;
        cl_ok(clGetEventProfilingInfo(all, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        cl_ok(clGetEventProfilingInfo(all, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        cl_ok(clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof first, &first, NULL));
        ck_assert(first <= start && start + 5000 < end); /* the kernel alone takes that long */
        cl_ok(clReleaseEvent(user));
        cl_ok(clReleaseEvent(before));
        cl_ok(clReleaseEvent(all));
        cl_ok(clReleaseEvent(past));
    }
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(out));
    cl_tear_down();
}
END_TEST

/* Copies of every kind, each after the one before. */
START_TEST(a_command_buffer_copies_images)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t origin[3] = {0, 0, 0}, region[3] = {4, 4, 1}, row[3] = {64, 4, 1}, shifted[3] = {0, 0, 0};
    const cl_uint colour[4] = {1, 2, 3, 4};
    cl_uint result[64];
    cl_int err;
    command_buffer_set_up();
    cl_mem a = clCreateImage(context, 0, &format, &plane, NULL, &err),
           b = clCreateImage(context, 0, &format, &plane, NULL, &err);
    cl_mem x = cl_buffer(context, 0, 256, NULL), y = cl_buffer(context, 0, 256, NULL);
    cl_command_buffer_khr buffer = new_buffer(queue);
    cl_ok(record_fill_image(buffer, NULL, a, colour, origin, region, NO_POINTS));
    cl_ok(record_to_buffer(buffer, NULL, a, x, origin, region, 0, NO_POINTS));
    cl_ok(record_rect(buffer, NULL, x, y, origin, shifted, row, 64, 0, 64, 0, NO_POINTS));
    cl_ok(record_to_image(buffer, NULL, y, b, 0, origin, region, NO_POINTS));
    cl_ok(record_image(buffer, NULL, b, a, origin, origin, region, NO_POINTS));
    cl_ok(finalize(buffer));
    cl_ok(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL));
    cl_ok(clEnqueueReadImage(queue, a, CL_TRUE, origin, region, 0, 0, result, 0, NULL, NULL));
    for (cl_uint i = 0; i < 64; i++)
        ck_assert_uint_eq(result[i], 1 + i % 4);
    cl_ok(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, 256, result, 0, NULL, NULL));
    ck_assert_uint_eq(result[62], 3);
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(y));
    cl_tear_down();
}
END_TEST

START_TEST(recording_and_enqueuing_have_the_errors_of_their_text)
{
    const cl_uint one = 1;
    const size_t items = 1;
    const cl_ndrange_kernel_command_properties_khr properties[] = {0x1234, 1, 0};
    cl_sync_point_khr point = 0, strange = 77;
    cl_mutable_command_khr handle;
    cl_event user, bad;
    command_buffer_set_up();
    cl_command_buffer_khr buffer = new_buffer(queue);
    cl_mem x = cl_buffer(context, 0, 16, NULL), other = cl_buffer(other_context, 0, 16, NULL);
    cl_kernel kernel = kernel_of("kernel void k(global uint *o) { *o = 1; }", "");
    cl_is(record_barrier((cl_command_buffer_khr)queue, NULL, NO_POINTS), CL_INVALID_COMMAND_BUFFER_KHR);
    cl_is(record_barrier(buffer, queue, NO_POINTS), CL_INVALID_COMMAND_QUEUE);
    cl_is(record_barrier(buffer, NULL, 0, NULL, NULL, &handle), CL_INVALID_VALUE);
    cl_is(record_barrier(buffer, NULL, 1, NULL, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, 0, &strange, NULL, NULL), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, AFTER(strange)), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_barrier(buffer, NULL, AFTER(point)), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    cl_is(record_fill(buffer, NULL, other, &one, 4, 0, 16, NO_POINTS), CL_INVALID_CONTEXT);
    cl_is(record_fill(buffer, NULL, (cl_mem)queue, &one, 4, 0, 16, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_fill(buffer, NULL, x, NULL, 4, 0, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill(buffer, NULL, x, &one, 3, 0, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill(buffer, NULL, x, &one, 4, 16, 16, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_copy(buffer, NULL, x, x, 0, 2, 8, NO_POINTS), CL_MEM_COPY_OVERLAP);
    cl_is(record_rect(buffer, NULL, x, x, NULL, NULL, NULL, 0, 0, 0, 0, NO_POINTS), CL_INVALID_VALUE);
    cl_is(record_fill_image(buffer, NULL, x, &one, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_image(buffer, NULL, x, x, NULL, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_to_image(buffer, NULL, x, x, 0, NULL, NULL, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_to_buffer(buffer, NULL, x, x, NULL, NULL, 0, NO_POINTS), CL_INVALID_MEM_OBJECT);
    cl_is(record_kernel(buffer, NULL, NULL, kernel, 1, NULL, &items, NULL, NO_POINTS),
          CL_INVALID_KERNEL_ARGS);
    cl_ok(clSetKernelArg(kernel, 0, sizeof x, &x));
    cl_is(record_kernel(buffer, NULL, properties, kernel, 1, NULL, &items, NULL, NO_POINTS),
          CL_INVALID_VALUE);
    cl_is(record_kernel(buffer, NULL, NULL, kernel, 4, NULL, &items, NULL, NO_POINTS),
          CL_INVALID_WORK_DIMENSION);
    cl_is(record_kernel(buffer, NULL, NULL, (cl_kernel)queue, 1, NULL, &items, NULL, NO_POINTS),
          CL_INVALID_KERNEL);
    cl_ok(finalize(buffer));

    user = cl_user_event(other_context), bad = (cl_event)queue;
    cl_is(enqueue_buffer(1, NULL, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(0, &queue, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(2, &queue, buffer, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_is(enqueue_buffer(1, (cl_command_queue *)&context, buffer, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    cl_is(enqueue_buffer(1, &other_queue, buffer, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, &bad, NULL), CL_INVALID_EVENT_WAIT_LIST);
    cl_is(enqueue_buffer(0, NULL, buffer, 1, &user, NULL), CL_INVALID_CONTEXT);
    cl_ok(enqueue_buffer(0, NULL, buffer, 0, NULL, NULL)); /* an empty one */
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(release_buffer(buffer));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(other));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recording");
    TCase *tests = tcase_create("host");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, command_buffers_are_created_and_queried);
    tcase_add_loop_test(tests, a_command_buffer_is_replayed, 0, 3);
    tcase_add_test(tests, a_command_buffer_copies_images);
    tcase_add_test(tests, recording_and_enqueuing_have_the_errors_of_their_text);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
