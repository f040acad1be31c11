/* SPDX-License-Identifier: Apache-2.0 */
/* Framing of the Debug Adapter Protocol: headers and JSON bodies, on a pipe or a loopback socket. */
#include "dap_wire.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/tools.h"

enum { MESSAGE_MOST = 1 << 26, PORT_MOST = 65535 };

void dap_wire_fini(struct dap_wire *wire)
{
    free(wire->buffer);
    wire->buffer = NULL;
}

/* The beginning and length of the body; false: the head is not whole. A head without a length has an empty
 * body. */
static bool find_body(const struct dap_wire *wire, size_t *out_begin, size_t *out_size)
{
    static const char key[] = "Content-Length:";
    const char *end = wire->filled ? memmem(wire->buffer, wire->filled, "\r\n\r\n", 4) : NULL;
    if (!end)
        return false;
    const char *length = memmem(wire->buffer, (size_t)(end - wire->buffer), key, sizeof key - 1);
    const long size = length ? strtol(length + sizeof key - 1, NULL, 10) : 0;
    *out_begin = (size_t)(end - wire->buffer) + 4;
    *out_size = size > 0 && size < MESSAGE_MOST ? (size_t)size : 0;
    return true;
}

bool dap_wire_pending(const struct dap_wire *wire)
{
    size_t begin, size;
    return find_body(wire, &begin, &size) && wire->filled - begin >= size;
}

static bool receive(struct dap_wire *wire)
{
    if (wire->room - wire->filled < 4096) {
        wire->room = wire->room * 2 + 16384;
        char *grown = realloc(wire->buffer, wire->room);
        if (!grown)
            tools_no_memory();
        wire->buffer = grown;
    }
    ssize_t got;
    do
        got = read(wire->in, wire->buffer + wire->filled, wire->room - wire->filled - 1);
    while (got < 0 && errno == EINTR);
    wire->closed = got <= 0;
    wire->filled += got > 0 ? (size_t)got : 0;
    wire->buffer[wire->filled] = '\0';
    return got > 0;
}

json_t *dap_wire_read(struct dap_wire *wire)
{
    size_t begin = 0, size = 0;
    while (!dap_wire_pending(wire))
        if (!receive(wire))
            return NULL;
    find_body(wire, &begin, &size);
    json_t *message = json_loadb(wire->buffer + begin, size, 0, NULL);
    memmove(wire->buffer, wire->buffer + begin + size, wire->filled - begin - size);
    wire->filled -= begin + size;
    return message ? message : json_object();
}

void dap_wire_write(struct dap_wire *wire, json_t *message)
{
    json_object_set_new(message, "seq", json_integer(++wire->sequence));
    char *text = json_dumps(message, JSON_COMPACT), *whole = NULL;
    json_decref(message);
    const int length = text ? asprintf(&whole, "Content-Length: %zu\r\n\r\n%s", strlen(text), text) : -1;
    for (int at = 0; at < length && !wire->closed;) {
        const ssize_t sent = write(wire->out, whole + at, (size_t)(length - at));
        if (sent > 0)
            at += (int)sent;
        else if (errno != EINTR)
            wire->closed = true;
    }
    free(text);
    free(whole);
}

bool dap_wire_port(const char *text, long *out_port)
{
    char *end;
    *out_port = strtol(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && *out_port <= PORT_MOST;
}

int dap_wire_accept(const char *port)
{
    long number;
    if (!dap_wire_port(port, &number))
        return -1;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)number)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) < 0 ||
        bind(listener, (const struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0) {
        tools_message("error: --dap: port %ld: %s", number, strerror(errno));
        if (listener >= 0)
            close(listener);
        return -1;
    }
    tools_message("waiting for a debug adapter client on 127.0.0.1:%d", ntohs(address.sin_port));
    const int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    close(listener);
    return client;
}
