/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a draft that are copied, moved, removed, or new: rows of forms[], and values that
 * pass through memory or a structure. Operands become values of their types that are there. */
#include <string.h>

#include "mutate_module.h"
#include "sim/interp/spirv_ops.h"

enum { TRIES = 200 };

static bool is_movable(const struct instruction *inst)
{
    const enum lowering family = spirv_op(inst->opcode)->lowering;
    return inst->block && family != LOWER_CONTROL && family != LOWER_MODULE && inst->opcode != SpvOpVariable;
}

/* An instruction of a function, before which another one may stand. */
static struct instruction *any_place(struct draft *draft)
{
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        struct instruction *inst = draft_any(draft);
        if (is_movable(inst) || (inst->block && spirv_op(inst->opcode)->lowering == LOWER_CONTROL &&
                                 inst->opcode != SpvOpPhi && inst->opcode != SpvOpLabel &&
                                 inst[-1].opcode != SpvOpLoopMerge && inst[-1].opcode != SpvOpSelectionMerge))
            return inst;
    }
    return NULL;
}

/* After words were inserted: an operand after them, of the type, refers to the value from now on. */
bool draft_use(struct draft *draft, uint32_t value, uint32_t type, size_t word)
{
    uint32_t seen = 0;
    size_t taken = 0;
    if (!draft_read(draft) || !draft_definition(draft, value))
        return false;
    const uint32_t function = draft_definition(draft, value)->function;
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *user = &draft->at[i];
        if (user->function != function || user->word < word || user->result == value)
            continue;
        for (uint32_t j = 0; j < user->operands; j++) {
            const struct operand *operand = &draft->operand[user->operand + j];
            const struct instruction *old =
                operand_is_id(operand) ? draft_definition(draft, draft->words[operand->word]) : NULL;
            if (old && old->type == type && old->opcode != SpvOpFunction && draft_pick(draft, ++seen) == 0)
                taken = operand->word;
        }
    }
    if (taken)
        draft->words[taken] = value;
    return true;
}

/* The operands of a copy that stands before `place` become values that are there. */
static void adapt_operands(struct draft *draft, const struct instruction *from,
                           const struct instruction *place, uint32_t *copy)
{
    for (uint32_t i = 0; i < from->operands; i++) {
        const struct operand *operand = &draft->operand[from->operand + i];
        uint32_t *word = &copy[operand->word - from->word];
        const struct instruction *old = operand_is_id(operand) ? draft_definition(draft, *word) : NULL;
        if (!old || !old->type || old->opcode == SpvOpFunction)
            continue;
        const bool is_there = !old->function || (old->function == place->function && old < place);
        const uint32_t other = is_there && draft_pick(draft, 2) ? 0 : draft_value(draft, old->type, place);
        if (other)
            *word = other;
    }
}

bool draft_copy_instruction(struct draft *draft)
{
    uint32_t copy[INSTRUCTION_WORDS_MOST];
    const struct instruction *from = any_place(draft), *place = any_place(draft);
    if (!from || !place || !is_movable(from) || from->words > INSTRUCTION_WORDS_MOST)
        return false;
    const uint32_t type = from->type, result = from->result ? draft_fresh(draft) : 0;
    const size_t word = place->word;
    memcpy(copy, draft_word(draft, from, 0), from->words * sizeof *copy);
    adapt_operands(draft, from, place, copy);
    if (from->result)
        copy[from->type ? 2 : 1] = result;
    if (!draft_insert(draft, word, copy, from->words))
        return false;
    return !result || draft_use(draft, result, type, word);
}

/* Instructions that no corpus needs to have for a module to get one. T: the type of the result, t: a value of
 * it; b: a Boolean; v, V: any value; n: a number. */
static const struct form {
    uint16_t opcode;
    char operands[6];
} forms[] = {
    {SpvOpIAdd, "tt"},
    {SpvOpIMul, "tt"},
    {SpvOpISub, "tt"},
    {SpvOpFAdd, "tt"},
    {SpvOpFMul, "tt"},
    {SpvOpUDiv, "tt"},
    {SpvOpSRem, "tt"},
    {SpvOpShiftLeftLogical, "tt"},
    {SpvOpBitwiseXor, "tt"},
    {SpvOpSelect, "btt"},
    {SpvOpCopyObject, "t"},
    {SpvOpUndef, ""},
    {SpvOpSNegate, "t"},
    {SpvOpNot, "t"},
    {SpvOpFNegate, "t"},
    {SpvOpBitcast, "v"},
    {SpvOpUConvert, "v"},
    {SpvOpSConvert, "v"},
    {SpvOpFConvert, "v"},
    {SpvOpConvertSToF, "v"},
    {SpvOpConvertFToS, "v"},
    {SpvOpConvertUToF, "v"},
    {SpvOpConvertFToU, "v"},
    {SpvOpIEqual, "vw"},
    {SpvOpSLessThan, "vw"},
    {SpvOpFOrdLessThan, "vw"},
    {SpvOpULessThan, "vw"},
    {SpvOpLogicalAnd, "tt"},
    {SpvOpLogicalNot, "t"},
    {SpvOpCompositeExtract, "vn"},
    {SpvOpCompositeInsert, "vtn"},
    {SpvOpCompositeConstruct, "vw"},
    {SpvOpCompositeConstruct, "vwww"},
    {SpvOpVectorShuffle, "vvnn"},
    {SpvOpVectorExtractDynamic, "vv"},
    {SpvOpVectorInsertDynamic, "tvv"},
    {SpvOpPtrAccessChain, "tv"},
    {SpvOpInBoundsPtrAccessChain, "tv"},
    {SpvOpLoad, "v"},
    {SpvOpBitCount, "v"},
    {SpvOpIsNan, "v"},
    {SpvOpAny, "v"},
    {SpvOpDot, "vw"},
    {SpvOpVectorTimesScalar, "tv"},
    {SpvOpConvertPtrToU, "v"},
    {SpvOpSatConvertSToU, "v"},
    {SpvOpFunctionCall, "f"},
    {SpvOpFunctionCall, "ft"},
    {SpvOpFunctionCall, "fvv"},
};

/* Any value that `user` may use: of the type of another one. */
static uint32_t any_value(struct draft *draft, const struct instruction *user)
{
    for (uint32_t tries = 0; tries < TRIES; tries++) {
        const struct instruction *inst = draft_any(draft);
        if (inst->result && inst->type && inst->opcode != SpvOpFunction)
            return draft_value(draft, inst->type, user);
    }
    return 0;
}

static uint32_t any_defined(struct draft *draft, uint32_t opcode)
{
    const size_t first = draft_first(draft, 0, opcode);
    return first < draft->instructions ? draft_alike(draft, &(struct instruction){.opcode = opcode}, NULL)
                                       : 0;
}

static uint32_t type_of(const struct draft *draft, uint32_t value)
{
    const struct instruction *defined = draft_definition(draft, value);
    return defined ? defined->type : 0;
}

static uint32_t form_operand(struct draft *draft, char kind, uint32_t type, uint32_t before,
                             const struct instruction *place)
{
    switch (kind) {
    case 't': return draft_value(draft, type, place);
    case 'b': return draft_value(draft, any_defined(draft, SpvOpTypeBool), place);
    case 'w': return draft_value(draft, type_of(draft, before), place);
    case 'n': return draft_pick(draft, 4);
    case 'f': return any_defined(draft, SpvOpFunction);
    default: return any_value(draft, place);
    }
}

bool draft_new_instruction(struct draft *draft)
{
    const struct form *form = &forms[draft_pick(draft, sizeof forms / sizeof *forms)];
    const struct instruction *place = any_place(draft);
    const uint32_t like = place ? any_value(draft, place) : 0, type = type_of(draft, like);
    uint32_t operands[8] = {type, draft_fresh(draft)}, count = 2;
    if (!type || !operands[1])
        return false;
    const size_t word = place->word;
    for (const char *kind = form->operands; *kind; kind++, count++) {
        operands[count] = form_operand(draft, *kind, type, operands[count - 1], place);
        if (!operands[count] && *kind != 'n')
            return false;
    }
    return draft_insert_instruction(draft, word, form->opcode, operands, count) &&
           draft_use(draft, operands[1], type, word);
}

static void replace_uses(struct draft *draft, uint32_t old, uint32_t value)
{
    for (size_t i = 0; i < draft->operands; i++)
        if (operand_is_id(&draft->operand[i]) && draft->words[draft->operand[i].word] == old)
            draft->words[draft->operand[i].word] = value;
}

/* Names and decorations go with what they are of. */
static void forget(struct draft *draft, uint32_t id)
{
    for (size_t i = draft->instructions; i-- > 0;) {
        const struct instruction *inst = &draft->at[i];
        if (!inst->function && !inst->result && inst->words > 1 && inst->opcode != SpvOpEntryPoint &&
            inst->operands && operand_is_id(&draft->operand[inst->operand]) &&
            *draft_word(draft, inst, 1) == id)
            draft_remove(draft, inst->word, inst->words);
    }
}

bool draft_remove_instruction(struct draft *draft)
{
    const struct instruction *inst = draft_any(draft);
    if (!is_movable(inst) && inst->opcode != SpvOpPhi)
        return false;
    const uint32_t result = inst->result, other = result ? draft_value(draft, inst->type, inst) : 0;
    if (other)
        replace_uses(draft, result, other);
    draft_remove(draft, inst->word, inst->words);
    if (result && draft_read(draft))
        forget(draft, result);
    return true;
}

bool draft_swap_instructions(struct draft *draft)
{
    const struct instruction *first = any_place(draft);
    if (!first || first + 1 == draft->at + draft->instructions || !is_movable(first) ||
        !is_movable(first + 1) || first[1].words > INSTRUCTION_WORDS_MOST)
        return false;
    uint32_t words[INSTRUCTION_WORDS_MOST];
    memcpy(words, draft_word(draft, first + 1, 0), first[1].words * sizeof *words);
    memmove(draft_word(draft, first, first[1].words), draft_word(draft, first, 0),
            first->words * sizeof *words);
    memcpy(draft_word(draft, first, 0), words, first[1].words * sizeof *words);
    return true;
}

/* The type with these operands; declared now if the module does not have it. 0: no space. */
static uint32_t declared_type(struct draft *draft, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *inst = &draft->at[i];
        if (inst->opcode == opcode && inst->words == count + 2 &&
            !memcmp(draft_word(draft, inst, 2), operands, count * sizeof *operands))
            return inst->result;
    }
    uint32_t words[8] = {draft_fresh(draft)};
    memcpy(words + 1, operands, count * sizeof *operands);
    const size_t at = draft->at[draft_first(draft, 0, SpvOpFunction)].word;
    return words[0] && draft_insert_instruction(draft, at, opcode, words, count + 1) && draft_read(draft)
               ? words[0]
               : 0;
}

/* Where a value may be used: an instruction, by index, since declarations move it. */
struct use {
    size_t place;
    uint32_t value, type;
};

static bool any_use(struct draft *draft, struct use *use)
{
    const struct instruction *place = any_place(draft);
    if (!place)
        return false;
    use->value = any_value(draft, place);
    use->type = type_of(draft, use->value);
    use->place = (size_t)(place - draft->at);
    return use->type;
}

/* A value is stored in a new variable of the function, and loaded again. */
bool draft_through_memory(struct draft *draft)
{
    struct use use;
    if (!any_use(draft, &use))
        return false;
    const size_t before = draft->instructions;
    const uint32_t pointer =
        declared_type(draft, SpvOpTypePointer, (uint32_t[]){SpvStorageClassFunction, use.type}, 2);
    if (!pointer)
        return false;
    const struct instruction *place = &draft->at[use.place + draft->instructions - before];
    const uint32_t variable = draft_fresh(draft), loaded = draft_fresh(draft);
    const size_t entry =
        draft_first(draft, (size_t)(draft_definition(draft, place->function) - draft->at), SpvOpLabel);
    const size_t word = place->word, start = draft->at[entry].word + draft->at[entry].words;
    if (!loaded || word < start || draft->most < draft->count + 12)
        return false;
    draft_insert_instruction(draft, word, SpvOpLoad, (uint32_t[]){use.type, loaded, variable}, 3);
    draft_insert_instruction(draft, word, SpvOpStore, (uint32_t[]){variable, use.value}, 2);
    draft_insert_instruction(draft, start, SpvOpVariable,
                             (uint32_t[]){pointer, variable, SpvStorageClassFunction}, 3);
    return draft_use(draft, loaded, use.type, word + 4);
}

/* A value becomes a member of a structure, or an element of an array, and is taken out again. */
bool draft_through_struct(struct draft *draft)
{
    struct use use;
    if (!any_use(draft, &use))
        return false;
    const size_t before = draft->instructions;
    const uint32_t composite = declared_type(draft, SpvOpTypeStruct, (uint32_t[]){use.type, use.type}, 2);
    if (!composite)
        return false;
    const struct instruction *place = &draft->at[use.place + draft->instructions - before];
    const uint32_t made = draft_fresh(draft), part = draft_fresh(draft), index = draft_pick(draft, 2);
    const uint32_t other = draft_value(draft, use.type, place);
    const size_t word = place->word;
    if (!part || !other || draft->most < draft->count + 10)
        return false;
    draft_insert_instruction(draft, word, SpvOpCompositeExtract, (uint32_t[]){use.type, part, made, index},
                             4);
    draft_insert_instruction(draft, word, SpvOpCompositeConstruct,
                             (uint32_t[]){composite, made, use.value, other}, 4);
    return draft_use(draft, part, use.type, word);
}
