/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Decides which compile server may replace clang and llvm-spirv: one that uses the same libraries.
 *          Nothing is run to find that out.
 *
 * Interface
 *   server_program_find     path of the server's program, or NULL and the reason
 *   server_program_beside   path of a file that is installed with this library or is beside it in the build
 *                           tree, or NULL
 *   server_program_is_executable   is there a file that may be run?
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_PROGRAM_H
#define ORRERY_SIM_FRONTEND_SERVER_PROGRAM_H

#include <stdbool.h>

#include "orrery/status.h"

char *server_program_find(const char *wanted, const char *clang, const char *llvm_spirv,
                          struct diagnosis *diagnosis);
char *server_program_beside(const char *name);
bool server_program_is_executable(const char *path);

#endif
