/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callback thread: a list of calls in the order in which they were posted, taken one by one without a
 * lock held.
 */
#include "callback.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "executor.h"
#include "lib/record/host_log.h"
#include "lib/record/thread_state.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, called;
    uint64_t posted_count, called_count; /* written under the lock; atomic */
    struct callback_item *first, **last;
    pthread_t thread;
    bool started, stopping, calling;
    pid_t id; /* of the thread */
    clockid_t clock;
    uint32_t inside; /* atomic: calls of ours that it is in */
    /* the last callback that was found so, its sleep, and how often */
    struct {
        uint64_t call, switches;
        uint32_t times;
    } stuck;
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER,
               .posted = PTHREAD_COND_INITIALIZER,
               .called = PTHREAD_COND_INITIALIZER,
               .last = &callbacks.first};

static __thread bool is_callback_thread;

bool callback_thread(void)
{
    return is_callback_thread;
}

static uint32_t own_threads; /* started and not joined */

bool runtime_is_alone(uint32_t waiting)
{
    return thread_count() <= __atomic_load_n(&own_threads, __ATOMIC_RELAXED) + waiting;
}

void runtime_thread_join(pthread_t thread)
{
    if (pthread_join(thread, NULL) == 0)
        __atomic_sub_fetch(&own_threads, 1, __ATOMIC_RELAXED);
}

bool runtime_thread_start(pthread_t *out_thread, void *(*run)(void *))
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* guard.c's: a callback of the user may cause one */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    host_log_hide(true);
    int err = pthread_create(out_thread, NULL, run, NULL);
    if (!err)
        __atomic_add_fetch(&own_threads, 1, __ATOMIC_RELAXED);
    host_log_hide(false);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

static struct callback_item *take(void)
{
    struct callback_item *item = callbacks.first;
    CHECKED(item && *callbacks.last == NULL);
    callbacks.first = item->next;
    if (!callbacks.first)
        callbacks.last = &callbacks.first;
    return item;
}

static void count(uint64_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELEASE);
}

static void *callback_run(void *unused)
{
    is_callback_thread = true;
    pthread_mutex_lock(&callbacks.lock);
    callbacks.id = gettid();
    pthread_getcpuclockid(pthread_self(), &callbacks.clock);
    while (!callbacks.stopping) {
        if (!callbacks.first) {
            pthread_cond_wait(&callbacks.posted, &callbacks.lock);
            continue;
        }
        struct callback_item *item = take();
        CHECKED(!callbacks.calling && callbacks.called_count < callbacks.posted_count);
        callbacks.calling = true;
        pthread_mutex_unlock(&callbacks.lock);
        item->function(item->data);
        pthread_mutex_lock(&callbacks.lock);
        callbacks.calling = false;
        count(&callbacks.called_count);
        pthread_cond_broadcast(&callbacks.called);
    }
    pthread_mutex_unlock(&callbacks.lock);
    return unused;
}

void callback_post_item(struct callback_item *item)
{
    CHECKED(item->function);
    item->next = NULL;
    pthread_mutex_lock(&callbacks.lock);
    *callbacks.last = item;
    callbacks.last = &item->next;
    count(&callbacks.posted_count);
    if (!callbacks.started)
        callbacks.started = runtime_thread_start(&callbacks.thread, callback_run);
    pthread_cond_signal(&callbacks.posted);
    pthread_mutex_unlock(&callbacks.lock);
}

struct post {
    struct callback_item item;
    void (*function)(void *data);
    void *data;
};

static void call_post(void *data)
{
    struct post post = *(struct post *)data;
    free(data);
    post.function(post.data);
}

void callback_post(void (*function)(void *), void *data)
{
    struct post *post = calloc(1, sizeof *post);
    if (!post) {
        function(data); /* late is never: better on the wrong thread */
        return;
    }
    *post = (struct post){.item = {.function = call_post, .data = post}, .function = function, .data = data};
    callback_post_item(&post->item);
}

void callback_drain(void)
{
    if (is_callback_thread)
        return;
    pthread_mutex_lock(&callbacks.lock);
    uint64_t posted = callbacks.posted_count;
    while (callbacks.called_count < posted && !callbacks.stopping)
        pthread_cond_wait(&callbacks.called, &callbacks.lock);
    pthread_mutex_unlock(&callbacks.lock);
}

void callback_inside(int step)
{
    if (is_callback_thread)
        __atomic_add_fetch(&callbacks.inside, (uint32_t)step, __ATOMIC_RELAXED);
}

/* ---- waiting while it can get on ------------------------------------------------------------- */

/*
 * A callback may wait for the next step of the waiting thread: then it sleeps and no thread wakes it, or it
 * polls, with short sleeps in between. While other threads of the program run, one of them may wake it, which
 * takes long on a busy machine. Inside a call of ours it waits for the owner of the lock or of the executor
 * lock, and that can take long; but when it waits there for a command and no thread executes, the program has
 * to continue.
 */
enum {
    STILL_LOOKS = 20,
    HELPED_LOOKS = 300,
    ASLEEP_LOOKS = 2000,
    BUSY_MILLISECONDS = 2000,
    STUCK_TIMES = 8,
    LOOK_NANOSECONDS = 1000000
};
enum prospect { GETS_ON, STUCK, HOPELESS };

struct patience {
    uint64_t call, switches;
    uint32_t still, asleep; /* looks that found it in the same sleep, and in any */
    uint32_t helped;        /* in the same sleep, while other threads moved */
    /* milliseconds of the processor that the thread had had at the first look; 0: not looked */
    int64_t busy;
    bool was_stuck; /* in a sleep of a kind that proc(5) shows */
};

static struct patience patience_for(uint64_t call)
{
    struct patience patience = {.call = call};
    if (callbacks.stuck.times && callbacks.stuck.call == call) {
        patience.was_stuck = true;
        patience.still = STILL_LOOKS - 1;
        patience.helped = HELPED_LOOKS;
        patience.switches = callbacks.stuck.switches;
    }
    return patience;
}

static bool is_busy(struct patience *patience)
{
    struct timespec time = {0};
    clock_gettime(callbacks.clock, &time);
    const int64_t busy = time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000 + 1;
    if (!patience->busy)
        patience->busy = busy;
    return busy - patience->busy >= BUSY_MILLISECONDS;
}

/* No information from the system counts as a sleep. */
static enum prospect prospect_of(struct patience *patience)
{
    const bool inside = __atomic_load_n(&callbacks.inside, __ATOMIC_RELAXED) != 0;
    struct thread_state state = {.asleep = true, .switches = patience->switches};
    if (inside && executor_callback_stuck())
        return STUCK;
    thread_state_read(callbacks.id, &state);
    const bool same = state.asleep && !state.naps && !inside && state.switches == patience->switches;
    const bool helped = same && patience->helped < HELPED_LOOKS && thread_others_move(callbacks.id, gettid());
    patience->switches = state.switches;
    patience->helped = same ? patience->helped + helped : 0;
    patience->still = same ? patience->still + !helped : 0;
    patience->asleep += state.asleep;
    if (patience->asleep >= ASLEEP_LOOKS || (is_busy(patience) && !inside))
        return HOPELESS;
    return patience->still >= STILL_LOOKS ? STUCK : GETS_ON;
}

/* Lets go of the lock. */
static bool look(struct patience *patience)
{
    pthread_mutex_unlock(&callbacks.lock);
    const enum prospect prospect = prospect_of(patience);
    pthread_mutex_lock(&callbacks.lock);
    patience->was_stuck = false;
    if (prospect == GETS_ON || callbacks.called_count != patience->call)
        return true;
    const bool again = callbacks.stuck.call == patience->call,
               same = again && callbacks.stuck.switches == patience->switches;
    const uint32_t times = again ? callbacks.stuck.times : 0;
    callbacks.stuck.times = prospect == HOPELESS ? STUCK_TIMES : times + (!times || !same);
    callbacks.stuck.call = patience->call;
    callbacks.stuck.switches = patience->switches;
    return false;
}

static bool is_given_up(void)
{
    return callbacks.stopping || !callbacks.started ||
           (callbacks.stuck.call == callbacks.called_count && callbacks.stuck.times >= STUCK_TIMES);
}

/* False: that long nothing returned. */
static bool wait_returned(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(&callbacks.called, &callbacks.lock, &until) == 0;
}

bool callback_none(void)
{
    return __atomic_load_n(&callbacks.called_count, __ATOMIC_ACQUIRE) ==
           __atomic_load_n(&callbacks.posted_count, __ATOMIC_ACQUIRE);
}

bool callback_wait(void)
{
    if (is_callback_thread || callback_none())
        return !is_callback_thread;
    pthread_mutex_lock(&callbacks.lock);
    const uint64_t posted = callbacks.posted_count;
    struct patience patience = patience_for(callbacks.called_count);
    while (callbacks.called_count < posted && !is_given_up()) {
        if (patience.call != callbacks.called_count)
            patience = patience_for(callbacks.called_count);
        if ((patience.was_stuck || !wait_returned()) && callbacks.calling && !look(&patience))
            break;
    }
    const bool all = callbacks.called_count >= posted;
    CHECKED(callbacks.called_count <= callbacks.posted_count);
    pthread_mutex_unlock(&callbacks.lock);
    return all;
}

/* A running callback may never return, and it may be the one that called exit; else what it releases is no
 * leak. */
void callback_stop(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += EXIT_PATIENCE_SECONDS;
    pthread_mutex_lock(&callbacks.lock);
    callbacks.stopping = true;
    pthread_cond_broadcast(&callbacks.called);
    pthread_cond_signal(&callbacks.posted);
    while (callbacks.calling && !is_callback_thread &&
           pthread_cond_timedwait(&callbacks.called, &callbacks.lock, &deadline) == 0)
        ;
    const bool started = callbacks.started, calling = callbacks.calling;
    callbacks.started = false;
    pthread_mutex_unlock(&callbacks.lock);
    if (started && calling)
        pthread_detach(callbacks.thread);
    else if (started)
        runtime_thread_join(callbacks.thread);
}

void callback_fork_prepare(void)
{
    pthread_mutex_lock(&callbacks.lock);
}

void callback_fork_parent(void)
{
    pthread_mutex_unlock(&callbacks.lock);
}

void callback_fork_child(void)
{
    own_threads = 0;
    callbacks.started = false;
    callbacks.inside = 0;
    if (callbacks.calling) { /* the call continues in the parent alone */
        callbacks.calling = false;
        count(&callbacks.called_count);
    }
    pthread_cond_init(&callbacks.posted, NULL);
    pthread_cond_init(&callbacks.called, NULL);
    pthread_mutex_unlock(&callbacks.lock);
}
