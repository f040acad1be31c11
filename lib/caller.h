/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where the program is when it enqueues a command, for what is told of races: one struct for all commands that were
 *          enqueued by the same calls, and their line is looked for when somebody asks.
 *
 * Interface
 *   caller_here   NULL: nobody looks for races, or there are too many places, or no memory
 *
 * Threads  Any. What it returns stays.
 */
#ifndef ORRERY_LIB_CALLER_H
#define ORRERY_LIB_CALLER_H
#include "orrery/observer.h"

const struct enqueuer *caller_here(void);
#endif
