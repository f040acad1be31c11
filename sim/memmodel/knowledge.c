/* SPDX-License-Identifier: Apache-2.0 */
/* Big-endian Patricia tries after Okasaki and Gill, "Fast mergeable integer maps" (1998). */
#include "knowledge.h"

#include <stdlib.h>
#include <string.h>

enum { LEAF = KNOWLEDGE_LEAF, LEAF_BITS = KNOWLEDGE_LEAF_BITS, LEAF_KEYS = KNOWLEDGE_LEAF_KEYS, BLOCK_NODES = HOSTILE(64, 2) };

/* From so many bytes of maps, or pairs of nodes joined, puts and joins are put off. */
enum { BYTES_MOST = HOSTILE(4 << 20, 200), JOINED_MOST = HOSTILE(2 << 20, 100) };
/* So many may wait to be made; be looked through for each that was put off, and besides; be joined for each when all are made. */
enum { WAITING_MOST = HOSTILE(3 << 19, 40), LOOKED_EACH = HOSTILE(16, 3), LOOKED_MOST = HOSTILE(1 << 20, 50), JOINED_EACH = HOSTILE(16, 4) };
/* Maps may take less only if so many wait for each unit. */
enum { WAITING_EACH = HOSTILE(8, 1) };

enum { SMALL, LEAVES, PUT_OFF }; /* small: branches, and leaves of a few */

struct block { struct block *next; size_t size; }; /* nodes of that size follow */

static uint64_t chunk_of(uint64_t key) { return knowledge_chunk(key); }
static uint32_t place_in(uint64_t key) { return knowledge_place(key); }

void knowledge_pool_init(struct knowledge_pool *pool)
{
    *pool = (struct knowledge_pool){.bytes_most = BYTES_MOST, .joined_most = JOINED_MOST, .waiting_most = WAITING_MOST, .looked_most = LOOKED_MOST};
}

void knowledge_pool_fini(struct knowledge_pool *pool)
{
    for (struct block *block = pool->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(pool->work);
    knowledge_pool_init(pool);
}

/* ---- nodes ---------------------------------------------------------------------- */

static size_t size_of(int kind)
{
    return kind == LEAVES ? sizeof(struct knowledge_leaf) : kind == SMALL ? sizeof(struct knowledge) : offsetof(struct knowledge, chain);
}

static void put_back(struct knowledge_pool *pool, int kind, struct knowledge *node)
{
    node->bit = KNOWLEDGE_UNUSED;
    node->next = pool->unused[kind];
    pool->unused[kind] = node;
}

static bool refill(struct knowledge_pool *pool, int kind)
{
    const size_t size = size_of(kind);
    struct block *block = malloc(sizeof *block + BLOCK_NODES * size + sizeof(struct knowledge) - size_of(PUT_OFF)); /* each begins a whole struct */
    if (!block) {
        pool->failed = true;
        return false;
    }
    *block = (struct block){pool->blocks, size};
    pool->blocks = block;
    for (uint32_t i = 0; i < BLOCK_NODES; i++)
        put_back(pool, kind, (void *)((uint8_t *)(block + 1) + i * size));
    return true;
}

static struct knowledge *node_new(struct knowledge_pool *pool, int kind)
{
    if (!pool->unused[kind] && !refill(pool, kind))
        return NULL;
    struct knowledge *node = pool->unused[kind];
    pool->unused[kind] = node->next;
    pool->bytes += size_of(kind);
    node->references = 1;
    node->met = false;
    if (kind == PUT_OFF)
        return node;
    node->chain = ++pool->chains;
    node->length = 0;
    node->followed = false;
    node->few = 0;
    return node;
}

static struct knowledge *leave(struct knowledge *map, struct knowledge *dead)
{
    if (!map || --map->references)
        return dead;
    map->dead = dead;
    return map;
}

/* What is put off may stand on a million others. */
void knowledge_unmake(struct knowledge_pool *pool, struct knowledge *map)
{
    map->dead = NULL;
    while (map) {
        struct knowledge *dead = map->dead;
        const int kind = map->bit > LEAF ? PUT_OFF : map->bit == LEAF && !map->few ? LEAVES : SMALL;
        if (map->bit != LEAF)
            dead = leave(map->high, leave(map->low, dead));
        pool->waiting -= map->bit == KNOWLEDGE_PUT_OFF;
        pool->bytes -= size_of(kind);
        put_back(pool, kind, map);
        map = dead;
    }
}

static const int32_t *ticks(const struct knowledge *leaf) { return ((const struct knowledge_leaf *)leaf)->tick; }

static struct knowledge *few_new(struct knowledge_pool *pool, uint64_t chunk, const struct known_place *places, uint32_t count)
{
    struct knowledge *leaf = node_new(pool, SMALL);
    if (!leaf)
        return NULL;
    leaf->bit = LEAF;
    leaf->key = chunk;
    leaf->few = (uint8_t)count;
    memcpy(leaf->places, places, count * sizeof *places);
    return leaf;
}

/* Like another, or empty. */
static struct knowledge_leaf *leaf_new(struct knowledge_pool *pool, uint64_t chunk, const struct knowledge *like)
{
    struct knowledge_leaf *leaf = (struct knowledge_leaf *)node_new(pool, LEAVES);
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
        leaf->tick[like->places[i].place] = like->places[i].tick;
    return leaf;
}

/* A new map that holds all of an earlier one: it is the next in its chain, unless that has gone on already. */
static bool follow(struct knowledge *map, struct knowledge *earlier)
{
    if (map->references > 1 || map->bit > LEAF || earlier->bit > LEAF || earlier->followed || earlier->length == UINT32_MAX)
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
    struct knowledge *node = low && high ? node_new(pool, SMALL) : NULL;
    if (!node) { /* out of memory: one side is lost */
        struct knowledge *kept = low ? low : high;
        if (low && high)
            knowledge_drop(pool, high);
        return kept;
    }
    node->bit = bit;
    node->key = above(key, bit);
    node->low = low;
    node->high = high;
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

static bool goes_high(const struct knowledge *node, uint64_t key)
{
    return key >> node->bit & 1;
}

/* A branch with other children, or the old one when they are the same; takes the references of both. */
static struct knowledge *rebranch(struct knowledge_pool *pool, struct knowledge *old, struct knowledge *low,
                                  struct knowledge *high)
{
    if (low == old->low && high == old->high) {
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
        const struct known_place *x = i < a->few ? &a->places[i] : NULL, *y = k < b->few ? &b->places[k] : NULL;
        const bool takes_x = x && (!y || x->place <= y->place), takes_y = y && (!x || y->place <= x->place);
        out_places[count] = takes_x && (!takes_y || x->tick >= y->tick) ? *x : *y;
        i += takes_x;
        k += takes_y;
    }
    return count;
}

static bool has_places(const struct knowledge *leaf, const struct known_place *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (knowledge_tick(leaf, places[i].place) < places[i].tick)
            return false;
    return true;
}

/* b has a few. */
static struct knowledge *join_few(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    struct known_place places[2 * KNOWLEDGE_FEW];
    if (has_places(a, b->places, b->few))
        return knowledge_share(a);
    if (a->few) {
        const uint32_t count = merge_few(a, b, places);
        if (has_places(b, places, count))
            return knowledge_share(b);
        struct knowledge *few = count <= KNOWLEDGE_FEW ? few_new(pool, a->key, places, count) : NULL;
        if (few || count <= KNOWLEDGE_FEW)
            return few ? few : knowledge_share(a);
    }
    struct knowledge_leaf *leaf = leaf_new(pool, a->key, a);
    if (!leaf)
        return knowledge_share(a);
    for (uint32_t i = 0; i < b->few; i++)
        if (leaf->tick[b->places[i].place] < b->places[i].tick)
            leaf->tick[b->places[i].place] = b->places[i].tick;
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
        return rebranch(pool, map, knowledge_share(map->low), join_leaf(pool, map->high, one));
    return rebranch(pool, map, join_leaf(pool, map->low, one), knowledge_share(map->high));
}

static struct knowledge *join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b);

/* b belongs wholly to one side of a. */
static struct knowledge *join_below(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    if (goes_high(a, b->key))
        return rebranch(pool, a, knowledge_share(a->low), join(pool, a->high, b));
    return rebranch(pool, a, join(pool, a->low, b), knowledge_share(a->high));
}

static struct knowledge *join(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    pool->joined++;
    if (a == b)
        return knowledge_share(a);
    if (a->bit == LEAF || b->bit == LEAF)
        return a->bit == LEAF ? join_leaf(pool, b, a) : join_leaf(pool, a, b);
    if (a->bit == b->bit && a->key == b->key) {
        struct knowledge *low = join(pool, a->low, b->low), *high = join(pool, a->high, b->high);
        bool as_b = low == b->low && high == b->high;
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
    const struct knowledge alone = {.bit = LEAF, .few = 1, .places = {one}};
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

static struct knowledge *put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, int32_t tick)
{
    const uint64_t chunk = chunk_of(key);
    if (map && map->bit != LEAF && belongs(map, chunk)) {
        if (goes_high(map, chunk))
            return rebranch(pool, map, knowledge_share(map->low), put(pool, map->high, key, tick));
        return rebranch(pool, map, put(pool, map->low, key, tick), knowledge_share(map->high));
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

/* ---- put off ---------------------------------------------------------------------- */

static const uint64_t KEY_END = UINT64_C(1) << 40; /* of those that can be put off */

static bool is_put_off(const struct knowledge *map) { return map && map->bit == KNOWLEDGE_PUT_OFF; }

/* What was made of it, if it was. */
static struct knowledge *map_of(struct knowledge *map)
{
    return map && map->bit == KNOWLEDGE_MADE ? map->low : map;
}

static uint64_t put_key(const struct knowledge *node) { return (uint64_t)node->few << 32 | node->put_key; }

static void set_put(struct knowledge *node, uint64_t key, int32_t tick)
{
    node->few = (uint8_t)(key >> 32);
    node->put_key = (uint32_t)key;
    node->tick = tick;
}

static bool puts_off(const struct knowledge_pool *pool)
{
    return pool->bytes > pool->bytes_most || pool->joined > pool->joined_most;
}

/* tick 0: no key. */
static struct knowledge *put_off(struct knowledge_pool *pool, struct knowledge *low, struct knowledge *high, uint64_t key, int32_t tick)
{
    struct knowledge *node = node_new(pool, PUT_OFF);
    if (!node)
        return knowledge_share(low);
    node->bit = KNOWLEDGE_PUT_OFF;
    set_put(node, key, tick);
    node->low = knowledge_share(map_of(low));
    node->high = knowledge_share(map_of(high));
    pool->put_off++;
    pool->waiting++;
    return node;
}

/* Takes the reference of the map. */
static void becomes(struct knowledge_pool *pool, struct knowledge *node, struct knowledge *map)
{
    struct knowledge *low = node->low, *high = node->high;
    node->bit = KNOWLEDGE_MADE;
    node->low = map;
    node->high = NULL;
    pool->waiting--;
    knowledge_drop(pool, low);
    knowledge_drop(pool, high);
}

static bool work_on(struct knowledge_pool *pool, struct knowledge *node)
{
    if (pool->work_count == pool->work_room) {
        const uint32_t room = pool->work_room ? 2 * pool->work_room : 64;
        struct knowledge **work = realloc(pool->work, room * sizeof *work);
        if (!work) {
            pool->failed = true;
            return false;
        }
        pool->work = work;
        pool->work_room = room;
    }
    pool->work[pool->work_count++] = node;
    return true;
}

/* What stands below becomes work, once. */
static void meet(struct knowledge_pool *pool, struct knowledge **below)
{
    if (*below && (*below)->bit == KNOWLEDGE_MADE) {
        struct knowledge *map = knowledge_share((*below)->low);
        knowledge_drop(pool, *below);
        *below = map;
    }
    if (*below && !(*below)->met)
        (*below)->met = work_on(pool, *below);
}

/* Takes the reference of known. */
static struct knowledge *with(struct knowledge_pool *pool, struct knowledge *known, const struct knowledge *node)
{
    struct knowledge *more = known;
    if (node->bit != KNOWLEDGE_PUT_OFF)
        more = known ? join(pool, known, (struct knowledge *)node) : knowledge_share((struct knowledge *)node);
    else if (node->tick && knowledge_get(pool, known, put_key(node)) < (uint64_t)node->tick)
        more = put(pool, known, put_key(node), node->tick);
    if (more != known || node->bit != KNOWLEDGE_PUT_OFF)
        knowledge_drop(pool, known);
    return more;
}

/* Of all that was put off beneath it: maps first, then what was put. */
static void make(struct knowledge_pool *pool, struct knowledge *node)
{
    struct knowledge *known = NULL;
    pool->work_count = 0;
    node->met = work_on(pool, node);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        if (pool->work[i]->bit != KNOWLEDGE_PUT_OFF)
            continue;
        meet(pool, &pool->work[i]->low);
        meet(pool, &pool->work[i]->high);
    }
    for (uint32_t i = 0; i < pool->work_count; i++)
        if (pool->work[i]->bit != KNOWLEDGE_PUT_OFF)
            known = with(pool, known, pool->work[i]);
    for (uint32_t i = 0; i < pool->work_count; i++) {
        pool->work[i]->met = false;
        if (pool->work[i]->bit == KNOWLEDGE_PUT_OFF)
            known = with(pool, known, pool->work[i]);
    }
    pool->looked += pool->work_count;
    becomes(pool, node, known);
}

/* Those beneath are made. */
static void make_of_two(struct knowledge_pool *pool, struct knowledge *node)
{
    struct knowledge *low = map_of(node->low), *known = knowledge_share(low);
    if (node->high)
        known = with(pool, known, map_of(node->high));
    becomes(pool, node, with(pool, known, node));
}

/* It and each beneath it; false: that takes more. */
static bool make_each(struct knowledge_pool *pool, struct knowledge *node, size_t bytes_most, uint64_t joined_most)
{
    pool->work_count = 0;
    for (bool more = work_on(pool, node); more && pool->work_count;) {
        if (pool->bytes > bytes_most || pool->joined > joined_most)
            return false;
        node = pool->work[pool->work_count - 1];
        if (is_put_off(node->low)) {
            more = work_on(pool, node->low);
        } else if (is_put_off(node->high)) {
            more = work_on(pool, node->high);
        } else {
            pool->work_count--;
            if (is_put_off(node))
                make_of_two(pool, node);
        }
    }
    return true;
}

/* Every map that was put off. False: they take more than that, or more than that many pairs of nodes were joined. */
static bool make_all(struct knowledge_pool *pool, size_t bytes_most, uint64_t joins)
{
    const uint64_t joined_most = pool->joined + joins;
    for (struct block *block = pool->blocks; block; block = block->next) {
        for (uint32_t i = 0; i < BLOCK_NODES && block->size == size_of(PUT_OFF); i++) {
            struct knowledge *node = (void *)((uint8_t *)(block + 1) + i * block->size);
            if (is_put_off(node) && !make_each(pool, node, bytes_most, joined_most))
                return false;
        }
    }
    return true;
}

/* Asking has cost much: for as long, nothing is put off any more, if that may be. */
static void make_at_once(struct knowledge_pool *pool)
{
    if (make_all(pool, 2 * pool->bytes, pool->looked)) {
        pool->bytes_most = 2 * pool->bytes > BYTES_MOST ? 2 * pool->bytes : BYTES_MOST;
        pool->joined_most = pool->joined + pool->looked;
    } else {
        pool->looked_most *= 2;
    }
    pool->looked = pool->put_off = 0;
}

const struct knowledge *knowledge_make(struct knowledge_pool *pool, struct knowledge *map)
{
    if (map->bit != KNOWLEDGE_PUT_OFF)
        return map->low;
    knowledge_share(map);
    make(pool, map);
    if (pool->looked > pool->looked_most + LOOKED_EACH * pool->put_off)
        make_at_once(pool);
    map->references--;
    return map->low;
}

/* So many wait that maps might take less. */
static void make_some(struct knowledge_pool *pool)
{
    const size_t before = pool->bytes;
    make_all(pool, before / 16 * 17, JOINED_EACH * (uint64_t)pool->waiting);
    if (pool->bytes > before / 4 * 3 && pool->waiting_most < UINT32_MAX / 2)
        pool->waiting_most *= 2;
}

/* A map for certain. */
static struct knowledge *now(struct knowledge_pool *pool, struct knowledge *map)
{
    return map && map->bit > LEAF ? (struct knowledge *)knowledge_make(pool, map) : map;
}

static struct knowledge *join_later(struct knowledge_pool *pool, struct knowledge *a, struct knowledge *b)
{
    return knowledge_holds(a, b) ? knowledge_share(a) : put_off(pool, a, b, 0, 0);
}

/* Before one more is put off. */
static bool comes_later(struct knowledge_pool *pool, const struct knowledge *map)
{
    if (!puts_off(pool) && !is_put_off(map))
        return false;
    if (pool->waiting >= pool->waiting_most && pool->waiting / WAITING_EACH >= pool->units)
        make_some(pool);
    return true;
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
    if (comes_later(pool, is_put_off(b) ? b : a))
        both = join_later(pool, a, b);
    else
        both = (x = now(pool, a)) && (y = now(pool, b)) ? join(pool, x, y) : knowledge_share(x ? x : now(pool, b));
    if (!follow(both, b))
        follow(both, a);
    return both;
}

struct knowledge *knowledge_put(struct knowledge_pool *pool, struct knowledge *map, uint64_t key, uint64_t tick)
{
    pool->failed |= tick > INT32_MAX;
    if (tick > INT32_MAX)
        return knowledge_share(map);
    if ((!map || map->bit != LEAF) && key < KEY_END && comes_later(pool, map))
        return put_off(pool, map, NULL, key, (int32_t)tick);
    struct knowledge *known = now(pool, map);
    if (knowledge_get(pool, known, key) >= tick)
        return knowledge_share(map);
    struct knowledge *more = known && known->bit == LEAF && known->key == chunk_of(key) ? put_in_leaf(pool, known, key, (int32_t)tick)
                                                                                       : put(pool, known, key, (int32_t)tick);
    if (map && more)
        follow(more, map);
    return more;
}

struct knowledge *knowledge_extend(struct knowledge_pool *pool, struct knowledge **slot, uint64_t key, uint64_t tick)
{
    struct knowledge *map = *slot;
    if (is_put_off(map) && map->references == 1 && !map->tick && tick <= INT32_MAX && key < KEY_END) {
        set_put(map, key, (int32_t)tick);
        return knowledge_share(map);
    }
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
        const struct known_place known = leaf->few ? leaf->places[i] : (struct known_place){i, ticks(leaf)[i]};
        if (!known.tick)
            continue;
        if (count++ == most)
            break;
        keys[count - 1] = (struct known_key){knowledge_key(leaf->key, known.place), (uint32_t)known.tick};
    }
    return count;
}

static uint32_t list(const struct knowledge *map, struct known_key *keys, uint32_t count, uint32_t most)
{
    if (count > most)
        return count;
    if (map->bit == LEAF)
        return list_leaf(map, keys, count, most);
    return list(map->high, keys, list(map->low, keys, count, most), most);
}

uint32_t knowledge_list(const struct knowledge *map, struct known_key *keys, uint32_t most)
{
    if (map->bit == KNOWLEDGE_MADE)
        map = map->low;
    if (map && map->bit == KNOWLEDGE_PUT_OFF && (map->low || map->high || !most))
        return most + 1;
    if (map && map->bit == KNOWLEDGE_PUT_OFF) {
        keys[0] = (struct known_key){put_key(map), (uint32_t)map->tick};
        return 1;
    }
    return map ? list(map, keys, 0, most) : 0;
}
