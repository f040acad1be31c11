/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The lanes of a wave as work-items: their positions in the launch, and their plain accesses as
 *          boxes of positions for the affine filter.
 *
 * Interface
 *   wave_items_place       sets what follows from the event's origin: all but units and groups
 *   wave_items_spans       is the event of the same wave as the one placed last?
 *   wave_items_lines       an access of the wave as boxes of positions. Returns how many; 0: lanes are no
 *                          rows, or they would be more than WAVE_ITEMS_LINES_MOST
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_WAVE_ITEMS_H
#define ORRERY_SIM_MEMMODEL_SHADOW_WAVE_ITEMS_H

#include "sim/memmodel/filter/affine_filter.h"
#include "sim/memmodel/common/lane_mask.h"
#include "orrery/observer.h"

/* The wave whose event is being processed. */
struct wave_items {
    const struct launch_info *launch;
    uint64_t wave; /* as in struct origin */
    uint64_t tile_origin[3];
    uint32_t tile_size[3], first_lane, lane_count;
    uint64_t unit[WAVE_LANES_MAX];
    uint64_t group;
    bool one_group;
    uint64_t first_member; /* lane 0's number in its group */
    uint64_t serial;       /* changes with each new wave; from 1 */
    bool has_units;        /* unit[] is filled in */
    bool in_a_row;         /* units ascend by one from first_unit */
    uint64_t first_unit;
    bool in_rows;             /* lanes are a part of one row, or whole rows of one plane */
    uint32_t row;             /* lanes in a row */
    uint64_t low[3], high[3]; /* if in_rows: the positions of all lanes, [low, high) */
};

void wave_items_place(struct wave_items *wave_items, const struct origin *origin, uint32_t lane_count);

/* A wave's number says which it is; without one its origin does, since a launch has one tile at each
 * origin. */
static inline bool wave_items_spans(const struct wave_items *wave_items, const struct origin *origin,
                                    uint32_t lane_count)
{
    if (origin->wave && origin->wave == wave_items->wave)
        return wave_items->launch == origin->launch;
    return wave_items->launch == origin->launch &&
           !((wave_items->tile_origin[0] ^ origin->tile_origin[0]) |
             (wave_items->tile_origin[1] ^ origin->tile_origin[1]) |
             (wave_items->tile_origin[2] ^ origin->tile_origin[2]) |
             (wave_items->first_lane ^ origin->first_lane) | (wave_items->lane_count ^ lane_count));
}

enum { WAVE_ITEMS_LINES_MOST = 8 };
/* The caller has set the fields of lines[0] that all share: site, size, write, extent, group, clock. */
uint32_t wave_items_lines(const struct wave_items *wave_items, const struct access_event *event,
                          struct affine_filter_event lines[WAVE_ITEMS_LINES_MOST]);

#endif
