/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of shadow.h share: shadow.c has allocations, contexts and the accesses that come;
 *          shadow_cells.c judges them in one cell; shadow_dropped.c what raced and was not kept;
 *          shadow_saturated.c has cells whose races were reported often enough; shadow_access_set.c lists of
 *          readers and atomics; shadow_pages.c the cells; shadow_atomics.c words that have atomics only;
 *          shadow_values.c whose value memory still has; shadow_collect.c what a launch touched.
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

/* Units of one block that did one sort of thing at one place of the program, each when it did so last. */
struct member {
    struct context how; /* clock value: of all of them, unless they are apart */
    uint64_t mask;
    /* clock values, one per unit of the block; stays where it is while other members come and go */
    uint32_t *each;
    uint32_t block;
    bool apart;
};
/* compact: so many were left when it was compacted last; recent: by place of the program */
struct members {
    struct member *items;
    uint32_t count, room, compact;
    uint16_t recent[MEMBERS_RECENT];
};

/* An access that raced with a later one, which took its place: what comes after may race with it, too. */
struct racer {
    uint64_t unit;
    struct context how;
};
enum {
    RACERS_MOST = HOSTILE(64, 2),
    RACERS_OF_A_SITE = HOSTILE(8, 2),
    RACERS_SATURATED = 2,
    RACER_CELLS_MOST = HOSTILE(4096, 4)
};

/* Places of the program, each of which raced with each often enough: their accesses are noted down and not
 * judged, but for one now and then, while there are no others (see shadow_settle). full: the cell has some
 * racers of that place, and needs no more; of all places that write, or read. */
enum {
    SATURATED_SITES = 8,
    SATURATED_NONE = UINT32_MAX,
    SATURATED_FOR = HOSTILE(64, 4),
    SETTLE_PAUSE_MOST = HOSTILE(64, 1),
    SATURATED_SAMPLE = HOSTILE(61, 3)
};
struct saturated {
    uint64_t clock_version;
    uint32_t left;
    /* of these, the position that the latest write may take without a report of a new one; SATURATED_NONE:
     * none */
    uint32_t load, store;
    uint32_t own; /* a context of the latest plain write, if it was settled; 0: none */
    uint32_t count, site[SATURATED_SITES];
    /* so many accesses come between two attempts, which are more after each that fails; of the present
     * pause */
    uint32_t pause, tries;
    bool write[SATURATED_SITES], full[SATURATED_SITES], full_writes, full_reads;
};

/* The part of one cell besides the last plain write. */
struct access_set {
    /* a new number whenever more than an atomic like the others comes or goes */
    uint64_t clock_version;
    struct members readers;     /* plain */
    struct saturated saturated; /* in its epoch, in which nothing else comes */
    uint64_t owner;             /* address of the cell; lists of forgotten cells serve others */
    /* in that epoch atomics like these, of that group, race with nothing */
    uint64_t race_free_version, race_free_group;
    struct members atomics;
    struct shadow_region *region;
    struct racer *racers;
    uint32_t racer_count; /* room for RACERS_MOST, or NULL */
    bool has_object;      /* there may be an atomic object of this launch here */
    /* of the atomics, while they are all alike */
    bool alike, any_write;
    uint32_t size;
    enum memory_scope scope;
    struct place place; /* the instance of a narrower scope */
};

/* ---- epochs ---------------------------------------------------------------------------------- */

/* It may move when a context is made: when an access comes, and when a list is made or grows. */
static inline const struct context *context_at(const struct shadow_region *region, uint32_t context)
{
    return &region->contexts[context - region->first];
}

static inline bool live(const struct shadow_region *region, uint64_t value)
{
    return epoch_context(value) >= region->first && epoch_context(value) <= CONTEXT_MOST;
}

static inline const struct context *epoch_how(const struct shadow_region *region, uint64_t value)
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

/* Does a set stand there? */
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
uint32_t shadow_context_of(struct shadow_region *region, const struct context *how);
uint32_t shadow_context_new(struct shadow_region *region); /* of nothing yet */

/* ---- lists ----------------------------------------------------------------------------------- */

/* Atomics of one sort conflict with the same others, whoever did them and when. */
static inline uint32_t sort_of(const struct context *how)
{
    return how->kind | (uint32_t)how->scope << 4 | how->size << 8;
}

/* Size, kind, scope and order. */
static inline uint64_t manner_of(const struct context *how)
{
    uint64_t manner;
    _Static_assert(sizeof *how == offsetof(struct context, size) + sizeof manner, "no padding");
    memcpy(&manner, &how->size, sizeof manner);
    return manner;
}

static inline uint64_t member_unit(const struct member *member, uint32_t at)
{
    return (uint64_t)member->block * BLOCK_UNITS + at;
}

static inline uint32_t member_clock(const struct member *member, uint32_t at)
{
    return member->apart ? member->each[at] : member->how.clock;
}

/* Of its unit at that place. */
static inline struct context member_how(const struct member *member, uint32_t at)
{
    struct context how = member->how;
    how.clock = member_clock(member, at);
    return how;
}

/* But for the clock value. */
static inline bool is_alike(const struct context *a, const struct context *b)
{
    return a->site == b->site && manner_of(a) == manner_of(b);
}

bool shadow_member_put(struct member *member, uint32_t at, uint32_t clock); /* they need not be apart */

/* False: no memory. */
static inline bool member_put(struct member *member, uint32_t at, uint32_t clock)
{
    if (!member->apart)
        return shadow_member_put(member, at, clock);
    member->each[at] = clock;
    member->mask |= UINT64_C(1) << at;
    return true;
}

static inline void member_begin(struct member *member, uint64_t unit, const struct context *how)
{
    *member = (struct member){.how = *how,
                              .block = (uint32_t)(unit / BLOCK_UNITS),
                              .mask = UINT64_C(1) << unit % BLOCK_UNITS,
                              .each = member->each};
}

/* Members change places with what each of them owns. */
static inline void member_swap(struct member *a, struct member *b)
{
    const struct member kept = *a;
    *a = *b;
    *b = kept;
}

/* The accesses of one unit. Operations that arrive late may be older than those there, and change none. */
static inline bool takes(const struct member *member, uint64_t unit, const struct context *how, bool late)
{
    return member->block == unit / BLOCK_UNITS && is_alike(&member->how, how) &&
           (!late || (!member->apart && member->how.clock == how->clock));
}

static inline uint16_t *recent_of(struct members *members, const struct context *how)
{
    return &members->recent[(how->site + how->kind) % MEMBERS_RECENT]; /* an exchange may have failed */
}

/* The member that took one like it of late, if it takes this one. */
static inline struct member *recent_member(struct members *members, uint64_t unit, const struct context *how,
                                           bool late)
{
    const uint32_t recent = *recent_of(members, how);
    return recent < members->count && takes(&members->items[recent], unit, how, late)
               ? &members->items[recent]
               : NULL;
}

/* False: no memory. */
bool shadow_read_begins(struct access_set *access_set, uint64_t unit, const struct context *how, bool late);
bool shadow_atomic_begins(struct access_set *access_set, uint64_t unit, const struct context *how, bool late);

static inline bool reader_add(struct access_set *access_set, uint64_t unit, const struct context *how,
                              bool late)
{
    struct member *member = recent_member(&access_set->readers, unit, how, late);
    return member ? member_put(member, unit % BLOCK_UNITS, how->clock)
                  : shadow_read_begins(access_set, unit, how, late);
}

static inline bool add_alike(struct access_set *access_set, uint64_t unit, const struct context *how,
                             bool late)
{
    struct member *member = recent_member(&access_set->atomics, unit, how, late);
    return member ? member_put(member, unit % BLOCK_UNITS, how->clock)
                  : shadow_atomic_begins(access_set, unit, how, late);
}

/* Of one that happens before it: an access that races with that races with this, and gets the same places in
 * its report. */
static inline bool stands_for(const struct shadow_access *now, const struct context *how)
{
    return is_alike(how, &now->how) ||
           (now->follows_all && is_write(now->how.kind) && how->kind == ACCESS_ATOMIC_READ &&
            how->site == now->how.site && how->size == now->how.size && how->scope == now->how.scope);
}

/* those it stands for go, as far as they are found soon */
void shadow_leave_alike(struct shadow *shadow, struct members *members, const struct shadow_access *now);

static inline bool has_atomics(const struct access_set *access_set)
{
    return access_set->atomics.count;
}

static inline void begin_alike(struct access_set *access_set, const struct context *how,
                               const struct place *place)
{
    access_set->alike = true;
    access_set->any_write = false;
    access_set->size = how->size;
    access_set->scope = (enum memory_scope)how->scope;
    access_set->place = *place;
}

void shadow_access_set_free(struct access_set *access_set);
/* The cell's set becomes the copy's, which belongs to another cell. NULL: no memory. */
struct access_set *shadow_access_set_copy(struct shadow_region *region, const struct access_set *from,
                                          uint64_t owner, uint64_t *cell);
/* false: there is no space for any */
bool shadow_racers_make(struct shadow_region *region, struct access_set *access_set);

/* ---- pages ----------------------------------------------------------------------------------- */

static inline uint64_t page_count(const struct shadow_region *region)
{
    return (region->high - region->low + PAGE_BYTES - 1) >> PAGE_SHIFT;
}

/* Those of the page that lie in the allocation, in whole words. */
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

/* The cell of an aligned word; NULL: it has none, or one for each byte. */
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

/* One cell under way. */
struct visit {
    struct shadow *shadow;
    struct shadow_region *region;
    const struct shadow_access *now;
    uint32_t context;
    uint64_t address;
    uint32_t bytes;
    bool by_units;         /* the unit's clock of others is the same for each of them */
    uint64_t first, items; /* of its group */
    uint64_t base;
    struct vclock_pool *pool;
    struct vclock *of_group, *own;
};

static inline void begin_visit(struct visit *visit, struct shadow *shadow, struct shadow_region *region,
                               const struct shadow_access *now)
{
    const struct order *order = shadow->order;
    const struct unit_state *unit_state = now->unit_state;
    const struct group_order *group = unit_state->group;
    *visit = (struct visit){.shadow = shadow,
                            .region = region,
                            .now = now,
                            .items = order->group_items,
                            .by_units = RULE(1) && group && !group->handoff && !order->group_keys &&
                                        !order->sub_group_keys && !group->sub_groups && !unit_state->copy};
    if (!visit->by_units)
        return;
    visit->first = group->number * order->group_items;
    visit->base = group->base[region->space];
    visit->pool = order_pool(order);
    visit->of_group = group->acquired[region->space];
    visit->own = unit_state->item ? unit_state->item->acquired[region->space] : NULL;
}

/* If atomics are those of one kernel, and of those that it enqueues, its device is its own only (R10,
 * R32). */
/* Within which an atomic operation there is for other units. */
static inline uint32_t shadow_place_device(const struct shadow_region *region, const struct order *order,
                                           uint64_t unit)
{
    if (region->alone)
        return order_unit_launch(order, unit);
    return region->apart ? order_unit_family(order, unit) : order_unit_device(order, unit);
}

static inline struct place place_of(const struct visit *visit, uint64_t unit)
{
    const struct order *order = visit->shadow->order;
    return (struct place){order_unit_group(order, unit), order_unit_sub_group(order, unit),
                          shadow_place_device(visit->region, order, unit)};
}

static inline bool joins_alike(const struct shadow_access *access, const struct access_set *access_set)
{
    const struct context *now = &access->how;
    if (!access_set->alike || access_set->size != now->size ||
        access_set->scope != (enum memory_scope)now->scope)
        return false;
    return scope_inclusive(SCOPE_RULE_EQUAL, access_set->scope, &access_set->place, access_set->scope,
                           &access->unit_state->place);
}

bool shadow_visit_cell(const struct visit *visit, uint64_t *cell); /* false: no memory */
/* they are few, and the cell's atomics happen before the unit's access */
bool shadow_follows_all(const struct visit *visit, const uint64_t *cell);
struct access_set *shadow_access_set_make(const struct visit *visit, uint64_t *cell);

/* ---- values ---------------------------------------------------------------------------------- */

/* The accesses there, and of how many bytes: 0: none yet. */
uint32_t shadow_cell_at(const struct shadow_region *region, uint64_t address, uint64_t out_cell[2]);
bool shadow_memory_has(const struct visit *visit, uint64_t unit, const struct context *how);

/* ---- races that cannot be reported ---------------------------------------------------------------- */

void shadow_drop(const struct visit *visit, uint64_t unit, const struct context *how);
void shadow_dropped_forget(struct shadow_region *region);
void shadow_meet_dropped(const struct visit *visit);                           /* the region has some */
bool shadow_has_dropped(const struct shadow_region *region, uint64_t address); /* likewise: of that word */

/* ---- saturated sites ------------------------------------------------------------------------- */

void shadow_settle(const struct visit *visit, struct access_set *access_set, uint64_t *cell); /* if it may */
/* A plain access of a word: false: it must be judged. */
bool shadow_saturated(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now,
                      struct access_set *access_set, uint64_t *cell);

static inline bool is_only(const struct member *member, uint64_t unit)
{
    return member->block == unit / BLOCK_UNITS && member->mask == UINT64_C(1) << unit % BLOCK_UNITS;
}

/* The context of a list's settled writes is its own, and moves on with them. */
static inline uint64_t saturated_epoch(struct shadow_region *region, const struct access_set *access_set,
                                       uint64_t unit, struct context how)
{
    how.own = true;
    region->contexts[access_set->saturated.own - region->first] = how;
    return epoch(unit, access_set->saturated.own);
}

/* As shadow_saturated, sooner: one loads four bytes, and the same one stores. NULL: this is something
 * else. */
static inline __attribute__((always_inline)) const struct saturated_word *
saturated_word_at(const struct shadow_region *region, uint64_t address, uint64_t unit, uint32_t site,
                  bool write)
{
    const struct saturated_word *word = &region->saturated[address / 4 % SATURATED_WORDS];
    const struct access_set *access_set = word->access_set;
    if (!access_set || word->address != address ||
        access_set->saturated.clock_version != access_set->clock_version || !access_set->saturated.left ||
        site != (write ? access_set->saturated.store : access_set->saturated.load))
        return NULL;
    const struct members *readers = &access_set->readers;
    if (write ? readers->count > 1 || (readers->count && !is_only(readers->items, unit)) : readers->count)
        return NULL;
    return word;
}

static inline __attribute__((always_inline)) void saturated_note(struct shadow *shadow,
                                                                 struct shadow_region *region,
                                                                 const struct saturated_word *word,
                                                                 uint64_t unit, struct context how)
{
    struct access_set *access_set = word->access_set;
    const bool write = how.kind != ACCESS_READ;
    access_set->saturated.left--;
    access_set->readers.count = !write;
    if (write)
        *word->cell = saturated_epoch(region, access_set, unit, how);
    else
        member_begin(access_set->readers.items, unit, &how);
    fast_path_taken(shadow->order->fast_paths, FAST_PATH_ENOUGH);
}

static inline bool saturated_take(struct shadow *shadow, struct shadow_region *region,
                                  const struct shadow_access *now)
{
    const struct saturated_word *word = now->how.size == 4 && !now->quiet
                                            ? saturated_word_at(region, now->address, now->unit_state->unit,
                                                                now->how.site, now->how.kind != ACCESS_READ)
                                            : NULL;
    if (word)
        saturated_note(shadow, region, word, now->unit_state->unit, now->how);
    return word;
}

/* ---- atomics only ---------------------------------------------------------------------------- */

/* Could nothing race with the atomic access? Then it is done. */
bool shadow_is_easy(struct shadow *shadow, const struct shadow_region *region,
                    const struct shadow_access *now);

#endif
