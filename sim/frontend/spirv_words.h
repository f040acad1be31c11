/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The words of a module, cut into instructions, for the passes that read and rewrite them.
 *
 * Interface
 *   opcode_of, length_of   of an instruction, from its first word; instruction_word: the reverse
 *   literal_is             do the words of a literal spell this string?
 *   is_linkage             is it the linkage of a function or variable?
 *   spirv_take             the words replace those of the module
 */
#ifndef ORRERY_FRONTEND_SPIRV_WORDS_H
#define ORRERY_FRONTEND_SPIRV_WORDS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "orrery/compiler.h"

enum { BOUND_WORD = 3, HEADER_WORDS = 5 }; /* every id is below words[BOUND_WORD] */

static inline uint32_t opcode_of(uint32_t word)
{
    return word & SpvOpCodeMask;
}

static inline uint32_t length_of(uint32_t word)
{
    return word >> SpvWordCountShift;
}

static inline uint32_t instruction_word(uint32_t opcode, size_t length)
{
    return (uint32_t)length << SpvWordCountShift | opcode;
}

static inline bool literal_is(const uint32_t *words, uint32_t count, const char *string)
{
    const size_t size = strlen(string) + 1;
    return count * sizeof *words >= size && !memcmp(words, string, size);
}

/* OpDecorate LinkageAttributes: a name in words 3 to count - 2, the type of linkage in the last word. */
static inline bool is_linkage(const uint32_t *words, uint32_t count)
{
    return opcode_of(words[0]) == SpvOpDecorate && count > 4 && words[2] == SpvDecorationLinkageAttributes;
}

static inline void spirv_take(struct spirv *spirv, uint32_t *words, size_t word_count)
{
    free(spirv->words);
    *spirv = (struct spirv){.words = words, .word_count = word_count};
}

#endif
