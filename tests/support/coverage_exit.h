/* SPDX-License-Identifier: Apache-2.0 */
/* Included before each source of a build with --enable-coverage: a process that ends by _exit leaves its counters, too. */
#ifndef COVERAGE_EXIT_H
#define COVERAGE_EXIT_H

/* Not by <unistd.h>: sources that do not include it have functions of their own with names that it takes. Its declaration of
 * _exit, by the macro below, declares coverage_exit once more. */
extern void _exit(int status) __attribute__((noreturn));
void __gcov_dump(void);

static inline __attribute__((noreturn)) void coverage_exit(int status)
{
    __gcov_dump();
    _exit(status);
}
#ifndef ORRERY_OWN_EXIT
#define _exit(status) coverage_exit(status)
#endif
#endif
