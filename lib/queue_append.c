/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of queue.h that append an entry to the log, and those that wait until the log is consumed. Who
 * executes depends on the call: a call that waits does so itself (executor_drain); any other wakes the device
 * thread (device_thread_wake). If the thread executes because there can be no device thread, pages that
 * callbacks may use would still be open when it continues: settle_alone lets due callbacks return first.
 */
#include "queue_append.h"

#include "orrery/checked.h"
#include "callback.h"
#include "change.h"
#include "command.h"
#include "queue_log.h"
#include "context.h"
#include "device_thread.h"
#include "event.h"
#include "executor_state.h"
#include "graph.h"
#include "lib/host/guard.h"
#include "lib/host/host_bytes.h"
#include "lib/host/host_changed.h"
#include "lib/diagnose/host_gone.h"
#include "lib/diagnose/usage.h"
#include "command_order.h"
#include "api_runtime.h"
#include "orrery/rule.h"
#include "queue_units.h"

static void number(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->serial);
    command->serial = command->event->serial = ++executor.serial;
    if (command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE)
        command->u.map.record->by = command->serial;
    else if (command->kind == COMMAND_SVM_MAP)
        command->u.svm_map.record->by = command->serial;
}

/* After so many commands without a flush the queue is flushed, as a device with a full queue does: the
 * commands of a loop that enqueues for ever run meanwhile, and memory is kept for those that have not run. */
enum { UNFLUSHED_MOST = 1 << 14 };

cl_int queue_append(struct command *command)
{
    order_settle();
    runtime_lock();
    const bool terminated = context_terminated(command->queue->context);
    struct queue *flushed = NULL; /* with a reference: another thread may release it meanwhile */
    const bool room = !terminated && ready_reserve(&executor.ready, executor.live + 1) &&
                      order_reserve(command) && queue_log_append(LOG_ENQUEUE, command, NULL);
    if (room) {
        number(command);
        command->alone = order_alone(command->queue);
        order_enqueued(command);
        host_bytes_enqueued(command);
        host_changed_enqueued(command);
        host_gone_enqueued(command);
        if (++command->queue->unflushed == UNFLUSHED_MOST)
            flushed = object_ref(command->queue);
        executor.effects_visible |= command_calls_program(command);
        executor.live++;
    }
    runtime_unlock();
    if (flushed) {
        queue_flush(flushed);
        object_unref(flushed);
    }
    return room ? CL_SUCCESS : terminated ? CL_CONTEXT_TERMINATED_KHR : CL_OUT_OF_HOST_MEMORY;
}

/* ---- waiting for the log ------------------------------------------------------------------ */

/* With open memory a kernel may wait for what this thread will do later: then this call waits only until the
 * launches spin. */
static void drain_for_host(void)
{
    const uint64_t position = queue_log_end();
    if (executor.sharing != SHARING_OPEN) {
        if (executor_shares() && executor_stuck() && executor_lock_open())
            executor_execute(position, NULL); /* the host may have stored since */
        executor_drain(position, NULL);
        return;
    }
    if (!executor_idle())
        device_thread_wake();
    while (queue_log_begin() < position && executor.launches == LAUNCHES_PROGRESS)
        change_wait();
}

void queue_drain(void)
{
    if (executor_is_here() || callback_thread())
        return;
    runtime_lock();
    queue_log_go();
    drain_for_host();
    runtime_unlock();
}

void queue_settle(void)
{
    if (executor_is_here())
        return;
    queue_drain();
    callback_drain();
}

void queue_hold(void)
{
    if (executor_is_here())
        return;
    runtime_lock();
    queue_log_go();
    drain_for_host();
    executor.holders++;
    while (executor.lock != LOCK_FREE)
        change_wait();
    executor.holders--;
    executor_lock_take(LOCK_HELD);
    runtime_unlock();
}

void queue_resume(void)
{
    if (executor_is_here())
        return;
    runtime_lock();
    executor_lock_drop();
    change_announce();
    runtime_unlock();
}

static void settle_alone(void)
{
    if (guard_active())
        order_settle();
}

/* ---- entries of the log ---------------------------------------------------------------------- */

static bool append_flush(struct queue *queue, enum log_kind kind)
{
    if (!queue->unflushed)
        return true;
    if (!queue_log_reserve())
        return false;
    queue->unflushed = 0;
    __atomic_store_n(&queue->flushed, executor.serial, __ATOMIC_RELAXED);
    usage_pending_flushed(queue);
    return queue_log_append(kind, object_ref(queue), NULL);
}

bool queue_append_run(struct queue *queue)
{
    return append_flush(queue, LOG_RUN);
}

void queue_flush(struct queue *queue)
{
    runtime_lock();
    const bool later = queue_units_disjoint() && !executor.effects_visible;
    if (queue->unflushed && append_flush(queue, later ? LOG_SUBMIT : LOG_RUN) && !later)
        device_thread_wake();
    runtime_unlock();
    settle_alone();
}

void queue_user_event_number(struct event *event)
{
    order_settle();
    runtime_lock();
    event->serial = ++executor.serial;
    runtime_unlock();
}

cl_int queue_user_event_set(struct event *event, cl_int status)
{
    cl_int err = CL_SUCCESS;
    order_settle();
    runtime_lock();
    const bool needed = !executor_idle() || event->waiter_count || event->callbacks;
    if (event->user_status <= CL_COMPLETE) {
        err = CL_INVALID_OPERATION;
    } else if (!queue_log_reserve()) {
        err = CL_OUT_OF_HOST_MEMORY;
    } else {
        __atomic_store_n(&event->user_status, status, __ATOMIC_RELAXED);
        if (RULE(13112))
            order_user_set(event);
        queue_log_append(LOG_USER, object_ref(event), NULL);
        if (needed)
            device_thread_wake();
    }
    runtime_unlock();
    settle_alone();
    return err;
}

void queue_user_event_signal(struct event *event, cl_int status, const struct command *by)
{
    if (!executor_is_here()) {
        queue_user_event_set(event, status);
        return;
    }
    runtime_lock();
    if (event->user_status > CL_COMPLETE) {
        __atomic_store_n(&event->user_status, status, __ATOMIC_RELAXED);
        order_signalled(event, by);
        graph_settle(event, status, &executor.ready);
    }
    runtime_unlock();
}

cl_int queue_terminate(struct context *context)
{
    runtime_lock();
    const bool room = queue_log_append(LOG_TERMINATE, object_ref(context), NULL);
    const uint64_t position = queue_log_end();
    if (room)
        device_thread_wake();
    /* also while launches only spin, since TERMINATE ends them */
    while (room && !executor_is_here() && !callback_thread() && queue_log_begin() < position)
        change_wait();
    runtime_unlock();
    settle_alone();
    if (!room)
        object_unref(context);
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int queue_event_callback(struct event *event, struct event_callback *callback)
{
    runtime_lock();
    const bool due_later = executor_idle() && event->status > callback->state;
    const bool room = queue_log_reserve();
    if (room) {
        queue_log_append(LOG_CALLBACK, object_ref(event), callback);
        usage_pending_callback(event);
        executor.effects_visible = true;
        queue_log_go();
        if (!due_later)
            device_thread_wake();
    }
    runtime_unlock();
    settle_alone();
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
