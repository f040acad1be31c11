/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A command as the executor sees it: a row of command.def to run and to drop. Uses the row and the
 *          payload; not queues and edges.
 *
 * Interface
 *   command_new/command_free   a command with its event; free drops payload, wait list, event
 *   command_run                no lock held; the negative error or CL_SUCCESS. A launch begins, with
 *                              command->live
 *   command_launches           it is one
 *   command_calls_program      a function of the program runs with it
 *   command_end                of a launch that device_run returned as over: the error, and the time
 *   command_drop               lets go of the payload (no lock held): once, before completion
 */
#ifndef ORRERY_LIB_COMMAND_H
#define ORRERY_LIB_COMMAND_H
#include "queue.h"

struct command *command_new(struct queue *queue, enum command_kind kind);
void command_free(struct command *command);
cl_int command_run(struct command *command);
bool command_launches(const struct command *command);
bool command_calls_program(const struct command *command);
cl_int command_end(struct command *command, uint64_t *out_time);
void command_drop(struct command *command);
const char *command_call(enum command_kind kind);      /* "clEnqueueReadBuffer" */
bool command_transfers(const struct command *command); /* between buffers, images and the host: u.transfer */
bool command_waits_for_all(const struct command *command); /* everything its queue holds so far */

#define COMMAND(name, call, type, run, drop)   \
    cl_int run_##run(struct command *command); \
    void drop_##drop(struct command *command);
#include "command.def"
#undef COMMAND
#endif
