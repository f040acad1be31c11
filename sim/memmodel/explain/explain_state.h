/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of explain.h share: a search for the edits that order a race's accesses.
 *
 * Interface
 *   search_locate    finds the first accesses of the meetings in the history; false: there are none
 *   search_spots     finds the operations that could be edited, and those that are accesses of the meetings;
 *                    false: no memory
 *   search_edits     finds the smallest edits that order most meetings; none when it is no order that is
 *                    missing
 *   search_fini      frees what it has found
 *   again_orders     orders the launch again with the edits: in how many meetings would the second access
 *                    come after the first? 0: not in the question's own
 *   again_clashes    do atomics of one object race with the edits whose scopes include each other without?
 *   insert_barrier   the same of the first meeting, with one more barrier of its group, passed by one access
 *                    before and by the other after it
 *   insert_wait      the same with a wait for the copy that is the first access, right before the second
 *   insert_barrier_before_copy   the same with a barrier right before the copy that is the second access
 *   insert_image_fence   of one work-item: would its read of an image see what it wrote, with a fence for
 *                        images between?
 *   insert_release_clock_barriers   of any meeting: with a barrier of the first one's work-group before the
 *                                   fix's release, and of the second
 *                    one's after its acquire, where it has them
 *   again_known      at that position of the history, does what the other unit did up to an earlier one
 *                    happen before?
 *   again_read       the same, had the unit waited with what it did from then on until the store of another
 *                    unit was done?
 *   is_of_unit       has the unit a part in it, a barrier of its group among them?
 *   is_release_clock_end   is it a release, or an acquire, as for the question's memory?
 *   release_clock_end      is it a release by the first one's work-group, or an acquire by the second's?
 *   say_at, say_and_at   " before mp.cl:8"
 *   store_function   that stores what is loaded there, as an atomic with an order
 *   fits_beside      is there a place for a fence that say_beside could name?
 *   say_beside       where a fence goes that is before an operation and after the first access, or after it
 *                    and before the second
 *   passings_order   in how many meetings does the second access come after the first, with the passings of a
 *                    flag as releases and acquires? 0: not in the first
 *   again_write      the history with the edits, up to the second access; false: no memory. The caller
 *                    frees both arrays either way
 *   has_old_atomics  the program has no orders and scopes
 *   say_edits        why and fix of an answer
 *   explain_update   atomic updates instead of the updates that the two are halves of; commuting: only if
 *                    their order does not matter. explain_update_advice: where there is no text for it
 *   draw             its steps and edges
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_STATE_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_STATE_H

#include <string.h>

#include "explain.h"

/* In the order in which they are tried. A fence on the wrong side is found before one that is not there.
 * FENCE: one of the question's memory beside an atomic, for the other end to meet; FENCES: with both flags,
 * beside a flag in the other memory. STORE: an atomic one for a plain one, which makes a fence before it a
 * release. */
enum edit_kind {
    EDIT_FLAGS,
    EDIT_SCOPE,
    EDIT_MOVE,
    EDIT_ORDER,
    EDIT_FENCE,
    EDIT_FENCES,
    EDIT_STORE,
    EDIT_UPDATE,
    EDIT_ORDER_AND_SCOPE,
    EDIT_KINDS
};

/* One operation of the source, wherever it runs. */
struct spot {
    const struct sync_op *sample;
    /* a compare-exchange that did, whose order is another argument; NULL: none. The sample did not, if any
     * did not */
    const struct sync_op *failed;
    uint64_t by; /* the first unit or group that did it */
    bool reads, writes;
    uint32_t site;
};

struct edit {
    enum edit_kind kind;
    uint32_t spot;
    enum memory_scope scope; /* of EDIT_SCOPE, EDIT_ORDER_AND_SCOPE, EDIT_FENCE, EDIT_STORE */
    /* of EDIT_ORDER, EDIT_ORDER_AND_SCOPE; of EDIT_FENCE: RELEASE before the atomic, ACQUIRE after it */
    enum memory_ordering order;
    bool fails; /* which is that of failure, and of success is: */
    enum memory_ordering success;
};

enum {
    SPOTS_MOST = 16,
    EDITS_MOST = SPOTS_MOST * 13,
    WORK_MOST = 1 << 22,
    WORK_MORE = 1 << 19,
    WORK_OF_LAUNCH = 1 << 24,
    WORK_LEAST = 1 << 17,
    RELEASE_CLOCKS_OF_WORK = 128
};

enum { NO_ACT = UINT32_MAX };

/* The atomics and fences of its unit just before and after one of them; the history's length: none. */
struct own {
    uint32_t before, next;
};

/* The smallest edits that order most of the meetings so far. */
struct found {
    struct edit edits[2];
    uint32_t count, ordered;
};

struct search {
    const struct question *question;
    /* the first access of each meeting comes after so many sync operations */
    uint32_t first_at[MEETINGS_MOST];
    /* the sync operation that is the access itself, an atomic; NO_ACT: none */
    uint32_t first_act[MEETINGS_MOST], second_act[MEETINGS_MOST];
    uint32_t meeting_count;
    uint32_t *spot_of; /* of each sync operation, SPOTS_MOST: none */
    struct own *own;   /* of each sync operation; NULL until a fence moves */
    struct spot spots[SPOTS_MOST];
    uint32_t spot_count, spots_most;
    struct edit edits[EDITS_MOST];
    uint32_t edit_count;
    struct found clashing; /* likewise, of edits that make atomics race */
    /* sync operations ordered so far, and messages looked through, RELEASE_CLOCKS_OF_WORK for one */
    uint64_t work, work_most;
    bool failed; /* no memory */
};

/* The history with the edits, and which sync operation each one was. */
struct edited {
    struct sync_op *items;
    uint32_t *was;
    uint32_t count, room;
};

/* Up to where a unit has executed when that many sync operations were done. */
struct clock_snapshot {
    uint64_t unit;
    uint32_t at;
};

bool search_locate(struct search *search);
bool search_spots(struct search *search);
void search_edits(struct search *search, struct found *found);
void search_fini(struct search *search);
uint32_t again_orders(struct search *search, const struct edit *edits, uint32_t count);
bool again_clashes(struct search *search, const struct edit *edits, uint32_t count);
bool insert_barrier(const struct question *question, const struct code_place *place);
bool insert_release_clock_barriers(const struct question *question, const struct meeting *meeting,
                                   const struct suggested_fix *suggested_fix);
bool again_known(const struct question *question, const struct clock_snapshot *from,
                 const struct clock_snapshot *to);
bool again_read(const struct question *question, const struct clock_snapshot *from, uint32_t store,
                const struct clock_snapshot *read, uint32_t end);
bool is_of_unit(const struct question *question, const struct sync_op *sync_op, uint64_t unit);
bool is_release_clock_end(const struct question *question, const struct sync_op *sync_op, bool releases);
bool release_clock_end(const struct question *question, const struct meeting *meeting,
                       const struct sync_op *sync_op, bool releases);
void say_at(const struct question *question, const struct code_place *place, struct wording *fix);
void say_and_at(const struct question *question, const struct code_place *place, struct wording *fix);
const char *store_function(const struct question *question, uint32_t load);
bool fits_beside(const struct question *question, uint32_t site, bool past);
void say_statement_beside(const struct question *question, uint32_t site, bool past, const char *statement,
                          struct wording *fix);
void say_beside(const struct question *question, uint32_t site, bool past, struct wording *fix);
bool insert_wait(const struct question *question);
bool insert_image_fence(const struct question *question, const struct code_place *place);
bool insert_barrier_before_copy(const struct question *question, uint32_t site);
uint32_t passings_order(const struct question *question, const struct passings *passings,
                        const struct flag *flag);
bool again_write(struct search *search, const struct found *found, struct edited *list, uint32_t *out_first);
bool has_old_atomics(const struct question *question);
bool explain_update(const struct question *question, bool commuting, struct proposal *out_proposal,
                    struct suggested_fix *out_suggested_fix);
bool explain_update_advice(const struct question *question, struct wording *out_fix);
void say_edits(struct search *search, const struct found *found, struct answer *answer);
void draw(struct search *search, const struct found *found, struct answer *answer);

/* Its name in a sentence. */
const char *sync_op_noun(const struct sync_op *sync_op);

static inline bool is_barrier(const struct sync_op *sync_op)
{
    return sync_op->kind <= HAPPENED_NAMED_BARRIER;
}

static inline bool is_atomic(const struct sync_op *sync_op)
{
    return sync_op->kind == HAPPENED_ATOMIC;
}

static inline bool is_fence(const struct sync_op *sync_op)
{
    return sync_op->kind == HAPPENED_FENCE;
}

/* Of one work-item. */
static inline bool is_own(const struct sync_op *sync_op)
{
    return is_fence(sync_op) || is_atomic(sync_op);
}

/* Of an atomic, as its object reduces it. */
static inline enum memory_scope sync_op_scope(const struct sync_op *sync_op)
{
    const enum memory_scope scope = (enum memory_scope)sync_op->scope;
    return is_atomic(sync_op) ? scope_reduced(scope, sync_op->region == IN_LOCAL, sync_op->svm_atomics)
                              : scope;
}

static inline bool moves_forward(const struct sync_op *fence)
{
    return fence->order == ORDER_ACQUIRE;
}

static inline uint64_t unit_group(const struct question *question, uint64_t unit)
{
    const uint64_t *size = question->launch->local_size;
    return unit / (size[0] * size[1] * size[2]);
}

static inline bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

#endif
