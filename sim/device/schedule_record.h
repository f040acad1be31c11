/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Writes down the choices of a schedule, and reads them when a launch runs again.
 *
 * Interface
 *   schedule_record_shape               which launch this is, in 32 bits
 *   record_launch              a launch begins: notes its shape, returns the place for its switches
 *   record_switch              one choice that differs from the default rule
 *   switch_index_*             the switches of a launch, found by the unit that ran last
 */
#ifndef ORRERY_SIM_DEVICE_SCHEDULE_RECORD_H
#define ORRERY_SIM_DEVICE_SCHEDULE_RECORD_H

#include "launch.h"
#include "orrery/schedule.h"

void schedule_record_fini(struct schedule_record *record); /* of an embedded one */

uint32_t schedule_record_shape(const struct launch *launch); /* never 0 */

/* False: no memory. The launch's place is the last one then. */
bool record_launch(struct schedule_record *record, const struct launch *launch);
bool record_switch(struct schedule_launch *launch, const struct schedule_switch *entry);
/* The launch's switches, or NULL. */
const struct schedule_launch *record_find(const struct schedule_record *record, uint32_t launch);

struct switch_index {
    struct schedule_switch *switches;
    bool *taken;
    size_t count, left;
};
bool switch_index_init(struct switch_index *index, const struct schedule_launch *launch); /* NULL: empty */
void switch_index_fini(struct switch_index *index);
/* Each switch is returned once. */
const struct schedule_switch *switch_index_take(struct switch_index *index, struct unit at, uint64_t step);
/* one that never came, or NULL */
const struct schedule_switch *switch_index_left(const struct switch_index *index);

#endif
