/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds an interleaving of a litmus test to a race checker, event by event. */
#include "litmus_race.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/device_state.h"
#include "sim/memmodel/checker.h"

struct race_judge {
    const struct unfold *unfold;
    struct scenario scenario; /* with the check for races alone */
    struct report *report;
    struct checker *checker;
    struct observer observer;
    struct launch_info launch; /* gets a new number for each execution */
    uint32_t group_device[THREADS_MOST];
    struct candidate candidate;
};

/* ---- queries of the checker ----------------------------------------------------------------- */

static void host_place(void *self, uint32_t site, struct source_place *out_place)
{
    const struct race_judge *judge = self;
    program_site(judge->unfold->program, site, out_place);
}

static const char *host_what(void *self, uint32_t site)
{
    (void)self;
    (void)site;
    return "access";
}

static void host_object(void *self, uint64_t address, char *out_name, size_t size)
{
    (void)self;
    (void)address;
    snprintf(out_name, size, "location");
}

/* ---- events ------------------------------------------------------------------------------------ */

static enum access_kind kind_of(const struct step *step)
{
    if (!step->atomic)
        return step->kind == STEP_WRITE ? ACCESS_WRITE : ACCESS_READ;
    return step->kind == STEP_READ    ? ACCESS_ATOMIC_READ
           : step->kind == STEP_WRITE ? ACCESS_ATOMIC_WRITE
                                      : ACCESS_ATOMIC_UPDATE;
}

static void origin_of(const struct race_judge *judge, const struct step *step, struct origin *out_origin)
{
    unfold_origin(judge->unfold, step, out_origin);
    out_origin->launch = &judge->launch;
}

static void announce_access(struct race_judge *judge, const struct litmus_event *event)
{
    static const uint64_t lane_0[LANE_MASK_WORDS] = {1};
    const struct step *step = event->step;
    bool failed = step->kind == STEP_UPDATE && !step_writes(step, event->read);
    struct access_event access = {.kind = kind_of(step),
                                  .order = step->order,
                                  .failure_order = step->failure_order,
                                  .scope = step->scope,
                                  .failed = failed ? lane_0 : NULL,
                                  .size_bytes = CELL_BYTES,
                                  .lane_count = 1,
                                  .mask = lane_0,
                                  .shape = ADDRESS_UNIFORM,
                                  .base = judge->unfold->cell_address[step->cell],
                                  .row = 1};
    origin_of(judge, step, &access.origin);
    judge->observer.access(judge->observer.self, &access);
}

/* The last work-item of a group to pass the barrier. */
static bool is_last(const struct execution *execution, uint32_t index, const uint32_t *group)
{
    const struct step *step = execution->events[index].step;
    const struct litmus_event *next =
        index + 1 < execution->event_count ? &execution->events[index + 1] : NULL;
    return !next || next->step->kind != STEP_BARRIER || group[next->step->thread] != group[step->thread] ||
           next->step->thread <= step->thread;
}

static void announce_sync(struct race_judge *judge, const struct step *step, bool last)
{
    static const uint64_t lane_0[LANE_MASK_WORDS] = {1};
    struct sync_event sync = {.kind = step->kind == STEP_FENCE ? SYNC_FENCE : SYNC_WORK_GROUP_BARRIER,
                              .regions = step->regions,
                              .order = step->order,
                              .scope = step->scope,
                              .lane_count = 1,
                              .mask = lane_0,
                              .last = last};
    origin_of(judge, step, &sync.origin);
    judge->observer.sync(judge->observer.self, &sync);
}

static void announce_phase(struct race_judge *judge, enum launch_phase phase, uint32_t group)
{
    struct launch_event event = {
        .launch = &judge->launch, .phase = phase, .group_linear = group, .compute_unit = group};
    judge->observer.launch(judge->observer.self, &event);
}

static void announce(struct race_judge *judge, const struct execution *execution)
{
    const struct thread_places *places = &judge->unfold->places;
    judge->launch.launch++;
    announce_phase(judge, LAUNCH_BEGIN, 0);
    for (uint32_t i = 0; i < places->group_count; i++)
        announce_phase(judge, GROUP_BEGIN, i);
    for (uint32_t i = 0; i < execution->event_count; i++) {
        const struct step *step = execution->events[i].step;
        if (step_is_access(step))
            announce_access(judge, &execution->events[i]);
        else
            announce_sync(judge, step, is_last(execution, i, places->group));
    }
    for (uint32_t i = 0; i < places->group_count; i++)
        announce_phase(judge, GROUP_END, i);
    announce_phase(judge, LAUNCH_END, 0);
}

/* ---- verdicts ------------------------------------------------------------------------------------- */

static char *where(const struct report *report)
{
    char *text = NULL;
    if (!report_count(report))
        return NULL;
    const struct finding *finding = report_get(report, 0);
    if (asprintf(&text, "lines %" PRIu32 " and %" PRIu32, finding->access[0].place.line,
                 finding->access[1].place.line) < 0)
        return NULL;
    return text;
}

bool race_judge_execution(struct race_judge *judge, const struct execution *execution, char **out_text)
{
    announce(judge, execution);
    bool races = report_total(judge->report, SEVERITY_WARNING) > 0;
    *out_text = races ? where(judge->report) : NULL;
    report_clear(judge->report);
    return races;
}

bool race_judge_failed(const struct race_judge *judge)
{
    return checker_failed(judge->checker);
}

static uint32_t barriers_before(const struct execution *execution, const struct litmus_event *event)
{
    uint32_t count = 0;
    for (uint32_t at = event->previous; at; at = execution->events[at - 1].previous)
        count += execution->events[at - 1].step->kind == STEP_BARRIER;
    return count;
}

/* Links each event: it reads the latest store of its cell, and its store is the latest from then on. */
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

bool race_judge_agrees(struct race_judge *judge, const struct execution *execution, bool races)
{
    struct candidate *candidate = &judge->candidate;
    candidate_init(candidate, judge->unfold, false);
    for (uint32_t i = 0; i < execution->event_count; i++) {
        const struct litmus_event *event = &execution->events[i];
        if (!candidate_add(candidate, event->step, event->read, barriers_before(execution, event)))
            return true;
    }
    candidate_link(candidate);
    link_stores(candidate);
    return candidate_consistent(candidate) && candidate_races(candidate) == races;
}

/* ---- life --------------------------------------------------------------------------------------------- */

static bool prepare(struct race_judge *judge)
{
    const struct thread_places *places = &judge->unfold->places;
    const struct checker_host host = {
        .self = judge, .place = host_place, .what = host_what, .object = host_object};
    scenario_default(&judge->scenario);
    for (enum check check = 0; check < CHECK_COUNT; check++)
        judge->scenario.checks[check] = check == CHECK_RACES ? SEVERITY_ERROR : SEVERITY_OFF;
    for (uint32_t i = 0; i < judge->unfold->test->thread_count; i++)
        judge->group_device[places->group[i]] = places->device[i];
    judge->launch = judge->unfold->launch;
    judge->launch.group_device = judge->group_device;
    judge->launch.formal = true;
    judge->report = report_new(&judge->scenario);
    if (!judge->report)
        return false;
    report_set_stream(judge->report, NULL, false);
    judge->checker =
        checker_new(&judge->unfold->device->arena.memory, judge->report, &judge->scenario, &host);
    if (judge->checker)
        checker_observer(judge->checker, &judge->observer);
    return judge->checker != NULL;
}

struct race_judge *race_judge_new(const struct unfold *unfold)
{
    struct race_judge *judge = calloc(1, sizeof *judge);
    if (!judge)
        return NULL;
    judge->unfold = unfold;
    if (prepare(judge))
        return judge;
    race_judge_free(judge);
    return NULL;
}

void race_judge_free(struct race_judge *judge)
{
    if (!judge)
        return;
    checker_free(judge->checker);
    report_free(judge->report);
    scenario_fini(&judge->scenario);
    free(judge);
}
