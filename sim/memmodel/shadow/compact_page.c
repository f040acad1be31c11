/* SPDX-License-Identifier: Apache-2.0 */
/* Compact pages. An epoch is coded with `bits` bits for the number of its context, and the rest for its unit
 * relative to `base`. When an epoch does not fit, the page is coded anew with another split and base; if that
 * fails the caller makes full cells. */
#include "compact_page.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"

enum {
    EPOCH_BYTES = 3,
    EPOCH_BITS = 24,
    SLOTS = 2,
    BITS_MOST = HOSTILE(7, 3),
    BITS_LEAST = HOSTILE(4, 2),          /* of a context's number */
    CONTEXTS_MOST = (1 << BITS_MOST) - 2 /* number 0: no epoch; all ones: an access set */
};

struct compact {
    uint32_t count, first;
    uint32_t bits;
    uint64_t base; /* of units */
    uint32_t context[CONTEXTS_MOST];
    uint32_t context_count, latest;
    uint8_t *slot[SLOTS]; /* codes of first and second epochs; NULL: all 0 */
};

/* ---- life ------------------------------------------------------------------------- */

static void forget(struct compact *compact)
{
    for (uint32_t s = 0; s < SLOTS; s++)
        if (compact->slot[s])
            memset(compact->slot[s], 0, (size_t)compact->count * EPOCH_BYTES);
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

/* The lowest unit of the page's epochs and of the new one. */
static uint64_t lowest_unit(const struct compact *compact, uint64_t value)
{
    uint64_t low = epoch_context(value) == CONTEXT_ACCESS_SET ? UINT64_MAX : epoch_unit(value);
    for (uint32_t s = 0; s < SLOTS; s++)
        for (uint32_t at = 0; compact->slot[s] && at < compact->count; at++) {
            const uint64_t old = compact_get(compact, at, s);
            if (old && epoch_context(old) != CONTEXT_ACCESS_SET && epoch_unit(old) < low)
                low = epoch_unit(old);
        }
    return low;
}

/* Bases are multiples of half the range, and a quarter of the numbers stays free, so that this is rare. */
static bool make_fit(struct compact *compact, uint64_t value)
{
    const uint64_t low = lowest_unit(compact, value);
    for (uint32_t bits = BITS_MOST; bits >= BITS_LEAST; bits--)
        if (recode(compact, bits, low & ~((UINT64_C(1) << (EPOCH_BITS - bits - 1)) - 1), value))
            return compact->context_count <= (1u << bits) * 3 / 4;
    return false;
}

bool compact_put(struct compact *compact, uint32_t at, uint32_t slot, uint64_t value)
{
    if (!value && !compact->slot[slot])
        return true;
    uint32_t code = value ? encode(compact, value) : 0;
    if (value && !code) {
        if (!make_fit(compact, value))
            return false;
        code = encode(compact, value);
    }
    if (!compact->slot[slot])
        compact->slot[slot] = calloc(compact->count, EPOCH_BYTES);
    if (!compact->slot[slot])
        return false;
    code_set(compact->slot[slot], at, code);
    return true;
}
