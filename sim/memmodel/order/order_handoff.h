/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A short form of the releases of the members of one work-group by fences of one kind: while each
 *          release follows all those before it, as under a lock, they are a hand-off, and one number says
 *          which of them happen before. An update of an atomic object is two maxima then, and a fence one
 *          more release. R5 to R16.
 *
 * Positions  0: nothing; n: the group's first n releases, and all before the first of them.
 *
 * Holds    for relaxed atomics of 4 bytes and fences of work-group scope and one region, between barriers,
 *          and while no other unit acts on the objects but by a hand-off of its own group. Everything else
 *          has to call order_handoff_leave first, which puts what positions say into lists and maps; the
 *          group does without from then on.
 *
 * Interface
 *   order_handoff_fence     begins one where it can. False: it holds no longer, and the fence was not done
 *   order_handoff_atomic    likewise
 *   order_handoff_object    the object in the hand-off; NULL: it cannot be there
 *   handoff_access            a relaxed access by a member (inline)
 *   order_handoff_receive      joins what a member read while it waited with others
 *   order_handoff_has     does the epoch happen before what the member acquired? (order_decide.c)
 *   order_handoff_end       of a group that ends: what others may still read of it is put into lists
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_ORDER_HANDOFF_H
#define ORRERY_SIM_MEMMODEL_ORDER_ORDER_HANDOFF_H

#include "order_state.h"

enum {
    HANDOFF_OBJECTS = HOSTILE(14, 2),
    HANDOFF_MOST = HOSTILE(1 << 16, 16),
    HANDOFF_MET = 1 << 14, /* of a member: what it read before, and of other groups, met such a fence */
    HANDOFF_HELD = 1 << 15 /* its own clock, which the first release had, too */
};

/* before, jump: earlier ones of the same member, 0, which is none, before the first. Jumps are such that any
 * earlier one is some logarithm of steps away (Myers, "An applicative random-access stack", 1983). farther:
 * the jump of the one that it jumps to; span, next_span: how many are passed by both. */
struct handing {
    uint32_t clock, local, site, before, jump, farther, span, next_span;
};

struct handoff_object {
    struct variable *variable;
    struct handoff *handoff;
    struct handoff_object *next; /* of the variable, in another group's hand-off */
    uint32_t position;           /* the latest that was sent there */
    uint32_t bit;                /* among those that a member acted on */
    uint32_t *sent;              /* by local id: the latest of its own that is sent there */
};

struct handoff {
    struct group_order *group;
    uint64_t first_unit; /* of the group */
    int region;
    struct vclock *first;   /* the clock of the first release */
    struct handing *handed; /* from 1 on */
    uint32_t count, room;
    uint32_t *sent, *acquired, *pending; /* by local id: its latest release, and positions */
    uint32_t *slice;                     /* likewise: the clock value of what it does now */
    uint16_t *acted;                     /* likewise: a bit for each object, and HANDOFF_* */
    struct handoff_object objects[HANDOFF_OBJECTS];
    uint32_t object_count;
    /* A member that waits together with others has read this (see struct waiting): */
    struct handoff_object *awaited;
    uint32_t awaited_position;
    struct latest_store awaited_store;
    struct atomic_act awaited_act;
};

bool order_handoff_fence(struct order *order, struct unit_state *unit_state, const struct endpoint *end,
                         enum memory_ordering how);
bool order_handoff_atomic(struct order *order, struct unit_state *unit_state, const struct atomic_act *act);
struct handoff_object *order_handoff_object(struct order *order, struct handoff *handoff,
                                            const struct atomic_act *act);
/* As order_wait, whose group may leave the hand-off. */
bool order_handoff_wait(struct order *order, struct group_order *group, const struct atomic_act *act,
                        const uint64_t reader[LANE_MASK_WORDS]);
void order_handoff_receive(struct order *order, struct group_order *group, uint64_t local);
/* A member reaches an object for the first time, or reads a value that was stored without a release. */
void order_handoff_come(struct order *order, struct handoff_object *object, uint64_t local,
                        const struct latest_store *store, const struct atomic_act *act);
/* the hand-offs that it is in */
void order_handoff_leave_object(struct order *order, const struct variable *variable);
void order_handoff_leave_all(struct order *order);
void order_handoff_end(struct order *order, struct group_order *group);
void order_handoff_free(struct order *order, struct group_order *group);
/* one reference */
struct vclock *order_handoff_known(struct order *order, const struct handoff *handoff, uint32_t position);

static inline struct handing handing_next(const struct handoff *handoff, uint64_t local, uint64_t clock,
                                          uint32_t site)
{
    const uint32_t at = handoff->sent[local];
    const struct handing *before = &handoff->handed[at];
    if (before->span != before->next_span)
        return (struct handing){(uint32_t)clock, (uint32_t)local, site, at, at, before->jump, 1,
                                before->span};
    const struct handing *farther = &handoff->handed[before->farther];
    return (struct handing){(uint32_t)clock, (uint32_t)local,      site,         at, before->farther,
                            farther->jump,   1 + 2 * before->span, farther->span};
}

/* The member's latest up to the position; 0: none. */
static inline uint32_t handing_at(const struct handoff *handoff, uint64_t local, uint32_t position)
{
    uint32_t at = handoff->sent[local];
    while (at > position)
        at = handoff->handed[at].jump > position ? handoff->handed[at].jump : handoff->handed[at].before;
    return at;
}

/* After a fence of a member that is such a one again, and acquires and releases. False: it is something
 * else. */
static inline bool handoff_fence_again(struct order *order, struct group_order *group, uint64_t local,
                                       const struct endpoint *end)
{
    struct handoff *handoff = group->handoff;
    const uint32_t known = HANDOFF_MET | HANDOFF_HELD, count = handoff->count, next = count + 1;
    if (end->scope != SCOPE_WORK_GROUP || end->flags != 1u << handoff->region ||
        (handoff->acted[local] & known) != known ||
        (handoff->acquired[local] != count && handoff->pending[local] != count) || next >= handoff->room ||
        next > HANDOFF_MOST)
        return false;
    const uint64_t clock = order_release_clock(order);
    handoff->handed[next] = handing_next(handoff, local, clock, end->site);
    handoff->sent[local] = handoff->acquired[local] = handoff->count = next;
    handoff->slice[local] = (uint32_t)clock;
    group->items[local]->slice = clock;
    fast_path_taken(order->fast_paths, FAST_PATH_HANDOFF);
    return true;
}

/* NULL: it is not there yet. */
static inline struct handoff_object *handoff_object_of(const struct handoff *handoff,
                                                       const struct variable *variable)
{
    struct handoff_object *object = variable->relayed;
    while (object && object->handoff != handoff)
        object = object->next;
    return object;
}

static inline void handoff_read(struct order *order, struct handoff_object *object, uint64_t local,
                                uint32_t position, const struct latest_store *store,
                                const struct atomic_act *act)
{
    struct handoff *handoff = object->handoff;
    if (__builtin_expect(!(handoff->acted[local] & object->bit) || !store->releases, 0))
        order_handoff_come(order, object, local, store, act);
    if (handoff->pending[local] < position)
        handoff->pending[local] = position;
}

/* By a member that has been there, if none that it reads from stored without a release. */
static inline void handoff_pass(const struct order *order, struct handoff_object *object, uint64_t local,
                                const struct atomic_act *act)
{
    const struct handoff *handoff = object->handoff;
    const uint32_t position = object->position, sent = handoff->sent[local];
    if (handoff->pending[local] < position)
        handoff->pending[local] = position;
    if (!act->writes)
        return;
    object->sent[local] = sent;
    if (position < sent)
        object->position = sent;
    object->variable->store =
        (struct latest_store){act->site, handoff->first_unit + local, order->clock, sent};
}

/* Likewise. False: order_handoff_receive has to do it. */
static inline bool handoff_receive_again(struct handoff *handoff, struct waiting *waiting, uint64_t local)
{
    if (!(handoff->acted[local] & handoff->awaited->bit) || !handoff->awaited_store.releases)
        return false;
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    if (handoff->pending[local] < handoff->awaited_position)
        handoff->pending[local] = handoff->awaited_position;
    return true;
}

/* A relaxed load or update; a store continues the sequences that are there. */
static inline void handoff_access(struct order *order, struct handoff_object *object, uint64_t local,
                                  const struct atomic_act *act)
{
    handoff_read(order, object, local, object->position, &object->variable->store, act);
    handoff_pass(order, object, local, act);
}

#endif
