/* SPDX-License-Identifier: Apache-2.0 */
/* The table of checks and the lists that select them: each word of a list sets some checks, from left to
 * right. */
#include "orrery/check.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum severity usual, fast;
} table[CHECK_COUNT] = {
#define CHECK_ROW(name, key, severity, fast, help) \
    [CHECK_##name] = {key, SEVERITY_##severity, SEVERITY_##fast},
    CHECK_LIST(CHECK_ROW)
#undef CHECK_ROW
};

/* Other names of a check, and the spellings of other Englishes. */
static const struct {
    const char *name;
    enum check check;
} aliases[] = {
    {"uninitialized", CHECK_UNINITIALISED},
    {"data-races", CHECK_RACES},
    {"data_races", CHECK_RACES},
};

bool check_from_name(const char *name, enum check *out_check)
{
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (strcmp(name, table[i].name) == 0) {
            *out_check = (enum check)i;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            *out_check = aliases[i].check;
            return true;
        }
    }
    return false;
}

static bool is_in_all(int check)
{
    return table[check].usual != SEVERITY_OFF;
}

void checks_default(enum severity checks[CHECK_COUNT])
{
    for (int i = 0; i < CHECK_COUNT; i++)
        checks[i] = table[i].usual;
}

void checks_fast(enum severity checks[CHECK_COUNT])
{
    for (int i = 0; i < CHECK_COUNT; i++)
        checks[i] = table[i].fast;
}

static void checks_none(enum severity checks[CHECK_COUNT])
{
    for (int i = 0; i < CHECK_COUNT; i++)
        checks[i] = SEVERITY_OFF;
}

/* ---- lists ------------------------------------------------------------------------------ */

static bool severity_from_name(const char *name, enum severity *out_severity)
{
    static const char *const names[] = {"off", "warning", "error"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out_severity = (enum severity)i;
            return true;
        }
    }
    return false;
}

static bool profile_set(const char *word, enum severity checks[CHECK_COUNT])
{
    if (strcmp(word, "all") == 0)
        checks_default(checks);
    else if (strcmp(word, "fast") == 0)
        checks_fast(checks);
    else if (strcmp(word, "none") == 0)
        checks_none(checks);
    else
        return false;
    return true;
}

/* "races", "races=warning" or "no-races" */
static bool word_set(char *word, enum severity checks[CHECK_COUNT])
{
    const bool negated = strncmp(word, "no-", 3) == 0;
    enum severity severity = negated ? SEVERITY_OFF : SEVERITY_ERROR;
    char *name = word + (negated ? 3 : 0), *equals = strchr(name, '=');
    enum check check;
    if (equals) {
        *equals = '\0';
        if (negated || !severity_from_name(equals + 1, &severity))
            return false;
    }
    if (!check_from_name(name, &check))
        return false;
    checks[check] = severity;
    return true;
}

/* Cuts the blanks off both ends. */
static char *trimmed(char *word)
{
    word += strspn(word, " ");
    size_t length = strlen(word);
    while (length && word[length - 1] == ' ')
        word[--length] = '\0';
    return word;
}

static void expect_list(char *expected, size_t size)
{
    size_t used = (size_t)snprintf(expected, size, "all, fast, none, or a list of");
    for (int i = 0; i < CHECK_COUNT && used < size; i++)
        used += (size_t)snprintf(expected + used, size - used, "%s %s", i ? "," : "", table[i].name);
    if (used < size)
        snprintf(expected + used, size - used, "; NAME=warning, no-NAME");
}

/* A list starts from nothing, or from everything when its first word takes a check away. */
bool checks_parse(const char *text, enum severity checks[CHECK_COUNT], char *expected, size_t expected_size)
{
    enum severity parsed[CHECK_COUNT];
    char *copy = strdup(text), *rest = copy;
    bool fine = copy != NULL;
    expect_list(expected, expected_size);
    checks_none(parsed);
    for (char *part, *word; fine && (part = strsep(&rest, ",")) != NULL;) {
        word = trimmed(part);
        if (part == copy && strncmp(word, "no-", 3) == 0)
            checks_default(parsed);
        fine = profile_set(word, parsed) || word_set(word, parsed);
    }
    free(copy);
    if (fine)
        memcpy(checks, parsed, sizeof parsed);
    return fine;
}

/* ---- what is looked for ------------------------------------------------------------------ */

/* Prints the checks that are on, or those of "all" that are off; false: there is none. */
static bool print_names(const enum severity checks[CHECK_COUNT], bool on, FILE *stream)
{
    const char *separator = "";
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (on ? checks[i] == SEVERITY_OFF : checks[i] != SEVERITY_OFF || !is_in_all(i))
            continue;
        fprintf(stream, "%s%s", separator, table[i].name);
        separator = ",";
    }
    return *separator;
}

static bool is_all(const enum severity checks[CHECK_COUNT])
{
    for (int i = 0; i < CHECK_COUNT; i++) {
        if (is_in_all(i) && checks[i] == SEVERITY_OFF)
            return false;
    }
    return true;
}

void checks_print(const enum severity checks[CHECK_COUNT], FILE *stream)
{
    if (is_all(checks))
        fputs(checks[CHECK_API] != SEVERITY_OFF ? "all,api" : "all", stream);
    else if (!print_names(checks, true, stream))
        fputs("none", stream);
}

bool checks_print_off(const enum severity checks[CHECK_COUNT], FILE *stream)
{
    return print_names(checks, false, stream);
}
