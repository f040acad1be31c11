/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  In which order the threads of the program made their calls: written down in a recorded run, kept
 *          in a replayed one. What the device does is a function of the calls; with several threads their
 *          order is chance.
 *
 * Rules    While a run is recorded or replayed the calls of the program run one at a time: who is in a call
 *          has the turn, and gives it up only to wait for what another thread must do. Calls made within a
 *          call (native kernels, callbacks on the calling thread) are part of it. There is no device thread
 *          then: a flush lets run at once. In a replay a call waits until it is due; past the end of the log
 *          all run as they come. The locks that the program holds meanwhile go round in their order, too:
 *          lock_log.h.
 *
 * Threads  are known by the path of their creation: 0 is the first, 0.2 the third that it created,
 *          "callbacks" the runtime's own. threads_preload.c keeps count; without it the order of their first
 *          calls numbers them, and a replay is only as good as that order.
 *
 * Interface
 *   host_log_begin    record: write down; replay: a record's text, or a token, which says nothing of threads
 *   host_log_active   calls have to enter and leave
 *   host_log_enter, host_log_leave   around a call of the program
 *   host_log_pause, host_log_resume  within a call, around a wait for other threads; runtime_lock not held
 *   host_log_wait     the same pause, and an entry of its own: a record may end before who waits resumes
 *   host_log_yield    resume from a pause that let callbacks return: an entry of its own
 *   host_log_yields   does this thread's call pause so, or again? That may depend on who was faster, so a
 *                     replay goes by the record; UNSAID: there is none, or it is at its end
 *   host_log_waits    does it pause now to wait for others? As before: what another thread stores where a
 *                     kernel looks is no call, and lets the kernel end before the wait or in it
 *   host_log_see      this thread calls; host_log_several: what the program does is for its threads' order to
 *                     say
 *   host_log_follows  the calls are replayed
 *   host_log_print    the sections of the record, when there was more than one thread
 *   host_log_hide     this thread's next threads are the runtime's own and not counted, or are again
 */
#ifndef ORRERY_LIB_RECORD_HOST_LOG_H
#define ORRERY_LIB_RECORD_HOST_LOG_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/status.h"

enum status host_log_begin(bool record, const char *replay, struct diagnosis *diagnosis);
bool host_log_active(void);
void host_log_enter(const char *call);
void host_log_leave(void);
void host_log_pause(void);
void host_log_resume(void);
void host_log_wait(void);
enum host_log_yields { YIELDS_UNSAID, YIELDS_NOT, YIELDS };
void host_log_yield(void);
enum host_log_yields host_log_yields(void);
enum host_log_yields host_log_waits(void);
void host_log_print(FILE *stream);
void host_log_see(void);
bool host_log_several(void);
bool host_log_follows(void);
void host_log_hide(bool hide);
#endif
