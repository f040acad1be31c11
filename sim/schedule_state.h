/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A launch being scheduled: what schedule.c and schedule_*.c share.
 *
 * Interface
 *   schedule.c           who is resident, limits, passes; turns
 *   schedule_choose.c    step by step
 */
#ifndef ORRERY_SIM_SCHEDULE_STATE_H
#define ORRERY_SIM_SCHEDULE_STATE_H

#include "clock.h"
#include "group.h"
#include "orrery/schedule.h"
#include "rng.h"
#include "schedule.h"

/* A wave of the launch, resident or not.  Only where waves are work-items, so that it has one for ever. */
struct unit { uint64_t tile; uint32_t wave; };
#define UNIT_NONE ((struct unit){UINT64_MAX, UINT32_MAX})

/* What was chosen: a ready wave of a resident group. */
struct pick { struct group *group; uint32_t index; };

struct chooser {
    struct group *group;     /* of the latest step; NULL when it has retired, or before the first step */
    uint32_t index;
    struct unit last;
    uint64_t last_steps;     /* steps that last has taken */
    uint64_t steps;          /* of the launch */
    uint64_t epoch;          /* how often memory that others see has changed */
    uint32_t held;           /* steps that random still gives to last */
    struct schedule_candidate *candidates;
    uint32_t candidate_room;
};

struct schedule {
    struct launch *launch;
    const struct schedule_config *config;
    struct diagnosis *diagnosis;
    struct deadline deadline;
    struct rng waves;
    /* which tile is next */
    uint64_t next, total;
    uint64_t stride, start; /* random: tile (start + i * stride) mod total */
    /* who is resident, in order of admission */
    struct group **resident;
    uint32_t count, target, room;
    uint64_t idle_turns; /* since a wave last ended, waited or went on */
    uint32_t patience;   /* idle turns per ready wave until one more group is let in */
    struct chooser chooser;
    enum status status;
};

bool schedule_chooses(const struct schedule_config *config);
void schedule_turn(struct schedule *schedule, struct group *group, uint32_t index, int64_t budget, enum run_result *out_result);
bool schedule_running(const struct schedule *schedule, const struct group *group);

/* One step of the launch. */
void choose_step(struct schedule *schedule);
void choose_retired(struct schedule *schedule, const struct group *group);
void choose_fini(struct schedule *schedule);

#endif
