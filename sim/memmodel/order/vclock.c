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
#include <string.h>
#include "orrery/checked.h"

#include "vclock_state.h"

enum { LEAF = VCLOCK_LEAF, LEAF_BITS = VCLOCK_LEAF_BITS, LEAF_KEYS = VCLOCK_LEAF_KEYS };

static uint64_t chunk_of(uint64_t key)
{
    return vclock_chunk(key);
}
static uint32_t place_in(uint64_t key)
{
    return vclock_place(key);
}

/* ---- nodes ---------------------------------------------------------------------- */

static const int32_t *clocks(const struct vclock *leaf)
{
    return ((const struct vclock_leaf *)leaf)->clock;
}

struct leaf_entry {
    uint32_t place;
    int32_t clock;
};

static struct leaf_entry sparse_at(const struct vclock *leaf, uint32_t i)
{
    return (struct leaf_entry){leaf->place[i], leaf->sparse_clock[i]};
}

static void sparse_set(struct vclock *leaf, const struct leaf_entry *entries, uint32_t count)
{
    leaf->sparse_count = count & 3;
    CHECKED(count > 0 && count <= VCLOCK_SPARSE_MOST);
    for (uint32_t i = 0; i < count; i++) {
        leaf->place[i] = (uint8_t)entries[i].place;
        leaf->sparse_clock[i] = entries[i].clock;
    }
}

static struct vclock *sparse_new(struct vclock_pool *pool, uint64_t chunk, const struct leaf_entry *entries,
                                 uint32_t count)
{
    struct vclock *leaf = vclock_new(pool, SMALL);
    if (!leaf)
        return NULL;
    leaf->bit = LEAF;
    leaf->key = chunk;
    sparse_set(leaf, entries, count);
    return leaf;
}

/* A dense leaf with the entries of `like`, or empty if that is NULL. */
static struct vclock_leaf *leaf_new(struct vclock_pool *pool, uint64_t chunk, const struct vclock *like)
{
    struct vclock_leaf *leaf = (struct vclock_leaf *)vclock_new(pool, LEAVES);
    if (!leaf)
        return NULL;
    leaf->node.bit = LEAF;
    leaf->node.key = chunk;
    if (like && !like->sparse_count) {
        memcpy(leaf->clock, clocks(like), sizeof leaf->clock);
        return leaf;
    }
    memset(leaf->clock, 0, sizeof leaf->clock);
    for (uint32_t i = 0; like && i < like->sparse_count; i++)
        leaf->clock[like->place[i]] = like->sparse_clock[i];
    return leaf;
}

/* A new clock that includes an earlier one becomes the next of its chain. False: it cannot; in particular the
 * chain may continue with another clock already, with which the new one has no order. */
static bool chain_after(struct vclock *map, struct vclock *earlier)
{
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
    struct vclock *node = low && high ? vclock_new(pool, SMALL) : NULL;
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
    if (low == low_of(pool, old) && high == high_of(pool, old)) {
        vclock_drop(pool, low);
        vclock_drop(pool, high);
        return vclock_share(old);
    }
    return branch(pool, old->key, old->bit, low, high);
}

/* Bit 0: x is smaller at some place; bit 1: y is. */
static int compare(const int32_t *restrict x, const int32_t *restrict y)
{
    int32_t below = 0, above = 0;
    for (uint32_t i = 0; i < LEAF_KEYS; i++) {
        below |= x[i] < y[i];
        above |= x[i] > y[i];
    }
    return below | above << 1;
}

/* Merges the entries of two sparse leaves by place; of two for one place the later is taken. Returns how many
 * there are. */
static uint32_t merge_sparse(const struct vclock *a, const struct vclock *b, struct leaf_entry *out_places)
{
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < a->sparse_count || k < b->sparse_count; count++) {
        const bool has_x = i < a->sparse_count, has_y = k < b->sparse_count;
        const struct leaf_entry x = has_x ? sparse_at(a, i) : sparse_at(b, k),
                                y = has_y ? sparse_at(b, k) : x;
        const bool takes_x = has_x && (!has_y || x.place <= y.place);
        const bool takes_y = has_y && (!has_x || y.place <= x.place);
        out_places[count] = takes_x && (!takes_y || x.clock >= y.clock) ? x : y;
        i += takes_x;
        k += takes_y;
    }
    return count;
}

static bool covers_sparse(const struct vclock *leaf, const struct vclock *sparse)
{
    for (uint32_t i = 0; i < sparse->sparse_count; i++)
        if (vclock_clock(leaf, sparse->place[i]) < sparse->sparse_clock[i])
            return false;
    return true;
}

/* Joins a leaf with a sparse leaf b. */
static struct vclock *join_sparse(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    struct leaf_entry entries[2 * VCLOCK_SPARSE_MOST];
    if (covers_sparse(a, b))
        return vclock_share(a);
    if (a->sparse_count) {
        const uint32_t count = merge_sparse(a, b, entries);
        if (covers_sparse(b, a))
            return vclock_share(b);
        struct vclock *sparse = count <= VCLOCK_SPARSE_MOST ? sparse_new(pool, a->key, entries, count) : NULL;
        if (sparse || count <= VCLOCK_SPARSE_MOST)
            return sparse ? sparse : vclock_share(a);
    }
    struct vclock_leaf *leaf = leaf_new(pool, a->key, a);
    if (!leaf)
        return vclock_share(a);
    for (uint32_t i = 0; i < b->sparse_count; i++)
        if (leaf->clock[b->place[i]] < b->sparse_clock[i])
            leaf->clock[b->place[i]] = b->sparse_clock[i];
    return &leaf->node;
}

/* Joins two leaves of one chunk. */
static struct vclock *join_leaves(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    CHECKED(a->key == b->key && a->bit == LEAF && b->bit == LEAF);
    if (a->sparse_count || b->sparse_count)
        return b->sparse_count ? join_sparse(pool, a, b) : join_sparse(pool, b, a);
    const int differ = compare(clocks(a), clocks(b));
    struct vclock_leaf *leaf = differ == 3 ? leaf_new(pool, a->key, a) : NULL;
    if (!leaf)
        return vclock_share(differ & 1 ? b : a);
    const int32_t *restrict other = clocks(b);
    int32_t *restrict clock = leaf->clock;
    for (uint32_t i = 0; i < LEAF_KEYS; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
    return &leaf->node;
}

/* Joins a trie with one leaf. */
static struct vclock *join_leaf(struct vclock_pool *pool, struct vclock *map, struct vclock *one)
{
    if (!belongs(map, one->key))
        return siblings(pool, vclock_share(map), vclock_share(one));
    if (map->bit == LEAF)
        return map == one ? vclock_share(map) : join_leaves(pool, map, one);
    if (goes_high(map, one->key))
        return rebranch(pool, map, vclock_share(low_of(pool, map)), join_leaf(pool, high_of(pool, map), one));
    return rebranch(pool, map, join_leaf(pool, low_of(pool, map), one), vclock_share(high_of(pool, map)));
}

/* Joins b with the side of the branch a to which all of it belongs. */
static struct vclock *join_below(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
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
    if (a->bit == LEAF || b->bit == LEAF)
        return a->bit == LEAF ? join_leaf(pool, b, a) : join_leaf(pool, a, b);
    if (a->bit == b->bit && a->key == b->key) {
        struct vclock *low = vclock_join_tries(pool, low_of(pool, a), low_of(pool, b));
        struct vclock *high = vclock_join_tries(pool, high_of(pool, a), high_of(pool, b));
        bool as_b = low == low_of(pool, b) && high == high_of(pool, b);
        return rebranch(pool, as_b ? b : a, low, high);
    }
    if (a->bit > b->bit && belongs(a, b->key))
        return join_below(pool, a, b);
    if (b->bit > a->bit && belongs(b, a->key))
        return join_below(pool, b, a);
    return siblings(pool, vclock_share(a), vclock_share(b));
}

/* The leaf with the key's clock value set; map NULL: a leaf with that alone. NULL: out of memory. */
static inline struct vclock *leaf_with(struct vclock_pool *pool, struct vclock *map, uint64_t key,
                                       int32_t clock)
{
    const struct leaf_entry one = {place_in(key), clock};
    const struct vclock alone = {
        .bit = LEAF, .sparse_count = 1, .place = {(uint8_t)one.place}, .sparse_clock = {clock}};
    struct leaf_entry entries[2 * VCLOCK_SPARSE_MOST];
    if (!map)
        return sparse_new(pool, chunk_of(key), &one, 1);
    const uint32_t count = map->sparse_count ? merge_sparse(map, &alone, entries) : VCLOCK_SPARSE_MOST + 1;
    if (count <= VCLOCK_SPARSE_MOST)
        return sparse_new(pool, map->key, entries, count);
    struct vclock_leaf *leaf = leaf_new(pool, map->key, map);
    if (!leaf)
        return NULL;
    leaf->clock[one.place] = clock;
    return &leaf->node;
}

struct vclock *vclock_put_trie(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock)
{
    const uint64_t chunk = chunk_of(key);
    if (map && map->bit != LEAF && belongs(map, chunk)) {
        if (goes_high(map, chunk))
            return rebranch(pool, map, vclock_share(low_of(pool, map)),
                            vclock_put_trie(pool, high_of(pool, map), key, clock));
        return rebranch(pool, map, vclock_put_trie(pool, low_of(pool, map), key, clock),
                        vclock_share(high_of(pool, map)));
    }
    const bool here = map && belongs(map, chunk);
    struct vclock *leaf = leaf_with(pool, here ? map : NULL, key, clock);
    if (!leaf)
        return vclock_share(map);
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

/* May a clock value be added in place? A successor, which was computed before it, would not include it. */
static bool has_room_for_put(const struct vclock *deferred)
{
    return deferred->references == 1 && !deferred->has_successor && !deferred->put_clock;
}

struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock)
{
    struct vclock *map = *slot;
    const bool fits = clock <= INT32_MAX && key < DEFERRABLE_KEY_END;
    if (fits && is_deferred(map) && has_room_for_put(map)) {
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

/* A leaf of consecutive units, all of one chunk; NULL: none has a clock value, or out of memory. */
static struct vclock *leaf_of(struct vclock_pool *pool, uint64_t unit, const uint32_t *clock, uint32_t count)
{
    CHECKED(unit / LEAF_KEYS == (unit + count - 1) / LEAF_KEYS);
    struct vclock_leaf *leaf = NULL;
    for (uint32_t i = 0; i < count; i++) {
        pool->failed |= clock[i] > INT32_MAX;
        if (!clock[i] || (!leaf && !(leaf = leaf_new(pool, chunk_of(unit << 2), NULL))))
            continue;
        leaf->clock[place_in((unit + i) << 2)] = (int32_t)clock[i];
    }
    return leaf ? &leaf->node : NULL;
}

struct vclock *vclock_put_row(struct vclock_pool *pool, struct vclock *map, uint64_t unit,
                              const uint32_t *clock, uint32_t count)
{
    struct vclock *result = vclock_share(map);
    for (uint32_t from = 0, next; from < count; from = next) {
        const uint32_t left = LEAF_KEYS - (uint32_t)((unit + from) % LEAF_KEYS);
        next = count - from < left ? count : from + left;
        struct vclock *leaf = leaf_of(pool, unit + from, clock + from, next - from), *before = result;
        result = vclock_join(pool, before, leaf);
        vclock_drop(pool, before);
        vclock_drop(pool, leaf);
    }
    return result;
}
