/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytecode of a kernel, each instruction with its line and with the SPIR-V instruction that it carries
 * out.
 *
 * Lowering notes the word of the module at which that SPIR-V instruction begins (struct code, words). Its
 * text is found by counting lines of the module's disassembly from the end: the disassembler prints one
 * line for each instruction, and only instructions before the first function have strings, which may
 * contain newlines.
 */
#include "disassembly.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"

enum { HEADER_WORDS = 5, MNEMONIC_CHARS = 16 };

struct module_text {
    char *text;
    const uint32_t *words;
    size_t word_count;
    char **lines; /* in text; the last ones are those of the functions' instructions */
    size_t line_count;
    uint32_t instructions; /* of the module */
};

static size_t instruction_words(const struct module_text *module, size_t word)
{
    const size_t length = module->words[word] >> 16;
    return length ? length : 1;
}

static uint32_t count_instructions(const struct module_text *module, size_t from)
{
    uint32_t count = 0;
    for (size_t word = from; word < module->word_count; word += instruction_words(module, word))
        count++;
    return count;
}

static bool split_lines(struct module_text *module)
{
    size_t room = 1;
    for (const char *c = module->text; *c; c++)
        room += *c == '\n';
    module->lines = calloc(room, sizeof *module->lines);
    if (!module->lines)
        return false;
    char *rest = module->text, *line;
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line)
            module->lines[module->line_count++] = line;
    return true;
}

static void module_text_fini(struct module_text *module)
{
    free(module->lines);
    free(module->text);
}

/* Returns false if the module cannot be disassembled; then only bytecode is shown. */
static bool module_text_init(struct module_text *module, const struct program *program)
{
    char *log = NULL;
    *module = (struct module_text){0};
    module->words = program_words(program, &module->word_count);
    const enum status status = module->words
                                   ? spirv_disassemble(module->words, module->word_count, &module->text, &log)
                                   : STATUS_BAD_BINARY;
    free(log);
    return status == STATUS_OK && module->text && split_lines(module);
}

/* Returns the text of the instruction of a function that begins at the word. NULL: it is not known. */
static const char *instruction_line(const struct module_text *module, uint32_t word)
{
    if (word < HEADER_WORDS || word >= module->word_count)
        return NULL;
    const size_t from_end = count_instructions(module, word);
    if (from_end > module->line_count)
        return NULL;
    const char *line = module->lines[module->line_count - from_end];
    return line + strspn(line, " ");
}

static void print_instruction(const struct code *code, uint32_t index, char text[DEBUG_TEXT])
{
    const struct insn *insn = &code->insns[index];
    const enum op op = (enum op)code->ops[index];
    const bool has_pointer = op == OP_math_v || op == OP_math_u; /* in e and f; another one in each process */
    if (op == OP_line)
        snprintf(text, DEBUG_TEXT, "line %" PRIu32, code->debug->lines[insn->e].line);
    else
        snprintf(text, DEBUG_TEXT,
                 "%-*s d=%" PRIu32 " a=%" PRIu32 " b=%" PRIu32 " c=%" PRIu32 " e=%" PRIx32 " f=%" PRIx32,
                 MNEMONIC_CHARS, op_names[op], insn->d, insn->a, insn->b, insn->c, has_pointer ? 0 : insn->e,
                 has_pointer ? 0 : insn->f);
}

/* Returns the last line mark at or before the instruction in the order of the code. NULL: there is
 * none. */
static const struct code_line *line_before(const struct code *code, uint32_t index)
{
    for (uint32_t i = index + 1; i-- > 0;)
        if (code->ops[i] == OP_line)
            return &code->debug->lines[code->insns[i].e];
    return NULL;
}

static json_t *describe_instruction(const struct code *code, const struct program *program, uint32_t index,
                                    const struct module_text *module)
{
    char text[DEBUG_TEXT];
    print_instruction(code, index, text);
    json_t *row = json_pack("{s:I,s:s}", "index", (json_int_t)index, "text", text);
    const uint32_t word = code->words ? code->words[index] : 0;
    const char *spirv = module && word ? instruction_line(module, word) : NULL;
    const struct code_line *line = line_before(code, index);
    if (spirv)
        json_object_set_new(row, "spirv", json_string(spirv));
    if (word)
        json_object_set_new(row, "word", json_integer(word));
    const char *file = line ? program_file(program, place_code_file(code, line->file), line->line) : NULL;
    if (file) {
        json_object_set_new(row, "line", json_integer(line->line));
        json_object_set_new(row, "file", json_string(file));
    }
    return row;
}

json_t *disassembly_list(const struct code *code, const struct program *program, int64_t begin, int64_t count,
                         int64_t here)
{
    json_t *list = json_array();
    struct module_text module = {0};
    const bool has_text = count > 0 && module_text_init(&module, program);
    for (int64_t i = begin < 0 ? 0 : begin; i < begin + count && i < (int64_t)code->insn_count; i++) {
        json_t *row = describe_instruction(code, program, (uint32_t)i, has_text ? &module : NULL);
        json_object_set_new(row, "here", json_boolean(i == here));
        json_array_append_new(list, row);
    }
    module_text_fini(&module);
    return list;
}
