/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How many elements the buffers of a kernel have when there is no scenario: the kernel runs with
 *          large ones, and each gets the size that explains how far its accesses go.
 *
 * Interface
 *   buffer_trial_run        one quiet run with large buffers; false: it could not run, or did not end within
 *                           its limit
 *   buffer_trial_measure    likewise, with so many elements and no more
 *   buffer_trial_fini       after either of them, whatever it returned
 *   buffer_trial_findings   of a run with all checks, in which buffers have so many elements
 *   buffer_sizes_fit        from runs with several choices of numbers, the number of elements of each
 *                           argument for each choice; which choices have accesses outside of these
 *
 * Sizes are products of whole numbers, and two, three and four times these. A size explains runs when it is,
 * in each of them, what was accessed or a little more: up to a row and its padding. If there is none,
 * an access past a size counts as a mistake if a missing test or a wrong factor would bring it as far: the
 * buffer keeps the size, and the run that follows reports the access. All else gets what is needed, as
 * local memory does.
 */
#ifndef ORRERY_BUFFER_SIZES_H
#define ORRERY_BUFFER_SIZES_H

#include <stdio.h>

#include "orrery/device.h"
#include "orrery/profile.h"
#include "orrery/scenario.h"

/* How to run a kernel with some choice of numbers. */
struct buffer_trials {
    const struct scenario *scenario; /* how to build */
    const char *file;                /* OpenCL C */
    const struct kernel_info *info;
    uint64_t *work;    /* the instructions that trials execute are added to it */
    uint64_t local;    /* work-items of a work-group */
    uint32_t one_more; /* bit i: argument i has one element more than a size */
    /* the scenario with so many elements for each argument */
    enum status (*print)(FILE *stream, const void *self, const uint64_t *elements,
                         struct diagnosis *diagnosis);
    const void *self;
};

struct buffer_trial {
    uint64_t
        *elements; /* of each argument: those up to the last that was accessed; in local memory, the size */
    uint32_t far;  /* bit i: argument i is accessed where no size helps */
    struct idle_lines idle;
};
bool buffer_trial_run(const struct buffer_trials *trials, struct buffer_trial *out_trial);
void buffer_trial_fini(struct buffer_trial *trial);
bool buffer_trial_measure(const struct buffer_trials *trials, const uint64_t *elements,
                          struct buffer_trial *out_trial);

size_t buffer_trial_findings(const struct buffer_trials *trials, const uint64_t *elements);

enum { SIZE_FACTORS_MOST = 10, SIZE_CHOICES_MOST = 2 };

/* Tables of n x n: not if n is a width beside a height, and possible if nothing else explains a size. */
enum size_square { SQUARE_UNLIKELY, SQUARE_POSSIBLE, SQUARE_LIKELY };

/* A number that sizes are made of, with its value in each choice. */
struct size_factor {
    uint64_t value[SIZE_CHOICES_MOST];
    uint64_t past[SIZE_CHOICES_MOST]; /* how far ids go past it without a test: as large, or larger */
    uint64_t padding[SIZE_CHOICES_MOST];
    enum size_square square;
    bool around; /* tables of 2n + 1 are likely */
    bool alone;  /* tables of it and others are not: it is no size, but a radius, say */
};

struct size_fit {
    const struct buffer_trials *trials;
    size_t factor_count;
    struct size_factor factors[SIZE_FACTORS_MOST];
    size_t choice_count;
    struct buffer_trial trial[SIZE_CHOICES_MOST];
    uint64_t whole;                        /* n */
    uint64_t *elements[SIZE_CHOICES_MOST]; /* result */
    bool leaves[SIZE_CHOICES_MOST];        /* result: accesses go outside */
};
void buffer_sizes_fit(struct size_fit *fit);

#endif
