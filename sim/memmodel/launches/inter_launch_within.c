/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order between two work-items of one launch by way of other launches that are checked. The launch's own
 * checker asks by its own clock values. The order of all launches has others, so for each of the launch's the
 * clock value that the common order had reached then is kept (struct clock_mapping).
 */
#include "inter_launch_state.h"
#include "orrery/checked.h"

/* ---- clock values ---------------------------------------------------------------------------------- */

/* The launch reached `own`. Values between that and its latest one were reached with it. */
static void map_clock(struct inter_launch *detector, struct launch_state *state, uint32_t own)
{
    const uint32_t all = (uint32_t)detector->order.clock, count = state->mappings.count;
    const bool changes = !count || (own > state->own_clock && all != state->mappings.items[count - 1].all);
    const struct clock_mapping mapping = {.own = count ? state->own_clock + 1 : 0, .all = all};
    CHECKED(own >= state->own_clock);
    detector->shadow.failed |= changes && !list_add(&state->mappings, mapping);
    state->own_clock = own;
}

void inter_launch_received(struct inter_launch *detector, const struct launch_info *launch, uint64_t clock)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = inter_launch_state_of(detector, launch);
    if (state)
        map_clock(detector, state, (uint32_t)clock);
    pthread_mutex_unlock(&detector->lock);
}

/* The clock value of the common order that separates releases after the launch's clock value from those
 * before it. */
static uint64_t clock_of(const struct inter_launch *detector, const struct launch_state *state, uint64_t own)
{
    /* the common order receives each event first, so it has not advanced since */
    if (own > state->own_clock || !state->mappings.count)
        return detector->order.clock;
    uint32_t at;
    bisect(state->mappings.count, at, state->mappings.items[at].own > own);
    CHECKED(at > 0); /* the first one begins at 0 */
    return state->mappings.items[at - 1].all;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* The launch's own checker has made its copies in the same order. */
void inter_launch_note_copies(struct inter_launch *detector)
{
    for (; detector->copies_noted < detector->order.copy_count && !detector->shadow.failed;
         detector->copies_noted++) {
        struct launch_state *state =
            &detector->states[detector->group_launch[detector->order.copies[detector->copies_noted].group]];
        CHECKED((size_t)(state - detector->states) < detector->state_count);
        detector->shadow.failed |= !list_add(&state->copies, detector->copies_noted);
    }
}

/* The unit of the common order; UNIT_END: there is none. */
static uint64_t unit_of(const struct inter_launch *detector, const struct launch_state *state, uint64_t own,
                        uint64_t group_items)
{
    if (own < UNIT_COPIES)
        return (first_group(detector, state) + own / group_items) * detector->order.group_items +
               own % group_items;
    return own - UNIT_COPIES < state->copies.count ? UNIT_COPIES + state->copies.items[own - UNIT_COPIES]
                                                   : UNIT_END;
}

void inter_launch_within_fini(struct launch_state *state)
{
    list_fini(&state->mappings);
    list_fini(&state->copies);
}

/* ---- order queries --------------------------------------------------------------------------------- */

static bool orders(struct inter_launch *detector, const struct launch_state *state,
                   const struct order_query *query)
{
    const uint64_t earlier = unit_of(detector, state, query->earlier, query->group_items),
                   clock = clock_of(detector, state, query->clock);
    const uint64_t later = unit_of(detector, state, query->later, query->group_items);
    struct unit_state unit_state;
    if (earlier == UNIT_END || later == UNIT_END)
        return false;
    detector->order.sub_group_size = inter_launch_order_of(detector, state)->sub_group_size;
    order_unit_state(&detector->order, later, &unit_state);
    return (unit_state.group &&
            order_has_epoch(&detector->order, &unit_state, query->space, earlier, clock)) ||
           (query->space == IN_GLOBAL &&
            memory_region(detector->memory, query->address)->flags & REGION_FLAG_SHARED &&
            inter_launch_is_ordered_by_call(detector, &unit_state, earlier, clock));
}

bool inter_launch_orders(struct inter_launch *detector, const struct launch_info *launch,
                         const struct order_query *query)
{
    pthread_mutex_lock(&detector->lock);
    const struct launch_state *state = inter_launch_state_of(detector, launch);
    /* only the host and the launch itself */
    const bool alone = detector->state_count <= 2 && !detector->host_acquired;
    /* a launch that is not checked may have released what this one acquires, so the pair counts as ordered */
    const bool incomplete = !launch->alone && (detector->full || inter_launch_lacks_memory(detector));
    const bool ordered =
        state ? !alone && orders(detector, state, query) : incomplete && launch->acquires >= SCOPE_DEVICE;
    pthread_mutex_unlock(&detector->lock);
    return ordered;
}
