/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The launches of a scenario: each is checked against its kernel, and begins; launches that are
 *          marked as concurrent run at the same time.
 *
 * Interface
 *   scenario_launch_all   all of them, in order; `addresses` holds their buffers. NO_PROGRESS when a launch
 *                         made none; another status when a launch could not begin for a reason that is no
 *                         finding
 *   scenario_launch_refuse   the cause with the place of the launch in the scenario; returns the status
 *   scenario_perform      a whole run of a struct run that has scenario, diagnosis, report and output
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H
#define ORRERY_SIM_SCENARIO_SCENARIO_LAUNCH_H

#include "orrery/device.h"
#include "orrery/scenario_run.h"
#include "argument_extent.h"
#include "sim/device/placement_log.h"

/* One run of a scenario. */
struct run {
    const struct scenario *scenario;
    struct diagnosis *diagnosis;
    struct report *report;
    struct device *device;
    struct program *program;
    /* [launch][argument]: address of a buffer or image, packed sampler, number of a queue; 0: others */
    uint64_t **addresses;
    uint32_t *launch_commands; /* [launch] */
    struct placed placed;      /* filled when the scenario expects a placement */
    struct extents extents;    /* filled when the scenario measures them */
    uint32_t commands;
    uint32_t buffers;
    uint32_t queue; /* the default device queue; 0: none */
    uint64_t steps; /* loop iterations of the launches that have ended */
    FILE *output;
    /* Called after the launches, before pages are written: completes the findings. NULL: nothing to do. */
    void (*complete)(struct run *run);
    const struct built *built; /* the program; NULL: scenario_perform builds it. Borrowed */
    struct contents *contents; /* gets the final contents of the buffers; NULL: not wanted */
};

/* The results of scenario_build. */
struct built {
    struct spirv spirv;
    struct scenario_source source;
};

/* Per argument, the contents of its memory in its type; empty for arguments without memory of their own. */
struct contents {
    size_t count;
    struct value_list *values; /* [launch][argument], flattened */
};

static inline const struct scenario_arg *run_arg(const struct run *run, size_t launch, size_t arg)
{
    return &run->scenario->launches[launch].args[arg];
}

enum status scenario_launch_all(struct run *run);
enum status scenario_launch_refuse(struct run *run, size_t launch, enum status status,
                                   const struct diagnosis *cause);

/* Runs everything up to the results, on a device of the run's own. The caller calls run_fini after every
 * return. */
enum status scenario_perform(struct run *run, struct scenario_result *result);
void scenario_run_fini(struct run *run);
void contents_fini(struct contents *contents);

#endif
