/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum { AXIS_TURN = 3, BOXES_MOST = HOSTILE(1 << 16, 8) };

/* ---- geometry --------------------------------------------------------------------- */

static uint64_t magnitude(int64_t step) { return step < 0 ? 0 - (uint64_t)step : (uint64_t)step; }

void journal_event_range(const struct journal_event *event, uint64_t *out_low, uint64_t *out_high)
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

/* Does each position have `window` bytes to itself? Steps sorted by width must each clear what the narrower span. */
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
        uint32_t narrow = (uint32_t)__builtin_ctz(left);
        for (uint32_t axis = 0; axis < 3; axis++)
            if (left >> axis & 1 && magnitude(step[axis]) < magnitude(step[narrow]))
                narrow = axis;
        if (magnitude(step[narrow]) < window)
            return false;
        window += magnitude(step[narrow]) * (extent[narrow] - 1);
        left &= ~(1u << narrow);
    }
    return true;
}

/* ---- does the line leave the event alone? --------------------------------------------- */

/* Steps that fit both: who has one position on an axis goes along with any step. */
static bool common_steps(const struct journal_line *line, const struct journal_event *event, int64_t out_step[3],
                         uint64_t *out_line_origin, uint64_t out_extent[3])
{
    uint64_t origin = line->base;
    for (int axis = 0; axis < 3; axis++) {
        bool line_knows = line->known >> axis & 1, event_knows = event->known >> axis & 1;
        out_step[axis] = line_knows ? line->step[axis] : event_knows ? event->step[axis] : 0;
        out_extent[axis] = event->extent[axis];
        if (line_knows && event_knows && line->step[axis] != event->step[axis])
            return false;
        if (!line_knows)
            origin -= (uint64_t)out_step[axis] * line->boxes[0].low[axis];
        if (!line_knows && !event_knows) {
            out_extent[axis] = 1;
            if (line->boxes[0].low[axis] != event->low[axis])
                return false;
        }
    }
    *out_line_origin = origin;
    return true;
}

/* Both give each work-item bytes of its own, and the same ones. */
static bool own_bytes(const struct journal_line *line, const struct journal_event *event)
{
    int64_t step[3];
    uint64_t a, b = event->base, extent[3];
    if (line->step[AXIS_TURN] < 0 || !common_steps(line, event, step, &a, extent))
        return false;
    for (int axis = 0; axis < 3; axis++)
        b -= (uint64_t)step[axis] * event->low[axis];
    uint64_t end_a = a + line->size + (uint64_t)line->step[AXIS_TURN] * (line->turns - 1), end_b = b + event->size;
    uint64_t from = (int64_t)(a - b) < 0 ? a : b, end = (int64_t)(end_a - end_b) > 0 ? end_a : end_b;
    return (int64_t)(end - from) > 0 && apart(step, 7, extent, end - from);
}

/* *out_agrees: for good. */
static bool compatible(const struct journal_line *line, const struct journal_event *event, uint64_t low, uint64_t high, bool *out_agrees)
{
    *out_agrees = false;
    if (!line->write && !event->write)
        return true;
    if (high <= line->low || line->high <= low)
        return true;
    if (line->one_group && event->one_group && line->group == event->group && line->tick < event->region_base)
        return true;
    return *out_agrees = own_bytes(line, event);
}

/* ---- boxes ------------------------------------------------------------------------------- */

static bool box_holds(const struct journal_box *outer, const struct journal_box *inner)
{
    for (int axis = 0; axis < JOURNAL_AXES; axis++)
        if (inner->low[axis] < outer->low[axis] || inner->high[axis] > outer->high[axis])
            return false;
    return outer->tick == inner->tick;
}

/* The box grows when the other continues it along one axis. */
static bool box_join(struct journal_box *box, const struct journal_box *other)
{
    int differs = -1;
    if (box->tick != other->tick)
        return false;
    for (int axis = 0; axis < JOURNAL_AXES; axis++) {
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

static bool line_add(struct journal_line *line, const struct journal_box *box)
{
    struct journal_box *last = line->count ? &line->boxes[line->count - 1] : NULL;
    if (last && (box_holds(last, box) || box_join(last, box))) {
        while (line->count > 1 && box_join(&line->boxes[line->count - 2], last)) {
            line->count--;
            last = &line->boxes[line->count - 1];
        }
        return true;
    }
    if (line->count == line->room) {
        uint32_t room = line->room ? line->room * 2 : HOSTILE(4, 1);
        struct journal_box *boxes = room <= BOXES_MOST ? realloc(line->boxes, room * sizeof *boxes) : NULL;
        if (!boxes)
            return false;
        line->boxes = boxes;
        line->room = room;
    }
    line->boxes[line->count++] = *box;
    return true;
}

/* ---- lines --------------------------------------------------------------------------------- */

static inline void box_of(const struct journal_event *event, uint64_t turn, struct journal_box *out)
{
    for (int axis = 0; axis < 3; axis++) {
        out->low[axis] = event->low[axis];
        out->high[axis] = event->high[axis];
    }
    out->low[AXIS_TURN] = turn;
    out->high[AXIS_TURN] = turn + 1;
    out->tick = event->tick;
}

/* Steps that one of the two does not know, since it has one position on that axis, may follow from both. */
static bool adopt(struct journal_line *line, const struct journal_event *event, uint64_t *out_rest)
{
    uint32_t unknown = 7 & ~(line->known & event->known);
    int64_t step[3] = {line->step[0], line->step[1], line->step[2]};
    uint64_t at = line->base;
    const struct journal_box *box = &line->boxes[line->count - 1];
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
        int64_t way = (int64_t)(event->low[open] - box->low[open]), distance = (int64_t)(event->base - at);
        if (distance % way)
            return false;
        line->step[open] = distance / way;
        line->base -= (uint64_t)line->step[open] * box->low[open];
        line->known |= 1u << open;
        *out_rest = 0;
        return true;
    }
    *out_rest = event->base - at;
    return true;
}

/* Which turn of the line the event is; false: none. */
static bool turn_of(struct journal_line *line, uint64_t rest, uint64_t *out_turn)
{
    int64_t step = line->step[AXIS_TURN];
    if (!step && !rest) {
        *out_turn = 0;
        return true;
    }
    if (!step)
        step = line->step[AXIS_TURN] = (int64_t)rest;
    if ((int64_t)rest % step || (int64_t)rest / step < 0)
        return false;
    *out_turn = (uint64_t)((int64_t)rest / step);
    return true;
}

static void widen(struct journal_line *line, const struct journal_event *event, uint64_t low, uint64_t high)
{
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
    line->one_group &= event->one_group && line->group == event->group;
    line->tick = event->tick > line->tick ? event->tick : line->tick;
}

static bool line_takes(struct journal_line *line, const struct journal_event *event, uint64_t low, uint64_t high)
{
    uint64_t rest, turn;
    uint32_t known;
    if (line->site != event->site || line->size != event->size || line->write != event->write)
        return false;
    known = line->known & event->known;
    for (int axis = 0; axis < 3; axis++)
        if (known >> axis & 1 && line->step[axis] != event->step[axis])
            return false;
    if (!adopt(line, event, &rest) || !turn_of(line, rest, &turn))
        return false;
    struct journal_box box;
    box_of(event, turn, &box);
    if (!line_add(line, &box))
        return false;
    line->turns = turn + 1 > line->turns ? turn + 1 : line->turns;
    widen(line, event, low, high);
    return true;
}

/* Field by field: as one assignment it is cleared first, in a time that loads and stores notice. */
static bool line_new(struct journal *journal, const struct journal_event *event, uint64_t low, uint64_t high)
{
    if (journal->count == JOURNAL_LINES)
        return false;
    struct journal_line *line = &journal->lines[journal->count];
    struct journal_box box;
    box_of(event, 0, &box);
    line->site = event->site;
    line->size = event->size;
    line->write = event->write;
    line->known = event->known;
    line->base = event->base;
    line->step[AXIS_TURN] = 0;
    line->turns = 1;
    line->low = low;
    line->high = high;
    line->group = event->group;
    line->tick = event->tick;
    line->one_group = event->one_group;
    line->agrees = 0;
    line->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        line->step[axis] = event->known >> axis & 1 ? event->step[axis] : 0;
        line->base -= (uint64_t)line->step[axis] * event->low[axis];
    }
    if (!line_add(line, &box))
        return false;
    journal->hint[event->site % JOURNAL_HINTS] = (uint8_t)++journal->count;
    journal->has_write |= event->write;
    journal->writes |= (uint32_t)event->write << (journal->count - 1);
    return true;
}

/* A line of several events whose addresses this one continues, at a turn that it has. */
static struct journal_line *continued(struct journal *journal, const struct journal_event *event, uint64_t *out_turn)
{
    const uint32_t hint = journal->hint[event->site % JOURNAL_HINTS];
    struct journal_line *line = hint ? &journal->lines[hint - 1] : NULL;
    if (!line || line->site != event->site || line->size != event->size || line->write != event->write || line->known != event->known)
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
    const uint64_t step = (uint64_t)line->step[AXIS_TURN];
    *out_turn = rest && step ? (uint64_t)((int64_t)rest / (int64_t)step) : 0;
    return same && *out_turn * step == rest && *out_turn < line->turns ? line : NULL;
}

/* Nothing needs to be looked at again. */
static bool take_continued(struct journal *journal, const struct journal_event *event, uint64_t low, uint64_t high)
{
    uint64_t turn;
    struct journal_box box;
    struct journal_line *line = continued(journal, event, &turn);
    if (!line)
        return false;
    for (uint32_t i = 0; (event->write || journal->has_write) && i < journal->count; i++)
        if ((event->write || journal->lines[i].write) && !(line->agrees >> i & 1))
            return false;
    box_of(event, turn, &box);
    if (!line_add(line, &box))
        return false;
    widen(line, event, low, high);
    return true;
}

/* What was found of the event holds for the line it went to, unless that has more turns. */
static void note_agreement(struct journal *journal, uint32_t at, uint32_t agrees)
{
    struct journal_line *line = &journal->lines[at];
    if (line->turns > 1)
        return;
    line->agrees |= agrees;
    for (uint32_t i = 0; i < journal->count; i++)
        if (agrees >> i & 1)
            journal->lines[i].agrees |= 1u << at;
}

static void forget_agreement(struct journal *journal, uint32_t at)
{
    journal->lines[at].agrees = 0;
    for (uint32_t i = 0; i < journal->count; i++)
        journal->lines[i].agrees &= ~(1u << at);
}

bool journal_take(struct journal *journal, const struct journal_event *event)
{
    uint64_t low, high;
    uint32_t agrees = 0;
    if (journal->spilt)
        return false;
    journal_event_range(event, &low, &high);
    if (take_continued(journal, event, low, high))
        return true;
    if (event->write) {
        uint64_t extent[3];
        for (int axis = 0; axis < 3; axis++)
            extent[axis] = event->high[axis] - event->low[axis];
        if (!apart(event->step, event->known, extent, event->size))
            return false;
    }
    for (uint32_t i = 0; (event->write || journal->has_write) && i < journal->count; i++) {
        bool agreed;
        if (!compatible(&journal->lines[i], event, low, high, &agreed))
            return false;
        agrees |= (uint32_t)agreed << i;
    }
    for (uint32_t i = 0; i < journal->count; i++) {
        struct journal_line *line = &journal->lines[i];
        const uint64_t base = line->base, turns = line->turns;
        const int64_t step = line->step[AXIS_TURN];
        const uint32_t known = line->known;
        if (!line_takes(line, event, low, high))
            continue;
        if (line->base != base || line->turns != turns || line->known != known || line->step[AXIS_TURN] != step)
            forget_agreement(journal, i);
        else if (known == event->known)
            note_agreement(journal, i, agrees);
        journal->hint[event->site % JOURNAL_HINTS] = (uint8_t)(i + 1);
        return true;
    }
    return line_new(journal, event, low, high);
}

/* The line, if that is all of it: one box of one turn, which the row makes longer. */
static struct journal_line *goes_on(struct journal *journal, const struct journal_row *row)
{
    const uint32_t hint = journal->hint[row->site % JOURNAL_HINTS];
    struct journal_line *line = hint ? &journal->lines[hint - 1] : NULL;
    if (!line || line->site != row->site || line->size != row->size || line->write != row->write || line->known != 1 || line->count != 1 ||
        line->step[0] != row->step || line->step[AXIS_TURN] || row->base != line->base + (uint64_t)row->step * row->low[0])
        return NULL;
    const struct journal_box *box = &line->boxes[0];
    const bool next = box->high[0] == row->low[0] && box->low[1] == row->low[1] && box->low[2] == row->low[2] && box->tick == row->tick;
    return next ? line : NULL;
}

bool journal_continue(struct journal *journal, const struct journal_row *row)
{
    struct journal_line *line = goes_on(journal, row);
    const uint32_t others = row->write ? (uint32_t)((UINT64_C(1) << journal->count) - 1) : journal->writes;
    if (!line || others & ~line->agrees)
        return false;
    const uint64_t last = row->base + (uint64_t)row->step * (row->lanes - 1);
    const uint64_t low = row->step < 0 ? last : row->base, high = (row->step < 0 ? row->base : last) + row->size;
    line->boxes[0].high[0] += row->lanes;
    line->low = low < line->low ? low : line->low;
    line->high = high > line->high ? high : line->high;
    line->one_group &= row->one_group && line->group == row->group;
    return true;
}

/* ---- on and on ------------------------------------------------------------------------------------ */

bool journal_stand(const struct journal *journal, const struct journal_event *event, struct journal_cursor *out)
{
    const uint32_t hint = journal->hint[event->site % JOURNAL_HINTS];
    const struct journal_line *line = hint ? &journal->lines[hint - 1] : NULL;
    out->serial = 0;
    if (!line || journal->has_write || line->site != event->site || line->step[AXIS_TURN] == 0)
        return false;
    const struct journal_box *box = &line->boxes[line->count - 1];
    uint64_t rest = event->base - line->base;
    for (int axis = 0; axis < 3; axis++) {
        if (box->low[axis] != event->low[axis] || box->high[axis] != event->high[axis])
            return false;
        rest -= line->known >> axis & 1 ? (uint64_t)line->step[axis] * event->low[axis] : 0;
    }
    if (box->tick != event->tick || (int64_t)rest % line->step[AXIS_TURN])
        return false;
    *out = (struct journal_cursor){.serial = journal->serial + 1, .line = hint - 1, .box = line->count - 1, .base = event->base,
                                   .turn = (uint64_t)((int64_t)rest / line->step[AXIS_TURN])};
    journal_event_range(event, &out->low, &out->high);
    return true;
}

bool journal_move(struct journal *journal, struct journal_cursor *cursor, uint64_t base)
{
    if (cursor->serial != journal->serial + 1 || journal->has_write || journal->spilt)
        return false;
    struct journal_line *line = &journal->lines[cursor->line];
    struct journal_box *box = &line->boxes[cursor->box];
    const uint64_t step = (uint64_t)line->step[AXIS_TURN], way = base - cursor->base;
    uint64_t turn = cursor->turn;
    if (way == step)
        turn++;
    else if (way == 0 - turn * step)
        turn = 0;
    else if (way)
        return false;
    if (cursor->box != line->count - 1 || turn > box->high[AXIS_TURN] || turn < box->low[AXIS_TURN])
        return false;
    cursor->base = base;
    cursor->turn = turn;
    cursor->low += way;
    cursor->high += way;
    if (turn < box->high[AXIS_TURN])
        return true;
    box->high[AXIS_TURN]++;
    line->turns = turn + 1 > line->turns ? turn + 1 : line->turns;
    line->low = cursor->low < line->low ? cursor->low : line->low;
    line->high = cursor->high > line->high ? cursor->high : line->high;
    return true;
}

/* ---- replay ------------------------------------------------------------------------------------- */

static void replay_turn(const struct journal_line *line, const struct journal_box *box, uint64_t turn, past_visitor *visit, void *self)
{
    struct past_access access = {.tick = box->tick, .site = line->site, .size = line->size, .kind = line->write ? ACCESS_WRITE : ACCESS_READ, .by_position = true};
    uint64_t *at = access.position;
    for (at[2] = box->low[2]; at[2] < box->high[2]; at[2]++)
        for (at[1] = box->low[1]; at[1] < box->high[1]; at[1]++)
            for (at[0] = box->low[0]; at[0] < box->high[0]; at[0]++) {
                access.address = line->base + (uint64_t)line->step[AXIS_TURN] * turn;
                for (int axis = 0; axis < 3; axis++)
                    access.address += (uint64_t)line->step[axis] * at[axis];
                visit(self, &access);
            }
}

void journal_replay_box(const struct journal_line *line, const struct journal_box *box, past_visitor *visit, void *self)
{
    for (uint64_t turn = box->low[AXIS_TURN]; turn < box->high[AXIS_TURN]; turn++)
        replay_turn(line, box, turn, visit, self);
}

void journal_replay(const struct journal *journal, past_visitor *visit, void *self)
{
    for (uint32_t i = 0; i < journal->count; i++)
        for (uint32_t b = 0; b < journal->lines[i].count; b++)
            journal_replay_box(&journal->lines[i], &journal->lines[i].boxes[b], visit, self);
}

uint32_t journal_grain(const struct journal *journal, uint64_t low)
{
    uint64_t bits = 4;
    for (uint32_t i = 0; i < journal->count; i++) {
        const struct journal_line *line = &journal->lines[i];
        bits |= (line->base - low) | line->size;
        for (int axis = 0; axis < JOURNAL_AXES; axis++)
            bits |= (uint64_t)line->step[axis];
    }
    return (uint32_t)(bits & (0 - bits));
}

void journal_forget(struct journal *journal)
{
    for (uint32_t i = 0; i < journal->count; i++)
        journal->lines[i].count = 0;
    journal->count = 0;
    journal->serial++;
    memset(journal->hint, 0, sizeof journal->hint);
    journal->writes = 0;
    journal->has_write = journal->spilt = false;
}

void journal_fini(struct journal *journal)
{
    for (uint32_t i = 0; i < JOURNAL_LINES; i++)
        free(journal->lines[i].boxes);
    memset(journal, 0, sizeof *journal);
}

/* ---- footprint ------------------------------------------------------------------------------------- */

struct collection { uint64_t low; struct byte_set *bytes; };

static enum footprint_use use_of(const struct journal_line *line) { return line->write ? FOOTPRINT_WRITTEN : FOOTPRINT_READ; }

/* Neighbours along an axis whose step is their size are one run. */
static void collect_box(const struct journal_line *line, const struct journal_box *box, struct collection *collection)
{
    struct journal_box rest = *box;
    uint64_t length = line->size, base = line->base;
    for (bool grew = true; grew;) {
        grew = false;
        for (int axis = 0; axis < JOURNAL_AXES; axis++) {
            uint64_t count = rest.high[axis] - rest.low[axis];
            if (count > 1 && (line->step[axis] == 0 || (line->step[axis] > 0 && (uint64_t)line->step[axis] <= length))) {
                length += (uint64_t)line->step[axis] * (count - 1);
                rest.high[axis] = rest.low[axis] + 1;
                grew = true;
            }
        }
    }
    uint64_t at[JOURNAL_AXES];
    for (at[3] = rest.low[3]; at[3] < rest.high[3]; at[3]++)
        for (at[2] = rest.low[2]; at[2] < rest.high[2]; at[2]++)
            for (at[1] = rest.low[1]; at[1] < rest.high[1]; at[1]++)
                for (at[0] = rest.low[0]; at[0] < rest.high[0]; at[0]++) {
                    uint64_t from = base - collection->low;
                    for (int axis = 0; axis < JOURNAL_AXES; axis++)
                        from += (uint64_t)line->step[axis] * at[axis];
                    byte_set_add(collection->bytes, from, from + length);
                }
}

void journal_sites(const struct journal *journal, struct footprint_sites sites[FOOTPRINT_USES])
{
    for (uint32_t i = 0; i < journal->count; i++)
        footprint_sites_add(&sites[use_of(&journal->lines[i])], journal->lines[i].site);
}

void journal_collect(const struct journal *journal, uint64_t low, enum footprint_use use, const uint32_t *site, struct byte_set *bytes)
{
    journal_lines_collect(journal->lines, journal->count, low, use, site, bytes);
}

void journal_lines_collect(const struct journal_line *lines, uint32_t count, uint64_t low, enum footprint_use use, const uint32_t *site, struct byte_set *bytes)
{
    struct collection collection = {low, bytes};
    for (uint32_t i = 0; i < count; i++) {
        const struct journal_line *line = &lines[i];
        for (uint32_t b = 0; use_of(line) == use && (!site || line->site == *site) && b < line->count; b++)
            collect_box(line, &line->boxes[b], &collection);
    }
}
