/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred joins of steps, and the maps that are computed from them at the first query. */
#include <stdlib.h>
#include "orrery/checked.h"

#include "vclock_state.h"

const struct vclock *vclock_made(const struct vclock_pool *pool, const struct vclock *map)
{
    return vclock_step_of(map) && is_made(map) ? vclock_of_handle(pool, fields_of(map)->high) : map;
}

static struct vclock *map_of(const struct vclock_pool *pool, struct vclock *map)
{
    return (struct vclock *)vclock_made(pool, map);
}

static bool may_have(const struct vclock_deferred_join *deferred_join, uint64_t key)
{
    return !vclock_state(deferred_join)->keyed || deferred_join->key == key;
}

static void set_clock(struct vclock_deferred_join *deferred_join, uint32_t step, uint64_t key, int32_t clock)
{
    CHECKED(clock >= 0 && key < KEY_END);
    deferred_join->step[step].clock = clock;
    if (!clock)
        return;
    vclock_state(deferred_join)->keyed = true;
    deferred_join->key = (uint32_t)key;
}

/* The deferred join whose latest step this is, if what comes next may be of its key. */
static struct vclock_deferred_join *goes_on(struct vclock *low, uint64_t key, int32_t clock)
{
    struct vclock_deferred_join *deferred_join = vclock_step_of(low) ? vclock_deferred_join_of(low) : NULL;
    return deferred_join && vclock_step_of(low) == vclock_state(deferred_join)->steps &&
                   (!clock || may_have(deferred_join, key))
               ? deferred_join
               : NULL;
}

/* As many as went on one another so far, in deferred joins of about the same length: a step too many takes
 * less than a deferred join more. */
static uint32_t room_for(const struct vclock_pool *pool)
{
    const uint64_t begun = pool->put_off - pool->gone_on,
                   each = begun ? (8 * pool->put_off + 7 * begun) / (8 * begun) : 0;
    const uint64_t deferred_joins = (each + VCLOCK_STEPS - 1) / VCLOCK_STEPS;
    return each ? (uint32_t)((each + deferred_joins - 1) / deferred_joins) : 1;
}

struct vclock *vclock_put_off(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                              int32_t clock)
{
    low = map_of(pool, low);
    high = map_of(pool, high);
    struct vclock_deferred_join *before = goes_on(low, key, clock), *deferred_join = before;
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
    pool->put_off++;
    pool->gone_on += before != NULL;
    pool->waiting++;
    return vclock_step(deferred_join, step);
}

bool vclock_set_put(struct vclock *step, uint64_t key, int32_t clock)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    const uint32_t i = step_index(step);
    if (is_made(step) || vclock_step_state(deferred_join, i)->references != 1 ||
        deferred_join->step[i].clock || !may_have(deferred_join, key))
        return false;
    set_clock(deferred_join, i, key, clock);
    return true;
}

static bool is_alone(const struct vclock *step)
{
    const struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    return vclock_state(deferred_join)->alive == 1 &&
           vclock_step_state(deferred_join, step_index(step))->references == 1;
}

uint32_t vclock_list_puts(const struct vclock_pool *pool, const struct vclock *step, struct known_key *keys,
                          uint32_t most, const struct vclock **out_below)
{
    uint32_t count = 0;
    if (!is_alone(step))
        return most + 1;
    while (is_put_off(step)) {
        const struct known_key put = {vclock_deferred_join_of(step)->key, (uint32_t)fields_of(step)->clock};
        if (fields_of(step)->high || count == most)
            return most + 1;
        if (put.clock)
            keys[count++] = put;
        step = vclock_made(pool, below_of(pool, step));
    }
    *out_below = step;
    return count;
}

/* Takes the reference of the map. */
static void becomes(struct vclock_pool *pool, struct vclock *step, struct vclock *map)
{
    CHECKED(!is_made(step) && !vclock_step_of(map) && pool->waiting > 0);
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    struct vclock *low = below_of(pool, step), *high = vclock_of_handle(pool, fields_of(step)->high);
    vclock_step_state(deferred_join, step_index(step))->made = true;
    fields_of(step)->high = vclock_handle(map);
    if (step_index(step) == 0)
        deferred_join->below = 0;
    pool->waiting--;
    vclock_drop(pool, low);
    vclock_drop(pool, high);
}

static bool work_on(struct vclock_pool *pool, struct vclock *map)
{
    if (pool->work_count == pool->work_room) {
        const uint32_t room = pool->work_room ? 2 * pool->work_room : 64;
        struct vclock **work = realloc(pool->work, room * sizeof *work);
        if (!work) {
            pool->failed = true;
            return false;
        }
        pool->work = work;
        pool->work_room = room;
    }
    pool->work[pool->work_count++] = map;
    return true;
}

static bool is_met(const struct vclock *map)
{
    return vclock_step_of(map) ? vclock_step_state(vclock_deferred_join_of(map), step_index(map))->met
                               : map->met;
}

static void set_met(struct vclock *map, bool met)
{
    if (!vclock_step_of(map))
        map->met = met;
    else
        vclock_step_state(vclock_deferred_join_of(map), step_index(map))->met = met;
}

/* The steps below are computed once. */
static void meet(struct vclock_pool *pool, struct vclock *below)
{
    below = map_of(pool, below);
    if (below && !is_met(below))
        set_met(below, work_on(pool, below));
}

/* A handle of what was made becomes one of the map. */
static void look_through(struct vclock_pool *pool, uint32_t *handle)
{
    struct vclock *old = vclock_of_handle(pool, *handle);
    if (!vclock_step_of(old) || !is_made(old))
        return;
    *handle = vclock_handle(vclock_share(map_of(pool, old)));
    vclock_drop(pool, old);
}

/* Takes the reference of known. */
static struct vclock *with(struct vclock_pool *pool, struct vclock *known, struct vclock *map)
{
    struct vclock *more = map && known ? vclock_join_maps(pool, known, map) : vclock_share(map ? map : known);
    vclock_drop(pool, known);
    return more;
}

/* Takes the reference of known. */
static struct vclock *with_put(struct vclock_pool *pool, struct vclock *known, const struct vclock *step)
{
    const uint64_t key = vclock_deferred_join_of(step)->key;
    const int32_t clock = fields_of(step)->clock;
    if (!clock || vclock_get(pool, known, key) >= (uint64_t)clock)
        return known;
    struct vclock *more = vclock_put_in(pool, known, key, clock);
    vclock_drop(pool, known);
    return more;
}

static void look_below(struct vclock_pool *pool, struct vclock *step)
{
    if (step_index(step) == 0)
        look_through(pool, &vclock_deferred_join_of(step)->below);
    look_through(pool, &fields_of(step)->high);
    meet(pool, below_of(pool, step));
    meet(pool, vclock_of_handle(pool, fields_of(step)->high));
}

/* Of all that was put off beneath it: maps first, then what was put. */
static void make(struct vclock_pool *pool, struct vclock *step)
{
    struct vclock *known = NULL;
    pool->work_count = 0;
    set_met(step, work_on(pool, step));
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (vclock_step_of(pool->work[i]))
            look_below(pool, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (!vclock_step_of(pool->work[i]))
            known = with(pool, known, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        set_met(pool->work[i], false);
        if (vclock_step_of(pool->work[i]))
            known = with_put(pool, known, pool->work[i]);
    }
    CHECKED(pool->work_count > 0 && pool->work[0] == step);
    pool->looked += pool->work_count;
    becomes(pool, step, known);
}

/* Those beneath are made. */
static void make_of_two(struct vclock_pool *pool, struct vclock *step)
{
    CHECKED(!is_put_off(below_of(pool, step)));
    struct vclock *known = vclock_share(map_of(pool, below_of(pool, step)));
    known = with(pool, known, map_of(pool, vclock_of_handle(pool, fields_of(step)->high)));
    becomes(pool, step, with_put(pool, known, step));
}

/* It and each beneath it; false: that takes more. */
static bool make_each(struct vclock_pool *pool, struct vclock *step, size_t bytes_most, uint64_t joined_most)
{
    pool->work_count = 0;
    for (bool more = work_on(pool, step); more && pool->work_count;) {
        if (pool->bytes > bytes_most || pool->joined > joined_most)
            return false;
        step = pool->work[pool->work_count - 1];
        struct vclock *low = below_of(pool, step),
                      *high = is_put_off(step) ? vclock_of_handle(pool, fields_of(step)->high) : NULL;
        if (is_put_off(low)) {
            more = work_on(pool, low);
        } else if (is_put_off(high)) {
            more = work_on(pool, high);
        } else {
            pool->work_count--;
            if (is_put_off(step))
                make_of_two(pool, step);
        }
    }
    return true;
}

/* Every map that was put off. False: they take more than that, or more than that many pairs of nodes were
 * joined. */
static bool make_all(struct vclock_pool *pool, size_t bytes_most, uint64_t joins)
{
    const uint64_t joined_most = pool->joined + joins;
    uint64_t at = 0;
    for (struct vclock_deferred_join *deferred_join;
         (deferred_join = vclock_deferred_join_next(pool, &at));) {
        for (uint32_t i = 0; i < vclock_state(deferred_join)->steps; i++) {
            struct vclock *step = vclock_step(deferred_join, i);
            if (vclock_step_state(deferred_join, i)->references && is_put_off(step) &&
                !make_each(pool, step, bytes_most, joined_most))
                return false;
        }
    }
    return true;
}

/* Queries have cost much: for as long, nothing is deferred any more, if possible. */
static void make_at_once(struct vclock_pool *pool)
{
    if (make_all(pool, 2 * pool->bytes, pool->looked)) {
        pool->bytes_most = 2 * pool->bytes > BYTES_MOST ? 2 * pool->bytes : BYTES_MOST;
        pool->joined_most = pool->joined + pool->looked;
    } else {
        pool->looked_most *= 2;
    }
    pool->looked = pool->put_off = pool->gone_on = 0;
}

const struct vclock *vclock_make(struct vclock_pool *pool, struct vclock *map)
{
    if (!is_made(map) && pool->glances)
        return NULL;
    if (!is_made(map)) {
        vclock_share(map);
        make(pool, map);
        if (pool->looked > pool->looked_most + LOOKED_EACH * pool->put_off)
            make_at_once(pool);
        vclock_leave(map);
    }
    return vclock_of_handle(pool, fields_of(map)->high);
}

/* The new owner of a lock queries the epoch of the one before, which is few steps away. */
bool vclock_shows(const struct vclock_pool *pool, const struct vclock *step, uint64_t key, uint64_t clock)
{
    enum { STEPS_SEEN = HOSTILE(24, 3) };
    const struct vclock *seen[STEPS_SEEN] = {step};
    for (uint32_t i = 0, count = 1; i < count; i++) {
        const struct vclock *at = vclock_made(pool, seen[i]);
        if (!vclock_step_of(at)) {
            if (clock < vclock_get_made(pool, at, key))
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

/* So many wait that maps might take less. */
static void make_some(struct vclock_pool *pool)
{
    const size_t before = pool->bytes;
    make_all(pool, before / 16 * 17, JOINED_EACH * (uint64_t)pool->waiting);
    if (pool->bytes > before / 4 * 3 && pool->waiting_most < UINT32_MAX / 2)
        pool->waiting_most *= 2;
}

bool vclock_comes_later(struct vclock_pool *pool, const struct vclock *map)
{
    if (!vclock_puts_off(pool) && !is_put_off(map))
        return false;
    if (pool->waiting >= pool->waiting_most && pool->waiting / WAITING_EACH >= pool->units)
        make_some(pool);
    return true;
}
