/* SPDX-License-Identifier: Apache-2.0 */
/* Places for a barrier in a loop that a work-group iterates together: between two accesses of one
 * iteration, or of one and the next. */

#include "launch_places.h"

/* Does a barrier fit before the statement that begins the site's line, inside of the site's loop? */
static bool fits_in_iteration(const struct launch *launch, const struct site *site, struct code_place *place)
{
    const struct source_line at = launch_line_at(launch, site, site->line);
    const bool body = at.kind == LINE_BODY && !at.begins;
    const bool end = at.kind == LINE_BETWEEN && at.closes && at.loops;
    const uint32_t line = body || end ? site->line : launch_statement_line(launch, site);
    place->line = line;
    place->braces = body;
    return line && (!launch_line_at(launch, site, line).loops || end);
}

/* The site's rank counted from `since`: a site before it belongs to the next iteration. */
static uint64_t rank_since(const struct site *site, const struct site *since, uint32_t ranks)
{
    return site->rank > since->rank ? site->rank : (uint64_t)site->rank + ranks;
}

/* The innermost loop that contains both, if all work-items of a work-group iterate equally often; else
 * NULL. */
static const struct code_loop *level_loop(const struct code *code, const struct site *a, const struct site *b)
{
    const struct code_loop *loop = NULL;
    for (uint32_t i = 0; code && i < code->loop_count; i++) {
        const struct code_loop *other = &code->loops[i];
        if (launch_loop_holds(other, a) && launch_loop_holds(other, b) &&
            (!loop || other->high - other->low < loop->high - loop->low))
            loop = other;
    }
    return loop && loop->level ? loop : NULL;
}

/* The loop is the innermost one around the site, and each iteration executes the site. */
static bool is_of_iterations(const struct code *code, const struct site *site, const struct code_loop *loop)
{
    return site->rank && site->each_iteration && code->loops + site->loop - 1 == loop;
}

/* A place after the first access, if none before the second was found. */
static bool after_in_iteration(const struct launch *launch, const struct code_loop *loop,
                               const struct site *first, const struct site *second,
                               struct code_place *out_place)
{
    const struct code *code = launch->code;
    const uint32_t line = launch_line_after(launch, first);
    struct launch_position position;
    const bool leaves =
        launch_line_at(launch, first, line + 1).depth < launch_line_at(launch, first, first->line).depth;
    const bool wraps = second->rank <= first->rank;
    *out_place = (struct code_place){.site = launch_site_number(code, first), .line = line};
    if (!line || leaves || launch_may_return(launch, first, second))
        return false;
    if (!is_of_iterations(code, first, loop) || !launch_opens_line(code, first))
        return false;
    if (launch_branches_before(code, first, wraps ? loop->high + 1 : second->rank))
        return false;
    if (!launch_position_in_call(code, second, first->call, &position) || position.file != first->file)
        return true;
    return position.line > line || (wraps && position.line < first->line);
}

/* The latest place, reached by every iteration, that is after the first access and before the second: in
 * the same iteration, or in the next one if the second is earlier in the code. */
static bool place_in_iteration(const struct launch *launch, const struct code_loop *loop,
                               const struct site *first, const struct site *second,
                               struct code_place *out_place)
{
    const struct code *code = launch->code;
    const bool wraps = first->rank > second->rank;
    const struct site *found = NULL;
    *out_place = (struct code_place){.first = 0};
    if (!wraps && launch_before_call(launch, loop, first, second, out_place))
        return true;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool past = site->rank > first->rank, before = site->rank <= second->rank;
        const bool between = wraps ? past || before : past && before;
        struct code_place place = {.site = i, .before = true};
        if (!between || !is_of_iterations(code, site, loop) || !launch_opens_line(code, site))
            continue;
        if (found && rank_since(site, first, loop->high) < rank_since(found, first, loop->high))
            continue;
        if (!fits_in_iteration(launch, site, &place) ||
            (past && !launch_begins_after(code, site, place.line, first)))
            continue;
        found = site;
        *out_place = place;
    }
    return found || after_in_iteration(launch, loop, first, second, out_place);
}

/* For an access and a later one that precedes it in the code: the place that separates one iteration from
 * the next. */
bool launch_next_iteration(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    const struct code_loop *loop = level_loop(launch->code, first, second);
    return loop && first->rank > second->rank && place_in_iteration(launch, loop, first, second, out_place);
}

bool launch_each_iteration(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_places)
{
    const struct site *sides[2] = {launch_site(launch, a), launch_site(launch, b)};
    const struct site *first = sides[sides[0]->rank > sides[1]->rank],
                      *second = sides[sides[0]->rank <= sides[1]->rank];
    const struct code_loop *loop = level_loop(launch->code, first, second);
    return loop && first != second && place_in_iteration(launch, loop, first, second, &out_places[0]) &&
           place_in_iteration(launch, loop, second, first, &out_places[1]);
}

/* Lemma: without a loop around both, layout order is execution order. */
bool launch_precedes(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    if (!code || !first->rank || !second->rank || first->rank >= second->rank)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (launch_loop_holds(&code->loops[i], first) && launch_loop_holds(&code->loops[i], second))
            return false;
    return true;
}

/* In the last iteration the code after the place may not run, nor the place if the loop is left before
 * it. */
bool launch_last_iteration(const struct launch *launch, uint32_t a, const struct code_place *place,
                           uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *at = launch_site(launch, place->site);
    if (!code || !first->rank || !at->each_iteration || !launch_precedes(launch, place->site, b))
        return false;
    return launch_loop_holds(&code->loops[at->loop - 1], first) &&
           launch_post_dominates(code, at->block, first->block) &&
           (place->before ? first->rank < at->rank && launch_begins_after(code, at, place->line, first)
                          : first->rank <= at->rank);
}

bool launch_decides(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    return first->rank && second->rank && first->controls_branch &&
           !launch_post_dominates(launch->code, second->block, first->block);
}

bool launch_spins_on(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    if (!first->rank || first->rank >= second->rank || !first->controls_branch)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (launch_loop_holds(&code->loops[i], first) && !launch_loop_holds(&code->loops[i], second))
            return true;
    return false;
}

static bool is_barrier_of_iterations(const struct site *site, uint32_t loop)
{
    const bool barrier = site->act == ACT_BARRIER && site->of_work_group;
    return barrier && site->rank && site->each_iteration && site->loop == loop + 1;
}

/* The innermost loop around both in which the work-group waits at a barrier in each iteration, so that its
 * work-items iterate equally often; loop_count: none. */
static uint32_t common_loop(const struct code *code, const struct site *a, const struct site *b)
{
    uint32_t best = code->loop_count;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const uint32_t loop = code->sites[i].loop - 1;
        if (!code->sites[i].loop || !is_barrier_of_iterations(&code->sites[i], loop) ||
            !launch_loop_holds(&code->loops[loop], a) || !launch_loop_holds(&code->loops[loop], b))
            continue;
        if (best == code->loop_count || code->loops[loop].low > code->loops[best].low)
            best = loop;
    }
    return best;
}

static bool waits_after(const struct code *code, uint32_t loop, uint32_t rank)
{
    for (uint32_t i = 1; i < code->site_count; i++)
        if (is_barrier_of_iterations(&code->sites[i], loop) && code->sites[i].rank > rank)
            return true;
    return false;
}

/* The loop directly inside of `outer` that contains the site but not `other`; NULL: none. */
static const struct code_loop *inner_loop(const struct code *code, uint32_t outer, const struct site *site,
                                          const struct site *other)
{
    const struct code_loop *inner = site->loop ? &code->loops[site->loop - 1] : NULL;
    while (inner && inner->parent != outer + 1)
        inner = inner->parent ? &code->loops[inner->parent - 1] : NULL;
    return inner && !launch_loop_holds(inner, other) ? inner : NULL;
}

/* A place before an inner loop. Every iteration of the outer loop reaches the head of the inner one. */
static bool place_before_inner_loop(const struct launch *launch, uint32_t outer, const struct site *from,
                                    const struct site *to, struct code_place *place)
{
    const struct code *code = launch->code;
    const struct code_loop *inner = inner_loop(code, outer, to, from);
    struct launch_position position; /* of `from`, or of the call that it is in, in the function of `to` */
    const bool same_function = launch_position_in_call(code, from, to->call, &position) &&
                               position.file == to->file && position.line && from->rank < to->rank;
    const uint32_t line =
        same_function && inner && launch_dominates(code, inner->head, code->loops[outer].tail)
            ? launch_loop_line(launch, position.line, to)
            : 0;
    if (!line || line <= launch_statement_end_of(launch, to, position.line))
        return false;
    place->site = launch_site_number(code, to);
    place->line = line;
    place->before = true;
    return true;
}

bool launch_in_iteration(const struct launch *launch, uint32_t a, uint32_t b, uint32_t since_site,
                         struct code_place *out_place)
{
    static const struct site before_all = {.rank = 0};
    const struct code *code = launch->code;
    const struct site *sides[2] = {launch_site(launch, a), launch_site(launch, b)},
                      *since = launch_site(launch, since_site), *found = NULL;
    const uint32_t loop = code ? common_loop(code, sides[0], sides[1]) : 0;
    if (!code || loop == code->loop_count)
        return false;
    const uint32_t ranks = code->loops[loop].high;
    /* In the first iteration the barrier comes later. */
    if (!launch_loop_holds(&code->loops[loop], since)) {
        if (!waits_after(code, loop, sides[0]->rank > sides[1]->rank ? sides[0]->rank : sides[1]->rank))
            return false;
        since = &before_all;
    } else if (!is_barrier_of_iterations(since, loop)) {
        return false;
    }
    const uint64_t iterations[2] = {rank_since(sides[0], since, ranks), rank_since(sides[1], since, ranks)};
    const int first = iterations[0] < iterations[1] ? 0 : 1;
    *out_place = (struct code_place){.first = first};
    if (place_before_inner_loop(launch, loop, sides[first], sides[!first], out_place) ||
        (sides[first]->rank < sides[!first]->rank &&
         launch_before_call(launch, &code->loops[loop], sides[first], sides[!first], out_place)))
        return true;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const uint64_t rank = rank_since(site, since, ranks);
        const bool between = rank > iterations[first] && rank <= iterations[!first];
        struct code_place place = {.site = i, .before = true, .first = first};
        if (!between || !site->each_iteration || site->loop != loop + 1)
            continue;
        if ((found && rank <= rank_since(found, since, ranks)) || launch_same_line(site, sides[first]))
            continue;
        if (!launch_opens_line(code, site) || !fits_in_iteration(launch, site, &place))
            continue;
        if (site->rank > sides[first]->rank && !launch_begins_after(code, site, place.line, sides[first]))
            continue;
        found = site;
        *out_place = place;
    }
    return found;
}
