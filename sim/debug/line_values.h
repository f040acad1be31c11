/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The values of the variables on the lines of a report's findings: of each of their accesses, in the
 *          work-item that made it, when it made it. They are read in a second run of the same scenario, whose
 *          code is a debugger's: same schedule, same findings.
 *
 * Interface
 *   line_values_new     a debugger that never stops and searches the accesses of `wanted`; again: the report
 *                       of the second run. NULL: no memory
 *   line_values_attend  the scenario's next run is the second one
 *   line_values_give    afterwards: into the findings of the first report (report_values)
 *   line_values_free
 *
 * Rules    An access is identified by launch, work-item, place, kind, bytes and value. Of several that fit,
 *          the last before the finding was reported counts, as the checker keeps the latest accesses. An
 *          access that does not occur has no values.
 * Limits   The first 100 findings; 6 variables a line, of numbers and of vectors of at most 4.
 */
#ifndef ORRERY_DEBUG_LINE_VALUES_H
#define ORRERY_DEBUG_LINE_VALUES_H

#include "orrery/report.h"
#include "orrery/scenario.h"

struct line_values;
struct line_values *line_values_new(const struct report *wanted, struct report *again);
void line_values_attend(struct line_values *values, struct scenario *scenario);
void line_values_give(const struct line_values *values, struct report *report);
void line_values_free(struct line_values *values);

#endif
