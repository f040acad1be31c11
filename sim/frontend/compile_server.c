/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the compile server and sends builds to it. There is one state per process: one server of the
 * host's own, and one connection to a shared server. The lock guards connecting and starting, not the
 * builds. */
#include "compile_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_setup.h"
#include "memory_file.h"
#include "server_start.h"

/* A server that ends is started again, but only a few times in a row: otherwise something here kills it. */
enum { STARTS_MOST = 4, BEGIN_MILLISECONDS = 60000, MILLISECONDS = 1000 };

/* The identity of the host when it connected. After a change of user or root directory another server is
 * needed. */
struct identity {
    uid_t user;
    gid_t group;
    dev_t root_device;
    ino_t root_inode;
};

struct server_connection {
    int socket; /* -1: none */
    unsigned generation, starts;
    struct identity identity;
    char *path;
    bool broken; /* The server sent an invalid reply, or the host's identity changed. */
};

static struct {
    struct server_connection own, shared;
    bool forks_are_watched;
} servers = {.own = {.socket = -1}, .shared = {.socket = -1}};
static pthread_mutex_t server_lock = PTHREAD_MUTEX_INITIALIZER; /* guards servers */

/* ---- connections --------------------------------------------------------------------------- */

static bool start_own(const char *path, int socket)
{
    char host[24], **environment = child_environment();
    char *arguments[] = {(char *)(uintptr_t)path, host, NULL};
    snprintf(host, sizeof host, "%ld", (long)getpid());
    const bool started =
        environment &&
        server_start(&(struct server_start){
            .arguments = arguments, .environment = environment, .input = socket, .output = -1});
    free(environment);
    return started;
}

/* Starts a server of the host's own. Returns the host's end of the connection, or -1. */
static int connect_own(const char *path)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    const int connection = server_descriptor_high(ends[0]), socket = server_descriptor_high(ends[1]);
    /* A server that reads nothing for so long counts as failed. */
    const struct timeval send_timeout = {.tv_sec = BEGIN_MILLISECONDS / MILLISECONDS};
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
    const bool started = connection >= 0 && socket >= 0 && start_own(path, socket);
    if (socket >= 0)
        close(socket);
    if (started)
        return connection;
    if (connection >= 0)
        close(connection);
    return -1;
}

static void disconnect(struct server_connection *connection)
{
    if (connection->socket >= 0)
        close(connection->socket);
    connection->socket = -1;
}

/* In the child of a fork: the connection belongs to the parent. Another thread of the parent may have been
 * changing the rest. */
static void after_fork(void)
{
    struct server_connection *const all[] = {&servers.own, &servers.shared};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        disconnect(all[i]);
        all[i]->path = NULL;
        all[i]->starts = 0;
    }
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

/* After a change of its identity the host uses no shared server any more. */
static void connect_if_needed(struct server_connection *connection, const char *path,
                              const struct shared_server *shared)
{
    const struct identity now = identity_now();
    const bool changed = connection->path && !same_identity(&connection->identity, &now);
    if (!servers.forks_are_watched)
        servers.forks_are_watched = pthread_atfork(NULL, NULL, after_fork) == 0;
    if (connection->socket >= 0 && (strcmp(connection->path, path) != 0 || changed))
        disconnect(connection);
    connection->broken |= shared && changed;
    if (connection->socket >= 0 || connection->broken || connection->starts >= STARTS_MOST ||
        !servers.forks_are_watched)
        return;
    free(connection->path);
    connection->path = strdup(path);
    connection->identity = now;
    connection->starts++;
    connection->generation++;
    if (connection->path)
        connection->socket = shared ? shared_server_connect(shared) : connect_own(path);
}

/* Returns a copy of the descriptor, since another thread may close the connection; -1: none. */
static int connection_dup(struct server_connection *connection, const char *path,
                          const struct shared_server *shared, unsigned *out_generation)
{
    pthread_mutex_lock(&server_lock);
    connect_if_needed(connection, path, shared);
    const int own =
        connection->socket < 0 ? -1 : fcntl(connection->socket, F_DUPFD_CLOEXEC, MEMORY_FILE_LOWEST);
    *out_generation = connection->generation;
    pthread_mutex_unlock(&server_lock);
    return own;
}

/* Marks a server as failed, unless another thread has started a newer one since. */
static void server_failed(struct server_connection *connection, unsigned generation, bool invalid)
{
    pthread_mutex_lock(&server_lock);
    if (connection->generation == generation) {
        disconnect(connection);
        connection->broken |= invalid;
    }
    pthread_mutex_unlock(&server_lock);
}

static void server_served(struct server_connection *connection, unsigned generation)
{
    pthread_mutex_lock(&server_lock);
    if (connection->generation == generation)
        connection->starts = 0;
    pthread_mutex_unlock(&server_lock);
}

/* ---- one build ---------------------------------------------------------------------------- */

/* The host's side of a build. */
struct server_build {
    const struct compile_server_job *job;
    int files[COMPILE_FILES_MOST];
    int replies; /* read end of the pipe for replies */
    pid_t process;
};

static int *tool_files(struct server_build *build, size_t tool)
{
    return build->files + COMPILE_FILES_SHARED + tool * COMPILE_FILES_OF_TOOL;
}

static size_t file_count(const struct server_build *build)
{
    return COMPILE_FILES_SHARED + build->job->count * COMPILE_FILES_OF_TOOL;
}

static bool write_arguments(const struct server_build *build)
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

static bool build_open(struct server_build *build, const struct compile_server_job *job)
{
    const struct process *first = &job->processes[0];
    int pipe_ends[2];
    *build = (struct server_build){.job = job, .replies = -1};
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

static void build_close(struct server_build *build)
{
    if (build->replies >= 0)
        close(build->replies);
    for (size_t i = 0; i < COMPILE_FILES_MOST; i++)
        if (build->files[i] >= 0)
            close(build->files[i]);
}

static bool send_order(int connection, struct server_build *build)
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
    /* The reader sees the end of the pipe only when no process has the write end open. */
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

enum received { RECEIVED_REPLY, RECEIVED_NOTHING, RECEIVED_END, RECEIVED_INVALID, RECEIVED_NO_BUILD };

/* Waits for a reply, at most `milliseconds`. */
static enum received receive(const struct server_build *build, int milliseconds,
                             struct compile_reply *out_reply)
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

static enum received receive_begin(struct server_build *build)
{
    struct compile_reply reply;
    enum received received;
    const double until = seconds_of(CLOCK_MONOTONIC) + (double)BEGIN_MILLISECONDS / MILLISECONDS;
    do {
        received = receive(build, BEGIN_MILLISECONDS, &reply);
    } while (received == RECEIVED_NOTHING && seconds_of(CLOCK_MONOTONIC) < until);
    if (received != RECEIVED_REPLY)
        return received == RECEIVED_END ? RECEIVED_NO_BUILD : received;
    build->process = reply.process;
    return reply.kind == COMPILE_BEGUN && reply.process > 1 ? RECEIVED_REPLY : RECEIVED_INVALID;
}

/* The same test as in process_run(): less than a hundredth of the elapsed time was computing. */
static bool is_blocked(pid_t process, double used_before, double elapsed)
{
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 && seconds_of(clock) - used_before < elapsed / 100;
}

/* Waits until one tool has ended. If the build is blocked, closing the pipe makes the server end it. */
static enum received receive_end(struct server_build *build, double used_before,
                                 struct process_result *result, struct compile_reply *out_reply)
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

static void take_result(struct server_build *build, size_t tool, const struct compile_reply *reply,
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

/* REPLY: every tool that had to run has ended. */
static enum received receive_all(struct server_build *build, struct process_result *results, size_t *out_ran)
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

static bool is_out_of_memory(const struct process_result *result)
{
    return result->output.failed || result->error.failed || result->extra.failed;
}

/* NO_BUILD: the server had ended, or ended before the build began. */
static enum received run_on_server(struct server_connection *server, int connection, unsigned generation,
                                   const struct compile_server_job *job, struct process_result *results,
                                   size_t *out_ran)
{
    struct server_build build;
    enum received received = RECEIVED_NOTHING;
    *out_ran = 0;
    if (build_open(&build, job)) {
        received = send_order(connection, &build) ? receive_all(&build, results, out_ran) : RECEIVED_NO_BUILD;
        if (received == RECEIVED_REPLY)
            server_served(server, generation);
        else
            server_failed(server, generation, received != RECEIVED_END && received != RECEIVED_NO_BUILD);
    }
    for (size_t i = 0; i < *out_ran; i++)
        if (received == RECEIVED_REPLY && is_out_of_memory(&results[i]))
            received = RECEIVED_NOTHING;
    for (size_t i = 0; i < *out_ran && received != RECEIVED_REPLY; i++)
        process_result_fini(&results[i]);
    build_close(&build);
    return received;
}

static enum received run_once(const char *path, const struct shared_server *shared,
                              const struct compile_server_job *job, struct process_result *results,
                              size_t *out_ran)
{
    struct server_connection *server = shared ? &servers.shared : &servers.own;
    unsigned generation = 0;
    const int connection = connection_dup(server, path, shared, &generation);
    if (connection < 0)
        return RECEIVED_NOTHING;
    const enum received received = run_on_server(server, connection, generation, job, results, out_ran);
    close(connection);
    return received;
}

bool compile_server_run(const char *path, const struct shared_server *shared,
                        const struct compile_server_job *job, struct process_result *results, size_t *out_ran)
{
    enum received received = run_once(path, shared, job, results, out_ran);
    /* A shared server without a build may have just ended because it was idle. */
    if (shared && received == RECEIVED_NO_BUILD)
        received = run_once(path, shared, job, results, out_ran);
    return received == RECEIVED_REPLY;
}
