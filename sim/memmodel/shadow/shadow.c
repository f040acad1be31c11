/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shadow's tables, and what happens when an access comes. Pages and sites grow on demand; contexts (site,
 * clock, kind) are interned, so that a cell holds a small number. Forgetting moves `first` past all contexts:
 * older numbers in cells are then stale, and nothing is cleared.
 */
#include "shadow_state.h"
#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

enum { CHECKED_BYTES = 1 << 16 }; /* the cells of larger allocations are not walked */
enum { CONTEXTS_TRIED = HOSTILE(8, 1), CONTEXTS_SMALL = HOSTILE(4096, 8) };

/* ---- allocations ----------------------------------------------------------------------------- */

bool shadow_table_room(struct shadow_region ***regions, uint32_t *room, const struct memory *memory,
                       uint32_t index)
{
    const uint32_t now = memory_region_count(memory), count = now > index ? now : index + 1;
    return index < *room || room_of_zeros((void **)regions, room, count, sizeof **regions);
}

void shadow_region_init(struct shadow_region *region, uint32_t id, uint64_t low, uint64_t high, int space,
                        struct spare *spare)
{
    *region =
        (struct shadow_region){.id = id, .low = low, .high = high, .space = space, .first = 1, .next = 1};
    epoch_filter_init(&region->epoch_filter, low, high - low, spare);
}

void shadow_region_fini(struct shadow_region *region)
{
    for (uint64_t i = 0; region->pages && i < page_count(region); i++)
        shadow_page_free(&region->pages[i]);
    for (uint32_t i = 0; i < region->access_set_count; i++)
        shadow_access_set_free(region->access_sets[i]);
    readers_fini(&region->readers);
    shadow_dropped_forget(region);
    free(region->pages);
    free(region->access_sets);
    free(region->contexts);
    free(region->by_site);
    affine_filter_fini(&region->affine_filter);
    read_only_set_forget(&region->reads);
    epoch_filter_fini(&region->epoch_filter);
    memset(region, 0, sizeof *region);
}

/* Access sets keep their memory for the next launch. */
void shadow_forget(struct shadow_region *region)
{
    if (CHECKS_ON && region->high - region->low <= CHECKED_BYTES)
        shadow_check(region);
    affine_filter_forget(&region->affine_filter);
    epoch_filter_forget(&region->epoch_filter);
    read_only_set_forget(&region->reads);
    region->noted = 0;
    region->thinned = false;
    if (!region->touched)
        return;
    region->first = region->next;
    region->newest = 0;
    region->access_set_used = 0;
    shadow_dropped_forget(region);
    region->touched = region->atomics_overwritten = region->atomic_sets = region->incomplete = false;
    readers_forget(&region->readers);
    if (region->next > CONTEXT_MOST / 2 || readers_wear(&region->readers))
        shadow_clear_cells(region);
    if (region->by_site)
        memset(region->by_site, 0, region->site_count * sizeof *region->by_site);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static bool site_room(struct shadow_region *region, uint32_t site)
{
    return site < region->site_count ||
           room_of_zeros((void **)&region->by_site, &region->site_count, site + 16, sizeof *region->by_site);
}

static bool context_room(struct shadow_region *region)
{
    uint32_t used = region->next - region->first;
    if (used < region->room)
        return region->next < CONTEXT_MOST;
    const uint32_t more = region->room < CONTEXTS_SMALL ? region->room : region->room / 4,
                   room = region->room ? region->room + more : HOSTILE(16, 1);
    struct access_context *contexts = realloc(region->contexts, room * sizeof *contexts);
    if (!contexts)
        return false;
    region->contexts = contexts;
    region->room = room;
    return region->next < CONTEXT_MOST;
}

static inline bool same_context(const struct access_context *a, const struct access_context *b)
{
    return a->clock == b->clock && is_same_operation(a, b);
}

/* The context among the latest CONTEXTS_TRIED: units of several segments may alternate. 0: none. */
static uint32_t recent_context(const struct shadow_region *region, const struct access_context *how)
{
    const uint32_t oldest =
        region->next - region->first > CONTEXTS_TRIED ? region->next - CONTEXTS_TRIED : region->first;
    for (uint32_t i = region->next; i-- > oldest;)
        if (same_context(context_at(region, i), how))
            return i;
    return 0;
}

/* 0: no memory. */
uint32_t shadow_context_of(struct shadow_region *region, const struct access_context *how)
{
    if (!site_room(region, how->site))
        return 0;
    uint32_t latest = region->by_site[how->site];
    if (latest >= region->first && same_context(context_at(region, latest), how))
        return latest;
    if (how->clock <= region->newest && (latest = recent_context(region, how)))
        return region->by_site[how->site] = latest;
    if (!context_room(region))
        return 0;
    region->newest = how->clock > region->newest ? how->clock : region->newest;
    CHECKED(region->next - region->first < region->room && region->next < CONTEXT_MOST);
    region->contexts[region->next - region->first] = *how;
    region->touched = true;
    return region->by_site[how->site] = region->next++;
}

uint32_t shadow_context_new(struct shadow_region *region)
{
    if (!context_room(region))
        return 0;
    region->contexts[region->next - region->first] = (struct access_context){.own = true};
    region->touched = true;
    return region->next++;
}

/* ---- new accesses ---------------------------------------------------------------------------- */
static bool visit_cell(const struct visit *visit, uint64_t *cell)
{
    struct access_set *access_set =
        is_atomic(visit->now->how.kind) ? NULL : access_set_of(visit->region, visit->address, cell);
    return (access_set && shadow_saturated(visit->shadow, visit->region, visit->now, access_set, cell)) ||
           shadow_visit_cell(visit, cell);
}

static bool visit_byte(const struct visit *visit, struct shadow_page *page, uint32_t at)
{
    uint64_t cell[2];
    const uint32_t bytes = bytes_in(visit->region, (visit->address - visit->region->low) >> PAGE_SHIFT);
    shadow_page_cell(page, at, cell);
    if (visit_cell(visit, cell) && shadow_put_byte(page, bytes, at, cell))
        return true;
    compact_put(page->compact, at, 1, 0); /* out of memory: its reader set may have been freed */
    return false;
}

static void visit_all(struct visit *visit)
{
    struct shadow_region *region = visit->region;
    const struct shadow_access *now = visit->now;
    const bool bytes = ((now->address - region->low) | now->how.size) & 3 && RULE(35);
    const uint64_t end =
        now->address + now->how.size < region->high ? now->address + now->how.size : region->high;
    for (uint64_t at = now->address; at < end;) {
        struct shadow_page *page = shadow_page_of(region, at, bytes);
        if (!page) {
            visit->shadow->failed = true;
            return;
        }
        const uint32_t offset = (uint32_t)(at - region->low) & (PAGE_BYTES - 1);
        visit->address = at;
        visit->bytes = 1u << page->unit_shift;
        if (!(page->compact ? visit_byte(visit, page, offset)
                            : visit_cell(visit, page->cells[offset >> page->unit_shift])))
            visit->shadow->failed = true;
        at += visit->bytes;
    }
}

/* Is it worth asking whether all atomics of the word happen before this one? Only if the unit or its group
 * has acquired something. */
static bool may_follow_all(const struct shadow *shadow, const struct shadow_region *region,
                           const struct shadow_access *now)
{
    const struct item_order *item = now->unit_state->item;
    const struct group_order *group = now->unit_state->group;
    const bool acquired = (item && item->acquired[IN_GLOBAL]) || (group && group->acquired[IN_GLOBAL]);
    const bool plain_global = region->space == IN_GLOBAL && !region->svm_atomics && !region->apart;
    if (now->quiet || now->follows || !plain_global || !acquired)
        return false;
    return order_scopes_are_uniform(shadow->order, (enum memory_scope)now->how.scope, now->how.size);
}

static bool follows_all(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    const uint64_t *cell =
        may_follow_all(shadow, region, now) ? word_at(region, now->address, now->how.size) : NULL;
    const struct visit visit = {.shadow = shadow, .region = region, .now = now, .address = now->address};
    if (!cell)
        return false;
    return shadow_follows_all(&visit, cell);
}

static __attribute__((noinline)) void atomic_access(struct shadow *shadow, struct shadow_region *region,
                                                    const struct shadow_access *access)
{
    struct shadow_access now = *access;
    struct visit visit = {.shadow = shadow, .region = region, .now = &now};
    now.follows_all = follows_all(shadow, region, access);
    visit_all(&visit);
}

static __attribute__((noinline)) void plain_access(struct shadow *shadow, struct shadow_region *region,
                                                   const struct shadow_access *now)
{
    struct visit visit = {.shadow = shadow, .region = region, .now = now};
    uint64_t *cell = word_at(region, now->address, now->how.size);
    struct access_set *access_set = cell ? access_set_of(region, now->address, cell) : NULL;
    if (access_set && shadow_saturated(shadow, region, now, access_set, cell))
        return;
    visit.context = shadow_context_of(region, &now->how);
    visit.address = now->address;
    visit.bytes = 1u << WORD_SHIFT;
    if (!visit.context)
        shadow->failed = true;
    else if (cell)
        shadow->failed |= !shadow_visit_cell(&visit, cell);
    else
        visit_all(&visit);
}

void shadow_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    if (__builtin_expect(++region->visits == shadow->note_after, 0))
        shadow->heavy = region;
    if (is_atomic(now->how.kind))
        atomic_access(shadow, region, now);
    else
        plain_access(shadow, region, now);
}
