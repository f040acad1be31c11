/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of reading units, each owned by one cell: a chain of nodes, the latest first, in one array for each
 * allocation. A node has epochs, or blocks: the units of READERS_BLOCK consecutive numbers with one context,
 * as a mask. Two epochs of one block become a block. Freed chains form a list from which new nodes are
 * taken.
 */
#include "reader_set.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum {
    NUMBERS_MOST = READERS_FROM - 1,
    LENGTH_MOST = HOSTILE(16, 4),
    NODES_TRIED = HOSTILE(4, 2),
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
    CHECKED(walk->node < readers->count && node->used > 0 && node->used <= READERS_SLOTS);
    CHECKED(walk->left <= node->used && (!node->blocks || node->used % 2 == 0));
    walk->left = (walk->left ? walk->left : node->used) - (node->blocks ? 2 : 1);
    const uint64_t first = node->slot[walk->left], unit = epoch_unit(first);
    walk->context = epoch_context(first);
    walk->unit = unit & ~(uint64_t)(READERS_BLOCK - 1);
    walk->mask = node->blocks ? node->slot[walk->left + 1] : UINT64_C(1) << unit % READERS_BLOCK;
    walk->node = walk->left ? walk->node : node->before;
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

/* What the latest nodes of a set have of a new access. */
struct reader_search {
    uint64_t *mask;    /* of its block and context; NULL: there is none */
    uint32_t node, at; /* an epoch of that block and context; node 0: none */
    uint32_t again;    /* accesses of its unit in other contexts */
};

static void find_in(struct readers *readers, uint32_t index, uint64_t own, struct reader_search *out)
{
    struct reader_node *node = &readers->nodes[index];
    const uint64_t unit = epoch_unit(own), block = unit / READERS_BLOCK;
    for (uint32_t at = 0; at < node->used; at += node->blocks ? 2 : 1) {
        const bool same_block = epoch_unit(node->slot[at]) / READERS_BLOCK == block;
        if (same_block && epoch_context(node->slot[at]) != epoch_context(own)) {
            out->again += (node->blocks ? node->slot[at + 1] >> unit % READERS_BLOCK & 1
                                        : epoch_unit(node->slot[at]) == unit) != 0;
        } else if (same_block && node->blocks) {
            out->mask = &node->slot[at + 1];
        } else if (same_block) {
            out->node = index;
            out->at = at;
        }
    }
}

/* Slots for the latest node, or a new one if it has no room for them or is of the other kind. False: no
 * memory, or the set would be too long. */
static bool put(struct readers *readers, uint64_t *value, const uint64_t *slots, uint32_t count)
{
    CHECKED(count == 1 || count == 2); /* an epoch; or a block and its mask */
    const uint32_t set = index_of(readers, *value);
    struct reader_node node = {.before = set, .blocks = count == 2},
                       *latest = set ? &readers->nodes[set] : NULL;
    if (latest && latest->blocks == node.blocks && latest->used + count <= READERS_SLOTS) {
        memcpy(&latest->slot[latest->used], slots, count * sizeof *slots);
        latest->used = (uint8_t)(latest->used + count);
        return true;
    }
    if (latest && latest->length >= LENGTH_MOST)
        return false;
    memcpy(node.slot, slots, count * sizeof *slots);
    node.used = (uint8_t)count;
    const uint32_t index = push(readers, node);
    if (index)
        *value = value_at(readers, index);
    return index;
}

/* Two epochs of one block and context become a block. */
static bool make_block(struct readers *readers, uint64_t *value, uint64_t own,
                       const struct reader_search *found)
{
    struct reader_node *node = &readers->nodes[found->node];
    const uint64_t other = node->slot[found->at], unit = epoch_unit(own),
                   both[2] = {epoch(unit - unit % READERS_BLOCK, epoch_context(own)),
                              UINT64_C(1) << unit % READERS_BLOCK | UINT64_C(1)
                                                                        << epoch_unit(other) % READERS_BLOCK};
    CHECKED(!node->blocks && found->at < node->used && epoch_context(other) == epoch_context(own));
    if (other == own)
        return true;
    if (node->used == 1) {
        memcpy(node->slot, both, sizeof both);
        node->used = 2;
        return node->blocks = true;
    }
    if (!put(readers, value, both, 2))
        return false;
    node = &readers->nodes[found->node]; /* they may have moved */
    node->slot[found->at] = node->slot[--node->used];
    return true;
}

/* A unit that comes again and again, each time in another context, does not make the chain long: an access
 * set keeps its latest access only. */
bool readers_add(struct readers *readers, uint64_t *value, uint64_t unit, uint32_t context)
{
    const uint64_t own = epoch(unit, context), before = *value;
    struct reader_search found = {.mask = NULL};
    uint32_t tries = NODES_TRIED, at = index_of(readers, *value);
    if (!at && !put(readers, value, &before, 1))
        return false;
    for (at = index_of(readers, *value); at && tries--; at = readers->nodes[at].before)
        find_in(readers, at, own, &found);
    if (found.mask)
        *found.mask |= UINT64_C(1) << unit % READERS_BLOCK;
    else if (found.node)
        return make_block(readers, value, own, &found);
    return found.mask || (found.again < AGAIN_MOST && put(readers, value, &own, 1));
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

/* Free nodes are one chain without a cycle. Every other node has as many slots as its kind allows, and is one
 * longer than the rest of its chain at most. */
void readers_check(const struct readers *readers)
{
    uint32_t unused = 0;
    CHECKED(readers->count <= readers->room + 1 && readers->first + readers->count <= NUMBERS_MOST + 1u);
    for (uint32_t at = readers->free; at; at = readers->nodes[at].before)
        CHECKED(at < readers->count && ++unused < readers->count);
    for (uint32_t at = 1; at < readers->count; at++) {
        const struct reader_node *node = &readers->nodes[at];
        CHECKED(node->before < readers->count && node->length <= LENGTH_MOST);
        CHECKED(node->used > 0 && node->used <= READERS_SLOTS && !(node->blocks && node->used % 2));
    }
}
