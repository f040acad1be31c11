/* SPDX-License-Identifier: Apache-2.0 */
/* Whose value memory has, for reports. The shadow does not keep the order of a cell's accesses, so the answer
 * is "no" wherever some other write may have come later. */
#include "shadow_state.h"

/* The access whose value is asked for; found: it was seen among the cell's accesses. */
struct value_query {
    const struct visit *visit;
    uint64_t unit;
    const struct access_context *how;
    bool found;
};

/* Was the write executed before the access that is asked for? True if it is of the same work-item at an
 * earlier clock value, or of its work-group before a barrier that the access is after. */
static bool came_before(const struct value_query *asked, uint64_t unit, uint64_t clock)
{
    const struct visit *visit = asked->visit;
    const struct order *order = visit->shadow->order;
    struct unit_state unit_state;
    if (unit == asked->unit)
        return clock < asked->how->clock;
    order_unit_state(order, asked->unit, &unit_state);
    if (unit >= UNIT_COPIES || order_unit_group(order, unit) != unit_state.place.group || !unit_state.group)
        return false;
    const uint64_t base = unit_state.group->base[visit->region->space];
    return clock < base && asked->how->clock >= base;
}

/* May this atomic write have come after the access that is asked for? */
static bool may_follow(struct value_query *asked, uint64_t unit, const struct access_context *how)
{
    const bool same = unit == asked->unit && is_same_operation(how, asked->how) && !asked->found;
    asked->found |= same;
    return !same && is_atomic(how->kind) && is_write(how->kind) && !came_before(asked, unit, how->clock);
}

static bool atomic_may_follow(struct value_query *asked, const uint64_t *cell)
{
    struct cell_walk walk = cell_walk(asked->visit->region, asked->visit->address, cell);
    while (shadow_walk_next(&walk))
        if (may_follow(asked, walk.unit, &walk.how))
            return true;
    return false;
}

/* Accesses came to the cell in the order of execution, but for replayed ones and racers, which may be
 * older. */
bool shadow_memory_has(const struct visit *visit, uint64_t unit, const struct access_context *how)
{
    const struct shadow_region *region = visit->region;
    struct value_query asked = {visit, unit, how, false};
    uint64_t cell[2];
    if (region->incomplete || unit >= UNIT_COPIES || visit->now->unit_state->unit >= UNIT_COPIES)
        return false;
    shadow_cell_at(region, visit->address, cell);
    if (atomic_may_follow(&asked, cell))
        return false;
    if (how->kind == ACCESS_WRITE)
        return live(region, cell[0]) && epoch_unit(cell[0]) == unit &&
               epoch_how(region, cell[0])->clock == how->clock &&
               is_same_operation(epoch_how(region, cell[0]), how);
    return !live(region, cell[0]) ||
           came_before(&asked, epoch_unit(cell[0]), epoch_how(region, cell[0])->clock);
}
