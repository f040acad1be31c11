/* SPDX-License-Identifier: Apache-2.0 */
#include "orrery_api.h"

#include <stdio.h>
#include <string.h>

#include "orrery/orrery.h"
#include "queue.h"
#include "runtime.h"

static void say(char *error, size_t error_size, const char *text)
{
    if (error && error_size)
        snprintf(error, error_size, "%s", text);
}

static int load(const char *path, const char *text, char *error, size_t error_size)
{
    struct diagnosis diagnosis = {0};
    cl_int err = runtime_load(path, text, &diagnosis);
    say(error, error_size, diagnosis.text);
    switch (err) {
    case CL_SUCCESS:
        return ORRERY_OK;
    case CL_INVALID_OPERATION:
        return ORRERY_BUSY;
    case CL_INVALID_VALUE:
        return ORRERY_BAD_SCENARIO;
    default:
        return ORRERY_FAILED;
    }
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
    say(error, error_size, diagnosis.text);
    return err == CL_SUCCESS ? ORRERY_OK : ORRERY_BAD_SCENARIO;
}

void orrery_set_seed(uint64_t seed)
{
    runtime_get()->scenario.schedule.seed = seed;
}

size_t orrery_finding_count(void)
{
    const struct runtime *runtime = runtime_get();
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
    };
    fill_place(out_finding, finding);
    return ORRERY_OK;
}

void orrery_clear_findings(void)
{
    if (runtime_get()->report)
        report_clear(runtime_get()->report);
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
            FUNCTION(orrery_finding_get) FUNCTION(orrery_clear_findings) FUNCTION(orrery_kernels_run)
                FUNCTION(orrery_time)
#undef FUNCTION
};

void *orrery_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name))
            return (void *)(uintptr_t)functions[i].function;
    return NULL;
}
