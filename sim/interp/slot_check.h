/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A proof, for one emitted kernel, that no slot of the frame is overwritten while lanes that wait
 * still need it.
 *
 * Interface
 *   slot_check   false: out_fault names the instruction, the slot and the block where the lanes wait. Code
 * without divergent branches, of very many blocks, or with irreducible control flow, is accepted without a
 * look.
 *
 * Kernels with irreducible control flow run in waves of one lane (struct kernel_traits), of which none waits
 * while the others go on.
 */
#ifndef ORRERY_INTERP_SLOT_CHECK_H
#define ORRERY_INTERP_SLOT_CHECK_H

#include <stdbool.h>

#include "arena.h"
#include "bytecode.h"

struct slot_fault {
    uint32_t insn, slot;     /* the instruction that writes, and the frame offset that it writes to */
    uint32_t waits_at, from; /* blocks: where lanes wait that read the slot later, and their previous one */
};

bool slot_check(const struct code *code, struct arena *arena, struct slot_fault *out_fault);

#endif
