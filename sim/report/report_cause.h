/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What follows from what, so that a reader begins with the mistake and not with its effects.
 *
 * Interface
 *   report_cause   the earlier finding of the list that the finding may follow from; NULL: none
 */
#ifndef ORRERY_SIM_REPORT_REPORT_CAUSE_H
#define ORRERY_SIM_REPORT_REPORT_CAUSE_H

#include "report_entry.h"

const struct finding *report_cause(const struct report_list *found, const struct finding *finding);

#endif
