/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Does an interleaving race?  By the axioms, which need its events in the order in
 *          which they happened: a read takes the latest store, stores are modified in that order.
 */
#ifndef ORRERY_SIM_LITMUS_RACE_H
#define ORRERY_SIM_LITMUS_RACE_H

#include "axioms.h"
#include "explore.h"

/* UNKNOWN: more than EVENTS_MOST events. scratch: overwritten. */
enum litmus_answer interleaving_races(const struct unfold *unfold, const struct execution *execution, struct candidate *scratch);

#endif
