/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before between two work-items of one launch by way of other launches that are checked. Their launch
 * counts clock values of its own, which its checker queries by: each stands for what all of them had counted
 * at that time.
 */
#include "inter_launch_state.h"
#include "orrery/checked.h"

/* ---- clock values ---------------------------------------------------------------------------------- */

/* The launch reached this clock value when all reached that one. Mostly both go up one by one, or only the
 * launch's does. */
static bool goes_on(struct pace *pace, uint32_t before, uint32_t own, uint32_t all)
{
    const bool one = before == pace->own, steps = own == before + 1 && all == pace->all + (own - pace->own);
    if (steps && (pace->steps || one)) {
        pace->steps = true;
        return true;
    }
    return !pace->steps && all == pace->all;
}

static void keep_pace(struct inter_launch *detector, struct launch_state *state, uint32_t own)
{
    const uint32_t all = (uint32_t)detector->order.clock;
    struct pace *latest = state->pace_count ? &state->paces[state->pace_count - 1] : NULL;
    if (latest && (own == state->own_clock || goes_on(latest, state->own_clock, own, all))) {
        state->own_clock = own;
        return;
    }
    if (!inter_launch_room_for((void **)&state->paces, state->pace_count, &state->pace_room,
                               sizeof *state->paces)) {
        detector->shadow.failed = true;
        return;
    }
    CHECKED(state->pace_count < state->pace_room && (!latest || latest->own <= state->own_clock + 1));
    state->paces[state->pace_count++] = (struct pace){.own = latest ? state->own_clock + 1 : 0, .all = all};
    state->own_clock = own;
}

void inter_launch_received(struct inter_launch *detector, const struct launch_info *launch, uint64_t clock)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = inter_launch_state_of(detector, launch);
    if (state)
        keep_pace(detector, state, (uint32_t)clock);
    pthread_mutex_unlock(&detector->lock);
}

/* A release after that is later than what this gives, one before it is not. */
static uint64_t clock_of(const struct inter_launch *detector, const struct launch_state *state, uint64_t own)
{
    uint32_t from = 0, to = state->pace_count;
    if (own > state->own_clock || !to) /* the next event reaches the common order first */
        return detector->order.clock;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        *(state->paces[middle].own <= own ? &from : &to) = middle;
    }
    const struct pace *pace = &state->paces[from];
    return pace->steps ? pace->all + (own - pace->own) : pace->all;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* The launch has made copies in the same order. */
void inter_launch_note_copies(struct inter_launch *detector)
{
    for (; detector->copies_noted < detector->order.copy_count && !detector->shadow.failed;
         detector->copies_noted++) {
        struct launch_state *state =
            &detector->states[detector->group_launch[detector->order.copies[detector->copies_noted].group]];
        CHECKED((size_t)(state - detector->states) < detector->state_count);
        if (inter_launch_room_for((void **)&state->copies, state->copy_count, &state->copy_room,
                                  sizeof *state->copies))
            state->copies[state->copy_count++] = detector->copies_noted;
        else
            detector->shadow.failed = true;
    }
}

/* UNIT_END: there is none. */
static uint64_t unit_of(const struct inter_launch *detector, const struct launch_state *state, uint64_t own,
                        uint64_t group_items)
{
    if (own < UNIT_COPIES)
        return (inter_launch_order_of(detector, state)->first_group + own / group_items) *
                   detector->order.group_items +
               own % group_items;
    return own - UNIT_COPIES < state->copy_count ? UNIT_COPIES + state->copies[own - UNIT_COPIES] : UNIT_END;
}

void inter_launch_within_fini(struct launch_state *state)
{
    free(state->paces);
    free(state->copies);
    state->paces = NULL;
    state->copies = NULL;
    state->pace_count = state->pace_room = state->copy_count = state->copy_room = 0;
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
            inter_launch_was_reported(detector, &unit_state, earlier, clock));
}

bool inter_launch_orders(struct inter_launch *detector, const struct launch_info *launch,
                         const struct order_query *query)
{
    pthread_mutex_lock(&detector->lock);
    const struct launch_state *state = inter_launch_state_of(detector, launch);
    const bool alone = detector->state_count <= 2 && !detector->host_acquired; /* the host, and the launch */
    /* it may have been released by what was not checked */
    const bool deaf = !launch->alone && (detector->full || inter_launch_lacks_memory(detector));
    const bool saturated =
        state ? !alone && orders(detector, state, query) : deaf && launch->acquires >= SCOPE_DEVICE;
    pthread_mutex_unlock(&detector->lock);
    return saturated;
}
