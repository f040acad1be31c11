/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the modification orders of all cells; the axioms cut off partial orders early. */
#include "orders.h"

#include <string.h>

#include "orrery/rule.h"

void orders_list_stores(struct orders *orders)
{
    memset(orders->store_count, 0, sizeof orders->store_count);
    for (uint32_t i = 0; i < orders->candidate.count; i++) {
        const struct candidate_event *event = &orders->candidate.event[i];
        if (event->is_write)
            orders->stores[event->cell][orders->store_count[event->cell]++] = i;
    }
}

/* A waiting thread sees the last store in the end; if that releases it, it does not wait for ever. Its
 * updates store what they read. */
static bool misses_last_store(const struct orders *orders)
{
    for (uint32_t i = 0; i < orders->candidate.count; i++)
        if (has_event(orders->latest, i) &&
            orders->candidate.modified[orders->candidate.reads_from[i]] & ~orders->latest)
            return true;
    return false;
}

static void show(struct orders *orders)
{
    orders->stopped |= !unfold_spend(orders->unfold, orders->candidate.count);
    if (orders->stopped || misses_last_store(orders))
        return;
    const enum axiom broken = candidate_broken(&orders->candidate);
    if (broken != AXIOM_NONE && !orders->unfold->explains)
        return;
    struct execution execution = {.end = orders->end,
                                  .cells = orders->cells,
                                  .last = orders->last,
                                  .race = broken == AXIOM_NONE && candidate_races(&orders->candidate),
                                  .candidate = &orders->candidate,
                                  .broken = broken};
    orders->stopped = !orders->visit(orders->self, &execution);
}

static void order_cells(struct orders *orders, uint32_t cell);

/* A page explains executions that the axioms refuse, and a test removes axioms: then all orders are tried. */
static bool tries_all(const struct orders *orders)
{
    const bool keeps_axioms = RULE(7) && RULE(24) && RULE(25);
    return orders->unfold->explains || !keeps_axioms;
}

bool orders_are_possible(struct orders *orders)
{
    return tries_all(orders) || candidate_find_order(&orders->candidate, orders->later);
}

/* Another store has to come first. */
static bool too_early(const struct orders *orders, uint32_t store, event_set left)
{
    for (uint32_t i = 0; i < orders->candidate.count; i++) {
        const bool in_program_order =
            !orders->unfold->explains && i < store && has_event(orders->candidate.before[i], store);
        if (has_event(left, i) && (in_program_order || has_event(orders->later[i], store)))
            return true;
    }
    return false;
}

static bool is_update_of(const struct candidate *candidate, uint32_t event, uint32_t store)
{
    return candidate->event[event].is_read && candidate->event[event].is_write &&
           candidate->reads_from[event] == store;
}

/* An update follows directly the store that it reads. So an update that reads another one is not next, and if
 * an update reads the last one, only that update is: chains of updates have one order, not one for each
 * permutation. */
static bool breaks_chain(const struct orders *orders, uint32_t cell, uint32_t store, uint32_t last,
                         event_set left)
{
    const struct candidate *candidate = &orders->candidate;
    if (!RULE(25) || candidate->unfold->explains)
        return false;
    if (candidate->event[store].is_read)
        return candidate->reads_from[store] != last;
    for (uint32_t i = 1; i < orders->store_count[cell]; i++)
        if (has_event(left, orders->stores[cell][i]) &&
            is_update_of(candidate, orders->stores[cell][i], last))
            return true;
    return false;
}

/* left: stores of the cell without a position; one of them comes next. */
static void place_stores(struct orders *orders, uint32_t cell, uint32_t last, event_set left)
{
    if (!left) {
        order_cells(orders, cell + 1);
        return;
    }
    for (uint32_t i = 1; i < orders->store_count[cell] && !orders->stopped; i++) {
        uint32_t store = orders->stores[cell][i];
        if (!has_event(left, store) || too_early(orders, store, left) ||
            breaks_chain(orders, cell, store, last, left))
            continue;
        int32_t before = orders->cells[cell];
        orders->candidate.modified[store] =
            left & ~one_event(store) & (RULE(7) ? ~(event_set)0 : orders->candidate.before[store]);
        orders->cells[cell] = orders->candidate.event[store].stored;
        place_stores(orders, cell, store, left & ~one_event(store));
        orders->cells[cell] = before;
    }
}

static void order_cells(struct orders *orders, uint32_t cell)
{
    if (cell == orders->candidate.unfold->test->cell_count) {
        show(orders);
        return;
    }
    event_set left = 0;
    for (uint32_t i = 1; i < orders->store_count[cell]; i++)
        left |= one_event(orders->stores[cell][i]);
    uint32_t initial = orders->stores[cell][0];
    orders->candidate.modified[initial] = left;
    orders->cells[cell] = orders->candidate.event[initial].stored;
    place_stores(orders, cell, initial, left);
}

void orders_visit(struct orders *orders)
{
    memset(orders->later, 0, sizeof orders->later);
    if (orders_are_possible(orders))
        order_cells(orders, 0);
    else
        orders->stopped |= !unfold_spend(orders->unfold, orders->candidate.count);
}
