/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a library by its SONAME and stores the address of each symbol that the caller lists. */
#include "late_library.h"

#include <dlfcn.h>
#include <string.h>

const char *late_library_open(const char *file, const struct late_symbol *symbols, size_t count)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return dlerror();
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            return dlerror();
        memcpy(symbols[i].place, &address, sizeof address);
    }
    return NULL;
}
