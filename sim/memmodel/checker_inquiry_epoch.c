/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moments of work-items in the order of the launch: what an access was made at, and does it happen before
 * what another work-item does now? The order alone is asked, not the shadow: it tells what it would tell any
 * access, and has the same state afterwards, but for what it had put off.
 */
#include "checker_inquiry.h"

static bool has_no_order(const struct checker *checker)
{
    return !checker->races_wanted || !checker->races.launch || checker->order.failed ||
           checker->order.pool.failed;
}

static void find_unit(struct checker *checker, const struct inquiry_act *act, struct unit_state *out_state)
{
    struct order *order = &checker->order;
    struct item item;
    origin_item(act->origin, act->lane, &item);
    const uint64_t unit = act->copy ? order_copy_unit(order, item.group_linear, act->copy)
                                    : item.group_linear * order->group_items + item.local_linear;
    order_unit_state(order, unit, out_state);
    order_deliver(order, out_state);
}

enum inquiry_answer checker_moment(struct checker *checker, const struct inquiry_act *act,
                                   struct inquiry_moment *out_moment)
{
    struct unit_state state;
    if (has_no_order(checker))
        return INQUIRY_UNCHECKED;
    find_unit(checker, act, &state);
    *out_moment = (struct inquiry_moment){state.unit, order_slice(&state)};
    return INQUIRY_ANSWERED;
}

enum inquiry_answer checker_known(struct checker *checker, const struct inquiry_act *act, bool local,
                                  const struct inquiry_moment *moments, uint32_t count, bool *out_known)
{
    struct unit_state state;
    if (has_no_order(checker))
        return INQUIRY_UNCHECKED;
    find_unit(checker, act, &state);
    for (uint32_t i = 0; i < count; i++)
        out_known[i] = order_knows(&checker->order, &state, local ? IN_LOCAL : IN_GLOBAL, moments[i].unit,
                                   moments[i].clock);
    return INQUIRY_ANSWERED;
}
