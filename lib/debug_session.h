/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  `orrery debug -- PROGRAM`: the debugger in the program's process. */
#ifndef ORRERY_LIB_DEBUG_SESSION_H
#define ORRERY_LIB_DEBUG_SESSION_H

#include "orrery/report.h"
#include "orrery/scenario.h"

/* When a debugger started this program: waits until it resumes. Before the first device is made. */
void debug_begin(struct scenario *scenario, struct report *report);
/* When all is concluded. */
void debug_end(int status);

#endif
