/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded with threads_preload.c: wrappers around the locks, conditions and semaphores of the program,
 * whose steps lock_log.c orders. In a replay no thread waits for a signal, which might wake another thread
 * than in the recorded run: a waiting thread releases the lock and takes it again when that is due. If the
 * order is given up, this is a spurious wake-up, which programs must expect.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#include "lock_log.h"

/* glibc has two versions of the condition functions; this is the default one. */
static void *find_next(const char *name)
{
    void *condition = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return condition ? condition : dlsym(RTLD_NEXT, name);
}

/* `next`: the wrapped function. `self`: this thread; NULL if the call is no step, and only passed on. */
#define WRAPPER(name)                                           \
    static __typeof__(name) *next;                              \
    if (!next)                                                  \
        next = (__typeof__(name) *)(uintptr_t)find_next(#name); \
    struct lock_thread *self = lock_log_self(__builtin_return_address(0))

/* ---- locks ------------------------------------------------------------------------------- */

static void note(struct lock_thread *self, const void *object, enum lock_kind kind, int result)
{
    lock_log_note(self, object, kind, result == EOWNERDEAD ? 0 : result);
    lock_log_done(self);
}

#define LOCK(name, type, kind)                                     \
    int name(type *object)                                         \
    {                                                              \
        WRAPPER(name);                                             \
        int result;                                                \
        if (!self)                                                 \
            return next(object);                                   \
        if (!lock_log_before(self, kind, &result))                 \
            result = next(object);                                 \
        note(self, (const void *)(uintptr_t)object, kind, result); \
        return result;                                             \
    }

/*
 * The result of an operation that may fail. If it succeeded in the recorded run, a replay retries `attempt`
 * while the object is busy; otherwise `wait` is the operation itself.
 */
#define FOLLOW(kind, attempt, wait, busy)                                                    \
    do {                                                                                     \
        if (!lock_log_before(self, kind, &result)) {                                         \
            result = busy;                                                                   \
            lock_log_suspend(true);                                                          \
            while (lock_log_follows() && (result = attempt) == busy && lock_log_retry(self)) \
                ;                                                                            \
            lock_log_suspend(false);                                                         \
            if (result == busy)                                                              \
                result = wait;                                                               \
        }                                                                                    \
        note(self, (const void *)(uintptr_t)object, kind, result);                           \
    } while (0)

#define ATTEMPT(name, parameters, arguments, kind, attempt, busy) \
    int name parameters                                           \
    {                                                             \
        WRAPPER(name);                                            \
        int result;                                               \
        if (!self)                                                \
            return next arguments;                                \
        FOLLOW(kind, attempt(object), next arguments, busy);      \
        return result;                                            \
    }

#define TRY(name, type, kind) ATTEMPT(name, (type * object), (object), kind, name, EBUSY)
#define TIMED(name, type, kind, attempt)                                                                 \
    ATTEMPT(name, (type *restrict object, const struct timespec *restrict until), (object, until), kind, \
            attempt, EBUSY)
#define CLOCK(name, type, kind, attempt)                                                           \
    ATTEMPT(name, (type *restrict object, clockid_t clock, const struct timespec *restrict until), \
            (object, clock, until), kind, attempt, EBUSY)

/* clang-format off */
LOCK(pthread_mutex_lock, pthread_mutex_t, LOCK_MUTEX)
TRY(pthread_mutex_trylock, pthread_mutex_t, LOCK_MUTEX)
TIMED(pthread_mutex_timedlock, pthread_mutex_t, LOCK_MUTEX, pthread_mutex_trylock)
CLOCK(pthread_mutex_clocklock, pthread_mutex_t, LOCK_MUTEX, pthread_mutex_trylock)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, LOCK_READ)
TRY(pthread_rwlock_tryrdlock, pthread_rwlock_t, LOCK_READ)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t, LOCK_READ, pthread_rwlock_tryrdlock)
CLOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, LOCK_READ, pthread_rwlock_tryrdlock)

LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, LOCK_WRITE)
TRY(pthread_rwlock_trywrlock, pthread_rwlock_t, LOCK_WRITE)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t, LOCK_WRITE, pthread_rwlock_trywrlock)
CLOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, LOCK_WRITE, pthread_rwlock_trywrlock)

LOCK(pthread_spin_lock, pthread_spinlock_t, LOCK_SPIN)
TRY(pthread_spin_trylock, pthread_spinlock_t, LOCK_SPIN)

LOCK(mtx_lock, mtx_t, LOCK_MUTEX)
ATTEMPT(mtx_trylock, (mtx_t *object), (object), LOCK_MUTEX, mtx_trylock, thrd_busy)
ATTEMPT(mtx_timedlock, (mtx_t *restrict object, const struct timespec *restrict until), (object, until), LOCK_MUTEX, mtx_trylock, thrd_busy)
/* clang-format on */

/* ---- conditions --------------------------------------------------------------------------- */

/* A wait is two steps: one of the condition, and one of its lock. */
#define WAIT(name, parameters, arguments, unlock, lock) \
    int name parameters                                 \
    {                                                   \
        WRAPPER(name);                                  \
        int result, none;                               \
        if (!self)                                      \
            return next arguments;                      \
        const bool follows = lock_log_follows();        \
        if (follows && unlock(mutex) != 0)              \
            return next arguments;                      \
        lock_log_before(self, LOCK_CONDITION, &result); \
        if (!follows)                                   \
            result = next arguments;                    \
        note(self, condition, LOCK_CONDITION, result);  \
        if (follows) {                                  \
            lock_log_before(self, LOCK_MUTEX, &none);   \
            lock_log_suspend(true);                     \
            lock(mutex);                                \
            lock_log_suspend(false);                    \
        }                                               \
        note(self, mutex, LOCK_MUTEX, 0);               \
        return result;                                  \
    }

WAIT(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
     (condition, mutex), pthread_mutex_unlock, pthread_mutex_lock)
WAIT(pthread_cond_timedwait,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
      const struct timespec *restrict until),
     (condition, mutex, until), pthread_mutex_unlock, pthread_mutex_lock)
WAIT(pthread_cond_clockwait,
     (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
      const struct timespec *restrict until),
     (condition, mutex, clock, until), pthread_mutex_unlock, pthread_mutex_lock)
WAIT(cnd_wait, (cnd_t * condition, mtx_t *mutex), (condition, mutex), mtx_unlock, mtx_lock)
WAIT(cnd_timedwait, (cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until),
     (condition, mutex, until), mtx_unlock, mtx_lock)

/* A release is recorded first, so that it precedes every acquire of it in the record. */
#define RELEASE(name, type, kind)             \
    int name(type *object)                    \
    {                                         \
        WRAPPER(name);                        \
        int none;                             \
        if (!self)                            \
            return next(object);              \
        lock_log_before(self, kind, &none);   \
        lock_log_note(self, object, kind, 0); \
        const int result = next(object);      \
        lock_log_done(self);                  \
        return result;                        \
    }

RELEASE(pthread_cond_signal, pthread_cond_t, LOCK_CONDITION)
RELEASE(pthread_cond_broadcast, pthread_cond_t, LOCK_CONDITION)
RELEASE(cnd_signal, cnd_t, LOCK_CONDITION)
RELEASE(cnd_broadcast, cnd_t, LOCK_CONDITION)
RELEASE(sem_post, sem_t, LOCK_SEMAPHORE)

/* ---- semaphores ---------------------------------------------------------------------------- */

static int error_of(int answer)
{
    return answer ? errno : 0;
}

#define SEMAPHORE(name, parameters, arguments)                                                   \
    int name parameters                                                                          \
    {                                                                                            \
        WRAPPER(name);                                                                           \
        int result;                                                                              \
        if (!self)                                                                               \
            return next arguments;                                                               \
        FOLLOW(LOCK_SEMAPHORE, error_of(sem_trywait(object)), error_of(next arguments), EAGAIN); \
        if (result)                                                                              \
            errno = result;                                                                      \
        return result ? -1 : 0;                                                                  \
    }

SEMAPHORE(sem_wait, (sem_t * object), (object))
SEMAPHORE(sem_trywait, (sem_t * object), (object))
SEMAPHORE(sem_timedwait, (sem_t *restrict object, const struct timespec *restrict until), (object, until))
SEMAPHORE(sem_clockwait, (sem_t *restrict object, clockid_t clock, const struct timespec *restrict until),
          (object, clock, until))

/* ---- one thread of several -------------------------------------------------------------------------- */

/* The recorded result says which thread gets PTHREAD_BARRIER_SERIAL_THREAD. */
int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    WRAPPER(pthread_barrier_wait);
    int recorded;
    if (!self)
        return next(barrier);
    lock_log_before(self, LOCK_BARRIER, &recorded);
    int result = next(barrier);
    if (lock_log_follows() && (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD))
        result = recorded;
    note(self, NULL, LOCK_BARRIER, result);
    return result;
}

static __thread struct once {
    pthread_once_t *control;
    void (*function)(void);
    struct lock_thread *thread;
} once;

/* A step LOCK_ONCE before the function, and a step LOCK_RAN after it, which the other threads follow. */
static void run_once(void)
{
    const struct once own = once;
    once.thread = NULL;
    note(own.thread, NULL, LOCK_ONCE, 1);
    own.function();
    note(own.thread, own.control, LOCK_RAN, 0);
}

int pthread_once(pthread_once_t *control, void (*function)(void))
{
    WRAPPER(pthread_once);
    int none;
    if (!self)
        return next(control, function);
    lock_log_before(self, LOCK_ONCE, &none);
    once = (struct once){control, function, self};
    const int result = next(control, run_once);
    if (once.thread)
        note(self, control, LOCK_ONCE, 0);
    once.thread = NULL;
    return result;
}

void call_once(once_flag *flag, void (*function)(void))
{
    pthread_once((pthread_once_t *)flag, function);
}

/* ---- cancellation ---- */

/* The thread may wait in lock_log.c, where it cannot be cancelled. */
int pthread_cancel(pthread_t thread)
{
    WRAPPER(pthread_cancel);
    if (self && lock_log_follows())
        lock_log_abandon("a thread is cancelled");
    return next(thread);
}
