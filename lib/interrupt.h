/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  SIGINT and SIGTERM while kernels run: the launches stop, the places of their work-items are
 *          printed, and the process ends as the signal ends it. At all other times, and for a signal that the
 *          program handles or ignores, nothing changes.
 *
 * Interface
 *   interrupt_catch       at the start: handles the signals whose action is the default one
 *   interrupt_watch       the flag that a schedule checks (struct schedule_watch)
 *   interrupt_running     kernels run from now on, or no longer; while none runs, a signal ends the process
 *                         at once
 *   interrupt_caught      the number of the caught signal; 0: none
 *   interrupt_own         this signal's handler is that of interrupt.c
 *   interrupt_end         ends the process by the signal that was caught
 */
#ifndef ORRERY_LIB_INTERRUPT_H
#define ORRERY_LIB_INTERRUPT_H

#include <stdbool.h>

#include "orrery/schedule.h"

void interrupt_catch(void);
const struct schedule_watch *interrupt_watch(void);
void interrupt_running(bool runs);
int interrupt_caught(void);
bool interrupt_own(int signal_number);
_Noreturn void interrupt_end(void);

#endif
