/* SPDX-License-Identifier: Apache-2.0 */
/* Relaxed updates by many members of a group at once: what order_atomic would do for one after another. */
#include "order_handoff.h"

#include "sim/memmodel/common/lane_mask.h"

void order_updates_begin(struct order *order, struct group_order *group, const struct atomic_act *act,
                         struct update_run *out_run)
{
    *out_run = (struct update_run){.order = order, .group = group, .act = *act};
}

/* Objects stay in the hand-off for as long as it lasts. NULL: it cannot be there. */
static inline struct handoff_object *relayed_object(struct update_run *run)
{
    if (!run->relayed || run->relayed_address != run->act.address) {
        run->relayed = order_handoff_object(run->order, run->group->handoff, &run->act);
        run->relayed_address = run->act.address;
    }
    return run->relayed;
}

static bool come_relayed(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = relayed_object(run);
    if (!object)
        return false;
    if (run->group->waiting && member_bit(run->group->waiting->reader, local))
        order_handoff_receive(run->order, run->group, local);
    handoff_access(run->order, object, local, &run->act);
    return true;
}

/* By a member of a hand-off that did so before. */
static inline bool update_relayed(struct update_run *run, uint64_t local)
{
    struct handoff_object *object = run->relayed;
    struct waiting *waiting = run->group->waiting;
    if (!run->group->handoff || !object || run->relayed_address != run->act.address ||
        !(object->handoff->acted[local] & object->bit) || !object->variable->store.releases ||
        (waiting && member_bit(waiting->reader, local) &&
         !handoff_receive_again(object->handoff, waiting, local)))
        return false;
    handoff_pass(run->order, object, local, &run->act);
    return true;
}

/* By itself, as any atomic. */
static uint64_t update_alone(struct update_run *run, uint64_t local)
{
    struct unit_state unit_state;
    order_member(run->order, run->group->number, run->group, local, &unit_state);
    order_atomic(run->order, &unit_state, &run->act);
    return order_slice(&unit_state);
}

static __attribute__((noinline)) void update_anew(struct update_run *run, uint64_t local)
{
    if (!run->group->handoff || !come_relayed(run, local))
        update_alone(run, local);
}

void order_update(struct update_run *run, uint64_t local)
{
    if (!update_relayed(run, local))
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

/* As handoff_access by one after another. */
static void updates_relayed(struct update_run *run, struct handoff_object *object,
                            const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes)
{
    const struct handoff *handoff = object->handoff;
    struct latest_store *store = &object->variable->store;
    uint32_t position = object->position;
    uint64_t local = 0;
    EACH_LANE_OF(mask, lane)
    {
        local = lanes->first + lane;
        const uint32_t sent = handoff->sent[local];
        if (handoff->pending[local] < position)
            handoff->pending[local] = position;
        if (__builtin_expect(!(handoff->acted[local] & object->bit) || !store->releases, 0))
            order_handoff_come(run->order, object, local, store, &run->act);
        object->sent[local] = sent;
        position = position < sent ? sent : position;
        if (__builtin_expect(!sent || !store->releases, 0))
            *store =
                (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock, sent};
        lanes->slice[lane] = handoff->slice[local];
    }
    object->position = position;
    *store = (struct latest_store){run->act.site, handoff->first_unit + local, run->order->clock,
                                   handoff->sent[local]};
}

static bool take_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS],
                         struct update_lanes *lanes)
{
    struct group_order *group = run->group;
    struct handoff_object *object = group->handoff ? relayed_object(run) : NULL;
    if (!object)
        return false;
    if (group->waiting && reads_among(group, lanes->first, mask))
        EACH_LANE_OF(mask, lane)
    if (member_bit(group->waiting->reader, lanes->first + lane))
        order_handoff_receive(run->order, group, lanes->first + lane);
    updates_relayed(run, object, mask, lanes);
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
        lanes->slice[lane] = group->handoff && (update_relayed(run, local) || come_relayed(run, local))
                                 ? group->slices[local]
                                 : (uint32_t)update_alone(run, local);
    }
}
