/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Decides whether a finding's proposed fix is right. A scenario's launches are run again with each
 *          proposed edit; the report calls it a fix if the run confirms it, else advice.
 *
 * Interface
 *   scenario_tries_fixes   can the scenario's launches run again, and does the scenario allow it?
 *   scenario_try_fixes     after a run: tries the edits of the report's first findings, and notes the result
 *                          in each finding (report_tried). Costs nothing when no finding has edits.
 *
 * Rules    A fix holds when, under the schedule of the run and under the default one, with all checks on,
 *          its finding is gone, no finding is new, each launch ends, and the buffers' contents equal those
 *          after serial runs of the original text, as far as these agree: one work-item at a time, forwards,
 *          backwards and in four random orders. Bytes on which they disagree depend on the order, and the
 *          intended value is unknown.
 * Limits   The first 10 findings with edits; scenarios of at most 65,536 work-items; 16 times the loop
 *          iterations of the run itself. None depends on wall-clock time.
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_FIXES_H
#define ORRERY_SIM_SCENARIO_SCENARIO_FIXES_H

#include "orrery/report.h"

bool scenario_tries_fixes(const struct scenario *scenario);
void scenario_try_fixes(const struct scenario *scenario, uint64_t steps, struct report *report);

#endif
