/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The state of this process and its threads by proc(5): /proc/PID/status, and status and syscall of
 *          its task/TID.
 *
 * Interface
 *   thread_state_read   false: not available
 *   thread_others_move  some thread but those two runs, could run, or naps
 *   thread_count        of this process; 0: not available
 *   thread_signals_caught   a signal with a handler may arrive at any time, or not available
 */
#ifndef ORRERY_LIB_RECORD_THREAD_STATE_H
#define ORRERY_LIB_RECORD_THREAD_STATE_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_state {
    bool asleep; /* until something wakes it: a thread that could run and is not let is awake */
    /* in a sleep that ends by itself (nanosleep); false, too, if not available */
    bool naps;
    uint64_t switches; /* how often it has fallen asleep so far */
};

uint32_t thread_count(void);
bool thread_signals_caught(void);
bool thread_state_read(pid_t thread, struct thread_state *out_state);
bool thread_others_move(pid_t one, pid_t another);
#endif
