/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Is a signal the one that came before, once more? timeout(1), CI runners and shells send a
 *          signal to a process and to its group, and `orrery run` passes on what it gets: a program then
 *          gets one request to end two or three times.
 *
 * Interface
 *   signal_repeats   called in a handler, with the time of the first signal, which it sets. True: the signal
 *                    came within SIGNAL_REPEAT_SECONDS after the first
 */
#ifndef ORRERY_SIGNAL_REPEAT_H
#define ORRERY_SIGNAL_REPEAT_H
#include <stdbool.h>
#include <time.h>

enum { SIGNAL_REPEAT_SECONDS = 1 };

static inline bool signal_repeats(struct timespec *first)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    if (first->tv_sec == 0 && first->tv_nsec == 0) {
        *first = now;
        return false;
    }
    const double seconds =
        (double)(now.tv_sec - first->tv_sec) + (double)(now.tv_nsec - first->tv_nsec) / 1e9;
    return seconds < SIGNAL_REPEAT_SECONDS;
}
#endif
