/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How a debugger finds a program that runs already: the program listens at a Unix socket that is its
 *          user's alone.
 *
 * Interface
 *   debug_attach_path      the default path of a process: in a directory of the user's
 *   debug_attach_listen    makes the socket, mode 0600; -1: see diagnosis
 *   debug_attach_accept    a session of the same user that is waiting there; -1: none
 *   debug_attach_connect   to a process of the same user, whose number is known then; -1: likewise
 *
 * Safety   The default directory must be the user's own, with no access for others; anything else at the path
 *          is refused, and never changed. Both ends query the kernel for the other one's user (SO_PEERCRED),
 *          and hang up when it is another one.
 */
#ifndef ORRERY_DEBUG_ATTACH_H
#define ORRERY_DEBUG_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "orrery/status.h"

/* In the environment of a program: "1", or the path of the socket. */
#define DEBUG_LISTEN_VARIABLE "ORRERY_DEBUG_LISTEN"

enum { DEBUG_ATTACH_PATH = 108 }; /* as many as a socket's address has */

/* runtime_directory: of the environment (XDG_RUNTIME_DIR); NULL: /tmp/orrery-UID. make: it may be made. */
bool debug_attach_path(const char *runtime_directory, pid_t process, bool make,
                       char out_path[DEBUG_ATTACH_PATH], struct diagnosis *diagnosis);
int debug_attach_listen(const char *path, struct diagnosis *diagnosis);
int debug_attach_accept(int listener);
int debug_attach_connect(const char *path, pid_t *out_process, struct diagnosis *diagnosis);

#endif
