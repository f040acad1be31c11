/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A command as the executor sees it: a row of command.def says how to run and to drop it. Queues
 *          and edges are not used here.
 *
 * Interface
 *   command_new/command_free   a command with its event; free releases wait list and event, not the payload
 *   command_run                CL_SUCCESS or the negative error; a launch only begins, and command->live is
 *                              set (no lock held)
 *   command_launches           it is a kernel command
 *   command_calls_program      a function of the program runs with it
 *   command_end                a launch is over (device_run returned it): its error and the time of its end
 *   command_drop               releases the payload, once, before the event is complete (no lock held)
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
struct device *command_device(const struct command *command); /* the simulated machine */
const char *command_call(enum command_kind kind);             /* "clEnqueueReadBuffer" */
bool command_transfers(const struct command *command);        /* its payload is u.transfer */
bool command_waits_for_all(const struct command *command);    /* for every earlier command of its queue */

#define COMMAND(name, call, type, run, drop)   \
    cl_int run_##run(struct command *command); \
    void drop_##drop(struct command *command);
#include "command.def"
#undef COMMAND
#endif
