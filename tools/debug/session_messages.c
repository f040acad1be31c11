/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of JSON to and from the process that runs the target; what it notes between replies. */
#include "session_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tools/tools.h"

/* SIGNAL_CODE: as a shell reports a program that a signal ended. */
enum { LIFE_CHECK_MS = 200, STATUS_CHECKS = 5, SIGNAL_CODE = 128 };

bool session_is_alive(struct session *session)
{
    int status;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (process != session->running)
            continue;
        session->status = status;
        session->has_status = true;
    }
    return kill(session->running, 0) == 0;
}

/* The sleeping copies hold the socket, too: its end is not the end of the process that runs. */
static bool wait_for_message(struct session *session)
{
    struct pollfd fd = {session->socket, POLLIN, 0};
    for (;;) {
        if (session->host.wait && !session->host.wait(session->host.self, session->socket))
            return false;
        const int ready = poll(&fd, 1, LIFE_CHECK_MS);
        if (ready > 0)
            return true;
        if (ready == 0 && !session_is_alive(session))
            return false;
    }
}

static bool receive(struct session *session)
{
    for (;;) {
        const ssize_t got = recv(session->socket, session->buffer, sizeof session->buffer, MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_message(session))))
            continue;
        session->at = 0;
        session->filled = got > 0 ? (size_t)got : 0;
        return got > 0;
    }
}

json_t *session_read(struct session *session)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);
    bool whole = false;
    if (!stream)
        tools_no_memory();
    while (!whole && (session->at < session->filled || receive(session))) {
        const char *begin = session->buffer + session->at,
                   *end = memchr(begin, '\n', session->filled - session->at);
        const size_t part = end ? (size_t)(end - begin) : session->filled - session->at;
        fwrite(begin, 1, part, stream);
        session->at += part + (end != NULL);
        whole = end != NULL;
    }
    fclose(stream);
    json_t *message = whole ? json_loadb(line, size, 0, NULL) : NULL;
    free(line);
    return message;
}

void session_take_note(struct session *session, const json_t *message)
{
    const json_t *slot = json_object_get(message, "copy"), *dropped = json_object_get(message, "dropped"),
                 *interval = json_object_get(message, "interval"), *text = json_object_get(message, "print"),
                 *woken = json_object_get(message, "woken");
    const uint64_t position = (uint64_t)json_integer_value(json_object_get(message, "position"));
    if (slot && json_integer_value(slot) < COPIES)
        session->slots[json_integer_value(slot)] = (struct copy_slot){
            true, position, (pid_t)json_integer_value(json_object_get(message, "process"))};
    if (dropped && json_integer_value(dropped) < COPIES)
        session->slots[json_integer_value(dropped)].used = false;
    if (interval)
        session->interval = (uint64_t)json_integer_value(interval);
    if (woken)
        session->running = (pid_t)json_integer_value(woken);
    if (json_object_get(message, "runs")) {
        session->runs = true;
        if (session->is_due)
            session_interrupt(session);
    }
    if (json_object_get(message, "stop"))
        session->runs = false;
    if (text && (position >= session->furthest || json_is_true(json_object_get(message, "log"))))
        session->host.print(session->host.self, json_string_value(text));
}

/* Its socket is closed a moment before its status is there. */
static void await_status(struct session *session)
{
    for (int i = 0; i < STATUS_CHECKS && session_is_alive(session); i++)
        poll(NULL, 0, LIFE_CHECK_MS);
}

json_t *session_target_ended(struct session *session)
{
    char how[80] = "";
    int code = 0;
    if (!session->ended && !session->attached)
        await_status(session);
    session->ended = true;
    if (session->has_status && WIFSIGNALED(session->status)) {
        code = SIGNAL_CODE + WTERMSIG(session->status);
        snprintf(how, sizeof how, ": signal %d, %s", WTERMSIG(session->status),
                 strsignal(WTERMSIG(session->status)));
    } else if (session->has_status) {
        code = WEXITSTATUS(session->status);
        snprintf(how, sizeof how, ": exit status %d", code);
    }
    return json_pack("{s:o,s:i}", "error", json_sprintf("the process that runs the target has ended%s", how),
                     "exit_code", code);
}

/* Waits for a message with that key and returns its value. Notes before it are processed. */
json_t *session_await(struct session *session, const char *key)
{
    for (;;) {
        json_t *message = session_read(session);
        if (!message) {
            return session_target_ended(session);
        }
        json_t *wanted = json_object_get(message, key);
        json_incref(wanted);
        session_take_note(session, message);
        json_decref(message);
        if (wanted)
            return wanted;
    }
}

bool session_send(struct session *session, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    bool fine = text != NULL;
    json_decref(message);
    if (fine) {
        const size_t size = strlen(text);
        text[size] = '\n'; /* in place of the end */
        for (size_t at = 0; at <= size && fine;) {
            const ssize_t sent = send(session->socket, text + at, size + 1 - at, MSG_NOSIGNAL);
            fine = sent > 0 || errno == EINTR;
            at += sent > 0 ? (size_t)sent : 0;
        }
    }
    free(text);
    return fine;
}
