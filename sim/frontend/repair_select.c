/* SPDX-License-Identifier: Apache-2.0 */
/* `truth ? vector : vector`: the translator selects vectors by a single bool, which SPIR-V allows from
 * version 1.4 on. For earlier versions the condition becomes a vector of copies of the bool. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { TYPE_WORDS = 4, COMPONENTS_MAX = 16 };

struct selects {
    uint32_t bound, next; /* bound of ids; the next new id */
    uint32_t truth_type;
    uint8_t *truth;      /* per id: a bool value */
    uint8_t *components; /* per id of a vector type: its components */
    /* ids of the types of bool vectors, by components; 0: none */
    uint32_t vectors[COMPONENTS_MAX + 1];
    bool needed[COMPONENTS_MAX + 1];
};

static bool is_constant(uint32_t opcode)
{
    return opcode >= SpvOpUndef && opcode <= SpvOpSpecConstantOp &&
           (opcode == SpvOpUndef || opcode >= SpvOpConstantTrue);
}

/* The components of the vectors that a bool selects; 0: another instruction. */
static uint32_t chosen_components(const struct selects *selects, const uint32_t *words)
{
    if (opcode_of(words[0]) != SpvOpSelect || words[1] >= selects->bound || words[3] >= selects->bound ||
        !selects->truth[words[3]])
        return 0;
    return selects->components[words[1]];
}

static size_t find_selects(struct selects *selects, const struct spirv *spirv)
{
    size_t found = 0;
    bool in_functions = false;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at, opcode = opcode_of(w[0]), count = length_of(w[0]);
        in_functions |= opcode == SpvOpFunction;
        if (opcode == SpvOpTypeBool) {
            selects->truth_type = w[1];
        } else if (opcode == SpvOpTypeVector && w[1] < selects->bound && w[3] <= COMPONENTS_MAX) {
            selects->components[w[1]] = (uint8_t)w[3];
            if (w[2] == selects->truth_type)
                selects->vectors[w[3]] = w[1];
        } else if (count > 2 && (in_functions || is_constant(opcode))) {
            if (selects->truth_type && w[1] == selects->truth_type && w[2] < selects->bound)
                selects->truth[w[2]] = 1;
        }
        const uint32_t components = chosen_components(selects, w);
        selects->needed[components] = true;
        found += components > 0;
    }
    return found;
}

static uint32_t *put_types(struct selects *selects, uint32_t *out)
{
    for (uint32_t n = 1; n <= COMPONENTS_MAX; n++) {
        if (!selects->needed[n] || selects->vectors[n])
            continue;
        selects->vectors[n] = selects->next++;
        const uint32_t type[TYPE_WORDS] = {instruction_word(SpvOpTypeVector, TYPE_WORDS), selects->vectors[n],
                                           selects->truth_type, n};
        memcpy(out, type, sizeof type);
        out += TYPE_WORDS;
    }
    return out;
}

static uint32_t *put_condition(struct selects *selects, uint32_t truth, uint32_t components, uint32_t *out)
{
    *out++ = instruction_word(SpvOpCompositeConstruct, 3 + components);
    *out++ = selects->vectors[components];
    *out++ = selects->next++;
    for (uint32_t i = 0; i < components; i++)
        *out++ = truth;
    return out;
}

static size_t put_module(struct selects *selects, const struct spirv *spirv, uint32_t *words)
{
    uint32_t *out = words + HEADER_WORDS;
    bool in_functions = false;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at, components = chosen_components(selects, w);
        count = length_of(w[0]);
        if (!in_functions && opcode_of(w[0]) == SpvOpFunction) {
            out = put_types(selects, out);
            in_functions = true;
        }
        if (components)
            out = put_condition(selects, w[3], components, out);
        memcpy(out, w, count * sizeof *out);
        if (components)
            out[3] = selects->next - 1;
        out += count;
    }
    words[BOUND_WORD] = selects->next;
    return (size_t)(out - words);
}

enum status repair_selects(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[BOUND_WORD];
    struct selects selects = {.bound = bound,
                              .next = bound,
                              .truth = calloc(bound, sizeof *selects.truth),
                              .components = calloc(bound, sizeof *selects.components)};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (selects.truth && selects.components) {
        const size_t found = find_selects(&selects, spirv),
                     room = spirv->word_count + found * (3 + COMPONENTS_MAX) + COMPONENTS_MAX * TYPE_WORDS;
        uint32_t *words = found ? malloc(room * sizeof *words) : NULL;
        status = found && !words ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        if (words) {
            const size_t put = put_module(&selects, spirv, words);
            spirv_take(spirv, words, put);
        }
    }
    free(selects.truth);
    free(selects.components);
    return status;
}
