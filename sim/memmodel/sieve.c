/* SPDX-License-Identifier: Apache-2.0 */
#include "sieve.h"

#include <stdlib.h>
#include <string.h>

#include "lane_mask.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

enum { READERS, WRITERS };
enum { STAMP_MOST = HOSTILE(INT32_MAX / 2, 4000), INTERVALS_TRIED = HOSTILE(64, 2), GRANULE_SHIFT = 2, SHARE = 4 };
static const uint64_t ALLOCATION_MOST = UINT64_C(1) << 30;

/* Of every launch: atomic updates, with loads or without; atomic loads alone; several work-items of different groups. */
enum { UPDATES, LOADS, MANY, COMMON_STAMPS };
static int32_t many(const struct sieve *sieve) { return sieve->first + MANY; }

static int32_t block_first(const struct sieve *sieve, uint64_t block)
{
    return (int32_t)((uint64_t)sieve->first + COMMON_STAMPS + block * (sieve->items + 1));
}

static uint64_t block_of(const struct sieve *sieve, int32_t stamp)
{
    return (uint64_t)(stamp - block_first(sieve, 0)) / (sieve->items + 1);
}

/* ---- life ------------------------------------------------------------------------------- */

void sieve_close(struct sieve *sieve)
{
    sieve->open = sieve->atomic = false;
    sieve->first = sieve->next;
    sieve->interval_count = 0;
    sieve->crew.serial = 0;
}

void sieve_forget(struct sieve *sieve)
{
    sieve_close(sieve);
    notes_forget(&sieve->notes);
}

void sieve_init(struct sieve *sieve, uint64_t low, uint64_t size, struct spare *spare)
{
    *sieve = (struct sieve){.notes = {.low = low, .size = size, .spare = spare, .loops = stamp_loops_best()}};
}

static uint64_t stamp_bytes(uint64_t granules) { return 2 * granules * sizeof(int32_t); }

static void drop_stamps(struct sieve *sieve)
{
    spare_resize(sieve->notes.spare, SHARE * sieve->notes.size, stamp_bytes(sieve->granules), 0);
    for (int use = READERS; use <= WRITERS; use++) {
        free(sieve->stamps[use]);
        sieve->stamps[use] = NULL;
    }
    sieve->granules = 0;
}

void sieve_release(struct sieve *sieve)
{
    sieve_close(sieve);
    drop_stamps(sieve);
}

void sieve_fini(struct sieve *sieve)
{
    if (sieve->notes.spare)
        drop_stamps(sieve);
    free(sieve->intervals);
    notes_fini(&sieve->notes);
    memset(sieve, 0, sizeof *sieve);
}

/* As many granules of that size, whose stamps are all of the past. */
static bool make_stamps(struct sieve *sieve, uint32_t shift)
{
    const uint64_t granules = (sieve->notes.size >> shift) + 1;
    drop_stamps(sieve);
    if (!spare_resize(sieve->notes.spare, SHARE * sieve->notes.size, 0, stamp_bytes(granules)))
        return false;
    sieve->stamps[READERS] = calloc(granules + STAMP_LANES, sizeof(int32_t));
    sieve->stamps[WRITERS] = calloc(granules + STAMP_LANES, sizeof(int32_t));
    sieve->granules = granules;
    sieve->shift = shift;
    sieve->first = 1;
    if (sieve->stamps[READERS] && sieve->stamps[WRITERS])
        return true;
    drop_stamps(sieve);
    return false;
}

static uint32_t shift_for(const struct sieve *sieve, const struct sieve_plan *plan)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(plan->grain | 1u << GRANULE_SHIFT);
    return sieve->stamps[WRITERS] && sieve->shift < shift ? sieve->shift : shift;
}

static bool is_too_large(const struct sieve *sieve, const struct sieve_plan *plan)
{
    return sieve->notes.size > ALLOCATION_MOST || plan->groups >= (uint64_t)STAMP_MOST / (plan->items + 1);
}

bool sieve_renews(const struct sieve *sieve, const struct sieve_plan *plan)
{
    return !is_too_large(sieve, plan) && (!sieve->stamps[WRITERS] || shift_for(sieve, plan) != sieve->shift ||
                                          sieve->first > STAMP_MOST - COMMON_STAMPS - (int32_t)(plan->groups * (plan->items + 1)));
}

bool sieve_open(struct sieve *sieve, const struct sieve_plan *plan)
{
    if (is_too_large(sieve, plan) || (sieve_renews(sieve, plan) && !make_stamps(sieve, shift_for(sieve, plan))))
        return false;
    sieve->groups = plan->groups;
    sieve->items = plan->items;
    sieve->next = block_first(sieve, plan->groups);
    return sieve->open = true;
}

/* ---- who ---------------------------------------------------------------------------------- */

/* Those of a group since its latest barrier. */
static bool interval_of(struct sieve *sieve, uint64_t group, uint64_t base, uint64_t *out_block)
{
    uint32_t tries = INTERVALS_TRIED, i = sieve->interval_count;
    for (; i > 0 && tries; i--, tries--) {
        const struct sieve_interval *interval = &sieve->intervals[i - 1];
        if (interval->group == group && interval->base == base) {
            *out_block = sieve->groups + i - 1;
            return true;
        }
    }
    if (i > 0 && sieve->intervals[i - 1].newest >= base) /* many groups take turns: it may stand further back */
        return false;
    if (sieve->next > STAMP_MOST - (int32_t)(sieve->items + 1))
        return false;
    if (sieve->interval_count == sieve->interval_room) {
        uint32_t room = sieve->interval_room ? 2 * sieve->interval_room : HOSTILE(16, 1);
        struct sieve_interval *intervals = realloc(sieve->intervals, room * sizeof *intervals);
        if (!intervals)
            return false;
        sieve->intervals = intervals;
        sieve->interval_room = room;
    }
    *out_block = sieve->groups + sieve->interval_count;
    const uint64_t newest = sieve->interval_count ? sieve->intervals[sieve->interval_count - 1].newest : 0;
    sieve->intervals[sieve->interval_count++] = (struct sieve_interval){group, base, newest > base ? newest : base};
    sieve->next += (int32_t)(sieve->items + 1);
    return true;
}

/* 0, 1, 2, ... */
#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)
static const int32_t ascending[WAVE_LANES_MAX + STAMP_LANES] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192), SIXTEEN(256)};

static bool stamp_one_group(struct sieve *sieve, const struct wave_crew *crew)
{
    uint64_t block = crew->group;
    if (crew->base > 1 && !interval_of(sieve, crew->group, crew->base, &block))
        return false;
    sieve->crew.low = block_first(sieve, block);
    sieve->crew.high = sieve->crew.low + (int32_t)sieve->items + 1;
    sieve->crew.own = ascending;
    sieve->crew.add = sieve->crew.low + (int32_t)(crew->first_unit - crew->unit_low);
    return true;
}

/* Units that follow each other, from group to group: as many stamps as the first group has room for. */
static uint32_t stamp_row(struct sieve *sieve, uint64_t unit, uint32_t from, uint32_t end)
{
    const uint64_t block = unit / sieve->items, local = unit % sieve->items, left = sieve->items - local;
    const int32_t first = block_first(sieve, block) + (int32_t)local;
    const uint32_t to = end - from < left ? end : from + (uint32_t)left;
    for (uint32_t lane = from; lane < to; lane++)
        sieve->crew.stamp[lane] = first + (int32_t)(lane - from);
    return to;
}

static void stamp_groups(struct sieve *sieve, const struct wave_crew *crew)
{
    for (uint32_t lane = 0; lane < crew->lanes;)
        lane = crew->in_a_row ? stamp_row(sieve, crew->first_unit + lane, lane, crew->lanes) : stamp_row(sieve, crew->unit[lane], lane, lane + 1);
    sieve->crew.own = sieve->crew.stamp;
    sieve->crew.add = 0;
}

static int32_t own_stamp(const struct sieve *sieve, uint64_t lane)
{
    return sieve->crew.own[lane] + sieve->crew.add;
}

static bool man(struct sieve *sieve, const struct wave_crew *crew)
{
    if (sieve->crew.serial == crew->serial && sieve->crew.base == crew->base)
        return true;
    sieve->crew.serial = 0;
    sieve->crew.low = sieve->crew.high = 0;
    if (!crew->one_group)
        stamp_groups(sieve, crew);
    else if (!stamp_one_group(sieve, crew))
        return false;
    sieve->crew.serial = crew->serial;
    sieve->crew.base = crew->base;
    sieve->crew.group = crew->group;
    return true;
}

/* Did everything that has this stamp happen before a barrier that the present crew has passed? */
static __attribute__((noinline)) bool is_settled(const struct sieve *sieve, int32_t stamp)
{
    if (stamp < block_first(sieve, 0))
        return false;
    uint64_t block = block_of(sieve, stamp);
    if (block < sieve->groups)
        return block == sieve->crew.group;
    const struct sieve_interval *interval = &sieve->intervals[block - sieve->groups];
    return interval->group == sieve->crew.group && interval->base < sieve->crew.base;
}

/* ---- one granule ---------------------------------------------------------------------------- */

#define INLINED static inline __attribute__((always_inline))

/* What the loops over lanes need, where no store into stamps can change it. */
struct view {
    const struct sieve *sieve;
    int32_t *readers, *writers;
    int32_t first, low, high;
    bool settling;
};

static struct view view_of(const struct sieve *sieve)
{
    return (struct view){.sieve = sieve, .readers = sieve->stamps[READERS], .writers = sieve->stamps[WRITERS], .first = sieve->first,
                         .low = sieve->crew.low, .high = sieve->crew.high, .settling = sieve->crew.base > 1};
}

INLINED bool is_foreign(const struct view *view, int32_t stamp, int32_t own)
{
    return stamp >= view->first && (stamp != own || !RULE(3)) && !(view->settling && is_settled(view->sieve, stamp));
}

INLINED bool read_granule(const struct view *view, uint64_t at, int32_t own)
{
    const int32_t stamp = view->readers[at], writer = view->writers[at];
    if (writer != view->first + LOADS && is_foreign(view, writer, own))
        return false;
    view->readers[at] = !is_foreign(view, stamp, own) ? own : stamp >= view->low && stamp < view->high ? view->high - 1 : view->first + MANY;
    return true;
}

/* As that by two of the crew's group, or more. */
INLINED bool read_granule_by_many(const struct view *view, uint64_t at)
{
    const int32_t stamp = view->readers[at], writer = view->writers[at];
    if (writer >= view->first && writer != view->first + LOADS && !(view->settling && is_settled(view->sieve, writer)))
        return false;
    const bool ours = stamp < view->first || (stamp >= view->low && stamp < view->high) || (view->settling && is_settled(view->sieve, stamp));
    view->readers[at] = ours ? view->high - 1 : view->first + MANY;
    return true;
}

INLINED bool write_granule(const struct view *view, uint64_t at, int32_t own)
{
    if (is_foreign(view, view->writers[at], own) || is_foreign(view, view->readers[at], own))
        return false;
    view->writers[at] = own;
    return true;
}

/* An earlier write, be it the own one, must stay: other groups' updates may race with it. */
INLINED bool update_granule(const struct view *view, uint64_t at, int32_t own)
{
    const int32_t writer = view->writers[at], updates = view->first + UPDATES, loads = view->first + LOADS;
    if (writer > loads || is_foreign(view, view->readers[at], own))
        return false;
    view->writers[at] = updates;
    return true;
}

/* Likewise, but that plain reads are nothing to it. */
INLINED bool load_granule(const struct view *view, uint64_t at)
{
    const int32_t writer = view->writers[at], loads = view->first + LOADS;
    if (writer >= view->first)
        return writer <= loads;
    view->writers[at] = loads;
    return true;
}

INLINED bool touch(const struct view *view, enum access_kind kind, uint64_t from, uint64_t end, int32_t own)
{
    for (uint64_t at = from; at < end; at++)
        if (kind == ACCESS_READ          ? !read_granule(view, at, own)
            : kind == ACCESS_WRITE       ? !write_granule(view, at, own)
            : kind == ACCESS_ATOMIC_READ ? !load_granule(view, at)
                                         : !update_granule(view, at, own))
            return false;
    return true;
}

/* ---- waves ------------------------------------------------------------------------------------------ */

static bool fits(const struct sieve *sieve, uint64_t address, uint32_t size)
{
    const uint64_t offset = address - sieve->notes.low, part = (UINT64_C(1) << sieve->shift) - 1;
    return offset < sieve->notes.size && size <= sieve->notes.size - offset && !((offset | size) & part);
}

/* Where active lanes act, and as whom. */
struct actors { struct places where; const int32_t *own; int32_t add, some[WAVE_LANES_MAX + STAMP_LANES]; };

static void spread_runs(const struct access_event *event, struct places *where)
{
    uint32_t count = 0, bits = 0;
    for (uint32_t r = 0; r < where->runs.count; r++) {
        const struct lane_run *run = &where->runs.run[r];
        bits |= run->at;
        for (uint32_t lane = run->lane; lane < (uint32_t)run->lane + run->count; lane++)
            if (event->mask[lane / 64] >> lane % 64 & 1)
                where->at[count++] = run->at + (lane - run->lane) * event->size_bytes;
    }
    where->count = count;
    where->bits = bits;
}

/* Those of a list. */
static bool list_actors(const struct sieve *sieve, const struct access_event *event, struct actors *out)
{
    if (out->where.runs.count)
        spread_runs(event, &out->where);
    out->own = sieve->crew.own;
    out->add = sieve->crew.add;
    if (out->where.count < event->lane_count) {
        sieve->notes.loops->pack(sieve->crew.own, event->mask, event->lane_count, out->some);
        out->own = out->some;
    }
    return !((out->where.bits | event->size_bytes) & ((1u << sieve->shift) - 1));
}

/* Those of a row, the first of which stands at `start`. */
static bool row_actors(const struct sieve *sieve, const struct access_event *event, uint32_t from, uint32_t end, uint64_t start,
                       struct actors *out)
{
    uint32_t count = 0;
    for (uint32_t lane = next_lane(event->mask, from, end, true); lane < end; lane = next_lane(event->mask, lane + 1, end, true)) {
        const uint64_t offset = start + (uint64_t)event->step_x * (lane - from);
        if (!fits(sieve, sieve->notes.low + offset, event->size_bytes))
            return false;
        out->where.at[count] = (uint32_t)offset;
        out->some[count++] = sieve->crew.own[lane];
    }
    out->where.count = count;
    out->own = out->some;
    out->add = sieve->crew.add;
    return true;
}

INLINED bool touch_each(const struct sieve *sieve, const struct actors *actors, enum access_kind kind, uint32_t granules)
{
    const struct view view = view_of(sieve);
    const uint32_t count = actors->where.count, shift = sieve->shift;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = actors->where.at[i] >> shift;
        if (!touch(&view, kind, at, at + granules, actors->own[i] + actors->add))
            return false;
    }
    return true;
}

/* ---- one granule each, where no barrier settles anything: what comes after a doubt does not matter any more ---- */

INLINED int32_t later(int32_t one, int32_t other) { return one > other ? one : other; }
INLINED int32_t of_others(int32_t stamp, int32_t own) { return stamp == own && RULE(3) ? 0 : stamp; }

/* Others have such a stamp where it acts. */
static bool by_others(const struct sieve *sieve, const struct actors *actors, int use, int32_t except)
{
    const int32_t *const stamps = sieve->stamps[use];
    for (uint32_t i = 0; i < actors->where.count; i++) {
        const int32_t stamp = of_others(stamps[actors->where.at[i] >> sieve->shift], actors->own[i] + actors->add);
        if (stamp >= sieve->first && stamp != except)
            return true;
    }
    return false;
}

/* Where others have read before, or several lanes read. before: what each lane has replaced by its own. */
static void share_each(const struct sieve *sieve, const struct actors *actors, const int32_t *before)
{
    const int32_t all = many(sieve), low = sieve->crew.low, high = sieve->crew.high;
    int32_t *const readers = sieve->stamps[READERS];
    for (uint32_t i = 0; i < actors->where.count; i++) {
        const int32_t reader = of_others(before[i], actors->own[i] + actors->add);
        int32_t *const now = &readers[actors->where.at[i] >> sieve->shift];
        if (reader >= sieve->first)
            *now = reader >= low && reader < high && *now != all ? high - 1 : all;
    }
}

static bool read_each(const struct sieve *sieve, const struct actors *actors)
{
    int32_t *const restrict readers = sieve->stamps[READERS], before[WAVE_LANES_MAX];
    const int32_t *const restrict writers = sieve->stamps[WRITERS], *const restrict own = actors->own;
    const uint32_t *const restrict where = actors->where.at, count = actors->where.count, shift = sieve->shift;
    const int32_t add = actors->add;
    int32_t writer = 0, reader = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = where[i] >> shift;
        before[i] = readers[at];
        writer = later(writer, writers[at]);
        reader = later(reader, before[i]);
        readers[at] = own[i] + add;
    }
    if (writer >= sieve->first && by_others(sieve, actors, WRITERS, sieve->first + LOADS))
        return false;
    if (reader >= sieve->first)
        share_each(sieve, actors, before);
    return true;
}

/* Who writes mostly has read there itself, just before. */
static bool write_each(const struct sieve *sieve, const struct actors *actors)
{
    const int32_t *const restrict readers = sieve->stamps[READERS], *const restrict own = actors->own;
    const uint32_t *const restrict where = actors->where.at, count = actors->where.count, shift = sieve->shift;
    int32_t *const restrict writers = sieve->stamps[WRITERS];
    const int32_t add = actors->add;
    int32_t latest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = where[i] >> shift;
        const int32_t me = own[i] + add;
        latest = later(later(latest, of_others(readers[at], me)), of_others(writers[at], me));
        writers[at] = me;
    }
    return latest < sieve->first;
}

static bool update_each(const struct sieve *sieve, const struct actors *actors)
{
    const int32_t *const restrict readers = sieve->stamps[READERS];
    const uint32_t *const restrict where = actors->where.at, count = actors->where.count, shift = sieve->shift;
    int32_t *const restrict writers = sieve->stamps[WRITERS];
    const int32_t updates = sieve->first + UPDATES, loads = sieve->first + LOADS;
    int32_t writer = 0, reader = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = where[i] >> shift;
        writer = later(writer, writers[at]);
        reader = later(reader, readers[at]);
        writers[at] = updates;
    }
    return writer <= loads && (reader < sieve->first || !by_others(sieve, actors, READERS, 0));
}

static bool touch_actors(const struct sieve *sieve, const struct actors *actors, enum access_kind kind, uint32_t size)
{
    const uint32_t granules = size >> sieve->shift;
    if (granules == 1 && sieve->crew.base <= 1 && kind != ACCESS_ATOMIC_READ)
        return (kind == ACCESS_READ ? read_each : kind == ACCESS_WRITE ? write_each : update_each)(sieve, actors);
    if (kind == ACCESS_READ)
        return granules == 1 ? touch_each(sieve, actors, ACCESS_READ, 1) : touch_each(sieve, actors, ACCESS_READ, granules);
    if (kind == ACCESS_WRITE)
        return granules == 1 ? touch_each(sieve, actors, ACCESS_WRITE, 1) : touch_each(sieve, actors, ACCESS_WRITE, granules);
    if (kind == ACCESS_ATOMIC_READ)
        return touch_each(sieve, actors, ACCESS_ATOMIC_READ, granules);
    return touch_each(sieve, actors, ACCESS_ATOMIC_UPDATE, granules);
}

/* Plain accesses of one granule each, where no barrier settles anything. */
static bool by_granules(const struct sieve *sieve, const struct access_event *event)
{
    return event->kind <= ACCESS_WRITE && event->size_bytes == 1u << sieve->shift && sieve->crew.base <= 1;
}

static bool touch_runs(const struct sieve *sieve, const struct access_event *event, const struct lane_runs *runs)
{
    const struct stamp_row row = {.readers = sieve->stamps[READERS], .writers = sieve->stamps[WRITERS], .own = sieve->crew.own, .add = sieve->crew.add,
                                  .mask = event->mask, .shift = sieve->shift, .first = sieve->first, .low = sieve->crew.low,
                                  .high = sieve->crew.high, .many = many(sieve), .loads = sieve->first + LOADS};
    return event->kind == ACCESS_READ ? sieve->notes.loops->read(&row, runs) : sieve->notes.loops->write(&row, runs);
}

static bool are_aligned(const struct sieve *sieve, const struct lane_runs *runs)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < runs->count; i++)
        bits |= runs->run[i].at;
    return !(bits & ((1u << sieve->shift) - 1));
}

static bool take_list(const struct sieve *sieve, const struct access_event *event, struct actors *actors)
{
    if (!notes_places(&sieve->notes, event, &actors->where))
        return false;
    if (actors->where.runs.count && by_granules(sieve, event) && are_aligned(sieve, &actors->where.runs))
        return touch_runs(sieve, event, &actors->where.runs);
    return list_actors(sieve, event, actors) && touch_actors(sieve, actors, event->kind, event->size_bytes);
}

/* All lanes of each row. */
static bool whole_runs(const struct sieve *sieve, const struct access_event *event, uint32_t row, struct lane_runs *out)
{
    const uint32_t count = event->lane_count / row, part = (1u << sieve->shift) - 1, bytes = event->size_bytes * row;
    const uint64_t start = event->base - sieve->notes.low, step = (uint64_t)event->step_y, last = start + step * (count - 1);
    if (count > LANE_RUNS_MOST || step & part || !fits(sieve, event->base, bytes) || !fits(sieve, sieve->notes.low + last, bytes))
        return false;
    for (uint32_t i = 0; i < count; i++)
        out->run[i] = (struct lane_run){(uint32_t)(start + step * i), (uint16_t)(row * i), (uint16_t)row};
    out->count = count;
    return true;
}

/* From the first active lane of each row to the last; false: too many, or not all within the allocation. */
static bool row_runs(const struct sieve *sieve, const struct access_event *event, uint32_t row, bool whole, struct lane_runs *out)
{
    uint64_t start = event->base - sieve->notes.low;
    if (whole)
        return whole_runs(sieve, event, row, out);
    out->count = 0;
    for (uint32_t from = 0; from < event->lane_count; from += row, start += (uint64_t)event->step_y) {
        uint32_t one, other;
        if (!lanes_within(event->mask, from, event->lane_count - from < row ? event->lane_count : from + row, &one, &other))
            continue;
        const uint64_t at = start + (uint64_t)(one - from) * event->size_bytes;
        if (out->count == LANE_RUNS_MOST || !fits(sieve, sieve->notes.low + at, event->size_bytes * (other - one)))
            return false;
        out->run[out->count++] = (struct lane_run){(uint32_t)at, (uint16_t)one, (uint16_t)(other - one)};
    }
    return true;
}

static bool take_row(const struct sieve *sieve, const struct access_event *event, uint32_t from, uint32_t end, uint64_t start,
                     struct actors *actors)
{
    return row_actors(sieve, event, from, end, start, actors) && touch_actors(sieve, actors, event->kind, event->size_bytes);
}

/* Lanes at one address: two are as good as all. */
static bool take_together(const struct sieve *sieve, const struct view *view, const struct access_event *event, uint32_t from, uint32_t end,
                          bool whole, uint64_t offset)
{
    uint32_t one = from, other = end;
    if (!whole && !lanes_within(event->mask, from, end, &one, &other))
        return true;
    const uint64_t at = offset >> sieve->shift, granules = event->size_bytes >> sieve->shift;
    if (event->kind == ACCESS_READ && granules == 1 && other > one + 1 && view->high)
        return fits(sieve, sieve->notes.low + offset, event->size_bytes) && read_granule_by_many(view, at);
    return fits(sieve, sieve->notes.low + offset, event->size_bytes) &&
           touch(view, event->kind, at, at + granules, own_stamp(sieve, one)) &&
           (other == one + 1 || touch(view, event->kind, at, at + granules, own_stamp(sieve, other - 1)));
}

static bool take_affine(const struct sieve *sieve, const struct view *view, const struct access_event *event, struct actors *actors)
{
    const uint32_t lanes = event->lane_count, row = event->row && event->row < lanes ? event->row : lanes;
    const bool whole = lanes % row == 0 && next_lane(event->mask, 0, lanes, false) == lanes;
    uint64_t offset = event->base - sieve->notes.low;
    if (event->step_x == (int64_t)event->size_bytes && by_granules(sieve, event) && row_runs(sieve, event, row, whole, &actors->where.runs))
        return touch_runs(sieve, event, &actors->where.runs);
    for (uint32_t from = 0; from < lanes; from += row, offset += (uint64_t)event->step_y) {
        const uint32_t end = lanes - from < row ? lanes : from + row;
        if (event->step_x == 0 ? !take_together(sieve, view, event, from, end, whole, offset) : !take_row(sieve, event, from, end, offset, actors))
            return false;
    }
    return true;
}

/* ---- taking -------------------------------------------------------------------------------------------- */

/* Updates of one size and scope include each other, whoever does them. */
static bool same_atomics(struct sieve *sieve, const struct access_event *event, enum memory_scope scope)
{
    if (event->kind <= ACCESS_WRITE)
        return true;
    if (sieve->atomic)
        return event->size_bytes == sieve->atomic_size && scope == (enum memory_scope)sieve->atomic_scope;
    sieve->atomic = true;
    sieve->atomic_size = event->size_bytes;
    sieve->atomic_scope = (uint8_t)scope;
    return true;
}

bool sieve_take(struct sieve *sieve, const struct access_event *event, const struct wave_crew *crew, uint64_t tick,
                enum memory_scope scope)
{
    struct actors actors;
    if (!sieve->open || !same_atomics(sieve, event, scope) || !man(sieve, crew))
        return false;
    const struct view view = view_of(sieve);
    if (event->shape == ADDRESS_LIST      ? !take_list(sieve, event, &actors)
        : event->shape == ADDRESS_UNIFORM ? !take_together(sieve, &view, event, 0, event->lane_count, false, event->base - sieve->notes.low)
                                          : !take_affine(sieve, &view, event, &actors))
        return false;
    return notes_add(&sieve->notes, event, &actors.where, crew, tick, scope);
}

bool sieve_note(struct sieve *sieve, const struct access_event *event, const struct wave_crew *crew, uint64_t tick)
{
    struct places places;
    return notes_places(&sieve->notes, event, &places) && notes_add(&sieve->notes, event, &places, crew, tick, event->scope);
}

static uint64_t block_group(const struct sieve *sieve, uint64_t block)
{
    return block < sieve->groups ? block : sieve->intervals[block - sieve->groups].group;
}

/* Marks come in no order: of one group's the later interval stays. */
static int32_t marked(const struct sieve *sieve, int32_t old, int32_t own, bool write)
{
    if (old < sieve->first || old == own)
        return own;
    if (old == many(sieve))
        return old;
    const uint64_t block = block_of(sieve, own), old_block = block_of(sieve, old);
    if (block_group(sieve, block) != block_group(sieve, old_block))
        return many(sieve);
    if (block == old_block && !write)
        return block_first(sieve, block) + (int32_t)sieve->items;
    return old > own ? old : own;
}

bool sieve_mark(struct sieve *sieve, const struct past_access *access, uint64_t group, uint64_t base)
{
    const bool write = access->kind == ACCESS_WRITE;
    uint64_t block = group;
    if (!fits(sieve, access->address, access->size) || (base > 1 && !interval_of(sieve, group, base, &block)))
        return false;
    const int32_t own = block_first(sieve, block) + (int32_t)(access->unit % sieve->items);
    int32_t *stamps = sieve->stamps[write ? WRITERS : READERS];
    const uint64_t from = (access->address - sieve->notes.low) >> sieve->shift, end = from + (access->size >> sieve->shift);
    for (uint64_t at = from; at < end; at++)
        stamps[at] = marked(sieve, stamps[at], own, write);
    return true;
}

/* ---- footprint ---------------------------------------------------------------------------------------------- */

enum { FLAGS = 64 };

/* Which of `count` granules have stamps of [first, end): bit by bit; atomics apart from others. */
static void flags_of(const int32_t *readers, const int32_t *writers, uint64_t count, int32_t first, int32_t end,
                     uint64_t out[FOOTPRINT_USES])
{
    uint8_t read[FLAGS] = {0}, written[FLAGS] = {0}, updated[FLAGS] = {0}, loaded[FLAGS] = {0};
    const int32_t updates = first + UPDATES, loads = first + LOADS;
    for (uint64_t i = 0; i < count; i++) {
        read[i] = readers[i] >= first && readers[i] < end;
        updated[i] = writers[i] == updates;
        loaded[i] = writers[i] == loads;
        written[i] = writers[i] > loads && writers[i] < end;
    }
    out[FOOTPRINT_READ] = out[FOOTPRINT_WRITTEN] = out[FOOTPRINT_ATOMIC] = out[FOOTPRINT_ATOMIC_READ] = 0;
    for (uint64_t i = 0; i < FLAGS; i += 8) {
        const uint64_t gather = UINT64_C(0x0102040810204080);
        uint64_t byte;
        memcpy(&byte, read + i, 8);
        out[FOOTPRINT_READ] |= byte * gather >> 56 << i;
        memcpy(&byte, written + i, 8);
        out[FOOTPRINT_WRITTEN] |= byte * gather >> 56 << i;
        memcpy(&byte, updated + i, 8);
        out[FOOTPRINT_ATOMIC] |= byte * gather >> 56 << i;
        memcpy(&byte, loaded + i, 8);
        out[FOOTPRINT_ATOMIC_READ] |= byte * gather >> 56 << i;
    }
}

void sieve_collect(const struct sieve *sieve, int32_t from, int32_t end, struct footprint_part *part)
{
    static const enum footprint_use uses[] = {FOOTPRINT_READ, FOOTPRINT_WRITTEN, FOOTPRINT_ATOMIC, FOOTPRINT_ATOMIC_READ};
    struct byte_run run[FOOTPRINT_USES] = {{0, 0}};
    for (uint64_t at = 0, granules = sieve->notes.size >> sieve->shift; at < granules; at += FLAGS) {
        uint64_t flags[FOOTPRINT_USES];
        flags_of(sieve->stamps[READERS] + at, sieve->stamps[WRITERS] + at, granules - at < FLAGS ? granules - at : FLAGS, from, end,
                 flags);
        for (uint32_t u = 0; u < sizeof uses / sizeof *uses; u++)
            byte_set_add_granules(&part->bytes[uses[u]], &run[uses[u]], at << sieve->shift, flags[uses[u]], sieve->shift);
    }
    for (uint32_t u = 0; u < sizeof uses / sizeof *uses; u++)
        byte_set_add(&part->bytes[uses[u]], run[uses[u]].low, run[uses[u]].high);
}
