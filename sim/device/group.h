/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A running work-group (or a tile of merged ones): its local memory, its waves,
 *          and the events at which they stop: barriers, collectives, divergence.
 *
 * Interface
 *   group_pool_init, group_pool_fini   groups of one code, kept from launch to launch, so that frames and
 *   local
 *                                      memory are allocated once
 *   group_admit                        takes an idle group for a tile; its waves are ready
 *   group_run                          one wave for one time slice
 *   group_settle                       when no wave is ready: completes the barrier or group function that
 *                                      they wait for
 *   group_retire                       gives the group back
 *   group_check                        asserts all invariants
 *
 * The schedule decides which wave runs; a group only lists those that can.
 */
#ifndef ORRERY_SIM_DEVICE_GROUP_H
#define ORRERY_SIM_DEVICE_GROUP_H

#include "launch.h"

/* WAVE_HELD: lanes of a sub-group of which other lanes spin: they continue when nothing else can. */
enum wave_state { WAVE_READY, WAVE_WAITS, WAVE_DONE, WAVE_HELD };

/* schedule_cycle.c, step by step: does a unit repeat its states while memory is the same? */
struct watched {
    uint64_t epoch;       /* 1 + concurrent->epoch of the saved state; 0: none is saved */
    uint64_t fingerprint; /* of the saved state */
    uint32_t lap, left;   /* states between two saved ones; until the next. left 0: the unit repeats */
};

struct group_wave {
    struct wave *wave;
    enum wave_state state;
    /* of schedule_choose.c */
    uint32_t unchanged_steps; /* steps since it last changed memory or passed a barrier */
    uint64_t steps;
    int64_t priority; /* pct: the higher goes first */
    /* pct: steps since its priority dropped, it changed memory or passed a barrier of the work-group. A
     * replay drops no priorities and uses unchanged_steps. */
    uint32_t priority_steps;
    uint32_t barriers;  /* number of barriers that it has reached */
    lane_mask reported; /* barrier.c: lanes whose wait at another barrier is part of a finding */
    /* lanes that are parked while the others pass waits of their sub-groups, and the loop iterations of the
     * others since these lanes ran */
    lane_mask starving;
    uint64_t starved_steps;
    /* schedule_cycle.c: of this wave between two barriers */
    struct watched watched;
    /* schedule_script.c, for the script's current step */
    uint32_t barriers_before, barriers_seen; /* `barriers` when the step began, and at the last check */
    uint64_t visits;
    uint64_t looked_at, left_at; /* place_of() at the last check, and where a step left it; 0: nowhere */
    uint32_t site_before;        /* 1 + site of its next operation at the last check; 0: none */
    bool stopped;
};

struct group {
    /* kept from launch to launch: */
    struct group_pool *pool;
    uint32_t place;           /* in pool->groups */
    struct group_wave *waves; /* first the waves of the tile, in lane order, then those that split off */
    uint32_t *picked;         /* scratch of barrier.c, as many as waves */
    struct wave **stopped;
    uint32_t wave_room;
    /* schedule_cycle.c: the state of each sub-group after its barriers; NULL: not watched yet */
    struct watched *watched_sub_groups;
    uint32_t watched_count;
    uint32_t made;          /* waves of the tile that have been created */
    struct region **locals; /* one for each of code->local_objects */
    uint64_t *local_addresses;

    /* of the current tile: */
    struct launch *launch;
    struct tile tile;
    uint64_t number;
    uint32_t compute_unit;
    uint32_t base_count, wave_count;
    uint32_t ready_count, alive_count, held_count;
    uint64_t unpaid_ns; /* simulated time of the group that has not been charged yet */
    uint32_t payers;    /* time slices that still share it */
    bool begun;         /* some wave has had a time slice */
    bool stepped;       /* some wave has taken a step */
    bool fresh;         /* step by step: some ready wave has not been advanced to its next operation */
    /* schedule_cycle.c: does the group repeat its state, over barriers? */
    struct {
        uint64_t passes; /* over the group */
        uint64_t past;   /* those in which it passed barriers or waves ended, since it last changed memory */
        uint64_t next_mark, memory, waves;
        uint64_t seen, period;     /* the last pass with the saved state; passes between two of them */
        uint32_t looks;            /* hashes of memory since the mark */
        bool cycles;               /* the group repeats its state, so its barriers are not progress */
        struct watched at_barrier; /* step by step: its state when all live waves wait at a barrier */
    } laps;
    struct agreement agreement;
    struct copies_reached reached;
    uint64_t faulted; /* number of work-items that a finding stopped: no barrier waits for them */
};

struct group_pool {
    const struct code *code;
    struct memory_arena *arena;
    const struct wave_host *host;
    const struct observer *observer;
    struct group **groups; /* [0, busy) are in use */
    uint32_t count, busy, room;
};

void group_pool_init(struct group_pool *pool, const struct code *code, struct memory_arena *arena,
                     const struct wave_host *host, const struct observer *observer);
void group_pool_fini(struct group_pool *pool);

/* NULL: out of host or device memory. */
struct group *group_admit(struct launch *launch, uint64_t tile_number);
void group_retire(struct group *group);
/* Asserts, between time slices: the counts of waves agree with their states; each wave has lanes until it is
 * done; a waiting wave has a place at which it waits; split waves come after those of the tile. */
void group_check(const struct group *group);

/* Splits lanes off a waiting wave; the new wave waits, too. Returns its index; UINT32_MAX: out of memory. */
uint32_t group_split_waiting(struct group *group, uint32_t index, const lane_mask *lanes);

enum run_result group_run(struct group *group, uint32_t index, int64_t budget);
void group_settle(struct group *group);
void group_release_held(struct group *group); /* WAVE_HELD waves become ready */
/* Lanes that starve while others of their wave pass waits of sub-groups become waves. False: there are
 * none. */
bool group_release_starving(struct group *group);

static inline bool group_finished(const struct group *group)
{
    return group->alive_count == 0;
}

/* The site of the operation or branch that the wave reaches next; UINT32_MAX: it has no place in the
 * source. */
uint32_t group_wave_place(const struct wave *wave);
/* the same for the lanes that are parked at the block */
uint32_t group_wave_block_place(const struct wave *wave, uint32_t block);
uint32_t group_wave_first_lane(const struct wave *wave);
const struct wave *group_any_wave(const struct group *group); /* one that is not done; else the first */

#endif
