/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  From events and what they read to executions: every order of the stores of each
 *          cell that the axioms accept is shown to the visitor.
 *
 * Interface
 *   orders_list_stores   after candidate_link
 *   orders_are_possible  a quick answer that may be wrongly true
 *   orders_visit         with reads_from filled in
 */
#ifndef ORRERY_SIM_LITMUS_ORDERS_H
#define ORRERY_SIM_LITMUS_ORDERS_H

#include "axioms.h"
#include "explore.h"

struct orders {
    struct candidate candidate;
    struct step *last[THREADS_MOST];
    struct unfold *unfold;
    execution_visit *visit;
    void *self;
    bool stopped;
    enum execution_end end;
    relation later;   /* stores that follow in every order */
    event_set latest; /* reads that must read the last store: of threads that spin for ever */
    uint32_t stores[CELLS_MOST][EVENTS_MOST], store_count[CELLS_MOST]; /* the initial store first */
    int32_t cells[CELLS_MOST];                                         /* the last value of each */
};

void orders_list_stores(struct orders *orders);
static inline uint32_t orders_initial(const struct orders *orders, uint32_t cell)
{
    return orders->stores[cell][0];
}
void orders_visit(struct orders *orders);
/* With reads_from filled in, also of the first events of an execution: false, no order is consistent. */
bool orders_are_possible(struct orders *orders);

#endif
