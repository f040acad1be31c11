/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the compile server as a child of a child, so that it is no child of the host. */
#include "server_start.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child_setup.h"
#include "memory_file.h"

struct spawned {
    const struct server_start *start;
    int nothing;
    int error;
    char *stacks; /* for the child and for its child */
};

/* Like vfork, on the memory of the parent, which waits; but on separate stacks. The address sanitizer has
 * one slot for the return address of a vfork, which a nested vfork would overwrite. It does not know these
 * stacks and would print a warning to descriptor 2 at each call that does not return. */
enum { CHILD_FLAGS = CLONE_VM | CLONE_VFORK | SIGCHLD, STACK_BYTES = 1 << 16 };
#define ON_OWN_STACK __attribute__((no_sanitize("address")))

/* In the child's child, on the memory of the host: system calls only. Inherited descriptors are closed:
 * they must not stay open as long as the server lives. */
static ON_OWN_STACK int become_server(void *self)
{
    struct spawned *spawned = self;
    const struct server_start *start = spawned->start;
    const int output = start->output < 0 ? spawned->nothing : start->output;
    if (setsid() >= 0 && dup2(output, 1) >= 0 && dup2(spawned->nothing, 2) >= 0 &&
        dup2(start->input, 0) >= 0) {
        syscall(SYS_close_range, 3U, ~0U, 0U);
        child_signals_reset();
        execve(start->arguments[0], start->arguments, start->environment);
    }
    spawned->error = errno;
    _exit(127);
}

/* A host that waits for any child would otherwise wait for the server. */
static ON_OWN_STACK int leave_server(void *self)
{
    struct spawned *spawned = self;
    if (clone(become_server, spawned->stacks + 2 * STACK_BYTES, CHILD_FLAGS, spawned) < 0)
        spawned->error = errno;
    _exit(0);
}

static bool spawn(struct spawned *spawned)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = clone(leave_server, spawned->stacks + STACK_BYTES, CHILD_FLAGS, spawned);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid > 0 && !spawned->error;
}

bool server_start(const struct server_start *start)
{
    struct spawned spawned = {.start = start,
                              .nothing = server_descriptor_high(open("/dev/null", O_RDWR | O_CLOEXEC)),
                              .stacks = malloc(2 * STACK_BYTES)};
    const bool started = spawned.stacks && spawned.nothing >= 0 && spawn(&spawned);
    if (spawned.nothing >= 0)
        close(spawned.nothing);
    free(spawned.stacks);
    return started;
}

int server_descriptor_high(int descriptor)
{
    if (descriptor < 0 || descriptor >= MEMORY_FILE_LOWEST)
        return descriptor;
    const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    close(descriptor);
    return high;
}
