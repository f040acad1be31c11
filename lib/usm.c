/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_intel_unified_shared_memory: host, device and shared allocations, in the table of svm.c. The host may
 * access host and shared allocations at any time, and device allocations never. Kernels may access all of
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "device_info.h"
#include "enqueue_command.h"
#include "error.h"
#include "info.h"
#include "object.h"
#include "svm.h"

/* ---- allocation ------------------------------------------------------------------------- */

enum { PLACEMENTS = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL };

/* Flags of initial placement are valid for shared memory only, and exclude each other. */
static cl_int read_properties(const cl_mem_properties_intel *list, cl_unified_shared_memory_type_intel type,
                              cl_mem_alloc_flags_intel *out_flags)
{
    bool seen = false;
    *out_flags = 0;
    for (; list && *list; list += 2) {
        if (*list != CL_MEM_ALLOC_FLAGS_INTEL || seen)
            return CL_INVALID_PROPERTY;
        seen = true;
        *out_flags = list[1];
    }
    cl_mem_alloc_flags_intel placement = *out_flags & PLACEMENTS;
    if (*out_flags & ~(cl_mem_alloc_flags_intel)(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | PLACEMENTS) ||
        placement == PLACEMENTS || (placement && type != CL_MEM_TYPE_SHARED_INTEL))
        return CL_INVALID_PROPERTY;
    return CL_SUCCESS;
}

static cl_int check_size(struct context *context, const struct cl_device *device, size_t size,
                         cl_uint alignment)
{
    if (alignment & (alignment - 1) || alignment > DEVICE_MAX_ALIGN)
        return CL_INVALID_VALUE;
    if (!size || size > (device ? device->config->max_allocation : context_max_allocation(context).most))
        return CL_INVALID_BUFFER_SIZE;
    return CL_SUCCESS;
}

static void *allocate(cl_context handle, cl_device_id device, bool device_needed,
                      const cl_mem_properties_intel *properties, struct svm_request *request,
                      cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    cl_mem_alloc_flags_intel flags = 0;
    void *made = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = CL_SUCCESS;
    if ((device || device_needed) && !context_serves(context, device))
        err = CL_INVALID_DEVICE;
    else if (!context_any(context, device_supports_usm))
        err = CL_INVALID_OPERATION;
    if (!err)
        err = read_properties(properties, request->usm, &flags);
    if (!err)
        err =
            check_size(context, (const struct cl_device *)device, request->size, (cl_uint)request->alignment);
    request->device = (struct cl_device *)device;
    request->usm_flags = flags;
    if (!err && !(made = svm_allocate(context, request)))
        err = CL_OUT_OF_RESOURCES;
    return error_return(errcode_ret, context_refuse(context, "USM allocation", err), made);
}

void *CL_API_CALL api_clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                                          size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    struct svm_request request = {.usm = CL_MEM_TYPE_HOST_INTEL, .size = size, .alignment = alignment};
    return allocate(context, NULL, false, properties, &request, errcode_ret);
}

void *CL_API_CALL api_clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                            const cl_mem_properties_intel *properties, size_t size,
                                            cl_uint alignment, cl_int *errcode_ret)
{
    struct svm_request request = {.usm = CL_MEM_TYPE_DEVICE_INTEL, .size = size, .alignment = alignment};
    return allocate(context, device, true, properties, &request, errcode_ret);
}

void *CL_API_CALL api_clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                            const cl_mem_properties_intel *properties, size_t size,
                                            cl_uint alignment, cl_int *errcode_ret)
{
    struct svm_request request = {.usm = CL_MEM_TYPE_SHARED_INTEL, .size = size, .alignment = alignment};
    return allocate(context, device, false, properties, &request, errcode_ret);
}

static cl_int release(cl_context handle, void *pointer)
{
    struct context *context = context_lookup(handle);
    if (!context)
        return CL_INVALID_CONTEXT;
    if (!pointer || svm_release_usm(context, pointer))
        return CL_SUCCESS;
    return context_refuse(context, "clMemFreeINTEL", CL_INVALID_VALUE);
}

cl_int CL_API_CALL api_clMemFreeINTEL(cl_context context, void *ptr)
{
    return release(context, ptr);
}

cl_int CL_API_CALL api_clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
    if (context_lookup(context))
        queue_finish_all();
    return release(context, ptr);
}

/* ---- queries ------------------------------------------------------------------------------ */

cl_int CL_API_CALL api_clGetMemAllocInfoINTEL(cl_context handle, const void *ptr,
                                              cl_mem_info_intel param_name, size_t param_value_size,
                                              void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply = {param_value_size, param_value, param_value_size_ret};
    struct context *context = context_lookup(handle);
    struct svm_allocation found = {.usm = CL_MEM_TYPE_UNKNOWN_INTEL};
    if (!context)
        return CL_INVALID_CONTEXT;
    svm_find_usm(context, ptr, &found);
    switch (param_name) {
    case CL_MEM_ALLOC_TYPE_INTEL: return INFO_VALUE(&reply, cl_unified_shared_memory_type_intel, found.usm);
    case CL_MEM_ALLOC_BASE_PTR_INTEL: return INFO_VALUE(&reply, void *, found.pointer);
    case CL_MEM_ALLOC_SIZE_INTEL: return INFO_VALUE(&reply, size_t, found.size);
    case CL_MEM_ALLOC_DEVICE_INTEL: return INFO_VALUE(&reply, cl_device_id, (cl_device_id)found.device);
    case CL_MEM_ALLOC_FLAGS_INTEL: return INFO_VALUE(&reply, cl_mem_alloc_flags_intel, found.usm_flags);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- commands ------------------------------------------------------------------------------- */

static cl_int check_usm(const struct enqueue *enqueue)
{
    return device_supports_usm(enqueue->queue->device) ? CL_SUCCESS : CL_INVALID_OPERATION;
}

cl_int CL_API_CALL api_clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr,
                                             const void *pattern, size_t pattern_size, size_t size,
                                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                             cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_MEMFILL_INTEL, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = check_usm(&enqueue);
    if (!err && !enqueue_fill_ok(dst_ptr, size, pattern, pattern_size))
        err = CL_INVALID_VALUE;
    if (!err) {
        enqueue.command->u.fill.svm = dst_ptr;
        enqueue.command->u.fill.size = size;
        enqueue.command->u.fill.pattern_size = pattern_size;
        memcpy(enqueue.command->u.fill.pattern, pattern, pattern_size);
    }
    return enqueue_end(&enqueue, err, false, event);
}

static bool overlap(const void *a, const void *b, size_t size)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return (x < y ? y - x : x - y) < size;
}

cl_int CL_API_CALL api_clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
                                            const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                            const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_MEMCPY_INTEL, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = check_usm(&enqueue);
    if (!err && (!dst_ptr || !src_ptr))
        err = CL_INVALID_VALUE;
    if (!err && overlap(dst_ptr, src_ptr, size))
        err = CL_MEM_COPY_OVERLAP;
    if (!err) {
        enqueue.command->u.svm_copy.target = dst_ptr;
        enqueue.command->u.svm_copy.source = src_ptr;
        enqueue.command->u.svm_copy.size = size;
    }
    return enqueue_end(&enqueue, err, blocking, event);
}

/* Memory has one place here, so both commands execute nothing. */
cl_int CL_API_CALL api_clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                                                cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_MIGRATEMEM_INTEL, num_events_in_wait_list,
                               event_wait_list);
    (void)size;
    if (!err)
        err = check_usm(&enqueue);
    if (!err && (!ptr || flags & ~known))
        err = CL_INVALID_VALUE;
    return enqueue_end(&enqueue, err, false, event);
}

cl_int CL_API_CALL api_clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                                               cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_MEMADVISE_INTEL, num_events_in_wait_list,
                               event_wait_list);
    (void)size;
    if (!err)
        err = check_usm(&enqueue);
    if (!err && (!ptr || advice))
        err = CL_INVALID_VALUE; /* the extension defines no value of advice */
    return enqueue_end(&enqueue, err, false, event);
}
