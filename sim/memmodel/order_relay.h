/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A short form of what the members of one work-group hand each other by fences of one kind: while each release
 *          knows all that came before it, as under a lock, they are a relay, and a number says which of
 *          them somebody knows. An update of an atomic object is two maxima then, and a fence one more release. R5 to R16.
 *
 * Positions  0: nothing; n: the group's first n releases, and what the first of them knew before.
 *
 * Holds    for relaxed atomics of 4 bytes and fences of work-group scope and one region, between barriers, and while no other
 *          unit acts on the objects but by a relay of its own group. Everything else has to call order_relay_leave first, which puts
 *          what positions say into lists and maps; the group does without from then on.
 *
 * Interface
 *   order_relay_fence     begins one where it can. False: it holds no longer, and the fence was not done
 *   order_relay_atomic    likewise
 *   order_relay_object    the object in the relay; NULL: it cannot be there
 *   relay_turn            a relaxed access by a member (inline)
 *   order_relay_hear      a member is given what it read while it waited with others
 *   order_relay_knows     does what the member acquired tell of the stamp? (order_knows.c)
 *   order_relay_end       of a group that ends: what others may still read of it is put into lists
 */
#ifndef ORRERY_MEMMODEL_ORDER_RELAY_H
#define ORRERY_MEMMODEL_ORDER_RELAY_H

#include "order_state.h"

enum {
    RELAY_OBJECTS = HOSTILE(14, 2), RELAY_MOST = HOSTILE(1 << 16, 16),
    RELAY_MET = 1 << 14,  /* of a member: what it read before, and of other groups, met such a fence */
    RELAY_HELD = 1 << 15  /* what it knew by itself the first release knew, too */
};

/* before, jump: earlier ones of the same member, 0, which is none, before the first. Jumps are such that any earlier one is some
 * logarithm of steps away (Myers, "An applicative random-access stack", 1983). farther: the jump of the one that it jumps to; span,
 * next_span: how many are passed by both. */
struct handing { uint32_t tick, local, site, before, jump, farther, span, next_span; };

struct relay_object {
    struct variable *variable;
    struct relay *relay;
    struct relay_object *next; /* of the variable, in another group's relay */
    uint32_t position;         /* the latest that was sent there */
    uint32_t bit;              /* among those that a member acted on */
    uint32_t *sent;            /* by local id: the latest of its own that is sent there */
};

struct relay {
    struct group_order *group;
    uint64_t first_unit;       /* of the group */
    int region;
    struct knowledge *first;   /* what the first release knew */
    struct handing *handed;    /* from 1 on */
    uint32_t count, room;
    uint32_t *sent, *acquired, *pending; /* by local id: its latest release, and positions */
    uint32_t *slice;           /* likewise: the tick of what it does now */
    uint16_t *acted;           /* likewise: a bit for each object, and RELAY_* */
    struct relay_object objects[RELAY_OBJECTS]; uint32_t object_count;
    /* Who waits together has read this (see struct waiting): */
    struct relay_object *awaited;
    uint32_t awaited_position;
    struct latest_store awaited_store;
    struct atomic_act awaited_act;
};

bool order_relay_fence(struct order *order, struct agent *agent, const struct endpoint *end, enum memory_order how);
bool order_relay_atomic(struct order *order, struct agent *agent, const struct atomic_act *act);
struct relay_object *order_relay_object(struct order *order, struct relay *relay, const struct atomic_act *act);
/* As order_wait, whose group may leave the relay. */
bool order_relay_wait(struct order *order, struct group_order *group, const struct atomic_act *act, const uint64_t reader[LANE_MASK_WORDS]);
void order_relay_hear(struct order *order, struct group_order *group, uint64_t local);
/* A member comes to an object for the first time, or reads what was stored without a release. */
void order_relay_come(struct order *order, struct relay_object *object, uint64_t local, const struct latest_store *store, const struct atomic_act *act);
void order_relay_leave_object(struct order *order, const struct variable *variable); /* the relays that it is in */
void order_relay_leave_all(struct order *order);
void order_relay_end(struct order *order, struct group_order *group);
void order_relay_free(struct order *order, struct group_order *group);
struct knowledge *order_relay_known(struct order *order, const struct relay *relay, uint32_t position); /* one reference */

static inline struct handing handing_next(const struct relay *relay, uint64_t local, uint64_t tick, uint32_t site)
{
    const uint32_t at = relay->sent[local];
    const struct handing *before = &relay->handed[at];
    if (before->span != before->next_span)
        return (struct handing){(uint32_t)tick, (uint32_t)local, site, at, at, before->jump, 1, before->span};
    const struct handing *farther = &relay->handed[before->farther];
    return (struct handing){(uint32_t)tick, (uint32_t)local, site, at, before->farther, farther->jump, 1 + 2 * before->span, farther->span};
}

/* The member's latest up to the position; 0: none. */
static inline uint32_t handing_at(const struct relay *relay, uint64_t local, uint32_t position)
{
    uint32_t at = relay->sent[local];
    while (at > position)
        at = relay->handed[at].jump > position ? relay->handed[at].jump : relay->handed[at].before;
    return at;
}

/* Behind a fence of a member that is such a one again, and acquires and releases. False: it is something else. */
static inline bool relay_fence_again(struct order *order, struct group_order *group, uint64_t local, const struct endpoint *end)
{
    struct relay *relay = group->relay;
    const uint32_t known = RELAY_MET | RELAY_HELD, count = relay->count, next = count + 1;
    if (end->scope != SCOPE_WORK_GROUP || end->flags != 1u << relay->region || (relay->acted[local] & known) != known ||
        (relay->acquired[local] != count && relay->pending[local] != count) || next >= relay->room || next > RELAY_MOST)
        return false;
    const uint64_t tick = order_release_tick(order);
    relay->handed[next] = handing_next(relay, local, tick, end->site);
    relay->sent[local] = relay->acquired[local] = relay->count = next;
    relay->slice[local] = (uint32_t)tick;
    group->items[local]->slice = tick;
    way_taken(order->ways, WAY_RELAY);
    return true;
}

/* NULL: it is not there yet. */
static inline struct relay_object *relay_object_of(const struct relay *relay, const struct variable *variable)
{
    struct relay_object *object = variable->relayed;
    while (object && object->relay != relay)
        object = object->next;
    return object;
}

static inline void relay_read(struct order *order, struct relay_object *object, uint64_t local, uint32_t position, const struct latest_store *store,
                              const struct atomic_act *act)
{
    struct relay *relay = object->relay;
    if (__builtin_expect(!(relay->acted[local] & object->bit) || !store->releases, 0))
        order_relay_come(order, object, local, store, act);
    if (relay->pending[local] < position)
        relay->pending[local] = position;
}

/* By one who has been there, and none of whom it reads stored without a release. */
static inline void relay_pass(const struct order *order, struct relay_object *object, uint64_t local, const struct atomic_act *act)
{
    const struct relay *relay = object->relay;
    const uint32_t position = object->position, sent = relay->sent[local];
    if (relay->pending[local] < position)
        relay->pending[local] = position;
    if (!act->writes)
        return;
    object->sent[local] = sent;
    if (position < sent)
        object->position = sent;
    object->variable->store = (struct latest_store){act->site, relay->first_unit + local, order->tick, sent};
}

/* Likewise. False: order_relay_hear has to do it. */
static inline bool relay_hear_again(struct relay *relay, struct waiting *waiting, uint64_t local)
{
    if (!(relay->acted[local] & relay->awaited->bit) || !relay->awaited_store.releases)
        return false;
    waiting->reader[local / 64] &= ~(UINT64_C(1) << local % 64);
    if (relay->pending[local] < relay->awaited_position)
        relay->pending[local] = relay->awaited_position;
    return true;
}

/* A relaxed load or update; who stores continues the sequences that are there. */
static inline void relay_turn(struct order *order, struct relay_object *object, uint64_t local, const struct atomic_act *act)
{
    relay_read(order, object, local, object->position, &object->variable->store, act);
    relay_pass(order, object, local, act);
}

#endif
