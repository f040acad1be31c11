/* SPDX-License-Identifier: Apache-2.0 */
/* Lane by lane, through order and shadow; what stands before the shadow goes into it. */
#include "checker_state.h"

#include <stdlib.h>

/* ---- out of the journal -------------------------------------------------------------- */

static uint64_t unit_at(const struct checker *checker, const uint64_t position[3])
{
    const struct launch_info *info = checker->crew.launch;
    uint64_t group = 0, local = 0;
    for (int axis = 2; axis >= 0; axis--) {
        uint64_t id = position[axis] / info->local_size[axis], left = info->global_size[axis] - id * info->local_size[axis];
        group = group * info->group_count[axis] + id;
        local = local * (left < info->local_size[axis] ? left : info->local_size[axis]) + position[axis] % info->local_size[axis];
    }
    return group * checker->order.group_items + local;
}

struct spilling { struct checker *checker; struct shadow_region *region; };

uint64_t checker_access_unit(const struct checker *checker, const struct past_access *access)
{
    return access->by_position ? unit_at(checker, access->position) : access->unit;
}

static void insert(void *self, const struct past_access *access)
{
    const struct spilling *spilling = self;
    struct checker *checker = spilling->checker;
    struct agent agent = {.unit = checker_access_unit(checker, access)};
    struct shadow_access now = {.agent = &agent, .address = access->address, .quiet = true};
    if (access->kind > ACCESS_WRITE)
        order_agent(&checker->order, agent.unit, &agent);
    now.how = (struct context){.tick = (uint32_t)access->tick, .site = access->site, .size = access->size, .kind = (uint8_t)access->kind,
                               .order = (uint8_t)access->order, .scope = (uint8_t)access->scope};
    shadow_access(&checker->shadow, spilling->region, &now);
}

void checker_spill(struct checker *checker, struct shadow_region *region)
{
    struct spilling spilling = {checker, region};
    if (region->journal.spilt)
        return;
    checker->shadow.lost[region->space] |= region->reads.open; /* by a pointer that overran into it */
    const bool large = region->high - region->low > KEPT_BYTES; /* the shadow takes the place of stamps and notes */
    if (large) {
        checker_settle(checker, region);
        sieve_release(&region->sieve);
    }
    region->thinned |= region->sieve.notes.thinned;
    journal_replay(&region->journal, insert, &spilling);
    notes_replay(&region->sieve.notes, insert, &spilling);
    journal_forget(&region->journal);
    sieve_forget(&region->sieve);
    if (large)
        notes_release(&region->sieve.notes);
    region->sieved = NULL;
    region->journal.spilt = true;
}

/* ---- lane by lane -------------------------------------------------------------------- */

static void find_agent(struct checker *checker, struct acting *acting, uint64_t lane, struct agent *out)
{
    const struct crew *crew = &checker->crew;
    if (acting->copy || !crew->one_group) {
        const uint64_t unit = crew->unit[lane];
        order_agent(&checker->order, acting->copy ? order_copy_unit(&checker->order, order_unit_group(&checker->order, unit), acting->copy) : unit, out);
        return;
    }
    if (!acting->group)
        acting->group = order_group_find(&checker->order, crew->group);
    order_member(&checker->order, crew->group, acting->group, crew->first_member + lane, out);
}

struct agent *checker_actor_anew(struct checker *checker, struct acting *acting, uint64_t lane)
{
    find_agent(checker, acting, lane, &checker->actor.agent);
    checker->actor.serial = acting->copy || !checker->crew.one_group ? 0 : checker->crew.serial;
    checker->actor.lane = lane;
    return &checker->actor.agent;
}

/* The group has not changed. */
struct agent *checker_next_actor(struct checker *checker, uint64_t lane)
{
    struct agent *agent = &checker->actor.agent;
    const bool known = checker->actor.serial == checker->crew.serial && agent->item;
    struct item_order *item = known ? agent->group->items[checker->crew.first_member + lane] : NULL;
    if (!item)
        return checker_actor_anew(checker, &(struct acting){.copy = 0}, lane);
    agent->unit = item->unit;
    agent->place.sub_group = item->sub_group;
    agent->item = item;
    checker->actor.lane = lane;
    return agent;
}

void checker_hear_other(struct checker *checker, const struct access_event *event)
{
    if (!checker->order.variable_count)
        return;
    for (uint64_t lane = 0; lane < event->lane_count; lane++)
        if (lane_in(event->mask, lane) && !lane_in(event->failed, lane))
            order_overwrite_otherwise(&checker->order, lane_address(event, lane), event->size_bytes, event->kind == ACCESS_ATOMIC_UPDATE);
}

void checker_note_values(struct checker *checker, const struct access_event *event, uint64_t lane, uint64_t unit)
{
    struct lane_values values;
    lane_values(checker->memory, event, (uint32_t)lane, &values);
    history_value(checker->order.history, unit, lane_address(event, lane), &values);
}

static void order_lane(struct checker *checker, const struct acting *acting, uint64_t lane, struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    if (lane_in(event->failed, lane)) {
        now->how.kind = ACCESS_ATOMIC_READ;
        now->how.order = (uint8_t)event->failure_order;
    }
    acting->region->atomic = true;
    now->how.scope = (uint8_t)acting->scope;
    const struct atomic_act act = {.address = now->address, .size = now->how.size, .region = acting->region->space,
                                   .reads = event->kind != ACCESS_ATOMIC_WRITE, .writes = now->how.kind != ACCESS_ATOMIC_READ,
                                   .order = (enum memory_order)now->how.order,
                                   .success = lane_in(event->failed, lane) ? (uint8_t)(1 + event->order) : 0, .scope = event->scope, .site = now->how.site,
                                   .svm_atomics = acting->region->svm_atomics};
    now->follows = order_atomic(&checker->order, now->agent, &act);
    if (order_remembers(&checker->order))
        checker_note_values(checker, event, lane, now->agent->unit);
}

static void perform(struct checker *checker, struct acting *acting, uint64_t lane, struct shadow_access *now)
{
    const struct access_event *event = acting->event;
    struct agent *agent = actor(checker, acting, lane);
    if (acting->region->space == IN_LOCAL)
        checker_renew_local(checker, acting->region, agent->place.group);
    now->agent = agent;
    now->how.tick = (uint32_t)order_slice(agent);
    now->how.kind = (uint8_t)event->kind;
    now->how.order = (uint8_t)event->order;
    if (event->kind >= ACCESS_ATOMIC_READ)
        order_lane(checker, acting, lane, now);
    if (checker_note_read(checker, acting->region, &now->how, now->address))
        return;
    if (!acting->region->journal.spilt)
        checker_spill(checker, acting->region);
    shadow_access(&checker->shadow, acting->region, now);
    if (event->kind >= ACCESS_ATOMIC_READ) /* the next lane may synchronise */
        tell_news(checker, event);
}

/* What an access of one window has in the next one. */
static void perform_beyond(struct checker *checker, struct acting acting, uint64_t lane, const struct shadow_access *all)
{
    struct shadow_access now = *all;
    now.address = acting.region->high;
    now.how.size = (uint32_t)(all->address + all->how.size - acting.region->high);
    acting.region = checker_shadow_at(checker, memory_region(checker->memory, now.address), now.address);
    if (acting.region)
        perform(checker, &acting, lane, &now);
}

/* `again`: the lane before was of the same allocation. */
static void perform_early(struct checker *checker, uint64_t unit, struct shadow_region *region, struct shadow_access *now, bool again)
{
    struct agent agent = {.unit = unit, .place = {.group = checker->crew.group}};
    now->agent = &agent;
    if (checker_note_read(checker, region, &now->how, now->address))
        return;
    if (!again && region->space == IN_LOCAL)
        checker_renew_local(checker, region, agent.place.group);
    if (!again)
        checker_spill(checker, region);
    (again ? shadow_again : shadow_access)(&checker->shadow, region, now);
}

void checker_access_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask)
{
    const struct region *region = NULL;
    struct shadow_region *shadow = NULL, *before = NULL;
    const bool early = is_early(checker, event);
    struct acting acting = {.event = event, .copy = event->copy};
    checker_name_units(checker, &event->origin);
    if (event->copy && held_take(&checker->held, &checker->order, checker->crew.group, event, mask, event->origin.site)) {
        checker->shadow.failed |= checker->held.failed;
        return;
    }
    EACH_LANE_OF(mask, lane)
    {
        uint64_t address = lane_address(event, lane);
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
        struct shadow_access now = {.how = {.site = event->origin.site, .size = event->size_bytes}, .address = address,
                                    .sampled = event->sampled};
        if (early) {
            now.how.tick = 1;
            now.how.kind = (uint8_t)event->kind;
            now.how.order = (uint8_t)event->order;
            perform_early(checker, checker->crew.unit[lane], shadow, &now, before == shadow && shadow->space != IN_LOCAL);
            before = shadow;
        } else {
            const uint64_t end = address + event->size_bytes;
            if (end > shadow->high)
                now.how.size = (uint32_t)(shadow->high - address);
            perform(checker, &acting, lane, &now);
            now.how.size = event->size_bytes;
            if (end > shadow->high)
                perform_beyond(checker, acting, lane, &now);
        }
    }
    tell_news(checker, event);
}
