/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands on shared virtual memory (OpenCL 3.0 API, 5.6). Records of maps live from the enqueueing of the
 * map to that of its unmap, as in enqueue_map.c, in one list of the process.
 */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "enqueue_command.h"
#include "error.h"
#include "lib/host/aliased_maps.h"
#include "svm.h"
#include "transfer.h"
#include "lib/diagnose/usage.h"

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

/* A pointer may also be to host memory (5.6.1): of the program, or of a mapped region of a buffer or
 * image. */
static bool on_device(const struct command *command, const void *pointer)
{
    return device_is_svm(command_device(command), address_of(pointer));
}

static cl_int check_svm(const struct enqueue *enqueue)
{
    return enqueue->queue->device->config->svm_coarse ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* ---- memcpy ------------------------------------------------------------------------- */

cl_int run_svm_memcpy(struct command *command)
{
    void *target = command->u.svm_copy.target;
    const void *source = command->u.svm_copy.source;
    size_t size = command->u.svm_copy.size;
    struct device *device = command_device(command);
    bool to_device = on_device(command, target), from_device = on_device(command, source);
    enum status status = STATUS_OK;
    if (size == 0)
        return CL_SUCCESS;
    if (to_device && from_device)
        status = device_copy(device, command->serial, address_of(target), address_of(source), size);
    else if (to_device)
        status = device_write(device, command->serial, address_of(target), source, size);
    else if (from_device)
        status = device_read(device, command->serial, address_of(source), target, size);
    else
        status = device_host_copy(device, command->serial, target, source, size);
    return error_from_status(status);
}

static cl_int check_svm_memcpy(const void *target, const void *source, size_t size)
{
    uint64_t a = address_of(target), b = address_of(source);
    if (!target || !source)
        return CL_INVALID_VALUE;
    return size && (a < b ? b - a : a - b) < size ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy,
                                          void *dst_ptr, const void *src_ptr, size_t size,
                                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                          cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_SVM_MEMCPY, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err)
        err = check_svm_memcpy(dst_ptr, src_ptr, size);
    if (!err) {
        enqueue.command->u.svm_copy.target = dst_ptr;
        enqueue.command->u.svm_copy.source = src_ptr;
        enqueue.command->u.svm_copy.size = size;
    }
    return enqueue_end(&enqueue, err, blocking_copy, event);
}

/* ---- fill --------------------------------------------------------------------------- */

cl_int run_svm_memfill(struct command *command)
{
    char *target = command->u.fill.svm;
    size_t step = command->u.fill.pattern_size;
    if (command->u.fill.size == 0)
        return CL_SUCCESS;
    if (on_device(command, target))
        return error_from_status(device_fill(command_device(command), command->serial, address_of(target),
                                             command->u.fill.pattern, step, command->u.fill.size));
    return error_from_status(device_host_fill(command_device(command), command->serial, target,
                                              command->u.fill.pattern, step, command->u.fill.size));
}

cl_int CL_API_CALL api_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                           size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                           const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_SVM_MEMFILL, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err && !enqueue_fill_ok(svm_ptr, size, pattern, pattern_size))
        err = CL_INVALID_VALUE;
    if (!err) {
        enqueue.command->u.fill.svm = svm_ptr;
        enqueue.command->u.fill.size = size;
        enqueue.command->u.fill.pattern_size = pattern_size;
        memcpy(enqueue.command->u.fill.pattern, pattern, pattern_size);
    }
    return enqueue_end(&enqueue, err, false, event);
}

/* ---- map and unmap -------------------------------------------------------------------- */

/* Maps whose unmap is not enqueued; under runtime_lock. */
static struct map_record *svm_mappings;

static void record_insert(struct map_record *record)
{
    record->next = svm_mappings;
    svm_mappings = record;
    record->count++;
}

/* Removes the latest record at the pointer, or (self) that record. NULL: none. */
static struct map_record *record_remove(const void *pointer, const struct map_record *self)
{
    struct map_record **link = &svm_mappings;
    while (*link && (self ? *link != self : (*link)->pointer != pointer))
        link = &(*link)->next;
    struct map_record *record = *link;
    if (record)
        *link = record->next;
    return record;
}

static void record_unref(struct map_record *record)
{
    if (--record->count == 0)
        free(record);
}

static cl_int fill_svm_map(struct command *command, void *pointer, size_t size, cl_map_flags flags)
{
    struct map_record *record = calloc(1, sizeof *record);
    if (!record)
        return CL_OUT_OF_HOST_MEMORY;
    *record = (struct map_record){
        .pointer = pointer, .size = size, .region = {size, 1, 1}, .flags = flags, .count = 1};
    command->u.svm_map.pointer = pointer;
    command->u.svm_map.size = size;
    command->u.svm_map.flags = flags;
    command->u.svm_map.record = record;
    runtime_lock();
    record_insert(record);
    runtime_unlock();
    return CL_SUCCESS;
}

static void fill_svm_unmap(struct command *command, void *pointer)
{
    command->u.svm_map.pointer = pointer;
    runtime_lock();
    command->u.svm_map.record = record_remove(pointer, NULL);
    if (command->u.svm_map.record)
        aliased_maps_note(svm_mappings, command->u.svm_map.record);
    runtime_unlock();
}

/* The host may access fine-grained memory without a map. */
static bool is_closed_to_host(const struct command *command)
{
    const struct svm_allocation *allocation = svm_find(command->queue->context, command->u.svm_map.pointer);
    return !(allocation && allocation->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) &&
           on_device(command, command->u.svm_map.pointer);
}

static uint32_t device_flags(const struct map_record *record, bool astray)
{
    return (record->flags & CL_MAP_READ ? DEVICE_MAP_READ : 0) |
           (record->flags & ~(cl_map_flags)CL_MAP_READ ? DEVICE_MAP_WRITE : 0) |
           (astray ? DEVICE_MAP_ASTRAY : 0);
}

cl_int run_svm_map(struct command *command)
{
    struct map_record *record = command->u.svm_map.record;
    if (is_closed_to_host(command))
        device_map(command_device(command), command->serial, address_of(record->pointer), record->size,
                   device_flags(record, record->unmapped || record->aliased.any), NULL);
    record->mapped = command->u.svm_map.done = true;
    return CL_SUCCESS;
}

cl_int run_svm_unmap(struct command *command)
{
    struct map_record *record = command->u.svm_map.record;
    command->u.svm_map.done = true;
    if (!record)
        return CL_SUCCESS;
    if (record->aliased.any && is_closed_to_host(command))
        aliased_maps_unmap(command, record, address_of(record->pointer));
    else if (record->by && is_closed_to_host(command))
        device_unmap(command_device(command), command->serial, record->by, address_of(record->pointer),
                     record->size, device_flags(record, !record->mapped), NULL);
    record->unmapped = true;
    return CL_SUCCESS;
}

void drop_svm_map(struct command *command)
{
    struct map_record *record = command->u.svm_map.record;
    if (!record)
        return;
    runtime_lock();
    if (!command->u.svm_map.done) {
        record->by = 0;
        record->count -=
            record_remove(NULL, record) != NULL; /* the reference of the list; the command has one more */
    }
    record_unref(record);
    runtime_unlock();
}

void drop_svm_unmap(struct command *command)
{
    struct map_record *record = command->u.svm_map.record;
    if (!record)
        return;
    runtime_lock();
    if (!command->u.svm_map.done)
        record_insert(record);
    record_unref(record);
    runtime_unlock();
}

static bool map_flags_valid(cl_map_flags flags)
{
    cl_map_flags read_write = CL_MAP_READ | CL_MAP_WRITE;
    return !(flags & ~read_write) || flags == CL_MAP_WRITE_INVALIDATE_REGION;
}

cl_int CL_API_CALL api_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
                                       cl_map_flags flags, void *svm_ptr, size_t size,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_SVM_MAP, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err && (!svm_ptr || size == 0 || !map_flags_valid(flags)))
        err = CL_INVALID_VALUE;
    if (!err)
        err = fill_svm_map(enqueue.command, svm_ptr, size, flags);
    return enqueue_end(&enqueue, err, blocking_map, event);
}

cl_int CL_API_CALL api_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_SVM_UNMAP, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err && !svm_ptr)
        err = CL_INVALID_VALUE;
    if (!err)
        fill_svm_unmap(enqueue.command, svm_ptr);
    return enqueue_end(&enqueue, err, false, event);
}

/* ---- free and migrate ------------------------------------------------------------------- */

cl_int run_svm_free(struct command *command)
{
    cl_command_queue queue = (cl_command_queue)command->queue;
    void **pointers = command->u.svm_free.pointers;
    usage_waited(); /* the function of the program may free memory that complete commands used */
    if (command->u.svm_free.function)
        command->u.svm_free.function(queue, command->u.svm_free.count, pointers, command->u.svm_free.data);
    for (cl_uint i = 0; !command->u.svm_free.function && i < command->u.svm_free.count; i++) {
        device_frees(command_device(command), command->serial, address_of(pointers[i]));
        svm_release(command->queue->context, pointers[i]);
    }
    return CL_SUCCESS;
}

void drop_svm_free(struct command *command)
{
    free(command->u.svm_free.pointers);
}

static cl_int fill_svm_free(struct enqueue *enqueue, cl_uint count, void *pointers[])
{
    struct command *command = enqueue->command;
    if (!count != !pointers)
        return CL_INVALID_VALUE;
    command->u.svm_free.pointers = calloc(count ? count : 1, sizeof *pointers);
    if (!command->u.svm_free.pointers)
        return CL_OUT_OF_HOST_MEMORY;
    if (count)
        memcpy(command->u.svm_free.pointers, pointers, count * sizeof *pointers);
    command->u.svm_free.count = count;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueSVMFree(
    cl_command_queue command_queue, cl_uint num_svm_pointers, void *svm_pointers[],
    void(CL_CALLBACK *pfn_free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data,
    cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_SVM_FREE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err)
        err = fill_svm_free(&enqueue, num_svm_pointers, svm_pointers);
    if (!err) {
        enqueue.command->u.svm_free.function = pfn_free_func;
        enqueue.command->u.svm_free.data = user_data;
    }
    return enqueue_end(&enqueue, err, false, event);
}

/* A size of 0 stands for the whole allocation. */
static bool svm_range_of(struct context *context, const void *pointer, size_t size,
                         struct svm_range *out_range)
{
    bool valid = false;
    runtime_lock();
    const struct svm_allocation *allocation = svm_find(context, pointer);
    if (allocation) {
        valid = transfer_range_inside((size_t)((const char *)pointer - (const char *)allocation->pointer),
                                      size, allocation->size);
        *out_range = size ? (struct svm_range){address_of(pointer), size}
                          : (struct svm_range){address_of(allocation->pointer), allocation->size};
    }
    runtime_unlock();
    return valid;
}

cl_int run_svm_migrate(struct command *command)
{
    for (cl_uint i = 0; i < command->u.svm_migrate.count; i++) {
        const struct svm_range *range = &command->u.svm_migrate.ranges[i];
        device_migrate(command_device(command), command->serial, range->address, range->size,
                       command->u.svm_migrate.discards);
    }
    return CL_SUCCESS;
}

void drop_svm_migrate(struct command *command)
{
    free(command->u.svm_migrate.ranges);
}

static cl_int fill_svm_migrate(struct enqueue *enqueue, cl_uint count, const void **pointers,
                               const size_t *sizes, cl_mem_migration_flags flags)
{
    struct command *command = enqueue->command;
    if (count == 0 || !pointers ||
        flags &
            ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return CL_INVALID_VALUE;
    command->u.svm_migrate.ranges = calloc(count, sizeof *command->u.svm_migrate.ranges);
    if (!command->u.svm_migrate.ranges)
        return CL_OUT_OF_HOST_MEMORY;
    command->u.svm_migrate.discards = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    for (cl_uint i = 0; i < count; i++)
        if (!svm_range_of(enqueue->queue->context, pointers[i], sizes ? sizes[i] : 0,
                          &command->u.svm_migrate.ranges[command->u.svm_migrate.count++]))
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                              const void **svm_pointers, const size_t *sizes,
                                              cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                              const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_SVM_MIGRATE_MEM, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = check_svm(&enqueue);
    if (!err)
        err = fill_svm_migrate(&enqueue, num_svm_pointers, svm_pointers, sizes, flags);
    return enqueue_end(&enqueue, err, false, event);
}
