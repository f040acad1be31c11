/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The findings about races in a launch tree: what enqueued the two kernels, what each did, why
 *          nothing orders them, and the flag or event that would.
 *
 * Interface
 *   launch_tree_report_conflict   two launches accessed the bytes of conflict->run
 *   launch_tree_report_packets    two launches use one end of a pipe; row, used: the earlier, then the later
 *   launch_tree_report_race       a race that inter_launch.h found in struct complete_tree *self
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_REPORT_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_REPORT_H

#include "launch_tree_records.h"

/* Accesses of an earlier launch, a, and of a later one, b, to common bytes. */
struct tree_conflict {
    const struct tree_operations *a, *b;
    enum footprint_use use_a, use_b;
    struct byte_run run;
};

struct packets_user;
struct inter_launch_race;
void launch_tree_report_conflict(const struct complete_tree *tree, uint32_t earlier, uint32_t later,
                                 const struct tree_conflict *conflict);
void launch_tree_report_packets(const struct complete_tree *tree, const uint32_t row[2],
                                const struct packets_user *const used[2]);
void launch_tree_report_race(void *self, const struct inter_launch_race *race);

#endif
