/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order by calls that enqueue a kernel or a marker. In fine-grained memory alone, all that happens before the
 * call happens before the command (OpenCL 2.2 API, 3.3.6, host-side and device-side commands, rule (1)). The
 * order has one relation for all global memory, so this relation is kept beside it: a unit after a call has
 * the call's key in its clock, and passes the key on like any other. When the order has nothing between two
 * accesses, the clock that the caller had at each such call is asked.
 */
#include "inter_launch_state.h"

void inter_launch_add_call(struct inter_launch *detector, struct launch_state *state, uint64_t unit,
                           uint32_t number)
{
    if (number != state->calls.count + 1)
        return;
    struct order_clock_snapshot call;
    if (order_clock_snapshot(&detector->order, unit, &call))
        detector->shadow.failed |= !list_add(&state->calls, call);
}

bool inter_launch_is_call(const struct launch_state *caller, uint32_t number)
{
    return number && number <= caller->calls.count;
}

static void add_call(struct inter_launch *detector, struct launch_state *state, uint32_t caller,
                     uint32_t number)
{
    put_into(&detector->order, &state->initial[IN_GLOBAL], call_key(caller, number), 1);
    detector->states[caller].has_unknown_call |= !number;
}

/* The calls of other launches that happen before the call happen before the launch, too. */
static void pass_calls_on(struct inter_launch *detector, struct launch_state *state,
                          const struct order_clock_snapshot *clock_snapshot)
{
    for (uint32_t i = 1; i < detector->state_count; i++)
        for (uint32_t number = !detector->states[i].has_unknown_call;
             number <= detector->states[i].calls.count; number++)
            if (order_clock_snapshot_has_key(&detector->order, clock_snapshot, call_key(i, number)))
                add_call(detector, state, i, number);
}

void inter_launch_order_after_call(struct inter_launch *detector, struct launch_state *state, uint32_t caller,
                                   uint32_t number)
{
    const bool is_call = inter_launch_is_call(&detector->states[caller], number);
    add_call(detector, state, caller, is_call ? number : 0);
    if (is_call)
        pass_calls_on(detector, state, &detector->states[caller].calls.items[number - 1]);
}

bool inter_launch_is_ordered_by_call(const struct inter_launch *detector, const struct unit_state *unit_state,
                                     uint64_t unit, uint64_t clock)
{
    const uint32_t own = detector->group_launch[order_unit_group(&detector->order, unit)];
    for (uint32_t i = 1; i < detector->state_count; i++)
        for (uint32_t number = 1; number <= detector->states[i].calls.count; number++)
            if (order_has_key(&detector->order, unit_state, call_key(i, number)) &&
                order_clock_snapshot_has(&detector->order, &detector->states[i].calls.items[number - 1], unit,
                                         clock))
                return true;
    return detector->states[own].has_unknown_call &&
           order_has_key(&detector->order, unit_state, call_key(own, 0));
}
