/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Counters as tables for people and as one JSON object for programs.
 *
 * Interface
 *   counters_print        rows of what was used; source lines in the order of files and lines
 *   counters_write_json   the same, and all other rows; false: out of memory
 */
#ifndef ORRERY_SIM_OBSERVERS_COUNTERS_REPORT_H
#define ORRERY_SIM_OBSERVERS_COUNTERS_REPORT_H

#include <stdio.h>

#include "sim/topology/cache_model.h"

void counters_print(const struct caches *caches, FILE *stream);
bool counters_write_json(const struct caches *caches, FILE *stream);

#endif
