/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fences, barriers and asynchronous copies. For the oracle a barrier is two operations of each of its work-
 * items, entry and exit; a copy is a unit of its own, which begins when the first work-item has reached it.
 */
#include "race_world_state.h"

enum { COPIES = 1000 }; /* units from here on are copies */

static uint32_t all_items(void)
{
    return (1u << world.items) - 1;
}

static uint32_t items_of_sub_group(uint32_t sub_group)
{
    const uint32_t own = (1u << world.sub_group_size) - 1;
    return own << sub_group * world.sub_group_size & all_items();
}

static void announce(uint32_t group, uint32_t members, struct sync_event event)
{
    const uint64_t mask[LANE_MASK_WORDS] = {members};
    event.origin = world_origin(group);
    event.lane_count = world.items;
    event.mask = mask;
    world.observer.sync(world.observer.self, &event);
}

/* ---- fences and barriers ------------------------------------------------------------------------ */

void wave_fence(uint32_t group, uint32_t members, uint32_t flags, enum memory_ordering order,
                enum memory_scope scope)
{
    announce(group, members,
             (struct sync_event){
                 .kind = SYNC_FENCE, .regions = flags, .order = order, .scope = scope, .last = true});
    for (uint32_t lane = 0; lane < world.items; lane++) {
        if (!(members >> lane & 1))
            continue;
        struct operation *operation = world_add(ORACLE_OP_FENCE, group * world.items + lane);
        operation->flags = flags;
        operation->order = order;
        operation->scope = scope;
    }
}

void fence(uint32_t item, uint32_t flags, enum memory_ordering order, enum memory_scope scope)
{
    wave_fence(item / world.items, 1u << item % world.items, flags, order, scope);
}

/* Some members reach a barrier; with the last ones it is complete. */
static void announce_barrier(enum sync_kind kind, uint32_t group, uint32_t members, uint32_t flags,
                             enum memory_scope scope, bool last)
{
    announce(group, members,
             (struct sync_event){
                 .kind = kind, .regions = flags, .order = ORDER_ACQ_REL, .scope = scope, .last = last});
}

static void add_barrier(uint32_t group, uint32_t members, uint32_t flags, enum memory_scope scope)
{
    world.instances++;
    for (enum oracle_op_kind kind = ORACLE_OP_ENTRY; kind <= ORACLE_OP_EXIT; kind++) {
        for (uint32_t lane = 0; lane < world.items; lane++) {
            if (!(members >> lane & 1))
                continue;
            struct operation *operation = world_add(kind, group * world.items + lane);
            operation->flags = flags;
            operation->scope = scope;
            operation->instance = world.instances;
        }
    }
}

void barrier(uint32_t group, uint32_t flags, enum memory_scope scope)
{
    copy_arrives(group, UINT32_MAX);
    announce_barrier(SYNC_WORK_GROUP_BARRIER, group, all_items(), flags, scope, true);
    add_barrier(group, all_items(), flags, scope);
}

/* Members arrive in two parts, like those of a divergent wave, and continue together. */
void sub_group_barrier(uint32_t group, uint32_t sub_group, uint32_t flags, enum memory_scope scope)
{
    const uint32_t members = items_of_sub_group(sub_group), odd = members & 0xaaaaaaaa;
    const bool in_parts = odd && odd != members;
    if (in_parts)
        announce_barrier(SYNC_SUB_GROUP_BARRIER, group, odd, flags, scope, false);
    announce_barrier(SYNC_SUB_GROUP_BARRIER, group, in_parts ? members & ~odd : members, flags, scope, true);
    add_barrier(group, members, flags, scope);
}

/* Sub-groups arrive one after another, in the device's order. */
void named_barrier(uint32_t group, uint32_t sub_groups, uint32_t flags, enum memory_scope scope)
{
    uint32_t members = 0;
    for (uint32_t s = 0; s * world.sub_group_size < world.items; s++) {
        const bool last = (s + 1) * world.sub_group_size >= world.items || !(sub_groups >> (s + 1));
        if (!(sub_groups >> s & 1))
            continue;
        announce_barrier(SYNC_NAMED_BARRIER, group, items_of_sub_group(s), flags, scope, last);
        members |= items_of_sub_group(s);
    }
    add_barrier(group, members, flags, scope);
}

/* The oracle only counts it: its place among the operations stays empty. */
void collective(uint32_t group)
{
    announce(group, all_items(),
             (struct sync_event){.kind = SYNC_COLLECTIVE, .scope = SCOPE_WORK_GROUP, .last = true});
    world.oracle.count++;
}

/* ---- asynchronous copies ------------------------------------------------------------------------ */

/* Some members reach the begin of a copy, or its wait: an operation of each. */
static void reach_copy(uint32_t group, uint32_t members, enum sync_kind kind, uint32_t copy, uint32_t number)
{
    announce(group, members,
             (struct sync_event){.kind = kind, .scope = SCOPE_WORK_GROUP, .copy = number, .last = true});
    for (uint32_t lane = 0; lane < world.items; lane++) {
        if (!(members >> lane & 1))
            continue;
        struct operation *operation = world_add(
            kind == SYNC_COPY ? ORACLE_OP_COPY_START : ORACLE_OP_COPY_WAIT, group * world.items + lane);
        operation->flags = G | L;
        operation->copy = copy;
        operation->event = number;
    }
}

static void access_of_copy(uint32_t group, uint32_t copy, uint32_t number, bool write, uint32_t address,
                           uint32_t size)
{
    uint64_t mask[LANE_MASK_WORDS] = {1};
    struct access_event event = {.origin = world_origin(group),
                                 .kind = write ? ACCESS_WRITE : ACCESS_READ,
                                 .copy = number,
                                 .size_bytes = size,
                                 .lane_count = world.items,
                                 .mask = mask,
                                 .shape = ADDRESS_UNIFORM,
                                 .base = world_address(group, address),
                                 .row = WAVE_LANES_MAX};
    struct operation *operation = world_add(ORACLE_OP_ACCESS, group * world.items);
    operation->item = COPIES + copy;
    operation->copy = copy;
    operation->access = event.kind;
    world_locate(operation, group, address);
    operation->size = size;
    world.observer.access(world.observer.self, &event);
}

void copy_begins(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size)
{
    copy_arrives(group, UINT32_MAX);
    world.begun[group].copy = ++world.oracle.copies;
    world.begun[group].number = number;
    world.begun[group].reached = 0;
    world.begun[group].address = address;
    world.begun[group].size = size;
    world.begun[group].write = write;
}

void copy_arrives(uint32_t group, uint32_t members)
{
    const uint32_t copy = world.begun[group].copy, number = world.begun[group].number,
                   arriving = members & all_items() & ~world.begun[group].reached;
    if (!copy || !arriving)
        return;
    reach_copy(group, arriving, SYNC_COPY, copy, number);
    if (arriving & 1)
        access_of_copy(group, copy, number, world.begun[group].write, world.begun[group].address,
                       world.begun[group].size);
    world.begun[group].reached |= arriving;
    if (world.begun[group].reached == all_items())
        world.begun[group].copy = 0;
}

void copy_starts(uint32_t group, uint32_t number)
{
    copy_arrives(group, UINT32_MAX);
    reach_copy(group, all_items(), SYNC_COPY, ++world.oracle.copies, number);
}

void copy_accesses(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size)
{
    access_of_copy(group, world.oracle.copies, number, write, address, size);
}

void copy_waits(uint32_t group, uint32_t number)
{
    copy_arrives(group, UINT32_MAX);
    reach_copy(group, all_items(), SYNC_COPY_WAIT, world.oracle.copies, number);
}

/* ---- work-groups -------------------------------------------------------------------------------- */

void group_ends(uint32_t group)
{
    world_phase(GROUP_END, group);
}

void takes_local_memory_of(uint32_t group, uint32_t other)
{
    world.local_of[group] = other;
}
