/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario's text becomes a device with a report; OpenCL C becomes its program; launches take one buffer
 * and a list of compute units. Everything asserts that it works, so that tests read what they observe and
 * nothing else.
 */
#include "launcher.h"

#include <stdlib.h>
#include <string.h>

#include "fail_at.h"
#include "orrery/scenario_run.h"

static void load_program(const char *file, int line, struct launcher *launcher, const char *source)
{
    struct diagnosis diagnosis = {0};
    struct spirv spirv;
    struct scenario_source text;
    char *log;
    launcher->scenario.program.source_text = strdup(source);
    enum status status = scenario_build(&launcher->scenario, &spirv, &text, &log, &diagnosis);
    if (status != STATUS_OK)
        fail_at(file, line, "%s\n%s\n%s", diagnosis.text, source, log ? log : "");
    struct program_request request = {.words = spirv.words,
                                      .word_count = spirv.word_count,
                                      .source_name = text.name,
                                      .source_text = text.text};
    status = program_load(launcher->device, &request, &launcher->program, &diagnosis);
    if (status != STATUS_OK)
        fail_at(file, line, "%s\n%s", diagnosis.text, source);
    spirv_fini(&spirv);
    scenario_source_fini(&text);
    free(log);
}

void launcher_init_at(const char *file, int line, struct launcher *launcher, const char *text,
                      const char *source)
{
    struct diagnosis diagnosis = {0};
    char whole[2000];
    memset(launcher, 0, sizeof *launcher);
    snprintf(whole, sizeof whole, "orrery: 1\n%s", text);
    enum status status = scenario_load_text(&launcher->scenario, whole, "t.yaml", &diagnosis);
    if (status != STATUS_OK)
        fail_at(file, line, "%s\n%s", diagnosis.text, whole);
    launcher->report = report_new(&launcher->scenario);
    report_set_stream(launcher->report, NULL, false);
    status = device_new(&launcher->scenario, launcher->report, &launcher->device, &diagnosis);
    if (status != STATUS_OK)
        fail_at(file, line, "%s\n%s", diagnosis.text, whole);
    load_program(file, line, launcher, source);
}

void launcher_fini(struct launcher *launcher)
{
    program_release(launcher->program);
    device_free(launcher->device);
    report_free(launcher->report);
    scenario_fini(&launcher->scenario);
}

uint64_t launcher_buffer_at(const char *file, int line, struct launcher *launcher, size_t size)
{
    uint64_t address = 0;
    const enum status status = device_alloc(launcher->device, size, 0, 0, "buffer", &address);
    if (status != STATUS_OK)
        fail_at(file, line, "a buffer of %zu bytes: %s", size, status_name(status));
    return address;
}

uint32_t launcher_run_at(const char *file, int line, struct launcher *launcher, const char *kernel,
                         uint64_t global, uint64_t local, uint64_t buffer, const uint32_t *units,
                         uint32_t unit_count)
{
    struct diagnosis diagnosis = {0};
    struct launch_arg arg = {&buffer, sizeof buffer, 0, 0};
    struct launch_request request = {
        .kernel = program_find_kernel(launcher->program, kernel),
        .command = ++launcher->commands,
        .work_dim = 1,
        .global_size = {global, 1, 1},
        .local_size = {local, 1, 1},
        .args = &arg,
        .arg_count = 1,
        .compute_units = units,
        .compute_unit_count = unit_count,
    };
    if (!request.kernel)
        fail_at(file, line, "the program has no kernel %s", kernel);
    enum status status = device_launch(launcher->device, &request, &diagnosis);
    if (status != STATUS_OK)
        fail_at(file, line, "kernel %s: %s", kernel, diagnosis.text);
    return request.command;
}
