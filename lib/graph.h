/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The edges between commands: from wait lists, from the order of a queue, from
 *          barriers. They are made as the log is consumed, under runtime_lock.
 *
 * Interface
 *   graph_link         the command joins its queue, with an edge from each event that it waits for
 *   graph_unlink       a command that has ended leaves its queue
 *   graph_submit       the queue's commands are submitted: they are ready as soon as they have no edge left
 *   graph_forget_host  removes the command's edges from user events
 *   graph_settle       an event is complete or failed: removes its edges, and ready commands join `ready`
 *   graph_check        asserts all invariants of a queue's commands
 */
#ifndef ORRERY_LIB_GRAPH_H
#define ORRERY_LIB_GRAPH_H
#include "ready.h"

void graph_link(struct command *command);
void graph_unlink(struct command *command);
void graph_submit(const struct queue *queue, struct ready *ready);
void graph_forget_host(struct command *command, struct ready *ready);
void graph_settle(struct event *event, cl_int status, struct ready *ready);
/* Links of the list agree in both directions, in the order of serial numbers. Commands that are not submitted
 * are the last. Each waits for as many events as have it among their waiters. Not valid between graph_unlink
 * and graph_settle of one command. */
void graph_check(const struct queue *queue);
#endif
