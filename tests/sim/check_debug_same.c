/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_debug_same [SCENARIO...]: each scenario, or some of each kind, runs without and with a debugger that
 * never stops. The findings, the kernels' output, the buffers that the scenario expects and the choices of
 * the schedule have to be the same bytes. Prints what differs.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/debug.h"
#include "orrery/scenario_run.h"
#include "orrery/schedule.h"

static void go_on(void *self, struct debugger *debugger, json_t *stop)
{
    json_t *run = json_pack("{s:s,s:s,s:b}", "verb", "run", "mode", "continue", "points", 0);
    (void)self;
    json_decref(stop);
    json_decref(debugger_request(debugger, run));
    json_decref(run);
}

static void no_copy(void *self, struct debugger *debugger, uint64_t position)
{
    (void)self;
    (void)debugger;
    (void)position;
}

static void no_print(void *self, uint64_t position, const char *text, bool of_log_point)
{
    (void)self;
    (void)of_log_point;
    (void)position;
    (void)text;
}

static void write_result(FILE *stream, enum status status, const struct report *report,
                         const struct scenario_result *result)
{
    fprintf(stream, "status %s\n", status_name(status));
    for (size_t i = 0; i < report_count(report); i++)
        report_write_json(stream, report_get(report, i));
    for (size_t i = 0; i < result->buffer_count; i++)
        for (size_t b = 0; b < result->buffers[i].count * value_type_size(result->buffers[i].type); b++)
            fprintf(stream, "%02x", ((const unsigned char *)result->buffers[i].data)[b]);
    fprintf(stream, "\n%s\n", result->output ? result->output : "");
    fprintf(stream, "kernels %llu\n", (unsigned long long)result->kernels_run);
    if (result->record)
        schedule_record_print(result->record, stream);
}

static char *run(const char *path, bool debugged)
{
    struct scenario scenario;
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    char *text = NULL;
    size_t size = 0;
    const struct debugger_host host = {.stopped = go_on, .checkpoint = no_copy, .print = no_print};
    FILE *stream = open_memstream(&text, &size);
    if (!stream || scenario_load_file(&scenario, path, &diagnosis) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", path, diagnosis.text);
        exit(2);
    }
    struct report *report = report_new(&scenario);
    struct debugger *debugger = debugger_new(&host, report);
    report_set_stream(report, NULL, false);
    if (debugged)
        scenario.debug = debugger_hook(debugger);
    debugger_begin(debugger);
    const enum status status = scenario_run(&scenario, report, &result, &diagnosis);
    write_result(stream, status, report, &result);
    if (status != STATUS_OK)
        fprintf(stream, "%s\n", diagnosis.text);
    debugger_free(debugger);
    scenario_result_fini(&result);
    report_free(report);
    scenario_fini(&scenario);
    fclose(stream);
    return text;
}

/* Barriers, divergence, loops, atomics, structures and vectors in private memory, uninitialised values,
 * faults, schedules. */
static const char *const usual[] = {
    "clean/loop_after_loop",
    "clean/three_components",
    "racy/async_copy_event",
    "racy/within_branches",
    "racy/child_counter",
    "faulty/private_write",
    "schedule/spurious_retries_random",
};

static int compare(const char *path);

static int compare_usual(void)
{
    int differs = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char path[512];
        const char *source = getenv("ORRERY_SRCDIR");
        snprintf(path, sizeof path, "%s/scenarios/%s.yaml", source ? source : ".", usual[i]);
        differs += compare(path);
    }
    return differs;
}

int main(int argc, char **argv)
{
    int differs = 0;
    compiler_configure(&(struct compiler_settings){.cache_directory = getenv("ORRERY_CACHE_DIR")});
    if (argc == 1)
        differs = compare_usual();
    for (int i = 1; i < argc; i++)
        differs += compare(argv[i]);
    return differs != 0;
}

static int compare(const char *path)
{
    char *plain = run(path, false), *debugged = run(path, true);
    const int same = strcmp(plain, debugged) == 0;
    if (!same)
        printf("FAIL: %s\n--- without a debugger\n%s--- with one\n%s", path, plain, debugged);
    free(plain);
    free(debugged);
    return !same;
}
