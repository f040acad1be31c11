/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of buffers and images (OpenCL 3.0 API, 5.2.4, 5.3.7, 5.5.2). A record is in the list of its root
 * object from the call that maps to the call that unmaps, as is CL_MEM_MAP_COUNT. So overlaps are decided by
 * the order of the calls, not of the commands. A command that fails before it runs undoes the change of the
 * list. record->count counts references: of the list, and of commands.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "command.h"
#include "enqueue_command.h"
#include "error.h"
#include "api_image.h"
#include "memobj.h"
#include "lib/diagnose/host_gone.h"
#include "lib/host/aliased_maps.h"
#include "transfer.h"

enum { MAP_WRITES = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION };

/* ---- records (runtime_lock held) ---------------------------------------------------- */

static void record_unref(struct map_record *record)
{
    if (--record->count)
        return;
    free(record->made);
    free(record);
}

static void record_insert(struct map_record *record)
{
    struct memobj *root = memobj_root(record->owner);
    record->next = root->maps;
    root->maps = record;
    record->owner->map_count++;
    record->count++;
}

/* Removes the latest record of owner at the pointer, or (self) that record. NULL: none. */
static struct map_record *record_remove(struct memobj *owner, const void *pointer,
                                        const struct map_record *self)
{
    struct map_record **link = &memobj_root(owner)->maps;
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

/* Two regions of one image whose columns do not overlap share no byte, though their byte ranges do. */
static bool columns_apart(const struct map_record *a, const struct map_record *b)
{
    size_t row = a->pitch[0];
    const bool same_slices = a->pitch[1] == b->pitch[1] || a->region[2] == 1 || b->region[2] == 1;
    if (!row || row != b->pitch[0] || !same_slices)
        return false;
    size_t x = a->offset % row, y = b->offset % row;
    return x + a->region[0] <= y || y + b->region[0] <= x;
}

static bool rows_apart(const struct map_record *a, const struct map_record *b)
{
    size_t slice = a->pitch[1], row = a->pitch[0];
    if (!slice || !row || slice % row != 0)
        return false;
    if (slice != b->pitch[1] || row != b->pitch[0])
        return false;
    size_t x = a->offset % slice / row, y = b->offset % slice / row;
    return x + a->region[1] <= y || y + b->region[1] <= x;
}

static bool overlap(const struct map_record *a, const struct map_record *b)
{
    if (a->offset >= b->offset + b->size || b->offset >= a->offset + a->size)
        return false;
    bool images = a->owner == b->owner && a->owner->image;
    return !images || !(columns_apart(a, b) || rows_apart(a, b));
}

static bool write_overlaps(const struct map_record *wanted)
{
    for (const struct map_record *record = memobj_root(wanted->owner)->maps; record; record = record->next)
        if (record->flags & MAP_WRITES && overlap(record, wanted))
            return true;
    return false;
}

/* ---- execution ---------------------------------------------------------------------- */

/* The host memory that map and unmap copy to and from (CL_MEM_USE_HOST_PTR); NULL: the device's bytes are
 * used. */
static char *host_copy(struct memobj *memobj)
{
    const struct memobj *root = memobj_root(memobj);
    bool apart = root->flags & CL_MEM_USE_HOST_PTR && (uint64_t)(uintptr_t)root->host_ptr != root->address;
    return apart ? root->host_ptr : NULL;
}

static uint64_t record_address(const struct map_record *record)
{
    return memobj_root(record->owner)->address + record->offset;
}

static uint32_t device_flags(cl_map_flags flags)
{
    return (flags & CL_MAP_READ ? DEVICE_MAP_READ : 0) | (flags & MAP_WRITES ? DEVICE_MAP_WRITE : 0);
}

/* Packed rows, and packed slices of packed rows, become one row. */
static void merge_rows(const struct map_record *record, size_t out_region[3])
{
    memcpy(out_region, record->region, 3 * sizeof out_region[0]);
    if (out_region[1] > 1 && record->pitch[0] == out_region[0]) {
        out_region[0] *= out_region[1];
        out_region[1] = 1;
    }
    if (out_region[2] > 1 && out_region[1] == 1 && record->pitch[1] == out_region[0]) {
        out_region[0] *= out_region[2];
        out_region[2] = 1;
    }
}

typedef void map_piece(const struct command *command, const struct map_record *record, uint64_t address,
                       size_t size, void *host);

static void map_bytes(const struct command *command, const struct map_record *record, uint64_t address,
                      size_t size, void *host)
{
    bool keeps = !(record->flags & CL_MAP_WRITE_INVALIDATE_REGION);
    device_map(command_device(command), command->serial, address, size,
               device_flags(record->flags) |
                   (record->unmapped || record->aliased.any ? DEVICE_MAP_ASTRAY : 0),
               keeps ? host : NULL);
}

static void unmap_bytes(const struct command *command, const struct map_record *record, uint64_t address,
                        size_t size, void *host)
{
    device_unmap(command_device(command), command->serial, record->by, address, size,
                 device_flags(record->flags) | (record->mapped ? 0 : DEVICE_MAP_ASTRAY) |
                     (record->aliased.any ? DEVICE_MAP_BYTES : 0),
                 host);
}

static void each_piece(const struct command *command, const struct map_record *record, map_piece *piece)
{
    /* memory that the host has unmapped is not copied */
    bool apart = host_copy(record->owner) != NULL && !host_gone(record->owner);
    size_t region[3];
    merge_rows(record, region);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            size_t at = z * record->pitch[1] + y * record->pitch[0];
            piece(command, record, record_address(record) + at, region[0],
                  apart ? (char *)record->pointer + at : NULL);
        }
}

cl_int run_map_buffer(struct command *command)
{
    each_piece(command, command->u.map.record, map_bytes);
    command->u.map.record->mapped = command->u.map.done = true;
    return CL_SUCCESS;
}

/*
 * The host's stores become visible to the device, also of bytes that the device wrote. The unmap need not be
 * ordered after its map.
 */
cl_int run_unmap_mem_object(struct command *command)
{
    struct map_record *record = command->u.map.record;
    if (record->by)
        each_piece(command, record, unmap_bytes);
    if (record->aliased.any)
        aliased_maps_unmap(command, record, record_address(record));
    record->unmapped = command->u.map.done = true;
    return CL_SUCCESS;
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
    if (record && !command->u.map.done)
        record->by = 0;
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
    bool valid = !(flags & ~(cl_map_flags)(CL_MAP_READ | MAP_WRITES));
    bool both = flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE);
    return valid && !both;
}

static cl_int check_access(const struct memobj *memobj, cl_map_flags flags)
{
    if (!flags_valid(flags))
        return call_because(CL_INVALID_VALUE,
                            "map_flags is 0x%" PRIx64 ": CL_MAP_READ and CL_MAP_WRITE go together, and "
                            "CL_MAP_WRITE_INVALIDATE_REGION with neither",
                            (uint64_t)flags);
    if (flags & CL_MAP_READ && transfer_host_may_read(memobj))
        return CL_INVALID_OPERATION;
    return flags & MAP_WRITES ? transfer_host_may_write(memobj) : CL_SUCCESS;
}

static struct map_record *record_new(struct memobj *memobj, cl_map_flags flags,
                                     const struct image_place *place)
{
    struct map_record *record = calloc(1, sizeof *record);
    if (!record)
        return NULL;
    record->owner = memobj;
    record->offset = (size_t)(memobj->address - memobj_root(memobj)->address) + place->offset;
    record->size = (place->region[2] - 1) * place->pitch[1] + (place->region[1] - 1) * place->pitch[0] +
                   place->region[0];
    memcpy(record->region, place->region, sizeof record->region);
    memcpy(record->pitch, place->pitch, sizeof record->pitch);
    record->flags = flags;
    record->count = 1;
    record->made = call_site_new();
    char *base = host_copy(memobj);
    record->pointer = base ? base + record->offset : (char *)(uintptr_t)record_address(record);
    return record;
}

static cl_int fill_map(struct enqueue *enqueue, struct memobj *memobj, cl_map_flags flags,
                       const struct image_place *place, void **out_pointer)
{
    struct command *command = enqueue->command;
    cl_int err = check_access(memobj, flags);
    if (err)
        return err;
    struct map_record *record = record_new(memobj, flags, place);
    if (!record)
        return CL_OUT_OF_HOST_MEMORY;
    command->u.map.memobj = object_ref(memobj);
    command->u.map.record = record;
    runtime_lock();
    if (flags & MAP_WRITES && write_overlaps(record))
        err = call_because(CL_INVALID_OPERATION, "some of these bytes are mapped for writing already");
    else
        record_insert(record);
    runtime_unlock();
    *out_pointer = record->pointer;
    return err;
}

static cl_int fill_map_buffer(struct enqueue *enqueue, cl_mem buffer, cl_map_flags flags, size_t offset,
                              size_t size, void **out_pointer)
{
    struct memobj *memobj = NULL;
    struct image_place all = {.offset = offset, .region = {size, 1, 1}};
    cl_int err = enqueue_buffer(enqueue->queue, buffer, &memobj);
    if (!err && (size == 0 || !transfer_inside_buffer(memobj, offset, size)))
        err = CL_INVALID_VALUE;
    return err ? err : fill_map(enqueue, memobj, flags, &all, out_pointer);
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
        err = fill_map_buffer(&enqueue, buffer, map_flags, offset, size, &pointer);
    err = enqueue_end(&enqueue, err, blocking_map, event);
    return error_return(errcode_ret, err, pointer);
}

static cl_int fill_map_image(struct enqueue *enqueue, cl_mem image, cl_map_flags flags, const size_t *origin,
                             const size_t *region, size_t *row_pitch, size_t *slice_pitch, void **out_pointer)
{
    struct memobj *memobj = NULL;
    struct image_place place;
    cl_int err = enqueue_image(enqueue->queue, image, &memobj);
    if (!err)
        err = image_place(memobj, origin, region, &place);
    if (err)
        return err;
    enum image_type type = memobj->image->device.type;
    bool slices = type == IMAGE_3D || image_is_array(type);
    if (!row_pitch || (slices && !slice_pitch))
        return CL_INVALID_VALUE;
    err = fill_map(enqueue, memobj, flags, &place, out_pointer);
    *row_pitch = place.pitch[0];
    if (slice_pitch)
        *slice_pitch = slices ? place.pitch[1] : 0;
    return err;
}

void *CL_API_CALL api_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                                        cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                        size_t *image_row_pitch, size_t *image_slice_pitch,
                                        cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                        cl_event *event, cl_int *errcode_ret)
{
    struct enqueue enqueue;
    void *pointer = NULL;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_MAP_IMAGE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_map_image(&enqueue, image, map_flags, origin, region, image_row_pitch, image_slice_pitch,
                             &pointer);
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
    if (command->u.map.record)
        aliased_maps_note(memobj_root(memobj)->maps, command->u.map.record);
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
