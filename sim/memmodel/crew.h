/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The lanes of a wave as work-items: where they stand in the launch, and their plain accesses as lines of a journal.
 *
 * Interface
 *   crew_place       who they are, from the origin of what they do
 *   crew_spans       is the crew the whole of such a wave still?
 *   crew_lines       an access of theirs as boxes of positions: how many; 0: it is none, or of too many
 */
#ifndef ORRERY_MEMMODEL_CREW_H
#define ORRERY_MEMMODEL_CREW_H

#include "journal.h"
#include "lane_mask.h"
#include "orrery/observer.h"

/* The lanes of a wave as units. */
struct crew {
    const struct launch_info *launch;
    uint64_t wave;                    /* as in struct origin */
    uint64_t tile_origin[3];
    uint32_t tile_size[3], first_lane, lane_count;
    uint64_t unit[WAVE_LANES_MAX];
    uint64_t group; bool one_group;
    uint64_t first_member;            /* lane 0, of its group */
    uint64_t serial;                  /* counts crews */
    bool known;                       /* unit[] is filled in */
    bool in_a_row; uint64_t first_unit; /* units ascend by one */
    bool in_rows; uint32_t row;       /* lanes are one row, or whole rows of one plane, of so many */
    uint64_t low[3], high[3];         /* positions of all of them, if so */
};

void crew_place(struct crew *crew, const struct origin *origin, uint32_t lane_count);

/* A launch has one tile at each origin. */
static inline bool crew_spans(const struct crew *crew, const struct origin *origin, uint32_t lane_count)
{
    if (origin->wave && origin->wave == crew->wave)
        return crew->launch == origin->launch;
    return crew->launch == origin->launch &&
           !((crew->tile_origin[0] ^ origin->tile_origin[0]) | (crew->tile_origin[1] ^ origin->tile_origin[1]) |
             (crew->tile_origin[2] ^ origin->tile_origin[2]) | (crew->first_lane ^ origin->first_lane) | (crew->lane_count ^ lane_count));
}

enum { CREW_LINES_MOST = 8 };
/* What they have in common is in the first already: site, size, kind, who and when. */
uint32_t crew_lines(const struct crew *crew, const struct access_event *event, struct journal_event lines[CREW_LINES_MOST]);

#endif
