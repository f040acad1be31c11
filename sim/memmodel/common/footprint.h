/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What one kernel launch did to memory, byte by byte: for the rules that order
 *          whole commands (OpenCL 2.2 API, 3.3.6), where a kernel instance is one node.
 *
 * Interface
 *   byte_set_*       a set of bytes: runs while there are few, then a bitmap
 *   footprint_find   the part of a footprint that lies in one allocation
 *   footprint_fetch  bytes that were left with a keeper
 *   footprint_sites_*   which instruction did it
 *
 * Rules    A byte that was written may be missing from `read`: what conflicts with the read
 *          conflicts with the write. Local and private memory do not appear. Offsets count
 *          from the start of the allocation. The footprint and its sets belong to whoever
 *          made it and are valid during the callback that hands it over; byte_set_take moves
 *          a set out.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_FOOTPRINT_H
#define ORRERY_SIM_MEMMODEL_COMMON_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/observer.h"

struct byte_run {
    uint64_t low, high;
}; /* bytes [low, high) */

struct byte_set {
    struct byte_run *runs; /* ascending, apart from each other; NULL once there is a bitmap */
    uint32_t count, room;
    uint64_t *bits; /* bit per byte of [0, size) */
    uint64_t size;  /* of the allocation */
    bool failed;    /* memory ran out: bytes are missing */
};

void byte_set_init(struct byte_set *set, uint64_t size);
void byte_set_fini(struct byte_set *set);
void byte_set_take(struct byte_set *to, struct byte_set *from); /* from is left empty */
void byte_set_add(struct byte_set *set, uint64_t low, uint64_t high);
/* Bit i of flags: the granule of 1 << shift bytes at low + (i << shift); low is a multiple of 64 granules. In
 * *run is what still may grow, to be added in the end. */
void byte_set_add_granules(struct byte_set *set, struct byte_run *run, uint64_t low, uint64_t flags,
                           uint32_t shift);
bool byte_set_empty(const struct byte_set *set);
/* The first run of bytes at or after `from`; false: there is none. */
bool byte_set_next(const struct byte_set *set, uint64_t from, struct byte_run *out_run);
/* The first run of bytes that both have. */
bool byte_set_intersection(const struct byte_set *a, const struct byte_set *b, struct byte_run *out_run);
/* at or after `from` */
bool byte_set_common(const struct byte_set *a, const struct byte_set *b, uint64_t from,
                     struct byte_run *out_run);
/* The bytes of the first that the second has not. */
void byte_set_difference(const struct byte_set *all, const struct byte_set *less, struct byte_set *out_rest);
void byte_set_join(struct byte_set *set, const struct byte_set *more); /* of the same size */

enum footprint_use {
    FOOTPRINT_READ,
    FOOTPRINT_WRITTEN,
    FOOTPRINT_ATOMIC,
    FOOTPRINT_ATOMIC_READ,
    FOOTPRINT_USES
};

/* The instructions that used an allocation in one way: for each byte some of the instructions that used it
 * are known, if it is not one of many. */
enum { FOOTPRINT_SITES = 8 };
struct footprint_sites {
    uint32_t site[FOOTPRINT_SITES]; /* launch_site of the launch */
    uint32_t count, latest;
    bool more; /* there are others */
    /* of each. NULL: one instruction used all; of several it is not known which used what */
    struct byte_set *bytes;
};
uint32_t footprint_sites_new(struct footprint_sites *sites, uint32_t site);
/* makes room for the bytes of each; false: no memory */
bool footprint_sites_part(struct footprint_sites *sites, uint64_t size);
void footprint_sites_fini(struct footprint_sites *sites);
uint64_t footprint_sites_room(const struct footprint_sites *sites); /* memory that the bytes of each take */
/* The index of one that used the byte, FOOTPRINT_SITES: it is not known; *out_end: up to where that holds. */
uint32_t footprint_sites_at(const struct footprint_sites *sites, uint64_t at, uint64_t *out_end);

/* Of these, or FOOTPRINT_SITES: one of the others. */
static inline uint32_t footprint_sites_add(struct footprint_sites *sites, uint32_t site)
{
    return sites->count && sites->site[sites->latest] == site ? sites->latest
                                                              : footprint_sites_new(sites, site);
}

static inline bool footprint_sites_several(const struct footprint_sites *sites)
{
    return sites->count != 1 || sites->more;
}

struct footprint_part {
    uint32_t region_id; /* struct region's id */
    uint64_t low, high; /* where it lay */
    struct byte_set bytes[FOOTPRINT_USES];
    struct footprint_sites sites[FOOTPRINT_USES]; /* count 0: there are no such bytes */
    struct footprint_keeper *keeper;              /* NULL, or: the bytes are not here yet */
    int32_t from, end;                            /* the argument of its queries */
};

/* The accesses of launches to one allocation, kept where they were gathered: whole commands are ordered most
 * of the time, and no query comes. For a byte that a later launch touched, which the earlier one happens
 * before, the later access stands for the earlier one. */
struct footprint_keeper {
    void *self;
    uint32_t region_id;
    bool (*collect)(void *self, struct footprint_part *part); /* false: no memory */
};
/* has the keeper fill in the bytes; false: some are missing */
bool footprint_fetch(struct footprint_part *part);
void footprint_part_fini(struct footprint_part *part);

/* The accesses that do not happen before the end of one work-group: the same without all that happens
 * before. */
struct footprint_rest {
    uint64_t group;
    struct footprint_part *parts;
    uint32_t count;
};

/* The accesses that do not happen before a kernel that one of the work-items enqueued: the same, of
 * fine-grained memory alone, without all that happens before the call. */
struct footprint_clock_snapshot {
    uint64_t unit;
    struct footprint_part *parts;
    uint32_t count;
};

struct footprint {
    const struct launch_info *launch;
    struct footprint_part *parts; /* by region_id, ascending */
    uint32_t count;
    struct footprint_rest *rests;
    uint32_t rest_count; /* of launch->awaited_groups */
    struct footprint_clock_snapshot *clock_snapshots;
    uint32_t clock_snapshot_count;
    bool partial; /* memory ran out: there is more */
};

const struct footprint_part *footprint_find(const struct footprint *footprint, uint32_t region_id);

/* Receives each launch that ended. */
struct footprint_sink {
    void *self;
    void (*launch_ended)(void *self, const struct footprint *footprint);
    /* All NULL: every part has its bytes. The keeper will forget what it has: it may be queried until this
     * returns. */
    void (*settle)(void *self, struct footprint_keeper *keeper);
    /* Does all that the keeper may still be queried for happen before the launch that runs? */
    bool (*follows)(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper);
};

#endif
