/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one child process to its end. Its streams are files in memory; no shell is involved. */
#include "child_process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_setup.h"
#include "memory_file.h"

/* Memory files that become the tool's descriptors 0, 1, 2 and 3. */
enum { STREAM_INPUT, STREAM_OUTPUT, STREAM_ERROR, STREAM_EXTRA, STREAM_COUNT };
_Static_assert((int)STREAM_COUNT == (int)MEMORY_FILE_LOWEST, "the dup2 of one stream could close another");

static bool streams_open(int *streams, const struct process *process)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if ((streams[i] = memory_file_open()) < 0)
            return false;
    return memory_file_write(streams[STREAM_INPUT], process->input, process->input_size);
}

static void streams_close(const int *streams)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if (streams[i] >= 0)
            close(streams[i]);
}

/* ---- the child ---------------------------------------------------------------------------- */

struct child_start {
    const struct process *process;
    const int *streams;
    pid_t parent;
    char **environment;
    int error; /* why the tool could not start */
};

static bool streams_place(const struct process *process, const int *streams)
{
    for (int i = 0; i < (process->extra_output ? STREAM_COUNT : STREAM_EXTRA); i++)
        if (dup2(streams[i], i) < 0)
            return false;
    return true;
}

/* Runs in the child of a vfork, on the memory of the parent: makes system calls only, and does not
 * return. */
static _Noreturn __attribute__((noinline)) void child(struct child_start *start)
{
    const struct process *process = start->process;
    /* The parent may have ended before the call. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != start->parent)
        _exit(127);
    setpgid(0, 0);
    if (streams_place(process, start->streams) && (!process->directory || chdir(process->directory) == 0)) {
        child_signals_reset();
        child_limits_set(&process->limits);
        execvpe(process->arguments[0], process->arguments, start->environment);
    }
    start->error = errno;
    _exit(127);
}

/* vfork is used because fork would run the handlers of pthread_atfork and copy the page tables of a large
 * host. No signal may be delivered until the child has reset its handlers: they would run on the parent's
 * memory. */
static int spawn(const struct process *process, const int *streams, pid_t *out_pid)
{
    struct child_start start = {
        .process = process, .streams = streams, .parent = getpid(), .environment = child_environment()};
    sigset_t all, before;
    if (!start.environment)
        return ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = vfork();
    if (pid == 0)
        child(&start); /* system calls only. NOLINT(clang-analyzer-unix.Vfork) */
    const int error = pid < 0 ? errno : start.error;
    free(start.environment);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && error)
        waitpid(pid, NULL, 0);
    *out_pid = pid;
    return error;
}

/* ---- the parent --------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A process that used less than a hundredth of the elapsed time waits; it is not slow because of a busy
 * machine. */
static bool is_blocked(pid_t pid, double elapsed)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 && seconds_of(clock) < elapsed / 100;
}

static bool has_ended(pid_t pid)
{
    siginfo_t about = {0};
    const int error = waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT | WNOHANG) ? errno : 0;
    return error ? error != EINTR : about.si_pid == pid;
}

/* Waits for the end of the process, at most a second. Without pidfd (Linux before 5.3) the process is
 * polled each millisecond. */
static void wait_a_second(pid_t pid, int pidfd)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    if (pidfd >= 0)
        poll(&end, 1, 1000);
    for (int i = 0; pidfd < 0 && i < 1000 && !has_ended(pid); i++)
        poll(NULL, 0, 1);
}

/* The kernel enforces the limit of processor time. A process that waits for ever uses none, and is stopped
 * here. */
static void wait_for_end(pid_t pid, const struct process_limits *limits, struct process_result *result)
{
    const int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    const double begun = seconds_of(CLOCK_MONOTONIC);
    while (!has_ended(pid)) {
        const double elapsed = seconds_of(CLOCK_MONOTONIC) - begun;
        if (limits->seconds && elapsed >= limits->seconds && is_blocked(pid, elapsed)) {
            result->limit = PROCESS_BLOCKED;
            break;
        }
        wait_a_second(pid, pidfd);
    }
    if (pidfd >= 0)
        close(pidfd);
}

/* Kills the processes that the tool started. The group's number cannot be reused until the tool is
 * reaped. */
static void reap(pid_t pid, struct process_result *result, struct rusage *out_usage)
{
    int ended = 0;
    *out_usage = (struct rusage){0};
    pid_t waited;
    kill(-pid, SIGKILL);
    do {
        waited = wait4(pid, &ended, 0, out_usage);
    } while (waited < 0 && errno == EINTR);
    result->exit_code = -1;
    if (waited < 0)
        result->reaped_by_host = true;
    else if (WIFSIGNALED(ended))
        result->signal = WTERMSIG(ended);
    else
        result->exit_code = WEXITSTATUS(ended);
}

enum status process_run(const struct process *process, struct process_result *out_result,
                        struct diagnosis *diagnosis)
{
    *out_result = (struct process_result){.limits = process->limits};
    int streams[STREAM_COUNT] = {-1, -1, -1, -1};
    enum status status = STATUS_OK;
    struct rusage usage;
    if (!streams_open(streams, process)) {
        status = diagnose(diagnosis, STATUS_IO, "cannot create memory files for %s: %s",
                          process->arguments[0], strerror(errno));
        goto out;
    }
    pid_t pid;
    int error = spawn(process, streams, &pid);
    if (error) {
        status = diagnose(diagnosis, STATUS_COMPILER_MISSING, "cannot run %s: %s", process->arguments[0],
                          strerror(error));
        goto out;
    }
    wait_for_end(pid, &process->limits, out_result);
    reap(pid, out_result, &usage);
    memory_file_read(streams[STREAM_OUTPUT], &out_result->output);
    memory_file_read(streams[STREAM_ERROR], &out_result->error);
    memory_file_read(streams[STREAM_EXTRA], &out_result->extra);
    const struct child_usage used = child_usage_of(&usage);
    out_result->limit = child_limit_hit(&process->limits, out_result, &used);
    if (out_result->output.failed || out_result->error.failed || out_result->extra.failed)
        status = STATUS_OUT_OF_MEMORY;
out:
    streams_close(streams);
    return status;
}

void process_result_fini(struct process_result *result)
{
    text_fini(&result->output);
    text_fini(&result->error);
    text_fini(&result->extra);
}
