/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Replays a launch's sync log into a fresh order, with deviations, and asks what happens before
 *          what then.
 *
 * Interface
 *   replay_begin    an order in which nothing has happened. Never fails: replay_failed and replay_end
 *                   report that memory is out
 *   replay_happen   an operation of the log, or one that is not in it
 *   replay_until    the entries of the question's log from index `from` up to, not including, `to`
 *   replay_segment    the clock value of the unit's segment
 *   replay_has      for the question's region: does what unit `of` did in the segment of that clock value
 *                   happen before the next operation of `unit`?
 *   replay_failed   out of memory: no result holds
 *   replay_end      frees the order; the answer, or false if out of memory
 *
 *   replay_happens_before   a whole replay: does what a unit did up to one place of the log happen before
 *                           what another does from a later place on? more: an operation that is replayed at
 *                           the earlier place; NULL: none
 *   replay_accesses         replays the log up to index `until`; the clock value of the first access's
 *                           segment
 *   replay_late_read        likewise, with the reading unit's operations from its read up to its access, at
 *                           log length `end`, moved to after the other unit's store
 *
 * Ownership  The replay owns the order. The question is borrowed.
 */
#ifndef ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_REPLAY_H
#define ORRERY_SIM_MEMMODEL_EXPLAIN_EXPLAIN_REPLAY_H

#include "explain_state.h"

/* What a unit has done when the log had so many entries. */
struct clock_snapshot {
    uint64_t unit;
    uint32_t at;
};

struct replay {
    const struct question *question;
    struct order order;
};

void replay_begin(struct replay *replay, const struct question *question);
void replay_happen(struct replay *replay, const struct sync_op *what);
void replay_until(struct replay *replay, uint32_t from, uint32_t to);
uint64_t replay_segment(const struct replay *replay, uint64_t unit);
bool replay_has(const struct replay *replay, uint64_t unit, uint64_t of, uint64_t segment);
bool replay_failed(const struct replay *replay);
bool replay_end(struct replay *replay, bool answer);

bool replay_happens_before(const struct question *question, const struct clock_snapshot *from,
                           const struct sync_op *more, const struct clock_snapshot *to);
uint64_t replay_accesses(struct replay *replay, const struct question *question, uint32_t until);
bool replay_late_read(const struct question *question, const struct clock_snapshot *from, uint32_t store,
                      const struct clock_snapshot *read, uint32_t end);

#endif
