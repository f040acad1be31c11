/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The loops over lanes that the epoch filter lives by, once per instruction set, with the same
 *          results: runs of lanes that follow each other in memory, their epochs, and where the lanes act
 *          that make no runs.
 *
 * Interface
 *   epoch_loops        for an instruction set: 0 any, 1 AVX2, 2 AVX-512; NULL: not on this machine
 *   epoch_loops_best   the widest
 *
 * Runs     Lanes [lane, lane + count) act at offset at, at + size, ... Lanes that the mask leaves out may be
 *          among them, where they fit; their epochs stay.
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

/* Addresses of lanes that act on `size` bytes each, counted from low; `room`: below 4 GiB, bytes from
 * there. */
struct lane_list {
    const uint64_t *address, *mask;
    uint32_t lanes, size;
    uint64_t low, room;
};

/* Of granules, one to each lane; their meaning: epoch_filter.c. No barrier settles anything. All three arrays
 * are EPOCH_LANES longer than the lanes used. */
struct epoch_row {
    int32_t *readers, *writers;
    const int32_t *own;
    int32_t add; /* lane i has the epoch own[i] + add */
    const uint64_t *mask;
    uint32_t shift; /* bytes per granule: 1 << shift */
    int32_t first, low, high, many;
    int32_t loads; /* among writers, one that conflicts with no reader */
};

struct epoch_loops {
    /* False: there are too many of them, or some active lane is not within the room. */
    bool (*find)(const struct lane_list *list, struct lane_runs *out);
    /* False: another unit's epoch conflicts; then epochs of several runs may be new or old. */
    bool (*read)(const struct epoch_row *row, const struct lane_runs *runs);
    bool (*write)(const struct epoch_row *row, const struct lane_runs *runs);
    /* The offsets of active lanes, one after the other; false: some active lane is not within the room.
     * bits: of all offsets. */
    bool (*list)(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count, uint32_t *out_bits);
    /* The values of active lanes, one after the other. Of both, EPOCH_LANES after the last may change. */
    void (*pack)(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out);
};
const struct epoch_loops *epoch_loops(int isa);
const struct epoch_loops *epoch_loops_best(void);

#endif
