/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Device queues, to which kernels enqueue kernels. The host makes them, passes them to kernels and
 *          chooses the default of a device within a context. It cannot enqueue commands to them.
 *
 * Interface
 *   device_queue_check      an error if the device may not have a device queue of that size
 *   device_queue_attach     makes the counterpart of a new queue on the device, and the default if it is to
 *                           be
 *   device_queue_detach     the queue is destroyed
 *   device_queue_default    the default queue of the device within the context; referenced, or NULL
 *   device_queue_is         the queue is a device queue
 */
#ifndef ORRERY_LIB_API_DEVICE_QUEUE_H
#define ORRERY_LIB_API_DEVICE_QUEUE_H

#include "object.h"

cl_int device_queue_check(const struct cl_device *device, cl_command_queue_properties properties,
                          cl_queue_properties size);
/* CL_OUT_OF_RESOURCES: the device has the largest number of device queues. */
cl_int device_queue_attach(struct queue *queue, cl_uint size);
void device_queue_detach(struct queue *queue);
struct queue *device_queue_default(struct context *context, const struct cl_device *device);

static inline bool device_queue_is(const struct queue *queue)
{
    return queue->properties & CL_QUEUE_ON_DEVICE;
}

#endif
