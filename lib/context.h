/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Queries of a context by other objects.
 *
 * Interface
 *   context_lookup         the live context, or NULL
 *   context_has_device     it was made of this device
 *   context_serves         it was made of this device or of one that this is a part of: it may be used there
 *   context_any            the predicate holds for one of the devices
 *   context_max_allocation the least and the largest of its devices' largest allocations
 *   context_check_devices  the (num_devices, device_list) pair of many calls: CL_INVALID_VALUE if only one
 *                          is given, CL_INVALID_DEVICE for a device of another context
 *   context_terminated     clTerminateContextKHR was called; context_some_terminated: for any context
 *   context_refuse         returns err; for an error, calls the context's notify function with the refused
 *                          call
 */
#ifndef ORRERY_LIB_CONTEXT_H
#define ORRERY_LIB_CONTEXT_H
#include "object.h"

struct context *context_lookup(cl_context handle);
bool context_has_device(const struct context *context, cl_device_id handle);
bool context_serves(const struct context *context, cl_device_id handle);
bool context_terminated(const struct context *context);
bool context_some_terminated(void);
bool context_any(const struct context *context, bool (*holds)(const struct cl_device *device));
struct allocation_limits {
    uint64_t least, most;
};
struct allocation_limits context_max_allocation(const struct context *context);
cl_int context_check_devices(const struct context *context, cl_uint num_devices,
                             const cl_device_id *device_list);
cl_int context_refuse(struct context *context, const char *call, cl_int err);
#endif
