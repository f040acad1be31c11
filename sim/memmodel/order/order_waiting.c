/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a group that read one object again and again together, as in a loop until another unit stores:
 * the read is noted once for all of them, and joined into each when it does anything else. */
#include "order_handoff.h"

#include <string.h>

static void give(struct order *order, struct unit_state *unit_state, const struct waiting *waiting)
{
    if (!order_make_item(order, unit_state))
        return;
    struct list_seen *seen = order_seen(unit_state->item, waiting->stream);
    if (seen->version < waiting->version) {
        order_take(order, unit_state, &waiting->list, waiting->stream, seen->version, waiting->act.region);
        seen->version = waiting->version;
    }
    note_relaxed_store(order, unit_state->item, &waiting->store, &waiting->act);
}

static __attribute__((noinline)) void deliver(struct order *order, struct unit_state *unit_state,
                                              uint64_t local)
{
    struct waiting *waiting = unit_state->group->waiting;
    if (unit_state->group->handoff) {
        order_handoff_receive(order, unit_state->group, local);
        return;
    }
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    give(order, unit_state, waiting);
}

void order_deliver(struct order *order, struct unit_state *unit_state)
{
    struct waiting *waiting = unit_state->group && !unit_state->copy ? unit_state->group->waiting : NULL;
    const uint64_t local = unit_state->unit - unit_state->place.group * order->group_items,
                   bit = UINT64_C(1) << local % 64;
    if (!waiting || local >= WAVE_LANES_MAX)
        return;
    waiting->done[local / 64] &= ~bit;
    if (waiting->reader[local / 64] & bit)
        deliver(order, unit_state, local);
}

/* A member that reads no more with the others joins what it read. */
static void part(struct order *order, struct group_order *group, const uint64_t staying[LANE_MASK_WORDS])
{
    struct waiting *waiting = group->waiting;
    for (uint64_t local = 0; local < WAVE_LANES_MAX && local < order->group_items; local++) {
        struct unit_state unit_state;
        if (!member_bit(waiting->reader, local) || member_bit(staying, local))
            continue;
        order_unit_state(order, group->number * order->group_items + local, &unit_state);
        give(order, &unit_state, waiting);
    }
    memset(waiting->reader, 0, sizeof waiting->reader);
    order_list_clear(order, &waiting->list);
}

void order_part_all(struct order *order, struct group_order *group)
{
    static const uint64_t no_unit[LANE_MASK_WORDS];
    if (!group->waiting)
        return;
    part(order, group, no_unit);
    group->waiting->stream = group->waiting->version = 0;
}

/* Reads before remain with the members that read on, as long as the object is of the same generation. */
static void part_from(struct order *order, struct group_order *group, const struct variable *variable,
                      const uint64_t reader[LANE_MASK_WORDS])
{
    const struct waiting *waiting = group->waiting;
    const bool goes_on = waiting->stream == variable->stream;
    uint64_t staying[LANE_MASK_WORDS] = {0}, left = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        staying[w] = goes_on ? reader[w] : 0;
        left |= waiting->reader[w] & ~staying[w];
    }
    if (left)
        part(order, group, staying);
}

/* The reads of waiting members from here on. */
static void look_anew(struct order *order, struct waiting *waiting, const struct variable *variable,
                      uint64_t group)
{
    const bool goes_on = waiting->stream == variable->stream && waiting->list.count;
    if (!goes_on)
        order_list_clear(order, &waiting->list);
    for (uint32_t i = 0; i < variable->release_clocks.count; i++) {
        const struct release_clock *release_clock = &variable->release_clocks.items[i];
        if ((!goes_on || release_clock->version > waiting->version) &&
            is_wanted(&waiting->list, release_clock, group))
            order_list_renew(order, &waiting->list, release_clock, 0);
    }
    waiting->stream = variable->stream;
    waiting->version = variable->version;
    waiting->store = variable->store;
}

bool order_wait(struct order *order, struct group_order *group, const struct atomic_act *act,
                const uint64_t reader[LANE_MASK_WORDS])
{
    return group->handoff ? order_handoff_wait(order, group, act, reader)
                          : order_wait_listed(order, group, act, reader);
}

bool order_wait_listed(struct order *order, struct group_order *group, const struct atomic_act *act,
                       const uint64_t reader[LANE_MASK_WORDS])
{
    struct variable *variable = variable_find(order, act->address);
    struct waiting *waiting = group->waiting;
    if (variable && variable->relayed)
        order_handoff_leave_object(order, variable);
    if (variable && act->region == IN_LOCAL && !order->formal && variable->group != group->number)
        return false;
    if (!variable || variable->size != act->size || !variable->release_clocks.count)
        return true;
    if (waiting->version != variable->version || waiting->act.scope != act->scope ||
        waiting->act.site != act->site) {
        part_from(order, group, variable, reader);
        look_anew(order, waiting, variable, group->number);
        waiting->act = *act;
        memset(waiting->reader, 0, sizeof waiting->reader);
    }
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        waiting->reader[w] |= reader[w];
    fast_path_taken(order->fast_paths, FAST_PATH_TOGETHER);
    return true;
}
