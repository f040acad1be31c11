/* SPDX-License-Identifier: Apache-2.0 */
/* Types and values of elements. Numbers are parsed and printed in the C locale. */
#include "sim/base/scenario_rows.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [VALUE_I8] = {"char", 1},    [VALUE_U8] = {"uchar", 1},   [VALUE_I16] = {"short", 2},
    [VALUE_U16] = {"ushort", 2}, [VALUE_I32] = {"int", 4},    [VALUE_U32] = {"uint", 4},
    [VALUE_I64] = {"long", 8},   [VALUE_U64] = {"ulong", 8},  [VALUE_F16] = {"half", 2},
    [VALUE_F32] = {"float", 4},  [VALUE_F64] = {"double", 8},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

size_t value_type_size(enum value_type type)
{
    return types[type].size;
}

const char *value_type_name(enum value_type type)
{
    return types[type].name;
}

bool value_type_from_name(const char *name, enum value_type *out_type)
{
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(types[i].name, name) == 0) {
            *out_type = (enum value_type)i;
            return true;
        }
    }
    return false;
}

struct plain_locale value_locale_begin(void)
{
    struct plain_locale locale = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    locale.before = uselocale(locale.plain);
    return locale;
}

void value_locale_end(struct plain_locale locale)
{
    uselocale(locale.before);
    if (locale.plain)
        freelocale(locale.plain);
}

/* ---- numbers ------------------------------------------------------------------ */

bool value_parse_number(const char *text, uint64_t *out_value)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    *out_value = strtoull(text, &end, 0);
    return *end == '\0' && errno == 0;
}

bool value_parse_size(const char *text, uint64_t *out_bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    uint64_t number = strtoull(text, &end, 0);
    while (*end == ' ')
        end++;
    if (strcmp(end, "B") == 0)
        end++;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i]) == 0) {
            *out_bytes = number << 10 * i;
            return errno == 0 && *out_bytes >> 10 * i == number;
        }
    }
    return false;
}

/* Rounds to nearest, ties to even, like a conversion to half on the device. */
static uint16_t half_from_double(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (magnitude >= 65520.0)
        return sign | 0x7c00;
    if (magnitude < 0x1p-14)
        return sign | (uint16_t)nearbyint(magnitude * 0x1p24);
    int exponent;
    double fraction = frexp(magnitude, &exponent); /* [0.5, 1) */
    /* 1024 to 2048; a carry to 2048 increments the exponent by the addition below */
    uint32_t significand = (uint32_t)nearbyint(fraction * 2048.0);
    return (uint16_t)(sign + ((uint32_t)(exponent + 14) << 10) + significand - 1024);
}

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double magnitude = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024.0 + fraction, exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* YAML spells .nan and .inf, C nan and inf; both are accepted. */
static const char *skip_yaml_dot(const char *text, char copy[64])
{
    size_t sign = text[0] == '-' || text[0] == '+';
    if (text[sign] != '.' || isdigit((unsigned char)text[sign + 1]))
        return text;
    snprintf(copy, 64, "%.*s%s", (int)sign, text, text + sign + 1);
    return copy;
}

static bool float_parse(const char *text, enum value_type type, void *out)
{
    char copy[64], *end;
    text = skip_yaml_dot(text, copy);
    if (text[0] == '\0' || isspace((unsigned char)text[0]))
        return false;
    if (type == VALUE_F32) { /* Parsed as float: by way of double, the text would be rounded twice. */
        float value = strtof(text, &end);
        memcpy(out, &value, sizeof value);
        return *end == '\0';
    }
    double value = strtod(text, &end);
    uint16_t half = half_from_double(value);
    if (type == VALUE_F16)
        memcpy(out, &half, sizeof half);
    else
        memcpy(out, &value, sizeof value);
    return *end == '\0';
}

static bool is_signed(enum value_type type)
{
    return type == VALUE_I8 || type == VALUE_I16 || type == VALUE_I32 || type == VALUE_I64;
}

static uint64_t largest(enum value_type type)
{
    unsigned bits = (unsigned)(8 * types[type].size) - is_signed(type);
    return UINT64_MAX >> (64 - bits);
}

static bool integer_parse(const char *text, enum value_type type, void *out)
{
    bool negative = text[0] == '-';
    uint64_t magnitude;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        text = text[0] == 't' ? "1" : "0";
    if (!value_parse_number(text + negative, &magnitude))
        return false;
    if (negative ? !is_signed(type) || magnitude > largest(type) + 1 : magnitude > largest(type))
        return false;
    uint64_t bits = negative ? -magnitude : magnitude;
    memcpy(out, &bits, types[type].size); /* the host is little-endian, as the device is */
    return true;
}

bool value_parse(const char *text, enum value_type type, void *out_element)
{
    return type >= VALUE_F16 ? float_parse(text, type, out_element) : integer_parse(text, type, out_element);
}

void value_expected(enum value_type type, char expected[EXPECTED_CHARS])
{
    uint64_t most = largest(type);
    if (type >= VALUE_F16)
        snprintf(expected, EXPECTED_CHARS, "a %s such as 1.5, -2e3, 0x1p-3, inf or nan", types[type].name);
    else if (is_signed(type))
        snprintf(expected, EXPECTED_CHARS, "%s: %" PRId64 " to %" PRIu64, types[type].name,
                 -(int64_t)most - 1, most);
    else
        snprintf(expected, EXPECTED_CHARS, "%s: 0 to %" PRIu64, types[type].name, most);
}

static void float_print(const void *element, enum value_type type, FILE *stream)
{
    uint16_t half;
    float single;
    double value;
    if (type == VALUE_F16) {
        memcpy(&half, element, sizeof half);
        fprintf(stream, "%.5g", half_to_double(half));
    } else if (type == VALUE_F32) {
        memcpy(&single, element, sizeof single);
        fprintf(stream, "%.9g", (double)single);
    } else {
        memcpy(&value, element, sizeof value);
        fprintf(stream, "%.17g", value);
    }
}

void value_print(const void *element, enum value_type type, FILE *stream)
{
    uint64_t bits = 0;
    if (type >= VALUE_F16) {
        float_print(element, type, stream);
        return;
    }
    memcpy(&bits, element, types[type].size);
    unsigned unused = 64 - (unsigned)(8 * types[type].size);
    if (is_signed(type))
        fprintf(stream, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        fprintf(stream, "%" PRIu64, bits);
}

void value_list_print_element(const struct value_list *values, size_t index, FILE *stream)
{
    struct plain_locale locale = value_locale_begin();
    value_print((const char *)values->data + index * types[values->type].size, values->type, stream);
    value_locale_end(locale);
}
