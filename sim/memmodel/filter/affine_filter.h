/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fast path before the shadow. It keeps the plain accesses of whole waves whose addresses are
 *          affine in the work-item's position, as lines, and compares a new access with each line in constant
 *          time. When it cannot prove that a new access races with none of them, the caller replays the lines
 *          into the exact shadow, and then the access.
 *
 * Lines    One for each instruction and its steps: address = base + step . position + step[3] * iteration,
 *          for boxes of positions and iterations. Iterations are of a loop in which the address moves by a
 *          constant. Two boxes whose union is a box become one.
 * Proofs   Two lines cannot race if neither writes; or their byte ranges are disjoint; or their steps are
 *          equal and so wide that only one work-item touches any byte that both touch; or one work-group did
 *          both, and the older line happened before its last barrier of this memory.
 * Units    Addresses and steps in bytes; positions in work-items, without the global offset.
 *
 * Interface
 *   affine_filter_take     true: the access is recorded, and races with no recorded one. False: the caller
 *                          replays all lines into the shadow
 *   affine_filter_cursor_set, affine_filter_cursor_move   faster forms of it
 *   affine_filter_replay   visits every recorded access once, in no particular order
 *   affine_filter_sites    the instructions, by use
 *   affine_filter_collect  the bytes, for the launch's footprint
 *   affine_filter_forget   removes all lines, and keeps their memory
 *   affine_filter_fini
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_AFFINE_FILTER_H
#define ORRERY_SIM_MEMMODEL_FILTER_AFFINE_FILTER_H

#include "access_log.h"

/* axes: x, y, z of the global position without offset, and the iteration */
enum { AFFINE_FILTER_LINES = 24, AFFINE_FILTER_AXES = 4, AFFINE_FILTER_HINTS = 32 };

/* Positions and iterations [low, high) on each axis, all at one clock value. */
struct affine_filter_box {
    uint64_t low[AFFINE_FILTER_AXES], high[AFFINE_FILTER_AXES];
    uint64_t clock;
};

struct affine_filter_line {
    uint32_t site, size;
    bool write;
    uint32_t
        step_axes; /* a bit for each axis whose step is step_axes; on others all boxes have one position */
    uint64_t base;
    int64_t step[AFFINE_FILTER_AXES];
    uint64_t iterations;   /* of all boxes: [0, iterations) */
    uint64_t low, high;    /* the bytes touched lie within */
    uint64_t group, clock; /* the only work-group if one_group; the newest clock value */
    bool one_group;
    /* A bit for each line, this one too, that cannot race with it however far both grow along x, y, z. */
    uint32_t disjoint;
    struct affine_filter_box *boxes;
    uint32_t count, room;
};

struct affine_filter {
    struct affine_filter_line lines[AFFINE_FILTER_LINES];
    uint32_t count;
    uint8_t hint[AFFINE_FILTER_HINTS]; /* by site, modulo: 1 + index of its latest line */
    uint64_t serial;                   /* changes whenever the filter is forgotten */
    uint32_t writes;                   /* a bit for each line that writes */
    bool replayed; /* the lines are in the shadow: all accesses go there until the filter is forgotten */
};

/* Lanes of an event that are one box of positions. */
struct affine_filter_event {
    uint32_t site, size;
    bool write;
    uint64_t base; /* address at position low[] */
    int64_t step[3];
    uint32_t step_axes; /* as a line's */
    uint64_t low[3], high[3];
    uint64_t group, clock, region_base; /* the group's accesses below this clock value are before a barrier */
    bool one_group;
    const uint64_t *extent; /* the global size */
};

bool affine_filter_take(struct affine_filter *affine_filter, const struct affine_filter_event *event);

/* Where the latest read of a wave by an instruction is in the filter, so that the read of the next iteration
 * need only lengthen its box. Serial 0: nowhere. */
struct affine_filter_cursor {
    uint64_t serial; /* 1 + the filter's */
    uint32_t line, box;
    int64_t step[3];
    uint64_t base, iteration, low, high; /* of the latest event */
};
/* After affine_filter_take has taken the event. False: it has no place that can be hinted_line. */
bool affine_filter_cursor_set(const struct affine_filter *affine_filter,
                              const struct affine_filter_event *event, struct affine_filter_cursor *out);
/* The same event with another base. False: nothing has changed, and affine_filter_take decides. */
bool affine_filter_cursor_move(struct affine_filter *affine_filter, struct affine_filter_cursor *cursor,
                               uint64_t base);

void affine_filter_replay(const struct affine_filter *affine_filter, past_visitor *visit, void *self);
/* The greatest power of two, at most 4, that divides all offsets from low and all sizes. */
uint32_t affine_filter_grain(const struct affine_filter *affine_filter, uint64_t low);

void affine_filter_forget(struct affine_filter *affine_filter);
void affine_filter_fini(struct affine_filter *affine_filter);
void affine_filter_sites(const struct affine_filter *affine_filter,
                         struct footprint_sites sites[FOOTPRINT_USES]);
/* Offsets count from low. site NULL: by any instruction. */
void affine_filter_collect(const struct affine_filter *affine_filter, uint64_t low, enum footprint_use use,
                           const uint32_t *site, struct byte_set *bytes);
#endif
