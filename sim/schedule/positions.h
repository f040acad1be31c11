/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The positions of the work-items of running launches as text for a person who waits: printed at a
 *          signal, or after a launch has run for long.
 *
 * Interface
 *   positions_note        (launch_schedule.h) each launch: its resident work-groups and their positions, at
 *                         most
 *                         POSITION_LINES lines
 *   positions_of_ready    (launch_schedule.h) the waves that can continue
 *   positions_note_slow   one launch: one position of the work-group that runs
 */
#ifndef ORRERY_SIM_SCHEDULE_POSITIONS_H
#define ORRERY_SIM_SCHEDULE_POSITIONS_H

#include "schedule_state.h"

enum { POSITION_LINES = 24 };

void positions_note_slow(struct schedule *schedule, int seconds);

#endif
