/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The debugger's host over a socket, in the process that runs the target: messages are JSON, one a
 * line.
 *
 *   to the session    {"stop": ...} {"reply": ...} {"print": text, "position": n, "log": of a log point?}
 *                     {"runs": true}, when an interrupt would stop it; {"bye": true}
 *   from the session  the engine's requests, and {"verb": "exit"}
 *
 * A session starts the process, or attaches to one that listens (debug_attach.h). Each function is false
 * when the session has gone or has sent "exit": the caller decides what the process does then.
 */
#ifndef ORRERY_DEBUG_WIRE_H
#define ORRERY_DEBUG_WIRE_H

#include "orrery/debug.h"

/* The number of the socket, in the environment of a program that is debugged. */
#define DEBUG_SOCKET_VARIABLE "ORRERY_DEBUG_SOCKET"
/* That interrupts the run: programs that do not handle it ignore it. */
#define DEBUG_SIGNAL SIGURG

bool debug_wire_send(int socket, json_t *message); /* takes it */
bool debug_wire_bytes(int fd, const void *bytes, size_t size);
/* Replies to requests until one resumes. */
bool debug_wire_serve(int socket, struct debugger *debugger);
bool debug_wire_stop(int socket, struct debugger *debugger, json_t *stop); /* takes it, announces it and
                                                                            * serves */
bool debug_wire_print(int socket, uint64_t position, const char *text, bool of_log_point);

#endif
