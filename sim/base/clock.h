/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Simulated time: what each thing costs, and the one counter it adds up in.
 *          Never the wall clock, so that profiling times repeat to the nanosecond;
 *          clock_deadline is the exception, for endless loops only.
 */
#ifndef ORRERY_SIM_BASE_CLOCK_H
#define ORRERY_SIM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The device works like a small accelerator: a launch has a fixed price, a work-group a smaller one.
 * COST(ENUM, number): orrery-topology(5) has the table. */
/* clang-format off */
#define CLOCK_COST_LIST(COST)                                                                    \
    COST(START_NS, 1000000)        /* a device is never at time 0: profiling code divides by it */ \
    COST(LAUNCH_NS, 5000)                                                                        \
    COST(GROUP_NS, 100)                                                                          \
    COST(READ_NS, 1)               /* one look of a wave at the clock */                         \
    COST(ENQUEUE_NS, 200)          /* from QUEUED on: the host hands the command over */          \
    COST(SUBMIT_NS, 300)           /* from SUBMIT to START, at least */                           \
    COST(HOST_NS, 100)             /* a query of a timer, a wait of the host */                   \
    COST(COMMAND_NS, 500)                                                                        \
    COST(COPY_BYTES_PER_NS, 16)
/* clang-format on */
enum {
#define CLOCK_COST_ENUM(name, number) CLOCK_##name = number,
    CLOCK_COST_LIST(CLOCK_COST_ENUM)
#undef CLOCK_COST_ENUM
};

/* Read from any thread, advanced by the one that executes commands. */
struct sim_clock {
    uint64_t now, waits; /* waits: of the host, not yet in now */
};

void clock_init(struct sim_clock *clock);
uint64_t clock_now(const struct sim_clock *clock);
uint64_t clock_tick(struct sim_clock *clock, uint64_t nanoseconds);
void clock_reach(struct sim_clock *clock, uint64_t time); /* it is at least that late */
/* The host waited: counted at once, added at its next query, when no command runs. Else a wait for one queue
 * would move the times of another queue's commands by when it happened. */
void clock_host_waited(struct sim_clock *clock);
uint64_t clock_host_query(struct sim_clock *clock); /* later than all before, earlier than all after it */
uint64_t clock_copy_cost(uint64_t bytes);

/* For scenario.schedule.timeout_seconds alone. It passes when the wall clock says so and the process had at
 * least half of a processor for that time; on a machine so busy that it had less, after DEADLINE_PATIENCE
 * times as long. 0 seconds = never. */
enum { DEADLINE_PATIENCE = 8 };
struct deadline {
    double wall, processor, seconds; /* when it was set, by both clocks */
};
void deadline_set(struct deadline *deadline, double seconds);
bool deadline_passed(const struct deadline *deadline);

#endif
