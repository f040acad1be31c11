/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether the launches of a scenario can run again, and makes the scenario for that run: a copy
 * without output files and expectations. */
#include "scenario_again.h"

enum { ITEMS_MOST = 1 << 16, STEPS_TIMES = 16, STEPS_MORE = 100000 };

uint64_t scenario_items(const struct scenario *scenario)
{
    uint64_t items = 0;
    for (size_t l = 0; l < scenario->launch_count && items <= ITEMS_MOST; l++) {
        const struct scenario_launch *launch = &scenario->launches[l];
        uint64_t own = 1;
        for (uint32_t i = 0; i < launch->work_dim; i++)
            own = launch->global[i] && own > ITEMS_MOST / launch->global[i] ? ITEMS_MOST + 1
                                                                            : own * launch->global[i];
        items += own;
    }
    return items;
}

bool scenario_runs_again(const struct scenario *scenario)
{
    const struct scenario_program *program = &scenario->program;
    const bool is_watched = scenario->debug || scenario->schedule.oracle;
    const bool has_source = !program->spirv_file && (program->source_file || program->source_text);
    return !is_watched && has_source && scenario_items(scenario) <= ITEMS_MOST;
}

struct scenario scenario_without_outputs(const struct scenario *scenario)
{
    struct scenario copy = *scenario;
    copy.counters = copy.instructions = copy.coverage_file = copy.html_file = copy.timeline_file =
        copy.trace_file = NULL;
    copy.json_file = copy.sarif_file = copy.dot_file = copy.gen_suppressions = NULL;
    copy.schedule.record_file = NULL;
    copy.update_baseline = false;
    return copy;
}

struct scenario scenario_again(const struct scenario *scenario, uint64_t steps)
{
    struct scenario copy = scenario_without_outputs(scenario);
    copy.expect = (struct scenario_expect){.exit_status = -1};
    copy.schedule.timeout_seconds = 0;
    copy.schedule.max_steps = STEPS_TIMES * steps + STEPS_MORE;
    copy.fixes = FIXES_OFF;
    copy.values = false;
    return copy;
}
