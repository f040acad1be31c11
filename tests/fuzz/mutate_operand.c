/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of operands and opcodes of a draft. What replaces a value has its type. */
#include "mutate_module.h"
#include "sim/interp/spirv_ops.h"

enum { OPCODES = 6432, CORE_OPCODES = 460, OPCODE_TRIES = 2000, EXTENDED_NUMBERS = 204 };

static uint32_t edge_word(struct draft *draft)
{
    static const uint32_t edges[] = {
        0,          1,          2,          3,          7,          8,          16,         31,
        32,         33,         63,         64,         127,        128,        255,        256,
        0x7fff,     0x8000,     65535,      65536,      0x7fffffff, 1u << 31,   ~0u,        ~1u,
        0x3f800000, 0x7f800000, 0x7fc00000, 0xff800000, 0x7c00,     0x3ff00000, 0x7ff00000, 0x00000400};
    return edges[draft_pick(draft, sizeof edges / sizeof *edges)];
}

/* Where constants and variables of the module may be added: before `user`, or before all functions. */
static size_t declaration_word(const struct draft *draft, const struct instruction *user)
{
    if (!user->function && user->opcode != SpvOpFunction)
        return user->word;
    return draft->at[draft_first(draft, 0, SpvOpFunction)].word;
}

/* A new constant of the type in the place of an operand. */
static bool operand_as_constant(struct draft *draft, const struct instruction *user, uint32_t word,
                                uint32_t type)
{
    const struct instruction *of = draft_definition(draft, type);
    const uint32_t fresh = draft_fresh(draft);
    const size_t at = declaration_word(draft, user);
    if (!of || !fresh)
        return false;
    draft->words[word] = fresh;
    if (of->opcode == SpvOpTypeInt || of->opcode == SpvOpTypeFloat) {
        const uint32_t words = *draft_word(draft, of, 2) > 32 ? 2 : 1;
        const uint32_t low = edge_word(draft), high = draft_pick(draft, 2) ? edge_word(draft) : 0;
        return draft_insert_instruction(draft, at, SpvOpConstant, (uint32_t[]){type, fresh, low, high},
                                        2 + words);
    }
    static const uint32_t others[] = {SpvOpConstantNull, SpvOpUndef};
    uint32_t opcode = others[draft_pick(draft, 2)];
    if (of->opcode == SpvOpTypeBool)
        opcode = draft_pick(draft, 2) ? SpvOpConstantTrue : SpvOpConstantFalse;
    return draft_insert_instruction(draft, at, opcode, (uint32_t[]){type, fresh}, 2);
}

uint32_t draft_alike(struct draft *draft, const struct instruction *defined, const struct instruction *user)
{
    uint32_t seen = 0, taken = 0;
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *other = &draft->at[i];
        const bool local = defined->function && defined->opcode != SpvOpFunction;
        if ((local && other->function != user->function) || other->opcode != defined->opcode ||
            other->result == defined->result)
            continue;
        if (draft_pick(draft, ++seen) == 0)
            taken = other->result;
    }
    return taken;
}

static bool change_id(struct draft *draft, const struct instruction *user, uint32_t word)
{
    const struct instruction *defined = draft_definition(draft, draft->words[word]);
    if (!defined)
        return false;
    const bool value = defined->type && defined->opcode != SpvOpFunction;
    if (value && draft_pick(draft, 4) == 0)
        return operand_as_constant(draft, user, word, defined->type);
    const uint32_t other =
        value ? draft_value(draft, defined->type, user) : draft_alike(draft, defined, user);
    if (!other || other == draft->words[word])
        return false;
    draft->words[word] = other;
    return true;
}

static bool change_number(struct draft *draft, uint32_t word)
{
    uint32_t *at = &draft->words[word];
    switch (draft_pick(draft, 4)) {
    case 0: *at = draft_pick(draft, 24); break;
    case 1: *at ^= 1u << draft_pick(draft, 8); break;
    case 2: *at += draft_pick(draft, 9) - 4; break;
    default: *at = edge_word(draft);
    }
    return true;
}

static bool change_part(struct draft *draft, const struct instruction *inst, const struct operand *operand)
{
    if (operand_is_id(operand))
        return change_id(draft, inst, operand->word);
    switch (operand->type) {
    case SPV_OPERAND_TYPE_RESULT_ID:
    case SPV_OPERAND_TYPE_LITERAL_STRING: return false;
    case SPV_OPERAND_TYPE_EXTENSION_INSTRUCTION_NUMBER:
        draft->words[operand->word] = draft_pick(draft, EXTENDED_NUMBERS);
        return true;
    case SPV_OPERAND_TYPE_TYPED_LITERAL_NUMBER:
        draft->words[operand->word + draft_pick(draft, operand->words)] = edge_word(draft);
        return true;
    default: return change_number(draft, operand->word);
    }
}

bool draft_change_operand(struct draft *draft)
{
    const struct instruction *inst = draft_any(draft);
    if (!inst->operands || inst->opcode == SpvOpCapability)
        return false;
    return change_part(draft, inst, &draft->operand[inst->operand + draft_pick(draft, inst->operands)]);
}

static uint32_t another_opcode(struct draft *draft, uint32_t opcode, bool any)
{
    const enum lowering family = spirv_op(opcode)->lowering;
    for (uint32_t tries = 0; tries < OPCODE_TRIES; tries++) {
        const uint32_t other = draft_pick(draft, tries % 2 ? CORE_OPCODES : OPCODES);
        const enum lowering lowering = spirv_op(other)->lowering;
        if (other != opcode && lowering != LOWER_ABSENT && lowering != LOWER_MODULE &&
            (any || lowering == family))
            return other;
    }
    return 0;
}

/* Mostly one that the table lowers in the same way: a family has a shape or two. */
bool draft_change_opcode(struct draft *draft)
{
    const struct instruction inst = *draft_any(draft);
    const bool any = draft_pick(draft, 5) == 0;
    if (!inst.function || spirv_op(inst.opcode)->lowering == LOWER_MODULE)
        return false;
    for (uint32_t tries = 0; tries < 6; tries++) {
        const uint32_t opcode = another_opcode(draft, inst.opcode, any);
        draft->words[inst.word] = draft_head(opcode ? opcode : inst.opcode, inst.words);
        if (opcode && draft_read(draft))
            return true;
    }
    return false;
}
