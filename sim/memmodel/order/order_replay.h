/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The same object again: a relaxed update by a unit that has noted where it found what came of its
 *          fence (order_atomics.c). For order_atomics.c, one by one, and order_updates.c.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_REPLAY_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_REPLAY_H

#include "order_state.h"

/* Of all messages but the one that was added last. */
static inline uint64_t newest_of_others(struct variable *variable)
{
    if (variable->counted == variable->version)
        return variable->others;
    variable->counted = variable->version;
    variable->others = 0;
    for (uint32_t i = 0; i + 1 < variable->release_clocks.count; i++)
        if (variable->release_clocks.items[i].version > variable->others)
            variable->others = variable->release_clocks.items[i].version;
    return variable->others;
}

/* A relaxed update by a unit with one fence: what load() and store() would do, at the places noted. False:
 * they must, for others than senders like it have added to the list since it looked. */
static inline __attribute__((always_inline)) bool update_again(struct order *order, struct item_order *item,
                                                               struct variable *variable,
                                                               const struct atomic_act *act,
                                                               uint32_t *seen_at)
{
    struct list_seen *seen = &item->seen[*seen_at];
    if (seen->stream != variable->stream) {
        seen = seen_find(item, variable->stream);
        *seen_at = seen ? (uint32_t)(seen - item->seen) : 0;
    }
    if (!seen || !seen->pending || variable->size != act->size || order->wide ||
        newest_of_others(variable) > seen->version)
        return false;
    struct pending *pending = &item->pending[act->region];
    struct live_release *live = &item->live[seen->live - 1];
    if (live->address != variable->address || live->generation != variable->generation)
        return false;
    struct release_clock *latest = &variable->release_clocks.items[variable->release_clocks.count - 1],
                         *fence = &item->fences.items[0];
    if (!sends_like(latest, &live->release_clock) && !same_sender(order, latest, &live->release_clock))
        return false;
    /* what its fence knows need not become pending */
    const bool unreported = !release_holds(fence->release, latest->release);
    if (unreported && latest->version > seen->version) {
        replace_release_clock(order, &pending->list.items[seen->pending - 1], latest);
        set_fresh(pending, seen->pending - 1);
    }
    seen->version = variable->version;
    note_relaxed_store(order, item, &variable->store, act);
    if (!release_is_same(live->release_clock.release, fence->release)) {
        variable->counted = ++order->versions;
        fence->version = variable->version = variable->counted;
        if (unreported)
            join_release_clock(order, latest, fence);
        else
            replace_release_clock(order, latest, fence);
        replace_release_clock(order, &live->release_clock, fence);
    }
    variable->store = (struct latest_store){act->site, item->unit, order->clock, true};
    fast_path_taken(order->fast_paths, FAST_PATH_AGAIN);
    return true;
}

#endif
