/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conversions between kinds of numbers in integer arithmetic: sign, exponent and significand are rounded
 * explicitly.
 */
#include "value_number.h"

#include <stdbool.h>
#include <string.h>

#include "bytecode.h"

/* A number taken apart: (negative ? -1 : 1) * magnitude * 2^exponent. */
enum number_class { CLASS_FINITE, CLASS_INFINITE, CLASS_NAN };
struct number {
    enum number_class class;
    bool negative;
    uint64_t magnitude; /* of a NaN: its payload, highest bit first */
    int exponent;
};

struct float_format {
    int digits, least_exponent, bits;
}; /* least_exponent: of the unit of subnormals */
static const struct float_format formats[] = {{11, -24, 16}, {24, -149, 32}, {53, -1074, 64}};

static bool is_float(uint32_t kind)
{
    return kind >= NUMBER_F16;
}
static bool is_signed(uint32_t kind)
{
    return !(kind & 1);
}

/* Of an enum number_kind. */
static uint32_t number_bytes(uint32_t kind)
{
    return is_float(kind) ? 2u << (kind - NUMBER_F16) : 1u << kind / 2;
}

static struct number read_float(const struct float_format *format, uint64_t bits)
{
    const int fraction_bits = format->digits - 1;
    const uint64_t fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    const int most = (1 << (format->bits - format->digits)) - 1;
    const int biased = (int)(bits >> fraction_bits) & most;
    struct number x = {.negative = bits >> (format->bits - 1) & 1};
    if (biased == most) {
        x.class = fraction ? CLASS_NAN : CLASS_INFINITE;
        x.magnitude = fraction << (64 - fraction_bits);
        return x;
    }
    x.magnitude = biased ? fraction | (uint64_t)1 << fraction_bits : fraction;
    x.exponent = format->least_exponent + (biased ? biased - 1 : 0);
    return x;
}

static struct number read_number(uint32_t kind, uint64_t bits)
{
    if (is_float(kind))
        return read_float(&formats[kind - NUMBER_F16], bits);
    const uint32_t unused = 64 - 8 * number_bytes(kind);
    const int64_t value = (int64_t)(bits << unused) >> unused;
    struct number x = {.negative = is_signed(kind) && value < 0};
    x.magnitude = x.negative ? 0 - (uint64_t)value : bits << unused >> unused;
    return x;
}

/* Is the magnitude rounded up, given its kept part, and rest against one half of a unit? */
static bool rounds_up(enum rounding rounding, bool negative, bool odd, bool inexact, int against_half)
{
    switch (rounding) {
    case ROUND_RTZ: return false;
    case ROUND_RTP: return inexact && !negative;
    case ROUND_RTN: return inexact && negative;
    default: return against_half > 0 || (against_half == 0 && odd);
    }
}

/* magnitude * 2^-shift to an integer. */
static uint64_t shift_rounded(uint64_t magnitude, int shift, bool negative, enum rounding rounding)
{
    if (shift <= 0)
        return magnitude << -shift;
    if (shift > 64)
        return rounds_up(rounding, negative, false, magnitude != 0, -1);
    const uint64_t kept = shift == 64 ? 0 : magnitude >> shift;
    const uint64_t rest = shift == 64 ? magnitude : magnitude & (((uint64_t)1 << shift) - 1);
    const uint64_t half = (uint64_t)1 << (shift - 1);
    return kept + rounds_up(rounding, negative, kept & 1, rest != 0, rest < half ? -1 : rest > half);
}

static int bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

static uint64_t write_finite(const struct float_format *format, struct number x, enum rounding rounding)
{
    const int fraction_bits = format->digits - 1;
    const uint64_t infinity = (((uint64_t)1 << (format->bits - format->digits)) - 1) << fraction_bits;
    int unit = x.exponent + bit_length(x.magnitude) - format->digits;
    if (unit < format->least_exponent)
        unit = format->least_exponent;
    uint64_t magnitude = shift_rounded(x.magnitude, unit - x.exponent, x.negative, rounding);
    /* A carry to the next power of two, or from subnormal to normal, is correct in the sum of the fields. */
    const uint64_t biased = (uint64_t)(unit - format->least_exponent);
    const bool normal = magnitude >> fraction_bits;
    if (normal && biased + 1 >= infinity >> fraction_bits)
        magnitude = infinity;
    else if (normal)
        magnitude += biased << fraction_bits;
    if (magnitude < infinity)
        return magnitude;
    return infinity - !rounds_up(rounding, x.negative, true, true, 1);
}

static uint64_t write_float(const struct float_format *format, struct number x, enum rounding rounding)
{
    const int fraction_bits = format->digits - 1;
    const uint64_t infinity = (((uint64_t)1 << (format->bits - format->digits)) - 1) << fraction_bits;
    const uint64_t sign = (uint64_t)x.negative << (format->bits - 1);
    if (x.class == CLASS_INFINITE)
        return sign | infinity;
    if (x.class == CLASS_NAN)
        return sign | infinity | (uint64_t)1 << (fraction_bits - 1) | x.magnitude >> (64 - fraction_bits);
    return sign | (x.magnitude ? write_finite(format, x, rounding) : 0);
}

static uint64_t write_integer(uint32_t kind, struct number x, enum rounding rounding, bool saturate,
                              bool from_float)
{
    const uint32_t bits = 8 * number_bytes(kind);
    const uint64_t top = (uint64_t)1 << (bits - 1), most = is_signed(kind) ? top - 1 : top - 1 + top;
    if (x.class == CLASS_NAN)
        return saturate ? 0 : top;
    /* Below 2^64 after the shift, or certainly out of range. */
    const bool huge = x.class == CLASS_INFINITE || (x.magnitude && x.exponent + bit_length(x.magnitude) > 64);
    const uint64_t magnitude =
        huge ? UINT64_MAX : shift_rounded(x.magnitude, -x.exponent, x.negative, rounding);
    const bool inside = !huge && (x.negative ? magnitude <= (is_signed(kind) ? top : 0) : magnitude <= most);
    if (inside || (!saturate && !from_float))
        return x.negative ? 0 - magnitude : magnitude;
    if (!saturate)
        return top;
    return x.negative ? (is_signed(kind) ? top : 0) : most;
}

static uint64_t convert_bits(uint32_t how, uint64_t bits)
{
    const uint32_t from = how & 0xff, to = how >> 8 & 0xff;
    enum rounding rounding = (enum rounding)(how >> 16 & 0xff);
    const struct number x = read_number(from, bits);
    if (is_float(to))
        return write_float(&formats[to - NUMBER_F16], x, rounding);
    if (rounding == ROUND_DEFAULT)
        rounding = ROUND_RTZ;
    return write_integer(to, x, rounding, how >> 24 & 1, is_float(from));
}

void number_convert(uint32_t how, size_t count, void *out, const void *in)
{
    const uint32_t from = number_bytes(how & 0xff), to = number_bytes(how >> 8 & 0xff);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const uint8_t *)in + i * from, from);
        bits = convert_bits(how, bits);
        memcpy((uint8_t *)out + i * to, &bits, to);
    }
}
