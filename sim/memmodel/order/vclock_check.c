/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asserts every invariant of the vector clocks of a pool (vclock_check). It walks the blocks, counts the
 * nodes in use, the unused ones and the references among them, and compares these with the pool's own counts
 * and lists. References of holders outside the pool are not counted, so a node may have more than were found.
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "vclock_state.h"

/* What the blocks have. references: by handle, how many branches and deferred nodes refer to the node. */
struct counted_nodes {
    size_t bytes;
    uint32_t unused[VCLOCK_KINDS];
    uint32_t uncomputed;
    uint32_t *references;
};

static void refer(const struct vclock_pool *pool, struct counted_nodes *counted, uint32_t handle)
{
    CHECKED(handle >> VCLOCK_BLOCK_BITS < pool->block_count);
    if (handle)
        counted->references[handle]++;
}

/* ---- tries -------------------------------------------------------------------------- */

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
    CHECKED(branch->bit < VCLOCK_LEAF);
    CHECKED((branch->key & ((UINT64_C(2) << branch->bit) - 1)) == 0);
    refer(pool, counted, branch->low);
    refer(pool, counted, branch->high);
    CHECKED(branch->low != branch->high);
    check_child(branch, vclock_of_handle(pool, branch->low), false);
    check_child(branch, vclock_of_handle(pool, branch->high), true);
}

/* Its operands, or its result, which is a trie. */
static void check_deferred(const struct vclock_pool *pool, const struct vclock *node,
                           struct counted_nodes *counted)
{
    CHECKED(is_deferred(node) || (low_of(pool, node)->bit <= VCLOCK_LEAF && !node->high));
    CHECKED(!is_deferred(node) || node->put_clock >= 0);
    counted->uncomputed += is_deferred(node);
    refer(pool, counted, node->low);
    refer(pool, counted, node->high);
}

static void check_trie(const struct vclock_pool *pool, const struct vclock *node,
                       struct counted_nodes *counted)
{
    CHECKED(node->chain <= pool->chains);
    CHECKED(node->chain || !node->has_successor);
    for (uint32_t i = 0; node->bit == VCLOCK_LEAF && i < VCLOCK_LEAF_KEYS; i++)
        CHECKED(node->clock[i] >= 0);
    if (node->bit != VCLOCK_LEAF)
        check_branch(pool, node, counted);
}

static void check_node(const struct vclock_pool *pool, const struct vclock *node, uint32_t kind,
                       struct counted_nodes *counted)
{
    if (node->bit == VCLOCK_UNUSED) {
        counted->unused[kind]++;
        return;
    }
    counted->bytes += VCLOCK_NODE_BYTES[kind];
    CHECKED(vclock_kind_of(node) == kind);
    CHECKED(node->references > 0 && !node->visited);
    if (vclock_was_deferred(node))
        check_deferred(pool, node, counted);
    else
        check_trie(pool, node, counted);
}

/* ---- the pool ----------------------------------------------------------------------- */

static void check_blocks(const struct vclock_pool *pool, struct counted_nodes *counted)
{
    for (uint32_t number = 0; number < pool->block_count; number++) {
        const struct vclock_block *block = (const void *)pool->blocks[number];
        CHECKED(vclock_block_of(block) == block && block->number == number);
        CHECKED(block->kind < VCLOCK_KINDS);
        CHECKED(block->count <= (VCLOCK_BLOCK - sizeof *block) / VCLOCK_NODE_BYTES[block->kind]);
        for (uint32_t i = 0; i < block->count; i++)
            check_node(pool, vclock_node_at(block, i), block->kind, counted);
    }
}

static void check_unused(const struct vclock_pool *pool, const struct counted_nodes *counted)
{
    for (uint32_t kind = 0; kind < VCLOCK_KINDS; kind++) {
        uint32_t count = 0;
        for (const struct vclock *node = pool->unused[kind]; node; node = node->next, count++)
            CHECKED(node->bit == VCLOCK_UNUSED && vclock_block_of(node)->kind == kind);
        CHECKED(count == counted->unused[kind]);
        CHECKED(!pool->fresh[kind] || pool->fresh[kind]->kind == kind);
    }
}

/* No node has more referrers among the nodes than references. */
static void check_references(const struct vclock_pool *pool, const struct counted_nodes *counted)
{
    for (uint32_t handle = 1; handle < pool->block_count << VCLOCK_BLOCK_BITS; handle++) {
        CHECKED(!counted->references[handle] ||
                counted->references[handle] <= vclock_of_handle(pool, handle)->references);
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
    CHECKED(counted.bytes == pool->bytes);
    free(counted.references);
}
