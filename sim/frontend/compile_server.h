/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The library's side of the compile server: a process that holds clang and the translator loaded
 *          and forks for each build. It starts with the first build that needs it. A server of the host's
 *          own ends with the host; the child of a fork starts another one. A shared server serves every
 *          process of the user (shared_server.h).
 *
 * Interface
 *   compile_server_run   runs processes one after the other, each with the output of the one before as
 *                        input, as process_run() would run the programs; stops after the first that fails.
 *                        shared NULL: by a server of the host's own. False: the outcome is unknown, and the
 *                        caller must build in another way
 */
#ifndef ORRERY_SIM_FRONTEND_COMPILE_SERVER_H
#define ORRERY_SIM_FRONTEND_COMPILE_SERVER_H

#include "child_process.h"
#include "compile_protocol.h"
#include "shared_server.h"

struct compile_server_job {
    struct process processes[COMPILE_TOOL_COUNT]; /* input and directory: those of the first */
    enum compile_tool tools[COMPILE_TOOL_COUNT];
    size_t count;
};
bool compile_server_run(const char *server, const struct shared_server *shared,
                        const struct compile_server_job *job, struct process_result *results,
                        size_t *out_ran);

#endif
