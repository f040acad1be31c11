/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the fix that a pair's finding suggests cover its other races, too? It was replayed for the first race.
 * Each later race is tested by the work-items that it orders; each pair of instructions at the same two
 * places of the source, by the place at which the fix would be inserted for it.
 */
#include "race_fix.h"

#include "orrery/checked.h"
#include "race_why.h"

/* Does the later access belong to the next iteration of a loop? It does if the earlier access is the second
 * in the code and a barrier of the work-group was between. The suggested barrier separates accesses of one
 * iteration only. */
static bool is_of_next_iteration(const struct races *races, const struct race_pair *pair,
                                 const struct race *race, const struct shadow_access *now)
{
    const struct group_order *group = now->unit_state->group;
    const uint32_t first_in_code = pair->counter.site[pair->suggested_fix.place.first];
    const bool barrier = pair->suggested_fix.kind == FIX_BARRIER || pair->suggested_fix.kind == FIX_ITERATION;
    if (!barrier || pair->counter.site[0] == pair->counter.site[1] || !group)
        return false;
    const bool barrier_since =
        group->number == order_unit_group(races->order, race->unit) && race->context->clock < group->joint;
    /* the place, not the instruction: the load and the store of x++ are at one place */
    return barrier_since && !code_same_place(races->host, race->context->site, first_in_code);
}

/* Tests for each later race of the pair whether the suggested fix covers it. */
void race_fix_test(const struct races *races, struct race_pair *pair, const struct race *race,
                   const struct shadow_access *now)
{
    if (is_of_next_iteration(races, pair, race, now))
        pair->not_covered = true;
    if (pair->suggested_fix.kind == FIX_WAIT &&
        order_unit_group(races->order, race->unit) != now->unit_state->place.group)
        pair->not_covered = true;
    if (!pair->not_covered)
        pair->not_covered = !explain_fix_covers(races->launch, races->order->rule, &pair->suggested_fix,
                                                race->unit, now->unit_state->unit);
}

/* Are these two insertions at the same place of the source? */
static bool is_same_insertion(const struct races *races, const struct code_place *a,
                              const struct code_place *b)
{
    return a->before == b->before && a->line == b->line && code_same_place(races->host, a->site, b->site);
}

/* Would something between the two instructions be inserted at the place? */
static bool would_be_inserted(const struct races *races, uint32_t a, uint32_t b,
                              const struct code_place *where)
{
    struct code_place place;
    CHECKED(races->host->between); /* found the place of the fix */
    return races->host->between(races->host->self, a, b, &place) && is_same_insertion(races, &place, where);
}

static bool fix_covers_iterations(const struct races *races, const struct race_pair *pair,
                                  const struct suggested_fix *suggested_fix)
{
    struct code_place places[2];
    return races->host->each_iteration(races->host->self, pair->counter.site[0], pair->counter.site[1],
                                       places) &&
           is_same_insertion(races, &places[0], &suggested_fix->place) &&
           is_same_insertion(races, &places[1], &suggested_fix->next);
}

/* Is the suggested barrier in the loop also between these two sites, in one of the two orders? */
static bool fix_covers_iteration(const struct races *races, const struct race_pair *pair,
                                 const struct suggested_fix *suggested_fix)
{
    const struct checker_host *host = races->host;
    const uint32_t *site = pair->counter.site, *other = pair->like->counter.site;
    struct code_place place;
    for (int swapped = 0; swapped < 2; swapped++) {
        const uint32_t a = site[swapped], b = site[!swapped];
        if (suggested_fix->kind == FIX_ITERATION
                ? host->in_iteration(host->self, a, b, suggested_fix->since, &place)
                : host->next_iteration(host->self, a, b, &place))
            return is_same_insertion(races, &place, &suggested_fix->place);
    }
    return suggested_fix->kind == FIX_NEXT_ITERATION && site[0] == site[1] &&
           (site[0] == other[0] || site[0] == other[1]);
}

/* One site is in the loop and the other after it: does the barrier of the last iteration separate them? */
static bool fix_covers_last_iteration(const struct races *races, const struct race_pair *pair,
                                      const struct suggested_fix *suggested_fix)
{
    const uint32_t *site = pair->counter.site;
    return CODE_ASK(races->host, last_iteration, site[0], &suggested_fix->place, site[1]) ||
           CODE_ASK(races->host, last_iteration, site[1], &suggested_fix->place, site[0]);
}

/* Do release and acquire of the fix separate these two sites, too? */
static bool fix_covers_release(const struct races *races, const struct race_pair *pair,
                               const struct suggested_fix *suggested_fix)
{
    const bool releases = suggested_fix->release_site != NO_END,
               acquires = suggested_fix->acquire_site != NO_END;
    const struct code_place *first = &suggested_fix->place,
                            *second = releases ? &suggested_fix->next : &suggested_fix->place;
    return (!releases ||
            would_be_inserted(races, pair->counter.site[0], suggested_fix->release_site, first)) &&
           (!acquires ||
            would_be_inserted(races, suggested_fix->acquire_site, pair->counter.site[1], second));
}

/* Tests a wait for an asynchronous copy on the recorded races of the pair: it orders within a work-group
 * only. */
void race_fix_test_instances(const struct races *races, struct race_pair *pair)
{
    for (uint32_t i = 0; pair->suggested_fix.kind == FIX_WAIT && i < pair->instance_count; i++)
        pair->not_covered |= order_unit_group(races->order, pair->instances[i].first.unit) !=
                             order_unit_group(races->order, pair->instances[i].second.unit);
}

/* Does the fix of the pair's representative cover the pair, too? */
static bool fix_covers_pair(const struct races *races, const struct race_pair *pair)
{
    const struct suggested_fix *suggested_fix = &pair->like->suggested_fix;
    switch (suggested_fix->kind) {
    case FIX_ITERATIONS: return fix_covers_iterations(races, pair, suggested_fix);
    case FIX_RELEASE_CLOCK: return fix_covers_release(races, pair, suggested_fix);
    case FIX_ITERATION:
    case FIX_NEXT_ITERATION:
        return fix_covers_iteration(races, pair, suggested_fix) ||
               fix_covers_last_iteration(races, pair, suggested_fix);
    case FIX_BARRIER:
    case FIX_SPLIT:
        return would_be_inserted(races, pair->counter.site[0], pair->counter.site[1], &suggested_fix->place);
    default: return true;
    }
}

void race_fix_test_pair(const struct races *races, const struct race_pair *pair)
{
    pair->like->not_covered = pair->like->not_covered || !fix_covers_pair(races, pair);
}

bool race_fix_covers_all(struct races *races, const struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    return pair->instance_count <= 1 || explain_covers(&question, &pair->suggested_fix);
}
