/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of supported instructions: spirv_ops.def as an array by opcode. One without a row is refused by
 * name when a module has it, so the array is also the list of what is supported.
 */
#include "spirv_ops.h"

#include <stddef.h>
#include <stdio.h>

#include "ir.h"

/* libspirv.h defines data, so that only one C file may include it (sim/frontend does). */
extern const char *spvOpcodeString(const uint32_t opcode);

enum { OPCODES = 6432 }; /* extensions begin at 4160 */

static const struct spirv_op table[OPCODES] = {
#define SPIRV_OP(name, lowering, argument) [SpvOp##name] = {"Op" #name, LOWER_##lowering, argument},
#include "spirv_ops.def"
#undef SPIRV_OP
};

const struct spirv_op *spirv_op(uint32_t opcode)
{
    static const struct spirv_op absent = {NULL, LOWER_ABSENT, 0};
    return opcode < OPCODES ? &table[opcode] : &absent;
}

const char *spirv_op_name(uint32_t opcode)
{
    static _Thread_local char text[64];
    snprintf(text, sizeof text, "Op%s", spvOpcodeString(opcode));
    return text;
}

bool spirv_op_supported(uint32_t opcode)
{
    return spirv_op(opcode)->lowering != LOWER_ABSENT;
}
