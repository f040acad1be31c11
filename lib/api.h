/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Every OpenCL call of the dispatch table on Linux, as api_clX. They are grouped by section of the
 *          OpenCL 3.0 API specification, with the file that implements them. The prototypes are those of the
 *          loader's own header (cl_api_clX), so that a wrong one does not compile. Rows of Direct3D and DX9
 *          are NULL. entry_clX is the program's entry (exports.c), which surrounds api_clX by call_begin and
 *          call_end. The library itself calls api_clX.
 */
#ifndef ORRERY_LIB_API_H
#define ORRERY_LIB_API_H
#include "object.h"
#include "tokens.h"

/* The table that every object points to (dispatch.c). */
extern const cl_icd_dispatch api_dispatch;

#define API(name) __typeof__(*(cl_api_##name)NULL) api_##name, entry_##name;
/* Calls without a row in the table, which programs find by name (icd.c). */
#define NAMED(name) __typeof__(name) api_##name, entry_##name;
/* clang-format off */

/* Platform, 4.1 (platform.c) */
API(clGetPlatformIDs)
API(clGetPlatformInfo)
API(clUnloadPlatformCompiler)
API(clUnloadCompiler)

/* Extension functions (icd.c) */
API(clGetExtensionFunctionAddress)
API(clGetExtensionFunctionAddressForPlatform)

/* Device, 4.2 (api_device.c) */
API(clGetDeviceIDs)
API(clGetDeviceInfo)
API(clRetainDevice)
API(clReleaseDevice)
API(clGetDeviceAndHostTimer)
API(clGetHostTimer)

/* Sub-devices, 4.3 (subdevice_partition.c) */
API(clCreateSubDevices)

/* Context, 4.4 (context.c) */
API(clCreateContext)
API(clCreateContextFromType)
API(clRetainContext)
API(clReleaseContext)
API(clGetContextInfo)
API(clSetContextDestructorCallback)
NAMED(clTerminateContextKHR)

/* Command-queue, 5.1 and 5.15 (queue.c; the default device queue: api_device_queue.c) */
API(clCreateCommandQueue)
API(clRetainCommandQueue)
API(clReleaseCommandQueue)
API(clGetCommandQueueInfo)
API(clSetCommandQueueProperty)
API(clCreateCommandQueueWithProperties)
API(clSetDefaultDeviceCommandQueue)
API(clFlush)
API(clFinish)

/* Buffers and memory objects, 5.2 and 5.5 (memobj.c) */
API(clCreateBuffer)
API(clCreateBufferWithProperties)
API(clCreateSubBuffer)
API(clRetainMemObject)
API(clReleaseMemObject)
API(clGetMemObjectInfo)
API(clSetMemObjectDestructorCallback)

/* Shared virtual memory, 5.6 (svm.c) */
API(clSVMAlloc)
API(clSVMFree)

/* Program, 5.8 (api_program.c, program_compile.c, program_link.c, built_in.c) */
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

/* Kernel, 5.9 (api_kernel.c, api_kernel_info.c) */
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

/* cl_khr_command_buffer (command_buffer.c) */
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

/* cl_khr_semaphore (semaphore.c) */
NAMED(clCreateSemaphoreWithPropertiesKHR)
NAMED(clRetainSemaphoreKHR)
NAMED(clReleaseSemaphoreKHR)
NAMED(clGetSemaphoreInfoKHR)
NAMED(clEnqueueWaitSemaphoresKHR)
NAMED(clEnqueueSignalSemaphoresKHR)

/* Event, 5.11 and 5.14 (event.c) */
API(clCreateUserEvent)
API(clSetUserEventStatus)
API(clRetainEvent)
API(clReleaseEvent)
API(clGetEventInfo)
API(clGetEventProfilingInfo)
API(clSetEventCallback)
API(clWaitForEvents)

/* Buffer commands, 5.2 and 5.5 (enqueue_buffer.c, enqueue_rect.c, enqueue_map.c) */
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

/* Kernel commands, 5.10 (enqueue_kernel.c, enqueue_native.c) */
API(clEnqueueNDRangeKernel)
API(clEnqueueTask)
API(clEnqueueNativeKernel)

/* Shared virtual memory commands, 5.6 (enqueue_svm.c) */
API(clEnqueueSVMFree)
API(clEnqueueSVMMemcpy)
API(clEnqueueSVMMemFill)
API(clEnqueueSVMMap)
API(clEnqueueSVMUnmap)
API(clEnqueueSVMMigrateMem)

/* Synchronisation commands, 5.12 (enqueue_sync.c) */
API(clEnqueueMarkerWithWaitList)
API(clEnqueueBarrierWithWaitList)
API(clEnqueueMarker)
API(clEnqueueBarrier)
API(clEnqueueWaitForEvents)

/* Images, 5.3 (api_image.c, enqueue_image.c, enqueue_map.c) */
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

/* Samplers, 5.7, and pipes, 5.4 (sampler.c, api_pipe.c) */
API(clCreateSampler)
API(clRetainSampler)
API(clReleaseSampler)
API(clGetSamplerInfo)
API(clCreatePipe)
API(clGetPipeInfo)
API(clCreateSamplerWithProperties)

/* cl_intel_unified_shared_memory (usm.c, api_kernel.c): found by name only */
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

/* cl_ext_device_fission (fission.c) */
API(clCreateSubDevicesEXT)
API(clRetainDeviceEXT)
API(clReleaseDeviceEXT)

/* Sharing with OpenGL and EGL (diagnose/absent.c) */
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
/* The names of cl_khr_il_program and cl_khr_create_command_queue are those of the core calls. */
#endif
