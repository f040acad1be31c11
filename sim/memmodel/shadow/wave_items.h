/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The lanes of a wave as work-items: their positions in the launch, and their plain accesses as
 *          lines of an affine filter.
 *
 * Interface
 *   wave_items_place       their units, from the origin of the event
 *   wave_items_spans       are the wave items the whole of such a wave still?
 *   wave_items_lines       an access of theirs as boxes of positions: how many; 0: it is none, or of too many
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_WAVE_ITEMS_H
#define ORRERY_SIM_MEMMODEL_SHADOW_WAVE_ITEMS_H

#include "sim/memmodel/filter/affine_filter.h"
#include "sim/memmodel/common/lane_mask.h"
#include "orrery/observer.h"

/* The lanes of a wave as units. */
struct wave_items {
    const struct launch_info *launch;
    uint64_t wave; /* as in struct origin */
    uint64_t tile_origin[3];
    uint32_t tile_size[3], first_lane, lane_count;
    uint64_t unit[WAVE_LANES_MAX];
    uint64_t group;
    bool one_group;
    uint64_t first_member; /* lane 0, of its group */
    uint64_t serial;       /* counts sets of wave items */
    bool known;            /* unit[] is filled in */
    bool in_a_row;
    uint64_t first_unit; /* units ascend by one */
    bool in_rows;
    uint32_t row;             /* lanes are one row, or whole rows of one plane, of so many */
    uint64_t low[3], high[3]; /* positions of all of them, if so */
};

void wave_items_place(struct wave_items *wave_items, const struct origin *origin, uint32_t lane_count);

/* A launch has one tile at each origin. */
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
/* Their common part is in the first already: site, size, kind, unit and time. */
uint32_t wave_items_lines(const struct wave_items *wave_items, const struct access_event *event,
                          struct affine_filter_event lines[WAVE_ITEMS_LINES_MOST]);

#endif
