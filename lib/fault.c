/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static struct {
    pthread_mutex_t lock;
    uint32_t *seen;    /* per fault: calls so far that it counts */
    uint32_t commands; /* the highest serial number run */
    bool lost;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct scenario *scenario(void)
{
    return &runtime_get()->scenario;
}

bool fault_any(void)
{
    return scenario()->fault_count != 0;
}

void fault_reset(void)
{
    pthread_mutex_lock(&state.lock);
    free(state.seen);
    state.seen = NULL;
    state.lost = false;
    state.commands = 0;
    pthread_mutex_unlock(&state.lock);
}

/* ---- calls ------------------------------------------------------------------------------------ */

static bool begins(const char *call, const char *with)
{
    return strncmp(call, with, strlen(with)) == 0;
}

static bool is_about(const struct scenario_fault *fault, const char *call)
{
    if (strcmp(fault->call, "allocation") == 0)
        return begins(call, "clCreateBuffer") || begins(call, "clCreateImage") ||
               begins(call, "clCreatePipe") || begins(call, "clSVMAlloc");
    if (strcmp(fault->call, "build") == 0)
        return begins(call, "clBuildProgram") || begins(call, "clCompileProgram") ||
               begins(call, "clLinkProgram");
    if (strcmp(fault->call, "enqueue") == 0)
        return begins(call, "clEnqueue");
    return strcmp(fault->call, call) == 0;
}

static bool is_due(const struct scenario_fault *fault, uint32_t seen)
{
    return seen >= fault->nth && (!fault->times || seen - fault->nth < fault->times);
}

/* Each fault counts for itself; the first that is due decides. */
static cl_int count_call(const char *call)
{
    cl_int err = CL_SUCCESS;
    if (!state.seen)
        state.seen = calloc(scenario()->fault_count, sizeof *state.seen);
    for (size_t i = 0; i < scenario()->fault_count && state.seen; i++) {
        const struct scenario_fault *fault = &scenario()->faults[i];
        if (fault->kind == SCENARIO_FAULT_REFUSE && is_about(fault, call) && is_due(fault, ++state.seen[i]) &&
            !err)
            err = fault->error;
    }
    return state.seen ? err : CL_OUT_OF_HOST_MEMORY;
}

static bool may_be_lost(void)
{
    for (size_t i = 0; i < scenario()->fault_count; i++)
        if (scenario()->faults[i].kind == SCENARIO_FAULT_LOSE_DEVICE)
            return true;
    return false;
}

bool fault_lost(void)
{
    if (!may_be_lost())
        return false;
    queue_drain();
    pthread_mutex_lock(&state.lock);
    const bool lost = state.lost;
    pthread_mutex_unlock(&state.lock);
    return lost;
}

static cl_int loss_refuses(const char *call)
{
    if (begins(call, "clEnqueue") || begins(call, "clFlush") || begins(call, "clFinish"))
        return fault_lost() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    if (begins(call, "clCreateContext") || begins(call, "clCreateCommandQueue"))
        return fault_lost() ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
    return CL_SUCCESS;
}

cl_int fault_refusal(const char *call)
{
    pthread_mutex_lock(&state.lock);
    const cl_int err = count_call(call);
    pthread_mutex_unlock(&state.lock);
    return err ? err : loss_refuses(call);
}

cl_int fault_end(const char *call, cl_int err)
{
    return !err && begins(call, "clFinish") ? loss_refuses(call) : err;
}

/* ---- commands ----------------------------------------------------------------------------------- */

static bool loses(const struct command *command)
{
    for (size_t i = 0; i < scenario()->fault_count; i++)
        if (scenario()->faults[i].kind == SCENARIO_FAULT_LOSE_DEVICE &&
            command->serial >= scenario()->faults[i].command)
            return true;
    return false;
}

static uint64_t delay_of(const struct command *command)
{
    uint64_t delay = 0;
    for (size_t i = 0; i < scenario()->fault_count; i++)
        if (scenario()->faults[i].kind == SCENARIO_FAULT_DELAY &&
            command->serial == scenario()->faults[i].command)
            delay += scenario()->faults[i].delay;
    return delay;
}

/* What runs after the loss is lost, in whatever order it was enqueued. */
cl_int fault_run(struct command *command, cl_int (*run)(struct command *command))
{
    if (!fault_any())
        return run(command);
    pthread_mutex_lock(&state.lock);
    state.lost |= loses(command);
    if (command->serial > state.commands)
        state.commands = command->serial;
    const bool lost = state.lost;
    pthread_mutex_unlock(&state.lock);
    const cl_int err = lost ? CL_DEVICE_NOT_AVAILABLE : run(command);
    const uint64_t delay = delay_of(command);
    if (delay)
        device_clock_tick(command->queue->device->device, delay);
    return err;
}

/* ---- the end ------------------------------------------------------------------------------------- */

void fault_finish(FILE *stream)
{
    for (size_t i = 0; i < scenario()->fault_count; i++) {
        const struct scenario_fault *fault = &scenario()->faults[i];
        const uint32_t seen = state.seen ? state.seen[i] : 0;
        if (fault->kind == SCENARIO_FAULT_REFUSE && seen < fault->nth)
            fprintf(stream, "orrery: a fault was not met: fail %s, nth %" PRIu32 ": there were %" PRIu32 "\n",
                    fault->call, fault->nth, seen);
        if (fault->kind != SCENARIO_FAULT_REFUSE && state.commands < fault->command)
            fprintf(stream, "orrery: a fault was not met: there was no command %" PRIu32 "\n",
                    fault->command);
    }
}
