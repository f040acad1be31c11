/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Messages of the Debug Adapter Protocol on a pair of file descriptors: "Content-Length: N", an
 * empty line, N bytes of JSON.
 */
#ifndef ORRERY_TOOLS_DEBUG_DAP_WIRE_H
#define ORRERY_TOOLS_DEBUG_DAP_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct dap_wire {
    int in, out;
    long sequence;
    char *buffer;
    size_t filled, room;
    bool closed;
};

void dap_wire_fini(struct dap_wire *wire);
/* The next message; NULL: the client has gone. */
json_t *dap_wire_read(struct dap_wire *wire);
bool dap_wire_pending(const struct dap_wire *wire);          /* one was received whole */
void dap_wire_write(struct dap_wire *wire, json_t *message); /* takes it; numbers it */
bool dap_wire_port(const char *text, long *out_port);        /* false: it is no port */
/* The client of a loopback port, on both of in and out; -1: none connected. */
int dap_wire_accept(const char *port);

#endif
