/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The launches that run at the same time, and the selection of the next time slice: a function of
 *          the policy, the seed and simulated time alone.
 *
 * Rules    lockstep, serial, round-robin, reverse   the earliest in simulated time; of equals the one that
 *                      began first (reverse: last). A time slice is a pass: in lockstep a work-group to
 *                      its end
 *          random      any, step by step
 *          pct         the one of highest priority; it falls below all when one of its work-items' does
 *          script, replay, an oracle   the one that began first, while it does not only spin
 *          When all of them only spin they run round-robin in the order in which they began, so that a
 *          repeated state is a proof of livelock.
 *
 * Interface
 *   live_launch_take, live_launch_give   launches, whose memory is kept for the next ones
 *   concurrent_run of device_state.h
 */
#ifndef ORRERY_SIM_DEVICE_CONCURRENT_H
#define ORRERY_SIM_DEVICE_CONCURRENT_H

#include "launch.h"
#include "sim/base/rng.h"

struct schedule;
struct schedule_watch;
struct device;

struct live_launch {
    struct launch launch;
    struct device *device;
    struct schedule *schedule; /* NULL: not begun, or over */
    struct diagnosis diagnosis;
    uint8_t *args;
    size_t args_room; /* what launch.args points to */
    uint64_t *local_bytes;
    size_t locals_room;       /* and launch.local_bytes */
    int64_t priority;         /* pct */
    uint32_t changes;         /* of its work-items' priorities so far */
    struct live_launch *next; /* idle */
};

struct concurrent {
    struct live_launch **live; /* in order of begin */
    uint32_t count, room;
    struct live_launch *idle;
    bool reported;    /* the running launch may touch some shared allocations alone */
    bool others_wait; /* other commands are ready to begin */
    bool host_helps;  /* the host could let more commands begin */
    bool cycles;      /* the launches repeat their state: only the host can end their wait */
    bool host_waits;  /* the host waits for the launches and does not write memory that it shares with them */
    /* step by step: changes whenever a step has changed memory that others see */
    uint64_t epoch;
    struct rng rng; /* chooses among launches, while there are two or more */
    int64_t lowest; /* pct */
    uint32_t round; /* all spin: how many of them had their time slice */
    struct {
        uint64_t rounds, next_mark, waves, memory;
    } cycle;        /* of schedule_cycle.c */
    bool noted;     /* the positions have been printed after a signal */
    uint64_t still; /* hash of memory at the last device_is_still() */
};

/* live_launch_room makes room for the arguments of a kernel. NULL, false: out of memory. */
struct live_launch *live_launch_take(struct device *device);
bool live_launch_room(struct live_launch *live, size_t args_size, uint32_t local_count);
void live_launch_give(struct live_launch *live);
void concurrent_fini(struct concurrent *concurrent);

/* Adds a launch to those that run; false: out of memory. */
bool concurrent_add(struct concurrent *concurrent, struct live_launch *live);
/* A signal has come: prints the positions of the work-items of all launches, once. */
void concurrent_interrupted(struct concurrent *concurrent, const struct schedule_watch *watch);
void concurrent_remove(struct concurrent *concurrent, const struct live_launch *live);
/* Makes this launch the one that callbacks of waves and queries of places refer to. */
void concurrent_focus(struct live_launch *live);

#endif
