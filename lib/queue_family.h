/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  cl_intel_command_queue_families: a device's families, the commands that a queue of each may hold,
 *          and its compute units. Devices whose hardware has cslices have families; a whole tile has one
 *          engine per cslice and two families that copy.
 *
 * Interface
 *   queue_families_exist
 *   queue_families_info   CL_DEVICE_QUEUE_FAMILY_PROPERTIES_INTEL
 *   queue_family_check           the device has this family and index
 *   queue_family_attach          gives a new queue its capabilities and compute units; a queue without a
 *                                family is on family 0, index 0
 *   queue_family_detach          before the queue is destroyed
 *   queue_family_allows          CL_INVALID_OPERATION: the queue's family cannot execute the command
 *   queue_family_allows_waits    CL_INVALID_EVENT_WAIT_LIST: it cannot wait for one of these events
 *   queue_family_allows_event    CL_INVALID_EVENT: the program may not have events of its commands. As
 *                                Intel's driver (scenario key `errors`), both return CL_INVALID_OPERATION
 */
#ifndef ORRERY_LIB_QUEUE_FAMILY_H
#define ORRERY_LIB_QUEUE_FAMILY_H
#include "info.h"
#include "queue.h"

bool queue_families_exist(const struct cl_device *device);
cl_int queue_families_info(const struct info_reply *reply, const struct cl_device *device);
cl_int queue_family_check(const struct cl_device *device, cl_ulong family, cl_ulong index);
cl_int queue_family_attach(struct queue *queue, bool named, cl_uint family, cl_uint index);
void queue_family_detach(struct queue *queue);
cl_int queue_family_allows(const struct queue *queue, enum command_kind kind);
cl_int queue_family_allows_waits(const struct queue *queue, cl_uint count, struct event *const *events);
cl_int queue_family_allows_event(const struct queue *queue);
#endif
