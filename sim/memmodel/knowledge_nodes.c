/* SPDX-License-Identifier: Apache-2.0 */
/* Where maps and strands lie: blocks with numbers, so that a handle of 32 bits names each. */
#include <stdlib.h>

#include "knowledge_state.h"

static const size_t SIZE[] = {
    [SMALL] = sizeof(struct knowledge), [LEAVES] = sizeof(struct knowledge_leaf),
    [SHORT_STRANDS] = sizeof(struct knowledge_strand), [LONG_STRANDS] = sizeof(struct knowledge_long_strand)
};

struct block { uint32_t kind, count; }; /* nodes of that kind follow */

void knowledge_pool_init(struct knowledge_pool *pool)
{
    *pool = (struct knowledge_pool){.bytes_most = BYTES_MOST, .joined_most = JOINED_MOST, .waiting_most = WAITING_MOST, .looked_most = LOOKED_MOST};
}

void knowledge_pool_fini(struct knowledge_pool *pool)
{
    for (uint32_t i = 0; i < pool->block_count; i++)
        free(pool->blocks[i]);
    free(pool->blocks);
    free(pool->work);
    knowledge_pool_init(pool);
}

static void put_back(struct knowledge_pool *pool, int kind, struct knowledge *node)
{
    node->bit = KNOWLEDGE_UNUSED;
    node->next = pool->unused[kind];
    pool->unused[kind] = node;
}

static void put_back_strand(struct knowledge_pool *pool, struct knowledge_strand *strand)
{
    strand->steps = 0;
    strand->next = pool->unused_strand[strand->is_long];
    pool->unused_strand[strand->is_long] = strand;
}

static bool has_room(struct knowledge_pool *pool)
{
    if (pool->block_count < pool->block_room)
        return true;
    const uint32_t room = pool->block_room ? 2 * pool->block_room : 8;
    uint8_t **blocks = room >> (32 - KNOWLEDGE_BLOCK_BITS) > 1 ? NULL : realloc(pool->blocks, room * sizeof *blocks);
    if (!blocks)
        return false;
    pool->blocks = blocks;
    pool->block_room = room;
    return true;
}

static bool refill(struct knowledge_pool *pool, int kind)
{
    const uint32_t count = (uint32_t)(((1 << KNOWLEDGE_BLOCK_BITS) - sizeof(struct block)) / SIZE[kind]);
    const bool numbers_left = pool->block_count >> (32 - KNOWLEDGE_BLOCK_BITS) == 0;
    struct block *block = numbers_left && has_room(pool) ? malloc(sizeof *block + count * SIZE[kind]) : NULL;
    if (!block) {
        pool->failed = true;
        return false;
    }
    *block = (struct block){(uint32_t)kind, count};
    const uint32_t number = pool->block_count++;
    pool->blocks[number] = (uint8_t *)block;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t at = (uint32_t)(sizeof *block + i * SIZE[kind]), handle = number << KNOWLEDGE_BLOCK_BITS | at;
        void *node = pool->blocks[number] + at;
        if (kind >= SHORT_STRANDS) {
            *(struct knowledge_strand *)node = (struct knowledge_strand){.self = handle, .is_long = kind == LONG_STRANDS};
            put_back_strand(pool, node);
        } else {
            ((struct knowledge *)node)->self = handle;
            put_back(pool, kind, node);
        }
    }
    return true;
}

struct knowledge *knowledge_new(struct knowledge_pool *pool, int kind)
{
    if (!pool->unused[kind] && !refill(pool, kind))
        return NULL;
    struct knowledge *node = pool->unused[kind];
    pool->unused[kind] = node->next;
    pool->bytes += SIZE[kind];
    node->references = 1;
    node->met = false;
    node->chain = ++pool->chains;
    node->length = 0;
    node->followed = false;
    node->few = 0;
    return node;
}

static int kind_of(const struct knowledge_strand *strand) { return strand->is_long ? LONG_STRANDS : SHORT_STRANDS; }

struct knowledge_strand *knowledge_strand_new(struct knowledge_pool *pool, bool is_long)
{
    if (!pool->unused_strand[is_long] && !refill(pool, is_long ? LONG_STRANDS : SHORT_STRANDS))
        return NULL;
    struct knowledge_strand *strand = pool->unused_strand[is_long];
    pool->unused_strand[is_long] = strand->next;
    pool->bytes += SIZE[kind_of(strand)];
    strand->below = 0;
    strand->keyed = false;
    strand->steps = strand->alive = strand->made = strand->met = 0;
    return strand;
}

struct knowledge_strand *knowledge_strand_next(const struct knowledge_pool *pool, uint64_t *at)
{
    for (uint32_t number = (uint32_t)(*at >> 32); number < pool->block_count; number++, *at = (uint64_t)number << 32) {
        const struct block *block = (const void *)pool->blocks[number];
        const uint32_t i = (uint32_t)*at;
        if (block->kind < SHORT_STRANDS || i == block->count)
            continue;
        *at += 1;
        return (struct knowledge_strand *)((uint8_t *)(block + 1) + i * SIZE[block->kind]);
    }
    return NULL;
}

/* ---- nobody refers to it ------------------------------------------------------------ */

static struct knowledge *leave(struct knowledge *map, struct knowledge *dead)
{
    if (!map || !knowledge_leave(map))
        return dead;
    if (knowledge_step_of(map))
        fields_of(map)->tick = (int32_t)knowledge_handle(dead);
    else
        map->dead = dead;
    return map;
}

static struct knowledge *unmake_step(struct knowledge_pool *pool, struct knowledge *step)
{
    struct knowledge_strand *strand = knowledge_strand_of(step);
    struct knowledge *dead = knowledge_of_handle(pool, (uint32_t)fields_of(step)->tick);
    dead = leave(knowledge_of_handle(pool, fields_of(step)->high), leave(below_of(pool, step), dead));
    pool->waiting -= is_put_off(step);
    if (--strand->alive == 0) {
        pool->bytes -= SIZE[kind_of(strand)];
        put_back_strand(pool, strand);
    }
    return dead;
}

static struct knowledge *unmake_map(struct knowledge_pool *pool, struct knowledge *map)
{
    struct knowledge *dead = map->dead;
    const int kind = map->bit == KNOWLEDGE_LEAF && !map->few ? LEAVES : SMALL;
    if (map->bit != KNOWLEDGE_LEAF)
        dead = leave(map->high, leave(map->low, dead));
    pool->bytes -= SIZE[kind];
    put_back(pool, kind, map);
    return dead;
}

/* What is put off may stand on a million others: no calls go down there. */
void knowledge_unmake(struct knowledge_pool *pool, struct knowledge *map)
{
    if (knowledge_step_of(map))
        fields_of(map)->tick = 0;
    else
        map->dead = NULL;
    while (map)
        map = knowledge_step_of(map) ? unmake_step(pool, map) : unmake_map(pool, map);
}
