/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The tools of one compilation, found and identified. It is a snapshot of the settings, so
 *          compiler_configure() may be called at any time.
 *
 * Interface
 *   toolchain_open            COMPILER_MISSING names the packages to install
 *   toolchain_find_headers    runs clang if its headers are not in the expected place; for a compilation,
 *                             not for a cached result
 *   toolchain_find_server     likewise; COMPILER_MISSING: the request demands a server, and there is none
 *   toolchain_shared_server   the description of a shared server; its strings belong to the toolchain
 *   toolchain_fini            in every case
 */
#ifndef ORRERY_FRONTEND_TOOLCHAIN_H
#define ORRERY_FRONTEND_TOOLCHAIN_H

#include "orrery/compiler.h"
#include "shared_server.h"
#include "text.h"

struct toolchain {
    char *clang, *llvm_spirv; /* paths of executable files */
    char *header_directory;   /* of opencl-c.h; NULL: not found */
    char *cache_directory;    /* NULL: no cache */
    char *runtime_directory;  /* NULL: none */
    unsigned shared_idle_ms;
    char *server_wanted;  /* path of the compile server's program; NULL: the installed one */
    char *server;         /* the server that replaces the programs; NULL: the programs run */
    struct text identity; /* path, size and modification time of each tool */
};

enum status toolchain_open(struct toolchain *out_toolchain, struct diagnosis *diagnosis);
void toolchain_find_headers(struct toolchain *toolchain);
enum status toolchain_find_server(struct toolchain *toolchain, const struct compile_request *request,
                                  struct diagnosis *diagnosis);
struct shared_server toolchain_shared_server(const struct toolchain *toolchain);
void toolchain_fini(struct toolchain *toolchain);

#endif
