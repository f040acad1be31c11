/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The memory model as relations over the events of one execution (OpenCL 2.2 API,
 *          3.3.6; scopes as in "Overhauling SC atomics in C11 and OpenCL", POPL 2016): is it
 *          consistent, does it race?  A row of a relation is a set of events.
 *
 * Interface
 *   candidate_init, candidate_add     events: initial stores first, then thread by thread in
 *                             program order; a barrier is two: its entry and its exit
 *   candidate_link                the relations that follow from the events alone
 *   candidate_find_order          with reads_from filled in: what any modification order has to respect
 *   candidate_broken              with reads_from and the modification order filled in: the first axiom that
 *                             refuses the execution
 *   candidate_consistent          likewise: none does
 *   candidate_*                   after candidate_broken, parts of the axioms, for explanations
 *   candidate_races               of a consistent execution, after candidate_consistent
 */
#ifndef ORRERY_SIM_LITMUS_AXIOMS_H
#define ORRERY_SIM_LITMUS_AXIOMS_H

#include "unfold.h"

enum { EVENTS_MOST = 128 };
__extension__ typedef unsigned __int128 event_set;
static inline event_set one_event(uint32_t event)
{
    return (event_set)1 << event;
}
static inline bool has_event(event_set set, uint32_t event)
{
    return set >> event & 1;
}

typedef event_set relation[EVENTS_MOST];

enum { NO_THREAD = THREADS_MOST };
struct candidate_event {
    const struct step *step; /* NULL: an initial store */
    uint32_t thread, cell;   /* accesses */
    int32_t read, stored;
    bool is_read, is_write, is_atomic, is_fence;
    bool acquires, releases, is_seq_cst;
    uint32_t regions;
    enum memory_scope scope;
    uint32_t instance; /* barriers: 1 + number of the instance in its group */
    bool is_exit;
};

struct candidate {
    const struct unfold *unfold;
    bool thin_air;
    bool unordered; /* the modification order is not known yet: of release sequences only chains of updates */
    uint32_t count;
    struct candidate_event event[EVENTS_MOST];

    /* set by candidate_link */
    relation before;     /* sequenced before */
    relation inclusive;  /* scopes include each other */
    event_set region[2]; /* events that access REGION_GLOBAL, REGION_LOCAL */

    /* chosen by the enumeration */
    uint32_t reads_from[EVENTS_MOST]; /* for each read: the store that it reads */
    relation modified;                /* modification order: later stores of the same cell */

    /* computed by candidate_broken */
    relation synchronises[2]; /* synchronises-with, for each region */
    relation happens[2];      /* happens-before, for each region */
};

enum axiom {
    AXIOM_NONE,
    AXIOM_UPDATE,    /* an update reads the store just before its own */
    AXIOM_CAUSE,     /* no value is its own cause */
    AXIOM_COHERENCE, /* modification order agrees with happens-before */
    AXIOM_SEQ_CST,   /* sequentially consistent operations have one order */
    AXIOM_VISIBLE,   /* a plain read takes the last store that happens before it */
    AXIOM_COUNT
};

void candidate_init(struct candidate *candidate, const struct unfold *unfold, bool thin_air);
/* False: too many events. instance: of a barrier. */
bool candidate_add(struct candidate *candidate, const struct step *step, struct reading read,
                   uint32_t instance);
void candidate_link(struct candidate *candidate);
/* Checks reads_from alone: some order executes each store before the reads that take its value, and nothing
 * past a barrier before all of the work-group have reached it. The others are those of values out of thin
 * air, and of reads that end past a barrier. */
bool candidate_is_executable(const struct candidate *candidate);
/* For each store those of its cell that follow it in every modification order that the axioms accept, as far
 * as they are found. False: there is no such order. Of the first events of an execution it is true of the
 * whole. */
bool candidate_find_order(struct candidate *candidate, relation out_later);
enum axiom candidate_broken(struct candidate *candidate);
static inline bool candidate_consistent(struct candidate *candidate)
{
    return candidate_broken(candidate) == AXIOM_NONE;
}
/* False if a happens before b, and b precedes a in modification order or a reads from b. */
bool candidate_coherent_pair(const struct candidate *candidate, uint32_t a, uint32_t b);
/* The sequentially consistent a must precede b in the order of all sequentially consistent operations. */
bool candidate_seq_cst_before(const struct candidate *candidate, uint32_t a, uint32_t b);
/* The accesses for which a sequentially consistent fence orders: those after it, or before it, in program
 * order. */
event_set candidate_spoken_for(const struct candidate *candidate, uint32_t event, bool after);
/* The stores that represent an access in modification order: its own store, and the one that it reads. */
event_set candidate_stands_at(const struct candidate *candidate, uint32_t access);
bool candidate_races(const struct candidate *candidate);

#endif
