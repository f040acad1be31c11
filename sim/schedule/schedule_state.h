/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A launch being scheduled: what schedule.c and schedule_*.c share.
 *
 * Interface
 *   schedule.c           resident groups, limits, passes; time slices
 *   schedule_choose.c    step by step; the default rule, oracle, random, replay
 *   schedule_pct.c       priorities
 *   schedule_script.c    steps from a file
 *   schedule_livelock.h  waits that do not end, or end by another unit: proof, finding, reliance on progress
 */
#ifndef ORRERY_SIM_SCHEDULE_SCHEDULE_STATE_H
#define ORRERY_SIM_SCHEDULE_SCHEDULE_STATE_H

#include "sim/base/clock.h"
#include "sim/device/concurrent.h"
#include "sim/device/group.h"
#include "orrery/schedule.h"
#include "sim/base/rng.h"
#include "sim/device/launch_schedule.h"
#include "sim/device/schedule_record.h"

/* A choice: a ready wave of a resident group. */
struct pick {
    struct group *group;
    uint32_t index;
};

/* pct: when priorities drop, in ascending order. */
struct pct {
    uint64_t *change;
    uint32_t count, passed;
    int64_t lowest;
    uint64_t settled; /* arrivals when the highest was last looked for */
};

/* script: where it stands. */
struct script {
    size_t at;
    bool begun, came;
    uint64_t steps;
    struct group *group;
    uint32_t from, to;
};

struct chooser {
    struct group *group; /* of the latest step; NULL when it has retired, or before the first step */
    uint32_t index;
    struct unit last;
    uint64_t last_steps; /* steps that last has taken */
    uint64_t steps;      /* of the launch; in passes: its time slices, under a debugger */
    uint32_t held;       /* steps that random still gives to last */
    struct pct pct;
    struct script script;
    struct schedule_candidate *candidates;
    uint32_t candidate_room;
    /* while steps are recorded or replayed: which tiles have run, so that the default rule needs no
     * admission */
    uint64_t *started; /* a bit per tile */
    uint64_t lowest_unstarted;
    struct switch_index switches; /* of the launch's replay */
    bool admits, over;            /* groups are admitted when one of them is to run; all have ended */
    bool scripted;                /* a script is followed, or was when this was recorded */
};

/* places of a launch that are reported to wait for a work-group that had not begun */
enum { REPORTED_MOST = 8 };

/* schedule_livelock.h: the state that is compared with, and when. */
struct livelock {
    uint64_t waves, memory, passes, next_mark, idle_before;
    bool seen;          /* memory: is that of waves */
    uint64_t next_look; /* step by step */
    uint32_t reported, reported_site[REPORTED_MOST];
    bool endless; /* no unit waits for another */
    /* a wave that had its work-group to itself was stopped, so others may wait for what it has */
    bool interrupted;
    /* of a group that is the only one begun */
    struct {
        uint64_t passes, waves, memory;
        bool seen;
    } first;
    /* of a wave that has the group to itself */
    struct {
        uint64_t slices, next_mark, wave, memory;
        bool past, seen;
    } alone;
    struct held_back *held_back; /* lanes were released; the report if that ends the spinning */
};

struct schedule {
    struct launch *launch;
    struct concurrent *concurrent;
    const struct schedule_config *config;
    struct diagnosis *diagnosis;
    struct deadline deadline;
    /* when the launch is noted as slow; loop iterations until then */
    struct {
        struct deadline deadline;
        uint64_t look_at;
    } slow;
    uint32_t passes;  /* so far; of a build that checks, else 0 */
    uint32_t percent; /* of the launch's work-groups that the watch was called with, and 1 */
    struct rng waves;
    /* which tile is next */
    uint64_t next, total;
    uint64_t stride, start; /* random: tile (start + i * stride) mod total */
    /* the resident groups, in order of admission */
    struct group **resident;
    uint32_t count, target, room;
    uint32_t most;        /* that may be resident at a time when those that are wait for others */
    uint64_t arrivals;    /* how often waves became ready that were not */
    uint64_t idle_slices; /* since a wave last ended, waited or went on */
    /* step by step: the same of groups that have taken a step, whoever was let in since */
    uint64_t still;
    uint32_t patience; /* idle time slices per ready wave until more groups are admitted */
    struct chooser chooser;
    struct livelock livelock;
    bool stuck; /* only spinning, and no group is left that could help */
    enum status status;
};

/* Groups are resident once each, of this launch; their waves are as group_check says; the choice that was
 * made last is of a wave that there is; priorities change at ascending steps. Between passes. */
void schedule_check(const struct schedule *schedule);
void schedule_slice(struct schedule *schedule, struct group *group, uint32_t index, int64_t budget,
                    enum run_result *out_result);
bool schedule_running(const struct schedule *schedule, const struct group *group);
/* NULL: no memory; status says so when nothing is resident that could free some. */
struct group *schedule_admit_tile(struct schedule *schedule, uint64_t tile);

/* The memory for the launch; false: status says why not. */
bool choose_init(struct schedule *schedule);
void choose_fini(struct schedule *schedule);
void choose_step(struct schedule *schedule);
void choose_retired(struct schedule *schedule, const struct group *group);
/* Groups become resident when one of them is to run, not in order. */
bool choose_admits(const struct schedule *schedule);
bool choose_unfinished(const struct schedule *schedule); /* and some are still to come or to end */
/* The wave that a debugger lets continue instead, if it may be chosen and is ready; else `pick`. */
struct pick choose_forked(struct schedule *schedule, struct pick pick, bool may_choose);

/* schedule_pct.c: priorities of a new group's waves; the highest that is ready; false: no memory. */
bool pct_init(struct schedule *schedule);
void pct_fini(struct schedule *schedule);
void pct_admit(struct schedule *schedule, struct group *group);
struct pick pct_pick(struct schedule *schedule);

/* schedule_script.c: the wave that continues by the script's step; group NULL: choose again; false: the
 * script is over. */
bool script_pick(struct schedule *schedule, struct pick *out_pick);
void script_look(struct schedule *schedule); /* after each step */
/* none is left: steps for this launch that are cannot happen */
void script_rest(struct schedule *schedule);

/* The units that may still arrive and release those that wait. */
enum helper { HELPER_NONE, HELPER_GROUP, HELPER_COMMAND };
/* True: all that is resident goes round in circles until another unit arrives. If none may, the launch ends
 * with a livelock; else, if it continues then, the program is reported to rely on more than the device
 * promises. Of one launch alone. */
bool livelock_check(struct schedule *schedule, enum helper helper);
/* PROGRESS_NONE: a wave continues until it ends, waits at a barrier, or is in the state in which it was
 * before: then others of its group continue, and it is kept for livelock_got_on. */
bool livelock_goes_alone(const struct schedule *schedule);
void livelock_alone_begin(struct schedule *schedule);
/* After a time slice, which may have taken it past the barrier that its sub-group waits at; true: let others
 * continue. */
bool livelock_alone(struct schedule *schedule, struct group *group, uint32_t index, bool past);
/* Lanes that were held after others of their sub-group continue; proven: nothing else can. False: there are
 * none. */
bool livelock_free_held(struct schedule *schedule, bool proven);
/* before a time slice */
void livelock_goes_on(struct schedule *schedule, const struct group *group, uint32_t index);
/* after a time slice */
void livelock_got_on(struct schedule *schedule, const struct group *group, uint32_t index,
                     enum run_result result);
void livelock_forget_held(struct schedule *schedule);
/* comes: for lanes that were held, another unit may have helped */
void livelock_newcomer(struct schedule *schedule);
/* Runs until a group that only spins, while no other resident one has begun, has shown whether it goes round
 * in circles: true after a pass: another one. The group whose begin lets it continue is reported. */
void livelock_first_begin(struct schedule *schedule);
bool livelock_first(struct schedule *schedule, struct group *group);
/* After a pass over a group in which it may have gone past barriers: whether it only waits is seen anew. */
void livelock_lap(struct schedule *schedule, struct group *group);
/* Step by step: before all that is left goes past what it waits at; after what a sub-group waited at; it
 * changed memory. */
void livelock_meet(struct schedule *schedule, struct group *group);
void livelock_meet_sub_group(struct schedule *schedule, struct group *group, uint32_t index);
void livelock_moves(struct group *group);
void livelock_watch(struct schedule *schedule, struct group_wave *wave); /* after a step of it */
uint64_t schedule_ready(const struct schedule *schedule);                /* waves */
bool choose_more(struct schedule *schedule); /* of choose_admits: some group has not come yet */

/* schedule_choose.c: the group of a tile, admitted if need be; NULL: it has ended, or does not fit. */
struct group *choose_group(struct schedule *schedule, uint64_t tile);

#endif
