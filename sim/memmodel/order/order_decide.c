/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query: does an epoch happen before a unit's next operation? And which missed edge explains that it does
 * not?
 *
 * An epoch (u, c) of a work-item happens before a point if the clock there has a clock value above c for u.
 * The keys of u's sub-group and work-group stand for all their members, so they are asked for, too. The clock
 * of a point is the join of four parts: of the work-group, the sub-group, the unit itself and its hand-off.
 * Each part is asked in turn, and they are never joined. An asynchronous copy comes after what happens before
 * its call in every member (R37), so all members are asked.
 */
#include "order_handoff.h"
#include "orrery/checked.h"

/* What is looked for in clocks: a clock value of one of some keys above a given one, or any of the
 * launch's key. An epoch has the key of its unit, and those of the sub-group and work-group that may stand
 * for the unit. */
struct subject {
    uint64_t unit;  /* UNIT_END: not an epoch, but a key of another sort */
    uint64_t group; /* of a work-item; else UINT64_MAX */
    uint32_t sub_group;
    uint32_t key_count;
    uint64_t keys[3];
    uint64_t launch; /* a launch's key; 0: none */
};

static struct subject subject_of(const struct order *order, uint64_t unit)
{
    CHECKED(unit < UNIT_END);
    struct subject of = {.unit = unit,
                         .group = unit < UNIT_COPIES ? order_unit_group(order, unit) : UINT64_MAX,
                         .sub_group = order_unit_sub_group(order, unit),
                         .key_count = 1,
                         .keys = {unit_key(unit)}};
    if (unit < UNIT_COPIES && order->group_keys)
        of.keys[of.key_count++] = group_key(of.group);
    if (unit < UNIT_COPIES && order->sub_group_keys)
        of.keys[of.key_count++] = sub_group_key(order, of.group, of.sub_group);
    if (order->launches)
        of.launch = launch_key(order_unit_launch(order, unit));
    return of;
}

static struct subject subject_of_key(uint64_t key)
{
    return (struct subject){.unit = UNIT_END, .group = UINT64_MAX, .key_count = 1, .keys = {key}};
}

/* Is the answer found within a few nodes of a deferred clock? Then it need not be computed. */
static bool has_nearby(const struct order *order, struct vclock *vclock, const struct subject *of,
                       uint64_t clock)
{
    bool has = false;
    for (uint32_t i = 0; vclock_was_deferred(vclock) && i < of->key_count && !has; i++)
        has = vclock_has_nearby(&order->pool, vclock, of->keys[i], clock);
    return has;
}

static bool clock_has(const struct order *order, struct vclock *vclock, const struct subject *of,
                      uint64_t clock)
{
    if (!vclock || has_nearby(order, vclock, of, clock))
        return vclock;
    for (uint32_t i = 0; i < of->key_count; i++)
        if (clock < vclock_get(order_pool(order), vclock, of->keys[i]))
            return true;
    return of->launch && vclock_get(order_pool(order), vclock, of->launch);
}

bool order_clock_has(const struct order *order, struct vclock *vclock, uint64_t unit, uint64_t clock)
{
    const struct subject of = subject_of(order, unit);
    return clock_has(order, vclock, &of, clock);
}

/* Has the unit released, after that clock value and not after the position? */
static inline bool released_after(const struct order *order, const struct handoff *handoff, uint32_t position,
                                  uint64_t unit, uint64_t clock)
{
    CHECKED(position <= handoff->count);
    const uint64_t local = unit - handoff->first_unit;
    const uint32_t at =
        position && local < order->group_items ? handoff_release_at(handoff, local, position) : 0;
    return at && clock < handoff->releases[at].clock;
}

/* Does the epoch happen before the release at that position? */
static bool position_has(const struct order *order, const struct handoff *handoff, uint32_t position,
                         const struct subject *of, uint64_t clock)
{
    return released_after(order, handoff, position, of->unit, clock) ||
           (position && clock_has(order, handoff->first, of, clock));
}

static bool handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                        const struct subject *of, uint64_t clock)
{
    const struct handoff *handoff = unit_state->group ? unit_state->group->handoff : NULL;
    return handoff && handoff->region == region && !unit_state->copy &&
           position_has(order, handoff, handoff->acquired[unit_state->unit - handoff->first_unit], of, clock);
}

bool order_handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                       uint64_t unit, uint64_t clock)
{
    const struct handoff *handoff = unit_state->group->handoff;
    const uint32_t position =
        handoff->region == region ? handoff->acquired[unit_state->unit - handoff->first_unit] : 0;
    return released_after(order, handoff, position, unit, clock) ||
           (position && clock < vclock_get(order_pool(order), handoff->first, unit_key(unit)));
}

static uint32_t latest_acquired(const struct order *order, const struct handoff *handoff)
{
    uint32_t latest = 0;
    for (uint64_t i = 0; i < order->group_items; i++)
        latest = handoff->acquired[i] > latest ? handoff->acquired[i] : latest;
    return latest;
}

static void join_handoff(struct order *order, const struct handoff *handoff, struct vclock **slot)
{
    struct vclock *vclock = order_handoff_clock(order, handoff, latest_acquired(order, handoff));
    join_into(order, slot, vclock);
    vclock_drop(&order->pool, vclock);
}

void order_group_join_new(struct order *order, uint64_t number, struct vclock *const initial[ORDER_REGIONS],
                          struct vclock *into[ORDER_REGIONS])
{
    const struct group_order *group = order_group_find(order, number);
    for (int r = 0; r < ORDER_REGIONS && group; r++) {
        uint32_t left = group->item_count;
        if (group->acquired[r] != initial[r])
            join_into(order, &into[r], group->acquired[r]);
        for (uint32_t i = 0; group->sub_groups && i < order->sub_group_count; i++)
            join_into(order, &into[r], group->sub_groups[i].acquired[r]);
        for (uint64_t i = 0; left; i++)
            if (group->items[i]) {
                join_into(order, &into[r], group->items[i]->acquired[r]);
                left--;
            }
        if (group->handoff && group->handoff->region == r)
            join_handoff(order, group->handoff, &into[r]);
    }
}

void order_group_vclock(struct order *order, uint64_t number, struct vclock *out_known[ORDER_REGIONS])
{
    static struct vclock *const nothing[ORDER_REGIONS];
    for (int r = 0; r < ORDER_REGIONS; r++)
        out_known[r] = NULL;
    order_group_join_new(order, number, nothing, out_known);
}

static bool member_has(const struct order *order, const struct unit_state *member, int region,
                       const struct subject *of, uint64_t clock)
{
    const struct sub_group_order *sub = order_sub_group_of(member);
    const bool same_sub_group =
        sub && of->group == member->place.group && of->sub_group == member->place.sub_group;
    if (of->unit == member->unit || (same_sub_group && clock < sub->base[region]))
        return true;
    if (sub && clock_has(order, sub->acquired[region], of, clock))
        return true;
    return (member->item && clock_has(order, member->item->acquired[region], of, clock)) ||
           handoff_has(order, member, region, of, clock);
}

/* Did the epoch happen before the member reached the copy? Of the member's own part of the clock; the
 * group's is asked separately. */
static bool arrival_has(const struct order *order, const struct copy_member *then, uint64_t member,
                        int region, const struct subject *of, uint64_t clock)
{
    const bool same_sub_group = of->group == order_unit_group(order, member) &&
                                of->sub_group == order_unit_sub_group(order, member),
               own = of->unit == member && clock < then->slice,
               of_sub_group = same_sub_group && clock < then->sub_base[region];
    if (!then->arrived || own || of_sub_group)
        return true;
    return clock_has(order, then->sub[region], of, clock) || clock_has(order, then->item[region], of, clock);
}

static bool clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                               const struct subject *of, uint64_t clock)
{
    const bool same_group = of->group == order_unit_group(order, clock_snapshot->unit);
    return (same_group && clock < clock_snapshot->base) ||
           clock_has(order, clock_snapshot->acquired, of, clock) ||
           arrival_has(order, &clock_snapshot->self, clock_snapshot->unit, IN_GLOBAL, of, clock);
}

bool order_clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                              uint64_t unit, uint64_t clock)
{
    const struct subject of = subject_of(order, unit);
    return clock_snapshot_has(order, clock_snapshot, &of, clock);
}

bool order_clock_snapshot_has_key(const struct order *order,
                                  const struct order_clock_snapshot *clock_snapshot, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return clock_snapshot_has(order, clock_snapshot, &of, 0);
}

static bool every_arrival_has(const struct order *order, const struct copy_order *copy, int region,
                              const struct subject *of, uint64_t clock)
{
    const uint64_t count = order_group_size(order, copy->group);
    if (RULE(37))
        for (uint64_t i = 0; i < count; i++)
            if (!arrival_has(order, &copy->members[i], copy->group * order->group_items + i, region, of,
                             clock))
                return false;
    return true;
}

/* A copy that the members reached together does its accesses at once, so the members' clocks are still
 * those of the call. */
static bool every_member_has(const struct order *order, const struct group_order *group, int region,
                             const struct subject *of, uint64_t clock)
{
    const uint64_t first = group->number * order->group_items;
    if (!group->items && !group->sub_groups && order_group_size(order, group->number) > 1)
        return false;
    for (uint64_t i = 0; i < order_group_size(order, group->number); i++) {
        struct unit_state member;
        order_unit_state(order, first + i, &member);
        if (!member_has(order, &member, region, of, clock))
            return false;
    }
    return true;
}

static bool group_has(const struct order *order, const struct group_order *group, int region,
                      const struct subject *of, uint64_t clock)
{
    return (of->group == group->number && clock < group->base[region]) ||
           clock_has(order, group->acquired[region], of, clock);
}

static bool unit_state_has(const struct order *order, const struct unit_state *unit_state, int region,
                           const struct subject *of, uint64_t clock)
{
    const struct group_order *group = unit_state->group;
    if (unit_state->copy && unit_state->copy->members)
        return group_has(order, group, region, of, clock) ||
               every_arrival_has(order, unit_state->copy, region, of, clock);
    if (unit_state->copy && RULE(37))
        return group_has(order, group, region, of, clock) ||
               every_member_has(order, group, region, of, clock);
    return group_has(order, group, region, of, clock) || member_has(order, unit_state, region, of, clock);
}

bool order_has_epoch(const struct order *order, const struct unit_state *unit_state, int region,
                     uint64_t unit, uint64_t clock)
{
    const struct subject of = subject_of(order, unit);
    return unit_state_has(order, unit_state, region, &of, clock);
}

bool order_has_key(const struct order *order, const struct unit_state *unit_state, uint64_t key)
{
    const struct subject of = subject_of_key(key);
    return unit_state->group && unit_state_has(order, unit_state, IN_GLOBAL, &of, 0);
}

bool order_sees_own_image(const struct unit_state *unit_state, uint64_t clock)
{
    const struct group_order *group = unit_state->group;
    const struct sub_group_order *sub = order_sub_group_of(unit_state);
    const struct item_order *item = unit_state->item;
    const bool before_group_barrier = group && clock < group->base[IN_IMAGE],
               before_sub_group_barrier = sub && clock < sub->base[IN_IMAGE],
               before_own_fence = item && clock < item->image_base;
    return before_group_barrier || before_sub_group_barrier || before_own_fence;
}

/* ---- explaining -------------------------------------------------------------------------------- */

/* The member read a value that a release of its group published, and reached no acquire fence since. */
static bool missed_handoff_fence(const struct order *order, const struct unit_state *unit_state, int region,
                                 const struct subject *of, uint64_t clock, struct missed_edge *out_missed)
{
    const struct handoff *handoff =
        unit_state->group && !unit_state->copy ? unit_state->group->handoff : NULL;
    const uint32_t buffered =
        handoff && handoff->region == region ? handoff->buffered[unit_state->unit - handoff->first_unit] : 0;
    if (!buffered || !position_has(order, handoff, buffered, of, clock))
        return false;
    const struct handoff_release *latest = &handoff->releases[buffered];
    *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE,
                                       .release_site = latest->site,
                                       .acquire_site = UINT32_MAX,
                                       .release_scope = SCOPE_WORK_GROUP,
                                       .release_unit = handoff->first_unit + latest->local,
                                       .local = region == IN_LOCAL};
    return true;
}

/* An edge that was missed, whose release has the epoch in its clock. */
static bool explain_by_missed(const struct order *order, const struct item_order *item, int region,
                              const struct subject *of, uint64_t clock, struct missed_edge *out_missed)
{
    /* without the log a segment has several operations, and the store may be before the access */
    const bool placed = !order->sync_log || !order->sync_log->full;
    for (uint32_t i = 0; i < MISSED_KEPT; i++) { /* the latest first */
        const struct missed_edge *edge =
            &item->missed[(item->missed_next + MISSED_KEPT - 1 - i) % MISSED_KEPT];
        const bool orders =
            edge->why == MISSED_RELEASE
                ? placed && edge->release_unit == of->unit && clock <= edge->clock
                : edge->why != MISSED_NOTHING && clock_has(order, edge->release->vclock[region], of, clock);
        if (orders) {
            *out_missed = *edge;
            return true;
        }
    }
    return false;
}

/* A release that was read, and that no acquire fence followed. */
static bool explain_by_buffered(const struct order *order, const struct item_order *item, int region,
                                const struct subject *of, uint64_t clock, struct missed_edge *out_missed)
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        for (uint32_t i = 0; i < item->fence_buffer[r].count; i++) {
            const struct release_clock *release_clock = &item->fence_buffer[r].items[i];
            if (!clock_has(order, release_clock->release->vclock[region], of, clock))
                continue;
            *out_missed = (struct missed_edge){.why = MISSED_ACQUIRE,
                                               .release_site = release_clock->release->site,
                                               .acquire_site = UINT32_MAX,
                                               .release_scope = release_clock->scope,
                                               .release_unit = release_clock->release->unit,
                                               .local = r == IN_LOCAL};
            return true;
        }
    return false;
}

bool order_explain(const struct order *order, const struct unit_state *unit_state, int region, uint64_t unit,
                   uint64_t clock, struct missed_edge *out_missed)
{
    const struct subject of = subject_of(order, unit);
    const struct item_order *item = unit_state->item;
    return (item && (explain_by_missed(order, item, region, &of, clock, out_missed) ||
                     explain_by_buffered(order, item, region, &of, clock, out_missed))) ||
           missed_handoff_fence(order, unit_state, region, &of, clock, out_missed);
}
