/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The synchronising events of a launch, ordered once more from its history. Whoever explains a race
 *          does other than the history says on the way, and asks who would then know of whom.
 *
 * Interface
 *   replay_begin   nothing has happened yet. Never fails; no memory shows in replay_end, replay_failed
 *   replay_happen  what the history has, or might have
 *   replay_until   all of the question's history from there to before that
 *   replay_slice   the slice in which that unit is
 *   replay_knows   does a unit know, of the question's memory, what another one did in that slice?
 *   replay_failed  there was no memory: no answer holds
 *   replay_end     frees it; the answer, unless there was no memory
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
bool replay_knows(const struct replay *replay, uint64_t unit, uint64_t of, uint64_t slice);
bool replay_failed(const struct replay *replay);
bool replay_end(struct replay *replay, bool answer);

#endif
