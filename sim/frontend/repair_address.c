/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of variables in constant composites. A constituent must be a constant, and a variable is none,
 * but a cast of the variable to its own type is one.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

/* Constituents of a composite must be constants, and a variable is none. A cast of the variable to its own
 * type is one. */
struct addresses {
    uint32_t *type;     /* per id: type of a variable outside of functions; 0: another id */
    uint32_t *constant; /* per id: its cast; 0: none yet */
    uint32_t bound, next;
};

enum { CAST_WORDS = 5 };

static bool is_composite(uint32_t word)
{
    return opcode_of(word) == SpvOpConstantComposite || opcode_of(word) == SpvOpSpecConstantComposite;
}

static bool is_variable(const struct addresses *addresses, uint32_t id)
{
    return id < addresses->bound && addresses->type[id];
}

/* Returns the number of constituents that are variables. */
static size_t find_addresses(struct addresses *addresses, const struct spirv *spirv)
{
    size_t found = 0;
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at;
        count = length_of(w[0]);
        if (opcode_of(w[0]) == SpvOpVariable && w[3] != SpvStorageClassFunction && w[2] < addresses->bound)
            addresses->type[w[2]] = w[1];
        for (size_t i = 3; is_composite(w[0]) && i < count; i++)
            found += is_variable(addresses, w[i]);
    }
    return found;
}

/* Returns where the next cast is written. */
static uint32_t *put_cast(struct addresses *addresses, uint32_t variable, uint32_t *out)
{
    if (addresses->constant[variable])
        return out;
    addresses->constant[variable] = addresses->next++;
    const uint32_t cast[CAST_WORDS] = {instruction_word(SpvOpSpecConstantOp, CAST_WORDS),
                                       addresses->type[variable], addresses->constant[variable], SpvOpBitcast,
                                       variable};
    memcpy(out, cast, sizeof cast);
    return out + CAST_WORDS;
}

static size_t put_addresses(struct addresses *addresses, const struct spirv *spirv, uint32_t *words)
{
    uint32_t *out = words + HEADER_WORDS;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at;
        count = length_of(w[0]);
        const bool composite = is_composite(w[0]);
        for (size_t i = 3; composite && i < count; i++)
            if (is_variable(addresses, w[i]))
                out = put_cast(addresses, w[i], out);
        memcpy(out, w, count * sizeof *out);
        for (size_t i = 3; composite && i < count; i++)
            if (is_variable(addresses, w[i]))
                out[i] = addresses->constant[w[i]];
        out += count;
    }
    words[BOUND_WORD] = addresses->next;
    return (size_t)(out - words);
}

enum status repair_addresses(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[BOUND_WORD];
    struct addresses addresses = {.type = calloc(bound, sizeof *addresses.type),
                                  .constant = calloc(bound, sizeof *addresses.constant),
                                  .bound = bound,
                                  .next = bound};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (addresses.type && addresses.constant) {
        const size_t found = find_addresses(&addresses, spirv);
        uint32_t *words = found ? malloc((spirv->word_count + found * CAST_WORDS) * sizeof *words) : NULL;
        status = found && !words ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        if (words) {
            const size_t put = put_addresses(&addresses, spirv, words);
            spirv_take(spirv, words, put);
        }
    }
    free(addresses.type);
    free(addresses.constant);
    return status;
}
