/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The library's side of the compile server: one child process that holds clang and the translator
 *          loaded and forks for each build.  It starts with the first build that needs it and ends with the
 *          host.  The child of a fork starts a server of its own.
 *
 * Interface
 *   compile_server_run()    processes one after the other, the output of each being the input of the next, as
 *                           process_run() would run the programs; stops after one that failed. False: the
 *                           outcome is unknown, and the programs have to run
 */
#ifndef ORRERY_SIM_FRONTEND_COMPILE_SERVER_H
#define ORRERY_SIM_FRONTEND_COMPILE_SERVER_H

#include "child_process.h"
#include "compile_protocol.h"

struct compile_server_job {
    struct process processes[COMPILE_TOOL_COUNT]; /* input and directory: of the first */
    enum compile_tool tools[COMPILE_TOOL_COUNT];
    size_t count;
};
bool compile_server_run(const char *server, const struct compile_server_job *job,
                        struct process_result *results, size_t *out_ran);

#endif
