/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a unit of execution knows of others: a map from a unit (work-item, sub-group,
 *          work-group, copy) to a tick; everything it did before that tick is known.
 *          An immutable Patricia trie with counted references: a message costs one pointer,
 *          a join costs what differs. A leaf has the ticks of 64 neighbours, since the members of a
 *          work-group mostly know of each other, or those of a few, in no more than a branch takes.
 *          Who hands on what it was handed, and adds to it, makes a chain of maps: which of two of
 *          one chain holds the other is known at once.
 *
 * Put off  When maps take much memory, a put or join only notes what it is of: one step of a strand
 *          (20 bytes or fewer), on the step before it, which mostly is of the same unit. The map is made when
 *          somebody asks it, of all that was put off beneath it; it mostly is asked by nobody. When
 *          asking costs too much, or very many wait, all are made, if that costs no more.
 *
 * Interface
 *   knowledge_get         tick of a key, 0: nothing is known
 *   knowledge_has         is it later than that? Cheaper, where who handed it on was the last to do so
 *   knowledge_extend      puts into the map of a slot, which may be put off
 *   knowledge_put, _join, _put_row  make new maps (one reference), or return one of the old; they leave
 *                         the references of their arguments alone
 *   knowledge_list        what a small one has
 *   knowledge_holds       of two maps of one chain
 *   knowledge_end         whose map it is comes to its end: nothing will be put off on it
 *   knowledge_share, _drop  a reference more, or less
 * NULL is the empty map; a pointer whose lowest bits are set is a step that was put off. When memory runs out, or ticks no
 * longer fit, pool->failed is set and maps lack entries.
 */
#ifndef ORRERY_MEMMODEL_KNOWLEDGE_H
#define ORRERY_MEMMODEL_KNOWLEDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"

enum { KNOWLEDGE_FEW = HOSTILE(2, 1) };

struct knowledge {
    uint32_t references;
    uint32_t chain;  /* maps of one chain hold each other: the later ones the earlier ones; 0: it is of none */
    uint32_t length; /* of its chain, up to here */
    uint8_t bit;     /* branches: keys below part at this bit; else KNOWLEDGE_LEAF or _UNUSED */
    uint8_t few : 2, /* leaves: so many places, ascending; 0: all are in struct knowledge_leaf */
        followed : 1, /* somebody comes next in its chain */
        met : 1;     /* while what was put off is looked through */
    uint8_t place[2]; /* leaves of few */
    union {
        struct knowledge *next; /* unused */
        struct { uint32_t low, high; }; /* handles */
        int32_t few_tick[2];
    };
    union {
        uint64_t key;           /* of a leaf: chunk_of its keys; of a branch the common part, bits at and below `bit` zero */
        struct knowledge *dead; /* nobody refers to it */
    };
};

enum { KNOWLEDGE_LEAF = 64, KNOWLEDGE_UNUSED, KNOWLEDGE_LEAF_BITS = HOSTILE(6, 1), KNOWLEDGE_LEAF_KEYS = 1 << KNOWLEDGE_LEAF_BITS };

struct knowledge_leaf { struct knowledge node; int32_t tick[KNOWLEDGE_LEAF_KEYS]; };

/*
 * What was put off, each step on the one before: what that has, what another has, and a tick of the strand's key. Step i is
 * referred to by the strand's address + 1 + i. A strand has room for as many as were mostly put off one on another so far, or
 * fewer where those are left over.
 */
enum { KNOWLEDGE_STEPS = HOSTILE(7, 2), KNOWLEDGE_STEP_BITS = 7 };

struct knowledge_step {
    uint32_t high; /* handle: of the other; made: of the map */
    int32_t tick;  /* 0: none; nobody refers to it: handle of the next such */
};

struct knowledge_strand {
    union {
        struct knowledge_strand *next; /* unused */
        struct { uint32_t below, key; }; /* below: handle of what the first step stands on */
    };
    struct knowledge_step step[];
};

/* Of a strand, and behind it of each step. They stand together at the beginning of a block: two bytes for each eight of its strands. */
union knowledge_state {
    struct { uint16_t keyed : 1, room : 3, steps : 3, alive : 3; }; /* some step has a tick; steps: begun so far; alive: referred to */
    struct { uint16_t references : 14, made : 1, met : 1; };
};
enum { KNOWLEDGE_LEAST = 2 * (sizeof(struct knowledge_step) + sizeof(union knowledge_state)) }; /* what one put off takes */
enum { KNOWLEDGE_FOREVER = (1 << 14) - 1 }; /* so many references are not counted any more */

/* Of a handle: so many bits say where in the block. Blocks stand at multiples of their size. */
enum { KNOWLEDGE_BLOCK_BITS = HOSTILE(14, 10), KNOWLEDGE_BLOCK = 1 << KNOWLEDGE_BLOCK_BITS };
struct knowledge_block { uint64_t number; uint32_t kind, count; }; /* so many maps were ever in use; of strands: eights */
enum {
    KNOWLEDGE_EIGHTS = (KNOWLEDGE_BLOCK - sizeof(struct knowledge_block)) / (8 + sizeof(union knowledge_state)) & ~3u,
    KNOWLEDGE_STRANDS = sizeof(struct knowledge_block) + KNOWLEDGE_EIGHTS * sizeof(union knowledge_state) /* where they begin */
};

static inline struct knowledge_block *knowledge_block_of(const void *within)
{
    return (struct knowledge_block *)((uintptr_t)within & ~(uintptr_t)(KNOWLEDGE_BLOCK - 1));
}

static inline union knowledge_state *knowledge_state(const struct knowledge_strand *strand)
{
    struct knowledge_block *block = knowledge_block_of(strand);
    return (union knowledge_state *)(block + 1) + (uint32_t)((uintptr_t)strand - (uintptr_t)block - KNOWLEDGE_STRANDS) / 8;
}

static inline union knowledge_state *knowledge_step_state(const struct knowledge_strand *strand, uint32_t step)
{
    return knowledge_state(strand) + 1 + step;
}

/* Keys are numbers with a sort in their lowest two bits; ticks begin with 1. */

struct knowledge_pool {
    struct knowledge *unused[2]; /* branches and leaves of a few; leaves */
    struct knowledge_block *fresh[2]; /* likewise: whose end was never in use */
    struct knowledge_strand *unused_strand[KNOWLEDGE_STEPS + 1]; /* by their room */
    struct knowledge_block *strands; /* whose end is not in use */
    uint8_t **blocks; uint32_t block_count, block_room;
    size_t bytes;                /* of nodes in use */
    uint32_t chains;             /* begun so far */
    uint64_t chained;            /* how often that spared a join */
    uint64_t joined;             /* pairs of nodes */
    size_t bytes_most; uint64_t joined_most; /* beyond that puts and joins are put off */
    uint32_t waiting, waiting_most; /* those put off and not made; how many may be */
    uint64_t units;              /* so many may have been put; told by who does */
    uint64_t put_off, looked, looked_most; /* so many were; were looked through to make maps of them; may be, besides */
    uint64_t gone_on;            /* so many of those put off stand on one that may be of the same key */
    struct knowledge **work; uint32_t work_count, work_room;
    bool glances;                /* who asks would rather not know than have a map made */
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
/* Of one that is put off, or was. NULL while the pool glances, if it was not made. */
const struct knowledge *knowledge_make(struct knowledge_pool *pool, struct knowledge *map);
/*
 * The map's keys in ascending order of their leaves, as many as there are; more than `most`: not all of them, as when maps
 * were joined later, or others refer to it. Puts that were put off come first, and their keys may follow again with earlier ticks.
 */
struct known_key { uint64_t key; uint32_t tick; };
uint32_t knowledge_list(struct knowledge_pool *pool, const struct knowledge *map, struct known_key *keys, uint32_t most);
void knowledge_end(struct knowledge_pool *pool, const struct knowledge *map);
void knowledge_unmake(struct knowledge_pool *pool, struct knowledge *map); /* nobody refers to it any more */

static inline uint64_t knowledge_chunk(uint64_t key) { return key >> (KNOWLEDGE_LEAF_BITS + 2) << 2 | (key & 3); }
static inline uint64_t knowledge_key(uint64_t chunk, uint32_t place) { return (chunk >> 2 << KNOWLEDGE_LEAF_BITS | place) << 2 | (chunk & 3); }
static inline uint32_t knowledge_place(uint64_t key) { return (uint32_t)(key >> 2) & (KNOWLEDGE_LEAF_KEYS - 1); }

static inline int32_t knowledge_tick(const struct knowledge *leaf, uint32_t place)
{
    if (!leaf->few)
        return ((const struct knowledge_leaf *)leaf)->tick[place];
    for (uint32_t i = 0; i < leaf->few; i++)
        if (leaf->place[i] == place)
            return leaf->few_tick[i];
    return 0;
}

static inline bool knowledge_puts_off(const struct knowledge_pool *pool)
{
    return pool->bytes > pool->bytes_most || pool->joined > pool->joined_most;
}

/* Of a pointer to a map: 1 + which step of a strand, or 0. */
static inline uint32_t knowledge_step_of(const struct knowledge *map) { return (uint32_t)((uintptr_t)map & KNOWLEDGE_STEP_BITS); }

static inline struct knowledge_strand *knowledge_strand_of(const struct knowledge *map)
{
    return (struct knowledge_strand *)((uintptr_t)map & ~(uintptr_t)KNOWLEDGE_STEP_BITS);
}

static inline uint32_t knowledge_handle(const struct knowledge *map)
{
    return !map ? 0 : (uint32_t)knowledge_block_of(map)->number << KNOWLEDGE_BLOCK_BITS | ((uint32_t)(uintptr_t)map & (KNOWLEDGE_BLOCK - 1));
}

static inline struct knowledge *knowledge_of_handle(const struct knowledge_pool *pool, uint32_t handle)
{
    return handle ? (struct knowledge *)(pool->blocks[handle >> KNOWLEDGE_BLOCK_BITS] + (handle & (KNOWLEDGE_BLOCK - 1))) : NULL;
}

static inline uint64_t knowledge_get_made(const struct knowledge_pool *pool, const struct knowledge *map, uint64_t key)
{
    const uint64_t chunk = knowledge_chunk(key);
    while (map && map->bit != KNOWLEDGE_LEAF)
        map = knowledge_of_handle(pool, chunk >> map->bit & 1 ? map->high : map->low);
    return map && map->key == chunk ? (uint64_t)knowledge_tick(map, knowledge_place(key)) : 0;
}

static inline uint64_t knowledge_get(struct knowledge_pool *pool, struct knowledge *asked, uint64_t key)
{
    return knowledge_get_made(pool, knowledge_step_of(asked) ? knowledge_make(pool, asked) : asked, key);
}

/* Of one that is put off: is the key's tick a later one, as is seen from near by? False: that takes the map. */
bool knowledge_shows(const struct knowledge_pool *pool, const struct knowledge *step, uint64_t key, uint64_t tick);

/* Is the key's tick a later one? */
static inline bool knowledge_has(struct knowledge_pool *pool, struct knowledge *asked, uint64_t key, uint64_t tick)
{
    return (knowledge_step_of(asked) && knowledge_shows(pool, asked, key, tick)) || tick < knowledge_get(pool, asked, key);
}

/* True: `later` has all of `earlier`, as is known at once. */
static inline bool knowledge_holds(const struct knowledge *later, const struct knowledge *earlier)
{
    if (!earlier || later == earlier)
        return true;
    const uint32_t step = knowledge_step_of(later), other = knowledge_step_of(earlier);
    if (!later || (!step && other))
        return false;
    if (!step)
        return later->chain && later->chain == earlier->chain && earlier->length <= later->length;
    const struct knowledge_strand *strand = knowledge_strand_of(later);
    const uint32_t handle = knowledge_handle(earlier);
    return handle == strand->step[step - 1].high || (step == 1 && handle == strand->below) || (other && other < step && strand == knowledge_strand_of(earlier));
}

static inline struct knowledge *knowledge_share(struct knowledge *map)
{
    const uint32_t step = knowledge_step_of(map);
    union knowledge_state *state = step ? knowledge_step_state(knowledge_strand_of(map), step - 1) : NULL;
    if (step)
        state->references += state->references < KNOWLEDGE_FOREVER;
    else if (map)
        map->references++;
    return map;
}

/* True: nobody refers to it any more. */
static inline bool knowledge_leave(struct knowledge *map)
{
    const uint32_t step = knowledge_step_of(map);
    if (!step)
        return --map->references == 0;
    union knowledge_state *state = knowledge_step_state(knowledge_strand_of(map), step - 1);
    state->references -= state->references < KNOWLEDGE_FOREVER;
    return state->references == 0;
}

static inline void knowledge_drop(struct knowledge_pool *pool, struct knowledge *map)
{
    if (map && knowledge_leave(map))
        knowledge_unmake(pool, map);
}

#endif
