/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What a debugger shows of the host program: its queues, commands and events, and the call that
 *          enqueued a command.
 *
 * Interface
 *   debug_host_watch      from now on the latest DEBUG_HOST_KEPT ended commands are kept
 *   debug_host_enqueued   the call that enqueued the command of that number: "call" and, if known,
 *                         "function", "file", "line"; NULL: no such command is running or waiting
 *   debug_host_program    "queues", "commands", "events": lists, in the order in which they were made
 *   debug_host_over       a command is complete, or failed with err
 *
 * Threads  Any; runtime_lock is held for debug_host_over, and not held for the others.
 */
#ifndef ORRERY_LIB_DEBUG_HOST_H
#define ORRERY_LIB_DEBUG_HOST_H
#include <jansson.h>

#include "queue.h"

enum { DEBUG_HOST_KEPT = 256 };

void debug_host_watch(void);
json_t *debug_host_enqueued(void *self, uint32_t command);
json_t *debug_host_program(void *self);
void debug_host_over(const struct command *command, cl_int err);

#endif
