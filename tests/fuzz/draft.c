/* SPDX-License-Identifier: Apache-2.0 */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

bool draft_init(struct draft *draft, const void *bytes, size_t count, size_t most, uint32_t seed)
{
    *draft = (struct draft){.count = count, .most = most, .random = seed};
    draft->words = calloc(most + 1, sizeof *draft->words);
    draft->defined = calloc(DRAFT_IDS_MOST, sizeof *draft->defined);
    if (!draft->words || !draft->defined || count > most)
        return false;
    memcpy(draft->words, bytes, count * sizeof *draft->words);
    return true;
}

void draft_fini(struct draft *draft)
{
    free(draft->words);
    free(draft->at);
    free(draft->operand);
    free(draft->defined);
}

uint32_t draft_pick(struct draft *draft, uint32_t n)
{
    uint64_t z = draft->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return n ? (uint32_t)(z % n) : 0;
}

static void *grow(void *array, size_t count, size_t *most, size_t bytes)
{
    if (count < *most)
        return array;
    *most = *most * 2 + 256;
    array = realloc(array, *most * bytes);
    if (!array)
        exit(99);
    return array;
}

static spv_result_t see(void *self, const spv_parsed_instruction_t *inst)
{
    struct draft *draft = self;
    const struct instruction *last = draft->instructions ? &draft->at[draft->instructions - 1] : NULL;
    struct instruction now = {.word = last ? last->word + last->words : DRAFT_HEADER,
                              .words = inst->num_words,
                              .opcode = inst->opcode,
                              .type = inst->type_id,
                              .result = inst->result_id,
                              .operand = (uint32_t)draft->operands,
                              .operands = inst->num_operands};
    if (now.result >= DRAFT_IDS_MOST || now.type >= DRAFT_IDS_MOST)
        return SPV_ERROR_INVALID_ID;
    if (now.opcode == SpvOpFunction)
        draft->function = now.result;
    if (now.opcode == SpvOpLabel)
        draft->block = now.result;
    now.function = draft->function;
    now.block = draft->block;
    if (now.opcode == SpvOpFunctionEnd)
        draft->function = draft->block = 0;
    for (uint16_t i = 0; i < inst->num_operands; i++) {
        const spv_parsed_operand_t *operand = &inst->operands[i];
        draft->operand = grow(draft->operand, draft->operands, &draft->operands_most, sizeof *draft->operand);
        draft->operand[draft->operands++] =
            (struct operand){now.word + operand->offset, operand->num_words, operand->type};
    }
    draft->at = grow(draft->at, draft->instructions, &draft->instructions_most, sizeof *draft->at);
    draft->at[draft->instructions++] = now;
    if (now.result)
        draft->defined[now.result] = (uint32_t)draft->instructions;
    return SPV_SUCCESS;
}

/* Words of the other byte order are read as such, and would not be those at their positions. */
bool draft_read(struct draft *draft)
{
    draft->instructions = draft->operands = 0;
    draft->function = draft->block = 0;
    memset(draft->defined, 0, DRAFT_IDS_MOST * sizeof *draft->defined);
    if (draft->count <= DRAFT_HEADER || draft->words[0] != SpvMagicNumber || draft->words[3] > DRAFT_IDS_MOST)
        return false;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    const spv_result_t result = spvBinaryParse(context, draft, draft->words, draft->count, NULL, see, NULL);
    spvContextDestroy(context);
    return result == SPV_SUCCESS && draft->instructions > 0;
}

size_t draft_first(const struct draft *draft, size_t from, uint32_t opcode)
{
    while (from < draft->instructions && draft->at[from].opcode != opcode)
        from++;
    return from;
}

struct instruction *draft_any(struct draft *draft)
{
    const size_t body = draft_first(draft, 0, SpvOpFunction);
    const size_t first = body < draft->instructions && draft_pick(draft, 5) ? body : 0;
    return &draft->at[first + draft_pick(draft, (uint32_t)(draft->instructions - first))];
}

bool draft_insert(struct draft *draft, size_t word, const uint32_t *words, size_t count)
{
    if (draft->count + count > draft->most)
        return false;
    memmove(draft->words + word + count, draft->words + word, (draft->count - word) * sizeof *draft->words);
    memcpy(draft->words + word, words, count * sizeof *draft->words);
    draft->count += count;
    return true;
}

bool draft_insert_instruction(struct draft *draft, size_t word, uint32_t opcode, const uint32_t *operands,
                              uint32_t count)
{
    uint32_t words[INSTRUCTION_WORDS_MOST] = {draft_head(opcode, count + 1)};
    if (count >= INSTRUCTION_WORDS_MOST)
        return false;
    memcpy(words + 1, operands, count * sizeof *operands);
    return draft_insert(draft, word, words, count + 1);
}

void draft_remove(struct draft *draft, size_t word, size_t count)
{
    draft->count -= count;
    memmove(draft->words + word, draft->words + word + count, (draft->count - word) * sizeof *draft->words);
}

uint32_t draft_fresh(struct draft *draft)
{
    return draft->words[3] < DRAFT_IDS_MOST ? draft->words[3]++ : 0;
}

struct instruction *draft_definition(const struct draft *draft, uint32_t id)
{
    const uint32_t index = id < DRAFT_IDS_MOST ? draft->defined[id] : 0;
    return index ? &draft->at[index - 1] : NULL;
}

/* How often a value is taken: those of the block dominate for sure, those of earlier blocks perhaps. */
static uint32_t weight(const struct instruction *value, const struct instruction *user)
{
    if (!value->function)
        return user->function || value < user ? 1 : 0;
    if (value->function != user->function || (value >= user && user->opcode != SpvOpPhi))
        return 0;
    return value->block == user->block || !value->block ? 6 : 2;
}

uint32_t draft_value(struct draft *draft, uint32_t type, const struct instruction *user)
{
    uint32_t all = 0, taken = 0;
    for (size_t i = 0; i < draft->instructions; i++) {
        const struct instruction *value = &draft->at[i];
        if (!value->result || value->type != type || value->opcode == SpvOpFunction)
            continue;
        const uint32_t share = weight(value, user);
        all += share;
        if (share && draft_pick(draft, all) < share)
            taken = value->result;
    }
    return taken;
}
