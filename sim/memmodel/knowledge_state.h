/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the parts of the maps share: their nodes (knowledge_nodes.c), the tries (knowledge.c), and what is put
 *          off and made of it (knowledge_strands.c).
 */
#ifndef ORRERY_MEMMODEL_KNOWLEDGE_STATE_H
#define ORRERY_MEMMODEL_KNOWLEDGE_STATE_H

#include "knowledge.h"

/* From so many bytes of maps, or pairs of nodes joined, puts and joins are put off. */
enum { BYTES_MOST = HOSTILE(4 << 20, 200), JOINED_MOST = HOSTILE(2 << 20, 100) };
/* So many may wait to be made; be looked through for each that was put off, and besides; be joined for each when all are made. */
enum { WAITING_MOST = HOSTILE(3 << 19, 40), LOOKED_EACH = HOSTILE(16, 3), LOOKED_MOST = HOSTILE(1 << 20, 50), JOINED_EACH = HOSTILE(16, 4) };
/* Maps may take less only if so many wait for each unit. */
enum { WAITING_EACH = HOSTILE(8, 1) };

static const uint64_t KEY_END = UINT64_C(1) << 32; /* of those that can be put off */

static inline struct knowledge *knowledge_step(struct knowledge_strand *strand, uint32_t step)
{
    return (struct knowledge *)((uintptr_t)strand | (step + 1));
}

static inline uint32_t step_index(const struct knowledge *map) { return knowledge_step_of(map) - 1; }

static inline bool is_made(const struct knowledge *step)
{
    return knowledge_step_state(knowledge_strand_of(step), step_index(step))->made;
}

static inline bool is_put_off(const struct knowledge *map)
{
    return knowledge_step_of(map) && !is_made(map);
}

static inline struct knowledge_step *fields_of(const struct knowledge *step)
{
    return &knowledge_strand_of(step)->step[step_index(step)];
}

/* NULL: the step was made. */
static inline struct knowledge *below_of(const struct knowledge_pool *pool, const struct knowledge *step)
{
    struct knowledge_strand *strand = knowledge_strand_of(step);
    if (is_made(step))
        return NULL;
    return step_index(step) ? knowledge_step(strand, step_index(step) - 1) : knowledge_of_handle(pool, strand->below);
}

/* knowledge_nodes.c: one reference; NULL: no memory. */
enum { SMALL, LEAVES, STRANDS }; /* small: branches, and leaves of a few */
struct knowledge *knowledge_new(struct knowledge_pool *pool, uint32_t kind);
struct knowledge_strand *knowledge_strand_new(struct knowledge_pool *pool, uint32_t room); /* or less room */
/* What a strand takes, with its state. */
static inline size_t strand_bytes(uint32_t room) { return (1 + room) * (sizeof(struct knowledge_step) + sizeof(union knowledge_state)); }
/* The next strand that was ever in use; *at begins with 0. */
struct knowledge_strand *knowledge_strand_next(const struct knowledge_pool *pool, uint64_t *at);

/* knowledge.c: of maps alone. */
struct knowledge *knowledge_join_maps(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);
struct knowledge *knowledge_put_in(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, int32_t tick);

/* knowledge_strands.c */
bool knowledge_comes_later(struct knowledge_pool *pool, const struct knowledge *map); /* before one more is put off */
/* tick 0: no key. */
struct knowledge *knowledge_put_off(struct knowledge_pool *pool, struct knowledge *low, struct knowledge *high, uint64_t key, int32_t tick);
const struct knowledge *knowledge_made(const struct knowledge_pool *pool, const struct knowledge *map); /* what was made of it, if it was */
/* The puts that were put off one on another, the latest first, and what they stand on. More than most: not all; or others refer to the first. */
uint32_t knowledge_list_puts(const struct knowledge_pool *pool, const struct knowledge *step, struct known_key *keys, uint32_t most, const struct knowledge **out_below);
bool knowledge_set_put(struct knowledge *step, uint64_t key, int32_t tick); /* false: it has one, or is somebody else's, too */

#endif
