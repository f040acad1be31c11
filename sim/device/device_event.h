/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The device-side events (clk_event_t) of one kernel that the host enqueued and of all that it
 *          started: its status, references and times. A clk_event_t is serial << 32 |
 *          slot + 1; 0 is none.
 *
 * Life     An event goes when its reference count is 0, its command is complete and no command waits for it.
 */
#ifndef ORRERY_SIM_DEVICE_DEVICE_EVENT_H
#define ORRERY_SIM_DEVICE_DEVICE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery/observer.h"

/* OpenCL's numbers; errors are negative */
enum { EVENT_SUBMITTED = 2, EVENT_COMPLETE = 0, EVENT_WAIT_LIST_FAILED = -14 };
enum event_kind { EVENT_FREE, EVENT_OF_KERNEL, EVENT_OF_MARKER, EVENT_OF_USER };

struct device_event {
    enum event_kind kind;
    uint32_t serial;
    uint32_t references, waiters;
    int32_t status;
    uint32_t queue; /* whose events it counts among; 0: a user event's */
    uint64_t start_time, end_time, complete_time;
    uint64_t captured; /* where two times go when it is complete; 0: nowhere */
    struct launch_after *after;
    uint32_t after_count; /* what is over when it is; owned */
};

struct device_events {
    struct device_event *items;
    uint32_t count, serial;
};

void device_events_fini(struct device_events *events);
/* With one reference; NULL: no memory. */
struct device_event *device_event_new(struct device_events *events, enum event_kind kind,
                                      uint64_t *out_handle);
/* NULL: it is no event, or not any more. */
struct device_event *device_event_find(const struct device_events *events, uint64_t handle);
void device_event_settle(struct device_event *event); /* frees it when it has no references */
/* More that is over when it is; false: no memory. */
bool device_event_after(struct device_event *event, const struct launch_after *after, uint32_t count);

static inline bool device_event_done(const struct device_event *event)
{
    return event->status <= EVENT_COMPLETE;
}

#endif
