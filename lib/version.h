/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Features of a later version of OpenCL than a device reports: as if the library were one of the
 *          device's version. Its queries (version.def) are CL_INVALID_VALUE, its calls CL_INVALID_OPERATION,
 *          which is what a loader returns for a library that lacks them.
 *
 * Interface
 *   version_has_query, version_context_has_query   a context: one of its devices; queries that are none count
 *                                                  as had
 *   version_context_has_format                     an order and a type of channels that images may have
 *   version_context_at_least                       is one of its devices of that version or later?
 */
#ifndef ORRERY_LIB_VERSION_H
#define ORRERY_LIB_VERSION_H
#include "object.h"

bool version_has_query(const struct cl_device *device, cl_uint query);
bool version_context_has_query(const struct context *context, cl_uint query);
bool version_context_has_format(const struct context *context, cl_image_format format);
bool version_context_at_least(const struct context *context, uint32_t major, uint32_t minor);
#endif
