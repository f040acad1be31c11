/* SPDX-License-Identifier: Apache-2.0 */
/* One child process to its end: memory files as its streams, no shell. */
#include "child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Memory files that become the tool's descriptors 0, 1, 2 and 3. */
enum { STREAM_INPUT, STREAM_OUTPUT, STREAM_ERROR, STREAM_EXTRA, STREAM_COUNT };

static bool write_all(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size) {
        ssize_t written = write(fd, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        next += written;
        size -= (size_t)written;
    }
    return true;
}

static void read_all(int fd, struct text *out_text)
{
    char buffer[65536];
    off_t offset = 0;
    ssize_t size;
    while ((size = pread(fd, buffer, sizeof buffer, offset)) > 0 || (size < 0 && errno == EINTR)) {
        if (size < 0)
            continue;
        text_add_bytes(out_text, buffer, (size_t)size);
        offset += size;
    }
    text_add_bytes(out_text, "", 0);
}

/* Above the tool's own numbers, or the dup2 of one stream could close another. */
static int stream_open(void)
{
    int fd = memfd_create("orrery-stream", MFD_CLOEXEC);
    if (fd < 0 || fd >= STREAM_COUNT)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STREAM_COUNT);
    close(fd);
    return high;
}

static bool streams_open(int *streams, const struct process *process)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if ((streams[i] = stream_open()) < 0)
            return false;
    return write_all(streams[STREAM_INPUT], process->input, process->input_size) &&
           lseek(streams[STREAM_INPUT], 0, SEEK_SET) == 0;
}

static void streams_close(const int *streams)
{
    for (int i = 0; i < STREAM_COUNT; i++)
        if (streams[i] >= 0)
            close(streams[i]);
}

/* ---- the child ---------------------------------------------------------------------------- */

struct start {
    const struct process *process;
    const int *streams;
    pid_t parent;
    char **environment;
    int error; /* of what kept the tool from starting */
};

/* The hard limit is a second later: a tool that catches SIGXCPU is killed then. */
static void limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit old;
    if (getrlimit((__rlimit_resource_t)resource, &old) != 0)
        return;
    if (old.rlim_max != RLIM_INFINITY && hard > old.rlim_max)
        hard = old.rlim_max;
    const struct rlimit wanted = {.rlim_cur = soft < hard ? soft : hard, .rlim_max = hard};
    setrlimit((__rlimit_resource_t)resource, &wanted);
}

static void limits_set(const struct process_limits *limits)
{
    if (limits->seconds)
        limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1);
    if (limits->bytes) {
        limit(RLIMIT_AS, limits->bytes, limits->bytes);
        limit(RLIMIT_FSIZE, limits->bytes, limits->bytes); /* of its memory files */
    }
    limit(RLIMIT_CORE, 0, 0);
}

/* The tool must not inherit what the host ignores or blocks. */
static void signals_reset(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool streams_place(const struct process *process, const int *streams)
{
    for (int i = 0; i < (process->extra_output ? STREAM_COUNT : STREAM_EXTRA); i++)
        if (dup2(streams[i], i) < 0)
            return false;
    return true;
}

/* Runs in the child of a vfork, on the memory of the parent: system calls only, and no return. */
static _Noreturn __attribute__((noinline)) void child(struct start *start)
{
    const struct process *process = start->process;
    /* the parent may have ended before */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != start->parent)
        _exit(127);
    setpgid(0, 0);
    if (streams_place(process, start->streams) && (!process->directory || chdir(process->directory) == 0)) {
        signals_reset();
        limits_set(&process->limits);
        execvpe(process->arguments[0], process->arguments, start->environment);
    }
    start->error = errno;
    _exit(127);
}

/* The host's environment without libraries that the host is run with: they are not meant for the tool, make
 * its start slow, and a sanitizer among them may not fit the tool's limits. NULL: no memory. */
static __attribute__((noinline)) char **environment_of_tool(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            list[kept++] = environ[i];
    if (list)
        list[kept] = NULL;
    return list;
}

/* vfork, as fork would run the handlers of pthread_atfork and copy the page tables of a large host. Until the
 * child has left its handlers no signal may come: they would run on the parent's memory. */
static int spawn(const struct process *process, const int *streams, pid_t *out_pid)
{
    struct start start = {
        .process = process, .streams = streams, .parent = getpid(), .environment = environment_of_tool()};
    sigset_t all, before;
    if (!start.environment)
        return ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = vfork();
    if (pid == 0)
        child(&start);
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

/* Has it used less than a hundredth of the time? Then it does not compute slowly on a busy machine, but
 * waits. */
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

/* Until it ends, or another second is over. Without pidfd (Linux before 5.3) it is looked at each
 * millisecond. */
static void wait_a_second(pid_t pid, int pidfd)
{
    struct pollfd end = {.fd = pidfd, .events = POLLIN};
    if (pidfd >= 0)
        poll(&end, 1, 1000);
    for (int i = 0; pidfd < 0 && i < 1000 && !has_ended(pid); i++)
        poll(NULL, 0, 1);
}

/* The processor time is limited by the kernel; what waits for ever uses none. */
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

/* Of what it started, nothing stays: until it is reaped its group cannot be another one's. */
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

static bool says(const struct text *text, const char *words)
{
    return text->data && strstr(text->data, words);
}

static double processor_seconds(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

/* The kernel counts processor time by its clock values. A tool that gets no memory says so, or crashes when
 * it has used most of what it may. */
static enum process_limit limit_hit(const struct process_limits *limits, const struct process_result *result,
                                    const struct rusage *usage)
{
    if (result->limit || !process_failed(result))
        return result->limit;
    if (limits->seconds && processor_seconds(usage) > limits->seconds - 0.05)
        return PROCESS_TIME;
    if (limits->bytes &&
        (result->signal == SIGXFSZ || (uint64_t)usage->ru_maxrss * 1024 > limits->bytes / 4 * 3 ||
         says(&result->error, "out of memory") || says(&result->error, "bad_alloc")))
        return PROCESS_MEMORY;
    return PROCESS_UNLIMITED;
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
    read_all(streams[STREAM_OUTPUT], &out_result->output);
    read_all(streams[STREAM_ERROR], &out_result->error);
    read_all(streams[STREAM_EXTRA], &out_result->extra);
    out_result->limit = limit_hit(&process->limits, out_result, &usage);
    if (out_result->output.failed || out_result->error.failed || out_result->extra.failed)
        status = STATUS_OUT_OF_MEMORY;
out:
    streams_close(streams);
    return status;
}

bool process_failed(const struct process_result *result)
{
    if (result->limit)
        return true;
    if (result->reaped_by_host)
        return result->output.size == 0;
    return result->signal || result->exit_code != 0;
}

void process_result_fini(struct process_result *result)
{
    text_fini(&result->output);
    text_fini(&result->error);
    text_fini(&result->extra);
}
