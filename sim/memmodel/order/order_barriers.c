/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers (R17 to R20): of a work-group, of a sub-group, named ones, and those at which only a part of a
 * work-group waits.
 *
 * A barrier of a whole group joins the clocks of its members into the group's own. It also sets `base` of the
 * group to the barrier's clock value: everything that members did before happens before everything that they
 * do after. The cost is one join for each member that acquired something by itself since the barrier before.
 * A barrier of sub-groups does the same with each of them, and a partial one with its work-items; they share
 * one clock, which has the keys of all that take part. The flags of the barrier say in which regions.
 *
 * All waves that pass a barrier announce it one after another. Those that take part are collected, as ranges
 * of members, until the last one has arrived: what members publish at entry must not have what others acquire
 * at exit (R17).
 */
#include "sim/memmodel/common/lane_mask.h"
#include "order_state.h"

#include <stdlib.h>

#include "orrery/checked.h"

/* A barrier that is complete: its group, and the members that take part. */
struct barrier {
    struct order *order;
    struct group_order *group;
    const struct arrival *arrivals;
    uint32_t count;
    struct endpoint end;
};

/* What a barrier of the default scope would pass to its own members as a fence, they receive from the
 * barrier itself. A barrier of a wider scope pairs with atomics of other groups, too: it is also a release
 * fence at its entry and an acquire fence at its exit (R17). */
static bool is_also_fence(enum memory_scope scope, enum memory_scope own)
{
    return scope > own && RULE(17);
}

/* ---- members ---------------------------------------------------------------------------------- */

static void release_at_entry(const struct barrier *barrier, struct unit_state *member)
{
    if (order_make_item(barrier->order, member))
        order_release_fence(barrier->order, member, &barrier->end, barrier->order->clock);
}

static void acquire_at_exit(const struct barrier *barrier, struct unit_state *member)
{
    order_deliver(barrier->order, member);
    if (member->item)
        order_acquire_buffered(barrier->order, member, &barrier->end);
}

static void begin_segment(const struct barrier *barrier, struct unit_state *member)
{
    if (!order_make_item(barrier->order, member))
        return;
    order_deliver(barrier->order, member);
    member->item->slice = barrier->order->clock;
    if (barrier->end.flags & REGION_IMAGE)
        member->item->image_base = barrier->order->clock;
}

static void each_member(const struct barrier *barrier,
                        void (*visit)(const struct barrier *barrier, struct unit_state *member))
{
    for (uint32_t a = 0; a < barrier->count; a++)
        for (uint64_t i = barrier->arrivals[a].from; i < barrier->arrivals[a].to; i++) {
            struct unit_state member;
            order_unit_state(barrier->order, barrier->group->number * barrier->order->group_items + i,
                             &member);
            visit(barrier, &member);
        }
}

/* ---- what they share -------------------------------------------------------------------------- */

/* The clocks of members become part of their group's clock. */
static void join_members(const struct barrier *barrier, const struct arrival *arrival, int region,
                         struct vclock **into)
{
    const struct group_order *group = barrier->group;
    CHECKED(arrival->from < arrival->to && arrival->to <= barrier->order->group_items);
    for (uint64_t i = arrival->from; group->items && group->item_count && i < arrival->to; i++) {
        struct item_order *item = group->items[i];
        if (!item || !item->acquired[region])
            continue;
        join_into(barrier->order, into, item->acquired[region]);
        set(barrier->order, &item->acquired[region], NULL);
    }
}

static void share_in_group(const struct barrier *barrier, int region)
{
    struct order *order = barrier->order;
    struct group_order *group = barrier->group;
    CHECKED(barrier->count == 1 && group->base[region] < order->clock);
    join_members(barrier, barrier->arrivals, region, &group->acquired[region]);
    for (uint32_t s = 0; group->sub_groups && s < order->sub_group_count; s++) {
        join_into(order, &group->acquired[region], group->sub_groups[s].acquired[region]);
        set(order, &group->sub_groups[s].acquired[region], NULL);
    }
    group->base[region] = order->clock;
}

static struct sub_group_order *sub_group_of(const struct barrier *barrier, uint32_t at)
{
    const uint32_t number = barrier->arrivals[at].from / barrier->order->sub_group_size;
    CHECKED(number < barrier->order->sub_group_count);
    return &barrier->group->sub_groups[number];
}

static void share_in_sub_groups(const struct barrier *barrier, int region)
{
    struct order *order = barrier->order;
    struct vclock *vclock = NULL;
    order->sub_group_keys = true;
    for (uint32_t a = 0; a < barrier->count; a++) {
        struct sub_group_order *sub = sub_group_of(barrier, a);
        join_members(barrier, &barrier->arrivals[a], region, &sub->acquired[region]);
        join_into(order, &vclock, sub->acquired[region]);
        put_into(order, &vclock,
                 sub_group_key(order, barrier->group->number, (uint32_t)(sub - barrier->group->sub_groups)),
                 order->clock);
    }
    for (uint32_t a = 0; a < barrier->count; a++) {
        struct sub_group_order *sub = sub_group_of(barrier, a);
        set(order, &sub->acquired[region], vclock_share(vclock));
        sub->base[region] = order->clock;
    }
    vclock_drop(&order->pool, vclock);
}

/* The members' operations and clocks happen before what all of them do next, and before nothing of other
 * units. Each arrival is of one member, whose state begin_segment made. */
static void share_among_members(const struct barrier *barrier, int region)
{
    struct order *order = barrier->order;
    const uint64_t first = barrier->group->number * order->group_items;
    struct vclock *vclock = NULL;
    struct unit_state member;
    for (uint32_t a = 0; a < barrier->count; a++) {
        CHECKED(barrier->arrivals[a].to == barrier->arrivals[a].from + 1);
        order_unit_state(order, first + barrier->arrivals[a].from, &member);
        struct vclock *own = member.item ? order_publish(order, &member, region, order->clock) : NULL;
        join_into(order, &vclock, own);
        vclock_drop(&order->pool, own);
    }
    for (uint32_t a = 0; a < barrier->count; a++) {
        order_unit_state(order, first + barrier->arrivals[a].from, &member);
        if (member.item)
            join_into(order, &member.item->acquired[region], vclock);
    }
    vclock_drop(&order->pool, vclock);
}

/* ---- barriers --------------------------------------------------------------------------------- */

static bool make_sub_groups(struct order *order, struct group_order *group)
{
    CHECKED(order->sub_group_count > 0);
    if (group->sub_groups)
        return true;
    group->sub_groups = calloc(order->sub_group_count, sizeof *group->sub_groups);
    order->failed |= !group->sub_groups;
    return group->sub_groups != NULL;
}

/* In a region. */
static void share(const struct barrier *barrier, enum sync_op_kind kind, int region)
{
    if (kind == SYNC_OP_BARRIER)
        share_in_group(barrier, region);
    else if (kind == SYNC_OP_PARTIAL_BARRIER)
        share_among_members(barrier, region);
    else
        share_in_sub_groups(barrier, region);
}

static void begin_segments(const struct barrier *barrier, enum sync_op_kind kind)
{
    const uint64_t clock = barrier->order->clock;
    if (kind == SYNC_OP_BARRIER)
        barrier->group->slice = barrier->group->joint = clock;
    else if (kind == SYNC_OP_PARTIAL_BARRIER)
        each_member(barrier, begin_segment);
    else
        for (uint32_t a = 0; a < barrier->count; a++) {
            CHECKED(sub_group_of(barrier, a)->slice < clock);
            sub_group_of(barrier, a)->slice = clock;
        }
    no_unit_done(barrier->group);
}

/* The barrier of these members; op->clock is not set yet. */
static void complete(struct order *order, const struct sync_op *op, const struct arrival *arrivals,
                     uint32_t count)
{
    const enum sync_op_kind kind = (enum sync_op_kind)op->kind;
    const bool of_group = kind == SYNC_OP_BARRIER, partial = kind == SYNC_OP_PARTIAL_BARRIER;
    const enum memory_scope scope = (enum memory_scope)op->scope,
                            own = of_group ? SCOPE_WORK_GROUP : SCOPE_SUB_GROUP;
    const struct barrier barrier = {
        order, order_group(order, op->by), arrivals, count, {scope, true, op->regions, op->site}};
    if (!barrier.group || !(of_group || partial || make_sub_groups(order, barrier.group)))
        return;
    order_handoff_dissolve(order, barrier.group);
    CHECKED(count > 0 && barrier.group->slice <= order->clock);
    order->clock++;
    const bool fence = op->regions && (partial || is_also_fence(scope, own));
    if (fence)
        each_member(&barrier, release_at_entry);
    for (int r = 0; r < ORDER_REGIONS; r++)
        if (op->regions >> r & 1 && RULE(17) && (kind != SYNC_OP_SUB_GROUP_BARRIER || RULE(19)))
            share(&barrier, kind, r);
    begin_segments(&barrier, kind);
    if (!partial)
        barrier.group->barrier =
            (struct barrier_seen){op->site, op->regions, order->clock, kind == SYNC_OP_SUB_GROUP_BARRIER,
                                  kind == SYNC_OP_NAMED_BARRIER};
    if (fence)
        each_member(&barrier, acquire_at_exit);
    struct sync_op done = *op;
    done.clock = order->clock;
    log_op(order, &done);
}

/* ---- arrivals --------------------------------------------------------------------------------- */

static uint32_t first_of(const struct order *order, uint32_t sub_group)
{
    const uint64_t first = (uint64_t)sub_group * order->sub_group_size;
    return (uint32_t)(first < order->group_items ? first : order->group_items);
}

static struct arrival arrival_of(const struct order *order, uint64_t group, uint32_t sub_group)
{
    return (struct arrival){group, first_of(order, sub_group), first_of(order, sub_group + 1)};
}

/* False: out of memory. */
static bool arrive(struct order *order, struct arrival arrival)
{
    CHECKED(arrival.from < arrival.to && arrival.to <= order->group_items);
    if (order->arrival_count == order->arrival_room &&
        !order_grow(order, (void **)&order->arrivals, &order->arrival_room, sizeof *order->arrivals))
        return false;
    order->arrivals[order->arrival_count++] = arrival;
    return true;
}

/* False: it has arrived already, or out of memory. */
static bool sub_group_arrives(struct order *order, uint64_t group, uint32_t sub_group)
{
    const struct arrival arrival = arrival_of(order, group, sub_group);
    for (uint32_t i = order->arrival_count; i-- > 0;)
        if (order->arrivals[i].group == group && order->arrivals[i].from == arrival.from)
            return false;
    return arrive(order, arrival);
}

/* Members of a partial barrier: a bit for each of 64, from op->number on. */
static void members_arrive(struct order *order, const struct sync_op *op)
{
    for (uint64_t rest = op->address; rest; rest &= rest - 1) {
        const uint32_t local = op->number + (uint32_t)__builtin_ctzll(rest);
        CHECKED(local < order->group_items);
        arrive(order, (struct arrival){op->by, local, local + 1});
    }
    log_op(order, op);
}

static void wave_arrives_in_part(struct order *order, const uint64_t *units, const struct sync_event *event,
                                 uint64_t group)
{
    struct sync_op op = {.kind = SYNC_OP_PARTIAL_ARRIVAL, .by = group, .clock = order->clock};
    EACH_LANE_OF(event->mask, lane)
    {
        const uint64_t local = units[lane] % order->group_items;
        CHECKED(order_unit_group(order, units[lane]) == group); /* a wave waits in one work-group */
        if (op.address && local / 64 != op.number / 64) {
            members_arrive(order, &op);
            op.address = 0;
        }
        op.number = (uint32_t)(local / 64 * 64);
        op.address |= UINT64_C(1) << local % 64;
    }
    members_arrive(order, &op);
}

static void wave_arrives(struct order *order, const uint64_t *units, const struct sync_event *event)
{
    struct sync_op op = {.kind = SYNC_OP_NAMED_ARRIVAL, .clock = order->clock};
    EACH_LANE_OF(event->mask, lane)
    {
        op.by = order_unit_group(order, units[lane]);
        op.number = order_unit_sub_group(order, units[lane]);
        if (sub_group_arrives(order, op.by, op.number) && event->kind == SYNC_NAMED_BARRIER)
            log_op(order, &op);
    }
}

/* Sub-groups of several waves, or of several work-groups, may complete their barriers in one event. */
static void complete_each(struct order *order, struct sync_op op)
{
    op.kind = SYNC_OP_SUB_GROUP_BARRIER;
    for (uint32_t i = 0; i < order->arrival_count; i++) {
        op.by = order->arrivals[i].group;
        op.number = order->arrivals[i].from / order->sub_group_size;
        complete(order, &op, &order->arrivals[i], 1);
    }
    order->arrival_count = 0;
}

/* ---- interface -------------------------------------------------------------------------------- */

void order_sync(struct order *order, const struct sync_op *op)
{
    struct arrival members = {op->by, 0, (uint32_t)order->group_items};
    switch ((enum sync_op_kind)op->kind) {
    case SYNC_OP_SUB_GROUP_BARRIER: members = arrival_of(order, op->by, op->number); /* fall through */
    case SYNC_OP_BARRIER: complete(order, op, &members, 1); return;
    case SYNC_OP_NAMED_ARRIVAL: sub_group_arrives(order, op->by, op->number); return;
    case SYNC_OP_PARTIAL_ARRIVAL: members_arrive(order, op); return;
    case SYNC_OP_NAMED_BARRIER:
    case SYNC_OP_PARTIAL_BARRIER:
        complete(order, op, order->arrivals, order->arrival_count);
        order->arrival_count = 0;
        return;
    case SYNC_OP_COPY: order_copy_start(order, op->by, op->number, op->site); return;
    case SYNC_OP_COPY_WAIT: order_copy_wait(order, op->by, op->number); return;
    case SYNC_OP_GROUP_END: order_group_end(order, op->by); return;
    case SYNC_OP_FENCE:
    case SYNC_OP_ATOMIC:
    case SYNC_OP_OVERWRITE:
    case SYNC_OP_FOREIGN_WRITE: CHECKED(false); /* of a unit */
    }
}

void order_barrier(struct order *order, uint64_t group, uint32_t regions, enum memory_scope scope,
                   uint32_t site)
{
    order_sync(order, &(struct sync_op){.kind = SYNC_OP_BARRIER,
                                        .scope = (uint8_t)scope,
                                        .regions = (uint8_t)regions,
                                        .site = site,
                                        .by = group});
}

void order_sync_event(struct order *order, uint64_t group, const uint64_t *units,
                      const struct sync_event *event, uint32_t site)
{
    struct sync_op op = {.kind = event->parted ? SYNC_OP_PARTIAL_BARRIER : SYNC_OP_BARRIER,
                         .scope = (uint8_t)event->scope,
                         .regions = (uint8_t)(RULE(20) ? event->regions : REGION_GLOBAL),
                         .site = site,
                         .by = group};
    switch (event->kind) {
    case SYNC_FENCE: return; /* of a unit */
    case SYNC_COPY: order_copy_arrivals(order, units, event, site); return;
    case SYNC_COPY_WAIT:
        op.kind = SYNC_OP_COPY_WAIT;
        op.number = event->copy;
        break;
    case SYNC_SUB_GROUP_BARRIER:
        wave_arrives(order, units, event);
        if (event->last)
            complete_each(order, op);
        return;
    case SYNC_NAMED_BARRIER:
        wave_arrives(order, units, event);
        op.kind = SYNC_OP_NAMED_BARRIER;
        break;
    case SYNC_COLLECTIVE: /* passes values, and orders nothing */
        if (RULE(20))
            return;
        break;
    case SYNC_WORK_GROUP_BARRIER:
        if (event->parted)
            wave_arrives_in_part(order, units, event, group);
    }
    if (event->last)
        order_sync(order, &op);
}
