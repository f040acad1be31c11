/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Accesses of whole waves to one allocation, noted down in the order of time: to be done again, one
 *          by one, in the exact shadow, before an access that may race with them.
 *
 * Interface
 *   access_log_places     the places of active lanes, if they are listed; false: not all of it, or of whole
 *                         rows, lies within the allocation
 *   access_log_add        false: over the budget
 *   access_log_replay     each access once
 *   access_log_grain      a power of two that divides all offsets and sizes
 *   access_log_collect    the bytes, for the launch's footprint
 *   access_log_forget, access_log_fini
 *   access_log_check      asserts all invariants
 *
 * Memory   160 bytes a wave, 8 for each run of lanes, and 4 for each lane whose address follows no rule: as
 *          many as the allocation has, and the spare budget. Offsets count from `low`.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_H
#define ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_H

#include "sim/memmodel/common/footprint.h"
#include "epochs.h"

/* One access of one unit, as it comes out of affine filter and notes. */
struct past_access {
    uint64_t unit, position[3], address, clock;
    uint32_t site, size;
    enum access_kind kind;
    enum memory_ordering order;
    enum memory_scope scope; /* of atomics, the scope as it counts */
    bool by_position;        /* else by unit */
};
typedef void past_visitor(void *self, const struct past_access *access);

/* Bytes that all allocations of a checker may take together, beyond what each may by its size. */
struct spare {
    uint64_t used, most;
};

struct access_log {
    uint64_t low, size; /* the allocation */
    const struct epoch_loops *loops;
    struct spare *spare; /* borrowed */
    uint8_t *bytes;
    size_t used, room;
    size_t grained;
    uint64_t grains;     /* bits of the offsets and sizes in so many of these bytes */
    uint64_t wave_items; /* the wave items of the latest notes; 0: none */
    struct footprint_sites sites[FOOTPRINT_USES];
    /* set by the caller: of the largest work-group, if no group acquires from another; 0: some may */
    uint64_t group_items;
    bool thinned; /* reads were left out that others stand for (access_log_thin.c) */
};

/* The lanes of a wave. */
struct wave_wave_items {
    uint64_t serial; /* another for each, from 1 */
    uint32_t lanes;
    bool in_a_row; /* units ascend by one */
    uint64_t first_unit;
    const uint64_t *unit; /* of each lane, unless they are in a row */
    bool one_group;
    uint64_t group, base; /* its base in this memory; 1: no barrier yet. Local memory: 0, 1 */
    uint64_t unit_low;    /* its first unit */
};

/* Of active lanes, when they are listed: in runs, or if there are none one by one. bits: all those of the
 * offsets. */
struct places {
    struct lane_runs runs;
    uint32_t count, bits, at[WAVE_LANES_MAX + EPOCH_LANES];
};

bool access_log_places(const struct access_log *access_log, const struct access_event *event,
                       struct places *out);
bool access_log_add(struct access_log *access_log, const struct access_event *event,
                    const struct places *listed, const struct wave_wave_items *wave_items, uint64_t clock,
                    enum memory_scope scope);
void access_log_replay(const struct access_log *access_log, past_visitor *visit, void *self);
uint32_t access_log_grain(struct access_log *access_log);
/* site NULL: by whichever instruction. False: no memory. */
bool access_log_collect(struct access_log *access_log, enum footprint_use use, const uint32_t *site,
                        struct byte_set *bytes);
void access_log_forget(struct access_log *access_log);
void access_log_release(struct access_log *access_log); /* forgets them, and frees its memory */
void access_log_fini(struct access_log *access_log);
/* Notes follow each other without a gap, units before what they did; each is as long as its lanes say, and
 * lies in the allocation. */
void access_log_check(const struct access_log *access_log);
/* From a size that is within `share` and what was taken before to another; false: there is not as much to
 * spare. */
bool spare_resize(struct spare *spare, uint64_t share, uint64_t before, uint64_t after);

#endif
