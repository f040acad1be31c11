/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The exact record: for each 4 bytes (each byte, where smaller accesses came) of an
 *          allocation the last plain write and the reads and atomics since that nothing later
 *          makes redundant. Finds the accesses that conflict with a new one and are not ordered
 *          before it (R4, R29, R35, R36).
 *
 * Interface
 *   shadow_table_room, shadow_is_of   the shadows of all allocations
 *   shadow_begin, shadow_end     of a launch: what lies in the shadow is forgotten, not cleared
 *   shadow_access                one access of one unit; calls `race` for each earlier access
 *                                that races with it; a quiet one comes out of the affine filter
 *   shadow_is_saturated          one more plain access like this one changes only the latest unit in the same
 *                                allocation
 *   shadow_join                  an atomic update like those that the word has, which nothing can
 *                                race with; false: shadow_access must look
 *   shadow_forget                nothing in the allocation matters any more
 *   shadow_check                 asserts all invariants
 *   shadow_collect               the bytes that this launch touched; shadow_collected: how many it looks at
 *                                for that
 *
 * Cells    16 bytes for 4 of data: two epochs of 34 bits unit, 30 bits context. A context says
 *          when, where and how; contexts are numbered per allocation and older ones than
 *          `first` are stale. Of single bytes: compact_page.h. The second epoch is of a read or of a lone
 *          atomic access, or stands for a set of readers (reader_set.h; its unit is their base), or for a
 *          list (struct access set) of many readers and atomics, in blocks of 64 units.
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

/* How a unit touched memory. */
struct context {
    uint32_t clock;
    uint32_t site;
    uint32_t size;       /* of the access, which distinguishes atomic objects */
    uint8_t kind, scope; /* enum access_kind, memory_scope (reduced) */
    uint8_t order;
    bool own; /* stands in one cell only: shadow_saturated.c */
};

struct access_set;
struct dropped; /* shadow_dropped.c */

/* Cells of words, or of bytes: 1 << unit_shift. Those of bytes are narrow while that goes. */
struct shadow_page {
    uint32_t unit_shift;
    uint64_t (*cells)[2];
    struct compact *compact;
};

/* A word whose races were reported often enough: shadow_saturated.c. */
struct saturated_word {
    uint64_t address;
    struct access_set *access_set;
    uint64_t *cell;
};
enum { SATURATED_WORDS = HOSTILE(8, 1) };

struct shadow_region {
    uint32_t id; /* struct region's */
    uint64_t low, high;
    int space;                /* IN_GLOBAL, IN_LOCAL */
    bool svm_atomics;         /* fine-grained SVM with atomics */
    bool apart;               /* of several launches, no family's atomics are for another's */
    bool alone;               /* nor are those of one launch for another */
    bool of_host;             /* a window of the host's own memory: host_shadow.h */
    uint32_t first;           /* contexts below are stale */
    struct context *contexts; /* [first, next) */
    uint32_t next, room;
    uint32_t newest; /* clock value of any of them */
    uint32_t *by_site;
    uint32_t site_count; /* the latest context of a site */
    struct shadow_page *pages;
    struct readers readers;
    struct access_set **access_sets;
    uint32_t access_set_count, access_set_room, access_set_used;
    struct saturated_word saturated[SATURATED_WORDS]; /* of late, by address */
    uint32_t racer_cells;                             /* access sets that keep accesses which raced */
    struct dropped *dropped;                          /* what raced, and was not kept; NULL: none */
    bool incomplete;                                  /* there was no memory for some of it */
    uint64_t visits;                                  /* accesses that reached the cells one by one */
    uint64_t versions; /* of access sets, given out so far; kept while the allocation lives */
    bool touched;
    bool atomic;              /* some access of this launch was: plain stores may end release sequences */
    bool atomics_overwritten; /* a plain write came after an atomic that had no list */
    bool few;                 /* some sets are of atomics */
    bool thinned;             /* some reads were left out that others stand for: races are counted no more */
    struct affine_filter affine_filter; /* what need not stand in cells */
    struct epoch_filter epoch_filter;   /* likewise; what the affine filter does not decide */
    struct read_only_set reads;         /* beside them, without a write */
    const char *filtered_kernel;        /* name of a kernel that needed it when it ran last; only compared */
    uint64_t group, base;               /* local: whose it is, and since which barrier */
    struct footprint_keeper keeper;     /* of what launches did that have ended: */
    bool watched;                       /* in the launch that runs: the checker's list has it */
    bool uncollected,
        uncollected_epochs; /* the latest one's affine filter and notes; in the epoch filter's epochs */
    /* in place are those of the launch whose epochs begin here; 0: of none that has any */
    int32_t noted;
};

struct race {
    const struct shadow_region *region;
    uint64_t address; /* the first byte of the cell that both touch */
    uint32_t bytes;
    uint64_t unit; /* the earlier access */
    const struct context *context;
    /* what it read or wrote is what memory had before the later one: shadow_memory_has */
    bool in_memory;
    bool device_dirty; /* R34: whatever orders them, the read need not see the write */
};

struct shadow_access {
    struct unit_state *unit_state;
    struct context how;
    uint64_t address;
    bool sampled; /* a read of an image with a sampler */
    bool quiet;   /* known not to race; it may be older than the cell's accesses */
    /* an update that all those like it before it happen before (order_atomic) */
    bool follows;
    bool follows_all; /* an atomic that all its word's accesses happen before (shadow_follows_all) */
};

/* Updates of lanes of one work-group, while all of the launch is on one device. */
struct shadow_atomic {
    struct context how;
    uint64_t group;
};

/* How often two places of the program raced. race.c keeps it; once it is settled the shadow counts by itself,
 * up to `look`: the pair that comes then is handed to race.c again. */
struct race_counter {
    uint32_t site[2];
    int space;
    bool device_dirty, saturated;
    uint64_t look;    /* UINT64_MAX: nothing but the count can change any more */
    bool uncounted;   /* some pairs since were not even looked at: see shadow_saturated.c */
    uint32_t skipped; /* of those, since the latest that was */
    uint64_t count;
    /* Those counted of the latest access that touches several cells: each is met in every one of them. */
    struct counted {
        uint64_t unit, address;
        uint32_t clock;
    } counted[HOSTILE(16, 3)];
    uint32_t counted_count;
    uint64_t counted_unit, counted_time;
};
enum { COUNTERS = HOSTILE(1024, 1), COUNTED_MOST = HOSTILE(16, 3), COUNTER_ENOUGH = HOSTILE(10000, 100) };

/* Of a pair of sites, in whichever order. Sites are numbers in a row, so that many pairs have one sum. */
static inline uint32_t counter_slot(uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return (low * UINT32_C(0x9E3779B1) + high * UINT32_C(0x85EBCA6B)) >> 16 & (COUNTERS - 1);
}

struct shadow {
    struct order *order;
    void *self;
    void (*race)(void *self, const struct race *race, const struct shadow_access *now);
    const struct order_queries *order_queries; /* has more order than `order` */
    struct race_counter *const *counters;      /* COUNTERS of them, by their sites; entries may be NULL */
    const uint64_t *time;                      /* counts events */
    /* two places of the program may have raced there undetected */
    bool lost[ORDER_REGIONS];
    uint64_t enough; /* pairs of two places: COUNTER_ENOUGH but for tests */
    /* pairs of accesses that were compared, and those of them handed to race() */
    struct {
        uint64_t compared, reported;
    } work;
    /* visits of an allocation after which it is the heavy one; 0: none is */
    uint64_t note_after;
    const struct shadow_region *heavy; /* not noted yet; NULL: none */
    bool met_saturated;                /* the access under way raced with a place that did so often enough */
    bool failed;
};

static inline bool counter_is_of(const struct race_counter *counter, uint32_t a, uint32_t b, int space,
                                 bool device_dirty)
{
    return counter->space == space && counter->device_dirty == device_dirty &&
           ((counter->site[0] == a && counter->site[1] == b) ||
            (counter->site[0] == b && counter->site[1] == a));
}

/* An earlier access in the cell: its first byte, if it is aligned. */
static inline uint64_t context_begin(const struct context *how, uint64_t address)
{
    return how->size & (how->size - 1) ? 0 : address & ~(uint64_t)(how->size - 1);
}

/* The pair was counted for an earlier cell that both touch, or there is no memory to see that. */
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

/* The shadow at a region's index may be that of an earlier region, which had the index. */
static inline bool shadow_is_of(const struct shadow_region *shadow, const struct region *region)
{
    return shadow->id == region->id && shadow->low == region->low && shadow->high == region->high;
}

/* A table by index of struct memory's regions has an entry for this one, NULL at first. False: no memory. */
bool shadow_table_room(struct shadow_region ***regions, uint32_t *room, const struct memory *memory,
                       uint32_t index);
void shadow_region_init(struct shadow_region *region, uint32_t id, uint64_t low, uint64_t high, int space,
                        struct spare *spare);
void shadow_region_fini(struct shadow_region *region);
void shadow_forget(struct shadow_region *region);
/* Cells have contexts, sets and lists of this launch or none that count; access sets lie in the allocation,
 * with the members and versions that they say; saturated words have their cells. */
void shadow_check(const struct shadow_region *region);
void shadow_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now);
/* A plain access at event->base, if it need only be noted down: of places that raced often enough. False:
 * shadow_access must look. */
bool shadow_take_saturated(struct shadow *shadow, struct shadow_region *region,
                           const struct access_event *event, uint64_t unit, uint32_t clock);
bool shadow_is_saturated(const struct shadow_region *region, uint64_t address, const struct context *how);
bool shadow_join(struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address,
                 uint64_t unit);
/* The same in two steps: NULL: shadow_access must look. The result is valid until then. */
struct access_set *shadow_race_free_set(const struct shadow_region *region,
                                        const struct shadow_atomic *atomic, uint64_t address);
bool shadow_add(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t unit);
/* Of lanes, each in its slice; first: unit of lane 0. */
bool shadow_add_lanes(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t first,
                      const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice);
/* Likewise, of a word that was calm a while ago, for updates like these. Nothing that could race with them
 * comes within an epoch. */
/* now: the access set's epoch */
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
uint32_t shadow_sort(const struct context *how); /* as in struct atomic_done */
/* filter NULL: all of them. */
struct unit_filter {
    void *self;
    bool (*wants)(void *self, uint64_t unit, uint64_t clock);
};
void shadow_collect(const struct shadow_region *region, const struct unit_filter *filter,
                    struct footprint_part *part);
uint64_t shadow_collected(const struct shadow_region *region);
/* Each access that is kept for the bytes; one that several cells keep comes as often. */
void shadow_list(const struct shadow_region *region, uint64_t address, uint32_t bytes, void *self,
                 void (*take)(void *self, uint64_t unit, const struct context *how));
void shadow_unsaturate(struct shadow_region *region); /* the next access of each word is judged */

#endif
