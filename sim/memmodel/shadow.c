/* SPDX-License-Identifier: Apache-2.0 */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

#include "lane_mask.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

enum {
    PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT, WORD_SHIFT = 2,
    CONTEXT_MOST = READERS_FROM - 1,
    BLOCK_UNITS = 64, MEMBERS_TRIED = HOSTILE(16, 2), MEMBERS_RECENT = HOSTILE(8, 1), CONTEXTS_TRIED = HOSTILE(8, 1), CONTEXTS_SMALL = HOSTILE(4096, 8),
    BYTES_SWEPT = HOSTILE(32, 4096) /* of the allocation, for a block of readers that sweeping them makes room for */
};

/* Units of one block that did one sort of thing at one place of the program, each when it did so last. */
struct member {
    uint64_t block, mask;
    uint32_t sort;           /* see sort_of */
    struct context how;      /* tick: of all of them, unless they are apart */
    bool apart;
    uint32_t *each;          /* ticks, one per unit of the block; stays where it is while other members come and go */
};
struct members { struct member *items; uint32_t count, room; uint16_t recent[MEMBERS_RECENT]; }; /* recent: by place of the program */

/* An access that raced with a later one, which took its place: what comes after may race with it, too. */
struct racer { uint64_t unit; struct context how; };
enum { RACERS_MOST = HOSTILE(64, 2), RACERS_OF_A_SITE = 2, RACER_CELLS_MOST = HOSTILE(4096, 4) };

/* Places of the program, each of which raced with each often enough: their accesses are noted down and not judged, but for one
 * now and then, while there are no others (see settle). full: the cell has all the racers of that place that it has room for. */
enum { SETTLED_SITES = 4, SETTLED_FOR = HOSTILE(64, 4), SETTLE_PATIENCE = HOSTILE(16, 1) };
struct settled { uint64_t epoch; uint32_t count, site[SETTLED_SITES], left, patience; bool write[SETTLED_SITES], full[SETTLED_SITES]; };

/* What stands in one cell besides the last plain write. */
struct crowd {
    uint64_t epoch;          /* a new number whenever more than an atomic like the others comes or goes */
    uint64_t calm_epoch, calm_group; /* in that epoch atomics like these, of that group, race with nothing */
    uint64_t owner;          /* address of the cell; lists of forgotten cells serve others */
    struct members readers;  /* plain */
    struct members atomics;
    struct racer *racers; uint32_t racer_count; /* room for RACERS_MOST, or NULL */
    struct settled settled;  /* in its epoch */
    /* of the atomics, while they are all alike */
    bool alike, any_write;
    uint32_t size;
    enum memory_scope scope;
    struct place place;      /* the instance of a narrower scope */
};

/* ---- regions --------------------------------------------------------------------- */

static uint64_t page_count(const struct shadow_region *region)
{
    return (region->high - region->low + PAGE_BYTES - 1) >> PAGE_SHIFT;
}

/* Those of the page that lie in the allocation, in whole words. */
static uint32_t bytes_in(const struct shadow_region *region, uint64_t page)
{
    const uint64_t left = region->high - region->low - (page << PAGE_SHIFT);
    return left < PAGE_BYTES ? (uint32_t)(left + 3) & ~3u : PAGE_BYTES;
}

static void page_free(struct shadow_page *page)
{
    free(page->cells);
    narrow_free(page->narrow);
    *page = (struct shadow_page){0};
}

void shadow_region_init(struct shadow_region *region, uint32_t id, uint64_t low, uint64_t high, int space, struct spare *spare)
{
    *region = (struct shadow_region){.id = id, .low = low, .high = high, .space = space, .first = 1, .next = 1};
    sieve_init(&region->sieve, low, high - low, spare);
}

static void members_free(struct members *members)
{
    for (uint32_t i = 0; i < members->room; i++)
        free(members->items[i].each);
    free(members->items);
}

static void crowd_free(struct crowd *crowd)
{
    members_free(&crowd->readers);
    members_free(&crowd->atomics);
    free(crowd->racers);
    free(crowd);
}

void shadow_region_fini(struct shadow_region *region)
{
    for (uint64_t i = 0; region->pages && i < page_count(region); i++)
        page_free(&region->pages[i]);
    for (uint32_t i = 0; i < region->crowd_count; i++)
        crowd_free(region->crowds[i]);
    readers_fini(&region->readers);
    free(region->pages);
    free(region->crowds);
    free(region->contexts);
    free(region->by_site);
    journal_fini(&region->journal);
    sieve_fini(&region->sieve);
    memset(region, 0, sizeof *region);
}

static void clear_cells(struct shadow_region *region)
{
    for (uint64_t i = 0; region->pages && i < page_count(region); i++) {
        struct shadow_page *page = &region->pages[i];
        if (page->cells)
            memset(page->cells, 0, ((size_t)bytes_in(region, i) >> page->unit_shift) * sizeof *page->cells);
        if (page->narrow)
            narrow_begin(page->narrow, 0); /* of no launch */
    }
    readers_restart(&region->readers);
    region->first = region->next = 1;
    region->newest = 0;
}

/* The lists of cells that are forgotten serve the next. */
void shadow_forget(struct shadow_region *region)
{
    journal_forget(&region->journal);
    sieve_forget(&region->sieve);
    if (!region->touched)
        return;
    region->first = region->next;
    region->newest = 0;
    region->crowd_used = 0;
    region->touched = false;
    readers_forget(&region->readers);
    if (region->next > CONTEXT_MOST / 2 || readers_wear(&region->readers))
        clear_cells(region);
    if (region->by_site)
        memset(region->by_site, 0, region->site_count * sizeof *region->by_site);
}

static const struct context *context_at(const struct shadow_region *region, uint32_t context)
{
    return &region->contexts[context - region->first];
}

/* ---- contexts ----------------------------------------------------------------------- */

static bool site_room(struct shadow_region *region, uint32_t site)
{
    if (site < region->site_count)
        return true;
    uint32_t count = site + 16;
    uint32_t *by_site = realloc(region->by_site, count * sizeof *by_site);
    if (!by_site)
        return false;
    memset(by_site + region->site_count, 0, (count - region->site_count) * sizeof *by_site);
    region->by_site = by_site;
    region->site_count = count;
    return true;
}

static bool context_room(struct shadow_region *region)
{
    uint32_t used = region->next - region->first;
    if (used < region->room)
        return region->next < CONTEXT_MOST;
    const uint32_t more = region->room < CONTEXTS_SMALL ? region->room : region->room / 4, room = region->room ? region->room + more : HOSTILE(16, 1);
    struct context *contexts = realloc(region->contexts, room * sizeof *contexts);
    if (!contexts)
        return false;
    region->contexts = contexts;
    region->room = room;
    return region->next < CONTEXT_MOST;
}

static bool same_context(const struct context *a, const struct context *b)
{
    return a->tick == b->tick && a->site == b->site && a->size == b->size && a->kind == b->kind &&
           a->scope == b->scope && a->order == b->order;
}

/* One of the latest few: units of some slices take turns. 0: none. */
static uint32_t recent_context(const struct shadow_region *region, const struct context *how)
{
    const uint32_t oldest = region->next - region->first > CONTEXTS_TRIED ? region->next - CONTEXTS_TRIED : region->first;
    for (uint32_t i = region->next; i-- > oldest;)
        if (same_context(context_at(region, i), how))
            return i;
    return 0;
}

/* 0: no memory. */
static uint32_t context_of(struct shadow_region *region, const struct context *how)
{
    if (!site_room(region, how->site))
        return 0;
    uint32_t latest = region->by_site[how->site];
    if (latest >= region->first && same_context(context_at(region, latest), how))
        return latest;
    if (how->tick <= region->newest && (latest = recent_context(region, how)))
        return region->by_site[how->site] = latest;
    if (!context_room(region))
        return 0;
    region->newest = how->tick > region->newest ? how->tick : region->newest;
    region->contexts[region->next - region->first] = *how;
    region->touched = true;
    return region->by_site[how->site] = region->next++;
}

/* ---- crowds -------------------------------------------------------------------------- */

/* Deeds of one sort conflict with the same others, whoever did them and when. */
static uint32_t sort_of(const struct context *how)
{
    return how->kind | (uint32_t)how->scope << 4 | how->size << 8;
}

static int by_block(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (x->sort != y->sort)
        return x->sort < y->sort ? -1 : 1;
    if (x->how.site != y->how.site)
        return x->how.site < y->how.site ? -1 : 1;
    if (x->how.order != y->how.order)
        return x->how.order < y->how.order ? -1 : 1;
    return x->how.size < y->how.size ? -1 : x->how.size > y->how.size;
}

static uint32_t member_tick(const struct member *member, uint32_t at)
{
    return member->apart ? member->each[at] : member->how.tick;
}

/* Of its unit at that place. */
static struct context member_how(const struct member *member, uint32_t at)
{
    struct context how = member->how;
    how.tick = member_tick(member, at);
    return how;
}

/* But for the tick: of one sort, at one place. */
static bool is_alike(const struct context *a, const struct context *b)
{
    return a->site == b->site && a->size == b->size && a->order == b->order;
}

/* False: no memory. */
static inline bool member_put(struct member *member, uint32_t at, uint32_t tick)
{
    const uint64_t bit = UINT64_C(1) << at;
    if (!member->apart && member->how.tick != tick && member->mask & ~bit) {
        if (!member->each && !(member->each = malloc(BLOCK_UNITS * sizeof *member->each)))
            return false;
        for (uint32_t i = 0; i < BLOCK_UNITS; i++)
            member->each[i] = member->how.tick;
        member->apart = true;
    }
    *(member->apart ? &member->each[at] : &member->how.tick) = tick;
    member->mask |= bit;
    return true;
}

/* Members change places with what each of them owns. */
static void member_swap(struct member *a, struct member *b)
{
    const struct member kept = *a;
    *a = *b;
    *b = kept;
}

/* Of one block and sort: the newest deed of a unit makes its older ones redundant. */
static void keep_newest(struct member *items, uint32_t count)
{
    struct member *newest[BLOCK_UNITS] = {NULL};
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            struct member *member = &items[i];
            if (newest[at] && member_tick(member, at) < member_tick(newest[at], at))
                member = newest[at];
            struct member *older = member == newest[at] ? &items[i] : newest[at];
            if (older)
                older->mask &= ~(UINT64_C(1) << at);
            newest[at] = member;
        }
    }
}

/* Of one place of the program too: into the first of them, as far as there is memory. */
static void unite(struct member *items, uint32_t count)
{
    for (uint32_t i = 1, first = 0; i < count; i++) {
        if (!is_alike(&items[i].how, &items[first].how)) {
            first = i;
            continue;
        }
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (!member_put(&items[first], at, member_tick(&items[i], at)))
                return;
            items[i].mask &= ~(UINT64_C(1) << at);
        }
    }
}

static void compact(struct members *members)
{
    struct member *items = members->items;
    uint32_t kept = 0;
    if (members->count > 1)
        qsort(items, members->count, sizeof *items, by_block);
    for (uint32_t from = 0, end; from < members->count; from = end) {
        for (end = from + 1; end < members->count && items[end].block == items[from].block && items[end].sort == items[from].sort;)
            end++;
        keep_newest(items + from, end - from);
        unite(items + from, end - from);
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (items[i].mask)
            member_swap(&items[kept++], &items[i]);
    members->count = kept;
}

static bool members_widen(struct members *members, uint32_t room)
{
    struct member *items = realloc(members->items, room * sizeof *items);
    if (!items)
        return false;
    memset(items + members->room, 0, (room - members->room) * sizeof *items);
    members->items = items;
    members->room = room;
    return true;
}

static bool members_room(struct members *members)
{
    if (members->count < members->room)
        return true;
    compact(members);
    if (members->room && members->count <= members->room / 2)
        return true;
    return members_widen(members, members->room ? members->room * 2 : 1);
}

/* One unit's deed. Those that come late may be older than what is there, and change none. */
struct deed { uint64_t unit; uint32_t sort; bool late; const struct context *how; };

static inline bool takes(const struct member *member, const struct deed *deed)
{
    return member->block == deed->unit / BLOCK_UNITS && member->sort == deed->sort && is_alike(&member->how, deed->how) &&
           (!deed->late || (!member->apart && member->how.tick == deed->how->tick));
}

static inline uint16_t *recent_of(struct members *members, const struct deed *deed)
{
    const uint32_t place = deed->how->site * 2 + (deed->sort / 4 & 1); /* an exchange may have failed */
    return &members->recent[(place * UINT32_C(0x9e3779b9) >> 16) % MEMBERS_RECENT];
}

static bool deed_begin(struct members *members, const struct deed *deed)
{
    for (uint32_t i = members->count, tries = MEMBERS_TRIED; i-- > 0 && tries--;) {
        if (!takes(&members->items[i], deed))
            continue;
        *recent_of(members, deed) = (uint16_t)i;
        return member_put(&members->items[i], deed->unit % BLOCK_UNITS, deed->how->tick);
    }
    if (!members_room(members))
        return false;
    *recent_of(members, deed) = (uint16_t)members->count;
    struct member *member = &members->items[members->count++];
    *member = (struct member){.block = deed->unit / BLOCK_UNITS, .mask = UINT64_C(1) << deed->unit % BLOCK_UNITS, .sort = deed->sort,
                              .how = *deed->how, .each = member->each};
    return true;
}

static inline bool deed_add(struct members *members, const struct deed *deed)
{
    const uint32_t recent = *recent_of(members, deed);
    if (recent < members->count && takes(&members->items[recent], deed))
        return member_put(&members->items[recent], deed->unit % BLOCK_UNITS, deed->how->tick);
    return deed_begin(members, deed);
}

static bool reader_add(struct crowd *crowd, uint64_t unit, const struct context *how, bool late)
{
    return deed_add(&crowd->readers, &(struct deed){unit, 0, late, how});
}

static bool members_copy(struct members *to, const struct members *from)
{
    if (to->room < from->count && !members_widen(to, from->count))
        return false;
    for (; to->count < from->count; to->count++) {
        struct member *copy = &to->items[to->count];
        uint32_t *each = copy->each;
        *copy = from->items[to->count];
        copy->each = each;
        if (copy->apart && !each && !(copy->each = malloc(BLOCK_UNITS * sizeof *copy->each)))
            return false;
        if (copy->apart)
            memcpy(copy->each, from->items[to->count].each, BLOCK_UNITS * sizeof *copy->each);
    }
    return true;
}

static struct crowd *crowd_new(struct shadow_region *region, uint64_t owner, uint64_t *cell)
{
    if (region->crowd_used == region->crowd_count) {
        if (region->crowd_count == region->crowd_room) {
            uint32_t room = region->crowd_room ? region->crowd_room * 2 : HOSTILE(16, 1);
            struct crowd **crowds = realloc(region->crowds, room * sizeof *crowds);
            if (!crowds)
                return NULL;
            region->crowds = crowds;
            region->crowd_room = room;
        }
        struct crowd *made = calloc(1, sizeof *made);
        if (!made)
            return NULL;
        region->crowds[region->crowd_count++] = made;
    }
    struct crowd *crowd = region->crowds[region->crowd_used];
    crowd->owner = owner;
    crowd->epoch = ++region->epochs;
    crowd->calm_epoch = 0;
    crowd->settled = (struct settled){.epoch = 0};
    crowd->readers.count = crowd->atomics.count = crowd->racer_count = 0;
    cell[1] = stamp(region->crowd_used++, CONTEXT_CROWD);
    region->touched = true;
    return crowd;
}

static struct crowd *crowd_of(const struct shadow_region *region, uint64_t owner, const uint64_t *cell)
{
    if (stamp_context(cell[1]) != CONTEXT_CROWD || stamp_unit(cell[1]) >= region->crowd_used)
        return NULL;
    struct crowd *crowd = region->crowds[stamp_unit(cell[1])];
    return crowd->owner == owner ? crowd : NULL;
}

static bool live(const struct shadow_region *region, uint64_t value)
{
    return stamp_context(value) >= region->first && stamp_context(value) <= CONTEXT_MOST;
}

static uint64_t walk_unit(const struct reader_walk *walk, uint64_t base)
{
    return base + (uint64_t)(int64_t)walk->block * READERS_BLOCK;
}

/* Those of the set, in the order in which they came. */
static bool set_into(const struct shadow_region *region, uint64_t value, struct crowd *crowd)
{
    struct reader_walk walk = {.rest = stamp_context(value)};
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (!reader_add(crowd, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context), true))
                return false;
    for (uint32_t i = 0, j = crowd->readers.count; i + 1 < j; i++)
        member_swap(&crowd->readers.items[i], &crowd->readers.items[--j]);
    return true;
}

/* ---- pages ---------------------------------------------------------------------------- */

static bool cells_make(struct shadow_page *page, uint32_t bytes, uint32_t shift)
{
    uint64_t(*cells)[2] = calloc(bytes >> shift, sizeof *cells);
    if (!cells)
        return false;
    *page = (struct shadow_page){.unit_shift = shift, .cells = cells};
    return true;
}

static bool narrow_make(struct shadow_region *region, struct shadow_page *page, uint32_t bytes)
{
    struct narrow *narrow = narrow_new(bytes);
    if (!narrow)
        return false;
    narrow_begin(narrow, region->first);
    *page = (struct shadow_page){.narrow = narrow};
    return true;
}

static bool racers_make(struct shadow_region *region, struct crowd *crowd)
{
    if (!crowd->racers && region->racer_cells < RACER_CELLS_MOST && (crowd->racers = calloc(RACERS_MOST, sizeof *crowd->racers)))
        region->racer_cells++;
    return crowd->racers;
}

static struct crowd *crowd_copy(struct shadow_region *region, const struct crowd *from, uint64_t owner, uint64_t *cell)
{
    struct crowd *crowd = crowd_new(region, owner, cell);
    if (!crowd)
        return NULL;
    struct crowd kept = *crowd;
    *crowd = *from;
    crowd->owner = kept.owner;
    crowd->epoch = kept.epoch;
    crowd->calm_epoch = crowd->settled.epoch = 0;
    crowd->readers = kept.readers;
    crowd->atomics = kept.atomics;
    crowd->racers = kept.racers;
    crowd->racer_count = 0;
    if (from->racer_count && racers_make(region, crowd)) {
        memcpy(crowd->racers, from->racers, from->racer_count * sizeof *crowd->racers);
        crowd->racer_count = from->racer_count;
    }
    return members_copy(&crowd->readers, &from->readers) && members_copy(&crowd->atomics, &from->atomics) ? crowd : NULL;
}

/* What its stamps have no room for. */
static bool widen(struct shadow_page *page, uint32_t bytes)
{
    struct shadow_page wide;
    if (!cells_make(&wide, bytes, 0))
        return false;
    for (uint32_t at = 0; at < bytes; at++)
        for (uint32_t slot = 0; slot < 2; slot++)
            wide.cells[at][slot] = narrow_get(page->narrow, at, slot);
    page_free(page);
    *page = wide;
    return true;
}

static bool put_byte(struct shadow_page *page, uint32_t bytes, uint32_t at, const uint64_t cell[2])
{
    if (page->narrow && narrow_put(page->narrow, at, 1, cell[1]) && narrow_put(page->narrow, at, 0, cell[0])) /* readers go first */
        return true;
    if (page->narrow && !widen(page, bytes))
        return false;
    memcpy(page->cells[at], cell, sizeof page->cells[at]);
    return true;
}

/* Does a set stand there? */
static bool is_set(const struct shadow_region *region, uint64_t value)
{
    return readers_has(&region->readers, stamp_context(value));
}

/* Stamps of earlier launches need no room. */
static void drop_stale(const struct shadow_region *region, uint64_t cell[2])
{
    for (int slot = 0; slot < 2; slot++)
        if (stamp_context(cell[slot]) < region->first || (is_reader_set(stamp_context(cell[slot])) && !is_set(region, cell[slot])))
            cell[slot] = 0;
}

/* Four cells for one: each byte has the history of its word. */
static bool split_page(struct shadow_region *region, uint64_t number)
{
    struct shadow_page *words = &region->pages[number], pieces;
    const uint32_t bytes = bytes_in(region, number);
    const uint64_t low = region->low + (number << PAGE_SHIFT);
    readers_close(&region->readers);
    bool made = narrow_make(region, &pieces, bytes);
    for (uint32_t i = 0; made && i < bytes; i++) {
        uint64_t cell[2] = {words->cells[i / 4][0], words->cells[i / 4][1]};
        struct crowd *crowd = crowd_of(region, low + i / 4 * 4, words->cells[i / 4]);
        if (!crowd && stamp_context(cell[1]) == CONTEXT_CROWD)
            cell[1] = 0;
        if (crowd)
            crowd->epoch = ++region->epochs;
        drop_stale(region, cell);
        readers_part(&region->readers, stamp_context(cell[1]));
        made = (!crowd || i % 4 == 0 || crowd_copy(region, crowd, low + i, cell)) && put_byte(&pieces, bytes, i, cell);
    }
    if (made)
        page_free(words);
    else
        page_free(&pieces);
    if (made)
        *words = pieces;
    return made;
}

static struct shadow_page *page_of(struct shadow_region *region, uint64_t address, bool bytes)
{
    const uint64_t number = (address - region->low) >> PAGE_SHIFT;
    if (!region->pages) {
        region->pages = calloc(page_count(region) + 1, sizeof *region->pages);
        if (!region->pages)
            return NULL;
    }
    struct shadow_page *page = &region->pages[number];
    if (page->narrow)
        narrow_begin(page->narrow, region->first);
    else if (!page->cells && !(bytes ? narrow_make(region, page, bytes_in(region, number)) : cells_make(page, bytes_in(region, number), WORD_SHIFT)))
        return NULL;
    if (bytes && page->unit_shift && !split_page(region, number))
        return NULL;
    return page;
}

/* ---- conflicts -------------------------------------------------------------------------- */

static bool is_atomic(uint8_t kind) { return kind >= ACCESS_ATOMIC_READ; }
static bool is_write(uint8_t kind) { return kind != ACCESS_READ && kind != ACCESS_ATOMIC_READ; }

/* One cell under way. */
struct visit {
    struct shadow *shadow;
    struct shadow_region *region;
    const struct shadow_access *now;
    uint32_t context;
    uint64_t address;
    uint32_t bytes;
    bool by_units;           /* what the agent knows of others it knows of each by itself */
    uint64_t first, items;   /* of its group */
    uint64_t base;
    const struct knowledge *of_group, *own;
    bool passing;            /* the cell is a copy */
};

static inline void begin_visit(struct visit *visit, struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    const struct order *order = shadow->order;
    const struct agent *agent = now->agent;
    const struct group_order *group = agent->group;
    *visit = (struct visit){.shadow = shadow, .region = region, .now = now, .items = order->group_items,
                            .by_units = RULE(1) && group && !order->group_keys && !order->sub_group_keys && !group->sub_groups && !agent->copy};
    if (!visit->by_units)
        return;
    visit->first = group->number * order->group_items;
    visit->base = group->base[region->space];
    visit->of_group = group->acquired[region->space];
    visit->own = agent->item ? agent->item->acquired[region->space] : NULL;
}

static struct place place_of(const struct shadow *shadow, uint64_t unit)
{
    return (struct place){order_unit_group(shadow->order, unit), order_unit_sub_group(shadow->order, unit),
                          order_unit_device(shadow->order, unit)};
}

/* R29: two atomics do not race when they act on one object and include each other. */
static __attribute__((noinline)) bool atomics_agree(const struct visit *visit, uint64_t unit, const struct context *how)
{
    const struct context *now = &visit->now->how;
    if (how->size != now->size && RULE(36))
        return false;
    struct place place = place_of(visit->shadow, unit);
    return !RULE(29) || scope_inclusive(visit->shadow->order->rule, (enum memory_scope)how->scope, &place,
                                        (enum memory_scope)now->scope, &visit->now->agent->place);
}

/* Others than itself. */
static inline bool knows(const struct visit *visit, uint64_t unit, uint64_t tick)
{
    if (__builtin_expect(!visit->by_units || unit >= UNIT_COPIES, 0))
        return order_knows(visit->shadow->order, visit->now->agent, visit->region->space, unit, tick);
    return (tick < visit->base && unit - visit->first < visit->items) ||
           (visit->of_group && tick < knowledge_get(visit->of_group, unit << 2)) || (visit->own && tick < knowledge_get(visit->own, unit << 2));
}

/* R34: within one work-item a fence has to stand between a write to an image and a read, and no order helps a sampler. */
static __attribute__((noinline)) bool misses_image(const struct visit *visit, uint64_t unit, const struct context *how)
{
    if (visit->now->how.kind != ACCESS_READ || !is_write(how->kind) || !RULE(34))
        return false;
    return visit->now->sampled || (unit == visit->now->agent->unit && !order_sees_own_image(visit->now->agent, how->tick));
}

static inline __attribute__((always_inline)) bool races(const struct visit *visit, uint64_t unit, const struct context *how, bool unseen)
{
    const struct shadow_access *now = visit->now;
    if (!unseen && unit == now->agent->unit && RULE(3))
        return false;
    if (!is_write(how->kind) && !is_write(now->how.kind) && RULE(4))
        return false;
    return unseen || !((is_atomic(how->kind) && is_atomic(now->how.kind) && atomics_agree(visit, unit, how)) || knows(visit, unit, how->tick));
}

/* ---- lists -------------------------------------------------------------------------------- */

static bool add_alike(struct crowd *crowd, uint64_t unit, const struct context *how, bool late)
{
    crowd->any_write |= is_write(how->kind);
    return deed_add(&crowd->atomics, &(struct deed){unit, sort_of(how), late, how});
}

static void begin_alike(struct crowd *crowd, const struct context *how, const struct place *place)
{
    crowd->alike = true;
    crowd->any_write = false;
    crowd->size = how->size;
    crowd->scope = (enum memory_scope)how->scope;
    crowd->place = *place;
}

/* An atomic access that has the cell to itself, but for a plain write. */
static bool is_lone(const struct shadow_region *region, uint64_t value)
{
    return live(region, value) && is_atomic(context_at(region, stamp_context(value))->kind);
}

static bool stamp_into(const struct visit *visit, uint64_t value, struct crowd *crowd)
{
    const struct context *how = context_at(visit->region, stamp_context(value));
    const struct place place = place_of(visit->shadow, stamp_unit(value));
    if (!is_atomic(how->kind))
        return reader_add(crowd, stamp_unit(value), how, false);
    begin_alike(crowd, how, &place);
    return add_alike(crowd, stamp_unit(value), how, false);
}

/* The cell's crowd; what stands there by itself moves into it, or a set of readers. */
static struct crowd *crowd_make(const struct visit *visit, uint64_t *cell)
{
    struct crowd *crowd = crowd_of(visit->region, visit->address, cell);
    const uint64_t single = cell[1];
    if (crowd)
        return crowd;
    crowd = crowd_new(visit->region, visit->address, cell);
    if (crowd && live(visit->region, single) && !stamp_into(visit, single, crowd))
        return NULL;
    return crowd && set_into(visit->region, single, crowd) ? crowd : NULL;
}

/* ---- judging ------------------------------------------------------------------------------ */

/* Of the pair of an earlier place and this one; NULL: there is more to do than to count. */
static inline struct race_tally *tally_of(const struct visit *visit, uint32_t earlier, bool unseen)
{
    const uint32_t later = visit->now->how.site;
    struct race_tally *tally = visit->shadow->tallies[(earlier + later) % TALLIES];
    return tally && tally->settled && tally_is_of(tally, earlier, later, visit->region->space, unseen) ? tally : NULL;
}

static __attribute__((noinline)) void tell(const struct visit *visit, uint64_t unit, const struct context *how, bool latest, bool unseen)
{
    const struct race race = {visit->region, visit->address, visit->bytes, unit, how, latest, unseen};
    visit->shadow->race(visit->shadow->self, &race, visit->now);
}

/* Does it race? What does is told. */
static inline __attribute__((always_inline)) bool judge(const struct visit *visit, uint64_t unit, const struct context *how, bool latest)
{
    const bool unseen = visit->region->space == IN_IMAGE && misses_image(visit, unit, how);
    if (!races(visit, unit, how, unseen))
        return false;
    struct race_tally *tally = tally_of(visit, how->site, unseen);
    if (!tally) {
        tell(visit, unit, how, latest, unseen);
        return true;
    }
    tally_add(tally, unit, visit->now->agent->unit, *visit->shadow->time);
    visit->shadow->met_enough |= tally->count >= visit->shadow->enough;
    return true;
}

static const struct context *stamp_how(const struct shadow_region *region, uint64_t value)
{
    return context_at(region, stamp_context(value));
}

/* ---- races told often enough ----------------------------------------------------------------------- */

/* An asynchronous copy loads and stores by one instruction: that is two places. */
static inline bool is_among(const struct settled *settled, const struct context *how, bool full)
{
    for (uint32_t i = 0; i < settled->count; i++)
        if (settled->site[i] == how->site && settled->write[i] == is_write(how->kind))
            return settled->full[i] || !full;
    return false;
}

static bool settled_add(struct settled *settled, const struct context *how)
{
    if (is_among(settled, how, false))
        return true;
    if (settled->count == SETTLED_SITES || is_atomic(how->kind))
        return false;
    settled->site[settled->count] = how->site;
    settled->write[settled->count++] = is_write(how->kind);
    return true;
}

static struct race_tally *enough_of(const struct visit *visit, uint32_t a, uint32_t b)
{
    struct race_tally *tally = visit->shadow->tallies[(a + b) % TALLIES];
    return tally && tally->settled && tally->count >= visit->shadow->enough && tally_is_of(tally, a, b, visit->region->space, false) ? tally : NULL;
}

static bool has_racers_of(const struct crowd *crowd, uint32_t site, bool write)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++)
        count += crowd->racers[i].how.site == site && is_write(crowd->racers[i].how.kind) == write;
    return count >= RACERS_OF_A_SITE;
}

/* All that stands in the cell, and the access that comes: false: there is something else, too. */
static bool settled_sites(const struct visit *visit, const struct crowd *crowd, const uint64_t *cell, struct settled *settled)
{
    bool few = settled_add(settled, &visit->now->how) && !crowd->atomics.count;
    if (live(visit->region, cell[0]))
        few &= settled_add(settled, stamp_how(visit->region, cell[0]));
    for (uint32_t i = 0; few && i < crowd->racer_count; i++)
        few = settled_add(settled, &crowd->racers[i].how);
    for (uint32_t i = 0; few && i < crowd->readers.count; i++)
        few = settled_add(settled, &crowd->readers.items[i].how);
    return few;
}

/* Each place raced with each so often that more of them need not be looked for; they are not counted from here on. What such
 * an access leaves in the cell is as ever: what others do is judged by it. */
static __attribute__((noinline)) void settle(const struct visit *visit, struct crowd *crowd, const uint64_t *cell)
{
    struct settled settled = {.epoch = 0};
    visit->shadow->met_enough = false;
    if (visit->region->space == IN_IMAGE || crowd->settled.patience++ % SETTLE_PATIENCE || !settled_sites(visit, crowd, cell, &settled))
        return;
    for (uint32_t i = 0; i < settled.count; i++) {
        for (uint32_t j = i; j < settled.count; j++)
            if ((settled.write[i] || settled.write[j]) && !enough_of(visit, settled.site[i], settled.site[j]))
                return;
        settled.full[i] = has_racers_of(crowd, settled.site[i], settled.write[i]);
    }
    for (uint32_t i = 0; i < settled.count; i++)
        for (uint32_t j = i; j < settled.count; j++)
            if (settled.write[i] || settled.write[j])
                enough_of(visit, settled.site[i], settled.site[j])->uncounted = true;
    settled.epoch = crowd->epoch;
    settled.left = SETTLED_FOR;
    crowd->settled = settled;
}

/* What leaves the cell then is the unit's own, or need not be kept. */
static inline bool may_go(const struct shadow_region *region, const struct crowd *crowd, const uint64_t *cell, uint64_t unit)
{
    const uint64_t own = UINT64_C(1) << unit % BLOCK_UNITS;
    bool may = !live(region, cell[0]) || stamp_unit(cell[0]) == unit || is_among(&crowd->settled, stamp_how(region, cell[0]), true);
    for (uint32_t i = 0; i < crowd->readers.count; i++) {
        const struct member *reader = &crowd->readers.items[i];
        may &= (reader->block == unit / BLOCK_UNITS && reader->mask == own) || is_among(&crowd->settled, &reader->how, true);
    }
    return may;
}

static inline bool is_settled(const struct shadow_region *region, struct crowd *crowd, const uint64_t *cell, const struct shadow_access *now)
{
    struct settled *settled = &crowd->settled;
    if (settled->epoch != crowd->epoch || crowd->atomics.count || now->quiet || !is_among(settled, &now->how, false) || !settled->left)
        return false;
    settled->left--;
    return !is_write(now->how.kind) || may_go(region, crowd, cell, now->agent->unit);
}

static struct racer *racer_room(const struct visit *visit, struct crowd *crowd, uint64_t unit, const struct context *how)
{
    uint32_t alike = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++) {
        struct racer *racer = &crowd->racers[i];
        const bool same = racer->how.site == how->site && racer->how.kind == how->kind; /* an exchange may have failed */
        if (same && racer->unit == unit)
            return racer;
        alike += same;
    }
    if (alike >= RACERS_OF_A_SITE || crowd->racer_count == RACERS_MOST || !racers_make(visit->region, crowd))
        return NULL;
    return &crowd->racers[crowd->racer_count++];
}

/* What leaves its place in the cell though it races. A few of each place of the program stay, in a limited number of cells.
 * crowd: the cell's, which may be made; NULL: it has none. */
static void keep_racer(const struct visit *visit, struct crowd **crowd, uint64_t *cell, uint64_t unit, const struct context *how)
{
    if (!*crowd && visit->region->racer_cells >= RACER_CELLS_MOST)
        return;
    if (!*crowd)
        *crowd = crowd_make(visit, cell);
    struct racer *racer = *crowd ? racer_room(visit, *crowd, unit, how) : NULL;
    visit->shadow->failed |= !*crowd;
    if (!racer)
        return;
    *racer = (struct racer){unit, *how};
    (*crowd)->epoch = ++visit->region->epochs;
}

/* Those that a plain write is ordered behind are done with: who races with them races with it. */
static void judge_racers(const struct visit *visit, struct crowd *crowd)
{
    const bool write = visit->now->how.kind == ACCESS_WRITE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++) {
        const struct racer *racer = &crowd->racers[i];
        if (!judge(visit, racer->unit, &racer->how, false) && write)
            continue;
        if (kept++ != i)
            crowd->racers[kept - 1] = *racer;
    }
    crowd->racer_count = kept;
}

/* Members that race are among the racers from then on. */
static void judge_members(const struct visit *visit, uint64_t *cell, struct crowd *crowd, struct members *members)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        struct member *member = &members->items[i];
        for (uint64_t bits = member->mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            const struct context how = member_how(member, at);
            const uint64_t unit = member->block * BLOCK_UNITS + at;
            if (!judge(visit, unit, &how, false))
                continue;
            keep_racer(visit, &crowd, cell, unit, &how);
            member->mask &= ~(UINT64_C(1) << at);
        }
        if (member->mask)
            member_swap(&members->items[kept++], member);
    }
    members->count = kept;
}

/* It stays, unless another one takes its place. */
static inline void judge_write(const struct visit *visit, struct crowd **crowd, uint64_t *cell)
{
    const uint64_t latest = cell[0];
    if (!live(visit->region, latest))
        return;
    const struct context *how = stamp_how(visit->region, latest);
    if (judge(visit, stamp_unit(latest), how, true) && visit->now->how.kind == ACCESS_WRITE)
        keep_racer(visit, crowd, cell, stamp_unit(latest), how);
}

static bool set_races(const struct visit *visit, uint64_t value)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = {.rest = stamp_context(value)};
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (races(visit, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context), false))
                return true;
    return false;
}

static inline void judge_readers(const struct visit *visit, struct crowd **crowd, uint64_t *cell)
{
    if (!*crowd && is_reader_set(stamp_context(cell[1])) && set_races(visit, cell[1])) { /* a list tells which */
        *crowd = crowd_make(visit, cell);
        visit->shadow->failed |= !*crowd;
    }
    const uint64_t reader = cell[1];
    if (*crowd) {
        judge_members(visit, cell, *crowd, &(*crowd)->readers);
    } else if (live(visit->region, reader) && judge(visit, stamp_unit(reader), stamp_how(visit->region, reader), false)) {
        cell[1] = 0;
        keep_racer(visit, crowd, cell, stamp_unit(reader), stamp_how(visit->region, reader));
    }
}

/* ---- atomics ------------------------------------------------------------------------------ */

static bool joins_alike(const struct visit *visit, const struct crowd *crowd)
{
    const struct context *now = &visit->now->how;
    if (!crowd->alike || crowd->size != now->size || crowd->scope != (enum memory_scope)now->scope)
        return false;
    return scope_inclusive(SCOPE_RULE_EQUAL, crowd->scope, &crowd->place, crowd->scope, &visit->now->agent->place);
}

static void judge_atomics(const struct visit *visit, uint64_t *cell, struct crowd *crowd)
{
    const struct context *now = &visit->now->how;
    if (!crowd->atomics.count || (is_atomic(now->kind) && joins_alike(visit, crowd)))
        return;
    if (!crowd->any_write && !is_write(now->kind))
        return;
    judge_members(visit, cell, crowd, &crowd->atomics);
}

/* One that it agrees with joins a crowd of atomics that are alike. */
static bool join_alike(const struct visit *visit, struct crowd *crowd)
{
    return add_alike(crowd, visit->now->agent->unit, &visit->now->how, visit->now->quiet);
}

static bool add_atomic(const struct visit *visit, struct crowd *crowd)
{
    if (!crowd->atomics.count)
        begin_alike(crowd, &visit->now->how, &visit->now->agent->place);
    crowd->alike = joins_alike(visit, crowd);
    if (!crowd->alike)
        crowd->epoch = ++visit->region->epochs;
    return join_alike(visit, crowd);
}

/* The first of a cell that nobody reads needs no list. */
static bool is_first(const struct visit *visit, const uint64_t *cell)
{
    const struct shadow_region *region = visit->region;
    return !live(region, cell[1]) && !is_set(region, cell[1]) && !crowd_of(region, visit->address, cell);
}

static bool put_lone(const struct visit *visit, uint64_t *cell)
{
    const uint32_t context = context_of(visit->region, &visit->now->how);
    if (context)
        cell[1] = stamp(visit->now->agent->unit, context);
    way_taken(visit->shadow->order->ways, WAY_LONE);
    return context;
}

/* ---- one cell -------------------------------------------------------------------------------- */

static void plain_write(const struct visit *visit, uint64_t *cell)
{
    const uint64_t own = stamp(visit->now->agent->unit, visit->context);
    struct crowd *crowd = crowd_of(visit->region, visit->address, cell);
    if (crowd && crowd->racer_count)
        judge_racers(visit, crowd);
    judge_write(visit, &crowd, cell);
    judge_readers(visit, &crowd, cell);
    if (crowd) {
        judge_atomics(visit, cell, crowd);
        crowd->readers.count = crowd->atomics.count = 0;
        crowd->epoch = ++visit->region->epochs;
    } else {
        cell[1] = 0;
    }
    if (visit->region->atomic)
        order_overwrite(visit->shadow->order, visit->now->agent, visit->address, visit->bytes, visit->now->how.site);
    cell[0] = own;
    if (crowd && visit->shadow->met_enough)
        settle(visit, crowd, cell);
}

static uint64_t tick_of(const struct visit *visit, uint64_t value)
{
    return stamp_how(visit->region, value)->tick;
}

/* ---- sets of readers ----------------------------------------------------------------------- */

static void mark_sets(struct shadow_region *region)
{
    for (uint64_t p = 0; p < page_count(region); p++) {
        const struct shadow_page *page = &region->pages[p];
        const uint32_t bytes = bytes_in(region, p), step = 1u << page->unit_shift;
        if (page->narrow ? !narrow_is_of(page->narrow, region->first) : !page->cells)
            continue;
        for (uint32_t at = 0; at < bytes; at += step)
            readers_mark(&region->readers, stamp_context(page->narrow ? narrow_get(page->narrow, at, 1) : page->cells[at >> page->unit_shift][1]));
    }
}

static bool set_room(struct shadow_region *region)
{
    if (readers_room(&region->readers))
        return true;
    if (region->readers.room < (region->high - region->low) / BYTES_SWEPT)
        return readers_widen(&region->readers);
    if (!readers_sweep_begin(&region->readers))
        return false;
    mark_sets(region);
    return readers_sweep_end(&region->readers);
}

/* Of a cell that has readers, and no list. */
static bool add_reader(const struct visit *visit, uint64_t *cell, bool late)
{
    if (set_room(visit->region) && readers_add(&visit->region->readers, &cell[1], !visit->passing, visit->now->agent->unit, visit->context)) {
        way_taken(visit->shadow->order->ways, WAY_SHARED);
        return true;
    }
    struct crowd *crowd = crowd_make(visit, cell);
    return crowd && reader_add(crowd, visit->now->agent->unit, &visit->now->how, late);
}

/* ---- what comes --------------------------------------------------------------------------------- */

/* From the journal: nothing races, the newer of one unit's deeds stays, and reads are kept beside later writes. */
static bool quiet(const struct visit *visit, uint64_t *cell)
{
    const uint64_t unit = visit->now->agent->unit, own = stamp(unit, visit->context);
    if (is_atomic(visit->now->how.kind) && is_first(visit, cell))
        return put_lone(visit, cell);
    if (is_atomic(visit->now->how.kind)) {
        struct crowd *among = crowd_make(visit, cell);
        return among && add_atomic(visit, among);
    }
    bool write = is_write(visit->now->how.kind);
    uint64_t *slot = &cell[write ? 0 : 1];
    const bool lone = !write && is_lone(visit->region, cell[1]);
    struct crowd *crowd = write ? NULL : lone ? crowd_make(visit, cell) : crowd_of(visit->region, visit->address, cell);
    if (crowd)
        crowd->settled.epoch = 0;
    if (lone || crowd)
        return crowd && reader_add(crowd, unit, &visit->now->how, true);
    if (write || !(is_set(visit->region, *slot) || (live(visit->region, *slot) && stamp_unit(*slot) != unit))) {
        if (!live(visit->region, *slot) || tick_of(visit, *slot) <= visit->now->how.tick)
            *slot = own;
        return true;
    }
    return add_reader(visit, cell, true);
}

/* A single reader that this one knows, or that is itself, need not be kept (R21: who knows this one knows that). */
static bool replaces(const struct visit *visit, uint64_t reader)
{
    return !live(visit->region, reader) || stamp_unit(reader) == visit->now->agent->unit ||
           knows(visit, stamp_unit(reader), tick_of(visit, reader));
}

static bool plain_read(const struct visit *visit, uint64_t *cell)
{
    const bool lone = is_lone(visit->region, cell[1]);
    struct crowd *crowd = lone ? crowd_make(visit, cell) : crowd_of(visit->region, visit->address, cell);
    if (lone && !crowd)
        return false;
    if (crowd && crowd->racer_count)
        judge_racers(visit, crowd);
    judge_write(visit, &crowd, cell);
    if (!RULE(4))
        judge_readers(visit, &crowd, cell);
    if (crowd) {
        judge_atomics(visit, cell, crowd);
        crowd->epoch = ++visit->region->epochs;
        const bool added = reader_add(crowd, visit->now->agent->unit, &visit->now->how, false);
        if (visit->shadow->met_enough)
            settle(visit, crowd, cell);
        return added;
    }
    if (is_set(visit->region, cell[1]) || !replaces(visit, cell[1]))
        return add_reader(visit, cell, false);
    cell[1] = stamp(visit->now->agent->unit, visit->context);
    return true;
}

/* Whoever wrote did so before a barrier of the whole group, nobody reads, and the atomics include the whole group. */
static void calm_down(const struct visit *visit, struct crowd *crowd, const uint64_t *cell)
{
    const struct agent *agent = visit->now->agent;
    uint64_t base = agent->group ? agent->group->base[visit->region->space] : 0;
    bool settled = !live(visit->region, cell[0]) ||
                   (order_unit_group(visit->shadow->order, stamp_unit(cell[0])) == agent->place.group &&
                    stamp_unit(cell[0]) < UNIT_COPIES && tick_of(visit, cell[0]) < base);
    if (!settled || !crowd->alike || crowd->scope < SCOPE_WORK_GROUP || crowd->readers.count || crowd->racer_count || agent->unit >= UNIT_COPIES)
        return;
    crowd->calm_epoch = crowd->epoch;
    crowd->calm_group = agent->place.group;
}

static bool atomic(const struct visit *visit, uint64_t *cell)
{
    struct crowd *crowd = NULL;
    if (is_first(visit, cell)) {
        judge_write(visit, &crowd, cell);
        return put_lone(visit, cell);
    }
    crowd = crowd_make(visit, cell);
    if (!crowd)
        return false;
    judge_racers(visit, crowd);
    judge_write(visit, &crowd, cell);
    if (is_write(visit->now->how.kind))
        judge_members(visit, cell, crowd, &crowd->readers);
    judge_atomics(visit, cell, crowd);
    if (!add_atomic(visit, crowd))
        return false;
    calm_down(visit, crowd, cell);
    return true;
}

static bool visit_cell(const struct visit *visit, uint64_t *cell)
{
    if (visit->now->quiet)
        return quiet(visit, cell);
    if (is_atomic(visit->now->how.kind))
        return atomic(visit, cell);
    if (!is_write(visit->now->how.kind))
        return plain_read(visit, cell);
    plain_write(visit, cell);
    return true;
}

/* ---- the same again ---------------------------------------------------------------------------- */

/* The cell of an aligned word; NULL: it has none, or one for each byte. */
static inline uint64_t *word_at(const struct shadow_region *region, uint64_t address, uint32_t size)
{
    const uint64_t offset = address - region->low;
    const struct shadow_page *page = region->pages && size == 4 && offset % 4 == 0 ? &region->pages[offset >> PAGE_SHIFT] : NULL;
    return page && page->cells && page->unit_shift == WORD_SHIFT ? page->cells[(offset & (PAGE_BYTES - 1)) >> WORD_SHIFT] : NULL;
}

/* The crowd of such a word, if it has one whose atomics are all alike. */
static struct crowd *alike_in(const struct shadow_region *region, uint64_t address, const uint64_t *cell)
{
    struct crowd *crowd = cell ? crowd_of(region, address, cell) : NULL;
    return crowd && crowd->alike ? crowd : NULL;
}

static struct crowd *alike_at(const struct shadow_region *region, uint64_t address, uint32_t size)
{
    return alike_in(region, address, word_at(region, address, size));
}

/* Nothing that could race with it has come since the same unit last did the same in the same slice. */
static bool is_repeated(const struct shadow_region *region, const struct shadow_access *now)
{
    const struct item_order *item = is_atomic(now->how.kind) ? now->agent->item : NULL;
    if (!item || item->done.address != now->address || item->done.tick != now->how.tick ||
        item->done.sort != sort_of(&now->how) || item->done.site != now->how.site)
        return false;
    const struct crowd *crowd = alike_at(region, now->address, now->how.size);
    return crowd && crowd->epoch == item->done.epoch;
}

static void note_done(const struct crowd *crowd, const struct shadow_access *now)
{
    if (crowd && now->agent->item)
        now->agent->item->done = (struct atomic_done){now->address, crowd->epoch, now->how.tick, sort_of(&now->how), now->how.site};
}

/* Nothing stands in the word but atomics that it agrees with; or a write besides that its group's members know. */
static bool is_calm(const struct visit *visit, const struct crowd *crowd, const uint64_t *cell)
{
    return !crowd->readers.count && !crowd->racer_count && crowd->atomics.count && joins_alike(visit, crowd) &&
           (!live(visit->region, cell[0]) ||
            (crowd->calm_epoch == crowd->epoch && crowd->calm_group == visit->now->agent->place.group));
}

uint32_t shadow_sort(const struct context *how)
{
    return sort_of(how);
}

static bool agrees(const struct crowd *crowd, const struct shadow_atomic *atomic)
{
    return crowd->size == atomic->how.size && crowd->scope == (enum memory_scope)atomic->how.scope &&
           (crowd->scope > SCOPE_WORK_GROUP || (crowd->scope == SCOPE_WORK_GROUP && crowd->place.group == atomic->group));
}

static inline struct crowd *calm(const struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address)
{
    const uint64_t *cell = word_at(region, address, atomic->how.size);
    struct crowd *crowd = alike_in(region, address, cell);
    if (!crowd || crowd->readers.count || crowd->racer_count || !crowd->atomics.count || !agrees(crowd, atomic))
        return NULL;
    return !live(region, cell[0]) || (crowd->calm_epoch == crowd->epoch && crowd->calm_group == atomic->group) ? crowd : NULL;
}

struct crowd *shadow_calm(const struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address)
{
    return calm(region, atomic, address);
}

static inline bool add(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t unit)
{
    crowd->any_write |= is_write(atomic->how.kind);
    return deed_add(&crowd->atomics, &(struct deed){unit, sort_of(&atomic->how), false, &atomic->how});
}

bool shadow_add(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t unit)
{
    return add(crowd, atomic, unit);
}

/* Of one block, into its member, where each unit has its tick. False: there is none like it. */
static bool add_block(struct crowd *crowd, const struct deed *like, uint64_t lanes, const uint32_t *slice)
{
    struct members *members = &crowd->atomics;
    const uint32_t recent = *recent_of(members, like), at = (uint32_t)(like->unit % BLOCK_UNITS);
    struct member *member = &members->items[recent];
    if (recent >= members->count || !takes(member, like) || !member->apart)
        return false;
    member->mask |= lanes << at;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        member->each[at + (uint32_t)__builtin_ctzll(rest)] = slice[__builtin_ctzll(rest)];
    return true;
}

bool shadow_add_lanes(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t first, const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice)
{
    struct context how = atomic->how;
    struct deed deed = {.unit = first, .sort = sort_of(&how), .how = &how};
    bool added = true;
    crowd->any_write |= is_write(how.kind);
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++) {
        const uint32_t at = (uint32_t)((first + w * 64) % BLOCK_UNITS);
        deed.unit = first + w * 64;
        if (!mask[w] || ((at == 0 || !(mask[w] >> (BLOCK_UNITS - at))) && add_block(crowd, &deed, mask[w], slice + w * 64)))
            continue;
        for (uint64_t rest = mask[w]; rest; rest &= rest - 1) {
            const uint64_t lane = w * 64 + (uint64_t)__builtin_ctzll(rest);
            how.tick = slice[lane];
            deed.unit = first + lane;
            added &= deed_add(&crowd->atomics, &deed);
        }
    }
    return added;
}

bool shadow_stays_calm(const struct shadow_region *region, struct calm_word *word, const struct shadow_atomic *atomic, uint64_t address)
{
    if (word->crowd && word->address == address && word->epoch == word->crowd->epoch && word->first == region->first)
        return true;
    struct crowd *crowd = calm(region, atomic, address);
    *word = (struct calm_word){.crowd = crowd, .address = address, .epoch = crowd ? crowd->epoch : 0, .first = region->first};
    return crowd;
}

bool shadow_join(struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address, uint64_t unit)
{
    struct crowd *crowd = calm(region, atomic, address);
    return crowd && add(crowd, atomic, unit);
}

static bool visit_byte(const struct visit *visit, struct shadow_page *page, uint32_t at)
{
    uint64_t cell[2] = {narrow_get(page->narrow, at, 0), narrow_get(page->narrow, at, 1)};
    return visit_cell(visit, cell) && put_byte(page, bytes_in(visit->region, (visit->address - visit->region->low) >> PAGE_SHIFT), at, cell);
}

static void visit_all(struct visit *visit)
{
    struct shadow_region *region = visit->region;
    const struct shadow_access *now = visit->now;
    const bool bytes = ((now->address - region->low) | now->how.size) & 3 && RULE(35);
    const uint64_t end = now->address + now->how.size < region->high ? now->address + now->how.size : region->high;
    for (uint64_t at = now->address; at < end;) {
        struct shadow_page *page = page_of(region, at, bytes);
        if (!page) {
            visit->shadow->failed = true;
            return;
        }
        const uint32_t offset = (uint32_t)(at - region->low) & (PAGE_BYTES - 1);
        visit->address = at;
        visit->bytes = 1u << page->unit_shift;
        visit->passing = page->narrow;
        if (!(page->narrow ? visit_byte(visit, page, offset) : visit_cell(visit, page->cells[offset >> page->unit_shift])))
            visit->shadow->failed = true;
        at += visit->bytes;
    }
}

static void atomic_anew(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    struct visit visit;
    const uint64_t *cell = word_at(region, now->address, now->how.size);
    begin_visit(&visit, shadow, region, now);
    struct crowd *crowd = alike_in(region, now->address, cell);
    if (crowd && is_calm(&visit, crowd, cell)) {
        shadow->failed |= !join_alike(&visit, crowd);
        note_done(crowd, now);
        way_taken(shadow->order->ways, WAY_CALM);
        return;
    }
    visit_all(&visit);
    note_done(alike_at(region, now->address, now->how.size), now);
}

/* As plain_read and plain_write, without a judge. */
static void settled_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now, struct crowd *crowd, uint64_t *cell)
{
    way_taken(shadow->order->ways, WAY_ENOUGH);
    if (!is_write(now->how.kind)) {
        shadow->failed |= !reader_add(crowd, now->agent->unit, &now->how, false);
        return;
    }
    const uint32_t context = context_of(region, &now->how);
    crowd->readers.count = 0;
    cell[0] = stamp(now->agent->unit, context);
    shadow->failed |= !context;
    if (region->atomic)
        order_overwrite(shadow->order, now->agent, now->address, now->how.size, now->how.site);
}

static void plain_anew(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    struct visit visit;
    uint64_t *cell = word_at(region, now->address, now->how.size);
    struct crowd *crowd = cell ? crowd_of(region, now->address, cell) : NULL;
    if (crowd && is_settled(region, crowd, cell, now)) {
        settled_access(shadow, region, now, crowd, cell);
        return;
    }
    begin_visit(&visit, shadow, region, now);
    visit.context = context_of(region, &now->how);
    visit.address = now->address;
    visit.bytes = 1u << WORD_SHIFT;
    if (!visit.context)
        shadow->failed = true;
    else if (cell)
        shadow->failed |= !visit_cell(&visit, cell);
    else
        visit_all(&visit);
}

void shadow_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    if (is_repeated(region, now)) {
        way_taken(shadow->order->ways, WAY_REPEATED);
        return;
    }
    if (is_atomic(now->how.kind))
        atomic_anew(shadow, region, now);
    else
        plain_anew(shadow, region, now);
}

void shadow_again(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now)
{
    struct visit visit;
    if (shadow->failed)
        return;
    begin_visit(&visit, shadow, region, now);
    visit.context = region->by_site[now->how.site];
    visit_all(&visit);
}

/* ---- footprint ---------------------------------------------------------------------------------- */

/* Cells come in ascending order: neighbours of one use are one run. */
struct collection { const struct shadow_region *region; const struct unit_filter *filter; struct footprint_part *part; struct byte_run run[FOOTPRINT_USES]; };

static void collect_one(struct collection *collection, const struct context *how, uint64_t unit, uint64_t low, uint64_t high)
{
    const struct unit_filter *filter = collection->filter;
    if (filter && !filter->wants(filter->self, unit, how->tick))
        return;
    enum footprint_use use = how->kind == ACCESS_ATOMIC_READ ? FOOTPRINT_ATOMIC_READ
                             : is_atomic(how->kind)          ? FOOTPRINT_ATOMIC
                             : is_write(how->kind)           ? FOOTPRINT_WRITTEN
                                                             : FOOTPRINT_READ;
    struct byte_run *run = &collection->run[use];
    if (run->low < run->high && low <= run->high) {
        run->high = high;
    } else {
        byte_set_add(&collection->part->bytes[use], run->low, run->high);
        *run = (struct byte_run){low, high};
    }
    collection->part->site[use] = how->site;
}

/* Without a filter one unit stands for all. */
static void collect_member(struct collection *collection, const struct member *member, uint64_t low, uint64_t high)
{
    uint64_t rest = member->mask;
    do {
        const uint32_t at = (uint32_t)__builtin_ctzll(rest);
        const struct context how = member_how(member, at);
        collect_one(collection, &how, member->block * BLOCK_UNITS + at, low, high);
        rest &= rest - 1;
    } while (rest && collection->filter);
}

/* Likewise. */
static void collect_set(struct collection *collection, uint64_t value, uint64_t low, uint64_t high)
{
    const struct shadow_region *region = collection->region;
    struct reader_walk walk = {.rest = stamp_context(value)};
    while (readers_next(&region->readers, &walk)) {
        for (uint64_t bits = walk.mask; bits; bits = collection->filter ? bits & (bits - 1) : 0) {
            const uint64_t unit = walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits);
            collect_one(collection, context_at(region, walk.context), unit, low, high);
        }
        if (!collection->filter)
            break;
    }
}

static void collect_cell(struct collection *collection, const uint64_t *cell, uint64_t low, uint64_t high)
{
    const struct shadow_region *region = collection->region;
    const struct crowd *crowd = crowd_of(region, region->low + low, cell);
    if (live(region, cell[0]))
        collect_one(collection, stamp_how(region, cell[0]), stamp_unit(cell[0]), low, high);
    for (uint32_t i = 0; crowd && i < (collection->filter ? crowd->readers.count : crowd->readers.count > 0); i++)
        collect_member(collection, &crowd->readers.items[i], low, high);
    for (uint32_t i = 0; crowd && i < crowd->atomics.count; i++) /* loads and others */
        collect_member(collection, &crowd->atomics.items[i], low, high);
    for (uint32_t i = 0; crowd && i < crowd->racer_count; i++)
        collect_one(collection, &crowd->racers[i].how, crowd->racers[i].unit, low, high);
    if (!crowd && live(region, cell[1]))
        collect_one(collection, stamp_how(region, cell[1]), stamp_unit(cell[1]), low, high);
    collect_set(collection, cell[1], low, high);
}

static void collect_page(struct collection *collection, uint64_t number)
{
    const struct shadow_page *page = &collection->region->pages[number];
    const uint32_t bytes = bytes_in(collection->region, number), step = 1u << page->unit_shift;
    if (page->narrow ? !narrow_is_of(page->narrow, collection->region->first) : !page->cells)
        return;
    for (uint32_t at = 0; at < bytes; at += step) {
        const uint64_t low = (number << PAGE_SHIFT) + at;
        uint64_t cell[2];
        for (uint32_t slot = 0; slot < 2; slot++)
            cell[slot] = page->narrow ? narrow_get(page->narrow, at, slot) : page->cells[at >> page->unit_shift][slot];
        collect_cell(collection, cell, low, low + step);
    }
}

void shadow_collect(const struct shadow_region *region, const struct unit_filter *filter, struct footprint_part *part)
{
    struct collection collection = {.region = region, .filter = filter, .part = part};
    for (uint64_t p = 0; region->touched && region->pages && p < page_count(region); p++)
        collect_page(&collection, p);
    for (int use = 0; use < FOOTPRINT_USES; use++)
        byte_set_add(&part->bytes[use], collection.run[use].low, collection.run[use].high);
}
