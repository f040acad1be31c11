/* SPDX-License-Identifier: Apache-2.0 */
/* Compact pages. An epoch is coded with `bits` bits for the number of its context, and the rest for its unit
 * relative to `base`. When an epoch does not fit, the page is coded anew with another split and base, then as
 * pairs; if that fails the caller makes full cells. */
#include "compact_page.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum {
    EPOCH_BYTES = 3,
    EPOCH_BITS = 24,
    SLOTS = 2,
    BITS_MOST = HOSTILE(7, 3),
    BITS_LEAST = HOSTILE(4, 2),           /* of a context's number */
    CONTEXTS_MOST = (1 << BITS_MOST) - 2, /* number 0: no epoch; all ones: an access set */
    /* a pair: unit, distance of the second epoch's unit, numbers of both contexts */
    PAIR_BYTES = SLOTS * EPOCH_BYTES,
    NUMBER_BITS = HOSTILE(6, 3),
    NUMBER_MOST = (1 << NUMBER_BITS) - 2,
    AWAY_BITS = 9,
    UNIT_BITS = 8 * PAIR_BYTES - AWAY_BITS - 2 * NUMBER_BITS
};

struct compact {
    uint32_t count, first;
    uint32_t bits;
    uint64_t base; /* of units */
    uint32_t context[CONTEXTS_MOST];
    uint32_t context_count, latest;
    uint8_t *slot[SLOTS]; /* codes of first and second epochs; NULL: all 0 */
    uint8_t *pairs;       /* instead of both slots; NULL: not in use */
};

/* ---- life ------------------------------------------------------------------------- */

static void forget(struct compact *compact)
{
    for (uint32_t s = 0; s < SLOTS; s++)
        if (compact->slot[s])
            memset(compact->slot[s], 0, (size_t)compact->count * EPOCH_BYTES);
    free(compact->pairs);
    compact->pairs = NULL;
    compact->bits = BITS_MOST;
    compact->base = UINT64_MAX;
    compact->context_count = compact->latest = 0;
}

struct compact *compact_new(uint32_t count)
{
    struct compact *compact = calloc(1, sizeof *compact);
    if (!compact)
        return NULL;
    compact->count = count;
    forget(compact);
    return compact;
}

void compact_free(struct compact *compact)
{
    for (uint32_t s = 0; compact && s < SLOTS; s++)
        free(compact->slot[s]);
    if (compact)
        free(compact->pairs);
    free(compact);
}

void compact_begin(struct compact *compact, uint32_t first)
{
    if (compact->first == first)
        return;
    forget(compact);
    compact->first = first;
}

bool compact_is_of(const struct compact *compact, uint32_t first)
{
    return compact->first == first;
}

/* ---- pairs ------------------------------------------------------------------------- */

struct compact_pair {
    uint64_t unit;
    int64_t away;
    uint32_t number[SLOTS];
}; /* number 0: nothing */

static void pair_at(const struct compact *compact, uint32_t at, struct compact_pair *out)
{
    uint64_t code = 0;
    memcpy(&code, compact->pairs + (size_t)at * PAIR_BYTES, PAIR_BYTES);
    out->number[0] = code & ((1 << NUMBER_BITS) - 1);
    out->number[1] = code >> NUMBER_BITS & ((1 << NUMBER_BITS) - 1);
    out->away = (int64_t)(code >> 2 * NUMBER_BITS & ((1 << AWAY_BITS) - 1)) - (1 << (AWAY_BITS - 1));
    out->unit = code >> (2 * NUMBER_BITS + AWAY_BITS);
}

static uint64_t pair_get(const struct compact *compact, uint32_t at, uint32_t slot)
{
    struct compact_pair pair;
    pair_at(compact, at, &pair);
    const uint64_t unit = pair.unit + (uint64_t)(slot ? pair.away : 0);
    if (!pair.number[slot])
        return 0;
    return pair.number[slot] > NUMBER_MOST
               ? epoch(unit, CONTEXT_ACCESS_SET)
               : epoch(compact->base + unit, compact->context[pair.number[slot] - 1]);
}

static uint32_t number_of(struct compact *compact, uint32_t context, uint32_t most);

/* Unit and number of one epoch of a pair. False: they do not fit. */
static bool pair_half(struct compact *compact, uint64_t value, uint64_t *out_unit, uint32_t *out_number)
{
    const uint32_t context = epoch_context(value);
    *out_number = !value                          ? 0
                  : context == CONTEXT_ACCESS_SET ? NUMBER_MOST + 1
                                                  : number_of(compact, context, NUMBER_MOST);
    *out_unit = epoch_unit(value) - (context == CONTEXT_ACCESS_SET ? 0 : compact->base);
    return !value || (*out_number && *out_unit >> UNIT_BITS == 0);
}

static bool pair_set(struct compact *compact, uint32_t at, const uint64_t value[SLOTS])
{
    uint64_t unit[SLOTS], code;
    uint32_t number[SLOTS];
    for (uint32_t s = 0; s < SLOTS; s++)
        if (!pair_half(compact, value[s], &unit[s], &number[s]))
            return false;
    const uint64_t first = value[0] ? unit[0] : unit[1],
                   away = (value[1] ? unit[1] - first : 0) + (1 << (AWAY_BITS - 1));
    code = number[0] | number[1] << NUMBER_BITS;
    if (code && away >> AWAY_BITS)
        return false;
    if (code)
        code |= away << 2 * NUMBER_BITS | first << (2 * NUMBER_BITS + AWAY_BITS);
    memcpy(compact->pairs + (size_t)at * PAIR_BYTES, &code, PAIR_BYTES);
    return true;
}

static bool pair_put(struct compact *compact, uint32_t at, uint32_t slot, uint64_t value)
{
    uint64_t both[SLOTS];
    for (uint32_t s = 0; s < SLOTS; s++)
        both[s] = s == slot ? value : pair_get(compact, at, s);
    return pair_set(compact, at, both);
}

/* ---- codes ------------------------------------------------------------------------- */

static uint32_t code_at(const uint8_t *slot, uint32_t at)
{
    const uint8_t *bytes = slot + (size_t)at * EPOCH_BYTES;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
}

static void code_set(uint8_t *slot, uint32_t at, uint32_t code)
{
    uint8_t *bytes = slot + (size_t)at * EPOCH_BYTES;
    bytes[0] = (uint8_t)code;
    bytes[1] = (uint8_t)(code >> 8);
    bytes[2] = (uint8_t)(code >> 16);
}

uint64_t compact_get(const struct compact *compact, uint32_t at, uint32_t slot)
{
    if (compact->pairs)
        return pair_get(compact, at, slot);
    const uint32_t code = compact->slot[slot] ? code_at(compact->slot[slot], at) : 0;
    const uint32_t list = (1u << compact->bits) - 1, number = code & list;
    if (!code)
        return 0;
    return number == list ? epoch(code >> compact->bits, CONTEXT_ACCESS_SET)
                          : epoch(compact->base + (code >> compact->bits), compact->context[number - 1]);
}

/* The context's number in the page's table, to which it is added. 0: the table is full. */
static uint32_t number_of(struct compact *compact, uint32_t context, uint32_t most)
{
    if (compact->latest && compact->context[compact->latest - 1] == context)
        return compact->latest;
    for (uint32_t i = compact->context_count; i-- > 0;)
        if (compact->context[i] == context)
            return compact->latest = i + 1;
    if (compact->context_count == most)
        return 0;
    compact->context[compact->context_count++] = context;
    return compact->latest = compact->context_count;
}

/* The code of an epoch. 0: it does not fit. */
static uint32_t encode(struct compact *compact, uint64_t value)
{
    const uint32_t context = epoch_context(value), list = (1u << compact->bits) - 1;
    const uint64_t most = (UINT64_C(1) << (EPOCH_BITS - compact->bits)) - 1, unit = epoch_unit(value);
    if (context == CONTEXT_ACCESS_SET)
        return unit > most ? 0 : (uint32_t)unit << compact->bits | list;
    if (unit < compact->base || unit - compact->base > most)
        return 0;
    const uint32_t number = number_of(compact, context, list - 1);
    return number ? (uint32_t)(unit - compact->base) << compact->bits | number : 0;
}

/* ---- coding anew ------------------------------------------------------------------------ */

/* The units and access set numbers of the page and of the new epoch. */
struct compact_span {
    uint64_t unit_low, unit_high, list_high;
};

static void span_add(struct compact_span *span, uint64_t value)
{
    const uint64_t unit = epoch_unit(value);
    if (!value)
        return;
    if (epoch_context(value) == CONTEXT_ACCESS_SET) {
        span->list_high = unit > span->list_high ? unit : span->list_high;
        return;
    }
    span->unit_low = unit < span->unit_low ? unit : span->unit_low;
    span->unit_high = unit > span->unit_high ? unit : span->unit_high;
}

/* With `bits` bits for the number, from `base` on. Contexts that no epoch has leave the table. False: not all
 * fits. */
static bool recode(struct compact *compact, uint32_t bits, uint64_t base, uint64_t value)
{
    struct compact other = {.count = compact->count, .first = compact->first, .bits = bits, .base = base};
    bool fits = true;
    for (uint32_t s = 0; fits && s < SLOTS; s++) {
        other.slot[s] = compact->slot[s] ? calloc(compact->count, EPOCH_BYTES) : NULL;
        fits = !compact->slot[s] || other.slot[s];
        for (uint32_t at = 0; fits && other.slot[s] && at < compact->count; at++) {
            const uint64_t old = compact_get(compact, at, s);
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
    free(compact->slot[0]);
    free(compact->slot[1]);
    *compact = other;
    return true;
}

static void measure(const struct compact *compact, uint64_t value, struct compact_span *out)
{
    *out = (struct compact_span){UINT64_MAX, 0, 0};
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t at = 0; compact->slot[s] && at < compact->count; at++)
            span_add(out, compact_get(compact, at, s));
    span_add(out, value);
}

/* Bases are multiples of half the range, and a quarter of the numbers stays free, so that this is rare. */
static bool make_fit(struct compact *compact, uint64_t value)
{
    struct compact_span span;
    measure(compact, value, &span);
    for (uint32_t bits = BITS_MOST; bits >= BITS_LEAST; bits--) {
        const uint64_t range = UINT64_C(1) << (EPOCH_BITS - bits), base = span.unit_low & ~(range / 2 - 1);
        if (span.list_high < range && (span.unit_low > span.unit_high || span.unit_high - base < range) &&
            recode(compact, bits, base, value))
            return compact->context_count <= (1u << bits) * 3 / 4;
    }
    return false;
}

/* Codes the page as pairs. False: not all fits. */
static bool make_pairs(struct compact *compact, uint32_t at, uint32_t slot, uint64_t value)
{
    struct compact_span span;
    measure(compact, value, &span);
    struct compact other = {.count = compact->count,
                            .first = compact->first,
                            .pairs = calloc(compact->count, PAIR_BYTES),
                            .base = span.unit_low & ~((UINT64_C(1) << (UNIT_BITS - 1)) - 1)};
    bool fits = other.pairs;
    for (uint32_t i = 0; fits && i < compact->count; i++)
        fits = pair_set(&other, i, (uint64_t[SLOTS]){compact_get(compact, i, 0), compact_get(compact, i, 1)});
    if (!fits || !pair_put(&other, at, slot, value)) {
        free(other.pairs);
        return false;
    }
    for (uint32_t s = 0; s < SLOTS; s++)
        free(compact->slot[s]);
    *compact = other;
    return true;
}

bool compact_put(struct compact *compact, uint32_t at, uint32_t slot, uint64_t value)
{
    if (compact->pairs)
        return pair_put(compact, at, slot, value);
    if (!value && !compact->slot[slot])
        return true;
    uint32_t code = value ? encode(compact, value) : 0;
    if (value && !code) {
        if (!make_fit(compact, value))
            return make_pairs(compact, at, slot, value);
        code = encode(compact, value);
    }
    if (!compact->slot[slot])
        compact->slot[slot] = calloc(compact->count, EPOCH_BYTES);
    if (!compact->slot[slot])
        return false;
    code_set(compact->slot[slot], at, code);
    return true;
}
