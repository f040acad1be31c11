/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario's expectations of the counters, as text: "numa:1.remote_bytes", ">=64". */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/scenario_rows.h"

/* ---- places --------------------------------------------------------------------------- */

/* Whether a place takes an index: "memory" never, "l1" and "l1:0" both, "line:7" always. */
enum index_use { INDEX_NONE, INDEX_MAY, INDEX_MUST };
static const struct {
    const char *name;
    enum index_use index;
} places[] = {
    {"l4", INDEX_MAY},      {"l3", INDEX_MAY},      {"l2", INDEX_MAY},
    {"l1", INDEX_MAY},      {"numa", INDEX_MAY},    {"cu", INDEX_MAY},
    {"memory", INDEX_NONE}, {"launch", INDEX_MUST}, {"line", INDEX_MUST},
};

static bool index_fits(const char *text, enum index_use use)
{
    uint64_t number;
    if (!*text)
        return use != INDEX_MUST;
    return use != INDEX_NONE && *text == ':' && value_parse_number(text + 1, &number) && number <= UINT32_MAX;
}

static bool place_fits(const char *place)
{
    size_t length = strcspn(place, ":");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && strncmp(place, places[i].name, length) == 0)
            return index_fits(place + length, places[i].index);
    return false;
}

static bool counter_find(const char *name, enum counter *out_counter)
{
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (strcmp(name, counter_name((enum counter)i)) == 0) {
            *out_counter = (enum counter)i;
            return true;
        }
    return false;
}

static void expect_name(char expected[EXPECTED_CHARS])
{
    size_t used = 0;
    for (int i = 0; i < COUNTER_COUNT; i++)
        used += (size_t)snprintf(expected + used, EXPECTED_CHARS - used, "%s%s", i ? ", " : "",
                                 counter_name((enum counter)i));
    snprintf(expected + used, EXPECTED_CHARS - used,
             ", or one of them after l1., l1:0., numa:1., memory., cu:3., launch:0. or line:7.");
}

bool expect_counter_name(struct expect_counter *counter, const char *text, char expected[EXPECTED_CHARS])
{
    const char *point = strrchr(text, '.');
    expect_name(expected);
    if (!counter_find(point ? point + 1 : text, &counter->counter))
        return false;
    if (!point)
        return true;
    counter->place = strndup(text, (size_t)(point - text));
    return counter->place && place_fits(counter->place);
}

void expect_counter_print_name(const struct expect_counter *counter, FILE *stream)
{
    fprintf(stream, "%s%s%s", counter->place ? counter->place : "", counter->place ? "." : "",
            counter_name(counter->counter));
}

/* ---- values ----------------------------------------------------------------------------- */

static const char *const signs[] = {
    [COMPARE_EQUAL] = "",      [COMPARE_ABOVE] = ">",    [COMPARE_BELOW] = "<",
    [COMPARE_AT_LEAST] = ">=", [COMPARE_AT_MOST] = "<=",
};

const char *comparison_sign(enum comparison comparison)
{
    return signs[comparison];
}

bool expect_counter_value(struct expect_counter *counter, const char *text, char expected[EXPECTED_CHARS])
{
    snprintf(expected, EXPECTED_CHARS, "a number, or one after >, >=, < or <=, such as \">0\"");
    counter->comparison = COMPARE_EQUAL;
    /* The longer signs are last in the enumeration, so ">=" wins over ">". */
    for (int i = COMPARE_ABOVE; i <= COMPARE_AT_MOST; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            counter->comparison = (enum comparison)i;
    text += strlen(signs[counter->comparison]);
    return isdigit((unsigned char)*text) && value_parse_number(text, &counter->value);
}
