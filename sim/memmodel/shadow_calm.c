/* SPDX-License-Identifier: Apache-2.0 */
/* Words that have atomics only, all alike: one more races with nothing. */
#include "shadow_state.h"

#include "lane_mask.h"

/* The crowd of such a word, if it has one whose atomics are all alike, and all that raced there is known. */
static struct crowd *alike_in(const struct shadow_region *region, uint64_t address, const uint64_t *cell)
{
    struct crowd *crowd = cell ? crowd_of(region, address, cell) : NULL;
    return crowd && crowd->alike && !(region->dropped && shadow_has_dropped(region, address)) ? crowd : NULL;
}

static struct crowd *alike_at(const struct shadow_region *region, uint64_t address, uint32_t size)
{
    return alike_in(region, address, word_at(region, address, size));
}

/* ---- the same again -------------------------------------------------------------------------- */

static void leave_uncounted(const struct shadow *shadow, const struct shadow_region *region, uint32_t earlier, uint32_t later)
{
    struct race_tally *tally = shadow->tallies[(earlier + later) % TALLIES];
    if (tally && tally_is_of(tally, earlier, later, region->space, false))
        tally->uncounted = true;
}

/* Those that raced with the first time race with each. */
static void repeat(const struct shadow *shadow, const struct shadow_region *region, const struct shadow_access *now)
{
    const uint64_t *cell = word_at(region, now->address, now->how.size);
    const struct crowd *crowd = alike_in(region, now->address, cell);
    if (live(region, cell[0]))
        leave_uncounted(shadow, region, stamp_how(region, cell[0])->site, now->how.site);
    for (uint32_t i = 0; i < crowd->racer_count; i++)
        leave_uncounted(shadow, region, crowd->racers[i].how.site, now->how.site);
}

/* Nothing that could race with it has come since the same unit last did the same in the same slice. */
static bool is_repeated(const struct shadow_region *region, const struct shadow_access *now)
{
    const struct item_order *item = now->agent->item;
    if (!item || item->done.address != now->address || item->done.tick != now->how.tick ||
        item->done.sort != sort_of(&now->how) || item->done.site != now->how.site)
        return false;
    const struct crowd *crowd = alike_at(region, now->address, now->how.size);
    return crowd && crowd->epoch == item->done.epoch && !(crowd->readers.count && is_write(now->how.kind));
}

static void note_done(const struct crowd *crowd, const struct shadow_access *now)
{
    if (crowd && now->agent->item)
        now->agent->item->done = (struct atomic_done){now->address, crowd->epoch, now->how.tick, sort_of(&now->how), now->how.site};
}

/* Nothing stands in the word but atomics that it agrees with; or a write besides that its group's members know. */
static bool is_calm(const struct shadow_region *region, const struct shadow_access *now, const struct crowd *crowd, const uint64_t *cell)
{
    return !crowd->readers.count && !crowd->racer_count && has_atomics(crowd) && joins_alike(now, crowd) &&
           (!live(region, cell[0]) ||
            (crowd->calm_epoch == crowd->epoch && crowd->calm_group == now->agent->place.group));
}

bool shadow_is_easy(struct shadow *shadow, const struct shadow_region *region, const struct shadow_access *now)
{
    if (is_repeated(region, now)) {
        repeat(shadow, region, now);
        way_taken(shadow->order->ways, WAY_REPEATED);
        return true;
    }
    const uint64_t *cell = word_at(region, now->address, now->how.size);
    struct crowd *crowd = alike_in(region, now->address, cell);
    if (!crowd || !is_calm(region, now, crowd, cell))
        return false;
    if (now->follows || now->follows_all)
        shadow_leave_alike(shadow, &crowd->atomics, now);
    shadow->failed |= !add_alike(crowd, now->agent->unit, &now->how, now->quiet);
    note_done(crowd, now);
    way_taken(shadow->order->ways, WAY_CALM);
    return true;
}

void shadow_note_done(const struct shadow_region *region, const struct shadow_access *now)
{
    note_done(alike_at(region, now->address, now->how.size), now);
}

/* ---- updates --------------------------------------------------------------------------------- */

uint32_t shadow_sort(const struct context *how)
{
    return sort_of(how);
}

static bool agrees(const struct crowd *crowd, const struct shadow_atomic *atomic)
{
    return crowd->size == atomic->how.size && crowd->scope == (enum memory_scope)atomic->how.scope &&
           (crowd->scope > SCOPE_WORK_GROUP || (crowd->scope == SCOPE_WORK_GROUP && crowd->place.group == atomic->group));
}

static inline struct crowd *calm(const struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address)
{
    const uint64_t *cell = word_at(region, address, atomic->how.size);
    struct crowd *crowd = alike_in(region, address, cell);
    if (!crowd || crowd->readers.count || crowd->racer_count || !has_atomics(crowd) || !agrees(crowd, atomic))
        return NULL;
    return !live(region, cell[0]) || (crowd->calm_epoch == crowd->epoch && crowd->calm_group == atomic->group) ? crowd : NULL;
}

struct crowd *shadow_calm(const struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address)
{
    return calm(region, atomic, address);
}

static __attribute__((noinline)) bool add_anew(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t unit)
{
    return add_alike(crowd, unit, &atomic->how, false);
}

bool shadow_add(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t unit)
{
    struct member *member = recent_member(&crowd->atomics, unit, &atomic->how, false);
    if (!member || !member->apart)
        return add_anew(crowd, atomic, unit);
    member->each[unit % BLOCK_UNITS] = atomic->how.tick;
    member->mask |= UINT64_C(1) << unit % BLOCK_UNITS;
    return true;
}

/* Of lanes of one block, the first of which is at that place of the member's. */
static inline void put_lanes(struct member *member, uint32_t at, uint64_t lanes, const uint32_t *slice)
{
    uint32_t *each = member->each + at;
    member->mask |= lanes << at;
    if (lanes == UINT64_MAX)
        memcpy(each, slice, BLOCK_UNITS * sizeof *each);
    else
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            each[__builtin_ctzll(rest)] = slice[__builtin_ctzll(rest)];
}

/* Those of 64 lanes, the first of which is the unit. */
static inline bool add_lanes(struct crowd *crowd, uint64_t unit, struct context how, uint64_t lanes, const uint32_t *slice)
{
    const uint32_t at = (uint32_t)(unit % BLOCK_UNITS);
    struct member *member = at == 0 || !(lanes >> (BLOCK_UNITS - at)) ? recent_member(&crowd->atomics, unit, &how, false) : NULL;
    bool added = true;
    if (member && member->apart) {
        put_lanes(member, at, lanes, slice);
        return true;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        how.tick = slice[lane];
        added &= add_alike(crowd, unit + lane, &how, false);
    }
    return added;
}

bool shadow_add_lanes(struct crowd *crowd, const struct shadow_atomic *atomic, uint64_t first, const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice)
{
    bool added = true;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        if (mask[w])
            added &= add_lanes(crowd, first + w * 64, atomic->how, mask[w], slice + w * 64);
    return added;
}

bool shadow_calms_anew(const struct shadow_region *region, struct calm_word *word, const struct shadow_atomic *atomic, uint64_t address)
{
    struct crowd *crowd = calm(region, atomic, address);
    *word = (struct calm_word){.crowd = crowd, .address = address, .first = region->first};
    if (crowd)
        word->epoch = *(word->now = &crowd->epoch);
    return crowd;
}

bool shadow_join(struct shadow_region *region, const struct shadow_atomic *atomic, uint64_t address, uint64_t unit)
{
    struct crowd *crowd = calm(region, atomic, address);
    return crowd && add_alike(crowd, unit, &atomic->how, false);
}
