/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of every enqueueing call. enqueue_begin checks queue and wait list and makes the command
 * with its event; enqueue_end appends the command, or frees it after an error, and waits for a blocking
 * call.
 */
#include "enqueue_command.h"

#include <stdio.h>
#include <stdlib.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/caller.h"
#include "command.h"
#include "context.h"
#include "api_device_queue.h"
#include "event.h"
#include "queue_family.h"
#include "api_runtime.h"
#include "lib/diagnose/usage.h"

static cl_int take_waits(struct command *command, cl_uint count, const cl_event *waits)
{
    if (!waits != !count)
        return CL_INVALID_EVENT_WAIT_LIST;
    if (count == 0)
        return CL_SUCCESS;
    command->waits = calloc(count, sizeof *command->waits);
    if (!command->waits)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        struct event *event = object_lookup(waits[i], OBJECT_EVENT);
        if (!event)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (event->context != command->queue->context)
            return CL_INVALID_CONTEXT;
        command->waits[command->wait_count++] = object_ref(event);
    }
    return CL_SUCCESS;
}

cl_int enqueue_begin(struct enqueue *enqueue, cl_command_queue handle, enum command_kind kind,
                     cl_uint wait_count, const cl_event *waits)
{
    *enqueue = (struct enqueue){.queue = object_lookup(handle, OBJECT_QUEUE)};
    if (!enqueue->queue || device_queue_is(enqueue->queue))
        return CL_INVALID_COMMAND_QUEUE;
    enqueue->command = command_new(enqueue->queue, kind);
    if (!enqueue->command)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = take_waits(enqueue->command, wait_count, waits);
    if (!err)
        err = queue_family_allows_waits(enqueue->queue, wait_count, enqueue->command->waits);
    return err ? err : queue_family_allows(enqueue->queue, kind);
}

static cl_int refuse(struct enqueue *enqueue, cl_int err, bool published)
{
    struct command *command = enqueue->command;
    if (!command)
        return err;
    context_refuse(enqueue->queue->context, command_call(command->kind), err);
    command_drop(command);
    if (published)
        object_release(command->event, OBJECT_EVENT);
    else
        object_unref(command->event); /* the reference of the program, which does not get the event */
    command_free(command);
    return err;
}

/* A blocking call returns the error of its command, also one that comes from the wait list. */
static cl_int wait_for(struct event *event)
{
    cl_int err = queue_wait_events(1, &event);
    device_host_waited(runtime_device());
    return err == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? event->status : err;
}

static _Thread_local bool rehearsing;
static _Thread_local uint32_t batch;

void enqueue_rehearse(bool on)
{
    rehearsing = on;
}

void enqueue_batch(uint32_t number)
{
    batch = number;
}

cl_int enqueue_end(struct enqueue *enqueue, cl_int err, bool blocking, cl_event *out_event)
{
    if (!err && out_event)
        err = queue_family_allows_event(enqueue->queue);
    if (err || rehearsing)
        return refuse(enqueue, err, false);
    struct event *event = object_ref(enqueue->command->event);
    if (out_event)
        object_publish(event); /* before the command can run and complete it */
    enqueue->command->blocking = blocking;
    enqueue->command->made = call_site_new();
    enqueue->command->enqueuer = caller_here();
    enqueue->command->batch = batch;
    usage_command(enqueue->command);
    err = queue_append(enqueue->command);
    if (err) {
        usage_forget(enqueue->command);
        refuse(enqueue, err, out_event != NULL);
    } else {
        usage_pending_numbered(event);
        if (out_event)
            *out_event = (cl_event)event;
        if (blocking)
            err = wait_for(event);
        if (!out_event)
            object_unref(event);
    }
    object_unref(event);
    return err;
}

cl_int enqueue_buffer_aligned(const struct queue *queue, const struct memobj *memobj)
{
    cl_uint align_bits = 0;
    if (!memobj->parent)
        return CL_SUCCESS;
    api_clGetDeviceInfo((cl_device_id)queue->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align_bits,
                        &align_bits, NULL);
    return align_bits >= 8 && memobj->offset % (align_bits / 8) ? CL_MISALIGNED_SUB_BUFFER_OFFSET
                                                                : CL_SUCCESS;
}

cl_int enqueue_buffer(const struct queue *queue, cl_mem handle, struct memobj **out_memobj)
{
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || memobj->type != CL_MEM_OBJECT_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    if (memobj->context != queue->context)
        return CL_INVALID_CONTEXT;
    *out_memobj = memobj;
    return enqueue_buffer_aligned(queue, memobj);
}

bool enqueue_pattern_ok(const void *pattern, size_t pattern_size)
{
    char text[120];
    if (pattern && pattern_size >= 1 && pattern_size <= 128 && (pattern_size & (pattern_size - 1)) == 0)
        return true;
    snprintf(text, sizeof text, "pattern_size %zu is not a power of two up to 128", pattern_size);
    call_detail(pattern ? text : "pattern is NULL");
    return false;
}

bool enqueue_fill_ok(const void *target, size_t size, const void *pattern, size_t pattern_size)
{
    if (!target || !enqueue_pattern_ok(pattern, pattern_size))
        return false;
    return (uintptr_t)target % pattern_size == 0 && size % pattern_size == 0;
}
