/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of reading units: interned, packed by the widest field, shared by cells. */
#include "reader_set.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum {
    NUMBERS_MOST = READERS_FROM - 1,
    BLOCKS_TRIED = HOSTILE(16, 2),
    AGAIN_MOST = 4,
    ROOM_LEAST = HOSTILE(64, 8),
    ROOM_SMALL = HOSTILE(4096, 64),
    ROOM_LARGE = HOSTILE(1 << 20, 256),
    GROWN_MOST = 7,
    GROWTH_SHIFT = 2,
    LISTS_AFTER = HOSTILE(1024, 8)
};

/* A list has LIST_BITS for its entries, and their number and width. */
enum {
    COUNT_BITS = 3,
    WIDTH_BITS = 5,
    LIST_BITS = 128 + CONTEXT_BITS - COUNT_BITS - WIDTH_BITS,
    BITS_MOST = 31 + CONTEXT_BITS + 1,
    ORIGINS_MOST = HOSTILE(1 << 24, 1 << 10)
};

/* 0: the empty set. */
static uint32_t index_of(const struct readers *readers, uint32_t set)
{
    const uint32_t number = set - READERS_FROM;
    return is_reader_set(set) && number > readers->first && number - readers->first < readers->count
               ? number - readers->first
               : 0;
}

static uint32_t set_at(const struct readers *readers, uint32_t index)
{
    return READERS_FROM + readers->first + index;
}

/* ---- origins --------------------------------------------------------------------- */

static bool origins_widen(struct readers *readers, uint32_t count)
{
    const uint32_t most = readers->origins.room + readers->origins.room / 4,
                   room = count > most ? count : most;
    uint32_t *first = realloc(readers->origins.first, room * sizeof *first);
    if (!first)
        return false;
    memset(first + readers->origins.room, 0, (room - readers->origins.room) * sizeof *first);
    readers->origins.first = first;
    readers->origins.room = room;
    return true;
}

/* The origin of contexts of the unit and its neighbours: this one, if there was none. False: no memory. */
static bool set_origin(struct readers *readers, uint64_t unit, uint32_t context)
{
    const uint64_t block = unit / READERS_BLOCK;
    if (block >= ORIGINS_MOST ||
        (block >= readers->origins.room && !origins_widen(readers, (uint32_t)block + 1)))
        return false;
    const uint32_t at = (uint32_t)block;
    if (readers->origins.first[at])
        return true;
    readers->origins.first[at] = context + 1;
    readers->origins.low = readers->origins.high && readers->origins.low < at ? readers->origins.low : at;
    readers->origins.high = readers->origins.high > at ? readers->origins.high : at + 1;
    return true;
}

static void origins_forget(struct readers *readers)
{
    if (readers->origins.high)
        memset(readers->origins.first + readers->origins.low, 0,
               (readers->origins.high - readers->origins.low) * sizeof *readers->origins.first);
    readers->origins.low = readers->origins.high = 0;
}

static uint32_t origin_of(const struct readers *readers, uint64_t unit)
{
    return readers->origins.first[unit / READERS_BLOCK] - 1;
}

/* ---- lists ----------------------------------------------------------------------- */

/* Of one unit: how far it is from the base of the cell, and its context from their origin. */
struct entry {
    int64_t unit, context;
};
struct list {
    uint32_t count, width;
    struct entry entry[LIST_MOST];
};

/* Numbers of `bits` bits; an eighth of them are below 0. */
static uint64_t bias(uint32_t bits)
{
    return UINT64_C(1) << bits >> 3;
}
static bool fits(int64_t value, uint32_t bits)
{
    return ((uint64_t)value + bias(bits)) >> bits == 0;
}

static uint32_t bits_of(int64_t value)
{
    uint32_t bits = value < 0 ? 3 : 0;
    for (uint64_t rest = (uint64_t)(value < 0 ? ~value : value); rest; rest >>= 1)
        bits++;
    return fits(value, bits) ? bits : bits + 1;
}

/* For each of so many. */
static uint32_t share(uint32_t count)
{
    return count * BITS_MOST > LIST_BITS ? LIST_BITS / count : BITS_MOST;
}

/* words: those of codes, and the rest */
static uint64_t field(const uint64_t *words, uint32_t from, uint32_t bits)
{
    const uint32_t at = from / 64, shift = from % 64;
    const uint64_t low = words[at] >> shift, high = shift + bits > 64 ? words[at + 1] << (64 - shift) : 0;
    return (low | high) & ((UINT64_C(1) << bits) - 1);
}

static void put_field(uint64_t *words, uint32_t from, uint32_t bits, uint64_t value)
{
    const uint32_t at = from / 64, shift = from % 64;
    words[at] |= value << shift;
    if (shift + bits > 64)
        words[at + 1] |= value >> (64 - shift);
}

static uint32_t list_count(const struct reader_block *block)
{
    return block->context & ((1 << COUNT_BITS) - 1);
}
static uint32_t list_width(const struct reader_block *block)
{
    return block->context >> COUNT_BITS & ((1 << WIDTH_BITS) - 1);
}

static struct entry entry_at(const struct reader_block *block, uint32_t at)
{
    const uint64_t words[] = {block->codes[0], block->codes[1], block->context >> (COUNT_BITS + WIDTH_BITS)};
    const uint32_t bits = share(list_count(block)), width = list_width(block);
    return (struct entry){(int64_t)(field(words, at * bits, width) - bias(width)),
                          (int64_t)(field(words, at * bits + width, bits - width) - bias(bits - width))};
}

static void list_read(const struct reader_block *block, struct list *out)
{
    out->count = list_count(block);
    out->width = list_width(block);
    for (uint32_t i = 0; i < out->count; i++)
        out->entry[i] = entry_at(block, i);
}

static void list_write(struct reader_block *block, const struct list *list)
{
    CHECKED(list->count <= LIST_MOST && list->width <= share(list->count));
    uint64_t words[3] = {0};
    const uint32_t bits = share(list->count), width = list->width;
    for (uint32_t i = 0; i < list->count; i++) {
        put_field(words, i * bits, width, (uint64_t)list->entry[i].unit + bias(width));
        put_field(words, i * bits + width, bits - width,
                  (uint64_t)list->entry[i].context + bias(bits - width));
    }
    block->codes[0] = words[0];
    block->codes[1] = words[1];
    block->context =
        (((uint32_t)words[2] << WIDTH_BITS | width) << COUNT_BITS | list->count) & READER_CONTEXT_MOST;
}

/* False: there is no space, and the list is as before. */
static bool list_add(struct list *list, struct entry entry)
{
    if (list->count == LIST_MOST)
        return false;
    const uint32_t least = bits_of(entry.unit), width = least > list->width ? least : list->width,
                   bits = share(list->count + 1);
    if (width >= 1 << WIDTH_BITS || width > bits || !fits(entry.context, bits - width))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (!fits(list->entry[i].context, bits - width))
            return false;
    list->width = width;
    list->entry[list->count++] = entry;
    return true;
}

static uint32_t context_of(const struct readers *readers, struct entry entry, uint64_t base)
{
    return (uint32_t)(entry.context + origin_of(readers, base + (uint64_t)entry.unit));
}

static int32_t block_of(struct entry entry)
{
    return (int32_t)(entry.unit >> 6);
}
static uint64_t bit_of(struct entry entry)
{
    return UINT64_C(1) << (entry.unit & (READERS_BLOCK - 1));
}

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
            walk->left = list_count(block) + 1;
        if (--walk->left) {
            const struct entry entry = entry_at(block, walk->left - 1);
            walk->block = block_of(entry);
            walk->mask = bit_of(entry);
            walk->context = context_of(readers, entry, walk->base);
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
    CHECKED(index > 0 && index < readers->count && readers->count <= readers->room);
    readers->used++;
    readers->blocks[index] = *block;
    return index;
}

static void give_back(struct readers *readers, uint32_t index)
{
    CHECKED(readers->used > 0 && index != readers->free);
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
    return readers->alone >= LISTS_AFTER && readers->met < readers->alone / 2;
}

/* Of a cell that passes. */
static uint32_t add_block(struct readers *readers, const struct reader_block *block)
{
    const uint32_t used = readers->used, index = push(readers, block);
    count_block(readers, readers->used == used);
    return index;
}

/* ---- the open one ----------------------------------------------------------------- */

/* Of a cell that several units read one after another; no other cell has it yet. */
static uint32_t open_block(struct readers *readers, const struct reader_block *block, uint64_t *slot)
{
    CHECKED(!readers->open);
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
    if (!equal && epoch_context(*readers->slot) == set) {
        enter(readers, index);
        return;
    }
    if (epoch_context(*readers->slot) == set && equal) {
        *readers->slot = epoch(epoch_unit(*readers->slot), set_at(readers, equal));
        readers->blocks[equal].shared = true;
    }
    give_back(readers, index);
}

/* ---- adding ------------------------------------------------------------------------ */

/* It takes the place of the one that stands after the `count` latest. */
static uint32_t replace(struct readers *readers, const struct reader_block *block, const uint32_t *above,
                        uint32_t count)
{
    uint32_t index = push(readers, block);
    while (count--) {
        struct reader_block copy = readers->blocks[above[count]];
        const bool own = copy.listed && !copy.shared;
        copy.before = index & READER_INDEX_MOST;
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
    struct list list;
    list_read(block, &list);
    for (uint32_t i = 0; i < list.count; i++)
        if (block_of(list.entry[i]) == one->block && bit_of(list.entry[i]) & one->mask)
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
    return one->grown < GROWN_MOST &&
           hash_of(one) % ((uint32_t)BLOCKS_TRIED << one->grown * GROWTH_SHIFT) == 0;
}

static bool continues(const struct readers *readers, const uint64_t *slot, const struct reader_block *one)
{
    const struct reader_block *open = &readers->blocks[readers->open];
    return readers->open && readers->slot == slot && epoch_context(*slot) == set_at(readers, readers->open) &&
           open->block == one->block && open->context == one->context;
}

/* Those like it that a list has go with it. */
static bool take_neighbours(const struct readers *readers, struct list *list, struct reader_block *one,
                            uint64_t base)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct entry entry = list->entry[i];
        if (block_of(entry) == one->block && context_of(readers, entry, base) == one->context)
            one->mask |= bit_of(entry);
        else
            list->entry[kept++] = entry;
    }
    const bool took = kept < list->count;
    list->count = kept;
    return took;
}

static bool list_has(const struct list *list, struct entry entry)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entry[i].unit == entry.unit && list->entry[i].context == entry.context)
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
    CHECKED(*at == index);
    *at = readers->blocks[index].chained;
}

/* False: no memory. */
static bool make_entry(struct readers *readers, const struct reader_block *one, uint64_t base,
                       struct entry *out)
{
    const int64_t unit = (int64_t)one->block * READERS_BLOCK + __builtin_ctzll(one->mask);
    if (!set_origin(readers, base + (uint64_t)unit, one->context))
        return false;
    *out = (struct entry){unit, (int64_t)one->context - origin_of(readers, base + (uint64_t)unit)};
    return true;
}

/* A single unit besides the first, that only this cell has, becomes the first of a list. */
static bool begin_list(struct readers *readers, uint32_t index, uint64_t base, struct entry entry)
{
    struct reader_block *block = &readers->blocks[index];
    struct list list = {0};
    struct entry first;
    if (!few_share(readers) || block->listed || block->shared || !block->before || has_several(block))
        return false;
    if (!make_entry(readers, block, base, &first) || !list_add(&list, first) || !list_add(&list, entry))
        return false;
    leave_chain(readers, index);
    block->listed = true;
    list_write(block, &list);
    readers->lists++;
    return true;
}

/* Joins the latest list, if that is among the latest blocks, or begins one. False: it does not, with those
 * like it that lists had. */
static bool join_list(struct readers *readers, uint32_t whole, struct reader_block *one, uint64_t base)
{
    struct list list, joined;
    struct entry entry;
    struct reader_block *latest = NULL;
    bool joins = false;
    if (!(readers->lists || few_share(readers)) || !make_entry(readers, one, base, &entry))
        return false;
    uint32_t tries = BLOCKS_TRIED;
    for (uint32_t index = whole; index && tries--; index = readers->blocks[index].before) {
        struct reader_block *block = &readers->blocks[index];
        if (!block->listed)
            continue;
        list_read(block, &list);
        if (!has_several(one) && list_has(&list, entry))
            return true;
        if (block->shared)
            continue;
        if (take_neighbours(readers, &list, one, base))
            list_write(block, &list);
        if (latest)
            continue;
        latest = block;
        joined = list;
        joins = list_add(&joined, entry);
    }
    if (has_several(one))
        return false;
    if (begin_list(readers, whole, base, entry)) /* the list had no space for those before */
        return true;
    if (joins)
        list_write(latest, &joined);
    return joins;
}

/* With one more; 0: it comes again and again. */
static uint32_t with_one(struct readers *readers, uint32_t whole, struct reader_block *one, uint64_t base,
                         uint64_t *lasting)
{
    uint32_t above[BLOCKS_TRIED], count = 0;
    for (uint32_t index = whole; index && count < BLOCKS_TRIED; index = readers->blocks[index].before) {
        const struct reader_block *block = &readers->blocks[index];
        if (!block->listed && block->block == one->block && block->context == one->context) {
            one->mask |= block->mask;
            one->before = block->before;
            one->grown = block->grown;
            return one->mask == block->mask ? whole
                   : count || !lasting      ? replace(readers, one, above, count)
                                            : open_block(readers, one, lasting);
        }
        above[count++] = index;
    }
    if (whole && join_list(readers, whole, one, base))
        return whole;
    one->before = whole & READER_INDEX_MOST;
    one->grown = whole ? readers->blocks[whole].grown : 0;
    const bool grown = grows(one);
    if (!has_several(one) && comes_again(readers, one, grown))
        return 0;
    one->grown += grown;
    return lasting ? open_block(readers, one, lasting) : add_block(readers, one);
}

bool readers_add(struct readers *readers, uint64_t *slot, bool lasting, uint64_t unit, uint32_t context)
{
    const uint64_t base = epoch_unit(*slot);
    const int64_t from_base = (int64_t)(unit - base);
    struct reader_block one = {.block = (int32_t)(from_base >> 6),
                               .context = context & READER_CONTEXT_MOST,
                               .mask = UINT64_C(1) << (from_base & (READERS_BLOCK - 1))};
    if (continues(readers, slot, &one)) {
        readers->blocks[readers->open].mask |= one.mask;
        return true;
    }
    readers_close(readers);
    const uint32_t before = epoch_context(*slot),
                   whole = is_reader_set(before)
                               ? index_of(readers, before)
                               : push(readers, &(struct reader_block){.context = before & READER_CONTEXT_MOST,
                                                                      .mask = 1}),
                   index = with_one(readers, whole, &one, base, lasting ? slot : NULL);
    if (index)
        *slot = epoch(base, set_at(readers, index));
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
    for (uint32_t index = index_of(readers, set); index && !is_marked(readers, index);
         index = readers->blocks[index].before)
        readers->marks[index / 64] |= UINT64_C(1) << index % 64;
}

/* Those in use, and how many of them are chained by their hash. */
struct counter {
    uint32_t marked, hashed;
};

static struct counter count_marked(const struct readers *readers)
{
    struct counter counter = {0};
    for (uint32_t i = 1; i < readers->count; i++) {
        counter.marked += is_marked(readers, i);
        counter.hashed += is_marked(readers, i) && !readers->blocks[i].listed;
    }
    return counter;
}

static uint32_t wider(uint32_t room)
{
    return !room ? ROOM_LEAST : room + (room < ROOM_SMALL ? room : room < ROOM_LARGE ? room / 4 : room / 8);
}

/* More of it. */
static bool widen(struct readers *readers, uint32_t hashed)
{
    const uint32_t room = wider(readers->room),
                   bucket_count = 1u << (31 - __builtin_clz(hashed + room - readers->room));
    struct reader_block *blocks =
        room < NUMBERS_MOST - readers->first ? realloc(readers->blocks, room * sizeof *blocks) : NULL;
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
    CHECKED(readers->count <= room && (bucket_count & (bucket_count - 1)) == 0);
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
    const struct counter counter = count_marked(readers);
    const bool wide =
        counter.marked + BLOCKS_TRIED + 3 < readers->room / 4 * 3 || widen(readers, counter.hashed);
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
    const bool wide = widen(readers, count_marked(readers).hashed);
    chain(readers);
    return wide;
}

/* ---- life ------------------------------------------------------------------------- */

void readers_forget(struct readers *readers)
{
    readers->open = 0;
    origins_forget(readers);
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
    free(readers->origins.first);
    *readers = (struct readers){0};
}

/* ---- invariants ------------------------------------------------------------------- */

static void check_list(const struct reader_block *block)
{
    CHECKED(list_count(block) <= LIST_MOST);
    CHECKED(!list_count(block) || list_width(block) <= share(list_count(block)));
}

/* Equal blocks are one, so that equal sets are. Returns how many the bucket has. */
static uint32_t check_bucket(const struct readers *readers, uint32_t bucket)
{
    uint32_t count = 0;
    for (uint32_t i = readers->buckets[bucket]; i; i = readers->blocks[i].chained) {
        const struct reader_block *block = &readers->blocks[i];
        CHECKED(i < readers->count && ++count <= readers->used);
        CHECKED(!block->listed && i != readers->open);
        CHECKED(bucket_of(readers, block) == bucket);
        CHECKED(block->mask && block->context < READERS_FROM);
        for (uint32_t k = block->chained; k; k = readers->blocks[k].chained)
            CHECKED(!is_equal(block, &readers->blocks[k]));
    }
    return count;
}

/* The blocks before one end at the empty set: no set stands on itself. */
static void check_chains(const struct readers *readers)
{
    uint32_t *walk = calloc(readers->count + 1, sizeof *walk);
    for (uint32_t i = readers->free; walk && i; i = readers->blocks[i].chained)
        walk[i] = UINT32_MAX;
    for (uint32_t from = 1; walk && from < readers->count; from++) {
        const bool is_free = walk[from] == UINT32_MAX;
        for (uint32_t i = from; i && !walk[i]; i = readers->blocks[i].before) {
            walk[i] = from;
            CHECKED(readers->blocks[i].before < readers->count);
            CHECKED(walk[readers->blocks[i].before] != from);
        }
        if (!is_free && readers->blocks[from].listed)
            check_list(&readers->blocks[from]);
    }
    free(walk);
}

static void check_origins(const struct readers *readers)
{
    CHECKED(readers->origins.low <= readers->origins.high);
    CHECKED(readers->origins.high <= readers->origins.room);
    for (uint32_t i = 0; i < readers->origins.room; i++)
        CHECKED(!readers->origins.first[i] || (readers->origins.low <= i && i < readers->origins.high));
}

void readers_check(const struct readers *readers)
{
    uint32_t unused = 0, listed = 0, hashed = 0;
    const uint32_t taken = readers->count ? readers->count - 1 : 0;
    CHECKED(readers->count <= readers->room + 1 && readers->first + taken <= NUMBERS_MOST);
    CHECKED((readers->bucket_count & (readers->bucket_count - 1)) == 0 && !readers->marks);
    CHECKED(!readers->open || readers->open < readers->count);
    for (uint32_t i = readers->free; i; i = readers->blocks[i].chained)
        CHECKED(i < readers->count && ++unused <= taken);
    for (uint32_t i = 1; i < readers->count; i++)
        listed += readers->blocks[i].listed;
    for (uint32_t b = 0; b < readers->bucket_count; b++)
        hashed += check_bucket(readers, b);
    CHECKED(readers->used + unused == taken);
    CHECKED(hashed + listed + (readers->open != 0) == readers->used);
    check_chains(readers);
    check_origins(readers);
}
