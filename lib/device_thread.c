/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device thread drains the log whenever it is not empty. It executes nothing while host_executes(): then
 * the threads of the program do. If launches only spin and the host is idle for 20 seconds, it ends them.
 * At exit it runs what was flushed, until nothing is left or a deadline passes.
 */
#include "device_thread.h"

#include <pthread.h>

#include "orrery/checked.h"
#include "callback.h"
#include "change.h"
#include "queue_log.h"
#include "command_order.h"
#include "deadline.h"
#include "executor_state.h"
#include "lib/diagnose/host_gone.h"
#include "lib/host/guard.h"
#include "lib/record/host_log.h"
#include "queue_units.h"
#include "runtime_thread.h"
#include "spin_note.h"

enum { HOST_IDLE_SECONDS = 20 };

static struct {
    enum { THREAD_ABSENT, THREAD_STARTED, THREAD_FORBIDDEN } state; /* FORBIDDEN: the process ends */
    pthread_t thread;
} device_thread; /* under runtime_lock */

/* While another thread executes, closed pages would be open to this one, and a record would depend on
 * chance. */
static bool host_executes(void)
{
    return guard_active() || (host_log_active() && executor.sharing != SHARING_OPEN);
}

/* A host that is idle for so long is taken to stay so. */
static void wait_for_host(void)
{
    const struct timespec deadline = deadline_in(CLOCK_REALTIME, HOST_IDLE_SECONDS, 0);
    if (change_wait_until(&deadline) || executor_end_spin(NULL))
        return;
    if (!executor_stuck() || !executor_lock_open() || !spin_note_due())
        return;
    struct device *device = executor.running->queue->device->device;
    executor_lock_take(LOCK_HELD);
    runtime_unlock();
    spin_note_print(device, HOST_IDLE_SECONDS);
    runtime_lock();
    executor_lock_drop();
}

static void *device_thread_run(void *unused)
{
    runtime_lock();
    while (device_thread.state != THREAD_FORBIDDEN) {
        if (executor_stuck())
            wait_for_host();
        else if (!executor_idle() && !host_executes())
            executor_drain(queue_log_end(), NULL);
        else
            change_wait();
    }
    runtime_unlock();
    return unused;
}

static void start(void)
{
    if (device_thread.state == THREAD_ABSENT &&
        runtime_thread_start(&device_thread.thread, device_thread_run))
        device_thread.state = THREAD_STARTED;
}

/* If this thread executes because the host executes, the device thread still ends kernels that only spin. */
void device_thread_wake(void)
{
    const bool host = host_executes();
    device_thread_watch_fork();
    if (!host)
        start();
    if (device_thread.state == THREAD_STARTED && !host) {
        change_announce();
        return;
    }
    if (!executor_is_here())
        executor_drain(queue_log_end(), NULL);
    if (executor_stuck() && !host_log_active())
        start();
}

/* ---- fork ------------------------------------------------------------------------------- */

/* A native kernel that forks has the executor lock, and no other lock: nothing is to be done for it. */
static void fork_prepare(void)
{
    if (executor_is_here())
        return;
    runtime_lock();
    executor.holders++;
    while (executor.lock != LOCK_FREE)
        change_wait();
    executor.holders--;
    change_fork_prepare();
    callback_fork_prepare();
    guard_fork_prepare();
}

static void fork_parent(void)
{
    if (executor_is_here())
        return;
    guard_fork_parent();
    callback_fork_parent();
    change_fork_parent();
    change_announce();
    runtime_unlock();
}

static void fork_child(void)
{
    if (device_thread.state == THREAD_STARTED)
        device_thread.state = THREAD_ABSENT;
    executor.holders = 0;
    blocked_fork();
    if (executor_is_here()) {
        change_fork_child(false);
        return;
    }
    guard_fork_child();
    callback_fork_child();
    change_fork_child(true);
    runtime_unlock();
}

static void register_fork(void)
{
    pthread_atfork(fork_prepare, fork_parent, fork_child);
}

void device_thread_watch_fork(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_fork);
}

/* ---- the end of the process ---------------------------------------------------------------- */

static bool never(const void *unused)
{
    (void)unused;
    return false;
}

/* Something is left, and some thread can execute it. */
static bool is_unsettled(void)
{
    const bool runs_unlocked = executor.sharing == SHARING_OPEN && executor.running;
    const bool some_thread_runs =
        device_thread.state == THREAD_STARTED || executor.lock != LOCK_FREE || runs_unlocked;
    return !executor_idle() && some_thread_runs;
}

/*
 * The device thread runs flushed commands to their end, so that a program which does not wait has one
 * outcome. But a command that never ends must not keep the process: false after the deadline.
 */
static bool settle_at_exit(void)
{
    const struct timespec deadline = deadline_in(CLOCK_MONOTONIC, EXIT_WAIT_SECONDS, 0);
    struct blocked_thread rest = {.done = never};
    bool in_time = !executor_is_here();
    blocked_add(&rest);
    while (in_time && executor.sharing != SHARING_OPEN && executor_end_spin(&rest))
        ;
    while (in_time && is_unsettled()) {
        const bool open = executor.sharing == SHARING_OPEN;
        if (open && executor.lock == LOCK_FREE)
            device_thread_wake();
        if (open && executor_hopeless())
            executor_launches_end();
        executor_wait_briefly();
        if (executor_stuck())
            executor_end_spin(&rest);
        in_time = !deadline_passed(CLOCK_MONOTONIC, &deadline);
    }
    blocked_remove(&rest);
    return in_time;
}

/* Effects of callbacks are the program's as well. Each may let more commands run, and those may have more
 * callbacks. */
static bool settle_callbacks_at_exit(void)
{
    enum { ROUNDS = 64 };
    bool settled = settle_at_exit();
    uint64_t position = 0;
    for (int round = 0; settled && round < ROUNDS && queue_log_end() != position; round++) {
        /* without a device thread: this consumes the entries, and runs what they let run */
        executor_drain(queue_log_end(), NULL);
        position = queue_log_end();
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
    host_gone_ending();
    runtime_lock();
    if (queue_log_submitted()) {
        queue_log_go();
        device_thread_wake();
    } else if (device_thread.state == THREAD_STARTED) {
        change_announce(); /* commands that were enqueued after the last flush are not consumed yet */
    }
    const bool settled = settle_callbacks_at_exit(), started = device_thread.state == THREAD_STARTED;
    device_thread.state = THREAD_FORBIDDEN;
    change_announce();
    runtime_unlock();
    if (started && settled)
        runtime_thread_join(device_thread.thread);
    else if (started)
        pthread_detach(device_thread.thread);
    callback_stop();
    queue_units_free();
}
