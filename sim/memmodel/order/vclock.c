/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tries of vector clocks: big-endian Patricia tries after Okasaki and Gill, "Fast mergeable integer maps"
 * (ML Workshop 1998), whose leaves have the clock values of a chunk of neighbouring keys.
 *
 * No node changes once it is shared, so an operation copies the path to what differs, and shares the rest. An
 * operation that changes nothing returns its argument: joins of clocks that include each other make no node,
 * and equal subtries are mostly the same node. Each operation begins by asking whether it is to be deferred
 * (vclock_deferred.c).
 */
#include "orrery/checked.h"

#include "vclock_state.h"

enum { LEAF = VCLOCK_LEAF, LEAF_KEYS = VCLOCK_LEAF_KEYS };

/* ---- nodes ---------------------------------------------------------------------- */

/* A leaf with the clock values of `like`; NULL: with none. */
static struct vclock *leaf_new(struct vclock_pool *pool, uint64_t chunk, const struct vclock *like)
{
    struct vclock *leaf = vclock_new(pool, VCLOCK_LEAVES);
    CHECKED(!like || (like->bit == LEAF && like->key == chunk));
    if (!leaf)
        return NULL;
    leaf->bit = LEAF;
    leaf->key = chunk;
    for (uint32_t i = 0; i < LEAF_KEYS; i++)
        leaf->clock[i] = like ? like->clock[i] : 0;
    return leaf;
}

/* A new clock that includes an earlier one becomes the next of its chain. False: it cannot; in particular the
 * chain may continue with another clock already, with which the new one has no order. */
static bool chain_after(struct vclock *map, struct vclock *earlier)
{
    if (vclock_was_deferred(map) || vclock_was_deferred(earlier))
        return false;
    const bool is_new = map->references == 1,
               is_last = earlier->chain && !earlier->has_successor && earlier->length < UINT32_MAX;
    if (!is_new || !is_last)
        return false;
    earlier->has_successor = true;
    CHECKED(map != earlier);
    map->chain = earlier->chain;
    map->length = earlier->length + 1;
    return true;
}

/* The bits of the key above that bit. */
static uint64_t above(uint64_t key, uint32_t bit)
{
    return bit == 63 ? 0 : key >> (bit + 1) << (bit + 1);
}

/* Takes the references of both children. Without memory one of them is lost, and pool->failed is set. */
static struct vclock *branch(struct vclock_pool *pool, uint64_t key, uint32_t bit, struct vclock *low,
                             struct vclock *high)
{
    struct vclock *node = low && high ? vclock_new(pool, VCLOCK_BRANCHES) : NULL;
    if (!node) {
        struct vclock *kept = low ? low : high;
        if (low && high)
            vclock_drop(pool, high);
        return kept;
    }
    node->bit = (uint8_t)bit;
    node->key = above(key, bit);
    CHECKED(bit < LEAF && low != high);
    CHECKED(!(low->key >> bit & 1) && high->key >> bit & 1);
    node->low = vclock_handle(low);
    node->high = vclock_handle(high);
    return node;
}

/* Joins two tries that share no chunk and of which none belongs beneath the other: a branch at the highest
 * bit in which they differ. Takes both references. */
static struct vclock *siblings(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(a->key ^ b->key);
    CHECKED(a->key != b->key);
    bool a_low = !(a->key >> bit & 1);
    return branch(pool, a->key, bit, a_low ? a : b, a_low ? b : a);
}

/* ---- tries ------------------------------------------------------------------------ */

/* Does the key have the prefix of the node, so that it belongs in it or beneath it? */
static bool belongs(const struct vclock *node, uint64_t key)
{
    return node->bit == LEAF ? node->key == key : above(key, node->bit) == node->key;
}

static bool goes_high(const struct vclock *node, uint64_t key)
{
    CHECKED(node->bit < LEAF);
    return key >> node->bit & 1;
}

/* A branch with other children, or the old one if they are the same. Takes the references of both. */
static struct vclock *rebranch(struct vclock_pool *pool, struct vclock *old, struct vclock *low,
                               struct vclock *high)
{
    CHECKED(old->bit < LEAF);
    if (low == low_of(pool, old) && high == high_of(pool, old)) {
        vclock_drop(pool, low);
        vclock_drop(pool, high);
        return vclock_share(old);
    }
    return branch(pool, old->key, old->bit, low, high);
}

/* Joins two leaves of one chunk. */
static struct vclock *join_leaves(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    CHECKED(a->key == b->key && a->bit == LEAF && b->bit == LEAF);
    bool a_is_less = false, b_is_less = false;
    for (uint32_t i = 0; i < LEAF_KEYS; i++) {
        a_is_less |= a->clock[i] < b->clock[i];
        b_is_less |= b->clock[i] < a->clock[i];
    }
    struct vclock *leaf = a_is_less && b_is_less ? leaf_new(pool, a->key, a) : NULL;
    if (!leaf)
        return vclock_share(a_is_less ? b : a);
    for (uint32_t i = 0; i < LEAF_KEYS; i++)
        if (b->clock[i] > leaf->clock[i])
            leaf->clock[i] = b->clock[i];
    return leaf;
}

/* Does all of the trie belong beneath the branch? */
static bool is_beneath(const struct vclock *branch, const struct vclock *trie)
{
    return branch->bit != LEAF && (trie->bit == LEAF || trie->bit < branch->bit) &&
           belongs(branch, trie->key);
}

/* Joins b with the side of the branch a to which all of it belongs. */
static struct vclock *join_beneath(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    if (goes_high(a, b->key))
        return rebranch(pool, a, vclock_share(low_of(pool, a)), vclock_join_tries(pool, high_of(pool, a), b));
    return rebranch(pool, a, vclock_join_tries(pool, low_of(pool, a), b), vclock_share(high_of(pool, a)));
}

/* Where the result is one of the arguments, that one is returned, also for each subtrie. */
struct vclock *vclock_join_tries(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    CHECKED(a->bit <= LEAF && b->bit <= LEAF);
    pool->joined++;
    if (a == b)
        return vclock_share(a);
    if (is_beneath(a, b))
        return join_beneath(pool, a, b);
    if (is_beneath(b, a))
        return join_beneath(pool, b, a);
    if (a->key != b->key || a->bit != b->bit)
        return siblings(pool, vclock_share(a), vclock_share(b));
    if (a->bit == LEAF)
        return join_leaves(pool, a, b);
    struct vclock *low = vclock_join_tries(pool, low_of(pool, a), low_of(pool, b)),
                  *high = vclock_join_tries(pool, high_of(pool, a), high_of(pool, b));
    const bool as_b = low == low_of(pool, b) && high == high_of(pool, b);
    return rebranch(pool, as_b ? b : a, low, high);
}

struct vclock *vclock_put_trie(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock)
{
    const uint64_t chunk = vclock_chunk(key);
    CHECKED(clock > 0 && (!map || map->bit <= LEAF));
    if (map && map->bit != LEAF && belongs(map, chunk)) {
        if (goes_high(map, chunk))
            return rebranch(pool, map, vclock_share(low_of(pool, map)),
                            vclock_put_trie(pool, high_of(pool, map), key, clock));
        return rebranch(pool, map, vclock_put_trie(pool, low_of(pool, map), key, clock),
                        vclock_share(high_of(pool, map)));
    }
    const bool here = map && belongs(map, chunk);
    struct vclock *leaf = leaf_new(pool, chunk, here ? map : NULL);
    if (!leaf)
        return vclock_share(map);
    leaf->clock[vclock_place(key)] = clock;
    return here || !map ? leaf : siblings(pool, vclock_share(map), leaf);
}

/* ---- tries or deferred nodes -------------------------------------------------------- */

/* The clock as a trie. */
static struct vclock *computed(struct vclock_pool *pool, struct vclock *map)
{
    return vclock_was_deferred(map) ? vclock_compute(pool, map) : map;
}

struct vclock *vclock_join(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    if (!a || !b)
        return vclock_share(a ? a : b);
    CHECKED(a->references > 0 && b->references > 0);
    if (vclock_dominates_quickly(a, b) || vclock_dominates_quickly(b, a)) {
        pool->chained++;
        return vclock_share(vclock_dominates_quickly(a, b) ? a : b);
    }
    struct vclock *both;
    if (vclock_should_defer(pool, is_deferred(b) ? b : a)) {
        both = vclock_defer(pool, a, b, 0, 0);
    } else {
        struct vclock *x = computed(pool, a), *y = computed(pool, b);
        both = x && y ? vclock_join_tries(pool, x, y) : vclock_share(x ? x : y);
    }
    if (both && !chain_after(both, b))
        chain_after(both, a);
    return both;
}

static bool is_leaf(const struct vclock *map)
{
    return map && map->bit == LEAF;
}

struct vclock *vclock_put(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock)
{
    pool->failed |= clock > INT32_MAX;
    if (clock > INT32_MAX)
        return vclock_share(map);
    const bool defers = !is_leaf(map) && key < DEFERRABLE_KEY_END && vclock_should_defer(pool, map);
    struct vclock *trie = defers ? NULL : computed(pool, map);
    if (!defers && vclock_get(pool, trie, key) >= clock)
        return vclock_share(map);
    struct vclock *more = defers ? vclock_defer(pool, map, NULL, key, (int32_t)clock)
                                 : vclock_put_trie(pool, trie, key, (int32_t)clock);
    if (map && more)
        chain_after(more, map);
    return more;
}

struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock)
{
    struct vclock *map = *slot;
    const bool fits = clock <= INT32_MAX && key < DEFERRABLE_KEY_END,
               has_room = is_deferred(map) && map->references == 1 && !map->put_clock;
    CHECKED(!map || map->references > 0);
    if (fits && has_room) { /* no other clock includes this one */
        map->put_key = (uint32_t)key;
        map->put_clock = (int32_t)clock;
        return vclock_share(map);
    }
    struct vclock *more = vclock_put(pool, map, key, clock);
    if (is_deferred(more)) {
        vclock_drop(pool, map);
        *slot = vclock_share(more);
    }
    return more;
}

struct vclock *vclock_of_row(struct vclock_pool *pool, uint64_t unit, const uint32_t *clock, uint32_t count)
{
    const uint32_t room = LEAF_KEYS - (uint32_t)unit % LEAF_KEYS;
    CHECKED(count > 0);
    if (count > room) { /* the two halves meet between leaves, so their join is one branch */
        const uint32_t first = room + (count - room - 1) / 2 / LEAF_KEYS * LEAF_KEYS;
        struct vclock *low = vclock_of_row(pool, unit, clock, first),
                      *high = vclock_of_row(pool, unit + first, clock + first, count - first);
        struct vclock *both =
            low && high ? vclock_join_tries(pool, low, high) : vclock_share(low ? low : high);
        vclock_drop(pool, low);
        vclock_drop(pool, high);
        return both;
    }
    uint32_t any = 0;
    for (uint32_t i = 0; i < count; i++)
        any |= clock[i];
    pool->failed |= any > INT32_MAX;
    struct vclock *leaf = any ? leaf_new(pool, vclock_chunk(unit << 2), NULL) : NULL;
    for (uint32_t i = 0; leaf && i < count; i++)
        leaf->clock[vclock_place((unit + i) << 2)] = (int32_t)clock[i];
    return leaf;
}
