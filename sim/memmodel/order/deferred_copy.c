/* SPDX-License-Identifier: Apache-2.0 */
/* A list of deferred accesses in the order of their events. At each release it is walked, and accesses of
 * complete copies are handed on. */
#include "deferred_copy.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "sim/memmodel/common/lane_mask.h"
#include "sim/memmodel/common/room.h"

static bool has_room(struct held *held)
{
    const bool room =
        room_for_one((void **)&held->items, held->count, &held->room, HOSTILE(16, 1), sizeof *held->items);
    held->failed |= !room;
    return room;
}

bool deferred_copy_add(struct held *held, const struct order *order, uint64_t group,
                       const struct access_event *event, const uint64_t *mask, uint32_t site)
{
    const uint64_t unit = order_copy_unit(order, group, event->copy);
    if (unit == UNIT_END || order_copy_complete(order, unit))
        return unit == UNIT_END;
    CHECKED(unit >= UNIT_COPIES && event->size_bytes > 0);
    EACH_LANE_OF(mask, lane)
    if (has_room(held))
        held->items[held->count++] =
            (struct deferred_access){unit, lane_address(event, lane), site, event->size_bytes, event->kind};
    return true;
}

void deferred_copy_perform(struct held *held, const struct order *order, uint64_t group,
                           void (*perform)(void *self, const struct deferred_access *access), void *self)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < held->count; i++) {
        const struct deferred_access access = held->items[i];
        if (order_copy_complete(order, access.unit) || order_unit_group(order, access.unit) == group)
            perform(self, &access);
        else
            held->items[kept++] = access;
    }
    held->count = kept;
}

void deferred_copy_fini(struct held *held)
{
    free(held->items);
    *held = (struct held){.count = 0};
}
