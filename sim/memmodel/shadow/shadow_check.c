/* SPDX-License-Identifier: Apache-2.0 */
/* Every invariant of an allocation's shadow: contexts, pages, access sets. */
#include "shadow_state.h"
#include "orrery/checked.h"

/* ---- contexts -------------------------------------------------------------------------------- */

static void check_contexts(const struct shadow_region *region)
{
    CHECKED(region->first > 0 && region->first <= region->next && region->next <= CONTEXT_MOST);
    CHECKED(region->next - region->first <= region->room);
    for (uint32_t i = region->first; i < region->next; i++) {
        const struct access_context *how = context_at(region, i);
        CHECKED(how->kind <= ACCESS_ATOMIC_UPDATE && how->scope <= SCOPE_ALL_SVM);
        CHECKED(how->own || (how->size > 0 && how->clock <= region->newest));
    }
    for (uint32_t site = 0; site < region->site_count; site++) {
        const uint32_t latest = region->by_site[site];
        CHECKED(latest < region->next);
        CHECKED(latest < region->first || context_at(region, latest)->site == site);
    }
}

/* ---- access sets ----------------------------------------------------------------------------- */

static void check_member(const struct set_member *member, bool atomics)
{
    CHECKED(member->mask);
    CHECKED(!member->apart || member->each);
    CHECKED(is_atomic(member->how.kind) == atomics);
    CHECKED(atomics || member->how.kind == ACCESS_READ);
}

static void check_members(const struct members *members, bool atomics)
{
    CHECKED(members->count <= members->room && members->compact <= members->room);
    for (uint32_t i = 0; i < members->count; i++)
        check_member(&members->items[i], atomics);
}

static void check_saturated(const struct shadow_region *region, const struct access_set *access_set)
{
    const struct saturated *saturated = &access_set->saturated;
    CHECKED(saturated->count <= SATURATED_SITES && saturated->left <= SATURATED_FOR * SATURATE_PAUSE_MOST);
    CHECKED(saturated->clock_version <= access_set->clock_version);
    CHECKED(!saturated->own || (saturated->own >= region->first && saturated->own < region->next));
    CHECKED(!saturated->own || context_at(region, saturated->own)->own);
}

static void check_alike(const struct access_set *access_set)
{
    for (uint32_t i = 0; access_set->inclusive && i < access_set->atomics.count; i++) {
        const struct access_context *how = &access_set->atomics.items[i].how;
        CHECKED(how->size == access_set->size && how->scope == (uint8_t)access_set->scope);
        CHECKED(!is_write(how->kind) || access_set->any_write);
    }
}

static void check_access_set(const struct shadow_region *region, const struct access_set *access_set)
{
    CHECKED(access_set->region == region);
    CHECKED(region->low <= access_set->owner && access_set->owner < region->high);
    CHECKED(access_set->clock_version > 0 && access_set->clock_version <= region->versions);
    CHECKED(access_set->racer_count <= RACERS_MOST && (!access_set->racer_count || access_set->racers));
    check_members(&access_set->readers, false);
    check_members(&access_set->atomics, true);
    check_saturated(region, access_set);
    check_alike(access_set);
}

static void check_access_sets(const struct shadow_region *region)
{
    uint32_t with_racers = 0;
    CHECKED(region->access_set_used <= region->access_set_count);
    CHECKED(region->access_set_count <= region->access_set_room);
    for (uint32_t i = 0; i < region->access_set_used; i++)
        check_access_set(region, region->access_sets[i]);
    for (uint32_t i = 0; i < region->access_set_count; i++)
        with_racers += region->access_sets[i]->racers != NULL;
    CHECKED(with_racers == region->racer_cells && region->racer_cells <= RACER_CELLS_MOST);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* What a cell has of this launch was numbered in it. */
static void check_cell(const struct shadow_region *region, const uint64_t cell[2])
{
    const uint32_t write = epoch_context(cell[0]), other = epoch_context(cell[1]);
    CHECKED(write < region->next);
    CHECKED(other < region->next || other >= READERS_FROM);
    CHECKED(!write || write < region->first || context_at(region, write)->kind == ACCESS_WRITE);
    if (live(region, cell[1])) {
        const struct access_context *how = context_at(region, other);
        CHECKED(how->kind != ACCESS_WRITE);
    }
}

static void check_page(const struct shadow_region *region, const struct shadow_page *page, uint64_t number)
{
    const uint32_t bytes = bytes_in(region, number), step = 1u << page->unit_shift;
    CHECKED(!page->cells || !page->compact);
    CHECKED(page->unit_shift == 0 || page->unit_shift == WORD_SHIFT);
    CHECKED(!page->compact || !page->unit_shift);
    if (page->compact ? !compact_is_of(page->compact, region->first) : !page->cells)
        return;
    for (uint32_t at = 0; at < bytes; at += step) {
        uint64_t cell[2];
        shadow_page_cell(page, at, cell);
        check_cell(region, cell);
    }
}

void shadow_check(const struct shadow_region *region)
{
    CHECKED(region->low <= region->high);
    CHECKED(region->space >= 0 && region->space < ORDER_REGIONS);
    check_contexts(region);
    check_access_sets(region);
    for (uint64_t i = 0; region->pages && i < page_count(region); i++)
        check_page(region, &region->pages[i], i);
    readers_check(&region->readers);
}
