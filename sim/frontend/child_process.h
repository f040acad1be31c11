/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Runs one tool to its end: bytes in, bytes out, without a shell. Standard input, output and error
 *          are files in memory, so no pipe can fill up, break with SIGPIPE, or leave a reader waiting for a
 *          grandchild. The tool has limits of time and memory, and ends with the host.
 *
 * Interface
 *   process_run           OK when the tool ran, whatever its status; COMPILER_MISSING when it could not be
 *                         started. The result holds its output and how it ended
 *   process_failed        did it end with an error?
 *   process_result_fini   frees the output
 */
#ifndef ORRERY_SIM_FRONTEND_CHILD_PROCESS_H
#define ORRERY_SIM_FRONTEND_CHILD_PROCESS_H

#include <stdint.h>

#include "orrery/status.h"
#include "text.h"

/* Limits of a tool; 0: the host's. seconds: processor time. A tool that lasts as long but hardly computes
 * is stopped, too. */
struct process_limits {
    uint32_t seconds;
    uint64_t bytes;
};
enum process_limit { PROCESS_UNLIMITED, PROCESS_TIME, PROCESS_BLOCKED, PROCESS_MEMORY };

struct process {
    char *const *arguments; /* [0] is the program, an absolute path or a name in PATH */
    const char *directory;  /* to run in; NULL = the caller's */
    const void *input;
    size_t input_size;
    bool extra_output; /* give the tool a writable /dev/fd/3 */
    struct process_limits limits;
};

struct process_result {
    struct text output, error, extra;
    int exit_code; /* -1 = a signal ended it, or the host reaped it */
    int signal;    /* 0: none */
    struct process_limits limits;
    enum process_limit limit; /* the limit that ended the tool */
    bool reaped_by_host;      /* The host ignores SIGCHLD, so the exit status is unknown. */
};

enum status process_run(const struct process *process, struct process_result *out_result,
                        struct diagnosis *diagnosis);
bool process_failed(const struct process_result *result);
void process_result_fini(struct process_result *result);

#endif
