/* SPDX-License-Identifier: Apache-2.0 */
/* Undefined uses of objects that no call can refuse. Each test has the valid program as well. */
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/usage_fixture.h"

/* ---- wait lists ------------------------------------------------------------------------------ */

START_TEST(an_event_goes_into_its_own_wait_list)
{
    cl_event events[3];
    for (int i = 0; i < 3; i++)
        cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &events[i]));
    cl_ok(clEnqueueMarkerWithWaitList(queue, 2, events, &events[2])); /* beside the list */
    ck_assert_uint_eq(findings_of("event-in-own-wait-list"), 0);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 2, events, &events[_i]));
    ck_assert_uint_eq(findings_of("event-in-own-wait-list"), 1);
    ck_assert_ptr_nonnull(strchr(finding_last("event-in-own-wait-list").object, '0' + _i));
}
END_TEST

/* How the queue of the event gets its flush, or does not; in all but one, a command of `unordered` waits. */
enum flushing { NEVER, BEFORE, WAITED_BEFORE, SAME_QUEUE, AFTER, RELEASED_AFTER, WAITED_AFTER, TOO_LATE };

START_TEST(a_queue_is_not_flushed_that_another_waits_for)
{
    static const cl_uint expected[] = {[NEVER] = 1, [TOO_LATE] = 1, [WAITED_AFTER] = 0};
    const enum flushing flushing = (enum flushing)_i;
    cl_command_queue first = cl_new_queue(context, 0);
    cl_event event, second;
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_ok(clEnqueueFillBuffer(first, buffer, &one, 4, 0, 16, 0, NULL, &event));
    if (flushing == BEFORE)
        cl_ok(clFlush(first));
    if (flushing == WAITED_BEFORE)
        cl_ok(clWaitForEvents(1, &event));
    cl_ok(clEnqueueFillBuffer(flushing == SAME_QUEUE ? first : unordered, buffer, &one, 4, 0, 16, 1, &event,
                              &second));
    if (flushing == AFTER)
        cl_ok(clFlush(first));
    if (flushing == RELEASED_AFTER)
        cl_ok(clReleaseCommandQueue(first));
    if (flushing == WAITED_AFTER)
        cl_ok(clWaitForEvents(1, &event));
    cl_ok(clFlush(unordered));
    ck_assert_uint_eq(findings_of("queue-not-flushed"), 0); /* the program may still flush it */
    if (flushing == TOO_LATE) {
        cl_ok(clWaitForEvents(1, &second));
        cl_ok(clFlush(first));
    }
    cl_ok(clFinish(unordered));
    ck_assert_uint_eq(findings_of("queue-not-flushed"), expected[flushing]);
    if (expected[flushing])
        ck_assert_str_eq(finding_last("queue-not-flushed").access[0].what, "clEnqueueFillBuffer");
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(second));
    cl_ok(clReleaseMemObject(buffer));
    if (flushing != RELEASED_AFTER)
        cl_ok(clReleaseCommandQueue(first));
}
END_TEST

/* Each of two queues waits for the other one: no flush can come before all commands that wait. */
START_TEST(queues_that_wait_for_each_other_are_flushed_afterwards)
{
    cl_event events[3];
    cl_command_queue first = cl_new_queue(context, 0);
    cl_ok(clEnqueueMarkerWithWaitList(first, 0, NULL, &events[0]));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &events[0], &events[1]));
    cl_ok(clEnqueueMarkerWithWaitList(first, 1, &events[1], &events[2]));
    cl_ok(clFlush(first));
    cl_ok(clFlush(unordered));
    cl_ok(clWaitForEvents(3, events));
    cl_ok(clFinish(first));
    ck_assert_uint_eq(findings_of("queue-not-flushed"), 0);
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseEvent(events[i]));
    cl_ok(clReleaseCommandQueue(first));
}
END_TEST

/* ---- references ------------------------------------------------------------------------------ */

START_TEST(a_released_object_is_used)
{
    cl_uint out;
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    fill(buffer);
    cl_ok(clReleaseMemObject(buffer));
    ck_assert_uint_eq(finding_count(), 0);
    cl_is(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &out, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    struct orrery_finding finding = finding_last("use-after-release");
    ck_assert_str_eq(finding.object, "memory object 1");
    ck_assert_str_eq(finding.access[0].what, "clEnqueueReadBuffer");
    ck_assert_str_eq(finding.access[1].what, "clReleaseMemObject: its last reference goes here");
    ck_assert_uint_eq(findings_of("api-error"), 0);
}
END_TEST

START_TEST(retained_object_is_valid)
{
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_ok(clRetainMemObject(buffer));
    cl_ok(clReleaseMemObject(buffer));
    fill(buffer);
    cl_ok(clReleaseMemObject(buffer));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

START_TEST(a_released_event_is_waited_for)
{
    cl_event event = cl_user_event(context);
    cl_ok(clSetUserEventStatus(event, CL_COMPLETE));
    cl_ok(clReleaseEvent(event));
    cl_is(clEnqueueMarkerWithWaitList(queue, 1, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    ck_assert_str_eq(finding_last("use-after-release").object, "event 1");
    cl_is(clWaitForEvents(1, &event), CL_INVALID_EVENT);
    ck_assert_uint_eq(findings_of("use-after-release"), 2);
}
END_TEST

START_TEST(an_object_is_released_too_often)
{
    cl_event event = cl_user_event(context);
    cl_ok(clReleaseEvent(event));
    cl_is(clReleaseEvent(event), CL_INVALID_EVENT);
    struct orrery_finding finding = finding_last("over-release");
    ck_assert_str_eq(finding.object, "event 1");
    ck_assert_uint_eq(finding_count(), 1);
}
END_TEST

static struct {
    int times, done; /* releases inside the callback */
    cl_int last;
} releasing;

static void CL_CALLBACK release_inside(cl_event event, cl_int status, void *data)
{
    (void)status, (void)data;
    for (int i = 0; i < releasing.times; i++)
        releasing.last = clReleaseEvent(event);
    __atomic_store_n(&releasing.done, 1, __ATOMIC_RELEASE);
}

/* The event is kept while its callback waits and runs, by a reference that is not the program's. */
START_TEST(an_event_is_released_inside_its_callback)
{
    static const struct {
        int before, retained, inside; /* times */
        size_t findings;
    } rows[] = {{0, 0, 1, 0}, {0, 0, 2, 1}, {1, 0, 0, 0}, {1, 0, 1, 1},
                {1, 1, 1, 0}, {2, 0, 0, 1}, {1, 1, 2, 1}};
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    const cl_int zero = 0;
    cl_event event;
    releasing.times = rows[_i].inside;
    cl_ok(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 16, 0, NULL, &event));
    cl_ok(clSetEventCallback(event, CL_COMPLETE, release_inside, NULL));
    for (int i = 0; i < rows[_i].retained; i++)
        cl_ok(clRetainEvent(event));
    for (int i = 0; i < rows[_i].before; i++)
        cl_is(clReleaseEvent(event), i ? CL_INVALID_EVENT : CL_SUCCESS);
    cl_ok(clFinish(queue));
    while (!__atomic_load_n(&releasing.done, __ATOMIC_ACQUIRE))
        usleep(100);
    ck_assert_uint_eq(findings_of("over-release"), rows[_i].findings);
    ck_assert_uint_eq(finding_count(), rows[_i].findings);
    if (rows[_i].findings && rows[_i].inside)
        cl_is(releasing.last, CL_INVALID_EVENT);
    cl_ok(clReleaseMemObject(buffer));
}
END_TEST

/* The context lives on inside: the calls succeed, and another device would have crashed. */
START_TEST(a_context_that_its_queue_keeps_is_used)
{
    cl_context own = cl_new_context(), again;
    cl_command_queue kept = cl_new_queue(own, 0);
    cl_int err;
    cl_ok(clReleaseContext(own));
    cl_mem buffer = clCreateBuffer(own, 0, 4, NULL, &err);
    cl_ok(err);
    ck_assert_str_eq(finding_last("use-after-release").object, "context 3");
    cl_is(clReleaseContext(own), CL_INVALID_CONTEXT);
    ck_assert_uint_eq(findings_of("over-release"), 1);
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clGetCommandQueueInfo(kept, CL_QUEUE_CONTEXT, sizeof again, &again, NULL));
    buffer = clCreateBuffer(again, 0, 4, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseCommandQueue(kept));
    ck_assert_uint_eq(findings_of("use-after-release"), 1);
}
END_TEST

START_TEST(handle_that_never_was_an_object_is_only_refused)
{
    cl_is(clRetainEvent((cl_event)queue), CL_INVALID_EVENT);
    ck_assert_uint_eq(findings_of("use-after-release"), 0);
    ck_assert_uint_eq(findings_of("api-error"), 1);
}
END_TEST

/* ---- user events ------------------------------------------------------------------------------------ */

static void read_after(cl_mem buffer, const cl_event *gate)
{
    static cl_uint out;
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &out, 1, gate, NULL));
}

/* The sequence that the text has as its example. */
START_TEST(an_object_is_released_before_a_user_event_is_set)
{
    cl_mem a = cl_buffer(context, 0, 16, NULL), b = cl_buffer(context, 0, 16, NULL),
           c = cl_buffer(context, 0, 16, NULL);
    cl_event gate = cl_user_event(context);
    read_after(a, &gate);
    cl_ok(clReleaseMemObject(b));
    struct orrery_finding finding = finding_last("user-event-unset");
    ck_assert_str_eq(finding.object, "event 1");
    ck_assert_str_eq(finding.access[0].what, "clReleaseMemObject");
    ck_assert_str_eq(finding.access[1].what, "clEnqueueReadBuffer: the command is enqueued here");
    cl_ok(clReleaseMemObject(c));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clReleaseMemObject(a));
    ck_assert_uint_eq(finding_count(), 1);
}
END_TEST

START_TEST(an_object_is_released_after_a_user_event_is_set)
{
    cl_mem a = cl_buffer(context, 0, 16, NULL);
    cl_event gate = cl_user_event(context), other = cl_user_event(context);
    read_after(a, &gate);
    cl_ok(clReleaseEvent(other));
    cl_ok(clSetUserEventStatus(gate, CL_COMPLETE));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseEvent(gate));
    other = cl_user_event(context); /* nothing waits for it */
    cl_ok(clReleaseMemObject(cl_buffer(context, 0, 16, NULL)));
    cl_ok(clReleaseEvent(other));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

/* ---- host memory ------------------------------------------------------------------------------------ */

START_TEST(a_copy_between_buffers_of_the_same_host_memory)
{
    static char bytes[64];
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 32, bytes),
           b = cl_buffer(context, CL_MEM_USE_HOST_PTR, 32, bytes + 16),
           c = cl_buffer(context, CL_MEM_USE_HOST_PTR, 16, bytes + 48);
    cl_ok(clEnqueueCopyBuffer(queue, a, c, 0, 0, 16, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueCopyBuffer(queue, a, b, 0, 0, 16, 0, NULL, NULL));
    struct orrery_finding finding = finding_last("overlapping-host-memory");
    ck_assert_str_eq(finding.object, "memory object 1 and memory object 2");
    ck_assert_str_eq(finding.access[0].what, "clEnqueueCopyBuffer");
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(c));
}
END_TEST

START_TEST(a_read_of_a_buffer_into_its_own_host_memory)
{
    static char bytes[64];
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, bytes);
    cl_ok(clEnqueueReadBuffer(queue, a, CL_TRUE, 16, 16, bytes + 16, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, 16, bytes + 32, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 16, bytes + 8, 0, NULL, NULL));
    ck_assert_str_eq(finding_last("overlapping-host-memory").object, "memory object 1");
    cl_ok(clEnqueueWriteBuffer(queue, a, CL_TRUE, 8, 16, bytes, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 2);
    cl_ok(clReleaseMemObject(a));
}
END_TEST

/* Rows of 4 bytes, 16 apart. In place or beside each other they do no harm. */
START_TEST(a_rectangle_of_a_buffer_and_its_own_host_memory)
{
    static char bytes[128];
    const size_t zero[3] = {0, 0, 0}, beside[3] = {4, 0, 0}, across[3] = {2, 1, 0}, box[3] = {4, 4, 1};
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 128, bytes);
    cl_ok(
        clEnqueueReadBufferRect(queue, a, CL_TRUE, across, across, box, 16, 0, 16, 0, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, beside, box, 16, 0, 16, 0, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueWriteBufferRect(queue, a, CL_TRUE, beside, zero, box, 16, 0, 16, 0, bytes, 0, NULL, NULL));
    cl_ok(
        clEnqueueWriteBufferRect(queue, a, CL_TRUE, zero, zero, box, 16, 0, 4, 0, bytes + 64, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueReadBufferRect(queue, a, CL_TRUE, zero, across, box, 16, 0, 16, 0, bytes, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 1);
    cl_ok(clEnqueueWriteBufferRect(queue, a, CL_TRUE, zero, zero, box, 16, 0, 4, 0, bytes, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 2);
    ck_assert_str_eq(finding_last("overlapping-host-memory").access[0].what, "clEnqueueWriteBufferRect");
    cl_ok(clReleaseMemObject(a));
}
END_TEST

START_TEST(an_image_and_its_own_host_memory)
{
    static char bytes[4 * 4 * 8];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t zero[3] = {0, 0, 0}, second[3] = {0, 1, 0}, row[3] = {4, 1, 1}, all[3] = {4, 4, 1},
                 two[3] = {4, 2, 1};
    cl_int err;
    cl_mem image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &desc, bytes, &err);
    cl_ok(err);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, second, row, 0, 0, bytes, 0, NULL, NULL));
    cl_ok(clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes + 64, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clEnqueueReadImage(queue, image, CL_TRUE, second, two, 0, 0, bytes, 0, NULL, NULL));
    ck_assert_str_eq(finding_last("overlapping-host-memory").access[0].what, "clEnqueueReadImage");
    ck_assert_msg(strstr(finding_last("overlapping-host-memory").why, "of the image") != NULL,
                  "not of an image");
    cl_ok(clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, bytes + 4, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 2);
    cl_ok(clReleaseMemObject(image));
}
END_TEST

/* Rectangles and images of the same host memory, by every copy. */
START_TEST(copies_of_rectangles_and_images_of_the_same_host_memory)
{
    static char bytes[256];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const size_t zero[3] = {0, 0, 0}, box[3] = {4, 2, 1};
    cl_int err;
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, bytes),
           b = cl_buffer(context, CL_MEM_USE_HOST_PTR, 64, bytes + 32);
    cl_mem x = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &desc, bytes + 16, &err);
    cl_mem y = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &desc, bytes + 48, &err);
    cl_ok(err);
    cl_ok(clEnqueueCopyBufferRect(queue, a, b, zero, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 1);
    cl_ok(clEnqueueCopyImage(queue, x, y, zero, zero, box, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 2);
    cl_ok(clEnqueueCopyImageToBuffer(queue, x, b, zero, box, 0, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 3);
    cl_ok(clEnqueueCopyBufferToImage(queue, a, y, 0, zero, box, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 4);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseMemObject(x));
    cl_ok(clReleaseMemObject(y));
}
END_TEST

static void fill_host(cl_mem buffer)
{
    const size_t size = 1;
    cl_kernel kernel = kernel_of("kernel void k(global int *p) { *p = 1; }");
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    cl_ok(clFinish(queue));
    cl_ok(clReleaseKernel(kernel));
}

START_TEST(a_kernel_with_buffers_of_the_same_host_memory)
{
    static int word[2];
    const size_t size = 1;
    cl_kernel kernel = kernel_of("kernel void k(global int *p, global int *q) { *p = *q; }");
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 4, word),
           b = cl_buffer(context, CL_MEM_USE_HOST_PTR, 8, word);
    cl_ok(clSetKernelArg(kernel, 0, sizeof a, &a));
    cl_ok(clSetKernelArg(kernel, 1, sizeof a, &a));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    ck_assert_uint_eq(finding_count(), 0);
    cl_ok(clSetKernelArg(kernel, 1, sizeof b, &b));
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    ck_assert_uint_eq(findings_of("overlapping-host-memory"), 1);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* Each command has but one of the buffers. Those that are only read, or released before, do no harm. */
START_TEST(kernels_on_buffers_of_the_same_host_memory)
{
    static int word[1024];
    cl_mem a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 4096, word),
           b = cl_buffer(context, CL_MEM_USE_HOST_PTR, 2048, word + 4);
    fill_host(a);
    ck_assert_uint_eq(finding_count(), 0);
    fill_host(b);
    struct orrery_finding finding = finding_last("overlapping-host-memory");
    ck_assert_str_eq(finding.object, "memory object 2 and memory object 1");
    ck_assert_str_eq(finding.access[1].what, "clEnqueueNDRangeKernel: the second is used here");
    fill_host(a);
    ck_assert_uint_eq(finding_count(), 1);
    cl_ok(clReleaseMemObject(a));
    cl_ok(clReleaseMemObject(b));
    for (int i = 0; i < 2; i++) {
        a = cl_buffer(context, CL_MEM_USE_HOST_PTR, 4096, word);
        fill_host(a);
        cl_ok(clReleaseMemObject(a));
    }
    ck_assert_uint_eq(finding_count(), 1);
}
END_TEST

START_TEST(a_mapped_buffer_is_released)
{
    cl_int err;
    cl_mem buffer = cl_buffer(context, 0, 64, NULL);
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 8, 16, 0, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseMemObject(buffer));
    struct orrery_finding finding = finding_last("missing-unmap");
    ck_assert_str_eq(finding.object, "memory object 1, bytes 8..23");
    ck_assert_str_eq(finding.access[0].what, "clEnqueueMapBuffer");
    ck_assert_str_eq(finding.access[1].what, "clReleaseMemObject: the last reference goes here");
    ck_assert_uint_eq(findings_of("missing-unmap"), 1);
}
END_TEST

START_TEST(a_buffer_is_unmapped_before)
{
    cl_int err;
    cl_mem buffer = cl_buffer(context, 0, 64, NULL);
    void *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err);
    cl_ok(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    cl_ok(clReleaseMemObject(buffer));
    ck_assert_uint_eq(finding_count(), 0);
}
END_TEST

/* ---- callbacks ---------------------------------------------------------------------------------------- */

static cl_mem callback_buffer;
static int called;

static void CL_CALLBACK wait_inside(cl_event event, cl_int status, void *data)
{
    cl_uint out;
    (void)status;
    (void)data;
    clWaitForEvents(1, &event);
    clEnqueueReadBuffer(queue, callback_buffer, CL_TRUE, 0, 4, &out, 0, NULL, NULL);
    __atomic_store_n(&called, 1, __ATOMIC_SEQ_CST);
}

static void CL_CALLBACK enqueue_inside(cl_event event, cl_int status, void *data)
{
    static cl_uint out;
    (void)event;
    (void)status;
    (void)data;
    clEnqueueReadBuffer(queue, callback_buffer, CL_FALSE, 0, 4, &out, 0, NULL, NULL);
    clFlush(queue);
    __atomic_store_n(&called, 1, __ATOMIC_SEQ_CST);
}

static void call_back(void(CL_CALLBACK *function)(cl_event, cl_int, void *))
{
    callback_buffer = cl_buffer(context, 0, 16, NULL);
    cl_event event = cl_user_event(context);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, function, NULL));
    cl_ok(clSetUserEventStatus(event, CL_COMPLETE));
    while (!__atomic_load_n(&called, __ATOMIC_SEQ_CST))
        usleep(1000);
    cl_ok(clFinish(queue));
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseMemObject(callback_buffer));
}

START_TEST(a_callback_waits)
{
    call_back(wait_inside);
    ck_assert_uint_eq(findings_of("blocking-callback"), 2);
    ck_assert_str_eq(finding_last("blocking-callback").access[0].what, "clEnqueueReadBuffer");
}
END_TEST

START_TEST(a_callback_enqueues_without_waiting)
{
    call_back(enqueue_inside);
    ck_assert_uint_eq(findings_of("blocking-callback"), 0);
}
END_TEST

static void CL_CALLBACK wait_at_the_end(cl_mem buffer, void *data)
{
    (void)buffer;
    (void)data;
    clFinish(queue);
}

START_TEST(a_destructor_callback_waits)
{
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_ok(clSetMemObjectDestructorCallback(buffer, wait_at_the_end, NULL));
    cl_ok(clReleaseMemObject(buffer));
    ck_assert_str_eq(finding_last("blocking-callback").access[0].what, "clFinish");
}
END_TEST

/* ---- the end --------------------------------------------------------------------------------- */

static void leak(void)
{
    cl_set_up();
    for (int i = 0; i < 3; i++)
        cl_buffer(context, 0, 16, NULL);
    cl_event event = cl_user_event(context);
    cl_ok(clRetainEvent(event));
    cl_ok(clReleaseEvent(event));
    ck_assert_ptr_nonnull(clSVMAlloc(context, 0, 64, 0));
    cl_mem buffer = cl_buffer(other_context, 0, 16, NULL);
    clEnqueueMapBuffer(other_queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, NULL);
    cl_ok(clReleaseCommandQueue(queue));
    cl_ok(clReleaseCommandQueue(unordered));
    cl_ok(clReleaseContext(context));
}

static void leave_commands(void)
{
    cl_set_up();
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    cl_event gate = cl_user_event(context);
    fill(buffer);
    read_after(buffer, &gate);
    fill(buffer);
    cl_ok(clFlush(queue));
    cl_ok(clReleaseEvent(gate));
    cl_ok(clEnqueueFillBuffer(unordered, buffer, &one, 4, 0, 16, 0, NULL, NULL));
}

static void leave_unflushed(void)
{
    cl_set_up();
    cl_event event;
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    cl_ok(clEnqueueMarkerWithWaitList(unordered, 1, &event, NULL));
    cl_ok(clReleaseEvent(event));
}

static void leak_nothing(void)
{
    cl_set_up();
    cl_mem buffer = cl_buffer(context, 0, 16, NULL);
    fill(buffer);
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}

static sem_t has_come;

static void CL_CALLBACK free_it_late(cl_event event, cl_int status, void *shared)
{
    sem_post(&has_come);
    usleep(50000);
    free_it(event, status, shared);
}

static void leave_a_callback(void)
{
    cl_set_up();
    cl_event event;
    void *shared = shared_fill(&event);
    sem_init(&has_come, 0, 0);
    cl_ok(clSetEventCallback(event, CL_COMPLETE, free_it_late, shared));
    cl_ok(clFinish(queue));
    sem_wait(&has_come);
}

/* The JSON lines of a process of its own; static. */
static const char *reported_by(void (*run)(void))
{
    static char text[40000];
    char file[] = "/tmp/orrery-usage-XXXXXX";
    int status, out = mkstemp(file);
    ck_assert_int_ge(out, 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("ORRERY_CHECK_API", "warning", 1);
        setenv("ORRERY_CHECK_MISUSE", "warning", 1);
        setenv("ORRERY_LOG", "/dev/null", 1);
        setenv("ORRERY_JSON", file, 1);
        run();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    FILE *stream = fopen(file, "r");
    ck_assert_ptr_nonnull(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    close(out);
    unlink(file);
    return text;
}

static int times(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

START_TEST(object_left_at_the_end_is_reported_with_its_place)
{
    const char *text = reported_by(leak);
    ck_assert_ptr_nonnull(strstr(text, "\"memory object 1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"event 1\""));
    ck_assert_ptr_nonnull(strstr(text, "\"shared memory 1 (64 bytes)\""));
    ck_assert_ptr_nonnull(strstr(text, "\"context 2\""));
    ck_assert_ptr_nonnull(strstr(text, "\"command-queue 3\""));
    ck_assert_ptr_null(strstr(text, "\"command-queue 1\""));
    ck_assert_int_eq(times(text, "\"missing-unmap\""), 1);
    ck_assert_ptr_nonnull(strstr(text, "cl_fixture.h"));
}
END_TEST

/* Numbers of commands: the user event is 1, the first fill, which runs, 2. */
START_TEST(commands_that_never_ran_are_reported_at_the_end)
{
    const char *text = reported_by(leave_commands);
    ck_assert_int_eq(times(text, "\"command-never-ran\""), 3);
    ck_assert_ptr_nonnull(strstr(text, "\"command 3 (command-queue 1)\""));
    ck_assert_ptr_nonnull(strstr(text, "it waits for event 1, a user event that the program never set"));
    ck_assert_ptr_nonnull(strstr(text, "clCreateUserEvent: the user event is made here"));
    ck_assert_ptr_nonnull(strstr(text, "commands before it in its queue never ran"));
    ck_assert_ptr_nonnull(strstr(text, "nothing flushed its queue or waited for it"));
}
END_TEST

START_TEST(an_unflushed_queue_that_another_waits_for_is_reported_at_the_end)
{
    const char *text = reported_by(leave_unflushed);
    ck_assert_int_eq(times(text, "\"queue-not-flushed\""), 1);
    ck_assert_int_eq(times(text, "command 2 of command-queue "), 1);
}
END_TEST

START_TEST(a_tidy_program_leaves_nothing)
{
    const char *text = reported_by(leak_nothing);
    ck_assert_int_eq(times(text, "leaked-object"), 0);
    ck_assert_int_eq(times(text, "command-never-ran"), 0);
    ck_assert_int_eq(times(text, "queue-not-flushed"), 0);
    ck_assert_int_eq(times(text, "api"), 0);
}
END_TEST

START_TEST(a_callback_that_runs_at_the_end_may_free)
{
    const char *text = reported_by(leave_a_callback);
    ck_assert_int_ge(times(text, "leaked-object"), 1);
    ck_assert_ptr_null(strstr(text, "shared memory"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("usage");
    TCase *tcase = tcase_create("usage");
    tcase_add_checked_fixture(tcase, finding_set_up, tear_down);
    tcase_add_loop_test(tcase, an_event_goes_into_its_own_wait_list, 0, 2);
    tcase_add_loop_test(tcase, a_queue_is_not_flushed_that_another_waits_for, 0, TOO_LATE + 1);
    tcase_add_test(tcase, queues_that_wait_for_each_other_are_flushed_afterwards);
    tcase_add_test(tcase, a_released_object_is_used);
    tcase_add_test(tcase, retained_object_is_valid);
    tcase_add_test(tcase, a_released_event_is_waited_for);
    tcase_add_test(tcase, an_object_is_released_too_often);
    tcase_add_loop_test(tcase, an_event_is_released_inside_its_callback, 0, 7);
    tcase_add_test(tcase, a_context_that_its_queue_keeps_is_used);
    tcase_add_test(tcase, handle_that_never_was_an_object_is_only_refused);
    tcase_add_test(tcase, an_object_is_released_before_a_user_event_is_set);
    tcase_add_test(tcase, an_object_is_released_after_a_user_event_is_set);
    tcase_add_test(tcase, a_copy_between_buffers_of_the_same_host_memory);
    tcase_add_test(tcase, a_read_of_a_buffer_into_its_own_host_memory);
    tcase_add_test(tcase, a_rectangle_of_a_buffer_and_its_own_host_memory);
    tcase_add_test(tcase, an_image_and_its_own_host_memory);
    tcase_add_test(tcase, copies_of_rectangles_and_images_of_the_same_host_memory);
    tcase_add_test(tcase, a_kernel_with_buffers_of_the_same_host_memory);
    tcase_add_test(tcase, kernels_on_buffers_of_the_same_host_memory);
    tcase_add_test(tcase, a_mapped_buffer_is_released);
    tcase_add_test(tcase, a_buffer_is_unmapped_before);
    tcase_add_test(tcase, a_callback_waits);
    tcase_add_test(tcase, a_callback_enqueues_without_waiting);
    tcase_add_test(tcase, a_destructor_callback_waits);
    suite_add_tcase(suite, tcase);
    TCase *ends = tcase_create("ends");
    tcase_add_test(ends, object_left_at_the_end_is_reported_with_its_place);
    tcase_add_test(ends, commands_that_never_ran_are_reported_at_the_end);
    tcase_add_test(ends, an_unflushed_queue_that_another_waits_for_is_reported_at_the_end);
    tcase_add_test(ends, a_tidy_program_leaves_nothing);
    tcase_add_test(ends, a_callback_that_runs_at_the_end_may_free);
    suite_add_tcase(suite, ends);
    return cl_run_suite(suite);
}
