/* SPDX-License-Identifier: Apache-2.0 */
/* Marks a module as compiled from source by this front end. clang turns an access to components of a vector
 * into an access to the whole vector; for marked modules the interpreter narrows the access to the source's
 * components (MODULE_COMPONENTS). The mark is an OpSourceExtension, which has no effect and survives
 * caches, binaries and the linker. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { MARK_WORDS = 1 + (sizeof MODULE_COMPONENTS + sizeof(uint32_t) - 1) / sizeof(uint32_t) };

bool mark_is(const uint32_t *words, uint32_t count)
{
    return opcode_of(words[0]) == SpvOpSourceExtension &&
           (count - 1) * sizeof *words >= sizeof MODULE_COMPONENTS &&
           !strcmp((const char *)(words + 1), MODULE_COMPONENTS);
}

/* Sections of a module in order (SPIR-V 2.4): the instructions that may precede or accompany
 * OpSourceExtension. */
static bool stands_before_names(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpCapability:
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpString:
    case SpvOpSourceExtension:
    case SpvOpSource:
    case SpvOpSourceContinued: return true;
    default: return false;
    }
}

enum status mark_module(struct spirv *spirv)
{
    uint32_t mark[MARK_WORDS] = {instruction_word(SpvOpSourceExtension, MARK_WORDS)};
    memcpy(mark + 1, MODULE_COMPONENTS, sizeof MODULE_COMPONENTS);
    size_t at = HEADER_WORDS;
    while (at < spirv->word_count && stands_before_names(opcode_of(spirv->words[at])))
        at += length_of(spirv->words[at]);
    uint32_t *words = realloc(spirv->words, (spirv->word_count + MARK_WORDS) * sizeof *words);
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    memmove(words + at + MARK_WORDS, words + at, (spirv->word_count - at) * sizeof *words);
    memcpy(words + at, mark, sizeof mark);
    *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + MARK_WORDS};
    return STATUS_OK;
}
