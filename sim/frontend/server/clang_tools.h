/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  clang -cc1 and llvm-spirv as functions: the small C interface to the C++ of LLVM. They read
 *          descriptor 0 and write 1 and 2, as the programs do. Afterwards the process can only end or run
 *          the next tool.
 *
 * Interface
 *   tool_accepts   does the function treat these arguments as the program does?
 *   tool_run       the exit status of the program; it may end the process
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_TOOLS_H
#define ORRERY_SIM_FRONTEND_SERVER_TOOLS_H

#include "sim/frontend/compile_protocol.h"

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

bool tool_accepts(enum compile_tool tool, int count, const char *const *arguments);
int tool_run(enum compile_tool tool, int count, const char *const *arguments);

#ifdef __cplusplus
}
#endif

#endif
