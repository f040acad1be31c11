/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs what the translator writes and validators reject; each pass is a file. Here are the first and the
 * order. OpenCL.DebugInfo.100 records repeat what OpLine says, and are dropped. Helper functions for memory
 * orders that are not constant have a linkage of a number that does not exist, and lose it. File names lose
 * the directory of the compilation.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

static const char debug_set[] = "OpenCL.DebugInfo.100";

/* Writes the words of the string to `out` and returns their number. The string may overlap `out` from
 * above. */
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
    return is_linkage(words, count) && words[count - 1] > SpvLinkageTypeLinkOnceODR;
}

/* Functions that clang_source() defines lose their linkage: every module has its own. Functions of
 * operations.c are only declared. */
static bool is_own_linkage(const uint32_t *words, uint32_t count)
{
    static const char prefix[] = "__orrery_";
    return is_linkage(words, count) && words[count - 1] == SpvLinkageTypeExport &&
           !strncmp((const char *)(words + 3), prefix, strlen(prefix));
}

/* Removes COMPILE_DIRECTORY and a leading "./". */
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

/* Copies an OpString forward in the module. Its name may be shorter than before, never longer. */
static uint32_t put_string(uint32_t *out, const uint32_t *words)
{
    uint32_t id = words[1];
    uint32_t count = 2 + literal_put(out + 2, user_name((const char *)(words + 2)));
    out[0] = instruction_word(SpvOpString, count);
    out[1] = id;
    return count;
}

static enum status drop_instructions(struct spirv *spirv)
{
    uint32_t *words = spirv->words, debug_id = 0;
    size_t kept = HEADER_WORDS;
    for (size_t at = HEADER_WORDS; at < spirv->word_count;) {
        uint32_t count = length_of(words[at]), opcode = opcode_of(words[at]);
        if (!count || at + count > spirv->word_count)
            return STATUS_BAD_BINARY;
        if (opcode == SpvOpExtInstImport && literal_is(words + at + 2, count - 2, debug_set)) {
            debug_id = words[at + 1];
        } else if (opcode == SpvOpString) {
            kept += put_string(words + kept, words + at);
        } else if (!is_debug(words + at, count, debug_id) && !is_unknown_linkage(words + at, count) &&
                   !is_own_linkage(words + at, count)) {
            memmove(words + kept, words + at, count * sizeof *words);
            kept += count;
        }
        at += count;
    }
    spirv->word_count = kept;
    return STATUS_OK;
}

/* The first pass checks the lengths of all instructions, on which the others rely. */
enum status repair_module(struct spirv *spirv)
{
    static enum status (*const passes[])(struct spirv *) = {
        drop_instructions,    repair_lines,       repair_order,    repair_expected,
        operations_of_module, repair_destructors, repair_extracts, repair_literals,
        repair_addresses,     repair_selects,     repair_opaques};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof passes / sizeof *passes; i++)
        status = passes[i](spirv);
    return status;
}
