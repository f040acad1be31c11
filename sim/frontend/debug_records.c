/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translator's OpenCL.DebugInfo.100 records are taken out before anything else reads the words. What
 * is left of them is where variables begin; positions are what OpLine has.
 *
 * The record of a declaration stands where a block declares the variable. There its value is
 * indeterminate, each time (C11, 6.2.4p6), which OpLifetimeStart says in SPIR-V. clang's own marks of
 * lifetimes would say it, too, but bring blocks and branches that end them. A parameter gets no
 * mark, since it is stored before its declaration. Variables that a block captures get none either: their
 * addresses are computed.
 *
 * For a debugger the records are packed away. The module is the same as without them, and so are the
 * findings. They become hexadecimal words in OpModuleProcessed instructions, which no tool interprets;
 * sim/interp/debug_info.c reads them there. Records of function bodies become two records of our own,
 * whose numbers the instruction set does not use:
 *
 *   DEBUG_RECORD_POSITION  function, OpString of the file, line, column, scope, DebugInlinedAt: of an OpLine
 *   DEBUG_RECORD_VARIABLE  function, OpVariable or parameter, DebugLocalVariable, scope, DebugInlinedAt
 *
 * DebugInlinedAt is 0 where the translator inlined no call.
 *
 * A declaration is preceded by an OpLine of its own. That OpLine is removed, too, unless it also holds for
 * the next instruction.
 */
#include <spirv/unified1/OpenCLDebugInfo100.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

static const char set_name[] = "OpenCL.DebugInfo.100";

enum { CHUNK_WORDS = 8192, RECORD_HEAD = 5, HEX = 8 };

/* What a record is. PLAIN: a variable that is no parameter, or the expression of its own address. */
enum known { IS_PLAIN = 1, IS_CONSTANT = 2, IS_SWAP = 4, IS_DEREFERENCE = 8 };

struct record_words {
    uint32_t *at;
    size_t count, room;
    bool failed;
};

struct record_packer {
    const struct spirv *from;
    struct record_words kept, records;
    uint32_t set, function, scope, site; /* site: the DebugInlinedAt of the scope; 0: none */
    uint32_t file, line, column;         /* of the latest OpLine of this function; 0: none yet */
    size_t line_at;                      /* where that OpLine is in `kept`; 0: an instruction follows it */
    /* The OpLine was removed with a declaration, but the next instruction with a scope needs it, too. */
    bool line_is_due;
    uint8_t *known; /* per id: enum known */
    uint32_t bound;
};

static void add(struct record_words *words, const uint32_t *more, size_t count)
{
    if (words->count + count > words->room) {
        const size_t room = (words->count + count) * 2;
        uint32_t *grown = realloc(words->at, room * sizeof *grown);
        words->failed |= !grown;
        if (!grown)
            return;
        words->at = grown;
        words->room = room;
    }
    memcpy(words->at + words->count, more, count * sizeof *more);
    words->count += count;
}

static void add_record(struct record_packer *p, uint32_t number, const uint32_t *operands, uint32_t count)
{
    const uint32_t head[RECORD_HEAD] = {instruction_word(SpvOpExtInst, RECORD_HEAD + count), 0, 0, p->set,
                                        number};
    add(&p->records, head, RECORD_HEAD);
    add(&p->records, operands, count);
}

static bool is_record(const struct record_packer *p, const uint32_t *w)
{
    return opcode_of(w[0]) == SpvOpExtInst && length_of(w[0]) >= RECORD_HEAD && w[3] == p->set;
}

/* Starting after the records at `at`: does the next instruction have an OpLine of its own, or none? */
static bool line_ends(const struct record_packer *p, size_t at)
{
    for (; at < p->from->word_count; at += length_of(p->from->words[at])) {
        const uint32_t *w = p->from->words + at;
        if (!is_record(p, w))
            return opcode_of(w[0]) == SpvOpLine || opcode_of(w[0]) == SpvOpNoLine;
        if (w[4] == OpenCLDebugInfo100DebugNoScope)
            return true;
    }
    return true;
}

static void note_position(struct record_packer *p)
{
    const uint32_t position[] = {p->function, p->file, p->line, p->column, p->scope, p->site};
    if (p->scope && p->line)
        add_record(p, DEBUG_RECORD_POSITION, position, sizeof position / sizeof *position);
}

static uint8_t known_of(const struct record_packer *p, uint32_t id)
{
    return id < p->bound ? p->known[id] : 0;
}

/* Of an expression: it has no operations, or those of an address space alone. */
static bool is_plain_address(const struct record_packer *p, const uint32_t *w, uint32_t length)
{
    return length == RECORD_HEAD || (length == RECORD_HEAD + 3 && known_of(p, w[5]) & IS_CONSTANT &&
                                     known_of(p, w[6]) & IS_SWAP && known_of(p, w[7]) & IS_DEREFERENCE);
}

/* A parameter has its number at the end. */
static uint8_t known_from(const struct record_packer *p, const uint32_t *w)
{
    enum { LOCAL_VARIABLE_WORDS = 12 };
    const uint32_t length = length_of(w[0]);
    switch (w[4]) {
    case OpenCLDebugInfo100DebugLocalVariable: return length == LOCAL_VARIABLE_WORDS ? IS_PLAIN : 0;
    case OpenCLDebugInfo100DebugExpression: return is_plain_address(p, w, length) ? IS_PLAIN : 0;
    case OpenCLDebugInfo100DebugOperation:
        return length <= RECORD_HEAD              ? 0
               : w[5] == OpenCLDebugInfo100Constu ? IS_CONSTANT
               : w[5] == OpenCLDebugInfo100Swap   ? IS_SWAP
               : w[5] == OpenCLDebugInfo100Xderef ? IS_DEREFERENCE
                                                  : 0;
    default: return 0;
    }
}

static void note_known(struct record_packer *p, const uint32_t *w)
{
    if (w[2] < p->bound)
        p->known[w[2]] |= known_from(p, w);
}

/* Marks where the variable begins, before the OpLine of what follows. */
static void put_begin(struct record_packer *p, const uint32_t *w)
{
    const uint32_t begin[] = {instruction_word(SpvOpLifetimeStart, 3), w[6], 0};
    const uint32_t line[] = {instruction_word(SpvOpLine, 4), p->file, p->line, p->column};
    if (length_of(w[0]) < 8 || !(known_of(p, w[5]) & IS_PLAIN) || !(known_of(p, w[7]) & IS_PLAIN))
        return;
    if (p->line_at)
        p->kept.count = p->line_at;
    add(&p->kept, begin, sizeof begin / sizeof *begin);
    if (!p->line_at)
        return;
    p->line_at = p->kept.count;
    add(&p->kept, line, sizeof line / sizeof *line);
}

static void take_record(struct record_packer *p, size_t at)
{
    const uint32_t *w = p->from->words + at, length = length_of(w[0]);
    note_known(p, w);
    if (!p->function) {
        add(&p->records, w, length);
    } else if (w[4] == OpenCLDebugInfo100DebugScope && length > 5) {
        p->scope = w[5];
        p->site = length > 6 ? w[6] : 0;
    } else if (w[4] == OpenCLDebugInfo100DebugNoScope) {
        p->scope = p->site = 0;
    } else if (w[4] == OpenCLDebugInfo100DebugDeclare && length > 6) {
        const uint32_t variable[] = {p->function, w[6], w[5], p->scope, p->site};
        add_record(p, DEBUG_RECORD_VARIABLE, variable, sizeof variable / sizeof *variable);
        if (p->line_at && line_ends(p, at + length)) {
            p->kept.count = p->line_at;
            p->line_at = 0;
            p->line_is_due = true;
        }
        put_begin(p, w);
    }
}

/* Writes the removed OpLine again before the next instruction that has a scope; without a scope an
 * instruction has no line. */
static void put_due_line(struct record_packer *p, uint32_t opcode)
{
    const uint32_t line[] = {instruction_word(SpvOpLine, 4), p->file, p->line, p->column};
    if (opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpFunctionEnd)
        p->line_is_due = false;
    if (!p->line_is_due || !p->scope || opcode == SpvOpLabel || opcode == SpvOpVariable)
        return;
    add(&p->kept, line, sizeof line / sizeof *line);
    note_position(p);
    p->line_is_due = false;
}

static void take_instruction(struct record_packer *p, const uint32_t *w)
{
    const uint32_t opcode = opcode_of(w[0]), length = length_of(w[0]);
    p->line_at = 0;
    put_due_line(p, opcode);
    if (opcode == SpvOpFunction) {
        p->function = w[2];
        p->scope = p->site = p->line = 0;
    } else if (opcode == SpvOpLine) {
        p->line_at = p->kept.count;
        p->file = w[1];
        p->line = w[2];
        p->column = w[3];
        note_position(p);
    }
    add(&p->kept, w, length);
}

static size_t after_processed(const struct record_words *words)
{
    size_t after = 0;
    for (size_t at = HEADER_WORDS; at < words->count; at += length_of(words->at[at])) {
        switch (opcode_of(words->at[at])) {
        case SpvOpName:
        case SpvOpMemberName:
        case SpvOpString:
        case SpvOpSource:
        case SpvOpModuleProcessed: after = at + length_of(words->at[at]); break;
        default: break;
        }
    }
    return after;
}

static void put_chunk(const struct record_words *records, size_t first, size_t count,
                      struct record_words *out)
{
    static const char prefix[] = DEBUG_RECORDS_PREFIX;
    const size_t size = sizeof prefix - 1 + count * HEX, words = size / sizeof(uint32_t) + 1;
    char *text = calloc(words, sizeof(uint32_t));
    const uint32_t head = instruction_word(SpvOpModuleProcessed, 1 + words);
    out->failed |= !text;
    if (!text)
        return;
    memcpy(text, prefix, sizeof prefix - 1);
    for (size_t i = 0; i < count; i++) {
        char hex[HEX + 1];
        snprintf(hex, sizeof hex, "%08x", records->at[first + i]);
        memcpy(text + sizeof prefix - 1 + i * HEX, hex, HEX);
    }
    add(out, &head, 1);
    add(out, (const uint32_t *)(const void *)text, words);
    free(text);
}

static enum status merge_records(struct record_packer *p, struct spirv *spirv)
{
    struct record_words out = {0};
    const size_t after = after_processed(&p->kept);
    add(&out, p->kept.at, after);
    for (size_t first = 0; first < p->records.count; first += CHUNK_WORDS)
        put_chunk(&p->records, first,
                  p->records.count - first < CHUNK_WORDS ? p->records.count - first : CHUNK_WORDS, &out);
    add(&out, p->kept.at + after, p->kept.count - after);
    if (out.failed) {
        free(out.at);
        return STATUS_OUT_OF_MEMORY;
    }
    spirv_take(spirv, out.at, out.count);
    return STATUS_OK;
}

static uint32_t find_set(const struct spirv *spirv)
{
    for (size_t at = HEADER_WORDS; at < spirv->word_count && length_of(spirv->words[at]);
         at += length_of(spirv->words[at]))
        if (opcode_of(spirv->words[at]) == SpvOpExtInstImport &&
            !strncmp((const char *)(spirv->words + at + 2), set_name, sizeof set_name))
            return spirv->words[at + 1];
    return 0;
}

enum status debug_records_pack(struct spirv *spirv, bool keeps)
{
    struct record_packer p = {.from = spirv, .set = find_set(spirv)};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (!p.set)
        return STATUS_OK;
    p.bound = spirv->words[BOUND_WORD];
    p.known = calloc((size_t)p.bound + 1, 1);
    if (!p.known)
        return STATUS_OUT_OF_MEMORY;
    add(&p.kept, spirv->words, HEADER_WORDS);
    for (size_t at = HEADER_WORDS; at < spirv->word_count && !p.kept.failed && !p.records.failed;
         at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        if (!length_of(w[0]) || at + length_of(w[0]) > spirv->word_count) {
            status = STATUS_BAD_BINARY;
            goto out;
        }
        if (is_record(&p, w))
            take_record(&p, at);
        else if (opcode_of(w[0]) != SpvOpExtInstImport || w[1] != p.set)
            take_instruction(&p, w);
    }
    if (!keeps)
        p.records.count = 0;
    if (!p.kept.failed && !p.records.failed)
        status = merge_records(&p, spirv);
out:
    free(p.known);
    free(p.kept.at);
    free(p.records.at);
    return status;
}
