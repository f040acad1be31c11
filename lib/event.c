/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events (OpenCL 3.0 API, 5.11 and 5.14): status, times, callbacks, waiters. Only the executor changes an
 * event, under runtime_lock. A callback is attached through the log and posted to the callback thread when
 * the status reaches its state.
 */
#include "event.h"

#include <inttypes.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "api.h"
#include "callback.h"
#include "context.h"
#include "executor.h"
#include "lib/record/host_log.h"
#include "info.h"
#include "lib/diagnose/call.h"
#include "lib/diagnose/usage.h"
#include "command_order.h"
#include "orrery/rule.h"
#include "queue.h"
#include "api_runtime.h"

#include "CL/cl_orrery_counters.h"
#include "version.h"

/* ---- what the executor does with events (runtime_lock held) ----------------------- */

struct event *event_new(struct context *context, struct queue *queue, cl_command_type type)
{
    struct event *event = object_new(OBJECT_EVENT, sizeof *event);
    if (!event)
        return NULL;
    event->context = object_ref(context);
    event->queue = queue ? object_ref(queue) : NULL;
    event->type = type;
    event->status = queue ? CL_QUEUED : CL_SUBMITTED;
    event->user_status = event->status;
    return event;
}

void event_destroy(void *object)
{
    struct event *event = object;
    free(event->waiters);
    if (event->queue)
        object_unref(event->queue);
    object_unref(event->context);
}

bool event_add_waiter(struct event *event, struct command *command)
{
    CHECKED(runtime_lock_held() && event_pending(event) && event->waiter_count <= event->waiter_room);
    if (event->waiter_count == event->waiter_room) {
        size_t room = 2 * event->waiter_room + 4;
        struct command **grown = realloc(event->waiters, room * sizeof *grown);
        if (!grown)
            return false;
        event->waiters = grown;
        event->waiter_room = room;
    }
    event->waiters[event->waiter_count++] = command;
    return true;
}

/* A callback, its item in the list of the callback thread, and its arguments, in one allocation. */
struct event_delivery {
    struct event_callback base; /* the first member: the executor has a pointer to it */
    struct callback_item item;
    struct event *event; /* held, so that the handle is valid inside the callback */
    cl_int status;
};

/*
 * Rule (11) of 3.3.6: a callback is ordered after the command's completion. The edge is announced when the
 * callback is called, since callbacks that were posted earlier are not ordered after this command. A callback
 * for the start of a command gets no edge from its end, even if it is attached to a complete event. A
 * recorded run notes the position of the call, which is chance, as for a call of the program.
 */
static void announce_order(const struct event_delivery *delivery)
{
    if (delivery->status > CL_COMPLETE || !RULE(13111) || !order_observed())
        return;
    callback_inside(1);
    host_log_enter("callback");
    runtime_lock();
    order_waited(&delivery->event, 1);
    runtime_unlock();
    host_log_leave();
    callback_inside(-1);
}

static void deliver(void *data)
{
    struct event_delivery *delivery = data;
    struct event *event = delivery->event;
    announce_order(delivery);
    usage_waited();
    usage_callback(1);
    delivery->base.function((cl_event)event, delivery->status, delivery->base.data);
    usage_callback(-1);
    free(delivery);
    object_unhold(event);
}

static uint64_t attached, posted; /* callbacks since the start; atomic */

bool event_callbacks_due(void)
{
    return __atomic_load_n(&attached, __ATOMIC_ACQUIRE) != event_callbacks_posted();
}

uint64_t event_callbacks_posted(void)
{
    return __atomic_load_n(&posted, __ATOMIC_ACQUIRE);
}

uint64_t event_callbacks_steps(void)
{
    return __atomic_load_n(&attached, __ATOMIC_ACQUIRE) + event_callbacks_posted();
}

static void post(struct event_callback *callback, cl_int status)
{
    CHECKED(status <= callback->state);
    struct event_delivery *delivery = (struct event_delivery *)callback;
    delivery->status = status < 0 ? status : callback->state;
    delivery->item.function = deliver;
    delivery->item.data = delivery;
    callback_post_item(&delivery->item);
    /* after the post: a thread that finds no callback due waits only for those that were posted */
    __atomic_add_fetch(&posted, 1, __ATOMIC_RELEASE);
}

/* The status only decreases: from CL_QUEUED (3) to CL_COMPLETE (0), or to a negative error. */
void event_advance(struct event *event, cl_int status)
{
    CHECKED(runtime_lock_held() && (status <= event->status || event->status < 0));
    __atomic_store_n(&event->status, status, __ATOMIC_RELAXED);
    struct event_callback **link = &event->callbacks;
    while (*link) {
        struct event_callback *callback = *link;
        if (status > callback->state) {
            link = &callback->next;
            continue;
        }
        *link = callback->next;
        post(callback, status);
    }
}

void event_attach(struct event *event, struct event_callback *callback)
{
    struct event_callback **link = &event->callbacks;
    while (*link)
        link = &(*link)->next;
    *link = callback;
    event_advance(event, event->status);
}

/* ---- the calls -------------------------------------------------------------------- */

cl_event CL_API_CALL api_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    cl_int err = CL_SUCCESS;
    struct event *event = NULL;
    struct context *owner = object_lookup(context, OBJECT_CONTEXT);
    if (!owner)
        err = CL_INVALID_CONTEXT;
    else if (!(event = event_new(owner, NULL, CL_COMMAND_USER)))
        err = CL_OUT_OF_HOST_MEMORY;
    if (event) {
        queue_user_event_number(event);
        object_publish(event);
    }
    if (errcode_ret)
        *errcode_ret = err;
    return (cl_event)event;
}

cl_int CL_API_CALL api_clSetUserEventStatus(cl_event handle, cl_int execution_status)
{
    struct event *event = object_lookup(handle, OBJECT_EVENT);
    if (!event || event->queue)
        return CL_INVALID_EVENT;
    cl_int err =
        execution_status > CL_COMPLETE ? CL_INVALID_VALUE : queue_user_event_set(event, execution_status);
    return context_refuse(event->context, "clSetUserEventStatus", err);
}

cl_int CL_API_CALL api_clRetainEvent(cl_event event)
{
    return object_retain(event, OBJECT_EVENT);
}

cl_int CL_API_CALL api_clReleaseEvent(cl_event event)
{
    return object_release(event, OBJECT_EVENT);
}

static cl_int wait_list_check(cl_uint count, const cl_event *list)
{
    struct context *context = NULL;
    for (cl_uint i = 0; i < count; i++) {
        struct event *event = object_lookup(list[i], OBJECT_EVENT);
        if (!event)
            return CL_INVALID_EVENT;
        if (context && event->context != context)
            return CL_INVALID_CONTEXT;
        context = event->context;
    }
    return CL_SUCCESS;
}

/* The references: another thread may release an event while this one waits for it. */
cl_int CL_API_CALL api_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    if (num_events == 0 || !event_list)
        return CL_INVALID_VALUE;
    cl_int err = wait_list_check(num_events, event_list);
    if (err)
        return err;
    struct event **events = calloc(num_events, sizeof *events);
    if (!events)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < num_events; i++)
        events[i] = object_ref(event_list[i]);
    err = queue_wait_events(num_events, events);
    device_host_waited(runtime_device());
    for (cl_uint i = 0; i < num_events; i++)
        object_unref(events[i]);
    free(events);
    return err;
}

/*
 * A program that polls without a flush would poll for ever. After POLLS_BEFORE_FLUSH queries that find the
 * command not submitted, the next one flushes. If kernels only spin, POLLS_BEFORE_LIVELOCK queries that find
 * it not complete make it a livelock.
 */
enum { POLLS_BEFORE_FLUSH = 1000, POLLS_BEFORE_LIVELOCK = 20000 };

static cl_int poll_status(struct event *event, bool *out_flush)
{
    runtime_lock();
    cl_int status = event->queue ? event->status : event->user_status;
    *out_flush = event->queue && status == CL_QUEUED && ++event->polls > POLLS_BEFORE_FLUSH;
    runtime_unlock();
    return status;
}

/* Drains the log first, so that the result does not depend on the progress of another thread. */
static cl_int settled_status(struct event *event)
{
    bool flush;
    cl_int status = poll_status(event, &flush);
    if (status <= CL_COMPLETE || !event->queue)
        return status;
    if (flush)
        queue_flush(event->queue);
    queue_drain();
    runtime_lock();
    status = event->status;
    const bool spins = status > CL_COMPLETE && executor_stuck() && !callback_thread();
    if (spins && ++event->polls > POLLS_BEFORE_LIVELOCK && executor_end_spin_polled())
        status = event->status;
    runtime_unlock();
    return status;
}

static cl_int event_status(struct event *event)
{
    const cl_int status = settled_status(event);
    if (status <= CL_COMPLETE)
        usage_waited();
    return status;
}

static cl_uint event_references(struct event *event)
{
    const cl_uint held = __atomic_load_n(&event->base.held, __ATOMIC_RELAXED);
    return __atomic_load_n(&event->base.refs, __ATOMIC_RELAXED) - held;
}

_Static_assert(sizeof(cl_event_counters_orrery) == sizeof(struct counters),
               "cl_orrery_counters has every counter, in order");

/* The executor lock is held: no thread changes counters during the query. */
static cl_int query_counters(const struct info_reply *reply, struct event *event)
{
    struct counters counters;
    if (!scenario_counts(&runtime_get()->scenario))
        return CL_INVALID_VALUE;
    if (!event->queue || event_status(event) != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    queue_hold();
    bool found = device_counters(event->queue->device->device, event->serial, &counters);
    queue_resume();
    return found ? info_bytes(reply, &counters, sizeof counters) : CL_INVALID_VALUE;
}

static cl_int query_status(const struct info_reply *reply, struct event *event)
{
    const cl_int status = event_status(event);
    if (status == CL_COMPLETE) {
        order_settle_all();
        runtime_lock();
        order_queried(event);
        runtime_unlock();
    }
    return INFO_VALUE(reply, cl_int, status);
}

cl_int CL_API_CALL api_clGetEventInfo(cl_event handle, cl_event_info param_name, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret)
{
    struct event *event = object_lookup(handle, OBJECT_EVENT);
    const struct info_reply *reply =
        &(struct info_reply){param_value_size, param_value, param_value_size_ret};
    if (!event)
        return CL_INVALID_EVENT;
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE: return INFO_VALUE(reply, cl_command_queue, (cl_command_queue)event->queue);
    case CL_EVENT_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)event->context);
    case CL_EVENT_COMMAND_TYPE: return INFO_VALUE(reply, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return query_status(reply, event);
    case CL_EVENT_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, event_references(event));
    case CL_EVENT_COUNTERS_ORRERY: return query_counters(reply, event);
    default: return CL_INVALID_VALUE;
    }
}

/* CL_SUCCESS: there are times. */
static cl_int check_profiling(struct event *event)
{
    if (!event->queue)
        return call_because(CL_PROFILING_INFO_NOT_AVAILABLE, "event %" PRIu32 " is a user event",
                            event->base.id);
    if (!(event->queue->properties & CL_QUEUE_PROFILING_ENABLE))
        return call_because(CL_PROFILING_INFO_NOT_AVAILABLE,
                            "command-queue %" PRIu32 " was made without CL_QUEUE_PROFILING_ENABLE",
                            event->queue->base.id);
    if (event->type == CL_COMMAND_SVM_FREE)
        return call_because(CL_PROFILING_INFO_NOT_AVAILABLE, "there are no times of clEnqueueSVMFree");
    if (event_status(event) != CL_COMPLETE)
        return call_because(CL_PROFILING_INFO_NOT_AVAILABLE, "command %" PRIu32 " is not complete, or failed",
                            event->serial);
    return CL_SUCCESS;
}

/* CL_PROFILING_COMMAND_QUEUED ... COMPLETE are consecutive, as is event->time[]. */
cl_int CL_API_CALL api_clGetEventProfilingInfo(cl_event handle, cl_profiling_info param_name,
                                               size_t param_value_size, void *param_value,
                                               size_t *param_value_size_ret)
{
    struct event *event = object_lookup(handle, OBJECT_EVENT);
    const struct info_reply *reply =
        &(struct info_reply){param_value_size, param_value, param_value_size_ret};
    if (!event)
        return CL_INVALID_EVENT;
    const cl_int err = check_profiling(event);
    if (err)
        return err;
    if (param_name < CL_PROFILING_COMMAND_QUEUED || param_name > CL_PROFILING_COMMAND_COMPLETE ||
        !version_has_query(event->queue->device, param_name))
        return CL_INVALID_VALUE;
    order_settle_all();
    runtime_lock();
    order_reported(event);
    runtime_unlock();
    return INFO_VALUE(reply, cl_ulong, event->time[param_name - CL_PROFILING_COMMAND_QUEUED]);
}

cl_int CL_API_CALL api_clSetEventCallback(cl_event handle, cl_int command_exec_callback_type,
                                          void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                                          void *user_data)
{
    struct event *event = object_lookup(handle, OBJECT_EVENT);
    if (!event)
        return CL_INVALID_EVENT;
    if (!pfn_notify || command_exec_callback_type < CL_COMPLETE || command_exec_callback_type > CL_SUBMITTED)
        return context_refuse(event->context, "clSetEventCallback", CL_INVALID_VALUE);
    struct event_delivery *delivery = calloc(1, sizeof *delivery);
    if (!delivery)
        return CL_OUT_OF_HOST_MEMORY;
    delivery->base = (struct event_callback){NULL, command_exec_callback_type, pfn_notify, user_data};
    delivery->event = event;
    object_hold(event);
    __atomic_add_fetch(&attached, 1, __ATOMIC_RELEASE);
    cl_int err = queue_event_callback(event, &delivery->base);
    if (err) {
        __atomic_sub_fetch(&attached, 1, __ATOMIC_RELEASE);
        object_unhold(event);
        free(delivery);
    }
    return err;
}
