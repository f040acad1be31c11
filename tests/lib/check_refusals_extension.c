/* SPDX-License-Identifier: Apache-2.0 */
/* The errors of calls that extensions add, and those that they add to other calls: rows of lib/api_rows.def.
 * Those of recorded commands that the enqueued ones have too are in check_refusals_recorded.c. Linked with
 * the library itself. */
#include "tests/support/recorder_fixture.h"
#include "tests/support/refusal_fixture.h"

static char small;

/* ---- sub-groups ------------------------------------------------------------------------------------- */

START_TEST(sub_groups)
{
    const size_t sizes[1] = {8};
    size_t answer;
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(void) {}", "");
    REFUSES_NAMED(clGetKernelSubGroupInfoKHR, CL_INVALID_KERNEL, (cl_kernel)queue, device, 0x2033, 8, sizes,
                  8, &answer, NULL);
    REFUSES_NAMED(clGetKernelSubGroupInfoKHR, CL_INVALID_DEVICE, kernel, (cl_device_id)queue, 0x2033, 8,
                  sizes, 8, &answer, NULL);
    REFUSES_NAMED(clGetKernelSubGroupInfoKHR, CL_INVALID_VALUE, kernel, device, 0x1234, 8, sizes, 8, &answer,
                  NULL);
    REFUSES_NAMED(clGetKernelSubGroupInfoKHR, CL_INVALID_VALUE, kernel, device, 0x2033, 0, NULL, 8, &answer,
                  NULL);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

static void without_sub_groups(void)
{
    refusal_set_up_with("device: {features: {sub_groups: false}}");
}

START_TEST(no_sub_groups)
{
    const size_t sizes[1] = {8};
    size_t answer;
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(void) {}", "");
    REFUSES_NAMED(clGetKernelSubGroupInfoKHR, CL_INVALID_OPERATION, kernel, device, 0x2033, 8, sizes, 8,
                  &answer, NULL);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

/* ---- queues -------------------------------------------------------------------------------------------- */

START_TEST(hints)
{
    const cl_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_queue_properties urgent[] = {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_PRIORITY_KHR,
                                          CL_QUEUE_PRIORITY_HIGH_KHR, 0};
    const cl_queue_properties slow[] = {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_THROTTLE_KHR,
                                        CL_QUEUE_THROTTLE_LOW_KHR, 0};
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, context, device, urgent);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_QUEUE_PROPERTIES, context, device, slow);
}
END_TEST

static void with_families(void)
{
    refusal_set_up_with("device: {topology: \"tile:1 cslice:2 cu:4\"}");
}

START_TEST(families)
{
    const cl_queue_properties no_family[] = {CL_QUEUE_FAMILY_INTEL, 77, CL_QUEUE_INDEX_INTEL, 0, 0};
    const cl_queue_properties no_index[] = {CL_QUEUE_FAMILY_INTEL, 0, CL_QUEUE_INDEX_INTEL, 77, 0};
    const cl_queue_properties half[] = {CL_QUEUE_FAMILY_INTEL, 0, 0};
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, context, device, no_family);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, context, device, no_index);
    REFUSES_OBJECT(clCreateCommandQueueWithProperties, CL_INVALID_VALUE, context, device, half);
}
END_TEST

/* The second names of calls are those calls: what they refuse is reported of the first one. */
START_TEST(second_names)
{
    cl_int err;
    ck_assert_ptr_null(NAMED(clCreateCommandQueueWithPropertiesKHR)((cl_context)queue, device, NULL, &err));
    refused("clCreateCommandQueueWithProperties", err, CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT");
    ck_assert_ptr_null(NAMED(clCreateProgramWithILKHR)(context, NULL, 0, &err));
    refused("clCreateProgramWithIL", err, CL_INVALID_VALUE, "CL_INVALID_VALUE");
    cl_command_queue made = NAMED(clCreateCommandQueueWithPropertiesKHR)(context, device, NULL, &err);
    cl_ok(err);
    cl_ok(clReleaseCommandQueue(made));
}
END_TEST

/* ---- devices --------------------------------------------------------------------------------- */

static void four_units(void)
{
    refusal_set_up_with("device: {topology: \"cu:4\"}");
}

START_TEST(fission)
{
    const cl_device_partition_property_ext by_names[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 4000,
                                                         (cl_device_partition_property_ext)-1, 0};
    const cl_device_partition_property_ext unknown[] = {1, 2, 0},
                                           none[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 0, 0};
    const cl_device_partition_property_ext whole[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT,
                                                      CL_AFFINITY_DOMAIN_L2_CACHE_EXT, 0};
    const cl_device_partition_property_ext no_domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, 77, 0};
    cl_uint count;
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_DEVICE, (cl_device_id)queue, none, 0, NULL, &count);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_VALUE, device, unknown, 0, NULL, &count);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_PROPERTY, device, no_domain, 0, NULL, &count);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_VALUE, device, none, 0, NULL, NULL);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_PARTITION_COUNT_EXT, device, none, 0, NULL, &count);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_INVALID_PARTITION_NAME_EXT, device, by_names, 0, NULL, &count);
    REFUSES_NAMED(clCreateSubDevicesEXT, CL_DEVICE_PARTITION_FAILED_EXT, device, whole, 0, NULL, &count);
    REFUSES_NAMED(clRetainDeviceEXT, CL_INVALID_DEVICE, (cl_device_id)queue);
    REFUSES_NAMED(clReleaseDeviceEXT, CL_INVALID_DEVICE, (cl_device_id)queue);
}
END_TEST

static const cl_context_properties mortal[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};

START_TEST(termination)
{
    cl_int err;
    cl_context made = clCreateContext(mortal, 1, &device, NULL, NULL, &err);
    cl_ok(err);
    REFUSES_NAMED(clTerminateContextKHR, CL_INVALID_CONTEXT, (cl_context)queue);
    REFUSES_NAMED(clTerminateContextKHR, CL_INVALID_OPERATION, context);
    cl_ok(NAMED(clTerminateContextKHR)(made));
    REFUSES_NAMED(clTerminateContextKHR, CL_CONTEXT_TERMINATED_KHR, made);
    cl_ok(clReleaseContext(made));
}
END_TEST

static void with_one_that_terminates(void)
{
    refusal_pair("devices: [{features: {terminate_context: true}}, {features: {terminate_context: false}}]");
}

START_TEST(no_termination)
{
    REFUSES_OBJECT(clCreateContext, CL_INVALID_PROPERTY, mortal, 2, pair.device, NULL, NULL);
}
END_TEST

/* ---- mip levels ------------------------------------------------------------------------------ */

static cl_mem pyramid(void)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .num_mip_levels = 3};
    cl_int err;
    cl_mem made = clCreateImage(context, 0, &rgba, &desc, NULL, &err);
    cl_ok(err);
    return made;
}

START_TEST(mip_levels)
{
    const size_t zero[3] = {0, 0, 0}, beyond[3] = {0, 0, 3}, one[3] = {1, 1, 1};
    const cl_uint colour[4] = {0};
    size_t pitch;
    cl_mem image = pyramid();
    cl_command_buffer_khr recorder = recorder_new(queue, NULL);
    REFUSES(clEnqueueReadImage, CL_INVALID_MIP_LEVEL, queue, image, CL_TRUE, beyond, one, 0, 0, host, NONE);
    REFUSES(clEnqueueWriteImage, CL_INVALID_MIP_LEVEL, queue, image, CL_TRUE, beyond, one, 0, 0, host, NONE);
    REFUSES(clEnqueueFillImage, CL_INVALID_MIP_LEVEL, queue, image, colour, beyond, one, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_MIP_LEVEL, queue, image, image, beyond, zero, one, NONE);
    REFUSES(clEnqueueCopyImage, CL_INVALID_MIP_LEVEL, queue, image, image, zero, beyond, one, NONE);
    REFUSES(clEnqueueCopyImageToBuffer, CL_INVALID_MIP_LEVEL, queue, image, buffer, beyond, one, 0, NONE);
    REFUSES(clEnqueueCopyBufferToImage, CL_INVALID_MIP_LEVEL, queue, buffer, image, 0, beyond, one, NONE);
    REFUSES_OBJECT(clEnqueueMapImage, CL_INVALID_MIP_LEVEL, queue, image, CL_TRUE, CL_MAP_READ, beyond, one,
                   &pitch, NULL, NONE);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_MIP_LEVEL, recorder, NULL, image, colour, beyond, one,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_MIP_LEVEL, recorder, NULL, image, image, beyond, zero,
                  one, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_MIP_LEVEL, recorder, NULL, image, image, zero, beyond,
                  one, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_MIP_LEVEL, recorder, NULL, image, buffer, beyond,
                  one, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_MIP_LEVEL, recorder, NULL, buffer, image, 0,
                  beyond, one, NO_POINTS);
    recorder_free(recorder);
    cl_ok(clReleaseMemObject(image));
}
END_TEST

/* ---- semaphores ------------------------------------------------------------------------------ */

static const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};

static cl_semaphore_khr new_semaphore(cl_context owner, const cl_semaphore_properties_khr *list)
{
    cl_int err;
    cl_semaphore_khr made = NAMED(clCreateSemaphoreWithPropertiesKHR)(owner, list, &err);
    cl_ok(err);
    return made;
}

START_TEST(semaphores)
{
    const cl_semaphore_properties_khr unknown[] = {1, 2, 0}, untyped[] = {0};
    const cl_semaphore_properties_khr no_device[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0x2053,
                                                  0, 0};
    cl_semaphore_khr none = (cl_semaphore_khr)queue;
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_CONTEXT, (cl_context)queue, binary);
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, context, unknown);
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_DEVICE, context, no_device);
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_VALUE, context, NULL);
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_VALUE, context, untyped);
    REFUSES_NAMED(clRetainSemaphoreKHR, CL_INVALID_SEMAPHORE_KHR, none);
    REFUSES_NAMED(clReleaseSemaphoreKHR, CL_INVALID_SEMAPHORE_KHR, none);
    REFUSES_NAMED(clGetSemaphoreInfoKHR, CL_INVALID_SEMAPHORE_KHR, none, CL_SEMAPHORE_TYPE_KHR, 0, NULL,
                  NULL);
    cl_semaphore_khr semaphore = new_semaphore(context, binary);
    REFUSES_NAMED(clGetSemaphoreInfoKHR, CL_INVALID_VALUE, semaphore, CL_SEMAPHORE_TYPE_KHR, 1, &small, NULL);
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

START_TEST(semaphore_commands)
{
    cl_semaphore_khr one = new_semaphore(context, binary), other = new_semaphore(other_context, binary);
    cl_semaphore_khr none = (cl_semaphore_khr)queue;
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 1, &one,
                  NULL, NONE);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_VALUE, queue, 0, &one, NULL, NONE);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_SEMAPHORE_KHR, queue, 1, &none, NULL, NONE);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_CONTEXT, queue, 1, &other, NULL, NONE);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL,
                  COUNT_WITHOUT_LIST);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL,
                  LIST_WITHOUT_COUNT);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL, NO_EVENT);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, 1, &one,
                  NULL, FAILED);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, 1, &one,
                  NULL, NONE);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_VALUE, queue, 0, &one, NULL, NONE);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_SEMAPHORE_KHR, queue, 1, &none, NULL, NONE);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_CONTEXT, queue, 1, &other, NULL, NONE);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL,
                  COUNT_WITHOUT_LIST);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL,
                  LIST_WITHOUT_COUNT);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_EVENT_WAIT_LIST, queue, 1, &one, NULL, NO_EVENT);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, 1, &one,
                  NULL, FAILED);
    cl_ok(NAMED(clReleaseSemaphoreKHR)(one));
    cl_ok(NAMED(clReleaseSemaphoreKHR)(other));
}
END_TEST

/* ---- two devices in one context -------------------------------------------------------------- */

static void two_devices(void)
{
    refusal_pair("devices: [{name: a}, {name: b}]");
}

START_TEST(another_device)
{
    const cl_semaphore_properties_khr its[] = {CL_SEMAPHORE_TYPE_KHR,
                                               CL_SEMAPHORE_TYPE_BINARY_KHR,
                                               0x2053,
                                               (cl_semaphore_properties_khr)(uintptr_t)pair.device[0],
                                               0,
                                               0};
    cl_semaphore_khr semaphore = new_semaphore(pair.context, its);
    cl_command_buffer_khr recorder = recorder_new(pair.queue[0], NULL);
    REFUSES_NAMED_OBJECT(clCreateSemaphoreWithPropertiesKHR, CL_INVALID_PROPERTY, pair.context, binary);
    REFUSES_NAMED(clEnqueueWaitSemaphoresKHR, CL_INVALID_COMMAND_QUEUE, pair.queue[1], 1, &semaphore, NULL,
                  NONE);
    REFUSES_NAMED(clEnqueueSignalSemaphoresKHR, CL_INVALID_COMMAND_QUEUE, pair.queue[1], 1, &semaphore, NULL,
                  NONE);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_DEVICE, 1, &pair.queue[1], recorder, NONE);
    recorder_free(recorder);
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
}
END_TEST

/* ---- command-buffers ------------------------------------------------------------------------- */

START_TEST(command_buffers)
{
    const cl_command_buffer_properties_khr unknown[] = {1, 2, 0};
    cl_command_buffer_khr none = (cl_command_buffer_khr)queue, recorder = recorder_new(queue, NULL);
    cl_command_queue no_queue = (cl_command_queue)buffer, queues[2] = {queue, queue};
    REFUSES_NAMED_OBJECT(clCreateCommandBufferKHR, CL_INVALID_COMMAND_QUEUE, 1, &no_queue, NULL);
    REFUSES_NAMED_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 2, queues, NULL);
    REFUSES_NAMED_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 1, NULL, NULL);
    REFUSES_NAMED_OBJECT(clCreateCommandBufferKHR, CL_INVALID_VALUE, 1, queues, unknown);
    REFUSES_NAMED(clRetainCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none);
    REFUSES_NAMED(clReleaseCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none);
    REFUSES_NAMED(clFinalizeCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none);
    REFUSES_NAMED(clGetCommandBufferInfoKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, CL_COMMAND_BUFFER_STATE_KHR,
                  0, NULL, NULL);
    REFUSES_NAMED(clGetCommandBufferInfoKHR, CL_INVALID_VALUE, recorder, CL_COMMAND_BUFFER_STATE_KHR, 1,
                  &small, NULL);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, 0, NULL, none, NONE);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_OPERATION, 0, NULL, recorder, NONE);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(recorder));
    REFUSES_NAMED(clFinalizeCommandBufferKHR, CL_INVALID_OPERATION, recorder);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_VALUE, 1, NULL, recorder, NONE);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_VALUE, 2, queues, recorder, NONE);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_COMMAND_QUEUE, 1, &no_queue, recorder, NONE);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_CONTEXT, 1, &other_queue, recorder, NONE);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_CONTEXT, 0, NULL, recorder, OTHER_EVENT);
    REFUSES_NAMED(clEnqueueCommandBufferKHR, CL_INVALID_EVENT_WAIT_LIST, 0, NULL, recorder, NO_EVENT);
    recorder_free(recorder);
}
END_TEST

static const size_t zero[3] = {0, 0, 0}, shifted[3] = {0, 2, 0}, box[3] = {4, 1, 1};
static const cl_sync_point_khr strange = 7;
static cl_command_buffer_khr none, recorder, final; /* final: finalized */
static cl_mem image, other_image;
static cl_mutable_command_khr handle;

static void recording_set_up(void)
{
    refusal_set_up();
    none = (cl_command_buffer_khr)queue;
    recorder = recorder_new(queue, NULL);
    final = recorder_new(queue, NULL);
    image = refusal_flat(context, 0);
    other_image = refusal_flat(other_context, 0);
    cl_ok(NAMED(clFinalizeCommandBufferKHR)(final));
}

static void recording_tear_down(void)
{
    cl_ok(clReleaseMemObject(image));
    cl_ok(clReleaseMemObject(other_image));
    recorder_free(recorder);
    recorder_free(final);
    refusal_tear_down();
}

START_TEST(recorded_barriers)
{
    REFUSES_NAMED(clCommandBarrierWithWaitListKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandBarrierWithWaitListKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, NO_POINTS);
    REFUSES_NAMED(clCommandBarrierWithWaitListKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, 1,
                  &strange, NULL, NULL);
    REFUSES_NAMED(clCommandBarrierWithWaitListKHR, CL_INVALID_VALUE, recorder, NULL, 0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandBarrierWithWaitListKHR, CL_INVALID_OPERATION, final, NULL, NO_POINTS);
}
END_TEST

START_TEST(recorded_copies_of_buffers)
{
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, buffer, buffer, 0, 64,
                  16, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, buffer, buffer, 0, 64,
                  16, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_CONTEXT, recorder, NULL, other_buffer, buffer, 0, 64, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, buffer, buffer,
                  0, 64, 16, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, buffer, 0, 64, 16, 0,
                  NULL, NULL, &handle);
    REFUSES_NAMED(clCommandCopyBufferKHR, CL_INVALID_OPERATION, final, NULL, buffer, buffer, 0, 64, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, buffer, buffer, zero,
                  shifted, box, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, buffer, buffer, zero,
                  shifted, box, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_CONTEXT, recorder, NULL, buffer, other_buffer, zero,
                  shifted, box, 0, 0, 0, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, buffer,
                  buffer, zero, shifted, box, 0, 0, 0, 0, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_VALUE, recorder, NULL, buffer, buffer, zero, shifted,
                  box, 0, 0, 0, 0, 0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandCopyBufferRectKHR, CL_INVALID_OPERATION, final, NULL, buffer, buffer, zero,
                  shifted, box, 0, 0, 0, 0, NO_POINTS);
}
END_TEST

START_TEST(recorded_copies_of_images)
{
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, buffer, image, 0,
                  zero, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, buffer, image, 0,
                  zero, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_CONTEXT, recorder, NULL, other_buffer, image, 0,
                  zero, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, buffer,
                  image, 0, zero, box, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_VALUE, recorder, NULL, buffer, image, 0, zero,
                  box, 0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandCopyBufferToImageKHR, CL_INVALID_OPERATION, final, NULL, buffer, image, 0, zero,
                  box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, image, image, zero,
                  shifted, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, image, image, zero,
                  shifted, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_CONTEXT, recorder, NULL, other_image, image, zero,
                  shifted, box, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, image, image,
                  zero, shifted, box, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_VALUE, recorder, NULL, image, image, zero, shifted, box,
                  0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandCopyImageKHR, CL_INVALID_OPERATION, final, NULL, image, image, zero, shifted, box,
                  NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, image, buffer,
                  zero, box, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, image, buffer,
                  zero, box, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_CONTEXT, recorder, NULL, image, other_buffer,
                  zero, box, 0, NO_POINTS);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, image,
                  buffer, zero, box, 0, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_VALUE, recorder, NULL, image, buffer, zero, box,
                  0, 0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandCopyImageToBufferKHR, CL_INVALID_OPERATION, final, NULL, image, buffer, zero, box,
                  0, NO_POINTS);
}
END_TEST

START_TEST(recorded_fills)
{
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, buffer, host, 4, 0, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, buffer, host, 4, 0, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_CONTEXT, recorder, NULL, other_buffer, host, 4, 0, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, buffer, host,
                  4, 0, 16, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_VALUE, recorder, NULL, buffer, host, 4, 0, 16, 0, NULL,
                  NULL, &handle);
    REFUSES_NAMED(clCommandFillBufferKHR, CL_INVALID_OPERATION, final, NULL, buffer, host, 4, 0, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, image, host, zero, box,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, image, host, zero, box,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_CONTEXT, recorder, NULL, other_image, host, zero, box,
                  NO_POINTS);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, image, host,
                  zero, box, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_VALUE, recorder, NULL, image, host, zero, box, 0, NULL,
                  NULL, &handle);
    REFUSES_NAMED(clCommandFillImageKHR, CL_INVALID_OPERATION, final, NULL, image, host, zero, box,
                  NO_POINTS);
}
END_TEST

START_TEST(recorded_kernels)
{
    const cl_ndrange_kernel_command_properties_khr unknown[] = {1, 2, 0};
    const char *source = "kernel void k(void) {}";
    cl_kernel kernel = cl_kernel_of(context, source, ""),
              other_kernel = cl_kernel_of(other_context, source, "");
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, NULL, kernel, 1, NULL,
                  box, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, NULL, kernel, 1, NULL,
                  box, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_CONTEXT, recorder, NULL, NULL, other_kernel, 1, NULL,
                  box, NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, NULL,
                  kernel, 1, NULL, box, NULL, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_VALUE, recorder, NULL, NULL, kernel, 1, NULL, box,
                  NULL, 0, NULL, NULL, &handle);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_VALUE, recorder, NULL, unknown, kernel, 1, NULL, box,
                  NULL, NO_POINTS);
    REFUSES_NAMED(clCommandNDRangeKernelKHR, CL_INVALID_OPERATION, final, NULL, NULL, kernel, 1, NULL, box,
                  NULL, NO_POINTS);
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseKernel(other_kernel));
}
END_TEST

START_TEST(recorded_shared_memory)
{
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, host + 64, host, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, host + 64, host, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, host + 64, host,
                  16, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_VALUE, recorder, NULL, host + 64, host, 16, 0, NULL, NULL,
                  &handle);
    REFUSES_NAMED(clCommandSVMMemcpyKHR, CL_INVALID_OPERATION, final, NULL, host + 64, host, 16, NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_COMMAND_BUFFER_KHR, none, NULL, host, host, 4, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_COMMAND_QUEUE, recorder, queue, host, host, 4, 16,
                  NO_POINTS);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, recorder, NULL, host, host, 4,
                  16, 1, &strange, NULL, NULL);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_VALUE, recorder, NULL, host, host, 4, 16, 0, NULL, NULL,
                  &handle);
    REFUSES_NAMED(clCommandSVMMemFillKHR, CL_INVALID_OPERATION, final, NULL, host, host, 4, 16, NO_POINTS);
}
END_TEST

/* ---- unified shared memory ------------------------------------------------------------------- */

START_TEST(usm_allocations)
{
    const cl_mem_properties_intel unknown[] = {1, 2, 0};
    const cl_mem_properties_intel placed[] = {CL_MEM_ALLOC_FLAGS_INTEL,
                                              CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
    const cl_mem_properties_intel nowhere[] = {
        CL_MEM_ALLOC_FLAGS_INTEL,
        CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0};
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_CONTEXT, (cl_context)queue, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_VALUE, context, NULL, 4, 3);
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_VALUE, context, NULL, 4, 1 << 20);
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_PROPERTY, context, unknown, 4, 0);
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_PROPERTY, context, placed, 4, 0);
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_BUFFER_SIZE, context, NULL, 0, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_CONTEXT, (cl_context)queue, device, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_DEVICE, context, NULL, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_VALUE, context, device, NULL, 4, 3);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_VALUE, context, device, NULL, 4, 1 << 20);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_PROPERTY, context, device, unknown, 4, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_PROPERTY, context, device, placed, 4, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_BUFFER_SIZE, context, device, NULL, SIZE_MAX, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_CONTEXT, (cl_context)queue, device, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_DEVICE, context, (cl_device_id)queue, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_VALUE, context, NULL, NULL, 4, 3);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_VALUE, context, NULL, NULL, 4, 1 << 20);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_PROPERTY, context, NULL, unknown, 4, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_PROPERTY, context, NULL, nowhere, 4, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_BUFFER_SIZE, context, NULL, NULL, 0, 0);
    REFUSES_NAMED(clMemFreeINTEL, CL_INVALID_CONTEXT, (cl_context)queue, host);
    REFUSES_NAMED(clMemFreeINTEL, CL_INVALID_VALUE, context, host);
    REFUSES_NAMED(clMemBlockingFreeINTEL, CL_INVALID_CONTEXT, (cl_context)queue, host);
    REFUSES_NAMED(clMemBlockingFreeINTEL, CL_INVALID_VALUE, context, host);
    REFUSES_NAMED(clGetMemAllocInfoINTEL, CL_INVALID_CONTEXT, (cl_context)queue, host,
                  CL_MEM_ALLOC_TYPE_INTEL, 0, NULL, NULL);
    REFUSES_NAMED(clGetMemAllocInfoINTEL, CL_INVALID_VALUE, context, host, 0x1234, 0, NULL, NULL);
    REFUSES_NAMED(clGetMemAllocInfoINTEL, CL_INVALID_VALUE, context, host, CL_MEM_ALLOC_TYPE_INTEL, 1, &small,
                  NULL);
}
END_TEST

START_TEST(usm_arguments)
{
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(global int *p, int n) { *p = n; }", "");
    REFUSES_NAMED(clSetKernelArgMemPointerINTEL, CL_INVALID_KERNEL, (cl_kernel)queue, 0, NULL);
    REFUSES_NAMED(clSetKernelArgMemPointerINTEL, CL_INVALID_ARG_INDEX, kernel, 2, NULL);
    REFUSES_NAMED(clSetKernelArgMemPointerINTEL, CL_INVALID_ARG_VALUE, kernel, 1, NULL);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

START_TEST(usm_commands)
{
    cl_int err;
    char *shared = NAMED(clSharedMemAllocINTEL)(context, device, NULL, 256, 0, &err);
    cl_ok(err);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, shared, host, 4,
                  16, NONE);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_CONTEXT, queue, shared, host, 4, 16, OTHER_EVENT);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_VALUE, queue, shared + 1, host, 4, 16, NONE);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_VALUE, queue, shared, NULL, 4, 16, NONE);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_VALUE, queue, shared, host, 3, 9, NONE);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_VALUE, queue, shared, host, 4, 18, NONE);
    REFUSES_NAMED(clEnqueueMemFillINTEL, CL_INVALID_EVENT_WAIT_LIST, queue, shared, host, 4, 16, NO_EVENT);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, CL_TRUE, shared,
                  host, 16, NONE);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_INVALID_CONTEXT, queue, CL_TRUE, shared, host, 16, OTHER_EVENT);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_INVALID_VALUE, queue, CL_TRUE, shared, NULL, 16, NONE);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_INVALID_EVENT_WAIT_LIST, queue, CL_TRUE, shared, host, 16,
                  LIST_WITHOUT_COUNT);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, queue, CL_TRUE, shared,
                  host, 16, FAILED);
    REFUSES_NAMED(clEnqueueMemcpyINTEL, CL_MEM_COPY_OVERLAP, queue, CL_TRUE, shared, shared + 8, 16, NONE);
    REFUSES_NAMED(clEnqueueMigrateMemINTEL, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, shared, 16, 0,
                  NONE);
    REFUSES_NAMED(clEnqueueMigrateMemINTEL, CL_INVALID_CONTEXT, queue, shared, 16, 0, OTHER_EVENT);
    REFUSES_NAMED(clEnqueueMigrateMemINTEL, CL_INVALID_VALUE, queue, shared, 16, 1 << 20, NONE);
    REFUSES_NAMED(clEnqueueMigrateMemINTEL, CL_INVALID_EVENT_WAIT_LIST, queue, shared, 16, 0,
                  COUNT_WITHOUT_LIST);
    REFUSES_NAMED(clEnqueueMemAdviseINTEL, CL_INVALID_COMMAND_QUEUE, (cl_command_queue)buffer, shared, 16, 0,
                  NONE);
    REFUSES_NAMED(clEnqueueMemAdviseINTEL, CL_INVALID_CONTEXT, queue, shared, 16, 0, OTHER_EVENT);
    REFUSES_NAMED(clEnqueueMemAdviseINTEL, CL_INVALID_VALUE, queue, shared, 16, 99, NONE);
    REFUSES_NAMED(clEnqueueMemAdviseINTEL, CL_INVALID_EVENT_WAIT_LIST, queue, shared, 16, 0,
                  COUNT_WITHOUT_LIST);
    cl_ok(NAMED(clMemFreeINTEL)(context, shared));
}
END_TEST

static void without_usm(void)
{
    refusal_set_up_with("device: {features: {svm_atomics: false}}");
}

START_TEST(no_usm)
{
    const cl_bool yes = CL_TRUE;
    void *const pointers[] = {host};
    cl_kernel kernel = cl_kernel_of(context, "kernel void k(void) {}", "");
    REFUSES_NAMED_OBJECT(clHostMemAllocINTEL, CL_INVALID_OPERATION, context, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clDeviceMemAllocINTEL, CL_INVALID_OPERATION, context, device, NULL, 4, 0);
    REFUSES_NAMED_OBJECT(clSharedMemAllocINTEL, CL_INVALID_OPERATION, context, NULL, NULL, 4, 0);
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL,
            sizeof pointers, pointers);
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
            sizeof yes, &yes);
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel,
            CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, sizeof yes, &yes);
    REFUSES(clSetKernelExecInfo, CL_INVALID_OPERATION, kernel,
            CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, sizeof yes, &yes);
    cl_ok(clReleaseKernel(kernel));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusals of extensions");
    TCase *usual = tcase_create("usual");
    tcase_add_checked_fixture(usual, refusal_set_up, refusal_tear_down);
    tcase_add_test(usual, sub_groups);
    tcase_add_test(usual, hints);
    tcase_add_test(usual, second_names);
    tcase_add_test(usual, termination);
    tcase_add_test(usual, mip_levels);
    tcase_add_test(usual, semaphores);
    tcase_add_test(usual, semaphore_commands);
    tcase_add_test(usual, command_buffers);
    tcase_add_test(usual, usm_allocations);
    tcase_add_test(usual, usm_arguments);
    tcase_add_test(usual, usm_commands);
    suite_add_tcase(suite, usual);
    TCase *recording = tcase_create("recording");
    tcase_add_checked_fixture(recording, recording_set_up, recording_tear_down);
    tcase_add_test(recording, recorded_barriers);
    tcase_add_test(recording, recorded_copies_of_buffers);
    tcase_add_test(recording, recorded_copies_of_images);
    tcase_add_test(recording, recorded_fills);
    tcase_add_test(recording, recorded_kernels);
    tcase_add_test(recording, recorded_shared_memory);
    suite_add_tcase(suite, recording);
    refusal_case(suite, "no sub-groups", without_sub_groups, refusal_tear_down, no_sub_groups);
    refusal_case(suite, "families", with_families, refusal_tear_down, families);
    refusal_case(suite, "fission", four_units, refusal_tear_down, fission);
    refusal_case(suite, "no termination", with_one_that_terminates, refusal_unpair, no_termination);
    refusal_case(suite, "two devices", two_devices, refusal_unpair, another_device);
    refusal_case(suite, "no USM", without_usm, refusal_tear_down, no_usm);
    return cl_run_suite(suite);
}
