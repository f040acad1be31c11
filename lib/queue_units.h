/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Has the process ever had two queues without a common compute unit? Then launches may run at the
 *          same time, and a flush is a SUBMIT (queue.h).
 *
 * Interface
 *   queue_units_add        the set of a new queue; copied. False: out of memory
 *   queue_units_disjoint   two of the sets so far are disjoint; never false again (runtime_lock held)
 *   queue_units_free       at exit
 */
#ifndef ORRERY_LIB_QUEUE_UNITS_H
#define ORRERY_LIB_QUEUE_UNITS_H
#include <stdbool.h>

#include "orrery/topology.h"

bool queue_units_add(const struct unit_set *units);
bool queue_units_disjoint(void);
void queue_units_free(void);
#endif
