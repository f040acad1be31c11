/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The language's header, parsed once per set of language options: for the default device it is
 *          installed with the library, for others kept in the cache. Parsing it is most of the cost of a
 *          compilation.
 *
 * Interface
 *   precompiled_get          its path; the file is made if needed; NULL: compile without
 *   precompiled_is_refused   do clang's errors concern the precompiled header instead of the source?
 *   precompiled_drop         removes the file, if it is in the user's cache
 */
#ifndef ORRERY_FRONTEND_PRECOMPILED_H
#define ORRERY_FRONTEND_PRECOMPILED_H

#include "compile.h"

char *precompiled_get(const struct compilation *compilation);
bool precompiled_is_refused(const struct process_result *result);
void precompiled_drop(const struct compilation *compilation, const char *path);

#endif
