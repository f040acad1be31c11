/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the checker share: checker.c receives events and launches; checker_waves.c
 *          passes plain accesses of whole waves through the filters; checker_updates.c has atomics of many
 *          lanes; checker_lanes.c processes accesses lane by lane in order and shadow; checker_sync.c has
 *          fences, barriers and copies; checker_places.c has units and allocations; checker_footprint.c hands
 *          what a launch touched to the rules between commands.
 */
#ifndef ORRERY_MEMMODEL_CHECKER_STATE_H
#define ORRERY_MEMMODEL_CHECKER_STATE_H

#include "checker.h"
#include "sim/memmodel/shadow/wave_items.h"
#include "sim/memmodel/order/deferred_copy.h"
#include "sim/memmodel/race/misuse.h"
#include "sim/memmodel/race/race.h"
#include "sim/memmodel/shadow/host_shadow.h"

/* An event that is processed lane by lane: what is the same for all lanes. */
struct acting {
    const struct access_event *event; /* NULL: a fence */
    uint32_t copy;
    struct group_order *group; /* of the wave, once it was looked up */
    struct shadow_region *region;
    enum memory_scope scope; /* reduced to the region's */
};

/* Atomic updates of one instruction by lanes of one group that synchronises. */
struct member_updates {
    struct shadow_region *region;
    struct update_run run;
    struct shadow_atomic atomic;
    struct race_free_word word; /* of the lane before */
    bool relaxed;               /* the updates are */
    /* compare-exchanges that failed, with relaxed failure order */
    struct {
        struct atomic_operation act;
        struct shadow_atomic atomic;
        uint32_t sort;
    } failed;
    uint64_t wave_items;
    uint32_t site; /* of the instruction; 0: the entry is empty */
};

/* The latest read of a wave by one instruction, if the affine filter took it, and where it is there: the next
 * read that differs in its base alone only moves the cursor. */
struct read_cursor {
    uint64_t wave_items, clock, mask[LANE_MASK_WORDS];
    uint32_t site, size;
    enum address_shape shape;
    int64_t step_x, step_y;
    struct shadow_region *region;
    struct affine_filter_cursor at;
};
/* At the end of the launch each clock snapshot gets a footprint: CLOCK_SNAPSHOTS_FIRST of them in any case,
 * more while collecting them all looks at no more than CLOCK_SNAPSHOTS_BYTES. */
enum {
    CLOCK_SNAPSHOTS_FIRST = HOSTILE(64, 3),
    CLOCK_SNAPSHOTS_MOST = HOSTILE(4096, 4),
    CLOCK_SNAPSHOTS_BYTES = HOSTILE(32 << 20, 1)
};
enum {
    READ_CURSORS = HOSTILE(32, 2),
    MEMBER_UPDATES = HOSTILE(8, 1),
    SPARE_BYTES = HOSTILE(64 << 20, 1 << 12),
    KEPT_BYTES = HOSTILE(64 << 10, 0),
    NOTE_AFTER = 1 << 24
};

struct checker {
    const struct memory *memory;
    const struct scenario *scenario;
    struct checker_host host;
    struct footprint_sink sink;
    bool has_sink, races_wanted, atomics_wanted, reported_failure;

    struct order order;
    struct sync_log sync_log; /* of the launch that runs */
    struct shadow shadow;
    struct spare spare;
    struct races races;
    struct misuse misuse;
    struct shadow_region **regions;
    uint32_t region_room; /* by index of struct memory */
    /* those of `regions` that the running launch has touched */
    struct shadow_region **watched;
    uint32_t watched_count, watched_room;
    struct windows windows;
    struct wave_items wave_items;
    /* The state of the lane processed last, if its wave is of one group. serial: the wave's; 0: none. */
    struct {
        uint64_t serial, lane;
        struct unit_state unit_state;
    } actor;
    struct read_cursor read_cursors[READ_CURSORS];        /* by site, modulo */
    struct member_updates member_updates[MEMBER_UPDATES]; /* by site, modulo */
    /* The allocation of the latest access by a single lane of the wave with that serial. */
    struct {
        uint64_t wave_items;
        struct shadow_region *region;
        struct shadow_access now;
    } alone;
    uint64_t time;        /* counts events */
    uint64_t apart_items; /* group_items of struct access_log */
    uint64_t fast_paths[FAST_PATHS];
    uint32_t *compute_units;
    uint64_t unit_room;
    struct ended_group *ended;
    uint32_t ended_count, ended_room; /* groups that a child launch waits for */
    /* of work-items when they enqueued kernels, at most CLOCK_SNAPSHOTS_MOST */
    struct order_clock_snapshot *clock_snapshots;
    uint32_t clock_snapshot_count, clock_snapshot_room;
    struct held held;
};

/* The vector clock of a work-group at its end. */
struct ended_group {
    uint64_t number;
    struct vclock *vclock[ORDER_REGIONS];
};

/* ---- places: checker_places.c ------------------------------------------------------------ */

/* Shadows of the allocations that the launch has touched, then those of the host's own memory. */
uint32_t checker_shadow_count(const struct checker *checker);
struct shadow_region *checker_shadow_number(const struct checker *checker, uint32_t i);
/* NULL: no memory */
struct shadow_region *checker_region_anew(struct checker *checker, const struct region *region);
/* The shadow for an access. NULL: memory that is not checked, or out of memory. */
struct shadow_region *checker_shadow_at(struct checker *checker, const struct region *region,
                                        uint64_t address);
/* Has the running kernel no instruction that writes to the allocation? Then its reads cannot race. */
bool checker_only_reads(const struct checker *checker, struct shadow_region *region);
/* As checker_only_reads, and the read-only set takes over the access log. */
bool checker_begin_reads(const struct checker *checker, struct shadow_region *region);
/* True: the read was added to the read-only set. */
bool checker_note_read(const struct checker *checker, struct shadow_region *region,
                       const struct access_context *how, uint64_t address);
/* Footprints of ended launches that are still in the filters are collected now, by the commands that need
 * them. */
void checker_settle(struct checker *checker, struct shadow_region *region);
/* Local memory begins anew with each group (R38), and at a barrier that ordered all of it before all of the
 * group. */
void checker_renew_local(struct checker *checker, struct shadow_region *region, uint64_t group);

static inline enum memory_scope scope_in(const struct checker *checker, const struct shadow_region *region,
                                         enum memory_scope scope)
{
    return order_scope(&checker->order, scope, region->space == IN_LOCAL, region->svm_atomics);
}

static inline struct shadow_region *region_of(struct checker *checker, const struct region *region)
{
    const uint32_t index = (uint32_t)(region - checker->memory->regions);
    struct shadow_region *shadow = index < checker->region_room ? checker->regions[index] : NULL;
    return shadow && shadow_is_of(shadow, region) && shadow->watched ? shadow
                                                                     : checker_region_anew(checker, region);
}

/* Is it memory of the host, which kernels access by fine-grained system sharing? */
static inline bool is_of_host(const struct checker *checker, uint64_t address)
{
    return checker->memory->host.permits && address - checker->memory->base >= checker->memory->size;
}

static inline bool is_watched(const struct region *region)
{
    return region->kind == REGION_BUFFER || region->kind == REGION_VARIABLE ||
           region->kind == REGION_LOCAL_VARIABLE;
}

static inline uint64_t first_address(const struct access_event *event)
{
    return event->shape == ADDRESS_UNIFORM
               ? event->base
               : lane_address(event, next_lane(event->mask, 0, event->lane_count, true));
}

/* NULL: not watched, or no memory. */
static inline struct shadow_region *region_at(struct checker *checker, uint64_t address)
{
    const struct region *found = memory_region(checker->memory, address);
    return is_watched(found) ? region_of(checker, found) : NULL;
}

static inline bool is_in(const struct shadow_region *region, uint64_t address)
{
    return address >= region->low && address < region->high;
}

/* ---- units: checker_places.c ---------------------------------------------------------------- */

uint64_t checker_unit_of(const struct checker *checker, const struct origin *origin, uint32_t lane);
void checker_begin_wave(struct checker *checker, const struct origin *origin, uint32_t lane_count);
/* Sets wave_items.unit[]. */
void checker_fill_units(struct checker *checker, const struct origin *origin);

static inline void checker_enter_wave(struct checker *checker, const struct origin *origin,
                                      uint32_t lane_count)
{
    if (!wave_items_spans(&checker->wave_items, origin, lane_count))
        checker_begin_wave(checker, origin, lane_count);
}

/* ---- lane by lane: checker_lanes.c ---------------------------------------------------------- */

/* Replays affine filter and access log into the shadow; from then on all accesses go there. */
void checker_replay(struct checker *checker, struct shadow_region *region);
uint64_t checker_access_unit(const struct checker *checker, const struct past_access *access);
void checker_access_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask);
/* An atomic by one lane, whose compare-exchange may have failed; without an address. */
struct atomic_operation checker_operation(const struct access_event *event,
                                          const struct shadow_region *region, bool failed);
struct unit_state *checker_actor_anew(struct checker *checker, struct acting *acting, uint64_t lane);
struct unit_state *checker_next_actor(struct checker *checker, uint64_t lane);
/* The values of the atomic that was added to the sync log just now, for explanations. */
void checker_note_values(struct checker *checker, const struct access_event *event, uint64_t lane,
                         uint64_t unit);

/* Is checker->actor the state of this lane? */
static inline bool is_actor(const struct checker *checker, uint64_t lane)
{
    return checker->actor.serial == checker->wave_items.serial && checker->actor.lane == lane &&
           checker->actor.unit_state.item;
}

static inline struct unit_state *actor(struct checker *checker, struct acting *acting, uint64_t lane)
{
    return is_actor(checker, lane) && !acting->copy ? &checker->actor.unit_state
                                                    : checker_actor_anew(checker, acting, lane);
}

/* As actor(), for a wave of one group and no copy. */
static inline struct unit_state *single_actor(struct checker *checker, uint64_t lane)
{
    return is_actor(checker, lane) ? &checker->actor.unit_state : checker_next_actor(checker, lane);
}

/* checker.c: a note about the allocation whose checks make the run slow */
void checker_note_cost(struct checker *checker, const struct access_event *event);

/* event: of the present wave; NULL: accesses of deferred copies. */
static inline void report_new_races(struct checker *checker, const struct access_event *event)
{
    if (__builtin_expect(checker->shadow.heavy && event, 0))
        checker_note_cost(checker, event);
    if (!checker->races.unreported_pairs)
        return;
    if (event)
        checker_fill_units(checker, &event->origin);
    races_report(&checker->races, &(struct race_event){event, checker->wave_items.unit});
}

/* ---- whole waves: checker_waves.c ------------------------------------------------------------ */

/* True: a filter has taken the event. False: it goes lane by lane. */
bool checker_take_whole(struct checker *checker, const struct access_event *event);
bool checker_take_epoch_filter(struct checker *checker, const struct access_event *event,
                               struct shadow_region *region, uint64_t clock, uint64_t base);
/* The clock value of all lanes. False: they differ, or may. */
bool checker_common_clock(const struct checker *checker, uint64_t *out_clock);

static inline bool same_mask(const uint64_t a[LANE_MASK_WORDS], const uint64_t b[LANE_MASK_WORDS])
{
    uint64_t differs = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        differs |= a[w] ^ b[w];
    return !differs;
}

static inline bool cursor_has_pattern(const struct read_cursor *read_cursor, const struct access_event *event)
{
    return read_cursor->shape == event->shape && read_cursor->size == event->size_bytes &&
           read_cursor->step_x == event->step_x && read_cursor->step_y == event->step_y;
}

/* Does the event repeat the latest read of the same lanes by the same instruction at the next base? Then it
 * is recorded in the affine filter. */
static inline bool cursor_takes(struct checker *checker, const struct access_event *event, uint64_t clock)
{
    struct read_cursor *read_cursor = &checker->read_cursors[event->origin.site % READ_CURSORS];
    if (read_cursor->wave_items != checker->wave_items.serial || read_cursor->site != event->origin.site)
        return false;
    if (event->kind != ACCESS_READ || read_cursor->clock != clock || !cursor_has_pattern(read_cursor, event))
        return false;
    return is_in(read_cursor->region, event->base) && same_mask(read_cursor->mask, event->mask) &&
           affine_filter_cursor_move(&read_cursor->region->affine_filter, &read_cursor->at, event->base);
}

/* As cursor_takes, before any synchronisation: the clock value is 1. */
static inline bool cursor_takes_early(struct checker *checker, const struct access_event *event)
{
    const bool affine_read = event->kind == ACCESS_READ && event->shape != ADDRESS_LIST && !event->copy;
    return affine_read && !checker->order.groups && cursor_takes(checker, event, 1);
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* checker_updates.c */
void checker_atomic_access(struct checker *checker, const struct access_event *event);
/* checker_sync.c */
void checker_on_sync(void *self, const struct sync_event *event);
/* Performs the accesses of deferred copies that can start now; at the end of `group` also those that some of
 * its work-items never reached. DEFERRED_COPY_NO_GROUP: no group ends. */
void checker_perform_deferred(struct checker *checker, uint64_t group);
/* checker_footprint.c */
/* The launch's footprint, at its end, to the sink. */
void checker_hand_over(struct checker *checker, const struct launch_info *launch);
/* Of the work-item in that lane. Returns its number, from 1; 0: there is none. */
uint32_t checker_keep_clock_snapshot(struct checker *checker, const struct origin *origin,
                                     uint32_t lane_count, uint32_t lane);
/* At the end of a work-group: keeps its vector clock if a child launch waits for the group. */
void checker_keep_group(struct checker *checker, const struct launch_event *event);

#endif
