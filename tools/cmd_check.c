/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery check`: runs scenarios and compares with what they expect (check_run.c, check_program.c). */
#include "tools.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/watch.h"
#include "check_results.h"
#include "check_run.h"
#include "target.h"

static bool has_program(const struct scenario *scenario)
{
    return scenario->program.source_file || scenario->program.source_text || scenario->program.spirv_file;
}

/* An expectation that nothing is compared with would pass whatever happens. */
static bool sees_expected(const struct check_arguments *arguments, const struct scenario *scenario,
                          const char *path)
{
    const struct scenario_expect *expect = &scenario->expect;
    if (!arguments->exec && expect->exit_status >= 0)
        tools_message("error: %s: expect: exit_status is that of a program: name one with --exec", path);
    else if (arguments->exec && (expect->buffer_count || expect->placement_count))
        tools_message(
            "error: %s: expect: %s cannot be compared with --exec, only of launches of the scenario", path,
            expect->buffer_count ? "buffers" : "placement");
    else
        return true;
    return false;
}

static int check_loaded(const struct check_arguments *arguments, const struct scenario *scenario,
                        const char *path)
{
    if (!scenario->expect.present) {
        tools_message("error: %s has no 'expect': nothing to compare with", path);
        return EXIT_USAGE;
    }
    if (!arguments->exec && !has_program(scenario)) {
        tools_message("error: %s has no program: name one with --exec", path);
        return EXIT_USAGE;
    }
    if (!sees_expected(arguments, scenario, path))
        return EXIT_USAGE;
    if (arguments->exec)
        return check_run_program(arguments, scenario, path);
    struct report *report = report_new(scenario);
    int code = report ? check_run_scenario(arguments, scenario, report, path) : EXIT_FAILED;
    report_free(report);
    return code;
}

static int check_seeds(const struct check_arguments *arguments, char *path)
{
    char *rest[] = {path, NULL};
    const struct seeds_target target = {"check", &arguments->settings, arguments->exec, rest};
    return seeds_run(&arguments->seeds, &target);
}

static bool is_kernel(const char *path)
{
    const char *kernel;
    char *file = target_file(path, &kernel);
    const bool is_one = file != NULL;
    free(file);
    return is_one;
}

static int check_file(const struct check_arguments *arguments, char *path)
{
    if (arguments->seeds.given)
        return check_seeds(arguments, path);
    struct scenario scenario;
    if (is_kernel(path)) {
        tools_message("error: %s: found a kernel, expected a scenario: `orrery run %s` runs it, and "
                      "--save-scenario=FILE.yaml makes a scenario of it",
                      path, path);
        return EXIT_USAGE;
    }
    if (!settings_load_outputs(&arguments->settings, path, &scenario))
        return EXIT_USAGE;
    free(scenario.json_file); /* of the command: see check_for_machines() */
    scenario.json_file = NULL;
    scenario_limit(&scenario);
    interrupt_attach(&scenario, false);
    int code = check_loaded(arguments, &scenario, path);
    scenario_fini(&scenario);
    return code;
}

/* ---- the command ------------------------------------------------------------------------- */

enum { KEY_JUNIT = 0x101, KEY_TAP, JOBS_MAX = 1024 };

static bool parse_jobs(const char *text, size_t *out_jobs)
{
    char *end;
    const long number = strtol(text, &end, 10);
    *out_jobs = (size_t)number;
    return isdigit((unsigned char)*text) && !*end && number >= 1 && number <= JOBS_MAX;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct check_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 'e': arguments->exec = argument; return 0;
    case 's':
        if (!seeds_parse(argument, &arguments->seeds))
            argp_error(state, "--seeds: found '%s', expected A..B", argument);
        return 0;
    case 'j':
        if (!parse_jobs(argument, &arguments->results.jobs))
            argp_error(state, "--jobs: found '%s', expected a number from 1 to %d", argument, JOBS_MAX);
        return 0;
    case KEY_JUNIT: arguments->results.junit_file = argument; return 0;
    case KEY_TAP: arguments->results.tap = true; return 0;
    case ARGP_KEY_ARG: arguments->files[arguments->count++] = argument; return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "nothing to check: give a scenario"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int check_noted(void *context, char *path, FILE *notes)
{
    struct check_arguments arguments = *(const struct check_arguments *)context;
    arguments.notes = notes;
    const int code = check_file(&arguments, path);
    interrupt_end(); /* of this process; the one that waits for it writes what is common */
    return code;
}

static bool wants_results(const struct check_options *options)
{
    return options->json_file || options->junit_file || options->tap || options->jobs > 1;
}

/* The files are judged before anything runs. They are of the command, not of a scenario. */
static int check_for_machines(struct check_arguments *arguments, const struct scenario *common,
                              int *out_caught)
{
    struct check_options *options = &arguments->results;
    struct diagnosis diagnosis = {0};
    options->force = common->force_files;
    if (report_output_check("junit", options->junit_file, "<?xml", options->force, &diagnosis) != STATUS_OK) {
        tools_message_diagnosis(&diagnosis);
        return EXIT_USAGE;
    }
    if (arguments->seeds.given) {
        tools_message(
            "error: --seeds has no verdict for each scenario: found with --json, --junit, --tap or --jobs, "
            "expected alone");
        return EXIT_USAGE;
    }
    if ((arguments->exec || check_run_shares_files(common)) &&
        !check_run_watch()) /* before the processes that share it */
        return EXIT_FAILED;
    if (common->sarif_file || common->gen_suppressions)
        options->jobs = 1; /* what the files hold has the order of the command line */
    return check_results_run(options, arguments->files, arguments->count, check_noted, arguments, out_caught);
}

static int check_for_people(const struct check_arguments *arguments)
{
    struct check_failed failed;
    size_t checked = 0;
    int worst = 0;
    check_failed_begin(&failed);
    progress_begin();
    for (size_t i = 0; i < arguments->count && !interrupt_caught(); i++) {
        progress_note("orrery: scenario %zu of %zu: %s", i + 1, arguments->count, arguments->files[i]);
        int code = check_file(arguments, arguments->files[i]);
        worst = code > worst ? code : worst;
        check_failed_add(&failed, arguments->files[i], code);
        checked++;
    }
    progress_end();
    check_failed_end(&failed, checked, &arguments->results);
    return worst;
}

/* Of all scenarios. */
static void print_baseline(const struct scenario *common)
{
    const struct watch *watch = check_run_watch();
    if (watch && watch->accepted && !common->quiet)
        tools_message("suppressed by the baseline: %" PRIu64, watch->accepted);
    if (watch)
        report_note_baseline(stderr, common, watch);
}

/* Programs, and the checks of each seed, are processes that write their own. */
static bool keeps_logs(const struct check_arguments *arguments, const struct scenario *common)
{
    return common->sarif_file && !arguments->exec && !arguments->seeds.given;
}

/* Before the processes that check scenarios are made: they share the logs. False: the error is printed. */
static bool begin_logs(struct check_arguments *arguments)
{
    struct watch *watch = check_run_watch();
    if (!watch)
        return false;
    arguments->spool = report_spool_new(watch);
    if (!arguments->spool)
        tools_message("error: there is no memory for the SARIF logs");
    return arguments->spool != NULL;
}

static int end_logs(const struct check_arguments *arguments, int code)
{
    struct diagnosis diagnosis = {0};
    const bool fine = report_spool_write(arguments->spool, &diagnosis);
    if (!fine)
        tools_message_diagnosis(&diagnosis);
    report_spool_free(arguments->spool);
    return fine ? code : EXIT_FAILED;
}

static int check_all(struct check_arguments *arguments)
{
    struct scenario common;
    if (!settings_load_common(&arguments->settings, &common))
        return EXIT_USAGE;
    environment_configure_compiler();
    arguments->results.json_file = common.json_file;
    arguments->results.quiet = common.quiet;
    if (keeps_logs(arguments, &common) && !begin_logs(arguments)) {
        scenario_fini(&common);
        return EXIT_FAILED;
    }
    int caught = 0; /* the signal that ended a check for machines */
    int code = wants_results(&arguments->results) ? check_for_machines(arguments, &common, &caught)
                                                  : check_for_people(arguments);
    if (arguments->spool)
        code = end_logs(arguments, code);
    if (caught)
        tools_end_by(caught);
    interrupt_end();
    if (common.baseline_file)
        print_baseline(&common);
    scenario_fini(&common);
    return code;
}

int cmd_check(int argc, char **argv)
{
    struct check_arguments arguments = {.results.jobs = 1};
    const struct argp_option options[] = {
        {"exec", 'e', "COMMAND", 0, "the scenario is for this program, run by the shell", 0},
        {"jobs", 'j', "N", 0, "check up to N scenarios at the same time; 1 is the default", 0},
        {"junit", KEY_JUNIT, "FILE", 0, "verdicts as JUnit's XML too", 0},
        {"tap", KEY_TAP, NULL, 0, "verdicts as TAP 14 on the standard output, instead of text", 0},
        {"seeds", 's', "A..B", 0, "check under each of these seeds, then the smallest schedule that fails",
         0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "SCENARIO.yaml...",
        .doc = "Runs each SCENARIO and compares findings, buffers and output with its expect section.",
        .children = children,
    };
    arguments.files = calloc((size_t)argc + 1, sizeof *arguments.files);
    if (!arguments.files)
        return EXIT_FAILED;
    const int code = arguments_parse(&argp, argc, argv, &arguments) ? EXIT_USAGE : check_all(&arguments);
    free(arguments.files);
    return code;
}
