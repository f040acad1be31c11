/* SPDX-License-Identifier: Apache-2.0 */
/* Specialisation constants, in words that no module was made of yet. */
#include "ir.h"

#include <string.h>

/*
 * The id that carries SpecId spec_id, or 0. The instruction searched for is 4 words long and never the last.
 */
static uint32_t spec_constant_id(const uint32_t *words, size_t word_count, uint32_t spec_id)
{
    for (size_t i = 5; i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SpvOpDecorate && words[i + 2] == SpvDecorationSpecId &&
            words[i + 3] == spec_id)
            return words[i + 1];
    return 0;
}

static void specialise(uint32_t *insn, const struct spec_constant *constant)
{
    uint32_t length = insn[0] >> 16, op = insn[0] & 0xffff;
    if (op == SpvOpSpecConstant)
        memcpy(insn + 3, &constant->value, (length - 3) * sizeof *insn);
    else if (op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse)
        insn[0] = length << 16 | (constant->value & 0xff ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
}

void module_specialise(uint32_t *words, size_t word_count, const struct spec_constant *constants,
                       size_t constant_count)
{
    for (size_t c = 0; c < constant_count; c++) {
        uint32_t id = spec_constant_id(words, word_count, constants[c].id);
        for (size_t i = 5; id && i + 3 <= word_count && words[i] >> 16; i += words[i] >> 16)
            if (words[i + 2] == id)
                specialise(words + i, &constants[c]);
    }
}

uint32_t module_spec_constant_size(const uint32_t *words, size_t word_count, uint32_t spec_id)
{
    /* The instruction searched for is 4 words long at most (OpTypeFloat: 3) and never the last. */
    uint32_t id = spec_constant_id(words, word_count, spec_id), type = 0, size = 0;
    for (size_t i = 5; id && i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16) {
        uint32_t op = words[i] & 0xffff;
        if ((op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse) && words[i + 2] == id)
            return 1;
        if (op == SpvOpSpecConstant && words[i + 2] == id)
            type = words[i + 1];
    }
    for (size_t i = 5; type && i + 4 <= word_count && words[i] >> 16; i += words[i] >> 16)
        if (((words[i] & 0xffff) == SpvOpTypeInt || (words[i] & 0xffff) == SpvOpTypeFloat) &&
            words[i + 1] == type)
            size = words[i + 2] / 8;
    return size;
}
