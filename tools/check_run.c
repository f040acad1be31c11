/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a scenario whose launches the command runs itself: buffers, placement, counters, output and
 * findings are compared with what it expects. */
#include "check_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "orrery/report_width.h"
#include "orrery/scenario_run.h"
#include "orrery/watch.h"
#include "check_outcome.h"
#include "check_results.h"

int check_run_conclude(const char *path, size_t differences)
{
    printf("%s: %s\n", differences ? "FAIL" : "PASS", path);
    return differences ? EXIT_DIFFERS : 0;
}

/* token NULL: the record's. */
void check_run_print_replay(const struct check_arguments *arguments, const struct schedule_record *record,
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
    check_run_print_replay(arguments, result->record, NULL, path);
    report_finish(stdout, report, result->kernels_run);
    printf("INTERRUPTED: %s\n", path);
}

/*
 * Scenarios, and the processes of a command, share the files that they write. Once for all scenarios. NULL:
 * the error is printed.
 */
struct watch *check_run_watch(void)
{
    static struct watch *watch;
    char name[WATCH_NAME_CHARS];
    if (!watch && (watch = watch_new(name)))
        setenv("ORRERY_WATCH", name, 1);
    if (!watch)
        tools_message("error: no memory can be shared with the program");
    return watch;
}

bool check_run_shares_files(const struct scenario *scenario)
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

int check_run_scenario(const struct check_arguments *arguments, const struct scenario *scenario,
                       struct report *report, const char *path)
{
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    struct check_outcome outcome = {.count = 0};
    size_t differences = 0;
    report_set_stream(report, NULL, false);
    if (check_run_shares_files(scenario))
        report_share_files(report, check_run_watch());
    report_spool_use(report, arguments->spool);
    enum status status = scenario_run(scenario, report, &result, &diagnosis);
    int code = status == STATUS_NO_PROGRESS ? 0 : tools_exit_status(status);
    progress_hide();
    if (!code && !scenario->launch_count)
        tools_message("note: %s: no kernel ran: the scenario has no 'launch'", path);
    if (status == STATUS_STOPPED && interrupt_caught()) {
        print_interrupted(arguments, report, &result, path);
    } else if (code) {
        tools_message_scenario_diagnosis(path, status, &diagnosis);
    } else {
        check_outcome_take_report(&outcome, report);
        differences += check_outcome_compare_findings(&scenario->expect, &outcome);
        for (size_t i = 0; i < result.buffer_count; i++)
            differences += check_outcome_compare_buffer(&scenario->expect.buffers[i], &result.buffers[i]);
        for (size_t i = 0; i < result.placement_count; i++)
            differences +=
                check_outcome_compare_placement(&scenario->expect.placements[i], &result.placements[i]);
        differences += counters_compare(&scenario->expect, result.counters);
        check_mark(arguments->notes, CHECK_MARK_LINES);
        differences += check_outcome_compare_output(&scenario->expect, result.output);
        check_mark(arguments->notes, CHECK_MARK_WHOLE);
        if (arguments->notes) {
            note_findings(arguments->notes, report);
            fprintf(arguments->notes, "{\"type\":\"time\",\"ns\":%" PRIu64 "}\n", result.time_ns);
        }
        for (size_t i = 0; differences && i < report_count(report); i++)
            report_print_finding_wide(stdout, report_get(report, i), false,
                                      report_columns(STDOUT_FILENO, getenv("COLUMNS")));
        if (differences)
            check_run_print_replay(arguments, result.record, NULL, path);
        code = check_run_conclude(path, differences);
    }
    if (!tools_record_write(scenario, &arguments->settings, result.record) ||
        !write_files(report, &result, code))
        code = EXIT_FAILED;
    if (result.unwritten.status != STATUS_OK) {
        tools_message_diagnosis(&result.unwritten);
        code = EXIT_FAILED;
    }
    check_outcome_fini(&outcome);
    scenario_result_fini(&result);
    return code;
}
