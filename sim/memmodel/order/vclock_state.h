/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface between the files of vclock.h: storage of nodes (vclock_nodes.c), tries (vclock.c),
 *          and deferred joins (vclock_deferred.c).
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H

#include "vclock.h"

/* Beyond so many bytes of clocks, or pairs of nodes joined, puts and joins are deferred. */
enum { BYTES_MOST = HOSTILE(4 << 20, 200), JOINED_MOST = HOSTILE(2 << 20, 100) };
enum {
    UNCOMPUTED_MOST = HOSTILE(3 << 19, 40), /* deferred steps without a result */
    /* Nodes that queries may visit for each deferred step, and besides. Beyond that all clocks are
     * computed. */
    VISITED_PER_DEFERRED = HOSTILE(16, 3),
    VISITED_MOST = HOSTILE(1 << 20, 50),
    JOINED_PER_UNCOMPUTED = HOSTILE(16, 4) /* pairs of nodes that computing all of them may join */
};
/* With fewer deferred steps for each unit, computed clocks would take more memory than the steps. */
enum { UNCOMPUTED_PER_UNIT = HOSTILE(8, 1) };

static const uint64_t DEFERRABLE_KEY_END = UINT64_C(1) << 32; /* a deferred join has 32 bits for its key */

static inline struct vclock *vclock_step_pointer(struct vclock_deferred_join *deferred_join, uint32_t step)
{
    return (struct vclock *)((uintptr_t)deferred_join | (step + 1));
}

static inline uint32_t step_index(const struct vclock *map)
{
    return vclock_step_of(map) - 1;
}

static inline bool is_computed(const struct vclock *step)
{
    return vclock_step_state(vclock_deferred_join_of(step), step_index(step))->computed;
}

static inline bool is_deferred(const struct vclock *map)
{
    return vclock_step_of(map) && !is_computed(map);
}

static inline struct vclock_step *fields_of(const struct vclock *step)
{
    return &vclock_deferred_join_of(step)->step[step_index(step)];
}

/* The lower operand of a step; NULL: it is the empty clock, or the step was computed. */
static inline struct vclock *below_of(const struct vclock_pool *pool, const struct vclock *step)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    if (is_computed(step))
        return NULL;
    return step_index(step) ? vclock_step_pointer(deferred_join, step_index(step) - 1)
                            : vclock_of_handle(pool, deferred_join->below);
}

/* vclock_nodes.c: one reference; NULL: out of memory. */
enum { SMALL, LEAVES, DEFERRED_JOINS }; /* kinds of blocks. SMALL: branches and sparse leaves */
struct vclock *vclock_new(struct vclock_pool *pool, uint32_t kind);
/* It may have less room than that. */
struct vclock_deferred_join *vclock_deferred_join_new(struct vclock_pool *pool, uint32_t room);
/* Bytes of a deferred join and its states. */
static inline size_t deferred_join_bytes(uint32_t room)
{
    return (1 + room) * (sizeof(struct vclock_step) + sizeof(union vclock_state));
}
/* The next deferred join that was ever in use; *at begins with 0. */
struct vclock_deferred_join *vclock_deferred_join_next(const struct vclock_pool *pool, uint64_t *at);

/* vclock.c: of tries, without regard to deferred joins. */
struct vclock *vclock_join_tries(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
struct vclock *vclock_put_trie(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock);

/* vclock_deferred.c */
/* Is an operation on this clock to be deferred? Before it answers yes, it may compute all clocks. */
bool vclock_should_defer(struct vclock_pool *pool, const struct vclock *map);
/* A step for the join of low, high, and one clock value of the key; 0: no clock value. */
struct vclock *vclock_defer(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                            int32_t clock);
/* The result of a step that was computed; else the argument itself. */
const struct vclock *vclock_computed(const struct vclock_pool *pool, const struct vclock *map);
/* Lists the clock values of consecutive steps, the latest first, down to a clock that is computed,
 * *out_below. More than most: not all are listed, since a step joins another clock or has several
 * references. */
uint32_t vclock_list_puts(const struct vclock_pool *pool, const struct vclock *step,
                          struct vclock_entry *keys, uint32_t most, const struct vclock **out_below);
/* Sets the clock value of a step that has none and one reference. False: not possible. */
bool vclock_put_in_place(struct vclock *step, uint64_t key, int32_t clock);

#endif
