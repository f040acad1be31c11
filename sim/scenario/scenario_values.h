/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Values of the variables on the lines of findings: a scenario's launches run again, once, with
 *          code for a debugger (sim/debug/line_values.h).
 *
 * Interface
 *   scenario_shows_values   can its launches run again, and are values wanted?
 *   scenario_find_values    after a run: puts values into the report's findings. Costs nothing unless a
 *                           finding has an access of a work-item
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_VALUES_H
#define ORRERY_SIM_SCENARIO_SCENARIO_VALUES_H

#include "orrery/report.h"

bool scenario_shows_values(const struct scenario *scenario);
void scenario_find_values(const struct scenario *scenario, uint64_t steps, struct report *report);

#endif
