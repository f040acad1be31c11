/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A scenario's launches can run again, to try fixes and to see values: the only side effects of a
 *          scenario are its output files.
 *
 * Interface
 *   scenario_runs_again   may its launches run again? Not modules without source text, not under a debugger,
 *                         and not more than 65,536 work-items
 *   scenario_items        work-items of all launches; 65,537: that many or more
 *   scenario_again        a copy that writes no file and expects nothing. Its limit is 16 times the loop
 *                         iterations of the first run (`steps`), not a time. The copy borrows from the
 *                         scenario
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_AGAIN_H
#define ORRERY_SIM_SCENARIO_SCENARIO_AGAIN_H

#include "orrery/scenario.h"

bool scenario_runs_again(const struct scenario *scenario);
uint64_t scenario_items(const struct scenario *scenario);
struct scenario scenario_again(const struct scenario *scenario, uint64_t steps);

#endif
