/* SPDX-License-Identifier: Apache-2.0 */
/* Links modules with SPIRV-Tools, and carries marks, entry points and OpLine through its linker, which
 * loses them. */
#include "link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "text.h"
#include "spirv_words.h"

enum { VERSION_WORD = 1, MAX_BOUND = 0x3fffff, SUFFIX_WORDS = 6 };

/* The instruction at *at, which moves past it; NULL: the end, or an invalid length. */
static const uint32_t *next_instruction(const struct spirv *spirv, size_t *at, uint32_t *out_count)
{
    if (*at >= spirv->word_count)
        return NULL;
    const uint32_t *words = spirv->words + *at;
    *out_count = length_of(words[0]);
    if (!*out_count || *at + *out_count > spirv->word_count)
        return NULL;
    *at += *out_count;
    return words;
}

/* A flag per id: the id has a BuiltIn decoration. */
static unsigned char *find_builtins(const struct spirv *spirv)
{
    uint32_t bound = spirv->words[BOUND_WORD], count;
    unsigned char *is_builtin = calloc(bound ? bound : 1, 1);
    size_t at = HEADER_WORDS;
    for (const uint32_t *words; is_builtin && (words = next_instruction(spirv, &at, &count));)
        if (opcode_of(words[0]) == SpvOpDecorate && count > 2 && words[2] == SpvDecorationBuiltIn &&
            words[1] < bound)
            is_builtin[words[1]] = 1;
    return is_builtin;
}

static bool is_builtin_import(const uint32_t *words, uint32_t count, const unsigned char *is_builtin,
                              uint32_t bound)
{
    return is_linkage(words, count) && words[count - 1] == SpvLinkageTypeImport && words[1] < bound &&
           is_builtin[words[1]];
}

/* Initialisers and finalisers run without a call of the host, so their names are free; other entry points
 * keep theirs. */
static bool runs_by_itself(const struct spirv *spirv, uint32_t kernel)
{
    uint32_t count;
    size_t at = HEADER_WORDS;
    for (const uint32_t *words; (words = next_instruction(spirv, &at, &count));)
        if (opcode_of(words[0]) == SpvOpExecutionMode && count == 3 && words[1] == kernel)
            if (words[2] == SpvExecutionModeInitializer || words[2] == SpvExecutionModeFinalizer)
                return true;
    return false;
}

/* Two modules may use one name for their initialisers: each gets the suffix of its module. Returns the
 * words written, at most SUFFIX_WORDS more than `count`. */
static uint32_t put_entry_point(uint32_t *out, const uint32_t *words, uint32_t count, size_t index)
{
    const size_t room = count > 3 ? (count - 3) * sizeof *words : 0,
                 length = strnlen((const char *)(words + 3), room);
    const uint32_t interface = 3 + (uint32_t)(length / sizeof *words) + 1;
    uint32_t put = interface < count ? interface : count;
    memcpy(out, words, put * sizeof *out);
    if (length < room) {
        memset(out + put, 0, SUFFIX_WORDS * sizeof *out);
        const int more = snprintf((char *)(out + 3) + length, SUFFIX_WORDS * sizeof *out, ".%zu", index);
        put = 3 + (uint32_t)((length + (size_t)more) / sizeof *words) + 1;
    }
    for (uint32_t i = interface; i < count; i++)
        out[put++] = words[i];
    out[0] = instruction_word(SpvOpEntryPoint, put);
    return put;
}

static size_t count_entry_points(const struct spirv *spirv)
{
    size_t found = 0, at = HEADER_WORDS;
    uint32_t count;
    for (const uint32_t *words; (words = next_instruction(spirv, &at, &count));)
        found += opcode_of(words[0]) == SpvOpEntryPoint;
    return found;
}

static bool has_mark(const struct spirv *spirv)
{
    size_t at = HEADER_WORDS;
    uint32_t count;
    for (const uint32_t *words; (words = next_instruction(spirv, &at, &count));)
        if (mark_is(words, count))
            return true;
    return false;
}

/* A linked module does not show where an instruction comes from, so it is marked only if every input is. */
static bool all_have_mark(const struct spirv *modules, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++)
        all = all && has_mark(&modules[i]);
    return all;
}

/* The translator declares built-in variables as imports. No module exports them, and the linker would
 * require it, so the decoration is removed: the device provides them. */
static enum status prepare(const struct spirv *spirv, size_t index, bool keeps_mark, struct spirv *out_spirv)
{
    uint32_t bound = spirv->words[BOUND_WORD], count;
    unsigned char *is_builtin = find_builtins(spirv);
    uint32_t *kept =
        malloc((spirv->word_count + (count_entry_points(spirv) + 1) * SUFFIX_WORDS) * sizeof *kept);
    *out_spirv = (struct spirv){kept, HEADER_WORDS};
    if (is_builtin && kept) {
        memcpy(kept, spirv->words, HEADER_WORDS * sizeof *kept);
        size_t at = HEADER_WORDS;
        for (const uint32_t *words; (words = next_instruction(spirv, &at, &count));)
            if (opcode_of(words[0]) == SpvOpEntryPoint && count > 3 && runs_by_itself(spirv, words[2])) {
                out_spirv->word_count += put_entry_point(kept + out_spirv->word_count, words, count, index);
            } else if (!is_builtin_import(words, count, is_builtin, bound) &&
                       (keeps_mark || !mark_is(words, count))) {
                memcpy(kept + out_spirv->word_count, words, count * sizeof *kept);
                out_spirv->word_count += count;
            }
    }
    enum status status = is_builtin && kept ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    free(is_builtin);
    return status;
}

/* Ids are used as indices, so the bound must be plausible. */
static enum status check_module(const struct spirv *module, size_t index, struct text *log)
{
    if (module->word_count >= HEADER_WORDS && module->words[0] == SpvMagicNumber &&
        module->words[BOUND_WORD] <= MAX_BOUND)
        return STATUS_OK;
    text_addf(log, "module %zu is not SPIR-V in this machine's byte order\n", index + 1);
    return STATUS_BAD_BINARY;
}

/* SPIRV-Tools 2023.1 renumbers the ids of the second and later modules, but not those of OpLine, which
 * would then name another module's file. So OpLine is shifted beforehand by what the linker adds: the bound
 * minus one of each module before. */
static void shift_lines(struct spirv *module, uint32_t shift)
{
    for (size_t at = HEADER_WORDS; at < module->word_count; at += length_of(module->words[at]))
        if (opcode_of(module->words[at]) == SpvOpLine)
            module->words[at + 1] += shift;
}

static void shift_all_lines(struct spirv *modules, size_t count, bool back)
{
    uint32_t shift = 0;
    for (size_t i = 0; i < count; i++) {
        shift_lines(&modules[i], back ? -shift : shift);
        shift += modules[i].words[BOUND_WORD] - 1;
    }
}

/* Does every OpLine name an OpString? This fails if a linker renumbers OpLine after all. */
static bool lines_name_strings(const struct spirv *spirv)
{
    uint32_t bound = spirv->words[BOUND_WORD], count;
    unsigned char *is_string = calloc(bound ? bound : 1, 1);
    bool good = is_string != NULL;
    size_t at = HEADER_WORDS;
    for (const uint32_t *words; good && (words = next_instruction(spirv, &at, &count));) {
        if (opcode_of(words[0]) == SpvOpString && words[1] < bound)
            is_string[words[1]] = 1;
        else if (opcode_of(words[0]) == SpvOpLine)
            good = words[1] < bound && is_string[words[1]];
    }
    free(is_string);
    return good;
}

struct export_name {
    const char *name;
    size_t module;
};

static int by_name(const void *left, const void *right)
{
    const struct export_name *one = left, *other = right;
    int order = strcmp(one->name, other->name);
    return order ? order : (one->module > other->module) - (one->module < other->module);
}

static bool is_export(const uint32_t *words, uint32_t count)
{
    return is_linkage(words, count) && words[count - 1] == SpvLinkageTypeExport &&
           memchr(words + 3, 0, (count - 4) * sizeof *words);
}

static size_t gather_exports(const struct spirv *modules, size_t module_count, struct export_name *names)
{
    size_t found = 0;
    for (size_t i = 0; i < module_count; i++) {
        size_t at = HEADER_WORDS;
        uint32_t count;
        for (const uint32_t *words; (words = next_instruction(&modules[i], &at, &count));)
            if (is_export(words, count)) {
                if (names)
                    names[found] = (struct export_name){(const char *)(words + 3), i};
                found++;
            }
    }
    return found;
}

/* The linker reports a second definition only if the first is imported. */
static enum status check_exports(const struct spirv *modules, size_t module_count, struct text *log)
{
    size_t count = gather_exports(modules, module_count, NULL);
    struct export_name *names = calloc(count ? count : 1, sizeof *names);
    if (!names)
        return STATUS_OUT_OF_MEMORY;
    gather_exports(modules, module_count, names);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    enum status status = STATUS_OK;
    for (size_t i = 1; i < count; i++)
        if (!strcmp(names[i - 1].name, names[i].name) && names[i - 1].module != names[i].module) {
            text_addf(log, "'%s' is defined in module %zu and in module %zu\n", names[i].name,
                      names[i - 1].module + 1, names[i].module + 1);
            status = STATUS_LINK_FAILED;
        }
    free(names);
    return status;
}

static void add_line(void *log, const char *line)
{
    text_addf(log, "%s\n", line);
}

static enum status link_numbered(const struct spirv *prepared, size_t count, bool create_library,
                                 struct spirv *out_spirv, struct text *log)
{
    const uint32_t **modules = calloc(count, sizeof *modules);
    size_t *word_counts = calloc(count, sizeof *word_counts);
    enum status status = modules && word_counts ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        modules[i] = prepared[i].words;
        word_counts[i] = prepared[i].word_count;
    }
    if (!status && link_run(modules, word_counts, count, create_library, add_line, log, &out_spirv->words,
                            &out_spirv->word_count))
        status = STATUS_LINK_FAILED;
    free(word_counts);
    free(modules);
    return status;
}

/* The linker requires equal versions; a newer version allows all that an older one does. */
static void share_version(struct spirv *modules, size_t count)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < count; i++)
        if (modules[i].words[VERSION_WORD] > newest)
            newest = modules[i].words[VERSION_WORD];
    for (size_t i = 0; i < count; i++)
        modules[i].words[VERSION_WORD] = newest;
}

static enum status link_prepared(struct spirv *prepared, size_t count, bool create_library,
                                 struct spirv *out_spirv, struct text *log)
{
    enum status status = check_exports(prepared, count, log);
    if (status)
        return status;
    share_version(prepared, count);
    shift_all_lines(prepared, count, false);
    status = link_numbered(prepared, count, create_library, out_spirv, log);
    if (status || lines_name_strings(out_spirv))
        return status;
    spirv_fini(out_spirv);
    shift_all_lines(prepared, count, true);
    return link_numbered(prepared, count, create_library, out_spirv, log);
}

enum status spirv_link(const struct spirv *modules, size_t count, bool create_library,
                       struct spirv *out_spirv, char **out_log)
{
    struct text log = {0};
    *out_spirv = (struct spirv){0};
    struct spirv *prepared = calloc(count ? count : 1, sizeof *prepared);
    const bool keeps_mark = all_have_mark(modules, count);
    enum status status = !prepared ? STATUS_OUT_OF_MEMORY : count ? STATUS_OK : STATUS_BAD_ARGUMENT;
    for (size_t i = 0; !status && i < count; i++) {
        status = check_module(&modules[i], i, &log);
        if (!status)
            status = prepare(&modules[i], i, keeps_mark, &prepared[i]);
    }
    if (!status)
        status = link_prepared(prepared, count, create_library, out_spirv, &log);
    for (size_t i = 0; prepared && i < count; i++)
        spirv_fini(&prepared[i]);
    free(prepared);
    *out_log = text_take(&log);
    return status;
}
