/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which compile server may stand for clang and llvm-spirv: one that has their very libraries.
 *          Nothing is run to find that out.
 *
 * Interface
 *   server_program_find()   path of the server's program, or NULL and why not
 *   server_program_beside()             path of what is installed with this library or stands beside it in
 *                                       the build
 *                           tree, or NULL
 */
#ifndef ORRERY_SIM_FRONTEND_SERVER_PROGRAM_H
#define ORRERY_SIM_FRONTEND_SERVER_PROGRAM_H

#include "orrery/status.h"

char *server_program_find(const char *wanted, const char *clang, const char *llvm_spirv,
                          struct diagnosis *diagnosis);
char *server_program_beside(const char *name);

#endif
