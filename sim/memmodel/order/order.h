/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Happens-before inside one kernel launch, one relation per region (global, local,
 *          images): R1 to R21 and R37 of the memory model.
 *
 * Time     Clock values count the synchronising events of the launch. An access carries the clock value at
 *          which its unit's current slice began; a slice of a unit ends at each release of
 *          its own and each barrier of its sub-group or group. "Known before clock value T" then
 *          decides exactly which accesses happen before. Releases by several units in one event have one
 *          clock value.
 *
 * Units    A work-item is group * (largest group) + local linear id. A group copies by units
 *          of their own, numbered from UNIT_COPIES.
 *
 * Interface
 *   order_launch_begin, order_launch_end           of a launch
 *   order_group, order_group_end     state of a resident work-group, made when needed
 *   order_unit_state         the unit that acts now
 *   order_has                is an epoch ordered before the unit's next operation?
 *   order_sub_group_arrival  a sub-group that the next order_sub_groups_meet is about: each by itself
 *   order_named_arrival      a sub-group that the next order_named_barrier of its group is about
 *   order_parted_arrivals    of a wave, at a barrier of its work-group that the next order_parted_barrier is
 *                            about: not all of the work-group wait there
 *   order_barrier, order_parted_barrier, order_sub_group_barrier, order_named_barrier, order_fence,
 *   order_atomic, order_update, order_overwrite, order_overwrite_otherwise,
 *   order_copy_start, _arrive, _wait   the synchronising events
 *   order_check              asserts all invariants
 *   order_explain            why an epoch does not happen before, as far as that is kept
 *
 * Memory   What fails to be allocated sets order->failed; findings after that would be wrong.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_H

#include "sync_log.h"
#include "vclock.h"
#include "sim/memmodel/common/scope.h"
#include "sim/memmodel/common/fast_path.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

enum { IN_GLOBAL, IN_LOCAL, IN_IMAGE, ORDER_REGIONS }; /* bit i of REGION_* */

static const uint64_t UNIT_COPIES = UINT64_C(1) << 33, UNIT_END = UINT64_C(1) << 34;

/* The clock published at once, by a release or by several that reach the same readers: one for all lists that
 * hold it. */
struct release {
    uint32_t references;
    uint32_t site;
    uint64_t unit; /* the latest that released */
    struct vclock *known[ORDER_REGIONS];
    struct release *next; /* unused ones */
};
/* none: when there is no memory */
struct release_pool {
    struct release *unused;
    void *blocks;
    struct release none;
};

/* The clocks published by the releases of one scope instance. */
struct release_clock {
    enum memory_scope scope;        /* as written; reduced when it stands in a list */
    uint32_t flags;                 /* REGION_* of a fence */
    bool fence, svm_atomics, apart; /* svm_atomics, apart: came by an object there */
    struct place place;
    struct release *release;
    uint64_t stream;  /* pending: the generation that all of it came of; 0: any */
    uint64_t version; /* in an object's list: the list's when it changed last */
};

struct release_clock_list {
    struct release_clock *items;
    uint32_t count, room;
};

/* Read by atomics, for a later acquire fence. A clock that was joined as it is now need not be joined again.
 * Bits of the first PENDING_BITS messages. */
struct pending {
    struct release_clock_list list;
    uint64_t fresh, unreached; /* it met none; it met the latest, which it does not reach */
    bool met;                  /* the others met such a fence: */
    enum memory_scope scope;
    uint32_t flags, site;
};
enum { PENDING_BITS = 64 };

/* An edge that did not come about, for explanations. */
struct missed_edge {
    enum missed_why { MISSED_NOTHING, MISSED_SCOPE, MISSED_ACQUIRE, MISSED_RELEASE, MISSED_REGION } why;
    uint32_t release_site, acquire_site;
    enum memory_scope release_scope, acquire_scope;
    uint64_t release_unit;
    uint64_t clock;                 /* MISSED_RELEASE: when the relaxed store happened */
    bool local, apart, svm_atomics; /* where the atomic object lies */
    struct release *release;        /* NULL: MISSED_RELEASE */
};
enum { MISSED_KEPT = 4 };

/* A release whose sequence this unit may continue with a relaxed store (R8). */
struct live_release {
    uint64_t address, generation;
    struct release_clock release_clock;
};

struct atomic_act {
    uint64_t address;
    uint32_t size;
    int region;
    bool reads, writes;
    enum memory_ordering order; /* the one that applies: of failure for a compare-exchange that failed */
    enum memory_scope scope;
    uint32_t site;
    bool svm_atomics; /* the object lies in fine-grained SVM with atomics */
    /* of several launches, no family's atomics are for another's there (R32) */
    bool apart;
    /* of a compare-exchange that failed: 1 + its order of success; 0: it is something else */
    uint8_t success;
};
/* How far the list of an atomic object was read: what is as old is pending, or acquired with a scope, and
 * teaches nothing new. stream 0: nothing. */
struct list_seen {
    uint64_t stream, version, acquired;
    enum memory_scope scope;
};
enum { LISTS_SEEN = HOSTILE(8, 1) };

/* An atomic access that stands in the shadow (see checker_updates.c): the same again changes nothing. */
struct atomic_done {
    uint64_t address, clock_version, clock;
    uint32_t sort, site;
};

struct item_order {
    uint64_t unit;
    uint32_t latest; /* 1 + index of its last operation in the history */
    /* and so much of it was searched for the writer of the value that one read */
    uint32_t asked;
    uint32_t sub_group;
    uint64_t slice;
    struct vclock *acquired[ORDER_REGIONS];
    struct release_clock_list fences; /* newest release fence of each scope and flags */
    struct pending pending[ORDER_REGIONS];
    struct list_seen seen[LISTS_SEEN];
    uint32_t seen_next;  /* the place of the oldest */
    uint64_t image_base; /* its reads see what it wrote to images before */
    struct live_release *live;
    uint32_t live_count, live_room;
    struct missed_edge missed[MISSED_KEPT];
    uint32_t missed_next;
    struct item_order *next; /* spare ones */
};

struct sub_group_order {
    uint64_t base[ORDER_REGIONS], slice;
    struct vclock *acquired[ORDER_REGIONS];
};

struct barrier_seen {
    uint32_t site, regions;
    uint64_t clock;
    bool sub_group, named;
};

/* Of an atomic object. unit UNIT_END: none. */
struct latest_store {
    uint32_t site;
    uint64_t unit, clock;
    bool releases;
};

/* Members that wait in a loop for an atomic object read it together. The clocks they read are joined into
 * each when it acts by itself again. By local id, of the first WAVE_LANES_MAX. */
struct waiting {
    uint64_t reader[LANE_MASK_WORDS]; /* members that have read and did not join yet */
    struct atomic_act act;
    uint64_t stream, version;       /* of the list; version 0: none */
    struct release_clock_list list; /* of the object, as it was */
    struct latest_store store;      /* likewise */
    /* whose latest atomic is this one, which stands in the shadow */
    uint64_t done[LANE_MASK_WORDS];
    struct atomic_done latest;
};

struct group_order {
    uint64_t number;
    struct waiting *waiting; /* NULL: none ever did */
    /* what members hand each other, while that is so simple; else NULL */
    struct handoff *handoff;
    /* in a hand-off, by local id: the clock value of what each does now; else NULL */
    const uint32_t *slices;
    bool handoff_tried;
    uint64_t base[ORDER_REGIONS]; /* all that the group did before happens before every member's next
                                   * operation */
    uint64_t slice;
    struct vclock *acquired[ORDER_REGIONS];
    /* that, and what the group did before handed_base; NULL: not made yet */
    struct vclock *handed[ORDER_REGIONS];
    uint64_t handed_base[ORDER_REGIONS];
    struct sub_group_order *sub_groups; /* NULL until a sub-group barrier */
    struct item_order **items;          /* by local linear id; NULL until one synchronises */
    uint32_t item_count;                /* of those made */
    uint32_t *copies;
    uint32_t copy_count; /* those not waited for yet: indices into order->copies */
    /* of copies, by local id; NULL: the members reached each together */
    uint32_t *calls;
    /* the unit of the copy that the first member reached by itself; else UNIT_END */
    uint64_t performed;
    struct barrier_seen barrier; /* the latest */
    uint64_t joint;              /* the clock value of the latest that was the whole group's */
    struct group_order *next;
};

/* A member's clock when it reached a copy. */
struct copy_member {
    bool came;
    uint64_t slice; /* began then */
    uint64_t sub_base[ORDER_REGIONS];
    struct vclock *sub[ORDER_REGIONS], *item[ORDER_REGIONS];
};

/* A unit's clock at some point, its own and as one of its group. */
struct order_clock_snapshot {
    uint64_t unit;
    uint64_t base[ORDER_REGIONS];
    struct vclock *acquired[ORDER_REGIONS];
    struct copy_member self;
};

struct copy_order {
    uint64_t group;
    uint32_t number; /* of its event */
    uint32_t site;
    uint64_t clock;
    uint32_t call;               /* which call of each member it is */
    uint64_t absent;             /* members that have not reached it */
    struct copy_member *members; /* NULL: they arrived together, with the clock that they had */
};

struct variable;

/* Slots of one size, by numbers from 1 on; they stay where they are. */
struct slots {
    void **blocks;
    uint32_t block_count, room, used, unused;
    size_t size;
};
/* Atomic objects that had no operation for a while: packed (order_objects.c). */
struct rest {
    struct slots objects, keys;
    uint32_t *buckets, bucket_count, count;
    uint32_t awake_most; /* so many objects that are not make them be looked through */
};

/* One of several launches that are ordered as one. */
struct order_launch {
    uint32_t sub_group_size, family; /* family: of kernels that enqueue each other */
    uint64_t first_group, global_size[3], local_size[3], group_count[3];
    uint64_t *begun;
    uint32_t begun_words; /* the launches that all of it comes after: bits */
};

struct sub_group_at {
    uint64_t group;
    uint32_t number;
};

struct order {
    enum scope_rule rule;
    const struct launch_info *launch;    /* borrowed while it runs */
    const uint32_t *group_device;        /* of the launch; NULL: one device */
    const struct order_launch *launches; /* several that are ordered as one; NULL: one launch */
    const uint32_t *group_launch;        /* of these, which is each work-group's */
    bool formal;                         /* of the launch */
    uint64_t clock;
    /* number of the sync operation, 0: none; the clock value that its releases have in common */
    uint64_t event, shared_event, shared;
    uint64_t group_items;                     /* of the largest group */
    uint32_t member_words;                    /* of masks by local id */
    uint32_t sub_group_size, sub_group_count; /* per group */
    struct vclock_pool pool;
    struct release_pool releases;
    struct sync_log *sync_log;      /* borrowed; NULL: nothing is remembered */
    uint64_t *fast_paths;           /* borrowed; NULL: not counted */
    struct group_order *groups;     /* those resident that synchronised */
    struct item_order *spare_items; /* of groups that ended, with the room of their lists */
    struct copy_order *copies;
    uint32_t copy_count, copy_room;
    uint32_t *arrivals;
    uint32_t arrival_count, arrival_room; /* sub-groups */
    /* those that wait at barriers of their own, and all continue at once */
    struct sub_group_at *meeting;
    uint32_t meeting_count, meeting_room;
    /* variable_count: those at rest, too */
    struct variable **variables;
    uint32_t variable_count, variable_buckets;
    struct rest rest;
    uint64_t versions;               /* of message lists, given out so far */
    uint64_t searched;               /* messages of lists, for those that are like new ones */
    bool wide;                       /* some atomic object has 8 bytes */
    bool group_keys, sub_group_keys; /* maps may have such */
    bool failed;
};

struct unit_state {
    uint64_t unit;
    struct place place;
    struct group_order *group;     /* NULL: it never synchronised */
    struct item_order *item;       /* likewise */
    const struct copy_order *copy; /* the unit is a copy */
};

void order_init(struct order *order, enum scope_rule rule);
void order_fini(struct order *order);
void order_launch_begin(struct order *order, const struct launch_info *launch);
void order_launch_end(struct order *order);
/* No clock value is of the future; each member, copy and atomic object is where it is found, once; lists hold
 * releases with references; the vector clocks and the sync log hold what theirs say. */
void order_check(const struct order *order);

/* The group's clock, for all its members together; one reference each. And does the epoch happen before such
 * a map? */
/* Joins it into a map that has the group's clock at its begin. */
void order_group_learned(struct order *order, uint64_t number, struct vclock *const begun[ORDER_REGIONS],
                         struct vclock *into[ORDER_REGIONS]);
void order_group_vclock(struct order *order, uint64_t number, struct vclock *out_known[ORDER_REGIONS]);
bool order_map_has(const struct order *order, struct vclock *known, uint64_t unit, uint64_t clock);
struct group_order *order_group_find(const struct order *order, uint64_t number);
struct group_order *order_group(struct order *order, uint64_t number); /* NULL: no memory */
void order_group_end(struct order *order, uint64_t number);
/* Packs atomic objects; the former does when there are many. */
void order_rest(struct order *order);
void order_rest_all(struct order *order);

void order_unit_state(const struct order *order, uint64_t unit, struct unit_state *out_unit_state);
/* Of a group that exists: NULL: it never synchronised. */
void order_member(const struct order *order, uint64_t number, struct group_order *group, uint64_t local,
                  struct unit_state *out_unit_state);
uint64_t order_unit_group(const struct order *order, uint64_t unit);

static inline const struct sub_group_order *order_sub_group_of(const struct unit_state *unit_state)
{
    return unit_state->group && unit_state->group->sub_groups && !unit_state->copy
               ? &unit_state->group->sub_groups[unit_state->place.sub_group]
               : NULL;
}

/* The clock value of what the agent does now. */
static inline uint64_t order_slice(const struct unit_state *unit_state)
{
    uint64_t slice = unit_state->group ? unit_state->group->slice : 1;
    if (unit_state->copy)
        return unit_state->copy->clock;
    const struct sub_group_order *sub = order_sub_group_of(unit_state);
    if (sub && sub->slice > slice)
        slice = sub->slice;
    return unit_state->item && unit_state->item->slice > slice ? unit_state->item->slice : slice;
}

/* Atomics of plain global memory at one place of the program: do all include each other's, whoever they are
 * by, or none? Of several launches, places are one launch's each, and that is one device's. Objects of 4
 * bytes: those of 8 may overlap others that are as large. */
static inline bool order_includes_alike(const struct order *order, enum memory_scope scope, uint32_t size)
{
    return size == 4 && scope > SCOPE_WORK_GROUP && order->rule == SCOPE_RULE_EQUAL &&
           (!order->group_device || order->launches) && !order->formal;
}

bool order_has_epoch(const struct order *order, const struct unit_state *unit_state, int region,
                     uint64_t unit, uint64_t clock);
/* that was put into a map */
bool order_has_key(const struct order *order, const struct unit_state *unit_state, int region, uint64_t key);

/* A deferred map is computed when it is queried: the result is the same. */
static inline struct vclock_pool *order_pool(const struct order *order)
{
    return (struct vclock_pool *)&order->pool;
}

/* By the hand-off of the member's group, as order_has_unit does. */
bool order_handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                       uint64_t unit, uint64_t clock);

/* One member queries another one's epoch, and all of them have kept to units so far: no sub-groups, no keys
 * but those of units. */
static inline bool order_has_unit(const struct order *order, const struct unit_state *unit_state, int region,
                                  uint64_t unit, uint64_t clock)
{
    const struct group_order *group = unit_state->group;
    const bool same_group = unit - group->number * order->group_items < order->group_items;
    return (same_group && clock < group->base[region]) ||
           (group->handoff && order_handoff_has(order, unit_state, region, unit, clock)) ||
           vclock_has(order_pool(order), group->acquired[region], unit << 2, clock) ||
           (unit_state->item &&
            vclock_has(order_pool(order), unit_state->item->acquired[region], unit << 2, clock));
}

static inline bool order_has(const struct order *order, const struct unit_state *unit_state, int region,
                             uint64_t unit, uint64_t clock)
{
    if (unit == unit_state->unit && RULE(3))
        return true;
    if (!RULE(1) && order_unit_group(order, unit) == unit_state->place.group)
        return true;
    if (!unit_state->group)
        return false;
    if (order->group_keys || order->sub_group_keys || unit_state->group->sub_groups || unit_state->copy ||
        unit >= UNIT_COPIES)
        return order_has_epoch(order, unit_state, region, unit, clock);
    return order_has_unit(order, unit_state, region, unit, clock);
}
/* R34: does a read by the agent see what it wrote to an image at that clock value? */
bool order_sees_own_image(const struct unit_state *unit_state, uint64_t clock);
uint32_t order_unit_sub_group(const struct order *order, uint64_t unit);
uint32_t order_unit_device(const struct order *order, uint64_t unit);
uint32_t order_unit_family(const struct order *order, uint64_t unit); /* of several launches */
uint32_t order_unit_launch(const struct order *order, uint64_t unit);
/* Reduced, where it is. */
enum memory_scope order_scope(const struct order *order, enum memory_scope scope, bool local,
                              bool svm_atomics);

void order_barrier(struct order *order, uint64_t group, uint32_t regions, enum memory_scope scope,
                   uint32_t site);
void order_sub_group_barrier(struct order *order, uint64_t group, uint32_t sub_group, uint32_t regions,
                             enum memory_scope scope, uint32_t site);
/* Some of its members wait at the barrier that the next order_sub_groups_meet is about. */
void order_sub_group_arrival(struct order *order, uint64_t group, uint32_t sub_group);
void order_sub_groups_meet(struct order *order, uint32_t regions, enum memory_scope scope, uint32_t site);
void order_parted_arrivals(struct order *order, const uint64_t *units, const struct sync_event *event);
/* of the 64 from there on */
void order_parted_arrival(struct order *order, uint64_t group, uint32_t first, uint64_t members);
void order_parted_barrier(struct order *order, uint64_t group, uint32_t regions, enum memory_scope scope,
                          uint32_t site);
void order_named_arrival(struct order *order, uint64_t group, uint32_t sub_group);
void order_named_barrier(struct order *order, uint64_t group, uint32_t regions, enum memory_scope scope,
                         uint32_t site);
void order_fence(struct order *order, struct unit_state *unit_state, uint32_t regions,
                 enum memory_ordering how, enum memory_scope scope, uint32_t site);
/* By a member of a group in a hand-off, as it did before. False: it is something else, and not done. */
bool order_fence_again(struct order *order, struct group_order *group, uint64_t local,
                       const struct sync_event *event);

/* Relaxed updates by the group's members add nothing to a clock and have the group's segment. */
bool order_is_silent(const struct order *order, const struct group_order *group);
bool order_remembers(const struct order *order); /* what happens is put into the history */
/* Such an update, for the history only: those of one wave are of one slice. */
uint64_t order_next_slice(struct order *order);
void order_remember_update(struct order *order, const struct atomic_act *act, uint64_t unit, uint64_t address,
                           uint64_t clock);
/* True: all updates like this one (of the same size, scope and order, at the object, in this launch) that
 * came before it, by any unit, happen before it, in the region where they lie. What this one happens before,
 * they happen before, too (R21). */
bool order_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_act *act);
/* Relaxed updates by members of a group that synchronised before, one after another, while nothing is
 * remembered. act.address may change. */
struct update_run {
    struct order *order;
    struct group_order *group;
    struct atomic_act act;
    struct handoff_object *relayed; /* in the group's hand-off, the one at: */
    uint64_t relayed_address;
};
void order_updates_begin(struct order *order, struct group_order *group, const struct atomic_act *act,
                         struct update_run *out_run);
void order_update(struct update_run *run, uint64_t local);
/* The clock value of what the member does now. */
static inline uint64_t order_member_slice(const struct group_order *group, const struct item_order *item)
{
    const uint64_t sub = group->sub_groups ? group->sub_groups[item->sub_group].slice : 0,
                   all = sub > group->slice ? sub : group->slice;
    return item->slice > all ? item->slice : all;
}
/* Of lanes, the first of which is the member `first`, at act.address; each is done. The slice of each. */
struct update_lanes {
    uint64_t first;
    uint32_t slice[WAVE_LANES_MAX];
};
void order_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes);
/* Relaxed loads by members of the group, all alike: false: each must do it by itself. */
bool order_wait(struct order *order, struct group_order *group, const struct atomic_act *act,
                const uint64_t reader[LANE_MASK_WORDS]);
/* Before the agent acts by itself: it is given what it read among others. */
void order_deliver(struct order *order, struct unit_state *unit_state);
/* A plain store to bytes that are atomic elsewhere ends their release sequences, but for the unit's own. */
void order_overwrite(struct order *order, struct unit_state *unit_state, uint64_t address, uint32_t size,
                     uint32_t site);
/* A write by a unit that has no part in this order: it ends all sequences; an update of an object ends those
 * of others alone. */
void order_overwrite_otherwise(struct order *order, uint64_t address, uint32_t size, bool update);

/* The unit that copies. Several copies may have one number, that of the event by which they are waited
 * for. */
uint64_t order_copy_start(struct order *order, uint64_t group_number, uint32_t number, uint32_t site);
/* One of the members reaches its next copy, and others have not yet: it is complete when all of them have. */
void order_copy_arrive(struct order *order, uint64_t unit, uint32_t number, uint32_t site);
/* Its operations from now on are after the snapshot. False: no memory. */
bool order_clock_snapshot(struct order *order, uint64_t unit,
                          struct order_clock_snapshot *out_clock_snapshot);
bool order_clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                              int region, uint64_t unit, uint64_t clock);
bool order_clock_snapshot_has_key(const struct order *order,
                                  const struct order_clock_snapshot *clock_snapshot, int region,
                                  uint64_t key);
/* Either of them: members of one wave reach it, by lane. Waves do one after another. */
void order_copy_come(struct order *order, const uint64_t *units, const struct sync_event *event,
                     uint32_t site);
bool order_copy_complete(const struct order *order, uint64_t unit);
uint64_t order_group_size(const struct order *order, uint64_t group); /* members */
/* the latest; UNIT_END: none */
uint64_t order_copy_unit(const struct order *order, uint64_t group, uint32_t number);
void order_copy_wait(struct order *order, uint64_t group_number, uint32_t number);

/* The edge that would have ordered the epoch before what agent does, had it come about. */
bool order_explain(const struct order *order, const struct unit_state *unit_state, int region, uint64_t unit,
                   uint64_t clock, struct missed_edge *out_missed);

#endif
