/* SPDX-License-Identifier: Apache-2.0 */
/* The process that runs the target, its sleeping copies, and the memory that they take. */
#include "session_state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "orrery/debug_wire.h"
#include "tools/tools.h"

json_t *session_take_stop(struct session *session, json_t *stop)
{
    const json_t *position = json_object_get(stop, "position"), *reason = json_object_get(stop, "reason");
    const uint64_t before = session->position;
    if (position)
        session->position = (uint64_t)json_integer_value(position);
    if (session->position > before)
        session->executed += session->position - before;
    if (session->position > session->furthest)
        session->furthest = session->position;
    session->ended = reason && !strcmp(json_string_value(reason), "exited");
    session->plain = session->ended && json_is_true(json_object_get(stop, "plain"));
    return stop;
}

/*
 * Ctrl-C is for the session; the program's standard output must not be taken for a front end's messages
 * there.
 */
static _Noreturn void become(const struct session *session, int socket)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    setenv(DEBUG_SOCKET_VARIABLE, number, 1);
    signal(SIGINT, SIG_IGN);
    if (session->host.owns_output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(session->command[0], session->command);
    tools_message("error: %s: %s", session->command[0], strerror(errno));
    _exit(EXIT_NOT_FOUND);
}

/* A program has no copies: each way back starts it again. */
bool session_start_program(struct session *session)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
        return false;
    fflush(NULL);
    session->running = fork();
    if (session->running == 0) {
        close(sockets[0]);
        become(session, sockets[1]);
    }
    close(sockets[1]);
    session->socket = sockets[0];
    session->at = session->filled = 0;
    session->slots[0] = (struct copy_slot){true, 0, 0};
    session->started = session->running > 0;
    session->has_status = false;
    return session->started;
}

bool session_start(struct session *session)
{
    int sockets[2], life[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0 || pipe(life) < 0)
        return false;
    for (int i = 0; i < COPIES; i++)
        if (pipe(session->channels.pipes[i]) < 0)
            return false;
    session->channels.socket = sockets[1];
    session->channels.life = life[0];
    session->socket = sockets[0];
    session->life = life[1];
    fflush(NULL);
    session->running = fork();
    if (session->running == 0) {
        close(sockets[0]);
        close(life[1]);
        inferior_run(&session->channels, session->scenario);
    }
    close(sockets[1]);
    session->started = session->running > 0;
    session->has_status = false;
    return session->started;
}

static void stop_running(struct session *session)
{
    if (session->running <= 0 || !session_is_alive(session) || (session->attached && session->ended))
        return;
    if (session_send(session, json_pack("{s:s}", "verb", "exit")))
        json_decref(session_await(session, "bye"));
}

void session_close(struct session *session)
{
    if (!session->started)
        return;
    stop_running(session);
    close(session->socket);
    session->started = false;
    if (session->command || session->attached)
        return;
    close(session->life);
    close(session->channels.life);
    for (int i = 0; i < COPIES; i++) {
        close(session->channels.pipes[i][0]);
        close(session->channels.pipes[i][1]);
    }
}

/* Returns the nearest copy at or before a position, or -1. */
int session_nearest_copy(const struct session *session, uint64_t position)
{
    int best = -1;
    for (int i = 0; i < COPIES; i++)
        if (session->slots[i].used && session->slots[i].position <= position &&
            (best < 0 || session->slots[i].position > session->slots[best].position))
            best = i;
    return best;
}

static void resend_points(struct session *session)
{
    if (session->forks &&
        session_send(session, json_pack("{s:s,s:O}", "verb", "forks", "list", session->forks)))
        json_decref(session_await(session, "reply"));
    if (session->points &&
        session_send(session, json_pack("{s:s,s:O}", "verb", "points", "points", session->points)))
        json_decref(session_await(session, "reply"));
}

void session_stop_tracking(struct session *session)
{
    if (session->tracks && session_send(session, json_pack("{s:s}", "verb", "track")))
        json_decref(session_await(session, "reply"));
}

static bool restart_program(struct session *session)
{
    session_close(session);
    if (!session_start_program(session))
        return false;
    session->position = 0;
    json_t *stop = session_take_stop(session, session_await(session, "stop"));
    const bool fine = !json_object_get(stop, "error");
    json_decref(stop);
    if (fine)
        resend_points(session);
    return fine;
}

bool session_wake(struct session *session, int slot)
{
    if (session->command)
        return restart_program(session);
    struct wake wake = {.interval = session->interval};
    stop_running(session);
    memcpy(wake.slots, session->slots, sizeof wake.slots);
    session->running = 0;
    if (write(session->channels.pipes[slot][1], &wake, sizeof wake) != (ssize_t)sizeof wake)
        return false;
    session->running = getpid(); /* until its first message: alive */
    json_decref(session_await(session, "woken"));
    session->position = session->slots[slot].position;
    session->ended = false;
    session_stop_tracking(session);
    resend_points(session);
    return true;
}

/* ---- what copies cost ------------------------------------------------------------------------ */

/* Returns the value of a row of the process' smaps_rollup in bytes. 0: the process has ended, or there
 * is no such row. */
static uint64_t memory_of(pid_t process, const char *row)
{
    char path[64], line[256];
    unsigned long long kibibytes = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, row, strlen(row)))
            kibibytes = strtoull(line + strlen(row), NULL, 10);
    if (file)
        fclose(file);
    return kibibytes * 1024;
}

/* Pss divides a shared page among its processes, so the sum counts each page once. */
struct session_memory session_memory(const struct session *session)
{
    struct session_memory memory = {.most_copies = COPIES};
    for (int i = 0; i < COPIES; i++) {
        const pid_t process = session->slots[i].used ? session->slots[i].process : 0;
        memory.copies += process > 0;
        memory.bytes += process > 0 ? memory_of(process, "Pss:") : 0;
    }
    if (memory.copies)
        memory.most_bytes = COPIES * memory_of(session->running, "Rss:");
    return memory;
}
