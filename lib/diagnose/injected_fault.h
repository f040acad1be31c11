/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The faults of the scenario: failures on purpose. They count calls and commands, never time.
 *
 * Interface
 *   fault_any        has the scenario any?
 *   fault_refusal    the error that a call of this name gets instead of being made, or CL_SUCCESS; counts it
 *   fault_end        the result of a call that waited until now: a device lost meanwhile counts, too
 *   fault_run        instead of command_run: a command on a lost device, or a delayed one
 *   fault_lost       is the device's root lost? As of the calls before
 *   fault_reset      another scenario is in force
 *   fault_finish     at the end: reports the faults that never applied
 *
 * From its loss on, a root device and its parts run nothing: commands fail with CL_DEVICE_NOT_AVAILABLE,
 * calls that enqueue, flush or finish there get CL_OUT_OF_RESOURCES, and there are no new contexts and queues
 * of it. The calls drain the log first, so that what they return is a function of the calls before. Other
 * roots continue.
 */
#ifndef ORRERY_LIB_DIAGNOSE_INJECTED_FAULT_H
#define ORRERY_LIB_DIAGNOSE_INJECTED_FAULT_H
#include <stdio.h>

#include "call.h"
#include "lib/queue.h"

bool fault_any(void);
cl_int fault_refusal(const struct call *call);
cl_int fault_end(const struct call *call, cl_int err);
cl_int fault_run(struct command *command, cl_int (*run)(struct command *command));
bool fault_lost(const struct cl_device *device);
void fault_reset(void);
void fault_finish(FILE *stream);
#endif
