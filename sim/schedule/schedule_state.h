/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A launch being scheduled: what schedule.c and schedule_*.c share.
 *
 * Interface
 *   schedule.c           resident groups, limits, passes; time slices
 *   schedule_choose.c    step by step; the default rule, oracle, random, replay
 *   schedule_pct.c       priorities
 *   schedule_script.c    steps from a file
 *   schedule_livelock.h  waits that never end, or that end only by progress that is not promised
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

/* pct: the steps at which priorities drop, ascending. */
struct pct {
    uint64_t *change;
    uint32_t count, passed;
    int64_t lowest;
    uint64_t searched_at; /* schedule->arrivals when the highest priority was last searched for */
};

/* script: the current step. */
struct script {
    size_t at;
    bool begun, reached; /* the step has begun; some wave of it has reached the step's goal */
    uint64_t steps;
    struct group *group;
    uint32_t from, to;
};

/* The state of policies that choose step by step. */
struct chooser {
    struct group *group; /* of the latest step; NULL when it has retired, or before the first step */
    uint32_t index;
    struct unit last;
    uint64_t last_steps;   /* steps that the unit `last` has taken */
    uint64_t steps;        /* of the launch; in passes: its time slices, under a debugger */
    uint32_t quantum_left; /* random: steps that the unit of `last` may still take */
    struct pct pct;
    struct script script;
    struct schedule_candidate *candidates;
    uint32_t candidate_room;
    /* While steps are recorded or replayed: a bit for each tile that has taken a step. The default rule
     * is then a function of the steps alone, whichever groups are resident. */
    uint64_t *started;
    uint64_t lowest_unstarted;
    struct switch_index switches; /* of the launch's replay */
    bool admits;                  /* a group becomes resident when one of its units is chosen, not in order */
    bool over;                    /* every group has ended */
    bool scripted;                /* a script is followed, or was followed when the replay was recorded */
};

/* places of a launch that are reported as waiting for a work-group that had not begun */
enum { REPORTED_MOST = 8 };

/* Detection of livelocks (schedule_livelock.h). At a mark, hashes of the state are saved; the states after it
 * are compared with them. */
struct livelock {
    uint64_t waves, memory; /* hashes at the mark */
    uint64_t passes;        /* idle ones in a row */
    uint64_t next_mark, idle_before;
    uint64_t witness; /* hash at the mark of the wave witness_at in resident group witness_group */
    uint32_t witness_group, witness_at;
    bool seen;          /* `memory` belongs to a state in which the waves had the hash `waves` */
    uint64_t next_look; /* step by step: the step of the next check */
    uint32_t reported, reported_site[REPORTED_MOST];
    bool endless; /* the launch repeats its state, but no unit waits for another: not a livelock */
    /* A wave that ran alone in its work-group was stopped early, so other waves may wait for what it
     * holds. */
    bool interrupted;
    /* the same for a group while no other one has begun */
    struct {
        uint64_t passes, waves, memory;
        bool seen;
    } first;
    /* the same for a wave that runs alone in its group */
    struct {
        uint64_t slices, next_mark, wave, memory;
        bool past, seen; /* past: it has passed a barrier of its sub-group */
    } alone;
    struct observed_wait *observed_wait; /* a spinning wave whose helper is looked for: schedule_progress.c */
};

struct schedule {
    struct launch *launch;
    struct concurrent *concurrent;
    const struct schedule_config *config;
    struct diagnosis *diagnosis;
    struct deadline deadline;
    /* when to print the note on a slow launch; loop iterations at which the clock is read next */
    struct {
        struct deadline deadline;
        uint64_t check_at;
    } slow;
    uint32_t passes;  /* so far, in builds with --enable-checks */
    uint32_t percent; /* 1 + the last percentage that watch->progress was called with; 0: not called yet */
    struct rng waves;
    uint64_t next, total;   /* tiles: index of the next one to admit; of the launch */
    uint64_t stride, start; /* random: tile (start + i * stride) mod total */
    /* the resident groups, in order of admission */
    struct group **resident;
    uint32_t count, room;
    uint32_t target;            /* groups are admitted until so many are resident */
    uint32_t most;              /* the highest target */
    uint64_t arrivals;          /* changes whenever waves become ready */
    uint64_t idle_slices;       /* time slices since a wave last ended, reached a barrier or changed memory */
    uint64_t begun_idle_slices; /* the same, counting only groups that have taken a step */
    uint32_t idle_limit;        /* idle time slices per ready wave after which more groups are admitted */
    struct chooser chooser;
    struct livelock livelock;
    bool stuck; /* every resident wave only spins, and no group of the launch is left to admit */
    enum status status;
};

/* Asserts, between passes: each resident group is of this launch, stands once, and passes group_check(); the
 * latest choice names an existing wave; priorities change at ascending steps. */
void schedule_check(const struct schedule *schedule);
void schedule_slice(struct schedule *schedule, struct group *group, uint32_t index, int64_t budget,
                    enum run_result *out_result);
bool schedule_running(const struct schedule *schedule, const struct group *group);
/* NULL: out of memory. schedule->status is set only if no resident group could free memory by ending. */
struct group *schedule_admit_tile(struct schedule *schedule, uint64_t tile);

/* Prepares step-by-step choice for the launch; false: schedule->status has the reason. */
bool choose_init(struct schedule *schedule);
void choose_fini(struct schedule *schedule);
void choose_step(struct schedule *schedule);
void choose_retired(struct schedule *schedule, const struct group *group);
/* True: a group becomes resident when one of its units is chosen, not in order. */
bool choose_admits(const struct schedule *schedule);
/* choose_admits(), and not all groups have ended. */
bool choose_unfinished(const struct schedule *schedule);
/* The wave that a debugger chooses instead, if a choice is possible and the wave is ready; otherwise
 * `pick`. */
struct pick choose_forked(struct schedule *schedule, struct pick pick, bool may_choose);

/* schedule_pct.c. pct_init: false: out of memory. pct_admit: draws priorities for a new group's waves.
 * pct_pick: the ready wave of the highest priority. */
bool pct_init(struct schedule *schedule);
void pct_fini(struct schedule *schedule);
void pct_admit(struct schedule *schedule, struct group *group);
struct pick pct_pick(struct schedule *schedule);

/* schedule_script.c: the wave that the script's current step runs; group NULL: call again; false: the
 * script is over. */
bool script_pick(struct schedule *schedule, struct pick *out_pick);
void script_look(struct schedule *schedule); /* after each step */
/* all units have ended: refuses the steps of this launch that are left */
void script_rest(struct schedule *schedule);

/* What may still begin and end the wait of spinning units. */
enum helper { HELPER_NONE, HELPER_GROUP, HELPER_COMMAND };
/* True: the resident waves repeat their state until a helper begins. Without a helper the launch ends with a
 * livelock finding. With one, the program is reported if the helper ends the wait: it relies on progress that
 * the device does not promise. For a launch that runs alone. */
bool livelock_check(struct schedule *schedule, enum helper helper);
/* PROGRESS_NONE: a wave runs alone until it ends, waits at a barrier or repeats its state. Then the
 * others of its group run, and livelock_after_slice() observes which of them ends its wait. */
bool livelock_runs_alone(const struct schedule *schedule);
void livelock_alone_begin(struct schedule *schedule);
/* After a time slice; past: the wave has passed a barrier of its sub-group. True: the others run now. */
bool livelock_alone_ends(struct schedule *schedule, struct group *group, uint32_t index, bool past);
/* Makes held lanes (WAVE_HELD) ready; proven: nothing else can run. False: no lanes are held. */
bool livelock_release_held(struct schedule *schedule, bool proven);
/* Before a time slice of the wave: observes it if it may help the observed wait. */
void livelock_before_slice(struct schedule *schedule, const struct group *group, uint32_t index);
/* After it: reports the observed wait if this ended it. */
void livelock_after_slice(struct schedule *schedule, const struct group *group, uint32_t index,
                          enum run_result result);
void livelock_forget_wait(struct schedule *schedule);
/* A group was admitted: a wait for held lanes is not observed any more, since the new group may end it. */
void livelock_group_arrived(struct schedule *schedule);
/* While no other resident group has begun: a group that only spins gets further passes until it is known
 * whether it repeats its state. True: run another pass. If it repeats, its wait is observed. */
void livelock_first_group_begin(struct schedule *schedule);
bool livelock_first_group(struct schedule *schedule, struct group *group);
/* After a pass over a group that may have passed barriers: finds out whether the group repeats its state. */
void livelock_after_pass(struct schedule *schedule, struct group *group);
/* Step by step: before a work-group passes the barrier that all of it waits at; after a sub-group has passed
 * one; after a step that changed memory. */
void livelock_at_group_barrier(struct schedule *schedule, struct group *group);
void livelock_at_sub_group_barrier(struct schedule *schedule, struct group *group, uint32_t index);
void livelock_memory_changed(struct group *group);
void livelock_after_step(struct schedule *schedule, struct group_wave *wave); /* after a step of it */
bool choose_more(struct schedule *schedule); /* with choose_admits(): some group has not begun */

/* schedule_choose.c: the group of a tile, admitted if necessary; NULL: it has ended, or is out of memory. */
struct group *choose_group(struct schedule *schedule, uint64_t tile);

#endif
