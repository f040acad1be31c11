/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Finds kernels of one launch tree that access the same bytes and are not ordered: `race-commands`.
 *          They are compared when all launches of the tree are complete, by the footprints that they leave
 *          and the order between them (launch_tree.h).
 *
 * Calls    enqueue_kernel orders fine-grained SVM alone. The checker keeps a footprint of the accesses after
 *          each of the first calls of a launch. Where it has none, or where the parent's atomics may
 *          synchronise, all that the parent does in fine-grained SVM counts as ordered, except for what
 *          inter_launch.h finds.
 * Atomics  of a parent and its children follow the rules inside a kernel (last part of 3.3.6). Two launches
 *          with atomics on the same bytes count as ordered if the code of one releases and the code of the
 *          other acquires. inter_launch.h finds accesses of such launches that are not ordered.
 *
 * Interface
 *   tree_races_new          borrows memory, report and inter_launch, which receives such launches; NULL: none
 *   tree_races_footprints   the sink for footprints of launches
 *   tree_races_packets      a launch uses an end of a pipe, which only one kernel at a time may use
 *   tree_races_complete     all launches of the tree are complete: compares and drops them. known: the waits
 *                           between launches are known; else memory was out
 *
 * Threads  All calls come from the thread that launches.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_RACES_H
#define ORRERY_SIM_MEMMODEL_COMMANDS_LAUNCH_TREE_RACES_H

#include "sim/memmodel/common/footprint.h"
#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/report.h"

struct tree_races;
struct inter_launch;
struct tree_races *tree_races_new(const struct memory *memory, struct report *report,
                                  struct inter_launch *inter_launch);
void tree_races_free(struct tree_races *tree_races);
struct footprint_sink tree_races_footprints(struct tree_races *tree_races);
struct packets_use;
void tree_races_packets(struct tree_races *tree_races, const struct launch_info *launch,
                        const struct packets_use *use);
void tree_races_complete(struct tree_races *tree_races, uint32_t tree_root, bool known);

#endif
