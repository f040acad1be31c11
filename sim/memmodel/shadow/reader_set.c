/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of reading units, each owned by one cell: a chain of nodes, the latest first, in one array for each
 * allocation. A node has the units of one block and context, as a mask. Freed chains form a list from which
 * new nodes are taken.
 */
#include "reader_set.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum {
    NUMBERS_MOST = READERS_FROM - 1,
    LENGTH_MOST = HOSTILE(64, 16),
    NODES_TRIED = HOSTILE(16, 8),
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
    return (struct reader_walk){.node = index_of(readers, value)};
}

bool readers_next(const struct readers *readers, struct reader_walk *walk)
{
    if (!walk->node)
        return false;
    const struct reader_node *node = &readers->nodes[walk->node];
    CHECKED(walk->node < readers->count && node->mask);
    walk->context = epoch_context(node->block);
    walk->unit = epoch_unit(node->block);
    walk->mask = node->mask;
    walk->node = node->before;
    return true;
}

/* ---- adding ----------------------------------------------------------------------- */

/* Twice as many at first, later an eighth more. False: no memory. */
static bool widen(struct readers *readers)
{
    const uint32_t more = readers->room < ROOM_SMALL ? readers->room : readers->room / 8,
                   room = readers->room ? readers->room + more : ROOM_LEAST;
    struct reader_node *nodes =
        room < NUMBERS_MOST - readers->first ? realloc(readers->nodes, room * sizeof *nodes) : NULL;
    if (!nodes)
        return false;
    readers->nodes = nodes;
    readers->room = room;
    readers->count = readers->count ? readers->count : 1;
    return true;
}

/* A chain with one more node. 0: no memory, or no number is left. */
static uint32_t push(struct readers *readers, struct reader_node node)
{
    uint32_t index = readers->free;
    if (!index && readers->count == readers->room && !widen(readers))
        return 0;
    if (index)
        readers->free = readers->nodes[index].before;
    else
        index = readers->count++;
    CHECKED(index > 0 && index < readers->count && node.before != index);
    node.length = (uint16_t)(node.before ? readers->nodes[node.before].length + 1 : 1);
    CHECKED(node.length <= LENGTH_MOST);
    readers->nodes[index] = node;
    return index;
}

/* The epoch of the first unit of the block. */
static uint64_t block_of(uint64_t value)
{
    return epoch(epoch_unit(value) & ~(uint64_t)(READERS_BLOCK - 1), epoch_context(value));
}

static uint64_t bit_of(uint64_t value)
{
    return UINT64_C(1) << epoch_unit(value) % READERS_BLOCK;
}

/* A node for one more access. False: no memory, or the set would be too long. */
static bool put(struct readers *readers, uint64_t *value, uint64_t own)
{
    const uint32_t set = index_of(readers, *value);
    if (set && readers->nodes[set].length >= LENGTH_MOST)
        return false;
    const uint32_t index =
        push(readers, (struct reader_node){.block = block_of(own), .mask = bit_of(own), .before = set});
    if (index)
        *value = value_at(readers, index);
    return index;
}

/* A unit that comes again and again, each time in another context, does not make the chain long: an access
 * set keeps its latest access only. */
bool readers_add(struct readers *readers, uint64_t *value, uint64_t unit, uint32_t context)
{
    const uint64_t own = epoch(unit, context), block = block_of(own), bit = bit_of(own);
    uint32_t tries = NODES_TRIED, again = 0;
    if (!index_of(readers, *value) && !put(readers, value, *value))
        return false;
    for (uint32_t at = index_of(readers, *value); at && tries--; at = readers->nodes[at].before) {
        struct reader_node *node = &readers->nodes[at];
        if (node->block == block) {
            node->mask |= bit;
            return true;
        }
        again += epoch_unit(node->block) == epoch_unit(block) && node->mask & bit;
    }
    return again < AGAIN_MOST && put(readers, value, own);
}

bool readers_copy(struct readers *readers, uint64_t *value)
{
    uint32_t chain[LENGTH_MOST], count = 0, index = 0;
    for (uint32_t at = index_of(readers, *value); at; at = readers->nodes[at].before) {
        CHECKED(count < LENGTH_MOST);
        chain[count++] = at;
    }
    if (!count)
        return true;
    while (count-- > 0) {
        struct reader_node node = readers->nodes[chain[count]];
        node.before = index;
        if (!(index = push(readers, node)))
            return false;
    }
    *value = value_at(readers, index);
    return true;
}

void readers_free(struct readers *readers, uint64_t value)
{
    const uint32_t set = index_of(readers, value);
    uint32_t last = set;
    while (last && readers->nodes[last].before)
        last = readers->nodes[last].before;
    if (!set)
        return;
    CHECKED(last < readers->count && readers->free < readers->count);
    readers->nodes[last].before = readers->free;
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
    free(readers->nodes);
    *readers = (struct readers){0};
}

/* Free nodes are one chain without a cycle. Every other node has a block and a unit of it, and its chain is
 * short enough. */
void readers_check(const struct readers *readers)
{
    uint32_t unused = 0;
    CHECKED(readers->count <= readers->room + 1 && readers->first + readers->count <= NUMBERS_MOST + 1u);
    for (uint32_t at = readers->free; at; at = readers->nodes[at].before)
        CHECKED(at < readers->count && ++unused < readers->count);
    for (uint32_t at = 1; at < readers->count; at++) {
        const struct reader_node *node = &readers->nodes[at];
        CHECKED(node->before < readers->count && node->length <= LENGTH_MOST);
        CHECKED(node->mask && node->block == block_of(node->block));
    }
}
