/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies that run in passes over the resident work-groups: lockstep, serial, reverse, round-robin. A pass
 * gives each resident group its slices; finished groups retire and others are admitted in the order of tiles
 * (shuffled by seed under random). When all that is resident spins, as many groups again are admitted; when
 * there are none, schedule_livelock.c decides.
 */
#include "sim/device/launch_schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "orrery/report.h"
#include "schedule_livelock.h"
#include "schedule_state.h"
#include "sim/base/sentence.h"
#include "positions.h"

enum {
    /* Loop iterations per time slice. Loops with atomics spin more often than loops with plain loads. */
    SLICE_PLAIN = HOSTILE(1 << 10, 3),
    SLICE_ATOMIC = HOSTILE(256, 2), /* kernels with atomics */
    SLICE_CONTENDED = 1,  /* the same, after a lane of the launch has spun for a parked lane of its wave */
    SLOW_SECONDS = 10,    /* after these a note is printed for a launch that has no limit */
    SLOW_STEPS = 1 << 16, /* loop iterations between two readings of the wall clock for it */
    IDLE_PREEMPTIVE = 1 << 16, /* added to the idle limit where a time slice is a few operations */
    IDLE_LIMIT = 64,       /* idle time slices per ready wave; halved at each admission until a group ends */
    IDLE_LIMIT_PLAIN = 16, /* factor without atomics: a long loop there computes more often than it waits */
    RESIDENT_MOST = 4096,  /* resident work-groups, whatever their size */
    RESIDENT_MOST_SMALL = 1 << 16,
    RESIDENT_ITEMS = 1 << 20 /* resident work-items, when there are more than RESIDENT_MOST work-groups */
};

bool schedule_chooses(const struct schedule_config *config)
{
    return config->oracle || config->policy >= SCHEDULE_RANDOM;
}

bool schedule_is_preemptive(const struct schedule_config *config)
{
    return schedule_chooses(config) || config->policy == SCHEDULE_ROUND_ROBIN;
}

uint32_t schedule_wave_lanes(const struct schedule_config *config)
{
    return !config->oracle && config->policy == SCHEDULE_LOCKSTEP ? HOSTILE(WAVE_LANES_MAX, 16) : 1;
}

bool schedule_may_merge(const struct schedule_config *config)
{
    return !config->oracle && config->policy == SCHEDULE_LOCKSTEP;
}

bool schedule_is_scripted(const struct launch *launch)
{
    if (launch->schedule->oracle)
        return false;
    return launch->replay ? launch->replay->scripted : launch->schedule->policy == SCHEDULE_SCRIPT;
}

/* ---- order of tiles ----------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
        CHECKED(b < a);
    }
    return a;
}

/* tile_at() is start + index * stride modulo total: a permutation without a table, because the stride has no
 * common divisor with the total. */
static void shuffle_tiles(struct schedule *schedule)
{
    struct rng rng;
    rng_init(&rng, schedule->config->seed, RNG_SCHEDULE_GROUPS, schedule->launch->info.launch);
    schedule->start = rng_below(&rng, schedule->total);
    do
        schedule->stride = 1 + rng_below(&rng, schedule->total);
    while (common_divisor(schedule->stride, schedule->total) != 1);
    CHECKED(schedule->start < schedule->total && schedule->stride <= schedule->total);
}

static uint64_t tile_at(const struct schedule *schedule, uint64_t index)
{
    CHECKED(index < schedule->total);
    if (schedule->config->oracle)
        return index;
    switch (schedule->config->policy) {
    case SCHEDULE_REVERSE: return schedule->total - 1 - index;
    case SCHEDULE_RANDOM: {
        __extension__ unsigned __int128 product =
            (unsigned __int128)index * schedule->stride + schedule->start;
        return (uint64_t)(product % schedule->total);
    }
    default: return index;
    }
}

/* ---- residence ------------------------------------------------------------------ */

/* Policies that choose step by step interleave work-groups: they get one for each compute unit. */
static uint32_t residents_wanted(const struct schedule *schedule)
{
    const struct schedule_config *config = schedule->config;
    if (config->resident_groups)
        return config->resident_groups;
    return schedule_chooses(config) ? schedule->launch->compute_unit_count : 1;
}

/* Bounds the memory of resident groups: by their number, and by their work-items if there are more. */
static uint32_t residents_most(const struct schedule *schedule)
{
    const uint64_t *size = schedule->launch->info.local_size;
    const uint64_t items = size[0] * size[1] * size[2], fit = RESIDENT_ITEMS / (items ? items : 1);
    return fit < RESIDENT_MOST         ? RESIDENT_MOST
           : fit > RESIDENT_MOST_SMALL ? RESIDENT_MOST_SMALL
                                       : (uint32_t)fit;
}

static bool resident_room(struct schedule *schedule)
{
    if (schedule->count < schedule->room)
        return true;
    uint32_t room = schedule->room ? schedule->room * 2 : 8;
    struct group **resident = realloc(schedule->resident, room * sizeof(struct group *));
    if (!resident)
        return false;
    schedule->resident = resident;
    schedule->room = room;
    return true;
}

struct group *schedule_admit_tile(struct schedule *schedule, uint64_t tile)
{
    CHECKED(tile < schedule->total);
    struct group *group = resident_room(schedule) ? group_admit(schedule->launch, tile) : NULL;
    schedule->arrivals++;
    if (group)
        schedule->resident[schedule->count++] = group;
    else if (schedule->count == 0) /* otherwise a resident group may still end and free memory */
        schedule->status = STATUS_OUT_OF_RESOURCES;
    if (group && schedule->config->policy == SCHEDULE_PCT)
        pct_admit(schedule, group);
    return group;
}

static void note_progress(struct schedule *schedule)
{
    const struct schedule_watch *watch = schedule->config->watch;
    if (!watch || !watch->progress || !schedule->total)
        return;
    const uint32_t percent = (uint32_t)((double)schedule->next * 100 / (double)schedule->total);
    if (percent + 1 == schedule->percent)
        return;
    schedule->percent = percent + 1;
    watch->progress(schedule->launch->info.launch, schedule->launch->info.kernel, percent);
}

static void admit(struct schedule *schedule)
{
    if (!choose_admits(schedule)) {
        while (schedule->count < schedule->target && schedule->next < schedule->total) {
            if (!schedule_admit_tile(schedule, tile_at(schedule, schedule->next)))
                break;
            schedule->next++;
        }
    }
    note_progress(schedule);
}

static void retire(struct schedule *schedule, struct group *group)
{
    choose_retired(schedule, group);
    group_retire(group);
}

/* The number of ready waves. */
static uint64_t schedule_ready(const struct schedule *schedule)
{
    uint64_t ready = 0;
    for (uint32_t i = 0; i < schedule->count; i++)
        ready += schedule->resident[i]->ready_count;
    return ready;
}

static bool more_may_come(struct schedule *schedule)
{
    if (choose_admits(schedule))
        return choose_more(schedule);
    return schedule->next < schedule->total && schedule->count < schedule->most;
}

/* Step by step: some resident group has not taken its first step. */
static bool some_to_begin(const struct schedule *schedule)
{
    for (uint32_t i = 0; schedule_chooses(schedule->config) && i < schedule->count; i++)
        if (!schedule->resident[i]->stepped && schedule->resident[i]->ready_count)
            return true;
    return false;
}

static enum helper helper_of(struct schedule *schedule)
{
    if (more_may_come(schedule) || some_to_begin(schedule))
        return HELPER_GROUP;
    return schedule->concurrent->others_wait ? HELPER_COMMAND : HELPER_NONE;
}

/* The number of residents doubles: admitting one group at a time would cost a pass over all waiting
 * groups for each. */
static uint32_t more_residents(const struct schedule *schedule)
{
    const uint32_t wanted = residents_wanted(schedule);
    const uint32_t many = schedule->count < schedule->most / 2 ? 2 * schedule->count : schedule->most;
    return many > wanted ? many : wanted;
}

static bool is_plain(const struct schedule *schedule)
{
    return !schedule_is_preemptive(schedule->config) && !schedule->launch->has_atomics;
}

/* When all resident waves spin: the work-group that they wait for may not be resident yet, or belong to
 * another launch. */
static void admit_when_stuck(struct schedule *schedule)
{
    uint64_t wait =
        schedule_ready(schedule) * schedule->idle_limit * (is_plain(schedule) ? IDLE_LIMIT_PLAIN : 1);
    if (schedule_is_preemptive(schedule->config) && !schedule_chooses(schedule->config))
        wait += IDLE_PREEMPTIVE / IDLE_LIMIT * schedule->idle_limit;
    enum helper helper = helper_of(schedule);
    bool alone = schedule->concurrent->count == 1, cycle = alone && livelock_check(schedule, helper);
    bool waits = cycle || schedule->idle_slices >= wait;
    if (waits && livelock_release_held(schedule, false))
        return;
    schedule->stuck = waits && wait && helper != HELPER_GROUP;
    if (!waits || helper != HELPER_GROUP)
        return;
    schedule->idle_slices = 0;
    if (cycle)
        schedule->begun_idle_slices = 0;
    livelock_group_arrived(schedule);
    if (schedule->idle_limit > 1)
        schedule->idle_limit /= 2;
    schedule->target = more_residents(schedule);
    CHECKED(schedule->target >= schedule->count || schedule->count > schedule->most);
}

/* ---- limits ------------------------------------------------------------------------ */

static int64_t slice_budget(const struct schedule *schedule)
{
    int64_t budget = SLICE_PLAIN;
    if (schedule_is_preemptive(schedule->config))
        return schedule->config->quantum ? schedule->config->quantum : 1;
    if (schedule->launch->has_atomics)
        budget = schedule->launch->contended ? SLICE_CONTENDED : SLICE_ATOMIC;
    uint64_t limit = schedule->config->max_steps;
    if (limit && limit - schedule->launch->steps < (uint64_t)budget)
        budget = (int64_t)(limit - schedule->launch->steps) + 1;
    return budget;
}

static void say_progress(struct sentence *why, const struct schedule *schedule, const struct group *group)
{
    uint64_t limit = schedule->config->max_steps;
    if (limit && schedule->launch->steps > limit)
        sentence_add(why, "the launch took more than %" PRIu64 " loop iterations (max_steps)", limit);
    else
        sentence_add(why, "the launch ran longer than %g seconds (timeout)",
                     schedule->config->timeout_seconds);
    sentence_add(why, "; work-group ");
    sentence_ids(why, group->tile.group_id);
    sentence_add(why, " has %" PRIu32 " of %" PRIu32 " waves still to finish", group->alive_count,
                 group->wave_count);
    if (schedule->count > 1)
        sentence_add(why, ", and %" PRIu32 " more work-groups run beside it", schedule->count - 1);
}

static void report_no_progress(const struct schedule *schedule, const struct group *group,
                               const struct wave *wave)
{
    const struct launch *launch = schedule->launch;
    struct finding finding = {.kind = FINDING_NO_PROGRESS, .kernel = launch->info.kernel, .access_count = 1};
    struct finding_access *access = &finding.access[0];
    uint32_t site = group_wave_place(wave), lane = group_wave_first_lane(wave);
    struct sentence why;
    launch_access(launch, site, access);
    access->has_item = true;
    origin_item(&wave->origin, lane, &access->item);
    sentence_init(&why);
    say_progress(&why, schedule, group);
    finding.why = why.bytes;
    finding.fix = "end the loop, or raise max_steps or the timeout if the kernel only needs longer";
    report_stop(launch->report, &finding);
}

static bool past_limits(const struct schedule *schedule)
{
    uint64_t limit = schedule->config->max_steps;
    return (limit && schedule->launch->steps > limit) || deadline_passed(&schedule->deadline);
}

static bool is_stopped(const struct launch *launch)
{
    const uint8_t stop = launch->stop ? __atomic_load_n(launch->stop, __ATOMIC_RELAXED) : LAUNCH_GOES_ON;
    return stop == LAUNCH_STOPS || (stop == LAUNCH_STOPS_IN_TIME && launch->steps > LAUNCH_PATIENCE);
}

/* ---- the host's wait ---------------------------------------------------------------- */

static bool is_watched_for_long(const struct schedule *schedule)
{
    const struct schedule_config *config = schedule->config;
    return config->watch && !(config->timeout_seconds > 0) && !config->max_steps;
}

/* The launch spins and changes no memory that the host may write. The executor then waits for the host and
 * prints a note of its own. */
static bool waits_for_host(const struct schedule *schedule)
{
    const struct memory *memory = &schedule->launch->arena->memory;
    return schedule->stuck && cycle_host_may_write(memory) &&
           cycle_memory_hash(memory) == schedule->concurrent->still;
}

/* Prints at most one note for a launch. */
static void note_when_slow(struct schedule *schedule)
{
    if (!deadline_passed(&schedule->slow.deadline))
        return;
    if (waits_for_host(schedule)) {
        deadline_set(&schedule->slow.deadline, SLOW_SECONDS);
        return;
    }
    schedule->slow.deadline = (struct deadline){0};
    positions_note_slow(schedule, SLOW_SECONDS);
}

/* After a time slice; the wall clock is read once in SLOW_STEPS loop iterations. */
static void check_whether_slow(struct schedule *schedule)
{
    const uint64_t steps = schedule->launch->steps;
    if (steps < schedule->slow.check_at)
        return;
    schedule->slow.check_at = steps + SLOW_STEPS;
    note_when_slow(schedule);
}

static bool is_interrupted(const struct schedule *schedule)
{
    return schedule->config->watch && *schedule->config->watch->signal;
}

bool schedule_interrupted(struct schedule *schedule)
{
    note_when_slow(schedule);
    return is_interrupted(schedule);
}

/* ---- time slices --------------------------------------------------------------------- */

/* Groups without a step do not count in begun_idle_slices: a replay may admit them later than the recorded
 * run did, and must find the same cycle at the same step. */
static void note_idle(struct schedule *schedule, const struct group *group, bool idle)
{
    schedule->idle_slices = idle ? schedule->idle_slices + 1 : 0;
    if (group->stepped)
        schedule->begun_idle_slices = idle ? schedule->begun_idle_slices + 1 : 0;
}

void schedule_slice(struct schedule *schedule, struct group *group, uint32_t index, int64_t budget,
                    enum run_result *out_result)
{
    const struct wave *wave = group->waves[index].wave;
    group->begun = true;
    CHECKED(index < group->wave_count && group->waves[index].state == WAVE_READY);
    livelock_before_slice(schedule, group, index);
    enum run_result result = group_run(group, index, budget);
    const bool waits = result == RUN_BARRIER || result == RUN_COLLECTIVE;
    group->waves[index].barriers += waits;
    livelock_after_slice(schedule, group, index, result);
    if (waits && group->waves[index].state == WAVE_READY && schedule_chooses(schedule->config))
        livelock_at_sub_group_barrier(schedule, group, index);
    note_idle(schedule, group, result == RUN_YIELD || (waits && group->laps.cycles));
    if (result == RUN_ABORTED) {
        schedule->status = STATUS_ABORTED;
    } else if (is_interrupted(schedule)) {
        concurrent_interrupted(schedule->concurrent, schedule->config->watch);
        schedule->status = STATUS_STOPPED;
    } else if (is_stopped(schedule->launch)) {
        schedule->status = STATUS_STOPPED;
    } else if (past_limits(schedule)) {
        schedule->status = STATUS_NO_PROGRESS;
        report_no_progress(schedule, group, group->waves[index].wave ? wave : group_any_wave(group));
    }
    check_whether_slow(schedule);
    if (schedule->status == STATUS_OK && group->ready_count == 0 && group->held_count) {
        group_release_held(group);
        schedule->idle_slices = 0;
    } else if (schedule->status == STATUS_OK && group->ready_count == 0 && !group_finished(group)) {
        if (schedule_chooses(schedule->config))
            livelock_at_group_barrier(schedule, group);
        group_settle(group);
        if (!group->laps.cycles)
            note_idle(schedule, group, false);
    }
    *out_result = result;
}

bool schedule_running(const struct schedule *schedule, const struct group *group)
{
    return schedule->status == STATUS_OK && !group_finished(group);
}

/* Runs the waves that a debugger chooses before the pass's own wave, a time slice each. False: the pass's own
 * wave cannot run any more. */
static bool run_forked(struct schedule *schedule, struct group *group, uint32_t index)
{
    for (;;) {
        enum run_result ignored;
        const struct pick pick = choose_forked(schedule, (struct pick){group, index}, true);
        schedule->chooser.steps++;
        if (pick.group == group && pick.index == index)
            return true;
        schedule->launch->forked = true;
        schedule_slice(schedule, pick.group, pick.index, slice_budget(schedule), &ignored);
        if (!schedule_running(schedule, group) || group->waves[index].state != WAVE_READY)
            return false;
    }
}

static enum run_result run_slice(struct schedule *schedule, struct group *group, uint32_t index)
{
    enum run_result result = RUN_YIELD;
    if (!schedule->config->fork || run_forked(schedule, group, index))
        schedule_slice(schedule, group, index, slice_budget(schedule), &result);
    return result;
}

/* Time slices of one wave until it ends, waits or repeats its state: a device that promises no progress may
 * run sub-groups one after another. If it completes a barrier, the other waves continue first, in order. */
static void run_slices(struct schedule *schedule, struct group *group, uint32_t index)
{
    const uint64_t idle = schedule->idle_slices;
    const uint32_t ready = group->ready_count;
    bool continues;
    livelock_alone_begin(schedule);
    do {
        const bool yields = run_slice(schedule, group, index) == RUN_YIELD;
        const bool is_ready = schedule_running(schedule, group) && group->waves[index].state == WAVE_READY;
        const bool released_others = !yields && group->ready_count > ready;
        continues = is_ready && !released_others && !livelock_alone_ends(schedule, group, index, !yields);
    } while (continues);
    if (schedule->idle_slices > idle + 1)
        schedule->idle_slices = idle + 1;
}

static bool is_serial(const struct schedule *schedule)
{
    const enum schedule_policy policy = schedule->config->policy;
    return !schedule->config->oracle && (policy == SCHEDULE_SERIAL || policy == SCHEDULE_REVERSE);
}

/* One time slice for each ready wave, also for waves that split off during the pass: a wave that spins may
 * wait for them. Under serial and reverse, a pass ends when the last wave completes a barrier, so that all
 * waves continue from it in order; that wave may have arrived last because it waited for others. */
static void give_slices(struct schedule *schedule, struct group *group, bool descending)
{
    for (uint32_t i = 0; i < group->wave_count && schedule_running(schedule, group); i++) {
        uint32_t index = descending ? group->wave_count - 1 - i : i;
        const bool last = group->ready_count == 1;
        if (group->waves[index].state != WAVE_READY)
            continue;
        if (livelock_runs_alone(schedule))
            run_slices(schedule, group, index);
        else
            run_slice(schedule, group, index);
        if (last && is_serial(schedule) && group->ready_count > 1 && group->ready_count == group->alive_count)
            return;
    }
}

/* One pass over the group's waves. True: every wave only spun. */
static bool pass_over(struct schedule *schedule, struct group *group, bool descending)
{
    const uint64_t brought_nothing = schedule->idle_slices + group->ready_count;
    give_slices(schedule, group, descending);
    const bool idle = schedule->idle_slices >= brought_nothing;
    group->laps.passes++;
    if (schedule_running(schedule, group) && (!idle || group->laps.cycles))
        livelock_after_pass(schedule, group);
    return idle;
}

/* Passes over the group until it ends, or until every wave only spins. */
static void run_group(struct schedule *schedule, struct group *group, bool descending)
{
    livelock_first_group_begin(schedule);
    do {
        const uint64_t idle = schedule->idle_slices;
        if (!pass_over(schedule, group, descending) || !schedule_running(schedule, group))
            continue;
        if (!livelock_first_group(schedule, group))
            return;
        schedule->idle_slices = idle;
    } while (schedule_running(schedule, group));
}

static void pass(struct schedule *schedule)
{
    enum schedule_policy policy = schedule->config->policy;
    if (schedule_chooses(schedule->config)) {
        choose_step(schedule);
        return;
    }
    for (uint32_t i = 0; i < schedule->count && schedule->status == STATUS_OK; i++) {
        struct group *group = schedule->resident[i];
        if (policy == SCHEDULE_ROUND_ROBIN)
            pass_over(schedule, group, false);
        else
            run_group(schedule, group, policy == SCHEDULE_REVERSE);
    }
}

static void retire_finished(struct schedule *schedule)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < schedule->count; i++) {
        if (group_finished(schedule->resident[i]))
            retire(schedule, schedule->resident[i]);
        else
            schedule->resident[left++] = schedule->resident[i];
    }
    if (left == schedule->count)
        return;
    CHECKED(left < schedule->count);
    schedule->count = left;
    schedule->idle_limit = IDLE_LIMIT;
    schedule->target = residents_wanted(schedule);
}

static void schedule_init(struct schedule *schedule, struct launch *launch, struct diagnosis *diagnosis)
{
    schedule->launch = launch;
    schedule->config = launch->schedule;
    schedule->diagnosis = diagnosis;
    schedule->idle_limit = IDLE_LIMIT;
    schedule->chooser.last = UNIT_NONE;
    schedule->total = launch->tiling.tile_total;
    launch->splits_freely =
        launch->config->progress == PROGRESS_FAIR || schedule_is_preemptive(schedule->config);
    schedule->most = residents_most(schedule);
    schedule->target = residents_wanted(schedule);
    deadline_set(&schedule->deadline, launch->schedule->timeout_seconds);
    schedule->slow.check_at = UINT64_MAX;
    if (is_watched_for_long(schedule)) {
        schedule->slow.check_at = SLOW_STEPS;
        deadline_set(&schedule->slow.deadline, SLOW_SECONDS);
    }
    rng_init(&schedule->waves, launch->schedule->seed, RNG_SCHEDULE_WAVES, launch->info.launch);
    rng_init(&launch->spurious, launch->schedule->seed, RNG_SPURIOUS, launch->info.launch);
    if (launch->schedule->policy == SCHEDULE_RANDOM && schedule->total)
        shuffle_tiles(schedule);
}

static bool unfinished(const struct schedule *schedule)
{
    return schedule->status == STATUS_OK && (schedule->count || choose_unfinished(schedule));
}

static void count_launch(const struct schedule *schedule)
{
    const struct schedule_watch *watch = schedule->config->watch;
    if (watch && watch->launches)
        ++*watch->launches;
}

struct schedule *schedule_new(struct launch *launch, struct concurrent *concurrent,
                              struct diagnosis *diagnosis)
{
    struct schedule *schedule = calloc(1, sizeof *schedule);
    if (!schedule)
        return NULL;
    schedule->concurrent = concurrent;
    schedule_init(schedule, launch, diagnosis);
    count_launch(schedule);
    if (!schedule_chooses(launch->schedule) || choose_init(schedule))
        admit(schedule);
    return schedule;
}

/* Checks after the passes 1, 2, 4, ... and every 1024th, since a launch may have millions of passes. */
static void check_now_and_then(struct schedule *schedule)
{
    const uint32_t passes = ++schedule->passes;
    if (!(passes & (passes - 1)) || passes % 1024 == 0)
        schedule_check(schedule);
}

bool schedule_pass(struct schedule *schedule)
{
    if (!unfinished(schedule))
        return false;
    pass(schedule);
    retire_finished(schedule);
    admit_when_stuck(schedule);
    if (schedule->status == STATUS_OK)
        admit(schedule);
    if (CHECKS_ON)
        check_now_and_then(schedule);
    return unfinished(schedule);
}

bool schedule_is_stuck(const struct schedule *schedule)
{
    return schedule->stuck;
}

void schedule_company_changed(struct schedule *schedule)
{
    schedule->livelock.idle_before = UINT64_MAX;
}

uint32_t schedule_priority_changes(const struct schedule *schedule)
{
    return schedule->chooser.pct.passed;
}

enum status schedule_free(struct schedule *schedule)
{
    enum status status = schedule->status;
    while (schedule->count)
        retire(schedule, schedule->resident[--schedule->count]);
    choose_fini(schedule);
    livelock_forget_wait(schedule);
    free(schedule->resident);
    free(schedule);
    return status;
}

/* ---- invariants ---------------------------------------------------------------------- */

static void check_residents(const struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct group *group = schedule->resident[i];
        CHECKED(group->launch == schedule->launch && group->number < schedule->total);
        for (uint32_t k = 0; k < i; k++)
            CHECKED(schedule->resident[k]->number != group->number);
        group_check(group);
    }
}

static void check_chooser(const struct schedule *schedule)
{
    const struct chooser *chooser = &schedule->chooser;
    CHECKED(!chooser->group || chooser->index < chooser->group->wave_count);
    CHECKED(!chooser->group || chooser->group->number == chooser->last.tile);
    CHECKED(chooser->last_steps <= chooser->steps);
    CHECKED(chooser->pct.passed <= chooser->pct.count);
    for (uint32_t i = 1; i < chooser->pct.count; i++)
        CHECKED(chooser->pct.change[i - 1] <= chooser->pct.change[i]);
    CHECKED(chooser->lowest_unstarted <= schedule->total);
}

void schedule_check(const struct schedule *schedule)
{
    CHECKED(schedule->count <= schedule->room && schedule->next <= schedule->total);
    CHECKED(schedule->idle_limit > 0 && schedule->target > 0);
    CHECKED(schedule->livelock.reported <= REPORTED_MOST);
    check_residents(schedule);
    check_chooser(schedule);
}
