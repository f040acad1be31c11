/* SPDX-License-Identifier: Apache-2.0 */
/* The line that repeats a run: token or record, options that matter, program or scenario. */
#include "orrery/replay.h"

#include <stdlib.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------ */

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Options that a token holds. */
static bool chooses(const char *option)
{
    static const char *const names[] = {"schedule",        "seed",     "quantum", "depth",
                                        "resident-groups", "spurious", NULL};
    return is_among(option, names);
}

/* Options for output, for the texts of findings, and for how kernels are built. A run does the same without
 * them, so a replay line leaves them out. */
static bool changes_nothing(const char *option)
{
    static const char *const names[] = {
        "log",         "json",     "sarif", "dot",    "html",         "gen-suppressions", "update-baseline",
        "counters",    "timeline", "trace", "record", "instructions", "coverage",         "save-sources",
        "save-launch", "force",    "quiet", "color",  "fixes",        "values",           "compiler",
        NULL};
    return is_among(option, names);
}

static char *value_of(const struct replay_options *options, const struct scenario_option *option)
{
    return changes_nothing(option->name) || !strcmp(option->name, "replay")
               ? NULL
               : options->value(options->self, option);
}

/* The value of a bare --option in the environment. */
static bool is_bare(const struct scenario_option *option, const char *value)
{
    return option->argument[0] == '[' && (!*value || !strcmp(value, "1"));
}

/* ---- for a shell ------------------------------------------------------------------------ */

void replay_word_print(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stream);
    fputc('\'', stream);
}

static void print_option(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, " --%s=", name);
    replay_word_print(stream, value);
}

/* One of them is on each line. */
static void print_each_option(FILE *stream, const char *name, char *values)
{
    for (char *value = values, *end; value; value = end) {
        end = strchr(value, '\n');
        if (end)
            *end++ = '\0';
        print_option(stream, name, value);
    }
}

static void print_options(const struct replay_options *options, bool schedule, FILE *stream)
{
    struct scenario_option option;
    if (options->scenario)
        print_option(stream, "scenario", options->scenario);
    for (size_t i = 0; scenario_option(i, &option); i++) {
        char *value = schedule || !chooses(option.name) ? value_of(options, &option) : NULL;
        if (value && is_bare(&option, value))
            fprintf(stream, " --%s", option.name);
        else if (value && scenario_option_adds(&option))
            print_each_option(stream, option.name, value);
        else if (value)
            print_option(stream, option.name, value);
        free(value);
    }
}

static void print_line(const struct replay_run *run, const char *token, FILE *stream)
{
    fprintf(stream, "orrery %s", run->compares ? "check" : token ? "replay" : "run");
    if (token) {
        fputs(run->compares ? " --replay=" : " ", stream);
        replay_word_print(stream, token);
    }
    if (run->compares || !run->file)
        print_options(run->options, !token, stream);
    fprintf(stream, " %s", run->target);
}

char *replay_line(const struct replay_run *run)
{
    const char *given = run->file ? run->file : run->token;
    char *token = !given && run->record ? schedule_replay_token(run->record) : NULL, *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream)
        print_line(run, given ? given : token, stream);
    if (stream && fclose(stream) != 0) {
        free(text);
        text = NULL;
    }
    free(token);
    return text;
}

/* ---- in a record ---------------------------------------------------------------------------- */

static void print_entry(FILE *stream, const char *name, const char *value)
{
    fprintf(stream, "%s ", name);
    for (; *value; value++)
        fputs(*value == '\n' ? "\\n" : *value == '\\' ? "\\\\" : (char[]){*value, '\0'}, stream);
    fputc('\n', stream);
}

void replay_options_print(const struct replay_options *options, bool schedule, FILE *stream)
{
    const char *title = "[options]\n";
    struct scenario_option option;
    if (options->scenario) {
        fputs(title, stream);
        print_entry(stream, "scenario", options->scenario);
        title = "";
    }
    for (size_t i = 0; scenario_option(i, &option); i++) {
        char *value = schedule || !chooses(option.name) ? value_of(options, &option) : NULL;
        if (!value)
            continue;
        fputs(title, stream);
        print_entry(stream, option.name, is_bare(&option, value) ? "1" : value);
        title = "";
        free(value);
    }
}

static char *unescaped(const char *text, size_t length)
{
    char *out = malloc(length + 1), *end = out;
    for (size_t i = 0; out && i < length; i++) {
        bool escaped = text[i] == '\\' && i + 1 < length;
        i += escaped;
        *end++ = (char)(escaped && text[i] == 'n' ? '\n' : text[i]);
    }
    if (out)
        *end = '\0';
    return out;
}

bool replay_options_read(const char *text, bool (*take)(void *self, char *name, char *value), void *self)
{
    const char *section = strstr(text, "\n[options]\n"),
               *line = section ? section + strlen("\n[options]\n") : "";
    bool fine = true;
    while (*line && *line != '[' && fine) {
        size_t length = strcspn(line, "\n"), name = strcspn(line, " \n");
        size_t from = name < length ? name + 1 : length;
        fine = take(self, strndup(line, name), unescaped(line + from, length - from));
        line += length;
        line += *line == '\n';
    }
    return fine;
}
