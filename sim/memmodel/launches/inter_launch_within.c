/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before between two work-items of one launch by way of other launches that are checked. Their launch
 * counts clock values of its own, which its checker queries by: each stands for what all of them had counted
 * at that time.
 */
#include "inter_launch_state.h"

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

static void keep_pace(struct cross_launch *cross, struct member *member, uint32_t own)
{
    const uint32_t all = (uint32_t)cross->order.clock;
    struct pace *latest = member->pace_count ? &member->paces[member->pace_count - 1] : NULL;
    if (latest && (own == member->own_clock || goes_on(latest, member->own_clock, own, all))) {
        member->own_clock = own;
        return;
    }
    if (!cross_room_for((void **)&member->paces, member->pace_count, &member->pace_room,
                        sizeof *member->paces)) {
        cross->shadow.failed = true;
        return;
    }
    member->paces[member->pace_count++] =
        (struct pace){.own = latest ? member->own_clock + 1 : 0, .all = all};
    member->own_clock = own;
}

void cross_launch_received(struct cross_launch *cross, const struct launch_info *launch, uint64_t clock)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = cross_member_of(cross, launch);
    if (member)
        keep_pace(cross, member, (uint32_t)clock);
    pthread_mutex_unlock(&cross->lock);
}

/* A release after that is later than what this gives, one before it is not. */
static uint64_t clock_of(const struct cross_launch *cross, const struct member *member, uint64_t own)
{
    uint32_t from = 0, to = member->pace_count;
    if (own > member->own_clock || !to) /* the next event reaches the common order first */
        return cross->order.clock;
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        *(member->paces[middle].own <= own ? &from : &to) = middle;
    }
    const struct pace *pace = &member->paces[from];
    return pace->steps ? pace->all + (own - pace->own) : pace->all;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* The launch has made copies in the same order. */
void cross_note_copies(struct cross_launch *cross)
{
    for (; cross->copies_noted < cross->order.copy_count && !cross->shadow.failed; cross->copies_noted++) {
        struct member *member =
            &cross->members[cross->group_launch[cross->order.copies[cross->copies_noted].group]];
        if (cross_room_for((void **)&member->copies, member->copy_count, &member->copy_room,
                           sizeof *member->copies))
            member->copies[member->copy_count++] = cross->copies_noted;
        else
            cross->shadow.failed = true;
    }
}

/* UNIT_END: there is none. */
static uint64_t unit_of(const struct cross_launch *cross, const struct member *member, uint64_t own,
                        uint64_t group_items)
{
    if (own < UNIT_COPIES)
        return (cross_order_of(cross, member)->first_group + own / group_items) * cross->order.group_items +
               own % group_items;
    return own - UNIT_COPIES < member->copy_count ? UNIT_COPIES + member->copies[own - UNIT_COPIES]
                                                  : UNIT_END;
}

void cross_within_fini(struct member *member)
{
    free(member->paces);
    free(member->copies);
    member->paces = NULL;
    member->copies = NULL;
    member->pace_count = member->pace_room = member->copy_count = member->copy_room = 0;
}

/* ---- doubts --------------------------------------------------------------------------------- */

static bool knows(struct cross_launch *cross, const struct member *member, const struct doubt *doubt)
{
    const uint64_t earlier = unit_of(cross, member, doubt->earlier, doubt->group_items),
                   clock = clock_of(cross, member, doubt->clock);
    const uint64_t later = unit_of(cross, member, doubt->later, doubt->group_items);
    struct unit_state unit_state;
    if (earlier == UNIT_END || later == UNIT_END)
        return false;
    cross->order.sub_group_size = cross_order_of(cross, member)->sub_group_size;
    order_unit_state(&cross->order, later, &unit_state);
    return (unit_state.group && order_has_epoch(&cross->order, &unit_state, doubt->space, earlier, clock)) ||
           (doubt->space == IN_GLOBAL &&
            memory_region(cross->memory, doubt->address)->flags & REGION_FLAG_SHARED &&
            cross_was_reported(cross, &unit_state, earlier, clock));
}

bool cross_launch_settles(struct cross_launch *cross, const struct launch_info *launch,
                          const struct doubt *doubt)
{
    pthread_mutex_lock(&cross->lock);
    const struct member *member = cross_member_of(cross, launch);
    const bool alone = cross->member_count <= 2 && !cross->host_knows; /* the host, and the launch */
    /* it may have been released by what was not checked */
    const bool deaf = !launch->alone && (cross->full || cross_lost(cross));
    const bool saturated =
        member ? !alone && knows(cross, member, doubt) : deaf && launch->acquires >= SCOPE_DEVICE;
    pthread_mutex_unlock(&cross->lock);
    return saturated;
}
