/* SPDX-License-Identifier: Apache-2.0 */
/* Where maps and strands lie: blocks with numbers, so that a handle of 32 bits names each. */
#include <stdlib.h>

#include "knowledge_state.h"

enum { BLOCKS_MOST = HOSTILE(64, 2) }; /* that are allocated at once */
static const uint32_t CHAINS_MOST = HOSTILE(UINT32_MAX, 3000);

static const size_t SIZE[] = {[SMALL] = sizeof(struct knowledge), [LEAVES] = sizeof(struct knowledge_leaf)};

/* Of those that are allocated with it: one, as many as there are, and at last always as many. */
static bool is_first(uint32_t number)
{
    return number < BLOCKS_MOST ? (number & (number - 1)) == 0 : number % BLOCKS_MOST == 0;
}

void knowledge_pool_init(struct knowledge_pool *pool)
{
    *pool = (struct knowledge_pool){.bytes_most = BYTES_MOST, .joined_most = JOINED_MOST, .waiting_most = WAITING_MOST, .looked_most = LOOKED_MOST};
}

void knowledge_pool_fini(struct knowledge_pool *pool)
{
    for (uint32_t i = 0; i < pool->block_count; i++)
        if (is_first(i))
            free(pool->blocks[i]);
    free(pool->blocks);
    free(pool->work);
    knowledge_pool_init(pool);
}

static void put_back(struct knowledge_pool *pool, uint32_t kind, struct knowledge *node)
{
    node->bit = KNOWLEDGE_UNUSED;
    node->next = pool->unused[kind];
    pool->unused[kind] = node;
}

static void put_back_strand(struct knowledge_pool *pool, struct knowledge_strand *strand)
{
    union knowledge_state *state = knowledge_state(strand);
    state->steps = 0;
    strand->next = pool->unused_strand[state->room];
    pool->unused_strand[state->room] = strand;
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

static uint8_t *block_new(const struct knowledge_pool *pool)
{
    const uint32_t number = pool->block_count, more = number < BLOCKS_MOST ? number : BLOCKS_MOST;
    return is_first(number) ? aligned_alloc(KNOWLEDGE_BLOCK, (size_t)(more ? more : 1) * KNOWLEDGE_BLOCK) : pool->blocks[number - 1] + KNOWLEDGE_BLOCK;
}

static struct knowledge_block *block_add(struct knowledge_pool *pool, uint32_t kind)
{
    const bool numbers_left = pool->block_count >> (32 - KNOWLEDGE_BLOCK_BITS) == 0;
    struct knowledge_block *block = numbers_left && has_room(pool) ? (void *)block_new(pool) : NULL;
    pool->failed |= !block;
    if (!block)
        return NULL;
    *block = (struct knowledge_block){pool->block_count, kind, 0};
    pool->blocks[pool->block_count++] = (uint8_t *)block;
    return block;
}

/* Of a block only as much is touched as is used: most orders are short, and made often. */
static struct knowledge *fresh(struct knowledge_pool *pool, uint32_t kind)
{
    struct knowledge_block *block = pool->fresh[kind];
    if (!block || block->count == (KNOWLEDGE_BLOCK - sizeof *block) / SIZE[kind])
        pool->fresh[kind] = block = block_add(pool, kind);
    return block ? (void *)((uint8_t *)(block + 1) + block->count++ * SIZE[kind]) : NULL;
}

struct knowledge *knowledge_new(struct knowledge_pool *pool, uint32_t kind)
{
    struct knowledge *node = pool->unused[kind];
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

/* ---- strands ------------------------------------------------------------------------- */

static struct knowledge_strand *strand_at(const struct knowledge_block *block, uint32_t eight)
{
    return (struct knowledge_strand *)((uint8_t *)block + KNOWLEDGE_STRANDS) + eight;
}

/* Of so many eights one strand, if that has room for a step. */
static void leave_over(struct knowledge_pool *pool, struct knowledge_strand *strand, uint32_t eights)
{
    *knowledge_state(strand) = (union knowledge_state){.room = (uint16_t)(eights - 1) & 7};
    if (eights > 1)
        put_back_strand(pool, strand);
}

/* Of the strand, what is behind that much room. */
static void shorten(struct knowledge_pool *pool, struct knowledge_strand *strand, uint32_t room)
{
    const uint32_t left = knowledge_state(strand)->room - room;
    if (left < 2)
        return;
    leave_over(pool, strand + 1 + room, left);
    knowledge_state(strand)->room = (uint16_t)room & 7;
}

/* Rather more room than less; NULL: there is none. */
static struct knowledge_strand *left_over(struct knowledge_pool *pool, uint32_t room)
{
    uint32_t from = room;
    while (from < KNOWLEDGE_STEPS && !pool->unused_strand[from])
        from++;
    for (; from && !pool->unused_strand[from]; from--)
        ;
    struct knowledge_strand *strand = pool->unused_strand[from];
    if (!strand)
        return NULL;
    pool->unused_strand[from] = strand->next;
    shorten(pool, strand, room < from ? room : from);
    return strand;
}

static struct knowledge_strand *strand_begin(struct knowledge_pool *pool, uint32_t room)
{
    struct knowledge_block *block = pool->strands;
    const uint32_t left = block ? KNOWLEDGE_EIGHTS - block->count : 0;
    if (left <= room) {
        if (!(pool->strands = block_add(pool, STRANDS)))
            return NULL;
        if (left) {
            leave_over(pool, strand_at(block, block->count), left);
            block->count = KNOWLEDGE_EIGHTS;
        }
        block = pool->strands;
    }
    struct knowledge_strand *strand = strand_at(block, block->count);
    block->count += 1 + room;
    knowledge_state(strand)->room = (uint16_t)room & 7;
    return strand;
}

struct knowledge_strand *knowledge_strand_new(struct knowledge_pool *pool, uint32_t room)
{
    struct knowledge_strand *strand = left_over(pool, room);
    if (!strand && !(strand = strand_begin(pool, room)))
        return NULL;
    union knowledge_state *state = knowledge_state(strand);
    *state = (union knowledge_state){.room = state->room};
    pool->bytes += strand_bytes(state->room);
    strand->below = 0;
    return strand;
}

void knowledge_end(struct knowledge_pool *pool, const struct knowledge *map)
{
    struct knowledge_strand *strand = knowledge_step_of(map) ? knowledge_strand_of(map) : NULL;
    const union knowledge_state *state = strand ? knowledge_state(strand) : NULL;
    if (!strand || knowledge_step_of(map) != state->steps)
        return;
    pool->bytes -= strand_bytes(state->room);
    shorten(pool, strand, state->steps);
    pool->bytes += strand_bytes(state->room);
}

struct knowledge_strand *knowledge_strand_next(const struct knowledge_pool *pool, uint64_t *at)
{
    for (uint32_t number = (uint32_t)(*at >> 32); number < pool->block_count; number++, *at = (uint64_t)number << 32) {
        const struct knowledge_block *block = (const void *)pool->blocks[number];
        struct knowledge_strand *strand = strand_at(block, (uint32_t)*at);
        if (block->kind != STRANDS || (uint32_t)*at == block->count)
            continue;
        *at += 1 + knowledge_state(strand)->room;
        return strand;
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
    union knowledge_state *state = knowledge_state(strand);
    struct knowledge *dead = knowledge_of_handle(pool, (uint32_t)fields_of(step)->tick);
    dead = leave(knowledge_of_handle(pool, fields_of(step)->high), leave(below_of(pool, step), dead));
    pool->waiting -= is_put_off(step);
    if (--state->alive == 0) {
        pool->bytes -= strand_bytes(state->room);
        put_back_strand(pool, strand);
    }
    return dead;
}

static struct knowledge *unmake_map(struct knowledge_pool *pool, struct knowledge *map)
{
    struct knowledge *dead = map->dead;
    const uint32_t kind = map->bit == KNOWLEDGE_LEAF && !map->few ? LEAVES : SMALL;
    if (map->bit != KNOWLEDGE_LEAF)
        dead = leave(knowledge_of_handle(pool, map->high), leave(knowledge_of_handle(pool, map->low), dead));
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
