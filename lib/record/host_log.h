/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The order in which the threads of the program made their calls: written in a recorded run, kept in
 *          a replayed one. The device's behaviour is a function of the calls; with several threads their
 *          order is chance.
 *
 * Rules    While a run is recorded or replayed the calls of the program run one at a time: the thread in a
 *          call has the call lock, and releases it only to wait for another thread. Calls made within a call
 *          (native kernels, callbacks on the calling thread) are part of it. There is no device thread then:
 *          a flush lets run at once. In a replay a call waits until it is due; past the end of the log all
 *          run as they arrive. The program's own locks keep their order, too: lock_log.h.
 *
 * Threads  are named by the path of their creation: 0 is the first, 0.2 the third that it created,
 *          "callbacks" the runtime's own. threads_preload.c keeps count; without it the order of their first
 *          calls numbers them, and a replay is only as good as that order.
 *
 * Interface
 *   host_log_begin    record: write down; replay: a record's text, or a token, which has no threads
 *   host_log_active   calls have to enter and leave
 *   host_log_enter, host_log_leave   around a call of the program
 *   host_log_pause, host_log_resume  within a call, around a wait for other threads; runtime_lock not held
 *   host_log_wait     the same pause, and an entry of its own: a record may end before the waiting thread
 *                     resumes
 *   host_log_yield    resume from a pause that let callbacks return: an entry of its own
 *   host_log_yields   does this thread's call pause so, or again? That may depend on which thread was faster,
 *                     so a replay follows the record; UNSAID: there is none, or it is at its end
 *   host_log_waits    does it pause now to wait for others? As before: a store of another thread that a
 *                     kernel spins on is no call, and the kernel ends before the wait or in it
 *   host_log_see      this thread calls; host_log_several: the program's behaviour depends on the order of
 *                     its threads
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
