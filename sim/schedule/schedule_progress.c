/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reliance on progress that the device does not promise. When a wave spins for a unit that OpenCL need not
 * run (a work-group that has not begun, another lane of its sub-group, another sub-group without independent
 * progress), the wait is observed: its reads are saved, and the operations of the units that run next are
 * compared with them. If the wave then continues, the program is reported with both accesses. One wait of a
 * launch is observed at a time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/report.h"
#include "schedule_livelock.h"

enum { ALONE_SLICES = 1 << 16 }; /* time slices of a wave that runs alone, at most */

/* ---- the observed wait --------------------------------------------------------------------------- */

struct observed_wait {
    enum helper helper;        /* what has not begun yet; NONE: it waits within its work-group */
    uint32_t resident;         /* work-groups when the wait began */
    const struct group *group; /* the spinning wave: its group, */
    uint32_t index;            /* its index there, */
    uint64_t lanes;            /* and its number of live lanes */
    bool laps;                 /* it passes barriers while it spins */
    struct observed observed;
    /* While another wave runs: the observer in front of its own, which gets everything forwarded. */
    struct observer probe;
    const struct observer *listener;
    const struct launch *launch;
    const struct group *going;
    uint32_t going_from, going_count; /* the index of that wave; the number of waves that its group had */
    /* For each of observed.read[]: the last access that wrote there, or the one that changed the value;
     * without item: none did. */
    struct finding_access *wrote;
    bool *found;                 /* for each read: wrote[] is the access that changed the value */
    struct finding_access stood; /* the place of that wave before its time slice */
    bool helped;                 /* a value has changed: access[1] of the finding did it */
    struct finding finding;
    struct sentence why, object;
};

static void free_wait(struct observed_wait *wait)
{
    if (wait) {
        free(wait->wrote);
        free(wait->found);
    }
    free(wait);
}

/* NULL: the wave reads nothing that another unit could write, or out of memory. of_others: another
 * work-group. */
static struct observed_wait *wait_new(struct schedule *schedule, struct group *group, uint32_t index,
                                      bool laps, bool of_others)
{
    struct launch *launch = schedule->launch;
    struct observed_wait *wait = calloc(1, sizeof *wait);
    if (!wait || !(wait->wrote = calloc(READS_MOST, sizeof *wait->wrote)) ||
        !(wait->found = calloc(READS_MOST, sizeof *wait->found))) {
        free_wait(wait);
        return NULL;
    }
    spinner_observe(group, index, laps, &wait->observed);
    const bool spins =
        laps ? group->waves[index].state != WAVE_DONE : group->waves[index].state == WAVE_READY;
    if (!wait->observed.known || !spins || (of_others && !spinner_observes_others(launch, &wait->observed))) {
        free_wait(wait);
        return NULL;
    }
    const struct wave *spinner = group->waves[index].wave;
    wait->launch = launch;
    wait->group = group;
    wait->index = index;
    wait->laps = laps;
    wait->lanes = lane_mask_count(&spinner->live);
    wait->finding = (struct finding){
        .kind = FINDING_PROGRESS_ASSUMPTION, .kernel = launch->info.kernel, .access_count = 1};
    spinner_access(launch, spinner, &wait->observed, &wait->finding.access[0]);
    sentence_init(&wait->why);
    sentence_init(&wait->object);
    launch->running = group;
    spinner_object(launch, &wait->observed, &wait->finding, &wait->object);
    launch->running = NULL;
    schedule->livelock.observed_wait = wait;
    return wait;
}

static struct observed_wait *wait_of_group(struct schedule *schedule, struct group *group, bool of_others)
{
    struct observed_wait *wait = NULL;
    const bool laps = group->laps.cycles;
    for (uint32_t i = 0; i < group->wave_count && !wait; i++)
        if (group->waves[i].state == WAVE_READY || (laps && group->waves[i].state == WAVE_WAITS))
            wait = wait_new(schedule, group, i, laps, of_others);
    return wait;
}

/* Observes the first wave of a spinning group that waits for another group. In a group that passes
 * barriers some waves may only wait for the others of the group. */
static void begin_wait_of_group(struct schedule *schedule, struct group *group, enum helper helper,
                                uint32_t resident)
{
    struct observed_wait *wait = wait_of_group(schedule, group, group->laps.cycles);
    if (!wait && group->laps.cycles)
        wait = wait_of_group(schedule, group, false);
    if (!wait)
        return;
    wait->helper = helper;
    wait->resident = resident;
}

/* ---- operations of the unit that may help ------------------------------------------------------- */

static bool has_changed(const struct observed_wait *wait, const struct observed_read *read)
{
    return memory_value(&wait->launch->arena->memory, read->address, read->size) != read->value;
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

/* The first lane that writes bytes of the spinning wave's read; WAVE_LANES_MAX: none. */
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

/* The finding names a held lane by its first operation: the branch at which it was held may have no line. */
static void name_held_lane(struct observed_wait *wait, const struct access_event *event)
{
    struct finding_access *second = &wait->finding.access[1], first_act = {.kind = ACCESS_READ};
    uint32_t lane = 0;
    while (lane < event->lane_count && !lane_in(event->mask, lane))
        lane++;
    if (wait->helper || wait->helped || second->place.line || lane == event->lane_count)
        return;
    fill_observed(wait->launch, event, lane, &first_act);
    if (in_one_sub_group(&first_act, &wait->finding.access[0]))
        *second = first_act;
}

/* Notes the last access that writes there, or the one after which the value has changed: most atomics are
 * announced after they have taken effect. */
static void observe_helper(void *self, const struct access_event *event)
{
    struct observed_wait *wait = self;
    const bool writes = event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ;
    if (wait->listener && wait->listener->access)
        wait->listener->access(wait->listener->self, event);
    name_held_lane(wait, event);
    for (uint32_t i = 0; writes && i < wait->observed.read_count; i++) {
        const uint32_t lane = wait->found[i] ? WAVE_LANES_MAX : who_writes(&wait->observed.read[i], event);
        if (lane == WAVE_LANES_MAX)
            continue;
        wait->found[i] = event->kind >= ACCESS_ATOMIC_READ && has_changed(wait, &wait->observed.read[i]);
        fill_observed(wait->launch, event, lane, &wait->wrote[i]);
    }
}

static void forward_sync(void *self, const struct sync_event *event)
{
    const struct observed_wait *wait = self;
    wait->listener->sync(wait->listener->self, event);
}

static void begin_observing(struct observed_wait *wait, const struct group *group, uint32_t index)
{
    struct wave *wave = group->waves[index].wave;
    wait->going = group;
    wait->going_from = index;
    wait->going_count = group->wave_count;
    memset(wait->found, 0, READS_MOST * sizeof *wait->found);
    memset(wait->wrote, 0, READS_MOST * sizeof *wait->wrote);
    spinner_access(wait->launch, wave, &(struct observed){.known = false}, &wait->stood);
    wait->listener = wave->observer;
    wait->probe = (struct observer){.self = wait, .access = observe_helper};
    if (wait->listener && wait->listener->sync)
        wait->probe.sync = forward_sync;
    if (!wait->listener)
        wave_begin_events(wave);
    wave->observer = &wait->probe;
}

/* Waves that split off the observed one have its observer, too. */
static void stop_observing(struct observed_wait *wait)
{
    const struct group *group = wait->going;
    if (!group)
        return;
    if (group->waves[wait->going_from].wave)
        group->waves[wait->going_from].wave->observer = wait->listener;
    for (uint32_t i = wait->going_count; i < group->wave_count; i++)
        if (group->waves[i].wave && group->waves[i].wave->observer == &wait->probe)
            group->waves[i].wave->observer = wait->listener;
    wait->going = NULL;
}

/* ---- within a sub-group ------------------------------------------------------------------------- */

/* A ready wave and a held one that were split from the same sub-group. */
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

/* Observes a wave that spins; the finding names the held wave, too, which may help it. */
static void begin_wait_beside(struct schedule *schedule, struct group *group, uint32_t index, bool laps,
                              uint32_t held)
{
    struct observed_wait *wait = wait_new(schedule, group, index, laps, false);
    if (!wait)
        return;
    wait->finding.access_count = 2;
    spinner_access(schedule->launch, group->waves[held].wave, &(struct observed){.known = false},
                   &wait->finding.access[1]);
}

void livelock_forget_wait(struct schedule *schedule)
{
    if (schedule->livelock.observed_wait)
        stop_observing(schedule->livelock.observed_wait);
    free_wait(schedule->livelock.observed_wait);
    schedule->livelock.observed_wait = NULL;
}

void livelock_group_arrived(struct schedule *schedule)
{
    if (schedule->livelock.observed_wait && !schedule->livelock.observed_wait->helper)
        livelock_forget_wait(schedule);
}

static bool release_starving(struct schedule *schedule)
{
    bool any = false;
    for (uint32_t g = 0; g < schedule->count; g++)
        any |= group_release_starving(schedule->resident[g]);
    return any;
}

bool livelock_release_held(struct schedule *schedule, bool proven)
{
    bool any = false;
    if (release_starving(schedule)) {
        schedule->idle_slices = 0;
        return true;
    }
    for (uint32_t g = 0; g < schedule->count; g++)
        any |= schedule->resident[g]->held_count > 0;
    if (!any)
        return false;
    if (schedule->livelock.observed_wait && !schedule->livelock.observed_wait->helper)
        livelock_forget_wait(schedule);
    struct group *group;
    uint32_t index, held;
    if (proven && !schedule->livelock.observed_wait && !schedule->launch->splits_freely &&
        find_spinner(schedule, &group, &index, &held))
        begin_wait_beside(schedule, group, index, group->laps.cycles, held);
    for (uint32_t g = 0; g < schedule->count; g++)
        if (schedule->resident[g]->held_count)
            group_release_held(schedule->resident[g]);
    schedule->idle_slices = 0;
    return true;
}

/* ---- one sub-group after another ---------------------------------------------------------------- */

bool livelock_runs_alone(const struct schedule *schedule)
{
    return schedule->launch->config->progress == PROGRESS_NONE && !schedule->launch->splits_freely;
}

void livelock_alone_begin(struct schedule *schedule)
{
    schedule->livelock.alone.slices = 0;
    schedule->livelock.alone.past = false;
    schedule->livelock.alone.next_mark = IDLE_PASSES;
}

/* Another wave of the group that can continue. */
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

bool livelock_alone_ends(struct schedule *schedule, struct group *group, uint32_t index, bool past)
{
    uint32_t first = 0;
    schedule->livelock.alone.past |= past;
    schedule->livelock.interrupted |= schedule->livelock.alone.slices > ALONE_SLICES;
    if (cycle_host_may_write(&schedule->launch->arena->memory) ||
        schedule->livelock.alone.slices > ALONE_SLICES)
        return true;
    if (!cycle_of_wave(schedule, group->waves[index].wave))
        return false;
    if (!schedule->livelock.observed_wait && !schedule->livelock.interrupted &&
        find_other(group, index, &first))
        begin_wait_beside(schedule, group, index, schedule->livelock.alone.past, first);
    if (group->held_count)
        group_release_held(group);
    return true;
}

/* ---- one work-group before the others ----------------------------------------------------------- */

/* Every other resident group has not begun or has ended. */
static bool only_one_begun(const struct schedule *schedule, const struct group *group)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *other = schedule->resident[g];
        if (other != group && other->begun && !group_finished(other))
            return false;
    }
    return true;
}

void livelock_first_group_begin(struct schedule *schedule)
{
    schedule->livelock.first.passes = 0;
}

bool livelock_first_group(struct schedule *schedule, struct group *group)
{
    struct livelock *livelock = &schedule->livelock;
    const bool promised = schedule->launch->config->progress == PROGRESS_FAIR;
    const bool observes_helper = livelock->observed_wait && livelock->observed_wait->helper;
    if (promised || schedule->count == 1 || schedule->concurrent->count > 1 || observes_helper)
        return false;
    if (!only_one_begun(schedule, group) || cycle_host_may_write(&schedule->launch->arena->memory))
        return false;
    if (++livelock->first.passes < IDLE_PASSES)
        return true;
    if (!cycle_of_group(schedule, group))
        return livelock->first.passes < IDLE_PASSES + CYCLE_PASSES;
    if (livelock_release_held(schedule, true)) {
        livelock->first.passes = 0;
        return true;
    }
    livelock_group_arrived(schedule);
    begin_wait_of_group(schedule, group, HELPER_GROUP, 1);
    return false;
}

/* ---- the unit that helped ------------------------------------------------------------------------- */

static bool is_spinner(const struct observed_wait *wait, const struct group *group, uint32_t index)
{
    return wait->group == group && wait->index == index;
}

void livelock_before_slice(struct schedule *schedule, const struct group *group, uint32_t index)
{
    struct observed_wait *wait = schedule->livelock.observed_wait;
    if (wait && !wait->helped && !is_spinner(wait, group, index))
        begin_observing(wait, group, index);
}

/* The access that wrote; if none was seen, the place of the wave that ran. */
static const struct finding_access *writer_of(const struct observed_wait *wait, uint32_t read)
{
    return wait->wrote[read].has_item ? &wait->wrote[read] : &wait->stood;
}

/* The writer is one that OpenCL need not have run. With independent sub-groups only the held lanes of the
 * same sub-group are: nothing would have moved without them. */
static bool can_have_helped(const struct observed_wait *wait, const struct finding_access *writer)
{
    return wait->helper || wait->launch->config->progress == PROGRESS_NONE ||
           in_one_sub_group(writer, &wait->finding.access[0]);
}

/* The spinning wave's read whose value has changed, preferably one with a known writer; NULL: none. */
static const struct observed_read *changed_read(const struct observed_wait *wait)
{
    const struct observed_read *changed = NULL;
    for (uint32_t i = 0; i < wait->observed.read_count; i++) {
        if (!has_changed(wait, &wait->observed.read[i]) || !can_have_helped(wait, writer_of(wait, i)))
            continue;
        if (wait->wrote[i].has_item)
            return &wait->observed.read[i];
        changed = changed ? changed : &wait->observed.read[i];
    }
    return changed;
}

/* Makes the read the one that the finding names, with the value that was read. */
static void name_read(struct observed_wait *wait, const struct observed_read *read)
{
    struct launch *launch = wait->group->launch;
    spinner_set_read(&wait->observed, read);
    wait->finding.access[0] = (struct finding_access){.act = ACT_ACCESS};
    spinner_access(launch, NULL, &wait->observed, &wait->finding.access[0]);
    wait->finding.access[0].value = read->value;
    sentence_init(&wait->object);
    launch->running = (struct group *)wait->group;
    spinner_object(launch, &wait->observed, &wait->finding, &wait->object);
    launch->running = NULL;
}

static void find_help(struct observed_wait *wait)
{
    const bool observed = wait->going;
    stop_observing(wait);
    const struct observed_read *read = wait->helped || !observed ? NULL : changed_read(wait);
    if (!read)
        return;
    wait->helped = true;
    wait->finding.access[1] = *writer_of(wait, (uint32_t)(read - wait->observed.read));
    name_read(wait, read);
}

/* Fills why and fix. False: OpenCL promises this progress. Without a known helper the finding's second
 * access is a lane of the same sub-group. */
static bool say_held(struct observed_wait *wait, enum progress promise)
{
    const struct item *first = &wait->finding.access[0].item, *second = &wait->finding.access[1].item;
    const bool same_group = first->group_linear == second->group_linear,
               same = same_group && first->sub_group == second->sub_group;
    static const char end[] =
        "need not run independently of each other; the second went on only because the first was stopped";
    if (same) {
        sentence_add(&wait->why,
                     "the first waits in a loop for the second: both are of sub-group %" PRIu32
                     ", whose work-items %s",
                     first->sub_group, end);
        wait->finding.fix = "let one work-item of the sub-group wait for all of it, or release the lock "
                            "inside the loop that takes it; or "
                            "promise it: device.progress: fair";
    } else if (same_group) {
        sentence_add(&wait->why,
                     "the first waits in a loop for the second: they are of sub-groups %" PRIu32
                     " and %" PRIu32 " of one work-group, which %s",
                     first->sub_group, second->sub_group, end);
        wait->finding.fix =
            "a work_group_barrier between the two sides; or promise it: device.progress: sub-group";
    } else {
        sentence_add(&wait->why,
                     "the first waits in a loop for the second: they are of two work-groups, which %s", end);
        wait->finding.fix =
            "let the host order the work-groups: two launches; or promise it: device.progress: fair";
    }
    wait->finding.why = wait->why.bytes;
    return same || !same_group || promise == PROGRESS_NONE;
}

/* Fills why and fix. No unit that had begun made progress, so the helper is one that began later; the
 * last writer is named only if it is of another work-group. */
static void say_waited(struct schedule *schedule, struct observed_wait *wait)
{
    const struct finding_access *access = wait->finding.access;
    if (wait->helped && access[0].item.group_linear != access[1].item.group_linear)
        wait->finding.access_count = 2;
    if (wait->helper == HELPER_COMMAND) {
        sentence_add(
            &wait->why,
            "the kernel waits for another command that is ready but does not run: a device need not run "
            "commands at the same time");
        wait->finding.fix = "order the two: an event, or the command that is waited for first; or promise "
                            "it: device.progress: fair";
    } else {
        sentence_add(&wait->why,
                     "the work-groups that run wait for one that does not: %" PRIu32 " of %" PRIu64
                     " ran, and went on only because another one began",
                     wait->resident, schedule->total);
        wait->finding.fix =
            "let the host order the work-groups: two launches; or promise it: device.progress: fair";
    }
    wait->finding.why = wait->why.bytes;
}

/* Each place is reported once in a launch. */
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

/* The wave stopped at a place at which it stopped in an earlier cycle, too. */
static bool note_cycle(const struct observed_wait *wait, const struct group *group, const struct wave *wave)
{
    if (!wait->laps)
        return false;
    if (wait->observed.stop_count == 0)
        return group->laps.cycles;
    for (uint32_t i = 0; i < wait->observed.stop_count; i++)
        if (wait->observed.stop[i] == wave->resume)
            return true;
    return false;
}

/* If the slice was the observed wave's: it waits no more, or some of its lanes do not, unless it is as
 * before. */
void livelock_after_slice(struct schedule *schedule, const struct group *group, uint32_t index,
                          enum run_result result)
{
    struct observed_wait *wait = schedule->livelock.observed_wait;
    const enum progress promise = schedule->launch->config->progress;
    if (!wait)
        return;
    if (!is_spinner(wait, group, index)) {
        find_help(wait);
        return;
    }
    const struct wave *wave = result == RUN_DONE ? NULL : group->waves[index].wave;
    if (result == RUN_ABORTED)
        return;
    const bool whole =
        result != RUN_DONE && lane_mask_count(&wave->live) == wait->lanes && !wave->parked_blocks;
    if (whole && (result == RUN_YIELD || note_cycle(wait, group, wave)))
        return;
    if (wait->helper) {
        say_waited(schedule, wait);
        if (!was_reported(&schedule->livelock, wait->observed.event.origin.site))
            report_add(schedule->launch->report, &wait->finding);
    } else if ((wait->helped || promise != PROGRESS_NONE) && say_held(wait, promise)) {
        report_add(schedule->launch->report, &wait->finding);
        schedule->launch->splits_freely = true; /* one finding of this kind is enough */
    }
    livelock_forget_wait(schedule);
}

void progress_wait(struct schedule *schedule, enum helper helper)
{
    struct spinners spinners;
    livelock_group_arrived(schedule);
    if (schedule->livelock.observed_wait) /* no work-group that began since then has helped */
        schedule->livelock.observed_wait->helper = helper;
    spinners_count(schedule, &spinners);
    if (schedule->launch->config->progress != PROGRESS_FAIR && !schedule->livelock.observed_wait &&
        spinners.lowest)
        begin_wait_of_group(schedule, spinners.lowest, helper, spinners.groups);
}
