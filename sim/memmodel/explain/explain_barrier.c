/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers, and the places where a kernel may be split in two. Each candidate asks the code for a place
 * between the two accesses, replays the log with a barrier there, and writes the sentence and the change of
 * the code. Also the wait for an asynchronous copy, and the fence between a write and a read of an image.
 */
#include <stdio.h>

#include "orrery/checked.h"
#include "explain_accesses.h"

/* The site of the work-group's latest barrier before the second access; 0: there was none. False: the
 * barrier came between the two accesses. */
static bool last_barrier(const struct question *question, uint32_t *out_site)
{
    const struct sync_log *sync_log = question->sync_log;
    const struct race_instance *instance = question->instances;
    const uint64_t group = unit_group(question, instance->second.unit);
    uint32_t at = instance->end;
    while (at > 0 &&
           !(sync_log->items[at - 1].kind == SYNC_OP_BARRIER && sync_log->items[at - 1].by == group))
        at--;
    *out_site = at ? sync_log->items[at - 1].site : 0;
    return !at || instance->first.clock >= sync_log->items[at - 1].clock;
}

/* Does a barrier at the place order the accesses, and does no work-item hold a lock there? */
static bool barrier_orders(const struct question *question, const struct code_place *place)
{
    return !lock_held_at(question, place) && explain_insert_barrier(question, place);
}

/* For a place on the line of the first access, before a branch that begins on it: the next line would be
 * within the branch. */
static void say_before_branch(const struct question *question, const struct suggested_fix *suggested_fix,
                              struct wording *fix)
{
    const char *flag = wording_region_flag(question->region);
    if (suggested_fix->kind == FIX_SPLIT)
        wording_add(fix, "two kernels, split between the access and the branch at ");
    else if (ASK(question, controls_branch, suggested_fix->place.site))
        wording_add(fix,
                    "read into a variable before the branch, with work_group_barrier(%s) between that and "
                    "the branch, at ",
                    flag);
    else
        wording_add(fix, "work_group_barrier(%s) between the access and the branch at ", flag);
    wording_add(fix, "%s", AT(question->host, suggested_fix->place.site));
}

void explain_say_iterations(const struct question *question, const struct suggested_fix *suggested_fix,
                            struct wording *fix)
{
    wording_add(fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    explain_say_at(question, &suggested_fix->place, fix);
    if (suggested_fix->kind == FIX_ITERATIONS)
        explain_say_and_at(question, &suggested_fix->next, fix);
    wording_add(fix, ", in each iteration of the loop%s",
                suggested_fix->place.braces ? ", which needs braces" : "");
}

static void edit_barrier(const struct question *question, const struct code_place *place,
                         struct code_rewrite *rewrite)
{
    CHECKED(rewrite->edit_count < CODE_EDITS_MOST);
    struct code_edit *edit = &rewrite->edits[rewrite->edit_count++];
    const uint32_t at = place->line ? place->line : code_source(question->host, place->site).line,
                   line = place->before ? at : at + 1;
    *edit = (struct code_edit){.line = line, .column = 1, .end_line = line, .end_column = 1};
    snprintf(edit->text, sizeof edit->text, "%s(%s); ",
             explain_is_opencl_c_1(question->host) ? "barrier" : "work_group_barrier",
             wording_region_flag(question->region));
}

/* A barrier on a line of its own becomes an edit, and is refused if that does not compile. Other barriers
 * are in words. */
static bool barrier_builds(const struct question *question, struct proposal *proposal)
{
    const struct checker_host *host = question->host;
    const struct suggested_fix *suggested = &proposal->suggested;
    struct code_rewrite *rewrite = &proposal->rewrites[0];
    if (!fix_is_barrier(suggested) || !suggested->place.site || suggested->place.branches || !host->builds)
        return true;
    if (suggested->place.braces || suggested->next.braces) {
        char statement[CODE_STATEMENT_CHARS];
        snprintf(statement, sizeof statement, "work_group_barrier(%s)",
                 wording_region_flag(question->region));
        explain_put_at(&suggested->place, statement, &proposal->fix);
        if (suggested->kind == FIX_ITERATIONS)
            explain_put_at(&suggested->next, statement, &proposal->fix);
        return true;
    }
    *rewrite = (struct code_rewrite){.edit_count = 0};
    edit_barrier(question, &suggested->place, rewrite);
    if (suggested->kind == FIX_ITERATIONS)
        edit_barrier(question, &suggested->next, rewrite);
    const enum code_builds builds =
        host->builds(host->self, suggested->place.site, rewrite->edits, rewrite->edit_count);
    proposal->rewrite_count = builds == BUILDS;
    return builds != BUILDS_NOT;
}

/* Global memory is also accessed by other work-groups, which a barrier does not order. */
static bool is_within_groups(const struct question *question)
{
    return accesses_in_one_group(question, question->instances) &&
           (question->region == IN_LOCAL || accesses_all_in_one_group(question));
}

/* A place between the accesses that all of the work-group reach; false: there is none. */
static bool between_accesses(const struct question *question, struct code_place *out_place)
{
    return ASK(question, between, question->instances->first.site, question->instances->second.site,
               out_place);
}

/* A barrier between the two places, or two kernels split there. Of two kernels only the place is in
 * question: all of one launch happens before a later one. */
static bool separate(const struct question *question, struct proposal *proposal)
{
    struct suggested_fix *suggested = &proposal->suggested;
    const bool barrier = is_within_groups(question);
    if ((!barrier && question->region == IN_LOCAL) || !between_accesses(question, &suggested->place) ||
        lock_held_at(question, &suggested->place))
        return false;
    if (barrier && !explain_insert_barrier(question, &suggested->place))
        return false;
    suggested->kind = barrier ? FIX_BARRIER : FIX_SPLIT;
    if (suggested->place.branches) {
        say_before_branch(question, suggested, &proposal->fix);
        return true;
    }
    if (barrier)
        wording_add(&proposal->fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    else
        wording_add(&proposal->fix, "two kernels, split");
    explain_say_at(question, &suggested->place, &proposal->fix);
    return true;
}

/* Accesses of one iteration of a loop, after the same barrier. */
static bool is_in_iteration(const struct question *question, struct suggested_fix *suggested)
{
    const struct race_instance *instance = question->instances;
    return accesses_all_in_one_group(question) && last_barrier(question, &suggested->since) &&
           ASK(question, in_iteration, instance->first.site, instance->second.site, suggested->since,
               &suggested->place) &&
           barrier_orders(question, &suggested->place);
}

/* A loop without a barrier, whose iterations the two work-items execute together, as lanes of one wave. The
 * access that was made later is earlier in the code, so it belongs to a later iteration. */
static bool is_of_next_iteration(const struct question *question, struct suggested_fix *suggested)
{
    const struct race_instance *instance = question->instances;
    return question->one_wave && accesses_in_one_group(question, instance) &&
           ASK(question, next_iteration, instance->first.site, instance->second.site, &suggested->place) &&
           barrier_orders(question, &suggested->place);
}

static bool separate_in_loop(const struct question *question, struct proposal *proposal)
{
    struct suggested_fix *suggested = &proposal->suggested;
    if (question->sync_log->full)
        return false;
    suggested->kind = is_in_iteration(question, suggested)        ? FIX_ITERATION
                      : is_of_next_iteration(question, suggested) ? FIX_NEXT_ITERATION
                                                                  : FIX_NONE;
    if (suggested->kind == FIX_NONE)
        return false;
    explain_say_iterations(question, suggested, &proposal->fix);
    return barrier_builds(question, proposal);
}

/* Either work-item may be an iteration ahead: a barrier after each of the two accesses covers both cases. */
bool explain_barrier_each_iteration(const struct question *question, struct proposal *proposal)
{
    const struct race_instance *instance = question->instances;
    struct suggested_fix *suggested = &proposal->suggested;
    struct code_place places[2];
    if (question->sync_log->full || !accesses_all_in_one_group(question) ||
        !ASK(question, each_iteration, instance->first.site, instance->second.site, places))
        return false;
    if (lock_held_at(question, &places[0]) || lock_held_at(question, &places[1]))
        return false;
    for (int first = 0; first < 2; first++) {
        places[0].first = first;
        if (!explain_insert_barrier(question, &places[0]))
            return false;
    }
    *suggested = (struct suggested_fix){.kind = FIX_ITERATIONS, .place = places[0], .next = places[1]};
    explain_say_iterations(question, suggested, &proposal->fix);
    return barrier_builds(question, proposal);
}

void explain_barrier_say_in_line(const struct question *question, const struct code_order *order,
                                 struct wording *fix)
{
    const bool two = accesses_in_two_statements(question, order);
    wording_add(
        fix,
        two ? "work_group_barrier(%s) between the two statements of "
            : "two statements instead of one, with work_group_barrier(%s) between the two accesses, at ",
        wording_region_flag(question->region));
    wording_add(fix, "%s",
                AT(question->host, order->entwined ? order->statement : question->instances->second.site));
    const struct racing_access *access[2] = {&question->instances->first, &question->instances->second};
    const uint32_t first = access[order->first]->site, second = access[!order->first]->site;
    char statement[CODE_STATEMENT_CHARS];
    snprintf(statement, sizeof statement, "work_group_barrier(%s)", wording_region_flag(question->region));
    if (two)
        wording_statement(fix, statement,
                          &(struct code_change){.site = first,
                                                .other = second,
                                                .place = {.side = FENCE_BETWEEN, .site = first}});
    else
        fix->partial = true;
}

static bool separate_in_line(const struct question *question, struct proposal *proposal)
{
    const struct race_instance *instance = question->instances;
    struct code_order order;
    if (!is_within_groups(question) || !accesses_in_line(question, &order) || !order.parted)
        return false;
    const struct code_place place = {.site = order.first == 0 ? instance->first.site : instance->second.site,
                                     .first = order.first};
    if (!barrier_orders(question, &place))
        return false;
    proposal->suggested = (struct suggested_fix){.kind = FIX_BARRIER, .place = place};
    explain_barrier_say_in_line(question, &order, &proposal->fix);
    return true;
}

bool explain_barrier_separates(const struct question *question, bool update, struct proposal *proposal)
{
    if (!update && separate(question, proposal) && barrier_builds(question, proposal))
        return true;
    *proposal = (struct proposal){.rewrite_count = 0};
    if (!update && separate_in_line(question, proposal)) /* in words, without an edit */
        return true;
    if (separate_in_loop(question, proposal))
        return true;
    *proposal = (struct proposal){.rewrite_count = 0};
    return false;
}

bool explain_wider_barrier(const struct question *question, struct proposal *out_proposal)
{
    const uint32_t site = question->narrow.site, regions = question->narrow.regions | 1u << question->region;
    struct code_place place;
    if (is_by_copy(question->instances) || !between_accesses(question, &place) || !place.before ||
        !code_same_line(question->host, site, place.site) || !explain_insert_barrier(question, &place))
        return false;
    out_proposal->suggested = (struct suggested_fix){.kind = FIX_BARRIER, .place = place};
    wording_add(&out_proposal->fix, "work_group_barrier(%s) at %s", REGIONS(regions),
                AT(question->host, site));
    struct code_change change = {.kind = CHANGE_CALL,
                                 .site = site,
                                 .regions = regions,
                                 .order = NOT_GIVEN,
                                 .failure = NOT_GIVEN,
                                 .scope = NOT_GIVEN,
                                 .text = "work_group_barrier"};
    wording_change(&out_proposal->fix, &change);
    return true;
}

/* Does the code have the first access first, and between the two a place that is before a line? */
static bool is_place_before_second(const struct question *question, struct code_place *out_place)
{
    return between_accesses(question, out_place) && out_place->before && out_place->first == 0;
}

/* Writes the operation and its place. */
static void say_operation(const struct question *question, const struct code_place *place,
                          struct wording *fix)
{
    explain_put_at(place, fix->bytes, fix);
    explain_say_at(question, place, fix);
}

bool explain_barrier_before(const struct question *question, struct proposal *out_proposal)
{
    struct code_place place;
    if (question->instances->first.unit >= UNIT_COPIES || !is_place_before_second(question, &place) ||
        !explain_insert_barrier_before_copy(question, place.site))
        return false;
    out_proposal->suggested.kind = FIX_WAIT;
    wording_add(&out_proposal->fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    say_operation(question, &place, &out_proposal->fix);
    return true;
}

bool explain_image_fence(const struct question *question, struct proposal *out_proposal)
{
    struct code_place place;
    if (!between_accesses(question, &place) || place.branches ||
        !explain_insert_image_fence(question, &place))
        return false;
    out_proposal->suggested.kind = FIX_FENCE;
    wording_add(&out_proposal->fix,
                "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)");
    say_operation(question, &place, &out_proposal->fix);
    return true;
}

bool explain_wait(const struct question *question, struct proposal *out_proposal)
{
    const struct checker_host *host = question->host;
    struct wording *fix = &out_proposal->fix;
    struct code_place place;
    if (!is_place_before_second(question, &place) ||
        strcmp(host->what(host->self, place.site), "wait_group_events") == 0 || /* it waits already */
        !explain_insert_wait(question))
        return false;
    out_proposal->suggested.kind = FIX_WAIT;
    wording_add(fix, "wait_group_events");
    explain_say_at(question, &place, fix);
    struct code_change change = {
        .kind = CHANGE_WAIT, .site = place.site, .other = question->instances->first.site};
    change.place = (struct fence_place){.side = FENCE_BEFORE, .site = place.site, .line = place.line};
    wording_change(fix, &change);
    return true;
}
