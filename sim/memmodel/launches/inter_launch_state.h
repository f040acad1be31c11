/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of inter_launch.h share: inter_launch.c selects the launches that are checked and
 *          receives their events, inter_launch_members.c has the clock of each at its begin,
 *          inter_launch_predecessors.c adds what was not checked, inter_launch_calls.c the order by calls
 *          that enqueue kernels, inter_launch_host.c by what the host may pass on, inter_launch_within.c
 *          between work-items of one launch by way of others, and inter_launch_races.c reports their races.
 *          All of it with cross->lock held.
 *
 * Interface
 *   cross_reset, cross_lost, cross_failed      everything is forgotten; was there no memory; is nothing
 *                                              checked any more?
 *   cross_add_member, cross_has_room           a launch that begins
 *   cross_open_group, cross_close_group, cross_end_moves   its work-groups; a command that is no launch ends
 *   cross_family_of, cross_is_announced     of kernels that enqueue each other; does the host announce what
 *                                           orders it?
 *   cross_note_unchecked, _forget_unchecked     the kernel that enqueued a launch that is not checked, while
 *                                               its family runs
 *   cross_is_guaranteed, cross_has_guaranteed, _svm_atomics  memory where atomics of several launches are,
 *                                                            and of the host
 *   cross_site_of                              the number of a launch's instruction, for order and shadow
 *   cross_keep_places, cross_keep_arguments    of a launch that ends, for findings
 *   cross_take_call, cross_is_call             a work-item enqueues a kernel or marker; does that call happen
 *                                              before?
 *   cross_order_member                          it comes after a call
 *   cross_host_before, _acquires, _hands_on, _known   atomics that the host may see begin; it does, and a
 *                                                     unit that acquires from it, or begins, comes after it
 *   cross_was_reported                             does an access happen before the unit's next one by calls,
 *                                                  in fine-grained memory?
 *   cross_note_copies                          asynchronous copies that were made
 *   cross_on_race                              the shadow's
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
    MEMBERS_MOST = HOSTILE(16384, 8),
    GROUP_ITEMS_LEAST = 1024,
    CROSS_OBJECT_CHARS = 120,
    CROSS_ARGUMENT_CHARS = 120,
    CROSS_WHY_CHARS = 600
};
static const uint64_t UNITS_MOST = UINT64_C(1) << 32;

struct member {
    const struct launch_info *launch; /* while it runs */
    struct launch_info shape;         /* of which the sizes alone are looked at */
    char *kernel;
    uint32_t command;
    bool partial;     /* some of its accesses are not followed */
    bool moves;       /* a command that is no launch, and has not ended */
    bool ended;       /* some work-group of it has */
    bool predecessor; /* one that had ended before any query */
    /* the host has waited for it, and by its atomics hands on what it did */
    bool host_knows;
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
    char name[CROSS_ARGUMENT_CHARS];
};

struct cross_site {
    uint32_t member, own;
    enum memory_scope scope;   /* of an atomic, a fence or a barrier, as the source has it */
    struct source_place place; /* of a launch that is over: owned */
};

struct words {
    char why[CROSS_WHY_CHARS], fix[CROSS_WHY_CHARS];
};

struct found {
    uint32_t site[2], region_id;
    uint64_t unit[2];
    struct context how[2];
    uint64_t offset_bytes, count;
    char object[CROSS_OBJECT_CHARS], argument[2][CROSS_ARGUMENT_CHARS];
    struct words words;
    enum cross_what what;
    bool in_any_case; /* atomics: commands that nothing orders do not conflict by them */
};

/* Lanes of a wave, which mostly act several times one after another. */
struct cross_wave {
    uint32_t member;
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

struct cross_launch {
    const struct memory *memory;
    pthread_mutex_t lock;        /* guards what follows */
    struct command_graph *graph; /* without what atomics may have ordered */
    struct cross_predecessors predecessors;
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
    struct member *members;
    uint32_t member_count, member_room; /* [0] is the host */
    struct order_launch *launches;
    uint32_t launch_room; /* of members */
    uint32_t latest;      /* the launch that was checked last */
    struct cross_wave wave;
    struct held held; /* of copies */
    struct awaited *awaited;
    uint32_t awaited_count, awaited_room;
    struct unchecked *unchecked;
    uint32_t unchecked_count, unchecked_room; /* of families that run */
    uint32_t *group_launch, *group_device;
    uint64_t group_count, group_room;
    struct cross_site *sites;
    uint32_t site_count, site_room;
    struct found *found;
    uint32_t found_count, found_room;
    bool host_knows; /* of something that was released for it */
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

static inline bool cross_lost(const struct cross_launch *cross)
{
    return cross->was_lost || cross->order.failed || cross->order.pool.failed || cross->shadow.failed ||
           cross->order.clock > UINT32_MAX;
}

static inline bool cross_failed(const struct cross_launch *cross)
{
    return cross->blind || cross_lost(cross);
}

static inline struct order_launch *cross_order_of(const struct cross_launch *cross,
                                                  const struct member *member)
{
    return &cross->launches[member - cross->members];
}

/* NULL: it is not checked, or no longer. */
struct member *cross_member_of(struct cross_launch *cross, const struct launch_info *launch);
void cross_reset(struct cross_launch *cross);
/* NULL: what happens there is not kept, or there is no memory. */
struct shadow_region *cross_region_at(struct cross_launch *cross, uint64_t address);
/* An operation of a command, by its one work-item. */
void cross_put(struct cross_launch *cross, const struct member *member, struct shadow_region *region,
               uint64_t address, uint32_t size, enum access_kind kind, uint32_t site);

/* inter_launch_host.c */
void cross_host_before(struct cross_launch *cross); /* the next operation is about to happen */
void cross_host_acquires(struct cross_launch *cross, const struct atomic_act *released);
void cross_host_hands_on(struct cross_launch *cross, struct unit_state *unit_state,
                         const struct atomic_act *read);
/* of the clock that reaches the member */
void cross_host_known(struct cross_launch *cross, const struct member *member,
                      struct vclock *out_known[ORDER_REGIONS]);
void cross_host_fini(struct cross_launch *cross);

/* inter_launch_members.c */
bool cross_is_running(const struct member *member);
bool cross_room_for(void **items, uint32_t count, uint32_t *room, size_t size);
struct group_order *cross_open_group(struct cross_launch *cross, uint64_t number,
                                     struct vclock *const begun[ORDER_REGIONS]);
bool cross_is_guaranteed(const struct region *region);
bool cross_has_guaranteed(const struct memory *memory);
bool cross_has_svm_atomics(const struct memory *memory);
bool cross_has_room(const struct cross_launch *cross, const struct launch_info *launch);
uint32_t cross_family_of(const struct member *member);
void cross_note_unchecked(struct cross_launch *cross, const struct launch_info *launch);
void cross_forget_unchecked(struct cross_launch *cross, uint32_t family);
bool cross_is_announced(const struct cross_launch *cross, const struct member *member);
/* as one work-item; NULL: out of memory */
struct member *cross_add_command(struct cross_launch *cross, uint32_t command, const char *kernel);
bool cross_open_order(struct cross_launch *cross, const struct launch_info *first); /* unless it is */
bool cross_add_member(struct cross_launch *cross, const struct launch_info *launch);
void cross_close_group(struct cross_launch *cross, struct member *member, uint64_t number);
/* before it is closed */
void cross_await_group(struct cross_launch *cross, const struct launch_info *launch, uint64_t group,
                       uint64_t number);
void cross_end_moves(struct cross_launch *cross, uint32_t command);

/* inter_launch_calls.c */
void cross_take_call(struct cross_launch *cross, struct member *member, uint64_t unit, uint32_t number);
bool cross_is_call(const struct member *caller, uint32_t number);
void cross_order_member(struct cross_launch *cross, struct member *member, uint32_t caller, uint32_t number);
bool cross_was_reported(const struct cross_launch *cross, const struct unit_state *unit_state, uint64_t unit,
                        uint64_t clock);

/* inter_launch_within.c */
void cross_note_copies(struct cross_launch *cross);
void cross_within_fini(struct member *member);

/* inter_launch_predecessors.c */
bool cross_lacks_predecessors(struct cross_launch *cross, uint32_t command);
void cross_handle(struct cross_launch *cross, uint32_t command); /* it is checked, or added */

/* inter_launch_races.c */
void cross_site_keep(struct cross_site *site, const struct source_place *place);
void cross_site_fini(struct cross_site *site, bool owned);
uint32_t cross_site_of(struct cross_launch *cross, struct member *member, uint32_t own);
/* Of what synchronises there. */
uint32_t cross_site_with(struct cross_launch *cross, struct member *member, uint32_t own,
                         enum memory_scope scope);
void cross_keep_places(struct cross_launch *cross, struct member *member);
void cross_keep_argument(struct member *member, uint32_t region_id, const char *name);
void cross_keep_arguments(const struct cross_launch *cross, struct member *member);
void cross_on_race(void *self, const struct race *race, const struct shadow_access *now);

#endif
