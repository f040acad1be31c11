/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why nothing orders the two accesses of a race, and what would: an edit that explain.h has tried,
 *          what follows from a race on a flag, or else what the order itself lacks.
 *
 * Interface
 *   race_why             fills in why, fix, steps, edges and blamed places of the pair's finding, whose texts
 *                        the answer owns; and what later races of the pair are tested with: edits, fix, flag
 *   race_why_later       at the end of the launch, for a pair with side_later. True: why and fix are new,
 *                        and the fix was tried
 *   race_why_all         at the end of the launch, for a pair with edits_later. If an edit orders all
 *                        recorded races, it becomes the answer
 *   race_why_edits       the finding's edits, from the answer's fix; their texts are the answer's
 *   race_question        the pair as a question of explain.h
 *   race_question_access  an access as part of such a question
 *   race_takes_barrier   is the fix a barrier of the work-group?
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_WHY_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_WHY_H

#include "race.h"

void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now);
bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair);
void race_why_all(struct answer *answer, struct races *races, struct race_pair *pair,
                  struct finding *finding);
void race_why_edits(struct answer *answer, const struct races *races, struct finding *finding);
struct question race_question(struct races *races, const struct race_pair *pair);
struct racing_access race_question_access(uint64_t unit, const struct access_context *how);
bool race_takes_barrier(const struct suggested_fix *fix);

#endif
