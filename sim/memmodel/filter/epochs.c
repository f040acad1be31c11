/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of the epoch filter over runs of lanes: where runs begin and end, and their granules' epochs. */
#include "epochs.h"

#include "sim/memmodel/common/lane_mask.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

#define INLINED static inline __attribute__((always_inline))

enum { RUNS_KEPT = HOSTILE(LANE_RUNS_MOST, 5) };

/* ---- runs --------------------------------------------------------------------------------- */

/* Sets bit i if lane i's address follows that of lane i - 1. Returns how many lanes do not follow. */
static uint32_t find_links(const struct lane_list *list, uint64_t links[LANE_MASK_WORDS])
{
    uint32_t breaks = list->lanes;
    for (uint32_t i = 1; i < list->lanes; i++) {
        const bool follows = list->address[i] == list->address[i - 1] + list->size;
        links[i / 64] |= (uint64_t)follows << i % 64;
        breaks -= follows;
    }
    return breaks;
}

/* The active part of lanes [from, end), which follow each other. full: all lanes are active. */
static bool add_run(const struct lane_list *list, uint32_t from, uint32_t end, bool full,
                    struct lane_runs *out)
{
    uint32_t one = from, other = end;
    if (!full && !lanes_within(list->mask, from, end, &one, &other))
        return true;
    const uint64_t at = list->address[one] - list->low;
    if (out->count == RUNS_KEPT || at >= list->room || (uint64_t)(other - one) * list->size > list->room - at)
        return false;
    out->run[out->count++] = (struct lane_run){(uint32_t)at, (uint16_t)one, (uint16_t)(other - one)};
    return true;
}

bool epochs_find_runs(const struct lane_list *list, struct lane_runs *out)
{
    uint64_t links[LANE_MASK_WORDS] = {0};
    const bool full = all_set(list->mask, 0, list->lanes);
    uint32_t from = 0;
    out->count = 0;
    if (find_links(list, links) > RUNS_KEPT)
        return false;
    for (uint32_t end; from < list->lanes; from = end) {
        end = next_lane(links, from + 1, list->lanes, false);
        if (!add_run(list, from, end, full, out))
            return false;
    }
    return true;
}

/* ---- lists -------------------------------------------------------------------------------- */

bool epochs_list_lanes(const struct lane_list *list, uint32_t *out_at, uint32_t *out_count,
                       uint32_t *out_bits)
{
    const uint64_t last = list->room - list->size;
    uint64_t outside = 0, bits = 0;
    uint32_t count = 0;
    EACH_LANE_OF(list->mask, lane)
    {
        const uint64_t offset = list->address[lane] - list->low;
        outside |= offset | (last - offset);
        bits |= offset;
        out_at[count++] = (uint32_t)offset;
    }
    *out_count = count;
    *out_bits = (uint32_t)bits;
    return (int64_t)outside >= 0;
}

/* ---- epochs ------------------------------------------------------------------------------- */

/* Does the lane conflict with another unit? Written without branches, so that the loop can use vectors. */
INLINED bool touch_lane(const struct epoch_row *row, bool write, size_t at, int32_t own)
{
    const int32_t reader = row->readers[at], writer = row->writers[at];
    const bool was_read = (reader >= row->first) & (reader != own),
               was_written = (writer >= row->first) & ((writer != own) | !RULE(3));
    const int32_t shared = (reader >= row->low) & (reader < row->high) ? row->high - 1 : row->many;
    if (write)
        row->writers[at] = own;
    else
        row->readers[at] = was_read ? shared : own;
    return write ? was_written | was_read : was_written & (writer != row->loads);
}

INLINED bool touch_run(const struct epoch_row *row, const struct lane_run *run, bool write)
{
    const struct epoch_row local = *row; /* which no store into the epochs changes */
    const size_t first = run->at >> row->shift;
    bool conflict = false;
    if (all_set(row->mask, run->lane, run->count))
        for (uint32_t i = 0; i < run->count; i++)
            conflict |= touch_lane(&local, write, first + i, local.own[run->lane + i]);
    else
        for (uint32_t i = 0; i < run->count; i++)
            if (lane_bits(row->mask, run->lane + i, 1))
                conflict |= touch_lane(&local, write, first + i, local.own[run->lane + i]);
    return conflict;
}

bool epochs_touch_runs(const struct epoch_row *row, const struct lane_runs *runs, bool write)
{
    bool conflict = false;
    for (const struct lane_run *run = runs->run, *end = run + runs->count; run < end; run++)
        conflict |= write ? touch_run(row, run, true) : touch_run(row, run, false);
    return !conflict;
}
