/* SPDX-License-Identifier: Apache-2.0 */
#include "litmus_race.h"

static uint32_t barriers_before(const struct execution *execution, const struct event *event)
{
    uint32_t count = 0;
    for (uint32_t at = event->previous; at; at = execution->events[at - 1].previous)
        count += execution->events[at - 1].step->kind == STEP_BARRIER;
    return count;
}

/* Each event in turn: it reads the latest store of its cell, and its own comes behind all before. */
static void link_stores(struct candidate *candidate)
{
    uint32_t latest[CELLS_MOST] = {0};
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *event = &candidate->event[i];
        if (event->is_read)
            candidate->reads_from[i] = latest[event->cell];
        if (!event->is_write)
            continue;
        for (uint32_t k = 0; k < i; k++)
            if (candidate->event[k].is_write && candidate->event[k].cell == event->cell)
                candidate->modified[k] |= one_event(i);
        latest[event->cell] = i;
    }
}

enum litmus_answer interleaving_races(const struct unfold *unfold, const struct execution *execution, struct candidate *scratch)
{
    candidate_init(scratch, unfold, false);
    for (uint32_t i = 0; i < execution->event_count; i++) {
        const struct event *event = &execution->events[i];
        if (!candidate_add(scratch, event->step, event->read, barriers_before(execution, event)))
            return LITMUS_UNKNOWN;
    }
    candidate_link(scratch);
    link_stores(scratch);
    candidate_consistent(scratch);
    return candidate_races(scratch) ? LITMUS_YES : LITMUS_NO;
}
