/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The findings that a test suite expects or forbids.
 *
 * Interface
 *   expectation_add      from now on min to max distinct findings are expected; 0 to 0 forbids them
 *   expectation_check    prints a line for each expectation that does not hold and for each forbidden
 *                        finding; returns their number
 *   expectation_clear    forgets all expectations
 *
 * A finding that matches an expectation with max > 0 is not forbidden by another one.
 */
#ifndef ORRERY_LIB_DIAGNOSE_EXPECTATION_H
#define ORRERY_LIB_DIAGNOSE_EXPECTATION_H

#include "orrery/report.h"

struct expectation {
    char *id, *kernel; /* with the wildcards of fnmatch(3); kernel NULL: any */
    uint32_t line;     /* of an access; 0: any */
    size_t min, max;
};

/* Copies the strings; false: out of memory, or the id matches no kind of finding. */
bool expectation_add(const struct expectation *expectation);
size_t expectation_check(const struct report *report, FILE *stream);
void expectation_clear(void);
#endif
