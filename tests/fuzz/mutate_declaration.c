/* SPDX-License-Identifier: Apache-2.0 */
/* New decorations and execution modes of a draft. */
#include "mutate_module.h"

/* operands: how many literals follow, each below `below`. */
struct declaration {
    uint32_t kind, operands, below;
};

static bool declare(struct draft *draft, size_t word, uint32_t opcode, uint32_t id,
                    const struct declaration *what)
{
    uint32_t words[6] = {draft_head(opcode, 3 + what->operands), id, what->kind};
    for (uint32_t i = 0; i < what->operands; i++)
        words[3 + i] = draft_pick(draft, what->below);
    return draft_insert(draft, word, words, 3 + what->operands);
}

bool draft_decorate(struct draft *draft)
{
    static const struct declaration kinds[] = {
        {SpvDecorationCPacked, 0, 0},         {SpvDecorationRestrict, 0, 0},
        {SpvDecorationVolatile, 0, 0},        {SpvDecorationConstant, 0, 0},
        {SpvDecorationNonWritable, 0, 0},     {SpvDecorationSaturatedConversion, 0, 0},
        {SpvDecorationFuncParamAttr, 1, 8},   {SpvDecorationFPRoundingMode, 1, 4},
        {SpvDecorationFPFastMathMode, 1, 32}, {SpvDecorationAlignment, 1, 65},
        {SpvDecorationNoSignedWrap, 0, 0},    {SpvDecorationNoUnsignedWrap, 0, 0},
        {SpvDecorationBuiltIn, 1, 44},        {SpvDecorationMaxByteOffset, 1, 65},
    };
    const struct instruction *inst = draft_any(draft);
    size_t at = 0;
    while (at < draft->instructions &&
           !(draft->at[at].opcode >= SpvOpTypeVoid && draft->at[at].opcode <= SpvOpFunction))
        at++;
    if (!inst->result || at == draft->instructions)
        return false;
    return declare(draft, draft->at[at].word, SpvOpDecorate, inst->result,
                   &kinds[draft_pick(draft, sizeof kinds / sizeof *kinds)]);
}

bool draft_execution_mode(struct draft *draft)
{
    static const struct declaration modes[] = {
        {SpvExecutionModeLocalSize, 3, 9},        {SpvExecutionModeLocalSizeHint, 3, 9},
        {SpvExecutionModeVecTypeHint, 1, 9},      {SpvExecutionModeContractionOff, 0, 0},
        {SpvExecutionModeSubgroupSize, 1, 65},    {SpvExecutionModeSubgroupsPerWorkgroup, 1, 9},
        {SpvExecutionModeInitializer, 0, 0},      {SpvExecutionModeDenormFlushToZero, 1, 65},
        {SpvExecutionModeRoundingModeRTZ, 1, 65},
    };
    size_t last = draft_first(draft, 0, SpvOpEntryPoint);
    if (last == draft->instructions)
        return false;
    while (last + 1 < draft->instructions && draft->at[last + 1].opcode == SpvOpEntryPoint)
        last++;
    const struct instruction *entry = &draft->at[last];
    return declare(draft, entry->word + entry->words, SpvOpExecutionMode, *draft_word(draft, entry, 2),
                   &modes[draft_pick(draft, sizeof modes / sizeof *modes)]);
}
