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
 *          When all of them only spin they run round-robin in the order in which they began, so that a circle
 *          is a proof.
 *
 * Interface
 *   live_launch_take, live_launch_give   launches, kept for the next ones
 *   launches_run of device_state.h
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
    bool others_wait; /* more commands could begin */
    /* the host could make more of them do so; and no launch can: they go round in circles */
    bool host_helps, circles;
    bool host_waits; /* for them: it does not write the memory that it shares with them, either */
    /* how often memory that others see has changed, as far as steps are counted */
    uint64_t epoch;
    struct rng rng; /* of the choices since there are two */
    int64_t lowest; /* pct */
    uint32_t round; /* all spin: how many of them had their time slice */
    struct {
        uint64_t rounds, next_mark, waves, memory;
    } circle;       /* of schedule_circle.c */
    bool noted;     /* where the work-items stand, for a signal */
    uint64_t still; /* a hash of memory: device_is_still */
};

/* With room for what the code takes; NULL: no memory. */
struct live_launch *live_launch_take(struct device *device);
bool live_launch_room(struct live_launch *live, size_t args_size, uint32_t local_count);
void live_launch_give(struct live_launch *live);
void concurrent_fini(struct concurrent *concurrent);

/* It runs from now on; false: no memory. */
bool concurrent_add(struct concurrent *concurrent, struct live_launch *live);
/* A signal has come: where the work-items of all launches stand is noted once. */
void concurrent_interrupted(struct concurrent *concurrent, const struct schedule_watch *watch);
void concurrent_remove(struct concurrent *concurrent, const struct live_launch *live);
/* Callbacks of waves and queries of places mean this launch. */
void concurrent_focus(struct live_launch *live);

#endif
