/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accesses of a launch, read out of the shadow page by page in ascending order: bytes by use and by
 * instruction, neighbours joined into runs. Pages that this launch did not touch are skipped. Out of memory,
 * all instructions count as one.
 */
#include "shadow_state.h"

/* The bytes of one instruction. Cells come in ascending order, so that adjacent ones extend `run`. */
struct collected {
    struct byte_set bytes;
    struct byte_run run;
};
struct shadow_collection {
    const struct shadow_region *region;
    const struct unit_filter *filter;
    struct footprint_part *part;
    struct collected by[FOOTPRINT_USES][FOOTPRINT_SITES + 1];
};

static void collect_one(struct shadow_collection *collection, const struct access_context *how, uint64_t unit,
                        uint64_t low, uint64_t high)
{
    const struct unit_filter *filter = collection->filter;
    if (filter && !filter->wants(filter->self, unit, how->clock))
        return;
    enum footprint_use use = how->kind == ACCESS_ATOMIC_READ ? FOOTPRINT_ATOMIC_READ
                             : is_atomic(how->kind)          ? FOOTPRINT_ATOMIC
                             : is_write(how->kind)           ? FOOTPRINT_WRITTEN
                                                             : FOOTPRINT_READ;
    struct collected *by =
        &collection->by[use][footprint_sites_add(&collection->part->sites[use], how->site)];
    if (by->run.low < by->run.high && low <= by->run.high) {
        by->run.high = high;
        return;
    }
    byte_set_add(&by->bytes, by->run.low, by->run.high);
    by->run = (struct byte_run){low, high};
}

/* Without a filter one unit suffices: all touched the same bytes by the same instruction. */
static void collect_member(struct shadow_collection *collection, const struct set_member *member,
                           uint64_t low, uint64_t high)
{
    uint64_t rest = member->mask;
    do {
        const uint32_t at = (uint32_t)__builtin_ctzll(rest);
        const struct access_context how = member_how(member, at);
        collect_one(collection, &how, member_unit(member, at), low, high);
        rest &= rest - 1;
    } while (rest && collection->filter);
}

/* As collect_member. */
static void collect_set(struct shadow_collection *collection, uint64_t value, uint64_t low, uint64_t high)
{
    const struct shadow_region *region = collection->region;
    struct reader_walk walk = readers_walk(&region->readers, value);
    while (readers_next(&region->readers, &walk)) {
        for (uint64_t bits = walk.mask; bits; bits = collection->filter ? bits & (bits - 1) : 0) {
            const uint64_t unit = walk.unit + (uint32_t)__builtin_ctzll(bits);
            collect_one(collection, context_at(region, walk.context), unit, low, high);
        }
        /* one reader suffices, but atomics of a set may be loads and updates */
        if (!collection->filter && !is_atomic(context_at(region, walk.context)->kind))
            break;
    }
}

static void collect_cell(struct shadow_collection *collection, const uint64_t *cell, uint64_t low,
                         uint64_t high)
{
    const struct shadow_region *region = collection->region;
    const struct access_set *access_set = access_set_of(region, region->low + low, cell);
    if (live(region, cell[0]))
        collect_one(collection, epoch_how(region, cell[0]), epoch_unit(cell[0]), low, high);
    for (uint32_t i = 0;
         access_set && i < (collection->filter ? access_set->readers.count : access_set->readers.count > 0);
         i++)
        collect_member(collection, &access_set->readers.items[i], low, high);
    for (uint32_t i = 0; access_set && i < access_set->atomics.count; i++) /* loads and others */
        collect_member(collection, &access_set->atomics.items[i], low, high);
    for (uint32_t i = 0; access_set && i < access_set->racer_count; i++)
        collect_one(collection, &access_set->racers[i].how, access_set->racers[i].unit, low, high);
    if (!access_set && live(region, cell[1]))
        collect_one(collection, epoch_how(region, cell[1]), epoch_unit(cell[1]), low, high);
    collect_set(collection, cell[1], low, high);
}

static bool is_page_used(const struct shadow_region *region, uint64_t number)
{
    const struct shadow_page *page = &region->pages[number];
    return page->compact ? compact_is_of(page->compact, region->first) : page->cells != NULL;
}

uint64_t shadow_collected(const struct shadow_region *region)
{
    uint64_t bytes = 0;
    for (uint64_t p = 0; region->touched && region->pages && p < page_count(region); p++)
        bytes += is_page_used(region, p) ? bytes_in(region, p) : 0;
    return bytes;
}

static void collect_page(struct shadow_collection *collection, uint64_t number)
{
    const struct shadow_page *page = &collection->region->pages[number];
    const uint32_t bytes = bytes_in(collection->region, number), step = 1u << page->unit_shift;
    if (!is_page_used(collection->region, number))
        return;
    for (uint32_t at = 0; at < bytes; at += step) {
        const uint64_t low = (number << PAGE_SHIFT) + at;
        uint64_t cell[2];
        for (uint32_t slot = 0; slot < 2; slot++)
            cell[slot] = page->compact ? compact_get(page->compact, at, slot)
                                       : page->cells[at >> page->unit_shift][slot];
        collect_cell(collection, cell, low, low + step);
    }
}

/* Moves what was collected of one use into the part, instruction by instruction if there is memory. */
static void hand_over(struct collected by[FOOTPRINT_SITES + 1], struct footprint_sites *sites,
                      struct byte_set *bytes)
{
    const bool several = footprint_sites_several(sites) && sites->count,
               parted = several && footprint_sites_part(sites, bytes->size);
    for (uint32_t i = 0; i <= FOOTPRINT_SITES; i++) {
        byte_set_add(&by[i].bytes, by[i].run.low, by[i].run.high);
        if (several)
            byte_set_join(bytes, &by[i].bytes);
        else if (i < sites->count)
            byte_set_take(bytes, &by[i].bytes);
        if (parted && i < FOOTPRINT_SITES)
            byte_set_take(&sites->bytes[i], &by[i].bytes);
        byte_set_fini(&by[i].bytes);
    }
}

void shadow_collect(const struct shadow_region *region, const struct unit_filter *filter,
                    struct footprint_part *part)
{
    struct shadow_collection collection = {.region = region, .filter = filter, .part = part};
    for (int use = 0; use < FOOTPRINT_USES; use++)
        for (uint32_t i = 0; i <= FOOTPRINT_SITES; i++)
            byte_set_init(&collection.by[use][i].bytes, region->high - region->low);
    for (uint64_t p = 0; region->touched && region->pages && p < page_count(region); p++)
        collect_page(&collection, p);
    for (int use = 0; use < FOOTPRINT_USES; use++)
        hand_over(collection.by[use], &part->sites[use], &part->bytes[use]);
}
