/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the source line of an instruction that the validator or the translator refuses: in the words of a
 * module by its OpLine, in LLVM's text by its !dbg metadata. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { NAME_CHARS = 300 };

/* ---- in a module ------------------------------------------------------------------------- */

static const uint32_t *defined(const struct spirv *spirv, SpvOp op, uint32_t id)
{
    const uint32_t operand = op == SpvOpString ? 1 : 2;
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at;
        count = length_of(w[0]);
        if (!count || count > spirv->word_count - at)
            return NULL;
        if (opcode_of(w[0]) == (uint32_t)op && count > operand + 1 && w[operand] == id)
            return w;
    }
    return NULL;
}

static bool has_order(const struct spirv *spirv, uint32_t semantics, uint32_t orders)
{
    const uint32_t *constant = defined(spirv, SpvOpConstant, semantics);
    return constant && constant[3] & orders;
}

/* The error for an order that an atomic operation must not have; NULL: the order is valid. */
static const char *wrong_order(const struct spirv *spirv, const uint32_t *w, size_t count)
{
    const uint32_t both = SpvMemorySemanticsAcquireReleaseMask;
    switch (opcode_of(w[0])) {
    case SpvOpAtomicCompareExchange:
        return count < 9 || !has_order(spirv, w[6], both | SpvMemorySemanticsReleaseMask)
                   ? NULL
                   : "the order of failure of an atomic compare and exchange is memory_order_release or "
                     "memory_order_acq_rel, but one that "
                     "fails only reads: relaxed, acquire and seq_cst are allowed (OpenCL C 3.0, 6.15.12.7, "
                     "atomic functions)\n";
    case SpvOpAtomicFlagClear:
        return count < 4 || !has_order(spirv, w[3], both | SpvMemorySemanticsAcquireMask)
                   ? NULL
                   : "the order of atomic_flag_clear is memory_order_acquire or memory_order_acq_rel, but it "
                     "only writes: relaxed, release "
                     "and seq_cst are allowed (OpenCL C 3.0, 6.15.12.7, atomic functions)\n";
    default: return NULL;
    }
}

static void add_line(const struct spirv *spirv, const uint32_t *line, struct text *log)
{
    const uint32_t *file = line ? defined(spirv, SpvOpString, line[1]) : NULL;
    if (file)
        text_addf(log, "%s:%" PRIu32 ":%" PRIu32 ": error: ", (const char *)(file + 2), line[2], line[3]);
}

bool refused_place_of_module(const struct spirv *spirv, struct text *log)
{
    const uint32_t *line = NULL;
    bool found = false;
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at, op = opcode_of(w[0]);
        count = length_of(w[0]);
        if (!count || count > spirv->word_count - at)
            return found;
        line = op == SpvOpLine ? w : op == SpvOpNoLine || op == SpvOpFunction ? NULL : line;
        const char *wrong = wrong_order(spirv, w, count);
        if (!wrong)
            continue;
        add_line(spirv, line, log);
        text_add(log, wrong);
        found = true;
    }
    return found;
}

/* ---- in LLVM's text ------------------------------------------------------------------------- */

/* The function's name, "barrier" in "@_Z7barrierj(", and its arguments. */
static bool callee(const char *line, char out_name[NAME_CHARS], const char **out_arguments)
{
    const char *at = strstr(line, "call "), *name = at ? strstr(at, "@_Z") : NULL;
    char *end;
    const unsigned long length = name && isdigit((unsigned char)name[3]) ? strtoul(name + 3, &end, 10) : 0;
    if (!length || length >= NAME_CHARS || strlen(end) < length)
        return false;
    snprintf(out_name, NAME_CHARS, "%.*s", (int)length, end);
    *out_arguments = strchr(end, '(');
    return *out_arguments != NULL;
}

static bool wants_constants(const char *name)
{
    static const char *const ends[] = {"barrier", "_fence"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(name), end = strlen(ends[i]);
        if (length >= end && strcmp(name + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* Is an integer argument a computed value, as "i32 noundef %3"? Named barriers are pointers and do not
 * count. */
static bool has_value(const char *arguments)
{
    const char *end = strstr(arguments, ") #"); /* Attributes or the position follow the arguments. */
    end = end ? end : strstr(arguments, "), !dbg");
    for (const char *at = arguments; at && end && at < end; at = strpbrk(at + 1, ",")) {
        const char *type = at + 1 + strspn(at + 1, " "), *value = strchr(type, '%'),
                   *stop = type + strcspn(type, ",)");
        if (strncmp(type, "i32", 3) == 0 && type[3] == ' ' && value && value < stop)
            return true;
    }
    return false;
}

/* The line that defines "!14"; NULL: none. */
static const char *metadata(const char *text, unsigned long number)
{
    char mark[40];
    snprintf(mark, sizeof mark, "\n!%lu = ", number);
    const char *at = strstr(text, mark);
    return at ? at + 1 : NULL;
}

static bool field(const char *line, const char *name, unsigned long *out_number)
{
    const char *end = strchr(line, '\n'), *at = strstr(line, name);
    if (!at || (end && at > end))
        return false;
    *out_number = strtoul(at + strlen(name), NULL, 10);
    return true;
}

static void add_place(const char *text, const char *call, struct text *log)
{
    unsigned long place, line = 0, column = 0, scope, file;
    const char *location = field(call, "!dbg !", &place) ? metadata(text, place) : NULL;
    if (!location || !field(location, "(line: ", &line) || !field(location, "scope: !", &scope))
        return;
    field(location, "column: ", &column);
    const char *in = metadata(text, scope),
               *named = in && field(in, "file: !", &file) ? metadata(text, file) : NULL;
    const char *name = named ? strstr(named, "filename: \"") : NULL;
    if (!name)
        return;
    name += strlen("filename: \"");
    if (strncmp(name, COMPILE_DIRECTORY "/", strlen(COMPILE_DIRECTORY "/")) == 0)
        name += strlen(COMPILE_DIRECTORY "/");
    text_addf(log, "%.*s:%lu:%lu: error: ", (int)strcspn(name, "\"\n"), name, line, column);
}

void refused_place_of_text(const char *text, struct text *log)
{
    char name[NAME_CHARS];
    const char *arguments;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char *one = strndup(line, strcspn(line, "\n"));
        if (one && callee(one, name, &arguments) && wants_constants(name) && has_value(arguments)) {
            add_place(text, one, log);
            text_addf(log,
                      "an argument of %s is not a constant: flags, order and scope of barriers and fences "
                      "must be constants here, as "
                      "llvm-spirv translates no others\n",
                      name);
        }
        free(one);
    }
}
