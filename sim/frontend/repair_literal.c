/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals of arrays and structures. The translator makes them private variables outside of functions,
 * where SPIR-V allows none. Each function that uses a literal gets a variable of its own with the same
 * initialiser; the first function keeps the id.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

/* Each function that uses a literal gets a variable of its own; the first function keeps the id. */
struct literals {
    /* per id: an OpVariable with an initialiser outside of functions; NULL: none */
    const uint32_t **variable;
    uint32_t *renamed; /* per id: its id in the current function; 0: not used there */
    uint8_t *taken;    /* per id: a function has the original id */
    uint32_t bound, next;
    size_t count;
};

/* The words of an instruction that may be pointers to private memory: *out_from up to *out_to. */
static bool pointer_words(uint32_t opcode, uint32_t count, uint32_t *out_from, uint32_t *out_to)
{
    static const struct {
        uint16_t opcode, from, to;
    } uses[] = {
        {SpvOpLoad, 3, 4},           {SpvOpStore, 1, 3},
        {SpvOpCopyMemory, 1, 3},     {SpvOpCopyMemorySized, 1, 3},
        {SpvOpAccessChain, 3, 4},    {SpvOpInBoundsAccessChain, 3, 4},
        {SpvOpPtrAccessChain, 3, 4}, {SpvOpInBoundsPtrAccessChain, 3, 4},
        {SpvOpBitcast, 3, 4},        {SpvOpPtrCastToGeneric, 3, 4},
        {SpvOpConvertPtrToU, 3, 4},  {SpvOpSelect, 4, 6},
        {SpvOpPhi, 3, UINT16_MAX},   {SpvOpFunctionCall, 4, UINT16_MAX},
        {SpvOpExtInst, 5, 7},        {SpvOpLifetimeStart, 1, 2},
        {SpvOpLifetimeStop, 1, 2},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (uses[i].opcode != opcode)
            continue;
        *out_from = uses[i].from;
        *out_to = uses[i].to < count ? uses[i].to : count;
        return true;
    }
    return false;
}

static bool is_literal(const struct literals *literals, uint32_t id)
{
    return id < literals->bound && literals->variable[id];
}

/* The number of words up to OpFunctionEnd, at most `size`. */
static size_t function_words(const uint32_t *words, size_t size)
{
    size_t at = 0;
    while (at < size && opcode_of(words[at]) != SpvOpFunctionEnd)
        at += length_of(words[at]);
    return at < size ? at + 1 : size;
}

/* Gives the literals that the function uses their ids in this function. */
static void rename_literals(struct literals *literals, uint32_t *words, size_t size)
{
    uint32_t from, to;
    memset(literals->renamed, 0, literals->bound * sizeof *literals->renamed);
    for (size_t at = 0; at < size; at += length_of(words[at])) {
        if (!pointer_words(opcode_of(words[at]), length_of(words[at]), &from, &to))
            continue;
        for (uint32_t *id = words + at + from; id < words + at + to; id++) {
            if (!is_literal(literals, *id))
                continue;
            if (!literals->renamed[*id])
                literals->renamed[*id] = literals->taken[*id] ? literals->next++ : *id;
            literals->taken[*id] = 1;
            *id = literals->renamed[*id];
        }
    }
}

static size_t put_variables(const struct literals *literals, uint32_t *out)
{
    size_t put = 0;
    for (uint32_t id = 0; id < literals->bound; id++) {
        if (!literals->renamed[id])
            continue;
        const uint32_t count = length_of(literals->variable[id][0]);
        memcpy(out + put, literals->variable[id], count * sizeof *out);
        out[put + 2] = literals->renamed[id];
        put += count;
    }
    return put;
}

static size_t put_function(struct literals *literals, uint32_t *words, size_t size, uint32_t *out)
{
    size_t put = 0;
    bool begun = false;
    rename_literals(literals, words, size);
    for (size_t at = 0, count; at < size; at += count) {
        count = length_of(words[at]);
        memcpy(out + put, words + at, count * sizeof *out);
        put += count;
        if (opcode_of(words[at]) == SpvOpLabel && !begun)
            put += put_variables(literals, out + put);
        begun |= opcode_of(words[at]) == SpvOpLabel;
    }
    return put;
}

/* Copies an instruction outside of functions without the literals: their variables, decorations and
 * interface entries. */
static size_t put_outside(const struct literals *literals, const uint32_t *words, uint32_t *out)
{
    const uint32_t opcode = opcode_of(words[0]), count = length_of(words[0]);
    if ((opcode == SpvOpVariable && is_literal(literals, words[2])) ||
        (opcode == SpvOpDecorate && is_literal(literals, words[1])))
        return 0;
    memcpy(out, words, count * sizeof *out);
    if (opcode != SpvOpEntryPoint)
        return count;
    uint32_t put = 3 + (uint32_t)strnlen((const char *)(words + 3), (count - 4) * sizeof *words) / 4 + 1;
    for (uint32_t i = put; i < count; i++)
        if (!is_literal(literals, words[i]))
            out[put++] = words[i];
    out[0] = instruction_word(opcode, put);
    return put;
}

static size_t put_module(struct literals *literals, uint32_t *words, size_t word_count, uint32_t *out)
{
    size_t put = HEADER_WORDS;
    memcpy(out, words, HEADER_WORDS * sizeof *out);
    for (size_t at = HEADER_WORDS; at < word_count;) {
        const bool function = opcode_of(words[at]) == SpvOpFunction;
        const size_t size = function ? function_words(words + at, word_count - at) : length_of(words[at]);
        put += function ? put_function(literals, words + at, size, out + put)
                        : put_outside(literals, words + at, out + put);
        at += size;
    }
    out[BOUND_WORD] = literals->next;
    return put;
}

/* Returns the number of functions. */
static size_t find_literals(struct literals *literals, const struct spirv *spirv)
{
    size_t functions = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        functions += opcode_of(w[0]) == SpvOpFunction;
        const bool initialised = opcode_of(w[0]) == SpvOpVariable && length_of(w[0]) == 5;
        if (functions || !initialised || w[3] != SpvStorageClassFunction || w[2] >= literals->bound)
            continue;
        literals->variable[w[2]] = w;
        literals->count++;
    }
    return functions;
}

enum status repair_literals(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[BOUND_WORD];
    struct literals literals = {.variable = calloc(bound, sizeof *literals.variable),
                                .renamed = calloc(bound, sizeof *literals.renamed),
                                .taken = calloc(bound, 1),
                                .bound = bound,
                                .next = bound};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (literals.variable && literals.renamed && literals.taken) {
        const size_t functions = find_literals(&literals, spirv);
        uint32_t *words = literals.count
                              ? malloc((spirv->word_count + functions * literals.count * 5) * sizeof *words)
                              : NULL;
        status = literals.count && !words ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        if (words) {
            const size_t put = put_module(&literals, spirv->words, spirv->word_count, words);
            spirv_take(spirv, words, put);
        }
    }
    free(literals.variable);
    free(literals.renamed);
    free(literals.taken);
    return status;
}
