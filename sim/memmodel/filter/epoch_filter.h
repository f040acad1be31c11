/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The stage between the affine filter and the shadow: per few bytes of an allocation one epoch of
 *          the readers and one of the writers, whole waves at a time. While no two work-items conflict, there
 *          is no race, and accesses are only noted down; at the first doubt the notes go into the exact
 *          shadow.
 *
 * Epochs   One number per work-item and interval between two barriers of its group, ascending, so that those
 *          of earlier launches are smaller than `first`. Some mean several work-items: of one group's
 *          interval, of different groups, or atomic updates and loads that include each other.
 * Doubt    A write that another unit touched before, or a read that another unit wrote, unless that was
 *          before a barrier of the unit's group; a mixture of atomic and plain accesses; an access to a part
 *          of a granule.
 *
 * Interface
 *   epoch_filter_note      while it is not open, before anything was written: a wave's reads are only noted
 *                          down; false: no memory
 *   epoch_filter_open      for the rest of a launch, or of a barrier interval of local memory
 *   epoch_filter_mark      an access of the past, known to race with nothing that was marked before
 *   epoch_filter_take      a wave's access: false: there is doubt, and it may not be called again until it is
 *                          opened anew
 *   epoch_filter_close, epoch_filter_forget, epoch_filter_release, epoch_filter_fini, epoch_filter_collect,
 *   epoch_filter_renews
 *
 * Memory   Two epochs of 4 bytes per granule of 1, 2 or 4 bytes, and notes. Memory past 4 times the
 *          allocation is taken from the spare budget.
 */
#ifndef ORRERY_SIM_MEMMODEL_FILTER_EPOCH_FILTER_H
#define ORRERY_SIM_MEMMODEL_FILTER_EPOCH_FILTER_H

#include "affine_filter.h"

/* The latest accesses of the present work-items by some instructions, where addresses are a rule of the
 * lane. */
enum { EPOCH_FILTER_REPEATS = 8 };
struct epoch_filter_repeat {
    uint64_t clock, base, mask[LANE_MASK_WORDS];
    int64_t step_x, step_y;
    uint32_t site, size, row;
    uint8_t kind, shape;
};

struct epoch_filter_interval {
    uint64_t group, base, newest;
}; /* newest: the greatest base so far */

struct epoch_filter {
    bool open;
    uint32_t shift;         /* bytes per granule: 1 << shift */
    int32_t *epochs[2];     /* readers, writers */
    uint64_t granules;      /* room of epochs[] */
    int32_t first, next;    /* epochs of now are [first, next) */
    uint64_t groups, items; /* of the launch; items of the largest group */
    struct epoch_filter_interval *intervals;
    uint32_t interval_count, interval_room;
    struct {
        uint64_t serial, base, group; /* serial 0: none */
        const int32_t *own;
        int32_t add;                                 /* lane i has the epoch own[i] + add */
        int32_t epoch[WAVE_LANES_MAX + EPOCH_LANES]; /* own, unless units ascend by one */
        int32_t low, high; /* epochs of the group's interval; high - 1: several of them */
    } wave_items;
    /* by site; of the wave items, while no others come; size 0: none */
    struct epoch_filter_repeat repeat[EPOCH_FILTER_REPEATS];
    bool atomic; /* atomic updates of this size and scope were taken */
    uint32_t atomic_size;
    uint8_t atomic_scope;
    struct access_log access_log; /* of what was taken */
};

/* The launch that an epoch filter serves. `grain`: a power of two that divides all coming offsets and
 * sizes. */
struct epoch_filter_plan {
    uint64_t groups, items;
    uint32_t grain;
};
bool epoch_filter_open(struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan);
void epoch_filter_init(struct epoch_filter *epoch_filter, uint64_t low, uint64_t size, struct spare *spare);
bool epoch_filter_mark(struct epoch_filter *epoch_filter, const struct past_access *access, uint64_t group,
                       uint64_t base);
bool epoch_filter_note(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct wave_wave_items *wave_items, uint64_t clock);
/* `scope` as it counts, of atomics. */
bool epoch_filter_take(struct epoch_filter *epoch_filter, const struct access_event *event,
                       const struct wave_wave_items *wave_items, uint64_t clock, enum memory_scope scope);
/* The accesses that the epochs [from, end) stand for, of one launch: while it is open [first, next), and
 * later up to the next launch's. */
void epoch_filter_collect(const struct epoch_filter *epoch_filter, int32_t from, int32_t end,
                          struct footprint_part *part);
/* epochs of the past would go */
bool epoch_filter_renews(const struct epoch_filter *epoch_filter, const struct epoch_filter_plan *plan);
void epoch_filter_close(struct epoch_filter *epoch_filter); /* the notes stay */
void epoch_filter_forget(struct epoch_filter *epoch_filter);
void epoch_filter_release(struct epoch_filter *epoch_filter); /* closes it, and keeps no epochs */
void epoch_filter_fini(struct epoch_filter *epoch_filter);

#endif
