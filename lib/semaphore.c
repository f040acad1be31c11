/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_khr_semaphore. Binary semaphores pair signals and waits in the order of the calls. A wait adds the
 * event of the signal before it to its wait list. A wait without such a signal adds a user event, which the
 * next signal sets when it runs. So the order of commands is a graph of events, as for wait lists. The
 * payload is the value that the last command which ran has left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "lib/diagnose/call.h"
#include "command.h"
#include "context.h"
#include "enqueue_command.h"
#include "error.h"
#include "event.h"
#include "info.h"
#include "api_runtime.h"
#include "tokens.h"

struct semaphore {
    struct object base;
    struct context *context;
    struct cl_device *device; /* NULL: every device of the context */
    cl_semaphore_properties_khr *properties;
    size_t property_count; /* words, incl. final 0 */
    /* guarded by runtime_lock */
    struct event *signal;      /* of the last signal, if no wait is paired with it; referenced */
    struct event *next_signal; /* user event of waits that precede their signal; referenced */
    cl_command_type last;      /* the type of the last command on it; 0: none */
    cl_semaphore_payload_khr payload;
};

const struct context *semaphore_context(const struct object *object)
{
    return ((const struct semaphore *)object)->context;
}

void semaphore_destroy(void *object)
{
    struct semaphore *semaphore = object;
    object_unref(semaphore->signal);
    object_unref(semaphore->next_signal);
    object_unref(semaphore->device);
    object_unref(semaphore->context);
    free(semaphore->properties);
}

/* ---- creation ------------------------------------------------------------------------------------- */

struct semaphore_properties {
    bool typed, listed;
    cl_semaphore_properties_khr type;
    const cl_semaphore_properties_khr *devices;
    size_t device_count, count; /* words, incl. final 0 */
};

static bool is_device_list(cl_semaphore_properties_khr name)
{
    return name == CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR || name == CL_DEVICE_HANDLE_LIST_KHR;
}

static cl_int read_list(const cl_semaphore_properties_khr *words, struct semaphore_properties *out_list)
{
    struct semaphore_properties list = {0};
    size_t at = 0;
    if (!words)
        return CL_INVALID_VALUE;
    while (words[at]) {
        const bool devices = is_device_list(words[at]);
        if ((!devices && words[at] != CL_SEMAPHORE_TYPE_KHR) || (devices ? list.listed : list.typed))
            return CL_INVALID_PROPERTY;
        if (devices) {
            list.listed = true;
            list.devices = words + at + 1;
            while (list.devices[list.device_count])
                list.device_count++;
            at += list.device_count + 2;
        } else {
            list.typed = true;
            list.type = words[at + 1];
            at += 2;
        }
    }
    list.count = at + 1;
    *out_list = list;
    if (!list.typed)
        return CL_INVALID_VALUE;
    return list.type == CL_SEMAPHORE_TYPE_BINARY_KHR ? CL_SUCCESS : CL_INVALID_PROPERTY;
}

static cl_int choose_device(const struct context *context, const struct semaphore_properties *list,
                            struct cl_device **out_device)
{
    if (!list->listed)
        return context->device_count > 1 ? CL_INVALID_PROPERTY : CL_SUCCESS;
    cl_device_id device = list->device_count == 1 ? (cl_device_id)(uintptr_t)list->devices[0] : NULL;
    if (!object_lookup(device, OBJECT_DEVICE) || !context_has_device(context, device))
        return CL_INVALID_DEVICE;
    *out_device = (struct cl_device *)device;
    return CL_SUCCESS;
}

static struct semaphore *create(struct context *context, struct cl_device *device,
                                const cl_semaphore_properties_khr *words, size_t count)
{
    struct semaphore *semaphore = object_new(OBJECT_SEMAPHORE, sizeof *semaphore);
    if (!semaphore)
        return NULL;
    semaphore->context = object_ref(context);
    semaphore->device = device ? object_ref(device) : NULL;
    semaphore->properties = malloc(count * sizeof *words);
    if (!semaphore->properties) {
        object_unref(semaphore);
        return NULL;
    }
    memcpy(semaphore->properties, words, count * sizeof *words);
    semaphore->property_count = count;
    object_publish(semaphore);
    return semaphore;
}

cl_semaphore_khr CL_API_CALL api_clCreateSemaphoreWithPropertiesKHR(
    cl_context handle, const cl_semaphore_properties_khr *sema_props, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct cl_device *device = NULL;
    struct semaphore *semaphore = NULL;
    struct semaphore_properties list;
    cl_int err = context ? read_list(sema_props, &list) : CL_INVALID_CONTEXT;
    if (!err)
        err = choose_device(context, &list, &device);
    if (!err && !(semaphore = create(context, device, sema_props, list.count)))
        err = CL_OUT_OF_HOST_MEMORY;
    if (context)
        context_refuse(context, "clCreateSemaphoreWithPropertiesKHR", err);
    return error_return(errcode_ret, err, semaphore);
}

cl_int CL_API_CALL api_clRetainSemaphoreKHR(cl_semaphore_khr sema_object)
{
    return object_retain(sema_object, OBJECT_SEMAPHORE);
}

cl_int CL_API_CALL api_clReleaseSemaphoreKHR(cl_semaphore_khr sema_object)
{
    return object_release(sema_object, OBJECT_SEMAPHORE);
}

static cl_semaphore_payload_khr payload_of(const struct semaphore *semaphore)
{
    queue_drain();
    runtime_lock();
    cl_semaphore_payload_khr payload = semaphore->payload;
    runtime_unlock();
    return payload;
}

cl_int CL_API_CALL api_clGetSemaphoreInfoKHR(cl_semaphore_khr sema_object, cl_semaphore_info_khr param_name,
                                             size_t param_value_size, void *param_value,
                                             size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct semaphore *semaphore = object_lookup(sema_object, OBJECT_SEMAPHORE);
    if (!semaphore)
        return CL_INVALID_SEMAPHORE_KHR;
    const struct context *context = semaphore->context;
    switch (param_name) {
    case CL_SEMAPHORE_CONTEXT_KHR: return INFO_VALUE(reply, cl_context, (cl_context)semaphore->context);
    case CL_SEMAPHORE_REFERENCE_COUNT_KHR:
        return INFO_VALUE(reply, cl_uint, __atomic_load_n(&semaphore->base.refs, __ATOMIC_RELAXED));
    case CL_SEMAPHORE_PROPERTIES_KHR:
        return info_bytes(reply, semaphore->properties,
                          semaphore->property_count * sizeof *semaphore->properties);
    case CL_SEMAPHORE_TYPE_KHR: return INFO_VALUE(reply, cl_semaphore_type_khr, CL_SEMAPHORE_TYPE_BINARY_KHR);
    case CL_SEMAPHORE_PAYLOAD_KHR: return INFO_VALUE(reply, cl_semaphore_payload_khr, payload_of(semaphore));
    case CL_DEVICE_HANDLE_LIST_KHR:
    case CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
        return semaphore->device
                   ? INFO_VALUE(reply, cl_device_id, (cl_device_id)semaphore->device)
                   : info_bytes(reply, context->devices, context->device_count * sizeof *context->devices);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- the commands ---- */

static void set_payloads(struct command *command, cl_semaphore_payload_khr payload)
{
    runtime_lock();
    for (cl_uint i = 0; i < command->u.semaphore.count; i++)
        command->u.semaphore.list[i]->payload = payload;
    runtime_unlock();
}

/* Sets the user events of waits that precede this signal; no effect on events that are set. */
static void set_waiters(struct command *command, cl_int status)
{
    for (cl_uint i = 0; i < command->u.semaphore.count; i++)
        if (command->u.semaphore.waiters && command->u.semaphore.waiters[i])
            queue_user_event_signal(command->u.semaphore.waiters[i], status, command);
}

cl_int run_semaphore_signal(struct command *command)
{
    set_payloads(command, 1);
    set_waiters(command, CL_COMPLETE);
    return CL_SUCCESS;
}

cl_int run_semaphore_wait(struct command *command)
{
    set_payloads(command, 0);
    return CL_SUCCESS;
}

void drop_semaphore(struct command *command)
{
    set_waiters(command, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (cl_uint i = 0; i < command->u.semaphore.count; i++) {
        object_unref(command->u.semaphore.list[i]);
        if (command->u.semaphore.waiters)
            object_unref(command->u.semaphore.waiters[i]);
    }
    free(command->u.semaphore.list);
    free(command->u.semaphore.waiters);
}

/* runtime_lock held */
static bool has_failed_event(const struct command *command)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        if ((command->waits[i]->queue ? command->waits[i]->status : command->waits[i]->user_status) < 0)
            return true;
    return false;
}

static cl_int take_semaphores(struct command *command, cl_uint count, const cl_semaphore_khr *list)
{
    const struct queue *queue = command->queue;
    if (!count || !list)
        return CL_INVALID_VALUE;
    command->u.semaphore.list = calloc(count, sizeof *command->u.semaphore.list);
    command->u.semaphore.waiters = calloc(count, sizeof *command->u.semaphore.waiters);
    if (!command->u.semaphore.list || !command->u.semaphore.waiters)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < count; i++) {
        struct semaphore *semaphore = object_lookup(list[i], OBJECT_SEMAPHORE);
        if (!semaphore)
            return CL_INVALID_SEMAPHORE_KHR;
        if (semaphore->context != queue->context)
            return CL_INVALID_CONTEXT;
        if (semaphore->device && semaphore->device != queue->device)
            return CL_INVALID_COMMAND_QUEUE;
        command->u.semaphore.list[command->u.semaphore.count++] = object_ref(semaphore);
    }
    queue_drain(); /* so that the status of an event is a function of the calls before */
    runtime_lock();
    bool failed = has_failed_event(command);
    runtime_unlock();
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

static void report_twice(const struct semaphore *semaphore, const char *why, const char *fix)
{
    char object[40];
    snprintf(object, sizeof object, "semaphore %" PRIu32, semaphore->base.id);
    if (call_finds())
        call_find(FINDING_SEMAPHORE_MISUSE, &(struct call_finding){.object = object, .why = why, .fix = fix});
}

/* The user event that the next signal sets. */
static struct event *future_signal(struct semaphore *semaphore)
{
    struct event *made = event_new(semaphore->context, NULL, CL_COMMAND_USER);
    if (!made)
        return NULL;
    queue_user_event_number(made);
    runtime_lock();
    struct event *before = semaphore->next_signal;
    if (!before)
        semaphore->next_signal = object_ref(made);
    struct event *next_signal = before ? object_ref(before) : made;
    runtime_unlock();
    if (before)
        object_unref(made);
    return next_signal;
}

/* A wait: the events of its signals join the wait list, which owns them. */
static cl_int take_signals(struct command *command)
{
    const cl_uint count = command->u.semaphore.count;
    struct event **waits = realloc(command->waits, (command->wait_count + count) * sizeof *waits);
    if (!waits)
        return CL_OUT_OF_HOST_MEMORY;
    command->waits = waits;
    for (cl_uint i = 0; i < count; i++) {
        struct semaphore *semaphore = command->u.semaphore.list[i];
        runtime_lock();
        struct event *signal = semaphore->signal;
        const bool twice = semaphore->last == CL_COMMAND_SEMAPHORE_WAIT_KHR;
        semaphore->signal = NULL;
        semaphore->last = CL_COMMAND_SEMAPHORE_WAIT_KHR;
        runtime_unlock();
        if (twice)
            report_twice(semaphore, "the command on it before is a wait, too", "a signal for each wait");
        if (!signal && !(signal = future_signal(semaphore)))
            return CL_OUT_OF_HOST_MEMORY;
        waits[command->wait_count++] = signal;
    }
    return CL_SUCCESS;
}

/* A signal: later waits can add its event, and waits that precede it wait for their user event. */
static void offer_signals(struct command *command)
{
    for (cl_uint i = 0; i < command->u.semaphore.count; i++) {
        struct semaphore *semaphore = command->u.semaphore.list[i];
        struct event *signal = object_ref(command->event);
        runtime_lock();
        struct event *old = semaphore->signal, *next_signal = semaphore->next_signal;
        command->u.semaphore.waiters[i] = next_signal;
        semaphore->next_signal = NULL;
        semaphore->signal = next_signal ? NULL : signal;
        /* a signal that failed does not count */
        const bool twice = semaphore->last == CL_COMMAND_SEMAPHORE_SIGNAL_KHR && old && old->status >= 0;
        semaphore->last = CL_COMMAND_SEMAPHORE_SIGNAL_KHR;
        runtime_unlock();
        if (twice)
            report_twice(semaphore, "the command on it before is a signal, too", "a wait for each signal");
        object_unref(next_signal ? signal : old);
    }
}

cl_int CL_API_CALL api_clEnqueueWaitSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                                  const cl_semaphore_khr *sema_objects,
                                                  const cl_semaphore_payload_khr *sema_payload_list,
                                                  cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_SEMAPHORE_WAIT_KHR, num_events_in_wait_list,
                               event_wait_list);
    (void)sema_payload_list; /* binary semaphores have none */
    if (!err)
        err = take_semaphores(enqueue.command, num_sema_objects, sema_objects);
    if (!err)
        err = take_signals(enqueue.command);
    return enqueue_end(&enqueue, err, false, event);
}

cl_int CL_API_CALL api_clEnqueueSignalSemaphoresKHR(cl_command_queue command_queue, cl_uint num_sema_objects,
                                                    const cl_semaphore_khr *sema_objects,
                                                    const cl_semaphore_payload_khr *sema_payload_list,
                                                    cl_uint num_events_in_wait_list,
                                                    const cl_event *event_wait_list, cl_event *event)
{
    struct enqueue enqueue;
    cl_int err = enqueue_begin(&enqueue, command_queue, COMMAND_SEMAPHORE_SIGNAL_KHR, num_events_in_wait_list,
                               event_wait_list);
    (void)sema_payload_list;
    if (!err)
        err = take_semaphores(enqueue.command, num_sema_objects, sema_objects);
    if (!err)
        offer_signals(enqueue.command);
    return enqueue_end(&enqueue, err, false, event);
}
