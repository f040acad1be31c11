/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The callback thread takes calls from a list, in the order in which they were posted, and makes them
 * without a lock. callback_wait() must decide whether a callback that has not returned can still get on
 * without the waiting thread. It looks at the callback thread's state in proc(5) once a millisecond: see
 * `struct callback_progress`.
 */
#include "callback.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "deadline.h"
#include "executor.h"
#include "lib/record/thread_state.h"
#include "runtime_thread.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, called;
    uint64_t posted_count, called_count; /* written under the lock; atomic */
    struct callback_item *first, **last;
    pthread_t thread;
    bool started, stopping, calling;
    bool (*watch)(void); /* NULL: nothing is watched */
    pid_t id;            /* of the thread, for proc(5) */
    clockid_t clock;     /* its processor time */
    uint32_t inside;     /* atomic: depth of calls of the API that it is in */
    /* the last callback that was found stuck */
    struct {
        uint64_t call;     /* its number: called_count at that time */
        uint64_t switches; /* the thread's context switches: they name one sleep */
        uint32_t times;    /* different sleeps in which it was found stuck */
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

static struct callback_item *take(void)
{
    CHECKED(callbacks.first && *callbacks.last == NULL);
    struct callback_item *item = callbacks.first;
    callbacks.first = item->next;
    if (!callbacks.first)
        callbacks.last = &callbacks.first;
    return item;
}

static void count(uint64_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELEASE);
}

/* Nothing is posted. */
static void idle(void)
{
    const struct timespec until = deadline_in(CLOCK_REALTIME, CALLBACK_WATCH_SECONDS, 0);
    bool (*const watch)(void) = callbacks.watch;
    if (!watch) {
        pthread_cond_wait(&callbacks.posted, &callbacks.lock);
        return;
    }
    if (pthread_cond_timedwait(&callbacks.posted, &callbacks.lock, &until) != ETIMEDOUT)
        return;
    callbacks.watch = NULL;
    pthread_mutex_unlock(&callbacks.lock);
    const bool again = watch();
    pthread_mutex_lock(&callbacks.lock);
    if (again)
        callbacks.watch = watch;
}

static void *callback_run(void *unused)
{
    is_callback_thread = true;
    pthread_mutex_lock(&callbacks.lock);
    callbacks.id = gettid();
    pthread_getcpuclockid(pthread_self(), &callbacks.clock);
    while (!callbacks.stopping) {
        if (!callbacks.first) {
            idle();
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

static void start(void)
{
    if (!callbacks.started)
        callbacks.started = runtime_thread_start(&callbacks.thread, callback_run);
    pthread_cond_signal(&callbacks.posted);
}

void callback_watch(bool (*look)(void))
{
    pthread_mutex_lock(&callbacks.lock);
    if (callbacks.watch != look) {
        callbacks.watch = look;
        start();
    }
    pthread_mutex_unlock(&callbacks.lock);
}

void callback_post_item(struct callback_item *item)
{
    CHECKED(item->function);
    item->next = NULL;
    pthread_mutex_lock(&callbacks.lock);
    *callbacks.last = item;
    callbacks.last = &item->next;
    count(&callbacks.posted_count);
    start();
    pthread_mutex_unlock(&callbacks.lock);
}

struct posted_call {
    struct callback_item item;
    void (*function)(void *data);
    void *data;
};

static void call_post(void *data)
{
    struct posted_call post = *(struct posted_call *)data;
    free(data);
    post.function(post.data);
}

void callback_post(void (*function)(void *), void *data)
{
    struct posted_call *post = calloc(1, sizeof *post);
    if (!post) {
        function(data); /* out of memory: on the wrong thread rather than not at all */
        return;
    }
    *post = (struct posted_call){
        .item = {.function = call_post, .data = post}, .function = function, .data = data};
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

/* ---- waiting while the callback thread makes progress ------------------------------------------- */

/*
 * A callback may wait for the next step of the waiting thread. Then it sleeps and no thread wakes it, or it
 * polls with short sleeps in between. While other threads of the program run, one of them may wake it; on a
 * busy machine this takes long. Inside a call of the API it waits for a lock, which can take long, too; but
 * if it waits there for a command and no thread executes, the waiting thread has to continue.
 */
enum {
    STILL_LOOKS = 20,         /* in one sleep, without movement of other threads: stuck */
    HELPED_LOOKS = 300,       /* in one sleep, with movement of other threads: no longer counted as help */
    ASLEEP_LOOKS = 2000,      /* in any sleep: hopeless */
    BUSY_MILLISECONDS = 2000, /* of processor time, outside of calls: hopeless */
    STUCK_TIMES = 8,          /* a callback that was stuck in so many sleeps is not waited for again */
    LOOK_NANOSECONDS = 1000000
};
enum prospect { GETS_ON, STUCK, HOPELESS };

/* What the looks so far at one callback have found. */
struct callback_progress {
    uint64_t call;     /* number of the callback */
    uint64_t switches; /* context switches of the thread at the last look: the same number, the same sleep */
    uint32_t still, asleep; /* looks that found it in the same sleep; in any sleep */
    uint32_t helped;        /* looks in the same sleep while other threads moved */
    int64_t busy;   /* processor time of the thread at the first look, in milliseconds + 1; 0: no look */
    bool was_stuck; /* an earlier wait found it stuck: look at once */
};

static struct callback_progress progress_of(uint64_t call)
{
    struct callback_progress progress = {.call = call};
    if (callbacks.stuck.times && callbacks.stuck.call == call) {
        progress.was_stuck = true;
        progress.still = STILL_LOOKS - 1;
        progress.helped = HELPED_LOOKS;
        progress.switches = callbacks.stuck.switches;
    }
    return progress;
}

static bool is_busy(struct callback_progress *progress)
{
    struct timespec time = {0};
    clock_gettime(callbacks.clock, &time);
    const int64_t busy = time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000 + 1;
    if (!progress->busy)
        progress->busy = busy;
    return busy - progress->busy >= BUSY_MILLISECONDS;
}

/* Without information from proc(5) the thread counts as asleep. */
static enum prospect prospect_of(struct callback_progress *progress)
{
    const bool inside = __atomic_load_n(&callbacks.inside, __ATOMIC_RELAXED) != 0;
    struct thread_state state = {.asleep = true, .switches = progress->switches};
    if (inside && executor_callback_stuck())
        return STUCK;
    thread_state_read(callbacks.id, &state);
    const bool same = state.asleep && !state.naps && !inside && state.switches == progress->switches;
    const bool helped = same && progress->helped < HELPED_LOOKS && thread_others_move(callbacks.id, gettid());
    progress->switches = state.switches;
    progress->helped = same ? progress->helped + helped : 0;
    progress->still = same ? progress->still + !helped : 0;
    progress->asleep += state.asleep;
    if (progress->asleep >= ASLEEP_LOOKS || (is_busy(progress) && !inside))
        return HOPELESS;
    return progress->still >= STILL_LOOKS ? STUCK : GETS_ON;
}

/* Releases the lock meanwhile. False: stop waiting for this callback. */
static bool look(struct callback_progress *progress)
{
    pthread_mutex_unlock(&callbacks.lock);
    const enum prospect prospect = prospect_of(progress);
    pthread_mutex_lock(&callbacks.lock);
    progress->was_stuck = false;
    if (prospect == GETS_ON || callbacks.called_count != progress->call)
        return true;
    const bool again = callbacks.stuck.call == progress->call,
               same = again && callbacks.stuck.switches == progress->switches;
    const uint32_t times = again ? callbacks.stuck.times : 0;
    callbacks.stuck.times = prospect == HOPELESS ? STUCK_TIMES : times + (!times || !same);
    callbacks.stuck.call = progress->call;
    callbacks.stuck.switches = progress->switches;
    return false;
}

static bool is_given_up(void)
{
    return callbacks.stopping || !callbacks.started ||
           (callbacks.stuck.call == callbacks.called_count && callbacks.stuck.times >= STUCK_TIMES);
}

/* False: no callback returned for LOOK_NANOSECONDS. */
static bool wait_returned(void)
{
    const struct timespec until = deadline_in(CLOCK_REALTIME, 0, LOOK_NANOSECONDS);
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
    struct callback_progress progress = progress_of(callbacks.called_count);
    while (callbacks.called_count < posted && !is_given_up()) {
        if (progress.call != callbacks.called_count)
            progress = progress_of(callbacks.called_count);
        if ((progress.was_stuck || !wait_returned()) && callbacks.calling && !look(&progress))
            break;
    }
    const bool all = callbacks.called_count >= posted;
    CHECKED(callbacks.called_count <= callbacks.posted_count);
    pthread_mutex_unlock(&callbacks.lock);
    return all;
}

/* Waits for a callback that runs, so that what it releases is no leak, but only for a while: it may never
 * return, and it may be the one that called exit. */
void callback_stop(void)
{
    const struct timespec deadline = deadline_in(CLOCK_REALTIME, EXIT_WAIT_SECONDS, 0);
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
    runtime_thread_fork();
    callbacks.started = false;
    callbacks.inside = 0;
    if (callbacks.calling) { /* the call continues only in the parent */
        callbacks.calling = false;
        count(&callbacks.called_count);
    }
    pthread_cond_init(&callbacks.posted, NULL);
    pthread_cond_init(&callbacks.called, NULL);
    pthread_mutex_unlock(&callbacks.lock);
}
