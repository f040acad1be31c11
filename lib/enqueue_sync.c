/* SPDX-License-Identifier: Apache-2.0 */
/* Markers and barriers (OpenCL 3.0 API, 5.12). They execute nothing; their effect is in their edges
 * (graph.c). */
#include "api.h"
#include "context.h"
#include "enqueue_command.h"

static cl_int enqueue_sync(cl_command_queue queue, enum command_kind kind, cl_uint count,
                           const cl_event *waits, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, queue, kind, count, waits);
    return enqueue_end(&enqueue, err, false, event);
}

cl_int CL_API_CALL api_clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                                                   cl_uint num_events_in_wait_list,
                                                   const cl_event *event_wait_list, cl_event *event)
{
    return enqueue_sync(command_queue, COMMAND_MARKER, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL api_clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
                                                    cl_uint num_events_in_wait_list,
                                                    const cl_event *event_wait_list, cl_event *event)
{
    return enqueue_sync(command_queue, COMMAND_BARRIER, num_events_in_wait_list, event_wait_list, event);
}

cl_int CL_API_CALL api_clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    if (object_lookup(command_queue, OBJECT_QUEUE) && !event)
        return CL_INVALID_VALUE;
    return enqueue_sync(command_queue, COMMAND_MARKER, 0, NULL, event);
}

cl_int CL_API_CALL api_clEnqueueBarrier(cl_command_queue command_queue)
{
    return enqueue_sync(command_queue, COMMAND_BARRIER, 0, NULL, NULL);
}

/*
 * Deprecated by OpenCL 1.2: a barrier that waits for the events only. Its errors differ from those of a wait
 * list. cl_intel_command_queue_families has no capability for it.
 */
cl_int CL_API_CALL api_clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                                              const cl_event *event_list)
{
    if (!object_lookup(command_queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    const struct queue *queue = (struct queue *)command_queue;
    if (queue->capabilities != CL_QUEUE_DEFAULT_CAPABILITIES_INTEL &&
        queue->device->config->errors != ANSWERS_NEO)
        return context_refuse(queue->context, "clEnqueueWaitForEvents", CL_INVALID_OPERATION);
    cl_int err = enqueue_sync(command_queue, COMMAND_BARRIER, num_events, event_list, NULL);
    return err == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : err;
}
