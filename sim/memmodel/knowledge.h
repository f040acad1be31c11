/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a unit of execution knows of others: a map from a unit (work-item, sub-group,
 *          work-group, copy) to a tick; everything it did before that tick is known.
 *          An immutable Patricia trie with counted references: a message costs one pointer,
 *          a join costs what differs. A leaf has the ticks of 64 neighbours, since the members of a
 *          work-group mostly know of each other, or those of a few, in no more than a branch takes. Who hands on what it was handed, and adds to it, makes a chain of
 *          maps: which of two of one chain holds the other is known at once.
 *
 * Put off  When maps take much memory, a put or join only notes what it is of: one node. The map is made when somebody asks
 *          it, of all that was put off beneath it; it mostly is asked by nobody. When asking costs too much, or very many
 *          wait, all are made, if that costs no more.
 *
 * Interface
 *   knowledge_get         tick of a key, 0: nothing is known
 *   knowledge_extend      puts into the map of a slot, which may be put off
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
    uint8_t bit;    /* branches: keys below part at this bit; else KNOWLEDGE_* */
    uint8_t few;    /* leaves: so many places, ascending; 0: all are in struct knowledge_leaf */
    bool followed;  /* somebody comes next in its chain */
    bool met;       /* while what was put off is looked through */
    union {
        struct { uint32_t length; };               /* of its chain, up to here */
        struct { uint32_t put_key; int32_t tick; }; /* put off: what was put; tick 0: nothing. `few` has the key's upper bits */
        struct knowledge *dead;                    /* nobody refers to it */
    };
    union {
        struct knowledge *next; /* unused */
        struct { struct knowledge *low, *high; }; /* put off: of the join; or NULL. Made: low is the map, or NULL */
        struct known_place places[2];
    };
    /* What is put off, or was, ends here. */
    uint64_t chain; /* maps of one chain hold each other: the later ones the earlier ones */
    uint64_t key;   /* of a leaf: chunk_of its keys; of a branch the common part, bits at and below `bit` zero */
};

enum { KNOWLEDGE_LEAF = 64, KNOWLEDGE_PUT_OFF, KNOWLEDGE_MADE, KNOWLEDGE_UNUSED, KNOWLEDGE_LEAF_BITS = HOSTILE(6, 1), KNOWLEDGE_LEAF_KEYS = 1 << KNOWLEDGE_LEAF_BITS };

struct knowledge_leaf { struct knowledge node; int32_t tick[KNOWLEDGE_LEAF_KEYS]; };

/* Keys are numbers with a sort in their lowest two bits; ticks begin with 1. */

struct knowledge_pool {
    struct knowledge *unused[3]; /* branches and leaves of a few; leaves; what was put off */
    void *blocks;
    size_t bytes;                /* of nodes in use */
    uint64_t chains;             /* begun so far */
    uint64_t chained;            /* how often that spared a join */
    uint64_t joined;             /* pairs of nodes */
    size_t bytes_most; uint64_t joined_most; /* beyond that puts and joins are put off */
    uint32_t waiting, waiting_most; /* those put off and not made; how many may be */
    uint64_t units;              /* so many may have been put; told by who does */
    uint64_t put_off, looked, looked_most; /* so many were; were looked through to make maps of them; may be, besides */
    struct knowledge **work; uint32_t work_count, work_room;
    bool failed;
};

void knowledge_pool_init(struct knowledge_pool *pool);
void knowledge_pool_fini(struct knowledge_pool *pool); /* frees every map */

struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick);
/* Of units one after another (keys of sort 0), those with a tick. */
struct knowledge *knowledge_put_row(struct knowledge_pool *pool, struct knowledge *map, uint64_t unit, const uint32_t *tick, uint32_t count);
struct knowledge *knowledge_join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);
/* As put, for the slot's holder, who may know of the key itself: NULL or a reference to what the slot has then. */
struct knowledge *knowledge_extend(struct knowledge_pool *pool, struct knowledge **slot, uint64_t key, uint64_t tick);
/* Of one that is put off, or was. */
const struct knowledge *knowledge_make(struct knowledge_pool *pool, struct knowledge *map);
/* The map's keys in ascending order of their leaves, as many as there are: more than `most`: not all of them, as with one that is put off, but for one key. */
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

static inline uint64_t knowledge_get(struct knowledge_pool *pool, struct knowledge *asked, uint64_t key)
{
    const uint64_t chunk = knowledge_chunk(key);
    const struct knowledge *map = asked && asked->bit > KNOWLEDGE_LEAF ? knowledge_make(pool, asked) : asked;
    while (map && map->bit != KNOWLEDGE_LEAF)
        map = chunk >> map->bit & 1 ? map->high : map->low;
    return map && map->key == chunk ? (uint64_t)knowledge_tick(map, knowledge_place(key)) : 0;
}

/* True: `later` has all of `earlier`, as is known at once. */
static inline bool knowledge_holds(const struct knowledge *later, const struct knowledge *earlier)
{
    if (!earlier || later == earlier)
        return true;
    if (!later || later->bit > KNOWLEDGE_LEAF)
        return later && later->bit == KNOWLEDGE_PUT_OFF && (later->low == earlier || later->high == earlier);
    return earlier->bit <= KNOWLEDGE_LEAF && later->chain == earlier->chain && earlier->length <= later->length;
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
