/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on buffers (OpenCL 3.0 API, 5.2.2 to 5.2.3, 5.5.4): checks of ranges and overlaps, and the
 * copies. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "command.h"
#include "enqueue_command.h"
#include "error.h"
#include "transfer.h"

/* ---- checks shared with the rectangles --------------------------------------------- */

bool transfer_range_inside(size_t offset, size_t size, size_t whole)
{
    return offset <= whole && size <= whole - offset;
}

bool transfer_inside_buffer(const struct memobj *buffer, size_t offset, size_t size)
{
    char text[160];
    if (transfer_range_inside(offset, size, buffer->size))
        return true;
    snprintf(text, sizeof text, "offset %zu and size %zu leave buffer %" PRIu32 ", which has %zu bytes",
             offset, size, buffer->base.id, buffer->size);
    call_detail(text);
    return false;
}

static cl_int refuse_host(const struct memobj *memobj)
{
    return call_because(CL_INVALID_OPERATION, "%s %" PRIu32 " was made with %s",
                        memobj->image ? "image" : "buffer", memobj->base.id,
                        memobj->flags & CL_MEM_HOST_NO_ACCESS    ? "CL_MEM_HOST_NO_ACCESS"
                        : memobj->flags & CL_MEM_HOST_WRITE_ONLY ? "CL_MEM_HOST_WRITE_ONLY"
                                                                 : "CL_MEM_HOST_READ_ONLY");
}

cl_int transfer_host_may_read(const struct memobj *memobj)
{
    return memobj->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) ? refuse_host(memobj)
                                                                            : CL_SUCCESS;
}

cl_int transfer_host_may_write(const struct memobj *memobj)
{
    return memobj->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) ? refuse_host(memobj) : CL_SUCCESS;
}

struct device *command_device(const struct command *command)
{
    return command->queue->device->device;
}

void drop_transfer(struct command *command)
{
    object_unref(command->u.transfer.target);
    object_unref(command->u.transfer.source);
}

/* ---- read and write ------------------------------------------------------------------ */

cl_int run_read_buffer(struct command *command)
{
    if (command->u.transfer.size == 0)
        return CL_SUCCESS;
    const struct memobj *source = command->u.transfer.source;
    uint64_t address = source->address + command->u.transfer.source_offset;
    return error_from_status(device_read(command_device(command), command->serial, address,
                                         command->u.transfer.host, command->u.transfer.size));
}

cl_int run_write_buffer(struct command *command)
{
    if (command->u.transfer.size == 0)
        return CL_SUCCESS;
    const struct memobj *target = command->u.transfer.target;
    uint64_t address = target->address + command->u.transfer.target_offset;
    return error_from_status(device_write(command_device(command), command->serial, address,
                                          command->u.transfer.host, command->u.transfer.size));
}

static cl_int check_range(const struct queue *queue, cl_mem buffer, size_t offset, size_t size,
                          const void *ptr, struct memobj **out_memobj)
{
    cl_int err = enqueue_buffer(queue, buffer, out_memobj);
    if (!err && (!ptr || !transfer_inside_buffer(*out_memobj, offset, size)))
        err = CL_INVALID_VALUE;
    return err;
}

static cl_int fill_read(struct enqueue *enqueue, cl_mem buffer, size_t offset, size_t size, void *ptr)
{
    struct memobj *memobj = NULL;
    struct command *command = enqueue->command;
    cl_int err = check_range(enqueue->queue, buffer, offset, size, ptr, &memobj);
    if (!err)
        err = transfer_host_may_read(memobj);
    if (err)
        return err;
    command->u.transfer.source = object_ref(memobj);
    command->u.transfer.source_offset = offset;
    command->u.transfer.size = size;
    command->u.transfer.host = ptr;
    return CL_SUCCESS;
}

static cl_int fill_write(struct enqueue *enqueue, cl_mem buffer, size_t offset, size_t size, const void *ptr)
{
    struct memobj *memobj = NULL;
    struct command *command = enqueue->command;
    cl_int err = check_range(enqueue->queue, buffer, offset, size, ptr, &memobj);
    if (!err)
        err = transfer_host_may_write(memobj);
    if (err)
        return err;
    command->u.transfer.target = object_ref(memobj);
    command->u.transfer.target_offset = offset;
    command->u.transfer.size = size;
    command->u.transfer.host = (void *)(uintptr_t)ptr; /* only read */
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
                                           cl_bool blocking_read, size_t offset, size_t size, void *ptr,
                                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                           cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_READ_BUFFER, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_read(&enqueue, buffer, offset, size, ptr);
    return enqueue_end(&enqueue, err, blocking_read, event);
}

cl_int CL_API_CALL api_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                                            cl_bool blocking_write, size_t offset, size_t size,
                                            const void *ptr, cl_uint num_events_in_wait_list,
                                            const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_WRITE_BUFFER, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_write(&enqueue, buffer, offset, size, ptr);
    return enqueue_end(&enqueue, err, blocking_write, event);
}

/* ---- copy ------------------------------------------------------------------------------ */

cl_int run_copy_buffer(struct command *command)
{
    if (command->u.transfer.size == 0)
        return CL_SUCCESS;
    uint64_t target = command->u.transfer.target->address + command->u.transfer.target_offset;
    uint64_t source = command->u.transfer.source->address + command->u.transfer.source_offset;
    return error_from_status(
        device_copy(command_device(command), command->serial, target, source, command->u.transfer.size));
}

/* By device addresses, since a sub-buffer shares the bytes of its parent. */
static bool bytes_overlap(uint64_t a, uint64_t b, size_t size)
{
    return size && (a < b ? b - a : a - b) < size;
}

static cl_int fill_copy(struct enqueue *enqueue, cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset,
                        size_t dst_offset, size_t size)
{
    struct memobj *source = NULL, *target = NULL;
    struct command *command = enqueue->command;
    cl_int err = enqueue_buffer(enqueue->queue, src_buffer, &source);
    if (!err)
        err = enqueue_buffer(enqueue->queue, dst_buffer, &target);
    if (err)
        return err;
    if (!transfer_inside_buffer(source, src_offset, size) ||
        !transfer_inside_buffer(target, dst_offset, size))
        return CL_INVALID_VALUE;
    if (bytes_overlap(source->address + src_offset, target->address + dst_offset, size))
        return call_because(CL_MEM_COPY_OVERLAP,
                            "the %zu bytes from src_offset %zu and those from dst_offset %zu share bytes of "
                            "one buffer",
                            size, src_offset, dst_offset);
    command->u.transfer.source = object_ref(source);
    command->u.transfer.target = object_ref(target);
    command->u.transfer.source_offset = src_offset;
    command->u.transfer.target_offset = dst_offset;
    command->u.transfer.size = size;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer,
                                           cl_mem dst_buffer, size_t src_offset, size_t dst_offset,
                                           size_t size, cl_uint num_events_in_wait_list,
                                           const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_COPY_BUFFER, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_copy(&enqueue, src_buffer, dst_buffer, src_offset, dst_offset, size);
    return enqueue_end(&enqueue, err, false, event);
}

/* ---- fill ------------------------------------------------------------------------------ */

cl_int run_fill_buffer(struct command *command)
{
    if (command->u.fill.size == 0)
        return CL_SUCCESS;
    uint64_t address = command->u.fill.target->address + command->u.fill.offset;
    return error_from_status(device_fill(command_device(command), command->serial, address,
                                         command->u.fill.pattern, command->u.fill.pattern_size,
                                         command->u.fill.size));
}

void drop_fill(struct command *command)
{
    object_unref(command->u.fill.target);
}

/* offset and size are whole numbers of patterns. */
static bool is_whole(const char *what, size_t bytes, size_t pattern_size)
{
    char text[120];
    if (bytes % pattern_size == 0)
        return true;
    snprintf(text, sizeof text, "%s %zu is not a multiple of pattern_size %zu", what, bytes, pattern_size);
    call_detail(text);
    return false;
}

static cl_int fill_fill(struct enqueue *enqueue, cl_mem buffer, const void *pattern, size_t pattern_size,
                        size_t offset, size_t size)
{
    struct memobj *memobj = NULL;
    struct command *command = enqueue->command;
    cl_int err = enqueue_buffer(enqueue->queue, buffer, &memobj);
    if (err)
        return err;
    if (!enqueue_pattern_ok(pattern, pattern_size) || !is_whole("offset", offset, pattern_size) ||
        !is_whole("size", size, pattern_size) || !transfer_inside_buffer(memobj, offset, size))
        return CL_INVALID_VALUE;
    command->u.fill.target = object_ref(memobj);
    command->u.fill.offset = offset;
    command->u.fill.size = size;
    command->u.fill.pattern_size = pattern_size;
    memcpy(command->u.fill.pattern, pattern, pattern_size);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                                           size_t pattern_size, size_t offset, size_t size,
                                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                           cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_FILL_BUFFER, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_fill(&enqueue, buffer, pattern, pattern_size, offset, size);
    return enqueue_end(&enqueue, err, false, event);
}

/* ---- migrate ----------------------------------------------------------------------------- */

/* Migration copies nothing here, but counts as an access: unordered accesses are races (5.5.4). */
cl_int run_migrate(struct command *command)
{
    for (cl_uint i = 0; i < command->u.migrate.memobj_count; i++) {
        const struct memobj *memobj = command->u.migrate.memobjs[i];
        device_migrate(command_device(command), command->serial, memobj->address, memobj->size,
                       command->u.migrate.discards);
    }
    return CL_SUCCESS;
}

void drop_migrate(struct command *command)
{
    for (cl_uint i = 0; i < command->u.migrate.memobj_count; i++)
        object_unref(command->u.migrate.memobjs[i]);
    free(command->u.migrate.memobjs);
}

static cl_int fill_migrate(struct enqueue *enqueue, cl_uint count, const cl_mem *mem_objects,
                           cl_mem_migration_flags flags)
{
    struct command *command = enqueue->command;
    const cl_mem_migration_flags unknown =
        flags &
        ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    if (count == 0 || !mem_objects)
        return call_because(CL_INVALID_VALUE, "%s", count ? "mem_objects is NULL" : "num_mem_objects is 0");
    if (unknown)
        return call_because(CL_INVALID_VALUE, "flags has the bits 0x%" PRIx64 ", which mean nothing",
                            (uint64_t)unknown);
    command->u.migrate.memobjs = calloc(count, sizeof *command->u.migrate.memobjs);
    if (!command->u.migrate.memobjs)
        return CL_OUT_OF_HOST_MEMORY;
    command->u.migrate.discards = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    for (cl_uint i = 0; i < count; i++) {
        struct memobj *memobj = object_lookup(mem_objects[i], OBJECT_MEMOBJ);
        if (!memobj)
            return CL_INVALID_MEM_OBJECT;
        if (memobj->context != enqueue->queue->context)
            return CL_INVALID_CONTEXT;
        command->u.migrate.memobjs[command->u.migrate.memobj_count++] = object_ref(memobj);
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                                  const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                                  cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_MIGRATE_MEM_OBJECTS, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_migrate(&enqueue, num_mem_objects, mem_objects, flags);
    return enqueue_end(&enqueue, err, false, event);
}
