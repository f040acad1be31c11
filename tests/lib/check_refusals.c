/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of calls that create, set and query: rows of lib/api_rows.def. Those of commands are in
 * check_refusals_enqueue.c. Linked with the library itself: a loader checks some arguments on its own. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "tests/support/refusal_fixture.h"

/* ---- handles ------------------------------------------------------------------------------------- */

/* A loader looks at handles only to see whether they are NULL. */
START_TEST(handles)
{
    REFUSES(clGetPlatformInfo, CL_INVALID_PLATFORM, (cl_platform_id)queue, 0, 0, 0, 0);
    REFUSES(clGetDeviceIDs, CL_INVALID_PLATFORM, (cl_platform_id)queue, 0, 0, 0, 0);
    REFUSES(clGetDeviceInfo, CL_INVALID_DEVICE, (cl_device_id)queue, 0, 0, 0, 0);
    REFUSES(clCreateSubDevices, CL_INVALID_DEVICE, (cl_device_id)queue, 0, 0, 0, 0);
    REFUSES(clRetainDevice, CL_INVALID_DEVICE, (cl_device_id)queue);
    REFUSES(clReleaseDevice, CL_INVALID_DEVICE, (cl_device_id)queue);
    REFUSES(clSetDefaultDeviceCommandQueue, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0);
    REFUSES(clGetDeviceAndHostTimer, CL_INVALID_DEVICE, (cl_device_id)queue, 0, 0);
    REFUSES(clGetHostTimer, CL_INVALID_DEVICE, (cl_device_id)queue, 0);
    REFUSES(clRetainContext, CL_INVALID_CONTEXT, (cl_context)queue);
    REFUSES(clReleaseContext, CL_INVALID_CONTEXT, (cl_context)queue);
    REFUSES(clGetContextInfo, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0);
    REFUSES(clSetContextDestructorCallback, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, 0, 0);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreatePipe, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0);
    REFUSES(clRetainMemObject, CL_INVALID_MEM_OBJECT, (cl_mem)queue);
    REFUSES(clReleaseMemObject, CL_INVALID_MEM_OBJECT, (cl_mem)queue);
    REFUSES(clGetSupportedImageFormats, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0);
    REFUSES(clGetMemObjectInfo, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, 0, 0, 0);
    REFUSES(clGetImageInfo, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, 0, 0, 0);
    REFUSES(clGetPipeInfo, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, 0, 0, 0);
    REFUSES(clSetMemObjectDestructorCallback, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, 0);
    REFUSES_OBJECT(clCreateSamplerWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, 0);
    REFUSES(clRetainSampler, CL_INVALID_SAMPLER, (cl_sampler)queue);
    REFUSES(clReleaseSampler, CL_INVALID_SAMPLER, (cl_sampler)queue);
    REFUSES(clGetSamplerInfo, CL_INVALID_SAMPLER, (cl_sampler)queue, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateImage2D, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateImage3D, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateCommandQueue, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0);
    REFUSES_OBJECT(clCreateSampler, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0);
}
END_TEST

START_TEST(handles_of_programs_kernels_and_events)
{
    REFUSES_OBJECT(clCreateProgramWithSource, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0);
    REFUSES_OBJECT(clCreateProgramWithBinary, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateProgramWithBuiltInKernels, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0);
    REFUSES_OBJECT(clCreateProgramWithIL, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0);
    REFUSES(clRetainProgram, CL_INVALID_PROGRAM, (cl_program)queue);
    REFUSES(clReleaseProgram, CL_INVALID_PROGRAM, (cl_program)queue);
    REFUSES(clBuildProgram, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0, 0, 0, 0);
    REFUSES(clCompileProgram, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES_OBJECT(clLinkProgram, CL_INVALID_CONTEXT, (cl_context)queue, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clSetProgramReleaseCallback, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0);
    REFUSES(clUnloadPlatformCompiler, CL_INVALID_PLATFORM, (cl_platform_id)queue);
    REFUSES(clGetProgramInfo, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0, 0, 0);
    REFUSES(clGetProgramBuildInfo, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateKernel, CL_INVALID_PROGRAM, (cl_program)queue, 0);
    REFUSES(clCreateKernelsInProgram, CL_INVALID_PROGRAM, (cl_program)queue, 0, 0, 0);
    REFUSES(clRetainKernel, CL_INVALID_KERNEL, (cl_kernel)queue);
    REFUSES(clReleaseKernel, CL_INVALID_KERNEL, (cl_kernel)queue);
    REFUSES(clSetKernelArg, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0);
    REFUSES(clSetKernelArgSVMPointer, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0);
    REFUSES(clSetKernelExecInfo, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0);
    REFUSES(clGetKernelInfo, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0, 0);
    REFUSES(clGetKernelArgInfo, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0, 0, 0);
    REFUSES(clGetKernelWorkGroupInfo, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0, 0, 0);
    REFUSES(clGetKernelSubGroupInfo, CL_INVALID_KERNEL, (cl_kernel)queue, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clGetEventInfo, CL_INVALID_EVENT, (cl_event)queue, 0, 0, 0, 0);
    REFUSES_OBJECT(clCreateUserEvent, CL_INVALID_CONTEXT, (cl_context)queue);
    REFUSES(clRetainEvent, CL_INVALID_EVENT, (cl_event)queue);
    REFUSES(clReleaseEvent, CL_INVALID_EVENT, (cl_event)queue);
    REFUSES(clSetUserEventStatus, CL_INVALID_EVENT, (cl_event)queue, 0);
    REFUSES(clSetEventCallback, CL_INVALID_EVENT, (cl_event)queue, 0, 0, 0);
    REFUSES(clGetEventProfilingInfo, CL_INVALID_EVENT, (cl_event)queue, 0, 0, 0, 0);
}
END_TEST

START_TEST(handles_of_queues)
{
    REFUSES(clRetainCommandQueue, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer);
    REFUSES(clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer);
    REFUSES(clGetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0);
    REFUSES(clFlush, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer);
    REFUSES(clFinish, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer);
    REFUSES(clEnqueueReadBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueReadBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueWriteBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueWriteBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueFillBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueCopyBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueCopyBufferRect, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0);
    REFUSES(clEnqueueReadImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0);
    REFUSES(clEnqueueWriteImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0);
    REFUSES(clEnqueueFillImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueCopyImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0,
            0, 0);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0,
            0, 0);
    REFUSES_OBJECT(clEnqueueMapBuffer, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0,
                   0, 0);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0,
                   0, 0, 0);
    REFUSES(clEnqueueUnmapMemObject, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueMigrateMemObjects, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueNDRangeKernel, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0,
            0);
    REFUSES(clEnqueueNativeKernel, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0, 0,
            0);
    REFUSES(clEnqueueMarkerWithWaitList, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0);
    REFUSES(clEnqueueBarrierWithWaitList, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0);
    REFUSES(clEnqueueSVMFree, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueSVMMemcpy, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueSVMMemFill, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueSVMMap, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clEnqueueSVMUnmap, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0);
    REFUSES(clEnqueueSVMMigrateMem, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0, 0, 0, 0);
    REFUSES(clSetCommandQueueProperty, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0);
    REFUSES(clEnqueueMarker, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0);
    REFUSES(clEnqueueWaitForEvents, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0);
    REFUSES(clEnqueueBarrier, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer);
    REFUSES(clEnqueueTask, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 0, 0, 0, 0);
}
END_TEST

START_TEST(lists)
{
    REFUSES(clGetPlatformIDs, CL_INVALID_VALUE, 0, &platform, NULL);
    REFUSES(clGetPlatformIDs, CL_INVALID_VALUE, 1, NULL, NULL);
    REFUSES(clWaitForEvents, CL_INVALID_VALUE, 0, NULL);
    REFUSES(clEnqueueWaitForEvents, CL_INVALID_VALUE, queue, 0, NULL);
    REFUSES(clEnqueueMarker, CL_INVALID_VALUE, queue, NULL);
}
END_TEST

/* ---- devices and contexts ------------------------------------------------------------------------ */

START_TEST(partition_counts)
{
    cl_device_id made[8];
    const cl_device_partition_property many[] = {
        CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
    const cl_device_partition_property sum[] = {CL_DEVICE_PARTITION_BY_COUNTS, 5, 5, 0, 0};
    const cl_device_partition_property negative[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0};
    const cl_device_partition_property large[] = {CL_DEVICE_PARTITION_BY_COUNTS, 9, 0, 0};
    const cl_device_partition_property nonsense[] = {12345, 1, 0},
                                       unsupported[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0, 0};
    const cl_device_partition_property singles[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    REFUSES(clCreateSubDevices, CL_INVALID_VALUE, device, nonsense, 8, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_VALUE, device, unsupported, 8, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_VALUE, device, singles, 1, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, device, many, 8, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, device, sum, 8, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, device, negative, 8, made, NULL);
    REFUSES(clCreateSubDevices, CL_INVALID_DEVICE_PARTITION_COUNT, device, large, 8, made, NULL);
}
END_TEST

static cl_context_properties of_platform(void)
{
    return (cl_context_properties)platform;
}

START_TEST(contexts)
{
    const cl_context_properties no_platform[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device, 0};
    const cl_context_properties no_name[] = {CL_CONTEXT_PLATFORM, of_platform(), 12345, 1, 0};
    const cl_context_properties no_value[] = {CL_CONTEXT_PLATFORM, of_platform(),
                                              CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, of_platform(), CL_CONTEXT_PLATFORM,
                                           of_platform(), 0};
    REFUSES_OBJECT(clCreateContext, CL_INVALID_PLATFORM, no_platform, 1, &device, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_PROPERTY, no_name, 1, &device, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_PROPERTY, no_value, 1, &device, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_PROPERTY, twice, 1, &device, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_VALUE, NULL, 1, NULL, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_VALUE, NULL, 0, &device, NULL, NULL);
    REFUSES_OBJECT(clCreateContext, CL_INVALID_VALUE, NULL, 1, &device, NULL, host);
    REFUSES_OBJECT(clCreateContextFromType, CL_INVALID_PLATFORM, no_platform, CL_DEVICE_TYPE_ALL, NULL, NULL);
    REFUSES_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, no_name, CL_DEVICE_TYPE_ALL, NULL, NULL);
    REFUSES_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, no_value, CL_DEVICE_TYPE_ALL, NULL, NULL);
    REFUSES_OBJECT(clCreateContextFromType, CL_INVALID_PROPERTY, twice, CL_DEVICE_TYPE_ALL, NULL, NULL);
}
END_TEST

/* ---- queues ---------------------------------------------------------------------------------------- */

START_TEST(queues)
{
    const cl_queue_properties unknown[] = {12345, 1, 0};
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, device, NULL);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_DEVICE, context, (cl_device_id)queue, NULL);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, context, device, unknown);
    REFUSES(clSetDefaultDeviceCommandQueue, CL_INVALID_DEVICE, context, (cl_device_id)queue, queue);
}
END_TEST

START_TEST(devices_of_another_context)
{
    cl_device_id both[2];
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, both, NULL));
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_DEVICE, context, both[1], NULL);
    REFUSES(clSetDefaultDeviceCommandQueue, CL_INVALID_DEVICE, context, both[1], queue);
}
END_TEST

/* ---- buffers ------------------------------------------------------------------------------------------ */

enum { HUGE_FLAGS = 1 << 30 };
static const size_t huge = (size_t)1 << 50;

START_TEST(buffers)
{
    char *shared = clSVMAlloc(context, 0, 64, 0);
    ck_assert_ptr_nonnull(shared);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_CONTEXT, (cl_context)queue, 0, 4, NULL);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_VALUE, context, HUGE_FLAGS, 4, NULL);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, context, 0, 0, NULL);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, context, 0, huge, NULL);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_BUFFER_SIZE, context, CL_MEM_USE_HOST_PTR, 65, shared);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_HOST_PTR, context, CL_MEM_COPY_HOST_PTR, 4, NULL);
    REFUSES_OBJECT(clCreateBuffer, CL_INVALID_HOST_PTR, context, 0, 4, host);
    clSVMFree(context, shared);
}
END_TEST

START_TEST(buffers_with_properties)
{
    const cl_mem_properties unknown[] = {12345, 1, 0};
    char *shared = clSVMAlloc(context, 0, 64, 0);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, NULL, 0, 4, NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_PROPERTY, context, unknown, 0, 4, NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_VALUE, context, NULL, HUGE_FLAGS, 4, NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, context, NULL, 0, 0, NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, context, NULL, 0, huge, NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_BUFFER_SIZE, context, NULL, CL_MEM_COPY_HOST_PTR,
                   65, shared);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_HOST_PTR, context, NULL, CL_MEM_USE_HOST_PTR, 4,
                   NULL);
    REFUSES_OBJECT(clCreateBufferWithProperties, CL_INVALID_HOST_PTR, context, NULL, 0, 4, host);
    clSVMFree(context, shared);
}
END_TEST

START_TEST(sub_buffers)
{
    const cl_buffer_create_type region = CL_BUFFER_CREATE_TYPE_REGION;
    const cl_buffer_region whole = {0, 1024}, outside = {512, 1024}, beyond = {2048, 4}, empty = {0, 0},
                           crooked = {4, 4};
    cl_mem write_only = cl_buffer(context, CL_MEM_WRITE_ONLY, 1024, NULL);
    cl_mem read_only = cl_buffer(context, CL_MEM_READ_ONLY, 1024, NULL);
    cl_mem host_writes = cl_buffer(context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL);
    cl_mem host_reads = cl_buffer(context, CL_MEM_HOST_READ_ONLY, 1024, NULL);
    cl_mem no_host = cl_buffer(context, CL_MEM_HOST_NO_ACCESS, 1024, NULL);
    cl_mem part = clCreateSubBuffer(buffer, 0, region, &whole, NULL);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, (cl_mem)queue, 0, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_MEM_OBJECT, part, 0, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, write_only, CL_MEM_READ_ONLY, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, read_only, CL_MEM_WRITE_ONLY, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, host_writes, CL_MEM_HOST_READ_ONLY, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, host_reads, CL_MEM_HOST_WRITE_ONLY, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, no_host, CL_MEM_HOST_READ_ONLY, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, buffer, CL_MEM_ALLOC_HOST_PTR, region, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, buffer, 0, region + 1, &whole);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, buffer, 0, region, NULL);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, buffer, 0, region, &beyond);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_VALUE, buffer, 0, region, &outside);
    REFUSES_OBJECT(clCreateSubBuffer, CL_INVALID_BUFFER_SIZE, buffer, 0, region, &empty);
    REFUSES_OBJECT(clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET, buffer, 0, region, &crooked);
    const cl_mem made[] = {write_only, read_only, host_writes, host_reads, no_host, part};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cl_ok(clReleaseMemObject(made[i]));
}
END_TEST

/* ---- images and samplers --------------------------------------------------------------------- */

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, impossible = {CL_RGB, CL_FLOAT},
                             absent = {CL_DEPTH_STENCIL, CL_UNORM_INT24};
static const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};

START_TEST(images)
{
    cl_image_desc on = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4}, crooked = flat,
                  empty = flat;
    const cl_image_desc nothing = {.image_type = CL_MEM_OBJECT_BUFFER};
    cl_mem write_only = cl_buffer(context, CL_MEM_WRITE_ONLY, 1024, NULL);
    cl_mem host_writes = cl_buffer(context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL);
    cl_mem host_reads = cl_buffer(context, CL_MEM_HOST_READ_ONLY, 1024, NULL);
    cl_mem no_host = cl_buffer(context, CL_MEM_HOST_NO_ACCESS, 1024, NULL);
    crooked.buffer = buffer;
    crooked.image_row_pitch = 18;
    empty.image_width = 0;
    REFUSES_OBJECT(clCreateImage, CL_INVALID_CONTEXT, (cl_context)queue, 0, &rgba, &flat, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_VALUE, context, HUGE_FLAGS, &rgba, &flat, NULL);
    on.buffer = write_only;
    REFUSES_OBJECT(clCreateImage, CL_INVALID_VALUE, context, CL_MEM_READ_ONLY, &rgba, &on, NULL);
    on.buffer = host_writes;
    REFUSES_OBJECT(clCreateImage, CL_INVALID_VALUE, context, CL_MEM_HOST_READ_ONLY, &rgba, &on, NULL);
    on.buffer = host_reads;
    REFUSES_OBJECT(clCreateImage, CL_INVALID_VALUE, context, CL_MEM_HOST_WRITE_ONLY, &rgba, &on, NULL);
    on.buffer = no_host;
    REFUSES_OBJECT(clCreateImage, CL_INVALID_VALUE, context, CL_MEM_HOST_WRITE_ONLY, &rgba, &on, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, NULL, &flat, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, &impossible, &flat, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, &rgba, &crooked, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_IMAGE_SIZE, context, 0, &rgba, &empty, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_HOST_PTR, context, CL_MEM_USE_HOST_PTR, &rgba, &flat, NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_HOST_PTR, context, 0, &rgba, &flat, host);
    REFUSES_OBJECT(clCreateImage, CL_IMAGE_FORMAT_NOT_SUPPORTED, context, CL_MEM_WRITE_ONLY, &absent, &flat,
                   NULL);
    REFUSES_OBJECT(clCreateImage, CL_INVALID_IMAGE_DESCRIPTOR, context, 0, &rgba, &nothing, NULL);
    const cl_mem made[] = {write_only, host_writes, host_reads, no_host};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cl_ok(clReleaseMemObject(made[i]));
}
END_TEST

START_TEST(images_with_properties)
{
    const cl_mem_properties unknown[] = {12345, 1, 0};
    cl_image_desc on = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4}, crooked = flat,
                  empty = flat;
    cl_mem read_only = cl_buffer(context, CL_MEM_READ_ONLY, 1024, NULL);
    cl_mem host_writes = cl_buffer(context, CL_MEM_HOST_WRITE_ONLY, 1024, NULL);
    cl_mem host_reads = cl_buffer(context, CL_MEM_HOST_READ_ONLY, 1024, NULL);
    cl_mem no_host = cl_buffer(context, CL_MEM_HOST_NO_ACCESS, 1024, NULL);
    crooked.buffer = buffer;
    crooked.image_row_pitch = 18;
    empty.image_width = 0;
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, NULL, 0, &rgba, &flat,
                   NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_PROPERTY, context, unknown, 0, &rgba, &flat, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, context, NULL, HUGE_FLAGS, &rgba, &flat,
                   NULL);
    on.buffer = read_only;
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, context, NULL, CL_MEM_WRITE_ONLY, &rgba,
                   &on, NULL);
    on.buffer = host_writes;
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, context, NULL, CL_MEM_HOST_READ_ONLY, &rgba,
                   &on, NULL);
    on.buffer = host_reads;
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, context, NULL, CL_MEM_HOST_WRITE_ONLY,
                   &rgba, &on, NULL);
    on.buffer = no_host;
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_VALUE, context, NULL, CL_MEM_HOST_READ_ONLY, &rgba,
                   &on, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, NULL, 0, NULL,
                   &flat, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, NULL, 0,
                   &impossible, &flat, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, NULL, 0, &rgba,
                   &crooked, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_IMAGE_SIZE, context, NULL, 0, &rgba, &empty, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_HOST_PTR, context, NULL, CL_MEM_COPY_HOST_PTR,
                   &rgba, &flat, NULL);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_INVALID_HOST_PTR, context, NULL, 0, &rgba, &flat, host);
    REFUSES_OBJECT(clCreateImageWithProperties, CL_IMAGE_FORMAT_NOT_SUPPORTED, context, NULL,
                   CL_MEM_WRITE_ONLY, &absent, &flat, NULL);
    const cl_mem made[] = {read_only, host_writes, host_reads, no_host};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        cl_ok(clReleaseMemObject(made[i]));
}
END_TEST

START_TEST(images_of_1_1)
{
    REFUSES_OBJECT(clCreateImage2D, CL_INVALID_VALUE, context, HUGE_FLAGS, &rgba, 4, 4, 0, NULL);
    REFUSES_OBJECT(clCreateImage2D, CL_INVALID_HOST_PTR, context, CL_MEM_USE_HOST_PTR, &rgba, 4, 4, 0, NULL);
    REFUSES_OBJECT(clCreateImage2D, CL_IMAGE_FORMAT_NOT_SUPPORTED, context, CL_MEM_WRITE_ONLY, &absent, 4, 4,
                   0, NULL);
    REFUSES_OBJECT(clCreateImage2D, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, NULL, 4, 4, 0, NULL);
    REFUSES_OBJECT(clCreateImage3D, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, context, 0, &impossible, 4, 4, 2, 0,
                   0, NULL);
    REFUSES_OBJECT(clCreateImage3D, CL_INVALID_VALUE, context, HUGE_FLAGS, &rgba, 4, 4, 2, 0, 0, NULL);
    REFUSES_OBJECT(clCreateImage3D, CL_INVALID_HOST_PTR, context, 0, &rgba, 4, 4, 2, 0, 0, host);
    REFUSES_OBJECT(clCreateImage3D, CL_IMAGE_FORMAT_NOT_SUPPORTED, context, CL_MEM_WRITE_ONLY, &absent, 4, 4,
                   2, 0, 0, NULL);
}
END_TEST

START_TEST(samplers)
{
    REFUSES_OBJECT(clCreateSamplerWithProperties, CL_INVALID_CONTEXT, (cl_context)queue, NULL);
}
END_TEST

/* ---- shared memory --------------------------------------------------------------------------- */

static void refuses_allocation(cl_context of, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    ck_assert_ptr_null(clSVMAlloc(of, flags, size, alignment));
}

START_TEST(allocations)
{
    /* clSVMAlloc: NULL */
    refuses_allocation((cl_context)queue, 0, 4, 0);
    /* clSVMAlloc: NULL */
    refuses_allocation(context, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 4, 0);
    /* clSVMAlloc: NULL */
    refuses_allocation(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0);
    /* clSVMAlloc: NULL */
    refuses_allocation(context, HUGE_FLAGS, 4, 0);
    /* clSVMAlloc: NULL */
    refuses_allocation(context, 0, 0, 0);
    /* clSVMAlloc: NULL */
    refuses_allocation(context, 0, 4, 3);
}
END_TEST

/* ---- programs -------------------------------------------------------------------------------- */

static const char *plain = "kernel void k(global int *p) { *p = 1; }";

START_TEST(programs)
{
    cl_int err;
    cl_program linked, compiled = cl_program_of(context, plain, NULL);
    cl_ok(clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(context, 0, NULL, NULL, 1, &compiled, NULL, NULL, &err);
    cl_ok(err);
    REFUSES(clCompileProgram, CL_INVALID_OPERATION, linked, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(linked, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseKernel(kernel));
    cl_program held = cl_program_of(context, plain, "");
    kernel = clCreateKernel(held, "k", &err);
    cl_ok(err);
    REFUSES(clCompileProgram, CL_INVALID_OPERATION, held, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(held));
    cl_ok(clReleaseProgram(linked));
    cl_ok(clReleaseProgram(compiled));
}
END_TEST

/* A compiler that takes its time; the calling thread builds, so another one has to. */
static void *build_slowly(void *program)
{
    cl_ok(clBuildProgram(program, 0, NULL, "-DSLOWLY", NULL, NULL));
    return NULL;
}

static cl_build_status status_of(cl_program program)
{
    cl_build_status status;
    cl_ok(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

START_TEST(programs_that_are_being_built)
{
    pthread_t thread;
    cl_program program = cl_program_of(context, plain, NULL);
    ck_assert_int_eq(pthread_create(&thread, NULL, build_slowly, program), 0);
    while (status_of(program) != CL_BUILD_IN_PROGRESS)
        ck_assert_int_ne(status_of(program), CL_BUILD_SUCCESS);
    REFUSES(clBuildProgram, CL_INVALID_OPERATION, program, 0, NULL, NULL, NULL, NULL);
    REFUSES(clCompileProgram, CL_INVALID_OPERATION, program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    REFUSES_OBJECT(clLinkProgram, CL_INVALID_OPERATION, context, 0, NULL, NULL, 1, &program, NULL, NULL);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    cl_ok(clReleaseProgram(program));
}
END_TEST

START_TEST(programs_without_a_compiler)
{
    cl_program program = cl_program_of(context, plain, NULL);
    REFUSES(clBuildProgram, CL_COMPILER_NOT_AVAILABLE, program, 0, NULL, NULL, NULL, NULL);
    REFUSES(clCompileProgram, CL_COMPILER_NOT_AVAILABLE, program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
    cl_ok(clReleaseProgram(program));
}
END_TEST

/* ---- kernels --------------------------------------------------------------------------------- */

START_TEST(arguments)
{
    cl_kernel kernel = cl_kernel_of(
        context, "kernel void k(global int *p, local int *q, int n, sampler_t s) { *p = *q; }", "");
    cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
    const cl_int number = 1;
    REFUSES(clSetKernelArg, CL_INVALID_ARG_SIZE, kernel, 0, 4, &buffer);
    REFUSES(clSetKernelArg, CL_INVALID_ARG_SIZE, kernel, 1, 0, NULL);
    REFUSES(clSetKernelArg, CL_INVALID_ARG_SIZE, kernel, 2, 8, &number);
    REFUSES(clSetKernelArg, CL_INVALID_ARG_SIZE, kernel, 3, 4, &sampler);
    cl_ok(clReleaseSampler(sampler));
    cl_kernel enqueues = cl_kernel_of(context, "kernel void k(queue_t q) {}", "-cl-std=CL2.0");
    REFUSES(clSetKernelArg, CL_INVALID_ARG_SIZE, enqueues, 0, 4, &queue);
    REFUSES(clSetKernelArg, CL_INVALID_DEVICE_QUEUE, enqueues, 0, sizeof queue, &queue);
    cl_ok(clReleaseKernel(enqueues));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(arguments_of_restricted_size)
{
    cl_kernel kernel = restricted_kernel();
    cl_mem small = cl_buffer(context, 0, 64, NULL);
    REFUSES(clSetKernelArg, CL_MAX_SIZE_RESTRICTION_EXCEEDED, kernel, 0, sizeof buffer, &buffer);
    cl_ok(clSetKernelArg(kernel, 0, sizeof small, &small));
    cl_ok(clReleaseMemObject(small));
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(settings)
{
    const cl_bool yes = CL_TRUE;
    cl_kernel kernel = cl_kernel_of(context, plain, "");
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
            sizeof yes, &yes);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* ---- devices that lack something ------------------------------------------------------------- */

static void without_svm(void)
{
    refusal_set_up_with("device: {features: {svm_coarse: false}}");
}

START_TEST(settings_without_shared_memory)
{
    const void *pointers[] = {host};
    cl_kernel kernel = cl_kernel_of(context, plain, "");
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers,
            pointers);
    refuses_allocation(context, 0, 4, 0); /* clSVMAlloc: NULL */
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void without_il(void)
{
    refusal_set_up_with("device: {features: {il: false}}");
}

START_TEST(programs_without_an_intermediate_language)
{
    const cl_uint words[] = {0x07230203, 0x10000, 0, 1, 0}, value = 1;
    cl_program program = cl_program_of(context, plain, NULL);
    REFUSES_OBJECT(clCreateProgramWithIL, CL_INVALID_OPERATION, context, words, sizeof words);
    REFUSES(clSetProgramSpecializationConstant, CL_INVALID_OPERATION, program, 0, sizeof value, &value);
    cl_ok(clReleaseProgram(program));
}
END_TEST

static void without_pipes(void)
{
    refusal_set_up_with("device: {features: {pipes: false}}");
}

START_TEST(pipes_without_pipes)
{
    REFUSES_OBJECT(clCreatePipe, CL_INVALID_OPERATION, context, 0, 4, 4, NULL);
}
END_TEST

static void without_device_queues(void)
{
    refusal_set_up_with("device: {features: {device_enqueue: false}}");
}

START_TEST(queues_on_devices_without_queues)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, context, device, list);
    REFUSES(clSetDefaultDeviceCommandQueue, CL_INVALID_OPERATION, context, device, queue);
}
END_TEST

static void with_two_devices(void)
{
    refusal_set_up_with("devices: [{name: a}, {name: b}]");
}

static char slow_compiler[] = "/tmp/orrery-slow-XXXXXX";

static void with_a_slow_compiler(void)
{
    const char *usual = getenv("ORRERY_CLANG");
    int file = mkstemp(slow_compiler);
    ck_assert_int_ge(file, 0);
    dprintf(file, "#!/bin/sh\nsleep 1\nexec %s \"$@\"\n", usual ? usual : ORRERY_CLANG_DEFAULT);
    ck_assert_int_eq(fchmod(file, 0700), 0);
    close(file);
    setenv("ORRERY_CLANG", slow_compiler, 1);
    setenv("ORRERY_CACHE", "0", 1);
    refusal_set_up();
}

static void away_with_it(void)
{
    refusal_tear_down();
    unlink(slow_compiler);
}

static void without_a_compiler(void)
{
    setenv("ORRERY_CLANG", "/nowhere/clang", 1);
    setenv("ORRERY_CACHE", "0", 1);
    refusal_set_up();
}

int main(void)
{
    Suite *suite = suite_create("refusals");
    TCase *usual = tcase_create("usual"), *svm = tcase_create("svm"), *il = tcase_create("il"),
          *pipes = tcase_create("pipes"), *two = tcase_create("two devices"),
          *slow = tcase_create("slow compiler"), *no_queues = tcase_create("queues"),
          *compiler = tcase_create("compiler");
    tcase_add_checked_fixture(usual, refusal_set_up, refusal_tear_down);
    tcase_add_test(usual, handles);
    tcase_add_test(usual, handles_of_programs_kernels_and_events);
    tcase_add_test(usual, handles_of_queues);
    tcase_add_test(usual, lists);
    tcase_add_test(usual, partition_counts);
    tcase_add_test(usual, contexts);
    tcase_add_test(usual, queues);
    tcase_add_test(usual, buffers);
    tcase_add_test(usual, buffers_with_properties);
    tcase_add_test(usual, sub_buffers);
    tcase_add_test(usual, images);
    tcase_add_test(usual, images_with_properties);
    tcase_add_test(usual, images_of_1_1);
    tcase_add_test(usual, samplers);
    tcase_add_test(usual, allocations);
    tcase_add_test(usual, programs);
    tcase_add_test(usual, arguments);
    tcase_add_test(usual, arguments_of_restricted_size);
    tcase_add_test(usual, settings);
    suite_add_tcase(suite, usual);
    tcase_add_checked_fixture(svm, without_svm, refusal_tear_down);
    tcase_add_test(svm, settings_without_shared_memory);
    suite_add_tcase(suite, svm);
    tcase_add_checked_fixture(il, without_il, refusal_tear_down);
    tcase_add_test(il, programs_without_an_intermediate_language);
    suite_add_tcase(suite, il);
    tcase_add_checked_fixture(pipes, without_pipes, refusal_tear_down);
    tcase_add_test(pipes, pipes_without_pipes);
    suite_add_tcase(suite, pipes);
    tcase_add_checked_fixture(two, with_two_devices, refusal_tear_down);
    tcase_add_test(two, devices_of_another_context);
    suite_add_tcase(suite, two);
    tcase_add_checked_fixture(slow, with_a_slow_compiler, away_with_it);
    tcase_add_test(slow, programs_that_are_being_built);
    suite_add_tcase(suite, slow);
    tcase_add_checked_fixture(no_queues, without_device_queues, refusal_tear_down);
    tcase_add_test(no_queues, queues_on_devices_without_queues);
    suite_add_tcase(suite, no_queues);
    tcase_add_checked_fixture(compiler, without_a_compiler, refusal_tear_down);
    tcase_add_test(compiler, programs_without_a_compiler);
    suite_add_tcase(suite, compiler);
    return cl_run_suite(suite);
}
