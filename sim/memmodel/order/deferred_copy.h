/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Accesses of asynchronous copies that not all members of their work-group have reached (R37). A
 *          copy comes after what happens before each member's call of it, so its accesses are deferred until
 *          all have called it.
 *
 * Interface
 *   deferred_copy_add       false: the copy is complete, and the caller checks its accesses now. True: they
 *                           are kept
 *                   here, or the copy does not exist
 *   deferred_copy_perform     calls `perform` for the accesses of copies that are complete by now, and for
 *                             all of the
 *                   group, unless that is DEFERRED_COPY_NO_GROUP
 *   deferred_copy_fini       forgets all
 *
 * Errors   When memory runs out, `failed` is set and accesses are lost.
 */
#ifndef ORRERY_SIM_MEMMODEL_ORDER_DEFERRED_COPY_H
#define ORRERY_SIM_MEMMODEL_ORDER_DEFERRED_COPY_H

#include "order.h"

struct deferred_access {
    uint64_t unit, address;
    uint32_t site, size;
    enum access_kind kind;
};
struct held {
    struct deferred_access *items;
    uint32_t count, room;
    bool failed;
};

static const uint64_t DEFERRED_COPY_NO_GROUP = UINT64_MAX;

/* The accesses of the lanes in the mask; site: as the order numbers it. */
bool deferred_copy_add(struct held *held, const struct order *order, uint64_t group,
                       const struct access_event *event, const uint64_t *mask, uint32_t site);
void deferred_copy_perform(struct held *held, const struct order *order, uint64_t group,
                           void (*perform)(void *self, const struct deferred_access *access), void *self);
void deferred_copy_fini(struct held *held);

#endif
