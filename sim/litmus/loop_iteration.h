/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Iterations of a thread's loops that change nothing: the thread reaches a state that it was in
 *          before on its path, and has stored nothing since. The continuation exists without the iteration as
 *          well, except that the iteration's own accesses may race.
 *
 * How many are followed  A race has two accesses. Every iteration that has neither can be removed from the
 *                        execution: both are still there, and no new edge orders them. So on one path the
 *                        iterations that are followed have some access in common (shared_from,
 *          shared_to), and the access is one that could race while none before it would
 *          (may_race).  The parts before it and after it have no such iteration: paths are no more than twice
 *                       as long.
 *
 * Interface
 *   iteration_inherit      for each new step, linked to its parent
 *   iteration_find         for one that reads: again, by_chance, may_race
 *   iteration_past_bound   the thread reached this point more often than the bound allows; iterations that
 *                          are followed do not count
 */
#ifndef ORRERY_SIM_LITMUS_LOOP_ITERATION_H
#define ORRERY_SIM_LITMUS_LOOP_ITERATION_H

#include "unfold.h"

void iteration_inherit(struct step *step);
void iteration_find(const struct unfold *unfold, struct step *step, uint32_t frame_size);
bool iteration_past_bound(const struct unfold *unfold, const struct step *step);

#endif
