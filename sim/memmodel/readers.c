/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum { NUMBERS_MOST = READERS_FROM - 1, BLOCKS_TRIED = HOSTILE(16, 2), AGAIN_MOST = 4, ROOM_LEAST = HOSTILE(64, 8), ROOM_SMALL = HOSTILE(4096, 64), GROWN_MOST = 7, GROWTH_SHIFT = 2 };

/* 0: the empty set. */
static uint32_t index_of(const struct readers *readers, uint32_t set)
{
    const uint32_t number = set - READERS_FROM;
    return is_reader_set(set) && number > readers->first && number - readers->first < readers->count ? number - readers->first : 0;
}

static uint32_t set_at(const struct readers *readers, uint32_t index)
{
    return READERS_FROM + readers->first + index;
}

const struct reader_block *readers_block(const struct readers *readers, uint32_t set, uint32_t *out_rest)
{
    const uint32_t index = index_of(readers, set);
    if (!index)
        return NULL;
    const struct reader_block *block = &readers->blocks[index];
    *out_rest = block->before ? set_at(readers, block->before) : 0;
    return block;
}

/* ---- blocks ---------------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint32_t hash_of(const struct reader_block *block)
{
    const uint64_t place = (uint64_t)(uint32_t)block->block << 32 | block->context;
    return (uint32_t)mixed(mixed(mixed(block->mask) + block->before) + place);
}

static uint32_t bucket_of(const struct readers *readers, const struct reader_block *block)
{
    return hash_of(block) & (readers->bucket_count - 1);
}

static bool is_equal(const struct reader_block *a, const struct reader_block *b)
{
    return a->before == b->before && a->block == b->block && a->context == b->context && a->mask == b->mask;
}

/* 0: there is no such one. */
static uint32_t find(const struct readers *readers, const struct reader_block *block)
{
    uint32_t index = readers->buckets[bucket_of(readers, block)];
    while (index && !is_equal(&readers->blocks[index], block))
        index = readers->blocks[index].chained;
    return index;
}

/* There is room. */
static uint32_t take(struct readers *readers, const struct reader_block *block)
{
    uint32_t index = readers->free;
    if (index)
        readers->free = readers->blocks[index].chained;
    else
        index = readers->count++;
    readers->used++;
    readers->blocks[index] = *block;
    return index;
}

static void give_back(struct readers *readers, uint32_t index)
{
    readers->blocks[index].chained = readers->free;
    readers->free = index;
    readers->used--;
}

static void enter(struct readers *readers, uint32_t index)
{
    uint32_t *bucket = &readers->buckets[bucket_of(readers, &readers->blocks[index])];
    readers->blocks[index].chained = *bucket;
    *bucket = index;
}

static uint32_t push(struct readers *readers, const struct reader_block *block)
{
    uint32_t index = find(readers, block);
    if (index)
        return index;
    enter(readers, index = take(readers, block));
    return index;
}

/* ---- the open one ----------------------------------------------------------------- */

/* Of a cell to which several come one after another; nobody else has it yet. */
static uint32_t open_block(struct readers *readers, const struct reader_block *block, uint64_t *slot)
{
    readers->slot = slot;
    return readers->open = take(readers, block);
}

void readers_close(struct readers *readers)
{
    const uint32_t index = readers->open;
    if (!index)
        return;
    readers->open = 0;
    const uint32_t equal = find(readers, &readers->blocks[index]), set = set_at(readers, index);
    if (!equal && stamp_context(*readers->slot) == set) {
        enter(readers, index);
        return;
    }
    if (stamp_context(*readers->slot) == set)
        *readers->slot = stamp(stamp_unit(*readers->slot), set_at(readers, equal));
    give_back(readers, index);
}

/* ---- adding ------------------------------------------------------------------------ */

/* It takes the place of the one that stands behind the `count` latest. */
static uint32_t replace(struct readers *readers, const struct reader_block *block, const uint32_t *above, uint32_t count)
{
    uint32_t index = push(readers, block);
    while (count--) {
        struct reader_block copy = readers->blocks[above[count]];
        copy.before = index;
        index = push(readers, &copy);
    }
    return index;
}

/* Does the unit stand in the set so often that a list which keeps the latest would be shorter? */
static bool comes_again(const struct readers *readers, const struct reader_block *one, bool everywhere)
{
    uint32_t tries = everywhere ? UINT32_MAX : BLOCKS_TRIED, again = 0;
    for (uint32_t index = one->before; index && tries--; index = readers->blocks[index].before)
        again += readers->blocks[index].block == one->block && readers->blocks[index].mask & one->mask;
    return again >= AGAIN_MOST;
}

/* By chance, and all the rarer: sets that have grown have some four times as many blocks as before. */
static bool grows(const struct reader_block *one)
{
    return one->grown < GROWN_MOST && hash_of(one) % ((uint32_t)BLOCKS_TRIED << one->grown * GROWTH_SHIFT) == 0;
}

static bool continues(const struct readers *readers, const uint64_t *slot, const struct reader_block *one)
{
    const struct reader_block *open = &readers->blocks[readers->open];
    return readers->open && readers->slot == slot && stamp_context(*slot) == set_at(readers, readers->open) && open->block == one->block &&
           open->context == one->context;
}

/* With one more; 0: it comes again and again. */
static uint32_t with_one(struct readers *readers, uint32_t whole, struct reader_block *one, uint64_t *lasting)
{
    uint32_t above[BLOCKS_TRIED], count = 0;
    for (uint32_t index = whole; index && count < BLOCKS_TRIED; index = readers->blocks[index].before) {
        const struct reader_block *block = &readers->blocks[index];
        if (block->block == one->block && block->context == one->context) {
            one->mask |= block->mask;
            one->before = block->before;
            one->grown = block->grown;
            return one->mask == block->mask ? whole : count || !lasting ? replace(readers, one, above, count) : open_block(readers, one, lasting);
        }
        above[count++] = index;
    }
    one->before = whole;
    one->grown = whole ? readers->blocks[whole].grown : 0;
    const bool grown = grows(one);
    if (comes_again(readers, one, grown))
        return 0;
    one->grown += grown;
    return lasting ? open_block(readers, one, lasting) : push(readers, one);
}

bool readers_add(struct readers *readers, uint64_t *slot, bool lasting, uint64_t unit, uint32_t context)
{
    const uint64_t base = stamp_unit(*slot);
    const int64_t from_base = (int64_t)(unit - base);
    struct reader_block one = {.block = (int32_t)(from_base >> 6), .context = context, .mask = UINT64_C(1) << (from_base & (READERS_BLOCK - 1))};
    if (continues(readers, slot, &one)) {
        readers->blocks[readers->open].mask |= one.mask;
        return true;
    }
    readers_close(readers);
    const uint32_t before = stamp_context(*slot),
                   whole = is_reader_set(before) ? index_of(readers, before) : push(readers, &(struct reader_block){.context = before, .mask = 1}),
                   index = with_one(readers, whole, &one, lasting ? slot : NULL);
    if (index)
        *slot = stamp(base, set_at(readers, index));
    return index;
}

/* ---- room ------------------------------------------------------------------------- */

bool readers_room(const struct readers *readers)
{
    return readers->room > readers->used + BLOCKS_TRIED + 2;
}

bool readers_sweep_begin(struct readers *readers)
{
    readers_close(readers);
    readers->marks = calloc(readers->room / 64 + 1, sizeof *readers->marks);
    return readers->marks;
}

static bool is_marked(const struct readers *readers, uint32_t index)
{
    return readers->marks[index / 64] >> index % 64 & 1;
}

void readers_mark(struct readers *readers, uint32_t set)
{
    for (uint32_t index = index_of(readers, set); index && !is_marked(readers, index); index = readers->blocks[index].before)
        readers->marks[index / 64] |= UINT64_C(1) << index % 64;
}

/* More of it. */
static bool widen(struct readers *readers)
{
    const uint32_t more = readers->room < ROOM_SMALL ? readers->room : readers->room / 4, room = readers->room ? readers->room + more : ROOM_LEAST;
    const uint32_t bucket_count = 1u << (31 - __builtin_clz(room));
    struct reader_block *blocks = room < NUMBERS_MOST - readers->first ? realloc(readers->blocks, room * sizeof *blocks) : NULL;
    if (!blocks)
        return false;
    readers->blocks = blocks;
    uint32_t *buckets = realloc(readers->buckets, bucket_count * sizeof *buckets);
    if (!buckets)
        return false;
    readers->buckets = buckets;
    readers->bucket_count = bucket_count;
    readers->room = room;
    readers->count = readers->count ? readers->count : 1;
    return true;
}

/* Chains anew; what is not marked is free. */
static void chain(struct readers *readers)
{
    if (readers->bucket_count)
        memset(readers->buckets, 0, readers->bucket_count * sizeof *readers->buckets);
    readers->used = readers->free = 0;
    for (uint32_t i = 1; i < readers->count; i++) {
        struct reader_block *block = &readers->blocks[i];
        uint32_t *head = is_marked(readers, i) ? &readers->buckets[bucket_of(readers, block)] : &readers->free;
        readers->used += head != &readers->free;
        block->chained = *head;
        *head = i;
    }
    free(readers->marks);
    readers->marks = NULL;
}

bool readers_sweep_end(struct readers *readers)
{
    uint32_t marked = 0;
    for (uint32_t i = 1; i < readers->count; i++)
        marked += is_marked(readers, i);
    const bool wide = marked + BLOCKS_TRIED + 3 < readers->room / 4 * 3 || widen(readers);
    chain(readers);
    return wide;
}

bool readers_widen(struct readers *readers)
{
    if (!readers_sweep_begin(readers))
        return false;
    for (uint32_t i = 1; i < readers->count; i++)
        readers->marks[i / 64] |= UINT64_C(1) << i % 64;
    for (uint32_t i = readers->free; i; i = readers->blocks[i].chained)
        readers->marks[i / 64] &= ~(UINT64_C(1) << i % 64);
    const bool wide = widen(readers);
    chain(readers);
    return wide;
}

/* ---- life ------------------------------------------------------------------------- */

void readers_forget(struct readers *readers)
{
    readers->open = 0;
    if (readers->count <= 1)
        return;
    readers->first += readers->count - 1;
    readers->count = 1;
    readers->free = readers->used = 0;
    memset(readers->buckets, 0, readers->bucket_count * sizeof *readers->buckets);
}

void readers_restart(struct readers *readers)
{
    readers_forget(readers);
    readers->first = 0;
}

bool readers_wear(const struct readers *readers)
{
    return readers->first > NUMBERS_MOST / 2;
}

void readers_fini(struct readers *readers)
{
    free(readers->blocks);
    free(readers->buckets);
    *readers = (struct readers){0};
}
