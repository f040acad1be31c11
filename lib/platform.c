/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only platform (OpenCL 3.0 API, 4.1). clGetPlatformIDs returns CL_PLATFORM_NOT_FOUND_KHR if the runtime
 * could not start, for example because the scenario has errors. NULL stands for the platform in all calls.
 */
#include "api.h"
#include "device_info.h"
#include "info.h"
#include "lib/record/saved_report.h"
#include "version.h"

cl_int CL_API_CALL api_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                        cl_uint *num_platforms)
{
    if ((!num_entries && platforms) || (!platforms && !num_platforms))
        return CL_INVALID_VALUE;
    struct runtime *runtime = runtime_get();
    if (num_platforms)
        *num_platforms = runtime->broken ? 0 : 1;
    if (runtime->broken)
        return CL_PLATFORM_NOT_FOUND_KHR;
    saved_reached(REACH_PLATFORM, 0);
    if (platforms)
        platforms[0] = (cl_platform_id)runtime->platform;
    return CL_SUCCESS;
}

/* NULL stands for the only platform. */
static struct platform *platform_lookup(cl_platform_id handle)
{
    struct runtime *runtime = runtime_get();
    if (runtime->broken)
        return NULL;
    return handle ? object_lookup(handle, OBJECT_PLATFORM) : runtime->platform;
}

cl_int CL_API_CALL api_clGetPlatformInfo(cl_platform_id handle, cl_platform_info param_name,
                                         size_t param_value_size, void *param_value,
                                         size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct platform *platform = platform_lookup(handle);
    if (!platform)
        return CL_INVALID_PLATFORM;
    const struct cl_device *device = platform->roots[0];
    if (!version_has_query(device, param_name))
        return CL_INVALID_VALUE;
    switch (param_name) {
    case CL_PLATFORM_PROFILE: return info_string(reply, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return device_info_version(reply, device, "OpenCL");
    case CL_PLATFORM_NAME: return info_string(reply, "Orrery");
    case CL_PLATFORM_VENDOR: return info_string(reply, "Orrery");
    case CL_PLATFORM_EXTENSIONS: return device_info_extensions(reply, device);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return device_info_extensions_with_version(reply, device);
    case CL_PLATFORM_NUMERIC_VERSION:
        return INFO_VALUE(reply, cl_version, device_info_numeric_version(device));
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return INFO_VALUE(reply, cl_ulong, 1);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
        return INFO_VALUE(reply, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return info_string(reply, "ORRERY");
    default: return CL_INVALID_VALUE;
    }
}

/* Compilers are child processes, so there is nothing to unload. */
cl_int CL_API_CALL api_clUnloadPlatformCompiler(cl_platform_id handle)
{
    return handle && platform_lookup(handle) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL api_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
