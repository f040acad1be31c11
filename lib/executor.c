/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log and the baton of queue.h. Everything here is guarded by runtime_lock; it is let
 * go while a command runs and while a reference is dropped (destruction may want it).
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "callback.h"
#include "command.h"
#include "event.h"
#include "executor.h"
#include "graph.h"
#include "guard.h"
#include "order.h"

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

/* deadline NULL: for ever. False: it passed. */
static bool wait_change_until(const struct timespec *deadline)
{
    int err = 0;
    executor.waiting++;
    pthread_mutex_lock(&change.lock);
    uint32_t seen = change.generation;
    runtime_unlock();
    while (change.generation == seen && !err)
        err = deadline ? pthread_cond_timedwait(&change.changed, &change.lock, deadline)
                       : pthread_cond_wait(&change.changed, &change.lock);
    pthread_mutex_unlock(&change.lock);
    runtime_lock();
    executor.waiting--;
    return err == 0;
}

void executor_wait_change(void)
{
    wait_change_until(NULL);
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

bool executor_flush(struct queue *queue)
{
    if (!queue->unflushed)
        return true;
    if (!log_reserve())
        return false;
    queue->unflushed = false;
    return log_append(LOG_RUN, object_ref(queue), NULL);
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
    graph_unlink(command);
    executor.live--;
    order_end(command);
    graph_settle(event, err, &executor.ready);
}

static void execute(struct command *command)
{
    struct event *event = command->event;
    cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event->time[EVENT_START] = device_clock(command->queue->device->device);
    command->running = true;
    order_begin(command);
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
        graph_link(entry->subject);
        return;
    case LOG_CALLBACK:
        event_attach(entry->subject, entry->callback);
        return;
    case LOG_RUN:
        graph_submit(entry->subject, &executor.ready);
        break;
    case LOG_USER:
        graph_settle(entry->subject, ((struct event *)entry->subject)->user_status, &executor.ready);
        break;
    }
    run_ready();
}

static void consume(void)
{
    struct log_entry entry = executor.log[executor.consumed & (executor.room - 1)];
    apply(&entry);
    if (entry.kind != LOG_ENQUEUE) { /* first: who waited may count on everything being let go */
        runtime_unlock();
        object_unref(entry.subject);
        runtime_lock();
    }
    executor.consumed++;
    if (entry.kind != LOG_ENQUEUE)
        wake();
}

/* Who executes may touch all memory of the device, whatever the host may. */
static void take_baton(void)
{
    executor.busy = true;
    guard_enter();
}

static void drop_baton(void)
{
    guard_leave();
    executor.busy = false;
}

/* Takes the baton until the log is consumed up to position, or waits for who has it. */
void executor_drain(uint64_t position)
{
    while (executor.consumed < position) {
        if (executor.busy) {
            executor_wait_change();
            continue;
        }
        take_baton();
        executing = true;
        while (executor.consumed < position)
            consume();
        executing = false;
        drop_baton();
        wake();
    }
}

/* ---- the device thread ------------------------------------------------------------ */

static void *device_run(void *unused)
{
    runtime_lock();
    while (!executor.stopping) {
        if (executor.consumed < executor.appended)
            executor_drain(executor.appended);
        else
            executor_wait_change();
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
        executor_wait_change();
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

/* Someone must consume the log, and no host thread waits: the device thread, or this one when there can be no other,
 * or when memory is open to all while another one executes. */
static void wake_device(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
    if (!executor.started && !executor.stopping && !guard_active())
        executor.started = runtime_thread_start(&executor.thread, device_run);
    if (executor.started && !guard_active())
        wake();
    else if (!executing)
        executor_drain(executor.appended);
}

/* ---- the interface ---------------------------------------------------------------- */

cl_int queue_append(struct command *command)
{
    order_settle();
    runtime_lock();
    bool room = ready_reserve(&executor.ready, executor.live + 1) && order_reserve(command) &&
                log_append(LOG_ENQUEUE, command, NULL);
    if (room) {
        command->serial = command->event->serial = ++executor.serial;
        order_enqueued(command);
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
    executor_drain(executor.appended);
    runtime_unlock();
}

void queue_settle(void)
{
    if (executing)
        return;
    queue_drain();
    callback_drain();
}

void queue_hold(void)
{
    if (executing)
        return;
    runtime_lock();
    executor_drain(executor.appended);
    while (executor.busy)
        executor_wait_change();
    take_baton();
    runtime_unlock();
}

void queue_let_go(void)
{
    if (executing)
        return;
    runtime_lock();
    drop_baton();
    wake();
    runtime_unlock();
}

void queue_flush(struct queue *queue)
{
    runtime_lock();
    if (queue->unflushed && executor_flush(queue))
        wake_device();
    runtime_unlock();
}

bool executor_idle(void)
{
    return executor.consumed == executor.appended;
}

uint64_t executor_position(void)
{
    return executor.appended;
}

uint32_t executor_serial(void)
{
    return executor.serial;
}

bool executor_is_here(void)
{
    return executing;
}

void queue_user_event_number(struct event *event)
{
    runtime_lock();
    event->serial = ++executor.serial;
    runtime_unlock();
}

cl_int queue_user_event_set(struct event *event, cl_int status)
{
    cl_int err = CL_SUCCESS;
    order_settle();
    runtime_lock();
    bool needed = !executor_idle() || event->waiter_count || event->callbacks;
    if (event->user_status <= CL_COMPLETE) {
        err = CL_INVALID_OPERATION;
    } else if (!log_reserve()) {
        err = CL_OUT_OF_HOST_MEMORY;
    } else {
        event->user_status = status;
        order_user_set(event);
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
    bool due_later = executor_idle() && event->status > callback->state;
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

enum { EXIT_PATIENCE_SECONDS = 5 };

/* What was flushed is run, by the thread that was started for it: so a program that does not
 * wait has one outcome. But a command that never ends must not keep the process. */
static bool settle_at_exit(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += EXIT_PATIENCE_SECONDS;
    bool patient = !executing;
    while (patient && !executor_idle() && (executor.started || executor.busy))
        patient = wait_change_until(&deadline);
    return patient;
}

void queue_shutdown(void)
{
    runtime_lock();
    bool settled = settle_at_exit(), started = executor.started;
    executor.stopping = true;
    executor.started = false;
    wake();
    runtime_unlock();
    if (started && settled)
        pthread_join(executor.thread, NULL);
    else if (started)
        pthread_detach(executor.thread);
    callback_stop();
}
