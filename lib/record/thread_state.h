/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The state of this process and its threads by proc(5): /proc/PID/status, and status and syscall of
 *          its task/TID.
 *
 * Interface
 *   thread_state_read       the state of one thread; false: not available
 *   thread_others_move      a thread other than these two runs, could run, or sleeps for a set time
 *   thread_count            threads of this process; 0: not available
 *   thread_signals_caught   the program handles an asynchronous signal; true if not available
 */
#ifndef ORRERY_LIB_RECORD_THREAD_STATE_H
#define ORRERY_LIB_RECORD_THREAD_STATE_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_state {
    bool asleep;       /* it waits; a thread that is ready to run is not asleep */
    bool naps;         /* asleep in nanosleep, which ends by itself; false if not available */
    uint64_t switches; /* voluntary context switches: how often it has fallen asleep */
};

uint32_t thread_count(void);
bool thread_signals_caught(void);
bool thread_state_read(pid_t thread, struct thread_state *out_state);
bool thread_others_move(pid_t one, pid_t another);
#endif
