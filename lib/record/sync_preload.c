/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preloaded library of `orrery run` while data races are looked for: vector clocks of the host's threads,
 * as Lamport's happens-before for locks. A thread's own component counts its calls that order commands
 * (host_clock.c). A release (unlock, signal, post, end of a thread) joins the thread's clock into the
 * object's; an acquire (lock, wait, join) joins the object's clock into the thread's. Before the first call
 * all clocks are zero, so nothing is kept.
 *
 * Atomic variables and futexes of the program are not observed. If a runtime whose threads synchronise by
 * them (OpenMP, TBB) is in the process, there are no clocks. Operations of liborrery itself and of the
 * OpenCL loader are not the program's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { THREADS_MOST = 4096, OWN_MOST = 8 };

struct sync_clock {
    uint32_t *at;
    uint32_t count;
};
struct sync_object {
    uintptr_t address;
    struct sync_clock clock;
};

/* By name, for host_clock.c. */
uint32_t orrery_host_tick(const uint32_t **out_clock, uint32_t *out_count, bool *out_several);

static struct {
    atomic_flag lock;
    atomic_bool ticking, several, off;
    struct sync_object *objects; /* a hash table; address 0: free */
    size_t count, room;
    uint32_t threads;
    struct {
        uintptr_t low, high;
    } own[OWN_MOST];
    uint32_t own_count;
} sync = {.lock = ATOMIC_FLAG_INIT};

/* inside: this thread is in a function below; locks that malloc takes meanwhile do not count. */
static __thread struct {
    struct sync_clock clock;
    uint32_t number;
    bool numbered, inside;
} self;

/* ---- clocks ------------------------------------------------------------------------------- */

static void enter(void)
{
    self.inside = true;
    while (atomic_flag_test_and_set_explicit(&sync.lock, memory_order_acquire))
        sched_yield();
}

static void leave(void)
{
    atomic_flag_clear_explicit(&sync.lock, memory_order_release);
    self.inside = false;
}

/* Out of memory: a missing edge would be a false race, so there are no clocks from now on. */
static void give_up(void)
{
    atomic_store(&sync.off, true);
}

static bool grow(struct sync_clock *clock, uint32_t count)
{
    if (count <= clock->count)
        return true;
    uint32_t *at = realloc(clock->at, count * sizeof *at);
    if (!at)
        return false;
    memset(at + clock->count, 0, (count - clock->count) * sizeof *at);
    *clock = (struct sync_clock){at, count};
    return true;
}

static void join(struct sync_clock *into, const struct sync_clock *from)
{
    if (!grow(into, from->count)) {
        give_up();
        return;
    }
    for (uint32_t i = 0; i < from->count; i++)
        into->at[i] = from->at[i] > into->at[i] ? from->at[i] : into->at[i];
}

/* ---- objects ------------------------------------------------------------------------------ */

static struct sync_object *slot_of(struct sync_object *objects, size_t room, uintptr_t address)
{
    size_t at = (size_t)((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (objects[at].address && objects[at].address != address)
        at = (at + 1) & (room - 1);
    return &objects[at];
}

static bool make_room(void)
{
    const size_t room = sync.room ? 2 * sync.room : 64;
    if (2 * sync.count < sync.room)
        return true;
    struct sync_object *objects = calloc(room, sizeof *objects);
    if (!objects)
        return false;
    for (size_t i = 0; i < sync.room; i++)
        if (sync.objects[i].address)
            *slot_of(objects, room, sync.objects[i].address) = sync.objects[i];
    free(sync.objects);
    sync.objects = objects;
    sync.room = room;
    return true;
}

static bool is_kept(void)
{
    return atomic_load_explicit(&sync.ticking, memory_order_relaxed) && !self.inside &&
           !atomic_load_explicit(&sync.off, memory_order_relaxed);
}

static void release(uintptr_t address)
{
    if (!is_kept() || !self.clock.count)
        return;
    enter();
    if (make_room()) {
        struct sync_object *object = slot_of(sync.objects, sync.room, address);
        sync.count += !object->address;
        object->address = address;
        join(&object->clock, &self.clock);
    } else {
        give_up();
    }
    leave();
}

static void acquire(uintptr_t address)
{
    if (!is_kept())
        return;
    enter();
    const struct sync_object *object = sync.room ? slot_of(sync.objects, sync.room, address) : NULL;
    if (object && object->address)
        join(&self.clock, &object->clock);
    leave();
}

#define RELEASE(object) release((uintptr_t)(object))
#define ACQUIRE(object) acquire((uintptr_t)(object))

/* ---- called by liborrery ------------------------------------------------------------------------- */

static int examine_object(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char *const own[] = {"liborrery", "libOpenCL"};
    static const char *const others[] = {"libgomp", "libomp.", "libiomp", "libtbb"};
    (void)size;
    (void)data;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strstr(info->dlpi_name, others[i]))
            give_up();
    bool is_own = false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        is_own |= strstr(info->dlpi_name, own[i]) && !strstr(info->dlpi_name, "liborrery_sync");
    for (int i = 0; is_own && i < info->dlpi_phnum && sync.own_count < OWN_MOST; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        const uintptr_t low = info->dlpi_addr + part->p_vaddr;
        sync.own[sync.own_count].low = low;
        sync.own[sync.own_count++].high = low + part->p_memsz;
    }
    return 0;
}

/* The caller holds runtime_lock, so one thread at a time is here. */
uint32_t orrery_host_tick(const uint32_t **out_clock, uint32_t *out_count, bool *out_several)
{
    self.inside = true;
    if (!atomic_load(&sync.ticking))
        dl_iterate_phdr(examine_object, NULL);
    if (!self.numbered && sync.threads == THREADS_MOST)
        give_up();
    if (!self.numbered)
        self.number = sync.threads++;
    self.numbered = true;
    if (!grow(&self.clock, self.number + 1))
        give_up();
    atomic_store(&sync.ticking, true);
    self.inside = false;
    if (atomic_load(&sync.off))
        return UINT32_MAX;
    self.clock.at[self.number]++;
    *out_clock = self.clock.at;
    *out_count = self.clock.count;
    *out_several = atomic_load(&sync.several);
    return self.number;
}

/* ---- the functions -------------------------------------------------------------------------- */

/*
 * Calls of liborrery and of the loader are passed on by tail calls, since liborrery_threads recognises them
 * by their return address, too.
 */
#ifdef __clang__
#define AS_CALLED /* tail calls at every level but 0 */
#else
#define AS_CALLED __attribute__((optimize("O2")))
#endif

static bool is_own(const void *caller)
{
    const uintptr_t at = (uintptr_t)caller;
    for (uint32_t i = 0; i < sync.own_count; i++)
        if (at >= sync.own[i].low && at < sync.own[i].high)
            return true;
    return false;
}

/* glibc has two versions of the condition functions; this is the default one. */
static void *find_next(const char *name)
{
    void *condition = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return condition ? condition : dlsym(RTLD_NEXT, name);
}

#define NEXT(name)                 \
    static __typeof__(name) *next; \
    if (!next)                     \
    next = (__typeof__(name) *)(uintptr_t)find_next(#name)

/* Whether clocks are kept is checked at each release and acquire: a wait may begin before the first clock
 * value and end after it. */
#define IS_PASSED (self.inside || is_own(__builtin_return_address(0)))

/* An acquire, if it succeeds. */
#define ACQUIRES(name, parameters, arguments, object) \
    AS_CALLED int name parameters                     \
    {                                                 \
        NEXT(name);                                   \
        if (IS_PASSED)                                \
            return next arguments;                    \
        const int result = next arguments;            \
        if (result == 0 || result == EOWNERDEAD)      \
            ACQUIRE(object);                          \
        return result;                                \
    }

#define RELEASES(name, type)         \
    AS_CALLED int name(type *object) \
    {                                \
        NEXT(name);                  \
        if (IS_PASSED)               \
            return next(object);     \
        RELEASE(object);             \
        return next(object);         \
    }

/* A wait releases the lock and acquires it again, whatever its result. */
#define WAITS(name, parameters, arguments) \
    AS_CALLED int name parameters          \
    {                                      \
        NEXT(name);                        \
        if (IS_PASSED)                     \
            return next arguments;         \
        RELEASE(mutex);                    \
        const int result = next arguments; \
        ACQUIRE(mutex);                    \
        if (result == 0)                   \
            ACQUIRE(condition);            \
        return result;                     \
    }

/* clang-format off */
#define LOCK(name, type) ACQUIRES(name, (type *object), (object), object)
#define TIMED(name, type) \
    ACQUIRES(name, (type *restrict object, const struct timespec *restrict until), (object, until), object)
#define CLOCKED(name, type) \
    ACQUIRES(name, (type *restrict object, clockid_t clock, const struct timespec *restrict until), \
          (object, clock, until), object)

LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
TIMED(pthread_mutex_timedlock, pthread_mutex_t)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_t)
RELEASES(pthread_mutex_unlock, pthread_mutex_t)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t)
CLOCKED(pthread_rwlock_clockrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t)
CLOCKED(pthread_rwlock_clockwrlock, pthread_rwlock_t)
RELEASES(pthread_rwlock_unlock, pthread_rwlock_t)

LOCK(pthread_spin_lock, pthread_spinlock_t)
LOCK(pthread_spin_trylock, pthread_spinlock_t)
RELEASES(pthread_spin_unlock, pthread_spinlock_t)

LOCK(mtx_lock, mtx_t)
LOCK(mtx_trylock, mtx_t)
TIMED(mtx_timedlock, mtx_t)
RELEASES(mtx_unlock, mtx_t)

LOCK(sem_wait, sem_t)
LOCK(sem_trywait, sem_t)
TIMED(sem_timedwait, sem_t)
CLOCKED(sem_clockwait, sem_t)
RELEASES(sem_post, sem_t)

WAITS(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
      (condition, mutex))
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
       const struct timespec *restrict until), (condition, mutex, until))
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
       const struct timespec *restrict until), (condition, mutex, clock, until))
WAITS(cnd_wait, (cnd_t *condition, mtx_t *mutex), (condition, mutex))
WAITS(cnd_timedwait,
      (cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until),
      (condition, mutex, until))
RELEASES(pthread_cond_signal, pthread_cond_t)
RELEASES(pthread_cond_broadcast, pthread_cond_t)
RELEASES(cnd_signal, cnd_t)
RELEASES(cnd_broadcast, cnd_t)
/* clang-format on */

AS_CALLED int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    NEXT(pthread_barrier_wait);
    if (IS_PASSED)
        return next(barrier);
    RELEASE(barrier);
    const int result = next(barrier);
    ACQUIRE(barrier);
    return result;
}

/* ---- once ------------------------------------------------------------------------------------- */

static __thread struct {
    void (*function)(void);
    uintptr_t object;
} once;

/* Every later pthread_once of this control is ordered after the function. */
static void run_once(void)
{
    const uintptr_t object = once.object;
    once.function();
    release(object);
}

AS_CALLED int pthread_once(pthread_once_t *object, void (*function)(void))
{
    NEXT(pthread_once);
    if (IS_PASSED)
        return next(object, function);
    once.function = function;
    once.object = (uintptr_t)object;
    const int result = next(object, run_once);
    ACQUIRE(object);
    return result;
}

AS_CALLED void call_once(once_flag *object, void (*function)(void))
{
    NEXT(call_once);
    if (IS_PASSED) {
        next(object, function);
        return;
    }
    once.function = function;
    once.object = (uintptr_t)object;
    next(object, run_once);
    ACQUIRE(object);
}

/* ---- threads ------------------------------------------------------------------------------------ */

struct sync_start {
    void *(*function)(void *);
    int (*c11_function)(void *);
    void *argument;
    struct sync_clock clock;
};

static struct sync_start *start_new(void *argument, bool own)
{
    self.inside = true;
    struct sync_start *start = calloc(1, sizeof *start);
    self.inside = false;
    if (!start)
        return NULL;
    start->argument = argument;
    if (!own)
        atomic_store(&sync.several, true);
    if (is_kept() && !own) {
        enter();
        join(&start->clock, &self.clock);
        leave();
    }
    return start;
}

static void start_free(struct sync_start *start)
{
    free(start->clock.at);
    free(start);
}

static struct sync_start begin(void *data)
{
    const struct sync_start start = *(struct sync_start *)data;
    self.clock = start.clock; /* a copy of the creator's: pthread_create is ordered before the thread */
    free(data);
    return start;
}

/* A cleanup handler, so that it also runs if the thread is cancelled or calls pthread_exit. */
static void end(void *unused)
{
    (void)unused;
    release((uintptr_t)pthread_self());
}

static void *run(void *data)
{
    const struct sync_start start = begin(data);
    void *result;
    pthread_cleanup_push(end, NULL);
    result = start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static int run_c11(void *data)
{
    const struct sync_start start = begin(data);
    int result;
    pthread_cleanup_push(end, NULL);
    result = start.c11_function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*function)(void *), void *restrict argument)
{
    NEXT(pthread_create);
    struct sync_start *start = start_new(argument, is_own(__builtin_return_address(0)));
    if (!start)
        return EAGAIN;
    start->function = function;
    const int error = next(thread, attributes, run, start);
    if (error)
        start_free(start);
    return error;
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    NEXT(thrd_create);
    struct sync_start *start = start_new(argument, is_own(__builtin_return_address(0)));
    if (!start)
        return thrd_nomem;
    start->c11_function = function;
    const int answer = next(thread, run_c11, start);
    if (answer != thrd_success)
        start_free(start);
    return answer;
}

ACQUIRES(pthread_join, (pthread_t thread, void **result_of), (thread, result_of), thread)
ACQUIRES(pthread_tryjoin_np, (pthread_t thread, void **result_of), (thread, result_of), thread)
ACQUIRES(pthread_timedjoin_np, (pthread_t thread, void **result_of, const struct timespec *until),
         (thread, result_of, until), thread)
ACQUIRES(thrd_join, (thrd_t thread, int *result_of), (thread, result_of), thread)
