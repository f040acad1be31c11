/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Events: status, times, callbacks, and the commands that wait for them. The executor alone changes
 *          an event (runtime_lock held), as it consumes the log.
 *
 * Interface
 *   event_new            of a command or (queue NULL) of the user; holds context and queue
 *   event_advance        a new status: delivers the callbacks it makes due
 *   event_attach         a callback; delivers it when it is already due
 *   event_add_waiter     false: out of memory
 *   event_callbacks_posted   how many were
 *   event_callbacks_steps    grows with each that is attached and each that is posted
 *   event_callbacks_due  some callback waits for its event
 *   event_pending        neither complete nor failed
 */
#ifndef ORRERY_LIB_EVENT_H
#define ORRERY_LIB_EVENT_H
#include "queue.h"

enum { EVENT_QUEUED, EVENT_SUBMIT, EVENT_START, EVENT_END, EVENT_COMPLETE }; /* event->time[] */

struct event *event_new(struct context *context, struct queue *queue, cl_command_type type);
void event_advance(struct event *event, cl_int status);
void event_attach(struct event *event, struct event_callback *callback);
/* Callbacks that were attached and not yet posted; runtime_lock need not be held. */
bool event_callbacks_due(void);
uint64_t event_callbacks_posted(void);
uint64_t event_callbacks_steps(void);
bool event_add_waiter(struct event *event, struct command *command);
static inline bool event_pending(const struct event *event)
{
    return event->status > CL_COMPLETE;
}
#endif
