/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why two accesses of a launch are unordered, and the smallest edit of the kernel that
 *          orders them: the launch's history is ordered again with one operation changed, then
 *          with two, until the first access happens before the second.
 *
 * Interface
 *   explain_race     false: no edit of an operation that is there orders them, or the history
 *                    does not reach; the answer then has steps, but no sentences
 *   explain_fix   the operation to add if no edit helps; explain_barrier_at,
 *                 explain_barrier_before,
 *                    explain_image_fence and explain_wait if the operation is known, but not whether it
 *                    helps; explain_advice where nothing can be tried
 *   explain_is_update   are the two accesses halves of one update, which reads an object and writes it again?
 *   explain_covers   does an answer's edit order later pairs of the same two places, too?
 *   explain_release_clock  does a barrier at one end of the release and acquire of other work-items of the
 *                          two work-groups order them,
 *                    or one at each end? FIX_NONE: where it would stand is advice. _covers: the other
 *                    meetings, too?
 *   explain_side     would they be ordered, were one of them on the other side of a release or acquire of its
 *                    own work-item? _covers: the other meetings, too? explain_stale: had a read got the other
 *                    one's value?
 *   explain_flag     do the accesses of other races order them, as a release and an acquire? _flag_covers:
 *                    later pairs, too?
 *
 * Edits      of all operations at one place of the source, in this order: flags of a barrier or
 *            fence; a wider scope; a fence on the other side of its atomic; release and acquire for
 *            relaxed, where a compare-exchange succeeds or where it fails; the other one of two fences, and
 *            in OpenCL C 1.x, where that comes before orders, both; fences with both flags beside a flag in
 *            the other memory; an atomic store for a plain one after a fence; a read-modify-write for a store
 *            that broke a release sequence. Single ones first, then pairs; a scope that makes other atomics
 *            of its object race comes last of all.
 * Exactness  What is reported as a fix was tried under the interleaving that ran: the same operations read
 *            the same values.
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_H

#include "sim/memmodel/order/sync_log.h"
#include "sim/memmodel/order/order.h"
#include "wording.h"

/* Two accesses that race. */
struct meeting {
    struct asked {
        uint64_t unit;
        uint64_t clock; /* of the slice in which it was; of the second: not used */
        uint32_t site, size;
        bool atomic, writes;
        enum memory_scope scope; /* as the shadow has it: reduced */
    } first, second;
    uint32_t end;  /* how many sync operations came before the second */
    uint64_t when; /* of the second: counts events */
};

/* A store and a load that read its value in another work-item: they race, one at least is plain, and a branch
 * depends on what was read. */
struct passing {
    struct asked store, load;
    int region;
    uint64_t address;
    uint32_t end; /* as a meeting's, of the load */
    uint64_t when;
    enum memory_ordering order[2]; /* of an atomic one */
};

enum { PASSINGS_MOST = HOSTILE(64, 4) };
/* The latest of a launch. */
struct passings {
    struct passing items[PASSINGS_MOST];
    uint32_t count, next;
    bool lost;
};

/* A load in a loop that waits for a value, and a store after that loop: they race. */
struct lock {
    uint32_t load, store;
};
enum { LOCKS_MOST = 8 };
struct locks {
    struct lock items[LOCKS_MOST];
    uint32_t count;
};

/* All passings between two places. */
struct flag {
    uint32_t store, load;
    int region;
    enum memory_scope scope;
};

enum { MEETINGS_MOST = HOSTILE(32, 8) };

struct question {
    const struct sync_log *sync_log;
    const struct launch_info *launch;
    const struct checker_host *host;
    enum scope_rule rule;
    int region;       /* of the bytes */
    bool svm_atomics; /* they lie in fine-grained SVM with atomics */
    /* of the same two places: the first is the question; an edit for all is preferred */
    const struct meeting *meetings;
    uint32_t meeting_count;    /* 1 to MEETINGS_MOST */
    const struct locks *locks; /* of the launch so far; NULL: none is known */
    bool differs;              /* the first two are writes of two values */
    bool one_wave;             /* the first two work-items go round loops together */
    /* R34: it is one work-item, and its read of an image is to see what it wrote */
    bool device_dirty;
    uint64_t spent; /* on answers of this launch so far: later ones are given less time */
    uint64_t most;  /* on this one; 0: what the launch has left decides */
};

/* An edit outside of the search that found it. */
struct tried_edit {
    uint32_t kind, site;
    enum memory_scope scope;
    enum memory_ordering order;
    bool fails;
    enum memory_ordering success;
};

enum { ANSWER_STEPS = 20, ANSWER_EDGES = 12, REWRITES_MOST = 2 };

/* A fix in words; of updates, the text of the source as well. */
struct proposal {
    struct wording fix;
    struct code_rewrite rewrites[REWRITES_MOST];
    uint32_t rewrite_count;
};

struct answer {
    struct wording why, fix;
    struct tried_edit tried_edits[2];
    uint32_t tried_edit_count;
    uint32_t step_count;
    struct finding_step steps[ANSWER_STEPS];
    struct wording step_text[ANSWER_STEPS];
    uint64_t step_unit[ANSWER_STEPS];
    uint32_t edge_count;
    struct finding_edge edges[ANSWER_EDGES];
    bool covers_all;                             /* the meetings */
    uint64_t spent;                              /* by now */
    struct code_rewrite rewrites[REWRITES_MOST]; /* the fix as text */
    uint32_t rewrite_count;
    struct finding_edit edits[REWRITES_MOST * CODE_EDITS_MOST]; /* of the rewrites, as the finding has them */
};

bool explain_race(const struct question *question, struct answer *out_answer);
/* True also where that cannot be reported. */
bool explain_covers(const struct question *question, const struct tried_edit *tried_edits, uint32_t count);
/* out_why, out_fix: of the races on the memory that the flag guards. */
bool explain_flag(const struct question *question, const struct passings *passings, struct flag *out_flag,
                  struct wording *out_why, struct wording *out_fix);
bool explain_flag_covers(const struct question *question, const struct passings *passings,
                         const struct flag *flag);
enum { NO_END = 0 }; /* a site: there is none */
/* The access is to stand before the operation, a release of its own work-item, or after it, an acquire; store
 * NO_END: that is all. Else the operation is a read of another value than the store's, and is to be waited
 * with. */
struct side {
    uint32_t access, operation;
    bool before;
    uint32_t store;
};
/* Called again when the launch ends: a later operation may be the one that it should have waited for. work:
 * sync operations ordered, added up. */
bool explain_side(const struct question *question, uint64_t *work, struct side *out_side,
                  struct wording *out_why, struct wording *out_fix);
/* Would they be ordered, had one of the two read before its access what the other stores after its own?
 * For what explain_side does not find. */
bool explain_stale(const struct question *question, uint64_t *work, struct side *out_side,
                   struct wording *out_why, struct wording *out_fix);
bool explain_side_covers(const struct question *question, const struct side *side);
/* If no edit does: a barrier, a second launch or an atomic access that orders the pair or makes it agree; one
 * that covers the other meetings, too, is preferred. */
struct suggested_fix {
    /* ITERATION: in each iteration of a loop; NEXT_ITERATION: if accesses of one iteration are not ordered by
     * it; ITERATIONS: two in each iteration; RELEASE_CLOCK: beside the release, the acquire, or both; WAIT:
     * for a copy, or before one: covers the units of its work-group */
    enum {
        FIX_NONE,
        FIX_WAIT,
        FIX_BARRIER,
        FIX_ITERATION,
        FIX_NEXT_ITERATION,
        FIX_ITERATIONS,
        FIX_SPLIT,
        FIX_ATOMIC,
        FIX_RELEASE_CLOCK
    } kind;
    struct code_place place;             /* of the barrier, and where the kernel is cut */
    struct code_place next;              /* ITERATIONS, RELEASE_CLOCK: of the other barrier; site 0: there is
                                          * none */
    uint32_t since;                      /* ITERATION: the barrier that both accesses are after */
    uint32_t release_site, acquire_site; /* RELEASE_CLOCK: NO_END: nothing is missing there */
    enum memory_scope scope;             /* of the atomic operations */
};
bool explain_fix(const struct question *question, struct proposal *out_proposal,
                 struct suggested_fix *out_suggested_fix);
bool explain_is_update(const struct question *question);
bool explain_release_clock(const struct question *question, struct wording *out_why, struct wording *out_fix,
                           struct suggested_fix *out_suggested_fix);
bool explain_release_clock_covers(const struct question *question, const struct suggested_fix *suggested_fix);
/* A work-group's barrier, which names the question's memory beside these, instead of the one at this site,
 * where that can be reported to do. */
bool explain_barrier_at(const struct question *question, uint32_t site, uint32_t regions,
                        struct wording *out_fix, struct suggested_fix *out_suggested_fix);
/* The place of the work-group's wait before it begins the asynchronous copy that is the second access. */
bool explain_barrier_before(const struct question *question, struct wording *out_fix);
/* The place of a fence for images between a write and a read of one work-item. */
bool explain_image_fence(const struct question *question, struct wording *out_fix);
/* The place of the wait for the asynchronous copy that is the first access. */
bool explain_wait(const struct question *question, struct wording *out_fix);
/* Not tried: used if the general words would be wrong. False: they are right. */
bool explain_advice(const struct question *question, struct wording *out_fix);
/* Does it serve another pair of the same two places? A barrier does within a group, a second launch
 * everywhere. */
bool explain_fix_covers(const struct launch_info *launch, enum scope_rule rule,
                        const struct suggested_fix *suggested_fix, uint64_t first, uint64_t second);
/* every other one, in local memory or not */
bool explain_covers_all(const struct launch_info *launch, bool local,
                        const struct suggested_fix *suggested_fix);

#endif
