/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which group and which wave runs next, and for how long.  A function of the
 *          scenario's policy and seed alone.
 *
 * Policies  lockstep     a group runs to its end; its waves in turn
 *           serial       one work-item at a time to the next barrier, ascending
 *           reverse      the same, descending, last group first
 *           round-robin  every work-item of every resident group gets a quantum in turn
 *           random       any ready work-item gets a quantum
 *
 * Progress  A wave that spins leaves its turn; when all that is resident only spins, one
 *           more group becomes resident, so that locks between groups are released.  Past
 *           max_steps or the timeout the launch ends with a no-progress finding.
 */
#ifndef ORRERY_SIM_SCHEDULE_H
#define ORRERY_SIM_SCHEDULE_H

#include "launch.h"

/* What the policies mean for the code and the tiling. */
bool schedule_is_preemptive(enum schedule_policy policy);   /* stops at every memory operation */
uint32_t schedule_wave_lanes(enum schedule_policy policy);  /* most lanes per wave */

/* Runs every tile. ABORTED, NO_PROGRESS, OUT_OF_MEMORY as device_launch. */
enum status schedule_run(struct launch *launch);

#endif
