/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The debugger's engine in the program's process: `orrery debug -- PROGRAM`, or a program that
 *          listens.
 */
#ifndef ORRERY_LIB_DEBUG_SESSION_H
#define ORRERY_LIB_DEBUG_SESSION_H

#include "orrery/report.h"
#include "orrery/scenario.h"

/* Before the first device is made. If a debugger started this program, waits until it resumes. */
void debug_begin(struct scenario *scenario, struct report *report);
/* At the end of the process, after its results are written. */
void debug_end(int status);

#endif
