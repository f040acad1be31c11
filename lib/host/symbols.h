/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Functions of a library that a program may have, by name.
 *
 * Interface
 *   symbols_find   the addresses of all functions of a table; false: the library lacks one, or is not there.
 *                  library: as of dlsym()
 */
#ifndef ORRERY_LIB_HOST_SYMBOLS_H
#define ORRERY_LIB_HOST_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    const char *name;
    void *out_function; /* a pointer to a function pointer */
};

bool symbols_find(void *library, const struct symbol *symbols, size_t count);

#endif
