/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies of work-groups (R37). A copy is a unit of its own. It begins after all that every
 * member of the work-group did before its call, and a wait of the group makes the copy's operations happen
 * before what the members do next. Members may reach a copy one after another: the n-th call of each member
 * is the same copy, and the copy keeps each member's clock at its call.
 */
#include "order_state.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"

void order_members_free(struct order *order, struct copy_order *copy)
{
    for (uint64_t i = 0; copy->members && i < order->group_items; i++) {
        drop_all(order, copy->members[i].sub);
        drop_all(order, copy->members[i].item);
    }
    free(copy->members);
    copy->members = NULL;
}

uint64_t order_copy_unit(const struct order *order, uint64_t group, uint32_t number)
{
    const struct group_order *found = order_group_find(order, group);
    if (found && found->first_member_copy != UNIT_END)
        return found->first_member_copy;
    for (uint32_t i = found ? found->copy_count : 0; i-- > 0;)
        if (order->copies[found->copies[i]].number == number)
            return UNIT_COPIES + found->copies[i];
    return UNIT_END;
}

uint64_t order_copy_start(struct order *order, uint64_t group_number, uint32_t number, uint32_t site)
{
    struct group_order *group = order_group(order, group_number);
    if (!group)
        return UNIT_END;
    order_handoff_dissolve(order, group);
    if (order->copy_count == order->copy_room &&
        !order_grow(order, (void **)&order->copies, &order->copy_room, sizeof *order->copies))
        return UNIT_END;
    uint32_t *open = realloc(group->copies, (group->copy_count + 1) * sizeof *open);
    if (!open) {
        order->failed = true;
        return UNIT_END;
    }
    group->copies = open;
    struct copy_order *copy = &order->copies[order->copy_count];
    CHECKED(!group->handoff && order->copy_count < order->copy_room);
    *copy =
        (struct copy_order){.group = group_number, .number = number, .site = site, .clock = ++order->clock};
    log_op(
        order,
        &(struct sync_op){
            .kind = SYNC_OP_COPY, .site = site, .number = number, .by = group_number, .clock = copy->clock});
    group->copies[group->copy_count++] = order->copy_count;
    group->first_member_copy = UNIT_END;
    return UNIT_COPIES + order->copy_count++;
}

/* The copy of that call, made for the first member that reaches it. NULL: out of memory. */
static struct copy_order *copy_of_call(struct order *order, struct group_order *group, uint32_t call,
                                       uint32_t number, uint32_t site)
{
    for (uint32_t i = 0; i < group->copy_count; i++)
        if (order->copies[group->copies[i]].members && order->copies[group->copies[i]].call == call)
            return &order->copies[group->copies[i]];
    const uint64_t first_member_copy = group->first_member_copy,
                   unit = order_copy_start(order, group->number, number, site);
    group->first_member_copy = first_member_copy;
    struct copy_order *copy = unit == UNIT_END ? NULL : &order->copies[unit - UNIT_COPIES];
    if (!copy)
        return NULL;
    copy->call = call;
    CHECKED(!copy->members && copy->group == group->number);
    copy->absent = order_group_size(order, group->number);
    copy->members = calloc(order->group_items, sizeof *copy->members);
    order->failed |= !copy->members;
    return copy->members ? copy : NULL;
}

/* A new segment begins, so that what the member does next does not happen before the copy. */
static void arrive(struct order *order, struct group_order *group, uint64_t unit, struct copy_member *member)
{
    struct unit_state unit_state;
    order_handoff_dissolve(order, group);
    order_unit_state(order, unit, &unit_state);
    order_deliver(order, &unit_state);
    const struct sub_group_order *sub = order_sub_group_of(&unit_state);
    member->arrived = true;
    group->slice = member->slice = ++order->clock;
    no_unit_done(group);
    if (sub) {
        memcpy(member->sub_base, sub->base, sizeof member->sub_base);
        share_all(member->sub, sub->acquired);
    }
    if (unit_state.item)
        share_all(member->item, unit_state.item->acquired);
}

bool order_clock_snapshot(struct order *order, uint64_t unit, struct order_clock_snapshot *out_clock_snapshot)
{
    struct group_order *group = order_group(order, order_unit_group(order, unit));
    *out_clock_snapshot = (struct order_clock_snapshot){.unit = unit};
    if (!group)
        return false;
    arrive(order, group, unit, &out_clock_snapshot->self);
    out_clock_snapshot->base = group->base[IN_GLOBAL];
    out_clock_snapshot->acquired = vclock_share(group->acquired[IN_GLOBAL]);
    return true;
}

/* A member reaches its next copy by itself. */
static void copy_arrive(struct order *order, uint64_t unit, uint32_t number, uint32_t site)
{
    struct group_order *group = order_group(order, order_unit_group(order, unit));
    const uint64_t local = unit % order->group_items;
    if (group && !group->copy_calls &&
        !(group->copy_calls = calloc(order->group_items, sizeof *group->copy_calls)))
        order->failed = true;
    struct copy_order *copy = group && group->copy_calls
                                  ? copy_of_call(order, group, group->copy_calls[local]++, number, site)
                                  : NULL;
    if (!copy)
        return;
    arrive(order, group, unit, &copy->members[local]);
    CHECKED(copy->absent > 0);
    copy->absent--;
    if (local == 0)
        group->first_member_copy = UNIT_COPIES + (uint64_t)(copy - order->copies);
}

void order_copy_arrivals(struct order *order, const uint64_t *units, const struct sync_event *event,
                         uint32_t site)
{
    const uint64_t group = order_unit_group(order, units[0]);
    uint64_t count = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        count += ones_of(event->mask[w]);
    if (count == order_group_size(order, group)) {
        order_copy_start(order, group, event->copy, site);
        return;
    }
    EACH_LANE_OF(event->mask, lane)
    copy_arrive(order, units[lane], event->copy, site);
}

bool order_copy_complete(const struct order *order, uint64_t unit)
{
    return !order->copies[unit - UNIT_COPIES].absent;
}

void order_copy_note_wait(struct order *order, uint64_t copy, uint64_t unit)
{
    struct copy_order *waited = &order->copies[copy - UNIT_COPIES];
    waited->waits_apart |= waited->members && !waited->members[unit % order->group_items].arrived;
}

/* Work-items that never reach the copy are a finding of their own. For the others it is over after the
 * wait. */
void order_copy_settle(struct order *order, uint64_t copy)
{
    struct copy_order *waited = &order->copies[copy - UNIT_COPIES];
    if (!waited->waits_apart)
        waited->absent = 0;
}

void order_copy_wait(struct order *order, uint64_t group_number, uint32_t number)
{
    struct group_order *group = order_group_find(order, group_number);
    uint32_t kept = 0;
    if (!group || !group->copy_count)
        return;
    order->clock++;
    log_op(order,
           &(struct sync_op){
               .kind = SYNC_OP_COPY_WAIT, .number = number, .by = group_number, .clock = order->clock});
    for (uint32_t i = 0; i < group->copy_count; i++) {
        if (order->copies[group->copies[i]].number != number) {
            group->copies[kept++] = group->copies[i];
            continue;
        }
        for (int r = 0; r < ORDER_REGIONS; r++)
            put_into(order, &group->acquired[r], unit_key(UNIT_COPIES + group->copies[i]), order->clock);
        order_members_free(order, &order->copies[group->copies[i]]);
    }
    group->copy_count = kept;
}
