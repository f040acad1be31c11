/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  All executions of an unfolded litmus test, each shown to a visitor.
 *
 * Interface
 *   explore_interleavings   each read takes the latest store: one execution for each order of
 *                           the accesses that depend on each other (sleep sets)
 *   explore_reads           each read takes any store that was executed before it and that the
 *                           memory model lets it take
 *   explore_thin_air        the rest of what the formal text allows: executions where a read
 *                           ends past a barrier that does not order it; with thin_air
 *                           also those where a value is its own cause
 *
 * What is visited  Interleavings: executions where every thread returns, those where all remaining threads
 *                  spin or wait at a barrier (EXECUTION_STUCK), and those that met the bound. The others
 *                  follow no thread beyond spinning, since its continuation exists without the spinning too,
 *                  and set *out_cut when they met a bound; explore_thin_air shows no EXECUTION_STUCK. If an
 *                  iteration that changed nothing has an access that may race, its thread is followed
 *                  nevertheless: such executions (execution_repeats) count for races only.
 *
 * Refused  With unfold->explains explore_reads and explore_thin_air also show what an axiom refuses
 *          (execution.broken), also when they can decide it without building it.
 *
 * Errors   OUT_OF_MEMORY, or the unfolding's status; the visitor stops by returning false.
 */
#ifndef ORRERY_SIM_LITMUS_EXPLORE_H
#define ORRERY_SIM_LITMUS_EXPLORE_H

#include "axioms.h"

struct litmus_event {
    struct step *step;
    struct reading read;
    uint32_t version;  /* interleavings: of the cell, before */
    uint32_t previous; /* 1 + index of the thread's event before it, or 0 */
};

enum execution_end { EXECUTION_ENDED, EXECUTION_STUCK, EXECUTION_CUT };
struct execution {
    enum execution_end end;
    const struct litmus_event *events; /* interleavings: in their order; otherwise NULL */
    uint32_t event_count;
    const int32_t *cells;     /* in the end */
    struct step *const *last; /* for each thread: END if it has returned */
    bool race;                /* by the axioms; not set for interleavings */
    /* not of interleavings: what it was made of; unless NONE, the axiom that refuses it */
    const struct candidate *candidate;
    enum axiom broken;
};
/* Another execution has the same outcome without some iteration of a loop. */
static inline bool execution_repeats(const struct unfold *unfold, const struct execution *execution)
{
    for (uint32_t i = 0; i < unfold->test->thread_count; i++)
        if (execution->last[i]->after_iteration)
            return true;
    return false;
}

/* The final value of a term of the clause. */
struct term_value execution_value(const struct execution *execution, const struct litmus_term *term);

typedef bool execution_visit(void *self, const struct execution *execution);

enum status explore_interleavings(struct unfold *unfold, execution_visit *visit, void *self);
enum status explore_reads(struct unfold *unfold, bool thin_air, bool *out_cut, execution_visit *visit,
                          void *self);
enum status explore_thin_air(struct unfold *unfold, bool thin_air, bool *out_cut, execution_visit *visit,
                             void *self);

#endif
