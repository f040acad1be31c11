/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings of a process that ends abnormally: the files of the report are written while it runs, and
 *          `orrery run` gets the content of the summary.
 *
 * Interface
 *   saved_begin         there is a report; status gives the exit status by the findings
 *   saved_watch         the state that the processes of the run share; NULL: not watched
 *   saved_kernel_began  a launch runs from now on, and may never end
 *   saved_command_over  a command has ended, and its event is not yet complete: a thread that waits for it
 *                       finds all findings in the files
 *   saved_reached       the program's last step, in case that it runs no kernel; type: of absent devices
 *   saved_replay        the line that replays the run, in case that the program fails by itself; "": none
 *   saved_refused       the calls refused so far, in case that the process ends without the note on them
 *   saved_kernel_ran    a kernel has run, or runs
 *   saved_reported      the summary was printed, or is not wanted; exit_status: replaces the program's; 0: it
 *                       does not
 *   saved_unwritten     a file of the report is not complete
 *   saved_end           nothing is left to be reported
 */
#ifndef ORRERY_LIB_RECORD_SAVED_REPORT_H
#define ORRERY_LIB_RECORD_SAVED_REPORT_H

#include <stdint.h>

#include "orrery/report.h"
#include "orrery/watch.h"

/* first: called once, when a kernel has run */
void saved_begin(struct report *report, int (*status)(uint64_t kernels), void (*first)(void));
struct watch *saved_watch(void);
void saved_kernel_began(void);
void saved_command_over(void);
void saved_reached(enum reach reached, uint64_t type);
void saved_replay(const char *line);
void saved_refused(const struct watch_refused *refused);
void saved_kernel_ran(void);
void saved_reported(int exit_status);
void saved_unwritten(void);
void saved_end(void);

#endif
