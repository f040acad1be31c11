/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asserts every invariant of the vector clocks of a pool (vclock_check). It walks the blocks, counts the
 * nodes in use, the unused ones and the references among them, and compares these with the pool's own counts
 * and lists. References of holders outside the pool are not counted, so a node may have more than were found.
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "vclock_state.h"

/* What the blocks have. references: by handle, how many branches and deferred joins refer to the node. */
struct counted_nodes {
    size_t bytes;
    uint32_t unused[2];
    uint32_t unused_joins[VCLOCK_STEPS + 1];
    uint32_t uncomputed;
    uint32_t *references;
};

static const size_t NODE_BYTES[] = {[SMALL] = sizeof(struct vclock), [LEAVES] = sizeof(struct vclock_leaf)};

static void refer(const struct vclock_pool *pool, struct counted_nodes *counted, uint32_t handle)
{
    CHECKED(handle >> VCLOCK_BLOCK_BITS < pool->block_count);
    if (handle)
        counted->references[handle]++;
}

/* ---- tries -------------------------------------------------------------------------- */

static void check_sparse(const struct vclock *leaf)
{
    CHECKED(leaf->sparse_count <= VCLOCK_SPARSE_MOST);
    for (uint32_t i = 0; i < leaf->sparse_count; i++) {
        CHECKED(leaf->place[i] < VCLOCK_LEAF_KEYS);
        CHECKED(i == 0 || leaf->place[i - 1] < leaf->place[i]);
        CHECKED(leaf->sparse_clock[i] >= 0);
    }
}

static void check_leaf(const struct vclock *leaf, uint32_t kind)
{
    CHECKED(leaf->bit == VCLOCK_LEAF);
    CHECKED((leaf->sparse_count > 0) == (kind == SMALL));
    check_sparse(leaf);
    for (uint32_t i = 0; kind == LEAVES && i < VCLOCK_LEAF_KEYS; i++)
        CHECKED(vclock_clock(leaf, i) >= 0);
}

/* The child's keys equal the branch's above its bit, and have that bit set on the high side alone. */
static void check_child(const struct vclock *branch, const struct vclock *child, bool high)
{
    CHECKED(child && child->bit != VCLOCK_UNUSED && child->references > 0);
    CHECKED(child->bit == VCLOCK_LEAF || child->bit < branch->bit);
    CHECKED((child->key >> branch->bit & 1) == high);
    CHECKED((child->key ^ branch->key) >> branch->bit >> 1 == 0);
}

static void check_branch(const struct vclock_pool *pool, const struct vclock *branch,
                         struct counted_nodes *counted)
{
    CHECKED(branch->bit < VCLOCK_LEAF && !branch->sparse_count);
    CHECKED((branch->key & ((UINT64_C(2) << branch->bit) - 1)) == 0);
    refer(pool, counted, branch->low);
    refer(pool, counted, branch->high);
    CHECKED(!((branch->low | branch->high) & VCLOCK_STEP_BITS));
    CHECKED(branch->low != branch->high);
    check_child(branch, vclock_of_handle(pool, branch->low), false);
    check_child(branch, vclock_of_handle(pool, branch->high), true);
}

static void check_node(const struct vclock_pool *pool, const struct vclock *node, uint32_t kind,
                       struct counted_nodes *counted)
{
    if (node->bit == VCLOCK_UNUSED) {
        counted->unused[kind]++;
        return;
    }
    counted->bytes += NODE_BYTES[kind];
    CHECKED(node->references > 0 && !node->visited);
    CHECKED(node->chain <= pool->chains);
    CHECKED(node->chain || !node->has_successor);
    if (kind == LEAVES || node->bit == VCLOCK_LEAF)
        check_leaf(node, kind);
    else
        check_branch(pool, node, counted);
}

/* ---- deferred joins ----------------------------------------------------------------- */

static void check_step(const struct vclock_pool *pool, struct vclock_deferred_join *join, uint32_t i,
                       struct counted_nodes *counted)
{
    const union vclock_state *state = vclock_step_state(join, i);
    const struct vclock_step *step = &join->step[i];
    if (!state->references) /* its operands were dropped */
        return;
    CHECKED(!state->visited);
    CHECKED(!state->computed || !(step->high & VCLOCK_STEP_BITS)); /* the result is a trie */
    CHECKED(step->clock >= 0);
    CHECKED(!step->clock || vclock_state(join)->keyed);
    CHECKED(i || !state->computed || !join->below);
    counted->uncomputed += !state->computed;
    refer(pool, counted, step->high);
    if (!state->computed)
        refer(pool, counted, i ? vclock_handle(vclock_step_pointer(join, i - 1)) : join->below);
}

static void check_deferred_join(const struct vclock_pool *pool, struct vclock_deferred_join *join,
                                struct counted_nodes *counted)
{
    const union vclock_state *state = vclock_state(join);
    uint32_t alive = 0;
    CHECKED(state->steps <= state->room);
    for (uint32_t i = 0; i < state->steps; i++) {
        alive += vclock_step_state(join, i)->references > 0;
        check_step(pool, join, i, counted);
    }
    CHECKED(state->alive == alive);
    if (alive)
        counted->bytes += deferred_join_bytes(state->room);
    else
        counted->unused_joins[state->room] += state->room > 0;
    CHECKED(alive || !state->steps);
}

/* ---- the pool ----------------------------------------------------------------------- */

static uint32_t most_of(uint32_t kind)
{
    return kind == DEFERRED_JOINS
               ? VCLOCK_BLOCK_WORDS
               : (uint32_t)((VCLOCK_BLOCK - sizeof(struct vclock_block)) / NODE_BYTES[kind]);
}

static void check_blocks(const struct vclock_pool *pool, struct counted_nodes *counted)
{
    for (uint32_t number = 0; number < pool->block_count; number++) {
        const struct vclock_block *block = (const void *)pool->blocks[number];
        CHECKED(vclock_block_of(block) == block && block->number == number);
        CHECKED(block->kind <= DEFERRED_JOINS && block->count <= most_of(block->kind));
        for (uint32_t i = 0; block->kind != DEFERRED_JOINS && i < block->count; i++)
            check_node(pool, (const void *)((const uint8_t *)(block + 1) + i * NODE_BYTES[block->kind]),
                       block->kind, counted);
    }
    struct vclock_deferred_join *join;
    for (uint64_t at = 0; (join = vclock_deferred_join_next(pool, &at));)
        check_deferred_join(pool, join, counted);
}

static void check_unused(const struct vclock_pool *pool, const struct counted_nodes *counted)
{
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint32_t count = 0;
        for (const struct vclock *node = pool->unused[kind]; node; node = node->next, count++)
            CHECKED(node->bit == VCLOCK_UNUSED);
        CHECKED(count == counted->unused[kind]);
        CHECKED(!pool->fresh[kind] || pool->fresh[kind]->kind == kind);
    }
    for (uint32_t room = 0; room <= VCLOCK_STEPS; room++) {
        uint32_t count = 0;
        const struct vclock_deferred_join *join = pool->unused_deferred_join[room];
        for (; join; join = join->next, count++)
            CHECKED(vclock_state(join)->room == room && !vclock_state(join)->alive);
        CHECKED(count == counted->unused_joins[room]);
    }
}

/* No node has more referrers among the nodes than references. */
static void check_references(const struct vclock_pool *pool, const struct counted_nodes *counted)
{
    for (uint32_t handle = 1; handle < pool->block_count << VCLOCK_BLOCK_BITS; handle++) {
        if (!counted->references[handle])
            continue;
        const struct vclock *map = vclock_of_handle(pool, handle);
        const uint32_t step = vclock_step_of(map),
                       references =
                           step ? vclock_step_state(vclock_deferred_join_of(map), step - 1)->references
                                : map->references;
        CHECKED(counted->references[handle] <= references ||
                (step && references == VCLOCK_REFERENCES_STICKY));
    }
}

void vclock_check(const struct vclock_pool *pool)
{
    struct counted_nodes counted = {0};
    CHECKED(pool->block_count <= pool->block_room && pool->work_count <= pool->work_room);
    counted.references = calloc(((size_t)pool->block_count << VCLOCK_BLOCK_BITS) + 1, sizeof(uint32_t));
    if (!counted.references) /* out of memory: nothing is checked */
        return;
    check_blocks(pool, &counted);
    check_unused(pool, &counted);
    check_references(pool, &counted);
    CHECKED(counted.uncomputed == pool->uncomputed &&
            pool->uncomputed <= pool->deferred + pool->uncomputed_most);
    CHECKED(counted.bytes <= pool->bytes); /* keys of packed atomic objects count there, too */
    CHECKED(!pool->deferred_joins || pool->deferred_joins->kind == DEFERRED_JOINS);
    free(counted.references);
}
