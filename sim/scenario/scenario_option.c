/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the command line and ORRERY_ variables: one for each row of scenario.def that has an option, and
 * aliases for the names that other tools or a scenario's keys use. In names, '-' and '_' are the same.
 */
#include "orrery/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/nearest.h"
#include "sim/base/scenario_rows.h"

/* Names of Oclgrind, the other spelling of English, and the keys of scenarios. */
static const struct {
    const char *name, *real;
    const char *argument; /* NULL: that of the option */
} aliases[] = {
    {"compute-units", "topology", "N"},
    {"uninitialized", "check-uninitialised", NULL},
    {"uninitialised", "check-uninitialised", NULL},
    {"check-uninitialized", "check-uninitialised", NULL},
    {"data-races", "check-races", NULL},
    {"races", "check-races", NULL},
    {"check-data-races", "check-races", NULL},
    {"max-errors", "max-findings", NULL},
    {"max-wgsize", "work-group-size", NULL},
    {"colour", "color", NULL},
};
enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

static void variable_name(const char *option, char out[SCENARIO_VARIABLE_CHARS])
{
    size_t used = (size_t)snprintf(out, SCENARIO_VARIABLE_CHARS, "ORRERY_");
    for (; *option && used + 1 < SCENARIO_VARIABLE_CHARS; option++)
        out[used++] = (char)(*option == '-'                     ? '_'
                             : *option >= 'a' && *option <= 'z' ? *option - 'a' + 'A'
                                                                : *option);
    out[used] = '\0';
}

/* "max_errors" and "max-errors" are one name. */
static bool same_option(const char *name, const char *key)
{
    while (*name && (*name == *key || (*name == '-' && *key == '_'))) {
        name++;
        key++;
    }
    return *name == *key;
}

static const struct scenario_row *option_row(const char *key)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (same_option(aliases[i].name, key))
            key = aliases[i].real;
    }
    const struct scenario_row *row;
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        if (row->option && same_option(row->option, key))
            return row;
    }
    return NULL;
}

static struct scenario_option option_of(const struct scenario_row *row, const char *name)
{
    struct scenario_option option = {
        .name = name, .argument = row->argument, .help = row->help, .section = row->section};
    variable_name(name, option.variable);
    return option;
}

/* First the options of the rows, in their order, then the aliases. */
bool scenario_option(size_t index, struct scenario_option *out_option)
{
    const struct scenario_row *row;
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        if (!row->option || index-- > 0)
            continue;
        *out_option = option_of(row, row->option);
        return true;
    }
    if (index >= ALIAS_COUNT)
        return false;
    row = option_row(aliases[index].real);
    *out_option = option_of(row, aliases[index].name);
    out_option->real = row->option;
    if (aliases[index].argument)
        out_option->argument = aliases[index].argument;
    return true;
}

/* A switch and a list that begins empty have no default to show. Nor has a size of 0: another setting
 * gives it. */
static bool shows_default(const struct scenario *scenario, const struct scenario_row *row)
{
    switch (row->type) {
    case ROW_SUPPRESSIONS:
    case ROW_FAST:
    case ROW_BOOL:
    case ROW_UNIT_LIST:
    case ROW_LAUNCHES: return false;
    default: return !scenario_row_is_text(row) && !scenario_row_is_absent(scenario, row);
    }
}

bool scenario_option_default(const struct scenario_option *option, FILE *stream)
{
    const struct scenario_row *row = option_row(option->name);
    struct scenario scenario;
    scenario_default(&scenario);
    const bool shows = shows_default(&scenario, row);
    if (shows)
        scenario_row_print_value(&scenario, row, stream);
    scenario_fini(&scenario);
    return shows;
}

bool scenario_option_selects(const struct scenario_option *option)
{
    const struct scenario_row *row = option_row(option->name);
    return row && (row->type == ROW_CHECKS || row->type == ROW_FAST);
}

bool scenario_option_adds(const struct scenario_option *option)
{
    return strcmp(option->name, "suppressions") == 0 || strcmp(option->name, "kernel") == 0;
}

/* An alias with an argument of its own (compute-units N for topology cu:N) takes other texts than the
 * row: it is an alias of the option alone, not of the key. */
static bool is_alias_of(const struct scenario_row *row, const char *key)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (!aliases[i].argument && strcmp(aliases[i].real, row->option) == 0 &&
            same_option(aliases[i].name, key))
            return true;
    }
    return false;
}

const struct scenario_row *scenario_row_named(const char *section, const char *key)
{
    const struct scenario_row *row;
    for (size_t i = 0; (row = scenario_row(i)) != NULL; i++) {
        if (strcmp(row->section, section) != 0)
            continue;
        if (strcmp(row->key, key) == 0 ||
            (row->option && (same_option(row->option, key) || is_alias_of(row, key))))
            return row;
    }
    return NULL;
}

/* The text for the row: an option without its optional argument enables, and so does VARIABLE=1 of a
 * check, as in Oclgrind. */
static const char *option_text(const struct scenario_row *row, const char *value)
{
    bool on;
    if (row->argument[0] == '[' && (!value || !*value))
        return row->type == ROW_SEVERITY ? "error" : "true";
    if (row->type == ROW_SEVERITY && value && strcmp(value, "off") != 0 && scenario_row_truth(value, &on))
        return on ? "error" : "off";
    return value ? value : "";
}

/* Sets the row of the first device and, for a row of devices, of every other. */
static bool set_everywhere(struct scenario *scenario, const struct scenario_row *row, const char *text,
                           char expected[EXPECTED_CHARS])
{
    const bool of_device = strncmp(row->section, "device", strlen("device")) == 0;
    bool fine = scenario_row_set(scenario, row, text, expected);
    for (uint32_t i = 0; fine && of_device && i < scenario->other_device_count; i++) {
        scenario_swap_device(scenario, i);
        fine = scenario_row_set(scenario, row, text, expected);
        scenario_swap_device(scenario, i);
    }
    return fine;
}

/* One path a line. */
static enum status load_suppressions(struct scenario *scenario, const char *paths,
                                     struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    do {
        const size_t length = strcspn(paths, "\n");
        char *path = strndup(paths, length);
        status = path ? scenario_load_suppressions(scenario, path, diagnosis) : STATUS_OUT_OF_MEMORY;
        free(path);
        paths += length + (paths[length] == '\n');
    } while (!status && *paths);
    return status;
}

enum status scenario_apply_option(struct scenario *scenario, const char *key, const char *value,
                                  struct diagnosis *diagnosis)
{
    char expected[EXPECTED_CHARS] = "";
    const struct scenario_row *row = option_row(key);
    if (!row)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "no option is named '%s'", key);
    if (row->type == ROW_SUPPRESSIONS)
        return load_suppressions(scenario, value ? value : "", diagnosis);
    const char *text = option_text(row, value);
    struct plain_locale locale = value_locale_begin();
    const bool fine = set_everywhere(scenario, row, text, expected);
    value_locale_end(locale);
    scenario_settle(scenario);
    if (fine)
        return STATUS_OK;
    char *meant = nearest_words(text, expected);
    const bool near = meant && *meant;
    const enum status status =
        diagnose(diagnosis, STATUS_BAD_SCENARIO, "option %s: found '%s', expected %s%s%s%s", row->option,
                 text, expected, near ? "; did you mean " : "", near ? meant : "", near ? "?" : "");
    free(meant);
    return status;
}
