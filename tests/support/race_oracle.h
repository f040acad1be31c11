/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which pairs of accesses of a short program race, worked out from the text of the memory model and
 *          from nothing else: the reports of the checker are compared with this (race_judge.h). It shares no
 *          code with sim/memmodel, takes cubic time and remembers all: what it lacks in speed, it has in being
 *          easy to check by eye.
 *
 * A operation   is one thing that one work-item does. race_world.c writes them down in the order in which
 *               they happen: an
 *          access, a fence, reaching a barrier and leaving it, beginning an asynchronous copy and waiting
 *          for one. A copy is a unit of its own (rule 37): its accesses are operations of an item that is
 *          none of the work-items.
 * Order    OpenCL has one happens-before for global memory and another for local memory (rule 21); images
 *          count as a third (rule 34). race_oracle_order draws the edges that the rules name, in each of the
 *          three:
 *            sequenced-before    a work-item's operations, one after another (rule 3)
 *            synchronises-with   a release and the acquire that reads its value, or what stands for them:
 *                                fences (11 to 15)
 *            barriers            from each arrival to all departures, where the flags name the
 *                                memory (17)
 *            copies              from their accesses to the work-items that wait; from the clocks of the
 *                                whole group to them (37)
 *          and then each edge that follows from two edges, until nothing more does (the transitive closure).
 * A race   is two accesses of two units that touch a byte both, of which one writes; not both atomic with
 *          scopes that include each other; and no path leads from the one to the other (rules 4, 10, 29, 36).
 *
 * Interface
 *   fill operations in the order of the program, then race_oracle_order once, then query any two, i < j:
 *   race_oracle_races      do they race?
 *   race_oracle_ordered    does the earlier one happen before the later?
 *   race_oracle_races_across   likewise races, of accesses to memory that work-groups share, and of two of
 *                              them
 *   oracle_op_overlaps          do they touch a byte both?
 */
#ifndef ORRERY_TESTS_SUPPORT_RACE_ORACLE_H
#define ORRERY_TESTS_SUPPORT_RACE_ORACLE_H

#include <stdio.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"

enum oracle_op_kind {
    ORACLE_OP_ACCESS,
    ORACLE_OP_FENCE,
    ORACLE_OP_ENTRY,
    ORACLE_OP_EXIT,
    ORACLE_OP_COPY_START,
    ORACLE_OP_COPY_WAIT
};

/* As bits: REGION_GLOBAL, REGION_LOCAL, REGION_IMAGE, the flags of fences and barriers. */
enum oracle_op_region { IN_GLOBAL, IN_LOCAL, IN_IMAGE, ORACLE_OP_REGIONS };

enum { ORACLE_ORACLE_OPS = 256 };

struct operation {
    enum oracle_op_kind kind;
    uint32_t item, group, sub_group;
    uint32_t site; /* the first operation of its event: those of one instruction share it */
    /* of accesses */
    /* bytes, 0: it touches nothing; space: which memory, local memory being one for each group */
    uint32_t address, size, space;
    enum oracle_op_region region;
    enum access_kind access;
    bool sampled; /* an image is read with a sampler */
    /* of atomics, fences and barriers */
    enum memory_ordering order;
    enum memory_scope scope;
    uint32_t flags;    /* of fences and barriers: the regions that they order */
    uint32_t instance; /* of barriers: those of one execution share it */
    /* of copies */
    /* COPY_START and the copy's accesses: 1 + how many began before it; else 0 */
    uint32_t copy;
    /* COPY_START and COPY_WAIT: its event's number, which several copies may have */
    uint32_t event;
};

/* row i, bit j: i precedes j */
typedef uint64_t oracle_op_relation[ORACLE_ORACLE_OPS][ORACLE_ORACLE_OPS / 64];

struct race_oracle {
    enum scope_rule rule;
    bool svm_atomics; /* global memory is fine-grained SVM with atomics */
    /* rule 32: each work-group is a launch, and global memory is none where the atomics of several are for
     * each other */
    bool apart;
    uint32_t inside; /* so many of the first work-groups are the launch that is judged; 0: all */
    uint32_t count, copies;
    struct operation operations[ORACLE_ORACLE_OPS];
    oracle_op_relation before[ORACLE_OP_REGIONS]; /* race_oracle_order makes it */
};

void race_oracle_order(struct race_oracle *oracle);
void race_oracle_print(const struct race_oracle *oracle, FILE *stream); /* a line for each operation */
bool race_oracle_races(const struct race_oracle *oracle, uint32_t i, uint32_t j);
bool race_oracle_races_across(const struct race_oracle *oracle, uint32_t i, uint32_t j);
bool race_oracle_ordered(const struct race_oracle *oracle, uint32_t i, uint32_t j);
bool oracle_op_overlaps(const struct operation *a, const struct operation *b);

#endif
