/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The exact record of an allocation, as in FastTrack: for each 4 bytes (each byte, where smaller
 *          accesses came) the last plain write, and the reads and atomics since that no later access makes
 *          redundant. For each new access it finds the earlier ones that conflict with it and do not happen
 *          before it (R4, R29, R35, R36).
 *
 * Interface
 *   shadow_table_room, shadow_is_of   the table of all allocations' shadows
 *   shadow_region_init, shadow_region_fini
 *   shadow_access         one access of one unit. Calls `race` for each earlier access that races with it. A
 *                         quiet access is replayed from a filter, and known not to race
 *   shadow_forget         removes all accesses, in constant time: older contexts become stale
 *   shadow_is_saturated   of words whose races were reported often enough
 *   shadow_is_race_free, shadow_add, shadow_add_lanes   atomics of words where nothing can race
 *   shadow_collect        the bytes that this launch touched; shadow_collected: how many bytes that looks at
 *   shadow_list           the accesses that are kept for some bytes
 *   shadow_check          asserts all invariants
 *
 * Cells    16 bytes for 4 of data: two epochs of 34 bits for a unit and 30 for the number of a context. A
 *          context says when and how the access was made; contexts are numbered for each allocation, and
 *          those below `first` are of earlier launches. The first epoch is of the last plain write. The
 *          second is of a single read or atomic, or names a set of them (reader_set.h), or an access set
 *          (shadow_state.h). Cells of single bytes: compact_page.h.
 */
#ifndef ORRERY_SIM_MEMMODEL_SHADOW_SHADOW_H
#define ORRERY_SIM_MEMMODEL_SHADOW_SHADOW_H

#include "sim/memmodel/common/order_query.h"
#include "sim/memmodel/common/footprint.h"
#include "sim/memmodel/filter/affine_filter.h"
#include "compact_page.h"
#include "sim/memmodel/order/order.h"
#include "reader_set.h"
#include "sim/memmodel/filter/read_only_set.h"
#include "sim/memmodel/filter/epoch_filter.h"
#include "orrery/limits.h"
#include "orrery/memory.h"

/* When and how a unit accessed memory. */
struct access_context {
    uint32_t clock;
    uint32_t site;
    uint32_t size;       /* of the access, which distinguishes atomic objects */
    uint8_t kind, scope; /* enum access_kind, memory_scope (reduced) */
    uint8_t order;
    bool own; /* of one access set only, which may change it: shadow_saturated.c */
};

struct access_set;
struct dropped; /* shadow_dropped.c */

/* Cells of 1 << unit_shift bytes: of words, or of bytes. Byte cells are compact while their epochs fit. */
struct shadow_page {
    uint32_t unit_shift;
    uint64_t (*cells)[2];
    struct compact *compact;
};

struct shadow_region {
    uint32_t id; /* struct region's */
    uint64_t low, high;
    int space;                       /* IN_GLOBAL, IN_LOCAL */
    bool svm_atomics;                /* fine-grained SVM with atomics */
    bool apart;                      /* atomics of different launch trees are not inclusive (R32) */
    bool alone;                      /* nor are atomics of different launches */
    bool of_host;                    /* of the host's own memory: host_shadow.h */
    uint32_t first;                  /* contexts below are stale */
    struct access_context *contexts; /* [first, next) */
    uint32_t next, room;
    uint32_t newest;   /* the greatest clock value of a context */
    uint32_t *by_site; /* the latest context of each site */
    uint32_t site_count;
    struct shadow_page *pages;
    struct readers readers;
    struct access_set **access_sets;
    uint32_t access_set_count, access_set_room, access_set_used;
    uint32_t racer_cells;    /* access sets that keep accesses which raced */
    struct dropped *dropped; /* accesses that raced and were not kept; NULL: none */
    bool incomplete;         /* some were not kept for lack of memory */
    uint64_t visits;         /* accesses that reached the cells one by one */
    uint64_t versions;       /* the latest clock_version of an access set */
    bool touched;
    bool atomic;              /* this launch has atomics there: plain stores may end release sequences (R8) */
    bool atomics_overwritten; /* a plain write came after an atomic that had no list */
    bool atomic_sets;         /* some reader sets are of atomics */
    bool thinned;             /* the log left out redundant reads: races are not counted exactly */
    struct affine_filter affine_filter; /* filters: their accesses are not in the cells */
    struct epoch_filter epoch_filter;
    struct read_only_set reads;
    const char *filtered_kernel;    /* name of a kernel that needed it when it ran last; only compared */
    uint64_t group, base;           /* local memory: its group, and the clock value of its last barrier */
    struct footprint_keeper keeper; /* collects the footprint of ended launches */
    bool watched;                   /* the checker's list of what the running launch touched has it */
    bool uncollected,
        uncollected_epochs; /* affine filter and log have the latest footprint; epochs have some */
    /* The first epoch of the launch whose footprint affine filter and log have; 0: it has no epochs. */
    int32_t noted;
};

struct race {
    const struct shadow_region *region;
    uint64_t address; /* the first byte of the cell that both touch */
    uint32_t bytes;
    uint64_t unit; /* the earlier access */
    const struct access_context *context;
    bool in_memory;    /* its value was in memory before the later access: shadow_memory_has */
    bool device_dirty; /* R34: even if ordered, the read need not see the write */
};

struct shadow_access {
    struct unit_state *unit_state;
    struct access_context how;
    uint64_t address;
    bool sampled;     /* a read of an image with a sampler */
    bool quiet;       /* replayed: known not to race, and possibly older than the cell's accesses */
    bool follows;     /* all earlier updates of the same operation happen before it (order_atomic) */
    bool follows_all; /* all atomics of its word happen before it (shadow_follows_all) */
};

/* Updates of lanes of one work-group, while all of the launch is on one device. */
struct shadow_atomic {
    struct access_context how;
    uint64_t group;
};

/* How often a pair of sites raced. race.c owns the counter. Once it is `saturated` the shadow counts by
 * itself, up to `look`: the pair that reaches that count goes to race.c again. */
struct race_counter {
    uint32_t site[2];
    int space;
    bool device_dirty, saturated;
    uint64_t look;    /* UINT64_MAX: nothing but the count can change any more */
    bool uncounted;   /* some pairs were not compared: shadow_saturated.c */
    uint32_t skipped; /* pairs not compared since the last one that was */
    uint64_t count;
    /* The pairs counted for the latest access of several cells: an earlier access may be in each of them, and
     * counts once. */
    struct counted {
        uint64_t unit, address;
        uint32_t clock;
    } counted[HOSTILE(16, 3)];
    uint32_t counted_count;
    uint64_t counted_unit, counted_time;
};
enum { COUNTERS = HOSTILE(1024, 1), COUNTED_MOST = HOSTILE(16, 3), COUNTER_ENOUGH = HOSTILE(10000, 100) };

/* A hash of a pair of sites, in either order. Not of the sum: sites are numbered consecutively, so that many
 * pairs have the same sum. */
static inline uint32_t counter_slot(uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (low * UINT32_C(0x9E3779B1) + high * UINT32_C(0x85EBCA6B)) >> 16 & (COUNTERS - 1);
}

struct shadow {
    struct order *order;
    void *self;
    void (*race)(void *self, const struct race *race, const struct shadow_access *now);
    const struct order_queries *order_queries; /* order by other launches; NULL: none */
    struct race_counter *const *counters;      /* COUNTERS of them, by their sites; entries may be NULL */
    const uint64_t *time;                      /* counts events */
    bool lost[ORDER_REGIONS];                  /* a race of two sites there may have been missed */
    uint64_t enough; /* pairs of two sites until these are saturated: COUNTER_ENOUGH but for tests */
    /* pairs of accesses that were compared, and those passed to race() */
    struct {
        uint64_t compared, reported;
    } work;
    uint64_t note_after; /* visits after which an allocation makes the run slow; 0: never */
    const struct shadow_region
        *heavy;         /* the allocation that has reached them, until that is reported; NULL: none */
    bool met_saturated; /* the present access raced with a saturated site */
    bool failed;
};

static inline bool counter_is_of(const struct race_counter *counter, uint32_t a, uint32_t b, int space,
                                 bool device_dirty)
{
    const uint32_t *site = counter->site;
    if (counter->space != space || counter->device_dirty != device_dirty)
        return false;
    return (site[0] == a && site[1] == b) || (site[0] == b && site[1] == a);
}

/* The first byte of an earlier access in the cell, if its size is a power of two; else 0. */
static inline uint64_t context_begin(const struct access_context *how, uint64_t address)
{
    return how->size & (how->size - 1) ? 0 : address & ~(uint64_t)(how->size - 1);
}

/* Was the pair counted for an earlier cell of the same access? Also true if the table is full. */
static inline bool counter_has(struct race_counter *counter, const struct counted *earlier, uint64_t later,
                               uint64_t time)
{
    if (counter->counted_time != time || counter->counted_unit != later)
        counter->counted_count = 0;
    counter->counted_time = time;
    counter->counted_unit = later;
    for (uint32_t i = 0; i < counter->counted_count; i++)
        if (counter->counted[i].unit == earlier->unit && counter->counted[i].clock == earlier->clock &&
            counter->counted[i].address == earlier->address)
            return true;
    if (counter->counted_count == COUNTED_MOST) {
        counter->uncounted = true;
        return true;
    }
    counter->counted[counter->counted_count++] = *earlier;
    return false;
}

/* False: the shadow is of an earlier region that had the same index. */
static inline bool shadow_is_of(const struct shadow_region *shadow, const struct region *region)
{
    return shadow->id == region->id && shadow->low == region->low && shadow->high == region->high;
}

/* Makes the table, by index of struct memory's regions, long enough for this index; new entries are NULL.
 * False: no memory. */
bool shadow_table_room(struct shadow_region ***regions, uint32_t *room, const struct memory *memory,
                       uint32_t index);
void shadow_region_init(struct shadow_region *region, uint32_t id, uint64_t low, uint64_t high, int space,
                        struct spare *spare);
void shadow_region_fini(struct shadow_region *region);
void shadow_forget(struct shadow_region *region);
void shadow_check(const struct shadow_region *region);
void shadow_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now);
/* Are all cells of the access saturated for its site? Then one more such access changes only the latest unit.
 * */
bool shadow_is_saturated(const struct shadow_region *region, uint64_t address,
                         const struct access_context *how);
/* Adds an atomic of a race-free word. */
bool shadow_add(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t unit);
/* As shadow_add for each lane of the mask; first: the unit of lane 0; slice: each lane's clock value. */
bool shadow_add_lanes(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t first,
                      const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice);
/* A word that was race-free for updates like these. It still is while its access set has the same
 * clock_version, which changes with every access that could race. now: where the present version is. */
struct race_free_word {
    struct access_set *access_set;
    uint64_t address, clock_version;
    const uint64_t *now;
    uint32_t first;
};
bool shadow_race_free_anew(const struct shadow_region *region, struct race_free_word *word,
                           const struct shadow_atomic *atomic, uint64_t address);

static inline bool shadow_is_race_free(const struct shadow_region *region, const struct race_free_word *word,
                                       uint64_t address)
{
    return word->access_set && word->address == address && word->clock_version == *word->now &&
           word->first == region->first;
}

static inline bool shadow_stays_race_free(const struct shadow_region *region, struct race_free_word *word,
                                          const struct shadow_atomic *atomic, uint64_t address)
{
    return shadow_is_race_free(region, word, address) || shadow_race_free_anew(region, word, atomic, address);
}
/* Atomics of one class conflict with the same accesses, whatever their unit and time. */
static inline uint32_t shadow_conflict_class(const struct access_context *how)
{
    return how->kind | (uint32_t)how->scope << 4 | how->size << 8;
}

/* Accepts accesses by unit and clock value. */
struct unit_filter {
    void *self;
    bool (*wants)(void *self, uint64_t unit, uint64_t clock);
};
/* filter NULL: all accesses. */
void shadow_collect(const struct shadow_region *region, const struct unit_filter *filter,
                    struct footprint_part *part);
uint64_t shadow_collected(const struct shadow_region *region);
/* Calls `take` for each access that is kept for the bytes, once for each cell that keeps it. */
void shadow_list(const struct shadow_region *region, uint64_t address, uint32_t bytes, void *self,
                 void (*take)(void *self, uint64_t unit, const struct access_context *how));
void shadow_unsaturate(struct shadow_region *region); /* the next access of each word is judged */

#endif
