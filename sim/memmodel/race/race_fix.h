/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Tests a suggested fix on further races of its pair. What it does not cover sets not_covered.
 *
 * Interface
 *   race_fix_test            on a later race of the pair
 *   race_fix_test_instances  on the recorded races of the pair
 *   race_fix_test_pair       on another pair, which the pair represents
 *   race_fix_covers_all      at the end of the launch: do replays of all recorded races agree?
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_FIX_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_FIX_H

#include "race.h"

void race_fix_test(const struct races *races, struct race_pair *pair, const struct race *race,
                   const struct shadow_access *now);
void race_fix_test_instances(const struct races *races, struct race_pair *pair);
void race_fix_test_pair(const struct races *races, const struct race_pair *pair);
bool race_fix_covers_all(struct races *races, const struct race_pair *pair);

#endif
