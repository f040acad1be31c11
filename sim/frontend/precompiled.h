/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The language's header, read once per set of language options and kept: for the default
 *          device beside the library, for others in the cache.  It is most of what a compilation costs.
 *
 * Interface
 *   precompiled_get()          path, made if needed; NULL = compile without
 *   precompiled_is_to_blame()  does clang complain of the file rather than of the source?
 *   precompiled_drop()         remove a bad one, if it is the user's
 */
#ifndef ORRERY_FRONTEND_PRECOMPILED_H
#define ORRERY_FRONTEND_PRECOMPILED_H

#include "compile.h"

char *precompiled_get(const struct compilation *compilation);
bool precompiled_is_to_blame(const struct process_result *result);
void precompiled_drop(const struct compilation *compilation, const char *path);

#endif
