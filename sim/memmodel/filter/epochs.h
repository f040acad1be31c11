/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The loops over the lanes of a wave in which the epoch filter spends its time: find runs of lanes
 *          whose addresses follow each other, compare and set the epochs of runs, and list the offsets of
 *          lanes that form no runs.
 *
 * Interface
 *   epochs_find_runs    false: there are too many runs, or some active lane is outside of the allocation
 *   epochs_list_lanes   the offsets of active lanes, in ascending order of lanes. *out_bits: all offsets
 *                       or-ed. False: some active lane is outside of the allocation
 *   epochs_touch_runs   reads or writes. False: another unit's epoch conflicts, and any of the epochs may
 *                       have been set
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
enum { LANE_RUNS_MOST = WAVE_LANES_MAX / 8 };
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
 * their meaning. */
struct epoch_row {
    int32_t *readers, *writers;
    const int32_t *own; /* of each lane */
    const uint64_t *mask;
    uint32_t shift; /* bytes per granule: 1 << shift */
    int32_t first, low, high, many;
    int32_t loads; /* a writer's epoch that conflicts with no plain read: atomic loads */
};

bool epochs_find_runs(const struct lane_list *list, struct lane_runs *out);
bool epochs_list_lanes(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count,
                       uint32_t *out_bits);
bool epochs_touch_runs(const struct epoch_row *row, const struct lane_runs *runs, bool write);

#endif
