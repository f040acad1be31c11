/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers (R17 to R20): of a work-group, of a sub-group, named ones, and those at which only a part of a
 * work-group waits.
 *
 * A barrier of a group joins the clocks of its members into the group's own. It also sets `base` of the group
 * to the barrier's clock value: everything that members did before happens before everything that they do
 * after. The cost is one join for each member that acquired something by itself since the barrier before. A
 * named barrier does the same with its sub-groups, a partial one with its work-items. The flags of the
 * barrier say in which regions.
 */
#include "sim/memmodel/common/lane_mask.h"
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"

/* What a barrier of the default scope would pass to its own members as a fence, they receive from the
 * barrier itself. A barrier of a wider scope pairs with atomics of other groups, too: it is also a release
 * fence at its entry and an acquire fence at its exit (R17). */
static bool is_also_fence(enum memory_scope scope, enum memory_scope own)
{
    return scope > own && RULE(17);
}

static void release_at_entry(struct order *order, struct group_order *group, uint64_t local,
                             const struct endpoint *end)
{
    struct unit_state unit_state;
    order_unit_state(order, group->number * order->group_items + local, &unit_state);
    if (order_make_item(order, &unit_state))
        order_release_fence(order, &unit_state, end, order->clock);
}

static void acquire_at_exit(struct order *order, struct group_order *group, uint64_t local,
                            const struct endpoint *end)
{
    struct unit_state unit_state;
    order_unit_state(order, group->number * order->group_items + local, &unit_state);
    order_deliver(order, &unit_state);
    if (unit_state.item)
        order_acquire_buffered(order, &unit_state, end);
}

/* The clocks of members become part of their group's clock. */
static void join_members(struct order *order, struct group_order *group, uint64_t from, uint64_t to,
                         int region, struct vclock **into)
{
    for (uint64_t i = from; group->items && group->item_count && i < to; i++) {
        struct item_order *item = group->items[i];
        if (!item || !item->acquired[region])
            continue;
        join_into(order, into, item->acquired[region]);
        set(order, &item->acquired[region], NULL);
    }
}

static void log_barrier(struct order *order, enum sync_op_kind kind, uint64_t group, uint32_t sub_group,
                        const struct endpoint *end)
{
    log_op(order, &(struct sync_op){.kind = (uint8_t)kind,
                                    .scope = (uint8_t)end->scope,
                                    .regions = (uint8_t)end->flags,
                                    .site = end->site,
                                    .number = sub_group,
                                    .by = group,
                                    .clock = order->clock});
}

void order_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                   uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group)
        return;
    order_handoff_dissolve(order, group);
    uint64_t clock = ++order->clock;
    CHECKED(group->slice < clock);
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_also_fence(scope, SCOPE_WORK_GROUP);
    for (uint64_t i = 0; fence && i < order->group_items; i++)
        release_at_entry(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1) || !RULE(17))
            continue;
        join_members(order, group, 0, order->group_items, r, &group->acquired[r]);
        for (uint32_t s = 0; group->sub_groups && s < order->sub_group_count; s++) {
            join_into(order, &group->acquired[r], group->sub_groups[s].acquired[r]);
            set(order, &group->sub_groups[s].acquired[r], NULL);
        }
        group->base[r] = clock;
    }
    group->slice = group->joint = clock;
    no_unit_done(group);
    group->barrier = (struct barrier_seen){site, regions, clock, false, false};
    for (uint64_t i = 0; fence && i < order->group_items; i++)
        acquire_at_exit(order, group, i, &end);
    log_barrier(order, SYNC_OP_BARRIER, number, 0, &end);
}

static bool make_sub_groups(struct order *order, struct group_order *group)
{
    CHECKED(order->sub_group_count > 0);
    if (group->sub_groups)
        return true;
    group->sub_groups = calloc(order->sub_group_count, sizeof *group->sub_groups);
    order->failed |= !group->sub_groups;
    return group->sub_groups != NULL;
}

void order_sub_group_barrier(struct order *order, uint64_t number, uint32_t sub_group, uint32_t regions,
                             enum memory_scope scope, uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group || !make_sub_groups(order, group) || !RULE(19))
        return;
    order_handoff_dissolve(order, group);
    struct sub_group_order *sub = &group->sub_groups[sub_group];
    uint64_t clock = ++order->clock, from = (uint64_t)sub_group * order->sub_group_size,
             to = from + order->sub_group_size;
    CHECKED(sub_group < order->sub_group_count && sub->slice < clock);
    if (to > order->group_items)
        to = order->group_items;
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_also_fence(scope, SCOPE_SUB_GROUP);
    for (uint64_t i = from; fence && i < to; i++)
        release_at_entry(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1))
            continue;
        join_members(order, group, from, to, r, &sub->acquired[r]);
        sub->base[r] = clock;
    }
    sub->slice = clock;
    no_unit_done(group);
    group->barrier = (struct barrier_seen){site, regions, clock, true, false};
    for (uint64_t i = from; fence && i < to; i++)
        acquire_at_exit(order, group, i, &end);
    log_barrier(order, SYNC_OP_SUB_GROUP_BARRIER, number, sub_group, &end);
}

/* Sub-groups of several waves, or of several work-groups, may complete their barriers in one event. What
 * the members publish at entry must not have what others acquire at exit (R17), so arrivals are collected
 * until all have arrived. */
void order_sub_group_arrival(struct order *order, uint64_t group, uint32_t sub_group)
{
    for (uint32_t i = order->sub_group_arrival_count; i-- > 0;)
        if (order->sub_group_arrivals[i].group == group && order->sub_group_arrivals[i].number == sub_group)
            return;
    if (order->sub_group_arrival_count == order->sub_group_arrival_room &&
        !order_grow(order, (void **)&order->sub_group_arrivals, &order->sub_group_arrival_room,
                    sizeof *order->sub_group_arrivals))
        return;
    order->sub_group_arrivals[order->sub_group_arrival_count++] = (struct sub_group_at){group, sub_group};
}

void order_sub_group_barriers(struct order *order, uint32_t regions, enum memory_scope scope, uint32_t site)
{
    for (uint32_t i = 0; i < order->sub_group_arrival_count; i++)
        order_sub_group_barrier(order, order->sub_group_arrivals[i].group,
                                order->sub_group_arrivals[i].number, regions, scope, site);
    order->sub_group_arrival_count = 0;
}

/* ---- named barriers --------------------------------------------------------------------------- */

/* False: out of memory. */
static bool add_arrival(struct order *order, uint32_t arrival)
{
    if (order->arrival_count == order->arrival_room &&
        !order_grow(order, (void **)&order->arrivals, &order->arrival_room, sizeof *order->arrivals))
        return false;
    order->arrivals[order->arrival_count++] = arrival;
    return true;
}

void order_named_arrival(struct order *order, uint64_t number, uint32_t sub_group)
{
    if (!add_arrival(order, sub_group))
        return;
    log_op(order,
           &(struct sync_op){
               .kind = SYNC_OP_NAMED_ARRIVAL, .number = sub_group, .by = number, .clock = order->clock});
}

static uint64_t first_of(const struct order *order, uint32_t sub_group)
{
    const uint64_t first = (uint64_t)sub_group * order->sub_group_size;
    return first < order->group_items ? first : order->group_items;
}

static void for_each_arrived(struct order *order, struct group_order *group, const struct endpoint *end,
                             void (*pass)(struct order *, struct group_order *, uint64_t,
                                          const struct endpoint *))
{
    for (uint32_t a = 0; a < order->arrival_count; a++)
        for (uint64_t i = first_of(order, order->arrivals[a]); i < first_of(order, order->arrivals[a] + 1);
             i++)
            pass(order, group, i, end);
}

static void share_named(struct order *order, struct group_order *group, int region)
{
    struct vclock *vclock = NULL;
    order->sub_group_keys = true;
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        const uint32_t s = order->arrivals[a];
        CHECKED(s < order->sub_group_count);
        join_members(order, group, first_of(order, s), first_of(order, s + 1), region,
                     &group->sub_groups[s].acquired[region]);
        join_into(order, &vclock, group->sub_groups[s].acquired[region]);
        set(order, &vclock,
            vclock_put(&order->pool, vclock, sub_group_key(order, group->number, s), order->clock));
    }
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        struct sub_group_order *sub = &group->sub_groups[order->arrivals[a]];
        set(order, &sub->acquired[region], vclock_share(vclock));
        sub->base[region] = order->clock;
    }
    vclock_drop(&order->pool, vclock);
}

void order_named_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                         uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (group && make_sub_groups(order, group)) {
        order_handoff_dissolve(order, group);
        const uint64_t clock = ++order->clock;
        const struct endpoint end = {scope, true, regions, site};
        /* a work-group scope is wider than the sub-groups that take part */
        const bool fence = regions && is_also_fence(scope, SCOPE_SUB_GROUP);
        if (fence)
            for_each_arrived(order, group, &end, release_at_entry);
        for (int r = 0; r < ORDER_REGIONS; r++)
            if (regions >> r & 1)
                share_named(order, group, r);
        for (uint32_t a = 0; a < order->arrival_count; a++)
            group->sub_groups[order->arrivals[a]].slice = clock;
        no_unit_done(group);
        group->barrier = (struct barrier_seen){site, regions, clock, false, true};
        if (fence)
            for_each_arrived(order, group, &end, acquire_at_exit);
        log_barrier(order, SYNC_OP_NAMED_BARRIER, number, 0, &end);
    }
    order->arrival_count = 0;
}

/* ---- barriers at which only a part of a work-group waits (R18) -------------------------------- */

void order_partial_arrival(struct order *order, uint64_t number, uint32_t first, uint64_t members)
{
    CHECKED(members && first + 63 - (uint32_t)__builtin_clzll(members) < order->group_items);
    for (uint64_t rest = members; rest; rest &= rest - 1)
        if (!add_arrival(order, first + (uint32_t)__builtin_ctzll(rest)))
            return;
    log_op(order, &(struct sync_op){.kind = SYNC_OP_PARTIAL_ARRIVAL,
                                    .number = first,
                                    .address = members,
                                    .by = number,
                                    .clock = order->clock});
}

void order_partial_arrivals(struct order *order, const uint64_t *units, const struct sync_event *event)
{
    const uint64_t number = order_unit_group(order, units[0]);
    uint64_t members = 0, first = 0;
    EACH_LANE_OF(event->mask, lane)
    {
        const uint64_t local = units[lane] % order->group_items;
        CHECKED(order_unit_group(order, units[lane]) == number); /* a wave waits in one work-group */
        if (members && local / 64 != first / 64) {
            order_partial_arrival(order, number, (uint32_t)first, members);
            members = 0;
        }
        first = local / 64 * 64;
        members |= UINT64_C(1) << local % 64;
    }
    if (members)
        order_partial_arrival(order, number, (uint32_t)first, members);
}

static bool make_partial(struct order *order, const struct group_order *group, uint32_t at,
                         struct unit_state *out_unit_state)
{
    order_unit_state(order, group->number * order->group_items + order->arrivals[at], out_unit_state);
    if (!order_make_item(order, out_unit_state))
        return false;
    order_deliver(order, out_unit_state);
    return true;
}

/* The arrived work-items' operations and clocks happen before what all of them do next, and before nothing
 * of other units. */
static void share_partial(struct order *order, struct group_order *group, int region)
{
    struct vclock *vclock = NULL;
    struct unit_state unit_state;
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        if (!make_partial(order, group, a, &unit_state))
            continue;
        struct vclock *own = order_publish(order, &unit_state, region, order->clock);
        join_into(order, &vclock, own);
        vclock_drop(&order->pool, own);
    }
    for (uint32_t a = 0; a < order->arrival_count; a++)
        if (make_partial(order, group, a, &unit_state))
            join_into(order, &unit_state.item->acquired[region], vclock);
    vclock_drop(&order->pool, vclock);
}

static void complete_partial(struct order *order, struct group_order *group, uint32_t regions,
                             const struct endpoint *end)
{
    struct unit_state unit_state;
    CHECKED(order->arrival_count > 0); /* order_partial_arrivals came first */
    for (uint32_t a = 0; regions && a < order->arrival_count; a++)
        release_at_entry(order, group, order->arrivals[a], end);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (regions >> r & 1 && RULE(17))
            share_partial(order, group, r);
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        if (!make_partial(order, group, a, &unit_state))
            continue;
        unit_state.item->slice = order->clock;
        if (regions & REGION_IMAGE)
            unit_state.item->image_base = order->clock;
    }
    for (uint32_t a = 0; regions && a < order->arrival_count; a++)
        acquire_at_exit(order, group, order->arrivals[a], end);
}

void order_partial_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                           uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (group) {
        const struct endpoint end = {scope, true, regions, site};
        order_handoff_dissolve(order, group);
        order->clock++;
        complete_partial(order, group, regions, &end);
        no_unit_done(group);
        log_barrier(order, SYNC_OP_PARTIAL_BARRIER, number, 0, &end);
    }
    order->arrival_count = 0;
}
