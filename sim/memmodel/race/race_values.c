/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the two accesses: what memory had before the event, and what the event itself reads and
 * writes. */
#include "race_values.h"

#include <string.h>

#include "sim/memmodel/common/lane_mask.h"
#include "orrery/memory.h"
#include "orrery/report.h"

/* Values of these sizes are printed. */
static bool is_scalar(uint32_t size)
{
    return size <= 8 && size && !(size & (size - 1));
}

/* ---- lanes of the event --------------------------------------------------------------------- */

/* The first lane that accesses this address; lane_count: there is none. */
static uint32_t lane_at(const struct access_event *event, uint64_t address)
{
    uint32_t lane = 0;
    while (lane < event->lane_count && !(lane_in(event->mask, lane) && lane_address(event, lane) == address))
        lane++;
    return lane;
}

static uint32_t lane_of(const struct race_event *under_way, uint64_t unit)
{
    uint32_t lane = 0;
    while (lane < under_way->event->lane_count &&
           !(lane_in(under_way->event->mask, lane) && under_way->unit[lane] == unit))
        lane++;
    return lane;
}

/* ---- one access ------------------------------------------------------------------------------ */

static void fill_read(struct finding_access *access, uint64_t value)
{
    access->has_value = true;
    access->value = value;
}

/* The value that the access wrote; an update has the value that it read, too. */
static void fill_written(struct finding_access *access, uint64_t value)
{
    if (access->kind == ACCESS_ATOMIC_UPDATE) {
        access->has_written = true;
        access->written = value;
    } else {
        fill_read(access, value);
    }
}

static void fill_lane(const struct memory *memory, const struct access_event *event, uint32_t lane,
                      struct finding_access *access)
{
    struct lane_values values;
    lane_values(memory, event, lane, &values);
    if (values.has_read && race_reads(access->kind))
        fill_read(access, values.read);
    if (values.has_written && access->kind != ACCESS_ATOMIC_READ)
        fill_written(access, values.written);
}

/* The value at the first access's address before the event. */
static bool find_before(const struct memory *memory, const struct access_event *event, uint64_t address,
                        uint32_t size, uint64_t *out)
{
    if (event->kind <= ACCESS_WRITE) {
        *out = memory_value(memory, address, size);
        return true;
    }
    const uint64_t at = address & ~(uint64_t)(event->size_bytes - 1);
    const uint32_t lane = address + size <= at + event->size_bytes ? lane_at(event, at) : event->lane_count;
    struct lane_values values = {.has_read = false};
    if (lane < event->lane_count)
        lane_values(memory, event, lane, &values);
    *out = 0;
    memcpy(out, (const uint8_t *)&values.read + (address - at), size);
    return values.has_read;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool was_in_event(const struct race_event *under_way, uint32_t lane, uint32_t later,
                         const struct race *race)
{
    const struct access_event *event = under_way->event;
    if (lane >= later || race->context->site != event->origin.site)
        return false;
    const uint64_t address = lane_address(event, lane);
    return race->address >= address && race->address < address + event->size_bytes;
}

static void fill_first(const struct memory *memory, const struct race_event *under_way,
                       const struct race *race, uint64_t end, struct finding_access *access)
{
    const uint32_t size = race->context->size;
    uint64_t value;
    const bool whole =
        is_scalar(size) && (race->address - race->region->low) % size == 0 && end - race->address >= size;
    if (!race->in_memory || !whole || memory_region(memory, race->address)->flags & REGION_FLAG_SHARED)
        return;
    if (!find_before(memory, under_way->event, race->address, size, &value))
        return;
    if (!race_writes(access->kind))
        fill_read(access, value);
    else
        fill_written(access, value);
}

void race_values(const struct memory *memory, const struct race_event *under_way, bool alone,
                 const struct race *race, const struct shadow_access *now, uint64_t end,
                 struct finding *finding)
{
    const struct access_event *event = under_way->event;
    const uint32_t later = event ? lane_of(under_way, now->unit_state->unit) : 0;
    if (!event || later == event->lane_count || event->image || event->copy)
        return;
    fill_lane(memory, event, later, &finding->access[1]);
    const uint32_t earlier = lane_of(under_way, race->unit);
    if (was_in_event(under_way, earlier, later, race))
        fill_lane(memory, event, earlier, &finding->access[0]);
    else if (alone)
        fill_first(memory, under_way, race, end, &finding->access[0]);
}
