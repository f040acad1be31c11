/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which group and which wave runs next, and for how long. A function of the scenario's policy and
 *          seed alone, or of an oracle's choices.
 *
 * Policies  lockstep     a group runs to its end; its waves one after another
 *           serial       one work-item at a time to the next barrier, ascending
 *           reverse      the same, descending, last group first
 *           round-robin  every work-item of every resident group gets a quantum, one after another
 *           random       any ready work-item gets a quantum
 *           pct          the ready work-item of highest priority; depth - 1 times a priority drops
 *           replay       steps that were recorded; elsewhere the default rule
 *           script       steps from a file; then one of the others
 *
 * The default rule: the unit that ran last continues; when it cannot, the lowest that can; when it only
 * spins, the next one after it.
 *
 * The first four run passes over what is resident (schedule.c).  The others, and an oracle,
 * choose step by step (schedule_choose.c): a step is one operation that others see.  Operations that no other
 * unit sees are done ahead; but not under a script, where reaching the first operation, from the start or
 * from after a barrier, is a step too.
 *
 * Progress  A wave that spins ends its time slice; when all that is resident only spins, as
 *           many groups again become resident, so that locks between groups are released.  Past
 *           max_steps or the timeout the launch ends with a no-progress finding.
 */
#ifndef ORRERY_SIM_DEVICE_LAUNCH_SCHEDULE_H
#define ORRERY_SIM_DEVICE_LAUNCH_SCHEDULE_H

#include "launch.h"

/* Step by step instead of in passes. */
bool schedule_chooses(const struct schedule_config *config);

/* The requirements of a schedule on the code and the tiling. */
bool schedule_is_preemptive(const struct schedule_config *config);  /* stops at every operation others see */
uint32_t schedule_wave_lanes(const struct schedule_config *config); /* most lanes per wave */
bool schedule_may_merge(const struct schedule_config *config);      /* groups may share a wave */
/* a script is followed, or was followed when the replay was recorded */
bool schedule_is_scripted(const struct launch *launch);

struct schedule;
struct concurrent;

/* The launches in `concurrent` run at the same time, this one among them. NULL: no memory. */
struct schedule *schedule_new(struct launch *launch, struct concurrent *concurrent,
                              struct diagnosis *diagnosis);
/* A time slice for every resident group, or one step of one work-item; false: the launch is over. */
bool schedule_pass(struct schedule *schedule);
/* Every resident wave only spins, and no group of the launch is left to admit. */
bool schedule_is_stuck(const struct schedule *schedule);
/* Other launches began or ended: the detection of cycles starts again. */
void schedule_company_changed(struct schedule *schedule);
/* Called within a time slice. True: a signal has come, so the slice has to end. */
bool schedule_interrupted(struct schedule *schedule);
uint32_t schedule_priority_changes(const struct schedule *schedule); /* pct: so far */
/* Frees the schedule and its resident groups. Returns the launch's status, as device_launch(). */
enum status schedule_free(struct schedule *schedule);

/* True: the host may write memory that kernels read, unless it is known to wait. */
bool cycle_host_may_write(const struct memory *memory);

/* All launches are stuck and nothing else can begin: ends them with a livelock once they have returned to an
 * earlier state. Called when each had its time slice. */
void schedule_check_all_stuck(struct concurrent *concurrent);

/* Calls take for each ready wave, work-group by work-group in the order of admission. */
struct wave;
struct unit;
void positions_of_ready(const struct schedule *schedule, void *self,
                        void (*take)(void *self, const struct unit *unit, const struct wave *wave));

/* Prints the positions of the work-items of all running launches by watch->note (positions.h). */
struct schedule_watch;
void positions_note(const struct concurrent *concurrent, const struct schedule_watch *watch);

#endif
