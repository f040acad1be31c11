/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How wide the text of findings is: on a terminal as wide as that, elsewhere always the same.
 *
 * Interface
 *   report_columns       of a file; wanted: $COLUMNS, for a terminal without a size, or NULL. 0: it is no
 *                        terminal
 *   report_set_columns   of the report's stream
 *   report_print_finding_wide   report_print_finding in so many columns
 *
 * Columns that are 0 mean the width of files.
 */
#ifndef ORRERY_REPORT_WIDTH_H
#define ORRERY_REPORT_WIDTH_H

#include "orrery/report.h"

unsigned report_columns(int file, const char *wanted);
void report_set_columns(struct report *report, unsigned columns);
void report_print_finding_wide(FILE *stream, const struct finding *finding, bool colour, unsigned columns);

#endif
