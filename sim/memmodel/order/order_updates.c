/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relaxed read-modify-writes by many members of a work-group at once. The result is that of order_atomic for
 * one lane after another; the saving is that the object is found once, and that in a hand-off each update is
 * two maxima of positions (order_handoff.h).
 */
#include "order_handoff.h"

#include "sim/memmodel/common/lane_mask.h"

void order_updates_begin(struct order *order, struct group_order *group, const struct atomic_operation *act,
                         struct update_run *out_run)
{
    *out_run = (struct update_run){.order = order, .group = group, .act = *act};
}

/* The object of the run, looked up again when the address changed: an object stays in a hand-off as long
 * as that lasts. NULL: it cannot be in the hand-off. */
static inline struct handoff_object *run_object(struct update_run *run)
{
    if (!run->object || run->object_address != run->act.address) {
        run->object = order_handoff_object(run->order, run->group->handoff, &run->act);
        run->object_address = run->act.address;
    }
    return run->object;
}

static bool update_first_in_handoff(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = run_object(run);
    if (!object)
        return false;
    if (run->group->waiting && member_bit(run->group->waiting->reader, local))
        order_handoff_deliver(run->order, run->group, local);
    handoff_access(run->order, object, local, &run->act);
    return true;
}

/* By a member of the hand-off that accessed the object before. False: it needs the general way. */
static inline bool update_again_in_handoff(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = run->object;
    struct waiting *waiting = run->group->waiting;
    if (!run->group->handoff || !object || run->object_address != run->act.address)
        return false;
    const bool entered = object->handoff->entered[local] & object->bit,
               reads_together = waiting && member_bit(waiting->reader, local);
    if (!entered || !object->atomic->store.releases ||
        (reads_together && !handoff_deliver_again(object->handoff, waiting, local)))
        return false;
    handoff_access_again(run->order, object, local, &run->act);
    return true;
}

/* The general way: order_atomic. */
static uint64_t update_alone(struct update_run *run, uint64_t local)
{
    struct unit_state unit_state;
    order_member(run->order, run->group->number, run->group, local, &unit_state);
    order_atomic(run->order, &unit_state, &run->act);
    return order_segment(&unit_state);
}

static __attribute__((noinline)) void update_anew(struct update_run *run, uint64_t local)
{
    if (!run->group->handoff || !update_first_in_handoff(run, local))
        update_alone(run, local);
}

void order_update(struct update_run *run, uint64_t local)
{
    if (!update_again_in_handoff(run, local))
        update_anew(run, local);
}

static bool reads_among(const struct group_order *group, uint64_t first, const uint64_t mask[LANE_MASK_WORDS])
{
    uint64_t both = 0;
    for (uint32_t w = 0; first % 64 == 0 && w + first / 64 < LANE_MASK_WORDS; w++)
        both |= group->waiting->reader[first / 64 + w] & mask[w];
    if (first % 64 == 0)
        return both;
    EACH_LANE_OF(mask, lane)
    if (member_bit(group->waiting->reader, first + lane))
        return true;
    return false;
}

/* handoff_access for each lane in turn, with the object's position kept in a local variable. */
static void update_lanes_in_handoff(struct update_run *run, struct handoff_object *object,
                                    const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    const struct handoff *handoff = object->handoff;
    struct latest_store *store = &object->atomic->store;
    uint32_t position = object->position;
    uint64_t local = 0;
    EACH_LANE_OF(mask, lane)
    {
        local = lanes->first + lane;
        const uint32_t released = handoff->released[local];
        if (handoff->buffered[local] < position)
            handoff->buffered[local] = position;
        if (__builtin_expect(!(handoff->entered[local] & object->bit) || !store->releases, 0))
            order_handoff_enter(run->order, object, local, store, &run->act);
        object->released[local] = released;
        position = position < released ? released : position;
        if (__builtin_expect(!released || !store->releases, 0))
            *store = (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock,
                                           released};
        lanes->slice[lane] = handoff->slice[local];
    }
    object->position = position;
    *store = (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock,
                                   handoff->released[local]};
}

static bool take_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS],
                         struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    struct handoff_object *object = group->handoff ? run_object(run) : NULL;
    if (!object)
        return false;
    if (group->waiting && reads_among(group, lanes->first, mask))
        EACH_LANE_OF(mask, lane)
    if (member_bit(group->waiting->reader, lanes->first + lane))
        order_handoff_deliver(run->order, group, lanes->first + lane);
    update_lanes_in_handoff(run, object, mask, lanes);
    return true;
}

void order_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    if (take_updates(run, mask, lanes))
        return;
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t local = lanes->first + lane;
        lanes->slice[lane] =
            group->handoff && (update_again_in_handoff(run, local) || update_first_in_handoff(run, local))
                ? group->slices[local]
                : (uint32_t)update_alone(run, local);
    }
}
