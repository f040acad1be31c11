/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Turns of a thread's loops that change nothing: the thread comes to a state that it
 *          was in before on its path, and has stored nothing since.  What comes then comes
 *          without the turn as well, except that the turn's own accesses may race.
 *
 * How many are followed  A race has two accesses.  Every turn that has neither can be taken out of the
 *          execution: both are still there, and no more orders them than before.  So on one
 *          path the turns that are followed have some access in common (shared_from,
 *          shared_to), and the access is one that could race while none before it would
 *          (may_race).  What lies before it, and what lies after it, has no such turn: paths
 *          are no more than twice as long.
 *
 * Interface
 *   turn_inherit       for each new step, linked to its parent
 *   turn_find          for one that reads: again, by_chance, may_race
 *   turn_past_bound    the thread came here more often than the bound allows; turns that are followed do not
 *                      count
 */
#ifndef ORRERY_SIM_LITMUS_LOOP_ITERATION_H
#define ORRERY_SIM_LITMUS_LOOP_ITERATION_H

#include "unfold.h"

void turn_inherit(struct step *step);
void turn_find(const struct unfold *unfold, struct step *step, uint32_t frame_size);
bool turn_past_bound(const struct unfold *unfold, const struct step *step);

#endif
