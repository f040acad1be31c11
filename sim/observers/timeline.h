/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The time and place of everything that ran, as an observer; written as Chrome's trace events,
 *          which Perfetto and chrome://tracing show.
 *
 * Tracks   Process 0 is the host: a thread per queue with its commands, from the order events, and one with
 *          the launches. Process 1 + r is root device r: a thread per compute unit with its work-groups, and
 *          in each the time slices of its sub-groups. Work-groups that are on one unit at the same time get
 *          a thread each. Times are simulated nanoseconds, those of profiling.
 *
 * Interface
 *   timeline_new, timeline_free
 *   timeline_observer
 *   timeline_write               the first `most` spans, the others are counted as dropped; false: out of
 *                                memory
 *
 * Threads  order events may come from any thread, the others from the one that executes.
 * Limits   TIMELINE_SPANS_MOST spans; the file has the number of dropped ones.
 */
#ifndef ORRERY_SIM_OBSERVERS_TIMELINE_H
#define ORRERY_SIM_OBSERVERS_TIMELINE_H

#include <stdio.h>

#include "orrery/observer.h"
#include "orrery/scenario.h"

enum { TIMELINE_SPANS_MOST = 4 << 20 };

struct timeline;
struct timeline *timeline_new(const struct scenario *scenario); /* borrows it */
void timeline_free(struct timeline *timeline);
struct observer timeline_observer(struct timeline *timeline);
bool timeline_write(struct timeline *timeline, size_t most, FILE *stream);

#endif
