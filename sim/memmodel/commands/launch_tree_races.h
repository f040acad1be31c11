/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Kernels that enqueue each other on the device, touch the same bytes and are not ordered:
 *          `race-commands`. Judged when all of a family is complete, from the footprints that its launches
 *          leave, and the order between them (launch_tree.h).
 *
 * Calls    of enqueue_kernel order fine-grained SVM alone: the checker keeps a footprint of the accesses
 *          after each of the first calls of a launch. All that the parent does there counts as ordered if it
 *          is not kept, and if the parent's atomics met those of others, but for what inter_launch.h finds
 *          then.
 * Atomics  of a parent and its children follow the rules inside a kernel (last part of 3.3.6): two launches
 *          whose atomics meet count as ordered, if the code of one releases and that of the other acquires;
 *          what that does not order inter_launch.h finds.
 *
 * Interface
 *   tree_races_new/free
 *   tree_races_set_inter_launch    receives such launches; borrowed; NULL: none
 *   tree_races_footprints   where the accesses of launches go; they are handed on to `next`
 *   tree_races_packets      a launch moves packets by one side of a pipe, of which one kernel at a time has
 *                           the use
 *   tree_races_complete     nothing more comes of the family: judges and forgets it. known: the waits between
 *                           launches are; else memory ran out
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
struct tree_races *tree_races_new(const struct memory *memory, struct report *report,
                                  const struct footprint_sink *next);
struct inter_launch;
void tree_races_set_inter_launch(struct tree_races *tree_races, struct inter_launch *inter_launch);
void tree_races_free(struct tree_races *tree_races);
struct footprint_sink tree_races_footprints(struct tree_races *tree_races);
struct packets_use;
void tree_races_packets(struct tree_races *tree_races, const struct launch_info *launch,
                        const struct packets_use *use);
void tree_races_complete(struct tree_races *tree_races, uint32_t family, bool known);

#endif
