/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A debugging session: the run is a process of its own, with the engine (sim/debug) in it; this side
 *          sends requests by JSON lines over a socket. It can go back: copies of the process (fork) stand at
 *          earlier
 * positions and are woken.
 *
 * Interface
 *   session_new, session_free   the target is a scenario that was loaded
 *   session_attach              to a process that listens (orrery/debug_attach.h): by its number, or the path
 *                               of its socket. It continues when the session ends. There is no way back in
 *                               it.
 *   session_await_launch        the beginning of its next launch
 *   session_request             a request of the engine that does not resume
 *   session_run                 resumes; the next stop
 *   session_goto                to a position, forwards or backwards
 *   session_back                to the last place before this one that a plan or a breakpoint meets; "entry":
 *                               or to this one
 *   session_last                the same place, without going there
 *   session_may_read            the engine's "may_read", after a run from the beginning to here that it needs
 *   session_fork                the run follows another schedule from a later step on; stands here still
 *   session_replay              from the beginning to here once more: log points print their values
 *   session_restart             to position 0
 *
 * A stop has "reason", "position" and its place: see sim/debug. A refusal has "error". All are new
 * references.
 */
#ifndef ORRERY_TOOLS_DEBUG_SESSION_H
#define ORRERY_TOOLS_DEBUG_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct diagnosis;
struct scenario;
struct session;

struct session_host {
    void *self;
    void (*print)(void *self, const char *text); /* output of kernels and log points, once */
    bool owns_output;                 /* standard output is the host's: a program's goes to standard error */
    bool (*wait)(void *self, int fd); /* until fd can be read; false: give up. NULL: it is just read */
};

/* command: the target is this program, with the environment of this process. NULL: the scenario. Borrowed. */
struct session *session_new(struct scenario *scenario, char **command, const struct session_host *host);
struct session *session_attach(const char *target, const struct session_host *host,
                               struct diagnosis *diagnosis); /* NULL: diagnosis has the reason */
json_t *session_await_launch(struct session *session);
int session_process(const struct session *session); /* its number */
void session_free(struct session *session);
json_t *session_request(struct session *session, json_t *request); /* takes the request */
/* The path of a file that the program names; malloc'd. NULL: there is no such file. */
char *session_source_path(const struct session *session, const char *name);
json_t *session_run(struct session *session, json_t *plan); /* takes the plan */
json_t *session_goto(struct session *session, uint64_t position);
json_t *session_back(struct session *session, json_t *plan);
json_t *session_last(struct session *session, json_t *plan);
json_t *session_replay(struct session *session);
json_t *session_may_read(struct session *session, json_t *request); /* takes the request */
/* schedule: the engine's reply here; number: of the work-item that runs at its step */
json_t *session_fork(struct session *session, const json_t *schedule, json_int_t number);
json_t *session_restart(struct session *session);
void session_begin_command(struct session *session); /* interrupts before it do not count */
void session_interrupt(struct session *session);     /* also from a signal handler */
/*
 * Breakpoints, as the engine's "points"; they stay with the session. Takes the list; the reply has their
 * places.
 */
json_t *session_points(struct session *session, json_t *points);
uint64_t session_position(struct session *session); /* may run to the end again, to find it */
/* Positions that the run passed so far, also again on a way back: what going back costs. */
uint64_t session_executed(const struct session *session);
bool session_attached(const struct session *session);
bool session_ended(const struct session *session);
size_t session_copies(const struct session *session);
/* The copies, the memory that they take now, and the most that they could take: if there were most_copies,
 * and each page of the run differed in all of them. No copies: all 0 but for the bound. */
struct session_memory {
    size_t copies, most_copies;
    uint64_t bytes, most_bytes;
};
struct session_memory session_memory(const struct session *session);

#endif
