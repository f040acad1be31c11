/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The loops over the lanes of a wave in which the epoch filter spends its time, built once for each
 *          instruction set, with equal results: find runs of lanes whose addresses follow each other, compare
 *          and set the epochs of runs, and list the offsets of lanes that form no runs.
 *
 * Interface
 *   epoch_loops        for an instruction set: 0 any, 1 AVX2, 2 AVX-512. NULL: this machine does not have it
 *   epoch_loops_best   the widest that this machine has
 *
 * Runs     Lanes [lane, lane + count) access offset at, at + size, at + 2 * size, ... Inactive lanes may be
 *          among them if the active ones around them keep that rule; their granules' epochs are not changed.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_EPOCHS_H
#define ORRERY_SIM_MEMMODEL_FILTER_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

struct lane_run {
    uint32_t at;
    uint16_t lane, count;
};
enum { LANE_RUNS_MOST = WAVE_LANES_MAX / 8, EPOCH_LANES = 16 };
struct lane_runs {
    uint32_t count;
    struct lane_run run[LANE_RUNS_MOST];
};

/* Addresses of lanes that access `size` bytes each. Offsets count from low; the allocation has `room` bytes,
 * less than 4 GiB. */
struct lane_list {
    const uint64_t *address, *mask;
    uint32_t lanes, size;
    uint64_t low, room;
};

/* The epochs of an allocation, for an access of one granule a lane before any barrier; epoch_filter.c has
 * their meaning. Loops load and store whole vectors: all three arrays are EPOCH_LANES longer than what is
 * used. */
struct epoch_row {
    int32_t *readers, *writers;
    const int32_t *own;
    int32_t add; /* lane i has the epoch own[i] + add */
    const uint64_t *mask;
    uint32_t shift; /* bytes per granule: 1 << shift */
    int32_t first, low, high, many;
    int32_t loads; /* a writer's epoch that conflicts with no plain read: atomic loads */
};

struct epoch_loops {
    /* False: there are too many runs, or some active lane is outside of the allocation. */
    bool (*find)(const struct lane_list *list, struct lane_runs *out);
    /* False: another unit's epoch conflicts, and any of the epochs may have been set. */
    bool (*read)(const struct epoch_row *row, const struct lane_runs *runs);
    bool (*write)(const struct epoch_row *row, const struct lane_runs *runs);
    /* The offsets of active lanes, in ascending order of lanes. *out_bits: all offsets or-ed. False: some
     * active lane is outside of the allocation. */
    bool (*list)(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count, uint32_t *out_bits);
    /* The values of active lanes, in ascending order of lanes. list and pack may store up to EPOCH_LANES
     * elements past the last. */
    void (*pack)(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out);
};
const struct epoch_loops *epoch_loops(int isa);
const struct epoch_loops *epoch_loops_best(void);

#endif
