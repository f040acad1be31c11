/* SPDX-License-Identifier: Apache-2.0 */
/* Segments are sorted by address in one list, and found by bisection. Maps mostly grow upwards, so that an
 * insertion moves few segments. */
#include "byte_map.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

void byte_map_fini(struct byte_map *map)
{
    for (uint32_t i = 0; i < map->segments.count; i++)
        free(map->segments.items[i].accesses);
    list_fini(&map->segments);
}

bool byte_map_empty(const struct byte_map *map)
{
    return map->segments.count == 0;
}

/* The index of the first segment that ends after low. */
static uint32_t find(const struct byte_map *map, uint64_t low)
{
    uint32_t at;
    bisect(map->segments.count, at, map->segments.items[at].high > low);
    return at;
}

/* ---- insertion ------------------------------------------------------------------------- */

/* Inserts a segment with a copy of the accesses. */
static bool insert(struct byte_map *map, uint32_t at, uint64_t low, uint64_t high,
                   const struct byte_access *accesses, uint32_t count)
{
    struct byte_segment segment = {low, high, count, malloc(count * sizeof *accesses)};
    CHECKED(low < high && count > 0 && at <= map->segments.count);
    if (!segment.accesses || !list_add(&map->segments, segment)) {
        free(segment.accesses);
        return false;
    }
    memcpy(segment.accesses, accesses, count * sizeof *accesses);
    memmove(&map->segments.items[at + 1], &map->segments.items[at],
            (map->segments.count - 1 - at) * sizeof segment);
    map->segments.items[at] = segment;
    return true;
}

/* Divides the segment, which then ends at the address. */
static bool split(struct byte_map *map, uint32_t at, uint64_t address)
{
    const struct byte_segment whole = map->segments.items[at];
    CHECKED(whole.low < address && address < whole.high);
    if (!insert(map, at + 1, address, whole.high, whole.accesses, whole.count))
        return false;
    map->segments.items[at].high = address;
    return true;
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

enum { RACERS_MOST = HOSTILE(64, 8) };

/* What races with the earlier access mostly races with the later one at the same place in the source. */
static bool stands_for(const struct byte_access *later, const struct byte_access *earlier)
{
    return later->site == earlier->site && later->kind == earlier->kind && later->by_map == earlier->by_map &&
           byte_access_subsumes(later, earlier);
}

static bool segment_add(struct byte_segment *segment, const struct byte_access *access,
                        const struct byte_map_query *query)
{
    uint32_t kept = 0;
    struct byte_access *accesses = realloc(segment->accesses, (segment->count + 1) * sizeof *accesses);
    if (!accesses)
        return false;
    segment->accesses = accesses;
    for (uint32_t i = 0; i < segment->count; i++) {
        const struct byte_access *earlier = &accesses[i];
        bool raced = false;
        if (earlier->command == access->command || query->is_ordered(query->self, access, earlier)) {
            if (byte_access_subsumes(access, earlier))
                continue;
        } else {
            raced = query->met(query->self, access, earlier, segment->low, segment->high);
        }
        if (raced && segment->count - i + kept > RACERS_MOST && stands_for(access, earlier))
            continue;
        accesses[kept++] = *earlier;
    }
    accesses[kept++] = *access;
    segment->count = kept;
    return true;
}

bool byte_map_add(struct byte_map *map, uint64_t low, uint64_t high, const struct byte_access *access,
                  const struct byte_map_query *query)
{
    uint32_t at = find(map, low);
    if (low < high && at < map->segments.count && map->segments.items[at].low < low) {
        if (!split(map, at, low))
            return false;
        at++;
    }
    for (; low < high; at++) {
        const bool some = at < map->segments.count && map->segments.items[at].low < high;
        const uint64_t gap = some ? map->segments.items[at].low : high;
        if (low < gap) {
            if (!insert(map, at, low, gap, access, 1))
                return false;
        } else {
            if (map->segments.items[at].high > high && !split(map, at, high))
                return false;
            if (!segment_add(&map->segments.items[at], access, query))
                return false;
        }
        CHECKED(map->segments.items[at].low == low);
        low = map->segments.items[at].high;
    }
    return true;
}

/* ---- removal ---------------------------------------------------------------------------------- */

/* True: no access is left. */
static bool segment_drop(struct byte_segment *segment,
                         bool (*drop)(void *self, const struct byte_access *access), void *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < segment->count; i++)
        if (!drop(self, &segment->accesses[i]))
            segment->accesses[kept++] = segment->accesses[i];
    segment->count = kept;
    if (!kept)
        free(segment->accesses);
    return kept == 0;
}

void byte_map_drop(struct byte_map *map, bool (*drop)(void *self, const struct byte_access *access),
                   void *self)
{
    list_keep(&map->segments, segment, !segment_drop(segment, drop, self));
}

void byte_map_visit(const struct byte_map *map, uint64_t low, uint64_t high,
                    void (*visit)(void *self, uint64_t low, uint64_t high, const struct byte_access *access),
                    void *self)
{
    for (uint32_t at = find(map, low); at < map->segments.count && map->segments.items[at].low < high; at++) {
        const struct byte_segment *segment = &map->segments.items[at];
        for (uint32_t i = 0; i < segment->count; i++)
            visit(self, segment->low, segment->high, &segment->accesses[i]);
    }
}
