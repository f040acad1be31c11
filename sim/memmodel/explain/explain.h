/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why two accesses of a launch race, and the smallest edit of the kernel that orders them. The
 *          launch's sync log is replayed with one operation edited, then with two, until the first access
 *          happens before the second.
 *
 * Interface
 *   explain_race           tries edits of operations that are in the log. False: none orders the accesses,
 *                          or the log is full; the answer then has steps, but no sentences
 *   searches               further fixes. Each has to be given an empty proposal. False: there is none, and
 *                          the proposal is to be dropped
 *     explain_fix            an operation to add, where no edit orders the accesses
 *     explain_wider_barrier  a barrier of the work-group in the place of question->narrow
 *     explain_barrier_before, explain_image_fence, explain_wait
 *                            one operation of a known kind, where only its place is in question
 *     explain_release_clock  barriers beside a release and an acquire that other work-items of the two
 *                            work-groups execute. FIX_NONE: no line of text is their place, so the words are
 *                            advice
 *     explain_flag           plain accesses of a flag, taken for a release and an acquire
 *     explain_side           one of the accesses moved to the other side of a release or acquire of its own
 *                            work-item
 *     explain_early_read     an access that should follow a read of the value that the other work-item stores
 *     explain_advice         words for what cannot be tried
 *     explain_flag_advice    likewise for flags that are set and read in loops
 *   explain_covers         does a fix that was replayed order later instances of the race, too?
 *   explain_fix_covers     does a fix order another pair of work-items at the same two places?
 *   explain_covers_all     does it for any two work-items of the launch?
 *
 * Edits      Each is made to all operations of one place of the source. They are tried in this order: flags
 *            of a barrier or fence; a wider scope; a fence moved to the other side of its atomic; release
 *            or acquire for relaxed, also of a compare-exchange that fails; a fence for the other end of an
 *            edge that has one; fences with both flags beside a flag in the other memory; an atomic store
 *            for a plain one after a fence; a read-modify-write for a store that broke a release sequence.
 *            OpenCL C 1.x has no orders: there fences come before them, and both ends may need one. Single
 *            edits are tried before pairs. An edit of a scope that makes other atomics of its object race
 *            comes last.
 * Exactness  An edit changes no value, so each operation reads what it read in the run. What is called a
 *            fix was replayed under the interleaving that ran; other interleavings are not looked at.
 * Ownership  All pointers of a question are borrowed. Texts are in the answer.
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_H

#include "sim/memmodel/order/sync_log.h"
#include "sim/memmodel/order/order.h"
#include "wording.h"

/* One instance of a race: two accesses of two units that nothing orders. */
struct race_instance {
    struct racing_access {
        uint64_t unit;
        uint64_t clock; /* clock value of its segment; not set in the second access */
        uint32_t site, size;
        bool atomic, writes;
        enum memory_scope scope; /* reduced, as the shadow keeps it (R9) */
    } first, second;
    uint32_t first_at; /* the first access follows so many entries of the sync log (explain_locate) */
    uint32_t end;      /* length of the sync log when the second access was made */
    uint64_t when;     /* number of the second access's event */
};

/* A racing store and load, at least one of them plain: the load read what another work-item stored, and a
 * branch depends on it. So the two may be meant as a flag. */
struct flag_read {
    struct racing_access store, load;
    int region;
    uint64_t address;
    uint32_t end; /* length of the sync log when the load was made */
    uint64_t when;
    enum memory_ordering order[2]; /* of store and load, where they are atomic */
};

enum { FLAG_READS_MOST = HOSTILE(64, 4) };
/* A ring of the latest ones of a launch. */
struct flag_reads {
    struct flag_read items[FLAG_READS_MOST];
    uint32_t count, next;
    bool lost; /* some were overwritten, or never noted */
};

/* A load in a loop that spins on a value, and a racing store after that loop: the loop takes a lock, and
 * the store gives it back; or it waits for another work-item's flag, and the store sets its own. */
struct lock {
    uint32_t load, store;
    bool flags; /* the latter */
};
enum { LOCKS_MOST = 8 };
struct locks {
    struct lock items[LOCKS_MOST];
    uint32_t count;
};

/* A flag: the place that stores it and the place that loads it, with the scope that the two need. */
struct flag {
    uint32_t store, load;
    int region;
    enum memory_scope scope;
};

enum { RACE_INSTANCES_MOST = HOSTILE(32, 8) };

struct question {
    const struct sync_log *sync_log;
    const struct launch_info *launch;
    const struct checker_host *host;
    enum scope_rule rule;
    int region;       /* of the bytes */
    bool svm_atomics; /* the bytes lie in fine-grained SVM with atomics */
    /* Instances of one race. The first is the question; an edit that orders more of them is preferred. */
    const struct race_instance *instances;
    uint32_t instance_count;             /* 1 to RACE_INSTANCES_MOST */
    const struct locks *locks;           /* of the launch so far; NULL: none is known */
    const struct flag_reads *flag_reads; /* likewise */
    bool differs;                        /* the first instance writes two different values */
    bool one_wave;                       /* its two work-items execute each iteration of a loop together */
    /* R34: one work-item writes an image and reads it without a fence */
    bool device_dirty;
    /* A barrier that orders fewer work-items than the two, and the memory that it names. */
    struct narrow_barrier {
        uint32_t site, regions;
    } narrow;
    /* Both in log entries replayed. spent: by all questions of the launch, added up; the more, the less one
     * may take. most: the limit of this one; 0: a part of what the launch has left */
    uint64_t *spent;
    uint64_t most;
};

/* In the order in which they are tried. */
enum edit_kind {
    EDIT_FLAGS,           /* a barrier or fence gets the flag of the question's region */
    EDIT_SCOPE,           /* an atomic or fence gets another scope */
    EDIT_MOVE,            /* a fence goes to the other side of its atomic */
    EDIT_ORDER,           /* an atomic or fence gets a stronger order */
    EDIT_FENCE,           /* a fence for the question's region is put beside an atomic */
    EDIT_FENCES,          /* a flag is in the other memory: fences with both flags beside it (R15) */
    EDIT_STORE,           /* a plain store becomes atomic, so that a fence before it releases */
    EDIT_UPDATE,          /* a store becomes a read-modify-write, which keeps the release sequence (R8) */
    EDIT_ORDER_AND_SCOPE, /* only as one of a pair */
    EDIT_KINDS
};

struct edit {
    enum edit_kind kind;
    uint32_t spot;           /* the search's number of the place */
    uint32_t site;           /* of an answer: an instruction of the place */
    enum memory_scope scope; /* of EDIT_SCOPE, EDIT_ORDER_AND_SCOPE, EDIT_FENCE, EDIT_STORE */
    /* of EDIT_ORDER, EDIT_ORDER_AND_SCOPE; EDIT_FENCE: RELEASE is before the atomic, ACQUIRE after it */
    enum memory_ordering order;
    bool fails;                   /* `order` is that of a compare-exchange's failure, */
    enum memory_ordering success; /* and this is that of its success */
};

enum { NO_END = 0 }; /* instead of a site: there is none */
/* store NO_END: the access belongs before the operation, which is a release of its own work-item, or after
 * it, an acquire. Else the operation read before the store was made, and the access belongs after a read of
 * the value that the store writes. */
struct side {
    uint32_t access, operation;
    bool before;
    uint32_t store;
};

/* What orders the accesses. */
struct suggested_fix {
    /* EDITS: of operations in the log. FLAG: its accesses become atomic. SIDE: an access moves. FENCE: of an
     * image. WAIT: for a copy, or before one; covers the units of its work-group. BARRIER: between the two
     * accesses. ITERATION: in each iteration of a loop, and it orders the accesses of one iteration.
     * NEXT_ITERATION: it only orders an iteration before the next. ITERATIONS: two barriers in each
     * iteration. SPLIT: two kernels. ATOMIC: atomic accesses, which do not race. RELEASE_CLOCK: barriers
     * beside the release, the acquire, or both. */
    enum {
        FIX_NONE,
        FIX_EDITS,
        FIX_FLAG,
        FIX_SIDE,
        FIX_FENCE,
        FIX_WAIT,
        FIX_BARRIER,
        FIX_ITERATION,
        FIX_NEXT_ITERATION,
        FIX_ITERATIONS,
        FIX_SPLIT,
        FIX_ATOMIC,
        FIX_RELEASE_CLOCK
    } kind;
    struct edit edits[2];
    uint32_t edit_count;
    struct flag flag;
    struct side side;
    struct code_place place;             /* of the barrier, or where the kernel is split */
    struct code_place next;              /* ITERATIONS, RELEASE_CLOCK: of the second barrier; site 0: none */
    uint32_t since;                      /* ITERATION: site of the latest barrier before both accesses */
    uint32_t release_site, acquire_site; /* RELEASE_CLOCK: NO_END: no barrier is missing there */
    enum memory_scope scope;             /* of the atomic operations */
};

/* Is it one or two barriers between the accesses, in a loop or not? */
static inline bool fix_is_barrier(const struct suggested_fix *fix)
{
    return fix->kind >= FIX_BARRIER && fix->kind <= FIX_ITERATIONS;
}

enum { ANSWER_STEPS = 20, ANSWER_EDGES = 12, REWRITES_MOST = 2 };

/* A fix in words and, where the source is known, as edits of its text. why: "": the fix says nothing of the
 * reason. FIX_NONE: advice, which was not replayed. */
struct proposal {
    struct wording why, fix;
    struct suggested_fix suggested;
    struct code_rewrite rewrites[REWRITES_MOST];
    uint32_t rewrite_count;
};

struct answer {
    struct proposal proposal;
    bool covers_all; /* the edits order all instances of the question */
    uint32_t step_count;
    struct finding_step steps[ANSWER_STEPS];
    struct wording step_text[ANSWER_STEPS];
    uint64_t step_unit[ANSWER_STEPS];
    uint32_t edge_count;
    struct finding_edge edges[ANSWER_EDGES];
    struct finding_edit edits[REWRITES_MOST * CODE_EDITS_MOST]; /* the edits of all rewrites */
};

/* OpenCL C 1.x has no orders and scopes. Its atomics are relaxed, and their scope is the device, on local
 * memory the work-group. */
static inline bool explain_is_opencl_c_1(const struct checker_host *host)
{
    const uint32_t version = host->opencl_c ? host->opencl_c(host->self) : 0;
    return version && version < 200;
}

/* How many entries of the log, up to `end`, come before the access. */
uint32_t explain_locate(const struct sync_log *sync_log, const struct racing_access *access, uint32_t end);
bool explain_race(const struct question *question, struct answer *out_answer);
bool explain_fix(const struct question *question, struct proposal *out_proposal);
/* False: that does not order the accesses. */
bool explain_wider_barrier(const struct question *question, struct proposal *out_proposal);
/* A barrier before the asynchronous copy that is the second access. */
bool explain_barrier_before(const struct question *question, struct proposal *out_proposal);
/* A fence for images between a write and a read of one work-item (R34). */
bool explain_image_fence(const struct question *question, struct proposal *out_proposal);
/* A wait_group_events for the asynchronous copy that is the first access. */
bool explain_wait(const struct question *question, struct proposal *out_proposal);
bool explain_release_clock(const struct question *question, struct proposal *out_proposal);
/* For races on the memory that the flag guards. */
bool explain_flag(const struct question *question, struct proposal *out_proposal);
/* Is also called when the launch ends, since the operation that belongs before the access may come later. */
bool explain_side(const struct question *question, struct proposal *out_proposal);
/* Would the accesses be ordered if one work-item's read before its access had got the value that the other
 * stores after its own access? For races that explain_side does not solve. */
bool explain_early_read(const struct question *question, struct proposal *out_proposal);
/* False: the general words of the race's kind are right. */
bool explain_advice(const struct question *question, struct proposal *out_proposal);
/* In a loop no replay knows of which iteration an access is. */
bool explain_flag_advice(const struct question *question, struct proposal *out_proposal);
/* True also if the log is full or out of memory: only a replay that shows otherwise makes it false. */
bool explain_covers(const struct question *question, const struct suggested_fix *fix);
/* A barrier covers pairs of one work-group, a second launch covers all. */
bool explain_fix_covers(const struct launch_info *launch, enum scope_rule rule,
                        const struct suggested_fix *suggested_fix, uint64_t first, uint64_t second);
bool explain_covers_all(const struct launch_info *launch, bool local,
                        const struct suggested_fix *suggested_fix);

#endif
