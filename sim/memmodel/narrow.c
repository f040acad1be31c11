/* SPDX-License-Identifier: Apache-2.0 */
#include "narrow.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum {
    STAMP_BYTES = 3, STAMP_BITS = 24, SLOTS = 2,
    BITS_MOST = HOSTILE(7, 3), BITS_LEAST = HOSTILE(4, 2), /* of a context's number */
    CONTEXTS_MOST = (1 << BITS_MOST) - 2,                  /* 0: nothing; all ones: a list */
    /* Both stamps of a byte in one: a unit, how far the reader's is from it, and two numbers of contexts. */
    PAIR_BYTES = SLOTS * STAMP_BYTES, NUMBER_BITS = HOSTILE(6, 3), NUMBER_MOST = (1 << NUMBER_BITS) - 2, AWAY_BITS = 9,
    UNIT_BITS = 8 * PAIR_BYTES - AWAY_BITS - 2 * NUMBER_BITS
};

struct narrow {
    uint32_t count, first;
    uint32_t bits;
    uint64_t base;                    /* of units */
    uint32_t context[CONTEXTS_MOST]; uint32_t context_count, latest;
    uint8_t *slot[SLOTS];             /* NULL: nothing stands there */
    uint8_t *pairs;                   /* in place of them, where units lie too far apart; NULL: not so */
};

/* ---- life ------------------------------------------------------------------------- */

static void forget(struct narrow *narrow)
{
    for (uint32_t s = 0; s < SLOTS; s++)
        if (narrow->slot[s])
            memset(narrow->slot[s], 0, (size_t)narrow->count * STAMP_BYTES);
    free(narrow->pairs);
    narrow->pairs = NULL;
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
    if (narrow)
        free(narrow->pairs);
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
    size_t bytes = sizeof *narrow + (narrow->pairs ? (size_t)narrow->count * PAIR_BYTES : 0);
    for (uint32_t s = 0; s < SLOTS; s++)
        bytes += narrow->slot[s] ? (size_t)narrow->count * STAMP_BYTES : 0;
    return bytes;
}

/* ---- pairs ------------------------------------------------------------------------- */

struct pair { uint64_t unit; int64_t away; uint32_t number[SLOTS]; }; /* number 0: nothing */

static void pair_at(const struct narrow *narrow, uint32_t at, struct pair *out)
{
    uint64_t code = 0;
    memcpy(&code, narrow->pairs + (size_t)at * PAIR_BYTES, PAIR_BYTES);
    out->number[0] = code & ((1 << NUMBER_BITS) - 1);
    out->number[1] = code >> NUMBER_BITS & ((1 << NUMBER_BITS) - 1);
    out->away = (int64_t)(code >> 2 * NUMBER_BITS & ((1 << AWAY_BITS) - 1)) - (1 << (AWAY_BITS - 1));
    out->unit = code >> (2 * NUMBER_BITS + AWAY_BITS);
}

static uint64_t pair_get(const struct narrow *narrow, uint32_t at, uint32_t slot)
{
    struct pair pair;
    pair_at(narrow, at, &pair);
    const uint64_t unit = pair.unit + (uint64_t)(slot ? pair.away : 0);
    if (!pair.number[slot])
        return 0;
    return pair.number[slot] > NUMBER_MOST ? stamp(unit, CONTEXT_CROWD) : stamp(narrow->base + unit, narrow->context[pair.number[slot] - 1]);
}

static uint32_t number_of(struct narrow *narrow, uint32_t context, uint32_t most);

/* What stands for the unit; false: it does not fit. */
static bool pair_half(struct narrow *narrow, uint64_t value, uint64_t *out_unit, uint32_t *out_number)
{
    const uint32_t context = stamp_context(value);
    *out_number = !value ? 0 : context == CONTEXT_CROWD ? NUMBER_MOST + 1 : number_of(narrow, context, NUMBER_MOST);
    *out_unit = stamp_unit(value) - (context == CONTEXT_CROWD ? 0 : narrow->base);
    return !value || (*out_number && *out_unit >> UNIT_BITS == 0);
}

static bool pair_set(struct narrow *narrow, uint32_t at, const uint64_t value[SLOTS])
{
    uint64_t unit[SLOTS], code;
    uint32_t number[SLOTS];
    for (uint32_t s = 0; s < SLOTS; s++)
        if (!pair_half(narrow, value[s], &unit[s], &number[s]))
            return false;
    const uint64_t first = value[0] ? unit[0] : unit[1], away = (value[1] ? unit[1] - first : 0) + (1 << (AWAY_BITS - 1));
    code = number[0] | number[1] << NUMBER_BITS;
    if (code && away >> AWAY_BITS)
        return false;
    if (code)
        code |= away << 2 * NUMBER_BITS | first << (2 * NUMBER_BITS + AWAY_BITS);
    memcpy(narrow->pairs + (size_t)at * PAIR_BYTES, &code, PAIR_BYTES);
    return true;
}

static bool pair_put(struct narrow *narrow, uint32_t at, uint32_t slot, uint64_t value)
{
    uint64_t both[SLOTS];
    for (uint32_t s = 0; s < SLOTS; s++)
        both[s] = s == slot ? value : pair_get(narrow, at, s);
    return pair_set(narrow, at, both);
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
    if (narrow->pairs)
        return pair_get(narrow, at, slot);
    const uint32_t code = narrow->slot[slot] ? code_at(narrow->slot[slot], at) : 0;
    const uint32_t list = (1u << narrow->bits) - 1, number = code & list;
    if (!code)
        return 0;
    return number == list ? stamp(code >> narrow->bits, CONTEXT_CROWD)
                          : stamp(narrow->base + (code >> narrow->bits), narrow->context[number - 1]);
}

/* 0: not among them. */
static uint32_t number_of(struct narrow *narrow, uint32_t context, uint32_t most)
{
    if (narrow->latest && narrow->context[narrow->latest - 1] == context)
        return narrow->latest;
    for (uint32_t i = narrow->context_count; i-- > 0;)
        if (narrow->context[i] == context)
            return narrow->latest = i + 1;
    if (narrow->context_count == most)
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
    const uint32_t number = number_of(narrow, context, list - 1);
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

static void measure(const struct narrow *narrow, uint64_t value, struct span *out)
{
    *out = (struct span){UINT64_MAX, 0, 0};
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t at = 0; narrow->slot[s] && at < narrow->count; at++)
            span_add(out, narrow_get(narrow, at, s));
    span_add(out, value);
}

/* Bases are coarse and contexts leave room, so that this does not come often. */
static bool make_fit(struct narrow *narrow, uint64_t value)
{
    struct span span;
    measure(narrow, value, &span);
    for (uint32_t bits = BITS_MOST; bits >= BITS_LEAST; bits--) {
        const uint64_t range = UINT64_C(1) << (STAMP_BITS - bits), base = span.unit_low & ~(range / 2 - 1);
        if (span.list_high < range && (span.unit_low > span.unit_high || span.unit_high - base < range) && recode(narrow, bits, base, value))
            return narrow->context_count <= (1u << bits) * 3 / 4;
    }
    return false;
}

/* Into pairs; false: not all of it fits. */
static bool make_pairs(struct narrow *narrow, uint32_t at, uint32_t slot, uint64_t value)
{
    struct span span;
    measure(narrow, value, &span);
    struct narrow other = {.count = narrow->count, .first = narrow->first, .pairs = calloc(narrow->count, PAIR_BYTES),
                           .base = span.unit_low & ~((UINT64_C(1) << (UNIT_BITS - 1)) - 1)};
    bool fits = other.pairs;
    for (uint32_t i = 0; fits && i < narrow->count; i++)
        fits = pair_set(&other, i, (uint64_t[SLOTS]){narrow_get(narrow, i, 0), narrow_get(narrow, i, 1)});
    if (!fits || !pair_put(&other, at, slot, value)) {
        free(other.pairs);
        return false;
    }
    for (uint32_t s = 0; s < SLOTS; s++)
        free(narrow->slot[s]);
    *narrow = other;
    return true;
}

bool narrow_put(struct narrow *narrow, uint32_t at, uint32_t slot, uint64_t value)
{
    if (narrow->pairs)
        return pair_put(narrow, at, slot, value);
    if (!value && !narrow->slot[slot])
        return true;
    uint32_t code = value ? encode(narrow, value) : 0;
    if (value && !code) {
        if (!make_fit(narrow, value))
            return make_pairs(narrow, at, slot, value);
        code = encode(narrow, value);
    }
    if (!narrow->slot[slot])
        narrow->slot[slot] = calloc(narrow->count, STAMP_BYTES);
    if (!narrow->slot[slot])
        return false;
    code_set(narrow->slot[slot], at, code);
    return true;
}
