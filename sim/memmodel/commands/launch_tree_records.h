/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the races of a launch tree are found with: the accesses of each launch that has ended, copied
 *          from its footprint, until the tree is complete; and the complete tree.
 *
 * Interface
 *   launch_tree_records_add    copies the footprint of a launch that has ended, in front of the list.
 *                              False: out of memory; the part that was copied is in the list
 *   launch_tree_records_free   frees one record, which is in no list any more
 *   launch_tree_record         the record of accesses that are not ordered; NULL: all are
 *
 * Ownership  The caller has the list. Strings of the program are borrowed: it outlives its launch tree.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_RECORDS_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_RECORDS_H

#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/report.h"
#include "sim/memmodel/common/footprint.h"
#include "sim/memmodel/common/launch_names.h"
#include "launch_tree.h"

/* The accesses of one launch to one allocation, by use. */
struct tree_operations {
    struct footprint_part part;
    bool fine, of_host; /* fine-grained SVM; the host's own memory */
    char object[120],
        argument[ARGUMENT_CHARS + 2]; /* ", argument 0 'data'", by which the kernel reached it; or nothing */
    /* strings of the program, which outlives its launch tree */
    struct source_place place[FOOTPRINT_USES][FOOTPRINT_SITES];
};
struct launch_record {
    struct tree_operations *operations;
    uint32_t count;
};

/* A launch that has ended, and whose tree is not complete. */
struct ended_launch {
    struct ended_launch *next;
    struct tree_launch tree_launch;
    uint32_t tree, device;
    const char *kernel;
    enum memory_scope releases, acquires;
    struct launch_record all;
    struct launch_record
        *rests; /* by tree_launch.groups: the accesses that do not happen before the work-group's end */
    /* by tree_launch.callers: the accesses, to fine-grained memory, that do not happen before the call of
     * enqueue_kernel */
    struct launch_record *clock_snapshots;
};

bool launch_tree_records_add(struct ended_launch **list, const struct memory *memory,
                             const struct footprint *footprint);
void launch_tree_records_free(struct ended_launch *ended);

/* ---- a complete tree ------------------------------------------------------------------------------- */

struct complete_tree {
    struct report *report;
    struct ended_launch **members;
    const struct tree_launch **launches;
    uint32_t count, left_out; /* left_out: launches after the first `count`, which are not checked */
    struct launch_tree *launch_tree;
};
const struct launch_record *launch_tree_record(const struct complete_tree *tree, uint32_t earlier,
                                               struct unordered unordered);

#endif
