/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  By which findings are the same: two findings with equal keys are counted as one.
 *
 * Interface
 *   report_key   the key, malloc'd; a hidden (suppressed) and a shown finding never have one key. NULL: out
 *                of memory
 */
#ifndef ORRERY_SIM_REPORT_REPORT_KEY_H
#define ORRERY_SIM_REPORT_REPORT_KEY_H

#include "orrery/report.h"

char *report_key(const struct finding *finding, bool hidden);

#endif
