/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A running work-group. A wave runs for a time slice and stops at a barrier or group function, at its end,
 * or when its budget is used up. When no wave is ready, the barrier that they wait at is completed
 * (barrier.c).
 *
 * Lanes of a wave that are parked at another block than the active ones split off as a wave of their own
 * when the active lanes wait or spin: they may hold what the others wait for. Lanes of the spinning lanes'
 * own sub-group are held (WAVE_HELD), since OpenCL does not promise that they run beside each other.
 */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "barrier.h"
#include "device_enqueue.h"
#include "divergence.h"
#include "orrery/limits.h"
#include "placement.h"
#include "launch_schedule.h"

/* ---- pool --------------------------------------------------------------------- */

void group_pool_init(struct group_pool *pool, const struct code *code, struct memory_arena *arena,
                     const struct wave_host *host, const struct observer *observer)
{
    *pool = (struct group_pool){.code = code, .arena = arena, .host = host, .observer = observer};
}

static void forget_reached(struct group *group)
{
    for (uint32_t i = 0; i < group->reached.count; i++)
        free(group->reached.items[i].times);
    group->reached.count = 0;
}

static void group_free(struct group *group)
{
    for (uint32_t i = 0; i < group->made; i++)
        wave_free(group->waves[i].wave);
    for (uint32_t i = 0; group->locals && i < group->pool->code->local_object_count; i++)
        if (group->locals[i])
            arena_release(group->pool->arena, group->locals[i]);
    free(group->waves);
    free(group->picked);
    free(group->stopped);
    forget_reached(group);
    free(group->reached.items);
    free(group->agreement.items);
    free(group->watched_sub_groups);
    free(group->locals);
    free(group->local_addresses);
    free(group);
}

void group_pool_fini(struct group_pool *pool)
{
    CHECKED(pool->busy == 0);
    for (uint32_t i = 0; i < pool->count; i++)
        group_free(pool->groups[i]);
    free(pool->groups);
    *pool = (struct group_pool){0};
}

static struct group *group_new(struct group_pool *pool)
{
    struct group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    uint32_t locals = pool->code->local_object_count;
    group->pool = pool;
    group->locals = calloc(locals + 1, sizeof *group->locals);
    group->local_addresses = calloc(locals + 1, sizeof *group->local_addresses);
    if (group->locals && group->local_addresses)
        return group;
    group_free(group);
    return NULL;
}

static struct group *pool_take(struct group_pool *pool)
{
    if (pool->busy < pool->count)
        return pool->groups[pool->busy++];
    if (pool->count == pool->room) {
        uint32_t room = pool->room ? pool->room * 2 : HOSTILE(4, 1);
        struct group **groups = realloc(pool->groups, room * sizeof(struct group *));
        if (!groups)
            return NULL;
        pool->groups = groups;
        pool->room = room;
    }
    struct group *group = group_new(pool);
    if (group) {
        group->place = pool->busy++;
        pool->groups[pool->count++] = group;
    }
    return group;
}

static void pool_give(struct group_pool *pool, struct group *group)
{
    struct group *last = pool->groups[--pool->busy];
    CHECKED(pool->groups[group->place] == group && group->place <= pool->busy);
    pool->groups[group->place] = last;
    pool->groups[pool->busy] = group;
    last->place = group->place;
    group->place = pool->busy;
}

/* ---- local memory --------------------------------------------------------------- */

static bool local_ready(struct group *group, uint32_t index, uint64_t size)
{
    struct memory_arena *arena = group->pool->arena;
    const struct local_object *object = &group->pool->code->local_objects[index];
    struct region **slot = &group->locals[index];
    if (*slot && (*slot)->high - (*slot)->low != size && !arena_resize(arena, *slot, size)) {
        arena_release(arena, *slot);
        *slot = NULL;
    }
    struct allocation wanted = {
        .kind = REGION_LOCAL_VARIABLE, .size = size, .align = object->align, .name = object->name};
    if (!*slot && arena_allocate(arena, &wanted, slot) != STATUS_OK)
        return false;
    group->local_addresses[index] = (*slot)->low;
    return true;
}

/* Local memory is undefined when a work-group begins. Bytes that an earlier group left there never count as
 * initialised; with the checks that depend on values, the group does not see them either: a counter that
 * continues from group to group would hide that the groups use the same elements. */
static bool locals_open(struct group *group)
{
    for (uint32_t i = 0; i < group->pool->code->local_object_count; i++) {
        if (!local_ready(group, i, group->launch->local_bytes[i]))
            return false;
        struct region *region = group->locals[i];
        region->deny = region->denied = 0;
        memory_set_valid(region, region->low, region->high - region->low, group->launch->zero_local);
        region->unset_high = 0;
        if (group->launch->same_local)
            memset((void *)(uintptr_t)region->low, 0, region->high - region->low);
    }
    return true;
}

/* Between groups no access may reach the bytes through a pointer that was kept. */
static void locals_close(struct group *group)
{
    for (uint32_t i = 0; i < group->pool->code->local_object_count; i++)
        if (group->locals[i])
            group->locals[i]->deny = group->locals[i]->denied = DENY_KERNEL_READ | DENY_KERNEL_WRITE;
}

/* ---- events ------------------------------------------------------------------------ */

static bool is_observed(const struct launch *launch)
{
    return (launch->observer && launch->observer->launch) || (launch->node && launch->node->awaited_count);
}

static void announce_group(const struct launch *launch, const struct launch_event *event)
{
    if (launch->observer && launch->observer->launch)
        launch->observer->launch(launch->observer->self, event);
    if (event->phase == GROUP_END && launch->node && launch->node->awaited_count)
        device_tree_group_ended(launch->node, event->group_linear);
}

static void announce(const struct group *group, enum launch_phase phase)
{
    const struct launch *launch = group->launch;
    if (!is_observed(launch))
        return;
    const uint64_t *id = group->tile.group_id, *many = group->tile.groups, *count = launch->info.group_count;
    struct launch_event event = {.launch = &launch->info,
                                 .phase = phase,
                                 .compute_unit = group->compute_unit,
                                 .time = launch_time(launch)};
    for (uint64_t z = 0; z < many[2]; z++) {
        for (uint64_t y = 0; y < many[1]; y++) {
            event.group_linear = ((id[2] + z) * count[1] + id[1] + y) * count[0] + id[0];
            for (uint64_t x = 0; x < many[0]; x++, event.group_linear++)
                announce_group(launch, &event);
        }
    }
}

/* The linear id of the tile's first work-group. */
static uint64_t first_group(const struct group *group)
{
    const uint64_t *id = group->tile.group_id, *count = group->launch->info.group_count;
    return (id[2] * count[1] + id[1]) * count[0] + id[0];
}

/* ---- admission ----------------------------------------------------------------------- */

static bool wave_room(struct group *group, uint32_t count)
{
    if (count <= group->wave_room)
        return true;
    uint32_t room = group->wave_room ? group->wave_room : HOSTILE(4, 1);
    while (room < count)
        room *= 2;
    struct group_wave *waves = realloc(group->waves, room * sizeof *waves);
    group->waves = waves ? waves : group->waves;
    uint32_t *picked = realloc(group->picked, room * sizeof *picked);
    group->picked = picked ? picked : group->picked;
    struct wave **stopped = realloc(group->stopped, room * sizeof(struct wave *));
    group->stopped = stopped ? stopped : group->stopped;
    if (!waves || !picked || !stopped)
        return false;
    group->wave_room = room;
    return true;
}

static bool waves_make(struct group *group, uint32_t count)
{
    if (!wave_room(group, count))
        return false;
    struct group_pool *pool = group->pool;
    while (group->made < count) {
        struct wave *wave = wave_new(pool->code, &pool->arena->memory, pool->host, pool->observer);
        if (!wave)
            return false;
        group->waves[group->made++].wave = wave;
    }
    return true;
}

static void waves_start(struct group *group)
{
    const struct launch *launch = group->launch;
    const struct tile *tile = &group->tile;
    struct wave_start start = {.observer = launch->wave_observer,
                               .args = launch->args,
                               .kernel = launch->kernel,
                               .arg_values = launch->arg_values,
                               .local_addresses = group->local_addresses};
    group->agreement.count = 0;
    group->reached.lanes = tile->lane_count;
    group->reached.reported = false;
    if (tile->groups[0] * tile->groups[1] * tile->groups[2] == 1)
        start.reached = &group->reached;
    if (group->base_count > 1 && tile->groups[0] * tile->groups[1] * tile->groups[2] == 1)
        start.agreement = &group->agreement;
    start.alone = group->base_count == 1 && !schedule_is_preemptive(launch->schedule);
    start.origin.launch = &launch->info;
    start.origin.compute_unit = group->compute_unit;
    for (int i = 0; i < 3; i++) {
        start.origin.tile_origin[i] = tile->origin[i];
        start.origin.tile_size[i] = tile->size[i];
        start.group_id[i] = tile->group_id[i];
        start.local_size[i] = tile->size[i];
    }
    for (uint32_t i = 0, first = 0; i < group->base_count; i++, first += launch->tiling.wave_lanes) {
        uint32_t left = tile->lane_count - first;
        start.origin.first_lane = first;
        start.origin.wave = ++group->launch->waves;
        start.lane_count = left < launch->tiling.wave_lanes ? left : launch->tiling.wave_lanes;
        wave_start(group->waves[i].wave, &start);
        group->waves[i] = (struct group_wave){.wave = group->waves[i].wave, .state = WAVE_READY};
    }
}

struct group *group_admit(struct launch *launch, uint64_t tile_number)
{
    struct group *group = pool_take(launch->pool);
    if (!group)
        return NULL;
    group->launch = launch;
    group->number = tile_number;
    tiling_tile(&launch->tiling, tile_number, &group->tile);
    group->compute_unit = placement_unit(launch, first_group(group));
    uint32_t count = tiling_wave_count(&launch->tiling, &group->tile);
    if (!locals_open(group) || !waves_make(group, count)) {
        pool_give(launch->pool, group);
        return NULL;
    }
    CHECKED(count > 0 && count <= group->made);
    group->base_count = group->wave_count = group->ready_count = group->alive_count = count;
    group->held_count = 0;
    group->faulted = 0;
    group->fresh = true;
    group->begun = group->stepped = false;
    memset(&group->laps, 0, sizeof group->laps);
    for (uint32_t i = 0; i < group->watched_count; i++)
        group->watched_sub_groups[i].epoch = 0;
    announce(group, GROUP_BEGIN);
    group->unpaid_ns = group->tile.groups[0] * group->tile.groups[1] * group->tile.groups[2] * CLOCK_GROUP_NS;
    group->payers = count;
    waves_start(group);
    return group;
}

static void splits_free(struct group *group)
{
    for (uint32_t i = group->base_count; i < group->wave_count; i++)
        if (group->waves[i].wave)
            wave_free(group->waves[i].wave);
    /* [base_count, made) may hold waves of an earlier, larger tile: see split_add. */
    group->wave_count = group->base_count;
}

/* Every work-item of the group has to reach each asynchronous copy equally often. Not checked after a
 * fault, which stops work-items, or after a reported wait for different events, which has the same cause. */
static void check_reached(struct group *group)
{
    for (uint32_t i = 0; i < group->reached.count && !group->faulted && !group->reached.reported; i++)
        divergence_report_copy(group, &group->reached.items[i]);
    forget_reached(group);
}

void group_retire(struct group *group)
{
    if (group->reached.count)
        check_reached(group);
    if (group->wave_count > group->base_count)
        splits_free(group);
    CHECKED(group->wave_count == group->base_count && group->launch->running != group);
    locals_close(group);
    group->launch->group_ns += group->unpaid_ns;
    announce(group, GROUP_END);
    pool_give(group->pool, group);
}

static void announce_slice(const struct group *group, const struct wave *wave, bool begin)
{
    const struct launch *launch = group->launch;
    if (!launch->observer || !launch->observer->slice)
        return;
    struct slice_event event = {
        .launch = &launch->info,
        .begin = begin,
        .group_linear = first_group(group),
        .compute_unit = group->compute_unit,
        .first_lane = wave->origin.first_lane,
        .lane_count = wave->lane_count,
        .time = launch_time(launch),
    };
    launch->observer->slice(launch->observer->self, &event);
}

/* ---- time slices -------------------------------------------------------------------------- */

/* Split waves come after the waves of the tile. Spare waves of an earlier, larger tile are freed first. */
static void split_add(struct group *group, struct wave *wave, enum wave_state state)
{
    for (uint32_t i = group->base_count; i < group->made; i++)
        wave_free(group->waves[i].wave);
    if (group->made > group->base_count)
        group->made = group->base_count;
    CHECKED(group->wave_count < group->wave_room && (state == WAVE_READY || state == WAVE_HELD));
    group->waves[group->wave_count++] = (struct group_wave){.wave = wave, .state = state};
    *(state == WAVE_HELD ? &group->held_count : &group->ready_count) += 1;
    group->alive_count++;
}

/* Splits parked lanes off as a wave of their own. If out of memory they stay parked, which is unfair but not
 * wrong. */
static void split(struct group *group, struct wave *wave, const lane_mask *lanes, enum wave_state state)
{
    struct wave *other = wave_room(group, group->wave_count + 1) ? wave_split(wave, lanes) : NULL;
    if (other)
        split_add(group, other, state);
}

uint32_t group_split_waiting(struct group *group, uint32_t index, const lane_mask *lanes)
{
    const uint32_t before = group->wave_count;
    split(group, group->waves[index].wave, lanes, WAVE_READY);
    if (group->wave_count == before)
        return UINT32_MAX;
    group->waves[before].state = WAVE_WAITS;
    group->ready_count--;
    return before;
}

static void split_parked(struct group *group, struct wave *wave)
{
    lane_mask parked = lane_mask_minus(&wave->live, &wave->active);
    if (!lane_mask_empty(&parked))
        split(group, wave, &parked, WAVE_READY);
}

/* Identifies the lane's sub-group in the launch: a wave may hold several work-groups. */
static uint64_t sub_group_of(const struct wave *wave, uint32_t lane)
{
    struct item item;
    origin_item(&wave->origin, lane, &item);
    return item.group_linear << 32 | item.sub_group;
}

/* Those of `lanes` of the wave `other` whose sub-group has an active lane in `wave`. The two waves may
 * begin at different work-items, so lanes are compared by sub-group and not by index. */
static lane_mask beside_active(const struct wave *wave, const struct wave *other, const lane_mask *lanes)
{
    uint64_t active[WAVE_LANES_MAX];
    uint32_t count = 0;
    lane_mask beside = {{0}};
    for (uint32_t lane = lane_mask_next(&wave->active, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(&wave->active, lane + 1)) {
        const uint64_t number = sub_group_of(wave, lane);
        if (!count || active[count - 1] != number)
            active[count++] = number;
    }
    for (uint32_t lane = lane_mask_next(lanes, 0); lane < WAVE_LANES_MAX;
         lane = lane_mask_next(lanes, lane + 1)) {
        const uint64_t number = sub_group_of(other, lane);
        uint32_t i = 0;
        while (i < count && active[i] != number)
            i++;
        if (i < count)
            beside.word[lane / 64] |= UINT64_C(1) << lane % 64;
    }
    return beside;
}

/* Those of the wave's lanes whose sub-group has no lane in a ready wave: no lane of the sub-group spins. */
static lane_mask lanes_at_rest(const struct group *group, const struct wave *wave, lane_mask lanes)
{
    for (uint32_t i = 0; i < group->wave_count && !lane_mask_empty(&lanes); i++)
        if (group->waves[i].state == WAVE_READY) {
            const lane_mask spins = beside_active(group->waves[i].wave, wave, &lanes);
            lanes = lane_mask_minus(&lanes, &spins);
        }
    return lanes;
}

/*
 * Lanes that wait at a barrier or group function need the held lanes of their own sub-group. These become
 * ready when no lane of the sub-group spins any more. If out of memory to split them off, the held lanes of
 * other sub-groups become ready, too, which is unfair but not wrong.
 */
static void release_held_of(struct group *group, const struct wave *waiting)
{
    const uint32_t count = group->wave_count;
    for (uint32_t i = group->base_count; i < count; i++) {
        if (group->waves[i].state != WAVE_HELD)
            continue;
        struct wave *held = group->waves[i].wave;
        const lane_mask needed = lanes_at_rest(group, held, beside_active(waiting, held, &held->live));
        const lane_mask rest = lane_mask_minus(&held->live, &needed);
        if (lane_mask_empty(&needed))
            continue;
        if (!lane_mask_empty(&rest))
            split(group, held, &rest, WAVE_HELD);
        group->waves[i].state = WAVE_READY;
        group->ready_count++;
        group->held_count--;
        CHECKED(group->held_count + group->ready_count <= group->alive_count);
    }
}

static void wave_waits(struct group *group, uint32_t index)
{
    struct wave *wave = group->waves[index].wave;
    if (barrier_passes_alone(group, wave)) {
        barrier_pass(group, &index, 1);
        return;
    }
    CHECKED(group->waves[index].state == WAVE_READY && group->ready_count > 0);
    group->waves[index].state = WAVE_WAITS;
    group->ready_count--;
    if (wave->parked_blocks)
        split_parked(group, wave);
    if (group->held_count)
        release_held_of(group, wave);
    barrier_arrived(group, index);
}

/* The budget is used up, and lanes that are parked after the loop have not run: they may hold what the
 * others wait for. Lanes of the spinning lanes' own sub-group are held: OpenCL does not promise that they
 * run. */
static void wave_spins(struct group *group, struct wave *wave)
{
    struct launch *launch = group->launch;
    lane_mask starving, held = {{0}};
    if (!wave_starving(wave, &starving))
        return;
    launch->contended = true;
    if (!launch->splits_freely)
        held = beside_active(wave, wave, &starving);
    const lane_mask rest = lane_mask_minus(&starving, &held);
    if (!lane_mask_empty(&held))
        split(group, wave, &held, WAVE_HELD);
    if (!lane_mask_empty(&rest))
        split(group, wave, &rest, WAVE_READY);
}

static lane_mask common_lanes(const lane_mask *a, const lane_mask *b)
{
    const lane_mask others = lane_mask_minus(a, b);
    return lane_mask_minus(a, &others);
}

/*
 * The wave has passed a wait of its sub-groups, for which it needs no other wave, so its time slice ended
 * before the budget was used up. When it has spent as much in such slices while the same lanes are parked
 * after its loop, it counts as spinning: they may be of a sub-group that it waits for.
 */
static void wave_passes(struct group *group, uint32_t index, uint64_t steps, int64_t budget)
{
    struct group_wave *slot = &group->waves[index];
    lane_mask starving = {{0}};
    if (!slot->wave->parked_blocks || !wave_starving(slot->wave, &starving)) {
        slot->starving = starving;
        return;
    }
    const lane_mask still = common_lanes(&slot->starving, &starving);
    const bool goes_on = !lane_mask_empty(&still);
    slot->starving = goes_on ? still : starving;
    slot->starved_steps = goes_on ? slot->starved_steps + steps : 0;
    if (budget > 0 && slot->starved_steps < (uint64_t)budget)
        return;
    slot->starving = (lane_mask){{0}};
    wave_spins(group, slot->wave);
}

bool group_release_starving(struct group *group)
{
    const uint32_t count = group->wave_count;
    for (uint32_t i = 0; i < count; i++) {
        struct group_wave *slot = &group->waves[i];
        if (slot->state != WAVE_READY || lane_mask_empty(&slot->starving))
            continue;
        slot->starving = (lane_mask){{0}};
        wave_spins(group, slot->wave);
    }
    return group->wave_count > count;
}

void group_release_held(struct group *group)
{
    for (uint32_t i = group->base_count; i < group->wave_count; i++)
        if (group->waves[i].state == WAVE_HELD) {
            group->waves[i].state = WAVE_READY;
            group->ready_count++;
        }
    group->held_count = 0;
}

static void wave_done(struct group *group, uint32_t index)
{
    struct group_wave *slot = &group->waves[index];
    CHECKED(slot->state == WAVE_READY && group->ready_count > 0 && lane_mask_empty(&slot->wave->live));
    slot->state = WAVE_DONE;
    group->ready_count--;
    group->alive_count--;
    if (index >= group->base_count) {
        wave_free(slot->wave);
        slot->wave = NULL;
    }
}

/* The simulated time of a group is charged in equal shares to the first time slice of each wave, so that
 * every slice takes time. */
static void charge_share(struct group *group)
{
    if (!group->payers)
        return;
    uint64_t share = group->unpaid_ns / group->payers--;
    CHECKED(share <= group->unpaid_ns);
    group->unpaid_ns -= share;
    group->launch->group_ns += share;
}

enum run_result group_run(struct group *group, uint32_t index, int64_t budget)
{
    struct wave *wave = group->waves[index].wave;
    CHECKED(group->waves[index].state == WAVE_READY);
    const uint64_t before = wave->steps, work = group->launch->slice_work = wave->work;
    announce_slice(group, wave, true);
    group->launch->running = group;
    enum run_result result = wave_run(wave, budget);
    group->launch->running = NULL;
    group->launch->steps += wave->steps - before;
    group->launch->work += wave->work - work;
    charge_share(group);
    announce_slice(group, wave, false);

    if (result == RUN_BARRIER || result == RUN_COLLECTIVE) {
        wave_waits(group, index);
        if (group->waves[index].state == WAVE_READY)
            wave_passes(group, index, wave->steps - before, budget);
    } else if (result == RUN_DONE)
        wave_done(group, index);
    else if (result == RUN_YIELD && wave->parked_blocks)
        wave_spins(group, wave);
    return result;
}

void group_settle(struct group *group)
{
    CHECKED(group->ready_count == 0 && group->alive_count > 0);
    barrier_settle(group);
}

/* ---- places -------------------------------------------------------------------------------- */

static bool has_site(enum op op)
{
    switch (op) {
    case OP_printf:
    case OP_unreachable:
    case OP_image_read:
    case OP_image_write:
    case OP_barrier:
    case OP_collective:
    case OP_pipe:
    case OP_enqueue:
    case OP_async_copy: return true;
    default: return op >= OP_ld_u_8 && op <= OP_fence;
    }
}

static bool is_branch(enum op op)
{
    return op == OP_branch_u || op == OP_branch_v || op == OP_switch_u || op == OP_switch_v;
}

/* The site of the next operation that lanes at instruction `at` certainly reach, or of the branch before
 * it. */
static uint32_t place_from(const struct code *code, uint32_t at)
{
    for (uint32_t steps = 0; at < code->insn_count && steps < code->insn_count; steps++) {
        const struct insn *insn = &code->insns[at];
        const enum op op = code->ops[at];
        if (has_site(op))
            return insn->e;
        if (is_branch(op) || (op == OP_loop && code->sites[insn->d].line))
            return insn->d ? insn->d : UINT32_MAX;
        if (op == OP_ret)
            return UINT32_MAX;
        at = op == OP_jump || op == OP_loop ? code->block_start[insn->e] : at + 1;
    }
    return UINT32_MAX;
}

uint32_t group_wave_place(const struct wave *wave)
{
    const struct code *code = wave->code;
    if (!wave->resume || !code->ops || wave->resume < code->insns)
        return UINT32_MAX;
    return place_from(code, (uint32_t)(wave->resume - code->insns));
}

uint32_t group_wave_block_place(const struct wave *wave, uint32_t block)
{
    return wave->code->ops ? place_from(wave->code, wave->code->block_start[block]) : UINT32_MAX;
}

uint32_t group_wave_first_lane(const struct wave *wave)
{
    uint32_t lane = lane_mask_next(&wave->active, 0);
    if (lane == WAVE_LANES_MAX)
        lane = lane_mask_next(&wave->live, 0);
    return lane == WAVE_LANES_MAX ? 0 : lane;
}

const struct wave *group_any_wave(const struct group *group)
{
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (group->waves[i].state != WAVE_DONE)
            return group->waves[i].wave;
    return group->waves[0].wave;
}

/* ---- invariants ---------------------------------------------------------------------------- */

static void check_wave(const struct group *group, const struct group_wave *slot, uint32_t index)
{
    CHECKED(slot->wave || (slot->state == WAVE_DONE && index >= group->base_count));
    CHECKED(slot->state != WAVE_HELD || index >= group->base_count); /* it was split off */
    CHECKED(slot->state == WAVE_DONE || !lane_mask_empty(&slot->wave->live));
    CHECKED(slot->state != WAVE_WAITS || slot->wave->stop == RUN_BARRIER ||
            slot->wave->stop == RUN_COLLECTIVE);
}

void group_check(const struct group *group)
{
    uint32_t count[WAVE_HELD + 1] = {0};
    CHECKED(group->place < group->pool->busy && group->pool->groups[group->place] == group);
    CHECKED(group->base_count > 0 && group->base_count <= group->wave_count);
    CHECKED(group->wave_count <= group->wave_room && group->base_count <= group->made);
    for (uint32_t i = 0; i < group->wave_count; i++) {
        check_wave(group, &group->waves[i], i);
        count[group->waves[i].state]++;
    }
    CHECKED(count[WAVE_READY] == group->ready_count && count[WAVE_HELD] == group->held_count);
    CHECKED(group->wave_count - count[WAVE_DONE] == group->alive_count);
    CHECKED(group->begun || !group->stepped);
}
