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
 * In irreducible control flow no slots are shared and phis write active lanes alone, so an instruction that
 * runs again writes for waiting lanes what it wrote before. For its operands' blocks dominate its own, which
 * dominates where its value is live: a lane that passed one of them again has passed it, too. Loads write
 * active lanes alone.
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
