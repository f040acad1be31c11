/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Assertions that only a build with --enable-checks has (ORRERY_CHECKS): those of code that runs for
 *          each access, lane or instruction, and the functions x_check(), which walk a whole structure.
 *          Everywhere else assert() stands, in every build.
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
#define CHECKED(condition) ((void)sizeof((condition) ? 1 : 0))
enum { CHECKS_ON = 0 };
#endif

#endif
