/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  How the words of a module are cut into instructions, for the stages that go through them.
 */
#ifndef ORRERY_FRONTEND_SPIRV_WORDS_H
#define ORRERY_FRONTEND_SPIRV_WORDS_H

#include <stdint.h>

#include <spirv/unified1/spirv.h>

enum { HEADER_WORDS = 5 };

/* Of the first word of an instruction. */
static inline uint32_t opcode_of(uint32_t word)
{
    return word & SpvOpCodeMask;
}

static inline uint32_t length_of(uint32_t word)
{
    return word >> SpvWordCountShift;
}

#endif
