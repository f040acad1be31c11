/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, writes, copies and fills of buffers and images, and maps. */
#include <string.h>

#include "calls_sequence.h"

/* Regions that the host's memory cannot hold are the program's fault, so their pitches become 0; then what is
 * larger is refused, as no object is. */
struct box {
    size_t origin[3], host_origin[3], region[3];
    size_t row, slice, host_row, host_slice;
};

static bool too_large(size_t a, size_t b, size_t c)
{
    return a > HOST_BYTES || b > HOST_BYTES || c > HOST_BYTES;
}

/* Bytes of the host that the region reaches, of elements of element bytes. */
static bool host_holds(const struct box *box, size_t element)
{
    const size_t *const o = box->host_origin, *const r = box->region;
    if (too_large(o[0], o[1], o[2]) || too_large(r[0], r[1], r[2]) ||
        too_large(box->host_row, box->host_slice, 0))
        return false;
    const size_t row = box->host_row ? box->host_row : r[0] * element,
                 slice = box->host_slice ? box->host_slice : row * r[1];
    if (slice > HOST_BYTES)
        return false;
    return (o[2] + r[2]) * slice + (o[1] + r[1]) * row + (o[0] + r[0]) * element <= HOST_BYTES;
}

static struct box draw_box(struct sequence *s, bool pitched, size_t element)
{
    struct box box = {.origin = {draw_size(s), draw_size(s), draw_size(s)},
                      .region = {1 + draw_size(s), 1 + draw_size(s), 1 + draw_size(s)}};
    const uint8_t form = draw(s);
    if (form & 128)
        box.region[draw(s) % 3] = 0;
    if (pitched && form & 1)
        box.row = draw_size(s), box.slice = draw_size(s);
    if (form & 2)
        box.host_row = draw_size(s), box.host_slice = draw_size(s);
    if (form & 4)
        for (int i = 0; i < 3; i++)
            box.host_origin[i] = draw_size(s);
    if (!host_holds(&box, element)) {
        box.host_row = box.host_slice = 0;
        memset(box.host_origin, 0, sizeof box.host_origin);
    }
    return box;
}

/* ---- buffers ---- */

void try_read_write(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    const size_t size = draw_bytes(s), offset = draw_size(s);
    char *const host = draw_host(s);
    const cl_bool blocks = way & 2 && may_block(s);
    if (way & 1)
        clEnqueueWriteBuffer(operands.queue, memory, blocks, offset, size, host, WAITS(operands));
    else
        clEnqueueReadBuffer(operands.queue, memory, blocks, offset, size, host, WAITS(operands));
    try_end(s);
}

void try_read_write_rect(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    const struct box box = draw_box(s, true, 1);
    char *const host = way == 254 ? NULL : (char *)world.host;
    const cl_bool blocks = way & 2 && may_block(s);
    const size_t *const region = way == 252 ? NULL : box.region, *const origin =
                                                                     way == 251 ? NULL : box.origin;
    if (way & 1)
        clEnqueueWriteBufferRect(operands.queue, memory, blocks, origin, box.host_origin, region, box.row,
                                 box.slice, box.host_row, box.host_slice, host, WAITS(operands));
    else
        clEnqueueReadBufferRect(operands.queue, memory, blocks, origin, box.host_origin, region, box.row,
                                box.slice, box.host_row, box.host_slice, host, WAITS(operands));
    try_end(s);
}

void try_copy(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem from = DRAW_MEMORY(s), to = DRAW_MEMORY(s);
    const size_t size = draw_bytes(s), a = draw_size(s), b = draw_size(s);
    clEnqueueCopyBuffer(operands.queue, from, to, a, b, size, WAITS(operands));
    try_end(s);
}

void try_copy_rect(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem from = DRAW_MEMORY(s), to = DRAW_MEMORY(s);
    const struct box box = draw_box(s, true, 1);
    const uint8_t way = draw(s);
    clEnqueueCopyBufferRect(operands.queue, from, to, way == 251 ? NULL : box.origin,
                            way == 252 ? NULL : box.host_origin, way == 253 ? NULL : box.region, box.row,
                            box.slice, box.host_row, box.host_slice, WAITS(operands));
    try_end(s);
}

void try_fill(struct sequence *s)
{
    static const size_t patterns[] = {4, 1, 2, 8, 16, 32, 64, 128, 0, 3, 256, SIZE_MAX};
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const size_t pattern = patterns[draw(s) % COUNT_OF(patterns)], size = draw_bytes(s),
                 offset = draw_size(s);
    clEnqueueFillBuffer(operands.queue, memory, draw_host(s), pattern, offset, size, WAITS(operands));
    try_end(s);
}

/* ---- images ---- */

enum { TEXEL_BYTES = 16 };

void try_read_write_image(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    struct box box = draw_box(s, false, TEXEL_BYTES);
    char *const host = way == 254 ? NULL : (char *)world.host;
    const cl_bool blocks = way & 2 && may_block(s);
    const size_t *const region = way == 252 ? NULL : box.region, *const origin =
                                                                     way == 251 ? NULL : box.origin;
    if (way & 1)
        clEnqueueWriteImage(operands.queue, memory, blocks, origin, region, box.host_row, box.host_slice,
                            host, WAITS(operands));
    else
        clEnqueueReadImage(operands.queue, memory, blocks, origin, region, box.host_row, box.host_slice, host,
                           WAITS(operands));
    try_end(s);
}

void try_copy_image(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem from = DRAW_MEMORY(s), to = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    const size_t offset = way & 8 ? draw_size(s) : 0;
    const struct box box = draw_box(s, false, TEXEL_BYTES);
    const size_t *const region = way == 252 ? NULL : box.region, *const origin =
                                                                     way == 251 ? NULL : box.origin;
    if (way % 3 == 0)
        clEnqueueCopyImage(operands.queue, from, to, origin, box.host_origin, region, WAITS(operands));
    else if (way % 3 == 1)
        clEnqueueCopyImageToBuffer(operands.queue, from, to, origin, region, offset, WAITS(operands));
    else
        clEnqueueCopyBufferToImage(operands.queue, from, to, offset, origin, region, WAITS(operands));
    try_end(s);
}

void try_fill_image(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const struct box box = draw_box(s, false, TEXEL_BYTES);
    const uint8_t way = draw(s);
    clEnqueueFillImage(operands.queue, memory, draw_host(s), way == 251 ? NULL : box.origin,
                       way == 252 ? NULL : box.region, WAITS(operands));
    try_end(s);
}

/* ---- maps ---- */

static const uint64_t map_flags[] = {CL_MAP_READ,
                                     CL_MAP_WRITE,
                                     CL_MAP_READ | CL_MAP_WRITE,
                                     CL_MAP_WRITE_INVALIDATE_REGION,
                                     0,
                                     CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION};

/* The host accesses a map only once its command is complete. */
static void put_map(struct sequence *s, struct map map, bool complete, cl_int err)
{
    (void)err;
    try_end(s);
    if (!map.pointer)
        return;
    struct map *place = &s->maps[s->next_map++ % PLACES];
    if (place->pointer)
        unmap(place);
    if (!complete)
        map.size = 0;
    else if (map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
        memset(map.pointer, 7, map.size);
    *place = map;
}

void try_map(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    const size_t size = draw_bytes(s), offset = draw_size(s);
    const cl_map_flags flags = draw_flags(s, map_flags, COUNT_OF(map_flags));
    const cl_bool blocks = !(way & 1) && may_block(s);
    cl_int err = CL_SUCCESS;
    char *const pointer =
        clEnqueueMapBuffer(operands.queue, memory, blocks, flags, offset, size, WAITS(operands), &err);
    put_map(s, (struct map){pointer, size, memory, flags}, blocks && !err, err);
}

void try_map_image(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t way = draw(s);
    const struct box box = draw_box(s, false, TEXEL_BYTES);
    const cl_map_flags flags = draw_flags(s, map_flags, COUNT_OF(map_flags));
    const cl_bool blocks = !(way & 1) && may_block(s);
    cl_int err = CL_SUCCESS;
    size_t row = 0, slice = 0, texel = 0;
    clGetImageInfo(memory, CL_IMAGE_ELEMENT_SIZE, sizeof texel, &texel, NULL);
    char *const pointer = clEnqueueMapImage(
        operands.queue, memory, blocks, flags, way == 251 ? NULL : box.origin, way == 252 ? NULL : box.region,
        way == 253 ? NULL : &row, way & 4 ? NULL : &slice, WAITS(operands), &err);
    put_map(s, (struct map){pointer, box.region[0] * texel, memory, flags}, blocks && !err, err);
}

/* Its map, or another object's. */
void try_unmap(struct sequence *s)
{
    const struct command_operands operands = try_begin(s);
    struct map *map = draw_map(s);
    const uint8_t way = draw(s);
    const cl_mem memory = way & 64 ? DRAW_MEMORY(s) : map->memory;
    const cl_int err = clEnqueueUnmapMemObject(operands.queue, memory,
                                               way & 32 ? world.host : (void *)map->pointer, WAITS(operands));
    if (!err && !(way & 32))
        *map = (struct map){0};
    try_end(s);
}

void try_migrate(struct sequence *s)
{
    static const uint64_t flags[] = {0, CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED};
    const struct command_operands operands = try_begin(s);
    const cl_mem list[] = {DRAW_MEMORY(s), DRAW_MEMORY(s)};
    const uint8_t way = draw(s);
    clEnqueueMigrateMemObjects(operands.queue, way ? way % 3 : 1, way == 255 ? NULL : list,
                               draw_flags(s, flags, COUNT_OF(flags)), WAITS(operands));
    try_end(s);
}
