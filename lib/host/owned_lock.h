/* SPDX-License-Identifier: Apache-2.0 */
/* A mutex that a signal handler may ask whether its own thread owns it, instead of waiting for itself. */
#ifndef ORRERY_LIB_HOST_OWNED_LOCK_H
#define ORRERY_LIB_HOST_OWNED_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct owned_lock {
    pthread_mutex_t mutex;
    uintptr_t owner; /* 0: none; only its own thread relies on the value */
};

#define OWNED_LOCK_INITIALIZER             \
    {                                      \
        .mutex = PTHREAD_MUTEX_INITIALIZER \
    }

static inline void owned_lock_take(struct owned_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
    __atomic_store_n(&lock->owner, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
}

static inline void owned_lock_release(struct owned_lock *lock)
{
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock->mutex);
}

static inline bool owned_lock_is_mine(const struct owned_lock *lock)
{
    return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}

/* In the child of a fork, whatever thread had it. */
static inline void owned_lock_reset(struct owned_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL);
    __atomic_store_n(&lock->owner, 0, __ATOMIC_RELAXED);
}

#endif
