/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage of tries and deferred joins. Nodes of one kind lie in blocks of VCLOCK_BLOCK bytes, aligned to
 * their size and numbered, so that 32 bits name each node and a node's address gives its block. Nodes without
 * references go to a list of unused ones; blocks are freed with the pool. Unused deferred joins are listed by
 * their room, and a large one is divided when a small one is wanted.
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "vclock_state.h"

enum { BLOCKS_MOST = HOSTILE(64, 2) }; /* blocks of one allocation */
static const uint32_t CHAINS_MOST = HOSTILE(UINT32_MAX, 3000);

static const size_t SIZE[] = {[SMALL] = sizeof(struct vclock), [LEAVES] = sizeof(struct vclock_leaf)};

/* Is it the first block of its allocation? Allocations double until they have BLOCKS_MOST blocks. */
static bool is_first(uint32_t number)
{
    return number < BLOCKS_MOST ? (number & (number - 1)) == 0 : number % BLOCKS_MOST == 0;
}

void vclock_pool_init(struct vclock_pool *pool)
{
    *pool = (struct vclock_pool){.bytes_most = BYTES_MOST,
                                 .joined_most = JOINED_MOST,
                                 .uncomputed_most = UNCOMPUTED_MOST,
                                 .visited_most = VISITED_MOST};
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

/* A block is handed out from its beginning, so that memory which no node uses is never touched: most pools
 * are small, and there is one for each launch. */
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
    node->visited = false;
    node->chain = pool->chains < CHAINS_MOST ? ++pool->chains : 0;
    node->length = 0;
    node->has_successor = false;
    node->sparse_count = 0;
    return node;
}

/* ---- deferred joins ------------------------------------------------------------------------- */

static struct vclock_deferred_join *deferred_join_at(const struct vclock_block *block, uint32_t word)
{
    return (struct vclock_deferred_join *)((uint8_t *)block + VCLOCK_DEFERRED_JOINS) + word;
}

/* So many words become an unused deferred join, if that has room for a step. */
static void put_back_remainder(struct vclock_pool *pool, struct vclock_deferred_join *deferred_join,
                               uint32_t words)
{
    *vclock_state(deferred_join) = (union vclock_state){.room = (words - 1) & 7u};
    if (words > 1)
        put_back_deferred_join(pool, deferred_join);
}

/* Leaves that much room to the deferred join; the remainder becomes an unused one. */
static void shorten(struct vclock_pool *pool, struct vclock_deferred_join *deferred_join, uint32_t room)
{
    const uint32_t left = vclock_state(deferred_join)->room - room;
    CHECKED(room <= vclock_state(deferred_join)->room);
    if (left < 2)
        return;
    put_back_remainder(pool, deferred_join + 1 + room, left);
    vclock_state(deferred_join)->room = room & 7u;
}

/* An unused one with at least that much room, shortened, or else the largest smaller one; NULL: there is
 * none. */
static struct vclock_deferred_join *take_unused(struct vclock_pool *pool, uint32_t room)
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

/* One that was never in use, in a new block if the present one has not enough words left. */
static struct vclock_deferred_join *deferred_join_begin(struct vclock_pool *pool, uint32_t room)
{
    struct vclock_block *block = pool->deferred_joins;
    const uint32_t left = block ? VCLOCK_BLOCK_WORDS - block->count : 0;
    if (left <= room) {
        if (!(pool->deferred_joins = block_add(pool, DEFERRED_JOINS)))
            return NULL;
        if (left) {
            put_back_remainder(pool, deferred_join_at(block, block->count), left);
            block->count = VCLOCK_BLOCK_WORDS;
        }
        block = pool->deferred_joins;
    }
    struct vclock_deferred_join *deferred_join = deferred_join_at(block, block->count);
    block->count += 1 + room;
    CHECKED(block->count <= VCLOCK_BLOCK_WORDS);
    vclock_state(deferred_join)->room = room & 7u;
    return deferred_join;
}

struct vclock_deferred_join *vclock_deferred_join_new(struct vclock_pool *pool, uint32_t room)
{
    struct vclock_deferred_join *deferred_join = take_unused(pool, room);
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

/* ---- destroying --------------------------------------------------------------------- */

/* Drops a reference. Returns the list of dead nodes, which begins with this one if it was the last. */
static struct vclock *drop_to(struct vclock *map, struct vclock *dead)
{
    if (!map || !vclock_unref(map))
        return dead;
    if (vclock_step_of(map))
        fields_of(map)->clock = (int32_t)vclock_handle(dead);
    else
        map->dead = dead;
    return map;
}

static struct vclock *destroy_step(struct vclock_pool *pool, struct vclock *step)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    union vclock_state *state = vclock_state(deferred_join);
    struct vclock *dead = vclock_of_handle(pool, (uint32_t)fields_of(step)->clock);
    dead = drop_to(vclock_of_handle(pool, fields_of(step)->high), drop_to(below_of(pool, step), dead));
    CHECKED(state->alive > 0 && pool->uncomputed >= is_deferred(step));
    pool->uncomputed -= is_deferred(step);
    if (--state->alive == 0) {
        pool->bytes -= deferred_join_bytes(state->room);
        put_back_deferred_join(pool, deferred_join);
    }
    return dead;
}

static struct vclock *destroy_map(struct vclock_pool *pool, struct vclock *map)
{
    struct vclock *dead = map->dead;
    const uint32_t kind = map->bit == VCLOCK_LEAF && !map->sparse_count ? LEAVES : SMALL;
    CHECKED(vclock_block_of(map)->kind == kind && pool->bytes >= SIZE[kind]);
    if (map->bit != VCLOCK_LEAF)
        dead = drop_to(vclock_of_handle(pool, map->high), drop_to(vclock_of_handle(pool, map->low), dead));
    pool->bytes -= SIZE[kind];
    put_back(pool, kind, map);
    return dead;
}

/* Dead nodes form a list rather than a recursion, because a deferred join may refer to a row of a million
 * others. */
void vclock_destroy(struct vclock_pool *pool, struct vclock *map)
{
    if (vclock_step_of(map))
        fields_of(map)->clock = 0;
    else
        map->dead = NULL;
    while (map)
        map = vclock_step_of(map) ? destroy_step(pool, map) : destroy_map(pool, map);
}
