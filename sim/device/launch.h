/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One NDRange: how it is divided into tiles and waves, and the state that its work-groups share
 *          while it runs.
 *
 * Tiles    A tile is one work-group, or, when the kernel cannot distinguish them, as many neighbouring
 *          ones as fill a wave: along dimension 0, then whole rows along 1, then planes along 2. A tile is
 *          divided into waves. Tiles are numbered 0 .. tile_total - 1, dimension 0 fastest; no data is kept
 *          for each tile.
 *
 * Interface
 *   tiling_init, tiling_tile   pure arithmetic, safe for every size that fits uint64_t
 *   struct launch              filled by device.c, read by schedule.c, group.c, fault.c
 */
#ifndef ORRERY_SIM_DEVICE_LAUNCH_H
#define ORRERY_SIM_DEVICE_LAUNCH_H

#include "sim/base/clock.h"
#include "sim/interp/interp.h"
#include "memory_arena.h"
#include "orrery/device.h"
#include "sim/base/rng.h"

struct code_place;
struct fence_place;
struct finding_access;
struct code_order;
struct code_change;
struct code_rewrite;
struct code_edit;

struct tiling {
    uint64_t global_size[3], local_size[3], group_count[3];
    uint64_t tile_step[3]; /* work-items per full tile */
    uint64_t tile_count[3];
    uint64_t tile_total; /* saturates: a launch of so many tiles never ends */
    uint32_t wave_lanes; /* lanes of every wave of a tile but the last */
    uint32_t sub_group_size;
    bool merged;
};

struct tiling_request {
    uint64_t global_size[3], local_size[3];
    uint32_t sub_group_size;
    uint32_t wave_lanes_max; /* 1: every work-item is scheduled alone */
    bool may_merge;
};
void tiling_init(struct tiling *tiling, const struct tiling_request *request);

struct tile {
    uint64_t origin[3];
    uint32_t size[3];
    uint32_t lane_count;
    uint64_t group_id[3]; /* the first group's */
    uint64_t groups[3];   /* how many the tile has */
};
void tiling_tile(const struct tiling *tiling, uint64_t number, struct tile *out_tile);
uint32_t tiling_wave_count(const struct tiling *tiling, const struct tile *tile);

struct group;
struct pages;
struct argument_parts;
struct group_pool;

struct launch {
    /* set before the launch runs */
    struct launch_info info;
    struct tiling tiling;
    const struct code *code;
    const struct kernel_info *kernel;
    const struct launch_arg *arg_values; /* as the host passed them, for findings */
    const uint8_t *args;                 /* in the layout of a frame */
    const uint64_t *local_bytes;         /* one for each of code->local_objects */
    const struct schedule_config *schedule;
    const struct device_config *config;   /* of the root device */
    const struct schedule_launch *replay; /* the steps to repeat; NULL: none */
    bool lenient;                         /* steps of the replay that do not fit are skipped */
    struct schedule_record *record;       /* steps are recorded in launches[record_at]; NULL: not recorded */
    size_t record_at;
    bool forked;         /* a time slice was chosen by hand: no token repeats the launch */
    const uint8_t *stop; /* as in struct launch_request */
    const uint64_t *reported;
    size_t reported_count; /* likewise */
    bool has_atomics;
    bool zero_local;               /* local memory begins as zeros, and counts as initialised */
    bool same_local;               /* every work-group begins with the same local memory */
    bool apart;                    /* groups share no wave: an observer needs the compute unit of each */
    uint64_t began;                /* simulated time */
    struct launch_node *node;      /* in the launch tree; NULL: enqueues no kernel and is enqueued by none */
    const uint32_t *compute_units; /* NULL: compute_unit_count from config->first_unit on */
    uint32_t compute_unit_count;
    struct profile_kernel *profiled; /* counts its instructions; NULL: not counted */
    const struct pages *pages;       /* records the first touch of pages; NULL: not recorded */
    struct {
        uint64_t address, bytes;
    } largest; /* the largest buffer among the arguments; bytes 0: none */
    struct memory_arena *arena;
    struct group_pool *pool;
    const struct observer *observer;      /* NULL: no observer */
    const struct observer *wave_observer; /* the observer that its waves call; NULL: none */
    struct argument_parts *parts;         /* of arguments that are sub-buffers; NULL: no argument is */
    struct report *report;

    /* changes while the launch runs */
    struct group *running; /* the group of the running wave: faults are counted there */
    uint64_t steps;        /* loop iterations in the time slices that are over */
    /* work (interp/cost.h) in the time slices that are over; of the running wave before its slice */
    uint64_t work, slice_work;
    uint64_t clock_reads;
    struct fault_repeats *repeats;       /* counts repeated faults; NULL: no fault was reported */
    struct rng spurious;                 /* which weak compare-exchanges fail that would succeed */
    uint64_t waves;                      /* number of waves started so far */
    uint64_t group_ns;                   /* simulated time charged for groups so far */
    uint64_t printed_bytes, not_printed; /* bytes in the printf buffer; calls that did not fit */
    /* calls of enqueue_kernel and enqueue_marker that returned an error; of the first, why and where */
    struct {
        uint64_t count;
        const char *why;
        uint32_t site;
    } refused;
    bool print_closed; /* a call did not fit, so later ones are dropped, too */
    bool exhausted;    /* out of memory for printf or for operands of collectives */
    bool contended;    /* some wave spun while lanes of it were parked */
    /* parked lanes of a spinning wave's own sub-group continue at once, without a progress finding */
    bool splits_freely;
};

/* Simulated time: when the launch began, plus its cost since then. */
uint64_t launch_time(const struct launch *launch);
/* The same, within the time slice of the wave. */
uint64_t launch_time_within(const struct launch *launch, const struct wave *wave);

/* The place of a site of the launch's code. Callers outside the launch use program_site(). */
void launch_place(const struct launch *launch, uint32_t site, struct source_place *out_place);
/* Fills in place and kind, but not the unit. */
void launch_access(const struct launch *launch, uint32_t site, struct finding_access *out_access);
const struct site *launch_site(const struct launch *launch, uint32_t site);
/* Queries about the code: as the members of struct code_host of these names. */
bool launch_between(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place);
bool launch_order(const struct launch *launch, uint32_t a, uint32_t b, struct code_order *out_order);
uint32_t launch_opencl_c(const struct launch *launch); /* as interp_opencl_c */
bool launch_precedes(const struct launch *launch, uint32_t a, uint32_t b);
bool launch_decides(const struct launch *launch, uint32_t a, uint32_t b);
bool launch_spins_on(const struct launch *launch, uint32_t a, uint32_t b);
bool launch_update(const struct launch *launch, uint32_t site, uint32_t *out_load, uint32_t *out_store);
bool launch_rewrite(const struct launch *launch, uint32_t load, uint32_t store, bool local, bool one_group,
                    struct code_rewrite *out_rewrite);
/* enum code_builds */
int launch_builds(const struct launch *launch, uint32_t site, const struct code_edit *edits, uint32_t count);
bool launch_other_buffer(const struct launch *launch, uint32_t first, uint32_t later, char *out_name,
                         size_t size);
bool launch_change(const struct launch *launch, const struct code_change *change,
                   struct code_rewrite *rewrite);
bool launch_uniform(const struct launch *launch, uint32_t site);
bool launch_same_for_all(const struct launch *launch, uint32_t site);
bool launch_even(const struct launch *launch, uint32_t site);
bool launch_beside(const struct launch *launch, uint32_t operation, uint32_t access, bool past,
                   struct fence_place *out_place);
bool launch_collective(const struct launch *launch, uint32_t a, uint32_t b, uint32_t *out_site);
bool launch_each_iteration(const struct launch *launch, uint32_t a, uint32_t b,
                           struct code_place *out_places);
bool launch_last_iteration(const struct launch *launch, uint32_t a, const struct code_place *place,
                           uint32_t b);
bool launch_next_iteration(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place);
bool launch_in_iteration(const struct launch *launch, uint32_t a, uint32_t b, uint32_t since,
                         struct code_place *out_place);

#endif
