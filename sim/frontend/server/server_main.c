/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orrery-compile-server HOST: holds clang and the translator loaded for the library of process HOST, and
 * forks for each build that arrives on descriptor 0 (compile_protocol.h). It ends when the host does; its
 * builds end with it.
 *
 * orrery-compile-server --shared NAME MILLISECONDS: the same for every process of the user that connects to
 * the socket NAME. It ends after that time without a build.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "builds.h"
#include "clang_tools.h"

/* Builds need descriptors, too. */
enum { CONNECTIONS_MOST = 512, LOCKED_MS = 100 };

struct client_connection {
    int socket;
    pid_t client; /* 0: the server's host, which is watched separately */
};

static struct compile_server {
    struct builds builds;
    struct client_connection *connections;
    size_t connection_count, connection_capacity, connections_most;
    struct pollfd *polled; /* the server's own, then one row per connection, then those of builds */
    /* Readable when the host has ended. -1: a shared server, or Linux before 5.3, where the end of the
     * connection is used instead. */
    int host;
    /* of a shared server */
    const char *name; /* of its socket; NULL: not shared */
    ino_t inode;      /* of its socket */
    int idle_ms;
    int64_t idle_until_ms;
} server = {.host = -1};

enum { POLLED_CHILDREN, POLLED_HOST, POLLED_LISTENING, POLLED_OWN };

static int64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void note_work(void)
{
    server.idle_until_ms = now_ms() + server.idle_ms;
}

/* ---- connections --------------------------------------------------------------------------- */

static size_t rows_needed(size_t connections)
{
    return POLLED_OWN + connections + BUILDS_ROWS * server.builds.capacity;
}

static bool reserve_rows(void)
{
    struct pollfd *polled = realloc(server.polled, rows_needed(server.connection_capacity) * sizeof *polled);
    if (polled)
        server.polled = polled;
    return polled != NULL;
}

static bool reserve_connection(void)
{
    if (server.connection_count < server.connection_capacity)
        return true;
    const size_t capacity = 2 * server.connection_count + 1;
    struct client_connection *connections = realloc(server.connections, capacity * sizeof *connections);
    if (!connections)
        return false;
    server.connections = connections;
    server.connection_capacity = capacity;
    return true;
}

/* False: out of memory. */
static bool add_connection(int socket, pid_t client)
{
    if (!reserve_connection() || !reserve_rows())
        return false;
    CHECKED(server.connection_count < server.connection_capacity);
    server.connections[server.connection_count++] = (struct client_connection){socket, client};
    return true;
}

static void remove_connection(size_t index)
{
    close(server.connections[index].socket);
    server.connections[index] = server.connections[--server.connection_count];
}

/* Accepts with a reserved descriptor if no other is left, so that the connection can be refused. Otherwise
 * it would stay readable for ever. */
static int accept_next(void)
{
    int accepted = accept4(CONTROL, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0 && (errno == EMFILE || errno == ENFILE)) {
        close(SPARE);
        accepted = accept4(CONTROL, NULL, NULL, SOCK_CLOEXEC);
        if (accepted >= 0)
            close(accepted);
        fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, SPARE);
        return -1;
    }
    if (accepted < 0)
        return -1;
    const int high = fcntl(accepted, F_DUPFD_CLOEXEC, OWN_END);
    close(accepted);
    return high;
}

static bool is_of_same_user(const struct ucred *peer)
{
    return peer->pid > 0 && peer->uid == geteuid() && peer->gid == getegid();
}

/* A refused connection is closed; its process builds in another way. */
static void accept_connection(void)
{
    struct ucred peer = {.pid = 0};
    socklen_t size = sizeof peer;
    const int accepted = accept_next();
    if (accepted < 0)
        return;
    if (getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || !is_of_same_user(&peer) ||
        server.connection_count >= server.connections_most || !add_connection(accepted, peer.pid))
        close(accepted);
    else
        note_work();
}

/* ---- orders -------------------------------------------------------------------------------- */

static bool start_build(const struct server_request *request, pid_t client)
{
    return builds_reserve(&server.builds) && reserve_rows() && builds_start(&server.builds, request, client);
}

/* False: the connection has ended. */
static bool serve(const struct client_connection *connection)
{
    struct server_request request;
    const bool here = request_receive(connection->socket, &request);
    if (here && request.file_count) {
        note_work();
        const bool started = request_read(&request) && start_build(&request, connection->client);
        const int replies = started ? -1 : request_replies(&request);
        if (replies >= 0)
            builds_reply(replies, (struct compile_reply){.kind = COMPILE_REFUSED});
    }
    request_close(&request);
    return here;
}

/* From the last to the first, because the last one replaces one that has ended. */
static void serve_all(void)
{
    for (size_t i = server.connection_count; i-- > 0;)
        if (server.polled[POLLED_OWN + i].revents && !serve(&server.connections[i]))
            remove_connection(i);
}

static void reap(void)
{
    struct signalfd_siginfo information;
    while (read(CHILDREN, &information, sizeof information) > 0)
        ;
    builds_reap(&server.builds);
    note_work();
}

/* ---- the end ------------------------------------------------------------------------------- */

static struct pollfd *rows_of_builds(void)
{
    return server.polled + POLLED_OWN + server.connection_count;
}

/* False: nothing arrived in that time. */
static bool wait_for_work(int milliseconds)
{
    const int own[POLLED_OWN] = {CHILDREN, server.host, server.name ? CONTROL : -1};
    const size_t rows = POLLED_OWN + server.connection_count + BUILDS_ROWS * server.builds.count;
    for (size_t i = 0; i < POLLED_OWN; i++)
        server.polled[i] = (struct pollfd){.fd = own[i], .events = POLLIN};
    for (size_t i = 0; i < server.connection_count; i++)
        server.polled[POLLED_OWN + i] = (struct pollfd){.fd = server.connections[i].socket, .events = POLLIN};
    builds_poll(&server.builds, rows_of_builds());
    const int count = poll(server.polled, rows, milliseconds);
    for (size_t i = 0; i < rows && count < 0; i++)
        server.polled[i].revents = 0;
    return count != 0;
}

static bool can_idle(void)
{
    return server.name && server.builds.count == 0;
}

static int patience_ms(void)
{
    const int64_t left = server.idle_until_ms - now_ms();
    return !can_idle() ? -1 : left < 0 ? 0 : (int)left;
}

/* The user may have removed the socket, and another server may listen at a new one. */
static void remove_own_socket(void)
{
    struct stat about;
    if (fstatat(DIRECTORY, server.name, &about, AT_SYMLINK_NOFOLLOW) == 0 && about.st_ino == server.inode)
        unlinkat(DIRECTORY, server.name, 0);
}

/* Called under the lock: no client starts a server, and none connects unnoticed. Connections that are
 * accepted but unused end with the server; their clients start another one. */
static bool can_end(void)
{
    const int lock =
        openat(DIRECTORY, COMPILE_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (lock < 0)
        return true; /* the directory was removed */
    bool ends = false;
    if (flock(lock, LOCK_EX | LOCK_NB) != 0)
        server.idle_until_ms = now_ms() + LOCKED_MS;
    else if (!wait_for_work(0)) {
        remove_own_socket();
        ends = true;
    }
    close(lock);
    return ends;
}

/* False: the server must end. */
static bool work(void)
{
    const bool came = wait_for_work(patience_ms());
    if (!came)
        return !can_idle() || now_ms() < server.idle_until_ms || !can_end();
    builds_given_up(&server.builds, rows_of_builds());
    if (server.polled[POLLED_HOST].revents & POLLIN)
        return false;
    if (server.polled[POLLED_CHILDREN].revents) {
        reap();
        return true;
    }
    serve_all();
    if (server.polled[POLLED_LISTENING].revents)
        accept_connection();
    return server.name || server.connection_count;
}

/* ---- start --------------------------------------------------------------------------------- */

/* Closes descriptors that the host had open and could not close itself. */
static void close_inherited(void)
{
    DIR *files = opendir("/proc/self/fd");
    for (struct dirent *file; files && (file = readdir(files));) {
        const int number = atoi(file->d_name);
        if (number > 2 && number != dirfd(files) && (number < CONTROL || number >= OWN_END))
            close(number);
    }
    if (files)
        closedir(files);
}

/* As in clang's main function, whose recursion relies on this size. */
static void stack_limit(void)
{
    struct rlimit limit;
    const rlim_t wanted = 8 << 20;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
}

static bool start_own(const char *host)
{
    const int process = (int)syscall(SYS_pidfd_open, (pid_t)atoi(host), 0);
    if (process >= 0)
        server.host = dup3(process, HOST, O_CLOEXEC);
    else if (errno != ENOSYS)
        return false;
    if (process >= 0)
        close(process);
    return add_connection(CONTROL, 0);
}

static bool start_shared(const char *name, const char *idle)
{
    struct stat about;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || fstatat(DIRECTORY, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    server.name = name;
    server.inode = about.st_ino;
    server.idle_ms = atoi(idle);
    server.connections_most = files.rlim_cur / 2 < CONNECTIONS_MOST ? files.rlim_cur / 2 : CONNECTIONS_MOST;
    note_work();
    return fcntl(CONTROL, F_SETFL, O_NONBLOCK) == 0 && reserve_rows();
}

/* All descriptors of the server are at CONTROL and above, and descriptor 3, a stream of builds, is free. */
static bool place_descriptors(bool shared)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup3(0, CONTROL, O_CLOEXEC) < 0 ||
        dup3(shared ? 1 : nothing, DIRECTORY, O_CLOEXEC) < 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (dup2(nothing, i) < 0)
            return false;
    if (dup3(nothing, CHILDREN, O_CLOEXEC) < 0 || dup3(nothing, HOST, O_CLOEXEC) < 0 ||
        dup3(nothing, SPARE, O_CLOEXEC) < 0)
        return false;
    close_inherited();
    return fcntl(0, F_DUPFD_CLOEXEC, 3) == 3;
}

static bool watch_children(void)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    const int children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (children < 0 || dup3(children, CHILDREN, O_CLOEXEC) < 0)
        return false;
    close(children);
    return true;
}

int main(int argc, char **argv)
{
    const bool shared = argc == 4 && !strcmp(argv[1], COMPILE_SHARED_OPTION);
    if (argc != 2 && !shared)
        return 2;
    if (!place_descriptors(shared) || !watch_children() || chdir("/") != 0)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    stack_limit();
    if (!(shared ? start_shared(argv[2], argv[3]) : start_own(argv[1])))
        return 2;
    while (work())
        ;
    builds_kill(&server.builds);
    return 0;
}
