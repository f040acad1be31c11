/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The host thread of a call that orders commands, and that thread's vector clock. sync_preload.c
 *          keeps the clocks, where `orrery run` has preloaded it.
 *
 * Interface
 *   host_clock_tick   a call of this thread; runtime_lock held. False: no clocks are kept, and the threads
 *                     count as one
 */
#ifndef ORRERY_LIB_RECORD_HOST_CLOCK_H
#define ORRERY_LIB_RECORD_HOST_CLOCK_H

#include <stdbool.h>

#include "orrery/observer.h"

bool host_clock_tick(struct host_clock *out_clock);

#endif
