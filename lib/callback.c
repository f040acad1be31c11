/* SPDX-License-Identifier: Apache-2.0 */
#include "callback.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "host_log.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, called;
    uint64_t posted_count, called_count;
    struct callback_item *first, **last;
    pthread_t thread;
    bool started, stopping, calling;
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER,
               .posted = PTHREAD_COND_INITIALIZER,
               .called = PTHREAD_COND_INITIALIZER,
               .last = &callbacks.first};

static __thread bool is_callback_thread;

bool callback_thread(void)
{
    return is_callback_thread;
}

bool runtime_thread_start(pthread_t *out_thread, void *(*run)(void *))
{
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* guard.c's: a callback of the user may cause one */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    host_log_hide(true);
    int err = pthread_create(out_thread, NULL, run, NULL);
    host_log_hide(false);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

static struct callback_item *take(void)
{
    struct callback_item *item = callbacks.first;
    callbacks.first = item->next;
    if (!callbacks.first)
        callbacks.last = &callbacks.first;
    return item;
}

static void *callback_run(void *unused)
{
    is_callback_thread = true;
    pthread_mutex_lock(&callbacks.lock);
    while (!callbacks.stopping) {
        if (!callbacks.first) {
            pthread_cond_wait(&callbacks.posted, &callbacks.lock);
            continue;
        }
        struct callback_item *item = take();
        callbacks.calling = true;
        pthread_mutex_unlock(&callbacks.lock);
        item->function(item->data);
        pthread_mutex_lock(&callbacks.lock);
        callbacks.calling = false;
        callbacks.called_count++;
        pthread_cond_broadcast(&callbacks.called);
    }
    pthread_mutex_unlock(&callbacks.lock);
    return unused;
}

void callback_post_item(struct callback_item *item)
{
    item->next = NULL;
    pthread_mutex_lock(&callbacks.lock);
    *callbacks.last = item;
    callbacks.last = &item->next;
    callbacks.posted_count++;
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

/* A running callback may never return, and it may be the one that called exit; else what it releases is no leak. */
void callback_stop(void)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += EXIT_PATIENCE_SECONDS;
    pthread_mutex_lock(&callbacks.lock);
    callbacks.stopping = true;
    pthread_cond_broadcast(&callbacks.called);
    pthread_cond_signal(&callbacks.posted);
    while (callbacks.calling && !is_callback_thread && pthread_cond_timedwait(&callbacks.called, &callbacks.lock, &deadline) == 0)
        ;
    const bool started = callbacks.started, calling = callbacks.calling;
    callbacks.started = false;
    pthread_mutex_unlock(&callbacks.lock);
    if (started && calling)
        pthread_detach(callbacks.thread);
    else if (started)
        pthread_join(callbacks.thread, NULL);
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
    callbacks.started = false;
    if (callbacks.calling) { /* the call goes on in the parent alone */
        callbacks.calling = false;
        callbacks.called_count++;
    }
    pthread_cond_init(&callbacks.posted, NULL);
    pthread_cond_init(&callbacks.called, NULL);
    pthread_mutex_unlock(&callbacks.lock);
}
