/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a unit of execution knows of others: a map from a unit (work-item, sub-group,
 *          work-group, copy) to a tick; everything it did before that tick is known.
 *          An immutable Patricia trie with counted references: a message costs one pointer,
 *          a join costs what differs. A leaf has the ticks of 64 neighbours: the members of a
 *          work-group mostly know of each other. Who hands on what it was handed, and adds to it, makes a chain of
 *          maps: which of two of one chain holds the other is known at once.
 *
 * Interface
 *   knowledge_get         tick of a key, 0: nothing is known
 *   knowledge_put, _join  make new maps (one reference), or return one of the old; they leave
 *                         the references of their arguments alone
 *   knowledge_share, _drop  a reference more, or less
 * NULL is the empty map. When memory runs out, or ticks no longer fit, pool->failed is set and maps lack entries.
 */
#ifndef ORRERY_MEMMODEL_KNOWLEDGE_H
#define ORRERY_MEMMODEL_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct knowledge {
    uint32_t references;
    uint32_t bit;  /* branches: keys below part at this bit; LEAF: none */
    uint32_t length; bool followed; /* of its chain, up to here; somebody comes next in it */
    uint64_t chain; /* maps of one chain hold each other: the later ones the earlier ones */
    uint64_t key;  /* of a leaf: chunk_of its keys; of a branch the common part, bits at and below `bit` zero */
    union {
        struct knowledge *next; /* unused */
        struct knowledge *low;
    };
    struct knowledge *high;
};

/* Keys are numbers with a sort in their lowest two bits; ticks begin with 1. */

struct knowledge_pool {
    struct knowledge *unused[2]; /* branches, leaves */
    void *blocks;
    uint64_t chains;             /* begun so far */
    uint64_t chained;            /* how often that spared a join */
    bool failed;
};

void knowledge_pool_init(struct knowledge_pool *pool);
void knowledge_pool_fini(struct knowledge_pool *pool); /* frees every map */

uint64_t knowledge_get(const struct knowledge *map, uint64_t key);
struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick);
struct knowledge *knowledge_join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);
void knowledge_unmake(struct knowledge_pool *pool, struct knowledge *map); /* nobody refers to it any more */

static inline struct knowledge *knowledge_share(struct knowledge *map)
{
    if (map)
        map->references++;
    return map;
}

static inline void knowledge_drop(struct knowledge_pool *pool, struct knowledge *map)
{
    if (map && --map->references == 0)
        knowledge_unmake(pool, map);
}

#endif
