/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads, stores and atomics. An access of a wave is one event for the checker, and for the oracle an
 * operation of each of its work-items.
 */
#include "race_world_state.h"

#include <stdlib.h>

struct origin world_origin(uint32_t group)
{
    struct origin origin = {.launch = &world.launch,
                            .tile_origin = {(uint64_t)group * world.items, 0, 0},
                            .tile_size = {world.items, 1, 1},
                            .site = world.next_site ? world.next_site - 1 : world.oracle.count};
    return origin;
}

struct operation *world_add(enum oracle_op_kind kind, uint32_t item)
{
    struct operation *operation = &world.oracle.operations[world.oracle.count++];
    if (world.oracle.count > ORACLE_ORACLE_OPS)
        abort();
    *operation = (struct operation){.kind = kind,
                                    .site = (world.next_site ? world.next_site : world.oracle.count) - 1,
                                    .item = item,
                                    .group = item / world.items,
                                    .sub_group = item % world.items / world.sub_group_size};
    return operation;
}

uint64_t world_address(uint32_t group, uint32_t address)
{
    if (address >= IMAGE)
        return world.regions[2 + GROUPS_MOST].low + address - IMAGE;
    return address < LOCAL ? world.regions[1].low + address
                           : world.regions[2 + world.local_of[group]].low + (address - LOCAL);
}

void world_locate(struct operation *operation, uint32_t group, uint32_t address)
{
    operation->region = address >= IMAGE ? IN_IMAGE : address >= LOCAL ? IN_LOCAL : IN_GLOBAL;
    operation->space = operation->region == IN_LOCAL   ? 1 + group
                       : operation->region == IN_IMAGE ? UINT32_MAX
                                                       : 0;
    operation->address = address % LOCAL;
}

/* ---- accesses of one work-item ------------------------------------------------------------------ */

/* The site of an access of the instruction `again`; NO_SITE: of an instruction of its own. */
static uint32_t site_of(uint32_t again)
{
    return again == NO_SITE ? world.oracle.count : again;
}

/* One work-item's access: the event has kind, order, scope and size. An update that fails only reads. */
static void act(uint32_t item, uint32_t address, struct access_event event)
{
    const uint32_t group = item / world.items;
    const uint64_t mask[LANE_MASK_WORDS] = {UINT64_C(1) << item % world.items};
    event.origin = world_origin(group);
    event.lane_count = world.items;
    event.mask = mask;
    event.shape = ADDRESS_UNIFORM;
    event.base = world_address(group, address);
    event.row = WAVE_LANES_MAX;
    struct operation *operation = world_add(ORACLE_OP_ACCESS, item);
    operation->access = event.failed ? ACCESS_ATOMIC_READ : event.kind;
    operation->order = event.failed ? event.failure_order : event.order;
    operation->scope = event.scope;
    operation->size = event.size_bytes;
    operation->sampled = event.sampled;
    world_locate(operation, group, address);
    event.image = operation->region == IN_IMAGE;
    if (world.packs_atomics)
        checker_pack_atomics(world.checker);
    world.observer.access(world.observer.self, &event);
}

static uint32_t act_again(uint32_t item, uint32_t address, struct access_event event, uint32_t again)
{
    const uint32_t site = site_of(again);
    world.next_site = site + 1;
    act(item, address, event);
    world.next_site = 0;
    return site;
}

static struct access_event plain(bool write, uint32_t size)
{
    return (struct access_event){.kind = write ? ACCESS_WRITE : ACCESS_READ, .size_bytes = size};
}

static struct access_event atomic_of(uint32_t size, enum access_kind kind, enum memory_ordering order,
                                     enum memory_scope scope)
{
    return (struct access_event){.kind = kind, .order = order, .scope = scope, .size_bytes = size};
}

void reads(uint32_t item, uint32_t address, uint32_t size)
{
    act(item, address, plain(false, size));
}

void writes(uint32_t item, uint32_t address, uint32_t size)
{
    act(item, address, plain(true, size));
}

void samples(uint32_t item, uint32_t address)
{
    struct access_event event = plain(false, 4);
    event.sampled = true;
    act(item, address, event);
}

uint32_t touches(uint32_t item, bool write, uint32_t address, uint32_t again)
{
    return touches_bytes(item, write, address, 4, again);
}

uint32_t touches_bytes(uint32_t item, bool write, uint32_t address, uint32_t size, uint32_t again)
{
    return act_again(item, address, plain(write, size), again);
}

uint32_t looks(uint32_t item, uint32_t address, uint32_t again)
{
    return act_again(item, address, atomic_of(4, ACCESS_ATOMIC_READ, ORDER_RELAXED, SCOPE_DEVICE), again);
}

uint32_t changes(uint32_t item, uint32_t address, enum memory_ordering order, enum memory_scope scope,
                 uint32_t again)
{
    return act_again(item, address, atomic_of(4, ACCESS_ATOMIC_UPDATE, order, scope), again);
}

uint32_t adds(uint32_t item, uint32_t address, uint32_t again)
{
    return changes(item, address, ORDER_RELAXED, SCOPE_DEVICE, again);
}

void atomic(uint32_t item, uint32_t address, uint32_t size, enum access_kind kind, enum memory_ordering order,
            enum memory_scope scope)
{
    act(item, address, atomic_of(size, kind, order, scope));
}

void store(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_WRITE, order, scope);
}

void load(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_READ, order, scope);
}

void update(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope)
{
    atomic(item, flag, 4, ACCESS_ATOMIC_UPDATE, order, scope);
}

void release(uint32_t item, uint32_t flag, enum memory_scope scope)
{
    store(item, flag, ORDER_RELEASE, scope);
}

void acquire(uint32_t item, uint32_t flag, enum memory_scope scope)
{
    load(item, flag, ORDER_ACQUIRE, scope);
}

void failing_exchange(uint32_t item, uint32_t address, enum memory_ordering order,
                      enum memory_ordering failure, enum memory_scope scope)
{
    const uint64_t failed[LANE_MASK_WORDS] = {UINT64_C(1) << item % world.items};
    struct access_event event = atomic_of(4, ACCESS_ATOMIC_UPDATE, order, scope);
    event.failure_order = failure;
    event.failed = failed;
    act(item, address, event);
}

/* ---- accesses of a wave ------------------------------------------------------------------------ */

/* One event, and an operation of each work-item; all have this site. */
static void act_together(uint32_t group, struct access_event *event, const uint32_t *addresses,
                         uint32_t members, uint32_t site)
{
    uint64_t mask[LANE_MASK_WORDS] = {members}, listed[WAVE_LANES_MAX];
    event->origin = world_origin(group);
    event->origin.site = site;
    event->lane_count = world.items;
    event->mask = mask;
    event->row = event->row ? event->row : WAVE_LANES_MAX;
    for (uint32_t lane = 0; lane < world.items; lane++) {
        struct operation *operation = world_add(ORACLE_OP_ACCESS, group * world.items + lane);
        bool acts = members >> lane & 1;
        operation->site = site;
        operation->access = event->kind;
        operation->order = event->order;
        operation->scope = event->scope;
        world_locate(operation, group, addresses[lane]);
        operation->size = acts ? event->size_bytes : 0; /* an access of nothing conflicts with nothing */
        listed[lane] = world_address(group, addresses[lane]);
    }
    event->image = addresses[0] >= IMAGE;
    event->base = listed[0];
    event->address = listed;
    world.observer.access(world.observer.self, event);
}

static void step_along(uint32_t *addresses, uint32_t address, int32_t step)
{
    for (uint32_t lane = 0; lane < world.items; lane++)
        addresses[lane] = address + (uint32_t)(step * (int32_t)lane);
}

void sweeps(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t size, uint32_t members)
{
    uint32_t addresses[WAVE_LANES_MAX];
    struct access_event event = {.kind = write ? ACCESS_WRITE : ACCESS_READ,
                                 .shape = step ? ADDRESS_AFFINE : ADDRESS_UNIFORM,
                                 .step_x = step,
                                 .size_bytes = size};
    step_along(addresses, address, step);
    act_together(group, &event, addresses, members, world.oracle.count);
}

void texels(uint32_t group, uint32_t address, int32_t step_x, int32_t step_y, uint32_t row, uint32_t members)
{
    uint32_t addresses[WAVE_LANES_MAX];
    struct access_event event = {.kind = ACCESS_READ,
                                 .shape = ADDRESS_AFFINE,
                                 .step_x = step_x,
                                 .step_y = step_y,
                                 .row = row,
                                 .size_bytes = 4};
    for (uint32_t lane = 0; lane < world.items; lane++)
        addresses[lane] =
            address + (uint32_t)(step_x * (int32_t)(lane % row) + step_y * (int32_t)(lane / row));
    act_together(group, &event, addresses, members, world.oracle.count);
}

uint32_t loops(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t members,
               uint32_t iterations, int32_t iteration_step, uint32_t again)
{
    const uint32_t site = site_of(again);
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        uint32_t addresses[WAVE_LANES_MAX];
        struct access_event event = {.kind = write ? ACCESS_WRITE : ACCESS_READ,
                                     .shape = step ? ADDRESS_AFFINE : ADDRESS_UNIFORM,
                                     .step_x = step,
                                     .size_bytes = 4};
        step_along(addresses, address + (uint32_t)(iteration_step * (int32_t)iteration), step);
        act_together(group, &event, addresses, members, site);
    }
    return site;
}

void atomics(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum access_kind kind,
             enum memory_ordering order, enum memory_scope scope)
{
    uint32_t addresses[WAVE_LANES_MAX];
    struct access_event event = {.kind = kind,
                                 .order = order,
                                 .scope = scope,
                                 .size_bytes = 4,
                                 .shape = step ? ADDRESS_LIST : ADDRESS_UNIFORM};
    step_along(addresses, address, step);
    act_together(group, &event, addresses, members, world.oracle.count);
}

void updates(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum memory_scope scope)
{
    atomics(group, address, step, members, ACCESS_ATOMIC_UPDATE, ORDER_RELAXED, scope);
}

void gathers(uint32_t group, bool write, const uint32_t *addresses, uint32_t size)
{
    struct access_event event = {
        .kind = write ? ACCESS_WRITE : ACCESS_READ, .shape = ADDRESS_LIST, .size_bytes = size};
    act_together(group, &event, addresses, (1u << world.items) - 1, world.oracle.count);
}

/* Compare-exchanges, of which some failed. */
static void exchange_all(uint32_t group, struct access_event *event, const uint32_t *addresses,
                         uint32_t members, uint32_t failed, uint32_t site)
{
    const uint64_t lanes[LANE_MASK_WORDS] = {failed};
    const uint32_t first = world.oracle.count;
    event->kind = ACCESS_ATOMIC_UPDATE;
    event->failure_order = ORDER_RELAXED;
    event->failed = failed ? lanes : NULL;
    event->size_bytes = 4;
    act_together(group, event, addresses, members, site);
    for (uint32_t lane = 0; lane < world.items; lane++) {
        if (!(failed >> lane & 1))
            continue;
        world.oracle.operations[first + lane].access = ACCESS_ATOMIC_READ;
        world.oracle.operations[first + lane].order = ORDER_RELAXED;
    }
}

uint32_t exchanges(uint32_t group, uint32_t address, uint32_t members, uint32_t winner,
                   enum memory_ordering order, enum memory_scope scope, uint32_t again)
{
    const uint32_t site = site_of(again);
    uint32_t addresses[WAVE_LANES_MAX];
    struct access_event event = {.order = order, .scope = scope, .shape = ADDRESS_UNIFORM};
    step_along(addresses, address, 0);
    exchange_all(group, &event, addresses, members, members & ~(1u << winner), site);
    return site;
}

void scattered_exchanges(uint32_t group, const uint32_t *addresses, uint32_t members, uint32_t failed,
                         enum memory_scope scope)
{
    struct access_event event = {.order = ORDER_RELAXED, .scope = scope, .shape = ADDRESS_LIST};
    exchange_all(group, &event, addresses, members, members & failed, world.oracle.count);
}
