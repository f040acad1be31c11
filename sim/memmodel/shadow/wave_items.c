/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of a wave's lanes. Active lanes are covered by rectangles of whole or partial rows, each of which
 * is an event of the affine filter. */
#include "wave_items.h"

#include <string.h>

/* ---- units ----------------------------------------------------------------------------------- */

/* A lane's position is affine in x and y if the lanes are part of one row, or whole rows of one plane. */
static void find_rows(struct wave_items *wave_items)
{
    const uint32_t width = wave_items->tile_size[0], plane = width * wave_items->tile_size[1],
                   x = wave_items->first_lane % width;
    const bool one = x + wave_items->lane_count <= width;
    wave_items->in_rows = one || (x == 0 && wave_items->first_lane % plane + wave_items->lane_count <= plane);
    wave_items->row = one ? wave_items->lane_count : width;
    const uint64_t within[3] = {x, wave_items->first_lane / width % wave_items->tile_size[1],
                                wave_items->first_lane / plane},
                   size[3] = {wave_items->row, wave_items->lane_count / wave_items->row, 1};
    for (int axis = 0; axis < 3; axis++) {
        wave_items->low[axis] = wave_items->tile_origin[axis] + within[axis];
        wave_items->high[axis] = wave_items->low[axis] + size[axis];
    }
}

void wave_items_place(struct wave_items *wave_items, const struct origin *origin, uint32_t lane_count)
{
    wave_items->launch = origin->launch;
    wave_items->wave = origin->wave;
    wave_items->first_lane = origin->first_lane;
    wave_items->lane_count = lane_count;
    memcpy(wave_items->tile_origin, origin->tile_origin, sizeof wave_items->tile_origin);
    memcpy(wave_items->tile_size, origin->tile_size, sizeof wave_items->tile_size);
    find_rows(wave_items);
}

/* ---- rectangles ---------------------------------------------------------------------- */

/* first: the lane at its lowest position */
struct rectangle {
    uint32_t first, width, rows;
};

/* Adds the active runs of one row; a run as wide as the last rectangle and below it makes that higher.
 * Returns the new count; UINT32_MAX: too many. */
static uint32_t row_runs(const uint64_t *mask, uint32_t from, uint32_t end, uint32_t row,
                         struct rectangle *out, uint32_t count)
{
    for (uint32_t first = next_lane(mask, from, end, true), lane; first < end;
         first = next_lane(mask, lane, end, true)) {
        lane = next_lane(mask, first, end, false);
        struct rectangle *above = count ? &out[count - 1] : NULL;
        if (above && above->width == lane - first && above->first + above->rows * row == first)
            above->rows++;
        else if (count == WAVE_ITEMS_LINES_MOST)
            return UINT32_MAX;
        else
            out[count++] = (struct rectangle){first, lane - first, 1};
    }
    return count;
}

/* Returns how many; 0: too many. */
static uint32_t rectangles(const uint64_t *mask, uint32_t lanes, uint32_t row, struct rectangle *out)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < lanes && count != UINT32_MAX; from += row)
        count = row_runs(mask, from, from + row < lanes ? from + row : lanes, row, out, count);
    return count == UINT32_MAX ? 0 : count;
}

static void give_steps(const struct wave_items *wave_items, const struct access_event *event,
                       struct affine_filter_event *out)
{
    const bool affine = event->shape == ADDRESS_AFFINE;
    out->step_axes = !affine ? 7 : wave_items->lane_count > wave_items->row ? 3 : 1;
    out->step[0] = affine ? event->step_x : 0;
    out->step[1] = affine && event->row < wave_items->lane_count ? event->step_y : 0;
    out->step[2] = 0;
}

static void place_rectangle(const struct wave_items *wave_items, const struct access_event *event,
                            const struct rectangle *at, struct affine_filter_event *out)
{
    uint32_t lane = wave_items->first_lane + at->first, width = wave_items->tile_size[0],
             height = wave_items->tile_size[1];
    const uint64_t within[3] = {lane % width, lane / width % height, lane / width / height},
                   size[3] = {at->width, at->rows, 1};
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis] = wave_items->tile_origin[axis] + within[axis];
        out->high[axis] = out->low[axis] + size[axis];
    }
    out->base = lane_address(event, at->first);
}

/* All lanes as one box. False: they are not whole rows, or not all are active. */
static bool place_all(const struct wave_items *wave_items, const struct access_event *event,
                      struct affine_filter_event *out)
{
    if ((wave_items->row < wave_items->lane_count && wave_items->lane_count % wave_items->row) ||
        !all_set(event->mask, 0, wave_items->lane_count))
        return false;
    memcpy(out->low, wave_items->low, sizeof out->low);
    memcpy(out->high, wave_items->high, sizeof out->high);
    out->base = event->base;
    return true;
}

uint32_t wave_items_lines(const struct wave_items *wave_items, const struct access_event *event,
                          struct affine_filter_event lines[WAVE_ITEMS_LINES_MOST])
{
    struct rectangle parts[WAVE_ITEMS_LINES_MOST];
    if (!wave_items->in_rows || (event->shape == ADDRESS_AFFINE && event->row < wave_items->lane_count &&
                                 event->row != wave_items->row))
        return 0;
    give_steps(wave_items, event, &lines[0]);
    if (place_all(wave_items, event, &lines[0]))
        return 1;
    const uint32_t count = rectangles(event->mask, wave_items->lane_count, wave_items->row, parts);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            lines[i] = lines[0];
        place_rectangle(wave_items, event, &parts[i], &lines[i]);
    }
    return count;
}
