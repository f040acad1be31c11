/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug records of modules that come as SPIR-V. They stay where they are in the module, so that words keep
 * their numbers; those before the first function are copied into the module's records (debug_info.c) once
 * it is read.
 *
 * Two instruction sets have them, OpenCL.DebugInfo.100 and NonSemantic.Shader.DebugInfo.N. Their
 * instructions have the same numbers. Where the first has a literal, the second has the id of a constant,
 * and DebugTypeMember lacks the parent. A copy has the form of the first set, so that debug_info.c reads
 * one form.
 */
#include <spirv/unified1/OpenCLDebugInfo100.h>
#include <string.h>

#include "lower.h"
#include "orrery/checked.h"

static const char opencl_set[] = "OpenCL.DebugInfo.100", shader_set[] = "NonSemantic.Shader.DebugInfo.";

enum { HEADER_WORDS = 5, MEMBER_PARENT = 10 };

/* Which word of a record is a literal in OpenCL.DebugInfo.100, of those that debug_info.c reads; 0: none. */
static uint32_t literal_word(uint32_t number)
{
    switch (number) {
    case OpenCLDebugInfo100DebugInlinedAt: return 5;    /* line */
    case OpenCLDebugInfo100DebugTypeBasic: return 7;    /* encoding */
    case OpenCLDebugInfo100DebugTypePointer:            /* storage class */
    case OpenCLDebugInfo100DebugTypeVector:             /* component count */
    case OpenCLDebugInfo100DebugTypeComposite:          /* tag */
    case OpenCLDebugInfo100DebugLexicalBlock: return 6; /* line */
    case OpenCLDebugInfo100DebugGlobalVariable:         /* line, too */
    case OpenCLDebugInfo100DebugFunction:
    case OpenCLDebugInfo100DebugLocalVariable: return 8;
    default: return 0;
    }
}

uint32_t debug_constant(const struct module *m, uint32_t id)
{
    const uint32_t word = id < m->bound ? m->def[id] : 0;
    const bool is_number = word && spv_opcode(m, word) == SpvOpConstant && spv_length(m, word) > 3;
    return is_number ? m->words[word + 3] : 0;
}

/* All operands of a DebugOperation are literals. */
static void take_operation(const struct module *m, uint32_t length, uint32_t *out)
{
    for (uint32_t i = 5; i < length; i++)
        out[i] = debug_constant(m, out[i]);
}

/* out has room for one word more than the record. */
static uint32_t copy_record(const struct module *m, const uint32_t *w, uint32_t length, uint32_t *out)
{
    memcpy(out, w, length * sizeof *w);
    if (!m->debug_ids)
        return length;
    const uint32_t literal = literal_word(w[4]);
    if (literal && literal < length)
        out[literal] = debug_constant(m, w[literal]);
    if (w[4] == OpenCLDebugInfo100DebugOperation)
        take_operation(m, length, out);
    if (w[4] != OpenCLDebugInfo100DebugTypeMember || length <= MEMBER_PARENT)
        return length;
    memcpy(out + MEMBER_PARENT + 1, w + MEMBER_PARENT, (length - MEMBER_PARENT) * sizeof *w);
    out[MEMBER_PARENT] = 0;
    out[0] = (length + 1) << SpvWordCountShift | SpvOpExtInst;
    return length + 1;
}

void debug_note_set(struct module *m, uint32_t id, const char *name)
{
    const bool is_shader_set = !strncmp(name, shader_set, sizeof shader_set - 1);
    if (strcmp(name, opencl_set) != 0 && !is_shader_set)
        return;
    m->debug_set = id;
    m->debug_ids = is_shader_set;
}

/* The first word of the records stays free: index 0 is no record. */
void debug_read_records(struct module *m)
{
    uint32_t room = 1;
    if (!m->debug_set || m->record_words)
        return;
    for (uint32_t word = HEADER_WORDS; word < m->word_count; word += spv_length(m, word))
        if (spv_opcode(m, word) == SpvOpExtInst && m->words[word + 3] == m->debug_set)
            room += spv_length(m, word) + 1;
    m->records = ARENA_ARRAY(&m->arena, uint32_t, room);
    m->record_words = 1;
    for (uint32_t word = HEADER_WORDS; word < m->word_count && spv_opcode(m, word) != SpvOpFunction;
         word += spv_length(m, word))
        if (spv_opcode(m, word) == SpvOpExtInst && m->words[word + 3] == m->debug_set)
            m->record_words +=
                copy_record(m, &m->words[word], spv_length(m, word), m->records + m->record_words);
    CHECKED(m->record_words <= room);
}
