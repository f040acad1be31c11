/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface between the files of inter_launch.h. inter_launch.c selects the launches that are
 *          checked and receives their events; inter_launch_states.c has their work-groups and initial clocks;
 *          inter_launch_predecessors.c adds accesses of commands that were not checked; inter_launch_calls.c
 *          has the order by calls that enqueue kernels; inter_launch_host.c what the host passes on;
 *          inter_launch_within.c the order of work-items of one launch by way of others;
 *          inter_launch_races.c keeps and reports races. All of it is called with detector->lock held.
 *
 * Interface
 *   inter_launch_reset              forgets everything
 *   inter_launch_lacks_memory       memory ran out
 *   inter_launch_failed             nothing is checked any more
 *   inter_launch_add_launch, _has_room
 *                                   a launch that begins
 *   inter_launch_open_group, _close_group
 *                                   its work-groups
 *   inter_launch_end_of_command     the accesses of a command that is no launch are complete
 *   inter_launch_tree_root          the root of a launch's tree
 *   inter_launch_is_announced       do order events say what orders the launch?
 *   inter_launch_note_unchecked, _forget_unchecked
 *                                   unchecked launches that kernels enqueued, while their launch tree runs
 *   inter_launch_is_guaranteed      memory where atomics of several launches, and of the host, are guaranteed
 *   inter_launch_has_region         is there memory with these flags?
 *   inter_launch_site_of            the detector's number of a launch's instruction
 *   inter_launch_keep_places, _keep_arguments
 *                                   of a launch that ends, for findings
 *   inter_launch_add_call, _is_call
 *                                   a work-item enqueues a kernel or a marker; is that call known?
 *   inter_launch_order_after_call   a launch comes after a call
 *   inter_launch_host_acquires, _host_passes_on, _host_clock
 *                                   the host acquires from an atomic; a unit acquires from the host; the
 *                                   clock that a launch gets from it
 *   inter_launch_is_ordered_by_call does an access to fine-grained memory happen before the unit's next one,
 *                                   by calls?
 *   inter_launch_note_copies        takes note of new asynchronous copies
 *   inter_launch_on_race            the shadow's callback
 */
#ifndef ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_STATE_H
#define ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_STATE_H

#include "inter_launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/common/lane_mask.h"
#include "sim/memmodel/common/launch_names.h"
#include "sim/memmodel/common/list.h"
#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/order/deferred_copy.h"
#include "sim/memmodel/order/order_state.h"
#include "sim/memmodel/shadow/shadow.h"

/* Work-groups of all launches are numbered one after the other. Group 0 is the host's. */
enum {
    STATES_MOST = HOSTILE(16384, 8),
    GROUP_ITEMS_LEAST = 1024,
    INTER_LAUNCH_OBJECT_CHARS = 120,
    INTER_LAUNCH_WHY_CHARS = 600
};
static const uint64_t UNITS_MOST = UINT64_C(1) << 32;

/* From the launch's own clock value `own` on, the order's clock value is `all`. */
struct clock_mapping {
    uint32_t own, all;
};

struct kept_argument {
    uint32_t region_id;
    char name[ARGUMENT_CHARS];
};

struct launch_state {
    const struct launch_info *launch; /* NULL when it has ended */
    struct launch_info shape;         /* a copy, of which only numbers and sizes are used */
    char *kernel;
    uint32_t command;
    bool partial;      /* some of its accesses are not checked */
    bool command_runs; /* it is no launch, and may still access memory */
    bool ended;        /* a work-group of it has */
    bool predecessor;  /* it had ended before it was added */
    /* the host has waited for it, and passes on what it did */
    bool host_acquired;
    struct vclock *initial[ORDER_REGIONS]; /* what happens before every work-group of it */
    /* the join of the clocks of work-groups that have ended; valid if `ended` */
    struct vclock *final[ORDER_REGIONS];
    uint32_t *site;
    uint32_t site_count; /* site: 1 + the detector's number, by the launch's own number; while it runs */
    LIST(struct kept_argument) arguments;    /* kept when it has ended */
    LIST(struct order_clock_snapshot) calls; /* the clock at each of its calls that enqueued, in order */
    /* A command comes after a call of it that is not known, and so counts as coming after everything it
     * did. */
    bool has_unknown_call;
    LIST(struct clock_mapping) mappings; /* while it runs */
    uint32_t own_clock;                  /* the latest clock value of its own checker */
    LIST(uint32_t) copies;               /* the order's copies, by the launch's own number */
};

struct inter_launch_site {
    uint32_t state, own;
    enum memory_scope scope;   /* of an atomic, fence or barrier, as written */
    struct source_place place; /* owned if the launch has ended */
};

struct race_text {
    char why[INTER_LAUNCH_WHY_CHARS], fix[INTER_LAUNCH_WHY_CHARS];
};

struct found_race {
    uint32_t site[2], region_id;
    uint64_t unit[2];
    struct access_context how[2];
    uint64_t offset_bytes, count;
    char object[INTER_LAUNCH_OBJECT_CHARS], argument[2][ARGUMENT_CHARS];
    struct race_text text;
    enum inter_launch_what what;
    bool always_reported; /* two atomics that race even if the commands are not ordered */
};

/* The units of a wave's lanes, kept for the wave's next event. */
struct inter_launch_wave {
    uint32_t state;
    uint64_t wave, group, unit[WAVE_LANES_MAX];
    bool one_group;
};

/* An unchecked launch that a kernel enqueued: a checked launch may descend from it. */
struct unchecked_launch {
    uint32_t launch, parent, tree_root;
};

/* A work-group that has ended and after which a child kernel begins, with its clock. */
struct awaited_group {
    uint64_t number;
    struct vclock *clock[ORDER_REGIONS];
};

/* The host's clock before the first release at this step or a later one. */
struct host_snapshot {
    uint32_t step;
    struct vclock *clock[ORDER_REGIONS];
};

struct inter_launch {
    const struct memory *memory;
    pthread_mutex_t lock;        /* guards the following */
    struct command_graph *graph; /* without the order by atomics; what is checked or added is marked */
    void *predecessors_self;
    void (*report_predecessors)(void *self, uint32_t command);
    struct order order;
    struct shadow shadow;
    struct spare spare;
    struct race_counter *counters[COUNTERS]; /* not used: the shadow counts nothing */
    struct shadow_region **regions;
    uint32_t region_room;   /* regions: by index of struct memory */
    uint64_t time;          /* number of the event */
    struct launch_info all; /* stands for all of them together, for the order */
    struct launch_state *states;
    uint32_t state_count, state_room; /* states[0] is the host's */
    struct order_launch *launches;
    uint32_t launch_room; /* room of launches */
    uint32_t latest;      /* index of the launch that was asked for last */
    struct inter_launch_wave wave;
    struct held held; /* accesses of copies */
    LIST(struct awaited_group) awaited;
    LIST(struct unchecked_launch) unchecked; /* of launch trees that run */
    uint32_t *group_launch;
    uint32_t group_count, group_room;
    LIST(struct inter_launch_site) sites;
    LIST(struct found_race) races;
    bool host_acquired; /* the host acquired something that was released for it */
    /* The host waited for commands: some are not part of its clock yet; some may not be checked or added. */
    bool host_waited, host_unchecked;
    uint32_t began; /* the host's step when the latest atomic that it may see was about to begin */
    LIST(struct host_snapshot) host_snapshots; /* ascending by step */
    bool was_lost;                             /* memory ran out before the last reset */
    bool reported_full;
    bool full;             /* too many launches */
    uint32_t copies_noted; /* copies of the order that are noted */
    bool gave_up;          /* a unit may have passed on what was not checked */
};

static inline bool inter_launch_lacks_memory(const struct inter_launch *detector)
{
    return detector->was_lost || detector->order.failed || detector->order.pool.failed ||
           detector->shadow.failed || detector->order.clock > UINT32_MAX;
}

static inline bool inter_launch_failed(const struct inter_launch *detector)
{
    return detector->gave_up || inter_launch_lacks_memory(detector);
}

static inline struct order_launch *inter_launch_order_of(const struct inter_launch *detector,
                                                         const struct launch_state *state)
{
    return &detector->launches[state - detector->states];
}

/* The number of the launch's first work-group in the common order. */
static inline uint64_t first_group(const struct inter_launch *detector, const struct launch_state *state)
{
    return inter_launch_order_of(detector, state)->first_group;
}

/* NULL: it is not checked (any more). */
struct launch_state *inter_launch_state_of(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_reset(struct inter_launch *detector);
/* NULL: accesses there are not kept, or out of memory. */
struct shadow_region *inter_launch_region_at(struct inter_launch *detector, uint64_t address);
/* An access of a command by its one work-item. */
void inter_launch_put(struct inter_launch *detector, const struct launch_state *state,
                      struct shadow_region *region, uint64_t address, uint32_t size, enum access_kind kind,
                      uint32_t site);

/* inter_launch_host.c */
void inter_launch_host_acquires(struct inter_launch *detector, const struct atomic_operation *released);
void inter_launch_host_passes_on(struct inter_launch *detector, struct unit_state *unit_state,
                                 const struct atomic_operation *read);
/* The part of the host's clock that the launch gets by its enqueueing call. */
void inter_launch_host_clock(struct inter_launch *detector, const struct launch_state *state,
                             struct vclock *out_clock[ORDER_REGIONS]);
void inter_launch_host_fini(struct inter_launch *detector);

/* inter_launch_states.c */
bool inter_launch_is_running(const struct launch_state *state);
struct group_order *inter_launch_open_group(struct inter_launch *detector, uint64_t number,
                                            struct vclock *const initial[ORDER_REGIONS]);
bool inter_launch_is_guaranteed(const struct region *region);
/* guaranteed: only regions for which inter_launch_is_guaranteed is true. */
bool inter_launch_has_region(const struct memory *memory, uint32_t flags, bool guaranteed);
bool inter_launch_has_room(const struct inter_launch *detector, const struct launch_info *launch);
uint32_t inter_launch_tree_root(const struct launch_state *state);
void inter_launch_note_unchecked(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_forget_unchecked(struct inter_launch *detector, uint32_t tree_root);
bool inter_launch_is_announced(const struct inter_launch *detector, const struct launch_state *state);
/* As a launch of one work-item. NULL: out of memory. */
struct launch_state *inter_launch_add_command(struct inter_launch *detector, uint32_t command,
                                              const char *kernel);
bool inter_launch_open_order(struct inter_launch *detector,
                             const struct launch_info *first); /* Does nothing if it is open. */
bool inter_launch_add_launch(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_close_group(struct inter_launch *detector, struct launch_state *state, uint64_t number);
/* Before the group is closed. */
void inter_launch_await_group(struct inter_launch *detector, const struct launch_info *launch, uint64_t group,
                              uint64_t number);
void inter_launch_end_of_command(struct inter_launch *detector, uint32_t command);

/* inter_launch_calls.c */
void inter_launch_add_call(struct inter_launch *detector, struct launch_state *state, uint64_t unit,
                           uint32_t number);
bool inter_launch_is_call(const struct launch_state *caller, uint32_t number);
void inter_launch_order_after_call(struct inter_launch *detector, struct launch_state *state, uint32_t caller,
                                   uint32_t number);
bool inter_launch_is_ordered_by_call(const struct inter_launch *detector, const struct unit_state *unit_state,
                                     uint64_t unit, uint64_t clock);

/* inter_launch_within.c */
void inter_launch_note_copies(struct inter_launch *detector);
void inter_launch_within_fini(struct launch_state *state);

/* inter_launch_races.c */
uint32_t inter_launch_site_of(struct inter_launch *detector, struct launch_state *state, uint32_t own);
/* The same for an operation that synchronises, whose scope is kept. */
uint32_t inter_launch_site_with(struct inter_launch *detector, struct launch_state *state, uint32_t own,
                                enum memory_scope scope);
void inter_launch_keep_places(struct inter_launch *detector, struct launch_state *state);
void inter_launch_keep_argument(struct launch_state *state, uint32_t region_id, const char *name);
void inter_launch_keep_arguments(const struct inter_launch *detector, struct launch_state *state);
void inter_launch_on_race(void *self, const struct race *race, const struct shadow_access *now);

#endif
