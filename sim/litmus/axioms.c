/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The axioms of the memory model, evaluated on relations as bit matrices: derived relations are closed
 * transitively, and an axiom is broken if its relation has a cycle.
 */
#include "axioms.h"

#include <string.h>

#include "orrery/checked.h"
#include "orrery/rule.h"

/* ---- sets and relations ------------------------------------------------------------------ */

static uint32_t lowest(event_set set)
{
    CHECKED(set);
    uint64_t low = (uint64_t)set;
    return low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(set >> 64));
}

#define EACH_EVENT(i, set)                                               \
    for (event_set rest_##i = (set); rest_##i; rest_##i &= rest_##i - 1) \
        for (uint32_t i = lowest(rest_##i), once_##i = 1; once_##i; once_##i = 0)

static void close_relation(relation r, uint32_t count)
{
    CHECKED(count <= 8 * sizeof *r); /* a row has a bit for each event */
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (has_event(r[i], k))
                r[i] |= r[k];
}

/* r must be closed. */
static bool has_cycle(const relation r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (has_event(r[i], i))
            return true;
    return false;
}

/* ---- events --------------------------------------------------------------------------------- */

static struct candidate_event *event_new(struct candidate *candidate)
{
    CHECKED(candidate->count < EVENTS_MOST);
    struct candidate_event *event = &candidate->event[candidate->count++];
    *event = (struct candidate_event){.thread = NO_THREAD, .cell = UINT32_MAX};
    return event;
}

void candidate_init(struct candidate *candidate, const struct unfold *unfold, bool thin_air)
{
    const struct litmus *test = unfold->test;
    memset(candidate, 0, sizeof *candidate);
    candidate->unfold = unfold;
    candidate->thin_air = thin_air;
    for (uint32_t i = 0; i < test->location_count; i++) {
        const struct location *location = &test->locations[i];
        for (uint32_t k = 0; k < location->cells; k++) {
            struct candidate_event *event = event_new(candidate);
            event->cell = location->first_cell + k;
            event->is_write = true;
            event->stored = location->initial[k];
        }
    }
}

static bool acquires(enum memory_ordering order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool releases(enum memory_ordering order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool declared_nowhere(const struct candidate *candidate, const struct step *step)
{
    const struct litmus *test = candidate->unfold->test;
    CHECKED(step->thread < test->thread_count);
    const struct thread *thread = &test->threads[step->thread];
    for (uint32_t i = 0; i < thread->parameter_count; i++) {
        const struct location *location = &test->locations[thread->parameters[i].location];
        if (step->cell - location->first_cell < location->cells)
            return thread->parameters[i].space == SPACE_GENERIC;
    }
    return false;
}

static void fill_access(const struct candidate *candidate, struct candidate_event *event,
                        const struct step *step, struct reading read)
{
    bool failed = step->kind == STEP_UPDATE && !step_writes(step, read);
    CHECKED(step->cell < CELLS_MOST);
    enum memory_ordering order = failed ? step->failure_order : step->order;
    event->cell = step->cell;
    event->is_read = step_reads(step);
    event->is_write = step_writes(step, read);
    event->is_atomic = step->atomic;
    event->read = read.value;
    event->stored = step_stored(step, read);
    event->acquires = event->is_atomic && event->is_read && acquires(order);
    event->releases = event->is_atomic && event->is_write && releases(order);
    event->is_seq_cst = event->is_atomic && order == ORDER_SEQ_CST;
    if (candidate->thin_air && declared_nowhere(candidate, step))
        event->regions = 0;
}

static void fill_fence(struct candidate_event *event, const struct step *step)
{
    event->is_fence = true;
    event->acquires = acquires(step->order);
    event->releases = releases(step->order);
    event->is_seq_cst = step->order == ORDER_SEQ_CST;
}

static struct candidate_event *event_of(struct candidate *candidate, const struct step *step)
{
    struct candidate_event *event = event_new(candidate);
    event->step = step;
    event->thread = step->thread;
    event->regions = step->regions;
    event->scope = step->scope;
    return event;
}

static void add_barrier(struct candidate *candidate, const struct step *step, uint32_t instance)
{
    for (int exit = 0; exit < 2; exit++) {
        struct candidate_event *event = event_of(candidate, step);
        event->is_fence = true;
        event->releases = !exit;
        event->acquires = exit;
        event->is_exit = exit;
        event->instance = 1 + instance;
    }
}

bool candidate_add(struct candidate *candidate, const struct step *step, struct reading read,
                   uint32_t instance)
{
    if (candidate->count + 2 > EVENTS_MOST)
        return false;
    if (step->kind == STEP_BARRIER)
        add_barrier(candidate, step, instance);
    else if (step->kind == STEP_FENCE)
        fill_fence(event_of(candidate, step), step);
    else
        fill_access(candidate, event_of(candidate, step), step, read);
    return true;
}

/* ---- what follows from the events alone -------------------------------------------------------- */

/* Inclusive scopes (3.3.3): equal, and each contains both work-items. */
static bool includes(const struct candidate *candidate, const struct candidate_event *a,
                     const struct candidate_event *b)
{
    const struct thread_places *places = &candidate->unfold->places;
    if (a->thread == NO_THREAD || b->thread == NO_THREAD || a->scope != b->scope)
        return false;
    switch (a->scope) {
    case SCOPE_WORK_ITEM: return false;
    case SCOPE_SUB_GROUP: /* a work-group of a litmus test has one sub-group */
    case SCOPE_WORK_GROUP: return places->group[a->thread] == places->group[b->thread];
    case SCOPE_DEVICE: return places->device[a->thread] == places->device[b->thread];
    case SCOPE_ALL_SVM: return true;
    }
    return false;
}

static bool sequenced(const struct candidate_event *a, const struct candidate_event *b, uint32_t i,
                      uint32_t k)
{
    return a->thread == b->thread && a->thread != NO_THREAD && i < k;
}

void candidate_link(struct candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *a = &candidate->event[i];
        if (a->regions & REGION_GLOBAL || a->thread == NO_THREAD)
            candidate->region[0] |= one_event(i);
        if (a->regions & REGION_LOCAL || a->thread == NO_THREAD)
            candidate->region[1] |= one_event(i);
        for (uint32_t k = 0; k < candidate->count; k++) {
            const struct candidate_event *b = &candidate->event[k];
            if (sequenced(a, b, i, k))
                candidate->before[i] |= one_event(k);
            if (includes(candidate, a, b))
                candidate->inclusive[i] |= one_event(k);
        }
    }
}

/* ---- synchronises with ----------------------------------------------------------------------------- */

/* The store, and updates of which each reads the one before: a part of every release sequence. */
static event_set chain_of_updates(const struct candidate *candidate, uint32_t head)
{
    event_set chain = one_event(head);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 0; i < candidate->count; i++) {
            const struct candidate_event *event = &candidate->event[i];
            if (event->is_read && event->is_write && !has_event(chain, i) &&
                has_event(chain, candidate->reads_from[i])) {
                chain |= one_event(i);
                grows = true;
            }
        }
    }
    return chain;
}

/* The release sequence headed by a store (3.3.6): the stores that follow in modification order, up to
 * another work-item's store that is no update. */
static event_set release_sequence(const struct candidate *candidate, uint32_t head)
{
    CHECKED(candidate->event[head].is_write);
    if (candidate->unordered)
        return chain_of_updates(candidate, head);
    event_set later = candidate->modified[head], sequence = one_event(head), stopped = 0;
    const struct candidate_event *event = candidate->event;
    EACH_EVENT(i, later)
    {
        bool keeps = event[i].thread == event[head].thread || event[i].is_read;
        if (!keeps)
            stopped |= one_event(i) | candidate->modified[i];
    }
    return sequence | (later & ~stopped);
}

/* The events that release (or acquire) for an atomic access in a region: the access itself, and fences
 * before (or after) it. */
static event_set release_ends(const struct candidate *candidate, uint32_t store, uint32_t region)
{
    event_set ends = candidate->event[store].releases ? one_event(store) : 0;
    for (uint32_t i = 0; i < store; i++)
        if (candidate->event[i].is_fence && candidate->event[i].releases &&
            has_event(candidate->region[region], i) && has_event(candidate->before[i], store))
            ends |= one_event(i);
    return ends;
}

static event_set acquire_ends(const struct candidate *candidate, uint32_t load, uint32_t region)
{
    event_set ends = candidate->event[load].acquires ? one_event(load) : 0;
    EACH_EVENT(i, candidate->before[load] & candidate->region[region])
    if (candidate->event[i].is_fence && candidate->event[i].acquires)
        ends |= one_event(i);
    return ends;
}

static bool spans_regions(const struct candidate_event *a, const struct candidate_event *b)
{
    const uint32_t both = REGION_GLOBAL | REGION_LOCAL;
    bool dual = a->is_fence && b->is_fence && (a->regions & both) == both && (b->regions & both) == both;
    return dual || (a->is_seq_cst && b->is_seq_cst);
}

static void synchronise(struct candidate *candidate, event_set from, event_set to, uint32_t region)
{
    EACH_EVENT(a, from)
    EACH_EVENT(b, to & candidate->inclusive[a])
    {
        if (candidate->event[a].thread == candidate->event[b].thread)
            continue;
        candidate->synchronises[region][a] |= one_event(b);
        if (spans_regions(&candidate->event[a], &candidate->event[b]))
            candidate->synchronises[!region][a] |= one_event(b);
    }
}

static void synchronise_through(struct candidate *candidate, uint32_t store, uint32_t region)
{
    const event_set from = release_ends(candidate, store, region);
    const event_set sequence = from ? release_sequence(candidate, store) : 0;
    for (uint32_t load = 0; from && load < candidate->count; load++) {
        const struct candidate_event *event = &candidate->event[load];
        if (event->is_read && event->is_atomic && has_event(candidate->region[region], load) &&
            has_event(sequence, candidate->reads_from[load]))
            synchronise(candidate, from, acquire_ends(candidate, load, region), region);
    }
}

static bool same_barrier(const struct candidate *candidate, const struct candidate_event *entry,
                         const struct candidate_event *exit)
{
    const uint32_t *group = candidate->unfold->places.group;
    if (!entry->instance || entry->instance != exit->instance || entry->is_exit || !exit->is_exit)
        return false;
    return entry->thread != exit->thread && group[entry->thread] == group[exit->thread];
}

static void synchronise_barriers(struct candidate *candidate)
{
    for (uint32_t a = 0; a < candidate->count; a++)
        for (uint32_t b = 0; b < candidate->count; b++)
            for (uint32_t region = 0; region < 2; region++)
                if (same_barrier(candidate, &candidate->event[a], &candidate->event[b]) &&
                    has_event(candidate->region[region], a) && has_event(candidate->region[region], b))
                    candidate->synchronises[region][a] |= one_event(b);
}

/* ---- happens before ------------------------------------------------------------------------------------ */

static void order_events(struct candidate *candidate)
{
    memset(candidate->synchronises, 0, sizeof candidate->synchronises);
    for (uint32_t i = 0; i < candidate->count; i++)
        for (uint32_t region = 0; region < 2; region++)
            if (candidate->event[i].is_write && candidate->event[i].is_atomic &&
                has_event(candidate->region[region], i))
                synchronise_through(candidate, i, region);
    synchronise_barriers(candidate);
    event_set all = candidate->count == EVENTS_MOST ? ~(event_set)0 : one_event(candidate->count) - 1,
              initial = 0;
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->event[i].thread == NO_THREAD)
            initial |= one_event(i);
    for (uint32_t region = 0; region < 2; region++) {
        event_set actions = candidate->region[region];
        for (uint32_t i = 0; i < candidate->count; i++) {
            event_set after = has_event(actions, i) ? candidate->before[i] & actions : 0;
            candidate->happens[region][i] =
                candidate->synchronises[region][i] | after | (has_event(initial, i) ? all & ~initial : 0);
        }
        close_relation(candidate->happens[region], candidate->count);
    }
}

/* ---- axioms ---------------------------------------------------------------------------------- */

static bool is_access(const struct candidate_event *event)
{
    return event->is_read || event->is_write;
}

static bool accesses_one_cell(const struct candidate_event *a, const struct candidate_event *b)
{
    return is_access(a) && is_access(b) && a->cell == b->cell;
}

/* The successors of a read (from-read): the stores after the one it reads. */
static event_set overwritten_by(const struct candidate *candidate, uint32_t read)
{
    CHECKED(candidate->event[read].is_read && candidate->reads_from[read] < candidate->count);
    return candidate->modified[candidate->reads_from[read]] & ~one_event(read);
}

event_set candidate_stands_at(const struct candidate *candidate, uint32_t access)
{
    const struct candidate_event *event = &candidate->event[access];
    return (event->is_write ? one_event(access) : 0) |
           (event->is_read ? one_event(candidate->reads_from[access]) : 0);
}

bool candidate_coherent_pair(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    event_set at = candidate_stands_at(candidate, a);
    EACH_EVENT(i, candidate_stands_at(candidate, b))
    if (candidate->modified[i] & at)
        return false;
    return !candidate->event[a].is_read || candidate->reads_from[a] != b;
}

static bool coherent(const struct candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        event_set later = candidate->happens[0][i] | candidate->happens[1][i];
        if (has_event(later, i))
            return false;
        EACH_EVENT(k, later)
        if (accesses_one_cell(&candidate->event[i], &candidate->event[k]) &&
            !candidate_coherent_pair(candidate, i, k))
            return false;
    }
    return true;
}

/* An update reads the store just before its own. */
static bool updates_are_atomic(const struct candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        if (!candidate->event[i].is_read || !candidate->event[i].is_write)
            continue;
        event_set past = candidate->modified[candidate->reads_from[i]];
        if (!has_event(past, i))
            return false;
        EACH_EVENT(k, past & ~one_event(i))
        if (has_event(candidate->modified[k], i))
            return false;
    }
    return true;
}

event_set candidate_spoken_for(const struct candidate *candidate, uint32_t i, bool after)
{
    const struct candidate_event *event = &candidate->event[i];
    event_set set = one_event(i);
    if (event->is_fence)
        for (uint32_t k = 0; k < candidate->count; k++)
            if (after ? has_event(candidate->before[i], k) : has_event(candidate->before[k], i))
                set |= one_event(k);
    return set;
}

bool candidate_seq_cst_before(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    event_set target = candidate_spoken_for(candidate, b, false);
    EACH_EVENT(i, candidate_spoken_for(candidate, a, true))
    {
        event_set later = candidate->happens[0][i] | candidate->happens[1][i];
        if (candidate->event[i].is_write)
            later |= candidate->modified[i];
        if (candidate->event[i].is_read)
            later |= overwritten_by(candidate, i);
        if (later & target)
            return true;
    }
    return false;
}

static bool is_seq_cst_pair(const struct candidate *candidate, uint32_t a, uint32_t b)
{
    return candidate->event[a].is_seq_cst && candidate->event[b].is_seq_cst &&
           has_event(candidate->inclusive[a], b);
}

static bool seq_cst_is_total(const struct candidate *candidate)
{
    relation order;
    memset(order, 0, sizeof order);
    for (uint32_t a = 0; a < candidate->count; a++)
        for (uint32_t b = 0; b < candidate->count; b++)
            if (a != b && is_seq_cst_pair(candidate, a, b) && candidate_seq_cst_before(candidate, a, b))
                order[a] |= one_event(b);
    close_relation(order, candidate->count);
    return !has_cycle(order, candidate->count);
}

static void list_causes(const struct candidate *candidate, relation causes)
{
    memcpy(causes, candidate->before, sizeof(relation));
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->event[i].is_read)
            causes[candidate->reads_from[i]] |= one_event(i);
}

/* Causality: each value comes from a store that was executed before. The relation of program order and
 * reads-from has no cycle. */
static bool candidate_is_caused(const struct candidate *candidate)
{
    relation causes;
    list_causes(candidate, causes);
    close_relation(causes, candidate->count);
    return !has_cycle(causes, candidate->count);
}

bool candidate_is_executable(const struct candidate *candidate)
{
    relation causes;
    list_causes(candidate, causes);
    for (uint32_t a = 0; a < candidate->count; a++)
        for (uint32_t b = 0; b < candidate->count; b++)
            if (same_barrier(candidate, &candidate->event[a], &candidate->event[b]))
                causes[a] |= one_event(b);
    close_relation(causes, candidate->count);
    return !has_cycle(causes, candidate->count);
}

static bool is_visible(const struct candidate *candidate, uint32_t read, const relation happens)
{
    uint32_t store = candidate->reads_from[read];
    if (!has_event(happens[store], read))
        return false;
    EACH_EVENT(k, happens[store])
    if (candidate->event[k].is_write && candidate->event[k].cell == candidate->event[read].cell &&
        has_event(happens[k], read))
        return false;
    return true;
}

/* Where values may have no cause, plain reads still read the last store that happens before them. */
static bool plain_reads_visible(const struct candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->count; i++)
        for (uint32_t region = 0; region < 2; region++)
            if (candidate->event[i].is_read && !candidate->event[i].is_atomic &&
                has_event(candidate->region[region], i) &&
                !is_visible(candidate, i, candidate->happens[region]))
                return false;
    return true;
}

/* ---- what any modification order has to respect ---------------------------------------------- */

/* The accesses of each cell, and the stores among them. */
struct cell_events {
    event_set accesses[CELLS_MOST], stores[CELLS_MOST];
};

static void list_cells(const struct candidate *candidate, struct cell_events *out_cells)
{
    memset(out_cells, 0, sizeof *out_cells);
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *event = &candidate->event[i];
        if (is_access(event))
            out_cells->accesses[event->cell] |= one_event(i);
        if (event->is_write)
            out_cells->stores[event->cell] |= one_event(i);
    }
}

/* Coherence, read the other way round: a before b puts the stores at a before those at b. False: it cannot.
 */
static bool order_by_happens(const struct candidate *candidate, const struct cell_events *cells,
                             relation later)
{
    for (uint32_t a = 0; a < candidate->count; a++) {
        const struct candidate_event *event = &candidate->event[a];
        const event_set happens = candidate->happens[0][a] | candidate->happens[1][a];
        const event_set beside = is_access(event) ? happens & cells->accesses[event->cell] : 0;
        if (has_event(happens, a) || (event->is_read && has_event(beside, candidate->reads_from[a])))
            return false;
        EACH_EVENT(b, beside)
        EACH_EVENT(store, candidate_stands_at(candidate, a))
        later[store] |= candidate_stands_at(candidate, b) & ~one_event(store);
    }
    return true;
}

/* What follows the store that an update reads follows the update; what precedes the update precedes it. */
static void order_by_updates(const struct candidate *candidate, const struct cell_events *cells,
                             relation later)
{
    for (uint32_t i = 0; i < candidate->count; i++) {
        const struct candidate_event *event = &candidate->event[i];
        const uint32_t read = candidate->reads_from[i];
        if (!event->is_read || !event->is_write)
            continue;
        later[i] |= later[read] & ~one_event(i);
        EACH_EVENT(store, cells->stores[event->cell] & ~one_event(read))
        if (has_event(later[store], i))
            later[store] |= one_event(read);
        later[read] |= one_event(i);
    }
}

bool candidate_find_order(struct candidate *candidate, relation out_later)
{
    struct cell_events cells;
    memset(out_later, 0, sizeof(relation));
    list_cells(candidate, &cells);
    candidate->unordered = true;
    order_events(candidate);
    candidate->unordered = false;
    for (uint32_t i = 0; i < candidate->count; i++)
        if (candidate->event[i].thread == NO_THREAD)
            out_later[i] = cells.stores[candidate->event[i].cell] & ~one_event(i);
    if (!order_by_happens(candidate, &cells, out_later))
        return false;
    for (uint32_t rounds = 0; rounds < 2; rounds++) {
        order_by_updates(candidate, &cells, out_later);
        close_relation(out_later, candidate->count);
    }
    return !has_cycle(out_later, candidate->count);
}

enum axiom candidate_broken(struct candidate *candidate)
{
    const bool caused = candidate_is_caused(candidate);
    if (RULE(25) && !updates_are_atomic(candidate))
        return AXIOM_UPDATE;
    if (!caused && !candidate->thin_air && RULE(27))
        return AXIOM_CAUSE;
    order_events(candidate);
    if (!coherent(candidate) && RULE(24))
        return AXIOM_COHERENCE;
    if (!seq_cst_is_total(candidate) && RULE(26))
        return AXIOM_SEQ_CST;
    return caused || plain_reads_visible(candidate) || !RULE(23) ? AXIOM_NONE : AXIOM_VISIBLE;
}

/* ---- races ----------------------------------------------------------------------------------- */

static bool conflict(const struct candidate_event *a, const struct candidate_event *b)
{
    const bool by_two = a->thread != b->thread && a->thread != NO_THREAD && b->thread != NO_THREAD;
    return by_two && accesses_one_cell(a, b) && (a->is_write || b->is_write);
}

bool candidate_races(const struct candidate *candidate)
{
    for (uint32_t a = 0; a < candidate->count; a++) {
        for (uint32_t b = a + 1; b < candidate->count; b++) {
            if (!conflict(&candidate->event[a], &candidate->event[b]))
                continue;
            if (candidate->event[a].is_atomic && candidate->event[b].is_atomic &&
                has_event(candidate->inclusive[a], b))
                continue;
            event_set after_a = candidate->happens[0][a] | candidate->happens[1][a],
                      after_b = candidate->happens[0][b] | candidate->happens[1][b];
            if (!has_event(after_a, b) && !has_event(after_b, a))
                return true;
        }
    }
    return false;
}
