/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which kernels ran, and how many of their launches --kernel and --launches left out of checks.
 *
 * Interface
 *   report_launches_add        counts a launch that begins
 *   report_launches_print      prints how many were left out, if any were
 *   report_launches_note_none  if every launch was left out, prints the names of the kernels that ran
 *
 * Limits   REPORT_KERNELS_MOST names are kept, in the order of their first launches.
 */
#ifndef ORRERY_SIM_REPORT_REPORT_LAUNCHES_H
#define ORRERY_SIM_REPORT_REPORT_LAUNCHES_H

#include <stdio.h>

#include "orrery/scenario.h"

enum { REPORT_KERNELS_MOST = 32 };

struct report_launches {
    uint64_t begun, left_out[LEFT_OUT_BY_LAUNCHES + 1]; /* by enum left_out */
    char *kernels[REPORT_KERNELS_MOST];
    uint32_t kernel_count;
    bool more; /* other kernels ran, too */
};

void report_launches_add(struct report_launches *launches, const struct scenario *scenario,
                         const char *kernel, uint32_t launch);
/* left_out[0]: launches that --kernel left out; [1]: --launches */
void report_launches_print(FILE *stream, const uint64_t left_out[2], uint64_t begun);
void report_launches_note_none(FILE *stream, const struct report_launches *launches,
                               const struct scenario *scenario);
void report_launches_fini(struct report_launches *launches);

#endif
