/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares counters with what a scenario expects. The counters are read from their JSON form, so that what is
 * compared is what users get. A place such as "l2" or "unit 3" means rows of one list; the values of all rows
 * that it means are added.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

/* A list of the counters' JSON, and which of its rows a place means. */
struct compared_rows {
    const char *list, *key;
    uint32_t first;
    bool by_name;
};

static struct compared_rows rows_of(const char *place)
{
    static const struct {
        const char *place;
        struct compared_rows rows;
    } table[] = {
        {"cu", {"units", "unit", 0, false}},       {"launch", {"commands", "launch", 1, false}},
        {"line", {"lines", "line", 0, false}},     {"numa", {"memories", "name", 0, true}},
        {"memory", {"memories", "name", 0, true}},
    };
    size_t length = strcspn(place, ":");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].place) == length && strncmp(table[i].place, place, length) == 0)
            return table[i].rows;
    return (struct compared_rows){"caches", "name", 0, true};
}

static bool name_fits(const char *place, const char *name)
{
    size_t length = strcspn(place, ":");
    if (!name || strncmp(place, name, length) != 0 || (name[length] && name[length] != ' '))
        return false;
    return !place[length] || (name[length] && strcmp(place + length + 1, name + length + 1) == 0);
}

static bool number_fits(const char *place, json_int_t number, uint32_t first)
{
    const char *index = strchr(place, ':');
    return !index || strtoull(index + 1, NULL, 10) + first == (unsigned long long)number;
}

/* The sum over all rows that the place means; false: there are none. */
static bool find(const json_t *counters, const struct expect_counter *expected, uint64_t *out_value)
{
    const char *name = counter_name(expected->counter);
    *out_value = (uint64_t)json_integer_value(json_object_get(json_object_get(counters, "total"), name));
    if (!expected->place)
        return json_object_get(counters, "total") != NULL;
    struct compared_rows rows = rows_of(expected->place);
    const json_t *list = json_object_get(counters, rows.list), *row;
    bool found = false;
    size_t i;
    *out_value = 0;
    json_array_foreach(list, i, row)
    {
        const json_t *key = json_object_get(row, rows.key);
        if (rows.by_name ? !name_fits(expected->place, json_string_value(key))
                         : !number_fits(expected->place, json_integer_value(key), rows.first))
            continue;
        found = true;
        *out_value += (uint64_t)json_integer_value(json_object_get(row, name));
    }
    return found;
}

static bool holds(const struct expect_counter *expected, uint64_t value)
{
    switch (expected->comparison) {
    case COMPARE_ABOVE: return value > expected->value;
    case COMPARE_BELOW: return value < expected->value;
    case COMPARE_AT_LEAST: return value >= expected->value;
    case COMPARE_AT_MOST: return value <= expected->value;
    case COMPARE_EQUAL:
    default: return value == expected->value;
    }
}

static size_t compare(const json_t *counters, const struct expect_counter *expected)
{
    uint64_t value;
    bool found = find(counters, expected, &value);
    if (found && holds(expected, value))
        return 0;
    printf("  counters: %s%s%s ", expected->place ? expected->place : "", expected->place ? "." : "",
           counter_name(expected->counter));
    if (found)
        printf("is %" PRIu64, value);
    else
        fputs("is of nothing that was counted", stdout);
    printf(", expected %s%" PRIu64 "\n", comparison_sign(expected->comparison), expected->value);
    return 1;
}

size_t counters_compare(const struct scenario_expect *expect, const char *json)
{
    size_t differences = 0;
    if (!expect->counter_count)
        return 0;
    json_t *counters = json_loads(json ? json : "", 0, NULL);
    for (size_t i = 0; i < expect->counter_count; i++)
        differences += compare(counters, &expect->counters[i]);
    json_decref(counters);
    return differences;
}
