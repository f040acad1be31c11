/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts the compile server and gives it builds. The state is one per process, since the server is one. Its
 * lock is held for the start of the server only.
 */
#include "compile_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_setup.h"
#include "memory_file.h"

/* A server that ended is started again, but not for ever: something here does not let it live. */
enum { STARTS_MOST = 4, BEGIN_MILLISECONDS = 60000, MILLISECONDS = 1000 };

/* Of the host when it started its server: with another user or root directory it needs another one. */
struct identity {
    uid_t user;
    gid_t group;
    dev_t root_device;
    ino_t root_inode;
};

static struct {
    int socket; /* -1: none */
    unsigned generation, starts;
    struct identity identity;
    char *path;
    bool broken; /* its reply was invalid */
    bool forks_are_watched;
} server = {.socket = -1};
static pthread_mutex_t server_lock = PTHREAD_MUTEX_INITIALIZER; /* guards server */

/* ---- start -------------------------------------------------------------------------------- */

struct start {
    char *const *arguments;
    char **environment;
    int socket, nothing;
    int error;
    char *stacks; /* of the child, and of its child */
};

/* As vfork: on the memory of the parent, which waits. But on stacks of their own, since the address sanitizer
 * keeps one place for the return address of a vfork, and a second one inside of the first overwrites it. It
 * does not have these stacks, and warns at each call that does not return: on stream 2, whatever that is. */
enum { CHILD_FLAGS = CLONE_VM | CLONE_VFORK | SIGCHLD, STACK_BYTES = 1 << 16 };
#define ON_OWN_STACK __attribute__((no_sanitize("address")))

/*
 * In the child of a child, on the memory of the host: system calls only. Descriptors of the host without
 * close-on-exec must not stay open as long as the server lives.
 */
static ON_OWN_STACK int become_server(void *self)
{
    struct start *start = self;
    if (setsid() >= 0 && dup2(start->nothing, 1) >= 0 && dup2(start->nothing, 2) >= 0 &&
        dup2(start->socket, 0) >= 0) {
        syscall(SYS_close_range, 3U, ~0U, 0U);
        child_signals_reset();
        execve(start->arguments[0], start->arguments, start->environment);
    }
    start->error = errno;
    _exit(127);
}

/* The server must be no child of the host: one that waits for any child would wait for it. */
static ON_OWN_STACK int leave_server(void *self)
{
    struct start *start = self;
    if (clone(become_server, start->stacks + 2 * STACK_BYTES, CHILD_FLAGS, start) < 0)
        start->error = errno;
    _exit(0);
}

static int spawn(struct start *start)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = clone(leave_server, start->stacks + STACK_BYTES, CHILD_FLAGS, start);
    const int error = pid < 0 ? errno : start->error;
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* The host's end of the connection, or -1. Numbers below 3 are the streams that the child places. */
static int connect_new(const char *path)
{
    int ends[2], connection = -1;
    char host[24];
    char *arguments[] = {(char *)(uintptr_t)path, host, NULL};
    struct start start = {
        .arguments = arguments, .environment = child_environment(), .stacks = malloc(2 * STACK_BYTES)};
    snprintf(host, sizeof host, "%ld", (long)getpid());
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        free(start.environment);
        free(start.stacks);
        return -1;
    }
    start.socket = fcntl(ends[1], F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    start.nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (start.nothing >= 0 && start.nothing < MEMORY_FILE_LOWEST) {
        const int low = start.nothing;
        start.nothing = fcntl(low, F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
        close(low);
    }
    /* a server that takes nothing is given up */
    const struct timeval patience = {.tv_sec = BEGIN_MILLISECONDS / MILLISECONDS};
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (start.environment && start.stacks && start.socket >= 0 && start.nothing >= 0 && spawn(&start) == 0)
        connection = fcntl(ends[0], F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    if (start.nothing >= 0)
        close(start.nothing);
    if (start.socket >= 0)
        close(start.socket);
    close(ends[0]);
    close(ends[1]);
    free(start.environment);
    free(start.stacks);
    return connection;
}

/* The connection is the parent's. Another thread of the parent may have been at work on the rest. */
static void after_fork(void)
{
    if (server.socket >= 0)
        close(server.socket);
    server.socket = -1;
    server.path = NULL;
    server.starts = 0;
    pthread_mutex_init(&server_lock, NULL);
}

static struct identity identity_now(void)
{
    struct stat root = {0};
    stat("/", &root);
    return (struct identity){geteuid(), getegid(), root.st_dev, root.st_ino};
}

static bool same_identity(const struct identity *left, const struct identity *right)
{
    return left->user == right->user && left->group == right->group &&
           left->root_device == right->root_device && left->root_inode == right->root_inode;
}

static void disconnect(void)
{
    if (server.socket >= 0)
        close(server.socket);
    server.socket = -1;
}

static void connect_if_needed(const char *path)
{
    const struct identity now = identity_now();
    if (!server.forks_are_watched)
        server.forks_are_watched = pthread_atfork(NULL, NULL, after_fork) == 0;
    if (server.socket >= 0 && (strcmp(server.path, path) != 0 || !same_identity(&server.identity, &now)))
        disconnect();
    if (server.socket >= 0 || server.broken || server.starts >= STARTS_MOST || !server.forks_are_watched)
        return;
    free(server.path);
    server.path = strdup(path);
    server.identity = now;
    server.starts++;
    server.generation++;
    if (server.path)
        server.socket = connect_new(path);
}

/* A descriptor of the caller's own, so that another thread may close the connection meanwhile; -1: none. */
static int connection_take(const char *path, unsigned *out_generation)
{
    pthread_mutex_lock(&server_lock);
    connect_if_needed(path);
    const int own = server.socket < 0 ? -1 : fcntl(server.socket, F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    *out_generation = server.generation;
    pthread_mutex_unlock(&server_lock);
    return own;
}

/* Only the server that failed is given up, not one that another thread has started since. */
static void server_failed(unsigned generation, bool nonsense)
{
    pthread_mutex_lock(&server_lock);
    if (server.generation == generation) {
        disconnect();
        server.broken |= nonsense;
    }
    pthread_mutex_unlock(&server_lock);
}

static void server_served(unsigned generation)
{
    pthread_mutex_lock(&server_lock);
    if (server.generation == generation)
        server.starts = 0;
    pthread_mutex_unlock(&server_lock);
}

/* ---- one build ---------------------------------------------------------------------------- */

/* The host's side of a build. */
struct build {
    const struct compile_server_job *job;
    int files[COMPILE_FILES_MOST];
    int replies; /* to read from */
    pid_t process;
};

static int *tool_files(struct build *build, size_t tool)
{
    return build->files + COMPILE_FILES_SHARED + tool * COMPILE_FILES_OF_TOOL;
}

static size_t file_count(const struct build *build)
{
    return COMPILE_FILES_SHARED + build->job->count * COMPILE_FILES_OF_TOOL;
}

static bool write_arguments(const struct build *build)
{
    struct text text = {0};
    for (size_t i = 0; i < build->job->count; i++)
        for (char *const *word = build->job->processes[i].arguments; *word; word++)
            text_add_bytes(&text, *word, strlen(*word) + 1);
    const bool written =
        !text.failed && memory_file_write(build->files[COMPILE_ARGUMENTS], text.data, text.size);
    text_fini(&text);
    return written;
}

static bool build_open(struct build *build, const struct compile_server_job *job)
{
    const struct process *first = &job->processes[0];
    int pipe_ends[2];
    *build = (struct build){.job = job, .replies = -1};
    for (size_t i = 0; i < COMPILE_FILES_MOST; i++)
        build->files[i] = -1;
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return false;
    build->replies = pipe_ends[0];
    build->files[COMPILE_REPLIES] = pipe_ends[1];
    build->files[COMPILE_DIRECTORY] =
        open(first->directory ? first->directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = COMPILE_ARGUMENTS; i < file_count(build); i++)
        build->files[i] = memory_file_open();
    for (size_t i = 0; i < file_count(build); i++)
        if (build->files[i] < 0)
            return false;
    return memory_file_write(build->files[COMPILE_INPUT], first->input, first->input_size) &&
           write_arguments(build);
}

static void build_close(struct build *build)
{
    if (build->replies >= 0)
        close(build->replies);
    for (size_t i = 0; i < COMPILE_FILES_MOST; i++)
        if (build->files[i] >= 0)
            close(build->files[i]);
}

static bool send_order(int connection, struct build *build)
{
    const struct compile_server_job *job = build->job;
    struct compile_order order = {.magic = COMPILE_PROTOCOL_MAGIC,
                                  .tool_count = (uint32_t)job->count,
                                  .seconds = job->processes[0].limits.seconds,
                                  .bytes = job->processes[0].limits.bytes};
    union {
        char bytes[CMSG_SPACE(sizeof(int) * COMPILE_FILES_MOST)];
        struct cmsghdr aligned;
    } control = {{0}};
    struct iovec part = {&order, sizeof order};
    const size_t size = sizeof(int) * file_count(build);
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    memcpy(order.revision, compile_revision, sizeof order.revision);
    for (size_t i = 0; i < job->count; i++) {
        order.tools[i].tool = job->tools[i];
        while (job->processes[i].arguments[order.tools[i].argument_count])
            order.tools[i].argument_count++;
    }
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), build->files, size);
    ssize_t sent;
    do {
        sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    /* the end of the replies is seen once no process has this end of the pipe open */
    close(build->files[COMPILE_REPLIES]);
    build->files[COMPILE_REPLIES] = -1;
    return sent == (ssize_t)sizeof order;
}

static double seconds_of(clockid_t clock)
{
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

enum received { RECEIVED_REPLY, RECEIVED_NOTHING, RECEIVED_END, RECEIVED_INVALID };

/* Waits for a reply, at most so long. */
static enum received receive(const struct build *build, int milliseconds, struct compile_reply *out_reply)
{
    struct pollfd ready = {.fd = build->replies, .events = POLLIN};
    const int count = poll(&ready, 1, milliseconds);
    if (count == 0 || (count < 0 && errno == EINTR))
        return RECEIVED_NOTHING;
    ssize_t size;
    do {
        size = read(build->replies, out_reply, sizeof *out_reply);
    } while (size < 0 && errno == EINTR);
    if (size == 0)
        return RECEIVED_END;
    return size == (ssize_t)sizeof *out_reply && out_reply->magic == COMPILE_PROTOCOL_MAGIC
               ? RECEIVED_REPLY
               : RECEIVED_INVALID;
}

static enum received receive_begin(struct build *build)
{
    struct compile_reply reply;
    enum received received;
    const double until = seconds_of(CLOCK_MONOTONIC) + (double)BEGIN_MILLISECONDS / MILLISECONDS;
    do {
        received = receive(build, BEGIN_MILLISECONDS, &reply);
    } while (received == RECEIVED_NOTHING && seconds_of(CLOCK_MONOTONIC) < until);
    if (received != RECEIVED_REPLY)
        return received;
    build->process = reply.process;
    return reply.kind == COMPILE_BEGUN && reply.process > 1 ? RECEIVED_REPLY : RECEIVED_INVALID;
}

/* As process_run() judges: used less than a hundredth of the time. */
static bool is_blocked(pid_t process, double used_before, double elapsed)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 && seconds_of(clock) - used_before < elapsed / 100;
}

/* One tool to its end. A build that only waits is given up: the server sees that the pipe has no reader. */
static enum received receive_end(struct build *build, double used_before, struct process_result *result,
                                 struct compile_reply *out_reply)
{
    const double begun = seconds_of(CLOCK_MONOTONIC);
    for (;;) {
        const enum received received = receive(build, MILLISECONDS, out_reply);
        if (received == RECEIVED_REPLY)
            return out_reply->kind == COMPILE_ENDED ? RECEIVED_REPLY : RECEIVED_INVALID;
        if (received != RECEIVED_NOTHING)
            return received;
        const double elapsed = seconds_of(CLOCK_MONOTONIC) - begun;
        const uint32_t seconds = result->limits.seconds;
        if (seconds && elapsed >= seconds && is_blocked(build->process, used_before, elapsed)) {
            result->limit = PROCESS_BLOCKED;
            *out_reply = (struct compile_reply){.kind = COMPILE_ENDED, .status = SIGKILL};
            return RECEIVED_REPLY;
        }
    }
}

static void take_result(struct build *build, size_t tool, const struct compile_reply *reply,
                        struct process_result *result)
{
    const int *files = tool_files(build, tool);
    const struct child_usage usage = {reply->seconds, reply->bytes};
    memory_file_read(files[0], &result->output);
    memory_file_read(files[1], &result->error);
    memory_file_read(files[2], &result->extra);
    result->exit_code = WIFEXITED(reply->status) ? WEXITSTATUS(reply->status) : -1;
    result->signal = WIFSIGNALED(reply->status) ? WTERMSIG(reply->status) : 0;
    result->limit = child_limit_hit(&result->limits, result, &usage);
}

/* True: every tool that had to run has ended. */
static enum received receive_all(struct build *build, struct process_result *results, size_t *out_ran)
{
    double used = 0;
    enum received received = receive_begin(build);
    for (size_t i = 0; received == RECEIVED_REPLY && i < build->job->count; i++) {
        struct compile_reply reply;
        results[i] = (struct process_result){.limits = build->job->processes[i].limits};
        *out_ran = i + 1;
        if ((received = receive_end(build, used, &results[i], &reply)) != RECEIVED_REPLY)
            return received;
        used += reply.seconds;
        take_result(build, i, &reply, &results[i]);
        if (process_failed(&results[i]))
            break;
    }
    return received;
}

static bool no_memory(const struct process_result *result)
{
    return result->output.failed || result->error.failed || result->extra.failed;
}

bool compile_server_run(const char *path, const struct compile_server_job *job,
                        struct process_result *results, size_t *out_ran)
{
    struct build build;
    unsigned generation = 0;
    const int connection = connection_take(path, &generation);
    bool done = false;
    *out_ran = 0;
    if (connection < 0)
        return false;
    if (build_open(&build, job)) {
        const enum received received =
            send_order(connection, &build) ? receive_all(&build, results, out_ran) : RECEIVED_END;
        done = received == RECEIVED_REPLY;
        if (done)
            server_served(generation);
        else
            server_failed(generation, received != RECEIVED_END);
    }
    for (size_t i = 0; i < *out_ran; i++)
        done = done && !no_memory(&results[i]);
    for (size_t i = 0; i < *out_ran && !done; i++)
        process_result_fini(&results[i]);
    build_close(&build);
    close(connection);
    return done;
}
