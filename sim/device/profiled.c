/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of launches, on their way from waves to the profile. With coverage, the program's other
 * kernels are added once one of it runs: their lines are there, and were not executed.
 */
#include "profiled.h"

#include "device_program.h"
#include "sim/observers/execution_profile.h"

static const char *name_file(void *self, const struct profile_place *place)
{
    return program_file(self, place->file, place->line);
}

static void add_others(struct device *device, struct program *program, const struct profile_namer *namer)
{
    for (size_t i = 0; i < program->hosted_count; i++) {
        const struct kernel *kernel = program->hosted[i];
        const struct code_request wanted = {.kernel = kernel->index, .width = 64, .profile = true};
        const struct code *code;
        struct diagnosis diagnosis = {0};
        if (interp_code(program->module, &wanted, &code, &diagnosis) == STATUS_OK)
            profile_add(device->profile, kernel->info->name, code->profile, namer);
    }
}

struct profile_kernel *profiled_begin(struct device *device, struct launch *launch)
{
    struct program *program = (struct program *)(uintptr_t)launch->info.program;
    const struct profile_namer namer = {program, name_file};
    struct profile_kernel *kernel =
        profile_add(device->profile, launch->info.kernel, launch->code->profile, &namer);
    if (device->scenario->coverage_file && !program->profiled)
        add_others(device, program, &namer);
    program->profiled = true;
    if (kernel)
        profile_launch(device->profile, kernel, &launch->info);
    return kernel;
}

static struct profile_lanes lanes_of(const struct launch *launch, const struct wave *wave,
                                     const uint64_t *mask)
{
    return (struct profile_lanes){.mask = mask,
                                  .lane_count = wave->lane_count,
                                  .first_lane = wave->origin.first_lane,
                                  .sub_group_size = launch->info.sub_group_size};
}

void profiled_count(void *self, struct wave *wave, uint32_t piece)
{
    const struct launch *launch = ((struct device *)self)->launch;
    const struct profile_lanes lanes = lanes_of(launch, wave, wave->active.word);
    if (launch->profiled)
        profile_count(launch->profiled, piece, &lanes);
}

void profiled_way(void *self, struct wave *wave, uint32_t way, const uint64_t *lanes)
{
    const struct launch *launch = ((struct device *)self)->launch;
    lane_mask leaving;
    for (uint32_t k = 0; k < LANE_MASK_WORDS; k++)
        leaving.word[k] = lanes[k] & wave->active.word[k];
    const struct profile_lanes some = lanes_of(launch, wave, leaving.word);
    if (launch->profiled)
        profile_count_way(launch->profiled, way, &some);
}
