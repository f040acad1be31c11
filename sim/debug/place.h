/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where work-items stand: waves that were seen, lanes, frames, and the variables of a frame.
 */
#ifndef ORRERY_DEBUG_PLACE_H
#define ORRERY_DEBUG_PLACE_H

#include "value.h"

enum place_lane_state { LANE_GONE, LANE_RUNS, LANE_READY, LANE_PARKED, LANE_BARRIER };
struct seen_wave {
    struct wave *wave;
    uint32_t line;        /* the latest that began; UINT32_MAX: none */
    uint64_t *iterations; /* iterations.c: of each of its code's loops; NULL: not counted */
};
struct frame {
    const char *function;
    const char *file;
    uint32_t line, column, call, scope, line_index;
};

struct item_id {
    uint32_t launch;
    uint64_t number;
}; /* number: 1 + global linear id; 0: none */
uint64_t place_item_number(const struct origin *origin, uint32_t lane);
bool place_find_item(const struct debugger *d, const struct item_id *id, struct wave **out_wave,
                     uint32_t *out_lane);
enum place_lane_state place_lane_state(const struct debugger *d, const struct wave *wave, uint32_t lane);
uint32_t place_lane_line(const struct debugger *d, const struct wave *wave,
                         uint32_t lane); /* UINT32_MAX: unknown */
/* Finds frame `level` of a lane; 0 is the innermost. False: the lane has fewer frames. */
bool place_find_frame(const struct view *view, uint32_t level, struct frame *out_frame);
bool place_view(struct debugger *d, struct wave *wave, uint32_t lane, uint32_t level, struct view *out_view);
const char *place_lane_state_name(enum place_lane_state state);
const char *place_code_file(const struct code *code, uint32_t string);
const struct code_variable *place_find_variable(const struct view *view, const char *name);
bool place_is_visible(const struct view *view, const struct code_variable *variable);
/* False: it has no address, or no value here. */
bool place_variable_value(const struct view *view, const struct code_variable *variable,
                          struct debug_value *out_value);
bool place_is_copy(const struct view *view, uint64_t address); /* the debugger's copy of a variable */

#endif
