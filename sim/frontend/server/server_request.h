/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One order of a build, received and checked.  Nothing of it is believed: it comes from a process of
 *          the same user, which may be any program.
 *
 * Interface
 *   request_receive()   false: the connection has ended; a message that is no order leaves file_count 0 or is
 *                       refused by request_read()
 *   request_read()      false: it is no order that the tools take
 *   request_replies()   where its build replies: a pipe, at which the server never waits; -1: there is none
 *   request_close()     in every case
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
    const char **arguments; /* the same, as pointers */
};

bool request_receive(int connection, struct server_request *request);
bool request_read(struct server_request *request);
int request_replies(const struct server_request *request);
void request_close(struct server_request *request);

#endif
