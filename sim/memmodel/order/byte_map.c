/* SPDX-License-Identifier: Apache-2.0 */
/* Segments are sorted by address and kept in blocks of BLOCK_SEGMENTS, found by bisection over blocks. An
 * insertion moves segments of one block; a full block is divided, which moves the list of blocks. */
#include "byte_map.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "sim/memmodel/common/room.h"

enum { BLOCK_SEGMENTS = HOSTILE(128, 4) };

struct byte_segment {
    uint64_t low, high;
    uint32_t count;
    struct byte_access *accesses;
};
struct segment_block {
    uint32_t count;
    struct byte_segment segments[BLOCK_SEGMENTS];
};
struct byte_map {
    struct segment_block **blocks; /* none is empty */
    uint32_t count, room;
};
struct segment_place {
    size_t block;
    uint32_t segment;
};

struct byte_map *byte_map_new(void)
{
    return calloc(1, sizeof(struct byte_map));
}

static void block_free(struct segment_block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        free(block->segments[i].accesses);
    free(block);
}

void byte_map_free(struct byte_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->count; i++)
        block_free(map->blocks[i]);
    free(map->blocks);
    free(map);
}

bool byte_map_empty(const struct byte_map *map)
{
    return map->count == 0;
}

/* ---- places --------------------------------------------------------------------------- */

static struct byte_segment *segment_at(const struct byte_map *map, struct segment_place place)
{
    return place.block < map->count ? &map->blocks[place.block]->segments[place.segment] : NULL;
}

static void step(const struct byte_map *map, struct segment_place *place)
{
    CHECKED(place->segment < map->blocks[place->block]->count);
    if (++place->segment == map->blocks[place->block]->count)
        *place = (struct segment_place){place->block + 1, 0};
}

/* The place of the first segment that ends after low. */
static struct segment_place find(const struct byte_map *map, uint64_t low)
{
    size_t from = 0, to = map->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct segment_block *block = map->blocks[middle];
        if (block->segments[block->count - 1].high <= low)
            from = middle + 1;
        else
            to = middle;
    }
    struct segment_place place = {from, 0};
    while (from < map->count && map->blocks[from]->segments[place.segment].high <= low)
        place.segment++;
    return place;
}

/* ---- insertion ------------------------------------------------------------------------- */

static bool insert_block(struct byte_map *map, size_t at)
{
    const bool room =
        room_for_one((void **)&map->blocks, map->count, &map->room, 4, sizeof(struct segment_block *));
    struct segment_block *block = room ? malloc(sizeof *block) : NULL;
    if (!block)
        return false;
    CHECKED(at <= map->count && map->count < map->room);
    block->count = 0;
    memmove(map->blocks + at + 1, map->blocks + at, (map->count - at) * sizeof(struct segment_block *));
    map->blocks[at] = block;
    map->count++;
    return true;
}

/* At the end of the map a new block is begun, since maps mostly grow upwards; elsewhere a full block gives
 * half of its segments to a new one. */
static bool make_room(struct byte_map *map, struct segment_place *place)
{
    if (place->block == map->count) {
        if (place->block && map->blocks[place->block - 1]->count < BLOCK_SEGMENTS) {
            *place = (struct segment_place){place->block - 1, map->blocks[place->block - 1]->count};
            return true;
        }
        return insert_block(map, map->count);
    }
    struct segment_block *full = map->blocks[place->block];
    if (full->count < BLOCK_SEGMENTS)
        return true;
    if (!insert_block(map, place->block + 1))
        return false;
    struct segment_block *upper = map->blocks[place->block + 1];
    uint32_t kept = BLOCK_SEGMENTS / 2;
    upper->count = full->count - kept;
    memcpy(upper->segments, full->segments + kept, upper->count * sizeof upper->segments[0]);
    full->count = kept;
    CHECKED(kept > 0 && upper->count > 0); /* no block is empty */
    if (place->segment > kept)
        *place = (struct segment_place){place->block + 1, place->segment - kept};
    return true;
}

/* Takes the list of accesses, also if it fails. Afterwards the place is that of the new segment. */
static bool insert(struct byte_map *map, struct segment_place *place, const struct byte_segment *segment)
{
    if (!make_room(map, place)) {
        free(segment->accesses);
        return false;
    }
    struct segment_block *block = map->blocks[place->block];
    CHECKED(segment->low < segment->high && block->count < BLOCK_SEGMENTS && place->segment <= block->count);
    memmove(block->segments + place->segment + 1, block->segments + place->segment,
            (block->count - place->segment) * sizeof *segment);
    block->segments[place->segment] = *segment;
    block->count++;
    return true;
}

static struct byte_access *copy_accesses(const struct byte_access *accesses, uint32_t count)
{
    struct byte_access *copy = malloc((count ? count : 1) * sizeof *copy);
    if (copy && count)
        memcpy(copy, accesses, count * sizeof *copy);
    return copy;
}

/* Divides the segment at the place, which then ends at the address. */
static bool split(struct byte_map *map, struct segment_place place, uint64_t address)
{
    struct byte_segment *lower = segment_at(map, place);
    struct byte_segment upper = {address, lower->high, lower->count,
                                 copy_accesses(lower->accesses, lower->count)};
    if (!upper.accesses)
        return false;
    CHECKED(lower->low < address && address < upper.high);
    lower->high = address;
    place.segment++;
    return insert(map, &place, &upper);
}

/* ---- one segment --------------------------------------------------------------------------- */

static bool is_plain(enum access_kind kind)
{
    return kind == ACCESS_READ || kind == ACCESS_WRITE;
}

bool byte_access_subsumes(const struct byte_access *later, const struct byte_access *earlier)
{
    if (later->opens)
        return earlier->opens;
    if (later->map && later->map == earlier->command)
        return false; /* an access that does not come after the map is reported against the map */
    if (earlier->opens || (later->by_map && !earlier->by_map))
        return later->kind == ACCESS_WRITE;
    if ((earlier->by_map && !later->by_map) || (earlier->unmapped && !later->unmapped))
        /* accesses of the host and through maps may race with each other, though two reads do not */
        return later->kind == ACCESS_WRITE;
    if (!is_plain(earlier->kind) &&
        (earlier->releases > later->releases || earlier->acquires > later->acquires))
        return false; /* the earlier atomics may order more kernels */
    if (later->kind == ACCESS_WRITE || later->kind == earlier->kind)
        return true;
    if (later->kind == ACCESS_READ)
        return earlier->kind == ACCESS_ATOMIC_READ;
    return later->kind == ACCESS_ATOMIC_UPDATE && !is_plain(earlier->kind);
}

static bool segment_add(struct byte_segment *segment, const struct byte_access *access,
                        const struct byte_map_query *query)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segment->count; i++) {
        struct byte_access *earlier = &segment->accesses[i];
        if (earlier->command == access->command || query->is_ordered(query->self, access, earlier)) {
            if (byte_access_subsumes(access, earlier))
                continue;
        } else {
            query->met(query->self, access, earlier, segment->low, segment->high);
        }
        segment->accesses[kept++] = *earlier;
    }
    segment->count = kept;
    struct byte_access *accesses = realloc(segment->accesses, (kept + 1) * sizeof *accesses);
    if (!accesses)
        return false;
    segment->accesses = accesses;
    segment->accesses[segment->count++] = *access;
    return true;
}

static bool add_new(struct byte_map *map, struct segment_place *place, uint64_t low, uint64_t high,
                    const struct byte_access *access)
{
    struct byte_segment segment = {low, high, 1, copy_accesses(access, 1)};
    return segment.accesses && insert(map, place, &segment);
}

bool byte_map_add(struct byte_map *map, uint64_t low, uint64_t high, const struct byte_access *access,
                  const struct byte_map_query *query)
{
    struct segment_place place = find(map, low);
    const struct byte_segment *first = segment_at(map, place);
    if (low < high && first && first->low < low) {
        if (!split(map, place, low))
            return false;
        place = find(map, low);
    }
    while (low < high) {
        struct byte_segment *segment = segment_at(map, place);
        uint64_t end = segment && segment->low < high ? segment->low : high;
        if (low < end) {
            if (!add_new(map, &place, low, end, access))
                return false;
            low = end;
        } else {
            if (segment->high > high && !split(map, place, high))
                return false;
            place = find(map, low);
            segment = segment_at(map, place);
            CHECKED(segment && segment->low == low && segment->high <= high);
            if (!segment_add(segment, access, query))
                return false;
            low = segment->high;
        }
        step(map, &place);
    }
    return true;
}

/* ---- removal ---------------------------------------------------------------------------------- */

static bool segment_drop(struct byte_segment *segment,
                         bool (*drop)(void *self, const struct byte_access *access), void *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segment->count; i++)
        if (!drop(self, &segment->accesses[i]))
            segment->accesses[kept++] = segment->accesses[i];
    segment->count = kept;
    return kept == 0;
}

static bool block_drop(struct segment_block *block,
                       bool (*drop)(void *self, const struct byte_access *access), void *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        if (segment_drop(&block->segments[i], drop, self))
            free(block->segments[i].accesses);
        else
            block->segments[kept++] = block->segments[i];
    }
    block->count = kept;
    return kept == 0;
}

void byte_map_drop(struct byte_map *map, bool (*drop)(void *self, const struct byte_access *access),
                   void *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        if (block_drop(map->blocks[i], drop, self))
            free(map->blocks[i]);
        else
            map->blocks[kept++] = map->blocks[i];
    }
    map->count = kept;
}

void byte_map_visit(const struct byte_map *map, uint64_t low, uint64_t high,
                    void (*visit)(void *self, uint64_t low, uint64_t high, const struct byte_access *access),
                    void *self)
{
    const struct byte_segment *segment;
    for (struct segment_place place = find(map, low);
         (segment = segment_at(map, place)) && segment->low < high; step(map, &place))
        for (uint32_t i = 0; i < segment->count; i++)
            visit(self, segment->low, segment->high, &segment->accesses[i]);
}
