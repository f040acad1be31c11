/* SPDX-License-Identifier: Apache-2.0 */
/* Big-endian Patricia tries after Okasaki and Gill, "Fast mergeable integer maps" (1998). */
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

/* Of one of few: no other place of the leaf has a clock value. */
struct known_place {
    uint32_t place;
    int32_t clock;
};

static struct known_place few_at(const struct vclock *leaf, uint32_t i)
{
    return (struct known_place){leaf->place[i], leaf->few_clock[i]};
}

static void put_few(struct vclock *leaf, const struct known_place *places, uint32_t count)
{
    leaf->few = count & 3;
    CHECKED(count > 0 && count <= VCLOCK_FEW);
    for (uint32_t i = 0; i < count; i++) {
        leaf->place[i] = (uint8_t)places[i].place;
        leaf->few_clock[i] = places[i].clock;
    }
}

static struct vclock *few_new(struct vclock_pool *pool, uint64_t chunk, const struct known_place *places,
                              uint32_t count)
{
    struct vclock *leaf = vclock_new(pool, SMALL);
    if (!leaf)
        return NULL;
    leaf->bit = LEAF;
    leaf->key = chunk;
    put_few(leaf, places, count);
    return leaf;
}

/* Like another, or empty. */
static struct vclock_leaf *leaf_new(struct vclock_pool *pool, uint64_t chunk, const struct vclock *like)
{
    struct vclock_leaf *leaf = (struct vclock_leaf *)vclock_new(pool, LEAVES);
    if (!leaf)
        return NULL;
    leaf->node.bit = LEAF;
    leaf->node.key = chunk;
    if (like && !like->few) {
        memcpy(leaf->clock, clocks(like), sizeof leaf->clock);
        return leaf;
    }
    memset(leaf->clock, 0, sizeof leaf->clock);
    for (uint32_t i = 0; like && i < like->few; i++)
        leaf->clock[like->place[i]] = like->few_clock[i];
    return leaf;
}

/* A new map that holds all of an earlier one: it is the next in its chain, unless that has gone on
 * already. */
static bool follow(struct vclock *map, struct vclock *earlier)
{
    if (vclock_step_of(map) || vclock_step_of(earlier) || map->references > 1 || earlier->followed ||
        !earlier->chain || earlier->length == UINT32_MAX)
        return false;
    earlier->followed = true;
    CHECKED(map != earlier);
    map->chain = earlier->chain;
    map->length = earlier->length + 1;
    return true;
}

static uint64_t above(uint64_t key, uint32_t bit)
{
    return bit == 63 ? 0 : key >> (bit + 1) << (bit + 1);
}

/* Takes the references of low and high. */
static struct vclock *branch(struct vclock_pool *pool, uint64_t key, uint32_t bit, struct vclock *low,
                             struct vclock *high)
{
    struct vclock *node = low && high ? vclock_new(pool, SMALL) : NULL;
    if (!node) { /* out of memory: one side is lost */
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

/* Of two maps without a common key: takes both references. */
static struct vclock *siblings(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(a->key ^ b->key);
    CHECKED(a->key != b->key);
    bool a_low = !(a->key >> bit & 1);
    return branch(pool, a->key, bit, a_low ? a : b, a_low ? b : a);
}

/* ---- maps ------------------------------------------------------------------------- */

static bool belongs(const struct vclock *node, uint64_t key)
{
    return node->bit == LEAF ? node->key == key : above(key, node->bit) == node->key;
}

static struct vclock *low_of(const struct vclock_pool *pool, const struct vclock *branch)
{
    return vclock_of_handle(pool, branch->low);
}
static struct vclock *high_of(const struct vclock_pool *pool, const struct vclock *branch)
{
    return vclock_of_handle(pool, branch->high);
}

static bool goes_high(const struct vclock *node, uint64_t key)
{
    CHECKED(node->bit < LEAF);
    return key >> node->bit & 1;
}

/* A branch with other children, or the old one when they are the same; takes the references of both. */
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

/* Bit 0: somewhere x is the smaller one; bit 1: y is. */
static int compare(const int32_t *restrict x, const int32_t *restrict y)
{
    int32_t below = 0, above = 0;
    for (uint32_t i = 0; i < LEAF_KEYS; i++) {
        below |= x[i] < y[i];
        above |= x[i] > y[i];
    }
    return below | above << 1;
}

/* The later clock value of each place of two that have a few each. Returns how many there are. */
static uint32_t merge_few(const struct vclock *a, const struct vclock *b, struct known_place *out_places)
{
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < a->few || k < b->few; count++) {
        const bool has_x = i < a->few, has_y = k < b->few;
        const struct known_place x = has_x ? few_at(a, i) : few_at(b, k), y = has_y ? few_at(b, k) : x;
        const bool takes_x = has_x && (!has_y || x.place <= y.place),
                   takes_y = has_y && (!has_x || y.place <= x.place);
        out_places[count] = takes_x && (!takes_y || x.clock >= y.clock) ? x : y;
        i += takes_x;
        k += takes_y;
    }
    return count;
}

static bool has_few(const struct vclock *leaf, const struct vclock *few)
{
    for (uint32_t i = 0; i < few->few; i++)
        if (vclock_clock(leaf, few->place[i]) < few->few_clock[i])
            return false;
    return true;
}

/* b has a few. */
static struct vclock *join_few(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    struct known_place places[2 * VCLOCK_FEW];
    if (has_few(a, b))
        return vclock_share(a);
    if (a->few) {
        const uint32_t count = merge_few(a, b, places);
        if (has_few(b, a))
            return vclock_share(b);
        struct vclock *few = count <= VCLOCK_FEW ? few_new(pool, a->key, places, count) : NULL;
        if (few || count <= VCLOCK_FEW)
            return few ? few : vclock_share(a);
    }
    struct vclock_leaf *leaf = leaf_new(pool, a->key, a);
    if (!leaf)
        return vclock_share(a);
    for (uint32_t i = 0; i < b->few; i++)
        if (leaf->clock[b->place[i]] < b->few_clock[i])
            leaf->clock[b->place[i]] = b->few_clock[i];
    return &leaf->node;
}

/* Of two leaves of one chunk. */
static struct vclock *join_clocks(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    CHECKED(a->key == b->key && a->bit == LEAF && b->bit == LEAF);
    if (a->few || b->few)
        return b->few ? join_few(pool, a, b) : join_few(pool, b, a);
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

static struct vclock *join_leaf(struct vclock_pool *pool, struct vclock *map, struct vclock *one)
{
    if (!belongs(map, one->key))
        return siblings(pool, vclock_share(map), vclock_share(one));
    if (map->bit == LEAF)
        return map == one ? vclock_share(map) : join_clocks(pool, map, one);
    if (goes_high(map, one->key))
        return rebranch(pool, map, vclock_share(low_of(pool, map)), join_leaf(pool, high_of(pool, map), one));
    return rebranch(pool, map, join_leaf(pool, low_of(pool, map), one), vclock_share(high_of(pool, map)));
}

/* b belongs wholly to one side of a. */
static struct vclock *join_below(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    if (goes_high(a, b->key))
        return rebranch(pool, a, vclock_share(low_of(pool, a)), vclock_join_maps(pool, high_of(pool, a), b));
    return rebranch(pool, a, vclock_join_maps(pool, low_of(pool, a), b), vclock_share(high_of(pool, a)));
}

struct vclock *vclock_join_maps(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    CHECKED(!vclock_step_of(a) && !vclock_step_of(b));
    pool->joined++;
    if (a == b)
        return vclock_share(a);
    if (a->bit == LEAF || b->bit == LEAF)
        return a->bit == LEAF ? join_leaf(pool, b, a) : join_leaf(pool, a, b);
    if (a->bit == b->bit && a->key == b->key) {
        struct vclock *low = vclock_join_maps(pool, low_of(pool, a), low_of(pool, b));
        struct vclock *high = vclock_join_maps(pool, high_of(pool, a), high_of(pool, b));
        bool as_b = low == low_of(pool, b) && high == high_of(pool, b);
        return rebranch(pool, as_b ? b : a, low, high);
    }
    if (a->bit > b->bit && belongs(a, b->key))
        return join_below(pool, a, b);
    if (b->bit > a->bit && belongs(b, a->key))
        return join_below(pool, b, a);
    return siblings(pool, vclock_share(a), vclock_share(b));
}

/* A leaf with one more or another clock value; map NULL: that alone. NULL: no memory. */
static inline struct vclock *leaf_with(struct vclock_pool *pool, struct vclock *map, uint64_t key,
                                       int32_t clock)
{
    const struct known_place one = {place_in(key), clock};
    const struct vclock alone = {.bit = LEAF, .few = 1, .place = {(uint8_t)one.place}, .few_clock = {clock}};
    struct known_place places[2 * VCLOCK_FEW];
    if (!map)
        return few_new(pool, chunk_of(key), &one, 1);
    const uint32_t count = map->few ? merge_few(map, &alone, places) : VCLOCK_FEW + 1;
    if (count <= VCLOCK_FEW)
        return few_new(pool, map->key, places, count);
    struct vclock_leaf *leaf = leaf_new(pool, map->key, map);
    if (!leaf)
        return NULL;
    leaf->clock[one.place] = clock;
    return &leaf->node;
}

struct vclock *vclock_put_in(struct vclock_pool *pool, struct vclock *map, uint64_t key, int32_t clock)
{
    const uint64_t chunk = chunk_of(key);
    if (map && map->bit != LEAF && belongs(map, chunk)) {
        if (goes_high(map, chunk))
            return rebranch(pool, map, vclock_share(low_of(pool, map)),
                            vclock_put_in(pool, high_of(pool, map), key, clock));
        return rebranch(pool, map, vclock_put_in(pool, low_of(pool, map), key, clock),
                        vclock_share(high_of(pool, map)));
    }
    const bool here = map && belongs(map, chunk);
    struct vclock *leaf = leaf_with(pool, here ? map : NULL, key, clock);
    if (!leaf)
        return vclock_share(map);
    return here || !map ? leaf : siblings(pool, vclock_share(map), leaf);
}

static inline struct vclock *put_in_leaf(struct vclock_pool *pool, struct vclock *map, uint64_t key,
                                         int32_t clock)
{
    struct vclock *leaf = leaf_with(pool, map, key, clock);
    return leaf ? leaf : vclock_share(map);
}

/* ---- maps, or what is put off ------------------------------------------------------ */

/* A map for certain. */
static struct vclock *now(struct vclock_pool *pool, struct vclock *map)
{
    return vclock_step_of(map) ? (struct vclock *)vclock_make(pool, map) : map;
}

static struct vclock *join_later(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    return vclock_holds(a, b) ? vclock_share(a) : vclock_put_off(pool, a, b, 0, 0);
}

struct vclock *vclock_join(struct vclock_pool *pool, struct vclock *a, struct vclock *b)
{
    if (!a || !b)
        return vclock_share(a ? a : b);
    if (vclock_holds(a, b) || vclock_holds(b, a)) {
        pool->chained++;
        return vclock_share(vclock_holds(a, b) ? a : b);
    }
    struct vclock *both, *x, *y;
    if (vclock_comes_later(pool, is_put_off(b) ? b : a))
        both = join_later(pool, a, b);
    else
        both = (x = now(pool, a)) && (y = now(pool, b)) ? vclock_join_maps(pool, x, y)
                                                        : vclock_share(x ? x : now(pool, b));
    if (both && !follow(both, b))
        follow(both, a);
    return both;
}

static bool is_leaf(const struct vclock *map)
{
    return map && !vclock_step_of(map) && map->bit == LEAF;
}

struct vclock *vclock_put(struct vclock_pool *pool, struct vclock *map, uint64_t key, uint64_t clock)
{
    pool->failed |= clock > INT32_MAX;
    if (clock > INT32_MAX)
        return vclock_share(map);
    if (!is_leaf(map) && key < KEY_END && vclock_comes_later(pool, map))
        return vclock_put_off(pool, map, NULL, key, (int32_t)clock);
    struct vclock *known = now(pool, map);
    if (vclock_get(pool, known, key) >= clock)
        return vclock_share(map);
    struct vclock *more = is_leaf(known) && known->key == chunk_of(key)
                              ? put_in_leaf(pool, known, key, (int32_t)clock)
                              : vclock_put_in(pool, known, key, (int32_t)clock);
    if (map && more)
        follow(more, map);
    return more;
}

struct vclock *vclock_extend(struct vclock_pool *pool, struct vclock **slot, uint64_t key, uint64_t clock)
{
    struct vclock *map = *slot;
    if (vclock_step_of(map) && clock <= INT32_MAX && key < KEY_END &&
        vclock_set_put(map, key, (int32_t)clock))
        return vclock_share(map);
    struct vclock *more = vclock_put(pool, map, key, clock);
    if (is_put_off(more)) {
        vclock_drop(pool, map);
        *slot = vclock_share(more);
    }
    return more;
}

/* Of one leaf. */
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
    struct vclock *known = vclock_share(map);
    for (uint32_t from = 0, next; from < count; from = next) {
        const uint32_t left = LEAF_KEYS - (uint32_t)((unit + from) % LEAF_KEYS);
        next = count - from < left ? count : from + left;
        struct vclock *leaf = leaf_of(pool, unit + from, clock + from, next - from), *before = known;
        known = vclock_join(pool, before, leaf);
        vclock_drop(pool, before);
        vclock_drop(pool, leaf);
    }
    return known;
}

static uint32_t list_leaf(const struct vclock *leaf, struct known_key *keys, uint32_t count, uint32_t most)
{
    for (uint32_t i = 0; i < (leaf->few ? leaf->few : (uint32_t)LEAF_KEYS); i++) {
        const struct known_place known =
            leaf->few ? few_at(leaf, i) : (struct known_place){i, clocks(leaf)[i]};
        if (!known.clock)
            continue;
        if (count++ == most)
            break;
        keys[count - 1] = (struct known_key){vclock_key(leaf->key, known.place), (uint32_t)known.clock};
    }
    return count;
}

static uint32_t list(const struct vclock_pool *pool, const struct vclock *map, struct known_key *keys,
                     uint32_t count, uint32_t most)
{
    if (count > most)
        return count;
    if (map->bit == LEAF)
        return list_leaf(map, keys, count, most);
    return list(pool, high_of(pool, map), keys, list(pool, low_of(pool, map), keys, count, most), most);
}

uint32_t vclock_list(struct vclock_pool *pool, const struct vclock *map, struct known_key *keys,
                     uint32_t most)
{
    const struct vclock *left = vclock_made(pool, map);
    const uint32_t count = vclock_step_of(left) ? vclock_list_puts(pool, left, keys, most, &left) : 0;
    return left && count <= most ? list(pool, left, keys, count, most) : count;
}
