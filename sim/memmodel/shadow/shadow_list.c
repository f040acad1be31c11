/* SPDX-License-Identifier: Apache-2.0 */
/* The accesses that the cells of some bytes keep, one by one, for a debugger. */
#include "shadow_state.h"

struct shadow_listing {
    const struct shadow_region *region;
    void *self;
    void (*take)(void *self, uint64_t unit, const struct access_context *how);
};

static void list_epoch(const struct shadow_listing *listing, uint64_t value)
{
    if (live(listing->region, value))
        listing->take(listing->self, epoch_unit(value), epoch_how(listing->region, value));
}

static void list_members(const struct shadow_listing *listing, const struct members *members)
{
    for (uint32_t i = 0; i < members->count; i++)
        for (uint64_t rest = members->items[i].mask; rest; rest &= rest - 1) {
            const uint32_t at = (uint32_t)__builtin_ctzll(rest);
            const struct access_context how = member_how(&members->items[i], at);
            listing->take(listing->self, member_unit(&members->items[i], at), &how);
        }
}

static void list_readers(const struct shadow_listing *listing, uint64_t value)
{
    struct reader_walk walk = readers_walk(&listing->region->readers, value);
    while (readers_next(&listing->region->readers, &walk))
        for (uint64_t bits = walk.mask; bits; bits &= bits - 1)
            listing->take(listing->self, walk.unit + (uint32_t)__builtin_ctzll(bits),
                          context_at(listing->region, walk.context));
}

static void list_set(const struct shadow_listing *listing, const struct access_set *set)
{
    list_members(listing, &set->readers);
    list_members(listing, &set->atomics);
    for (uint32_t i = 0; i < set->racer_count; i++)
        listing->take(listing->self, set->racers[i].unit, &set->racers[i].how);
}

void shadow_list(const struct shadow_region *region, uint64_t address, uint32_t bytes, void *self,
                 void (*take)(void *self, uint64_t unit, const struct access_context *how))
{
    const struct shadow_listing listing = {region, self, take};
    const uint64_t end = address + bytes < region->high ? address + bytes : region->high;
    for (uint64_t at = address; region->touched && region->pages && at < end;) {
        uint64_t cell[2];
        const uint32_t size = shadow_cell_at(region, at, cell);
        if (!size) {
            at++;
            continue;
        }
        const uint64_t owner = region->low + ((at - region->low) & ~(uint64_t)(size - 1));
        const struct access_set *set = access_set_of(region, owner, cell);
        list_epoch(&listing, cell[0]);
        if (set)
            list_set(&listing, set);
        else
            list_epoch(&listing, cell[1]);
        list_readers(&listing, cell[1]);
        at = owner + size;
    }
}

void shadow_unsaturate(struct shadow_region *region)
{
    for (uint32_t i = 0; i < region->access_set_used; i++)
        region->access_sets[i]->saturated.clock_version = 0;
}
