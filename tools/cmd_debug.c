/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery debug`: options, the target, and which front end. A scenario or kernel runs in a process of its own
 * that the session copies; a program gets its options by the environment and connects to the session; a
 * process that runs already is found by its socket. Then terminal.c or dap.c owns the session.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/debug/dap.h"
#include "tools/debug/dap_wire.h"
#include "tools/debug/terminal.h"
#include "near_file.h"
#include "target.h"
#include "tools.h"

enum { KEY_DAP = 0x100, KEY_BATCH, KEY_FINDING, KEY_ATTACH };

struct debug_arguments {
    struct settings settings;
    const char **scripts, **commands;
    size_t script_count, command_count;
    bool batch, dap;
    const char *port, *attach;
    int finding;
    char **rest; /* a scenario, a kernel, or a program and its arguments */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct debug_arguments *arguments = state->input;
    long port;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 'x': arguments->scripts[arguments->script_count++] = argument; return 0;
    case 'e': arguments->commands[arguments->command_count++] = argument; return 0;
    case KEY_BATCH: arguments->batch = true; return 0;
    case KEY_DAP:
        arguments->dap = true;
        arguments->port = argument;
        if (argument && !dap_wire_port(argument, &port))
            argp_error(state, "--dap: found port '%s', expected a number from 0 to 65535", argument);
        return 0;
    case KEY_ATTACH: arguments->attach = argument; return 0;
    case KEY_FINDING: arguments->finding = arguments_finding(state, argument); return 0;
    case ARGP_KEY_ARG: /* the rest is not ours, whatever it looks like */
        arguments->rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static bool has_program(const struct scenario *scenario)
{
    return scenario->program.source_file || scenario->program.source_text || scenario->program.spirv_file;
}

static int run_terminal(const struct debug_arguments *arguments, struct scenario *scenario, char **program)
{
    const struct terminal_request request = {.scenario = scenario,
                                             .program = program,
                                             .attach = arguments->attach,
                                             .scripts = arguments->scripts,
                                             .script_count = arguments->script_count,
                                             .commands = arguments->commands,
                                             .command_count = arguments->command_count,
                                             .batch = arguments->batch,
                                             .finding = arguments->finding};
    return terminal_run(&request);
}

/* Its options go by the environment, as those of `orrery run`. */
static int debug_program(const struct debug_arguments *arguments)
{
    struct scenario scenario;
    const int error = target_missing(arguments->rest[0]);
    if (error) {
        tools_message("error: %s: %s", arguments->rest[0], strerror(error));
        near_file_say(arguments->rest[0]);
        return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
    }
    if (!settings_load(&arguments->settings, NULL, &scenario))
        return EXIT_USAGE;
    int code = EXIT_FAILED;
    if (!library_select())
        tools_message("error: liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
    else if (settings_export(&arguments->settings))
        code = run_terminal(arguments, &scenario, arguments->rest);
    scenario_fini(&scenario);
    return code;
}

static bool is_alone(const struct debug_arguments *arguments)
{
    if (arguments->rest[1])
        tools_message("error: %s: found '%s' after it, expected nothing", arguments->rest[0],
                      arguments->rest[1]);
    return !arguments->rest[1];
}

static int debug_scenario(const struct debug_arguments *arguments)
{
    const char *path = arguments->rest[0];
    struct scenario scenario;
    if (!is_alone(arguments) || !settings_load(&arguments->settings, path, &scenario))
        return EXIT_USAGE;
    int code = EXIT_USAGE;
    scenario.schedule.timeout_seconds = 0; /* time passes while the user thinks */
    if (!has_program(&scenario))
        tools_message(
            "error: %s has no program: to debug one of your own, orrery debug --scenario %s -- PROGRAM", path,
            path);
    else
        code = run_terminal(arguments, &scenario, NULL);
    scenario_fini(&scenario);
    return code;
}

static int debug_kernel(const struct debug_arguments *arguments, const char *file, const char *kernel)
{
    struct scenario scenario;
    char *text = is_alone(arguments) ? target_scenario(&arguments->settings, file, kernel, file, NULL) : NULL;
    int code = EXIT_USAGE;
    if (text && settings_load_text(&arguments->settings, text, arguments->rest[0], &scenario)) {
        scenario.schedule.timeout_seconds = 0; /* time passes while the user thinks */
        code = run_terminal(arguments, &scenario, NULL);
        scenario_fini(&scenario);
    }
    free(text);
    return code;
}

static int debug_target(const struct debug_arguments *arguments)
{
    const char *kernel;
    if (target_is_scenario(arguments->rest[0]))
        return debug_scenario(arguments);
    char *file = target_file(arguments->rest[0], &kernel);
    const int code = file ? debug_kernel(arguments, file, kernel) : debug_program(arguments);
    free(file);
    return code;
}

static int debug_replayed(void *self, const struct settings *settings, char **rest)
{
    struct debug_arguments arguments = *(const struct debug_arguments *)self;
    arguments.settings = *settings;
    arguments.rest = rest;
    return debug_target(&arguments);
}

/* A token or a record stands before its target, as for `orrery show`. */
static int debug_words(struct debug_arguments *arguments)
{
    if (!target_is_replay(arguments->rest[0]))
        return debug_target(arguments);
    char **target = target_after(arguments->rest);
    const struct target_runner runner = {arguments, debug_replayed};
    return target ? replay_by(&runner, &arguments->settings, arguments->rest[0], target) : EXIT_USAGE;
}

/* The process has its own options and device. */
static int debug_process(const struct debug_arguments *arguments)
{
    if (arguments->rest) {
        tools_message("error: --attach: found '%s' besides the process, expected nothing",
                      arguments->rest[0]);
        return EXIT_USAGE;
    }
    return run_terminal(arguments, NULL, NULL);
}

int cmd_debug(int argc, char **argv)
{
    struct debug_arguments arguments = {.rest = NULL};
    const struct argp_option options[] = {
        {"command", 'x', "FILE", 0, "commands from FILE first", 0},
        {"execute", 'e', "COMMAND", 0, "this command first", 0},
        {"batch", KEY_BATCH, NULL, 0, "end when these are done", 0},
        {"finding", KEY_FINDING, "N", 0, "run to finding N", 0},
        {"attach", KEY_ATTACH, "PROCESS", 0,
         "stop at the next launch of a program that was started with ORRERY_DEBUG_LISTEN=1: its number, or "
         "the "
         "path of its socket",
         0},
        {"dap", KEY_DAP, "PORT", OPTION_ARG_OPTIONAL,
         "serve the Debug Adapter Protocol on standard input and output, or on this port of the loopback "
         "interface",
         0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc =
            "SCENARIO.yaml\nKERNELS.cl[:NAME]\n[--] PROGRAM [ARGUMENT...]\nTOKEN|RECORD [--] TARGET...\n"
            "--attach=PROCESS\n--dap[=PORT]",
        .doc = "Steps through the kernels of SCENARIO, KERNELS.cl or PROGRAM, forwards and backwards.",
        .children = children,
    };
    int code = EXIT_USAGE;
    arguments.scripts = calloc((size_t)argc + 1, sizeof *arguments.scripts);
    arguments.commands = calloc((size_t)argc + 1, sizeof *arguments.commands);
    if (!arguments.scripts || !arguments.commands)
        tools_no_memory();
    if (arguments_parse_program(&argp, argc, argv, &arguments) == 0) {
        environment_configure_compiler();
        if (arguments.dap)
            code = dap_run(&arguments.settings, arguments.port);
        else if (arguments.attach)
            code = debug_process(&arguments);
        else if (!arguments.rest)
            tools_message("error: nothing to debug: give a scenario, a kernel's file or a program");
        else
            code = debug_words(&arguments);
    }
    free(arguments.scripts);
    free(arguments.commands);
    return code;
}
