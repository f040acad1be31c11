/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The interface between the files of order.h: order.c has the launch, its units and their fences;
 *          order_releases.c lists of release clocks; order_decide.c the query; order_objects.c atomic objects
 *          by address; order_atomics.c, order_updates.c, order_waiting.c, order_barriers.c and order_copies.c
 *          the sync operations.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_STATE_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_STATE_H

#include "order.h"

#include <string.h>

/* An atomic object, by its address. */
struct atomic_object {
    struct address_entry entry;
    uint32_t size;
    int region;
    bool svm_atomics;    /* it lies in fine-grained SVM with atomics */
    bool apart;          /* as of struct atomic_operation */
    uint64_t group;      /* of local memory: the work-group that used it last */
    uint64_t generation; /* counts the stores that began a new list */
    /* Numbers that no other list of the launch has. version: of the list as it is; list_id: of the list
     * since it was last emptied; 0: it never had a release. */
    uint64_t version, list_id;
    struct release_clock_list release_clocks;
    struct latest_store store;
    struct handoff_object *handoff_objects; /* of the hand-offs that it is in; NULL: of none */
};

/* One side of a synchronises-with edge, as the program has it. */
struct endpoint {
    enum memory_scope scope;
    bool fence;
    uint32_t flags;
    uint32_t site;
};

/* ---- vector clocks ---------------------------------------------------------------------------- */

static inline uint64_t unit_key(uint64_t unit)
{
    return unit << 2;
}
static inline uint64_t group_key(uint64_t group)
{
    return group << 2 | 1;
}

static inline uint64_t sub_group_key(const struct order *order, uint64_t group, uint32_t sub_group)
{
    return (group * order->sub_group_count + sub_group) << 2 | 2;
}

/* NULL: the order is of one launch. */
static inline const struct order_launch *order_launch_of(const struct order *order, uint64_t group)
{
    return order->launches ? &order->launches[order->group_launch[group]] : NULL;
}

static inline uint32_t order_group_device(const struct order *order, uint64_t group)
{
    if (order->launches)
        return order_launch_of(order, group)->device;
    return order->group_device ? order->group_device[group] : 0;
}

/* All that the launch of struct order's launches did, whatever the unit and the clock value. */
static inline uint64_t launch_key(uint32_t launch)
{
    return (uint64_t)launch << 2 | 3;
}
/* The launch's clock at its call of that number; 0: the number is not known. */
static inline uint64_t call_key(uint32_t launch, uint32_t number)
{
    return (UINT64_C(1) << 60) | (uint64_t)launch << 34 | (uint64_t)number << 2 | 3;
}

static inline void set(struct order *order, struct vclock **slot, struct vclock *value)
{
    vclock_drop(&order->pool, *slot);
    *slot = value;
}

static inline void join_into(struct order *order, struct vclock **slot, struct vclock *more)
{
    if (!more || *slot == more)
        return;
    if (!*slot || !vclock_dominates_quickly(*slot, more))
        set(order, slot, vclock_join(&order->pool, *slot, more));
    else
        order->pool.chained++;
}

static inline void put_into(struct order *order, struct vclock **slot, uint64_t key, uint64_t clock)
{
    set(order, slot, vclock_put(&order->pool, *slot, key, clock));
}

static inline void drop_all(struct order *order, struct vclock *vclock[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        set(order, &vclock[r], NULL);
}

static inline void share_all(struct vclock *to[ORDER_REGIONS], struct vclock *const from[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        to[r] = vclock_share(from[r]);
}

/* ---- releases --------------------------------------------------------------------------------- */

struct release *order_release_new(struct order *order, uint64_t unit, uint32_t site); /* one reference */
void order_release_free(struct order *order, struct release *release);
void order_releases_fini(struct order *order); /* frees every release */

static inline struct release *release_share(struct release *release)
{
    release->references++;
    return release;
}

static inline void release_drop(struct order *order, struct release *release)
{
    if (release && --release->references == 0)
        order_release_free(order, release);
}

static inline bool release_is_same(const struct release *a, const struct release *b)
{
    return a == b ||
           (a->vclock[IN_GLOBAL] == b->vclock[IN_GLOBAL] && a->vclock[IN_LOCAL] == b->vclock[IN_LOCAL] &&
            a->vclock[IN_IMAGE] == b->vclock[IN_IMAGE]);
}

bool order_grow(struct order *order, void **items, uint32_t *room, size_t size);
/* An object's list starts with room for one, since most objects have at most one. */
void order_list_reserve_one(struct release_clock_list *list);
/* Adds a release, or joins it to one of the list that reaches the same readers. */
void order_list_add(struct order *order, struct release_clock_list *list,
                    const struct release_clock *release_clock);
/* As order_list_add, but the earlier release is replaced, which the later one includes. */
void order_list_replace(struct order *order, struct release_clock_list *list,
                        const struct release_clock *release_clock);
void order_list_clear(struct order *order, struct release_clock_list *list);
void order_list_free(struct order *order, struct release_clock_list *list);
void order_list_check(const struct release_clock_list *list); /* asserts all invariants */

/* R32: atomics synchronise within a launch tree. */
static inline bool same_launch_tree(const struct order *order, const struct place *a, const struct place *b)
{
    return order_launch_of(order, a->group)->tree_root == order_launch_of(order, b->group)->tree_root ||
           !RULE(3204);
}

/* Do both releases reach the same readers (R10)? With the scope rule of 3.1 a reader's narrower scope may
 * be asked for the place of a wider release, so the places have to be equal. */
static inline bool same_readers(const struct order *order, const struct release_clock *a,
                                const struct release_clock *b)
{
    if (a->scope != b->scope || a->fence != b->fence || a->flags != b->flags)
        return false;
    if (a->svm_atomics != b->svm_atomics || a->apart != b->apart)
        return false;
    if (a->apart && !same_launch_tree(order, &a->place, &b->place))
        return false;
    if (order->rule == SCOPE_RULE_INCLUSIVE31)
        return a->place.group == b->place.group && a->place.sub_group == b->place.sub_group;
    if (a->scope > SCOPE_WORK_GROUP)
        return a->scope != SCOPE_DEVICE || a->place.device == b->place.device;
    return a->place.group == b->place.group &&
           (a->scope != SCOPE_SUB_GROUP || a->place.sub_group == b->place.sub_group);
}

static inline __attribute__((always_inline)) void
replace_release_clock(struct order *order, struct release_clock *old,
                      const struct release_clock *release_clock)
{
    if (old->release != release_clock->release) {
        release_drop(order, old->release);
        old->release = release_share(release_clock->release);
    }
    old->version = release_clock->version;
}

/* ---- units ---- */

/* The clock value of a release. All releases of one event share one, as if they were simultaneous; while
 * operations are logged each has its own, by which the log is searched. */
static inline uint64_t order_release_clock(struct order *order)
{
    const bool has_clock = order->event && order->event_clock_of == order->event,
               logs = order->sync_log && !order->sync_log->full;
    if (!has_clock || logs) {
        order->event_clock_of = order->event;
        order->event_clock = ++order->clock;
    }
    return order->event_clock;
}

bool order_make_item(struct order *order, struct unit_state *unit_state); /* false: out of memory */
/* The clock that a release of the unit publishes in a region: all that happens before it, and its own
 * operations below `clock`. One reference. */
struct vclock *order_publish(struct order *order, const struct unit_state *unit_state, int region,
                             uint64_t clock);
void order_release_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         uint64_t clock);
/* Joins a release into the unit's clock. False: its scope does not include the unit. */
bool order_acquire_clock(struct order *order, const struct unit_state *unit_state,
                         const struct release_clock *release_clock, int region, const struct endpoint *end);
void order_acquire_buffered(struct order *order, struct unit_state *unit_state, const struct endpoint *end);
void order_log_own(struct order *order, struct unit_state *unit_state, struct sync_op *sync_op,
                   uint64_t before);
void order_add_missed(struct order *order, struct item_order *item, const struct missed_edge *edge);
void order_members_free(struct order *order, struct copy_order *copy);
/* The members of one wave reach a copy, `units` by lane: order_copy_start if they are all of the work-group,
 * else one after another, and the copy is complete when all members have reached it. */
void order_copy_arrivals(struct order *order, const uint64_t *units, const struct sync_event *event,
                         uint32_t site);
void order_handoff_dissolve(struct order *order, struct group_order *group); /* of order_handoff.h */

static inline void log_op(struct order *order, const struct sync_op *sync_op)
{
    if (order->sync_log)
        sync_log_add(order->sync_log, sync_op);
}

static inline bool releases(enum memory_ordering how)
{
    return how == ORDER_RELEASE || how == ORDER_ACQ_REL || how == ORDER_SEQ_CST;
}

static inline bool acquires(enum memory_ordering how)
{
    return how == ORDER_ACQUIRE || how == ORDER_ACQ_REL || how == ORDER_SEQ_CST;
}

static inline bool member_bit(const uint64_t mask[LANE_MASK_WORDS], uint64_t local)
{
    return local < WAVE_LANES_MAX && mask[local / 64] >> local % 64 & 1;
}

/* New segments begin for all members, so their latest atomics are no longer the latest ones. */
static inline void no_unit_done(struct group_order *group)
{
    if (group->waiting)
        memset(group->waiting->done, 0, sizeof group->waiting->done);
}

/* ---- atomic objects ---- */

/* The pointer to the entry of that address, or where one would be appended: that pointer is NULL. The table
 * has buckets. */
static inline struct address_entry **address_slot(const struct address_table *table, uint64_t address)
{
    const uint64_t hash = (address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    struct address_entry **at = &table->buckets[hash & (table->bucket_count - 1)];
    while (*at && (*at)->address != address)
        at = &(*at)->next;
    return at;
}

static inline struct atomic_object *atomic_object_unpacked(const struct order *order, uint64_t address)
{
    return order->atomics.count ? (struct atomic_object *)*address_slot(&order->atomics, address) : NULL;
}

struct atomic_object *order_object_new(struct order *order, uint64_t address); /* NULL: out of memory */
/* The object, made if there is none yet. NULL: out of memory. */
struct atomic_object *order_atomic_object(struct order *order, const struct atomic_operation *act);
void order_list_trim(struct order *order, struct release_clock_list *list);
/* Puts the releases of an object's list that are newer than `since` into the unit's fence buffer. */
void order_buffer_clocks(struct order *order, struct unit_state *unit_state,
                         const struct release_clock_list *list, uint64_t since, int region);
void order_add_head(struct order *order, struct unit_state *unit_state, const struct atomic_object *atomic,
                    const struct release_clock *release_clock);
void order_deliver_all(struct order *order, struct group_order *group);
/* order_read_together of a group that is in no hand-off. */
bool order_wait_listed(struct order *order, struct group_order *group, const struct atomic_operation *act,
                       const uint64_t reader[LANE_MASK_WORDS]);
/* Does the object exist, with that generation? */
bool order_object_lives(const struct order *order, uint64_t address, uint64_t generation);
/* NULL: no packed object has that address */
struct atomic_object *order_unpack(struct order *order, uint64_t address);
void order_objects_fini(struct order *order);
void order_objects_check(const struct order *order); /* packed and unpacked objects, see order_check */

/* Releases of work-group scope reach only members of that work-group. A few others are kept for
 * explanations. */
static inline bool is_wanted(const struct release_clock_list *buffer,
                             const struct release_clock *release_clock, uint64_t group)
{
    return release_clock->scope > SCOPE_WORK_GROUP || release_clock->place.group == group ||
           buffer->count < MISSED_KEPT;
}

static inline struct list_progress *list_progress_find(struct item_order *item, uint64_t list_id)
{
    for (uint32_t i = 0; i < LIST_PROGRESS_MOST; i++)
        if (item->progress[i].list_id == list_id)
            return &item->progress[i];
    return NULL;
}

struct list_progress *order_list_progress(struct item_order *item,
                                          uint64_t list_id); /* made if there is none */

void order_add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                             const struct atomic_operation *act);

static inline bool is_relaxed_of_another(const struct latest_store *store, uint64_t unit)
{
    return store->unit != UNIT_END && store->unit != unit && !store->releases;
}

static inline void note_relaxed_store(struct order *order, struct item_order *item,
                                      const struct latest_store *store, const struct atomic_operation *act)
{
    if (is_relaxed_of_another(store, item->unit))
        order_add_relaxed_store(order, item, store, act);
}

/* NULL: there is none. */
static inline struct atomic_object *atomic_object_find(struct order *order, uint64_t address)
{
    struct atomic_object *atomic = atomic_object_unpacked(order, address);
    return atomic || !order->packed.count ? atomic : order_unpack(order, address);
}

#endif
