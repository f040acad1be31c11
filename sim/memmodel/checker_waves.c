/* SPDX-License-Identifier: Apache-2.0 */
/* Plain accesses of whole waves, through the filters. All lanes must have one clock value. Affine and uniform
 * addresses go to the affine filter, address lists to the access log while nothing is written. From the first
 * access on that these cannot decide, the allocation uses the epoch filter; what was recorded until then is
 * marked there. Reads of an allocation that the kernel cannot write go to the read-only set instead. */
#include "checker_state.h"

#include <string.h>

/* ---- clock values of whole waves ----------------------------------------------------------- */

/* Do all work-items of the group have the group's clock value, and has it passed no barrier? */
static bool is_plain_group(const struct group_order *group)
{
    bool plain = !group->items && !group->sub_groups && !group->copy_count;
    for (int r = 0; r < ORDER_REGIONS; r++)
        plain &= group->base[r] == 1;
    return plain;
}

/* The clock value of a wave of several groups. False: the groups' clock values differ, or some have one for
 * each work-item. */
static bool clock_of_groups(const struct checker *checker, uint64_t *out_clock)
{
    const struct wave_items *wave_items = &checker->wave_items;
    const uint64_t items = checker->order.group_items,
                   last = (wave_items->first_unit + wave_items->lane_count - 1) / items;
    *out_clock = 1;
    if (!checker->order.groups)
        return true;
    for (uint64_t number = wave_items->group; wave_items->in_a_row && number <= last; number++) {
        const struct group_order *group = order_group_find(&checker->order, number);
        const uint64_t slice = group ? group->slice : 1;
        if ((group && !is_plain_group(group)) || (number > wave_items->group && slice != *out_clock))
            return false;
        *out_clock = slice;
    }
    return wave_items->in_a_row;
}

bool checker_common_clock(const struct checker *checker, uint64_t *out_clock)
{
    const struct wave_items *wave_items = &checker->wave_items;
    if (!wave_items->one_group)
        return clock_of_groups(checker, out_clock);
    const struct group_order *group = order_group_find(&checker->order, wave_items->group);
    *out_clock = group ? group->slice : 1;
    return !group || !(group->items || group->sub_groups);
}

/* The wave's lanes in the terms of access log and epoch filter. In local memory all groups are group 0 and
 * intervals begin at 1: it is forgotten at each barrier and for each group. */
static struct lane_units checker_wave_items_in(struct checker *checker, const struct origin *origin,
                                               const struct shadow_region *region, uint64_t base)
{
    const struct wave_items *wave_items = &checker->wave_items;
    const bool local = region->space == IN_LOCAL;
    if (!wave_items->in_a_row)
        checker_fill_units(checker, origin);
    return (struct lane_units){.serial = wave_items->serial,
                               .first_unit = wave_items->first_unit,
                               .unit = wave_items->unit,
                               .lanes = wave_items->lane_count,
                               .in_a_row = wave_items->in_a_row,
                               .one_group = wave_items->one_group,
                               .group = local ? 0 : wave_items->group,
                               .base = local ? 1 : base,
                               .unit_low = wave_items->group * checker->order.group_items};
}

/* A read, while nothing was written: it cannot race, so the access log suffices. */
static bool take_gather(struct checker *checker, const struct access_event *event,
                        struct shadow_region *region, uint64_t clock)
{
    if (event->kind == ACCESS_WRITE || region->affine_filter.writes)
        return false;
    const struct lane_units wave_items = checker_wave_items_in(checker, &event->origin, region, 1);
    return epoch_filter_note(&region->epoch_filter, event, &wave_items, clock);
}

/* A read of bytes that no instruction writes. From time to time the set of bytes takes over the log. */
static bool take_only_read(struct checker *checker, const struct access_event *event,
                           struct shadow_region *region, uint64_t clock)
{
    const uint64_t used = region->epoch_filter.access_log.used;
    const bool is_long = region->reads.open && used > KEPT_BYTES + region->high - region->low;
    if (!is_long && take_gather(checker, event, region, clock))
        return true;
    return checker_begin_reads(checker, region) && take_gather(checker, event, region, clock);
}

/* ---- in the affine filter ----------------------------------------------------------------- */

static void set_cursor(struct checker *checker, const struct access_event *event,
                       struct shadow_region *region, const struct affine_filter_event *whole)
{
    struct read_cursor *read_cursor = &checker->read_cursors[event->origin.site % READ_CURSORS];
    read_cursor->wave_items = 0;
    if (whole->write || !affine_filter_cursor_set(&region->affine_filter, whole, &read_cursor->at))
        return;
    read_cursor->at.base = event->base; /* of the first lane, even if that is inactive */
    read_cursor->wave_items = checker->wave_items.serial;
    read_cursor->clock = whole->clock;
    memcpy(read_cursor->mask, event->mask, sizeof read_cursor->mask);
    read_cursor->site = event->origin.site;
    read_cursor->size = event->size_bytes;
    read_cursor->shape = event->shape;
    read_cursor->step_x = event->step_x;
    read_cursor->step_y = event->step_y;
    read_cursor->region = region;
}

/* base: the clock value of the group's last barrier of this memory. False: the filter cannot decide, and may
 * have recorded some of the lanes. That is harmless: they will be replayed, and then taken once more. */
static inline __attribute__((always_inline)) bool take_affine(struct checker *checker,
                                                              const struct access_event *event,
                                                              struct shadow_region *region, uint64_t clock,
                                                              uint64_t base)
{
    struct affine_filter_event lines[WAVE_ITEMS_LINES_MOST];
    const struct wave_items *wave_items = &checker->wave_items;
    /* fields are assigned one by one: a compound literal would clear the array first, which costs time */
    lines[0].site = event->origin.site;
    lines[0].size = event->size_bytes;
    lines[0].write = event->kind == ACCESS_WRITE;
    lines[0].extent = event->origin.launch->global_size;
    lines[0].group = wave_items->group;
    lines[0].one_group = wave_items->one_group;
    lines[0].clock = clock;
    lines[0].region_base = base;
    const uint32_t count = wave_items_lines(wave_items, event, lines);
    for (uint32_t i = 0; i < count; i++)
        if (!affine_filter_take(&region->affine_filter, &lines[i]))
            return false;
    if (count == 1 && event->kind == ACCESS_READ)
        set_cursor(checker, event, region, &lines[0]);
    return count;
}

/* ---- through the epoch filter --------------------------------------------------------------------- */

struct marking {
    struct checker *checker;
    struct shadow_region *region;
    bool failed;
};

static void mark(void *self, const struct past_access *access)
{
    struct marking *marking = self;
    struct checker *checker = marking->checker;
    const int space = marking->region->space;
    struct past_access named = *access;
    named.unit = checker_access_unit(checker, access);
    uint64_t number = order_unit_group(&checker->order, named.unit);
    const struct group_order *group = space == IN_LOCAL ? NULL : order_group_find(&checker->order, number);
    uint64_t base = group && access->clock >= group->base[space] ? group->base[space] : 1;
    if (!marking->failed &&
        !epoch_filter_mark(&marking->region->epoch_filter, &named, space == IN_LOCAL ? 0 : number, base))
        marking->failed = true;
}

/* The greatest power of two, at most 4, that divides the lanes' offsets from low and their size. */
static uint32_t event_grain(const struct access_event *event, uint64_t low)
{
    uint64_t bits = 4 | event->size_bytes;
    EACH_LANE_OF(event->mask, lane)
    bits |= lane_address(event, lane) - low;
    return (uint32_t)(bits & (0 - bits));
}

/* Opens the epoch filter, and marks there what the affine filter and the access log have. Both keep it: a
 * conflict later replays them. */
static bool open_epoch_filter(struct checker *checker, const struct access_event *event,
                              struct shadow_region *region)
{
    const uint64_t *count = event->origin.launch->group_count;
    const uint32_t grains = affine_filter_grain(&region->affine_filter, region->low) |
                            access_log_grain(&region->epoch_filter.access_log) |
                            event_grain(event, region->low);
    const struct epoch_filter_plan plan = {.groups =
                                               region->space == IN_LOCAL ? 1 : count[0] * count[1] * count[2],
                                           .items = checker->order.group_items,
                                           .grain = grains & (0 - grains)};
    if (region->uncollected_epochs &&
        (epoch_filter_renews(&region->epoch_filter, &plan) ||
         !checker->sink.follows(checker->sink.self, event->origin.launch, &region->keeper)))
        checker_settle(checker, region);
    struct marking marking = {checker, region, !epoch_filter_open(&region->epoch_filter, &plan)};
    if (!marking.failed) {
        affine_filter_replay(&region->affine_filter, mark, &marking);
        access_log_replay(&region->epoch_filter.access_log, mark, &marking);
    }
    if (marking.failed)
        epoch_filter_close(&region->epoch_filter);
    region->filtered_kernel = marking.failed ? NULL : event->origin.launch->kernel;
    return !marking.failed;
}

/* clock: of all lanes. */
bool checker_take_epoch_filter(struct checker *checker, const struct access_event *event,
                               struct shadow_region *region, uint64_t clock, uint64_t base)
{
    const struct wave_items *wave_items = &checker->wave_items;
    const bool local = region->space == IN_LOCAL;
    if (local && !wave_items->one_group)
        return false;
    if (!region->epoch_filter.open && !open_epoch_filter(checker, event, region))
        return false;
    const struct lane_units by = checker_wave_items_in(checker, &event->origin, region, base);
    return epoch_filter_take(&region->epoch_filter, event, &by, clock,
                             scope_in(checker, region, event->scope));
}

/* ---- plain waves -------------------------------------------------------------------------- */

/* True if the filter is open; or a write comes that may race with logged reads; or this kernel needed the
 * filter in its last launch, and nothing is recorded yet. */
static bool wants_epoch_filter(const struct shadow_region *region, const struct access_event *event)
{
    if (region->epoch_filter.open || (event->kind == ACCESS_WRITE && region->epoch_filter.access_log.used))
        return true;
    return region->filtered_kernel == event->origin.launch->kernel && !region->affine_filter.count &&
           !region->epoch_filter.access_log.used;
}

bool checker_take_whole(struct checker *checker, const struct access_event *event)
{
    const bool writes_image = event->image && event->kind == ACCESS_WRITE;
    uint64_t clock;
    if (event->copy || writes_image || checker->order.formal || !checker_common_clock(checker, &clock))
        return false;
    if (event->shape != ADDRESS_LIST && cursor_takes(checker, event, clock))
        return true;
    const struct region *region = memory_region(checker->memory, first_address(event));
    struct shadow_region *shadow = is_watched(region) ? region_of(checker, region) : NULL;
    if (!shadow)
        return !is_watched(region) && !is_of_host(checker, first_address(event));
    if (event->image)
        shadow->space = IN_IMAGE;
    if (shadow->space == IN_LOCAL)
        checker_renew_local(checker, shadow, checker->wave_items.group);
    shadow->epoch_filter.access_log.group_items = checker->apart_items;
    if (shadow->affine_filter.replayed || (shadow->atomic && order_object_count(&checker->order)))
        return false;
    if (shadow->reads.open)
        return event->kind == ACCESS_READ && take_only_read(checker, event, shadow, clock);
    const struct group_order *group =
        checker->wave_items.one_group ? order_group_find(&checker->order, checker->wave_items.group) : NULL;
    const uint64_t base = group ? group->base[shadow->space] : 1;
    /* addresses of images seldom move by a constant from iteration to iteration */
    const bool gathers = event->shape == ADDRESS_LIST || event->image;
    const bool to_epoch_filter = wants_epoch_filter(shadow, event) &&
                                 !(event->kind == ACCESS_READ && checker_only_reads(checker, shadow));
    if (!to_epoch_filter && (gathers ? take_gather(checker, event, shadow, clock)
                                     : take_affine(checker, event, shadow, clock, base)))
        return true;
    return event->kind == ACCESS_READ && checker_only_reads(checker, shadow)
               ? take_only_read(checker, event, shadow, clock)
               : checker_take_epoch_filter(checker, event, shadow, clock, base);
}
