/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred joins: operations on clocks that are recorded, and computed at the first query.
 *
 * The steps form a directed acyclic graph: each refers to a lower operand and possibly to another clock. A
 * query walks all steps beneath the queried one that were not computed, joins the tries that it meets, then
 * puts the clock values of the steps. Join is commutative and idempotent, and a put is the join with one
 * entry, so the order does not matter and no intermediate clock is made.
 *
 * Many queries of overlapping graphs would visit steps again and again. Their cost is counted. When it
 * exceeds a share of what was deferred, every step is computed bottom-up, and operations are no longer
 * deferred until clocks are costly once more (stop_deferring). When very many steps have no result, the same
 * is tried to save memory (compute_to_save_memory).
 */
#include <stdlib.h>
#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

#include "vclock_state.h"

const struct vclock *vclock_computed(const struct vclock_pool *pool, const struct vclock *map)
{
    return vclock_step_of(map) && is_computed(map) ? vclock_of_handle(pool, fields_of(map)->high) : map;
}

static struct vclock *computed_map(const struct vclock_pool *pool, struct vclock *map)
{
    return (struct vclock *)vclock_computed(pool, map);
}

/* All clock values of a deferred join are of one key. */
static bool accepts_key(const struct vclock_deferred_join *deferred_join, uint64_t key)
{
    return !vclock_state(deferred_join)->keyed || deferred_join->key == key;
}

static void set_clock(struct vclock_deferred_join *deferred_join, uint32_t step, uint64_t key, int32_t clock)
{
    CHECKED(clock >= 0 && key < DEFERRABLE_KEY_END);
    deferred_join->step[step].clock = clock;
    if (!clock)
        return;
    vclock_state(deferred_join)->keyed = true;
    deferred_join->key = (uint32_t)key;
}

/* The deferred join whose latest step `low` is, if the next step may have that key. */
static struct vclock_deferred_join *extendable_join(struct vclock *low, uint64_t key, int32_t clock)
{
    struct vclock_deferred_join *deferred_join = vclock_step_of(low) ? vclock_deferred_join_of(low) : NULL;
    return deferred_join && vclock_step_of(low) == vclock_state(deferred_join)->steps &&
                   (!clock || accepts_key(deferred_join, key))
               ? deferred_join
               : NULL;
}

/* The average length of rows so far, plus 7/8, divided evenly among as few deferred joins as possible: one
 * step of room too much costs less memory than one more deferred join. */
static uint32_t room_for(const struct vclock_pool *pool)
{
    const uint64_t begun = pool->deferred - pool->extended,
                   each = begun ? (8 * pool->deferred + 7 * begun) / (8 * begun) : 0;
    const uint64_t deferred_joins = (each + VCLOCK_STEPS - 1) / VCLOCK_STEPS;
    return each ? (uint32_t)((each + deferred_joins - 1) / deferred_joins) : 1;
}

struct vclock *vclock_defer(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                            int32_t clock)
{
    low = computed_map(pool, low);
    high = computed_map(pool, high);
    struct vclock_deferred_join *before = extendable_join(low, key, clock), *deferred_join = before;
    if (!before || vclock_state(before)->steps == vclock_state(before)->room) {
        if (!(deferred_join = vclock_deferred_join_new(pool, room_for(pool))))
            return vclock_share(low);
        deferred_join->below = vclock_handle(low);
    }
    union vclock_state *state = vclock_state(deferred_join);
    const uint32_t step = state->steps++;
    CHECKED(step < state->room && !(clock && state->keyed && deferred_join->key != key));
    state->alive++;
    state[1 + step] = (union vclock_state){.references = 1};
    deferred_join->step[step].high = vclock_handle(vclock_share(high));
    vclock_share(low);
    set_clock(deferred_join, step, key, clock);
    pool->deferred++;
    pool->extended += before != NULL;
    pool->uncomputed++;
    return vclock_step_pointer(deferred_join, step);
}

bool vclock_put_in_place(struct vclock *step, uint64_t key, int32_t clock)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    const uint32_t i = step_index(step);
    if (is_computed(step) || vclock_step_state(deferred_join, i)->references != 1 ||
        deferred_join->step[i].clock || !accepts_key(deferred_join, key))
        return false;
    set_clock(deferred_join, i, key, clock);
    return true;
}

static bool is_unshared(const struct vclock *step)
{
    const struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    return vclock_state(deferred_join)->alive == 1 &&
           vclock_step_state(deferred_join, step_index(step))->references == 1;
}

uint32_t vclock_list_puts(const struct vclock_pool *pool, const struct vclock *step,
                          struct vclock_entry *keys, uint32_t most, const struct vclock **out_below)
{
    uint32_t count = 0;
    if (!is_unshared(step))
        return most + 1;
    while (is_deferred(step)) {
        const struct vclock_entry put = {vclock_deferred_join_of(step)->key,
                                         (uint32_t)fields_of(step)->clock};
        if (fields_of(step)->high || count == most)
            return most + 1;
        if (put.clock)
            keys[count++] = put;
        step = vclock_computed(pool, below_of(pool, step));
    }
    *out_below = step;
    return count;
}

/* The step has that result, whose reference it takes; its operands are dropped. */
static void set_computed(struct vclock_pool *pool, struct vclock *step, struct vclock *map)
{
    CHECKED(!is_computed(step) && !vclock_step_of(map) && pool->uncomputed > 0);
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    struct vclock *low = below_of(pool, step), *high = vclock_of_handle(pool, fields_of(step)->high);
    vclock_step_state(deferred_join, step_index(step))->computed = true;
    fields_of(step)->high = vclock_handle(map);
    if (step_index(step) == 0)
        deferred_join->below = 0;
    pool->uncomputed--;
    vclock_drop(pool, low);
    vclock_drop(pool, high);
}

static bool worklist_add(struct vclock_pool *pool, struct vclock *map)
{
    const bool room =
        room_for_one((void **)&pool->work, pool->work_count, &pool->work_room, 64, sizeof(struct vclock *));
    pool->failed |= !room;
    if (room)
        pool->work[pool->work_count++] = map;
    return room;
}

static bool is_visited(const struct vclock *map)
{
    return vclock_step_of(map) ? vclock_step_state(vclock_deferred_join_of(map), step_index(map))->visited
                               : map->visited;
}

static void set_visited(struct vclock *map, bool visited)
{
    if (!vclock_step_of(map))
        map->visited = visited;
    else
        vclock_step_state(vclock_deferred_join_of(map), step_index(map))->visited = visited;
}

/* Adds an operand to the worklist, once. */
static void visit(struct vclock_pool *pool, struct vclock *below)
{
    below = computed_map(pool, below);
    if (below && !is_visited(below))
        set_visited(below, worklist_add(pool, below));
}

/* A handle of a step that was computed becomes a handle of its result. */
static void replace_computed(struct vclock_pool *pool, uint32_t *handle)
{
    struct vclock *old = vclock_of_handle(pool, *handle);
    if (!vclock_step_of(old) || !is_computed(old))
        return;
    *handle = vclock_handle(vclock_share(computed_map(pool, old)));
    vclock_drop(pool, old);
}

/* Takes the reference of the first clock. */
static struct vclock *joined_with(struct vclock_pool *pool, struct vclock *result, struct vclock *map)
{
    struct vclock *more =
        map && result ? vclock_join_tries(pool, result, map) : vclock_share(map ? map : result);
    vclock_drop(pool, result);
    return more;
}

/* Takes the reference of the clock. */
static struct vclock *joined_with_put(struct vclock_pool *pool, struct vclock *result,
                                      const struct vclock *step)
{
    const uint64_t key = vclock_deferred_join_of(step)->key;
    const int32_t clock = fields_of(step)->clock;
    if (!clock || vclock_get(pool, result, key) >= (uint64_t)clock)
        return result;
    struct vclock *more = vclock_put_trie(pool, result, key, clock);
    vclock_drop(pool, result);
    return more;
}

static void visit_operands(struct vclock_pool *pool, struct vclock *step)
{
    if (step_index(step) == 0)
        replace_computed(pool, &vclock_deferred_join_of(step)->below);
    replace_computed(pool, &fields_of(step)->high);
    visit(pool, below_of(pool, step));
    visit(pool, vclock_of_handle(pool, fields_of(step)->high));
}

/* Computes one step from all that are beneath it: the tries first, then the clock values of steps. */
static void compute(struct vclock_pool *pool, struct vclock *step)
{
    struct vclock *result = NULL;
    pool->work_count = 0;
    set_visited(step, worklist_add(pool, step));
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (vclock_step_of(pool->work[i]))
            visit_operands(pool, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (!vclock_step_of(pool->work[i]))
            result = joined_with(pool, result, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        set_visited(pool->work[i], false);
        if (vclock_step_of(pool->work[i]))
            result = joined_with_put(pool, result, pool->work[i]);
    }
    CHECKED(pool->work_count > 0 && pool->work[0] == step);
    pool->visited += pool->work_count;
    set_computed(pool, step, result);
}

/* Both operands are computed. */
static void compute_from_operands(struct vclock_pool *pool, struct vclock *step)
{
    CHECKED(!is_deferred(below_of(pool, step)));
    struct vclock *result = vclock_share(computed_map(pool, below_of(pool, step)));
    result = joined_with(pool, result, computed_map(pool, vclock_of_handle(pool, fields_of(step)->high)));
    set_computed(pool, step, joined_with_put(pool, result, step));
}

/* Computes the step and every step beneath it, operands first. False: that exceeds one of the limits. */
static bool compute_beneath(struct vclock_pool *pool, struct vclock *step, size_t bytes_most,
                            uint64_t joined_most)
{
    pool->work_count = 0;
    for (bool more = worklist_add(pool, step); more && pool->work_count;) {
        if (pool->bytes > bytes_most || pool->joined > joined_most)
            return false;
        step = pool->work[pool->work_count - 1];
        struct vclock *low = below_of(pool, step),
                      *high = is_deferred(step) ? vclock_of_handle(pool, fields_of(step)->high) : NULL;
        if (is_deferred(low)) {
            more = worklist_add(pool, low);
        } else if (is_deferred(high)) {
            more = worklist_add(pool, high);
        } else {
            pool->work_count--;
            if (is_deferred(step))
                compute_from_operands(pool, step);
        }
    }
    return true;
}

/* Computes every step that has references. False: that takes more bytes, or more joins of pairs of nodes. */
static bool compute_all(struct vclock_pool *pool, size_t bytes_most, uint64_t joins)
{
    const uint64_t joined_most = pool->joined + joins;
    uint64_t at = 0;
    for (struct vclock_deferred_join *deferred_join;
         (deferred_join = vclock_deferred_join_next(pool, &at));) {
        for (uint32_t i = 0; i < vclock_state(deferred_join)->steps; i++) {
            struct vclock *step = vclock_step_pointer(deferred_join, i);
            if (vclock_step_state(deferred_join, i)->references && is_deferred(step) &&
                !compute_beneath(pool, step, bytes_most, joined_most))
                return false;
        }
    }
    return true;
}

/* Queries have cost too much. If all clocks can be computed, nothing is deferred until they take twice as
 * many bytes, or have cost as many joins as the queries; else queries may cost twice as much from now on. */
static void stop_deferring(struct vclock_pool *pool)
{
    if (compute_all(pool, 2 * pool->bytes, pool->visited)) {
        pool->bytes_most = 2 * pool->bytes > BYTES_MOST ? 2 * pool->bytes : BYTES_MOST;
        pool->joined_most = pool->joined + pool->visited;
    } else {
        pool->visited_most *= 2;
    }
    pool->visited = pool->deferred = pool->extended = 0;
}

const struct vclock *vclock_compute(struct vclock_pool *pool, struct vclock *map)
{
    if (!is_computed(map) && pool->cached_only)
        return NULL;
    if (!is_computed(map)) {
        vclock_share(map);
        compute(pool, map);
        if (pool->visited > pool->visited_most + VISITED_PER_DEFERRED * pool->deferred)
            stop_deferring(pool);
        vclock_unref(map);
    }
    return vclock_of_handle(pool, fields_of(map)->high);
}

/* The new owner of a lock mostly queries an epoch of the owner before, whose clock value is few steps away. A
 * clock value found on the way is a lower bound of the result, which decides the query if it is later. */
bool vclock_has_nearby(const struct vclock_pool *pool, const struct vclock *step, uint64_t key,
                       uint64_t clock)
{
    enum { STEPS_SEEN = HOSTILE(24, 3) };
    const struct vclock *seen[STEPS_SEEN] = {step};
    for (uint32_t i = 0, count = 1; i < count; i++) {
        const struct vclock *at = vclock_computed(pool, seen[i]);
        if (!vclock_step_of(at)) {
            if (clock < vclock_get_computed(pool, at, key))
                return true;
            continue;
        }
        if (vclock_deferred_join_of(at)->key == key && fields_of(at)->clock > 0 &&
            clock < (uint64_t)fields_of(at)->clock)
            return true;
        const struct vclock *next[2] = {vclock_of_handle(pool, fields_of(at)->high), below_of(pool, at)};
        for (int n = 0; n < 2; n++)
            if (next[n] && count < STEPS_SEEN)
                seen[count++] = next[n];
    }
    return false;
}

/* So many steps have no result that computed clocks might take less memory. If they take more than 3/4 as
 * much, the next attempt waits for twice as many. */
static void compute_to_save_memory(struct vclock_pool *pool)
{
    const size_t before = pool->bytes;
    compute_all(pool, before / 16 * 17, JOINED_PER_UNCOMPUTED * (uint64_t)pool->uncomputed);
    if (pool->bytes > before / 4 * 3 && pool->uncomputed_most < UINT32_MAX / 2)
        pool->uncomputed_most *= 2;
}

bool vclock_should_defer(struct vclock_pool *pool, const struct vclock *map)
{
    if (!vclock_is_costly(pool) && !is_deferred(map))
        return false;
    if (pool->uncomputed >= pool->uncomputed_most && pool->uncomputed / UNCOMPUTED_PER_UNIT >= pool->units)
        compute_to_save_memory(pool);
    return true;
}
