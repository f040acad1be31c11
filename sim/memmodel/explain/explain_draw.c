/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of a race: operations near the two accesses as steps, and edges between them. If edits order
 * the accesses, the edges are those of the path through the edited log; those that the log itself has not
 * are drawn as missing. Then come the next operations after the first access, the last ones before the
 * second, and the nearest edges of each.
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "edges.h"
#include "explain_state.h"
#include "sim/base/memory_words.h"

static bool is_step_of(const struct question *question, const struct sync_op *sync_op, uint64_t unit)
{
    if (is_atomic(sync_op) || is_fence(sync_op))
        return sync_op->by == unit;
    return is_barrier(sync_op) && unit < UNIT_COPIES && sync_op->by == unit_group(question, unit);
}

struct drawing {
    struct edit_search *search;
    struct answer *answer;
    struct edges_world world;           /* the log without edits */
    struct edge_end ends[ANSWER_STEPS]; /* by step: its operation */
    uint32_t sides[ANSWER_STEPS], count;
    uint64_t others[ANSWER_STEPS]; /* units besides the two that race: sides 2 and up */
    uint32_t other_count;
};

static uint32_t side_of(struct drawing *drawing, uint64_t unit)
{
    const struct race_instance *instance = drawing->search->question->instances;
    uint32_t other = 0;
    if (unit == instance->first.unit || unit == instance->second.unit)
        return unit != instance->first.unit;
    while (other < drawing->other_count && drawing->others[other] != unit)
        other++;
    CHECKED(other < sizeof drawing->others / sizeof *drawing->others);
    if (other == drawing->other_count)
        drawing->others[drawing->other_count++] = unit;
    return 2 + other;
}

/* The operation's step, a new one if it has none; ANSWER_STEPS: there are too many. */
static uint32_t draw_step(struct drawing *drawing, struct edge_end end)
{
    uint32_t at = 0;
    while (at < drawing->count && !(drawing->ends[at].unit == end.unit && drawing->ends[at].at == end.at))
        at++;
    if (at == drawing->count && at < ANSWER_STEPS) {
        drawing->ends[drawing->count] = end;
        drawing->sides[drawing->count++] = side_of(drawing, end.unit);
    }
    return at;
}

static bool has_edge(const struct drawing *drawing, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < drawing->answer->edge_count; i++) {
        const struct finding_edge *edge = &drawing->answer->edges[i];
        if (edge->from == from && edge->to == to)
            return true;
    }
    return false;
}

static void draw_edge(struct drawing *drawing, const struct edge *edge, bool synchronises)
{
    struct answer *answer = drawing->answer;
    const bool room = drawing->count + 2 <= ANSWER_STEPS && answer->edge_count < ANSWER_EDGES;
    const uint32_t from = room ? draw_step(drawing, edge->from) : ANSWER_STEPS,
                   to = room ? draw_step(drawing, edge->to) : ANSWER_STEPS;
    CHECKED(!room || (from < drawing->count && to < drawing->count));
    if (room && !has_edge(drawing, from, to))
        answer->edges[answer->edge_count++] = (struct finding_edge){from, to, synchronises};
}

/* The edges of the path through the edited log. Of a long path all edges that are missing in the log, and
 * two at each end. */
static void draw_edited(struct drawing *drawing, const struct found_edits *found)
{
    enum { ENDS = 2, MOST = 2 * ENDS + 2 };
    uint32_t count;
    struct edge *path = edit_search_path(drawing->search, found, &count);
    for (uint32_t i = 0, drawn = 0; i < count && drawn < MOST; i++) {
        const bool synchronises = edges_synchronise(&drawing->world, &path[i]);
        if (synchronises && i >= ENDS && i + ENDS < count)
            continue;
        draw_edge(drawing, &path[i], synchronises);
        drawn++;
    }
    free(path);
}

/* The next operations of the first unit after its access, or the last ones of the second before its own. */
static void draw_own_steps(struct drawing *drawing, const struct racing_access *access, bool first)
{
    enum { OWN = 4 };
    const struct question *question = drawing->search->question;
    const uint32_t low = first ? question->instances->first_at : 0, end = question->instances->end;
    uint32_t found = 0;
    for (uint32_t i = low; i < end && found < OWN; i++) {
        const uint32_t at = first ? i : end - 1 - i;
        const struct sync_op *sync_op = &question->sync_log->items[at];
        if (is_step_of(question, sync_op, access->unit) && sync_op->site != access->site)
            found += draw_step(drawing, (struct edge_end){access->unit, at}) < ANSWER_STEPS;
    }
}

static bool is_end(const struct drawing *drawing, uint32_t step)
{
    for (uint32_t i = 0; i < drawing->answer->edge_count; i++) {
        if (drawing->answer->edges[i].from == step || drawing->answer->edges[i].to == step)
            return true;
    }
    return false;
}

/* For steps without an edge: from which unit the second one acquired, and which unit acquired from the
 * first. The reader sees how far the chain of edges reaches on both sides. */
static void draw_nearest_edges(struct drawing *drawing)
{
    const uint32_t own = drawing->count;
    for (uint32_t i = 0; i < own; i++) {
        struct edge edge = {drawing->ends[i], drawing->ends[i]};
        if (is_end(drawing, i))
            continue;
        if (drawing->sides[i] == 1 && edges_into(&drawing->world, edge.to, &edge.from))
            draw_edge(drawing, &edge, true);
        else if (drawing->sides[i] == 0 && edges_out_of(&drawing->world, edge.from, &edge.to))
            draw_edge(drawing, &edge, true);
    }
}

/* A store and a later load of one atomic object. */
static bool is_store_then_load(const struct sync_op *from, const struct sync_op *to)
{
    const bool stores = is_atomic(from) && from->writes, loads = is_atomic(to) && to->reads;
    return stores && loads && from->address == to->address && from < to;
}

/* Without edits: the last store of the first unit whose object the second unit loads afterwards. */
static void draw_common_object(struct drawing *drawing)
{
    const struct sync_op *items = drawing->world.items;
    for (uint32_t from = drawing->count; from-- > 0;) {
        for (uint32_t to = 0; drawing->sides[from] == 0 && to < drawing->count; to++) {
            const struct edge edge = {drawing->ends[from], drawing->ends[to]};
            if (drawing->sides[to] != 1 || !is_store_then_load(&items[edge.from.at], &items[edge.to.at]))
                continue;
            draw_edge(drawing, &edge, edges_synchronise(&drawing->world, &edge));
            return;
        }
    }
}

static bool is_before(const struct drawing *drawing, uint32_t a, uint32_t b)
{
    return drawing->sides[a] != drawing->sides[b] ? drawing->sides[a] < drawing->sides[b]
                                                  : drawing->ends[a].at < drawing->ends[b].at;
}

static void write_step(const struct drawing *drawing, uint32_t from, uint32_t to)
{
    const struct question *question = drawing->search->question;
    const struct sync_op *sync_op = &question->sync_log->items[drawing->ends[from].at];
    struct finding_step *step = &drawing->answer->steps[to];
    struct wording *text = &drawing->answer->step_text[to];
    const uint32_t side = drawing->sides[from];
    *step = (struct finding_step){
        .side = side,
        .before = side == 1 || (side == 0 && drawing->ends[from].at < question->instances->first_at)};
    drawing->answer->step_unit[to] = drawing->ends[from].unit;
    *text = (struct wording){.used = 0};
    question->host->place(question->host->self, sync_op->site, &step->place);
    if (is_barrier(sync_op)) {
        wording_add(text, "%s, %s", explain_noun(sync_op), REGIONS(sync_op->regions));
    } else {
        wording_add(text, "%s, %s, %s",
                    is_atomic(sync_op) ? question->host->what(question->host->self, sync_op->site) : "fence",
                    memory_order_word((enum memory_ordering)sync_op->order),
                    memory_scope_word((enum memory_scope)sync_op->scope));
    }
    step->text = text->bytes;
}

/* Steps are written unit by unit, each unit's in program order. */
static void write_steps(struct drawing *drawing)
{
    struct answer *answer = drawing->answer;
    uint32_t place[ANSWER_STEPS];
    for (uint32_t i = 0; i < drawing->count; i++) {
        place[i] = 0;
        for (uint32_t j = 0; j < drawing->count; j++)
            place[i] += j != i && is_before(drawing, j, i);
        write_step(drawing, i, place[i]);
    }
    answer->step_count = drawing->count;
    for (uint32_t i = 0; i < answer->edge_count; i++) {
        answer->edges[i].from = place[answer->edges[i].from];
        answer->edges[i].to = place[answer->edges[i].to];
    }
}

void explain_draw(struct edit_search *search, const struct found_edits *found, struct answer *answer)
{
    const struct question *question = search->question;
    struct drawing drawing = {.search = search,
                              .answer = answer,
                              .world = {question->launch, question->rule, question->region,
                                        question->sync_log->items, question->instances->end, WORK_MOST}};
    if (found->count)
        draw_edited(&drawing, found);
    draw_own_steps(&drawing, &question->instances->first, true);
    draw_own_steps(&drawing, &question->instances->second, false);
    if (!answer->edge_count)
        draw_common_object(&drawing);
    draw_nearest_edges(&drawing);
    write_steps(&drawing);
}
