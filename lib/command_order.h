/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Announces to the device's observers the edges between commands and the host: rules (1) to (12) of
 *          the OpenCL 2.2 API, 3.3.6 "Host-side and Device-side Commands". Edges are announced as the calls
 *          state them, also to commands that are complete: what a command may rely on does not depend on how
 *          far the device has got.
 *
 * Interface
 *   order_observed       some observer wants these edges; otherwise every function below does nothing
 *   order_settle         before the log grows, and before the host continues and may touch the results of
 *                        commands: due callbacks are posted, and those that can return have returned. So the
 *                        host's clock, callbacks included, is a function of its calls. runtime_lock not held
 *   order_learns         the same before a call orders the host after commands: the log is executed, too
 *   order_reserve        room for what order_enqueued needs; false: out of memory
 *   order_enqueued       the command has its serial number and joins the log
 *   order_alone          all commands of the queue's context run in order: it has one queue, an in-order one
 *   order_alone_still    the same of a command as it was flushed
 *   order_begin/end      it starts, and a function of the program with it; is complete or failed
 *   order_user_set       the host sets a user event
 *   order_signalled      a command does, while it runs (semaphore.c)
 *   order_waited         the host is ordered after the completion of these events
 *   order_queried        a query of its status returned that the command is complete
 *   order_reported           the host is ordered by something else: profiling information; or a callback that
 *                            runs, for the commands before it
 *   order_finish_begin/end   clFinish: the commands of the queue at the call; the host is ordered after them
 *                            when it returns
 *
 * All but order_observed, order_settle and order_learns are called with runtime_lock held, so announcements
 * are in the log's order.
 */
#ifndef ORRERY_LIB_COMMAND_ORDER_H
#define ORRERY_LIB_COMMAND_ORDER_H
#include "queue.h"

/* Serial numbers of commands: those that together stand for everything enqueued to a queue before. */
struct order_list {
    uint32_t *serials;
    size_t count;
};

bool order_observed(void);
void order_settle(void);
void order_learns(void);
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
