/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a unit of execution knows of others: a map from a unit (work-item, sub-group,
 *          work-group, copy) to a tick; everything it did before that tick is known.
 *          An immutable Patricia trie with counted references: a message costs one pointer,
 *          a join costs what differs. A leaf has the ticks of 64 neighbours, since the members of a
 *          work-group mostly know of each other, or those of a few, in no more than a branch takes. Who hands on what it was handed, and adds to it, makes a chain of
 *          maps: which of two of one chain holds the other is known at once.
 *
 * Interface
 *   knowledge_get         tick of a key, 0: nothing is known
 *   knowledge_put, _join, _put_row  make new maps (one reference), or return one of the old; they leave
 *                         the references of their arguments alone
 *   knowledge_list        what a small one has
 *   knowledge_holds       of two maps of one chain
 *   knowledge_share, _drop  a reference more, or less
 * NULL is the empty map. When memory runs out, or ticks no longer fit, pool->failed is set and maps lack entries.
 */
#ifndef ORRERY_MEMMODEL_KNOWLEDGE_H
#define ORRERY_MEMMODEL_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"

enum { KNOWLEDGE_FEW = HOSTILE(2, 1) };

/* Of one of few: no other place of the leaf has a tick. */
struct known_place { uint32_t place; int32_t tick; };

struct knowledge {
    uint32_t references;
    uint32_t bit;  /* branches: keys below part at this bit; LEAF: none */
    uint32_t length; bool followed; /* of its chain, up to here; somebody comes next in it */
    uint8_t few;   /* leaves: so many places, ascending; 0: all are in struct knowledge_leaf */
    uint64_t chain; /* maps of one chain hold each other: the later ones the earlier ones */
    uint64_t key;  /* of a leaf: chunk_of its keys; of a branch the common part, bits at and below `bit` zero */
    union {
        struct knowledge *next; /* unused */
        struct { struct knowledge *low, *high; };
        struct known_place places[2];
    };
};

enum { KNOWLEDGE_LEAF = 64, KNOWLEDGE_LEAF_BITS = HOSTILE(6, 1), KNOWLEDGE_LEAF_KEYS = 1 << KNOWLEDGE_LEAF_BITS };

struct knowledge_leaf { struct knowledge node; int32_t tick[KNOWLEDGE_LEAF_KEYS]; };

/* Keys are numbers with a sort in their lowest two bits; ticks begin with 1. */

struct knowledge_pool {
    struct knowledge *unused[2]; /* branches and leaves of a few, leaves */
    void *blocks;
    uint64_t chains;             /* begun so far */
    uint64_t chained;            /* how often that spared a join */
    bool failed;
};

void knowledge_pool_init(struct knowledge_pool *pool);
void knowledge_pool_fini(struct knowledge_pool *pool); /* frees every map */

struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick);
/* Of units one after another (keys of sort 0), those with a tick. */
struct knowledge *knowledge_put_row(struct knowledge_pool *pool, struct knowledge *map, uint64_t unit, const uint32_t *tick, uint32_t count);
struct knowledge *knowledge_join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);
/* The map's keys in ascending order of their leaves, as many as there are: more than `most`: not all of them. */
struct known_key { uint64_t key; uint32_t tick; };
uint32_t knowledge_list(const struct knowledge *map, struct known_key *keys, uint32_t most);
void knowledge_unmake(struct knowledge_pool *pool, struct knowledge *map); /* nobody refers to it any more */

static inline uint64_t knowledge_chunk(uint64_t key) { return key >> (KNOWLEDGE_LEAF_BITS + 2) << 2 | (key & 3); }
static inline uint64_t knowledge_key(uint64_t chunk, uint32_t place) { return (chunk >> 2 << KNOWLEDGE_LEAF_BITS | place) << 2 | (chunk & 3); }
static inline uint32_t knowledge_place(uint64_t key) { return (uint32_t)(key >> 2) & (KNOWLEDGE_LEAF_KEYS - 1); }

static inline int32_t knowledge_tick(const struct knowledge *leaf, uint32_t place)
{
    if (!leaf->few)
        return ((const struct knowledge_leaf *)leaf)->tick[place];
    for (uint32_t i = 0; i < leaf->few; i++)
        if (leaf->places[i].place == place)
            return leaf->places[i].tick;
    return 0;
}

static inline uint64_t knowledge_get(const struct knowledge *map, uint64_t key)
{
    const uint64_t chunk = knowledge_chunk(key);
    while (map && map->bit != KNOWLEDGE_LEAF)
        map = chunk >> map->bit & 1 ? map->high : map->low;
    return map && map->key == chunk ? (uint64_t)knowledge_tick(map, knowledge_place(key)) : 0;
}

/* True: `later` has all of `earlier`, as is known at once. */
static inline bool knowledge_holds(const struct knowledge *later, const struct knowledge *earlier)
{
    return !earlier || later == earlier || (later && later->chain == earlier->chain && earlier->length <= later->length);
}

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
