/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The compile server that processes of one user share: where it listens, and its start by the first
 *          process that needs it. It ends when idle (server/server_main.c). Only a server with the same
 *          surroundings is used: its socket is named by a hash of everything that a build may depend on
 *          (shared_name.c).
 *
 * Interface
 *   shared_server_connect     a connection, closed at exec; -1: no server can be shared here
 *   shared_server_directory   where its socket is or would be, malloc'd; NULL: the diagnosis gives the
 *                             reason
 *   shared_environment        the part of the host's environment that the server gets; free() it; NULL:
 *                             unknown
 *   shared_name               name of the socket of a server with that environment; false: unknown
 *   shared_prevented          why this process may not share a server; NULL: it may
 */
#ifndef ORRERY_SIM_FRONTEND_SHARED_SERVER_H
#define ORRERY_SIM_FRONTEND_SHARED_SERVER_H

#include <stdbool.h>

#include "orrery/status.h"

enum { SHARED_NAME_SIZE = 33, SHARED_IDLE_MS = 10000 };

struct shared_server {
    const char *program;           /* absolute path of the server */
    const char *identity;          /* identity of the tools that it replaces */
    const char *runtime_directory; /* of the user's session; NULL: none */
    const char *cache_directory;   /* NULL: none */
    unsigned idle_ms;              /* the server ends after this time without a build */
};

int shared_server_connect(const struct shared_server *shared);
char *shared_server_directory(const struct shared_server *shared, struct diagnosis *diagnosis);
char **shared_environment(void);
bool shared_name(const struct shared_server *shared, char *const *environment,
                 char out_name[SHARED_NAME_SIZE]);
const char *shared_prevented(void);

#endif
