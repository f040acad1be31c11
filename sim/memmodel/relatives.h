/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Kernels that enqueue each other on the device, touch the same bytes and are not ordered: `race-commands`. Judged when
 *          all of a family is complete, from the footprints that its launches leave, and who of them knows of whom (kinship.h).
 *
 * Calls    of enqueue_kernel tell of fine-grained SVM alone: the checker keeps a footprint of what came after each of the
 *          first calls of a launch. All that the parent does there counts as known where it is not kept, and where the parent's
 *          atomics met those of others, but for what cross_launch.h finds then.
 * Atomics  of a parent and its children follow the rules inside a kernel (last part of 3.3.6): two launches whose atomics meet
 *          count as ordered, if the code of one releases and that of the other acquires; what that does not order
 *          cross_launch.h finds.
 *
 * Interface
 *   relatives_new/free
 *   relatives_set_cross    who hears of such launches; borrowed; NULL: nobody
 *   relatives_footprints   where the accesses of launches go; they are handed on to `next`
 *   relatives_packets      a launch moves packets by one side of a pipe, of which one kernel at a time has the use
 *   relatives_complete     nothing more comes of the family: judges and forgets it. known: who waited for whom; else memory ran out
 *
 * Threads  All calls come from the thread that launches.
 */
#ifndef ORRERY_SIM_MEMMODEL_RELATIVES_H
#define ORRERY_SIM_MEMMODEL_RELATIVES_H

#include "footprint.h"
#include "orrery/device.h"
#include "orrery/memory.h"
#include "orrery/report.h"

struct relatives;
struct relatives *relatives_new(const struct memory *memory, struct report *report, const struct footprint_sink *next);
struct cross_launch;
void relatives_set_cross(struct relatives *relatives, struct cross_launch *cross);
void relatives_free(struct relatives *relatives);
struct footprint_sink relatives_footprints(struct relatives *relatives);
struct packets_use;
void relatives_packets(struct relatives *relatives, const struct launch_info *launch, const struct packets_use *use);
void relatives_complete(struct relatives *relatives, uint32_t family, bool known);

#endif
