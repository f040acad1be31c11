/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-items act one after another: each operation is announced to a checker as the device would announce it,
 * and kept for the oracle (race_oracle.h). An operation's site is its number, and a finding's line its site +
 * 1. The judge macros compare checker and oracle on what was recorded.
 */
#include "race_world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/checker.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "sim/memmodel/commands/launch_tree_races.h"
#include "sim/memmodel/common/fast_path.h"
#include "fail_at.h"
#include "race_judge.h"

enum { COPIES = 1000 }; /* units from here on are copies */

static struct {
    uint32_t groups, items, sub_group_size;
    uint32_t same;             /* 1 + site of the next operation; 0: one of its own */
    struct race_oracle oracle; /* and the operations so far */
    struct scenario scenario;
    struct report *report;
    struct checker *checker;
    bool forgets_wave;
    struct tree_races *tree_races;
    struct footprint_sink sink;
    uint64_t waited_group;
    struct observer observer;
    struct launch_info launch;
    struct memory memory;
    struct region regions[3 + GROUPS_MOST];
    uint32_t granules[2 + GROUPS_MOST], local_of[GROUPS_MOST];
    uint32_t instances; /* of barriers */
    struct {
        uint32_t copy, number, came, address, size;
        bool write;
    } begun[GROUPS_MOST];              /* copy 0: none */
    struct inter_launch *inter_launch; /* NULL: no detector across launches */
    bool split;                        /* work-groups are launches, for it */
    /* so many of the first are one launch, which alone is checked; 0: no launch is */
    uint32_t inside;
    struct order_queries order_queries;
    bool devices; /* of a device each */
    bool plain;   /* global memory is none that launches share */
    struct observer inter_launch_order, observed;
    struct launch_info apart[GROUPS_MOST];
    struct conflict *conflicts;
    uint32_t conflict_count;
} world;

/* ---- the stage ------------------------------------------------------------------------ */

static void place_of(void *self, uint32_t site, struct source_place *out_place)
{
    (void)self;
    memset(out_place, 0, sizeof *out_place);
    out_place->line = site + 1; /* each operation is a line of its own */
}

static const char *what_of(void *self, uint32_t site)
{
    (void)self, (void)site;
    return "access";
}

static void object_of(void *self, uint64_t address, char *out_name, size_t size)
{
    (void)self;
    snprintf(out_name, size, "%s memory",
             address - world.memory.base < 1 << GRANULE_SHIFT ? "global" : "local");
}

static void make_memory(void)
{
    static uint8_t *arena; /* of every world: no stores there, and to map it each time takes long */
    const size_t granule = (size_t)1 << GRANULE_SHIFT;
    if (!arena && (arena = aligned_alloc(granule, (2 + GROUPS_MOST) * granule)))
        memset(arena, 0, (2 + GROUPS_MOST) * granule);
    const uint64_t base = (uint64_t)(uintptr_t)arena;
    world.regions[0] = (struct region){.low = 1};
    for (uint32_t i = 0; i <= GROUPS_MOST + 1; i++) {
        world.granules[i] = i + 1;
        world.regions[i + 1] =
            (struct region){.low = base + i * granule,
                            .high = base + i * granule + WORLD_BYTES,
                            .id = i + 1,
                            .kind = i && i <= GROUPS_MOST ? REGION_LOCAL_VARIABLE : REGION_BUFFER};
    }
    world.memory = (struct memory){.base = base,
                                   .size = (2 + GROUPS_MOST) * granule,
                                   .granule = world.granules,
                                   .regions = world.regions,
                                   .region_count = 3 + GROUPS_MOST};
}

static void phase(enum launch_phase what, uint32_t group)
{
    struct launch_event event = {.launch = &world.launch, .phase = what, .group_linear = group};
    world.observer.launch(world.observer.self, &event);
}

/* The checker's footprints go to a new checker of launch trees. */
static void find_tree_races(void)
{
    world.tree_races = tree_races_new(&world.memory, world.report, world.inter_launch);
    world.sink = tree_races_footprints(world.tree_races);
    checker_set_sink(world.checker, &world.sink);
}

static void begin(uint32_t groups, uint32_t items, uint32_t sub_group_size, enum scope_rule rule,
                  enum check check)
{
    const struct checker_host host = {.place = place_of, .what = what_of, .object = object_of};
    memset(&world, 0, sizeof world);
    world.groups = groups;
    for (uint32_t i = 0; i < GROUPS_MOST; i++)
        world.local_of[i] = i;
    world.items = items;
    world.sub_group_size = sub_group_size;
    world.oracle.rule = rule;
    scenario_default(&world.scenario);
    checks_fast(world.scenario.checks);
    world.scenario.checks[CHECK_RACES] = world.scenario.checks[CHECK_ATOMICS] = SEVERITY_OFF;
    world.scenario.checks[check] = SEVERITY_ERROR; /* misuse is not a race */
    world.scenario.device.scope_rule = rule;
    world.report = report_new(&world.scenario);
    report_set_stream(world.report, NULL, false);
    make_memory();
    world.checker = checker_new(&world.memory, world.report, &world.scenario, &host);
    checker_observer(world.checker, &world.observer);
    find_tree_races();
    world.launch = (struct launch_info){.launch = 1,
                                        .kernel = "k",
                                        .work_dim = 1,
                                        .sub_group_size = sub_group_size,
                                        .releases = SCOPE_DEVICE,
                                        .acquires = SCOPE_DEVICE,
                                        .global_size = {(uint64_t)groups * items, 1, 1},
                                        .local_size = {items, 1, 1},
                                        .group_count = {groups, 1, 1}};
    phase(LAUNCH_BEGIN, 0);
    for (uint32_t i = 0; i < groups; i++)
        phase(GROUP_BEGIN, i);
}

void world_begin(uint32_t groups, uint32_t items, uint32_t sub_group_size, enum scope_rule rule)
{
    begin(groups, items, sub_group_size, rule, CHECK_RACES);
}

static void observe_launch_tree(void);
void two_groups(void)
{
    world_begin(2, 2, 1, SCOPE_RULE_EQUAL), observe_launch_tree();
}
void one_group(void)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL), observe_launch_tree();
}

void world_begin_misuse(uint32_t groups, uint32_t items, uint32_t sub_group_size)
{
    begin(groups, items, sub_group_size, SCOPE_RULE_EQUAL, CHECK_ATOMICS);
}

static bool ended;

static void finish(void)
{
    for (uint32_t i = 0; !ended && i < world.groups; i++)
        copy_arrives(i, UINT32_MAX);
    if (!ended)
        phase(LAUNCH_END, 0);
    ended = true;
}

/* ---- work-groups as launches ---------------------------------------------------------------- */

static struct origin apart(const struct origin *origin)
{
    const uint64_t group = origin->tile_origin[0] / world.items;
    struct origin own = *origin;
    if (!world.split)
        return own;
    if (group < world.inside) {
        own.launch = &world.apart[0];
        return own;
    }
    own.launch = &world.apart[group];
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
        inter_launch_received(world.inter_launch, &world.apart[0], checker_clock(world.checker));
}

static bool is_ordered(void *self, const struct order_query *query)
{
    (void)self;
    return inter_launch_orders(world.inter_launch, &world.apart[0], query);
}

static void both_access(void *self, const struct access_event *event)
{
    struct access_event own = *event;
    (void)self;
    own.origin = apart(&event->origin);
    if (world.inside)
        world.inter_launch_order.access(world.inter_launch_order.self, &own);
    if (is_outside(&event->origin)) {
        if (event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ)
            checker_receive_other(world.checker, event);
        return;
    }
    world.observed.access(world.observed.self, event);
    if (!world.inside)
        world.inter_launch_order.access(world.inter_launch_order.self, &own);
    pass_received();
}

static void both_sync(void *self, const struct sync_event *event)
{
    struct sync_event own = *event;
    (void)self;
    own.origin = apart(&event->origin);
    if (world.inside)
        world.inter_launch_order.sync(world.inter_launch_order.self, &own);
    if (is_outside(&event->origin))
        return;
    world.observed.sync(world.observed.self, event);
    if (!world.inside)
        world.inter_launch_order.sync(world.inter_launch_order.self, &own);
    pass_received();
}

static void announce_inter_launch_order(enum launch_phase what, uint64_t group)
{
    const bool within = group < world.inside;
    const struct launch_event event = {
        .launch = &world.apart[within ? 0 : group], .phase = what, .group_linear = within ? group : 0};
    world.inter_launch_order.launch(world.inter_launch_order.self, &event);
}

static void order_inter_launch(enum order_kind kind, uint32_t group)
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

static void both_launch(void *self, const struct launch_event *event)
{
    (void)self;
    if (!world.split && event->phase == LAUNCH_BEGIN)
        ck_assert(inter_launch_begin(world.inter_launch, event->launch));
    world.observed.launch(world.observed.self, event);
    if (!world.split) {
        world.inter_launch_order.launch(world.inter_launch_order.self, event);
        return;
    }
    if (event->phase == GROUP_END)
        announce_inter_launch_order(GROUP_END, event->group_linear);
    for (uint32_t i = 0; event->phase == LAUNCH_END && i < world.groups; i++)
        announce_inter_launch_order(LAUNCH_END, i);
    for (uint32_t i = 0; event->phase == LAUNCH_END && i < world.groups; i++) {
        inter_launch_end_command(world.inter_launch, i + 1,
                                 &(struct inter_launch_reporter){NULL, always, add_conflict});
        order_inter_launch(ORDER_END, i);
    }
}

static void observe_both(void)
{
    world.inter_launch = inter_launch_new(&world.memory, world.oracle.rule);
    inter_launch_observer(world.inter_launch, &world.inter_launch_order);
    world.observed = world.observer;
    world.observer = (struct observer){.access = both_access, .sync = both_sync, .launch = both_launch};
}

/* Of kernels that a kernel enqueues, too. */
static void observe_launch_tree(void)
{
    observe_both();
    tree_races_free(world.tree_races);
    find_tree_races();
    world.launch.in_launch_tree = true;
    ck_assert(inter_launch_begin(world.inter_launch, &world.launch));
    for (uint32_t i = 0; i < world.groups; i++)
        world.inter_launch_order.launch(
            world.inter_launch_order.self,
            &(struct launch_event){.launch = &world.launch, .phase = GROUP_BEGIN, .group_linear = i});
}

void world_within(uint32_t inside)
{
    world.inside = world.oracle.inside = inside;
    world.order_queries = (struct order_queries){NULL, is_ordered};
    checker_set_order_queries(world.checker, &world.order_queries);
    world_across();
    pass_received();
}

void world_across(void)
{
    observe_both();
    world.split = true;
    /* there, atomics of several launches are guaranteed */
    world.regions[2 + GROUPS_MOST].flags |= REGION_FLAG_SVM;
    world.regions[1].flags |= world.plain ? 0 : REGION_FLAG_SVM;
    strcpy(world.regions[2 + GROUPS_MOST].name, "image");
    for (uint32_t i = 0; i < world.groups; i++) {
        world.apart[i] = world.launch;
        world.apart[i].launch = 10 + i;
        world.apart[i].command = i + 1;
        world.apart[i].device = world.devices ? i : 0;
        world.apart[i].group_count[0] = i ? 1 : world.inside ? world.inside : 1;
        world.apart[i].global_size[0] = world.apart[i].group_count[0] * world.items;
        if (!i || i >= world.inside) {
            order_inter_launch(ORDER_ENQUEUED, i);
            order_inter_launch(ORDER_BEGIN, i);
            ck_assert(inter_launch_begin(world.inter_launch, &world.apart[i]));
        }
        announce_inter_launch_order(GROUP_BEGIN, i);
    }
}

void world_across_plainly(void)
{
    world.plain = !world.oracle.svm_atomics;
    world_across();
}

void world_across_devices(void)
{
    world.devices = true;
    world_across();
}

void world_begins_too_large(void)
{
    struct launch_info large = world.launch;
    large.launch = 100;
    large.local_size[0] = 1 << 20;
    ck_assert(!inter_launch_begin(world.inter_launch, &large));
}

void world_forgoes_sync_log(void)
{
    checker_forgo_sync_log(world.checker);
}

void world_hurries(void)
{
    checker_hurry(world.checker, 1000);
}

void world_runs_out_of_memory(void)
{
    checker_run_out_of_memory(world.checker);
}

void world_forgets_wave(void)
{
    world.forgets_wave = true;
}

void world_counts_races(uint64_t enough)
{
    checker_count_races(world.checker, enough);
}

void world_access_log_after(uint64_t accesses, FILE *stream)
{
    checker_note_after(world.checker, accesses);
    report_set_stream(world.report, stream, false);
}

uint64_t world_compared(void)
{
    return checker_compared(world.checker);
}

uint32_t world_room(void)
{
    return ORACLE_ORACLE_OPS - world.oracle.count;
}

uint64_t world_ways[FAST_PATHS];

void world_end(void)
{
    finish();
    ended = false;
    for (uint32_t fast_path = 0; fast_path < FAST_PATHS; fast_path++)
        world_ways[fast_path] += checker_fast_paths(world.checker)[fast_path];
    inter_launch_free(world.inter_launch);
    free(world.conflicts);
    checker_free(world.checker);
    tree_races_free(world.tree_races);
    report_free(world.report);
    scenario_fini(&world.scenario);
}

/* ---- launch trees --------------------------------------------------------------------------- */

static void groups_end(void)
{
    world.launch.tree_root = 1;
    for (uint32_t i = 0; i < world.groups; i++)
        phase(GROUP_END, i);
}

void world_shares(void)
{
    world.regions[1].flags |= REGION_FLAG_SVM | REGION_FLAG_SHARED;
}

void world_shares_atomics(void)
{
    world_shares();
    world.regions[1].flags |= REGION_FLAG_SVM_ATOMICS;
    world.oracle.svm_atomics = true;
}

void world_spins_on(uint64_t group)
{
    world.waited_group = group;
    world.launch.awaited_groups = &world.waited_group;
    world.launch.awaited_group_count = 1;
}

void world_launches(uint32_t parent, enum launch_start start, uint64_t parent_group,
                    const struct launch_after *after, uint32_t after_count)
{
    groups_end();
    phase(LAUNCH_END, 0);
    world.launch.launch++;
    world.launch.parent = parent;
    world.launch.start = start;
    world.launch.parent_group = parent_group;
    world.launch.after = after;
    world.launch.after_count = after_count;
    world.launch.awaited_group_count = 0;
    phase(LAUNCH_BEGIN, 0);
    for (uint32_t i = 0; i < world.groups; i++)
        phase(GROUP_BEGIN, i);
}

size_t world_tree_races(void)
{
    groups_end();
    finish();
    tree_races_complete(world.tree_races, 1, true);
    return report_total(world.report, SEVERITY_OFF);
}

/* ---- operations ------------------------------------------------------------------------------ */

static struct origin origin_of(uint32_t group)
{
    struct origin origin = {.launch = &world.launch,
                            .tile_origin = {(uint64_t)group * world.items, 0, 0},
                            .tile_size = {world.items, 1, 1},
                            .site = world.same ? world.same - 1 : world.oracle.count};
    return origin;
}

static struct operation *add(enum oracle_op_kind kind, uint32_t item)
{
    struct operation *operation = &world.oracle.operations[world.oracle.count++];
    if (world.oracle.count > ORACLE_ORACLE_OPS)
        abort();
    *operation = (struct operation){.kind = kind,
                                    .site = (world.same ? world.same : world.oracle.count) - 1,
                                    .item = item,
                                    .group = item / world.items,
                                    .sub_group = item % world.items / world.sub_group_size};
    return operation;
}

static uint64_t address_of(uint32_t group, uint32_t address)
{
    if (address >= IMAGE)
        return world.regions[2 + GROUPS_MOST].low + address - IMAGE;
    return address < LOCAL ? world.regions[1].low + address
                           : world.regions[2 + world.local_of[group]].low + (address - LOCAL);
}

/* The place of an operation. */
static void lie(struct operation *operation, uint32_t group, uint32_t address)
{
    operation->region = address >= IMAGE ? IN_IMAGE : address >= LOCAL ? IN_LOCAL : IN_GLOBAL;
    operation->space = operation->region == IN_LOCAL   ? 1 + group
                       : operation->region == IN_IMAGE ? UINT32_MAX
                                                       : 0;
    operation->address = address % LOCAL;
}

static void set_bit(uint64_t *mask, uint32_t lane)
{
    mask[lane / 64] |= UINT64_C(1) << lane % 64;
}

static void act(uint32_t item, uint32_t address, uint32_t size, enum access_kind kind,
                enum memory_ordering order, enum memory_scope scope, bool failed,
                enum memory_ordering failure)
{
    uint32_t group = item / world.items;
    uint64_t mask[LANE_MASK_WORDS] = {0}, failures[LANE_MASK_WORDS] = {0};
    set_bit(mask, item % world.items);
    set_bit(failures, item % world.items);
    struct access_event event = {.origin = origin_of(group),
                                 .kind = kind,
                                 .order = order,
                                 .failure_order = failure,
                                 .scope = scope,
                                 .failed = failed ? failures : NULL,
                                 .size_bytes = size,
                                 .lane_count = world.items,
                                 .mask = mask,
                                 .shape = ADDRESS_UNIFORM,
                                 .base = address_of(group, address),
                                 .row = WAVE_LANES_MAX};
    struct operation *operation = add(ORACLE_OP_ACCESS, item);
    operation->access = failed ? ACCESS_ATOMIC_READ : kind;
    operation->order = failed ? failure : order;
    operation->scope = scope;
    lie(operation, group, address);
    event.image = operation->region == IN_IMAGE;
    operation->size = size;
    if (world.forgets_wave)
        checker_pack_atomics(world.checker);
    world.observer.access(world.observer.self, &event);
}

void samples(uint32_t item, uint32_t address)
{
    uint64_t mask[LANE_MASK_WORDS] = {0};
    set_bit(mask, item % world.items);
    struct access_event event = {.origin = origin_of(item / world.items),
                                 .kind = ACCESS_READ,
                                 .image = true,
                                 .sampled = true,
                                 .size_bytes = 4,
                                 .lane_count = world.items,
                                 .mask = mask,
                                 .shape = ADDRESS_UNIFORM,
                                 .base = address_of(0, address),
                                 .row = WAVE_LANES_MAX};
    struct operation *operation = add(ORACLE_OP_ACCESS, item);
    operation->sampled = true;
    operation->size = 4;
    lie(operation, 0, address);
    world.observer.access(world.observer.self, &event);
}

uint32_t touches(uint32_t item, bool write, uint32_t address, uint32_t again)
{
    return touches_bytes(item, write, address, 4, again);
}

uint32_t touches_bytes(uint32_t item, bool write, uint32_t address, uint32_t size, uint32_t again)
{
    const uint32_t site = again == NO_SITE ? world.oracle.count : again;
    world.same = site + 1;
    (write ? writes : reads)(item, address, size);
    world.same = 0;
    return site;
}

uint32_t looks(uint32_t item, uint32_t address, uint32_t again)
{
    const uint32_t site = again == NO_SITE ? world.oracle.count : again;
    world.same = site + 1;
    load(item, address, ORDER_RELAXED, SCOPE_DEVICE);
    world.same = 0;
    return site;
}

uint32_t changes(uint32_t item, uint32_t address, enum memory_ordering order, enum memory_scope scope,
                 uint32_t again)
{
    const uint32_t site = again == NO_SITE ? world.oracle.count : again;
    world.same = site + 1;
    atomic(item, address, 4, ACCESS_ATOMIC_UPDATE, order, scope);
    world.same = 0;
    return site;
}

uint32_t adds(uint32_t item, uint32_t address, uint32_t again)
{
    return changes(item, address, ORDER_RELAXED, SCOPE_DEVICE, again);
}

void reads(uint32_t item, uint32_t address, uint32_t size)
{
    act(item, address, size, ACCESS_READ, 0, 0, false, 0);
}
void writes(uint32_t item, uint32_t address, uint32_t size)
{
    act(item, address, size, ACCESS_WRITE, 0, 0, false, 0);
}

void atomic(uint32_t item, uint32_t address, uint32_t size, enum access_kind kind, enum memory_ordering order,
            enum memory_scope scope)
{
    act(item, address, size, kind, order, scope, false, 0);
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
    act(item, address, 4, ACCESS_ATOMIC_UPDATE, order, scope, true, failure);
}

/* One event, a operation for each member; they share its site, that of the first work-item. */
static void act_together(uint32_t group, struct access_event *event, const uint32_t *addresses,
                         uint32_t members, uint32_t site)
{
    uint64_t mask[LANE_MASK_WORDS] = {members}, listed[WAVE_LANES_MAX];
    event->origin = origin_of(group);
    event->origin.site = site;
    event->lane_count = world.items;
    event->mask = mask;
    event->row = event->row ? event->row : WAVE_LANES_MAX;
    for (uint32_t lane = 0; lane < world.items; lane++) {
        struct operation *operation = add(ORACLE_OP_ACCESS, group * world.items + lane);
        bool acts = members >> lane & 1;
        operation->site = site;
        operation->access = event->kind;
        operation->order = event->order;
        operation->scope = event->scope;
        lie(operation, group, addresses[lane]);
        operation->size = acts ? event->size_bytes : 0; /* an access of nothing conflicts with nothing */
        listed[lane] = address_of(group, addresses[lane]);
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
    const uint32_t site = again == NO_SITE ? world.oracle.count : again;
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
    const uint32_t site = again == NO_SITE ? world.oracle.count : again;
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

static void announce_part(enum sync_kind kind, uint32_t group, const uint64_t *mask, uint32_t flags,
                          enum memory_ordering order, enum memory_scope scope, uint32_t copy, bool last)
{
    struct sync_event event = {.origin = origin_of(group),
                               .kind = kind,
                               .regions = flags,
                               .order = order,
                               .scope = scope,
                               .lane_count = world.items,
                               .mask = mask,
                               .last = last,
                               .copy = copy};
    world.observer.sync(world.observer.self, &event);
}

static void announce_of(enum sync_kind kind, uint32_t group, const uint64_t *mask, uint32_t flags,
                        enum memory_ordering order, enum memory_scope scope, uint32_t copy)
{
    announce_part(kind, group, mask, flags, order, scope, copy, true);
}

static void announce(enum sync_kind kind, uint32_t group, uint32_t from, uint32_t to, uint32_t flags,
                     enum memory_ordering order, enum memory_scope scope, uint32_t copy)
{
    uint64_t mask[LANE_MASK_WORDS] = {0};
    for (uint32_t lane = from; lane < to && lane < world.items; lane++)
        set_bit(mask, lane);
    announce_of(kind, group, mask, flags, order, scope, copy);
}

void wave_fence(uint32_t group, uint32_t members, uint32_t flags, enum memory_ordering order,
                enum memory_scope scope)
{
    announce_of(SYNC_FENCE, group, (const uint64_t[LANE_MASK_WORDS]){members}, flags, order, scope, 0);
    for (uint32_t lane = 0; lane < world.items; lane++) {
        if (!(members >> lane & 1))
            continue;
        struct operation *operation = add(ORACLE_OP_FENCE, group * world.items + lane);
        operation->flags = flags;
        operation->order = order;
        operation->scope = scope;
    }
}

void fence(uint32_t item, uint32_t flags, enum memory_ordering order, enum memory_scope scope)
{
    wave_fence(item / world.items, 1u << item % world.items, flags, order, scope);
}

/* The members whose bit is set. */
static void barrier_of_some(uint32_t group, uint32_t members, uint32_t flags, enum memory_scope scope)
{
    world.instances++;
    for (enum oracle_op_kind kind = ORACLE_OP_ENTRY; kind <= ORACLE_OP_EXIT; kind++) {
        for (uint32_t lane = 0; lane < world.items; lane++) {
            if (!(members >> lane & 1))
                continue;
            struct operation *operation = add(kind, group * world.items + lane);
            operation->flags = flags;
            operation->scope = scope;
            operation->instance = world.instances;
        }
    }
}

static uint32_t bits(uint32_t from, uint32_t to)
{
    uint32_t set = 0;
    for (uint32_t lane = from; lane < to && lane < world.items; lane++)
        set |= 1u << lane;
    return set;
}

static void barrier_operations(uint32_t group, uint32_t from, uint32_t to, uint32_t flags, enum memory_scope scope)
{
    barrier_of_some(group, bits(from, to), flags, scope);
}

static void access_of_copy(uint32_t group, uint32_t copy, uint32_t number, bool write, uint32_t address,
                           uint32_t size);

static void start_of(uint32_t group, uint32_t lane, uint32_t copy, uint32_t number)
{
    struct operation *operation = add(ORACLE_OP_COPY_START, group * world.items + lane);
    operation->flags = G | L;
    operation->copy = copy;
    operation->event = number;
}

void copy_arrives(uint32_t group, uint32_t members)
{
    uint64_t mask[LANE_MASK_WORDS] = {0};
    const uint32_t all = (1u << world.items) - 1, copy = world.begun[group].copy;
    mask[0] = members & all & ~world.begun[group].came;
    if (!copy || !mask[0])
        return;
    announce_of(SYNC_COPY, group, mask, 0, ORDER_RELAXED, SCOPE_WORK_GROUP, world.begun[group].number);
    for (uint32_t lane = 0; lane < world.items; lane++)
        if (mask[0] >> lane & 1)
            start_of(group, lane, copy, world.begun[group].number);
    if (mask[0] & 1)
        access_of_copy(group, copy, world.begun[group].number, world.begun[group].write,
                       world.begun[group].address, world.begun[group].size);
    world.begun[group].came |= (uint32_t)mask[0];
    if (world.begun[group].came == all)
        world.begun[group].copy = 0;
}

void copy_begins(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size)
{
    copy_arrives(group, UINT32_MAX);
    world.begun[group].copy = ++world.oracle.copies;
    world.begun[group].number = number;
    world.begun[group].came = 0;
    world.begun[group].address = address;
    world.begun[group].size = size;
    world.begun[group].write = write;
}

void barrier(uint32_t group, uint32_t flags, enum memory_scope scope)
{
    copy_arrives(group, UINT32_MAX);
    announce(SYNC_WORK_GROUP_BARRIER, group, 0, world.items, flags, ORDER_ACQ_REL, scope, 0);
    barrier_operations(group, 0, world.items, flags, scope);
}

/* Members arrive in two parts, like those of a divergent wave, and continue together. */
void sub_group_barrier(uint32_t group, uint32_t sub_group, uint32_t flags, enum memory_scope scope)
{
    const uint32_t from = sub_group * world.sub_group_size;
    const uint64_t members = bits(from, from + world.sub_group_size),
                   odd = members & UINT64_C(0xaaaaaaaaaaaaaaaa);
    if (odd && odd != members)
        announce_part(SYNC_SUB_GROUP_BARRIER, group, (const uint64_t[LANE_MASK_WORDS]){odd}, flags,
                      ORDER_ACQ_REL, scope, 0, false);
    announce_part(SYNC_SUB_GROUP_BARRIER, group,
                  (const uint64_t[LANE_MASK_WORDS]){odd == members ? members : members & ~odd}, flags,
                  ORDER_ACQ_REL, scope, 0, true);
    barrier_operations(group, from, from + world.sub_group_size, flags, scope);
}

/* Sub-group by sub-group, as the device has them pass. */
void named_barrier(uint32_t group, uint32_t sub_groups, uint32_t flags, enum memory_scope scope)
{
    uint32_t members = 0;
    for (uint32_t s = 0, from = 0; from < world.items; s++, from += world.sub_group_size) {
        const uint64_t mask[LANE_MASK_WORDS] = {bits(from, from + world.sub_group_size)};
        const bool last = from + world.sub_group_size >= world.items || !(sub_groups >> (s + 1));
        if (!(sub_groups >> s & 1))
            continue;
        announce_part(SYNC_NAMED_BARRIER, group, mask, flags, ORDER_ACQ_REL, scope, 0, last);
        members |= (uint32_t)mask[0];
    }
    barrier_of_some(group, members, flags, scope);
}

void collective(uint32_t group)
{
    announce(SYNC_COLLECTIVE, group, 0, world.items, 0, ORDER_RELAXED, SCOPE_WORK_GROUP, 0);
    world.oracle.count++;
}

/* An operation of every work-item: the copy is ordered after the clocks of all of them. */
static void each_work_item(uint32_t group, enum oracle_op_kind kind, uint32_t number)
{
    for (uint32_t lane = 0; lane < world.items; lane++) {
        struct operation *operation = add(kind, group * world.items + lane);
        operation->flags = G | L;
        operation->copy = world.oracle.copies;
        operation->event = number;
    }
}

void copy_starts(uint32_t group, uint32_t number)
{
    copy_arrives(group, UINT32_MAX);
    announce(SYNC_COPY, group, 0, world.items, 0, ORDER_RELAXED, SCOPE_WORK_GROUP, number);
    world.oracle.copies++;
    each_work_item(group, ORACLE_OP_COPY_START, number);
}

static void access_of_copy(uint32_t group, uint32_t copy, uint32_t number, bool write, uint32_t address,
                           uint32_t size)
{
    uint64_t mask[LANE_MASK_WORDS] = {1};
    struct access_event event = {.origin = origin_of(group),
                                 .kind = write ? ACCESS_WRITE : ACCESS_READ,
                                 .copy = number,
                                 .size_bytes = size,
                                 .lane_count = world.items,
                                 .mask = mask,
                                 .shape = ADDRESS_UNIFORM,
                                 .base = address_of(group, address),
                                 .row = WAVE_LANES_MAX};
    struct operation *operation = add(ORACLE_OP_ACCESS, group * world.items);
    operation->item = COPIES + copy;
    operation->copy = copy;
    operation->access = event.kind;
    lie(operation, group, address);
    operation->size = size;
    world.observer.access(world.observer.self, &event);
}

void copy_accesses(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size)
{
    access_of_copy(group, world.oracle.copies, number, write, address, size);
}

void copy_waits(uint32_t group, uint32_t number)
{
    copy_arrives(group, UINT32_MAX);
    announce(SYNC_COPY_WAIT, group, 0, world.items, 0, ORDER_RELAXED, SCOPE_WORK_GROUP, number);
    each_work_item(group, ORACLE_OP_COPY_WAIT, number);
}

void group_ends(uint32_t group)
{
    phase(GROUP_END, group);
}

void takes_local_memory_of(uint32_t group, uint32_t other)
{
    world.local_of[group] = other;
}

/* ---- findings --------------------------------------------------------------------------- */

size_t world_races(void)
{
    finish();
    return report_count(world.report);
}

bool world_counts_at_least(void)
{
    finish();
    return report_at_least(world.report);
}

const struct finding *world_finding(size_t index)
{
    return report_get(world.report, index);
}

bool world_races_at(uint32_t address)
{
    finish();
    for (size_t i = 0; i < report_count(world.report); i++) {
        const struct finding *finding = report_get(world.report, i);
        bool image = finding->kind == FINDING_RACE_IMAGE || finding->kind == FINDING_IMAGE_READ_AFTER_WRITE;
        uint32_t base = image ? IMAGE : finding->kind == FINDING_RACE_LOCAL ? LOCAL : 0;
        if (base == address / LOCAL * LOCAL && finding->offset_bytes / 4 == address % LOCAL / 4)
            return true;
    }
    return false;
}

/* ---- the oracle's opinion ------------------------------------------------------------------ */

const char *world_disagreement(void)
{
    finish();
    race_oracle_order(&world.oracle);
    return race_judge_findings(&world.oracle, world.report);
}

const char *world_unreported_pair(void)
{
    return race_judge_pairs(&world.oracle, world.report);
}

const char *world_disagreement_across(void)
{
    if (!world.plain)
        return race_judge_conflicts(&world.oracle, world.conflicts, world.conflict_count);
    world.oracle.apart = true;
    race_oracle_order(&world.oracle);
    const char *difference = race_judge_conflicts(&world.oracle, world.conflicts, world.conflict_count);
    world.oracle.apart = false;
    race_oracle_order(&world.oracle);
    return difference;
}

uint32_t world_races_across(void)
{
    return world.conflict_count;
}

const char *judged(void)
{
    const char *difference = world_disagreement();
    return difference ? difference : world_unreported_pair();
}

/* What differs, and the operations that led there. */
static void fail_world(const char *file, int line, const char *difference)
{
    char trace[16384] = "";
    FILE *stream = fmemopen(trace, sizeof trace, "w");
    if (stream) {
        race_oracle_print(&world.oracle, stream);
        fclose(stream);
    }
    fail_at(file, line, "%s; %u work-groups of %u, sub-groups of %u:\n%s", difference, world.groups, world.items,
            world.sub_group_size, trace);
}

void judge_at_line(const char *file, int line, uint32_t address, bool racy)
{
    char found[100];
    const char *difference = world_disagreement();
    snprintf(found, sizeof found, "found %s at %u, expected %s", racy ? "no race" : "a race", address,
             racy ? "one" : "none");
    if (difference || world_races_at(address) != racy)
        fail_world(file, line, difference ? difference : found);
    world_end();
}

void world_code(enum memory_scope releases, enum memory_scope acquires)
{
    world.launch.releases = releases;
    world.launch.acquires = acquires;
}

void tree_judged_line(const char *file, int line, bool racy)
{
    if ((world_tree_races() > 0) != racy)
        fail_world(file, line, racy ? "found no race between launches, expected one"
                                    : "found a race between launches, expected none");
    world_end();
}
