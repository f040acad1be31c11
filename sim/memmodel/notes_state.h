/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How notes are written down: for notes.c and notes_thin.c, which leaves some out.
 */
#ifndef ORRERY_MEMMODEL_NOTES_STATE_H
#define ORRERY_MEMMODEL_NOTES_STATE_H

#include "lane_mask.h"
#include "notes.h"

enum note_shape { NOTE_CREW, NOTE_AFFINE, NOTE_RUNS, NOTE_LIST };

/* Behind it: of a crew its units, from the first, unless they stand in a row; of runs those; of a list its offsets. */
struct note {
    uint32_t bytes, site, size, row;
    uint8_t shape, kind, order, scope;
    bool in_a_row;
    uint32_t count;                  /* of a list, of runs */
    uint64_t tick, base;             /* of a crew: its first unit */
    int64_t step_x, step_y;
    uint64_t mask[LANE_MASK_WORDS];
};

struct crew_note { uint64_t first; const uint32_t *unit; };

static inline size_t note_list_bytes(uint32_t count) { return (count + 1) / 2 * 2 * sizeof(uint32_t); }

bool notes_thin(struct notes *notes); /* true: there are far fewer now. The latest crew's note stays */

#endif
