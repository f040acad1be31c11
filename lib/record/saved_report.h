/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What stays of the findings when the process does not end as it should: the files of the report are
 *          written while it runs, and `orrery run` is reported what the summary would say.
 *
 * Interface
 *   saved_begin         once there is a report; status answers what findings make of the exit status
 *   saved_watch         what the processes of the run know of each other; NULL: nobody watches
 *   saved_kernel_began  a launch runs from now on, and may never end
 *   saved_command_over  a command is complete, and its event not yet: whoever waits for it finds all in the
 *                       files
 *   saved_reached       how far the program came, for the case that it runs no kernel; type: of devices that
 *                       are not there
 *   saved_replay        the line that has the run again, for the case that the program fails by itself; "":
 *                       none
 *   saved_kernel_ran    a kernel has run, or runs
 *   saved_reported          the summary was printed, or is not to be; exit_status: what was made of the
 *                           program's, 0: nothing
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
