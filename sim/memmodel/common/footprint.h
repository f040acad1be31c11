/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The footprint of one kernel launch: which bytes it read, wrote and used by atomics, for the rules
 *          that order whole commands (OpenCL 2.2 API, 3.3.6), where a kernel instance is one node.
 *
 * Interface
 *   byte_set_*       a set of bytes of one allocation: runs while they are few, then a bitmap
 *   footprint_fetch  fetches bytes that were left with their keeper
 *   footprint_sites_*   the instructions that used the bytes
 *
 * Rules    A byte that was written may be missing from `read`: what conflicts with the read conflicts with
 *          the write, too. Local and private memory are left out. Offsets count from the start of the
 *          allocation.
 *
 * Ownership  The maker of a footprint owns it and its sets. They are valid during the callback that receives
 *          them; byte_set_take moves a set out.
 *
 * Errors   A set whose `failed` is set, and a footprint whose `partial` is, lack bytes: memory ran out.
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
    struct byte_run *runs; /* ascending, not adjacent; NULL if there is a bitmap */
    uint32_t count, room;
    uint64_t *bits; /* NULL, or: a bit for each byte of [0, size) */
    uint64_t size;  /* of the allocation */
    bool failed;    /* memory ran out, and bytes are missing */
};

/* The set of the bytes of one run, which is borrowed. */
static inline struct byte_set byte_set_of(struct byte_run *run, uint64_t size)
{
    return (struct byte_set){.runs = run, .count = 1, .size = size};
}
void byte_set_init(struct byte_set *set, uint64_t size);
void byte_set_fini(struct byte_set *set);
void byte_set_take(struct byte_set *to, struct byte_set *from); /* empties `from` */
void byte_set_add(struct byte_set *set, uint64_t low, uint64_t high);
/* Adds granules of 1 << shift bytes: bit i of flags is the granule at low + (i << shift); low is a
 * multiple of 64 granules. *run is a run that may still grow; after the last call the caller adds it. */
void byte_set_add_granules(struct byte_set *set, struct byte_run *run, uint64_t low, uint64_t flags,
                           uint32_t shift);
bool byte_set_empty(const struct byte_set *set);
/* The first run of the set at or after `from`, cut at `from`. False: there is none. */
bool byte_set_next(const struct byte_set *set, uint64_t from, struct byte_run *out_run);
/* The first run of bytes that are in both sets. */
bool byte_set_intersection(const struct byte_set *a, const struct byte_set *b, struct byte_run *out_run);
/* The same, at or after `from`. */
bool byte_set_common(const struct byte_set *a, const struct byte_set *b, uint64_t from,
                     struct byte_run *out_run);
/* The bytes of `all` that are not in `less`. */
void byte_set_difference(const struct byte_set *all, const struct byte_set *less, struct byte_set *out_rest);
void byte_set_join(struct byte_set *set, const struct byte_set *more); /* both of the same size */

enum footprint_use {
    FOOTPRINT_READ,
    FOOTPRINT_WRITTEN,
    FOOTPRINT_ATOMIC,
    FOOTPRINT_ATOMIC_READ,
    FOOTPRINT_USES
};

static inline enum access_kind footprint_kind(enum footprint_use use)
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE,
                                                           ACCESS_ATOMIC_READ};
    return kinds[use];
}

/* The instructions that used an allocation in one way. For each byte one of them is known, unless there
 * are too many instructions. */
enum { FOOTPRINT_SITES = 8 };
struct footprint_sites {
    uint32_t site[FOOTPRINT_SITES]; /* as of launch_site */
    uint32_t count, latest;
    bool more; /* there are more than these */
    /* of each instruction. NULL: of one, it used all bytes; of several it is not known which used what */
    struct byte_set *bytes;
};
uint32_t footprint_sites_new(struct footprint_sites *sites, uint32_t site);
/* Keeps the bytes of each instruction apart from now on. False: out of memory. */
bool footprint_sites_part(struct footprint_sites *sites, uint64_t size);
void footprint_sites_fini(struct footprint_sites *sites);
/* The index of an instruction that used the byte; FOOTPRINT_SITES: it is not known. The answer holds up to
 * *out_end. */
uint32_t footprint_sites_at(const struct footprint_sites *sites, uint64_t at, uint64_t *out_end);

/* The index of the instruction; FOOTPRINT_SITES: there are too many. */
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
    uint64_t low, high; /* addresses of the allocation */
    struct byte_set bytes[FOOTPRINT_USES];
    struct footprint_sites sites[FOOTPRINT_USES]; /* count 0: no byte was used so */
    struct footprint_keeper *keeper;              /* NULL, or: the bytes are still there */
    int32_t from, end; /* for the keeper: the epochs (epoch filter) that are asked for */
};

/* Whole commands mostly are ordered, so the bytes that launches used are rarely asked for. A keeper leaves
 * them where they were gathered, for several launches of one allocation, until a query comes. If a later
 * launch touches a byte, and the earlier launch happens before it, the later access stands for both. */
struct footprint_keeper {
    void *self;
    uint32_t region_id;
    bool (*collect)(void *self, struct footprint_part *part); /* false: out of memory */
};
/* Has the keeper fill in the bytes. False: some are missing. */
bool footprint_fetch(struct footprint_part *part);
void footprint_part_fini(struct footprint_part *part);

/* The accesses that do not happen before the end of one work-group, by which a child kernel is ordered; or
 * those to fine-grained memory that do not happen before a call by which a work-item enqueued a kernel. */
struct footprint_rest {
    uint64_t of; /* the work-group; or the work-item, as a unit of the launch's order */
    struct footprint_part *parts;
    uint32_t count;
};

struct footprint {
    const struct launch_info *launch;
    struct footprint_part *parts; /* ascending by region_id */
    uint32_t count;
    struct footprint_rest *rests;
    uint32_t rest_count; /* one for each of launch->awaited_groups */
    struct footprint_rest *clock_snapshots;
    uint32_t clock_snapshot_count;
    bool partial; /* memory ran out, and parts are missing */
};

/* Receives the footprint of each launch that ended. */
struct footprint_sink {
    void *self;
    void (*launch_ended)(void *self, const struct footprint *footprint);
    /* NULL: parts must have their bytes. Else a call before the keeper forgets what it has; it may be
     * queried until this returns. */
    void (*settle)(void *self, struct footprint_keeper *keeper);
    /* Does everything that the keeper may still be queried for happen before the running launch? */
    bool (*follows)(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper);
};

#endif
