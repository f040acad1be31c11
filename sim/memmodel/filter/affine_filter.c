/* SPDX-License-Identifier: Apache-2.0 */
/* The affine filter. A line stands for all accesses of one instruction with the same steps; boxes say which
 * positions and iterations executed it. A new access is compared with each line by byte range and by steps. A
 * pair of lines that is proven disjoint for all positions of the launch is not compared again while both only
 * grow in x, y and z. All arithmetic on addresses is modulo 2^64. */
#include "affine_filter.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "sim/memmodel/common/room.h"

enum { AXIS_ITERATION = 3, BOXES_MOST = HOSTILE(1 << 16, 8) };

/* ---- geometry --------------------------------------------------------------------- */

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* All bytes that the event touches lie in [*out_low, *out_high). */
static void affine_filter_event_range(const struct affine_filter_event *event, uint64_t *out_low,
                                      uint64_t *out_high)
{
    uint64_t low = event->base, high = event->base;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t span = magnitude(event->step[axis]) * (event->high[axis] - event->low[axis] - 1);
        if (event->step[axis] < 0)
            low -= span;
        else
            high += span;
    }
    *out_low = low;
    *out_high = high + event->size;
}

/* Are the windows [step . position, step . position + window) of all positions disjoint? They are if each
 * step, in ascending order of width, is at least as wide as all that the narrower ones span. */
static bool windows_are_disjoint(const int64_t step[3], uint32_t step_axes, const uint64_t extent[3],
                                 uint64_t window)
{
    uint32_t left = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        if (extent[axis] > 1) {
            if (!(step_axes >> axis & 1))
                return false;
            left |= 1u << axis;
        }
    while (left) {
        uint32_t narrowest = (uint32_t)__builtin_ctz(left);
        for (uint32_t axis = 0; axis < 3; axis++)
            if (left >> axis & 1 && magnitude(step[axis]) < magnitude(step[narrowest]))
                narrowest = axis;
        if (magnitude(step[narrowest]) < window)
            return false;
        window += magnitude(step[narrowest]) * (extent[narrowest] - 1);
        left &= ~(1u << narrowest);
    }
    return true;
}

/* ---- can the line and the event race? ------------------------------------------------- */

/* The steps of both; if one has a single position on an axis, the step of the other holds for both. False:
 * they differ. *out_line_origin: the line's address at position 0 with these steps. */
static bool common_steps(const struct affine_filter_line *line, const struct affine_filter_event *event,
                         int64_t out_step[3], uint64_t *out_line_origin, uint64_t out_extent[3])
{
    uint64_t origin = line->base;
    for (int axis = 0; axis < 3; axis++) {
        bool line_has = line->step_axes >> axis & 1, event_has = event->step_axes >> axis & 1;
        out_step[axis] = line_has ? line->step[axis] : event_has ? event->step[axis] : 0;
        out_extent[axis] = event->extent[axis];
        if (line_has && event_has && line->step[axis] != event->step[axis])
            return false;
        if (!line_has)
            origin -= (uint64_t)out_step[axis] * line->boxes[0].low[axis];
        if (!line_has && !event_has) {
            out_extent[axis] = 1;
            if (line->boxes[0].low[axis] != event->low[axis])
                return false;
        }
    }
    *out_line_origin = origin;
    return true;
}

/* Does only one work-item touch any byte that both touch? a and b are the addresses that the two have at
 * position 0, for all iterations. If the window from the lower to the higher end is disjoint for all
 * positions, each work-item stays in its own. */
static bool bytes_are_per_item(const struct affine_filter_line *line, const struct affine_filter_event *event)
{
    int64_t step[3];
    uint64_t a, b = event->base, extent[3];
    if (line->step[AXIS_ITERATION] < 0 || !common_steps(line, event, step, &a, extent))
        return false;
    for (int axis = 0; axis < 3; axis++)
        b -= (uint64_t)step[axis] * event->low[axis];
    uint64_t end_a = a + line->size + (uint64_t)line->step[AXIS_ITERATION] * (line->iterations - 1),
             end_b = b + event->size;
    uint64_t from = (int64_t)(a - b) < 0 ? a : b, end = (int64_t)(end_a - end_b) > 0 ? end_a : end_b;
    return (int64_t)(end - from) > 0 && windows_are_disjoint(step, 7, extent, end - from);
}

/* *out_disjoint: the proof holds for all positions, not only for those of now. */
static bool cannot_race(const struct affine_filter_line *line, const struct affine_filter_event *event,
                        uint64_t low, uint64_t high, bool *out_disjoint)
{
    *out_disjoint = false;
    if (!line->write && !event->write)
        return true;
    if (high <= line->low || line->high <= low)
        return true;
    if (line->one_group && event->one_group && line->group == event->group &&
        line->clock < event->region_base)
        return true;
    return *out_disjoint = bytes_are_per_item(line, event);
}

/* ---- boxes ------------------------------------------------------------------------------- */

static bool box_holds(const struct affine_filter_box *outer, const struct affine_filter_box *inner)
{
    for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++)
        if (inner->low[axis] < outer->low[axis] || inner->high[axis] > outer->high[axis])
            return false;
    return outer->clock == inner->clock;
}

/* The box grows to the union if that is a box: the two differ on one axis at most, and touch there. */
static bool box_join(struct affine_filter_box *box, const struct affine_filter_box *other)
{
    int differs = -1;
    if (box->clock != other->clock)
        return false;
    for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++) {
        if (box->low[axis] == other->low[axis] && box->high[axis] == other->high[axis])
            continue;
        if (differs >= 0)
            return false;
        differs = axis;
    }
    if (differs < 0)
        return true;
    if (other->low[differs] > box->high[differs] || box->low[differs] > other->high[differs])
        return false;
    if (other->low[differs] < box->low[differs])
        box->low[differs] = other->low[differs];
    if (other->high[differs] > box->high[differs])
        box->high[differs] = other->high[differs];
    return true;
}

/* False: no memory, or too many boxes. */
static bool line_add(struct affine_filter_line *line, const struct affine_filter_box *box)
{
    struct affine_filter_box *last = line->count ? &line->boxes[line->count - 1] : NULL;
    if (last && (box_holds(last, box) || box_join(last, box))) {
        while (line->count > 1 && box_join(&line->boxes[line->count - 2], last)) {
            line->count--;
            last = &line->boxes[line->count - 1];
        }
        return true;
    }
    if (line->count == BOXES_MOST ||
        !room_for_one((void **)&line->boxes, line->count, &line->room, HOSTILE(4, 1), sizeof *line->boxes))
        return false;
    CHECKED(line->count < line->room);
    line->boxes[line->count++] = *box;
    return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

static bool is_of_instruction(const struct affine_filter_line *line, uint32_t site, uint32_t size, bool write)
{
    return line->site == site && line->size == size && line->write == write;
}

/* The event's positions, in one iteration. */
static inline void box_of(const struct affine_filter_event *event, uint64_t iteration,
                          struct affine_filter_box *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis] = event->low[axis];
        out->high[axis] = event->high[axis];
    }
    out->low[AXIS_ITERATION] = iteration;
    out->high[AXIS_ITERATION] = iteration + 1;
    out->clock = event->clock;
}

/* Infers the line's step on an axis on which it had one position so far, from the distance between line and
 * event. At most one axis can be inferred. *out_rest: how far the event's base is from where the line expects
 * it in iteration 0. */
static bool infer_step(struct affine_filter_line *line, const struct affine_filter_event *event,
                       uint64_t *out_rest)
{
    CHECKED(line->count > 0);
    uint32_t unknown = 7 & ~(line->step_axes & event->step_axes);
    int64_t step[3] = {line->step[0], line->step[1], line->step[2]};
    uint64_t at = line->base;
    const struct affine_filter_box *box = &line->boxes[line->count - 1];
    int open = -1;
    for (int axis = 0; axis < 3; axis++) {
        if (!(unknown >> axis & 1))
            continue;
        if (event->step_axes >> axis & 1) /* the line's base counts from its position there */
            return false;
        if (line->step_axes >> axis & 1 || event->low[axis] == box->low[axis])
            continue;
        if (open >= 0)
            return false;
        open = axis;
    }
    for (int axis = 0; axis < 3; axis++)
        if (axis != open && line->step_axes >> axis & 1)
            at += (uint64_t)step[axis] * event->low[axis];
    if (open >= 0) {
        int64_t positions = (int64_t)(event->low[open] - box->low[open]),
                distance = (int64_t)(event->base - at);
        if (distance % positions)
            return false;
        line->step[open] = distance / positions;
        line->base -= (uint64_t)line->step[open] * box->low[open];
        line->step_axes |= 1u << open;
        *out_rest = 0;
        return true;
    }
    *out_rest = event->base - at;
    return true;
}

/* The iteration of the line in which the event is. The first rest that is not 0 defines the line's step. */
static bool iteration_of(struct affine_filter_line *line, uint64_t rest, uint64_t *out_iteration)
{
    int64_t step = line->step[AXIS_ITERATION];
    if (!step && !rest) {
        *out_iteration = 0;
        return true;
    }
    if (!step)
        step = line->step[AXIS_ITERATION] = (int64_t)rest;
    if ((int64_t)rest % step || (int64_t)rest / step < 0)
        return false;
    *out_iteration = (uint64_t)((int64_t)rest / step);
    return true;
}

/* The line's summary covers the event, too. */
static void line_cover(struct affine_filter_line *line, const struct affine_filter_event *event, uint64_t low,
                       uint64_t high)
{
    CHECKED(low < high && line->low < line->high);
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
    line->one_group &= event->one_group && line->group == event->group;
    line->clock = event->clock > line->clock ? event->clock : line->clock;
}

/* The event becomes part of the line if it has the line's steps, or infers one, and one of its iterations.
 * Fails after that only without memory: the inferred step stays, which holds for the line's boxes, too. */
static bool line_takes(struct affine_filter_line *line, const struct affine_filter_event *event, uint64_t low,
                       uint64_t high)
{
    uint64_t rest, iteration;
    const uint32_t common = line->step_axes & event->step_axes;
    if (!is_of_instruction(line, event->site, event->size, event->write))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (common >> axis & 1 && line->step[axis] != event->step[axis])
            return false;
    if (!infer_step(line, event, &rest) || !iteration_of(line, rest, &iteration))
        return false;
    struct affine_filter_box box;
    box_of(event, iteration, &box);
    if (!line_add(line, &box))
        return false;
    line->iterations = iteration + 1 > line->iterations ? iteration + 1 : line->iterations;
    line_cover(line, event, low, high);
    return true;
}

/* Fields are assigned one by one: a compound literal would clear the line first, which costs measurable time
 * for each new line. */
static bool line_new(struct affine_filter *affine_filter, const struct affine_filter_event *event,
                     uint64_t low, uint64_t high)
{
    if (affine_filter->count == AFFINE_FILTER_LINES)
        return false;
    struct affine_filter_line *line = &affine_filter->lines[affine_filter->count];
    CHECKED(event->size > 0 && low < high);
    struct affine_filter_box box;
    box_of(event, 0, &box);
    line->site = event->site;
    line->size = event->size;
    line->write = event->write;
    line->step_axes = event->step_axes;
    line->base = event->base;
    line->step[AXIS_ITERATION] = 0;
    line->iterations = 1;
    line->low = low;
    line->high = high;
    line->group = event->group;
    line->clock = event->clock;
    line->one_group = event->one_group;
    line->disjoint = 0;
    line->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        line->step[axis] = event->step_axes >> axis & 1 ? event->step[axis] : 0;
        line->base -= (uint64_t)line->step[axis] * event->low[axis];
    }
    if (!line_add(line, &box))
        return false;
    affine_filter->hint[event->site % AFFINE_FILTER_HINTS] = (uint8_t)++affine_filter->count;
    affine_filter->writes |= (uint32_t)event->write << (affine_filter->count - 1);
    return true;
}

/* The latest line of the instruction, if the event has its steps and one of its iterations; else NULL. */
static struct affine_filter_line *hinted_line(struct affine_filter *affine_filter,
                                              const struct affine_filter_event *event,
                                              uint64_t *out_iteration)
{
    const uint32_t hint = affine_filter->hint[event->site % AFFINE_FILTER_HINTS];
    struct affine_filter_line *line = hint ? &affine_filter->lines[hint - 1] : NULL;
    if (!line || !is_of_instruction(line, event->site, event->size, event->write) ||
        line->step_axes != event->step_axes)
        return NULL;
    uint64_t rest = event->base - line->base;
    bool same = true;
    for (int axis = 0; axis < 3; axis++) {
        if (!(event->step_axes >> axis & 1)) {
            same &= event->low[axis] == line->boxes[line->count - 1].low[axis];
            continue;
        }
        same &= line->step[axis] == event->step[axis];
        rest -= (uint64_t)event->step[axis] * event->low[axis];
    }
    const uint64_t step = (uint64_t)line->step[AXIS_ITERATION];
    *out_iteration = rest && step ? (uint64_t)((int64_t)rest / (int64_t)step) : 0;
    return same && *out_iteration * step == rest && *out_iteration < line->iterations ? line : NULL;
}

/* The event only makes the hinted line longer in x, y, z. It races with no line of `disjoint`, so nothing
 * need be compared unless some other line could race. */
static bool take_by_hint(struct affine_filter *affine_filter, const struct affine_filter_event *event,
                         uint64_t low, uint64_t high)
{
    uint64_t iteration;
    struct affine_filter_box box;
    struct affine_filter_line *line = hinted_line(affine_filter, event, &iteration);
    const uint32_t all = (uint32_t)((UINT64_C(1) << affine_filter->count) - 1);
    if (!line || (event->write ? all : affine_filter->writes) & ~line->disjoint)
        return false;
    box_of(event, iteration, &box);
    if (!line_add(line, &box))
        return false;
    line_cover(line, event, low, high);
    return true;
}

/* What was proven for the event holds for the line that it joined, if that has one iteration: the proof was
 * for one iteration of the event. */
static void note_disjoint(struct affine_filter *affine_filter, uint32_t at, uint32_t disjoint)
{
    struct affine_filter_line *line = &affine_filter->lines[at];
    CHECKED(at < affine_filter->count);
    if (line->iterations > 1)
        return;
    line->disjoint |= disjoint;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        if (disjoint >> i & 1)
            affine_filter->lines[i].disjoint |= 1u << at;
}

/* The line's base, steps or iterations have changed. */
static void forget_disjoint(struct affine_filter *affine_filter, uint32_t at)
{
    affine_filter->lines[at].disjoint = 0;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        affine_filter->lines[i].disjoint &= ~(1u << at);
}

bool affine_filter_take(struct affine_filter *affine_filter, const struct affine_filter_event *event)
{
    uint64_t low, high;
    uint32_t disjoint = 0;
    if (affine_filter->replayed)
        return false;
    affine_filter_event_range(event, &low, &high);
    if (take_by_hint(affine_filter, event, low, high))
        return true;
    if (event->write) {
        uint64_t extent[3];
        for (int axis = 0; axis < 3; axis++)
            extent[axis] = event->high[axis] - event->low[axis];
        if (!windows_are_disjoint(event->step, event->step_axes, extent, event->size))
            return false;
    }
    for (uint32_t i = 0; (event->write || affine_filter->writes) && i < affine_filter->count; i++) {
        bool always;
        if (!cannot_race(&affine_filter->lines[i], event, low, high, &always))
            return false;
        disjoint |= (uint32_t)always << i;
    }
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        struct affine_filter_line *line = &affine_filter->lines[i];
        const uint64_t base = line->base, iterations = line->iterations;
        const int64_t step = line->step[AXIS_ITERATION];
        const uint32_t step_axes = line->step_axes;
        if (!line_takes(line, event, low, high))
            continue;
        if (line->base != base || line->iterations != iterations || line->step_axes != step_axes ||
            line->step[AXIS_ITERATION] != step)
            forget_disjoint(affine_filter, i);
        else if (step_axes == event->step_axes)
            note_disjoint(affine_filter, i, disjoint);
        affine_filter->hint[event->site % AFFINE_FILTER_HINTS] = (uint8_t)(i + 1);
        return true;
    }
    return line_new(affine_filter, event, low, high);
}

/* ---- cursors -------------------------------------------------------------------------------------- */

bool affine_filter_cursor_set(const struct affine_filter *affine_filter,
                              const struct affine_filter_event *event, struct affine_filter_cursor *out)
{
    const uint32_t hint = affine_filter->hint[event->site % AFFINE_FILTER_HINTS];
    const struct affine_filter_line *line = hint ? &affine_filter->lines[hint - 1] : NULL;
    out->serial = 0;
    if (!line || affine_filter->writes || line->site != event->site || line->step[AXIS_ITERATION] == 0)
        return false;
    const struct affine_filter_box *box = &line->boxes[line->count - 1];
    uint64_t rest = event->base - line->base;
    for (int axis = 0; axis < 3; axis++) {
        if (box->low[axis] != event->low[axis] || box->high[axis] != event->high[axis])
            return false;
        rest -= line->step_axes >> axis & 1 ? (uint64_t)line->step[axis] * event->low[axis] : 0;
    }
    if (box->clock != event->clock || (int64_t)rest % line->step[AXIS_ITERATION])
        return false;
    *out = (struct affine_filter_cursor){.serial = affine_filter->serial + 1,
                                         .line = hint - 1,
                                         .box = line->count - 1,
                                         .base = event->base,
                                         .iteration = (uint64_t)((int64_t)rest / line->step[AXIS_ITERATION])};
    affine_filter_event_range(event, &out->low, &out->high);
    return true;
}

/* The same iteration, the next one, or the first again. There is no write among the lines, so a read races
 * with nothing and only has to be recorded. */
bool affine_filter_cursor_move(struct affine_filter *affine_filter, struct affine_filter_cursor *cursor,
                               uint64_t base)
{
    if (cursor->serial != affine_filter->serial + 1 || affine_filter->writes || affine_filter->replayed)
        return false;
    struct affine_filter_line *line = &affine_filter->lines[cursor->line];
    struct affine_filter_box *box = &line->boxes[cursor->box];
    const uint64_t step = (uint64_t)line->step[AXIS_ITERATION], moved = base - cursor->base;
    uint64_t iteration = cursor->iteration;
    if (moved == step)
        iteration++;
    else if (moved == 0 - iteration * step)
        iteration = 0;
    else if (moved)
        return false;
    if (cursor->box != line->count - 1 || iteration > box->high[AXIS_ITERATION] ||
        iteration < box->low[AXIS_ITERATION])
        return false;
    cursor->base = base;
    cursor->iteration = iteration;
    cursor->low += moved;
    cursor->high += moved;
    if (iteration < box->high[AXIS_ITERATION])
        return true;
    box->high[AXIS_ITERATION]++;
    line->iterations = iteration + 1 > line->iterations ? iteration + 1 : line->iterations;
    line->low = cursor->low < line->low ? cursor->low : line->low;
    line->high = cursor->high > line->high ? cursor->high : line->high;
    return true;
}

/* ---- replay ------------------------------------------------------------------------------------- */

static void replay_iteration(const struct affine_filter_line *line, const struct affine_filter_box *box,
                             uint64_t iteration, past_visitor *visit, void *self)
{
    struct past_access access = {.clock = box->clock,
                                 .site = line->site,
                                 .size = line->size,
                                 .kind = line->write ? ACCESS_WRITE : ACCESS_READ,
                                 .by_position = true};
    uint64_t *at = access.position;
    for (at[2] = box->low[2]; at[2] < box->high[2]; at[2]++)
        for (at[1] = box->low[1]; at[1] < box->high[1]; at[1]++)
            for (at[0] = box->low[0]; at[0] < box->high[0]; at[0]++) {
                access.address = line->base + (uint64_t)line->step[AXIS_ITERATION] * iteration;
                for (int axis = 0; axis < 3; axis++)
                    access.address += (uint64_t)line->step[axis] * at[axis];
                visit(self, &access);
            }
}

static void replay_box(const struct affine_filter_line *line, const struct affine_filter_box *box,
                       past_visitor *visit, void *self)
{
    for (uint64_t iteration = box->low[AXIS_ITERATION]; iteration < box->high[AXIS_ITERATION]; iteration++)
        replay_iteration(line, box, iteration, visit, self);
}

void affine_filter_replay(const struct affine_filter *affine_filter, past_visitor *visit, void *self)
{
    for (uint32_t i = 0; i < affine_filter->count; i++)
        for (uint32_t b = 0; b < affine_filter->lines[i].count; b++)
            replay_box(&affine_filter->lines[i], &affine_filter->lines[i].boxes[b], visit, self);
}

uint32_t affine_filter_grain(const struct affine_filter *affine_filter, uint64_t low)
{
    uint64_t bits = 4;
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        const struct affine_filter_line *line = &affine_filter->lines[i];
        bits |= (line->base - low) | line->size;
        for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++)
            bits |= (uint64_t)line->step[axis];
    }
    return (uint32_t)(bits & (0 - bits));
}

void affine_filter_forget(struct affine_filter *affine_filter)
{
    for (uint32_t i = 0; i < affine_filter->count; i++)
        affine_filter->lines[i].count = 0;
    affine_filter->count = 0;
    affine_filter->serial++;
    memset(affine_filter->hint, 0, sizeof affine_filter->hint);
    affine_filter->writes = 0;
    affine_filter->replayed = false;
}

void affine_filter_fini(struct affine_filter *affine_filter)
{
    for (uint32_t i = 0; i < AFFINE_FILTER_LINES; i++)
        free(affine_filter->lines[i].boxes);
    memset(affine_filter, 0, sizeof *affine_filter);
}

/* ---- footprint ------------------------------------------------------------------------------------- */

struct affine_collection {
    uint64_t low;
    struct byte_set *bytes;
};

static enum footprint_use use_of(const struct affine_filter_line *line)
{
    return line->write ? FOOTPRINT_WRITTEN : FOOTPRINT_READ;
}

/* An axis whose step is at most the length of a run makes the run longer; the remaining axes are walked. */
static void collect_box(const struct affine_filter_line *line, const struct affine_filter_box *box,
                        struct affine_collection *affine_collection)
{
    struct affine_filter_box rest = *box;
    uint64_t length = line->size, base = line->base;
    for (bool grew = true; grew;) {
        grew = false;
        for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++) {
            uint64_t count = rest.high[axis] - rest.low[axis];
            if (count > 1 &&
                (line->step[axis] == 0 || (line->step[axis] > 0 && (uint64_t)line->step[axis] <= length))) {
                length += (uint64_t)line->step[axis] * (count - 1);
                rest.high[axis] = rest.low[axis] + 1;
                grew = true;
            }
        }
    }
    uint64_t at[AFFINE_FILTER_AXES];
    for (at[3] = rest.low[3]; at[3] < rest.high[3]; at[3]++)
        for (at[2] = rest.low[2]; at[2] < rest.high[2]; at[2]++)
            for (at[1] = rest.low[1]; at[1] < rest.high[1]; at[1]++)
                for (at[0] = rest.low[0]; at[0] < rest.high[0]; at[0]++) {
                    uint64_t from = base - affine_collection->low;
                    for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++)
                        from += (uint64_t)line->step[axis] * at[axis];
                    byte_set_add(affine_collection->bytes, from, from + length);
                }
}

void affine_filter_sites(const struct affine_filter *affine_filter,
                         struct footprint_sites sites[FOOTPRINT_USES])
{
    for (uint32_t i = 0; i < affine_filter->count; i++)
        footprint_sites_add(&sites[use_of(&affine_filter->lines[i])], affine_filter->lines[i].site);
}

void affine_filter_collect(const struct affine_filter *affine_filter, uint64_t low, enum footprint_use use,
                           const uint32_t *site, struct byte_set *bytes)
{
    struct affine_collection affine_collection = {low, bytes};
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        const struct affine_filter_line *line = &affine_filter->lines[i];
        for (uint32_t b = 0; use_of(line) == use && (!site || line->site == *site) && b < line->count; b++)
            collect_box(line, &line->boxes[b], &affine_collection);
    }
}
