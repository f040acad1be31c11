/* SPDX-License-Identifier: Apache-2.0 */
/* ISO C has no conversion of dlsym's result to a function pointer, so its bytes are copied. */
#define _GNU_SOURCE
#include "symbols.h"

#include <dlfcn.h>
#include <string.h>

bool symbols_find(void *library, const struct symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found)
            return false;
        memcpy(symbols[i].out_function, &found, sizeof found);
    }
    return true;
}
