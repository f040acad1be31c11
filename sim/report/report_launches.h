/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which kernels ran, and how many of their launches --kernel and --launches left out of checks.
 *
 * Interface
 *   report_launches_add        a launch begins
 *   report_launches_print      one line on those that were left out; nothing when none was
 *   report_launches_note_none  one line when the options left out every launch, with the names of the kernels
 *                              that ran
 *   report_launches_fini
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
/* left_out: by --kernel, by --launches */
void report_launches_print(FILE *stream, const uint64_t left_out[2], uint64_t begun);
void report_launches_note_none(FILE *stream, const struct report_launches *launches,
                               const struct scenario *scenario);
void report_launches_fini(struct report_launches *launches);

#endif
