/* SPDX-License-Identifier: Apache-2.0 */
/* Words whose accesses are inclusive atomics, and possibly a plain write that is ordered before all of them:
 * one more such atomic races with nothing (R29), and is only added. */
#include "shadow_state.h"

#include "sim/memmodel/common/lane_mask.h"

/* The word's access set, if its atomics are inclusive and no access there was dropped; else NULL. */
static struct access_set *inclusive_set(const struct shadow_region *region, uint64_t address,
                                        const uint64_t *cell)
{
    struct access_set *access_set = cell ? access_set_of(region, address, cell) : NULL;
    return access_set && access_set->inclusive && !(region->dropped && shadow_has_dropped(region, address))
               ? access_set
               : NULL;
}

/* Has the word no plain write, or only one before a barrier of the group? */
static inline bool write_is_ordered(const struct shadow_region *region, const struct access_set *access_set,
                                    const uint64_t *cell, uint64_t group)
{
    return !live(region, cell[0]) || (access_set->race_free_version == access_set->clock_version &&
                                      access_set->race_free_group == group);
}

/* ---- updates --------------------------------------------------------------------------------- */

static bool includes(const struct access_set *access_set, const struct shadow_atomic *atomic)
{
    const enum memory_scope scope = (enum memory_scope)atomic->how.scope;
    if (access_set->size != atomic->how.size || access_set->scope != scope)
        return false;
    return scope > SCOPE_WORK_GROUP ||
           (scope == SCOPE_WORK_GROUP && access_set->place.group == atomic->group);
}

static __attribute__((noinline)) bool add_anew(struct access_set *access_set,
                                               const struct shadow_atomic *atomic, uint64_t unit)
{
    return atomic_add(access_set, unit, &atomic->how, false);
}

bool shadow_add(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t unit)
{
    struct set_member *member = recent_member(&access_set->atomics, unit, &atomic->how, false);
    if (!member || !member->apart)
        return add_anew(access_set, atomic, unit);
    member->each[unit % BLOCK_UNITS] = atomic->how.clock;
    member->mask |= UINT64_C(1) << unit % BLOCK_UNITS;
    return true;
}

/* lanes: bits of units from number `at` of the member's block on; slice: their clock values. */
static inline void put_lanes(struct set_member *member, uint32_t at, uint64_t lanes, const uint32_t *slice)
{
    uint32_t *each = member->each + at;
    member->mask |= lanes << at;
    if (lanes == UINT64_MAX)
        memcpy(each, slice, BLOCK_UNITS * sizeof *each);
    else
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            each[__builtin_ctzll(rest)] = slice[__builtin_ctzll(rest)];
}

/* Lanes of 64 units from `unit` on. */
static inline bool add_lanes(struct access_set *access_set, uint64_t unit, struct access_context how,
                             uint64_t lanes, const uint32_t *slice)
{
    const uint32_t at = (uint32_t)(unit % BLOCK_UNITS);
    struct set_member *member = at == 0 || !(lanes >> (BLOCK_UNITS - at))
                                    ? recent_member(&access_set->atomics, unit, &how, false)
                                    : NULL;
    bool added = true;
    if (member && member->apart) {
        put_lanes(member, at, lanes, slice);
        return true;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        how.clock = slice[lane];
        added &= atomic_add(access_set, unit + lane, &how, false);
    }
    return added;
}

bool shadow_add_lanes(struct access_set *access_set, const struct shadow_atomic *atomic, uint64_t first,
                      const uint64_t mask[LANE_MASK_WORDS], const uint32_t *slice)
{
    bool added = true;
    for (uint32_t w = 0; w < LANE_MASK_WORDS; w++)
        if (mask[w])
            added &= add_lanes(access_set, first + w * 64, atomic->how, mask[w], slice + w * 64);
    return added;
}

bool shadow_race_free_anew(const struct shadow_region *region, struct race_free_word *word,
                           const struct shadow_atomic *atomic, uint64_t address)
{
    const uint64_t *cell = word_at(region, address, atomic->how.size);
    struct access_set *access_set = inclusive_set(region, address, cell);
    const bool race_free = access_set && has_atomics(access_set) && !has_plain(access_set) &&
                           includes(access_set, atomic) &&
                           write_is_ordered(region, access_set, cell, atomic->group);
    *word = (struct race_free_word){
        .access_set = race_free ? access_set : NULL, .address = address, .first = region->first};
    if (race_free)
        word->clock_version = *(word->now = &access_set->clock_version);
    return race_free;
}
