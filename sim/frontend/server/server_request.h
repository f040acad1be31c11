/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One order of a build, received and checked. No part of it is trusted: it comes from a process of
 *          the same user, which may be any program.
 *
 * Interface
 *   request_receive   false: the connection has ended. A message that is no order has file_count 0, or
 *                     request_read() refuses it
 *   request_read      false: the tools do not accept the order
 *   request_replies   the pipe for the build's replies, at which the server never waits; -1: none
 *   request_close     in every case
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_SERVER_REQUEST_H
#define ORRERY_SIM_FRONTEND_SERVER_SERVER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/frontend/compile_protocol.h"

struct server_request {
    struct compile_order order;
    int files[COMPILE_FILES_MOST];
    size_t file_count;
    char *words;            /* of all tools */
    const char **arguments; /* pointers to the words */
};

bool request_receive(int connection, struct server_request *request);
bool request_read(struct server_request *request);
int request_replies(const struct server_request *request);
void request_close(struct server_request *request);

#endif
