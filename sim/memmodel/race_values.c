/* SPDX-License-Identifier: Apache-2.0 */
#include "race_values.h"

#include <string.h>

#include "lane_mask.h"
#include "orrery/memory.h"
#include "orrery/report.h"

/* Sizes that a value is printed of. */
static bool is_scalar(uint32_t size) { return size <= 8 && size && !(size & (size - 1)); }

static uint64_t in_memory(const struct memory *memory, uint64_t address, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, memory_byte(memory_region(memory, address), address), size);
    return value;
}

/* ---- lanes of the event --------------------------------------------------------------------- */

static bool acts(const struct access_event *event, uint32_t lane) { return event->mask[lane / 64] >> lane % 64 & 1; }

static uint64_t of_lane(const struct access_event *event, uint32_t lane)
{
    uint64_t value = 0;
    for (uint32_t c = 0; c * event->component_bytes < event->size_bytes; c++)
        memcpy((uint8_t *)&value + c * event->component_bytes, event->frame + event->slots[c] + (size_t)lane * event->component_bytes, event->component_bytes);
    return value;
}

/* That acts at this address; from: the least it may be. lane_count: there is none. */
static uint32_t lane_at(const struct access_event *event, uint32_t from, uint64_t address)
{
    uint32_t lane = from;
    while (lane < event->lane_count && !(acts(event, lane) && lane_address(event, lane) == address))
        lane++;
    return lane;
}

static uint32_t lane_of(const struct race_event *under_way, uint64_t unit)
{
    uint32_t lane = 0;
    while (lane < under_way->event->lane_count && !(acts(under_way->event, lane) && under_way->unit[lane] == unit))
        lane++;
    return lane;
}

/* ---- one access ------------------------------------------------------------------------------ */

static void fill_read(struct finding_access *access, uint64_t value)
{
    access->has_value = true;
    access->value = value;
}

/* What it wrote: of an update beside what it read. */
static void fill_written(struct finding_access *access, uint64_t value)
{
    if (access->kind == ACCESS_ATOMIC_UPDATE) {
        access->has_written = true;
        access->written = value;
    } else {
        fill_read(access, value);
    }
}

static bool can_tell(const struct access_event *event) { return event->slots && is_scalar(event->size_bytes); }

static bool host_may_write(const struct memory *memory, uint64_t address) { return memory_region(memory, address)->flags & REGION_FLAG_SHARED; }

/* Of a lane of the event. Atomics were one after another: what one left the next one of the address found, and of the last one
 * memory has it. */
static void fill_lane(const struct memory *memory, const struct access_event *event, uint32_t lane, struct finding_access *access)
{
    const uint64_t address = lane_address(event, lane);
    if (event->kind == ACCESS_WRITE) {
        fill_read(access, of_lane(event, lane));
        return;
    }
    if (access->kind != ACCESS_ATOMIC_WRITE)
        fill_read(access, of_lane(event, lane));
    if (access->kind == ACCESS_ATOMIC_READ || host_may_write(memory, address))
        return;
    const uint32_t next = lane_at(event, lane + 1, address);
    fill_written(access, next < event->lane_count ? of_lane(event, next) : in_memory(memory, address, event->size_bytes));
}

/* At the first access's address, before the event. */
static bool find_before(const struct memory *memory, const struct access_event *event, uint64_t address, uint32_t size, uint64_t *out)
{
    if (event->kind <= ACCESS_WRITE) {
        *out = in_memory(memory, address, size);
        return true;
    }
    const uint64_t at = address & ~(uint64_t)(event->size_bytes - 1);
    const uint32_t lane = can_tell(event) && address + size <= at + event->size_bytes ? lane_at(event, 0, at) : event->lane_count;
    if (lane == event->lane_count)
        return false;
    const uint64_t found = of_lane(event, lane);
    *out = 0;
    memcpy(out, (const uint8_t *)&found + (address - at), size);
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool was_in_event(const struct race_event *under_way, uint32_t lane, uint32_t later, const struct race *race)
{
    const struct access_event *event = under_way->event;
    if (lane >= later || race->context->site != event->origin.site)
        return false;
    const uint64_t address = lane_address(event, lane);
    return race->address >= address && race->address < address + event->size_bytes;
}

static void fill_first(const struct memory *memory, const struct race_event *under_way, const struct race *race, uint64_t end, struct finding_access *access)
{
    const uint32_t size = race->context->size;
    uint64_t value;
    if (!race->in_memory || !is_scalar(size) || (race->address - race->region->low) % size || end - race->address < size ||
        host_may_write(memory, race->address) || !find_before(memory, under_way->event, race->address, size, &value))
        return;
    if (access->kind == ACCESS_READ || access->kind == ACCESS_ATOMIC_READ)
        fill_read(access, value);
    else
        fill_written(access, value);
}

void race_values(const struct memory *memory, const struct race_event *under_way, bool alone, const struct race *race,
                 const struct shadow_access *now, uint64_t end, struct finding *finding)
{
    const struct access_event *event = under_way->event;
    const uint32_t later = event ? lane_of(under_way, now->agent->unit) : 0;
    if (!event || later == event->lane_count || event->image || event->copy)
        return;
    if (event->kind == ACCESS_READ && is_scalar(event->size_bytes))
        fill_read(&finding->access[1], in_memory(memory, lane_address(event, later), event->size_bytes));
    else if (can_tell(event))
        fill_lane(memory, event, later, &finding->access[1]);
    const uint32_t earlier = lane_of(under_way, race->unit);
    if (!was_in_event(under_way, earlier, later, race)) {
        if (alone)
            fill_first(memory, under_way, race, end, &finding->access[0]);
    } else if (can_tell(event)) {
        fill_lane(memory, event, earlier, &finding->access[0]);
    }
}
