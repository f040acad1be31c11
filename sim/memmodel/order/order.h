/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Happens-before inside one kernel launch, one relation for each region (global, local, images): R1
 *          to R21 and R37 of the memory model (OpenCL 2.2 API, 3.3.4 to 3.3.6).
 *
 * Time     Clock values count the sync operations of the launch. An access carries the clock value at which
 *          its unit's current segment began. A segment ends at each release of the unit, and at each barrier
 *          of its sub-group or work-group. So an access happens before a point if and only if the vector
 *          clock there has a later clock value for the access's unit. Releases by several units in one event
 *          have one clock value.
 *
 * Units    The number of a work-item is work-group * (size of the largest group) + local linear id. Each
 *          asynchronous copy of a work-group is a unit of its own, numbered from UNIT_COPIES.
 *
 * Clocks   What a work-item has acquired is kept in three parts, so that a barrier costs nothing for each
 *          member: what its work-group, its sub-group and it alone acquired. Of each of the first two,
 *          `base` is the clock value below which all operations of the group happen before every member's
 *          next one.
 *
 * Interface
 *   order_launch_begin, order_launch_end    of a launch
 *   order_group, order_group_end   the state of a resident work-group, made when it first synchronises
 *   order_unit_state         the state of the unit that acts now
 *   order_happens_before     the query: does an epoch happen before the unit's next operation?
 *   order_sync, order_sync_event   barriers, copies and waits for them
 *   order_fence, order_atomic, order_update, order_overwrite, order_overwrite_foreign   operations of units
 *   order_check              asserts all invariants
 *   order_explain            the missed edge that would have ordered an epoch, as far as such edges are kept
 *
 * Errors   When memory runs out, order->failed is set. Findings after that may be wrong.
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

/* The clocks that a release publishes, or several that reach the same readers. All lists that have it share
 * one. */
struct release {
    uint32_t references;
    uint32_t site;
    uint64_t unit; /* the latest that released */
    union {
        struct vclock *vclock[ORDER_REGIONS];
        struct release *next; /* of unused ones */
    };
};
struct release_pool {
    struct release *unused;
    void *blocks;
    struct release none; /* stands for a release that could not be allocated */
};

/* A release in a list: of an atomic object, of a unit's fences, or of a fence buffer. */
struct release_clock {
    enum memory_scope scope;        /* as written; in the list of an object reduced (R9) */
    uint32_t flags;                 /* REGION_* of a fence */
    bool fence, svm_atomics, apart; /* svm_atomics, apart: of the atomic object by which it came */
    struct place place;
    struct release *release;
    uint64_t version; /* in an object's list: the list's version when this last changed */
};

struct release_clock_list {
    struct release_clock *items;
    uint32_t count, room;
};

/* An edge of synchronises-with that was missed for one reason alone, for explanations. */
struct missed_edge {
    enum missed_why { MISSED_NOTHING, MISSED_SCOPE, MISSED_ACQUIRE, MISSED_RELEASE, MISSED_REGION } why;
    uint32_t release_site, acquire_site;
    enum memory_scope release_scope, acquire_scope;
    uint64_t release_unit;
    uint64_t clock;                 /* of MISSED_RELEASE: when the relaxed store was done */
    bool local, apart, svm_atomics; /* of the atomic object */
    struct release *release;        /* of MISSED_RELEASE: NULL */
};
enum { MISSED_KEPT = 4 };

/* A release of this unit at the head of a release sequence, which its relaxed stores continue (R8). */
struct sequence_head {
    uint64_t address, generation;
    struct release_clock release_clock;
};

struct atomic_operation {
    uint64_t address;
    uint32_t size;
    int region;
    bool reads, writes;
    enum memory_ordering order; /* the one that applies: for a failed compare-exchange, that of failure */
    enum memory_scope scope;
    uint32_t site;
    bool svm_atomics; /* the object lies in fine-grained SVM with atomics */
    /* the object lies in memory where atomics of different launch trees do not synchronise (R32) */
    bool apart;
    uint8_t success; /* of a failed compare-exchange: 1 + its order of success; else 0 */
};

/* How far a unit has read the list of an atomic object: releases up to `version` are in its fence buffer, so
 * reading them again adds nothing. list_id 0: unused. */
struct list_progress {
    uint64_t list_id, version;
};
enum { LIST_PROGRESS_MOST = HOSTILE(8, 1) };

/* An atomic access that the shadow has (checker_updates.c): the same access again changes nothing there. */
struct atomic_done {
    uint64_t address, clock_version, clock;
    uint32_t sort, site;
};

struct item_order {
    uint64_t unit;
    uint32_t latest;       /* 1 + index of its last operation in the sync log */
    uint32_t log_searched; /* the sync log up to here has no write to the object that operation read */
    uint32_t sub_group;
    uint64_t slice; /* the clock value at which its current segment began */
    struct vclock *acquired[ORDER_REGIONS];
    struct release_clock_list fences; /* the newest release fence of each scope and flags */
    /* the acquire-fence buffer: releases that its atomics read, for a later acquire fence (R13) */
    struct release_clock_list fence_buffer[ORDER_REGIONS];
    struct list_progress progress[LIST_PROGRESS_MOST];
    uint32_t progress_next; /* index of the oldest */
    uint64_t image_base;    /* its reads see its writes to images below this clock value (R34) */
    struct sequence_head *heads;
    uint32_t head_count, head_room;
    struct missed_edge missed[MISSED_KEPT];
    uint32_t missed_next;
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

/* The latest store to an atomic object; unit UNIT_END: none. */
struct latest_store {
    uint32_t site;
    uint64_t unit, clock;
    bool releases;
};

/* Members of a work-group that spin on one atomic object read it together: their reads are recorded once
 * here, and are delivered to each member before it does anything else. Masks are by local id, of the first
 * WAVE_LANES_MAX members. */
struct waiting {
    uint64_t reader[LANE_MASK_WORDS]; /* members whose reads are not delivered */
    struct atomic_operation act;
    uint64_t list_id, version;      /* of the object's list; version 0: none */
    struct release_clock_list list; /* a copy of the object's */
    struct latest_store store;      /* likewise */
    uint64_t done[LANE_MASK_WORDS]; /* members whose latest atomic is this one, which the shadow has: */
    struct atomic_done latest;
};

/* Thousands of work-groups may be resident, and each access looks for its own. */
enum { GROUP_LISTS = 512 };

struct group_order {
    uint64_t number;
    struct waiting *waiting; /* NULL: no member ever did */
    struct handoff *handoff; /* the short form of the members' releases, while it is valid; else NULL */
    const uint32_t *slices;  /* in a hand-off, by local id: where each member's segment began; else NULL */
    bool handoff_tried;
    uint64_t base[ORDER_REGIONS]; /* the group's operations below it happen before each member's next one */
    uint64_t slice;
    struct vclock *acquired[ORDER_REGIONS];
    struct sub_group_order *sub_groups; /* NULL until a sub-group barrier */
    struct item_order **items;          /* by local linear id; NULL until a member synchronises */
    uint32_t item_count;                /* of those made */
    uint32_t *copies;                   /* not waited for yet: indices into order->copies, ascending */
    uint32_t copy_count;
    uint32_t *copy_calls; /* of copies, by local id; NULL: the members reached each copy together */
    /* the unit of the copy that the first member reached by itself; else UNIT_END */
    uint64_t first_member_copy;
    struct barrier_seen barrier;      /* the latest */
    uint64_t joint;                   /* the clock value of the latest barrier of the whole work-group */
    struct group_order *next, *prev;  /* in order->groups (utlist.h) */
    struct group_order *next_in_list; /* in order->groups_by_number */
};

/* A member's clock when it reached a copy. */
struct copy_member {
    bool arrived;
    uint64_t slice; /* where the segment that follows began */
    uint64_t sub_base[ORDER_REGIONS];
    struct vclock *sub[ORDER_REGIONS], *item[ORDER_REGIONS];
};

/* A unit's clock of global memory at some point: its own part and that of its work-group. */
struct order_clock_snapshot {
    uint64_t unit;
    uint64_t base;
    struct vclock *acquired;
    struct copy_member self;
};

struct copy_order {
    uint64_t group;
    uint32_t number; /* of its event */
    uint32_t site;
    uint64_t clock;
    uint32_t call;               /* 0: each member's first call of a copy, and so on */
    uint64_t absent;             /* members that have not reached it */
    bool waits_apart;            /* a member waits for it that has not reached it */
    struct copy_member *members; /* NULL: they reached it together, with the clocks that they had */
};

struct atomic_object;

/* Entries by address: a hash table whose entries begin with struct address_entry. */
struct address_entry {
    struct address_entry *next; /* of its bucket */
    uint64_t address;
};
struct address_table {
    struct address_entry **buckets;
    uint32_t bucket_count, count;
};

/* One of several launches whose work-groups are ordered together (launches/). */
struct order_launch {
    uint32_t sub_group_size, tree_root, device; /* tree_root: of its launch tree */
    uint64_t first_group, global_size[3], local_size[3], group_count[3];
};

/* Members that wait at a barrier: by local id, from `from` to before `to`. */
struct arrival {
    uint64_t group;
    uint32_t from, to;
};

struct order {
    enum scope_rule rule;
    const struct launch_info *launch;     /* borrowed while it runs */
    const uint32_t *group_device;         /* of the launch; NULL: one device */
    const struct order_launch *launches;  /* several that are ordered together; NULL: one launch */
    const uint32_t *group_launch;         /* of these, by work-group */
    bool formal;                          /* of the launch: scopes are not reduced (litmus tests) */
    uint64_t clock;                       /* the latest clock value */
    uint64_t event;                       /* number of the event that is processed; 0: none */
    uint64_t event_clock_of, event_clock; /* the clock value of all releases in the event of that number */
    uint64_t group_items;                 /* work-items of the largest group */
    uint32_t member_words;                /* words of masks by local id */
    uint32_t sub_group_size, sub_group_count; /* per group */
    struct vclock_pool pool;
    struct release_pool releases;
    struct sync_log *sync_log;                         /* borrowed; NULL: nothing is logged */
    uint64_t *fast_paths;                              /* borrowed; NULL: not counted */
    struct group_order *groups;                        /* resident ones that synchronised, the latest first */
    struct group_order *groups_by_number[GROUP_LISTS]; /* the same, in lists by number modulo GROUP_LISTS */
    struct copy_order *copies;
    uint32_t copy_count, copy_room;
    struct arrival *arrivals; /* at the barrier that completes next */
    uint32_t arrival_count, arrival_room;
    struct address_table atomics,
        packed;                      /* atomic objects; those that had no operation for a while, packed */
    uint32_t unpacked_most;          /* with more in `atomics`, all are tried; 0: the initial limit */
    uint64_t versions;               /* the latest version of an object's list */
    uint64_t searched;               /* releases of lists that were looked at, as a measure of work */
    bool wide;                       /* some atomic object has 8 bytes */
    bool group_keys, sub_group_keys; /* clocks may have keys of groups, of sub-groups */
    bool failed;
};

struct unit_state {
    uint64_t unit;
    struct place place;
    struct group_order *group;     /* NULL: it never synchronised */
    struct item_order *item;       /* likewise */
    const struct copy_order *copy; /* the unit is a copy; else NULL */
};

void order_init(struct order *order, enum scope_rule rule);
void order_fini(struct order *order);
void order_launch_begin(struct order *order, const struct launch_info *launch);
void order_launch_end(struct order *order);
/* Asserts that no clock value exceeds order->clock; that each member, copy and atomic object is found once,
 * where it belongs; that lists have releases with references; and the invariants of clocks and sync log. */
void order_check(const struct order *order);

/* Joins into `into` what the members of the group acquired since its clock was `initial`. */
void order_group_join_new(struct order *order, uint64_t number, struct vclock *const initial[ORDER_REGIONS],
                          struct vclock *into[ORDER_REGIONS]);
/* The join of the clocks of all members of the group; one reference each. */
void order_group_vclock(struct order *order, uint64_t number, struct vclock *out_vclock[ORDER_REGIONS]);
/* Does the epoch happen before the point of that clock? */
bool order_clock_has(const struct order *order, struct vclock *vclock, uint64_t unit, uint64_t clock);
struct group_order *order_group_find(const struct order *order, uint64_t number);
struct group_order *order_group(struct order *order, uint64_t number); /* NULL: out of memory */
void order_group_end(struct order *order, uint64_t number);
void order_pack(struct order *order);     /* packs atomic objects if there are many */
void order_pack_all(struct order *order); /* packs all that can be */

void order_unit_state(const struct order *order, uint64_t unit, struct unit_state *out_unit_state);
/* As order_unit_state, of a member of a group that the caller has found. group NULL: it never
 * synchronised. */
void order_member(const struct order *order, uint64_t number, struct group_order *group, uint64_t local,
                  struct unit_state *out_unit_state);
uint64_t order_unit_group(const struct order *order, uint64_t unit);

static inline const struct sub_group_order *order_sub_group_of(const struct unit_state *unit_state)
{
    return unit_state->group && unit_state->group->sub_groups && !unit_state->copy
               ? &unit_state->group->sub_groups[unit_state->place.sub_group]
               : NULL;
}

/* Atomic objects, packed or not. */
static inline uint32_t order_object_count(const struct order *order)
{
    return order->atomics.count + order->packed.count;
}

/* The clock value at which the unit's current segment began. */
static inline uint64_t order_segment(const struct unit_state *unit_state)
{
    uint64_t slice = unit_state->group ? unit_state->group->slice : 1;
    if (unit_state->copy)
        return unit_state->copy->clock;
    const struct sub_group_order *sub = order_sub_group_of(unit_state);
    if (sub && sub->slice > slice)
        slice = sub->slice;
    return unit_state->item && unit_state->item->slice > slice ? unit_state->item->slice : slice;
}

/*
 * Do all atomics of one site and one object in plain global memory have inclusive scopes (R10), whichever
 * units perform them? They do if the scope rule compares scopes for equality, the scope is the device or
 * wider, and the units are on one device; of several launches each site is of one launch, which runs on one
 * device. Objects of 8 bytes may overlap others of that size, so they do not count.
 */
static inline bool order_scopes_are_uniform(const struct order *order, enum memory_scope scope, uint32_t size)
{
    const bool one_device = !order->group_device,
               by_equality = order->rule == SCOPE_RULE_EQUAL && !order->formal;
    return size == 4 && scope > SCOPE_WORK_GROUP && by_equality && one_device;
}

/* order_happens_before in its general form. */
bool order_has_epoch(const struct order *order, const struct unit_state *unit_state, int region,
                     uint64_t unit, uint64_t clock);
/* Does the unit's clock of global memory have that key? */
bool order_has_key(const struct order *order, const struct unit_state *unit_state, uint64_t key);

/* Did memory run out? Then clocks may be missing. */
static inline bool order_lacks_memory(const struct order *order)
{
    return order->failed || order->pool.failed;
}

/* A query may compute deferred clocks, which changes no result, so the pool of a const order is writable. */
static inline struct vclock_pool *order_pool(const struct order *order)
{
    return (struct vclock_pool *)&order->pool;
}

/* The part of order_has_unit that the hand-off of the member's group answers. */
bool order_handoff_has(const struct order *order, const struct unit_state *unit_state, int region,
                       uint64_t unit, uint64_t clock);

/* order_happens_before for a work-item and the epoch of another one, if no clock has keys of groups or
 * sub-groups. */
static inline bool order_has_unit(const struct order *order, const struct unit_state *unit_state, int region,
                                  uint64_t unit, uint64_t clock)
{
    const struct group_order *group = unit_state->group;
    const bool same_group = unit - group->number * order->group_items < order->group_items;
    if (same_group && clock < group->base[region])
        return true;
    if (group->handoff && order_handoff_has(order, unit_state, region, unit, clock))
        return true;
    struct vclock *own = unit_state->item ? unit_state->item->acquired[region] : NULL;
    return vclock_has(order_pool(order), group->acquired[region], unit << 2, clock) ||
           vclock_has(order_pool(order), own, unit << 2, clock);
}

static inline bool order_happens_before(const struct order *order, const struct unit_state *unit_state,
                                        int region, uint64_t unit, uint64_t clock)
{
    if (unit == unit_state->unit && RULE(3))
        return true;
    if (!RULE(1) && order_unit_group(order, unit) == unit_state->place.group)
        return true;
    if (!unit_state->group)
        return false;
    const bool only_units = !order->group_keys && !order->sub_group_keys && !unit_state->group->sub_groups,
               is_copy = unit_state->copy || unit >= UNIT_COPIES;
    return only_units && !is_copy ? order_has_unit(order, unit_state, region, unit, clock)
                                  : order_has_epoch(order, unit_state, region, unit, clock);
}
/* R34: does a read by the unit see what it wrote to an image at that clock value? */
bool order_sees_own_image(const struct unit_state *unit_state, uint64_t clock);
uint32_t order_unit_sub_group(const struct order *order, uint64_t unit);
uint32_t order_unit_device(const struct order *order, uint64_t unit);
uint32_t order_unit_tree_root(const struct order *order, uint64_t unit); /* only with several launches */
uint32_t order_unit_launch(const struct order *order, uint64_t unit);
/* The scope as reduced by R9, unless the launch is formal. */
enum memory_scope order_scope(const struct order *order, enum memory_scope scope, bool local,
                              bool svm_atomics);

/* A barrier, an arrival at one, a copy or a wait for it, or the end of a group, as the sync log has it
 * (sync_log.h). */
void order_sync(struct order *order, const struct sync_op *op);
void order_barrier(struct order *order, uint64_t group, uint32_t regions, enum memory_scope scope,
                   uint32_t site); /* of a whole work-group */
/* A barrier, a copy or a wait for it, as a wave announces it; the latest one of a barrier completes it.
 * units: by lane, wherever the wave's lanes may be of several groups or not the whole group. site: as the
 * order numbers it. */
void order_sync_event(struct order *order, uint64_t group, const uint64_t *units,
                      const struct sync_event *event, uint32_t site);
void order_fence(struct order *order, struct unit_state *unit_state, uint32_t regions,
                 enum memory_ordering how, enum memory_scope scope, uint32_t site);
/* True: relaxed updates by the group's members add nothing to any clock, and carry the group's segment. */
bool order_updates_add_nothing(const struct order *order, const struct group_order *group);
bool order_logs(const struct order *order); /* operations are logged */
/* The segment of the relaxed updates of one wave, then an entry in the sync log for each of them. */
uint64_t order_next_segment(struct order *order);
void order_log_update(struct order *order, const struct atomic_operation *act, uint64_t unit,
                      uint64_t address, uint64_t clock);
/* True: every earlier update of this launch to the object with the same size, scope and order, by any
 * unit, happens before this one, in the region of the object. By transitivity (R21) they also happen
 * before all that this one happens before. */
bool order_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_operation *act);
/* A run of relaxed updates by members of one group that synchronised before, while nothing is logged. The
 * caller may set act.address before each. */
struct update_run {
    struct order *order;
    struct group_order *group;
    struct atomic_operation act;
    struct handoff_object *object; /* of the group's hand-off, at the address: */
    uint64_t object_address;
};
void order_update(struct update_run *run, uint64_t local);
/* The clock value at which the member's current segment began. */
static inline uint64_t order_member_segment(const struct group_order *group, const struct item_order *item)
{
    const uint64_t sub = group->sub_groups ? group->sub_groups[item->sub_group].slice : 0,
                   all = sub > group->slice ? sub : group->slice;
    return item->slice > all ? item->slice : all;
}
/* Updates of act.address by lanes; lane 0 is the member `first`. The result is the segment of each. */
struct update_lanes {
    uint64_t first;
    uint32_t slice[WAVE_LANES_MAX];
};
void order_updates(struct update_run *run, const uint64_t mask[LANE_MASK_WORDS], struct update_lanes *lanes);
/* The same relaxed load by several members of the group, recorded once. False: nothing was done, and each
 * load must be announced by itself. */
bool order_read_together(struct order *order, struct group_order *group, const struct atomic_operation *act,
                         const uint64_t reader[LANE_MASK_WORDS]);
/* Before the unit does anything else: it receives what it read together with others. */
void order_deliver(struct order *order, struct unit_state *unit_state);
/* A plain store to bytes of atomic objects ends the release sequences of other units there (R36). */
void order_overwrite(struct order *order, struct unit_state *unit_state, uint64_t address, uint32_t size,
                     uint32_t site);
/* A write by a unit that is not ordered here ends all sequences; a read-modify-write of a whole object
 * continues those of the object itself. */
void order_overwrite_foreign(struct order *order, uint64_t address, uint32_t size, bool update);

/* A copy that the members reach together. Returns its unit. Several copies may have the number of one event,
 * by which they are waited for. */
uint64_t order_copy_start(struct order *order, uint64_t group_number, uint32_t number, uint32_t site);
void order_copy_wait(struct order *order, uint64_t group_number, uint32_t number);
/* The unit's clock now; a new segment of the unit begins. False: out of memory. */
bool order_clock_snapshot(struct order *order, uint64_t unit,
                          struct order_clock_snapshot *out_clock_snapshot);
bool order_clock_snapshot_has(const struct order *order, const struct order_clock_snapshot *clock_snapshot,
                              uint64_t unit, uint64_t clock);
bool order_clock_snapshot_has_key(const struct order *order,
                                  const struct order_clock_snapshot *clock_snapshot, uint64_t key);
bool order_copy_complete(const struct order *order, uint64_t unit);
/* The unit waits for the copy: for each that does, before order_copy_settle(). */
void order_copy_note_wait(struct order *order, uint64_t copy, uint64_t unit);
/* If all that wait for the copy have reached it, it counts as complete from now on. */
void order_copy_settle(struct order *order, uint64_t copy);
uint64_t order_group_size(const struct order *order, uint64_t group); /* members */
/* The latest copy of that number; UNIT_END: there is none. */
uint64_t order_copy_unit(const struct order *order, uint64_t group, uint32_t number);

/* A missed edge that would have ordered the epoch before the unit's next operation. False: none is kept. */
bool order_explain(const struct order *order, const struct unit_state *unit_state, int region, uint64_t unit,
                   uint64_t clock, struct missed_edge *out_missed);

#endif
