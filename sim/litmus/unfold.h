/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The behaviour of each thread of a litmus test, given what it reads: a tree per thread. The
 *          interpreter runs the kernel of the test, one work-item at a time, through a memory port that
 *          returns the values of the path that led here; the first operation after the end of the path is a
 *          new step. A search that chooses the values (all interleavings, the axioms) never runs the
 *          interpreter again for a known path.
 *
 * Interface
 *   unfold_new, unfold_free   builds the kernel; owns device, program and trees
 *   unfold_first              the first step of a thread
 *   unfold_next               the one after a step, if that read so
 *   step_stored               what an update leaves after, if it read that
 *   step_may_refuse           a weak compare-exchange that reads this may fail as well as succeed
 *   unfold_follows         a thread that iterated without a change is followed all the same, since an access
 *                          on the path may race
 *   unfold_spend              counts the work of the search; false: that was enough
 *
 * Errors   unfold_first and unfold_next give NULL, and the unfolding's status and diagnosis have the reason:
 *          out of memory, or a thread that leaves its locations.
 */
#ifndef ORRERY_SIM_LITMUS_UNFOLD_H
#define ORRERY_SIM_LITMUS_UNFOLD_H

#include "litmus_test.h"
#include "orrery/device.h"

/*
 * The value that a step reads. spurious: it is a weak compare-exchange, found what it expected, and failed.
 */
struct reading {
    int32_t value;
    bool spurious;
};

enum step_kind {
    STEP_READ,
    STEP_WRITE,
    STEP_UPDATE,
    STEP_FENCE,
    STEP_BARRIER,
    STEP_END, /* the thread has returned */
    STEP_CUT  /* it reached this more often than the bound allows */
};

struct step {
    enum step_kind kind;
    uint32_t thread, depth;
    uint32_t number; /* the number of the step among all, from 1; the same in every run */
    uint32_t site;   /* of the kernel's code */
    /* READ, WRITE, UPDATE */
    uint32_t cell;
    bool atomic;
    int32_t value; /* WRITE: stored; UPDATE: operand */
    int32_t comparator;
    uint32_t operation; /* UPDATE: as of the memory port */
    /* all kinds but END and CUT */
    enum memory_ordering order, failure_order;
    enum memory_scope scope;
    /* REGION_*: of fences and barriers their flags; else where the cell lies */
    uint32_t regions;
    uint32_t label;           /* BARRIER */
    const int32_t *registers; /* END */
    /* an earlier step of this path with the same state, and nothing was stored since: the thread spins */
    struct step *again;
    /* so it does since a compare-exchange failed spuriously, and the continuation exists without that, too */
    bool by_chance;
    /* the iteration since `again` has an access that may race in a way that no earlier one does */
    bool may_race;
    /* such an iteration is on the path and was followed: the outcomes exist without it, too */
    bool after_iteration;
    uint32_t shared_from, shared_to; /* depths that are in all the iterations that may race, so far */

    struct step *parent;
    struct reading edge; /* what the parent read; 0 if it reads nothing */
    struct step *children, *sibling;
    const uint8_t *frame; /* READ, UPDATE: the state of the thread, to detect spinning */
};

static inline bool step_reads(const struct step *step)
{
    return step->kind == STEP_READ || step->kind == STEP_UPDATE;
}
static inline bool step_is_access(const struct step *step)
{
    return step->kind <= STEP_UPDATE;
}
/* False for a compare-exchange that failed with that value. */
bool step_writes(const struct step *step, struct reading read);
int32_t step_stored(const struct step *step, struct reading read);
bool step_may_refuse(const struct step *step, int32_t value);

struct unfold {
    const struct litmus *test;
    struct thread_places places;
    struct launch_info launch;
    enum status status;
    struct diagnosis *diagnosis;
    struct scenario *scenario; /* of the device below */
    struct report *report;
    struct device *device;
    struct program *program;
    uint64_t cell_address[CELLS_MOST];
    uint32_t bound;
    struct unfold_code *code; /* unfold.c */
    struct step *first[THREADS_MOST];
    uint32_t step_count;
    bool spinners_stay; /* spinning threads are followed only for races */
    bool explains;      /* executions that an axiom refuses are visited, too */
    bool races;         /* races are decided: no thread is followed for their sake */
    uint64_t work_left; /* of the exploration: choices, and events judged */
    bool gave_up;
};

enum status unfold_new(const struct litmus *test, uint32_t bound, struct unfold **out_unfold,
                       struct diagnosis *diagnosis);
void unfold_free(struct unfold *unfold);
struct step *unfold_first(struct unfold *unfold, uint32_t thread);
struct step *unfold_next(struct unfold *unfold, struct step *step, struct reading read);

static inline bool unfold_follows(const struct unfold *unfold, const struct step *step)
{
    return step->may_race && !unfold->races;
}

static inline bool unfold_spend(struct unfold *unfold, uint32_t work)
{
    unfold->gave_up |= unfold->work_left < work;
    unfold->work_left -= unfold->gave_up ? 0 : work;
    return !unfold->gave_up;
}

/* The unit that performs the step, for events. */
void unfold_origin(const struct unfold *unfold, const struct step *step, struct origin *out_origin);

#endif
