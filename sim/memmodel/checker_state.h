/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of the checker share: checker.c receives events and launches, checker_waves.c has
 *          plain accesses of whole waves, through the stages before the shadow, checker_updates.c atomics of
 *          many lanes, checker_lanes.c what goes lane by lane through order and shadow, checker_sync.c
 *          fences, barriers and copies; checker_places.c has units and places, and checker_footprint.c hands
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

/* One lane after another; what they have in common. */
struct acting {
    const struct access_event *event; /* NULL: a fence */
    uint32_t copy;
    struct group_order *group; /* the clock of the wave items */
    struct shadow_region *region;
    enum memory_scope scope; /* reduced, where the region is */
};

/* Lanes of one group, one after another. */
struct member_updates {
    struct shadow_region *region;
    struct update_run run;
    struct shadow_atomic atomic;
    struct calm_word calm; /* where the lane before was */
    /* updates are; one_wave: of at most 64 lanes has the group's first members */
    bool relaxed, one_wave;
    /* of exchanges, relaxed */
    struct {
        struct atomic_act act;
        struct shadow_atomic atomic;
        uint32_t sort;
    } failed;
    uint64_t wave_items;
    uint32_t site; /* the instruction that executes them again; 0: none */
};

/* A wave's reads by one instruction and their place in the affine filter. */
struct standing {
    uint64_t wave_items, clock, mask[LANE_MASK_WORDS];
    uint32_t site, size;
    enum address_shape shape;
    int64_t step_x, step_y;
    struct shadow_region *region;
    struct affine_filter_cursor at;
};
/* A footprint is made of each when the launch ends: of the first in any case, of others while all that
 * takes no more than to look at so many bytes. */
enum {
    CLOCK_SNAPSHOTS_FIRST = HOSTILE(64, 3),
    CLOCK_SNAPSHOTS_MOST = HOSTILE(4096, 4),
    CLOCK_SNAPSHOTS_BYTES = HOSTILE(32 << 20, 1)
};
enum {
    STANDINGS = HOSTILE(32, 2),
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
    /* of these, what the launch that runs has touched */
    struct shadow_region **watched;
    uint32_t watched_count, watched_room;
    struct windows windows;
    struct wave_items wave_items;
    /* the latest unit that acted by itself; serial 0: none */
    struct {
        uint64_t serial, lane;
        struct unit_state unit_state;
    } actor;
    struct standing standings[STANDINGS];                 /* by site */
    struct member_updates member_updates[MEMBER_UPDATES]; /* likewise */
    /* where one acted by itself, among all of a wave items that synchronises */
    struct {
        uint64_t wave_items;
        struct shadow_region *region;
        struct shadow_access now;
    } alone;
    uint64_t time;        /* counts events */
    uint64_t apart_items; /* as struct notes' group_items */
    uint64_t fast_paths[FAST_PATHS];
    uint32_t *compute_units;
    uint64_t unit_room;
    struct ended_group *ended;
    uint32_t ended_count, ended_room; /* those that launches wait for */
    /* when work-items enqueued kernels: CLOCK_SNAPSHOTS_MOST */
    struct order_clock_snapshot *clock_snapshots;
    uint32_t clock_snapshot_count, clock_snapshot_room;
    struct held held;
};

/* The vector clock of a work-group at its end. */
struct ended_group {
    uint64_t number;
    struct vclock *known[ORDER_REGIONS];
};

/* ---- places: checker_places.c ------------------------------------------------------------ */

/* Of allocations that the launch has touched, and of the host's memory, one after another. */
uint32_t checker_shadow_count(const struct checker *checker);
struct shadow_region *checker_shadow_number(const struct checker *checker, uint32_t i);
/* NULL: no memory */
struct shadow_region *checker_region_anew(struct checker *checker, const struct region *region);
/* NULL: what happens there is not kept, or there is no memory. */
struct shadow_region *checker_shadow_at(struct checker *checker, const struct region *region,
                                        uint64_t address);
/* A plain read that is identified by its bytes alone, because no instruction of the launch writes there.
 * False: the unit may matter. */
bool checker_only_reads(const struct checker *checker, struct shadow_region *region);
/* the same, and the set of them is there */
bool checker_begin_reads(const struct checker *checker, struct shadow_region *region);
bool checker_note_read(const struct checker *checker, struct shadow_region *region, const struct context *how,
                       uint64_t address);
/* Accesses there of launches that have ended: a command that may query them does so now. */
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

/* Memory that the host has by itself, and kernels touch with fine-grained system sharing. */
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

void checker_man_anew(struct checker *checker, const struct origin *origin, uint32_t lane_count);
/* fills in wave items.unit[] */
void checker_name_units(struct checker *checker, const struct origin *origin);

static inline void man(struct checker *checker, const struct origin *origin, uint32_t lane_count)
{
    if (!wave_items_spans(&checker->wave_items, origin, lane_count))
        checker_man_anew(checker, origin, lane_count);
}

/* ---- lane by lane: checker_lanes.c ---------------------------------------------------------- */

/* what stands before the shadow goes into it */
void checker_spill(struct checker *checker, struct shadow_region *region);
uint64_t checker_access_unit(const struct checker *checker, const struct past_access *access);
void checker_access_lanes(struct checker *checker, const struct access_event *event, const uint64_t *mask);
struct unit_state *checker_actor_anew(struct checker *checker, struct acting *acting, uint64_t lane);
struct unit_state *checker_next_actor(struct checker *checker, uint64_t lane);
/* For explanations: of an atomic that was remembered just now. */
void checker_note_values(struct checker *checker, const struct access_event *event, uint64_t lane,
                         uint64_t unit);

/* Of a lane that acts by itself, possibly for a while. */
static inline bool acts_still(const struct checker *checker, uint64_t lane)
{
    return checker->actor.serial == checker->wave_items.serial && checker->actor.lane == lane &&
           checker->actor.unit_state.item;
}

static inline struct unit_state *actor(struct checker *checker, struct acting *acting, uint64_t lane)
{
    return acts_still(checker, lane) && !acting->copy ? &checker->actor.unit_state
                                                      : checker_actor_anew(checker, acting, lane);
}

/* Of a wave items that is of one group, and not for a copy. */
static inline struct unit_state *single_actor(struct checker *checker, uint64_t lane)
{
    return acts_still(checker, lane) ? &checker->actor.unit_state : checker_next_actor(checker, lane);
}

/* That of the wave items, while one of it was the latest to act by itself, and the group is in a hand-off;
 * else NULL. */
static inline struct group_order *relayed_group(const struct checker *checker)
{
    struct group_order *group =
        checker->actor.serial == checker->wave_items.serial ? checker->actor.unit_state.group : NULL;
    return group && group->slices ? group : NULL;
}

/* checker.c: of the heavy allocation */
void checker_note_cost(struct checker *checker, const struct access_event *event);

/* event: the one under way, of the wave items; NULL: held accesses. */
static inline void report_new_races(struct checker *checker, const struct access_event *event)
{
    if (__builtin_expect(checker->shadow.heavy && event, 0))
        checker_note_cost(checker, event);
    if (!checker->races.unreported_pairs)
        return;
    if (event)
        checker_name_units(checker, &event->origin);
    races_report(&checker->races, &(struct race_event){event, checker->wave_items.unit});
}

/* Plain accesses before any synchronisation: all of them are of one segment. */
static inline bool is_early(const struct checker *checker, const struct access_event *event)
{
    return !checker->order.groups && event->kind <= ACCESS_WRITE && !event->copy &&
           !checker->memory->host.permits;
}

/* ---- whole waves: checker_waves.c ------------------------------------------------------------ */

/* True: all of it is dealt with. The rest is done lane by lane. */
bool checker_take_whole(struct checker *checker, const struct access_event *event);
bool checker_take_epoch_filter(struct checker *checker, const struct access_event *event,
                               struct shadow_region *region, uint64_t clock, uint64_t base);
/* of all lanes; false: they have none in common */
bool checker_common_clock(const struct checker *checker, uint64_t *out_clock);

static inline bool same_mask(const uint64_t a[LANE_MASK_WORDS], const uint64_t b[LANE_MASK_WORDS])
{
    uint64_t differs = 0;
    for (int w = 0; w < LANE_MASK_WORDS; w++)
        differs |= a[w] ^ b[w];
    return !differs;
}

/* The next read by the same lanes and instruction. */
static inline bool stands(struct checker *checker, const struct access_event *event, uint64_t clock)
{
    struct standing *standing = &checker->standings[event->origin.site % STANDINGS];
    return standing->wave_items == checker->wave_items.serial && standing->site == event->origin.site &&
           event->kind == ACCESS_READ && standing->clock == clock && standing->shape == event->shape &&
           standing->size == event->size_bytes && standing->step_x == event->step_x &&
           standing->step_y == event->step_y && event->base >= standing->region->low &&
           event->base < standing->region->high && same_mask(standing->mask, event->mask) &&
           affine_filter_move(&standing->region->affine_filter, &standing->at, event->base);
}

/* Before any synchronisation. */
static inline bool stands_early(struct checker *checker, const struct access_event *event)
{
    return !checker->order.groups && event->kind == ACCESS_READ && event->shape != ADDRESS_LIST &&
           !event->copy && stands(checker, event, 1);
}

/* ---- the rest ------------------------------------------------------------------------------- */

/* checker_updates.c */
void checker_atomic_access(struct checker *checker, const struct access_event *event);
/* checker_sync.c */
void checker_on_sync(void *self, const struct sync_event *event);
/* held accesses; of the group that ends, whoever never came, or HELD_NO_GROUP */
void checker_let_go(struct checker *checker, uint64_t group);
/* checker_footprint.c */
/* at its end, to the sink */
void checker_hand_over(struct checker *checker, const struct launch_info *launch);
/* its number, from 1; 0: none */
uint32_t checker_keep_clock_snapshot(struct checker *checker, const struct origin *origin,
                                     uint32_t lane_count, uint32_t lane);
/* at its end, if a launch waits for it */
void checker_keep_group(struct checker *checker, const struct launch_event *event);

#endif
