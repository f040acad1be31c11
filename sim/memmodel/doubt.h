/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Two accesses of one launch that nothing which it did itself orders. Others may have: a kernel that ran meanwhile, one that it
 *          enqueued, or the host handed on what a work-group had released to another one (R11, R21, R32).
 */
#ifndef ORRERY_MEMMODEL_DOUBT_H
#define ORRERY_MEMMODEL_DOUBT_H

#include <stdbool.h>
#include <stdint.h>

/* Units and ticks are those of the launch's own order. */
struct doubt {
    int space;                /* IN_GLOBAL and so on */
    uint64_t address;
    uint64_t earlier, tick;   /* who, and in which slice of its */
    uint64_t later;           /* who acts now */
    uint64_t group_items;     /* of the launch's largest work-group */
};

/* True: the earlier comes before the later. NULL: there are no others. */
struct doubts { void *self; bool (*settle)(void *self, const struct doubt *doubt); };

#endif
