/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Deadlines of waits in real time, as a point of time of a clock of clock_gettime(2).
 *
 * Interface
 *   deadline_in       that long from now
 *   deadline_passed   now is at or after it
 */
#ifndef ORRERY_LIB_DEADLINE_H
#define ORRERY_LIB_DEADLINE_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline struct timespec deadline_in(clockid_t clock, int64_t seconds, int64_t nanoseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += nanoseconds;
    time.tv_sec += seconds + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static inline bool deadline_passed(clockid_t clock, const struct timespec *deadline)
{
    const struct timespec now = deadline_in(clock, 0, 0);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}
#endif
