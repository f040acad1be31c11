/* SPDX-License-Identifier: Apache-2.0 */
/*
 * get_global_id(3) and its like: the translator takes the fourth component of a vector of three, which no
 * module may do by a literal index. With an index that is a value it may, and lowering then follows OpenCL
 * C. So the extract becomes OpVectorExtractDynamic with a constant.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { BUILTIN_COMPONENTS = 3, CONSTANT_WORDS = 5 };

struct extracts {
    uint8_t *builtin; /* per id: a built-in variable, or a value loaded from one */
    uint32_t bound;
    uint32_t type;  /* the type of the first such component; the constant gets it */
    uint32_t index; /* id of the constant; 0: not needed */
};

static bool is_builtin(const struct extracts *extracts, uint32_t id)
{
    return id < extracts->bound && extracts->builtin[id];
}

/* Rewrites the instruction in place: both forms have five words. */
static void extract_visit(struct extracts *extracts, uint32_t *words, uint32_t count)
{
    switch (opcode_of(words[0])) {
    case SpvOpDecorate:
        if (count == 4 && words[2] == SpvDecorationBuiltIn && words[1] < extracts->bound)
            extracts->builtin[words[1]] = 1;
        return;
    case SpvOpLoad:
        if (is_builtin(extracts, words[3]) && words[2] < extracts->bound)
            extracts->builtin[words[2]] = 1;
        return;
    case SpvOpCompositeExtract:
        if (count != 5 || words[4] < BUILTIN_COMPONENTS || !is_builtin(extracts, words[3]))
            return;
        if (!extracts->index) {
            extracts->type = words[1];
            extracts->index = extracts->bound;
        }
        words[0] = instruction_word(SpvOpVectorExtractDynamic, 5);
        words[4] = extracts->index;
    }
}

/* Declares the constant before the first function. */
static enum status declare_index(struct spirv *spirv, const struct extracts *extracts)
{
    uint32_t *words = realloc(spirv->words, (spirv->word_count + CONSTANT_WORDS) * sizeof *words), width = 32;
    size_t at = HEADER_WORDS;
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    for (; opcode_of(words[at]) != SpvOpFunction; at += length_of(words[at]))
        if (opcode_of(words[at]) == SpvOpTypeInt && words[at + 1] == extracts->type)
            width = words[at + 2];
    const uint32_t size = width == 64 ? CONSTANT_WORDS : CONSTANT_WORDS - 1;
    const uint32_t constant[] = {instruction_word(SpvOpConstant, size), extracts->type, extracts->index,
                                 BUILTIN_COMPONENTS, 0};
    memmove(words + at + size, words + at, (spirv->word_count - at) * sizeof *words);
    memcpy(words + at, constant, size * sizeof *words);
    words[BOUND_WORD] = extracts->index + 1;
    *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + size};
    return STATUS_OK;
}

enum status repair_extracts(struct spirv *spirv)
{
    struct extracts extracts = {.bound = spirv->words[BOUND_WORD]};
    extracts.builtin = calloc(extracts.bound, 1);
    if (!extracts.builtin)
        return STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at]))
        extract_visit(&extracts, spirv->words + at, length_of(spirv->words[at]));
    free(extracts.builtin);
    return extracts.index ? declare_index(spirv, &extracts) : STATUS_OK;
}
