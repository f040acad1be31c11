/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Step by step: choose() selects the work-item that does its next operation. A step is one operation that
 * others see; operations that no other unit sees run ahead of it (advance). The default rule, which a
 * record's switches are relative to: the unit that ran last continues; if it cannot, the lowest ready one;
 * if it only spins, the next ready one after it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "schedule_state.h"

enum {
    SPIN_STEPS = 32,         /* steps without a change after which a unit counts as spinning */
    UNSEEN_SLICES = 1 << 16, /* loop iterations that a wave may take until its next operation */
    CHANGE_BYTES = 128,      /* bytes of the largest vector */
    TILES_MOST = 1 << 26     /* work-groups of a launch whose steps are recorded */
};

/* ---- to the next operation -------------------------------------------------------- */

static bool is_ready(const struct group *group, uint32_t index)
{
    return group->waves[index].state == WAVE_READY;
}

/* Runs the wave up to its next operation that others see. */
static void advance(struct schedule *schedule, struct group *group, uint32_t index)
{
    struct next_operation next;
    enum run_result result = RUN_YIELD;
    for (uint32_t i = 0; i < UNSEEN_SLICES && result == RUN_YIELD && is_ready(group, index) &&
                         schedule_running(schedule, group);
         i++) {
        wave_next(group->waves[index].wave, &next);
        if (next.kind != NEXT_UNSEEN)
            return;
        schedule_slice(schedule, group, index, 0, &result);
    }
}

/* Advances each ready wave of the group to its first operation. Not under a script: there nothing runs
 * without a step, and reaching the first operation is a step of its own. */
static void advance_group(struct schedule *schedule, struct group *group)
{
    while (group->fresh && schedule_running(schedule, group)) {
        group->fresh = false;
        schedule->arrivals++;
        for (uint32_t i = 0;
             !schedule->chooser.scripted && i < group->wave_count && schedule_running(schedule, group); i++)
            if (is_ready(group, i))
                advance(schedule, group, i);
    }
}

static bool advance_all(struct schedule *schedule)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < schedule->count && schedule->status == STATUS_OK; i++) {
        advance_group(schedule, schedule->resident[i]);
        ready += schedule->resident[i]->ready_count;
    }
    return ready > 0 && schedule->status == STATUS_OK;
}

/* ---- did it change anything? -------------------------------------------------------- */

struct before {
    bool known;
    uint64_t address;
    uint32_t size;
    uint8_t bytes[CHANGE_BYTES];
};

/* The bytes exist: in device memory, or in host memory that kernels may access. */
static bool is_there(const struct memory *memory, uint64_t address, uint32_t size)
{
    const struct region *region = memory_region(memory, address);
    if (memory->host.permits && address - memory->base >= memory->size)
        return memory->host.permits(memory->host.self, address, size, false);
    return address >= region->low && address <= region->high && size <= region->high - address;
}

static void read_before(const struct launch *launch, const struct next_operation *next,
                        struct before *out_before)
{
    const struct region *region = memory_region(&launch->arena->memory, next->address);
    out_before->known = next->kind == NEXT_ACCESS && next->size_bytes <= CHANGE_BYTES &&
                        is_there(&launch->arena->memory, next->address, next->size_bytes);
    out_before->address = next->address;
    out_before->size = next->size_bytes;
    if (out_before->known)
        memcpy(out_before->bytes, memory_byte(region, next->address), next->size_bytes);
}

static bool changed(const struct launch *launch, const struct next_operation *next,
                    const struct before *before)
{
    if (next->kind == NEXT_FENCE || next->kind == NEXT_UNSEEN)
        return false;
    const enum access_kind kind =
        next->kind == NEXT_ACCESS ? launch_site(launch, next->site)->access : ACCESS_WRITE;
    if (kind == ACCESS_READ || kind == ACCESS_ATOMIC_READ)
        return false;
    const struct region *region = memory_region(&launch->arena->memory, before->address);
    return !before->known || memcmp(before->bytes, memory_byte(region, before->address), before->size) != 0;
}

/* ---- which tiles have run ---------------------------------------------------------------- */

static bool is_started(const struct chooser *chooser, uint64_t tile)
{
    return chooser->started[tile / 64] >> tile % 64 & 1;
}

static void mark_started(struct chooser *chooser, uint64_t tile)
{
    chooser->started[tile / 64] |= UINT64_C(1) << tile % 64;
}

static void start_tile(struct chooser *chooser, struct group *group)
{
    group->stepped = true;
    if (chooser->started)
        mark_started(chooser, group->number);
}

static bool some_unstarted(struct schedule *schedule, uint64_t *out_tile)
{
    struct chooser *chooser = &schedule->chooser;
    while (chooser->lowest_unstarted < schedule->total && is_started(chooser, chooser->lowest_unstarted))
        chooser->lowest_unstarted++;
    *out_tile = chooser->lowest_unstarted;
    CHECKED(chooser->lowest_unstarted <= schedule->total);
    return chooser->lowest_unstarted < schedule->total;
}

static bool started_init(struct schedule *schedule)
{
    struct chooser *chooser = &schedule->chooser;
    if (schedule->total > TILES_MOST) {
        schedule->status = diagnose(schedule->diagnosis, STATUS_OUT_OF_RESOURCES,
                                    "a schedule of %" PRIu64
                                    " work-groups can be neither recorded nor replayed; %d are possible",
                                    schedule->total, TILES_MOST);
        return false;
    }
    chooser->started = calloc((size_t)schedule->total / 64 + 1, sizeof *chooser->started);
    if (!chooser->started)
        schedule->status = STATUS_OUT_OF_MEMORY;
    return chooser->started != NULL;
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
    CHECKED(pick.index < group->wave_count && is_ready(group, pick.index));
    start_tile(chooser, group);
    chooser->group = group;
    chooser->index = pick.index;
    chooser->last = (struct unit){group->number, pick.index};
    chooser->last_steps = ++wave->steps;
    chooser->steps++;
    wave_next(wave->wave, &next);
    read_before(schedule->launch, &next, &before);
    schedule_slice(schedule, group, pick.index, next.kind == NEXT_UNSEEN ? 0 : 1, &result);
    if (changed(schedule->launch, &next, &before)) {
        schedule->concurrent->epoch++;
        livelock_memory_changed(group);
        wave->unchanged_steps = wave->priority_steps = 0;
        schedule->idle_slices = schedule->begun_idle_slices = 0;
    } else {
        wave->unchanged_steps++;
        wave->priority_steps++;
    }
    if (result == RUN_YIELD && schedule_running(schedule, group))
        advance(schedule, group, pick.index);
    if (schedule_running(schedule, group))
        livelock_after_step(schedule, &group->waves[pick.index]);
    if (chooser->script.begun) {
        advance_group(schedule, group);
        script_look(schedule);
    }
}

/* ---- the default rule ------------------------------------------------------------------------- */

static bool before(const struct unit *a, const struct unit *b)
{
    return a->tile != b->tile ? a->tile < b->tile : a->wave < b->wave;
}

/* The lowest ready wave of the group from index `from` on. */
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

/* The lowest ready unit from `low` on; stepped: only of groups that have taken a step. */
static bool lowest_ready(const struct schedule *schedule, struct unit low, bool stepped,
                         struct unit *out_unit)
{
    struct unit best = UNIT_NONE;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct group *group = schedule->resident[i];
        struct unit unit = {group->number, 0};
        if (unit.tile < low.tile || (stepped && !group->stepped))
            continue;
        if (ready_from(group, unit.tile == low.tile ? low.wave : 0, &unit.wave) && before(&unit, &best))
            best = unit;
    }
    *out_unit = best;
    return best.tile != UINT64_MAX;
}

static bool last_can_continue(const struct chooser *chooser)
{
    return chooser->group && is_ready(chooser->group, chooser->index);
}

/* By the default rule, over the resident groups. */
static struct unit default_choice(const struct schedule *schedule)
{
    const struct chooser *chooser = &schedule->chooser;
    struct unit unit = chooser->last;
    bool stays = last_can_continue(chooser);
    if (stays && chooser->group->waves[chooser->index].unchanged_steps < SPIN_STEPS)
        return unit;
    if (!stays || !lowest_ready(schedule, (struct unit){unit.tile, unit.wave + 1}, false, &unit))
        lowest_ready(schedule, (struct unit){0, 0}, false, &unit);
    return unit;
}

static bool all_unchanged(const struct schedule *schedule)
{
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; group->stepped && i < group->wave_count; i++)
            if (is_ready(group, i) && group->waves[i].unchanged_steps < SPIN_STEPS)
                return false;
    }
    return true;
}

/* By the default rule, as a function of the steps alone, whichever groups are resident: groups without a step
 * count as not resident. When all units that have begun only spin, the next group begins. */
static struct unit default_unit_of_begun(struct schedule *schedule)
{
    const struct chooser *chooser = &schedule->chooser;
    struct unit unit = chooser->last, lowest;
    uint64_t tile;
    bool stays = last_can_continue(chooser);
    if (stays && chooser->group->waves[chooser->index].unchanged_steps < SPIN_STEPS)
        return unit;
    if (stays && lowest_ready(schedule, (struct unit){unit.tile, unit.wave + 1}, true, &unit))
        return unit;
    bool some = lowest_ready(schedule, (struct unit){0, 0}, true, &lowest);
    if (some_unstarted(schedule, &tile) && (!some || (stays ? all_unchanged(schedule) : tile < lowest.tile)))
        return (struct unit){tile, 0};
    return lowest;
}

static struct group *resident_group(const struct schedule *schedule, uint64_t tile)
{
    for (uint32_t i = 0; i < schedule->count; i++)
        if (schedule->resident[i]->number == tile)
            return schedule->resident[i];
    return NULL;
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
    CHECKED(next.kind < sizeof operations / sizeof *operations);
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

/* With an oracle groups are admitted in order, so the candidates are ordered by tile. */
static uint32_t list_candidates(struct schedule *schedule, struct unit default_unit, uint32_t *out_default)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < schedule->count; g++) {
        const struct group *group = schedule->resident[g];
        for (uint32_t i = 0; i < group->wave_count; i++) {
            if (!is_ready(group, i))
                continue;
            if (group->number == default_unit.tile && i == default_unit.wave)
                *out_default = count;
            if (!candidate_room(&schedule->chooser, count + 1))
                return 0;
            describe(schedule, group, i, &schedule->chooser.candidates[count++]);
        }
    }
    return count;
}

static struct pick ask_oracle(struct schedule *schedule)
{
    const struct schedule_oracle *oracle = schedule->config->oracle;
    struct pick pick = {NULL, 0};
    struct schedule_choice choice = {.launch = schedule->launch->info.launch,
                                     .number = schedule->chooser.steps};
    choice.count = list_candidates(schedule, default_choice(schedule), &choice.default_index);
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
    pick.group = resident_group(schedule, choice.candidates[answer].tile);
    pick.index = choice.candidates[answer].wave;
    return pick;
}

/* ---- random ----------------------------------------------------------------------------------------- */

/* A random ready wave: after 8 draws the next ready one, so that the cost is bounded when few are ready. */
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
    if (chooser->quantum_left > 1 && chooser->group && is_ready(chooser->group, chooser->index)) {
        chooser->quantum_left--;
        return (struct pick){chooser->group, chooser->index};
    }
    chooser->quantum_left = schedule->config->quantum ? schedule->config->quantum : 1;
    return draw(schedule);
}

/* ---- replay ------------------------------------------------------------------------------------------ */

struct group *choose_group(struct schedule *schedule, uint64_t tile)
{
    struct group *group = resident_group(schedule, tile);
    if (group || tile >= schedule->total || is_started(&schedule->chooser, tile))
        return group;
    group = schedule_admit_tile(schedule, tile);
    if (group)
        advance_group(schedule, group);
    return group;
}

/* The unit, after its group is admitted if necessary; group NULL: it cannot continue. */
static struct pick reach(struct schedule *schedule, struct unit unit)
{
    struct pick pick = {choose_group(schedule, unit.tile), unit.wave};
    if (pick.group && (unit.wave >= pick.group->wave_count || !is_ready(pick.group, unit.wave)))
        pick.group = NULL;
    return pick;
}

enum { UNIT_CHARS = 80 };

static void say_unit(struct unit unit, char out[UNIT_CHARS])
{
    if (unit.tile == UINT64_MAX)
        snprintf(out, UNIT_CHARS, "the start");
    else
        snprintf(out, UNIT_CHARS, "work-item %" PRIu32 " of work-group %" PRIu64 " (linear ids)", unit.wave,
                 unit.tile);
}

static void misfit(struct schedule *schedule, const struct schedule_switch *entry, const char *what)
{
    char at[UNIT_CHARS], to[UNIT_CHARS];
    say_unit(entry->at, at);
    say_unit(entry->to, to);
    schedule->status =
        diagnose(schedule->diagnosis, STATUS_BAD_SCENARIO,
                 "the replay does not fit: after step %" PRIu64 " of %s, %s %s", entry->step, at, to, what);
}

/* The unit, or another ready one of its group. The group counts as begun from now on: one without any
 * operation that others see ends without a step. */
static struct pick first_of(struct schedule *schedule, struct unit unit)
{
    struct pick pick = reach(schedule, unit);
    struct group *group = resident_group(schedule, unit.tile);
    if (group)
        mark_started(&schedule->chooser, unit.tile);
    if (!pick.group && group && ready_from(group, 0, &pick.index))
        pick.group = group;
    if (!group && schedule->status == STATUS_OK && lowest_ready(schedule, (struct unit){0, 0}, false, &unit))
        pick = reach(schedule, unit); /* out of memory: run a resident unit, which may free some */
    return pick;
}

/* group NULL: call again. */
static struct pick replay_pick(struct schedule *schedule)
{
    struct chooser *chooser = &schedule->chooser;
    const struct schedule_switch *entry =
        switch_index_take(&chooser->switches, chooser->last, chooser->last_steps);
    struct pick pick = {NULL, 0};
    if (entry)
        pick = reach(schedule, entry->to);
    if (entry && !pick.group && !schedule->launch->lenient && schedule->status == STATUS_OK)
        misfit(schedule, entry, "was to continue, and cannot");
    if (pick.group || schedule->status != STATUS_OK)
        return pick;
    return first_of(schedule, default_unit_of_begun(schedule));
}

/* ---- script ------------------------------------------------------------------------------------------ */

/* The next ready wave of the same group, cyclically. */
static bool next_in_group(const struct chooser *chooser, struct pick *out_pick)
{
    struct group *group = chooser->group;
    *out_pick = (struct pick){group, 0};
    return group && (ready_from(group, chooser->index + 1, &out_pick->index) ||
                     ready_from(group, 0, &out_pick->index));
}

static bool last_only_spins(const struct chooser *chooser)
{
    return last_can_continue(chooser) && chooser->group->waves[chooser->index].unchanged_steps >= SPIN_STEPS;
}

static struct pick random_of_all(struct schedule *schedule)
{
    uint64_t tile;
    for (uint32_t i = schedule->count; i < schedule->target && some_unstarted(schedule, &tile); i++)
        if (first_of(schedule, (struct unit){tile, 0}).group == NULL)
            return (struct pick){NULL, 0};
    return random_pick(schedule);
}

static struct pick after_script(struct schedule *schedule)
{
    struct pick pick;
    if (schedule->config->then == SCHEDULE_RANDOM)
        return random_of_all(schedule);
    if (schedule->config->then == SCHEDULE_LOCKSTEP && !last_only_spins(&schedule->chooser) &&
        next_in_group(&schedule->chooser, &pick))
        return pick;
    return first_of(schedule, default_unit_of_begun(schedule));
}

static struct pick scripted(struct schedule *schedule)
{
    struct pick pick = {NULL, 0};
    if (script_pick(schedule, &pick) || schedule->status != STATUS_OK)
        return pick;
    return after_script(schedule);
}

/* Every group has ended; every step was taken. */
static bool all_over(struct schedule *schedule)
{
    uint64_t tile;
    if (some_unstarted(schedule, &tile) || schedule->count)
        return false;
    const struct schedule_switch *left = switch_index_left(&schedule->chooser.switches);
    if (left && !schedule->launch->lenient)
        misfit(schedule, left, "was to continue, but that never came");
    return true;
}

/* ---- record ------------------------------------------------------------------------------------------- */

static bool same_unit(struct unit a, struct unit b)
{
    return a.tile == b.tile && a.wave == b.wave;
}

static void note_switch(struct schedule *schedule, struct unit expected, struct pick pick)
{
    struct launch *launch = schedule->launch;
    const struct chooser *chooser = &schedule->chooser;
    struct schedule_switch entry = {
        .at = chooser->last, .step = chooser->last_steps, .to = {pick.group->number, pick.index}};
    if (!same_unit(expected, entry.to) &&
        !record_switch(&launch->record->launches[launch->record_at], &entry))
        schedule->status = STATUS_OUT_OF_MEMORY;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool replays(const struct schedule *schedule)
{
    return !schedule->config->oracle &&
           (schedule->launch->replay || schedule->config->policy == SCHEDULE_REPLAY);
}

static bool follows_script(const struct schedule *schedule)
{
    return !schedule->config->oracle && !replays(schedule) && schedule->config->policy == SCHEDULE_SCRIPT;
}

/* A debugger cannot override a script or an oracle. */
static bool may_choose(const struct schedule *schedule)
{
    return !schedule->config->oracle && !follows_script(schedule);
}

struct pick choose_forked(struct schedule *schedule, struct pick pick, bool may_choose)
{
    const struct schedule_fork *fork = schedule->config->fork;
    const struct schedule_next next = {.launch = schedule->launch->info.launch,
                                       .step = schedule->chooser.steps,
                                       .unit = {pick.group->number, pick.index},
                                       .may_choose = may_choose,
                                       .schedule = schedule};
    struct unit unit;
    if (!fork->next(fork->self, &next, &unit) || !may_choose)
        return pick;
    struct group *group = resident_group(schedule, unit.tile);
    if (!group || unit.wave >= group->wave_count || !is_ready(group, unit.wave))
        return pick;
    return (struct pick){group, unit.wave};
}

/* After a debugger's choice later steps of a replay need not fit: the replay becomes lenient. */
static struct pick forked(struct schedule *schedule, struct pick pick)
{
    struct launch *launch = schedule->launch;
    const struct pick other = choose_forked(schedule, pick, launch->record && may_choose(schedule));
    if (other.group != pick.group || other.index != pick.index)
        launch->record->shrunk = launch->lenient = true;
    return other;
}

static struct pick choose(struct schedule *schedule)
{
    if (schedule->config->oracle)
        return ask_oracle(schedule);
    if (replays(schedule))
        return replay_pick(schedule);
    if (schedule->config->policy == SCHEDULE_SCRIPT)
        return scripted(schedule);
    if (schedule->config->policy == SCHEDULE_PCT)
        return pct_pick(schedule);
    return random_pick(schedule);
}

void choose_step(struct schedule *schedule)
{
    bool ready = advance_all(schedule);
    if (!ready && choose_unfinished(schedule) && schedule->status == STATUS_OK)
        schedule->chooser.over = all_over(schedule);
    if (schedule->chooser.over && follows_script(schedule))
        script_rest(schedule);
    if (schedule->status != STATUS_OK || (!ready && !choose_unfinished(schedule)))
        return;
    struct unit expected = schedule->launch->record ? default_unit_of_begun(schedule) : UNIT_NONE;
    struct pick pick = choose(schedule);
    if (schedule->status != STATUS_OK || !pick.group)
        return;
    if (schedule->config->fork)
        pick = forked(schedule, pick);
    if (schedule->launch->record)
        note_switch(schedule, expected, pick);
    step(schedule, pick);
}

bool choose_admits(const struct schedule *schedule)
{
    return schedule->chooser.admits;
}

bool choose_more(struct schedule *schedule)
{
    uint64_t tile;
    return some_unstarted(schedule, &tile);
}

bool choose_unfinished(const struct schedule *schedule)
{
    return schedule->chooser.admits && !schedule->chooser.over;
}

bool choose_init(struct schedule *schedule)
{
    bool replayed = replays(schedule);
    schedule->chooser.scripted = schedule_is_scripted(schedule->launch);
    schedule->chooser.admits = replayed || follows_script(schedule);
    if ((schedule->chooser.admits || schedule->launch->record) && !started_init(schedule))
        return false;
    bool fine = !replayed || switch_index_init(&schedule->chooser.switches, schedule->launch->replay);
    if (fine && schedule->config->policy == SCHEDULE_PCT)
        fine = pct_init(schedule);
    if (!fine)
        schedule->status = STATUS_OUT_OF_MEMORY;
    return fine;
}

void choose_retired(struct schedule *schedule, const struct group *group)
{
    if (schedule->chooser.group == group)
        schedule->chooser.group = NULL;
    if (schedule->chooser.script.group == group)
        schedule->chooser.script.group = NULL;
}

void choose_fini(struct schedule *schedule)
{
    switch_index_fini(&schedule->chooser.switches);
    pct_fini(schedule);
    free(schedule->chooser.started);
    free(schedule->chooser.candidates);
}
