/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Libraries that one command needs, opened when it needs them: linked with, they and what they are
 *          linked with would be loaded at each start of each command, which takes longer than most runs.
 *
 * Interface
 *   late_library_open   opens a library for the rest of the process and finds its symbols; NULL, or why not
 */
#ifndef ORRERY_LATE_LIBRARY_H
#define ORRERY_LATE_LIBRARY_H

#include <stddef.h>

struct late_symbol {
    const char *name;
    void *place; /* of the pointer to it */
};

/* file: the SONAME. The reason is dlerror()'s, valid until the next call of the loader. */
const char *late_library_open(const char *file, const struct late_symbol *symbols, size_t count);

#endif
