/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The launches of a scenario: each is checked against its kernel and begins; those that are said to
 *          run at the same time do.
 *
 * Interface
 *   scenario_launch_all   all of them, in order; addresses holds their buffers. NO_PROGRESS when one made
 *                         none; another status when one could not begin for a reason that is no finding
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H
#define ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H

#include "orrery/device.h"
#include "sim/device/placement_log.h"

/* A scenario that runs. */
struct run {
    const struct scenario *scenario;
    struct diagnosis *diagnosis;
    struct report *report;
    struct device *device;
    struct program *program;
    /* [launch][argument] of buffers and images; samplers, numbers of queues; 0 elsewhere */
    uint64_t **addresses;
    uint32_t *launch_commands; /* [launch] */
    struct placed placed;      /* when the scenario expects a placement */
    uint32_t commands;
    uint32_t buffers;
    uint32_t queue; /* the default device queue; 0: none */
    FILE *output;
};

static inline const struct scenario_arg *run_arg(const struct run *run, size_t launch, size_t arg)
{
    return &run->scenario->launches[launch].args[arg];
}

enum status scenario_launch_all(struct run *run);

#endif
