/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules that validate, run on small buffers: for any operands, the device reports errors and the bytes
 * around the buffers stay.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "orrery/device.h"
#include "fuzz.h"

const char fuzz_name[] = "module";

enum { BUFFER_BYTES = 256, ARGS = 16, STEPS = 300 };

static void swallow(void *self, const char *text, size_t size)
{
    (void)text;
    *(size_t *)self += size;
}

static void choose(struct scenario *scenario, uint32_t seed)
{
    scenario_default(scenario);
    scenario->schedule.policy = (enum schedule_policy)(seed % 5);
    scenario->schedule.seed = seed;
    scenario->schedule.max_steps = STEPS;
    scenario->schedule.timeout_seconds = 5;
    scenario->schedule.resident_groups = 1 + seed / 5 % 3;
    scenario->checks[CHECK_UNINITIALISED] = seed / 16 % 2 ? SEVERITY_ERROR : SEVERITY_OFF;
    scenario->device.global_memory = 64 << 20;
    scenario->device.max_allocation = 16 << 20;
    scenario->device.private_memory = 64 << 10;
}

static void run_kernel(struct device *device, const struct kernel *kernel, uint32_t seed)
{
    static const uint64_t sizes[] = {1, 3, 16, 17, 64};
    const struct kernel_info *info = kernel_info(kernel);
    struct launch_arg args[ARGS];
    uint64_t address[ARGS] = {0};
    uint8_t *values[ARGS] = {0};
    if (info->arg_count > ARGS)
        return;
    uint8_t pattern[BUFFER_BYTES];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i % 4 ? 0 : i / 4 * (seed | 1) % 61);
    for (size_t i = 0; i < info->arg_count; i++) {
        const struct kernel_arg *arg = &info->args[i];
        size_t size = arg->kind == ARG_VALUE ? arg->size : sizeof(uint64_t);
        values[i] = calloc(1, size + 8);
        if (arg->kind == ARG_VALUE)
            memcpy(values[i], pattern + 4, size < sizeof pattern - 4 ? size : sizeof pattern - 4);
        else if (arg->kind == ARG_LOCAL)
            memcpy(values[i], &(uint64_t){128}, 8);
        else if (device_alloc(device, BUFFER_BYTES, 0, 0, "buffer", &address[i]) == STATUS_OK) {
            device_write(device, 1, address[i], pattern, sizeof pattern);
            memcpy(values[i], &address[i], 8);
        }
        args[i] = (struct launch_arg){values[i], size, 0};
    }
    uint64_t local = sizes[seed % 5];
    struct launch_request request = {.kernel = kernel,
                                     .command = 2,
                                     .work_dim = 2,
                                     .global_size = {local * 2, 2, 1},
                                     .local_size = {local, 2, 1},
                                     .args = args,
                                     .arg_count = info->arg_count};
    for (int i = 0; i < 3 && info->required_size[0]; i++)
        request.local_size[i] = request.global_size[i] = info->required_size[i];
    struct diagnosis diagnosis = {0};
    device_launch(device, &request, &diagnosis);
    for (size_t i = 0; i < info->arg_count; i++) {
        if (address[i])
            device_release(device, address[i]);
        free(values[i]);
    }
}

static void run(const uint32_t *words, size_t count, uint32_t seed)
{
    struct scenario scenario;
    struct device *device;
    struct program *program;
    struct diagnosis diagnosis = {0};
    size_t printed = 0;
    choose(&scenario, seed);
    struct report *report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    if (device_new(&scenario, report, &device, &diagnosis) != STATUS_OK)
        abort();
    device_set_printf(device, swallow, &printed);
    struct program_request request = {
        .words = words, .word_count = count, .source_name = "fuzz.cl", .source_text = "1\n2\n3\n"};
    if (program_load(device, &request, &program, &diagnosis) == STATUS_OK) {
        for (size_t k = 0; k < program_kernel_count(program) && k < 8; k++)
            run_kernel(device, program_kernel(program, k), seed);
        program_release(program);
    }
    device_free(device);
    report_free(report);
    scenario_fini(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / 4;
    uint32_t seed = 0;
    uint32_t *words = malloc(count * 4 + 1);
    char *log = NULL;
    memcpy(words, data, count * 4);
    for (size_t i = 0; i < count; i++)
        seed = seed * 31 + words[i];
    if (spirv_validate(words, count, &log) == STATUS_OK)
        run(words, count, seed);
    free(log);
    free(words);
    return 0;
}
