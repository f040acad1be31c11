/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "orrery/compiler.h"
#include "text.h"

enum { HEADER_WORDS = 5, BOUND_WORD = 3, MAX_BOUND = 0x3fffff };

static uint32_t opcode_of(uint32_t word)
{
    return word & SpvOpCodeMask;
}

/* The instruction at *at, or NULL at the end or where the words make no sense. */
static const uint32_t *next_instruction(const struct spirv *spirv, size_t *at, uint32_t *out_count)
{
    if (*at >= spirv->word_count)
        return NULL;
    const uint32_t *words = spirv->words + *at;
    *out_count = words[0] >> SpvWordCountShift;
    if (!*out_count || *at + *out_count > spirv->word_count)
        return NULL;
    *at += *out_count;
    return words;
}

/* Which ids carry a BuiltIn decoration; one byte per id. */
static unsigned char *find_builtins(const struct spirv *spirv)
{
    uint32_t bound = spirv->words[BOUND_WORD], count;
    unsigned char *is_builtin = calloc(bound ? bound : 1, 1);
    size_t at = HEADER_WORDS;
    for (const uint32_t *words; is_builtin && (words = next_instruction(spirv, &at, &count));)
        if (opcode_of(words[0]) == SpvOpDecorate && count > 2 && words[2] == SpvDecorationBuiltIn && words[1] < bound)
            is_builtin[words[1]] = 1;
    return is_builtin;
}

static bool is_builtin_import(const uint32_t *words, uint32_t count, const unsigned char *is_builtin, uint32_t bound)
{
    return opcode_of(words[0]) == SpvOpDecorate && count > 3 && words[2] == SpvDecorationLinkageAttributes
        && words[count - 1] == SpvLinkageTypeImport && words[1] < bound && is_builtin[words[1]];
}

/* The translator declares built-in variables as imports, which nothing exports: the
 * linker would ask for them.  The device provides them, so the import goes. */
static enum status without_builtin_imports(const struct spirv *spirv, struct spirv *out_spirv)
{
    uint32_t bound = spirv->words[BOUND_WORD], count;
    unsigned char *is_builtin = find_builtins(spirv);
    uint32_t *kept = malloc(spirv->word_count * sizeof *kept);
    *out_spirv = (struct spirv){ kept, HEADER_WORDS };
    if (is_builtin && kept) {
        memcpy(kept, spirv->words, HEADER_WORDS * sizeof *kept);
        size_t at = HEADER_WORDS;
        for (const uint32_t *words; (words = next_instruction(spirv, &at, &count));)
            if (!is_builtin_import(words, count, is_builtin, bound)) {
                memcpy(kept + out_spirv->word_count, words, count * sizeof *kept);
                out_spirv->word_count += count;
            }
    }
    enum status status = is_builtin && kept ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    free(is_builtin);
    return status;
}

/* Ids are used as indices, so a nonsensical bound ends the matter here. */
static enum status check_module(const struct spirv *module, size_t index, struct text *log)
{
    if (module->word_count >= HEADER_WORDS && module->words[0] == SpvMagicNumber
        && module->words[BOUND_WORD] <= MAX_BOUND)
        return STATUS_OK;
    text_addf(log, "module %zu is not SPIR-V in this machine's byte order\n", index + 1);
    return STATUS_BAD_BINARY;
}

static void add_line(void *log, const char *line)
{
    text_addf(log, "%s\n", line);
}

static enum status link_prepared(const struct spirv *prepared, size_t count, bool create_library,
                                 struct spirv *out_spirv, struct text *log)
{
    const uint32_t **modules = calloc(count, sizeof *modules);
    size_t *word_counts = calloc(count, sizeof *word_counts);
    enum status status = modules && word_counts ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        modules[i] = prepared[i].words;
        word_counts[i] = prepared[i].word_count;
    }
    if (!status && linker_run(modules, word_counts, count, create_library, add_line, log, &out_spirv->words,
                              &out_spirv->word_count))
        status = STATUS_LINK_FAILED;
    free(word_counts);
    free(modules);
    return status;
}

enum status spirv_link(const struct spirv *modules, size_t count, bool create_library, struct spirv *out_spirv,
                       char **out_log)
{
    struct text log = { 0 };
    *out_spirv = (struct spirv){ 0 };
    struct spirv *prepared = calloc(count ? count : 1, sizeof *prepared);
    enum status status = !prepared ? STATUS_OUT_OF_MEMORY : count ? STATUS_OK : STATUS_BAD_ARGUMENT;
    for (size_t i = 0; !status && i < count; i++) {
        status = check_module(&modules[i], i, &log);
        if (!status)
            status = without_builtin_imports(&modules[i], &prepared[i]);
    }
    if (!status)
        status = link_prepared(prepared, count, create_library, out_spirv, &log);
    for (size_t i = 0; prepared && i < count; i++)
        spirv_fini(&prepared[i]);
    free(prepared);
    *out_log = text_take(&log);
    return status;
}
