/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons of queues and of device-side events. The translator converts both to integers as if they
 * were pointers, which they are not. Each conversion becomes a call of a function of clang_source() that
 * returns their bits.
 */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

enum { OPAQUE_QUEUE, OPAQUE_EVENT, OPAQUE_KINDS };

/* The translator compares queues and events as pointers, which they are not. Functions of clang_source()
 * return their bits instead. */
struct opaques {
    uint8_t *kind; /* per id: 1 + kind of a type, or of a value of that type */
    uint32_t bound;
    uint32_t bits[OPAQUE_KINDS]; /* the functions; 0: not in the module */
    size_t found;                /* number of conversions to integers */
};

static uint32_t kind_of(const struct opaques *opaques, uint32_t id)
{
    return id < opaques->bound ? opaques->kind[id] : 0;
}

static void set_kind(struct opaques *opaques, uint32_t id, uint32_t kind)
{
    if (id < opaques->bound)
        opaques->kind[id] = (uint8_t)kind;
}

static bool is_opaque_bits(const struct opaques *opaques, const uint32_t *words)
{
    uint32_t kind = opcode_of(words[0]) == SpvOpConvertPtrToU ? kind_of(opaques, words[3]) : 0;
    return kind && opaques->bits[kind - 1];
}

static void opaque_visit(struct opaques *opaques, const uint32_t *words, uint32_t count)
{
    static const char *const names[] = {"__orrery_queue_bits", "__orrery_event_bits"};
    switch (opcode_of(words[0])) {
    case SpvOpName:
        for (uint32_t i = 0; i < OPAQUE_KINDS; i++)
            if (literal_is(words + 2, count - 2, names[i]))
                opaques->bits[i] = words[1];
        break;
    case SpvOpTypeQueue: set_kind(opaques, words[1], 1 + OPAQUE_QUEUE); break;
    case SpvOpTypeDeviceEvent: set_kind(opaques, words[1], 1 + OPAQUE_EVENT); break;
    case SpvOpFunctionParameter:
    case SpvOpFunctionCall:
    case SpvOpLoad:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpGetDefaultQueue:
    case SpvOpCreateUserEvent: set_kind(opaques, words[2], kind_of(opaques, words[1])); break;
    default: opaques->found += is_opaque_bits(opaques, words); break;
    }
}

/* Each conversion becomes a call, which is one word longer. */
static enum status call_bits(struct spirv *spirv, const struct opaques *opaques)
{
    uint32_t *words = malloc((spirv->word_count + opaques->found) * sizeof *words);
    size_t put = HEADER_WORDS;
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *from = spirv->words + at;
        count = length_of(from[0]);
        if (is_opaque_bits(opaques, from)) {
            const uint32_t call[] = {instruction_word(SpvOpFunctionCall, 5), from[1], from[2],
                                     opaques->bits[kind_of(opaques, from[3]) - 1], from[3]};
            memcpy(words + put, call, sizeof call);
            put += 5;
        } else {
            memcpy(words + put, from, count * sizeof *words);
            put += count;
        }
    }
    spirv_take(spirv, words, put);
    return STATUS_OK;
}

enum status repair_opaques(struct spirv *spirv)
{
    struct opaques opaques = {.bound = spirv->words[BOUND_WORD]};
    enum status status = STATUS_OK;
    opaques.kind = calloc(opaques.bound, 1);
    if (!opaques.kind)
        return STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at]))
        opaque_visit(&opaques, spirv->words + at, length_of(spirv->words[at]));
    if (opaques.found)
        status = call_bits(spirv, &opaques);
    free(opaques.kind);
    return status;
}
