/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Hides features of a later version of OpenCL than a device reports. Queries of a later version
 *          (version.def) return CL_INVALID_VALUE, calls CL_INVALID_OPERATION, as a loader does for a library
 *          that lacks them.
 *
 * Interface
 *   version_has_query, version_context_has_query   the device, or a device of the context, has the query;
 *   unknown
 *                                                  queries count as present
 *   version_context_has_format                     images may have that channel order and type
 *   version_context_at_least                       a device of the context has that version or a later one
 */
#ifndef ORRERY_LIB_VERSION_H
#define ORRERY_LIB_VERSION_H
#include "object.h"

bool version_has_query(const struct cl_device *device, cl_uint query);
bool version_context_has_query(const struct context *context, cl_uint query);
bool version_context_has_format(const struct context *context, cl_image_format format);
bool version_context_at_least(const struct context *context, uint32_t major, uint32_t minor);
#endif
