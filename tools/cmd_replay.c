/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery replay`: repeats a run by token or record. A record has the scenario and the options of its run in
 * a section of its own; these are applied first and the command line over them. Then the run is that of
 * `orrery run` with the key schedule.replay.
 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct replay_arguments {
    struct settings settings;
    char *replay;
    char **rest;
};

/* ---- what a record keeps ---------------------------------------------------- */

struct replayed_options {
    struct settings settings;
    size_t count;
    char *words[4 * SETTINGS_MAX];
};

static bool keep(void *self, char *name, char *value)
{
    struct replayed_options *kept = self;
    struct settings *settings = &kept->settings;
    if (!name || !value)
        tools_no_memory();
    bool fine = settings->count < SETTINGS_MAX && kept->count + 2 <= sizeof kept->words / sizeof *kept->words;
    if (!fine) {
        free(name);
        free(value);
        return false;
    }
    kept->words[kept->count++] = name;
    kept->words[kept->count++] = value;
    if (strcmp(name, "scenario") == 0) {
        settings->scenario_file = value;
    } else {
        settings->given[settings->count].name = name;
        settings->given[settings->count++].value = value;
    }
    return true;
}

/* The command line is applied over the record. A record that cannot be read is reported when it is parsed. */
static bool add_kept(struct settings *given, const char *path, struct replayed_options *kept)
{
    char *text = NULL;
    size_t room = 0;
    FILE *stream = fopen(path, "re");
    bool fine = !stream || getdelim(&text, &room, '\0', stream) <= 0 || replay_options_read(text, keep, kept);
    struct settings *both = &kept->settings;
    for (size_t i = 0; i < given->count && fine; i++) {
        fine = both->count < SETTINGS_MAX;
        if (fine)
            both->given[both->count++] = given->given[i];
    }
    if (given->scenario_file)
        both->scenario_file = given->scenario_file;
    if (fine)
        *given = *both;
    free(text);
    if (stream)
        fclose(stream);
    return fine;
}

static void kept_fini(struct replayed_options *kept)
{
    while (kept->count)
        free(kept->words[--kept->count]);
}

/* ---- the command -------------------------------------------------------------- */

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct replay_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
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
    default: return ARGP_ERR_UNKNOWN;
    }
}

int replay_by(const struct target_runner *runner, struct settings *settings, const char *replay, char **rest)
{
    /* A program may change its directory before it calls OpenCL. */
    char *path = strncmp(replay, "1:", 2) != 0 ? realpath(replay, NULL) : NULL;
    struct replayed_options kept = {.count = 0};
    if ((path && !add_kept(settings, path, &kept)) || settings->count == SETTINGS_MAX) {
        tools_message("error: too many options");
        kept_fini(&kept);
        free(path);
        return EXIT_USAGE;
    }
    settings->given[settings->count].name = "replay";
    settings->given[settings->count++].value = path ? path : replay;
    int code = runner->run(runner->self, settings, rest);
    kept_fini(&kept);
    free(path);
    return code;
}

static int run(void *self, const struct settings *settings, char **rest)
{
    (void)self;
    return run_target(settings, rest);
}

int replay_target(struct settings *settings, const char *replay, char **rest)
{
    return replay_by(&(struct target_runner){NULL, run}, settings, replay, rest);
}

int cmd_replay(int argc, char **argv)
{
    struct replay_arguments arguments = {.rest = NULL};
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .parser = parse,
        .args_doc = "TOKEN|FILE [--] PROGRAM [ARGUMENT...]\nTOKEN|FILE SCENARIO.yaml",
        .doc = "Runs PROGRAM or SCENARIO as it ran when TOKEN was printed or FILE recorded.",
        .children = children,
    };
    if (arguments_parse_program(&argp, argc, argv, &arguments) != 0 || !arguments.rest)
        return EXIT_USAGE;
    return replay_target(&arguments.settings, arguments.replay, arguments.rest);
}
