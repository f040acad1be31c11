/* SPDX-License-Identifier: Apache-2.0 */
/* Access sets: the reads and atomics of one cell, as members: blocks of 64 units that executed one operation.
 * A new access joins one of the latest members or appends one. When the list has grown by half it is
 * compacted: a unit's older accesses of one class go, and members of one block and operation become one. */
#include "shadow_state.h"
#include "orrery/checked.h"
#include "sim/memmodel/common/room.h"

enum { MEMBERS_TRIED = HOSTILE(16, 2), MEMBERS_FEW = HOSTILE(64, 2) };

/* ---- members --------------------------------------------------------------------------------- */

static void members_free(struct members *members)
{
    for (uint32_t i = 0; i < members->room; i++)
        free(members->items[i].each);
    free(members->items);
}

/* The order of members within a block: by conflict class, and for one atomic object and scope reads before
 * writes. */
static uint32_t sort_in_list(const struct set_member *member)
{
    const struct access_context *how = &member->how;
    return is_atomic(how->kind) ? (how->size << 4 | how->scope) << 2 | 2 | is_write(how->kind) : 0;
}

static bool are_of_one_object(const struct set_member *a, const struct set_member *b)
{
    return a->block == b->block && sort_in_list(a) >> 2 == sort_in_list(b) >> 2;
}

static int by_block(const void *a, const void *b)
{
    const struct set_member *x = a, *y = b;
    const uint32_t sort_x = sort_in_list(x), sort_y = sort_in_list(y);
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    if (sort_x != sort_y)
        return sort_x < sort_y ? -1 : 1;
    if (x->how.site != y->how.site)
        return x->how.site < y->how.site ? -1 : 1;
    if (x->how.order != y->how.order)
        return x->how.order < y->how.order ? -1 : 1;
    return x->how.size < y->how.size ? -1 : x->how.size > y->how.size;
}

/* Of one block and class: a unit's latest access makes its older ones redundant, since what is after the
 * latest is after all of them. */
static void keep_newest(struct set_member *items, uint32_t count)
{
    struct set_member *newest[BLOCK_UNITS] = {NULL};
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            struct set_member *member = &items[i];
            if (newest[at] && member_clock(member, at) < member_clock(newest[at], at))
                member = newest[at];
            struct set_member *older = member == newest[at] ? &items[i] : newest[at];
            if (older)
                older->mask &= ~(UINT64_C(1) << at);
            newest[at] = member;
        }
    }
}

/* Of one block, size and scope, reads first: removes reads that a later write of the same unit follows. What
 * races with the read races with that write (R3). */
static void leave_reads(struct set_member *items, uint32_t count)
{
    uint32_t written[BLOCK_UNITS] = {0}, i = count;
    for (; i > 0 && is_write(items[i - 1].how.kind); i--)
        for (uint64_t bits = items[i - 1].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits), clock = member_clock(&items[i - 1], at);
            written[at] = clock > written[at] ? clock : written[at];
        }
    if (i == count)
        return;
    while (i-- > 0)
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (member_clock(&items[i], at) <= written[at])
                items[i].mask &= ~(UINT64_C(1) << at);
        }
}

/* Members of one operation become one, unless memory runs out. */
static void unite(struct set_member *items, uint32_t count)
{
    for (uint32_t i = 1, first = 0; i < count; i++) {
        if (!is_same_operation(&items[i].how, &items[first].how)) {
            first = i;
            continue;
        }
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (!member_put(&items[first], at, member_clock(&items[i], at)))
                return;
            items[i].mask &= ~(UINT64_C(1) << at);
        }
    }
}

static void compact(struct members *members)
{
    struct set_member *items = members->items;
    uint32_t kept = 0;
    if (members->count > 1)
        qsort(items, members->count, sizeof *items, by_block);
    for (uint32_t from = 0, end; from < members->count; from = end) {
        for (end = from + 1; end < members->count && items[end].block == items[from].block &&
                             sort_in_list(&items[end]) == sort_in_list(&items[from]);)
            end++;
        keep_newest(items + from, end - from);
        unite(items + from, end - from);
    }
    for (uint32_t from = 0, end; from < members->count; from = end) {
        for (end = from + 1; end < members->count && are_of_one_object(&items[end], &items[from]);)
            end++;
        if (is_atomic(items[from].how.kind) && end - from > 1)
            leave_reads(items + from, end - from);
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (items[i].mask)
            member_swap(&items[kept++], &items[i]);
    members->count = members->compact = kept;
    CHECKED(kept <= members->room);
}

static bool members_widen(struct members *members, uint32_t room)
{
    CHECKED(room > members->room);
    struct set_member *items = realloc(members->items, room * sizeof *items);
    if (!items)
        return false;
    memset(items + members->room, 0, (room - members->room) * sizeof *items);
    members->items = items;
    members->room = room;
    return true;
}

/* Gives each unit a clock value of its own. False: no memory. */
static bool part(struct set_member *member)
{
    if (!member->each && !(member->each = malloc(BLOCK_UNITS * sizeof *member->each)))
        return false;
    for (uint32_t i = 0; i < BLOCK_UNITS; i++)
        member->each[i] = member->how.clock;
    member->apart = true;
    return true;
}

bool shadow_member_put(struct set_member *member, uint32_t at, uint32_t clock)
{
    CHECKED(at < BLOCK_UNITS);
    const uint64_t bit = UINT64_C(1) << at;
    if (!member->apart && member->how.clock != clock && member->mask & ~bit && !part(member))
        return false;
    *(member->apart ? &member->each[at] : &member->how.clock) = clock;
    member->mask |= bit;
    return true;
}

/* ---- one more ---------------------------------------------------------------------------- */

/* False: no memory. */
static bool members_room(struct members *members)
{
    const uint32_t room = members->room;
    if (members->count < room)
        return true;
    if (members->count >= members->compact + members->compact / 2)
        compact(members);
    if (members->room && members->count <= members->room / 2)
        return true;
    return members_widen(members, members->room < MEMBERS_FEW ? 2 * members->room + 1
                                                              : members->room + members->room / 4 + 1);
}

static bool operation_begins(struct members *members, uint64_t unit, const struct access_context *how,
                             bool late)
{
    for (uint32_t i = members->count, tries = MEMBERS_TRIED; i-- > 0 && tries--;) {
        if (!takes(&members->items[i], unit, how, late))
            continue;
        *recent_of(members, how) = (uint16_t)i;
        return member_put(&members->items[i], unit % BLOCK_UNITS, how->clock);
    }
    if (!members_room(members))
        return false;
    *recent_of(members, how) = (uint16_t)members->count;
    member_begin(&members->items[members->count++], unit, how);
    return true;
}

static void leave(struct members *members, uint32_t at)
{
    CHECKED(at < members->count);
    member_swap(&members->items[at], &members->items[--members->count]);
}

void shadow_remove_replaced(struct shadow *shadow, struct members *members, const struct shadow_access *now)
{
    const uint32_t recent = *recent_of(members, &now->how), before = members->count;
    if (recent < members->count && replaces(now, &members->items[recent].how))
        leave(members, recent);
    for (uint32_t i = members->count, tries = MEMBERS_TRIED; i-- > 0 && tries--;)
        if (replaces(now, &members->items[i].how))
            leave(members, i);
    if (members->count < before)
        fast_path_taken(shadow->order->fast_paths, FAST_PATH_REPLACED);
}

bool shadow_read_begins(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                        bool late)
{
    return operation_begins(&access_set->readers, unit, how, late);
}

bool shadow_atomic_begins(struct access_set *access_set, uint64_t unit, const struct access_context *how,
                          bool late)
{
    access_set->has_object = true;
    access_set->saturated.clock_version = 0;
    access_set->any_write |= is_write(how->kind);
    return operation_begins(&access_set->atomics, unit, how, late);
}

static bool members_copy(struct members *to, const struct members *from)
{
    if (to->room < from->count && !members_widen(to, from->count))
        return false;
    for (; to->count < from->count; to->count++) {
        struct set_member *copy = &to->items[to->count];
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

/* ---- access sets ---------------------------------------------------------------------------------- */

void shadow_access_set_free(struct access_set *access_set)
{
    members_free(&access_set->readers);
    members_free(&access_set->atomics);
    free(access_set->racers);
    free(access_set);
}

static struct access_set *access_set_new(struct shadow_region *region, uint64_t owner, uint64_t *cell)
{
    if (region->access_set_used == region->access_set_count) {
        struct access_set *made = room_for_one((void **)&region->access_sets, region->access_set_count,
                                               &region->access_set_room, HOSTILE(16, 1), sizeof made)
                                      ? calloc(1, sizeof *made)
                                      : NULL;
        if (!made)
            return NULL;
        region->access_sets[region->access_set_count++] = made;
    }
    struct access_set *access_set = region->access_sets[region->access_set_used];
    CHECKED(owner >= region->low && owner < region->high);
    access_set->owner = owner;
    access_set->region = region;
    access_set->clock_version = ++region->versions;
    access_set->race_free_version = 0;
    access_set->saturated = (struct saturated){.clock_version = 0};
    /* local memory is forgotten at each barrier, but its atomic objects are not */
    access_set->has_object = region->atomics_overwritten || region->space != IN_GLOBAL;
    access_set->readers.count = access_set->atomics.count = access_set->racer_count = 0;
    cell[1] = epoch(region->access_set_used++, CONTEXT_ACCESS_SET);
    region->touched = true;
    return access_set;
}

bool shadow_racers_make(struct shadow_region *region, struct access_set *access_set)
{
    if (!access_set->racers && region->racer_cells < RACER_CELLS_MOST &&
        (access_set->racers = calloc(RACERS_MOST, sizeof *access_set->racers)))
        region->racer_cells++;
    return access_set->racers;
}

struct access_set *shadow_access_set_copy(struct shadow_region *region, const struct access_set *from,
                                          uint64_t owner, uint64_t *cell)
{
    struct access_set *access_set = access_set_new(region, owner, cell);
    if (!access_set)
        return NULL;
    struct access_set kept = *access_set;
    *access_set = *from;
    access_set->owner = kept.owner;
    access_set->clock_version = kept.clock_version;
    access_set->race_free_version = access_set->saturated.clock_version = access_set->saturated.own = 0;
    access_set->readers = kept.readers;
    access_set->atomics = kept.atomics;
    access_set->racers = kept.racers;
    access_set->racer_count = 0;
    if (from->racer_count && shadow_racers_make(region, access_set)) {
        memcpy(access_set->racers, from->racers, from->racer_count * sizeof *access_set->racers);
        access_set->racer_count = from->racer_count;
    }
    return members_copy(&access_set->readers, &from->readers) &&
                   members_copy(&access_set->atomics, &from->atomics)
               ? access_set
               : NULL;
}

static bool operation_into(const struct visit *visit, struct access_set *access_set, uint64_t unit,
                           const struct access_context *how)
{
    const struct place place = place_of(visit, unit);
    if (!is_atomic(how->kind))
        return reader_add(access_set, unit, how, true);
    if (!has_atomics(access_set))
        begin_inclusive(access_set, how, &place);
    return atomic_add(access_set, unit, how, true);
}

static void reverse(struct members *members)
{
    for (uint32_t i = 0, j = members->count; i + 1 < j; i++)
        member_swap(&members->items[i], &members->items[--j]);
}

/* Moves a single access or a reader set into the access set, in the order in which its blocks began. False:
 * no memory. */
static bool epoch_into(const struct visit *visit, uint64_t value, struct access_set *access_set)
{
    struct cell_walk walk = epoch_walk(visit->region, value);
    while (shadow_walk_next(&walk))
        if (!operation_into(visit, access_set, walk.unit, &walk.how))
            return false;
    reverse(&access_set->readers);
    reverse(&access_set->atomics);
    return true;
}

struct access_set *shadow_access_set_make(const struct visit *visit, uint64_t *cell)
{
    struct access_set *access_set = access_set_of(visit->region, visit->address, cell);
    const uint64_t value = cell[1];
    if (access_set)
        return access_set;
    access_set = access_set_new(visit->region, visit->address, cell);
    if (!access_set || !epoch_into(visit, value, access_set))
        return NULL;
    readers_free(&visit->region->readers, value);
    return access_set;
}
