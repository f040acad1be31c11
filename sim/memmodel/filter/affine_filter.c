/* SPDX-License-Identifier: Apache-2.0 */
/* The affine filter: lines of base, steps and counts; two lines are compared by intervals and strides. */
#include "affine_filter.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/limits.h"

enum { AXIS_ITERATION = 3, BOXES_MOST = HOSTILE(1 << 16, 8) };

/* ---- geometry --------------------------------------------------------------------- */

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

void affine_filter_event_range(const struct affine_filter_event *event, uint64_t *out_low, uint64_t *out_high)
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

/* Does each position have `window` bytes to itself? Steps sorted by width must each clear what the
 * narrower span. */
static bool apart(const int64_t step[3], uint32_t known, const uint64_t extent[3], uint64_t window)
{
    uint32_t left = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        if (extent[axis] > 1) {
            if (!(known >> axis & 1))
                return false;
            left |= 1u << axis;
        }
    while (left) {
        uint32_t compact = (uint32_t)__builtin_ctz(left);
        for (uint32_t axis = 0; axis < 3; axis++)
            if (left >> axis & 1 && magnitude(step[axis]) < magnitude(step[compact]))
                compact = axis;
        if (magnitude(step[compact]) < window)
            return false;
        window += magnitude(step[compact]) * (extent[compact] - 1);
        left &= ~(1u << compact);
    }
    return true;
}

/* ---- does the line leave the event alone? --------------------------------------------- */

/* Steps that fit both: a line with one position on an axis fits any step. */
static bool common_steps(const struct affine_filter_line *line, const struct affine_filter_event *event,
                         int64_t out_step[3], uint64_t *out_line_origin, uint64_t out_extent[3])
{
    uint64_t origin = line->base;
    for (int axis = 0; axis < 3; axis++) {
        bool line_has = line->known >> axis & 1, event_has = event->known >> axis & 1;
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

/* Both give each work-item bytes of its own, and the same ones. */
static bool own_bytes(const struct affine_filter_line *line, const struct affine_filter_event *event)
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
    return (int64_t)(end - from) > 0 && apart(step, 7, extent, end - from);
}

/* *out_agrees: for good. */
static bool compatible(const struct affine_filter_line *line, const struct affine_filter_event *event,
                       uint64_t low, uint64_t high, bool *out_agrees)
{
    *out_agrees = false;
    if (!line->write && !event->write)
        return true;
    if (high <= line->low || line->high <= low)
        return true;
    if (line->one_group && event->one_group && line->group == event->group &&
        line->clock < event->region_base)
        return true;
    return *out_agrees = own_bytes(line, event);
}

/* ---- boxes ------------------------------------------------------------------------------- */

static bool box_holds(const struct affine_filter_box *outer, const struct affine_filter_box *inner)
{
    for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++)
        if (inner->low[axis] < outer->low[axis] || inner->high[axis] > outer->high[axis])
            return false;
    return outer->clock == inner->clock;
}

/* The box grows when the other continues it along one axis. */
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
    if (line->count == line->room) {
        uint32_t room = line->room ? line->room * 2 : HOSTILE(4, 1);
        struct affine_filter_box *boxes =
            room <= BOXES_MOST ? realloc(line->boxes, room * sizeof *boxes) : NULL;
        if (!boxes)
            return false;
        line->boxes = boxes;
        line->room = room;
    }
    CHECKED(line->count < line->room);
    line->boxes[line->count++] = *box;
    return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

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

/* Steps that one of the two does not have, since it has one position on that axis, may follow from both. */
static bool adopt(struct affine_filter_line *line, const struct affine_filter_event *event,
                  uint64_t *out_rest)
{
    CHECKED(line->count > 0);
    uint32_t unknown = 7 & ~(line->known & event->known);
    int64_t step[3] = {line->step[0], line->step[1], line->step[2]};
    uint64_t at = line->base;
    const struct affine_filter_box *box = &line->boxes[line->count - 1];
    int open = -1;
    for (int axis = 0; axis < 3; axis++) {
        if (!(unknown >> axis & 1))
            continue;
        if (event->known >> axis & 1) /* the line has one position there: where its base is counted from */
            return false;
        if (line->known >> axis & 1 || event->low[axis] == box->low[axis])
            continue;
        if (open >= 0)
            return false;
        open = axis;
    }
    for (int axis = 0; axis < 3; axis++)
        if (axis != open && line->known >> axis & 1)
            at += (uint64_t)step[axis] * event->low[axis];
    if (open >= 0) {
        int64_t fast_path = (int64_t)(event->low[open] - box->low[open]),
                distance = (int64_t)(event->base - at);
        if (distance % fast_path)
            return false;
        line->step[open] = distance / fast_path;
        line->base -= (uint64_t)line->step[open] * box->low[open];
        line->known |= 1u << open;
        *out_rest = 0;
        return true;
    }
    *out_rest = event->base - at;
    return true;
}

/* The iteration of the line that the event is; false: none. */
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

static void widen(struct affine_filter_line *line, const struct affine_filter_event *event, uint64_t low,
                  uint64_t high)
{
    CHECKED(low < high && line->low < line->high);
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
    line->one_group &= event->one_group && line->group == event->group;
    line->clock = event->clock > line->clock ? event->clock : line->clock;
}

static bool line_takes(struct affine_filter_line *line, const struct affine_filter_event *event, uint64_t low,
                       uint64_t high)
{
    uint64_t rest, iteration;
    uint32_t known;
    if (line->site != event->site || line->size != event->size || line->write != event->write)
        return false;
    known = line->known & event->known;
    for (int axis = 0; axis < 3; axis++)
        if (known >> axis & 1 && line->step[axis] != event->step[axis])
            return false;
    if (!adopt(line, event, &rest) || !iteration_of(line, rest, &iteration))
        return false;
    struct affine_filter_box box;
    box_of(event, iteration, &box);
    if (!line_add(line, &box))
        return false;
    line->iterations = iteration + 1 > line->iterations ? iteration + 1 : line->iterations;
    widen(line, event, low, high);
    return true;
}

/* Field by field: as one assignment it is cleared first, in a time that loads and stores notice. */
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
    line->known = event->known;
    line->base = event->base;
    line->step[AXIS_ITERATION] = 0;
    line->iterations = 1;
    line->low = low;
    line->high = high;
    line->group = event->group;
    line->clock = event->clock;
    line->one_group = event->one_group;
    line->agrees = 0;
    line->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        line->step[axis] = event->known >> axis & 1 ? event->step[axis] : 0;
        line->base -= (uint64_t)line->step[axis] * event->low[axis];
    }
    if (!line_add(line, &box))
        return false;
    affine_filter->hint[event->site % AFFINE_FILTER_HINTS] = (uint8_t)++affine_filter->count;
    affine_filter->has_write |= event->write;
    affine_filter->writes |= (uint32_t)event->write << (affine_filter->count - 1);
    return true;
}

/* A line of several events whose addresses this one continues, at an iteration that it has. */
static struct affine_filter_line *continued(struct affine_filter *affine_filter,
                                            const struct affine_filter_event *event, uint64_t *out_iteration)
{
    const uint32_t hint = affine_filter->hint[event->site % AFFINE_FILTER_HINTS];
    struct affine_filter_line *line = hint ? &affine_filter->lines[hint - 1] : NULL;
    if (!line || line->site != event->site || line->size != event->size || line->write != event->write ||
        line->known != event->known)
        return NULL;
    uint64_t rest = event->base - line->base;
    bool same = true;
    for (int axis = 0; axis < 3; axis++) {
        if (!(event->known >> axis & 1)) {
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

/* Nothing needs to be looked at again. */
static bool take_continued(struct affine_filter *affine_filter, const struct affine_filter_event *event,
                           uint64_t low, uint64_t high)
{
    uint64_t iteration;
    struct affine_filter_box box;
    struct affine_filter_line *line = continued(affine_filter, event, &iteration);
    if (!line)
        return false;
    for (uint32_t i = 0; (event->write || affine_filter->has_write) && i < affine_filter->count; i++)
        if ((event->write || affine_filter->lines[i].write) && !(line->agrees >> i & 1))
            return false;
    box_of(event, iteration, &box);
    if (!line_add(line, &box))
        return false;
    widen(line, event, low, high);
    return true;
}

/* The decision on the event holds for the line that it went to, unless that has more iterations. */
static void note_agreement(struct affine_filter *affine_filter, uint32_t at, uint32_t agrees)
{
    struct affine_filter_line *line = &affine_filter->lines[at];
    CHECKED(at < affine_filter->count);
    if (line->iterations > 1)
        return;
    line->agrees |= agrees;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        if (agrees >> i & 1)
            affine_filter->lines[i].agrees |= 1u << at;
}

static void forget_agreement(struct affine_filter *affine_filter, uint32_t at)
{
    affine_filter->lines[at].agrees = 0;
    for (uint32_t i = 0; i < affine_filter->count; i++)
        affine_filter->lines[i].agrees &= ~(1u << at);
}

bool affine_filter_take(struct affine_filter *affine_filter, const struct affine_filter_event *event)
{
    uint64_t low, high;
    uint32_t agrees = 0;
    if (affine_filter->spilt)
        return false;
    affine_filter_event_range(event, &low, &high);
    if (take_continued(affine_filter, event, low, high))
        return true;
    if (event->write) {
        uint64_t extent[3];
        for (int axis = 0; axis < 3; axis++)
            extent[axis] = event->high[axis] - event->low[axis];
        if (!apart(event->step, event->known, extent, event->size))
            return false;
    }
    for (uint32_t i = 0; (event->write || affine_filter->has_write) && i < affine_filter->count; i++) {
        bool agreed;
        if (!compatible(&affine_filter->lines[i], event, low, high, &agreed))
            return false;
        agrees |= (uint32_t)agreed << i;
    }
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        struct affine_filter_line *line = &affine_filter->lines[i];
        const uint64_t base = line->base, iterations = line->iterations;
        const int64_t step = line->step[AXIS_ITERATION];
        const uint32_t known = line->known;
        if (!line_takes(line, event, low, high))
            continue;
        if (line->base != base || line->iterations != iterations || line->known != known ||
            line->step[AXIS_ITERATION] != step)
            forget_agreement(affine_filter, i);
        else if (known == event->known)
            note_agreement(affine_filter, i, agrees);
        affine_filter->hint[event->site % AFFINE_FILTER_HINTS] = (uint8_t)(i + 1);
        return true;
    }
    return line_new(affine_filter, event, low, high);
}

/* The line, if that is all of it: one box of one iteration, which the row makes longer. */
static struct affine_filter_line *goes_on(struct affine_filter *affine_filter,
                                          const struct affine_filter_row *row)
{
    const uint32_t hint = affine_filter->hint[row->site % AFFINE_FILTER_HINTS];
    struct affine_filter_line *line = hint ? &affine_filter->lines[hint - 1] : NULL;
    if (!line || line->site != row->site || line->size != row->size || line->write != row->write ||
        line->known != 1 || line->count != 1 || line->step[0] != row->step || line->step[AXIS_ITERATION] ||
        row->base != line->base + (uint64_t)row->step * row->low[0])
        return NULL;
    const struct affine_filter_box *box = &line->boxes[0];
    const bool next = box->high[0] == row->low[0] && box->low[1] == row->low[1] &&
                      box->low[2] == row->low[2] && box->clock == row->clock;
    return next ? line : NULL;
}

bool affine_filter_continue(struct affine_filter *affine_filter, const struct affine_filter_row *row)
{
    struct affine_filter_line *line = goes_on(affine_filter, row);
    const uint32_t others =
        row->write ? (uint32_t)((UINT64_C(1) << affine_filter->count) - 1) : affine_filter->writes;
    if (!line || others & ~line->agrees)
        return false;
    const uint64_t last = row->base + (uint64_t)row->step * (row->lanes - 1);
    const uint64_t low = row->step < 0 ? last : row->base,
                   high = (row->step < 0 ? row->base : last) + row->size;
    line->boxes[0].high[0] += row->lanes;
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
    line->one_group &= row->one_group && line->group == row->group;
    return true;
}

/* ---- on and on ------------------------------------------------------------------------------------ */

bool affine_filter_stand(const struct affine_filter *affine_filter, const struct affine_filter_event *event,
                         struct affine_filter_cursor *out)
{
    const uint32_t hint = affine_filter->hint[event->site % AFFINE_FILTER_HINTS];
    const struct affine_filter_line *line = hint ? &affine_filter->lines[hint - 1] : NULL;
    out->serial = 0;
    if (!line || affine_filter->has_write || line->site != event->site || line->step[AXIS_ITERATION] == 0)
        return false;
    const struct affine_filter_box *box = &line->boxes[line->count - 1];
    uint64_t rest = event->base - line->base;
    for (int axis = 0; axis < 3; axis++) {
        if (box->low[axis] != event->low[axis] || box->high[axis] != event->high[axis])
            return false;
        rest -= line->known >> axis & 1 ? (uint64_t)line->step[axis] * event->low[axis] : 0;
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

bool affine_filter_move(struct affine_filter *affine_filter, struct affine_filter_cursor *cursor,
                        uint64_t base)
{
    if (cursor->serial != affine_filter->serial + 1 || affine_filter->has_write || affine_filter->spilt)
        return false;
    struct affine_filter_line *line = &affine_filter->lines[cursor->line];
    struct affine_filter_box *box = &line->boxes[cursor->box];
    const uint64_t step = (uint64_t)line->step[AXIS_ITERATION], fast_path = base - cursor->base;
    uint64_t iteration = cursor->iteration;
    if (fast_path == step)
        iteration++;
    else if (fast_path == 0 - iteration * step)
        iteration = 0;
    else if (fast_path)
        return false;
    if (cursor->box != line->count - 1 || iteration > box->high[AXIS_ITERATION] ||
        iteration < box->low[AXIS_ITERATION])
        return false;
    cursor->base = base;
    cursor->iteration = iteration;
    cursor->low += fast_path;
    cursor->high += fast_path;
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
    affine_filter->has_write = affine_filter->spilt = false;
}

void affine_filter_fini(struct affine_filter *affine_filter)
{
    for (uint32_t i = 0; i < AFFINE_FILTER_LINES; i++)
        free(affine_filter->lines[i].boxes);
    memset(affine_filter, 0, sizeof *affine_filter);
}

/* ---- footprint ------------------------------------------------------------------------------------- */

struct collection {
    uint64_t low;
    struct byte_set *bytes;
};

static enum footprint_use use_of(const struct affine_filter_line *line)
{
    return line->write ? FOOTPRINT_WRITTEN : FOOTPRINT_READ;
}

/* Neighbours along an axis whose step is their size are one run. */
static void collect_box(const struct affine_filter_line *line, const struct affine_filter_box *box,
                        struct collection *collection)
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
                    uint64_t from = base - collection->low;
                    for (int axis = 0; axis < AFFINE_FILTER_AXES; axis++)
                        from += (uint64_t)line->step[axis] * at[axis];
                    byte_set_add(collection->bytes, from, from + length);
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
    struct collection collection = {low, bytes};
    for (uint32_t i = 0; i < affine_filter->count; i++) {
        const struct affine_filter_line *line = &affine_filter->lines[i];
        for (uint32_t b = 0; use_of(line) == use && (!site || line->site == *site) && b < line->count; b++)
            collect_box(line, &line->boxes[b], &collection);
    }
}
