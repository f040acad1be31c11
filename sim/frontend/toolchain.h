/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The tools of one compilation, found and identified: a snapshot of the
 *          settings, so that compiler_configure() may be called at any time.
 *
 * Interface
 *   toolchain_open()   COMPILER_MISSING names the packages to install
 *   toolchain_find_headers()   runs clang, if its headers are not where they are expected;
 *                             for a compilation, not for a cached result
 *   toolchain_find_server()   likewise; COMPILER_MISSING: there must be one, and there is none
 *   toolchain_shared_server()   what a shared server would be; its strings are the toolchain's
 *   toolchain_fini()   in every case
 */
#ifndef ORRERY_FRONTEND_TOOLCHAIN_H
#define ORRERY_FRONTEND_TOOLCHAIN_H

#include "orrery/compiler.h"
#include "shared_server.h"
#include "text.h"

struct toolchain {
    char *clang, *llvm_spirv; /* paths of executable files */
    char *header_directory;   /* of opencl-c.h; NULL = not found */
    char *cache_directory;    /* NULL = no cache */
    char *runtime_directory;  /* NULL = none */
    unsigned shared_idle_ms;
    char *server_wanted;  /* path of the compile server's program; NULL = the one that is installed */
    char *server;         /* of the one that stands for the programs; NULL = they run */
    struct text identity; /* path, size and time of change of each tool */
};

enum status toolchain_open(struct toolchain *out_toolchain, struct diagnosis *diagnosis);
void toolchain_find_headers(struct toolchain *toolchain);
enum status toolchain_find_server(struct toolchain *toolchain, const struct compile_request *request,
                                  struct diagnosis *diagnosis);
struct shared_server toolchain_shared_server(const struct toolchain *toolchain);
void toolchain_fini(struct toolchain *toolchain);

#endif
