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
    /* Sizes that work-groups of one dimension may have to have: the largest power of two that local ids are
     * compared with, and as many elements as an array of local memory has. 0: there is none. any_group:
     * work-items of a group share a loop, so that any size will do. */
    uint32_t tested_items, array_items;
    bool any_group, local_ids; /* local_ids: it reads them */
    uint32_t tile;       /* the smaller size of a two-dimensional array in local memory; 0: there is none */
    bool several_groups; /* it reads what differs between work-groups: global ids, or those of groups */
    /* Bit i is argument i: an id, or what was computed from one, is compared with it; nothing reads it. */
    uint32_t limits, unread;
    uint32_t limits_of[3]; /* the id is one of that dimension, or may be */
    uint32_t group_limits; /* the id is a work-group's, and nothing else */
    uint32_t item_limits;  /* the id is a local one, and nothing else */
    /* The id is one to which the sizes of the launch were added: a loop in which work-items share a range. */
    uint32_t shared;
    /* What is compared is no id: the counter of a loop, say. */
    uint32_t counts;
    /* An id, or a part of a division of one, is compared with their product, or with one of them: rows and
     * columns of a table in a launch of one dimension. */
    uint32_t products;
    uint32_t divisors; /* an id is divided by it */
    uint32_t strides;  /* an id, or the counter of a loop, is multiplied with it */
    uint32_t addends;  /* it is added to an id or a counter, or subtracted: an offset or a radius */
    uint32_t border;   /* the constant that is added to a number before a multiplication: n + 2; 0: none */
    /* It is a counter or lock: atomics access its memory, or it is written and has one element. */
    uint32_t counters;
    /* Its elements are where the parts of another array begin, as the row pointers of a sparse matrix: there
     * is one more of them than there are parts. */
    uint32_t offsets;
};

/* One dimension and no tile where that cannot be said, also without memory. */
struct kernel_shape kernel_shape_find(const uint32_t *words, size_t word_count, const char *kernel);

#endif
