/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of inter_launch.h share: inter_launch.c selects the launches that are checked and
 *          receives their events, inter_launch_members.c has the clock of each at its begin,
 *          inter_launch_predecessors.c adds what was not checked, inter_launch_calls.c the order by calls
 *          that enqueue kernels, inter_launch_host.c by what the host may pass on, inter_launch_within.c
 *          between work-items of one launch by way of others, and inter_launch_races.c reports their races.
 *          All of it with detector->lock held.
 *
 * Interface
 *   inter_launch_reset              everything is forgotten
 *   inter_launch_lacks_memory       memory was out once
 *   inter_launch_failed             nothing is checked any more
 *   inter_launch_add_launch, _has_room
 *                                   a launch that begins
 *   inter_launch_open_group, _close_group
 *                                   its work-groups
 *   inter_launch_end_moves          a command that is no launch ends
 *   inter_launch_family_of          of kernels that enqueue each other
 *   inter_launch_is_announced       does the host announce what orders it?
 *   inter_launch_note_unchecked, _forget_unchecked
 *                                   the kernel that enqueued a launch that is not checked, while its family
 *                                   runs
 *   inter_launch_is_guaranteed, _has_guaranteed, _has_svm_atomics
 *                                   memory where atomics of several launches are, and of the host
 *   inter_launch_site_of            the number of a launch's instruction, for order and shadow
 *   inter_launch_keep_places, _keep_arguments
 *                                   of a launch that ends, for findings
 *   inter_launch_take_call, _is_call
 *                                   a work-item enqueues a kernel or marker; does that call happen before?
 *   inter_launch_order_after_call   a launch comes after a call
 *   inter_launch_host_before, _host_acquires, _host_hands_on, _host_known
 *                                   atomics that the host may see begin; it does, and a unit that acquires
 *                                   from it, or begins, comes after it
 *   inter_launch_was_reported       does an access happen before the unit's next one by calls, in fine-
 *                                   grained memory?
 *   inter_launch_note_copies        asynchronous copies that were made
 *   inter_launch_on_race            the shadow's
 */
#ifndef ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_STATE_H
#define ORRERY_SIM_MEMMODEL_LAUNCHES_INTER_LAUNCH_STATE_H

#include "inter_launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/order/command_graph.h"
#include "sim/memmodel/order/deferred_copy.h"
#include "sim/memmodel/order/order_state.h"
#include "sim/memmodel/shadow/shadow.h"

/* Work-groups of all launches are numbered one after the other; the first is the host's. */
enum {
    STATES_MOST = HOSTILE(16384, 8),
    GROUP_ITEMS_LEAST = 1024,
    INTER_LAUNCH_OBJECT_CHARS = 120,
    INTER_LAUNCH_ARGUMENT_CHARS = 120,
    INTER_LAUNCH_WHY_CHARS = 600
};
static const uint64_t UNITS_MOST = UINT64_C(1) << 32;

struct launch_state {
    const struct launch_info *launch; /* while it runs */
    struct launch_info shape;         /* of which the sizes alone are looked at */
    char *kernel;
    uint32_t command;
    bool partial;     /* some of its accesses are not followed */
    bool moves;       /* a command that is no launch, and has not ended */
    bool ended;       /* some work-group of it has */
    bool predecessor; /* one that had ended before any query */
    /* the host has waited for it, and by its atomics hands on what it did */
    bool host_acquired;
    struct vclock *begun[ORDER_REGIONS];   /* what happens before each of its work-groups from the start */
    struct vclock *learned[ORDER_REGIONS]; /* the clocks of those that have ended */
    uint32_t *site;
    uint32_t site_count; /* 1 + its number below, by its own; while it runs */
    struct passed *passed;
    uint32_t passed_count, passed_room; /* when it has ended: its arguments */
    /* its own that enqueued, from the first on */
    struct order_clock_snapshot *calls;
    uint32_t call_count, call_room;
    /* its call is not known: a command after it counts as after all that it does */
    bool is_called;
    struct pace *paces;
    uint32_t pace_count, pace_room; /* while it runs */
    uint32_t own_clock;             /* of its checker, the latest */
    uint32_t *copies;
    uint32_t copy_count, copy_room; /* by number of its own: that of all */
};

/* From this clock value of the launch on all had reached that one, and steps: continued as it did. */
struct pace {
    uint32_t own, all;
    bool steps;
};

struct passed {
    uint32_t region_id;
    char name[INTER_LAUNCH_ARGUMENT_CHARS];
};

struct inter_launch_site {
    uint32_t state, own;
    enum memory_scope scope;   /* of an atomic, a fence or a barrier, as the source has it */
    struct source_place place; /* of a launch that is over: owned */
};

struct words {
    char why[INTER_LAUNCH_WHY_CHARS], fix[INTER_LAUNCH_WHY_CHARS];
};

struct found {
    uint32_t site[2], region_id;
    uint64_t unit[2];
    struct context how[2];
    uint64_t offset_bytes, count;
    char object[INTER_LAUNCH_OBJECT_CHARS], argument[2][INTER_LAUNCH_ARGUMENT_CHARS];
    struct words words;
    enum inter_launch_what what;
    bool in_any_case; /* atomics: commands that nothing orders do not conflict by them */
};

/* Lanes of a wave, which mostly act several times one after another. */
struct inter_launch_wave {
    uint32_t state;
    uint64_t wave, group, unit[WAVE_LANES_MAX];
    bool one_group;
};

/* A launch that is not checked and that a kernel enqueued: checked ones may be its children. */
struct unchecked {
    uint32_t launch, parent, family;
};

/* A work-group that has ended, and for which a kernel waits that it enqueued. */
struct awaited {
    uint64_t number;
    struct vclock *known[ORDER_REGIONS];
};

/* What the host had acquired before any release at this step of its, or a later one. */
struct handed {
    uint32_t step;
    struct vclock *known[ORDER_REGIONS];
};

struct inter_launch {
    const struct memory *memory;
    pthread_mutex_t lock;        /* guards what follows */
    struct command_graph *graph; /* without what atomics may have ordered */
    struct inter_launch_predecessors predecessors;
    /* commands that are checked, or added, by serial: bits */
    uint64_t *handled;
    uint32_t handled_words, handled_from;
    struct order order;
    struct shadow shadow;
    struct spare spare;
    struct race_counter *counters[COUNTERS]; /* none */
    struct shadow_region **regions;
    uint32_t region_room;   /* by index of struct memory */
    uint64_t time;          /* counts events */
    struct launch_info all; /* the one launch that they are for the order */
    struct launch_state *states;
    uint32_t state_count, state_room; /* [0] is the host */
    struct order_launch *launches;
    uint32_t launch_room; /* so many fit into launches */
    uint32_t latest;      /* the launch that was checked last */
    struct inter_launch_wave wave;
    struct held held; /* of copies */
    struct awaited *awaited;
    uint32_t awaited_count, awaited_room;
    struct unchecked *unchecked;
    uint32_t unchecked_count, unchecked_room; /* of families that run */
    uint32_t *group_launch, *group_device;
    uint64_t group_count, group_room;
    struct inter_launch_site *sites;
    uint32_t site_count, site_room;
    struct found *found;
    uint32_t found_count, found_room;
    bool host_acquired; /* of something that was released for it */
    /* for commands, which it has not handed on yet; and of which some may have to be put in */
    bool host_waited, host_unchecked;
    /* the host's step at the begin of the next atomics in its memory */
    uint32_t began;
    struct handed *handed;
    uint32_t handed_count, handed_room; /* ascending */
    bool was_lost;                      /* memory was out once */
    bool reported_full;
    bool full;             /* as there were too many */
    uint32_t copies_noted; /* of the order's */
    bool blind;            /* a unit may have handed on what was not checked */
};

static inline bool inter_launch_lacks_memory(const struct inter_launch *detector)
{
    return detector->was_lost || detector->order.failed || detector->order.pool.failed ||
           detector->shadow.failed || detector->order.clock > UINT32_MAX;
}

static inline bool inter_launch_failed(const struct inter_launch *detector)
{
    return detector->blind || inter_launch_lacks_memory(detector);
}

static inline struct order_launch *inter_launch_order_of(const struct inter_launch *detector,
                                                         const struct launch_state *state)
{
    return &detector->launches[state - detector->states];
}

/* NULL: it is not checked, or no longer. */
struct launch_state *inter_launch_state_of(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_reset(struct inter_launch *detector);
/* NULL: what happens there is not kept, or there is no memory. */
struct shadow_region *inter_launch_region_at(struct inter_launch *detector, uint64_t address);
/* An operation of a command, by its one work-item. */
void inter_launch_put(struct inter_launch *detector, const struct launch_state *state,
                      struct shadow_region *region, uint64_t address, uint32_t size, enum access_kind kind,
                      uint32_t site);

/* inter_launch_host.c */
void inter_launch_host_before(struct inter_launch *detector); /* the next operation is about to happen */
void inter_launch_host_acquires(struct inter_launch *detector, const struct atomic_act *released);
void inter_launch_host_hands_on(struct inter_launch *detector, struct unit_state *unit_state,
                                const struct atomic_act *read);
/* of the clock that reaches the launch */
void inter_launch_host_known(struct inter_launch *detector, const struct launch_state *state,
                             struct vclock *out_known[ORDER_REGIONS]);
void inter_launch_host_fini(struct inter_launch *detector);

/* inter_launch_members.c */
bool inter_launch_is_running(const struct launch_state *state);
bool inter_launch_room_for(void **items, uint32_t count, uint32_t *room, size_t size);
struct group_order *inter_launch_open_group(struct inter_launch *detector, uint64_t number,
                                            struct vclock *const begun[ORDER_REGIONS]);
bool inter_launch_is_guaranteed(const struct region *region);
bool inter_launch_has_guaranteed(const struct memory *memory);
bool inter_launch_has_svm_atomics(const struct memory *memory);
bool inter_launch_has_room(const struct inter_launch *detector, const struct launch_info *launch);
uint32_t inter_launch_family_of(const struct launch_state *state);
void inter_launch_note_unchecked(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_forget_unchecked(struct inter_launch *detector, uint32_t family);
bool inter_launch_is_announced(const struct inter_launch *detector, const struct launch_state *state);
/* as one work-item; NULL: out of memory */
struct launch_state *inter_launch_add_command(struct inter_launch *detector, uint32_t command,
                                              const char *kernel);
bool inter_launch_open_order(struct inter_launch *detector,
                             const struct launch_info *first); /* unless it is */
bool inter_launch_add_launch(struct inter_launch *detector, const struct launch_info *launch);
void inter_launch_close_group(struct inter_launch *detector, struct launch_state *state, uint64_t number);
/* before it is closed */
void inter_launch_await_group(struct inter_launch *detector, const struct launch_info *launch, uint64_t group,
                              uint64_t number);
void inter_launch_end_moves(struct inter_launch *detector, uint32_t command);

/* inter_launch_calls.c */
void inter_launch_take_call(struct inter_launch *detector, struct launch_state *state, uint64_t unit,
                            uint32_t number);
bool inter_launch_is_call(const struct launch_state *caller, uint32_t number);
void inter_launch_order_after_call(struct inter_launch *detector, struct launch_state *state, uint32_t caller,
                                   uint32_t number);
bool inter_launch_was_reported(const struct inter_launch *detector, const struct unit_state *unit_state,
                               uint64_t unit, uint64_t clock);

/* inter_launch_within.c */
void inter_launch_note_copies(struct inter_launch *detector);
void inter_launch_within_fini(struct launch_state *state);

/* inter_launch_predecessors.c */
bool inter_launch_wants_predecessors(struct inter_launch *detector, uint32_t command);
void inter_launch_handle(struct inter_launch *detector, uint32_t command); /* it is checked, or added */

/* inter_launch_races.c */
void inter_launch_site_keep(struct inter_launch_site *site, const struct source_place *place);
void inter_launch_site_fini(struct inter_launch_site *site, bool owned);
uint32_t inter_launch_site_of(struct inter_launch *detector, struct launch_state *state, uint32_t own);
/* Of what synchronises there. */
uint32_t inter_launch_site_with(struct inter_launch *detector, struct launch_state *state, uint32_t own,
                                enum memory_scope scope);
void inter_launch_keep_places(struct inter_launch *detector, struct launch_state *state);
void inter_launch_keep_argument(struct launch_state *state, uint32_t region_id, const char *name);
void inter_launch_keep_arguments(const struct inter_launch *detector, struct launch_state *state);
void inter_launch_on_race(void *self, const struct race *race, const struct shadow_access *now);

#endif
