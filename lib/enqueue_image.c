/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands on images (OpenCL 3.0 API, 5.3.3 to 5.3.6). Each is checked in texels and becomes a rectangle of
 * bytes, which enqueue_rect.c and enqueue_map.c copy. The image is the "buffer" side of the rectangle,
 * unless it is the target of a copy.
 */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "command.h"
#include "enqueue_command.h"
#include "error.h"
#include "lib/diagnose/call.h"
#include "api_image.h"
#include "transfer.h"

cl_int enqueue_image(const struct queue *queue, cl_mem handle, struct memobj **out_memobj)
{
    struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!queue->device->config->images)
        return CL_INVALID_OPERATION;
    if (!memobj || !memobj->image)
        return CL_INVALID_MEM_OBJECT;
    if (memobj->context != queue->context)
        return CL_INVALID_CONTEXT;
    *out_memobj = memobj;
    return CL_SUCCESS;
}

static void set_image_side(struct rect *rect, const struct image_place *place)
{
    memcpy(rect->region, place->region, sizeof rect->region);
    rect->buffer_origin[0] = place->offset;
    rect->buffer_row = place->pitch[0];
    rect->buffer_slice = place->pitch[1];
}

static void set_other_side(struct rect *rect, size_t offset, size_t row, size_t slice)
{
    rect->host_origin[0] = offset;
    rect->host_row = row;
    rect->host_slice = slice;
}

/* ---- reading and writing ---------------------------------------------------------------- */

static cl_int refuse_pitch(const char *what, size_t pitch, size_t least)
{
    char text[120];
    snprintf(text, sizeof text, "%s is %zu, and a %s of the region has %zu bytes", what, pitch,
             what[0] == 'r' ? "row" : "slice", least);
    call_detail(text);
    return CL_INVALID_VALUE;
}

/* The pitches of the host's side. The layers of a 1D array are its rows, with the slice pitch between
 * them. */
static cl_int set_host_side(struct rect *rect, enum image_type type, size_t row, size_t slice)
{
    size_t packed;
    if (slice && type != IMAGE_3D && !image_is_array(type)) {
        call_detail("the slice pitch must be 0 for an image that has no slices");
        return CL_INVALID_VALUE;
    }
    if (!row)
        row = rect->region[0];
    size_t rows = type == IMAGE_1D_ARRAY ? 1 : rect->region[1];
    if (row < rect->region[0])
        return refuse_pitch("row pitch", row, rect->region[0]);
    if (__builtin_mul_overflow(row, rows, &packed))
        return CL_INVALID_VALUE;
    if (!slice)
        slice = packed;
    if (slice < packed)
        return refuse_pitch("slice pitch", slice, packed);
    set_other_side(rect, 0, type == IMAGE_1D_ARRAY ? slice : row, slice);
    return CL_SUCCESS;
}

static cl_int fill_host(struct enqueue *enqueue, cl_mem image, const size_t *origin, const size_t *region,
                        size_t row_pitch, size_t slice_pitch, void *ptr, cl_int (*may)(const struct memobj *),
                        struct memobj **side)
{
    struct memobj *memobj = NULL;
    struct image_place place;
    struct rect *rect = &enqueue->command->u.transfer.rect;
    cl_int err = enqueue_image(enqueue->queue, image, &memobj);
    if (!err)
        err = image_place(memobj, origin, region, &place);
    if (!err && !ptr)
        err = CL_INVALID_VALUE;
    if (!err) {
        set_image_side(rect, &place);
        err = set_host_side(rect, memobj->image->device.type, row_pitch, slice_pitch);
    }
    if (!err)
        err = may(memobj);
    if (err)
        return err;
    *side = object_ref(memobj);
    enqueue->command->u.transfer.host = ptr;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                                          const size_t *origin, const size_t *region, size_t row_pitch,
                                          size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                          const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_READ_IMAGE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_host(&enqueue, image, origin, region, row_pitch, slice_pitch, ptr, transfer_host_may_read,
                        &enqueue.command->u.transfer.source);
    return enqueue_end(&enqueue, err, blocking_read, event);
}

cl_int CL_API_CALL api_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image,
                                           cl_bool blocking_write, const size_t *origin, const size_t *region,
                                           size_t input_row_pitch, size_t input_slice_pitch, const void *ptr,
                                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                           cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_WRITE_IMAGE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_host(&enqueue, image, origin, region, input_row_pitch, input_slice_pitch,
                        (void *)(uintptr_t)ptr /* only read */, transfer_host_may_write,
                        &enqueue.command->u.transfer.target);
    return enqueue_end(&enqueue, err, blocking_write, event);
}

/* ---- copying -------------------------------------------------------------------------------- */

static bool texels_overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int d = 0; d < 3; d++)
        if (a[d] >= b[d] + region[d] || b[d] >= a[d] + region[d])
            return false;
    return true;
}

static bool same_level(const struct image_desc *image, const size_t *a, const size_t *b)
{
    uint32_t used = image_dimensions(image->type) + image_is_array(image->type);
    return image->levels == 1 || a[used] == b[used];
}

static bool same_format(const struct memobj *a, const struct memobj *b)
{
    return a->image->format.image_channel_order == b->image->format.image_channel_order &&
           a->image->format.image_channel_data_type == b->image->format.image_channel_data_type;
}

static cl_int fill_copy(struct enqueue *enqueue, cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
                        const size_t *dst_origin, const size_t *region)
{
    struct memobj *source = NULL, *target = NULL;
    struct image_place from, to;
    struct rect *rect = &enqueue->command->u.transfer.rect;
    cl_int err = enqueue_image(enqueue->queue, src_image, &source);
    if (!err)
        err = enqueue_image(enqueue->queue, dst_image, &target);
    if (!err && !same_format(source, target))
        err = CL_IMAGE_FORMAT_MISMATCH;
    if (!err)
        err = image_place(source, src_origin, region, &from);
    if (!err)
        err = image_place(target, dst_origin, region, &to);
    if (!err && source == target && same_level(&source->image->device, src_origin, dst_origin) &&
        texels_overlap(src_origin, dst_origin, region))
        err = CL_MEM_COPY_OVERLAP;
    if (err)
        return err;
    set_image_side(rect, &from);
    set_other_side(rect, to.offset, to.pitch[0], to.pitch[1]);
    enqueue->command->u.transfer.source = object_ref(source);
    enqueue->command->u.transfer.target = object_ref(target);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                                          const size_t *src_origin, const size_t *dst_origin,
                                          const size_t *region, cl_uint num_events_in_wait_list,
                                          const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_COPY_IMAGE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_copy(&enqueue, src_image, dst_image, src_origin, dst_origin, region);
    return enqueue_end(&enqueue, err, false, event);
}

/* Checks a region of an image, and the packed texels at an offset of a buffer. */
static cl_int check_pair(const struct queue *queue, cl_mem image, cl_mem buffer, const size_t *origin,
                         const size_t *region, size_t offset, struct memobj **out_image,
                         struct memobj **out_buffer, struct image_place *place)
{
    size_t bytes;
    cl_int err = enqueue_image(queue, image, out_image);
    if (!err)
        err = enqueue_buffer(queue, buffer, out_buffer);
    if (!err && (*out_image)->type == CL_MEM_OBJECT_IMAGE1D_BUFFER && (*out_image)->parent == *out_buffer)
        err = CL_INVALID_MEM_OBJECT;
    if (!err)
        err = image_place(*out_image, origin, region, place);
    if (err)
        return err;
    bytes =
        place->region[0] * place->region[1] * place->region[2]; /* no overflow: at most the image's bytes */
    return transfer_inside_buffer(*out_buffer, offset, bytes) ? CL_SUCCESS : CL_INVALID_VALUE;
}

static cl_int fill_to_buffer(struct enqueue *enqueue, cl_mem src_image, cl_mem dst_buffer,
                             const size_t *src_origin, const size_t *region, size_t dst_offset)
{
    struct memobj *image = NULL, *buffer = NULL;
    struct image_place place;
    struct rect *rect = &enqueue->command->u.transfer.rect;
    cl_int err = check_pair(enqueue->queue, src_image, dst_buffer, src_origin, region, dst_offset, &image,
                            &buffer, &place);
    if (err)
        return err;
    set_image_side(rect, &place);
    set_other_side(rect, dst_offset, place.region[0], place.region[0] * place.region[1]);
    enqueue->command->u.transfer.source = object_ref(image);
    enqueue->command->u.transfer.target = object_ref(buffer);
    return CL_SUCCESS;
}

static cl_int fill_from_buffer(struct enqueue *enqueue, cl_mem src_buffer, cl_mem dst_image,
                               size_t src_offset, const size_t *dst_origin, const size_t *region)
{
    struct memobj *image = NULL, *buffer = NULL;
    struct image_place place;
    struct rect *rect = &enqueue->command->u.transfer.rect;
    cl_int err = check_pair(enqueue->queue, dst_image, src_buffer, dst_origin, region, src_offset, &image,
                            &buffer, &place);
    if (err)
        return err;
    memcpy(rect->region, place.region, sizeof rect->region);
    rect->buffer_origin[0] = src_offset;
    rect->buffer_row = place.region[0];
    rect->buffer_slice = place.region[0] * place.region[1];
    set_other_side(rect, place.offset, place.pitch[0], place.pitch[1]);
    enqueue->command->u.transfer.source = object_ref(buffer);
    enqueue->command->u.transfer.target = object_ref(image);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                                  cl_mem dst_buffer, const size_t *src_origin,
                                                  const size_t *region, size_t dst_offset,
                                                  cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_COPY_IMAGE_TO_BUFFER, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_to_buffer(&enqueue, src_image, dst_buffer, src_origin, region, dst_offset);
    return enqueue_end(&enqueue, err, false, event);
}

cl_int CL_API_CALL api_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                                  cl_mem dst_image, size_t src_offset,
                                                  const size_t *dst_origin, const size_t *region,
                                                  cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_COPY_BUFFER_TO_IMAGE, num_events_in_wait_list,
                               event_wait_list);
    if (!err)
        err = fill_from_buffer(&enqueue, src_buffer, dst_image, src_offset, dst_origin, region);
    return enqueue_end(&enqueue, err, false, event);
}

/* ---- filling --------------------------------------------------------------------------------- */

cl_int run_fill_image(struct command *command)
{
    const struct rect *rect = &command->u.fill.rect;
    uint64_t address = command->u.fill.target->address + rect->buffer_origin[0];
    enum status status = STATUS_OK;
    for (size_t z = 0; z < rect->region[2] && status == STATUS_OK; z++)
        for (size_t y = 0; y < rect->region[1] && status == STATUS_OK; y++)
            status = device_fill(command_device(command), command->serial,
                                 address + z * rect->buffer_slice + y * rect->buffer_row,
                                 command->u.fill.pattern, command->u.fill.pattern_size, rect->region[0]);
    return error_from_status(status);
}

/* A color has four components, as for write_image in a kernel; that of a depth image has one. */
static cl_int fill_fill(struct enqueue *enqueue, cl_mem image, const void *color, const size_t *origin,
                        const size_t *region)
{
    struct memobj *memobj = NULL;
    struct image_place place;
    struct command *command = enqueue->command;
    cl_int err = enqueue_image(enqueue->queue, image, &memobj);
    if (!err && !color)
        err = CL_INVALID_VALUE;
    if (!err)
        err = image_place(memobj, origin, region, &place);
    if (err)
        return err;
    const struct image_format *format = memobj->image->device.format;
    union texel texel = {{0}};
    memcpy(&texel, color, format->depth ? sizeof(float) : sizeof texel);
    image_store(format, &texel, command->u.fill.pattern);
    command->u.fill.pattern_size = format->texel_bytes;
    set_image_side(&command->u.fill.rect, &place);
    command->u.fill.target = object_ref(memobj);
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image,
                                          const void *fill_color, const size_t *origin, const size_t *region,
                                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                          cl_event *event)
{
    struct enqueue enqueue;
    cl_int err =
        enqueue_begin(&enqueue, command_queue, COMMAND_FILL_IMAGE, num_events_in_wait_list, event_wait_list);
    if (!err)
        err = fill_fill(&enqueue, image, fill_color, origin, region);
    return enqueue_end(&enqueue, err, false, event);
}
