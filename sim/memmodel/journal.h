/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The fast path before the shadow: whole waves of plain accesses whose addresses are affine in the work-item's
 *          position are kept as one line of a journal and judged against the few other lines in constant time. What
 *          that cannot decide goes, with all that stands in the journal, into the shadow, which is exact.
 *
 * Lines    One per instruction and steps: address = base + step . position + step[3] * turn, for boxes of positions and
 *          ranges of turns (a loop in which the address moves on evenly). Boxes that continue each other become one.
 * Decided  No write among the two; bytes apart; equal steps so wide that each work-item stays among its own bytes; one
 *          work-group, and the older line from before its last barrier of this memory.
 *
 * Interface
 *   journal_take     true: the event is dealt with, and nothing races
 *   journal_replay   every access, once each
 *   journal_sites    the instructions, by use
 *   journal_collect  the bytes, for the launch's footprint
 *   journal_forget, journal_fini
 */
#ifndef ORRERY_MEMMODEL_JOURNAL_H
#define ORRERY_MEMMODEL_JOURNAL_H

#include "notes.h"

enum { JOURNAL_LINES = 24, JOURNAL_AXES = 4, JOURNAL_HINTS = 32 }; /* x, y, z of the global position without offset; turns */

struct journal_box {
    uint64_t low[JOURNAL_AXES], high[JOURNAL_AXES];
    uint64_t tick;
};

struct journal_line {
    uint32_t site, size;
    bool write;
    uint32_t known;                 /* axes whose step is known; others have one position only */
    uint64_t base;
    int64_t step[JOURNAL_AXES];
    uint64_t turns;
    uint64_t low, high;             /* bytes touched lie within */
    uint64_t group, tick;           /* the only work-group that did this; the newest tick */
    bool one_group;
    uint32_t agrees;                /* lines that leave it its bytes, wherever both grow along x, y, z; itself among them */
    struct journal_box *boxes; uint32_t count, room;
};

struct journal {
    struct journal_line lines[JOURNAL_LINES];
    uint32_t count;
    uint8_t hint[JOURNAL_HINTS];    /* by site: 1 + index of its latest line */
    uint64_t serial;                /* another whenever it is forgotten */
    uint32_t writes;                /* a bit for each line that does */
    bool has_write;
    bool spilt;                     /* until it is forgotten, everything goes to the shadow */
};

/* The lanes of an event as one box. */
struct journal_event {
    uint32_t site, size;
    bool write;
    uint64_t base;                  /* address at position low[] */
    int64_t step[3];
    uint32_t known;
    uint64_t low[3], high[3];
    uint64_t group, tick, region_base; /* the work-group's base in this memory */
    bool one_group;
    const uint64_t *extent;         /* global size */
};

bool journal_take(struct journal *journal, const struct journal_event *event);
void journal_event_range(const struct journal_event *event, uint64_t *out_low, uint64_t *out_high); /* the bytes that it touches */

/* A wave that is one row along x, and begins where the latest one of its instruction ended, there and in memory: true, and it is taken; else
 * nothing has changed. */
struct journal_row { uint32_t site, size, lanes; bool write, one_group; uint64_t base; int64_t step; const uint64_t *low; uint64_t group, tick; };
bool journal_continue(struct journal *journal, const struct journal_row *row);

/* A wave that reads on and on by one instruction: where it stands in the journal. Serial 0: nowhere. */
struct journal_cursor {
    uint64_t serial;                /* the journal's */
    uint32_t line, box;
    int64_t step[3];
    uint64_t base, turn, low, high; /* of the latest event */
};
bool journal_stand(const struct journal *journal, const struct journal_event *event, struct journal_cursor *out); /* after taking it */
bool journal_move(struct journal *journal, struct journal_cursor *cursor, uint64_t base); /* the same from another base; false: take it */

void journal_replay(const struct journal *journal, past_visitor *visit, void *self);
void journal_replay_box(const struct journal_line *line, const struct journal_box *box, past_visitor *visit, void *self);
/* A power of two that divides all addresses, from low, and sizes. */
uint32_t journal_grain(const struct journal *journal, uint64_t low);

void journal_forget(struct journal *journal);
void journal_fini(struct journal *journal);
void journal_sites(const struct journal *journal, struct footprint_sites sites[FOOTPRINT_USES]);
/* site NULL: by whichever instruction. */
void journal_collect(const struct journal *journal, uint64_t low, enum footprint_use use, const uint32_t *site, struct byte_set *bytes);
void journal_lines_collect(const struct journal_line *lines, uint32_t count, uint64_t low, enum footprint_use use, const uint32_t *site, struct byte_set *bytes);

#endif
