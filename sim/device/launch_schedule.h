/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which group and which wave runs next, and for how long.  A function of the
 *          scenario's policy and seed alone, or of an oracle's answers.
 *
 * Policies  lockstep     a group runs to its end; its waves in turn
 *           serial       one work-item at a time to the next barrier, ascending
 *           reverse      the same, descending, last group first
 *           round-robin  every work-item of every resident group gets a quantum in turn
 *           random       any ready work-item gets a quantum
 *           pct          the ready work-item of highest priority; depth - 1 times a priority drops
 *           replay       turns that were recorded; elsewhere the usual rule
 *           script       steps that somebody wrote; then one of the others
 *
 * The usual rule: who went last goes on; when it cannot, the lowest that can; when it only
 * spins, the next one after it.
 *
 * The first four run passes over what is resident (schedule.c).  The others, and an oracle,
 * choose step by step (schedule_choose.c): a step is one operation that others see.  What nobody
 * sees is done ahead; but not under a script, where coming to the first operation, from the start or
 * from after a barrier, is a step too.
 *
 * Progress  A wave that spins leaves its turn; when all that is resident only spins, as
 *           many groups again become resident, so that locks between groups are released.  Past
 *           max_steps or the timeout the launch ends with a no-progress finding.
 */
#ifndef ORRERY_SIM_DEVICE_LAUNCH_SCHEDULE_H
#define ORRERY_SIM_DEVICE_LAUNCH_SCHEDULE_H

#include "launch.h"

/* Step by step instead of in passes. */
bool schedule_chooses(const struct schedule_config *config);

/* What a schedule means for the code and the tiling. */
bool schedule_is_preemptive(const struct schedule_config *config);  /* stops at every operation others see */
uint32_t schedule_wave_lanes(const struct schedule_config *config); /* most lanes per wave */
bool schedule_may_merge(const struct schedule_config *config);      /* groups may share a wave */
/* or was when what it replays was recorded */
bool schedule_is_scripted(const struct launch *launch);

struct schedule;
struct concurrent;

/* The launches in `concurrent` run at the same time, this one among them. NULL: no memory. */
struct schedule *schedule_new(struct launch *launch, struct concurrent *concurrent,
                              struct diagnosis *diagnosis);
/* Every resident group a turn, or one step of one work-item; false: the launch is over. */
bool schedule_pass(struct schedule *schedule);
/* Only spinning, and no group is left that could help. */
bool schedule_is_stuck(const struct schedule *schedule);
/* other launches began or ended: what circles is to be seen anew */
void schedule_company_changed(struct schedule *schedule);
/* Within a turn: it is to end, since a signal has come. */
bool schedule_interrupted(struct schedule *schedule);
uint32_t schedule_priority_changes(const struct schedule *schedule); /* pct: so far */
/* Gives back what is resident. ABORTED, NO_PROGRESS, OUT_OF_MEMORY as device_launch. */
enum status schedule_free(struct schedule *schedule);

/* While nothing says that the host waits, it may write memory that kernels read. */
bool circle_host_may_write(const struct memory *memory);

/* All launches are stuck and nothing else can begin: ends them with a livelock once they have come round to
 * where they were. Called when each had its turn. */
void schedule_check_all_stuck(struct concurrent *concurrent);

/* Each wave that could go on, work-group by work-group in the order in which they came. */
struct wave;
struct unit;
void standing_ready(const struct schedule *schedule, void *self,
                    void (*take)(void *self, const struct unit *unit, const struct wave *wave));

/* Where the work-items of all running launches stand, in lines for a person who waits (standing.h). */
struct schedule_watch;
void standing_note(const struct concurrent *concurrent, const struct schedule_watch *watch);

#endif
