/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of launches, on their way from waves to the profile. */
#include "profiled.h"

#include "device_program.h"
#include "sim/observers/execution_profile.h"

static const char *name_file(void *self, const struct profile_place *place)
{
    return program_file(self, place->file, place->line);
}

struct profile_kernel *profiled_begin(struct device *device, struct launch *launch)
{
    struct program *program = (struct program *)(uintptr_t)launch->info.program;
    const struct profile_namer namer = {program, name_file};
    struct profile_kernel *kernel =
        profile_add(device->profile, launch->info.kernel, launch->code->profile, &namer);
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
