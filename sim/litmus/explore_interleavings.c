/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every interleaving of a litmus test, depth first, with sleep sets: an order of independent steps is shown
 * once.
 */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "explore.h"
#include "orrery/rule.h"

enum { EVENTS_DEEPEST = 2000 }; /* events of one execution; each costs a copy of the state on the stack */

/* The positions of all threads, small enough to be copied at every choice. */
struct interleaving_state {
    struct step *next[THREADS_MOST];
    uint32_t last[THREADS_MOST]; /* 1 + index of the thread's latest event */
    int32_t cells[CELLS_MOST];
    uint32_t version[CELLS_MOST]; /* the number of changes of each cell */
    uint32_t event_count;
};

struct exploration {
    struct unfold *unfold;
    uint32_t threads;
    execution_visit *visit;
    void *self;
    struct litmus_event *events; /* of the current path */
    uint32_t room;
    enum status status;
    bool stopped;
};

/* ---- one step -------------------------------------------------------------------------------- */

static struct litmus_event *add_event(struct exploration *exploration, struct interleaving_state *state,
                                      struct step *step)
{
    if (state->event_count == exploration->room) {
        uint32_t room = exploration->room ? exploration->room * 2 : 64;
        struct litmus_event *events = realloc(exploration->events, room * sizeof *events);
        if (!events)
            return NULL;
        exploration->events = events;
        exploration->room = room;
    }
    struct litmus_event *event = &exploration->events[state->event_count++];
    CHECKED(step->thread < exploration->threads && state->event_count <= exploration->room);
    *event = (struct litmus_event){.step = step, .previous = state->last[step->thread]};
    state->last[step->thread] = state->event_count;
    return event;
}

static void fail(struct exploration *exploration)
{
    exploration->status =
        exploration->unfold->status != STATUS_OK ? exploration->unfold->status : STATUS_OUT_OF_MEMORY;
}

static void take_step(struct exploration *exploration, struct interleaving_state *state, uint32_t thread,
                      bool spurious)
{
    struct step *step = state->next[thread];
    struct litmus_event *event = add_event(exploration, state, step);
    if (!event) {
        fail(exploration);
        return;
    }
    if (step_is_access(step)) {
        CHECKED(step->cell < CELLS_MOST);
        event->read = (struct reading){step_reads(step) ? state->cells[step->cell] : 0, spurious};
        event->version = state->version[step->cell];
        if (step_writes(step, event->read)) {
            int32_t stored = step_stored(step, event->read);
            state->version[step->cell] += stored != state->cells[step->cell];
            state->cells[step->cell] = stored;
        }
    }
    state->next[thread] = unfold_next(exploration->unfold, step, event->read);
    if (!state->next[thread])
        fail(exploration);
}

/* ---- what needs no choice ------------------------------------------------------------------------ */

/* All threads of the group stand at the barrier of this label. */
static bool group_arrived(const struct exploration *exploration, const struct interleaving_state *state,
                          uint32_t thread)
{
    const uint32_t *group = exploration->unfold->places.group;
    for (uint32_t i = 0; i < exploration->threads; i++)
        if (group[i] == group[thread] &&
            (state->next[i]->kind != STEP_BARRIER || state->next[i]->label != state->next[thread]->label))
            return false;
    return true;
}

static void pass_barrier(struct exploration *exploration, struct interleaving_state *state, uint32_t thread)
{
    const uint32_t *group = exploration->unfold->places.group;
    for (uint32_t i = 0; i < exploration->threads && exploration->status == STATUS_OK; i++)
        if (group[i] == group[thread])
            take_step(exploration, state, i, false);
}

static bool settle_thread(struct exploration *exploration, struct interleaving_state *state, uint32_t thread)
{
    enum step_kind kind = state->next[thread]->kind;
    if (kind == STEP_FENCE)
        take_step(exploration, state, thread, false);
    else if (kind == STEP_BARRIER && group_arrived(exploration, state, thread))
        pass_barrier(exploration, state, thread);
    else
        return false;
    return true;
}

static void settle(struct exploration *exploration, struct interleaving_state *state)
{
    for (uint32_t i = 0; i < exploration->threads && exploration->status == STATUS_OK;)
        i = settle_thread(exploration, state, i) ? 0 : i + 1;
}

/* ---- which threads may continue ---------------------------------------------------------------- */

/* The step would read the same values as the last time the thread was in this state. */
static bool spins(const struct exploration *exploration, const struct interleaving_state *state,
                  uint32_t thread)
{
    const struct step *again = state->next[thread]->again;
    if (!again || state->next[thread]->by_chance)
        return false;
    for (uint32_t at = state->last[thread]; at; at = exploration->events[at - 1].previous) {
        const struct litmus_event *event = &exploration->events[at - 1];
        if (step_is_access(event->step) && state->version[event->step->cell] != event->version && RULE(28))
            return false;
        if (event->step == again)
            break;
    }
    return true;
}

/* Some thread spins only because a compare-exchange failed spuriously, and no access since then may race. */
static bool is_repeated(const struct exploration *exploration, const struct interleaving_state *state)
{
    for (uint32_t i = 0; i < exploration->threads; i++)
        if (state->next[i]->by_chance && !unfold_follows(exploration->unfold, state->next[i]))
            return true;
    return false;
}

static uint32_t enabled_threads(const struct exploration *exploration, const struct interleaving_state *state)
{
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < exploration->threads; i++)
        if (step_is_access(state->next[i]) && !spins(exploration, state, i))
            enabled |= 1u << i;
    return enabled;
}

static bool depends(const struct step *a, const struct step *b)
{
    CHECKED(step_is_access(a) && step_is_access(b));
    return a->cell == b->cell && (a->kind != STEP_READ || b->kind != STEP_READ);
}

static uint32_t still_asleep(const struct interleaving_state *state, uint32_t asleep, uint32_t thread)
{
    for (uint32_t i = 0; i < THREADS_MOST; i++)
        if (asleep >> i & 1 && depends(state->next[i], state->next[thread]))
            asleep &= ~(1u << i);
    return asleep;
}

/* ---- the search ------------------------------------------------------------------------------ */

static enum execution_end end_of(const struct exploration *exploration,
                                 const struct interleaving_state *state)
{
    enum execution_end end = EXECUTION_ENDED;
    for (uint32_t i = 0; i < exploration->threads; i++) {
        if (state->next[i]->kind == STEP_CUT)
            return EXECUTION_CUT;
        if (state->next[i]->kind != STEP_END)
            end = EXECUTION_STUCK;
    }
    return end;
}

static void show(struct exploration *exploration, const struct interleaving_state *state,
                 enum execution_end end)
{
    struct execution execution = {.end = end,
                                  .events = exploration->events,
                                  .event_count = state->event_count,
                                  .cells = state->cells,
                                  .last = state->next};
    exploration->stopped = !unfold_spend(exploration->unfold, state->event_count) ||
                           !exploration->visit(exploration->self, &execution);
}

static void explore(struct exploration *exploration, struct interleaving_state *state, uint32_t asleep);

static void follow(struct exploration *exploration, const struct interleaving_state *state, uint32_t asleep,
                   uint32_t thread, bool spurious)
{
    struct interleaving_state after = *state;
    take_step(exploration, &after, thread, spurious);
    if (exploration->status == STATUS_OK)
        explore(exploration, &after, still_asleep(state, asleep, thread));
}

static bool may_refuse(const struct interleaving_state *state, uint32_t thread)
{
    const struct step *step = state->next[thread];
    return step_may_refuse(step, state->cells[step->cell]);
}

/* asleep: threads whose step here leads to orders that were seen already. */
static void explore(struct exploration *exploration, struct interleaving_state *state, uint32_t asleep)
{
    exploration->stopped |= !unfold_spend(exploration->unfold, 1);
    if (exploration->stopped)
        return;
    settle(exploration, state);
    if (exploration->status != STATUS_OK || is_repeated(exploration, state))
        return;
    uint32_t enabled = enabled_threads(exploration, state);
    enum execution_end end = state->event_count < EVENTS_DEEPEST ? end_of(exploration, state) : EXECUTION_CUT;
    if (!enabled || end == EXECUTION_CUT) {
        show(exploration, state, end);
        return;
    }
    for (uint32_t i = 0;
         i < exploration->threads && exploration->status == STATUS_OK && !exploration->stopped; i++) {
        if (!(enabled & ~asleep & 1u << i))
            continue;
        follow(exploration, state, asleep, i, false);
        if (may_refuse(state, i) && exploration->status == STATUS_OK)
            follow(exploration, state, asleep, i, true);
        asleep |= 1u << i;
    }
}

static bool state_init(struct exploration *exploration, struct interleaving_state *state)
{
    const struct litmus *test = exploration->unfold->test;
    memset(state, 0, sizeof *state);
    for (uint32_t i = 0; i < test->location_count; i++)
        memcpy(&state->cells[test->locations[i].first_cell], test->locations[i].initial,
               test->locations[i].cells * sizeof(int32_t));
    for (uint32_t i = 0; i < exploration->threads; i++)
        if (!(state->next[i] = unfold_first(exploration->unfold, i)))
            return false;
    return true;
}

enum status explore_interleavings(struct unfold *unfold, execution_visit *visit, void *self)
{
    struct exploration exploration = {
        .unfold = unfold, .threads = unfold->test->thread_count, .visit = visit, .self = self};
    struct interleaving_state state;
    if (state_init(&exploration, &state))
        explore(&exploration, &state, 0);
    else
        fail(&exploration);
    free(exploration.events);
    return exploration.status;
}
