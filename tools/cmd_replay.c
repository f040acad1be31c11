/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include <stdlib.h>
#include <string.h>

struct arguments { struct settings settings; char *replay; char **rest; };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->settings;
        return 0;
    case ARGP_KEY_ARG:
        if (!arguments->replay) {
            arguments->replay = argument;
            return 0;
        }
        arguments->rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->rest)
            argp_error(state, "give a token or a record, and what to run: a program or a scenario");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_replay(int argc, char **argv)
{
    struct arguments arguments = {.rest = NULL};
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .parser = parse,
        .args_doc = "TOKEN|FILE [--] PROGRAM [ARGUMENT...]\nTOKEN|FILE SCENARIO.yaml",
        .doc = "Runs PROGRAM or SCENARIO as it ran when TOKEN was printed or FILE recorded.",
        .children = children,
    };
    if (parse_arguments(&argp, argc, argv, &arguments) != 0 || !arguments.rest)
        return EXIT_USAGE;
    /* A program may change its directory before it comes to OpenCL. */
    char *path = strncmp(arguments.replay, "1:", 2) != 0 ? realpath(arguments.replay, NULL) : NULL;
    struct settings *settings = &arguments.settings;
    if (settings->count == SETTINGS_MAX) {
        say("error: too many options");
        return EXIT_USAGE;
    }
    settings->given[settings->count].name = "replay";
    settings->given[settings->count++].value = path ? path : arguments.replay;
    int code = run_target(settings, arguments.rest);
    free(path);
    return code;
}
