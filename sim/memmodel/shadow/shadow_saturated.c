/* SPDX-License-Identifier: Apache-2.0 */
/* Saturated sites. When all accesses of a cell are of sites whose pairs have each raced `enough` times,
 * further races need no report. The next SATURATED_FOR accesses by these sites are only stored, and then one
 * is compared. A cell with another access, or another clock_version of its access set, is not saturated. */
#include "shadow_state.h"
#include "orrery/checked.h"

/* By site and use: an asynchronous copy loads and stores by one instruction, which counts as two. */
static inline bool is_among(const struct saturated *saturated, const struct access_context *how, bool full)
{
    for (uint32_t i = 0; i < saturated->count; i++)
        if (saturated->site[i] == how->site && saturated->write[i] == is_write(how->kind))
            return saturated->full[i] || !full;
    return false;
}

static bool saturated_add(struct saturated *saturated, const struct access_context *how)
{
    if (is_among(saturated, how, false))
        return true;
    if (saturated->count == SATURATED_SITES || is_atomic(how->kind))
        return false;
    CHECKED(saturated->count < SATURATED_SITES);
    saturated->site[saturated->count] = how->site;
    saturated->write[saturated->count++] = is_write(how->kind);
    return true;
}

static struct race_counter *saturated_pair(const struct visit *visit, uint32_t a, uint32_t b)
{
    struct race_counter *counter = visit->shadow->counters[counter_slot(a, b)];
    return counter && counter->saturated && counter->count >= visit->shadow->enough &&
                   counter_is_of(counter, a, b, visit->region->space, false)
               ? counter
               : NULL;
}

static bool has_racers_of(const struct access_set *access_set, uint32_t site, bool write)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < access_set->racer_count; i++)
        count += access_set->racers[i].how.site == site && is_write(access_set->racers[i].how.kind) == write;
    return count >= RACERS_SATURATED;
}

/* The sites of all accesses in the cell and of the new one. False: they are too many, or some access is
 * atomic. */
static bool saturated_sites(const struct visit *visit, const struct access_set *access_set,
                            const uint64_t *cell, struct saturated *saturated)
{
    bool few = saturated_add(saturated, &visit->now->how) && !has_atomics(access_set);
    if (live(visit->region, cell[0]))
        few &= saturated_add(saturated, epoch_how(visit->region, cell[0]));
    for (uint32_t i = 0; few && i < access_set->racer_count; i++)
        few = saturated_add(saturated, &access_set->racers[i].how);
    for (uint32_t i = 0; few && i < access_set->readers.count; i++)
        few = saturated_add(saturated, &access_set->readers.items[i].how);
    return few;
}

/* An attempt costs about as much as comparing the access with the whole cell, so pauses between attempts
 * grow. */
static bool is_time_to_try(struct saturated *saturated)
{
    if (saturated->tries++ < saturated->pause)
        return false;
    saturated->tries = 0;
    saturated->pause =
        saturated->pause < SATURATE_PAUSE_MOST ? 2 * saturated->pause + 1 : SATURATE_PAUSE_MOST;
    return true;
}

/* From here on the pairs' races are not counted. Their accesses are still stored in the cell, since accesses
 * of other sites are compared with them. */
void shadow_saturate(const struct visit *visit, struct access_set *access_set, uint64_t *cell)
{
    struct saturated saturated = {.full_writes = true, .full_reads = true};
    visit->shadow->met_saturated = false;
    if (visit->region->space == IN_IMAGE || !is_time_to_try(&access_set->saturated) ||
        !saturated_sites(visit, access_set, cell, &saturated))
        return;
    for (uint32_t i = 0; i < saturated.count; i++) {
        for (uint32_t j = i; j < saturated.count; j++)
            if ((saturated.write[i] || saturated.write[j]) &&
                !saturated_pair(visit, saturated.site[i], saturated.site[j]))
                return;
        saturated.full[i] = has_racers_of(access_set, saturated.site[i], saturated.write[i]);
        *(saturated.write[i] ? &saturated.full_writes : &saturated.full_reads) &= saturated.full[i];
    }
    for (uint32_t i = 0; i < saturated.count; i++)
        for (uint32_t j = i; j < saturated.count; j++)
            if (saturated.write[i] || saturated.write[j])
                saturated_pair(visit, saturated.site[i], saturated.site[j])->uncounted = true;
    saturated.own = access_set->saturated.own ? access_set->saturated.own : shadow_context_new(visit->region);
    if (!saturated.own)
        return;
    saturated.clock_version = access_set->clock_version;
    saturated.left = SATURATED_FOR;
    access_set->saturated = saturated;
}

/* ---- new accesses ---------------------------------------------------------------------------- */

static bool is_only(const struct set_member *member, uint64_t unit)
{
    return member->block == unit / BLOCK_UNITS && member->mask == UINT64_C(1) << unit % BLOCK_UNITS;
}

/* The epoch of a write that is stored only. The access set's own context is changed in place. */
static uint64_t saturated_epoch(struct shadow_region *region, const struct access_set *access_set,
                                uint64_t unit, struct access_context how)
{
    how.own = true;
    region->contexts[access_set->saturated.own - region->first] = how;
    return epoch(unit, access_set->saturated.own);
}

/* May a write discard the readers? Each must be of the unit, or of a site that has enough racers. */
static bool readers_may_go(const struct access_set *access_set, uint64_t unit)
{
    bool may = true;
    for (uint32_t i = 0; i < access_set->readers.count; i++) {
        const struct set_member *reader = &access_set->readers.items[i];
        may &= is_only(reader, unit) || is_among(&access_set->saturated, &reader->how, true);
    }
    return may;
}

/* May a write replace the latest one? */
static bool write_may_go(const struct shadow_region *region, const struct access_set *access_set,
                         uint64_t latest, uint64_t unit)
{
    return !live(region, latest) || epoch_unit(latest) == unit ||
           is_among(&access_set->saturated, epoch_how(region, latest), true);
}

static bool saturated_write(struct shadow *shadow, struct shadow_region *region,
                            const struct shadow_access *now, struct access_set *access_set, uint64_t *cell)
{
    const uint64_t unit = now->unit_state->unit;
    if (!(access_set->saturated.full_writes || write_may_go(region, access_set, cell[0], unit)) ||
        !(access_set->saturated.full_reads || readers_may_go(access_set, unit)))
        return false;
    access_set->readers.count = 0;
    cell[0] = saturated_epoch(region, access_set, unit, now->how);
    if (region->atomic && access_set->has_object)
        order_overwrite(shadow->order, now->unit_state, now->address, now->how.size, now->how.site);
    return true;
}

bool shadow_is_saturated(const struct shadow_region *region, uint64_t address,
                         const struct access_context *how)
{
    for (uint64_t at = address, bytes; at < address + how->size; at += bytes) {
        uint64_t cell[2];
        bytes = at < region->high && region->pages ? shadow_cell_at(region, at, cell) : 0;
        const struct access_set *access_set = bytes ? access_set_of(region, at, cell) : NULL;
        if (!access_set || access_set->saturated.clock_version != access_set->clock_version ||
            !is_among(&access_set->saturated, how, false))
            return false;
    }
    return true;
}

/* As plain_read and plain_write of shadow_cells.c, without comparing. */
bool shadow_saturated(struct shadow *shadow, struct shadow_region *region, const struct shadow_access *now,
                      struct access_set *access_set, uint64_t *cell)
{
    struct saturated *saturated = &access_set->saturated;
    if (saturated->clock_version != access_set->clock_version || now->quiet ||
        !is_among(saturated, &now->how, false) || !saturated->left)
        return false;
    saturated->left--;
    if (is_write(now->how.kind) && !saturated_write(shadow, region, now, access_set, cell))
        return false;
    if (!is_write(now->how.kind))
        shadow->failed |= !reader_add(access_set, now->unit_state->unit, &now->how, false);
    fast_path_taken(shadow->order->fast_paths, FAST_PATH_SATURATED);
    return true;
}
