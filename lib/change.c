/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An eventcount (Reed and Kanodia 1979): each announced change increments a generation under a lock of its
 * own, and a waiting thread sleeps while the generation is the one that it read before it released
 * runtime_lock. So no change is missed between the two locks. An announcement without waiting threads costs
 * nothing.
 */
#include "change.h"

#include <pthread.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "callback.h"
#include "executor.h"

static struct {
    uint32_t waiters;     /* under runtime_lock */
    pthread_mutex_t lock; /* of the rest; taken inside runtime_lock, never the other way round */
    pthread_cond_t changed;
    uint32_t generation;
    bool callback_waits;
    uint32_t callback_saw; /* the generation that it waits to see exceeded */
} change = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

void change_announce(void)
{
    CHECKED(runtime_lock_held());
    if (!change.waiters)
        return;
    pthread_mutex_lock(&change.lock);
    change.generation++;
    pthread_cond_broadcast(&change.changed);
    pthread_mutex_unlock(&change.lock);
}

/* deadline NULL: for ever. */
static bool wait_until(const struct timespec *deadline)
{
    CHECKED(runtime_lock_held() && !executor_is_here());
    int err = 0;
    change.waiters++;
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
    CHECKED(change.waiters > 0);
    change.waiters--;
    return err == 0;
}

void change_wait(void)
{
    wait_until(NULL);
}

bool change_wait_until(const struct timespec *deadline)
{
    return wait_until(deadline);
}

uint32_t change_waiters(void)
{
    return change.waiters;
}

bool change_callback_asleep(void)
{
    pthread_mutex_lock(&change.lock);
    const bool asleep = change.callback_waits && change.callback_saw == change.generation;
    pthread_mutex_unlock(&change.lock);
    return asleep;
}

void change_fork_prepare(void)
{
    pthread_mutex_lock(&change.lock);
}

void change_fork_parent(void)
{
    pthread_mutex_unlock(&change.lock);
}

void change_fork_child(bool prepared)
{
    change.waiters = 0;
    if (!prepared)
        return;
    pthread_cond_init(&change.changed, NULL);
    change.callback_waits = false;
    pthread_mutex_unlock(&change.lock);
}
