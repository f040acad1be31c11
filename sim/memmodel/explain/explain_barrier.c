/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers, and the places where a kernel may be split in two. Each candidate asks the code for a place
 * between the two accesses, replays the log with a barrier there, and writes the sentence and the change of
 * the code. Also the wait for an asynchronous copy, and the fence between a write and a read of an image.
 */
#include <stdio.h>

#include "explain_barrier.h"
#include "orrery/checked.h"
#include "explain_accesses.h"
#include "explain_lock.h"

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
static bool separate(const struct question *question, struct wording *fix,
                     struct suggested_fix *suggested_fix)
{
    const bool barrier = is_within_groups(question);
    if (!between_accesses(question, &suggested_fix->place))
        return false;
    if ((!barrier && question->region == IN_LOCAL) || lock_held_at(question, &suggested_fix->place))
        return false;
    if (barrier && !explain_insert_barrier(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = barrier ? FIX_BARRIER : FIX_SPLIT;
    if (suggested_fix->place.branches) {
        say_before_branch(question, suggested_fix, fix);
        return true;
    }
    if (barrier)
        wording_add(fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    else
        wording_add(fix, "two kernels, split");
    explain_say_at(question, &suggested_fix->place, fix);
    return true;
}

/* A loop without a barrier, whose iterations the two work-items execute together, as lanes of one wave. The
 * access that was made later is earlier in the code, so it belongs to a later iteration. */
static bool separate_next_iteration(const struct question *question, struct wording *fix,
                                    struct suggested_fix *suggested_fix)
{
    const struct race_instance *instance = question->instances;
    const bool together =
        question->one_wave && !question->sync_log->full && accesses_in_one_group(question, instance);
    if (!together ||
        !ASK(question, next_iteration, instance->first.site, instance->second.site, &suggested_fix->place) ||
        !barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_NEXT_ITERATION;
    explain_say_iterations(question, suggested_fix, fix);
    return true;
}

/* Accesses of one iteration of a loop, after the same barrier. */
static bool separate_iterations(const struct question *question, struct wording *fix,
                                struct suggested_fix *suggested_fix)
{
    const struct race_instance *instance = question->instances;
    uint32_t since;
    if (question->sync_log->full || !accesses_all_in_one_group(question) || !last_barrier(question, &since))
        return false;
    if (!ASK(question, in_iteration, instance->first.site, instance->second.site, since,
             &suggested_fix->place) ||
        !barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_ITERATION;
    suggested_fix->since = since;
    explain_say_iterations(question, suggested_fix, fix);
    return true;
}

/* Either work-item may be an iteration ahead: a barrier after each of the two accesses covers both cases. */
bool explain_barrier_each_iteration(const struct question *question, struct wording *fix,
                                    struct suggested_fix *suggested_fix)
{
    const struct race_instance *instance = question->instances;
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
    *suggested_fix = (struct suggested_fix){.kind = FIX_ITERATIONS, .place = places[0], .next = places[1]};
    explain_say_iterations(question, suggested_fix, fix);
    return true;
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

static bool separate_in_line(const struct question *question, struct wording *fix,
                             struct suggested_fix *suggested_fix)
{
    const struct race_instance *instance = question->instances;
    struct code_order order;
    if (!is_within_groups(question) || !accesses_in_line(question, &order) || !order.parted)
        return false;
    suggested_fix->place = (struct code_place){
        .site = order.first == 0 ? instance->first.site : instance->second.site, .first = order.first};
    if (!barrier_orders(question, &suggested_fix->place))
        return false;
    suggested_fix->kind = FIX_BARRIER;
    explain_barrier_say_in_line(question, &order, fix);
    return true;
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
             explain_has_old_atomics(question) ? "barrier" : "work_group_barrier",
             wording_region_flag(question->region));
}

/* A barrier on a line of its own becomes an edit, and is refused if that does not compile. Other barriers
 * are in words. */
bool explain_barrier_builds(const struct question *question, const struct suggested_fix *suggested_fix,
                            struct proposal *proposal)
{
    const struct checker_host *host = question->host;
    const bool lines = suggested_fix->kind == FIX_BARRIER || suggested_fix->kind == FIX_ITERATION ||
                       suggested_fix->kind == FIX_NEXT_ITERATION || suggested_fix->kind == FIX_ITERATIONS;
    struct code_rewrite *rewrite = &proposal->rewrites[0];
    if (!lines || !suggested_fix->place.site || suggested_fix->place.branches || !host->builds)
        return true;
    if (suggested_fix->place.braces || suggested_fix->next.braces) {
        char statement[CODE_STATEMENT_CHARS];
        snprintf(statement, sizeof statement, "work_group_barrier(%s)",
                 wording_region_flag(question->region));
        explain_put_at(&suggested_fix->place, statement, &proposal->fix);
        if (suggested_fix->kind == FIX_ITERATIONS)
            explain_put_at(&suggested_fix->next, statement, &proposal->fix);
        return true;
    }
    *rewrite = (struct code_rewrite){.edit_count = 0};
    edit_barrier(question, &suggested_fix->place, rewrite);
    if (suggested_fix->kind == FIX_ITERATIONS)
        edit_barrier(question, &suggested_fix->next, rewrite);
    const enum code_builds builds =
        host->builds(host->self, suggested_fix->place.site, rewrite->edits, rewrite->edit_count);
    proposal->rewrite_count = builds == BUILDS;
    return builds != BUILDS_NOT;
}

bool explain_barrier_separates(const struct question *question, bool update, struct proposal *proposal,
                               struct suggested_fix *suggested_fix)
{
    struct wording *fix = &proposal->fix;
    if (!update && separate(question, fix, suggested_fix) &&
        explain_barrier_builds(question, suggested_fix, proposal))
        return true;
    *fix = (struct wording){.used = 0};
    if (!update && separate_in_line(question, fix, suggested_fix)) /* in words, without an edit */
        return true;
    if ((separate_iterations(question, fix, suggested_fix) ||
         separate_next_iteration(question, fix, suggested_fix)) &&
        explain_barrier_builds(question, suggested_fix, proposal))
        return true;
    *fix = (struct wording){.used = 0};
    return false;
}

bool explain_barrier_at(const struct question *question, uint32_t site, uint32_t regions,
                        struct wording *out_fix, struct suggested_fix *out_suggested_fix)
{
    const struct race_instance *instance = question->instances;
    const bool copies = is_by_copy(instance);
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    *out_suggested_fix = (struct suggested_fix){.kind = FIX_NONE};
    if (copies || !between_accesses(question, &place) || !place.before ||
        !code_same_line(question->host, site, place.site) || !explain_insert_barrier(question, &place))
        return false;
    *out_suggested_fix = (struct suggested_fix){.kind = FIX_BARRIER, .place = place};
    wording_add(out_fix, "work_group_barrier(%s) at %s", REGIONS(regions | 1u << question->region),
                AT(question->host, site));
    struct code_change change = {.kind = CHANGE_CALL,
                                 .site = site,
                                 .regions = regions | 1u << question->region,
                                 .order = NOT_GIVEN,
                                 .failure = NOT_GIVEN,
                                 .scope = NOT_GIVEN,
                                 .text = "work_group_barrier"};
    wording_change(out_fix, &change);
    return true;
}

/* Does the code have the first access first, and between the two a place that is before a line? */
static bool is_place_before_second(const struct question *question, struct code_place *out_place)
{
    return between_accesses(question, out_place) && out_place->before && out_place->first == 0;
}

bool explain_barrier_before(const struct question *question, struct wording *out_fix)
{
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (question->instances->first.unit >= UNIT_COPIES || !is_place_before_second(question, &place) ||
        !explain_insert_barrier_before_copy(question, place.site))
        return false;
    wording_add(out_fix, "work_group_barrier(%s)", wording_region_flag(question->region));
    explain_put_at(&place, out_fix->bytes, out_fix);
    explain_say_at(question, &place, out_fix);
    return true;
}

bool explain_image_fence(const struct question *question, struct wording *out_fix)
{
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (!between_accesses(question, &place) || place.branches ||
        !explain_insert_image_fence(question, &place))
        return false;
    wording_add(out_fix,
                "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item)");
    explain_put_at(&place, out_fix->bytes, out_fix);
    explain_say_at(question, &place, out_fix);
    return true;
}

bool explain_wait(const struct question *question, struct wording *out_fix)
{
    const struct checker_host *host = question->host;
    const struct race_instance *instance = question->instances;
    struct code_place place;
    *out_fix = (struct wording){.used = 0};
    if (!is_place_before_second(question, &place) ||
        strcmp(host->what(host->self, place.site), "wait_group_events") == 0 || /* it waits already */
        !explain_insert_wait(question))
        return false;
    wording_add(out_fix, "wait_group_events");
    explain_say_at(question, &place, out_fix);
    struct code_change change = {.kind = CHANGE_WAIT, .site = place.site, .other = instance->first.site};
    change.place = (struct fence_place){.side = FENCE_BEFORE, .site = place.site, .line = place.line};
    wording_change(out_fix, &change);
    return true;
}
