/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Would an access race? The cells of the bytes list the earlier accesses. Then the access is made, as a read
 * and as a write, through order and shadow like any other, and each race that would be reported is noted
 * instead. An earlier access that raced with neither happens before, by the edges that edges.h finds among
 * the launch's operations.
 */
#include "checker_inquiry.h"

#include <stdlib.h>
#include <string.h>

#include "sim/memmodel/explain/explain_state.h"
#include "sim/base/memory_words.h"

enum { PAST_MOST = 64, WORK_OF_EDGES = 1 << 20 };

struct past {
    uint64_t unit;
    struct access_context how;
    bool races[2];
    struct answer *answer; /* of the first race; NULL: none */
};

struct inquiry_access {
    struct checker *checker;
    struct shadow_region *region;
    bool writes; /* the access that is tried */
    struct past items[PAST_MOST];
    uint32_t count;
};

/* ---- the input of edges.h --------------------------------------------------------------------- */

struct edges_world inquiry_world(const struct checker *checker, int region)
{
    return (struct edges_world){checker->races.launch,   checker->order.rule,     region,
                                checker->sync_log.items, checker->sync_log.count, WORK_OF_EDGES};
}

void inquiry_end(const struct checker *checker, struct edge_end at, struct wording *text,
                 struct inquiry_end *out_end)
{
    const struct sync_op *operation = &checker->sync_log.items[at.at];
    const struct checker_host *host = &checker->host;
    *text = (struct wording){.used = 0};
    if (is_atomic(operation))
        wording_add(text, "%s", host->what(host->self, operation->site));
    else
        wording_add(text, "%s", explain_noun(operation));
    if (!is_barrier(operation))
        wording_add(text, ", %s", memory_order_word((enum memory_ordering)operation->order));
    race_item(&checker->races, at.unit, &out_end->item);
    host->place(host->self, operation->site, &out_end->place);
    out_end->what = text->bytes;
}

void inquiry_edge(const struct checker *checker, const struct edge *edge, struct inquiry_edge_text *text,
                  struct inquiry_edge *out_edge)
{
    inquiry_end(checker, edge->from, &text->from, &out_edge->from);
    inquiry_end(checker, edge->to, &text->to, &out_edge->to);
    out_edge->barrier = edge->from.at == edge->to.at;
}

/* ---- the earlier accesses -------------------------------------------------------------------- */

static bool same_past(const struct past *past, uint64_t unit, const struct access_context *how)
{
    return past->unit == unit && past->how.clock == how->clock && past->how.site == how->site &&
           past->how.kind == how->kind && past->how.size == how->size;
}

/* NULL: out of memory. */
static struct past *past_find(struct inquiry_access *asking, uint64_t unit, const struct access_context *how)
{
    for (uint32_t i = 0; i < asking->count; i++)
        if (same_past(&asking->items[i], unit, how))
            return &asking->items[i];
    if (asking->count == PAST_MOST)
        return NULL;
    asking->items[asking->count] = (struct past){.unit = unit, .how = *how};
    return &asking->items[asking->count++];
}

static void take_past(void *self, uint64_t unit, const struct access_context *how)
{
    past_find(self, unit, how);
}

/* In place of a report. */
static void take_race(void *self, const struct race *race, const struct shadow_access *now)
{
    struct inquiry_access *asking = self;
    struct checker *checker = asking->checker;
    struct shadow_access complete = *now;
    struct unit_state unit_state;
    struct past *past = past_find(asking, race->unit, race->context);
    if (!past)
        return;
    past->races[asking->writes] = true;
    if (past->answer || !(past->answer = calloc(1, sizeof *past->answer)))
        return;
    order_unit_state(&checker->order, now->unit_state->unit, &unit_state);
    order_deliver(&checker->order, &unit_state);
    complete.unit_state = &unit_state;
    if (!races_explain(&checker->races, race, &complete, past->answer)) {
        free(past->answer);
        past->answer = NULL;
    }
}

static void try_access(struct inquiry_access *asking, const struct race_inquiry *inquiry, bool writes)
{
    struct checker *checker = asking->checker;
    uint64_t mask[LANE_MASK_WORDS] = {0};
    mask[inquiry->lane / 64] = UINT64_C(1) << inquiry->lane % 64;
    const struct access_event event = {.origin = *inquiry->origin,
                                       .kind = writes ? ACCESS_WRITE : ACCESS_READ,
                                       .size_bytes = inquiry->size_bytes,
                                       .lane_count = inquiry->lane_count,
                                       .mask = mask,
                                       .shape = ADDRESS_UNIFORM,
                                       .base = inquiry->address};
    asking->writes = writes;
    checker->order.event = ++checker->time;
    checker_enter_wave(checker, &event.origin, event.lane_count);
    checker_access_lanes(checker, &event, mask);
}

/* ---- the result ------------------------------------------------------------------------------- */

/* The first operation after the segment that began at that clock value. */
static uint32_t operation_after(const struct sync_log *sync_log, uint64_t clock)
{
    uint32_t at = clock <= 1 ? 0 : sync_log->count;
    while (at > 0 && !(sync_log->items[at - 1].clock && sync_log->items[at - 1].clock <= clock))
        at--;
    return at;
}

static struct edge *edges_from(const struct inquiry_access *asking, const struct past *past, uint64_t self,
                               uint32_t *out_count)
{
    const struct sync_log *sync_log = &asking->checker->sync_log;
    struct edges_world world = inquiry_world(asking->checker, asking->region->space);
    *out_count = 0;
    if (sync_log->full || past->unit >= UNIT_COPIES || past->unit == self)
        return NULL;
    return edges_path(&world, (struct edge_end){past->unit, operation_after(sync_log, past->how.clock)}, self,
                      out_count);
}

static void announce_past(const struct inquiry_access *asking, const struct past *past, uint64_t self,
                          const struct inquiry_sink *sink)
{
    const struct checker *checker = asking->checker;
    struct wording what = {.used = 0}, by = {.used = 0};
    struct inquiry_past answer = {.own = past->unit == self, .races = {past->races[0], past->races[1]}};
    const bool races = past->races[0] || past->races[1];
    uint32_t count = 0;
    struct edge *edges = races ? NULL : edges_from(asking, past, self, &count);
    struct inquiry_edge *reported_edges = calloc(count + 1, sizeof *reported_edges);
    struct inquiry_edge_text *texts = calloc(count + 1, sizeof *texts);
    for (uint32_t i = 0; reported_edges && texts && i < count; i++)
        inquiry_edge(checker, &edges[i], &texts[i], &reported_edges[i]);
    races_access(&checker->races, past->unit, &past->how, &answer.access, &what, &by);
    answer.why = past->answer ? past->answer->proposal.why.bytes : NULL;
    answer.fix = past->answer ? past->answer->proposal.fix.bytes : NULL;
    answer.edges = reported_edges;
    answer.edge_count = reported_edges && texts ? count : 0;
    sink->past(sink->self, &answer);
    free(edges);
    free(reported_edges);
    free(texts);
}

static bool has_failed(const struct checker *checker)
{
    const bool checks_races = checker->races_wanted && checker->races.launch;
    return !checks_races || checker->reported_failure || order_lacks_memory(&checker->order) ||
           checker->shadow.failed;
}

enum inquiry_answer checker_why(struct checker *checker, const struct race_inquiry *inquiry,
                                const struct inquiry_sink *sink)
{
    static struct race_counter *const uncounted[COUNTERS];
    if (has_failed(checker))
        return INQUIRY_UNCHECKED;
    struct inquiry_access asking = {.checker = checker};
    const uint64_t self = checker_unit_of(checker, inquiry->origin, inquiry->lane);
    const struct region *region = memory_region(checker->memory, inquiry->address);
    asking.region = checker_shadow_at(checker, region, inquiry->address);
    if (!asking.region)
        return INQUIRY_UNWATCHED;
    if (asking.region->space == IN_LOCAL)
        checker_renew_local(checker, asking.region, order_unit_group(&checker->order, self));
    const bool read_only = asking.region->reads.open;
    checker_enter_wave(checker, inquiry->origin, inquiry->lane_count);
    checker_replay(checker, asking.region);
    shadow_list(asking.region, inquiry->address, inquiry->size_bytes, &asking, take_past);
    shadow_unsaturate(asking.region);
    checker->shadow.self = &asking;
    checker->shadow.race = take_race;
    checker->shadow.counters = uncounted;
    checker->alone.wave_items = 0;
    try_access(&asking, inquiry, false);
    try_access(&asking, inquiry, true);
    for (uint32_t i = 0; i < asking.count; i++)
        announce_past(&asking, &asking.items[i], self, sink);
    for (uint32_t i = 0; i < asking.count; i++)
        free(asking.items[i].answer);
    return read_only ? INQUIRY_READ_ONLY : INQUIRY_ANSWERED;
}
