/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The whole numbers that a kernel without a scenario gets. No two of them are equal, so that one in
 *          the place of another shows, and each is near the size that it stands for.
 *
 * Interface
 *   numbers_choose   fills the values of the arguments of request->numbers
 *
 * In one order the values ascend with the arguments, in the other they descend: whichever of two numbers is
 * taken for the other, in one order the wrong one is the larger.
 */
#ifndef ORRERY_NUMBER_CHOICE_H
#define ORRERY_NUMBER_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel_shape.h"

enum number_order { NUMBERS_ASCEND, NUMBERS_DESCEND, NUMBER_ORDERS };

struct number_request {
    const struct kernel_shape *shape;
    uint32_t numbers;    /* bit i: argument i is a whole number that gets a value */
    uint32_t dimensions; /* of the launch */
    uint64_t global[3], local[3], groups[3];
    uint64_t in_group; /* what local ids alone are compared with; 0: less than the work-items of a group */
    uint64_t whole;    /* n: what all get that have no need to differ */
    bool exact;        /* no id stays below a number: n is the size of the launch */
};

/* Those that are small in each order, as they are offsets or radiuses. */
uint32_t numbers_small(const struct kernel_shape *shape);
void numbers_choose(const struct number_request *request, enum number_order order, uint64_t out_values[32]);

#endif
