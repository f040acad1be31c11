/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What to change where an index is outside of its array: the guard that the access needs, the size
 *          that the array needs, or the indices that it has.
 *
 * Interface
 *   bounds_advice   adds the advice; nothing when there is no element to advise
 *
 * The index is compared with the ids of the work-item and with the launch's whole numbers. What the kernel
 * computes it from is given; how it does so is not.
 */
#ifndef ORRERY_SIM_DEVICE_BOUNDS_ADVICE_H
#define ORRERY_SIM_DEVICE_BOUNDS_ADVICE_H

#include "launch.h"
#include "sim/base/sentence.h"

enum array_owner { ARRAY_OF_LAUNCH, ARRAY_OF_PROGRAM, ARRAY_OF_GROUP, ARRAY_OF_ITEM };
struct bounds_question {
    const struct launch *launch;
    const struct item *item; /* the work-item that made the access */
    const char *name;        /* of the array */
    const char *elements;    /* "floats" */
    int64_t index;
    uint64_t count; /* of elements */
    enum array_owner owner;
    enum index_source source;
    bool counted; /* the index itself is what a loop counts */
    bool always;  /* every work-item makes the access */
};
void bounds_advice(const struct bounds_question *of, struct sentence *out_advice);

#endif
