/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of order.h share: order.c has the launch, its units and their fences;
 *          order_releases.c the lists of what releases publish; order_decide.c what happens before what;
 *          order_objects.c atomic objects by address; order_atomics.c, order_updates.c, order_waiting.c,
 *          order_barriers.c and order_copies.c the sync operations.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_STATE_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_STATE_H

#include "order.h"

#include <string.h>

/* An atomic object, by its address. */
struct variable {
    uint64_t address;
    uint32_t size;
    int region;
    bool svm_atomics;    /* it lies in fine-grained SVM with atomics */
    bool apart;          /* as in struct atomic_act */
    uint64_t group;      /* local: whose memory it was when last used */
    uint64_t generation; /* counts the stores that began a new list */
    /* of the list, of the generation: numbers that no other of the launch has; 0: none yet */
    uint64_t version, stream;
    struct release_clock_list release_clocks;
    struct latest_store store;
    struct handoff_object *relayed; /* in these hand-offs of groups; NULL: in none */
    struct variable *next;
};

/* How one side of an edge was written. */
struct endpoint {
    enum memory_scope scope;
    bool fence;
    uint32_t flags;
    uint32_t site;
};

/* ---- vector clock ---- */

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

/* NULL: there is but one. */
static inline const struct order_launch *order_launch_of(const struct order *order, uint64_t group)
{
    return order->launches ? &order->launches[order->group_launch[group]] : NULL;
}

/* All that the launch did, in whichever unit and clock value: of struct order's launches. */
static inline uint64_t launch_key(uint32_t launch)
{
    return (uint64_t)launch << 2 | 3;
}
/* Its clock at its call of that number; 0: the number is not known. */
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
    if (!*slot || !vclock_holds(*slot, more))
        set(order, slot, vclock_join(&order->pool, *slot, more));
    else
        order->pool.chained++;
}

static inline void put_into(struct order *order, struct vclock **slot, uint64_t key, uint64_t clock)
{
    set(order, slot, vclock_put(&order->pool, *slot, key, clock));
}

static inline void drop_all(struct order *order, struct vclock *known[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        set(order, &known[r], NULL);
}

static inline void share_all(struct vclock *to[ORDER_REGIONS], struct vclock *const from[ORDER_REGIONS])
{
    for (int r = 0; r < ORDER_REGIONS; r++)
        to[r] = vclock_share(from[r]);
}

/* ---- messages ---- */

struct release *order_release_new(struct order *order, uint64_t unit, uint32_t site); /* one reference */
void order_release_free(struct order *order, struct release *release);
struct release *order_release_join(struct order *order, struct release *earlier, struct release *later);
void order_releases_fini(struct order *order); /* all of them */

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

/* A clock with the later one's release need not be checked for the earlier one's. */
static inline bool release_holds(const struct release *later, const struct release *earlier)
{
    return later == earlier || (vclock_holds(later->known[IN_GLOBAL], earlier->known[IN_GLOBAL]) &&
                                vclock_holds(later->known[IN_LOCAL], earlier->known[IN_LOCAL]) &&
                                vclock_holds(later->known[IN_IMAGE], earlier->known[IN_IMAGE]));
}

static inline bool release_is_same(const struct release *a, const struct release *b)
{
    return a == b || (a->known[IN_GLOBAL] == b->known[IN_GLOBAL] &&
                      a->known[IN_LOCAL] == b->known[IN_LOCAL] && a->known[IN_IMAGE] == b->known[IN_IMAGE]);
}

bool order_grow(struct order *order, void **items, uint32_t *room, size_t size);
struct release_clock *order_list_find(const struct order *order, const struct release_clock_list *list,
                                      const struct release_clock *like, uint64_t stream);
void order_list_begin_small(struct release_clock_list *list); /* of an object, which mostly has one message */
/* Releases that include the same readers become one message. */
uint32_t order_list_add(struct order *order, struct release_clock_list *list,
                        const struct release_clock *release_clock);
/* The message replaces an earlier one of its sender and stream; where it stands, or UINT32_MAX. */
uint32_t order_list_renew(struct order *order, struct release_clock_list *list,
                          const struct release_clock *release_clock, uint64_t stream);
void order_list_clear(struct order *order, struct release_clock_list *list);
void order_list_free(struct order *order, struct release_clock_list *list);
void order_list_check(const struct release_clock_list *list); /* asserts all invariants */

/* Of launches that enqueue each other. */
static inline bool same_family(const struct order *order, const struct place *a, const struct place *b)
{
    return order_launch_of(order, a->group)->family == order_launch_of(order, b->group)->family ||
           !RULE(3204);
}

/* Do both reach the same readers? A reader of a narrower scope may query the place of a wider release. */
static inline bool same_sender(const struct order *order, const struct release_clock *a,
                               const struct release_clock *b)
{
    if (a->scope != b->scope || a->fence != b->fence || a->flags != b->flags ||
        a->svm_atomics != b->svm_atomics || a->apart != b->apart ||
        (a->apart && !same_family(order, &a->place, &b->place)))
        return false;
    if (order->rule == SCOPE_RULE_INCLUSIVE31)
        return a->place.group == b->place.group && a->place.sub_group == b->place.sub_group;
    if (a->scope > SCOPE_WORK_GROUP)
        return a->scope != SCOPE_DEVICE || a->place.device == b->place.device;
    return a->place.group == b->place.group &&
           (a->scope != SCOPE_SUB_GROUP || a->place.sub_group == b->place.sub_group);
}

/* Of one sub-group, likewise. */
static inline bool sends_like(const struct release_clock *a, const struct release_clock *b)
{
    return a->scope == b->scope && a->flags == b->flags && a->fence == b->fence &&
           a->svm_atomics == b->svm_atomics && a->apart == b->apart && a->place.group == b->place.group &&
           a->place.sub_group == b->place.sub_group;
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

static inline void join_release_clock(struct order *order, struct release_clock *old,
                                      const struct release_clock *release_clock)
{
    struct release *both = order_release_join(order, old->release, release_clock->release);
    release_drop(order, old->release);
    old->release = both;
    old->version = release_clock->version;
}

/* ---- units ---- */

/* Of a release by a unit that has not released in this event. Those that are remembered stand one after
 * the other. */
static inline uint64_t order_release_clock(struct order *order)
{
    if (!order->event || order->shared_event != order->event || (order->sync_log && !order->sync_log->full)) {
        order->shared_event = order->event;
        order->shared = ++order->clock;
    }
    return order->shared;
}

bool order_make_item(struct order *order, struct unit_state *unit_state); /* false: no memory */
/* The unit's clock in a region, its own operations before clock value among it. */
struct vclock *order_publish(struct order *order, const struct unit_state *unit_state, int region,
                             uint64_t clock);
void order_release_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         uint64_t clock);
/* False: it does not reach the agent. */
bool order_apply(struct order *order, const struct unit_state *unit_state,
                 const struct release_clock *release_clock, int region, const struct endpoint *end);
void order_acquire_pending(struct order *order, struct unit_state *unit_state, const struct endpoint *end);
void order_remember_own(struct order *order, struct unit_state *unit_state, struct sync_op *sync_op,
                        uint64_t before);
void order_members_free(struct order *order, struct copy_order *copy);
void order_handoff_leave(struct order *order, struct group_order *group); /* see order_handoff.h */

static inline void remember(struct order *order, const struct sync_op *sync_op)
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

/* A new slice begins for all of them. */
static inline void no_unit_done(struct group_order *group)
{
    if (group->waiting)
        memset(group->waiting->done, 0, sizeof group->waiting->done);
}

/* ---- atomic objects ---- */

static inline uint64_t address_hash(uint64_t address)
{
    return (address >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static inline struct variable **bucket(const struct order *order, uint64_t address)
{
    return &order->variables[address_hash(address) & (order->variable_buckets - 1)];
}

static inline struct variable *variable_awake(const struct order *order, uint64_t address)
{
    struct variable *variable = order->variable_buckets ? *bucket(order, address) : NULL;
    while (variable && variable->address != address)
        variable = variable->next;
    return variable;
}

struct variable *order_object_new(struct order *order, uint64_t address); /* NULL: no memory */
/* the object, made when there is none; NULL: no memory */
struct variable *order_variable(struct order *order, const struct atomic_act *act);
void order_list_trim(struct order *order, struct release_clock_list *list);
/* Of an object: its messages newer than `since` become pending; a sequence of the unit's own begins; all that
 * wait have read by themselves. */
void order_take(struct order *order, struct unit_state *unit_state, const struct release_clock_list *list,
                uint64_t stream, uint64_t since, int region);
void order_begin_live(struct order *order, struct unit_state *unit_state, const struct variable *variable,
                      const struct release_clock *release_clock);
void order_part_all(struct order *order, struct group_order *group);
/* As order_wait, of a group that is in no hand-off. */
bool order_wait_listed(struct order *order, struct group_order *group, const struct atomic_act *act,
                       const uint64_t reader[LANE_MASK_WORDS]);
/* Is there such an object, and is it of that generation? */
bool order_object_lives(const struct order *order, uint64_t address, uint64_t generation);
struct variable *order_wake(struct order *order, uint64_t address); /* NULL: none rests there */
void order_objects_fini(struct order *order);
void order_objects_check(const struct order *order); /* awake and at rest: see order_check */

/* Messages that cannot reach the agent are kept for explanations: a few do. */
static inline bool is_wanted(const struct release_clock_list *pending,
                             const struct release_clock *release_clock, uint64_t group)
{
    return release_clock->scope > SCOPE_WORK_GROUP || release_clock->place.group == group ||
           pending->count < MISSED_KEPT;
}

static inline struct list_seen *seen_find(struct item_order *item, uint64_t stream)
{
    for (uint32_t i = 0; i < LISTS_SEEN; i++)
        if (item->seen[i].stream == stream)
            return &item->seen[i];
    return NULL;
}

struct list_seen *order_seen(struct item_order *item, uint64_t stream); /* made when there is none */

static inline void set_fresh(struct pending *pending, uint32_t at)
{
    if (at < PENDING_BITS)
        pending->fresh |= UINT64_C(1) << at;
}

void order_add_relaxed_store(struct order *order, struct item_order *item, const struct latest_store *store,
                             const struct atomic_act *act);

static inline bool is_relaxed_of_another(const struct latest_store *store, uint64_t unit)
{
    return store->unit != UNIT_END && store->unit != unit && !store->releases;
}

static inline void note_relaxed_store(struct order *order, struct item_order *item,
                                      const struct latest_store *store, const struct atomic_act *act)
{
    if (is_relaxed_of_another(store, item->unit))
        order_add_relaxed_store(order, item, store, act);
}

/* NULL: there is none. */
static inline struct variable *variable_find(struct order *order, uint64_t address)
{
    struct variable *variable = variable_awake(order, address);
    return variable || !order->rest.count ? variable : order_wake(order, address);
}

#endif
