/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the files of a session share: its state, messages to and from the process that runs, and that
 *          process with its copies.
 *
 * Interface
 *   session_send, session_await   a message; the value of a key of the next one that has it, else an error
 *   session_read, session_take_note                       the next message, and what it notes
 *   session_ask                   a request and its reply
 *   session_start, session_start_program, session_close   the process that runs
 *   session_nearest_copy, session_wake                    go back to a copy; a program is started again
 *   session_take_stop             what a stop says of the position and the end
 */
#ifndef ORRERY_TOOLS_DEBUG_SESSION_STATE_H
#define ORRERY_TOOLS_DEBUG_SESSION_STATE_H

#include <signal.h>

#include "session.h"

#include "inferior.h"

struct session {
    struct scenario *scenario;
    char **command; /* the target is this program; NULL: the scenario, or: */
    bool attached;  /* a process that ran before, and continues after the session */
    struct session_host host;
    struct inferior channels;
    int socket, life; /* this side's ends */
    char buffer[1 << 14];
    size_t at, filled; /* received, not read yet */
    pid_t running;
    struct copy_slot slots[COPIES];
    uint64_t interval;
    uint64_t position, furthest; /* furthest: output before the event of that position was shown */
    uint64_t executed;           /* positions that were passed, each time they were */
    bool ended, started;
    bool has_status; /* the process has ended, with this status of waitpid */
    int status;
    bool runs;                    /* an interrupt would stop it */
    volatile sig_atomic_t is_due; /* an interrupt, as soon as it runs */
    bool tracks;                  /* copies may keep the writes of some bytes, which a run does not need */
    bool plain;                   /* it ended so: the position is unknown */
    json_t *points;
    json_t *forks; /* {"launch", "step", "tile", "wave"}: waves chosen; NULL: none */
};

bool session_is_alive(struct session *session);
bool session_send(struct session *session, json_t *message);     /* takes the message */
json_t *session_await(struct session *session, const char *key); /* notes before it are processed */
json_t *session_read(struct session *session); /* the next message; NULL: the process has ended */
void session_take_note(struct session *session, const json_t *message); /* of a copy, or what is printed */
json_t *session_target_ended(struct session *session);                  /* the error */
json_t *session_ask(struct session *session, json_t *request);
json_t *session_source_of_file(struct session *session, const char *file); /* NULL: it has none */

bool session_start(struct session *session);
bool session_start_program(struct session *session);
void session_close(struct session *session);
int session_nearest_copy(const struct session *session, uint64_t position); /* at or before it; -1: none */
void session_stop_tracking(struct session *session);
bool session_wake(struct session *session, int slot);
json_t *session_take_stop(struct session *session, json_t *stop);

#endif
