/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Files of the report that several processes of one run write. Each writes all of its own again
 *          whenever there is more, and leaves what the others wrote.
 *
 * Rules    The first process of a run to write a file makes it anew. A process recognises its last part by
 *          its text, wherever it stands by now: if two wrote the same, either may be replaced.
 *
 * Interface
 *   report_share_new    watch is borrowed: the state that the processes of the run share; NULL: out of memory
 *   report_share_text   the new contents of the file; own, the text of this process, is taken and kept.
 *                       Borrowed until the next call. NULL: no memory. Between report_share_lock and unlock,
 *                       until it is written.
 */
#ifndef ORRERY_SIM_REPORT_REPORT_SHARE_H
#define ORRERY_SIM_REPORT_REPORT_SHARE_H

#include "orrery/watch.h"

/* How texts of two processes go together: one after the other, as one log, as one list. */
enum share_form { SHARE_JSON, SHARE_SARIF, SHARE_SUPPRESSIONS, SHARE_BASELINE, SHARE_FORM_COUNT };

struct report;
struct report_share;

/* report.c; NULL: its files are this process's only */
struct report_share *report_share_of(const struct report *report);
struct report_share *report_share_new(struct watch *watch);
struct watch *report_share_watch(struct report_share *share);
void report_share_free(struct report_share *share);
void report_share_lock(struct report_share *share);
void report_share_unlock(struct report_share *share);
const char *report_share_text(struct report_share *share, enum share_form form, const char *name, char *own);

#endif
