/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The loops over lanes that the sieve lives by, once per instruction set, with the same results: runs of lanes that
 *          follow each other in memory, their stamps, and where the lanes act that make no runs.
 *
 * Interface
 *   stamp_loops        for an instruction set: 0 any, 1 AVX2, 2 AVX-512; NULL: not on this machine
 *   stamp_loops_best   the widest
 *
 * Runs     Lanes [lane, lane + count) act at offset at, at + size, ... Lanes that the mask leaves out may be among them, where
 *          they fit; their stamps stay.
 */
#ifndef ORRERY_MEMMODEL_STAMPS_H
#define ORRERY_MEMMODEL_STAMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

struct lane_run { uint32_t at; uint16_t lane, count; };
enum { LANE_RUNS_MOST = WAVE_LANES_MAX / 8, STAMP_LANES = 16 };
struct lane_runs { uint32_t count; struct lane_run run[LANE_RUNS_MOST]; };

/* Addresses of lanes that act on `size` bytes each, counted from low; `room`: below 4 GiB, bytes from there. */
struct lane_list { const uint64_t *address, *mask; uint32_t lanes, size; uint64_t low, room; };

/* Of granules, one to each lane; what they mean: sieve.c. No barrier settles anything. All three arrays are STAMP_LANES longer
 * than what is asked for. */
struct stamp_row {
    int32_t *readers, *writers;
    const int32_t *own; int32_t add; /* lane i has the stamp own[i] + add */
    const uint64_t *mask;
    uint32_t shift;                  /* bytes per granule: 1 << shift */
    int32_t first, low, high, many;
    int32_t loads;                   /* among writers, one that is in nobody's way who reads */
};

struct stamp_loops {
    /* False: there are too many of them, or some active lane is not within the room. */
    bool (*find)(const struct lane_list *list, struct lane_runs *out);
    /* False: somebody else's stamp is in the way; then stamps of several runs may be new or old. */
    bool (*read)(const struct stamp_row *row, const struct lane_runs *runs);
    bool (*write)(const struct stamp_row *row, const struct lane_runs *runs);
    /* The offsets of active lanes, one behind the other; false: some active lane is not within the room. bits: of all offsets. */
    bool (*list)(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count, uint32_t *out_bits);
    /* The values of active lanes, one behind the other. Of both, STAMP_LANES behind the last may change. */
    void (*pack)(const int32_t *values, const uint64_t *mask, uint32_t lanes, int32_t *out);
};
const struct stamp_loops *stamp_loops(int isa);
const struct stamp_loops *stamp_loops_best(void);

#endif
