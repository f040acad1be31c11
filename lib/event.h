/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Events: status, times, callbacks, and the commands that wait for them. The executor alone changes
 *          an event (runtime_lock held), as it consumes the log.
 *
 * Interface
 *   event_new                an event of a command, or (queue NULL) of the user; it references context and
 *                            queue
 *   event_advance            sets a status and posts the callbacks that it makes due
 *   event_attach             attaches a callback; posts it if it is due
 *   event_add_waiter         the command waits for the event; false: out of memory
 *   event_callbacks_posted   number of callbacks that were posted since the start
 *   event_callbacks_steps    grows with each callback that is attached and with each that is posted
 *   event_callbacks_due      some callback was attached and not yet posted
 *   event_pending            the event is neither complete nor failed
 *
 *   The event_callbacks_* need no lock.
 */
#ifndef ORRERY_LIB_EVENT_H
#define ORRERY_LIB_EVENT_H
#include "queue.h"

enum { EVENT_QUEUED, EVENT_SUBMIT, EVENT_START, EVENT_END, EVENT_COMPLETE }; /* event->time[] */

struct event *event_new(struct context *context, struct queue *queue, cl_command_type type);
void event_advance(struct event *event, cl_int status);
void event_attach(struct event *event, struct event_callback *callback);
bool event_callbacks_due(void);
uint64_t event_callbacks_posted(void);
uint64_t event_callbacks_steps(void);
bool event_add_waiter(struct event *event, struct command *command);
static inline bool event_pending(const struct event *event)
{
    return __atomic_load_n(&event->status, __ATOMIC_RELAXED) > CL_COMPLETE; /* also without a lock */
}
#endif
