/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How notes are written down: for access_log.c, and for access_log_thin.c, which leaves some out.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_STATE_H
#define ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_STATE_H

#include "sim/memmodel/common/lane_mask.h"
#include "access_log.h"

enum note_shape { NOTE_WAVE_ITEMS, NOTE_AFFINE, NOTE_RUNS, NOTE_LIST };

/* After it: of a wave items its units, from the first, unless they stand in a row; of runs those; of a
 * list its offsets. */
struct note {
    uint32_t bytes, site, size, row;
    uint8_t shape, kind, order, scope;
    bool in_a_row;
    uint32_t count;       /* of a list, of runs */
    uint64_t clock, base; /* of a wave items: its first unit */
    int64_t step_x, step_y;
    uint64_t mask[LANE_MASK_WORDS];
};

struct wave_items_note {
    uint64_t first;
    const uint32_t *unit;
};

static inline size_t note_list_bytes(uint32_t count)
{
    return (count + 1) / 2 * 2 * sizeof(uint32_t);
}

/* true: there are far fewer now. The latest wave items's note stays */
bool access_log_thin(struct access_log *access_log);

#endif
