/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The SPIR-V that a device accepts: one table for cl_khr_spirv_queries and for the check of modules.
 *
 * Interface
 *   device_spirv_refused         the first capability that a valid module declares or uses and the device
 *                                lacks; false: it has all of them
 *   device_info_spirv_...        the three queries: SPIR-V environment, OpenCL 3.0 API 4.2
 */
#ifndef ORRERY_LIB_DEVICE_SPIRV_H
#define ORRERY_LIB_DEVICE_SPIRV_H
#include "info.h"
#include "object.h"

bool device_spirv_refused(const struct cl_device *device, const struct spirv *spirv,
                          uint32_t *out_capability);
cl_int device_info_spirv_sets(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_spirv_extensions(const struct info_reply *reply, const struct cl_device *device);
cl_int device_info_spirv_capabilities(const struct info_reply *reply, const struct cl_device *device);
#endif
