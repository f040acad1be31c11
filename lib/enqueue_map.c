/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping. A record lives from the clEnqueueMapBuffer call to the clEnqueueUnmapMemObject
 * call (the mapped count is theirs, not the commands'), so overlap is judged in the order
 * of the calls. A command that never runs takes its record back. record->count counts who
 * holds it: the list, the commands.
 */
#include <stdlib.h>

#include "api.h"
#include "command.h"
#include "enqueue.h"
#include "error.h"
#include "transfer.h"

enum { MAP_WRITES = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION };

static struct memobj *root_of(struct memobj *memobj)
{
    return memobj->parent ? memobj->parent : memobj;
}

/* ---- records (runtime_lock held) ---------------------------------------------------- */

static void record_unref(struct map_record *record)
{
    if (--record->count == 0)
        free(record);
}

static void record_insert(struct map_record *record)
{
    struct memobj *root = root_of(record->owner);
    record->next = root->maps;
    root->maps = record;
    record->owner->map_count++;
    record->count++;
}

/* The last mapping of owner at pointer (or the record itself), taken off the list. */
static struct map_record *record_remove(struct memobj *owner, const void *pointer,
                                        const struct map_record *self)
{
    struct map_record **link = &root_of(owner)->maps;
    for (; *link; link = &(*link)->next) {
        struct map_record *record = *link;
        if (self ? record != self : record->owner != owner || record->pointer != pointer)
            continue;
        *link = record->next;
        owner->map_count--;
        return record;
    }
    return NULL;
}

static bool write_overlaps(struct memobj *memobj, size_t offset, size_t size)
{
    for (const struct map_record *record = root_of(memobj)->maps; record; record = record->next)
        if (record->flags & MAP_WRITES && offset < record->offset + record->size &&
            record->offset < offset + size)
            return true;
    return false;
}

/* ---- execution ---------------------------------------------------------------------- */

/* Host memory apart from the device's bytes: CL_MEM_USE_HOST_PTR without SVM. */
static char *host_copy(const struct memobj *memobj)
{
    const struct memobj *root = memobj->parent ? memobj->parent : memobj;
    bool apart = root->flags & CL_MEM_USE_HOST_PTR && (uint64_t)(uintptr_t)root->host_ptr != root->address;
    return apart ? root->host_ptr : NULL;
}

static uint64_t record_address(const struct map_record *record)
{
    return root_of(record->owner)->address + record->offset;
}

static uint32_t device_flags(cl_map_flags flags)
{
    return (flags & CL_MAP_READ ? DEVICE_MAP_READ : 0) | (flags & MAP_WRITES ? DEVICE_MAP_WRITE : 0);
}

cl_int run_map_buffer(struct command *command)
{
    struct map_record *record = command->u.map.record;
    enum status status = STATUS_OK;
    if (host_copy(record->owner) && !(record->flags & CL_MAP_WRITE_INVALIDATE_REGION))
        status = device_read(command_device(command), command->serial, record_address(record),
                             record->pointer, record->size);
    if (status == STATUS_OK) {
        device_map(command_device(command), command->serial, record_address(record), record->size,
                   device_flags(record->flags));
        record->mapped = command->u.map.done = true;
    }
    return error_from_status(status);
}

/* What the host wrote becomes the device's: also when it wrote to the same bytes. */
cl_int run_unmap_mem_object(struct command *command)
{
    const struct map_record *record = command->u.map.record;
    enum status status = STATUS_OK;
    command->u.map.done = true;
    if (!record->mapped)
        return CL_SUCCESS;
    device_unmap(command_device(command), command->serial, record_address(record), record->size, device_flags(record->flags));
    if (record->flags & MAP_WRITES)
        status = device_write(command_device(command), command->serial, record_address(record),
                              record->pointer, record->size);
    return error_from_status(status);
}

static void drop_record(struct command *command)
{
    if (command->u.map.record)
        record_unref(command->u.map.record);
}

void drop_map(struct command *command)
{
    struct map_record *record = command->u.map.record;
    runtime_lock();
    if (record && !command->u.map.done && record_remove(record->owner, NULL, record))
        record_unref(record);
    drop_record(command);
    runtime_unlock();
    object_unref(command->u.map.memobj);
}

void drop_unmap(struct command *command)
{
    runtime_lock();
    if (command->u.map.record && !command->u.map.done)
        record_insert(command->u.map.record);
    drop_record(command);
    runtime_unlock();
    object_unref(command->u.map.memobj);
}

/* ---- the calls ------------------------------------------------------------------------ */

static bool flags_valid(cl_map_flags flags)
{
    bool known = !(flags & ~(cl_map_flags)(CL_MAP_READ | MAP_WRITES));
    bool both = flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE);
    return known && !both;
}

static cl_int check_map(struct memobj *memobj, cl_map_flags flags, size_t offset, size_t size)
{
    if (size == 0 || !flags_valid(flags) || !range_inside(offset, size, memobj->size))
        return CL_INVALID_VALUE;
    if (flags & CL_MAP_READ && host_may_read(memobj))
        return CL_INVALID_OPERATION;
    return flags & MAP_WRITES ? host_may_write(memobj) : CL_SUCCESS;
}

static struct map_record *record_new(struct memobj *memobj, cl_map_flags flags, size_t offset, size_t size)
{
    struct map_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->owner = memobj;
    record->offset = (memobj->parent ? memobj->offset : 0) + offset;
    record->size = size;
    record->flags = flags;
    record->count = 1;
    char *base = host_copy(memobj);
    record->pointer = base ? base + record->offset : (char *)(uintptr_t)record_address(record);
    return record;
}

static cl_int fill_map(struct enqueue *enqueue, cl_mem buffer, cl_map_flags flags, size_t offset, size_t size,
                       void **out_pointer)
{
    struct memobj *memobj = NULL;
    struct command *command = enqueue->command;
    cl_int err = enqueue_buffer(enqueue->queue, buffer, &memobj);
    if (!err)
        err = check_map(memobj, flags, offset, size);
    if (err)
        return err;
    struct map_record *record = record_new(memobj, flags, offset, size);
    if (!record)
        return CL_OUT_OF_HOST_MEMORY;
    command->u.map.memobj = object_ref(memobj);
    command->u.map.record = record;
    runtime_lock();
    if (flags & MAP_WRITES && write_overlaps(memobj, record->offset, size))
        err = CL_INVALID_OPERATION;
    else
        record_insert(record);
    runtime_unlock();
    *out_pointer = record->pointer;
    return err;
}

void *CL_API_CALL api_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                                         cl_map_flags map_flags, size_t offset, size_t size,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event, cl_int *errcode_ret)
{
    struct enqueue enqueue;
    void *pointer = NULL;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_MAP_BUFFER, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_map(&enqueue, buffer, map_flags, offset, size, &pointer);
    err = enqueue_end(&enqueue, err, blocking_map, event);
    return error_return(errcode_ret, err, pointer);
}

static cl_int fill_unmap(struct enqueue *enqueue, cl_mem handle, const void *mapped_ptr)
{
    struct command *command = enqueue->command;
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || memobj->type == CL_MEM_OBJECT_PIPE)
        return CL_INVALID_MEM_OBJECT;
    if (memobj->context != enqueue->queue->context)
        return CL_INVALID_CONTEXT;
    runtime_lock();
    command->u.map.record = record_remove(memobj, mapped_ptr, NULL);
    runtime_unlock();
    if (!command->u.map.record)
        return CL_INVALID_VALUE;
    command->u.map.memobj = object_ref(memobj);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj,
                                               void *mapped_ptr, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_UNMAP_MEM_OBJECT, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_unmap(&enqueue, memobj, mapped_ptr);
    return enqueue_end(&enqueue, err, false, event);
}
