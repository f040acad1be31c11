/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What stands between the journal and the shadow: per few bytes of an allocation one stamp of who read them and
 *          one of who wrote them, whole waves at a time. While no two work-items meet, nobody races, and what was done is
 *          only noted down; at the first doubt the notes go into the shadow, which is exact.
 *
 * Stamps   One number per work-item and interval between two barriers of its group, ascending, so that those of earlier
 *          launches are told by being smaller than `first`. Some mean several work-items: of one group's interval, of
 *          different groups, or atomic updates and loads that include each other.
 * Doubt    A write that another unit touched before, or a read that another unit wrote, unless that was before a barrier
 *          of the own group; a mixture of atomic and plain accesses; an access to a part of a granule.
 *
 * Interface
 *   sieve_note      while it is not open, before anything was written: a wave's reads are only noted down; false: no room
 *   sieve_open      for the rest of a launch, or of a barrier interval of local memory
 *   sieve_mark      an access of the past, known to race with nothing that was marked before
 *   sieve_take      a wave's access: false: there is doubt, and nobody may ask again until it is opened anew
 *   sieve_close, sieve_forget, sieve_release, sieve_fini, sieve_collect, sieve_renews
 *
 * Memory   Two stamps of 4 bytes per granule of 1, 2 or 4 bytes, and notes. What is more than 4 times the allocation is
 *          taken from what there is to spare.
 */
#ifndef ORRERY_MEMMODEL_SIEVE_H
#define ORRERY_MEMMODEL_SIEVE_H

#include "journal.h"

struct sieve_interval { uint64_t group, base, newest; }; /* newest: the greatest base so far */

struct sieve {
    bool open;
    uint32_t shift;                  /* bytes per granule: 1 << shift */
    int32_t *stamps[2];              /* readers, writers */
    uint64_t granules;               /* room of stamps[] */
    int32_t first, next;             /* stamps of now are [first, next) */
    uint64_t groups, items;          /* of the launch; items of the largest group */
    struct sieve_interval *intervals; uint32_t interval_count, interval_room;
    struct {
        uint64_t serial, base, group; /* serial 0: nobody */
        const int32_t *own; int32_t add; /* lane i has the stamp own[i] + add */
        int32_t stamp[WAVE_LANES_MAX + STAMP_LANES]; /* own, unless units ascend by one */
        int32_t low, high;           /* stamps of the group's interval; high - 1: several of them */
    } crew;
    bool atomic;                     /* atomic updates of this size and scope were taken */
    uint32_t atomic_size;
    uint8_t atomic_scope;
    struct notes notes;              /* of what was taken */
};

/* What a sieve is for: the launch. `grain`: a power of two that divides what will come, offsets and sizes. */
struct sieve_plan { uint64_t groups, items; uint32_t grain; };
bool sieve_open(struct sieve *sieve, const struct sieve_plan *plan);
void sieve_init(struct sieve *sieve, uint64_t low, uint64_t size, struct spare *spare);
bool sieve_mark(struct sieve *sieve, const struct past_access *access, uint64_t group, uint64_t base);
bool sieve_note(struct sieve *sieve, const struct access_event *event, const struct wave_crew *crew, uint64_t tick);
/* `scope` as it counts, of atomics. */
bool sieve_take(struct sieve *sieve, const struct access_event *event, const struct wave_crew *crew, uint64_t tick,
                enum memory_scope scope);
/* What the stamps [from, end) tell, of one launch: while it is open [first, next), and later as far as nobody came after. */
void sieve_collect(const struct sieve *sieve, int32_t from, int32_t end, struct footprint_part *part);
bool sieve_renews(const struct sieve *sieve, const struct sieve_plan *plan); /* stamps of the past would go */
void sieve_close(struct sieve *sieve);  /* the notes stay */
void sieve_forget(struct sieve *sieve);
void sieve_release(struct sieve *sieve); /* closes it, and keeps no stamps */
void sieve_fini(struct sieve *sieve);

#endif
