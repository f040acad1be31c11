/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The vector clock of a unit of execution: a map from a unit (work-item, sub-group, work-group,
 *          copy) to a clock value. All that the unit did before that clock value happens before.
 *
 * Form     An immutable Patricia trie with counted references, so that a published clock costs one pointer
 *          and a join costs only what differs. A leaf has the clock values of a few neighbouring units,
 *          because the members of a work-group mostly have each other's.
 *
 * Chains   A unit that adds to the clock that it acquired, and publishes the result, makes a chain of clocks:
 *          each includes the one before it. Of two clocks of one chain the longer one dominates, which is
 *          decided in constant time.
 *
 * Deferred When clocks become expensive, a put or a join only records its operands, in a deferred node. Its
 *          trie is computed at the first query, from all deferred nodes beneath it; most are never queried.
 *          When queries cost too much, or very many nodes are not computed, all of them are computed, if that
 *          costs no more.
 *
 * Interface
 *   vclock_get         clock value of a key; 0: none
 *   vclock_has         is the key's clock value later than the given one? Cheaper than vclock_get if the unit
 *                      that published the clock was the last to add to it
 *   vclock_extend      puts into the clock of a slot, which may be deferred
 *   vclock_put, _join  make a new clock, or return one of their arguments; the result has one reference of
 *                      its own, and the references of the arguments are left alone
 *   vclock_of_row      a new clock of a row of units
 *   vclock_dominates_quickly  true: one clock has all of another; false: it may, but that is not decided
 *   vclock_share, _drop  a reference more, or less
 *   vclock_check       asserts all invariants of a pool
 * NULL is the empty clock.
 *
 * Errors   When memory runs out, or clock values exceed 31 bits, pool->failed is set and clocks lack entries.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"

enum {
    VCLOCK_LEAF = 64,
    VCLOCK_DEFERRED, /* not computed */
    VCLOCK_COMPUTED,
    VCLOCK_UNUSED,
    VCLOCK_LEAF_BITS = HOSTILE(2, 1),
    VCLOCK_LEAF_KEYS = 1 << VCLOCK_LEAF_BITS
};

/* A branch or a leaf of a trie, or a deferred node. A clock is its root node. A deferred node is the join of
 * two clocks and one clock value. */
struct vclock {
    uint32_t references;
    uint8_t bit;            /* of a branch: keys beneath differ at this bit; else a value of the enum above */
    bool has_successor : 1, /* a later clock continues its chain */
        visited : 1;        /* while a deferred node is computed */
    union {
        struct vclock *next; /* of unused nodes */
        struct {
            /* handles of a branch's children, or of the two clocks of a deferred node: once it is computed,
             * low is its trie, and high is 0 */
            uint32_t low, high;
        };
    };
    union {
        uint64_t key; /* of a leaf: vclock_chunk of its keys; of a branch: their bits above `bit` */
        struct {      /* of a deferred node: the clock value that is put; 0: none */
            uint32_t put_key;
            int32_t put_clock;
        };
        struct vclock *dead; /* without references: the next node that is to be destroyed */
    };
    /* Deferred nodes end here. */
    uint32_t chain;  /* number of its chain; later clocks of a chain include the earlier ones. 0: none */
    uint32_t length; /* of its chain, up to here */
    int32_t clock[]; /* of a leaf, VCLOCK_LEAF_KEYS of them; 0: none */
};

/* Nodes of a kind lie in blocks, which stand at multiples of their size. A handle is the block's number, and
 * in its lowest VCLOCK_BLOCK_BITS bits the position in the block. */
enum { VCLOCK_BLOCK_BITS = HOSTILE(14, 10), VCLOCK_BLOCK = 1 << VCLOCK_BLOCK_BITS };
enum vclock_kind { VCLOCK_BRANCHES, VCLOCK_LEAVES, VCLOCK_DEFERRED_NODES, VCLOCK_KINDS };
struct vclock_block {
    uint64_t number;
    uint32_t kind, count; /* count: nodes that were ever in use */
};

static inline struct vclock_block *vclock_block_of(const void *within)
{
    return (struct vclock_block *)((uintptr_t)within & ~(uintptr_t)(VCLOCK_BLOCK - 1));
}

/* A key is a number with a sort in its lowest two bits (order_state.h). Clock values begin with 1. */

struct vclock_pool {
    struct vclock *unused[VCLOCK_KINDS];
    struct vclock_block *fresh[VCLOCK_KINDS]; /* the blocks whose ends were never in use */
    uint8_t **blocks;
    uint32_t block_count, block_room;
    size_t bytes;     /* of nodes in use */
    uint32_t chains;  /* begun so far */
    uint64_t chained; /* joins that a chain made unnecessary */
    uint64_t joined;  /* pairs of nodes */
    /* with more bytes, or more pairs, puts and joins are deferred */
    size_t bytes_most;
    uint64_t joined_most;
    uint32_t uncomputed, uncomputed_most; /* deferred nodes without a result; with more, all are computed */
    uint64_t units;                       /* that may have been put; set by the caller */
    /* since all clocks were last computed: nodes deferred; nodes visited to compute clocks, and how many may
     * be besides VISITED_PER_DEFERRED for each */
    uint64_t deferred, visited, visited_most;
    struct vclock **work; /* the worklist of a computation */
    uint32_t work_count, work_room;
    bool cached_only; /* vclock_compute returns NULL rather than compute a clock */
    bool failed;
};

void vclock_pool_init(struct vclock_pool *pool);
void vclock_pool_fini(struct vclock_pool *pool); /* frees every clock */
/* Asserts that each trie branches at descending bits, with keys on their sides; that no node has more
 * referrers than references; and that each node which is not in use is unused or fresh. */
void vclock_check(const struct vclock_pool *pool);

struct vclock *vclock_put(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock);
struct vclock *vclock_join(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
/* The clock values of consecutive units (keys of sort 0); 0: none. NULL: all are, or out of memory. */
struct vclock *vclock_of_row(struct vclock_pool *pool, uint64_t unit, const uint32_t *clock, uint32_t count);
/* As vclock_put. The clock of the slot may receive the key, too, which is cheaper where it is deferred. */
struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock);
/* The trie of a deferred node, computed if it was not yet; NULL while the pool cached_only and it was
 * not. */
struct vclock *vclock_compute(struct vclock_pool *pool, struct vclock *map);
void vclock_destroy(struct vclock_pool *pool, struct vclock *map); /* it has no references any more */

/* The leaf of a key: a chunk is a row of VCLOCK_LEAF_KEYS neighbouring keys of one sort. */
static inline uint64_t vclock_chunk(uint64_t key)
{
    return key >> (VCLOCK_LEAF_BITS + 2) << 2 | (key & 3);
}
static inline uint32_t vclock_place(uint64_t key)
{
    return (uint32_t)(key >> 2) & (VCLOCK_LEAF_KEYS - 1);
}

/* From now on puts and joins are deferred. */
static inline bool vclock_is_costly(const struct vclock_pool *pool)
{
    return pool->bytes > pool->bytes_most || pool->joined > pool->joined_most;
}

/* Was the clock deferred, whether it is computed by now or not? */
static inline bool vclock_was_deferred(const struct vclock *map)
{
    return map && map->bit > VCLOCK_LEAF;
}

static inline uint32_t vclock_handle(const struct vclock *map)
{
    return !map ? 0
                : (uint32_t)vclock_block_of(map)->number << VCLOCK_BLOCK_BITS |
                      ((uint32_t)(uintptr_t)map & (VCLOCK_BLOCK - 1));
}

static inline struct vclock *vclock_of_handle(const struct vclock_pool *pool, uint32_t handle)
{
    return handle
               ? (struct vclock *)(pool->blocks[handle >> VCLOCK_BLOCK_BITS] + (handle & (VCLOCK_BLOCK - 1)))
               : NULL;
}

static inline uint64_t vclock_get_computed(const struct vclock_pool *pool, const struct vclock *map,
                                           uint64_t key)
{
    const uint64_t chunk = vclock_chunk(key);
    while (map && map->bit != VCLOCK_LEAF)
        map = vclock_of_handle(pool, chunk >> map->bit & 1 ? map->high : map->low);
    return map && map->key == chunk ? (uint64_t)map->clock[vclock_place(key)] : 0;
}

static inline uint64_t vclock_get(struct vclock_pool *pool, struct vclock *map, uint64_t key)
{
    return vclock_get_computed(pool, vclock_was_deferred(map) ? vclock_compute(pool, map) : map, key);
}

/* Searches the few nearest nodes of a deferred clock for a later clock value of the key. False: there is none
 * among them; the clock itself may have one. */
bool vclock_has_nearby(const struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock);

/* Is the key's clock value a later one? */
static inline bool vclock_has(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock)
{
    return (vclock_was_deferred(map) && vclock_has_nearby(pool, map, key, clock)) ||
           clock < vclock_get(pool, map, key);
}

/* In constant time. True: `later` has all of `earlier`: they are of one chain, or `earlier` is one of the two
 * clocks that the deferred node `later` joins. False: undecided. */
static inline bool vclock_dominates_quickly(const struct vclock *later, const struct vclock *earlier)
{
    if (!earlier || later == earlier)
        return true;
    if (!later)
        return false;
    if (vclock_was_deferred(later)) {
        const uint32_t handle = vclock_handle(earlier);
        return handle == later->low || handle == later->high;
    }
    return !vclock_was_deferred(earlier) && later->chain && later->chain == earlier->chain &&
           earlier->length <= later->length;
}

static inline struct vclock *vclock_share(struct vclock *map)
{
    if (map)
        map->references++;
    return map;
}

static inline void vclock_drop(struct vclock_pool *pool, struct vclock *map)
{
    if (map && --map->references == 0)
        vclock_destroy(pool, map);
}

#endif
