/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log and the baton of queue.h. Everything here is guarded by runtime_lock; it is let
 * go while a command runs and while a reference is dropped (destruction may want it).
 */
#include <pthread.h>
#include <stdlib.h>

#include "callback.h"
#include "command.h"
#include "event.h"
#include "ready.h"

enum log_kind { LOG_ENQUEUE, LOG_RUN, LOG_USER, LOG_CALLBACK };
struct log_entry {
    enum log_kind kind;
    void *subject; /* command; queue; event: the last two referenced */
    struct event_callback *callback;
};

static struct {
    struct log_entry *log; /* a ring of room entries, a power of two */
    size_t room;
    uint64_t consumed, appended;
    uint32_t serial; /* of the last command appended */
    size_t live;     /* commands appended and not yet finished */
    struct ready ready;
    bool busy; /* someone has the baton */
    bool started, stopping;
    pthread_t thread;
    uint32_t waiting; /* threads in wait_change */
} executor;

static __thread bool executing; /* this thread runs a command */

/* ---- waiting for a change: an event count beside runtime_lock ------------------- */

static struct {
    pthread_mutex_t lock; /* taken inside runtime_lock, never the other way round */
    pthread_cond_t changed;
    uint32_t generation;
} change = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void wake(void)
{
    if (!executor.waiting)
        return;
    pthread_mutex_lock(&change.lock);
    change.generation++;
    pthread_cond_broadcast(&change.changed);
    pthread_mutex_unlock(&change.lock);
}

static void wait_change(void)
{
    executor.waiting++;
    pthread_mutex_lock(&change.lock);
    uint32_t seen = change.generation;
    runtime_unlock();
    while (change.generation == seen)
        pthread_cond_wait(&change.changed, &change.lock);
    pthread_mutex_unlock(&change.lock);
    runtime_lock();
    executor.waiting--;
}

/* ---- the log -------------------------------------------------------------------- */

static bool log_reserve(void)
{
    if (executor.appended - executor.consumed < executor.room)
        return true;
    size_t room = executor.room ? 2 * executor.room : 64;
    struct log_entry *log = calloc(room, sizeof *log);
    if (!log)
        return false;
    for (uint64_t i = executor.consumed; i < executor.appended; i++)
        log[i & (room - 1)] = executor.log[i & (executor.room - 1)];
    free(executor.log);
    executor.log = log;
    executor.room = room;
    return true;
}

static bool log_append(enum log_kind kind, void *subject, struct event_callback *callback)
{
    if (!log_reserve())
        return false;
    executor.log[executor.appended++ & (executor.room - 1)] = (struct log_entry){kind, subject, callback};
    if (kind != LOG_ENQUEUE)
        wake();
    return true;
}

static bool log_flush(struct queue *queue)
{
    if (!queue->unflushed)
        return true;
    if (!log_reserve())
        return false;
    queue->unflushed = false;
    return log_append(LOG_RUN, object_ref(queue), NULL);
}

/* ---- the graph: edges are made and met as the log is consumed --------------------- */

static bool waits_for(const struct command *command, const struct event *event)
{
    for (cl_uint i = 0; i < command->wait_count; i++)
        if (command->waits[i] == event)
            return true;
    return false;
}

/* Only the wait list hands failure on: an edge of queue order does not. */
static void depend(struct command *command, struct event *event)
{
    if (!event_pending(event))
        command->failed |= event->status < 0 && waits_for(command, event);
    else if (event_add_waiter(event, command))
        command->unmet++;
    else
        command->failed = true;
}

static void edge_met(struct command *command, const struct event *event)
{
    command->failed |= event->status < 0 && waits_for(command, event);
    if (--command->unmet == 0 && command->submitted)
        ready_add(&executor.ready, command);
}

static bool waits_for_all(const struct command *command)
{
    return (command->kind == COMMAND_MARKER || command->kind == COMMAND_BARRIER) && command->wait_count == 0;
}

static void link_order(struct command *command)
{
    struct queue *queue = command->queue;
    if (!(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        if (queue->last)
            depend(command, queue->last->event);
        return;
    }
    if (waits_for_all(command))
        for (struct command *earlier = queue->first; earlier; earlier = earlier->next)
            depend(command, earlier->event);
    else if (queue->barrier)
        depend(command, queue->barrier);
    if (command->kind == COMMAND_BARRIER)
        queue->barrier = command->event;
}

static void link_command(struct command *command)
{
    struct queue *queue = command->queue;
    command->event->time[EVENT_QUEUED] = device_clock(queue->device->device);
    for (cl_uint i = 0; i < command->wait_count; i++)
        depend(command, command->waits[i]);
    link_order(command);
    command->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = command;
    queue->last = command;
}

static void unlink_command(struct command *command)
{
    struct queue *queue = command->queue;
    *(command->previous ? &command->previous->next : &queue->first) = command->next;
    *(command->next ? &command->next->previous : &queue->last) = command->previous;
    if (queue->barrier == command->event)
        queue->barrier = NULL;
}

static void submit(struct command *command)
{
    command->submitted = true;
    command->event->time[EVENT_SUBMIT] = device_clock(command->queue->device->device);
    event_advance(command->event, CL_SUBMITTED);
    if (command->unmet == 0)
        ready_add(&executor.ready, command);
}

/* The commands not yet submitted are the last ones. */
static void submit_queue(const struct queue *queue)
{
    struct command *first = NULL;
    for (struct command *command = queue->last; command && !command->submitted; command = command->previous)
        first = command;
    for (; first; first = first->next)
        submit(first);
}

static void settle(struct event *event, cl_int status)
{
    struct command **waiters = event->waiters;
    size_t count = event->waiter_count;
    event->waiters = NULL;
    event->waiter_count = event->waiter_room = 0;
    event_advance(event, status);
    for (size_t i = 0; i < count; i++)
        edge_met(waiters[i], event);
    free(waiters);
}

/* ---- execution ------------------------------------------------------------------ */

static void finish(struct command *command, cl_int err)
{
    struct device *device = command->queue->device->device;
    struct event *event = command->event;
    uint64_t end = device_clock(device);
    if (end <= event->time[EVENT_START]) /* a duration of 0 is a division by zero in many a benchmark */
        end = device_clock_tick(device, event->time[EVENT_START] + 1 - end);
    event->time[EVENT_END] = event->time[EVENT_COMPLETE] = end;
    unlink_command(command);
    executor.live--;
    settle(event, err);
}

static void execute(struct command *command)
{
    struct event *event = command->event;
    cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event->time[EVENT_START] = device_clock(command->queue->device->device);
    command->running = true;
    if (!command->failed)
        event_advance(event, CL_RUNNING);
    runtime_unlock();
    if (!command->failed)
        err = command_run(command);
    command_drop(command);
    runtime_lock();
    finish(command, err);
    runtime_unlock();
    command_free(command);
    runtime_lock();
}

static void run_ready(void)
{
    const struct schedule_config *schedule = &runtime_get()->scenario.schedule;
    struct command *command;
    while ((command = ready_take(&executor.ready, schedule)))
        execute(command);
}

static void apply(const struct log_entry *entry)
{
    switch (entry->kind) {
    case LOG_ENQUEUE:
        link_command(entry->subject);
        return;
    case LOG_CALLBACK:
        event_attach(entry->subject, entry->callback);
        return;
    case LOG_RUN:
        submit_queue(entry->subject);
        break;
    case LOG_USER:
        settle(entry->subject, ((struct event *)entry->subject)->user_status);
        break;
    }
    run_ready();
}

static void consume(void)
{
    struct log_entry entry = executor.log[executor.consumed & (executor.room - 1)];
    apply(&entry);
    executor.consumed++;
    if (entry.kind == LOG_ENQUEUE)
        return;
    wake();
    runtime_unlock();
    object_unref(entry.subject);
    runtime_lock();
}

/* Takes the baton until the log is consumed up to position, or waits for who has it. */
static void drain_to(uint64_t position)
{
    while (executor.consumed < position) {
        if (executor.busy) {
            wait_change();
            continue;
        }
        executor.busy = executing = true;
        while (executor.consumed < position)
            consume();
        executor.busy = executing = false;
        wake();
    }
}

/* ---- the device thread ------------------------------------------------------------ */

static void *device_run(void *unused)
{
    runtime_lock();
    while (!executor.stopping) {
        if (executor.consumed < executor.appended)
            drain_to(executor.appended);
        else
            wait_change();
    }
    runtime_unlock();
    return unused;
}

static void fork_prepare(void)
{
    if (executing)
        return; /* a native kernel forks: it has the baton and no lock */
    runtime_lock();
    while (executor.busy)
        wait_change();
    pthread_mutex_lock(&change.lock);
    callback_fork_prepare();
}

static void fork_parent(void)
{
    if (executing)
        return;
    callback_fork_parent();
    pthread_mutex_unlock(&change.lock);
    runtime_unlock();
}

static void fork_child(void)
{
    executor.started = false;
    executor.waiting = 0;
    if (executing)
        return;
    callback_fork_child();
    pthread_cond_init(&change.changed, NULL);
    pthread_mutex_unlock(&change.lock);
    runtime_unlock();
}

static void register_fork(void)
{
    pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* Someone must consume the log, and no host thread waits: the device thread, or this one
 * when there can be no other. */
static void wake_device(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
    if (!executor.started && !executor.stopping)
        executor.started = runtime_thread_start(&executor.thread, device_run);
    if (executor.started)
        wake();
    else if (!executing)
        drain_to(executor.appended);
}

/* ---- what a waiting thread waits for ------------------------------------------------ */

struct waiting {
    cl_uint count;
    struct event *const *events;
    const struct queue *queue; /* or: its commands up to serial */
    uint32_t serial;
};

static bool waiting_done(const struct waiting *waiting)
{
    for (cl_uint i = 0; i < waiting->count; i++)
        if (event_pending(waiting->events[i]))
            return false;
    return !waiting->queue || !waiting->queue->first || waiting->queue->first->serial > waiting->serial;
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
    struct queue_list list = {0};
    uint64_t before = executor.appended;
    if (waiting->queue)
        queue_list_add_blockers(&list, waiting->queue);
    for (cl_uint i = 0; i < waiting->count; i++)
        if (waiting->events[i]->queue)
            queue_list_add(&list, waiting->events[i]->queue);
    for (size_t i = 0; i < list.count; i++) {
        log_flush(list.queue[i]);
        queue_list_add_blockers(&list, list.queue[i]);
    }
    free(list.queue);
    return executor.appended > before;
}

static void wait_done(const struct waiting *waiting)
{
    for (;;) {
        drain_to(executor.appended);
        if (waiting_done(waiting))
            return;
        if (!flush_blockers(waiting) && executor.consumed == executor.appended)
            wait_change();
    }
}

/* ---- the interface ---------------------------------------------------------------- */

cl_int queue_append(struct command *command)
{
    runtime_lock();
    bool room = ready_reserve(&executor.ready, executor.live + 1) && log_append(LOG_ENQUEUE, command, NULL);
    if (room) {
        command->serial = ++executor.serial;
        command->queue->unflushed = true;
        executor.live++;
    }
    runtime_unlock();
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void queue_drain(void)
{
    if (executing || callback_thread())
        return;
    runtime_lock();
    drain_to(executor.appended);
    runtime_unlock();
}

void queue_hold(void)
{
    if (executing)
        return;
    runtime_lock();
    drain_to(executor.appended);
    while (executor.busy)
        wait_change();
    executor.busy = true;
    runtime_unlock();
}

void queue_let_go(void)
{
    if (executing)
        return;
    runtime_lock();
    executor.busy = false;
    wake();
    runtime_unlock();
}

void queue_flush(struct queue *queue)
{
    runtime_lock();
    if (queue->unflushed && log_flush(queue))
        wake_device();
    runtime_unlock();
}

/* A command that waits for its own executor would wait for ever. */
static cl_int wait_allowed(void)
{
    return executing ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int queue_finish(struct queue *queue)
{
    cl_int err = wait_allowed();
    if (err)
        return err;
    runtime_lock();
    struct waiting waiting = {.queue = queue, .serial = executor.serial};
    if (log_flush(queue))
        wait_done(&waiting);
    else
        err = CL_OUT_OF_HOST_MEMORY;
    runtime_unlock();
    return err;
}

cl_int queue_wait_events(cl_uint count, struct event *const *events)
{
    cl_int err = wait_allowed();
    if (err)
        return err;
    runtime_lock();
    for (cl_uint i = 0; i < count; i++)
        if (events[i]->queue && !log_flush(events[i]->queue))
            err = CL_OUT_OF_HOST_MEMORY;
    if (!err)
        wait_done(&(struct waiting){.count = count, .events = events});
    for (cl_uint i = 0; i < count && !err; i++)
        if (events[i]->status < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    runtime_unlock();
    return err;
}

/* Nothing executes and nothing is left to consume. */
static bool idle(void)
{
    return executor.consumed == executor.appended;
}

cl_int queue_user_event_set(struct event *event, cl_int status)
{
    cl_int err = CL_SUCCESS;
    runtime_lock();
    bool needed = !idle() || event->waiter_count || event->callbacks;
    if (event->user_status <= CL_COMPLETE) {
        err = CL_INVALID_OPERATION;
    } else if (!log_reserve()) {
        err = CL_OUT_OF_HOST_MEMORY;
    } else {
        event->user_status = status;
        log_append(LOG_USER, object_ref(event), NULL);
        if (needed)
            wake_device();
    }
    runtime_unlock();
    return err;
}

cl_int queue_event_callback(struct event *event, struct event_callback *callback)
{
    runtime_lock();
    bool due_later = idle() && event->status > callback->state;
    bool room = log_reserve();
    if (room) {
        event->callback_refs++;
        log_append(LOG_CALLBACK, object_ref(event), callback);
        if (!due_later)
            wake_device();
    }
    runtime_unlock();
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

void queue_shutdown(void)
{
    runtime_lock();
    if (!executing)
        drain_to(executor.appended);
    bool started = executor.started;
    executor.stopping = true;
    executor.started = false;
    wake();
    runtime_unlock();
    if (started && executing)
        pthread_detach(executor.thread);
    else if (started)
        pthread_join(executor.thread, NULL);
    callback_stop();
}
