/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The hand-off: a short form of the clocks of one work-group whose members release by fences of one
 *          kind, each after acquiring all earlier releases, as under a lock. The releases are then totally
 *          ordered, so a number says which of them happen before a point: its position. An update of an
 *          atomic object is two maxima of positions, and a fence one more release. R5 to R16.
 *
 * Position   0: nothing; n: the first n releases of the group, and the clock of the first one.
 *
 * Validity   for relaxed atomics of 4 bytes and fences of work-group scope and one region, between barriers,
 *            and while no other unit acts on the objects but by a hand-off of its own group. Everything else
 *            calls order_handoff_dissolve first, which turns positions into lists and clocks; the group gets
 *            no second hand-off.
 *
 * Interface
 *   order_handoff_fence     a fence; begins a hand-off where possible. False: there is none (any more), and
 *                           the fence was not done
 *   order_handoff_atomic    likewise an atomic operation
 *   order_handoff_object    the object in the hand-off; NULL: it cannot be there
 *   handoff_access          a relaxed access by a member
 *   order_handoff_deliver   a member receives what it read together with others
 *   order_handoff_has       does the epoch happen before what the member acquired? (order_decide.c)
 *   order_handoff_end       of a group that ends: lists of objects get what others may still read
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_HANDOFF_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_HANDOFF_H

#include "order_state.h"

enum {
    HANDOFF_OBJECTS = HOSTILE(14, 2),
    HANDOFF_MOST = HOSTILE(1 << 16, 16),
    HANDOFF_FENCED = 1 << 14, /* of a member: an acquire fence tried what its fence buffer has */
    HANDOFF_COVERED = 1 << 15 /* of a member: the clock of the first release includes its own */
};

/* A release of the hand-off; number 0 stands for none. before: the same member's release before it. */
struct handoff_release {
    uint32_t clock, local, site, before;
};

struct handoff_object {
    struct atomic_object *atomic;
    struct handoff *handoff;
    struct handoff_object *next; /* of the atomic object, in another group's hand-off */
    uint32_t position;           /* the latest that was published there */
    uint32_t bit;                /* in struct handoff's `entered` */
    uint32_t *released;          /* by local id: the member's latest release that it published there */
};

struct handoff {
    struct group_order *group;
    uint64_t first_unit; /* the group's first member */
    int region;
    struct vclock *first;             /* of the first release */
    struct handoff_release *releases; /* number 0 is unused */
    uint32_t count, room;
    /* by local id: its latest release; the positions that it acquired, that it read and did not acquire */
    uint32_t *released, *acquired, *buffered;
    uint32_t *slice; /* by local id: where its segment began */
    /* by local id: a bit for each object that it accessed, and HANDOFF_* */
    uint16_t *entered;
    struct handoff_object objects[HANDOFF_OBJECTS];
    uint32_t object_count;
    /* what members that spin together have read (struct waiting) */
    struct handoff_object *polled;
    uint32_t polled_position;
    struct latest_store polled_store;
    struct atomic_operation polled_act;
};

bool order_handoff_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         enum memory_ordering how);
bool order_handoff_atomic(struct order *order, struct unit_state *unit_state,
                          const struct atomic_operation *act);
struct handoff_object *order_handoff_object(struct order *order, struct handoff *handoff,
                                            const struct atomic_operation *act);
/* order_read_together of a group in a hand-off, which may dissolve. */
bool order_handoff_wait(struct order *order, struct group_order *group, const struct atomic_operation *act,
                        const uint64_t reader[LANE_MASK_WORDS]);
void order_handoff_deliver(struct order *order, struct group_order *group, uint64_t local);
/* A member accesses an object for the first time, or reads a value that was stored without a release. */
void order_handoff_enter(struct order *order, struct handoff_object *object, uint64_t local,
                         const struct latest_store *store, const struct atomic_operation *act);
/* of all groups' hand-offs that have the object */
void order_handoff_dissolve_object(struct order *order, const struct atomic_object *atomic);
void order_handoff_dissolve_all(struct order *order);
void order_handoff_end(struct order *order, struct group_order *group);
void order_handoff_free(struct order *order, struct group_order *group);
/* The clock that a position stands for; one reference. */
struct vclock *order_handoff_clock(struct order *order, const struct handoff *handoff, uint32_t position);

/* The member's latest release up to the position; 0: none. */
static inline uint32_t handoff_release_at(const struct handoff *handoff, uint64_t local, uint32_t position)
{
    uint32_t at = handoff->released[local];
    while (at > position)
        at = handoff->releases[at].before;
    return at;
}

/* NULL: the object is not in the hand-off yet. */
static inline struct handoff_object *handoff_object_of(const struct handoff *handoff,
                                                       const struct atomic_object *atomic)
{
    struct handoff_object *object = atomic->handoff_objects;
    while (object && object->handoff != handoff)
        object = object->next;
    return object;
}

static inline void handoff_read(struct order *order, struct handoff_object *object, uint64_t local,
                                uint32_t position, const struct latest_store *store,
                                const struct atomic_operation *act)
{
    struct handoff *handoff = object->handoff;
    if (__builtin_expect(!(handoff->entered[local] & object->bit) || !store->releases, 0))
        order_handoff_enter(order, object, local, store, act);
    if (handoff->buffered[local] < position)
        handoff->buffered[local] = position;
}

/* A relaxed load or read-modify-write, which continues the release sequences of the object. */
static inline void handoff_access(struct order *order, struct handoff_object *object, uint64_t local,
                                  const struct atomic_operation *act)
{
    const struct handoff *handoff = object->handoff;
    const uint32_t position = object->position, released = handoff->released[local];
    handoff_read(order, object, local, position, &object->atomic->store, act);
    if (!act->writes)
        return;
    object->released[local] = released;
    if (position < released)
        object->position = released;
    object->atomic->store =
        (struct latest_store){act->site, handoff->first_unit + local, order->clock, released};
}

#endif
