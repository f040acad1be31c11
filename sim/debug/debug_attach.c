/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket at which a running program waits for a debugger. Its place is a directory that is made with mode
 * 0700, and is used only when it is a directory, the user's, and closed to all others: a link is refused.
 * Besides, each end queries the kernel for the user of the other end.
 */
#include "orrery/debug_attach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING_MOST = 1 };

static bool is_private(const char *directory, struct diagnosis *diagnosis)
{
    struct stat found;
    if (lstat(directory, &found) < 0) {
        diagnose(diagnosis, STATUS_IO, "%s: %s", directory, strerror(errno));
        return false;
    }
    if (S_ISDIR(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 077))
        return true;
    diagnose(diagnosis, STATUS_IO,
             "%s: found what others have access to, expected a directory of this user's alone (mode 0700)",
             directory);
    return false;
}

bool debug_attach_path(const char *runtime_directory, pid_t process, bool make,
                       char out_path[DEBUG_ATTACH_PATH], struct diagnosis *diagnosis)
{
    char directory[DEBUG_ATTACH_PATH];
    const bool given = runtime_directory && runtime_directory[0] == '/';
    const int length =
        given ? snprintf(directory, sizeof directory, "%s/orrery", runtime_directory)
              : snprintf(directory, sizeof directory, "/tmp/orrery-%lu", (unsigned long)geteuid());
    if (length >= (int)sizeof directory || snprintf(out_path, DEBUG_ATTACH_PATH, "%s/debug-%ld", directory,
                                                    (long)process) >= DEBUG_ATTACH_PATH) {
        diagnose(diagnosis, STATUS_IO, "%s: found a path that is too long for a socket", runtime_directory);
        return false;
    }
    if (make && mkdir(directory, 0700) < 0 && errno != EEXIST) {
        diagnose(diagnosis, STATUS_IO, "%s: %s", directory, strerror(errno));
        return false;
    }
    return is_private(directory, diagnosis);
}

static bool address_of(const char *path, struct sockaddr_un *out, struct diagnosis *diagnosis)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) < sizeof out->sun_path) {
        strcpy(out->sun_path, path);
        return true;
    }
    diagnose(diagnosis, STATUS_IO, "%s: found a path that is too long for a socket", path);
    return false;
}

static int give_up(int socket, const char *path, struct diagnosis *diagnosis)
{
    diagnose(diagnosis, STATUS_IO, "%s: %s", path, strerror(errno));
    if (socket >= 0)
        close(socket);
    return -1;
}

/* The mode is set before listen(), so no other user can connect. A socket that is there already was left by a
 * process of the same number that has ended. */
int debug_attach_listen(const char *path, struct diagnosis *diagnosis)
{
    struct sockaddr_un address;
    struct stat found;
    if (!address_of(path, &address, diagnosis))
        return -1;
    if (lstat(path, &found) == 0 && S_ISSOCK(found.st_mode) && found.st_uid == geteuid())
        unlink(path);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (const struct sockaddr *)&address, sizeof address) < 0)
        return give_up(listener, path, diagnosis);
    if (chmod(path, 0600) < 0 || listen(listener, WAITING_MOST) < 0)
        return give_up(listener, path, diagnosis);
    return listener;
}

/* Returns the process at the other end if this user runs it, else 0. */
static pid_t peer_of(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    const bool known = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return known && peer.uid == geteuid() ? peer.pid : 0;
}

int debug_attach_accept(int listener)
{
    const int session = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (session < 0 || peer_of(session) > 0)
        return session;
    close(session);
    return -1;
}

int debug_attach_connect(const char *path, pid_t *out_process, struct diagnosis *diagnosis)
{
    struct sockaddr_un address;
    if (!address_of(path, &address, diagnosis))
        return -1;
    const int session = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (session < 0 || connect(session, (const struct sockaddr *)&address, sizeof address) < 0)
        return give_up(session, path, diagnosis);
    *out_process = peer_of(session);
    if (*out_process > 0)
        return session;
    diagnose(diagnosis, STATUS_IO, "%s: found a process of another user, expected one of this user", path);
    close(session);
    return -1;
}
