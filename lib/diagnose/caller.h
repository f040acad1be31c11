/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The place in the program that enqueues a command, for reports of races. Commands that were
 *          enqueued by the same call stack share one struct; its line is looked up at the first query.
 *
 * Interface
 *   caller_here        the place of this call; NULL: races are not checked, there are too many places, or
 *                      out of memory
 *   caller_of_source   the same even if races are not checked, for rare calls
 *   caller_always      from now on caller_here works even if races are not checked
 *   caller_place       the line and function of a place; NULL: out of memory
 *   caller_script      its line of a Python program; NULL: none, or the place is NULL
 *
 * Threads  Any. Results are never freed.
 */
#ifndef ORRERY_LIB_DIAGNOSE_CALLER_H
#define ORRERY_LIB_DIAGNOSE_CALLER_H
#include "lib/host/host_place.h"
#include "orrery/observer.h"

const struct enqueuer *caller_here(void);
const struct enqueuer *caller_of_source(void);
void caller_always(void);
const struct host_place *caller_place(const struct enqueuer *enqueuer);
const struct script_place *caller_script(const struct enqueuer *enqueuer);
#endif
