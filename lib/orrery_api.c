/* SPDX-License-Identifier: Apache-2.0 */
/* The control API (orrery/orrery.h). Each call takes runtime_lock and reads or changes the scenario and
 * the report. */
#include "orrery_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diagnose/expectation.h"
#include "lib/host/guard.h"
#include "orrery/orrery.h"
#include "queue.h"
#include "api_runtime.h"

static void copy_text(char *error, size_t error_size, const char *text)
{
    if (error && error_size)
        snprintf(error, error_size, "%s", text);
}

static int status_of(cl_int err)
{
    switch (err) {
    case CL_SUCCESS: return ORRERY_OK;
    case CL_INVALID_OPERATION: return ORRERY_BUSY;
    case CL_INVALID_VALUE: return ORRERY_BAD_SCENARIO;
    default: return ORRERY_FAILED;
    }
}

static int load(const char *path, const char *text, char *error, size_t error_size)
{
    struct diagnosis diagnosis = {0};
    cl_int err = runtime_load(path, text, &diagnosis);
    copy_text(error, error_size, diagnosis.text);
    return status_of(err);
}

int orrery_load_scenario_file(const char *path, char *error, size_t error_size)
{
    return path ? load(path, NULL, error, error_size) : ORRERY_BAD_SCENARIO;
}

int orrery_load_scenario_text(const char *text, char *error, size_t error_size)
{
    return text ? load(NULL, text, error, error_size) : ORRERY_BAD_SCENARIO;
}

int orrery_set_option(const char *option, const char *value, char *error, size_t error_size)
{
    struct diagnosis diagnosis = {0};
    cl_int err = option ? runtime_set_option(option, value, &diagnosis) : CL_INVALID_VALUE;
    copy_text(error, error_size, diagnosis.text);
    return err == CL_INVALID_OPERATION ? ORRERY_BUSY : err ? ORRERY_BAD_SCENARIO : ORRERY_OK;
}

void orrery_set_seed(uint64_t seed)
{
    runtime_get()->scenario.schedule.seed = seed;
}

size_t orrery_finding_count(void)
{
    const struct runtime *runtime = runtime_get();
    guard_report();
    return runtime->report ? report_count(runtime->report) : 0;
}

size_t orrery_finding_count_of(const char *id)
{
    size_t count = 0;
    enum finding_kind kind;
    if (!id || !finding_from_id(id, &kind))
        return 0;
    for (size_t i = 0; i < orrery_finding_count(); i++)
        count += report_get(runtime_get()->report, i)->kind == kind;
    return count;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static void fill_place(struct orrery_finding *out_finding, const struct finding *finding)
{
    const struct finding_access *access = &finding->access[0];
    if (!finding->access_count)
        return;
    out_finding->file = text_or_empty(access->place.file);
    out_finding->line = access->place.line;
    out_finding->column = access->place.column;
    if (access->has_item)
        memcpy(out_finding->global_id, access->item.global_id, sizeof out_finding->global_id);
}

/* An absent access has empty fields. */
static void fill_access(struct orrery_access *out_access, const struct finding_access *access)
{
    *out_access = (struct orrery_access){
        .file = text_or_empty(access->place.file),
        .text = text_or_empty(access->place.text),
        .line = access->place.line,
        .column = access->place.column,
        .what = text_or_empty(access->what),
        .by = text_or_empty(access->by),
        .size_bytes = access->size_bytes,
        .has_value = access->has_value,
        .value = access->value,
        .has_written = access->has_written,
        .written = access->written,
        .has_item = access->has_item,
        .order = text_or_empty(finding_access_order(access)),
        .scope = text_or_empty(finding_access_scope(access)),
    };
    if (access->has_item) {
        out_access->sub_group = access->item.sub_group;
        memcpy(out_access->global_id, access->item.global_id, sizeof out_access->global_id);
        memcpy(out_access->group_id, access->item.group_id, sizeof out_access->group_id);
    }
}

static void fill_cause(struct orrery_finding *out_finding, const struct finding *cause)
{
    const struct source_place *place = &cause->access[0].place;
    out_finding->cause = finding_id(cause->kind);
    if (!cause->access_count)
        return;
    out_finding->cause_file = text_or_empty(place->file);
    out_finding->cause_line = place->line;
    out_finding->cause_column = place->column;
}

int orrery_finding_get(size_t index, struct orrery_finding *out_finding)
{
    if (!out_finding || index >= orrery_finding_count())
        return ORRERY_NOT_FOUND;
    const struct finding *finding = report_get(runtime_get()->report, index);
    *out_finding = (struct orrery_finding){
        .id = finding_id(finding->kind),
        .severity = finding->severity == SEVERITY_ERROR ? "error" : "warning",
        .kernel = text_or_empty(finding->kernel),
        .object = text_or_empty(finding->object),
        .file = "",
        .offset_bytes = finding->has_offset ? finding->offset_bytes : 0,
        .count = finding->count,
        .why = text_or_empty(finding->why),
        .fix = text_or_empty(finding->fix),
        .fix_verified = finding_fix_claim(finding) == FIX_CLAIM_TRIED,
        .fix_claim = fix_claim_word(finding_fix_claim(finding)),
        .spec = finding->spec ? finding->spec : finding_spec(finding->kind),
        .access_count = finding->access_count < 2 ? finding->access_count : 2,
        .length_bytes = finding->has_offset ? finding_bytes(finding) : 0,
        .cause = "",
        .cause_file = "",
    };
    fill_place(out_finding, finding);
    if (finding->cause)
        fill_cause(out_finding, finding->cause);
    for (uint32_t i = 0; i < 2; i++)
        fill_access(&out_finding->access[i], &finding->access[i]);
    return ORRERY_OK;
}

/* The count is correct even if there is no memory for the text. */
size_t orrery_new_findings(char *text, size_t size)
{
    char *whole = NULL;
    size_t whole_size = 0;
    const struct runtime *runtime = runtime_get();
    copy_text(text, size, "");
    if (runtime->broken)
        return 0;
    queue_drain();
    guard_report();
    FILE *stream = text && size ? open_memstream(&whole, &whole_size) : NULL;
    const size_t count = report_take_new(runtime->report, runtime->scenario.fail_on, stream);
    if (stream)
        fclose(stream);
    if (whole)
        copy_text(text, size, whole);
    free(whole);
    return count;
}

void orrery_clear_findings(void)
{
    guard_report();
    if (runtime_get()->report)
        report_clear(runtime_get()->report);
}

/* ---- expectations ------------------------------------------------------------------- */

int orrery_expect(const char *id, const char *kernel, uint32_t line, size_t min, size_t max)
{
    struct expectation expectation = {(char *)(uintptr_t)id, (char *)(uintptr_t)kernel, line, min, max};
    return id && min <= max && expectation_add(&expectation) ? ORRERY_OK : ORRERY_NOT_FOUND;
}

int orrery_forbid(const char *id)
{
    return orrery_expect(id, NULL, 0, 0, 0);
}

int orrery_check_expectations(char *text, size_t size)
{
    char *unmet = NULL;
    size_t unmet_size = 0, count = 0;
    const struct runtime *runtime = runtime_get();
    copy_text(text, size, "");
    FILE *stream = runtime->broken ? NULL : open_memstream(&unmet, &unmet_size);
    if (!stream) {
        copy_text(text, size, runtime->broken ? "Orrery is not set up\n" : "out of memory\n");
        return ORRERY_FAILED;
    }
    queue_drain();
    count = expectation_check(runtime->report, stream);
    fclose(stream);
    copy_text(text, size, unmet ? unmet : "");
    free(unmet);
    return count ? ORRERY_UNMET : ORRERY_OK;
}

/* ---- scopes, statistics -------------------------------------------------------------- */

static struct orrery_statistics before; /* the last reset */

int orrery_reset(void)
{
    guard_report();
    expectation_clear();
    const cl_int err = runtime_get()->broken ? CL_INVALID_PLATFORM : runtime_restore_options();
    if (err && err != CL_INVALID_OPERATION)
        return ORRERY_FAILED;
    report_clear(runtime_get()->report);
    before.kernels = orrery_kernels_run();
    before.nanoseconds = orrery_time();
    return err ? ORRERY_BUSY : ORRERY_OK;
}

/* Another device has another clock, which starts at 0. */
static uint64_t time_since_reset(void)
{
    uint64_t now = orrery_time();
    return now >= before.nanoseconds ? now - before.nanoseconds : now;
}

void orrery_statistics_get(struct orrery_statistics *out_statistics)
{
    *out_statistics = (struct orrery_statistics){0};
    if (runtime_get()->broken)
        return;
    queue_drain();
    guard_report();
    const struct report *report = runtime_get()->report;
    *out_statistics = (struct orrery_statistics){
        .kernels = orrery_kernels_run() - before.kernels,
        .errors = report_distinct(report, SEVERITY_ERROR),
        .warnings = report_distinct(report, SEVERITY_WARNING),
        .suppressed = report_suppressed_count(report),
        .occurrences = report_total(report, SEVERITY_WARNING),
        .nanoseconds = time_since_reset(),
    };
}

uint64_t orrery_kernels_run(void)
{
    return runtime_get()->broken ? 0 : runtime_kernels_run();
}

uint64_t orrery_time(void)
{
    if (runtime_get()->broken)
        return 0;
    queue_drain();
    return device_clock(runtime_device());
}

/* ---- by name ----------------------------------------------------------------------- */

typedef void any_function(void);

static const struct {
    const char *name;
    any_function *function;
} functions[] = {
#define FUNCTION(name) {#name, (any_function *)name},
    FUNCTION(orrery_load_scenario_file) FUNCTION(orrery_load_scenario_text) FUNCTION(orrery_set_option)
        FUNCTION(orrery_set_seed) FUNCTION(orrery_finding_count) FUNCTION(orrery_finding_count_of)
            FUNCTION(orrery_finding_get) FUNCTION(orrery_clear_findings) FUNCTION(orrery_new_findings)
                FUNCTION(orrery_kernels_run) FUNCTION(orrery_time) FUNCTION(orrery_expect)
                    FUNCTION(orrery_forbid) FUNCTION(orrery_check_expectations) FUNCTION(orrery_reset)
                        FUNCTION(orrery_statistics_get)
#undef FUNCTION
};

void *orrery_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name))
            return (void *)(uintptr_t)functions[i].function;
    return NULL;
}
