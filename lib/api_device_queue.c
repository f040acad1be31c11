/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device queues (OpenCL 3.0 API, 5.1, CL_QUEUE_ON_DEVICE): each has a counterpart in the simulator, whose
 * number is the value of its queue_t. One of them may be the default of its device and context.
 */
#include "api_device_queue.h"

#include "api.h"
#include "context.h"
#include "device_info.h"
#include "error.h"
#include "api_runtime.h"

cl_int device_queue_check(const struct cl_device *device, cl_command_queue_properties properties,
                          cl_queue_properties size)
{
    if (!(properties & CL_QUEUE_ON_DEVICE) || !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return CL_INVALID_VALUE;
    return device_supports_device_enqueue(device) && size <= DEVICE_QUEUE_MAX_BYTES
               ? CL_SUCCESS
               : CL_INVALID_QUEUE_PROPERTIES;
}

static cl_uint count_queues(const struct context *context, const struct cl_device *device)
{
    cl_uint count = 0;
    for (const struct queue *queue = context->device_queues; queue; queue = queue->next_on_device)
        count += queue->device == device;
    return count;
}

static struct queue *find_default(const struct context *context, const struct cl_device *device)
{
    struct queue *queue = context->device_queues;
    while (queue && !(queue->device == device && queue->is_default))
        queue = queue->next_on_device;
    return queue;
}

static cl_int make(struct queue *queue)
{
    const struct device_queue_request wanted = {.root = queue->device->root,
                                                .compute_units = queue->units.units,
                                                .compute_unit_count = queue->units.count,
                                                .device = queue->device->base.id,
                                                .size_bytes = queue->size};
    return error_from_status(device_queue_new(queue->device->device, &wanted, &queue->number));
}

/* Creating a second default queue returns the first one; only clSetDefaultDeviceCommandQueue replaces it. */
cl_int device_queue_attach(struct queue *queue, cl_uint size)
{
    struct context *context = queue->context;
    queue->size = size;
    runtime_lock();
    cl_int err = count_queues(context, queue->device) < DEVICE_QUEUES ? make(queue) : CL_OUT_OF_RESOURCES;
    if (!err) {
        queue->is_default =
            queue->properties & CL_QUEUE_ON_DEVICE_DEFAULT && !find_default(context, queue->device);
        queue->next_on_device = context->device_queues;
        context->device_queues = queue;
    }
    runtime_unlock();
    return err;
}

void device_queue_detach(struct queue *queue)
{
    if (!queue->number)
        return;
    runtime_lock();
    struct queue **link = &queue->context->device_queues;
    while (*link && *link != queue)
        link = &(*link)->next_on_device;
    if (*link)
        *link = queue->next_on_device;
    runtime_unlock();
    device_queue_free(queue->device->device, queue->number);
}

/* A queue that is being destroyed cannot be referenced any more. */
struct queue *device_queue_default(struct context *context, const struct cl_device *device)
{
    runtime_lock();
    struct queue *queue = find_default(context, device);
    if (queue && object_lookup(queue, OBJECT_QUEUE) == queue)
        object_ref(queue);
    else
        queue = NULL;
    runtime_unlock();
    return queue;
}

cl_int CL_API_CALL api_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                      cl_command_queue command_queue)
{
    struct queue *queue = object_lookup(command_queue, OBJECT_QUEUE);
    if (!object_lookup(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!context_serves((struct context *)context, device))
        return CL_INVALID_DEVICE;
    if (!device_supports_device_enqueue((struct cl_device *)device) ||
        !device_version_at_least((struct cl_device *)device, 2, 1))
        return CL_INVALID_OPERATION;
    if (!queue || !device_queue_is(queue) || queue->context != (struct context *)context ||
        queue->device != (struct cl_device *)device)
        return CL_INVALID_COMMAND_QUEUE;
    runtime_lock();
    struct queue *before = find_default(queue->context, queue->device);
    if (before)
        before->is_default = false;
    queue->is_default = true;
    runtime_unlock();
    return CL_SUCCESS;
}
