/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How many elements the buffers of a kernel have when there is no scenario: the kernel runs with
 *          larger and larger ones, and each gets the first natural size that it stays in, or all but does.
 *
 * Interface
 *   buffer_sizes_find      fills the number of elements of each argument that has some; runs the kernel a few
 *                          times, quietly
 *   buffer_sizes_measure   one more run, with so many elements: which lines it leaves out. False: it could
 *                          not run, or did not end within its limit
 *
 * Natural sizes are n, n x n and n x n x n, and two, three and four times these; for a table with a width of
 * its own, width, n and width x n. Accesses that leave one of
 * them by no more than the work-items past n, or by a few elements, are taken for a mistake: the buffer keeps
 * the size, and the run that follows reports them. Local memory has no natural size, and gets what is needed.
 */
#ifndef ORRERY_BUFFER_SIZES_H
#define ORRERY_BUFFER_SIZES_H

#include <stdio.h>

#include "orrery/device.h"
#include "orrery/profile.h"
#include "orrery/scenario.h"

struct buffer_trials {
    const struct scenario *scenario; /* how to build */
    const char *file;                /* OpenCL C */
    const struct kernel_info *info;
    uint64_t whole;    /* n */
    uint64_t width;    /* what the ids of the first dimension stay below, with n for the second; n: both do */
    uint64_t most;     /* work-items of a dimension: n, or more */
    uint64_t local;    /* work-items of a work-group */
    uint32_t one_more; /* bit i: argument i has one element more than a natural size */
    /* the scenario with so many elements for each argument */
    enum status (*print)(FILE *stream, const void *self, const uint64_t *elements,
                         struct diagnosis *diagnosis);
    const void *self;
};
enum status buffer_sizes_find(const struct buffer_trials *trials, uint64_t *out_elements,
                              struct diagnosis *diagnosis);
/* out_idle's lines are malloc'd on success. */
bool buffer_sizes_measure(const struct buffer_trials *trials, const uint64_t *elements,
                          struct idle_lines *out_idle);

#endif
