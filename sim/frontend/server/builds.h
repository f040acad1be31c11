/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The builds that run. The server forks a process for each, and replies when the process has ended.
 *
 * Interface
 *   builds_reserve()   memory for one more; false: there is none
 *   builds_start()     needs that memory; false: no process could be made
 *   builds_poll()      what to wait for: BUILDS_ROWS rows of each build
 *   builds_given_up()  by the polled rows, kills each build whose client closed the pipe, or has ended
 *   builds_reap()      replies for each process that has ended; the rows polled are invalid afterwards
 *   builds_kill()      all of them
 *   builds_reply()            to a pipe, at which nothing waits
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_BUILDS_H
#define ORRERY_SIM_FRONTEND_SERVER_BUILDS_H

#include <poll.h>
#include <sys/types.h>

#include "server_request.h"

/* Descriptors of the server itself: above all that a build places, and above those of a message, which take
 * the lowest free numbers. */
enum { CONTROL = 16, CHILDREN, HOST, DIRECTORY, SPARE, OWN_END };
_Static_assert(3 + (int)COMPILE_FILES_MOST < (int)CONTROL, "a build closes the server's descriptors");

enum { BUILDS_ROWS = 2 };

struct builds {
    struct running_build *items;
    size_t count, capacity;
};

bool builds_reserve(struct builds *builds);
bool builds_start(struct builds *builds, const struct server_request *request, pid_t client);
void builds_poll(const struct builds *builds, struct pollfd *rows);
void builds_given_up(const struct builds *builds, const struct pollfd *rows);
void builds_reap(struct builds *builds);
void builds_kill(const struct builds *builds);
void builds_reply(int pipe_end, struct compile_reply builds_reply);

#endif
