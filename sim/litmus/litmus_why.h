/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why an axiom refuses an execution, as edges that form a cycle.
 *
 * Interface
 *   why_explain_candidate   the shortest such cycle that it finds; of a candidate that candidate_broken has
 *                       refused; broken: its result
 *   link_word           "reads-from"
 *
 * Edges    Each is of a relation of the axiom: from precedes to. AXIOM_VISIBLE has none: its reads lack an
 *          edge.
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_WHY_H
#define ORRERY_SIM_LITMUS_LITMUS_WHY_H

#include "axioms.h"

enum link_kind {
    LINK_NONE,
    LINK_PROGRAM,      /* program order, within what the edge's region orders */
    LINK_INITIAL,      /* the initial stores happen before everything */
    LINK_SYNCHRONISES, /* with */
    LINK_READS_FROM,   /* store to read */
    LINK_MODIFIED,     /* modification order */
    LINK_OVERWRITTEN,  /* a read, and a store after the one it reads */
    LINK_HAPPENS       /* before, by whichever way */
};
struct link {
    enum link_kind kind;
    uint32_t from, to;
};
struct cycle {
    uint32_t count;
    struct link link[4 * EVENTS_MOST];
};

void why_explain_candidate(const struct candidate *candidate, enum axiom broken, struct cycle *out_cycle);
const char *link_word(enum link_kind kind);
const char *why_axiom_word(enum axiom axiom); /* "coherence" */

#endif
