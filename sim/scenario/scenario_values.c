/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the launches once more to see the variables on the lines of findings. The report of that run is
 * discarded. */
#include "scenario_values.h"

#include <stdlib.h>

#include "scenario_again.h"
#include "scenario_launch.h"
#include "sim/debug/line_values.h"

/* Iterations of the first run, at most: code for a debugger is an order of magnitude slower. */
enum { STEPS_MOST = 1 << 20, WAITS_TIMES = 2, WAITS_MORE = 1000 };

bool scenario_shows_values(const struct scenario *scenario)
{
    return scenario->values && scenario_runs_again(scenario);
}

static bool has_access(const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++)
        for (uint32_t a = 0; a < report_get(report, i)->access_count; a++)
            if (report_get(report, i)->access[a].has_item)
                return true;
    return false;
}

static bool run_again(const struct scenario *copy, struct report *again)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result = {.output = NULL};
    struct run run = {.scenario = copy,
                      .diagnosis = &diagnosis,
                      .report = again,
                      .output = open_memstream(&result.output, &result.output_size)};
    if (!run.output)
        return false;
    const enum status status = scenario_perform(&run, &result);
    scenario_run_fini(&run);
    fclose(run.output);
    scenario_result_fini(&result);
    return status == STATUS_OK || status == STATUS_NO_PROGRESS;
}

void scenario_find_values(const struct scenario *scenario, uint64_t steps, struct report *report)
{
    if (steps > STEPS_MOST || !has_access(report))
        return;
    struct scenario copy = scenario_again(scenario, steps);
    /* The same loops: only waits may take longer. One that never ends is not found to repeat its state here,
     * because variables in memory count its iterations. */
    copy.schedule.max_steps = WAITS_TIMES * steps + WAITS_MORE;
    struct report *again = report_new(&copy);
    struct line_values *values = again ? line_values_new(report, again) : NULL;
    if (values) {
        report_set_stream(again, NULL, false);
        line_values_attend(values, &copy);
        if (run_again(&copy, again))
            line_values_give(values, report);
    }
    line_values_free(values);
    report_free(again);
}
