/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a work-group that spin together: each reads the same object again and again until another unit
 * stores to it. The reads are recorded once for all of them (struct waiting), with a copy of the object's
 * list. A member receives the list into its fence buffer when it stops reading with the others, or does
 * anything else (order_deliver). Later versions of one list include earlier ones, so what a member read in
 * between need not be kept.
 */
#include "order_handoff.h"

#include <string.h>

static void deliver_to_member(struct order *order, struct unit_state *unit_state,
                              const struct waiting *waiting)
{
    if (!order_make_item(order, unit_state))
        return;
    struct list_progress *progress = order_list_progress(unit_state->item, waiting->list_id);
    if (progress->version < waiting->version) {
        order_buffer_clocks(order, unit_state, &waiting->list, progress->version, waiting->act.region);
        progress->version = waiting->version;
    }
    note_relaxed_store(order, unit_state->item, &waiting->store, &waiting->act);
}

static __attribute__((noinline)) void deliver_own(struct order *order, struct unit_state *unit_state,
                                                  uint64_t local)
{
    struct waiting *waiting = unit_state->group->waiting;
    if (unit_state->group->handoff) {
        order_handoff_deliver(order, unit_state->group, local);
        return;
    }
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    deliver_to_member(order, unit_state, waiting);
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
        deliver_own(order, unit_state, local);
}

/* Delivers to the members that do not stay, and forgets what was read. */
static void deliver_leaving(struct order *order, struct group_order *group,
                            const uint64_t staying[LANE_MASK_WORDS])
{
    struct waiting *waiting = group->waiting;
    for (uint64_t local = 0; local < WAVE_LANES_MAX && local < order->group_items; local++) {
        struct unit_state unit_state;
        if (!member_bit(waiting->reader, local) || member_bit(staying, local))
            continue;
        order_unit_state(order, group->number * order->group_items + local, &unit_state);
        deliver_to_member(order, &unit_state, waiting);
    }
    memset(waiting->reader, 0, sizeof waiting->reader);
    order_list_clear(order, &waiting->list);
}

void order_deliver_all(struct order *order, struct group_order *group)
{
    static const uint64_t no_unit[LANE_MASK_WORDS];
    if (!group->waiting)
        return;
    deliver_leaving(order, group, no_unit);
    group->waiting->list_id = group->waiting->version = 0;
}

/* If the object's list was emptied since, or members stop reading, they receive what was read so far. */
static void deliver_leaving_readers(struct order *order, struct group_order *group,
                                    const struct atomic_object *atomic,
                                    const uint64_t reader[LANE_MASK_WORDS])
{
    const struct waiting *waiting = group->waiting;
    const bool continues = waiting->list_id == atomic->list_id;
    uint64_t staying[LANE_MASK_WORDS] = {0}, left = 0;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        staying[w] = continues ? reader[w] : 0;
        left |= waiting->reader[w] & ~staying[w];
    }
    if (left)
        deliver_leaving(order, group, staying);
}

/* Takes over the object's list as it is now. */
static void read_object(struct order *order, struct waiting *waiting, const struct atomic_object *atomic,
                        uint64_t group)
{
    const bool continues = waiting->list_id == atomic->list_id && waiting->list.count;
    if (!continues)
        order_list_clear(order, &waiting->list);
    for (uint32_t i = 0; i < atomic->release_clocks.count; i++) {
        const struct release_clock *release_clock = &atomic->release_clocks.items[i];
        if ((!continues || release_clock->version > waiting->version) &&
            is_wanted(&waiting->list, release_clock, group))
            order_list_replace(order, &waiting->list, release_clock);
    }
    waiting->list_id = atomic->list_id;
    waiting->version = atomic->version;
    waiting->store = atomic->store;
}

bool order_read_together(struct order *order, struct group_order *group, const struct atomic_operation *act,
                         const uint64_t reader[LANE_MASK_WORDS])
{
    return group->handoff ? order_handoff_wait(order, group, act, reader)
                          : order_wait_listed(order, group, act, reader);
}

bool order_wait_listed(struct order *order, struct group_order *group, const struct atomic_operation *act,
                       const uint64_t reader[LANE_MASK_WORDS])
{
    struct atomic_object *atomic = atomic_object_find(order, act->address);
    struct waiting *waiting = group->waiting;
    if (atomic && atomic->handoff_objects)
        order_handoff_dissolve_object(order, atomic);
    const bool is_local = act->region == IN_LOCAL && !order->formal;
    if (atomic && is_local && atomic->group != group->number)
        return false;
    if (!atomic || atomic->size != act->size || !atomic->release_clocks.count)
        return true;
    if (waiting->version != atomic->version || waiting->act.scope != act->scope ||
        waiting->act.site != act->site) {
        deliver_leaving_readers(order, group, atomic, reader);
        read_object(order, waiting, atomic, group->number);
        waiting->act = *act;
        memset(waiting->reader, 0, sizeof waiting->reader);
    }
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        waiting->reader[w] |= reader[w];
    fast_path_taken(order->fast_paths, FAST_PATH_READ_TOGETHER);
    return true;
}
