/* SPDX-License-Identifier: Apache-2.0 */
/* Step by step: one place where it is decided which work-item does its next operation. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"
#include "schedule_state.h"

enum {
    SPIN_STEPS = 32,               /* quiet ones after which going on is no longer the usual thing */
    UNSEEN_TURNS = 1 << 16,        /* back edges that a wave may take on the way to its next operation */
    CHANGE_BYTES = 128             /* of the largest vector */
};

/* ---- to the next operation -------------------------------------------------------- */

static bool is_ready(const struct group *group, uint32_t index)
{
    return group->waves[index].state == WAVE_READY;
}

/* Runs what nobody else can see. */
static void approach(struct schedule *schedule, struct group *group, uint32_t index)
{
    struct next_operation next;
    enum run_result result = RUN_YIELD;
    for (uint32_t i = 0; i < UNSEEN_TURNS && result == RUN_YIELD && is_ready(group, index) &&
                         schedule_running(schedule, group);
         i++) {
        wave_next(group->waves[index].wave, &next);
        if (next.kind != NEXT_UNSEEN)
            return;
        schedule_turn(schedule, group, index, 0, &result);
    }
}

/* Every ready wave of the group stands before its first operation, or loops without any. */
static void freshen(struct schedule *schedule, struct group *group)
{
    while (group->fresh && schedule_running(schedule, group)) {
        group->fresh = false;
        for (uint32_t i = 0; i < group->wave_count && schedule_running(schedule, group); i++)
            if (is_ready(group, i))
                approach(schedule, group, i);
    }
}

static bool freshen_all(struct schedule *schedule)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < schedule->count && schedule->status == STATUS_OK; i++) {
        freshen(schedule, schedule->resident[i]);
        ready += schedule->resident[i]->ready_count;
    }
    return ready > 0 && schedule->status == STATUS_OK;
}

/* ---- did it change anything? -------------------------------------------------------- */

struct before { bool known; uint64_t address; uint32_t size; uint8_t bytes[CHANGE_BYTES]; };

static const void *bytes_at(uint64_t address)
{
    return (const void *)(uintptr_t)address;
}

static void remember(const struct launch *launch, const struct next_operation *next, struct before *out_before)
{
    const struct region *region = memory_region(&launch->arena->memory, next->address);
    out_before->known = next->kind == NEXT_ACCESS && next->size_bytes <= CHANGE_BYTES &&
                        next->address >= region->low && next->address <= region->high &&
                        next->size_bytes <= region->high - next->address;
    out_before->address = next->address;
    out_before->size = next->size_bytes;
    if (out_before->known)
        memcpy(out_before->bytes, bytes_at(next->address), next->size_bytes);
}

static bool changed(const struct launch *launch, const struct next_operation *next, const struct before *before)
{
    if (next->kind == NEXT_FENCE || next->kind == NEXT_UNSEEN)
        return false;
    if (next->kind == NEXT_ACCESS && launch_site(launch, next->site)->access == ACCESS_READ)
        return false;
    return !before->known || memcmp(before->bytes, bytes_at(before->address), before->size) != 0;
}

/* ---- a step ---------------------------------------------------------------------------- */

static void step(struct schedule *schedule, struct pick pick)
{
    struct chooser *chooser = &schedule->chooser;
    struct group *group = pick.group;
    struct group_wave *wave = &group->waves[pick.index];
    struct next_operation next;
    struct before before;
    enum run_result result;
    chooser->group = group;
    chooser->index = pick.index;
    chooser->last = (struct unit){group->number, pick.index};
    chooser->last_steps = ++wave->steps;
    chooser->steps++;
    wave_next(wave->wave, &next);
    remember(schedule->launch, &next, &before);
    schedule_turn(schedule, group, pick.index, next.kind == NEXT_UNSEEN ? 0 : 1, &result);
    if (changed(schedule->launch, &next, &before)) {
        chooser->epoch++;
        wave->quiet = 0;
        schedule->idle_turns = 0;
    } else {
        wave->quiet++;
    }
    if (result == RUN_YIELD && schedule_running(schedule, group))
        approach(schedule, group, pick.index);
}

/* ---- the usual thing ------------------------------------------------------------------------ */

static bool before(const struct unit *a, const struct unit *b)
{
    return a->tile != b->tile ? a->tile < b->tile : a->wave < b->wave;
}

/* The lowest ready wave of the group after index from. */
static bool ready_from(const struct group *group, uint32_t from, uint32_t *out_index)
{
    for (uint32_t i = from; i < group->wave_count; i++) {
        if (is_ready(group, i)) {
            *out_index = i;
            return true;
        }
    }
    return false;
}

/* The lowest ready unit at or after low. */
static bool lowest_ready(const struct schedule *schedule, struct unit low, struct pick *out_pick)
{
    struct unit best = UNIT_NONE;
    for (uint32_t i = 0; i < schedule->count; i++) {
        struct group *group = schedule->resident[i];
        struct unit unit = {group->number, 0};
        if (unit.tile < low.tile ||
            !ready_from(group, unit.tile == low.tile ? low.wave : 0, &unit.wave) || !before(&unit, &best))
            continue;
        best = unit;
        *out_pick = (struct pick){group, unit.wave};
    }
    return best.tile != UINT64_MAX;
}

/* Who went last goes on; when it cannot, the lowest; when it only spins, the next one after it. */
static struct pick usual(const struct schedule *schedule)
{
    const struct chooser *chooser = &schedule->chooser;
    struct pick pick = {chooser->group, chooser->index};
    bool stays = chooser->group && is_ready(chooser->group, chooser->index);
    if (stays && chooser->group->waves[chooser->index].quiet < SPIN_STEPS)
        return pick;
    struct unit after = {chooser->last.tile, chooser->last.wave + 1};
    if (!stays || !lowest_ready(schedule, after, &pick))
        lowest_ready(schedule, (struct unit){0, 0}, &pick);
    return pick;
}

/* ---- oracle -------------------------------------------------------------------------------------- */

static void describe(const struct schedule *schedule, const struct group *group, uint32_t index,
                     struct schedule_candidate *out)
{
    static const enum schedule_operation operations[] = {OPERATION_NONE, OPERATION_ACCESS, OPERATION_FENCE,
                                                         OPERATION_COPY, OPERATION_PRINT};
    const struct group_wave *slot = &group->waves[index];
    struct next_operation next;
    wave_next(slot->wave, &next);
    const struct site *site = launch_site(schedule->launch, next.site);
    *out = (struct schedule_candidate){.tile = group->number,
                                       .wave = index,
                                       .steps = slot->steps,
                                       .operation = operations[next.kind],
                                       .site = next.site,
                                       .access = site->access,
                                       .order = site->order,
                                       .failure_order = site->failure_order,
                                       .scope = site->scope,
                                       .regions = site->regions,
                                       .address = next.address,
                                       .size_bytes = next.size_bytes};
    origin_item(&slot->wave->origin, 0, &out->item);
}

static bool candidate_room(struct chooser *chooser, uint32_t count)
{
    if (count <= chooser->candidate_room)
        return true;
    uint32_t room = chooser->candidate_room ? chooser->candidate_room : HOSTILE(16, 1);
    while (room < count)
        room *= 2;
    struct schedule_candidate *candidates = realloc(chooser->candidates, room * sizeof *candidates);
    if (!candidates)
        return false;
    chooser->candidates = candidates;
    chooser->candidate_room = room;
    return true;
}

/* Groups are admitted in order, so that residents are in order of their tiles. */
static uint32_t list_candidates(struct schedule *schedule, const struct pick *usual_pick, uint32_t *out_usual)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++) {
            if (!is_ready(group, i))
                continue;
            if (group == usual_pick->group && i == usual_pick->index)
                *out_usual = count;
            if (!candidate_room(&schedule->chooser, count + 1))
                return 0;
            describe(schedule, group, i, &schedule->chooser.candidates[count++]);
        }
    }
    return count;
}

static struct pick resident_unit(const struct schedule *schedule, uint64_t tile, uint32_t wave)
{
    uint32_t i = 0;
    while (schedule->resident[i]->number != tile)
        i++;
    return (struct pick){schedule->resident[i], wave};
}

static struct pick ask_oracle(struct schedule *schedule)
{
    const struct schedule_oracle *oracle = schedule->config->oracle;
    struct pick pick = usual(schedule);
    struct schedule_choice choice = {.launch = schedule->launch->info.launch, .number = schedule->chooser.steps};
    choice.count = list_candidates(schedule, &pick, &choice.usual);
    choice.candidates = schedule->chooser.candidates;
    if (choice.count == 0) {
        schedule->status = STATUS_OUT_OF_MEMORY;
        return pick;
    }
    uint32_t answer = oracle->choose(oracle->self, &choice);
    if (answer >= choice.count) {
        schedule->status = STATUS_ABORTED;
        return pick;
    }
    return resident_unit(schedule, choice.candidates[answer].tile, choice.candidates[answer].wave);
}

/* ---- random ----------------------------------------------------------------------------------------- */

/* The ready wave at or after a random one: a draw costs the same however few are ready. */
static struct pick draw(struct schedule *schedule)
{
    struct group *group;
    do
        group = schedule->resident[rng_below(&schedule->waves, schedule->count)];
    while (group->ready_count == 0);
    uint32_t index = (uint32_t)rng_below(&schedule->waves, group->wave_count);
    for (int tries = 0; tries < 8 && !is_ready(group, index); tries++)
        index = (uint32_t)rng_below(&schedule->waves, group->wave_count);
    while (!is_ready(group, index))
        index = (index + 1) % group->wave_count;
    return (struct pick){group, index};
}

static struct pick random_pick(struct schedule *schedule)
{
    struct chooser *chooser = &schedule->chooser;
    if (chooser->held > 1 && chooser->group && is_ready(chooser->group, chooser->index)) {
        chooser->held--;
        return (struct pick){chooser->group, chooser->index};
    }
    chooser->held = schedule->config->quantum ? schedule->config->quantum : 1;
    return draw(schedule);
}

/* ---- the choice ------------------------------------------------------------------------------------------ */

static struct pick choose(struct schedule *schedule)
{
    if (schedule->config->oracle)
        return ask_oracle(schedule);
    return random_pick(schedule);
}

void choose_step(struct schedule *schedule)
{
    if (!freshen_all(schedule))
        return;
    struct pick pick = choose(schedule);
    if (schedule->status == STATUS_OK)
        step(schedule, pick);
}

void choose_retired(struct schedule *schedule, const struct group *group)
{
    if (schedule->chooser.group == group)
        schedule->chooser.group = NULL;
}

void choose_fini(struct schedule *schedule)
{
    free(schedule->chooser.candidates);
}
