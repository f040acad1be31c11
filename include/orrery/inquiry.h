/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A debugger's queries to the race checker at a stop: how the accesses so far stand to an access
 *          that a work-item would make now, and which operations of others happen before it.
 *
 * Interface
 *   struct race_inquiry   the work-item and instruction that would access, and the bytes
 *   struct inquiry_past   an earlier access of these bytes: does it race with a read, or with a write, and
 *                         why; or by which edges does it happen before
 *   struct inquiry_row    work-items, and up to which operation what they did happens before; by which edge
 *   struct inquiry_actor  the unit of execution: a lane, or an asynchronous copy of its work-group
 *   struct inquiry_epoch  a unit and its clock value: one point in the happens-before order
 *   enum inquiry_answer   what else is to be reported
 *
 * The texts and arrays of a result are valid while the callback runs.
 */
#ifndef ORRERY_INQUIRY_H
#define ORRERY_INQUIRY_H

#include "orrery/observer.h"
#include "orrery/report.h"

struct race_inquiry {
    const struct origin *origin; /* of the wave; site: of the instruction as which the access counts */
    uint32_t lane_count, lane;
    uint64_t address;
    uint32_t size_bytes;
};

struct inquiry_actor {
    const struct origin *origin;
    uint32_t lane;
    uint32_t copy; /* as of an access_event */
};

struct inquiry_epoch {
    uint64_t unit, clock;
};

enum inquiry_answer {
    INQUIRY_ANSWERED,
    INQUIRY_UNCHECKED, /* the launch is not checked for races, or the checker ran out of memory */
    INQUIRY_UNWATCHED, /* the bytes are of no allocation that kernels share */
    INQUIRY_READ_ONLY, /* no instruction of the kernel writes there: reads are not kept one by one */
    INQUIRY_UNKNOWN    /* there were more synchronising operations than are kept */
};

/* An operation of a work-item. */
struct inquiry_end {
    struct item item;
    struct source_place place;
    const char *what; /* "barrier", "fence, memory_order_release" */
};

/* barrier: both ends are one barrier. */
struct inquiry_edge {
    struct inquiry_end from, to;
    bool barrier;
};

struct inquiry_past {
    struct finding_access access;
    bool own;        /* of the querying work-item */
    bool races[2];   /* with a read; with a write */
    const char *why; /* of a race: what does not order them */
    const char *fix; /* of a race, or NULL */
    uint32_t edge_count;
    const struct inquiry_edge *edges; /* of what happens before; none: the edge is not kept */
};

struct inquiry_row {
    struct item first, last; /* one after another in the launch's order of work-groups and local ids */
    uint64_t count;
    uint32_t regions;         /* REGION_*: the memory for which it holds */
    struct inquiry_end until; /* what they did before this operation */
    bool has_edge;
    struct inquiry_edge edge; /* the last one on the way, into the querying work-item */
};

struct inquiry_sink {
    void *self;
    void (*past)(void *self, const struct inquiry_past *past);
    void (*row)(void *self, const struct inquiry_row *row);
};

#endif
