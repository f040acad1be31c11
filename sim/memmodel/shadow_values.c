/* SPDX-License-Identifier: Apache-2.0 */
/* Whose value memory still has: the shadow keeps what accessed a cell, and in part the order in which that was. */
#include "shadow_state.h"

/* As it was before the access under way. */
static void find_cell(const struct visit *visit, uint64_t out_cell[2])
{
    const struct shadow_region *region = visit->region;
    const uint64_t offset = visit->address - region->low;
    const struct shadow_page *page = &region->pages[offset / PAGE_BYTES];
    const uint32_t at = (uint32_t)(offset % PAGE_BYTES);
    for (uint32_t slot = 0; slot < 2; slot++)
        out_cell[slot] = page->narrow ? narrow_get(page->narrow, at, slot) : page->cells[at >> page->unit_shift][slot];
}

/* The one whose value is asked for. */
struct asked { const struct visit *visit; uint64_t unit; const struct context *how; bool found; };

/* The write was done when the other access was: by the same work-item in an earlier slice, or by another one of its
 * work-group before a barrier of all that the other is behind. */
static bool came_before(const struct asked *asked, uint64_t unit, uint64_t tick)
{
    const struct visit *visit = asked->visit;
    const struct order *order = visit->shadow->order;
    struct agent agent;
    if (unit == asked->unit)
        return tick < asked->how->tick;
    order_agent(order, asked->unit, &agent);
    if (unit >= UNIT_COPIES || order_unit_group(order, unit) != agent.place.group || !agent.group)
        return false;
    const uint64_t base = agent.group->base[visit->region->space];
    return tick < base && asked->how->tick >= base;
}

/* An atomic access that may have come behind it. */
static bool may_follow(struct asked *asked, uint64_t unit, const struct context *how)
{
    const bool same = unit == asked->unit && is_alike(how, asked->how) && !asked->found;
    asked->found |= same;
    return !same && is_atomic(how->kind) && is_write(how->kind) && !came_before(asked, unit, how->tick);
}

static bool member_may_follow(struct asked *asked, const struct member *member)
{
    for (uint64_t bits = member->mask; bits; bits &= bits - 1) {
        const uint32_t at = (uint32_t)__builtin_ctzll(bits);
        const struct context how = member_how(member, at);
        if (may_follow(asked, member_unit(member, at), &how))
            return true;
    }
    return false;
}

static bool set_may_follow(const struct shadow_region *region, struct asked *asked, uint64_t value)
{
    struct reader_walk walk = readers_walk(value);
    while (readers_next(&region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            if (may_follow(asked, walk_unit(&walk, stamp_unit(value)) + (uint32_t)__builtin_ctzll(bits), context_at(region, walk.context)))
                return true;
    return false;
}

static bool atomic_may_follow(const struct shadow_region *region, struct asked *asked, const struct crowd *crowd, uint64_t value)
{
    bool any = false;
    for (uint32_t i = 0; crowd && i < crowd->atomics.count; i++)
        any = any || member_may_follow(asked, &crowd->atomics.items[i]);
    for (uint32_t i = 0; crowd && i < crowd->lone.count; i++)
        any = any || may_follow(asked, stamp_unit(crowd->lone.stamps[i]), stamp_how(region, crowd->lone.stamps[i]));
    for (uint32_t i = 0; crowd && i < crowd->racer_count; i++)
        any = any || may_follow(asked, crowd->racers[i].unit, &crowd->racers[i].how);
    if (!crowd && live(region, value))
        any = may_follow(asked, stamp_unit(value), stamp_how(region, value));
    return any || set_may_follow(region, asked, value);
}

/* What the access read or wrote is what memory had before the one under way. False where that is not certain: what has its
 * place in the cell was done in the order in which it came there, but what the journal had, or raced, may be older. */
bool shadow_memory_has(const struct visit *visit, uint64_t unit, const struct context *how)
{
    const struct shadow_region *region = visit->region;
    struct asked asked = {visit, unit, how, false};
    uint64_t cell[2];
    if (region->lacking || unit >= UNIT_COPIES || visit->now->agent->unit >= UNIT_COPIES)
        return false;
    find_cell(visit, cell);
    if (atomic_may_follow(region, &asked, crowd_of(region, visit->address, cell), cell[1]))
        return false;
    if (how->kind == ACCESS_WRITE)
        return live(region, cell[0]) && stamp_unit(cell[0]) == unit && stamp_how(region, cell[0])->tick == how->tick &&
               is_alike(stamp_how(region, cell[0]), how);
    return !live(region, cell[0]) || came_before(&asked, stamp_unit(cell[0]), stamp_how(region, cell[0])->tick);
}
