/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why and fix of a race, from the best that is known: an edit of an operation in the log that was replayed
 * and orders the two (explain_race), unless one barrier or atomic accesses do more with less; else the reason
 * that race_reason.c finds, with the fix that one of its searches finds; else what follows from a race on a
 * flag, or an access on the wrong side of a release or acquire; else advice.
 */
#include "race_why.h"

#include <string.h>

#include "orrery/checked.h"
#include "race_reason.h"
#include "sim/memmodel/explain/edges.h"

bool race_same_place(const struct races *races, uint32_t a, uint32_t b)
{
    return code_same_place(races->host, a, b);
}

struct racing_access race_question_access(uint64_t unit, const struct access_context *how)
{
    return (struct racing_access){.unit = unit,
                                  .clock = how->clock,
                                  .site = how->site,
                                  .size = how->size,
                                  .atomic = how->kind >= ACCESS_ATOMIC_READ,
                                  .writes = how->kind != ACCESS_READ && how->kind != ACCESS_ATOMIC_READ,
                                  .scope = (enum memory_scope)how->scope};
}

static bool writes_differ(const struct finding *finding)
{
    const struct finding_access *a = &finding->access[0], *b = &finding->access[1];
    const bool both_write = a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE;
    return both_write && a->has_value && b->has_value && a->value != b->value;
}

struct question race_question(const struct races *races, const struct race_pair *pair)
{
    return (struct question){.sync_log = races->order->sync_log,
                             .launch = races->launch,
                             .host = races->host,
                             .rule = races->order->rule,
                             .region = pair->counter.space,
                             .svm_atomics = pair->svm_atomics,
                             .device_dirty = pair->counter.device_dirty,
                             .differs = writes_differ(&pair->finding),
                             .instances = pair->instances,
                             .locks = &races->locks,
                             .instance_count = pair->instance_count,
                             .one_wave = pair->one_wave,
                             .spent = races->explaining,
                             .most = races->answer_most};
}

static void take_proposal(struct answer *answer, const struct proposal *proposal)
{
    answer->fix = proposal->fix;
    answer->rewrite_count = proposal->rewrite_count;
    memcpy(answer->rewrites, proposal->rewrites, sizeof answer->rewrites);
}

static bool fix_by_addition(const struct question *question, struct answer *answer,
                            struct suggested_fix *suggested_fix)
{
    struct proposal proposal;
    const bool found = explain_fix(question, &proposal, suggested_fix);
    if (found)
        take_proposal(answer, &proposal);
    return found;
}

/* A wait for the copy that is the first access, or a barrier before the copy that is the second. */
static bool fix_copy(const struct race_reason *reason, const struct question *question, struct wording *fix,
                     struct suggested_fix *suggested_fix)
{
    const bool found = reason->searches & SEARCH_BARRIER_BEFORE
                           ? explain_barrier_before(question, fix)
                           : reason->searches & SEARCH_WAIT && explain_wait(question, fix);
    suggested_fix->kind = found ? FIX_WAIT : FIX_NONE;
    return found;
}

/* Makes the searches of the reason. */
static bool fix_by_search(struct race_reason *reason, const struct question *question, struct answer *answer,
                          struct suggested_fix *suggested_fix)
{
    struct wording why, *fix = &answer->fix;
    if (reason->searches & SEARCH_RELEASE_CLOCK &&
        explain_release_clock(question, &why, fix, suggested_fix)) {
        answer->why = why;
        reason->fix = *fix;
        reason->searches &= ~(uint32_t)SEARCH_ADDITION;
        return suggested_fix->kind != FIX_NONE;
    }
    if (reason->searches & SEARCH_WIDER_BARRIER &&
        explain_barrier_at(question, reason->narrow_barrier, reason->narrow_regions, fix, suggested_fix))
        return true;
    if (reason->searches & (SEARCH_ADDITION | SEARCH_WIDER_BARRIER))
        return fix_by_addition(question, answer, suggested_fix);
    return reason->searches & SEARCH_IMAGE_FENCE ? explain_image_fence(question, fix)
                                                 : fix_copy(reason, question, fix, suggested_fix);
}

/* Takes the proposal in place of the edits that were tried. */
static void replace_edits(struct answer *answer, const struct wording *why, const struct proposal *proposal)
{
    answer->why = *why;
    take_proposal(answer, proposal);
    answer->tried_edit_count = answer->step_count = answer->edge_count = 0;
}

/* Is the edit one of the atomic access, which is itself an end of the race? In this run it read what the
 * plain access's work-item wrote by an atomic later; in another order it reads the plain store. */
static bool edits_own_access(const struct question *question, const struct answer *answer)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    return answer->tried_edit_count == 1 &&
           answer->tried_edits[0].site == (first->atomic ? first->site : second->site);
}

/* One access is atomic, and the edit orders only some instances of the race, or only this run's order: to
 * separate the two, or to make the other access atomic, too, may serve them all. */
static void prefer_atomics(const struct question *question, struct answer *answer,
                           struct suggested_fix *suggested_fix)
{
    struct proposal proposal;
    struct wording why = {.used = 0};
    if (question->instances->first.atomic == question->instances->second.atomic ||
        (answer->covers_all && !edits_own_access(question, answer)) ||
        !explain_fix(question, &proposal, suggested_fix))
        return;
    wording_add(&why, "one access is atomic, the other is plain, and nothing orders them");
    replace_edits(answer, &why, &proposal);
}

/* Where a sub-group waits and two edits of atomics would order the accesses, one barrier of the work-group is
 * simpler. */
static void prefer_barrier(const struct races *races, const struct race *race,
                           const struct shadow_access *now, const struct question *question,
                           struct answer *answer, struct suggested_fix *suggested_fix)
{
    struct race_reason reason;
    struct proposal proposal = {.rewrite_count = 0};
    if (answer->tried_edit_count < 2)
        return;
    race_reason(&reason, races, race, now);
    if (!(reason.searches & SEARCH_WIDER_BARRIER) ||
        !(explain_barrier_at(question, reason.narrow_barrier, reason.narrow_regions, &proposal.fix,
                             suggested_fix) ||
          (explain_fix(question, &proposal, suggested_fix) && suggested_fix->kind == FIX_BARRIER))) {
        suggested_fix->kind = FIX_NONE;
        return;
    }
    replace_edits(answer, &reason.why, &proposal);
}

bool race_controls_branch(const struct races *races, uint32_t site)
{
    const struct checker_host *host = races->host;
    return host->controls_branch && host->controls_branch(host->self, site);
}

/* A barrier makes good for the flag's race, too, and for what others would announce by it. */
bool race_takes_barrier(const struct race_pair *pair)
{
    switch (pair->suggested_fix.kind) {
    case FIX_BARRIER:
    case FIX_ITERATION:
    case FIX_NEXT_ITERATION:
    case FIX_ITERATIONS:
    case FIX_RELEASE_CLOCK: return true;
    default: return false;
    }
}

/* A loop that waits for a value, and the store after it: it takes a lock, and hands nothing over. */
static bool waits_and_writes(const struct races *races, const struct question *question)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    const struct checker_host *host = races->host;
    return first->writes != second->writes && host->spins_on &&
           host->spins_on(host->self, first->writes ? second->site : first->site,
                          first->writes ? first->site : second->site);
}

/* A race on memory that is guarded by a flag that is no atomic object is fixed at the flag. */
static bool follows_from_flag(const struct races *races, struct race_pair *pair,
                              const struct question *question, struct race_reason *reason,
                              struct answer *answer)
{
    struct wording why, fix;
    const bool takes_lock = answer->rewrite_count && waits_and_writes(races, question);
    if (!races->flag_reads.count || pair->counter.device_dirty || takes_lock || race_takes_barrier(pair))
        return false;
    if (!explain_flag(question, &races->flag_reads, &pair->flag, &why, &fix))
        return false;
    pair->follows = true;
    pair->suggested_fix.kind = FIX_NONE;
    answer->rewrite_count = 0;
    answer->why = why;
    answer->fix = fix;
    reason->blamed_count = 0;
    race_reason_blame(reason, pair->flag.store);
    race_reason_blame(reason, pair->flag.load);
    return true;
}

/* OpenCL C 1.x has barrier() only, and no orders and scopes. */
static void word_for_language(const struct races *races, struct answer *answer)
{
    static const char *const newer[] = {"memory_order_", "memory_scope_", "atomic_work_item_fence",
                                        "_explicit"};
    const uint32_t version = races->host->opencl_c ? races->host->opencl_c(races->host->self) : 0;
    bool needs = false;
    if (!version || version >= 200)
        return;
    wording_put(&answer->why, "work_group_barrier", "barrier");
    wording_put(&answer->fix, "work_group_barrier", "barrier");
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        needs |= strstr(answer->fix.bytes, newer[i]) != NULL;
    answer->fix.partial |= needs;
    if (needs)
        wording_add(&answer->fix, ", which needs -cl-std=CL2.0 or later");
}

static void take_side(struct race_pair *pair, struct answer *answer, const struct wording *why,
                      const struct wording *fix)
{
    pair->side_later = false;
    pair->suggested_fix.kind = FIX_NONE;
    answer->rewrite_count = 0;
    answer->why = *why;
    answer->fix = *fix;
}

/* Instead of what is no edit of one kernel; or of atomic accesses, which are enough for all, if it is,
 * too. */
static bool moves_access(struct races *races, struct race_pair *pair, const struct question *question,
                         struct answer *answer)
{
    struct wording why, fix;
    pair->side_later = !explain_side(question, &races->explaining, &pair->side, &why, &fix);
    if (pair->side_later)
        return false;
    if (pair->suggested_fix.kind == FIX_ATOMIC && !explain_side_covers(question, &pair->side)) {
        pair->side.operation = NO_END;
        return false;
    }
    take_side(pair, answer, &why, &fix);
    return true;
}

/* When all has happened that may. */
static bool moves_after_read(struct races *races, struct race_pair *pair, const struct question *question,
                             struct answer *answer)
{
    struct wording why, fix;
    if (pair->suggested_fix.kind == FIX_ATOMIC || pair->counter.space == IN_IMAGE ||
        !explain_early_read(question, &races->explaining, &pair->side, &why, &fix))
        return false;
    take_side(pair, answer, &why, &fix);
    return true;
}

bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    if (!pair->instance_count ||
        !(moves_access(races, pair, &question, answer) || moves_after_read(races, pair, &question, answer)))
        return false;
    word_for_language(races, answer);
    return true;
}

/* The text of the changes that the words propose, if there is one and it compiles. False: there is none. */
static bool edit_changes(struct answer *answer, const struct races *races)
{
    const struct checker_host *host = races->host;
    const struct wording *fix = &answer->fix;
    struct code_rewrite *rewrite = &answer->rewrites[0];
    bool fine = fix->change_count && !fix->partial && host->change && host->builds;
    *rewrite = (struct code_rewrite){.edit_count = 0};
    for (uint32_t i = 0; i < fix->change_count && fine; i++)
        fine = host->change(host->self, &fix->changes[i], rewrite);
    return fine &&
           host->builds(host->self, fix->changes[0].site, rewrite->edits, rewrite->edit_count) == BUILDS;
}

/* All edits are of one file, in which the accesses of an update are, too. */
void race_why_edits(struct answer *answer, const struct races *races, struct finding *finding)
{
    finding->edit_count = 0;
    finding->edits = answer->edits;
    if (report_scenario(races->report)->fixes == FIXES_OFF)
        return; /* nothing was compiled */
    struct source_place place = finding->access[0].place;
    if (!answer->rewrite_count && edit_changes(answer, races)) {
        answer->rewrite_count = 1;
        if (answer->rewrites[0].replaced_line)
            wording_add(&answer->fix, ", moved from %s",
                        AT_LINE(races->host, answer->fix.changes[0].site, answer->rewrites[0].replaced_line));
        races->host->place(races->host->self, answer->fix.changes[0].site, &place);
    }
    for (uint32_t i = 0; i < answer->rewrite_count; i++) {
        for (uint32_t k = 0; k < answer->rewrites[i].edit_count; k++) {
            const struct code_edit *edit = &answer->rewrites[i].edits[k];
            CHECKED(finding->edit_count < sizeof answer->edits / sizeof *answer->edits);
            answer->edits[finding->edit_count++] = (struct finding_edit){
                place.file, edit->line, edit->column, edit->end_line, edit->end_column, edit->text};
        }
    }
}

static void fill_finding(struct answer *answer, const struct races *races, struct race_pair *pair,
                         struct race_reason *reason, struct finding *finding)
{
    word_for_language(races, answer);
    finding->why = answer->why.bytes;
    finding->fix = answer->fix.bytes;
    race_why_edits(answer, races, finding);
    finding->step_count = answer->step_count;
    finding->steps = answer->steps;
    for (uint32_t i = 0; i < answer->step_count; i++) {
        if (answer->steps[i].side > 1)
            race_item(races, answer->step_unit[i], &answer->steps[i].item);
    }
    finding->edge_count = answer->edge_count;
    finding->edges = answer->edges;
    for (uint32_t i = 0; i < answer->tried_edit_count; i++)
        race_reason_blame(reason, answer->tried_edits[i].site);
    finding->blamed_count = reason->blamed_count;
    for (uint32_t i = 0; i < reason->blamed_count; i++)
        races->host->place(races->host->self, reason->blamed[i], &finding->blamed[i]);
    pair->tried_edit_count = answer->tried_edit_count;
    memcpy(pair->tried_edits, answer->tried_edits, sizeof pair->tried_edits);
}

/* The edit is for two of one work-group: others that meet in the same two places may be of two. */
static bool is_of_one_group(const struct question *question)
{
    const struct launch_info *launch = question->launch;
    const uint64_t *count = launch->group_count, first = question->instances->first.unit,
                   second = question->instances->second.unit;
    const bool many_groups = count[0] * count[1] * count[2] > 1,
               by_items = first < UNIT_COPIES && second < UNIT_COPIES;
    return question->region != IN_LOCAL && many_groups && by_items &&
           edges_unit_place(launch, first).group == edges_unit_place(launch, second).group;
}

bool race_why_all(struct answer *answer, struct races *races, struct race_pair *pair, struct finding *finding)
{
    const struct question question = race_question(races, pair);
    struct race_reason reason = {.searches = 0};
    if (pair->instance_count <= 1 || explain_covers(&question, pair->tried_edits, pair->tried_edit_count))
        return false;
    const bool found = explain_race(&question, answer) && answer->covers_all;
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (found)
        fill_finding(answer, races, pair, &reason, finding);
    return found;
}

/* The reason, with the first fix that is found for it: by its searches, by a race on a flag from which this
 * one follows, or by moving an access. Then advice; else the reason's own words. */
static void explain_by_reason(struct races *races, struct race_pair *pair, const struct question *question,
                              struct race_reason *reason, struct answer *answer)
{
    struct finding *finding = &pair->finding;
    answer->why = reason->why;
    if (!pair->instance_count) {
        answer->fix = reason->fix;
        return;
    }
    finding->fix_orders = fix_by_search(reason, question, answer, &pair->suggested_fix);
    finding->fix_orders |= follows_from_flag(races, pair, question, reason, answer);
    const bool general = !finding->fix_orders || pair->suggested_fix.kind == FIX_SPLIT ||
                         pair->suggested_fix.kind == FIX_ATOMIC;
    if (reason->searches & SEARCH_SIDE && !pair->follows && general)
        finding->fix_orders |= moves_access(races, pair, question, answer);
    const bool advises = !finding->fix_orders && reason->searches & SEARCH_ADDITION &&
                         (explain_flag_advice(question, &races->flag_reads, &answer->fix) ||
                          explain_advice(question, &answer->fix));
    if (!finding->fix_orders && !advises)
        answer->fix = reason->fix;
}

void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now)
{
    struct finding *finding = &pair->finding;
    struct race_reason reason = {.searches = 0};
    const struct question question = race_question(races, pair);
    const bool sampled = race->device_dirty && now->sampled;
    *answer = (struct answer){.step_count = 0};
    finding->fix_orders = !sampled && pair->instance_count && explain_race(&question, answer);
    races->explaining = answer->spent > races->explaining ? answer->spent : races->explaining;
    if (finding->fix_orders) {
        prefer_atomics(&question, answer, &pair->suggested_fix);
        prefer_barrier(races, race, now, &question, answer, &pair->suggested_fix);
    } else {
        race_reason(&reason, races, race, now);
        explain_by_reason(races, pair, &question, &reason, answer);
    }
    fill_finding(answer, races, pair, &reason, finding);
    pair->one_group = pair->tried_edit_count && is_of_one_group(&question);
}
