/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host thread that makes a call which orders commands, and that thread's vector clock.
 *          sync_preload.c keeps the clocks, if `orrery run` has preloaded it.
 *
 * Interface
 *   host_clock_tick   increments this thread's component and gives its clock, which stays valid until the
 *                     next call; runtime_lock is held. False: there are no clocks, and the threads count as
 *                     one
 */
#ifndef ORRERY_LIB_RECORD_HOST_CLOCK_H
#define ORRERY_LIB_RECORD_HOST_CLOCK_H

#include <stdbool.h>

#include "orrery/observer.h"

bool host_clock_tick(struct host_clock *out_clock);

#endif
