/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log and the executor lock of queue.h. Everything here is guarded by runtime_lock; it is let
 * go while a command runs and while a reference is dropped (destruction may want it).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orrery/checked.h"
#include "callback.h"
#include "command.h"
#include "context.h"
#include "debug_host.h"
#include "event.h"
#include "executor.h"
#include "graph.h"
#include "lib/host/guard.h"
#include "lib/host/host_bytes.h"
#include "lib/host/host_gone.h"
#include "lib/host/stack_room.h"
#include "lib/record/host_log.h"
#include "interrupt.h"
#include "command_order.h"
#include "api_runtime.h"
#include "lib/record/saved_report.h"
#include "lib/host/shared_bytes.h"
#include "lib/record/thread_state.h"
#include "orrery/rule.h"

enum log_kind { LOG_ENQUEUE, LOG_SUBMIT, LOG_RUN, LOG_USER, LOG_CALLBACK, LOG_GO, LOG_TERMINATE };
struct log_entry {
    enum log_kind kind;
    void *subject; /* command; queue; event; context: the last three referenced; of GO NULL */
    struct event_callback *callback;
};

static struct {
    struct log_entry *log; /* a ring of room entries, a power of two */
    size_t room;
    uint64_t consumed, appended;
    uint32_t serial; /* of the last command appended */
    size_t live;     /* commands appended and not yet finished */
    struct ready ready;
    struct command *running; /* launches that began, the latest first; owned by the executor lock's owner */
    bool submitted;          /* by the last entries of the log, and nothing has let it run yet */
    bool seen;               /* the host may see effects without a call that waits or queries */
    bool shared;             /* and a kernel what the host does: memory that both touch at any time */
    /* kernels may wait for what the host writes: that memory, or such as is closed while they run */
    bool stores;
    bool stuck; /* what runs only spins: it may wait for the host, */
    struct timespec stuck_since;
    bool ends_spin; /* the host has nothing to add: what only spins is over */
    /* of the thread that has the executor lock; NULL: it waits for nothing */
    const struct executor_wait *wait;
    struct executor_wait *blocked; /* of all threads that wait */
    struct timespec slice;         /* until then a waiting thread executes kernels that only spin */
    /* of kernels that only spin: the next check, and the result of the last */
    struct {
        struct timespec look;
        uint32_t still;
    } silence;
    bool consuming;   /* the first entry of the log has begun to take effect */
    uint32_t holders; /* threads that wait in queue_hold */
    bool busy;        /* a thread has the executor lock */
    bool started, stopping;
    pthread_t thread;
    uint32_t waiting; /* threads in wait_change */
} executor;

static __thread bool executing; /* this thread runs a command */

/*
 * Time for the host to release kernels that spin: without a waiting thread, and by its other threads while
 * one waits.
 */
enum { HOST_PATIENCE_SECONDS = 20, OTHERS_PATIENCE_SECONDS = 5 };
enum { SLICE_NANOSECONDS = 5000000 };
/* If the host may write at any time: checks that find memory unchanged, until that is printed; once. */
enum { SILENCE_SECONDS = 2, SILENCE_LOOKS = 5, SILENCE_NOTED };

/* ---- waiting for a change: an event count beside runtime_lock ------------------- */

static struct {
    pthread_mutex_t lock; /* taken inside runtime_lock, never the other way round */
    pthread_cond_t changed;
    uint32_t generation;
    bool callback_waits; /* the callback thread does, and */
    uint32_t callback_saw;
} change = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void wake(void)
{
    CHECKED(runtime_lock_held());
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
    CHECKED(runtime_lock_held() && !executing);
    int err = 0;
    executor.waiting++;
    pthread_mutex_lock(&change.lock);
    uint32_t seen = change.generation;
    if (callback_thread()) {
        change.callback_waits = true;
        change.callback_saw = seen;
    }
    runtime_unlock();
    while (change.generation == seen && !err)
        err = deadline ? pthread_cond_timedwait(&change.changed, &change.lock, deadline)
                       : pthread_cond_wait(&change.changed, &change.lock);
    change.callback_waits &= !callback_thread();
    pthread_mutex_unlock(&change.lock);
    runtime_lock();
    CHECKED(executor.waiting > 0);
    executor.waiting--;
    return err == 0;
}

void executor_wait_change(void)
{
    wait_change_until(NULL);
}

/* ---- the log -------------------------------------------------------------------- */

/* For one more, and a GO. */
static bool log_reserve(void)
{
    if (executor.appended - executor.consumed + 1 < executor.room)
        return true;
    size_t room = executor.room ? 2 * executor.room : 64;
    struct log_entry *log = calloc(room, sizeof *log);
    if (!log)
        return false;
    for (uint64_t i = executor.consumed; i < executor.appended; i++)
        log[i & (room - 1)] = executor.log[i & (executor.room - 1)];
    free(executor.log);
    executor.log = log;
    CHECKED((room & (room - 1)) == 0 && executor.appended - executor.consumed < room);
    executor.room = room;
    return true;
}

static bool log_append(enum log_kind kind, void *subject, struct event_callback *callback)
{
    CHECKED(runtime_lock_held());
    CHECKED(!subject == (kind == LOG_GO) && !callback == (kind != LOG_CALLBACK));
    if (!log_reserve())
        return false;
    executor.log[executor.appended++ & (executor.room - 1)] = (struct log_entry){kind, subject, callback};
    if (kind == LOG_SUBMIT)
        executor.submitted = true;
    else if (kind == LOG_RUN || kind == LOG_USER || kind == LOG_GO)
        executor.submitted = false;
    if (kind != LOG_ENQUEUE)
        wake();
    return true;
}

static bool flush(struct queue *queue, enum log_kind kind)
{
    if (!queue->unflushed)
        return true;
    if (!log_reserve())
        return false;
    queue->unflushed = false;
    queue->flushed = executor.serial;
    return log_append(kind, object_ref(queue), NULL);
}

bool executor_flush(struct queue *queue)
{
    return flush(queue, LOG_RUN);
}

void executor_go(void)
{
    if (executor.submitted)
        log_append(LOG_GO, NULL, NULL); /* there is room: log_reserve */
}

/* Sets of compute units that queues have had, each once. */
static struct {
    struct unit_set *sets;
    size_t count;
    bool disjoint;
} known;

static bool add_units(const struct unit_set *units)
{
    CHECKED(units->count > 0);
    for (size_t i = 0; i < known.count; i++) {
        const struct unit_set *set = &known.sets[i];
        if (!unit_sets_meet(set, units)) {
            known.disjoint = true;
            return true;
        }
        if (set->count == units->count &&
            memcmp(set->units, units->units, units->count * sizeof *units->units) == 0)
            return true;
    }
    struct unit_set *sets = realloc(known.sets, (known.count + 1) * sizeof *sets);
    known.sets = sets ? sets : known.sets;
    uint32_t *copy = sets ? malloc((units->count + 1) * sizeof *copy) : NULL;
    if (!copy)
        return false;
    memcpy(copy, units->units, units->count * sizeof *copy);
    known.sets[known.count++] = (struct unit_set){units->count, copy};
    return true;
}

bool executor_add_units(const struct unit_set *units)
{
    runtime_lock();
    bool fine = known.disjoint || add_units(units);
    runtime_unlock();
    return fine;
}

static void forget_units(void)
{
    while (known.count)
        free(known.sets[--known.count].units);
    free(known.sets);
    known.sets = NULL;
}

void executor_share(bool beside)
{
    runtime_lock();
    executor.stores = true;
    executor.seen |= beside;
    executor.shared |= beside;
    runtime_unlock();
    if (beside)
        guard_share();
}

bool executor_shares(void)
{
    return executor.stores;
}

/* Functions of the program that run with the command. */
static bool runs_program(const struct command *command)
{
    return command->kind == COMMAND_NATIVE_KERNEL ||
           (command->kind == COMMAND_SVM_FREE && command->u.svm_free.function);
}

/* ---- execution ------------------------------------------------------------------ */

static void finish(struct command *command, cl_int err, uint64_t end)
{
    CHECKED(err <= CL_SUCCESS && executor.live > 0);
    struct device *device = command->queue->device->device;
    struct event *event = command->event;
    if (end <= event->time[EVENT_START]) /* a duration of 0 is a division by zero in many a benchmark */
        end = device_clock_tick(device, event->time[EVENT_START] + 1 - end);
    if (event->time[EVENT_END] <= event->time[EVENT_START]) /* nothing ended before it was complete */
        event->time[EVENT_END] = end;
    event->time[EVENT_COMPLETE] = end;
    graph_unlink(command);
    executor.live--;
    order_end(command);
    shared_bytes_over(err != CL_SUCCESS || runs_program(command));
    graph_settle(event, err, &executor.ready);
}

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
static bool is_cut_off(const struct command *command)
{
    return __atomic_load_n(&command->queue->context->stop, __ATOMIC_RELAXED) == LAUNCH_STOPS;
}

/* A launch begins, everything else is done at once. */
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
    const bool cut_off = is_cut_off(command), runs = !cut_off && !command->failed,
               program = runs && runs_program(command);
    order_begin(command, program);
    if (program)
        order_reported(command->event);
    if (runs)
        event_advance(event, CL_RUNNING);
    runtime_unlock();
    if (runs)
        err = command_run(command);
    else if (cut_off)
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

/* Compute units belong to one launch at a time, while it gets on. */
static bool may_start(const struct command *command)
{
    const struct unit_set *wanted = &command->queue->units;
    for (const struct command *other = executor.running; other && command_launches(command);
         other = other->next_running)
        if (wanted == &other->queue->units || unit_sets_meet(wanted, &other->queue->units))
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

static bool is_enough(const struct executor_wait *wait)
{
    return wait && wait->done(wait->self);
}

/* Entries of the log that have not begun to take effect. */
static bool log_has_more(void)
{
    return executor.appended - executor.consumed > executor.consuming;
}

static struct timespec time_in(clockid_t clock, int64_t seconds, int64_t nanoseconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += nanoseconds;
    time.tv_sec += seconds + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static bool is_past(clockid_t clock, const struct timespec *time)
{
    const struct timespec now = time_in(clock, 0, 0);
    return now.tv_sec > time->tv_sec || (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec);
}

/*
 * Another command could release kernels that only spin. If memory is shared with the host, its stores could,
 * too.
 */
static bool goes_on(bool stuck)
{
    if (!executor.shared)
        return !stuck;
    if (executor.holders || log_has_more())
        return false;
    return !stuck || !executor.wait ||
           !(is_enough(executor.wait) || is_past(CLOCK_MONOTONIC, &executor.slice));
}

/* ---- can anything release a kernel that spins? ---------------------------------------------------- */

void executor_block(struct executor_wait *wait)
{
    CHECKED(runtime_lock_held() && wait->done);
    wait->callback = callback_thread();
    wait->next = executor.blocked;
    executor.blocked = wait;
}

void executor_unblock(const struct executor_wait *wait)
{
    CHECKED(runtime_lock_held() && executor.blocked);
    struct executor_wait **link = &executor.blocked;
    while (*link != wait)
        link = &(*link)->next;
    *link = wait->next;
}

bool executor_spins(void)
{
    return executor.stuck && executor.running && !log_has_more();
}

/*
 * All threads of the program but `own` wait, none for an event that has happened already, and no callback is
 * due. A signal handler may write anywhere; it does not enqueue.
 */
static bool others_wait(uint32_t own)
{
    uint32_t waiting = own;
    bool callback_waits = false;
    if (!executor_spins() || !ready_empty(&executor.ready))
        return false;
    for (const struct executor_wait *wait = executor.blocked; wait; wait = wait->next) {
        if (is_enough(wait))
            return false;
        callback_waits |= wait->callback;
        waiting += !wait->callback;
    }
    return (callback_waits || callback_none()) && runtime_is_alone(waiting) &&
           (!executor.stores || !thread_signals_caught());
}

/* No thread is left that could release it. */
static bool is_hopeless(void)
{
    return others_wait(0);
}

/* The device is the caller's; no lock. */
static void note_silence(struct device *device, int seconds)
{
    char text[700];
    device_say_spin(device, text, sizeof text);
    if (text[0])
        fprintf(stderr,
                "orrery: note: for %d seconds kernels have only spun: %s; the host may still write there, so "
                "they are waited for\n",
                seconds, text);
}

/* The time begins anew with each launch that ends. */
static void watch_silence(struct device *device)
{
    if (executor.silence.still == SILENCE_NOTED || !is_past(CLOCK_MONOTONIC, &executor.silence.look))
        return;
    if (executor.silence.look.tv_sec)
        executor.silence.still =
            device_is_still(device) || !executor.silence.still ? executor.silence.still + 1 : 1;
    executor.silence.look = time_in(CLOCK_MONOTONIC, SILENCE_SECONDS, 0);
    if (executor.silence.still < SILENCE_LOOKS)
        return;
    note_silence(device, SILENCE_SECONDS * SILENCE_LOOKS);
    executor.silence.still = SILENCE_NOTED;
}

static void forget_silence(void)
{
    executor.silence.look = (struct timespec){0, 0};
    executor.silence.still = 0;
}

/* ---- what runs ----------------------------------------------------------------------- */

/*
 * Runs until one of the running launches is over, or, when all of them only spin, another command could help.
 * False: the rest of the log could help, or a later step of the host. A launch that shares memory with the
 * host may wait for its stores: then it is checked repeatedly, until no thread is left that could write.
 */
static bool run_launches(void)
{
    CHECKED(executing && executor.busy && executor.running);
    const struct schedule_config *schedule = &runtime_get()->scenario.schedule;
    const enum device_help commands =
        executor.shared || !ready_empty(&executor.ready) ? HELP_COMMANDS : HELP_NONE;
    /* still, if another thread decided so */
    const bool ends_spin = executor.ends_spin && (!executor.stores || is_hopeless());
    const enum device_help alone = executor.stores ? HELP_LOOK : HELP_NONE;
    const enum device_help help = ends_spin ? alone : commands == HELP_NONE ? HELP_HOST : commands;
    struct device *device = executor.running->queue->device->device;
    bool stuck;
    executor.ends_spin = false;
    runtime_unlock();
    interrupt_running(true);
    struct live_launch *over = device_run(device, help);
    if (interrupt_caught())
        runtime_interrupted();
    if (!over && !executor.shared && device_touches_host(device))
        executor_share(true);
    if (executor.stores && over)
        forget_silence();
    else if (executor.stores)
        watch_silence(device);
    runtime_lock();
    stuck = !over && ready_empty(&executor.ready);
    if (stuck && !executor.stuck) {
        executor.stuck_since = time_in(CLOCK_MONOTONIC, 0, 0);
        wake();
    }
    executor.stuck = stuck;
    executor.ends_spin |= ends_spin && stuck;
    if (!over && !stuck)
        start(ready_take(&executor.ready, schedule, NULL));
    if (!over)
        return goes_on(stuck);
    struct command *command = take_running(over);
    uint64_t time = 0;
    runtime_unlock();
    cl_int err = command_end(command, &time);
    complete(command, err, time);
    return true;
}

static void run_ready(void)
{
    CHECKED(executing && executor.busy);
    const struct schedule_config *schedule = &runtime_get()->scenario.schedule;
    do {
        struct command *command;
        while ((command = ready_take(&executor.ready, schedule, executor.running ? may_start : NULL)))
            start(command);
        if (executor.running && !run_launches())
            return;
    } while (executor.running || !ready_empty(&executor.ready));
}

/* Launches that run stop; whatever else is there runs into is_cut_off, as nothing but itself can hold it
 * up any more. */
static void terminate(struct context *context)
{
    __atomic_store_n(&context->stop, LAUNCH_STOPS, __ATOMIC_RELAXED);
    for (const struct queue *queue = context->queues; queue; queue = queue->next_in_context) {
        graph_submit(queue, &executor.ready);
        for (struct command *command = queue->first; command; command = command->next)
            graph_forget_host(command, &executor.ready);
    }
}

static void apply(const struct log_entry *entry)
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
    struct log_entry entry = executor.log[executor.consumed & (executor.room - 1)];
    executor.consuming = true;
    apply(&entry);
    executor.consuming = false;
    /* first: a waiting thread may rely on everything being released */
    if (entry.kind != LOG_ENQUEUE && entry.subject) {
        runtime_unlock();
        object_unref(entry.subject);
        runtime_lock();
    }
    executor.consumed++;
    if (entry.kind != LOG_ENQUEUE)
        wake();
}

/* The executing thread may touch all memory of the device, whatever is closed to the host. */
static void take_executor_lock(void)
{
    executor.busy = true;
    guard_enter();
}

static void drop_executor_lock(void)
{
    guard_leave();
    executor.busy = false;
    interrupt_running(false);
    if (interrupt_caught()) {
        runtime_unlock();
        runtime_interrupted();
    }
}

/* Nothing in the log can make progress, unless the host stores. */
bool executor_stuck(void)
{
    return executor.stuck && executor.running && executor.consumed == executor.appended && !executor.shared;
}

bool executor_callback_stuck(void)
{
    runtime_lock();
    pthread_mutex_lock(&change.lock);
    const bool asleep = change.callback_waits && change.callback_saw == change.generation;
    pthread_mutex_unlock(&change.lock);
    const bool stuck = asleep && (executor_idle() || executor_stuck()) && !executor.busy && !executor.holders;
    runtime_unlock();
    return stuck;
}

/* self: a position of the log. */
static void consume_until(void *self)
{
    while (executor.consumed < *(const uint64_t *)self)
        consume();
    if (executor.running)
        run_ready();
}

static void execute(uint64_t position, const struct executor_wait *wait)
{
    CHECKED(runtime_lock_held() && !executing && position <= executor.appended);
    take_executor_lock();
    executing = true;
    executor.wait = wait;
    stack_room_call(consume_until, &position);
    executor.wait = NULL;
    executing = false;
    if (CHECKS_ON)
        executor_check();
    drop_executor_lock();
    wake();
}

/* Takes the executor lock until the log is consumed up to position, or waits for its owner. */
void executor_drain(uint64_t position, const struct executor_wait *wait)
{
    CHECKED(runtime_lock_held() && position <= executor.appended);
    while (executor.consumed < position || (executor.running && !executor_stuck())) {
        if (executor.shared && wait && executor.stuck && (!log_has_more() || is_enough(wait)))
            return;
        if (executor.busy || executor.holders) {
            executor_wait_change();
            continue;
        }
        execute(position, wait);
        if (executor.running)
            position = executor.appended;
    }
}

/* There is no notification when a thread ends, or of a store. */
static void wait_briefly(void)
{
    const struct timespec deadline = time_in(CLOCK_REALTIME, 0, SLICE_NANOSECONDS);
    wait_change_until(&deadline);
}

/* Stores of the host since then may have released it. */
static void look_again(const struct executor_wait *wait)
{
    executor.slice = time_in(CLOCK_MONOTONIC, 0, SLICE_NANOSECONDS);
    execute(executor.appended, wait);
    executor.slice = (struct timespec){0, 0};
    if (!executor.shared)
        wait_briefly();
}

bool executor_wait_help(uint64_t position, const struct executor_wait *wait)
{
    CHECKED(runtime_lock_held() && position <= executor.appended);
    const struct timespec deadline = time_in(CLOCK_MONOTONIC, OTHERS_PATIENCE_SECONDS, 0);
    const bool recorded = host_log_active(); /* how often kernels spin meanwhile is chance */
    while (executor.appended == position && (executor_spins() || recorded) && !is_enough(wait)) {
        if (is_hopeless() || (executor_spins() && !executor.stores && is_past(CLOCK_MONOTONIC, &deadline)))
            return true;
        if (executor.stores && !executor.busy && !executor.holders)
            look_again(wait);
        else
            wait_briefly();
    }
    return false;
}

bool executor_end_spin(const struct executor_wait *wait)
{
    CHECKED(runtime_lock_held());
    if (!executor_spins() || (executor.stores && !is_hopeless()))
        return false;
    executor.ends_spin |= executor.stores; /* by the owner of the executor lock */
    if (executor.busy || executor.holders) {
        wait_briefly();
        return true;
    }
    executor.ends_spin = true;
    executor.slice = time_in(CLOCK_MONOTONIC, 0, SLICE_NANOSECONDS);
    execute(executor.appended, wait);
    executor.slice = (struct timespec){0, 0};
    executor.ends_spin = false;
    return true;
}

bool executor_end_spin_polled(void)
{
    const struct timespec now = time_in(CLOCK_MONOTONIC, 0, 0);
    const bool late = now.tv_sec - executor.stuck_since.tv_sec > OTHERS_PATIENCE_SECONDS;
    return executor_stuck() && (late || others_wait(1)) && executor_end_spin(NULL);
}

/* ---- the device thread ------------------------------------------------------------ */

/* Memory is open to all while another thread executes, and what the host sees is written down. */
static bool host_executes(void)
{
    return guard_active() || (host_log_active() && !executor.shared);
}

/* A host that is idle for so long stays idle. */
static void wait_for_host(void)
{
    const struct timespec deadline = time_in(CLOCK_REALTIME, HOST_PATIENCE_SECONDS, 0);
    if (wait_change_until(&deadline) || executor_end_spin(NULL) || !executor_stuck() || executor.busy ||
        executor.holders)
        return;
    if (executor.silence.still == SILENCE_NOTED)
        return;
    struct device *device = executor.running->queue->device->device;
    take_executor_lock();
    runtime_unlock();
    note_silence(device, HOST_PATIENCE_SECONDS);
    runtime_lock();
    executor.silence.still = SILENCE_NOTED;
    drop_executor_lock();
}

static void *device_thread(void *unused)
{
    runtime_lock();
    while (!executor.stopping) {
        if (executor_stuck())
            wait_for_host();
        else if (!executor_idle() && !host_executes())
            executor_drain(executor.appended, NULL);
        else
            executor_wait_change();
    }
    runtime_unlock();
    return unused;
}

static void fork_prepare(void)
{
    if (executing)
        return; /* a native kernel forks: it has the executor lock and no lock */
    runtime_lock();
    executor.holders++;
    while (executor.busy)
        executor_wait_change();
    executor.holders--;
    pthread_mutex_lock(&change.lock);
    callback_fork_prepare();
    guard_fork_prepare();
}

static void fork_parent(void)
{
    if (executing)
        return;
    guard_fork_parent();
    callback_fork_parent();
    pthread_mutex_unlock(&change.lock);
    wake();
    runtime_unlock();
}

static void fork_child(void)
{
    executor.started = false;
    executor.waiting = 0;
    executor.holders = 0;
    executor.blocked = NULL;
    if (executing)
        return;
    guard_fork_child();
    callback_fork_child();
    pthread_cond_init(&change.changed, NULL);
    change.callback_waits = false;
    pthread_mutex_unlock(&change.lock);
    runtime_unlock();
}

static void register_fork(void)
{
    pthread_atfork(fork_prepare, fork_parent, fork_child);
}

void executor_watch_fork(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
}

static void start_device(void)
{
    if (!executor.started && !executor.stopping)
        executor.started = runtime_thread_start(&executor.thread, device_thread);
}

/*
 * A thread must consume the log, and no host thread waits: the device thread, or this one when there can be
 * no other or the host executes; then the device thread ends kernels that only spin.
 */
static void wake_device(void)
{
    const bool alone = host_executes();
    executor_watch_fork();
    if (!alone)
        start_device();
    if (executor.started && !alone) {
        wake();
        return;
    }
    if (!executing)
        executor_drain(executor.appended, NULL);
    if (executor_stuck() && !host_log_active())
        start_device();
}

/* ---- the interface ---------------------------------------------------------------- */

static void number(struct command *command)
{
    CHECKED(runtime_lock_held() && !command->serial);
    command->serial = command->event->serial = ++executor.serial;
    if (command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE)
        command->u.map.record->by = command->serial;
    else if (command->kind == COMMAND_SVM_MAP)
        command->u.svm_map.record->by = command->serial;
}

cl_int queue_append(struct command *command)
{
    order_settle();
    runtime_lock();
    const bool late = context_terminated(command->queue->context);
    bool room = !late && ready_reserve(&executor.ready, executor.live + 1) && order_reserve(command) &&
                log_append(LOG_ENQUEUE, command, NULL);
    if (room) {
        number(command);
        command->alone = order_alone(command->queue);
        order_enqueued(command);
        host_bytes_enqueued(command);
        host_gone_enqueued(command);
        command->queue->unflushed = true;
        executor.seen |= runs_program(command);
        executor.live++;
    }
    runtime_unlock();
    return room ? CL_SUCCESS : late ? CL_CONTEXT_TERMINATED_KHR : CL_OUT_OF_HOST_MEMORY;
}

/* A kernel that waits for what this thread will do later must not hold it up. */
static void drain_for_host(void)
{
    uint64_t position = executor.appended;
    if (!executor.shared) {
        if (executor.stores && executor_stuck() && !executor.busy && !executor.holders)
            execute(position, NULL); /* it may have written since */
        executor_drain(position, NULL);
        return;
    }
    if (!executor_idle())
        wake_device();
    while (executor.consumed < position && !executor.stuck)
        executor_wait_change();
}

void queue_drain(void)
{
    if (executing || callback_thread())
        return;
    runtime_lock();
    executor_go();
    drain_for_host();
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
    executor_go();
    drain_for_host();
    executor.holders++;
    while (executor.busy)
        executor_wait_change();
    executor.holders--;
    take_executor_lock();
    runtime_unlock();
}

void queue_let_go(void)
{
    if (executing)
        return;
    runtime_lock();
    drop_executor_lock();
    wake();
    runtime_unlock();
}

/* A thread that executes without a device thread would continue with open pages that callbacks may use. */
static void settle_alone(void)
{
    if (guard_active())
        order_settle();
}

void queue_flush(struct queue *queue)
{
    runtime_lock();
    bool later = known.disjoint && !executor.seen;
    if (queue->unflushed && flush(queue, later ? LOG_SUBMIT : LOG_RUN) && !later)
        wake_device();
    runtime_unlock();
    settle_alone();
}

bool executor_idle(void)
{
    return executor.consumed == executor.appended && !executor.running;
}

uint64_t executor_position(void)
{
    return executor.appended;
}

bool executor_has_begun(uint64_t position)
{
    return executor.consumed + executor.consuming >= position;
}

uint32_t executor_serial(void)
{
    return executor.serial;
}

void executor_visit(void (*visit)(void *self, const struct command *command), void *self)
{
    for (uint64_t i = executor.consumed + executor.consuming; i < executor.appended; i++) {
        const struct log_entry *entry = &executor.log[i & (executor.room - 1)];
        if (entry->kind == LOG_ENQUEUE)
            visit(self, entry->subject);
    }
    for (const struct command *command = executor.running; command; command = command->next_running)
        visit(self, command);
}

bool executor_is_here(void)
{
    return executing;
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
    bool needed = !executor_idle() || event->waiter_count || event->callbacks;
    if (event->user_status <= CL_COMPLETE) {
        err = CL_INVALID_OPERATION;
    } else if (!log_reserve()) {
        err = CL_OUT_OF_HOST_MEMORY;
    } else {
        event->user_status = status;
        if (RULE(13112))
            order_user_set(event);
        log_append(LOG_USER, object_ref(event), NULL);
        if (needed)
            wake_device();
    }
    runtime_unlock();
    settle_alone();
    return err;
}

void queue_user_event_signal(struct event *event, cl_int status, const struct command *by)
{
    if (!executing) {
        queue_user_event_set(event, status);
        return;
    }
    runtime_lock();
    if (event->user_status > CL_COMPLETE) {
        event->user_status = status;
        order_signalled(event, by);
        graph_settle(event, status, &executor.ready);
    }
    runtime_unlock();
}

cl_int queue_terminate(struct context *context)
{
    runtime_lock();
    const bool room = log_append(LOG_TERMINATE, object_ref(context), NULL);
    const uint64_t position = executor.appended;
    if (room)
        wake_device();
    /* also when what runs only spins: that ends */
    while (room && !executing && !callback_thread() && executor.consumed < position)
        executor_wait_change();
    runtime_unlock();
    settle_alone();
    if (!room)
        object_unref(context);
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int queue_event_callback(struct event *event, struct event_callback *callback)
{
    runtime_lock();
    bool due_later = executor_idle() && event->status > callback->state;
    bool room = log_reserve();
    if (room) {
        event->callback_refs++;
        log_append(LOG_CALLBACK, object_ref(event), callback);
        executor.seen = true;
        executor_go();
        if (!due_later)
            wake_device();
    }
    runtime_unlock();
    settle_alone();
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static bool never(const void *unused)
{
    (void)unused;
    return false;
}

/*
 * Flushed commands run, in the device thread: so a program that does not wait has one outcome. But a command
 * that never ends must not keep the process.
 */
static bool settle_at_exit(void)
{
    const struct timespec deadline = time_in(CLOCK_MONOTONIC, EXIT_PATIENCE_SECONDS, 0);
    struct executor_wait rest = {.done = never};
    bool patient = !executing;
    executor_block(&rest);
    while (patient && !executor.shared && executor_end_spin(&rest))
        ;
    while (patient && !executor_idle() &&
           (executor.started || executor.busy || (executor.shared && executor.running))) {
        if (executor.shared && !executor.busy)
            wake_device();
        executor.ends_spin |= executor.shared && is_hopeless();
        wait_briefly();
        if (!executor.shared && executor_stuck())
            executor_end_spin(&rest);
        patient = !is_past(CLOCK_MONOTONIC, &deadline);
    }
    executor_unblock(&rest);
    return patient;
}

/* Their effects are the program's as well. They may have had more commands run, and may continue so. */
static bool settle_callbacks_at_exit(void)
{
    enum { ROUNDS = 64 };
    bool settled = settle_at_exit();
    uint64_t position = 0;
    for (int round = 0; settled && round < ROUNDS && executor.appended != position; round++) {
        /* no thread was needed so far: it runs nothing, but queues hold what is left */
        executor_drain(executor.appended, NULL);
        position = executor.appended;
        if (!order_observed())
            return true;
        runtime_unlock();
        callback_wait();
        runtime_lock();
        settled = settle_at_exit();
    }
    return settled;
}

void queue_shutdown(void)
{
    runtime_lock();
    if (executor.submitted) {
        executor_go();
        wake_device();
    } else if (executor.started) {
        wake(); /* commands enqueued after the last flush are in the log, not consumed */
    }
    const bool settled = settle_callbacks_at_exit(), started = executor.started;
    executor.stopping = true;
    executor.started = false;
    wake();
    runtime_unlock();
    if (started && settled)
        runtime_thread_join(executor.thread);
    else if (started)
        pthread_detach(executor.thread);
    callback_stop();
    forget_units();
}

/* ---- invariants ------------------------------------------------------------------- */

static void check_log(void)
{
    CHECKED((executor.room & (executor.room - 1)) == 0);
    CHECKED(executor.consumed <= executor.appended);
    CHECKED(executor.appended - executor.consumed <= executor.room);
    for (uint64_t i = executor.consumed; i < executor.appended; i++) {
        const struct log_entry *entry = &executor.log[i & (executor.room - 1)];
        CHECKED(!entry->subject == (entry->kind == LOG_GO));
        CHECKED(!entry->callback == (entry->kind != LOG_CALLBACK));
    }
}

static void check_running(void)
{
    for (const struct command *command = executor.running; command; command = command->next_running) {
        CHECKED(command->running && command->live && command->submitted && !command->unmet);
        CHECKED(command_launches(command) && event_pending(command->event));
        for (const struct command *other = command->next_running; other; other = other->next_running)
            CHECKED(other != command && other->live != command->live);
    }
}

void executor_check(void)
{
    CHECKED(runtime_lock_held());
    CHECKED(executor.holders <= executor.waiting);
    check_log();
    check_running();
    ready_check(&executor.ready);
    CHECKED(executor.live >= executor.ready.last - executor.ready.first);
}
