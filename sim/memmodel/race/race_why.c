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

struct racing_access race_question_access(uint64_t unit, const struct access_context *how)
{
    return (struct racing_access){.unit = unit,
                                  .clock = how->clock,
                                  .site = how->site,
                                  .size = how->size,
                                  .atomic = how->kind >= ACCESS_ATOMIC_READ,
                                  .writes = race_writes(how->kind),
                                  .scope = (enum memory_scope)how->scope};
}

static bool writes_differ(const struct finding *finding)
{
    const struct finding_access *a = &finding->access[0], *b = &finding->access[1];
    const bool both_write = a->kind == ACCESS_WRITE && b->kind == ACCESS_WRITE;
    return both_write && a->has_value && b->has_value && a->value != b->value;
}

struct question race_question(struct races *races, const struct race_pair *pair)
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
                             .flag_reads = &races->flag_reads,
                             .instance_count = pair->instance_count,
                             .one_wave = pair->one_wave,
                             .spent = &races->explaining,
                             .most = races->answer_most};
}

/* Takes what the search finds in place of the answer's fix. The reason remains if the search has none. */
static bool take(struct answer *answer, const struct question *question,
                 bool (*search)(const struct question *, struct proposal *))
{
    struct proposal found = {.rewrite_count = 0};
    if (!search(question, &found))
        return false;
    if (!found.why.used)
        found.why = answer->proposal.why;
    answer->proposal = found;
    return true;
}

/* Makes the searches of the reason, up to the first that finds something. */
static bool take_search(struct answer *answer, const struct question *question,
                        const struct race_reason *reason)
{
    static const struct {
        uint32_t of; /* a set of enum race_search */
        bool (*search)(const struct question *, struct proposal *);
    } searches[] = {
        {SEARCH_RELEASE_CLOCK, explain_release_clock},         {SEARCH_WIDER_BARRIER, explain_wider_barrier},
        {SEARCH_ADDITION | SEARCH_WIDER_BARRIER, explain_fix}, {SEARCH_IMAGE_FENCE, explain_image_fence},
        {SEARCH_BARRIER_BEFORE, explain_barrier_before},       {SEARCH_WAIT, explain_wait}};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        if (reason->searches & searches[i].of && take(answer, question, searches[i].search))
            return true;
    return false;
}

/* Takes a proposal in place of the edits that were tried. */
static void replace_edits(struct answer *answer, const struct wording *why, const struct proposal *proposal)
{
    answer->proposal = *proposal;
    answer->proposal.why = *why;
    answer->step_count = answer->edge_count = 0;
}

/* Is the edit one of the atomic access, which is itself an end of the race? In this run it read what the
 * plain access's work-item wrote by an atomic later; in another order it reads the plain store. */
static bool edits_own_access(const struct question *question, const struct suggested_fix *fix)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    return fix->edit_count == 1 && fix->edits[0].site == (first->atomic ? first->site : second->site);
}

/* One access is atomic, and the edit orders only some instances of the race, or only this run's order: to
 * separate the two, or to make the other access atomic, too, may serve them all. */
static void prefer_atomics(const struct question *question, struct answer *answer)
{
    struct proposal proposal = {.rewrite_count = 0};
    struct wording why = {.used = 0};
    if (question->instances->first.atomic == question->instances->second.atomic ||
        (answer->covers_all && !edits_own_access(question, &answer->proposal.suggested)) ||
        !explain_fix(question, &proposal))
        return;
    wording_add(&why, "one access is atomic, the other is plain, and nothing orders them");
    replace_edits(answer, &why, &proposal);
}

/* Where a sub-group waits and two edits of atomics would order the accesses, one barrier of the work-group is
 * simpler. */
static void prefer_barrier(const struct races *races, const struct race *race,
                           const struct shadow_access *now, struct question *question, struct answer *answer)
{
    struct race_reason reason;
    struct proposal wider = {.rewrite_count = 0}, added = {.rewrite_count = 0};
    if (answer->proposal.suggested.edit_count < 2)
        return;
    race_reason(&reason, races, race, now);
    question->narrow = reason.narrow;
    if (!(reason.searches & SEARCH_WIDER_BARRIER))
        return;
    if (explain_wider_barrier(question, &wider))
        replace_edits(answer, &reason.why, &wider);
    else if (explain_fix(question, &added) && added.suggested.kind == FIX_BARRIER)
        replace_edits(answer, &reason.why, &added);
}

/* A barrier makes good for the flag's race, too, and for what others would announce by it. */
bool race_takes_barrier(const struct suggested_fix *fix)
{
    return fix_is_barrier(fix) || fix->kind == FIX_RELEASE_CLOCK;
}

/* A loop that waits for a value, and the store after it: it takes a lock, and hands nothing over. */
static bool waits_and_writes(const struct question *question)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    return first->writes != second->writes &&
           CODE_ASK(question->host, spins_on, first->writes ? second->site : first->site,
                    first->writes ? first->site : second->site);
}

/* A race on memory that is guarded by a flag that is no atomic object is fixed at the flag. */
static bool follows_from_flag(const struct question *question, struct race_reason *reason,
                              struct answer *answer)
{
    const struct proposal *proposal = &answer->proposal;
    const bool takes_lock = proposal->rewrite_count && waits_and_writes(question);
    if (question->device_dirty || takes_lock || race_takes_barrier(&proposal->suggested) ||
        !take(answer, question, explain_flag))
        return false;
    reason->blamed_count = 0;
    race_reason_blame(reason, proposal->suggested.flag.store);
    race_reason_blame(reason, proposal->suggested.flag.load);
    return true;
}

/* OpenCL C 1.x has barrier() only, and no orders and scopes. */
static void word_for_language(const struct races *races, struct answer *answer)
{
    static const char *const newer[] = {"memory_order_", "memory_scope_", "atomic_work_item_fence",
                                        "_explicit"};
    struct wording *fix = &answer->proposal.fix;
    bool needs = false;
    if (!explain_is_opencl_c_1(races->host))
        return;
    wording_put(&answer->proposal.why, "work_group_barrier", "barrier");
    wording_put(fix, "work_group_barrier", "barrier");
    for (size_t i = 0; i < sizeof newer / sizeof newer[0]; i++)
        needs |= strstr(fix->bytes, newer[i]) != NULL;
    fix->partial |= needs;
    if (needs)
        wording_add(fix, ", which needs -cl-std=CL2.0 or later");
}

/* Instead of what is no edit of one kernel; or of atomic accesses, which are enough for all, if it is,
 * too. */
static bool moves_access(struct race_pair *pair, const struct question *question, struct answer *answer)
{
    const struct proposal before = answer->proposal;
    pair->side_later = !take(answer, question, explain_side);
    if (pair->side_later)
        return false;
    if (before.suggested.kind != FIX_ATOMIC || explain_covers(question, &answer->proposal.suggested))
        return true;
    answer->proposal = before;
    return false;
}

/* When all has happened that may. */
static bool moves_after_read(const struct question *question, struct answer *answer)
{
    return answer->proposal.suggested.kind != FIX_ATOMIC && question->region != IN_IMAGE &&
           take(answer, question, explain_early_read);
}

bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair)
{
    const struct question question = race_question(races, pair);
    if (!moves_access(pair, &question, answer) && !moves_after_read(&question, answer))
        return false;
    pair->suggested_fix = answer->proposal.suggested;
    word_for_language(races, answer);
    return true;
}

/* The text of the changes that the words propose, if there is one and it compiles. False: there is none. */
static bool edit_changes(struct answer *answer, const struct races *races)
{
    const struct checker_host *host = races->host;
    const struct wording *fix = &answer->proposal.fix;
    struct code_rewrite *rewrite = &answer->proposal.rewrites[0];
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
    struct proposal *proposal = &answer->proposal;
    if (!proposal->rewrite_count && edit_changes(answer, races)) {
        const uint32_t site = proposal->fix.changes[0].site;
        proposal->rewrite_count = 1;
        if (proposal->rewrites[0].replaced_line)
            wording_add(&proposal->fix, ", moved from %s",
                        AT_LINE(races->host, site, proposal->rewrites[0].replaced_line));
        races->host->place(races->host->self, site, &place);
    }
    for (uint32_t i = 0; i < proposal->rewrite_count; i++) {
        for (uint32_t k = 0; k < proposal->rewrites[i].edit_count; k++) {
            const struct code_edit *edit = &proposal->rewrites[i].edits[k];
            CHECKED(finding->edit_count < sizeof answer->edits / sizeof *answer->edits);
            answer->edits[finding->edit_count++] = (struct finding_edit){
                place.file, edit->line, edit->column, edit->end_line, edit->end_column, edit->text};
        }
    }
}

static void fill_finding(struct answer *answer, const struct races *races, struct race_pair *pair,
                         struct race_reason *reason, struct finding *finding)
{
    const struct suggested_fix *fix = &answer->proposal.suggested;
    word_for_language(races, answer);
    finding->why = answer->proposal.why.bytes;
    finding->fix = answer->proposal.fix.bytes;
    race_why_edits(answer, races, finding);
    finding->step_count = answer->step_count;
    finding->steps = answer->steps;
    for (uint32_t i = 0; i < answer->step_count; i++) {
        if (answer->steps[i].side > 1)
            race_item(races, answer->step_unit[i], &answer->steps[i].item);
    }
    finding->edge_count = answer->edge_count;
    finding->edges = answer->edges;
    for (uint32_t i = 0; i < fix->edit_count; i++)
        race_reason_blame(reason, fix->edits[i].site);
    finding->blamed_count = reason->blamed_count;
    for (uint32_t i = 0; i < reason->blamed_count; i++)
        races->host->place(races->host->self, reason->blamed[i], &finding->blamed[i]);
    pair->suggested_fix = *fix;
}

/* The edits are for two work-items: others that race in the same two places may be of other work-groups, or
 * be at the other end of a chain of updates. A debugger stops at a race between work-groups at once. */
static bool may_need_more(const struct races *races, const struct race_pair *pair,
                          const struct question *question)
{
    const struct launch_info *launch = question->launch;
    const uint64_t *count = launch->group_count, first = question->instances->first.unit,
                   second = question->instances->second.unit;
    const bool many_groups = count[0] * count[1] * count[2] > 1,
               by_items = first < UNIT_COPIES && second < UNIT_COPIES;
    if (pair->suggested_fix.kind != FIX_EDITS || question->region == IN_LOCAL || !many_groups || !by_items)
        return false;
    return !report_scenario(races->report)->debug ||
           edges_unit_place(launch, first).group == edges_unit_place(launch, second).group;
}

void race_why_all(struct answer *answer, struct races *races, struct race_pair *pair, struct finding *finding)
{
    const struct question question = race_question(races, pair);
    struct race_reason reason = {.searches = 0};
    const struct answer before = *answer; /* the finding points into *answer */
    if (pair->instance_count <= 1 || explain_covers(&question, &pair->suggested_fix))
        return;
    if (explain_race(&question, answer) && answer->covers_all)
        fill_finding(answer, races, pair, &reason, finding);
    else
        *answer = before;
}

/* The reason, with the first fix that is found for it: by its searches, by a race on a flag from which this
 * one follows, or by moving an access. Then advice; else the reason's own words. */
static void explain_by_reason(struct race_pair *pair, struct question *question, struct race_reason *reason,
                              struct answer *answer)
{
    struct proposal *proposal = &answer->proposal;
    proposal->why = reason->why;
    proposal->fix = reason->fix;
    question->narrow = reason->narrow;
    const bool found = take_search(answer, question, reason);
    const bool follows = follows_from_flag(question, reason, answer);
    const bool general = proposal->suggested.kind == FIX_NONE || proposal->suggested.kind == FIX_SPLIT ||
                         proposal->suggested.kind == FIX_ATOMIC;
    if (reason->searches & SEARCH_SIDE && !follows && general)
        moves_access(pair, question, answer);
    if (!found && proposal->suggested.kind == FIX_NONE && reason->searches & SEARCH_ADDITION &&
        !take(answer, question, explain_flag_advice))
        take(answer, question, explain_advice);
}

void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now)
{
    struct finding *finding = &pair->finding;
    struct race_reason reason = {.searches = 0};
    struct question question = race_question(races, pair);
    const bool sampled = race->device_dirty && now->sampled;
    *answer = (struct answer){.step_count = 0};
    CHECKED(pair->instance_count > 0); /* the race itself */
    if (!sampled && explain_race(&question, answer)) {
        prefer_atomics(&question, answer);
        prefer_barrier(races, race, now, &question, answer);
    } else {
        race_reason(&reason, races, race, now);
        explain_by_reason(pair, &question, &reason, answer);
    }
    finding->fix_orders = answer->proposal.suggested.kind != FIX_NONE;
    fill_finding(answer, races, pair, &reason, finding);
    pair->edits_later = may_need_more(races, pair, &question);
}
