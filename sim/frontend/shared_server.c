/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or starts a shared compile server. Its socket is in a directory that the user owns. A lock on one
 * file of that directory is held while a server is started and while a server ends. */
#include "shared_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "compile_cache.h"
#include "compile_protocol.h"
#include "server_start.h"

/* Starting takes milliseconds under the lock. If another process holds it longer, no server is shared. */
enum { LOCK_MILLISECONDS = 2000, SEND_SECONDS = 60 };

/* ---- directory ------------------------------------------------------------------------------ */

/* O_NONBLOCK: opening a pipe of that name does not wait. */
static int open_directory(int parent, const char *path, int flags)
{
    return server_descriptor_high(
        openat(parent, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | flags));
}

/* Owned by the user and not writable by others; is_private: not readable either. */
static bool is_own(int directory, bool is_private)
{
    struct stat about;
    const mode_t others = S_IWGRP | S_IWOTH;
    return fstat(directory, &about) == 0 && about.st_uid == geteuid() &&
           (is_private ? (about.st_mode & 0777) == 0700 : !(about.st_mode & others));
}

static int close_unless(bool good, int directory)
{
    if (directory >= 0 && !good)
        close(directory);
    return good ? directory : -1;
}

static int open_parent(const char *path)
{
    const int parent = path && path[0] == '/' ? open_directory(AT_FDCWD, path, O_NOFOLLOW) : -1;
    return close_unless(parent >= 0 && is_own(parent, false), parent);
}

static const char name_in_session[] = "orrery", name_in_cache[] = "server";

/* The path of the directory, and a descriptor of its parent, which the caller closes. A link may lead to
 * the cache directory, since the directory in it is checked itself. */
static int find_parent(const struct shared_server *shared, struct text *out_path)
{
    int parent = open_parent(shared->runtime_directory);
    if (parent >= 0) {
        text_addf(out_path, "%s/%s", shared->runtime_directory, name_in_session);
    } else if (shared->cache_directory) {
        text_addf(out_path, "%s/%s", shared->cache_directory, name_in_cache);
        if (!out_path->failed)
            cache_make_directories(out_path->data);
        parent = open_directory(AT_FDCWD, shared->cache_directory, 0);
    }
    return parent;
}

/* -1: no directory belongs to the user alone. */
static int find_directory(const struct shared_server *shared, struct text *out_path)
{
    const int parent = find_parent(shared, out_path);
    if (parent < 0 || out_path->failed)
        return close_unless(false, parent);
    const char *name = strrchr(out_path->data, '/') + 1;
    mkdirat(parent, name, 0700);
    const int directory = open_directory(parent, name, O_NOFOLLOW);
    close(parent);
    return close_unless(directory >= 0 && is_own(directory, true), directory);
}

char *shared_server_directory(const struct shared_server *shared, struct diagnosis *diagnosis)
{
    struct text path = {0};
    const char *prevented = shared_prevented();
    const int directory = prevented ? -1 : find_directory(shared, &path);
    if (directory >= 0) {
        close(directory);
        return text_take(&path);
    }
    diagnose(diagnosis, STATUS_COMPILER_MISSING, "%s%s",
             prevented   ? prevented
             : path.data ? path.data
                         : "there is no directory for its socket",
             path.data ? " is no directory of the user's alone" : "");
    text_fini(&path);
    return NULL;
}

/* ---- connection ----------------------------------------------------------------------------- */

struct socket_place {
    int directory;
    char name[SHARED_NAME_SIZE];
};

/* By the descriptor of the directory: its path may be too long for a socket, and may change. */
static struct sockaddr_un address_of(const struct socket_place *place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    _Static_assert(sizeof "/proc/self/fd/2147483647/" + SHARED_NAME_SIZE <= sizeof address.sun_path,
                   "the path of a socket is short");
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", place->directory, place->name);
    return address;
}

/* A server that reads nothing for SEND_SECONDS counts as failed. */
static int new_socket(void)
{
    const struct timeval patience = {.tv_sec = SEND_SECONDS};
    const int made = server_descriptor_high(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (made >= 0)
        setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return made;
}

static bool is_of_same_user(int connection)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid() &&
           peer.gid == getegid();
}

/* -1: failed; out_absent: because no server listens. */
static int connect_to(const struct socket_place *place, bool *out_absent)
{
    const struct sockaddr_un address = address_of(place);
    const int made = new_socket();
    *out_absent = false;
    if (made < 0)
        return -1;
    if (connect(made, (const struct sockaddr *)&address, sizeof address) == 0)
        return close_unless(is_of_same_user(made), made);
    *out_absent = errno == ENOENT || errno == ECONNREFUSED;
    return close_unless(false, made);
}

/* -1: failed; out_busy: because another process holds the lock. */
static int try_lock(const struct socket_place *place, bool *out_busy)
{
    struct stat about;
    const int lock = server_descriptor_high(openat(
        place->directory, COMPILE_LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    const bool fine = lock >= 0 && fstat(lock, &about) == 0 && S_ISREG(about.st_mode);
    const bool locked = fine && flock(lock, LOCK_EX | LOCK_NB) == 0;
    *out_busy = fine && !locked && errno == EWOULDBLOCK;
    return close_unless(locked, lock);
}

/* Closing alone would not unlock if another thread has forked: its child has the file open. */
static void unlock(int lock)
{
    flock(lock, LOCK_UN);
    close(lock);
}

static int listen_at(const struct socket_place *place)
{
    const struct sockaddr_un address = address_of(place);
    const int made = new_socket();
    const bool listens = made >= 0 && bind(made, (const struct sockaddr *)&address, sizeof address) == 0 &&
                         fchmodat(place->directory, place->name, 0600, 0) == 0 &&
                         listen(made, SOMAXCONN) == 0;
    return close_unless(listens, made);
}

/* ---- start ---------------------------------------------------------------------------------- */

static bool start_on(int listening, const struct shared_server *shared, const struct socket_place *place,
                     char *const *environment)
{
    char option[] = COMPILE_SHARED_OPTION, name[SHARED_NAME_SIZE], idle[16];
    char *arguments[] = {(char *)(uintptr_t)shared->program, option, name, idle, NULL};
    snprintf(name, sizeof name, "%s", place->name);
    snprintf(idle, sizeof idle, "%u", shared->idle_ms);
    return server_start(&(struct server_start){
        .arguments = arguments, .environment = environment, .input = listening, .output = place->directory});
}

/* Called under the lock. If no server listens at the socket, its server was killed. */
static int start(const struct shared_server *shared, const struct socket_place *place,
                 char *const *environment)
{
    bool absent;
    int connection = connect_to(place, &absent);
    if (connection >= 0 || !absent)
        return connection;
    unlinkat(place->directory, place->name, 0);
    const int listening = listen_at(place);
    if (listening < 0)
        return -1;
    connection = connect_to(place, &absent);
    const bool started = connection >= 0 && start_on(listening, shared, place, environment);
    if (!started)
        unlinkat(place->directory, place->name, 0);
    close(listening);
    return close_unless(started, connection);
}

static int connect_or_start(const struct shared_server *shared, const struct socket_place *place,
                            char *const *environment)
{
    for (int i = 0; i < LOCK_MILLISECONDS; i++) {
        bool absent, busy;
        int connection = connect_to(place, &absent);
        if (connection >= 0 || !absent)
            return connection;
        const int lock = try_lock(place, &busy);
        if (lock >= 0) {
            connection = start(shared, place, environment);
            unlock(lock);
            return connection;
        }
        if (!busy)
            return -1;
        poll(NULL, 0, 1);
    }
    return -1;
}

int shared_server_connect(const struct shared_server *shared)
{
    struct text path = {0};
    struct socket_place place = {.directory = shared_prevented() ? -1 : find_directory(shared, &path)};
    char **environment = place.directory < 0 ? NULL : shared_environment();
    int connection = -1;
    if (environment && shared_name(shared, environment, place.name))
        connection = connect_or_start(shared, &place, environment);
    if (place.directory >= 0)
        close(place.directory);
    free(environment);
    text_fini(&path);
    return connection;
}
