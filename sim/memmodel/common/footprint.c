/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of bytes and the instructions that used them. A set is an ascending list of disjoint runs, found by
 * bisection; with more than RUNS_MOST runs it becomes a bitmap, and never goes back.
 */
#include "footprint.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "list.h"

enum { RUNS_MOST = HOSTILE(256, 4) };

void byte_set_init(struct byte_set *set, uint64_t size)
{
    *set = (struct byte_set){.size = size};
}

void byte_set_fini(struct byte_set *set)
{
    free(set->runs);
    free(set->bits);
    *set = (struct byte_set){.size = set->size};
}

void byte_set_take(struct byte_set *to, struct byte_set *from)
{
    *to = *from;
    *from = (struct byte_set){.size = to->size};
}

bool byte_set_empty(const struct byte_set *set)
{
    struct byte_run run;
    return !byte_set_next(set, 0, &run);
}

/* ---- bitmap --------------------------------------------------------------------- */

static void set_bits(uint64_t *bits, uint64_t low, uint64_t high)
{
    CHECKED(low <= high);
    for (uint64_t at = low; at < high;) {
        uint64_t left = high - at, room = 64 - at % 64, count = left < room ? left : room;
        bits[at / 64] |= (count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << at % 64;
        at += count;
    }
}

/* The first bit at or after `from` that has the value `wanted`; size: there is none. */
static uint64_t find_bit(const struct byte_set *set, uint64_t from, bool wanted)
{
    while (from < set->size) {
        uint64_t word = wanted ? set->bits[from / 64] : ~set->bits[from / 64];
        word >>= from % 64;
        if (word) {
            from += (uint64_t)__builtin_ctzll(word);
            return from < set->size ? from : set->size;
        }
        from = (from | 63) + 1;
    }
    return set->size;
}

static bool become_bitmap(struct byte_set *set)
{
    set->bits = calloc(set->size / 64 + 1, sizeof *set->bits);
    if (!set->bits)
        return false;
    CHECKED(!set->count || set->runs[set->count - 1].high <= set->size);
    for (uint32_t i = 0; i < set->count; i++)
        set_bits(set->bits, set->runs[i].low, set->runs[i].high);
    free(set->runs);
    set->runs = NULL;
    set->count = set->room = 0;
    return true;
}

/* ---- runs ------------------------------------------------------------------------- */

/* The first run that ends at or after `at`, so that a run which begins there may be joined with it. */
static uint32_t run_at(const struct byte_set *set, uint64_t at)
{
    CHECKED(!set->bits);
    uint32_t i = set->count;
    if (i && set->runs[i - 1].low <= at)
        return set->runs[i - 1].high < at ? i : i - 1;
    bisect(set->count, i, set->runs[i].high >= at);
    return i;
}

static void join_following(struct byte_set *set, uint32_t at)
{
    uint32_t end = at + 1;
    struct byte_run *run = &set->runs[at];
    for (; end < set->count && set->runs[end].low <= run->high; end++)
        if (set->runs[end].high > run->high)
            run->high = set->runs[end].high;
    memmove(&set->runs[at + 1], &set->runs[end], (set->count - end) * sizeof *run);
    CHECKED(end > at && end <= set->count);
    set->count -= end - at - 1;
}

static bool add_run(struct byte_set *set, uint64_t low, uint64_t high)
{
    uint32_t at = run_at(set, low);
    if (at < set->count && set->runs[at].low <= high) {
        if (low < set->runs[at].low)
            set->runs[at].low = low;
        if (high > set->runs[at].high)
            set->runs[at].high = high;
        join_following(set, at);
        return true;
    }
    if (!room_for_one((void **)&set->runs, set->count, &set->room, 4, sizeof *set->runs))
        return false;
    CHECKED(low < high && (!at || set->runs[at - 1].high < low));
    memmove(&set->runs[at + 1], &set->runs[at], (set->count - at) * sizeof *set->runs);
    set->runs[at] = (struct byte_run){low, high};
    set->count++;
    return true;
}

void byte_set_add(struct byte_set *set, uint64_t low, uint64_t high)
{
    if (high > set->size)
        high = set->size;
    if (low >= high || set->failed)
        return;
    if (!set->bits && set->count >= RUNS_MOST && !become_bitmap(set))
        set->failed = true;
    else if (set->bits)
        set_bits(set->bits, low, high);
    else if (!add_run(set, low, high))
        set->failed = true;
}

static void grow_run(struct byte_set *set, struct byte_run *run, uint64_t low, uint64_t high)
{
    if (run->high != low) {
        byte_set_add(set, run->low, run->high);
        run->low = low;
    }
    run->high = high;
}

void byte_set_add_granules(struct byte_set *set, struct byte_run *run, uint64_t low, uint64_t flags,
                           uint32_t shift)
{
    CHECKED((low & ((UINT64_C(64) << shift) - 1)) == 0);
    while (flags) {
        uint32_t from = (uint32_t)__builtin_ctzll(flags),
                 end = ~(flags >> from) ? from + (uint32_t)__builtin_ctzll(~(flags >> from)) : 64;
        grow_run(set, run, low + ((uint64_t)from << shift), low + ((uint64_t)end << shift));
        flags = end < 64 ? flags >> end << end : 0;
    }
}

/* ---- queries ----------------------------------------------------------------------- */

bool byte_set_next(const struct byte_set *set, uint64_t from, struct byte_run *out_run)
{
    if (set->bits) {
        out_run->low = find_bit(set, from, true);
        out_run->high = find_bit(set, out_run->low, false);
        return out_run->low < set->size;
    }
    uint32_t at = run_at(set, from + 1);
    if (at == set->count)
        return false;
    *out_run = set->runs[at];
    if (out_run->low < from)
        out_run->low = from;
    return true;
}

bool byte_set_intersection(const struct byte_set *a, const struct byte_set *b, struct byte_run *out_run)
{
    return byte_set_common(a, b, 0, out_run);
}

bool byte_set_common(const struct byte_set *a, const struct byte_set *b, uint64_t from,
                     struct byte_run *out_run)
{
    struct byte_run x, y;
    while (byte_set_next(a, from, &x) && byte_set_next(b, x.low, &y)) {
        if (y.low < x.high) {
            *out_run = (struct byte_run){y.low, x.high < y.high ? x.high : y.high};
            return true;
        }
        from = y.low;
    }
    return false;
}

void byte_set_difference(const struct byte_set *all, const struct byte_set *less, struct byte_set *out_rest)
{
    CHECKED(out_rest != all && out_rest != less);
    struct byte_run run = {0, 0}, gone;
    byte_set_init(out_rest, all->size);
    while (byte_set_next(all, run.high, &run)) {
        uint64_t from = run.low;
        while (from < run.high && byte_set_next(less, from, &gone) && gone.low < run.high) {
            byte_set_add(out_rest, from, gone.low);
            from = gone.high;
        }
        byte_set_add(out_rest, from, run.high);
    }
}

void byte_set_join(struct byte_set *set, const struct byte_set *more)
{
    CHECKED(set->size == more->size);
    struct byte_run run = {0, 0};
    if (!set->bits && more->bits && !become_bitmap(set))
        set->failed = true;
    set->failed |= more->failed;
    for (uint64_t w = 0; set->bits && more->bits && w < set->size / 64 + 1; w++)
        set->bits[w] |= more->bits[w];
    while (!more->bits && byte_set_next(more, run.high, &run))
        byte_set_add(set, run.low, run.high);
}

/* ---- sites -------------------------------------------------------------------------- */

uint32_t footprint_sites_new(struct footprint_sites *sites, uint32_t site)
{
    CHECKED(sites->count <= FOOTPRINT_SITES);
    for (uint32_t i = 0; i < sites->count; i++)
        if (sites->site[i] == site)
            return sites->latest = i;
    if (sites->count == FOOTPRINT_SITES) {
        sites->more = true;
        return FOOTPRINT_SITES;
    }
    sites->site[sites->count] = site;
    return sites->latest = sites->count++;
}

bool footprint_sites_part(struct footprint_sites *sites, uint64_t size)
{
    CHECKED(!sites->bytes && sites->count <= FOOTPRINT_SITES);
    sites->bytes = malloc(FOOTPRINT_SITES * sizeof *sites->bytes);
    for (uint32_t i = 0; sites->bytes && i < FOOTPRINT_SITES; i++)
        byte_set_init(&sites->bytes[i], size);
    return sites->bytes;
}

void footprint_sites_fini(struct footprint_sites *sites)
{
    for (uint32_t i = 0; sites->bytes && i < FOOTPRINT_SITES; i++)
        byte_set_fini(&sites->bytes[i]);
    free(sites->bytes);
    sites->bytes = NULL;
}

uint32_t footprint_sites_at(const struct footprint_sites *sites, uint64_t at, uint64_t *out_end)
{
    struct byte_run run;
    *out_end = UINT64_MAX;
    if (!sites->bytes)
        return footprint_sites_several(sites) ? FOOTPRINT_SITES : 0;
    for (uint32_t i = 0; i < sites->count; i++) {
        if (!byte_set_next(&sites->bytes[i], at, &run))
            continue;
        if (run.low <= at) {
            *out_end = run.high < *out_end ? run.high : *out_end;
            return i;
        }
        *out_end = run.low < *out_end ? run.low : *out_end;
    }
    return FOOTPRINT_SITES;
}

/* ---- footprints --------------------------------------------------------------------- */

bool footprint_fetch(struct footprint_part *part)
{
    CHECKED(part->low <= part->high && part->keeper);
    for (int use = 0; use < FOOTPRINT_USES; use++)
        byte_set_init(&part->bytes[use], part->high - part->low);
    bool whole = part->keeper->collect(part->keeper->self, part);
    for (int use = 0; use < FOOTPRINT_USES; use++)
        whole &= !part->bytes[use].failed;
    return whole;
}

void footprint_part_fini(struct footprint_part *part)
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        byte_set_fini(&part->bytes[use]);
        footprint_sites_fini(&part->sites[use]);
    }
}
