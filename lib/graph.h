/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The edges between commands: from wait lists, from the order of a queue, from
 *          barriers. Made and met as the log is consumed, under runtime_lock.
 *
 * Interface
 *   graph_link      the command joins its queue and waits for what it must
 *   graph_unlink    it leaves the queue, done
 *   graph_submit    the queue's commands may run as soon as nothing holds them
 *   graph_forget_host  it waits for no user event any more
 *   graph_settle    an event is complete or failed: the commands that waited for it continue
 *   graph_check     asserts all invariants of a queue's commands
 */
#ifndef ORRERY_LIB_GRAPH_H
#define ORRERY_LIB_GRAPH_H
#include "ready.h"

void graph_link(struct command *command);
void graph_unlink(struct command *command);
void graph_submit(const struct queue *queue, struct ready *ready);
void graph_forget_host(struct command *command, struct ready *ready);
void graph_settle(struct event *event, cl_int status, struct ready *ready);
/* Links hold both ways, in the order of serial numbers; the commands not yet submitted are the last; each
 * waits for as many events as have it among their waiters. Not between graph_unlink and graph_settle of
 * one. */
void graph_check(const struct queue *queue);
#endif
