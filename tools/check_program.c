/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a scenario that a program runs with: the settings go into its environment, and its findings, log
 * and counters come back in files of a directory of their own. */
#include "check_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/watch.h"
#include "check_outcome.h"
#include "check_results.h"

/* The file to which the program writes its findings. */
struct scratch {
    char directory[32], json[64], log[64], counters[64], *timeout, *steps;
};

static char *own_value(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strdup(value) : NULL;
}

static void restore(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static bool scratch_init(struct scratch *scratch)
{
    strcpy(scratch->directory, "/tmp/orrery-XXXXXX");
    if (!mkdtemp(scratch->directory))
        return false;
    scratch->timeout = own_value("ORRERY_TIMEOUT");
    scratch->steps = own_value("ORRERY_MAX_STEPS");
    snprintf(scratch->json, sizeof scratch->json, "%s/json", scratch->directory);
    snprintf(scratch->log, sizeof scratch->log, "%s/log", scratch->directory);
    snprintf(scratch->counters, sizeof scratch->counters, "%s/counters", scratch->directory);
    return true;
}

static void scratch_fini(struct scratch *scratch)
{
    free(scratch->timeout);
    free(scratch->steps);
    unlink(scratch->json);
    unlink(scratch->log);
    unlink(scratch->counters);
    rmdir(scratch->directory);
}

static void copy_file(const char *path, FILE *out)
{
    char chunk[4096];
    FILE *file = fopen(path, "re");
    for (size_t got; file && (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        fwrite(chunk, 1, got, out);
    if (file)
        fclose(file);
}

/* A file that the user names gets them as always, and is read then. */
static bool counts_into_scratch(const struct scenario *scenario)
{
    return scenario->expect.counter_count && !scenario_counters_file(scenario);
}

static size_t compare_counters(const struct scenario *scenario, const struct scratch *scratch)
{
    char *json = NULL;
    size_t size = 0;
    FILE *stream = scenario->expect.counter_count ? open_memstream(&json, &size) : NULL;
    if (stream) {
        copy_file(counts_into_scratch(scenario) ? scratch->counters : scenario_counters_file(scenario),
                  stream);
        fclose(stream);
    }
    size_t differences = counters_compare(&scenario->expect, json);
    free(json);
    return differences;
}

/* Once for all scenarios. */
static void watch_threads(const struct scenario *scenario)
{
    static bool watched;
    if (!watched && scenario->checks[CHECK_RACES] != SEVERITY_OFF)
        watched = library_watch_threads();
}

/* Limits that the scenario or the user states are among the settings, too. */
static bool export_limits(const struct scenario *scenario)
{
    char seconds[40], steps[24];
    snprintf(seconds, sizeof seconds, "%.17g", scenario->schedule.timeout_seconds);
    snprintf(steps, sizeof steps, "%" PRIu64, scenario->schedule.max_steps);
    return setenv("ORRERY_TIMEOUT", seconds, 1) == 0 && setenv("ORRERY_MAX_STEPS", steps, 1) == 0;
}

static bool prepare_program(const struct settings *settings, const struct scenario *scenario,
                            const char *path, const struct scratch *scratch)
{
    struct settings own = *settings;
    own.scenario_file = path;
    if (!library_select()) {
        tools_message("error: liborrery.so is neither beside this command nor in %s", ORRERY_LIBDIR);
        return false;
    }
    if (!check_run_watch())
        return false;
    watch_threads(scenario);
    if (!scenario->log_file)
        setenv("ORRERY_LOG", scratch->log, 1);
    if (counts_into_scratch(scenario))
        setenv("ORRERY_COUNTERS", scratch->counters, 1);
    return settings_export(&own) && export_limits(scenario) && setenv("ORRERY_JSON", scratch->json, 1) == 0 &&
           setenv("ORRERY_KEEP_EXIT_CODE", "1", 1) == 0;
}

/* The next scenario starts from the user's environment again. */
static void restore_environment(const struct scenario *scenario, const struct scratch *scratch)
{
    restore("ORRERY_TIMEOUT", scratch->timeout);
    restore("ORRERY_MAX_STEPS", scratch->steps);
    if (!scenario->log_file)
        unsetenv("ORRERY_LOG");
    if (counts_into_scratch(scenario))
        unsetenv("ORRERY_COUNTERS");
    unsetenv("ORRERY_JSON");
    unsetenv("ORRERY_KEEP_EXIT_CODE");
}

/* In the shell's words. NULL: the command ended by itself. */
static const char *did_not_end(int status)
{
    enum { KILLED = 128 };
    if (status == EXIT_NOT_FOUND)
        return "the command is not there";
    if (status == EXIT_CANNOT_RUN)
        return "the command cannot be run";
    return status > KILLED && status <= KILLED + SIGRTMAX ? "the command was ended by a signal" : NULL;
}

/* Any status will do where none is expected, but not that of a command that never ran, or not to its end. */
static size_t compare_status(const struct scenario_expect *expect, int status)
{
    const char *failure = did_not_end(status);
    if (expect->exit_status < 0 ? !failure : expect->exit_status == status)
        return 0;
    printf("  exit status: %d", status);
    if (failure)
        printf(", %s", failure);
    if (expect->exit_status >= 0)
        printf(", expected %d", expect->exit_status);
    putchar('\n');
    return 1;
}

/* The program's choices are in the record that the user requested, or that it followed. */
static void print_program_replay(const struct check_arguments *arguments, const struct scenario *scenario,
                                 const char *path)
{
    const struct scenario_option replay = {.name = "replay", .variable = "ORRERY_REPLAY"};
    char *record = scenario->schedule.record_file ? realpath(scenario->schedule.record_file, NULL) : NULL;
    check_run_print_replay(
        arguments, NULL,
        record ? scenario->schedule.record_file : settings_value(&arguments->settings, &replay), path);
    free(record);
}

int check_run_program(const struct check_arguments *arguments, const struct scenario *scenario,
                      const char *path)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)arguments->exec, NULL};
    struct check_outcome outcome = {.count = 0};
    struct scratch scratch;
    int code = EXIT_FAILED;
    if (!scratch_init(&scratch))
        return EXIT_FAILED;
    if (prepare_program(&arguments->settings, scenario, path, &scratch)) {
        int status = process_capture(argv, environ, &outcome.output);
        progress_hide();
        restore_environment(scenario, &scratch);
        if (status < 0)
            tools_message("error: the shell cannot be started");
        check_outcome_take_json(&outcome, scratch.json);
        size_t differences = check_outcome_compare_findings(&scenario->expect, &outcome);
        differences += compare_status(&scenario->expect, status);
        differences += compare_counters(scenario, &scratch);
        check_mark(arguments->notes, CHECK_MARK_LINES);
        differences += check_outcome_compare_output(&scenario->expect, outcome.output);
        check_mark(arguments->notes, CHECK_MARK_WHOLE);
        if (arguments->notes)
            copy_file(scratch.json, arguments->notes);
        if (differences)
            copy_file(scratch.log, stdout);
        if (differences)
            print_program_replay(arguments, scenario, path);
        if (status >= 0)
            code = check_run_conclude(path, differences);
    }
    restore_environment(scenario, &scratch);
    scratch_fini(&scratch);
    check_outcome_fini(&outcome);
    return code;
}
