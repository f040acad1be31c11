/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the launch come to where it was before?  In passes everything that decides what comes next is compared: where
 * every resident wave stands, and memory.  Step by step it is enough that each ready wave went round a circle of its
 * own while memory did not change: no order of them does.  Both are proofs, not guesses: a loop that waits for a limit
 * never stands twice in the same state; one that counts its turns for those behind it does (wave_fingerprint).
 */
#include <xxhash.h>

#include "host_memory.h"
#include "schedule_livelock.h"

enum {
    CIRCLE_SHARE = 8, /* of the passes before the mark: no longer circle is found then */
    IDLE_STEPS = 256  /* of the launch that brought nothing, until its waves are watched */
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
            hash = XXH3_64bits_withSeed(memory_byte(region, region->low), region->high - region->low, hash + i);
    }
    return hash;
}

static uint64_t hash_group(const struct group *group, uint64_t hash)
{
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct group_wave *wave = &group->waves[i];
        uint64_t parts[] = {group->number, i, wave->state, wave->state == WAVE_DONE ? 0 : wave_fingerprint(wave->wave)};
        hash = XXH3_64bits_withSeed(parts, sizeof parts, hash);
    }
    return hash;
}

static uint64_t hash_waves(const struct schedule *schedule, uint64_t hash)
{
    for (uint32_t g = 0; g < schedule->count; g++)
        hash = hash_group(schedule->resident[g], hash);
    return hash;
}

/* Nobody but the launches writes: the host does not, nor another process to memory of it that they have touched. */
bool circle_is_proof(const struct concurrent *concurrent, const struct memory *memory)
{
    if (!concurrent->host_waits)
        return !circle_host_may_write(memory);
    return !memory->host.permits || !host_memory_foreign(memory->host.self);
}

/* ---- in passes ------------------------------------------------------------------------ */

/* The mark is set after 16, 32, 64 ... idle passes, and compared with the few passes that follow: circles are short at first,
 * and a long wait for a lock costs little. */
static bool passes_repeat(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    const struct memory *memory = &schedule->launch->arena->memory;
    if (schedule->idle_turns <= livelock->idle_before) {
        livelock->idle_before = schedule->idle_turns;
        livelock->passes = 0;
        livelock->next_mark = IDLE_PASSES;
        return false;
    }
    livelock->idle_before = schedule->idle_turns;
    if (++livelock->passes < livelock->next_mark)
        return false;
    if (livelock->passes == livelock->next_mark) {
        livelock->waves = hash_waves(schedule, 0);
        livelock->memory = circle_memory(memory);
        return false;
    }
    const uint64_t share = livelock->next_mark / CIRCLE_SHARE;
    if (livelock->passes == livelock->next_mark + (share > CIRCLE_PASSES ? share : CIRCLE_PASSES))
        livelock->next_mark = 2 * livelock->passes;
    return hash_waves(schedule, 0) == livelock->waves && circle_memory(memory) == livelock->memory;
}

/* ---- step by step ------------------------------------------------------------------------ */

void livelock_watch(struct schedule *schedule, struct group_wave *wave)
{
    const uint64_t epoch = schedule->concurrent->epoch;
    if (schedule->idle_turns < IDLE_STEPS || wave->state != WAVE_READY)
        return;
    uint64_t fingerprint = wave_fingerprint(wave->wave);
    if (wave->watched != epoch + 1) {
        wave->watched = epoch + 1;
        wave->lap = wave->left = 1;
        wave->circles = false;
        wave->fingerprint = fingerprint;
    } else if (fingerprint == wave->fingerprint) {
        wave->circles = true;
    } else if (--wave->left == 0) {
        wave->left = wave->lap *= 2;
        wave->fingerprint = fingerprint;
    }
}

/* Whatever the order in which they go on. */
static bool all_circle(const struct schedule *schedule)
{
    uint32_t circling = 0;
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++) {
            const struct group_wave *wave = &group->waves[i];
            if (wave->state != WAVE_READY)
                continue;
            if (!wave->circles || wave->watched != schedule->concurrent->epoch + 1)
                return false;
            circling++;
        }
    }
    return circling > 0;
}

static bool steps_repeat(struct schedule *schedule)
{
    struct livelock *livelock = &schedule->livelock;
    if (schedule->idle_turns < 2 * IDLE_STEPS || schedule->chooser.steps < livelock->next_look)
        return false;
    livelock->next_look = schedule->chooser.steps + schedule_ready(schedule);
    return all_circle(schedule);
}

bool circle_of_launch(struct schedule *schedule)
{
    return schedule_chooses(schedule->config) ? steps_repeat(schedule) : passes_repeat(schedule);
}

/* ---- of one wave, of one group ------------------------------------------------------------ */

/* Nobody else has gone on since the mark, so what it reads is what it wrote itself. */
bool circle_of_wave(struct schedule *schedule, const struct wave *wave)
{
    struct livelock *livelock = &schedule->livelock;
    const struct memory *memory = &schedule->launch->arena->memory;
    const uint64_t turns = ++livelock->alone.turns, mark = livelock->alone.next_mark;
    if (turns < mark)
        return false;
    if (turns == mark) {
        livelock->alone.wave = wave_fingerprint(wave);
        livelock->alone.memory = circle_memory(memory);
        return false;
    }
    if (turns == mark + CIRCLE_PASSES)
        livelock->alone.next_mark = 2 * turns;
    return wave_fingerprint(wave) == livelock->alone.wave && circle_memory(memory) == livelock->alone.memory;
}

bool circle_of_group(struct schedule *schedule, const struct group *group)
{
    struct livelock *livelock = &schedule->livelock;
    const uint64_t waves = hash_group(group, 0), memory = circle_memory(&schedule->launch->arena->memory);
    if (livelock->first.passes > IDLE_PASSES && waves == livelock->first.waves && memory == livelock->first.memory)
        return true;
    if (livelock->first.passes == IDLE_PASSES) {
        livelock->first.waves = waves;
        livelock->first.memory = memory;
    }
    return false;
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
    return hash_all_waves(concurrent) == concurrent->circle.waves && circle_memory(memory) == concurrent->circle.memory;
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
    return schedule_chooses(first->schedule) ? all_launches_circle(concurrent) : rounds_repeat(concurrent, memory);
}
