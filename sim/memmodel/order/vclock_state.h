/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface between the files of vclock.h: storage of nodes (vclock_nodes.c), tries (vclock.c),
 *          and deferred nodes (vclock_deferred.c).
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H

#include "vclock.h"

/* Beyond so many bytes of clocks, or pairs of nodes joined, puts and joins are deferred. */
enum { BYTES_MOST = HOSTILE(4 << 20, 200), JOINED_MOST = HOSTILE(2 << 20, 100) };
enum {
    UNCOMPUTED_MOST = HOSTILE(3 << 19, 40), /* deferred nodes without a result */
    /* Nodes that queries may visit for each deferred one, and besides. Beyond that all clocks are
     * computed. */
    VISITED_PER_DEFERRED = HOSTILE(16, 3),
    VISITED_MOST = HOSTILE(1 << 20, 50),
    JOINED_PER_UNCOMPUTED = HOSTILE(16, 4) /* pairs of nodes that computing all of them may join */
};
/* With fewer deferred nodes for each unit, computed clocks would take more memory. */
enum { UNCOMPUTED_PER_UNIT = HOSTILE(8, 1) };

static const uint64_t DEFERRABLE_KEY_END = UINT64_C(1) << 32; /* a deferred node has 32 bits for its key */

static inline bool is_deferred(const struct vclock *map)
{
    return map && map->bit == VCLOCK_DEFERRED;
}

static inline struct vclock *low_of(const struct vclock_pool *pool, const struct vclock *node)
{
    return vclock_of_handle(pool, node->low);
}
static inline struct vclock *high_of(const struct vclock_pool *pool, const struct vclock *node)
{
    return vclock_of_handle(pool, node->high);
}

/* vclock_nodes.c */
static const size_t VCLOCK_NODE_BYTES[] = {[VCLOCK_BRANCHES] = sizeof(struct vclock),
                                           [VCLOCK_LEAVES] =
                                               sizeof(struct vclock) + VCLOCK_LEAF_KEYS * sizeof(int32_t),
                                           [VCLOCK_DEFERRED_NODES] = offsetof(struct vclock, chain)};
static inline enum vclock_kind vclock_kind_of(const struct vclock *node)
{
    return node->bit < VCLOCK_LEAF    ? VCLOCK_BRANCHES
           : node->bit == VCLOCK_LEAF ? VCLOCK_LEAVES
                                      : VCLOCK_DEFERRED_NODES;
}
/* One reference; NULL: out of memory. */
struct vclock *vclock_new(struct vclock_pool *pool, enum vclock_kind kind);
/* The nodes of a block: `index` counts from 0 to block->count. */
static inline struct vclock *vclock_node_at(const struct vclock_block *block, uint32_t index)
{
    return (struct vclock *)((uintptr_t)(block + 1) + index * VCLOCK_NODE_BYTES[block->kind]);
}

/* vclock.c: of tries, without regard to deferred nodes. */
struct vclock *vclock_join_tries(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
struct vclock *vclock_put_trie(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock);

/* vclock_deferred.c */
/* Is an operation on this clock to be deferred? Before it answers yes, it may compute all clocks. */
bool vclock_should_defer(struct vclock_pool *pool, const struct vclock *map);
/* The deferred join of low, high, and one clock value of the key; 0: no clock value. */
struct vclock *vclock_defer(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                            int32_t clock);
/* The trie of a deferred node that was computed; else the argument itself. */
static inline struct vclock *vclock_computed(const struct vclock_pool *pool, struct vclock *map)
{
    return map && map->bit == VCLOCK_COMPUTED ? low_of(pool, map) : map;
}

#endif
