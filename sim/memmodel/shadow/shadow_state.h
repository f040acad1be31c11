/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of shadow.h share. shadow.c has allocations, contexts and new accesses;
 *          shadow_cells.c compares an access with one cell; shadow_access_set.c has cells with many accesses;
 *          shadow_pages.c the memory of cells; shadow_atomics.c words that have atomics only;
 *          shadow_saturated.c sites whose races were reported often enough; shadow_dropped.c accesses that
 *          raced and were not kept; shadow_values.c says whose value memory has; shadow_collect.c what a
 *          launch touched.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_SHADOW_STATE_H
#define ORRERY_SIM_MEMMODEL_SHADOW_SHADOW_STATE_H

#include "shadow.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"
#include "orrery/rule.h"

enum {
    PAGE_SHIFT = 12,
    PAGE_BYTES = 1 << PAGE_SHIFT,
    WORD_SHIFT = 2,
    CONTEXT_MOST = READERS_FROM - 1,
    BLOCK_UNITS = 64,
    MEMBERS_RECENT = HOSTILE(8, 1)
};

/* Units of one block of 64 that executed the same operation (site, kind, order, scope, size), each with the
 * clock value of its latest execution. */
struct set_member {
    struct access_context how; /* its clock value is that of all units, unless they are apart */
    uint64_t mask;
    uint32_t *each; /* apart: a clock value for each unit of the block; owned, and kept for other members */
    uint32_t block;
    bool apart;
};
/* compact: how many were left when redundant ones were removed last; recent: a hint, by site */
struct members {
    struct set_member *items;
    uint32_t count, room, compact;
    uint16_t recent[MEMBERS_RECENT];
};

/* An access that raced with a later one, which took its place in the cell. It is kept beside it: the next
 * accesses may race with both. */
struct racer {
    uint64_t unit;
    struct access_context how;
};
enum {
    RACERS_MOST = HOSTILE(64, 2),
    RACERS_OF_A_SITE = HOSTILE(8, 2),
    RACERS_SATURATED = 2,
    RACER_CELLS_MOST = HOSTILE(4096, 4)
};

/* The saturated sites of a cell: each pair of them has raced often enough. While only these access the cell,
 * accesses are stored and not compared, but for one in SATURATED_FOR (shadow_saturate). full: enough
 * racers of that site are kept; full_writes and full_reads: of all sites that write, or read. */
enum {
    SATURATED_SITES = 8,
    SATURATED_FOR = HOSTILE(64, 4),
    SATURATE_PAUSE_MOST = HOSTILE(64, 1),
    SATURATED_SAMPLE = HOSTILE(61, 3)
};
struct saturated {
    uint64_t clock_version; /* of the access set: with another version the sites are not saturated any more */
    uint32_t left;          /* accesses until one is compared again */
    uint32_t own;           /* the context of the latest plain write, if that was stored only; 0: none */
    uint32_t count, site[SATURATED_SITES];
    /* Accesses between two attempts to saturate, twice as many after each that fails; those since the last.
     * */
    uint32_t pause, tries;
    bool write[SATURATED_SITES], full[SATURATED_SITES], full_writes, full_reads;
};

/* The accesses of one cell besides the last plain write, if they are many, or plain and atomic ones. */
struct access_set {
    uint64_t clock_version; /* changes with every access but an atomic that is inclusive with all others */
    struct members readers; /* plain */
    struct saturated saturated;
    uint64_t owner; /* the cell's address: after shadow_forget the set may be another cell's */
    /* While clock_version is this, atomics of this group that are inclusive with these race with nothing. */
    uint64_t race_free_version, race_free_group;
    struct members atomics;
    struct shadow_region *region;
    struct racer *racers;
    uint32_t racer_count; /* room for RACERS_MOST, or NULL */
    bool has_object;      /* there may be an atomic object of this launch here */
    bool any_write;       /* some atomic writes */
    bool inclusive;       /* the atomics have this size and scope, and all include each other */
    uint32_t size;
    enum memory_scope scope;
    struct place place; /* the work-group or sub-group of a scope that is narrower than the device */
};

/* ---- epochs ---------------------------------------------------------------------------------- */

/* The pointer is valid until a context is made: at a new access, or when an access set is made or grows. */
static inline const struct access_context *context_at(const struct shadow_region *region, uint32_t context)
{
    return &region->contexts[context - region->first];
}

static inline bool live(const struct shadow_region *region, uint64_t value)
{
    return epoch_context(value) >= region->first && epoch_context(value) <= CONTEXT_MOST;
}

static inline const struct access_context *epoch_how(const struct shadow_region *region, uint64_t value)
{
    return context_at(region, epoch_context(value));
}

static inline struct access_set *access_set_of(const struct shadow_region *region, uint64_t owner,
                                               const uint64_t *cell)
{
    if (epoch_context(cell[1]) != CONTEXT_ACCESS_SET || epoch_unit(cell[1]) >= region->access_set_used)
        return NULL;
    struct access_set *access_set = region->access_sets[epoch_unit(cell[1])];
    return access_set->owner == owner ? access_set : NULL;
}

/* Is the epoch a reader set of this launch? */
static inline bool is_set(const struct shadow_region *region, uint64_t value)
{
    return readers_has(&region->readers, value);
}

static inline bool is_atomic(uint8_t kind)
{
    return kind >= ACCESS_ATOMIC_READ;
}
static inline bool is_write(uint8_t kind)
{
    return kind != ACCESS_READ && kind != ACCESS_ATOMIC_READ;
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* 0: no memory. */
uint32_t shadow_context_of(struct shadow_region *region, const struct access_context *how);
uint32_t shadow_context_new(struct shadow_region *region); /* of nothing yet */

/* ---- lists ----------------------------------------------------------------------------------- */

/* Size, kind, scope and order in one number. */
static inline uint64_t attributes_of(const struct access_context *how)
{
    uint64_t attributes;
    _Static_assert(sizeof *how == offsetof(struct access_context, size) + sizeof attributes, "no padding");
    memcpy(&attributes, &how->size, sizeof attributes);
    return attributes;
}

static inline uint64_t member_unit(const struct set_member *member, uint32_t at)
{
    return (uint64_t)member->block * BLOCK_UNITS + at;
}

static inline uint32_t member_clock(const struct set_member *member, uint32_t at)
{
    return member->apart ? member->each[at] : member->how.clock;
}

/* The access of the unit at that number in the block. */
static inline struct access_context member_how(const struct set_member *member, uint32_t at)
{
    struct access_context how = member->how;
    how.clock = member_clock(member, at);
    return how;
}

/* Equal but for the clock value. */
static inline bool is_same_operation(const struct access_context *a, const struct access_context *b)
{
    return a->site == b->site && attributes_of(a) == attributes_of(b);
}

/* A walk over the accesses of a cell besides the last plain write: a single one, or a reader set with the
 * latest first, or an access set with reads, atomics and racers. */
struct cell_walk {
    const struct shadow_region *region;
    const struct access_set *access_set;
    uint64_t single; /* 0: none is left */
    struct reader_walk readers;
    uint32_t next; /* of the members and racers of the access set */
    /* The accesses that are alike and left: by units first + the number of each bit. each: their clock
     * values; NULL: all have that of `how`. */
    uint64_t first, left;
    const uint32_t *each;
    /* the present access */
    uint64_t unit;
    struct access_context how;
    bool racer;
};

/* Of a second epoch that names no access set. */
static inline struct cell_walk epoch_walk(const struct shadow_region *region, uint64_t value)
{
    return (struct cell_walk){.region = region,
                              .single = live(region, value) ? value : 0,
                              .readers = readers_walk(&region->readers, value)};
}

static inline struct cell_walk cell_walk(const struct shadow_region *region, uint64_t owner,
                                         const uint64_t *cell)
{
    struct cell_walk walk = epoch_walk(region, cell[1]);
    walk.access_set = access_set_of(region, owner, cell);
    return walk;
}

bool shadow_walk_next(struct cell_walk *walk); /* false: there are no more */

/* As member_put, for a member that need not be apart. */
bool shadow_member_put(struct set_member *member, uint32_t at, uint32_t clock);

/* Adds a unit, or renews its clock value. False: no memory. */
static inline bool member_put(struct set_member *member, uint32_t at, uint32_t clock)
{
    if (!member->apart)
        return shadow_member_put(member, at, clock);
    member->each[at] = clock;
    member->mask |= UINT64_C(1) << at;
    return true;
}

static inline void member_begin(struct set_member *member, uint64_t unit, const struct access_context *how)
{
    *member = (struct set_member){.how = *how,
                                  .block = (uint32_t)(unit / BLOCK_UNITS),
                                  .mask = UINT64_C(1) << unit % BLOCK_UNITS,
                                  .each = member->each};
}

/* Each keeps its own `each`. */
static inline void member_swap(struct set_member *a, struct set_member *b)
{
    const struct set_member kept = *a;
    *a = *b;
    *b = kept;
}

/* Can the member hold the unit's access? late: a replayed access, which may be older than the unit's access
 * there and must not replace its clock value. */
static inline bool takes(const struct set_member *member, uint64_t unit, const struct access_context *how,
                         bool late)
{
    if (member->block != unit / BLOCK_UNITS || !is_same_operation(&member->how, how))
        return false;
    return !late || (!member->apart && member->how.clock == how->clock);
}

static inline uint16_t *recent_of(struct members *members, const struct access_context *how)
{
    /* with the kind: failed and successful exchanges of one site are different members */
    return &members->recent[(how->site + how->kind) % MEMBERS_RECENT];
}

/* The member that took the site's latest access, if it takes this one; else NULL. */
static inline struct set_member *recent_member(struct members *members, uint64_t unit,
                                               const struct access_context *how, bool late)
{
    const uint32_t recent = *recent_of(members, how);
    return recent < members->count && takes(&members->items[recent], unit, how, late)
               ? &members->items[recent]
               : NULL;
}

/* False: no memory. */
bool shadow_read_begins(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                        bool late);
bool shadow_atomic_begins(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                          bool late);

static inline bool reader_add(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                              bool late)
{
    struct set_member *member = recent_member(&access_set->readers, unit, how, late);
    return member ? member_put(member, unit % BLOCK_UNITS, how->clock)
                  : shadow_read_begins(access_set, unit, how, late);
}

static inline bool atomic_add(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                              bool late)
{
    struct set_member *member = recent_member(&access_set->atomics, unit, how, late);
    return member ? member_put(member, unit % BLOCK_UNITS, how->clock)
                  : shadow_atomic_begins(access_set, unit, how, late);
}

/* Does the new access make an earlier one, which happens before it, redundant? Lemma: an access that races
 * with the earlier one also races with this one, and is reported with the same sites. A write may replace a
 * failed exchange of its own site. */
static inline bool replaces(const struct shadow_access *now, const struct access_context *how)
{
    if (is_same_operation(how, &now->how))
        return true;
    if (!now->follows_all || !is_write(now->how.kind) || how->kind != ACCESS_ATOMIC_READ)
        return false;
    return how->site == now->how.site && how->size == now->how.size && how->scope == now->how.scope;
}

/* Removes those that the new access replaces among the latest members. */
void shadow_remove_replaced(struct shadow *shadow, struct members *members, const struct shadow_access *now);

static inline bool has_atomics(const struct access_set *access_set)
{
    return access_set->atomics.count;
}

/* Are there accesses besides the atomics and the last plain write? */
static inline bool has_plain(const struct access_set *access_set)
{
    return access_set->readers.count || access_set->racer_count;
}

static inline void begin_inclusive(struct access_set *access_set, const struct access_context *how,
                                   const struct place *place)
{
    access_set->inclusive = true;
    access_set->any_write = false;
    access_set->size = how->size;
    access_set->scope = (enum memory_scope)how->scope;
    access_set->place = *place;
}

void shadow_access_set_free(struct access_set *access_set);
/* A copy for another cell. NULL: no memory. */
struct access_set *shadow_access_set_copy(struct shadow_region *region, const struct access_set *from,
                                          uint64_t owner, uint64_t *cell);
/* Makes racers, if there are none. False: no memory, or too many cells have some. */
bool shadow_racers_make(struct shadow_region *region, struct access_set *access_set);

/* ---- pages ----------------------------------------------------------------------------------- */

static inline uint64_t page_count(const struct shadow_region *region)
{
    return (region->high - region->low + PAGE_BYTES - 1) >> PAGE_SHIFT;
}

/* The bytes of the page that belong to the allocation, rounded up to whole words. */
static inline uint32_t bytes_in(const struct shadow_region *region, uint64_t page)
{
    const uint64_t left = region->high - region->low - (page << PAGE_SHIFT);
    return left < PAGE_BYTES ? (uint32_t)(left + 3) & ~3u : PAGE_BYTES;
}

void shadow_page_free(struct shadow_page *page);
void shadow_clear_cells(struct shadow_region *region);
/* NULL: no memory */
struct shadow_page *shadow_page_of(struct shadow_region *region, uint64_t address, bool bytes);
bool shadow_put_byte(struct shadow_page *page, uint32_t bytes, uint32_t at, const uint64_t cell[2]);

/* The cell of an aligned word. NULL: it has none yet, or one for each byte. */
static inline uint64_t *word_at(const struct shadow_region *region, uint64_t address, uint32_t size)
{
    const uint64_t offset = address - region->low;
    const struct shadow_page *page =
        region->pages && size == 4 && offset % 4 == 0 ? &region->pages[offset >> PAGE_SHIFT] : NULL;
    return page && page->cells && page->unit_shift == WORD_SHIFT
               ? page->cells[(offset & (PAGE_BYTES - 1)) >> WORD_SHIFT]
               : NULL;
}

/* ---- one cell -------------------------------------------------------------------------------- */

/* A new access and one of its cells. */
struct visit {
    struct shadow *shadow;
    struct shadow_region *region;
    const struct shadow_access *now;
    uint32_t context;
    uint64_t address;
    uint32_t bytes;
};

/* The device, for the scopes of atomics there. Where atomics order only units of one kernel instance, or of
 * one with its children (R10, R32), each of these counts as a device of its own. */
static inline uint32_t shadow_place_device(const struct shadow_region *region, const struct order *order,
                                           uint64_t unit)
{
    if (region->alone)
        return order_unit_launch(order, unit);
    return region->apart ? order_unit_tree_root(order, unit) : order_unit_device(order, unit);
}

static inline struct place place_of(const struct visit *visit, uint64_t unit)
{
    const struct order *order = visit->shadow->order;
    return (struct place){order_unit_group(order, unit), order_unit_sub_group(order, unit),
                          shadow_place_device(visit->region, order, unit)};
}

static inline bool is_inclusive_with(const struct shadow_access *access, const struct access_set *access_set)
{
    const struct access_context *now = &access->how;
    if (!access_set->inclusive || access_set->size != now->size ||
        access_set->scope != (enum memory_scope)now->scope)
        return false;
    return scope_inclusive(SCOPE_RULE_EQUAL, access_set->scope, &access_set->place, access_set->scope,
                           &access->unit_state->place);
}

bool shadow_visit_cell(const struct visit *visit, uint64_t *cell); /* false: no memory */
/* Do all atomics of the cell happen before the access? False also if they are many. */
bool shadow_follows_all(const struct visit *visit, const uint64_t *cell);
/* The cell's access set, into which its single access or reader set moves. NULL: no memory. */
struct access_set *shadow_access_set_make(const struct visit *visit, uint64_t *cell);

/* ---- values ---------------------------------------------------------------------------------- */

/* The cell of the address. Returns its size in bytes; 0: there is none yet. */
uint32_t shadow_cell_at(const struct shadow_region *region, uint64_t address, uint64_t out_cell[2]);
/* The cell of a page that has cells, by its first byte. */
void shadow_page_cell(const struct shadow_page *page, uint32_t at, uint64_t out_cell[2]);
/* Is the value that the access read or wrote that of memory before the present event? */
bool shadow_memory_has(const struct visit *visit, uint64_t unit, const struct access_context *how);

/* ---- accesses that are not kept -------------------------------------------------------------- */

void shadow_drop(const struct visit *visit, uint64_t unit, const struct access_context *how);
void shadow_dropped_forget(struct shadow_region *region);
/* Both: of a region that has dropped accesses. */
void shadow_compare_dropped(const struct visit *visit);
bool shadow_has_dropped(const struct shadow_region *region, uint64_t address);

/* ---- saturated sites ------------------------------------------------------------------------- */

/* Makes the sites of the cell saturated, if all their pairs have raced often enough. */
void shadow_saturate(const struct visit *visit, struct access_set *access_set, uint64_t *cell);
/* Stores a plain access without comparing it. False: it must be compared. */
bool shadow_saturated(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now,
                      struct access_set *access_set, uint64_t *cell);

#endif
