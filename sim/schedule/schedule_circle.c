/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the launch returned to an earlier state? In passes all state that decides the next step is compared:
 * the place of every resident wave, and memory. Step by step it is enough that each ready wave went round a
 * circle of its own while memory did not change: no order of them does. Both are proofs, not guesses: a loop
 * that waits for a limit is never twice in the same state; one that counts its iterations for code after it
 * is (wave_fingerprint).
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "orrery/checked.h"
#include "sim/device/device_enqueue.h"
#include "sim/device/host_memory.h"
#include "schedule_livelock.h"

enum {
    CIRCLE_SHARE = 8,    /* of the passes before the mark: no longer circle is found then */
    IDLE_STEPS = 256,    /* of the launch that brought nothing, until its waves are watched */
    LAP_PASSES = 256,    /* past barriers, until states are compared: kernels that get on have many, too */
    LAP_SHARE = 256,     /* of the passes before the mark: are compared with it */
    LAP_LOOKS = 4,       /* at all memory, per mark */
    LAP_LIMIT = 1 << 16, /* passes past barriers, until others come all the same where progress is promised */
    LAP_STAND = 64       /* passes for that */
};

/* ---- state ------------------------------------------------------------------------- */

bool circle_host_may_write(const struct memory *memory)
{
    if (memory->host.permits && host_memory_touched(memory->host.self))
        return true;
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (memory->regions[i].flags & REGION_FLAG_SHARED && !(memory->regions[i].flags & REGION_FLAG_FREED))
            return true;
    return false;
}

/* Of memory of the host: how often kernels may have written there. */
uint64_t circle_memory(const struct memory *memory)
{
    uint64_t hash = memory->host.permits ? host_memory_writes(memory->host.self) : 0;
    for (uint32_t i = 1; i < memory->region_count; i++) {
        const struct region *region = &memory->regions[i];
        bool counts = region->kind != REGION_NONE && region->kind != REGION_CONSTANT_DATA &&
                      !(region->flags & REGION_FLAG_FREED) && region->low < region->high;
        if (counts)
            hash =
                XXH3_64bits_withSeed(memory_byte(region, region->low), region->high - region->low, hash + i);
    }
    return hash;
}

/* The kernels that it has enqueued. */
static uint64_t launch_hash(const struct launch *launch)
{
    const struct launch_node *node = launch->node;
    return node ? (uint64_t)node->family->serial << 32 | node->family->user_events : 0;
}

static uint64_t hash_group(const struct group *group, uint64_t hash)
{
    hash += launch_hash(group->launch);
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct group_wave *wave = &group->waves[i];
        uint64_t parts[] = {group->number, i, wave->state,
                            wave->state == WAVE_DONE ? 0 : wave_fingerprint(wave->wave)};
        hash = XXH3_64bits_withSeed(parts, sizeof parts, hash);
    }
    return hash;
}

/* And what decides whether barriers count as progress. */
static uint64_t hash_waves(const struct schedule *schedule, uint64_t hash)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        const uint64_t parts[] = {group->laps.circles, group->laps.circles
                                                           ? group->laps.passes - group->laps.seen
                                                           : group->laps.past};
        hash = hash_group(group, XXH3_64bits_withSeed(parts, sizeof parts, hash));
    }
    return hash;
}

/* Only the launches write: the host does not, nor another process to memory of it that they have touched. */
bool circle_is_proof(const struct concurrent *concurrent, const struct memory *memory)
{
    if (!concurrent->host_waits)
        return !circle_host_may_write(memory);
    return !memory->host.permits || !host_memory_foreign(memory->host.self);
}

/* States are compared with that of a mark, which was set after that many time slices or passes. A round of
 * back edges that does not divide a time slice comes out even only after several. */
static uint64_t circle_window(uint64_t mark)
{
    const uint64_t share = mark / CIRCLE_SHARE;
    return share > CIRCLE_PASSES ? share : CIRCLE_PASSES;
}

/* As it was when the waves last had these places. All of it is compared only if they return to these: loops
 * that compute never do, and memory may be large. */
static bool is_same_memory(const struct memory *memory, bool *seen, uint64_t *latest)
{
    const uint64_t now = circle_memory(memory);
    const bool same = *seen && now == *latest;
    *seen = true;
    *latest = now;
    return same;
}

/* ---- in passes ------------------------------------------------------------------------ */

/* The mark is set after 16, 32, 64 ... idle passes, and compared with the few passes that follow: circles are
 * short at first, and a long wait for a lock costs little. */
static bool passes_repeat(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    const struct memory *memory = &schedule->launch->arena->memory;
    if (schedule->idle_slices <= livelock->idle_before) {
        livelock->idle_before = schedule->idle_slices;
        livelock->passes = 0;
        livelock->next_mark = IDLE_PASSES;
        return false;
    }
    livelock->idle_before = schedule->idle_slices;
    if (++livelock->passes < livelock->next_mark)
        return false;
    if (livelock->passes == livelock->next_mark) {
        livelock->waves = hash_waves(schedule, 0);
        livelock->seen = false;
        return false;
    }
    if (livelock->passes == livelock->next_mark + circle_window(livelock->next_mark))
        livelock->next_mark = 2 * livelock->passes;
    return hash_waves(schedule, 0) == livelock->waves &&
           is_same_memory(memory, &livelock->seen, &livelock->memory);
}

/* ---- past barriers ---------------------------------------------------------------------- */

/* With its local memory, which is soon looked at. */
static uint64_t hash_lap(const struct group *group)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < group->pool->code->local_object_count; i++) {
        const struct region *region = group->locals[i];
        if (region->low < region->high)
            hash =
                XXH3_64bits_withSeed(memory_byte(region, region->low), region->high - region->low, hash + i);
    }
    return hash_group(group, hash);
}

/* It waits no more when it does not come back to where it stood, within two rounds. */
static void goes_round(struct group *group)
{
    CHECKED(group->laps.circles && group->laps.seen <= group->laps.passes);
    const uint64_t since = group->laps.passes - group->laps.seen;
    if (since < group->laps.period)
        return;
    if (hash_lap(group) == group->laps.waves)
        group->laps.seen = group->laps.passes;
    else if (since > 2 * group->laps.period + CIRCLE_PASSES)
        memset(&group->laps, 0, sizeof group->laps);
}

/* A group in an earlier state, with memory unchanged, waits for others. That decides which one continues, and
 * proves nothing about them: the proof compares all. */
void livelock_lap(struct schedule *schedule, struct group *group)
{
    const struct memory *memory = &schedule->launch->arena->memory;
    if (group->laps.circles) {
        goes_round(group);
        return;
    }
    const uint64_t past = ++group->laps.past;
    if (!group->laps.next_mark)
        group->laps.next_mark = LAP_PASSES;
    if (past == LAP_LIMIT && schedule->launch->config->progress == PROGRESS_FAIR) {
        group->laps.circles = true; /* what it waits for may be more than memory shows */
        group->laps.period = LAP_STAND;
        group->laps.seen = group->laps.passes;
        group->laps.waves = hash_lap(group);
        return;
    }
    if (past < group->laps.next_mark)
        return;
    const uint64_t waves = hash_lap(group), share = group->laps.next_mark / LAP_SHARE;
    if (past == group->laps.next_mark) {
        group->laps.waves = waves;
        group->laps.looks = 0;
        return;
    }
    if (past == group->laps.next_mark + (share > 2 * CIRCLE_PASSES ? share : 2 * CIRCLE_PASSES))
        group->laps.next_mark = 2 * past;
    if (waves != group->laps.waves || group->laps.looks == LAP_LOOKS)
        return;
    const uint64_t now = circle_memory(memory);
    if (group->laps.looks++ == 0) {
        group->laps.memory = now;
        group->laps.seen = group->laps.passes;
    } else if (now == group->laps.memory) {
        group->laps.circles = true;
        group->laps.period = group->laps.passes - group->laps.seen;
        group->laps.seen = group->laps.passes;
    }
}

/* ---- step by step ------------------------------------------------------------------------ */

/* False: it has not been in that state, as far as is known. */
static bool stood_so(struct watched *watched, uint64_t epoch, uint64_t fingerprint)
{
    if (watched->epoch != epoch + 1) {
        *watched = (struct watched){.epoch = epoch + 1, .fingerprint = fingerprint, .lap = 1, .left = 1};
    } else if (fingerprint == watched->fingerprint) {
        watched->left = 0;
    } else if (watched->left && --watched->left == 0) {
        watched->left = watched->lap *= 2;
        CHECKED(watched->lap > 0);
        watched->fingerprint = fingerprint;
    }
    return watched->left == 0;
}

static bool has_circled(const struct watched *watched, uint64_t epoch)
{
    return watched->epoch == epoch + 1 && watched->left == 0;
}

void livelock_watch(struct schedule *schedule, struct group_wave *wave)
{
    if (schedule->still >= IDLE_STEPS && wave->state == WAVE_READY)
        stood_so(&wave->watched, schedule->concurrent->epoch, wave_fingerprint(wave->wave));
}

/* Waves are work-items, step by step: those of a sub-group stand in a row. */
static uint32_t sub_group_items(const struct group *group)
{
    const uint32_t size = group->launch->info.sub_group_size;
    return size ? size : 1;
}

static struct watched *meeting_of(struct group *group, uint32_t sub_group)
{
    if (sub_group >= group->meeting_count) {
        const uint32_t count = (group->base_count - 1) / sub_group_items(group) + 1;
        CHECKED(sub_group < count);
        struct watched *meetings = realloc(group->meetings, count * sizeof *meetings);
        if (!meetings)
            return NULL;
        memset(meetings + group->meeting_count, 0, (count - group->meeting_count) * sizeof *meetings);
        group->meetings = meetings;
        group->meeting_count = count;
    }
    return &group->meetings[sub_group];
}

static bool sub_group_circled(const struct group *group, uint32_t index, uint64_t epoch)
{
    const uint32_t sub_group = index / sub_group_items(group);
    return sub_group < group->meeting_count && has_circled(&group->meetings[sub_group], epoch);
}

/* Until all of it waits again, each goes its way in whatever order: that depends on memory alone. */
void livelock_meet(struct schedule *schedule, struct group *group)
{
    for (uint32_t i = 0; i < group->meeting_count; i++)
        group->meetings[i].epoch = 0;
    if (group->stepped && ++group->laps.past >= IDLE_PASSES &&
        stood_so(&group->laps.meeting, schedule->concurrent->epoch, hash_group(group, 0)))
        group->laps.circles = true;
}

/* The same of a sub-group, while it does not wait for the others of its work-group. */
void livelock_meet_sub_group(struct schedule *schedule, struct group *group, uint32_t index)
{
    if (!group->stepped || ++group->laps.past < IDLE_PASSES)
        return;
    const uint32_t size = sub_group_items(group), first = index / size * size;
    struct watched *meeting = meeting_of(group, index / size);
    uint64_t hash = launch_hash(group->launch);
    for (uint32_t i = first; i < group->base_count && i < first + size; i++) {
        const struct group_wave *wave = &group->waves[i];
        uint64_t parts[] = {wave->state, wave->state == WAVE_DONE ? 0 : wave_fingerprint(wave->wave)};
        hash = XXH3_64bits_withSeed(parts, sizeof parts, hash);
    }
    if (meeting && stood_so(meeting, schedule->concurrent->epoch, hash))
        group->laps.circles = true;
}

void livelock_moves(struct group *group)
{
    group->laps.past = 0;
    group->laps.circles = false;
}

/* All that have begun, in any order of continuing; one that has not begun may still arrive. */
static bool all_circle(const struct schedule *schedule)
{
    uint32_t circling = 0;
    const uint64_t epoch = schedule->concurrent->epoch;
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        if (!group->stepped)
            continue;
        if (has_circled(&group->laps.meeting, epoch)) {
            circling++;
            continue;
        }
        for (uint32_t i = 0; i < group->wave_count; i++) {
            const struct group_wave *wave = &group->waves[i];
            if (wave->state != WAVE_READY)
                continue;
            if (!has_circled(&wave->watched, epoch) && !sub_group_circled(group, i, epoch))
                return false;
            circling++;
        }
    }
    return circling > 0;
}

static uint64_t ready_begun(const struct schedule *schedule)
{
    uint64_t ready = 0;
    for (uint32_t g = 0; g < schedule->count; g++)
        ready += schedule->resident[g]->stepped ? schedule->resident[g]->ready_count : 0;
    return ready;
}

/* A function of the steps so far alone, like the default rule: a replay finds it at the same step. */
static bool steps_repeat(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    if (schedule->still < 2 * IDLE_STEPS || schedule->chooser.steps < livelock->next_look)
        return false;
    livelock->next_look = schedule->chooser.steps + ready_begun(schedule);
    return all_circle(schedule);
}

bool circle_of_launch(struct schedule *schedule)
{
    return schedule_chooses(schedule->config) ? steps_repeat(schedule) : passes_repeat(schedule);
}

/* ---- of one wave, of one group ------------------------------------------------------------ */

/* No other unit has run since the mark, so it reads what it wrote itself. */
bool circle_of_wave(struct schedule *schedule, const struct wave *wave)
{
    struct livelock *livelock = &schedule->livelock;
    const struct memory *memory = &schedule->launch->arena->memory;
    const uint64_t slices = ++livelock->alone.slices, mark = livelock->alone.next_mark;
    if (slices < mark)
        return false;
    if (slices == mark) {
        livelock->alone.wave = wave_fingerprint(wave);
        livelock->alone.seen = false;
        return false;
    }
    if (slices == mark + circle_window(mark))
        livelock->alone.next_mark = 2 * slices;
    return wave_fingerprint(wave) == livelock->alone.wave &&
           is_same_memory(memory, &livelock->alone.seen, &livelock->alone.memory);
}

bool circle_of_group(struct schedule *schedule, const struct group *group)
{
    struct livelock *livelock = &schedule->livelock;
    const uint64_t waves = hash_group(group, 0);
    if (livelock->first.passes == IDLE_PASSES) {
        livelock->first.waves = waves;
        livelock->first.seen = false;
        return false;
    }
    return waves == livelock->first.waves &&
           is_same_memory(&schedule->launch->arena->memory, &livelock->first.seen, &livelock->first.memory);
}

/* ---- several launches ---------------------------------------------------------------------------- */

static uint64_t hash_all_waves(const struct concurrent *concurrent)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < concurrent->count; i++)
        hash = hash_waves(concurrent->live[i]->schedule, hash + i);
    return hash;
}

/* Passes in a fixed order: what they do is a function of the waves and of memory. */
static bool rounds_repeat(struct concurrent *concurrent, const struct memory *memory)
{
    CHECKED(concurrent->count > 1);
    uint64_t round = concurrent->circle.rounds++;
    if (round == 0)
        concurrent->circle.next_mark = IDLE_PASSES;
    if (round < concurrent->circle.next_mark)
        return false;
    if (round == concurrent->circle.next_mark) {
        concurrent->circle.waves = hash_all_waves(concurrent);
        concurrent->circle.memory = circle_memory(memory);
        return false;
    }
    if (round == concurrent->circle.next_mark + CIRCLE_PASSES)
        concurrent->circle.next_mark = 2 * round;
    return hash_all_waves(concurrent) == concurrent->circle.waves &&
           circle_memory(memory) == concurrent->circle.memory;
}

static bool all_launches_circle(const struct concurrent *concurrent)
{
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (!all_circle(concurrent->live[i]->schedule))
            return false;
    return true;
}

bool circle_of_all(struct concurrent *concurrent)
{
    const struct launch *first = &concurrent->live[0]->launch;
    const struct memory *memory = &first->arena->memory;
    return schedule_chooses(first->schedule) ? all_launches_circle(concurrent)
                                             : rounds_repeat(concurrent, memory);
}
