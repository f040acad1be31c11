/* SPDX-License-Identifier: Apache-2.0 */
/* Results of litmus tests: for people, as JSON, against verdicts. */
#include "litmus_output.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static const char *const answer_words[] = {
    [LITMUS_NO] = "no", [LITMUS_YES] = "yes", [LITMUS_UNKNOWN] = "unknown"};

/* ---- for people ------------------------------------------------------------------------- */

static void print_value(const struct litmus_result *result, size_t name, int64_t value)
{
    printf(" %s=", result->names[name]);
    if (result->is_address[name])
        printf("&%s", result->locations[value]);
    else
        printf("%" PRId64, value);
}

void litmus_print_result(const char *path, const struct litmus_result *result)
{
    printf("%s: %s %s, race %s (model: %s)\n", path, result->clause, answer_words[result->holds],
           answer_words[result->race], result->model);
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        printf("  %c%6" PRIu64, outcome->satisfies ? '*' : ' ', outcome->count);
        for (size_t k = 0; k < result->name_count; k++)
            print_value(result, k, outcome->values[k]);
        putchar('\n');
    }
    if (result->stuck)
        printf("  %6" PRIu64 " execution%s where what is left waits for ever\n", result->stuck,
               result->stuck == 1 ? "" : "s");
    if (result->cut)
        printf("  %6" PRIu64 " execution%s cut at the bound\n", result->cut, result->cut == 1 ? "" : "s");
    if (result->gave_up)
        printf("  gave up, there are more executions (--work)\n");
    if (result->race_text)
        printf("  race: %s\n", result->race_text);
    if (result->divergence_text)
        printf("  error: barrier divergence: %s\n", result->divergence_text);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *answer_json(enum litmus_answer answer)
{
    return answer == LITMUS_UNKNOWN ? json_string("unknown") : json_boolean(answer == LITMUS_YES);
}

static json_t *value_json(const struct litmus_result *result, size_t name, int64_t value)
{
    return result->is_address[name] ? json_sprintf("&%s", result->locations[value]) : json_integer(value);
}

static json_t *outcome_json(const struct litmus_result *result, const struct litmus_outcome *outcome)
{
    json_t *values = json_object(), *object = json_object();
    for (size_t i = 0; i < result->name_count; i++)
        json_object_set_new(values, result->names[i], value_json(result, i, outcome->values[i]));
    json_object_set_new(object, "values", values);
    json_object_set_new(object, "count", json_integer((json_int_t)outcome->count));
    json_object_set_new(object, "satisfies", json_boolean(outcome->satisfies));
    return object;
}

void litmus_write_json(const char *path, const struct litmus_result *result)
{
    json_t *object = json_object(), *outcomes = json_array();
    for (size_t i = 0; i < result->outcome_count; i++)
        json_array_append_new(outcomes, outcome_json(result, &result->outcomes[i]));
    json_object_set_new(object, "test", json_string(path));
    json_object_set_new(object, "model", json_string(result->model));
    json_object_set_new(object, "exists", answer_json(result->exists));
    json_object_set_new(object, "race", answer_json(result->race));
    json_object_set_new(object, "outcomes", outcomes);
    json_object_set_new(object, "stuck", json_integer((json_int_t)result->stuck));
    json_object_set_new(object, "cut", json_integer((json_int_t)result->cut));
    json_object_set_new(object, "gave_up", json_boolean(result->gave_up));
    json_object_set_new(object, "divergence",
                        result->divergence_text ? json_string(result->divergence_text) : json_null());
    if (strcmp(result->clause, "exists") != 0) {
        json_object_set_new(object, "clause", json_string(result->clause));
        json_object_set_new(object, "holds", answer_json(result->holds));
    }
    json_dumpf(object, stdout, JSON_PRESERVE_ORDER | JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

/* ---- verdicts --------------------------------------------------------------------------------- */

enum { COLUMNS = 4 }; /* test, outcome_expected, race_expected, needs */
struct litmus_verdict {
    char *column[COLUMNS];
    size_t number; /* of its line */
    bool seen;
};

static bool add_verdict(struct verdicts *verdicts, char *line, size_t number)
{
    struct litmus_verdict *grown = realloc(verdicts->rows, (verdicts->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    verdicts->rows = grown;
    struct litmus_verdict *row = &grown[verdicts->count];
    *row = (struct litmus_verdict){.number = number};
    for (size_t i = 0; i < COLUMNS; i++)
        row->column[i] = strsep(&line, ",");
    verdicts->count++;
    return row->column[COLUMNS - 1] && !line;
}

/* The words of the columns; the first is a name. */
static const struct {
    const char *name, *expected, *words[6];
} columns[COLUMNS] = {
    {"test", NULL, {NULL}},
    {"outcome_expected", "reachable, unreachable or nothing", {"reachable", "unreachable", ""}},
    {"race_expected", "race, no-race or nothing", {"race", "no-race", ""}},
    {"needs",
     "forbidden, interleaving, stale-read, stale-read+mo-reorder or porf-cycle",
     {"forbidden", "interleaving", "stale-read", "stale-read+mo-reorder", "porf-cycle"}},
};

static bool is_word_of(size_t column, const char *text)
{
    for (const char *const *word = columns[column].words; *word; word++)
        if (strcmp(text, *word) == 0)
            return true;
    return !columns[column].expected;
}

static bool words_fit(const struct litmus_verdict *row, const char *path, size_t number)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (is_word_of(i, row->column[i]))
            continue;
        tools_message("error: %s:%zu: %s: found '%s', expected %s", path, number, columns[i].name,
                      row->column[i], columns[i].expected);
        return false;
    }
    return true;
}

/* A test with two rows would be compared with one of them only. */
static bool is_first(const struct verdicts *verdicts, const char *path, size_t number)
{
    const struct litmus_verdict *row = &verdicts->rows[verdicts->count - 1];
    for (const struct litmus_verdict *other = verdicts->rows; other < row; other++) {
        if (strcmp(other->column[0], row->column[0]) != 0)
            continue;
        tools_message("error: %s:%zu: test: '%s' has a row already, in line %zu", path, number,
                      row->column[0], other->number);
        return false;
    }
    return true;
}

bool verdicts_load(struct verdicts *verdicts, const char *path)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    bool fine = true, words = true;
    FILE *file = fopen(path, "re");
    *verdicts = (struct verdicts){.stream = verdicts->stream};
    if (!file) {
        tools_message("error: %s cannot be read: %s", path, strerror(errno));
        return false;
    }
    while (fine && words && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (++number == 1) { /* names of the columns */
            fine = strcmp(line, "test,outcome_expected,race_expected,needs") == 0;
        } else if (*line) {
            fine = add_verdict(verdicts, line, number);
            words = !fine || (words_fit(&verdicts->rows[verdicts->count - 1], path, number) &&
                              is_first(verdicts, path, number));
            line = NULL; /* kept by the row */
            room = 0;
        }
    }
    free(line);
    fclose(file);
    if (!fine || !number)
        tools_message("error: %s:%zu: expected the columns test,outcome_expected,race_expected,needs", path,
                      number);
    fine &= words && number;
    if (!fine)
        verdicts_free(verdicts);
    return fine;
}

void verdicts_free(struct verdicts *verdicts)
{
    for (size_t i = 0; i < verdicts->count; i++)
        free(verdicts->rows[i].column[0]);
    free(verdicts->rows);
    *verdicts = (struct verdicts){.count = 0};
}

static bool names_file(const char *test, const char *path)
{
    size_t a = strlen(test), b = strlen(path);
    return a <= b && strcmp(path + b - a, test) == 0 && (a == b || path[b - a - 1] == '/');
}

static struct litmus_verdict *find_name(const struct verdicts *verdicts, const char *path)
{
    for (size_t i = 0; i < verdicts->count; i++)
        if (names_file(verdicts->rows[i].column[0], path))
            return &verdicts->rows[i];
    return NULL;
}

/* A row's name may begin above the directory that was given. */
static struct litmus_verdict *find_verdict(const struct verdicts *verdicts, const char *path)
{
    struct litmus_verdict *row = find_name(verdicts, path);
    char *whole = row ? NULL : realpath(path, NULL);
    if (whole)
        row = find_name(verdicts, whole);
    free(whole);
    return row;
}

/* Outcomes that an engine does not have must be missing, not wrong. */
static bool promises(const struct litmus_options *options, const char *needs)
{
    if (strcmp(needs, "forbidden") == 0 || strcmp(needs, "interleaving") == 0)
        return true;
    return options->engine == LITMUS_AXIOMS && (options->thin_air || strcmp(needs, "porf-cycle") != 0);
}

/* Races in executions that an engine does not have are missing likewise. */
static bool promises_race(const struct litmus_options *options, const char *needs)
{
    return promises(options, needs) || strcmp(needs, "porf-cycle") != 0;
}

/* "yes" for the first word, "no" for the other. */
static bool compare(struct verdicts *verdicts, const char *path, const char *what, enum litmus_answer got,
                    const char *yes, const char *expected, bool promised)
{
    bool wanted = strcmp(expected, yes) == 0;
    if (!*expected || (got == LITMUS_YES) == wanted) {
        if (*expected && got == LITMUS_UNKNOWN)
            fprintf(verdicts->stream, "  not decided: %s: %s expected %s\n", path, what, expected);
        verdicts->right += *expected && got != LITMUS_UNKNOWN;
        return got != LITMUS_UNKNOWN || !*expected;
    }
    bool excused = !promised && wanted;
    fprintf(verdicts->stream, "  %s: %s: %s %s, expected %s\n", excused ? "not reached" : "differs", path,
            what, answer_words[got], expected);
    return excused;
}

bool verdicts_compare(struct verdicts *verdicts, const char *path, const struct litmus_options *options,
                      const struct litmus_result *result)
{
    struct litmus_verdict *row = find_verdict(verdicts, path);
    if (!row) {
        fprintf(verdicts->stream, "  no verdict: %s\n", path);
        return false;
    }
    row->seen = true;
    bool outcome = compare(verdicts, row->column[0], "exists", result->exists, "reachable", row->column[1],
                           promises(options, row->column[3]));
    bool race = compare(verdicts, row->column[0], "race", result->race, "race", row->column[2],
                        promises_race(options, row->column[3]));
    return outcome && race;
}

size_t verdicts_finish(const struct verdicts *verdicts)
{
    size_t missing = 0, known = 0;
    for (size_t i = 0; i < verdicts->count; i++) {
        missing += !verdicts->rows[i].seen;
        known += *verdicts->rows[i].column[1] != '\0';
        known += *verdicts->rows[i].column[2] != '\0';
    }
    fprintf(verdicts->stream, "%zu of %zu verdicts agree, %zu tests did not run\n", verdicts->right, known,
            missing);
    return missing;
}
