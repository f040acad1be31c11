/* SPDX-License-Identifier: Apache-2.0 */
/* Group functions that return a bool, and compare-exchanges, lose their OpLine when the translator changes
 * their type: the conversion of the bool to int gets it. The OpLine is moved before the instruction, and
 * before the load of the expected value. */
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { LINE_WORDS = 4 };

static bool loses_its_line(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
    case SpvOpGroupAll:
    case SpvOpGroupAny: return true;
    default: return opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformLogicalXor;
    }
}

/* The index of the next instruction; word_count at the end. */
static size_t next_of(const struct spirv *spirv, size_t at)
{
    const size_t next = at + (at < spirv->word_count ? length_of(spirv->words[at]) : 0);
    return next < spirv->word_count ? next : spirv->word_count;
}

static bool is_opcode_at(const struct spirv *spirv, size_t at, uint32_t opcode)
{
    return at < spirv->word_count && opcode_of(spirv->words[at]) == opcode;
}

/* The index of the OpLine that a later use of the result got; word_count: none. */
static size_t line_after(const struct spirv *spirv, size_t at)
{
    const uint32_t result = spirv->words[at + 2];
    size_t line = next_of(spirv, at);
    /* the store of the value that was read */
    if (is_opcode_at(spirv, line, SpvOpStore) && spirv->words[line + 2] == result)
        line = next_of(spirv, line);
    const size_t user = next_of(spirv, line);
    const bool used = (is_opcode_at(spirv, user, SpvOpSelect) || is_opcode_at(spirv, user, SpvOpIEqual)) &&
                      spirv->words[user + 3] == result;
    return is_opcode_at(spirv, line, SpvOpLine) && used ? line : spirv->word_count;
}

enum status repair_lines(struct spirv *spirv)
{
    for (size_t at = HEADER_WORDS, before = at; at < spirv->word_count;
         before = at, at = next_of(spirv, at)) {
        uint32_t *words = spirv->words, moved[LINE_WORDS];
        const uint32_t opcode = opcode_of(words[at]);
        const size_t line = loses_its_line(opcode) ? line_after(spirv, at) : spirv->word_count;
        if (line == spirv->word_count)
            continue;
        const bool loaded = opcode_of(words[before]) == SpvOpLoad && opcode < SpvOpGroupAll &&
                            words[before + 2] == words[at + 8];
        const size_t first = loaded ? before : at;
        memcpy(moved, words + line, sizeof moved);
        memmove(words + first + LINE_WORDS, words + first, (line - first) * sizeof *words);
        memcpy(words + first, moved, sizeof moved);
        at = first; /* The instructions from here on have their lines. */
    }
    return STATUS_OK;
}
