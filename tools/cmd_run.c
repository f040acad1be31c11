/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/scenario_run.h"

struct arguments { struct settings settings; struct seeds seeds; char **rest; };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->settings;
        return 0;
    case 's':
        if (!seeds_parse(argument, &arguments->seeds))
            argp_error(state, "--seeds: found '%s', expected A..B", argument);
        return 0;
    case ARGP_KEY_ARG: /* the rest is not ours, whatever it looks like */
        arguments->rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "nothing to run: give a program or a scenario");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- a program -------------------------------------------------------------------- */

static int run_program(const struct settings *settings, char **command)
{
    struct scenario scenario;
    if (!settings_load(settings, NULL, &scenario)) /* told here, before the program starts */
        return EXIT_USAGE;
    bool ordered = scenario.schedule.record_file || scenario.schedule.replay;
    if (!library_select()) {
        scenario_fini(&scenario);
        say("error: liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
        return EXIT_FAILED;
    }
    if (ordered && !library_name_threads())
        say("warning: liborrery_threads.so is not beside liborrery.so: threads are told apart by their first calls");
    int code = settings_export(settings) ? watched_run(command, &scenario) : EXIT_FAILED;
    scenario_fini(&scenario);
    return code;
}

/* ---- a scenario -------------------------------------------------------------------- */

static int verdict(const struct scenario *scenario, const struct report *report, enum status status, uint64_t kernels)
{
    bool found = scenario->fail_on != SEVERITY_OFF && report_total(report, scenario->fail_on) > 0;
    if (status != STATUS_OK)
        return exit_status_of(status);
    if (found && !scenario->keep_exit_code)
        return scenario->error_exitcode;
    return scenario->expect_kernels && !kernels ? EXIT_NOTHING_RAN : 0;
}

static void tell_replay(const struct settings *settings, const char *path, struct report *report, const struct schedule_record *record)
{
    const struct replay_options options = settings_replay(settings, true);
    char *rest[] = {(char *)(uintptr_t)path, NULL}, *target = target_words(NULL, false, rest);
    const struct replay_run run = {.options = &options, .record = record, .target = target};
    char *line = replay_line(&run);
    report_set_replay(report, line, false);
    free(line);
    free(target);
}

static int run_scenario(const struct scenario *scenario, const struct settings *settings, struct report *report, FILE *log)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    report_set_stream(report, log, wants_colour(log));
    enum status status = scenario_run(scenario, report, &result, &diagnosis);
    if (result.output) {
        fwrite(result.output, 1, result.output_size, stdout);
        fflush(stdout);
    }
    bool ran = status == STATUS_OK || status == STATUS_NO_PROGRESS;
    if (!ran)
        say_scenario_diagnosis(scenario->file, status, &diagnosis);
    int code = verdict(scenario, report, status, result.kernels_run);
    if (code)
        tell_replay(settings, scenario->file, report, result.record);
    if (code == EXIT_NOTHING_RAN)
        say("error: no kernel ran, and --expect-kernels wants one: exit status %d", EXIT_NOTHING_RAN);
    if (ran && result.books)
        fputs(result.books, log);
    if (ran)
        report_finish(log, report, result.kernels_run);
    const struct report_end end = {.kernels_run = result.kernels_run, .exit_status = code};
    struct diagnosis unwritten = {0};
    bool recorded = record_write(scenario, settings, result.record);
    scenario_result_fini(&result);
    if (report_write_files(report, &end, &unwritten))
        return recorded ? code : EXIT_FAILED;
    say_diagnosis(&unwritten);
    return EXIT_FAILED;
}

static int run_file(const struct settings *settings, const char *path)
{
    struct scenario scenario;
    int code = EXIT_FAILED;
    if (!settings_load(settings, path, &scenario))
        return EXIT_USAGE;
    const struct scenario_program *program = &scenario.program;
    struct report *report = report_new(&scenario);
    FILE *log = log_open(&scenario);
    if (!program->source_file && !program->source_text && !program->spirv_file) {
        say("error: %s has no program: to run one of your own, orrery run --scenario %s -- PROGRAM", path, path);
        code = EXIT_USAGE;
    } else if (report && log) {
        environment_configure_compiler();
        code = run_scenario(&scenario, settings, report, log);
    }
    if (!log_close(log, &scenario))
        code = EXIT_FAILED;
    report_free(report);
    scenario_fini(&scenario);
    return code;
}

static bool is_scenario(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int run_target(const struct settings *settings, char **rest)
{
    if (!is_scenario(rest[0]))
        return run_program(settings, rest);
    if (!rest[1])
        return run_file(settings, rest[0]);
    say("error: %s: found '%s' behind the scenario, expected nothing", rest[0], rest[1]);
    return EXIT_USAGE;
}

int cmd_run(int argc, char **argv)
{
    struct arguments arguments = {.rest = NULL};
    const struct argp_option options[] = {
        {"seeds", 's', "A..B", 0, "run under each of these seeds, then the smallest schedule that fails", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[--] PROGRAM [ARGUMENT...]\nSCENARIO.yaml",
        .doc = "Runs PROGRAM with Orrery as its OpenCL, or SCENARIO without any program.",
        .children = children,
    };
    if (parse_arguments(&argp, argc, argv, &arguments) != 0 || !arguments.rest)
        return EXIT_USAGE;
    const struct seeds_target target = {"run", &arguments.settings, NULL, arguments.rest};
    if (arguments.seeds.given)
        return seeds_run(&arguments.seeds, &target);
    return run_target(&arguments.settings, arguments.rest);
}
