/* SPDX-License-Identifier: Apache-2.0 */
/* Big-endian Patricia tries after Okasaki and Gill, "Fast mergeable integer maps" (1998). */
#include <string.h>

#include "knowledge_state.h"

enum { LEAF = KNOWLEDGE_LEAF, LEAF_BITS = KNOWLEDGE_LEAF_BITS, LEAF_KEYS = KNOWLEDGE_LEAF_KEYS };

static uint64_t chunk_of(uint64_t key) { return knowledge_chunk(key); }
static uint32_t place_in(uint64_t key) { return knowledge_place(key); }

/* ---- nodes ---------------------------------------------------------------------- */

static const int32_t *ticks(const struct knowledge *leaf) { return ((const struct knowledge_leaf *)leaf)->tick; }

/* Of one of few: no other place of the leaf has a tick. */
struct known_place { uint32_t place; int32_t tick; };

static struct known_place few_at(const struct knowledge *leaf, uint32_t i)
{
    return (struct known_place){leaf->place[i], leaf->few_tick[i]};
}

static void put_few(struct knowledge *leaf, const struct known_place *places, uint32_t count)
{
    leaf->few = count & 3;
    for (uint32_t i = 0; i < count; i++) {
        leaf->place[i] = (uint8_t)places[i].place;
        leaf->few_tick[i] = places[i].tick;
    }
}

static struct knowledge *few_new(struct knowledge_pool *pool, uint64_t chunk, const struct known_place *places, uint32_t count)
{
    struct knowledge *leaf = knowledge_new(pool, SMALL);
    if (!leaf)
        return NULL;
    leaf->bit = LEAF;
    leaf->key = chunk;
    put_few(leaf, places, count);
    return leaf;
}

/* Like another, or empty. */
static struct knowledge_leaf *leaf_new(struct knowledge_pool *pool, uint64_t chunk, const struct knowledge *like)
{
    struct knowledge_leaf *leaf = (struct knowledge_leaf *)knowledge_new(pool, LEAVES);
    if (!leaf)
        return NULL;
    leaf->node.bit = LEAF;
    leaf->node.key = chunk;
    if (like && !like->few) {
        memcpy(leaf->tick, ticks(like), sizeof leaf->tick);
        return leaf;
    }
    memset(leaf->tick, 0, sizeof leaf->tick);
    for (uint32_t i = 0; like && i < like->few; i++)
        leaf->tick[like->place[i]] = like->few_tick[i];
    return leaf;
}

/* A new map that holds all of an earlier one: it is the next in its chain, unless that has gone on already. */
static bool follow(struct knowledge *map, struct knowledge *earlier)
{
    if (knowledge_step_of(map) || knowledge_step_of(earlier) || map->references > 1 || earlier->followed || !earlier->chain || earlier->length == UINT32_MAX)
        return false;
    earlier->followed = true;
    map->chain = earlier->chain;
    map->length = earlier->length + 1;
    return true;
}

static uint64_t above(uint64_t key, uint32_t bit)
{
    return bit == 63 ? 0 : key >> (bit + 1) << (bit + 1);
}

/* Takes the references of low and high. */
static struct knowledge *branch(struct knowledge_pool *pool, uint64_t key, uint32_t bit, struct knowledge *low,
                                struct knowledge *high)
{
    struct knowledge *node = low && high ? knowledge_new(pool, SMALL) : NULL;
    if (!node) { /* out of memory: one side is lost */
        struct knowledge *kept = low ? low : high;
        if (low && high)
            knowledge_drop(pool, high);
        return kept;
    }
    node->bit = bit;
    node->key = above(key, bit);
    node->low = knowledge_handle(low);
    node->high = knowledge_handle(high);
    return node;
}

/* Of two maps without a common key: takes both references. */
static struct knowledge *siblings(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(a->key ^ b->key);
    bool a_low = !(a->key >> bit & 1);
    return branch(pool, a->key, bit, a_low ? a : b, a_low ? b : a);
}

/* ---- maps ------------------------------------------------------------------------- */

static bool belongs(const struct knowledge *node, uint64_t key)
{
    return node->bit == LEAF ? node->key == key : above(key, node->bit) == node->key;
}

static struct knowledge *low_of(const struct knowledge_pool *pool, const struct knowledge *branch) { return knowledge_of_handle(pool, branch->low); }
static struct knowledge *high_of(const struct knowledge_pool *pool, const struct knowledge *branch) { return knowledge_of_handle(pool, branch->high); }

static bool goes_high(const struct knowledge *node, uint64_t key)
{
    return key >> node->bit & 1;
}

/* A branch with other children, or the old one when they are the same; takes the references of both. */
static struct knowledge *rebranch(struct knowledge_pool *pool, struct knowledge *old, struct knowledge *low,
                                  struct knowledge *high)
{
    if (low == low_of(pool, old) && high == high_of(pool, old)) {
        knowledge_drop(pool, low);
        knowledge_drop(pool, high);
        return knowledge_share(old);
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

/* The later tick of each place of two, of whom each has a few. Returns how many there are. */
static uint32_t merge_few(const struct knowledge *a, const struct knowledge *b, struct known_place *out_places)
{
    uint32_t count = 0;
    for (uint32_t i = 0, k = 0; i < a->few || k < b->few; count++) {
        const bool has_x = i < a->few, has_y = k < b->few;
        const struct known_place x = has_x ? few_at(a, i) : few_at(b, k), y = has_y ? few_at(b, k) : x;
        const bool takes_x = has_x && (!has_y || x.place <= y.place), takes_y = has_y && (!has_x || y.place <= x.place);
        out_places[count] = takes_x && (!takes_y || x.tick >= y.tick) ? x : y;
        i += takes_x;
        k += takes_y;
    }
    return count;
}

static bool has_few(const struct knowledge *leaf, const struct knowledge *few)
{
    for (uint32_t i = 0; i < few->few; i++)
        if (knowledge_tick(leaf, few->place[i]) < few->few_tick[i])
            return false;
    return true;
}

/* b has a few. */
static struct knowledge *join_few(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    struct known_place places[2 * KNOWLEDGE_FEW];
    if (has_few(a, b))
        return knowledge_share(a);
    if (a->few) {
        const uint32_t count = merge_few(a, b, places);
        if (has_few(b, a))
            return knowledge_share(b);
        struct knowledge *few = count <= KNOWLEDGE_FEW ? few_new(pool, a->key, places, count) : NULL;
        if (few || count <= KNOWLEDGE_FEW)
            return few ? few : knowledge_share(a);
    }
    struct knowledge_leaf *leaf = leaf_new(pool, a->key, a);
    if (!leaf)
        return knowledge_share(a);
    for (uint32_t i = 0; i < b->few; i++)
        if (leaf->tick[b->place[i]] < b->few_tick[i])
            leaf->tick[b->place[i]] = b->few_tick[i];
    return &leaf->node;
}

/* Of two leaves of one chunk. */
static struct knowledge *join_ticks(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    if (a->few || b->few)
        return b->few ? join_few(pool, a, b) : join_few(pool, b, a);
    const int differ = compare(ticks(a), ticks(b));
    struct knowledge_leaf *leaf = differ == 3 ? leaf_new(pool, a->key, a) : NULL;
    if (!leaf)
        return knowledge_share(differ & 1 ? b : a);
    const int32_t *restrict other = ticks(b);
    int32_t *restrict tick = leaf->tick;
    for (uint32_t i = 0; i < LEAF_KEYS; i++)
        tick[i] = other[i] > tick[i] ? other[i] : tick[i];
    return &leaf->node;
}

static struct knowledge *join_leaf(struct knowledge_pool *pool, struct knowledge *map, struct knowledge *one)
{
    if (!belongs(map, one->key))
        return siblings(pool, knowledge_share(map), knowledge_share(one));
    if (map->bit == LEAF)
        return map == one ? knowledge_share(map) : join_ticks(pool, map, one);
    if (goes_high(map, one->key))
        return rebranch(pool, map, knowledge_share(low_of(pool, map)), join_leaf(pool, high_of(pool, map), one));
    return rebranch(pool, map, join_leaf(pool, low_of(pool, map), one), knowledge_share(high_of(pool, map)));
}

/* b belongs wholly to one side of a. */
static struct knowledge *join_below(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    if (goes_high(a, b->key))
        return rebranch(pool, a, knowledge_share(low_of(pool, a)), knowledge_join_maps(pool, high_of(pool, a), b));
    return rebranch(pool, a, knowledge_join_maps(pool, low_of(pool, a), b), knowledge_share(high_of(pool, a)));
}

struct knowledge *knowledge_join_maps(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    pool->joined++;
    if (a == b)
        return knowledge_share(a);
    if (a->bit == LEAF || b->bit == LEAF)
        return a->bit == LEAF ? join_leaf(pool, b, a) : join_leaf(pool, a, b);
    if (a->bit == b->bit && a->key == b->key) {
        struct knowledge *low = knowledge_join_maps(pool, low_of(pool, a), low_of(pool, b));
        struct knowledge *high = knowledge_join_maps(pool, high_of(pool, a), high_of(pool, b));
        bool as_b = low == low_of(pool, b) && high == high_of(pool, b);
        return rebranch(pool, as_b ? b : a, low, high);
    }
    if (a->bit > b->bit && belongs(a, b->key))
        return join_below(pool, a, b);
    if (b->bit > a->bit && belongs(b, a->key))
        return join_below(pool, b, a);
    return siblings(pool, knowledge_share(a), knowledge_share(b));
}

/* A leaf with one more or another tick; map NULL: that alone. NULL: no memory. */
static inline struct knowledge *leaf_with(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, int32_t tick)
{
    const struct known_place one = {place_in(key), tick};
    const struct knowledge alone = {.bit = LEAF, .few = 1, .place = {(uint8_t)one.place}, .few_tick = {tick}};
    struct known_place places[2 * KNOWLEDGE_FEW];
    if (!map)
        return few_new(pool, chunk_of(key), &one, 1);
    const uint32_t count = map->few ? merge_few(map, &alone, places) : KNOWLEDGE_FEW + 1;
    if (count <= KNOWLEDGE_FEW)
        return few_new(pool, map->key, places, count);
    struct knowledge_leaf *leaf = leaf_new(pool, map->key, map);
    if (!leaf)
        return NULL;
    leaf->tick[one.place] = tick;
    return &leaf->node;
}

struct knowledge *knowledge_put_in(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, int32_t tick)
{
    const uint64_t chunk = chunk_of(key);
    if (map && map->bit != LEAF && belongs(map, chunk)) {
        if (goes_high(map, chunk))
            return rebranch(pool, map, knowledge_share(low_of(pool, map)), knowledge_put_in(pool, high_of(pool, map), key, tick));
        return rebranch(pool, map, knowledge_put_in(pool, low_of(pool, map), key, tick), knowledge_share(high_of(pool, map)));
    }
    const bool here = map && belongs(map, chunk);
    struct knowledge *leaf = leaf_with(pool, here ? map : NULL, key, tick);
    if (!leaf)
        return knowledge_share(map);
    return here || !map ? leaf : siblings(pool, knowledge_share(map), leaf);
}

static inline struct knowledge *put_in_leaf(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, int32_t tick)
{
    struct knowledge *leaf = leaf_with(pool, map, key, tick);
    return leaf ? leaf : knowledge_share(map);
}

/* ---- maps, or what is put off ------------------------------------------------------ */

/* A map for certain. */
static struct knowledge *now(struct knowledge_pool *pool, struct knowledge *map)
{
    return knowledge_step_of(map) ? (struct knowledge *)knowledge_make(pool, map) : map;
}

static struct knowledge *join_later(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    return knowledge_holds(a, b) ? knowledge_share(a) : knowledge_put_off(pool, a, b, 0, 0);
}

struct knowledge *knowledge_join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    if (!a || !b)
        return knowledge_share(a ? a : b);
    if (knowledge_holds(a, b) || knowledge_holds(b, a)) {
        pool->chained++;
        return knowledge_share(knowledge_holds(a, b) ? a : b);
    }
    struct knowledge *both, *x, *y;
    if (knowledge_comes_later(pool, is_put_off(b) ? b : a))
        both = join_later(pool, a, b);
    else
        both = (x = now(pool, a)) && (y = now(pool, b)) ? knowledge_join_maps(pool, x, y) : knowledge_share(x ? x : now(pool, b));
    if (both && !follow(both, b))
        follow(both, a);
    return both;
}

static bool is_leaf(const struct knowledge *map) { return map && !knowledge_step_of(map) && map->bit == LEAF; }

struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick)
{
    pool->failed |= tick > INT32_MAX;
    if (tick > INT32_MAX)
        return knowledge_share(map);
    if (!is_leaf(map) && key < KEY_END && knowledge_comes_later(pool, map))
        return knowledge_put_off(pool, map, NULL, key, (int32_t)tick);
    struct knowledge *known = now(pool, map);
    if (knowledge_get(pool, known, key) >= tick)
        return knowledge_share(map);
    struct knowledge *more = is_leaf(known) && known->key == chunk_of(key) ? put_in_leaf(pool, known, key, (int32_t)tick)
                                                                           : knowledge_put_in(pool, known, key, (int32_t)tick);
    if (map && more)
        follow(more, map);
    return more;
}

struct knowledge *knowledge_extend(struct knowledge_pool *pool, struct knowledge **slot, uint64_t key, uint64_t tick)
{
    struct knowledge *map = *slot;
    if (knowledge_step_of(map) && tick <= INT32_MAX && key < KEY_END && knowledge_set_put(map, key, (int32_t)tick))
        return knowledge_share(map);
    struct knowledge *more = knowledge_put(pool, map, key, tick);
    if (is_put_off(more)) {
        knowledge_drop(pool, map);
        *slot = knowledge_share(more);
    }
    return more;
}

/* Of one leaf. */
static struct knowledge *leaf_of(struct knowledge_pool *pool, uint64_t unit, const uint32_t *tick, uint32_t count)
{
    struct knowledge_leaf *leaf = NULL;
    for (uint32_t i = 0; i < count; i++) {
        pool->failed |= tick[i] > INT32_MAX;
        if (!tick[i] || (!leaf && !(leaf = leaf_new(pool, chunk_of(unit << 2), NULL))))
            continue;
        leaf->tick[place_in((unit + i) << 2)] = (int32_t)tick[i];
    }
    return leaf ? &leaf->node : NULL;
}

struct knowledge *knowledge_put_row(struct knowledge_pool *pool, struct knowledge *map, uint64_t unit, const uint32_t *tick, uint32_t count)
{
    struct knowledge *known = knowledge_share(map);
    for (uint32_t from = 0, next; from < count; from = next) {
        const uint32_t left = LEAF_KEYS - (uint32_t)((unit + from) % LEAF_KEYS);
        next = count - from < left ? count : from + left;
        struct knowledge *leaf = leaf_of(pool, unit + from, tick + from, next - from), *before = known;
        known = knowledge_join(pool, before, leaf);
        knowledge_drop(pool, before);
        knowledge_drop(pool, leaf);
    }
    return known;
}

static uint32_t list_leaf(const struct knowledge *leaf, struct known_key *keys, uint32_t count, uint32_t most)
{
    for (uint32_t i = 0; i < (leaf->few ? leaf->few : (uint32_t)LEAF_KEYS); i++) {
        const struct known_place known = leaf->few ? few_at(leaf, i) : (struct known_place){i, ticks(leaf)[i]};
        if (!known.tick)
            continue;
        if (count++ == most)
            break;
        keys[count - 1] = (struct known_key){knowledge_key(leaf->key, known.place), (uint32_t)known.tick};
    }
    return count;
}

static uint32_t list(const struct knowledge_pool *pool, const struct knowledge *map, struct known_key *keys, uint32_t count, uint32_t most)
{
    if (count > most)
        return count;
    if (map->bit == LEAF)
        return list_leaf(map, keys, count, most);
    return list(pool, high_of(pool, map), keys, list(pool, low_of(pool, map), keys, count, most), most);
}

uint32_t knowledge_list(struct knowledge_pool *pool, const struct knowledge *map, struct known_key *keys, uint32_t most)
{
    const struct knowledge *left = knowledge_made(pool, map);
    const uint32_t count = knowledge_step_of(left) ? knowledge_list_puts(pool, left, keys, most, &left) : 0;
    return left && count <= most ? list(pool, left, keys, count, most) : count;
}
