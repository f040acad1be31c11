/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the control flow of a draft. Afterwards each OpPhi has the predecessors that its block has. */
#include <string.h>

#include "mutate_module.h"

enum { PHIS_MOST = 64, PREDECESSORS_MOST = 30 };

static bool is_branch(const struct instruction *inst)
{
    return inst->opcode == SpvOpBranch || inst->opcode == SpvOpBranchConditional ||
           inst->opcode == SpvOpSwitch;
}

static struct instruction *any_of(struct draft *draft, bool (*wanted)(const struct instruction *))
{
    uint32_t seen = 0;
    struct instruction *taken = NULL;
    for (size_t i = 0; i < draft->instructions; i++)
        if (wanted(&draft->at[i]) && draft_pick(draft, ++seen) == 0)
            taken = &draft->at[i];
    return taken;
}

/* Not the first one: no branch may lead to it. */
static uint32_t any_label(struct draft *draft, uint32_t function)
{
    uint32_t seen = 0, taken = 0;
    bool first = true;
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *inst = &draft->at[i];
        if (inst->opcode != SpvOpLabel || inst->function != function)
            continue;
        if (!first && draft_pick(draft, ++seen) == 0)
            taken = inst->result;
        first = false;
    }
    return taken;
}

static bool leads_to(const struct draft *draft, const struct instruction *branch, uint32_t label)
{
    for (uint32_t i = 0; i < branch->operands; i++) {
        const struct operand *operand = &draft->operand[branch->operand + i];
        if (operand_is_id(operand) && draft->words[operand->word] == label)
            return true;
    }
    return false;
}

static uint32_t predecessors_of(const struct draft *draft, uint32_t label, const struct instruction **out)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->instructions && count < PREDECESSORS_MOST; i++)
        if (is_branch(&draft->at[i]) && leads_to(draft, &draft->at[i], label))
            out[count++] = &draft->at[i];
    return count;
}

static uint32_t value_from(const struct draft *draft, const struct instruction *phi, uint32_t block)
{
    for (uint32_t i = 3; i + 1 < phi->words; i += 2)
        if (*draft_word(draft, phi, i + 1) == block)
            return *draft_word(draft, phi, i);
    return 0;
}

/* Pairs of blocks that no longer lead here go; others get a value that is there at their end. */
static bool repair_phi(struct draft *draft, const struct instruction *phi)
{
    const struct instruction *from[PREDECESSORS_MOST];
    const uint32_t count = predecessors_of(draft, phi->block, from), word = phi->word, old = phi->words;
    uint32_t words[3 + 2 * PREDECESSORS_MOST] = {draft_head(SpvOpPhi, 3 + 2 * count), phi->type, phi->result};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = value_from(draft, phi, from[i]->block);
        if (!value)
            value = draft_value(draft, phi->type, from[i]);
        if (!value)
            return false;
        words[3 + 2 * i] = value;
        words[4 + 2 * i] = from[i]->block;
    }
    if (old == 3 + 2 * count && !memcmp(words, &draft->words[word], old * sizeof *words))
        return true;
    draft_remove(draft, word, old);
    return draft_insert(draft, word, words, 3 + 2 * count) && draft_read(draft);
}

static bool repair_phis(struct draft *draft)
{
    if (!draft_read(draft))
        return false;
    size_t at = draft_first(draft, 0, SpvOpPhi);
    for (uint32_t i = 0; at < draft->instructions && i < PHIS_MOST; i++) {
        if (!repair_phi(draft, &draft->at[at]))
            return false;
        at = draft_first(draft, at + 1, SpvOpPhi);
    }
    return true;
}

bool draft_redirect(struct draft *draft)
{
    const struct instruction *branch = any_of(draft, is_branch);
    const uint32_t label = branch ? any_label(draft, branch->function) : 0;
    if (!label)
        return false;
    for (uint32_t tries = 0; tries < 8; tries++) {
        const struct operand *operand =
            &draft->operand[branch->operand + draft_pick(draft, branch->operands)];
        const struct instruction *old =
            operand_is_id(operand) ? draft_definition(draft, draft->words[operand->word]) : NULL;
        if (!old || old->opcode != SpvOpLabel)
            continue;
        draft->words[operand->word] = label;
        return repair_phis(draft);
    }
    return false;
}

static bool may_split(const struct instruction *inst)
{
    return inst->block && inst->opcode != SpvOpLabel && inst->opcode != SpvOpPhi &&
           inst->opcode != SpvOpVariable && inst->opcode != SpvOpFunctionEnd && inst->opcode != SpvOpLine &&
           inst[-1].opcode != SpvOpLoopMerge && inst[-1].opcode != SpvOpSelectionMerge;
}

/* The second half has a label of its own, which is what phis after it know from now on. */
bool draft_split(struct draft *draft)
{
    const struct instruction *inst = any_of(draft, may_split);
    const uint32_t label = inst ? draft_fresh(draft) : 0;
    if (!label)
        return false;
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *phi = &draft->at[i];
        for (uint32_t j = 4; phi->opcode == SpvOpPhi && j < phi->words; j += 2)
            if (*draft_word(draft, phi, j) == inst->block)
                *draft_word(draft, phi, j) = label;
    }
    const uint32_t words[] = {draft_head(SpvOpBranch, 2), label, draft_head(SpvOpLabel, 2), label};
    return draft_insert(draft, inst->word, words, 4);
}

static bool is_switch(const struct instruction *inst)
{
    return inst->opcode == SpvOpSwitch;
}

bool draft_add_case(struct draft *draft)
{
    const struct instruction *inst = any_of(draft, is_switch);
    const uint32_t label = inst ? any_label(draft, inst->function) : 0;
    if (!label)
        return false;
    const struct instruction *selector = draft_definition(draft, *draft_word(draft, inst, 1));
    const struct instruction *type = selector ? draft_definition(draft, selector->type) : NULL;
    if (!type || type->opcode != SpvOpTypeInt)
        return false;
    const uint32_t wide = *draft_word(draft, type, 2) > 32, literal = draft_pick(draft, 12) - 2;
    const uint32_t words[] = {literal, wide ? draft_pick(draft, 2) : label, label};
    *draft_word(draft, inst, 0) = draft_head(SpvOpSwitch, inst->words + 2 + wide);
    return draft_insert(draft, inst->word + inst->words, words, 2 + wide) && repair_phis(draft);
}

static bool is_plain_branch(const struct instruction *inst)
{
    return inst->opcode == SpvOpBranch && inst[-1].opcode != SpvOpLoopMerge;
}

static uint32_t value_of(struct draft *draft, uint32_t opcode, const struct instruction *user)
{
    const size_t type = draft_first(draft, 0, opcode);
    return type < draft->instructions ? draft_value(draft, draft->at[type].result, user) : 0;
}

/* A branch gets another target: with a loop's head as that, a loop that may not end. */
bool draft_make_conditional(struct draft *draft)
{
    const struct instruction *inst = any_of(draft, is_plain_branch);
    const uint32_t label = inst ? any_label(draft, inst->function) : 0;
    const uint32_t condition = label ? value_of(draft, SpvOpTypeBool, inst) : 0;
    if (!condition)
        return false;
    const uint32_t other = *draft_word(draft, inst, 1), order = draft_pick(draft, 2);
    const uint32_t words[] = {draft_head(SpvOpBranchConditional, 4), condition, order ? label : other,
                              order ? other : label};
    const size_t word = inst->word;
    draft_remove(draft, word, 2);
    return draft_insert(draft, word, words, 4) && repair_phis(draft);
}

static bool is_plain_conditional(const struct instruction *inst)
{
    return inst->opcode == SpvOpBranchConditional && inst[-1].opcode != SpvOpLoopMerge;
}

bool draft_make_switch(struct draft *draft)
{
    const struct instruction *inst = any_of(draft, is_plain_conditional);
    const size_t first = draft_first(draft, 0, SpvOpTypeInt);
    if (!inst || first == draft->instructions)
        return false;
    const size_t second = draft_first(draft, first + 1, SpvOpTypeInt);
    const struct instruction *type =
        &draft->at[second < draft->instructions && draft_pick(draft, 2) ? second : first];
    const uint32_t selector = draft_value(draft, type->result, inst),
                   label = any_label(draft, inst->function);
    const uint32_t wide = *draft_word(draft, type, 2) > 32, then = *draft_word(draft, inst, 2);
    if (!selector)
        return false;
    uint32_t words[10] = {0, selector, *draft_word(draft, inst, 3)}, count = 3;
    for (uint32_t i = 0; i < 2; i++) {
        words[count++] = draft_pick(draft, 6) + 6 * i;
        if (wide)
            words[count++] = 0;
        words[count++] = i && draft_pick(draft, 2) ? label : then;
    }
    words[0] = draft_head(SpvOpSwitch, count);
    const size_t word = inst->word;
    draft_remove(draft, word, inst->words);
    return draft_insert(draft, word, words, count) && repair_phis(draft);
}

static bool is_label(const struct instruction *inst)
{
    return inst->opcode == SpvOpLabel;
}

/* A phi of any type, at the start of a block that others lead to. */
bool draft_insert_phi(struct draft *draft)
{
    const struct instruction *label = any_of(draft, is_label), *like = draft_any(draft);
    const uint32_t type = like->opcode == SpvOpFunction ? 0 : like->type;
    const struct instruction *from[PREDECESSORS_MOST];
    const uint32_t count = label ? predecessors_of(draft, label->result, from) : 0,
                   result = draft_fresh(draft);
    if (!type || !count || !result)
        return false;
    uint32_t words[3 + 2 * PREDECESSORS_MOST] = {draft_head(SpvOpPhi, 3 + 2 * count), type, result};
    for (uint32_t i = 0; i < count; i++) {
        words[3 + 2 * i] = draft_value(draft, type, from[i]);
        words[4 + 2 * i] = from[i]->block;
        if (!words[3 + 2 * i])
            return false;
    }
    const size_t word = label->word + label->words;
    return draft_insert(draft, word, words, 3 + 2 * count) && draft_use(draft, result, type, word);
}
