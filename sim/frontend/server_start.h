/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Starts a compile server: no child of the host, in a session of its own, without the host's open
 *          files.
 *
 * Interface
 *   server_start             returns when the program runs; false: it could not be started
 *   server_descriptor_high   moves a file to a descriptor that no stream of a child has; the old one is
 *                            closed; -1 stays -1
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_START_H
#define ORRERY_SIM_FRONTEND_SERVER_START_H

#include <stdbool.h>

struct server_start {
    char *const *arguments; /* [0] is the program, an absolute path */
    char *const *environment;
    int input, output; /* descriptors above the streams' that become 0 and 1; output -1: none */
};
bool server_start(const struct server_start *start);
int server_descriptor_high(int descriptor);

#endif
