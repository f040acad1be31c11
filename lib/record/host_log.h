/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The order in which the threads of the program make their calls: written in a recorded run,
 *          repeated in a replayed one. The device's behaviour is a function of the calls, but with several
 *          threads their order is chance.
 *
 * Rules    While a run is recorded or replayed the calls of the program run one at a time: the thread in a
 *          call has the call lock, and releases it only to wait for another thread. Calls made within a call
 *          (native kernels, callbacks on the calling thread) are part of it. There is no device thread then:
 *          a flush runs commands at once. In a replay a call waits until it is due; past the end of the log
 *          all calls run as they arrive. The program's own locks are ordered, too: lock_log.h.
 *
 * Threads  are named by the path of their creation: 0 is the first thread, 0.2 the third that it created,
 *          "callbacks" the runtime's own. threads_preload.c counts. Without it threads are numbered in the
 *          order of their first calls, and a replay repeats the run only if that order is the same.
 *
 * Interface
 *   host_log_begin    starts recording, or replaying a record's text (a token has no threads)
 *   host_log_active   a run is recorded or replayed: calls enter and leave
 *   host_log_enter, host_log_leave   around a call of the program
 *   host_log_pause, host_log_resume  within a call, around a wait for other threads; runtime_lock not held
 *   host_log_wait     pauses, with an entry of its own, since a record may end before the thread resumes
 *   host_log_waits    whether this call is to pause now with host_log_wait. A replay follows the record,
 *                     because the kernel that it waits for may be released by a store, which is no call
 *   host_log_yield    resumes from a pause in which callbacks returned, with an entry of its own
 *   host_log_yields   whether this call is to pause so, or again. A replay follows the record, because this
 *                     depends on which thread was faster
 *   host_log_see      this thread makes calls
 *   host_log_several  the program's behaviour may depend on the order of its threads
 *   host_log_follows  calls are replayed
 *   host_log_print    prints the sections of the record if there was more than one thread
 *   host_log_hide     threads that this thread creates from now on are the runtime's own, and not counted; or
 *                     no longer
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
enum host_log_yields { YIELDS_UNSAID, YIELDS_NOT, YIELDS }; /* UNSAID: no record, or past its end */
void host_log_yield(void);
enum host_log_yields host_log_yields(void);
enum host_log_yields host_log_waits(void);
void host_log_print(FILE *stream);
void host_log_see(void);
bool host_log_several(void);
bool host_log_follows(void);
void host_log_hide(bool hide);
#endif
