/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between a debugged process and its front end: lines of text, and counted bytes. */
#include "orrery/debug_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_MOST = 1 << 24 };

/* A socket whose other end has gone is no signal; a pipe is no socket. */
static ssize_t give(int fd, const void *bytes, size_t size)
{
    const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(fd, bytes, size) : sent;
}

bool debug_wire_bytes(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        const ssize_t sent = give(fd, at, size);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false; /* the other end is closed */
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool debug_wire_send(int socket, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    const bool sent =
        text && debug_wire_bytes(socket, text, strlen(text)) && debug_wire_bytes(socket, "\n", 1);
    free(text);
    return sent;
}

/* Reads one byte at a time, so that the bytes after the line stay for the copy of the process that may
 * read them. NULL: the other end is closed. */
static json_t *receive(int socket)
{
    char *line = NULL;
    size_t size = 0, room = 0;
    for (char c;;) {
        const ssize_t got = read(socket, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (size + 1 >= room && got > 0) {
            room = room ? room * 2 : 256;
            char *grown = realloc(line, room);
            if (grown)
                line = grown;
            else
                size = LINE_MOST + 1;
        }
        if (got <= 0 || size > LINE_MOST) {
            free(line);
            return NULL;
        }
        if (c == '\n')
            break;
        line[size++] = c;
    }
    json_t *message = json_loadb(line ? line : "", size, 0, NULL);
    free(line);
    return message ? message : json_object();
}

static bool send_bye(int socket)
{
    debug_wire_send(socket, json_pack("{s:b}", "bye", true));
    return false;
}

bool debug_wire_serve(int socket, struct debugger *debugger)
{
    while (!debugger_resumes(debugger)) {
        json_t *request = receive(socket);
        const char *verb = json_string_value(json_object_get(request, "verb"));
        const bool ends = verb && !strcmp(verb, "exit");
        json_t *reply = !request || ends ? NULL : debugger_request(debugger, request);
        json_decref(request);
        if (!request || ends)
            return ends && send_bye(socket);
        if (debugger_resumes(debugger)) {
            json_decref(reply);
            return debug_wire_send(socket, json_pack("{s:b}", "runs", true));
        }
        if (!debug_wire_send(
                socket, json_pack("{s:o}", "reply",
                                  reply ? reply : json_pack("{s:s}", "error", "no memory for an answer"))))
            return false;
    }
    return true;
}

bool debug_wire_stop(int socket, struct debugger *debugger, json_t *stop)
{
    return debug_wire_send(socket, json_pack("{s:o}", "stop", stop)) && debug_wire_serve(socket, debugger);
}

bool debug_wire_print(int socket, uint64_t position, const char *text, bool of_log_point)
{
    json_t *shown = json_string(text);
    return debug_wire_send(socket, json_pack("{s:o,s:I,s:b}", "print",
                                             shown ? shown : json_string("(bytes that are no UTF-8)\n"),
                                             "position", (json_int_t)position, "log", of_log_point));
}
