/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The tools of one compilation, found and identified: a snapshot of the
 *          settings, so that compiler_configure() may be called at any time.
 *
 * Interface
 *   toolchain_open()   COMPILER_MISSING says which packages to install
 *   toolchain_ask_headers()   runs clang, if its headers are not where they are expected;
 *                             for a compilation, not for a cached result
 *   toolchain_fini()   in every case
 */
#ifndef ORRERY_FRONTEND_TOOLCHAIN_H
#define ORRERY_FRONTEND_TOOLCHAIN_H

#include "orrery/status.h"
#include "text.h"

struct toolchain {
    char *clang, *llvm_spirv; /* paths of executable files */
    char *header_directory;   /* of opencl-c.h; NULL = not found */
    char *cache_directory;    /* NULL = no cache */
    struct text identity;     /* path, size and time of change of each tool */
};

enum status toolchain_open(struct toolchain *out_toolchain, struct diagnosis *diagnosis);
void toolchain_ask_headers(struct toolchain *toolchain);
void toolchain_fini(struct toolchain *toolchain);

#endif
