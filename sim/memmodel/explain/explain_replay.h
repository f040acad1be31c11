/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The synchronising events of a launch, ordered once more from its history. The explanation of a
 *          race deviates from the history on the way, and queries what would happen before what then.
 *
 * Interface
 *   replay_begin   nothing has happened yet. Never fails; no memory shows in replay_end, replay_failed
 *   replay_happen  an operation of the history, or a possible one
 *   replay_until   all of the question's history from there to before that
 *   replay_slice   the segment in which that unit is
 *   replay_has     for the question's memory, does what a unit did in that segment happen before the other's
 *                  next operation?
 *   replay_failed  out of memory: no result holds
 *   replay_end     frees it; the result, unless out of memory
 *
 * It owns the order. The question is borrowed.
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_REPLAY_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_REPLAY_H

#include "explain_state.h"

struct replay {
    const struct question *question;
    struct order order;
};

void replay_begin(struct replay *replay, const struct question *question);
void replay_happen(struct replay *replay, const struct sync_op *what);
void replay_until(struct replay *replay, uint32_t from, uint32_t to);
uint64_t replay_slice(const struct replay *replay, uint64_t unit);
bool replay_has(const struct replay *replay, uint64_t unit, uint64_t of, uint64_t slice);
bool replay_failed(const struct replay *replay);
bool replay_end(struct replay *replay, bool answer);

#endif
