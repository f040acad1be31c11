/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments { size_t count; char **ids; };

static int unknown(const char *id)
{
    char *meant = finding_meant(id);
    say("error: no finding has the id '%s'", id);
    if (meant && *meant)
        say("do you mean %s?", meant);
    else
        say("`orrery explain` lists them all");
    free(meant);
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
