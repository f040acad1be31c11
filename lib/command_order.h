/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Announces to the device's observers the edges between commands and the host: rules (1) to (12) of
 *          the OpenCL 2.2 API, 3.3.6 "Host-side and Device-side Commands". Edges are announced as the calls
 *          state them, also to commands that are complete: what a command may rely on does not depend on how
 *          far the device has got.
 *
 * Interface
 *   order_observed       an observer wants these edges; otherwise every function below does nothing
 *   order_settle         before the log grows, and before the host continues and may access the results of
 *                        commands: posts due callbacks, and waits for callbacks that can return. So the order
 *                        of the host's calls and callbacks is a function of the calls. runtime_lock not held
 *   order_settle_all     the same before a call that orders the host after commands: executes the log, too
 *   order_reserve        room for order_enqueued; false: out of memory
 *   order_enqueued       the command has its serial number and joins the log
 *   order_alone          the queue's context has one queue, an in-order one: all its commands run in order
 *   order_alone_still    the same held when the command was flushed
 *   order_begin/end      the command starts (program: with a function of the program); is complete or failed
 *   order_user_set       the host sets a user event
 *   order_signalled      a command sets it while it runs (semaphore.c)
 *   order_waited         the host is ordered after the completion of these events
 *   order_queried        a query of the event's status returned CL_COMPLETE: this orders nothing (5.11), but
 *                        findings mention it
 *   order_reported       the same for profiling information, and for a native kernel that begins after the
 *                        commands of its wait list
 *   order_finish_begin/end   clFinish: collects the commands of the queue; the host is ordered after them
 *                            when it returns
 *
 * All but order_observed, order_settle and order_settle_all are called with runtime_lock held, so that
 * announcements are in the log's order.
 */
#ifndef ORRERY_LIB_COMMAND_ORDER_H
#define ORRERY_LIB_COMMAND_ORDER_H
#include "queue.h"

/* Serial numbers of commands: the frontier of a queue (command_order.c). */
struct order_list {
    uint32_t *serials;
    size_t count;
};

bool order_observed(void);
void order_settle(void);
void order_settle_all(void);
bool order_reserve(struct command *command);
void order_enqueued(const struct command *command);
bool order_alone(const struct queue *queue);
bool order_alone_still(const struct command *command);
void order_begin(const struct command *command, bool program);
void order_end(const struct command *command);
void order_user_set(const struct event *event);
void order_signalled(const struct event *event, const struct command *by);
void order_waited(struct event *const *events, size_t count);
void order_queried(const struct event *event);
void order_reported(const struct event *event);
bool order_finish_begin(const struct queue *queue, struct order_list *out_list);
void order_finish_end(struct order_list *list); /* frees the list */
#endif
