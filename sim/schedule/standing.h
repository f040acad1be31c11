/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Places of the work-items of running launches, in lines for a person who waits: at a signal, or
 *          once a launch has run for long.
 *
 * Interface
 *   standing_note        (schedule.h) all launches; per launch its resident work-groups, each with its
 *                        places, up to STANDING_LINES
 *   standing_note_slow   one launch: one place of the work-group that runs
 */
#ifndef ORRERY_SIM_SCHEDULE_STANDING_H
#define ORRERY_SIM_SCHEDULE_STANDING_H

#include "schedule_state.h"

enum { STANDING_LINES = 24 };

void standing_note_slow(struct schedule *schedule, int seconds);

#endif
