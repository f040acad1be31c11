/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The program's place when it enqueues a command, for reports of races: one struct for all commands
 *          that were enqueued by the same calls; the line is looked up at the first query.
 *
 * Interface
 *   caller_here        NULL: races are not checked, or there are too many places, or no memory
 *   caller_of_source   likewise, whatever is checked: for calls that are rare
 *   caller_always      from now on caller_here does not ask whether races are checked
 *   caller_place       the place with its function; NULL: no memory
 *
 * Threads  Any. What it returns stays.
 */
#ifndef ORRERY_LIB_DIAGNOSE_CALLER_H
#define ORRERY_LIB_DIAGNOSE_CALLER_H
#include "lib/host/host_place.h"
#include "orrery/observer.h"

const struct enqueuer *caller_here(void);
const struct enqueuer *caller_of_source(void);
void caller_always(void);
const struct host_place *caller_place(const struct enqueuer *enqueuer);
#endif
