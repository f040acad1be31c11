/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the launch returned to an earlier state? Then it repeats for ever (a lasso, as in model checking).
 *
 * In passes, all state that decides the next step is compared: the registers and place of every resident
 * wave, and memory. Both are saved as hashes at a mark and compared after each pass that follows; marks are
 * set at doubling distances, as in Brent's cycle detection, so that a cycle of any length is found.
 *
 * Step by step it is enough that each ready wave has returned to a state of its own while memory did not
 * change: then no order of their steps changes memory.
 *
 * Both are proofs. A loop that counts towards a limit is never in the same state twice; a counter that is
 * only read after the loop is left out of the state (wave_fingerprint).
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "orrery/checked.h"
#include "sim/device/device_enqueue.h"
#include "sim/device/host_memory.h"
#include "schedule_livelock.h"

enum {
    CYCLE_SHARE = 8,     /* an eighth of the passes before a mark are compared with it: the longest cycle */
    IDLE_STEPS = 256,    /* step by step: idle steps of the launch before its waves are watched */
    LAP_PASSES = 256,    /* passes over barriers before states are compared: useful kernels have many, too */
    LAP_SHARE = 256,     /* a 256th of the passes before a mark are compared with it */
    LAP_LOOKS = 4,       /* hashes of all memory per mark */
    LAP_LIMIT = 1 << 16, /* passes over barriers after which others are admitted if progress is promised */
    LAP_STAND = 64       /* the period that is assumed then */
};

/* ---- state ------------------------------------------------------------------------- */

bool cycle_host_may_write(const struct memory *memory)
{
    if (memory->host.permits && host_memory_touched(memory->host.self))
        return true;
    for (uint32_t i = 1; i < memory_region_count(memory); i++)
        if (region_is_there(&memory->regions[i]) && memory->regions[i].flags & REGION_FLAG_SHARED &&
            !(memory->regions[i].flags & REGION_FLAG_FREED))
            return true;
    return false;
}

/* Host memory is not hashed; the number of accesses that may have written it stands for it. */
uint64_t cycle_memory_hash(const struct memory *memory)
{
    uint64_t hash = memory->host.permits ? host_memory_writes(memory->host.self) : 0;
    for (uint32_t i = 1; i < memory_region_count(memory); i++) {
        const struct region *region = &memory->regions[i];
        bool counts = region_is_there(region) && region->kind != REGION_CONSTANT_DATA &&
                      !(region->flags & REGION_FLAG_FREED) && region->low < region->high;
        if (counts)
            hash =
                XXH3_64bits_withSeed(memory_byte(region, region->low), region->high - region->low, hash + i);
    }
    return hash;
}

/* Changes when the launch enqueues a kernel or changes a user event. */
static uint64_t launch_hash(const struct launch *launch)
{
    const struct launch_node *node = launch->node;
    return node ? (uint64_t)node->tree->serial << 32 | node->tree->user_events : 0;
}

static uint64_t hash_wave(const struct group *group, uint32_t at, uint64_t hash)
{
    const struct group_wave *wave = &group->waves[at];
    uint64_t parts[] = {group->number, at, wave->state,
                        wave->state == WAVE_DONE ? 0 : wave_fingerprint(wave->wave)};
    return XXH3_64bits_withSeed(parts, sizeof parts, hash);
}

static uint64_t hash_group(const struct group *group, uint64_t hash)
{
    hash += launch_hash(group->launch);
    for (uint32_t i = 0; i < group->wave_count; i++)
        hash = hash_wave(group, i, hash);
    return hash;
}

/* Includes the state that decides whether barriers count as progress. */
static uint64_t hash_waves(const struct schedule *schedule, uint64_t hash)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        const uint64_t parts[] = {group->laps.cycles, group->laps.cycles
                                                          ? group->laps.passes - group->laps.seen
                                                          : group->laps.past};
        hash = hash_group(group, XXH3_64bits_withSeed(parts, sizeof parts, hash));
    }
    return hash;
}

/* A repeated state is a proof if only the launches write: not the host, and no other process to memory that
 * they have touched. */
bool cycle_is_proof(const struct concurrent *concurrent, const struct memory *memory)
{
    if (!concurrent->host_waits)
        return !cycle_host_may_write(memory);
    return !memory->host.permits || !host_memory_foreign(memory->host.self);
}

/* How many passes are compared with a mark. More than one cycle may be necessary: a loop whose length
 * does not divide the time slice is in the same state only after several. */
static uint64_t cycle_window(uint64_t mark)
{
    const uint64_t share = mark / CYCLE_SHARE;
    return share > CYCLE_PASSES ? share : CYCLE_PASSES;
}

/* Called when the waves have the saved state: was memory the same the last time? Memory is hashed only
 * then: it may be large, and loops that compute never come here. */
static bool is_same_memory(const struct memory *memory, bool *seen, uint64_t *latest)
{
    const uint64_t now = cycle_memory_hash(memory);
    const bool same = *seen && now == *latest;
    *seen = true;
    *latest = now;
    return same;
}

/* ---- in passes ------------------------------------------------------------------------ */

static uint64_t hash_witness(const struct schedule *schedule)
{
    const struct livelock *livelock = &schedule->livelock;
    if (livelock->witness_group >= schedule->count)
        return 0;
    const struct group *group = schedule->resident[livelock->witness_group];
    return livelock->witness_at < group->wave_count ? hash_wave(group, livelock->witness_at, 0) : 0;
}

/* Saves the state of all waves, and by itself that of one which still runs: the first one. If it only
 * computes, it is in another state after each pass, so that the other waves need not be looked at. */
static void set_mark(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    livelock->waves = hash_waves(schedule, 0);
    livelock->seen = false;
    livelock->witness_group = livelock->witness_at = 0;
    for (uint32_t g = schedule->count; g-- > 0;)
        for (uint32_t i = schedule->resident[g]->wave_count; i-- > 0;)
            if (schedule->resident[g]->waves[i].state == WAVE_READY)
                livelock->witness_group = g, livelock->witness_at = i;
    livelock->witness = hash_witness(schedule);
}

/* Marks are set after 16, 32, 64, ... idle passes: cheap for short cycles, and for a long wait for a lock. */
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
        set_mark(schedule);
        return false;
    }
    if (livelock->passes == livelock->next_mark + cycle_window(livelock->next_mark))
        livelock->next_mark = 2 * livelock->passes;
    return hash_witness(schedule) == livelock->witness && hash_waves(schedule, 0) == livelock->waves &&
           is_same_memory(memory, &livelock->seen, &livelock->memory);
}

/* ---- past barriers ---------------------------------------------------------------------- */

/* Includes the group's local memory, which is small. */
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

/* The group has stopped repeating if it does not return to its state within two periods. */
static void note_cycle(struct group *group)
{
    CHECKED(group->laps.cycles && group->laps.seen <= group->laps.passes);
    const uint64_t since = group->laps.passes - group->laps.seen;
    if (since < group->laps.period)
        return;
    if (hash_lap(group) == group->laps.waves)
        group->laps.seen = group->laps.passes;
    else if (since > 2 * group->laps.period + CYCLE_PASSES)
        memset(&group->laps, 0, sizeof group->laps);
}

/* A group that repeats its state with unchanged memory waits for others, so its barriers are not
 * progress. This only decides who runs next; the proof of a livelock compares the state of all groups. */
void livelock_after_pass(struct schedule *schedule, struct group *group)
{
    const struct memory *memory = &schedule->launch->arena->memory;
    if (group->laps.cycles) {
        note_cycle(group);
        return;
    }
    const uint64_t past = ++group->laps.past;
    if (!group->laps.next_mark)
        group->laps.next_mark = LAP_PASSES;
    if (past == LAP_LIMIT && schedule->launch->config->progress == PROGRESS_FAIR) {
        group->laps.cycles = true; /* it may wait for something that memory does not show */
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
    if (past == group->laps.next_mark + (share > 2 * CYCLE_PASSES ? share : 2 * CYCLE_PASSES))
        group->laps.next_mark = 2 * past;
    if (waves != group->laps.waves || group->laps.looks == LAP_LOOKS)
        return;
    const uint64_t now = cycle_memory_hash(memory);
    if (group->laps.looks++ == 0) {
        group->laps.memory = now;
        group->laps.seen = group->laps.passes;
    } else if (now == group->laps.memory) {
        group->laps.cycles = true;
        group->laps.period = group->laps.passes - group->laps.seen;
        group->laps.seen = group->laps.passes;
    }
}

/* ---- step by step ------------------------------------------------------------------------ */

/* Notes a state of the unit in this epoch of memory. True: the unit is known to repeat its states. One
 * state is saved at a time, after 1, 2, 4, ... states (Brent), and compared with those that follow. */
static bool watch_state(struct watched *watched, uint64_t epoch, uint64_t fingerprint)
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

static bool has_cycled(const struct watched *watched, uint64_t epoch)
{
    return watched->epoch == epoch + 1 && watched->left == 0;
}

void livelock_after_step(struct schedule *schedule, struct group_wave *wave)
{
    if (schedule->begun_idle_slices >= IDLE_STEPS && wave->state == WAVE_READY)
        watch_state(&wave->watched, schedule->concurrent->epoch, wave_fingerprint(wave->wave));
}

/* Step by step each wave is one work-item, and the waves of a sub-group have consecutive indices. */
static uint32_t sub_group_items(const struct group *group)
{
    const uint32_t size = group->launch->info.sub_group_size;
    return size ? size : 1;
}

static struct watched *watched_sub_group(struct group *group, uint32_t sub_group)
{
    if (sub_group >= group->watched_count) {
        const uint32_t count = (group->base_count - 1) / sub_group_items(group) + 1;
        CHECKED(sub_group < count);
        struct watched *watched_sub_groups =
            realloc(group->watched_sub_groups, count * sizeof *watched_sub_groups);
        if (!watched_sub_groups)
            return NULL;
        memset(watched_sub_groups + group->watched_count, 0,
               (count - group->watched_count) * sizeof *watched_sub_groups);
        group->watched_sub_groups = watched_sub_groups;
        group->watched_count = count;
    }
    return &group->watched_sub_groups[sub_group];
}

static bool sub_group_cycled(const struct group *group, uint32_t index, uint64_t epoch)
{
    const uint32_t sub_group = index / sub_group_items(group);
    return sub_group < group->watched_count && has_cycled(&group->watched_sub_groups[sub_group], epoch);
}

/* All waves of the group wait. If the group was in this state before, with the same memory, it repeats:
 * between two barriers each wave's steps depend on memory alone, in any order. */
void livelock_at_group_barrier(struct schedule *schedule, struct group *group)
{
    for (uint32_t i = 0; i < group->watched_count; i++)
        group->watched_sub_groups[i].epoch = 0;
    if (group->stepped && ++group->laps.past >= IDLE_PASSES &&
        watch_state(&group->laps.at_barrier, schedule->concurrent->epoch, hash_group(group, 0)))
        group->laps.cycles = true;
}

/* The same for a sub-group that does not wait for the other sub-groups. */
void livelock_at_sub_group_barrier(struct schedule *schedule, struct group *group, uint32_t index)
{
    if (!group->stepped || ++group->laps.past < IDLE_PASSES)
        return;
    const uint32_t size = sub_group_items(group), first = index / size * size;
    struct watched *at_barrier = watched_sub_group(group, index / size);
    uint64_t hash = launch_hash(group->launch);
    for (uint32_t i = first; i < group->base_count && i < first + size; i++) {
        const struct group_wave *wave = &group->waves[i];
        uint64_t parts[] = {wave->state, wave->state == WAVE_DONE ? 0 : wave_fingerprint(wave->wave)};
        hash = XXH3_64bits_withSeed(parts, sizeof parts, hash);
    }
    if (at_barrier && watch_state(at_barrier, schedule->concurrent->epoch, hash))
        group->laps.cycles = true;
}

void livelock_memory_changed(struct group *group)
{
    group->laps.past = 0;
    group->laps.cycles = false;
}

/* Every ready wave of a group that has begun repeats its states, in whatever order they run. */
static bool all_cycle(const struct schedule *schedule)
{
    uint32_t circling = 0;
    const uint64_t epoch = schedule->concurrent->epoch;
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        if (!group->stepped)
            continue;
        if (has_cycled(&group->laps.at_barrier, epoch)) {
            circling++;
            continue;
        }
        for (uint32_t i = 0; i < group->wave_count; i++) {
            const struct group_wave *wave = &group->waves[i];
            if (wave->state != WAVE_READY)
                continue;
            if (!has_cycled(&wave->watched, epoch) && !sub_group_cycled(group, i, epoch))
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

/* Like the default rule a function of the steps alone: a replay finds the cycle at the same step. */
static bool steps_repeat(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    if (schedule->begun_idle_slices < 2 * IDLE_STEPS || schedule->chooser.steps < livelock->next_look)
        return false;
    livelock->next_look = schedule->chooser.steps + ready_begun(schedule);
    return all_cycle(schedule);
}

bool cycle_of_launch(struct schedule *schedule)
{
    return schedule_chooses(schedule->config) ? steps_repeat(schedule) : passes_repeat(schedule);
}

/* ---- of one wave, of one group ------------------------------------------------------------ */

/* No other unit has run since the mark, so memory has only this wave's writes. */
bool cycle_of_wave(struct schedule *schedule, const struct wave *wave)
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
    if (slices == mark + cycle_window(mark))
        livelock->alone.next_mark = 2 * slices;
    return wave_fingerprint(wave) == livelock->alone.wave &&
           is_same_memory(memory, &livelock->alone.seen, &livelock->alone.memory);
}

bool cycle_of_group(struct schedule *schedule, const struct group *group)
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

/* The launches have passes in a fixed order, so their steps are a function of the waves and of memory. */
static bool rounds_repeat(struct concurrent *concurrent, const struct memory *memory)
{
    CHECKED(concurrent->count > 1);
    uint64_t round = concurrent->cycle.rounds++;
    if (round == 0)
        concurrent->cycle.next_mark = IDLE_PASSES;
    if (round < concurrent->cycle.next_mark)
        return false;
    if (round == concurrent->cycle.next_mark) {
        concurrent->cycle.waves = hash_all_waves(concurrent);
        concurrent->cycle.memory = cycle_memory_hash(memory);
        return false;
    }
    if (round == concurrent->cycle.next_mark + CYCLE_PASSES)
        concurrent->cycle.next_mark = 2 * round;
    return hash_all_waves(concurrent) == concurrent->cycle.waves &&
           cycle_memory_hash(memory) == concurrent->cycle.memory;
}

static bool all_launches_cycle(const struct concurrent *concurrent)
{
    for (uint32_t i = 0; i < concurrent->count; i++)
        if (!all_cycle(concurrent->live[i]->schedule))
            return false;
    return true;
}

bool cycle_of_all(struct concurrent *concurrent)
{
    const struct launch *first = &concurrent->live[0]->launch;
    const struct memory *memory = &first->arena->memory;
    return schedule_chooses(first->schedule) ? all_launches_cycle(concurrent)
                                             : rounds_repeat(concurrent, memory);
}
