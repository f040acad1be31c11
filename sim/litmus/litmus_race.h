/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Decides whether an interleaving has a race: its events are announced to a race checker of its
 * own, as if
 *          the launch had run in that order.
 *
 * Interface
 *   race_judge_new, race_judge_free
 *   race_judge_execution        one execution; true: it has a race
 *   race_judge_failed           out of memory
 *   race_judge_agrees           the axioms agree, or the execution is too long for them
 */
#ifndef ORRERY_SIM_LITMUS_LITMUS_RACE_H
#define ORRERY_SIM_LITMUS_LITMUS_RACE_H

#include "axioms.h"
#include "explore.h"

struct race_judge;
struct race_judge *race_judge_new(const struct unfold *unfold); /* NULL: no memory */
void race_judge_free(struct race_judge *judge);
/* out_text: the places of the race ("lines 12 and 19"), malloc'd; may be NULL. */
bool race_judge_execution(struct race_judge *judge, const struct execution *execution, char **out_text);
bool race_judge_failed(const struct race_judge *judge); /* out of memory: its result is not valid */
bool race_judge_agrees(struct race_judge *judge, const struct execution *execution, bool races);

#endif
