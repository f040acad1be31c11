/* SPDX-License-Identifier: Apache-2.0 */
#include "crew.h"

#include <string.h>

/* ---- who ------------------------------------------------------------------------------------- */

/* Lanes that are one row, or whole rows of one plane, have affine positions. */
static void find_rows(struct crew *crew)
{
    const uint32_t width = crew->tile_size[0], plane = width * crew->tile_size[1], x = crew->first_lane % width;
    const bool one = x + crew->lane_count <= width;
    crew->in_rows = one || (x == 0 && crew->first_lane % plane + crew->lane_count <= plane);
    crew->row = one ? crew->lane_count : width;
    const uint64_t within[3] = {x, crew->first_lane / width % crew->tile_size[1], crew->first_lane / plane},
                   size[3] = {crew->row, crew->lane_count / crew->row, 1};
    for (int axis = 0; axis < 3; axis++) {
        crew->low[axis] = crew->tile_origin[axis] + within[axis];
        crew->high[axis] = crew->low[axis] + size[axis];
    }
}

void crew_place(struct crew *crew, const struct origin *origin, uint32_t lane_count)
{
    crew->launch = origin->launch;
    crew->wave = origin->wave;
    crew->first_lane = origin->first_lane;
    crew->lane_count = lane_count;
    memcpy(crew->tile_origin, origin->tile_origin, sizeof crew->tile_origin);
    memcpy(crew->tile_size, origin->tile_size, sizeof crew->tile_size);
    find_rows(crew);
}

/* ---- rectangles ---------------------------------------------------------------------- */

/* Active lanes as rectangles of whole or partial rows; 0: too many. */
struct rectangle { uint32_t first, width, rows; }; /* first lane */

static uint32_t row_runs(const uint64_t *mask, uint32_t from, uint32_t end, uint32_t row, struct rectangle *out, uint32_t count)
{
    for (uint32_t first = next_lane(mask, from, end, true), lane; first < end; first = next_lane(mask, lane, end, true)) {
        lane = next_lane(mask, first, end, false);
        struct rectangle *above = count ? &out[count - 1] : NULL;
        if (above && above->width == lane - first && above->first + above->rows * row == first)
            above->rows++;
        else if (count == CREW_LINES_MOST)
            return UINT32_MAX;
        else
            out[count++] = (struct rectangle){first, lane - first, 1};
    }
    return count;
}

static uint32_t rectangles(const uint64_t *mask, uint32_t lanes, uint32_t row, struct rectangle *out)
{
    uint32_t count = 0;
    for (uint32_t from = 0; from < lanes && count != UINT32_MAX; from += row)
        count = row_runs(mask, from, from + row < lanes ? from + row : lanes, row, out, count);
    return count == UINT32_MAX ? 0 : count;
}

static void give_steps(const struct crew *crew, const struct access_event *event, struct journal_event *out)
{
    const bool affine = event->shape == ADDRESS_AFFINE;
    out->known = !affine ? 7 : crew->lane_count > crew->row ? 3 : 1;
    out->step[0] = affine ? event->step_x : 0;
    out->step[1] = affine && event->row < crew->lane_count ? event->step_y : 0;
    out->step[2] = 0;
}

static void place_rectangle(const struct crew *crew, const struct access_event *event, const struct rectangle *at, struct journal_event *out)
{
    uint32_t lane = crew->first_lane + at->first, width = crew->tile_size[0], height = crew->tile_size[1];
    const uint64_t within[3] = {lane % width, lane / width % height, lane / width / height}, size[3] = {at->width, at->rows, 1};
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis] = crew->tile_origin[axis] + within[axis];
        out->high[axis] = out->low[axis] + size[axis];
    }
    out->base = lane_address(event, at->first);
}

/* All lanes at once: false: they are no whole rows, or not all of them act. */
static bool place_all(const struct crew *crew, const struct access_event *event, struct journal_event *out)
{
    if ((crew->row < crew->lane_count && crew->lane_count % crew->row) || !all_set(event->mask, 0, crew->lane_count))
        return false;
    memcpy(out->low, crew->low, sizeof out->low);
    memcpy(out->high, crew->high, sizeof out->high);
    out->base = event->base;
    return true;
}

uint32_t crew_lines(const struct crew *crew, const struct access_event *event, struct journal_event lines[CREW_LINES_MOST])
{
    struct rectangle parts[CREW_LINES_MOST];
    if (!crew->in_rows || (event->shape == ADDRESS_AFFINE && event->row < crew->lane_count && event->row != crew->row))
        return 0;
    give_steps(crew, event, &lines[0]);
    if (place_all(crew, event, &lines[0]))
        return 1;
    const uint32_t count = rectangles(event->mask, crew->lane_count, crew->row, parts);
    for (uint32_t i = 0; i < count; i++) {
        lines[i] = lines[0];
        place_rectangle(crew, event, &parts[i], &lines[i]);
    }
    return count;
}
