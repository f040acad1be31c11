/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Faults of the scenario: calls that are refused, devices that are lost, commands that are delayed.
 *          They are due at numbers of calls and commands, never at times.
 *
 * Interface
 *   fault_any        the scenario has faults
 *   fault_refusal    counts the call; the error that it is to return instead of being made, or CL_SUCCESS
 *   fault_end        the result of a call that has waited: its device may have been lost meanwhile
 *   fault_run        runs a command, unless its device is lost, and delays it
 *   fault_lost       the device's root is lost, as of the calls before
 *   fault_reset      another scenario is in force
 *   fault_finish     at the end: reports the faults that never applied
 *
 * A root device that is lost runs no command, nor do its sub-devices. Commands fail with
 * CL_DEVICE_NOT_AVAILABLE; calls that enqueue, flush or finish there return CL_OUT_OF_RESOURCES; new
 * contexts and queues of it fail. These calls drain the log first, so that their results are a function of
 * the calls before. Other roots are not affected.
 */
#ifndef ORRERY_LIB_DIAGNOSE_INJECTED_FAULT_H
#define ORRERY_LIB_DIAGNOSE_INJECTED_FAULT_H
#include <stdio.h>

#include "call.h"
#include "lib/queue.h"

bool fault_any(void);
cl_int fault_refusal(const struct api_call *call);
cl_int fault_end(const struct api_call *call, cl_int err);
cl_int fault_run(struct command *command, cl_int (*run)(struct command *command));
bool fault_lost(const struct cl_device *device);
void fault_reset(void);
void fault_finish(FILE *stream);
#endif
