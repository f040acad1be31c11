/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Accesses of whole waves to one allocation, noted down in the order of time: to be done again, one by one, in the
 *          exact shadow, should anybody come who may race with them.
 *
 * Interface
 *   notes_places     where active lanes act, if they are listed; false: not all of it, or of whole rows, lies within the allocation
 *   notes_add        false: no room within the budget
 *   notes_replay     each access once
 *   notes_grain      a power of two that divides all offsets and sizes
 *   notes_collect    the bytes, for the launch's footprint
 *   notes_forget, notes_fini
 *
 * Memory   160 bytes a wave, 8 for each run of lanes, and 4 for each lane whose address follows no rule: as many as the
 *          allocation has, and what there is to spare. Offsets count from `low`.
 */
#ifndef ORRERY_MEMMODEL_NOTES_H
#define ORRERY_MEMMODEL_NOTES_H

#include "footprint.h"
#include "stamps.h"

/* One access of one unit, as it comes out of journal and notes. */
struct past_access {
    uint64_t unit, position[3], address, tick;
    uint32_t site, size;
    enum access_kind kind;
    enum memory_order order; enum memory_scope scope; /* of atomics, the scope as it counts */
    bool by_position;                /* else by unit */
};
typedef void past_visitor(void *self, const struct past_access *access);

/* Bytes that all allocations of a checker may take together, beyond what each may by its size. */
struct spare { uint64_t used, most; };

struct notes {
    uint64_t low, size;              /* the allocation */
    const struct stamp_loops *loops;
    struct spare *spare;             /* borrowed */
    uint8_t *bytes; size_t used, room;
    size_t grained; uint64_t grains; /* bits of the offsets and sizes in so many of these bytes */
    uint64_t crew;                   /* whom the latest notes speak of; 0: nobody */
    struct footprint_sites sites[FOOTPRINT_USES];
    uint64_t group_items;            /* set by who notes: of the largest work-group, where none learns what another did; 0: some may */
    bool thinned;                    /* reads were left out that others stand for (notes_thin.c) */
};

/* The lanes of a wave. */
struct wave_crew {
    uint64_t serial;                 /* another for each, from 1 */
    uint32_t lanes;
    bool in_a_row;                   /* units ascend by one */
    uint64_t first_unit;
    const uint64_t *unit;            /* of each lane, unless they are in a row */
    bool one_group;
    uint64_t group, base;            /* its base in this memory; 1: no barrier yet. Local memory: 0, 1 */
    uint64_t unit_low;               /* its first unit */
};

/* Of active lanes, when they are listed: in runs, or if there are none one by one. bits: all those of the offsets. */
struct places { struct lane_runs runs; uint32_t count, bits, at[WAVE_LANES_MAX + STAMP_LANES]; };

bool notes_places(const struct notes *notes, const struct access_event *event, struct places *out);
bool notes_add(struct notes *notes, const struct access_event *event, const struct places *listed, const struct wave_crew *crew,
               uint64_t tick, enum memory_scope scope);
void notes_replay(const struct notes *notes, past_visitor *visit, void *self);
uint32_t notes_grain(struct notes *notes);
/* site NULL: by whichever instruction. False: no memory. */
bool notes_collect(struct notes *notes, enum footprint_use use, const uint32_t *site, struct byte_set *bytes);
void notes_forget(struct notes *notes);
void notes_release(struct notes *notes); /* forgets them, and keeps no room */
void notes_fini(struct notes *notes);
/* From a size that is within `share` and what was taken before to another; false: there is not as much to spare. */
bool spare_resize(struct spare *spare, uint64_t share, uint64_t before, uint64_t after);

#endif
