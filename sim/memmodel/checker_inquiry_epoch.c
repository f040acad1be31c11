/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Epochs of work-items in the happens-before order of the launch: the epoch of an access, and whether it
 * happens before the next access of another work-item. Only the order is queried, not the shadow memory. Its
 * state stays the same, except that deferred clocks are computed.
 */
#include "checker_inquiry.h"

static bool has_no_order(const struct checker *checker)
{
    return !checker->races_wanted || !checker->races.launch || order_lacks_memory(&checker->order);
}

static void find_unit(struct checker *checker, const struct inquiry_actor *actor,
                      struct unit_state *out_state)
{
    struct order *order = &checker->order;
    uint64_t unit = checker_unit_of(checker, actor->origin, actor->lane);
    if (actor->copy)
        unit = order_copy_unit(order, order_unit_group(order, unit), actor->copy);
    order_unit_state(order, unit, out_state);
    order_deliver(order, out_state);
}

enum inquiry_answer checker_epoch(struct checker *checker, const struct inquiry_actor *actor,
                                  struct inquiry_epoch *out_epoch)
{
    struct unit_state state;
    if (has_no_order(checker))
        return INQUIRY_UNCHECKED;
    find_unit(checker, actor, &state);
    *out_epoch = (struct inquiry_epoch){state.unit, order_segment(&state)};
    return INQUIRY_ANSWERED;
}

enum inquiry_answer checker_before(struct checker *checker, const struct inquiry_actor *actor, bool local,
                                   const struct inquiry_epoch *epochs, uint32_t count, bool *out_before)
{
    struct unit_state state;
    if (has_no_order(checker))
        return INQUIRY_UNCHECKED;
    find_unit(checker, actor, &state);
    for (uint32_t i = 0; i < count; i++)
        out_before[i] = order_happens_before(&checker->order, &state, local ? IN_LOCAL : IN_GLOBAL,
                                             epochs[i].unit, epochs[i].clock);
    return INQUIRY_ANSWERED;
}
