/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The stage between the affine filter and the shadow. It keeps two epochs for each granule of 1, 2
 *          or 4 bytes of an allocation: of the latest readers and of the latest writer. They show whether an
 *          access conflicts with an earlier one of another unit. While none does there is no race, and
 *          accesses are only added to the access log. At the first conflict the caller replays the log into
 *          the exact shadow, which decides whether the conflict is a race.
 *
 * Epochs   A number for each work-item and interval between two barriers of its group. Numbers ascend from
 *          launch to launch, so that those below `first` are of earlier launches and mean nothing. Some
 *          numbers mean several work-items: some of one group in one interval; some of different groups;
 *          atomic updates, or atomic loads, that include each other.
 * Conflict A write where another unit has read or written, or a read where another unit has written, unless
 *          that was before a barrier of the unit's group; an atomic and a plain access; an access to a part
 *          of a granule.
 *
 * Interface
 *   epoch_filter_init, epoch_filter_fini
 *   epoch_filter_note      while it is closed, and nothing was written in this launch: adds a wave's reads to
 *                          the log. False: no memory
 *   epoch_filter_open      for the rest of a launch, or of a barrier interval of local memory. False: the
 *                          allocation or the launch is too large, or no memory
 *   epoch_filter_mark      an access of the past, which races with none that was marked before
 *   epoch_filter_take      a wave's access. False: it conflicts, or there is no memory; the caller replays
 *                          the log, and may not call again until it has opened the filter anew
 *   epoch_filter_close     ends the launch: its epochs become old, and the log stays
 *   epoch_filter_forget    closes the filter, and empties the log
 *   epoch_filter_release   closes the filter, and frees the epochs
 *   epoch_filter_renews    would epoch_filter_open with this plan discard the epochs of earlier launches?
 *   epoch_filter_collect   the bytes that a range of epochs touched
 *
 * Memory   Two epochs of 4 bytes for each granule, and the log. Beyond 4 times the allocation's size it comes
 *          from the spare budget.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_EPOCH_FILTER_H
#define ORRERY_SIM_MEMMODEL_FILTER_EPOCH_FILTER_H

#include "affine_filter.h"

/* The latest plain access of the present wave by one instruction, if its addresses are affine or uniform. */
enum { EPOCH_FILTER_REPEATS = 8 };
struct epoch_filter_repeat {
    uint64_t clock, base, mask[LANE_MASK_WORDS];
    int64_t step_x, step_y;
    uint32_t site, size, row;
    uint8_t kind, shape;
};

/* A barrier interval of a group: its accesses have clock values from base on. newest: the greatest base of
 * this and all earlier intervals in the table. */
struct epoch_filter_interval {
    uint64_t group, base, newest;
};

struct epoch_filter {
    bool open;
    uint32_t shift;         /* bytes per granule: 1 << shift */
    int32_t *epochs[2];     /* readers, writers */
    uint64_t granules;      /* room of epochs[] */
    int32_t first, next;    /* epochs of this launch are [first, next) */
    uint64_t groups, items; /* of the launch; of its largest group */
    struct epoch_filter_interval *intervals;
    uint32_t interval_count, interval_room;
    struct {
        uint64_t serial, base, group; /* of struct lane_units; serial 0: none */
        int32_t own[WAVE_LANES_MAX];  /* the epoch of each lane */
        int32_t low, high; /* epochs of the group's interval; high - 1 means several of its work-items */
    } wave;
    struct epoch_filter_repeat repeat[EPOCH_FILTER_REPEATS]; /* by site, modulo; size 0: none */
    bool atomic; /* some atomic was taken; all have this size and scope */
    uint32_t atomic_size;
    uint8_t atomic_scope;
    struct access_log access_log; /* all accesses taken */
};

/* The launch for which the filter opens. grain: a power of two that is likely to divide all coming offsets
 * and sizes; an access that it does not divide is a conflict. */
struct epoch_filter_plan {
    uint64_t groups, items;
    uint32_t grain;
};
bool epoch_filter_open(struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan);
void epoch_filter_init(struct epoch_filter *epoch_filter, uint64_t low, uint64_t size, struct spare *spare);
bool epoch_filter_mark(struct epoch_filter *epoch_filter, const struct past_access *access, uint64_t group,
                       uint64_t base);
bool epoch_filter_note(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct lane_units *units, uint64_t clock);
/* scope: of atomics, after reduction. */
bool epoch_filter_take(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct lane_units *units, uint64_t clock, enum memory_scope scope);
/* The bytes touched in one launch, whose epochs are [from, end): [first, next) while the filter is open. */
void epoch_filter_collect(const struct epoch_filter *epoch_filter, int32_t from, int32_t end,
                          struct footprint_part *part);
bool epoch_filter_renews(const struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan);
void epoch_filter_close(struct epoch_filter *epoch_filter);
void epoch_filter_forget(struct epoch_filter *epoch_filter);
void epoch_filter_release(struct epoch_filter *epoch_filter);
void epoch_filter_fini(struct epoch_filter *epoch_filter);

#endif
