/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Every OpenCL call the dispatch table has on Linux, as api_clX, grouped by the file that implements
 *          it. The prototypes are those of the loader's own header (cl_api_clX), so that a wrong one does not
 *          compile. Direct3D and DX9 rows of the table have no prototype here: they stay NULL. entry_clX is
 *          the program's entry (exports.c): it watches over api_clX. The library itself calls api_clX.
 */
#ifndef ORRERY_LIB_API_H
#define ORRERY_LIB_API_H
#include "object.h"
#include "lib/record/tokens.h"

/* The table every object points to (dispatch.c). */
extern const cl_icd_dispatch api_dispatch;

#define API(name) __typeof__(*(cl_api_##name)NULL) api_##name, entry_##name;
/* Those that have no row in the table: found by name (icd.c). */
#define NAMED(name) __typeof__(name) api_##name, entry_##name;
/* clang-format off */

/* Platform (platform.c) */
API(clGetPlatformIDs)
API(clGetPlatformInfo)
API(clUnloadPlatformCompiler)
API(clUnloadCompiler)

/* Extension functions (icd.c) */
API(clGetExtensionFunctionAddress)
API(clGetExtensionFunctionAddressForPlatform)

/* Device (device.c) */
API(clGetDeviceIDs)
API(clGetDeviceInfo)
API(clRetainDevice)
API(clReleaseDevice)
API(clGetDeviceAndHostTimer)
API(clGetHostTimer)

/* Sub-devices (partition.c) */
API(clCreateSubDevices)

/* Context (context.c) */
API(clCreateContext)
API(clCreateContextFromType)
API(clRetainContext)
API(clReleaseContext)
API(clGetContextInfo)
API(clSetContextDestructorCallback)
NAMED(clTerminateContextKHR)

/* Command-queue (queue.c) */
API(clCreateCommandQueue)
API(clRetainCommandQueue)
API(clReleaseCommandQueue)
API(clGetCommandQueueInfo)
API(clSetCommandQueueProperty)
API(clCreateCommandQueueWithProperties)
API(clSetDefaultDeviceCommandQueue)
API(clFlush)
API(clFinish)

/* Memory object (memobj.c) */
API(clCreateBuffer)
API(clCreateBufferWithProperties)
API(clCreateSubBuffer)
API(clRetainMemObject)
API(clReleaseMemObject)
API(clGetMemObjectInfo)
API(clSetMemObjectDestructorCallback)

/* Shared virtual memory (svm.c) */
API(clSVMAlloc)
API(clSVMFree)

/* Program (program.c) */
API(clCreateProgramWithSource)
API(clCreateProgramWithIL)
API(clCreateProgramWithBinary)
API(clCreateProgramWithBuiltInKernels)
API(clRetainProgram)
API(clReleaseProgram)
API(clBuildProgram)
API(clCompileProgram)
API(clLinkProgram)
API(clSetProgramSpecializationConstant)
API(clSetProgramReleaseCallback)
API(clGetProgramInfo)
API(clGetProgramBuildInfo)

/* Kernel (kernel.c) */
API(clCreateKernel)
API(clCreateKernelsInProgram)
API(clCloneKernel)
API(clRetainKernel)
API(clReleaseKernel)
API(clSetKernelArg)
API(clSetKernelArgSVMPointer)
API(clSetKernelExecInfo)
API(clGetKernelInfo)
API(clGetKernelArgInfo)
API(clGetKernelWorkGroupInfo)
API(clGetKernelSubGroupInfo)
API(clGetKernelSubGroupInfoKHR)

/* Kernel commands (enqueue_kernel.c) */
NAMED(clGetKernelSuggestedLocalWorkSizeKHR)

/* Command-buffers (command_buffer.c) */
NAMED(clCreateCommandBufferKHR)
NAMED(clRetainCommandBufferKHR)
NAMED(clReleaseCommandBufferKHR)
NAMED(clFinalizeCommandBufferKHR)
NAMED(clGetCommandBufferInfoKHR)
NAMED(clCommandBarrierWithWaitListKHR)
NAMED(clCommandCopyBufferKHR)
NAMED(clCommandCopyBufferRectKHR)
NAMED(clCommandCopyBufferToImageKHR)
NAMED(clCommandCopyImageKHR)
NAMED(clCommandCopyImageToBufferKHR)
NAMED(clCommandFillBufferKHR)
NAMED(clCommandFillImageKHR)
NAMED(clCommandNDRangeKernelKHR)
NAMED(clCommandSVMMemcpyKHR)
NAMED(clCommandSVMMemFillKHR)
NAMED(clEnqueueCommandBufferKHR)

/* Semaphores (semaphore.c) */
NAMED(clCreateSemaphoreWithPropertiesKHR)
NAMED(clRetainSemaphoreKHR)
NAMED(clReleaseSemaphoreKHR)
NAMED(clGetSemaphoreInfoKHR)
NAMED(clEnqueueWaitSemaphoresKHR)
NAMED(clEnqueueSignalSemaphoresKHR)

/* Event (event.c) */
API(clCreateUserEvent)
API(clSetUserEventStatus)
API(clRetainEvent)
API(clReleaseEvent)
API(clGetEventInfo)
API(clGetEventProfilingInfo)
API(clSetEventCallback)
API(clWaitForEvents)

/* Buffer commands (enqueue_buffer.c) */
API(clEnqueueReadBuffer)
API(clEnqueueReadBufferRect)
API(clEnqueueWriteBuffer)
API(clEnqueueWriteBufferRect)
API(clEnqueueCopyBuffer)
API(clEnqueueCopyBufferRect)
API(clEnqueueFillBuffer)
API(clEnqueueMapBuffer)
API(clEnqueueUnmapMemObject)
API(clEnqueueMigrateMemObjects)

/* Kernel commands (enqueue_kernel.c, enqueue_native.c) */
API(clEnqueueNDRangeKernel)
API(clEnqueueTask)
API(clEnqueueNativeKernel)

/* Shared virtual memory commands (enqueue_svm.c) */
API(clEnqueueSVMFree)
API(clEnqueueSVMMemcpy)
API(clEnqueueSVMMemFill)
API(clEnqueueSVMMap)
API(clEnqueueSVMUnmap)
API(clEnqueueSVMMigrateMem)

/* Synchronisation commands (enqueue_sync.c) */
API(clEnqueueMarkerWithWaitList)
API(clEnqueueBarrierWithWaitList)
API(clEnqueueMarker)
API(clEnqueueBarrier)
API(clEnqueueWaitForEvents)

/* Images (absent.c) */
API(clCreateImage2D)
API(clCreateImage3D)
API(clGetSupportedImageFormats)
API(clGetImageInfo)
API(clEnqueueReadImage)
API(clEnqueueWriteImage)
API(clEnqueueCopyImage)
API(clEnqueueCopyImageToBuffer)
API(clEnqueueCopyBufferToImage)
API(clEnqueueMapImage)
API(clCreateImage)
API(clEnqueueFillImage)
API(clCreateImageWithProperties)

/* Samplers and pipes (absent.c) */
API(clCreateSampler)
API(clRetainSampler)
API(clReleaseSampler)
API(clGetSamplerInfo)
API(clCreatePipe)
API(clGetPipeInfo)
API(clCreateSamplerWithProperties)

/* Unified shared memory (usm.c, kernel.c): by name alone */
#define API_INTEL(name) __typeof__(*(name##INTEL_fn)NULL) api_##name##INTEL, entry_##name##INTEL;
API_INTEL(clHostMemAlloc)
API_INTEL(clDeviceMemAlloc)
API_INTEL(clSharedMemAlloc)
API_INTEL(clMemFree)
API_INTEL(clMemBlockingFree)
API_INTEL(clGetMemAllocInfo)
API_INTEL(clSetKernelArgMemPointer)
API_INTEL(clEnqueueMemFill)
API_INTEL(clEnqueueMemcpy)
API_INTEL(clEnqueueMigrateMem)
API_INTEL(clEnqueueMemAdvise)

/* Device fission (fission.c) */
API(clCreateSubDevicesEXT)
API(clRetainDeviceEXT)
API(clReleaseDeviceEXT)

/* Sharing with OpenGL and EGL (absent.c) */
API(clCreateFromGLBuffer)
API(clCreateFromGLTexture2D)
API(clCreateFromGLTexture3D)
API(clCreateFromGLRenderbuffer)
API(clGetGLObjectInfo)
API(clGetGLTextureInfo)
API(clEnqueueAcquireGLObjects)
API(clEnqueueReleaseGLObjects)
API(clGetGLContextInfoKHR)
API(clCreateEventFromGLsyncKHR)
API(clCreateFromGLTexture)
API(clCreateFromEGLImageKHR)
API(clEnqueueAcquireEGLObjectsKHR)
API(clEnqueueReleaseEGLObjectsKHR)
API(clCreateEventFromEGLSyncKHR)
/* clang-format on */
#undef API
#undef NAMED

/* The loader's entry (icd.c). */
cl_int CL_API_CALL api_clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                              cl_uint *num_platforms);
/* cl_khr_il_program names (program.c) and cl_khr_create_command_queue names (queue.c) are the core calls. */
#endif
