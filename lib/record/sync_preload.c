/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library of its own, preloaded by `orrery run` while data races are looked for: vector clocks of the
 * host's threads. Each thread has a vector clock, whose own component counts the thread's calls that order
 * commands (host_clock.c clock values it). A release (unlock, signal, post, the end of a thread) joins the
 * thread's clock into the object's; an acquire (lock, wait, join) joins the object's clock into the thread's.
 * Nothing is kept before the first clock value: all clocks are zero.
 *
 * Atomic variables and futexes of the program are not seen. If a runtime whose threads synchronise so
 * (OpenMP, TBB) is in the process, no clock is given out. The steps of liborrery itself and of the OpenCL
 * loader are not the program's.
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

struct clock {
    uint32_t *at;
    uint32_t count;
};
struct object {
    uintptr_t address;
    struct clock clock;
};

/* By name, for host_clock.c. */
uint32_t orrery_host_tick(const uint32_t **out_clock, uint32_t *out_count, bool *out_several);

static struct {
    atomic_flag lock;
    atomic_bool ticking, several, off;
    struct object *objects; /* a hash table; address 0: free */
    size_t count, room;
    uint32_t threads;
    struct {
        uintptr_t low, high;
    } own[OWN_MOST];
    uint32_t own_count;
} sync = {.lock = ATOMIC_FLAG_INIT};

/* inside: of the functions below, where malloc may take locks of its own. */
static __thread struct {
    struct clock clock;
    uint32_t number;
    bool known, inside;
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

/* Without memory an order would be missing, and a false race reported: no clock is given out any more. */
static void give_up(void)
{
    atomic_store(&sync.off, true);
}

static bool grow(struct clock *clock, uint32_t count)
{
    if (count <= clock->count)
        return true;
    uint32_t *at = realloc(clock->at, count * sizeof *at);
    if (!at)
        return false;
    memset(at + clock->count, 0, (count - clock->count) * sizeof *at);
    *clock = (struct clock){at, count};
    return true;
}

static void join(struct clock *into, const struct clock *from)
{
    if (!grow(into, from->count)) {
        give_up();
        return;
    }
    for (uint32_t i = 0; i < from->count; i++)
        into->at[i] = from->at[i] > into->at[i] ? from->at[i] : into->at[i];
}

/* ---- objects ------------------------------------------------------------------------------ */

static struct object *slot_of(struct object *objects, size_t room, uintptr_t address)
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
    struct object *objects = calloc(room, sizeof *objects);
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

static void give(uintptr_t address)
{
    if (!is_kept() || !self.clock.count)
        return;
    enter();
    if (make_room()) {
        struct object *object = slot_of(sync.objects, sync.room, address);
        sync.count += !object->address;
        object->address = address;
        join(&object->clock, &self.clock);
    } else {
        give_up();
    }
    leave();
}

static void take(uintptr_t address)
{
    if (!is_kept())
        return;
    enter();
    const struct object *object = sync.room ? slot_of(sync.objects, sync.room, address) : NULL;
    if (object && object->address)
        join(&self.clock, &object->clock);
    leave();
}

#define GIVE(object) give((uintptr_t)(object))
#define TAKE(object) take((uintptr_t)(object))

/* ---- for the library ------------------------------------------------------------------------- */

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
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

/* The caller is the library, which holds a lock of its own: one thread at a time. */
uint32_t orrery_host_tick(const uint32_t **out_clock, uint32_t *out_count, bool *out_several)
{
    self.inside = true;
    if (!atomic_load(&sync.ticking))
        dl_iterate_phdr(look_at, NULL);
    if (!self.known && sync.threads == THREADS_MOST)
        give_up();
    if (!self.known)
        self.number = sync.threads++;
    self.known = true;
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
 * Calls of the library, and of the loader, are passed on unchanged: liborrery_threads recognises them by
 * their return address, too.
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

/* Those of a condition have two versions in glibc; the default one is meant. */
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

/* after: what is done when it succeeded. */
#define TAKES(name, parameters, arguments, object) \
    AS_CALLED int name parameters                  \
    {                                              \
        NEXT(name);                                \
        if (IS_PASSED)                             \
            return next arguments;                 \
        const int result = next arguments;         \
        if (result == 0 || result == EOWNERDEAD)   \
            TAKE(object);                          \
        return result;                             \
    }

#define GIVES(name, type)            \
    AS_CALLED int name(type *object) \
    {                                \
        NEXT(name);                  \
        if (IS_PASSED)               \
            return next(object);     \
        GIVE(object);                \
        return next(object);         \
    }

/* It releases the lock, and acquires it again, whatever the result. */
#define WAITS(name, parameters, arguments) \
    AS_CALLED int name parameters          \
    {                                      \
        NEXT(name);                        \
        if (IS_PASSED)                     \
            return next arguments;         \
        GIVE(mutex);                       \
        const int result = next arguments; \
        TAKE(mutex);                       \
        if (result == 0)                   \
            TAKE(condition);               \
        return result;                     \
    }

/* clang-format off */
#define LOCK(name, type) TAKES(name, (type *object), (object), object)
#define TIMED(name, type) \
    TAKES(name, (type *restrict object, const struct timespec *restrict until), (object, until), object)
#define CLOCKED(name, type) \
    TAKES(name, (type *restrict object, clockid_t clock, const struct timespec *restrict until), \
          (object, clock, until), object)

LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
TIMED(pthread_mutex_timedlock, pthread_mutex_t)
CLOCKED(pthread_mutex_clocklock, pthread_mutex_t)
GIVES(pthread_mutex_unlock, pthread_mutex_t)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedrdlock, pthread_rwlock_t)
CLOCKED(pthread_rwlock_clockrdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t)
TIMED(pthread_rwlock_timedwrlock, pthread_rwlock_t)
CLOCKED(pthread_rwlock_clockwrlock, pthread_rwlock_t)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t)

LOCK(pthread_spin_lock, pthread_spinlock_t)
LOCK(pthread_spin_trylock, pthread_spinlock_t)
GIVES(pthread_spin_unlock, pthread_spinlock_t)

LOCK(mtx_lock, mtx_t)
LOCK(mtx_trylock, mtx_t)
TIMED(mtx_timedlock, mtx_t)
GIVES(mtx_unlock, mtx_t)

LOCK(sem_wait, sem_t)
LOCK(sem_trywait, sem_t)
TIMED(sem_timedwait, sem_t)
CLOCKED(sem_clockwait, sem_t)
GIVES(sem_post, sem_t)

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
GIVES(pthread_cond_signal, pthread_cond_t)
GIVES(pthread_cond_broadcast, pthread_cond_t)
GIVES(cnd_signal, cnd_t)
GIVES(cnd_broadcast, cnd_t)
/* clang-format on */

AS_CALLED int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    NEXT(pthread_barrier_wait);
    if (IS_PASSED)
        return next(barrier);
    GIVE(barrier);
    const int result = next(barrier);
    TAKE(barrier);
    return result;
}

/* ---- once ------------------------------------------------------------------------------------- */

static __thread struct {
    void (*function)(void);
    uintptr_t object;
} once;

/* All later callers are ordered after the function. */
static void run_once(void)
{
    const uintptr_t object = once.object;
    once.function();
    give(object);
}

AS_CALLED int pthread_once(pthread_once_t *object, void (*function)(void))
{
    NEXT(pthread_once);
    if (IS_PASSED)
        return next(object, function);
    once.function = function;
    once.object = (uintptr_t)object;
    const int result = next(object, run_once);
    TAKE(object);
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
    TAKE(object);
}

/* ---- threads ------------------------------------------------------------------------------------ */

struct start {
    void *(*function)(void *);
    int (*c11_function)(void *);
    void *argument;
    struct clock clock;
};

static struct start *start_new(void *argument, bool own)
{
    self.inside = true;
    struct start *start = calloc(1, sizeof *start);
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

static void start_free(struct start *start)
{
    free(start->clock.at);
    free(start);
}

static struct start begin(void *data)
{
    const struct start start = *(struct start *)data;
    self.clock = start.clock; /* the creator's */
    free(data);
    return start;
}

/* Also when it is cancelled or calls pthread_exit. */
static void end(void *unused)
{
    (void)unused;
    give((uintptr_t)pthread_self());
}

static void *run(void *data)
{
    const struct start start = begin(data);
    void *result;
    pthread_cleanup_push(end, NULL);
    result = start.function(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

static int run_c11(void *data)
{
    const struct start start = begin(data);
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
    struct start *start = start_new(argument, is_own(__builtin_return_address(0)));
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
    struct start *start = start_new(argument, is_own(__builtin_return_address(0)));
    if (!start)
        return thrd_nomem;
    start->c11_function = function;
    const int answer = next(thread, run_c11, start);
    if (answer != thrd_success)
        start_free(start);
    return answer;
}

TAKES(pthread_join, (pthread_t thread, void **result_of), (thread, result_of), thread)
TAKES(pthread_tryjoin_np, (pthread_t thread, void **result_of), (thread, result_of), thread)
TAKES(pthread_timedjoin_np, (pthread_t thread, void **result_of, const struct timespec *until),
      (thread, result_of, until), thread)
TAKES(thrd_join, (thrd_t thread, int *result_of), (thread, result_of), thread)
