/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A running work-group (or a tile of merged ones): its local memory, its waves,
 *          and the events at which they stop: barriers, collectives, divergence.
 *
 * Interface
 *   group_pool_init, group_pool_fini   groups of one code, kept from launch to launch:
 *                                      frames and local memory are allocated once
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

/* WAVE_HELD: lanes that a lane of their own sub-group spins in front of: they continue when nothing else
 * can. */
enum wave_state { WAVE_READY, WAVE_WAITS, WAVE_DONE, WAVE_HELD };

/* Of schedule_circle.c, step by step: has it stood so before, while memory was the same? */
struct watched {
    uint64_t epoch, fingerprint; /* 1 + the epoch of memory; 0: not yet */
    uint32_t lap, left;          /* left 0: it has */
};

struct group_wave {
    struct wave *wave;
    enum wave_state state;
    /* of schedule_choose.c */
    uint32_t quiet; /* steps since it last changed memory or went past a barrier */
    uint64_t steps;
    int64_t priority; /* pct: the higher goes first */
    /* pct: quiet ones since its priority dropped; a replay, which drops none, goes by quiet alone */
    uint32_t kept_on;
    uint32_t barriers;  /* that it has reached */
    lane_mask reported; /* of barrier.c: whose wait a finding named as one elsewhere */
    /* of schedule_circle.c, which forgets it at barriers */
    struct watched watched;
    /* of schedule_script.c, in the script's step */
    uint32_t barriers_before, barriers_seen; /* when the step began, and when it was looked at last */
    uint64_t visits;
    uint64_t looked_at, left_at; /* place_of() where it was looked at last, and left by a step; 0: nowhere */
    uint32_t site_before;        /* 1 + site of the operation it stood before then, or waits at now */
    bool stopped;
};

struct group {
    /* kept from launch to launch */
    struct group_pool *pool;
    uint32_t place;           /* in pool->groups */
    struct group_wave *waves; /* first those cut from the tile, in lane order, then split ones */
    uint32_t *picked;         /* scratch of barrier.c, as many as waves */
    struct wave **stopped;
    uint32_t wave_room;
    /* of schedule_circle.c, per sub-group: after what all of it waited at; NULL: not looked at yet */
    struct watched *meetings;
    uint32_t meeting_count;
    uint32_t made;          /* waves of the first kind that exist already */
    struct region **locals; /* per code->local_objects */
    uint64_t *local_addresses;

    /* of this tile */
    struct launch *launch;
    struct tile tile;
    uint64_t number;
    uint32_t compute_unit;
    uint32_t base_count, wave_count;
    uint32_t ready_count, alive_count, held_count;
    uint64_t unpaid_ns; /* of the group's price, and the time slices that still share it */
    uint32_t payers;
    bool begun;   /* some wave of it has had a time slice */
    bool stepped; /* some wave of it has taken a step */
    bool fresh;   /* waves became ready that were not brought to their first operation yet */
    /* of schedule_circle.c: does it go round in a circle, past barriers? */
    struct {
        uint64_t passes, past; /* over it; those in which it went past barriers, or waves ended */
        uint64_t next_mark, memory, waves;
        uint64_t seen, period;  /* the pass that met the waves so at last; and the passes between two */
        uint32_t looks;         /* at memory, since the mark */
        bool circles;           /* so barriers are not progress */
        struct watched meeting; /* step by step: when all that is left waits */
    } laps;
    struct agreement agreement;
    struct copies_reached reached;
    uint64_t faulted; /* work-items that a finding stopped: no barrier waits for them */
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

/* NULL when host or device memory is short. */
struct group *group_admit(struct launch *launch, uint64_t tile_number);
void group_retire(struct group *group);
/* The counts of waves are those of their states; each has lanes until it is done, and a stop that it waits
 * at; split ones stand after those cut from the tile. Between time slices. */
void group_check(const struct group *group);

/* Lanes of a wave that waits become one that waits, too; its index, UINT32_MAX: no memory. */
uint32_t group_split_waiting(struct group *group, uint32_t index, const lane_mask *lanes);

enum run_result group_run(struct group *group, uint32_t index, int64_t budget);
void group_settle(struct group *group);
void group_free_held(struct group *group); /* they are ready */

static inline bool group_finished(const struct group *group)
{
    return group->alive_count == 0;
}

/* The place of a wave, for findings: the operation or the branch that it reaches next, UINT32_MAX if that has
 * no place in the source; and its first lane. */
uint32_t wave_place(const struct wave *wave);
/* the same of the lanes that are parked there */
uint32_t wave_block_place(const struct wave *wave, uint32_t block);
uint32_t wave_first_lane(const struct wave *wave);
const struct wave *group_any_wave(const struct group *group); /* that is not done; else the first */

#endif
