/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what stands in one cell besides the last plain write: readers and atomics in blocks of units. */
#include "shadow_state.h"

enum { MEMBERS_TRIED = HOSTILE(16, 2), MEMBERS_FEW = HOSTILE(64, 2), LONE_FROM = HOSTILE(15, 7) };

/* ---- members --------------------------------------------------------------------------------- */

static void members_free(struct members *members)
{
    for (uint32_t i = 0; i < members->room; i++)
        free(members->items[i].each);
    free(members->items);
}

/* Deeds of one sort conflict with the same others. Behind reads come the writes whose atomic objects and scopes are the same. */
static uint32_t sort_in_list(const struct member *member)
{
    const struct context *how = &member->how;
    return is_atomic(how->kind) ? (how->size << 4 | how->scope) << 2 | 2 | is_write(how->kind) : 0;
}

static bool are_of_one_object(const struct member *a, const struct member *b)
{
    return a->block == b->block && sort_in_list(a) >> 2 == sort_in_list(b) >> 2;
}

static int by_block(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
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

/* Of one block, size and scope, reads first: who races with a unit's read races with what it writes later (R3). */
static void leave_reads(struct member *items, uint32_t count)
{
    uint32_t written[BLOCK_UNITS] = {0}, i = count;
    for (; i > 0 && is_write(items[i - 1].how.kind); i--)
        for (uint64_t bits = items[i - 1].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits), tick = member_tick(&items[i - 1], at);
            written[at] = tick > written[at] ? tick : written[at];
        }
    if (i == count)
        return;
    while (i-- > 0)
        for (uint64_t bits = items[i].mask; bits; bits &= bits - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(bits);
            if (member_tick(&items[i], at) <= written[at])
                items[i].mask &= ~(UINT64_C(1) << at);
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
        for (end = from + 1; end < members->count && items[end].block == items[from].block && sort_in_list(&items[end]) == sort_in_list(&items[from]);)
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

static void members_narrow(struct members *members, uint32_t room)
{
    for (uint32_t i = room; i < members->room; i++)
        free(members->items[i].each);
    members->room = room;
    struct member *items = realloc(members->items, room * sizeof *items);
    members->items = items ? items : members->items;
}

/* Each unit has a tick of its own from now on. False: no memory. */
static bool part(struct member *member)
{
    if (!member->each && !(member->each = malloc(BLOCK_UNITS * sizeof *member->each)))
        return false;
    for (uint32_t i = 0; i < BLOCK_UNITS; i++)
        member->each[i] = member->how.tick;
    member->apart = true;
    return true;
}

bool shadow_member_put(struct member *member, uint32_t at, uint32_t tick)
{
    const uint64_t bit = UINT64_C(1) << at;
    if (!member->apart && member->how.tick != tick && member->mask & ~bit && !part(member))
        return false;
    *(member->apart ? &member->each[at] : &member->how.tick) = tick;
    member->mask |= bit;
    return true;
}

/* ---- those that came alone ------------------------------------------------------------------- */

/* False: no memory. */
static bool lone_room(struct lone *lone)
{
    if (lone->count < lone->room)
        return true;
    const uint32_t room = lone->room + lone->room / 4 + MEMBERS_FEW;
    uint64_t *stamps = realloc(lone->stamps, room * sizeof *stamps);
    if (!stamps)
        return false;
    lone->stamps = stamps;
    lone->room = room;
    return true;
}

/* As far as there is memory; so many left. */
static void lay_down_lone(struct crowd *crowd)
{
    struct members *atomics = &crowd->atomics;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < atomics->count; i++) {
        struct member *member = &atomics->items[i];
        const bool alone = !(member->mask & (member->mask - 1)) && lone_room(&crowd->lone);
        const uint32_t at = (uint32_t)__builtin_ctzll(member->mask);
        const struct context how = member_how(member, at);
        const uint32_t context = alone ? shadow_context_again(crowd->region, &how) : 0;
        if (context)
            crowd->lone.stamps[crowd->lone.count++] = stamp(member_unit(member, at), context);
        else
            member_swap(&atomics->items[kept++], member);
    }
    atomics->count = atomics->compact = kept;
}

/* Back among the others, which may make them redundant. False: no memory. */
static bool take_back_lone(struct crowd *crowd)
{
    struct members *atomics = &crowd->atomics;
    struct lone *lone = &crowd->lone;
    if (atomics->room < atomics->count + lone->count && !members_widen(atomics, atomics->count + lone->count))
        return false;
    for (uint32_t i = 0; i < lone->count; i++)
        member_begin(&atomics->items[atomics->count++], stamp_unit(lone->stamps[i]), stamp_how(crowd->region, lone->stamps[i]));
    lone->count = 0;
    return true;
}

static void shorten(struct crowd *crowd)
{
    struct members *atomics = &crowd->atomics;
    const uint32_t room = atomics->room;
    const bool all = crowd->lone.count > 2 * crowd->lone.compact && take_back_lone(crowd);
    if (all || atomics->count >= atomics->compact + atomics->compact / 2)
        compact(atomics);
    lay_down_lone(crowd);
    if (all)
        crowd->lone.compact = crowd->lone.count;
    if (all && atomics->count <= room)
        members_narrow(atomics, room);
}

/* lone: of the list that may have some; NULL: it has none. False: no memory. */
static bool members_room(struct members *members, struct crowd *lone)
{
    const uint32_t room = members->room;
    if (members->count < room)
        return true;
    if (lone && room >= LONE_FROM)
        shorten(lone);
    else if (members->count >= members->compact + members->compact / 2)
        compact(members);
    if (members->room && members->count <= members->room / 2)
        return true;
    return members_widen(members, members->room < MEMBERS_FEW ? 2 * members->room + 1 : members->room + members->room / 4 + 1);
}

static bool deed_begins(struct members *members, struct crowd *lone, uint64_t unit, const struct context *how, bool late)
{
    for (uint32_t i = members->count, tries = MEMBERS_TRIED; i-- > 0 && tries--;) {
        if (!takes(&members->items[i], unit, how, late))
            continue;
        *recent_of(members, how) = (uint16_t)i;
        return member_put(&members->items[i], unit % BLOCK_UNITS, how->tick);
    }
    const struct context deed = *how; /* where it stands may move when others are laid down */
    if (!members_room(members, lone))
        return false;
    *recent_of(members, &deed) = (uint16_t)members->count;
    member_begin(&members->items[members->count++], unit, &deed);
    return true;
}

static void leave(struct members *members, uint32_t at)
{
    member_swap(&members->items[at], &members->items[--members->count]);
}

void shadow_leave_alike(struct shadow *shadow, struct members *members, const struct shadow_access *now)
{
    const uint32_t recent = *recent_of(members, &now->how), before = members->count;
    if (recent < members->count && stands_for(now, &members->items[recent].how))
        leave(members, recent);
    for (uint32_t i = members->count, tries = MEMBERS_TRIED; i-- > 0 && tries--;)
        if (stands_for(now, &members->items[i].how))
            leave(members, i);
    if (members->count < before)
        way_taken(shadow->order->ways, WAY_FOLLOWED);
}

bool shadow_read_begins(struct crowd *crowd, uint64_t unit, const struct context *how, bool late)
{
    return deed_begins(&crowd->readers, NULL, unit, how, late);
}

bool shadow_atomic_begins(struct crowd *crowd, uint64_t unit, const struct context *how, bool late)
{
    crowd->heard = true;
    crowd->settled.epoch = 0;
    crowd->any_write |= is_write(how->kind);
    return deed_begins(&crowd->atomics, crowd, unit, how, late);
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

static bool lone_copy(struct lone *to, const struct lone *from)
{
    for (; to->count < from->count; to->count++) {
        if (!lone_room(to))
            return false;
        to->stamps[to->count] = from->stamps[to->count];
    }
    return true;
}

/* ---- crowds ---------------------------------------------------------------------------------- */

void shadow_crowd_free(struct crowd *crowd)
{
    members_free(&crowd->readers);
    members_free(&crowd->atomics);
    free(crowd->lone.stamps);
    free(crowd->racers);
    free(crowd);
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
    crowd->region = region;
    crowd->epoch = ++region->epochs;
    crowd->calm_epoch = 0;
    crowd->settled = (struct settled){.epoch = 0};
    crowd->heard = region->bygone || region->space != IN_GLOBAL; /* memory of groups is forgotten while their objects stay */
    crowd->readers.count = crowd->atomics.count = crowd->lone.count = crowd->lone.compact = crowd->racer_count = 0;
    cell[1] = stamp(region->crowd_used++, CONTEXT_CROWD);
    region->touched = true;
    return crowd;
}

bool shadow_racers_make(struct shadow_region *region, struct crowd *crowd)
{
    if (!crowd->racers && region->racer_cells < RACER_CELLS_MOST && (crowd->racers = calloc(RACERS_MOST, sizeof *crowd->racers)))
        region->racer_cells++;
    return crowd->racers;
}

struct crowd *shadow_crowd_copy(struct shadow_region *region, const struct crowd *from, uint64_t owner, uint64_t *cell)
{
    struct crowd *crowd = crowd_new(region, owner, cell);
    if (!crowd)
        return NULL;
    struct crowd kept = *crowd;
    *crowd = *from;
    crowd->owner = kept.owner;
    crowd->epoch = kept.epoch;
    crowd->calm_epoch = crowd->settled.epoch = crowd->settled.own = 0;
    crowd->readers = kept.readers;
    crowd->atomics = kept.atomics;
    crowd->lone = kept.lone;
    crowd->racers = kept.racers;
    crowd->racer_count = 0;
    if (from->racer_count && shadow_racers_make(region, crowd)) {
        memcpy(crowd->racers, from->racers, from->racer_count * sizeof *crowd->racers);
        crowd->racer_count = from->racer_count;
    }
    return members_copy(&crowd->readers, &from->readers) && members_copy(&crowd->atomics, &from->atomics) && lone_copy(&crowd->lone, &from->lone) ? crowd : NULL;
}

static bool deed_into(const struct visit *visit, struct crowd *crowd, uint64_t unit, const struct context *how, bool late)
{
    const struct place place = place_of(visit, unit);
    if (!is_atomic(how->kind))
        return reader_add(crowd, unit, how, late);
    if (!has_atomics(crowd))
        begin_alike(crowd, how, &place);
    return add_alike(crowd, unit, how, late);
}

static void turn_round(struct members *members)
{
    for (uint32_t i = 0, j = members->count; i + 1 < j; i++)
        member_swap(&members->items[i], &members->items[--j]);
}

/* Those of the set, in the order in which they came. */
static bool set_into(const struct visit *visit, uint64_t value, struct crowd *crowd)
{
    const struct shadow_region *region = visit->region;
    struct reader_walk walk = readers_walk(value);
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (!deed_into(visit, crowd, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context), true))
                return false;
    turn_round(&crowd->readers);
    turn_round(&crowd->atomics);
    return true;
}

/* The cell's crowd; what stands there by itself moves into it, or a set. */
struct crowd *shadow_crowd_make(const struct visit *visit, uint64_t *cell)
{
    struct crowd *crowd = crowd_of(visit->region, visit->address, cell);
    const uint64_t single = cell[1];
    if (crowd)
        return crowd;
    crowd = crowd_new(visit->region, visit->address, cell);
    if (crowd && live(visit->region, single) &&
        !deed_into(visit, crowd, stamp_unit(single), context_at(visit->region, stamp_context(single)), false))
        return NULL;
    return crowd && set_into(visit, single, crowd) ? crowd : NULL;
}
