/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of a loader (cl_khr_icd), and the functions that programs find by name, without a row in the
 * table. */
#include <string.h>

#include "api.h"
#include "orrery_api.h"

cl_int CL_API_CALL api_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                              cl_uint *num_platforms)
{
    return api_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                       cl_uint *num_platforms)
{
    return api_clIcdGetPlatformIDsKHR(num_entries, platforms, num_platforms);
}

typedef void any_function(void);

static const struct extension_function {
    const char *name;
    any_function *function;
} extension_functions[] = {
    {"clIcdGetPlatformIDsKHR", (any_function *)api_clIcdGetPlatformIDsKHR},
    {"clGetPlatformInfo", (any_function *)entry_clGetPlatformInfo}, /* the loader looks it up by name */
    {"clCreateCommandQueueWithPropertiesKHR", (any_function *)entry_clCreateCommandQueueWithProperties},
    {"clCreateProgramWithILKHR", (any_function *)entry_clCreateProgramWithIL},
    {"clCreateSubDevicesEXT", (any_function *)entry_clCreateSubDevicesEXT},
    {"clRetainDeviceEXT", (any_function *)entry_clRetainDeviceEXT},
    {"clReleaseDeviceEXT", (any_function *)entry_clReleaseDeviceEXT},
    {"clGetKernelSubGroupInfoKHR", (any_function *)entry_clGetKernelSubGroupInfoKHR},
    {"clGetKernelSuggestedLocalWorkSizeKHR", (any_function *)entry_clGetKernelSuggestedLocalWorkSizeKHR},
    {"clTerminateContextKHR", (any_function *)entry_clTerminateContextKHR},
    {"clCreateCommandBufferKHR", (any_function *)entry_clCreateCommandBufferKHR},
    {"clRetainCommandBufferKHR", (any_function *)entry_clRetainCommandBufferKHR},
    {"clReleaseCommandBufferKHR", (any_function *)entry_clReleaseCommandBufferKHR},
    {"clFinalizeCommandBufferKHR", (any_function *)entry_clFinalizeCommandBufferKHR},
    {"clGetCommandBufferInfoKHR", (any_function *)entry_clGetCommandBufferInfoKHR},
    {"clCommandBarrierWithWaitListKHR", (any_function *)entry_clCommandBarrierWithWaitListKHR},
    {"clCommandCopyBufferKHR", (any_function *)entry_clCommandCopyBufferKHR},
    {"clCommandCopyBufferRectKHR", (any_function *)entry_clCommandCopyBufferRectKHR},
    {"clCommandCopyBufferToImageKHR", (any_function *)entry_clCommandCopyBufferToImageKHR},
    {"clCommandCopyImageKHR", (any_function *)entry_clCommandCopyImageKHR},
    {"clCommandCopyImageToBufferKHR", (any_function *)entry_clCommandCopyImageToBufferKHR},
    {"clCommandFillBufferKHR", (any_function *)entry_clCommandFillBufferKHR},
    {"clCommandFillImageKHR", (any_function *)entry_clCommandFillImageKHR},
    {"clCommandNDRangeKernelKHR", (any_function *)entry_clCommandNDRangeKernelKHR},
    {"clCommandSVMMemcpyKHR", (any_function *)entry_clCommandSVMMemcpyKHR},
    {"clCommandSVMMemFillKHR", (any_function *)entry_clCommandSVMMemFillKHR},
    {"clEnqueueCommandBufferKHR", (any_function *)entry_clEnqueueCommandBufferKHR},
    {"clCreateSemaphoreWithPropertiesKHR", (any_function *)entry_clCreateSemaphoreWithPropertiesKHR},
    {"clRetainSemaphoreKHR", (any_function *)entry_clRetainSemaphoreKHR},
    {"clReleaseSemaphoreKHR", (any_function *)entry_clReleaseSemaphoreKHR},
    {"clGetSemaphoreInfoKHR", (any_function *)entry_clGetSemaphoreInfoKHR},
    {"clEnqueueWaitSemaphoresKHR", (any_function *)entry_clEnqueueWaitSemaphoresKHR},
    {"clEnqueueSignalSemaphoresKHR", (any_function *)entry_clEnqueueSignalSemaphoresKHR},
    {"clHostMemAllocINTEL", (any_function *)entry_clHostMemAllocINTEL},
    {"clDeviceMemAllocINTEL", (any_function *)entry_clDeviceMemAllocINTEL},
    {"clSharedMemAllocINTEL", (any_function *)entry_clSharedMemAllocINTEL},
    {"clMemFreeINTEL", (any_function *)entry_clMemFreeINTEL},
    {"clMemBlockingFreeINTEL", (any_function *)entry_clMemBlockingFreeINTEL},
    {"clGetMemAllocInfoINTEL", (any_function *)entry_clGetMemAllocInfoINTEL},
    {"clSetKernelArgMemPointerINTEL", (any_function *)entry_clSetKernelArgMemPointerINTEL},
    {"clEnqueueMemFillINTEL", (any_function *)entry_clEnqueueMemFillINTEL},
    {"clEnqueueMemcpyINTEL", (any_function *)entry_clEnqueueMemcpyINTEL},
    {"clEnqueueMigrateMemINTEL", (any_function *)entry_clEnqueueMigrateMemINTEL},
    {"clEnqueueMemAdviseINTEL", (any_function *)entry_clEnqueueMemAdviseINTEL},
};

void *CL_API_CALL api_clGetExtensionFunctionAddress(const char *function_name)
{
    if (!function_name)
        return NULL;
    for (size_t i = 0; i < sizeof extension_functions / sizeof *extension_functions; i++)
        if (strcmp(function_name, extension_functions[i].name) == 0)
            return (void *)(uintptr_t)extension_functions[i].function;
    return orrery_function(function_name);
}

void *CL_API_CALL api_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                               const char *function_name)
{
    return object_lookup(platform, OBJECT_PLATFORM) ? api_clGetExtensionFunctionAddress(function_name) : NULL;
}
