/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The compile server that processes of one user share: where it listens, and its start by the
 *          first that needs it.  It ends by itself (server/server_main.c).  Only a server with the same
 *          surroundings is used: its socket is named by a hash of all that a build may depend on
 *          (shared_name.c).
 *
 * Interface
 *   shared_server_connect()     a connection, closed at exec; -1: no server can be shared here
 *   shared_server_directory()   where its socket is or would be, malloc'd; NULL: the diagnosis says why not
 *   shared_environment()        what the server gets of the host's environment; free() it; NULL: unknown
 *   shared_name()               of the socket, for a server with that environment; false: unknown
 *   shared_prevented()          why this process may not share a server; NULL: it may
 */
#ifndef ORRERY_SIM_FRONTEND_SHARED_SERVER_H
#define ORRERY_SIM_FRONTEND_SHARED_SERVER_H

#include <stdbool.h>

#include "orrery/status.h"

enum { SHARED_NAME_SIZE = 33, SHARED_IDLE_MS = 10000 };

struct shared_server {
    const char *program;           /* absolute path of the server */
    const char *identity;          /* of the tools that it stands for */
    const char *runtime_directory; /* of the user's session; NULL: there is none */
    const char *cache_directory;   /* NULL: there is none */
    unsigned idle_ms;              /* the server ends when nothing was built for so long */
};

int shared_server_connect(const struct shared_server *shared);
char *shared_server_directory(const struct shared_server *shared, struct diagnosis *diagnosis);
char **shared_environment(void);
bool shared_name(const struct shared_server *shared, char *const *environment,
                 char out_name[SHARED_NAME_SIZE]);
const char *shared_prevented(void);

#endif
