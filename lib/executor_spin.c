/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches that only spin: can the host still release them? A thread of the program may enqueue a command,
 * set a user event, or store into shared memory. When all threads wait in calls of ours, none can, and one
 * launch is ended as a livelock. Without shared memory a deadline suffices: a thread that makes no call for
 * so long is taken to wait. With shared memory the launches are run again for a time slice now and then,
 * since a store gives no notification.
 */
#include "orrery/checked.h"
#include "change.h"
#include "queue_log.h"
#include "deadline.h"
#include "executor_state.h"
#include "api_runtime.h"
#include "lib/record/host_log.h"

/* All threads of the program but `own` wait. */
static bool others_wait(uint32_t own)
{
    return executor_spins() && ready_empty(&executor.ready) && blocked_all(own, executor_shares());
}

bool executor_hopeless(void)
{
    return others_wait(0);
}

void executor_wait_briefly(void)
{
    const struct timespec deadline = deadline_in(CLOCK_REALTIME, 0, SLICE_NANOSECONDS);
    change_wait_until(&deadline);
}

static void execute_slice(const struct blocked_thread *wait)
{
    executor.slice = deadline_in(CLOCK_MONOTONIC, 0, SLICE_NANOSECONDS);
    executor_execute(queue_log_end(), wait);
    executor.slice = (struct timespec){0, 0};
}

/* Stores of the host since then may have released a launch. */
static void look_again(const struct blocked_thread *wait)
{
    execute_slice(wait);
    if (executor.sharing != SHARING_OPEN)
        executor_wait_briefly();
}

bool executor_wait_help(uint64_t position, const struct blocked_thread *wait)
{
    CHECKED(runtime_lock_held() && position <= queue_log_end());
    const struct timespec deadline = deadline_in(CLOCK_MONOTONIC, OTHERS_WAIT_SECONDS, 0);
    const bool recorded = host_log_active(); /* how often kernels spin meanwhile is chance */
    while (queue_log_end() == position && (executor_spins() || recorded) && !blocked_over(wait)) {
        const bool expired =
            executor_spins() && !executor_shares() && deadline_passed(CLOCK_MONOTONIC, &deadline);
        if (executor_hopeless() || expired)
            return true;
        if (executor_shares() && executor_lock_open())
            look_again(wait);
        else
            executor_wait_briefly();
    }
    return false;
}

bool executor_end_spin(const struct blocked_thread *wait)
{
    CHECKED(runtime_lock_held());
    if (!executor_spins() || (executor_shares() && !executor_hopeless()))
        return false;
    if (!executor_lock_open()) {
        if (executor_shares()) /* the owner of the executor lock ends one */
            executor_launches_end();
        executor_wait_briefly();
        return true;
    }
    executor_launches_end();
    execute_slice(wait);
    executor_launches_retry();
    return true;
}

bool executor_end_spin_polled(void)
{
    const struct timespec now = deadline_in(CLOCK_MONOTONIC, 0, 0);
    const bool late = now.tv_sec - executor.spin_since.tv_sec > OTHERS_WAIT_SECONDS;
    return executor_stuck() && (late || others_wait(1)) && executor_end_spin(NULL);
}
