/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that wait (clFinish, clWaitForEvents, blocking commands): the waiting thread executes what it
 * waits for. Each round of wait_done() consumes the log, flushes the queues that these commands depend on,
 * and then treats kernels that only spin: callbacks and other threads get the chance to release them, else
 * one is ended as a livelock. In a recorded run the call lock is released around waits for other threads, as
 * the record says (host_log.h).
 */
#include <stdlib.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "blocked.h"
#include "callback.h"
#include "change.h"
#include "deadline.h"
#include "queue_log.h"
#include "event.h"
#include "executor.h"
#include "queue_append.h"
#include "lib/record/host_log.h"
#include "command_order.h"
#include "lib/diagnose/usage.h"

enum { SECONDS_BEFORE_NOTE = 5 };

struct wait_condition {
    cl_uint count;
    struct event *const *events;
    struct queue *queue; /* or: its commands up to `serial`, whose log entries are below `position` */
    uint32_t serial;
    uint64_t position;
};

/* The queue lists only commands whose log entries were consumed. */
static bool queue_done(const struct wait_condition *waiting)
{
    CHECKED(runtime_lock_held());
    const struct command *first = waiting->queue->first;
    return executor_has_begun(waiting->position) && (!first || first->serial > waiting->serial);
}

static bool waiting_done(const void *self)
{
    const struct wait_condition *waiting = self;
    for (cl_uint i = 0; i < waiting->count; i++)
        if (event_pending(waiting->events[i]))
            return false;
    return !waiting->queue || queue_done(waiting);
}

struct queue_list {
    struct queue **queue;
    size_t count, room;
};

static void queue_list_add(struct queue_list *list, struct queue *queue)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->queue[i] == queue)
            return;
    if (list->count == list->room) {
        size_t room = 2 * list->room + 8;
        struct queue **grown = realloc(list->queue, room * sizeof *grown);
        if (!grown)
            return;
        list->queue = grown;
        list->room = room;
    }
    CHECKED(list->count < list->room);
    list->queue[list->count++] = queue;
}

static void queue_list_add_blockers(struct queue_list *list, const struct queue *queue)
{
    for (const struct command *command = queue->first; command; command = command->next)
        for (cl_uint i = 0; i < command->wait_count; i++)
            if (command->waits[i]->queue && event_pending(command->waits[i]))
                queue_list_add(list, command->waits[i]->queue);
}

/* A program must flush every queue that it waits for, also indirectly. One that does not would hang, so its
 * queues are flushed here. True: the log has new entries. */
static bool flush_blockers(const struct wait_condition *waiting)
{
    CHECKED(runtime_lock_held());
    struct queue_list list = {0};
    uint64_t before = queue_log_end();
    if (waiting->queue)
        queue_list_add_blockers(&list, waiting->queue);
    for (cl_uint i = 0; i < waiting->count; i++)
        if (waiting->events[i]->queue)
            queue_list_add(&list, waiting->events[i]->queue);
    for (size_t i = 0; i < list.count; i++) {
        usage_pending_hangs(list.queue[i]);
        queue_append_run(list.queue[i]);
        queue_list_add_blockers(&list, list.queue[i]);
    }
    free(list.queue);
    return queue_log_end() > before;
}

/*
 * A replay keeps the call lock where the recorded run kept it. There the kernel that spun was released by a
 * store before this call, so no call of another thread is needed.
 */
static void release_call_lock(enum host_log_yields waits)
{
    if (waits == YIELDS_NOT)
        return;
    runtime_unlock();
    host_log_wait();
    runtime_lock();
}

static void take_call_lock(enum host_log_yields waits)
{
    if (waits == YIELDS_NOT)
        return;
    runtime_unlock();
    host_log_resume();
    runtime_lock();
}

/* Where nothing has happened for five seconds, one note says which user event is missing. */
static void wait_or_note(const struct wait_condition *waiting)
{
    static bool noted; /* under runtime_lock */
    const struct timespec until = deadline_in(CLOCK_REALTIME, SECONDS_BEFORE_NOTE, 0);
    if (noted)
        change_wait();
    else if (!change_wait_until(&until))
        noted = usage_pending_note(waiting->queue, waiting->events, waiting->count, SECONDS_BEFORE_NOTE);
}

/* A recorded run continues when other threads have appended to the log: when a thread wakes up is chance. */
static void wait_for_others(const struct wait_condition *waiting)
{
    uint64_t seen = queue_log_end();
    if (!host_log_active()) {
        wait_or_note(waiting);
        return;
    }
    release_call_lock(YIELDS_UNSAID);
    while (queue_log_end() == seen && !waiting_done(waiting))
        change_wait();
    take_call_lock(YIELDS_UNSAID);
}

/*
 * A kernel that only spins may wait for a callback or for another thread of the host. If neither can release
 * it, it is ended. False: no kernel spins.
 */
static bool release_or_end_spin(const struct blocked_thread *wait, enum host_log_yields waits)
{
    const uint64_t seen = queue_log_end();
    if (!executor_spins())
        return false;
    release_call_lock(waits);
    if (!executor_shares()) {
        runtime_unlock();
        callback_wait();
        runtime_lock();
    }
    const bool hopeless = executor_wait_help(seen, wait);
    take_call_lock(waits);
    if (hopeless && queue_log_end() == seen && !waiting_done(wait->self))
        executor_end_spin(wait);
    return true;
}

static void wait_done(const struct wait_condition *waiting)
{
    CHECKED(runtime_lock_held() && !executor_is_here());
    struct blocked_thread wait = {.self = waiting, .done = waiting_done};
    blocked_add(&wait);
    for (;;) {
        queue_log_go();
        executor_drain(queue_log_end(), &wait);
        const enum host_log_yields waits = host_log_waits();
        const bool done = waiting_done(waiting);
        if (done && waits != YIELDS)
            break;
        if (!flush_blockers(waiting) && !release_or_end_spin(&wait, waits) && (done || executor_idle()))
            wait_for_others(waiting);
    }
    blocked_remove(&wait);
}

/* A function of the program that a command runs may not wait for commands: it would wait for itself. */
static cl_int wait_allowed(void)
{
    return executor_is_here() ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Before the host is ordered after the commands: callbacks that are due run without that edge. */
static void settle_callbacks(void)
{
    if (!order_observed())
        return;
    runtime_unlock();
    order_settle_all();
    runtime_lock();
}

cl_int queue_finish(struct queue *queue)
{
    cl_int err = wait_allowed();
    if (err)
        return err;
    runtime_lock();
    struct order_list enqueued;
    struct wait_condition waiting = {.queue = queue, .serial = executor_serial()};
    if (order_finish_begin(queue, &enqueued) && queue_append_run(queue)) {
        waiting.position = queue_log_end();
        wait_done(&waiting);
        settle_callbacks();
        order_finish_end(&enqueued);
    } else {
        free(enqueued.serials);
        err = CL_OUT_OF_HOST_MEMORY;
    }
    runtime_unlock();
    usage_waited();
    return err;
}

cl_int queue_wait_events(cl_uint count, struct event *const *events)
{
    cl_int err = wait_allowed();
    if (err)
        return err;
    runtime_lock();
    for (cl_uint i = 0; i < count; i++)
        if (events[i]->queue && !queue_append_run(events[i]->queue))
            err = CL_OUT_OF_HOST_MEMORY;
    if (!err) {
        wait_done(&(struct wait_condition){.count = count, .events = events});
        settle_callbacks();
        order_waited(events, count);
    }
    for (cl_uint i = 0; i < count && !err; i++)
        if (events[i]->status < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    runtime_unlock();
    usage_waited();
    return err;
}

void queue_finish_all(void)
{
    size_t count;
    struct object **list = object_list(1u << OBJECT_QUEUE, &count);
    for (size_t i = 0; list && i < count; i++)
        queue_finish((struct queue *)list[i]);
    object_list_free(list, count);
}
