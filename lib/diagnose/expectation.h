/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The findings that a test suite expects or forbids.
 *
 * Interface
 *   expectation_add      min to max distinct findings that fit; 0 to 0 forbids
 *   expectation_check    the unmet ones in words, a line each; how many
 *   expectation_clear
 *
 * A finding that an expectation with max > 0 fits is not forbidden by a wider one.
 */
#ifndef ORRERY_LIB_DIAGNOSE_EXPECTATION_H
#define ORRERY_LIB_DIAGNOSE_EXPECTATION_H

#include "orrery/report.h"

struct expectation {
    char *id, *kernel; /* with the wildcards of fnmatch(3); kernel NULL: any */
    uint32_t line;     /* of an access; 0: any */
    size_t min, max;
};

/* Copies the strings; false: no memory, or the id fits no kind of finding. */
bool expectation_add(const struct expectation *expectation);
size_t expectation_check(const struct report *report, FILE *stream);
void expectation_clear(void);
#endif
