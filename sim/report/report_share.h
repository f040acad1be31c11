/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Files of the report that several processes of one run write. A process writes all of its findings
 *          again whenever there are more, and keeps what the others wrote.
 *
 * Rules    The first process of a run that writes a file empties it. A process finds its previous part by
 *          searching for that text. If two processes wrote the same text, either part may be replaced.
 *
 * Interface
 *   report_share_new    watch is borrowed: the state that the processes of the run share; NULL: out of memory
 *   report_share_text   the new contents of the file. own, the text of this process, is taken and kept. The
 *                       result is borrowed until the next call. NULL: out of memory. The caller holds the
 *                       lock (report_share_lock) until the file is written
 */
#ifndef ORRERY_SIM_REPORT_REPORT_SHARE_H
#define ORRERY_SIM_REPORT_REPORT_SHARE_H

#include "orrery/watch.h"

/* How the texts of two processes are joined: as lines, as one log, as one list. */
enum share_form { SHARE_JSON, SHARE_SARIF, SHARE_SUPPRESSIONS, SHARE_BASELINE, SHARE_FORM_COUNT };

struct report;
struct report_share;

/* in report.c; NULL: no other process writes the report's files */
struct report_share *report_share_of(const struct report *report);
struct report_share *report_share_new(struct watch *watch);
struct watch *report_share_watch(struct report_share *share);
void report_share_free(struct report_share *share);
void report_share_lock(struct report_share *share);
void report_share_unlock(struct report_share *share);
const char *report_share_text(struct report_share *share, enum share_form form, const char *name, char *own);

#endif
