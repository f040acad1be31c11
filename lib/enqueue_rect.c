/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rectangles of a buffer (OpenCL 3.0 API, 5.2.2). In struct rect the "buffer" side is the source of a copy
 * and the buffer of a read or write; the "host" side is the target of a copy and host memory. Two rectangles
 * overlap if two of their rows do; rows are not enumerated, but the distance of their starts is solved for
 * (rects_overlap).
 */
#include <inttypes.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "command.h"
#include "enqueue_command.h"
#include "error.h"
#include "transfer.h"

/* ---- geometry --------------------------------------------------------------------- */

/* A pitch of 0 stands for packed rows or slices. */
static bool pitches_resolve(const size_t region[3], size_t *row, size_t *slice)
{
    size_t packed;
    if (*row == 0)
        *row = region[0];
    if (*row < region[0] || __builtin_mul_overflow(region[1], *row, &packed))
        return false;
    if (*slice == 0)
        *slice = packed;
    return *slice >= packed && *slice % *row == 0;
}

static bool linear(size_t z, size_t slice, size_t y, size_t row, size_t x, size_t *out_offset)
{
    size_t planes, rows;
    return !__builtin_mul_overflow(z, slice, &planes) && !__builtin_mul_overflow(y, row, &rows) &&
           !__builtin_add_overflow(planes, rows, &planes) && !__builtin_add_overflow(planes, x, out_offset);
}

/* Offset of the first byte and of the byte after the last. */
static bool extent(const size_t origin[3], const size_t region[3], size_t row, size_t slice,
                   size_t *out_first, size_t *out_end)
{
    size_t length;
    return linear(origin[2], slice, origin[1], row, origin[0], out_first) &&
           linear(region[2] - 1, slice, region[1] - 1, row, region[0], &length) &&
           !__builtin_add_overflow(*out_first, length, out_end);
}

static bool region_empty(const size_t region[3])
{
    return region[0] == 0 || region[1] == 0 || region[2] == 0;
}

static bool rect_inside(const size_t origin[3], const size_t region[3], size_t row, size_t slice,
                        size_t whole)
{
    size_t first, end;
    return extent(origin, region, row, slice, &first, &end) && end <= whole;
}

/* Is distance + j * row within (-width, width) for some |j| < height? */
static bool rows_overlap(int64_t distance, int64_t width, int64_t height, int64_t row)
{
    int64_t j = -distance / row;
    for (int64_t near = j - 1; near <= j + 1; near++) {
        int64_t gap = distance + near * row;
        if (near > -height && near < height && gap > -width && gap < width)
            return true;
    }
    return false;
}

/* Both rectangles have the same pitches. Two rows overlap if their starts are less than a width apart,
 * and the starts of any two rows differ by a whole number of rows and slices. */
static bool rects_overlap_same_pitch(int64_t distance, const size_t region[3], size_t row, size_t slice)
{
    for (int64_t k = 1 - (int64_t)region[2]; k < (int64_t)region[2]; k++)
        if (rows_overlap(distance + k * (int64_t)slice, (int64_t)region[0], (int64_t)region[1], (int64_t)row))
            return true;
    return false;
}

static bool rects_overlap(const struct rect *rect, uint64_t source, uint64_t target)
{
    size_t source_first, source_end, target_first, target_end;
    extent(rect->buffer_origin, rect->region, rect->buffer_row, rect->buffer_slice, &source_first,
           &source_end);
    extent(rect->host_origin, rect->region, rect->host_row, rect->host_slice, &target_first, &target_end);
    if (source + source_end <= target + target_first || target + target_end <= source + source_first)
        return false;
    if (rect->buffer_row != rect->host_row || rect->buffer_slice != rect->host_slice)
        return true; /* different pitches: counted as an overlap, without a comparison of rows */
    return rects_overlap_same_pitch((int64_t)(source + source_first - target - target_first), rect->region,
                                    rect->buffer_row, rect->buffer_slice);
}

/* ---- a buffer and its own host memory ------------------------------------------------------------------ */

static uint64_t row_at(const struct rect *rect, const size_t origin[3], size_t row, size_t slice,
                       size_t index)
{
    return (origin[2] + index / rect->region[1]) * slice + (origin[1] + index % rect->region[1]) * row +
           origin[0];
}

static uint64_t below_row(const struct rect *rect, size_t index)
{
    return row_at(rect, rect->buffer_origin, rect->buffer_row, rect->buffer_slice, index);
}

static uint64_t host_row(const struct rect *rect, size_t index)
{
    return row_at(rect, rect->host_origin, rect->host_row, rect->host_slice, index);
}

bool transfer_rect_in_place(const struct rect *rect, uint64_t below, uint64_t host)
{
    const bool same_rows = rect->region[1] == 1 || rect->buffer_row == rect->host_row;
    const bool same_slices = rect->region[2] == 1 || rect->buffer_slice == rect->host_slice;
    return same_rows && same_slices && below + below_row(rect, 0) == host + host_row(rect, 0);
}

/* Rows of both sides ascend, so one pass over both finds an overlap. */
bool transfer_rect_overlaps_itself(const struct rect *rect, uint64_t below, uint64_t host)
{
    const size_t rows = rect->region[1] * rect->region[2], width = rect->region[0];
    for (size_t i = 0, j = 0; i < rows && j < rows;) {
        const uint64_t a = below + below_row(rect, i), b = host + host_row(rect, j);
        if (a + width <= b)
            i++;
        else if (b + width <= a)
            j++;
        else
            return true;
    }
    return false;
}

/* ---- execution --------------------------------------------------------------------- */

typedef enum status move_rows(const struct command *command, size_t buffer_offset, size_t host_offset,
                              size_t size);

/* Packed rows, and packed slices of packed rows, become one row. */
static struct rect rect_merge(const struct rect *rect)
{
    struct rect merged = *rect;
    if (merged.buffer_row != merged.region[0] || merged.host_row != merged.region[0])
        return merged;
    merged.region[0] *= merged.region[1];
    merged.region[1] = 1;
    if (merged.buffer_slice != merged.region[0] || merged.host_slice != merged.region[0])
        return merged;
    merged.region[0] *= merged.region[2];
    merged.region[2] = 1;
    return merged;
}

static cl_int rect_run(const struct command *command, move_rows *move)
{
    struct rect rect = rect_merge(&command->u.transfer.rect);
    size_t buffer = rect.buffer_origin[2] * rect.buffer_slice + rect.buffer_origin[1] * rect.buffer_row +
                    rect.buffer_origin[0];
    size_t host =
        rect.host_origin[2] * rect.host_slice + rect.host_origin[1] * rect.host_row + rect.host_origin[0];
    enum status status = STATUS_OK;
    for (size_t z = 0; z < rect.region[2] && status == STATUS_OK; z++)
        for (size_t y = 0; y < rect.region[1] && status == STATUS_OK; y++)
            status = move(command, buffer + z * rect.buffer_slice + y * rect.buffer_row,
                          host + z * rect.host_slice + y * rect.host_row, rect.region[0]);
    return error_from_status(status);
}

static enum status move_read(const struct command *command, size_t buffer_offset, size_t host_offset,
                             size_t size)
{
    return device_read(command_device(command), command->serial,
                       command->u.transfer.source->address + buffer_offset,
                       (char *)command->u.transfer.host + host_offset, size);
}

static enum status move_write(const struct command *command, size_t buffer_offset, size_t host_offset,
                              size_t size)
{
    return device_write(command_device(command), command->serial,
                        command->u.transfer.target->address + buffer_offset,
                        (const char *)command->u.transfer.host + host_offset, size);
}

static enum status move_copy(const struct command *command, size_t buffer_offset, size_t host_offset,
                             size_t size)
{
    return device_copy(command_device(command), command->serial,
                       command->u.transfer.target->address + host_offset,
                       command->u.transfer.source->address + buffer_offset, size);
}

cl_int run_read_buffer_rect(struct command *command)
{
    return rect_run(command, move_read);
}

cl_int run_write_buffer_rect(struct command *command)
{
    return rect_run(command, move_write);
}

cl_int run_copy_buffer_rect(struct command *command)
{
    return rect_run(command, move_copy);
}

/* ---- the calls ---------------------------------------------------------------------- */

/* The box of the buffer side, or of the other one, leaves the memory object. */
static cl_int refuse_box(const struct rect *rect, bool buffer_side, const struct memobj *memobj)
{
    const size_t *origin = buffer_side ? rect->buffer_origin : rect->host_origin;
    size_t first = 0, end = 0;
    const bool known = extent(origin, rect->region, buffer_side ? rect->buffer_row : rect->host_row,
                              buffer_side ? rect->buffer_slice : rect->host_slice, &first, &end);
    return known ? call_because(CL_INVALID_VALUE,
                                "the box ends at byte %zu of buffer %" PRIu32 ", which has %zu bytes", end,
                                memobj->base.id, memobj->size)
                 : call_because(CL_INVALID_VALUE, "the box ends beyond what a size_t holds");
}

static cl_int refuse_pitch(const char *of, size_t row, size_t slice, const size_t *region)
{
    return row && row < region[0]
               ? call_because(CL_INVALID_VALUE,
                              "the row pitch of the %s is %zu, and a row of the region has %zu bytes", of,
                              row, region[0])
               : call_because(
                     CL_INVALID_VALUE,
                     "the slice pitch of the %s is %zu: it must hold %zu rows, and be a multiple of the "
                     "row pitch",
                     of, slice, region[1]);
}

static bool rect_make(struct rect *rect, const size_t *buffer_origin, const size_t *host_origin,
                      const size_t *region, size_t buffer_row, size_t buffer_slice, size_t host_row,
                      size_t host_slice)
{
    if (!buffer_origin || !host_origin || !region)
        return false;
    if (region_empty(region)) {
        (void)call_because(CL_INVALID_VALUE, "region is %zu x %zu x %zu: no side may be 0", region[0],
                           region[1], region[2]);
        return false;
    }
    *rect = (struct rect){.buffer_row = buffer_row,
                          .buffer_slice = buffer_slice,
                          .host_row = host_row,
                          .host_slice = host_slice};
    memcpy(rect->buffer_origin, buffer_origin, sizeof rect->buffer_origin);
    memcpy(rect->host_origin, host_origin, sizeof rect->host_origin);
    memcpy(rect->region, region, sizeof rect->region);
    const bool first = pitches_resolve(region, &rect->buffer_row, &rect->buffer_slice);
    const bool fits = first && pitches_resolve(region, &rect->host_row, &rect->host_slice);
    if (!fits)
        (void)refuse_pitch(first ? "host memory or destination" : "buffer or source",
                           first ? host_row : buffer_row, first ? host_slice : buffer_slice, region);
    return fits;
}

/* out_memobj: where the command has its source or target. */
static cl_int fill_host_rect(struct enqueue *enqueue, cl_mem buffer, const struct rect *rect, bool made,
                             const void *ptr, cl_int (*may)(const struct memobj *memobj),
                             struct memobj **out_memobj)
{
    struct memobj *memobj = NULL;
    cl_int err = enqueue_buffer(enqueue->queue, buffer, &memobj);
    if (err)
        return err;
    if (!made || !ptr)
        return CL_INVALID_VALUE;
    if (!rect_inside(rect->buffer_origin, rect->region, rect->buffer_row, rect->buffer_slice, memobj->size))
        return refuse_box(rect, true, memobj);
    if (!rect_inside(rect->host_origin, rect->region, rect->host_row, rect->host_slice, SIZE_MAX))
        return CL_INVALID_VALUE;
    err = may(memobj);
    if (err)
        return err;
    *out_memobj = object_ref(memobj);
    enqueue->command->u.transfer.rect = *rect;
    enqueue->command->u.transfer.host = (void *)(uintptr_t)ptr; /* a write only reads it */
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                               cl_bool blocking_read, const size_t *buffer_origin,
                                               const size_t *host_origin, const size_t *region,
                                               size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                               size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
                                               cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    struct rect rect;
    bool made = rect_make(&rect, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch,
                          host_row_pitch, host_slice_pitch);
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_READ_BUFFER_RECT, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_host_rect(&enqueue, buffer, &rect, made, ptr, transfer_host_may_read,
                             &enqueue.command->u.transfer.source);
    return enqueue_end(&enqueue, err, blocking_read, event);
}

cl_int CL_API_CALL api_clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                                cl_bool blocking_write, const size_t *buffer_origin,
                                                const size_t *host_origin, const size_t *region,
                                                size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                                size_t host_row_pitch, size_t host_slice_pitch,
                                                const void *ptr, cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    struct rect rect;
    bool made = rect_make(&rect, buffer_origin, host_origin, region, buffer_row_pitch, buffer_slice_pitch,
                          host_row_pitch, host_slice_pitch);
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_WRITE_BUFFER_RECT, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_host_rect(&enqueue, buffer, &rect, made, ptr, transfer_host_may_write,
                             &enqueue.command->u.transfer.target);
    return enqueue_end(&enqueue, err, blocking_write, event);
}

static cl_int fill_copy_rect(struct enqueue *enqueue, cl_mem src_buffer, cl_mem dst_buffer,
                             const struct rect *rect, bool made)
{
    struct memobj *source = NULL, *target = NULL;
    cl_int err = enqueue_buffer(enqueue->queue, src_buffer, &source);
    if (!err)
        err = enqueue_buffer(enqueue->queue, dst_buffer, &target);
    if (err)
        return err;
    if (!made)
        return CL_INVALID_VALUE;
    if (!rect_inside(rect->buffer_origin, rect->region, rect->buffer_row, rect->buffer_slice, source->size))
        return refuse_box(rect, true, source);
    if (!rect_inside(rect->host_origin, rect->region, rect->host_row, rect->host_slice, target->size))
        return refuse_box(rect, false, target);
    if (source == target && (rect->buffer_row != rect->host_row || rect->buffer_slice != rect->host_slice))
        return call_because(
            CL_INVALID_VALUE,
            "within one buffer the pitches must be the same: rows of %zu and %zu bytes, slices of "
            "%zu and %zu",
            rect->buffer_row, rect->host_row, rect->buffer_slice, rect->host_slice);
    if (rects_overlap(rect, source->address, target->address))
        return call_because(CL_MEM_COPY_OVERLAP, "the two boxes share bytes of one buffer");
    enqueue->command->u.transfer.source = object_ref(source);
    enqueue->command->u.transfer.target = object_ref(target);
    enqueue->command->u.transfer.rect = *rect;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer,
                                               cl_mem dst_buffer, const size_t *src_origin,
                                               const size_t *dst_origin, const size_t *region,
                                               size_t src_row_pitch, size_t src_slice_pitch,
                                               size_t dst_row_pitch, size_t dst_slice_pitch,
                                               cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    struct rect rect;
    bool made = rect_make(&rect, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch,
                          dst_row_pitch, dst_slice_pitch);
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_COPY_BUFFER_RECT, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_copy_rect(&enqueue, src_buffer, dst_buffer, &rect, made);
    return enqueue_end(&enqueue, err, false, event);
}
