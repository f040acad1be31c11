/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Writes down the choices of a schedule, and reads them when a launch runs again.
 *
 * Interface
 *   launch_shape               which launch this is, in 32 bits
 *   record_launch              a launch begins: notes its shape, returns the place for its steps
 *   record_step                one step that differs from the default
 *   turn_index_*               the steps of a launch, found by the unit that ran last
 */
#ifndef ORRERY_SIM_DEVICE_SCHEDULE_RECORD_H
#define ORRERY_SIM_DEVICE_SCHEDULE_RECORD_H

#include "launch.h"
#include "orrery/schedule.h"

void schedule_record_fini(struct schedule_record *record); /* of an embedded one */

uint32_t launch_shape(const struct launch *launch); /* never 0 */

/* False: no memory. The launch's place is the last one then. */
bool record_launch(struct schedule_record *record, const struct launch *launch);
bool record_step(struct schedule_launch *launch, const struct schedule_turn *turn);
/* The launch's steps, or NULL. */
const struct schedule_launch *record_find(const struct schedule_record *record, uint32_t launch);

struct step_index {
    struct schedule_turn *turns;
    bool *taken;
    size_t count, left;
};
bool step_index_init(struct step_index *index, const struct schedule_launch *launch); /* NULL: empty */
void step_index_fini(struct step_index *index);
/* Each step is returned once. */
const struct schedule_turn *step_index_take(struct step_index *index, struct unit at, uint64_t step);
/* one that never came, or NULL */
const struct schedule_turn *step_index_left(const struct step_index *index);

#endif
