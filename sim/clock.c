/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"

#include <time.h>

void clock_init(struct sim_clock *clock)
{
    clock->now = CLOCK_START_NS;
}

uint64_t clock_now(const struct sim_clock *clock)
{
    return __atomic_load_n(&clock->now, __ATOMIC_RELAXED);
}

uint64_t clock_tick(struct sim_clock *clock, uint64_t nanoseconds)
{
    return __atomic_add_fetch(&clock->now, nanoseconds, __ATOMIC_RELAXED);
}

void clock_reach(struct sim_clock *clock, uint64_t time)
{
    uint64_t now = clock_now(clock);
    if (now < time)
        clock_tick(clock, time - now);
}

uint64_t clock_copy_cost(uint64_t bytes)
{
    return CLOCK_COMMAND_NS + bytes / CLOCK_COPY_BYTES_PER_NS;
}

void deadline_set(struct deadline *deadline, double seconds)
{
    *deadline = (struct deadline){0, 0};
    if (seconds <= 0)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t whole = seconds < 1e9 ? (int64_t)seconds : 1000000000;
    deadline->seconds = now.tv_sec + whole;
    deadline->nanoseconds = now.tv_nsec + (seconds < 1e9 ? (int64_t)((seconds - (double)whole) * 1e9) : 0);
}

bool deadline_passed(const struct deadline *deadline)
{
    if (deadline->seconds == 0)
        return false;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t late = (now.tv_sec - deadline->seconds) * 1000000000 + (now.tv_nsec - deadline->nanoseconds);
    return late > 0;
}
