/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Names of C++ for OpenCL as the source has them, for findings and messages.
 *
 * Interface
 *   demangle   "_Z5twicePU3AS1i": "twice(int __global*)"; a name that is not mangled, or not by the Itanium
 *              ABI: itself
 *
 * Ownership  The text is the arena's, or the caller's.
 */
#ifndef ORRERY_INTERP_DEMANGLE_H
#define ORRERY_INTERP_DEMANGLE_H

#include "arena.h"

const char *demangle(struct arena *arena, const char *name);

#endif
