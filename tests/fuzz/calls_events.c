/* SPDX-License-Identifier: Apache-2.0 */
/* Events, markers and barriers, waiting, semaphores and command-buffers. */
#include <string.h>

#include "calls_sequence.h"

void try_user(struct sequence *s)
{
    cl_int err = CL_SUCCESS;
    cl_event made = clCreateUserEvent(DRAW_CONTEXT(s), &err);
    put(s, EVENTS, made, err);
    if (!made || clRetainEvent(made))
        return;
    cl_event *place = &s->users[s->next_user++ % PLACES];
    if (*place) {
        clSetUserEventStatus(*place, CL_COMPLETE);
        clReleaseEvent(*place);
    }
    *place = made;
}

void try_set_user(struct sequence *s)
{
    const cl_event event = DRAW_EVENT(s);
    clSetUserEventStatus(event, (int8_t)draw(s));
}

void try_event_callback(struct sequence *s)
{
    static const cl_int states[] = {CL_COMPLETE, CL_SUBMITTED, CL_RUNNING, CL_QUEUED, -1, 77};
    const cl_event event = DRAW_EVENT(s);
    const cl_int state = states[draw(s) % COUNT_OF(states)];
    const uint8_t odd = draw(s);
    clSetEventCallback(event, state, odd == 255 ? NULL : on_event, draw_note(s));
}

void try_marker(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    switch (draw(s) % 6) {
    case 0:
    case 1: clEnqueueMarkerWithWaitList(operands.queue, WAITS(operands)); break;
    case 2:
    case 3: clEnqueueBarrierWithWaitList(operands.queue, WAITS(operands)); break;
    case 4: clEnqueueMarker(operands.queue, operands.event); break;
    default:
        clEnqueueBarrier(operands.queue);
        clEnqueueWaitForEvents(operands.queue, operands.count, operands.waits);
    }
    try_end(s);
}

void try_wait(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const uint8_t way = draw(s);
    if (way % 3 == 0)
        clFlush(operands.queue);
    else if (may_block(s) && way % 3 == 1)
        clFinish(operands.queue);
    else if (!s->nested)
        clWaitForEvents(operands.count, operands.waits);
}

/* ---- semaphores ---- */

void try_semaphore(struct sequence *s)
{
    const cl_context context = DRAW_CONTEXT(s);
    const cl_device_id device = DRAW_DEVICE(s);
    const uint8_t way = draw(s);
    cl_semaphore_properties_khr list[8] = {CL_SEMAPHORE_TYPE_KHR,
                                           way & 4 ? draw(s) : CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_int err = CL_SUCCESS;
    if (way & 1) {
        list[2] = way & 8 ? CL_DEVICE_HANDLE_LIST_KHR : CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR;
        list[3] = (cl_semaphore_properties_khr)device;
        list[4] = way & 32 ? 1 : CL_DEVICE_HANDLE_LIST_END_KHR;
    }
    cl_semaphore_khr made = NAMED(clCreateSemaphoreWithPropertiesKHR)(context,
                                                                      way == 255   ? NULL
                                                                      : way == 254 ? list + 4
                                                                                   : list,
                                                                      &err);
    put(s, SEMAPHORES, made, err);
    if (!made || NAMED(clRetainSemaphoreKHR)(made))
        return;
    const unsigned place = s->next_signal++ % PLACES;
    if (s->signals[place]) {
        may_block(s); /* signals what waits for it */
        NAMED(clReleaseSemaphoreKHR)(s->signals[place]);
    }
    s->signals[place] = made;
    s->awaited[place] = false;
}

static void note_wait(struct sequence *s, cl_semaphore_khr semaphore)
{
    for (unsigned i = 0; i < PLACES; i++)
        s->awaited[i] |= s->signals[i] == semaphore;
}

void try_semaphore_command(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_semaphore_khr list[2] = {DRAW_SEMAPHORE(s), DRAW_SEMAPHORE(s)};
    const cl_semaphore_payload_khr payloads[2] = {0, 1};
    const uint8_t way = draw(s);
    const cl_uint count = way & 2 ? 2 : way != 252;
    if (way & 1) {
        /* in the queue of the wait, the next signal would wait for that */
        signal_awaited(s, list[0]);
        signal_awaited(s, list[1]);
        NAMED(clEnqueueSignalSemaphoresKHR)
        (operands.queue, count, way == 255 ? NULL : list, way & 4 ? payloads : NULL, WAITS(operands));
    } else if (!NAMED(clEnqueueWaitSemaphoresKHR)(operands.queue, count, way == 254 ? NULL : list,
                                                  way & 4 ? payloads : NULL, WAITS(operands))) {
        note_wait(s, list[0]);
        note_wait(s, list[1]);
    }
    try_end(s);
}

/* ---- command-buffers ---- */

void try_command_buffer(struct sequence *s)
{
    const cl_command_queue queues[2] = {DRAW_QUEUE(s), DRAW_QUEUE(s)};
    const uint8_t way = draw(s);
    const cl_command_buffer_properties_khr list[] = {
        way & 2 ? draw(s) : CL_COMMAND_BUFFER_FLAGS_KHR,
        way & 4 ? draw(s) : CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_int err = CL_SUCCESS;
    cl_command_buffer_khr made = NAMED(clCreateCommandBufferKHR)(
        way >= 240 ? way % 4 : 1, way == 255 ? NULL : queues, way & 1 ? list : NULL, &err);
    put(s, COMMAND_BUFFERS, made, err);
}

struct recording {
    cl_command_buffer_khr buffer;
    cl_command_queue queue;
    cl_uint count;
    const cl_sync_point_khr *waits;
    cl_sync_point_khr list[2], made, *point;
    cl_mutable_command_khr mutable, *handle;
};
#define POINTS(r) (r).count, (r).waits, (r).point, (r).handle

static void recording_begin(struct sequence *s, struct recording *r)
{
    *r = (struct recording){.buffer = DRAW_COMMAND_BUFFER(s)};
    const uint8_t way = draw(s);
    r->list[0] = way % 8;
    r->list[1] = way / 8 % 8;
    r->count = way >= 192 ? way % 3 : 0;
    r->waits = r->count ? r->list : NULL;
    r->point = way & 1 ? NULL : &r->made;
    if (way == 255) {
        r->handle = &r->mutable;
        r->queue = world.queues[0];
        r->waits = NULL;
    }
}

/* Copies and fills; small regions, as those of calls_transfers.c are not special to recording. */
void try_record(struct sequence *s)
{
    struct recording r;
    recording_begin(s, &r);
    const uint8_t way = draw(s);
    const cl_mem from = DRAW_MEMORY(s), to = DRAW_MEMORY(s);
    const size_t size = draw_bytes(s), at = draw_size(s), to_at = draw_size(s);
    const size_t a[3] = {at, draw(s) % 4, draw(s) % 4}, b[3] = {to_at, draw(s) % 4, draw(s) % 4},
                 region[3] = {1 + draw_size(s), 1 + draw(s) % 4, 1 + draw(s) % 4};
    const bool none = way >= 240;
    switch (way % 8) {
    case 0: NAMED(clCommandBarrierWithWaitListKHR)(r.buffer, r.queue, POINTS(r)); break;
    case 1: NAMED(clCommandCopyBufferKHR)(r.buffer, r.queue, from, to, at, to_at, size, POINTS(r)); break;
    case 2:
        NAMED(clCommandCopyBufferRectKHR)
        (r.buffer, r.queue, from, to, a, none ? NULL : b, region, size, 0, 0, size, POINTS(r));
        break;
    case 3:
        NAMED(clCommandCopyBufferToImageKHR)
        (r.buffer, r.queue, from, to, at, none ? NULL : b, region, POINTS(r));
        break;
    case 4:
        NAMED(clCommandCopyImageKHR)(r.buffer, r.queue, from, to, a, b, none ? NULL : region, POINTS(r));
        break;
    case 5:
        NAMED(clCommandCopyImageToBufferKHR)
        (r.buffer, r.queue, from, to, none ? NULL : a, region, at, POINTS(r));
        break;
    case 6:
        NAMED(clCommandFillBufferKHR)
        (r.buffer, r.queue, to, none ? NULL : world.host, way & 16 ? size : 4, at, size, POINTS(r));
        break;
    default:
        NAMED(clCommandFillImageKHR)(r.buffer, r.queue, to, none ? NULL : world.host, a, region, POINTS(r));
    }
}

void try_record_kernel(struct sequence *s)
{
    struct recording r;
    recording_begin(s, &r);
    const cl_ndrange_kernel_command_properties_khr list[] = {draw_odd(s, 8) ? draw(s) : 0, 0, 0};
    const cl_kernel kernel = DRAW_KERNEL(s);
    const uint8_t way = draw(s);
    const size_t global[3] = {1 + draw(s) % 32, 1 + draw(s) % 4, 1}, local[3] = {1 + draw(s) % 4, 1, 1};
    NAMED(clCommandNDRangeKernelKHR)
    (r.buffer, r.queue, list, kernel, way % 5, NULL, way == 255 ? NULL : global, way & 16 ? local : NULL,
     POINTS(r));
}

void try_record_svm(struct sequence *s)
{
    struct recording r;
    recording_begin(s, &r);
    size_t size = draw_bytes(s);
    const uint8_t way = draw(s);
    void *const to = draw_address(s, &size);
    const void *const from = draw_address(s, &size);
    char *const host = draw_host(s);
    const size_t pattern = way & 2 ? draw_size(s) : 4;
    if (way & 1)
        NAMED(clCommandSVMMemcpyKHR)(r.buffer, r.queue, to, from, size, POINTS(r));
    else
        NAMED(clCommandSVMMemFillKHR)(r.buffer, r.queue, to, host, pattern, size, POINTS(r));
}

void try_command_buffer_run(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_command_buffer_khr buffer = DRAW_COMMAND_BUFFER(s);
    const uint8_t way = draw(s);
    cl_command_queue queue = operands.queue;
    if (!(way & 1))
        NAMED(clFinalizeCommandBufferKHR)(buffer);
    NAMED(clEnqueueCommandBufferKHR)
    (way & 2 ? 1 + way / 128 : 0, way & 2 ? &queue : NULL, buffer, WAITS(operands));
    try_end(s);
}
