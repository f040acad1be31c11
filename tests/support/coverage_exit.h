/* SPDX-License-Identifier: Apache-2.0 */
/* Included before each source of a build with --enable-coverage: a process that ends by _exit leaves its counters, too. */
#ifndef COVERAGE_EXIT_H
#define COVERAGE_EXIT_H
#include <unistd.h>

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
