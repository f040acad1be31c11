/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relaxed read-modify-writes by many members of a work-group at once. The result is that of order_atomic for
 * one lane after another; the saving is that the object is found once, and that in a hand-off each update is
 * two maxima of positions (order_handoff.h).
 */
#include "order_handoff.h"

#include "sim/memmodel/common/lane_mask.h"

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

static bool update_in_handoff(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = run_object(run);
    if (!object)
        return false;
    if (run->group->waiting && member_bit(run->group->waiting->reader, local))
        order_handoff_deliver(run->order, run->group, local);
    handoff_access(run->order, object, local, &run->act);
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

void order_update(struct update_run *run, uint64_t local)
{
    if (!run->group->handoff || !update_in_handoff(run, local))
        update_alone(run, local);
}

void order_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    EACH_LANE_OF(mask, lane)
    {
        const uint64_t local = lanes->first + lane;
        lanes->slice[lane] = group->handoff && update_in_handoff(run, local)
                                 ? group->slices[local]
                                 : (uint32_t)update_alone(run, local);
    }
}
