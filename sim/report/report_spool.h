/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Keeps the SARIF logs of all reports of a command and joins them once, when the command ends.
 *          Otherwise each report would parse and write the whole file again.
 *
 * Interface
 *   report_spool_of    the spool of a report; NULL: its log is written to its file at once
 *   report_spool_put   adds a log for the file of that name; false: it cannot be kept
 *
 * Processes that the command makes by fork may add logs, too. The other functions are in orrery/report.h.
 */
#ifndef ORRERY_SIM_REPORT_REPORT_SPOOL_H
#define ORRERY_SIM_REPORT_REPORT_SPOOL_H

#include "orrery/report.h"

struct report_spool *report_spool_of(const struct report *report); /* report.c */
bool report_spool_put(struct report_spool *spool, const char *name, bool force, const char *text);

#endif
