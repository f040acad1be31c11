/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage of nodes. Those of one kind lie in blocks of VCLOCK_BLOCK bytes, aligned to their size and
 * numbered, so that 32 bits name each node and a node's address gives its block. Nodes without references go
 * to a list of unused ones; blocks are freed with the pool.
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "vclock_state.h"

enum { BLOCKS_MOST = HOSTILE(16, 2) }; /* blocks of one allocation */
static const uint32_t CHAINS_MOST = HOSTILE(UINT32_MAX, 3000);

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

static void put_back(struct vclock_pool *pool, struct vclock *node)
{
    CHECKED(node->bit != VCLOCK_UNUSED && node->references == 0);
    const enum vclock_kind kind = vclock_kind_of(node);
    CHECKED(vclock_block_of(node)->kind == kind && pool->bytes >= VCLOCK_NODE_BYTES[kind]);
    pool->bytes -= VCLOCK_NODE_BYTES[kind];
    node->bit = VCLOCK_UNUSED;
    node->next = pool->unused[kind];
    pool->unused[kind] = node;
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

static struct vclock_block *block_add(struct vclock_pool *pool, enum vclock_kind kind)
{
    const bool numbers_left = pool->block_count >> (32 - VCLOCK_BLOCK_BITS) == 0;
    struct vclock_block *block = numbers_left && has_room(pool) ? (void *)block_new(pool) : NULL;
    pool->failed |= !block;
    if (!block)
        return NULL;
    *block = (struct vclock_block){pool->block_count, kind, 0};
    CHECKED(vclock_block_of(block) == block && pool->block_count < pool->block_room);
    pool->blocks[pool->block_count++] = (uint8_t *)block;
    return block;
}

/* A block is handed out from its beginning, so that memory which no node uses is never touched: most pools
 * are small, and there is one for each launch. */
static struct vclock *fresh(struct vclock_pool *pool, enum vclock_kind kind)
{
    struct vclock_block *block = pool->fresh[kind];
    if (!block || block->count == (VCLOCK_BLOCK - sizeof *block) / VCLOCK_NODE_BYTES[kind])
        pool->fresh[kind] = block = block_add(pool, kind);
    return block ? vclock_node_at(block, block->count++) : NULL;
}

struct vclock *vclock_new(struct vclock_pool *pool, enum vclock_kind kind)
{
    struct vclock *node = pool->unused[kind];
    CHECKED(kind < VCLOCK_KINDS && (!node || node->bit == VCLOCK_UNUSED));
    if (node)
        pool->unused[kind] = node->next;
    else if (!(node = fresh(pool, kind)))
        return NULL;
    pool->bytes += VCLOCK_NODE_BYTES[kind];
    node->references = 1;
    node->visited = node->has_successor = false;
    if (kind == VCLOCK_DEFERRED_NODES)
        return node;
    node->chain = pool->chains < CHAINS_MOST ? ++pool->chains : 0;
    node->length = 0;
    return node;
}

/* ---- destroying --------------------------------------------------------------------- */

/* Drops a reference. Returns the list of dead nodes, which begins with this one if it was the last. */
static struct vclock *drop_to(struct vclock *map, struct vclock *dead)
{
    CHECKED(!map || map->references > 0);
    if (!map || --map->references > 0)
        return dead;
    map->dead = dead;
    return map;
}

static struct vclock *destroy(struct vclock_pool *pool, struct vclock *map)
{
    struct vclock *dead = map->dead;
    CHECKED(pool->uncomputed >= is_deferred(map));
    pool->uncomputed -= is_deferred(map);
    if (map->bit != VCLOCK_LEAF)
        dead = drop_to(high_of(pool, map), drop_to(low_of(pool, map), dead));
    put_back(pool, map);
    return dead;
}

/* Dead nodes form a list rather than a recursion, because a deferred node may refer to a row of a million
 * others. */
void vclock_destroy(struct vclock_pool *pool, struct vclock *map)
{
    for (map->dead = NULL; map;)
        map = destroy(pool, map);
}
