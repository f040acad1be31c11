/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel sends SIGXFSZ to the thread that writes, so blocking it there is enough. */
#include "orrery/file_limit.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static bool is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

void file_limit_hold(struct file_limit *out_hold)
{
    sigset_t signal;
    sigemptyset(&signal);
    sigaddset(&signal, SIGXFSZ);
    out_hold->pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &signal, &out_hold->mask);
}

void file_limit_release(const struct file_limit *hold)
{
    const int error = errno;
    const struct timespec none = {0};
    sigset_t signal;
    sigemptyset(&signal);
    sigaddset(&signal, SIGXFSZ);
    if (!hold->pending && is_pending())
        sigtimedwait(&signal, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &hold->mask, NULL);
    errno = error;
}
