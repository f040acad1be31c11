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
    uint32_t count;
    struct candidate_event event[EVENTS_MOST];

    /* candidate_link */
    relation before;     /* sequenced before */
    relation inclusive;  /* scopes include each other */
    event_set region[2]; /* actions of REGION_GLOBAL, REGION_LOCAL */

    /* chosen by the enumeration */
    uint32_t reads_from[EVENTS_MOST]; /* of reads: the store */
    relation modified;                /* modification order: later stores of the same cell */

    /* candidate_broken */
    relation synchronises[2]; /* with, per region */
    relation happens[2];      /* before, per region */
};

enum axiom {
    AXIOM_NONE,
    AXIOM_UPDATE,    /* an update reads the store just before its own */
    AXIOM_CAUSE,     /* no value is its own cause */
    AXIOM_COHERENCE, /* what happens before stands earlier in modification order */
    AXIOM_SEQ_CST,   /* sequentially consistent operations have one order */
    AXIOM_VISIBLE,   /* a plain read takes the last store that happens before it */
    AXIOM_COUNT
};

void candidate_init(struct candidate *candidate, const struct unfold *unfold, bool thin_air);
/* false: too many events. instance: barriers. */
bool candidate_add(struct candidate *candidate, const struct step *step, struct reading read,
                   uint32_t instance);
void candidate_link(struct candidate *candidate);
/* with reads_from alone: no value out of thin air */
bool candidate_is_caused(const struct candidate *candidate);
/* Likewise: some order executes each store before the reads that take its value, and nothing past a barrier
 * before all of the work-group have reached it. The others are those of values out of thin air, and of
 * reads that end past a barrier. */
bool candidate_is_executable(const struct candidate *candidate);
enum axiom candidate_broken(struct candidate *candidate);
static inline bool candidate_consistent(struct candidate *candidate)
{
    return candidate_broken(candidate) == AXIOM_NONE;
}
/* a happens before b: then b stands no earlier, and a does not read from b. */
bool candidate_coherent_pair(const struct candidate *candidate, uint32_t a, uint32_t b);
/* Sequentially consistent a has to precede b in their one order. */
bool candidate_seq_cst_before(const struct candidate *candidate, uint32_t a, uint32_t b);
/* Sequentially consistent fences speak for what they stand beside: after or before them. */
event_set candidate_spoken_for(const struct candidate *candidate, uint32_t event, bool after);
/* The stores that an access stands at in modification order: its own, the one it reads. */
event_set candidate_stands_at(const struct candidate *candidate, uint32_t access);
bool candidate_races(const struct candidate *candidate);

#endif
