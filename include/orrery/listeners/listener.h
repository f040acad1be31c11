/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the listeners of test frameworks share: the findings of one test, in C and C++.
 *
 * Interface
 *   orrery_listener_take    how many findings came since its last call, and their text; see
 *                           orrery_new_findings in orrery(3)
 *
 *   orrery_listener_begin   a test of that name begins: findings have it; NULL: it is over
 *
 * The program needs no -lorrery: the library is used when it is in the process, by `orrery run`, by
 * OCL_ICD_VENDORS or because it is linked. Elsewhere there are no findings, and tests are as they were.
 */
#ifndef ORRERY_LISTENERS_LISTENER_H
#define ORRERY_LISTENERS_LISTENER_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* An OpenCL loader keeps its vendors' names to itself, so the library is looked up by its own name. */
static inline size_t orrery_listener_take(char *text, size_t size)
{
    size_t (*new_findings)(char *, size_t) = NULL;
    void *library = dlopen("liborrery.so.0", RTLD_LAZY | RTLD_NOLOAD), *symbol;
    size_t count = 0;
    if (size)
        text[0] = '\0';
    if (!library)
        return 0;
    symbol = dlsym(library, "orrery_new_findings");
    memcpy(&new_findings, &symbol, sizeof symbol);
    if (new_findings)
        count = new_findings(text, size);
    dlclose(library);
    return count;
}

static inline void orrery_listener_begin(const char *test)
{
    if (test)
        setenv("ORRERY_TEST", test, 1);
    else
        unsetenv("ORRERY_TEST");
}

#endif
