/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The cost of instructions in simulated time: the table, and the sum of each block.
 *
 * Sums are taken after optimisation and before a check adds code of its own, and count scalars for each
 * active lane. So they depend neither on the checks nor on the number of lanes of a wave.
 */
#ifndef ORRERY_INTERP_COST_H
#define ORRERY_INTERP_COST_H

struct ir;

/* COST(ENUM, number), in units of work of one work-item: orrery-topology(5) has the table. */
/* clang-format off */
#define WORK_COST_LIST(COST)                                                                          \
    COST(PER_NS, 16)         /* units of work that a device does in a nanosecond */                   \
    COST(INSTRUCTION, 1)     /* any instruction, for each component of its result */                  \
    COST(MATH, 8)            /* instead: a division, a square root, a mathematical function */        \
    COST(GLOBAL_BYTE, 1)     /* besides: a byte of global, constant or generic memory */              \
    COST(ATOMIC, 10)         /* besides: an atomic operation, a fence */                              \
    COST(GROUP, 12)          /* besides: what is done as a group or with the host: see cost.c */      \
    COST(TEXEL, 20)          /* besides: an image is read or written */
/* clang-format on */
enum {
#define WORK_COST_ENUM(name, number) WORK_##name = number,
    WORK_COST_LIST(WORK_COST_ENUM)
#undef WORK_COST_ENUM
};

/* Sets block->work; for each reading of the clock (IR_clock), imm becomes the work of its block before
 * it. */
void cost_count_work(struct ir *ir);

#endif
