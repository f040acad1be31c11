/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The state of race_world.h's world, and what its files share. Tests see race_world.h alone.
 *
 * Files    race_world.c           the launch: begins, ends; options; kernels that kernels enqueue
 *          race_world_split.c     work-groups that are launches of their own
 *          race_world_access.c    loads, stores, atomics
 *          race_world_sync.c      fences, barriers, asynchronous copies
 *          race_world_verdict.c   findings, compared with the oracle
 *
 * Interface
 *   world_phase              announces a phase of the launch or of a work-group
 *   world_finish             announces the end of the launch, once
 *   world_add_inter_launch   gives all events to an inter-launch detector as well
 *   world_origin             where an event of a work-group comes from
 *   world_add                a new operation of the oracle
 *   world_address            a test's address as the checker sees it
 *   world_locate             a test's address as the oracle sees it
 */
#ifndef ORRERY_TESTS_SUPPORT_RACE_WORLD_STATE_H
#define ORRERY_TESTS_SUPPORT_RACE_WORLD_STATE_H

#include "race_judge.h"
#include "race_world.h"
#include "sim/memmodel/checker.h"
#include "sim/memmodel/commands/launch_tree_races.h"
#include "sim/memmodel/launches/inter_launch.h"

struct race_world {
    /* the launch */
    uint32_t groups, items, sub_group_size; /* items: of a work-group, 31 at most */
    struct launch_info launch;
    struct memory memory;
    struct region regions[3 + GROUPS_MOST];
    uint32_t granules[2 + GROUPS_MOST], local_of[GROUPS_MOST];
    uint64_t waited_group;
    bool ended;

    /* the operations so far, for the oracle */
    struct race_oracle oracle;
    uint32_t next_site; /* 1 + site of the next operation; 0: a site of its own */
    uint32_t instances; /* of barriers */
    struct {
        uint32_t copy, number, reached, address, size; /* reached: a bit for each work-item */
        bool write;
    } begun[GROUPS_MOST]; /* copies that not all work-items have reached; copy 0: none */

    /* what is tested */
    struct scenario scenario;
    struct report *report;
    struct checker *checker;
    struct observer observer; /* the checker's, or that of checker and inter-launch detector */
    bool packs_atomics;
    struct tree_races *tree_races;
    struct footprint_sink sink;

    /* race_world_split.c: */
    struct inter_launch *inter_launch; /* NULL: no inter-launch detector */
    struct observer inter_launch_observer, checker_observer;
    bool split;      /* the detector sees each work-group as a launch */
    uint32_t inside; /* so many of the first are one launch, which alone is checked; 0: no launch is */
    struct order_queries order_queries;
    bool devices; /* each launch runs on a device of its own */
    bool plain;   /* launches do not share global memory */
    struct launch_info split_launch[GROUPS_MOST];
    struct conflict *conflicts;
    uint32_t conflict_count;
};
extern struct race_world world;

void world_phase(enum launch_phase what, uint32_t group);
void world_finish(void);
void world_add_inter_launch(void);
struct origin world_origin(uint32_t group);
struct operation *world_add(enum oracle_op_kind kind, uint32_t item);
uint64_t world_address(uint32_t group, uint32_t address);
void world_locate(struct operation *operation, uint32_t group, uint32_t address);

#endif
