/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What happens between a fork and the work of a tool, and how the end of a tool is judged. The
 *          programs that the library runs and the builds of the compile server share it.
 *
 * Interface
 *   child_signals_reset          the tool inherits neither ignored nor blocked signals
 *   child_limits_set             limits of processor time and memory, no core file
 *   child_time_begin             the limit of processor time begins now: for several tools in one process,
 *                                which have no hard limit (child_limits_set() with no seconds)
 *   child_usage_of, child_usage_now   what a child, or this process, has used
 *   child_environment            the host's environment without preloaded libraries; free() it; NULL: out of
 *                                memory
 *   child_limit_hit              the limit that ended the tool
 *
 * child_signals_reset() and the limits make system calls only: they may run in the child of a vfork.
 */
#ifndef ORRERY_SIM_FRONTEND_CHILD_SETUP_H
#define ORRERY_SIM_FRONTEND_CHILD_SETUP_H

#include <sys/resource.h>

#include "child_process.h"

struct child_usage {
    double seconds; /* processor time */
    uint64_t bytes; /* largest resident size */
};

void child_signals_reset(void);
void child_limits_set(const struct process_limits *limits);
void child_time_begin(const struct process_limits *limits);
char **child_environment(void);
struct child_usage child_usage_of(const struct rusage *usage);
struct child_usage child_usage_now(void);
enum process_limit child_limit_hit(const struct process_limits *limits, const struct process_result *result,
                                   const struct child_usage *usage);

#endif
