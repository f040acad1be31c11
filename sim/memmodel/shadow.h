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
 *                                that races with it; a quiet one comes out of the journal
 *   shadow_again                 a plain access like the one before, by another unit or elsewhere
 *                                in the same allocation
 *   shadow_join                  an atomic update like those that the word has, which nothing can
 *                                race with; false: shadow_access must look
 *   shadow_forget                nothing in the allocation matters any more
 *   shadow_collect               the bytes that this launch touched; shadow_collected: how many it looks at for that
 *
 * Cells    16 bytes for 4 of data: two stamps of 34 bits unit, 30 bits context. A context says
 *          when, where and how; contexts are numbered per allocation and older ones than
 *          `first` are stale. Of single bytes: narrow.h. The second stamp is of a read or of a lone atomic
 *          access, or stands for a set of readers (readers.h; its unit is their base), or for a list (struct crowd) of many
 *          readers and atomics, in blocks of 64 units.
 */
#ifndef ORRERY_MEMMODEL_SHADOW_H
#define ORRERY_MEMMODEL_SHADOW_H

#include "doubt.h"
#include "footprint.h"
#include "journal.h"
#include "narrow.h"
#include "order.h"
#include "readers.h"
#include "only_read.h"
#include "sieve.h"
#include "orrery/limits.h"
#include "orrery/memory.h"

/* How a unit touched memory. */
struct context {
    uint32_t tick;
    uint32_t site;
    uint32_t size;            /* of the access, which tells atomic objects apart */
    uint8_t kind, scope;      /* enum access_kind, memory_scope (reduced) */
    uint8_t order;
    bool own;                 /* stands in one cell only: shadow_settled.c */
};

struct crowd;
struct dropped; /* shadow_dropped.c */

/* Cells of words, or of bytes: 1 << unit_shift. Those of bytes are narrow while that goes. */
struct shadow_page { uint32_t unit_shift; uint64_t (*cells)[2]; struct narrow *narrow; };

/* A word whose races were told often enough: shadow_settled.c. */
struct settled_word { uint64_t address; struct crowd *crowd; uint64_t *cell; };
enum { SETTLED_WORDS = HOSTILE(8, 1) };

struct shadow_region {
    uint32_t id;              /* struct region's */
    uint64_t low, high;
    int space;                /* IN_GLOBAL, IN_LOCAL */
    bool svm_atomics;         /* fine-grained SVM with atomics */
    bool apart;               /* of several launches, no family's atomics are for another's */
    bool alone;               /* nor are those of one launch for another */
    bool of_host;             /* a window of the host's own memory: windows.h */
    uint32_t first;           /* contexts below are stale */
    struct context *contexts; /* [first, next) */
    uint32_t next, room;
    uint32_t newest;          /* tick of any of them */
    uint32_t *by_site; uint32_t site_count; /* the latest context of a site */
    uint32_t *again;          /* some contexts by site and tick; NULL: none */
    struct shadow_page *pages;
    struct readers readers;
    struct crowd **crowds; uint32_t crowd_count, crowd_room, crowd_used;
    struct settled_word settled[SETTLED_WORDS]; /* of late, by address */
    uint32_t racer_cells;     /* crowds that keep accesses which raced */
    struct dropped *dropped;  /* what raced, and was not kept; NULL: none */
    bool lacking;             /* there was no room for some of it */
    uint64_t epochs;          /* of crowds, given out so far; kept while the allocation lives */
    bool touched;
    bool atomic;              /* some access of this launch was: plain stores may end release sequences */
    bool bygone;              /* a plain write came after an atomic that had no list */
    bool few;                 /* some sets are of atomics */
    bool thinned;             /* some reads were left out that others stand for: races are counted no more */
    struct journal journal;   /* what need not stand in cells */
    struct sieve sieve;       /* likewise; what the journal does not decide */
    struct only_read reads;   /* beside them, where nobody writes */
    const char *sieved;       /* name of a kernel that needed it when it ran last; only compared */
    uint64_t group, base; /* local: whose it is, and since which barrier */
    struct footprint_keeper keeper; /* of what launches did that have ended: */
    bool heard;               /* in the launch that runs: the checker's list has it */
    bool in_place, in_stamps; /* the latest one's journal and notes; in the sieve's stamps */
    int32_t noted;            /* in place are those of the launch whose stamps begin here; 0: of none that has any */
};

struct race {
    const struct shadow_region *region;
    uint64_t address;              /* the first byte of the cell that both touch */
    uint32_t bytes;
    uint64_t unit;                 /* the earlier access */
    const struct context *context;
    bool in_memory;                /* what it read or wrote is what memory had before the later one: shadow_memory_has */
    bool unseen;                   /* R34: whatever orders them, the read need not see the write */
};

struct shadow_access {
    struct agent *agent;
    struct context how;
    uint64_t address;
    bool sampled;             /* a read of an image with a sampler */
    bool quiet;               /* known not to race; it may be older than what the cell has */
    bool follows;             /* an update that knows of all those like it which came before it (order_atomic) */
    bool follows_all;         /* an atomic that knows of all that its word has (shadow_follows_all) */
};

/* Updates of lanes of one work-group, while all of the launch is on one device. */
struct shadow_atomic { struct context how; uint64_t group; };

/* How often two places of the program raced. Who hears of races keeps it; once it is settled nothing but this can change. */
struct race_tally {
    uint32_t site[2];
    int space;
    bool unseen, settled;
    bool uncounted;           /* some pairs since were not even looked at: see shadow_settled.c */
    uint64_t count;
    /* Those counted of the latest access that touches several cells: each is met in every one of them. */
    struct counted { uint64_t unit, address; uint32_t tick; } counted[HOSTILE(16, 3)];
    uint32_t counted_count;
    uint64_t counted_unit, counted_time;
};
enum { TALLIES = HOSTILE(64, 1), COUNTED_MOST = HOSTILE(16, 3), TALLY_ENOUGH = HOSTILE(10000, 100) };

struct shadow {
    struct order *order;
    void *self;
    void (*race)(void *self, const struct race *race, const struct shadow_access *now);
    const struct doubts *doubts;       /* who knows more than the order */
    struct race_tally *const *tallies; /* TALLIES of them, by their sites; entries may be NULL */
    const uint64_t *time;              /* counts events */
    bool lost[ORDER_REGIONS];          /* two places of the program may have raced there, and nobody could tell */
    uint64_t enough;                   /* pairs of two places: TALLY_ENOUGH but for tests */
    bool met_enough;                   /* the access under way raced with a place that did so often enough */
    bool failed;
};

static inline bool tally_is_of(const struct race_tally *tally, uint32_t a, uint32_t b, int space, bool unseen)
{
    return tally->space == space && tally->unseen == unseen &&
           ((tally->site[0] == a && tally->site[1] == b) || (tally->site[0] == b && tally->site[1] == a));
}

/* What of an earlier access stands in the cell: where it began, if it is aligned. */
static inline uint64_t context_begin(const struct context *how, uint64_t address)
{
    return how->size & (how->size - 1) ? 0 : address & ~(uint64_t)(how->size - 1);
}

/* The pair was counted for an earlier cell that both touch, or there is no room to know it. */
static inline bool tally_has(struct race_tally *tally, const struct counted *earlier, uint64_t later, uint64_t time)
{
    if (tally->counted_time != time || tally->counted_unit != later)
        tally->counted_count = 0;
    tally->counted_time = time;
    tally->counted_unit = later;
    for (uint32_t i = 0; i < tally->counted_count; i++)
        if (tally->counted[i].unit == earlier->unit && tally->counted[i].tick == earlier->tick && tally->counted[i].address == earlier->address)
            return true;
    if (tally->counted_count == COUNTED_MOST) {
        tally->uncounted = true;
        return true;
    }
    tally->counted[tally->counted_count++] = *earlier;
    return false;
}

/* What stands for a region of memory may be that of an earlier one, which had its index. */
static inline bool shadow_is_of(const struct shadow_region *shadow, const struct region *region)
{
    return shadow->id == region->id && shadow->low == region->low && shadow->high == region->high;
}

/* A table by index of struct memory's regions has an entry for this one, NULL at first. False: no memory. */
bool shadow_table_room(struct shadow_region ***regions, uint32_t *room, const struct memory *memory, uint32_t index);
void shadow_region_init(struct shadow_region *region, uint32_t id, uint64_t low, uint64_t high, int space, struct spare *spare);
void shadow_region_fini(struct shadow_region *region);
void shadow_forget(struct shadow_region *region);
void shadow_access(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now);
/* A plain access at event->base, if it need only be noted down: of places that raced often enough. False: shadow_access must look. */
bool shadow_enough(struct shadow *shadow, struct shadow_region *region, const struct access_event *event, uint64_t unit, uint32_t tick);
void shadow_again(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now);
bool shadow_join(struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address, uint64_t unit);
/* The same in two steps: NULL: shadow_access must look. What it found is good until then. */
struct crowd *shadow_calm(const struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address);
bool shadow_add(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t unit);
/* Of lanes, each in its slice; first: unit of lane 0. */
bool shadow_add_lanes(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t first, const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice);
/* Likewise, of a word that was calm a while ago, for updates like these. Nothing that could race with them comes within an epoch. */
struct calm_word { struct crowd *crowd; uint64_t address, epoch; const uint64_t *now; uint32_t first; }; /* now: the crowd's epoch */
bool shadow_calms_anew(const struct shadow_region *region, struct calm_word *word, const struct shadow_atomic *atomic, uint64_t address);

static inline bool shadow_is_calm(const struct shadow_region *region, const struct calm_word *word, uint64_t address)
{
    return word->crowd && word->address == address && word->epoch == *word->now && word->first == region->first;
}

static inline bool shadow_stays_calm(const struct shadow_region *region, struct calm_word *word, const struct shadow_atomic *atomic, uint64_t address)
{
    return shadow_is_calm(region, word, address) || shadow_calms_anew(region, word, atomic, address);
}
uint32_t shadow_sort(const struct context *how); /* as in struct atomic_done */
/* filter NULL: all of them. */
struct unit_filter { void *self; bool (*wants)(void *self, uint64_t unit, uint64_t tick); };
void shadow_collect(const struct shadow_region *region, const struct unit_filter *filter, struct footprint_part *part);
uint64_t shadow_collected(const struct shadow_region *region);

#endif
