/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reliance on progress that the device does not promise: a wave that only spins is noted while others
 * continue that were held back, or arrive; when it gets on then, the program is reported.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/fault.h"
#include "orrery/report.h"
#include "schedule_livelock.h"

enum { ALONE_SLICES = 1 << 16 }; /* of a wave, until others of its group continue all the same */

/* ---- waiting units, until it is known for which unit --------------------------------------------- */

struct held_back {
    enum helper helper;        /* the unit that had not begun; NONE: lanes or waves of its work-group */
    uint32_t resident;         /* work-groups, then */
    const struct group *group; /* the unit that span */
    uint32_t index;
    uint64_t lanes;
    bool laps; /* it goes past barriers as it spins */
    struct observed observed;
    /* While another unit runs: its wave's listener, to which this one passes everything on, and its
     * operations. */
    struct observer probe;
    const struct observer *listener;
    const struct launch *launch;
    const struct group *going;
    uint32_t going_from, going_count; /* its wave, and how many the group had */
    /* by observed.read[]: the access that wrote there last, or changed it; no item: none did */
    struct finding_access *wrote;
    bool *found;                 /* likewise: the latter */
    struct finding_access stood; /* its place before its time slice */
    bool helped;                 /* by access[1]: in its time slice the value changed */
    struct finding finding;
    struct sentence why, object;
};

static void free_kept(struct held_back *kept)
{
    if (kept) {
        free(kept->wrote);
        free(kept->found);
    }
    free(kept);
}

/* NULL: it reads nothing that others could write, or there is no memory. */
static struct held_back *keep(struct schedule *schedule, struct group *group, uint32_t index, bool laps,
                              bool of_others)
{
    struct launch *launch = schedule->launch;
    struct held_back *kept = calloc(1, sizeof *kept);
    if (!kept || !(kept->wrote = calloc(READS_MOST, sizeof *kept->wrote)) ||
        !(kept->found = calloc(READS_MOST, sizeof *kept->found))) {
        free_kept(kept);
        return NULL;
    }
    spinner_listen(group, index, laps, &kept->observed);
    const bool spins =
        laps ? group->waves[index].state != WAVE_DONE : group->waves[index].state == WAVE_READY;
    if (!kept->observed.known || !spins || (of_others && !spinner_observes_others(launch, &kept->observed))) {
        free_kept(kept);
        return NULL;
    }
    const struct wave *spinner = group->waves[index].wave;
    kept->launch = launch;
    kept->group = group;
    kept->index = index;
    kept->laps = laps;
    kept->lanes = lane_mask_count(&spinner->live);
    kept->finding = (struct finding){
        .kind = FINDING_PROGRESS_ASSUMPTION, .kernel = launch->info.kernel, .access_count = 1};
    spinner_access(launch, spinner, &kept->observed, &kept->finding.access[0]);
    sentence_init(&kept->why);
    sentence_init(&kept->object);
    launch->running = group;
    spinner_object(launch, &kept->observed, &kept->finding, &kept->object);
    launch->running = NULL;
    schedule->livelock.held_back = kept;
    return kept;
}

static struct held_back *keep_first(struct schedule *schedule, struct group *group, bool of_others)
{
    struct held_back *kept = NULL;
    const bool laps = group->laps.circles;
    for (uint32_t i = 0; i < group->wave_count && !kept; i++)
        if (group->waves[i].state == WAVE_READY || (laps && group->waves[i].state == WAVE_WAITS))
            kept = keep(schedule, group, i, laps, of_others);
    return kept;
}

/* The first of a group that spins; all of it does, and if it passes barriers some may only read what the
 * others report. */
static void keep_waiting(struct schedule *schedule, struct group *group, enum helper helper,
                         uint32_t resident)
{
    struct held_back *kept = keep_first(schedule, group, group->laps.circles);
    if (!kept && group->laps.circles)
        kept = keep_first(schedule, group, false);
    if (!kept)
        return;
    kept->helper = helper;
    kept->resident = resident;
}

/* ---- the other unit's operations ---------------------------------------------------------------- */

static bool has_changed(const struct held_back *kept, const struct observed_read *read)
{
    return memory_value(&kept->launch->arena->memory, read->address, read->size) != read->value;
}

static void fill_observed(const struct launch *launch, const struct access_event *event, uint32_t lane,
                          struct finding_access *access)
{
    launch_access(launch, event->origin.site, access);
    access->act = ACT_ACCESS;
    access->kind = event->kind;
    access->has_item = true;
    origin_item(&event->origin, lane, &access->item);
}

/* The first lane that writes what the spinner reads there; WAVE_LANES_MAX: none. */
static uint32_t who_writes(const struct observed_read *read, const struct access_event *event)
{
    uint32_t lane = 0;
    for (; lane < event->lane_count; lane++) {
        const bool takes_part = lane_in(event->mask, lane);
        const uint64_t at = takes_part ? lane_address(event, lane) : 0;
        if (takes_part && !lane_in(event->failed, lane) && at < read->address + read->size &&
            read->address < at + event->size_bytes)
            return lane;
    }
    return WAVE_LANES_MAX;
}

static bool in_one_sub_group(const struct finding_access *a, const struct finding_access *b)
{
    return a->item.group_linear == b->item.group_linear && a->item.sub_group == b->item.sub_group;
}

/* A held lane may stand at a branch, which has no line: its first operation has one. */
static void name_held(struct held_back *kept, const struct access_event *event)
{
    struct finding_access *second = &kept->finding.access[1], first_act = {.kind = ACCESS_READ};
    uint32_t lane = 0;
    while (lane < event->lane_count && !lane_in(event->mask, lane))
        lane++;
    if (kept->helper || kept->helped || second->place.line || lane == event->lane_count)
        return;
    fill_observed(kept->launch, event, lane, &first_act);
    if (in_one_sub_group(&first_act, &kept->finding.access[0]))
        *second = first_act;
}

/* The last that writes there, unless one is seen to have changed it: most atomics are announced when they
 * have taken effect. */
static void observe_helper(void *self, const struct access_event *event)
{
    struct held_back *kept = self;
    const bool writes = event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ;
    if (kept->listener && kept->listener->access)
        kept->listener->access(kept->listener->self, event);
    name_held(kept, event);
    for (uint32_t i = 0; writes && i < kept->observed.read_count; i++) {
        const uint32_t lane = kept->found[i] ? WAVE_LANES_MAX : who_writes(&kept->observed.read[i], event);
        if (lane == WAVE_LANES_MAX)
            continue;
        kept->found[i] = event->kind >= ACCESS_ATOMIC_READ && has_changed(kept, &kept->observed.read[i]);
        fill_observed(kept->launch, event, lane, &kept->wrote[i]);
    }
}

static void pass_sync_on(void *self, const struct sync_event *event)
{
    const struct held_back *kept = self;
    kept->listener->sync(kept->listener->self, event);
}

static void begin_hearing(struct held_back *kept, const struct group *group, uint32_t index)
{
    struct wave *wave = group->waves[index].wave;
    kept->going = group;
    kept->going_from = index;
    kept->going_count = group->wave_count;
    memset(kept->found, 0, READS_MOST * sizeof *kept->found);
    memset(kept->wrote, 0, READS_MOST * sizeof *kept->wrote);
    spinner_access(kept->launch, wave, &(struct observed){.known = false}, &kept->stood);
    kept->listener = wave->observer;
    kept->probe = (struct observer){.self = kept, .access = observe_helper};
    if (kept->listener && kept->listener->sync)
        kept->probe.sync = pass_sync_on;
    if (!kept->listener)
        wave_begin_events(wave);
    wave->observer = &kept->probe;
}

/* Those split off it meanwhile have its listener. */
static void stop_hearing(struct held_back *kept)
{
    const struct group *group = kept->going;
    if (!group)
        return;
    if (group->waves[kept->going_from].wave)
        group->waves[kept->going_from].wave->observer = kept->listener;
    for (uint32_t i = kept->going_count; i < group->wave_count; i++)
        if (group->waves[i].wave && group->waves[i].wave->observer == &kept->probe)
            group->waves[i].wave->observer = kept->listener;
    kept->going = NULL;
}

/* ---- within a sub-group ------------------------------------------------------------------------- */

/* A wave that spins beside lanes of its own sub-group that are held. */
static bool find_spinner(const struct schedule *schedule, struct group **out_group, uint32_t *out_index,
                         uint32_t *out_held)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        struct group *group = schedule->resident[g];
        for (uint32_t h = group->base_count; group->held_count && h < group->wave_count; h++) {
            if (group->waves[h].state != WAVE_HELD)
                continue;
            const uint32_t first = group->waves[h].wave->origin.first_lane;
            for (uint32_t i = 0; i < h; i++)
                if (group->waves[i].state == WAVE_READY && group->waves[i].wave->origin.first_lane == first) {
                    *out_group = group;
                    *out_index = i;
                    *out_held = h;
                    return true;
                }
        }
    }
    return false;
}

/* The text of a later report: of a wave, and another one that may help it. */
static void keep_spinner(struct schedule *schedule, struct group *group, uint32_t index, bool laps,
                         uint32_t held)
{
    struct held_back *kept = keep(schedule, group, index, laps, false);
    if (!kept)
        return;
    kept->finding.access_count = 2;
    spinner_access(schedule->launch, group->waves[held].wave, &(struct observed){.known = false},
                   &kept->finding.access[1]);
}

void livelock_forget_held(struct schedule *schedule)
{
    if (schedule->livelock.held_back)
        stop_hearing(schedule->livelock.held_back);
    free_kept(schedule->livelock.held_back);
    schedule->livelock.held_back = NULL;
}

void livelock_newcomer(struct schedule *schedule)
{
    if (schedule->livelock.held_back && !schedule->livelock.held_back->helper)
        livelock_forget_held(schedule);
}

bool livelock_free_held(struct schedule *schedule, bool proven)
{
    bool any = false;
    for (uint32_t g = 0; g < schedule->count; g++)
        any |= schedule->resident[g]->held_count > 0;
    if (!any)
        return false;
    if (schedule->livelock.held_back && !schedule->livelock.held_back->helper)
        livelock_forget_held(schedule);
    struct group *group;
    uint32_t index, held;
    if (proven && !schedule->livelock.held_back && !schedule->launch->splits_freely &&
        find_spinner(schedule, &group, &index, &held))
        keep_spinner(schedule, group, index, group->laps.circles, held);
    for (uint32_t g = 0; g < schedule->count; g++)
        if (schedule->resident[g]->held_count)
            group_free_held(schedule->resident[g]);
    schedule->idle_slices = 0;
    return true;
}

/* ---- one sub-group after another ---------------------------------------------------------------- */

bool livelock_goes_alone(const struct schedule *schedule)
{
    return schedule->launch->config->progress == PROGRESS_NONE && !schedule->launch->splits_freely;
}

void livelock_alone_begin(struct schedule *schedule)
{
    schedule->livelock.alone.slices = 0;
    schedule->livelock.alone.past = false;
    schedule->livelock.alone.next_mark = IDLE_PASSES;
}

/* A unit of its group that can continue. */
static bool find_other(const struct group *group, uint32_t index, uint32_t *out_other)
{
    for (uint32_t i = 0; i < group->wave_count; i++) {
        if (i == index || (group->waves[i].state != WAVE_READY && group->waves[i].state != WAVE_HELD))
            continue;
        *out_other = i;
        return true;
    }
    return false;
}

bool livelock_alone(struct schedule *schedule, struct group *group, uint32_t index, bool past)
{
    uint32_t first = 0;
    schedule->livelock.alone.past |= past;
    schedule->livelock.interrupted |= schedule->livelock.alone.slices > ALONE_SLICES;
    if (circle_host_may_write(&schedule->launch->arena->memory) ||
        schedule->livelock.alone.slices > ALONE_SLICES)
        return true;
    if (!circle_of_wave(schedule, group->waves[index].wave))
        return false;
    if (!schedule->livelock.held_back && !schedule->livelock.interrupted && find_other(group, index, &first))
        keep_spinner(schedule, group, index, schedule->livelock.alone.past, first);
    if (group->held_count)
        group_free_held(group);
    return true;
}

/* ---- one work-group before the others ----------------------------------------------------------- */

/* Whoever else is resident has not begun, or has ended. */
static bool begun_first(const struct schedule *schedule, const struct group *group)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *other = schedule->resident[g];
        if (other != group && other->begun && !group_finished(other))
            return false;
    }
    return true;
}

void livelock_first_begin(struct schedule *schedule)
{
    schedule->livelock.first.passes = 0;
}

bool livelock_first(struct schedule *schedule, struct group *group)
{
    struct livelock *livelock = &schedule->livelock;
    const bool promised = schedule->launch->config->progress == PROGRESS_FAIR;
    if (promised || schedule->count == 1 || schedule->concurrent->count > 1 ||
        (livelock->held_back && livelock->held_back->helper) || !begun_first(schedule, group) ||
        circle_host_may_write(&schedule->launch->arena->memory))
        return false;
    if (++livelock->first.passes < IDLE_PASSES)
        return true;
    if (!circle_of_group(schedule, group))
        return livelock->first.passes < IDLE_PASSES + CIRCLE_PASSES;
    if (livelock_free_held(schedule, true)) {
        livelock->first.passes = 0;
        return true;
    }
    livelock_newcomer(schedule);
    keep_waiting(schedule, group, HELPER_GROUP, 1);
    return false;
}

/* ---- the unit that helped ------------------------------------------------------------------------- */

static bool is_spinner(const struct held_back *kept, const struct group *group, uint32_t index)
{
    return kept->group == group && kept->index == index;
}

void livelock_goes_on(struct schedule *schedule, const struct group *group, uint32_t index)
{
    struct held_back *kept = schedule->livelock.held_back;
    if (kept && !kept->helped && !is_spinner(kept, group, index))
        begin_hearing(kept, group, index);
}

/* The access that did, or where the one that did stood before. */
static const struct finding_access *writer_of(const struct held_back *kept, uint32_t read)
{
    return kept->wrote[read].has_item ? &kept->wrote[read] : &kept->stood;
}

/* Lanes that were held began to move, or nothing would have: of other sub-groups, which are promised to
 * continue, only later events are seen. */
static bool may_have_helped(const struct held_back *kept, const struct finding_access *writer)
{
    return kept->helper || kept->launch->config->progress == PROGRESS_NONE ||
           in_one_sub_group(writer, &kept->finding.access[0]);
}

/* Of the spinner's reads; one whose writer is known, if there is one; NULL: no value has changed. */
static const struct observed_read *changed_read(const struct held_back *kept)
{
    const struct observed_read *changed = NULL;
    for (uint32_t i = 0; i < kept->observed.read_count; i++) {
        if (!has_changed(kept, &kept->observed.read[i]) || !may_have_helped(kept, writer_of(kept, i)))
            continue;
        if (kept->wrote[i].has_item)
            return &kept->observed.read[i];
        changed = changed ? changed : &kept->observed.read[i];
    }
    return changed;
}

/* That is what it waited for, with the value that it read. */
static void name_read(struct held_back *kept, const struct observed_read *read)
{
    struct launch *launch = kept->group->launch;
    spinner_waits_for(&kept->observed, read);
    kept->finding.access[0] = (struct finding_access){.act = ACT_ACCESS};
    spinner_access(launch, NULL, &kept->observed, &kept->finding.access[0]);
    kept->finding.access[0].value = read->value;
    sentence_init(&kept->object);
    launch->running = (struct group *)kept->group;
    spinner_object(launch, &kept->observed, &kept->finding, &kept->object);
    launch->running = NULL;
}

static void look_for_help(struct held_back *kept)
{
    const bool observed = kept->going;
    stop_hearing(kept);
    const struct observed_read *read = kept->helped || !observed ? NULL : changed_read(kept);
    if (!read)
        return;
    kept->helped = true;
    kept->finding.access[1] = *writer_of(kept, (uint32_t)(read - kept->observed.read));
    name_read(kept, read);
}

/* False: OpenCL promises it. The unit that helped is of its sub-group, unless that is known better. */
static bool say_held(struct held_back *kept, enum progress promise)
{
    const struct item *first = &kept->finding.access[0].item, *second = &kept->finding.access[1].item;
    const bool same_group = first->group_linear == second->group_linear,
               same = same_group && first->sub_group == second->sub_group;
    static const char end[] =
        "need not run independently of each other; the second went on only because the first was stopped";
    if (same) {
        sentence_add(&kept->why,
                     "the first waits in a loop for the second: both are of sub-group %" PRIu32
                     ", whose work-items %s",
                     first->sub_group, end);
        kept->finding.fix = "let one work-item of the sub-group wait for all of it, or release the lock "
                            "inside the loop that takes it; or "
                            "promise it: device.progress: fair";
    } else if (same_group) {
        sentence_add(&kept->why,
                     "the first waits in a loop for the second: they are of sub-groups %" PRIu32
                     " and %" PRIu32 " of one work-group, which %s",
                     first->sub_group, second->sub_group, end);
        kept->finding.fix =
            "a work_group_barrier between the two sides; or promise it: device.progress: sub-group";
    } else {
        sentence_add(&kept->why,
                     "the first waits in a loop for the second: they are of two work-groups, which %s", end);
        kept->finding.fix =
            "let the host order the work-groups: two launches; or promise it: device.progress: fair";
    }
    kept->finding.why = kept->why.bytes;
    return same || !same_group || promise == PROGRESS_NONE;
}

/* Units that had begun did not move, so it continued because another one did; the last helper may be one of
 * its own work-group. */
static void say_waited(struct schedule *schedule, struct held_back *kept)
{
    const struct finding_access *access = kept->finding.access;
    if (kept->helped && access[0].item.group_linear != access[1].item.group_linear)
        kept->finding.access_count = 2;
    if (kept->helper == HELPER_COMMAND) {
        sentence_add(
            &kept->why,
            "the kernel waits for another command that is ready but does not run: a device need not run "
            "commands at the same time");
        kept->finding.fix = "order the two: an event, or the command that is waited for first; or promise "
                            "it: device.progress: fair";
    } else {
        sentence_add(&kept->why,
                     "the work-groups that run wait for one that does not: %" PRIu32 " of %" PRIu64
                     " ran, and went on only because another one began",
                     kept->resident, schedule->total);
        kept->finding.fix =
            "let the host order the work-groups: two launches; or promise it: device.progress: fair";
    }
    kept->finding.why = kept->why.bytes;
}

/* Each place once a launch. */
static bool was_reported(struct livelock *livelock, uint32_t site)
{
    for (uint32_t i = 0; i < livelock->reported; i++)
        if (livelock->reported_site[i] == site)
            return true;
    if (livelock->reported == REPORTED_MOST)
        return true;
    livelock->reported_site[livelock->reported++] = site;
    return false;
}

/* It reached a place that it had reached before, too. */
static bool goes_round(const struct held_back *kept, const struct group *group, const struct wave *wave)
{
    if (!kept->laps)
        return false;
    if (kept->observed.stop_count == 0)
        return group->laps.circles;
    for (uint32_t i = 0; i < kept->observed.stop_count; i++)
        if (kept->observed.stop[i] == wave->resume)
            return true;
    return false;
}

/* It waits no more, or some of its lanes do not. */
void livelock_got_on(struct schedule *schedule, const struct group *group, uint32_t index,
                     enum run_result result)
{
    struct held_back *kept = schedule->livelock.held_back;
    const enum progress promise = schedule->launch->config->progress;
    if (!kept)
        return;
    if (!is_spinner(kept, group, index)) {
        look_for_help(kept);
        return;
    }
    const struct wave *wave = result == RUN_DONE ? NULL : group->waves[index].wave;
    if (result == RUN_ABORTED)
        return;
    const bool whole =
        result != RUN_DONE && lane_mask_count(&wave->live) == kept->lanes && !wave->parked_blocks;
    if (whole && (result == RUN_YIELD || goes_round(kept, group, wave)))
        return;
    if (kept->helper) {
        say_waited(schedule, kept);
        if (!was_reported(&schedule->livelock, kept->observed.event.origin.site))
            report_add(schedule->launch->report, &kept->finding);
    } else if ((kept->helped || promise != PROGRESS_NONE) && say_held(kept, promise)) {
        report_add(schedule->launch->report, &kept->finding);
        schedule->launch->splits_freely = true; /* once is enough */
    }
    livelock_forget_held(schedule);
}

void progress_wait(struct schedule *schedule, enum helper helper)
{
    struct spinners spinners;
    livelock_newcomer(schedule);
    if (schedule->livelock.held_back) /* no work-group that has come since helped */
        schedule->livelock.held_back->helper = helper;
    spinners_count(schedule, &spinners);
    if (schedule->launch->config->progress != PROGRESS_FAIR && !schedule->livelock.held_back &&
        spinners.lowest)
        keep_waiting(schedule, spinners.lowest, helper, spinners.groups);
}
