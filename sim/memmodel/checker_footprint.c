/* SPDX-License-Identifier: Apache-2.0 */
/* The footprint of a launch, for the rules between commands: which bytes it has read, written and accessed
 * atomically, and by which instructions. Of allocations in the shadow it is collected at the end of the
 * launch. Of those that the filters decided it is left there (uncollected) until a command needs it or the
 * next launch touches the allocation. A work-item's snapshot, and the end of a work-group that a child launch
 * waits for, have a footprint of the accesses that are not ordered before it. */
#include "checker_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

static int by_id(const void *a, const void *b)
{
    const struct footprint_part *x = a, *y = b;
    return x->region_id < y->region_id ? -1 : x->region_id > y->region_id;
}

static bool has_filtered_accesses(const struct shadow_region *region)
{
    return region->epoch_filter.open || region->affine_filter.count || region->epoch_filter.access_log.used ||
           region->reads.open;
}

static bool was_touched(const struct shadow_region *region)
{
    return region->space != IN_LOCAL && !region->uncollected &&
           (region->touched || has_filtered_accesses(region));
}

uint32_t checker_shadow_count(const struct checker *checker)
{
    return checker->watched_count + checker->windows.count;
}

struct shadow_region *checker_shadow_number(const struct checker *checker, uint32_t i)
{
    return i < checker->watched_count ? checker->watched[i]
                                      : checker->windows.items[i - checker->watched_count];
}

/* The bytes of each instruction. If memory runs out instructions are not distinguished. */
static void collect_apart(struct shadow_region *region, enum footprint_use use, struct footprint_part *part)
{
    struct footprint_sites *sites = &part->sites[use];
    bool whole = footprint_sites_part(sites, part->high - part->low);
    for (uint32_t i = 0; whole && i < sites->count; i++) {
        affine_filter_collect(&region->affine_filter, region->low, use, &sites->site[i], &sites->bytes[i]);
        whole = access_log_collect(&region->epoch_filter.access_log, use, &sites->site[i], &sites->bytes[i]);
        if (use == FOOTPRINT_READ)
            read_only_set_collect(&region->reads, &sites->site[i], &sites->bytes[i]);
        whole &= !sites->bytes[i].failed;
    }
    if (!whole)
        footprint_sites_fini(sites);
}

/* Collects what is in the filters: of the latest launch all of it; of an earlier one what the epochs have. */
static bool collect_kept(void *self, struct footprint_part *part)
{
    struct shadow_region *region = self;
    bool whole = true;
    if (part->end)
        epoch_filter_collect(&region->epoch_filter, part->from, part->end, part);
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++) {
        const struct footprint_sites *sites = &part->sites[use];
        if (sites->count > 1 && part->from == region->noted)
            collect_apart(region, use, part);
        for (uint32_t i = 0; !part->end && sites->bytes && !sites->more && i < sites->count; i++)
            byte_set_join(&part->bytes[use], &sites->bytes[i]);
        if (part->end || (sites->bytes && !sites->more))
            continue;
        affine_filter_collect(&region->affine_filter, region->low, use, NULL, &part->bytes[use]);
        whole &= access_log_collect(&region->epoch_filter.access_log, use, NULL, &part->bytes[use]);
        if (use == FOOTPRINT_READ)
            read_only_set_collect(&region->reads, NULL, &part->bytes[use]);
    }
    return whole;
}

static bool is_by_several(const struct footprint_part *part)
{
    bool several = false;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        several |= part->sites[use].count > 1;
    return several;
}

/* Describes the part so that collect_kept can collect it later. */
static void describe_kept(struct shadow_region *region, struct footprint_part *part)
{
    region->keeper =
        (struct footprint_keeper){.self = region, .region_id = region->id, .collect = collect_kept};
    part->keeper = &region->keeper;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        part->sites[use] = region->epoch_filter.access_log.sites[use];
    affine_filter_sites(&region->affine_filter, part->sites);
    for (uint32_t i = 0; region->reads.open && i < region->reads.sites.count; i++)
        footprint_sites_add(&part->sites[FOOTPRINT_READ], region->reads.sites.site[i]);
    part->sites[FOOTPRINT_READ].more |= region->reads.open && region->reads.sites.more;
    if (!region->epoch_filter.open)
        return;
    part->from = region->noted = region->epoch_filter.first;
    part->end = region->epoch_filter.next;
}

/* Fine-grained shared memory: the host sees the bytes while the kernel runs. */
static bool is_shared(const struct checker *checker, uint64_t address)
{
    return is_of_host(checker, address) ||
           memory_region(checker->memory, address)->flags & REGION_FLAG_SHARED;
}

/* The parts of all allocations. filter: only these accesses, NULL: all; with a filter everything is in the
 * shadow. shared: only shared memory. may_keep: what is in the filters may stay there. */
static struct footprint_part *collect(struct checker *checker, const struct unit_filter *filter, bool shared,
                                      bool may_keep, uint32_t *out_count)
{
    struct footprint_part *parts = calloc(checker_shadow_count(checker) + 1, sizeof *parts);
    checker->shadow.failed |= !parts;
    *out_count = 0;
    for (uint32_t i = 0; parts && i < checker_shadow_count(checker); i++) {
        struct shadow_region *region = checker_shadow_number(checker, i);
        if (!was_touched(region) || (shared && !is_shared(checker, region->low)))
            continue;
        struct footprint_part *part = &parts[(*out_count)++];
        *part = (struct footprint_part){.region_id = region->id, .low = region->low, .high = region->high};
        for (int use = 0; use < FOOTPRINT_USES; use++)
            byte_set_init(&part->bytes[use], region->high - region->low);
        if (region->touched) {
            shadow_collect(region, filter, part);
            read_only_set_collect(&region->reads, NULL, &part->bytes[FOOTPRINT_READ]);
            continue;
        }
        describe_kept(region, part);
        region->uncollected_epochs |= may_keep && region->epoch_filter.open;
        /* epochs do not distinguish instructions: the log has to stay, too */
        region->uncollected |= may_keep && (!region->epoch_filter.open || is_by_several(part));
        if (!may_keep) {
            checker->shadow.failed |= !footprint_fetch(part);
            part->keeper = NULL;
        }
    }
    if (parts)
        qsort(parts, *out_count, sizeof *parts, by_id);
    return parts;
}

static void parts_free(struct footprint_part *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        footprint_part_fini(&parts[i]);
    free(parts);
}

struct group_view {
    struct order *order;
    const struct ended_group *group;
};

/* Only the global region's clock counts: a later kernel sees no local memory. */
static bool is_unordered_after_group(void *self, uint64_t unit, uint64_t clock)
{
    const struct group_view *view = self;
    return order_unit_group(view->order, unit) != view->group->number &&
           !order_clock_has(view->order, view->group->vclock[IN_GLOBAL], unit, clock);
}

struct clock_snapshot_view {
    struct order *order;
    const struct order_clock_snapshot *clock_snapshot;
};

static bool is_unordered_at_snapshot(void *self, uint64_t unit, uint64_t clock)
{
    const struct clock_snapshot_view *view = self;
    return !order_clock_snapshot_has(view->order, view->clock_snapshot, unit, clock);
}

static void replay_all(struct checker *checker)
{
    for (uint32_t i = 0; i < checker_shadow_count(checker); i++)
        if (was_touched(checker_shadow_number(checker, i)))
            checker_replay(checker, checker_shadow_number(checker, i));
}

static uint32_t collected_clock_snapshots(const struct checker *checker)
{
    uint64_t bytes = 1;
    for (uint32_t i = 0; i < checker_shadow_count(checker); i++) {
        const struct shadow_region *region = checker_shadow_number(checker, i);
        bytes += was_touched(region) && is_shared(checker, region->low) ? shadow_collected(region) : 0;
    }
    const uint64_t most = CLOCK_SNAPSHOTS_BYTES / bytes < CLOCK_SNAPSHOTS_FIRST
                              ? CLOCK_SNAPSHOTS_FIRST
                              : CLOCK_SNAPSHOTS_BYTES / bytes;
    return checker->clock_snapshot_count < most ? checker->clock_snapshot_count : (uint32_t)most;
}

/* NULL: no memory. */
static struct footprint_rest *rests_new(struct checker *checker, uint32_t count)
{
    struct footprint_rest *rests = calloc(count + 1, sizeof *rests);
    checker->shadow.failed |= !rests;
    return rests;
}

static void collect_clock_snapshots(struct checker *checker, struct footprint *footprint)
{
    const uint32_t count = checker->clock_snapshot_count ? collected_clock_snapshots(checker) : 0;
    footprint->clock_snapshots = rests_new(checker, count);
    for (uint32_t i = 0; footprint->clock_snapshots && i < count; i++) {
        struct clock_snapshot_view view = {&checker->order, &checker->clock_snapshots[i]};
        struct footprint_rest *rest = &footprint->clock_snapshots[footprint->clock_snapshot_count++];
        rest->of = view.clock_snapshot->unit;
        rest->parts = collect(checker, &(struct unit_filter){&view, is_unordered_at_snapshot}, true, false,
                              &rest->count);
    }
}

static void collect_rests(struct checker *checker, struct footprint *footprint)
{
    if (checker->ended_count || checker->clock_snapshot_count)
        replay_all(checker);
    footprint->rests = rests_new(checker, checker->ended_count);
    for (uint32_t i = 0; footprint->rests && i < checker->ended_count; i++) {
        struct group_view view = {&checker->order, &checker->ended[i]};
        struct footprint_rest *rest = &footprint->rests[footprint->rest_count++];
        rest->of = view.group->number;
        CHECKED(i == 0 || footprint->rests[i - 1].of != rest->of); /* a group ends once */
        rest->parts = collect(checker, &(struct unit_filter){&view, is_unordered_after_group}, false, false,
                              &rest->count);
    }
}

static void rests_drop(struct footprint_rest *rests, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        parts_free(rests[i].parts, rests[i].count);
        rests[i] = (struct footprint_rest){.of = rests[i].of};
    }
}

static void drop_accesses(struct footprint *footprint)
{
    parts_free(footprint->parts, footprint->count);
    footprint->parts = NULL;
    footprint->count = 0;
    rests_drop(footprint->rests, footprint->rest_count);
    rests_drop(footprint->clock_snapshots, footprint->clock_snapshot_count);
}

void checker_hand_over(struct checker *checker, const struct launch_info *launch)
{
    struct footprint footprint = {.launch = launch};
    const bool keeps =
        checker->sink.settle && !launch->tree_root && !checker->ended_count && !launch->left_out;
    footprint.parts = collect(checker, NULL, false, keeps, &footprint.count);
    collect_rests(checker, &footprint);
    collect_clock_snapshots(checker, &footprint);
    /* the synchronisation of a launch that is left out orders others; its accesses do not count */
    if (launch->left_out)
        drop_accesses(&footprint);
    footprint.partial = !checker->races_wanted || checker->shadow.failed || checker->order.failed;
    checker->sink.launch_ended(checker->sink.self, &footprint);
    drop_accesses(&footprint);
    free(footprint.rests);
    free(footprint.clock_snapshots);
}

static bool has_shared(const struct memory *memory)
{
    bool some = memory->host.permits;
    for (uint32_t i = 1; i < memory_region_count(memory); i++)
        some |= region_is_there(&memory->regions[i]) && memory->regions[i].flags & REGION_FLAG_SHARED &&
                !(memory->regions[i].flags & REGION_FLAG_FREED);
    return some;
}

/* False: no memory. */
static bool has_room(struct checker *checker, void **items, uint32_t count, uint32_t *room, size_t size)
{
    const bool has = room_for_one(items, count, room, 8, size);
    checker->shadow.failed |= !has;
    return has;
}

uint32_t checker_keep_clock_snapshot(struct checker *checker, const struct origin *origin,
                                     uint32_t lane_count, uint32_t lane)
{
    if (!checker->has_sink || !checker->races_wanted ||
        checker->clock_snapshot_count == CLOCK_SNAPSHOTS_MOST || !has_shared(checker->memory))
        return 0;
    if (!has_room(checker, (void **)&checker->clock_snapshots, checker->clock_snapshot_count,
                  &checker->clock_snapshot_room, sizeof *checker->clock_snapshots))
        return 0;
    checker->order.event = ++checker->time;
    checker_enter_wave(checker, origin, lane_count);
    checker_fill_units(checker, origin);
    return order_clock_snapshot(&checker->order, checker->wave_items.unit[lane],
                                &checker->clock_snapshots[checker->clock_snapshot_count])
               ? ++checker->clock_snapshot_count
               : 0;
}

void checker_keep_group(struct checker *checker, const struct launch_event *event)
{
    const struct launch_info *launch = event->launch;
    bool awaited = false;
    for (uint32_t i = 0; i < launch->awaited_group_count; i++)
        awaited |= launch->awaited_groups[i] == event->group_linear;
    if (!awaited || !checker->has_sink)
        return;
    if (!has_room(checker, (void **)&checker->ended, checker->ended_count, &checker->ended_room,
                  sizeof *checker->ended))
        return;
    CHECKED(checker->ended_count < checker->ended_room);
    struct ended_group *group = &checker->ended[checker->ended_count++];
    group->number = event->group_linear;
    order_group_vclock(&checker->order, group->number, group->vclock);
}
