/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A proof, for one emitted kernel, that no slot of the frame is overwritten while waiting lanes
 *          still need it.
 *
 * Interface
 *   slot_check   false: out_fault has the instruction, the slot and the block where the lanes wait. Code
 *                without divergent branches, with very many blocks, or with irreducible control flow is
 *                accepted unchecked
 *
 * Kernels with irreducible control flow run in waves of one lane (struct kernel_traits): no lane waits while
 * others run.
 */
#ifndef ORRERY_INTERP_SLOT_CHECK_H
#define ORRERY_INTERP_SLOT_CHECK_H

#include <stdbool.h>

#include "arena.h"
#include "bytecode.h"

struct slot_fault {
    uint32_t insn, slot; /* the instruction that writes, and the frame offset that it overwrites */
    /* the block where the lanes wait that read the slot later, and the block they came from */
    uint32_t waits_at, from;
};

bool slot_check(const struct code *code, struct arena *arena, struct slot_fault *out_fault);

#endif
