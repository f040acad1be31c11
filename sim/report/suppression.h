/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The findings that the scenario suppresses.
 *
 * Interface
 *   suppression_find   the first suppression of the scenario that matches the finding, or NULL
 *   suppression_glob_matches          does a text match a pattern in which * is any text, also the empty one?
 */
#ifndef ORRERY_SIM_REPORT_SUPPRESSION_H
#define ORRERY_SIM_REPORT_SUPPRESSION_H

#include "orrery/report.h"

const struct suppression *suppression_find(const struct scenario *scenario, const struct finding *finding);
bool suppression_glob_matches(const char *pattern, const char *text);

#endif
