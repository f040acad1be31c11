/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports a pair with its texts. A race on what may be a flag is held back, with all that follow, until a
 * race is found that follows from it, or the launch ends: then both name the edit of the flag. Pairs for
 * which a better fix may be found at the end of the launch are held back, too.
 */
#include "race_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "race_why.h"

/* The bytes that both accesses touch, from the address of the race on. The earlier access ends at the next
 * multiple of its size: past that, the same instruction may have touched the bytes in another iteration of a
 * loop. */
static uint64_t common_bytes(const struct race_unreported *unreported)
{
    const uint64_t bytes = unreported->end - unreported->race.address,
                   offset = unreported->race.address - unreported->race.region->low;
    const uint64_t earlier = unreported->context.size - offset % unreported->context.size,
                   later = unreported->now.address + unreported->now.how.size - unreported->race.address;
    const uint64_t least = earlier < later ? earlier : later;
    return bytes < least ? bytes : least;
}

/* A finding with its texts. */
struct reporting {
    struct finding finding;
    struct wording what[2], by[2];
    struct answer answer;
    char object[CHECKER_NAME_CHARS], element[CHECKER_NAME_CHARS];
    struct race_pair *pair;
    struct reporting *next;
};

static void name_element(const struct races *races, const struct race *race, struct finding *finding,
                         struct reporting *reporting)
{
    const struct checker_host *host = races->host;
    if (host->element && !race->region->of_host)
        host->element(host->self, race->address, finding_bytes(finding), reporting->element,
                      sizeof reporting->element);
    finding->element = reporting->element[0] ? reporting->element : NULL;
}

static void prepare(struct races *races, const struct race_event *under_way, struct race_pair *pair,
                    const struct race *race, const struct shadow_access *now, struct reporting *reporting)
{
    struct finding *finding = &pair->finding;
    *reporting = (struct reporting){.pair = pair};
    finding->kind = race_kind(race);
    finding->launch = races->launch->launch;
    finding->kernel = races->launch->kernel;
    finding->access_count = 2;
    finding->has_offset = !race->region->of_host;
    finding->offset_bytes = race->region->of_host ? 0 : race->address - race->region->low;
    finding->common_bytes = common_bytes(&pair->unreported);
    races->host->object(races->host->self, race->address, reporting->object, sizeof reporting->object);
    finding->object = reporting->object[0] ? reporting->object : NULL;
    races_access(races, race->unit, race->context, &finding->access[0], &reporting->what[0],
                 &reporting->by[0]);
    races_access(races, now->unit_state->unit, &now->how, &finding->access[1], &reporting->what[1],
                 &reporting->by[1]);
    name_element(races, race, finding, reporting);
    race_values(races->memory, under_way, !races->accompanied, race, now, pair->unreported.end, finding);
    race_why(&reporting->answer, races, pair, race, now);
    finding->spec = race->device_dirty
                        ? "OpenCL C 3.0, 6.15.15.6 reading and writing to the same image in a kernel"
                        : "OpenCL 2.2 API, 3.3.6 data race";
    finding->known = 1 + report_count(races->report);
    finding->event_number = report_event_number(races->report);
    reporting->finding = *finding;
    pair->object = finding->object ? strdup(finding->object) : NULL;
    finding->object = pair->object;
    finding->why = finding->fix = finding->element = NULL;
    finding->steps = NULL;
    finding->edges = NULL;
    finding->edits = NULL;
    finding->step_count = finding->edge_count = finding->edit_count = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(pair->what[i], sizeof pair->what[i], "%.95s", reporting->what[i].bytes);
        finding->access[i].what = pair->what[i];
        snprintf(pair->by[i], sizeof pair->by[i], "%.119s", reporting->by[i].bytes);
        finding->access[i].by = finding->access[i].by ? pair->by[i] : NULL;
    }
}

enum { HELD_MOST = HOSTILE(32, 2) };

/* At the end of the launch. If the fix was edits for two work-items, others may have raced at the same sites
 * by now: edits for all of these are searched. If the cause was not found, the operation that the later
 * access should have waited for may have executed since. */
static void explain_again(struct races *races, struct reporting *reporting)
{
    struct race_pair *pair = reporting->pair;
    if (pair->edits_later)
        race_why_all(&reporting->answer, races, pair, &reporting->finding);
    pair->edits_later = false;
    if (!pair->side_later)
        return;
    if (race_why_later(&reporting->answer, races, pair)) {
        pair->finding.fix_orders = reporting->finding.fix_orders = true;
        race_why_edits(&reporting->answer, races, &reporting->finding);
    } else {
        race_pair_drop_instances(pair);
    }
    pair->side_later = false;
}

void race_report_held(struct races *races)
{
    for (struct reporting *reporting = races->held, *next; reporting; reporting = next) {
        next = reporting->next;
        explain_again(races, reporting);
        report_add(races->report, &reporting->finding);
        free(reporting);
    }
    races->held = NULL;
    races->held_count = 0;
}

/* The number of the access that may read what the other one stores; 2: neither. An update counts, as of a
 * lock. */
static int load_of(const struct finding_access access[2])
{
    const bool writes[2] = {race_writes(access[0].kind), race_writes(access[1].kind)},
               updates[2] = {access[0].kind == ACCESS_ATOMIC_UPDATE, access[1].kind == ACCESS_ATOMIC_UPDATE};
    if (!writes[0] || !writes[1])
        return writes[0] == writes[1] ? 2 : !writes[1];
    return updates[0] == updates[1] ? 2 : updates[1];
}

/* A load that a branch depends on, and another unit's store. */
static bool may_be_flag(const struct races *races, const struct race_pair *pair)
{
    const struct finding_access *a = &pair->finding.access[0], *b = &pair->finding.access[1];
    const int load = load_of(pair->finding.access);
    const bool words = a->size_bytes == 4 && b->size_bytes == 4 && pair->counter.space != IN_IMAGE;
    const bool by_items = a->has_item && b->has_item;
    const bool any_plain = a->kind < ACCESS_ATOMIC_READ || b->kind < ACCESS_ATOMIC_READ;
    if (!words || !by_items || !any_plain)
        return false;
    if (load == 2 || race_takes_barrier(&pair->suggested_fix))
        return false;
    return CODE_ASK(races->host, controls_branch, pair->counter.site[load]);
}

static bool is_of_flag(const struct race_pair *pair, const struct flag *flag)
{
    return counter_is_of(&pair->counter, flag->store, flag->load, flag->region, false);
}

/* Gives the race on a flag the fix that was found for a race that follows from it: that edit removes both. */
static void suggest_flag_fix(struct races *races, const struct reporting *follower)
{
    const struct flag *flag = &follower->pair->suggested_fix.flag;
    struct reporting *reporting = races->held;
    while (reporting && !is_of_flag(reporting->pair, flag))
        reporting = reporting->next;
    if (!reporting)
        return;
    struct race_pair *pair = reporting->pair;
    struct finding *finding = &reporting->finding;
    struct proposal *proposal = &reporting->answer.proposal;
    proposal->fix = follower->answer.proposal.fix;
    proposal->rewrite_count = 0;
    race_why_edits(&reporting->answer, races, finding);
    pair->finding.fix_orders = finding->fix_orders = true;
    pair->finding.blamed_count = finding->blamed_count = follower->finding.blamed_count;
    memcpy(finding->blamed, follower->finding.blamed, sizeof finding->blamed);
    proposal->suggested = (struct suggested_fix){.kind = FIX_ATOMIC, .scope = flag->scope};
    pair->suggested_fix = proposal->suggested;
    pair->edits_later = false;
    pair->not_covered = false;
    for (uint32_t i = 0; i < pair->instance_count; i++)
        pair->not_covered |=
            !explain_fix_covers(races->launch, races->order->rule, &pair->suggested_fix,
                                pair->instances[i].first.unit, pair->instances[i].second.unit);
}

void race_report_pair(struct races *races, const struct race_event *under_way, struct race_pair *pair,
                      const struct race *race, const struct shadow_access *now)
{
    struct reporting *reporting = malloc(sizeof *reporting);
    if (!reporting) {
        races->failed = true;
        return;
    }
    prepare(races, under_way, pair, race, now, reporting);
    const bool follows = pair->suggested_fix.kind == FIX_FLAG;
    if (follows)
        suggest_flag_fix(races, reporting);
    if (follows || races->held_count == HELD_MOST)
        race_report_held(races);
    pair->maybe_flag = may_be_flag(races, pair);
    const bool searched_later = pair->maybe_flag || pair->side_later || pair->edits_later;
    if (!follows && (races->held || searched_later)) {
        *(races->held ? races->held_end : &races->held) = reporting;
        races->held_end = &reporting->next;
        races->held_count++;
        return;
    }
    pair->side_later = pair->edits_later = false;
    report_add(races->report, &reporting->finding);
    free(reporting);
}
