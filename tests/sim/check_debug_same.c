/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_debug_same [SCENARIO...]: each scenario, or some of each kind, runs without a debugger, with one that
 * never stops, and with one that lets it run without marks. The findings, the kernels' output, the buffers that
 * the scenario expects and the choices of the schedule have to be the same bytes, and the last two to have as many
 * launches and work-groups. Prints what differs.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/debug.h"
#include "orrery/scenario_run.h"
#include "orrery/schedule.h"

enum manner { ALONE, MARKED, PLAIN };
static const char *const manners[] = {"without a debugger", "with one", "with one that lets it run"};

static void continue_run(void *self, struct debugger *debugger, json_t *stop)
{
    const enum manner *manner = self;
    json_t *run = json_pack("{s:s,s:s,s:b,s:b}", "verb", "run", "mode", "continue", "points", 0, "plain",
                            *manner == PLAIN);
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

static char *run(const char *path, enum manner manner, uint64_t *out_phases)
{
    struct scenario scenario;
    struct diagnosis diagnosis = {0};
    struct scenario_result result;
    char *text = NULL;
    size_t size = 0;
    const struct debugger_host host = {
        .self = &manner, .stopped = continue_run, .checkpoint = no_copy, .print = no_print};
    FILE *stream = open_memstream(&text, &size);
    if (!stream || scenario_load_file(&scenario, path, &diagnosis) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", path, diagnosis.text);
        exit(2);
    }
    scenario.values = false;
    scenario.fixes = FIXES_COMPILE; /* a debugger's run is not run again to try them */
    struct report *report = report_new(&scenario);
    struct debugger *debugger = debugger_new(&host, report);
    report_set_stream(report, NULL, false);
    if (manner != ALONE)
        scenario.debug = debugger_hook(debugger);
    debugger_begin(debugger);
    const enum status status = scenario_run(&scenario, report, &result, &diagnosis);
    write_result(stream, status, report, &result);
    if (status != STATUS_OK)
        fprintf(stream, "%s\n", diagnosis.text);
    *out_phases = debugger_phases(debugger);
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

static int compare_default(void)
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
        differs = compare_default();
    for (int i = 1; i < argc; i++)
        differs += compare(argv[i]);
    return differs != 0;
}

static bool is_same(const char *path, const char *const text[3], enum manner manner)
{
    if (strcmp(text[ALONE], text[manner]) == 0)
        return true;
    printf("FAIL: %s\n--- %s\n%s--- %s\n%s", path, manners[ALONE], text[ALONE], manners[manner],
           text[manner]);
    return false;
}

static int compare(const char *path)
{
    uint64_t phases[3];
    char *text[3];
    for (enum manner manner = ALONE; manner <= PLAIN; manner++)
        text[manner] = run(path, manner, &phases[manner]);
    bool same =
        is_same(path, (const char *const *)text, MARKED) && is_same(path, (const char *const *)text, PLAIN);
    if (phases[MARKED] != phases[PLAIN])
        printf("FAIL: %s: %llu launches and work-groups begin and end with marks, %llu without\n", path,
               (unsigned long long)phases[MARKED], (unsigned long long)phases[PLAIN]);
    for (enum manner manner = ALONE; manner <= PLAIN; manner++)
        free(text[manner]);
    return !(same && phases[MARKED] == phases[PLAIN]);
}
