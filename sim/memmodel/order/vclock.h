/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The vector clock of a unit of execution: a map from a unit (work-item, sub-group, work-group,
 *          copy) to a clock value; all that the unit did before that clock value happens before. An immutable
 *          Patricia trie with counted references: a message costs one pointer, a join costs what differs. A
 *          leaf has the clock values of 64 neighbours, since the members of a work-group mostly know of each
 *          other, or those of a few, in no more than a branch takes. A unit that hands on the map that it was
 *          handed, with additions, makes a chain of maps: which of two of one chain holds the other is
 *          decided at once.
 *
 * Deferred  When maps take much memory, a put or join only notes what it is of: one step of a deferred join
 *          (20 bytes or fewer), on the step before it, which mostly is of the same unit. The map is computed
 *          at the first query, from all that was deferred beneath it; most are never queried. When queries
 *          cost too much, or very many wait, all are computed, if that costs no more.
 *
 * Interface
 *   vclock_get         clock value of a key, 0: none
 *   vclock_has         is it later than that? Cheaper if the unit that handed it on was the last to do so
 *   vclock_extend      puts into the map of a slot, which may be deferred
 *   vclock_put, _join, _put_row  make new maps (one reference), or return one of the old; they leave
 *                         the references of their arguments alone
 *   vclock_list        the contents of a small one
 *   vclock_holds       of two maps of one chain
 *   vclock_end         the map's unit ends: nothing will be deferred on it
 *   vclock_share, _drop  a reference more, or less
 *   vclock_check       asserts all invariants of a pool
 * NULL is the empty map; a pointer whose lowest bits are set is a deferred step. When memory runs
 * out, or clock values no longer fit, pool->failed is set and maps lack entries.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"

enum { VCLOCK_FEW = HOSTILE(2, 1) };

struct vclock {
    uint32_t references;
    /* maps of one chain hold each other: the later ones the earlier ones; 0: it is of none */
    uint32_t chain;
    uint32_t length;  /* of its chain, up to here */
    uint8_t bit;      /* branches: keys below part at this bit; else VCLOCK_LEAF or _UNUSED */
    uint8_t few : 2,  /* leaves: so many places, ascending; 0: all are in struct vclock_leaf */
        followed : 1, /* it has a successor in its chain */
        met : 1;      /* while what was put off is looked through */
    uint8_t place[2]; /* leaves of few */
    union {
        struct vclock *next; /* unused */
        struct {
            uint32_t low, high;
        }; /* handles */
        int32_t few_clock[2];
    };
    union {
        /* of a leaf: chunk_of its keys; of a branch the common part, bits at and below `bit` zero */
        uint64_t key;
        struct vclock *dead; /* it has no references */
    };
};

enum {
    VCLOCK_LEAF = 64,
    VCLOCK_UNUSED,
    VCLOCK_LEAF_BITS = HOSTILE(6, 1),
    VCLOCK_LEAF_KEYS = 1 << VCLOCK_LEAF_BITS
};

struct vclock_leaf {
    struct vclock node;
    int32_t clock[VCLOCK_LEAF_KEYS];
};

/*
 * Deferred steps, each on the one before: that one's entries, another map's, and a clock value of the
 * deferred join's key. Step i is referred to by the deferred join's address + 1 + i. A deferred join has room
 * for as many as were mostly deferred one on another so far, or fewer if those are left over.
 */
enum { VCLOCK_STEPS = HOSTILE(7, 2), VCLOCK_STEP_BITS = 7 };

struct vclock_step {
    uint32_t high; /* handle: of the other; made: of the map */
    int32_t clock; /* 0: none; without references: handle of the next such */
};

struct vclock_deferred_join {
    union {
        struct vclock_deferred_join *next; /* unused */
        struct {
            uint32_t below, key;
        }; /* below: handle of what the first step stands on */
    };
    struct vclock_step step[];
};

/* Of a deferred join, and after it of each step. They stand together at the beginning of a block: two
 * bytes for each eight of its deferred joins. */
union vclock_state {
    /* some step has a clock value; steps: begun so far; alive: referred to */
    struct {
        uint16_t keyed : 1, room : 3, steps : 3, alive : 3;
    };
    struct {
        uint16_t references : 14, made : 1, met : 1;
    };
};
/* what one put off takes */
enum { VCLOCK_LEAST = 2 * (sizeof(struct vclock_step) + sizeof(union vclock_state)) };
enum { VCLOCK_FOREVER = (1 << 14) - 1 }; /* so many references are not counted any more */

/* Of a handle: the number of bits of the position in the block. Blocks stand at multiples of their size. */
enum { VCLOCK_BLOCK_BITS = HOSTILE(14, 10), VCLOCK_BLOCK = 1 << VCLOCK_BLOCK_BITS };
/* so many maps were ever in use; of deferred joins: eights */
struct vclock_block {
    uint64_t number;
    uint32_t kind, count;
};
enum {
    VCLOCK_EIGHTS = (VCLOCK_BLOCK - sizeof(struct vclock_block)) / (8 + sizeof(union vclock_state)) & ~3u,
    /* where they begin */
    VCLOCK_DEFERRED_JOINS = sizeof(struct vclock_block) + VCLOCK_EIGHTS * sizeof(union vclock_state)
};

static inline struct vclock_block *vclock_block_of(const void *within)
{
    return (struct vclock_block *)((uintptr_t)within & ~(uintptr_t)(VCLOCK_BLOCK - 1));
}

static inline union vclock_state *vclock_state(const struct vclock_deferred_join *deferred_join)
{
    struct vclock_block *block = vclock_block_of(deferred_join);
    return (union vclock_state *)(block + 1) +
           (uint32_t)((uintptr_t)deferred_join - (uintptr_t)block - VCLOCK_DEFERRED_JOINS) / 8;
}

static inline union vclock_state *vclock_step_state(const struct vclock_deferred_join *deferred_join,
                                                    uint32_t step)
{
    return vclock_state(deferred_join) + 1 + step;
}

/* Keys are numbers with a sort in their lowest two bits; clock values begin with 1. */

struct vclock_pool {
    struct vclock *unused[2];      /* branches and leaves of a few; leaves */
    struct vclock_block *fresh[2]; /* likewise: whose end was never in use */
    struct vclock_deferred_join *unused_deferred_join[VCLOCK_STEPS + 1]; /* by their room */
    struct vclock_block *deferred_joins;                                 /* whose end is not in use */
    uint8_t **blocks;
    uint32_t block_count, block_room;
    size_t bytes;     /* of nodes in use */
    uint32_t chains;  /* begun so far */
    uint64_t chained; /* how often that spared a join */
    uint64_t joined;  /* pairs of nodes */
    size_t bytes_most;
    uint64_t joined_most;           /* beyond that puts and joins are put off */
    uint32_t waiting, waiting_most; /* those put off and not made; how many may be */
    uint64_t units;                 /* so many may have been put; set by the caller */
    /* so many were; were looked through to make maps of them; may be, besides */
    uint64_t put_off, looked, looked_most;
    uint64_t gone_on; /* so many of those put off stand on one that may be of the same key */
    struct vclock **work;
    uint32_t work_count, work_room;
    bool glances; /* the caller accepts no result rather than have a map made */
    bool failed;
};

void vclock_pool_init(struct vclock_pool *pool);
void vclock_pool_fini(struct vclock_pool *pool); /* frees every map */
/* Each trie branches at descending bits, with keys on their sides; deferred joins have as many steps as they
 * say; nothing is referred to more often than it counts; what is not in use is unused or fresh. */
void vclock_check(const struct vclock_pool *pool);

struct vclock *vclock_put(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock);
/* Of units one after another (keys of sort 0), those with a clock value. */
struct vclock *vclock_put_row(struct vclock_pool *pool, struct vclock *map, uint64_t unit,
                              const uint32_t *clock, uint32_t count);
struct vclock *vclock_join(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
/* As put, for the slot's holder, whose clock may have the key itself: NULL or a reference to the map that the
 * slot has then. */
struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock);
/* Of one that is put off, or was. NULL while the pool glances, if it was not made. */
const struct vclock *vclock_make(struct vclock_pool *pool, struct vclock *map);
/*
 * The map's keys in ascending order of their leaves, as many as there are; more than `most`: not all of them,
 * as when maps were joined later, or others refer to it. Puts that were put off come first, and their keys
 * may follow again with earlier clock values.
 */
struct known_key {
    uint64_t key;
    uint32_t clock;
};
uint32_t vclock_list(struct vclock_pool *pool, const struct vclock *map, struct known_key *keys,
                     uint32_t most);
void vclock_end(struct vclock_pool *pool, const struct vclock *map);
void vclock_unmake(struct vclock_pool *pool, struct vclock *map); /* it has no references any more */

static inline uint64_t vclock_chunk(uint64_t key)
{
    return key >> (VCLOCK_LEAF_BITS + 2) << 2 | (key & 3);
}
static inline uint64_t vclock_key(uint64_t chunk, uint32_t place)
{
    return (chunk >> 2 << VCLOCK_LEAF_BITS | place) << 2 | (chunk & 3);
}
static inline uint32_t vclock_place(uint64_t key)
{
    return (uint32_t)(key >> 2) & (VCLOCK_LEAF_KEYS - 1);
}

static inline int32_t vclock_clock(const struct vclock *leaf, uint32_t place)
{
    if (!leaf->few)
        return ((const struct vclock_leaf *)leaf)->clock[place];
    for (uint32_t i = 0; i < leaf->few; i++)
        if (leaf->place[i] == place)
            return leaf->few_clock[i];
    return 0;
}

static inline bool vclock_puts_off(const struct vclock_pool *pool)
{
    return pool->bytes > pool->bytes_most || pool->joined > pool->joined_most;
}

/* Of a pointer to a map: 1 + which step of a deferred join, or 0. */
static inline uint32_t vclock_step_of(const struct vclock *map)
{
    return (uint32_t)((uintptr_t)map & VCLOCK_STEP_BITS);
}

static inline struct vclock_deferred_join *vclock_deferred_join_of(const struct vclock *map)
{
    return (struct vclock_deferred_join *)((uintptr_t)map & ~(uintptr_t)VCLOCK_STEP_BITS);
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

static inline uint64_t vclock_get_made(const struct vclock_pool *pool, const struct vclock *map, uint64_t key)
{
    const uint64_t chunk = vclock_chunk(key);
    while (map && map->bit != VCLOCK_LEAF)
        map = vclock_of_handle(pool, chunk >> map->bit & 1 ? map->high : map->low);
    return map && map->key == chunk ? (uint64_t)vclock_clock(map, vclock_place(key)) : 0;
}

static inline uint64_t vclock_get(struct vclock_pool *pool, struct vclock *asked, uint64_t key)
{
    return vclock_get_made(pool, vclock_step_of(asked) ? vclock_make(pool, asked) : asked, key);
}

/* Of one that is put off: is the key's clock value a later one, as is seen from near by? False: that takes
 * the map. */
bool vclock_shows(const struct vclock_pool *pool, const struct vclock *step, uint64_t key, uint64_t clock);

/* Is the key's clock value a later one? */
static inline bool vclock_has(struct vclock_pool *pool, struct vclock *asked, uint64_t key, uint64_t clock)
{
    return (vclock_step_of(asked) && vclock_shows(pool, asked, key, clock)) ||
           clock < vclock_get(pool, asked, key);
}

/* True: `later` has all of `earlier`, decided at once. */
static inline bool vclock_holds(const struct vclock *later, const struct vclock *earlier)
{
    if (!earlier || later == earlier)
        return true;
    const uint32_t step = vclock_step_of(later), other = vclock_step_of(earlier);
    if (!later || (!step && other))
        return false;
    if (!step)
        return later->chain && later->chain == earlier->chain && earlier->length <= later->length;
    const struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(later);
    const uint32_t handle = vclock_handle(earlier);
    return handle == deferred_join->step[step - 1].high || (step == 1 && handle == deferred_join->below) ||
           (other && other < step && deferred_join == vclock_deferred_join_of(earlier));
}

static inline struct vclock *vclock_share(struct vclock *map)
{
    const uint32_t step = vclock_step_of(map);
    union vclock_state *state = step ? vclock_step_state(vclock_deferred_join_of(map), step - 1) : NULL;
    if (state && state->references < VCLOCK_FOREVER)
        state->references++;
    else if (map && !state)
        map->references++;
    return map;
}

/* True: it has no references any more. */
static inline bool vclock_leave(struct vclock *map)
{
    const uint32_t step = vclock_step_of(map);
    if (!step)
        return --map->references == 0;
    union vclock_state *state = vclock_step_state(vclock_deferred_join_of(map), step - 1);
    if (state->references < VCLOCK_FOREVER)
        state->references--;
    return state->references == 0;
}

static inline void vclock_drop(struct vclock_pool *pool, struct vclock *map)
{
    if (map && vclock_leave(map))
        vclock_unmake(pool, map);
}

#endif
