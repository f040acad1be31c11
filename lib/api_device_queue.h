/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Device queues: those that kernels enqueue kernels to. A host can make them, pass them to kernels
 *          and choose the default of a device within a context; it can enqueue nothing to them.
 *
 * Interface
 *   device_queue_check      may this device have one of that size?
 *   device_queue_attach     of a new queue: makes its counterpart on the device, and perhaps the default
 *   device_queue_detach
 *   device_queue_default    of the device within the context; referenced, or NULL
 *   device_queue_is         is the queue one of the host's, or one on the device?
 */
#ifndef ORRERY_LIB_API_DEVICE_QUEUE_H
#define ORRERY_LIB_API_DEVICE_QUEUE_H

#include "object.h"

cl_int device_queue_check(const struct cl_device *device, cl_command_queue_properties properties,
                          cl_queue_properties size);
/* CL_OUT_OF_RESOURCES: the device has as many as it can have. */
cl_int device_queue_attach(struct queue *queue, cl_uint size);
void device_queue_detach(struct queue *queue);
struct queue *device_queue_default(struct context *context, const struct cl_device *device);

static inline bool device_queue_is(const struct queue *queue)
{
    return queue->properties & CL_QUEUE_ON_DEVICE;
}

#endif
