/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of reading units: chains of blocks in one array per allocation. Freed blocks are used again. */
#include "reader_set.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum {
    NUMBERS_MOST = READERS_FROM - 1,
    LENGTH_MOST = HOSTILE(63, 5),
    BLOCKS_TRIED = HOSTILE(8, 2),
    AGAIN_MOST = 4,
    ROOM_LEAST = HOSTILE(64, 2),
    ROOM_SMALL = HOSTILE(4096, 64)
};

static uint32_t index_of(const struct readers *readers, uint64_t value)
{
    const uint32_t number = epoch_context(value) - READERS_FROM;
    return is_reader_set(epoch_context(value)) && number > readers->first &&
                   number - readers->first < readers->count
               ? number - readers->first
               : 0;
}

static uint64_t value_at(const struct readers *readers, uint32_t index)
{
    return epoch(0, READERS_FROM + readers->first + index);
}

bool readers_has(const struct readers *readers, uint64_t value)
{
    return index_of(readers, value);
}

/* ---- walking ---------------------------------------------------------------------- */

struct reader_walk readers_walk(const struct readers *readers, uint64_t value)
{
    return (struct reader_walk){.rest = index_of(readers, value)};
}

bool readers_next(const struct readers *readers, struct reader_walk *walk)
{
    const struct reader_block *block = &readers->blocks[walk->rest];
    if (!walk->rest)
        return false;
    *walk = (struct reader_walk){block->before, block->context, (uint64_t)block->block * READERS_BLOCK,
                                 block->mask};
    return true;
}

/* ---- adding ----------------------------------------------------------------------- */

/* Twice as many at first, later a quarter more: most sets come early in a launch. False: no memory. */
static bool widen(struct readers *readers)
{
    const uint32_t more = readers->room < ROOM_SMALL ? readers->room : readers->room / 4,
                   room = readers->room ? readers->room + more : ROOM_LEAST;
    struct reader_block *blocks =
        room < NUMBERS_MOST - readers->first ? realloc(readers->blocks, room * sizeof *blocks) : NULL;
    if (!blocks)
        return false;
    readers->blocks = blocks;
    readers->room = room;
    readers->count = readers->count ? readers->count : 1;
    return true;
}

/* A chain with one more block. 0: no memory, or no number is left. */
static uint32_t push(struct readers *readers, struct reader_block block)
{
    uint32_t index = readers->free;
    if (!index && readers->count == readers->room && !widen(readers))
        return 0;
    if (index)
        readers->free = readers->blocks[index].before;
    else
        index = readers->count++;
    block.length = block.before ? readers->blocks[block.before].length + 1u : 1;
    readers->blocks[index] = block;
    return index;
}

static struct reader_block block_of(uint64_t unit, uint32_t context, uint32_t before)
{
    return (struct reader_block){.context = context & ((1u << CONTEXT_BITS) - 1),
                                 .block = unit / READERS_BLOCK & ((1u << 28) - 1),
                                 .mask = UINT64_C(1) << unit % READERS_BLOCK,
                                 .before = before};
}

/* The single access that the cell had, and one more. 0: no memory; the first may be left, in no set. */
static uint32_t push_two(struct readers *readers, uint64_t value, struct reader_block one)
{
    const struct reader_block first = block_of(epoch_unit(value), epoch_context(value), 0);
    if (first.block == one.block && first.context == one.context) {
        one.mask |= first.mask;
        return push(readers, one);
    }
    one.before = push(readers, first);
    return one.before ? push(readers, one) : 0;
}

/* A unit that comes again and again, each time in another context, does not make the chain long: an access
 * set keeps its latest access only. */
bool readers_add(struct readers *readers, uint64_t *value, uint64_t unit, uint32_t context)
{
    const uint32_t set = index_of(readers, *value);
    const struct reader_block one = block_of(unit, context, set);
    uint32_t again = 0, tries = BLOCKS_TRIED;
    for (uint32_t at = set; at && tries--; at = readers->blocks[at].before) {
        struct reader_block *block = &readers->blocks[at];
        if (block->block != one.block)
            continue;
        if (block->context == one.context) {
            block->mask |= one.mask;
            return true;
        }
        again += (block->mask & one.mask) != 0;
    }
    if (again >= AGAIN_MOST || (set && readers->blocks[set].length >= LENGTH_MOST))
        return false;
    const uint32_t index = set ? push(readers, one) : push_two(readers, *value, one);
    if (index)
        *value = value_at(readers, index);
    return index;
}

bool readers_copy(struct readers *readers, uint64_t *value)
{
    uint32_t chain[LENGTH_MOST], count = 0, index = 0;
    for (uint32_t at = index_of(readers, *value); at; at = readers->blocks[at].before)
        chain[count++] = at;
    if (!count)
        return true;
    while (count-- > 0) {
        struct reader_block block = readers->blocks[chain[count]];
        block.before = index;
        if (!(index = push(readers, block)))
            return false;
    }
    *value = value_at(readers, index);
    return true;
}

void readers_free(struct readers *readers, uint64_t value)
{
    const uint32_t set = index_of(readers, value);
    uint32_t last = set;
    while (last && readers->blocks[last].before)
        last = readers->blocks[last].before;
    if (!set)
        return;
    readers->blocks[last].before = readers->free;
    readers->free = set;
}

/* ---- life ------------------------------------------------------------------------- */

void readers_forget(struct readers *readers)
{
    readers->free = 0;
    if (readers->count <= 1)
        return;
    readers->first += readers->count - 1;
    readers->count = 1;
}

void readers_restart(struct readers *readers)
{
    readers_forget(readers);
    readers->first = 0;
}

bool readers_wear(const struct readers *readers)
{
    return readers->first > NUMBERS_MOST / 2;
}

void readers_fini(struct readers *readers)
{
    free(readers->blocks);
    *readers = (struct readers){0};
}

/* Free blocks are one chain without a cycle. The length of a used one is one more than that of the rest. */
void readers_check(const struct readers *readers)
{
    uint32_t unused = 0;
    CHECKED(readers->count <= readers->room + 1 && readers->first + readers->count <= NUMBERS_MOST + 1u);
    for (uint32_t at = readers->free; at; at = readers->blocks[at].before)
        CHECKED(at < readers->count && ++unused < readers->count);
    for (uint32_t at = 1; at < readers->count; at++)
        CHECKED(readers->blocks[at].before < readers->count && readers->blocks[at].length <= LENGTH_MOST);
}
