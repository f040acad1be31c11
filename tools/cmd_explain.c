/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments { size_t count; char **ids; };

/* ---- what was meant ------------------------------------------------------------------- */

enum { NAME_CHARS = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t two = a < b ? a : b;
    return two < c ? two : c;
}

/* Insertions, deletions and replacements between two names (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[NAME_CHARS], columns = strlen(b);
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t above = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[columns];
}

/* A part of the name is as good as the name misspelt. */
static size_t strangeness(const char *wanted, enum finding_kind kind)
{
    return strstr(finding_id(kind), wanted) ? 1 : distance(wanted, finding_id(kind));
}

static int unknown(const char *id)
{
    size_t nearest = SIZE_MAX, shown = 0;
    say("error: no finding has the id '%s'", id);
    for (int i = 0; i < FINDING_KIND_COUNT; i++) {
        size_t away = strangeness(id, (enum finding_kind)i);
        nearest = away < nearest ? away : nearest;
    }
    for (int i = 0; nearest <= 1 + strlen(id) / 3 && i < FINDING_KIND_COUNT; i++) {
        if (strangeness(id, (enum finding_kind)i) == nearest)
            fprintf(stderr, "%s%s", shown++ ? ", " : "orrery: do you mean ", finding_id((enum finding_kind)i));
    }
    fputs(shown ? "?\n" : "orrery: `orrery explain` lists them all\n", stderr);
    return EXIT_USAGE;
}

/* ---- the command ------------------------------------------------------------------------ */

static void list_all(void)
{
    for (int i = 0; i < FINDING_KIND_COUNT; i++)
        printf("%-26s %s\n", finding_id((enum finding_kind)i), finding_sentence((enum finding_kind)i));
}

static int explain(const char *id, bool first)
{
    enum finding_kind kind;
    if (!finding_from_id(id, &kind))
        return unknown(id);
    printf("%s%s", first ? "" : "\n", finding_page(kind));
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    arguments->ids[arguments->count++] = argument;
    return 0;
}

int cmd_explain(int argc, char **argv)
{
    struct arguments arguments = {.ids = calloc((size_t)argc + 1, sizeof *arguments.ids)};
    const struct argp argp = {
        .parser = parse,
        .args_doc = "[ID...]",
        .doc = "Prints what orrery-findings(7) says on each ID, or lists all ids.",
    };
    int code = arguments.ids ? 0 : EXIT_FAILED;
    if (!code && parse_arguments(&argp, argc, argv, &arguments) != 0)
        code = EXIT_USAGE;
    if (!code && !arguments.count)
        list_all();
    for (size_t i = 0; !code && i < arguments.count; i++)
        code = explain(arguments.ids[i], i == 0);
    free(arguments.ids);
    return code;
}
