/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of an allocation, in pages of 4096 bytes of memory. A page has cells of words until the first
 * access of a part of a word, and then of bytes: compact ones, as long as their epochs fit. */
#include "shadow_state.h"
#include "orrery/checked.h"

void shadow_page_free(struct shadow_page *page)
{
    free(page->cells);
    compact_free(page->compact);
    *page = (struct shadow_page){0};
}

static bool cells_make(struct shadow_page *page, uint32_t bytes, uint32_t shift)
{
    uint64_t(*cells)[2] = calloc(bytes >> shift, sizeof *cells);
    if (!cells)
        return false;
    *page = (struct shadow_page){.unit_shift = shift, .cells = cells};
    return true;
}

static bool compact_make(struct shadow_region *region, struct shadow_page *page, uint32_t bytes)
{
    struct compact *compact = compact_new(bytes);
    if (!compact)
        return false;
    compact_begin(compact, region->first);
    *page = (struct shadow_page){.compact = compact};
    return true;
}

/* Replaces compact cells by full ones. */
static bool widen(struct shadow_page *page, uint32_t bytes)
{
    struct shadow_page wide;
    if (!cells_make(&wide, bytes, 0))
        return false;
    for (uint32_t at = 0; at < bytes; at++)
        shadow_page_cell(page, at, wide.cells[at]);
    shadow_page_free(page);
    *page = wide;
    return true;
}

bool shadow_put_byte(struct shadow_page *page, uint32_t bytes, uint32_t at, const uint64_t cell[2])
{
    /* the second epoch first: if the first one does not fit, the page is widened, and both are stored
     * again */
    if (page->compact && compact_put(page->compact, at, 1, cell[1]) &&
        compact_put(page->compact, at, 0, cell[0]))
        return true;
    if (page->compact && !widen(page, bytes))
        return false;
    memcpy(page->cells[at], cell, sizeof page->cells[at]);
    return true;
}

/* Epochs of earlier launches need no space. */
static void drop_stale(const struct shadow_region *region, uint64_t cell[2])
{
    for (int slot = 0; slot < 2; slot++)
        if (epoch_context(cell[slot]) < region->first ||
            (is_reader_set(epoch_context(cell[slot])) && !is_set(region, cell[slot])))
            cell[slot] = 0;
}

/* Four cells of bytes for each of a word, all with the accesses of the word. */
static bool split_page(struct shadow_region *region, uint64_t number)
{
    struct shadow_page *words = &region->pages[number], pieces;
    CHECKED(words->cells && words->unit_shift == WORD_SHIFT);
    const uint32_t bytes = bytes_in(region, number);
    const uint64_t low = region->low + (number << PAGE_SHIFT);
    bool made = compact_make(region, &pieces, bytes);
    for (uint32_t i = 0; made && i < bytes; i++) {
        uint64_t cell[2];
        shadow_page_cell(words, i, cell);
        struct access_set *access_set = access_set_of(region, low + i / 4 * 4, words->cells[i / 4]);
        if (!access_set && epoch_context(cell[1]) == CONTEXT_ACCESS_SET)
            cell[1] = 0;
        if (access_set) {
            access_set->clock_version = ++region->versions;
            access_set->saturated.own = 0;
        }
        drop_stale(region, cell);
        /* the first byte keeps the word's reader set and access set */
        if (i % 4 != 0)
            made = readers_copy(&region->readers, &cell[1]) &&
                   (!access_set || shadow_access_set_copy(region, access_set, low + i, cell));
        made = made && shadow_put_byte(&pieces, bytes, i, cell);
    }
    if (made)
        shadow_page_free(words);
    else
        shadow_page_free(&pieces);
    if (made)
        *words = pieces;
    return made;
}

struct shadow_page *shadow_page_of(struct shadow_region *region, uint64_t address, bool bytes)
{
    const uint64_t number = (address - region->low) >> PAGE_SHIFT;
    CHECKED(address >= region->low && address < region->high);
    if (!region->pages) {
        region->pages = calloc(page_count(region) + 1, sizeof *region->pages);
        if (!region->pages)
            return NULL;
    }
    struct shadow_page *page = &region->pages[number];
    if (page->compact)
        compact_begin(page->compact, region->first);
    else if (!page->cells && !(bytes ? compact_make(region, page, bytes_in(region, number))
                                     : cells_make(page, bytes_in(region, number), WORD_SHIFT)))
        return NULL;
    if (bytes && page->unit_shift && !split_page(region, number))
        return NULL;
    return page;
}

void shadow_page_cell(const struct shadow_page *page, uint32_t at, uint64_t out_cell[2])
{
    for (uint32_t slot = 0; slot < 2; slot++)
        out_cell[slot] =
            page->compact ? compact_get(page->compact, at, slot) : page->cells[at >> page->unit_shift][slot];
}

uint32_t shadow_cell_at(const struct shadow_region *region, uint64_t address, uint64_t out_cell[2])
{
    const uint64_t offset = address - region->low;
    const struct shadow_page *page = &region->pages[offset / PAGE_BYTES];
    if (!page->compact && !page->cells)
        return 0;
    shadow_page_cell(page, (uint32_t)(offset % PAGE_BYTES), out_cell);
    return 1u << page->unit_shift;
}

void shadow_clear_cells(struct shadow_region *region)
{
    for (uint64_t i = 0; region->pages && i < page_count(region); i++) {
        struct shadow_page *page = &region->pages[i];
        if (page->cells)
            memset(page->cells, 0, ((size_t)bytes_in(region, i) >> page->unit_shift) * sizeof *page->cells);
        if (page->compact)
            compact_begin(page->compact, 0); /* of no launch */
    }
    readers_restart(&region->readers);
    region->first = region->next = 1;
    region->newest = 0;
}
