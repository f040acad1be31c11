/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the system says of another thread of this process: proc(5), status and syscall of /proc/PID/task/TID.
 *
 * Interface
 *   thread_state_read   false: the system does not say
 *   thread_is_alone     there are no threads but the caller and so many others, or the system does not say
 */
#ifndef ORRERY_LIB_THREAD_STATE_H
#define ORRERY_LIB_THREAD_STATE_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_state {
    bool asleep;       /* until something wakes it: a thread that could run and is not let is awake */
    bool naps;         /* in a sleep that ends by itself (nanosleep); false, too, where the system does not say that */
    uint64_t switches; /* how often it has fallen asleep so far */
};

bool thread_is_alone(uint32_t others);
bool thread_state_read(pid_t thread, struct thread_state *out_state);
#endif
