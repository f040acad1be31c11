/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of other units happens before now. The order is queried for each segment of each work-item that
 * synchronised, or whose work-group did, from the latest on. The first segment that happens before ends at an
 * operation, and all that the work-item did before that operation happens before. Consecutive work-items with
 * the same result are one row.
 */
#include <stdlib.h>
#include <string.h>

#include "checker_inquiry.h"
#include "sim/memmodel/explain/explain_state.h"

enum { NOTHING = UINT32_MAX, UNITS_MOST = 1 << 14, WORK_OF_CLOCKS = 1 << 24 };

/* Of one unit: all before this operation of the log happens before; and the last edge of the order that shows
 * it. */
struct horizon {
    uint32_t until;
    bool has_edge;
    struct edge edge;
};

struct clocks {
    struct checker *checker;
    const struct inquiry_sink *sink;
    struct unit_state self;
    uint64_t work; /* steps that may still be taken to find edges */
    /* the row that grows: units [first, last], by region */
    uint64_t first, last;
    struct horizon now[ORDER_REGIONS];
    bool open;
};

static bool passes(const struct checker *checker, const struct sync_op *operation, uint64_t unit)
{
    const struct place place = edges_unit_place(checker->races.launch, unit);
    if (is_atomic(operation) || is_fence(operation))
        return operation->by == unit;
    if (operation->kind == SYNC_OP_SUB_GROUP_BARRIER)
        return operation->by == place.group && operation->number == place.sub_group;
    return (is_barrier(operation) || operation->kind == SYNC_OP_PARTIAL_BARRIER) &&
           operation->by == place.group;
}

static bool is_known(const struct clocks *clocks, int region, uint64_t unit, uint64_t clock)
{
    return order_happens_before(&clocks->checker->order, &clocks->self, region, unit, clock);
}

/* From the unit's latest operation back to the first whose segment happens before. */
static uint32_t known_until(const struct clocks *clocks, int region, uint64_t unit)
{
    const struct sync_log *sync_log = &clocks->checker->sync_log;
    uint32_t next = NOTHING;
    for (uint32_t at = sync_log->count; at-- > 0;) {
        if (!passes(clocks->checker, &sync_log->items[at], unit))
            continue;
        if (next != NOTHING && is_known(clocks, region, unit, sync_log->items[at].clock))
            return next;
        next = at;
    }
    return next != NOTHING && is_known(clocks, region, unit, 1) ? next : NOTHING;
}

static struct horizon horizon_of(struct clocks *clocks, int region, uint64_t unit)
{
    struct horizon horizon = {.until = known_until(clocks, region, unit)};
    struct edges_world world = inquiry_world(clocks->checker, region);
    uint32_t count = 0;
    if (horizon.until == NOTHING || !clocks->work)
        return horizon;
    if (world.work > clocks->work)
        world.work = clocks->work;
    const uint64_t before = world.work;
    struct edge *path = edges_path(&world, (struct edge_end){unit, horizon.until}, clocks->self.unit, &count);
    clocks->work -= before - world.work;
    horizon.has_edge = count > 0;
    if (count)
        horizon.edge = path[count - 1];
    free(path);
    return horizon;
}

/* An edge that begins and ends at one entry of the log is of a barrier, which releases every unit. */
static bool same_edge(const struct edge *a, const struct edge *b)
{
    const bool of_barrier = a->from.at == a->to.at;
    return a->to.at == b->to.at && a->from.at == b->from.at && (of_barrier || a->from.unit == b->from.unit);
}

static bool same_horizon(const struct horizon *a, const struct horizon *b)
{
    if (a->until != b->until || a->has_edge != b->has_edge)
        return false;
    return !a->has_edge || same_edge(&a->edge, &b->edge);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void announce_row(const struct clocks *clocks, int region, uint32_t regions)
{
    const struct checker *checker = clocks->checker;
    const struct horizon *horizon = &clocks->now[region];
    struct inquiry_row row = {
        .count = clocks->last - clocks->first + 1, .regions = regions, .has_edge = horizon->has_edge};
    struct inquiry_edge_text texts;
    struct wording until;
    race_item(&checker->races, clocks->first, &row.first);
    race_item(&checker->races, clocks->last, &row.last);
    inquiry_end(checker, (struct edge_end){clocks->first, horizon->until}, &until, &row.until);
    if (horizon->has_edge)
        inquiry_edge(checker, &horizon->edge, &texts, &row.edge);
    clocks->sink->row(clocks->sink->self, &row);
}

/* Global and local memory are one row if they have the same result. */
static void close_row(struct clocks *clocks)
{
    const struct horizon *global = &clocks->now[IN_GLOBAL], *local = &clocks->now[IN_LOCAL];
    if (!clocks->open)
        return;
    clocks->open = false;
    const bool both = global->until != NOTHING && same_horizon(global, local);
    if (global->until != NOTHING)
        announce_row(clocks, IN_GLOBAL, both ? REGION_GLOBAL | REGION_LOCAL : REGION_GLOBAL);
    if (local->until != NOTHING && !both)
        announce_row(clocks, IN_LOCAL, REGION_LOCAL);
}

static void add_unit(struct clocks *clocks, uint64_t unit)
{
    struct horizon now[ORDER_REGIONS] = {{.until = NOTHING}, {.until = NOTHING}, {.until = NOTHING}};
    for (int region = IN_GLOBAL; region <= IN_LOCAL && unit != clocks->self.unit; region++)
        now[region] = horizon_of(clocks, region, unit);
    const bool same = clocks->open && clocks->last + 1 == unit && same_horizon(&now[0], &clocks->now[0]) &&
                      same_horizon(&now[1], &clocks->now[1]);
    if (!same) {
        close_row(clocks);
        clocks->first = unit;
        clocks->open = true;
        memcpy(clocks->now, now, sizeof now);
    }
    clocks->last = unit;
}

/* ---- whose ---------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t group_of(const struct checker *checker, const struct sync_op *operation)
{
    return is_atomic(operation) || is_fence(operation) || operation->kind == SYNC_OP_OVERWRITE
               ? order_unit_group(&checker->order, operation->by)
               : operation->by;
}

/* The work-groups of the log, each once, in ascending order. */
static uint64_t *groups_of(const struct checker *checker, uint32_t *out_count)
{
    const struct sync_log *sync_log = &checker->sync_log;
    uint64_t *groups = calloc(sync_log->count + 1, sizeof *groups);
    uint32_t count = 0;
    for (uint32_t at = 0; groups && at < sync_log->count; at++)
        if (sync_log->items[at].kind != SYNC_OP_FOREIGN_WRITE)
            groups[count++] = group_of(checker, &sync_log->items[at]);
    if (groups)
        qsort(groups, count, sizeof *groups, by_number);
    *out_count = 0;
    for (uint32_t i = 0; groups && i < count; i++)
        if (!*out_count || groups[*out_count - 1] != groups[i])
            groups[(*out_count)++] = groups[i];
    return groups;
}

enum inquiry_answer checker_clocks(struct checker *checker, const struct race_inquiry *inquiry,
                                   const struct inquiry_sink *sink)
{
    struct clocks clocks = {.checker = checker, .sink = sink, .work = WORK_OF_CLOCKS};
    uint32_t count;
    uint64_t left = UNITS_MOST;
    if (!checker->races_wanted || !checker->races.launch || order_lacks_memory(&checker->order))
        return INQUIRY_UNCHECKED;
    if (checker->sync_log.full)
        return INQUIRY_UNKNOWN;
    order_unit_state(&checker->order, checker_unit_of(checker, inquiry->origin, inquiry->lane), &clocks.self);
    order_deliver(&checker->order, &clocks.self);
    uint64_t *groups = groups_of(checker, &count);
    for (uint32_t i = 0; groups && i < count; i++) {
        const uint64_t first = groups[i] * checker->order.group_items;
        for (uint64_t k = 0; k < order_group_size(&checker->order, groups[i]) && left; k++, left--)
            add_unit(&clocks, first + k);
    }
    close_row(&clocks);
    free(groups);
    return left ? INQUIRY_ANSWERED : INQUIRY_UNKNOWN;
}
