/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-groups that are launches of their own for an inter-launch detector. Each event goes to the checker as
 * it is, and to the detector with the launch that its work-group stands for.
 */
#include "race_world_state.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The event's origin in the launch that its work-group stands for. */
static struct origin split_origin(const struct origin *origin)
{
    const uint64_t group = origin->tile_origin[0] / world.items;
    struct origin own = *origin;
    if (!world.split)
        return own;
    if (group < world.inside) {
        own.launch = &world.split_launch[0];
        return own;
    }
    own.launch = &world.split_launch[group];
    own.tile_origin[0] -= group * world.items;
    return own;
}

static bool is_outside(const struct origin *origin)
{
    return world.inside && origin->tile_origin[0] / world.items >= world.inside;
}

static void pass_received(void)
{
    if (world.inside)
        inter_launch_received(world.inter_launch, &world.split_launch[0], checker_clock(world.checker));
}

static bool is_ordered(void *self, const struct order_query *query)
{
    (void)self;
    return inter_launch_orders(world.inter_launch, &world.split_launch[0], query);
}

static void announce_access(void *self, const struct access_event *event)
{
    struct access_event own = *event;
    (void)self;
    own.origin = split_origin(&event->origin);
    if (world.inside)
        world.inter_launch_observer.access(world.inter_launch_observer.self, &own);
    if (is_outside(&event->origin)) {
        if (event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ)
            checker_receive_other(world.checker, event);
        return;
    }
    world.checker_observer.access(world.checker_observer.self, event);
    if (!world.inside)
        world.inter_launch_observer.access(world.inter_launch_observer.self, &own);
    pass_received();
}

static void announce_sync(void *self, const struct sync_event *event)
{
    struct sync_event own = *event;
    (void)self;
    own.origin = split_origin(&event->origin);
    if (world.inside)
        world.inter_launch_observer.sync(world.inter_launch_observer.self, &own);
    if (is_outside(&event->origin))
        return;
    world.checker_observer.sync(world.checker_observer.self, event);
    if (!world.inside)
        world.inter_launch_observer.sync(world.inter_launch_observer.self, &own);
    pass_received();
}

static void announce_phase(enum launch_phase what, uint64_t group)
{
    const bool within = group < world.inside;
    const struct launch_event event = {
        .launch = &world.split_launch[within ? 0 : group], .phase = what, .group_linear = within ? group : 0};
    world.inter_launch_observer.launch(world.inter_launch_observer.self, &event);
}

static void announce_command(enum order_kind kind, uint32_t group)
{
    const struct order_event event = {
        .kind = kind, .command = group + 1, .queue = group + 1, .call = "clEnqueueNDRangeKernel"};
    inter_launch_order(world.inter_launch, &event);
}

static bool always(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    (void)self, (void)what;
    return a != b;
}

static uint32_t item_of(const struct inter_launch_race *race, int side)
{
    return (race->side[side].command - 1) * world.items +
           (uint32_t)race->finding.access[side].item.local_linear;
}

static void add_conflict(void *self, const struct inter_launch_race *race)
{
    const struct inter_launch_side *one = &race->side[0], *other = &race->side[1];
    (void)self;
    world.conflicts = realloc(world.conflicts, (world.conflict_count + 1) * sizeof *world.conflicts);
    world.conflicts[world.conflict_count++] = (struct conflict){{one->site, other->site},
                                                                {item_of(race, 0), item_of(race, 1)},
                                                                {one->copy, other->copy},
                                                                race->finding.offset_bytes,
                                                                strstr(race->finding.object, "image")};
}

static void end_launches(void)
{
    for (uint32_t i = 0; i < world.groups; i++)
        announce_phase(LAUNCH_END, i);
    for (uint32_t i = 0; i < world.groups; i++) {
        inter_launch_end_command(world.inter_launch, i + 1,
                                 &(struct inter_launch_reporter){NULL, always, add_conflict});
        announce_command(ORDER_END, i);
    }
}

static void announce_launch(void *self, const struct launch_event *event)
{
    (void)self;
    if (!world.split && event->phase == LAUNCH_BEGIN)
        ck_assert(inter_launch_begin(world.inter_launch, event->launch));
    world.checker_observer.launch(world.checker_observer.self, event);
    if (!world.split) {
        world.inter_launch_observer.launch(world.inter_launch_observer.self, event);
        return;
    }
    if (event->phase == GROUP_END)
        announce_phase(GROUP_END, event->group_linear);
    else if (event->phase == LAUNCH_END)
        end_launches();
}

void world_add_inter_launch(void)
{
    world.inter_launch = inter_launch_new(&world.memory, world.oracle.rule);
    inter_launch_observer(world.inter_launch, &world.inter_launch_observer);
    world.checker_observer = world.observer;
    world.observer =
        (struct observer){.access = announce_access, .sync = announce_sync, .launch = announce_launch};
}

void world_split_within(uint32_t inside)
{
    world.inside = world.oracle.inside = inside;
    world.order_queries = (struct order_queries){NULL, is_ordered};
    checker_set_order_queries(world.checker, &world.order_queries);
    world_split();
    pass_received();
}

/* The launch that work-group i stands for; nothing orders it with the others. */
static void begin_split_launch(uint32_t i)
{
    struct launch_info *launch = &world.split_launch[i];
    *launch = world.launch;
    launch->launch = 10 + i;
    launch->command = i + 1;
    launch->device = world.devices ? i : 0;
    launch->group_count[0] = i ? 1 : world.inside ? world.inside : 1;
    launch->global_size[0] = launch->group_count[0] * world.items;
    if (!i || i >= world.inside) {
        announce_command(ORDER_ENQUEUED, i);
        announce_command(ORDER_BEGIN, i);
        ck_assert(inter_launch_begin(world.inter_launch, launch));
    }
    announce_phase(GROUP_BEGIN, i);
}

void world_split(void)
{
    world_add_inter_launch();
    world.split = true;
    /* atomics of several launches are guaranteed in SVM alone */
    world.regions[2 + GROUPS_MOST].flags |= REGION_FLAG_SVM;
    world.regions[1].flags |= world.plain ? 0 : REGION_FLAG_SVM;
    strcpy(world.regions[2 + GROUPS_MOST].name, "image");
    for (uint32_t i = 0; i < world.groups; i++)
        begin_split_launch(i);
}

void world_split_buffer(void)
{
    world.plain = !world.oracle.svm_atomics;
    world_split();
}

void world_split_devices(void)
{
    world.devices = true;
    world_split();
}

void world_begins_too_large(void)
{
    struct launch_info large = world.launch;
    large.launch = 100;
    large.local_size[0] = 1 << 20;
    ck_assert(!inter_launch_begin(world.inter_launch, &large));
}
