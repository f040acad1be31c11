/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred nodes: operations on clocks that are recorded, and computed at the first query.
 *
 * They form a directed acyclic graph: each refers to at most two other clocks. A query walks all deferred
 * nodes beneath the queried one that were not computed, joins the tries that it meets, then puts the nodes'
 * clock values. Join is commutative and idempotent, and a put is the join with one entry, so the order does
 * not matter and no intermediate clock is made.
 *
 * Many queries of overlapping graphs would visit nodes again and again. Their cost is counted. When it
 * exceeds a share of what was deferred, every node is computed bottom-up, and operations are no longer
 * deferred until clocks are costly once more (stop_deferring). When very many nodes have no result, the same
 * is tried to save memory (compute_to_save_memory).
 */
#include <stdlib.h>
#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

#include "vclock_state.h"

struct vclock *vclock_defer(struct vclock_pool *pool, struct vclock *low, struct vclock *high, uint64_t key,
                            int32_t clock)
{
    struct vclock *node = vclock_new(pool, VCLOCK_DEFERRED_NODES);
    CHECKED(clock >= 0 && key < DEFERRABLE_KEY_END);
    CHECKED(low || high || clock);
    if (!node)
        return vclock_share(low);
    node->bit = VCLOCK_DEFERRED;
    node->low = vclock_handle(vclock_share(vclock_computed(pool, low)));
    node->high = vclock_handle(vclock_share(vclock_computed(pool, high)));
    node->put_key = (uint32_t)key;
    node->put_clock = clock;
    pool->deferred++;
    pool->uncomputed++;
    return node;
}

/* The node has that result, whose reference it takes; its operands are dropped. */
static void set_computed(struct vclock_pool *pool, struct vclock *node, struct vclock *map)
{
    CHECKED(is_deferred(node) && (!map || map->bit <= VCLOCK_LEAF) && pool->uncomputed > 0);
    struct vclock *low = low_of(pool, node), *high = high_of(pool, node);
    node->bit = VCLOCK_COMPUTED;
    node->low = vclock_handle(map);
    node->high = 0;
    pool->uncomputed--;
    vclock_drop(pool, low);
    vclock_drop(pool, high);
}

static bool worklist_add(struct vclock_pool *pool, struct vclock *map)
{
    const bool room =
        room_for_one((void **)&pool->work, pool->work_count, &pool->work_room, 64, sizeof(struct vclock *));
    pool->failed |= !room;
    if (room)
        pool->work[pool->work_count++] = map;
    return room;
}

/* Adds an operand to the worklist, once. If it was computed, its trie takes its place. */
static void visit(struct vclock_pool *pool, uint32_t *handle)
{
    struct vclock *old = vclock_of_handle(pool, *handle), *operand = vclock_computed(pool, old);
    CHECKED(!old || (old->references > 0 && operand));
    if (operand != old) {
        *handle = vclock_handle(vclock_share(operand));
        vclock_drop(pool, old);
    }
    if (operand && !operand->visited)
        operand->visited = worklist_add(pool, operand);
}

/* Takes the reference of the first clock. */
static struct vclock *joined_with(struct vclock_pool *pool, struct vclock *result, struct vclock *map)
{
    struct vclock *more =
        map && result ? vclock_join_tries(pool, result, map) : vclock_share(map ? map : result);
    vclock_drop(pool, result);
    return more;
}

/* Takes the reference of the clock. */
static struct vclock *joined_with_put(struct vclock_pool *pool, struct vclock *result,
                                      const struct vclock *node)
{
    if (!node->put_clock || vclock_get(pool, result, node->put_key) >= (uint64_t)node->put_clock)
        return result;
    struct vclock *more = vclock_put_trie(pool, result, node->put_key, node->put_clock);
    vclock_drop(pool, result);
    return more;
}

/* Computes one node from all beneath it: first the tries, then the clock values of deferred nodes. */
static void compute(struct vclock_pool *pool, struct vclock *node)
{
    struct vclock *result = NULL;
    CHECKED(is_deferred(node) && !node->visited);
    pool->work_count = 0;
    node->visited = worklist_add(pool, node);
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (is_deferred(pool->work[i])) {
            visit(pool, &pool->work[i]->low);
            visit(pool, &pool->work[i]->high);
        }
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (!is_deferred(pool->work[i]))
            result = joined_with(pool, result, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        pool->work[i]->visited = false;
        if (is_deferred(pool->work[i]))
            result = joined_with_put(pool, result, pool->work[i]);
    }
    CHECKED(pool->work_count > 0 && pool->work[0] == node);
    pool->visited += pool->work_count;
    set_computed(pool, node, result);
}

/* Computes the node and every node beneath it, operands first. False: that exceeds one of the limits. */
static bool compute_beneath(struct vclock_pool *pool, struct vclock *node, size_t bytes_most,
                            uint64_t joined_most)
{
    pool->work_count = 0;
    for (bool more = worklist_add(pool, node); more && pool->work_count;) {
        if (pool->bytes > bytes_most || pool->joined > joined_most)
            return false;
        node = pool->work[pool->work_count - 1];
        CHECKED(is_deferred(node));
        struct vclock *low = low_of(pool, node), *high = high_of(pool, node);
        if (is_deferred(low) || is_deferred(high)) {
            more = worklist_add(pool, is_deferred(low) ? low : high);
            continue;
        }
        pool->work_count--;
        struct vclock *result = vclock_share(vclock_computed(pool, low));
        result = joined_with(pool, result, vclock_computed(pool, high));
        set_computed(pool, node, joined_with_put(pool, result, node));
    }
    return true;
}

/* Computes every deferred node. False: that takes more bytes, or more joins of pairs of nodes. The tries that
 * it makes are no deferred nodes, whether they come to lie before or after the present place. */
static bool compute_all(struct vclock_pool *pool, size_t bytes_most, uint64_t joins)
{
    const uint64_t joined_most = pool->joined + joins;
    for (uint32_t number = 0; number < pool->block_count; number++) {
        const struct vclock_block *block = (const void *)pool->blocks[number];
        for (uint32_t i = 0; block->kind == VCLOCK_DEFERRED_NODES && i < block->count; i++)
            if (is_deferred(vclock_node_at(block, i)) &&
                !compute_beneath(pool, vclock_node_at(block, i), bytes_most, joined_most))
                return false;
    }
    return true;
}

/* Queries have cost too much. If all clocks can be computed, nothing is deferred until they take twice as
 * many bytes, or have cost as many joins as the queries; else queries may cost twice as much from now on. */
static void stop_deferring(struct vclock_pool *pool)
{
    if (compute_all(pool, 2 * pool->bytes, pool->visited)) {
        pool->bytes_most = 2 * pool->bytes > BYTES_MOST ? 2 * pool->bytes : BYTES_MOST;
        pool->joined_most = pool->joined + pool->visited;
    } else {
        pool->visited_most *= 2;
    }
    pool->visited = pool->deferred = 0;
}

struct vclock *vclock_compute(struct vclock_pool *pool, struct vclock *map)
{
    CHECKED(vclock_was_deferred(map) && map->references > 0);
    if (is_deferred(map) && pool->cached_only)
        return NULL;
    if (is_deferred(map)) {
        vclock_share(map);
        compute(pool, map);
        if (pool->visited > pool->visited_most + VISITED_PER_DEFERRED * pool->deferred)
            stop_deferring(pool);
        map->references--;
    }
    return low_of(pool, map);
}

/* The new owner of a lock mostly queries an epoch of the owner before, whose clock value is few nodes away. A
 * clock value found on the way is a lower bound of the result, which decides the query if it is later. */
bool vclock_has_nearby(const struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock)
{
    enum { NODES_SEEN = HOSTILE(24, 3) };
    struct vclock *seen[NODES_SEEN] = {map};
    for (uint32_t i = 0, count = 1; i < count; i++) {
        const struct vclock *at = vclock_computed(pool, seen[i]);
        if (!is_deferred(at)) {
            if (clock < vclock_get_computed(pool, at, key))
                return true;
            continue;
        }
        if (at->put_key == key && clock < (uint64_t)at->put_clock)
            return true;
        if (at->high && count < NODES_SEEN)
            seen[count++] = high_of(pool, at);
        if (at->low && count < NODES_SEEN)
            seen[count++] = low_of(pool, at);
    }
    return false;
}

/* So many nodes have no result that computed clocks might take less memory. If they take more than 3/4 as
 * much, the next attempt waits for twice as many. */
static void compute_to_save_memory(struct vclock_pool *pool)
{
    const size_t before = pool->bytes;
    compute_all(pool, before / 16 * 17, JOINED_PER_UNCOMPUTED * (uint64_t)pool->uncomputed);
    if (pool->bytes > before / 4 * 3 && pool->uncomputed_most < UINT32_MAX / 2)
        pool->uncomputed_most *= 2;
}

bool vclock_should_defer(struct vclock_pool *pool, const struct vclock *map)
{
    if (!vclock_is_costly(pool) && !is_deferred(map))
        return false;
    if (pool->uncomputed >= pool->uncomputed_most && pool->uncomputed / UNCOMPUTED_PER_UNIT >= pool->units)
        compute_to_save_memory(pool);
    return true;
}
