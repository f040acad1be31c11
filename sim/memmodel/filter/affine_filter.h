/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fast path before the shadow: whole waves of plain accesses whose addresses are affine in the
 *          work-item's position are kept as one line of an affine filter and judged against the few other
 *          lines in constant time. If it cannot decide, the access goes into the exact shadow with all that
 *          the affine filter holds.
 *
 * Lines    One per instruction and steps: address = base + step . position + step[3] * iteration, for boxes
 *          of positions and ranges of iterations (a loop in which the address moves on evenly). Boxes that
 *          continue each other become one.
 * Decided  No write among the two; bytes apart; equal steps so wide that each work-item stays among its own
 *          bytes; one work-group, and the older line from before its last barrier of this memory.
 *
 * Interface
 *   affine_filter_take     true: the event is dealt with, and nothing races
 *   affine_filter_replay   every access, once each
 *   affine_filter_sites    the instructions, by use
 *   affine_filter_collect  the bytes, for the launch's footprint
 *   affine_filter_forget, affine_filter_fini
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_AFFINE_FILTER_H
#define ORRERY_SIM_MEMMODEL_FILTER_AFFINE_FILTER_H

#include "access_log.h"

/* x, y, z of the global position without offset; iterations */
enum { AFFINE_FILTER_LINES = 24, AFFINE_FILTER_AXES = 4, AFFINE_FILTER_HINTS = 32 };

struct affine_filter_box {
    uint64_t low[AFFINE_FILTER_AXES], high[AFFINE_FILTER_AXES];
    uint64_t clock;
};

struct affine_filter_line {
    uint32_t site, size;
    bool write;
    uint32_t known; /* axes whose step is known; the lines have one position on others */
    uint64_t base;
    int64_t step[AFFINE_FILTER_AXES];
    uint64_t iterations;
    uint64_t low, high;    /* bytes touched lie within */
    uint64_t group, clock; /* the only work-group that did this; the newest clock value */
    bool one_group;
    /* lines that leave it its bytes, wherever both grow along x, y, z; itself among them */
    uint32_t agrees;
    struct affine_filter_box *boxes;
    uint32_t count, room;
};

struct affine_filter {
    struct affine_filter_line lines[AFFINE_FILTER_LINES];
    uint32_t count;
    uint8_t hint[AFFINE_FILTER_HINTS]; /* by site: 1 + index of its latest line */
    uint64_t serial;                   /* another whenever it is forgotten */
    uint32_t writes;                   /* a bit for each line that does */
    bool has_write;
    bool spilt; /* until it is forgotten, everything goes to the shadow */
};

/* The lanes of an event as one box. */
struct affine_filter_event {
    uint32_t site, size;
    bool write;
    uint64_t base; /* address at position low[] */
    int64_t step[3];
    uint32_t known;
    uint64_t low[3], high[3];
    uint64_t group, clock, region_base; /* the work-group's base in this memory */
    bool one_group;
    const uint64_t *extent; /* global size */
};

bool affine_filter_take(struct affine_filter *affine_filter, const struct affine_filter_event *event);
/* the bytes that it touches */
void affine_filter_event_range(const struct affine_filter_event *event, uint64_t *out_low,
                               uint64_t *out_high);

/* A wave that is one row along x, and begins where the latest one of its instruction ended, there and in
 * memory: true, and it is taken; else nothing has changed. */
struct affine_filter_row {
    uint32_t site, size, lanes;
    bool write, one_group;
    uint64_t base;
    int64_t step;
    const uint64_t *low;
    uint64_t group, clock;
};
bool affine_filter_continue(struct affine_filter *affine_filter, const struct affine_filter_row *row);

/* A wave that reads on and on by one instruction: where it stands in the affine filter. Serial 0: nowhere. */
struct affine_filter_cursor {
    uint64_t serial; /* the affine filter's */
    uint32_t line, box;
    int64_t step[3];
    uint64_t base, iteration, low, high; /* of the latest event */
};
/* after taking it */
bool affine_filter_stand(const struct affine_filter *affine_filter, const struct affine_filter_event *event,
                         struct affine_filter_cursor *out);
/* the same from another base; false: take it */
bool affine_filter_move(struct affine_filter *affine_filter, struct affine_filter_cursor *cursor,
                        uint64_t base);

void affine_filter_replay(const struct affine_filter *affine_filter, past_visitor *visit, void *self);
/* A power of two that divides all addresses, from low, and sizes. */
uint32_t affine_filter_grain(const struct affine_filter *affine_filter, uint64_t low);

void affine_filter_forget(struct affine_filter *affine_filter);
void affine_filter_fini(struct affine_filter *affine_filter);
void affine_filter_sites(const struct affine_filter *affine_filter,
                         struct footprint_sites sites[FOOTPRINT_USES]);
/* site NULL: by whichever instruction. */
void affine_filter_collect(const struct affine_filter *affine_filter, uint64_t low, enum footprint_use use,
                           const uint32_t *site, struct byte_set *bytes);
#endif
