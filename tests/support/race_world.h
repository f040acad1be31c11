/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A little world for tests of the race checker: work-items act one after another through the
 *          observer's events, as the device would announce them, and each operation is kept for an oracle
 *          that has the rules and shares no code with the checker.
 *
 * A test   two_groups(), writes(0, DATA, 4), release(0, FLAG, ...), ..., clean_at(DATA);
 * Numbers  `item` counts through the groups: group * items_per_group + local id. `members` has a bit for each
 *          local id.
 * Bytes    Addresses are small numbers: below LOCAL global memory, above it the group's own local memory,
 *          from IMAGE an image.
 * Sites    Each operation is an instruction of its own. Its site is the number of the operation, and its
 *          line is the site + 1. Where a function has `again`, that is the site of an earlier operation that the same
 *          instruction executed, or NO_SITE; the function returns the site.
 * Oracle   race_oracle.h decides which of the operations race (at most ORACLE_ORACLE_OPS), race_judge.h
 *          compares.
 */
#ifndef ORRERY_TESTS_SUPPORT_RACE_WORLD_H
#define ORRERY_TESTS_SUPPORT_RACE_WORLD_H

#include <stdio.h>

#include "orrery/report.h"
#include "race_oracle.h"
#include "sim/memmodel/common/fast_path.h"

enum { WORLD_BYTES = 128, LOCAL = 1000, IMAGE = 2000, GROUPS_MOST = 4 };
static const uint32_t NO_SITE = UINT32_MAX;
enum { G = REGION_GLOBAL, L = REGION_LOCAL, I = REGION_IMAGE };

/* Addresses for tests: bytes that a flag protects, and the flag. */
enum { DATA = 0, FLAG = 8, OTHER = 16, LDATA = LOCAL + 0, LFLAG = LOCAL + 8, PIXEL = IMAGE + 4 };

/* ---- begin and end ---------------------------------------------------------------------------- */

void world_begin(uint32_t groups, uint32_t items_per_group, uint32_t sub_group_size, enum scope_rule rule);
/* The checks of orders, scopes and flags are on, and races off. */
void world_begin_misuse(uint32_t groups, uint32_t items_per_group, uint32_t sub_group_size);
/* Of two work-items each: items 0, 1 | 2, 3. Kernels that the launch enqueues are checked, too. */
void two_groups(void);
/* Of four work-items, sub-groups 0, 1 | 2, 3; likewise. */
void one_group(void);
void world_end(void);

/* ---- options, after the world has begun ------------------------------------------------------- */

void world_forgoes_sync_log(void);
void world_hurries(void);                 /* the search for edits that order a race ends soon */
void world_runs_out_of_memory(void);      /* there is no memory for a vector clock */
void world_packs_atomics(void);           /* atomic objects are packed before each access of one work-item */
void world_counts_races(uint64_t enough); /* so many races of a pair of sites are counted exactly */
/* After so many accesses to one allocation that no filter takes, the stream has a note that says why the
 * run is slow. */
void world_warns_after(uint64_t accesses, FILE *stream);
/* struct launch_info's releases and acquires, of the launch that acts and those after it */
void world_code(enum memory_scope releases, enum memory_scope acquires);

/* ---- accesses --------------------------------------------------------------------------------- */

/* Operations of one work-item. An atomic without an order in its name is relaxed, of device scope and of 4
 * bytes. */
void reads(uint32_t item, uint32_t address, uint32_t size);
void writes(uint32_t item, uint32_t address, uint32_t size);
void samples(uint32_t item, uint32_t address); /* four bytes of the image, with a sampler */
uint32_t touches(uint32_t item, bool write, uint32_t address, uint32_t again); /* 4 bytes */
uint32_t touches_bytes(uint32_t item, bool write, uint32_t address, uint32_t size, uint32_t again);
uint32_t adds(uint32_t item, uint32_t address, uint32_t again);
uint32_t looks(uint32_t item, uint32_t address, uint32_t again);
uint32_t changes(uint32_t item, uint32_t address, enum memory_ordering order, enum memory_scope scope,
                 uint32_t again);
void atomic(uint32_t item, uint32_t address, uint32_t size, enum access_kind kind, enum memory_ordering order,
            enum memory_scope scope);
/* Atomics of 4 bytes: release() stores, acquire() loads. */
void store(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void load(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void update(uint32_t item, uint32_t flag, enum memory_ordering order, enum memory_scope scope);
void release(uint32_t item, uint32_t flag, enum memory_scope scope);
void acquire(uint32_t item, uint32_t flag, enum memory_scope scope);
void failing_exchange(uint32_t item, uint32_t address, enum memory_ordering order,
                      enum memory_ordering failure, enum memory_scope scope);

/* A wave's: all members together, local id i at address + step * i. */
void sweeps(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t size, uint32_t members);
/* Reads of an image. `row` work-items make a row: their addresses are step_x apart, and those of two rows
 * step_y. */
void texels(uint32_t group, uint32_t address, int32_t step_x, int32_t step_y, uint32_t row, uint32_t members);
/* One instruction in a loop, of 4 bytes: each iteration adds iteration_step to the address. */
uint32_t loops(uint32_t group, bool write, uint32_t address, int32_t step, uint32_t members,
               uint32_t iterations, int32_t iteration_step, uint32_t again);
void gathers(uint32_t group, bool write, const uint32_t *addresses,
             uint32_t size); /* one for each work-item */
/* Atomics of 4 bytes, one member after another; updates() are relaxed. */
void atomics(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum access_kind kind,
             enum memory_ordering order, enum memory_scope scope);
void updates(uint32_t group, uint32_t address, int32_t step, uint32_t members, enum memory_scope scope);
/* Compare-exchanges of one address: the winner alone finds the value that it expects, the others load,
 * relaxed. */
uint32_t exchanges(uint32_t group, uint32_t address, uint32_t members, uint32_t winner,
                   enum memory_ordering order, enum memory_scope scope, uint32_t again);
/* Relaxed compare-exchanges of an address for each; some fail. */
void scattered_exchanges(uint32_t group, const uint32_t *addresses, uint32_t members, uint32_t failed,
                         enum memory_scope scope);

/* ---- fences, barriers, copies ----------------------------------------------------------------- */

void fence(uint32_t item, uint32_t flags, enum memory_ordering order, enum memory_scope scope);
void wave_fence(uint32_t group, uint32_t members, uint32_t flags, enum memory_ordering order,
                enum memory_scope scope);
void barrier(uint32_t group, uint32_t flags, enum memory_scope scope);
void sub_group_barrier(uint32_t group, uint32_t sub_group, uint32_t flags, enum memory_scope scope);
/* sub_groups has a bit for each sub-group that takes part. */
void named_barrier(uint32_t group, uint32_t sub_groups, uint32_t flags, enum memory_scope scope);
void collective(uint32_t group);
/* A copy that all work-items reach together. Several copies may have one event, which has this number;
 * accesses are those of the latest copy. */
void copy_starts(uint32_t group, uint32_t number);
void copy_accesses(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size);
void copy_waits(uint32_t group, uint32_t number);
/*
 * A copy that the work-items reach one after another; its access follows when local id 0 arrives. Before the
 * group meets at a barrier, waits or begins another copy, the work-items that are missing arrive.
 */
void copy_begins(uint32_t group, uint32_t number, bool write, uint32_t address, uint32_t size);
void copy_arrives(uint32_t group, uint32_t members);
void group_ends(uint32_t group);
void takes_local_memory_of(uint32_t group, uint32_t other); /* which has ended */

/* ---- kernels that a kernel enqueued ----------------------------------------------------------- */

/* Later operations are of the next launch, numbered from 2 (the world's first one is 1), of as many work-
 * items. The oracle does not model them. */
void world_launches(uint32_t parent, enum launch_start start, uint64_t parent_group,
                    const struct launch_after *after, uint32_t after_count);
static inline void child(uint32_t parent, enum launch_start start)
{
    world_launches(parent, start, 0, NULL, 0);
}
void world_spins_on(uint64_t group); /* of the launch that acts: LAUNCH_AFTER_GROUP will name it */
/* Before the first operation: global memory is fine-grained SVM; with atomics. */
void world_shares(void);
void world_shares_atomics(void);
size_t world_tree_races(void); /* races between launches; after the last operation */

/* ---- work-groups that are launches ------------------------------------------------------------ */

/* Before the first operation. Each work-group is also a launch of its own for an inter-launch detector:
 * nothing but atomics orders them. */
void world_split(void);
/* Likewise, and global memory is a buffer: each launch's atomics are its own (rule 32). */
void world_split_buffer(void);
void world_split_devices(void); /* each launch runs on a device of its own */
/* The first so many work-groups are one launch, which alone is checked; the others are launches beside it. */
void world_split_within(uint32_t inside);
/* Another launch begins, too large for the detector. */
void world_begins_too_large(void);
/* NULL: the detector and the oracle agree; else what differs. */
const char *world_split_disagreement(void);
uint32_t world_split_races(void); /* that the detector found */

/* ---- results, after the last operation -------------------------------------------------------- */

size_t world_races(void); /* findings */
const struct finding *world_finding(size_t index);
bool world_counts_at_least(void);      /* there may be more findings */
bool world_races_at(uint32_t address); /* does some finding begin in the four bytes of address? */
/* NULL: checker and oracle agree; else what differs. Not for traces with collectives. */
const char *world_disagreement(void);
/*
 * After world_disagreement. NULL: each pair of places of the program that race is reported, except pairs
 * whose earlier access is replaced by a later one ordered after it.
 */
const char *world_unreported_pair(void);
const char *judged(void);      /* both: NULL, or what is wrong */
uint64_t world_compared(void); /* pairs of accesses that the checker has compared */
uint32_t world_room(void);     /* for so many operations more */
/* How often the worlds that ended took each fast path. */
extern uint64_t world_fast_paths[FAST_PATHS];

/*
 * The end of a test: checker and oracle agree, and something races there or not. Ends the world. A failure
 * has the line of the test, and prints what differs and what the work-items did.
 */
#define judge_at(address, racy) judge_at_line(__FILE__, __LINE__, address, racy)
void judge_at_line(const char *file, int line, uint32_t address, bool racy);
#define races_at(address) judge_at(address, true)
#define clean_at(address) judge_at(address, false)
/* of launches: between any two of them */
#define tree_judged(racy) tree_judged_line(__FILE__, __LINE__, racy)
void tree_judged_line(const char *file, int line, bool racy);

#endif
