/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which launches of one family happen before which: by the kernel that enqueued them and with which
 *          flags, by the events and markers that they wait for, and by calls of enqueue_kernel, which order
 *          fine-grained memory alone. Rules (1), (2), (3), (13) and (14) of the OpenCL 2.2 API, 3.3.6
 *          "Host-side and Device-side Commands". It has launches, work-groups and calls, and no byte of
 *          memory.
 *
 * Orders   Before a kernel happen: what does before its parent's begin; all of its parent with WAIT_KERNEL
 *          (13); with WAIT_WORK_GROUP the work-group that enqueued it, with all before its end (14), and so
 *          for its children; the commands that it waits for by events with all their children (2, 3). The
 *          accesses before the call of the work-item that enqueued it happen before it in fine-grained SVM
 *          alone (1), also by the call that enqueued a marker which it waits for. All that the parent does
 *          there counts as before it if calls of several work-items may have ordered more, and if the
 *          parent's atomics met those of others.
 *
 * Left     to inter_launch.h, and counted as ordered here, is all of a launch of which atomics, or several of
 *          its work-groups, may have ordered more.
 *
 * Interface
 *   launch_tree_new, launch_tree_free  of the launches of one family, ascending by number, so that parents
 *                                      and awaited launches come before; borrowed. A launch's row is its
 *                                      index there. NULL: no memory
 *   launch_tree_row            of a launch; UINT32_MAX: it is not of the family
 *   launch_tree_learn          computes which launches happen before which; again after launch_tree_join.
 *                              False: no memory
 *   launch_tree_join           atomics may have ordered the two, in either direction
 *   launch_tree_ordered        all of one of the two happens before the other
 *   launch_tree_unknown        the accesses of an earlier launch that do not happen before a later one
 *   launch_tree_unknown_fine   the same, of fine-grained memory
 *   launch_tree_child_between  the ancestor's child of which a launch came; UINT32_MAX: it is no descendant
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

/* One launch. */
struct tree_launch {
    uint32_t launch, parent;
    enum launch_start start;
    uint64_t parent_group;
    uint32_t parent_clock_snapshot; /* 1 + its number; 0: not known */
    struct launch_after *after;
    uint32_t after_count;
    uint64_t *groups;
    uint32_t group_count; /* whose end kernels wait for that they enqueued */
    uint64_t *callers;
    uint32_t caller_count; /* of each call that is kept apart, a clock snapshot: the work-item */
};

/* AFTER_GROUP: but for what happens before the end of the group of that index; AFTER_CALL: but for what came
 * before that snapshot. */
struct unknown {
    enum { UNKNOWN_NOTHING, UNKNOWN_ALL, UNKNOWN_AFTER_GROUP, UNKNOWN_AFTER_CALL } what;
    uint32_t index;
};

struct launch_tree;
struct launch_tree *launch_tree_new(const struct tree_launch *const *launches, uint32_t count);
void launch_tree_free(struct launch_tree *launch_tree);
uint32_t launch_tree_row(const struct launch_tree *launch_tree, uint32_t launch);
bool launch_tree_learn(struct launch_tree *launch_tree);
void launch_tree_join(struct launch_tree *launch_tree, uint32_t one, uint32_t other);
bool launch_tree_ordered(const struct launch_tree *launch_tree, uint32_t one, uint32_t other);
struct unknown launch_tree_unknown(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later);
struct unknown launch_tree_unknown_fine(struct launch_tree *launch_tree, uint32_t earlier, uint32_t later);
uint32_t launch_tree_child_between(const struct launch_tree *launch_tree, uint32_t ancestor, uint32_t row);

#endif
