/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of all commands' command lines. Before argp reads one, its words are spelt as argp wants
 * them: -h and -V, and the value of an option that may have none as a word of its own. A misspelt option is
 * refused with the nearest name. The same tables of options make the lists for completion.
 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "orrery/checked.h"
#include "orrery/nearest.h"

static struct option_list *listener;

void arguments_listen(struct option_list *list)
{
    listener = list;
}

/* ---- the options of a command ------------------------------------------------------------ */

static void collect(const struct argp *argp, struct option_list *list)
{
    for (const struct argp_option *option = argp->options; option && (option->name || option->doc);
         option++) {
        if (!option->name)
            continue;
        CHECKED(list->count < OPTIONS_MAX);
        list->at[list->count++] = (struct option_entry){
            .name = option->name,
            .argument = option->arg,
            .optional = option->flags & OPTION_ARG_OPTIONAL,
            .hidden = option->flags & OPTION_HIDDEN,
            .help = option->doc,
        };
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        collect(child->argp, list);
}

static const struct option_entry common[] = {
    {.name = "help", .help = "print the options of the command"},
    {.name = "usage", .help = "print the options of the command, in short"},
    {.name = "version", .help = "print the version"},
};

static void collect_all(const struct argp *argp, struct option_list *list)
{
    collect(argp, list);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        list->at[list->count++] = common[i];
}

static const char *name_at(const void *self, size_t index)
{
    const struct option_list *list = self;
    return list->at[index].name;
}

/* getopt takes any beginning that means one option; several are its business, too. */
static const struct option_entry *find(const struct option_list *list, const char *name, size_t length)
{
    const struct option_entry *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->at[i].name, name, length) != 0)
            continue;
        if (!list->at[i].name[length])
            return &list->at[i];
        found = found ? found : &list->at[i];
    }
    return found;
}

static void refuse(const struct option_list *list, const char *word, size_t length)
{
    char *name = strndup(word, length),
         *meant = name ? nearest_names(name, "--", name_at, list, list->count) : NULL;
    const bool near = meant && *meant;
    tools_message("error: no option is named '--%s'%s%s%s", name ? name : word, near ? "; did you mean " : "",
                  near ? meant : "", near ? "?" : "");
    free(meant);
    free(name);
}

/* ---- words ------------------------------------------------------------------------------- */

/* A word after such an option is its value when it can be nothing else. */
static bool is_value(const struct option_entry *option, const char *word)
{
    static const char *const severities[] = {"off", "warning", "error", NULL};
    static const char *const truths[] = {"true", "false", "yes", "no", "on", "off", NULL};
    const char *const *values = !strcmp(option->argument, "SEVERITY") ? severities
                                : !strcmp(option->argument, "BOOL")   ? truths
                                                                      : NULL;
    for (; values && *values; values++) {
        if (strcmp(*values, word) == 0)
            return true;
    }
    return false;
}

static char *joined(const char *option, const char *value)
{
    char *text;
    if (asprintf(&text, "%s=%s", option, value) < 0)
        tools_no_memory();
    return text; /* argp keeps it as long as the process lives */
}

struct argument_words {
    int count;
    char **at;
    bool stops;
    const struct option_list *list;
};

/* One long option at `i`; false: it is none. The words that it takes are skipped. */
static bool spell_option(struct argument_words *words, int *i)
{
    char *word = words->at[*i] + 2;
    const size_t length = strcspn(word, "=");
    const struct option_entry *option = find(words->list, word, length);
    if (!option) {
        refuse(words->list, word, length);
        return false;
    }
    if (!option->argument || word[length] || *i + 1 >= words->count)
        return true;
    if (!option->optional) {
        ++*i;
    } else if (is_value(option, words->at[*i + 1])) {
        words->at[*i] = joined(words->at[*i], words->at[*i + 1]);
        memmove(&words->at[*i + 1], &words->at[*i + 2], (size_t)(words->count - *i - 1) * sizeof *words->at);
        words->count--;
    }
    return true;
}

/* Words up to -- or, where a program may follow, to the first that is no option. */
static bool spell(struct argument_words *words)
{
    for (int i = 1; i < words->count && strcmp(words->at[i], "--") != 0; i++) {
        char *word = words->at[i];
        if (strcmp(word, "-h") == 0)
            words->at[i] = (char *)(uintptr_t) "--help";
        else if (strcmp(word, "-V") == 0)
            words->at[i] = (char *)(uintptr_t) "--version";
        else if (strncmp(word, "--", 2) == 0 && !spell_option(words, &i))
            return false;
        else if (word[0] != '-' && words->stops)
            return true;
    }
    return true;
}

static bool wants_version(const struct argument_words *words)
{
    for (int i = 1; i < words->count && words->at[i][0] == '-' && strcmp(words->at[i], "--") != 0; i++) {
        if (strcmp(words->at[i], "--version") == 0)
            return true;
    }
    return false;
}

/* ---- help --------------------------------------------------------------------------------- */

enum { COLUMNS_LEAST = 50, COLUMNS_MOST = 160 };

int tools_terminal_columns(int file)
{
    struct winsize size = {0};
    const char *wanted = getenv("COLUMNS");
    int columns = isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col
                  : wanted                                            ? atoi(wanted)
                                                                      : 80;
    columns = columns ? columns : 80;
    return columns < COLUMNS_LEAST ? COLUMNS_LEAST : columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
}

static void fit_help(void)
{
    char format[40];
    snprintf(format, sizeof format, "rmargin=%d", tools_terminal_columns(STDOUT_FILENO) - 1);
    setenv("ARGP_HELP_FMT", format, 0);
}

/* ---- the command line ---------------------------------------------------------------------- */

static int parse(const struct argp *argp, struct argument_words *words, void *input)
{
    struct option_list list = {.count = 0};
    char name[64];
    if (listener) {
        collect_all(argp, listener);
        return EINVAL;
    }
    collect_all(argp, &list);
    words->list = &list;
    if (!spell(words))
        return EINVAL;
    if (wants_version(words)) {
        version_print();
        exit(0);
    }
    snprintf(name, sizeof name, "orrery %s", words->at[0]);
    words->at[0] = name;
    argp_err_exit_status = EXIT_USAGE;
    fit_help();
    return argp_parse(argp, words->count, words->at, ARGP_IN_ORDER, NULL, input);
}

int arguments_finding(struct argp_state *state, const char *argument)
{
    char *end;
    const int finding = (int)strtol(argument, &end, 10);
    if (*end || finding <= 0)
        argp_error(state, "--finding: found '%s', expected a number from 1", argument);
    return finding;
}

int arguments_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argument_words words = {.count = argc, .at = argv};
    return parse(argp, &words, input);
}

int arguments_parse_program(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argument_words words = {.count = argc, .at = argv, .stops = true};
    return parse(argp, &words, input);
}
