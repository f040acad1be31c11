/* SPDX-License-Identifier: Apache-2.0 */
#include "narrow.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum {
    STAMP_BYTES = 3, STAMP_BITS = 24, SLOTS = 2,
    BITS_MOST = HOSTILE(7, 3), BITS_LEAST = HOSTILE(4, 2), /* of a context's number */
    CONTEXTS_MOST = (1 << BITS_MOST) - 2                   /* 0: nothing; all ones: a list */
};

struct narrow {
    uint32_t count, first;
    uint32_t bits;
    uint64_t base;                    /* of units */
    uint32_t context[CONTEXTS_MOST]; uint32_t context_count, latest;
    uint8_t *slot[SLOTS];             /* NULL: nothing stands there */
};

/* ---- life ------------------------------------------------------------------------- */

static void forget(struct narrow *narrow)
{
    for (uint32_t s = 0; s < SLOTS; s++)
        if (narrow->slot[s])
            memset(narrow->slot[s], 0, (size_t)narrow->count * STAMP_BYTES);
    narrow->bits = BITS_MOST;
    narrow->base = UINT64_MAX;
    narrow->context_count = narrow->latest = 0;
}

struct narrow *narrow_new(uint32_t count)
{
    struct narrow *narrow = calloc(1, sizeof *narrow);
    if (!narrow)
        return NULL;
    narrow->count = count;
    forget(narrow);
    return narrow;
}

void narrow_free(struct narrow *narrow)
{
    for (uint32_t s = 0; narrow && s < SLOTS; s++)
        free(narrow->slot[s]);
    free(narrow);
}

void narrow_begin(struct narrow *narrow, uint32_t first)
{
    if (narrow->first == first)
        return;
    forget(narrow);
    narrow->first = first;
}

bool narrow_is_of(const struct narrow *narrow, uint32_t first)
{
    return narrow->first == first;
}

size_t narrow_bytes(const struct narrow *narrow)
{
    size_t bytes = sizeof *narrow;
    for (uint32_t s = 0; s < SLOTS; s++)
        bytes += narrow->slot[s] ? (size_t)narrow->count * STAMP_BYTES : 0;
    return bytes;
}

/* ---- codes ------------------------------------------------------------------------- */

static uint32_t code_at(const uint8_t *slot, uint32_t at)
{
    const uint8_t *bytes = slot + (size_t)at * STAMP_BYTES;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

static void code_set(uint8_t *slot, uint32_t at, uint32_t code)
{
    uint8_t *bytes = slot + (size_t)at * STAMP_BYTES;
    bytes[0] = (uint8_t)code;
    bytes[1] = (uint8_t)(code >> 8);
    bytes[2] = (uint8_t)(code >> 16);
}

uint64_t narrow_get(const struct narrow *narrow, uint32_t at, uint32_t slot)
{
    const uint32_t code = narrow->slot[slot] ? code_at(narrow->slot[slot], at) : 0;
    const uint32_t list = (1u << narrow->bits) - 1, number = code & list;
    if (!code)
        return 0;
    return number == list ? stamp(code >> narrow->bits, CONTEXT_CROWD)
                          : stamp(narrow->base + (code >> narrow->bits), narrow->context[number - 1]);
}

/* 0: not among them. */
static uint32_t number_of(struct narrow *narrow, uint32_t context)
{
    if (narrow->latest && narrow->context[narrow->latest - 1] == context)
        return narrow->latest;
    for (uint32_t i = narrow->context_count; i-- > 0;)
        if (narrow->context[i] == context)
            return narrow->latest = i + 1;
    if (narrow->context_count == (1u << narrow->bits) - 2)
        return 0;
    narrow->context[narrow->context_count++] = context;
    return narrow->latest = narrow->context_count;
}

/* 0: it does not fit. */
static uint32_t encode(struct narrow *narrow, uint64_t value)
{
    const uint32_t context = stamp_context(value), list = (1u << narrow->bits) - 1;
    const uint64_t most = (UINT64_C(1) << (STAMP_BITS - narrow->bits)) - 1, unit = stamp_unit(value);
    if (context == CONTEXT_CROWD)
        return unit > most ? 0 : (uint32_t)unit << narrow->bits | list;
    if (unit < narrow->base || unit - narrow->base > most)
        return 0;
    const uint32_t number = number_of(narrow, context);
    return number ? (uint32_t)(unit - narrow->base) << narrow->bits | number : 0;
}

/* ---- another way ----------------------------------------------------------------------- */

/* What stands in the page, and what comes. */
struct span { uint64_t unit_low, unit_high, list_high; };

static void span_add(struct span *span, uint64_t value)
{
    const uint64_t unit = stamp_unit(value);
    if (!value)
        return;
    if (stamp_context(value) == CONTEXT_CROWD) {
        span->list_high = unit > span->list_high ? unit : span->list_high;
        return;
    }
    span->unit_low = unit < span->unit_low ? unit : span->unit_low;
    span->unit_high = unit > span->unit_high ? unit : span->unit_high;
}

/* With so many bits for contexts, counted anew; false: not all of it fits. */
static bool recode(struct narrow *narrow, uint32_t bits, uint64_t base, uint64_t value)
{
    struct narrow other = {.count = narrow->count, .first = narrow->first, .bits = bits, .base = base};
    bool fits = true;
    for (uint32_t s = 0; fits && s < SLOTS; s++) {
        other.slot[s] = narrow->slot[s] ? calloc(narrow->count, STAMP_BYTES) : NULL;
        fits = !narrow->slot[s] || other.slot[s];
        for (uint32_t at = 0; fits && other.slot[s] && at < narrow->count; at++) {
            const uint64_t old = narrow_get(narrow, at, s);
            const uint32_t code = old ? encode(&other, old) : 0;
            fits = !old || code;
            code_set(other.slot[s], at, code);
        }
    }
    if (!fits || !encode(&other, value)) {
        free(other.slot[0]);
        free(other.slot[1]);
        return false;
    }
    free(narrow->slot[0]);
    free(narrow->slot[1]);
    *narrow = other;
    return true;
}

/* Bases are coarse and contexts leave room, so that this does not come often. */
static bool make_fit(struct narrow *narrow, uint64_t value)
{
    struct span span = {UINT64_MAX, 0, 0};
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t at = 0; narrow->slot[s] && at < narrow->count; at++)
            span_add(&span, narrow_get(narrow, at, s));
    span_add(&span, value);
    for (uint32_t bits = BITS_MOST; bits >= BITS_LEAST; bits--) {
        const uint64_t range = UINT64_C(1) << (STAMP_BITS - bits), base = span.unit_low & ~(range / 2 - 1);
        if (span.list_high < range && (span.unit_low > span.unit_high || span.unit_high - base < range) && recode(narrow, bits, base, value))
            return narrow->context_count <= (1u << bits) * 3 / 4;
    }
    return false;
}

bool narrow_put(struct narrow *narrow, uint32_t at, uint32_t slot, uint64_t value)
{
    if (!value && !narrow->slot[slot])
        return true;
    uint32_t code = value ? encode(narrow, value) : 0;
    if (value && !code) {
        if (!make_fit(narrow, value))
            return false;
        code = encode(narrow, value);
    }
    if (!narrow->slot[slot])
        narrow->slot[slot] = calloc(narrow->count, STAMP_BYTES);
    if (!narrow->slot[slot])
        return false;
    code_set(narrow->slot[slot], at, code);
    return true;
}
