/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The launch of the world: it begins, work-items act (race_world_access.c, race_world_sync.c), it ends. Each
 * operation is announced to a checker as the device would announce it, and kept for the oracle. An
 * operation's site is its number, and a finding's line its site + 1.
 */
#include "race_world_state.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct race_world world;
uint64_t world_fast_paths[FAST_PATHS];

/* ---- begin and end ---------------------------------------------------------------------------- */

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
    for (uint32_t i = 0; i < GROUPS_MOST; i++)
        world.local_of[i] = i;
}

void world_phase(enum launch_phase what, uint32_t group)
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

/* Of all checks this one alone is on. */
static void make_checker(enum scope_rule rule, enum check check)
{
    const struct checker_host host = {.place = place_of, .what = what_of, .object = object_of};
    scenario_default(&world.scenario);
    checks_fast(world.scenario.checks);
    world.scenario.checks[CHECK_RACES] = world.scenario.checks[CHECK_ATOMICS] = SEVERITY_OFF;
    world.scenario.checks[check] = SEVERITY_ERROR;
    world.scenario.device.scope_rule = world.oracle.rule = rule;
    world.report = report_new(&world.scenario);
    report_set_stream(world.report, NULL, false);
    world.checker = checker_new(&world.memory, world.report, &world.scenario, &host);
    checker_observer(world.checker, &world.observer);
    find_tree_races();
}

static void begin_launch(void)
{
    world_phase(LAUNCH_BEGIN, 0);
    for (uint32_t i = 0; i < world.groups; i++)
        world_phase(GROUP_BEGIN, i);
}

static void begin(uint32_t groups, uint32_t items, uint32_t sub_group_size, enum scope_rule rule,
                  enum check check)
{
    memset(&world, 0, sizeof world);
    world.groups = groups;
    world.items = items;
    world.sub_group_size = sub_group_size;
    make_memory();
    make_checker(rule, check);
    world.launch = (struct launch_info){.launch = 1,
                                        .kernel = "k",
                                        .work_dim = 1,
                                        .sub_group_size = sub_group_size,
                                        .releases = SCOPE_DEVICE,
                                        .acquires = SCOPE_DEVICE,
                                        .global_size = {(uint64_t)groups * items, 1, 1},
                                        .local_size = {items, 1, 1},
                                        .group_count = {groups, 1, 1}};
    begin_launch();
}

void world_begin(uint32_t groups, uint32_t items, uint32_t sub_group_size, enum scope_rule rule)
{
    begin(groups, items, sub_group_size, rule, CHECK_RACES);
}

/* Kernels that a kernel enqueues will be checked, too. */
static void observe_launch_tree(void)
{
    world_add_inter_launch();
    tree_races_free(world.tree_races);
    find_tree_races();
    world.launch.in_launch_tree = true;
    ck_assert(inter_launch_begin(world.inter_launch, &world.launch));
    for (uint32_t i = 0; i < world.groups; i++)
        world.inter_launch_observer.launch(
            world.inter_launch_observer.self,
            &(struct launch_event){.launch = &world.launch, .phase = GROUP_BEGIN, .group_linear = i});
}

void two_groups(void)
{
    world_begin(2, 2, 1, SCOPE_RULE_EQUAL);
    observe_launch_tree();
}

void one_group(void)
{
    world_begin(1, 4, 2, SCOPE_RULE_EQUAL);
    observe_launch_tree();
}

void world_begin_misuse(uint32_t groups, uint32_t items, uint32_t sub_group_size)
{
    begin(groups, items, sub_group_size, SCOPE_RULE_EQUAL, CHECK_ATOMICS);
}

void world_finish(void)
{
    if (world.ended)
        return;
    for (uint32_t i = 0; i < world.groups; i++)
        copy_arrives(i, UINT32_MAX);
    world_phase(LAUNCH_END, 0);
    world.ended = true;
}

void world_end(void)
{
    world_finish();
    for (uint32_t fast_path = 0; fast_path < FAST_PATHS; fast_path++)
        world_fast_paths[fast_path] += checker_fast_paths(world.checker)[fast_path];
    inter_launch_free(world.inter_launch);
    free(world.conflicts);
    checker_free(world.checker);
    tree_races_free(world.tree_races);
    report_free(world.report);
    scenario_fini(&world.scenario);
}

/* ---- options ---------------------------------------------------------------------------------- */

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

void world_packs_atomics(void)
{
    world.packs_atomics = true;
}

void world_counts_races(uint64_t enough)
{
    checker_count_races(world.checker, enough);
}

void world_warns_after(uint64_t accesses, FILE *stream)
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

void world_code(enum memory_scope releases, enum memory_scope acquires)
{
    world.launch.releases = releases;
    world.launch.acquires = acquires;
}

/* ---- launch trees --------------------------------------------------------------------------- */

static void groups_end(void)
{
    world.launch.tree_root = 1;
    for (uint32_t i = 0; i < world.groups; i++)
        world_phase(GROUP_END, i);
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
    world_phase(LAUNCH_END, 0);
    world.launch.launch++;
    world.launch.parent = parent;
    world.launch.start = start;
    world.launch.parent_group = parent_group;
    world.launch.after = after;
    world.launch.after_count = after_count;
    world.launch.awaited_group_count = 0;
    begin_launch();
}

size_t world_tree_races(void)
{
    groups_end();
    world_finish();
    tree_races_complete(world.tree_races, 1, true);
    return report_total(world.report, SEVERITY_OFF);
}
