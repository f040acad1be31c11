/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses lane by lane, in order and shadow. Before an allocation's first such access all that the filters
 * have of it is replayed into the shadow: quiet accesses, which are known not to race with each other. */
#include "checker_state.h"

#include <stdlib.h>

/* ---- out of the affine filter -------------------------------------------------------------- */

static uint64_t unit_at(const struct checker *checker, const uint64_t position[3])
{
    const struct launch_info *info = checker->wave_items.launch;
    uint64_t group = 0, local = 0;
    for (int axis = 2; axis >= 0; axis--) {
        uint64_t id = position[axis] / info->local_size[axis],
                 left = info->global_size[axis] - id * info->local_size[axis];
        group = group * info->group_count[axis] + id;
        local = local * (left < info->local_size[axis] ? left : info->local_size[axis]) +
                position[axis] % info->local_size[axis];
    }
    return group * checker->order.group_items + local;
}

struct replaying {
    struct checker *checker;
    struct shadow_region *region;
};

uint64_t checker_access_unit(const struct checker *checker, const struct past_access *access)
{
    return access->by_position ? unit_at(checker, access->position) : access->unit;
}

static void insert(void *self, const struct past_access *access)
{
    const struct replaying *replaying = self;
    struct checker *checker = replaying->checker;
    struct unit_state unit_state = {.unit = checker_access_unit(checker, access)};
    struct shadow_access now = {.unit_state = &unit_state, .address = access->address, .quiet = true};
    if (access->kind > ACCESS_WRITE)
        order_unit_state(&checker->order, unit_state.unit, &unit_state);
    now.how = (struct access_context){.clock = (uint32_t)access->clock,
                                      .site = access->site,
                                      .size = access->size,
                                      .kind = (uint8_t)access->kind,
                                      .order = (uint8_t)access->order,
                                      .scope = (uint8_t)access->scope};
    shadow_access(&checker->shadow, replaying->region, &now);
}

void checker_replay(struct checker *checker, struct shadow_region *region)
{
    struct replaying replaying = {checker, region};
    if (region->affine_filter.replayed)
        return;
    /* A write through a pointer that overran into an allocation which no instruction writes: its reads, kept
     * without units, may have raced with it. */
    if (region->reads.open) {
        checker->shadow.lost[region->space] = true;
        checker->shadow.failed |= !read_only_set_take(&region->reads, &region->epoch_filter.access_log);
    }
    /* The shadow needs the memory of large epoch arrays and logs. */
    const bool large = region->high - region->low > KEPT_BYTES;
    if (large) {
        checker_settle(checker, region);
        epoch_filter_release(&region->epoch_filter);
    }
    region->thinned |= region->epoch_filter.access_log.thinned;
    affine_filter_replay(&region->affine_filter, insert, &replaying);
    access_log_replay(&region->epoch_filter.access_log, insert, &replaying);
    affine_filter_forget(&region->affine_filter);
    epoch_filter_forget(&region->epoch_filter);
    if (large)
        access_log_release(&region->epoch_filter.access_log);
    region->filtered_kernel = NULL;
    region->affine_filter.replayed = true;
}

/* ---- lane by lane -------------------------------------------------------------------- */

static void find_unit_state(struct checker *checker, struct acting *acting, uint64_t lane,
                            struct unit_state *out)
{
    const struct wave_items *wave_items = &checker->wave_items;
    if (acting->copy || !wave_items->one_group) {
        const uint64_t unit = wave_items->unit[lane];
        order_unit_state(&checker->order,
                         acting->copy ? order_copy_unit(&checker->order,
                                                        order_unit_group(&checker->order, unit), acting->copy)
                                      : unit,
                         out);
        return;
    }
    if (!acting->group)
        acting->group = order_group_find(&checker->order, wave_items->group);
    order_member(&checker->order, wave_items->group, acting->group, wave_items->first_member + lane, out);
}

struct unit_state *checker_actor_anew(struct checker *checker, struct acting *acting, uint64_t lane)
{
    find_unit_state(checker, acting, lane, &checker->actor.unit_state);
    checker->actor.serial = acting->copy || !checker->wave_items.one_group ? 0 : checker->wave_items.serial;
    checker->actor.lane = lane;
    return &checker->actor.unit_state;
}

/* Another lane of the same wave: only the fields of the work-item change. */
struct unit_state *checker_next_actor(struct checker *checker, uint64_t lane)
{
    struct unit_state *unit_state = &checker->actor.unit_state;
    const bool is_same_wave = checker->actor.serial == checker->wave_items.serial && unit_state->item;
    struct item_order *item =
        is_same_wave ? unit_state->group->items[checker->wave_items.first_member + lane] : NULL;
    if (!item)
        return checker_actor_anew(checker, &(struct acting){.copy = 0}, lane);
    unit_state->unit = item->unit;
    unit_state->place.sub_group = item->sub_group;
    unit_state->item = item;
    checker->actor.lane = lane;
    return unit_state;
}

void checker_receive_other(struct checker *checker, const struct access_event *event)
{
    if (!order_object_count(&checker->order))
        return;
    for (uint64_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane) && !lane_in(event->failed, lane))
            order_overwrite_foreign(&checker->order, lane_address(event, lane), event->size_bytes,
                                    event->kind == ACCESS_ATOMIC_UPDATE);
}

void checker_note_values(struct checker *checker, const struct access_event *event, uint64_t lane,
                         uint64_t unit)
{
    struct lane_values values;
    lane_values(checker->memory, event, (uint32_t)lane, &values);
    sync_log_value(checker->order.sync_log, unit, lane_address(event, lane), &values);
}

struct atomic_operation checker_operation(const struct access_event *event,
                                          const struct shadow_region *region, bool failed)
{
    return (struct atomic_operation){.size = event->size_bytes,
                                     .region = region->space,
                                     .reads = event->kind != ACCESS_ATOMIC_WRITE,
                                     .writes = event->kind != ACCESS_ATOMIC_READ && !failed,
                                     .order = failed ? event->failure_order : event->order,
                                     .success = failed ? (uint8_t)(1 + event->order) : 0,
                                     .scope = event->scope,
                                     .site = event->origin.site,
                                     .svm_atomics = region->svm_atomics};
}

static void order_lane(struct checker *checker, const struct acting *acting, uint64_t lane,
                       struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    if (lane_in(event->failed, lane)) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    acting->region->atomic = true;
    now->how.scope = (uint8_t)acting->scope;
    struct atomic_operation act = checker_operation(event, acting->region, lane_in(event->failed, lane));
    act.address = now->address;
    act.size = now->how.size;
    now->follows = order_atomic(&checker->order, now->unit_state, &act);
    if (order_logs(&checker->order))
        checker_note_values(checker, event, lane, now->unit_state->unit);
}

static void perform(struct checker *checker, struct acting *acting, uint64_t lane, struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    struct unit_state *unit_state = actor(checker, acting, lane);
    if (acting->region->space == IN_LOCAL)
        checker_renew_local(checker, acting->region, unit_state->place.group);
    now->unit_state = unit_state;
    now->how.clock = (uint32_t)order_segment(unit_state);
    now->how.kind = (uint8_t)event->kind;
    now->how.order = (uint8_t)event->order;
    if (event->kind >= ACCESS_ATOMIC_READ)
        order_lane(checker, acting, lane, now);
    if (checker_note_read(checker, acting->region, &now->how, now->address))
        return;
    if (!acting->region->affine_filter.replayed)
        checker_replay(checker, acting->region);
    shadow_access(&checker->shadow, acting->region, now);
    if (event->kind >= ACCESS_ATOMIC_READ) /* the next lane may synchronise */
        report_new_races(checker, event);
}

/* The part of an access that is past the end of its region. */
static void perform_beyond(struct checker *checker, struct acting acting, uint64_t lane,
                           const struct shadow_access *all)
{
    struct shadow_access now = *all;
    now.address = acting.region->high;
    now.how.size = (uint32_t)(all->address + all->how.size - acting.region->high);
    acting.region = checker_shadow_at(checker, memory_region(checker->memory, now.address), now.address);
    if (acting.region)
        perform(checker, &acting, lane, &now);
}

/* The last lane, if this is a plain access by more than two lanes at one address; else 0. */
static uint32_t last_of_many(const struct access_event *event, const uint64_t *mask)
{
    const bool plain = event->kind <= ACCESS_WRITE && !event->copy && !event->image;
    uint32_t first, end;
    if (!plain || event->shape != ADDRESS_UNIFORM)
        return 0;
    return lanes_within(mask, 0, event->lane_count, &first, &end) && end > first + 2 ? end - 1 : 0;
}

/* Lanes that reach saturated cells by one instruction race with the same accesses, and the cell keeps the
 * last lane's access in the end. So the last lane can stand for all that are left. This is tested after 1, 2,
 * 4, 8 ... lanes. */
static bool last_stands_for_rest(const struct checker *checker, const struct access_event *event,
                                 const struct shadow_region *region, uint32_t lanes_done)
{
    const struct access_context how = {
        .kind = (uint8_t)event->kind, .site = event->origin.site, .size = event->size_bytes};
    return !(lanes_done & (lanes_done - 1)) && (checker->wave_items.one_group || region->space != IN_LOCAL) &&
           shadow_is_saturated(region, event->base, &how);
}

void checker_access_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    const uint32_t last = last_of_many(event, mask);
    uint32_t lanes_done = 0, resume = 0;
    const struct region *region = NULL;
    struct shadow_region *shadow = NULL;
    struct acting acting = {.event = event, .copy = event->copy};
    checker_fill_units(checker, &event->origin);
    if (event->copy && deferred_copy_add(&checker->held, &checker->order, checker->wave_items.group, event,
                                         mask, event->origin.site)) {
        checker->shadow.failed |= checker->held.failed;
        return;
    }
    EACH_LANE_OF(mask, lane)
    {
        uint64_t address = lane_address(event, lane);
        if (lane < resume)
            continue;
        if (!region || address < region->low || address >= region->high) {
            region = memory_region(checker->memory, address);
            shadow = checker_shadow_at(checker, region, address);
            if (shadow && event->image)
                shadow->space = IN_IMAGE;
            acting.region = shadow;
            if (shadow)
                acting.scope = scope_in(checker, shadow, event->scope);
        }
        if (!shadow)
            continue;
        struct shadow_access now = {.how = {.site = event->origin.site, .size = event->size_bytes},
                                    .address = address,
                                    .sampled = event->sampled};
        const uint64_t end = address + event->size_bytes;
        if (end > shadow->high)
            now.how.size = (uint32_t)(shadow->high - address);
        perform(checker, &acting, lane, &now);
        now.how.size = event->size_bytes;
        if (end > shadow->high)
            perform_beyond(checker, acting, lane, &now);
        if (lane < last && last_stands_for_rest(checker, event, shadow, ++lanes_done))
            resume = last;
    }
    report_new_races(checker, event);
}
