/* SPDX-License-Identifier: Apache-2.0 */
/* Places of the program that raced with each other often enough: their accesses are noted down and not judged. */
#include "shadow_state.h"

/* An asynchronous copy loads and stores by one instruction: that is two places. */
static inline bool is_among(const struct settled *settled, const struct context *how, bool full)
{
    for (uint32_t i = 0; i < settled->count; i++)
        if (settled->site[i] == how->site && settled->write[i] == is_write(how->kind))
            return settled->full[i] || !full;
    return false;
}

static bool settled_add(struct settled *settled, const struct context *how)
{
    if (is_among(settled, how, false))
        return true;
    if (settled->count == SETTLED_SITES || is_atomic(how->kind))
        return false;
    settled->site[settled->count] = how->site;
    settled->write[settled->count++] = is_write(how->kind);
    return true;
}

static struct race_tally *enough_of(const struct visit *visit, uint32_t a, uint32_t b)
{
    struct race_tally *tally = visit->shadow->tallies[(a + b) % TALLIES];
    return tally && tally->settled && tally->count >= visit->shadow->enough && tally_is_of(tally, a, b, visit->region->space, false) ? tally : NULL;
}

static bool has_racers_of(const struct crowd *crowd, uint32_t site, bool write)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->racer_count; i++)
        count += crowd->racers[i].how.site == site && is_write(crowd->racers[i].how.kind) == write;
    return count >= RACERS_SETTLED;
}

/* All that stands in the cell, and the access that comes: false: there is something else, too. */
static bool settled_sites(const struct visit *visit, const struct crowd *crowd, const uint64_t *cell, struct settled *settled)
{
    bool few = settled_add(settled, &visit->now->how) && !has_atomics(crowd);
    if (live(visit->region, cell[0]))
        few &= settled_add(settled, stamp_how(visit->region, cell[0]));
    for (uint32_t i = 0; few && i < crowd->racer_count; i++)
        few = settled_add(settled, &crowd->racers[i].how);
    for (uint32_t i = 0; few && i < crowd->readers.count; i++)
        few = settled_add(settled, &crowd->readers.items[i].how);
    return few;
}

/* Of those that settled_in_turn may take. */
static void take_turns(struct settled *settled, const struct crowd *crowd)
{
    settled->load = settled->store = SETTLED_NONE;
    for (uint32_t i = 0; i < settled->count; i++)
        if (settled->write[i] ? settled->full_writes && !crowd->heard : crowd->readers.room > 0)
            *(settled->write[i] ? &settled->store : &settled->load) = settled->site[i];
}

/* Each place raced with each so often that more of them need not be looked for; they are not counted from here on. What such
 * an access leaves in the cell is as ever: what others do is judged by it. */
void shadow_settle(const struct visit *visit, struct crowd *crowd, uint64_t *cell)
{
    struct settled settled = {.full_writes = true, .full_reads = true};
    visit->shadow->met_enough = false;
    if (visit->region->space == IN_IMAGE || crowd->settled.patience++ % SETTLE_PATIENCE || !settled_sites(visit, crowd, cell, &settled))
        return;
    for (uint32_t i = 0; i < settled.count; i++) {
        for (uint32_t j = i; j < settled.count; j++)
            if ((settled.write[i] || settled.write[j]) && !enough_of(visit, settled.site[i], settled.site[j]))
                return;
        settled.full[i] = has_racers_of(crowd, settled.site[i], settled.write[i]);
        *(settled.write[i] ? &settled.full_writes : &settled.full_reads) &= settled.full[i];
    }
    for (uint32_t i = 0; i < settled.count; i++)
        for (uint32_t j = i; j < settled.count; j++)
            if (settled.write[i] || settled.write[j])
                enough_of(visit, settled.site[i], settled.site[j])->uncounted = true;
    settled.own = crowd->settled.own ? crowd->settled.own : shadow_context_new(visit->region);
    if (!settled.own)
        return;
    settled.epoch = crowd->epoch;
    settled.left = SETTLED_FOR;
    take_turns(&settled, crowd);
    crowd->settled = settled;
    if (visit->bytes == 1u << WORD_SHIFT)
        visit->region->settled[visit->address / 4 % SETTLED_WORDS] = (struct settled_word){visit->address, crowd, cell};
}

/* ---- what comes ------------------------------------------------------------------------------ */

/* The unit's own, or such as need not be kept. */
static bool readers_may_go(const struct crowd *crowd, uint64_t unit)
{
    bool may = true;
    for (uint32_t i = 0; i < crowd->readers.count; i++) {
        const struct member *reader = &crowd->readers.items[i];
        may &= is_only(reader, unit) || is_among(&crowd->settled, &reader->how, true);
    }
    return may;
}

/* Likewise. */
static bool write_may_go(const struct shadow_region *region, const struct crowd *crowd, uint64_t latest, uint64_t unit)
{
    return !live(region, latest) || stamp_unit(latest) == unit || is_among(&crowd->settled, stamp_how(region, latest), true);
}

static bool settled_write(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now, struct crowd *crowd, uint64_t *cell)
{
    const uint64_t unit = now->agent->unit;
    if (!(crowd->settled.full_writes || write_may_go(region, crowd, cell[0], unit)) || !(crowd->settled.full_reads || readers_may_go(crowd, unit)))
        return false;
    crowd->readers.count = 0;
    cell[0] = settled_stamp(region, crowd, unit, now->how);
    if (region->atomic && crowd->heard)
        order_overwrite(shadow->order, now->agent, now->address, now->how.size, now->how.site);
    return true;
}

/* As plain_read and plain_write, without a judge. */
bool shadow_settled(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now, struct crowd *crowd, uint64_t *cell)
{
    struct settled *settled = &crowd->settled;
    if (settled->epoch != crowd->epoch || now->quiet || !is_among(settled, &now->how, false) || !settled->left)
        return false;
    settled->left--;
    if (is_write(now->how.kind) && !settled_write(shadow, region, now, crowd, cell))
        return false;
    if (!is_write(now->how.kind))
        shadow->failed |= !reader_add(crowd, now->agent->unit, &now->how, false);
    way_taken(shadow->order->ways, WAY_ENOUGH);
    return true;
}
