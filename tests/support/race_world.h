/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A little world for tests of the memory-model checker: work-items act one after another through the
 *          observer's events, as the device would announce them, and each operation is kept for an oracle
 *          that has the rules and shares no code with the checker.
 *
 * Bytes    Addresses are small numbers: below LOCAL global memory, above it the group's own local memory,
 *          from IMAGE an image.
 * Oracle   race_oracle.h decides which of the operations race (at most ORACLE_ORACLE_OPS), race_judge.h
 *          compares.
 */
#ifndef ORRERY_TESTS_SUPPORT_RACE_WORLD_H
#define ORRERY_TESTS_SUPPORT_RACE_WORLD_H

#include <stdio.h>

#include "sim/memmodel/common/fast_path.h"
#include "orrery/report.h"
#include "race_oracle.h"

enum { WORLD_BYTES = 128, LOCAL = 1000, IMAGE = 2000, GROUPS_MOST = 4 };
static const uint32_t NO_SITE = UINT32_MAX;
enum { G = REGION_GLOBAL, L = REGION_LOCAL, I = REGION_IMAGE };

/* Addresses for tests: what is handed on, and that by which it is. */
enum { DATA = 0, FLAG = 8, OTHER = 16, LDATA = LOCAL + 0, LFLAG = LOCAL + 8, PIXEL = IMAGE + 4 };

void world_begin(uint32_t groups, uint32_t items_per_group, uint32_t sub_group_size, enum scope_rule rule);
void two_groups(void);               /* of two: items 0, 1 | 2, 3 */
void one_group(void);                /* of four, sub-groups 0, 1 | 2, 3 */
void world_forgoes_sync_log(void);   /* after it has begun */
void world_hurries(void);            /* likewise: the edits that order a race are not looked for for long */
void world_runs_out_of_memory(void); /* likewise: there is no memory for a vector clock */
/* likewise: atomic objects are packed before each access of one work-item */
void world_forgets_wave(void);
/* likewise: so many of two places of the program, and then they need not be looked for */
void world_counts_races(uint64_t enough);
/* likewise: to one allocation, when the checker reports that it takes long */
void world_access_log_after(uint64_t accesses, FILE *stream);
uint64_t world_compared(void); /* pairs of accesses that the checker has compared */
/* likewise: besides, each work-group is a launch of its own, and nothing but atomics orders them */
void world_across(void);
/* likewise: so many of the first work-groups are one launch, which is judged, the others are launches
 * beside it */
void world_within(uint32_t inside);
/* and global memory is a buffer: each launch's atomics are its own (rule 32) */
void world_across_plainly(void);
void world_across_devices(void); /* the same, each on a device of its own */
void world_begins_too_large(
    void); /* in such a world: another launch, too large for the detector of the others */
void world_end(void);
/* not for races */
void world_begin_misuse(uint32_t groups, uint32_t items_per_group, uint32_t sub_group_size);

/* item counts through the groups: group * items_per_group + local id. */
void reads(uint32_t item, uint32_t address, uint32_t size);
void writes(uint32_t item, uint32_t address, uint32_t size);
/* 4 bytes, by the instruction of that operation; its own: NO_SITE */
uint32_t touches(uint32_t item, bool write, uint32_t address, uint32_t again);
uint32_t touches_bytes(uint32_t item, bool write, uint32_t address, uint32_t size, uint32_t again);
/* likewise: a relaxed update of device scope */
uint32_t adds(uint32_t item, uint32_t address, uint32_t again);
/* likewise: a relaxed load of device scope */
uint32_t looks(uint32_t item, uint32_t address, uint32_t again);
/* likewise: an update */
uint32_t changes(uint32_t item, uint32_t address, enum memory_ordering order, enum memory_scope scope,
                 uint32_t again);
void samples(uint32_t item, uint32_t address); /* four bytes of the image, with a sampler */
void atomic(uint32_t item, uint32_t address, uint32_t size, enum access_kind kind, enum memory_ordering order,
            enum memory_scope scope);
/* Atomics of 4 bytes; what releases stores, what acquires loads. */
void store(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void load(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void update(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void release(uint32_t item, uint32_t flag, enum memory_scope scope);
void acquire(uint32_t item, uint32_t flag, enum memory_scope scope);
void failing_exchange(uint32_t item, uint32_t address, enum memory_ordering order,
                      enum memory_ordering failure, enum memory_scope scope);
/* All work-items of the group whose bit is set, together: local id i at address + step * i. */
void sweeps(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t size, uint32_t members);
/* Reads of the image in rows of so many members: their steps, that of the rows. */
void texels(uint32_t group, uint32_t address, int32_t step_x, int32_t step_y, uint32_t row, uint32_t members);
/* The same instruction in a loop, the address moving on; 4 bytes. Returns what makes it the same in
 * another loop: `again`. */
uint32_t loops(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t members,
               uint32_t iterations, int32_t iteration_step, uint32_t again);
/* one for each work-item */
void gathers(uint32_t group, bool write, const uint32_t *addresses, uint32_t size);
/* Atomics of 4 bytes, one member after another; updates are relaxed. */
void atomics(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum access_kind kind,
             enum memory_ordering order, enum memory_scope scope);
void updates(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum memory_scope scope);
/* All members at once, and only the winner finds the value that it expects: the others read, relaxed. */
uint32_t exchanges(uint32_t group, uint32_t address, uint32_t members, uint32_t winner,
                   enum memory_ordering order, enum memory_scope scope, uint32_t again);
/* Each at its own address; relaxed. */
void scattered_exchanges(uint32_t group, const uint32_t *addresses, uint32_t members, uint32_t failed,
                         enum memory_scope scope);
/* likewise */
void wave_fence(uint32_t group, uint32_t members, uint32_t flags, enum memory_ordering order,
                enum memory_scope scope);
void fence(uint32_t item, uint32_t flags, enum memory_ordering order, enum memory_scope scope);
void barrier(uint32_t group, uint32_t flags, enum memory_scope scope);
void sub_group_barrier(uint32_t group, uint32_t sub_group, uint32_t flags, enum memory_scope scope);
/* of those whose bit is set */
void named_barrier(uint32_t group, uint32_t sub_groups, uint32_t flags, enum memory_scope scope);
void collective(uint32_t group);
/* number: of its event, which several copies may have; the accesses are of the latest with it. */
void copy_starts(uint32_t group, uint32_t number);
void copy_accesses(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size);
void copy_waits(uint32_t group, uint32_t number);
/*
 * The members reach a copy one after another; its access follows the first member. All have reached it before
 * the group meets at a barrier, waits or begins another.
 */
void copy_begins(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size);
void copy_arrives(uint32_t group, uint32_t members);
void group_ends(uint32_t group);
void takes_local_memory_of(uint32_t group, uint32_t other); /* which has ended */

/* Kernels that a kernel enqueued: later operations are of the next launch, numbered from 2 (the world's first
 * one is 1), of as many work-items. The oracle does not model them. */
void world_launches(uint32_t parent, enum launch_start start, uint64_t parent_group,
                    const struct launch_after *after, uint32_t after_count);
static inline void child(uint32_t parent, enum launch_start start)
{
    world_launches(parent, start, 0, NULL, 0);
}
/* struct launch_info's, of the launch that acts and those after it */
void world_code(enum memory_scope releases, enum memory_scope acquires);
void world_spins_on(uint64_t group); /* of the launch that acts: LAUNCH_AFTER_GROUP will name it */
void world_shares(void);             /* global memory is fine-grained SVM; before the first operation: */
void world_shares_atomics(void);     /* with atomics */
size_t world_tree_races(void);     /* after the last operation: between launches */

uint32_t world_room(void); /* for so many operations */
/* the checker's short ways: how often the worlds that ended took each */
extern uint64_t world_ways[FAST_PATHS];

/* After the last operation. */
size_t world_races(void);              /* findings */
bool world_counts_at_least(void);      /* there may be more findings */
bool world_races_at(uint32_t address); /* does some finding begin in the four bytes of address? */
/* NULL: checker and oracle agree; else what differs. Not for traces with collectives. */
const char *world_disagreement(void);
/*
 * After world_disagreement. NULL: each pair of places of the program that race is reported, except pairs
 * whose earlier access is replaced by a later one ordered after it.
 */
const char *world_unreported_pair(void);
const char *judged(void); /* both: NULL, or what is wrong */
/* Likewise, of a world with world_across: the events of inter_launch.h for work-groups that are launches. */
const char *world_disagreement_across(void);
uint32_t world_races_across(void);
const struct finding *world_finding(size_t index);

/*
 * The end of a test: checker and oracle agree, and something races there or not. Ends the world. A failure has
 * the line of the test, and prints what differs and what the work-items did.
 */
#define judge_at(address, racy) judge_at_line(__FILE__, __LINE__, address, racy)
void judge_at_line(const char *file, int line, uint32_t address, bool racy);
#define races_at(address) judge_at(address, true)
#define clean_at(address) judge_at(address, false)
/* of launches: between any two of them */
#define tree_judged(racy) tree_judged_line(__FILE__, __LINE__, racy)
void tree_judged_line(const char *file, int line, bool racy);

#endif
