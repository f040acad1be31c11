/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that raced and found no room to be kept: whoever comes to their cells later may race with them unheard. */
#include "shadow_state.h"

enum { DROPPED_SITES = HOSTILE(8, 2) };

/* Of one allocation. */
struct dropped {
    uint32_t site[DROPPED_SITES], site_count; /* more than there is room for: not known which */
    bool writes;             /* one of them did */
    bool groups;             /* of several, or of a copy */
    uint64_t group, newest;  /* of whom; the latest tick */
    uint64_t words[];        /* a bit for each word of memory */
};

static uint64_t bit_of(const struct shadow_region *region, uint64_t address)
{
    return (address - region->low) >> WORD_SHIFT;
}

static struct dropped *dropped_of(struct shadow_region *region, uint64_t group)
{
    const uint64_t words = (bit_of(region, region->high) + 64) / 64;
    if (!region->dropped && (region->dropped = calloc(1, sizeof *region->dropped + words * sizeof *region->dropped->words)))
        region->dropped->group = group;
    return region->dropped;
}

static void add_site(struct dropped *dropped, uint32_t site)
{
    for (uint32_t i = 0; i < dropped->site_count && i < DROPPED_SITES; i++)
        if (dropped->site[i] == site)
            return;
    if (dropped->site_count < DROPPED_SITES)
        dropped->site[dropped->site_count] = site;
    dropped->site_count += dropped->site_count <= DROPPED_SITES;
}

void shadow_drop(const struct visit *visit, uint64_t unit, const struct context *how)
{
    const uint64_t bit = bit_of(visit->region, visit->address), group = order_unit_group(visit->shadow->order, unit);
    struct dropped *dropped = dropped_of(visit->region, group);
    if (!dropped) {
        visit->shadow->failed = true;
        return;
    }
    add_site(dropped, how->site);
    dropped->writes |= is_write(how->kind);
    dropped->groups |= group != dropped->group || unit >= UNIT_COPIES;
    dropped->newest = how->tick > dropped->newest ? how->tick : dropped->newest;
    dropped->words[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Barriers since then order all of them. */
static bool is_past(const struct visit *visit, const struct dropped *dropped)
{
    const struct group_order *group = visit->now->agent->group;
    return !dropped->groups && group && group->number == dropped->group && !visit->now->agent->copy &&
           dropped->newest < group->base[visit->region->space];
}

/* A pair that was told came more often than it was counted; another one might be new. */
void shadow_meet_dropped(const struct visit *visit)
{
    struct shadow *shadow = visit->shadow;
    const struct dropped *dropped = visit->region->dropped;
    const uint64_t bit = bit_of(visit->region, visit->address);
    const uint32_t later = visit->now->how.site;
    if (!(dropped->words[bit / 64] >> bit % 64 & 1) || !(dropped->writes || is_write(visit->now->how.kind)) || is_past(visit, dropped))
        return;
    bool known = dropped->site_count <= DROPPED_SITES;
    for (uint32_t i = 0; i < dropped->site_count && i < DROPPED_SITES; i++) {
        struct race_tally *tally = shadow->tallies[(dropped->site[i] + later) % TALLIES];
        const bool told = tally && tally_is_of(tally, dropped->site[i], later, visit->region->space, false);
        known &= told;
        if (told)
            tally->uncounted = true;
    }
    shadow->lost[visit->region->space] |= !known;
}
