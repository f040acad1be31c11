/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The running builds. The server forks a process for each, and replies when the process has ended.
 *
 * Interface
 *   builds_reserve    memory for one more; false: out of memory
 *   builds_start      needs that memory; false: no process could be made
 *   builds_poll       what to wait for: BUILDS_ROWS rows for each build
 *   builds_given_up   by the polled rows, kills each build whose client closed the pipe or has ended
 *   builds_reap       replies for each process that has ended; invalidates the polled rows
 *   builds_kill       kills all builds
 *   builds_reply      writes to a pipe without waiting
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_BUILDS_H
#define ORRERY_SIM_FRONTEND_SERVER_BUILDS_H

#include <poll.h>
#include <sys/types.h>

#include "server_request.h"

/* Descriptors of the server itself. They are above all that a build uses, and above those of a message,
 * which get the lowest free numbers. */
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
