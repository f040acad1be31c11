/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What stays of the findings when the process does not end as it should: the files of the report are written
 *          while it runs, and `orrery run` is told what the summary would say.
 *
 * Interface
 *   saved_begin         once there is a report; status answers what findings make of the exit status
 *   saved_watch         what the processes of the run know of each other; NULL: nobody watches
 *   saved_kernel_began  a launch runs from now on, and may never end
 *   saved_command_over  a command is complete, and its event not yet: whoever waits for it finds all in the files
 *   saved_replay        the line that has the run again, for the case that the program fails by itself; "": none
 *   saved_told          the summary was printed, or is not to be; exit_status: what was made of the program's, 0: nothing
 *   saved_end           the summary was printed, nothing is left to be told
 */
#ifndef ORRERY_LIB_SAVED_H
#define ORRERY_LIB_SAVED_H

#include <stdint.h>

#include "orrery/report.h"

void saved_begin(struct report *report, int (*status)(uint64_t kernels), void (*first)(void)); /* first: called when a kernel has run */
struct watch *saved_watch(void);
void saved_kernel_began(void);
void saved_command_over(void);
void saved_replay(const char *line);
void saved_told(int exit_status);
void saved_end(void);

#endif
