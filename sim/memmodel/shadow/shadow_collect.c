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

/* Without a filter one of several accesses that are alike suffices, and one read: all touched the same
 * bytes. */
static void collect_cell(struct shadow_collection *collection, const uint64_t *cell, uint64_t low,
                         uint64_t high)
{
    const struct shadow_region *region = collection->region;
    struct cell_walk walk = cell_walk(region, region->low + low, cell);
    bool has_read = false;
    if (live(region, cell[0]))
        collect_one(collection, epoch_how(region, cell[0]), epoch_unit(cell[0]), low, high);
    while (shadow_walk_next(&walk)) {
        const bool reads = walk.how.kind == ACCESS_READ && !walk.racer;
        if (collection->filter || !reads || !has_read)
            collect_one(collection, &walk.how, walk.unit, low, high);
        walk.left = collection->filter ? walk.left : 0;
        has_read |= reads;
    }
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
        shadow_page_cell(page, at, cell);
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
