/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts and counts the runtime's own threads, so that they can be distinguished from those of the program,
 * which are only known as a number in proc(5).
 */
#include "runtime_thread.h"

#include <signal.h>

#include "lib/record/host_log.h"
#include "lib/record/thread_state.h"

static uint32_t own_threads; /* atomic: threads of the runtime that were started and not joined */

bool runtime_thread_alone(uint32_t others)
{
    return thread_count() <= __atomic_load_n(&own_threads, __ATOMIC_RELAXED) + others;
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
    sigdelset(&all, SIGSEGV); /* a callback of the user may access a page that guard.c closed */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    host_log_hide(true);
    int err = pthread_create(out_thread, NULL, run, NULL);
    if (!err)
        __atomic_add_fetch(&own_threads, 1, __ATOMIC_RELAXED);
    host_log_hide(false);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err == 0;
}

void runtime_thread_fork(void)
{
    own_threads = 0;
}
