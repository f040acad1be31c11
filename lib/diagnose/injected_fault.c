/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each fault has a counter of its own, of the calls that it is about, and is due at the number that it
 * names. Losses and delays name a command by its serial number.
 */
#include "injected_fault.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/api_runtime.h"

static struct {
    pthread_mutex_t lock;
    uint32_t *seen;    /* per fault: calls so far that it counts */
    bool *met;         /* per fault: it has made a device lost */
    uint32_t commands; /* the highest serial number of the commands that ran */
    bool lost[1 + SCENARIO_OTHER_DEVICES];
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
    free(state.met);
    state.seen = NULL;
    state.met = NULL;
    memset(state.lost, 0, sizeof state.lost);
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

/* False: out of memory. */
static bool reserve(void)
{
    const size_t count = scenario()->fault_count;
    if (!state.seen)
        state.seen = calloc(count, sizeof *state.seen);
    if (!state.met)
        state.met = calloc(count, sizeof *state.met);
    return state.seen && state.met;
}

/* Increments the counter of each fault about this call; the first fault that is due gives the error. */
static cl_int count_call(const char *call)
{
    cl_int err = CL_SUCCESS;
    const bool room = reserve();
    for (size_t i = 0; i < scenario()->fault_count && room; i++) {
        const struct scenario_fault *fault = &scenario()->faults[i];
        if (fault->kind == SCENARIO_FAULT_REFUSE && is_about(fault, call) && is_due(fault, ++state.seen[i]) &&
            !err)
            err = fault->error;
    }
    return room ? err : CL_OUT_OF_HOST_MEMORY;
}

static bool may_be_lost(void)
{
    for (size_t i = 0; i < scenario()->fault_count; i++)
        if (scenario()->faults[i].kind == SCENARIO_FAULT_LOSE_DEVICE)
            return true;
    return false;
}

/* The state as of the commands that have run. */
static bool is_lost(uint32_t root)
{
    pthread_mutex_lock(&state.lock);
    const bool lost = state.lost[root];
    pthread_mutex_unlock(&state.lock);
    return lost;
}

bool fault_lost(const struct cl_device *device)
{
    if (!may_be_lost())
        return false;
    queue_drain();
    return is_lost(device->root);
}

static const void *handle(const struct api_call *call, const char *name, enum object_kind kind)
{
    const struct api_argument *argument = call_argument(call, name);
    return argument ? object_lookup((const void *)(uintptr_t)argument->bits, kind) : NULL;
}

/* The queue of the call; NULL: the call has none, or a valid one is not given. */
static const struct queue *queue_of(const struct api_call *call)
{
    const struct queue *queue = handle(call, "command_queue", OBJECT_QUEUE);
    const struct api_argument *queues = call_argument(call, "queues"); /* clEnqueueCommandBufferKHR */
    const void *buffer = queues ? handle(call, "command_buffer", OBJECT_COMMAND_BUFFER) : NULL;
    return buffer ? command_buffer_queue(buffer) : queue;
}

static bool any_lost(const struct api_call *call)
{
    const struct api_argument *count = call_argument(call, "num_devices"),
                              *list = call_argument(call, "devices");
    const cl_device_id *devices = list ? (const cl_device_id *)(uintptr_t)list->bits : NULL;
    for (uint64_t i = 0; devices && i < count->bits; i++) {
        const struct cl_device *device = object_lookup(devices[i], OBJECT_DEVICE);
        if (device && fault_lost(device))
            return true;
    }
    return false;
}

static bool all_lost(void)
{
    const struct platform *platform = runtime_get()->platform;
    for (cl_uint i = 0; i < platform->root_count; i++)
        if (!fault_lost(platform->roots[i]))
            return false;
    return true;
}

static cl_int loss_refuses(const struct api_call *call)
{
    if (begins(call->name, "clEnqueue") || begins(call->name, "clFlush") || begins(call->name, "clFinish")) {
        const struct queue *queue = queue_of(call);
        return queue && fault_lost(queue->device) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    }
    const struct cl_device *device =
        begins(call->name, "clCreateCommandQueue") ? handle(call, "device", OBJECT_DEVICE) : NULL;
    const bool lost = device                                               ? fault_lost(device)
                      : strcmp(call->name, "clCreateContext") == 0         ? any_lost(call)
                      : strcmp(call->name, "clCreateContextFromType") == 0 ? all_lost()
                                                                           : false;
    return lost ? CL_DEVICE_NOT_AVAILABLE : CL_SUCCESS;
}

cl_int fault_refusal(const struct api_call *call)
{
    pthread_mutex_lock(&state.lock);
    const cl_int err = count_call(call->name);
    pthread_mutex_unlock(&state.lock);
    return err || !may_be_lost() ? err : loss_refuses(call);
}

cl_int fault_end(const struct api_call *call, cl_int err)
{
    return !err && may_be_lost() && begins(call->name, "clFinish") ? loss_refuses(call) : err;
}

/* ---- commands ----------------------------------------------------------------------------------- */

static uint32_t root_named(const char *name)
{
    uint32_t root = 0; /* the scenario's reader has checked the name */
    for (uint32_t i = 1; i < scenario_root_count(scenario()); i++)
        if (scenario_root(scenario(), i)->name && strcmp(scenario_root(scenario(), i)->name, name) == 0)
            root = i;
    return root;
}

/* The first command that runs with the named number or a higher one loses a root device: its own, or the
 * named one. */
static void lose(const struct command *command)
{
    for (size_t i = 0; i < scenario()->fault_count; i++) {
        const struct scenario_fault *fault = &scenario()->faults[i];
        if (fault->kind != SCENARIO_FAULT_LOSE_DEVICE || command->serial < fault->command || state.met[i])
            continue;
        state.met[i] = true;
        state.lost[fault->device ? root_named(fault->device) : command->queue->device->root] = true;
    }
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

/* A command that runs after the loss fails, even if it was enqueued before. */
cl_int fault_run(struct command *command, cl_int (*run)(struct command *command))
{
    if (!fault_any())
        return run(command);
    pthread_mutex_lock(&state.lock);
    if (reserve())
        lose(command);
    if (command->serial > state.commands)
        state.commands = command->serial;
    const bool lost = state.lost[command->queue->device->root];
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
