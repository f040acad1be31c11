/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an execution is refused. An axiom refuses it because its edges form a cycle, so a search in
 * breadth from each event finds the shortest one.
 */
#include "litmus_why.h"

#include <string.h>

const char *link_word(enum link_kind kind)
{
    static const char *const words[] = {
        [LINK_NONE] = "none",
        [LINK_PROGRAM] = "program-order",
        [LINK_INITIAL] = "initial",
        [LINK_SYNCHRONISES] = "synchronises-with",
        [LINK_READS_FROM] = "reads-from",
        [LINK_MODIFIED] = "modification-order",
        [LINK_OVERWRITTEN] = "reads-before",
        [LINK_HAPPENS] = "happens-before",
    };
    return words[kind];
}

const char *why_axiom_word(enum axiom axiom)
{
    static const char *const words[] = {
        [AXIOM_NONE] = "none",           [AXIOM_UPDATE] = "atomic-update", [AXIOM_CAUSE] = "cause",
        [AXIOM_COHERENCE] = "coherence", [AXIOM_SEQ_CST] = "seq-cst",      [AXIOM_VISIBLE] = "visible",
    };
    return words[axiom];
}

static void add_link(struct cycle *cycle, enum link_kind kind, uint32_t from, uint32_t to)
{
    const uint32_t most = sizeof cycle->link / sizeof *cycle->link;
    if (cycle->count < most)
        cycle->link[cycle->count++] = (struct link){kind, from, to};
}

/* ---- a shortest path ---------------------------------------------------------------------- */

/* The edge from a to b in the relation that is searched; LINK_NONE: no edge. */
typedef enum link_kind edge_between(const struct candidate *candidate, uint32_t region, uint32_t a,
                                    uint32_t b);

struct order_path {
    const struct candidate *candidate;
    edge_between *edge;
    uint32_t region;
    uint32_t previous[EVENTS_MOST], queue[EVENTS_MOST], queued;
    event_set seen;
};

static void visit_next(struct order_path *path, uint32_t at)
{
    for (uint32_t i = 0; i < path->candidate->count; i++) {
        if (has_event(path->seen, i) || !path->edge(path->candidate, path->region, at, i))
            continue;
        path->seen |= one_event(i);
        path->previous[i] = at;
        path->queue[path->queued++] = i;
    }
}

static void add_path(const struct order_path *path, uint32_t from, uint32_t to, struct cycle *cycle)
{
    uint32_t way[EVENTS_MOST], count = 0;
    for (uint32_t at = to; count == 0 || at != from; at = path->previous[at])
        way[count++] = at;
    for (uint32_t at = from; count; at = way[count]) {
        count--;
        add_link(cycle, path->edge(path->candidate, path->region, at, way[count]), at, way[count]);
    }
}

/* A path from an event to itself is a cycle. False: no path. */
static bool find_path(const struct candidate *candidate, edge_between *edge, uint32_t region, uint32_t from,
                      uint32_t to, struct cycle *cycle)
{
    struct order_path path = {.candidate = candidate, .edge = edge, .region = region};
    visit_next(&path, from);
    for (uint32_t i = 0; i < path.queued && !has_event(path.seen, to); i++)
        visit_next(&path, path.queue[i]);
    if (!has_event(path.seen, to))
        return false;
    add_path(&path, from, to, cycle);
    return true;
}

static bool find_cycle(const struct candidate *candidate, edge_between *edge, struct cycle *cycle)
{
    struct cycle best = {.count = 0};
    for (uint32_t i = 0; i < candidate->count; i++) {
        struct cycle found = {.count = 0};
        if (find_path(candidate, edge, 0, i, i, &found) && (!best.count || found.count < best.count))
            best = found;
    }
    for (uint32_t i = 0; i < best.count; i++)
        add_link(cycle, best.link[i].kind, best.link[i].from, best.link[i].to);
    return best.count > 0;
}

/* ---- relations ------------------------------------------------------------------------------ */

static enum link_kind happens_edge(const struct candidate *candidate, uint32_t region, uint32_t a, uint32_t b)
{
    const event_set actions = candidate->region[region];
    if (candidate->event[a].thread == NO_THREAD)
        return candidate->event[b].thread == NO_THREAD ? LINK_NONE : LINK_INITIAL;
    if (has_event(candidate->synchronises[region][a], b))
        return LINK_SYNCHRONISES;
    if (has_event(actions, a) && has_event(actions, b) && has_event(candidate->before[a], b))
        return LINK_PROGRAM;
    return LINK_NONE;
}

static enum link_kind cause_edge(const struct candidate *candidate, uint32_t region, uint32_t a, uint32_t b)
{
    (void)region;
    if (has_event(candidate->before[a], b))
        return LINK_PROGRAM;
    return candidate->event[b].is_read && candidate->reads_from[b] == a ? LINK_READS_FROM : LINK_NONE;
}

static enum link_kind seq_cst_edge(const struct candidate *candidate, uint32_t region, uint32_t a, uint32_t b)
{
    (void)region;
    const bool both = candidate->event[a].is_seq_cst && candidate->event[b].is_seq_cst;
    return a != b && both && has_event(candidate->inclusive[a], b) &&
                   candidate_seq_cst_before(candidate, a, b)
               ? LINK_HAPPENS
               : LINK_NONE;
}

static bool happens(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    return has_event(candidate->happens[0][a] | candidate->happens[1][a], b);
}

static bool add_happens(const struct candidate *candidate, uint32_t a, uint32_t b, struct cycle *cycle)
{
    for (uint32_t region = 0; region < 2; region++)
        if (has_event(candidate->happens[region][a], b) &&
            find_path(candidate, happens_edge, region, a, b, cycle))
            return true;
    return false;
}

/* ---- axioms ---------------------------------------------------------------------------------- */

static void explain_update(const struct candidate *candidate, struct cycle *cycle)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *event = &candidate->event[i];
        const uint32_t store = event->is_read ? candidate->reads_from[i] : i;
        if (!event->is_read || !event->is_write)
            continue;
        const event_set later = candidate->modified[store];
        if (!has_event(later, i)) {
            add_link(cycle, LINK_READS_FROM, store, i);
            add_link(cycle, LINK_MODIFIED, i, store);
            return;
        }
        for (uint32_t k = 0; k < candidate->count; k++) {
            if (k == i || !has_event(later, k) || !has_event(candidate->modified[k], i))
                continue;
            add_link(cycle, LINK_OVERWRITTEN, i, k);
            add_link(cycle, LINK_MODIFIED, k, i);
            return;
        }
    }
}

/* Adds the edges that contradict a happens-before b: the path from b to a. */
static void add_contradiction(const struct candidate *candidate, uint32_t a, uint32_t b, struct cycle *cycle)
{
    const event_set at_a = candidate_stands_at(candidate, a), at_b = candidate_stands_at(candidate, b);
    for (uint32_t store = 0; store < candidate->count; store++) {
        for (uint32_t later = 0; has_event(at_b, store) && later < candidate->count; later++) {
            if (!has_event(at_a, later) || !has_event(candidate->modified[store], later))
                continue;
            add_link(cycle, store == b ? LINK_MODIFIED : LINK_OVERWRITTEN, b, later);
            if (later != a)
                add_link(cycle, LINK_READS_FROM, later, a);
            return;
        }
    }
    add_link(cycle, LINK_READS_FROM, b, a);
}

static bool breaks_coherence(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    const struct candidate_event *one = &candidate->event[a], *other = &candidate->event[b];
    const bool accesses = (one->is_read || one->is_write) && (other->is_read || other->is_write);
    return accesses && one->cell == other->cell && happens(candidate, a, b) &&
           !candidate_coherent_pair(candidate, a, b);
}

static void explain_coherence(const struct candidate *candidate, struct cycle *out_cycle)
{
    if (find_cycle(candidate, happens_edge, out_cycle))
        return;
    for (uint32_t a = 0; a < candidate->count; a++)
        for (uint32_t b = 0; b < candidate->count; b++) {
            struct cycle cycle = {.count = 0};
            if (!breaks_coherence(candidate, a, b) || !add_happens(candidate, a, b, &cycle))
                continue;
            add_contradiction(candidate, a, b, &cycle);
            if (!out_cycle->count || cycle.count < out_cycle->count)
                *out_cycle = cycle;
        }
}

/* The edge by which one sequentially consistent access precedes the other; LINK_NONE: none. */
static enum link_kind seq_cst_reason(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    const struct candidate_event *event = &candidate->event[a];
    if (event->is_write && has_event(candidate->modified[a], b))
        return LINK_MODIFIED;
    if (event->is_read && b != a && has_event(candidate->modified[candidate->reads_from[a]], b))
        return LINK_OVERWRITTEN;
    return happens(candidate, a, b) ? LINK_HAPPENS : LINK_NONE;
}

/* a and b stand for the fences' neighbours in program order. */
static void add_seq_cst(const struct candidate *candidate, uint32_t a, uint32_t b, struct cycle *cycle)
{
    for (uint32_t pass = 0; pass < 2; pass++) /* happens-before last: others are more specific */
        for (uint32_t i = 0; i < candidate->count; i++)
            for (uint32_t k = 0; k < candidate->count; k++) {
                const enum link_kind kind = seq_cst_reason(candidate, i, k);
                if (!has_event(candidate_spoken_for(candidate, a, true), i) ||
                    !has_event(candidate_spoken_for(candidate, b, false), k) || kind == LINK_NONE ||
                    (kind == LINK_HAPPENS) != (pass == 1))
                    continue;
                if (i != a)
                    add_link(cycle, LINK_PROGRAM, a, i);
                if (kind != LINK_HAPPENS || !add_happens(candidate, i, k, cycle))
                    add_link(cycle, kind, i, k);
                if (k != b)
                    add_link(cycle, LINK_PROGRAM, k, b);
                return;
            }
}

static void explain_seq_cst(const struct candidate *candidate, struct cycle *out_cycle)
{
    struct cycle order = {.count = 0};
    find_cycle(candidate, seq_cst_edge, &order);
    for (uint32_t i = 0; i < order.count; i++)
        add_seq_cst(candidate, order.link[i].from, order.link[i].to, out_cycle);
}

void why_explain_candidate(const struct candidate *candidate, enum axiom broken, struct cycle *out_cycle)
{
    out_cycle->count = 0;
    switch (broken) {
    case AXIOM_UPDATE: explain_update(candidate, out_cycle); break;
    case AXIOM_CAUSE: find_cycle(candidate, cause_edge, out_cycle); break;
    case AXIOM_COHERENCE: explain_coherence(candidate, out_cycle); break;
    case AXIOM_SEQ_CST: explain_seq_cst(candidate, out_cycle); break;
    case AXIOM_NONE:
    case AXIOM_VISIBLE:
    case AXIOM_COUNT: break;
    }
}
