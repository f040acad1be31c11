/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which launches of one launch tree happen before which: a host's launch, the kernels that it
 *          enqueued, and theirs. Rules (1), (2), (3), (13) and (14) of the OpenCL 2.2 API, 3.3.6 "Host-side
 *          and Device-side Commands". It works on launches, work-groups and calls of enqueue_kernel, not on
 *          memory.
 *
 * Orders   These happen before a kernel:
 *          - what happens before the begin of its parent;
 *          - with WAIT_KERNEL all of its parent (13);
 *          - with WAIT_WORK_GROUP the work-group that enqueued it, up to its end (14). This holds for the
 *            kernel's descendants, too;
 *          - commands that it waits for by events, with all their descendants (2, 3);
 *          - in fine-grained SVM alone the accesses of the work-item before its call of enqueue_kernel, also
 *            of a call that enqueued a marker which the kernel waits for (1).
 *          Where calls of several work-items or the parent's atomics may have ordered more, all that the
 *          parent does in fine-grained SVM counts as before.
 *
 * Limits   A launch of which atomics, or several of its work-groups, may have ordered more counts as ordered
 *          here; inter_launch.h checks its accesses.
 *
 * Interface
 *   launch_tree_new            of the launches of one tree, ascending by number, so that parents and
 *                              launches that others wait for come before; borrowed. A launch's row is its
 *                              index there. NULL: out of memory
 *   launch_tree_row            the row of a launch; UINT32_MAX: it is not in the tree
 *   launch_tree_compute        computes the order; again after launch_tree_join
 *   launch_tree_join           atomics may have ordered the two, in either direction
 *   launch_tree_ordered        does all of one of the two happen before the other?
 *   launch_tree_unordered      which accesses of an earlier launch do not happen before a later one?
 *   launch_tree_unordered_fine likewise of accesses to fine-grained memory
 *   launch_tree_child_between  the child of an ancestor from which a launch descends; UINT32_MAX: none
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

/* One launch of a tree. */
struct tree_launch {
    uint32_t launch, parent;
    enum launch_start start;
    uint64_t parent_group;
    uint32_t parent_clock_snapshot; /* 1 + number of the call that enqueued it; 0: unknown */
    struct launch_after *after;
    uint32_t after_count;
    uint64_t *groups;
    uint32_t group_count; /* work-groups for whose end a kernel waits that they enqueued */
    uint64_t *callers;
    uint32_t caller_count; /* by call of enqueue_kernel that has a snapshot: its work-item */
};

/* The accesses of a launch that do not happen before another one. AFTER_GROUP: all but those that happen
 * before the end of the work-group of that index; AFTER_CALL: all but those before the call of that index. */
struct unordered {
    enum { UNORDERED_NONE, UNORDERED_ALL, UNORDERED_AFTER_GROUP, UNORDERED_AFTER_CALL } what;
    uint32_t index;
};

struct launch_tree;
struct launch_tree *launch_tree_new(const struct tree_launch *const *launches, uint32_t count);
void launch_tree_free(struct launch_tree *launch_tree);
uint32_t launch_tree_row(const struct launch_tree *launch_tree, uint32_t launch);
void launch_tree_compute(struct launch_tree *launch_tree);
void launch_tree_join(struct launch_tree *launch_tree, uint32_t one, uint32_t other);
bool launch_tree_ordered(const struct launch_tree *launch_tree, uint32_t one, uint32_t other);
struct unordered launch_tree_unordered(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later);
struct unordered launch_tree_unordered_fine(struct launch_tree *launch_tree, uint32_t earlier,
                                            uint32_t later);
uint32_t launch_tree_child_between(const struct launch_tree *launch_tree, uint32_t ancestor, uint32_t row);

#endif
