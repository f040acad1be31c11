/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum { NUMBERS_MOST = READERS_FROM - 1, BLOCKS_TRIED = HOSTILE(16, 2), AGAIN_MOST = 4, ROOM_LEAST = HOSTILE(64, 8), ROOM_SMALL = HOSTILE(4096, 64), GROWN_MOST = 7, GROWTH_SHIFT = 2, LISTS_AFTER = HOSTILE(1024, 8) };

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

/* ---- lists ----------------------------------------------------------------------- */

/* Of one unit. */
struct entry { int64_t offset, context; };

static struct entry entry_at(const struct reader_block *list, uint32_t at)
{
    const uint8_t *bytes = list->list.entry[at];
    const int32_t offset = (int32_t)((uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 24) >> 8;
    return (struct entry){offset, (int64_t)list->context + (int16_t)(bytes[3] | bytes[4] << 8)};
}

static bool fits(const struct reader_block *list, struct entry entry)
{
    const int64_t from_context = entry.context - list->context;
    return entry.offset >= -(1 << 23) && entry.offset < 1 << 23 && from_context >= INT16_MIN && from_context <= INT16_MAX;
}

static void list_add(struct reader_block *list, struct entry entry)
{
    uint8_t *bytes = list->list.entry[list->list.count++];
    for (uint32_t i = 0; i < 3; i++)
        bytes[i] = (uint8_t)((uint64_t)entry.offset >> 8 * i);
    for (uint32_t i = 0; i < 2; i++)
        bytes[3 + i] = (uint8_t)((uint64_t)(entry.context - list->context) >> 8 * i);
}

static void list_remove(struct reader_block *list, uint32_t at)
{
    memmove(list->list.entry[at], list->list.entry[at + 1], (size_t)(--list->list.count - at) * sizeof *list->list.entry);
}

static int32_t block_of(struct entry entry) { return (int32_t)(entry.offset >> 6); }
static uint64_t bit_of(struct entry entry) { return UINT64_C(1) << (entry.offset & (READERS_BLOCK - 1)); }

bool readers_has(const struct readers *readers, uint32_t set)
{
    return index_of(readers, set);
}

bool readers_next(const struct readers *readers, struct reader_walk *walk)
{
    for (uint32_t index; (index = index_of(readers, walk->rest)); walk->left = 0) {
        const struct reader_block *block = &readers->blocks[index];
        const uint32_t before = block->before ? set_at(readers, block->before) : 0;
        if (!block->listed) {
            walk->context = block->context;
            walk->block = block->block;
            walk->mask = block->mask;
            walk->rest = before;
            return true;
        }
        if (!walk->left)
            walk->left = block->list.count + 1u;
        if (--walk->left) {
            const struct entry entry = entry_at(block, walk->left - 1);
            walk->context = (uint32_t)entry.context;
            walk->block = block_of(entry);
            walk->mask = bit_of(entry);
            return true;
        }
        walk->rest = before;
    }
    return false;
}

void readers_part(struct readers *readers, uint32_t set)
{
    for (uint32_t index = index_of(readers, set); index; index = readers->blocks[index].before)
        readers->blocks[index].shared = true;
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
    readers->blocks[index].listed = false;
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
    if (index) {
        readers->blocks[index].shared = true;
        return index;
    }
    enter(readers, index = take(readers, block));
    return index;
}

/* Do cells share? */
static void count_block(struct readers *readers, bool had)
{
    *(had ? &readers->met : &readers->alone) += 1;
    if (readers->alone + readers->met < 64 * LISTS_AFTER)
        return;
    readers->alone /= 2;
    readers->met /= 2;
}

static bool few_share(const struct readers *readers)
{
    return readers->alone >= LISTS_AFTER && readers->met < readers->alone / 8;
}

/* Of a cell that passes. */
static uint32_t add_block(struct readers *readers, const struct reader_block *block)
{
    const uint32_t used = readers->used, index = push(readers, block);
    count_block(readers, readers->used == used);
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
    count_block(readers, equal);
    if (!equal && stamp_context(*readers->slot) == set) {
        enter(readers, index);
        return;
    }
    if (stamp_context(*readers->slot) == set && equal) {
        *readers->slot = stamp(stamp_unit(*readers->slot), set_at(readers, equal));
        readers->blocks[equal].shared = true;
    }
    give_back(readers, index);
}

/* ---- adding ------------------------------------------------------------------------ */

/* It takes the place of the one that stands behind the `count` latest. */
static uint32_t replace(struct readers *readers, const struct reader_block *block, const uint32_t *above, uint32_t count)
{
    uint32_t index = push(readers, block);
    while (count--) {
        struct reader_block copy = readers->blocks[above[count]];
        const bool own = copy.listed && !copy.shared;
        copy.before = index;
        copy.shared = false;
        if (own)
            readers->blocks[above[count]] = copy;
        index = own ? above[count] : copy.listed ? take(readers, &copy) : push(readers, &copy);
    }
    return index;
}

/* Some unit of one, whatever it did. */
static bool has(const struct reader_block *block, const struct reader_block *one)
{
    if (!block->listed)
        return block->block == one->block && block->mask & one->mask;
    for (uint32_t i = 0; i < block->list.count; i++)
        if (block_of(entry_at(block, i)) == one->block && bit_of(entry_at(block, i)) & one->mask)
            return true;
    return false;
}

/* Does the unit stand in the set so often that a list which keeps the latest would be shorter? */
static bool comes_again(const struct readers *readers, const struct reader_block *one, bool everywhere)
{
    uint32_t tries = everywhere ? UINT32_MAX : BLOCKS_TRIED, again = 0;
    for (uint32_t index = one->before; index && tries--; index = readers->blocks[index].before)
        again += has(&readers->blocks[index], one);
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

/* Those like it that a list has go with it. */
static void take_neighbours(struct reader_block *list, struct reader_block *one)
{
    for (uint32_t i = list->list.count; i-- > 0;) {
        const struct entry entry = entry_at(list, i);
        if (block_of(entry) != one->block || entry.context != one->context)
            continue;
        one->mask |= bit_of(entry);
        list_remove(list, i);
    }
}

static bool list_has(const struct reader_block *list, struct entry entry)
{
    for (uint32_t i = 0; i < list->list.count; i++)
        if (entry_at(list, i).offset == entry.offset && entry_at(list, i).context == entry.context)
            return true;
    return false;
}

static bool has_several(const struct reader_block *one)
{
    return one->mask & (one->mask - 1);
}

static void leave_chain(struct readers *readers, uint32_t index)
{
    uint32_t *at = &readers->buckets[bucket_of(readers, &readers->blocks[index])];
    while (*at != index)
        at = &readers->blocks[*at].chained;
    *at = readers->blocks[index].chained;
}

/* A single unit besides the first, that only this cell has, becomes the first of a list. */
static bool begin_list(struct readers *readers, uint32_t index, struct entry entry)
{
    struct reader_block *block = &readers->blocks[index];
    if (!few_share(readers) || block->listed || block->shared || !block->before || has_several(block))
        return false;
    const struct entry first = {(int64_t)block->block * READERS_BLOCK + __builtin_ctzll(block->mask), block->context};
    if (!fits(block, first) || !fits(block, entry))
        return false;
    leave_chain(readers, index);
    block->listed = true;
    block->list.count = 0;
    list_add(block, first);
    list_add(block, entry);
    readers->lists++;
    return true;
}

/* Joins a list among the latest blocks, or begins one. False: it does not, with those like it that lists had. */
static bool join_list(struct readers *readers, uint32_t whole, struct reader_block *one, int64_t offset)
{
    const struct entry entry = {offset, one->context};
    struct reader_block *room = NULL;
    uint32_t tries = BLOCKS_TRIED;
    for (uint32_t index = whole; index && tries--; index = readers->blocks[index].before) {
        struct reader_block *block = &readers->blocks[index];
        if (block->listed && !has_several(one) && list_has(block, entry))
            return true;
        if (!block->listed || block->shared)
            continue;
        take_neighbours(block, one);
        if (block->list.count < READERS_LISTED && fits(block, entry))
            room = block;
    }
    if (has_several(one) || !room)
        return !has_several(one) && begin_list(readers, whole, entry);
    list_add(room, entry);
    return true;
}

/* With one more; 0: it comes again and again. */
static uint32_t with_one(struct readers *readers, uint32_t whole, struct reader_block *one, int64_t offset, uint64_t *lasting)
{
    uint32_t above[BLOCKS_TRIED], count = 0;
    for (uint32_t index = whole; index && count < BLOCKS_TRIED; index = readers->blocks[index].before) {
        const struct reader_block *block = &readers->blocks[index];
        if (!block->listed && block->block == one->block && block->context == one->context) {
            one->mask |= block->mask;
            one->before = block->before;
            one->grown = block->grown;
            return one->mask == block->mask ? whole : count || !lasting ? replace(readers, one, above, count) : open_block(readers, one, lasting);
        }
        above[count++] = index;
    }
    if (whole && join_list(readers, whole, one, offset))
        return whole;
    one->before = whole;
    one->grown = whole ? readers->blocks[whole].grown : 0;
    const bool grown = grows(one);
    if (!has_several(one) && comes_again(readers, one, grown))
        return 0;
    one->grown += grown;
    return lasting ? open_block(readers, one, lasting) : add_block(readers, one);
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
                   index = with_one(readers, whole, &one, from_base, lasting ? slot : NULL);
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
        const bool used = is_marked(readers, i);
        readers->used += used;
        if (used && block->listed)
            continue;
        block->listed = false;
        uint32_t *head = used ? &readers->buckets[bucket_of(readers, block)] : &readers->free;
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
