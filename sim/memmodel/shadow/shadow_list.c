/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over the accesses that a cell keeps; and those of some bytes, for a debugger. */
#include "shadow_state.h"

static bool set_next(struct cell_walk *walk)
{
    const struct access_set *access_set = walk->access_set;
    const uint32_t readers = access_set->readers.count, members = readers + access_set->atomics.count,
                   at = walk->next++;
    if (at >= members + access_set->racer_count)
        return false;
    walk->racer = at >= members;
    if (walk->racer) {
        walk->how = access_set->racers[at - members].how;
        walk->first = access_set->racers[at - members].unit;
        walk->left = 1;
        walk->each = NULL;
        return true;
    }
    const struct set_member *member =
        at < readers ? &access_set->readers.items[at] : &access_set->atomics.items[at - readers];
    walk->how = member->how;
    walk->first = member_unit(member, 0);
    walk->left = member->mask;
    walk->each = member->apart ? member->each : NULL;
    return true;
}

/* The next accesses that are alike. */
static bool alike_next(struct cell_walk *walk)
{
    if (walk->access_set)
        return set_next(walk);
    if (walk->single) {
        walk->how = *epoch_how(walk->region, walk->single);
        walk->first = epoch_unit(walk->single);
        walk->left = 1;
        walk->single = 0;
        return true;
    }
    if (!readers_next(&walk->region->readers, &walk->readers))
        return false;
    walk->how = *context_at(walk->region, walk->readers.context);
    walk->first = walk->readers.unit;
    walk->left = walk->readers.mask;
    return true;
}

bool shadow_walk_next(struct cell_walk *walk)
{
    while (!walk->left) /* all of a member may just have become racers */
        if (!alike_next(walk))
            return false;
    const uint32_t at = (uint32_t)__builtin_ctzll(walk->left);
    walk->left &= walk->left - 1;
    walk->unit = walk->first + at;
    walk->how.clock = walk->each ? walk->each[at] : walk->how.clock;
    return true;
}

void shadow_list(const struct shadow_region *region, uint64_t address, uint32_t bytes, void *self,
                 void (*take)(void *self, uint64_t unit, const struct access_context *how))
{
    const uint64_t end = address + bytes < region->high ? address + bytes : region->high;
    for (uint64_t at = address; region->touched && region->pages && at < end;) {
        uint64_t cell[2];
        const uint32_t size = shadow_cell_at(region, at, cell);
        if (!size) {
            at++;
            continue;
        }
        const uint64_t owner = region->low + ((at - region->low) & ~(uint64_t)(size - 1));
        struct cell_walk walk = cell_walk(region, owner, cell);
        if (live(region, cell[0]))
            take(self, epoch_unit(cell[0]), epoch_how(region, cell[0]));
        while (shadow_walk_next(&walk))
            take(self, walk.unit, &walk.how);
        at = owner + size;
    }
}

void shadow_unsaturate(struct shadow_region *region)
{
    for (uint32_t i = 0; i < region->access_set_used; i++)
        region->access_sets[i]->saturated.clock_version = 0;
}
