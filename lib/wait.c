/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that wait: the waiting thread executes what it waits for. */
#include <stdlib.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "callback.h"
#include "event.h"
#include "executor.h"
#include "lib/record/host_log.h"
#include "command_order.h"
#include "lib/diagnose/usage.h"

struct waiting {
    cl_uint count;
    struct event *const *events;
    const struct queue *queue; /* or: its commands up to serial, which stand in the log below position */
    uint32_t serial;
    uint64_t position;
};

/* The queue lists what was consumed. */
static bool queue_done(const struct waiting *waiting)
{
    CHECKED(runtime_lock_held());
    const struct command *first = waiting->queue->first;
    return executor_has_begun(waiting->position) && (!first || first->serial > waiting->serial);
}

static bool waiting_done(const void *self)
{
    const struct waiting *waiting = self;
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

/* The program should have flushed every queue it waits for, directly or not. Rather than
 * hang, do it: true when that gave the log something to do. */
static bool flush_blockers(const struct waiting *waiting)
{
    CHECKED(runtime_lock_held());
    struct queue_list list = {0};
    uint64_t before = executor_position();
    if (waiting->queue)
        queue_list_add_blockers(&list, waiting->queue);
    for (cl_uint i = 0; i < waiting->count; i++)
        if (waiting->events[i]->queue)
            queue_list_add(&list, waiting->events[i]->queue);
    for (size_t i = 0; i < list.count; i++) {
        executor_flush(list.queue[i]);
        queue_list_add_blockers(&list, list.queue[i]);
    }
    free(list.queue);
    return executor_position() > before;
}

/*
 * A replay keeps the call lock where the recorded run kept it: there the store that the kernel spins on was
 * done before the call, and needs no other call.
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

/*
 * In a recorded run it continues when the others have put something into the log, not at a wake-up, which is
 * chance.
 */
static void wait_for_others(const struct waiting *waiting)
{
    uint64_t seen = executor_position();
    if (!host_log_active()) {
        executor_wait_change();
        return;
    }
    release_call_lock(YIELDS_UNSAID);
    while (executor_position() == seen && !waiting_done(waiting))
        executor_wait_change();
    take_call_lock(YIELDS_UNSAID);
}

/*
 * A kernel that only spins may wait for a callback, or for another thread of the host: this one has nothing
 * to add. False: no kernel spins.
 */
static bool insist(const struct executor_wait *wait, enum host_log_yields waits)
{
    const uint64_t seen = executor_position();
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
    if (hopeless && executor_position() == seen && !waiting_done(wait->self))
        executor_end_spin(wait);
    return true;
}

static void wait_done(const struct waiting *waiting)
{
    CHECKED(runtime_lock_held() && !executor_is_here());
    struct executor_wait wait = {.self = waiting, .done = waiting_done};
    executor_block(&wait);
    for (;;) {
        executor_go();
        executor_drain(executor_position(), &wait);
        const enum host_log_yields waits = host_log_waits();
        const bool done = waiting_done(waiting);
        if (done && waits != YIELDS)
            break;
        if (!flush_blockers(waiting) && !insist(&wait, waits) && (done || executor_idle()))
            wait_for_others(waiting);
    }
    executor_unblock(&wait);
}

/* A command that waits for its own executor would wait for ever. */
static cl_int wait_allowed(void)
{
    return executor_is_here() ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Callbacks that were posted are not ordered after the commands that this thread waits for. */
static void learns(void)
{
    if (!order_observed())
        return;
    runtime_unlock();
    order_learns();
    runtime_lock();
}

cl_int queue_finish(struct queue *queue)
{
    cl_int err = wait_allowed();
    if (err)
        return err;
    runtime_lock();
    struct order_list known;
    struct waiting waiting = {.queue = queue, .serial = executor_serial()};
    if (order_finish_begin(queue, &known) && executor_flush(queue)) {
        waiting.position = executor_position();
        wait_done(&waiting);
        learns();
        order_finish_end(&known);
    } else {
        free(known.serials);
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
        if (events[i]->queue && !executor_flush(events[i]->queue))
            err = CL_OUT_OF_HOST_MEMORY;
    if (!err) {
        wait_done(&(struct waiting){.count = count, .events = events});
        learns();
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
    struct object **list = object_list(&count);
    for (size_t i = 0; list && i < count; i++)
        if (list[i]->kind == OBJECT_QUEUE)
            queue_finish((struct queue *)list[i]);
    free(list);
}
