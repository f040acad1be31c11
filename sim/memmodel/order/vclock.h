/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The vector clock of a unit of execution: a map from a unit (work-item, sub-group, work-group,
 *          copy) to a clock value. All that the unit did before that clock value happens before.
 *
 * Form     An immutable Patricia trie with counted references, so that a published clock costs one pointer
 *          and a join costs only what differs. A dense leaf has the clock values of 64 neighbouring units,
 *          because the members of a work-group mostly have each other's. A sparse leaf has at most two of
 *          them and is as small as a branch.
 *
 * Chains   A unit that adds to the clock that it acquired, and publishes the result, makes a chain of clocks:
 *          each includes the one before it. Of two clocks of one chain the longer one dominates, which is
 *          decided in constant time.
 *
 * Deferred When clocks become expensive, a put or a join only records its operands: one step of a deferred
 *          join (20 bytes or fewer), which refers to the step before it, mostly of the same unit. The clock
 *          is computed at the first query, from all steps beneath it; most are never queried. When queries
 *          cost too much, or very many steps are not computed, all of them are computed, if that costs no
 *          more.
 *
 * Interface
 *   vclock_get         clock value of a key; 0: none
 *   vclock_has         is the key's clock value later than the given one? Cheaper than vclock_get if the unit
 *                      that published the clock was the last to add to it
 *   vclock_extend      puts into the clock of a slot, which may be deferred
 *   vclock_put, _join, _put_row  make a new clock, or return one of their arguments; the result has one
 *                      reference of its own, and the references of the arguments are left alone
 *   vclock_list        the contents of a small clock
 *   vclock_dominates_quickly  true: one clock has all of another; false: it may, but that is not decided
 *   vclock_end         the clock's unit ends: nothing will be deferred on it
 *   vclock_share, _drop  a reference more, or less
 *   vclock_check       asserts all invariants of a pool
 * NULL is the empty clock; a pointer whose lowest bits are set is a step of a deferred join.
 *
 * Errors   When memory runs out, or clock values exceed 31 bits, pool->failed is set and clocks lack entries.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/limits.h"

enum { VCLOCK_SPARSE_MOST = HOSTILE(2, 1) };

/* A node of the trie: a branch or a leaf. A clock is its root node. */
struct vclock {
    uint32_t references;
    uint32_t chain;  /* number of its chain; later clocks of a chain include the earlier ones. 0: none */
    uint32_t length; /* of its chain, up to here */
    uint8_t bit;     /* of a branch: keys beneath differ at this bit; else VCLOCK_LEAF or VCLOCK_UNUSED */
    uint8_t sparse_count : 2, /* entries of a sparse leaf, by ascending place; 0: of a dense leaf */
        has_successor : 1,    /* a later clock continues its chain */
        visited : 1;          /* while a deferred join is computed */
    uint8_t place[2];         /* of a sparse leaf's entries */
    union {
        struct vclock *next; /* of unused nodes */
        struct {
            uint32_t low, high; /* handles of a branch's children */
        };
        int32_t sparse_clock[2];
    };
    union {
        uint64_t key;        /* of a leaf: vclock_chunk of its keys; of a branch: their bits above `bit` */
        struct vclock *dead; /* without references: the next node that is to be destroyed */
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
 * A deferred join is a row of steps of one unit. The clock of step i is the join of three: the clock of step
 * i - 1 (`below` for the first one), another clock, and one clock value of the deferred join's key. The
 * pointer to step i is the deferred join's address + 1 + i. A deferred join has room for as many steps as the
 * average row had so far, or for fewer if an unused one of that size is left.
 */
enum { VCLOCK_STEPS = HOSTILE(7, 2), VCLOCK_STEP_BITS = 7 };

struct vclock_step {
    uint32_t high; /* handle of the other clock; once computed: of the result */
    int32_t clock; /* clock value of the key, 0: none; without references: handle of the next dead node */
};

struct vclock_deferred_join {
    union {
        struct vclock_deferred_join *next; /* of unused ones */
        struct {
            uint32_t below, key; /* below: handle of the first step's lower operand */
        };
    };
    struct vclock_step step[];
};

/* One for a deferred join, followed by one for each of its steps. They are kept apart from the joins, at the
 * beginning of the block: two bytes for each eight bytes of deferred joins. */
union vclock_state {
    struct { /* of the deferred join. keyed: a step has a clock value. alive: steps that have references */
        uint16_t keyed : 1, room : 3, steps : 3, alive : 3;
    };
    struct { /* of a step */
        uint16_t references : 14, computed : 1, visited : 1;
    };
};
/* Bytes of a deferred join with one step. */
enum { VCLOCK_DEFERRED_BYTES_LEAST = 2 * (sizeof(struct vclock_step) + sizeof(union vclock_state)) };
/* A step that ever had so many references is never destroyed before the pool. */
enum { VCLOCK_REFERENCES_STICKY = (1 << 14) - 1 };

/* Nodes lie in blocks, which stand at multiples of their size. A handle is the block's number, and in its
 * lowest VCLOCK_BLOCK_BITS bits the position in the block. */
enum { VCLOCK_BLOCK_BITS = HOSTILE(14, 10), VCLOCK_BLOCK = 1 << VCLOCK_BLOCK_BITS };
struct vclock_block {
    uint64_t number;
    uint32_t kind, count; /* count: nodes that were ever in use; of deferred joins: words of 8 bytes */
};
enum {
    VCLOCK_BLOCK_WORDS =
        (VCLOCK_BLOCK - sizeof(struct vclock_block)) / (8 + sizeof(union vclock_state)) & ~3u,
    /* offset of the first deferred join in its block, after the states */
    VCLOCK_DEFERRED_JOINS = sizeof(struct vclock_block) + VCLOCK_BLOCK_WORDS * sizeof(union vclock_state)
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

/* A key is a number with a sort in its lowest two bits (order_state.h). Clock values begin with 1. */

struct vclock_pool {
    struct vclock *unused[2];      /* branches and sparse leaves; dense leaves */
    struct vclock_block *fresh[2]; /* likewise: the block whose end was never in use */
    struct vclock_deferred_join *unused_deferred_join[VCLOCK_STEPS + 1]; /* by their room */
    struct vclock_block *deferred_joins;                                 /* whose end is not in use */
    uint8_t **blocks;
    uint32_t block_count, block_room;
    size_t bytes;     /* of nodes in use */
    uint32_t chains;  /* begun so far */
    uint64_t chained; /* joins that a chain made unnecessary */
    uint64_t joined;  /* pairs of nodes */
    /* with more bytes, or more pairs, puts and joins are deferred */
    size_t bytes_most;
    uint64_t joined_most;
    uint32_t uncomputed, uncomputed_most; /* deferred steps without a result; with more, all are computed */
    uint64_t units;                       /* that may have been put; set by the caller */
    /* since all clocks were last computed: steps deferred; nodes visited to compute clocks, and how many may
     * be besides VISITED_PER_DEFERRED for each step */
    uint64_t deferred, visited, visited_most;
    uint64_t extended; /* deferred steps that continued a deferred join, or would have if it had had room */
    struct vclock **work; /* the worklist of a computation */
    uint32_t work_count, work_room;
    bool cached_only; /* vclock_compute returns NULL rather than compute a clock */
    bool failed;
};

void vclock_pool_init(struct vclock_pool *pool);
void vclock_pool_fini(struct vclock_pool *pool); /* frees every clock */
/* Asserts that each trie branches at descending bits, with keys on their sides; that deferred joins have as
 * many steps as they say; that no node has more referrers than references; and that each node which is not in
 * use is unused or fresh. */
void vclock_check(const struct vclock_pool *pool);

struct vclock *vclock_put(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock);
/* Puts the clock values of `count` consecutive units (keys of sort 0); 0 puts nothing. */
struct vclock *vclock_put_row(struct vclock_pool *pool, struct vclock *map, uint64_t unit,
                              const uint32_t *clock, uint32_t count);
struct vclock *vclock_join(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
/* As vclock_put. The clock of the slot may receive the key, too, which is cheaper where it is deferred. */
struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock);
/* The clock of a deferred step, computed if it was not yet; NULL while the pool cached_only and it was
 * not. */
const struct vclock *vclock_compute(struct vclock_pool *pool, struct vclock *map);
/*
 * Lists the clock's entries in ascending order of their leaves. Returns how many there are; a number above
 * `most` says that not all are listed, as for a deferred join of two clocks or one with several references.
 * Deferred puts come first, and their keys may follow again with earlier clock values.
 */
struct vclock_entry {
    uint64_t key;
    uint32_t clock;
};
uint32_t vclock_list(struct vclock_pool *pool, const struct vclock *map, struct vclock_entry *entries,
                     uint32_t most);
void vclock_end(struct vclock_pool *pool, const struct vclock *map);
void vclock_destroy(struct vclock_pool *pool, struct vclock *map); /* it has no references any more */

/* The leaf of a key, and back: a chunk is a row of VCLOCK_LEAF_KEYS neighbouring keys of one sort. */
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
    if (!leaf->sparse_count)
        return ((const struct vclock_leaf *)leaf)->clock[place];
    for (uint32_t i = 0; i < leaf->sparse_count; i++)
        if (leaf->place[i] == place)
            return leaf->sparse_clock[i];
    return 0;
}

/* From now on puts and joins are deferred. */
static inline bool vclock_is_costly(const struct vclock_pool *pool)
{
    return pool->bytes > pool->bytes_most || pool->joined > pool->joined_most;
}

/* 1 + the number of the step in its deferred join; 0: the clock is a trie. */
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

static inline uint64_t vclock_get_computed(const struct vclock_pool *pool, const struct vclock *map,
                                           uint64_t key)
{
    const uint64_t chunk = vclock_chunk(key);
    while (map && map->bit != VCLOCK_LEAF)
        map = vclock_of_handle(pool, chunk >> map->bit & 1 ? map->high : map->low);
    return map && map->key == chunk ? (uint64_t)vclock_clock(map, vclock_place(key)) : 0;
}

static inline uint64_t vclock_get(struct vclock_pool *pool, struct vclock *map, uint64_t key)
{
    return vclock_get_computed(pool, vclock_step_of(map) ? vclock_compute(pool, map) : map, key);
}

/* Searches the few nearest steps of a deferred clock for a later clock value of the key. False: there is none
 * among them; the clock itself may have one. */
bool vclock_has_nearby(const struct vclock_pool *pool, const struct vclock *step, uint64_t key,
                       uint64_t clock);

/* Is the key's clock value a later one? */
static inline bool vclock_has(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock)
{
    return (vclock_step_of(map) && vclock_has_nearby(pool, map, key, clock)) ||
           clock < vclock_get(pool, map, key);
}

/* In constant time. True: `later` has all of `earlier`: they are of one chain, or `earlier` is an operand of
 * the deferred step `later`, or an earlier step of its deferred join. False: undecided. */
static inline bool vclock_dominates_quickly(const struct vclock *later, const struct vclock *earlier)
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
    const bool is_operand =
        handle == deferred_join->step[step - 1].high || (step == 1 && handle == deferred_join->below);
    return is_operand || (other && other < step && deferred_join == vclock_deferred_join_of(earlier));
}

static inline struct vclock *vclock_share(struct vclock *map)
{
    const uint32_t step = vclock_step_of(map);
    union vclock_state *state = step ? vclock_step_state(vclock_deferred_join_of(map), step - 1) : NULL;
    if (state && state->references < VCLOCK_REFERENCES_STICKY)
        state->references++;
    else if (map && !state)
        map->references++;
    return map;
}

/* True: it has no references any more. */
static inline bool vclock_unref(struct vclock *map)
{
    const uint32_t step = vclock_step_of(map);
    if (!step)
        return --map->references == 0;
    union vclock_state *state = vclock_step_state(vclock_deferred_join_of(map), step - 1);
    if (state->references < VCLOCK_REFERENCES_STICKY)
        state->references--;
    return state->references == 0;
}

static inline void vclock_drop(struct vclock_pool *pool, struct vclock *map)
{
    if (map && vclock_unref(map))
        vclock_destroy(pool, map);
}

#endif
