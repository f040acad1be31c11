/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The accesses of whole waves to one allocation, recorded in the order of execution. They are
 *          replayed one by one into the exact shadow before the first access that may race with one of them.
 *
 * Interface
 *   access_log_list       the offsets of the active lanes of an address list. False: some lane is outside of
 *                         the allocation
 *   access_log_add        false: no memory, or the spare budget is used up
 *   access_log_replay     visits each access once, in the order of execution
 *   access_log_grain      the greatest power of two, at most 4, that divides all offsets and sizes
 *   access_log_collect    the bytes, for the launch's footprint
 *   access_log_forget     empties the log, and keeps its memory
 *   access_log_release    empties the log, and frees its memory
 *   access_log_fini
 *   access_log_check      asserts all invariants
 *
 * Memory   100 bytes for each access of a wave, and 4 for each lane whose address is in a list: as many bytes
 *          as the allocation has, and the spare budget.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_H
#define ORRERY_SIM_MEMMODEL_FILTER_ACCESS_LOG_H

#include "sim/memmodel/common/footprint.h"

/* One access of one unit, as affine filter and access log replay it. */
struct past_access {
    uint64_t unit, position[3], address, clock;
    uint32_t site, size;
    enum access_kind kind;
    enum memory_ordering order;
    enum memory_scope scope; /* of atomics, after reduction */
    bool by_position;        /* position[] is set, else unit */
};
typedef void past_visitor(void *self, const struct past_access *access);

/* The spare budget: bytes that the filters of all allocations together may use beyond the share that each has
 * by its allocation's size. */
struct spare {
    uint64_t used, most;
};

struct access_log {
    uint64_t low, size;  /* the allocation */
    struct spare *spare; /* borrowed */
    uint8_t *bytes;
    size_t used, room;
    size_t grain_scanned;  /* of the bytes used */
    uint64_t grain_bits;   /* all offsets and sizes in them, or-ed */
    uint64_t units_serial; /* of the latest units record; 0: none */
    struct footprint_sites sites[FOOTPRINT_USES];
    /* Set by the caller: work-items of the largest group, if no group acquires from another; 0: some may. */
    uint64_t group_items;
    bool thinned; /* redundant reads were removed: access_log_thin.c */
};

/* The units that the lanes of a wave are. */
struct lane_units {
    uint64_t serial; /* from 1; differs for different waves */
    uint32_t lanes;
    bool in_a_row; /* units ascend by one */
    uint64_t first_unit;
    const uint64_t *unit; /* of each lane, unless they are in a row */
    bool one_group;
    uint64_t group,
        base;          /* the clock value of its last barrier of this memory, 1: none. Local memory: 0, 1 */
    uint64_t unit_low; /* the group's first unit */
};

/* Offsets of the active lanes of an address list. bits: all of them or-ed. */
struct lane_places {
    uint32_t count, bits, at[WAVE_LANES_MAX];
};

bool access_log_list(const struct access_log *access_log, const struct access_event *event,
                     struct lane_places *out);
/* listed: of an address list */
bool access_log_add(struct access_log *access_log, const struct access_event *event,
                    const struct lane_places *listed, const struct lane_units *units, uint64_t clock,
                    enum memory_scope scope);
void access_log_replay(const struct access_log *access_log, past_visitor *visit, void *self);
uint32_t access_log_grain(struct access_log *access_log);
/* site NULL: by any instruction. False: no memory. */
bool access_log_collect(struct access_log *access_log, enum footprint_use use, const uint32_t *site,
                        struct byte_set *bytes);
void access_log_forget(struct access_log *access_log);
void access_log_release(struct access_log *access_log);
void access_log_fini(struct access_log *access_log);
/* Records follow each other without a gap. Units stand before their accesses. A record is as long as its
 * lanes need, and its accesses are within the allocation. */
void access_log_check(const struct access_log *access_log);
/* A part of the filters changes its size from `before` to `after` bytes, of which `share` are its
 * allocation's own. False: the budget has too little left, and nothing changes. */
bool spare_resize(struct spare *spare, uint64_t share, uint64_t before, uint64_t after);

#endif
