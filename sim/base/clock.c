/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated time: one counter, and the deadline of a launch. */
#include "clock.h"

#include <time.h>

void clock_init(struct sim_clock *clock)
{
    *clock = (struct sim_clock){.now = CLOCK_START_NS};
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

void clock_host_waited(struct sim_clock *clock)
{
    __atomic_add_fetch(&clock->waits, 1, __ATOMIC_RELAXED);
}

/* The clock is read before the query ends: a command that is enqueued next has a later QUEUED. */
uint64_t clock_host_query(struct sim_clock *clock)
{
    const uint64_t waits = __atomic_exchange_n(&clock->waits, 0, __ATOMIC_RELAXED);
    return clock_tick(clock, CLOCK_HOST_NS * (waits + 1)) - 1;
}

uint64_t clock_copy_cost(uint64_t bytes)
{
    return CLOCK_COMMAND_NS + bytes / CLOCK_COPY_BYTES_PER_NS;
}

static double seconds_by(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void deadline_set(struct deadline *deadline, double seconds)
{
    *deadline = (struct deadline){0};
    if (seconds > 0)
        *deadline = (struct deadline){.wall = seconds_by(CLOCK_MONOTONIC),
                                      .processor = seconds_by(CLOCK_PROCESS_CPUTIME_ID),
                                      .seconds = seconds};
}

bool deadline_passed(const struct deadline *deadline)
{
    if (deadline->seconds <= 0)
        return false;
    const double wall = seconds_by(CLOCK_MONOTONIC) - deadline->wall;
    return wall > deadline->seconds &&
           (wall > DEADLINE_PATIENCE * deadline->seconds ||
            seconds_by(CLOCK_PROCESS_CPUTIME_ID) - deadline->processor > deadline->seconds / 2);
}
