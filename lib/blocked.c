/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of the waiting threads. Whether the process has other threads is read from proc(5), since a program
 * starts threads without a call of ours; this library's own threads are subtracted (runtime_thread_alone).
 */
#include "blocked.h"

#include <stddef.h>

#include "orrery/checked.h"
#include "api_runtime.h"
#include "callback.h"
#include "runtime_thread.h"
#include "lib/record/thread_state.h"

static struct blocked_thread *blocked; /* under runtime_lock */

void blocked_add(struct blocked_thread *thread)
{
    CHECKED(runtime_lock_held() && thread->done);
    thread->callback = callback_thread();
    thread->next = blocked;
    blocked = thread;
}

void blocked_remove(const struct blocked_thread *thread)
{
    CHECKED(runtime_lock_held() && blocked);
    struct blocked_thread **link = &blocked;
    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
}

bool blocked_over(const struct blocked_thread *thread)
{
    return thread && thread->done(thread->self);
}

bool blocked_all(uint32_t own, bool stores)
{
    uint32_t waiting = own;
    bool callback_waits = false;
    for (const struct blocked_thread *thread = blocked; thread; thread = thread->next) {
        if (blocked_over(thread))
            return false;
        callback_waits |= thread->callback;
        waiting += !thread->callback;
    }
    const bool callbacks_done = callback_waits || callback_none();
    return callbacks_done && runtime_thread_alone(waiting) && (!stores || !thread_signals_caught());
}

void blocked_fork(void)
{
    blocked = NULL;
}
