/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Accesses of asynchronous copies that not all of their work-group have reached (R37): they wait
 *          until then, since a copy comes after what happens before each member's call of it.
 *
 * Interface
 *   held_take       true: there is no such copy, or its accesses are kept here; false: it is complete, and
 *                   they count now
 *   held_let_go     calls `perform` for those of copies that are complete by now, and of the group, if one is
 *                   given
 *   held_fini       forgets them
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_DEFERRED_COPY_H
#define ORRERY_SIM_MEMMODEL_ORDER_DEFERRED_COPY_H

#include "order.h"

struct held_access {
    uint64_t unit, address;
    uint32_t site, size;
    enum access_kind kind;
};
struct held {
    struct held_access *items;
    uint32_t count, room;
    bool failed;
};

static const uint64_t HELD_NO_GROUP = UINT64_MAX;

/* Of the lanes of the mask. site: the one that it has in the order. */
bool held_take(struct held *held, const struct order *order, uint64_t group, const struct access_event *event,
               const uint64_t *mask, uint32_t site);
void held_let_go(struct held *held, const struct order *order, uint64_t group,
                 void (*perform)(void *self, const struct held_access *access), void *self);
void held_fini(struct held *held);

#endif
