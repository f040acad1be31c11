/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Sets of accesses that are all alike to the shadow: the plain reads of a cell, or a few atomics
 *          that do not conflict. A set costs 24 bytes for each access, or for several of 64 neighbouring
 *          units, where an access set (shadow_state.h) costs some 300 for the first.
 *
 * Interface
 *   readers_add      one more access for a cell whose epoch is one access or a set. False: an
 *                    access set has to take them, or there is no memory
 *   readers_next     the accesses, latest node first. False: there are no more
 *   readers_copy     the same set for another cell
 *   readers_free     the cell's epoch goes; nothing if it is no set
 *   readers_forget   all sets of a launch, at once; readers_restart, readers_fini
 *   readers_check    asserts all invariants
 *
 * Sets     A chain of nodes. A node has a block: those of 64 units that accessed in one context. Each set
 *          belongs to one cell, whose epoch has READERS_FROM + the number of the latest node as its context.
 *          Numbers grow from launch to launch until readers_restart, so that those of earlier launches are
 *          stale.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_READER_SET_H
#define ORRERY_SIM_MEMMODEL_SHADOW_READER_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "compact_page.h"

enum { READERS_BLOCK = 64, READERS_FROM = 1 << (CONTEXT_BITS - 1) };

struct reader_node {
    uint64_t block, mask; /* the epoch of the first unit of 64; which of them */
    uint32_t before;      /* the rest of the chain; in a free node: of the free ones */
    uint16_t length;      /* of the chain from here on */
};

struct readers {
    struct reader_node *nodes; /* from index 1 */
    uint32_t count, room;
    uint32_t free;  /* a chain */
    uint32_t first; /* added to an index it gives the number */
};

struct reader_walk {
    uint32_t node; /* the next one */
    uint32_t context;
    uint64_t unit, mask; /* the accesses of unit + the number of each bit */
};

bool readers_add(struct readers *readers, uint64_t *value, uint64_t unit, uint32_t context);
bool readers_has(const struct readers *readers, uint64_t value); /* it is a set of this launch */
struct reader_walk readers_walk(const struct readers *readers, uint64_t value);
bool readers_next(const struct readers *readers, struct reader_walk *walk);
bool readers_copy(struct readers *readers, uint64_t *value); /* false: no memory */
void readers_free(struct readers *readers, uint64_t value);
void readers_forget(struct readers *readers);
void readers_restart(struct readers *readers);    /* no cell has a set any more */
bool readers_wear(const struct readers *readers); /* half of all numbers are used up */
void readers_fini(struct readers *readers);
void readers_check(const struct readers *readers);

static inline bool is_reader_set(uint32_t context)
{
    return context >= READERS_FROM && context != CONTEXT_ACCESS_SET;
}

#endif
