/* SPDX-License-Identifier: Apache-2.0 */
/* Finds iterations that change nothing: a thread's state is compared with its states earlier on the path. */
#include "loop_iteration.h"

#include <string.h>

/* The value that a step read on this path is in its child. */
static bool stored_nothing(const struct step *step, struct reading read)
{
    return step_reads(step) ? step_stored(step, read) == read.value : step->kind == STEP_FENCE;
}

static bool same_state(const struct step *a, const struct step *b, uint32_t frame_size)
{
    return a->site == b->site && step_reads(a) && memcmp(a->frame, b->frame, frame_size) == 0;
}

static void find_spinning(struct step *step, uint32_t frame_size)
{
    struct reading read = step->edge;
    for (struct step *before = step->parent; before && stored_nothing(before, read);
         before = before->parent) {
        step->by_chance |= read.spurious;
        if (same_state(before, step, frame_size)) {
            step->again = before;
            return;
        }
        read = before->edge;
    }
    step->by_chance = false;
}

/* ---- accesses that may race -------------------------------------------------------------------- */

static const struct location *location_of(const struct litmus *test, uint32_t cell)
{
    uint32_t i = 0;
    while (i < test->location_count && cell - test->locations[i].first_cell >= test->locations[i].cells)
        i++;
    return i < test->location_count ? &test->locations[i] : NULL;
}

static bool can_race(const struct litmus *test, const struct step *access)
{
    const struct location *location = location_of(test, access->cell);
    return !access->atomic || !location || litmus_atomics_may_race(test, location, access->thread);
}

static bool releases(const struct step *step, struct reading read)
{
    const bool can = step->kind == STEP_FENCE || (step->atomic && step_writes(step, read));
    switch (step->order) {
    case ORDER_RELEASE:
    case ORDER_ACQ_REL:
    case ORDER_SEQ_CST: return can || step->kind == STEP_BARRIER;
    default: return step->kind == STEP_BARRIER;
    }
}

/* Whatever conflicts with `access` also conflicts with `before`. */
static bool as_wide(const struct step *before, struct reading read_before, const struct step *access,
                    struct reading read)
{
    if (!step_is_access(before) || before->cell != access->cell)
        return false;
    if (step_writes(access, read) && !step_writes(before, read_before))
        return false;
    return !before->atomic || (access->atomic && before->scope == access->scope);
}

/* An earlier access races whenever this one does: no operation between them publishes what the thread
 * did. */
static bool is_covered(const struct step *access, struct reading read)
{
    struct reading read_before = access->edge;
    for (const struct step *before = access->parent; before && !releases(before, read_before);
         before = before->parent) {
        if (as_wide(before, read_before, access, read))
            return true;
        read_before = before->edge;
    }
    return false;
}

/* Some access at these depths, before the step, may race. */
static bool some_may_race(const struct litmus *test, const struct step *step, uint32_t from, uint32_t to)
{
    struct reading read = step->edge;
    for (const struct step *before = step->parent; before && before->depth >= from; before = before->parent) {
        if (before->depth < to && step_is_access(before) && can_race(test, before) &&
            !is_covered(before, read))
            return true;
        read = before->edge;
    }
    return false;
}

/* ---- steps ---------------------------------------------------------------------------------------- */

void iteration_inherit(struct step *step)
{
    const struct step *parent = step->parent;
    step->after_iteration = parent && (parent->after_iteration || parent->may_race);
    step->shared_from = parent ? parent->shared_from : 0;
    step->shared_to = parent ? parent->shared_to : UINT32_MAX;
}

void iteration_find(const struct unfold *unfold, struct step *step, uint32_t frame_size)
{
    find_spinning(step, frame_size);
    if (!step->again || !(step->by_chance || unfold->spinners_stay))
        return;
    uint32_t from = step->again->depth > step->shared_from ? step->again->depth : step->shared_from;
    uint32_t to = step->depth < step->shared_to ? step->depth : step->shared_to;
    if (!some_may_race(unfold->test, step, from, to))
        return;
    step->may_race = true;
    step->shared_from = from;
    step->shared_to = to;
}

/* The step before it on the path without such an iteration. */
static const struct step *without_iteration(const struct step *step)
{
    return step->may_race ? step->again->parent : step->parent;
}

bool iteration_past_bound(const struct unfold *unfold, const struct step *step)
{
    uint32_t visits = 1;
    for (const struct step *before = without_iteration(step); before; before = without_iteration(before))
        visits += before->site == step->site && before->kind == step->kind;
    return visits > unfold->bound;
}
