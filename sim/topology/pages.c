/* SPDX-License-Identifier: Apache-2.0 */
/* First touch of pages: chunks of a table, sorted by address. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "access_lanes.h"
#include "orrery/limits.h"

enum { CHUNK_SHIFT = 21, CHUNK_PAGES = 1 << (CHUNK_SHIFT - PAGE_SHIFT) };
struct chunk {
    uint64_t number;
    uint32_t toucher[CHUNK_PAGES];
}; /* unit + 1; 0: untouched */

struct pages {
    struct chunk **chunks;
    size_t count, room;
};

struct pages *pages_new(void)
{
    return calloc(1, sizeof(struct pages));
}

void pages_free(struct pages *pages)
{
    if (!pages)
        return;
    for (size_t i = 0; i < pages->count; i++)
        free(pages->chunks[i]);
    free(pages->chunks);
    free(pages);
}

/* The index of the first chunk whose number is not below `number`. */
static size_t place_of(const struct pages *pages, uint64_t number)
{
    size_t low = 0, high = pages->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pages->chunks[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct chunk *find(const struct pages *pages, uint64_t address)
{
    size_t at = place_of(pages, address >> CHUNK_SHIFT);
    return at < pages->count && pages->chunks[at]->number == address >> CHUNK_SHIFT ? pages->chunks[at]
                                                                                    : NULL;
}

static bool has_room(struct pages *pages)
{
    if (pages->count < pages->room)
        return true;
    size_t room = pages->room ? pages->room * 2 : HOSTILE(16, 1);
    struct chunk **chunks = realloc(pages->chunks, room * sizeof(struct chunk *));
    if (!chunks)
        return false;
    pages->chunks = chunks;
    pages->room = room;
    return true;
}

static struct chunk *add(struct pages *pages, uint64_t address)
{
    struct chunk *chunk = has_room(pages) ? calloc(1, sizeof *chunk) : NULL;
    if (!chunk)
        return NULL;
    size_t at = place_of(pages, address >> CHUNK_SHIFT);
    chunk->number = address >> CHUNK_SHIFT;
    memmove(&pages->chunks[at + 1], &pages->chunks[at], (pages->count - at) * sizeof(struct chunk *));
    pages->chunks[at] = chunk;
    pages->count++;
    return chunk;
}

static uint32_t page_in_chunk(uint64_t address)
{
    return (uint32_t)(address >> PAGE_SHIFT) % CHUNK_PAGES;
}

static void touch(struct pages *pages, uint64_t address, uint32_t unit)
{
    struct chunk *chunk = find(pages, address);
    if (!chunk)
        chunk = add(pages, address);
    if (chunk && !chunk->toucher[page_in_chunk(address)])
        chunk->toucher[page_in_chunk(address)] = unit + 1;
}

static void touch_range(struct pages *pages, uint64_t address, uint64_t size, uint32_t unit)
{
    uint64_t last = (address + size - 1) >> PAGE_SHIFT;
    for (uint64_t page = address >> PAGE_SHIFT; page <= last; page++)
        touch(pages, page << PAGE_SHIFT, unit);
}

static void on_access(void *self, const struct access_event *event)
{
    for (uint32_t lane = 0; lane < event->lane_count; lane++)
        if (event_has_lane(event, lane) && event->size_bytes)
            touch_range(self, event_address(event, lane), event->size_bytes, event->origin.compute_unit);
}

struct observer pages_observer(struct pages *pages)
{
    return (struct observer){.self = pages, .access = on_access};
}

uint32_t pages_toucher(const struct pages *pages, uint64_t address)
{
    const struct chunk *chunk = find(pages, address);
    uint32_t toucher = chunk ? chunk->toucher[page_in_chunk(address)] : 0;
    return toucher ? toucher - 1 : PAGES_UNTOUCHED;
}

void pages_forget(struct pages *pages, uint64_t address, uint64_t size)
{
    uint64_t last = (address + size - 1) >> PAGE_SHIFT;
    for (uint64_t page = address >> PAGE_SHIFT; size && page <= last; page++) {
        struct chunk *chunk = find(pages, page << PAGE_SHIFT);
        if (chunk)
            chunk->toucher[page % CHUNK_PAGES] = 0;
    }
}
