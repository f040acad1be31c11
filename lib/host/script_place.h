/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The line of the Python program that is calling: of a call through pyopencl or ctypes, the native
 *          stack has only the interpreter.
 *
 * Interface
 *   script_place_here   the innermost line that is not of an installed package; else the innermost one.
 *                       NULL: no Python runs in this thread (or not at least 3.10), or the binding has
 *                       released the interpreter's lock, as pyopencl does for calls that wait. Not in a
 *                       signal handler. The same line gives the same pointer, which stays valid
 */
#ifndef ORRERY_LIB_HOST_SCRIPT_PLACE_H
#define ORRERY_LIB_HOST_SCRIPT_PLACE_H

#include <stdint.h>

struct script_place {
    char *file, *function;
    uint32_t line;
};

const struct script_place *script_place_here(void);

#endif
