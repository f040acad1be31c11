/* SPDX-License-Identifier: Apache-2.0 */
/* What the translator writes and validators reject.  Positions come twice: OpLine, which
 * a reader of findings wants, and OpenCL.DebugInfo.100 records, which go.  Its own helper
 * functions (for memory orders that are not constant) have a linkage of a number that
 * does not exist.  get_global_id(3) becomes the fourth component of a vector of three, which no
 * module may ask for; as an index that is a value it may, and lowering knows what OpenCL C says. */
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "compile.h"

enum { HEADER_WORDS = 5 };

static const char debug_set[] = "OpenCL.DebugInfo.100";

static uint32_t opcode_of(uint32_t word)
{
    return word & SpvOpCodeMask;
}

static bool literal_is(const uint32_t *words, uint32_t count, const char *string)
{
    size_t size = strlen(string) + 1;
    return count * sizeof *words >= size && !memcmp(words, string, size);
}

/* Writes the string's words at out, which may overlap it from below; returns how many. */
static uint32_t literal_put(uint32_t *out, const char *string)
{
    size_t size = strlen(string), count = size / sizeof *out + 1;
    memmove(out, string, size);
    memset((char *)out + size, 0, count * sizeof *out - size);
    return (uint32_t)count;
}

static bool is_debug(const uint32_t *words, uint32_t count, uint32_t debug_id)
{
    return opcode_of(words[0]) == SpvOpExtInst && count > 4 && debug_id && words[3] == debug_id;
}

static bool is_unknown_linkage(const uint32_t *words, uint32_t count)
{
    return opcode_of(words[0]) == SpvOpDecorate && count > 3 && words[2] == SpvDecorationLinkageAttributes &&
           words[count - 1] > SpvLinkageTypeLinkOnceODR;
}

/* A name below the compilation's directory loses that part and a leading "./". */
static const char *user_name(const char *name)
{
    size_t length = strlen(COMPILE_DIRECTORY);
    if (strncmp(name, COMPILE_DIRECTORY "/", length + 1))
        return name;
    name += length + 1;
    while (!strncmp(name, "./", 2))
        name += 2;
    return name;
}

/* Copies a string forward over itself; it can only have become shorter. */
static uint32_t put_string(uint32_t *out, const uint32_t *words)
{
    uint32_t id = words[1];
    uint32_t count = 2 + literal_put(out + 2, user_name((const char *)(words + 2)));
    out[0] = count << SpvWordCountShift | SpvOpString;
    out[1] = id;
    return count;
}

/* ---- components that built-in vectors lack ------------------------------------------------ */

enum { BUILTIN_COMPONENTS = 3, CONSTANT_WORDS = 5 };

struct extracts {
    uint8_t *builtin;    /* per id: a built-in variable, or a value loaded from one */
    uint32_t bound;
    uint32_t type;       /* of the first of them: the index has the same type */
    uint32_t index;       /* id of the constant; 0: none is needed */
};

static bool is_builtin(const struct extracts *extracts, uint32_t id)
{
    return id < extracts->bound && extracts->builtin[id];
}

/* In place: both forms have five words. */
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
        words[0] = 5u << SpvWordCountShift | SpvOpVectorExtractDynamic;
        words[4] = extracts->index;
    }
}

/* Declares the index before the first function. */
static enum status declare_index(struct spirv *spirv, const struct extracts *extracts)
{
    uint32_t *words = realloc(spirv->words, (spirv->word_count + CONSTANT_WORDS) * sizeof *words), width = 32;
    size_t at = HEADER_WORDS;
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    for (; opcode_of(words[at]) != SpvOpFunction; at += words[at] >> SpvWordCountShift)
        if (opcode_of(words[at]) == SpvOpTypeInt && words[at + 1] == extracts->type)
            width = words[at + 2];
    const uint32_t size = width == 64 ? CONSTANT_WORDS : CONSTANT_WORDS - 1;
    const uint32_t constant[] = {size << SpvWordCountShift | SpvOpConstant, extracts->type, extracts->index,
                                 BUILTIN_COMPONENTS, 0};
    memmove(words + at + size, words + at, (spirv->word_count - at) * sizeof *words);
    memcpy(words + at, constant, size * sizeof *words);
    words[3] = extracts->index + 1; /* the bound on ids */
    *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + size};
    return STATUS_OK;
}

static enum status repair_extracts(struct spirv *spirv)
{
    struct extracts extracts = {.bound = spirv->words[3]};
    extracts.builtin = calloc(extracts.bound, 1);
    if (!extracts.builtin)
        return STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift)
        extract_visit(&extracts, spirv->words + at, spirv->words[at] >> SpvWordCountShift);
    free(extracts.builtin);
    return extracts.index ? declare_index(spirv, &extracts) : STATUS_OK;
}

enum status module_repair(struct spirv *spirv)
{
    uint32_t *words = spirv->words, debug_id = 0;
    size_t kept = HEADER_WORDS;
    for (size_t at = HEADER_WORDS; at < spirv->word_count;) {
        uint32_t count = words[at] >> SpvWordCountShift, opcode = opcode_of(words[at]);
        if (!count || at + count > spirv->word_count)
            return STATUS_BAD_BINARY;
        if (opcode == SpvOpExtInstImport && literal_is(words + at + 2, count - 2, debug_set)) {
            debug_id = words[at + 1];
        } else if (opcode == SpvOpString) {
            kept += put_string(words + kept, words + at);
        } else if (!is_debug(words + at, count, debug_id) && !is_unknown_linkage(words + at, count)) {
            memmove(words + kept, words + at, count * sizeof *words);
            kept += count;
        }
        at += count;
    }
    spirv->word_count = kept;
    return repair_extracts(spirv);
}
