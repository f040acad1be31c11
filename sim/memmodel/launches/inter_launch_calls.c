/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order by calls that enqueue a kernel or a marker: of fine-grained memory alone, all that happens before the
 * call (OpenCL 2.2 API, 3.3.6, host-side and device-side commands, rule (1)). It stands beside the order,
 * which all memory has: there a unit after a call has the call's key, a unit that acquires from it receives
 * that key, and the caller's clock is looked up when the order has nothing between two accesses.
 */
#include "inter_launch_state.h"

void cross_take_call(struct cross_launch *cross, struct member *member, uint64_t unit, uint32_t number)
{
    if (number != member->call_count + 1)
        return;
    if (!cross_room_for((void **)&member->calls, member->call_count, &member->call_room,
                        sizeof *member->calls)) {
        cross->shadow.failed = true;
        return;
    }
    member->call_count += order_clock_snapshot(&cross->order, unit, &member->calls[member->call_count]);
}

bool cross_is_call(const struct member *caller, uint32_t number)
{
    return number && number <= caller->call_count;
}

static void add_call(struct cross_launch *cross, struct member *member, uint32_t caller, uint32_t number)
{
    put_into(&cross->order, &member->begun[IN_GLOBAL], call_key(caller, number), 1);
    cross->members[caller].is_called |= !number;
}

/* The calls of others that happen before the caller's. */
static void pass_on(struct cross_launch *cross, struct member *member,
                    const struct order_clock_snapshot *clock_snapshot)
{
    for (uint32_t i = 1; i < cross->member_count; i++)
        for (uint32_t number = !cross->members[i].is_called; number <= cross->members[i].call_count; number++)
            if (order_clock_snapshot_has_key(&cross->order, clock_snapshot, IN_GLOBAL, call_key(i, number)))
                add_call(cross, member, i, number);
}

void cross_order_member(struct cross_launch *cross, struct member *member, uint32_t caller, uint32_t number)
{
    const bool is_call = cross_is_call(&cross->members[caller], number);
    add_call(cross, member, caller, is_call ? number : 0);
    if (is_call)
        pass_on(cross, member, &cross->members[caller].calls[number - 1]);
}

bool cross_was_reported(const struct cross_launch *cross, const struct unit_state *unit_state, uint64_t unit,
                        uint64_t clock)
{
    const uint32_t own = cross->group_launch[order_unit_group(&cross->order, unit)];
    for (uint32_t i = 1; i < cross->member_count; i++)
        for (uint32_t number = 1; number <= cross->members[i].call_count; number++)
            if (order_has_key(&cross->order, unit_state, IN_GLOBAL, call_key(i, number)) &&
                order_clock_snapshot_has(&cross->order, &cross->members[i].calls[number - 1], IN_GLOBAL, unit,
                                         clock))
                return true;
    return cross->members[own].is_called &&
           order_has_key(&cross->order, unit_state, IN_GLOBAL, call_key(own, 0));
}
