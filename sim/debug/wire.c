/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between a debugged process and its front end: lines of text, and counted bytes. */
#include "orrery/debug_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MOST = 1 << 24 };

void debug_wire_bytes(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        const ssize_t sent = write(fd, at, size);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(0); /* nobody listens any more */
        at += sent;
        size -= (size_t)sent;
    }
}

void debug_wire_send(int socket, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text)
        _exit(1);
    debug_wire_bytes(socket, text, strlen(text));
    debug_wire_bytes(socket, "\n", 1);
    free(text);
}

/* One byte at a time: nothing of what follows is taken away from the copy of the process that may read it. */
static json_t *receive(int socket)
{
    char *line = NULL;
    size_t size = 0, room = 0;
    for (char c;;) {
        const ssize_t got = read(socket, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || size > LINE_MOST)
            _exit(0);
        if (size + 1 >= room) {
            room = room ? room * 2 : 256;
            char *grown = realloc(line, room);
            if (!grown)
                _exit(1);
            line = grown;
        }
        if (c == '\n')
            break;
        line[size++] = c;
    }
    json_t *message = json_loadb(line ? line : "", size, 0, NULL);
    free(line);
    return message;
}

void debug_wire_serve(int socket, struct debugger *debugger)
{
    while (!debugger_resumes(debugger)) {
        json_t *request = receive(socket);
        const char *verb = json_string_value(json_object_get(request, "verb"));
        if (verb && !strcmp(verb, "exit")) {
            debug_wire_send(socket, json_pack("{s:b}", "bye", true));
            _exit(0);
        }
        json_t *reply = debugger_request(debugger, request);
        json_decref(request);
        if (debugger_resumes(debugger))
            json_decref(reply);
        else
            debug_wire_send(
                socket, json_pack("{s:o}", "reply",
                                  reply ? reply : json_pack("{s:s}", "error", "no memory for an answer")));
    }
}

void debug_wire_stop(int socket, struct debugger *debugger, json_t *stop)
{
    debug_wire_send(socket, json_pack("{s:o}", "stop", stop));
    debug_wire_serve(socket, debugger);
}

void debug_wire_print(int socket, uint64_t position, const char *text, bool of_log_point)
{
    json_t *shown = json_string(text);
    debug_wire_send(socket, json_pack("{s:o,s:I,s:b}", "print",
                                      shown ? shown : json_string("(bytes that are no UTF-8)\n"), "position",
                                      (json_int_t)position, "log", of_log_point));
}
