/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and image formats that an earlier version of OpenCL lacks, by the rows of version.def. */
#include "version.h"

#include "device_info.h"

bool version_has_query(const struct cl_device *device, cl_uint query)
{
    switch (query) {
#define SINCE(name, major, minor, extension) \
    case name:                               \
        return (extension) || device_version_at_least(device, major, minor);
#include "version.def"
#undef SINCE
    default: return true;
    }
}

bool version_context_has_query(const struct context *context, cl_uint query)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (version_has_query(context->devices[i], query))
            return true;
    return false;
}

bool version_context_has_format(const struct context *context, cl_image_format format)
{
    switch (format.image_channel_order) {
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
    case CL_ABGR: return version_context_at_least(context, 2, 0);
    default:
        return format.image_channel_data_type != CL_UNORM_INT_101010_2 ||
               version_context_at_least(context, 2, 1);
    }
}

bool version_context_at_least(const struct context *context, uint32_t major, uint32_t minor)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (device_version_at_least(context->devices[i], major, minor))
            return true;
    return false;
}
