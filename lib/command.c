/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and drops commands by a table that is made from command.def. Injected faults and lost host memory
 * are checked before a command runs. */
#include "command.h"

#include <stdlib.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "event.h"
#include "lib/diagnose/injected_fault.h"
#include "lib/host/host_bytes.h"
#include "lib/host/host_changed.h"
#include "lib/diagnose/host_gone.h"

static const struct command_row {
    const char *call;
    cl_command_type type;
    cl_int (*run)(struct command *command);
    void (*drop)(struct command *command);
} rows[COMMAND_KIND_COUNT] = {
#define COMMAND(name, call, type, run, drop) {#call, type, run_##run, drop_##drop},
#include "command.def"
#undef COMMAND
};

struct command *command_new(struct queue *queue, enum command_kind kind)
{
    CHECKED((int)kind < COMMAND_KIND_COUNT && queue->context && queue->device);
    struct command *command = calloc(1, sizeof *command);
    if (!command)
        return NULL;
    command->kind = kind;
    command->queue = queue;
    command->event = event_new(queue->context, queue, rows[kind].type);
    if (!command->event) {
        free(command);
        return NULL;
    }
    object_ref(command->event); /* the command's reference; event_new gives the program's */
    return command;
}

void command_free(struct command *command)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        object_unref(command->waits[i]);
    free(command->waits);
    free(command->after);
    free(command->made);
    object_unref(command->event);
    free(command);
}

cl_int command_run(struct command *command)
{
    CHECKED(!command->live && !runtime_lock_held()); /* functions of the program are called without locks */
    if (host_gone_find(command))
        return CL_SUCCESS; /* a device would not notice the lost memory */
    host_changed_runs(command);
    return fault_run(command, rows[command->kind].run);
}

void command_drop(struct command *command)
{
    CHECKED(!runtime_lock_held());
    host_bytes_settled(command);
    rows[command->kind].drop(command);
}

const char *command_call(enum command_kind kind)
{
    return rows[kind].call;
}

bool command_launches(const struct command *command)
{
    return command->kind == COMMAND_NDRANGE_KERNEL || command->kind == COMMAND_TASK;
}

bool command_calls_program(const struct command *command)
{
    return command->kind == COMMAND_NATIVE_KERNEL ||
           (command->kind == COMMAND_SVM_FREE && command->u.svm_free.function);
}

bool command_transfers(const struct command *command)
{
    return command->kind <= COMMAND_COPY_BUFFER_RECT ||
           (command->kind >= COMMAND_READ_IMAGE && command->kind <= COMMAND_COPY_BUFFER_TO_IMAGE);
}

bool command_waits_for_all(const struct command *command)
{
    return (command->kind == COMMAND_MARKER || command->kind == COMMAND_BARRIER) && command->wait_count == 0;
}

cl_int run_nothing(struct command *command)
{
    (void)command;
    return CL_SUCCESS;
}

void drop_nothing(struct command *command)
{
    (void)command;
}
