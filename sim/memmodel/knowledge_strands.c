/* SPDX-License-Identifier: Apache-2.0 */
/* What is put off: strands of steps; and the maps that are made of them when somebody asks. */
#include <stdlib.h>

#include "knowledge_state.h"

const struct knowledge *knowledge_made(const struct knowledge_pool *pool, const struct knowledge *map)
{
    return knowledge_step_of(map) && is_made(map) ? knowledge_of_handle(pool, fields_of(map)->high) : map;
}

static struct knowledge *map_of(const struct knowledge_pool *pool, struct knowledge *map)
{
    return (struct knowledge *)knowledge_made(pool, map);
}

static bool may_have(const struct knowledge_strand *strand, uint64_t key)
{
    return !knowledge_state(strand)->keyed || strand->key == key;
}

static void set_tick(struct knowledge_strand *strand, uint32_t step, uint64_t key, int32_t tick)
{
    strand->step[step].tick = tick;
    if (!tick)
        return;
    knowledge_state(strand)->keyed = true;
    strand->key = (uint32_t)key;
}

/* The strand whose latest step this is, if what comes next may be of its key. */
static struct knowledge_strand *goes_on(struct knowledge *low, uint64_t key, int32_t tick)
{
    struct knowledge_strand *strand = knowledge_step_of(low) ? knowledge_strand_of(low) : NULL;
    return strand && knowledge_step_of(low) == knowledge_state(strand)->steps && (!tick || may_have(strand, key)) ? strand : NULL;
}

/* As many as went on one another so far, in strands of about the same length: a step too many takes less than a strand more. */
static uint32_t room_for(const struct knowledge_pool *pool)
{
    const uint64_t begun = pool->put_off - pool->gone_on, each = begun ? (8 * pool->put_off + 7 * begun) / (8 * begun) : 0;
    const uint64_t strands = (each + KNOWLEDGE_STEPS - 1) / KNOWLEDGE_STEPS;
    return each ? (uint32_t)((each + strands - 1) / strands) : 1;
}

struct knowledge *knowledge_put_off(struct knowledge_pool *pool, struct knowledge *low, struct knowledge *high, uint64_t key, int32_t tick)
{
    low = map_of(pool, low);
    high = map_of(pool, high);
    struct knowledge_strand *before = goes_on(low, key, tick), *strand = before;
    if (!before || knowledge_state(before)->steps == knowledge_state(before)->room) {
        if (!(strand = knowledge_strand_new(pool, room_for(pool))))
            return knowledge_share(low);
        strand->below = knowledge_handle(low);
    }
    union knowledge_state *state = knowledge_state(strand);
    const uint32_t step = state->steps++;
    state->alive++;
    state[1 + step] = (union knowledge_state){.references = 1};
    strand->step[step].high = knowledge_handle(knowledge_share(high));
    knowledge_share(low);
    set_tick(strand, step, key, tick);
    pool->put_off++;
    pool->gone_on += before != NULL;
    pool->waiting++;
    return knowledge_step(strand, step);
}

bool knowledge_set_put(struct knowledge *step, uint64_t key, int32_t tick)
{
    struct knowledge_strand *strand = knowledge_strand_of(step);
    const uint32_t i = step_index(step);
    if (is_made(step) || knowledge_step_state(strand, i)->references != 1 || strand->step[i].tick || !may_have(strand, key))
        return false;
    set_tick(strand, i, key, tick);
    return true;
}

static bool is_alone(const struct knowledge *step)
{
    const struct knowledge_strand *strand = knowledge_strand_of(step);
    return knowledge_state(strand)->alive == 1 && knowledge_step_state(strand, step_index(step))->references == 1;
}

uint32_t knowledge_list_puts(const struct knowledge_pool *pool, const struct knowledge *step, struct known_key *keys, uint32_t most, const struct knowledge **out_below)
{
    uint32_t count = 0;
    if (!is_alone(step))
        return most + 1;
    while (is_put_off(step)) {
        const struct known_key put = {knowledge_strand_of(step)->key, (uint32_t)fields_of(step)->tick};
        if (fields_of(step)->high || count == most)
            return most + 1;
        if (put.tick)
            keys[count++] = put;
        step = knowledge_made(pool, below_of(pool, step));
    }
    *out_below = step;
    return count;
}

/* Takes the reference of the map. */
static void becomes(struct knowledge_pool *pool, struct knowledge *step, struct knowledge *map)
{
    struct knowledge_strand *strand = knowledge_strand_of(step);
    struct knowledge *low = below_of(pool, step), *high = knowledge_of_handle(pool, fields_of(step)->high);
    knowledge_step_state(strand, step_index(step))->made = true;
    fields_of(step)->high = knowledge_handle(map);
    if (step_index(step) == 0)
        strand->below = 0;
    pool->waiting--;
    knowledge_drop(pool, low);
    knowledge_drop(pool, high);
}

static bool work_on(struct knowledge_pool *pool, struct knowledge *map)
{
    if (pool->work_count == pool->work_room) {
        const uint32_t room = pool->work_room ? 2 * pool->work_room : 64;
        struct knowledge **work = realloc(pool->work, room * sizeof *work);
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

static bool is_met(const struct knowledge *map)
{
    return knowledge_step_of(map) ? knowledge_step_state(knowledge_strand_of(map), step_index(map))->met : map->met;
}

static void set_met(struct knowledge *map, bool met)
{
    if (!knowledge_step_of(map))
        map->met = met;
    else
        knowledge_step_state(knowledge_strand_of(map), step_index(map))->met = met;
}

/* What stands below becomes work, once. */
static void meet(struct knowledge_pool *pool, struct knowledge *below)
{
    below = map_of(pool, below);
    if (below && !is_met(below))
        set_met(below, work_on(pool, below));
}

/* A handle of what was made becomes one of the map. */
static void look_through(struct knowledge_pool *pool, uint32_t *handle)
{
    struct knowledge *old = knowledge_of_handle(pool, *handle);
    if (!knowledge_step_of(old) || !is_made(old))
        return;
    *handle = knowledge_handle(knowledge_share(map_of(pool, old)));
    knowledge_drop(pool, old);
}

/* Takes the reference of known. */
static struct knowledge *with(struct knowledge_pool *pool, struct knowledge *known, struct knowledge *map)
{
    struct knowledge *more = map && known ? knowledge_join_maps(pool, known, map) : knowledge_share(map ? map : known);
    knowledge_drop(pool, known);
    return more;
}

/* Takes the reference of known. */
static struct knowledge *with_put(struct knowledge_pool *pool, struct knowledge *known, const struct knowledge *step)
{
    const uint64_t key = knowledge_strand_of(step)->key;
    const int32_t tick = fields_of(step)->tick;
    if (!tick || knowledge_get(pool, known, key) >= (uint64_t)tick)
        return known;
    struct knowledge *more = knowledge_put_in(pool, known, key, tick);
    knowledge_drop(pool, known);
    return more;
}

static void look_below(struct knowledge_pool *pool, struct knowledge *step)
{
    if (step_index(step) == 0)
        look_through(pool, &knowledge_strand_of(step)->below);
    look_through(pool, &fields_of(step)->high);
    meet(pool, below_of(pool, step));
    meet(pool, knowledge_of_handle(pool, fields_of(step)->high));
}

/* Of all that was put off beneath it: maps first, then what was put. */
static void make(struct knowledge_pool *pool, struct knowledge *step)
{
    struct knowledge *known = NULL;
    pool->work_count = 0;
    set_met(step, work_on(pool, step));
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (knowledge_step_of(pool->work[i]))
            look_below(pool, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (!knowledge_step_of(pool->work[i]))
            known = with(pool, known, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        set_met(pool->work[i], false);
        if (knowledge_step_of(pool->work[i]))
            known = with_put(pool, known, pool->work[i]);
    }
    pool->looked += pool->work_count;
    becomes(pool, step, known);
}

/* Those beneath are made. */
static void make_of_two(struct knowledge_pool *pool, struct knowledge *step)
{
    struct knowledge *known = knowledge_share(map_of(pool, below_of(pool, step)));
    known = with(pool, known, map_of(pool, knowledge_of_handle(pool, fields_of(step)->high)));
    becomes(pool, step, with_put(pool, known, step));
}

/* It and each beneath it; false: that takes more. */
static bool make_each(struct knowledge_pool *pool, struct knowledge *step, size_t bytes_most, uint64_t joined_most)
{
    pool->work_count = 0;
    for (bool more = work_on(pool, step); more && pool->work_count;) {
        if (pool->bytes > bytes_most || pool->joined > joined_most)
            return false;
        step = pool->work[pool->work_count - 1];
        struct knowledge *low = below_of(pool, step), *high = is_put_off(step) ? knowledge_of_handle(pool, fields_of(step)->high) : NULL;
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

/* Every map that was put off. False: they take more than that, or more than that many pairs of nodes were joined. */
static bool make_all(struct knowledge_pool *pool, size_t bytes_most, uint64_t joins)
{
    const uint64_t joined_most = pool->joined + joins;
    uint64_t at = 0;
    for (struct knowledge_strand *strand; (strand = knowledge_strand_next(pool, &at));) {
        for (uint32_t i = 0; i < knowledge_state(strand)->steps; i++) {
            struct knowledge *step = knowledge_step(strand, i);
            if (knowledge_step_state(strand, i)->references && is_put_off(step) && !make_each(pool, step, bytes_most, joined_most))
                return false;
        }
    }
    return true;
}

/* Asking has cost much: for as long, nothing is put off any more, if that may be. */
static void make_at_once(struct knowledge_pool *pool)
{
    if (make_all(pool, 2 * pool->bytes, pool->looked)) {
        pool->bytes_most = 2 * pool->bytes > BYTES_MOST ? 2 * pool->bytes : BYTES_MOST;
        pool->joined_most = pool->joined + pool->looked;
    } else {
        pool->looked_most *= 2;
    }
    pool->looked = pool->put_off = pool->gone_on = 0;
}

const struct knowledge *knowledge_make(struct knowledge_pool *pool, struct knowledge *map)
{
    if (!is_made(map) && pool->glances)
        return NULL;
    if (!is_made(map)) {
        knowledge_share(map);
        make(pool, map);
        if (pool->looked > pool->looked_most + LOOKED_EACH * pool->put_off)
            make_at_once(pool);
        knowledge_leave(map);
    }
    return knowledge_of_handle(pool, fields_of(map)->high);
}

/* Who took over a lock asks about the one who gave it back, which is few steps away. */
bool knowledge_shows(const struct knowledge_pool *pool, const struct knowledge *step, uint64_t key, uint64_t tick)
{
    enum { STEPS_SEEN = HOSTILE(24, 3) };
    const struct knowledge *seen[STEPS_SEEN] = {step};
    for (uint32_t i = 0, count = 1; i < count; i++) {
        const struct knowledge *at = knowledge_made(pool, seen[i]);
        if (!knowledge_step_of(at)) {
            if (tick < knowledge_get_made(pool, at, key))
                return true;
            continue;
        }
        if (knowledge_strand_of(at)->key == key && fields_of(at)->tick > 0 && tick < (uint64_t)fields_of(at)->tick)
            return true;
        const struct knowledge *next[2] = {knowledge_of_handle(pool, fields_of(at)->high), below_of(pool, at)};
        for (int n = 0; n < 2; n++)
            if (next[n] && count < STEPS_SEEN)
                seen[count++] = next[n];
    }
    return false;
}

/* So many wait that maps might take less. */
static void make_some(struct knowledge_pool *pool)
{
    const size_t before = pool->bytes;
    make_all(pool, before / 16 * 17, JOINED_EACH * (uint64_t)pool->waiting);
    if (pool->bytes > before / 4 * 3 && pool->waiting_most < UINT32_MAX / 2)
        pool->waiting_most *= 2;
}

bool knowledge_comes_later(struct knowledge_pool *pool, const struct knowledge *map)
{
    if (!knowledge_puts_off(pool) && !is_put_off(map))
        return false;
    if (pool->waiting >= pool->waiting_most && pool->waiting / WAITING_EACH >= pool->units)
        make_some(pool);
    return true;
}
