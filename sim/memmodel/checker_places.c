/* SPDX-License-Identifier: Apache-2.0 */
/* The shadow of each allocation, which is made at its first access and renewed when another allocation takes
 * its index; and the units that the lanes of a wave are. */
#include "checker_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

/* ---- regions ---------------------------------------------------------------------- */

void checker_settle(struct checker *checker, struct shadow_region *region)
{
    if (!region->uncollected && !region->uncollected_epochs)
        return;
    checker->sink.settle(checker->sink.self, &region->keeper);
    if (region->uncollected)
        shadow_forget(region);
    region->uncollected = region->uncollected_epochs = false;
}

/* At a later launch's first access. The filters' uncollected accesses are collected now, unless commands that
 * this launch is ordered after need only the epochs, which stay. */
static void clear_uncollected(struct checker *checker, struct shadow_region *region)
{
    if (!region->noted ||
        !checker->sink.follows(checker->sink.self, checker->races.launch, &region->keeper)) {
        checker_settle(checker, region);
        return;
    }
    shadow_forget(region);
    region->uncollected = false;
}

/* Adds the allocation to those that the end of the launch looks at. False: no memory. */
static bool watch(struct checker *checker, struct shadow_region *shadow)
{
    if (shadow->watched)
        return true;
    if (!room_for_one((void **)&checker->watched, checker->watched_count, &checker->watched_room, 16,
                      sizeof shadow))
        return false;
    CHECKED(checker->watched_count < checker->watched_room);
    checker->watched[checker->watched_count++] = shadow;
    return shadow->watched = true;
}

/* The index had another allocation, which was released, or none. */
static void region_renew(struct checker *checker, struct shadow_region *shadow, const struct region *region)
{
    const bool watched = shadow->watched;
    checker_settle(checker, shadow);
    shadow_region_fini(shadow);
    shadow_region_init(shadow, region->id, region->low, region->high,
                       region->kind == REGION_LOCAL_VARIABLE && RULE(2) ? IN_LOCAL : IN_GLOBAL,
                       &checker->spare);
    shadow->svm_atomics = region->flags & REGION_FLAG_SVM_ATOMICS;
    shadow->watched = watched;
}

struct shadow_region *checker_region_anew(struct checker *checker, const struct region *region)
{
    uint32_t index = (uint32_t)(region - checker->memory->regions);
    if (!shadow_table_room(&checker->regions, &checker->region_room, checker->memory, index))
        return NULL;
    struct shadow_region *shadow = checker->regions[index];
    if (!shadow && !(shadow = checker->regions[index] = calloc(1, sizeof *shadow)))
        return NULL;
    if (!shadow_is_of(shadow, region))
        region_renew(checker, shadow, region);
    else if (shadow->uncollected)
        clear_uncollected(checker, shadow);
    return watch(checker, shadow) ? shadow : NULL;
}

void checker_renew_local(struct checker *checker, struct shadow_region *region, uint64_t number)
{
    if (checker->order.formal)
        return;
    const struct group_order *group = order_group_find(&checker->order, number);
    uint64_t base = group ? group->base[IN_LOCAL] : 1;
    const bool same_group = region->group == number || !RULE(38), copies = group && group->copy_count;
    if (same_group && region->base == base)
        return;
    if (!same_group || !copies) /* a barrier does not order accesses of a copy that still runs */
        shadow_forget(region);
    region->group = number;
    region->base = base;
}

bool checker_only_reads(const struct checker *checker, struct shadow_region *region)
{
    const struct launch_info *launch = checker->races.launch;
    struct read_only_set *reads = &region->reads;
    if (reads->launch != launch->launch) {
        const bool qualifies = region->space != IN_LOCAL && !region->of_host && !checker->order.formal;
        reads->launch = launch->launch;
        reads->holds =
            qualifies && launch->may_write && !launch->may_write(launch, region->low, region->high);
    }
    return reads->holds && !region->affine_filter.replayed;
}

bool checker_begin_reads(const struct checker *checker, struct shadow_region *region)
{
    return checker_only_reads(checker, region) &&
           read_only_set_take(&region->reads, &region->epoch_filter.access_log);
}

bool checker_note_read(const struct checker *checker, struct shadow_region *region,
                       const struct access_context *how, uint64_t address)
{
    if (how->kind != ACCESS_READ || !(region->reads.open || checker_begin_reads(checker, region)))
        return false;
    read_only_set_add(&region->reads, how->site, address - region->low, how->size);
    return true;
}

struct shadow_region *checker_shadow_at(struct checker *checker, const struct region *region,
                                        uint64_t address)
{
    struct shadow_region *shadow = NULL;
    const bool of_host = is_of_host(checker, address);
    if (of_host)
        shadow =
            windows_at(&checker->windows, address, checker->scenario->device.svm_atomics, &checker->spare);
    else if (is_watched(region))
        shadow = region_of(checker, region);
    checker->shadow.failed |= !shadow && (of_host || is_watched(region));
    return shadow;
}

/* ---- units ------------------------------------------------------------------------- */

uint64_t checker_unit_of(const struct checker *checker, const struct origin *origin, uint32_t lane)
{
    struct item item;
    origin_item(origin, lane, &item);
    return item.group_linear * checker->order.group_items + item.local_linear;
}

static bool is_one_group(const struct wave_items *wave_items)
{
    bool one = true;
    for (int axis = 0; axis < 3; axis++)
        one &= wave_items->tile_size[axis] <= wave_items->launch->local_size[axis];
    return one;
}

/* Units of one work-group ascend by one from lane to lane, and so do those of several groups in one
 * dimension. */
void checker_begin_wave(struct checker *checker, const struct origin *origin, uint32_t lane_count)
{
    struct wave_items *wave_items = &checker->wave_items;
    const uint64_t *extent = origin->launch->global_size;
    wave_items_place(wave_items, origin, lane_count);
    wave_items->has_units = false;
    wave_items->serial++;
    wave_items->first_unit = checker_unit_of(checker, origin, 0);
    wave_items->group = order_unit_group(&checker->order, wave_items->first_unit);
    wave_items->first_member = wave_items->first_unit - wave_items->group * checker->order.group_items;
    wave_items->one_group =
        is_one_group(wave_items) ||
        order_unit_group(&checker->order, checker_unit_of(checker, origin, lane_count - 1)) ==
            wave_items->group;
    wave_items->in_a_row = wave_items->one_group || (extent[1] <= 1 && extent[2] <= 1);
    checker->races.wave.first = wave_items->first_unit;
    checker->races.wave.count = wave_items->in_a_row ? lane_count : 0;
}

void checker_fill_units(struct checker *checker, const struct origin *origin)
{
    struct wave_items *wave_items = &checker->wave_items;
    if (wave_items->has_units)
        return;
    for (uint32_t lane = 0; lane < wave_items->lane_count; lane++)
        wave_items->unit[lane] = wave_items->first_unit + lane;
    for (uint32_t lane = 1; !wave_items->in_a_row && lane < wave_items->lane_count; lane++)
        wave_items->unit[lane] = checker_unit_of(checker, origin, lane);
    wave_items->has_units = true;
}
