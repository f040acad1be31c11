/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What the code of a kernel says about the work-items that it is written for, for `orrery run
 *          kernel.cl`: how many dimensions of the ids it reads, how wide its square tile of local memory is,
 *          and what its arguments are for.
 *
 * Interface
 *   kernel_shape_find   of a kernel of a module, with the functions that it calls
 */
#ifndef ORRERY_KERNEL_SHAPE_H
#define ORRERY_KERNEL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_shape {
    uint32_t dimensions; /* 1 to 3 */
    uint32_t tile;       /* the smaller size of a two-dimensional array in local memory; 0: there is none */
    bool several_groups; /* it reads what differs between work-groups: global ids, or those of groups */
    /* Bit i is argument i: an id, or what was computed from one, is compared with it; nothing reads it. */
    uint32_t limits, unread;
    uint32_t limits_of[3]; /* the id is one of that dimension, or may be */
    /* It is a counter or lock: atomics access its memory, or it is written and has one element. */
    uint32_t counters;
    /* Its elements are where the parts of another array begin, as the row pointers of a sparse matrix: there
     * is one more of them than there are parts. */
    uint32_t offsets;
};

/* One dimension and no tile where that cannot be said, also without memory. */
struct kernel_shape kernel_shape_find(const uint32_t *words, size_t word_count, const char *kernel);

#endif
