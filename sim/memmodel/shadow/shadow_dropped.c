/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that raced and were not kept, because enough others were or memory was short. Only their sites and
 * words are recorded: later accesses of these words may race with them, and then counts are too low or a race
 * is missed. */
#include "shadow_state.h"

enum { DROPPED_SITES = HOSTILE(8, 2) };

/* words: a bit for each word of the allocation. */
struct dropped {
    struct dropped_site {
        uint32_t site;
        bool writes;
        uint64_t *words;
    } site[DROPPED_SITES];
    uint32_t site_count;
    uint64_t *others;       /* words of all further sites; NULL: there are none */
    bool writes;            /* some access writes */
    bool groups;            /* of several work-groups, or of a copy */
    uint64_t group, newest; /* the only group, if not; the latest clock value */
};

static uint64_t bit_of(const struct shadow_region *region, uint64_t address)
{
    return (address - region->low) >> WORD_SHIFT;
}

static bool has_bit(const uint64_t *words, uint64_t bit)
{
    return words && words[bit / 64] >> bit % 64 & 1;
}

/* False: no memory. */
static bool set_bit(const struct shadow_region *region, uint64_t **words, uint64_t bit)
{
    if (!*words && !(*words = calloc((bit_of(region, region->high) + 64) / 64, sizeof **words)))
        return false;
    (*words)[bit / 64] |= UINT64_C(1) << bit % 64;
    return true;
}

static uint64_t **words_of(struct dropped *dropped, const struct access_context *how)
{
    const bool writes = is_write(how->kind);
    for (uint32_t i = 0; i < dropped->site_count; i++)
        if (dropped->site[i].site == how->site && dropped->site[i].writes == writes)
            return &dropped->site[i].words;
    if (dropped->site_count == DROPPED_SITES)
        return &dropped->others;
    dropped->site[dropped->site_count] = (struct dropped_site){how->site, writes, NULL};
    return &dropped->site[dropped->site_count++].words;
}

void shadow_drop(const struct visit *visit, uint64_t unit, const struct access_context *how)
{
    struct shadow_region *region = visit->region;
    const uint64_t group = order_unit_group(visit->shadow->order, unit);
    if (!region->dropped && (region->dropped = calloc(1, sizeof *region->dropped)))
        region->dropped->group = group;
    struct dropped *dropped = region->dropped;
    if (!dropped || !set_bit(region, words_of(dropped, how), bit_of(region, visit->address))) {
        visit->shadow->failed = true;
        return;
    }
    dropped->writes |= is_write(how->kind);
    dropped->groups |= group != dropped->group || unit >= UNIT_COPIES;
    dropped->newest = how->clock > dropped->newest ? how->clock : dropped->newest;
}

void shadow_dropped_forget(struct shadow_region *region)
{
    for (uint32_t i = 0; region->dropped && i < region->dropped->site_count; i++)
        free(region->dropped->site[i].words);
    if (region->dropped)
        free(region->dropped->others);
    free(region->dropped);
    region->dropped = NULL;
}

bool shadow_has_dropped(const struct shadow_region *region, uint64_t address)
{
    const struct dropped *dropped = region->dropped;
    const uint64_t bit = bit_of(region, address);
    bool has = has_bit(dropped->others, bit);
    for (uint32_t i = 0; i < dropped->site_count; i++)
        has |= has_bit(dropped->site[i].words, bit);
    return has;
}

/* Did all of them happen before the latest barrier of the new access's group? */
static bool is_before_barrier(const struct visit *visit, const struct dropped *dropped)
{
    const struct group_order *group = visit->now->unit_state->group;
    const bool same_group = !dropped->groups && group && group->number == dropped->group;
    return same_group && !visit->now->unit_state->copy && dropped->newest < group->base[visit->region->space];
}

/* A new access of a word with dropped accesses. Pairs of sites that were reported may have raced more often
 * than counted; a pair that was not may have raced without a report. */
void shadow_compare_dropped(const struct visit *visit)
{
    struct shadow *shadow = visit->shadow;
    const struct dropped *dropped = visit->region->dropped;
    const uint64_t bit = bit_of(visit->region, visit->address);
    const uint32_t later = visit->now->how.site;
    const bool write = is_write(visit->now->how.kind);
    if (!(dropped->writes || write) || is_before_barrier(visit, dropped))
        return;
    bool all_reported = !has_bit(dropped->others, bit);
    for (uint32_t i = 0; i < dropped->site_count; i++) {
        const uint32_t earlier = dropped->site[i].site;
        struct race_counter *counter = shadow->counters[counter_slot(earlier, later)];
        const bool reported = counter && counter_is_of(counter, earlier, later, visit->region->space, false);
        if (!has_bit(dropped->site[i].words, bit) || !(dropped->site[i].writes || write))
            continue;
        all_reported &= reported;
        if (reported)
            counter->uncounted = true;
    }
    shadow->lost[visit->region->space] |= !all_reported;
}
