/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  SARIF logs of many reports of one command, kept until its end and joined there at once. To join
 *          each to its file as it comes would parse and write the whole file again every time.
 *
 * Interface
 *   report_spool_of    of a report; NULL: its log goes into its file directly
 *   report_spool_put   one log for the file of that name; false: it cannot be kept
 *
 * The rest is in orrery/report.h. Processes that the command makes by fork may put logs, too.
 */
#ifndef ORRERY_SIM_REPORT_REPORT_SPOOL_H
#define ORRERY_SIM_REPORT_REPORT_SPOOL_H

#include "orrery/report.h"

struct report_spool *report_spool_of(const struct report *report); /* report.c */
bool report_spool_put(struct report_spool *spool, const char *name, const char *text);

#endif
