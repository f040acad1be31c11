/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Findings of a process that ends abnormally: the files of the report are written while it runs, and
 *          `orrery run` gets the content of the summary.
 *
 * Interface
 *   saved_begin         once there is a report; status is the exit status by the findings
 *   saved_watch         the state that the processes of the run share; NULL: not watched
 *   saved_kernel_began  a launch runs from now on, and may never end
 *   saved_command_over  a command is complete, and its event not yet: a thread that waits for it finds all in
 *                       the files
 *   saved_reached       the program's last step, for the case that it runs no kernel; type: of devices that
 *                       are absent
 *   saved_replay        the line that has the run again, for the case that the program fails by itself; "":
 *                       none
 *   saved_kernel_ran    a kernel has run, or runs
 *   saved_reported          the summary was printed, or is not to be; exit_status: the status instead of the
 *                           program's, 0: the program's own
 *   saved_end           the summary was printed, nothing is left to be reported
 */
#ifndef ORRERY_LIB_RECORD_SAVED_REPORT_H
#define ORRERY_LIB_RECORD_SAVED_REPORT_H

#include <stdint.h>

#include "orrery/report.h"
#include "orrery/watch.h"

/* first: called when a kernel has run */
void saved_begin(struct report *report, int (*status)(uint64_t kernels), void (*first)(void));
struct watch *saved_watch(void);
void saved_kernel_began(void);
void saved_command_over(void);
void saved_reached(enum reach reached, uint64_t type);
void saved_replay(const char *line);
void saved_kernel_ran(void);
void saved_reported(int exit_status);
void saved_end(void);

#endif
