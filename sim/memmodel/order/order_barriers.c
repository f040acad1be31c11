/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers of work-groups and sub-groups, and named ones (R17 to R20). */
#include "sim/memmodel/common/lane_mask.h"
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"

/* A barrier of the default scope passes its own members nothing by way of atomics that they do not receive by
 * the barrier itself; one of a wider scope is a release fence at its entry and an acquire fence at its exit
 * (R17). */
static bool is_fence_too(enum memory_scope scope, enum memory_scope own)
{
    return scope > own && RULE(17);
}

static void enter(struct order *order, struct group_order *group, uint64_t local, const struct endpoint *end)
{
    struct unit_state unit_state;
    order_unit_state(order, group->number * order->group_items + local, &unit_state);
    if (order_make_item(order, &unit_state))
        order_release_fence(order, &unit_state, end, order->clock);
}

static void leave(struct order *order, struct group_order *group, uint64_t local, const struct endpoint *end)
{
    struct unit_state unit_state;
    order_unit_state(order, group->number * order->group_items + local, &unit_state);
    order_deliver(order, &unit_state);
    if (unit_state.item)
        order_acquire_pending(order, &unit_state, end);
}

/* The members' own clocks are joined into all of them. */
static void pool_items(struct order *order, struct group_order *group, uint64_t from, uint64_t to, int region,
                       struct vclock **into)
{
    for (uint64_t i = from; group->items && group->item_count && i < to; i++) {
        struct item_order *item = group->items[i];
        if (!item || !item->acquired[region])
            continue;
        join_into(order, into, item->acquired[region]);
        set(order, &item->acquired[region], NULL);
    }
}

void order_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                   uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (!group)
        return;
    order_handoff_leave(order, group);
    uint64_t clock = ++order->clock;
    CHECKED(group->slice < clock);
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_fence_too(scope, SCOPE_WORK_GROUP);
    for (uint64_t i = 0; fence && i < order->group_items; i++)
        enter(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1) || !RULE(17))
            continue;
        pool_items(order, group, 0, order->group_items, r, &group->acquired[r]);
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
        leave(order, group, i, &end);
    remember(order, &(struct sync_op){.kind = HAPPENED_BARRIER,
                                      .scope = (uint8_t)scope,
                                      .regions = (uint8_t)regions,
                                      .site = site,
                                      .by = number,
                                      .clock = clock});
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
    order_handoff_leave(order, group);
    struct sub_group_order *sub = &group->sub_groups[sub_group];
    uint64_t clock = ++order->clock, from = (uint64_t)sub_group * order->sub_group_size,
             to = from + order->sub_group_size;
    CHECKED(sub_group < order->sub_group_count && sub->slice < clock);
    if (to > order->group_items)
        to = order->group_items;
    struct endpoint end = {scope, true, regions, site};
    bool fence = regions && is_fence_too(scope, SCOPE_SUB_GROUP);
    for (uint64_t i = from; fence && i < to; i++)
        enter(order, group, i, &end);
    for (int r = 0; r < ORDER_REGIONS; r++) {
        if (!(regions >> r & 1))
            continue;
        pool_items(order, group, from, to, r, &sub->acquired[r]);
        sub->base[r] = clock;
    }
    sub->slice = clock;
    no_unit_done(group);
    group->barrier = (struct barrier_seen){site, regions, clock, true, false};
    for (uint64_t i = from; fence && i < to; i++)
        leave(order, group, i, &end);
    remember(order, &(struct sync_op){.kind = HAPPENED_SUB_GROUP_BARRIER,
                                      .scope = (uint8_t)scope,
                                      .regions = (uint8_t)regions,
                                      .site = site,
                                      .number = sub_group,
                                      .by = number,
                                      .clock = clock});
}

/* Its members arrive wave by wave, in one part each or in several; their clocks at its entry are those before
 * any of them leaves (R17). */
void order_sub_group_arrival(struct order *order, uint64_t group, uint32_t sub_group)
{
    for (uint32_t i = order->meeting_count; i-- > 0;)
        if (order->meeting[i].group == group && order->meeting[i].number == sub_group)
            return;
    if (order->meeting_count == order->meeting_room &&
        !order_grow(order, (void **)&order->meeting, &order->meeting_room, sizeof *order->meeting))
        return;
    order->meeting[order->meeting_count++] = (struct sub_group_at){group, sub_group};
}

void order_sub_groups_meet(struct order *order, uint32_t regions, enum memory_scope scope, uint32_t site)
{
    for (uint32_t i = 0; i < order->meeting_count; i++)
        order_sub_group_barrier(order, order->meeting[i].group, order->meeting[i].number, regions, scope,
                                site);
    order->meeting_count = 0;
}

/* Sub-groups that meet: the clock of each is joined into all of them. */
void order_named_arrival(struct order *order, uint64_t number, uint32_t sub_group)
{
    if (order->arrival_count == order->arrival_room &&
        !order_grow(order, (void **)&order->arrivals, &order->arrival_room, sizeof *order->arrivals))
        return;
    order->arrivals[order->arrival_count++] = sub_group;
    remember(order,
             &(struct sync_op){
                 .kind = HAPPENED_NAMED_ARRIVAL, .number = sub_group, .by = number, .clock = order->clock});
}

static uint64_t first_of(const struct order *order, uint32_t sub_group)
{
    const uint64_t first = (uint64_t)sub_group * order->sub_group_size;
    return first < order->group_items ? first : order->group_items;
}

static void all_arrived(struct order *order, struct group_order *group, const struct endpoint *end,
                        void (*pass)(struct order *, struct group_order *, uint64_t, const struct endpoint *))
{
    for (uint32_t a = 0; a < order->arrival_count; a++)
        for (uint64_t i = first_of(order, order->arrivals[a]); i < first_of(order, order->arrivals[a] + 1);
             i++)
            pass(order, group, i, end);
}

static void share_region(struct order *order, struct group_order *group, int region)
{
    struct vclock *known = NULL;
    order->sub_group_keys = true;
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        const uint32_t s = order->arrivals[a];
        CHECKED(s < order->sub_group_count);
        pool_items(order, group, first_of(order, s), first_of(order, s + 1), region,
                   &group->sub_groups[s].acquired[region]);
        join_into(order, &known, group->sub_groups[s].acquired[region]);
        set(order, &known,
            vclock_put(&order->pool, known, sub_group_key(order, group->number, s), order->clock));
    }
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        struct sub_group_order *sub = &group->sub_groups[order->arrivals[a]];
        set(order, &sub->acquired[region], vclock_share(known));
        sub->base[region] = order->clock;
    }
    vclock_drop(&order->pool, known);
}

void order_named_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                         uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (group && make_sub_groups(order, group)) {
        order_handoff_leave(order, group);
        const uint64_t clock = ++order->clock;
        const struct endpoint end = {scope, true, regions, site};
        /* the scope holds sub-groups that do not come */
        const bool fence = regions && is_fence_too(scope, SCOPE_SUB_GROUP);
        if (fence)
            all_arrived(order, group, &end, enter);
        for (int r = 0; r < ORDER_REGIONS; r++)
            if (regions >> r & 1)
                share_region(order, group, r);
        for (uint32_t a = 0; a < order->arrival_count; a++)
            group->sub_groups[order->arrivals[a]].slice = clock;
        no_unit_done(group);
        group->barrier = (struct barrier_seen){site, regions, clock, false, true};
        if (fence)
            all_arrived(order, group, &end, leave);
        remember(order, &(struct sync_op){.kind = HAPPENED_NAMED_BARRIER,
                                          .scope = (uint8_t)scope,
                                          .regions = (uint8_t)regions,
                                          .site = site,
                                          .by = number,
                                          .clock = clock});
    }
    order->arrival_count = 0;
}

/* ---- a barrier at which some of a work-group wait, while others wait elsewhere (R18)
 * ------------------------------------ */

void order_parted_arrival(struct order *order, uint64_t number, uint32_t first, uint64_t members)
{
    CHECKED(members && first + 63 - (uint32_t)__builtin_clzll(members) < order->group_items);
    for (uint64_t rest = members; rest; rest &= rest - 1) {
        if (order->arrival_count == order->arrival_room &&
            !order_grow(order, (void **)&order->arrivals, &order->arrival_room, sizeof *order->arrivals))
            return;
        order->arrivals[order->arrival_count++] = first + (uint32_t)__builtin_ctzll(rest);
    }
    remember(order, &(struct sync_op){.kind = HAPPENED_PARTED_ARRIVAL,
                                      .number = first,
                                      .address = members,
                                      .by = number,
                                      .clock = order->clock});
}

void order_parted_arrivals(struct order *order, const uint64_t *units, const struct sync_event *event)
{
    const uint64_t number = order_unit_group(order, units[0]);
    uint64_t members = 0, first = 0;
    EACH_LANE_OF(event->mask, lane)
    {
        const uint64_t local = units[lane] % order->group_items;
        CHECKED(order_unit_group(order, units[lane]) == number); /* a wave waits in one work-group */
        if (members && local / 64 != first / 64) {
            order_parted_arrival(order, number, (uint32_t)first, members);
            members = 0;
        }
        first = local / 64 * 64;
        members |= UINT64_C(1) << local % 64;
    }
    if (members)
        order_parted_arrival(order, number, (uint32_t)first, members);
}

static bool make_parted(struct order *order, const struct group_order *group, uint32_t at,
                        struct unit_state *out_unit_state)
{
    order_unit_state(order, group->number * order->group_items + order->arrivals[at], out_unit_state);
    if (!order_make_item(order, out_unit_state))
        return false;
    order_deliver(order, out_unit_state);
    return true;
}

/* Their operations and clocks happen before all of them, and before no other unit. */
static void share_parted(struct order *order, struct group_order *group, int region)
{
    struct vclock *known = NULL;
    struct unit_state unit_state;
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        if (!make_parted(order, group, a, &unit_state))
            continue;
        struct vclock *own = order_publish(order, &unit_state, region, order->clock);
        join_into(order, &known, own);
        vclock_drop(&order->pool, own);
    }
    for (uint32_t a = 0; a < order->arrival_count; a++)
        if (make_parted(order, group, a, &unit_state))
            join_into(order, &unit_state.item->acquired[region], known);
    vclock_drop(&order->pool, known);
}

static void pass_parted(struct order *order, struct group_order *group, uint32_t regions,
                        const struct endpoint *end)
{
    struct unit_state unit_state;
    CHECKED(order->arrival_count > 0); /* else no work-item waits there */
    for (uint32_t a = 0; regions && a < order->arrival_count; a++)
        enter(order, group, order->arrivals[a], end);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (regions >> r & 1 && RULE(17))
            share_parted(order, group, r);
    for (uint32_t a = 0; a < order->arrival_count; a++) {
        if (!make_parted(order, group, a, &unit_state))
            continue;
        unit_state.item->slice = order->clock;
        if (regions & REGION_IMAGE)
            unit_state.item->image_base = order->clock;
    }
    for (uint32_t a = 0; regions && a < order->arrival_count; a++)
        leave(order, group, order->arrivals[a], end);
}

void order_parted_barrier(struct order *order, uint64_t number, uint32_t regions, enum memory_scope scope,
                          uint32_t site)
{
    struct group_order *group = order_group(order, number);
    if (group) {
        const struct endpoint end = {scope, true, regions, site};
        order_handoff_leave(order, group);
        const uint64_t clock = ++order->clock;
        pass_parted(order, group, regions, &end);
        no_unit_done(group);
        remember(order, &(struct sync_op){.kind = HAPPENED_PARTED_BARRIER,
                                          .scope = (uint8_t)scope,
                                          .regions = (uint8_t)regions,
                                          .site = site,
                                          .by = number,
                                          .clock = clock});
    }
    order->arrival_count = 0;
}
