/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of explain.h share: the search for edits, replays of the log, and pieces of
 *          sentences.
 *
 * Interface, by file
 *   explain_search.c
 *     edit_search_spots        the places that may be edited, and log entries that are themselves accesses
 *                              of the race; false: out of memory
 *     edit_search_edits        the smallest edits that order most instances. None if the accesses are
 *                              ordered without any: then no order is missing
 *     edit_search_fini         frees what the search owns
 *     explain_next_of          the next entry from `at` on that the unit executes; `end`: none. A barrier is
 *                              executed by all of its group
 *     explain_past_latest_of   1 + the latest such entry before `end`; 0: none
 *   explain_reorder.c
 *     edit_search_count_ordered  replays the log with the edits: how many instances are ordered? 0 if the
 *                                first is not
 *     edit_search_clashes      do the edits make atomics race whose scopes include each other without them
 *                              (R29)?
 *     edit_search_path         the edges (edges.h) by which the first access happens before the second with
 *                              the edits, between entries of the log without them; malloc'd
 *   explain_insert.c           each replays the log with one operation more
 *     explain_insert_barrier           a barrier between the two accesses, as the code orders them
 *     explain_insert_wait              a wait for the copy that is the first access, before the second
 *     explain_insert_barrier_before_copy   a barrier right before the copy that is the second access
 *     explain_insert_image_fence       an image fence between a write and a read of one work-item
 *     explain_insert_release_barriers  for any instance: a barrier of the first access's work-group before
 *                                      the release, one of the second's after the acquire
 *   explain_release.c
 *     explain_is_release_or_acquire        is it a release (an acquire) for the question's region?
 *     explain_is_group_release_or_acquire  and is it of the first access's work-group, or of the second's?
 *   explain_place.c
 *     explain_say_at, explain_say_and_at   " before mp.cl:8"; ", and before mp.cl:8"
 *     explain_put_at           the change that puts a statement at the place
 *     explain_has_fence_place  is there a place for a fence between an operation and the access?
 *     explain_say_statement_beside   a statement at that place, in words and as a change of the code
 *   explain_atomic.c
 *     explain_make_atomic      atomic accesses instead of plain ones
 *     explain_atomics_cover    do atomics of that scope order the two accesses? Then they are the fix
 *     explain_store_function   the atomic function that stores what the load there reads
 *     explain_updates          does an operator such as |= stand there? Then its atomic function; NULL: none
 *   explain_flag_replay.c
 *     explain_flag_orders      how many instances are ordered if the flag's plain accesses are a release and
 *                              an acquire? 0 if the first is not
 *   explain_flag.c, explain_side.c, explain_release.c: explain_flag_covers, explain_side_covers,
 *                              explain_release_clock_covers: explain_covers() for one kind of fix
 *   explain_say.c              explain_say_edits: why and fix of an answer
 *   edit_words.c               explain_noun: "read-modify-write"
 *   explain_update.c
 *     explain_is_update        are the accesses the load and the store of one update, as of x = max(x, y)?
 *     explain_update           atomic updates instead of the load and store of which the accesses are
 *                              halves. commuting: only updates whose order does not matter
 *     explain_update_advice    the same in words, where there is no text to edit
 *   explain_barrier.c
 *     explain_barrier_separates        a barrier between the accesses, or in the loop both are in, or two
 *                                      kernels split between them. update: not between them, which are the
 *                                      load and the store of one update
 *     explain_barrier_each_iteration   a barrier after each of the two accesses, in each iteration of a loop.
 *                                      False: none orders them, or the kernel would not compile with it
 *     explain_barrier_say_in_line      words for a barrier between two accesses of one line
 *     explain_say_iterations           words for a barrier in each iteration of a loop
 *   explain_lock.c
 *     lock_held_at             the lock that a work-item holds at a place of the code: no barrier can stand
 *                              there, and no kernel can end. NULL: none
 *     lock_of_stores           the lock that both accesses give back; NULL: they are not such stores
 *     lock_is_taken_by         is the plain access of the update that takes a lock, as `while (*x); *x = 1;`?
 *   explain_advice.c
 *     explain_other_buffer     of two buffers that alternate, the one that the write was meant for
 *   explain_fix.c
 *     explain_is_single_update   are the accesses of one update that no lock guards?
 *   explain_draw.c             explain_draw: steps and edges of an answer
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_STATE_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_STATE_H

#include <string.h>

#include "explain.h"

/* A place of the source with a sync operation, which an edit changes wherever it is executed. */
struct edit_spot {
    /* An entry of the place. Of a compare-exchange it is one that succeeded, if any did. */
    const struct sync_op *sample;
    /* An entry of a compare-exchange that failed, whose order is an argument of its own; NULL: none. */
    const struct sync_op *failed;
    uint64_t by;        /* the first unit or group that executed it */
    bool reads, writes; /* some entry does */
    uint32_t site;
};

enum {
    SPOTS_MOST = 16,
    EDITS_MOST = SPOTS_MOST * 13,
    /* work counts log entries replayed */
    WORK_MOST = 1 << 22,         /* of one question */
    WORK_MORE = 1 << 19,         /* after the first edit that orders the accesses */
    WORK_OF_LAUNCH = 1 << 24,    /* of all questions of a launch */
    WORK_LEAST = 1 << 17,        /* of a question, if the launch has no more left */
    RELEASE_CLOCKS_OF_WORK = 128 /* so many release clocks looked through cost one entry */
};

enum { NO_ACT = UINT32_MAX };

/* By log entry: of an atomic, 1 + the indexes of the fences of its unit beside it, where they would be on its
 * other side if they moved, before it or after it; 0: none. Of a fence: does it move past an atomic? */
struct moved_fences {
    uint32_t moved[2];
    bool moves;
};

/* The smallest edits so far, and how many instances they order. */
struct found_edits {
    struct edit edits[2];
    uint32_t count, ordered;
};

struct edit_search {
    const struct question *question;
    /* by instance: the log entry that is the access itself, an atomic or a store; NO_ACT: none */
    uint32_t first_act[RACE_INSTANCES_MOST], second_act[RACE_INSTANCES_MOST];
    uint32_t *spot_of;           /* by log entry: its place; SPOTS_MOST: none */
    struct moved_fences *beside; /* by log entry; NULL until a fence moves */
    struct edit_spot spots[SPOTS_MOST];
    uint32_t spot_count, spots_most;
    struct edit edits[EDITS_MOST];
    uint32_t edit_count;
    struct found_edits clashing; /* the best edits of those that make atomics race */

    uint64_t work, work_most;
    bool failed; /* out of memory */
};

bool edit_search_spots(struct edit_search *search);
void edit_search_edits(struct edit_search *search, struct found_edits *found);
void edit_search_fini(struct edit_search *search);
uint32_t edit_search_count_ordered(struct edit_search *search, const struct edit *edits, uint32_t count);
bool edit_search_clashes(struct edit_search *search, const struct edit *edits, uint32_t count);
bool explain_insert_barrier(const struct question *question, const struct code_place *place);
bool explain_insert_release_barriers(const struct question *question, const struct race_instance *instance,
                                     const struct suggested_fix *suggested_fix);
uint32_t explain_next_of(const struct question *question, uint64_t unit, uint32_t at, uint32_t end);
uint32_t explain_past_latest_of(const struct question *question, uint64_t unit, uint32_t end);
bool explain_is_release_or_acquire(const struct question *question, const struct sync_op *sync_op,
                                   bool releases);
bool explain_is_group_release_or_acquire(const struct question *question,
                                         const struct race_instance *instance, const struct sync_op *sync_op,
                                         bool releases);
void explain_say_at(const struct question *question, const struct code_place *place, struct wording *fix);
void explain_say_and_at(const struct question *question, const struct code_place *place, struct wording *fix);
void explain_put_at(const struct code_place *place, const char *statement, struct wording *fix);
bool explain_updates(const struct question *question, uint32_t site, const char **out_function);
const char *explain_store_function(const struct question *question, uint32_t load);
bool explain_has_fence_place(const struct question *question, uint32_t site, bool past);
void explain_say_statement_beside(const struct question *question, uint32_t site, bool past,
                                  const char *statement, struct wording *fix);
bool explain_insert_wait(const struct question *question);
bool explain_insert_image_fence(const struct question *question, const struct code_place *place);
bool explain_insert_barrier_before_copy(const struct question *question, uint32_t site);
uint32_t explain_flag_orders(const struct question *question, const struct flag *flag);
bool explain_flag_covers(const struct question *question, const struct flag *flag);
bool explain_side_covers(const struct question *question, const struct side *side);
bool explain_release_clock_covers(const struct question *question, const struct suggested_fix *suggested_fix);
struct edge *edit_search_path(struct edit_search *search, const struct found_edits *found,
                              uint32_t *out_count);
bool explain_is_update(const struct question *question);
bool explain_update(const struct question *question, bool commuting, struct proposal *proposal);
bool explain_update_advice(const struct question *question, struct wording *fix);
bool explain_atomics_cover(const struct question *question, enum memory_scope scope,
                           struct suggested_fix *suggested_fix);
bool explain_make_atomic(const struct question *question, struct proposal *proposal);
bool explain_is_single_update(const struct question *question);
bool explain_barrier_separates(const struct question *question, bool update, struct proposal *proposal);
bool explain_barrier_each_iteration(const struct question *question, struct proposal *proposal);
void explain_barrier_say_in_line(const struct question *question, const struct code_order *order,
                                 struct wording *fix);
void explain_say_iterations(const struct question *question, const struct suggested_fix *suggested_fix,
                            struct wording *fix);
const struct lock *lock_held_at(const struct question *question, const struct code_place *place);
const struct lock *lock_of_stores(const struct question *question);
bool lock_is_taken_by(const struct question *question);
bool explain_other_buffer(const struct question *question, struct wording *fix);
void explain_say_edits(struct edit_search *search, const struct found_edits *found, struct answer *answer);
void explain_draw(struct edit_search *search, const struct found_edits *found, struct answer *answer);

const char *explain_noun(const struct sync_op *sync_op);

/* A read of a flag by its index; lower indexes are later reads. */
static inline const struct flag_read *flag_read_at(const struct flag_reads *flag_reads, uint32_t index)
{
    return &flag_reads->items[(flag_reads->next + FLAG_READS_MOST - 1 - index) % FLAG_READS_MOST];
}

static inline bool is_read_of_flag(const struct flag_read *flag_read, const struct flag *flag)
{
    return flag->store == flag_read->store.site && flag->load == flag_read->load.site &&
           flag->region == flag_read->region;
}

static inline bool is_barrier(const struct sync_op *sync_op)
{
    return sync_op->kind <= SYNC_OP_NAMED_BARRIER;
}

static inline bool is_atomic(const struct sync_op *sync_op)
{
    return sync_op->kind == SYNC_OP_ATOMIC;
}

static inline bool is_fence(const struct sync_op *sync_op)
{
    return sync_op->kind == SYNC_OP_FENCE;
}

/* Is it an operation of one work-item, which is not its group's? */
static inline bool is_own(const struct sync_op *sync_op)
{
    return is_fence(sync_op) || is_atomic(sync_op);
}

/* Does the order make a release, or an acquire? */
static inline bool has_order(enum memory_ordering order, bool releases)
{
    return order == (releases ? ORDER_RELEASE : ORDER_ACQUIRE) || order >= ORDER_ACQ_REL;
}

/* Of an atomic, the scope that its object reduces it to (R9). */
static inline enum memory_scope sync_op_scope(const struct sync_op *sync_op)
{
    const enum memory_scope scope = (enum memory_scope)sync_op->scope;
    return is_atomic(sync_op) ? scope_reduced(scope, sync_op->region == IN_LOCAL, sync_op->svm_atomics)
                              : scope;
}

/* An acquire fence that came too early moves after its atomic; a release fence moves before its own. */
static inline bool moves_forward(const struct sync_op *fence)
{
    return fence->order == ORDER_ACQUIRE;
}

static inline uint64_t unit_group(const struct question *question, uint64_t unit)
{
    const uint64_t *size = question->launch->local_size;
    return unit / (size[0] * size[1] * size[2]);
}

/* The line of an instruction from its column on; NULL: the text or the column is unknown. */
static inline const char *text_at(const struct question *question, uint32_t site)
{
    const struct source_place place = code_source(question->host, site);
    const bool known = place.text && place.column && strlen(place.text) >= place.column;
    return known ? place.text + place.column - 1 : NULL;
}

/* Is one of the accesses an asynchronous copy's? */
static inline bool is_by_copy(const struct race_instance *instance)
{
    return instance->first.unit >= UNIT_COPIES || instance->second.unit >= UNIT_COPIES;
}

/* The scope that includes all work-items of the launch that can access memory of the region. */
static inline enum memory_scope launch_scope(const struct question *question, int region)
{
    const uint64_t *count = question->launch->group_count;
    return region == IN_LOCAL || count[0] * count[1] * count[2] == 1 ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
}

/* The answer to an optional query about the code (code_host.h). */
#define ASK(question, query, ...) CODE_ASK((question)->host, query, __VA_ARGS__)

#endif
