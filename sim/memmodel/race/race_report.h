/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Reports the first race of a pair of instructions: fills in its finding, explains it (race_why.h),
 *          and passes it to the report, now or when it is known what else follows from it.
 *
 * Interface
 *   race_report_pair   reports the pair, or holds its finding back
 *   race_report_held   reports all that is held back, in the order in which it came; at the end of the launch
 */
#ifndef ORRERY_SIM_MEMMODEL_RACE_RACE_REPORT_H
#define ORRERY_SIM_MEMMODEL_RACE_RACE_REPORT_H

#include "race.h"

void race_report_pair(struct races *races, const struct race_event *under_way, struct race_pair *pair,
                      const struct race *race, const struct shadow_access *now);
void race_report_held(struct races *races);

#endif
