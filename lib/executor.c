/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consumes the log of queue.h and runs the commands that are ready. One thread at a time does so: the owner
 * of the executor lock. It applies entry after entry; after an entry that lets submitted commands run, it
 * starts all ready commands whose compute units are free, and runs the launches that began until none can
 * get on. Every choice is a function of the log, the scenario's policy and the seed, so the thread that
 * executes does not matter. The states and their transitions stand in executor_state.h.
 */
#include <pthread.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "callback.h"
#include "change.h"
#include "command.h"
#include "queue_log.h"
#include "context.h"
#include "deadline.h"
#include "debug_host.h"
#include "event.h"
#include "executor_state.h"
#include "graph.h"
#include "lib/host/guard.h"
#include "lib/host/stack_room.h"
#include "interrupt.h"
#include "command_order.h"
#include "api_runtime.h"
#include "lib/record/saved_report.h"
#include "lib/host/shared_bytes.h"
#include "spin_note.h"

struct executor executor;

static __thread bool executing; /* this thread is in executor_execute */

bool executor_is_here(void)
{
    return executing;
}

/* ---- the executor lock ------------------------------------------------------------ */

void executor_lock_take(enum executor_lock as)
{
    CHECKED(runtime_lock_held() && executor.lock == LOCK_FREE && (as == LOCK_HELD || as == LOCK_EXECUTING));
    executor.lock = as;
    guard_enter();
}

/* Memory that the program freed while a command ran, perhaps one that uses it. */
struct freed_memory {
    uint64_t address;
    struct freed_memory *next;
};
static struct freed_memory *freed; /* under runtime_lock */

static void release_freed(void)
{
    while (freed) {
        struct freed_memory *memory = freed;
        freed = memory->next;
        device_release(runtime_device(), memory->address);
        free(memory);
    }
}

void executor_release_memory(uint64_t address)
{
    CHECKED(!runtime_lock_held());
    struct freed_memory *memory = malloc(sizeof *memory);
    if (!memory)
        return; /* it stays allocated */
    runtime_lock();
    *memory = (struct freed_memory){address, freed};
    freed = memory;
    if (executor.lock == LOCK_FREE && !executor.running)
        release_freed();
    runtime_unlock();
}

void executor_lock_drop(void)
{
    CHECKED(runtime_lock_held() && (executor.lock == LOCK_HELD || executor.lock == LOCK_EXECUTING));
    guard_leave();
    if (!executor.running)
        release_freed();
    executor.lock = LOCK_FREE;
    interrupt_running(false);
    if (interrupt_caught()) {
        runtime_unlock();
        runtime_interrupted();
    }
}

/* ---- the launches that began ------------------------------------------------------- */

/* After a time slice. `ends`: an end was tried, and only suspended to look at the host. */
static void launches_observed(bool spin, bool ends)
{
    if (!spin) {
        executor.launches = LAUNCHES_PROGRESS;
        return;
    }
    CHECKED(executor.running);
    if (executor.launches == LAUNCHES_PROGRESS) {
        executor.spin_since = deadline_in(CLOCK_MONOTONIC, 0, 0);
        executor.launches = LAUNCHES_SPIN;
        change_announce();
    }
    if (ends)
        executor.launches = LAUNCHES_END;
}

void executor_launches_end(void)
{
    CHECKED(runtime_lock_held() && executor.launches != LAUNCHES_PROGRESS);
    executor.launches = LAUNCHES_END;
}

void executor_launches_retry(void)
{
    CHECKED(runtime_lock_held());
    if (executor.launches == LAUNCHES_END)
        executor.launches = LAUNCHES_SPIN;
}

/* Is the next run to end one? If the host can store, only while it is still certain that it does not. */
static bool launches_take_end(void)
{
    const bool end = executor.launches == LAUNCHES_END && (!executor_shares() || executor_hopeless());
    executor_launches_retry();
    return end;
}

/* The log has entries that have not begun to take effect. */
static bool executor_log_ahead(void)
{
    const uint64_t begun = queue_log_begin() + (executor.lock == LOCK_APPLYING);
    return queue_log_end() > begun;
}

bool executor_spins(void)
{
    return executor.launches != LAUNCHES_PROGRESS && !executor_log_ahead();
}

bool executor_stuck(void)
{
    return executor.launches != LAUNCHES_PROGRESS && queue_log_begin() == queue_log_end() &&
           executor.sharing != SHARING_OPEN;
}

/* ---- memory that the host shares ------------------------------------------------------ */

void executor_share(bool open)
{
    runtime_lock();
    if (open)
        __atomic_store_n(&executor.sharing, SHARING_OPEN, __ATOMIC_RELAXED);
    else if (executor.sharing == SHARING_NONE)
        __atomic_store_n(&executor.sharing, SHARING_CLOSED, __ATOMIC_RELAXED);
    executor.effects_visible |= open;
    runtime_unlock();
    if (open)
        guard_share();
}

/* Without the lock. */
static enum host_sharing sharing_now(void)
{
    return __atomic_load_n(&executor.sharing, __ATOMIC_RELAXED);
}

bool executor_shares(void)
{
    return sharing_now() != SHARING_NONE;
}

/* ---- a command starts and is complete --------------------------------------------------- */

static void finish(struct command *command, cl_int err, uint64_t end)
{
    CHECKED(err <= CL_SUCCESS && executor.live > 0);
    struct device *device = command->queue->device->device;
    struct event *event = command->event;
    if (end <= event->time[EVENT_START]) /* benchmarks divide by the duration: it is never 0 */
        end = device_clock_tick(device, event->time[EVENT_START] + 1 - end);
    if (event->time[EVENT_END] <= event->time[EVENT_START]) /* no part of it ended before */
        event->time[EVENT_END] = end;
    event->time[EVENT_COMPLETE] = end;
    graph_unlink(command);
    executor.live--;
    order_end(command);
    shared_bytes_over(err != CL_SUCCESS || command_calls_program(command));
    graph_settle(event, err, &executor.ready);
}

/* Called without runtime_lock; returns with it. */
static void complete(struct command *command, cl_int err, uint64_t time)
{
    command_drop(command);
    saved_command_over();
    runtime_lock();
    debug_host_over(command, err);
    finish(command, err, time);
    runtime_unlock();
    command_free(command);
    runtime_lock();
}

/* Its context was terminated before it began. */
static bool is_terminated(const struct command *command)
{
    return __atomic_load_n(&command->queue->context->stop, __ATOMIC_RELAXED) == LAUNCH_STOPS;
}

/* A launch begins; every other command runs to its end. */
static void start(struct command *command)
{
    CHECKED(executing && runtime_lock_held() && command->submitted && !command->unmet);
    interrupt_running(false); /* functions of the program, and copies, end by themselves */
    struct device *device = command->queue->device->device;
    struct event *event = command->event;
    cl_int err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    event->time[EVENT_START] = device_clock_start(device, event->time[EVENT_SUBMIT]);
    command->running = true;
    shared_bytes_started();
    const bool terminated = is_terminated(command), runs = !terminated && !command->failed,
               program = runs && command_calls_program(command);
    order_begin(command, program);
    if (program)
        order_reported(command->event);
    if (runs)
        event_advance(event, CL_RUNNING);
    runtime_unlock();
    if (runs)
        err = command_run(command);
    else if (terminated)
        err = CL_CONTEXT_TERMINATED_KHR;
    if (!command->live) {
        complete(command, err, device_clock(device));
        return;
    }
    saved_kernel_began();
    runtime_lock();
    CHECKED(command_launches(command) && !command->next_running);
    command->next_running = executor.running;
    executor.running = command;
}

/* A launch that can get on has its compute units to itself. */
static bool may_start(const struct command *command)
{
    const struct unit_set *wanted = &command->queue->units;
    for (const struct command *other = executor.running; other && command_launches(command);
         other = other->next_running)
        if (wanted == &other->queue->units || unit_set_intersects(wanted, &other->queue->units))
            return false;
    return true;
}

static struct command *take_running(const struct live_launch *live)
{
    struct command **link = &executor.running;
    while ((*link)->live != live)
        link = &(*link)->next_running;
    struct command *command = *link;
    *link = command->next_running;
    return command;
}

/* ---- running -------------------------------------------------------------------------- */

/*
 * After a time slice in which no launch ended. With open memory the executing thread also stops for a thread
 * that wants the lock, for new entries of the log, and, while kernels spin, when its own wait is over.
 */
static bool launches_run_on(bool spin)
{
    if (executor.sharing != SHARING_OPEN)
        return !spin;
    if (executor.holders || executor_log_ahead())
        return false;
    if (!spin || !executor.wait)
        return true;
    return !blocked_over(executor.wait) && !deadline_passed(CLOCK_MONOTONIC, &executor.slice);
}

/* What can release launches that only spin, from now on? */
static enum device_help help_for_launches(bool ends)
{
    if (ends)
        return executor_shares() ? HELP_LOOK : HELP_NONE;
    return executor.sharing == SHARING_OPEN || !ready_empty(&executor.ready) ? HELP_COMMANDS : HELP_HOST;
}

/*
 * Runs until one of the launches is over, or all of them only spin; then a ready command starts beside them.
 * False: only the rest of the log, or a later step of the host, could help. A launch that shares memory with
 * the host may wait for its stores: then it is run repeatedly, until no thread is left that could store.
 */
static bool run_launches(void)
{
    CHECKED(executing && executor.lock >= LOCK_EXECUTING && executor.running);
    const bool ends = launches_take_end();
    const enum device_help help = help_for_launches(ends);
    struct device *device = executor.running->queue->device->device;
    runtime_unlock();
    interrupt_running(true);
    struct live_launch *over = device_run(device, help);
    if (interrupt_caught())
        runtime_interrupted();
    if (!over && sharing_now() != SHARING_OPEN && device_touches_host(device))
        executor_share(true);
    if (executor_shares() && over)
        spin_note_reset();
    else if (executor_shares())
        spin_note_look(device);
    runtime_lock();
    const bool spin = !over && ready_empty(&executor.ready);
    launches_observed(spin, ends);
    if (!over && !spin)
        start(ready_take(&executor.ready, &runtime_get()->scenario.schedule, NULL));
    if (!over)
        return launches_run_on(spin);
    struct command *command = take_running(over);
    uint64_t time = 0;
    runtime_unlock();
    cl_int err = command_end(command, &time);
    complete(command, err, time);
    return true;
}

static void run_ready(void)
{
    CHECKED(executing && executor.lock >= LOCK_EXECUTING);
    const struct schedule_config *schedule = &runtime_get()->scenario.schedule;
    do {
        struct command *command;
        while ((command = ready_take(&executor.ready, schedule, executor.running ? may_start : NULL)))
            start(command);
        if (executor.running && !run_launches())
            return;
    } while (executor.running || !ready_empty(&executor.ready));
}

/* ---- consuming the log ------------------------------------------------------------------ */

/* The launches of the context stop; its other commands wait for no user event any more, and fail as they
 * start. */
static void terminate(struct context *context)
{
    __atomic_store_n(&context->stop, LAUNCH_STOPS, __ATOMIC_RELAXED);
    for (const struct queue *queue = context->queues; queue; queue = queue->next_in_context) {
        graph_submit(queue, &executor.ready);
        for (struct command *command = queue->first; command; command = command->next)
            graph_forget_host(command, &executor.ready);
    }
}

static void apply(const struct queue_log_entry *entry)
{
    switch (entry->kind) {
    case LOG_ENQUEUE: graph_link(entry->subject); return;
    case LOG_CALLBACK: event_attach(entry->subject, entry->callback); return;
    case LOG_SUBMIT: graph_submit(entry->subject, &executor.ready); return;
    case LOG_RUN: graph_submit(entry->subject, &executor.ready); break;
    case LOG_GO: break;
    case LOG_TERMINATE: terminate(entry->subject); break;
    case LOG_USER:
        graph_settle(entry->subject, ((struct event *)entry->subject)->user_status, &executor.ready);
        break;
    }
    run_ready();
}

static void consume(void)
{
    const struct queue_log_entry entry = *queue_log_entry(queue_log_begin());
    executor.lock = LOCK_APPLYING;
    apply(&entry);
    executor.lock = LOCK_EXECUTING;
    /* before the position moves: a thread that waits for it may rely on the reference being dropped */
    if (entry.kind != LOG_ENQUEUE && entry.subject) {
        runtime_unlock();
        object_unref(entry.subject);
        runtime_lock();
    }
    queue_log_consume();
    if (entry.kind != LOG_ENQUEUE)
        change_announce();
}

/* self: a position of the log. */
static void consume_until(void *self)
{
    while (queue_log_begin() < *(const uint64_t *)self)
        consume();
    if (executor.running)
        run_ready();
}

void executor_execute(uint64_t position, const struct blocked_thread *wait)
{
    CHECKED(runtime_lock_held() && !executing && position <= queue_log_end());
    executor_lock_take(LOCK_EXECUTING);
    executing = true;
    executor.wait = wait;
    stack_room_call(consume_until, &position);
    if (CHECKS_ON)
        executor_check();
    executor.wait = NULL;
    executing = false;
    executor_lock_drop();
    change_announce();
}

/* With open memory a waiting thread does not drain past launches that only spin, unless the log can help. */
static bool stops_draining(const struct blocked_thread *wait)
{
    const bool spins = executor.sharing == SHARING_OPEN && executor.launches != LAUNCHES_PROGRESS;
    return spins && wait && (!executor_log_ahead() || blocked_over(wait));
}

void executor_drain(uint64_t position, const struct blocked_thread *wait)
{
    CHECKED(runtime_lock_held() && position <= queue_log_end());
    while (queue_log_begin() < position || (executor.running && !executor_stuck())) {
        if (stops_draining(wait))
            return;
        if (!executor_lock_open()) {
            change_wait();
            continue;
        }
        executor_execute(position, wait);
        if (executor.running)
            position = queue_log_end();
    }
}

/* ---- queries ------------------------------------------------------------------------------ */

bool executor_callback_stuck(void)
{
    runtime_lock();
    const bool asleep = change_callback_asleep();
    const bool stuck = asleep && (executor_idle() || executor_stuck()) && executor_lock_open();
    runtime_unlock();
    return stuck;
}

bool executor_idle(void)
{
    return queue_log_begin() == queue_log_end() && !executor.running;
}

bool executor_has_begun(uint64_t position)
{
    return queue_log_begin() + (executor.lock == LOCK_APPLYING) >= position;
}

uint32_t executor_serial(void)
{
    return executor.serial;
}

void executor_visit(void (*visit)(void *self, const struct command *command), void *self)
{
    const uint64_t begun = queue_log_begin() + (executor.lock == LOCK_APPLYING);
    for (uint64_t i = begun; i < queue_log_end(); i++) {
        const struct queue_log_entry *entry = queue_log_entry(i);
        if (entry->kind == LOG_ENQUEUE)
            visit(self, entry->subject);
    }
    for (const struct command *command = executor.running; command; command = command->next_running)
        visit(self, command);
}

/* ---- invariants ------------------------------------------------------------------- */

static void check_running(void)
{
    for (const struct command *command = executor.running; command; command = command->next_running) {
        CHECKED(command->running && command->live && command->submitted && !command->unmet);
        CHECKED(command_launches(command) && event_pending(command->event));
        for (const struct command *other = command->next_running; other; other = other->next_running)
            CHECKED(other != command && other->live != command->live);
    }
}

/* How the states depend on each other. */
static void check_states(void)
{
    const bool open = executor.sharing == SHARING_OPEN, spins = executor.launches != LAUNCHES_PROGRESS;
    CHECKED(executor.lock != LOCK_APPLYING || queue_log_begin() < queue_log_end());
    CHECKED(executor.lock >= LOCK_EXECUTING || !executor.wait);
    CHECKED(!executing || executor.lock >= LOCK_EXECUTING);
    CHECKED(!spins || executor.running);
    CHECKED(!open || executor.effects_visible);
    CHECKED(executor.holders <= change_waiters());
    /* the thread that executes stops when all launches spin, and no earlier, unless memory is open */
    CHECKED(open || !executor.running || (spins && ready_empty(&executor.ready)));
}

void executor_check(void)
{
    CHECKED(runtime_lock_held());
    check_states();
    queue_log_check();
    check_running();
    ready_check(&executor.ready);
    CHECKED(executor.live >= executor.ready.last - executor.ready.first);
}
