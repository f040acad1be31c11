/* SPDX-License-Identifier: Apache-2.0 */
/* The storage of maps and deferred joins: blocks with numbers, so that a handle of 32 bits names each. */
#include <stdlib.h>

#include "orrery/checked.h"
#include "vclock_state.h"

enum { BLOCKS_MOST = HOSTILE(64, 2) }; /* that are allocated at once */
static const uint32_t CHAINS_MOST = HOSTILE(UINT32_MAX, 3000);

static const size_t SIZE[] = {[SMALL] = sizeof(struct vclock), [LEAVES] = sizeof(struct vclock_leaf)};

/* Of those that are allocated with it: one, as many as there are, and at last always as many. */
static bool is_first(uint32_t number)
{
    return number < BLOCKS_MOST ? (number & (number - 1)) == 0 : number % BLOCKS_MOST == 0;
}

void vclock_pool_init(struct vclock_pool *pool)
{
    *pool = (struct vclock_pool){.bytes_most = BYTES_MOST,
                                 .joined_most = JOINED_MOST,
                                 .waiting_most = WAITING_MOST,
                                 .looked_most = LOOKED_MOST};
}

void vclock_pool_fini(struct vclock_pool *pool)
{
    for (uint32_t i = 0; i < pool->block_count; i++)
        if (is_first(i))
            free(pool->blocks[i]);
    free(pool->blocks);
    free(pool->work);
    vclock_pool_init(pool);
}

static void put_back(struct vclock_pool *pool, uint32_t kind, struct vclock *node)
{
    CHECKED(node->bit != VCLOCK_UNUSED && node->references == 0);
    node->bit = VCLOCK_UNUSED;
    node->next = pool->unused[kind];
    pool->unused[kind] = node;
}

static void put_back_deferred_join(struct vclock_pool *pool, struct vclock_deferred_join *deferred_join)
{
    union vclock_state *state = vclock_state(deferred_join);
    state->steps = 0;
    CHECKED(!state->alive);
    deferred_join->next = pool->unused_deferred_join[state->room];
    pool->unused_deferred_join[state->room] = deferred_join;
}

static bool has_room(struct vclock_pool *pool)
{
    if (pool->block_count < pool->block_room)
        return true;
    const uint32_t room = pool->block_room ? 2 * pool->block_room : 8;
    uint8_t **blocks =
        room >> (32 - VCLOCK_BLOCK_BITS) > 1 ? NULL : realloc(pool->blocks, room * sizeof *blocks);
    if (!blocks)
        return false;
    pool->blocks = blocks;
    pool->block_room = room;
    return true;
}

static uint8_t *block_new(const struct vclock_pool *pool)
{
    const uint32_t number = pool->block_count, more = number < BLOCKS_MOST ? number : BLOCKS_MOST;
    return is_first(number) ? aligned_alloc(VCLOCK_BLOCK, (size_t)(more ? more : 1) * VCLOCK_BLOCK)
                            : pool->blocks[number - 1] + VCLOCK_BLOCK;
}

static struct vclock_block *block_add(struct vclock_pool *pool, uint32_t kind)
{
    const bool numbers_left = pool->block_count >> (32 - VCLOCK_BLOCK_BITS) == 0;
    struct vclock_block *block = numbers_left && has_room(pool) ? (void *)block_new(pool) : NULL;
    pool->failed |= !block;
    if (!block)
        return NULL;
    *block = (struct vclock_block){pool->block_count, kind, 0};
    CHECKED(vclock_block_of(block) == block && kind <= DEFERRED_JOINS);
    CHECKED(pool->block_count < pool->block_room);
    pool->blocks[pool->block_count++] = (uint8_t *)block;
    return block;
}

/* Of a block only as much is touched as is used: most orders are short, and made often. */
static struct vclock *fresh(struct vclock_pool *pool, uint32_t kind)
{
    struct vclock_block *block = pool->fresh[kind];
    if (!block || block->count == (VCLOCK_BLOCK - sizeof *block) / SIZE[kind])
        pool->fresh[kind] = block = block_add(pool, kind);
    return block ? (void *)((uint8_t *)(block + 1) + block->count++ * SIZE[kind]) : NULL;
}

struct vclock *vclock_new(struct vclock_pool *pool, uint32_t kind)
{
    struct vclock *node = pool->unused[kind];
    if (node)
        pool->unused[kind] = node->next;
    else if (!(node = fresh(pool, kind)))
        return NULL;
    pool->bytes += SIZE[kind];
    node->references = 1;
    node->met = false;
    node->chain = pool->chains < CHAINS_MOST ? ++pool->chains : 0;
    node->length = 0;
    node->followed = false;
    node->few = 0;
    return node;
}

/* ---- deferred joins ------------------------------------------------------------------------- */

static struct vclock_deferred_join *deferred_join_at(const struct vclock_block *block, uint32_t eight)
{
    return (struct vclock_deferred_join *)((uint8_t *)block + VCLOCK_DEFERRED_JOINS) + eight;
}

/* Of so many eights one deferred join, if that has room for a step. */
static void leave_over(struct vclock_pool *pool, struct vclock_deferred_join *deferred_join, uint32_t eights)
{
    *vclock_state(deferred_join) = (union vclock_state){.room = (eights - 1) & 7u};
    if (eights > 1)
        put_back_deferred_join(pool, deferred_join);
}

/* Of the deferred join, what is after that much room. */
static void shorten(struct vclock_pool *pool, struct vclock_deferred_join *deferred_join, uint32_t room)
{
    const uint32_t left = vclock_state(deferred_join)->room - room;
    CHECKED(room <= vclock_state(deferred_join)->room);
    if (left < 2)
        return;
    leave_over(pool, deferred_join + 1 + room, left);
    vclock_state(deferred_join)->room = room & 7u;
}

/* Rather more room than less; NULL: there is none. */
static struct vclock_deferred_join *left_over(struct vclock_pool *pool, uint32_t room)
{
    CHECKED(room > 0 && room <= VCLOCK_STEPS);
    uint32_t from = room;
    while (from < VCLOCK_STEPS && !pool->unused_deferred_join[from])
        from++;
    for (; from && !pool->unused_deferred_join[from]; from--)
        ;
    struct vclock_deferred_join *deferred_join = pool->unused_deferred_join[from];
    if (!deferred_join)
        return NULL;
    pool->unused_deferred_join[from] = deferred_join->next;
    shorten(pool, deferred_join, room < from ? room : from);
    return deferred_join;
}

static struct vclock_deferred_join *deferred_join_begin(struct vclock_pool *pool, uint32_t room)
{
    struct vclock_block *block = pool->deferred_joins;
    const uint32_t left = block ? VCLOCK_EIGHTS - block->count : 0;
    if (left <= room) {
        if (!(pool->deferred_joins = block_add(pool, DEFERRED_JOINS)))
            return NULL;
        if (left) {
            leave_over(pool, deferred_join_at(block, block->count), left);
            block->count = VCLOCK_EIGHTS;
        }
        block = pool->deferred_joins;
    }
    struct vclock_deferred_join *deferred_join = deferred_join_at(block, block->count);
    block->count += 1 + room;
    CHECKED(block->count <= VCLOCK_EIGHTS);
    vclock_state(deferred_join)->room = room & 7u;
    return deferred_join;
}

struct vclock_deferred_join *vclock_deferred_join_new(struct vclock_pool *pool, uint32_t room)
{
    struct vclock_deferred_join *deferred_join = left_over(pool, room);
    if (!deferred_join && !(deferred_join = deferred_join_begin(pool, room)))
        return NULL;
    union vclock_state *state = vclock_state(deferred_join);
    *state = (union vclock_state){.room = state->room};
    pool->bytes += deferred_join_bytes(state->room);
    deferred_join->below = 0;
    return deferred_join;
}

void vclock_end(struct vclock_pool *pool, const struct vclock *map)
{
    struct vclock_deferred_join *deferred_join = vclock_step_of(map) ? vclock_deferred_join_of(map) : NULL;
    const union vclock_state *state = deferred_join ? vclock_state(deferred_join) : NULL;
    if (!deferred_join || vclock_step_of(map) != state->steps)
        return;
    pool->bytes -= deferred_join_bytes(state->room);
    shorten(pool, deferred_join, state->steps);
    pool->bytes += deferred_join_bytes(state->room);
}

struct vclock_deferred_join *vclock_deferred_join_next(const struct vclock_pool *pool, uint64_t *at)
{
    for (uint32_t number = (uint32_t)(*at >> 32); number < pool->block_count;
         number++, *at = (uint64_t)number << 32) {
        const struct vclock_block *block = (const void *)pool->blocks[number];
        struct vclock_deferred_join *deferred_join = deferred_join_at(block, (uint32_t)*at);
        if (block->kind != DEFERRED_JOINS || (uint32_t)*at == block->count)
            continue;
        *at += 1 + vclock_state(deferred_join)->room;
        return deferred_join;
    }
    return NULL;
}

/* ---- no references ------------------------------------------------------------------ */

static struct vclock *leave(struct vclock *map, struct vclock *dead)
{
    if (!map || !vclock_leave(map))
        return dead;
    if (vclock_step_of(map))
        fields_of(map)->clock = (int32_t)vclock_handle(dead);
    else
        map->dead = dead;
    return map;
}

static struct vclock *unmake_step(struct vclock_pool *pool, struct vclock *step)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    union vclock_state *state = vclock_state(deferred_join);
    struct vclock *dead = vclock_of_handle(pool, (uint32_t)fields_of(step)->clock);
    dead = leave(vclock_of_handle(pool, fields_of(step)->high), leave(below_of(pool, step), dead));
    CHECKED(state->alive > 0 && pool->waiting >= is_put_off(step));
    pool->waiting -= is_put_off(step);
    if (--state->alive == 0) {
        pool->bytes -= deferred_join_bytes(state->room);
        put_back_deferred_join(pool, deferred_join);
    }
    return dead;
}

static struct vclock *unmake_map(struct vclock_pool *pool, struct vclock *map)
{
    struct vclock *dead = map->dead;
    const uint32_t kind = map->bit == VCLOCK_LEAF && !map->few ? LEAVES : SMALL;
    CHECKED(vclock_block_of(map)->kind == kind && pool->bytes >= SIZE[kind]);
    if (map->bit != VCLOCK_LEAF)
        dead = leave(vclock_of_handle(pool, map->high), leave(vclock_of_handle(pool, map->low), dead));
    pool->bytes -= SIZE[kind];
    put_back(pool, kind, map);
    return dead;
}

/* A deferred join may stand on a million others: no recursion. */
void vclock_unmake(struct vclock_pool *pool, struct vclock *map)
{
    if (vclock_step_of(map))
        fields_of(map)->clock = 0;
    else
        map->dead = NULL;
    while (map)
        map = vclock_step_of(map) ? unmake_step(pool, map) : unmake_map(pool, map);
}
