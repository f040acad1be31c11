/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Assertions, which only a build with --enable-checks has (ORRERY_CHECKS), and functions x_check(),
 *          which walk a whole structure: a host program never ends because of a mistake of ours. .ci/run has
 *          them in the build with the sanitizers.
 *
 * Interface
 *   CHECKED(condition)   assert() in such a build; else the condition is compiled, and not evaluated
 *   CHECKS_ON            true in such a build: if (CHECKS_ON) x_check(x);
 */
#ifndef ORRERY_CHECKED_H
#define ORRERY_CHECKED_H

#include <assert.h>

#ifdef ORRERY_CHECKS
#define CHECKED(condition) assert(condition)
enum { CHECKS_ON = 1 };
#else
#define CHECKED(condition) ((void)(0 && (condition)))
enum { CHECKS_ON = 0 };
#endif

#endif
