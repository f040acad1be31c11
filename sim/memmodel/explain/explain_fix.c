/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to add where no edit of an existing operation orders the accesses: a barrier between them or in a loop
 * (explain_barrier.c), a second kernel, one atomic update (explain_update.c), atomic accesses
 * (explain_atomic.c). explain_fix() tries the candidates from specific to general; what cannot be replayed is
 * advice (explain_advice.c).
 */
#include "edges.h"
#include "explain_accesses.h"

/* Are the accesses of one update that no lock guards? A barrier would separate a load from its own store. */
bool explain_is_single_update(const struct question *question)
{
    const struct code_place places[2] = {{.site = question->instances->first.site},
                                         {.site = question->instances->second.site}};
    return explain_is_update(question) &&
           (lock_is_taken_by(question) ||
            (!lock_held_at(question, &places[0]) && !lock_held_at(question, &places[1])));
}

/* Atomics of local memory are all of one work-group. The device's scope includes any two work-items of the
 * launch, unless the launch's work-groups run on several devices. */
bool explain_covers_all(const struct launch_info *launch, bool local,
                        const struct suggested_fix *suggested_fix)
{
    if (suggested_fix->kind != FIX_ATOMIC)
        return suggested_fix->kind != FIX_WAIT && !fix_is_barrier(suggested_fix);
    return local ? suggested_fix->scope >= SCOPE_WORK_GROUP
                 : suggested_fix->scope >= SCOPE_DEVICE && !launch->group_device;
}

/* explain_covers() replays fixes of other kinds. The caller compares the work-groups of a WAIT. */
bool explain_fix_covers(const struct launch_info *launch, enum scope_rule rule,
                        const struct suggested_fix *suggested_fix, uint64_t first, uint64_t second)
{
    if (suggested_fix->kind != FIX_ATOMIC && !fix_is_barrier(suggested_fix))
        return true;
    if (first >= UNIT_COPIES || second >= UNIT_COPIES)
        return false;
    const struct place a = edges_unit_place(launch, first), b = edges_unit_place(launch, second);
    return suggested_fix->kind == FIX_ATOMIC
               ? scope_inclusive(rule, suggested_fix->scope, &a, suggested_fix->scope, &b)
               : a.group == b.group;
}

/* An update whose order does not matter becomes atomic at once. For others a barrier is tried first: they
 * may be meant to follow one another, as in iterations of a loop. */
bool explain_fix(const struct question *question, struct proposal *out_proposal)
{
    struct wording other = {.used = 0};
    if (is_by_copy(question->instances) || explain_other_buffer(question, &other))
        return false;
    const bool update = explain_is_single_update(question);
    if (update && explain_update(question, true, out_proposal))
        return true;
    if (accesses_are_stores_of_all(question))
        return false;
    if (explain_barrier_separates(question, update, out_proposal) ||
        explain_update(question, false, out_proposal))
        return true;
    /* of an update whose source is known, a relaxed store alone would lose what other work-items add */
    if (!(update && accesses_have_text(question)) && explain_make_atomic(question, out_proposal))
        return true;
    return explain_barrier_each_iteration(question, out_proposal);
}
