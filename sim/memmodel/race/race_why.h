/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Why nothing orders the two accesses of a race, and what would: the edit that explain.h has tried,
 *          what follows from a race on a flag, or else what the order itself says is missing.
 *
 * Interface
 *   race_why             fills why, fix, steps, edges and blamed places of the pair's finding, whose texts
 *                        the answer owns, and what later pairs are tried with: edits, fix, flag
 *   race_why_later       of a pair that is `apart`, when more has happened: true: the answer's why and fix
 *                        are others, and were tried
 *   race_why_all         of a pair that is `narrow`, likewise: true: the finding has an edit for all the
 *                        conflicts, which this answer has
 *   race_why_edits       the finding's edits, of the answer's fix; their texts are the answer's
 *   race_question        of a pair, as explain.h takes it
 *   race_asked           an access, likewise
 *   race_same_place      two instructions of one place of the source
 *   race_takes_barrier   a barrier would fix the pair
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_WHY_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_WHY_H

#include "race.h"

void race_why(struct answer *answer, struct races *races, struct race_pair *pair, const struct race *race,
              const struct shadow_access *now);
bool race_why_later(struct answer *answer, struct races *races, struct race_pair *pair);
bool race_why_all(struct answer *answer, struct races *races, struct race_pair *pair,
                  struct finding *finding);
void race_why_edits(struct answer *answer, const struct races *races, struct finding *finding);
struct question race_question(const struct races *races, const struct race_pair *pair);
struct racing_access race_asked(uint64_t unit, const struct context *how);
bool race_same_place(const struct races *races, uint32_t a, uint32_t b);
bool race_takes_barrier(const struct race_pair *pair);

#endif
