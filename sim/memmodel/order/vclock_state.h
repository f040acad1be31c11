/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the parts of the maps share: their nodes (vclock_nodes.c), the tries (vclock.c), and what is
 *          put off and made of it (vclock_deferred.c).
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H
#define ORRERY_SIM_MEMMODEL_ORDER_VCLOCK_STATE_H

#include "vclock.h"

/* From so many bytes of maps, or pairs of nodes joined, puts and joins are put off. */
enum { BYTES_MOST = HOSTILE(4 << 20, 200), JOINED_MOST = HOSTILE(2 << 20, 100) };
/* So many may wait to be made; be looked through for each that was put off, and besides; be joined for
 * each when all are made. */
enum {
    WAITING_MOST = HOSTILE(3 << 19, 40),
    LOOKED_EACH = HOSTILE(16, 3),
    LOOKED_MOST = HOSTILE(1 << 20, 50),
    JOINED_EACH = HOSTILE(16, 4)
};
/* Maps may take less only if so many wait for each unit. */
enum { WAITING_EACH = HOSTILE(8, 1) };

static const uint64_t KEY_END = UINT64_C(1) << 32; /* of those that can be put off */

static inline struct vclock *vclock_step(struct vclock_deferred_join *deferred_join, uint32_t step)
{
    return (struct vclock *)((uintptr_t)deferred_join | (step + 1));
}

static inline uint32_t step_index(const struct vclock *map)
{
    return vclock_step_of(map) - 1;
}

static inline bool is_made(const struct vclock *step)
{
    return vclock_step_state(vclock_deferred_join_of(step), step_index(step))->made;
}

static inline bool is_put_off(const struct vclock *map)
{
    return vclock_step_of(map) && !is_made(map);
}

static inline struct vclock_step *fields_of(const struct vclock *step)
{
    return &vclock_deferred_join_of(step)->step[step_index(step)];
}

/* NULL: the step was made. */
static inline struct vclock *below_of(const struct vclock_pool *pool, const struct vclock *step)
{
    struct vclock_deferred_join *deferred_join = vclock_deferred_join_of(step);
    if (is_made(step))
        return NULL;
    return step_index(step) ? vclock_step(deferred_join, step_index(step) - 1)
                            : vclock_of_handle(pool, deferred_join->below);
}

/* vclock_nodes.c: one reference; NULL: no memory. */
enum { SMALL, LEAVES, DEFERRED_JOINS }; /* small: branches, and leaves of a few */
struct vclock *vclock_new(struct vclock_pool *pool, uint32_t kind);
/* or less room */
struct vclock_deferred_join *vclock_deferred_join_new(struct vclock_pool *pool, uint32_t room);
/* The operand of a deferred join, with its state. */
static inline size_t deferred_join_bytes(uint32_t room)
{
    return (1 + room) * (sizeof(struct vclock_step) + sizeof(union vclock_state));
}
/* The next deferred join that was ever in use; *at begins with 0. */
struct vclock_deferred_join *vclock_deferred_join_next(const struct vclock_pool *pool, uint64_t *at);

/* vclock.c: of maps alone. */
struct vclock *vclock_join_maps(struct vclock_pool *pool, struct vclock *a, struct vclock *b);
struct vclock *vclock_put_in(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock);

/* vclock_deferred.c */
bool vclock_comes_later(struct vclock_pool *pool, const struct vclock *map); /* before one more is put off */
/* clock value 0: no key. */
struct vclock *vclock_put_off(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                              int32_t clock);
/* what was made of it, if it was */
const struct vclock *vclock_made(const struct vclock_pool *pool, const struct vclock *map);
/* The puts that were put off one on another, the latest first, and what they stand on. More than most: not
 * all; or others refer to the first. */
uint32_t vclock_list_puts(const struct vclock_pool *pool, const struct vclock *step, struct known_key *keys,
                          uint32_t most, const struct vclock **out_below);
/* false: it has one, or belongs to another, too */
bool vclock_set_put(struct vclock *step, uint64_t key, int32_t clock);

#endif
