/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a run of `orrery check` found and printed, and its comparison with what the scenario expects.
 *
 * Interface
 *   check_outcome_take_report, check_outcome_take_json   adds the findings of a report, or of the lines of
 *                             JSON that a program wrote
 *   check_outcome_compare_*   prints each difference, and returns how many there are
 *   check_outcome_fini
 */
#ifndef ORRERY_TOOLS_CHECK_OUTCOME_H
#define ORRERY_TOOLS_CHECK_OUTCOME_H

#include "orrery/report.h"
#include "orrery/scenario_run.h"

/* The result of a run, from a report or from JSON lines. */
struct checked_report {
    char *id, *kernel, *why, *fix;
    uint32_t lines[2], follows;
    uint32_t covered_by; /* line of the finding whose fix removes this one, too; 0: there is none */
    bool enough, matched;
    bool accepted; /* by the baseline: it may be expected, and is never unexpected */
};
struct check_outcome {
    size_t count;
    struct checked_report *seen;
    char *output;
};

void check_outcome_take_report(struct check_outcome *outcome, const struct report *report);
void check_outcome_take_json(struct check_outcome *outcome, const char *path);
size_t check_outcome_compare_findings(const struct scenario_expect *expect, struct check_outcome *outcome);
size_t check_outcome_compare_buffer(const struct expect_buffer *expected, const struct value_list *found);
size_t check_outcome_compare_output(const struct scenario_expect *expect, const char *output);
size_t check_outcome_compare_placement(const struct expect_placement *expected,
                                       const struct unit_list *found);
void check_outcome_fini(struct check_outcome *outcome);

#endif
