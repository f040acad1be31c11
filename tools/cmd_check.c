/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery check`: runs scenarios and compares with what they expect. */
#include "tools.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/report_width.h"
#include "orrery/scenario_run.h"
#include "orrery/watch.h"
#include "check_results.h"
#include "target.h"

/* The result of a run, from a report or from JSON lines. */
struct checked_report {
    char *id, *kernel, *why, *fix;
    uint32_t lines[2], follows;
    uint32_t covered_by; /* line of the finding whose fix removes this one, too; 0: there is none */
    bool enough, matched;
    bool accepted; /* by the baseline: it may be expected, and is never unexpected */
};
struct outcome {
    size_t count;
    struct checked_report *seen;
    char *output;
};

struct check_arguments {
    struct settings settings;
    struct seeds seeds;
    const char *exec;
    struct check_options results;
    FILE *notes; /* where findings and differences are noted for the results; NULL: they are not wanted */
    struct report_spool *spool; /* where SARIF logs wait for the end; NULL: they are not wanted */
    size_t count;
    char **files;
};

/* ---- what was seen -------------------------------------------------------------- */

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static struct checked_report *seen_add(struct outcome *outcome, const char *id, const char *kernel,
                                       const char *why, const char *fix)
{
    struct checked_report *grown = realloc(outcome->seen, (outcome->count + 1) * sizeof *grown);
    if (!grown)
        tools_no_memory();
    outcome->seen = grown;
    grown[outcome->count] =
        (struct checked_report){.id = copy(id), .kernel = copy(kernel), .why = copy(why), .fix = copy(fix)};
    return &grown[outcome->count++];
}

static void outcome_fini(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++) {
        free(outcome->seen[i].id);
        free(outcome->seen[i].kernel);
        free(outcome->seen[i].why);
        free(outcome->seen[i].fix);
    }
    free(outcome->seen);
    free(outcome->output);
}

static void take_finding(struct outcome *outcome, const struct finding *finding)
{
    struct checked_report *seen =
        seen_add(outcome, finding_id(finding->kind), finding->kernel, finding->why, finding->fix);
    for (uint32_t a = 0; a < finding->access_count && a < 2; a++)
        seen->lines[a] = finding->access[a].place.line;
    seen->follows = finding->cause ? finding->cause->access[0].place.line : 0;
    seen->covered_by = finding->covered_by ? finding->covered_by->access[0].place.line : 0;
    seen->enough = !finding->fix_partial;
    seen->accepted = finding->accepted;
}

static void take_report(struct outcome *outcome, const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++)
        take_finding(outcome, report_get(report, i));
    for (size_t i = 0; i < report_suppressed_count(report); i++)
        if (report_accepts(report, report_suppressed_get(report, i)))
            take_finding(outcome, report_suppressed_get(report, i));
}

static const char *member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* No file: the program never called OpenCL, and nothing was found. */
static void take_json(struct outcome *outcome, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    while (file && getline(&line, &room, file) > 0) {
        json_t *object = json_loads(line, 0, NULL), *accesses = json_object_get(object, "accesses");
        const char *id = member(object, "id");
        struct checked_report *seen =
            id ? seen_add(outcome, id, member(object, "kernel"), member(object, "why"), member(object, "fix"))
               : NULL;
        for (size_t a = 0; seen && a < json_array_size(accesses) && a < 2; a++)
            seen->lines[a] =
                (uint32_t)json_integer_value(json_object_get(json_array_get(accesses, a), "line"));
        if (seen) {
            seen->follows =
                (uint32_t)json_integer_value(json_object_get(json_object_get(object, "cause"), "line"));
            seen->covered_by =
                (uint32_t)json_integer_value(json_object_get(json_object_get(object, "covered_by"), "line"));
            seen->enough = !json_is_true(json_object_get(object, "fix_partial"));
            seen->accepted = json_is_true(json_object_get(object, "accepted"));
        }
        json_decref(object);
    }
    free(line);
    if (file)
        fclose(file);
}

/* ---- findings --------------------------------------------------------------------- */

static bool says(const char *expected, const char *sentence)
{
    return !expected || strstr(sentence, expected);
}

/* The scenario may spell the id in another way than findings do. */
static bool is_kind(const char *expected, const char *seen)
{
    enum finding_kind kind;
    return finding_from_id(seen, &kind) && finding_id_is(kind, expected);
}

static bool has_line(const struct checked_report *seen, uint32_t line)
{
    return line == seen->lines[0] || line == seen->lines[1];
}

/* What the scenario does not give fits every finding. */
static bool fits(const struct expect_finding *expected, const struct checked_report *seen)
{
    if (!is_kind(expected->id, seen->id))
        return false;
    if (expected->kernel && strcmp(expected->kernel, seen->kernel) != 0)
        return false;
    if (expected->line && !has_line(seen, expected->line))
        return false;
    if (expected->has_follows && expected->follows != seen->follows)
        return false;
    if (expected->has_enough && expected->enough != seen->enough)
        return false;
    return says(expected->why, seen->why) && says(expected->fix, seen->fix);
}

static bool match(const struct expect_finding *expected, struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->count; i++) {
        if (!outcome->seen[i].matched && fits(expected, &outcome->seen[i]))
            return outcome->seen[i].matched = true;
    }
    return false;
}

static void print_missing(const struct expect_finding *expected)
{
    printf("  missing: %s", expected->id);
    if (expected->line)
        printf(" at line %" PRIu32, expected->line);
    printf("%s%s", expected->kernel ? " in kernel " : "", expected->kernel ? expected->kernel : "");
    if (expected->why)
        printf(", because \"%s\"", expected->why);
    if (expected->fix)
        printf(", with the fix \"%s\"", expected->fix);
    if (expected->has_follows && expected->follows)
        printf(", that may follow from the one at line %" PRIu32, expected->follows);
    else if (expected->has_follows)
        printf(", that follows from none");
    if (expected->has_enough)
        printf(", whose fix is %senough for all of them", expected->enough ? "" : "not ");
    putchar('\n');
}

static bool is_exact(const struct expect_finding *expected)
{
    const bool has_text = expected->why || expected->fix;
    return has_text || expected->line || expected->has_follows || expected->has_enough;
}

/* One fix removes it and a finding that is expected: it need not be listed. */
static bool is_covered(const struct outcome *outcome, const struct checked_report *seen)
{
    for (size_t i = 0; i < outcome->count && seen->covered_by; i++)
        if (outcome->seen[i].matched && !outcome->seen[i].covered_by &&
            outcome->seen[i].lines[0] == seen->covered_by)
            return true;
    return false;
}

/* More specific ones choose first, so that "any" cannot take theirs. */
static size_t compare_findings(const struct scenario_expect *expect, struct outcome *outcome)
{
    size_t differences = 0;
    for (int exact = 1; exact >= 0; exact--) {
        for (size_t i = 0; i < expect->finding_count; i++) {
            if (is_exact(&expect->findings[i]) != exact || match(&expect->findings[i], outcome))
                continue;
            print_missing(&expect->findings[i]);
            differences++;
        }
    }
    for (size_t i = 0; i < outcome->count; i++) {
        const struct checked_report *seen = &outcome->seen[i];
        if (seen->matched || seen->accepted || is_covered(outcome, seen))
            continue;
        printf("  unexpected: %s at line %" PRIu32 " in kernel %s\n", seen->id, seen->lines[0], seen->kernel);
        differences++;
    }
    return differences;
}

/* ---- buffers, output ----------------------------------------------------------------- */

/* A float is compared by its bits, but any NaN is a NaN. */
static bool same_element(enum value_type type, const void *a, const void *b)
{
    float single[2];
    double real[2];
    uint16_t half[2];
    if (memcmp(a, b, value_type_size(type)) == 0)
        return true;
    switch (type) {
    case VALUE_F16:
        memcpy(&half[0], a, 2);
        memcpy(&half[1], b, 2);
        return (half[0] & 0x7fff) > 0x7c00 && (half[1] & 0x7fff) > 0x7c00;
    case VALUE_F32:
        memcpy(&single[0], a, 4);
        memcpy(&single[1], b, 4);
        return single[0] != single[0] && single[1] != single[1];
    case VALUE_F64:
        memcpy(&real[0], a, 8);
        memcpy(&real[1], b, 8);
        return real[0] != real[0] && real[1] != real[1];
    default: return false;
    }
}

static void print_element(const struct expect_buffer *expected, const struct value_list *found, size_t index)
{
    printf("  buffer: launch %" PRIu32 ", argument %" PRIu32 ", element %zu is ", expected->launch,
           expected->arg, index);
    value_list_print_element(found, index, stdout);
    fputs(", expected ", stdout);
    value_list_print_element(&expected->values, index, stdout);
    fputc('\n', stdout);
}

static size_t compare_buffer(const struct expect_buffer *expected, const struct value_list *found)
{
    enum { SHOWN = 5 };
    size_t differences = 0, size = value_type_size(found->type);
    for (size_t i = 0; i < found->count; i++) {
        const char *a = (const char *)found->data + i * size,
                   *b = (const char *)expected->values.data + i * size;
        if (!same_element(found->type, a, b) && differences++ < SHOWN)
            print_element(expected, found, i);
    }
    if (differences > SHOWN)
        printf("  buffer: launch %" PRIu32 ", argument %" PRIu32 ": %zu more elements differ\n",
               expected->launch, expected->arg, differences - SHOWN);
    return differences;
}

static size_t compare_output(const struct scenario_expect *expect, const char *output)
{
    if (!expect->output || strcmp(expect->output, output ? output : "") == 0)
        return 0;
    printf("  output:\n%s\n  expected:\n%s\n", output ? output : "", expect->output);
    return 1;
}

/* ---- placement ------------------------------------------------------------------------- */

static size_t compare_placement(const struct expect_placement *expected, const struct unit_list *found)
{
    const struct unit_list *units = &expected->units;
    for (uint32_t group = 0; group < found->count; group++) {
        uint32_t unit = found->units[group], wanted = units->units[group % units->count];
        if (unit == wanted)
            continue;
        printf("  placement: launch %" PRIu32 ", work-group %" PRIu32 " ran on ", expected->launch, group);
        if (unit == UINT32_MAX)
            printf("no compute unit, expected %" PRIu32 "\n", wanted);
        else
            printf("compute unit %" PRIu32 ", expected %" PRIu32 "\n", unit, wanted);
        return 1;
    }
    if (found->count)
        return 0;
    printf("  placement: launch %" PRIu32 " ran no work-group\n", expected->launch);
    return 1;
}

/* ---- one scenario ---------------------------------------------------------------------- */

static int conclude(const char *path, size_t differences)
{
    printf("%s: %s\n", differences ? "FAIL" : "PASS", path);
    return differences ? EXIT_DIFFERS : 0;
}

/* token NULL: the record's. */
static void print_replay(const struct check_arguments *arguments, const struct schedule_record *record,
                         const char *token, const char *path)
{
    const struct replay_options options = settings_replay(&arguments->settings, true);
    char *rest[] = {(char *)(uintptr_t)path, NULL},
         *target = tools_target_words(arguments->exec, false, rest);
    const struct replay_run run = {
        .options = &options, .record = record, .token = token, .compares = true, .target = target};
    char *line = replay_line(&run);
    if (line)
        printf("  replay with: %s\n", line);
    free(line);
    free(target);
}

/* The findings until then. */
static void print_interrupted(const struct check_arguments *arguments, const struct report *report,
                              const struct scenario_result *result, const char *path)
{
    for (size_t i = 0; i < report_count(report); i++)
        report_print_finding_wide(stdout, report_get(report, i), false,
                                  report_columns(STDOUT_FILENO, getenv("COLUMNS")));
    print_replay(arguments, result->record, NULL, path);
    report_finish(stdout, report, result->kernels_run);
    printf("INTERRUPTED: %s\n", path);
}

/*
 * Scenarios, and the processes of a command, share the files that they write. Once for all scenarios. NULL:
 * the error is printed.
 */
static struct watch *watch_processes(void)
{
    static struct watch *watch;
    char name[WATCH_NAME_CHARS];
    if (!watch && (watch = watch_new(name)))
        setenv("ORRERY_WATCH", name, 1);
    if (!watch)
        tools_message("error: no memory can be shared with the program");
    return watch;
}

/* The file to which each scenario adds its findings. */
static bool shares_files(const struct scenario *scenario)
{
    return scenario->sarif_file || scenario->gen_suppressions || scenario->baseline_file;
}

/* Beside the verdict; the JSON of a check is the command's. */
static bool write_files(const struct report *report, const struct scenario_result *result, int code)
{
    const struct report_end end = {.kernels_run = result->kernels_run, .exit_status = code};
    struct diagnosis diagnosis = {0};
    if (report_write_files(report, &end, &diagnosis))
        return true;
    tools_message_diagnosis(&diagnosis);
    return false;
}

static void note_findings(FILE *notes, const struct report *report)
{
    for (size_t i = 0; i < report_count(report); i++)
        report_write_json(notes, report_get(report, i));
    for (size_t i = 0; i < report_suppressed_count(report); i++)
        if (report_accepts(report, report_suppressed_get(report, i)))
            report_write_json(notes, report_suppressed_get(report, i));
}

static int check_run(const struct check_arguments *arguments, const struct scenario *scenario,
                     struct report *report, const char *path)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    struct outcome outcome = {.count = 0};
    size_t differences = 0;
    report_set_stream(report, NULL, false);
    if (shares_files(scenario))
        report_share_files(report, watch_processes());
    report_spool_use(report, arguments->spool);
    enum status status = scenario_run(scenario, report, &result, &diagnosis);
    int code = status == STATUS_NO_PROGRESS ? 0 : tools_exit_status(status);
    progress_hide();
    if (status == STATUS_STOPPED && interrupt_caught()) {
        print_interrupted(arguments, report, &result, path);
    } else if (code) {
        tools_message_scenario_diagnosis(path, status, &diagnosis);
    } else {
        take_report(&outcome, report);
        differences += compare_findings(&scenario->expect, &outcome);
        for (size_t i = 0; i < result.buffer_count; i++)
            differences += compare_buffer(&scenario->expect.buffers[i], &result.buffers[i]);
        for (size_t i = 0; i < result.placement_count; i++)
            differences += compare_placement(&scenario->expect.placements[i], &result.placements[i]);
        differences += counters_compare(&scenario->expect, result.counters);
        check_mark(arguments->notes, CHECK_MARK_LINES);
        differences += compare_output(&scenario->expect, result.output);
        check_mark(arguments->notes, CHECK_MARK_WHOLE);
        if (arguments->notes) {
            note_findings(arguments->notes, report);
            fprintf(arguments->notes, "{\"type\":\"time\",\"ns\":%" PRIu64 "}\n", result.time_ns);
        }
        for (size_t i = 0; differences && i < report_count(report); i++)
            report_print_finding_wide(stdout, report_get(report, i), false,
                                      report_columns(STDOUT_FILENO, getenv("COLUMNS")));
        if (differences)
            print_replay(arguments, result.record, NULL, path);
        code = conclude(path, differences);
    }
    if (!tools_record_write(scenario, &arguments->settings, result.record) ||
        !write_files(report, &result, code))
        code = EXIT_FAILED;
    if (result.unwritten.status != STATUS_OK) {
        tools_message_diagnosis(&result.unwritten);
        code = EXIT_FAILED;
    }
    outcome_fini(&outcome);
    scenario_result_fini(&result);
    return code;
}

/* The file to which the program writes its findings. */
struct scratch {
    char directory[32], json[64], log[64], counters[64], *timeout, *steps;
};

static char *own_value(const char *variable)
{
    const char *value = getenv(variable);
    return value ? copy(value) : NULL;
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
    if (!watch_processes())
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
    print_replay(arguments, NULL,
                 record ? scenario->schedule.record_file : settings_value(&arguments->settings, &replay),
                 path);
    free(record);
}

static int check_program(const struct check_arguments *arguments, const struct scenario *scenario,
                         const char *path)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)arguments->exec, NULL};
    struct outcome outcome = {.count = 0};
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
        take_json(&outcome, scratch.json);
        size_t differences = compare_findings(&scenario->expect, &outcome);
        differences += compare_status(&scenario->expect, status);
        differences += compare_counters(scenario, &scratch);
        check_mark(arguments->notes, CHECK_MARK_LINES);
        differences += compare_output(&scenario->expect, outcome.output);
        check_mark(arguments->notes, CHECK_MARK_WHOLE);
        if (arguments->notes)
            copy_file(scratch.json, arguments->notes);
        if (differences)
            copy_file(scratch.log, stdout);
        if (differences)
            print_program_replay(arguments, scenario, path);
        if (status >= 0)
            code = conclude(path, differences);
    }
    restore_environment(scenario, &scratch);
    scratch_fini(&scratch);
    outcome_fini(&outcome);
    return code;
}

static bool has_program(const struct scenario *scenario)
{
    return scenario->program.source_file || scenario->program.source_text || scenario->program.spirv_file;
}

static int check_loaded(const struct check_arguments *arguments, const struct scenario *scenario,
                        const char *path)
{
    if (!scenario->expect.present) {
        tools_message("error: %s has no 'expect': nothing to compare with", path);
        return EXIT_USAGE;
    }
    if (arguments->exec)
        return check_program(arguments, scenario, path);
    if (!has_program(scenario)) {
        tools_message("error: %s has no program: name one with --exec", path);
        return EXIT_USAGE;
    }
    struct report *report = report_new(scenario);
    int code = report ? check_run(arguments, scenario, report, path) : EXIT_FAILED;
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
    free(file);
    return file;
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
    if ((arguments->exec || shares_files(common)) &&
        !watch_processes()) /* before the processes that share it */
        return EXIT_FAILED;
    if (common->sarif_file || common->gen_suppressions)
        options->jobs = 1; /* what the files hold has the order of the command line */
    return check_results_run(options, arguments->files, arguments->count, check_noted, arguments, out_caught);
}

static int check_for_people(const struct check_arguments *arguments)
{
    int worst = 0;
    progress_begin();
    for (size_t i = 0; i < arguments->count && !interrupt_caught(); i++) {
        progress_note("orrery: scenario %zu of %zu: %s", i + 1, arguments->count, arguments->files[i]);
        int code = check_file(arguments, arguments->files[i]);
        worst = code > worst ? code : worst;
    }
    progress_end();
    return worst;
}

/* Of all scenarios. */
static void print_baseline(const struct scenario *common)
{
    const struct watch *watch = watch_processes();
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
    struct watch *watch = watch_processes();
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
